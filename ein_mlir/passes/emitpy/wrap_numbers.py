"""``wrap-numbers``: numbers that loops combine with arrays are arrays of rank 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType, f32, f64, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import around, is_within, operations_in
from ein_mlir.backends.numpy.tables import DTYPES, OPERATOR_UFUNCS, UFUNCS
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import literal_data
from ein_mlir.rewriting.passes import FunctionPass

_FUNCTIONS = {*UFUNCS, *OPERATOR_UFUNCS.values(), "np.where"} - {"np.power", "np.clip"}
"""The functions that take arrays of rank 0 in less time than numbers; powers look for numbers."""

_TYPES: Mapping[Attribute, tuple[type, ...]] = {f64: (float, int), f32: (float, int), i64: (int,)}
"""Types of elements -> those of literals that are numbers of this type."""


def wrap_numbers(function: func.FuncOp) -> None:
    """Let the loops of a function combine arrays with arrays of rank 0."""
    wrapped = dict[tuple[object, Attribute, emitpy.ForOp], SSAValue]()
    for op in operations_in(function):
        for index, type_ in _numbers(op):
            number = op.operands[index]
            place = _place(op, number)
            if place is None:
                continue
            data = literal_data(number)
            key = (number if data is None else repr(data), type_, place)
            if key not in wrapped:
                wrapped[key] = _wrapped(number, type_, place)
            op.operands[index] = wrapped[key]


def _numbers(op: Operation) -> Iterator[tuple[int, Attribute]]:
    """The operands of an elementwise operation that are numbers, and the type of its arrays."""
    if not _takes_arrays(op):
        return
    ranked = [x.type for x in (*op.operands, *op.results) if _is_ranked(x)]
    types = {each.element_type for each in ranked if isa(each, TensorType)}.intersection(_TYPES)
    if len(types) != 1:
        return
    (type_,) = types
    for index, value in enumerate(op.operands):
        data = literal_data(value)
        is_literal = type(data) in _TYPES[type_]
        if is_literal or (isa(value.type, TensorType) and value.type == yarr.tensor(type_, [])):
            yield index, type_


def _takes_arrays(op: Operation) -> bool:
    """Whether an operation computes an array by a function that is called with numbers."""
    match op:
        case emitpy.BinaryOp():
            return OPERATOR_UFUNCS.get(op.operator.data) in _FUNCTIONS and _is_ranked(op.result)
        case emitpy.AugmentOp():
            return OPERATOR_UFUNCS.get(op.operator.data) in _FUNCTIONS and _is_ranked(op.result)
        case emitpy.CallOp() | emitpy.CallIntoOp():
            has_options = isinstance(op, emitpy.CallOp) and op.keywords is not None
            is_whole = isinstance(op, emitpy.CallOp) or not op.indices
            is_known = op.callee.data in _FUNCTIONS and not has_options
            return is_known and is_whole and _is_ranked(op.result)
        case _:
            return False


def _is_ranked(value: SSAValue) -> bool:
    """Whether a value is an array with axes."""
    return isa(value.type, TensorType) and bool(value.type.get_num_dims())


def _place(op: Operation, number: SSAValue) -> emitpy.ForOp | None:
    """The outermost loop of several steps around an operation in which a number is the same."""
    place = None
    is_literal = literal_data(number) is not None
    for each in around(op.parent_op()):
        if not isinstance(each, emitpy.ForOp) or (is_within(number, each) and not is_literal):
            break
        if each.step is None and not each.is_condition:
            place = each
    return place


def _wrapped(number: SSAValue, type_: Attribute, place: emitpy.ForOp) -> SSAValue:
    """The array of rank 0 of a number, before a loop."""
    operands, made = [number], list[Operation]()
    data = literal_data(number)
    if data is not None:
        made.append(literal := emitpy.LiteralOp(data))
        operands = [literal.result]
        if type_ == f32:
            made.append(dtype := emitpy.NameOp(DTYPES[str(f32)]))
            operands.append(dtype.result)
    made.append(call := emitpy.CallOp("np.array", operands, yarr.tensor(type_, [])))
    Rewriter.insert_op(made, InsertPoint.before(place))
    return call.result


class WrapNumbersPass(FunctionPass):
    """Makes numbers that the steps of loops combine with arrays arrays of rank 0.

    Before::

        for k in range(n):
            y = c * y + 1.0

    After::

        c = np.array(c)
        one = np.array(1.0)
        for k in range(n):
            y = c * y + one

    in IR. NumPy makes an array of a number in each call, which is 200 of 500 ns of a call on a
    small array.
    """

    name = "wrap-numbers"
    looks_for = (emitpy.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        wrap_numbers(function)
