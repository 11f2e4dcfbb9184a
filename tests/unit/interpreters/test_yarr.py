"""The interpreter of yarr: each operation by example, and errors."""

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, math
from xdsl.parser import Parser
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.dialects import sigma, yarr
from ein_mlir.dialects.reductions import REDUCTIONS
from ein_mlir.interpreters.yarr import run_yarr

DIALECTS = (arith.Arith, builtin.Builtin, func.Func, math.Math, sigma.Sigma, yarr.Yarr)
INT, VECTOR = "tensor<i64>", "tensor<?xi64>"
MATRIX = np.arange(6.0).reshape(2, 3)


def evaluate(text: str, *args: object, **externs: Callable[..., object]) -> object:
    """Verify a program and call its function @f."""
    context = Context()
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return run_yarr(module, "f", args, externs)


def apply(line: str, result: str, *args: object, **types: str) -> object:
    """The value of one operation on arguments of the types."""
    signature = ", ".join(f"%{name}: {type_}" for name, type_ in types.items())
    return evaluate(
        f"func.func @f({signature}) -> {result} {{\n%r = {line}\nfunc.return %r : {result}\n}}",
        *args,
    )


def assert_is(actual: object, expected: object) -> None:
    """Equal in value, shape and dtype."""
    np.testing.assert_array_equal(actual, expected, strict=True)


# Arrays ---------------------------------------------------------------------------------------


def test_constants():
    assert_is(
        apply("arith.constant dense<[true, false]> : tensor<2xi1>", "tensor<2xi1>"), [True, False]
    )
    assert_is(
        apply("arith.constant dense<1.5> : tensor<2xf32>", "tensor<2xf32>"),
        np.full(2, np.float32(1.5)),
    )
    assert_is(apply("arith.constant dense<-3> : tensor<i64>", "tensor<i64>"), np.int64(-3))


def test_sizes():
    assert_is(
        apply("yarr.range %n : tensor<?xi64>", "tensor<?xi64>", 3, n="tensor<i64>"), np.arange(3)
    )
    line = "yarr.size %a, 1 : tensor<?x?xf64>"
    assert_is(apply(line, "tensor<i64>", MATRIX, a="tensor<?x?xf64>"), np.int64(3))


def test_rearrangements():
    a = "tensor<?x?xf64>"
    assert_is(apply(f"yarr.transpose %a, [1, 0] : {a} -> {a}", a, MATRIX, a=a), MATRIX.T)
    line = "yarr.unsqueeze %a, [0, 2] : tensor<?x?xf64> -> tensor<1x?x1x?xf64>"
    assert_is(apply(line, "tensor<1x?x1x?xf64>", MATRIX, a=a), MATRIX[None, :, None, :])
    line = "yarr.squeeze %a, [0] : tensor<?x?xf64> -> tensor<?xf64>"
    assert_is(apply(line, "tensor<?xf64>", MATRIX[:1], a=a), MATRIX[0])
    line = "yarr.repeat %a, 0, %n : tensor<?x?xf64> -> tensor<?x?xf64>"
    assert_is(apply(line, a, MATRIX[:1], 0, a=a, n="tensor<i64>"), np.zeros((0, 3)))


def test_positions():
    types = {"a": "tensor<?x?xf64>", "p": "tensor<?x1xi64>", "q": "tensor<1x?xi64>"}
    line = f"yarr.gather %a[%p, %q] : ({', '.join(types.values())}) -> tensor<?x?xf64>"
    p, q = np.array([[-5], [1]]), np.array([[0, 9]])
    assert_is(apply(line, "tensor<?x?xf64>", MATRIX, p, q, **types), [[0.0, 2.0], [3.0, 5.0]])
    line = "yarr.take %a, 1, %p : (tensor<?x?xf64>, tensor<?x1xi64>) -> tensor<?x?x1xf64>"
    expected = MATRIX[:, [[0], [1]]]
    assert_is(apply(line, "tensor<?x?x1xf64>", MATRIX, p, a=types["a"], p=types["p"]), expected)
    line = "yarr.take %a, 0, %p : (tensor<?xf64>, tensor<i64>) -> tensor<f64>"
    assert_is(
        apply(line, "tensor<f64>", MATRIX[1], 7, a="tensor<?xf64>", p="tensor<i64>"), np.float64(5)
    )


