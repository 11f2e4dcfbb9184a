"""The operations of a loop that compute with numbers of Python, and their conversions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import IntegerType, Signedness, TensorType, f32, f64, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.emitpy.int_ranges import IntRanges, is_counter
from ein_mlir.analysis.emitpy.shared_memory import Memory, array_before
from ein_mlir.analysis.emitpy.stored_elements import unfilled
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.backends.numpy.tables import UFUNCS
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.dialects.emitpy.base import is_array, rank_of

FLOAT, BOOL, INT = (TensorType(element, []) for element in (f64, i1, i64))

_ARITHMETIC: dict[Attribute, frozenset[str]] = {
    FLOAT: frozenset("+-*/"),
    INT: frozenset(("+", "-", "*", "//", "%", "&", "|", "^")),
}
_SHORT_INTS = frozenset(
    TensorType(IntegerType(bits, sign), [])
    for bits in (8, 16, 32)
    for sign in (Signedness.SIGNLESS, Signedness.UNSIGNED)
)
SHORT_FLOATS = frozenset((TensorType(f32, []),))
_CONVERSIONS = frozenset(((INT, FLOAT), (BOOL, FLOAT), (BOOL, INT), (FLOAT, INT)))
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_LOGIC = frozenset("&|^")

BY_PYTHON = {"np.abs": "abs", "np.float64": "float", "np.int64": "int"}
"""Functions of a number -> those of Python, which raise no error either."""

BY_HELPER = {
    f"np.{name}": f"np.float_{name}"
    for name in ("cos", "exp", "floor", "log", "sin", "sqrt", "tanh")
}
"""Functions of a float -> helpers that call those of Python, which raise errors."""

_EXTREMES = frozenset(("np.float_max", "np.float_min"))

_OF_ELEMENTS = (emitpy.SubscriptOp, emitpy.StoreOp, emitpy.ForOp, emitpy.YieldOp)
"""Operations that take arrays for their elements, or carry them."""

_TAKES_INTS = frozenset(("np.clipped_slice",))
"""Helpers that compute with ints of Python, whose sums do not wrap around."""

_INT_GAIN = 2
"""The gain of an operation on ints, in those on floats."""

_DENSE = 4
"""The fewest accesses of a step to a written vector that is a list with few steps."""


def is_on_scalars(loop: emitpy.ForOp) -> bool:
    """Whether steps compute no arrays, but read and replace elements."""
    return not any(
        is_array(result) and not _is_of_elements(op)
        for op in operations_in(loop)
        for result in op.results
    )


def _is_of_elements(op: Operation) -> bool:
    """Whether an operation has an array as its result, but computes none unless it is empty."""
    return _is_fill(op) or isinstance(op, emitpy.StoreOp | emitpy.ForOp | emitpy.SubscriptOp)


def _is_fill(op: Operation) -> bool:
    return isinstance(op, emitpy.HelperOp) and op.callee.data == "np.fill_empty"


class Plan:
    """The values of a loop that become numbers of Python: of floats only, or of Ints, too."""

    def __init__(
        self,
        loop: emitpy.ForOp,
        types: frozenset[Attribute],
        lists: Mapping[SSAValue, SSAValue] = MappingProxyType({}),
    ):
        self.loop, self.ops = loop, operations_in(loop)
        self.lists = lists
        """Arrays that are lists if a condition holds, as it does where the loop has steps."""
        self._types = types
        self.python = dict[SSAValue, None]()
        """The values that become numbers of Python."""
        for op in self.ops:
            self.python.update(dict.fromkeys(self._values_of(op)))
        self.ranges = IntRanges(loop, self.python.__contains__) if INT in types else None
        self._is_on_scalars = is_on_scalars(loop)
        self.dense = set[SSAValue]()
        """Those of the tables for which a step for two elements is enough."""
        self.tables = self._tables() if self._is_on_scalars else {}
        """The arrays that lists may hold, and the results of the loop that are written ones."""

    def _values_of(self, op: Operation) -> Iterator[SSAValue]:
        """The results of an operation, and the accumulators of a loop, that become numbers."""
        if isinstance(op, emitpy.ForOp):
            carried = (*op.accumulators, *op.res)
            yield from (value for value in carried if self._is_value(value))
        elif self._is_computed(op):
            yield op.results[0]

    def _is_number(self, value: SSAValue) -> bool:
        """Whether a value is a number of the types that Python is to compute with."""
        return value.type in self._types

    def _is_value(self, value: SSAValue) -> bool:
        """Whether a value is such a number, or a Bool beside them."""
        return self._is_number(value) or (INT in self._types and value.type == BOOL)

    def _is_computed(self, op: Operation) -> bool:
        """Whether Python computes the number that an operation has as its result."""
        match op:
            case emitpy.BinaryOp():
                return self._is_arithmetic(op)
            case emitpy.UnaryOp(operator=operator):
                is_of_numbers = operator.data in "-~" and self._is_number(op.result)
                return is_of_numbers or (operator.data == "~" and op.result.type == BOOL)
            case emitpy.SubscriptOp():
                return self._is_element(op) and self._is_read_as_number(op.result)
            case emitpy.CallOp() if op.callee.data in ("min", "max"):
                return len(op.operands) == 2 and self._is_number(op.results[0])
            case emitpy.CallOp():
                is_number = op.callee.data in BY_PYTHON and self._is_number(op.results[0])
                return is_number or is_truth_value(op) or _is_function_of_float(op)
            case emitpy.MethodOp():
                return self._is_conversion(op)
            case emitpy.HelperOp():
                return op.callee.data in _EXTREMES and self._is_number(op.results[0])
            case _:
                return isinstance(op, emitpy.ConditionalOp) and self._is_value(op.result)

    def _is_conversion(self, op: emitpy.MethodOp) -> bool:
        """``n.astype(np.float64)`` for an Int or a Bool n, ``c.astype(np.int64)`` for any c."""
        if op.method.data != "astype" or INT not in self._types:
            return False
        types = (op.receiver.type, op.results[0].type)
        return types in _CONVERSIONS or self.short_element(op) is not None

    def short_element(self, op: emitpy.MethodOp) -> emitpy.SubscriptOp | None:
        """The element of an array before the loop that ``a[k].astype(np.int64)`` converts, if any.

        It is an integer of fewer bits, perhaps read without a sign, or a float of 32 bits. A float
        takes either.
        """
        kinds = _SHORT_INTS | SHORT_FLOATS if op.results[0].type == FLOAT else _SHORT_INTS
        if op.method.data != "astype" or op.receiver.type not in kinds:
            return None
        value = op.receiver
        if isinstance(value.owner, emitpy.MethodOp) and value.owner.method.data == "view":
            value = value.owner.receiver
        element = value.owner
        if not isinstance(element, emitpy.SubscriptOp) or not self._is_element(element):
            return None
        return element if self._is_number(op.results[0]) else None

    def _is_arithmetic(self, op: emitpy.BinaryOp) -> bool:
        """Whether an operator takes numbers of one type, or literals."""
        symbol, operands = op.operator.data, op.operands
        is_of_bools = symbol in _COMPARISONS and all(v.type == BOOL for v in operands)
        if is_of_bools or (symbol in _LOGIC and op.result.type == BOOL):
            return all(v in self.python or v.type == OBJECT for v in operands)
        kinds = {value.type for value in operands} - {OBJECT}
        if len(kinds) != 1 or not kinds <= self._types:
            return False
        if symbol in _COMPARISONS:
            return True
        (kind,) = kinds
        if op.result.type != kind:
            return False
        if symbol == "**":
            return kind == FLOAT
        return symbol in _ARITHMETIC[kind] or (kind == INT and _is_shift(op))

    def _is_element(self, op: emitpy.SubscriptOp) -> bool:
        """Whether an element is read from an array that is there before the loop."""
        return is_whole(op.object, op.indices) and not is_within(self.array(op.object), self.loop)

    def array(self, value: SSAValue) -> SSAValue:
        """The array before the loop that steps read, or write in place."""
        return array_before(self.loop, value)

    def is_store_of_number(self, op: Operation) -> bool:
        """Whether an element of an array from before the loop is stored in its memory."""
        if not isinstance(op, emitpy.StoreOp) or not is_whole(op.target, op.indices):
            return False
        return _is_stored_in_memory(op) and not is_within(self.array(op.target), self.loop)

    def _tables(self) -> dict[SSAValue, int | None]:
        """Vectors whose elements steps read or write at least twice, and no step another way.

        No other array of the loop shares their memory, also none that an operation reads as a
        whole. A loop by a condition may have few steps, and one over the elements has one for each.
        """
        if self.loop.conditional is not None or is_within(self.loop.count, self.loop):
            return {}
        written = {self.array(op.target) for op in self.ops if isinstance(op, emitpy.StoreOp)}
        places = [op for op in self.ops if isinstance(op, emitpy.SubscriptOp | emitpy.StoreOp)]
        found = Counter(unfilled(self.array(op.operands[0])) for op in places)
        inner = {
            unfilled(self.array(op.operands[0])) for op in places if op.parent_op() is not self.loop
        }
        memory, tables = Memory(), dict[SSAValue, int | None]()
        whole = set(self._read_whole())
        for array, count in found.items():
            others = (found.keys() - {array}) | whole if array in written else written - {array}
            is_apart = all(memory.roots(array).isdisjoint(memory.roots(x)) for x in others)
            is_read = count > 1 and rank_of(array.type) == 1 and is_apart
            is_dense = array in inner or count >= (_DENSE if array in written else 2)
            if not is_read or not all(self._is_element_of(array, op, is_dense) for op in places):
                continue
            numbers = [k for k, init in enumerate(self.loop.inits) if init is array]
            if array not in written or (len(numbers) == 1 and memory.is_fresh(array)):
                tables[array] = numbers[0] if array in written else None
                if is_dense:
                    self.dense.add(array)
        return tables

    def _read_whole(self) -> Iterator[SSAValue]:
        """The arrays that operations of steps take, other than for an element or their shape.

        A store reads the array that it stores as a row of another one.
        """
        for op in self.ops:
            is_shape = isinstance(op, emitpy.AttrOp) and op.attribute.data == "shape"
            if isinstance(op, emitpy.StoreOp):
                operands = [op.value]
            else:
                is_other = is_shape or isinstance(op, _OF_ELEMENTS) or _is_fill(op)
                operands = () if is_other else op.operands
            yield from (self.array(x) for x in operands if is_array(x))

    def _is_element_of(
        self, array: SSAValue, op: emitpy.SubscriptOp | emitpy.StoreOp, is_dense: bool
    ) -> bool:
        """Whether an operation on an array reads or writes one of its elements."""
        if unfilled(self.array(op.operands[0])) is not array:
            return True
        if self.loop.counter in op.indices and not is_dense:
            return False
        if isinstance(op, emitpy.StoreOp):
            return self.is_store_of_number(op)
        return op.result in self.python

    def _is_read_as_number(self, element: SSAValue) -> bool:
        """Whether Python takes an element: a number, a truth value, or an int as a position."""
        if element.type == BOOL or self._is_number(element):
            return True
        return element.type == INT and all(
            isinstance(use.operation, emitpy.SubscriptOp) or _is_clip(use.operation)
            for use in element.uses
        )

    # Conversions

    @property
    def gain(self) -> int:
        """The operations that Python saves in a step, less those that convert numbers."""
        gained = sum(map(self._saved, self.ops))
        gained += _INT_GAIN * sum(map(self.is_store_of_number, self.ops))
        taken = {op.operands[index] for op, index in self.to_python()}
        to_python = sum(is_within(value, self.loop) for value in taken)
        to_library = sum(is_inside(op, self.loop) for op, _ in self.to_library())
        checks = len(self.ranges.wrapped) if self.ranges is not None else 0
        return gained - to_python - 3 * to_library - checks

    def _saved(self, op: Operation) -> int:
        """The gain of an operation: NumPy calls functions of one number slowly."""
        if not self.is_python(op) or isinstance(op, emitpy.ForOp):
            return 0
        if isinstance(op, emitpy.CallOp | emitpy.MethodOp):
            return 8
        is_division = isinstance(op, emitpy.BinaryOp) and op.operator.data == "/"
        is_of_ints = any(value.type == INT for value in (*op.operands, op.results[0]))
        return _INT_GAIN if is_of_ints else int(not is_division)

    def to_python(self) -> Iterator[tuple[Operation, int]]:
        """The operands, each of an operation, that are to be of Python, but are of NumPy."""
        for user, index in (slot for op in self.ops for slot in self._slots(op)):
            value = user.operands[index]
            is_chosen = isinstance(user, emitpy.ConditionalOp) and index > 0
            is_carried = isinstance(user, emitpy.ForOp | emitpy.YieldOp) or is_chosen
            is_number = self._is_number(value) or (is_carried and value.type == BOOL)
            if is_number and value not in self.python:
                yield user, index

    def _slots(self, op: Operation) -> Iterator[tuple[Operation, int]]:
        """The operands that are to be numbers of Python: of an operation, or of a loop's yield."""
        if isinstance(op, emitpy.ForOp):
            terminator = op.body.block.last_op
            assert terminator is not None
            carried = [k for k, value in enumerate(op.accumulators) if value in self.python]
            for number in carried:
                yield from ((op, number + 1), (terminator, number))
        elif self.is_python(op) and not isinstance(op, emitpy.SubscriptOp):
            yield from ((op, index) for index in range(len(op.operands)))

    def is_python(self, op: Operation) -> bool:
        """Whether the result of an operation becomes a number of Python."""
        return bool(op.results) and op.results[0] in self.python

    def to_library(self) -> Iterator[tuple[Operation, int]]:
        """The uses of Python's numbers, operands of operations, that need one of the library."""
        for use in (use for value in self.python for use in value.uses):
            if not self._takes_python(use.operation, use.index):
                yield use.operation, use.index

    def _takes_python(self, op: Operation, index: int) -> bool:
        """Whether an operand may be a number of Python."""
        if not is_inside(op, self.loop):
            return False
        match op:
            case emitpy.ForOp() | emitpy.RaiseIfOp():
                return True
            case emitpy.YieldOp():
                loop = op.parent_op()
                return isinstance(loop, emitpy.ForOp) and loop.accumulators[index] in self.python
            case emitpy.StoreOp():
                return _is_stored_as_it_is(op, op.operands[index])
            case emitpy.ConditionalOp() if index == 0:
                return True
            case emitpy.CallOp() if op.callee.data in UFUNCS:
                return self.is_python(op) or all(value.type == FLOAT for value in op.operands)
            case emitpy.CallOp() | emitpy.SubscriptOp() if op.operands[index].type == INT:
                return True
            case emitpy.HelperOp() if op.callee.data in _TAKES_INTS:
                return True
            case emitpy.TupleOp() if not self._is_on_scalars or op.operands[index].type == FLOAT:
                return False  # helpers take arrays from records
            case _ if any(result.type == OBJECT for result in op.results):
                return True
            case _:
                return self.is_python(op)


