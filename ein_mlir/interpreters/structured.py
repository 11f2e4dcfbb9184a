"""An interpreter of regions with one block each, which numbers their values once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from xdsl.dialects import func
from xdsl.interpreter import Interpreter, PythonValues, ReturnedValues
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.host.dataclass import dataclass
from ein_mlir.interpreters.scalars import RULES, Function, ScalarFunctions

_Step: TypeAlias = tuple[Operation, Function | None, Sequence[int], Sequence[int]]
"""An operation, its function if it is a scalar operator, numbers of its operands and results."""


@dataclass(frozen=True)
class _Body:
    """The block of a region: the numbers of its arguments, and its operations in order."""

    arguments: Sequence[int]
    steps: Sequence[_Step]
    constants: Mapping[int, Any]


@dataclass
class StructuredInterpreter(Interpreter):
    """Interprets each operation by its implementation, as its base class does, in less time.

    A call has an environment of its own, from the numbers of values to Python values. Constants are
    interpreted once, the types of scalar operators are read once, and there are no listeners.
    """

    _bodies: dict[Region, _Body] = field(default_factory=dict[Region, _Body])
    _numbers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    _values: dict[int, Any] = field(default_factory=dict[int, Any])

    def run_ssacfg_region(
        self, region: Region, args: PythonValues, name: str = "unknown"
    ) -> PythonValues:
        """The values that the block of a region yields for some arguments."""
        body = self._bodies.get(region)
        if body is None:
            body = self._bodies[region] = self._body(region)
        if not isinstance(region.parent, func.FuncOp):
            return self._run(body, args)
        callers, self._values = self._values, {}
        try:
            return self._run(body, args)
        finally:
            self._values = callers

    def _run(self, body: _Body, args: PythonValues) -> PythonValues:
        values, run = self._values, self._impls.run
        values.update(body.constants)
        values.update(zip(body.arguments, args, strict=True))
        for op, function, operands, results in body.steps:
            read = tuple([values[operand] for operand in operands])
            if function is not None:
                values[results[0]] = _applied(function, op, read)
                continue
            found = run(self, op, read)
            if isinstance(found.terminator_value, ReturnedValues):
                return found.terminator_value.values
            values.update(zip(results, found.values, strict=True))
        raise InterpretationError("a region without a terminator")

    def _body(self, region: Region) -> _Body:
        ops, constants = list(region.block.ops), dict[int, Any]()
        for op in ops:
            if op.has_trait(ConstantLike):
                (constants[self._number(op.results[0])],) = self.run_op(op)
        return _Body(
            self._numbered(region.block.args),
            [self._step(op) for op in ops if not op.has_trait(ConstantLike)],
            constants,
        )

    def _step(self, op: Operation) -> _Step:
        functions, _ = self._impls._impl_dict.get(type(op), (None, None))  # pyright: ignore[reportPrivateUsage]
        function = RULES[type(op)](op) if isinstance(functions, ScalarFunctions) else None
        return op, function, self._numbered(op.operands), self._numbered(op.results)

    def _numbered(self, values: Sequence[SSAValue]) -> Sequence[int]:
        return tuple(map(self._number, values))

    def _number(self, value: SSAValue) -> int:
        return self._numbers.setdefault(value, len(self._numbers))


def _applied(function: Function, op: Operation, args: PythonValues) -> Any:
    """The value of a scalar operator; an error says which one."""
    try:
        return function(args)
    except Exception as error:
        op.emit_error("Error while interpreting op", error)
