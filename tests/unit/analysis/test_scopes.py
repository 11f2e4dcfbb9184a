"""The scopes of definitions, and the captured values of bodies."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ein_mlir.analysis.scopes import (
    around,
    block_of,
    blocks_around,
    captured,
    innermost_first,
    is_defined_in,
    is_within,
    operands_within,
)
from ein_mlir.dialects import phi

PROGRAM = """
func.func @f(%a: !phi.vec<f64>, %n: i64, %x: f64) -> f64 {
  %s = phi.fold (%k < %n, %acc = %x) -> f64 {
    %t = phi.fold (%l < %k, %inner = %acc) -> f64 {
      %v = phi.get %a[%l] : !phi.vec<f64>[i64]
      %w = arith.addf %inner, %v : f64
      phi.yield %w : f64
    }
    phi.yield %t : f64
  }
  func.return %s : f64
}
"""


@pytest.fixture
def module(program: Callable[[str], ModuleOp]) -> ModuleOp:
    return program(PROGRAM)


@pytest.fixture
def find(module: ModuleOp, value: Callable[[ModuleOp, str], SSAValue]) -> Callable[[str], SSAValue]:
    return lambda name: value(module, name)


def folds(module: ModuleOp) -> list[phi.FoldOp]:
    """The inner fold, and the outer one."""
    return innermost_first(module, phi.FoldOp)


def test_inner_operations_come_first(find: Callable[[str], SSAValue], module: ModuleOp):
    assert [fold.result for fold in folds(module)] == [find("t"), find("s")]


@pytest.mark.parametrize(
    ("name", "directly", "anywhere"),
    [
        ("k", True, True),
        ("t", True, True),
        ("w", False, True),
        ("l", False, True),
        ("s", False, False),
        ("x", False, False),
    ],
)
def test_what_a_body_defines(
    find: Callable[[str], SSAValue], module: ModuleOp, name: str, directly: bool, anywhere: bool
):
    outer, found = folds(module)[1], find(name)
    assert is_defined_in(found, outer.body.block) is directly
    assert (block_of(found) is outer.body.block) is directly
    assert is_within(found, outer) is anywhere
    assert is_within(found, outer.body.block) is anywhere


def test_what_is_around(module: ModuleOp):
    inner, outer = folds(module)
    function = outer.parent_op()
    assert list(around(inner)) == [inner, outer, function, module]
    assert blocks_around(inner) == [module.body.block, outer.parent, outer.body.block]


def test_what_is_read(find: Callable[[str], SSAValue], module: ModuleOp):
    inner, outer = folds(module)
    assert list(captured(inner)) == [find("a")]
    assert list(captured(outer)) == [find("a")]
    names = [value.name_hint for value in operands_within(inner)]
    assert names == ["k", "acc", "a", "l", "inner", "v", "w"]
