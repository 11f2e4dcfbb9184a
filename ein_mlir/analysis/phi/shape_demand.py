"""Shape demand of phi: whether nothing, the sizes or the elements of a value are needed.

It is the inference of rho (``analysis.rho.demand``) for phi, where ranks are part of the type. The
demand is that of a value, or of each field of a record. It flows from the results of functions
against the direction of data:

- the sizes of a result are needed as the sizes and Ints that they are equal to: an operation states
  them (``PhiOp.size_of_result``);
- the elements of a result need the elements of all operands, and of the values that bodies yield;
- a field of an accumulator has one demand, as long as the fold is executed: that on the result, and
  that of the steps. Fields without a demand are not carried. Where all steps keep the sizes of an
  accumulator, these are the sizes of its initial value;
- the sizes of the result of an extrinsic depend on the sizes of its arguments only.

Each field of each value gets each level at most once, so the time is linear in their size.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.diagnostics import check_blocks
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass


class Need(IntEnum):
    """The part of a value that is needed."""

    NOTHING = 0
    SIZES = 1
    ELEMENTS = 2


@dataclass(frozen=True)
class SizeSum:
    """A size as a sum of other sizes and Ints, and a constant."""

    terms: tuple[Term, ...]
    constant: int = 0


def field_type(type_: Attribute, path: phi.Path) -> Attribute:
    """The type of a field of a field of .. of a record."""
    for field in path:
        assert isa(type_, TupleType)
        type_ = type_.types.data[field]
    return type_


def returned(function: func.FuncOp) -> tuple[SSAValue, ...]:
    """The results of a function, as values of its body."""
    check_blocks(function, "print-shape-demand")
    last = function.body.block.last_op
    assert isinstance(last, func.ReturnOp)
    return tuple(last.arguments)


class Sizes:
    """The sizes of values as sums of sizes that are known before them."""

    def __init__(self, function: func.FuncOp):
        self._equal = SizeEquivalence(function)

    def of(self, value: SSAValue, path: phi.Path, axis: int) -> SizeSum | None:
        """A size of (a field of) a value along an axis; None if only a run of its owner tells."""
        owner = value.owner
        if isinstance(owner, Block):
            loop = owner.parent_op()
            is_carried = isinstance(loop, phi.LoopOp) and value in loop.variables()
            return self._carried(loop, value, path, axis) if is_carried else None
        match owner:
            case phi.LoopOp():
                return self._carried(owner, value, path, axis)
            case phi.ConcatOp() if axis == 0 and owner.size is None:
                return SizeSum((Term(owner.lhs, path, 0), Term(owner.rhs, path, 0)))
            case phi.ScanOp():
                return SizeSum((Term(owner.vec, path, 0),), 1)
            case arith.SelectOp():
                return SizeSum((Term(owner.lhs, path, axis),))
            case phi.PhiOp():
                term = owner.size_of_result(path, axis)
                return None if term is None else SizeSum((term,))
            case _:
                return None

    def _carried(
        self, loop: Operation | None, value: SSAValue, path: phi.Path, axis: int
    ) -> SizeSum | None:
        """That of the initial value, if all steps keep it: those of a ``phi.while`` do."""
        assert isinstance(loop, phi.LoopOp)
        start = Term(loop.start, path, axis)
        is_kept = isinstance(loop, phi.WhileOp) or self._equal.same(Term(value, path, axis), start)
        return SizeSum((start,)) if is_kept else None


class ShapeDemand:
    """The demand on the values of a function of whose results a level is needed."""

    def __init__(self, function: func.FuncOp, results: Need = Need.ELEMENTS):
        self.function = function
        self.sizes = Sizes(function)
        self._levels = dict[tuple[SSAValue, phi.Path], Need]()
        self._pending = list[tuple[SSAValue, phi.Path]]()
        for value in returned(function):
            self._need(value, (), results)
        while self._pending:
            value, path = self._pending.pop()
            self._visit(value, path, self.of(value, path))

    def levels(self, value: SSAValue) -> tuple[Need, ...]:
        """The demand on each field of a value."""
        return tuple(self.of(value, path) for path in leaf_paths(value.type))

    def of(self, value: SSAValue, path: phi.Path = ()) -> Need:
        """The demand on a field that is no record."""
        return self._levels.get((value, path), Need.NOTHING)

    def fields(self, value: SSAValue, *levels: Need) -> list[phi.Path]:
        """The fields of a value that are needed at one of some levels."""
        return [path for path in leaf_paths(value.type) if self.of(value, path) in levels]

    def _need(self, value: SSAValue, path: phi.Path, level: Need) -> None:
        """Need a part of a value, or of all fields of it; scalars have no sizes."""
        type_ = field_type(value.type, path)
        for leaf in leaf_paths(type_, path):
            is_array = isinstance(field_type(value.type, leaf), phi.VecType)
            if level is Need.ELEMENTS or is_array:
                self._raise(value, leaf, level)

    def _raise(self, value: SSAValue, path: phi.Path, level: Need) -> None:
        if self.of(value, path) < level:
            self._levels[value, path] = level
            self._pending.append((value, path))

    def _visit(self, value: SSAValue, path: phi.Path, level: Need) -> None:
        if level is Need.SIZES and self._has_known_sizes(value, path):
            return
        owner = value.owner
        if isinstance(owner, Block):
            assert isinstance(value, BlockArgument)
            self._visit_argument(value, path, level)
        else:
            rule = _RULES.get(type(owner), _each_operand)
            rule(self, owner, value, path, level)

    def _has_known_sizes(self, value: SSAValue, path: phi.Path) -> bool:
        """Need the terms of all sizes of a value; False if one is not known."""
        rank = phi.rank_of(field_type(value.type, path))
        found = [self.sizes.of(value, path, axis) for axis in range(rank)]
        if None in found:
            return False
        for term in (term for size in found if size is not None for term in size.terms):
            self._need(term.value, term.path, Need.ELEMENTS if term.axis is None else Need.SIZES)
        return True

    def _visit_argument(self, value: BlockArgument, path: phi.Path, level: Need) -> None:
        parent = value.owner.parent_op()
        if isinstance(parent, phi.FoldOp) and value is parent.accumulator:
            self._need(parent.result, path, level)

    # Rules

    def on_fold(self, op: phi.FoldOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The field that is carried; and the count, as steps are executed."""
        self._need(op.count, (), Need.ELEMENTS)
        for part in (op.init, op.yielded(), op.accumulator):
            self._need(part, path, level)

    def on_array(self, op: phi.ArrayOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The sizes of the axes, and the element that the body yields."""
        for size in op.sizes:
            self._need(size, (), Need.ELEMENTS)
        self._need(op.yielded(), path, level)

    def on_projection(self, op: phi.ProjOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The field of the record."""
        self._need(op.record, (op.field.value.data, *path), level)

    def on_record(self, op: phi.TupleOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The operand that is the field."""
        self._need(op.fields[path[0]], path[1:], level)

    def on_size(self, op: phi.SizeOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The sizes of the array."""
        self._need(op.array, (), Need.SIZES)

    def on_choice(self, op: arith.SelectOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """Both branches; the elements need the condition, too."""
        self._need(op.cond, (), Need.ELEMENTS)
        self._need(op.lhs, path, level)
        self._need(op.rhs, path, level)

    def on_extrinsic(self, op: phi.ExternOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The same of all arguments."""
        for argument in op.arguments:
            self._need(argument, (), level)

    def on_any(self, op: Operation, value: SSAValue, path: phi.Path, level: Need) -> None:
        """All of the operands, and of the yielded values; a size is that of the elements."""
        if level is Need.SIZES:
            self._raise(value, path, Need.ELEMENTS)
            return
        self.on_operands(op, Need.ELEMENTS)
        if isinstance(op, phi.BodyOp):
            self._need(op.yielded(), (), Need.ELEMENTS)

    def on_operands(self, op: Operation, level: Need) -> None:
        """A level of all operands."""
        for operand in op.operands:
            self._need(operand, (), level)


def _each_operand(
    demand: ShapeDemand, op: Operation, value: SSAValue, path: phi.Path, level: Need
) -> None:
    demand.on_any(op, value, path, level)


_RULES: dict[type[Operation], Callable[..., None]] = {
    arith.SelectOp: ShapeDemand.on_choice,
    phi.ArrayOp: ShapeDemand.on_array,
    phi.ExternOp: ShapeDemand.on_extrinsic,
    phi.FoldOp: ShapeDemand.on_fold,
    phi.ProjOp: ShapeDemand.on_projection,
    phi.SizeOp: ShapeDemand.on_size,
    phi.TupleOp: ShapeDemand.on_record,
}
"""Operation -> its rule; ``ShapeDemand.on_any`` is that of all others."""
