"""Loops over the steps so far of a loop around them: that one carries their fields."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.counted_loops import CountedLoop, counted
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import dependents, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_counted_loops.steps import replace, step
from ein_mlir.rewriting.phi.fields import carried
from ein_mlir.rewriting.phi.insertion import Builder


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
