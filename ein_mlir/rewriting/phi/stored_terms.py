"""Values of the steps of a fold that no other step affects, as arrays of those of all steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.speculation import Sized, may_fail, negative_sizes
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import Known, StepValues


def never_fail(op: phi.FoldOp, values: Sequence[SSAValue]) -> bool:
    """Whether arrays of values of all steps raise no error that the fold does not."""
    return raise_none(op, needed_for(op, values))


def raise_none(op: phi.FoldOp, needed: Iterable[Operation]) -> bool:
    """The same of operations of a step."""
    return not any(_fails(inner, op) for inner in needed)


def needed_for(op: phi.FoldOp, values: Sequence[SSAValue]) -> list[Operation]:
    """The operations of a step that values depend on, and those in their bodies."""
    return [inner for each in slice_of(op.body.block, values) for inner in operations_in(each)]


def _fails(inner: Operation, op: phi.FoldOp) -> bool:
    """Whether an operation may raise an error other than for a size that is the same in all steps:
    the comprehension raises that one, too.
    """
    if isinstance(inner, Sized):
        return any(is_within(size, op) for size in negative_sizes(inner))
    return may_fail(inner)


def store(op: phi.FoldOp, terms: Sequence[SSAValue]) -> None:
    """``fold (k < n) { f(acc, e(k)) }  -->  fold (k < n) { f(acc, t[k]) }`` for ``t`` of all e."""
    inside = Builder.at_start(op.body.block)
    for term in terms:
        read = inside.get(array_of_term(op, term), [op.counter])
        read.name_hint = term.name_hint
        term.replace_all_uses_with(read)
    erase_unused(op.body.block)


def array_of_term(op: phi.FoldOp, term: SSAValue, *added: Callable[[Operation], None]) -> SSAValue:
    """The array of a term in all steps, before the loop; new operations are ``added``."""
    build = Builder.before(op, *added)
    size, zero = op.count, build.integer(0)
    if not is_nonnegative(size):
        size = build.max(size, zero)
    known: Known = {}
    sized = [inner for inner in needed_for(op, [term]) if isinstance(inner, Sized)]
    for each in dict.fromkeys(n for inner in sized for n in negative_sizes(inner)):
        has_steps = build.compare(size, "sgt", zero)
        known[each] = build.select(has_steps, each, zero)
    values = StepValues(op)
    return values.over_steps(
        build, lambda inner, step: values.value(inner, term, step, known), size
    )
