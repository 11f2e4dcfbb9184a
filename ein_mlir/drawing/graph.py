"""Conversion of IR to a term graph in DOT, the language of Graphviz.

Values flow downwards along the edges, which enter a node in the order of its operands. An operation
with a body is a box around it: its operands enter at the arguments that represent them, and its
results leave from its ``yield``. Ovals are arguments. Filled ovals are indices and counters, and
dashed edges lead to their direct users. A grey edge leads from one step of a loop to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count, repeat
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator
from xdsl.utils.target import Target

from ein_mlir.drawing.labels import (
    accumulators,
    arguments,
    binds_operands,
    header,
    is_counter,
    label,
    literal,
    needs_numbers,
    short_form,
    type_text,
)
from ein_mlir.host.dataclass import dataclass

_DEFAULTS = (
    'graph [compound=true, fontname="Helvetica", fontsize=11, labeljust=l, ranksep=0.3];',
    'node [fontname="Helvetica", fontsize=11, height=0.3, margin="0.1,0.04", ordering=in, '
    "shape=box, style=rounded];",
    'edge [arrowsize=0.6, fontname="Helvetica", fontsize=9, labeldistance=1.5];',
)
_BOX = 'bgcolor="#3060a010"; color="#3060a080"'
_ARGUMENT = "margin=0, shape=oval"
_COUNTER = 'fillcolor="#ffe08a", margin=0, shape=oval, style=filled'
_OUTSIDE = "margin=0, shape=oval, style=dashed"
_TERMINATOR = 'fillcolor="#cfe3cf", style=filled'
_LEFT = r"\l"
_NEXT_STEP = "color=gray60, constraint=false"


@dataclass(frozen=True)
class DotTarget(Target):
    """``-t dot``: a drawing of a module, for Graphviz."""

    name = "dot"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the DOT text."""
        output.write(dot(module))


def dot(program: Operation) -> str:
    """The DOT text of a module, a function, or any other operation, with all that it contains.

    It depends only on the program. Captured values of the operation are dashed ovals.
    """
    return _Graph(program).text()


