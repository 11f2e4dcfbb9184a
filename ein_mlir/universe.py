"""The plug-in that xDSL finds: which dialects, passes and targets exist, and how to load each.

`ein-opt` and the stock `xdsl-opt` both read these tables through the entry point group
`xdsl.universe`. A loader imports its module only when it is called: a tool pays for what it uses.
"""

from collections.abc import Callable

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target


def _phi() -> Dialect:
    from ein_mlir.dialects.phi import Phi

    return Phi


def _yarr() -> Dialect:
    from ein_mlir.dialects.yarr import Yarr

    return Yarr


def _emitpy() -> Dialect:
    from ein_mlir.dialects.emitpy import EmitPy

    return EmitPy


def _sigma() -> Dialect:
    from ein_mlir.dialects.sigma import Sigma

    return Sigma


def _inline_calls() -> type[ModulePass]:
    from ein_mlir.passes.inline_calls import InlineCallsPass

    return InlineCallsPass


def _struct_of_arrays() -> type[ModulePass]:
    from ein_mlir.passes.struct_of_arrays import StructOfArraysPass

    return StructOfArraysPass


def _outline() -> type[ModulePass]:
    from ein_mlir.passes.outline import OutlinePass

    return OutlinePass


def _print_size_equivalence() -> type[ModulePass]:
    from ein_mlir.passes.print_size_equivalence import PrintSizeEquivalencePass

    return PrintSizeEquivalencePass


def _fuse_sibling_folds() -> type[ModulePass]:
    from ein_mlir.passes.fuse_sibling_folds import FuseSiblingFoldsPass

    return FuseSiblingFoldsPass


def _simplify_arithmetic() -> type[ModulePass]:
    from ein_mlir.passes.simplify_arithmetic import SimplifyArithmeticPass

    return SimplifyArithmeticPass


def _unify_sizes() -> type[ModulePass]:
    from ein_mlir.passes.unify_sizes import UnifySizesPass

    return UnifySizesPass


def _emitpy_cse() -> type[ModulePass]:
    from ein_mlir.passes.emitpy_cse import EmitpyCsePass

    return EmitpyCsePass


def _shorten_lifetimes() -> type[ModulePass]:
    from ein_mlir.passes.shorten_lifetimes import ShortenLifetimesPass

    return ShortenLifetimesPass


def _remove_proven_assertions() -> type[ModulePass]:
    from ein_mlir.passes.remove_proven_assertions import RemoveProvenAssertionsPass

    return RemoveProvenAssertionsPass


def _share_padding() -> type[ModulePass]:
    from ein_mlir.passes.share_padding import SharePaddingPass

    return SharePaddingPass


def _sink_transposes() -> type[ModulePass]:
    from ein_mlir.passes.sink_transposes import SinkTransposesPass

    return SinkTransposesPass


def _split_index_ranges() -> type[ModulePass]:
    from ein_mlir.passes.split_index_ranges import SplitIndexRangesPass

    return SplitIndexRangesPass


def _interchange_reductions() -> type[ModulePass]:
    from ein_mlir.passes.interchange_reductions import InterchangeReductionsPass

    return InterchangeReductionsPass


def _block_reductions() -> type[ModulePass]:
    from ein_mlir.passes.block_reductions import BlockReductionsPass

    return BlockReductionsPass


def _raise_reductions() -> type[ModulePass]:
    from ein_mlir.passes.raise_reductions import RaiseReductionsPass

    return RaiseReductionsPass


def _raise_top_k() -> type[ModulePass]:
    from ein_mlir.passes.raise_top_k import RaiseTopKPass

    return RaiseTopKPass


def _raise_updates() -> type[ModulePass]:
    from ein_mlir.passes.raise_updates import RaiseUpdatesPass

    return RaiseUpdatesPass


def _raise_recurrences() -> type[ModulePass]:
    from ein_mlir.passes.raise_recurrences import RaiseRecurrencesPass

    return RaiseRecurrencesPass


def _raise_writes() -> type[ModulePass]:
    from ein_mlir.passes.raise_writes import RaiseWritesPass

    return RaiseWritesPass


def _interchange_folds() -> type[ModulePass]:
    from ein_mlir.passes.interchange_folds import InterchangeFoldsPass

    return InterchangeFoldsPass


def _split_sums() -> type[ModulePass]:
    from ein_mlir.passes.split_sums import SplitSumsPass

    return SplitSumsPass


def _narrow_integers() -> type[ModulePass]:
    from ein_mlir.passes.narrow_integers import NarrowIntegersPass

    return NarrowIntegersPass


def _raise_convolutions() -> type[ModulePass]:
    from ein_mlir.passes.raise_convolutions import RaiseConvolutionsPass

    return RaiseConvolutionsPass


def _separate_windows() -> type[ModulePass]:
    from ein_mlir.passes.separate_windows import SeparateWindowsPass

    return SeparateWindowsPass


def _raise_scans() -> type[ModulePass]:
    from ein_mlir.passes.raise_scans import RaiseScansPass

    return RaiseScansPass


def _narrow_accumulators() -> type[ModulePass]:
    from ein_mlir.passes.narrow_accumulators import NarrowAccumulatorsPass

    return NarrowAccumulatorsPass


def _continue_sums() -> type[ModulePass]:
    from ein_mlir.passes.continue_sums import ContinueSumsPass

    return ContinueSumsPass


def _unroll_folds() -> type[ModulePass]:
    from ein_mlir.passes.unroll_folds import UnrollFoldsPass

    return UnrollFoldsPass


