"""The benchmark measures the right programs, and does not time wrong results."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("jax")

import ein_mlir
from ein_mlir import array, function
from tests.agreement.cases import CASES
from tests.agreement.cases.case import Case
from tests.agreement.second_set import SECOND_SET
from tests.libraries import needs
from tools import benchmark
from tools.benchmarks.cases import RATIOS
from tools.benchmarks.compile_cases import BY_HAND, _row, _summary
from tools.benchmarks.compile_time import traced_anew
from tools.benchmarks.compilers import MOST_OPERATIONS, by_numba, by_torch
from tools.benchmarks.native import native_memory
from tools.benchmarks.report import Report
from tools.benchmarks.second_set import FIRST_CALL, SLOW, measure_program
from tools.benchmarks.timing import (
    Effort,
    Samples,
    geometric_mean,
    interleaved,
    temporary_memory,
)
from tools.benchmarks.ways import EIN, WAYS, WaysAt, feasible_size, forecast, inputs, slow_ways

pytestmark = pytest.mark.one_turn

ROOT = Path(__file__).resolve().parents[3]
CASE = CASES["softmax-rows"]
TINY = ["--only", "cases", "--sizes", "tiny"]


@function
def transposed(x):
    """A wrong variant."""
    return array(lambda i, j: x[j, i])


def test_command_line() -> None:
    tiny = ["--only", "variants", "--sizes", "tiny", "--cases", CASE.name]
    command = [sys.executable, "tools/benchmark.py", *tiny]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert CASE.variants[0].__name__ in result.stdout


def test_case_and_sweep(tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "a.json"), "--plot", str(tmp_path / "plots" / "a.png")]
    case = replace(CASE, sweep=(3, 4, CASE.small[-1]))
    assert benchmark.main(["--only", "cases", "sweep", "--sizes", "tiny", *files], [case]) == 0
    written = json.loads((tmp_path / "a.json").read_text())
    assert set(written["machine"]) >= {"processor", "cores", "memory", "numpy", "torch", "jax"}
    assert set(written["tables"]) == {"ratios", "times", "memory", "case-compile", "sweep"}
    (row,) = written["tables"]["times"]
    assert set(WAYS) <= set(row)
    assert [row["size"] for row in written["tables"]["sweep"]] == [3, 4, 5]
    assert written["refused"] == []
    assert (tmp_path / "plots" / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("way", ["idiomatic", "expert", "jax", "torch", "oracle"])
def test_wrong_result_is_refused(way: str, tmp_path: Path, capsys) -> None:
    wrong = replace(CASE, **{way: lambda x: x * 2})
    assert benchmark.main([*TINY, "--json", str(tmp_path / "a.json")], [wrong]) == 1
    written = json.loads((tmp_path / "a.json").read_text())
    assert "wrong result" in written["refused"][0]
    assert not written["tables"]
    assert "refused: softmax-rows" in capsys.readouterr().out


def test_result_that_is_wrong_at_the_measured_size_only_is_refused() -> None:
    def expert(x):
        return CASE.idiomatic(x) * (2 if len(x) > CASE.small[-1] else 1)

    case = replace(CASE, expert=expert, sweep=(6, 7, 8), large=8)
    assert benchmark.main(["--only", "cases", "--sizes", "large"], [case]) == 1


def test_error_is_refused() -> None:
    assert benchmark.main(TINY, [replace(CASE, expert=lambda x: x[0, 0, 0])]) == 1


def test_case_is_measured_at_a_size_that_is_feasible(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are given, not measured: the duration of a sleep depends on the load of the machine."""
    case = replace(CASE, sweep=(50, 100, 200, 10_000), large=10_000)

    ways = timed(monkeypatch, {"linear": lambda n: 1e-5 * n, "quadratic": lambda n: 5e-6 * n**2})
    assert feasible_size(case, 10_000, ways) == 200
    assert feasible_size(case, 300, ways) == 300


