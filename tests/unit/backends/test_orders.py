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
    "Ints of 16 bits": RNG.integers(-40000, 20000, 5000),
    "Ints of 32 bits": RNG.integers(-(2**31), 2**31 - 1, 5000),
    "short Ints": RNG.integers(-128, 128, 5000, np.int8),
    "Ints of i32 that span more than it has": RNG.integers(-(2**31), 2**31 - 1, 5000, np.int32),
    "Ints without sign": RNG.integers(0, 2**64 - 1, 5000, np.uint64) % 9,
    "Ints of 64 bits": RNG.integers(-(2**63), 2**63 - 1, 5000),
    "fewer, one pair is equal": np.append(MIXED[:1100], MIXED[701]),
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


def test_faster_orders_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of elements in no order: of Ints that are near each other, and of different elements."""
    taken = {name for name, array in VECTORS.items() if _takes_no_comparisons(array, monkeypatch)}
    assert taken == {name for name in VECTORS if "nts" in name} | {"different"}


def _takes_no_comparisons(array: Any, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether no order is the stable one of the elements themselves."""
    argsort, found = np.argsort, list[bool]()

    def recorded(each: Any, axis: int = -1, kind: Any = None) -> Any:
        found.append(kind == "stable" and each.dtype != np.uint16)
        return argsort(each, axis, kind)

    with monkeypatch.context() as patch:
        patch.setattr(np, "argsort", recorded)
        prelude.argsort(array, 0)
    return not any(found)
