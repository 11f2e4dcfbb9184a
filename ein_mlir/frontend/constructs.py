"""The constructs of Python that need a concrete value, and how a staged one is written instead.

Python asks a value for its truth, its number or its elements, and does not say on whose behalf. The
instruction that asks has a span in the source; the syntax tree has the construct of that span.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from types import FrameType
from typing import Any, TypeAlias

from ein_mlir.frontend.values.library_calls import array_advice, scalar_advice
from ein_mlir.host import syntax
from ein_mlir.host.locations import frame_of_user

Refusal: TypeAlias = tuple[str, str]
"""The construct that needs a concrete value, and the text to write in its place."""

Span: TypeAlias = tuple[int, int, int, int]
"""The first line, the last line, the first column and the end column of an expression."""

LONGEST = 40
"""The most characters of the user's expression in a message."""

FEW = 4
"""The most elements of a sequence that a message compares one by one."""


def truth_of(default: Refusal) -> Refusal:
    """The construct that asks a value for its truth, by default any one."""
    return _of_caller(_truth, default)


def number_of(default: Refusal) -> Refusal:
    """The construct that asks a value for its float, by default any one."""
    return _of_caller(_number, default)


def position_of(default: Refusal) -> Refusal:
    """The construct that asks a value for its int, by default any one."""
    return _of_caller(_position, default)


def elements_of(default: Refusal) -> Refusal:
    """The construct that asks a value for its elements, by default any one."""
    return _of_caller(_elements, default)


_OF_TWO = frozenset(("min", "max", "pow", "divmod", "atan2"))
"""The operators that are functions of their two operands."""


def operand_of(*, is_left: bool) -> str | None:
    """The text of an operand of the operator that the program applies; None if it is not known."""
    path = _path_of_caller()
    match path[-1] if path else None:
        case ast.BinOp(left=left, right=right) | ast.AugAssign(target=left, value=right):
            pass
        case ast.Compare(left=left, comparators=[right]):
            pass
        case ast.Call(func, args=[_, left, right]) if _name(func) == "where":
            pass
        case ast.Call(func, args=[left, right]) if _name(func) in _OF_TWO:
            pass
        case ast.Call(func=ast.Attribute(left), args=[right]):
            pass
        case _:
            return None
    return _text(left if is_left else right, "", atom=True) or None


def _name(function: ast.expr) -> str:
    """The name of a function that is called, without that of its module."""
    return function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)


def comparisons_in_parentheses() -> str | None:
    """The text of comparisons that ``&`` or ``|`` combines, which binds more tightly than these.

    ``a > 2 & b < 5`` is ``a > (2 & b) < 5``. None where the operator is no operand of a comparison.
    """
    path = _path_of_caller()
    match path[-2:]:
        case [ast.Compare() as chain, ast.BinOp(op=ast.BitAnd() | ast.BitOr() as symbol) as node]:
            operands = [chain.left, *chain.comparators]
            place = operands.index(node)
            sides = (
                _compared([*operands[:place], node.left], chain.ops[:place]),
                _compared([node.right, *operands[place + 1 :]], chain.ops[place:]),
            )
            return _combined(sides, "&" if isinstance(symbol, ast.BitAnd) else "|")
        case _:
            return None


def _compared(operands: Sequence[ast.expr], links: Sequence[ast.cmpop]) -> ast.expr:
    """A chain of comparisons, or the operand if there is but one."""
    return ast.Compare(operands[0], [*links], [*operands[1:]]) if links else operands[0]


def _of_caller(rule: Callable[[ast.AST, ast.AST], Refusal | None], default: Refusal) -> Refusal:
    path = _path_of_caller()
    if path and isinstance(path[-1], ast.If | ast.While | ast.IfExp | ast.Assert):
        path = [*path, path[-1].test]  # a jump by a name has the span of the statement
    refusal = rule(path[-1], path[-2]) if len(path) > 1 else None
    if refusal is None:
        return default
    construct, instead = refusal
    return f"{construct} needs a concrete value", f"write {instead}"


def _path_of_caller() -> Sequence[ast.AST]:
    """The nodes from the program to the expression that it evaluates; none if not known."""
    frame = frame_of_user()
    span, tree = _span_of(frame), _tree_of(frame.f_code.co_filename)
    return _path_to(tree, span) if span is not None and tree is not None else ()


