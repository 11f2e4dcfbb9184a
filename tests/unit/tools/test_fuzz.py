"""The searches of ``tools/fuzz.py`` find what is wrong, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir.errors import EinValueError
from ein_mlir.loading import load_source
from tests.fuzzing import texts
from tests.fuzzing.check import Finding, Reference, check, reason_of
from tests.fuzzing.reduction import reduced
from tests.fuzzing.samples import KINDS, Sample, sample
from tests.fuzzing.ways import Way
from tools import fuzz

PROGRAM = "func.func @f(%a: f64) -> f64 { func.return %a : f64 }"
SUM = """
func.func @f(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %x: f64) -> (!phi.vec<f64>, f64) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %y = phi.get %a[%i] : !phi.vec<f64>[index]
    %z = arith.addf %y, %x : f64
    phi.yield %z : f64
  }
  %p = math.sin %x : f64
  %q = arith.mulf %p, %x : f64
  func.return %s, %q : !phi.vec<f64>, f64
}"""
NUMPY = Way("numpy")


def summed(values: list[float] | None = None) -> Sample:
    a = np.array(values or [1.0, 2.0])
    return Sample("phi", 0, SUM, (a, a + 1, 0.25))


@pytest.mark.one_turn
def test_some_mutants():
    assert [found for found in texts.findings(8, seed=1) if found is not None] == []


@pytest.fixture
def broken_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object):
        raise KeyError("a bug")

    monkeypatch.setattr("xdsl.transforms.dead_code_elimination.DeadCodeElimination.apply", bug)


@pytest.mark.usefixtures("broken_pass")
def test_a_traceback_is_a_finding():
    assert "KeyError" in (texts.outcome(("ein-opt", "-p", "dce"), PROGRAM).reason or "")
    assert texts.outcome(("ein-opt",), PROGRAM) == texts.Outcome(0)
    assert texts.outcome(("ein-opt",), PROGRAM + "}") == texts.Outcome(1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_makes_a_sample(kind: str):
    one, other = sample(7, kind), sample(7, kind)
    assert str(one) == str(other)
    assert any(str(sample(k, kind)) != str(one) for k in range(3))


def test_a_finding_is_a_script(capsys: pytest.CaptureFixture[str]):
    exec(str(Finding(summed(), NUMPY, "a reason")), {})
    assert capsys.readouterr().out.count("array([1.25, 2.25])") == 2


def outcome_of(emitted: Any, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """The reason of a finding, if the emitted function is another one."""
    monkeypatch.setattr("ein_mlir.compiler.load_source", lambda *_: emitted)
    given = summed()
    module = given.module()
    return reason_of(module, NUMPY, given.arguments, Reference(module, given.arguments))


X = 0.25
KEPT = np.zeros(2)
WRONG = {
    "values": (lambda a, b, x: (a + 2 * x, np.sin(x) * x), "values"),
    "one unit too far": (lambda a, b, x: (a + x, np.sin(x) * x * (1 + 1e-13)), "values"),
    "shape": (lambda a, b, x: ((a + x)[:1], np.sin(x) * x), "values"),
    "dtype": (lambda a, b, x: ((a + x).astype("f4"), np.sin(x) * x), "float32 instead of float64"),
    "argument": (lambda a, b, x: (a + x, [np.sin(x) * x, b.fill(x)][0]), "an argument"),
    "alias": (lambda a, b, x: (np.add(a, x, out=KEPT), np.sin(x) * x), "shares memory"),
    "exception": (lambda a, b, x: a[7], "IndexError"),
    "error": (lambda a, b, x: np.concatenate([a, x]), "ValueError"),
    "warning": (lambda a, b, x: (a / 0.0, x), "RuntimeWarning"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_code_is_a_finding(name: str, monkeypatch: pytest.MonkeyPatch):
    emitted, reason = WRONG[name]
    assert reason in (outcome_of(emitted, monkeypatch) or "")


def test_pytorch_may_record_derivatives(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("torch")
    seen = list[bool]()

    def emitted(a: Any, b: Any, x: Any) -> Any:
        seen.append(a.requires_grad)
        return a + x, x.sin() * x

    monkeypatch.setattr("ein_mlir.compiler.load_source", lambda *_: emitted)
    given = summed()
    module = given.module()
    known = Reference(module, given.arguments)
    for way in (Way("torch"), Way("torch", recorded=True)):
        assert reason_of(module, way, given.arguments, known) is None
    assert seen == [False, False, True, True]


def test_the_error_of_the_interpreter_is_no_finding(monkeypatch: pytest.MonkeyPatch):
    def failing(a: Any, b: Any, x: Any) -> Any:
        raise EinValueError("the same")

    monkeypatch.setattr("ein_mlir.compiler.load_source", lambda *_: failing)
    given = summed()
    known = Reference(module := given.module(), given.arguments)
    for failure, is_finding in (("the same", False), ("another", True), (None, True)):
        known.failure = failure
        assert (reason_of(module, NUMPY, given.arguments, known) is not None) is is_finding


def test_rounding_is_no_finding(monkeypatch: pytest.MonkeyPatch):
    assert outcome_of(lambda a, b, x: (x + a, np.nextafter(np.sin(x) * x, 1)), monkeypatch) is None


CANCELLATION = """
func.func @f(%x: f64) -> (f64, i1) {
  %c = arith.constant 0.1 : f64
  %y = arith.addf %x, %c : f64
  %z = arith.subf %y, %x : f64
  %w = arith.subf %z, %c : f64
  %0 = arith.constant 0.0 : f64
  %b = arith.cmpf ogt, %w, %0 : f64
  func.return %w, %b : f64, i1
}"""


def test_rounding_that_a_program_magnifies_is_no_finding():
    given = Sample("phi", 0, CANCELLATION, (np.float64(0.7),))
    known = Reference(given.module(), given.arguments)
    known.check((np.float64(1e-17), np.bool_(True)))
    known.check((np.float64(-1e-16), np.bool_(False)))
    with pytest.raises(Exception, match="values"):
        known.check((np.float64(1e-9), np.bool_(True)))


def test_findings_become_small(monkeypatch: pytest.MonkeyPatch):
    """Of a wrong sine there is left one operation."""
    monkeypatch.setattr(
        "ein_mlir.compiler.load_source",
        lambda source, *rest: load_source(source.replace("np.sin", "np.cos"), *rest),
    )
    outcome, (found,) = check(summed([1.0, 2.0, 3.0]), [NUMPY])
    assert outcome == "differs"
    small = reduced(found).sample
    names = [op.name for op in small.module().walk()][2:]
    assert names in (["math.sin", "func.return"], ["arith.constant", "math.sin", "func.return"])
    assert len(small.arguments) <= 1


@pytest.mark.one_turn
def test_the_tool(capsys: pytest.CaptureFixture[str]):
    assert fuzz.main(["--count", "3", "--backends", "numpy", "--kind", "loops"]) == 0
    assert "3 programs" in capsys.readouterr().out
    assert fuzz.main(["--only", "2", "--backends", "numpy", "--kind", "wide-ints"]) == 0
    assert "def f(a, b, s, t, m):" in capsys.readouterr().out
