"""Orders of NumPy's prelude: positions of elements that increase, and are stable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir.backends.numpy import prelude

RNG = np.random.default_rng(0)
MIXED = RNG.normal(size=5000)
LATE_TIE = np.append(MIXED, MIXED[4001])

VECTORS: dict[str, Any] = {
    "different": MIXED,
    "ints": RNG.permutation(5000) - 2500,
    "one pair is equal": LATE_TIE,
    "zeros of both signs": np.concatenate([MIXED, [0.0, -0.0, 0.0]]),
    "NaN": np.where(MIXED > 2.0, np.nan, MIXED),
    "few values": RNG.integers(0, 9, 5000).astype(np.float32),
    "sorted": np.sort(MIXED),
    "short": MIXED[:100].round(1),
    "Bools": MIXED > 0,
    "nothing": MIXED[:0],
}


@pytest.mark.parametrize("name", VECTORS)
def test_order_is_stable(name: str) -> None:
    array = VECTORS[name]
    expected = np.argsort(array, kind="stable")
    np.testing.assert_array_equal(prelude.argsort(array, 0), expected)


def test_faster_order_is_taken() -> None:
    """Only of elements that are different, and in no order yet."""
    taken = [
        name for name, array in VECTORS.items() if len(array) > 256 and prelude.is_mixed(array)
    ]
    assert {"different", "ints", "one pair is equal"} <= set(taken)
    assert not {"few values", "sorted"} & set(taken)
