"""``f.shapes`` of every program: the shapes and dtypes of its results, without an element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Operation

import ein_mlir
from ein_mlir import ShapedArray
from ein_mlir.dialects import phi
from ein_mlir.frontend.records import parts_of
from ein_mlir.interpreters.structured import StructuredInterpreter
from tests.agreement.cases import CASES
from tests.agreement.programs import PROGRAMS
from tests.agreement.second_set import SECOND_SET

ALL: dict[str, Any] = {
    **{f"programs: {name}": each for name, each in PROGRAMS.items()},
    **{f"cases: {name}": each for name, each in CASES.items()},
    **{f"second set: {name}": each for name, each in SECOND_SET.items()},
}

ON_SIZES = (phi.SizeOp, phi.AssertEqOp, phi.FoldOp, phi.TupleOp, phi.ProjOp, phi.YieldOp)


def program_of(each: Any) -> ein_mlir.Function[..., Any]:
    return getattr(each, "function", None) or each.program


def sizes_of(each: Any) -> tuple[int, ...]:
    return getattr(each, "small", (0, 1, 5))


def leaves(value: Any) -> Iterator[Any]:
    parts = None if isinstance(value, ShapedArray) else parts_of(value)
    if parts is None:
        yield value
    else:
        for part in parts.values:
            yield from leaves(part)


def placeholders(value: Any) -> Any:
    """A value with a placeholder for each array."""
    if isinstance(value, tuple):
        return tuple(map(placeholders, value))
    return ShapedArray(value.shape, value.dtype) if isinstance(value, np.ndarray) else value


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> list[Operation]:
    """The operations that the interpreter runs."""
    found = list[Operation]()
    step = StructuredInterpreter._step

    def noted(self: StructuredInterpreter, op: Operation) -> Any:
        found.append(op)
        return step(self, op)

    monkeypatch.setattr(StructuredInterpreter, "_step", noted)
    return found


@pytest.mark.parametrize("name", ALL)
def test_shapes(name: str, interpreted: list[Operation]) -> None:
    each = ALL[name]
    for size in sizes_of(each)[:2]:
        arguments = each.inputs(size, "float64", np.random.default_rng(size))
        del interpreted[:]
        found = list(leaves(program_of(each).shapes(*map(placeholders, arguments))))
        assert not any(map(is_on_elements, interpreted))
        expected = leaves(program_of(each).eval(*arguments, backend="naive"))
        assert found == [ShapedArray(np.shape(x), np.asarray(x).dtype) for x in expected], size


def test_the_count_finds_elements(interpreted: list[Operation]) -> None:
    case = CASES["pairwise-l1"]
    case.program.eval(*case.inputs(2, "float64", np.random.default_rng(0)), backend="naive")
    assert any(map(is_on_elements, interpreted))


def is_on_elements(op: Operation) -> bool:
    """Whether an operation has to do with arrays, or with other numbers than Ints."""
    types = [value.type for value in (*op.operands, *op.results)]
    return any(isinstance(type_, phi.VecType) for type_ in types) or (
        isinstance(op, phi.PhiOp) and not isinstance(op, ON_SIZES)
    )
