"""The reference semantics of rho: the rules of section 3.3 of the thesis, on NumPy arrays.

A value is an array of ``float64``: its shape, and its data in row-major order. Evaluation is strict
except that a choice evaluates the chosen branch only: otherwise no recursive function would end.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import field
from itertools import product
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.dialects import rho
from ein_mlir.errors import counted
from ein_mlir.host.dataclass import dataclass

Array: TypeAlias = NDArray[np.float64]
OpT = TypeVar("OpT", bound=rho.RhoOp)

_ARITHMETIC: dict[str, Callable[[Array, Array], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": np.divide,
}
_COMPARISONS: dict[str, Callable[[Array, Array], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def program_of(module: ModuleOp) -> rho.ProgramOp:
    """The program of a module; raises ValueError unless there is exactly one."""
    programs = [op for op in module.ops if isinstance(op, rho.ProgramOp)]
    if len(programs) != 1:
        raise ValueError(f"expected one rho.program, found {len(programs)}")
    return programs[0]


def run(module: ModuleOp, args: Sequence[object] = ()) -> Array:
    """The value of a program for some inputs; raises ValueError for an error of the program.

    >>> from ein_mlir.sources.rho.parser import parse
    >>> run(parse("let v = [1, 2, 3] in v.([0]) + |v.([2]) * -2|"))
    array(7.)
    """
    program = program_of(module)
    if len(args) != len(program.parameters):
        raise ValueError(
            f"the program takes {counted(len(program.parameters), 'input')}, got {len(args)}"
        )
    values = [np.array(arg, np.float64) for arg in args]
    frame = _Frame(dict(zip(program.parameters, values, strict=True)))
    try:
        with np.errstate(all="ignore"):
            return _body(program.body.block, frame)
    except RecursionError:
        raise ValueError("the calls of the program are nested too deeply") from None
    except MemoryError:
        raise ValueError("an array of the program does not fit into memory") from None


@dataclass
class _Frame:
    """The values of a call: its own, and those around the function."""

    values: dict[SSAValue, Array]
    around: _Frame | None = None
    functions: dict[str, tuple[rho.FunctionOp, _Frame]] = field(
        default_factory=dict[str, tuple[rho.FunctionOp, "_Frame"]]
    )

    def value(self, value: SSAValue) -> Array:
        frame = self
        while value not in frame.values:
            assert frame.around is not None
            frame = frame.around
        return frame.values[value]

    def function(self, name: str) -> tuple[rho.FunctionOp, _Frame]:
        frame = self
        while name not in frame.functions:
            assert frame.around is not None
            frame = frame.around
        return frame.functions[name]


def _body(block: Block, frame: _Frame) -> Array:
    for op in block.ops:
        if isinstance(op, rho.YieldOp):
            return frame.value(op.value)
        if isinstance(op, rho.FunctionOp):
            frame.functions[op.sym_name.data] = op, frame
        else:
            frame.values[op.results[0]] = np.asarray(_RULES[type(op)](op, frame), np.float64)
    raise AssertionError("a body ends in rho.yield")


def _fail(op: Operation, message: str) -> ValueError:
    return ValueError(f"{op.name}: {message}{where_written(op)}")


def _scalar(op: rho.ScalarOp, frame: _Frame) -> Any:
    return op.number


def _operands(op: rho.BinaryOp, frame: _Frame) -> tuple[Array, Array]:
    """The operands: of one shape, or a scalar on the right."""
    lhs, rhs = frame.value(op.lhs), frame.value(op.rhs)
    if rhs.ndim and lhs.shape != rhs.shape:
        raise _fail(op, f"{_shape(lhs)} {op.operator.data} {_shape(rhs)}: the shapes differ")
    return lhs, rhs


def _shape(array: Array) -> str:
    return f"[{', '.join(map(str, array.shape))}]"


def _arith(op: rho.ArithOp, frame: _Frame) -> Any:
    lhs, rhs = _operands(op, frame)
    if op.operator.data == "/" and lhs.size and not rhs.all():
        raise _fail(op, "division by zero")
    return _ARITHMETIC[op.operator.data](lhs, rhs)


def _compare(op: rho.CompareOp, frame: _Frame) -> Any:
    return _COMPARISONS[op.operator.data](*_operands(op, frame)).all()


def _negate(op: rho.NegateOp, frame: _Frame) -> Any:
    return 0 - frame.value(op.operand)


def _abs(op: rho.AbsOp, frame: _Frame) -> Any:
    return abs(frame.value(op.operand))


def _not(op: rho.NotOp, frame: _Frame) -> Any:
    return not frame.value(op.operand).any()


def _stack(op: rho.StackOp, frame: _Frame) -> Any:
    parts = [frame.value(part) for part in op.parts]
    for part in parts:
        if part.shape != parts[0].shape:
            raise _fail(op, f"the parts have shapes {_shape(parts[0])} and {_shape(part)}")
    return np.stack(parts) if parts else np.zeros(0)


def _shape_of(op: rho.ShapeOp, frame: _Frame) -> Any:
    return frame.value(op.operand).shape


def _dim_of(op: rho.DimOp, frame: _Frame) -> Any:
    return frame.value(op.operand).ndim


def _integers(op: Operation, value: Array, what: str) -> tuple[int, ...]:
    """The elements of a vector of integers."""
    if value.ndim != 1:
        raise _fail(op, f"{what} must be a vector, and not of shape {_shape(value)}")
    if not (np.isfinite(value) & (value == np.floor(value))).all():
        raise _fail(op, f"{what} must be of integers: {value.tolist()}")
    return tuple(map(int, value))


def _select(op: rho.SelectOp, frame: _Frame) -> Any:
    array, index = frame.value(op.array), _integers(op, frame.value(op.index), "an index")
    if len(index) > array.ndim:
        raise _fail(op, f"{len(index)} indices are too many for shape {_shape(array)}")
    for axis, (position, size) in enumerate(zip(index, array.shape, strict=False)):
        if not 0 <= position < size:
            raise _fail(op, f"index {position} is out of bounds for axis {axis} of size {size}")
    return array[index]


def _rest(op: rho.RestOp, frame: _Frame) -> Any:
    array, start = frame.value(op.array), frame.value(op.start)
    (position,) = _integers(op, start.reshape(-1), "a position") if start.size == 1 else (-1,)
    if array.ndim != 1 or start.ndim or not 0 <= position <= len(array):
        raise _fail(op, f"there is no rest of shape {_shape(array)} from {start.tolist()} on")
    return array[position:]


def _concat(op: rho.ConcatOp, frame: _Frame) -> Any:
    lhs, rhs = frame.value(op.lhs), frame.value(op.rhs)
    if not lhs.ndim or lhs.ndim != rhs.ndim or lhs.shape[1:] != rhs.shape[1:]:
        raise _fail(op, f"{_shape(lhs)} ++ {_shape(rhs)}: all sizes but the first must be equal")
    return np.concatenate((lhs, rhs))


def _filled(op: rho.FillOp | rho.GenOp, frame: _Frame) -> Array:
    """The default at all indices."""
    sizes = _integers(op, np.atleast_1d(frame.value(op.shape)), "a shape")
    default = frame.value(op.default)
    if min(sizes, default=0) < 0:
        raise _fail(op, f"a size is negative: {min(sizes)}")
    if sizes[len(sizes) - default.ndim :] != default.shape or default.ndim > len(sizes):
        raise _fail(
            op, f"shape {list(sizes)} does not end in that of the default, {_shape(default)}"
        )
    try:
        return np.broadcast_to(default, sizes).copy()
    except ValueError:
        raise MemoryError from None


def _gen(op: rho.GenOp, frame: _Frame) -> Any:
    result, default = _filled(op, frame), frame.value(op.default)
    lower, upper = frame.value(op.lower), frame.value(op.upper)
    if lower.shape != upper.shape:
        raise _fail(op, f"the bounds have shapes {_shape(lower)} and {_shape(upper)}")
    low = _integers(op, np.atleast_1d(lower), "a bound")
    high = _integers(op, np.atleast_1d(upper), "a bound")
    if len(low) != result.ndim - default.ndim:
        raise _fail(op, f"bounds of {len(low)} axes for {result.ndim - default.ndim}")
    ranges = [range(start, stop) for start, stop in zip(low, high, strict=True)]
    _check_ranges(op, ranges, result)
    for position in product(*ranges):
        frame.values[op.index] = np.array(position, np.float64).reshape(lower.shape)
        element = _body(op.body.block, frame)
        if element.shape != default.shape:
            raise _fail(op, f"a value of shape {_shape(element)} for {_shape(default)}")
        result[position] = element
    return result


def _check_ranges(op: rho.GenOp, ranges: Sequence[range], result: Array) -> None:
    """Raise ValueError for an index beyond the shape."""
    if not all(ranges):
        return
    for axis, (positions, size) in enumerate(zip(ranges, result.shape, strict=False)):
        if positions[0] < 0 or positions[-1] >= size:
            bounds = f"{positions.start} to {positions.stop}"
            raise _fail(op, f"bounds {bounds} are beyond axis {axis} of size {size}")


def _if(op: rho.IfOp, frame: _Frame) -> Any:
    condition = frame.value(op.condition)
    if condition.ndim:
        raise _fail(op, f"a condition is a scalar, and not of shape {_shape(condition)}")
    return _body((op.then if condition else op.otherwise).block, frame)


def _call(op: rho.CallOp, frame: _Frame) -> Any:
    function, around = frame.function(op.function)
    arguments = map(frame.value, op.arguments)
    values = dict[SSAValue, Array](zip(function.parameters, arguments, strict=True))
    return _body(function.body.block, _Frame(values, around))


_RULES: dict[type[Operation], Callable[[Any, _Frame], Any]] = {
    rho.AbsOp: _abs,
    rho.ArithOp: _arith,
    rho.CallOp: _call,
    rho.CompareOp: _compare,
    rho.ConcatOp: _concat,
    rho.DimOp: _dim_of,
    rho.FillOp: _filled,
    rho.GenOp: _gen,
    rho.IfOp: _if,
    rho.NegateOp: _negate,
    rho.NotOp: _not,
    rho.RestOp: _rest,
    rho.ScalarOp: _scalar,
    rho.SelectOp: _select,
    rho.ShapeOp: _shape_of,
    rho.StackOp: _stack,
}
"""Operation -> its rule."""
