"""Random programs of rho, as text: expressions of known shapes, so that most have a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import hypothesis.strategies as st

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Scope:
    """The variables and functions of an expression, with their shapes."""

    values: tuple[tuple[str, Shape], ...] = ()
    functions: tuple[tuple[str, tuple[Shape, ...], Shape], ...] = ()
    names: int = 0


SHAPES: tuple[Shape, ...] = ((), (), (0,), (1,), (2,), (3,), (1, 2), (2, 2), (0, 2), (2, 1, 2))


class Programs:
    """Draws the parts of a program."""

    def __init__(self, draw: Any):
        self._draw = draw
        self._count = 0

    def choose(self, options: Any) -> Any:
        return self._draw(st.sampled_from(list(options)))

    def number(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def name(self, start: str) -> str:
        self._count += 1
        return f"{start}{self._count}"

    def expression(self, shape: Shape, scope: Scope, depth: int) -> str:
        """An expression of a shape; all but the leaves are in parentheses."""
        known = [name for name, of in scope.values if of == shape]
        if known and self.number(0, 2) == 0:
            return self.choose(known)
        if depth == 0:
            return self.leaf(shape)
        kinds = [self.let, self.choice, self.arithmetic, self.unary, self.generated, self.function]
        kinds += [self.selected, self.applied, self.information]
        if shape:
            kinds += [self.stacked, self.joined]
        if any(of == shape for *_, of in scope.functions):
            kinds += [self.call] * 3
        return f"({self.choose(kinds)(shape, scope, depth - 1)})"

    def leaf(self, shape: Shape) -> str:
        if not shape:
            return self.choose(["0", "1", "2", "3.5", "(-1)"])
        if len(shape) == 1:
            return f"[{', '.join(self.leaf(()) for _ in range(shape[0]))}]"
        return f"(gen {self.vector(shape)} {self.leaf(())})"

    def vector(self, numbers: Shape) -> str:
        return f"[{', '.join(map(str, numbers))}]"

    def any_shape(self) -> Shape:
        return self.choose(SHAPES)

    def let(self, shape: Shape, scope: Scope, depth: int) -> str:
        name, bound = self.name("x"), self.any_shape()
        inner = replace(scope, values=(*scope.values, (name, bound)))
        value = self.expression(bound, scope, depth)
        return f"let {name} = {value} in {self.expression(shape, inner, depth)}"

    def choice(self, shape: Shape, scope: Scope, depth: int) -> str:
        condition = self.expression((), scope, depth)
        then, otherwise = (self.expression(shape, scope, depth) for _ in range(2))
        return f"if {condition} then {then} else {otherwise}"

    def arithmetic(self, shape: Shape, scope: Scope, depth: int) -> str:
        right = self.choose([shape, ()])
        operator = self.choose("+-*/") if depth else self.choose("+-*")
        lhs, rhs = self.expression(shape, scope, depth), self.expression(right, scope, depth)
        return f"{lhs} {operator} {rhs}"

    def unary(self, shape: Shape, scope: Scope, depth: int) -> str:
        value = self.expression(shape, scope, depth)
        return self.choose([f"-{value}", f"|{value}|"])

    def information(self, shape: Shape, scope: Scope, depth: int) -> str:
        """A comparison, a shape, a dimensionality, or parts of them."""
        other = self.any_shape()
        value = self.expression(other, scope, depth)
        if shape == ():
            size = f"(shape {value}).([{len(other) - 1}])" if other else f"dim {value}"
            again = self.expression(other, scope, depth)
            test = f"{value} {self.choose(['=', '!=', '<', '>='])} {again}"
            return self.choose([f"dim {value}", f"!{value}", size, test])
        if shape == (len(other),):
            return f"shape {value}"
        return self.expression(shape, scope, depth)

    def stacked(self, shape: Shape, scope: Scope, depth: int) -> str:
        if not shape or (shape[0] == 0 and len(shape) > 1):
            return self.leaf(shape)
        size, *part = list(shape)
        parts = (self.expression(tuple(part), scope, depth) for _ in range(size))
        return f"[{', '.join(parts)}]"

    def joined(self, shape: Shape, scope: Scope, depth: int) -> str:
        first = self.number(0, shape[0])
        parts = ((first, *shape[1:]), (shape[0] - first, *shape[1:]))
        return " ++ ".join(self.expression(part, scope, depth) for part in parts)

    def selected(self, shape: Shape, scope: Scope, depth: int) -> str:
        outer = tuple(self.number(1, 2) for _ in range(self.number(0, 2)))
        array = self.expression((*outer, *shape), scope, depth)
        index = self.vector(tuple(self.number(0, size - 1) for size in outer))
        if len(outer) and self.number(0, 1):
            index = f"({index} - {self.expression((len(outer),), scope, 0)} * 0)"
        return f"{array}.({index})"

    def generated(self, shape: Shape, scope: Scope, depth: int) -> str:
        if not shape:
            return self.expression(shape, scope, depth)
        axes = self.number(1, len(shape))
        default = self.expression(shape[axes:], scope, depth)
        is_scalar = axes == len(shape) == 1 and self.number(0, 1)
        sizes = "".join(map(str, shape)) if is_scalar else self.vector(shape)
        if self.number(0, 3) == 0:
            return f"gen {sizes} {default}"
        low = tuple(self.number(0, size) for size in shape[:axes])
        lower = "".join(map(str, low)) if is_scalar else self.vector(low)
        upper = sizes if is_scalar else self.vector(shape[:axes])
        name = self.name("i")
        inner = replace(scope, values=(*scope.values, (name, () if is_scalar else (axes,))))
        body = self.expression(shape[axes:], inner, depth)
        return f"gen {sizes} {default} with {lower} <= {name} < {upper} in {body}"

    def function(self, shape: Shape, scope: Scope, depth: int) -> str:
        """A function, which may use the variables around it, and an expression that may call it."""
        name, result = self.name("f"), self.choose([shape, self.any_shape()])
        types = tuple(self.any_shape() for _ in range(self.number(1, 3)))
        parameters = tuple((self.name("p"), of) for of in types)
        body = self.expression(result, replace(scope, values=(*scope.values, *parameters)), depth)
        head = "".join(f"\\{parameter}." for parameter, _ in parameters)
        inner = replace(scope, functions=(*scope.functions, (name, types, result)))
        return f"let {name} = {head} {body} in {self.expression(shape, inner, depth)}"

    def call(self, shape: Shape, scope: Scope, depth: int) -> str:
        name, types, _ = self.choose(f for f in scope.functions if f[2] == shape)
        return " ".join((name, *(self.expression(of, scope, depth) for of in types)))

    def applied(self, shape: Shape, scope: Scope, depth: int) -> str:
        name, of = self.name("x"), self.any_shape()
        argument = self.expression(of, scope, depth)
        inner = replace(scope, values=(*scope.values, (name, of)))
        return f"(\\{name}. {self.expression(shape, inner, depth)}) {argument}"


@st.composite
def programs(draw: Any, depth: int = 4) -> tuple[str, Shape]:
    """The text of a program without inputs, and the shape of its value if it has one."""
    shape = draw(st.sampled_from(SHAPES))
    return Programs(draw).expression(shape, Scope(), depth), shape
