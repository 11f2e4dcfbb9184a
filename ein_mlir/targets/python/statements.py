"""Prints the operations of a function: each is a statement, or an expression in a later one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from xdsl.dialects import func
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.emitpy.nesting import nests_in_use
from ein_mlir.analysis.emitpy.shared_memory import Memory
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy import literal_data
from ein_mlir.dialects.emitpy.names import CALLED_AS_METHODS, WRITE_TO_FIRST
from ein_mlir.targets.python import expressions as py
from ein_mlir.targets.python.body import Body
from ein_mlir.targets.python.expressions import Expression, Operands
from ein_mlir.targets.python.operations import method_of, render, unknown
from ein_mlir.targets.python.overwrites import Overwrites
from ein_mlir.targets.python.program import Program
from ein_mlir.targets.python.variables import IN_PLACE, Variables

MOST_LOOPS = 20
"""The most nested loops that CPython compiles."""


class Statements:
    """Prints the operations of one function into its body."""

    def __init__(self, program: Program, function: func.FuncOp, body: Body):
        self.program = program
        self.function = function
        self.body = body
        self.memory = Memory(scalars_are_views=_calls_torch(function))
        self.overwrites = Overwrites(function, self.memory)
        self.variables = Variables(function, body, self.overwrites)
        self._rules: dict[type[Operation], Callable[[Any], None]] = {
            emitpy.ForOp: self.loop,
            emitpy.DefOp: self.local_function,
            emitpy.UnpackOp: self.unpack,
            emitpy.AugmentOp: self.augment,
            emitpy.CallIntoOp: self.call_into,
            emitpy.StoreOp: self.store,
            emitpy.RaiseIfOp: self.raise_if,
            emitpy.DelOp: self.delete,
            emitpy.YieldOp: self.yield_,
            func.ReturnOp: self.return_,
            func.CallOp: self.call,
        }

    def block(self, block: Block) -> None:
        """Print the operations of a block in order."""
        for op in block.ops:
            self._rules.get(type(op), self.computation)(op)

    # Expressions

    def computation(self, op: Operation) -> None:
        """Hold an expression, or print it as a statement."""
        if len(op.results) != 1:
            raise unknown(op)
        (result,) = op.results
        if result.first_use is None:
            return
        room = MOST if _calls_seldom(op) else self.body.room(_start_of(result))
        expression = self.body.fitted(
            op.operands, lambda values: render(op, values, self.program), room
        )
        if _is_atom(op) or self.variables.is_stable_size(op):
            self.body.expressions[result] = expression
        elif self.nests(op):
            self.overwrites.hold(op)
            self.body.hold(result, expression)
        elif isinstance(op, emitpy.SliceOp):
            self.overwrites.hold(op)
            self.body.hold_for_all(result, expression)
        else:
            self.variables.assign(result, expression)

    def nests(self, op: Operation) -> bool:
        """Whether an expression is printed inside its use.

        None of its operands may be overwritten before the use.
        """
        (result,) = op.results
        if not nests_in_use(result):
            return False
        (use,) = result.uses
        if use.index == 0 and self.needs_variable(result, use.operation):
            return False
        return not self.overwrites.separate(op, use.operation)

    def needs_variable(self, target: OpResult, use: Operation) -> bool:
        """Whether the first operand of a use is overwritten and therefore must have a variable."""
        if isinstance(use, emitpy.AugmentOp):
            is_named = target.name_hint is not None or not self.memory.is_fresh(target)
            return is_named or self.keeps_temporaries
        return isinstance(use, IN_PLACE)

    @cached_property
    def keeps_temporaries(self) -> bool:
        """Whether ``f(a) + y`` is a new array: PyTorch does not overwrite ``f(a)``."""
        return any(
            isinstance(op, emitpy.CallOp | emitpy.HelperOp) and op.callee.data.startswith("torch.")
            for op in operations_in(self.function)
        )

    # Statements that overwrite

    def augment(self, op: emitpy.AugmentOp) -> None:
        """``x += y``; ``f(a) + y`` if the array has no name, as NumPy then overwrites it."""
        if self.body.is_held(op.target):
            operands = [self.body.expressions[operand] for operand in op.operands]
            whole = render(op, operands, self.program)
            if len(whole.text) <= self.body.room(_start_of(op.result)):
                self.computation(op)
                return
        target = self.body.variable(op.target)
        self.body.statement(f"{target.text} {op.operator.data}= ", [op.value], _listed)
        self.variables.stands_for(op.result, target)

    def call_into(self, op: emitpy.CallIntoOp) -> None:
        """``np.abs(x, out=x)``, ``np.abs(x, out=y[i:j])``, ``np.copyto(x, y, where=m)``."""
        target = self.body.variable(op.target)
        is_method = op.callee.data in CALLED_AS_METHODS
        function = method_of(op) if is_method else self.program.function_name(op)
        count, positional = len(op.arguments), len(op.positional)

        def whole(values: Operands) -> Expression:
            keywords = dict(zip(op.keyword_arguments, values[positional:count], strict=True))
            place = py.subscript(target, values[count:]) if op.indices else target
            if op.callee.data in WRITE_TO_FIRST:
                return py.call(function, [place, *values[:positional]], keywords)
            keywords = {"out": place, **keywords}
            if is_method:
                return py.method(values[0], py.call(function, values[1:positional], keywords))
            return py.call(function, values[:positional], keywords)

        self.body.statement("", [*op.arguments, *op.indices], whole)
        self.variables.stands_for(op.result, target)

    def store(self, op: emitpy.StoreOp) -> None:
        """``x[i, :] = y``, after ``if c:`` if there is a condition."""
        target = self.body.variable(op.target)
        if op.condition is None:
            self.assign_element(op, target)
        else:
            self.body.line(f"if {self.body.taken_for_header(op.condition).text}:")
            with self.body.indented():
                self.assign_element(op, target)
        self.variables.stands_for(op.result, target)

    def assign_element(self, op: emitpy.StoreOp, target: Expression) -> None:
        """``x[i, :] = y``"""

        def whole(values: Operands) -> Expression:
            place = py.subscript(target, values[:-1])
            return Expression(f"{place.text} = {values[-1].text}")

        self.body.statement("", [*op.indices, op.value], whole)

    # Other statements

    def raise_if(self, op: emitpy.RaiseIfOp) -> None:
        """``if condition: raise ValueError(f"...")``."""
        arguments = list[Expression]()
        for argument in op.arguments:
            value = self.body.expressions[argument]
            is_fit = value.trivial and '"' not in value.text
            arguments.append(self.body.taken_for_header(argument, is_fit))
        condition = self.body.taken_for_header(op.condition)
        self.body.line(f"if {condition.text}:")
        message = py.format_string(emitpy.message_pieces(op.message.data), arguments)
        with self.body.indented():
            self.body.line(f"raise {op.exception.data}({message})")

    def delete(self, op: emitpy.DelOp) -> None:
        """``del x``."""
        values = self.body.take(self.variables.dying(op))
        self.body.delete(value.text for value in values if value.is_variable)

    def return_(self, op: func.ReturnOp) -> None:
        """``return a, b``."""
        self.body.delete_no_more()
        if op.operands:
            self.body.statement("return ", op.operands, _listed)

    def call(self, op: func.CallOp) -> None:
        """``x, y = f(a)``."""
        callee = op.callee.string_value()
        if callee not in self.program.names:
            raise DiagnosticException(
                f"func.call: '{callee}' is not in the module{where_written(op)}"
            )
        targets = ", ".join([self.body.declare(result) for result in op.results])
        call = self.body.fitted(
            op.operands, lambda v: py.call(self.program.names[callee], v, {}), self.body.room()
        )
        self.body.line(f"{targets} = {call.text}" if targets else call.text)

    def unpack(self, op: emitpy.UnpackOp) -> None:
        """``x, y = t``, ``x, = t``."""
        names = [self.body.declare(field) for field in op.fields]
        comma = "," if len(names) == 1 else ""
        self.body.statement(f"{', '.join(names)}{comma} = ", [op.record], _listed)

    # Nested blocks

    def local_function(self, op: emitpy.DefOp) -> None:
        """``def step(k, x): ...``, between empty lines."""
        name = self.body.names.fresh(op.result.name_hint or "step")
        arguments = [self.body.declare(argument) for argument in op.body.block.args]
        self.body.lines.append("")
        self.body.line(f"def {name}({', '.join(arguments)}):")
        with self.body.indented():
            self.block(op.body.block)
        self.body.lines.append("")
        self.body.expressions[op.result] = py.variable(name)

    def loop(self, op: emitpy.ForOp) -> None:
        """Print a loop; its accumulators are variables, set before it and after each step."""
        if self.body.loops == MOST_LOOPS:
            raise DiagnosticException(
                f"{op.name}: Python has at most {MOST_LOOPS} nested loops{where_written(op)}"
            )
        for accumulator, result, init in zip(op.accumulators, op.res, op.inits, strict=True):
            self.variables.set_accumulator(op, accumulator, result, init)
        bounds = [self.body.taken_for_header(op.count)]
        if op.step is not None:
            bounds = [py.literal(0), *bounds, self.body.taken_for_header(op.step)]
        is_counted = op.counter.first_use is not None
        counter = self.body.declare(op.counter, "k") if is_counted else "_"
        header = f"for {counter} in {py.call('range', bounds, {}).text}:"
        condition = None
        if op.conditional is not None:
            condition = self.body.expressions[op.accumulators[0]].text
            if not is_counted and op.step is None and _is_unlimited(op):
                header, condition = f"while {condition}:", None
        elif not is_counted and op.step is None:
            header = self._condition(op, bounds[0]) or header
        self.body.line(header)
        self.variables.plan_steps(op)
        self.body.loops += 1
        with self.body.indented():
            if condition is not None:
                self.body.line(f"if not {condition}:")
                with self.body.indented():
                    self.body.line("break")
            self.block(op.body.block)
        self.body.loops -= 1

    def _condition(self, op: emitpy.ForOp, count: Expression) -> str | None:
        """``if n > 0:``, ``if c:`` or ``if not c:`` for a loop of at most one step."""
        if (limit := _guarded(op)) is not None:
            number = self.body.expressions[limit]
            return f"if {py.binary(number, '>', py.literal(0)).text}:"
        if (choice := _chosen(op)) is not None:
            if count.text.isidentifier():
                return f"if {count.text}:"
            condition = self.body.expressions[choice.condition]
            is_negated = literal_data(choice.if_true) == 0
            return (
                f"if not {condition.within('not {}')}:" if is_negated else f"if {condition.text}:"
            )
        return None

    def yield_(self, op: emitpy.YieldOp) -> None:
        """Print the end of a step, or of a local function."""
        parent = op.parent_op()
        if isinstance(parent, emitpy.ForOp):
            self.variables.assign_accumulators(op, parent)
        else:
            self.body.statement("return ", op.values, _listed)


def _calls_torch(function: func.FuncOp) -> bool:
    """Whether a function computes on tensors, whose elements are views."""
    return any(
        isinstance(op, emitpy.CallOp | emitpy.HelperOp) and op.callee.data.startswith("torch.")
        for op in operations_in(function)
    )


def _is_unlimited(op: emitpy.ForOp) -> bool:
    """Whether a loop has the limit that no run reaches."""
    count = op.count.owner
    return isinstance(count, emitpy.LiteralOp) and count.data == MOST


def _guarded(op: emitpy.ForOp) -> SSAValue | None:
    """The number n of a loop that runs min(n, 1) times, if its body needs n as well."""
    least = op.count.owner
    if not isinstance(least, emitpy.CallOp) or least.callee.data != "min":
        return None
    if len(least.positional) != 2:
        return None
    count, one = least.positional
    is_one = isinstance(one.owner, emitpy.LiteralOp) and one.owner.data == 1
    return count if is_one and not count.has_one_use() else None


def _chosen(op: emitpy.ForOp) -> emitpy.ConditionalOp | None:
    """The choice ``0 if c else 1``, or the opposite one, of a loop."""
    choice = op.count.owner
    if not isinstance(choice, emitpy.ConditionalOp):
        return None
    return (
        choice if {literal_data(choice.if_true), literal_data(choice.if_false)} == {0, 1} else None
    )


def _listed(values: Operands) -> Expression:
    """``a, b``, as a whole right-hand side."""
    return Expression(py.listed(values))


def _start_of(result: OpResult) -> str:
    """The probable start of a line that has the expression of a result."""
    return f"{result.name_hint or 'return'} = "


def _calls_seldom(op: Operation) -> bool:
    """Whether an operation calls a helper under a condition: a variable would be set always."""
    return isinstance(op, emitpy.ConditionalOp) and isinstance(op.if_false.owner, emitpy.HelperOp)


def _is_atom(op: Operation) -> bool:
    """Whether the expression of an operation is as short as a name at every use."""
    return isinstance(op, emitpy.LiteralOp | emitpy.NameOp)
