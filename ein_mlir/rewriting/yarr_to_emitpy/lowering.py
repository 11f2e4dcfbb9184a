"""The translation of a function to emitpy: values and their translations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.backends.forms import ScalarTables
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.builder import PythonBuilder, is_object
from ein_mlir.rewriting.yarr_to_emitpy.scalars import Scalars
from ein_mlir.rewriting.yarr_to_emitpy.sizes import Sizes


class PythonLowering(ABC):
    """Translates one function; each operation of yarr has a method.

    A scalar stays a scalar if yarr gives it axes of size 1 to align it: it broadcasts anyway. So
    the translation of a value of any rank may have rank 0, or be a weak Python number (see
    ``scalars``). ``array`` is for uses that need the full rank.
    """

    pass_name: ClassVar[str]
    tables: ClassVar[ScalarTables]
    scalar_rules: ClassVar[type[Scalars]] = Scalars
    decorators: ClassVar[Sequence[emitpy.DecoratorAttr]] = ()
    """The decorators of a function that does arithmetic."""
    scalars_are_views: ClassVar[bool] = False
    """Whether a single element, selected by an index, is a view of its array."""

    owns_memory: ClassVar[bool] = True
    """Whether arrays can be views of each other: otherwise all are values."""

    def __init__(self, source: Block):
        self.build = PythonBuilder()
        self.scalars = self.scalar_rules(self.build, self.tables)
        self.sizes = Sizes(source)
        self.counters = set[SSAValue]()
        """The counters of loops, as weak ints."""
        self.values: dict[SSAValue, SSAValue] = {}
        """The translations of values."""
        self.rules: dict[type[Operation], Callable[[Any], None]] = {}
        """The rule for each class of operations."""
        self.host_results: Sequence[Attribute] = ()
        """The types of the results as the host sees them."""

    # Traversal

    def prologue(self, arguments: Sequence[SSAValue]) -> None:  # noqa: B027
        """Emit the first operations of a function, given its arguments."""

    def block(self, block: Block) -> None:
        """Translate the operations of a block, except ``yarr.yield``."""
        with self.sizes.in_body():
            for op in block.ops:
                if not isinstance(op, yarr.YieldOp):
                    self.operation(op)

    def operation(self, op: Operation) -> None:
        """Translate one operation by the rule for its class."""
        rule = self.rules.get(type(op))
        if rule is None:
            raise self.no_lowering(op)
        self.build.source = op
        rule(op)

    def no_lowering(self, op: Operation, why: str = "") -> PassFailedException:
        """The error for an operation without a lowering."""
        return PassFailedException(
            f"{self.pass_name} has no lowering for '{op.name}'{why}{where_written(op)}; "
            f"to reproduce, run: ein-opt -p {self.pass_name} FILE"
        )

    # Values

    def bind(self, value: SSAValue, meaning: SSAValue) -> None:
        """Record the translation of a value; it takes over the name."""
        self.values[value] = meaning
        if isinstance(meaning, OpResult) and meaning.name_hint is None:
            meaning.name_hint = value.name_hint

    def value(self, value: SSAValue) -> SSAValue:
        """The translation of a value: an array of its rank, a scalar, or a weak number."""
        return self.values[value]

    def reordered(self, array: SSAValue, letters: str, order: str) -> SSAValue:
        """An array with lettered axes, transposed to another order of the letters."""
        if letters == order:
            return array
        axes = [letters.index(letter) for letter in order]
        shape = yarr.shape_of(array)
        type_ = yarr.tensor(yarr.element_of(array), [shape[axis] for axis in axes])
        return self.transposed(array, axes, type_)

    def transposed(self, array: SSAValue, axes: Sequence[int], type: Attribute) -> SSAValue:
        """``np.transpose(a, (0, 2, 1))``"""
        order = self.build.literal(tuple(axes))
        return self.build.call(self.name("transpose"), array, order, type=type, view=True)

    def array(self, value: SSAValue) -> SSAValue:
        """The translation of a value as an array of its rank, of the library's type."""
        lowered = self.value(value)
        if isa(value.type, TupleType):
            return lowered
        shape, element = yarr.shape_of(value), yarr.element_of(value)
        if not shape:
            return self.scalars.typed(lowered, element)
        if self.is_scalar(lowered):
            ones = self.build.axes([1] * len(shape))
            return self.full(ones, lowered, yarr.tensor(element, shape))
        return lowered

    @staticmethod
    def is_scalar(lowered: SSAValue) -> bool:
        """Whether a translation is a scalar, for a value of any rank."""
        return is_object(lowered) or yarr.rank_of(lowered) == 0

    def size_of(self, array: SSAValue, axis: int) -> SSAValue:
        """The size of the translation of an array, as a weak int."""
        size = yarr.shape_of(array)[axis]
        if size != yarr.DYNAMIC:
            return self.build.literal(size)
        return self.build.size(array, axis)

    # New arrays

    def name(self, function: str) -> str:
        """``np.take``: the name of a function of the library in emitted code."""
        return f"{self.tables.prefix}.{function}"

    @abstractmethod
    def full(self, shape: SSAValue, value: SSAValue, type: TensorType[Attribute]) -> SSAValue:
        """A fresh array of a shape, filled with a scalar."""

    @abstractmethod
    def constant_array(self, numbers: Sequence[SSAValue], type: TensorType[Attribute]) -> SSAValue:
        """An array of numbers in row-major order."""

    @abstractmethod
    def copy(self, value: SSAValue) -> SSAValue:
        """A copy of a value, in memory of its own."""

    # Shapes

    def broadcast_shape(self, arrays: Sequence[SSAValue]) -> SSAValue:
        """``np.broadcast_shapes(a.shape, b.shape)``"""
        shapes = [self.build.attribute(array, "shape") for array in arrays]
        return (
            shapes[0]
            if len(shapes) == 1
            else self.build.call(self.name("broadcast_shapes"), *shapes)
        )

    def broadcast_to(
        self, value: SSAValue, shape: SSAValue, type: TensorType[Attribute]
    ) -> SSAValue:
        """``np.broadcast_to(a, shape)``"""
        return self.build.call(self.name("broadcast_to"), value, shape, type=type, read_only=True)

    def shape(self, lengths: Sequence[SSAValue]) -> SSAValue:
        """A shape, as an argument of the library's functions: one length need not be a tuple."""
        return lengths[0] if len(lengths) == 1 else self.build.tuple(lengths)

    # Parts of arrays

    @abstractmethod
    def concatenate(self, arrays: SSAValue, axis: int, type: TensorType[Attribute]) -> SSAValue:
        """The concatenation of the arrays of a tuple."""

    def reversed(self, array: SSAValue, axis: int, type: TensorType[Attribute]) -> SSAValue:
        """``a[:, ::-1]``"""
        none, back = self.build.literal(None), self.build.literal(-1)
        return self.build.at(array, axis, self.build.slice(none, none, back), type)


def tensor_type(value: SSAValue) -> TensorType[Attribute]:
    """The type of a value that is an array."""
    assert isa(value.type, TensorType)
    return value.type


def filling(value: SSAValue) -> str | None:
    """The function that creates arrays filled with a literal 0 or 1."""
    number = emitpy.literal_data(value)
    return {"0": "zeros", "0.0": "zeros", "1": "ones", "1.0": "ones"}.get(str(number))
