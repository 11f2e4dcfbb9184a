"""Long loops in emitted Python: where one begins, its steps are counted and compared.

    for k in range(n):              count = n
        for l in range(m):   -->    if count > 10000:
            ...                         report(0, count)
                                    if count * m > 10000:
                                        report(1, count * m)
                                    for k in range(count):
                                        for l in range(m):
                                            ...

Only the loaded function has the comparison, not its source. A loop inside of another is compared
before the outer one, if its count does not change there: so a step of the outer one costs nothing.
A loop that ends by a condition counts the steps that it takes, in all its runs:

    while more:                     count = 0
        ...                   -->   while more:
                                        ...
                                        count = count + 1
                                        if count == 10001:
                                            report(0, count)

Loops over blocks, which have a step, are not counted.
"""

from __future__ import annotations

import ast
import contextlib
import sys
import warnings
from collections.abc import Callable
from dataclasses import field
from pathlib import Path

import numpy as np

from ein_mlir.errors import EinPerformanceWarning
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.locations import is_internal

MOST_STEPS = 10_000
"""The most steps of Python that give no warning."""

REPORT = "<report>"
"""The name of the function that long loops call: no program has such a name."""


def compare_steps(tree: ast.Module, name: str) -> bool:
    """Compare the steps of the loops of a function in a module; whether it has any."""
    function = next(
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name
    )
    loops = _Loops()
    loops.generic_visit(function)
    function.body[:0] = loops.counters
    if loops.count:
        ast.fix_missing_locations(function)
    return loops.count > 0


class _Loops(ast.NodeTransformer):
    """Inserts the comparison before each loop over ``range(n)``, or in one with a condition."""

    def __init__(self) -> None:
        self.count = 0
        self.counters: list[ast.stmt] = []
        """The initial values of the counted steps."""
        self._around: list[_Loop] = []

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=[_]) if _ends_early(node):
                return self._counted(node)
            case ast.Call(func=ast.Name(id="range"), args=[count]):
                return self._compared(node, count)
            case _:
                return self.generic_visit(node)  # pyright: ignore[reportReturnType]

    def visit_While(self, node: ast.While) -> ast.stmt:
        return self._counted(node)

    def _counted(self, node: ast.For | ast.While) -> ast.stmt:
        """A loop that counts its steps; those inside of it are not multiplied by them."""
        number, self.count = self.count, self.count + 1
        steps = f"<steps {number}>"
        self.counters.append(_assign(steps, ast.Constant(0)))
        around, self._around = self._around, []
        self.generic_visit(node)
        self._around = around
        next_step = ast.BinOp(_load(steps), ast.Add(), ast.Constant(1))
        is_long = ast.Compare(_load(steps), [ast.Eq()], [ast.Constant(MOST_STEPS + 1)])
        node.body += [_assign(steps, next_step), ast.If(is_long, [_report(number, steps)], [])]
        return node

    def _unvisited(self, node: ast.stmt) -> ast.stmt:
        """A statement without loops, or with those of another function."""
        return node

    visit_FunctionDef = visit_Assign = visit_AugAssign = visit_Expr = visit_Return = _unvisited

    def _compared(self, node: ast.For, count: ast.expr) -> list[ast.stmt]:
        number, self.count = self.count, self.count + 1
        total, steps = f"<total {number}>", f"<steps {number}>"
        loop = _Loop(total, _stored(node))
        outer = self._around[-1] if self._around else None
        self._around.append(loop)
        self.generic_visit(node)
        self._around.pop()
        loaded = loop.loaded | _loaded(count)
        product = count if outer is None else _product(outer.total, count)
        if outer is not None and outer.stored.isdisjoint(loaded) and _is_cheap(count):
            outer.before += [*_comparison(number, total, product), *loop.before]
            outer.loaded |= loaded
            return [node]
        node.iter = ast.Call(_load("range"), [_load(steps)], [])
        assign = _assign(steps, count)
        product = _load(steps) if outer is None else _product(outer.total, _load(steps))
        before = [assign, *_comparison(number, total, product), *loop.before]
        return [*(ast.copy_location(each, node) for each in before), node]


@dataclass
class _Loop:
    """A loop that is visited: its number of steps, in all, and the names that its steps change."""

    total: str
    stored: set[str]
    before: list[ast.stmt] = field(default_factory=list[ast.stmt])
    """The comparisons of loops inside, which are made before it."""
    loaded: set[str] = field(default_factory=set[str])
    """The names that these read."""


def _is_cheap(count: ast.expr) -> bool:
    """Whether a count may be computed twice."""
    return not any(isinstance(node, ast.Call) for node in ast.walk(count))


def _product(total: str, count: ast.expr) -> ast.expr:
    return ast.BinOp(_load(total), ast.Mult(), count)


def _comparison(number: int, total: str, value: ast.expr) -> list[ast.stmt]:
    """``total = value``, and the report of a loop if it is large."""
    is_long = ast.Compare(_load(total), [ast.Gt()], [ast.Constant(MOST_STEPS)])
    return [_assign(total, value), ast.If(is_long, [_report(number, total)], [])]


def _report(number: int, steps: str) -> ast.stmt:
    return ast.Expr(ast.Call(_load(REPORT), [ast.Constant(number), _load(steps)], []))


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _ends_early(loop: ast.For) -> bool:
    """Whether a condition ends a loop: ``if not more: break`` begins each of its steps."""
    return isinstance(loop.body[0], ast.If) and isinstance(loop.body[0].body[0], ast.Break)


def _stored(loop: ast.For) -> set[str]:
    """The names that a loop binds or changes."""
    nodes = [node for node in ast.walk(loop) if isinstance(node, ast.Name)]
    return {node.id for node in nodes if not isinstance(node.ctx, ast.Load)}


def _loaded(value: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def reporter(
    describe: Callable[[int, int], str], stop: Callable[[], None]
) -> Callable[[int, int], None]:
    """The function that long loops call.

    ``describe`` makes the text of the warning about a loop, by its number, with some steps. Only
    the first long loop of a function warns: ``stop`` ends the counts of later calls, of which each
    step of a loop with a condition costs as much as three of its operations.
    """
    pending = [describe]

    def report(number: int, steps: int) -> None:
        try:
            # One thread alone takes it.
            first = pending.pop()
        except IndexError:
            return
        stop()
        warnings.warn(first(number, steps), EinPerformanceWarning, stacklevel=_depth_of_user())

    return report


def _depth_of_user() -> int:
    """The number of frames from ``report`` to the user's code."""
    frame, depth = sys._getframe(1), 1  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and _is_passed(frame.f_code.co_filename):
        frame, depth = frame.f_back, depth + 1
    return depth


def _is_passed(file: str) -> bool:
    """Whether a file is of this package, emitted, or of the wrappers of emitted functions."""
    return is_internal(file) or file.startswith(_WRAPPERS)


_WRAPPERS = ("<ein_mlir", contextlib.__file__, str(Path(np.__file__).parent))
