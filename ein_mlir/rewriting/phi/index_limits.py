"""Keys that are compared with an index: a table of their places, in place of an order of them.

``number (k < m) { x[k] <= i + c }`` for each index i is a running sum of the numbers of keys at
each place, m + n steps in place of a sort or of a search for each index.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.predicates import SYMBOLS, relation_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder, Contributions


@dataclass(frozen=True)
class IndexLimit:
    """``i + c`` for an index i of a comprehension and a number c."""

    index: BlockArgument
    offset: int

    @property
    def size(self) -> SSAValue:
        """The number of limits."""
        return phi.size_of_index(self.index)

    def position(self, build: Builder, *, is_below: bool) -> SSAValue:
        """The position of the own total in a scan of those of all places."""
        own = build.as_int(self.index)
        return build.add(own, 1) if is_below else own

    def place(self, build: Builder, key: SSAValue, predicate: str) -> SSAValue:
        """The index of the first limit that a key is below, or of the last that it is not.

        ``max(x - c, 0)`` for ``x <= i + c``, and ``min(x - c, n - 1)`` for ``x >= i + c``. It is
        out of bounds if there is none. The key is clipped before that, so that nothing wraps.
        """
        least, most = self.offset - 2, build.add(self.size, self.offset + 2)
        inside = build.max(build.min(key, most), least)
        shift = {"<": 1, ">": -1}.get(predicate, 0)
        place = build.sub(inside, self.offset - shift)
        if predicate in ("<", "<="):
            return build.max(place, 0)
        return build.min(place, build.sub(self.size, 1))


def index_limit(value: SSAValue, forms: IndexForms) -> IndexLimit | None:
    """The limit that an Int is, if it is one."""
    if value.type != i64:
        return None
    form = forms.form(value)
    index, *others = form.coefficients or (value,)
    if others or not isinstance(index, BlockArgument) or not isinstance(index.type, IndexType):
        return None
    offset = (form - forms.form(index)).known()
    return None if offset is None or abs(offset) > MOST else IndexLimit(index, offset)


@dataclass(frozen=True)
class LimitedKey:
    """A test ``key <= i + c`` of a step, or another comparison with a limit at an index."""

    test: Test
    key: SSAValue
    predicate: str
    limit: IndexLimit

    @property
    def is_below(self) -> bool:
        """Whether the steps of the least keys are selected."""
        return self.predicate in ("<", "<=")


def limited_key(op: phi.FoldOp, test: Test, forms: IndexForms) -> LimitedKey | None:
    """The comparison of a key of a step with a limit that a test is, if it is one."""
    relation = relation_of(test.condition, expected=test.expected)
    steps = dependents(op.body.block, op.counter)
    for reading in () if relation is None else relation.readings:
        predicate = SYMBOLS.get(reading.predicate)
        limit = index_limit(reading.rhs, forms)
        if predicate not in (None, "==", "!=") and limit is not None and reading.lhs in steps:
            return LimitedKey(test, reading.lhs, predicate, limit)
    return None


def number_below(
    build: Builder, keys: SSAValue, count: SSAValue, limit: IndexLimit, predicate: str
) -> SSAValue:
    """The number of the first keys that are less than a limit, or with ``<=`` not greater."""

    def place(inner: Builder, own: Sequence[SSAValue]) -> Contributions:
        return [([limit.place(inner, inner.get(keys, own), predicate)], inner.integer(1))]

    numbers = build.accumulation([count], [("add", [limit.size])], place)
    scanned = build.scan("add", numbers)
    return build.get(scanned, [limit.position(build, is_below=True)])
