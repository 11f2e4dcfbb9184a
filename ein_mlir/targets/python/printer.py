"""From emitpy to Python source that people can read.

One pass over the operations, in their order. The expression of a value that is used once is held
back until its use is printed, so that expressions nest as people write them; a line that would
become too long gives part of itself a name first. Every expression held back is as short as a
line, so the time is linear in the size of the program.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.emitpy.nesting import nests_in_use
from ein_mlir.analysis.emitpy.shared_memory import Memory
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.names import LIBRARIES, WRITE_TO_FIRST
from ein_mlir.targets.python import expressions as py
from ein_mlir.targets.python.expressions import Expression
from ein_mlir.targets.python.names import Names
from ein_mlir.targets.python.overwrites import Overwrites
from ein_mlir.targets.python.prelude import needed

WIDTH = 88
"""The longest line, where it can be helped."""

MOST_LOOPS = 20
"""How many loops CPython compiles in each other."""


@dataclass(frozen=True)
class PythonTarget(Target):
    """``-t python``: the source of a module whose functions are in emitpy."""

    name = "python"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the source."""
        output.write(python_source(module))


def python_source(module: ModuleOp) -> str:
    """The Python source of a module whose functions are in emitpy.

    It imports the libraries that it calls, carries the helpers that it needs, and runs without
    this package. Functions that ``emitpy.extern`` names must be put among its globals, under their
    `extern_names`.

    Raises DiagnosticException for an operation that is not in emitpy.
    """
    program = _Program(module)
    functions = [_Function(program, function).source() for function in program.functions]
    helpers = [helper for library in LIBRARIES for helper in program.prelude(library)]
    given = f"# Given by the embedding program: {', '.join(program.externs.values())}"
    parts = (program.import_lines(), given if program.externs else "", *helpers, *functions)
    return "\n\n\n".join(part for part in parts if part) + "\n"


def function_names(module: ModuleOp) -> dict[str, str]:
    """The Python name of each function of a module, by its symbol."""
    return _Program(module).names


def extern_names(module: ModuleOp) -> dict[str, str]:
    """The Python name of each function that the source takes from its globals, by its symbol."""
    return _Program(module).externs


class _Program:
    """What the functions of a module share: global names, and what was found to be needed."""

    def __init__(self, module: ModuleOp):
        self.functions = [
            op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration
        ]
        self.imports = set[str]()
        self.helpers = dict[str, set[str]]()
        symbols = list[str]()
        for op in module.walk():
            if isinstance(op, emitpy.ExternOp):
                symbols.append(op.callee.string_value())
            elif isinstance(op, emitpy.HelperOp):
                self._need_helper(op)
        names = Names(self._helper_names())
        self.externs = {symbol: names.fresh(symbol) for symbol in dict.fromkeys(symbols)}
        self.names = {f.sym_name.data: names.fresh(f.sym_name.data) for f in self.functions}

    def _need_helper(self, op: emitpy.HelperOp) -> None:
        library, _, name = op.callee.data.partition(".")
        try:
            helpers = needed(library, [name])
        except KeyError:
            raise DiagnosticException(
                f"{op.name}: there is no helper '{op.callee.data}'{where_written(op)}"
            ) from None
        self.helpers.setdefault(library, set()).update(helpers)
        for helper in helpers.values():
            self.imports.update(helper.imports)

    def globals(self) -> set[str]:
        """Names that stand for helpers and for functions of the embedding program."""
        return {*self.externs.values(), *self._helper_names()}

    def helper_name(self, library: str, name: str) -> str:
        """The name of a helper; that of its library is in front where others have one like it."""
        is_shared = sum(name in helpers for helpers in self.helpers.values()) > 1
        return f"{library}_{name}" if is_shared else name

    def _helper_names(self) -> list[str]:
        return [
            self.helper_name(library, name)
            for library, helpers in self.helpers.items()
            for name in helpers
        ]

    def import_lines(self) -> str:
        """The imports, those of the standard library first."""
        libraries = {library.module.partition(".")[0] for library in LIBRARIES.values()}
        groups: tuple[list[str], list[str]] = [], []
        for line in sorted(self.imports):
            groups[line.split()[1].partition(".")[0] in libraries].append(line)
        return "\n\n".join("\n".join(group) for group in groups if group)

    def prelude(self, library: str) -> list[str]:
        """The source of the helpers of a library."""
        if library not in self.helpers:
            return []
        helpers = needed(library, self.helpers[library])
        names = {name: self.helper_name(library, name) for name in helpers}
        called = re.compile(rf"(?<!\.)\b({'|'.join(helpers)})\b")
        return [called.sub(lambda m: names[m[0]], helper.source) for helper in helpers.values()]

    def library_name(self, name: str) -> str:
        """A dotted name, whose library is imported."""
        alias, dot, _ = name.partition(".")
        if dot:
            module = LIBRARIES[alias].module
            self.imports.add(f"import {module}" + (f" as {alias}" if alias != module else ""))
        return name


