"""The state of the translation to loops: the values of phi as scalars and arrays in buffers."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Generator, Iterable, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import index_name, no_rule
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.carried_bounds import with_carried_bounds
from ein_mlir.analysis.phi.free_indices import fields_at, leaf_paths, leaf_types
from ein_mlir.analysis.phi.last_uses import is_last_use
from ein_mlir.analysis.phi.position_bounds import (
    PositionBounds,
    entry_assertions,
    entry_sizes,
    position_bounds,
)
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.analysis.phi.speculation import Sized, may_fail
from ein_mlir.analysis.scopes import around, is_within, operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.passes.conversions.convert_phi_to_loops.checks import (
    checked_sizes,
    hoisted_checks,
    places,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.deferral import array_of, deferred_arrays
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX, Emission
from ein_mlir.passes.conversions.convert_phi_to_loops.overwriting import source_of
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Array, Leaf, Value, paths

OperationT = TypeVar("OperationT", bound=Operation)
Rule: TypeAlias = Callable[["Conversion", OperationT], None]
Destination: TypeAlias = Callable[[], Array]
"""The array that a value is to be written into; calling it claims the memory."""
Destinations: TypeAlias = "dict[int, Destination]"
"""Number of a leaf of a value -> its destination."""


class Conversion(Emission):
    """Translates one function: maps values of phi to scalars and arrays in buffers."""

    def __init__(
        self,
        function: func.FuncOp,
        rules: dict[type[Operation], Rule[Any]],
        analyses: AnalysisManager,
    ):
        super().__init__()
        self.note = analyses.note
        self.sizes = analyses.get(entry_sizes, function)
        forms = analyses.get(position_bounds, function).forms
        self.bounds = PositionBounds(with_carried_bounds(function, forms))
        self.function = function
        self._rules = rules
        self._values: MutableMapping[SSAValue, Value] = {}
        self._destinations: dict[SSAValue, Destinations] = {}
        self._loans: dict[tuple[SSAValue, int], Destination] = {}
        self.is_speculative = False
        """Whether operations are translated outside of the loops that they are in."""
        self._done = set[Operation]()
        self.skipped = set[Operation]()
        """Operations whose values are known in the loop that is being translated."""
        self.small = set[SSAValue]()
        """Ints that are below a size there."""
        self.hoisted = hoisted_checks(function)
        self._places = places(self.hoisted)
        self.ordered = _ordered(function, self._places)
        self._deferrable = deferred_arrays(function)
        self._deferred = dict[phi.ArrayOp, Sequence[SSAValue]]()

    # Values

    def bind(self, value: SSAValue, meaning: Sequence[Leaf]) -> None:
        """Record the translation of a value of phi."""
        for leaf in meaning:
            name = leaf.buffer.memref if isinstance(leaf, Array) else leaf
            if name.name_hint is None and len(meaning) == 1:
                name.name_hint = value.name_hint
        self._values[value] = tuple(meaning)

    def leaves(self, value: SSAValue) -> Value:
        """The translation of a value of phi."""
        return self._values[value]

    def is_known(self, value: SSAValue) -> bool:
        """Whether a value of phi has been translated."""
        return value in self._values

    def scalar(self, value: SSAValue) -> SSAValue:
        """The translation of a scalar."""
        (leaf,) = self._values[value]
        assert isinstance(leaf, SSAValue)
        return leaf

    def array(self, value: SSAValue) -> Array:
        """The translation of a vector of scalars."""
        (leaf,) = self._values[value]
        assert isinstance(leaf, Array)
        return leaf

    def position(self, value: SSAValue) -> SSAValue:
        """A position or size as an index."""
        scalar = self.scalar(value)
        if scalar.type not in (i64, INDEX):
            scalar = self.value_of(arith.ExtSIOp(scalar, i64))
        return self.cast(scalar, INDEX)

    # Traversal

    def assertions(self) -> None:
        """Translate the assertions about the arguments, which facts about sizes rely on."""
        for op in entry_assertions(self.function):
            self._demand(op.result)
            self._done.add(op)

    def block(self, block: Block) -> None:
        """Translate the operations of a block, except its terminator.

        A block may be translated again, for other loops: then its values have other destinations.
        """
        self.operations(op for op in block.ops if op is not block.last_op)
        for op in block.ops:
            for result in op.results:
                self._destinations.pop(result, None)

    def operations(self, ops: Iterable[Operation]) -> None:
        """Translate operations in order."""
        for op in ops:
            if op not in self._done and op not in self.skipped:
                self.operation(op)

    def omit(self, op: Operation) -> None:
        """Leave out an operation whose results another one binds."""
        self._done.add(op)

    def operation(self, op: Operation) -> None:
        """Translate one operation by the rule for its class."""
        rule = self._rules.get(type(op))
        if rule is None:
            raise PassFailedException(no_rule("convert-phi-to-loops", op))
        rule(self, op)

    def comprehend(
        self, op: Operation, sizes: Sequence[SSAValue], body: Callable[[Sequence[SSAValue]], None]
    ) -> None:
        """A loop over the indices of a comprehension: parallel, unless its body has effects."""
        (self.nest if op in self.ordered else self.parallel)(sizes, body)

    # Destinations

    def direct(self, value: SSAValue, block: Block, destinations: Destinations) -> None:
        """Let the operations of a block write a value where it belongs.

        A record passes the destinations of its fields on.
        """
        pending = [(value, destinations)]
        while pending:
            value, destinations = pending.pop()
            op = value.owner
            if not isinstance(op, Operation) or op.parent is not block or not destinations:
                continue
            if isinstance(op, phi.TupleOp):
                pending.extend(_of_fields(op, destinations))
            elif isinstance(op, phi.ProjOp):
                pending.append((op.record, _of_record(op, destinations)))
            elif isinstance(op, phi.ArrayOp):
                known = self._destinations.get(value, {})
                self._destinations[value] = destinations | known
                for leaf in destinations.keys() - known.keys():
                    if (source := self.source_of(op, leaf)) is not None:
                        pending.append((source, {0: destinations[leaf]}))
            elif value not in self._destinations:
                self._destinations[value] = destinations
                if isinstance(op, phi.UpdateOp):
                    passed = {n: d for n, d in destinations.items() if is_last_use(op.array, n, op)}
                    pending.append((op.array, passed))

    def source_of(self, op: phi.ArrayOp, leaf: int) -> SSAValue | None:
        """The array that a leaf of a comprehension may overwrite, apart from accumulators.

        It has the same sizes.
        """
        source = None if self.is_speculative else source_of(op, leaf)
        if source is None or self.is_deferred(source):
            return None
        path = leaf_paths(op.result.type)[leaf]
        is_same = all(
            self.sizes.same(Term(op.result, path, axis), Term(source, (), axis), op)
            for axis in range(phi.rank_of(source.type))
        )
        return source if is_same else None

    def destination(self, value: SSAValue, leaf: int) -> Array | None:
        """The array that a leaf of a value is to be written into, if there is one."""
        destination = self._destinations.get(value, {}).get(leaf)
        return destination() if destination is not None else None

    def target(
        self, value: SSAValue, leaf: int, element: Attribute, sizes: Sequence[SSAValue]
    ) -> Array:
        """The destination of a leaf of a value, or a fresh array."""
        return self.destination(value, leaf) or self.allocate(element, sizes)

    def lend(self, result: SSAValue, leaf: int, loan: Destination) -> None:
        """Let a loop take an array over, in whose memory it may begin a leaf of its result."""
        self._loans[result, leaf] = loan

    def loan(self, result: SSAValue, leaf: int) -> Array | None:
        """The array that a loop may take over for a leaf of its result, if there is one."""
        loan = None if self.is_speculative else self._loans.pop((result, leaf), None)
        return loan() if loan is not None else None

    def put(self, leaf: Leaf, target: Array) -> None:
        """Write a leaf of a value into an array, unless it is there already."""
        if isinstance(leaf, SSAValue):
            self.store(leaf, target)
        elif not leaf.is_same(target):
            self.copy(leaf, target)

    # Sizes

    def loop_size(self, size: SSAValue, what: str) -> SSAValue:
        """A size or count as an index, asserted to be one unless that is proven."""
        number = self.scalar(size)
        self.check_size(number, range_of(size), what)
        return self.cast(number, INDEX)

    def loop_sizes(self, op: Sized) -> list[SSAValue]:
        """The sizes or the count of an operation, checked here or before."""
        checked = checked_sizes(op) if op in self._places else ()
        return [
            self.position(size) if size in checked else self.loop_size(size, what)
            for size, what in _sizes_of(op)
        ]

    # Deferred arrays

    def defer(self, op: phi.ArrayOp, sizes: Sequence[SSAValue]) -> bool:
        """Leave the elements of a comprehension to its user, if that computes them."""
        if self.is_speculative or op not in self._deferrable:
            return False
        self._deferred[op] = sizes
        self._values.pop(op.result, None)
        return True

    def is_deferred(self, value: SSAValue) -> bool:
        """Whether an array, or the records that it is a field of, is not stored."""
        return array_of(value) in self._deferrable and value not in self._values

    def sizes_of(self, value: SSAValue) -> Sequence[SSAValue]:
        """The sizes of an array: all, or those of its indices if it is not stored."""
        op = array_of(value)
        if op is not None and self.is_deferred(value):
            return self._deferred[op]
        stored = self._values[value][0]
        assert isinstance(stored, Array)
        return stored.sizes

    def elements(
        self, values: Sequence[SSAValue], at: Sequence[SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        """The elements of arrays at positions: the body of a deferred one is translated once."""
        stored = [value for value in values if not self.is_deferred(value)]
        found = {value: self.load(self.array(value).at(at)) for value in stored}
        for op in dict.fromkeys(array_of(value) for value in values if value not in found):
            assert op is not None
            for index, position in zip(op.indices, at, strict=True):
                self.bind(index, [position])
            self.block(op.body.block)
            for value in values:
                if array_of(value) is op:
                    field = (
                        value.owner.field.value.data if isinstance(value.owner, phi.ProjOp) else 0
                    )
                    leaf = self._values[op.yielded()][field]
                    assert isinstance(leaf, SSAValue)
                    found[value] = leaf
        return found

    def check_before(self, op: phi.ComprehensionOp) -> None:
        """Make the checks in the body of a comprehension that depend on no index."""
        for each in self.hoisted.get(op, ()):
            zero = self.number(0, i64)
            self._exemptions = [
                self.compare(self.scalar(count), zero, "sle") for count in each.counts
            ]
            if isinstance(each.op, phi.AssertEqOp):
                self.operation(each.op)
                self._done.add(each.op)
            else:
                checked = checked_sizes(each.op)
                for size, what in _sizes_of(each.op):
                    if size in checked:
                        self.loop_size(size, what)
            self._exemptions = []

    def size_of(self, value: SSAValue, leaf: int, axis: int) -> SSAValue:
        """The size of an array of a body that is not translated yet, computed before it.

        It depends on no index, so it is that of the value at index 0.
        """
        while True:
            if value in self._values:
                array = self._values[value][leaf]
                assert isinstance(array, Array)
                return array.sizes[axis]
            term = self._size_term(value, leaf, axis)
            if isinstance(scan := value.owner, phi.ScanOp):
                elements = self.size_of(scan.vec, leaf, axis)
                return self.value_of(arith.AddiOp(elements, self.index(1)))
            if term is None:
                self._demand(value)
                continue
            if term.axis is None:
                self._demand(term.value)
                return self.position(term.value)
            value, axis = term.value, term.axis
            leaf = fields_at(value.type, term.path)[0]

    def _size_term(self, value: SSAValue, leaf: int, axis: int) -> Term | None:
        """A term equal to a size, by the operation that defines the value."""
        path = list(paths(value.type))[leaf]
        if leaf != fields_at(value.type, path)[0]:
            return None
        op = value.owner
        if isinstance(op, phi.LoopOp):
            start = Term(op.start, path, axis)
            return start if self.sizes.same(Term(value, path, axis), start) else None
        if isinstance(op, phi.PhiOp):
            return op.size_of_result(path, axis)
        return Term(op.lhs, path, axis) if isinstance(op, arith.SelectOp) else None

    def _demand(self, value: SSAValue) -> None:
        """Translate a value of bodies that are not translated yet, at index 0 of each."""
        if value in self._values:
            return
        with self._speculating():
            pending = [value]
            while pending:
                current = pending[-1]
                needed = [v for v in _needed(current) if v not in self._values]
                pending.extend(needed)
                if not needed:
                    pending.pop()
                    self._translate(current)
            found = self._values[value]
        self._values[value] = found

    def _translate(self, value: SSAValue) -> None:
        if value in self._values:
            return
        if isinstance(value, BlockArgument):
            self._values[value] = (self.index(0),)
        else:
            assert isinstance(value.owner, Operation)
            self.operation(value.owner)

    @contextmanager
    def _speculating(self) -> Generator[None]:
        """Translate operations outside of the loops that they are in: no position is in bounds."""
        saved = self._values, self._destinations, self.is_speculative
        self._values, self._destinations = ChainMap[SSAValue, Value]({}, self._values), {}
        self.is_speculative = True
        try:
            yield
        finally:
            self._values, self._destinations, self.is_speculative = saved

    # Positions

    def without_clips(
        self, position: SSAValue, array: SSAValue, axis: int, at: Operation
    ) -> SSAValue:
        """A position without clips that those of its axis repeat."""
        if self.is_speculative:
            return position
        return self.bounds.without_clips(position, array, axis, at)

    def is_above(self, position: SSAValue, at: Operation | None = None) -> bool:
        """Whether a position is provably non-negative, where an operation runs."""
        bounds = self.bounds if at is None else self.bounds.in_step(at)
        return not self.is_speculative and bounds.is_above(position)

    def is_below(self, position: SSAValue, array: SSAValue, axis: int, at: Operation) -> bool:
        """Whether a position is provably less than the size of an axis that is not empty."""
        bounds = self.bounds.in_step(at)
        return not self.is_speculative and bounds.is_below(position, array, axis, at)

    def is_less(self, position: SSAValue, size: SSAValue) -> bool:
        """Whether a position is provably less than an Int that is a size."""
        return not self.is_speculative and self.bounds.is_less(position, size)

    def is_nonempty(self, array: SSAValue, axis: int, at: Operation) -> bool:
        """Whether an axis is provably not empty where an operation runs."""
        return not self.is_speculative and self.bounds.is_nonempty(array, axis, at)


def _ordered(function: func.FuncOp, places: Mapping[Operation, Operation]) -> set[Operation]:
    """The operations whose bodies may fail or call the host program.

    ``places`` has the operations whose checks are made before other ones.
    """
    found = set[Operation]()
    for op in operations_in(function):
        if isinstance(op, phi.ExternOp) or may_fail(op):
            found.update(around(places.get(op, op).parent_op()))
    return found


def _sizes_of(op: Sized) -> Iterable[tuple[SSAValue, str]]:
    """The sizes or the count of an operation, each with its name in a message."""
    match op:
        case phi.FoldOp():
            return [(op.count, _size_of(op.counter))]
        case phi.TopKOp():
            return [(op.count, _size_of(op.result))]
        case phi.AccumulateOp():
            names = map(_size_of, op.indices)
            others = [f"size {number} of the accumulation" for number in range(len(op.extents))]
            return zip(op.operands, [*names, *others], strict=True)
        case phi.ArrayOp():
            return zip(op.sizes, map(_size_of, op.indices), strict=True)


def _size_of(variable: SSAValue) -> str:
    return f"size of index {name_of(variable)}"


def name_of(variable: SSAValue) -> str:
    """The name of an index or counter in a message."""
    return index_name(variable).removeprefix("%")


def _of_fields(
    op: phi.TupleOp, destinations: Destinations
) -> Iterable[tuple[SSAValue, Destinations]]:
    """The fields of a record with their shares of its destinations."""
    first = 0
    for value in op.fields:
        numbers = range(first, first + len(leaf_types(value.type)))
        yield value, {k: destinations[n] for k, n in enumerate(numbers) if n in destinations}
        first = numbers.stop


def _of_record(op: phi.ProjOp, destinations: Destinations) -> Destinations:
    """The destinations of a field, as those of its record."""
    fields = fields_at(op.record.type, (op.field.value.data,))
    return {fields[n]: destination for n, destination in destinations.items()}


def _needed(value: SSAValue) -> list[SSAValue]:
    """The values that the operation of a value needs, in its body too."""
    op = value.owner
    if not isinstance(op, Operation):
        return []
    return [v for v in operands_within(op) if not is_within(v, op)]
