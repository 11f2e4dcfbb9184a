"""A compiler for pointful array programs: Ein to Phi, Phi to Yarr, Yarr to array libraries.

A program defines the element at each index; the compiler turns it into calls on whole arrays:

>>> import numpy as np
>>> from ein_mlir import array, fold_sum, function
>>> @function
... def pairwise_l1(a):
...     return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - a[j, k])))
>>> pairwise_l1(np.array([[0.0, 1.0], [2.0, 4.0]]))
array([[0., 5.],
       [5., 0.]])

Importing this module loads NumPy, and neither xDSL nor any backend: the compiler is loaded on first
use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ein_mlir import random as random
from ein_mlir.errors import (
    CompilationError,
    EinAttributeError,
    EinError,
    EinIndexError,
    EinKeyError,
    EinPerformanceWarning,
    EinTypeError,
    EinValueError,
    MissingBackendError,
    ScopeError,
    SizeInferenceError,
)
from ein_mlir.frontend.accumulation import accumulate
from ein_mlir.frontend.annotations import matrix_type, ndarray_type, scalar_type, vector_type
from ein_mlir.frontend.combinators import array, concat, fold, fold_while, where
from ein_mlir.frontend.complex_numbers import Complex
from ein_mlir.frontend.derivatives import grad, hessian, jacobian, jvp, value_and_grad, vjp
from ein_mlir.frontend.elementary import (
    acos,
    asin,
    atan,
    atan2,
    cbrt,
    ceil,
    cos,
    cosh,
    erf,
    exp,
    exp2,
    expm1,
    floor,
    log,
    log1p,
    log2,
    log10,
    max,
    min,
    round,
    rsqrt,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from ein_mlir.frontend.evaluation import set_numpy_backend
from ein_mlir.frontend.extrinsics import ext
from ein_mlir.frontend.function import Function, evaluate, export, function
from ein_mlir.frontend.index_sets import Along, Index, Prod, pair
from ein_mlir.frontend.inputs import wrap
from ein_mlir.frontend.reductions import (
    fold_all,
    fold_any,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_min,
    fold_prod,
    fold_sum,
    reduce_all,
    reduce_any,
    reduce_argmax,
    reduce_argmin,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
    scan,
)
from ein_mlir.frontend.sorting import argsort, filter, searchsorted, sort, top_k, unique
from ein_mlir.frontend.values import Bool, Float, Int, Scalar, Vec
from ein_mlir.frontend.values.library_calls import library_advice
from ein_mlir.host.arrays import ShapedArray

if TYPE_CHECKING:
    from ein_mlir.backends.native.settings import release_memory, set_memory_bound
    from ein_mlir.backends.native.threads import set_num_threads
    from ein_mlir.code_cache import clear_cache
    from ein_mlir.compiler import CompiledFunction
    from ein_mlir.compiler import compile as compile
    from ein_mlir.pipelines import register, run_pipeline

__version__ = "0.1.0"

_LAZY = {
    "CompiledFunction": "ein_mlir.compiler",
    "clear_cache": "ein_mlir.code_cache",
    "compile": "ein_mlir.compiler",
    "register": "ein_mlir.pipelines",
    "release_memory": "ein_mlir.backends.native.settings",
    "set_memory_bound": "ein_mlir.backends.native.settings",
    "set_num_threads": "ein_mlir.backends.native.threads",
    "run_pipeline": "ein_mlir.pipelines",
}
"""Names that need xDSL -> their modules, imported on first use."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        advice = library_advice(name)
        hint = "" if advice is None else f": write {advice}"
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


__all__ = [
    "Along",
    "Bool",
    "CompilationError",
    "CompiledFunction",
    "Complex",
    "EinAttributeError",
    "EinError",
    "EinIndexError",
    "EinKeyError",
    "EinPerformanceWarning",
    "EinTypeError",
    "EinValueError",
    "Float",
    "Function",
    "Index",
    "Int",
    "MissingBackendError",
    "Prod",
    "Scalar",
    "ScopeError",
    "ShapedArray",
    "SizeInferenceError",
    "Vec",
    "accumulate",
    "acos",
    "argsort",
    "array",
    "asin",
    "atan",
    "atan2",
    "cbrt",
    "ceil",
    "clear_cache",
    "concat",
    "cos",
    "cosh",
    "erf",
    "evaluate",
    "exp",
    "exp2",
    "expm1",
    "export",
    "ext",
    "filter",
    "floor",
    "fold",
    "fold_all",
    "fold_any",
    "fold_argmax",
    "fold_argmin",
    "fold_max",
    "fold_min",
    "fold_prod",
    "fold_sum",
    "fold_while",
    "function",
    "grad",
    "hessian",
    "jacobian",
    "jvp",
    "log",
    "log1p",
    "log2",
    "log10",
    "matrix_type",
    "max",
    "min",
    "ndarray_type",
    "pair",
    "reduce_all",
    "reduce_any",
    "reduce_argmax",
    "reduce_argmin",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "register",
    "release_memory",
    "round",
    "rsqrt",
    "run_pipeline",
    "scalar_type",
    "scan",
    "searchsorted",
    "set_memory_bound",
    "set_num_threads",
    "set_numpy_backend",
    "sign",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "tan",
    "tanh",
    "top_k",
    "unique",
    "value_and_grad",
    "vector_type",
    "vjp",
    "where",
    "wrap",
]
