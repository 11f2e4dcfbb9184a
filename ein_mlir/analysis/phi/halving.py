"""Loops that search by halves for the place of a value among keys in order.

Such a loop carries two Ints, the ends of an interval. A step compares the key in the middle with
the value, and goes on behind the middle or before it, as long as the interval is not empty::

    middle = (low + high) // 2
    low, high = where(key(middle) < value, (middle + 1, high), (low, middle))

Carried may also be the last position of the interval, or the one before it. Which keys are before
the value follows from the truth of a step's comparisons for each relation of a key and a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.predicates import predicate_of, relation_of
from ein_mlir.analysis.scopes import dependents, needed_within, slice_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

_RELATIONS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_HOLDS = {
    **{name: _RELATIONS[name] for name in ("eq", "ne")},
    **{f"s{name}": _RELATIONS[name] for name in ("lt", "le", "gt", "ge")},
}
_HOLDS_OF_FLOATS = {
    **{f"o{name}": relations for name, relations in _RELATIONS.items()},
    **{f"u{name}": f"{relations}?" for name, relations in _RELATIONS.items()},
    "ord": "<=>",
    "uno": "?",
}
"""The relations of two numbers for which each predicate holds; ``?`` is that of NaN."""

_SWAPPED_RELATION = {"<": ">", ">": "<", "=": "=", "?": "?"}


@dataclass(frozen=True)
class _Case:
    """A relation of a key and a value."""

    relation: str
    is_key_nan: bool = False
    is_value_nan: bool = False


_LESS, _EQUAL, _GREATER = map(_Case, "<=>")
_VALUE_NAN, _KEY_NAN = _Case("?", is_value_nan=True), _Case("?", is_key_nan=True)
_BOTH_NAN = _Case("?", is_key_nan=True, is_value_nan=True)


@dataclass(frozen=True)
class Halving:
    """A search by halves for the number of keys that are before a value."""

    op: phi.FoldOp | phi.WhileOp
    key: SSAValue
    middle: SSAValue
    """The position that the key varies with."""
    value: SSAValue
    size: SSAValue
    """The number of keys."""
    ends: Mapping[int, int]
    """For each end of the interval that is carried, its distance from the place at the end."""
    is_right: bool
    """Whether equal keys are before the value."""
    is_nan_last: bool
    """Whether all keys are before NaN; else none is."""
    takes_nan: bool
    """Whether keys that are NaN are after all others, and equal for comparisons."""


def halving(op: phi.FoldOp | phi.WhileOp, forms: IndexForms) -> Halving | None:
    """The search by halves that a loop is, if it is one."""
    return _Matcher(op, forms).found()


class _Matcher:
    """The parts of a loop that may be a search."""

    def __init__(self, op: phi.FoldOp | phi.WhileOp, forms: IndexForms):
        self.op, self.forms = op, forms
        self._block = op.body.block
        self._state = self._block.args[1]
        self._is_while = isinstance(op, phi.WhileOp)
        self._carried = dependents(self._block, self._state)
        reads = (op.result for op in self._block.ops if isinstance(op, phi.ProjOp))
        self._fields = {field_of(read, self._state): read for read in reads}

    def found(self) -> Halving | None:
        """The search, with the lower end in the first or the second carried Int."""
        expected = [i1, i64, i64] if self._is_while else [i64, i64]
        if list(leaf_types(self._state.type)) != expected or self._block.args[0].uses:
            return None
        low = int(self._is_while)
        if not {low, low + 1} <= self._fields.keys():
            return None
        for middle, key, value in self._compared():
            for ends in ((low, low + 1), (low + 1, low)):
                if (found := self._search(ends, middle, key, value)) is not None:
                    return found
        return None

    def _compared(self) -> Iterator[tuple[SSAValue, SSAValue, SSAValue]]:
        """The middle, the key and the value of comparisons in a step."""
        for op in self._block.ops:
            if not isinstance(op, arith.CmpfOp | arith.CmpiOp):
                continue
            for key, value in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                middle = self._middle(key)
                if middle is not None and value not in self._carried:
                    yield middle, key, value

    def _middle(self, key: SSAValue) -> SSAValue | None:
        """The position that a key reads, if the key varies with the state through it alone."""
        if key not in self._carried:
            return None
        needed = slice_within(self.op, [key])
        for op in needed:
            if isinstance(op, phi.GetOp):
                for middle in op.positions:
                    if middle in self._carried and self._depends_only_on(middle, needed):
                        return middle
        return None

    def _depends_only_on(self, middle: SSAValue, needed: Sequence[Operation]) -> bool:
        before = needed_within(self.op, [middle])
        others = [op for op in needed if op not in before]
        inputs = {x for op in others for x in op.operands if x in self._carried}
        own = {result for op in others for result in op.results}
        return not any(op.regions for op in others) and inputs <= own | {middle}

    # The interval

    def _search(
        self, ends: tuple[int, int], middle: SSAValue, key: SSAValue, value: SSAValue
    ) -> Halving | None:
        """The search with the fields of the lower and the upper end, if these are so."""
        step = _Step(self, middle, key, value)
        after, before = (step.ends(ends, case) for case in (_LESS, _GREATER))
        if after is None or before is None:
            return None
        low, high = (self.field(each) for each in ends)
        place = self.forms.form(middle)
        forward, back = (after[0] - place).known(), (before[1] - place).known()
        if forward is None or back is None or after[1] != high or before[0] != low:
            return None
        from_low, from_high = 1 - forward, -back
        if not self._is_in_the_middle(middle, low + from_low, high + from_high):
            return None
        size = self._size(ends, from_low, from_high)
        if size is None or not self._goes_on(step, ends, from_high - from_low):
            return None
        cases = {case: step.ends(ends, case) == after for case in (_EQUAL, _VALUE_NAN)}
        if any(step.ends(ends, case) not in (after, before) for case in cases):
            return None
        is_right, is_nan_last = cases.values()
        expected = (before, after if is_right and is_nan_last else before)
        takes_nan = tuple(step.ends(ends, case) for case in (_KEY_NAN, _BOTH_NAN)) == expected
        distances = {ends[0]: from_low, ends[1]: from_high}
        return Halving(
            self.op, key, middle, value, size, distances, is_right, is_nan_last, takes_nan
        )

    def field(self, number: int) -> LinearForm:
        """The form of a carried Int, which has one projection."""
        return self.forms.form(self._fields[number])

    def _is_in_the_middle(self, middle: SSAValue, low: LinearForm, high: LinearForm) -> bool:
        """Whether the middle is ``(low + high) // 2``, or ``(low + high - 1) // 2``.

        It is in the interval if that is not empty, and in each half are at most half of the others.
        """
        form = self.forms.form(middle)
        for atom, factor in form.coefficients.items():
            op = atom.owner
            is_half = isinstance(op, arith.FloorDivSIOp) and known_int(op.rhs) == 2
            if isinstance(op, arith.ShRSIOp):
                is_half = known_int(op.rhs) == 1
            if factor == 1 and is_half:
                assert isinstance(op, arith.FloorDivSIOp | arith.ShRSIOp)
                twice = self.forms.form(op.lhs) + form.without([atom]) * 2
                return (twice - low - high).known() in (-1, 0)
        return False

    def _size(self, ends: tuple[int, int], from_low: int, from_high: int) -> SSAValue | None:
        """The end of the first interval, if that begins at 0 and ends at a size."""
        first = leaf_values(self.op.init)
        if len(first) <= max(ends):
            return None
        start, end = (self.forms.form(first[number]) for number in ends)
        if (start + from_low).known() != 0:
            return None
        size = end + from_high
        atoms = list(size.coefficients)
        if len(atoms) != 1 or size != LinearForm.of(atoms[0]):
            return None
        return atoms[0] if self.forms.is_nonnegative(size) else None

    def _goes_on(self, step: _Step, ends: tuple[int, int], distance: int) -> bool:
        """Whether steps run, or have an effect, just as long as the interval is not empty."""
        if self._is_while:
            first, last = leaf_values(self.op.init), leaf_values(self.op.yielded())
            return all(
                self._is_nonempty(leaves[0], (leaves[ends[0]], leaves[ends[1]]), distance)
                for leaves in (first, last)
            )
        low, high = (self.field(each) for each in ends)
        is_guarded = step.guards == {high - low + distance}
        return is_guarded and step.ends(ends, _LESS, is_on=False) == (low, high)

    def _is_nonempty(
        self, condition: SSAValue, ends: tuple[SSAValue, SSAValue], distance: int
    ) -> bool:
        """Whether a condition is ``low < high + distance``."""
        length = self.forms.form(ends[1]) - self.forms.form(ends[0])
        return self.length_tested(condition, length) == (length + distance, True)

    def length_tested(
        self, condition: SSAValue, length: LinearForm
    ) -> tuple[LinearForm, bool] | None:
        """The form that is positive just where a condition is true, or false: the length, and a
        number.

        As the ends of an interval never cross, it is also positive if it is not 0.
        """
        relation = relation_of(condition)
        for reading in () if relation is None else relation.readings:
            form = self.forms.form(reading.rhs) - self.forms.form(reading.lhs)
            if (form - length).known() is None:
                continue
            match reading.predicate:
                case "slt" | "ne":
                    return form, True
                case "sle":
                    return form + 1, True
                case "sge" | "eq":
                    return form, False
                case "sgt":
                    return form + 1, False
                case _:
                    continue
        return None


class _Step:
    """The effect of a step for a relation of its key and the value."""

    def __init__(self, of: _Matcher, middle: SSAValue, key: SSAValue, value: SSAValue):
        self._of, self._middle, self._key, self._value = of, middle, key, value
        self._yielded = leaf_values(of.op.yielded())
        self._length: LinearForm | None = None
        self._known = dict[SSAValue, bool | None]()
        self.guards = set[LinearForm]()
        """The forms that are positive where conditions of the interval hold."""

    def ends(
        self, ends: tuple[int, int], case: _Case, *, is_on: bool = True
    ) -> tuple[LinearForm, LinearForm] | None:
        """The next ends, if they are known; of an empty interval if not ``is_on``."""
        if len(self._yielded) <= max(ends):
            return None
        self._length = self._of.field(ends[1]) - self._of.field(ends[0])
        self._known.clear()
        taken = [self._taken(self._yielded[number], case, is_on) for number in ends]
        if taken[0] is None or taken[1] is None:
            return None
        return self._of.forms.form(taken[0]), self._of.forms.form(taken[1])

    def _taken(self, value: SSAValue, case: _Case, is_on: bool) -> SSAValue | None:
        """The branch of a choice that is taken."""
        while isinstance(value.owner, arith.SelectOp):
            holds = self._holds(value.owner.cond, case, is_on)
            if holds is None:
                return None
            value = value.owner.lhs if holds else value.owner.rhs
        return value

    def _holds(self, condition: SSAValue, case: _Case, is_on: bool) -> bool | None:
        """The truth of a condition, if it is known; conditions share parts."""
        if condition not in self._known:
            self._known[condition] = self._decided(condition, case, is_on)
        return self._known[condition]

    def _decided(self, condition: SSAValue, case: _Case, is_on: bool) -> bool | None:
        literal = known_int(condition)
        if literal is not None:
            return bool(literal)
        match condition.owner:
            case arith.AndIOp() as op:
                sides = [self._holds(side, case, is_on) for side in op.operands]
                return False if False in sides else None if None in sides else True
            case arith.OrIOp() as op:
                sides = [self._holds(side, case, is_on) for side in op.operands]
                return True if True in sides else None if None in sides else False
            case arith.XOrIOp() as op:
                first, second = (self._holds(side, case, is_on) for side in op.operands)
                return None if first is None or second is None else first != second
            case arith.CmpiOp() | arith.CmpfOp() as op:
                return self._compares(op, case, is_on)
            case _:
                return None

    def _compares(self, op: arith.CmpiOp | arith.CmpfOp, case: _Case, is_on: bool) -> bool | None:
        """The truth of a comparison of the key and the value, or of the ends."""
        sides = [self._side(side) for side in op.operands]
        if None not in sides:
            table = _HOLDS if isinstance(op, arith.CmpiOp) else _HOLDS_OF_FLOATS
            relations = table.get(predicate_of(op))
            return None if relations is None else _relation(sides, case) in relations
        return self._guard(op.result, is_on)

    def _side(self, value: SSAValue) -> bool | None:
        """Whether a value is the key; None if it is neither that nor the value."""
        if computes_same(value, self._key):
            return True
        return False if computes_same(value, self._value) else None

    def _guard(self, condition: SSAValue, is_on: bool) -> bool | None:
        """The truth of a condition of the interval."""
        assert self._length is not None
        found = self._of.length_tested(condition, self._length)
        if found is None:
            return None
        self.guards.add(found[0])
        return is_on == found[1]


def _relation(sides: Sequence[bool | None], case: _Case) -> str:
    """The relation of two sides, each the key or the value."""
    match sides:
        case [True, False]:
            return case.relation
        case [False, True]:
            return _SWAPPED_RELATION[case.relation]
        case [True, _]:
            return "?" if case.is_key_nan else "="
        case _:
            return "?" if case.is_value_nan else "="
