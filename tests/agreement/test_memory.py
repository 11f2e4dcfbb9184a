"""``f.memory`` of every case: what a call takes, found without it."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from ein_mlir import EinTypeError, EinValueError, Int, ShapedArray, Vec, array, fold_sum, function
from tests.agreement.cases import CASES
from tests.agreement.programs import PROGRAMS
from tests.agreement.test_shapes import leaves, placeholders, program_of, sizes_of
from tests.selection import IS_WHOLE

SIZE = 200
SEVERAL_SIZES = {"binomial-option"}
"""Cases whose loops take buffers of several sizes: released buffers of each size are kept."""

COPIES = {"conv2d"}
"""Cases with calls of NumPy that copy their operands."""

SMALL = 100_000
"""Bytes: what Python and the blocks of NumPy's casts take may be as much."""


def inputs(name: str, size: int) -> tuple[Any, ...]:
    return CASES[name].inputs(size, "float64", np.random.default_rng(0))


@pytest.mark.parametrize("name", CASES)
def test_native(name: str) -> None:
    pytest.importorskip("llvmlite")
    from ein_mlir.backends.native.settings import kept_memory, release_memory

    program, arguments = CASES[name].program, inputs(name, 40)
    found = program.memory(*map(placeholders, arguments), backend="native")
    program.eval(*arguments, backend="native")
    release_memory()
    result = program.eval(*arguments, backend="native")
    del result
    taken, expected = kept_memory(), found.temporaries + found.results
    assert expected <= taken + SMALL
    assert name in SEVERAL_SIZES or taken <= 2 * expected + 20_000


@pytest.mark.parametrize("name", CASES)
def test_numpy(name: str) -> None:
    program, arguments = CASES[name].program, inputs(name, SIZE)
    found = program.memory(*map(placeholders, arguments), backend="numpy")
    program.eval(*arguments, backend="numpy")
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = program.eval(*arguments, backend="numpy")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    del result
    taken, expected = peak - before, found.temporaries + found.results
    assert expected <= 2.5 * taken + SMALL
    assert name in COPIES or taken <= 2.5 * expected + SMALL


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program(name: str) -> None:
    each = PROGRAMS[name]
    for size in sizes_of(each)[: 2 if IS_WHOLE else 1]:
        arguments = each.inputs(size, "float64", np.random.default_rng(size))
        found = program_of(each).memory(*arguments, backend="numpy")
        result = list(leaves(program_of(each).shapes(*arguments)))
        assert found.results == sum(shaped.nbytes for shaped in result)
        assert found.arguments >= 0 <= found.temporaries


@function
def outer(a: Vec[Any], n: Int) -> Any:
    return array(lambda i, j: a[i] * a[j] + fold_sum(lambda k: a[k]), size=(n, n))


def test_jax() -> None:
    pytest.importorskip("jax")
    found = outer.memory(ShapedArray((1000,)), 1000, backend="jax")
    assert found.arguments == 8008
    assert found.results == 8_000_000
    assert found.temporaries < 100_000


def test_mistakes() -> None:
    with pytest.raises(EinTypeError, match="missing a required argument: 'n'"):
        outer.memory(ShapedArray((3,)))
    with pytest.raises(EinValueError, match="outer: the memory of the interpreter is not known"):
        outer.memory(ShapedArray((3,)), 3, backend="naive")
