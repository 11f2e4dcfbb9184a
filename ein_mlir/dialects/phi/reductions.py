"""Reductions, searches and scans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, StringAttr, TupleType, UnitAttr, f32, f64, i64
from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    VarConstraint,
    base,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure, RecursiveMemoryEffect

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.phi.assembly import Combination
from ein_mlir.dialects.phi.base import LoopOp
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.phi.interface import OnRecords, Path, PhiOp, Term
from ein_mlir.dialects.phi.types import (
    ARRAY,
    VALUE,
    VecType,
    is_scalar_type,
    row_of,
    vec_of,
)
from ein_mlir.dialects.reductions import (
    SCAN_KINDS,
    combination,
    unsearchable,
    unselectable,
    unweighable,
)


@op_definition
class ReduceOp(LoopOp):
    """Reduction of a vector by an associative operation with an identity.

    The operation may be reassociated but is never reordered: it need not commute. The reduction of
    an empty vector is the identity. Elements may have any type; a vector of records may be given as
    the record of vectors that represents it.

    Example:
    ```mlir
    %sum = phi.reduce %v identity %zero by { arith.addf } -> f64
    %last = phi.reduce %v identity %zero by (%x, %y) -> f64 {
      phi.yield %y : f64
    }
    %both = phi.reduce %vs : tuple<!phi.vec<f64>, !phi.vec<f64>> identity %zeros by (%x, %y)
        -> tuple<f64, f64> {
      phi.yield %y : tuple<f64, f64>
    }
    ```
    """

    name = "phi.reduce"

    T: ClassVar = VarConstraint("type of the elements", VALUE)

    vec = operand_def(ARRAY)
    identity = operand_def(T)
    result = result_def(T)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    custom_directives = (Combination,)
    assembly_format = (
        "custom<Combination>($vec, type($vec), $identity, type($identity), type($result), $body)"
        " attr-dict"
    )

    def __init__(self, vec: SSAValue | Operation, identity: SSAValue | Operation, body: Region):
        super().__init__(
            operands=[vec, identity], result_types=[SSAValue.get(identity).type], regions=[body]
        )

    @property
    def start(self) -> SSAValue:
        return self.identity

    def variables(self) -> Sequence[BlockArgument]:
        return self.body.block.args

    def may_fail(self) -> bool:
        """Whether a record of vectors is reduced, whose sizes may differ."""
        return isa(self.vec.type, TupleType)

    def scalar_operation(self) -> Operation | None:
        return single_operation(self.body)

    def verify_(self) -> None:
        element = row_of(self.vec.type)
        if element != self.identity.type:
            raise self.fail(
                f"an identity of type '{self.identity.type}' does not fit the elements "
                f"of a '{self.vec.type}'"
            )
        self.verify_body((self.identity.type,) * 2, self.identity.type)


@op_definition
class ArgreduceOp(PhiOp):
    """The position found by a search for the smallest or the largest element.

    The search starts at position 0 with infinity, or the largest Int, as the best element so far.
    It moves to each element in turn for which ``element PREDICATE best`` holds: ``"<"`` finds the
    first of the smallest elements, ``"<="`` the last of them, ``">"`` and ``">="`` the largest.
    NaN is neither better nor worse than an element: it is skipped. The position in an empty vector
    is 0.

    Example:
    ```mlir
    %k = phi.argreduce %v by "<" : !phi.vec<f64>
    ```
    """

    name = "phi.argreduce"

    ON_RECORDS: ClassVar = OnRecords.NEVER

    vec = operand_def(VecType)
    predicate = prop_def(StringAttr)
    result = result_def(I64)

    traits = traits_def(Pure())

    assembly_format = "$vec `by` $predicate attr-dict `:` type($vec)"

    def __init__(self, vec: SSAValue | Operation, predicate: str):
        super().__init__(
            operands=[vec],
            result_types=[i64],
            properties={"predicate": StringAttr(predicate)},
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """None: the result is a position."""

    def may_fail(self) -> bool:
        return False

    def verify_(self) -> None:
        assert isinstance(self.vec.type, VecType)
        problem = unsearchable(self.vec.type.element_type, self.predicate.data)
        if problem is not None:
            raise self.fail(f"{problem}")


@op_definition
class TopKOp(PhiOp):
    """The positions of the first elements in order: of the smallest by ``"<"``, or the largest.

    Each position is the result of a search, as in ``phi.argreduce``, among the remaining elements.
    Found elements count as infinity (minus infinity by ``">"``; the largest or the smallest Int);
    no search finds these or NaN. Elements therefore come in order, the first of ties first. If no
    element remains, the position is 0. The count must be non-negative; it may be larger than the
    vector.

    Example:
    ```mlir
    %p = phi.top_k %v, %k by "<" : !phi.vec<f64>
    ```
    """

    name = "phi.top_k"

    ON_RECORDS: ClassVar = OnRecords.NEVER

    vec = operand_def(VecType)
    count = operand_def(I64)
    predicate = prop_def(StringAttr)
    result = result_def(VecType(i64))

    traits = traits_def(Pure())

    assembly_format = "$vec `,` $count `by` $predicate attr-dict `:` type($vec)"

    def __init__(self, vec: SSAValue | Operation, count: SSAValue | Operation, predicate: str):
        super().__init__(
            operands=[vec, count],
            result_types=[VecType(i64)],
            properties={"predicate": StringAttr(predicate)},
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.top_k v, n|0 == n``"""
        return Term(self.count)

    def size_or_count(self, operand: int) -> str | None:
        return "the count" if operand == 1 else None

    def may_fail(self) -> bool:
        return not is_nonnegative(self.count)

    def verify_(self) -> None:
        assert isinstance(self.vec.type, VecType)
        problem = unselectable(self.vec.type.element_type, self.predicate.data)
        if problem is not None:
            raise self.fail(f"{problem}")