class _Function:
    """Prints one function."""

    def __init__(self, program: _Program, function: func.FuncOp):
        self.program = program
        self.function = function
        self.names = Names([*program.globals(), *program.names.values()])
        self.lines = list[str]()
        self.indent = 0
        self.depth = 0
        self.expressions = dict[SSAValue, Expression]()
        self.held = set[SSAValue]()
        self.held_reads = Counter[str]()
        self.parts = dict[str, OpResult]()
        self.doomed = dict[str, None]()
        self.changing = set[str]()
        self.replaced = set[SSAValue]()
        self.wanted = dict[SSAValue, BlockArgument]()
        self.read_as = dict[str, list[SSAValue]]()
        self.memory = Memory()
        self.overwrites = Overwrites(function, self.memory)
        self.deleted = {
            value for op in function.walk() if isinstance(op, emitpy.DelOp) for value in op.values
        }

    def source(self) -> str:
        """The text of the function."""
        arguments = list[str]()
        for argument in self.function.body.block.args:
            arguments.append(self.names.fresh(argument.name_hint or f"a{argument.index}"))
            self.expressions[argument] = py.variable(arguments[-1])
        self.lines.extend(self.decorators())
        self.header(self.program.names[self.function.sym_name.data], arguments)
        with self.indented():
            self.block(self.function.body.block)
        return "\n".join(self.lines)

    def decorators(self) -> Iterator[str]:
        """The lines above ``def``."""
        decorators = self.function.attributes.get(emitpy.DECORATORS)
        if not isa(decorators, ArrayAttr[emitpy.DecoratorAttr]):
            return
        for decorator in decorators:
            keywords = {
                name: py.literal(value.data)
                for name, value in decorator.keywords.data.items()
                if isinstance(value, StringAttr)
            }
            name = self.program.library_name(decorator.callee.data)
            yield f"@{py.call(name, (), keywords).text}"

    def header(self, name: str, arguments: Sequence[str]) -> None:
        """The line, or lines, of ``def``."""
        line = f"def {name}({', '.join(arguments)}):"
        if len(line) <= WIDTH:
            self.lines.append(line)
        else:
            self.lines += [f"def {name}(", *(f"    {argument}," for argument in arguments), "):"]

    # Lines

    @contextmanager
    def indented(self) -> Generator[None]:
        """Lines one level deeper; ``pass`` where there are none."""
        before = len(self.lines)
        self.indent += 4
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.indent -= 4

    def line(self, text: str) -> None:
        """Add a line, and forget variables that were waiting for it."""
        self.lines.append(" " * self.indent + text)
        if self.doomed:
            dying = [name for name in self.doomed if not self.held_reads[name]]
            for name in dying:
                del self.doomed[name]
            if dying:
                self.lines.append(" " * self.indent + f"del {', '.join(dying)}")

    def room(self) -> int:
        """How many characters a line still holds."""
        return WIDTH - self.indent

    # Values

    def hold(self, value: SSAValue, expression: Expression) -> None:
        """Keep an expression until its one use is printed."""
        self.expressions[value] = expression
        self.held.add(value)
        self.held_reads.update(expression.reads)

    def take(self, values: Sequence[SSAValue]) -> list[Expression]:
        """The expressions of operands; those held back are not any longer."""
        for value in values:
            if value in self.held:
                self.held.discard(value)
                self.held_reads.subtract(self.expressions[value].reads)
        return [self.expressions[value] for value in values]

    def fitted(
        self,
        operands: Sequence[SSAValue],
        render: Callable[[Sequence[Expression]], Expression],
        room: int,
    ) -> Expression:
        """An expression of operands that fits, where naming some of them can achieve it."""
        values = [self.expressions[operand] for operand in operands]
        expression = render(values)
        while len(expression.text) > room:
            nameable = [k for k in range(len(values)) if self._can_name(operands[k], values[k])]
            if not nameable:
                break
            longest = max(nameable, key=lambda k: len(values[k].text))
            values[longest] = self.name(operands[longest])
            expression = render(values)
        self.take(operands)
        return expression

    @staticmethod
    def _can_name(value: SSAValue, expression: Expression) -> bool:
        return not expression.trivial and not isinstance(value.owner, emitpy.SliceOp)

    def name(self, value: SSAValue) -> Expression:
        """Assign the expression of a value to a variable: it is too long for the line it is in.

        That is the variable of a part that was too long for the expression, if there is one of the
        same type: nothing else reads it, and what it holds is free when it is assigned to.
        """
        (expression,) = self.take([value])
        name = self._free_part(value) or self.names.fresh(value.name_hint)
        self.parts.pop(name, None)
        if value.name_hint is None and isinstance(value, OpResult) and nests_in_use(value):
            self.parts[name] = value
        self.line(f"{name} = {expression.text}")
        self.expressions[value] = py.variable(name)
        return self.expressions[value]

    def _free_part(self, value: SSAValue) -> str | None:
        """The variable of a part of an expression that has no name of its own."""
        if value.name_hint is not None:
            return None
        reads = sorted(self.expressions[value].reads)
        parts = (name for name in reads if name in self.parts)
        return next((name for name in parts if self.parts[name].type == value.type), None)

    def taken_for_header(self, value: SSAValue, is_fit: bool = True) -> Expression:
        """The expression of a value in a line that others belong to, so no ``del`` can follow.

        It is a variable where it is not fit for such a line.
        """
        if not is_fit or not self.expressions[value].reads.isdisjoint(self.doomed):
            self.name(value)
        return self.take([value])[0]

    # Operations

    def block(self, block: Block) -> None:
        """Print the operations of a block in order."""
        for op in block.ops:
            match op:
                case emitpy.ForOp():
                    self.loop(op)
                case emitpy.DefOp():
                    self.local_function(op)
                case emitpy.UnpackOp():
                    self.unpack(op)
                case emitpy.AugmentOp():
                    self.augment(op)
                case emitpy.CallIntoOp():
                    self.call_into(op)
                case emitpy.StoreOp():
                    self.store(op)
                case emitpy.RaiseIfOp():
                    self.raise_if(op)
                case emitpy.DelOp():
                    self.delete(op)
                case emitpy.YieldOp():
                    self.yield_(op)
                case func.ReturnOp():
                    self.return_(op)
                case func.CallOp():
                    self.call(op)
                case _:
                    self.computation(op)

    def computation(self, op: Operation) -> None:
        """An expression: held back, or a statement."""
        if len(op.results) != 1:
            raise DiagnosticException(
                f"'{op.name}' has no Python source: the target prints emitpy, run a pass such as "
                f"convert-yarr-to-numpy first{where_written(op)}"
            )
        (result,) = op.results
        if result.first_use is None:
            return
        room = self.room() - len(f"{result.name_hint or 'return'} = ")
        expression = self.fitted(op.operands, lambda values: self.render(op, values), room)
        if _is_atom(op) or self.is_stable_size(op):
            self.expressions[result] = expression
        elif self.nests(op):
            self.overwrites.hold(op)
            self.hold(result, expression)
        elif isinstance(op, emitpy.SliceOp):
            self.overwrites.hold(op)
            self.expressions[result] = expression
            self.held_reads.update(expression.reads)
        else:
            self.statement(result, expression)

    def statement(self, result: SSAValue, expression: Expression) -> None:
        """``name = expression``."""
        name = (
            self.accumulator_free_for(result)
            or self.dying_namesake(result)
            or self.names.fresh(result.name_hint or _name_at_start(result))
        )
        self.line(f"{name} = {expression.text}")
        self.expressions[result] = py.variable(name)
        if result in self.deleted:
            self.changing.add(name)

    def is_stable_size(self, op: Operation) -> bool:
        """Whether this is ``a.shape``, or an unnamed ``a.shape[0]``, of a variable that stays.

        Such an expression is as good as a name, and may be repeated.
        """
        match op:
            case emitpy.AttrOp(attribute=StringAttr(data="shape" | "ndim" | "dtype")):
                base = self.expressions[op.object]
            case emitpy.SubscriptOp() if op.result.name_hint is None and all(
                isinstance(index.owner, emitpy.LiteralOp) for index in op.indices
            ):
                shape = op.object.owner
                if not isinstance(shape, emitpy.AttrOp) or shape.attribute.data != "shape":
                    return False
                base = self.expressions[shape.object]
            case _:
                return False
        return base.trivial and not base.reads & self.changing

    def render(self, op: Operation, values: Sequence[Expression]) -> Expression:
        """The expression of an operation, given those of its operands."""
        match op:
            case emitpy.LiteralOp():
                return py.literal(op.data)
            case emitpy.NameOp():
                return Expression(self.program.library_name(op.target.data), trivial=True)
            case emitpy.CallOp():
                return self._call(self.program.library_name(op.callee.data), op, values)
            case emitpy.HelperOp():
                library, _, name = op.callee.data.partition(".")
                return self._call(self.program.helper_name(library, name), op, values)
            case emitpy.ExternOp():
                return self._call(self.program.externs[op.callee.string_value()], op, values)
            case emitpy.MethodOp():
                function = py.attribute(values[0], op.method.data)
                called = self._call(function.text, op, values[1:])
                return Expression(called.text, reads=called.reads | function.reads)
            case emitpy.AttrOp():
                base = py.attribute(values[0], op.attribute.data)
                return Expression(base.text, reads=base.reads, trivial=values[0].trivial)
            case emitpy.SliceOp():
                return py.slice_(values)
            case emitpy.SubscriptOp():
                base = py.subscript(values[0], values[1:])
                trivial = all(value.trivial for value in values)
                return Expression(base.text, reads=base.reads, trivial=trivial)
            case emitpy.TupleOp():
                return py.tuple_(values)
            case emitpy.BinaryOp() | emitpy.AugmentOp():
                return py.binary(values[0], op.operator.data, values[1])
            case emitpy.UnaryOp():
                return py.unary(op.operator.data, values[0])
            case emitpy.ConditionalOp():
                return py.conditional(*values)
            case _:
                raise DiagnosticException(
                    f"'{op.name}' has no Python source: the target prints emitpy, run a pass such "
                    f"as convert-yarr-to-numpy first{where_written(op)}"
                )

    @staticmethod
    def _call(function: str, op: emitpy.CallLikeOp, values: Sequence[Expression]) -> Expression:
        count = len(op.positional)
        keywords = zip(op.keyword_arguments, values[count:], strict=True)
        return py.call(function, values[:count], dict(keywords))

    def nests(self, op: Operation) -> bool:
        """Whether an expression is printed inside its use, and nothing that it reads changes until
        then.
        """
        (result,) = op.results
        if not nests_in_use(result):
            return False
        (use,) = result.uses
        if isinstance(use.operation, _IN_PLACE) and use.index == 0:
            needs_variable = (
                isinstance(use.operation, emitpy.CallIntoOp | emitpy.StoreOp)
                or result.name_hint is not None
                or not self.memory.is_fresh(result)
            )
            if needs_variable:
                return False
        return not self.overwrites.separate(op, use.operation)

    # Statements

    def augment(self, op: emitpy.AugmentOp) -> None:
        """``x += y``; ``f(a) + y`` where the array has no name, as NumPy then overwrites it."""
        if op.target in self.held:
            whole = self.render(op, [self.expressions[operand] for operand in op.operands])
            if len(whole.text) <= self.room() - len(f"{op.result.name_hint or 'return'} = "):
                self.computation(op)
                return
        target = self.variable(op.target)
        start = f"{target.text} {op.operator.data}= "
        value = self.fitted([op.value], lambda v: v[0], self.room() - len(start))
        self.line(f"{start}{value.text}")
        self.stands_for(op.result, target)

    def call_into(self, op: emitpy.CallIntoOp) -> None:
        """``np.abs(x, out=x)``, ``np.abs(x, out=y[i:j])``, ``np.copyto(x, y, where=m)``."""
        target = self.variable(op.target)
        function = self.program.library_name(op.callee.data)
        count, positional = len(op.arguments), len(op.positional)

        def render(values: Sequence[Expression]) -> Expression:
            keywords = dict(zip(op.keyword_arguments, values[positional:count], strict=True))
            place = py.subscript(target, values[count:]) if op.indices else target
            if op.callee.data in WRITE_TO_FIRST:
                return py.call(function, [place, *values[:positional]], keywords)
            return py.call(function, values[:positional], {"out": place, **keywords})

        self.line(self.fitted([*op.arguments, *op.indices], render, self.room()).text)
        self.stands_for(op.result, target)

    def store(self, op: emitpy.StoreOp) -> None:
        """``x[i, :] = y``, behind ``if c:`` where there is a condition."""
        target = self.variable(op.target)
        if op.condition is None:
            self.assign_element(op, target)
        else:
            self.line(f"if {self.taken_for_header(op.condition).text}:")
            with self.indented():
                self.assign_element(op, target)
        self.stands_for(op.result, target)

    def assign_element(self, op: emitpy.StoreOp, target: Expression) -> None:
        """``x[i, :] = y``"""

        def render(values: Sequence[Expression]) -> Expression:
            place = py.subscript(target, values[:-1])
            return Expression(f"{place.text} = {values[-1].text}")

        self.line(self.fitted([*op.indices, op.value], render, self.room()).text)

    def variable(self, value: SSAValue) -> Expression:
        """The variable that holds a value."""
        (expression,) = self.take([value])
        is_variable = expression.reads == frozenset((expression.text,))
        return expression if is_variable else self.name(value)

    def stands_for(self, value: SSAValue, variable: Expression) -> None:
        """Let a variable hold one more value."""
        self.expressions[value] = variable
        self.read_as.setdefault(variable.text, []).append(value)
        if value in self.deleted:
            self.changing.add(variable.text)

    def raise_if(self, op: emitpy.RaiseIfOp) -> None:
        """``if condition: raise ValueError(f"...")``."""
        arguments = list[Expression]()
        for argument in op.arguments:
            text = self.expressions[argument]
            arguments.append(self.taken_for_header(argument, text.trivial and '"' not in text.text))
        condition = self.taken_for_header(op.condition)
        self.line(f"if {condition.text}:")
        message = py.format_string(emitpy.message_pieces(op.message.data), arguments)
        with self.indented():
            self.line(f"raise {op.exception.data}({message})")

    def delete(self, op: emitpy.DelOp) -> None:
        """``del x``, once no expression that is held back reads x."""
        values = [value for value in op.values if value not in self.replaced]
        names = [
            value.text for value in self.take(values) if value.reads == frozenset((value.text,))
        ]
        self.doomed.update(dict.fromkeys(name for name in names if self.held_reads[name]))
        now = [name for name in dict.fromkeys(names) if name not in self.doomed]
        if now:
            self.line(f"del {', '.join(now)}")

    def return_(self, op: func.ReturnOp) -> None:
        """``return a, b``."""

        def render(values: Sequence[Expression]) -> Expression:
            return Expression(", ".join(value.text for value in values))

        self.doomed.clear()
        if not op.operands:
            return
        text = self.fitted(op.operands, render, self.room() - len("return ")).text
        self.line(f"return {text}")

    def call(self, op: func.CallOp) -> None:
        """``x, y = f(a)``."""
        callee = op.callee.string_value()
        if callee not in self.program.names:
            raise DiagnosticException(
                f"func.call: '{callee}' is not in the module{where_written(op)}"
            )
        names = [
            "_" if result.first_use is None else self.names.fresh(result.name_hint)
            for result in op.results
        ]
        name = self.program.names[callee]
        text = self.fitted(op.operands, lambda v: py.call(name, v, {}), self.room()).text
        self.line(f"{', '.join(names)} = {text}" if names else text)
        for result, name in zip(op.results, names, strict=True):
            self.expressions[result] = py.variable(name)

    def unpack(self, op: emitpy.UnpackOp) -> None:
        """``x, y = t``."""
        names = [
            "_" if field.first_use is None else self.names.fresh(field.name_hint)
            for field in op.fields
        ]
        comma = "," if len(names) == 1 else ""
        targets = f"{', '.join(names)}{comma}"
        room = self.room() - len(f"{targets} = ")
        self.line(f"{targets} = {self.fitted([op.record], lambda v: v[0], room).text}")
        for field, name in zip(op.fields, names, strict=True):
            self.expressions[field] = py.variable(name)

    def local_function(self, op: emitpy.DefOp) -> None:
        """``def step(k, x): ...``, between empty lines."""
        name = self.names.fresh(op.result.name_hint or "step")
        arguments = list[str]()
        for argument in op.body.block.args:
            arguments.append(self.names.fresh(argument.name_hint))
            self.expressions[argument] = py.variable(arguments[-1])
        self.lines.append("")
        self.line(f"def {name}({', '.join(arguments)}):")
        with self.indented():
            self.block(op.body.block)
        self.lines.append("")
        self.expressions[op.result] = py.variable(name)

    # Loops

    def loop(self, op: emitpy.ForOp) -> None:
        """Accumulators are variables: set before the loop, and at the end of each step."""
        if self.depth == MOST_LOOPS:
            raise DiagnosticException(
                f"{op.name}: Python has at most {MOST_LOOPS} loops in each other{where_written(op)}"
            )
        for accumulator, result, value in zip(op.accumulators, op.res, op.inits, strict=True):
            (init,) = self.take([value])
            name = self._continued(op, value, init)
            if name is None:
                name = self.names.fresh(accumulator.name_hint or result.name_hint or "acc")
                self.changing.add(name)
                self.line(f"{name} = {init.text}")
            self.stands_for(accumulator, py.variable(name))
            self.stands_for(result, py.variable(name))
        bounds = [self.taken_for_header(op.count)]
        if op.step is not None:
            bounds = [py.literal(0), *bounds, self.taken_for_header(op.step)]
        counter = "_"
        if op.counter.first_use is not None:
            counter = self.names.fresh(op.counter.name_hint or "k")
            self.expressions[op.counter] = py.variable(counter)
        self.line(f"for {counter} in {py.call('range', bounds, {}).text}:")
        self._plan_steps(op)
        self.depth += 1
        with self.indented():
            self.block(op.body.block)
        self.depth -= 1

    def _continued(self, op: emitpy.ForOp, value: SSAValue, expression: Expression) -> str | None:
        """The variable that this loop may go on with, if there is one: that of another loop, or of
        what only this loop starts with.
        """
        is_variable = expression.reads == frozenset((expression.text,))
        if is_variable and value not in self.deleted and _only_start(value) is op:
            if expression.text in self.changing:
                return None
            self.changing.add(expression.text)
            return expression.text
        if (
            (isinstance(value, BlockArgument) or isinstance(value.owner, _IN_PLACE))
            and _block_of(value) is op.parent
            and value.has_one_use()
            and expression.text in self.changing
        ):
            return expression.text
        return None

    def _plan_steps(self, op: emitpy.ForOp) -> None:
        """Note which values of a body could be assigned to an accumulator straight away."""
        block = op.body.block
        terminator = block.last_op
        assert isinstance(terminator, emitpy.YieldOp)
        for accumulator, value in zip(op.accumulators, terminator.values, strict=True):
            if value.owner.parent is block and list(terminator.values).count(value) == 1:
                self.wanted[value] = accumulator

    def accumulator_free_for(self, result: SSAValue) -> str | None:
        """The accumulator that a value is yielded to, if its old value is not needed any more."""
        accumulator = self.wanted.get(result)
        if accumulator is None:
            return None
        name = self.expressions[accumulator].text
        position = self.overwrites.position(_owner_operation(result))
        needed_later = any(
            self.overwrites.position(use.operation) > position
            for value in self.read_as[name]
            if _block_of(value) is accumulator.block
            for use in value.uses
        )
        return None if needed_later or self.held_reads[name] else name

    def dying_namesake(self, result: SSAValue) -> str | None:
        """The variable of a value with the same name, deleted next: ``x = f(x)``."""
        deletion = _owner_operation(result).next_op
        if result.name_hint is None or not isinstance(deletion, emitpy.DelOp):
            return None
        for value in deletion.values:
            if value is result or value.name_hint != result.name_hint:
                continue
            name = self.expressions[value].text
            is_variable = self.expressions[value].reads == frozenset((name,))
            if is_variable and not self.held_reads[name] and name not in self.read_as:
                self.replaced.add(value)
                return name
        return None

    def yield_(self, op: emitpy.YieldOp) -> None:
        """The end of a step, or of a local function."""
        parent = op.parent_op()
        if isinstance(parent, emitpy.ForOp):
            self.assign_accumulators(op, parent)
        else:
            room = self.room() - len("return ")
            self.line(f"return {self.fitted(op.values, lambda v: v[0], room).text}")

    def assign_accumulators(self, op: emitpy.YieldOp, loop: emitpy.ForOp) -> None:
        """The accumulators get their next values, one after another where that is the same."""
        names = [self.expressions[accumulator].text for accumulator in loop.accumulators]
        pairs = [
            (name, value)
            for name, value in zip(names, op.values, strict=True)
            if name != self.expressions[value].text
        ]

        def is_read(name: str, others: Sequence[SSAValue]) -> bool:
            return any(name in self.expressions[value].reads for value in others)

        while pairs:
            free = next(
                (p for p in pairs if not is_read(p[0], [q[1] for q in pairs if q is not p])), None
            )
            if free is None:
                break
            pairs.remove(free)
            self.line(f"{free[0]} = {self.take([free[1]])[0].text}")
        if pairs:
            targets, values = zip(*pairs, strict=True)
            texts = [value.text for value in self.take(values)]
            self.line(f"{', '.join(targets)} = {', '.join(texts)}")


