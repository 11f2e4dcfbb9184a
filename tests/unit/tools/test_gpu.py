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
    path, page = tmp_path / "out" / "gpu.json", tmp_path / "page.md"
    page.write_text("<!-- benchmark: gpu-speed -->\n\nafter\n")
    programs = ["--programs", "matrix_product", "softmax-rows"]
    files = ["--json", str(path), "--page", str(page)]
    assert gpu.main(["--device", "cpu", "--quick", *files, *programs]) == 0
    written = json.loads(path.read_text())
    assert [row["library"] for row in written["tables"]["gpu-agreement"]] == ["torch", "jax"]
    assert [row["comparisons"] for row in written["tables"]["gpu-agreement"]] == [2, 2]
    assert not any(row["wrong"] for row in written["tables"]["gpu-agreement"])
    case, means = written["tables"]["gpu-speed"]
    assert (case["case"], means["case"]) == ("softmax-rows", "geometric mean")
    for column in ("PyTorch / by hand", "JAX / by hand", "first call, JAX"):
        assert means[column] == pytest.approx(case[column])
    assert means["size"] == ""
    assert "| softmax-rows |" in page.read_text()
    assert "device of torch" in written["machine"]
    assert "hand-written code" in capsys.readouterr().out


@pytest.mark.one_turn
def test_several_processes() -> None:
    options = gpu.parser().parse_args(["--device", "cpu", "--quick", "--jobs", "2"])
    with gpu.all_comparisons(["matrix_product", "softmax-rows"], options) as found:
        for comparisons in found:
            assert [c.library for c in comparisons] == ["torch", "jax"]
            assert not any(c.failure for c in comparisons)


def test_programs_without_arrays_are_not_timed() -> None:
    assert "fft" in gpu.TIMED
    assert "collatz" not in gpu.TIMED


SOFTMAX = gpu.subjects()["softmax-rows"]
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
    report, on = Report(), devices("cpu")
    compared = [gpu.comparisons(subject, on, True) for subject in (SOFTMAX, broken)]
    gpu.agreement(report, on, compared, 2)
    assert [row["wrong"] for row in report.tables["gpu-agreement"].rows] == [1, 1]
    assert len(report.failures) == 2


def test_hand_written_code_must_agree() -> None:
    case = CASES["attention"]
    wrong = replace(case, torch=lambda *arguments: case.torch(*arguments) * 2)
    report, options = Report(), gpu.parser().parse_args(["--quick"])
    gpu.speed(report, [device_of("torch", "cpu")], [wrong], options)
    assert "attention at 2 (PyTorch, cpu)" in report.failures[0]
    (row, _) = report.tables["gpu-speed"].rows
    assert set(row) == {"case", "size"}


def test_sizes_that_keep_a_device_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    class Idle(Device):
        def finished(self, result: Any) -> Any:
            return result

    case, cpu = CASES["softmax-rows"], device_of("torch", "cpu")
    device = Idle(cpu.library, "gpu", cpu.handle)
    assert gpu.busy_size(case, cpu, "float32") == case.large
    small = replace(case, large=2)
    monkeypatch.setattr(gpu, "BUSY", 1e3)
    assert gpu.busy_size(small, device, "float32") == 2 * 2**gpu.DOUBLINGS
    monkeypatch.setattr(gpu, "LARGEST", 1)
    assert gpu.busy_size(small, device, "float32") == 2


def test_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(NoSuchDeviceError, match="PyTorch sees no GPU"):
        device_of("torch", "gpu")
    with pytest.raises(SystemExit):
        gpu.main(["--device", "gpu"])
