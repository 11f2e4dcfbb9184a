"""Operations on numbers of Python, and conversions from and to those of NumPy."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic.ranges import INTS, Range
from ein_mlir.analysis.emitpy.int_ranges import RING
from ein_mlir.analysis.emitpy.stored_elements import unfilled
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import is_within, outermost_without
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.passes.emitpy.use_python_numbers.plan import (
    BOOL,
    BY_HELPER,
    BY_PYTHON,
    FLOAT,
    INT,
    SHORT_FLOATS,
    Plan,
    is_counter,
    is_truth_value,
)

_WRAPPERS = {"f64": "np.float64", "i64": "np.int64", "i1": "np.bool"}
"""The functions that give a number of Python the type of the library."""

LEAST_STEPS = 4
"""The least steps for each element of a vector for which conversions from and to a list pay."""

MOST_ELEMENTS = 2**16
"""The most elements of a list that pays with a step for two of them: longer ones exceed caches."""

_LAZY = {"&": "and", "|": "or"}
"""The operators of truth values that compute the second one only if need be."""

_UNWRAPPERS = {"f64": "float", "i64": "int", "i1": "bool"}
"""The functions that make a number of the library one of Python."""


def carry_out(plan: Plan) -> None:
    """Insert the conversions of a plan, and give the values the type of Python's objects."""
    _Changes(plan).carry_out()


