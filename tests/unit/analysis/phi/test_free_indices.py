"""The indices that values vary with."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp, f64, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.dialects import phi

Free = Callable[..., set[str]]


@pytest.fixture
def free(
    program: Callable[[str], ModuleOp], value: Callable[[ModuleOp, str], SSAValue]
) -> Callable[[str], Free]:
    """`free(body)(name, leaf)`: the names of the free indices of a value of a function."""

    def free(body: str) -> Free:
        module = program(
            "func.func @f(%n: i64, %x: f64, %a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>) {\n"
            f"{body}\nfunc.return\n}}"
        )
        indices = FreeIndices(module)
        return lambda name, leaf=0: {
            index.name_hint or "" for index in indices.of(value(module, name), leaf)
        }

    return free


def test_leaf_types():
    nested = phi.tuple_of([f64, phi.tuple_of([i64, phi.tuple_of([])]), phi.vec_of(f64)])
    assert leaf_types(nested) == (f64, i64, phi.vec_of(f64))


def test_comprehension_binds(free: Callable[[str], Free]):
    of = free(
        """
        %b = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
          %c = phi.array (%j < %n) -> !phi.vec<f64> {
            %y = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
            %z = phi.get %v[%j] : !phi.vec<f64>[index]
            phi.yield %y : f64
          }
          %s = phi.size %c, 0 : !phi.vec<f64>
          phi.yield %c : !phi.vec<f64>
        }"""
    )
    assert of("i") == {"i"}
    assert of("y") == {"i", "j"}
    assert of("z") == {"j"}
    assert of("c") == {"i"}
    assert of("s") == set(), "sizes vary with no index"
    assert of("b") == set()


def test_accumulator_is_a_fixpoint(free: Callable[[str], Free]):
    """The step brings %i in only through the accumulator's second step."""
    of = free(
        """
        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          %0 = arith.index_cast %i : index to i64
          %y = arith.sitofp %0 : i64 to f64
          %t0 = phi.tuple (%x, %x) : tuple<f64, f64>
          %r = phi.fold (%k < %n, %acc = %t0) -> tuple<f64, f64> {
            %p = phi.proj %acc, 1 : tuple<f64, f64> -> f64
            %t = phi.tuple (%p, %y) : tuple<f64, f64>
            phi.yield %t : tuple<f64, f64>
          }
          phi.yield %y : f64
        }"""
    )
    assert of("p") == {"i"}
    assert of("acc", 0) == of("acc", 1) == {"i"}
    assert of("r", 0) == of("r", 1) == {"i"}
    assert of("k") == set()


def test_records_are_followed_by_field(free: Callable[[str], Free]):
    of = free(
        """
        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          %y = phi.get %v[%i] : !phi.vec<f64>[index]
          %s = phi.tuple (%x, %y) : tuple<f64, f64>
          %t = phi.tuple (%s, %x) : tuple<tuple<f64, f64>, f64>
          %u = phi.proj %t, 0 : tuple<tuple<f64, f64>, f64> -> tuple<f64, f64>
          %p = phi.proj %u, 0 : tuple<f64, f64> -> f64
          %q = phi.proj %u, 1 : tuple<f64, f64> -> f64
          phi.yield %q : f64
        }"""
    )
    assert [of("t", leaf) for leaf in range(3)] == [set(), {"i"}, set()]
    assert of("p") == set()
    assert of("q") == {"i"}


def test_record_of_arrays(free: Callable[[str], Free]):
    of = free(
        """
        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          %y = phi.get %v[%i] : !phi.vec<f64>[index]
          %c = phi.array (%j < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
            %z = phi.get %v[%j] : !phi.vec<f64>[index]
            %t = phi.tuple (%y, %z) : tuple<f64, f64>
            phi.yield %t : tuple<f64, f64>
          }
          %m = phi.reduce %c : tuple<!phi.vec<f64>, !phi.vec<f64>> identity %one
              by (%p, %q) -> tuple<f64, f64> {
            phi.yield %q : tuple<f64, f64>
          }
          phi.yield %y : f64
        }""".replace("%b = ", "%one = phi.tuple (%x, %x) : tuple<f64, f64>\n%b = ")
    )
    assert of("c", 0) == {"i"}
    assert of("c", 1) == set()
    assert of("m", 0) == of("p", 0) == {"i"}
    assert of("m", 1) == of("q", 1) == set()


def test_reduction(free: Callable[[str], Free]):
    of = free(
        """
        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          %y = phi.get %v[%i] : !phi.vec<f64>[index]
          %r = phi.reduce %v identity %x by (%p, %q) -> f64 {
            %w = arith.mulf %p, %y : f64
            phi.yield %w : f64
          }
          phi.yield %r : f64
        }"""
    )
    assert of("r") == of("p") == of("q") == of("w") == {"i"}
