"""Scalars of JAX."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType, i1, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import reached
from ein_mlir.backends.forms import Form, Helper, Operator
from ein_mlir.backends.jax import tables
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.fastmath import permits
from ein_mlir.rewriting.yarr_to_emitpy.builder import (
    is_literal,
    is_object,
    literal_float,
    literal_int,
)
from ein_mlir.rewriting.yarr_to_emitpy.literals import is_indicator
from ein_mlir.rewriting.yarr_to_emitpy.scalars import Scalars

_LOGIC = (Operator("&"), Operator("|"))


class JaxScalars(Scalars):
    """Scalars are traced arrays of rank 0: Python cannot branch on them, and nothing raises."""

    numbers_by_bits = True

    def __init__(self, *arguments: object):
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._rules[arith.FPToSIOp] = self._to_int
        self._rules[arith.MulfOp] = self._multiply
        self._rules[arith.DivfOp] = self._divide
        self._rules[math.PowFOp] = self._power

    def _multiply(self, op: arith.MulfOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``-0.5 * -(2.0 * x)``: XLA would multiply the literals of ``0.5 * (2.0 * x)``."""
        if any(map(is_literal, operands)) and not permits(op, "reassoc"):
            operands = self._apart(operands, [_is_scaled(value) for value in operands])
        return self.apply(self.tables.scalars[op.name], operands, op.result.type)

    def _divide(self, op: arith.DivfOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``rounded(x / y) / z``: XLA would multiply the divisors, which may overflow."""
        if not permits(op, "reassoc"):
            by_literal = is_literal(operands[1])
            are_parts = [
                _is_quotient(value) or (by_literal and _is_scaled(value)) for value in operands
            ]
            operands = self._apart(operands, are_parts)
        return self.apply(self.tables.scalars[op.name], operands, op.result.type)

    def _power(self, op: math.PowFOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``root_power(x, 1.5)``: XLA calls a function for each number, except for a root."""
        base, exponent = operands
        if is_object(base) or literal_float(exponent) not in (1.5, -0.5, -1.5):
            return self.apply(self.tables.scalars[op.name], operands, op.result.type)
        return self.build.helper("jnp.root_power", base, exponent, type=base.type)

    def _apart(self, operands: Sequence[SSAValue], are_parts: Sequence[bool]) -> list[SSAValue]:
        """Two operands, of which XLA does not take some values apart.

        Next to a literal it is enough to negate both, which XLA fuses with other operations. A
        value that is rounded first is computed before them.
        """
        numbers = [literal_float(value) for value in operands]
        if any(are_parts) and any(number is not None for number in numbers):
            return [
                self.build.unary("-", value, value.type)
                if number is None
                else self.build.literal(-number)
                for value, number in zip(operands, numbers, strict=True)
            ]
        pairs = zip(operands, are_parts, strict=True)
        return [self._rounded(value) if is_part else value for value, is_part in pairs]

    def _rounded(self, value: SSAValue) -> SSAValue:
        return self.build.helper("jnp.rounded", value, type=value.type)

    def apply(self, form: Form, operands: Sequence[SSAValue], element: Attribute) -> SSAValue:
        """Call a helper to divide ints if the divisor may be 0, except for remainders by sizes."""
        if form == Operator("%") and isa(element, IntegerType) and self.is_size(operands[1]):
            x, y = operands
            return super().apply(form, (x, self.at_least_one(y)), element)
        if (
            isinstance(form, Operator)
            and form.symbol in tables.INTEGER_DIVISION
            and isa(element, IntegerType)
            and not literal_int(operands[1])
        ):
            form = Helper(tables.INTEGER_DIVISION[form.symbol])
        if element == i1 and form in _LOGIC:
            operands = self._combined(*operands)
        return super().apply(form, operands, element)

    def _combined(self, lhs: SSAValue, rhs: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Bools of an array and its transpose, and a comparison of counters by their distance."""
        if _compares_counters(lhs) and _reads_transposed(rhs):
            lhs = self._by_distance(lhs)
        if _compares_counters(rhs) and _reads_transposed(lhs):
            rhs = self._by_distance(rhs)
        return lhs, rhs

    def _select(self, op: arith.SelectOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``jnp.where(c, x, y)``; ``x if c else y`` only if the condition is a Python value."""
        condition, *values = operands
        element = op.result.type
        if is_object(condition):
            return super()._select(op, operands)
        if is_indicator(values):
            return self._as_type(condition, element)
        if all(map(is_object, values)) and not self.is_default(element):
            values[0] = self.typed(values[0], element)
        type_ = self.result_type(operands, element)
        if _is_transposed(*values) or _is_transposed(*reversed(values)):
            condition = self._by_distance(condition)
        return self.build.call("jnp.where", condition, *values, type=type_)

    def _by_distance(self, condition: SSAValue) -> SSAValue:
        """``i - j <= 0`` for a comparison of counters, ``i <= j``.

        By the comparison, LLVM would choose between the addresses of two elements of one array, and
        unroll the loops over them: it takes seconds for 250 rows, minutes for 1,000. So it does
        where Bools of an array and of its transpose are combined with the comparison.
        """
        op = condition.owner
        if not isinstance(op, emitpy.BinaryOp):
            return condition
        lhs, rhs, symbol = op.lhs, op.rhs, op.operator.data
        if symbol in ("&", "|"):
            lhs, rhs = map(self._by_distance, (lhs, rhs))
        elif _is_counter(lhs) and _is_counter(rhs):
            lhs = self.build.binary(lhs, "-", rhs, yarr.tensor(i64, yarr.shape_of(op.result)))
            rhs = self.build.literal(0)
        return self.build.binary(lhs, symbol, rhs, op.result.type)

    def _as_type(self, value: SSAValue, element: Attribute) -> SSAValue:
        """``jnp.where(c, 1.0, 0.0)`` for Bools as floats.

        XLA makes ``where(c, x, 0.0)`` of a product of x and a converted Bool: 0.0 for NaN.
        """
        if yarr.element_of(value) != i1 or not isa(element, AnyFloat):
            return super()._as_type(value, element)
        one, zero = (self.build.literal(number) for number in (1.0, 0.0))
        type_ = yarr.tensor(element, yarr.shape_of(value))
        return self.build.call("jnp.where", value, self.typed(one, element), zero, type=type_)

    def _to_int(self, op: arith.FPToSIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """A helper, which converts floats out of range to the least integer."""
        element = op.result.type
        value = self.typed(operands[0], op.input.type)
        type_ = yarr.tensor(element, yarr.shape_of(value))
        return self.build.helper("jnp.to_int", value, self.dtype(element), type=type_)


def _is_scaled(value: SSAValue) -> bool:
    """Whether a value is a product with a literal, or a quotient by one."""
    op = _source(value)
    return (
        isinstance(op, emitpy.BinaryOp)
        and op.operator.data in ("*", "/")
        and any(map(is_literal, op.operands))
    )


def _is_quotient(value: SSAValue) -> bool:
    op = _source(value)
    return isinstance(op, emitpy.BinaryOp) and op.operator.data == "/"


def _is_transposed(value: SSAValue, array: SSAValue) -> bool:
    """Whether a value is an array with its axes exchanged."""
    op = value.owner
    return isinstance(op, emitpy.AttrOp) and op.attribute.data == "T" and op.object is array


def _compares_counters(value: SSAValue) -> bool:
    """Whether a Bool is a comparison of counters of two axes, or is combined with one."""
    op = value.owner
    if not isinstance(op, emitpy.BinaryOp):
        return False
    if op.operator.data in ("&", "|"):
        return any(map(_compares_counters, op.operands))
    return all(map(_is_counter, op.operands))


def _reads_transposed(value: SSAValue) -> bool:
    """Whether a value is computed from an array with its axes exchanged."""

    def inputs(value: SSAValue) -> Sequence[SSAValue]:
        op = value.owner
        return op.operands if isinstance(op, (emitpy.BinaryOp, emitpy.UnaryOp)) else ()

    owners = (each.owner for each in reached([value], inputs))
    return any(isinstance(op, emitpy.AttrOp) and op.attribute.data == "T" for op in owners)


def _is_counter(value: SSAValue) -> bool:
    """Whether a value is ``jnp.arange(n)`` along an axis."""
    op = _source(value)
    return isinstance(op, emitpy.CallOp) and op.callee.data == "jnp.arange"


def _source(value: SSAValue) -> Operation | Block:
    """The operation that computes a value, or the array that it is a part of."""
    while isinstance(value.owner, emitpy.SubscriptOp):
        value = value.owner.object
    return value.owner
