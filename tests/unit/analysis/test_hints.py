"""``isa`` answers what that of xDSL does."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    f64,
    i32,
    i64,
)
from xdsl.utils import hints

from ein_mlir.analysis.hints import isa

VALUES = (
    f64,
    i64,
    TensorType(f64, [2]),
    TensorType(i64, [2]),
    ArrayAttr([IntAttr(1)]),
    ArrayAttr([StringAttr("a")]),
    ArrayAttr([]),
    DenseArrayBase.from_list(i64, [1]),
    IntegerAttr(1, i32),
    [1],
    "text",
    None,
)
HINTS = (
    AnyFloat,
    IntegerType,
    IntegerType | TensorType,
    TensorType,
    TensorType[IntegerType],
    ArrayAttr,
    ArrayAttr[IntAttr],
    DenseArrayBase,
    DenseArrayBase[IntegerType],
    IntegerAttr[IntegerType],
    list[int],
    IntegerType | StringAttr,
    str,
)


@pytest.mark.parametrize("hint", HINTS, ids=str)
def test_values(hint: Any) -> None:
    for value in VALUES:
        assert isa(value, hint) == hints.isa(value, hint), value
    assert len({isa(value, hint) for value in VALUES}) == 2
