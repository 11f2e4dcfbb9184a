"""Analyses are made once, and dropped where they may be wrong."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.ir import Operation

from ein_mlir.analysis.manager import AnalysisManager, classes_of, functions_of, structure_of
from ein_mlir.entry import parse


class Size:
    """The number of operations in a function."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        self.operations = len(analyses.get(structure_of, function))


def functions() -> tuple[func.FuncOp, func.FuncOp]:
    text = "func.func @{}(%x: f64) -> f64 {{ func.return %x : f64 }}"
    f, g = functions_of(parse(text.format("f") + text.format("g")))
    return f, g


def test_analyses_are_kept_by_function() -> None:
    f, g = functions()
    analyses = AnalysisManager()
    assert analyses.get(Size, f).operations == 2
    assert analyses.get(Size, f) is analyses.get(Size, f)
    assert analyses.get(Size, f) is not analyses.get(Size, g)
    assert analyses.get(Size, f) is not AnalysisManager().get(Size, f)


def test_analyses_of_one_function_are_dropped() -> None:
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
    size, structure = analyses.get(Size, f), analyses.get(structure_of, f)
    analyses.invalidate(f, preserved=(Size,))
    assert analyses.get(Size, f) is size
    assert analyses.get(structure_of, f) is not structure


PROGRAM = "func.func @f(%x: f64) -> f64 { %y = arith.addf %x, %x : f64 func.return %y : f64 }"


def test_classes_of_a_function() -> None:
    (f,) = functions_of(parse(PROGRAM))
    found = classes_of(f, AnalysisManager())
    assert found >= {func.FuncOp, func.ReturnOp, arith.AddfOp, Operation}
    assert arith.MulfOp not in found


def test_the_structure_shows_what_changed() -> None:
    (f,) = functions_of(parse(PROGRAM))
    before = structure_of(f, AnalysisManager())
    assert structure_of(f, AnalysisManager()) == before
    op = f.body.block.first_op
    assert op is not None
    op.operands[1] = op.results[0]
    assert structure_of(f, AnalysisManager()) != before
    op.operands[1] = op.operands[0]
    assert structure_of(f, AnalysisManager()) == before
    f.body.block.insert_op_before(arith.NegfOp(f.body.block.args[0]), op)
    assert structure_of(f, AnalysisManager()) != before
