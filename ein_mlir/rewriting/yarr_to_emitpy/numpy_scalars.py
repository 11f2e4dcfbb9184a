"""The scalar operations of NumPy."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType, TensorType, i1, i8
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.backends.forms import Operator
from ein_mlir.backends.numpy import tables
from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.float_powers import is_array
from ein_mlir.rewriting.yarr_to_emitpy.powers_of_two import exponent_of, shifted_power
from ein_mlir.rewriting.yarr_to_emitpy.scalars import Scalars
from ein_mlir.rewriting.yarr_to_emitpy.selections import (
    number_beside,
    selection,
    tested_factor,
)


class NumpyScalars(Scalars):
    """Scalar operations: the ufuncs of NumPy are slow for one number, and divide Ints slowly."""

    reads_arrays = True

    def translate(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue | None:
        """``x >> n`` for ``x // 2 ** n``"""
        if isinstance(op, arith.FloorDivSIOp):
            exponent = exponent_of(self.build, op.rhs, operands[1])
            if exponent is not None:
                return self.apply(Operator(">>"), (operands[0], exponent), op.result.type)
        return super().translate(op, operands)

    def _int_power(self, op: math.IPowIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``1 << 2 * n`` for ``4 ** n``"""
        found = shifted_power(self.build, op, operands[1])
        if found is None:
            return super()._int_power(op, operands)
        return self.apply(Operator("<<"), found, op.result.type)

    def _float_power(self, op: math.FPowIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``signed_power(x, n)``: powers of negative numbers take long."""
        if not is_array(operands[0]):
            return super()._float_power(op, operands)
        type_ = self.result_type(operands, op.result.type)
        return self.build.helper("np.signed_power", *operands, type=type_)

    def _select(self, op: arith.SelectOp, operands: Sequence[SSAValue]) -> SSAValue:
        """Arithmetic on masks and Ints, multiples of floats, else ``np.where(c, x, y)``."""
        type_ = self.result_type(operands, op.result.type)
        source = tested_factor(operands) if type_.get_num_dims() else None
        if source is not None and operands[1].type == type_:
            values = operands[1], source, *number_beside(operands[1], source)
            return self.build.helper("np.multiple", *values, type=type_, view=True, first=True)
        return selection(self, op, operands) or super()._select(op, operands)

    def _cast_unsigned(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        """``mask.view(np.int8)``: a Bool is a byte, 0 or 1."""
        (value,) = operands
        source, element = op.operands[0].type, op.results[0].type
        if (source, element) != (i1, i8) or is_object(value) or not yarr.rank_of(value):
            return super()._cast_unsigned(op, operands)
        type_ = yarr.tensor(element, yarr.shape_of(value))
        return self.build.method(value, "view", self.dtype(element), type=type_, view=True)

    def call(
        self, function: str, operands: Sequence[SSAValue], type: TensorType[Attribute]
    ) -> SSAValue:
        """``min(x, y)`` on two ints, a helper on two floats, of which one may be NaN."""
        if function not in tables.SCALAR_EXTREMES or type.get_num_dims():
            return super().call(function, operands, type)
        operands = self.all_typed(operands, type.element_type)
        if isinstance(type.element_type, IntegerType):
            builtin = tables.SCALAR_EXTREMES[function]
            return self.build.call(builtin, *operands, type=type)
        return self.build.helper(
            f"np.float_{tables.SCALAR_EXTREMES[function]}", *operands, type=type
        )
