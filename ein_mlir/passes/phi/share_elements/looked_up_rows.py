"""Functions of elements at one computed position, ``f(a[p(i), j], a[p(i), j + 1])``.

A function that depends on an index by that position alone is the same value wherever the position
is: one for each place along the axis, and for each other variable. So the rows of an image are
interpolated once, not for each row of a larger image, and messages of a node once, not for each
of its edges. A sum of products at a distance, ``sum q[i, e] * r[i - j + n, e]``, is one for each
row of ``r``: a product of matrices, where the rows at all pairs of i and j are a larger array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.element_cost import FUNCTION, cost
from ein_mlir.analysis.phi.singularities import has_derivative, is_scalar_operator, is_singular
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.scopes import (
    is_within,
    needed_within,
    operations_in,
    outermost_without,
    reached,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.share_elements.looked_up import LookedUp
from ein_mlir.passes.phi.share_elements.values import size_of
from ein_mlir.rewriting.phi.float_tests import LIMITS

_NONE: Variables = frozenset()

AreEqual: TypeAlias = Callable[[BlockArgument, BlockArgument], bool]

_COMPUTED = arith.FPToSIOp, phi.GetOp
"""The operations of a position that is no sum of indices: elements there are no slice."""


_LINEAR = (
    phi.FoldOp,
    arith.AddfOp,
    arith.DivfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.NegfOp,
    arith.SelectOp,
    arith.SubfOp,
)
"""The operations whose derivative is finite and depends on no operand; a divisor has none."""


@dataclass(frozen=True)
class Value:
    """What a value is computed from, besides one position."""

    variables: Variables
    gets: int
    """The number of elements that are read there."""
    cost: int
    arrays: frozenset[tuple[SSAValue, int]]
    """The arrays that are read there, and their axes."""
    degree: int = 0
    """The number of factors that have derivatives, if these are recorded."""
    rows: Variables = _NONE
    """Those of the other positions of elements that are read there."""


def rows_looked_up(
    function: func.FuncOp, are_equal: AreEqual, *, differentiable: bool
) -> list[LookedUp]:
    """The values that depend on some variables by one position alone, in order.

    ``are_equal`` tests whether variables have equal sizes.
    """
    ops = operations_in(function, bodies_first=True)
    positions = dict[SSAValue, list[phi.GetOp]]()
    for op in ops:
        for position in map(phi.uncast, op.positions) if isinstance(op, phi.GetOp) else ():
            if isinstance(op, phi.GetOp) and not isinstance(position, BlockArgument):
                positions.setdefault(position, []).append(op)
    variables, order = variables_of(function), {op: number for number, op in enumerate(ops)}
    found, numbers = list[LookedUp](), dict[tuple[SSAValue, int], int]()
    for position, reads in positions.items():
        if not variables[position]:
            continue
        users = sorted(_users_of(reads), key=order.__getitem__)
        is_sum = not _is_computed(position, function)
        if is_sum and not (
            any(map(_sums_products, users)) and _is_distance(variables[position], are_equal)
        ):
            continue
        at = _Position(position, variables, order, numbers, differentiable, is_sum)
        found.extend(at.values(users))
    return [replace(each, uses=_uses(each, found)) for each in found]


def _users_of(gets: Iterable[Operation]) -> Iterator[Operation]:
    """Operations, those on their scalar results, and so on; the folds of bodies that yield them."""

    def users(op: Operation) -> Iterator[Operation]:
        for result in op.results:
            yield from filter(_may_move, map(_whole, (use.operation for use in result.uses)))

    return reached(gets, users)


def _may_move(op: Operation) -> bool:
    return isinstance(op, phi.FoldOp) or is_scalar_operator(op)


def _whole(user: Operation) -> Operation:
    """The fold whose body yields a value, in place of a terminator."""
    fold = user.parent_op()
    return fold if isinstance(user, phi.YieldOp) and isinstance(fold, phi.FoldOp) else user


def _is_differentiable(value: SSAValue) -> bool:
    """Whether a value is a float that an argument may have a derivative by."""
    owner = value.owner
    if not isa(value.type, AnyFloat) or not isinstance(owner, Operation):
        return False
    return not is_scalar_operator(owner) or has_derivative(owner)


def _degree(op: Operation, degrees: Sequence[int]) -> int | None:
    """The number of factors of a result; none if it is no function, sum or product of two.

    A place that no position reads has the cotangent 0. Times a factor that is infinite there, it is
    NaN, and the other factor may be one of places that are read.
    """
    degree = max(degrees, default=0)
    if is_product(op.name):
        is_carried = any(isinstance(x, BlockArgument) for x in op.operands)
        degree = 3 if degree and is_carried else sum(degrees)
    elif degree > 1 and not isinstance(op, _LINEAR):
        return None
    return degree if degree < 3 else None


def _is_computed(position: SSAValue, function: func.FuncOp) -> bool:
    return any(isinstance(op, _COMPUTED) for op in needed_within(function, [position]))


def _is_distance(varying: Variables, are_equal: AreEqual) -> bool:
    """Whether a position varies with two indices of equal sizes."""
    are_indices = all(isinstance(each.block.parent_op(), phi.ArrayOp) for each in varying)
    return len(varying) == 2 and are_indices and are_equal(*varying)


def _sums_products(op: Operation) -> bool:
    """Whether an operation is a fold that adds up products."""
    if not isinstance(op, phi.FoldOp):
        return False
    total = op.yielded().owner
    return isinstance(total, arith.AddfOp) and any(
        isinstance(term.owner, Operation) and is_product(term.owner.name) for term in total.operands
    )


def _uses(value: LookedUp, found: Sequence[LookedUp]) -> int:
    """The number of positions at which the same table is read, as far as can be seen."""
    return sum(each.arrays == value.arrays and each.variables == value.variables for each in found)


class _Position:
    """The values at one position."""

    def __init__(
        self,
        position: SSAValue,
        variables: dict[SSAValue, Variables],
        order: dict[Operation, int],
        numbers: dict[tuple[SSAValue, int], int],
        differentiable: bool,
        sums: bool,
    ):
        """``numbers`` are those of the arrays and axes that are read, by the first reads; with
        ``sums`` only sums of products with values at one of the indices of the position count,
        which no other index makes products of matrices.
        """
        self._position = position
        self._variables = variables
        self._order, self._numbers = order, numbers
        self._differentiable = differentiable
        self._sums = sums
        self._known = dict[SSAValue, Value]()

    def values(self, users: Iterable[Operation]) -> Iterator[LookedUp]:
        """The values that leave loops, each of no other one."""
        for op in users:
            if (value := self._value(op)) is not None:
                self._known[op.results[0]] = value
        for value, known in self._known.items():
            is_part = all(self._has_whole(use.operation) for use in value.uses)
            if not is_part and (found := self._looked_up(value, known)) is not None:
                yield found

    def _has_whole(self, user: Operation) -> bool:
        """Whether the value of a user is one of these, and moves."""
        results = _whole(user).results
        known = self._known.get(results[0]) if results else None
        return known is not None and self._leaves(results[0], known) is not None

    def _value(self, op: Operation) -> Value | None:
        """What a value is computed from, once its operands are known."""
        if isinstance(op, phi.GetOp):
            return self._element(op)
        if is_within(self._position, op):  # a fold over several positions
            return None
        if isinstance(op, phi.FoldOp):
            parts = [self._of(x) for x in (op.yielded(), *op.operands)]
            own = FUNCTION
        elif self._differentiable and is_singular(op):
            return None
        else:
            parts, own = [self._of(x) for x in op.operands], cost(op) or 0
        known = [each for each in parts if each is not None]
        degree = _degree(op, [each.degree for each in known])
        if len(known) < len(parts) or len(op.results) != 1 or degree is None:
            return None
        arguments = op.regions[0].block.args if op.regions else ()
        return Value(
            frozenset[BlockArgument]().union(*(x.variables for x in known)).difference(arguments),
            sum(x.gets for x in known),
            own + sum(x.cost for x in known),
            frozenset[tuple[SSAValue, int]]().union(*(x.arrays for x in known)),
            degree,
            _NONE.union(*(x.rows for x in known)),
        )

    def _of(self, value: SSAValue) -> Value | None:
        """An operand; none if it is the position itself, which may be out of bounds."""
        if phi.uncast(value) is self._position:
            return None
        degree = int(self._differentiable and _is_differentiable(value))
        other = Value(self._variables.get(value, _NONE), 0, 0, frozenset(), degree)
        return self._known.get(value, other)

    def _element(self, op: phi.GetOp) -> Value | None:
        places = list(map(phi.uncast, op.positions))
        others = [x for x in places if x is not self._position]
        if len(others) != len(places) - 1 or not phi.is_scalar_type(op.result.type):
            return None
        variables = _NONE.union(*(self._variables.get(x, _NONE) for x in (op.array, *others)))
        read = op.array, places.index(self._position)
        self._numbers.setdefault(read, len(self._numbers))
        is_float = self._differentiable and isa(op.result.type, AnyFloat)
        if is_float and op.result.type not in LIMITS:
            return None
        return Value(variables, 1, 1, frozenset([read]), int(is_float), variables)

    def _leaves(self, value: SSAValue, known: Value) -> phi.BodyOp | None:
        """The loop that a value leaves, with an axis for each of its variables."""
        owner, varying = value.owner, self._variables[self._position]
        if not isinstance(owner, Operation) or known.variables >= varying:
            return None
        if self._sums and not (
            known.variables & varying and known.variables <= varying | known.rows
        ):
            return None
        if not known.arrays or not phi.is_scalar_type(value.type):
            return None
        place = outermost_without(owner, [array for array, _ in known.arrays])
        if place is owner or not isinstance(place, phi.BodyOp):
            return None
        if not is_within(self._position, place):
            return None
        for each in known.variables:
            loop = each.block.parent_op()
            if not isinstance(loop, phi.ArrayOp) or is_within(size_of(each, place), place):
                return None
        return place

    def _looked_up(self, value: SSAValue, known: Value) -> LookedUp | None:
        is_costly = known.gets > 1 or known.cost >= FUNCTION
        place = self._leaves(value, known) if is_costly else None
        if place is None:
            return None
        axes = tuple(sorted(known.variables, key=self._place_of))
        found = LookedUp(
            value,
            place,
            (self._position,),
            (tuple(sorted(known.arrays, key=self._numbers.__getitem__)),),
            is_small=False,
            variables=axes,
            is_product=known.degree > 1,
            is_sum=self._sums,
        )
        if self._sums and not any(map(_sums_products, found.needed())):
            return None
        return None if any(map(may_fail, found.needed())) else found

    def _place_of(self, variable: BlockArgument) -> tuple[int, int]:
        """The place of a variable in the program, which a set of them does not keep."""
        loop = variable.block.parent_op()
        assert loop is not None
        return self._order[loop], variable.index
