"""The reference semantics of the operations of phi."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import no_size
from ein_mlir.analysis.diagnostics import index_name
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.scopes import around
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.interpreters.scalars import Function, Rule, combiner, weigher
from ein_mlir.interpreters.values import (
    DTYPES,
    Value,
    Vector,
    combined,
    differing_sizes,
    filled,
    from_python,
    in_columns,
    in_rows,
    place_in_order,
    search,
    size,
    sorted_positions,
    to_python,
    top_k,
)


@register_impls
@dataclass
class PhiFunctions(InterpreterFunctions):
    """Runs the operations of phi; ``phi.extern`` calls the functions of ``externs``."""

    externs: Mapping[str, Callable[..., object]] = field(
        default_factory=dict[str, Callable[..., object]]
    )
    _empty: int = 0
    """The number of empty comprehensions around, whose bodies are run for sizes only."""

    @impl(phi.ArrayOp)
    def run_array(
        self, interpreter: Interpreter, op: phi.ArrayOp, args: PythonValues
    ) -> PythonValues:
        """The body's value at each index.

        Along an empty axis the body is run once, at index 0, to find the sizes of its value.
        Elements of an empty array are zero, so the body always has a value. A failing assertion in
        it is an error, as in a comprehension that is not empty.
        """
        sizes = [int(n) for n in args]
        for index, n in zip(op.indices, sizes, strict=True):
            _check_size(f"size of index {_name(index)}", n)

        def build(position: tuple[np.int64, ...]) -> Value:
            axis = len(position)
            element = build if axis < len(sizes) - 1 else partial(_run_body, interpreter, op)
            elements = [element((*position, np.int64(i))) for i in range(sizes[axis])]
            zero = np.int64(0)
            return Vector.of(elements, lambda: self._for_sizes(lambda: element((*position, zero))))

        return (in_columns(build(()), op.result.type, len(sizes)),)

    @impl(phi.AccumulateOp)
    def run_accumulate(
        self, interpreter: Interpreter, op: phi.AccumulateOp, args: PythonValues
    ) -> PythonValues:
        """Each value in the order of the indices, combined at its positions; identities before.

        Without an index in range, the body is run once, at index 0, for the sizes of its values.
        """
        sizes = [int(n) for n in args[: len(op.sizes)]]
        for index, n in zip(op.indices, sizes, strict=True):
            _check_size(f"size of index {_name(index)}", n)
        targets = [_Accumulated(each, op) for each in op.accumulators]
        extents = iter(args[len(op.sizes) :])
        for target in targets:
            target.extents = [int(next(extents)) for _ in range(target.rank)]
        for axis, n in enumerate(n for target in targets for n in target.extents):
            _check_size(f"size {axis} of the accumulation", n)

        def run(position: Sequence[int]) -> Value:
            return _run_body(interpreter, op, tuple(map(np.int64, position)))

        for position in np.ndindex(*sizes):
            value = run(position)
            for target in targets:
                target.add(value)
        for target in targets:
            if target.row is None:
                value = self._for_sizes(lambda: run([0] * len(sizes)))
                target.row = target.part_of(value)[-1]
        results = tuple(target.result() for target in targets)
        return (results[0] if len(targets) == 1 else results,)

    def _for_sizes(self, build: Callable[[], Value]) -> Value:
        self._empty += 1
        try:
            return build()
        finally:
            self._empty -= 1

    @impl(phi.FoldOp)
    def run_fold(
        self, interpreter: Interpreter, op: phi.FoldOp, args: PythonValues
    ) -> PythonValues:
        """The accumulator after ``count`` steps."""
        count, accumulator = args
        _check_size(f"size of index {_name(op.counter)}", int(count))
        for k in range(int(count)):
            accumulator = _run_body(interpreter, op, (np.int64(k), accumulator))
        return (accumulator,)

    @impl(phi.WhileOp)
    def run_while(
        self, interpreter: Interpreter, op: phi.WhileOp, args: PythonValues
    ) -> PythonValues:
        """The accumulator after as many steps as its field 0 is true before, up to the limit.

        An empty comprehension has no element that takes a step, and keeps its sizes without.
        """
        count, accumulator = cast(tuple[np.int64, tuple[Value, ...]], args)
        _check_size(f"limit of {_name(op.counter)}", int(count))
        if self._empty and _varies(op):
            return (accumulator,)
        k = 0
        while k < count and accumulator[0]:
            after = _run_body(interpreter, op, (np.int64(k), accumulator))
            for axis, m, n in differing_sizes(accumulator, after):
                raise ValueError(f"while: a step changes the size along axis {axis}: {m} != {n}")
            accumulator, k = cast(tuple[Value, ...], after), k + 1
        return (accumulator,)

    @impl(phi.ReduceOp)
    def run_reduce(
        self, interpreter: Interpreter, op: phi.ReduceOp, args: PythonValues
    ) -> PythonValues:
        """``v.reduce(z, f) = fold(z, x -> f(x, v[i]))``."""
        vector, accumulator = args
        for element in in_rows(vector).elements:
            accumulator = _run_body(interpreter, op, (accumulator, element))
        return (accumulator,)

    @impl(phi.ArgreduceOp)
    def run_argreduce(
        self, interpreter: Interpreter, op: phi.ArgreduceOp, args: PythonValues
    ) -> PythonValues:
        """The position of a sequential search that starts with ``best, at = worst, 0``."""
        assert isinstance(op.vec.type, phi.VecType)
        elements = cast(Vector, args[0]).elements
        return (np.int64(search(elements, op.predicate.data, op.vec.type.element_type)),)

    @impl(phi.TopKOp)
    def run_top_k(
        self, interpreter: Interpreter, op: phi.TopKOp, args: PythonValues
    ) -> PythonValues:
        """The positions of successive searches among the remaining elements."""
        assert isinstance(op.vec.type, phi.VecType)
        elements, count = cast(Vector, args[0]).elements, int(args[1])
        _check_size(f"size of index {_name(op.result)}", count)
        found = top_k(elements, count, op.predicate.data, op.vec.type.element_type)
        return (Vector(tuple(map(np.int64, found)), np.int64(0)),)

    @impl(phi.ArgsortOp)
    def run_argsort(
        self, interpreter: Interpreter, op: phi.ArgsortOp, args: PythonValues
    ) -> PythonValues:
        """The positions of the elements in increasing order; those of NaN are last."""
        found = sorted_positions(cast(Vector, args[0]).elements)
        return (Vector(tuple(map(np.int64, found)), np.int64(0)),)

    @impl(phi.SortOp)
    def run_sort(
        self, interpreter: Interpreter, op: phi.SortOp, args: PythonValues
    ) -> PythonValues:
        """The elements at the positions in order."""
        vector = cast(Vector, args[0])
        found = [vector.elements[k] for k in sorted_positions(vector.elements)]
        return (Vector.of(found, lambda: vector.sample),)

    @impl(phi.SearchsortedOp)
    def run_searchsorted(
        self, interpreter: Interpreter, op: phi.SearchsortedOp, args: PythonValues
    ) -> PythonValues:
        """A count: elements of a vector in order are compared with the value."""
        vector, value = args
        is_right = op.right is not None
        return (np.int64(place_in_order(cast(Vector, vector).elements, value, is_right)),)

    @impl(phi.ScanOp)
    def run_scan(
        self, interpreter: Interpreter, op: phi.ScanOp, args: PythonValues
    ) -> PythonValues:
        """The sequence of partial results, starting with the identity."""
        elements = cast(Vector, args[0]).elements
        combine, initial = combiner(op.kind.data, phi.scalar_of(op.result.type))
        combinations: list[Value] = [initial]
        for element in reversed(elements) if op.suffixes else elements:
            combinations.append(combine(combinations[-1], element))
        return (Vector(tuple(combinations[:: -1 if op.suffixes else 1]), initial),)

    @impl(phi.WeightedScanOp)
    def run_weighted_scan(
        self, interpreter: Interpreter, op: phi.WeightedScanOp, args: PythonValues
    ) -> PythonValues:
        """The sequence of partial results, starting with the first element."""
        vector, weights = cast(Vector, args[0]), args[1]
        kind, type_ = op.kind.data, phi.scalar_of(op.result.type)
        combine, initial = combiner(kind, type_)
        weigh = weigher(kind, type_, phi.scalar_of(op.weights.type))
        results = list(vector.elements[:1])
        for j, element in enumerate(vector.elements[1:], 1):
            weight = _at(weights, (j,)) if isinstance(weights, Vector) else weights
            results.append(combine(weigh(results[-1], weight), element))
        return (Vector(tuple(results), initial),)

    @impl(phi.PropagateNanOp)
    def run_propagate_nan(
        self, interpreter: Interpreter, op: phi.PropagateNanOp, args: PythonValues
    ) -> PythonValues:
        """Each element, or NaN if any other position of ``others`` is not finite."""
        elements, others = cast(Vector, args[0]).elements, args[1]
        nan = DTYPES[phi.scalar_of(op.result.type)](np.nan)

        def element(j: int) -> Value:
            positions = (k for k in range(len(elements)) if k != j)
            return elements[j] if all(np.isfinite(_at(others, (k,))) for k in positions) else nan

        return (Vector.of(tuple(map(element, range(len(elements)))), lambda: nan),)

    @impl(phi.GetOp)
    def run_get(self, interpreter: Interpreter, op: phi.GetOp, args: PythonValues) -> PythonValues:
        """The element at the positions, each of which is clipped."""
        return (_element(args),)

    @impl(phi.UpdateOp)
    def run_update(
        self, interpreter: Interpreter, op: phi.UpdateOp, args: PythonValues
    ) -> PythonValues:
        """The array with the value at its positions, if they are in bounds."""
        array, *positions, value = args
        sample = cast(Vector, array).element(len(positions))
        for axis, m, n in differing_sizes(sample, value, axis=len(positions)):
            raise ValueError(f"update: sizes along axis {axis} differ: {m} != {n}")
        return (cast(Vector, array).updated([int(p) for p in positions], value),)

    @impl(phi.UpdateSliceOp)
    def run_update_slice(
        self, interpreter: Interpreter, op: phi.UpdateSliceOp, args: PythonValues
    ) -> PythonValues:
        """The array with the values at their positions; positions out of bounds are an error."""
        array, value = cast(tuple[Vector, Vector], (args[0], args[3]))
        positions = [int(args[1]) + k * int(args[2]) for k in range(len(value))]
        if positions and (int(args[2]) < 1 or not 0 <= positions[0] <= positions[-1] < len(array)):
            raise ValueError(
                f"update_slice: {positions} are not in bounds of {len(array)} elements"
            )
        for axis, m, n in differing_sizes(array.sample, value.sample, axis=1):
            raise ValueError(f"update_slice: sizes along axis {axis} differ: {m} != {n}")
        for position, element in zip(positions, value.elements, strict=True):
            array = array.updated([position], element)
        return (array,)

    @impl(phi.ConcatOp)
    def run_concat(
        self, interpreter: Interpreter, op: phi.ConcatOp, args: PythonValues
    ) -> PythonValues:
        """Elements of the first, then elements of the second; a wrong promised size is an error."""
        lhs, rhs = cast(tuple[Vector, Vector], args[:2])
        if op.size is not None and len(lhs) + len(rhs) != args[2]:
            raise ValueError(f"concat: {len(lhs)} and {len(rhs)} elements are not {args[2]}")
        for axis, m, n in differing_sizes(lhs.sample, rhs.sample, axis=1):
            raise ValueError(f"concat: sizes along axis {axis} differ: {m} != {n}")
        return (Vector.of((*lhs.elements, *rhs.elements), lambda: lhs.sample),)

    @impl(phi.TupleOp)
    def run_tuple(
        self, interpreter: Interpreter, op: phi.TupleOp, args: PythonValues
    ) -> PythonValues:
        """The record of the operands."""
        return (args,)

    @impl(phi.ProjOp)
    def run_proj(
        self, interpreter: Interpreter, op: phi.ProjOp, args: PythonValues
    ) -> PythonValues:
        """The field."""
        return (_field(op)(args),)

    @impl(phi.SizeOp)
    def run_size(
        self, interpreter: Interpreter, op: phi.SizeOp, args: PythonValues
    ) -> PythonValues:
        """The number of elements along the axis."""
        return (np.int64(size(args[0], op.axis.value.data)),)

    @impl(phi.AssertEqOp)
    def run_assert_eq(
        self, interpreter: Interpreter, op: phi.AssertEqOp, args: PythonValues
    ) -> PythonValues:
        """The Int that both operands are equal to; otherwise an error."""
        lhs, rhs = args
        if lhs != rhs:
            raise ValueError(f"{op.message.data}: {lhs} != {rhs}")
        return (lhs,)

    @impl(phi.ExternOp)
    def run_extern(
        self, interpreter: Interpreter, op: phi.ExternOp, args: PythonValues
    ) -> PythonValues:
        """The result of the registered function for the arguments as NumPy arrays."""
        name = op.callee.root_reference.data
        if name not in self.externs:
            known = ", ".join(f"@{extern}" for extern in self.externs) or "none"
            raise ValueError(f"no extern function '@{name}' is registered; there are: {known}")
        result = self.externs[name](*(to_python(arg) for arg in args))
        return (from_python(result, op.result.type, f"result of @{name}"),)

    @impl_terminator(phi.YieldOp)
    def run_yield(
        self, interpreter: Interpreter, op: phi.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        """The value of the body."""
        return ReturnedValues(args), ()


def _element(args: PythonValues) -> Any:
    found, *positions = args
    return _at(found, positions)


def _get(op: Operation) -> Function:
    is_vector = len(op.operands) == 2
    return (lambda args: args[0].at(int(args[1]))) if is_vector else _element


def _field(op: Operation) -> Function:
    assert isinstance(op, phi.ProjOp)
    number = op.field.value.data
    return lambda args: args[0][number]


ELEMENT_RULES: dict[type[Operation], Rule] = {
    phi.GetOp: _get,
    phi.ProjOp: _field,
    phi.TupleOp: lambda op: lambda args: args,
}
"""Operations on elements and their rules, as those of scalar operators."""


class _Accumulated:
    """The state of an accumulator: its elements so far, by position."""

    def __init__(self, accumulator: phi.Accumulator, op: phi.AccumulateOp):
        type_ = op.result.type
        for number in accumulator.path:
            assert isa(type_, TupleType)
            type_ = type_.types.data[number]
        self._path, self.rank = accumulator.path, accumulator.rank
        self._combine, self._initial = combiner(accumulator.kind, phi.scalar_of(type_))
        self.extents: Sequence[int] = ()
        self.row: Value | None = None
        self._found = dict[tuple[int, ...], Value]()

    def part_of(self, value: Value) -> Sequence[Any]:
        """The positions and the value, of a value of the body."""
        for number in self._path:
            value = cast(tuple[Value, ...], value)[number]
        return cast(Sequence[Any], value)

    def add(self, value: Value) -> None:
        """Combine a value of the body into the element at its positions."""
        *positions, row = self.part_of(value)
        self.row = row
        place = tuple(map(int, positions))
        old = self._found.get(place, self._identities(row))
        self._found[place] = combined(self._combine, old, row)

    def result(self) -> Value:
        """The array of the elements; those without values are identities."""
        assert self.row is not None
        identities = self._identities(self.row)

        def build(place: tuple[int, ...]) -> Value:
            if len(place) == self.rank:
                return self._found.get(place, identities)
            elements = [build((*place, i)) for i in range(self.extents[len(place)])]
            return Vector.of(elements, lambda: build((*place, 0)))

        return build(())

    def _identities(self, row: Value) -> Value:
        return filled(row, self._initial)


def _run_body(interpreter: Interpreter, op: phi.BodyOp, args: Sequence[Value]) -> Value:
    return interpreter.run_ssacfg_region(op.regions[0], tuple(args), op.name)[0]


def _varies(op: phi.WhileOp) -> bool:
    """Whether the condition of a loop varies with an index."""
    *_, function = (each for each in around(op) if not isinstance(each, ModuleOp))
    return bool(FreeIndices(function).of(op.result, 0))


def _at(value: Value, positions: Sequence[Any]) -> Any:
    """The element at positions, given from the outermost axis on."""
    found: Any = value
    for position in positions:
        found = found.at(int(position))
    return found


def _check_size(what: str, n: int) -> None:
    if (reason := no_size(n)) is not None:
        raise ValueError(f"{what} {reason}")


def _name(variable: SSAValue) -> str:
    return index_name(variable).removeprefix("%")