@pytest.mark.parametrize(
    ("start", "size", "step", "expected"),
    [(1, 2, 1, [1, 2]), (3, 2, -2, [3, 1]), (0, 0, 5, [])],
)
def test_slice(start: int, size: int, step: int, expected: list[int]):
    line = f"yarr.slice %a, 0, %s, %n step {step} : tensor<?xi64> -> tensor<?xi64>"
    types = {"a": "tensor<?xi64>", "s": "tensor<i64>", "n": "tensor<i64>"}
    actual = apply(line, "tensor<?xi64>", np.arange(4), start, size, **types)
    assert_is(actual, np.array(expected, np.int64))


@pytest.mark.parametrize(
    ("length", "expected"), [(2, [0, 0, 1, 1]), (1, [0, 0, 0, 0]), (0, [0, 0, 0, 0])]
)
def test_slice_that_clips(length: int, expected: list[int]):
    line = "yarr.slice %a, 0, %s, %n step 1 clip : tensor<?xi64> -> tensor<?xi64>"
    types = {"a": "tensor<?xi64>", "s": "tensor<i64>", "n": "tensor<i64>"}
    assert_is(apply(line, "tensor<?xi64>", np.arange(length), -1, 4, **types), expected)


def test_ends():
    types = {"a": "tensor<?xf64>", "m": "tensor<i64>", "n": "tensor<i64>"}
    line = "yarr.pad %a, 0, %m, %n : tensor<?xf64> -> tensor<?xf64>"
    assert_is(
        apply(line, "tensor<?xf64>", np.array([1.0, 2.0]), 2, 1, **types), [1.0, 1.0, 1.0, 2.0, 2.0]
    )
    line = "yarr.fill_empty %a, 1 : tensor<?x?xf64> -> tensor<?x?xf64>"
    a = "tensor<?x?xf64>"
    assert_is(apply(line, a, MATRIX, a=a), MATRIX)
    assert_is(apply(line, a, np.ones((2, 0)), a=a), np.zeros((2, 1)))
    line = f"yarr.concat %a, %a axis 1 : ({a}, {a}) -> {a}"
    assert_is(apply(line, a, MATRIX, a=a), np.hstack([MATRIX, MATRIX]))


# Scalar functions -----------------------------------------------------------------------------


def test_elementwise():
    types = {"a": "tensor<?x1xf64>", "b": "tensor<1x?xf64>"}
    operands = ", ".join(types.values())
    line = f"yarr.elementwise {{ arith.subf }} %a, %b : ({operands}) -> tensor<?x?xf64>"
    a, b = np.array([[1.0], [2.0]]), np.array([[10.0, 20.0, 30.0]])
    assert_is(apply(line, "tensor<?x?xf64>", a, b, **types), a - b)
    assert_is(apply(line, "tensor<?x?xf64>", a, b[:, :0], **types), np.zeros((2, 0)))
    body = "%0 = arith.constant 7 : i32\nyarr.yield %0 : i32"
    line = f"yarr.elementwise () : () -> tensor<i32> {{\n{body}\n}}"
    assert_is(apply(line, "tensor<i32>"), np.int32(7))


