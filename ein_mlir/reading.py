"""The reader of textual IR: every operation gets its place in the text as its source location."""

from __future__ import annotations

import difflib
import re
import sys
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from math import prod
from typing import NoReturn

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.arith import CMPF_COMPARISON_OPERATIONS, CMPI_COMPARISON_OPERATIONS
from xdsl.dialects.builtin import (
    AnyDenseElement,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    RankedStructure,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import AttributeInvT, Operation, Region, SSAValue
from xdsl.parser import Parser, ParserState, UnresolvedOperand
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

MOST_ELEMENTS = 2**24
"""The most elements of a dense constant."""


_IN_A_BODY = "in block definition"
"""xDSL's message about a text in a body that is no operation."""

_AT_THE_END = {
    "Could not parse entire input!": "the text is empty: expected a module, or functions",
    _IN_A_BODY: "the text ends inside of an operation: is a `}` missing?",
}
"""xDSL's messages about a text that ends too early -> ours."""


class _Lexer(MLIRLexer):
    """xDSL's lexer, except that a string without an end takes linear time, not exponential."""

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')


class Reader(Parser):
    """xDSL's parser, except that operations know their place and all mistakes are ParseErrors."""

    def __init__(self, ctx: Context, text: str, name: str, first_line: int = 1):
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(_Lexer(Input(text, name)))
        self._file = StringAttr(name)
        self._first_line = first_line
        self._starts = [0, *_line_starts(text)]
        self._placeholders = dict[SSAValue, UnresolvedOperand]()
        """The values that stand for those that are used before their definitions."""
        self._dense_type: Span | None = None
        self._explained: ParseError | None = None
        """The mistake of which the operation is found: the innermost one."""

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """The module of the whole text."""
        try:
            with self._mistakes():
                module = super().parse_module(allow_implicit_module)
                self._check_definitions()
                return module
        except ParseError as error:
            if self._current_token.kind is MLIRTokenKind.EOF:
                self._reject_end(error)
            if error.msg.strip() == _IN_A_BODY:
                self.raise_error("expected an operation, or the `}` of the body", error.span.start)
            if "{first_char}" in error.msg:
                self.raise_error(
                    "expected a name: ASCII letters, digits, `_`, `$`, `.`, `-`", error.span.start
                )
            raise

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        """The value of an operand, which may be defined later."""
        try:
            value = super().resolve_operand(operand, type)
        except ParseError as error:
            if error.msg.rstrip().endswith("type index"):
                remedy = "; arith.index_cast reads an index as an Int"
                self.raise_error(f"{error.msg.strip()}{remedy}", operand.span)
            raise
        if isinstance(value, ForwardDeclaredValue):
            self._placeholders.setdefault(value, operand)
        return value

    def parse_dense_int_or_fp_elements_attr(
        self, type: RankedStructure[AnyDenseElement] | None
    ) -> DenseIntOrFPElementsAttr:
        """A dense constant; elements that its type does not fit are a mistake at the type."""
        self._dense_type = None
        try:
            return super().parse_dense_int_or_fp_elements_attr(type)
        except ParseError as error:
            place = self._dense_type
            if place is not None and error.span.start > place.start:
                self.raise_error(error.msg.strip(), place)
            raise

    def _parse_dense_literal_type(self) -> RankedStructure[AnyDenseElement]:
        """The type of a dense constant, which xDSL stores element by element."""
        self._dense_type = self._current_token.span
        type_ = super()._parse_dense_literal_type()
        if (elements := prod(type_.get_shape())) > MOST_ELEMENTS:
            self.raise_error(
                f"a constant has at most {MOST_ELEMENTS} elements, not {elements}: build it with "
                "operations, or pass it as an argument"
            )
        return type_

    def _reject_end(self, error: ParseError) -> None:
        """Raise ParseError for a text that ends too early, unless the error says more."""
        if self.forward_ssa_references:
            self._reject_undefined()
        if error.msg.strip() in _AT_THE_END:
            self.raise_error(_AT_THE_END[error.msg.strip()])

    def _check_definitions(self) -> None:
        """Raise ParseError for a value that only a body within its user defines.

        xDSL takes the definition for that of the value, and leaves the use without one.
        """
        for value, operand in self._placeholders.items():
            if value.first_use is not None:
                self._reject(operand)

    def _reject_undefined(self) -> NoReturn:
        unresolved = next(iter(self.forward_ssa_references.values()))
        self._reject(self._placeholders[next(iter(unresolved.values()))])

    def _reject(self, operand: UnresolvedOperand) -> NoReturn:
        self.raise_error(
            f"%{operand.operand_name} is not defined in this body or one around it", operand.span
        )

    def parse_operation(self) -> Operation:
        """An operation, located by its first token unless the text gives it a location."""
        first = self._current_token.span
        with self._forms(first), self._mistakes(first):
            op = super().parse_operation()
        if isinstance(op.location, UnknownLoc):
            op.location = self._place(first.start)
        return op

    def parse_optional_region(
        self, arguments: Iterable[Parser.Argument] | None = None
    ) -> Region | None:
        """A region; a mistake in it is at its own place, not at that of the operation."""
        with self._mistakes():
            return super().parse_optional_region(arguments)

    @contextmanager
    def _forms(self, first: Span) -> Generator[None]:
        """Add the form of the operation at a token to a mistake of syntax in it."""
        try:
            yield
        except ParseError as error:
            if error is not self._explained:
                self._explained = error
                self._explain(error, first)
            raise

    def _explain(self, error: ParseError, first: Span) -> None:
        found = _OPERATION.match(first.input.content, first.start)
        if found is None:
            return
        name = found.group(1)
        message = error.msg.strip()
        if message == f"Operation {name} is not registered":
            known = [op.name for op in self.ctx.loaded_ops]
            near = difflib.get_close_matches(name, known, 1, cutoff=0.75)
            hint = f"; did you mean {near[0]}?" if near else ""
            error.span, error.msg = Span(*found.span(1), first.input), f"{message}{hint}"
        elif message.startswith("Expected") and (form := self._form(name)):
            error.msg = f"{message}; the form is: {form}"

    def _form(self, name: str) -> str | None:
        """The line of the operation in the example of its documentation; None without one."""
        known = self.ctx.get_optional_op(name)
        lines = (known.__doc__ or "").splitlines() if known else ()
        used = re.compile(rf"^(%[^=]* = )?{re.escape(name)}\b")
        return next((line.strip() for line in lines if used.match(line.strip())), None)

    @contextmanager
    def _mistakes(self, place: Span | None = None) -> Generator[None]:
        """Make every error about the text a ParseError at a place, by default the current one.

        xDSL makes numbers, names, attributes and types from tokens, whose errors are those of
        Python and of IRDL.
        """
        try:
            yield
        except (ParseError, RecursionError):
            raise
        except MemoryError:
            self.raise_error("this does not fit into memory")
        except Exception as error:
            first = place or self._current_token.span
            self.raise_error(_explained(_summary(error), first), first)

    def _place(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._starts, position) - 1
        column = position - self._starts[line] + 1
        return FileLineColLoc(self._file, IntAttr(line + self._first_line), IntAttr(column))


def _line_starts(text: str) -> Iterator[int]:
    position = text.find("\n")
    while position >= 0:
        yield position + 1
        position = text.find("\n", position + 1)


def _summary(error: Exception) -> str:
    """The first line of the message of an error."""
    text = str(error.args[0]) if error.args else ""
    if "integer string conversion" in text:
        return f"an integer has at most {sys.get_int_max_str_digits()} digits"
    return text.partition("\n")[0] or type(error).__name__


_OPERATION = re.compile(r'(?:%[^=]*=\s*)?"?([\w.]+)')
"""The results of an operation in textual IR, and its name."""


def _explained(message: str, first: Span) -> str:
    """An error of xDSL about the operation at a token, with its name and the remedy."""
    found = _OPERATION.match(first.input.content, first.start)
    operation = found.group(1) if found else ""
    unexpected = message.removeprefix("Unexpected attribute ")
    if unexpected != message:
        other = _of_other_kind(operation, unexpected)
        instead = f"; write {other}" if other else ""
        return f"{operation} does not take {unexpected}{instead}"
    if message.startswith("Unknown comparison mnemonic"):
        known = (
            CMPF_COMPARISON_OPERATIONS if operation.endswith("f") else CMPI_COMPARISON_OPERATIONS
        )
        return f"{message}; {operation} has {', '.join(known)}"
    return message


def _of_other_kind(operation: str, type_: str) -> str | None:
    """The operation of floats in place of one of integers, or the reverse."""
    own, other = ("i", "f") if type_ in ("f64", "f32", "f16", "bf16") else ("f", "i")
    dialect, _, name = operation.partition(".")
    renamed = f"{name.removesuffix(own)}{other}"
    names = {each.name for each in arith.Arith.operations}
    found = f"{dialect}.{renamed}"
    return found if dialect == "arith" and name.endswith(own) and found in names else None
