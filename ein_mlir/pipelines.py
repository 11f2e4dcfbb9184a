"""Named pipelines as data, and a function that runs them.

A pipeline is a tuple of passes, each written as on the command line of ``ein-opt``, with its
options: ``"canonicalize"``, ``"raise-writes{scans=false}"``. A pipeline without the pass of an
optimisation does not perform it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.arg_spec import parse_pipeline

from ein_mlir.analysis.manager import AnalysisManager, functions_of, names_of
from ein_mlir.analysis.notes import Note, no_note
from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.garbage import rare_collections
from ein_mlir.host.locations import reported
from ein_mlir.rewriting.passes import FixpointPass, FunctionPass
from ein_mlir.universe import BESIDE, EIN_UNIVERSE, LOOKS_FOR


def _changed(pipeline: Sequence[str], changes: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """A pipeline with other passes in the place of some, which it has."""
    assert changes.keys() <= set(pipeline), changes.keys() - set(pipeline)
    return tuple(flag for step in pipeline for flag in changes.get(step, (step,)))


_RUNNING = "raise-running-values{derivatives=true differentiable=true}"
_OUTLINE = "outline{derivatives=true}"

EXPAND_DERIVATIVES = (
    "inline-calls",
    "struct-of-arrays{derivatives=true}",
    "raise-counted-loops{derivatives=true}",
    "coalesce-folds{derivatives=true}",
    "raise-segment-reductions{derivatives=true}",
    _RUNNING,
    _OUTLINE,
    "remove-proven-assertions{derivatives=true}",
    "raise-updates{derivatives=true}",
    "share-windows{derivatives=true}",
    "share-neighbours{derivatives=true}",
    "merge-comprehensions{work=true derivatives=true}",
    "raise-rotations{derivatives=true}",
    "differentiate",
)
"""phi to phi: removes calls and derivatives."""

_SCANS_IN_DERIVATIVES = "raise-scans{derivatives=true differentiable=true once=true}"

_OUTLINE_LOOPS = (_SCANS_IN_DERIVATIVES, _OUTLINE, "share-elements{derivatives=true}", _OUTLINE)

PHI_SIMPLIFY = (
    *_changed(EXPAND_DERIVATIVES, {_OUTLINE: _OUTLINE_LOOPS}),
    "extend-small-floats",
    "eliminate-common-subexpressions{quotients=true}",
    "narrow-folds{sliding=true}",
    "delinearize-indices",
    "split-cases",
    "struct-of-arrays",
    "simplify-arithmetic",
    "simplify",
    "raise-counted-loops",
    "carry-values",
    "unify-sizes",
    "merge-comprehensions{work=true}",
    "raise-rotations",
    "interchange-folds",
    "coalesce-folds",
    "sieve-folds",
    "raise-segment-reductions",
    "split-sums",
    "raise-scans",
    "carry-prefixes",
    "narrow-folds{aligned=true}",
    "share-windows{folds=true}",
    "pad-windows",
    "share-windows",
    "split-masks",
    "outline",
    "hoist-assertions",
    "remove-proven-assertions",
    "share-elements{folds=true}",
    "share-neighbours",
    "outline",
    "interchange-reductions",
    "raise-reductions",
    "raise-searches",
    "raise-updates",
    "read-initial-elements",
    "raise-updates{slices=true}",
    "simplify",
    "carry-prefixes",
    "raise-top-k",
    "split-recurrences",
    "raise-running-values",
    "raise-writes",
    "interchange-folds",
    "raise-reductions",
    "unify-sizes",
    "store-terms{elements=true}",
    "narrow-accumulators",
    "split-index-ranges",
    "unroll-folds",
    "simplify-arithmetic",
    "simplify",
)
"""phi to phi: removes calls and arrays of records, computes shared and invariant values once."""

_EXIT = "exit-settled-folds"
_SINK = "sink-into-branches{scalars=true}"
_SINK_STATIC = "sink-into-branches{static=true}"

PHI_TO_YARR = (
    *PHI_SIMPLIFY,
    _EXIT,
    _SINK,
    "convert-phi-to-yarr",
    "simplify",
    "eliminate-common-subexpressions",
    "fuse-sibling-folds",
    "eliminate-common-subexpressions",
    "raise-contractions",
    "raise-convolutions",
    "eliminate-common-subexpressions",
    "sink-transposes",
    "simplify",
    "narrow-arrays",
    "skip-empty-parts",
    "share-padding",
    "narrow-integers",
)
"""phi to the array calculus."""

_SHARED = "share-elements{folds=true differentiable=true}"

_DIFFERENTIABLE = {
    "outline": ("guard-branches", "outline"),
    "share-elements{folds=true}": (_SHARED,),
    "split-sums": ("split-sums{differentiable=true}",),
    "raise-scans": ("raise-scans{differentiable=true}",),
    "raise-segment-reductions": ("raise-segment-reductions{differentiable=true}",),
    "raise-running-values": ("raise-running-values{differentiable=true}",),
    "raise-writes": ("raise-writes{differentiable=true}",),
}


DIFFERENTIABLE_PHI_TO_YARR = _changed(PHI_TO_YARR, _DIFFERENTIABLE)
"""The same for libraries that differentiate programs."""

_NARROW = "narrow-folds{raised=true}"
_STEP_TERMS = "store-terms{blocks=true}"
_SKEW = ("skew-folds{least=32}", "guard-branches")
"""Without guards, elements beside a diagonal may have infinite derivatives. With derivatives, calls
take longer: fewer of them make up for it."""

_COLUMNS = "interchange-folds", "raise-reductions{views=true}"
"""Sums of vectors that remain where others are scans by columns."""

_IN_BLOCKS = {
    "raise-counted-loops": ("raise-counted-loops{searches=true}",),
    "raise-counted-loops{derivatives=true}": (
        "store-terms{rows=true}",
        "raise-counted-loops{derivatives=true}",
    ),
    "narrow-folds{aligned=true}": (
        "store-terms{sequences=true}",
        "narrow-folds{aligned=true sorted=true}",
    ),
    "pad-windows": ("pad-windows{products=true}",),
    "store-terms{elements=true}": (
        "skew-folds",
        "raise-running-values{windows=true}",
        "raise-writes{versions=false windows=true}",
        "store-terms{elements=true}",
    ),
    "raise-updates{slices=true}": ("raise-updates{slices=true diagonals=true}",),
    "unroll-folds": ("unroll-folds", "block-reductions", _NARROW, _STEP_TERMS),
}
"""Passes for libraries whose loops are those of Python."""

_COMPACT = ("convert-phi-to-yarr{compact=true interchange=true}",)
"""Where the sizes of arrays may depend on values, and no derivatives are recorded."""

_SHIFTS = ("differentiate{shifts=true}",)

_IN_BLOCKS_OF_NUMPY = {
    **_IN_BLOCKS,
    "differentiate": _SHIFTS,
    "narrow-folds{aligned=true}": (
        "store-terms{sequences=true}",
        "narrow-folds{aligned=true sorted=true bands=true numbers=true}",
    ),
    "raise-reductions": ("raise-reductions{views=true}",),
    "raise-running-values": ("raise-running-values{columns=128 rows=true}", *_COLUMNS),
    "raise-writes": ("raise-writes{stores=true}",),
    "raise-segment-reductions": ("raise-segment-reductions{block=512}",),
    "raise-convolutions": ("raise-convolutions{elements=true}", "raise-scatters"),
    "raise-scans": ("raise-scans{least-limits=16 least-pairs=1024}",),
    "split-index-ranges": (
        "interchange-comprehensions",
        "fuse-comprehensions{terms=true}",
        "raise-updates{parts=true}",
        "unify-sizes{numbers=true}",
        "split-index-ranges{padded=true}",
    ),
    "unroll-folds": (
        "unroll-folds{convolved=outputs}",
        "gather-contributions",
        "block-reductions{windows=true}",
        _NARROW,
        "hoist-reads{steps=true}",
        "scalarize-small-arrays",
        _STEP_TERMS,
    ),
    "sink-transposes": ("lead-with-short-axes", "sink-transposes"),
    "unify-sizes": ("unify-sizes{numbers=true}",),
    "convert-phi-to-yarr": _COMPACT,
}
"""The same for a library that correlates vectors fast, with loops on numbers of Python."""

_SCANS_OF_TORCH = "raise-scans{differentiable=true least-limits=32 least-pairs=131072}"

_DIFFERENTIABLE_IN_BLOCKS = {
    **_IN_BLOCKS,
    "raise-running-values{differentiable=true}": (
        "raise-running-values{differentiable=true columns=512 rows=true}",
        *_COLUMNS,
    ),
    "store-terms{elements=true}": (
        *_SKEW,
        "raise-running-values{differentiable=true windows=true}",
        "raise-writes{differentiable=true versions=false windows=true}",
        "store-terms{elements=true}",
    ),
    "raise-convolutions": ("raise-convolutions{grouped=true elements=true}",),
    "raise-scans{differentiable=true}": (_SCANS_OF_TORCH,),
    "raise-reductions": ("raise-reductions{joins=true views=true}",),
    "split-index-ranges": (
        "interchange-comprehensions",
        "fuse-comprehensions{terms=true}",
        "raise-updates{parts=true}",
        "unify-sizes",
        "split-index-ranges{padded=true}",
    ),
    "unroll-folds": (
        "unroll-folds{convolved=groups}",
        f"block-reductions{{views=true rows=true elements={2**17}}}",
        _NARROW,
        _STEP_TERMS,
    ),
}
"""The same for a library that differentiates programs, and reduces views of windows fast. Its calls
take longer than those of NumPy: blocks are larger.
"""

NUMPY = (
    *_changed(PHI_TO_YARR, _IN_BLOCKS_OF_NUMPY),
    "tile-parallel-axes",
    "convert-yarr-to-numpy",
    "emitpy-cse",
    "shorten-lifetimes",
    "hoist-invariants",
    "sink-selections",
    "reuse-buffers",
    "write-into-results",
    "hoist-buffers",
    "use-python-numbers",
    "avoid-branches",
    "unroll-single-blocks",
    "wrap-numbers",
    "inline-helpers",
    "emitpy-free-early",
)
"""phi to NumPy calls."""

_STATIC = {
    "coalesce-folds": ("coalesce-folds{keyed=true prefixes=false}",),
    "coalesce-folds{derivatives=true}": ("coalesce-folds{derivatives=true prefixes=false}",),
    "delinearize-indices": ("delinearize-indices{static=true}",),
    "fuse-sibling-folds": ("fuse-sibling-folds{chains=false}",),
    "interchange-folds": ("interchange-folds{static=true}",),
    "narrow-accumulators": (),
    "narrow-arrays": (),
    "narrow-folds{aligned=true}": ("narrow-folds{uniform=false aligned=true}",),
    "raise-contractions": ("raise-contractions{fused=true}",),
    "raise-convolutions": ("raise-convolutions{joined=true elements=true}",),
    "pad-windows": ("pad-windows{masks=true}",),
    "raise-counted-loops": ("raise-counted-loops{static=true}",),
    "raise-counted-loops{derivatives=true}": ("raise-counted-loops{derivatives=true static=true}",),
    _RUNNING: (),
    "read-initial-elements": ("drop-copies", "read-initial-elements"),
    "raise-reductions": ("raise-reductions{functions=true blocks=true convolves=true}",),
    "raise-scans{differentiable=true}": (
        "raise-scans{differentiable=true static=true least-limits=1024 least-pairs=65536}",
    ),
    _SCANS_IN_DERIVATIVES: (
        "raise-scans{derivatives=true differentiable=true static=true once=true"
        " least-limits=1024 least-pairs=65536}",
    ),
    "raise-updates{slices=true}": (),
    "store-terms{elements=true}": ("store-terms{functions=true}",),
    _SHARED: ("share-elements{folds=true differentiable=true static=true}",),
    "share-neighbours": (),
    "sieve-folds": (),
    "raise-running-values{differentiable=true}": (
        "raise-running-values{differentiable=true scans=false}",
    ),
    "raise-writes{differentiable=true}": ("raise-writes{differentiable=true scans=false}",),
    "split-index-ranges": (
        "fuse-comprehensions{terms=true}",
        "raise-updates{windows=true}",
        "split-index-ranges{static=true}",
    ),
    "split-recurrences": ("split-recurrences{least=24}",),
    _EXIT: (),
    _SINK: (_SINK_STATIC,),
    "unroll-folds": (
        "unroll-folds{convolved=channels}",
        f"block-reductions{{static=true elements={2**21}}}",
    ),
    "convert-phi-to-yarr": (
        "carry-varying-sizes",
        "measure-varying-sizes",
        "fill-varying-arrays",
        "bound-varying-sizes",
        "convert-phi-to-yarr{static=true}",
    ),
}
"""Passes for a library that compiles loops: arrays have the same sizes in each step, a loop is
faster than a scan, and values are computed where they are read.
"""


def _jax(static: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return (
        *_changed(DIFFERENTIABLE_PHI_TO_YARR, static),
        "carry-written-elements",
        "outline-sizes",
        "convert-yarr-to-jax",
        "emitpy-cse",
    )


JAX = _jax(_STATIC)
"""phi to JAX calls.

