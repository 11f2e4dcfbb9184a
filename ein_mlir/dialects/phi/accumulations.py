"""Accumulation: values combined at computed positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, StringAttr, TupleType, i64
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import RecursiveMemoryEffect

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.creation import int_array, ints_of
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.phi.arrays import ComprehensionOp
from ein_mlir.dialects.phi.assembly import Accumulations
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.phi.interface import Flow, Path, Term
from ein_mlir.dialects.phi.types import (
    VALUE,
    element_of,
    is_scalar_type,
    scalar_of,
    too_many,
    tuple_of,
    vec_of,
)
from ein_mlir.dialects.reductions import ACCUMULATION_KINDS, combination
from ein_mlir.errors import counted
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Accumulator:
    """One result of an accumulation: its kind, its sizes, and its place in the yielded value."""

    kind: str
    extents: Sequence[SSAValue]
    """The sizes of the axes of its positions."""
    path: Path
    """Its field of the result, and of the yielded value; empty if it is the only one."""

    @property
    def rank(self) -> int:
        """The number of positions."""
        return len(self.extents)


@op_definition
class AccumulateOp(ComprehensionOp):
    """Accumulation: the values that a body yields at each index, combined at positions.

    The body yields a record: some positions, which are Ints, and a value. Element ``[p, q]`` of the
    result combines the values of all indices with the positions ``p, q``. A value is dropped if a
    position is out of bounds, also if it is negative. An element without values is the identity of
    the kind: ``"add"``, ``"mul"``, ``"min"`` or ``"max"`` of Ints or Floats, ``"and"``, ``"or"`` or
    ``"xor"`` of Bools and the bits of Ints. A value may be an array, which is combined element by
    element. Without positions, the result combines all values.

    There may be several accumulators, each with a kind and sizes. The body then yields a record of
    such records, and the result is the record of the accumulators.

    Sizes depend on no index; a negative size is an error.

    Example:
    ```mlir
    %h = phi.accumulate (%i < %n) into "add" (%bins) -> !phi.vec<f64> {
      %p = phi.get %keys[%i] : !phi.vec<i64>[index]
      %x = phi.get %weights[%i] : !phi.vec<f64>[index]
      %at = phi.tuple (%p, %x) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    %t = phi.accumulate (%i < %n) into "add" (%rows, %columns), "max" ()
        -> tuple<!phi.vec<!phi.vec<f64>>, f64> {
      %p = phi.get %keys[%i] : !phi.vec<i64>[index]
      %x = phi.get %weights[%i] : !phi.vec<f64>[index]
      %at = phi.tuple (%p, %p, %x) : tuple<i64, i64, f64>
      %all = phi.tuple (%x) : tuple<f64>
      %both = phi.tuple (%at, %all) : tuple<tuple<i64, i64, f64>, tuple<f64>>
      phi.yield %both : tuple<tuple<i64, i64, f64>, tuple<f64>>
    }
    ```
    """

    name = "phi.accumulate"

    BINDS_OPERANDS: ClassVar = True

    kinds = prop_def(ArrayAttr[StringAttr])
    ranks_attr = prop_def(DenseArrayBase.constr(i64), prop_name="ranks")
    sizes = var_operand_def(I64)
    extents = var_operand_def(I64)
    result = result_def(VALUE)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect(), Canonical())

    custom_directives = (Accumulations,)
    assembly_format = (
        "custom<Accumulations>($sizes, $kinds, $ranks, $extents, type($result), $body) attr-dict"
    )

    def __init__(
        self,
        sizes: Sequence[SSAValue | Operation],
        into: Sequence[tuple[str, Sequence[SSAValue | Operation]]],
        body: Region,
    ):
        """An accumulation over indices of some sizes, into accumulators of a kind and sizes each.

        The body yields a record for the only accumulator, or a record of records for several.
        """
        ranks = [len(extents) for _, extents in into]
        super().__init__(
            operands=[sizes, [extent for _, extents in into for extent in extents]],
            result_types=[_result_type(body, ranks)],
            regions=[body],
            properties={
                "kinds": ArrayAttr(StringAttr(kind) for kind, _ in into),
                "ranks": int_array(ranks),
            },
        )

    def again(self, sizes: Sequence[SSAValue | Operation], body: Region) -> AccumulateOp:
        """An accumulation of another body, over other indices, into the same accumulators."""
        into = [(each.kind, each.extents) for each in self.accumulators]
        return AccumulateOp(sizes, into, body)

    @property
    def ranks(self) -> Sequence[int]:
        """The number of positions of each accumulator."""
        return ints_of(self.ranks_attr)

    @property
    def accumulators(self) -> Sequence[Accumulator]:
        """The accumulators in order."""
        ranks = self.ranks
        is_single, first = len(ranks) == 1, 0
        found = list[Accumulator]()
        for number, (kind, rank) in enumerate(zip(self.kinds, ranks, strict=True)):
            extents = self.extents[first : first + rank]
            found.append(Accumulator(kind.data, extents, () if is_single else (number,)))
            first += rank
        return found

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.accumulate (i < n) into (m) { p, e }|0 == m``, and ``|..|k+1 == |e|k``"""
        if axis is None:
            return None
        accumulators = self.accumulators
        own = accumulators[path[0] if len(accumulators) > 1 else 0]
        if axis < own.rank:
            return Term(own.extents[axis])
        return Term(self.yielded(), (*own.path, own.rank), axis - own.rank)

    def size_or_count(self, operand: int) -> str | None:
        if operand < len(self.sizes):
            return super().size_or_count(operand)
        return f"size {operand - len(self.sizes)} of the accumulation"

    def flow(self, operand: int) -> Iterable[Flow]:
        """None: sizes flow nowhere."""
        return ()

    def flow_of_step(self) -> Iterable[Flow]:
        """The flow from positions and values: the result has their combinations."""
        yield Flow(self.result, mixed=True, without=frozenset(self.indices))

    def may_fail(self) -> bool:
        return not all(map(is_nonnegative, self.operands))

    def verify_(self) -> None:
        ranks = self.ranks
        if not self.sizes:
            raise self.fail("an accumulation needs at least one index")
        if not ranks or len(ranks) != len(self.kinds):
            kinds = counted(len(self.kinds), "kind")
            raise self.fail(f"{kinds} for {counted(len(ranks), 'accumulator')}")
        if sum(ranks) != len(self.extents) or min(ranks) < 0:
            sizes = counted(len(self.extents), "size")
            raise self.fail(f"{sizes} for accumulators of the ranks {list(ranks)}")
        rows = self._rows(ranks)
        yielded = [tuple_of([*[i64] * rank, row]) for rank, row in zip(ranks, rows, strict=True)]
        expected = yielded[0] if len(yielded) == 1 else tuple_of(yielded)
        self.verify_body(self.index_types, expected)

    def _rows(self, ranks: Sequence[int]) -> list[Attribute]:
        """The types of the values that the accumulators combine, by the type of the result."""
        results = _fields(self.result.type) if len(ranks) > 1 else [self.result.type]
        if len(results) != len(ranks):
            raise self.fail(f"a '{self.result.type}' does not hold {len(ranks)} accumulators")
        rows = list[Attribute]()
        for result, rank, kind in zip(results, ranks, self.kinds, strict=True):
            row = element_of(result, rank)
            if row is None:
                raise self.fail(too_many(rank, "positions", result))
            scalar = scalar_of(row)
            is_known = kind.data in ACCUMULATION_KINDS and is_scalar_type(scalar)
            if not is_known or combination(kind.data, scalar) is None:
                raise self.fail(f"'{kind.data}' does not combine values of type '{row}'")
            rows.append(row)
        return rows


def _fields(type_: Attribute) -> Sequence[Attribute]:
    return type_.types.data if isa(type_, TupleType) else ()


def _result_type(body: Region, ranks: Sequence[int]) -> Attribute:
    """The type of the result of an accumulation with a body."""
    terminator = body.block.last_op
    assert terminator is not None
    yielded = terminator.operands[0].type
    records = [yielded] if len(ranks) == 1 else _fields(yielded)
    results = list(_results(records, ranks))
    return results[0] if len(ranks) == 1 else tuple_of(results)


def _results(records: Iterable[Attribute], ranks: Sequence[int]) -> Iterator[Attribute]:
    for record, rank in zip(records, ranks, strict=True):
        yield vec_of(_fields(record)[-1], rank)
