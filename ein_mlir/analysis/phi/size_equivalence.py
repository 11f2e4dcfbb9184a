"""Size equivalence: the judgement of Figure 3.6 of the dissertation.

Terms are Ints of the program and sizes of arrays along axes; a disjoint-set forest holds the
classes. An operation defines the sizes of its result (``PhiOp.size_of_result``), as in
``|phi.get a[p]|k == |a|k+1`` for the size along axis ``k``. In addition, these rules hold::

    phi.assert_eq m, n                 ==  m  ==  n
    |phi.fold (acc = init) { e }|k     ==  |init|k    if |e|k == |acc|k or |e|k == |init|k
    |phi.reduce v identity e|k         ==  |e|k       under the same condition on its body
    |acc|k of nested folds             ==  |init|k    if all values that reach them have that size
    |x|k of phi.vjp (x = a) { e }      ==  |a|k
    equal operations on equal Ints are equal

A record has a term for each field. An assertion counts as true; one in a loop, which may have no
step, counts as true in the body of that loop. A user of an equality must keep the assertion
(``convert-phi-to-yarr`` turns each into one that is never removed). A step that keeps the size of
an accumulator because of such an assertion proves the size of the accumulator and of the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias, cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, IntegerType, TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.manager import classes_of as kinds_in
from ein_mlir.analysis.scopes import ancestors, is_within, operations_in, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Path, Term


def _terms_of(type_: Attribute) -> Sequence[tuple[Path, int | None]]:
    """The (path, axis) pairs that a value of a type has terms for."""
    cls = type(type_)
    if cls is phi.VecType:
        return _axes_of_rank(phi.rank_of(type_))
    if cls is TupleType:
        fields = enumerate(cast(TupleType, type_).types)
        return [((k, *path), axis) for k, field in fields for path, axis in _terms_of(field)]
    return _NUMBER if cls is IntegerType else ()


@cache
def _axes_of_rank(rank: int) -> Sequence[tuple[Path, int | None]]:
    return [((), axis) for axis in range(rank)]


_NUMBER = (((), None),)
"""The term of a value that is an integer itself."""

_WITH_TERMS = (phi.VecType, IntegerType, TupleType)
"""The classes of types whose values have terms."""


@cache
def _kind_of(op: type[Operation]) -> str:
    """How operations of a class are analysed; empty if they say nothing about sizes."""
    if issubclass(op, phi.PhiOp):
        is_body = issubclass(op, phi.BodyOp)
        return "loop" if issubclass(op, phi.LoopOp) else "body" if is_body else "sizes"
    if op is arith.ConstantOp:
        return "constant"
    return "ints" if op.name.startswith("arith.") else ""


class _Classes:
    """Classes of terms; each term is in a class of its own at first.

    A number represents its class. A term is looked up once in each call: its hash takes most of
    the time.
    """

    def __init__(self) -> None:
        self._places = dict[Term | int, int]()
        self._values = list[Term | int]()
        self._parents = list[int]()
        self._counts = list[int]()

    def find(self, value: Term | int) -> Term | int:
        """The representative of the class of a term."""
        place = self._places.get(value)
        return value if place is None else self._values[self._root(place)]

    def union(self, lhs: Term | int, rhs: Term | int) -> bool:
        """Merge the classes of two terms; whether they were two."""
        places, counts = self._places, self._counts
        first = self._root(places[lhs]) if lhs in places else self._new(lhs)
        second = self._root(places[rhs]) if rhs in places else self._new(rhs)
        if first == second:
            return False
        is_second = type(self._values[second]) is int or (
            type(self._values[first]) is not int and counts[first] < counts[second]
        )
        if is_second:
            first, second = second, first
        self._parents[second] = first
        counts[first] += counts[second]
        return True

    def _root(self, place: int) -> int:
        parents = self._parents
        while (parent := parents[place]) != place:
            parents[place] = parents[parent]
            place = parent
        return place

    def _new(self, value: Term | int) -> int:
        place = self._places[value] = len(self._values)
        self._values.append(value)
        self._parents.append(place)
        self._counts.append(1)
        return place


class _Scope:
    """The equalities in the body of a loop that do not hold around it."""

    def __init__(self) -> None:
        self.assumed: list[tuple[Term, Term]] = []
        self.age = -1
        """The age of the classes of ``find``."""
        self._classes: DisjointSet[Term | int] = DisjointSet()
        self._known: set[Term | int] = set()

    def forget(self, age: int) -> None:
        """Reset the classes; keep only the assumptions."""
        self.age = age
        self._classes, self._known = DisjointSet(), set()

    def find(self, term: Term | int) -> Term | int:
        """The representative, in the body, of a representative around the loop."""
        return self._classes.find(term) if term in self._known else term

    def union(self, a: Term | int, b: Term | int) -> None:
        """Equate, in the body, two representatives around the loop."""
        for term in (a, b):
            if term not in self._known:
                self._known.add(term)
                self._classes.add(term)
        self._classes.union(a, b)


class SizeEquivalence:
    """Classes of provably equal sizes in an operation's regions (usually a ``func.func``).

    ``same`` answers in near constant time; building is near linear in the number of operations.
    An assertion counts if it is one of ``assertions``, by default all, or is passed to ``assume``.
    """

    def __init__(self, root: Operation, *, assertions: bool | Collection[phi.AssertEqOp] = True):
        self.changes = 0
        """The number of times that more sizes were known to be equal than before."""
        self._assertions = assertions
        self._classes = _Classes()
        self._congruent: dict[tuple[object, ...], Term] = {}
        self._scopes: dict[Operation, _Scope] = {}
        self._age = 0
        for first, *others in equal_arguments(root):
            for term in others:
                self._union(first, term)
        fixed = phi.fixed_sizes(root)
        leaves = phi.leaves_of_arguments(root) if fixed else ()
        for (k, axis), size in fixed.items():
            self._union(Term(*leaves[k][:2], axis), size)
        self._analyse(operations_in(root, bodies_first=True)[:-1])

    def add(self, *ops: Operation) -> None:
        """Analyse operations in order, their bodies first.

        In this order a loop usually finds the facts that it depends on: the sizes kept by loops in
        its body and by loops before it.
        """
        self._analyse([op for outer in ops for op in operations_in(outer, bodies_first=True)])

    def _analyse(self, ops: Iterable[Operation]) -> None:
        loops, bodies = list[phi.LoopOp](), list[phi.BodyOp]()
        for op in ops:
            kind = _kind_of(type(op))
            if kind == "sizes":
                self._results(op)  # pyright: ignore[reportArgumentType]
            elif kind == "ints":
                self._congruence(op)
            elif kind == "loop":
                loops.append(op)  # pyright: ignore[reportArgumentType]
            elif kind == "body":
                bodies.append(op)  # pyright: ignore[reportArgumentType]
            elif kind == "constant" and isa(number := op.properties["value"], IntegerAttr):
                self._union(Term(op.results[0]), number.value.data)
        for op in bodies:
            self._results(op)
            for argument, value in op.arguments() if isinstance(op, phi.DerivativeOp) else ():
                self._equate(value, argument)
        left, changed = loops, True
        while changed:
            before = self.changes
            left = [op for op in left if not self._loop(op)]
            self._age += 1
            changed = bool(left) and (self.changes > before or self._loops_together(loops))

    def keep(self, loop: phi.LoopOp) -> None:
        """Equate the sizes of the arrays that a loop carries before, in and after its steps."""
        for path, axis in _terms_of(loop.start.type):
            if axis is not None:
                for value in (*loop.variables(), *loop.results, loop.yielded()):
                    self._union(Term(loop.start, path, axis), Term(value, path, axis))

    def same(self, a: Term | SSAValue, b: Term | SSAValue, at: Operation | None = None) -> bool:
        """Whether two sizes are provably equal, at an operation also by its loops' assumptions."""
        lhs, rhs = self.representative(_term(a)), self.representative(_term(b))
        if lhs == rhs or at is None:
            return lhs == rhs
        loops = list(loops_around(at))
        return self.class_in(loops, lhs) == self.class_in(loops, rhs)

    def are_of(
        self, array: SSAValue, sizes: Iterable[Term | SSAValue], at: Operation | None = None
    ) -> bool:
        """Whether some sizes are provably those of the leading axes of an array."""
        return all(self.same(size, Term(array, (), axis), at) for axis, size in enumerate(sizes))

    def may_stand_for(self, array: SSAValue, op: phi.ArrayOp) -> bool:
        """Whether an array from outside of a comprehension provably has its type and sizes."""
        is_like = array.type == op.result.type and not is_within(array, op)
        return is_like and self.are_of(array, op.sizes)

    def is_compared(self, size: Term | SSAValue, other: Term | SSAValue) -> bool:
        """Whether a size, where it exists, provably equals another one.

        They are the same, or the size is the result of assertions that compare it with the other.
        """
        own = _term(size)
        return any(self.same(term, other) for term in (own, *_compared(own)))

    def assume(self, op: phi.AssertEqOp) -> None:
        """Count an assertion as true; one in a loop holds in the body of that loop."""
        self._assume(op)
        for loop in loops_around(op):
            before = self.changes
            self._loop(loop)
            self._age += self.changes > before

    def _assume(self, op: phi.AssertEqOp) -> None:
        lhs, rhs = Term(op.lhs), Term(op.rhs)
        loops = list(loops_around(op))
        self.changes += 1
        if not loops:
            self._union(lhs, rhs)
            self._age += 1
            return
        scope = self._scopes.setdefault(loops[0], _Scope())
        scope.assumed.append((lhs, rhs))
        if scope.age == self._age:
            outer = loops[1:]
            scope.union(*(self.class_in(outer, self.representative(term)) for term in (lhs, rhs)))

    def class_in(self, loops: Sequence[Operation], known: Term | int) -> Term | int:
        """The class of a representative where the assertions of some nested loops hold.

        The innermost loop is the first. The assumptions of a loop are resolved again after
        the global classes have changed.
        """
        for depth in reversed(range(len(loops))):
            scope = self._scopes.get(loops[depth])
            if scope is None:
                continue
            if scope.age != self._age:
                scope.forget(self._age)
                outer = loops[depth + 1 :]
                for pair in scope.assumed:
                    scope.union(*(self.class_in(outer, self.representative(term)) for term in pair))
            known = scope.find(known)
        return known

    def inherit(self, new: SSAValue, old: SSAValue) -> None:
        """Give a replacement the sizes of its original."""
        self._equate(old, new)

    def representative(self, term: Term | int) -> Term | int:
        """A hashable value that is the same for provably equal sizes, and for no others."""
        return self._classes.find(term)

    def _union(self, a: Term | int, b: Term | int) -> bool:
        changed = self._classes.union(a, b)
        self.changes += changed
        return changed

    def _counts(self, op: phi.AssertEqOp) -> bool:
        """Whether an assertion counts as true from the start."""
        counted = self._assertions
        return counted if isinstance(counted, bool) else op in counted

    def _results(self, op: phi.PhiOp) -> None:
        """Equate the sizes of the results with those that the operation defines or asserts."""
        for result in op.results:
            if type(result.type) not in _WITH_TERMS:
                continue
            for path, axis in _terms_of(result.type):
                size = op.size_of_result(path, axis)
                if size is not None:
                    self._union(Term(result, path, axis), size)
            if isinstance(op, phi.AssertEqOp) and self._counts(op):
                self._assume(op)

    def _equate(self, a: SSAValue, b: SSAValue) -> None:
        """Equate the sizes of ``a`` with those of ``b``, which has the same type."""
        for path, axis in _terms_of(a.type):
            self._union(Term(a, path, axis), Term(b, path, axis))

    def _congruence(self, op: Operation) -> None:
        values = op._operands  # pyright: ignore[reportPrivateUsage]
        if not values or len(op.results) != 1:
            return
        result = op.results[0]
        if type(result.type) is IntegerType:
            find = self._classes.find
            operands = [find(Term(operand)) for operand in values]
            key = (op.name, result.type.width.data, *op.properties.items(), *operands)
            own = Term(result)
            if (equal := self._congruent.setdefault(key, own)) is not own:
                self._union(own, equal)

    def _loop(self, op: phi.LoopOp) -> bool:
        """Equate result, initial value and variables if a step keeps the size; whether it does."""
        is_kept, last = True, op.regions[0].block.last_op
        for path, axis in _terms_of(op.start.type):
            start = Term(op.start, path, axis)
            after = Term(op.yielded(), path, axis)
            before = [Term(variable, path, axis) for variable in op.variables()]
            invariant = [*before, *(Term(result, path, axis) for result in op.results)]
            if any(self.same(after, term) for term in (start, *before)):
                invariant.append(after)
            elif not any(self.same(after, term, last) for term in (start, *before)):
                is_kept = False
                continue
            for term in invariant:
                self._union(start, term)
        return is_kept

    def _loops_together(self, loops: Iterable[phi.LoopOp]) -> bool:
        """Equate values of nested loops with the only size that reaches them; True if new.

        An accumulator has the size of its initial value or of a step, and so has a result. The
        sizes of nested loops depend on each other in a cycle. Such a cycle has one size if only one
        size flows into it: the analysis assumes this until it finds a second one.
        """
        sources = defaultdict[Term | int, set[Term | int]](set)
        for op in loops:
            if isinstance(op, phi.FoldOp | phi.WhileOp):
                for path, axis in _terms_of(op.init.type):
                    found = {
                        self.representative(Term(value, path, axis))
                        for value in (op.init, op.yielded())
                    }
                    for value in (op.accumulator, op.result):
                        own = self.representative(Term(value, path, axis))
                        if own not in found:
                            sources[own] |= found
        changed = False
        for own, only in _only_source(sources).items():
            changed |= self._union(own, only)
        return changed


