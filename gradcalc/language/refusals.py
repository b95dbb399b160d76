"""Functions of the libraries that are refused on purpose: why, and what works instead.

Everything else that a library has and the catalogue lacks is missing, not refused. A name stands for the function of
every library that has it, or with a library before it (`numpy.put`) for that library's, with the type of its arrays too
(`numpy.ndarray.put`) for their method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .dialects import PREFIXES
from .syntax import Attribute, Call
from .values import short

RANDOM = "random"
COMPLEX = "complex"
SHAPE = "data-dependent shape"
IN_PLACE = "in place"
FILES = "input/output"
FLAT = "not differentiable and not a helper"
CODE = "takes or makes a Python function"
INTERNAL = "an internal variant of another function"


class Refusal(NamedTuple):
    """Why a function is refused, in words that follow its name, and what to do instead if anything is near."""

    kind: str
    reason: str
    help: str = ""


INPUT = "random numbers come from an input"
_MASK = "boolean indexing works: `x[mask]`"
_PARTS = "real and imaginary parts are two real arrays here"
_LEFT_OUT = "leave it out"

_GROUPS: tuple[tuple[Refusal, str], ...] = (
    # random
    (
        Refusal(RANDOM, "draws random numbers", INPUT),
        """rand rand_like randint randint_like randn randn_like randperm normal poisson bernoulli multinomial
        binomial""",
    ),
    (Refusal(RANDOM, "adds random noise", "add noise from an input, then `softmax`"), "gumbel_softmax"),
    (
        Refusal(RANDOM, "chooses its windows at random", "`max_pool2d` has windows that are known"),
        """fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d
        fractional_max_pool3d_with_indices""",
    ),
    (
        Refusal(RANDOM, "starts from random vectors", "`svd` and `eigh` are exact"),
        "svd_lowrank pca_lowrank lobpcg",
    ),
    (
        Refusal(RANDOM, "belongs to a random generator", "`--rng N` chooses other random numbers for the inputs"),
        """manual_seed seed initial_seed get_rng_state set_rng_state thread_safe_generator""",
    ),
    # complex
    (
        Refusal(COMPLEX, "gives complex numbers, which are not read here"),
        """fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn hfft ihfft hfft2 ihfft2 hfftn ihfftn
        stft istft wofz""",
    ),
    (
        Refusal(COMPLEX, "makes complex numbers, which are not read here", _PARTS),
        "complex torch.polar view_as_complex view_as_complex_copy cfloat cdouble chalf sph_harm_y sort_complex",
    ),
    (
        Refusal(COMPLEX, "takes complex numbers, which are not read here", _PARTS),
        "view_as_real view_as_real_copy torch.imag real_if_close",
    ),
    (
        Refusal(COMPLEX, "asks whether numbers are complex: none is here", _LEFT_OUT),
        "is_conj is_neg",
    ),
    (
        Refusal(COMPLEX, "gives the roots of a polynomial, which are complex in general"),
        "roots",
    ),
    # shapes that depend on the values
    (
        Refusal(SHAPE, "has a shape that depends on the values", _MASK),
        """nonzero argwhere flatnonzero nonzero_static unique unique_all unique_counts unique_inverse unique_values
        unique_consecutive intersect1d union1d setdiff1d setxor1d trim_zeros""",
    ),
    (Refusal(SHAPE, "drops zeros from the remainder, so its shape depends on the values"), "polydiv"),
    # in place
    (
        Refusal(IN_PLACE, "changes its first argument in place", "assign to elements: `x[i] = y`"),
        """copyto putmask numpy.put numpy.place numpy.put_along_axis numpy.fill_diagonal
        numpy.ndarray.put numpy.ndarray.fill numpy.ndarray.resize numpy.ndarray.setfield numpy.ndarray.setflags
        torch.Tensor.resize resize_as set_ module_load""",
    ),
    (
        Refusal(IN_PLACE, "changes the array in place", "the function gives a new one: `np.sort(x)`, `torch.sort(x)`"),
        "numpy.ndarray.sort numpy.ndarray.partition",
    ),
    (
        Refusal(IN_PLACE, "changes its first argument in place", "`add_at(x, s_[i], v)` is what it leaves behind"),
        """numpy.add.at numpy.subtract.at numpy.multiply.at numpy.divide.at numpy.maximum.at numpy.minimum.at
        numpy.power.at""",
    ),
    # files, screens and settings
    (
        Refusal(FILES, "reads or writes files", "files are read as inputs: `--x x.npy`; `-o FILE` writes a result"),
        """load save savez savez_compressed savetxt loadtxt genfromtxt fromfile fromregex tofile dump dumps tobytes
        from_file""",
    ),
    (
        Refusal(FILES, "reads numbers from text or memory", 'give them as an input: `--x "[1, 2]"`'),
        """fromstring frombuffer fromiter from_dlpack to_dlpack
        import_ir_module import_ir_module_from_buffer parse_ir parse_schema parse_type_comment
        merge_type_from_type_comment""",
    ),
    (
        Refusal(FILES, "makes text of an array", "`--format` and `--precision` say how results are printed"),
        """array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific
        datetime_as_string tolist""",
    ),
    (
        Refusal(FILES, "sets or shows how a library works, which changes no value here", _LEFT_OUT),
        """set_printoptions get_printoptions printoptions seterr geterr seterrcall geterrcall setbufsize getbufsize
        show_config show_runtime info test get_include typename
        are_deterministic_algorithms_enabled use_deterministic_algorithms get_deterministic_debug_mode
        set_deterministic_debug_mode is_deterministic_algorithms_warn_only_enabled
        autocast_increment_nesting autocast_decrement_nesting clear_autocast_cache get_autocast_cpu_dtype
        get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype
        is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled
        is_autocast_xla_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled
        set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype
        set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled
        compiled_with_cxx11_abi cudnn_is_acceptable get_default_device get_default_dtype get_device_module get_file_path
        get_float32_matmul_precision get_num_interop_threads get_num_threads init_num_threads
        is_anomaly_check_nan_enabled is_anomaly_enabled is_grad_enabled is_inference_mode_enabled is_vulkan_available
        is_warn_always_enabled prepare_multiprocessing_environment
        profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 set_anomaly_enabled set_default_device set_default_dtype
        set_default_tensor_type set_float32_matmul_precision set_flush_denormal set_num_interop_threads
        set_num_threads set_warn_always fork wait unify_type_list get_scaled_dot_general_config
        record_stream pin_memory to_mkldnn""",
    ),
    # Python functions
    (
        Refusal(CODE, "differentiates", "leave it out: `gradcalc grad` does that with the expression itself"),
        "grad value_and_grad jacfwd jacrev jacobian hessian vjp jvp linearize checkpoint custom_jvp custom_vjp",
    ),
    (
        Refusal(CODE, "calls a function that it is given", "write the loop yourself: `[f(x) for x in xs]`"),
        """apply_along_axis apply_over_axes frompyfunc fromfunction mask_indices piecewise vectorize vmap
        pmap while_loop fori_loop scan switch associative_scan reduceat
        torch.cond boolean_dispatch compile map_ map2_ apply_ register_hook register_post_accumulate_grad_hook
        classproperty handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic""",
    ),
    # flat, and of no use to what is not
    (
        Refusal(FLAT, "works on the bits of whole numbers, which has no derivative"),
        """bitwise_count bitwise_left_shift
        bitwise_right_shift left_shift right_shift packbits unpackbits""",
    ),
    (Refusal(FLAT, "is about whole numbers, so it has no derivative"), "jax.scipy.special.bernoulli"),
    (
        Refusal(FLAT, "is about how numbers are stored, which has no derivative"),
        """nextafter spacing can_cast common_type isdtype issubdtype min_scalar_type mintypecode promote_types
        result_type isfortran may_share_memory shares_memory nested_iters element_size is_signed
        is_storage is_tensor is_nonzero is_same_size is_distributed is_inference is_contiguous is_pinned is_set_to
        is_shared is_coalesced data_ptr const_data_ptr storage storage_offset storage_type untyped_storage stride
        dim_order get_device qscheme as_subclass isscalar iterable byteswap numpy.ndarray.view getfield einsum_path
        sym_constrain_range sym_constrain_range_for_size sym_float sym_fresh_size sym_int sym_ite sym_max sym_min
        sym_not sym_sqrt sym_sum assert_int_or_pair hash_tensor""",
    ),
    (
        Refusal(FLAT, "counts elements in intervals, which has no derivative", "count with `sum(real(x > a))`"),
        "histogram histogram2d histogramdd histogram_bin_edges histc",
    ),
    (
        Refusal(FLAT, "gives one truth value for all elements", "`all(isclose(x, y))`"),
        "allclose array_equal array_equiv",
    ),
    (Refusal(FLAT, "asks which elements are among others", "compare: `(x == 1) | (x == 2)`"), "isin"),
    (
        Refusal(FLAT, "makes a `np.matrix`, whose `*` means something else", "arrays are multiplied by `@`"),
        "asmatrix bmat",
    ),
    (
        Refusal(FLAT, "gives a factor in a form that only LAPACK reads", "`linalg.qr(x)`, or `solve(x, b)`"),
        "geqrf ldl_factor ldl_factor_ex ldl_solve",
    ),
    (
        Refusal(FLAT, "has been taken out of PyTorch", "see `torch.linalg`"),
        """symeig reinforce new torch.eig torch.lstsq torch.matrix_rank torch.solve torch.Tensor.eig torch.Tensor.lstsq
        torch.Tensor.solve""",
    ),
    (
        Refusal(FLAT, "rounds to whole numbers of eight bits, which wrap round", "`trunc(x)`"),
        "byte char",
    ),
    (
        Refusal(FLAT, "is about dates"),
        "busday_count busday_offset is_busday datetime_data isnat",
    ),
    (
        Refusal(FLAT, "computes in low precision"),
        """choose_qparams_optimized dequantize empty_quantized fake_quantize_per_channel_affine
        fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation
        fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight
        fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix fused_moving_avg_obs_fake_quant int_repr
        q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point quantize_per_channel
        quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru quantized_gru_cell
        quantized_lstm quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d
        quantized_rnn_relu_cell quantized_rnn_tanh_cell scaled_matmul scaled_dot_general scaled_mm
        scaled_grouped_mm""",
    ),
    (
        Refusal(FLAT, "is for sparse matrices; all are dense here"),
        """ccol_indices ccol_indices_copy coalesce col_indices col_indices_copy crow_indices crow_indices_copy dense_dim
        dsmm hsmm hspmm indices_copy torch.Tensor.indices row_indices row_indices_copy saddmm smm spmm sspaddmm
        sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor
        sparse_csr_tensor sparse_dim sparse_mask sparse_resize_ to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo
        to_sparse_csc to_sparse_csr values values_copy to_padded_tensor""",
    ),
    (
        Refusal(INTERNAL, "is for one kind of hardware", "the function without the prefix is the same"),
        """cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu
        cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler miopen_batch_norm miopen_convolution
        miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss
        miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution
        mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer grouped_mm""",
    ),
    (
        Refusal(INTERNAL, "is a step of `batch_norm`", "`F.batch_norm` does them all"),
        """batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
        batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats""",
    ),
    (
        Refusal(INTERNAL, "copies what it gives, as every function does here", "the name without `_copy` is the same"),
        """alias_copy detach_copy diagonal_copy expand_copy permute_copy select_copy slice_copy split_copy
        split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unsqueeze_copy view_copy
        as_strided_copy""",
    ),
    (
        Refusal(INTERNAL, "is an older form of a norm", "`torch.linalg.vector_norm`, `torch.linalg.matrix_norm`"),
        "frobenius_norm native_norm",
    ),
    (Refusal(INTERNAL, "is a part of PyTorch's indexing", "`x[i]`"), "slice_inverse torch.Tensor.index"),
    (
        Refusal(FLAT, "gives what the memory happens to hold", "`zeros` has known elements"),
        "empty_permuted empty_strided new_empty_strided",
    ),
)

REFUSED: dict[str, Refusal] = {name: refusal for refusal, names in _GROUPS for name in names.split()}
"""The functions that are refused, by name."""

ROOMS: dict[str, Refusal] = {
    "fft": Refusal(COMPLEX, "works with complex numbers, which are not read here"),
    "random": REFUSED["rand"],
    "sparse": REFUSED["to_sparse"],
    "quantized": REFUSED["quantize_per_tensor"],
    "distributions": Refusal(RANDOM, "belongs to random distributions", INPUT),
    "ma": Refusal(FLAT, "is for masked arrays", _MASK),
    "testing": Refusal(FILES, "tests something", "`gradcalc check` compares with SymPy"),
    "utils": Refusal(FILES, "does not compute with numbers", _LEFT_OUT),
    "autograd": Refusal(CODE, "differentiates", "leave it out: gradcalc does that with its expression"),
    "cuda": REFUSED["seterr"],
    "backends": REFUSED["seterr"],
}
"""Rooms of the libraries of which everything is refused that the catalogue lacks: `np.fft.X`, `torch.random.X`."""

LEAVE_OUT: dict[str, str] = {
    "backward": "leave it out: `grad` differentiates, and its argument is `--seed`",
    "cpu": "leave it out",
    "cuda": "leave it out",
    "xpu": "leave it out",
    "ipu": "leave it out",
    "mtia": "leave it out",
    "to_device": "leave it out",
    "to_dense": "leave it out: all arrays are dense",
    "numpy": "leave it out",
    "requires_grad_": "leave it out; `--wrt` says what is differentiated by",
    "retain_grad": "leave it out; `--wrt` says what is differentiated by",
    "zero_": "leave it out: nothing accumulates between commands",
    "zero_grad": "leave it out: nothing accumulates between commands",
    "step": "leave it out: gradcalc differentiates, and trains nothing",
}
"""Methods of arrays that have no meaning here, and what to do instead."""

_IN_PLACE = {"add_": "+", "sub_": "-", "mul_": "*", "div_": "/", "pow_": "**", "matmul_": "@"}
"""Methods that change an array by what an operator computes."""


def refusal_of(words: Sequence[str], method_of: str = "") -> Refusal | None:
    """Why a function of this dotted name is refused; None where it is only missing.

    Of a method there is its name alone, and `method_of` is the library that the text follows.
    """
    refusal = just_refused(words, method_of) or REFUSED.get(words[-1])
    if refusal is not None:
        return refusal
    room = next((ROOMS[word] for word in words[1:-1] if word in ROOMS), None)
    if room is None and changes_in_place(words[-1]) and _library(words) in ("", "torch"):
        return Refusal(IN_PLACE, "changes its argument in place")
    return room


def just_refused(words: Sequence[str], method_of: str = "") -> Refusal | None:
    """Why just this library's function, or method, is refused, whatever others mean by the name."""
    if method_of:
        return REFUSED.get(f"{method_of}.{_ARRAYS.get(method_of, 'ndarray')}.{words[-1]}")
    return REFUSED.get(".".join([_library(words), *words[1:]])) if len(words) > 1 else None


