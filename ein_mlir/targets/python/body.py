"""The printed lines of a function, and the held expressions that are printed at their use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace

from xdsl.ir import BlockArgument, OpResult, SSAValue

from ein_mlir.analysis.emitpy.nesting import nests_in_use
from ein_mlir.dialects import emitpy
from ein_mlir.targets.python import expressions as py
from ein_mlir.targets.python.expressions import Expression, Operands
from ein_mlir.targets.python.names import Names

WIDTH = 88
"""The maximum length of a line; expressions that cannot be split may exceed it."""

Render = Callable[[Operands], Expression]
"""A function from the expressions of operands to an expression of them."""


class Body:
    """The printed part of a function.

    The expression of a value that is used once is held until its use is printed. If a line is too
    long, a part of it is assigned to a variable first.
    """

    def __init__(self, names: Names):
        self.names = names
        self.loops = 0  # the number of loops around the next line
        self.lines = list[str]()
        self.expressions = dict[SSAValue, Expression]()
        self._indent = 0
        self._held = set[SSAValue]()  # values whose expressions are held until their one use
        self._held_reads = defaultdict[str, int](int)  # variable -> held expressions that read it
        self._parts = dict[str, OpResult]()  # variables of parts of lines that were too long
        self._doomed = dict[str, None]()  # variables to delete when no held expression reads them

    # Lines

    @contextmanager
    def indented(self) -> Generator[None]:
        """A context for lines one level deeper; ``pass`` if there are none."""
        before = len(self.lines)
        self._indent += 4
        yield
        if len(self.lines) == before:
            self.line("pass")
        self._indent -= 4

    def line(self, text: str) -> None:
        """Add a line, then the postponed deletions that it allows."""
        self.lines.append(" " * self._indent + text)
        if self._doomed:
            dying = [name for name in self._doomed if not self.is_awaited(name)]
            for name in dying:
                del self._doomed[name]
            if dying:
                self.lines.append(" " * self._indent + f"del {', '.join(dying)}")

    def room(self, start: str = "") -> int:
        """The number of characters that fit on a line after its start."""
        return WIDTH - self._indent - len(start)

    def delete(self, names: Iterable[str]) -> None:
        """Print ``del x`` as soon as no held expression reads x."""
        names = dict.fromkeys(names)
        self._doomed.update(dict.fromkeys(name for name in names if self.is_awaited(name)))
        now = [name for name in names if name not in self._doomed]
        if now:
            self.line(f"del {', '.join(now)}")

    def delete_no_more(self) -> None:
        """Drop the postponed deletions: the function returns."""
        self._doomed.clear()

    # Expressions

    def hold(self, value: SSAValue, expression: Expression) -> None:
        """Hold an expression until its one use is printed."""
        self._held.add(value)
        self.hold_for_all(value, expression)

    def hold_for_all(self, value: SSAValue, expression: Expression) -> None:
        """Hold an expression for any number of uses."""
        self.expressions[value] = expression
        self._count(expression.reads)

    def _count(self, reads: Iterable[str], times: int = 1) -> None:
        """Count held expressions that read some variables."""
        for name in reads:
            self._held_reads[name] += times

    def is_held(self, value: SSAValue) -> bool:
        """Whether the expression of a value is held until its one use."""
        return value in self._held

    def is_awaited(self, variable: str) -> bool:
        """Whether a held expression reads a variable."""
        return bool(self._held_reads[variable])

    def take(self, values: Sequence[SSAValue]) -> list[Expression]:
        """The expressions of operands, which are held no longer."""
        for value in values:
            if value in self._held:
                self._held.discard(value)
                self._count(self.expressions[value].reads, -1)
        return [self.expressions[value] for value in values]

    def taken_for_header(self, value: SSAValue, is_fit: bool = True) -> Expression:
        """The expression of a value in the header of a block, which no ``del`` can follow.

        It is a variable if it is unsuitable for such a line.
        """
        if not is_fit or not self.expressions[value].reads.isdisjoint(self._doomed):
            self.name(value)
        return self.take([value])[0]

    # Line breaking

    def statement(self, start: str, operands: Sequence[SSAValue], render: Render) -> None:
        """Add a line that consists of a start and an expression of operands."""
        self.line(start + self.fitted(operands, render, self.room(start)).text)

    def fitted(self, operands: Sequence[SSAValue], render: Render, room: int) -> Expression:
        """An expression of operands that fits, if variables for some of them suffice."""
        values, named = [self.expressions[operand] for operand in operands], list[str]()
        expression = render(values)
        while len(expression.text) > room:
            nameable = [k for k in range(len(values)) if _can_name(operands[k], values[k])]
            if not nameable:
                break
            longest = max(nameable, key=lambda k: len(values[k].text))
            values[longest] = self.name(operands[longest])
            named += values[longest].reads
            self._count(values[longest].reads)
            expression = render(values)
        self.take(operands)
        self._count(named, -1)
        return expression

    # Variables

    def declare(
        self, value: BlockArgument | OpResult, default: str | None = None, name: str | None = None
    ) -> str:
        """A new variable for a value, by default named as the value; ``_`` for an unused result."""
        if isinstance(value, OpResult) and value.first_use is None:
            return "_"
        name = self.names.fresh(name or value.name_hint or default)
        self.expressions[value] = py.variable(name)
        return name

    def variable(self, value: SSAValue) -> Expression:
        """The variable that holds a value."""
        (expression,) = self.take([value])
        return expression if expression.is_variable else self.name(value)

    def name(self, value: SSAValue) -> Expression:
        """Assign the expression of a value to a variable, as it is too long for its line.

        The variable of a part of the expression is reused if it has the same type: it has no other
        user, and its memory is released by the assignment.
        """
        (expression,) = self.take([value])
        name = self._free_part(value) or self.names.fresh(value.name_hint)
        self._parts.pop(name, None)
        if value.name_hint is None and isinstance(value, OpResult) and nests_in_use(value):
            self._parts[name] = value
        self.line(f"{name} = {expression.text}")
        self.expressions[value] = py.variable(name)
        if self.loops and isinstance(value.owner, emitpy.TupleOp):
            self._release(value, name, expression)
        return self.expressions[value]

    def _release(self, value: SSAValue, name: str, expression: Expression) -> None:
        """Delete a tuple, and the parts of lines in it, after the line that reads it.

        The next step of the loop would allocate its arrays before it overwrites these variables.
        """
        held = {name, *(each for each in expression.reads if each in self._parts)}
        for each in sorted(held):
            self._parts.pop(each, None)
            self._doomed[each] = None
        self.expressions[value] = replace(self.expressions[value], reads=frozenset(held))

    def keep(self, name: str) -> None:
        """Reuse the variable of a part no longer: it holds a further value, which has users."""
        self._parts.pop(name, None)

    def _free_part(self, value: SSAValue) -> str | None:
        """The variable of a part of an unnamed expression, if one has the same type."""
        if value.name_hint is not None:
            return None
        reads = sorted(self.expressions[value].reads)
        parts = (name for name in reads if name in self._parts)
        return next((name for name in parts if self._parts[name].type == value.type), None)


def _can_name(value: SSAValue, expression: Expression) -> bool:
    return not expression.trivial and not isinstance(value.owner, emitpy.SliceOp)