@pytest.mark.parametrize("name", sorted(REDUCTIONS))
def test_reduce(name: str):
    element = "f64" if name.endswith("f") else "i64"
    dtype = {"f64": np.float64, "i64": np.int64}[element]
    function = {
        "add": np.sum,
        "mul": np.prod,
        "min": np.min,
        "max": np.max,
        "and": np.bitwise_and.reduce,
        "ori": np.bitwise_or.reduce,
        "xor": np.bitwise_xor.reduce,
    }[name.removeprefix("arith.")[:3]]
    line = (
        f"yarr.reduce %a, [0, 2] by {{ {name} }} : tensor<?x?x?x{element}> -> tensor<?x{element}>"
    )
    array = (np.arange(12).reshape(2, 3, 2) % 5).astype(dtype)
    actual = apply(line, f"tensor<?x{element}>", array, a=f"tensor<?x?x?x{element}>")
    assert_is(actual, function(array, axis=(0, 2)))
    identity = apply(line, f"tensor<?x{element}>", array[:0], a=f"tensor<?x?x?x{element}>")
    assert isinstance(identity, np.ndarray)
    np.testing.assert_array_equal(
        function(np.stack([identity, array[0, :, 0]]), axis=0), array[0, :, 0]
    )


@pytest.mark.parametrize("length", range(8))
def test_tree_reduce_keeps_the_order(length: int):
    # The product of affine maps x -> a*x + b, which does not commute.
    text = f"""
    func.func @f(%a: {VECTOR}, %b: {VECTOR}, %one: {INT}, %zero: {INT}) -> ({INT}, {INT}) {{
      %r, %s = yarr.tree_reduce %a, %b identity %one, %zero
        : {VECTOR}, {VECTOR} identity {INT}, {INT} -> {INT}, {INT} {{
      ^bb0(%a0: {VECTOR}, %b0: {VECTOR}, %a1: {VECTOR}, %b1: {VECTOR}):
        %p = yarr.elementwise {{ arith.muli }} %a0, %a1 : ({VECTOR}, {VECTOR}) -> {VECTOR}
        %q = yarr.elementwise {{ arith.muli }} %a0, %b1 : ({VECTOR}, {VECTOR}) -> {VECTOR}
        %t = yarr.elementwise {{ arith.addi }} %q, %b0 : ({VECTOR}, {VECTOR}) -> {VECTOR}
        yarr.yield %p, %t : {VECTOR}, {VECTOR}
      }}
      func.return %r, %s : {INT}, {INT}
    }}
    """
    a, b = np.arange(2, 2 + length), np.arange(length)
    scale, shift = 1, 0
    for x, y in zip(a, b, strict=True):
        scale, shift = scale * x, scale * y + shift
    assert evaluate(text, a, b, 1, 0) == (scale, shift)


def test_einsum():
    a = "tensor<?x?xf64>"
    line = f'yarr.einsum "ij,kj->ki" %a, %b : ({a}, {a}) -> {a}'
    other = np.arange(12.0).reshape(4, 3)
    assert_is(apply(line, a, MATRIX, other, a=a, b=a), other @ MATRIX.T)


# Loops, records, functions --------------------------------------------------------------------


def test_fold_and_records():
    given, returned = f"tuple<{VECTOR}, {INT}>", f"tuple<{INT}, {VECTOR}>"
    text = f"""
    func.func @f(%n: {INT}, %t: {given}) -> {returned} {{
      %a = yarr.proj %t, 0 : {given} -> {VECTOR}
      %b = yarr.proj %t, 1 : {given} -> {INT}
      %x, %y = yarr.fold (%k < %n, %x = %a, %y = %b) -> {VECTOR}, {INT} {{
        %z = yarr.elementwise {{ arith.addi }} %y, %k : ({INT}, {INT}) -> {INT}
        yarr.yield %x, %z : {VECTOR}, {INT}
      }}
      %r = yarr.tuple %y, %x : ({INT}, {VECTOR}) -> {returned}
      func.return %r : {returned}
    }}
    """
    total, vector = evaluate(text, 5, ([7, 8], 100))  # pyright: ignore[reportGeneralTypeIssues]
    assert total == 110
    assert_is(vector, np.array([7, 8]))
    with pytest.raises(ValueError, match="size of index k is negative: -1"):
        evaluate(text, -1, ([7, 8], 100))


def test_extern():
    text = """
    func.func @f(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
      %r = yarr.extern @sort(%a) batch 1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
      func.return %r : tensor<?x?xf64>
    }
    """
    assert_is(evaluate(text, -MATRIX, sort=np.sort), np.sort(-MATRIX))
    with pytest.raises(
        ValueError, match="no extern function '@sort' is registered; there are: @cos"
    ):
        evaluate(text, MATRIX, cos=np.cos)


