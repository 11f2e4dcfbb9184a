"""The loops that work on each element of their accumulators independently."""

from itertools import pairwise

import pytest

from ein_mlir.analysis.yarr.pointwise_steps import (
    FEW_OPERATIONS,
    LEAST_WORK,
    MOST_OPERATIONS,
    MOST_STEPS,
    WORK_OF_A_FUNCTION,
    fewest_elements_of_steps_together,
    is_pointwise,
    most_small_steps_written_out,
    most_steps_written_out,
)
from ein_mlir.dialects import yarr
from ein_mlir.entry import parse

T, M = "tensor<?xf64>", "tensor<?x?xf64>"
ADD = f"yarr.elementwise {{ arith.addf }} %x, %y : ({T}, {T}) -> {T}"


def _most_small(op: yarr.FoldOp) -> int:
    return most_small_steps_written_out(op, most_steps_written_out(op))


def _fewest_together(op: yarr.FoldOp) -> int | None:
    return fewest_elements_of_steps_together(op, most_steps_written_out(op))


def fold(body: str) -> yarr.FoldOp:
    """A loop whose accumulators are ``%x`` and ``%y``."""
    module = parse(f"""
    func.func @f(%n: tensor<i64>, %a: {T}, %b: {M}, %c: tensor<f64>) -> {T} {{
      %one = arith.constant dense<1> : tensor<i64>
      %zero = arith.constant dense<0> : tensor<i64>
      %s:2 = yarr.fold (%k < %n, %x = %a, %y = %a) -> {T}, {T} {{
        {body}
      }}
      func.return %s#0 : {T}
    }}
    """)
    return next(op for op in module.walk() if isinstance(op, yarr.FoldOp))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(f"%r = {ADD}\n yarr.yield %y, %r : {T}, {T}", True, id="elementwise"),
        pytest.param(
            f"%t = yarr.take %b, 0, %k : (tensor<?x?xf64>, tensor<i64>) -> {T}\n"
            f"%r = yarr.elementwise {{ arith.mulf }} %t, %x : ({T}, {T}) -> {T}\n"
            f"yarr.yield %r, %y : {T}, {T}",
            True,
            id="what else is read may be read anywhere",
        ),
        pytest.param(
            f"%m = yarr.size %x, 0 : {T}\n"
            f"%r = yarr.slice %a, 0, %zero, %m step 1 : {T} -> {T}\n"
            f"yarr.yield %r, %y : {T}, {T}",
            True,
            id="a size says nothing of elements",
        ),
        pytest.param(
            f"%m = yarr.size %x, 0 : {T}\n"
            f"%r = yarr.slice %x, 0, %one, %m step 1 clip : {T} -> {T}\n"
            f"yarr.yield %r, %y : {T}, {T}",
            False,
            id="shift",
        ),
        pytest.param(
            f"%z = {ADD}\n"
            f"%t = yarr.reduce %z, [0] by {{ arith.addf }} : {T} -> tensor<f64>\n"
            "%u = yarr.unsqueeze %t, [0] : tensor<f64> -> tensor<1xf64>\n"
            f"%r = yarr.elementwise {{ arith.mulf }} %u, %x : (tensor<1xf64>, {T}) -> {T}\n"
            f"yarr.yield %r, %y : {T}, {T}",
            False,
            id="sum of elements",
        ),
        pytest.param(
            f"%r = yarr.fold (%j < %n, %z = %a) -> {T} {{ yarr.yield %z : {T} }}\n"
            f"yarr.yield %r, %y : {T}, {T}",
            False,
            id="loop in a loop",
        ),
    ],
)
def test_steps(body: str, expected: bool) -> None:
    assert is_pointwise(fold(body)) == expected
    assert bool(most_steps_written_out(fold(body))) == expected
    assert bool(_most_small(fold(body))) == expected


@pytest.mark.parametrize(
    ("kind", "of", "is_unrolled"),
    [("math.exp", "%x", False), ("math.exp", "%a", True), ("math.sin", "%x", True)],
)
def test_functions_of_functions_stay_in_a_loop(kind: str, of: str, is_unrolled: bool) -> None:
    """They are those of what a step before has computed, in the same body or another one."""
    negated = f"%z = yarr.elementwise {{ arith.negf }} {of} : ({T}) -> {T}"
    function = f"%r = yarr.elementwise {{ {kind} }} %z : ({T}) -> {T}"
    both = (
        f"%r = yarr.elementwise (%u = {of}) : ({T}) -> {T} {{\n"
        f"%v = arith.negf %u : f64\n%w = {kind} %v : f64\nyarr.yield %w : f64 }}"
    )
    for steps in (f"{negated}\n{function}", both):
        op = fold(
            f"{steps}\n%s = yarr.elementwise {{ arith.addf }} %r, %x : ({T}, {T}) -> {T}\n"
            f"yarr.yield %s, %y : {T}, {T}"
        )
        assert bool(most_steps_written_out(op)) == is_unrolled
        assert bool(_most_small(op)) == is_unrolled


CHANGE_PLACES = f"yarr.yield %y, %x : {T}, {T}"


def chain(length: int, of: str, to: str) -> str:
    """Successive operations, from one value to another."""
    names = [of, *(f"%{to[1:]}{k}" for k in range(length - 1)), to]
    return "\n".join(
        f"{result} = yarr.elementwise {{ arith.mulf }} {operand}, %a : ({T}, {T}) -> {T}"
        for operand, result in pairwise(names)
    )


