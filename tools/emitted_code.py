"""Write the code that is emitted for all programs of the agreement tests, to compare two trees.

A file for each program and backend, of the programs, the cases, their variants and the second set.
Emitted code does not depend on the checkout, so a change that should not change it is checked with
diff:

    python tools/emitted_code.py out/before      # in the tree before the change
    python tools/emitted_code.py out/after       # in the tree behind it
    diff -r out/before out/after

With --gradients the programs are the gradients of these, with respect to all Floats.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ein_mlir import Function, compile, function, vjp
from ein_mlir.errors import EinError
from tests.agreement.cases import CASES
from tests.agreement.cases.case import Case
from tests.agreement.comparison import leaves
from tests.agreement.programs import PROGRAMS
from tests.agreement.second_set import SECOND_SET
from tests.agreement.test_derivatives import is_float

ROOT = Path(__file__).resolve().parents[1]

Traced: TypeAlias = tuple[Function, tuple[Any, ...]]
"""A function, and arguments to trace it with."""

BACKENDS = ("numpy", "torch", "jax")


def programs() -> Iterator[tuple[str, Traced]]:
    """The programs, the cases, their variants and the second set, each with its name for files."""
    for name, program in PROGRAMS.items():
        rng = np.random.default_rng(5)
        yield f"program-{name}", (program.function, program.inputs(5, "float64", rng))
    for kind, name, case in _cases():
        for program in (case.program, *case.variants):
            rng = np.random.default_rng(5)
            arguments = case.inputs(case.small[-1], "float64", rng)
            yield f"{kind}-{name}-{program.__name__}", (program, arguments)


def _cases() -> Iterator[tuple[str, str, Case]]:
    """The cases and the programs of the second set, each with its kind and name."""
    for kind, cases in (("case", CASES), ("second", SECOND_SET)):
        for name, case in cases.items():
            yield kind, name, case


def gradients() -> Iterator[tuple[str, Traced]]:
    """The gradients of the programs that have Floats as arguments."""
    for name, (program, arguments) in programs():
        if any(map(is_float, leaves(arguments))):
            yield f"gradient-{name}", (_with_gradients(program), (arguments,))


def _with_gradients(program: Function) -> Function:
    """A program and the cotangents of its arguments, where that of its result is the result."""

    def both(arguments: Any) -> Any:
        value, backwards = vjp(program, *arguments)
        return value, backwards(value)

    return function(both)


def emitted(traced: Traced, backend: str) -> str:
    """The source for a backend, or the error; without the path of the checkout."""
    program, arguments = traced
    try:
        source = compile(program.phi(*arguments), program.__name__, backend).source
    except EinError as error:
        source = f"{type(error).__name__}: {error}\n"
    return source.replace(f"{ROOT}{os.sep}", "")


def write(
    folder: Path, selected: Mapping[str, Traced], backends: Sequence[str] = BACKENDS
) -> list[Path]:
    """Write a file for each program and backend; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = list[Path]()
    for name, traced in selected.items():
        for backend in backends:
            path = folder / f"{name}.{backend}.py"
            path.write_text(emitted(traced, backend))
            written.append(path)
    return written


def main(argv: Sequence[str] | None = None) -> int:
    """Write what the command line says; 1 if no program has one of the names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--only", default="", metavar="TEXT", help="programs with it in their name")
    parser.add_argument("--gradients", action="store_true", help="gradients of the programs")
    options = parser.parse_args(argv)
    chosen = gradients() if options.gradients else programs()
    selected = {name: traced for name, traced in chosen if options.only in name}
    files = write(options.folder, selected, options.backends)
    print(f"{len(files)} files in {options.folder}")
    return 0 if files else 1


if __name__ == "__main__":
    sys.exit(main())