_Size: TypeAlias = Term | int


def _only_source(sources: Mapping[_Size, Iterable[_Size]]) -> dict[_Size, _Size]:
    """The only root that reaches each node with sources, directly or not.

    A root has no sources. Nodes that several roots or no root reach are left out.
    """
    targets = defaultdict[_Size, list[_Size]](list)
    for own, found in sources.items():
        for source in found:
            targets[source].append(own)
    reaching = dict[_Size, _Size | None]()
    pending = [source for source in targets if source not in sources]
    for source in pending:
        reaching[source] = source
    while pending:
        source = pending.pop()
        for target in targets[source]:
            old = reaching.get(target, reaching[source])
            new = old if old == reaching[source] else None
            if target not in reaching or new != reaching[target]:
                reaching[target] = new
                pending.append(target)
    return {own: only for own in sources if (only := reaching.get(own)) is not None}


def followed(value: SSAValue, path: Path) -> tuple[SSAValue, Path]:
    """A field of a value, followed through projections and records."""
    while True:
        owner = value.owner
        if isinstance(owner, phi.ProjOp):
            value, path = owner.record, (owner.field.value.data, *path)
        elif isinstance(owner, phi.TupleOp) and path:
            value, path = owner.fields[path[0]], path[1:]
        else:
            return value, path


