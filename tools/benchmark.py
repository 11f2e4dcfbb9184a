"""Measure compile time, call overhead, and compiled programs against hand-written ones.

The programs are the cases in tests/agreement/cases/, each compiled for NumPy, JAX, PyTorch and
as native code, and written by hand for the three libraries and for Numba. Results are checked
first: a wrong one is reported, not timed, and the exit status is 1. Then the implementations run
interleaved in this process. Ratios are of the least times. The section "second" does the same for
the programs in tests/agreement/second_set/. The section "native" compares native code with the
fastest by hand, Numba and torch.compile among them. All libraries have the same number of threads.

    python tools/benchmark.py                                 # everything
    python tools/benchmark.py --quick                         # a few minutes
    python tools/benchmark.py --only cases --cases gat k-means
    python tools/benchmark.py --only second                   # the second set
    python tools/benchmark.py --only bounds                   # checked positions over clipped ones
    python tools/benchmark.py --only gradients                # programs with gradients over without
    python tools/benchmark.py --only native                   # native code, of both sets
    python tools/benchmark.py --only native --threads 1       # the same on one thread
    python tools/benchmark.py --ablation                      # cases without one pass at a time
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ein_mlir import EinPerformanceWarning
from ein_mlir.backends.disk_cache import FOLDER_VARIABLE
from tests.agreement.cases import CASES
from tests.agreement.cases.case import Case
from tests.agreement.second_set import SECOND_SET
from tools.benchmarks.ablation import ablation, default_passes
from tools.benchmarks.bounds import measure_bounds
from tools.benchmarks.calls import call_overhead
from tools.benchmarks.cases import measure_cases, measure_variants, sweep
from tools.benchmarks.compile_cases import compile_times_of_cases
from tools.benchmarks.compile_time import compile_times
from tools.benchmarks.gradients import measure_gradients
from tools.benchmarks.native import measure_native
from tools.benchmarks.plots import plot
from tools.benchmarks.report import Report
from tools.benchmarks.second_set import measure_second_set
from tools.benchmarks.startup import startup_times
from tools.benchmarks.threads import processors, restart

SECTIONS = (
    "compile",
    "calls",
    "cases",
    "bounds",
    "gradients",
    "native",
    "variants",
    "sweep",
    "second",
)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="small sizes, few repetitions, and none of native, variants, sweep and second set",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=len(processors()),
        metavar="N",
        help="the number of threads of each library; default: the number of processors",
    )
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="some sections")
    parser.add_argument(
        "--cases",
        nargs="+",
        choices=[*CASES, *SECOND_SET],
        metavar="CASE",
        help="some cases, or programs of the second set",
    )
    parser.add_argument(
        "--sizes", choices=("tiny", "small", "large"), help="the size of each case; default: large"
    )
    parser.add_argument(
        "--ablation",
        nargs="*",
        metavar="PASS",
        help="only this: leave out one pass at a time (default: all optional ones)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the sweep there (PNG)")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="update the tables of docs/benchmarks.md"
    )
    return parser


def chosen(options: argparse.Namespace, cases: Mapping[str, Case]) -> list[Case]:
    """The requested cases of a set; by default all."""
    return [cases[name] for name in options.cases or cases if name in cases]


def run(
    report: Report, options: argparse.Namespace, cases: Sequence[Case], second: Sequence[Case]
) -> None:
    """Run the requested sections, on the cases and the programs of the second set."""
    sizes = options.sizes or ("small" if options.quick else "large")
    if options.ablation is not None:
        ablation(report, cases, options.ablation or default_passes(), sizes)
        return
    sections = options.only or (SECTIONS[:3] if options.quick else SECTIONS)
    if "compile" in sections:
        compile_times_of_cases(report, cases, options.quick)
        compile_times(report, options.quick)
        startup_times(report, options.quick)
    if "calls" in sections:
        call_overhead(report, options.quick)
    if "variants" in sections:
        measure_variants(report, [case for case in cases if case.variants], sizes)
    if "cases" in sections or "sweep" in sections:
        measured = measure_cases(report, cases, sizes)
        if "sweep" in sections:
            plot(sweep(report, measured, options.quick), options.plot or Path("out/benchmark.png"))
    if "bounds" in sections:
        measure_bounds(report, [*cases, *second], sizes, options.quick)
    if "gradients" in sections:
        measure_gradients(report, cases, sizes, options.quick)
    if "native" in sections:
        measure_native(report, cases, second, sizes, options.threads, options.quick)
    if "second" in sections:
        measure_second_set(report, second, sizes)


def main(argv: Sequence[str] | None = None, cases: Sequence[Case] | None = None) -> int:
    """Run the command line, on given cases if any; the exit status is 1 if a result is wrong."""
    options = arguments().parse_args(argv)
    warnings.simplefilter("ignore", EinPerformanceWarning)  # long loops are measured on purpose
    os.environ[FOLDER_VARIABLE] = ""  # compile times are those of programs that are compiled
    report = Report()
    if cases is None:
        run(report, options, chosen(options, CASES), chosen(options, SECOND_SET))
    else:
        run(report, options, cases, cases)
    if options.json:
        report.write_json(options.json)
    if options.page:
        report.update_page(options.page)
    return 1 if report.failures else 0


if __name__ == "__main__":
    restart(arguments().parse_args().threads)
    sys.exit(main())
