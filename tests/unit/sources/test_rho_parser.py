"""Mistakes in the text of rho: each is a message with its place."""

from __future__ import annotations

import re

import pytest
from xdsl.utils.exceptions import ParseError

from ein_mlir.interpreters.rho import run
from ein_mlir.sources.rho.parser import parse

MISTAKES = [
    ("let x = 1 in y", "t.rho:1:14", "there is no 'y' here"),
    ("let f = \\x. x in\nf 1 2", "t.rho:2:1", "'f' takes 1 argument, got 2"),
    ("let f = \\x.\\y. x in f 1", "t.rho:1:21", "'f' takes 2 arguments, got 1"),
    ("let f = \\x. x in f + 1", "t.rho:1:18", "'f' takes 1 argument, got 0"),
    ("let f = \\x. x in [f]", "t.rho:1:19", "'f' takes 1 argument, got 0"),
    ("let f = \\x. x in shape f", "t.rho:1:24", "'f' is a function, and not a value"),
    ("2 3", "t.rho:1:3", "a value is not a function"),
    ("1 + # comment\n", "t.rho:1:14", "expected an expression, not the end of the text"),
    ("1 @ 2", "t.rho:1:3", "'@' is not part of the language"),
    ("if 1 then 2", "t.rho:1:11", "expected 'else', not the end of the text"),
    ("gen [1] 0 with 0 <= 1 < 2 in 3", "t.rho:1:21", "expected a name, not '1'"),
    ("(1, 2)", "t.rho:1:3", "expected ')', not ','"),
    ("[1 2]", "t.rho:1:4", "a value is not a function"),
    ("(\\x. x) 1 2", "t.rho:1:1", "the lambda takes 1 argument, got 2"),
    ("(\\x. x", "t.rho:1:1", "this parenthesis is not closed"),
    ("1 < 2 < 3", "t.rho:1:7", "expected an operator or the end, not '<'"),
    ("let in = 1 in 2", "t.rho:1:5", "expected a name, not 'in'"),
    ("(" * 100_000, "t.rho:1:", "the expressions are nested too deeply"),
    ("", "t.rho:1:1", "expected an expression, not the end of the text"),
]


@pytest.mark.parametrize(("text", "place", "message"), MISTAKES)
def test_mistake(text: str, place: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        parse(text, "t.rho")
    assert place in str(error.value)
    assert message in str(error.value)


VALUES = [
    ("1 - 2 - 3", -4),
    ("2 * 3 + 4 * 5", 26),
    ("-2 + 3", 1),
    ("|1 - 4| * |-2|", 6),
    ("let f = \\x. x in f |f (-2)|", 2),
    ("let x = 1 in let x = x + 1 in x", 2),
    ("let x = 1 in (let x = 5 in x) + x", 6),
    ("(\\x.\\y. x - y) 5 3", 2),
    ("let x = 1 in (\\x.\\y. x - y) 5 x", 4),
    ("dim [[1]] + 1", 3),
    ("sel [1] [4, 5]", 5),
    ("[4, 5].([1]) + 1", 6),
    ("if [1, 2] = [1, 2] then 10 else 20", 10),
    ("!(1 = 2)", 1),
    ("[1, 2] = 1", 0),
    ("let f = \\n. if n = 0 then 1 else n * f (n - 1) in f 5", 120),
    ("let a = 2 in let f = \\x. x + a in let a = 10 in f a", 12),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_value(text: str, value: float) -> None:
    assert run(parse(text)) == value


ERRORS = [
    ("1 / 0", "rho.arith: division by zero (at t.rho:1:3)"),
    ("[1, 2] + [1, 2, 3]", "rho.arith: [2] + [3]: the shapes differ (at t.rho:1:8)"),
    ("1 + [1, 2]", "rho.arith: [] + [2]: the shapes differ"),
    ("[1, [2]]", "rho.stack: the parts have shapes [] and [1]"),
    ("[1].([1])", "rho.select: index 1 is out of bounds for axis 0 of size 1"),
    ("[1].([0, 0])", "rho.select: 2 indices are too many for shape [1]"),
    ("[1].(0)", "rho.select: an index must be a vector, and not of shape []"),
    ("[1].([0.5])", "rho.select: an index must be of integers: [0.5]"),
    ("1 ++ [1]", "rho.concat: [] ++ [1]: all sizes but the first must be equal"),
    ("gen [-1] 0", "rho.fill: a size is negative: -1"),
    ("gen [2] [1, 2, 3]", "rho.fill: shape [2] does not end in that of the default, [3]"),
    ("gen [2] 0 with [0] <= i < [3] in 1", "rho.gen: bounds 0 to 3 are beyond axis 0 of size 2"),
    ("gen [2] 0 with [0, 0] <= i < [1, 1] in 1", "rho.gen: bounds of 2 axes for 1"),
    ("gen [2] 0 with 0 <= i < [1] in 1", "rho.gen: the bounds have shapes [] and [1]"),
    ("gen [2] 0 with [0] <= i < [1] in i", "rho.gen: a value of shape [1] for []"),
    ("if [1] then 1 else 2", "rho.if: a condition is a scalar, and not of shape [1]"),
    ("[1].[2:]", "rho.rest: there is no rest of shape [1] from 2.0 on"),
    ("let f = \\x. f x in f 1", "the calls of the program are nested too deeply"),
    ("gen [1000000, 1000000, 1000000, 1000000] 0", "does not fit into memory"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_error_of_a_program(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        run(parse(text, "t.rho"))