def loops_around(op: Operation) -> Iterator[phi.LoopOp]:
    """The folds and reductions around an operation, which may have no step, innermost first."""
    return ancestors(op, phi.LoopOp)


def loop_of(value: SSAValue) -> phi.LoopOp | None:
    """The loop whose variable or result a value is."""
    owner = value.owner
    if not isinstance(owner, Block):
        return owner if isinstance(owner, phi.LoopOp) else None
    loop = owner.parent_op()
    return loop if isinstance(loop, phi.LoopOp) and value in loop.variables() else None


def unasserted(size: SSAValue) -> SSAValue:
    """The size that an assertion, or a chain of assertions, returns: a number that is asserted."""
    while isinstance(op := size.owner, phi.AssertEqOp):
        other = op.rhs
        while isinstance(other.owner, phi.AssertEqOp):
            other = other.owner.rhs
        if known_int(other) is not None:
            return other
        size = op.lhs
    return size


def is_asserted(size: SSAValue) -> bool:
    """Whether a size depends on the result of an assertion, which is made if the size is used."""
    found = reached([size], lambda x: (v for v in sources(x) if phi.is_scalar_type(v.type)))
    return any(isinstance(value.owner, phi.AssertEqOp) for value in found)


def _compared(size: Term) -> Iterator[Term]:
    """The operands of the assertions that a size is the result of: it exists only if they hold."""
    for term in reached([size], _sources_of):
        if isinstance(term.value.owner, phi.AssertEqOp):
            yield from _sources_of(term)


