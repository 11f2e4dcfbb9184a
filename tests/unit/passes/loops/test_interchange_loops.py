"""``interchange-loops``: the same results, from loops that are checked at each step."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold, fold_any, fold_max, fold_sum, function, where
from ein_mlir.entry import parse
from ein_mlir.pipelines import LOOPS, run_pipeline
from tests.agreement.comparison import assert_agree
from tests.unit.passes.conversions.loops_interpreter import Loops, loops_of

PASSES = (
    "inline-calls",
    "struct-of-arrays",
    "simplify",
    "unify-sizes",
    "outline",
    "simplify",
    "convert-phi-to-loops",
)


@function
def product(a: Any, b: Any) -> Any:
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))


@function
def two_sums(a: Any, b: Any) -> Any:
    """The second sum needs the first; both, and a value before them, go into the result."""

    def element(i: Any, j: Any) -> Any:
        x = a[i, j] * 2.0
        first = fold_sum(lambda k: b[k, j] * x)
        return x + fold_sum(lambda k: b[k, j] / (first + 1.0))

    return array(element)


@function
def nested(a: Any, b: Any) -> Any:
    return array(
        lambda i, j: fold_sum(lambda k: a[i, k] * fold_max(lambda l: b[l, j] + a[k, l]))  # noqa: E741
    )


@function
def swapped(a: Any, b: Any) -> Any:
    """Two carried values that change places."""

    def element(i: Any, j: Any) -> Any:
        x, y = fold((a[i, j], b[i, j]), lambda k, s: (s[1], s[0] + b[k, j]), a.shape[0])
        return x - y

    return array(element, size=(a.shape[0], b.shape[1]))


@function
def iterated(a: Any, b: Any) -> Any:
    """No load in the loop: its lanes are the results all the same."""
    return array(lambda i, j: fold(a[i, j], lambda k, z: z * z + b[i, j], 20))


@function
def strided(a: Any, b: Any) -> Any:
    """Neighbouring results read every second element, clipped at the end."""
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, 2 * j + 1]), size=(a.shape[0], 9))


@function
def searched(a: Any, b: Any) -> Any:
    """The positions of loads are carried, and read from memory."""

    def element(i: Any, j: Any) -> Any:
        def halve(k: Any, bounds: Any) -> Any:
            low, high = bounds
            middle = (low + high) // 2
            right = a[i, middle] < b[i, j]
            return where(right, middle + 1, low), where(right, high, middle)

        return fold((0, a.shape[1]), halve, 20)[0]

    return array(element, size=(a.shape[0], b.shape[1]))


@function
def masked(a: Any, b: Any) -> Any:
    """Steps whose condition does not hold are skipped, also several at a time."""
    return array(lambda i, j: fold_sum(lambda k: where(a[i, k] > 0.3, b[k, j] * a[i, k], 0.0)))


@function
def reached(a: Any, b: Any) -> Any:
    return array(lambda i, j: fold_any(lambda k: (a[i, k] < 0.1) & (b[k, j] > 0.5)))


@function
def reached_rows(a: Any, b: Any) -> Any:
    return array(lambda j: fold_any(lambda k: b[k] & a[k, j]))


@function
def excluded(a: Any, b: Any) -> Any:
    """Two carried values; the steps whose condition holds change neither."""

    def element(i: Any, j: Any) -> Any:
        def step(k: Any, s: Any) -> Any:
            x, n = s
            is_out = a[i, k] > 0.0
            return where(is_out, x, x * 0.5 + b[k, j]), where(is_out, n, n + 1)

        x, n = fold((b[i, j], 0), step, a.shape[0])
        return x * n.float()

    return array(element, size=(a.shape[0], b.shape[1]))


@function
def selected(a: Any, b: Any) -> Any:
    """The condition is the same for all rows and results."""
    return array(lambda i, j: fold_sum(lambda k: where(a[k, 0] > 0.2, b[k, j] * a[i, k], 0.0)))


MASKED = (masked, reached, excluded, selected)
PROGRAMS = (product, two_sums, nested, swapped, iterated, strided, searched, *MASKED)


@pytest.mark.one_turn
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program: Any) -> None:
    traced = program.phi(np.ones((2, 2)), np.ones((2, 2)))
    plain, blocks = loops_of(traced, PASSES), loops_of(traced, (*PASSES, "interchange-loops"))
    for size in (0, 1, 7, 9):
        random = np.random.default_rng(size)
        a, b = random.normal(size=(2, size, size))
        assert_agree(blocks(a, b), plain(a, b), {}, f"size {size}")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_blocks_are_used(program: Any) -> None:
    traced = program.phi(np.ones((2, 2)), np.ones((2, 2)))
    text = str(run_pipeline(traced, (*PASSES, "interchange-loops")))
    assert "memref.alloca" in text


@pytest.mark.parametrize("program", MASKED, ids=lambda p: p.__name__)
def test_steps_are_skipped(program: Any) -> None:
    """The steps that change something are listed."""
    passes = (*PASSES, "fuse-comprehensions", "interchange-loops")
    text = str(run_pipeline(program.phi(np.ones((2, 2)), np.ones((2, 2))), passes))
    assert re.search(r"memref\.alloca\(\) : memref<\d+xindex>", text)


@pytest.mark.one_turn
@pytest.mark.parametrize("listed", [1, 3, 4, 6])
@pytest.mark.parametrize("program", MASKED, ids=lambda p: p.__name__)
def test_several_lists_of_steps(program: Any, listed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ein_mlir.passes.loops.interchange_loops.tiles.LISTED", listed)
    traced = program.phi(np.ones((2, 2)), np.ones((2, 2)))
    plain, blocks = loops_of(traced, PASSES), loops_of(traced, (*PASSES, "interchange-loops"))
    a, b = np.random.default_rng(listed).normal(size=(2, 13, 13))
    assert_agree(blocks(a, b), plain(a, b), {})


@function
def weighted_columns(a: Vec[Vec[Float]], x: Vec[Float]) -> Vec[Float]:
    return array(lambda j: fold_sum(lambda i: x[i] * a[i, j]))


@pytest.mark.parametrize("n", [0, 1, 127, 130, 515, 1025, 2300, 9000])
def test_blocks_of_columns_are_wider(n: int) -> None:
    """Each column is in one block: sums of whole numbers are exact."""
    rng = np.random.default_rng(n)
    a, x = rng.integers(-9, 9, (11, n)).astype(float), rng.integers(-9, 9, 11).astype(float)
    np.testing.assert_array_equal(weighted_columns.native(a, x), x @ a)


@function
def weighted_rows(a: Vec[Vec[Float]], x: Vec[Float]) -> tuple[Vec[Float], Vec[Float]]:
    def row(i: Any) -> Any:
        return fold_sum(lambda k: a[i, k] * x[k]), fold_sum(lambda k: (a[i, k] - x[k]) ** 2)

    rows = array(row)
    return array(lambda i: rows[i][0] + 1.0), array(lambda i: rows[i][1])


@function
def rows_of_two(a: Vec[Vec[Float]], b: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """Steps of the inner index sum together; both ends of each sum vary with the outer one."""
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - b[j, k]), count=i.clip(0, 9)))


@pytest.mark.parametrize("n", [0, 1, 3, 4, 6, 21])
@pytest.mark.parametrize("m", [0, 1, 70])
def test_rows_are_summed_together(n: int, m: int) -> None:
    """Sums of whole numbers are exact, in whichever order."""
    rng = np.random.default_rng(n + m)
    a, b = rng.integers(-9, 9, (2, n, m)).astype(float)
    x = rng.integers(-9, 9, m).astype(float)
    if n:
        a[rng.integers(n), -1:] = np.nan
    for program, given in ((weighted_rows, (a, x)), (rows_of_two, (a[:, :9], b[:, :9]))):
        assert_agree(program.native(*given), program.eval(*given, backend="naive"), {})


def test_four_rows_are_one_loop() -> None:
    """Four rows share elements of the vector; maxima stay apart."""
    product = function(lambda a, x: array(lambda i: fold_sum(lambda k: a[i, k] * x[k])))
    text = str(run_pipeline(product.phi(np.ones((2, 2)), np.ones(2)), LOOPS))
    assert re.search(r"iter_args\((%\w+ = %\w+, ){3}", text)
    best = function(lambda a, x: array(lambda i: fold_max(lambda k: a[i, k] * x[k])))
    text = str(run_pipeline(best.phi(np.ones((2, 2)), np.ones(2)), LOOPS))
    assert not re.search(r"iter_args\(%\w+ = %\w+, ", text)


def test_rows_of_short_elements_are_longer() -> None:
    """A block of Bools is several lines of a cache."""
    traced = reached_rows.phi(np.ones((2, 2), bool), np.ones(2, bool))
    text = str(run_pipeline(traced, (*PASSES, "interchange-loops")))
    assert re.search(r"memref\.alloca\(\) : memref<4096xi1>", text)


def test_rows_longer_than_a_block() -> None:
    traced = product.phi(np.ones((2, 2)), np.ones((2, 2)))
    blocks = loops_of(traced, (*PASSES, "interchange-loops"))
    a, b = np.random.default_rng(0).normal(size=(2, 3)), np.ones((3, 131))
    assert_agree(blocks(a, b), a @ b, {"float64": 1e-12})


def test_few_results_of_a_known_number() -> None:
    """Three results of a row are summed in one loop: there is one version."""

    @function
    def rows(a: Any, b: Any) -> Any:
        return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]), size=(a.shape[0], 3))

    traced = rows.phi(np.ones((2, 2)), np.ones((2, 2)))
    before, after = (
        str(run_pipeline(traced.clone(), passes))
        for passes in (PASSES, (*PASSES, "interchange-loops"))
    )
    assert after.count("scf.parallel") == before.count("scf.parallel")
    assert after.count("scf.for") == before.count("scf.for")
    assert after.count("arith.mulf") == 3 * before.count("arith.mulf")


def test_elements_that_are_overwritten() -> None:
    """An element is read once if the loop writes to its array: it is needed after the write."""
    text = """
    func.func @f(%a: memref<?xf64>, %b: memref<?x?xf64>, %own: memref<2xi64>) -> memref<?xf64> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f64
      %steps = memref.dim %b, %c0 : memref<?x?xf64>
      %n = memref.dim %a, %c0 : memref<?xf64>
      %r = memref.alloc(%n) : memref<?xf64>
      scf.for %i = %c0 to %n step %c1 {
        %e = memref.load %a[%i] : memref<?xf64>
        memref.store %e, %r[%i] : memref<?xf64>
      }
      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%j: index):
        %x = memref.load %r[%j] : memref<?xf64>
        memref.store %zero, %r[%j] : memref<?xf64>
        %s = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (f64) {
          %y = memref.load %b[%k, %j] : memref<?x?xf64>
          %z = arith.mulf %x, %y : f64
          %next = arith.addf %acc, %z : f64
          scf.yield %next : f64
        }
        %all = arith.addf %s, %x : f64
        memref.store %all, %r[%j] : memref<?xf64>
        scf.reduce
      }) : (index, index, index) -> ()
      func.return %r : memref<?xf64>
    }
    """
    module = run_pipeline(parse(text), ("interchange-loops",))
    assert "memref.alloca" in str(module)
    for size in (1, 7, 8, 9):
        a, b = np.arange(1.0, size + 1), np.arange(3.0 * size).reshape(3, size)
        (found,) = Loops(module).call("f", a, b)
        np.testing.assert_array_equal(found, a * (b.sum(axis=0) + 1))