@op_definition
class ArgsortOp(PhiOp):
    """The positions of the elements of a vector in increasing order.

    Equal elements keep their order. NaN comes last, and false before true.

    Example:
    ```mlir
    %p = phi.argsort %v : !phi.vec<f64>
    ```
    """

    name = "phi.argsort"

    ON_RECORDS: ClassVar = OnRecords.NEVER

    vec = operand_def(VecType)
    result = result_def(VecType(i64))

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$vec attr-dict `:` type($vec)"

    def __init__(self, vec: SSAValue | Operation):
        super().__init__(operands=[vec], result_types=[VecType(i64)])

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.argsort v|0 == |v|0``"""
        return Term(self.vec, (), 0)

    def may_fail(self) -> bool:
        return False

    def verify_(self) -> None:
        _verify_numbers(self, self.vec)


@op_definition
class SortOp(PhiOp):
    """The elements of a vector in increasing order: those at the positions of ``phi.argsort``.

    Zeros may be in any order.

    Example:
    ```mlir
    %s = phi.sort %v : !phi.vec<f64>
    ```
    """

    name = "phi.sort"

    ON_RECORDS: ClassVar = OnRecords.NEVER

    T: ClassVar = VarConstraint("type of the vector", base(VecType))

    vec = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$vec attr-dict `:` type($vec)"

    def __init__(self, vec: SSAValue | Operation):
        vec = SSAValue.get(vec)
        super().__init__(operands=[vec], result_types=[vec.type])

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.sort v|0 == |v|0``"""
        return Term(self.vec, (), 0)

    def may_fail(self) -> bool:
        return False

    def verify_(self) -> None:
        _verify_numbers(self, self.vec)


