"""Loops as functions: those of a range of steps of the outermost parallel loops, for threads.

::

    scf.parallel (%i, %j) = (0, 0) to (%n, %m) { .. %a .. }

becomes a function of the first and last step of each of the first two loops::

    llvm.func internal @loop.f.0(%call, %low, %high, %low2, %high2, %a) -> i64 { .. }

which serves equal loops too, and a call of the runtime with a function that splits one of the two
loops. The runtime chooses the loop, and how many threads share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import arith, func, llvm, memref, scf
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, UnitAttr, i1, i8, i64
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.lasting_buffers import lasting_buffers
from ein_mlir.analysis.loops.memory_roots import share_no_memory
from ein_mlir.analysis.scopes import block_of, operands_within, operations_in
from ein_mlir.backends.native import abi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_loops_to_llvm.as_written import (
    is_worth_passes,
    leave_as_written,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import (
    POINTER,
    Build,
    known_integer,
    storage_of,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion, types_of
from ein_mlir.passes.conversions.convert_loops_to_llvm.late import (
    ask_for_functions,
    part_of_shared,
    put_in_part,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.runs import nest_of, runs_in
from ein_mlir.passes.conversions.convert_loops_to_llvm.sharing import key_of
from ein_mlir.passes.conversions.convert_loops_to_llvm.slots import Slots
from ein_mlir.passes.conversions.convert_loops_to_llvm.work import work_of_a_step

SPLIT_LOOPS = 2
"""How many loops of a nest may be split."""

SHORT = 16
"""The most steps of a loop that is not split, if their number is known."""

_INTERNAL = llvm.LinkageAttr("internal")
Loop: TypeAlias = scf.ForOp | scf.ParallelOp | scf.WhileOp
_THREADED = llvm.LLVMFunctionType([POINTER, POINTER, i64, i64], i64)


@dataclass
class Range:
    """A function of a range of steps, with the values that it captures."""

    name: str
    split: int
    captured: Sequence[SSAValue]
    """The values of the loops that it reads."""
    places: Sequence[int]
    """The place of each of their parts among `parts`."""
    parts: Sequence[SSAValue]
    """The distinct scalars that represent them: arrays of one shape share its sizes."""
    flags: Sequence[bool]
    """Whether each is the address of memory that is reached in no other way."""


def parallel_function(c: Conversion, op: scf.ParallelOp) -> None:
    """Convert an outermost parallel loop."""
    call_ranges(c, op, function_of(c, op, split_loops(c, op)))


def function_of(c: Conversion, op: Loop, split: int) -> Range:
    """The function of a loop, and of equal ones; some of the loops of a parallel one are split."""
    place = captured_values(op)
    captured = [value for value in place if not isinstance(value.owner, arith.ConstantOp)]
    all_parts = c.all_parts(captured)
    parts = {part: place for place, part in enumerate(dict.fromkeys(all_parts))}
    alone = dict(zip(all_parts, unshared(op, captured), strict=True))
    places, flags = [parts[part] for part in all_parts], [alone[part] for part in parts]
    known = [*map(known_integer, parts)]
    shared = part_of_shared(c)
    key = key_of(op, captured), shared, split, *places, *flags, *known, *runs_in(op)
    name = c.program.shared.get(key) or c.next_loop()
    loop = Range(name, split, captured, places, [*parts], flags)
    if key not in c.program.shared:
        c.program.shared[key] = name
        constants = [value.owner for value in place if isinstance(value.owner, arith.ConstantOp)]
        functions = [body_function(c, op, loop, constants)]
        if split or c.rare is not None:
            functions.append(threaded_function(loop, [POINTER] * bool(op.results)))
        if split or c.rare is not None or c.loop is not None:
            put_in_part(c, functions)
        c.program.added += functions
    return loop


def split_loops(c: Conversion, op: scf.ParallelOp) -> int:
    """How many loops of a nest may be split: a loop of a few steps inside stays whole.

    LLVM knows their number then, and unrolls it.
    """
    bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))[:SPLIT_LOOPS]
    while len(bounds) > 1:
        lower, upper, step = (known_integer(c.scalar(bound)) for bound in bounds[-1])
        if lower is None or upper is None or not step or upper - lower > SHORT * step:
            break
        bounds.pop()
    return len(bounds)


def captured_values(op: Loop) -> Sequence[SSAValue]:
    """The values from outside that a loop reads, in the order of their first use."""
    regions = (region for each in operations_in(op) for region in each.regions)
    inside = {block for region in regions for block in region.blocks}
    values = (value for value in operands_within(op) if block_of(value) not in inside)
    return list(dict.fromkeys(values))


def unshared(op: Operation, captured: Sequence[SSAValue]) -> Sequence[bool]:
    """For each part of the captured values whether it is an address that no other part reaches.

    Memory that is only read may be reached in two ways.
    """
    arrays = [value for value in captured if isa(value.type, MemRefType)]
    written = written_arrays(op)
    flags = list[bool]()
    for value in captured:
        alone = value in arrays and all(
            share_no_memory(value, other)
            or not any(may_be(each, value) or may_be(each, other) for each in written)
            for other in arrays
            if other is not value
        )
        flags.extend((alone, *[False] * (len(types_of(value.type)) - 1)))
    return flags


def may_be(written: SSAValue, array: SSAValue) -> bool:
    """Whether a write to an array may change another one."""
    return not share_no_memory(written, array)


def written_arrays(op: Operation) -> Sequence[SSAValue]:
    """The arrays that an operation writes to, each once."""
    found = (
        value
        for inner in operations_in(op)
        if (written := _WRITTEN.get(type(inner))) is not None
        for value in written(inner)
    )
    return list(dict.fromkeys(found))


_WRITTEN: Mapping[type[Operation], Callable[[Any], Iterable[SSAValue]]] = {
    memref.StoreOp: lambda op: (op.memref,),
    memref.CopyOp: lambda op: (op.destination,),
    GenericOp: lambda op: op.outputs,
    func.CallOp: lambda op: [value for value in op.operands if isa(value.type, MemRefType)],
}
"""Class of an operation -> the arrays that it writes to."""


# The functions ------------------------------------------------------------------------------------


def body_function(
    c: Conversion, op: Loop, loop: Range, constants: Iterable[arith.ConstantOp]
) -> llvm.FuncOp:
    """The function of a range of steps, which uses some constants from outside.

    Its last argument is the address of its results, if it has any.
    """
    bounds, results = [i64] * (2 * loop.split), [POINTER] * bool(op.results)
    types = [POINTER, *bounds, *(part.type for part in loop.parts), *results]
    entry = Block(arg_types=types)
    region = Region([entry])
    operations = operations_in(op)
    name = loop.name if isinstance(op, scf.ParallelOp) else c.loop
    inner = Conversion(c.program, c.rules, entry, c.function, name, len(operations))
    inner.part = c.part
    if c.loop is None and isinstance(op, scf.ParallelOp):
        inner.steps_of = op
    first, last = 1 + len(bounds), 1 + len(bounds) + len(loop.parts)
    known = [known_integer(part) for part in loop.parts]
    parts = [
        argument if number is None else inner.build.integer(number)
        for argument, number in zip(entry.args[first:last], known, strict=True)
    ]
    inner.bind_parts(loop.captured, [parts[place] for place in loop.places])
    for constant in constants:
        inner.rules[arith.ConstantOp](inner, constant)
    if isinstance(op, scf.ParallelOp):
        run_whole_range(inner, op, entry.args[1:first], operations)
    else:
        inner.rules[type(op)](inner, op)
        Slots(inner, entry.args[-1]).write(inner.all_parts(op.results))
    inner.build.block.add_op(llvm.ReturnOp(inner.build.integer(0)))
    function = internal_function(
        loop.name, region, [*[False] * first, *loop.flags, *map(bool, results)]
    )
    if not is_worth_passes(region):
        leave_as_written(function)
    return function


def run_whole_range(
    c: Conversion, op: scf.ParallelOp, limits: Sequence[SSAValue], operations: Sequence[Operation]
) -> None:
    """The loops over a range, with the buffers that serve all steps."""
    allocates = any(type(each) is memref.AllocOp or c.may_allocate(each) for each in operations)
    if allocates and limits:
        c.own_call()
    buffers = lasting_buffers(op)
    for buffer in buffers.allocations:
        c.rules[memref.AllocOp](c, buffer)
    c.left_out.update(buffers.operations())
    run_range(c, op, limits)
    for buffer in buffers.allocations:
        c.library(abi.RELEASE, (c.call, c.memref(buffer.memref).pointer))


def internal_function(name: str, body: Region, flags: Sequence[bool]) -> llvm.FuncOp:
    """A function that returns a code, and is not inlined.

    The flags state which arguments are addresses of memory that is reached in no other way.
    """
    types = [argument.type for argument in body.blocks[0].args]
    function = llvm.FuncOp(name, llvm.LLVMFunctionType(types, i64), _INTERNAL, body=body)
    function.properties["no_inline"] = UnitAttr()
    plain, alone = DictionaryAttr({}), DictionaryAttr({"llvm.noalias": UnitAttr()})
    function.properties["arg_attrs"] = ArrayAttr([alone if flag else plain for flag in flags])
    return function


def run_range(c: Conversion, op: scf.ParallelOp, limits: Sequence[SSAValue]) -> None:
    """The loops over a range: split loops count steps from their limits."""
    build = c.build
    bounds = list[tuple[SSAValue, SSAValue, SSAValue]]()
    split = len(limits) // 2
    one = build.integer(1)
    for axis, (lower, upper, step) in enumerate(
        zip(op.lowerBound, op.upperBound, op.step, strict=True)
    ):
        if axis < split:
            bounds.append((limits[2 * axis], limits[2 * axis + 1], one))
        else:
            bounds.append((c.scalar(lower), c.scalar(upper), c.scalar(step)))

    def positions(indices: Sequence[SSAValue]) -> Sequence[SSAValue]:
        return [
            build.sum(c.scalar(lower), build.product(index, c.scalar(step)))
            if axis < split
            else index
            for axis, (lower, step, index) in enumerate(
                zip(op.lowerBound, op.step, indices, strict=True)
            )
        ]

    nest_of(c, op, bounds, positions)


def threaded_function(loop: Range, memory: Sequence[Attribute]) -> llvm.FuncOp:
    """The function that threads run: the context is the number of the loop that is split, if there
    are several, the steps of each, the captured values, and an address for results.
    """
    entry = Block(arg_types=[POINTER, POINTER, i64, i64])
    call, context, low, high = entry.args
    region = Region([entry])
    build = Build(entry)
    limits = [low, high] if loop.split == 1 else limits_of_split(build, loop, context, low, high)
    parts = [
        load_part(build, build.field(context, 1 + loop.split + k), type_)
        for k, type_ in enumerate((*(part.type for part in loop.parts), *memory))
    ]
    code = build.call(loop.name, (call, *limits, *parts), i64)
    build.block.add_op(llvm.ReturnOp(code))
    function = llvm.FuncOp(threaded_name(loop), _THREADED, _INTERNAL, body=region)
    leave_as_written(function)
    return function


def limits_of_split(
    build: Build, loop: Range, context: SSAValue, low: SSAValue, high: SSAValue
) -> list[SSAValue]:
    """The first and last step of each loop, of which the runtime splits one."""
    axis = build.load(build.field(context, 0), i64)
    limits = list[SSAValue]()
    for number in range(loop.split):
        steps = build.load(build.field(context, 1 + number), i64)
        chosen = build.compare("eq", axis, build.integer(number))
        limits.append(build.select(chosen, low, build.integer(0)))
        limits.append(build.select(chosen, high, steps))
    return limits


def threaded_name(loop: Range) -> str:
    """The name of the function that threads run."""
    return f"{loop.name}{abi.THREADED}"


def load_part(build: Build, pointer: SSAValue, type: Attribute) -> SSAValue:
    """A captured value from its word; a truth value is a byte."""
    value = build.load(pointer, storage_of(type))
    return build.compare("ne", value, build.integer(0, i8)) if type == i1 else value


# The call -----------------------------------------------------------------------------------------


def call_ranges(c: Conversion, op: scf.ParallelOp, loop: Range) -> None:
    """Run all steps by the runtime: on this thread, or on several if there is work for them."""
    build = c.build
    steps = [
        steps_of(c, *bounds) for bounds in zip(op.lowerBound, op.upperBound, op.step, strict=True)
    ]
    work = work_of_a_step(c, op)
    for count in steps:
        work = build.product(work, count)
    threads = build.add(llvm.UDivOp, (work, build.integer(abi.WORK_OF_A_THREAD)), i64)
    context = context_of(c, loop, steps[: loop.split])
    ask_for_functions(c, op, loop.name)
    function, split = build.address_of(threaded_name(loop)), build.integer(loop.split)
    run = abi.PARALLEL if c.part is None else abi.PARALLEL_LATE
    code = c.library(run, (c.call, function, context, split, threads), i64)
    assert code is not None
    c.fail_unless(build.compare("eq", code, build.integer(0)), code)


def context_of(
    c: Conversion, loop: Range, steps: Sequence[SSAValue], memory: Sequence[SSAValue] = ()
) -> SSAValue:
    """The context of a loop, in memory: see `threaded_function`."""
    build, words = c.build, (*steps, *loop.parts, *memory)
    context = build.words(1 + len(words))
    for number, word in enumerate(words, 1):
        stored = build.add(llvm.ZExtOp, (word,), storage_of(i1)) if word.type == i1 else word
        build.store(stored, build.field(context, number))
    return context


def steps_of(c: Conversion, lower: SSAValue, upper: SSAValue, step: SSAValue) -> SSAValue:
    """The number of steps of a loop."""
    distance = c.build.difference(c.scalar(upper), c.scalar(lower))
    return c.build.steps(distance, c.scalar(step))
