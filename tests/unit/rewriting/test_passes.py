"""A pass on functions runs where there is work, and drops what it did not preserve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from ein_mlir import universe
from ein_mlir.analysis.manager import Analysis, AnalysisManager, classes_of, functions_of
from ein_mlir.entry import parse
from ein_mlir.rewriting.passes import FunctionPass

PROGRAM = """
func.func private @declared(f64) -> f64
func.func @sum(%x: f64) -> f64 { %y = arith.addf %x, %x : f64 func.return %y : f64 }
func.func @product(%x: f64) -> f64 { %y = arith.mulf %x, %x : f64 func.return %y : f64 }
"""


class SpyPass(FunctionPass):
    """Notes the functions that it runs on; negates their first argument where it is to change."""

    name = "spy"
    changes: ClassVar[bool] = False
    seen: ClassVar[list[str]] = []

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        self.seen.append(function.sym_name.data)
        block = function.body.block
        if self.changes and block.first_op is not None:
            block.insert_op_before(arith.NegfOp(block.args[0]), block.first_op)


@pytest.fixture
def module() -> ModuleOp:
    return parse(PROGRAM)


def spy(
    looks_for: tuple[type[Operation], ...] = (),
    changes: bool = False,
    preserves: Sequence[Analysis] = (),
) -> SpyPass:
    fields = {
        "looks_for": looks_for,
        "changes": changes,
        "preserves": tuple(preserves),
        "seen": list[str](),
    }
    return type("SpyPass", (SpyPass,), fields)()


def test_functions_with_a_body(module: ModuleOp) -> None:
    assert [function.sym_name.data for function in functions_of(module)] == ["sum", "product"]


@pytest.mark.parametrize(
    ("looks_for", "seen"),
    [
        ((), ["sum", "product"]),
        ((arith.AddfOp,), ["sum"]),
        ((arith.SubfOp,), []),
        ((arith.SubfOp, arith.MulfOp), ["product"]),
        ((func.ReturnOp,), ["sum", "product"]),
        ((Operation,), ["sum", "product"]),
    ],
)
def test_pass_runs_where_it_finds_what_it_looks_for(
    module: ModuleOp, looks_for: tuple[type[Operation], ...], seen: list[str]
) -> None:
    pass_ = spy(looks_for)
    pass_.apply(Context(), module)
    assert pass_.seen == seen


@pytest.mark.parametrize(
    ("beside", "seen"),
    [
        ((arith.AddfOp,), ["sum"]),
        ((arith.SubfOp,), []),
        ((arith.SubfOp, arith.MulfOp), ["product"]),
    ],
)
def test_pass_needs_one_of_each_group(
    module: ModuleOp, beside: tuple[type[Operation], ...], seen: list[str]
) -> None:
    pass_ = spy((func.ReturnOp,))
    type(pass_).beside = beside
    pass_.apply(Context(), module)
    assert pass_.seen == seen


@pytest.mark.parametrize(
    ("changes", "preserves", "kept"),
    [(False, (), True), (True, (), False), (True, (classes_of,), True)],
)
def test_analyses_hold_until_a_function_changes(
    module: ModuleOp, changes: bool, preserves: Sequence[Analysis], kept: bool
) -> None:
    analyses = AnalysisManager()
    before = [analyses.get(classes_of, function) for function in functions_of(module)]
    spy((arith.AddfOp,), changes, preserves).run_on_module(module, analyses)
    after = [analyses.get(classes_of, function) for function in functions_of(module)]
    assert (after[0] is before[0]) is kept
    assert after[1] is before[1]


def test_what_a_pass_made_is_found_by_the_next(module: ModuleOp) -> None:
    class Difference(SpyPass):
        """Puts a difference before a sum."""

        looks_for = (arith.AddfOp,)

        def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
            first = function.body.block.first_op
            assert isinstance(first, arith.AddfOp)
            function.body.block.insert_op_before(arith.SubfOp(first.lhs, first.rhs), first)

    analyses = AnalysisManager()
    second = spy((arith.SubfOp,))
    second.run_on_module(module, analyses)
    assert second.seen == []
    Difference().run_on_module(module, analyses)
    second.run_on_module(module, analyses)
    assert second.seen == ["sum"]


@pytest.mark.parametrize(
    ("is_idempotent", "changes", "runs"), [(True, False, 1), (False, False, 2), (True, True, 2)]
)
def test_idempotent_passes_run_again_after_another_pass_only(
    module: ModuleOp, is_idempotent: bool, changes: bool, runs: int
) -> None:
    first, other = spy(), spy(changes=changes)
    type(first).is_idempotent = is_idempotent
    analyses = AnalysisManager()
    for each in (first, other, first):
        each.run_on_module(module, analyses)
    assert first.seen == ["sum", "product"] * runs


@pytest.mark.parametrize(
    ("after", "changes", "runs"), [("spy", True, 2), ("spy", False, 1), ("other", True, 1)]
)
def test_passes_run_again_after_those_that_make_new_work(
    module: ModuleOp, after: str, changes: bool, runs: int
) -> None:
    first, other = spy(), spy(changes=changes)
    type(first).runs_again_after = (after,)
    analyses = AnalysisManager()
    for each in (first, other, first):
        each.run_on_module(module, analyses)
    assert first.seen == ["sum", "product"] * runs


def test_the_flags_of_passes_that_make_new_work() -> None:
    for loader in universe.PASSES.values():
        if issubclass(pass_type := loader(), FunctionPass):
            assert universe.PASSES.keys() >= set(pass_type.runs_again_after)


BRANCHES = """
func.func @f(%c: i1, %x: f64) -> f64 {
  cf.cond_br %c, ^a, ^b
^a:
  func.return %x : f64
^b:
  func.return %x : f64
}
"""


def test_functions_of_several_blocks_are_left_alone_or_refused() -> None:
    refusing = set[str]()
    for flag, loader in universe.PASSES.items():
        module = parse(BRANCHES)
        try:
            loader()().apply(Context(), module)
        except PassFailedException:
            refusing.add(flag)
    conversions = {flag for flag, folder in universe.FOLDERS.items() if folder == "conversions"}
    of_phi = {flag for flag in conversions if flag.startswith("convert-")} - {"convert-rho-to-phi"}
    assert refusing >= of_phi


IMPROVING = [flag for flag, folder in universe.FOLDERS.items() if folder != "conversions"]


@pytest.mark.parametrize("flag", IMPROVING)
def test_passes_leave_functions_alone_where_there_is_nothing_to_do(
    flag: str, module: ModuleOp
) -> None:
    """Scalar functions: no pass on functions improves them."""
    pass_type = universe.PASSES[flag]()
    if issubclass(pass_type, FunctionPass):
        before = str(module)
        pass_type().run_on_module(module, AnalysisManager())
        assert str(module) == before
