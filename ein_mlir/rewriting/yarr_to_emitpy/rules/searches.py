"""Positions of extremes, and the largest elements."""

from __future__ import annotations

from xdsl.ir import Block

from ein_mlir.dialects import yarr
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
        """A helper: the order is stable."""
        axis, helper = self.build.literal(op.axis.value.data), self.name("argsort")
        order = self.build.helper(helper, self.array(op.array), axis, type=op.result.type)
        self.bind(op.result, order)

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
