"""Operands in the order of Sethi and Ullman need the least memory that any order needs."""

from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.analysis.emitpy.evaluation_order import (
    TYPICAL_SIZE,
    estimated_bytes,
    larger_operands_first,
    peak_bytes,
)
from ein_mlir.analysis.emitpy.shared_memory import Memory
from ein_mlir.entry import parse
from ein_mlir.passes.emitpy.shorten_lifetimes import shorten_lifetimes

ARRAY = "tensor<?xf64>"
MOST_OPERATIONS = 6


@st.composite
def trees(draw: st.DrawFn, in_sequence: bool = False) -> str:
    """A function in which each value except the argument is read once.

    ``in_sequence`` is whether operands are computed one after the other, not in turn.
    """
    lines, waiting = list[str](), list[str]()
    for number in range(draw(st.integers(1, MOST_OPERATIONS))):
        count = draw(st.integers(0, min(2, len(waiting))))
        places = [
            -1 if in_sequence else draw(st.integers(0, len(waiting) - k - 1)) for k in range(count)
        ]
        operands = [waiting.pop(place) for place in places]
        operands = operands or ["%a"]
        types = ", ".join([ARRAY] * len(operands))
        name = "np.add" if count == 2 else "np.exp"
        call = f'emitpy.call "{name}"({", ".join(operands)}) : ({types}) -> {ARRAY}'
        lines.append(f"%v{number} = {call}")
        waiting.append(f"%v{number}")
    types = ", ".join([ARRAY] * len(waiting))
    body = "\n".join(lines)
    return f"""
      func.func @f(%a: {ARRAY}) -> ({types}) {{
        {body}
        func.return {", ".join(waiting)} : {types}
      }}"""


def body_of(module: ModuleOp) -> func.FuncOp:
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    return function


def peak(ops: Sequence[Operation]) -> int:
    """The peak in arrays; the return is not a last use here."""
    made = {result for op in ops for result in op.results}
    returned = {v for v in made if any(use.operation not in ops for use in v.uses)}
    unit = estimated_bytes(next(iter(made)))
    return peak_bytes(ops, Memory(), lambda v: v in made and v not in returned) // unit


def orders(ops: Sequence[Operation]) -> Iterator[Sequence[Operation]]:
    """All orders in which operands precede their users."""
    if not ops:
        yield ()
    for op in ops:
        if not any(operand.owner in ops for operand in op.operands):
            for rest in orders([each for each in ops if each is not op]):
                yield op, *rest


@given(trees(in_sequence=True))
def test_least_memory_for_each_result(program: str) -> None:
    """No order of a tree with one result needs less, if operands were computed in sequence."""
    module = parse(program)
    *ops, end = body_of(module).body.block.ops
    order = larger_operands_first(ops, Memory())
    assert set(order) == set(ops)
    assert len(order) == len(ops)
    if len(end.operands) == 1:
        assert peak(order) == min(map(peak, orders(ops)))


@given(trees())
def test_never_more_memory(program: str) -> None:
    module = parse(program)
    block = body_of(module).body.block
    before = peak(list(block.ops)[:-1])
    shorten_lifetimes(block, Memory())
    module.verify()
    check_dominance(module)
    assert peak(list(block.ops)[:-1]) <= before


def test_estimates() -> None:
    """Unknown sizes count as one number; a scalar takes no memory."""
    program = """
      func.func @f(%a: tensor<?x3xf32>, %b: tensor<?xi1>, %c: tensor<f64>, %d: !emitpy.object) {
        func.return
      }"""
    sizes = [estimated_bytes(v) for v in body_of(parse(program)).body.block.args]
    assert sizes == [12 * TYPICAL_SIZE, TYPICAL_SIZE, 0, 0]


def test_views_hold_what_they_are_part_of() -> None:
    """A view of the first operand keeps it alive, so the second one still comes first."""
    program = f"""
      func.func @f(%a: {ARRAY}, %k: !emitpy.object) -> {ARRAY} {{
        %s = emitpy.slice
        %x = emitpy.call "np.exp"(%a) : ({ARRAY}) -> {ARRAY}
        %v = emitpy.subscript %x[%s] : ({ARRAY}, !emitpy.object) -> {ARRAY}
        %y = emitpy.call "np.sin"(%a) : ({ARRAY}) -> {ARRAY}
        %z = emitpy.call "np.cos"(%a) : ({ARRAY}) -> {ARRAY}
        %p = emitpy.binary %y "*" %z : ({ARRAY}, {ARRAY}) -> {ARRAY}
        %r = emitpy.binary %v "-" %p : ({ARRAY}, {ARRAY}) -> {ARRAY}
        func.return %r : {ARRAY}
      }}"""
    *ops, _ = body_of(parse(program)).body.block.ops
    names = [op.results[0].name_hint for op in larger_operands_first(ops, Memory())]
    assert names == ["y", "z", "p", "s", "x", "v", "r"]