class _Graph:
    """A graph under construction: nodes and boxes in the order of the program, then all edges."""

    def __init__(self, program: Operation):
        self.lines = ["digraph program {"]
        self.depth = 1
        self.edges = list[_Edge]()
        self.ids = dict[Operation | SSAValue, str]()
        self.drawn = set[Operation | SSAValue]()
        for defaults in _DEFAULTS:
            self._line(defaults)
        self._draw(_contents(program) if isinstance(program, ModuleOp) else iter((program,)))
        for edge in self.edges:
            self._edge(edge)

    def text(self) -> str:
        """The DOT text."""
        return "\n".join((*self.lines, "}\n"))

    def _draw(self, operations: Iterator[Operation]) -> None:
        """Draw operations and their bodies, without recursion, as loops may nest deeply."""
        open_bodies = [operations]
        while open_bodies:
            op = next(open_bodies[-1], None)
            if op is None:
                open_bodies.pop()
                if open_bodies:
                    self.depth -= 1
                    self._line("}")
            elif _is_box(op):
                self._open_box(op)
                open_bodies.append(_contents(op))
            elif not op.results or any(literal(result) is None for result in op.results):
                style = _TERMINATOR if op.has_trait(IsTerminator) else ""
                self._node(op, _definition(op, label(op)), style)
                self._enter(op, self._id(op))

    def _open_box(self, op: Operation) -> None:
        self.drawn.add(op)
        self._line(f"subgraph {self._box(op)} {{")
        self.depth += 1
        self._line(f"{_BOX}; label={quoted(_definition(op, header(op)), _LEFT)};")
        for argument in chain.from_iterable(block.args for block in _blocks(op)):
            style = _COUNTER if is_counter(argument) else _ARGUMENT
            self._node(argument, _typed(argument), style)
        last = _result_node(op)
        if last is op and (op.results or op.operands):
            self._node(op, label(op))
        if binds_operands(op):
            self._bind(op, last)
        else:
            self._enter(op, self._id(next(iter(arguments(op)), last)), self._box(op))

    def _enter(self, op: Operation, target: str, box: str = "") -> None:
        """Add edges from the operands to a node, or to the border of a box around it."""
        numbers = map(str, count(1)) if needs_numbers(op) else repeat("")
        self.edges += map(_Edge, op.operands, repeat(target), numbers, repeat(box))

    def _bind(self, op: Operation, last: Operation) -> None:
        """Add edges to the arguments that represent the operands, and from one step to the next."""
        inside = [self._id(argument) for argument in arguments(op)]
        self.edges += map(_Edge, op.operands, inside)
        self.edges += (_Edge(last, self._id(variable)) for variable in accumulators(op))

    def _line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def _node(self, drawn: Operation | SSAValue, text: str, style: str = "") -> None:
        self.drawn.add(drawn)
        attributes = f"label={quoted(text)}" + (f", {style}" if style else "")
        self._line(f"{self._id(drawn)} [{attributes}];")

    def _edge(self, edge: _Edge) -> None:
        if isinstance(edge.source, Operation):
            self._line(f"{self._id(edge.source)} -> {edge.target} [{_NEXT_STEP}];")
        elif literal(edge.source) is None:
            source, attributes = self._source(edge.source)
            attributes += [f"headlabel={edge.number}"] if edge.number else []
            attributes += [f"lhead={edge.box}"] if edge.box else []
            suffix = f" [{', '.join(attributes)}]" if attributes else ""
            self._line(f"{source} -> {edge.target}{suffix};")

    def _source(self, value: SSAValue) -> tuple[str, list[str]]:
        """The node at which the edges of a value start, and the attributes of these edges."""
        attributes = ["style=dashed"] if is_counter(value) else []
        if not isinstance(value, OpResult) or value.op not in self.drawn:
            if value not in self.drawn:
                self._node(value, _typed(value), _OUTSIDE)
            return self._id(value), attributes
        if len(value.op.results) > 1:
            attributes.append(f"label={quoted(value.name_hint or f'#{value.index}')}")
        if _is_box(value.op):
            attributes.append(f"ltail={self._box(value.op)}")
            return self._id(_result_node(value.op)), attributes
        return self._id(value.op), attributes

    def _id(self, drawn: Operation | SSAValue) -> str:
        return self.ids.setdefault(drawn, f"n{len(self.ids)}")

    def _box(self, op: Operation) -> str:
        return f"cluster_{self._id(op)}"


@dataclass(frozen=True)
class _Edge:
    """An edge from a value to a node, or to the box around it; or from a step to the next.

    ``number`` is the number of the operand, if the target does not show it.
    """

    source: SSAValue | Operation
    target: str
    number: str = ""
    box: str = ""


def _is_box(op: Operation) -> bool:
    return any(region.blocks.first for region in op.regions) and short_form(op) is None


def _blocks(op: Operation) -> Iterator[Block]:
    return chain.from_iterable(region.blocks for region in op.regions)


def _contents(op: Operation) -> Iterator[Operation]:
    return chain.from_iterable(block.ops for block in _blocks(op))


def _result_node(op: Operation) -> Operation:
    """The node of a box's results: the end of its body, or its own node if it has many bodies."""
    blocks = op.regions[0].blocks
    if len(op.regions) > 1 or blocks.first is not blocks.last or blocks.first is None:
        return op
    last = blocks.first.last_op
    return last if last is not None and last.has_trait(IsTerminator) else op


def _definition(op: Operation, text: str) -> str:
    """The text of an operation, and on a line below the names and types of its results."""
    results = ", ".join(map(_typed, op.results))
    return f"{text}\n{results}" if results else text


def _typed(value: SSAValue) -> str:
    type_ = type_text(value.type)
    return f"{value.name_hint} : {type_}" if value.name_hint else type_


def quoted(text: str, end: str = r"\n") -> str:
    r"""A text as a DOT string in which only the ends of lines have a special meaning.

    >>> print(quoted('"a" is\nunknown'))
    "\"a\" is\nunknown"
    """
    return '"' + end.join(map(_escaped, text.split("\n"))) + (end if end == _LEFT else "") + '"'


def _escaped(line: str) -> str:
    plain = "".join(character if character.isprintable() else "?" for character in line)
    return plain.replace("&", "&amp;").replace("\\", r"\\").replace('"', r"\"")
