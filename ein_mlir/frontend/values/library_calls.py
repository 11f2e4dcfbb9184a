"""Calls of libraries with staged values: operators of NumPy scalars, and advice on all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ein_mlir.errors import EinTypeError
from ein_mlir.host.arrays import is_array, is_numpy_scalar
from ein_mlir.host.locations import at

OPERATORS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "true_divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "mod": "%",
    "power": "**",
    "float_power": "**",
    "bitwise_and": "&",
    "logical_and": "&",
    "bitwise_or": "|",
    "logical_or": "|",
    "bitwise_xor": "^",
    "logical_xor": "^",
    "left_shift": "<<",
    "right_shift": ">>",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
"""Functions of NumPy -> the operator that staged values have."""

_REFLECTED = {
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "divide": "__rtruediv__",
    "true_divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__",
    "remainder": "__rmod__",
    "power": "__rpow__",
    "bitwise_and": "__rand__",
    "bitwise_or": "__ror__",
    "bitwise_xor": "__rxor__",
    "left_shift": "__rlshift__",
    "right_shift": "__rrshift__",
    "equal": "__eq__",
    "not_equal": "__ne__",
    "less": "__gt__",
    "less_equal": "__ge__",
    "greater": "__lt__",
    "greater_equal": "__le__",
}
"""Functions of NumPy -> the method of the right operand, if the left one is NumPy's."""