def test_assertions():
    types = {"m": "tensor<i64>", "n": "tensor<i64>"}
    line = 'yarr.assert_eq %m, %n, "index i"'
    assert_is(apply(line, "tensor<i64>", 3, 3, **types), np.int64(3))
    with pytest.raises(ValueError, match="index i: 3 != 4"):
        apply(line, "tensor<i64>", 3, 4, **types)
    line = 'yarr.assert_size %m, "size of index i"'
    assert_is(apply(line, "tensor<i64>", 0, m="tensor<i64>"), np.int64(0))
    with pytest.raises(ValueError, match="size of index i is negative: -1"):
        apply(line, "tensor<i64>", -1, m="tensor<i64>")


def test_concat_of_different_sizes():
    a = "tensor<?x?xf64>"
    line = f"yarr.concat %a, %b axis 0 : ({a}, {a}) -> {a}"
    with pytest.raises(ValueError, match="concat: sizes along axis 1 differ: 3 != 2"):
        apply(line, a, MATRIX, MATRIX[:, :2], a=a, b=a)


# Errors of incorrect programs -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("yarr.range %n : tensor<?xi64>", "yarr.range: the size is negative: -1"),
        ("yarr.slice %v, 0, %n, %o step 1 : tensor<?xi64> -> tensor<?xi64>", "out of bounds"),
        ("yarr.slice %v, 0, %o, %n step 1 : tensor<?xi64> -> tensor<?xi64>", "is negative"),
        ("yarr.repeat %v, 0, %o : tensor<?xi64> -> tensor<?xi64>", "only size 1"),
        ("yarr.squeeze %v, [0] : tensor<?xi64> -> tensor<i64>", "only size 1 can be removed"),
        (
            "yarr.take %v, 0, %n in_bounds : (tensor<?xi64>, tensor<i64>) -> tensor<i64>",
            "out of bounds",
        ),
        (
            "yarr.take %e, 0, %n : (tensor<?xi64>, tensor<i64>) -> tensor<i64>",
            "an empty axis is read",
        ),
        ("yarr.pad %e, 0, %o, %o : tensor<?xi64> -> tensor<?xi64>", "an empty axis has no ends"),
        (
            f"yarr.elementwise {{ arith.addi }} %v, %w : ({VECTOR}, {VECTOR}) -> {VECTOR}",
            r"sizes along axis 0 differ: \[1, 3\]",
        ),
        (
            'yarr.einsum "i,i->i" %v, %w : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>',
            "axis 'i' has sizes 3 and 1",
        ),
        (
            "yarr.transpose %v, [0] : tensor<?xi64> -> tensor<4xi64>",
            r"shape \(3,\) is not a 'tensor<4xi64>'",
        ),
    ],
)
def test_errors_of_whoever_made_the_program(line: str, message: str):
    types = {"v": VECTOR, "w": VECTOR, "e": VECTOR, "n": INT, "o": INT}
    args = np.arange(3), np.arange(1), np.arange(0), -1, 1
    result = line.rpartition("-> ")[2].rpartition(" : ")[2]
    with pytest.raises(InterpretationError, match=message):
        apply(line, result, *args, **types)


def test_arguments():
    t = "tensor<?x3xf64>"
    text = f"func.func @f(%a: {t}) -> {t} {{\nfunc.return %a : {t}\n}}"
    assert_is(evaluate(text, [[1, 2, 3]]), [[1.0, 2.0, 3.0]])
    with pytest.raises(TypeError, match="@f takes 1 argument, got 2"):
        evaluate(text, MATRIX, MATRIX)
    with pytest.raises(
        InterpretationError, match=r"of float32 of shape \(2, 3\) is not a 'tensor<\?x3xf64>'"
    ):
        evaluate(text, MATRIX.astype(np.float32))
    with pytest.raises(ValueError, match="no function '@f' in the module"):
        evaluate("func.func @g() {\nfunc.return\n}")
