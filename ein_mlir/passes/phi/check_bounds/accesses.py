"""Accesses whose positions are not provably in bounds."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.demand import Condition, Demand, counts_of
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.check_bounds.conditions import Conditions


@dataclass(frozen=True)
class Unproven:
    """An axis of an access whose position is not provably in bounds."""

    op: phi.GetOp
    axis: int
    loops: tuple[SSAValue, ...]
    """The indices and counters of the loops around it, outermost first."""
    may_be_below: bool = True
    may_be_beyond: bool = True

    def described(self) -> Attribute:
        """The access as an attribute."""
        array, axis = self.op.array, self.axis
        while isinstance(get := array.owner, phi.GetOp):
            array, axis = get.array, axis + len(get.positions)
        return DictionaryAttr(
            {
                "array": StringAttr(name_of(array)),
                "axis": IntegerAttr(axis, i64),
                "loops": ArrayAttr([StringAttr(name_of(loop)) for loop in self.loops]),
                "place": StringAttr(where_written(self.op)),
                "from_end": IntegerAttr.from_bool(_is_from_end(self.op, self.axis)),
            }
        )


def _is_from_end(read: phi.GetOp, axis: int) -> bool:
    """Whether a position is the size minus a number, as that of ``a[-1]``."""
    match read.positions[axis].owner:
        case arith.SubiOp(lhs=OpResult(op=phi.SizeOp() as size), rhs=number):
            is_own = size.array is read.array and size.axis.value.data == axis
            return is_own and (known_int(number) or 0) > 0
        case _:
            return False


class Uses:
    """The operations whose values a function uses, with conditions that do not provably hold."""

    def __init__(self, demand: Demand, bounds: PositionBounds, block: Block):
        self._demand = demand
        self._conditions = dict[Operation, Condition]()
        self.unproven = list[Unproven]()
        """The accesses that may be out of bounds, in order."""
        self._visit(block, bounds, ())

    def of(self, op: Operation) -> Condition | None:
        """The condition under which the result of an operation is used; None if it is unused."""
        return self._conditions.get(op)

    def _visit(self, block: Block, bounds: PositionBounds, loops: tuple[SSAValue, ...]) -> None:
        conditions = Conditions(bounds)
        for op in block.ops:
            demand = self._demand.of(op)
            if demand is None:
                continue
            condition = self._conditions[op] = conditions.simple(demand)
            if isinstance(op, phi.BodyOp):
                inside = conditions.under(condition).where((), counts_of(op))
                self._visit(op.regions[0].block, inside, (*loops, *op.counters()))
            elif isinstance(op, phi.GetOp) and not _is_replaced(op):
                proofs = conditions.under(condition)
                for axis, position in enumerate(op.positions):
                    sides = proofs.sides(position, op.array, axis, op)
                    if any(sides):
                        self.unproven.append(Unproven(op, axis, loops, *sides))


def _is_replaced(read: phi.GetOp) -> bool:
    """Whether only the new value of the same element depends on a read one: ``a[p] += x``.

    An update out of bounds has no effect.
    """
    value = read.result
    while value.has_one_use():
        (use,) = value.uses
        user = use.operation
        if isinstance(user, phi.UpdateOp):
            is_same = user.array is read.array and [*user.positions] == [*read.positions]
            return is_same and user.value is value
        outer = user.parent_op()
        if isinstance(user, phi.YieldOp) and isinstance(outer, phi.ArrayOp):
            value = outer.result
        elif user.regions or len(user.results) != 1:
            return False
        else:
            value = user.results[0]
    return False