_ARRAYS = {"torch": "Tensor"}
"""What a library calls its arrays, where it is not NumPy's name."""


def _library(words: Sequence[str]) -> str:
    return PREFIXES.get(words[0], "") if len(words) > 1 else ""


def changes_in_place(name: str) -> bool:
    """Whether a name is, in PyTorch's way of naming, of a function that changes its first argument."""
    return name.endswith("_") and not name.startswith("_") and name.rstrip("_") != ""


def helps_for(refusal: Refusal, words: Sequence[str], call: Call) -> list[str]:
    """What to write instead of a call that is refused, in the call's own words."""
    arguments = [short(argument.span.text, 20) for argument in call.arguments]
    if refusal.kind == IN_PLACE and changes_in_place(words[-1]):
        return [_assigned(words, call, arguments)]
    if refusal.help == INPUT:
        example = f"{words[-1]}({', '.join(arguments)})" if words[-1] in _IN_INPUTS and arguments else "randn(3)"
        return [f'{INPUT}: `--x "{example}"`']
    return [refusal.help] if refusal.help else []


_IN_INPUTS = ("rand", "randn", "randint", "normal", "uniform")
"""Random functions that the value of an input may use."""


def _assigned(words: Sequence[str], call: Call, arguments: list[str]) -> str:
    """`x = x + 1` for `x.add_(1)`, `x = torch.relu(x)` for `torch.relu_(x)`."""
    function, name, plain = call.function, words[-1], ".".join(words).rstrip("_")
    if len(words) > 1:
        owner, value = arguments[0] if arguments else "x", f"{plain}({', '.join(arguments)})"
    else:
        owner = short(function.value.span.text) if isinstance(function, Attribute) else "x"
        value = f"{owner}.{plain}({', '.join(arguments)})"
        if name in _IN_PLACE and arguments:
            value = f"{owner} {_IN_PLACE[name]} {arguments[0]}"
    return f"write `{owner} = {value}`" if owner.isidentifier() else f"write `{value}`"
