"""A builder of emitpy operations: each method emits an expression and returns its value."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, OperationInvT, Region, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.creation import append
from ein_mlir.dialects.emitpy import OBJECT


class PythonBuilder:
    """Inserts at the end of a block; operations get the location of the translated operation."""

    def __init__(self) -> None:
        self._block: Block | None = None
        self.source: Operation | None = None

    @contextmanager
    def emitting_into(self, block: Block) -> Generator[None]:
        """Emit at the end of a block."""
        outer, self._block = self._block, block
        try:
            yield
        finally:
            self._block = outer

    @property
    def block(self) -> Block:
        """The block that is emitted into."""
        assert self._block is not None
        return self._block

    def insert(self, op: OperationInvT) -> OperationInvT:
        """Insert an operation."""
        if self.source is not None:
            op.location = self.source.location
        append(op, self.block)
        return op

    def literal(self, value: Attribute | str | float | bool | Sequence[int] | None) -> SSAValue:
        """``2``, ``"edge"``, ``None``, ``(0, 2)``."""
        return self.insert(emitpy.LiteralOp(value)).result

    def name(self, name: str) -> SSAValue:
        """``np.float32``."""
        return self.insert(emitpy.NameOp(name)).result

    def call(
        self,
        function: str,
        *arguments: SSAValue,
        type: Attribute = OBJECT,
        keywords: Mapping[str, SSAValue] | None = None,
        view: bool = False,
        read_only: bool = False,
    ) -> SSAValue:
        """``np.sum(a, axis=0)``."""
        op = emitpy.CallOp(
            function, arguments, type, keywords, view=view or read_only, read_only=read_only
        )
        return self.insert(op).result

    def method(
        self,
        receiver: SSAValue,
        method: str,
        *arguments: SSAValue,
        type: Attribute = OBJECT,
        keywords: Mapping[str, SSAValue] | None = None,
        view: bool = False,
    ) -> SSAValue:
        """``a.sum(axis=0)``."""
        op = emitpy.MethodOp(receiver, method, arguments, type, keywords, view=view)
        return self.insert(op).result

    def helper(
        self,
        function: str,
        *arguments: SSAValue,
        type: Attribute,
        view: bool = False,
        first: bool = False,
        read_only: bool = False,
    ) -> SSAValue:
        """A function of the library's prelude."""
        op = emitpy.HelperOp(
            function,
            arguments,
            type,
            view=view or read_only,
            first=first,
            read_only=read_only,
        )
        return self.insert(op).result

    def attribute(self, value: SSAValue, name: str, type: Attribute = OBJECT) -> SSAValue:
        """``a.T``."""
        return self.insert(emitpy.AttrOp(value, name, type)).result

    def subscript(
        self, value: SSAValue, indices: Sequence[SSAValue], type: Attribute = OBJECT
    ) -> SSAValue:
        """``a[i, :]``."""
        return self.insert(emitpy.SubscriptOp(value, indices, type)).result

    def slice(self, *bounds: SSAValue) -> SSAValue:
        """``:`` or ``start:stop`` or ``start:stop:step``."""
        return self.insert(emitpy.SliceOp(*bounds)).result

    def tuple(self, fields: Sequence[SSAValue], type: Attribute = OBJECT) -> SSAValue:
        """``(a, b)``."""
        return self.insert(emitpy.TupleOp(fields, type)).result

    def unpack(self, record: SSAValue, types: Sequence[Attribute]) -> Sequence[SSAValue]:
        """``x, y = t``"""
        return self.insert(emitpy.UnpackOp(record, types)).fields

    def define(self, body: Region, name: str) -> SSAValue:
        """A local function."""
        function = self.insert(emitpy.DefOp(body)).result
        function.name_hint = name
        return function

    def binary(
        self, lhs: SSAValue, operator: str, rhs: SSAValue, type: Attribute = OBJECT
    ) -> SSAValue:
        """``a + b``."""
        return self.insert(emitpy.BinaryOp(lhs, operator, rhs, type)).result

    def unary(self, operator: str, operand: SSAValue, type: Attribute = OBJECT) -> SSAValue:
        """``-a``."""
        return self.insert(emitpy.UnaryOp(operator, operand, type)).result

    def conditional(
        self, condition: SSAValue, if_true: SSAValue, if_false: SSAValue, type: Attribute
    ) -> SSAValue:
        """``a if c else b``."""
        return self.insert(emitpy.ConditionalOp(condition, if_true, if_false, type)).result

    def axes(self, axes: Sequence[int]) -> SSAValue:
        """One axis as an int, several as a tuple."""
        return self.literal(axes[0] if len(axes) == 1 else axes)

    def size(self, array: SSAValue, axis: int) -> SSAValue:
        """``a.shape[axis]``."""
        return self.subscript(self.attribute(array, "shape"), [self.literal(axis)])

    def at(self, array: SSAValue, axis: int, index: SSAValue, type: Attribute) -> SSAValue:
        """``a[:, index]``: an index along one axis."""
        return self.subscript(array, [*(self.slice() for _ in range(axis)), index], type)


def literal_int(value: SSAValue) -> int | None:
    """The value of an int literal; None for other values."""
    op = value.owner
    if isinstance(op, emitpy.LiteralOp) and isa(op.value, IntegerAttr):
        return op.value.value.data
    return None


def literal_float(value: SSAValue) -> float | None:
    """The value of a float literal; None for other values."""
    op = value.owner
    if isinstance(op, emitpy.LiteralOp) and isa(op.value, FloatAttr):
        return op.value.value.data
    return None


def is_literal(value: SSAValue) -> bool:
    """Whether a value is a literal, or a constant of the library."""
    return isinstance(value.owner, emitpy.LiteralOp | emitpy.NameOp)


def is_object(value: SSAValue) -> bool:
    """Whether a value is a plain Python object, and no array or scalar of the library."""
    return type(value.type) is emitpy.ObjectType
