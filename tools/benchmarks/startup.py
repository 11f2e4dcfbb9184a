"""What a fresh process pays: importing Ein, and the first program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tools.benchmarks.report import Report

ROOT = Path(__file__).resolve().parents[2]


def startup_times(report: Report, quick: bool) -> None:
    """The least times of several processes, one after the other."""
    with report.progress() as progress:
        processes = progress.track(range(1 if quick else 5), description="fresh processes")
        runs = [_fresh_process() for _ in processes]
    rows = [{"step": step, "ms": min(run[step] for run in runs) * 1e3} for step in runs[0]]
    report.show("startup", "A fresh process: imports, and programs from trace to result", rows)


def _fresh_process() -> dict[str, float]:
    """The seconds of each step of a fresh process."""
    command = [sys.executable, "-m", "tools.benchmarks.fresh_process"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)