def test_long_steps_are_written_out_less_often() -> None:
    """Operations count that a value depends on, for each value."""
    long = chain(100, "%a", "%r")
    for result, times in (("%r, %r", 200), ("%y, %r", 100), ("%r, %x", 100)):
        op = fold(f"{long}\n yarr.yield {result} : {T}, {T}")
        assert most_steps_written_out(op) == MOST_OPERATIONS // times
        assert _most_small(op) == FEW_OPERATIONS // times
    op = fold(f"{long}\n{CHANGE_PLACES}")
    assert most_steps_written_out(op) == _most_small(op) == MOST_STEPS


@pytest.mark.parametrize(
    ("last", "is_unrolled"),
    [
        ("%t = yarr.elementwise { arith.negf } %r : (tensor<f64>) -> tensor<f64>", True),
        (f"%t = yarr.reduce %a, [0] by {{ arith.addf }} : {T} -> tensor<f64>", False),
        (f'%t = yarr.einsum "i,i->" %a, %a : ({T}, {T}) -> tensor<f64>', False),
    ],
)
def test_small_steps_with_passes_of_their_own_stay_a_loop(last: str, is_unrolled: bool) -> None:
    op = fold(
        f"%r = yarr.take %a, 0, %k in_bounds : ({T}, tensor<i64>) -> tensor<f64>\n{last}\n"
        "%u = yarr.unsqueeze %t, [0] : tensor<f64> -> tensor<1xf64>\n"
        f"%v = yarr.elementwise {{ arith.addf }} %x, %u : ({T}, tensor<1xf64>) -> {T}\n"
        f"yarr.yield %v, %y : {T}, {T}"
    )
    assert most_steps_written_out(op) == MOST_STEPS
    assert bool(_most_small(op)) == is_unrolled


SUMS = (
    f"%r = yarr.elementwise {{ arith.addf }} %x, %t : ({T}, {T}) -> {T}\n"
    f"%q = yarr.elementwise {{ arith.maximumf }} %y, %t : ({T}, {T}) -> {T}\n"
    f"yarr.yield %r, %q : {T}, {T}"
)

WINDOW = (
    f"%m = yarr.size %a, 0 : {T}\n%t = yarr.slice {{}}, 0, %k, %m step {{}} clip : {T} -> {T}\n"
)


@pytest.mark.parametrize(
    ("body", "work"),
    [
        pytest.param(
            f"%t = yarr.take %b, 0, %k : ({M}, tensor<i64>) -> {T}\n" + SUMS, 2, id="two sums"
        ),
        pytest.param(
            f"%t = yarr.elementwise {{ math.sin }} %a : ({T}) -> {T}\n" + SUMS,
            WORK_OF_A_FUNCTION + 2,
            id="function",
        ),
        pytest.param(
            "%z = yarr.elementwise { math.sin } %c : (tensor<f64>) -> tensor<f64>\n"
            "%u = yarr.unsqueeze %z, [0] : tensor<f64> -> tensor<1xf64>\n"
            f"%t = yarr.elementwise {{ arith.mulf }} %a, %u : ({T}, tensor<1xf64>) -> {T}\n" + SUMS,
            3,
            id="function of a number",
        ),
        pytest.param(
            f"%t = yarr.elementwise {{ arith.mulf }} %x, %a : ({T}, {T}) -> {T}\n"
            f"%r = yarr.elementwise {{ arith.addf }} %t, %a : ({T}, {T}) -> {T}\n"
            f"yarr.yield %r, %y : {T}, {T}",
            2,
            id="no sum",
        ),
        pytest.param(f"%r = {ADD}\n yarr.yield %r, %y : {T}, {T}", None, id="another accumulator"),
        pytest.param(CHANGE_PLACES, None, id="accumulators change places"),
        pytest.param(
            f"%p = yarr.elementwise {{ arith.fptosi }} %a : ({T}) -> tensor<?xi64>\n"
            f"%t = yarr.take %a, 0, %p : ({T}, tensor<?xi64>) -> {T}\n" + SUMS,
            None,
            id="gather",
        ),
        pytest.param(
            f'%t = yarr.einsum "ij,j->i" %b, %a : ({M}, {T}) -> {T}\n' + SUMS,
            None,
            id="contraction",
        ),
        pytest.param(
            f"%m = yarr.size %x, 0 : {T}\n"
            f"%t = yarr.slice %x, 0, %one, %m step 1 clip : {T} -> {T}\n" + SUMS,
            None,
            id="shift",
        ),
        pytest.param(WINDOW.format("%a", 1) + SUMS, 2, id="window of the same vector"),
        pytest.param(WINDOW.format("%a", 2) + SUMS, None, id="every second element"),
        pytest.param(
            f"%z = yarr.elementwise {{ math.absf }} %a : ({T}) -> {T}\n"
            + WINDOW.format("%z", 1)
            + SUMS,
            None,
            id="window of a vector of the step",
        ),
    ],
)
def test_steps_together(body: str, work: int | None) -> None:
    fewest = None if work is None else -(-LEAST_WORK // work)
    assert _fewest_together(fold(body)) == fewest


def test_long_steps_stay_apart() -> None:
    body = f"{chain(MOST_OPERATIONS, '%a', '%t')}\n{SUMS}"
    assert _fewest_together(fold(body)) is None


def test_steps_on_numbers_stay_apart() -> None:
    module = parse("""
    func.func @f(%n: tensor<i64>, %a: tensor<f64>) -> tensor<f64> {
      %s = yarr.fold (%k < %n, %x = %a) -> tensor<f64> {
        %r = yarr.elementwise { arith.mulf } %x, %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
        yarr.yield %r : tensor<f64>
      }
      func.return %s : tensor<f64>
    }
    """)
    (loop,) = (op for op in module.walk() if isinstance(op, yarr.FoldOp))
    assert _fewest_together(loop) is None
