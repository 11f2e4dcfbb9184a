"""Decisions: Bools of the steps of a loop, saved for its derivative in place of compared values.

The derivative of ``max(x, y)`` or ``where(x < y, ..)`` depends on comparisons of ``x`` alone. If a
linear step needs a value for nothing else, each step saves the Bools, or the count of two::

    array (i < m) {                                   array (i < m) {
      %c = arith.cmpf olt, %saved[k, i], %y[i]   -->    %c = phi.get %decisions[k, i]
      arith.select %c, %dx[i], %zero                    arith.select %c, %dx[i], %zero
    }                                                 }
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence, Set

from xdsl.dialects.builtin import i1, i8
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.records import whole_record
from ein_mlir.analysis.scopes import block_of, home_of, operands_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.derivatives.contributions import source_of_size
from ein_mlir.rewriting.phi.derivatives.residuals import in_arrays
from ein_mlir.rewriting.phi.derivatives.scalars import width
from ein_mlir.rewriting.phi.derivatives.values import linear_values


@dataclass(frozen=True)
class _Flow:
    """The flow of data in a linear step, up to Bools and linear operations."""

    block: Block
    needed: Set[Operation]
    """The operations that the linear results depend on."""
    linear: Set[SSAValue]

    def decisions(self, variable: SSAValue) -> list[SSAValue] | None:
        """The Bools that alone lead from a variable to linear operations; None if others do."""
        pending, known, found = [variable], {variable}, list[SSAValue]()
        while pending:
            for use in pending.pop().uses:
                if use.operation not in self.needed:
                    continue
                results = self._results(use.operation)
                if results is None:
                    return None
                for result in results:
                    if result in known:
                        continue
                    known.add(result)
                    (found if self._is_decision(result) else pending).append(result)
        return found

    def _results(self, user: Operation) -> Sequence[SSAValue] | None:
        """The values that an operation makes of its operands; None for those of linear ones."""
        if isinstance(user, phi.YieldOp):
            around = user.parent_op()
            return self._results(around) if isinstance(around, phi.ArrayOp) else None
        is_linear = any(result in self.linear for result in user.results)
        return None if is_linear or isinstance(user, phi.SizeOp | phi.LoopOp) else user.results

    def _is_decision(self, value: SSAValue) -> bool:
        """Whether a value is narrow, of the step or an element of a comprehension in it.

        Not if narrow ones are computed from it alone: the last of them is saved.
        """
        body = home_of(value)
        op = body.parent_op()
        is_element = isinstance(op, phi.ArrayOp) and op.parent is self.block
        users = [use.operation for use in value.uses if use.operation in self.needed]
        is_own = _is_narrow(value) and (body is self.block or is_element)
        return is_own and not all(op.parent is body and _is_narrow(*op.results) for op in users)


def _is_narrow(*values: SSAValue) -> bool:
    """Whether an operation has one result, a Bool or a count of two Bools."""
    return len(values) == 1 and values[0].type in (i1, i8)


def decisions(
    block: Block,
    wanted: Sequence[SSAValue],
    tangents: Collection[SSAValue],
    variables: Mapping[SSAValue, Callable[[], Sequence[SSAValue] | None]],
) -> list[SSAValue]:
    """Bools of a linear step, or arrays of them, that it needs instead of some of its variables.

    The variables have their sizes before the loop, None if they vary.
    """
    needed = {each for op in slice_of(block, wanted) for each in op.walk()}
    flow = _Flow(block, needed, linear_values(block, tangents))
    bodies = defaultdict[Block | None, dict[SSAValue, None]](dict)
    for variable, sizes in variables.items():
        found = flow.decisions(variable)
        if found and _take_less_room(found, variable, sizes(), block):
            for value in found:
                bodies[block_of(value)][value] = None
    result = list(bodies.pop(block, ()))
    for body, values in bodies.items():
        op = phi.ArrayOp.of(None if body is None else body.parent_op())
        result += in_arrays(op, op.sizes, op.indices, list(values))
        erase_unused(op.body.block)
    return result


def _take_less_room(
    found: Sequence[SSAValue], variable: SSAValue, sizes: Sequence[SSAValue] | None, block: Block
) -> bool:
    """Whether arrays of Bools have sizes of a variable, and fewer bytes together."""
    if sizes is None or len(found) >= width(phi.scalar_of(variable.type)) // 8:
        return False
    room = Counter(map(source_of_size, sizes))
    for value in found:
        op = value.owner.parent_op() if isinstance(value.owner, Operation) else None
        own = op.sizes if isinstance(op, phi.ArrayOp) else ()
        if not Counter(map(source_of_size, own)) <= room or not _are_fixed(own, block):
            return False
    return True


def _are_fixed(sizes: Sequence[SSAValue], block: Block) -> bool:
    """Whether sizes depend on no variable of a body."""
    operands = {each for op in slice_of(block, sizes) for each in operands_within(op)}
    return operands.union(sizes).isdisjoint(block.args)


def sizes_of_decisions(value: SSAValue) -> Sequence[SSAValue]:
    """The sizes of an array of Bools in a linear step; none of a Bool."""
    op = whole_record(value).owner
    return op.sizes if isinstance(op, phi.ArrayOp) else ()
