r"""A parser of the language: recursive descent, which makes operations directly.

::

    program    = { let | "\" name "." } expression
    expression = { let } ( "if" e "then" e "else" e | generator | comparison )
    let        = "let" name "=" ( { "\" name "." } e ) "in"
    generator  = "gen" part part [ "with" sum "<=" name "<" sum "in" e ]
    comparison = concat [ ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) concat ]
    concat     = sum { "++" sum }
    sum        = product { ( "+" | "-" ) product }
    product    = prefix { ( "*" | "/" ) prefix }
    prefix     = ( "-" | "!" ) prefix | application
    application = "shape" part | "dim" part | "sel" part part | function part { part } | part
    part       = atom { ".(" e ")" | ".[" e ":" "]" }
    atom       = number | name | "(" e ")" | "[" [ e { "," e } ] "]" | "|" e "|"

where ``function`` is the name of a function, or a lambda in parentheses. The grammar of the thesis
does not state precedences; it has no operator ``++``, which its examples use.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import NoReturn, TypeAlias

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.lexer import Input, Span

from ein_mlir.dialects import rho
from ein_mlir.errors import counted
from ein_mlir.host.dataclass import dataclass
from ein_mlir.sources.rho.tokens import Token, reject, tokens_of

_PARTS = frozenset(("number", "name", "(", "[", "|"))
"""The tokens that a part may start with."""


@dataclass(frozen=True)
class _Function:
    """A function in scope: its symbol, and the number of its parameters."""

    symbol: str
    arity: int


_Bound: TypeAlias = SSAValue | _Function


def parse(text: str, name: str = "<string>", first_line: int = 1) -> ModuleOp:
    """The module of a program; raises ParseError, with the place of the mistake."""
    parser = _Parser(Input(text, name), first_line)
    try:
        return parser.program()
    except RecursionError:
        parser.reject_nesting()


class _Parser:
    def __init__(self, text: Input, first_line: int):
        self._tokens = list(tokens_of(text))
        self._at = 0
        self._file, self._first_line = StringAttr(text.name), first_line
        self._starts = [0, *(k + 1 for k, c in enumerate(text.content) if c == "\n")]
        self._scope = dict[str, list[_Bound]]()
        self._symbols = set[str]()
        self._block = Block()
        self._in_bars = False

    # The program

    def program(self) -> ModuleOp:
        """The whole text."""
        names = list[str]()
        while self._next.kind in ("let", "\\"):
            if self._next.kind == "let":
                names.append(self._let())
            else:
                names.append(self._parameter(self._block))
        result = self._expression()
        if self._next.kind != "end":
            reject(self._next.span, f"expected an operator or the end, not {self._next}")
        self._block.add_op(rho.YieldOp(result))
        return ModuleOp([rho.ProgramOp(Region(self._block))])

    def reject_nesting(self) -> NoReturn:
        """Raise ParseError for too many expressions in each other."""
        reject(self._next.span, "the expressions are nested too deeply")

    def _parameter(self, block: Block) -> str:
        r"""A parameter ``\x.`` as an argument of a block, and in scope."""
        self._take("\\")
        name = self._take("name").text
        self._take(".")
        self._bind(name, block.insert_arg(rho.ARRAY, len(block.args)))
        return name

    # Tokens and operations

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self, kind: str) -> Token:
        token = self._next
        if token.kind != kind:
            expected = {"name": "a name"}.get(kind, f"'{kind}'")
            reject(token.span, f"expected {expected}, not {token}")
        self._at += 1
        return token

    def _optional(self, *kinds: str) -> Token | None:
        return self._take(self._next.kind) if self._next.kind in kinds else None

    def _emit(self, op: Operation, span: Span) -> SSAValue:
        self._place(op, span)
        return op.results[0]

    def _place(self, op: Operation, span: Span) -> None:
        """Add an operation, located by a part of the text."""
        line = bisect_right(self._starts, span.start) - 1
        column = span.start - self._starts[line] + 1
        op.location = FileLineColLoc(self._file, IntAttr(line + self._first_line), IntAttr(column))
        self._block.add_op(op)

    @contextmanager
    def _body(self, block: Block) -> Generator[None]:
        """Add operations to a body, whose value is that of the expression parsed there."""
        outer, self._block = self._block, block
        yield
        self._block = outer

    def _region(self, block: Block) -> Region:
        """The expression that follows, as a body."""
        with self._body(block):
            value = self._expression()
            self._block.add_op(rho.YieldOp(value))
        return Region(block)

    @contextmanager
    def _bars(self, inside: bool) -> Generator[None]:
        """Whether the next bar closes an absolute value."""
        outer, self._in_bars = self._in_bars, inside
        yield
        self._in_bars = outer

    # Names

    def _bind(self, name: str, value: _Bound) -> None:
        self._scope.setdefault(name, []).append(value)
        if isinstance(value, SSAValue) and value.name_hint is None:
            value.name_hint = name

    def _unbind(self, names: Sequence[str]) -> None:
        for name in names:
            self._scope[name].pop()

    def _bound(self, token: Token) -> _Bound:
        found = self._scope.get(token.text)
        if not found:
            reject(token.span, f"there is no '{token.text}' here")
        return found[-1]

    def _symbol(self, name: str) -> str:
        symbol, number = name, 0
        while symbol in self._symbols:
            symbol, number = f"{name}{number + 1}", number + 1
        self._symbols.add(symbol)
        return symbol

    # Expressions

    def _expression(self) -> SSAValue:
        names = list[str]()
        while self._next.kind == "let":
            names.append(self._let())
        if token := self._optional("if"):
            value = self._if(token)
        elif token := self._optional("gen"):
            value = self._gen(token)
        else:
            value = self._comparison()
        self._unbind(names)
        return value

    def _let(self) -> str:
        """A binding of a value or a function, up to ``in``; its name, which is now in scope."""
        self._take("let")
        name = self._take("name")
        self._take("=")
        with self._bars(False):
            if self._next.kind == "\\":
                self._function(name)
            else:
                self._bind(name.text, self._expression())
        self._take("in")
        return name.text

    def _function(self, name: Token) -> None:
        """A function, which may call itself, in scope."""
        block, arity = Block(), self._arity()
        function = _Function(self._symbol(name.text), arity)
        self._bind(name.text, function)
        parameters = [self._parameter(block) for _ in range(arity)]
        op = rho.FunctionOp(function.symbol, self._region(block))
        self._unbind(parameters)
        self._place(op, name.span)

    def _arity(self) -> int:
        r"""The number of parameters ``\x.`` from here on."""
        count = 0
        while self._tokens[self._at + 3 * count].kind == "\\":
            count += 1
            if self._at + 3 * count >= len(self._tokens):
                break
        return count

    def _if(self, token: Token) -> SSAValue:
        with self._bars(False):
            condition = self._expression()
            self._take("then")
            then = self._region(Block())
        self._take("else")
        return self._emit(rho.IfOp(condition, then, self._region(Block())), token.span)

    def _gen(self, token: Token) -> SSAValue:
        shape, default = self._part(), self._part()
        if not self._optional("with"):
            return self._emit(rho.FillOp(shape, default), token.span)
        with self._bars(False):
            lower = self._sum()
            self._take("<=")
            name = self._take("name").text
            self._take("<")
            upper = self._sum()
        self._take("in")
        block = Block(arg_types=[rho.ARRAY])
        self._bind(name, block.args[0])
        body = self._region(block)
        self._unbind([name])
        return self._emit(rho.GenOp(shape, default, lower, upper, body), token.span)

    def _comparison(self) -> SSAValue:
        value = self._concat()
        if token := self._optional(*rho.COMPARISONS):
            value = self._emit(rho.CompareOp(token.text, value, self._concat()), token.span)
        return value

    def _concat(self) -> SSAValue:
        return self._chain(self._sum, ("++",), lambda _, a, b: rho.ConcatOp(a, b))

    def _sum(self) -> SSAValue:
        return self._chain(self._product, ("+", "-"), rho.ArithOp)

    def _product(self) -> SSAValue:
        return self._chain(self._prefix, ("*", "/"), rho.ArithOp)

    def _chain(
        self,
        operand: Callable[[], SSAValue],
        operators: Sequence[str],
        make: Callable[[str, SSAValue, SSAValue], Operation],
    ) -> SSAValue:
        value = operand()
        while token := self._optional(*operators):
            value = self._emit(make(token.text, value, operand()), token.span)
        return value

    def _prefix(self) -> SSAValue:
        if token := self._optional("-"):
            return self._emit(rho.NegateOp(self._prefix()), token.span)
        if token := self._optional("!"):
            return self._emit(rho.NotOp(self._prefix()), token.span)
        return self._application()

    def _application(self) -> SSAValue:
        if token := self._optional("shape"):
            return self._emit(rho.ShapeOp(self._part()), token.span)
        if token := self._optional("dim"):
            return self._emit(rho.DimOp(self._part()), token.span)
        if token := self._optional("sel"):
            index = self._part()
            return self._emit(rho.SelectOp(self._part(), index), token.span)
        if self._next.kind == "(" and self._tokens[self._at + 1].kind == "\\":
            return self._applied_lambda()
        if self._next.kind == "name" and isinstance(self._bound(self._next), _Function):
            return self._call(self._take("name"))
        value = self._part()
        if self._starts_part():
            reject(self._next.span, "a value is not a function: it takes no argument")
        return value

    def _call(self, token: Token) -> SSAValue:
        function = self._bound(token)
        assert isinstance(function, _Function)
        arguments = self._arguments()
        if len(arguments) != function.arity:
            expected = counted(function.arity, "argument")
            reject(
                token.span,
                f"'{token.text}' takes {expected}, got {len(arguments)}; a call gives all of them",
            )
        return self._emit(rho.CallOp(function.symbol, arguments), token.span)

    def _arguments(self) -> Sequence[SSAValue]:
        arguments = list[SSAValue]()
        while self._starts_part():
            arguments.append(self._part())
        return arguments

    def _starts_part(self) -> bool:
        return self._next.kind in _PARTS and not (self._in_bars and self._next.kind == "|")

    def _applied_lambda(self) -> SSAValue:
        r"""``(\x. e) a``: the same as ``let x = a in e``, except that ``a`` does not see ``x``."""
        start = self._take("(")
        body, arity = self._at, self._arity()
        self._at = self._after_parenthesis(start)
        arguments = self._arguments()
        if len(arguments) != arity:
            reject(
                start.span, f"the lambda takes {counted(arity, 'argument')}, got {len(arguments)}"
            )
        end, self._at = self._at, body
        names = list[str]()
        for argument in arguments:
            self._take("\\")
            names.append(self._take("name").text)
            self._take(".")
            self._bind(names[-1], argument)
        with self._bars(False):
            value = self._expression()
        self._unbind(names)
        self._take(")")
        self._at = end
        return value

    def _after_parenthesis(self, start: Token) -> int:
        """The position after the parenthesis that closes the one before this position."""
        depth, position = 1, self._at
        while depth:
            kind = self._tokens[position].kind
            if kind == "end":
                reject(start.span, "this parenthesis is not closed")
            depth += (kind == "(") - (kind == ")")
            position += 1
        return position

    def _part(self) -> SSAValue:
        value = self._atom()
        while token := self._optional("."):
            with self._bars(False):
                if self._optional("["):
                    op = rho.RestOp(value, self._expression())
                    self._take(":")
                    self._take("]")
                else:
                    self._take("(")
                    op = rho.SelectOp(value, self._expression())
                    self._take(")")
            value = self._emit(op, token.span)
        return value

    def _atom(self) -> SSAValue:
        if token := self._optional("number"):
            return self._emit(rho.ScalarOp(float(token.text)), token.span)
        if token := self._optional("name"):
            value = self._bound(token)
            if isinstance(value, _Function):
                reject(token.span, f"'{token.text}' is a function, and not a value")
            return value
        if token := self._optional("["):
            with self._bars(False):
                return self._emit(rho.StackOp(self._elements()), token.span)
        if self._optional("("):
            with self._bars(False):
                value = self._expression()
            self._take(")")
            return value
        if token := self._optional("|"):
            with self._bars(True):
                value = self._expression()
            self._take("|")
            return self._emit(rho.AbsOp(value), token.span)
        reject(self._next.span, f"expected an expression, not {self._next}")

    def _elements(self) -> Sequence[SSAValue]:
        if self._optional("]"):
            return ()
        elements = [self._expression()]
        while self._optional(","):
            elements.append(self._expression())
        self._take("]")
        return elements