class _Changes:
    def __init__(self, plan: Plan):
        self._plan, self._loop, self._python = plan, plan.loop, plan.python
        self._converted = dict[SSAValue, SSAValue]()
        self._short = dict[tuple[SSAValue, Attribute], SSAValue]()
        """The memory of arrays whose elements have fewer bits, by the type of these."""
        self._wrapped = dict(plan.ranges.wrapped) if plan.ranges is not None else {}

    def carry_out(self) -> None:
        for op, index in list(self._plan.to_library()):
            if op.operands[index] in self._python:
                self._wrap(op, index)
        for op, index in list(self._plan.to_python()):
            self._unwrap(op, index)
        for op in self._plan.ops:
            if isinstance(op, emitpy.StoreOp) and self._plan.is_store_of_number(op):
                self._store(op)
            else:
                self._change(op)
        for op in self._plan.ops:
            if isinstance(op, emitpy.CallOp) and op.callee.data == "max":
                self._drop_lower_bound(op)
        for value, found in self._wrapped.items():
            _keep_in_64_bits(value, found)
        for value in list(self._python):
            Rewriter.replace_value_with_new_type(value, OBJECT)

    def _drop_lower_bound(self, op: emitpy.CallOp) -> None:
        """``k`` for ``max(k, 0)``, a position that is at least 0."""
        if self._plan.ranges is None or op.results[0].type != OBJECT or len(op.operands) != 2:
            return
        for value, bound in (op.operands, op.operands[::-1]):
            number, is_ours = emitpy.literal_data(bound), value in self._python
            if not isinstance(number, int) or not (is_ours or value.type == OBJECT):
                continue
            if self._plan.ranges.of(value).low >= number:
                Rewriter.replace_op(op, [], [value])
                return

    def _wrap(self, op: Operation, index: int) -> None:
        """``np.float64(x)`` for an operand x: after the loop, or before its user in the loop."""
        value = op.operands[index]
        assert isa(value.type, TensorType)
        call = emitpy.CallOp(_WRAPPERS[str(value.type.element_type)], [value], value.type)
        is_result = value.owner is self._loop
        Rewriter.insert_op(
            call, InsertPoint.after(self._loop) if is_result else InsertPoint.before(op)
        )
        uses = list(value.uses) if is_result else [use for use in value.uses if use.operation is op]
        for use in uses:
            if use.operation is not call:
                use.operation.operands[use.index] = call.results[0]

    def _unwrap(self, op: Operation, index: int) -> None:
        """``float(x)`` for an operand x, after it in the loop, or before the loop."""
        value = op.operands[index]
        if value not in self._converted:
            self._converted[value] = self._as_python(value)
        op.operands[index] = self._converted[value]

    def _as_python(self, value: SSAValue) -> SSAValue:
        maker = value.owner
        if isinstance(maker, emitpy.CallOp) and _is_of_python(maker):
            return maker.operands[0]
        assert isa(value.type, TensorType)
        call = emitpy.CallOp(_UNWRAPPERS[str(value.type.element_type)], [value], OBJECT)
        Rewriter.insert_op(call, self._after(value))
        return call.results[0]

    def _after(self, value: SSAValue) -> InsertPoint:
        """The place after a value in the loop; before the outermost loop without it."""
        owner = value.owner
        if not is_within(value, self._loop):
            return InsertPoint.before(outermost_without(self._loop, [value]))
        return InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner)

    def _change(self, op: Operation) -> None:
        """Replace an operation on numbers by that of Python."""
        if not self._plan.is_python(op):
            return
        match op:
            case emitpy.BinaryOp() if op.operator.data == "/" and not _is_safe(op.rhs):
                self._divide(op)
            case emitpy.BinaryOp() if op.operator.data == "**":
                self._replace(op, emitpy.HelperOp("np.float_power", op.operands, op.result.type))
            case emitpy.BinaryOp() if op.operator.data in ("//", "%") and op.result.type == INT:
                self._divide_ints(op)
            case emitpy.BinaryOp() if op.operator.data in _LAZY and op.result.type == BOOL:
                symbol = _LAZY[op.operator.data]
                self._replace(op, emitpy.BinaryOp(op.lhs, symbol, op.rhs, op.result.type))
            case emitpy.UnaryOp() if op.operator.data == "~" and op.result.type == BOOL:
                self._replace(op, emitpy.UnaryOp("not", op.operand, op.result.type))
            case emitpy.CallOp() if _is_of_python(op):
                del self._python[op.results[0]]
                Rewriter.replace_op(op, [], [op.operands[0]])
            case emitpy.CallOp() if op.callee.data in BY_PYTHON:
                callee = BY_PYTHON[op.callee.data]
                self._replace(op, emitpy.CallOp(callee, op.operands, op.results[0].type))
            case emitpy.CallOp() if op.callee.data in BY_HELPER:
                helper = BY_HELPER[op.callee.data]
                self._replace(op, emitpy.HelperOp(helper, op.operands, op.results[0].type))
            case emitpy.MethodOp():
                self._convert(op)
            case emitpy.HelperOp():
                self._choose(op)
            case emitpy.SubscriptOp():
                self._read(op)
            case _:
                pass

    def _read(self, op: emitpy.SubscriptOp) -> None:
        """``a.data[i, j]`` for ``a[i, j]``; ``rows[i][j]`` of a list of rows"""
        array = self._plan.array(op.object)
        elements, indices = self._elements(array), list(op.indices)
        if array in self._plan.lists:
            for index in indices[:-1]:
                row = emitpy.SubscriptOp(elements, [index], OBJECT)
                Rewriter.insert_op(row, InsertPoint.before(op))
                elements = row.result
            new = emitpy.SubscriptOp(elements, indices[-1:], op.result.type)
            self._replace(op, new)
        else:
            op.operands[0] = elements

    def _store(self, op: emitpy.StoreOp) -> None:
        """``x.data[i] = y`` for ``x[i] = y``, with numbers of Python and of the library"""
        memory = self._elements(self._plan.array(op.target))
        store = emitpy.StoreOp(memory, op.indices, op.value, op.condition)
        Rewriter.insert_op(store, InsertPoint.before(op))
        Rewriter.replace_op(op, [], [op.target])

    def _convert(self, op: emitpy.MethodOp) -> None:
        """``n + c`` for ``n + int(c)``, ``x * k`` for ``x * float(k)``: Python converts them."""
        result, value = op.results[0], op.receiver
        if (element := self._plan.short_element(op)) is not None:
            self._read_short(op, element)
            return
        if value.type == FLOAT:
            self._replace(op, emitpy.HelperOp("np.float_to_int", [value], result.type))
            return
        is_ours = value in self._python or is_counter(value)
        if is_ours and all(self._is_converting(use.operation, result) for use in result.uses):
            del self._python[result]
            Rewriter.replace_op(op, [], [value])
            return
        name = "float" if result.type == FLOAT else "int"
        self._replace(op, emitpy.CallOp(name, [value], result.type))

    def _read_short(self, op: emitpy.MethodOp, element: emitpy.SubscriptOp) -> None:
        """``a.view(np.uint8).data[k]`` for ``a[k].view(np.uint8).astype(np.int64)``"""
        array, bits = self._plan.array(element.object), op.receiver.owner
        if (array, op.receiver.type) not in self._short:
            self._short[array, op.receiver.type] = self._memory_of(array, bits)
        memory, result = self._short[array, op.receiver.type], op.results[0]
        new = emitpy.SubscriptOp(memory, element.indices, result.type)
        is_of_int = result.type == FLOAT and op.receiver.type not in SHORT_FLOATS
        if is_of_int and not all(self._is_converting(use.operation, result) for use in result.uses):
            Rewriter.insert_op(new, InsertPoint.before(op))
            new = emitpy.CallOp("float", [new.result], result.type)
        self._replace(op, new)
        for each in (bits, element):
            if isinstance(each, Operation) and not any(x.uses.get_length() for x in each.results):
                Rewriter.erase_op(each)

    def _memory_of(self, array: SSAValue, bits: Operation | Block) -> SSAValue:
        """``a.data``, or ``a.view(np.uint8).data`` for a view of an element."""
        viewed, place = list[Operation](), self._after(array)
        if isinstance(bits, emitpy.MethodOp):
            assert isa(array.type, TensorType)
            assert isa(bits.results[0].type, TensorType)
            type_ = TensorType(bits.results[0].type.element_type, array.type.get_shape())
            name = bits.operands[1].owner
            assert isinstance(name, Operation)
            viewed = [
                name := name.clone(),
                emitpy.MethodOp(array, "view", [name], type_, view=True),
            ]
        source = viewed[-1].results[0] if viewed else array
        data = emitpy.AttrOp(source, "data", OBJECT)
        Rewriter.insert_op([*viewed, data], place)
        return data.result

    def _is_converting(self, user: Operation, value: SSAValue) -> bool:
        """Whether a user of a number computes with it as with a Bool or an Int of the same value.

        A sum, difference or product does: of Ints, or with a float beside it.
        """
        if not isinstance(user, emitpy.BinaryOp) or user.operator.data not in ("+", "-", "*"):
            return False
        others = [operand for operand in user.operands if operand is not value]
        is_of_ints = user.result.type == value.type == INT
        return self._plan.is_python(user) and (is_of_ints or any(map(_is_float, others)))

    def _divide(self, op: emitpy.BinaryOp) -> None:
        """``x / y if y else quotient(x, y)``"""
        quotient = emitpy.BinaryOp(op.lhs, "/", op.rhs, OBJECT)
        other = emitpy.HelperOp("np.quotient", op.operands, OBJECT)
        Rewriter.insert_op([quotient, other], InsertPoint.before(op))
        choice = emitpy.ConditionalOp(op.rhs, quotient.result, other.results[0], op.result.type)
        self._replace(op, choice)

    def _divide_ints(self, op: emitpy.BinaryOp) -> None:
        """``x % (y or 1)`` and ``(x if y else 0) // (y or 1)`` where y may be zero"""
        assert self._plan.ranges is not None
        divisor, place = op.rhs, InsertPoint.before(op)
        if Range.of(0) not in self._plan.ranges.of(divisor):
            return
        zero, one = emitpy.LiteralOp(0), emitpy.LiteralOp(1)
        op.operands[1] = (other := emitpy.BinaryOp(divisor, "or", one, OBJECT)).result
        Rewriter.insert_op([one, other], place)
        if op.operator.data == "//":
            dividend = emitpy.ConditionalOp(divisor, op.lhs, zero, OBJECT)
            op.operands[0] = dividend.result
            Rewriter.insert_op([zero, dividend], place)

    def _choose(self, op: emitpy.HelperOp) -> None:
        """``2.0 if x <= 2.0 else x`` for ``float_max(x, 2.0)``: also where x is NaN."""
        x, y = op.operands
        symbol = ">" if op.callee.data == "np.float_max" else "<"
        if _is_literal(y):
            compare = emitpy.BinaryOp(x, {">": "<=", "<": ">="}[symbol], y, OBJECT)
            x, y = y, x
        elif _is_literal(x):
            compare = emitpy.BinaryOp(x, symbol, y, OBJECT)
        else:
            compare = self._is_first(op, symbol)
        Rewriter.insert_op(compare, InsertPoint.before(op))
        self._replace(op, emitpy.ConditionalOp(compare.result, x, y, op.results[0].type))

    def _is_first(self, op: emitpy.HelperOp, symbol: str) -> emitpy.BinaryOp:
        """``x < y or x != x``, where the smaller of two floats is x"""
        x, y = op.operands
        is_less = emitpy.BinaryOp(x, symbol, y, OBJECT)
        is_nan = emitpy.BinaryOp(x, "!=", x, OBJECT)
        Rewriter.insert_op([is_less, is_nan], InsertPoint.before(op))
        return emitpy.BinaryOp(is_less.result, "or", is_nan.result, OBJECT)

    def _replace(self, op: Operation, new: Operation) -> None:
        result = op.results[0]
        del self._python[result]
        new.results[0].name_hint = result.name_hint
        Rewriter.replace_op(op, new)
        self._python[new.results[0]] = None
        if result in self._wrapped:
            self._wrapped[new.results[0]] = self._wrapped.pop(result)

    def _elements(self, array: SSAValue) -> SSAValue:
        """``a.data``, whose elements are numbers of Python, or a list of them.

        Those of a filled array are those of the array itself, if it has some.
        """
        if array not in self._converted:
            whole = unfilled(array)
            if array in self._plan.lists:
                data = self._list_if(array, self._plan.lists[array])
            elif whole in self._plan.tables:
                data = self._listed(array, whole)
            else:
                data = emitpy.AttrOp(array, "data", OBJECT)
                Rewriter.insert_op(data, self._after(array))
            self._converted[array] = data.results[0]
        return self._converted[array]

    def _list_if(self, array: SSAValue, condition: SSAValue) -> Operation:
        """``a.tolist() if condition else a``"""
        elements = emitpy.MethodOp(array, "tolist", [], OBJECT, view=True)
        made = emitpy.ConditionalOp(condition, elements, array, OBJECT)
        Rewriter.insert_op([elements, made], InsertPoint.before(self._loop))
        return made

    def _listed(self, array: SSAValue, whole: SSAValue) -> Operation:
        """``a.tolist() if 4 * a.shape[0] <= n else a.data``; ``that or fill_empty(a, 0).data``

        If a step takes several elements, ``a.shape[0] <= min(2 * n, 65536)``.
        """
        place = InsertPoint.before(self._loop)
        if array is not whole and whole in self._plan.lists:
            return self._list_if(array, self._plan.lists[whole])
        data = emitpy.AttrOp(array, "data", OBJECT)
        if array is not whole:
            made = emitpy.BinaryOp(self._elements(whole), "or", data.result, OBJECT)
            Rewriter.insert_op([data, made], place)
            return made
        zero = emitpy.LiteralOp(0)
        shape = emitpy.AttrOp(array, "shape", OBJECT)
        size = emitpy.SubscriptOp(shape, [zero], OBJECT)
        if whole in self._plan.dense:
            two, bound = emitpy.LiteralOp(2), emitpy.LiteralOp(MOST_ELEMENTS)
            steps = emitpy.BinaryOp(two, "*", self._loop.count, OBJECT)
            most = emitpy.CallOp("min", [steps, bound], OBJECT)
            compare = emitpy.BinaryOp(size, "<=", most.results[0], OBJECT)
            compared = [two, bound, steps, most, compare]
        else:
            factor = emitpy.LiteralOp(LEAST_STEPS)
            least = emitpy.BinaryOp(factor, "*", size, OBJECT)
            compared = [factor, least, emitpy.BinaryOp(least, "<=", self._loop.count, OBJECT)]
        are_few = compared[-1]
        elements = emitpy.MethodOp(array, "tolist", [], OBJECT, view=True)
        made = emitpy.ConditionalOp(are_few.results[0], elements, data, OBJECT)
        are_few.results[0].name_hint = "few"
        Rewriter.insert_op([zero, shape, size, *compared, elements, data, made], place)
        if (number := self._plan.tables[whole]) is not None:
            self._write_back(self._loop.res[number], made.result, are_few.results[0])
        return made

    def _write_back(self, result: SSAValue, elements: SSAValue, are_few: SSAValue) -> None:
        """``if few: a[:] = elements`` after the loop, for the users of what it has written."""
        every, uses = emitpy.SliceOp(), list(result.uses)
        store = emitpy.StoreOp(result, [every.result], elements, are_few)
        Rewriter.insert_op([every, store], InsertPoint.after(self._loop))
        for use in uses:
            use.operation.operands[use.index] = store.result


