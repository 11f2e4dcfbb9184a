"""The labels of operations, values and types in a drawing: short, and close to mathematics.

A constant has no node: it is written at its use, ``x * 2.0``. A label names its operands only if it
must: for an indexing, ``a[i, k]``, if their order matters, ``x - y``, and next to a constant. An
operand without a name is a dot, ``· + 1``; the edges identify it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from ein_mlir.dialects.operation import EinOp, shortened

UNNAMED = "·"

_SYMBOLS = {
    **dict.fromkeys(("arith.addf", "arith.addi"), "+"),
    **dict.fromkeys(("arith.subf", "arith.subi", "arith.negf"), "-"),
    **dict.fromkeys(("arith.mulf", "arith.muli"), "*"),
    **dict.fromkeys(("arith.minimumf", "arith.minsi"), "min"),
    **dict.fromkeys(("arith.maximumf", "arith.maxsi"), "max"),
    **dict.fromkeys(("math.powf", "math.ipowi", "math.fpowi"), "**"),
    **dict.fromkeys(("math.absf", "math.absi"), "abs"),
    **dict.fromkeys(("arith.index_cast", "arith.fptosi"), "int"),
    "arith.andi": "and",
    "arith.divf": "/",
    "arith.floordivsi": "//",
    "arith.ori": "or",
    "arith.select": "where",
    "arith.sitofp": "float",
    "arith.xori": "xor",
    "sigma.floormod": "%",
}

_PREDICATES = {
    **dict.fromkeys(("eq", "oeq"), "=="),
    **dict.fromkeys(("ne", "une"), "!="),
    **dict.fromkeys(("slt", "olt"), "<"),
    **dict.fromkeys(("sle", "ole"), "<="),
    **dict.fromkeys(("sgt", "ogt"), ">"),
    **dict.fromkeys(("sge", "oge"), ">="),
}

_COMMUTATIVE = {"+", "*", "==", "!=", "and", "or", "xor", "min", "max"}


def label(op: Operation) -> str:
    """The text of an operation that is drawn as a node: ``+``, ``a[i, k]``, ``take axis 1``."""
    if isinstance(op, EinOp) and (text := op.label([term(operand) for operand in op.operands])):
        return text
    operator = _operator(op)
    if not (terms := _telling_terms(op)):
        return operator
    if len(terms) == 2 and not re.search(r"\w", operator):
        return f"{terms[0]} {operator} {terms[1]}"
    if len(terms) == 1:
        return f"{operator} {terms[0]}"
    return f"{operator}{' ' * (' ' in operator)}({', '.join(terms)})"


def _telling_terms(op: Operation) -> list[str]:
    """The operands, if a reader needs them: for a constant, which has no edge, or their order."""
    terms = [term(operand) for operand in op.operands]
    if any(literal(operand) is not None for operand in op.operands):
        return terms
    return terms if _is_ordered(op) and set(terms) != {UNNAMED} else []


def _is_ordered(op: Operation) -> bool:
    return len(op.operands) > 1 and _operator(op) not in _COMMUTATIVE


def needs_numbers(op: Operation) -> bool:
    """Whether the edges to an operation need operand numbers, as its label shows no names."""
    unnamed = [operand for operand in op.operands if term(operand) == UNNAMED]
    return len(unnamed) > 1 and _is_ordered(op)


def header(op: Operation) -> str:
    """The text of an operation that is drawn around its body: ``fold (k < n, acc = 0.0)``."""
    if isinstance(op, func.FuncOp):
        return f"{op.sym_name.data}({', '.join(map(term, arguments(op)))})"
    text = _operator(op)
    if bindings := ", ".join(_binding(op, argument) for argument in arguments(op)):
        text += f" ({bindings})"
    if not binds_operands(op) and (terms := _telling_terms(op)):
        text += f" of {', '.join(terms)}"
    return text


def _binding(op: Operation, argument: BlockArgument) -> str:
    if not binds_operands(op):
        return term(argument)
    operand = term(op.operands[argument.index])
    if is_counter(argument):
        return f"{term(argument)} < {operand}"
    return term(argument) if operand == UNNAMED else f"{term(argument)} = {operand}"


def arguments(op: Operation) -> Sequence[BlockArgument]:
    """The arguments of the first block of an operation's body."""
    block = op.regions[0].blocks.first if op.regions else None
    return block.args if block else ()


