"""rho to the syntax of the thesis.

A value without a name that has one use is part of the expression that uses it, if both are in the
same body; any other value is bound by a ``let``, so that it is evaluated where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from textwrap import indent
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.dialects import rho
from ein_mlir.host.dataclass import dataclass
from ein_mlir.sources.rho.tokens import KEYWORDS


@dataclass(frozen=True)
class RhoTarget(Target):
    """``-t rho``: the text of a program of the dialect ``rho``."""

    name = "rho"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the text."""
        output.write(rho_text(module))


def rho_text(module: ModuleOp) -> str:
    r"""The text of the programs of a module.

    Raises DiagnosticException for other operations.

    >>> from ein_mlir.sources.rho.parser import parse
    >>> print(rho_text(parse(r"let f = \x.\y. x * (y + 1) in f 2 (-3)")), end="")
    let f = \x.\y. x * (y + 1) in
    f 2 (-3)
    """
    texts = list[str]()
    for op in module.ops:
        if not isinstance(op, rho.ProgramOp):
            raise DiagnosticException(
                f"{op.name}: only rho.program has a text in rho{where_written(op)}"
            )
        texts.append(_Printer(op).program(op))
    return "\n".join(texts)


class _Power(IntEnum):
    """How tightly an expression binds: one in a tighter place needs parentheses."""

    EXPRESSION = 0
    COMPARISON = 1
    CONCAT = 2
    SUM = 3
    PRODUCT = 4
    PREFIX = 5
    APPLICATION = 6
    PART = 7


@dataclass(frozen=True)
class _Text:
    text: str
    power: _Power = _Power.PART

    def at(self, power: _Power) -> str:
        return self.text if self.power >= power else f"({self.text})"


class _Printer:
    def __init__(self, program: rho.ProgramOp):
        self._texts = dict[SSAValue, _Text]()
        self._inner: list[list[str]] = [[]]
        functions = (op for op in program.walk() if isinstance(op, rho.FunctionOp))
        self._names = {*KEYWORDS, *(op.sym_name.data for op in functions)}

    def program(self, op: rho.ProgramOp) -> str:
        parameters = self._parameters(op)
        lines = [parameters] if parameters else []
        return "\n".join((*lines, self._block(op.body.block), ""))

    @contextmanager
    def scope(self) -> Generator[None]:
        """Forget names at the end, so that they can be given again."""
        self._inner.append([])
        yield
        self._names.difference_update(self._inner.pop())

    def _parameters(self, op: rho.ScopeOp) -> str:
        return "".join(f"\\{self._name(parameter)}." for parameter in op.parameters)

    def _name(self, value: SSAValue) -> str:
        """A new name for a value: its hint, with a number if that is taken."""
        hint = name = value.name_hint or "t"
        number = 0
        while name in self._names:
            name, number = f"{hint}{number + 1}", number + 1
        self._names.add(name)
        self._inner[-1].append(name)
        self._texts[value] = _Text(name)
        return name

    def _block(self, block: Block) -> str:
        """The lets of a block, one on each line, and its value."""
        lines = list[str]()
        for op in block.ops:
            if isinstance(op, rho.YieldOp):
                lines.append(self._text(op.value).at(_Power.EXPRESSION))
            elif isinstance(op, rho.FunctionOp):
                lines.append(self._function(op))
            elif op.results:
                self._operation(op, lines)
        return "\n".join(lines)

    def _operation(self, op: Operation, lines: list[str]) -> None:
        if type(op) not in _RULES:
            raise DiagnosticException(f"{op.name} has no text in rho{where_written(op)}")
        text, (result,) = _RULES[type(op)](self, op), op.results
        if _is_part(op):
            self._texts[result] = text
        else:
            lines.append(f"let {self._name(result)} = {text.at(_Power.EXPRESSION)} in")

    def _function(self, op: rho.FunctionOp) -> str:
        with self.scope():
            head, body = self._parameters(op), self._block(op.body.block)
        start = f"let {op.sym_name.data} = {head}"
        if "\n" in body:
            return f"{start}\n{indent(body, '  ')}\nin"
        return f"{start} {body} in"

    def _text(self, value: SSAValue) -> _Text:
        return self._texts[value]

    def at(self, value: SSAValue, power: _Power) -> str:
        """An operand, in parentheses if it binds less tightly."""
        return self._text(value).at(power)

    def nested(self, block: Block, before: str = " ", after: str = "") -> str:
        """A body, on lines of its own if it has several."""
        with self.scope():
            text = self._block(block)
        if "\n" in text:
            return f"\n{indent(text, '  ')}" + ("\n" if after else "")
        return f"{before}{text}{after}"

    def index(self, op: rho.GenOp) -> str:
        """The name of the index of a generator."""
        return self._name(op.index)


def _is_part(op: Operation) -> bool:
    """Whether an operation is printed where its result is used."""
    (result,) = op.results
    if result.name_hint is not None:
        return False
    if isinstance(op, rho.ScalarOp):
        return True
    uses = list(result.uses)
    return len(uses) == 1 and uses[0].operation.parent is op.parent