A loop takes half the time of a scan on a CPU.
"""

_STATIC_ON_GPU = {
    **_STATIC,
    _RUNNING: (_RUNNING,),
    "raise-reductions": ("raise-reductions{fused=true blocks=true convolves=true}",),
    "raise-running-values{differentiable=true}": ("raise-running-values{differentiable=true}",),
    "raise-writes{differentiable=true}": ("raise-writes{differentiable=true versions=false}",),
    "store-terms{elements=true}": (*_SKEW, "store-terms{elements=true}"),
}
"""The same where a step of a loop costs more than its arithmetic."""

JAX_ON_GPU = _changed(
    _jax(_STATIC_ON_GPU), {"convert-yarr-to-jax": ("convert-yarr-to-jax{gpu=true}",)}
)
"""phi to JAX calls for a GPU, where each step of a loop starts several kernels.

Reductions and scans are calls on whole arrays, and the compiler fuses reductions with the
computation of their elements.
"""


_UNBIND = "unbind-rows"


def _torch(in_blocks: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return (
        *_changed(DIFFERENTIABLE_PHI_TO_YARR, in_blocks),
        "carry-written-elements",
        "convert-yarr-to-torch",
        "fuse-torch-calls",
        "emitpy-cse",
        "shorten-lifetimes",
        "hoist-invariants",
        _UNBIND,
        "emitpy-free-early",
    )


TORCH = _torch(_DIFFERENTIABLE_IN_BLOCKS)
"""phi to PyTorch calls."""

TORCH_IN_PLACE = _changed(
    TORCH,
    {
        "carry-written-elements": (),
        "convert-phi-to-yarr": _COMPACT,
        "convert-yarr-to-torch": ("convert-yarr-to-torch{in_place=true}",),
        "fuse-torch-calls": ("fuse-torch-calls{recorded=false}",),
        "unroll-folds{convolved=groups}": (
            "unroll-folds{convolved=groups}",
            "gather-contributions",
        ),
        "hoist-invariants": (
            "hoist-invariants",
            "reuse-buffers{library=torch}",
            "avoid-branches",
        ),
        _UNBIND: (),
    },
)
"""The same where nothing records the operations of a call: they may overwrite tensors."""

_UNGUARDED = {
    "guard-branches": "guard-branches{products=true}",
    _SHARED: "share-elements{folds=true}",
}

TORCH_UNGUARDED = tuple(_UNGUARDED.get(flag, flag) for flag in TORCH_IN_PLACE)
"""The same without the guards of derivatives, which such calls do not compute."""

TORCH_BATCHED = _changed(
    TORCH,
    {
        "narrow-folds{aligned=true sorted=true}": ("narrow-folds{aligned=true}",),
        "pad-windows{products=true}": ("pad-windows",),
        _SCANS_OF_TORCH: ("raise-scans{differentiable=true static=true}",),
        _SCANS_IN_DERIVATIVES: (
            "raise-scans{derivatives=true differentiable=true static=true once=true}",
        ),
        "raise-searches": ("raise-searches{counted=true}",),
        _SHARED: ("share-elements{folds=true differentiable=true static=true}",),
        "interchange-comprehensions": (),
        _EXIT: (),
        _SINK: (_SINK_STATIC,),
        "raise-updates{parts=true}": (),
        "raise-running-values{differentiable=true windows=true}": (
            "raise-running-values{differentiable=true}",
        ),
        "raise-writes{differentiable=true versions=false windows=true}": (
            "raise-writes{differentiable=true versions=false}",
        ),
    },
)
"""The same where ``torch.func.vmap`` hides values: no test of them chooses between two loops, and
searches and scans take as many steps as sizes say.
"""

TORCH_ON_GPU = _torch(
    {
        **_DIFFERENTIABLE_IN_BLOCKS,
        "narrow-folds{aligned=true}": ("store-terms{sequences=true}", "narrow-folds{aligned=true}"),
        "split-index-ranges": ("split-index-ranges{padded=true}",),
        _EXIT: (),
        _SINK: (_SINK_STATIC,),
        "unroll-folds": (
            "unroll-folds{convolved=groups}",
            f"block-reductions{{views=true rows=true elements={2**24}}}",
        ),
    }
)
"""phi to PyTorch calls for a GPU: blocks of steps need not stay in a cache."""

_IN_LOOPS = {
    "coalesce-folds": ("coalesce-folds{keyed=true}",),
    "delinearize-indices": ("delinearize-indices{costly=true}",),
    "differentiate": _SHIFTS,
    "interchange-folds": ("interchange-folds{ragged=false}",),
    "interchange-reductions": ("fuse-comprehensions{factors=true}", "multiply-in-pairs"),
    "narrow-folds{aligned=true}": (
        "pad-windows{least=5 cut=true}",
        "narrow-folds{irregular=true sorted=true}",
    ),
    "pad-windows": ("pad-windows{least=5}",),
    "raise-counted-loops": ("raise-counted-loops{irregular=true}",),
    "raise-reductions": ("raise-reductions{nested=true}",),
    "raise-rotations": (),
    "raise-running-values": ("raise-running-values{scans=false}",),
    "raise-scans": (
        "pad-windows{least=5 cut=true products=true whole=true}",
        "raise-scans{once=true least-limits=64 least-pairs=4096}",
    ),
    _SCANS_IN_DERIVATIVES: (
        "raise-scans{derivatives=true differentiable=true once=true least-limits=64"
        " least-pairs=4096}",
    ),
    "raise-searches": ("raise-searches{counted=true}",),
    "raise-segment-reductions": ("raise-segment-reductions{firsts=false}",),
    "raise-writes": (
        "raise-writes{scans=false exchanges=false triangles=false}",
        "drop-copies",
    ),
    "store-terms{elements=true}": (),
    "share-windows{folds=true}": ("share-windows{folds=true once=true}",),
    "share-neighbours": (),
    "share-elements{folds=true}": (
        "hoist-recurrences",
        "merge-comprehensions",
        "outline",
        "share-elements{folds=true}",
    ),
    "share-windows": (),
    "split-cases": (),
    "split-index-ranges": (),
    "split-masks": ("split-masks{conjunctions=true}",),
    "split-recurrences": (),
    "unroll-folds": ("unroll-folds{reductions=false}",),
}
"""Without passes of phi for libraries, whose smallest step is a call on whole arrays."""

LOOPS = (
    *_changed(PHI_SIMPLIFY, _IN_LOOPS),
    "expand-nan-propagation",
    "fuse-comprehensions",
    "simplify",
    "store-terms",
    "merge-comprehensions",
    "outline",
    "share-elements",
    "outline",
    "merge-comprehensions",
    "outline",
    "simplify",
    "raise-updates{parts=true}",
    "interchange-accumulations",
    "add-in-place",
    "exit-settled-folds{bools=false}",
    "sink-into-branches{elements=true}",
    "drop-copies",
    "copy-slices",
    "hoist-reads",
    "carry-values{powers=true}",
    "convert-phi-to-loops",
    "eliminate-common-subexpressions",
    "forward-copies",
    "permute-buffers",
    "forward-copies",
    "version-loops",
    "raise-products",
    "split-loops",
    "transpose-operands",
    "narrow-loops",
    "unroll-short-loops",
    "hoist-reciprocals",
    "exit-settled-loops",
    "interchange-loops",
    "sink-loops",
    "merge-branches",
    "search-blocks",
    "carry-stored-elements",
    "hoist-reciprocals",
    "block-functions",
    "shorten-integers",
    "delay-carried-operands",
    "promote-small-arrays",
)
"""phi to loops over memory, in dialects of MLIR alone."""

TO_LLVM = ("expand-math", "convert-loops-to-llvm")
"""Loops to LLVM."""

TO_LLVM_LATE = ("expand-math", "convert-loops-to-llvm{late=true}")
"""The same, of a program whose loops may be compiled when a call needs them."""

NATIVE = (*LOOPS, *TO_LLVM)
"""phi to LLVM."""

_BEFORE_CHECKS = (
    *EXPAND_DERIVATIVES,
    "struct-of-arrays",
    "eliminate-common-subexpressions",
)

CHECK_BOUNDS = (*_BEFORE_CHECKS, "check-bounds")
"""phi to phi: the program also returns whether a position is out of bounds."""

CHECK_ALL_STEPS = (*_BEFORE_CHECKS, "outline", "check-bounds{guards=false}")
"""The same for less time: it may find a position that no selection uses."""

LOCATE_BOUNDS = (*_BEFORE_CHECKS, "check-bounds{locate=true}")
"""phi to phi: the program also returns the first position that is out of bounds."""

PIPELINES: dict[str, tuple[str, ...]] = {
    "check-bounds": CHECK_BOUNDS,
    "phi-simplify": PHI_SIMPLIFY,
    "loops": LOOPS,
    "native": NATIVE,
    "phi-to-yarr": PHI_TO_YARR,
    "numpy": NUMPY,
    "torch": TORCH,
    "torch-in-place": TORCH_IN_PLACE,
    "torch-unguarded": TORCH_UNGUARDED,
    "torch-batched": TORCH_BATCHED,
    "jax": JAX,
    "jax-gpu": JAX_ON_GPU,
    "torch-gpu": TORCH_ON_GPU,
}
"""Name of a pipeline -> its passes, for ``ein-opt --pipeline NAME`` and ``run_pipeline``."""

DEPENDENT_DIALECTS = ("builtin", "func", "arith", "math", "cf", "memref", "scf")
"""The dialects of xDSL that programs in ours use."""


def register(ctx: Context) -> Mapping[str, Callable[[], type[ModulePass]]]:
    """Register our dialects and their dependencies in a context; return the table of passes.

    Dialects load when they are first used. The table maps the flags of our passes, and of xDSL's,
    to loaders of their classes, as ``PassPipeline.parse_spec`` takes it.
    """
    known = {*ctx.registered_dialect_names, *(d.name for d in ctx.loaded_dialects)}
    for name in DEPENDENT_DIALECTS:
        if name not in known:
            ctx.register_dialect(name, XDSL_UNIVERSE.all_dialects[name])
    for name, loader in EIN_UNIVERSE.all_dialects.items():
        if name not in known:
            ctx.register_dialect(name, loader)
    return _PASSES


_PASSES = {**XDSL_UNIVERSE.all_passes, **EIN_UNIVERSE.all_passes}


@dataclass(frozen=True)
class _LatePass:
    """A pass whose module is imported when a function has what it looks for."""

    spec: str
    needs: tuple[frozenset[str], ...]
    """Sets of classes of operations: the function has one of each."""

    @property
    def name(self) -> str:
        """The flag."""
        return _flag_of(self.spec)

    def has_work(self, module: ModuleOp, analyses: AnalysisManager) -> bool:
        """Whether a function has the operations."""
        for function in functions_of(module):
            names = analyses.get(names_of, function)
            if not any(map(names.isdisjoint, self.needs)):
                return True
        return False

    def loaded(self) -> ModulePass:
        """The pass itself."""
        (pass_,) = _loaded(self.spec)
        return pass_


def _flag_of(spec: str) -> str:
    """``raise-writes`` of ``raise-writes{scans=false}``."""
    return spec.partition("{")[0]


@cache
def _passes(pipeline: tuple[str | ModulePass, ...]) -> tuple[ModulePass | _LatePass, ...]:
    """The passes of a pipeline, each with its options: parsed once, since passes have no state."""
    own = {spec for each in PIPELINES.values() for spec in each}
    return tuple(pass_ for spec in pipeline for pass_ in _late_or_loaded(spec, own))


def _late_or_loaded(
    spec: str | ModulePass, own: Set[str | ModulePass]
) -> Sequence[ModulePass | _LatePass]:
    """The passes of a part of a pipeline: those of our pipelines may be imported later."""
    flag = _flag_of(spec) if isinstance(spec, str) and spec in own else ""
    if isinstance(spec, str) and flag in LOOKS_FOR:
        needs = LOOKS_FOR[flag], BESIDE.get(flag)
        return (_LatePass(spec, tuple(each for each in needs if each)),)
    return _passes_of(spec)


@cache
def _loaded(spec: str) -> Sequence[ModulePass]:
    return _passes_of(spec)


def _passes_of(spec: str | ModulePass) -> Sequence[ModulePass]:
    """The passes that a part of a pipeline names: most are one flag without options."""
    if isinstance(spec, ModulePass):
        return (spec,)
    if not isinstance(spec, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise EinTypeError(f"a pass is a ModulePass, or its name and options, not {spec!r}")
    if spec in _PASSES:
        return (_PASSES[spec]()(),)
    for each in parse_pipeline(spec):
        if each.name not in _PASSES:
            near = difflib.get_close_matches(each.name, _PASSES, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise EinValueError(f"there is no pass '{each.name}'{hint}")
    try:
        return PassPipeline.parse_spec(_PASSES, spec).passes
    except ValueError as error:
        raise EinValueError(f"{spec}: {error}") from error


@reported
def run_pipeline(
    module: ModuleOp,
    pipeline: str | Iterable[str | ModulePass],
    ctx: Context | None = None,
    *,
    after_each: Callable[[str, ModuleOp], None] | None = None,
    note: Note = no_note,
) -> ModuleOp:
    """Run a named pipeline, or passes in order, on a module in place; return the module.

    ``pipeline`` is a name in ``PIPELINES``, passes as on the command line (``"outline,simplify"``),
    or an iterable of passes: each as on the command line, or an instance of a class, which may be
    the caller's. ``after_each`` is called with each pass's
    flag and the module after it, for example to verify or to print; ``note`` with an operation and
    the decision of a pass about it.

    Raises EinValueError for an unknown pipeline, pass or option,
    PassFailedException if a pass cannot translate a program.
    """
    if not isinstance(module, ModuleOp):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise EinTypeError(f"run_pipeline: expected a module, not {type(module).__name__}")
    if isinstance(pipeline, str):
        pipeline = PIPELINES.get(pipeline) or _named(pipeline)
    ctx = Context() if ctx is None else ctx
    register(ctx)
    with rare_collections():
        _run_passes(module, _passes(tuple(pipeline)), ctx, AnalysisManager(note), after_each)
    return module


def _named(passes: str) -> Sequence[str | ModulePass]:
    """The passes of a text as on the command line."""
    for spec in parse_pipeline(passes):
        if spec.name not in _PASSES:
            names = ", ".join(sorted(PIPELINES))
            raise EinValueError(f"there is no pipeline or pass '{spec.name}'; pipelines: {names}")
    return _passes_of(passes)


def _run_passes(
    module: ModuleOp,
    passes: Iterable[ModulePass | _LatePass],
    ctx: Context,
    analyses: AnalysisManager,
    after_each: Callable[[str, ModuleOp], None] | None,
) -> None:
    for pass_ in passes:
        if isinstance(pass_, _LatePass):
            if pass_.has_work(module, analyses):
                _run_passes(module, (pass_.loaded(),), ctx, analyses, None)
        elif isinstance(pass_, FunctionPass):
            pass_.run_on_module(module, analyses)
        elif isinstance(pass_, FixpointPass):
            pass_.run_on_module(ctx, module, analyses)
        else:
            pass_.apply(ctx, module)
            analyses.invalidate(by=pass_.name)
        if after_each is not None:
            after_each(pass_.name, module)
