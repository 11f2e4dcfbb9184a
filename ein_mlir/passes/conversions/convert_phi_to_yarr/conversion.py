"""The state of Axial compilation, and the utilities of its rules: emission and alignment."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.arithmetic import LinearForm, value_of_form
from ein_mlir.analysis.diagnostics import no_rule, where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.carried_bounds import with_carried_bounds
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.size_equivalence import Term, equal_sizes
from ein_mlir.dialects import phi, yarr
from ein_mlir.dialects.creation import append
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import Axial, Index, Value, leaves, union
from ein_mlir.rewriting.phi.operators import INT_OPERATORS

OperationT = TypeVar("OperationT", bound=Operation)

Rule = Callable[["Conversion", OperationT], None]


def convert_type(type_: Attribute) -> Attribute:
    """The yarr type of a phi type: tensors of dynamic shape, and tuples of them.

    Arrays of records become records of arrays.
    """
    type_ = phi.struct_of_arrays(type_)
    if isa(type_, TupleType):
        return phi.tuple_of(convert_type(field) for field in type_.types)
    scalar, rank = phi.scalar_of(type_), phi.rank_of(type_)
    if not phi.is_scalar_type(scalar):
        raise PassFailedException(
            f"convert-phi-to-yarr: '{type_}' is not a type of the phi dialect"
        )
    return yarr.tensor(scalar, [yarr.DYNAMIC] * rank)


def _array_of_records(what: str) -> PassFailedException:
    return PassFailedException(
        f"{what} is an array of records: run struct-of-arrays before convert-phi-to-yarr"
    )


class Conversion:
    """Translates one function: maps phi values to Axials and emits yarr operations.

    Every body is visited once. Bodies of comprehensions are emitted in line; only folds and general
    reductions open a block.
    """

    def __init__(
        self,
        function: func.FuncOp,
        rules: dict[type[Operation], Rule[Operation]],
        analyses: AnalysisManager,
        *,
        compacts: bool = False,
        interchanges: bool = False,
        is_static: bool = False,
    ):
        self.function = function
        self.compacts = compacts
        """Whether loops leave out the elements that are done."""
        self.interchanges = interchanges
        """Whether the axes of accumulations with few values are the outermost ones."""
        self.is_static = is_static
        """Whether arrays have the same sizes in all steps of loops."""
        self.note = analyses.note
        self.sizes = analyses.get(equal_sizes, function)
        self.free = analyses.get(free_indices, function)
        self.forms = analyses.get(index_forms, function)
        self.places = with_carried_bounds(function, self.forms)
        """The same forms with the bounds of what loops carry, to find positions in bounds."""
        self.indices: dict[BlockArgument, Index] = {}
        self.positions: dict[BlockArgument, Axial] = {}
        """The positions of indices that are no axes, where a loop has some of the elements."""
        self.pairs = list[Index]()
        """The axes of the pairs of the tree reductions around, outermost first."""
        self.masks = list[Axial]()
        """Where the steps around have an effect, for each loop that masks them, outermost first."""
        self._rules = rules
        self._values: dict[SSAValue, Value] = {}
        self._block: Block | None = None
        self._unsqueezed = dict[tuple[SSAValue, tuple[int, ...]], SSAValue]()
        """The values with missing axes that are visible here."""
        self._inner = 0
        self._outer = 0

    # Emission

    @contextmanager
    def emitting_into(self, block: Block) -> Generator[None]:
        """Emit operations at the end of a block."""
        outer = self._block, self._unsqueezed
        self._block, self._unsqueezed = block, {**self._unsqueezed}
        try:
            yield
        finally:
            self._block, self._unsqueezed = outer

    def emit(self, op: OperationT, like: Operation | None = None) -> OperationT:
        """Insert an operation, with the source location and the name of ``like``."""
        assert self._block is not None
        if like is not None:
            op.location = like.location
            for result, source in zip(op.results, like.results, strict=False):
                result.name_hint = source.name_hint
        append(op, self._block)
        return op

    # Values

    def bind(self, value: SSAValue, meaning: Value) -> None:
        """Record the translation of a phi value."""
        self._values[value] = meaning

    def value(self, value: SSAValue) -> Value:
        """The translation of a phi value."""
        return self._values[value]

    def known(self, value: SSAValue) -> Value | None:
        """The translation of a phi value, if it has one already."""
        return self._values.get(value)

    def axial(self, value: SSAValue) -> Axial:
        """The translation of a phi value that is no record."""
        result = self._values[value]
        if not isinstance(result, Axial):
            raise _array_of_records(f"'{value.type}'")
        return result

    def record(self, value: SSAValue) -> tuple[Value, ...]:
        """The translations of the fields of a record."""
        result = self._values[value]
        if isinstance(result, Axial):
            raise _array_of_records(f"the source of '{value.type}'")
        return result

    def plain(self, value: SSAValue, what: str, op: Operation) -> SSAValue:
        """The yarr value of a phi value that must vary with no index."""
        axial = self.axial(value)
        if axial.axes:
            name = axial.axes[0].name or "an unnamed index"
            raise PassFailedException(
                f"{op.name}: {what} varies with the index {name}" + where_written(op)
            )
        return axial.value

    # Traversal

    def block(self, block: Block) -> None:
        """Translate the operations of a block, except its terminator."""
        for op in block.ops:
            if op is not block.last_op:
                self.operation(op)

    def operation(self, op: Operation) -> None:
        """Translate one operation by the rule for its class."""
        rule = self._rules.get(type(op))
        if rule is None:
            raise PassFailedException(no_rule("convert-phi-to-yarr", op))
        rule(self, op)

    # Indices

    def new_index(self, size: SSAValue, name: str | None, *, outermost: bool = False) -> Index:
        """A new index over a size: innermost so far, or outermost."""
        if outermost:
            self._outer -= 1
        else:
            self._inner += 1
        range_ = self.emit(yarr.RangeOp(size)).result
        range_.name_hint = name
        return Index(self._outer if outermost else self._inner, size, name, range_)

    def position(self, index: BlockArgument) -> Axial:
        """The Ints that an index is."""
        found = self.indices[index]
        return self.positions.get(index) or Axial((found,), found.range)

    def axes_of(self, value: SSAValue, leaf: int = 0) -> tuple[Index, ...]:
        """The axes that (a field of) a value can have, by the analysis of free indices.

        Values in the body of a tree reduction may also vary with the pair that is combined.
        """
        indices = [self.indices[i] for i in self.free.of(value, leaf) if i in self.indices]
        return union([indices, self.pairs])

    # Arithmetic on scalars

    def arithmetic(self, operator: Callable[..., Operation], *operands: SSAValue) -> SSAValue:
        """A scalar operation on scalars, or on aligned arrays element by element."""
        block = Block(arg_types=[yarr.element_of(operand) for operand in operands])
        block.add_op(body := operator(*block.args))
        block.add_op(yarr.YieldOp(body))
        return self.emit(yarr.ElementwiseOp(operands, Region(block))).result

    def integer(self, value: int) -> SSAValue:
        """A constant Int."""
        return self.emit(yarr.size_constant(value)).result

    def combined(self, lhs: SSAValue, symbol: str, rhs: SSAValue) -> SSAValue:
        """A sum, a difference or a product of Ints."""
        return self.arithmetic(INT_OPERATORS[symbol], lhs, rhs)

    def negated(self, operand: SSAValue) -> SSAValue:
        """``0 - x``"""
        return self.combined(self.integer(0), "-", operand)

    def value_of(self, form: LinearForm) -> SSAValue:
        """The value of a linear form whose atoms vary with no index."""
        return value_of_form(form, self, lambda atom: self.axial(atom).value)

    def assert_equal_sizes(
        self, a: SSAValue, b: SSAValue, axis: int, rank: int, message: str
    ) -> None:
        """Assert equal sizes of two aligned values along an own dimension, after ``rank`` axes."""
        lhs, rhs = (self.emit(yarr.SizeOp(side, rank + axis)).result for side in (a, b))
        self.emit(yarr.AssertEqOp(lhs, rhs, message))

    def over_positions(self, leader: SSAValue, value: SSAValue) -> Axial:
        """A vector at the positions of another one, clipped if their sizes may differ."""
        axial, array = self.axial(value), self.axial(value).value
        for axis in range(axial.own_rank):
            if self.sizes.same(Term(value, (), axis), Term(leader, (), axis)):
                continue
            first = self.axial(leader)
            size = self.emit(yarr.SizeOp(first.value, len(first.axes) + axis)).result
            dim, start = len(axial.axes) + axis, self.integer(0)
            array = self.emit(yarr.SliceOp(array, dim, start, size, 1, clip=True)).result
        return Axial(axial.axes, array)

    # Alignment (dissertation, 3.6.2: transpose, then unsqueeze the missing axes)

    def align(self, axial: Axial, axes: Sequence[Index]) -> SSAValue:
        """The value with exactly these axes, in this order; missing ones have size 1."""
        if axial.axes == axes:
            return axial.value
        value = self.reorder(axial, [index for index in axes if index in axial.axes])
        missing = tuple(d for d, index in enumerate(axes) if index not in axial.axes)
        if not missing:
            return value
        if (value, missing) not in self._unsqueezed:
            self._unsqueezed[value, missing] = self.emit(yarr.UnsqueezeOp(value, missing)).result
        return self._unsqueezed[value, missing]

    def align_fully(self, axial: Axial, axes: Sequence[Index]) -> SSAValue:
        """The value with exactly these axes; missing ones are broadcast to full size."""
        value = self.align(axial, axes)
        for d, index in enumerate(axes):
            if index not in axial.axes:
                value = self.emit(yarr.RepeatOp(value, d, index.size)).result
        return value

    def reorder(self, axial: Axial, axes: Sequence[Index]) -> SSAValue:
        """The value with its axes in another order."""
        order = [axial.axes.index(index) for index in axes]
        return self.transpose(
            axial.value, [*order, *range(len(order), len(order) + axial.own_rank)]
        )

    def transpose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """The value with its dimensions permuted; itself for the identity."""
        if list(permutation) == list(range(len(permutation))):
            return value
        return self.emit(yarr.TransposeOp(value, permutation)).result

    def align_all_fully(self, value: Value, axes: Sequence[Sequence[Index]]) -> list[SSAValue]:
        """``align_fully`` for each field of a record."""
        return [
            self.align_fully(leaf, group) for leaf, group in zip(leaves(value), axes, strict=True)
        ]
