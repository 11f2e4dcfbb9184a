"""Positions of extremes, and the largest elements."""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.constants import is_zero
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering

SEARCHES = {"<": "argmin", "<=": "last_argmin", ">": "argmax", ">=": "last_argmax"}
"""The helper that searches by each predicate."""


class SearchRules(PythonLowering):
    """Rules that call helpers; see there for the reasons."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.ArgreduceOp: self.argreduce,
            yarr.ArgsortOp: self.argsort,
            yarr.SearchsortedOp: self.searchsorted,
            yarr.SortOp: self.sort,
            yarr.TopKOp: self.top_k,
        }

    def argreduce(self, op: yarr.ArgreduceOp) -> None:
        """A helper: the functions of the libraries stop at NaN, and fail on empty axes."""
        helper = self.name(SEARCHES[op.predicate.data])
        axis = self.build.literal(op.axis.value.data)
        found = self.build.helper(helper, self.array(op.array), axis, type=op.result.type)
        self.bind(op.result, found)

    def argsort(self, op: yarr.ArgsortOp) -> None:
        """A helper: the order is stable. Of a few first positions another one.

        A number of positions that is asserted to be a size after the search may be negative in it.
        """
        axis, count = self.build.literal(op.axis.value.data), _read_first(op)
        arguments, helper = [self.array(op.array), axis], "argsort"
        while count is not None and count not in self.values:
            count = count.owner.size if isinstance(count.owner, yarr.AssertSizeOp) else None
        if count is not None:
            arguments, helper = [*arguments, self.value(count)], "first_positions"
        order = self.build.helper(self.name(helper), *arguments, type=op.result.type)
        self.bind(op.result, order)

    def searchsorted(self, op: yarr.SearchsortedOp) -> None:
        """A helper: the functions of the libraries differ in their arguments."""
        arrays = [self.array(op.array), self.array(op.values)]
        side = self.build.literal("left" if op.right is None else "right")
        helper = self.name("place_in_order")
        self.bind(op.result, self.build.helper(helper, *arrays, side, type=op.result.type))

    def sort(self, op: yarr.SortOp) -> None:
        """The elements alone, which are found faster than their positions."""
        axis, helper = self.build.literal(op.axis.value.data), self.name("sort_elements")
        found = self.build.helper(helper, self.array(op.array), axis, type=op.result.type)
        self.bind(op.result, found)

    def top_k(self, op: yarr.TopKOp) -> None:
        """A helper: the functions of the libraries have no tie rule."""
        axis, is_largest = (
            self.build.literal(value) for value in (op.axis.value.data, op.predicate.data == ">")
        )
        arguments = (self.array(op.array), axis, self.value(op.count), is_largest)
        helper = self.name("top_k")
        self.bind(op.result, self.build.helper(helper, *arguments, type=op.result.type))


def _read_first(op: yarr.ArgsortOp) -> SSAValue | None:
    """The number of the first positions that the only user reads."""
    user = op.result.get_user_of_unique_use()
    if not isinstance(user, yarr.SliceOp) or user.axis != op.axis or user.step.value.data != 1:
        return None
    return user.size if is_zero(user.start) else None
