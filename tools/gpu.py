"""Run programs on a GPU with PyTorch and JAX: do they agree, and are they as fast as by hand?

First all programs of the agreement tests run on the device and are compared with the reference
interpreter; results must be on the device. Then emitted code and hand-written code of the cases
and of the second set alternate, at sizes that keep the device busy, and are timed until the device
is done. Without a GPU all of it runs on the CPU. The exit status is 1 if a result is wrong.

    python tools/gpu.py                                  # the first GPU, else the CPU
    python tools/gpu.py --device cpu --quick
    python tools/gpu.py --only agreement --jobs 8
    python tools/gpu.py --only speed --dtype float64 --json out/gpu.json
    python tools/gpu.py --only speed --programs attention fft
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from math import log2
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# JAX would take most of the memory of a GPU, which PyTorch and other processes need as well.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import numpy as np
import torch

from ein_mlir import Function, clear_cache, function
from tests.agreement.cases import CASES
from tests.agreement.cases.case import Arguments, Case
from tests.agreement.comparison import assert_agree, leaves
from tests.agreement.programs import PROGRAMS
from tests.agreement.second_set import SECOND_SET
from tools.benchmarks.devices import Device, NoSuchDeviceError, devices, on_host
from tools.benchmarks.report import Report, Row, cell
from tools.benchmarks.timing import Action, Effort, geometric_mean, interleaved, once
from tools.benchmarks.ways import untraced

DTYPES = ("float64", "float32")
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
"""Relative and absolute: elementary functions of devices differ in their last digits."""
TOLERANCE_OF_LARGE = {"float64": 1e-8, "float32": 1e-3}
"""The same for the timed sizes, at which sums are long."""

SECTIONS = ("agreement", "speed")
TIMED = {
    name: case
    for name, case in {**CASES, **SECOND_SET}.items()
    if any(
        isinstance(value, np.ndarray)
        for value in case.inputs(2, "float32", np.random.default_rng(0))
    )
}
"""The timed programs. A program without arrays among its arguments runs where the library likes."""

BUSY = 5e-3
"""Seconds that hand-written PyTorch takes at a size that keeps a device busy."""
LARGEST = 2**27
"""Bytes that arguments do not exceed because a size is doubled."""
DOUBLINGS = 4
"""How often the size of a benchmark for CPUs is doubled at most."""


@dataclass(frozen=True)
class Subject:
    """A program, and a function that makes its arguments for a size and a dtype."""

    name: str
    program: Function
    inputs: Callable[..., Sequence[Any]]
    sizes: Sequence[int]


@cache
def subjects() -> Mapping[str, Subject]:
    """All programs of the agreement tests, by name."""
    small = [Subject(name, p.function, p.inputs, (0, 1, 2, 5)) for name, p in PROGRAMS.items()]
    cases = [
        Subject(c.name, c.program, c.inputs, c.small) for c in {**CASES, **SECOND_SET}.values()
    ]
    return {subject.name: subject for subject in small + cases}


# Agreement ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """The outcome of a comparison with the reference interpreter on a device of a library."""

    library: str
    failure: str | None


def agreement(
    report: Report, on: Sequence[Device], compared: Iterable[Sequence[Comparison]], count: int
) -> None:
    """Report the comparisons of ``count`` programs: a row for each library."""
    found = list[Comparison]()
    with report.progress() as progress:
        for comparisons in progress.track(compared, total=count, description="agreement"):
            found += comparisons
            for comparison in comparisons:
                if comparison.failure is not None:
                    report.fail(comparison.failure)
    rows: list[Row] = [
        {
            "library": device.library,
            "device": device.name,
            "programs": count,
            "comparisons": len(of_library := [c for c in found if c.library == device.library]),
            "wrong": sum(c.failure is not None for c in of_library),
        }
        for device in on
    ]
    report.show("gpu-agreement", "Programs against the reference interpreter", rows)


def comparisons(subject: Subject, on: Sequence[Device], quick: bool) -> list[Comparison]:
    """Compare a program with the reference interpreter on devices, at its sizes in all dtypes."""
    found = list[Comparison]()
    for size in subject.sizes[-1:] if quick else subject.sizes:
        for dtype in DTYPES[-1:] if quick else DTYPES:
            inputs = subject.inputs(size, dtype, np.random.default_rng(size))
            expected = subject.program.eval(*inputs, backend="naive")
            for device in on:
                error = disagreement(subject, device, inputs, expected)
                where = f"{device.library}, {device.kind}, {dtype}, size {size}"
                failure = error and f"{subject.name} ({where}): {error}"
                found.append(Comparison(device.library, failure))
    return found


def comparisons_by_name(name: str, device: str, quick: bool) -> list[Comparison]:
    """The same in a process of its own, which has the devices to itself."""
    return comparisons(subjects()[name], devices(device), quick)


@contextmanager
def all_comparisons(names: Sequence[str], options: Any) -> Iterator[Iterable[list[Comparison]]]:
    """The comparisons of programs, by several processes if that is requested."""
    if options.jobs == 1:
        on = devices(options.device)
        yield (comparisons(subjects()[name], on, options.quick) for name in names)
        return
    # A process that has used a GPU cannot be forked.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        run = partial(comparisons_by_name, device=options.device, quick=options.quick)
        yield pool.map(run, names)


def disagreement(
    subject: Subject, device: Device, inputs: Sequence[Any], expected: Any
) -> str | None:
    """The failure of a program on a device, as a message; None if it agrees with the reference."""
    arguments = [device.put(value) for value in inputs]
    try:
        result = device.finished(subject.program.eval(*arguments, backend=device.library))
        if any(isinstance(value, np.ndarray) for value in inputs):
            elsewhere = [array for array in leaves(result) if not device.holds(array)]
            assert not elsewhere, f"{len(elsewhere)} results are on another device"
        assert_agree(on_host(result), expected, TOLERANCE)
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return None


# Speed ----------------------------------------------------------------------------------------


def speed(report: Report, on: Sequence[Device], cases: Iterable[Case], options: Any) -> None:
    """Time emitted code and hand-written code: a row for each case."""
    effort = Effort(seconds=0.02, fewest=2, most=3) if options.quick else Effort(0.2, 3, 30)
    rows = list[dict[str, Any]]()
    with report.progress() as progress, in_full_precision():
        for case in progress.track(list(cases), description="speed"):
            size = case.small[-1] if options.quick else busy_size(case, on[0], options.dtype)
            inputs = arguments(case, size, options.dtype)
            row = {"case": case.name, "size": size}
            for device in on:
                choose_kernels(case, device, inputs)
                for what, pair in pairs(case, device, compiled=options.compile).items():
                    try:
                        row |= compared(device, what, pair, inputs, effort)
                    except Exception as error:
                        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                        report.fail(f"{case.name} at {size} ({what}, {device.kind}): {reason}")
            report.say(", ".join(f"{column} {cell(value)}" for column, value in row.items()))
            rows.append(row)
            torch.cuda.empty_cache()
    title = f"Emitted code and hand-written code, {options.dtype}, {', '.join(d.name for d in on)}"
    report.show("gpu-speed", title, [*completed(rows)])


@contextmanager
def in_full_precision() -> Iterator[None]:
    """Products of floats without the shorter formats of GPUs, and 64 bits in JAX."""
    before = torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = False
    try:
        with jax.default_matmul_precision("highest"), jax.enable_x64(True):
            yield
    finally:
        torch.backends.cudnn.allow_tf32 = before


def arguments(case: Case, size: int, dtype: str) -> Arguments:
    """The arguments of a case; deterministic."""
    return case.inputs(size, dtype, np.random.default_rng(0))


def busy_size(case: Case, device: Device, dtype: str) -> int:
    """A size at which hand-written code keeps a device busy, if one of acceptable memory does.

    On the CPU it is the size of the benchmarks.
    """
    if device.kind == "cpu":
        return case.large
    size, growth = case.large, growth_of_doubled(case, dtype)
    for _ in range(DOUBLINGS):
        inputs = arguments(case, size, dtype)
        action = partial(device.waiting(by_hand(case, device)), *map(device.put, inputs))
        action()
        if once(action) >= BUSY or growth * bytes_of(inputs) >= LARGEST:
            break
        size *= 2
    return size


def growth_of_doubled(case: Case, dtype: str) -> float:
    """The factor by which the bytes of arguments grow if a size is doubled.

    A size may be a logarithm.
    """
    small, large = case.sweep[0], case.sweep[-1]
    before, after = (max(1, bytes_of(arguments(case, size, dtype))) for size in (small, large))
    return (after / before) ** (1 / log2(large / small))


def bytes_of(arrays: Iterable[Any]) -> int:
    """The bytes of the arrays among values."""
    return sum(value.nbytes for value in arrays if isinstance(value, np.ndarray))


def by_hand(case: Case, device: Device) -> Callable[..., Any]:
    """The hand-written version of a case for a library; that for JAX is jitted."""
    if device.library == "jax":
        return jax.jit(lambda *values: case.jax(*values), static_argnums=case.static)
    return case.torch


def choose_kernels(case: Case, device: Device, inputs: Arguments) -> None:
    """Run hand-written code once: XLA tries kernels for products, and keeps what it chose.

    First calls that follow compile, but choose no more.
    """
    if device.library == "jax":
        device.finished(by_hand(case, device)(*map(device.put, inputs)))


def pairs(
    case: Case, device: Device, *, compiled: bool
) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    """Emitted code and hand-written code, by the mode in which the library runs them."""
    clear_cache()
    hand_written, program = by_hand(case, device), untraced(case.program)
    if device.library == "jax":
        return {"JAX": (program.jax, hand_written)}
    found = {"PyTorch": (program.torch, hand_written)}
    if compiled:
        emitted = function(program, jit=True).torch
        found["torch.compile"] = emitted, torch.compile(case.torch)
    return found


def compared(
    device: Device,
    what: str,
    pair: tuple[Callable[..., Any], Callable[..., Any]],
    inputs: Sequence[Any],
    effort: Effort,
) -> dict[str, float]:
    """The figures of emitted code and of hand-written code, whose results must agree.

    First calls include compilation; with PyTorch that of emitted code alone, which is not shown.
    """
    values = [device.put(value) for value in inputs]
    ours, theirs = (partial(device.waiting(f), *values) for f in pair)
    (first, result), (other, expected) = timed(ours), timed(theirs)
    assert_agree(on_host(result), on_host(expected), TOLERANCE_OF_LARGE, dtypes=False)
    del result, expected
    samples = interleaved({"ours": ours, "theirs": theirs}, effort)
    least = samples["ours"].least, samples["theirs"].least
    figures = {f"{what} ms": least[0] * 1e3, ratio_of(what): least[0] / least[1]}
    return figures | ({} if what == "PyTorch" else {first_of(what): first / other})


def ratio_of(what: str) -> str:
    """The column of the ratio to hand-written code."""
    return f"{what} / by hand"


def first_of(what: str) -> str:
    """The column of the ratio of first calls."""
    return f"first call, {what}"


def timed(action: Action) -> tuple[float, Any]:
    """The seconds of a call, and its result."""
    results = list[Any]()
    seconds = once(lambda: results.append(action()))
    return seconds, results[0]


def completed(rows: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Rows with all columns, those that a case lacks empty, and a row of the geometric means."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    for row in rows:
        yield {column: row.get(column, "") for column in columns}
    means = {
        column: geometric_mean(row[column] for row in rows if column in row)
        for column in columns
        if column.endswith("/ by hand") or column.startswith("first call")
    }
    yield {column: means.get(column, "") for column in columns} | {"case": "geometric mean"}


# Command line ---------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("auto", "gpu", "cpu"), default="auto")
    parser.add_argument("--only", choices=SECTIONS, help="one section")
    parser.add_argument("--quick", action="store_true", help="one size and dtype; small sizes")
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="the programs to run")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="the processes that compare programs"
    )
    parser.add_argument(
        "--dtype", choices=DTYPES, default="float32", help="of the arrays in timed programs"
    )
    parser.add_argument(
        "--compile", action="store_true", help="time both under torch.compile as well"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the tables into a page")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the requested sections; the exit status."""
    options = parser().parse_args(argv)
    try:
        on = devices(options.device)
    except NoSuchDeviceError as error:
        parser().error(str(error))
    report = Report()
    for device in on:
        report.machine[f"device of {device.library}"] = device.name
    wanted = options.programs or [*subjects()]
    if options.only in (None, "agreement"):
        names = [name for name in subjects() if name in wanted]
        with all_comparisons(names, options) as found:
            agreement(report, on, found, len(names))
    if options.only in (None, "speed"):
        speed(report, on, [case for name, case in TIMED.items() if name in wanted], options)
    if options.json is not None:
        report.write_json(options.json)
    if options.page is not None:
        report.update_page(options.page)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
