"""``use-python-numbers``: loops compute scalars without calls and without NumPy's floats."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType, f64, i1, i64
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.emitpy.shared_memory import Memory, memory_of
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import around, is_within, operations_in, outermost_without
from ein_mlir.backends.numpy.tables import UFUNCS
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.dialects.emitpy.base import is_array, rank_of
from ein_mlir.rewriting.emitpy.calls import WRITES
from ein_mlir.rewriting.passes import FunctionPass

LEAST_GAIN = 3
"""The least gain of a step, in operations on NumPy's floats, of which each takes 25 ns longer."""

_ARITHMETIC = frozenset("+-*/")
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_LOGIC = frozenset("&|^")

_BY_PYTHON = {"np.abs": "abs", "np.float64": "float"}
"""Functions of a number -> those of Python, which raise no error either."""

_EXTREMES = frozenset(("np.float_max", "np.float_min"))

_WRAPPERS = {"f64": "np.float64", "i1": "np.bool"}
"""The functions that give a number of Python the type of the library."""


def use_python_floats(function: func.FuncOp, memory: Memory) -> None:
    """Compute with Python's floats in the outermost loops on scalars that gain by it."""
    done = list[emitpy.ForOp]()
    for loop in [op for op in operations_in(function) if isinstance(op, emitpy.ForOp)]:
        if any(is_within(loop.body.block.args[0], outer) for outer in done):
            continue
        plan = _Plan(loop, memory) if _is_on_scalars(loop) else None
        if plan is not None and plan.gain >= LEAST_GAIN:
            plan.carry_out()
            done.append(loop)


def _is_on_scalars(loop: emitpy.ForOp) -> bool:
    """Whether steps compute no arrays, but read and replace elements."""
    ops = operations_in(loop)
    return not any(
        is_array(result) and not isinstance(op, emitpy.StoreOp | emitpy.ForOp | emitpy.SubscriptOp)
        for op in ops
        for result in op.results
    )


def _is_float(value: SSAValue) -> bool:
    return isa(value.type, TensorType) and value.type == _FLOAT


_FLOAT, _BOOL, _INT = (TensorType(element, []) for element in (f64, i1, i64))


def choose_extremes(function: func.FuncOp) -> None:
    """``n if k > n else k`` for ``min(k, n)`` in loops: a call takes eight times as long."""
    for op in operations_in(function):
        if _callee(op) in ("max", "min") and len(op.operands) == 2 and _is_in_steps(op):
            x, y = op.operands
            compare = emitpy.BinaryOp(x, ">" if _callee(op) == "min" else "<", y, OBJECT)
            Rewriter.insert_op(compare, InsertPoint.before(op))
            choice = emitpy.ConditionalOp(compare.result, y, x, op.results[0].type)
            choice.result.name_hint = op.results[0].name_hint
            Rewriter.replace_op(op, choice)


def _is_in_steps(op: Operation) -> bool:
    """Whether an operation is in a loop that does not run over blocks."""
    return any(isinstance(each, emitpy.ForOp) and each.step is None for each in around(op))


