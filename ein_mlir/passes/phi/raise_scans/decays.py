"""Factors of terms that have one factor more for each step between the term's own and a bound.

Powers ``x ** (c * d)`` and ``exp(c * d)`` of the distance d of both, or of the difference of their
elements, products of elements between them, and powers and exponentials of sums of these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Protocol

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import i64
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test, is_neutral, step_of
from ein_mlir.analysis.phi.shifts import Shifts
from ein_mlir.analysis.scopes import blocks_around, captured, dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.selection import bound_of
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import Known, StepBuilder, StepValues

MOST_FACTORS = 4
"""The most factors of the step next to the bound, which are multiplied one by one."""


@dataclass(frozen=True)
class Factors:
    """The factors of a value in the steps of a fold, each built in front of the steps."""

    base: Callable[[Builder], StepBuilder]
    """The factor that the values of all other steps have more, in that next to the bound."""
    scale: Callable[[Builder], StepBuilder]
    """The value in the step next to the bound."""
    varies: bool
    """Whether the base varies with the step."""
    beyond: Callable[[Builder, int], SSAValue] | None = None
    """A value that is finite if those in all steps beyond the bound are, which may be some steps
    out of range; None if they are 1."""


class Decay(Protocol):
    """A factor of the terms of a fold."""

    @property
    def value(self) -> SSAValue: ...

    @property
    def fixed(self) -> Collection[SSAValue]:
        """The values that it is computed from and that may not vary with the bound."""
        ...

    def factors(self, place: LinearForm, suffix: bool, forms: IndexForms) -> Factors | None:
        """Its factors if it has those of the steps up to a place, or from a place on."""
        ...


def made_of(value: SSAValue) -> SSAValue:
    """The field of a record of known fields that a value is; the value itself if it is none."""
    while isinstance(op := value.owner, phi.ProjOp) and isinstance(
        record := made_of(op.record).owner, phi.TupleOp
    ):
        value = record.fields[op.field.value.data]
    return value


@dataclass(frozen=True)
class Product:
    """An operation over which that of a fold distributes, and its inverse."""

    operation: type[Operation]
    inverse: type[Operation]
    one: float

    def factors(
        self, value: SSAValue, *, is_divisor: bool = False
    ) -> Iterator[tuple[SSAValue, bool]]:
        """The factors of nested products and quotients, and whether each divides."""
        match made_of(value).owner:
            case (
                arith.MulfOp()
                | arith.DivfOp()
                | arith.AddfOp()
                | arith.SubfOp()
                | arith.MuliOp() as op
            ) if isinstance(op, self.operation | self.inverse):
                divides = isinstance(op, self.inverse)
                yield from self.factors(op.lhs, is_divisor=is_divisor)
                yield from self.factors(op.rhs, is_divisor=is_divisor ^ divides)
            case arith.NegfOp() as op:
                is_inverse = self.inverse is arith.SubfOp
                yield from self.factors(op.operand, is_divisor=is_divisor ^ is_inverse)
            case _:
                yield value, is_divisor

    def of(self, build: Builder, lhs: SSAValue | None, rhs: SSAValue, *, divides: bool) -> SSAValue:
        """The product of two values, or their quotient; of 1 and the other one if there is none."""
        if lhs is None and not divides:
            return rhs
        lhs = build.number(self.one, rhs.type) if lhs is None else lhs
        kind = self.inverse if divides else self.operation
        return build.emit(kind.create(operands=[lhs, rhs], result_types=[rhs.type]))


_PRODUCT, _SUM = Product(arith.MulfOp, arith.DivfOp, 1.0), Product(arith.AddfOp, arith.SubfOp, 0.0)

OF_INTS = Product(arith.MuliOp, arith.DivSIOp, 1)
"""The product over which sums of Ints distribute, modulo their range."""

_PRODUCTS: Mapping[type[Operation], Product] = {
    arith.AddfOp: _PRODUCT,
    arith.MaximumfOp: _SUM,
    arith.MinimumfOp: _SUM,
}


def product_of(combine: Operation) -> Product | None:
    """The operation over which sums of floats distribute, or their extremes."""
    return _PRODUCTS.get(type(combine))


def decay_of(
    op: phi.FoldOp,
    value: SSAValue,
    product: Product,
    steps: Collection[SSAValue],
    forms: IndexForms,
) -> Decay | None:
    """The decay that a value is, one of those that vary with the steps of a fold."""
    part = made_of(value).owner
    if isinstance(part, phi.FoldOp):
        return _running_product(op, value, value, part, product, [], forms)
    if product is not _PRODUCT:
        return None
    match part:
        case math.FPowIOp() if part.lhs not in steps and part.rhs in steps:
            return Power(op, value, part.rhs, [part.lhs])
        case math.PowFOp() if part.lhs not in steps:
            return _exponential(op, value, part.rhs, [part.lhs], steps, forms)
        case math.ExpOp():
            return _exponential(op, value, part.operand, [], steps, forms)
        case _:
            return None


def _exponential(
    op: phi.FoldOp,
    value: SSAValue,
    exponent: SSAValue,
    base: Sequence[SSAValue],
    steps: Collection[SSAValue],
    forms: IndexForms,
) -> Decay | None:
    """The decay by an exponent that is a distance or a sum, up to factors fixed as the base is."""
    fixed = [*base]
    while not isinstance(
        part := made_of(exponent).owner, arith.SIToFPOp | phi.FoldOp | arith.SubfOp
    ):
        match part:
            case arith.NegfOp():
                exponent = part.operand
            case arith.MulfOp() if part.lhs not in steps:
                exponent = part.rhs
                fixed.append(part.lhs)
            case arith.MulfOp() | arith.DivfOp() if part.rhs not in steps:
                exponent = part.lhs
                fixed.append(part.rhs)
            case _:
                return None
    if isinstance(part, phi.FoldOp):
        return _running_product(op, value, exponent, part, _SUM, fixed, forms)
    if isinstance(part, arith.SubfOp):
        return _difference(op, value, part, fixed, steps)
    return Power(op, value, exponent, fixed)


# Powers -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Power:
    """``x ** (c * d)``, or ``exp(c * d)``, of a distance d that varies with the steps of a fold."""

    op: phi.FoldOp
    value: SSAValue
    distance: SSAValue
    """The distance, an Int or the float that it is."""
    fixed: Collection[SSAValue]

    def factors(self, place: LinearForm, suffix: bool, forms: IndexForms) -> Factors | None:
        """The powers of 1 and of the least distance, which are computed before the fold."""
        cast, counter = self.distance.owner, self.op.counter
        integer = cast.input if isinstance(cast, arith.SIToFPOp) else self.distance
        distance, factor = forms.integer(integer), 1 if suffix else -1
        nearest = place if suffix else place - 1
        least = forms.canonical(distance.substituted(counter, nearest)).known()
        if distance.coefficients.get(counter) != factor or least is None:
            return None

        def beyond(build: Builder, outside: int) -> SSAValue:
            return self._at(build, build.sub(least - outside, self.op.count))

        return Factors(self._of(1), self._of(least), varies=False, beyond=beyond)

    def _of(self, distance: int) -> Callable[[Builder], StepBuilder]:
        def before(build: Builder) -> StepBuilder:
            power = self._at(build, build.integer(distance))
            return lambda _, __: power

        return before

    def _at(self, build: Builder, distance: SSAValue) -> SSAValue:
        known = {self.distance: build.number_as(distance, self.distance.type)}
        return build.copied(self.op.body.block, [self.value], known)[0]


# Differences of two elements --------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """``exp(c * (a[p] - a[k]))`` in steps k: the product of those of neighbours between both."""

    op: phi.FoldOp
    value: SSAValue
    difference: arith.SubfOp
    own: phi.GetOp
    other: phi.GetOp
    fixed: Collection[SSAValue]

    def factors(self, place: LinearForm, suffix: bool, forms: IndexForms) -> Factors | None:
        """The factors at each step, if the positions are at distances from the step and the bound.

        Positions that clip are those of the same elements in either order.
        """
        counter = LinearForm.of(self.op.counter)
        near, far = (
            forms.canonical(forms.integer(get.positions[0]) - origin).known()
            for get, origin in ((self.other, place), (self.own, counter))
        )
        if near is None or far is None:
            return None
        after, before = (near, near + 1) if suffix else (near + 1, near)
        base, scale = (self._at(after, each) for each in (before, far))
        return Factors(lambda _: base, lambda _: scale, varies=True)

    def _at(self, other: int, own: int) -> StepBuilder:
        """The value for two elements at distances from a step."""

        def at(build: Builder, place: SSAValue) -> SSAValue:
            def element(distance: int) -> SSAValue:
                return build.get(self.own.array, [build.add(place, distance)])

            known: Known = {self.own.result: element(own), self.other.result: element(other)}
            difference = build.sub(*(known[each] for each in self.difference.operands))
            known = {self.op.counter: place, self.difference.result: difference}
            return build.copied(self.op.body.block, [self.value], known)[0]

        return at


def _difference(
    op: phi.FoldOp,
    value: SSAValue,
    difference: arith.SubfOp,
    fixed: Sequence[SSAValue],
    steps: Collection[SSAValue],
) -> Difference | None:
    """The difference of an element of the step and one that is the same in all steps."""
    gets = [x.owner for x in difference.operands if isinstance(x.owner, phi.GetOp)]
    own = [get for get in gets if get.result in steps]
    others = [get for get in gets if get.result not in steps]
    if len(own) != 1 or len(others) != 1 or own[0].array is not others[0].array:
        return None
    if len(own[0].positions) != 1 or own[0].array in steps:
        return None
    return Difference(op, value, difference, own[0], others[0], [*fixed, own[0].array])


# Products over the steps between two positions --------------------------------------------------


@dataclass(frozen=True)
class RunningProduct:
    """``product (p <= q < r) f(q)``, or ``exp(c * sum (p <= q < r) f(q))``, in steps of a fold.

    Powers ``x ** (c * sum (p <= q < r) f(q))`` are such exponentials.

    In those of a maximum or minimum, the sum alone.
    """

    op: phi.FoldOp
    value: SSAValue
    total: SSAValue
    """The product, which is the value, or the sum."""
    fold: phi.FoldOp
    step: Step
    """That of the fold, without the tests of both ends."""
    sign: int
    """That of the counter in the position q: -1 if it descends."""
    shift: LinearForm
    """The position without the counter."""
    ends: tuple[LinearForm, LinearForm]
    """The positions p and r."""
    fixed: Collection[SSAValue]

    def factors(self, place: LinearForm, suffix: bool, forms: IndexForms) -> Factors | None:
        """The factors at each step, if the ends are the step and the bound."""
        own, bound = self.ends[::-1] if suffix else self.ends
        far = forms.canonical(own - LinearForm.of(self.op.counter))
        near = forms.canonical(bound - place)
        first, difference = (near, far - near) if suffix else (far, near + 1 - far)
        least = difference.known()
        is_known = not any(forms.free.of(x) or is_within(x, self.op) for x in near.coefficients)
        if not is_known or least is None or not 0 <= least <= MOST_FACTORS:
            return None
        places = [first + number for number in range(least)]
        atoms = (*place.coefficients, *self.shift.coefficients)
        unread = [x for x in atoms if isinstance(x, BlockArgument) and x is not self.op.counter]
        zeros: dict[SSAValue, LinearForm] = {index: LinearForm() for index in unread}
        for value in captured(self.op):
            form = forms.form(value) if value.type == i64 else LinearForm()
            if not zeros.keys().isdisjoint(form.coefficients):
                zeros[value] = form.without(unread)
        base, scale = (self._product(offsets, zeros) for offsets in ([near], places))
        return Factors(lambda _: base, lambda _: scale, varies=True)

    def _product(
        self, offsets: Iterable[LinearForm], zeros: Mapping[SSAValue, LinearForm]
    ) -> StepBuilder:
        """The value of the product of the factors at some offsets from a step."""

        def at(build: Builder, place: SSAValue) -> SSAValue:
            parts = [self._part(build, place, offset, zeros) for offset in offsets]
            if not parts:
                one = 1.0 if self.value is not self.total else self.step.neutral.value.data
                return build.number(one, self.value.type)
            total = reduce(lambda x, y: build.same(self.step.combine, x, y), parts)
            known = {self.op.counter: place, self.total: total}
            return build.copied(self.op.body.block, [self.value], known)[0]

        return at

    def _part(
        self,
        build: Builder,
        place: SSAValue,
        offset: LinearForm,
        zeros: Mapping[SSAValue, LinearForm],
    ) -> SSAValue:
        """``f(q)`` for a position at an offset from a step.

        It varies with the shift only as part of the position: indices are ``zeros`` there.
        """
        counter = self.op.counter
        number = (LinearForm.of(counter) + offset - self.shift.without(zeros)) * self.sign
        known: Known = {x: build.linear_value(form) for x, form in zeros.items()}
        known[counter] = place
        known[self.fold.counter] = build.linear_value(number, lambda x: known.get(x, x))
        values = StepValues(self.op, [self.fold.body.block])
        tests = values.tests(build, self.step.tests, known)
        return values.selected(build, self.step, tests, known)


def is_product(op: phi.FoldOp, around: phi.FoldOp) -> bool:
    """Whether a fold is a product in the terms of another one, or a sum in an exponent there."""
    step, outer = step_of(op), step_of(around)
    product = None if outer is None else product_of(outer.combine)
    if step is None or product is None:
        return False
    users = dependents(around.body.block, op.result)
    return isinstance(step.combine, product.operation) or (
        isinstance(step.combine, arith.AddfOp)
        and any(
            isinstance(x, math.ExpOp | math.PowFOp) and x.operands[-1] in users
            for x in around.body.block.ops
        )
    )


def _running_product(
    op: phi.FoldOp,
    value: SSAValue,
    total: SSAValue,
    fold: phi.FoldOp,
    product: Product,
    fixed: Sequence[SSAValue],
    forms: IndexForms,
) -> RunningProduct | None:
    """The product of elements between two positions that a fold in the steps of another is."""
    step = step_of(fold)
    if fold.parent is not op.body.block or step is None:
        return None
    if not isinstance(step.combine, product.operation):
        return None
    if not is_neutral(fold.init, step.neutral):
        return None
    firsts, ends, others = [LinearForm()], [forms.integer(fold.count)], list[Test]()
    for test in step.tests:
        bound = bound_of(fold, test, forms)
        place = None if bound is None else bound.form(forms)
        if bound is None or place is None:
            others.append(test)
        else:
            (firsts if bound.suffix else ends).append(place)
    first = next((x for x in firsts if all(forms.is_at_most(y, x) for y in firsts)), None)
    end = next((x for x in ends if all(forms.is_at_most(x, y) for y in ends)), None)
    found = None if first is None or end is None else _shift(fold, step.parts(others), forms)
    if first is None or end is None or found is None:
        return None
    sign, shift, variables = found
    if not variables.isdisjoint((op.counter, op.accumulator)):
        return None
    ends = (first + shift, end + shift) if sign > 0 else (shift - end + 1, shift - first + 1)
    step = Step(step.combine, others, step.value)
    return RunningProduct(op, value, total, fold, step, sign, shift, ends, [*fixed, *variables])


def _shift(
    fold: phi.FoldOp, parts: Iterable[SSAValue], forms: IndexForms
) -> tuple[int, LinearForm, set[BlockArgument]] | None:
    """The position, less the counter, with which alone some values vary with the counter.

    Its sign, and the other variables that the values vary with.
    """
    around = (block.parent_op() for block in blocks_around(fold))
    function = next(each for each in around if isinstance(each, func.FuncOp))
    shifts, counter = Shifts(function, forms), fold.counter
    terms = [dict(term) for part in parts for term in shifts.terms(part)]
    own = [term for term in terms if counter in term]
    if not own or any(term != own[0] for term in own) or abs(own[0][counter]) != 1:
        return None
    sign = own[0][counter]
    others = {x for term in terms if counter not in term for x in term}
    return sign, LinearForm({x: n for x, n in own[0].items() if x is not counter}), others
