"""The tools of a RUN line as forks of lit's worker, which has loaded what every run of them loads.

Each run is a process of its own, with the modules of all passes. A fresh process takes half a
second for them, as long as most tests.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import io
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

TOOLS = {
    "ein-opt": "ein_mlir.tools.ein_opt",
    "ein-run": "ein_mlir.tools.ein_run",
    "filecheck": "filecheck.main",
}
"""The commands, with the modules that define their ``main``."""
ENDS = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
"""The ends of the pipes of a process, as ``subprocess`` names them."""


def load() -> None:
    """Load the modules of the tools, before there are processes to fork."""
    for module in TOOLS.values():
        importlib.import_module(module)
    universe = importlib.import_module("ein_mlir.universe").EIN_UNIVERSE
    for load_class in (*universe.all_dialects.values(), *universe.all_passes.values()):
        load_class()
    gc.freeze()
    gc.disable()


class Popen(subprocess.Popen[Any]):
    """A process as of ``subprocess``; one of the tools is forked from this process."""

    def _execute_child(self, args: list[str], executable: str | None, *rest: Any) -> None:
        start = super()._execute_child  # pyright: ignore
        tool = Path(executable or args[0])
        if tool.name not in TOOLS or tool.parent != Path(sys.executable).parent:
            start(args, executable, *rest)
            return
        given = inspect.signature(start).bind(args, executable, *rest).arguments
        self.pid = os.fork()
        if not self.pid:
            _become(TOOLS[tool.name], args, given)
        self._child_created = True
        self._close_pipe_fds(*(given[end] for end in ENDS))  # pyright: ignore


def _become(module: str, args: list[str], given: Mapping[str, Any]) -> None:
    """Run a tool in this process, which is the fork, and end it."""
    code: Any = 1
    try:
        for end, number in (("p2cread", 0), ("c2pwrite", 1), ("errwrite", 2)):
            if given[end] not in (-1, number):
                os.dup2(given[end], number)
        os.chdir(given["cwd"] or ".")
        os.environ.clear()
        os.environ.update(given["env"])
        sys.stdin, sys.stdout, sys.stderr = map(_opened, range(3))
        sys.argv = args
        main: Callable[[], Any] = importlib.import_module(module).main
        code = main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def _opened(number: int) -> io.TextIOWrapper:
    """One of the standard streams."""
    return open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)
