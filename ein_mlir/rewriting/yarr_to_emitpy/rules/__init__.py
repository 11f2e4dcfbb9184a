"""The rules from yarr to emitpy, in files named as those of the dialect.

Abstract methods, and functions of the library that are called by name, differ between libraries.
"""

from ein_mlir.rewriting.yarr_to_emitpy.rules.contractions import ContractionRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.elementwise import ElementwiseRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.indexing import IndexingRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.loops import LoopRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.records import RecordRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.reductions import Combination, ReductionRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.searches import SearchRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.sizes import SizeRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.updates import UpdateRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.views import ViewRules

__all__ = ["Combination", "LibraryLowering"]


class LibraryLowering(
    SizeRules,
    ElementwiseRules,
    ViewRules,
    IndexingRules,
    UpdateRules,
    ReductionRules,
    ContractionRules,
    SearchRules,
    LoopRules,
    RecordRules,
):
    """A rule for each operation of yarr except tiles: the base of the lowering for a library."""