def _span_of(frame: FrameType) -> Span | None:
    """The span of the instruction that a frame executes; an instruction takes two bytes."""
    positions = frame.f_code.co_positions()
    line, end_line, column, end = next(islice(positions, frame.f_lasti // 2, None), (None,) * 4)
    if line is None or end_line is None or column is None or end is None:
        return None
    return line, end_line, column, end


def _tree_of(file: str) -> ast.Module | None:
    return _parsed("".join(linecache.getlines(file)))


@lru_cache(1)
def _parsed(text: str) -> ast.Module | None:
    """The syntax tree of a text; None if there is none, as at a prompt."""
    try:
        return syntax.parse(text) if text else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _path_to(tree: ast.AST, span: Span) -> Sequence[ast.AST]:
    """The nodes from a tree down to the innermost one of a span; empty without one."""
    path = list[ast.AST]()
    for node in _around(tree, span):
        path.append(node)
    while path and _span(path[-1]) != span:
        path.pop()
    return path


def _around(tree: ast.AST, span: Span) -> Iterator[ast.AST]:
    """The nodes whose source contains a span, outer ones first."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.expr | ast.stmt):
            if (within := list(_around(child, span)))[1:]:
                yield from within
                return
        elif _contains(child, span):
            yield from _around(child, span)
            return


def _span(node: ast.AST) -> Span | None:
    if not isinstance(node, ast.expr | ast.stmt):
        return None
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def _contains(node: ast.expr | ast.stmt, span: Span) -> bool:
    line, end_line, column, end = span
    first, last = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return first <= (line, column) and (end_line, end) <= last


# The rules: each names the construct of a node and its parent.


def _truth(node: ast.AST, parent: ast.AST) -> Refusal | None:
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return "a chain of comparisons", _combined(_links(node), "&")
    for each in (node, parent):
        if isinstance(each, ast.BoolOp):
            conjunction = isinstance(each.op, ast.And)
            word, operator = ("and", "&") if conjunction else ("or", "|")
            return f"`{word}`", _combined(each.values, operator)
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        return _membership(node.left, node.ops[0], node.comparators[0])
    for each in (node, parent):
        if isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.Not):
            return "`not`", f"~{_text(each.operand, atom=True)}"
    if isinstance(parent, ast.IfExp) and node is parent.test:
        a, b = _text(parent.body, "a"), _text(parent.orelse, "b")
        return "`if`", f"where({_text(node, 'condition')}, {a}, {b})"
    return _truth_of_statement(node, parent)


def _truth_of_statement(node: ast.AST, parent: ast.AST) -> Refusal | None:
    if isinstance(parent, ast.If) and node is parent.test:
        return (
            "`if`",
            f"where({_text(node, 'condition')}, a, b) of the values of both branches; an option "
            "that decides it is a string or None, or comes from outside of the function",
        )
    if isinstance(parent, ast.While) and node is parent.test:
        return "`while`", "fold_while(init, lambda acc: condition, lambda acc: ...)"
    if isinstance(parent, ast.Assert):
        return "`assert`", "it before the call, of its arguments"
    if isinstance(parent, ast.MatchValue) or (
        isinstance(parent, ast.match_case) and node is parent.guard
    ):
        return "`match`", "where(x == value, a, b) of the values of two cases"
    return _truth_of_call(node) if isinstance(node, ast.Call) else None


def _truth_of_call(node: ast.Call) -> Refusal | None:
    name = _called(node)
    if name in ("max", "min"):
        return f"Python's {name}()", f"{name} of ein_mlir"
    if name not in ("any", "all", "sorted"):
        return None
    match node.args:
        case [ast.GeneratorExp(elt, [ast.comprehension(ast.Name(index), _, [])])] if (
            name != "sorted"
        ):
            return f"Python's {name}()", f"fold_{name}(lambda {index}: {_text(elt, '...')})"
        case _:
            return f"Python's {name}()", array_advice(name) or ""


def _membership(item: ast.expr, symbol: ast.cmpop, among: ast.expr) -> Refusal:
    """A search in a sequence of Python, which compares the elements one by one."""
    compared, operator = (ast.Eq(), "|") if isinstance(symbol, ast.In) else (ast.NotEq(), "&")
    if isinstance(among, ast.Tuple | ast.List | ast.Set) and 0 < len(among.elts) <= FEW:
        each = [ast.Compare(item, [compared], [value]) for value in among.elts]
        return "`in`", _combined(each, operator)
    return "`in`", f"fold_any(lambda k: a[k] == {_text(item)}) for an array a of the elements"


def _number(node: ast.AST, _: ast.AST) -> Refusal | None:
    name = _called(node)
    if name == "float":
        return "float()", ".float() to convert, or .eval()"
    if name.startswith("math.") and (advice := scalar_advice(name.removeprefix("math."))):
        return f"{name}()", advice
    return None


def _position(node: ast.AST, _: ast.AST) -> Refusal | None:
    if isinstance(node, ast.Call) and _called(node) == "range":
        count = _text(node.args[0], "n") if len(node.args) == 1 else "n"
        return (
            "range()",
            f"fold(init, lambda k, acc: ..., count={count}) for a loop, or array(lambda k: ..., "
            f"size={count}) for the array of all values",
        )
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        name, position = _text(node.value, "a"), _text(node.slice, "i")
        if _is_of_staged_values(node.value):
            return "a position in a record", f"where({position} == 0, {name}[0], {name}[1])"
        sequence = "a position in a sequence of Python"
        match node.value:
            case ast.Tuple(elements) | ast.List(elements) if not _are_plain(elements):
                return sequence, _chosen(position, elements)
            case _:
                return sequence, f"wrap({name})[{position}]"
    return None


def _are_plain(elements: Sequence[ast.expr]) -> bool:
    return not any(isinstance(each, ast.Name | ast.Subscript | ast.Call) for each in elements)


def _chosen(position: str, elements: Sequence[ast.expr]) -> str:
    """A choice of one of the elements written in a sequence; of the first two, if they are many."""
    texts = [_text(each) for each in elements]
    *firsts, choice = texts if len(texts) <= FEW else [*texts[:2], "..."]
    for k, text in reversed(list(enumerate(firsts))):
        choice = f"where({position} == {k}, {text}, {choice})"
    return choice


def _is_of_staged_values(node: ast.expr) -> bool:
    """Whether a name is that of a tuple or list of staged values."""
    if not isinstance(node, ast.Name):
        return False
    frame = frame_of_user()
    given: Any = frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    return type(given) in (tuple, list) and any(hasattr(each, "expr") for each in given)


def _elements(node: ast.AST, parent: ast.AST) -> Refusal | None:
    if isinstance(node, ast.Tuple | ast.List) and isinstance(parent, ast.Assign):
        return "unpacking", "a[0], a[1] and so on"
    if (name := _called(node)) and (advice := array_advice(name)):
        return f"Python's {name}()", advice
    return None


def _called(node: ast.AST) -> str:
    """The name of the function of a call, without the module of builtins; empty without one."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        return ast.unparse(node.func).removeprefix("builtins.")
    return ""


def _links(chain: ast.Compare) -> Sequence[ast.expr]:
    """The comparisons of a chain: ``a < b < c`` has ``a < b`` and ``b < c``."""
    operands = [chain.left, *chain.comparators]
    return [
        ast.Compare(left, [operator], [right])
        for left, operator, right in zip(operands, chain.ops, operands[1:], strict=False)
    ]


def _combined(conditions: Sequence[ast.expr], operator: str) -> str:
    """Conditions in parentheses, since ``&`` and ``|`` bind more tightly than comparisons."""
    names = "abcdefgh"
    return f" {operator} ".join(
        _text(each, name, atom=True) for each, name in zip(conditions, names, strict=False)
    )


def _text(node: ast.AST, name: str = "x", atom: bool = False) -> str:
    """The text of an expression, or a name in place of a long one; an atom is in parentheses."""
    text = ast.unparse(node)
    if len(text) > LONGEST:
        return name
    is_atom = isinstance(node, ast.Name | ast.Subscript | ast.Call | ast.Attribute | ast.Constant)
    return f"({text})" if atom and not is_atom else text
