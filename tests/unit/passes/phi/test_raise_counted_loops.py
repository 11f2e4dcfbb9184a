"""The time of ``raise-counted-loops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function
from ein_mlir.pipelines import run_pipeline


def counted_loops(count: int) -> Callable[[Any], Any]:
    """A program with loops in sequence, whose numbers of steps vary with an index."""

    def program(a: Any) -> Any:
        for _ in range(count):
            a = array(
                lambda i, a=a: fold(0.5, lambda k, acc: acc * 0.5 + a[k], count=i + 1),
                size=a.size(),
            )
        return a

    return program


@pytest.mark.one_turn
def test_time_is_linear(calls: Callable[[Callable[[], Any]], int]) -> None:
    """Each loop is raised by facts that new operations are added to, not by those made anew."""
    found = list[int]()
    for count in (5, 5, 40):
        module = function(counted_loops(count)).phi(np.ones(3))
        run_pipeline(module, ("struct-of-arrays", "simplify"))
        assert str(module).count("phi.while") == count
        found.append(calls(lambda module=module: run_pipeline(module, ("raise-counted-loops",))))
        assert "phi.while" not in str(module)
    assert found[2] < 10 * found[1]
