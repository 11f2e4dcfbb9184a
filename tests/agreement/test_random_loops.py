"""Random folds that write and carry agree with the reference interpreter on NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.agreement.random_loops import program, random_scalar, random_write
from tests.agreement.test_updates import assert_same

INTS = (0, 1, -1, 2, 3, -2, 4, 5, 2**63 - 1, -(2**63), 2**62)


@pytest.mark.parametrize("seed", range(40))
def test_random_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = [random_write(rng) for _ in range(rng.integers(1, 3))]
    run = program(steps, random_scalar(rng), bool(rng.integers(2)))
    for size, count in ((0, 0), (1, 2), (5, 3), (4, 6)):
        p, q = rng.integers(-2, size + 3, (2, count))
        v, x = rng.integers(-4, 5, size), rng.integers(-4, 5, max(count, 1))
        assert_same(run, v, x, p, q, int(rng.choice(INTS)))