def test_slow_forecast_is_confirmed_at_larger_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A way may have another version for small arguments."""
    case = replace(CASE, sweep=(10, 20, 200, 2_000, 10_000), large=10_000)
    ways = timed(
        monkeypatch,
        {
            "two versions": lambda n: 1e-6 * n**2 if n < 200 else 1e-5 * n,
            "quadratic": lambda n: 1e-6 * n**2,
            "cubic": lambda n: 1e-6 * n**3,
        },
    )
    assert forecast(case, ways).slow(10_000) == {"two versions", "quadratic", "cubic"}
    assert slow_ways(case, 10_000, ways) == {"quadratic", "cubic"}


def timed(monkeypatch: pytest.MonkeyPatch, seconds: Mapping[str, Callable[[int], float]]) -> WaysAt:
    """Ways whose times are given, at a size."""

    def probe(case: Case, ways: Mapping[str, Any]) -> dict[str, float]:
        return {way: seconds[way](n) for way, n in ways.items()}

    monkeypatch.setattr("tools.benchmarks.ways._probe", probe)
    return lambda n: {way: cast(Any, n) for way in seconds}


def test_first_calls_that_grow_with_the_size_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    case = replace(CASE, sweep=(50, 100, 800), large=800)
    unrolled, constant = "first call, Ein jax", "first call, hand-written JAX"
    calls = dict.fromkeys(("Ein jax", "hand-written JAX"), lambda n: 1e-3)
    first = {unrolled: lambda n: 5e-4 * n**2, constant: lambda n: 20 - n / 100}
    ways = timed(monkeypatch, {**calls, **first})
    assert forecast(case, ways).slow(800) == {"Ein jax"}
    assert feasible_size(case, 800, ways) == 100


def test_slow_programs_of_the_second_set_are_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    case = replace(CASE, sweep=(5, 6, 7), large=7)
    slow = {"Ein jax", "Ein numpy", "hand-written torch"}
    monkeypatch.setattr("tools.benchmarks.second_set._slow", lambda case, size: slow)
    row = measure_program(case, 7, Effort(seconds=0, fewest=1, most=1))
    assert {c for c, cell in row.items() if cell == SLOW} == {
        "NumPy ms", "NumPy / idiomatic", "NumPy / expert", "JAX / JAX", FIRST_CALL
    }  # fmt: skip
    assert row["torch / torch"] == ""


@pytest.mark.one_turn
def test_gradients(tmp_path: Path) -> None:
    command = ["--only", "gradients", "--quick", "--json", str(tmp_path / "a.json")]
    assert benchmark.main(command, [CASE, CASES["levenshtein"]]) == 0
    (row,) = json.loads((tmp_path / "a.json").read_text())["tables"]["gradients"]
    assert row["case"] == CASE.name
    assert row["numpy"] > 0
    assert row["native"] > 0
    assert "<!-- benchmark: gradients -->\n|" in (ROOT / "docs" / "benchmarks.md").read_text()


@pytest.mark.one_turn
def test_compile_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.benchmarks.startup.BACKENDS", ["numpy"])  # a process for each
    command = ["--only", "compile", "--quick", "--json", str(tmp_path / "a.json")]
    assert benchmark.main(command, [CASE]) == 0
    tables = json.loads((tmp_path / "a.json").read_text())["tables"]
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    assert all(f"<!-- benchmark: {key} -->\n|" in page for key in tables)
    assert set(tables) == {
        "compile", "compile-backends", "compile-cases", "compile-functions", "startup"
    }  # fmt: skip
    case, mean, most = tables["compile-cases"]
    assert (case["case"], mean["case"], most["case"]) == (CASE.name, "geometric mean", "maximum")
    for backend in EIN:
        ratio = f"{backend} / JAX"
        assert case[ratio] == pytest.approx(case[f"{backend} ms"] / case["hand-written JAX ms"])
        assert mean[ratio] == pytest.approx(most[ratio]) == pytest.approx(case[ratio])
    for row in tables["compile-functions"]:
        assert row["ms"] == pytest.approx(row["functions"] * row["us per function"] / 1e3)
    steps = {row["step"]: row for row in tables["startup"]}
    assert {"import NumPy", "import ein_mlir after it", "first program"} <= set(steps)
    assert all(row["numpy ms"] > 0 < row["numpy, from disk ms"] for row in steps.values())


def test_compile_time_is_that_of_programs_that_were_not_compiled_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events: list[str] = []
    monkeypatch.setattr("tools.benchmarks.compile_time.clear_cache", lambda: events.append("clear"))

    def program(x):
        events.append("trace")
        return x

    for _ in range(2):
        traced_anew(program, 1.0)
    assert [events[0], events.count("clear")] == ["clear", 2]
    assert events.count("trace") == events.index("clear", 1) * 2 - 2


def test_ratios_of_compile_time() -> None:
    given = {**dict.fromkeys(EIN, 3.0), "numpy": 1.0, "torch": 4.0, "jax": 2.0}
    rows = [_row({**given, BY_HAND: s}) for s in (1.0, 4.0)]
    mean, most = _summary(rows)
    assert (mean["numpy / JAX"], most["numpy / JAX"]) == pytest.approx((0.5, 1.0))
    assert (mean["torch / JAX"], most["jax / JAX"]) == pytest.approx((2.0, 2.0))


def test_variants(tmp_path: Path) -> None:
    command = ["--only", "variants", "--sizes", "tiny", "--json", str(tmp_path / "a.json")]
    assert benchmark.main(command, [CASE]) == 0
    (row,) = json.loads((tmp_path / "a.json").read_text())["tables"]["variants"]
    assert (row["case"], row["variant"]) == (CASE.name, "by_element")
    assert row["ratio"] > 0
    assert benchmark.main(command, [replace(CASE, variants=(transposed,))]) == 1


@pytest.mark.one_turn
def test_second_set(tmp_path: Path) -> None:
    """A program without an expert's version has no such ratio, and a wrong one no row."""
    command = ["--only", "second", "--sizes", "tiny", "--json", str(tmp_path / "a.json")]
    cases = [CASE, replace(CASE, expert=None), replace(CASE, torch=lambda x: x * 2)]
    assert benchmark.main(command, cases) == 1
    written = json.loads((tmp_path / "a.json").read_text())
    assert len(written["refused"]) == 1
    assert list(written["tables"]) == ["second"]
    whole, part, mean = written["tables"]["second"]
    assert (whole["program"], whole["size"], mean["program"]) == (CASE.name, 5, "geometric mean")
    assert (set(RATIOS) | {FIRST_CALL}) <= set(whole)
    assert part["NumPy / expert"] == ""
    assert mean["NumPy / expert"] == pytest.approx(whole["NumPy / expert"])
    for column in (*RATIOS, FIRST_CALL):
        assert whole[column] > 0
    assert mean[FIRST_CALL] == pytest.approx((whole[FIRST_CALL] * part[FIRST_CALL]) ** 0.5)
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    assert "<!-- benchmark: second -->\n|" in page


