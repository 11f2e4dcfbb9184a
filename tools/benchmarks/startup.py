"""The costs of a fresh process: importing Ein, and the first program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ein_mlir.backends.disk_cache import FOLDER_VARIABLE
from tools.benchmarks.report import Report
from tools.benchmarks.ways import EIN

ROOT = Path(__file__).resolve().parents[2]
BACKENDS = [backend for backend in ("numpy", "native") if backend in EIN]

_BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}
"""Installed modules are compiled, those of a checkout by the first process that imports them."""


def startup_times(report: Report, quick: bool) -> None:
    """The least times of several processes, one after the other; without and with files on disk."""
    with report.progress() as progress, TemporaryDirectory() as folder:
        ways = {
            f"{backend}{', from disk' if cache else ''} ms": (backend, cache)
            for backend in BACKENDS
            for cache in ("", folder)
        }
        for backend in BACKENDS:
            _fresh_process(backend, folder)
        rounds = progress.track(range(1 if quick else 5), description="fresh processes")
        runs = [{name: _fresh_process(*way) for name, way in ways.items()} for _ in rounds]
    report.show(
        "startup",
        "A fresh process: imports, and programs from trace to result",
        [_row(step, runs) for step in runs[0][next(iter(ways))]],
    )


def _row(step: str, runs: Sequence[Mapping[str, Mapping[str, float]]]) -> dict[str, Any]:
    return {"step": step, **{way: min(run[way][step] for run in runs) * 1e3 for way in runs[0]}}


def _fresh_process(backend: str, folder: str) -> dict[str, float]:
    """The seconds of each step of a fresh process, with a folder for compiled programs or none."""
    command = [sys.executable, "-m", "tools.benchmarks.fresh_process", backend]
    environment = {**os.environ, FOLDER_VARIABLE: folder, **_BYTECODE}
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(result.stdout)
