"""Run programs on a GPU with PyTorch and JAX: do they agree, and are they as fast as by hand?

First all programs of the agreement tests run on the device and are compared with the reference
interpreter; results must be on the device. Then emitted code and hand-written code for three of
the cases alternate, at sizes that keep the device busy, and are timed until the device is done.
Without a GPU all of it runs on the CPU. The exit status is 1 if a result is wrong.

    python tools/gpu.py                                  # the first GPU, else the CPU
    python tools/gpu.py --device cpu --quick
    python tools/gpu.py --only speed --dtype float64 --json out/gpu.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import jax
import numpy as np
import torch

from ein_mlir import Function, function
from tests.agreement.cases import CASES
from tests.agreement.cases.case import Case
from tests.agreement.comparison import assert_agree, leaves
from tests.agreement.programs import PROGRAMS
from tools.benchmarks.devices import Device, NoSuchDeviceError, devices, on_host
from tools.benchmarks.report import Report, Row
from tools.benchmarks.timing import Effort, interleaved

DTYPES = ("float64", "float32")
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
"""Relative and absolute: elementary functions of devices differ in their last digits."""

SECTIONS = ("agreement", "speed")
SIZES = {
    "attention": {"gpu": 2048, "cpu": 512},
    "pairwise-l1": {"gpu": 8192, "cpu": 800},
    "stencil-3d": {"gpu": 384, "cpu": 128},
}
"""The timed cases and their sizes: products, a loop over large arrays, neighbours."""


@dataclass(frozen=True)
class Subject:
    """A program, and a function that makes its arguments for a size and a dtype."""

    name: str
    program: Function
    inputs: Callable[..., Sequence[Any]]
    sizes: Sequence[int]


def subjects() -> list[Subject]:
    """All programs of the agreement tests."""
    small = [Subject(name, p.function, p.inputs, (0, 1, 2, 5)) for name, p in PROGRAMS.items()]
    return small + [Subject(c.name, c.program, c.inputs, c.small) for c in CASES.values()]


# Agreement ------------------------------------------------------------------------------------


def agreement(report: Report, on: Sequence[Device], chosen: Sequence[Subject], quick: bool) -> None:
    """Compare programs with the reference interpreter: a row for each library."""
    compared = {device.library: 0 for device in on}
    wrong = dict(compared)
    with report.progress() as progress:
        for subject in progress.track(chosen, description="agreement"):
            for size in subject.sizes[-1:] if quick else subject.sizes:
                for dtype in DTYPES[-1:] if quick else DTYPES:
                    inputs = subject.inputs(size, dtype, np.random.default_rng(size))
                    expected = subject.program.eval(*inputs, backend="naive")
                    for device in on:
                        compared[device.library] += 1
                        error = disagreement(subject, device, inputs, expected)
                        if error is not None:
                            wrong[device.library] += 1
                            where = f"{device.library}, {device.kind}, {dtype}, size {size}"
                            report.fail(f"{subject.name} ({where}): {error}")
    rows: list[Row] = [
        {
            "library": device.library,
            "device": device.name,
            "programs": len(chosen),
            "comparisons": compared[device.library],
            "wrong": wrong[device.library],
        }
        for device in on
    ]
    report.show("agreement", "Programs against the reference interpreter", rows)


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


def speed(
    report: Report, on: Sequence[Device], sizes: Mapping[str, int], dtype: str, options: Any
) -> None:
    """Time emitted code and hand-written code: a row for each case and library."""
    effort = Effort(seconds=0.02, fewest=2, most=3) if options.quick else Effort(2.0, 5, 100)
    rows: list[Row] = []
    cases = [CASES[name] for name in sizes]
    with report.progress() as progress, jax.default_matmul_precision("highest"):
        for case in progress.track(cases, description="speed"):
            inputs = case.inputs(sizes[case.name], dtype, np.random.default_rng(0))
            for device in on:
                for what, pair in pairs(case, device, compiled=options.compile).items():
                    try:
                        figures = compared(device, pair, inputs, effort)
                    except AssertionError as error:
                        reason = " ".join(str(error).split())[:300]
                        report.fail(f"{case.name} ({what}, {device.kind}): {reason}")
                        continue
                    rows.append(
                        {"case": case.name, "size": sizes[case.name], "with": what, **figures}
                    )
    title = f"Emitted code against hand-written code, {dtype}, on {', '.join(d.name for d in on)}"
    report.show("speed", title, rows)


def pairs(
    case: Case, device: Device, *, compiled: bool
) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    """Emitted code and hand-written code, by the mode in which the library runs them."""
    if device.library == "jax":
        by_hand = jax.jit(case.jax, static_argnums=case.static)
        return {"jax": (function(case.program).jax, by_hand)}
    found = {"torch": (function(case.program).torch, case.torch)}
    if compiled:
        emitted = function(case.program, jit=True).torch
        found["torch.compile"] = emitted, torch.compile(case.torch)
    return found


def compared(
    device: Device,
    pair: tuple[Callable[..., Any], Callable[..., Any]],
    inputs: Sequence[Any],
    effort: Effort,
) -> Row:
    """The figures of emitted code and of hand-written code, whose results must agree.

    Bytes are those of arguments and results: the least that must be read and written.
    """
    arguments = [device.put(value) for value in inputs]
    names = "Ein", "by hand"
    with jax.enable_x64(True):
        functions = dict(zip(names, map(device.waiting, pair), strict=True))
        results = {name: on_host(f(*arguments)) for name, f in functions.items()}
        assert_agree(results["Ein"], results["by hand"], TOLERANCE, dtypes=False)
        actions = {name: lambda f=f: f(*arguments) for name, f in functions.items()}
        least = {name: s.least for name, s in interleaved(actions, effort).items()}
    moved = sum(value.nbytes for value in (*inputs, *results["Ein"]) if hasattr(value, "nbytes"))
    return {
        **{f"{name} ms": least[name] * 1e3 for name in names},
        "ratio": least["Ein"] / least["by hand"],
        **{f"{name} GB/s": moved / least[name] / 1e9 for name in names},
    }


# Command line ---------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("auto", "gpu", "cpu"), default="auto")
    parser.add_argument("--only", choices=SECTIONS, help="one section")
    parser.add_argument("--quick", action="store_true", help="one size and dtype; small sizes")
    parser.add_argument(
        "--programs", nargs="+", metavar="NAME", help="the programs whose agreement is tested"
    )
    parser.add_argument(
        "--dtype", choices=DTYPES, default="float32", help="of the arrays in timed programs"
    )
    parser.add_argument(
        "--compile", action="store_true", help="time both under torch.compile as well"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
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
    if options.only in (None, "agreement"):
        chosen = [s for s in subjects() if s.name in (options.programs or [s.name])]
        agreement(report, on, chosen, options.quick)
    if options.only in (None, "speed"):
        kind = "gpu" if any(device.kind == "gpu" for device in on) else "cpu"
        sizes = {
            name: CASES[name].small[-1] if options.quick else by_kind[kind]
            for name, by_kind in SIZES.items()
        }
        speed(report, on, sizes, options.dtype, options)
    if options.json is not None:
        report.write_json(options.json)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
