"""Sizes that are the same after each step of a fold."""

from __future__ import annotations

from typing import Any

import pytest

from ein_mlir import Float, Vec, array, concat, fold, function, where
from ein_mlir.analysis.phi.settling_sizes import settles
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.dialects import phi


def same_size(v: Any, x: Any, k: Any) -> Any:
    return array(lambda i: v[i] + 1.0)


def other_size(v: Any, x: Any, k: Any) -> Any:
    return array(lambda i: x[i] + v[0])


def compared(v: Any, x: Any, k: Any) -> Any:
    return array(lambda i: x[i] + v[i])


def longer(v: Any, x: Any, k: Any) -> Any:
    return concat(v, x)


def counted(v: Any, x: Any, k: Any) -> Any:
    return array(lambda i: v[0], size=k)


def by_element(v: Any, x: Any, k: Any) -> Any:
    return array(lambda i: where(i > k, v[0], 0.0), size=v[0].int())


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (same_size, True),
        (other_size, True),
        (compared, True),
        (longer, False),
        (counted, False),
        (by_element, False),
    ],
)
def test_sizes_settle(step: Any, expected: bool) -> None:
    @function
    def program(a, x, n):
        return fold(a, lambda k, v: step(v, x, k), count=n.size())

    module = program.phi(Vec[Float], Vec[Float], Vec[Float])
    (loop,) = (op for op in module.walk() if isinstance(op, phi.FoldOp))
    (f,) = module.ops
    assert settles(loop, SizeEquivalence(f)) is expected


def test_sizes_before_the_first_step_must_not_vary_with_an_outer_fold() -> None:
    @function
    def program(a, x):
        def outer(t, v):
            start = array(lambda i: a[0], size=t)
            return fold(start, lambda k, u: array(lambda i: x[i] + v[0]), count=x.size())

        return fold(x, outer, count=x.size())

    module = program.phi(Vec[Float], Vec[Float])
    (f,) = module.ops
    _, inner = (op for op in module.walk() if isinstance(op, phi.FoldOp))
    assert not settles(inner, SizeEquivalence(f))
