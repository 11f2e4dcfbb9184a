"""Tests of yarr that text cannot express: shapes, inferred types of constructors, completeness."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    StringAttr,
    SymbolRefAttr,
    TupleType,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr import DYNAMIC, SIZE_TYPE, tensor
from ein_mlir.interpreters.yarr import YarrFunctions

ROOT = Path(__file__).parents[3]
OPERATIONS = list(yarr.Yarr.operations)
SHAPES = st.lists(st.sampled_from([0, 1, 2, 3, DYNAMIC]), max_size=4)


def array(*shape: int, element: Attribute = f64) -> SSAValue:
    """Some array of a shape, in which -1 is an unknown size."""
    return create_ssa_value(tensor(element, [DYNAMIC if n == -1 else n for n in shape]))


def size() -> SSAValue:
    return create_ssa_value(SIZE_TYPE)


def body(arguments: list[Attribute], op: type[Operation]) -> Region:
    """A region that yields the result of an operation on its arguments."""
    block = Block(arg_types=arguments)
    block.add_ops([inner := op(*block.args), yarr.YieldOp(inner)])
    return Region(block)


def shown(op: Operation) -> str:
    """The shape of the only result of a valid operation."""
    op.verify()
    return yarr.show(yarr.shape_of(op.results[0]))


# Shapes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shapes", "result"),
    [
        ([], ()),
        ([(), ()], ()),
        ([(1, 3), (2, 1)], (2, 3)),
        ([(1, 1), (1, 1)], (1, 1)),
        ([(1,), (0,)], (0,)),
        ([(DYNAMIC,), (1,)], (DYNAMIC,)),
        ([(DYNAMIC,), (3,), (1,)], (3,)),
        ([(2,), (3,)], None),
        ([(0,), (2,)], None),
    ],
)
def test_broadcast_shapes(shapes: list[tuple[int, ...]], result: tuple[int, ...] | None):
    assert yarr.broadcast_shapes(shapes) == result


@given(
    st.integers(0, 3).flatmap(
        lambda n: st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 3, DYNAMIC])] * n), max_size=4)
    )
)
def test_broadcasting_is_a_fold_in_any_order(shapes: list[tuple[int, ...]]):
    result = yarr.broadcast_shapes(shapes)
    assert yarr.broadcast_shapes(shapes[::-1]) == result
    assert yarr.broadcast_shapes([*shapes, *shapes]) == result
    if shapes and result is not None:
        partial = yarr.broadcast_shapes(shapes[1:])
        assert partial is not None
        assert len(shapes) == 1 or yarr.broadcast_shapes([shapes[0], partial]) == result


@given(SHAPES, SHAPES)
def test_compatible_is_symmetric(a: list[int], b: list[int]):
    assert yarr.compatible(a, b) == yarr.compatible(b, a)
    assert yarr.compatible(a, a)
    assert yarr.compatible(a, [DYNAMIC] * len(a))
    assert not yarr.compatible(a, [*a, 1])


def test_compatible():
    assert yarr.compatible((2, DYNAMIC), (DYNAMIC, 3))
    assert not yarr.compatible((2, 1), (2, 3))


def test_types():
    matrix = array(-1, 3)
    assert (yarr.rank_of(matrix), yarr.shape_of(matrix.type)) == (2, (DYNAMIC, 3))
    assert yarr.element_of(matrix) == f64
    assert (yarr.show((DYNAMIC, 3)), yarr.show(())) == ("?x3", "[]")


# Constructors ---------------------------------------------------------------------------------


def test_shapes_of_rearrangements():
    assert shown(yarr.TransposeOp(array(-1, 1, 3), [2, 0, 1])) == "3x?x1"
    assert shown(yarr.SqueezeOp(array(1, -1, 1), [0, 2])) == "?"
    assert shown(yarr.UnsqueezeOp(array(-1), [0, 2])) == "1x?x1"
    assert shown(yarr.UnsqueezeOp(array(), [0, 1])) == "1x1"
    assert shown(yarr.RepeatOp(array(1, 3), 0, size())) == "?x3"


def test_shapes_of_parts():
    assert shown(yarr.SliceOp(array(5, 3), 0, size(), size(), -2)) == "?x3"
    assert shown(yarr.PadOp(array(5, 3), 1, size(), size())) == "5x?"
    assert shown(yarr.FillEmptyOp(array(-1, 0), 0)) == "?x0"
    assert shown(yarr.FillEmptyOp(array(-1, 0), 1)) == "?x1"
    assert shown(yarr.ConcatOp([array(2, 3), array(-1, 3)], 0)) == "?x3"
    assert shown(yarr.RangeOp(size())) == "?"
    assert shown(yarr.RangeOp(size(), 4)) == "4"
    assert shown(yarr.SizeOp(array(4), 0)) == "[]"


def test_shapes_at_positions():
    rows, columns = array(-1, 1, element=i64), array(1, 4, element=i64)
    assert shown(yarr.GatherOp(array(5, 6, 7), [rows, columns])) == "?x4x7"
    assert shown(yarr.TakeOp(array(5, 6, 7), 1, columns)) == "5x1x4x7"
    assert shown(yarr.TakeOp(array(5, 6, 7), 2, size(), in_bounds=True)) == "5x6"
    with pytest.raises(ValueError, match="do not broadcast"):
        yarr.GatherOp(array(5, 6), [array(2, element=i64), array(3, element=i64)])


def test_shapes_of_scalar_functions():
    sum_ = yarr.ElementwiseOp([array(-1, 1), array(1, 3)], body([f64, f64], arith.AddfOp))
    assert shown(sum_) == "?x3"
    assert shown(yarr.ReduceOp(array(2, -1, 3), [0, 2], arith.AddfOp)) == "?"
    assert shown(yarr.ReduceOp(array(2, element=i1), [0], arith.OrIOp)) == "[]"
    assert shown(yarr.EinsumOp("ij,jk->ki", [array(-1, 3), array(-1, 5)])) == "5x?"
    with pytest.raises(ValueError, match="do not broadcast"):
        yarr.ElementwiseOp([array(2), array(3)], body([f64, f64], arith.AddfOp))


def test_types_of_loops_and_records():
    block = Block(arg_types=[SIZE_TYPE, tensor(f64, [DYNAMIC])])
    block.add_op(yarr.YieldOp(block.args[1]))
    loop = yarr.FoldOp(size(), [array(-1)], Region(block))
    assert shown(loop) == "?"
    assert (loop.counter.type, loop.accumulators[0].type) == (SIZE_TYPE, loop.results[0].type)
    vector = tensor(f64, [DYNAMIC])
    block = Block(arg_types=[vector, vector])
    block.add_op(yarr.YieldOp(block.args[1]))
    assert shown(yarr.TreeReduceOp([array(-1)], [array()], Region(block))) == "[]"
    record = yarr.TupleOp([array(-1), size()])
    record.verify()
    assert record.result.type == TupleType((vector, SIZE_TYPE))
    assert yarr.ProjOp(record, 1).result.type == SIZE_TYPE
    yarr.AssertEqOp(size(), size(), "sizes").verify()
    yarr.AssertSizeOp(size(), "size").verify()
    yarr.ExternOp(SymbolRefAttr("sort"), [array(-1, -1)], vector, batch=1).verify()


def test_errors_tell_where_the_operation_was_written():
    op = yarr.SizeOp(array(-1), 1)
    op.location = FileLineColLoc(StringAttr("program.py"), IntAttr(7), IntAttr(1))
    with pytest.raises(VerifyException, match=r"rank 1 \(at program\.py:7:1\)"):
        op.verify()


# Completeness ---------------------------------------------------------------------------------


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_operation_is_complete(op: type[Operation]):
    tests = ROOT / "tests" / "filecheck" / "dialects" / "yarr"
    assert f"{op.name} " in (tests / "ops.mlir").read_text() or op is yarr.YieldOp
    assert "Example:" in (op.__doc__ or ""), "the docstring has no example"
    assert f"`{op.name}`" in (ROOT / "docs" / "yarr.md").read_text()
    functions = YarrFunctions()
    assert op in {implemented for implemented, _ in functions._impls()}


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_operation_has_an_invalid_case(op: type[Operation]):
    tests = ROOT / "tests" / "filecheck" / "dialects" / "yarr"
    if op not in (yarr.AssertEqOp, yarr.AssertSizeOp):  # These have nothing but fixed types.
        assert f"CHECK: {op.name}: " in (tests / "invalid.mlir").read_text() or op is yarr.YieldOp