@needs("native")
def test_native(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in one case leaves the others; `torch.compile` is left out where it fails."""

    def fails(version: Any, arguments: Any) -> str:
        return "no compiler"

    monkeypatch.setattr("tools.benchmarks.native.by_torch", fails)
    monkeypatch.setattr("tools.benchmarks.native.unavailable", lambda: {"numba": "not installed"})
    broken = replace(CASE, inputs=lambda n, dtype, rng: (1 // 0,))
    command = ["--only", "native", "--sizes", "tiny", "--json", str(tmp_path / "a.json")]
    assert benchmark.main([*command, "--threads", "2"], [broken, CASE]) == 1
    written = json.loads((tmp_path / "a.json").read_text())
    assert "ZeroDivisionError" in written["refused"][0]
    assert set(written["tables"]) == {"native", "native-second"}
    row, mean, most = written["tables"]["native"]
    assert (row["case"], mean["case"], most["case"]) == (CASE.name, "geometric mean", "maximum")
    assert "numba" not in row
    assert row["torch.compile"] == ""
    rivals = {way: row[way] for way in ("expert NumPy", "hand-written JAX")}
    assert row["fastest by hand"] == min(rivals, key=lambda way: rivals[way])
    ratio = row["Ein native"] / min(rivals.values())
    assert row["native / fastest"] == most["native / fastest"] == pytest.approx(ratio)
    assert row["memory"] > 0
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    for key in ("native", "native-second"):
        assert f"<!-- benchmark: {key} -->\n|" in page
        assert f"<!-- benchmark: {key}-one-thread -->\n|" in page


@needs("native")
def test_native_on_one_thread_has_a_table_of_its_own(tmp_path: Path) -> None:
    command = ["--only", "native", "--quick", "--threads", "1", "--sizes", "tiny"]
    assert benchmark.main([*command, "--json", str(tmp_path / "a.json")], [CASE]) == 0
    written = json.loads((tmp_path / "a.json").read_text())
    assert set(written["tables"]) == {"native-one-thread"}


@needs("native")
def test_memory_of_native_code() -> None:
    """Of two arrays, one is a temporary: each of its elements is read many times."""

    @function(backend="native")
    def program(x):
        total = array(lambda i: ein_mlir.fold_sum(lambda k: x[k] * x[i]))
        return array(lambda i: ein_mlir.fold_sum(lambda k: total[k] * x[i]))

    x = np.ones(3000)
    program(x)
    assert x.nbytes <= native_memory(lambda: program(x)) < 1.5 * x.nbytes


@pytest.mark.skipif(find_spec("numba") is None, reason="Numba is not installed")
def test_loops_for_numba_are_compiled() -> None:
    arguments = inputs(CASE, 5)
    assert CASE.numba is not None
    compiled = by_numba(CASE.numba)
    np.testing.assert_allclose(compiled(*arguments), CASE.idiomatic(*arguments))
    options = cast(Any, compiled).targetoptions
    assert options["parallel"]
    assert not options.get("fastmath")
    assert by_numba(CASE.numba) is compiled


def test_long_programs_are_not_given_to_torch_compile() -> None:
    import torch

    def program(x):
        for _ in range(MOST_OPERATIONS + 1):
            x = x + 1
        return x

    assert by_torch(program, [torch.ones(3)]) == f"{MOST_OPERATIONS + 1} operations"


def test_cases_are_chosen_by_name() -> None:
    options = benchmark.arguments().parse_args(["--cases", "gat", "heat-1d"])
    assert [case.name for case in benchmark.chosen(options, CASES)] == ["gat"]
    assert [case.name for case in benchmark.chosen(options, SECOND_SET)] == ["heat-1d"]
    assert len(benchmark.chosen(benchmark.arguments().parse_args([]), SECOND_SET)) >= 30


def test_ablation(tmp_path: Path) -> None:
    passes = ["canonicalize", "convert-yarr-to-numpy"]
    options = ["--ablation", *passes, "--sizes", "tiny", "--json", str(tmp_path / "a.json")]
    assert benchmark.main(options, [CASE]) == 0
    tables = json.loads((tmp_path / "a.json").read_text())["tables"]
    (row,) = tables["ablation-cases"]
    assert row["case"] == CASE.name
    assert row["canonicalize"] > 0
    assert row["convert-yarr-to-numpy"] == "needed"
    optional, needed = tables["ablation"]
    assert optional["geometric mean"] == pytest.approx(row["canonicalize"])
    assert needed["geometric mean"] == "needed"
    assert needed["not compiled"] == CASE.name


def test_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n\n<!-- benchmark: b -->\nold\nold\n\nText.\n\n<!-- benchmark: a -->\nold\n"
    )
    report = Report()
    report.show("a", "A", [{"what": "x", "ms": 1.23456}])
    report.update_page(page)
    assert page.read_text() == (
        "# Title\n\n<!-- benchmark: b -->\nold\nold\n\nText.\n\n"
        "<!-- benchmark: a -->\n| what | ms |\n| --- | ---: |\n| x | 1.23 |\n"
    )
    report.update_page(page)
    assert page.read_text().count("1.23") == 1


def test_timing() -> None:
    calls: list[str] = []
    actions = {name: lambda name=name: calls.append(name) for name in "ab"}
    samples = interleaved(actions, Effort(seconds=0, fewest=3, most=5))
    assert calls == ["a", "b"] * 3
    assert all(len(s.seconds) == 3 and s.least <= s.median for s in samples.values())
    slow, fast = Samples([2.0, 2.0]), Samples([0.1, 0.1])
    effort = Effort(seconds=3, fewest=2, most=3)
    assert effort.is_enough(slow)
    assert not effort.is_enough(fast)
    assert not effort.is_enough(Samples([9.0]))
    assert effort.is_enough(Samples([0.1] * 3))
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)


def test_temporary_memory_is_without_the_result() -> None:
    def action():
        temporary = np.ones(1_000_000)
        return temporary[:10] * 2

    assert 8_000_000 <= temporary_memory(action) < 8_200_000
    assert temporary_memory(lambda: np.ones(1_000_000)) < 200_000