class _Plan:
    """The operations of a loop that compute with numbers of Python, and the conversions."""

    def __init__(self, loop: emitpy.ForOp, memory: Memory):
        self._loop, self._ops = loop, operations_in(loop)
        self._memory = memory
        self._written = self._overwritten()
        self._python = dict[SSAValue, None]()
        """The values that become numbers of Python."""
        self._converted = dict[SSAValue, SSAValue]()
        for op in self._ops:
            self._python.update(dict.fromkeys(self._values_of(op)))

    def _overwritten(self) -> set[SSAValue]:
        """The roots of the memory that steps overwrite, also where accumulators begin with it."""
        written = set[SSAValue]()
        pending = [op.operands[0] for op in self._ops if isinstance(op, WRITES)]
        while pending:
            for root in self._memory.roots(pending.pop()) - written:
                written.add(root)
                loop = root.block.parent_op() if isinstance(root, BlockArgument) else None
                if isinstance(root, BlockArgument) and isinstance(loop, emitpy.ForOp):
                    pending.append(loop.inits[root.index - 1])
        return written

    def _values_of(self, op: Operation) -> Iterator[SSAValue]:
        """The results of an operation, and the accumulators of a loop, that become numbers."""
        if isinstance(op, emitpy.ForOp):
            yield from filter(_is_float, (*op.accumulators, *op.res))
        elif self._is_computed(op):
            yield op.results[0]

    def _is_computed(self, op: Operation) -> bool:
        """Whether Python computes the number that an operation has as its result."""
        match op:
            case emitpy.BinaryOp():
                return self._is_arithmetic(op)
            case emitpy.UnaryOp(operator=operator, operand=operand):
                is_negation = operator.data == "-" and _is_float(op.result)
                return is_negation or (operator.data == "~" and operand in self._python)
            case emitpy.SubscriptOp():
                return self._is_element(op) and _is_read_as_number(op.result)
            case emitpy.CallOp():
                return op.callee.data in _BY_PYTHON and _is_float(op.results[0])
            case emitpy.HelperOp():
                return op.callee.data in _EXTREMES and _is_float(op.results[0])
            case _:
                return isinstance(op, emitpy.ConditionalOp) and _is_float(op.result)

    def _is_arithmetic(self, op: emitpy.BinaryOp) -> bool:
        """Whether an operator takes numbers, and raises no error: a division calls a helper."""
        symbol, operands = op.operator.data, op.operands
        if symbol in _LOGIC:
            return op.result.type == _BOOL and all(v in self._python for v in operands)
        if not any(map(_is_float, operands)) or not all(map(_is_number, operands)):
            return False
        return symbol in _COMPARISONS or (symbol in _ARITHMETIC and _is_float(op.result))

    def _is_element(self, op: emitpy.SubscriptOp) -> bool:
        """Whether an element is read from an array that the loop neither computes nor writes."""
        is_whole = len(op.indices) == rank_of(op.object.type) > 0
        if not is_whole or is_within(op.object, self._loop):
            return False
        return self._memory.roots(op.object).isdisjoint(self._written)

    # Conversions

    @property
    def gain(self) -> int:
        """The operations that Python saves in a step, less those that convert numbers."""
        gained = sum(map(self._saved, self._ops))
        taken = {op.operands[index] for op, index in self._to_python()}
        to_python = sum(is_within(value, self._loop) for value in taken)
        to_library = sum(_is_inside(op, self._loop) for op, _ in self._to_library())
        return gained - to_python - 3 * to_library

    def _saved(self, op: Operation) -> int:
        """The gain of an operation: NumPy calls functions of one number slowly."""
        if not self._is_python(op) or isinstance(op, emitpy.ForOp):
            return 0
        is_division = isinstance(op, emitpy.BinaryOp) and op.operator.data == "/"
        return 8 if isinstance(op, emitpy.CallOp) else int(not is_division)

    def _to_python(self) -> Iterator[tuple[Operation, int]]:
        """The operands, each of an operation, that are to be floats of Python, but are of NumPy."""
        for user, index in (slot for op in self._ops for slot in self._slots(op)):
            value = user.operands[index]
            if _is_float(value) and value not in self._python:
                yield user, index

    def _slots(self, op: Operation) -> Iterator[tuple[Operation, int]]:
        """The operands that are to be numbers of Python: of an operation, or of a loop's yield."""
        if isinstance(op, emitpy.ForOp):
            terminator = op.body.block.last_op
            assert terminator is not None
            carried = [k for k, value in enumerate(op.accumulators) if value in self._python]
            for number in carried:
                yield from ((op, number + 1), (terminator, number))
        elif self._is_python(op) and not isinstance(op, emitpy.SubscriptOp):
            yield from ((op, index) for index in range(len(op.operands)))

    def _is_python(self, op: Operation) -> bool:
        """Whether the result of an operation becomes a number of Python."""
        return bool(op.results) and op.results[0] in self._python

    def _to_library(self) -> Iterator[tuple[Operation, int]]:
        """The uses of Python's numbers, operands of operations, that need one of the library."""
        for use in (use for value in self._python for use in value.uses):
            if not self._takes_python(use.operation, use.index):
                yield use.operation, use.index

    def _takes_python(self, op: Operation, index: int) -> bool:
        """Whether an operand may be a number of Python."""
        if not _is_inside(op, self._loop):
            return False
        match op:
            case emitpy.ForOp():
                return True
            case emitpy.YieldOp():
                loop = op.parent_op()
                assert isinstance(loop, emitpy.ForOp)
                return loop.accumulators[index] in self._python
            case emitpy.StoreOp():
                types = op.target.type, op.operands[index].type
                elements = [type_.element_type for type_ in types if isa(type_, TensorType)]
                return len(set(elements)) == 1
            case emitpy.ConditionalOp() if index == 0:
                return True
            case emitpy.CallOp() if op.callee.data in UFUNCS:
                return all(map(_is_float, op.operands))
            case emitpy.CallOp() | emitpy.SubscriptOp() if op.operands[index].type == _INT:
                return True
            case _:
                return self._is_python(op)

    # Changes

    def carry_out(self) -> None:
        """Insert the conversions, and give the values the type of Python's objects."""
        for op, index in list(self._to_library()):
            if op.operands[index] in self._python:
                self._wrap(op, index)
        for op, index in list(self._to_python()):
            self._unwrap(op, index)
        for op in self._ops:
            self._change(op)
        for value in list(self._python):
            Rewriter.replace_value_with_new_type(value, OBJECT)

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
            self._converted[value] = self._as_float(value)
        op.operands[index] = self._converted[value]

    def _as_float(self, value: SSAValue) -> SSAValue:
        maker = value.owner
        if isinstance(maker, emitpy.CallOp) and _is_typed_literal(maker):
            return maker.operands[0]
        call = emitpy.CallOp("float", [value], OBJECT)
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
        if not self._is_python(op):
            return
        match op:
            case emitpy.BinaryOp() if op.operator.data == "/" and not _is_safe(op.rhs):
                self._replace(op, emitpy.HelperOp("np.quotient", op.operands, op.result.type))
            case emitpy.UnaryOp() if op.operator.data == "~":
                self._replace(op, emitpy.UnaryOp("not", op.operand, op.result.type))
            case emitpy.CallOp() if _is_typed_literal(op):
                del self._python[op.results[0]]
                Rewriter.replace_op(op, [], [op.operands[0]])
            case emitpy.CallOp():
                callee = _BY_PYTHON[op.callee.data]
                self._replace(op, emitpy.CallOp(callee, op.operands, op.results[0].type))
            case emitpy.HelperOp():
                self._choose(op)
            case emitpy.SubscriptOp():
                op.operands[0] = self._elements(op.object)
            case _:
                pass

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
            return
        Rewriter.insert_op(compare, InsertPoint.before(op))
        self._replace(op, emitpy.ConditionalOp(compare.result, x, y, op.results[0].type))

    def _replace(self, op: Operation, new: Operation) -> None:
        del self._python[op.results[0]]
        new.results[0].name_hint = op.results[0].name_hint
        Rewriter.replace_op(op, new)
        self._python[new.results[0]] = None

    def _elements(self, array: SSAValue) -> SSAValue:
        """``a.data``, whose elements are numbers of Python."""
        if array not in self._converted:
            data = emitpy.AttrOp(array, "data", OBJECT)
            Rewriter.insert_op(data, self._after(array))
            self._converted[array] = data.result
        return self._converted[array]


