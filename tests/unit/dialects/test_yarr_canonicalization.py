"""Canonicalisation preserves random programs, run by the interpreter before and after."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import Builtin, ModuleOp, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalize import CanonicalizePass

from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.canonicalization import PATTERNS
from ein_mlir.dialects.yarr.canonicalization.views import ViewOp, chain_of
from ein_mlir.interpreters.yarr import run_yarr
from tests.selection import examples

Draw: TypeAlias = st.DrawFn
Shape: TypeAlias = tuple[int, ...]


class Program:
    """A function of one array, built step by step; the shape of each value is known."""

    def __init__(self, shape: Shape, static: tuple[bool, ...]):
        """Start with the argument, whose sizes are static or dynamic; size 1 is always static."""
        type_ = yarr.tensor(
            i64, [n if s or n == 1 else yarr.DYNAMIC for n, s in zip(shape, static, strict=True)]
        )
        self.block = Block(arg_types=[type_])
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.argument = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
        self.value: SSAValue = self.block.args[0]
        self.shape = shape

    def constant(self, number: int) -> SSAValue:
        return self.builder.insert(yarr.size_constant(number)).result

    def size(self, axis: int) -> SSAValue:
        return self.builder.insert(yarr.SizeOp(self.value, axis)).result

    def module(self) -> ModuleOp:
        sizes = [self.size(axis) for axis in range(len(self.shape))]
        results = [self.value, *sizes]
        self.builder.insert(func.ReturnOp(*results))
        types = [list(self.block.arg_types), [result.type for result in results]]
        return ModuleOp([func.FuncOp("f", (types[0], types[1]), Region(self.block))])


def transpose(program: Program, draw: Draw) -> None:
    permutation = draw(st.permutations(range(len(program.shape))))
    program.value = program.builder.insert(yarr.TransposeOp(program.value, permutation)).result
    program.shape = tuple(program.shape[axis] for axis in permutation)


def squeeze(program: Program, draw: Draw) -> None:
    units = [d for d, n in enumerate(yarr.shape_of(program.value)) if n == 1]
    axes = sorted(draw(st.sets(st.sampled_from(units)))) if units else []
    program.value = program.builder.insert(yarr.SqueezeOp(program.value, axes)).result
    program.shape = tuple(n for d, n in enumerate(program.shape) if d not in axes)


def unsqueeze(program: Program, draw: Draw) -> None:
    count = draw(st.integers(0, max(0, 5 - len(program.shape))))
    rank = len(program.shape) + count
    axes = sorted(draw(st.permutations(range(rank)))[:count])
    program.value = program.builder.insert(yarr.UnsqueezeOp(program.value, axes)).result
    rest = iter(program.shape)
    program.shape = tuple(1 if d in axes else next(rest) for d in range(rank))


def some_axis(program: Program, draw: Draw, units: bool = False) -> int | None:
    axes = [d for d in range(len(program.shape)) if not units or program.shape[d] == 1]
    return draw(st.sampled_from(axes)) if axes else None


def resized(program: Program, axis: int, size: int) -> None:
    program.shape = (*program.shape[:axis], size, *program.shape[axis + 1 :])


def repeat(program: Program, draw: Draw) -> None:
    if (axis := some_axis(program, draw, units=True)) is not None:
        count = draw(st.integers(0, 3))
        op = yarr.RepeatOp(program.value, axis, program.constant(count))
        program.value = program.builder.insert(op).result
        resized(program, axis, count)


def slice_(program: Program, draw: Draw) -> None:
    if (axis := some_axis(program, draw)) is not None:
        size = program.shape[axis]
        start = draw(st.integers(0, max(0, size - 1)))
        step = draw(st.sampled_from([1, 1, 2, -1]))
        room = size - start if step > 0 else start + 1
        count = draw(st.integers(0, -(-room // abs(step)) if size else 0))
        whole = draw(st.booleans())
        if whole:
            start, step, count = 0, 1, size
        op = yarr.SliceOp(
            program.value,
            axis,
            program.constant(start),
            program.size(axis) if whole else program.constant(count),
            step,
            clip=draw(st.booleans()),
        )
        program.value = program.builder.insert(op).result
        resized(program, axis, count)


def pad(program: Program, draw: Draw) -> None:
    if (axis := some_axis(program, draw)) is not None and program.shape[axis]:
        low, high = draw(st.integers(0, 1)), draw(st.integers(0, 1))
        op = yarr.PadOp(program.value, axis, program.constant(low), program.constant(high))
        program.value = program.builder.insert(op).result
        resized(program, axis, program.shape[axis] + low + high)


def fill_empty(program: Program, draw: Draw) -> None:
    if (axis := some_axis(program, draw)) is not None:
        program.value = program.builder.insert(yarr.FillEmptyOp(program.value, axis)).result
        resized(program, axis, max(1, program.shape[axis]))


def concat(program: Program, draw: Draw) -> None:
    if (axis := some_axis(program, draw)) is not None:
        count = draw(st.integers(1, 2))
        program.value = program.builder.insert(yarr.ConcatOp([program.value] * count, axis)).result
        resized(program, axis, count * program.shape[axis])


def take(program: Program, draw: Draw) -> None:
    if (axis := some_axis(program, draw)) is not None and program.shape[axis]:
        positions = program.builder.insert(yarr.RangeOp(program.size(axis))).result
        scalar = draw(st.booleans())
        position = program.constant(draw(st.integers(-1, 3))) if scalar else positions
        op = (
            yarr.GatherOp(program.value, [position])
            if axis == 0 and draw(st.booleans())
            else yarr.TakeOp(program.value, axis, position)
        )
        program.value = program.builder.insert(op).result
        if scalar:
            program.shape = (*program.shape[:axis], *program.shape[axis + 1 :])


def elementwise(program: Program, draw: Draw) -> None:
    count = draw(st.integers(1, 3))
    block = Block(arg_types=[i64] * count)
    builder = Builder(InsertPoint.at_end(block))
    result = block.args[0]
    if draw(st.booleans()):
        result = builder.insert(arith.AddiOp(block.args[0], block.args[-1])).result
    builder.insert(yarr.YieldOp(result))
    op = yarr.ElementwiseOp([program.value] * count, Region(block))
    program.value = program.builder.insert(op).result


def reduce(program: Program, draw: Draw) -> None:
    if (axis := some_axis(program, draw)) is not None:
        op = yarr.ReduceOp(program.value, [axis], arith.AddiOp)
        program.value = program.builder.insert(op).result
        program.shape = (*program.shape[:axis], *program.shape[axis + 1 :])


def einsum(program: Program, draw: Draw) -> None:
    letters = "ijklm"[: len(program.shape)]
    kept = draw(st.permutations(letters)) if letters else []
    kept = kept[draw(st.integers(0, min(1, len(kept)))) :]
    op = yarr.EinsumOp(f"{letters}->{''.join(kept)}", [program.value])
    program.value = program.builder.insert(op).result
    program.shape = tuple(program.shape[letters.index(letter)] for letter in kept)


VIEWS = [transpose, squeeze, unsqueeze]
STEPS = [*VIEWS, repeat, slice_, pad, fill_empty, concat, take, elementwise, reduce, einsum]


@st.composite
def programs(draw: Draw, steps: list[Callable[[Program, Draw], None]], static: bool) -> Program:
    shape = tuple(draw(st.lists(st.sampled_from([1, 1, 2, 3, 0]), max_size=4)))
    known = tuple(static or draw(st.booleans()) for _ in shape)
    program = Program(shape, known)
    for step in draw(st.lists(st.sampled_from(steps), min_size=1, max_size=6)):
        if len(program.shape) <= 5:
            step(program, draw)
    return program


def canonical(module: ModuleOp) -> ModuleOp:
    context = Context()
    for dialect in (arith.Arith, Builtin, func.Func, yarr.Yarr):
        context.load_dialect(dialect)
    result = module.clone()
    CanonicalizePass().apply(context, result)
    result.verify()
    return result


def results(module: ModuleOp, program: Program) -> tuple[object, ...]:
    value = run_yarr(module, "f", [program.argument])
    return value if isinstance(value, tuple) else (value,)


def assert_same_meaning(program: Program) -> ModuleOp:
    """Check the canonicalisation of a program and return its result."""
    module = program.module()
    module.verify()
    rewritten = canonical(module)
    pairs = zip(results(rewritten, program), results(module, program), strict=True)
    for actual, expected in pairs:
        np.testing.assert_array_equal(actual, expected, strict=True)
    assert str(canonical(rewritten)) == str(rewritten), "a second run finds more to do"
    return rewritten


@given(programs(VIEWS, static=False))
def test_views_keep_their_meaning_and_are_at_most_two(program: Program):
    result = assert_same_meaning(program)
    for op in result.walk():
        if isinstance(op, ViewOp):
            assert len(chain_of(op)) <= 2


@given(programs(STEPS, static=False))
def test_programs_keep_their_meaning(program: Program):
    assert_same_meaning(program)


@settings(max_examples=examples(50))
@given(programs(STEPS, static=True))
def test_programs_of_static_sizes_keep_their_meaning(program: Program):
    assert_same_meaning(program)


@pytest.mark.parametrize("op", PATTERNS, ids=lambda op: op.name)
def test_only_operations_of_yarr_have_laws(op: type):
    assert op in yarr.Yarr.operations
