"""The steps of a counted loop in another one, which may carry its fields or replace it by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.counted_loops import CountedLoop, counted
from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import around, dependents, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.fields import carried
from ein_mlir.rewriting.phi.insertion import Builder


def folds_around(loop: CountedLoop) -> Iterator[phi.FoldOp]:
    """The folds between a loop and the operation around it that is none, innermost first."""
    for each in around(loop.op.parent_op()):
        if not isinstance(each, phi.FoldOp):
            return
        yield each


def step(
    build: Builder,
    loop: CountedLoop,
    counter: SSAValue,
    fields: Sequence[SSAValue],
    known: Mapping[SSAValue, SSAValue] = MappingProxyType({}),
) -> dict[SSAValue, SSAValue]:
    """Copies of the operations of a step, for a counter, the other fields and some known values."""
    accumulator = record(build, loop, counter, fields, condition=True)
    values: dict[SSAValue, SSAValue] = {**known, loop.op.accumulator: accumulator}
    for each in loop.op.body.block.ops:
        if not isinstance(each, phi.YieldOp):
            build.insert_copy(each, values)
    return values


def record(
    build: Builder,
    loop: CountedLoop,
    counter: SSAValue,
    fields: Sequence[SSAValue],
    *,
    condition: SSAValue | bool,
) -> SSAValue:
    """The accumulator with given fields."""
    if isinstance(condition, bool):
        condition = build.emit(arith.ConstantOp.from_int_and_width(condition, 1))
    known = {(0,): condition, loop.counter: counter}
    known |= dict(zip(loop.fields, fields, strict=True))
    type_ = loop.op.init.type
    return build.record(type_, [known[path] for path in leaf_paths(type_)])


def replace(
    loop: CountedLoop, build: Builder, fields: Sequence[SSAValue], forms: IndexForms
) -> None:
    """Replace a loop, given the final values of its fields; the counter ends at ``max(p, n)``."""
    end = build.max(loop.start, loop.end)
    result = record(build, loop, end, fields, condition=False)
    forms.free.inherit(result, loop.op.result)
    Rewriter.replace_op(loop.op, (), (result,))


def resume(
    loop: CountedLoop,
    build: Builder,
    counter: SSAValue,
    fields: Sequence[SSAValue],
    forms: IndexForms,
) -> None:
    """Replace a loop by its rest, given the counter and the other fields after some steps."""
    init = record(build, loop, counter, fields, condition=build.compare(counter, "slt", loop.end))
    rest = build.insert(phi.WhileOp(loop.op.count, init, loop.op.body.clone()))
    leaves = dict(zip(leaf_paths(init.type), build.leaves(rest.result), strict=True))
    replace(loop, build, [leaves[path] for path in loop.fields], forms)


@dataclass(frozen=True)
class Prefix:
    """``while (j < k) { g(j) }``, or ``while (j < k + 1)``, in the step k of another loop."""

    loop: CountedLoop
    outer: CountedLoop
    counter: SSAValue
    """The number of the step of the other loop."""

    is_inclusive: bool
    """Whether the loop takes that step, too."""

    @property
    def initial(self) -> list[SSAValue]:
        """The first values of the fields."""
        return [self.loop.initial(path) for path in self.loop.fields]


def prefix(loop: CountedLoop, forms: IndexForms) -> Prefix | None:
    """The prefix that a loop is, if the loop around it may carry its fields."""
    around = loop.op.parent_op()
    outer = counted(around) if isinstance(around, phi.WhileOp) else None
    form = forms.form
    if outer is None or form(loop.start) != form(outer.start):
        return None
    end = form(loop.end)
    for atom in end.coefficients:
        ahead = (end - LinearForm.of(atom)).known()
        if ahead in (0, 1) and outer.path_of(atom) == outer.counter:
            found = Prefix(loop, outer, atom, ahead == 1)
            return found if _may_be_carried(found, forms) else None
    return None


def _may_be_carried(found: Prefix, forms: IndexForms) -> bool:
    """Whether all prefixes have the same steps, and none is an error that no prefix takes.

    Prefixes that are the same in all rows are computed once for all of them.
    """
    loop, block = found.loop, found.outer.op.body.block
    steps = slice_of(loop.op.body.block, [loop.next(path) for path in loop.fields])
    used = {value for each in steps for value in operands_within(each)}
    inputs = {*found.initial, *(value for value in used if not is_within(value, loop.op))}
    return (
        any(map(forms.free.of, inputs))
        and inputs.isdisjoint(dependents(block, *block.args))
        and loop.op.counter not in used
        and not any(map(any_may_fail, (*steps, *slice_of(block, found.initial))))
    )


def carry(found: Prefix, forms: IndexForms) -> None:
    """``while (k < n, y = x) { f(k, y, while (j < k, z = w) { g(j, z) }) }  -->
    while (k < n, (y, z) = (x, w)) { (f(k, y, z), g(k, z)) }``
    """
    loop, outer = found.loop, found.outer.op
    block, build = outer.body.block, Builder.before(loop.op, forms.add)
    initial = Builder.before(outer, forms.add).copied(block, found.initial, {})
    own = [block.insert_arg(value.type, len(block.args)) for value in initial]
    values = step(build, loop, found.counter, own)
    after = [values.get(value, value) for value in map(loop.next, loop.fields)]
    replace(loop, build, after if found.is_inclusive else own, forms)
    carried(outer, own, initial, after)
