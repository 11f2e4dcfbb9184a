"""Tests of phi that text cannot express: constructors, types, the cost of the regularity rule."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.builder import Builder
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerType,
    Signedness,
    StringAttr,
    TupleType,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import irregularities

ROOT = Path(__file__).parents[3]
FILECHECK = ROOT / "tests" / "filecheck" / "dialects" / "phi"
SCALARS = [i1, i8, i16, i32, i64, f32, f64]
SIGNED = IntegerType(64, Signedness.SIGNED)
NO_PHI_TYPES = [IndexType(), IntegerType(7), SIGNED, TupleType((IndexType(),))]


def body(types: list[Attribute], make: Callable[..., SSAValue]) -> Region:
    """A region that yields the values built by `make` from the builder and the block arguments."""
    block = Block(arg_types=types)
    builder = Builder(InsertPoint.at_end(block))
    builder.insert(phi.YieldOp(make(builder, *block.args)))
    return Region(block)


@pytest.mark.parametrize("op", list(phi.Phi.operations), ids=lambda op: op.name)
@pytest.mark.parametrize("file", ["ops.mlir", "invalid.mlir"])
def test_every_operation_has_a_round_trip_and_an_invalid_case(op: type[Operation], file: str):
    assert op.name in (FILECHECK / file).read_text()


@pytest.mark.parametrize("op", list(phi.Phi.operations), ids=lambda op: op.name)
def test_every_operation_is_documented(op: type[Operation]):
    assert op.name in (ROOT / "docs" / "phi.md").read_text()
    assert op.__doc__
    assert "```mlir" in op.__doc__


@pytest.mark.parametrize("type_", [*SCALARS, phi.VecType(f64), TupleType(())])
def test_phi_types(type_: Attribute):
    assert phi.is_phi_type(type_)
    assert phi.is_phi_type(phi.VecType(type_))
    assert phi.is_scalar_type(type_) == (type_ in SCALARS)


@pytest.mark.parametrize("type_", NO_PHI_TYPES)
def test_other_types(type_: Attribute):
    assert not phi.is_phi_type(type_)
    with pytest.raises(VerifyException, match=r"!phi\.vec holds i1, i8, .*, vectors"):
        phi.VecType(type_)


def test_ranks():
    matrix = phi.vec_of(TupleType((f64,)), 2)
    assert str(matrix) == "!phi.vec<!phi.vec<tuple<f64>>>"
    assert phi.rank_of(matrix) == 2
    assert phi.scalar_of(matrix) == TupleType((f64,))
    assert phi.element_of(matrix, 0) == matrix
    assert phi.element_of(matrix) == phi.VecType(TupleType((f64,)))
    assert phi.element_of(matrix, 3) is None


def test_results_are_inferred():
    matrix, n = create_ssa_value(phi.vec_of(f64, 2)), create_ssa_value(i64)
    x = create_ssa_value(f64)
    assert phi.GetOp(matrix, [n]).result.type == phi.VecType(f64)
    assert phi.GetOp(matrix, [n, n]).result.type == f64
    assert phi.TupleOp([x, n]).result.type == TupleType((f64, i64))
    assert phi.ProjOp(phi.TupleOp([x, n]), 1).result.type == i64
    assert phi.ConcatOp(matrix, matrix).result.type == matrix.type
    array = phi.ArrayOp([n, n], body([IndexType()] * 2, lambda builder, i, j: x))
    assert array.result.type == phi.vec_of(f64, 2)
    fold = phi.FoldOp(n, x, body([i64, f64], lambda builder, k, acc: acc))
    assert fold.result.type == f64
    assert (fold.counter.type, fold.accumulator.type) == (i64, f64)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda n, v: phi.GetOp(v, [n, n]), "too many positions for a .* of rank 1: 2"),
        (lambda n, v: phi.ProjOp(phi.TupleOp([n]), 1), "'tuple<i64>' has no field 1"),
        (lambda n, v: phi.ProjOp(v, 0), "'!phi.vec<f64>' has no field 0"),
        (lambda n, v: phi.ArrayOp([n], Region(Block())), "must end in phi.yield"),
    ],
)
def test_constructors_refuse(make: Callable[[SSAValue, SSAValue], object], message: str):
    with pytest.raises(ValueError, match=message):
        make(create_ssa_value(i64), create_ssa_value(phi.VecType(f64)))


def test_a_diagnostic_says_where_the_operation_was_written():
    size = phi.SizeOp(create_ssa_value(phi.VecType(f64)), 1)
    size.location = FileLineColLoc(StringAttr("distances.py"), IntAttr(12), IntAttr(3))
    with pytest.raises(VerifyException, match=r"no axis 1 \(at distances\.py:12:3\)\n"):
        size.verify()


def nest(depth: int, operations: int, use_index: bool) -> phi.ArrayOp:
    """A comprehension over folds in folds, each counting to the counter around it.

    The innermost holds a chain of operations on the index, and an array of the innermost counter's
    size, or, with `use_index`, of the end of that chain.
    """
    n = create_ssa_value(i64)

    def innermost(builder: Builder, index: SSAValue, counter: SSAValue) -> SSAValue:
        value: SSAValue = builder.insert(arith.IndexCastOp(index, i64)).result
        for _ in range(operations):
            value = builder.insert(arith.AddiOp(value, value)).result
        size = value if use_index else counter
        builder.insert(phi.ArrayOp([size], body([IndexType()], lambda builder, j: value)))
        return value

    def level(builder: Builder, index: SSAValue, count: SSAValue, depth: int) -> SSAValue:
        if depth == 0:
            return innermost(builder, index, count)
        inside = body([i64, i64], lambda builder, k, acc: level(builder, index, k, depth - 1))
        return builder.insert(phi.FoldOp(count, n, inside)).result

    return phi.ArrayOp([n], body([IndexType()], lambda builder, i: level(builder, i, n, depth)))


def test_regularity_of_a_deep_nest():
    assert list(irregularities(nest(12, 100, use_index=False))) == []
    (irregularity,) = irregularities(array := nest(12, 100, use_index=True))
    assert isinstance(irregularity.op, phi.ArrayOp)
    assert irregularity.op is not array
    assert irregularity.index is array.indices[0]


@pytest.mark.parametrize("depth", [1, 12])
def test_regularity_costs_a_step_for_each_use(depth: int, monkeypatch: pytest.MonkeyPatch):
    """The rule visits each value once, regardless of its depth and its uses."""
    from ein_mlir.dialects.phi import verification

    steps: Counter[str] = Counter()
    flow = verification._flow

    def counting(*args: object) -> object:
        steps["flow"] += 1
        return flow(*args)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(verification, "_flow", counting)
    list(irregularities(nest(depth, 2000, use_index=False)))
    assert steps["flow"] < 2 * 2000 + 10 * depth


def test_an_index_may_leave_through_an_operation_that_is_not_known():
    """Operations of other dialects pass an index on to all their results."""

    def inside(builder: Builder, i: SSAValue) -> SSAValue:
        unknown = builder.insert(test.TestOp([i], [f64, i64]))
        builder.insert(phi.ArrayOp([unknown.results[1]], body([IndexType()], lambda b, j: x)))
        return unknown.results[0]

    x = create_ssa_value(f64)
    array = phi.ArrayOp([create_ssa_value(i64)], body([IndexType()], inside))
    with pytest.raises(VerifyException, match="the size of #0 depends on the index #0"):
        array.verify()
