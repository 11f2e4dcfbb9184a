"""An interpreter of regions with one block each, which numbers their values once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias, cast

from xdsl.dialects import func
from xdsl.interpreter import Interpreter, PythonValues, ReturnedValues
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.interpreters.phi import ELEMENT_RULES, PhiFunctions
from ein_mlir.interpreters.scalars import RULES, Function, ScalarFunctions

_Step: TypeAlias = tuple[
    Operation, Function | None, Callable[..., Any], Callable[[Any], PythonValues], Sequence[int]
]
"""An operation, its function if it acts on scalars or elements, its implementation, a function that
reads its operands from the environment, and the numbers of its results.
"""


@dataclass(frozen=True)
class _Body:
    """The block of a region: the numbers of its arguments, its operations in order, and its values.

    Functions return from their last operation.
    """

    arguments: Sequence[int]
    steps: Sequence[_Step]
    values: Callable[[Any], PythonValues] | None
    is_function: bool


@dataclass
class StructuredInterpreter(Interpreter):
    """Interprets each operation by its implementation, as its base class does, in less time.

    A call has an environment of its own, from the numbers of values to Python values. Constants are
    interpreted once, the types of scalar operators are read once, and there are no listeners.
    """

    _bodies: dict[Region, _Body] = field(default_factory=dict[Region, _Body])
    _numbers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    _constants: dict[int, Any] = field(default_factory=dict[int, Any])
    _values: dict[int, Any] = field(default_factory=dict[int, Any])

    def run_ssacfg_region(
        self, region: Region, args: PythonValues, name: str = "unknown"
    ) -> PythonValues:
        """The values that the block of a region yields for some arguments."""
        body = self._bodies.get(region)
        if body is None:
            body = self._bodies[region] = self._body(region)
        if not body.is_function:
            return self._run(body, args)
        callers, self._values = self._values, dict(self._constants)
        try:
            return self._run(body, args)
        finally:
            self._values = callers

    def _run(self, body: _Body, args: PythonValues) -> PythonValues:
        values, op = self._values, None
        values.update(zip(body.arguments, args, strict=True))
        try:
            for op, function, implementation, operands, results in body.steps:
                if function is not None:
                    values[results[0]] = function(operands(values))
                    continue
                found = implementation(self, op, operands(values))
                if isinstance(found.terminator_value, ReturnedValues):
                    return found.terminator_value.values
                values.update(zip(results, found.values, strict=True))
        except InterpretationError:
            raise
        except Exception as error:
            assert op is not None
            op.emit_error("Error while interpreting op", error)
        if body.values is not None:
            return body.values(values)
        raise InterpretationError("a region without a terminator")

    def _body(self, region: Region) -> _Body:
        ops = list(region.block.ops)
        for op in ops:
            if op.has_trait(ConstantLike):
                number = self._number(op.results[0])
                (self._constants[number],) = self.run_op(op)
                self._values[number] = self._constants[number]
        yielded = ops.pop() if ops and isinstance(ops[-1], phi.YieldOp) else None
        steps = [self._step(op) for op in ops if not op.has_trait(ConstantLike)]
        values = None if yielded is None else _reader(self._numbered(yielded.operands))
        is_function = isinstance(region.parent, func.FuncOp)
        return _Body(self._numbered(region.block.args), steps, values, is_function)

    def _step(self, op: Operation) -> _Step:
        functions, run = self._impls._impl_dict.get(type(op), (None, None))  # pyright: ignore[reportPrivateUsage]
        rule = RULES.get(type(op)) if isinstance(functions, ScalarFunctions) else None
        if isinstance(functions, PhiFunctions):
            rule = ELEMENT_RULES.get(type(op))
        implementation = self._impls.run if run is None else partial(run, cast(Any, functions))
        operands, results = self._numbered(op.operands), self._numbered(op.results)
        function = None if rule is None else rule(op)
        return op, function, implementation, _reader(operands), results

    def _numbered(self, values: Sequence[SSAValue]) -> Sequence[int]:
        return tuple(map(self._number, values))

    def _number(self, value: SSAValue) -> int:
        return self._numbers.setdefault(value, len(self._numbers))


def _reader(numbers: Sequence[int]) -> Callable[[Any], PythonValues]:
    """The values of some numbers, of an environment."""
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda values: tuple([values[number] for number in numbers])
