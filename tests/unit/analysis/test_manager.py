"""Analyses are made once, and dropped where they may be wrong."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.ir import Operation

from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.compiler import parse


class Size:
    """The number of operations, counted when it is made."""

    def __init__(self, root: Operation) -> None:
        self.operations = len(list(root.walk()))


def functions() -> list[Operation]:
    text = "func.func @{}(%x: f64) -> f64 {{ func.return %x : f64 }}"
    return list(parse(text.format("f") + text.format("g")).ops)


def test_analyses_are_kept_by_operation() -> None:
    f, g = functions()
    analyses = AnalysisManager()
    assert analyses.get(Size, f) is analyses.get(Size, f)
    assert analyses.get(Size, f) is not analyses.get(Size, g)
    assert analyses.get(Size, f) is not AnalysisManager().get(Size, f)


def test_analyses_of_one_operation_are_dropped() -> None:
    f, g = functions()
    analyses = AnalysisManager()
    before = [analyses.get(Size, op) for op in (f, g)]
    analyses.invalidate(f)
    assert analyses.get(Size, f) is not before[0]
    assert analyses.get(Size, g) is before[1]


def test_all_analyses_are_dropped() -> None:
    f, g = functions()
    analyses = AnalysisManager()
    before = [analyses.get(Size, op) for op in (f, g)]
    analyses.invalidate()
    assert all(analyses.get(Size, op) is not b for op, b in zip((f, g), before, strict=True))


def test_preserved_analyses_are_kept() -> None:
    f, _ = functions()
    analyses = AnalysisManager()
    size, classes = analyses.get(Size, f), analyses.get(classes_of, f)
    analyses.invalidate(f, preserved=(Size,))
    assert analyses.get(Size, f) is size
    assert analyses.get(classes_of, f) is not classes


def test_classes_of_a_function() -> None:
    text = "func.func @f(%x: f64) -> f64 { %y = arith.addf %x, %x : f64 func.return %y : f64 }"
    (f,) = parse(text).ops
    assert classes_of(f) == {func.FuncOp, func.ReturnOp, arith.AddfOp}
