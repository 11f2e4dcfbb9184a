"""An interpreter of the loops that ``convert-phi-to-loops`` emits, which checks each step.

It raises AssertionError for an access out of bounds, a use of released memory, memory that is never
released, an operation whose result upstream MLIR leaves undefined, and results that share memory
with arguments. Uninitialised memory holds garbage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.dialects import phi
from ein_mlir.dialects.remainder import RemFOp
from ein_mlir.interpreters.scalars import RULES, signed, unsigned, width
from ein_mlir.interpreters.values import DTYPES
from ein_mlir.pipelines import run_pipeline

TO_LOOPS = (
    "inline-calls",
    "struct-of-arrays",
    "simplify",
    "unify-sizes",
    "outline",
    "simplify",
    "fuse-comprehensions",
    "convert-phi-to-loops",
    "eliminate-common-subexpressions",
)
"""Fused comprehensions as loops, before the passes on loops."""

_GARBAGE = {"b": True, "i": -77_777, "f": -7.7e77}


class Memory:
    """A buffer: it is alive until it is released."""

    def __init__(self, array: np.ndarray, *, is_argument: bool = False):
        self.array = array
        self.is_argument = is_argument
        self.is_alive = True

    def at(self, positions: Sequence[int]) -> tuple[int, ...]:
        """The positions of an access, in bounds."""
        assert self.is_alive, "a use of released memory"
        place = tuple(map(int, positions))
        assert len(place) == self.array.ndim
        for p, n in zip(place, self.array.shape, strict=True):
            assert 0 <= p < n, f"position {place} in {self.array.shape}"
        return place


def garbage(type_: Attribute, sizes: Sequence[Any]) -> Memory:
    """New memory of a type, with its dynamic sizes."""
    assert isinstance(type_, MemRefType)
    dtype, rest = np.dtype(DTYPES[type_.element_type]), iter(map(int, sizes))
    shape = tuple(next(rest) if size == DYNAMIC_INDEX else size for size in type_.get_shape())
    return Memory(np.full(shape, np.array(_GARBAGE[dtype.kind]).astype(dtype), dtype))


class Loops:
    """Runs the functions of a module."""

    def __init__(self, module: ModuleOp, externs: Mapping[str, Callable[..., Any]] | None = None):
        self.functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
        self.externs = externs or {}
        self.allocated = list[Memory]()

    def call(self, name: str, *leaves: Any) -> list[Any]:
        """The results of a function for scalars and arrays, field by field."""
        function = self.functions[name]
        self.operands = Memory(np.zeros(2, np.int64), is_argument=True)
        block = function.body.block
        values = dict[SSAValue, Any]()
        for arg, leaf in zip(block.args, (*leaves, self.operands), strict=True):
            is_array = isinstance(arg.type, MemRefType) and not isinstance(leaf, Memory)
            values[arg] = Memory(cast(Any, leaf), is_argument=True) if is_array else leaf
        results = self.block(block, values)
        memories = [result for result in results if isinstance(result, Memory)]
        assert len({id(memory) for memory in memories}) == len(memories), "results are aliases"
        for memory in memories:
            assert memory.is_alive, "a result is released"
            assert not memory.is_argument, "a result is an argument"
        leaked = [m for m in self.allocated if m.is_alive and m not in memories]
        assert not leaked, f"{len(leaked)} buffers are never released"
        return [r.array if isinstance(r, Memory) else r for r in results]

    def block(self, block: Block, values: dict[SSAValue, Any]) -> list[Any]:
        """The operands of the terminator of a block."""
        for op in block.ops:
            if op is block.last_op:
                return [values[operand] for operand in op.operands]
            found = self.operation(op, values)
            values.update(zip(op.results, found, strict=True))
        return []

    def loop(
        self, op: scf.WhileOp, carried: Sequence[Any], values: dict[SSAValue, Any]
    ) -> Sequence[Any]:
        """The values that the condition passes on when it fails."""
        before, after = op.before_region.block, op.after_region.block
        while True:
            bound = zip(before.args, carried, strict=True)
            holds, *passed = self.block(before, {**values, **dict(bound)})
            if not holds:
                return passed
            bound = zip(after.args, passed, strict=True)
            carried = self.block(after, {**values, **dict(bound)})

    def operation(self, op: Operation, values: dict[SSAValue, Any]) -> Sequence[Any]:
        args = [values[operand] for operand in op.operands]
        match op:
            case memref.AllocOp():
                self.allocated.append(memory := garbage(op.memref.type, args))
                return [memory]
            case memref.AllocaOp():
                return [garbage(op.memref.type, ())]
            case memref.DeallocOp():
                assert args[0].is_alive, "memory is released twice"
                assert not args[0].is_argument, "an argument is released"
                args[0].is_alive = False
                return []
            case memref.DimOp():
                assert args[0].is_alive
                return [np.int64(args[0].array.shape[int(args[1])])]
            case memref.CastOp():
                return args
            case memref.CopyOp():
                assert args[0].is_alive
                assert args[1].is_alive
                args[1].array[...] = args[0].array
                return []
            case memref.LoadOp():
                return [args[0].array[args[0].at(args[1:])]]
            case memref.StoreOp():
                assert args[1] is self.operands or not args[1].is_argument, "an argument is written"
                args[1].array[args[1].at(args[2:])] = args[0]
                return []
            case scf.ParallelOp():
                count = len(op.body.block.args)
                starts, ends, steps = args[:count], args[count : 2 * count], args[2 * count :]
                ranges = [range(*map(int, each)) for each in zip(starts, ends, steps, strict=True)]
                shape = tuple(map(len, ranges))
                for place in reversed(list(np.ndindex(*shape))):
                    at = [np.int64(r[p]) for r, p in zip(ranges, place, strict=True)]
                    bound = zip(op.body.block.args, at, strict=True)
                    self.block(op.body.block, {**values, **dict(bound)})
                return []
            case scf.ForOp():
                carried = args[3:]
                for k in range(*map(int, args[:3])):
                    bound = zip(op.body.block.args, (np.int64(k), *carried), strict=True)
                    carried = self.block(op.body.block, {**values, **dict(bound)})
                return carried
            case scf.WhileOp():
                return self.loop(op, args, values)
            case scf.IfOp():
                region = op.true_region if args[0] else op.false_region
                return self.block(region.block, dict(values)) if region.blocks else []
            case cf.AssertOp():
                if not args[0]:
                    raise ValueError(op.msg.data.format(*self.operands.array))
                return []
            case func.CallOp():
                given = [arg.array.copy() if isinstance(arg, Memory) else arg for arg in args]
                found = self.externs[op.callee.string_value()](*given)
                return [self.owned(each) for each in flat(found)]
            case arith.IndexCastOp():
                return [DTYPES[op.result.type](args[0])]
            case arith.FPToSIOp() | arith.FPToUIOp() if not fits(op, args[0]):
                return [any_integer(op)]
            case _:
                check_defined(op, args)
                return [
                    np.fmod(*args) if isinstance(op, RemFOp) else RULES[type(op)](op)(tuple(args))
                ]

    def owned(self, value: Any) -> Any:
        if np.ndim(value) == 0:
            return value
        self.allocated.append(memory := Memory(np.array(value)))
        return memory


def check_defined(op: Operation, args: Sequence[Any]) -> None:
    """Check that upstream MLIR defines the result of an operator for some operands."""
    match op:
        case arith.DivSIOp() | arith.RemSIOp():
            x, y = map(signed, args)
            assert y != 0, op
            assert (x, y) != (-(2 ** (width(type(args[0])) - 1)), -1), op
        case arith.DivUIOp() | arith.RemUIOp():
            assert unsigned(args[1]) != 0, op
        case arith.ShLIOp() | arith.ShRSIOp() | arith.ShRUIOp():
            assert unsigned(args[1]) < width(type(args[0])), op
        case arith.FloorDivSIOp() | arith.CeilDivSIOp() | arith.CeilDivUIOp():
            raise AssertionError(op)
        case _:
            assert op.name.startswith(("arith.", "math.")), op


def fits(op: arith.FPToSIOp | arith.FPToUIOp, x: Any) -> bool:
    """Whether the integer part of a float is an integer of the type of a conversion."""
    bits, is_signed = width(DTYPES[op.result.type]), isinstance(op, arith.FPToSIOp)
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if is_signed else (0, 2**bits)
    return bool(np.isfinite(x)) and low <= int(x) < high


def any_integer(op: arith.FPToSIOp | arith.FPToUIOp) -> Any:
    """The result for a float that does not fit, which is poison: not the integer of phi."""
    dtype = DTYPES[op.result.type]
    return dtype(width(dtype) > 1 or isinstance(op, arith.FPToUIOp))


def flat(value: Any) -> list[Any]:
    """The leaves of a nested tuple."""
    if isinstance(value, tuple | list):
        return [leaf for field in value for leaf in flat(field)]
    return [value]


def nested(type_: Attribute, leaves: list[Any]) -> Any:
    """The record of a type with the first of some leaves, which are taken from the list."""
    type_ = phi.struct_of_arrays(type_)
    if isinstance(type_, TupleType):
        return tuple(nested(field, leaves) for field in type_.types)
    return leaves.pop(0)


def loops_of(
    module: ModuleOp, passes: Sequence[str], externs: Mapping[str, Callable[..., Any]] | None = None
) -> Callable[..., Any]:
    """A module of phi with one function, compiled to loops by some passes and interpreted."""
    module = module.clone()
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks)
    name, inputs = function.sym_name.data, list(function.function_type.inputs)
    outputs = list(function.function_type.outputs)
    run_pipeline(module, passes)
    module.verify()
    allowed = {"builtin", "func", "scf", "memref", "arith", "math", "cf"}
    assert {op.name.split(".")[0] for op in module.walk()} <= allowed

    def run(*arguments: Any) -> Any:
        leaves = [
            converted(leaf, type_)
            for argument, of in zip(arguments, inputs, strict=True)
            for leaf, type_ in zip(flat(argument), leaf_types(of), strict=True)
        ]
        with np.errstate(all="ignore"):
            found = Loops(module, externs).call(name, *leaves)
        results = [nested(type_, found) for type_ in outputs]
        return results[0] if len(results) == 1 else tuple(results)

    return run


def converted(value: Any, type_: Attribute) -> Any:
    """A scalar or array of the dtype of a type of phi."""
    dtype = DTYPES[phi.scalar_of(type_)]
    return np.array(value, dtype) if isinstance(type_, phi.VecType) else dtype(value)
