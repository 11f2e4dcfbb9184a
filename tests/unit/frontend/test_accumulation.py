"""``accumulate``: sizes, and the messages of its mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinTypeError,
    EinValueError,
    ScopeError,
    SizeInferenceError,
    accumulate,
    array,
    wrap,
)
from ein_mlir.frontend.values import Int

keys = wrap(np.array([0, 2, 0, 7, -1]))
x = wrap(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
m = wrap(np.ones((5, 2)))
anything: Any = accumulate

MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "no size": (
        lambda: accumulate(lambda i: (i, 1.0), size=3),
        SizeInferenceError,
        "cannot infer the size of index i: .* give the count, as in accumulate",
    ),
    "too few positions": (
        lambda: accumulate(lambda i: (keys[i], x[i]), size=(3, 2)),
        EinTypeError,
        "accumulate: the body gives 1 position for 2 sizes",
    ),
    "too many positions": (
        lambda: accumulate(lambda i: ((keys[i], i), x[i]), size=3),
        EinTypeError,
        "accumulate: the body gives 2 positions for 1 size",
    ),
    "no pair": (
        lambda: anything(lambda i: keys[i], size=3),
        EinTypeError,
        "accumulate: the body must return a position and a value, as in accumulate",
    ),
    "position": (
        lambda: accumulate(lambda i: (x[i], x[i]), size=3),
        EinTypeError,
        "position of accumulate.*: expected an Int, not Float",
    ),
    "negative": (
        lambda: accumulate(lambda i: (keys[i], x[i]), size=-3),
        EinValueError,
        "size of accumulate.* is negative: -3",
    ),
    "kind": (
        lambda: anything(lambda i: (keys[i], x[i]), size=3, by="mean"),
        EinTypeError,
        "accumulate: by must be one of \"sum\", .*, not 'mean'",
    ),
    "sum of Bools": (
        lambda: accumulate(lambda i: (keys[i], x[i] > 0.0), size=3),
        EinTypeError,
        'by="sum" combines Ints or Floats, not Bool; count with where',
    ),
    "any of Floats": (
        lambda: accumulate(lambda i: (keys[i], x[i]), size=3, by="any"),
        EinTypeError,
        'by="any" combines Bools, not Float',
    ),
    "irregular": (
        lambda: array(lambda k: accumulate(lambda i: (keys[i], x[i]), size=k), size=3),
        EinValueError,
        "size of accumulate.* depends on the index k",
    ),
    "counts": (
        lambda: anything(lambda i, j: (keys[i], m[i, j]), size=3, count=3),
        EinTypeError,
        "need 2 counts, not 1",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    mistake, error, message = MISTAKES[name]
    with pytest.raises(error, match=message):
        mistake()


def test_escaped_index() -> None:
    saved = list[Int]()

    def body(i: Int) -> Any:
        saved.append(i)
        return keys[i], x[i]

    accumulate(body, size=3)
    with pytest.raises(ScopeError, match="the index i of the accumulate"):
        saved[0].eval()


def test_sizes_are_known() -> None:
    """An index takes its size from an accumulation: those of its positions, and of its rows."""
    rows = accumulate(lambda i: (keys[i], m[i]), size=3)
    assert array(lambda i, j: rows[i, j] + 1.0).eval("naive").shape == (3, 2)
    pairs: Any = accumulate(lambda i: (keys[i], (x[i], m[i])), size=4)
    assert array(lambda i, j: pairs[i][1][j]).eval("naive").shape == (4, 2)


def test_literals_take_the_type_of_their_partners() -> None:
    single = wrap(np.ones(5, np.float32))
    assert (
        accumulate(lambda i: (keys[i], single[i] * 2.0), size=3).eval("naive").dtype == np.float32
    )
    assert accumulate(lambda i: (keys[i], 1), size=3).eval("naive").dtype == np.int64
    assert accumulate(lambda i: (keys[i], 1.0), size=3).eval("naive").dtype == np.float64