def binds_operands(op: Operation) -> bool:
    """Whether the arguments of an operation's body represent its operands, one for one."""
    return isinstance(op, EinOp) and op.BINDS_OPERANDS


def is_counter(value: SSAValue) -> bool:
    """Whether a value is an index of a comprehension or the counter of a loop."""
    if not isinstance(value, BlockArgument):
        return False
    op = value.block.parent_op()
    return isinstance(op, EinOp) and value in op.counters()


def accumulators(op: Operation) -> Sequence[BlockArgument]:
    """The arguments of an operation's body that are carried from step to step."""
    return op.variables() if isinstance(op, EinOp) else ()


def short_form(op: Operation) -> Operation | None:
    """The one scalar operation that defines an operation: ``+`` for ``yarr.reduce`` by ``+``."""
    return op.scalar_operation() if isinstance(op, EinOp) else None


def _operator(op: Operation) -> str:
    """An operation without its operands: ``+``, ``take axis 1``, ``reduce + [0]``."""
    if isinstance(op, arith.CmpiOp):
        predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
        return _PREDICATES.get(predicate, predicate)
    if isinstance(op, arith.CmpfOp):
        predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
        return _PREDICATES.get(predicate, predicate)
    if op.name in _SYMBOLS:
        return _SYMBOLS[op.name]
    named_by = _named_by(op)
    inner = short_form(op)
    words = [
        _detail("", op.properties[named_by]) if named_by else _name(op),
        _operator(inner) if inner is not None else "",
        *(_detail(name, op.properties[name]) for name in sorted(op.properties) if name != named_by),
    ]
    return " ".join(word for word in words if word)


def _named_by(op: Operation) -> str | None:
    """The property that is more informative than an operation's own name."""
    if isinstance(op, func.CallOp):
        return "callee"
    return op.NAMED_BY if isinstance(op, EinOp) else None


def _name(op: Operation) -> str:
    """The name of an operation; empty if its scalar operation defines it."""
    is_scalar_operation = binds_operands(op) and short_form(op) is not None
    return "" if is_scalar_operation else op.name.rpartition(".")[2]


_COUNTS = ("operandSegmentSizes", "ranks")
"""The properties that count operands, which a drawing shows."""


def _detail(name: str, attribute: Attribute) -> str:
    """The text of an informative property: ``axis 0``, ``[1, 0]``, ``clip``; "" for others."""
    match attribute:
        case IntegerAttr():
            return f"{name} {attribute.value.data}"
        case UnitAttr():
            return name
        case StringAttr():
            return shortened(attribute.data)
        case SymbolRefAttr() | DenseIntOrFPElementsAttr():
            return shortened(str(attribute).partition(" : ")[0])
        case ArrayAttr() if name == "kinds":
            return shortened(", ".join(_detail(name, each) for each in attribute))
        case DenseArrayBase() if name not in _COUNTS:
            return f"[{str(attribute).partition(': ')[2].rstrip('>')}]"
        case _:
            return ""


def term(value: SSAValue) -> str:
    """The reference to a value in a label: its constant, its name, or a dot."""
    return literal(value) or value.name_hint or UNNAMED


def literal(value: SSAValue) -> str | None:
    """The constant of a value, if it is short enough to replace a name."""
    match value.owner:
        case arith.ConstantOp() as op:
            return _number(op.value)
        case EinOp() as op:
            return op.literal()
        case _:
            return None


def _number(attribute: Attribute) -> str | None:
    match attribute:
        case IntegerAttr():
            number = attribute.value.data
            return str(bool(number)).lower() if attribute.type == i1 else str(number)
        case FloatAttr():
            number = attribute.value.data
            return text if len(text := repr(number)) <= 8 else f"{number:.6g}"
        case DenseIntOrFPElementsAttr() if {*attribute.get_shape()} <= {1}:
            return _number(attribute.get_attrs()[0])
        case _:
            return None


def type_text(type_: Attribute) -> str:
    """A type without the prefixes of our dialects: ``vec<vec<f64>>``."""
    return re.sub(r"!(phi|emitpy)\.", "", str(type_))
