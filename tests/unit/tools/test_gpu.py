"""The script for GPUs, on the CPU: comparisons, failures, and measurements."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("jax")

from tests.agreement.cases import CASES
from tools import gpu
from tools.benchmarks.devices import LIBRARIES, Device, NoSuchDeviceError, device_of, devices
from tools.benchmarks.report import Report


def test_quick_mode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out" / "gpu.json"
    programs = ["--programs", "matrix_product", "softmax-rows"]
    assert gpu.main(["--device", "cpu", "--quick", "--json", str(path), *programs]) == 0
    written = json.loads(path.read_text())
    assert [row["library"] for row in written["tables"]["agreement"]] == ["torch", "jax"]
    assert [row["comparisons"] for row in written["tables"]["agreement"]] == [2, 2]
    assert not any(row["wrong"] for row in written["tables"]["agreement"])
    rows = written["tables"]["speed"]
    assert {(row["case"], row["with"]) for row in rows} == {
        (name, library) for name in gpu.SIZES for library in ("torch", "jax")
    }
    for row in rows:
        assert row["ratio"] == pytest.approx(row["Ein ms"] / row["by hand ms"])
        assert row["Ein GB/s"] > 0
    assert "device of torch" in written["machine"]
    assert "hand-written code" in capsys.readouterr().out


SOFTMAX = next(subject for subject in gpu.subjects() if subject.name == "softmax-rows")
ONES, HALVES = np.ones((2, 2)), np.full((2, 2), 0.5)


@pytest.mark.parametrize("library", LIBRARIES)
def test_disagreement(library: str) -> None:
    cpu = device_of(library, "cpu")
    assert gpu.disagreement(SOFTMAX, cpu, (ONES,), HALVES) is None
    assert "Not equal to tolerance" in str(gpu.disagreement(SOFTMAX, cpu, (ONES,), ONES))
    assert "EinTypeError" in str(gpu.disagreement(SOFTMAX, cpu, (ONES[0],), ONES))


@pytest.mark.parametrize("library", LIBRARIES)
def test_results_on_another_device(library: str) -> None:
    class Elsewhere(Device):
        def holds(self, array: Any) -> bool:
            return False

    cpu = device_of(library, "cpu")
    elsewhere = Elsewhere(cpu.library, cpu.kind, cpu.handle)
    error = gpu.disagreement(SOFTMAX, elsewhere, (ONES,), HALVES)
    assert "1 results are on another device" in str(error)


def test_wrong_results_are_counted() -> None:
    def result(_: Any, backend: str) -> Any:
        return ONES if backend == "naive" else device_of(backend, "cpu").put(HALVES)

    broken: Any = replace(SOFTMAX, program=SimpleNamespace(eval=result))
    report = Report()
    gpu.agreement(report, devices("cpu"), [SOFTMAX, broken], quick=True)
    assert [row["wrong"] for row in report.tables["agreement"].rows] == [1, 1]
    assert len(report.failures) == 2


def test_hand_written_code_must_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["attention"]
    wrong = replace(case, torch=lambda *arguments: case.torch(*arguments) * 2)
    monkeypatch.setitem(CASES, "attention", wrong)
    report, options = Report(), gpu.parser().parse_args(["--quick"])
    gpu.speed(report, [device_of("torch", "cpu")], {"attention": 5}, "float32", options)
    assert "attention (torch, cpu)" in report.failures[0]
    assert not report.tables


def test_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(NoSuchDeviceError, match="PyTorch sees no GPU"):
        device_of("torch", "gpu")
    with pytest.raises(SystemExit):
        gpu.main(["--device", "gpu"])