_TENSOR_OPERATORS = {
    *("add", "sub", "mul", "div", "pow", "eq", "ne", "lt", "le", "gt", "ge"),
    *("__rpow__", "__floordiv__", "remainder", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("__and__", "__or__", "__xor__", "__lshift__", "__rshift__"),
}
"""The methods of PyTorch's tensors that are operators."""

_SAME = (
    "sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt floor ceil sign "
    "asin acos atan atan2"
)
_METHODS = {*_SAME.split(), "rsqrt", "erf", "float", "int", "conj", "conjugate", "angle"}
"""The methods of numbers without arguments."""

_SCALAR_FUNCTIONS = {name: name for name in _SAME.split()} | {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "absolute": "abs",
    "fabs": "abs",
    "abs": "abs",
    "rint": "round",
    "round": "round",
    "maximum": "max",
    "fmax": "max",
    "minimum": "min",
    "fmin": "min",
}
"""Functions of NumPy and ``math`` -> those of Ein on scalars."""

_ARRAY_FUNCTIONS = {
    "sum": "fold_sum(lambda i: a[i])",
    "prod": "fold_prod(lambda i: a[i])",
    "mean": "fold_sum(lambda i: a[i]) / a.size().float()",
    "amax": "fold_max(lambda i: a[i])",
    "max": "fold_max(lambda i: a[i])",
    "amin": "fold_min(lambda i: a[i])",
    "min": "fold_min(lambda i: a[i])",
    "argmax": "fold_argmax(lambda i: a[i])",
    "argmin": "fold_argmin(lambda i: a[i])",
    "any": "fold_any(lambda i: a[i])",
    "all": "fold_all(lambda i: a[i])",
    "dot": "fold_sum(lambda k: a[k] * b[k])",
    "inner": "fold_sum(lambda k: a[k] * b[k])",
    "vdot": "fold_sum(lambda k: a[k] * b[k])",
    "matmul": "array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))",
    "transpose": "array(lambda i, j: a[j, i])",
    "T": "array(lambda i, j: a[j, i])",
    "outer": "array(lambda i, j: a[i] * b[j])",
    "where": "where(condition, a, b)",
    "clip": "x.clip(low, high)",
    "concatenate": "concat(a, b)",
    "append": "concat(a, b)",
    "sort": "sort(a)",
    "argsort": "argsort(a)",
    "unique": "unique(a)",
    "cumsum": "scan(a, 0.0, lambda x, y: x + y)",
    "cumprod": "scan(a, 1.0, lambda x, y: x * y)",
    "diagonal": "array(lambda i: a[i, i])",
    "trace": "fold_sum(lambda i: a[i, i])",
    "ravel": "array(lambda k: a[k // n, k % n], size=m * n)",
    "flatten": "array(lambda k: a[k // n, k % n], size=m * n)",
    "reshape": "array(lambda i, j: a[i * n + j], size=(m, n))",
    "copy": "a: values do not change",
    "ndim": "a.rank",
    "zeros_like": "array(lambda i: 0.0, size=a.size())",
    "ones_like": "array(lambda i: 1.0, size=a.size())",
    "at": "array(lambda i: where(i == position, value, a[i])): values do not change",
    "shape": "a.shape",
    "size": "a.size()",
    "length": "a.size()",
    "tolist": "a.eval().tolist()",
    "item": "a[0].eval()",
    "norm": "fold_sum(lambda i: a[i] * a[i]).sqrt()",
    "astype": "array(lambda i: a[i].float()), with .int() or != 0",
    "sorted": "sort(a)",
    "reversed": "a[::-1]",
    "map": "array(lambda i: f(a[i]))",
    "zip": "array(lambda i: ... a[i] ... b[i] ...) for each pair, or fold(...) for a loop",
    "enumerate": "array(lambda i: ... i ... a[i] ...) for each element, or fold(...) for a loop",
    "flip": "a[::-1]",
    "roll": "array(lambda i: a[(i - k) % a.size()], size=a.size())",
    "take": "array(lambda i: a[p[i]])",
    "tile": "array(lambda i: a[i % a.size()], size=k * a.size())",
    "repeat": "array(lambda i: a[i // k], size=k * a.size())",
    "stack": "array(lambda k, i: where(k == 0, a[i], b[i]), size=(2, None))",
    "diff": "array(lambda i: a[i + 1] - a[i], size=a.size() - 1)",
    "bincount": "accumulate(lambda i: (a[i], 1), size=n)",
    "histogram": "accumulate(lambda i: (bin(a[i]), 1), size=n)",
    "nonzero": "filter(array(lambda i: i, size=a.size()), lambda i: a[i] != 0)",
    "einsum": "array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j])), for 'ik,kj->ij'",
    "convolve": "array(lambda i: fold_sum(lambda k: where(i >= k, a[i - k], 0.0) * b[k]), size=n)",
    "var": "a fold_sum of squares of a[i] - mean",
    "std": "the sqrt() of a fold_sum of squares of a[i] - mean",
    "vmap": "array(lambda i: f(a[i]))",
    "cond": "where(c, a, b), which evaluates both",
    "fori_loop": "fold(init, lambda k, acc: ..., count=n)",
    "while_loop": "fold_while(init, cond, step)",
    "cummax": "scan(a, -math.inf, max)",
}
"""Functions of NumPy, JAX and Python -> expressions of Ein on arrays."""

_OF_LIBRARIES = {
    "zeros": "array(lambda i: 0.0, size=n)",
    "ones": "array(lambda i: 1.0, size=n)",
    "full": "array(lambda i: x, size=n)",
    "empty": "array(lambda i: 0.0, size=n)",
    "arange": "array(lambda i: i, size=n)",
    "range": "array(lambda i: i, size=n), or fold(init, lambda k, acc: ..., count=n) for a loop",
    "linspace": "array(lambda i: low + i.float() * step, size=n)",
    "eye": "array(lambda i, j: where(i == j, 1.0, 0.0), size=(n, n))",
    "identity": "array(lambda i, j: where(i == j, 1.0, 0.0), size=(n, n))",
    "asarray": "wrap(x)",
    "tensor": "wrap(x)",
    "constant": "wrap(x)",
    "jit": "function(f), which compiles; function(f, jit=True) for the compiler of the library",
    "njit": "function(f), and f.native(..) for machine code",
    "eval": "x.eval(), or evaluate((x, y))",
    "gradient": "grad(f)",
    "pi": "math.pi",
    "inf": "math.inf",
    "nan": "math.nan",
    "newaxis": "array(lambda i, j: a[i])",
}
"""Names of other libraries that make arrays or functions -> expressions of Ein."""


def library_advice(name: str) -> str | None:
    """The expression for a name of NumPy, PyTorch, JAX or Numba; None if there is none.

    >>> library_advice("zeros"), library_advice("sum"), library_advice("beta")
    ('array(lambda i: 0.0, size=n)', 'fold_sum(lambda i: a[i])', None)
    """
    return scalar_advice(name) or array_advice(name) or _OF_LIBRARIES.get(name)


_TESTS = {
    "isnan": "x != x",
    "isinf": "abs(x) == math.inf",
    "isfinite": "abs(x) < math.inf",
}
"""Functions of NumPy and ``math`` -> conditions of Ein on scalars."""


_SCALAR_METHODS = {
    **_TESTS,
    "astype": "x.float(), x.int() or x != 0",
    "item": "x.eval()",
    "tolist": "x.eval()",
}
"""Methods of NumPy -> expressions of Ein on scalars."""


_FUNCTION_ATTRIBUTES = {
    "backward": "grad(f) for the gradient, or call f on tensors with requires_grad",
    "shape": "f.shapes(..) for the shapes of its results",
    "dtype": "f.shapes(..) for the types of its results",
    "eval_shape": "f.shapes(..)",
    "jit": "function(f, jit=True)",
    "compile": "f(..), which compiles; function(f, jit=True) for the compiler of the library",
    "lower": "f.ir('yarr', ..)",
    "mlir": "f.phi(..)",
    "llvm": "f.ir('llvm', .., backend='native')",
    "code": "f.source(..)",
    "vmap": "array(lambda i: f(a[i]))",
    "map": "array(lambda i: f(a[i]))",
    "batch": "array(lambda i: f(a[i]))",
    "cpu": "f(..): arrays and tensors choose the device",
    "cuda": "f(..): arrays and tensors choose the device",
    "to": "f(..): arrays and tensors choose the device",
    "backend": "function(f, backend=..)",
    "naive": "f.eval(.., backend='naive')",
    "pytorch": "f.torch(..)",
    "args": "inspect.signature(f)",
    **{name: f"{name}(f, ..)" for name in ("value_and_grad", "vjp", "hessian", "export")},
    **{name: f"{name}(f)" for name in ("grad", "jacobian")},
    "jvp": "jvp(f, (x,), (dx,))",
}
"""Attributes that a function does not have -> expressions of Ein."""


def scalar_advice(name: str) -> str | None:
    """The expression that has the value of a function of NumPy or ``math``; None if there is none.

    >>> scalar_advice("arctan2"), scalar_advice("power"), scalar_advice("beta")
    ('atan2 of ein_mlir', '`x ** y`', None)
    """
    if name in OPERATORS:
        return f"`x {OPERATORS[name]} y`"
    if name in _TESTS:
        return f"`{_TESTS[name]}`"
    ours = _SCALAR_FUNCTIONS.get(name)
    return None if ours is None else "abs(x)" if ours == "abs" else f"{ours} of ein_mlir"


def array_advice(name: str) -> str | None:
    """The expression that has the value of a function of NumPy on arrays; None if there is none.

    >>> array_advice("sum"), array_advice("kron")
    ('fold_sum(lambda i: a[i])', None)
    """
    return _ARRAY_FUNCTIONS.get(name)


def function_advice(name: str) -> str | None:
    """The expression for an attribute that compiled functions lack; None if there is none.

    An attribute of arrays is one of the result.

    >>> function_advice("grad"), function_advice("cumsum"), function_advice("colour")
    ('grad(f)', 'f(..) first: this is the function, and not its result', None)
    """
    if name in _ARRAY_FUNCTIONS and name not in _FUNCTION_ATTRIBUTES:
        return "f(..) first: this is the function, and not its result"
    return _FUNCTION_ATTRIBUTES.get(name)


def scalar_method(name: str) -> str | None:
    """The method of numbers that computes a function of NumPy; None if there is none.

    >>> scalar_method("exp"), scalar_method("arcsin"), scalar_method("sum")
    ('exp', 'asin', None)
    """
    ours = _SCALAR_FUNCTIONS.get(name, name)
    return ours if ours in _METHODS and ours != "atan2" else None


def method_advice(name: str) -> str | None:
    """The expression that has the value of a method of NumPy's scalars; None if there is none.

    >>> method_advice("astype"), method_advice("sum")
    ('x.float(), x.int() or x != 0', None)
    """
    return _SCALAR_METHODS.get(name) or _SCALAR_FUNCTIONS.get(name)


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...]) -> Any:
    """The result of an operator with a NumPy value on the left; an error for other functions."""
    name = ufunc.__name__
    if method == "__call__" and name in _REFLECTED and len(inputs) == 2:
        left, right = inputs
        if is_array(left) or is_numpy_scalar(left):
            # NumPy makes a scalar an array without axes first.
            reflected: Callable[[Any], Any] = getattr(right, _REFLECTED[name])
            return reflected(np.asarray(left)[()])
    advice = scalar_advice(name)
    if method != "__call__":
        advice = _ARRAY_FUNCTIONS.get({"add": "sum", "multiply": "prod"}.get(name, ""))
    raise EinTypeError(_message(name, advice, "np", "numpy"))


