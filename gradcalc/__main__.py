"""`python -m gradcalc`."""

from .cli.main import main

main()