def _scalar(printer: _Printer, op: rho.ScalarOp) -> _Text:
    text = rho.number_text(op.number)
    return _Text(text, _Power.PREFIX if text.startswith("-") else _Power.PART)


_POWERS = {
    "+": _Power.SUM,
    "-": _Power.SUM,
    "*": _Power.PRODUCT,
    "/": _Power.PRODUCT,
}
"""Operator -> how tightly it binds; comparisons are not in it."""


def _binary(printer: _Printer, op: rho.BinaryOp) -> _Text:
    """Operators associate to the left; comparisons do not."""
    power = _POWERS.get(op.operator.data, _Power.COMPARISON)
    tighter = _Power(power + 1)
    left = tighter if power is _Power.COMPARISON else power
    lhs, rhs = printer.at(op.lhs, left), printer.at(op.rhs, tighter)
    return _Text(f"{lhs} {op.operator.data} {rhs}", power)


def _concat(printer: _Printer, op: rho.ConcatOp) -> _Text:
    lhs, rhs = printer.at(op.lhs, _Power.CONCAT), printer.at(op.rhs, _Power.SUM)
    return _Text(f"{lhs} ++ {rhs}", _Power.CONCAT)


def _prefixed(mark: str) -> Callable[[_Printer, rho.UnaryOp], _Text]:
    def rule(printer: _Printer, op: rho.UnaryOp) -> _Text:
        return _Text(f"{mark}{printer.at(op.operand, _Power.PREFIX)}", _Power.PREFIX)

    return rule


def _abs(printer: _Printer, op: rho.AbsOp) -> _Text:
    text = printer.at(op.operand, _Power.EXPRESSION)
    return _Text(f"|({text})|" if "|" in text else f"|{text}|")


def _applied(name: str) -> Callable[[_Printer, rho.UnaryOp], _Text]:
    def rule(printer: _Printer, op: rho.UnaryOp) -> _Text:
        return _Text(f"{name} {printer.at(op.operand, _Power.PART)}", _Power.APPLICATION)

    return rule


def _call(printer: _Printer, op: rho.CallOp) -> _Text:
    arguments = (printer.at(argument, _Power.PART) for argument in op.arguments)
    return _Text(" ".join((op.function, *arguments)), _Power.APPLICATION)


def _stack(printer: _Printer, op: rho.StackOp) -> _Text:
    return _Text(f"[{_listed(printer, op.parts)}]")


def _listed(printer: _Printer, values: Sequence[SSAValue]) -> str:
    return ", ".join(printer.at(value, _Power.EXPRESSION) for value in values)


def _select(printer: _Printer, op: rho.SelectOp) -> _Text:
    array, index = printer.at(op.array, _Power.PART), printer.at(op.index, _Power.EXPRESSION)
    return _Text(f"{array}.({index})")


def _rest(printer: _Printer, op: rho.RestOp) -> _Text:
    array, start = printer.at(op.array, _Power.PART), printer.at(op.start, _Power.EXPRESSION)
    return _Text(f"{array}.[{start}:]")


def _fill(printer: _Printer, op: rho.FillOp | rho.GenOp) -> _Text:
    shape, default = printer.at(op.shape, _Power.PART), printer.at(op.default, _Power.PART)
    return _Text(f"gen {shape} {default}", _Power.EXPRESSION)


def _gen(printer: _Printer, op: rho.GenOp) -> _Text:
    start = _fill(printer, op).text
    lower, upper = printer.at(op.lower, _Power.SUM), printer.at(op.upper, _Power.SUM)
    with printer.scope():
        index, body = printer.index(op), printer.nested(op.body.block)
    return _Text(f"{start} with {lower} <= {index} < {upper} in{body}", _Power.EXPRESSION)


def _if(printer: _Printer, op: rho.IfOp) -> _Text:
    condition = printer.at(op.condition, _Power.EXPRESSION)
    then = printer.nested(op.then.block, after=" ")
    otherwise = printer.nested(op.otherwise.block)
    return _Text(f"if {condition} then{then}else{otherwise}", _Power.EXPRESSION)


_RULES: dict[type[Operation], Callable[[_Printer, Any], _Text]] = {
    rho.AbsOp: _abs,
    rho.ArithOp: _binary,
    rho.CallOp: _call,
    rho.CompareOp: _binary,
    rho.ConcatOp: _concat,
    rho.DimOp: _applied("dim"),
    rho.FillOp: _fill,
    rho.GenOp: _gen,
    rho.IfOp: _if,
    rho.NegateOp: _prefixed("-"),
    rho.NotOp: _prefixed("!"),
    rho.RestOp: _rest,
    rho.ScalarOp: _scalar,
    rho.SelectOp: _select,
    rho.ShapeOp: _applied("shape"),
    rho.StackOp: _stack,
}
"""Operation -> its text."""
