"""``convert-yarr-to-torch``: whole-array operations become calls of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, TensorType, TupleType, i64
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass

from ein_mlir.analysis.diagnostics import check_blocks
from ein_mlir.analysis.emitpy.shared_memory import Memory
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.yarr.static_values import StaticValues, path_attribute
from ein_mlir.backends.torch import tables
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.dialects.emitpy.base import rank_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_yarr_to_torch.arrays import TorchArrays
from ein_mlir.passes.conversions.convert_yarr_to_torch.contractions import TorchContractions
from ein_mlir.passes.conversions.convert_yarr_to_torch.indexing import TorchIndexing
from ein_mlir.passes.conversions.convert_yarr_to_torch.loops import ListedRows
from ein_mlir.passes.conversions.convert_yarr_to_torch.neutral_choices import NeutralChoices
from ein_mlir.passes.conversions.convert_yarr_to_torch.reductions import TorchReductions
from ein_mlir.passes.conversions.convert_yarr_to_torch.scalars import (
    OverwritingScalars,
    TorchScalars,
)
from ein_mlir.passes.conversions.convert_yarr_to_torch.views import TorchViews
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.functions import convert_module
from ein_mlir.rewriting.yarr_to_emitpy.joining import JoiningLowering
from ein_mlir.rewriting.yarr_to_emitpy.rules import LibraryLowering
from ein_mlir.rewriting.yarr_to_emitpy.rules.updates import StoredUpdates
from ein_mlir.rewriting.yarr_to_emitpy.scheduling import write_last
from ein_mlir.rewriting.yarr_to_emitpy.started_accumulations import StartedAccumulations
from ein_mlir.rewriting.yarr_to_emitpy.tiling import inline_tiles


class TorchLowering(
    NeutralChoices,
    TorchArrays,
    TorchViews,
    TorchIndexing,
    TorchReductions,
    TorchContractions,
    LibraryLowering,
):
    """The rules of PyTorch.

    The tensors of a function are on the device of its arguments: of the first one with axes, if
    there is one. No operation works in place, and none reads the value of a float: gradients flow
    through all of them, and ``torch.func`` can transform them. An Int that a size depends on (see
    ``static_values``) is read as soon as it is computed, and is a Python number from there on.
    """

    pass_name = "convert-yarr-to-torch"
    tables = tables.TABLES
    scalar_rules = TorchScalars
    scalars_are_views = True

    def __init__(self, source: Block):
        super().__init__(source)
        self._static = StaticValues(source)
        self._numbers = static_numbers(self._static, source)

    def prologue(self, arguments: Sequence[SSAValue]) -> None:
        """``device = a.device``, if a tensor is allocated on it; a number may have none."""
        numbers = [arguments[number] for number in self._numbers]
        tensors = [
            tensor
            for argument in arguments
            if argument not in numbers
            for tensor in self._tensors(argument)
        ]
        tensors.sort(key=lambda tensor: not yarr.rank_of(tensor))
        if tensors:
            self.scalars.device = self.build.attribute(tensors[0], "device")
        elif numbers:
            self.scalars.device = self.build.helper("torch.device_of", numbers[0], type=OBJECT)
        if self.scalars.device is not None:
            self.scalars.device.name_hint = "device"

    def fold(self, op: yarr.FoldOp) -> None:
        """Steps that preserve the sizes of accumulators may replace parts of them."""
        self.record_sizes(op)
        super().fold(op)

    def bind(self, value: SSAValue, meaning: SSAValue) -> None:
        """Record the translation of a value: of an Int that a size depends on, its number."""
        if value in self._static and _is_int(value) and not is_object(meaning):
            meaning = self.scalars.known_int(meaning)
        super().bind(value, meaning)

    def _tensors(self, value: SSAValue) -> list[SSAValue]:
        """The tensors in an argument."""
        if not isa(value.type, TupleType):
            return [value]
        fields = [
            self.build.subscript(value, [self.build.literal(k)], field)
            for k, field in enumerate(value.type.types)
        ]
        return [tensor for field in fields for tensor in self._tensors(field)]


class RecordedTorchLowering(ListedRows, TorchLowering):
    """The same where gradients may be recorded."""


class TorchInPlaceLowering(StoredUpdates, JoiningLowering, StartedAccumulations, TorchLowering):
    """The same where tensors may be overwritten: no gradient is recorded."""

    scalar_rules = OverwritingScalars
    starts = StartedAccumulations.starts | {"add"}

    def changed_part(self, op: yarr.UpdateOp) -> tuple[Mapping[int, SSAValue], SSAValue]:
        """The new value, in memory of its own: PyTorch does not store overlapping parts."""
        places, value = super().changed_part(op)
        return places, self._apart(value)

    def new_part(self, part: SSAValue) -> SSAValue:
        return self._apart(super().new_part(part))

    def update_slice(self, op: yarr.UpdateSliceOp) -> None:
        """A store where the step is known to be positive, as slices of PyTorch are."""
        step = emitpy.literal_data(self.value(op.step))
        is_positive = isinstance(step, int) and step > 0
        (super().update_slice if is_positive else super(StoredUpdates, self).update_slice)(op)

    def _apart(self, value: SSAValue) -> SSAValue:
        """A value, or a copy of a view."""
        is_view = rank_of(value.type) and not Memory().is_fresh(value)
        return self.copy(value) if is_view else value

    def empty(
        self, shape: SSAValue, type: TensorType[Attribute], *, zeros: bool = False
    ) -> SSAValue:
        """``torch.empty((n, m), ...)``"""
        name = self.name("zeros" if zeros else "empty")
        keywords = self.scalars.placed(type.element_type)
        return self.build.call(name, shape, type=type, keywords=keywords)

    def is_part(self, op: yarr.ConcatOp) -> bool:
        """The parts of an array that are written to their places are arrays themselves."""
        return super().is_part(op) and not any(self.is_joined(u.operation) for u in op.result.uses)


@dataclass(frozen=True)
class ConvertYarrToTorchPass(ModulePass):
    """Translates yarr to emitpy that calls PyTorch.

    Before::

        func.func @next(%a: tensor<?xf64>) -> tensor<?xf64> {
          %n = yarr.size %a, 0 : tensor<?xf64>
          %i = yarr.range %n : tensor<?xi64>
          %x = yarr.elementwise { arith.sitofp } %i : (tensor<?xi64>) -> tensor<?xf64>
          %b = yarr.elementwise { arith.addf } %a, %x
            : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
          func.return %b : tensor<?xf64>
        }

    After, as ``-t python`` prints it::

        def next_(a):
            b = a + torch.arange(a.shape[0], device=a.device).to(torch.float64)
            return b

    An Int that a size depends on may be given as a Python number, ``a`` above as a tensor only: the
    attribute ``emitpy.static_arguments`` of a function lists the numbers of such arguments.
    """

    name = "convert-yarr-to-torch"

    in_place: bool = False
    """Whether the parts of joined arrays are written to their places: no gradient is recorded."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                inline_tiles(function)
                _note_static_arguments(function)
        if self.in_place:
            write_last(op)
        convert_module(op, TorchInPlaceLowering if self.in_place else RecordedTorchLowering)


def _is_int(value: SSAValue) -> bool:
    return value.type == yarr.tensor(i64, ())


def static_numbers(static: StaticValues, source: Block) -> list[int]:
    """The numbers of the Int arguments that sizes depend on."""
    return [
        number for number, value in enumerate(source.args) if value in static and _is_int(value)
    ]


def _note_static_arguments(function: func.FuncOp) -> None:
    check_blocks(function, "convert-yarr-to-torch")
    source = function.body.block
    numbers = static_numbers(StaticValues(source), source)
    if numbers:
        paths = [path_attribute((number,)) for number in numbers]
        function.attributes[emitpy.STATIC_ARGUMENTS] = ArrayAttr(paths)