def is_inside(op: Operation, loop: emitpy.ForOp) -> bool:
    """Whether an operation is part of the body of a loop."""
    return op is not loop and loop.is_ancestor(op)


def _is_stored_as_it_is(op: emitpy.StoreOp, operand: SSAValue) -> bool:
    """Whether a store takes a number of Python: a position, a condition, or an element."""
    if operand is not op.value:
        return True
    types = [
        type_.element_type for type_ in (op.target.type, operand.type) if isa(type_, TensorType)
    ]
    return len(set(types)) == 1


def is_whole(array: SSAValue, indices: Sequence[SSAValue]) -> bool:
    """Whether indices are the positions of one element."""
    return len(indices) == rank_of(array.type) > 0 and all(map(is_number, indices))


def is_number(index: SSAValue) -> bool:
    """Whether an index is a number, and neither a slice nor an array."""
    return not isinstance(index.owner, emitpy.SliceOp) and not is_array(index)


def _is_stored_in_memory(op: emitpy.StoreOp) -> bool:
    """Whether the memory of an array takes the number that is stored."""
    assert isa(op.target.type, TensorType)
    element = op.target.type.element_type
    return element in (f64, i64, i1) and op.value.type in (OBJECT, TensorType(element, []))


def _is_function_of_float(op: emitpy.CallOp) -> bool:
    """Whether a call is that of a function of one float that Python has, too."""
    types = {value.type for value in (*op.operands, *op.results)}
    return op.callee.data in BY_HELPER and types == {FLOAT}


def is_truth_value(op: emitpy.CallOp) -> bool:
    """``np.bool(x < y)`` of a comparison, which Python may take for its own truth value"""
    if op.callee.data != "np.bool":
        return False
    maker = op.operands[0].owner
    return isinstance(maker, emitpy.BinaryOp) and maker.operator.data in _COMPARISONS


def _is_shift(op: emitpy.BinaryOp) -> bool:
    """Whether an operator shifts by a number that is small, and not negative."""
    distance = op.rhs.owner
    if isinstance(distance, emitpy.LiteralOp):
        return op.operator.data in ("<<", ">>") and distance.data in range(64)
    return op.operator.data == ">>" and is_counter(op.rhs)


def _is_clip(op: Operation) -> bool:
    """``min(p, n)`` as an object of Python"""
    is_extreme = isinstance(op, emitpy.CallOp) and op.callee.data in ("max", "min")
    return is_extreme and op.results[0].type == OBJECT
