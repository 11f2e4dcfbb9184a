"""No array of records remains, and values are unchanged."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import FunctionType, TupleType, f64, i64
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.dialects import phi
from ein_mlir.entry import parse
from ein_mlir.interpreters import run
from ein_mlir.passes.phi.struct_of_arrays import convert_type, struct_of_arrays
from tests.fuzzing.phi import arguments, programs
from tests.selection import examples
from tests.unit.passes.phi.test_outline import outcome

PAIR = phi.tuple_of([f64, i64])


def has_array_of_records(type_: Attribute) -> bool:
    """Whether a vector contains a tuple, at any depth."""
    if isinstance(type_, FunctionType):
        return any(map(has_array_of_records, (*type_.inputs, *type_.outputs)))
    if isa(type_, TupleType):
        return any(map(has_array_of_records, type_.types))
    return isa(phi.scalar_of(type_), TupleType)


def test_convert_type():
    assert convert_type(f64) == f64
    assert convert_type(PAIR) == PAIR
    assert convert_type(phi.vec_of(f64, 2)) == phi.vec_of(f64, 2)
    pairs = phi.tuple_of([phi.vec_of(f64, 2), phi.vec_of(i64, 2)])
    assert convert_type(phi.vec_of(PAIR, 2)) == pairs
    inner = phi.vec_of(phi.tuple_of([f64, phi.vec_of(PAIR)]))
    assert convert_type(inner) == phi.tuple_of([phi.vec_of(f64), pairs])


@settings(max_examples=examples(150))
@given(programs(), st.integers(0, 3), st.integers(-1, 3))
def test_evaluation_is_unchanged(text: str, size: int, n: int):
    module = parse(text)
    expected = outcome(module, size, n)
    struct_of_arrays(module)
    module.verify()
    check_dominance(module)
    types = [value.type for op in module.walk() for value in op.results]
    types += [a.type for op in module.walk() for r in op.regions for b in r.blocks for a in b.args]
    types += [type_ for op in module.walk() for type_ in op.properties.values()]
    assert not any(map(has_array_of_records, types))
    assert outcome(module, size, n) == expected


def test_the_body_is_evaluated_once():
    """An array of three fields is one comprehension, whose body is not copied for each field."""
    module = parse("""
        func.func @f(%v: !phi.vec<f64>, %p: !phi.vec<tuple<f64, i64>>, %x: f64, %n: i64)
            -> !phi.vec<tuple<f64, f64, f64>> {
          %a = phi.array (%i < %n) -> !phi.vec<tuple<f64, f64, f64>> {
            %y = phi.get %v[%i] : !phi.vec<f64>[index]
            %z = arith.mulf %y, %x : f64
            %t = phi.tuple (%z, %z, %y) : tuple<f64, f64, f64>
            phi.yield %t : tuple<f64, f64, f64>
          }
          func.return %a : !phi.vec<tuple<f64, f64, f64>>
        }""")
    struct_of_arrays(module)
    names = [op.name for op in module.walk()]
    assert names.count("phi.array") == names.count("arith.mulf") == 1
    first, second, third = run(module, "f", arguments(2, 2)[:4])  # pyright: ignore[reportGeneralTypeIssues]
    assert list(first) == list(second) == [-0.5, 1.0]
    assert list(third) == [-1.0, 2.0]
