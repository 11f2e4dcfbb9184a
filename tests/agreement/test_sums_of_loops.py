"""Sums of loops on native code: errors of the loops are those of the program."""

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, fold, fold_sum, function


@function
def paths(z: Vec[Vec[Float]], steps: Int):
    """A sum of recurrences, with a count that may be negative."""

    def path(p):
        return fold(1.0, lambda t, x: x * 0.5 + z[t, p], count=steps)

    return fold_sum(path, count=z.size(1))


@pytest.mark.parametrize("backend", ["naive", "native"])
def test_a_negative_count_is_an_error_if_there_is_a_step(backend: str) -> None:
    """A sum without terms runs no loop, whose count may then be anything."""
    with pytest.raises(ValueError, match="size of index t is negative: -1"):
        paths.eval(np.ones((3, 4)), -1, backend=backend)
    assert paths.eval(np.ones((3, 0)), -1, backend=backend) == 0.0
    assert paths.eval(np.ones((3, 4)), 0, backend=backend) == 4.0
