"""The Python names of emitpy: a closed vocabulary, so that IR never becomes arbitrary Python.

An operation of emitpy calls a function, a method or an attribute only if it is listed here. All of
them are pure: they read their arguments, touch no file, and run no text. A lowering that needs one
more adds it here.
"""

from __future__ import annotations

import keyword

from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Library:
    """A module that emitted code imports, and the names under it that emitpy may use."""

    module: str
    names: frozenset[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMPY_NAMES = _words("""
    abs absolute add all any arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh array
    ascontiguousarray bitwise_and bitwise_or bitwise_xor bool broadcast_shapes broadcast_to cbrt
    ceil clip complex128 complex64 concatenate copysign copyto cos cosh count_nonzero divide einsum
    empty equal errstate exp exp2 expm1 eye float16 float32 float64 floor floor_divide fmax fmin
    fmod full full_like greater greater_equal iinfo inf int16 int32 int64 int8 invert isfinite
    isinf isnan left_shift less less_equal log log10 log1p log2 logical_and logical_not logical_or
    logical_xor matmul max maximum min minimum mod multiply nan negative not_equal ones pad pi
    power prod remainder repeat reshape right_shift rint sign sin sinh sqrt squeeze stack subtract
    sum swapaxes take tan tanh tensordot transpose trunc uint16 uint32 uint64 uint8 where zeros
""")

LIBRARIES: dict[str, Library] = {
    "np": Library("numpy", _NUMPY_NAMES),
    "jnp": Library(
        "jax.numpy",
        _NUMPY_NAMES | _words("asarray bfloat16 diagonal") - _words("copyto errstate"),
    ),
    "torch": Library(
        "torch",
        _words("""
            abs acos acosh add addcmul arange asin asinh atan atan2 atanh bfloat16 bitwise_and
            bitwise_not bitwise_or bitwise_xor bool broadcast_shapes broadcast_to cat ceil clamp
            complex complex128 complex64 copysign cos cosh div einsum empty erf exp exp2 expm1
            float16 float32 float64 floor fmax fmin fmod full full_like inf int16 int32 int64 int8
            layer_norm log log10 log1p log2 log_softmax maximum minimum mul nan neg
            nn.functional.gelu nn.functional.leaky_relu nn.functional.silu ones pow relu rms_norm
            round rsqrt sigmoid sign sin sinh softmax sqrt sub tan tanh tensor trunc uint16 uint32
            uint64 uint8 where zeros
        """),
    ),
    "lax": Library("jax.lax", _words("clz complex erf optimization_barrier stop_gradient")),
}
"""Name of a library in emitted code -> the library."""

WRITING_HELPERS = frozenset(("np.choose_into", "torch.compute_into"))
"""The functions of preludes that write to their first argument."""

WRITE_TO_FIRST = WRITING_HELPERS | {"np.copyto"}
"""The functions that write to their first argument; others write to the argument ``out``."""

CALLED_AS_METHODS = frozenset(("np.take", "np.transpose"))
"""The functions that are methods of their first argument, and take 0.5 us to find that out."""

BUILTINS = _words("abs bool float int len max min tuple")
"""The builtin functions that emitpy may call."""

METHODS = _words("""
    accumulate all any astype bit_length clamp clone copy cumprod cumsum dot flip index_select max
    min narrow permute prod ravel reduce repeat reshape sum swapaxes take to tolist transpose view
""")
"""The methods that emitpy may call."""

ATTRIBUTES = _words("T data device dtype imag max min ndim real shape size")
"""The attributes that emitpy may read."""

EXCEPTIONS = _words("ValueError")
"""The exceptions that emitpy may raise."""

BINARY_OPERATORS = _words("or and == != < <= > >= | ^ & << >> + - * / // % @ **")
"""The operators between two operands."""

AUGMENTED_OPERATORS = _words("+ - * / // % ** @ << >> & | ^")
"""The operators of augmented assignments."""

UNARY_OPERATORS = _words("- ~ not")
"""The operators before one operand."""


def is_identifier(text: str) -> bool:
    """Whether a text is a Python name that a program may use: no keyword, no dunder.

    >>> [is_identifier(text) for text in ("x1", "class", "__import__", "a.b", "a b", "")]
    [True, False, False, False, False, False]
    """
    return (
        text.isidentifier()
        and text.isascii()
        and not keyword.iskeyword(text)
        and not text.startswith("__")
    )


def is_library_name(text: str) -> bool:
    """Whether a dotted name is in the table of a library.

    >>> [is_library_name(text) for text in ("np.sin", "np.load", "os.system", "sin", "np.sin.x")]
    [True, False, False, False, False]
    """
    alias, _, name = text.partition(".")
    return alias in LIBRARIES and name in LIBRARIES[alias].names
