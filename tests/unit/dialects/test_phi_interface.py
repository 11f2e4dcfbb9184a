"""The interfaces of operations of phi: the flow of fields."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import TupleType, f64

from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Flow, Path

(VALUE,) = test.TestOp(result_types=[TupleType((f64, f64))]).results


@pytest.mark.parametrize(
    ("flow", "path", "expected"),
    [
        (Flow(VALUE), (), ()),
        (Flow(VALUE), (1, 0), (1, 0)),
        (Flow(VALUE, put=(2,)), (1,), (2, 1)),
        (Flow(VALUE, taken=(1,)), (1, 0), (0,)),
        (Flow(VALUE, taken=(1,)), (0,), None),
        (Flow(VALUE, taken=(1,)), (), ()),
        (Flow(VALUE, taken=(1, 2), put=(0,)), (1,), (0,)),
        (Flow(VALUE, mixed=True), (1, 0), ()),
    ],
)
def test_fields_keep_their_places(flow: Flow, path: Path, expected: Path | None) -> None:
    assert flow.follow(path) == expected


def test_a_field_of_a_record_flows_into_and_out_of_it() -> None:
    record = phi.TupleOp([VALUE, VALUE])
    field = phi.ProjOp(record, 1)
    (into,), (out,) = record.flow(1), field.flow(0)
    assert into.follow((0,)) == (1, 0)
    assert out.follow((1, 0)) == (0,)
    assert out.follow((0, 0)) is None