def refuse_numpy(function: Callable[..., Any]) -> EinTypeError:
    """The error for a function of NumPy on arrays."""
    name = function.__name__
    library = ".".join(("np", *function.__module__.split(".")[1:]))
    return EinTypeError(_message(name, _advice(name), library, "numpy"))


def refuse_torch(name: str, args: Sequence[object]) -> EinTypeError:
    """The error for a function of PyTorch, or for an operator with a tensor on the left."""
    if name == "__getitem__":
        return EinTypeError(
            f"positions in tensors are concrete values, and these are staged: wrap() the tensor "
            f"and index it{at()}"
        )
    if name in _TENSOR_OPERATORS and args and is_array(args[0]):
        return refuse_array()
    return EinTypeError(_message(name, _advice(name), "torch", "torch"))


def refuse_array() -> EinTypeError:
    """The error for an operator on an array of a library."""
    return EinTypeError(
        f"operators act on scalars, not on arrays: wrap() the array and index it{at()}"
    )


def _advice(name: str) -> str | None:
    return _ARRAY_FUNCTIONS.get(name) or scalar_advice(name)


def _message(name: str, advice: str | None, library: str, method: str) -> str:
    instead = f"write {advice}" if advice else "write it with array(), fold() and scalar functions"
    return (
        f"{library}.{name} needs concrete values, and these are staged: {instead}, or "
        f".{method}(){at()}"
    )