def _raise_segment_reductions() -> type[ModulePass]:
    from ein_mlir.passes.raise_segment_reductions import RaiseSegmentReductionsPass

    return RaiseSegmentReductionsPass


def _fuse_torch_calls() -> type[ModulePass]:
    from ein_mlir.passes.fuse_torch_calls import FuseTorchCallsPass

    return FuseTorchCallsPass


def _hoist_buffers() -> type[ModulePass]:
    from ein_mlir.passes.hoist_buffers import HoistBuffersPass

    return HoistBuffersPass


def _raise_contractions() -> type[ModulePass]:
    from ein_mlir.passes.raise_contractions import RaiseContractionsPass

    return RaiseContractionsPass


def _convert_phi_to_yarr() -> type[ModulePass]:
    from ein_mlir.passes.convert_phi_to_yarr import ConvertPhiToYarrPass

    return ConvertPhiToYarrPass


def _convert_yarr_to_numpy() -> type[ModulePass]:
    from ein_mlir.passes.convert_yarr_to_numpy import ConvertYarrToNumpyPass

    return ConvertYarrToNumpyPass


def _emitpy_free_early() -> type[ModulePass]:
    from ein_mlir.passes.emitpy_free_early import EmitpyFreeEarlyPass

    return EmitpyFreeEarlyPass


def _write_into_results() -> type[ModulePass]:
    from ein_mlir.passes.write_into_results import WriteIntoResultsPass

    return WriteIntoResultsPass


def _reuse_buffers() -> type[ModulePass]:
    from ein_mlir.passes.reuse_buffers import ReuseBuffersPass

    return ReuseBuffersPass


def _hoist_invariants() -> type[ModulePass]:
    from ein_mlir.passes.hoist_invariants import HoistInvariantsPass

    return HoistInvariantsPass


def _sink_selections() -> type[ModulePass]:
    from ein_mlir.passes.sink_selections import SinkSelectionsPass

    return SinkSelectionsPass


def _convert_yarr_to_jax() -> type[ModulePass]:
    from ein_mlir.passes.convert_yarr_to_jax import ConvertYarrToJaxPass

    return ConvertYarrToJaxPass


def _guard_branches() -> type[ModulePass]:
    from ein_mlir.passes.guard_branches import GuardBranchesPass

    return GuardBranchesPass


def _tile_parallel_axes() -> type[ModulePass]:
    from ein_mlir.passes.tile_parallel_axes import TileParallelAxesPass

    return TileParallelAxesPass


def _convert_yarr_to_torch() -> type[ModulePass]:
    from ein_mlir.passes.convert_yarr_to_torch import ConvertYarrToTorchPass

    return ConvertYarrToTorchPass


def _python() -> type[Target]:
    from ein_mlir.backends.python_printer import PythonTarget

    return PythonTarget


def _dot() -> type[Target]:
    from ein_mlir.drawing.graph import DotTarget

    return DotTarget


DIALECTS: dict[str, Callable[[], Dialect]] = {
    "phi": _phi,
    "yarr": _yarr,
    "emitpy": _emitpy,
    "sigma": _sigma,
}
"""Name of a dialect -> its loader."""

PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    "convert-yarr-to-numpy": _convert_yarr_to_numpy,
    "convert-yarr-to-torch": _convert_yarr_to_torch,
    "guard-branches": _guard_branches,
    "convert-yarr-to-jax": _convert_yarr_to_jax,
    "emitpy-free-early": _emitpy_free_early,
    "convert-phi-to-yarr": _convert_phi_to_yarr,
    "inline-calls": _inline_calls,
    "struct-of-arrays": _struct_of_arrays,
    "outline": _outline,
    "print-size-equivalence": _print_size_equivalence,
    "interchange-reductions": _interchange_reductions,
    "block-reductions": _block_reductions,
    "raise-reductions": _raise_reductions,
    "interchange-folds": _interchange_folds,
    "split-sums": _split_sums,
    "raise-scans": _raise_scans,
    "narrow-integers": _narrow_integers,
    "raise-convolutions": _raise_convolutions,
    "separate-windows": _separate_windows,
    "raise-segment-reductions": _raise_segment_reductions,
    "share-padding": _share_padding,
    "sink-transposes": _sink_transposes,
    "split-index-ranges": _split_index_ranges,
    "unify-sizes": _unify_sizes,
    "remove-proven-assertions": _remove_proven_assertions,
    "simplify-arithmetic": _simplify_arithmetic,
    "fuse-sibling-folds": _fuse_sibling_folds,
    "raise-contractions": _raise_contractions,
    "raise-top-k": _raise_top_k,
    "raise-updates": _raise_updates,
    "raise-recurrences": _raise_recurrences,
    "raise-writes": _raise_writes,
    "narrow-accumulators": _narrow_accumulators,
    "continue-sums": _continue_sums,
    "unroll-folds": _unroll_folds,
    "emitpy-cse": _emitpy_cse,
    "shorten-lifetimes": _shorten_lifetimes,
    "hoist-invariants": _hoist_invariants,
    "sink-selections": _sink_selections,
    "reuse-buffers": _reuse_buffers,
    "write-into-results": _write_into_results,
    "hoist-buffers": _hoist_buffers,
    "fuse-torch-calls": _fuse_torch_calls,
    "tile-parallel-axes": _tile_parallel_axes,
}
"""Flag of a pass -> the loader of its class."""

TARGETS: dict[str, Callable[[], type[Target]]] = {"dot": _dot, "python": _python}
"""Name after `-t` -> the loader of its class."""

EIN_UNIVERSE = Universe(all_dialects=DIALECTS, all_passes=PASSES, all_targets=TARGETS)
"""What the entry point names."""