def _is_inside(op: Operation, loop: emitpy.ForOp) -> bool:
    """Whether an operation is part of the body of a loop."""
    return op is not loop and loop.is_ancestor(op)


def _is_number(value: SSAValue) -> bool:
    """Whether a value is a float of the library, or a number of Python."""
    return _is_float(value) or value.type == OBJECT


def _is_read_as_number(element: SSAValue) -> bool:
    """Whether Python takes an element: a float, a truth value, or an int that is a position."""
    if element.type in (_FLOAT, _BOOL):
        return True
    return element.type == _INT and all(
        isinstance(use.operation, emitpy.SubscriptOp) or _is_clip(use.operation)
        for use in element.uses
    )


def _is_clip(op: Operation) -> bool:
    """``min(p, n)`` as an object of Python"""
    return _callee(op) in ("max", "min") and op.results[0].type == OBJECT


def _callee(op: Operation) -> str:
    return op.callee.data if isinstance(op, emitpy.CallOp) else ""


def _is_literal(value: SSAValue) -> bool:
    return isinstance(value.owner, emitpy.LiteralOp)


def _is_typed_literal(op: emitpy.CallOp) -> bool:
    """``np.float64(2.0)``"""
    return op.callee.data == "np.float64" and _is_literal(op.operands[0])


def _is_safe(divisor: SSAValue) -> bool:
    """Whether a divisor is a number other than zero."""
    return isinstance(divisor.owner, emitpy.LiteralOp) and bool(divisor.owner.data)


class UsePythonNumbersPass(FunctionPass):
    """Computes with numbers of Python in loops: floats, if a loop computes only scalars, and clips.

    Before::

        s = np.float64(0.0)
        for i in range(n):
            s = a * s + x[min(i, m)]
            y[i] = s

    After::

        a = float(a)
        x = x.data
        s = 0.0
        for i in range(n):
            s = a * s + x[m if i > m else i]
            y[i] = s

    in IR, where ``x.data`` is ``emitpy.attr`` and the numbers have the type of Python's objects.
    They are the same numbers, with the same rounding; an operation on them takes a third of the
    time of one on ``np.float64``. The elements of ``x.data``, a memoryview, are numbers of Python.
    A division by zero would raise an error: it calls ``quotient``. Functions of the library take
    numbers of both kinds; their results are converted.

    Floats stay those of NumPy in loops that compute arrays, and where conversions would take as
    long: at least three operations of a step must gain.
    """

    name = "use-python-numbers"
    looks_for = (emitpy.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        use_python_floats(function, analyses.get(memory_of, function))
        choose_extremes(function)
