"""Mutants of textual IR end in success or in a diagnostic."""

from __future__ import annotations

import pytest

from tools import fuzz

PROGRAM = "func.func @f(%a: f64) -> f64 { func.return %a : f64 }"


def test_some_mutants():
    assert [found for found in fuzz.findings(8, seed=1) if found is not None] == []


@pytest.fixture
def broken_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object):
        raise KeyError("a bug")

    monkeypatch.setattr("xdsl.transforms.dead_code_elimination.DeadCodeElimination.apply", bug)


@pytest.mark.usefixtures("broken_pass")
def test_a_traceback_is_a_finding():
    assert "KeyError" in (fuzz.outcome(("ein-opt", "-p", "dce"), PROGRAM) or "")
    assert fuzz.outcome(("ein-opt",), PROGRAM) is None
    assert fuzz.outcome(("ein-opt",), PROGRAM + "}") is None
