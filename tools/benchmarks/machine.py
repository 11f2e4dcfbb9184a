"""The machine that the figures were measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path


def machine() -> dict[str, str]:
    """The processor, its cores, the memory, and the versions of the libraries, in words."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "torch", "jax", "xdsl", "ein-mlir")},
        **{name: version(name) for name in ("llvmlite", "numba") if find_spec(name)},
    }


def _processor() -> str:
    names = (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo", "model name"))
    return next(names, platform.processor() or platform.machine())


def _memory() -> str:
    sizes = (int(line.split()[1]) for line in _lines("/proc/meminfo", "MemTotal"))
    kibibytes = next(sizes, None)
    return "unknown" if kibibytes is None else f"{kibibytes / 2**20:.0f} GiB"


def _lines(path: str, start: str) -> Iterator[str]:
    """The lines of a file with a given start; none if there is no such file."""
    file = Path(path)
    if file.exists():
        yield from (line for line in file.read_text().splitlines() if line.startswith(start))
