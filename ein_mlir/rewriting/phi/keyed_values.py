"""Values of the steps that a key selects: there the index is the key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.segment_keys import Key, equations
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.scopes import dependents, inputs_of, is_within, reached
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues


def read_at_keys(op: phi.FoldOp, step: Step, forms: IndexForms) -> bool:
    """``where(key[k] == c, f(k, c), 0)  -->  where(key[k] == c, f(k, key[k]), 0)``

    Whether the value of a step or another test varied with the index of a key. The results of loops
    are read from an array over the index.
    """
    for test, key in _keys(op, step, forms):
        parts = step.parts([other for other in step.tests if other is not test])
        varying = [part for part in parts if key.index in forms.free.of(part)]
        at_key = AtKey(op, key, forms)
        if varying and at_key.can_have(varying):
            at_key.replace(step, test)
            return True
    return False


def _keys(op: phi.FoldOp, step: Step, forms: IndexForms) -> Iterator[tuple[Test, Key]]:
    """The tests that are equations of an index and a value of a step."""
    for test in step.tests:
        for key in equations(test, forms):
            if key.factor == 1 and any(is_within(part, op) for part in key.parts):
                yield test, key


class AtKey:
    """The values of a step at the key of the step."""

    def __init__(self, op: phi.FoldOp, key: Key, forms: IndexForms):
        self._op = op
        self._key = key
        self._at_steps = RecomputedValues(op, [key.index], forms.free, copies_body=False)
        self._at_indices = RecomputedValues(op, [key.index], forms.free)
        self._before = Builder.before(op, forms.add)
        self._build = Builder.before_end(op.body.block, forms.add)

    def can_have(self, values: Sequence[SSAValue]) -> bool:
        """Whether values raise no error, and nothing else in them varies with the index."""
        return self._at_steps.can_have(values)

    def replace(self, step: Step, test: Test) -> None:
        """Let the step combine its value at the key."""
        build = self._build
        place = build.linear_value(self._key.key)
        known = {
            value: build.get(self._stored(value), [place])
            for value in self._loops(step.parts([each for each in step.tests if each is not test]))
        }
        value_of = self._at_steps.at(build, [place], known)
        tests = [
            each if each is test else Test(value_of(each.condition), each.expected)
            for each in step.tests
        ]
        value = value_of(step.value) if isinstance(step.value, SSAValue) else step.value
        chosen = build.chosen(tests, value, step.neutral)
        combined = build.same(step.combine, self._op.accumulator, chosen)
        self._op.yield_instead(combined)
        erase_unused(self._op.body.block)

    def _loops(self, parts: Sequence[SSAValue]) -> Iterator[SSAValue]:
        """The results of loops that parts depend on, and that vary with no variable of the fold."""
        block = self._op.body.block
        steps = dependents(block, self._op.counter, self._op.accumulator)

        def is_found(value: SSAValue) -> bool:
            is_fixed = isinstance(value.owner, phi.BodyOp) and value not in steps
            return is_fixed and self._is_stored(value)

        def inputs(value: SSAValue) -> Sequence[SSAValue]:
            owner = value.owner
            if not isinstance(owner, Operation) or not self._at_steps.varies(value):
                return ()
            return () if is_found(value) else inputs_of(owner)

        found = reached(parts, inputs)
        return (value for value in found if self._at_steps.varies(value) and is_found(value))

    def _is_stored(self, value: SSAValue) -> bool:
        return phi.is_scalar_type(value.type) and self._at_indices.can_have([value])

    def _stored(self, value: SSAValue) -> SSAValue:
        """The array of a value at all indices."""
        size = phi.size_of_index(self._key.index)
        return self._before.comprehension(
            [size],
            lambda inner, own: self._at_indices.at(inner, own)(value),
            [self._key.index],
        )