def _keep_in_64_bits(value: SSAValue, found: Range) -> None:
    """``x if x <= largest else wrapped(x)`` for the users of x, and the same with the least Int."""
    users = list(value.uses)
    kept, place = value, value.owner
    assert isinstance(place, Operation)
    exceeded = [("<=", INTS.high)] * (found.high > INTS.high)
    exceeded += [(">=", INTS.low)] * (found.low < INTS.low)
    for symbol, bound in exceeded:
        limit = emitpy.LiteralOp(bound)
        compare = emitpy.BinaryOp(value, symbol, limit.result, OBJECT)
        wrapped = emitpy.HelperOp("np.wrapped", [value], OBJECT)
        choice = emitpy.ConditionalOp(compare.result, kept, wrapped.results[0], OBJECT)
        Rewriter.insert_op([limit, compare, wrapped, choice], InsertPoint.after(place))
        kept, place = choice.result, choice
    for use in users:
        use.operation.operands[use.index] = kept


def _is_literal(value: SSAValue) -> bool:
    return isinstance(value.owner, emitpy.LiteralOp)


def _is_float(value: SSAValue) -> bool:
    return value.type == FLOAT or isinstance(emitpy.literal_data(value), float)


def _is_of_python(op: emitpy.CallOp) -> bool:
    """``np.float64(2.0)``, ``np.int64(k)`` of a counter: the operand is the number of Python."""
    if is_truth_value(op):
        return True
    operand, is_int = op.operands[0], op.callee.data == "np.int64"
    is_typed = op.callee.data in _WRAPPERS.values()
    return is_typed and (_is_literal(operand) or (is_int and _is_int_of_python(operand)))


def _is_int_of_python(value: SSAValue) -> bool:
    """Whether a value is an int of Python: ``k + 2`` for a counter k."""
    op = value.owner
    if isinstance(op, emitpy.BinaryOp) and value.type == OBJECT and op.operator.data in RING:
        return all(map(_is_int_of_python, op.operands))
    return is_counter(value) or (isinstance(op, emitpy.LiteralOp) and isinstance(op.data, int))


def _is_safe(divisor: SSAValue) -> bool:
    """Whether a divisor is a number other than zero."""
    return isinstance(divisor.owner, emitpy.LiteralOp) and bool(divisor.owner.data)