@op_definition
class SearchsortedOp(PhiOp):
    """The number of elements of a vector in increasing order that are less than a value.

    With ``right``, of those that are not greater. NaN is greater than all numbers, and false less
    than true. The vector must be in this order: nothing is promised of another one, except that
    the result is from 0 up to its size.

    Example:
    ```mlir
    %p = phi.searchsorted %v, %x : !phi.vec<f64>, f64
    %q = phi.searchsorted %v, %x right : !phi.vec<f64>, f64
    ```
    """

    name = "phi.searchsorted"

    ON_RECORDS: ClassVar = OnRecords.NEVER

    vec = operand_def(VecType)
    value = operand_def(VALUE)
    right = opt_prop_def(UnitAttr)
    result = result_def(I64)

    traits = traits_def(Pure())

    assembly_format = "$vec `,` $value (`right` $right^)? attr-dict `:` type($vec) `,` type($value)"

    def __init__(
        self, vec: SSAValue | Operation, value: SSAValue | Operation, *, right: bool = False
    ):
        super().__init__(
            operands=[vec, value],
            result_types=[i64],
            properties={"right": UnitAttr() if right else None},
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """None: the result is a number."""

    def may_fail(self) -> bool:
        return False

    def verify_(self) -> None:
        _verify_numbers(self, self.vec)
        assert isinstance(self.vec.type, VecType)
        if self.value.type != self.vec.type.element_type:
            raise self.fail(f"a '{self.value.type}' is no element of a '{self.vec.type}'")


def _verify_numbers(op: PhiOp, vec: SSAValue) -> None:
    assert isinstance(vec.type, VecType)
    if not is_scalar_type(vec.type.element_type):
        raise op.fail(f"a '{vec.type}' is no vector of numbers")


@op_definition
class ScanOp(PhiOp):
    """The combinations of all prefixes of a vector, from the empty one up to the whole vector.

    Element ``j`` of the result combines the first ``j`` elements; the result has one element more
    than the vector, and the first one is the identity. With ``suffixes``, element ``j`` combines
    all from element ``j`` on, and the last one is the identity. The kind is ``"add"``, ``"mul"``,
    ``"min"`` or ``"max"``, or on Bools and bits of Ints ``"and"``, ``"or"`` or ``"xor"``.

    Example:
    ```mlir
    %sums = phi.scan "add" %x : !phi.vec<f64>
    %rest = phi.scan "min" %x suffixes : !phi.vec<f64>
    ```
    """

    name = "phi.scan"

    ON_RECORDS: ClassVar = OnRecords.NEVER

    T: ClassVar = VarConstraint("type of the vector", base(VecType))

    kind = prop_def(StringAttr)
    vec = operand_def(T)
    suffixes = opt_prop_def(UnitAttr)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$kind $vec (`suffixes` $suffixes^)? attr-dict `:` type($vec)"

    def __init__(self, kind: str, vec: SSAValue | Operation, *, suffixes: bool = False):
        super().__init__(
            operands=[vec],
            result_types=[SSAValue.get(vec).type],
            properties={"kind": StringAttr(kind), "suffixes": UnitAttr() if suffixes else None},
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """None: ``|phi.scan v|0 == |v|0 + 1`` is not a term."""

    def may_fail(self) -> bool:
        return False

    def verify_(self) -> None:
        assert isinstance(self.vec.type, VecType)
        element = self.vec.type.element_type
        if self.kind.data not in SCAN_KINDS or combination(self.kind.data, element) is None:
            raise self.fail(f"'{self.kind.data}' does not combine elements of type '{element}'")


@op_definition
class WeightedScanOp(PhiOp):
    """The combinations of all prefixes of a vector, where each step weighs the one before it.

    The first element of the result is that of the vector. Element ``j`` combines element ``j`` of
    the vector with element ``j - 1`` of the result and the weight ``w[j]``, by an operation that
    distributes over the kind: with their sum for ``"min"`` and ``"max"``, so that
    ``y[j] = max(y[j - 1] + w[j], x[j])``, with their product for ``"add"`` of Ints, and with their
    common bits for ``"or"`` and ``"xor"``. A weight that is a Bool says whether the prefix counts
    at all: ``y[j] = where(w[j], y[j - 1], 0) + x[j]``. A scalar is the weight in all steps. For
    minima and maxima, sums of weights may not overflow, except to the infinity that is the
    identity, nor may sums of Ints wrap.

    Example:
    ```mlir
    %best = phi.weighted_scan "max" %x by %cost : !phi.vec<f64> by f64
    %runs = phi.weighted_scan "add" %x by %goes_on : !phi.vec<f64> by !phi.vec<i1>
    ```
    """

    name = "phi.weighted_scan"

    ON_RECORDS: ClassVar = OnRecords.NEVER

    T: ClassVar = VarConstraint("type of the vector", base(VecType))

    kind = prop_def(StringAttr)
    vec = operand_def(T)
    weights = operand_def()
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$kind $vec `by` $weights attr-dict `:` type($vec) `by` type($weights)"

    def __init__(self, kind: str, vec: SSAValue | Operation, weights: SSAValue | Operation):
        super().__init__(
            operands=[vec, weights],
            result_types=[SSAValue.get(vec).type],
            properties={"kind": StringAttr(kind)},
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.weighted_scan v by w|k == |v|k``"""
        return Term(self.vec, path, axis)

    def may_fail(self) -> bool:
        return False

    def verify_(self) -> None:
        assert isinstance(self.vec.type, VecType)
        weight = self.weights.type
        if isinstance(weight, VecType):
            weight = weight.element_type
        if (message := unweighable(self.kind.data, self.vec.type.element_type, weight)) is not None:
            raise self.fail(message)


@op_definition
class PropagateNanOp(PhiOp):
    """The vector, with NaN where another vector is not finite at any other position.

    Element ``j`` of the result is NaN if there is a position ``k`` other than ``j`` where
    ``others`` is infinite or NaN, and else element ``j`` of ``vec``. The positions are those of
    ``vec``; ``others`` is read there with clipping. So the sum of ``x[j]`` and of all
    ``0.0 * y[k]`` with ``k != j`` is element ``j`` of ``phi.propagate_nan x from y``.

    Example:
    ```mlir
    %r = phi.propagate_nan %x from %y : !phi.vec<f64> from !phi.vec<f64>
    ```
    """

    name = "phi.propagate_nan"

    ON_RECORDS: ClassVar = OnRecords.NEVER

    T: ClassVar = VarConstraint("type of the vector", base(VecType))

    vec = operand_def(T)
    others = operand_def(VecType)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$vec `from` $others attr-dict `:` type($vec) `from` type($others)"

    def __init__(self, vec: SSAValue | Operation, others: SSAValue | Operation):
        super().__init__(operands=[vec, others], result_types=[SSAValue.get(vec).type])

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.propagate_nan a from b|k == |a|k``"""
        return Term(self.vec, path, axis)

    def may_fail(self) -> bool:
        return False

    def verify_(self) -> None:
        for operand in self.operands:
            if operand.type not in (vec_of(f64), vec_of(f32)):
                raise self.fail(f"a '{operand.type}' is no vector of floats")
