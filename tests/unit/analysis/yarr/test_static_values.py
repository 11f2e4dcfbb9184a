"""The values of a yarr function that must be known before it is traced."""

import pytest
from xdsl.dialects import func

from ein_mlir.analysis.yarr.static_values import StaticValues, bounded_count
from ein_mlir.dialects import yarr
from ein_mlir.entry import parse

ADD = "yarr.elementwise { arith.addi } %n, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>"


def analyse(body: str) -> tuple[StaticValues, func.FuncOp]:
    """The analysis of a function of two numbers, an array and a record."""
    module = parse(f"""
    func.func @f(%n: tensor<i64>, %m: tensor<i64>, %a: tensor<?xi64>,
                 %r: tuple<tensor<f64>, tuple<tensor<i64>, tensor<?xi64>>>) {{
      {body}
      func.return
    }}
    """)
    function = module.body.block.first_op
    assert isinstance(function, func.FuncOp)
    return StaticValues(function.body.block), function


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        (f"%s = {ADD}", []),
        (f"%s = {ADD} \n %x = yarr.range %s : tensor<?xi64>", [(0,), (1,)]),
        ("%s = yarr.size %a, 0 : tensor<?xi64> \n %x = yarr.range %s : tensor<?xi64>", []),
        ("%s = yarr.slice %a, 0, %n, %m step 1 clip : tensor<?xi64> -> tensor<?xi64>", [(1,)]),
        ("%s = yarr.pad %a, 0, %n, %m : tensor<?xi64> -> tensor<?xi64>", [(0,), (1,)]),
        (
            "%s = yarr.concat %a, %a axis 0 of %n : (tensor<?xi64>, tensor<?xi64>)"
            " -> tensor<?xi64>",
            [(0,)],
        ),
        ('%s = yarr.assert_eq %n, %m, "sizes"', [(0,), (1,)]),
        (
            "%s = yarr.take %a, 0, %n : (tensor<?xi64>, tensor<i64>) -> tensor<i64> \n"
            "%x = yarr.range %s : tensor<?xi64>",
            [(0,), (2,)],
        ),
    ],
)
def test_arguments(body: str, arguments: list[tuple[int, ...]]) -> None:
    assert analyse(body)[0].arguments == arguments


def test_a_field_of_a_record() -> None:
    static, _ = analyse("""
      %t = yarr.proj %r, 1 : tuple<tensor<f64>, tuple<tensor<i64>, tensor<?xi64>>>
        -> tuple<tensor<i64>, tensor<?xi64>>
      %k = yarr.proj %t, 0 : tuple<tensor<i64>, tensor<?xi64>> -> tensor<i64>
      %x = yarr.range %k : tensor<?xi64>
    """)
    assert static.arguments == [(3, 1, 0)]


LOOP = """
  %s, %t = yarr.fold (%k < %n, %x = %m, %y = %m) -> tensor<i64>, tensor<i64> {{
    %u = yarr.elementwise {{ arith.addi }} %x, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    {body}
    yarr.yield %u, %y : tensor<i64>, tensor<i64>
  }}
  {rest}
"""


@pytest.mark.parametrize(
    ("body", "rest", "unrolled", "arguments"),
    [
        ("", "", False, [(0,)]),
        ("%z = yarr.range %k : tensor<?xi64>", "", True, [(0,)]),
        ("%z = yarr.range %m : tensor<?xi64>", "", False, [(0,), (1,)]),
        ("%z = yarr.range %y : tensor<?xi64>", "", True, [(0,), (1,)]),
        ("", "%z = yarr.range %s : tensor<?xi64>", True, [(0,), (1,)]),
    ],
)
def test_loops(body: str, rest: str, unrolled: bool, arguments: list[tuple[int, ...]]) -> None:
    static, function = analyse(LOOP.format(body=body, rest=rest))
    (loop,) = (op for op in function.walk() if isinstance(op, yarr.FoldOp))
    assert static.is_unrolled(loop) == unrolled
    assert static.arguments == arguments
    assert (loop.counter in static) == ("%k" in body or "%s" in rest)


BOUNDED = """
  %zero = arith.constant dense<0> : tensor<i64>
  %s = yarr.fold (%k < %n, %x = %m) -> tensor<i64> {{
    %least = yarr.elementwise {{ arith.minsi }} %k, %bound
      : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %count = yarr.elementwise {{ arith.maxsi }} %least, %zero
      : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %t = yarr.fold (%j < %count, %y = %x) -> tensor<i64> {{
      yarr.yield %y : tensor<i64>
    }}
    {body}
    yarr.yield %t : tensor<i64>
  }}
"""


@pytest.mark.parametrize("body", ["", "%z = yarr.range %k : tensor<?xi64>"])
def test_a_bounded_count_is_static_only_in_unrolled_loops(body: str) -> None:
    static, function = analyse(
        "%bound = yarr.size %a, 0 : tensor<?xi64>" + BOUNDED.format(body=body)
    )
    outer, inner = (op for op in function.walk() if isinstance(op, yarr.FoldOp))
    found = bounded_count(inner)
    assert found is not None
    assert (found.count, bounded_count(outer)) == (outer.counter, None)
    assert found.bound in static
    assert static.is_unrolled(outer) == (inner.count in static) == bool(body)


@pytest.mark.parametrize(
    ("count", "is_static"),
    [
        (
            "yarr.elementwise { arith.addi } %n, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>",
            True,
        ),
        ("yarr.size %a, 0 : tensor<?xi64>", True),
        ("yarr.reduce %a, [0] by { arith.maxsi } : tensor<?xi64> -> tensor<i64>", False),
    ],
)
def test_a_bounded_count_from_data_is_not_static(count: str, is_static: bool) -> None:
    static, function = analyse(f"""
      %bound = yarr.size %a, 0 : tensor<?xi64>
      %zero = arith.constant dense<0> : tensor<i64>
      %c = {count}
      %least = yarr.elementwise {{ arith.minsi }} %c, %bound
        : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %count = yarr.elementwise {{ arith.maxsi }} %least, %zero
        : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %t = yarr.fold (%j < %count, %y = %zero) -> tensor<i64> {{
        yarr.yield %y : tensor<i64>
      }}
    """)
    (loop,) = (op for op in function.walk() if isinstance(op, yarr.FoldOp))
    assert (loop.count in static) == is_static
    assert not static.is_unrolled(loop)


def test_an_unrolled_loop_has_a_static_count() -> None:
    """Its result is a size: its count is static, although it depends on elements."""
    static, function = analyse("""
      %bound = yarr.size %a, 0 : tensor<?xi64>
      %zero = arith.constant dense<0> : tensor<i64>
      %c = yarr.reduce %a, [0] by { arith.maxsi } : tensor<?xi64> -> tensor<i64>
      %least = yarr.elementwise { arith.minsi } %c, %bound
        : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %count = yarr.elementwise { arith.maxsi } %least, %zero
        : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %t = yarr.fold (%j < %count, %y = %zero) -> tensor<i64> {
        yarr.yield %n : tensor<i64>
      }
      %x = yarr.range %t : tensor<?xi64>
    """)
    (loop,) = (op for op in function.walk() if isinstance(op, yarr.FoldOp))
    assert static.is_unrolled(loop)
    assert loop.count in static
