"""Tests of a step that select by a key: ``key == index``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import INTS, MOST, LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.scopes import is_within, nesting
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

LARGEST_FACTOR = INTS.high // MOST
"""The largest factor of an index whose multiples do not wrap."""


@dataclass(frozen=True)
class Key:
    """``key == factor * index``, where the key varies with the counter and not with the index."""

    index: BlockArgument
    key: LinearForm
    """Modulo 2^64: an equation holds also if the key wraps."""
    factor: int
    """A positive number."""

    @property
    def parts(self) -> list[SSAValue]:
        """The values that the key is computed from."""
        return list(self.key.coefficients)


def keys_of(op: phi.FoldOp, step: Step, forms: IndexForms) -> tuple[list[Key], list[Test]]:
    """The tests of a step that select by a key, and the other ones.

    No other value of the step may vary with the index of a key.
    """
    return keys_among(op, step.tests, step.parts(()), forms)


def keys_among(
    op: phi.FoldOp,
    tests: Sequence[Test],
    values: Sequence[SSAValue],
    forms: IndexForms,
) -> tuple[list[Key], list[Test]]:
    """The tests that select by a key, whose index no value varies with, and the other tests."""
    varying = Counter(index for test in tests for index in forms.free.of(test.condition))
    for value in values:
        varying.update(forms.free.of(value))
    keys, others = list[Key](), list[Test]()
    for test in tests:
        found = [key for key in equations(test, forms) if varying[key.index] == 1]
        if found and _varies(found[0], op):
            keys.append(found[0])
        else:
            others.append(test)
    return sorted(keys, key=lambda key: nesting(key.index)), others


def _varies(key: Key, op: phi.FoldOp) -> bool:
    """Whether a key varies with the steps of a fold, other than as the counter itself does.

    One step at most has ``k == i``: a sum over it is no segment.
    """
    if key.parts == [op.counter]:
        return abs(key.key.coefficients[op.counter]) != 1 or key.factor != 1
    return any(is_within(part, op) for part in key.parts)


def equations(test: Test, forms: IndexForms) -> Iterator[Key]:
    """``key == factor * index``, from any equation that the index has a small factor in."""
    form = forms.equation(test.condition, expected=test.expected) or LinearForm()
    for index, factor in form.coefficients.items():
        if isinstance(index, BlockArgument) and phi.is_comprehension_index(index):
            rest = form.without([index])
            is_free = all(index not in forms.free.of(part) for part in rest.coefficients)
            if abs(factor) <= LARGEST_FACTOR and is_free:
                yield Key(index, rest * (-1 if factor > 0 else 1), abs(factor))
