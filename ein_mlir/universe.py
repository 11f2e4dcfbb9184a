"""The plug-in for xDSL: the tables of all dialects, passes and targets.

`ein-opt` and the stock `xdsl-opt` both read these tables through the entry point group
`xdsl.universe`. The name is the address: the pass ``raise-scans`` of phi is the class
``RaiseScansPass`` in ``passes/phi/raise_scans.py``. A module is imported when its pass is used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

_DIALECTS = {"phi": "Phi", "yarr": "Yarr", "emitpy": "EmitPy", "sigma": "Sigma", "rho": "Rho"}
"""Name of a dialect -> the object, in ``dialects/NAME``."""

_PASSES = {
    "common": (
        "eliminate-common-subexpressions",
        "permit-fastmath",
        "print-shape-demand",
        "simplify",
    ),
    "phi": (
        "add-in-place",
        "block-reductions",
        "bound-varying-sizes",
        "carry-prefixes",
        "carry-values",
        "carry-varying-sizes",
        "check-bounds",
        "copy-slices",
        "delinearize-indices",
        "differentiate",
        "drop-copies",
        "exit-settled-folds",
        "expand-nan-propagation",
        "extend-small-floats",
        "fill-varying-arrays",
        "fuse-comprehensions",
        "gather-contributions",
        "guard-branches",
        "hoist-assertions",
        "hoist-reads",
        "hoist-recurrences",
        "inline-calls",
        "interchange-accumulations",
        "interchange-comprehensions",
        "interchange-folds",
        "coalesce-folds",
        "interchange-reductions",
        "keep-demanded",
        "linearize",
        "measure-varying-sizes",
        "merge-comprehensions",
        "multiply-in-pairs",
        "narrow-accumulators",
        "narrow-folds",
        "outline",
        "pad-windows",
        "print-loops",
        "print-size-equivalence",
        "raise-counted-loops",
        "raise-reductions",
        "raise-rotations",
        "raise-scans",
        "raise-searches",
        "raise-segment-reductions",
        "raise-top-k",
        "raise-updates",
        "read-initial-elements",
        "raise-running-values",
        "raise-writes",
        "remove-proven-assertions",
        "scalarize-small-arrays",
        "share-elements",
        "share-neighbours",
        "share-windows",
        "sieve-folds",
        "simplify-arithmetic",
        "sink-into-branches",
        "skew-folds",
        "split-cases",
        "split-index-ranges",
        "split-masks",
        "split-recurrences",
        "split-sums",
        "store-terms",
        "struct-of-arrays",
        "transpose-linear",
        "unify-sizes",
        "unroll-folds",
    ),
    "rho": ("rewrite-by-demand",),
    "yarr": (
        "carry-written-elements",
        "fuse-sibling-folds",
        "lead-with-short-axes",
        "narrow-arrays",
        "narrow-integers",
        "outline-sizes",
        "raise-contractions",
        "raise-convolutions",
        "raise-scatters",
        "share-padding",
        "sink-transposes",
        "skip-empty-parts",
        "tile-parallel-axes",
    ),
    "emitpy": (
        "avoid-branches",
        "emitpy-cse",
        "emitpy-free-early",
        "fuse-torch-calls",
        "hoist-buffers",
        "hoist-invariants",
        "inline-helpers",
        "reuse-buffers",
        "shorten-lifetimes",
        "sink-selections",
        "unbind-rows",
        "unroll-single-blocks",
        "use-python-numbers",
        "wrap-numbers",
        "write-into-results",
    ),
    "loops": (
        "block-functions",
        "carry-stored-elements",
        "delay-carried-operands",
        "exit-settled-loops",
        "expand-math",
        "forward-copies",
        "hoist-reciprocals",
        "interchange-loops",
        "merge-branches",
        "narrow-loops",
        "permute-buffers",
        "promote-small-arrays",
        "raise-products",
        "search-blocks",
        "shorten-integers",
        "sink-loops",
        "split-loops",
        "transpose-operands",
        "unroll-short-loops",
        "version-loops",
    ),
    "conversions": (
        "convert-loops-to-llvm",
        "convert-phi-to-loops",
        "convert-phi-to-yarr",
        "convert-rho-to-phi",
        "convert-yarr-to-jax",
        "convert-yarr-to-numpy",
        "convert-yarr-to-torch",
    ),
}
"""Folder of ``passes/`` -> the flags of the passes in it."""

_LOOKS_FOR = {
    ("phi.FoldOp",): (
        "block-reductions",
        "carry-prefixes",
        "coalesce-folds",
        "hoist-recurrences",
        "interchange-folds",
        "interchange-reductions",
        "multiply-in-pairs",
        "narrow-folds",
        "pad-windows",
        "raise-running-values",
        "raise-segment-reductions",
        "share-windows",
        "sieve-folds",
        "skew-folds",
        "split-masks",
        "split-recurrences",
        "split-sums",
        "store-terms",
        "unroll-folds",
    ),
    ("phi.FoldOp", "phi.WhileOp"): (
        "bound-varying-sizes",
        "carry-values",
        "exit-settled-folds",
        "raise-scans",
        "raise-searches",
        "scalarize-small-arrays",
    ),
    ("phi.WhileOp",): ("raise-counted-loops",),
    ("phi.UpdateOp",): ("raise-writes",),
    ("phi.AccumulateOp", "phi.FoldOp"): ("gather-contributions",),
    ("arith.SelectOp", "phi.AccumulateOp", "phi.UpdateOp"): ("add-in-place",),
    ("phi.AssertEqOp",): ("remove-proven-assertions",),
    ("arith.AndIOp", "arith.OrIOp", "arith.SelectOp"): ("sink-into-branches",),
    ("arith.AndIOp", "arith.OrIOp", "arith.SelectOp", "phi.UpdateOp"): ("raise-updates",),
    ("arith.CmpiOp", "math.AbsIOp", "phi.UpdateOp"): ("split-index-ranges",),
    ("yarr.FoldOp",): ("fuse-sibling-folds", "raise-convolutions"),
    ("yarr.AccumulateOp",): ("raise-scatters",),
    ("yarr.ReduceOp",): ("raise-contractions",),
    ("emitpy.ForOp",): ("unbind-rows", "use-python-numbers"),
}
"""Classes of operations -> passes that look for them, and that take long to import."""

_CHOICES = ("arith.CmpfOp", "arith.CmpiOp", "arith.SelectOp")

_BESIDE = {
    _CHOICES: ("raise-searches", "split-sums"),
    (*_CHOICES, "phi.AccumulateOp"): ("raise-segment-reductions",),
    (
        *_CHOICES,
        "arith.AddiOp",
        "arith.AndIOp",
        "arith.MaxSIOp",
        "arith.MaximumfOp",
        "arith.MinSIOp",
        "arith.MinimumfOp",
        "arith.OrIOp",
        "arith.SubiOp",
        "math.AbsFOp",
        "math.AbsIOp",
        "sigma.SignOp",
    ): ("raise-scans",),
}
"""Classes of operations -> passes of these that need one of them, too."""

_TARGETS = {
    "dot": ("ein_mlir.drawing.graph", "DotTarget"),
    "llvm-ir": ("ein_mlir.targets.llvm_ir.printer", "LlvmIrTarget"),
    "rho": ("ein_mlir.targets.rho.printer", "RhoTarget"),
    "python": ("ein_mlir.targets.python.printer", "PythonTarget"),
}
"""Name after `-t` -> module and class."""


def _load(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def module_of(folder: str, flag: str) -> str:
    """The module of a pass."""
    return f"ein_mlir.passes.{folder}.{flag.replace('-', '_')}"


def class_of(flag: str) -> str:
    """The name of the class of a pass.

    >>> class_of("raise-top-k")
    'RaiseTopKPass'
    """
    return "".join(map(str.capitalize, flag.split("-"))) + "Pass"


DIALECTS: dict[str, Callable[[], Dialect]] = {
    name: partial(_load, f"ein_mlir.dialects.{name}", dialect)
    for name, dialect in _DIALECTS.items()
}
"""Name of a dialect -> its loader."""

PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    flag: partial(_load, module_of(folder, flag), class_of(flag))
    for folder, flags in _PASSES.items()
    for flag in flags
}
"""Flag of a pass -> the loader of its class."""

LOOKS_FOR = {flag: frozenset(names) for names, flags in _LOOKS_FOR.items() for flag in flags}
"""Flag of a pass -> the classes of operations that it has no work without: ``phi.FoldOp``."""

BESIDE = {flag: frozenset(names) for names, flags in _BESIDE.items() for flag in flags}
"""Flag of a pass -> the classes of which it needs one beside those, if it needs any."""

FOLDERS = {flag: folder for folder, flags in _PASSES.items() for flag in flags}
"""Flag of a pass -> its folder in ``passes/``, and in the tests."""

TARGETS: dict[str, Callable[[], type[Target]]] = {
    name: partial(_load, *place) for name, place in _TARGETS.items()
}
"""Name after `-t` -> the loader of its class."""

EIN_UNIVERSE = Universe(all_dialects=DIALECTS, all_passes=PASSES, all_targets=TARGETS)
"""The object that the entry point refers to."""
