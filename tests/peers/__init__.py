"""What gradcalc is compared with: the libraries whose functions it reads, by the texts that their users paste.

Each line of `*.txt` here is a text, and after a bar the shapes of its inputs, and after another their ranges:

    np.quantile(x, 0.3, axis=0, method='lower') | x=4,2
    np.log(x) | x=3 | x=0.5:2
    F.cross_entropy(x, t) | x=4,3 t=4:int(0,3)
    torch: x.masked_fill(m, 0.5) | x=2,3 m=2,3:bool

Without shapes an input is tried as a number, a vector and a matrix. The library is the one that the text names; a
text that names none, because it calls methods, says which one is meant: `torch: `, `np: ` or `jax: `. `cases` reads
the lines and derives more from the catalogue, `libraries` has the real libraries evaluate them, `compare` holds
gradcalc against that, `names` lists what the libraries have.
"""
