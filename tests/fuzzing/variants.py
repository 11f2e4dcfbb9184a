"""Variants of the programs of the tests: what passes look for, and programs that are almost that.

An edit replaces an operand by another value in scope, a literal, an operation or its predicate by a
related one, shifts a position, cuts a count, or puts a choice in front of a value. Edits that make
a program invalid are undone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.verification import verify
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.entry import find_entry, parse
from ein_mlir.errors import EinError

FILES = Path(__file__).resolve().parents[1] / "filecheck"
FOLDERS = ("passes/phi", "passes/conversions", "passes/common", "dialects/phi")
DIALECTS = ("phi.", "arith.", "math.", "sigma.", "func.return", "builtin.")
UNSUITABLE = ("phi.extern", "irregular", "phi.update_slice", "-> index", " of %", "bf16")
"""Parts of programs that promise facts, or that only some conversions take."""

FLOATS = (arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.MaximumfOp, arith.MinimumfOp)
INTS = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp),
    *(arith.FloorDivSIOp, sigma.FloorModOp),
)
BOOLS = (arith.AndIOp, arith.OrIOp, arith.XOrIOp)
FUNCTIONS = (arith.NegfOp, math.AbsFOp, math.FloorOp, math.SqrtOp, math.ExpOp)
FAMILIES = (FLOATS, INTS, BOOLS, FUNCTIONS)
"""Operations of the same operands, which replace each other."""

LITERALS = (0, 1, 2, 3, -1, 5)
FLOAT_LITERALS = (0.0, 1.0, -1.0, 2.0, float("inf"), float("-inf"), float("nan"), -0.0)


# Programs -------------------------------------------------------------------------------------


def _parts(path: Path) -> Iterator[str]:
    """The functions of a test file."""
    for piece in re.split(r"// -----|(?=^func\.func)", path.read_text(), flags=re.MULTILINE):
        code = "\n".join(line for line in piece.splitlines() if not line.strip().startswith("//"))
        if code.strip().startswith("func.func") and not any(each in code for each in UNSUITABLE):
            yield code


def _of_files() -> Iterator[Callable[[], ModuleOp]]:
    for folder in FOLDERS:
        for path in sorted((FILES / folder).rglob("*.mlir")):
            for code in _parts(path):
                yield lambda code=code: parse(code)


def _of_functions() -> Iterator[Callable[[], ModuleOp]]:
    """The Ein functions of the agreement tests."""
    from tests.agreement.cases import CASES
    from tests.agreement.counts_from_data import COUNTS_FROM_DATA
    from tests.agreement.loops import LOOPS, make
    from tests.agreement.programs import PROGRAMS
    from tests.agreement.second_set import SECOND_SET
    from tests.agreement.varying_loops import VARYING_LOOPS

    for each in (*PROGRAMS.values(), *VARYING_LOOPS.values(), *COUNTS_FROM_DATA.values()):
        yield lambda each=each: each.function.phi(*each.inputs(3, "float64", _rng()))
    for case in (*CASES.values(), *SECOND_SET.values()):
        for program in (case.program, *case.variants):
            yield lambda case=case, program=program: program.phi(*case.inputs(3, "float64", _rng()))
    for loop in LOOPS.values():
        yield lambda loop=loop: loop.function.phi(*make(loop.arguments, 3, "float64", _rng()))


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


@cache
def _sources() -> Sequence[Callable[[], ModuleOp]]:
    return (*_of_files(), *_of_functions())


@cache
def original(number: int) -> ModuleOp | None:
    """A program by its number; None if it is no valid program of phi on its own."""
    try:
        module = _sources()[number]()
        verify(module)
        find_entry(module, None)
    except (EinError, VerifyException):
        return None
    ops = [op for op in module.walk() if op is not module]
    functions = [op for op in ops if isinstance(op, func.FuncOp)]
    known = all(
        isinstance(op, func.FuncOp)
        or (op.name.startswith(DIALECTS) and not isinstance(op, phi.DerivativeOp))
        for op in ops
    )
    if not known or len(functions) != 1 or functions[0].is_declaration:
        return None
    types = functions[0].function_type
    if not types.outputs.data or not all(map(phi.is_phi_type, (*types.inputs, *types.outputs))):
        return None
    if any(_is_large(op) or _promises_much(op) for op in ops):
        return None
    return module


def _is_large(op: Operation) -> bool:
    """Whether a literal may be the count of a loop that does not end in a while."""
    value = op.value if isinstance(op, arith.ConstantOp) else None
    return isinstance(value, IntegerAttr) and 2**10 < value.value.data < 2**45


def _promises_much(op: Operation) -> bool:
    """Whether an operation promises more of its values than random ones keep.

    The body of a reduction is associative, for NaN, too; the sums of a weighted scan do not wrap.
    """
    if isinstance(op, phi.WeightedScanOp):
        return op.kind.data in ("min", "max")
    return isinstance(op, phi.ReduceOp) and single_operation(op.body) is None


# Edits ----------------------------------------------------------------------------------------


def visible(op: Operation, type_: Attribute) -> list[SSAValue]:
    """The values of a type that an operation can use."""
    found = list[SSAValue]()
    while not isinstance(op, func.FuncOp):
        block = op.parent_block()
        assert block is not None
        found += [value for value in block.args if value.type == type_]
        for before in block.ops:
            if before is op:
                break
            found += [value for value in before.results if value.type == type_]
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return found


def _builder(op: Operation) -> Builder:
    return Builder(InsertPoint.before(op))


def replace_operand(op: Operation, rng: random.Random) -> bool:
    """Another value in scope, of the same type."""
    if not op.operands:
        return False
    k = rng.randrange(len(op.operands))
    options = [v for v in visible(op, op.operands[k].type) if v is not op.operands[k]]
    if not options:
        return False
    op.operands[k] = rng.choice(options)
    return True


def replace_literal(op: Operation, rng: random.Random) -> bool:
    """Another literal, also the identity of another operation."""
    if not isinstance(op, arith.ConstantOp):
        return False
    type_ = op.result.type
    if type_ == i1:
        new: Attribute = IntegerAttr.from_bool(rng.random() < 0.5)
    elif isa(type_, IntegerType):
        new = IntegerAttr(rng.choice(LITERALS), type_)
    elif isinstance(op.value, FloatAttr):
        new = FloatAttr(rng.choice(FLOAT_LITERALS), op.value.type)
    else:
        return False
    op.properties["value"] = new
    return True


def replace_operation(op: Operation, rng: random.Random) -> bool:
    """An operation of the same operands."""
    for family in FAMILIES:
        if isinstance(op, family) and (family is not BOOLS or op.results[0].type == i1):
            other: Any = rng.choice([each for each in family if not isinstance(op, each)])
            new: Operation = other(*op.operands)
            block = op.parent_block()
            assert block is not None
            block.insert_op_before(new, op)
            op.results[0].replace_all_uses_with(new.results[0])
            Rewriter.erase_op(op)
            return True
    return False


def replace_kind(op: Operation, rng: random.Random) -> bool:
    """Another predicate, or another kind of a scan or an accumulation."""
    if isinstance(op, arith.CmpiOp | arith.CmpfOp):
        highest = 9 if isinstance(op, arith.CmpiOp) else 14
        number = IntegerAttr(rng.randint(0 if highest == 9 else 1, highest), IntegerType(64))
        op.properties["predicate"] = number
    elif isinstance(op, phi.ArgreduceOp):
        op.properties["predicate"] = StringAttr(rng.choice(("<", "<=", ">", ">=")))
    elif isinstance(op, phi.ScanOp):
        op.properties["kind"] = StringAttr(rng.choice(("add", "min", "max", "and", "or")))
    elif isinstance(op, phi.AccumulateOp):
        kinds = (rng.choice(("add", "mul", "min", "max", "and", "or")) for _ in op.kinds)
        op.properties["kinds"] = ArrayAttr(map(StringAttr, kinds))
    elif op.name in ("arith.subf", "arith.subi", "arith.select", "phi.concat"):
        op.operands[-1], op.operands[-2] = op.operands[-2], op.operands[-1]
    else:
        return False
    return True


def shift_position(op: Operation, rng: random.Random) -> bool:
    """A position with an Int added to it, or multiplied."""
    if not isinstance(op, phi.GetOp | phi.UpdateOp):
        return False
    k = rng.randint(1, len(op.positions))
    position, build = op.operands[k], _builder(op)
    if isinstance(position.type, IndexType):
        position = build.insert(arith.IndexCastOp(position, i64)).results[0]
    if position.type != i64:
        return False
    number = build.insert(arith.ConstantOp.from_int_and_width(rng.choice(LITERALS), 64)).results[0]
    other = rng.choice([number, number, *visible(op, i64)])
    combined = rng.choice((arith.AddiOp, arith.SubiOp, arith.MuliOp))(position, other)
    op.operands[k] = build.insert(combined).results[0]
    return True


def guard(op: Operation, rng: random.Random) -> bool:
    """A choice between an operand and another value in scope."""
    if not op.operands:
        return False
    k = rng.randrange(len(op.operands))
    old, build = op.operands[k], _builder(op)
    others, ints = visible(op, old.type), visible(op, i64)
    if old.type in (IndexType(), i1) or not others or not ints:
        return False
    predicate = rng.choice(("eq", "ne", "slt", "sge", "sgt"))
    test = build.insert(arith.CmpiOp(rng.choice(ints), rng.choice(ints), predicate)).results[0]
    pair = [old, rng.choice(others)]
    rng.shuffle(pair)
    op.operands[k] = build.insert(arith.SelectOp(test, *pair)).results[0]
    return True


def cut(op: Operation, rng: random.Random) -> bool:
    """A count or size that is at most another Int: loops over parts of arrays."""
    if not isinstance(op, phi.FoldOp | phi.ComprehensionOp):
        return False
    k = rng.randrange(1 if isinstance(op, phi.FoldOp) else len(op.sizes))
    build, numbers = _builder(op), visible(op, i64)
    literal = arith.ConstantOp.from_int_and_width(rng.choice((0, 1, 2)), 64)
    most = rng.choice([build.insert(literal).result, *numbers])
    op.operands[k] = build.insert(arith.MinSIOp(op.operands[k], most)).result
    return True


EDITS: Mapping[Callable[[Operation, random.Random], bool], int] = {
    replace_operand: 6,
    replace_literal: 3,
    replace_operation: 3,
    replace_kind: 3,
    shift_position: 4,
    guard: 2,
    cut: 2,
}
"""The edits, and how often each is tried."""


def _promises(op: Operation) -> bool:
    """Whether an edit of an operation may break a promise: the body of a reduction."""
    block: Block | None = op.parent_block()
    while block is not None:
        parent = block.parent_op()
        if parent is None or isinstance(parent, phi.ReduceOp):
            return parent is not None
        block = parent.parent_block()
    return False


def edited(module: ModuleOp, rng: random.Random) -> ModuleOp:
    """A copy of a program with one edit; the program itself if that is no valid one."""
    new = module.clone()
    ops = [op for op in new.walk() if not isinstance(op, ModuleOp | func.FuncOp | func.ReturnOp)]
    options = [op for op in ops if not _promises(op)]
    for _ in range(8):
        if not options:
            return module
        (edit,) = rng.choices(list(EDITS), list(EDITS.values()))
        if edit(rng.choice(options), rng):
            break
    try:
        verify(new)
    except VerifyException:
        return module
    return new


def write_variant(rng: random.Random, float_type: str = "f64") -> str:
    """The text of a program of the tests with a few edits; floats may be of another type."""
    module = None
    while module is None:
        module = original(rng.randrange(len(_sources())))
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4))):
        module = edited(module, rng)
    return str(module) if float_type == "f64" else _on_f32(str(module))


def _on_f32(text: str) -> str:
    """A program on f32 in place of f64."""

    def narrow(bits: re.Match[str]) -> str:
        number = np.array(int(bits[1], 16), np.uint64).view(np.float64)
        return f"0x{int(np.float32(number).view(np.uint32)):08X} : f32"

    with np.errstate(over="ignore"):
        text = re.sub(r"0x([0-9a-fA-F]{16}) : f64", narrow, text)
    return re.sub(r"\bf64\b", "f32", text)