def _sources_of(size: Term) -> Sequence[Term]:
    """The sizes that an assertion compares; that of an operand that is the size of a result."""
    op = size.value.owner
    if isinstance(op, phi.AssertEqOp):
        return [Term(operand) for operand in op.operands]
    return [source] if (source := size.source) is not None else []


def equal_arguments(root: Operation) -> list[list[Term]]:
    """The sizes and Ints of arguments that are equal in each call of a version of a function."""
    groups = phi.equal_axes(root)
    leaves = phi.leaves_of_arguments(root) if groups else ()
    return [[Term(*leaves[k][:2], axis) for k, axis in axes] for axes in groups]


def _term(a: Term | SSAValue) -> Term:
    return a if isinstance(a, Term) else Term(a)


def terms_of(value: SSAValue) -> list[Term]:
    """The sizes of a value's arrays, and its Ints, field by field."""
    return [Term(value, path, axis) for path, axis in _terms_of(value.type)]


def classes_of(equivalence: SizeEquivalence, terms: Iterable[Term]) -> list[list[Term]]:
    """The terms grouped by equivalence, in order of first appearance."""
    groups: dict[object, list[Term]] = {}
    for term in terms:
        groups.setdefault(equivalence.representative(term), []).append(term)
    return list(groups.values())


def equal_sizes(function: func.FuncOp, analyses: AnalysisManager) -> SizeEquivalence:
    """An analysis: the sizes that are equal where all assertions hold."""
    return SizeEquivalence(function)


def unasserted_equal_sizes(function: func.FuncOp, analyses: AnalysisManager) -> SizeEquivalence:
    """An analysis: the sizes that are equal whatever is asserted."""
    if phi.AssertEqOp not in analyses.get(kinds_in, function):
        return analyses.get(equal_sizes, function)
    return SizeEquivalence(function, assertions=False)