def _owner_operation(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def _block_of(value: SSAValue) -> Block | None:
    return value.block if isinstance(value, BlockArgument) else _owner_operation(value).parent


def _only_start(value: SSAValue) -> emitpy.ForOp | None:
    """The loop that starts with a new array, maybe several times, if nothing else uses it."""
    if value.first_use is None or isinstance(value.owner, (Block, emitpy.ForOp, *_IN_PLACE)):
        return None
    loop = value.first_use.operation
    if not isinstance(loop, emitpy.ForOp) or loop.parent is not value.owner.parent:
        return None
    return loop if all(u.operation is loop and u.index > 0 for u in value.uses) else None


def _name_at_start(value: SSAValue) -> str | None:
    """The name of the accumulator that only starts with a value."""
    loop = _only_start(value)
    if loop is None:
        return None
    number = next(number for number, init in enumerate(loop.inits) if init is value)
    return loop.accumulators[number].name_hint or loop.res[number].name_hint


def _is_atom(op: Operation) -> bool:
    """Whether the expression of an operation is as short as a name, wherever it is used."""
    return isinstance(op, emitpy.LiteralOp | emitpy.NameOp)


_IN_PLACE = (emitpy.AugmentOp, emitpy.CallIntoOp, emitpy.StoreOp)
"""Operations whose result is in a variable that there was."""
