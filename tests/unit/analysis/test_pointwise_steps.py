"""Which loops work on each element of their accumulators by itself."""

import pytest

from ein_mlir.analysis.pointwise_steps import (
    MOST_OPERATIONS,
    MOST_STEPS,
    is_pointwise,
    most_steps_written_out,
)
from ein_mlir.compiler import parse
from ein_mlir.dialects import yarr

T = "tensor<?xf64>"
ADD = f"yarr.elementwise {{ arith.addf }} %x, %y : ({T}, {T}) -> {T}"


def fold(body: str) -> yarr.FoldOp:
    """A loop whose accumulators are ``%x`` and ``%y``."""
    module = parse(f"""
    func.func @f(%n: tensor<i64>, %a: {T}, %b: tensor<?x?xf64>) -> {T} {{
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


def test_long_steps_are_written_out_less_often() -> None:
    times = 100
    long = "\n".join(f"%r{k} = {ADD}" for k in range(times))
    assert most_steps_written_out(fold(f"{long}\n yarr.yield %y, %r0 : {T}, {T}")) == (
        MOST_OPERATIONS // times
    )
    assert most_steps_written_out(fold(f"yarr.yield %y, %x : {T}, {T}")) == MOST_STEPS
