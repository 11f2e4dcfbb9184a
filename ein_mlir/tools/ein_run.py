"""``ein-run FILE.mlir --entry NAME --input a.npy --output b.npy``: compile a program, run it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ein_mlir.tools.mistakes import summary
from ein_mlir.tools.recursion import deep_recursion


def main(argv: Sequence[str] | None = None) -> None:
    """Run the tool; exits with 1 and one line on stderr for a user's mistake."""
    parser = _parser()
    arguments, others = parser.parse_known_args(argv)
    if others:
        parser.error(f"unrecognized arguments: {' '.join(others)}; the program's follow --input")
    from ein_mlir.errors import EinError

    try:
        with deep_recursion():
            run(arguments)
    except (EinError, ValueError, OSError) as error:
        print(f"ein-run: {summary(error)}", file=sys.stderr)
        sys.exit(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ein-run", description="Compile a function of a phi program and run it on arrays."
    )
    parser.add_argument(
        "file", help="a module in textual IR, or a program FILE.rho; - for IR from standard input"
    )
    parser.add_argument("--entry", help="the function to run (default: the only public one)")
    parser.add_argument(
        "--backend",
        help="numpy (default), torch, jax, native, or naive: the reference interpreter, which is "
        "the default for rho",
    )
    parser.add_argument(
        "--input",
        nargs="+",
        default=[],
        metavar="ARG",
        help="arguments in order: .npy files, .npz files (all their arrays in order), or numbers",
    )
    _add_modes(parser)
    return parser


def _add_modes(parser: argparse.ArgumentParser) -> None:
    """Options for the results, and for the way to compile."""
    parser.add_argument(
        "--output", help="a .npy file for the result, or .npz for several; default: print it"
    )
    parser.add_argument(
        "--fastmath",
        nargs="?",
        const="fast",
        metavar="LAWS",
        help="permit laws of real numbers on floats: reassoc,nsz,.., all by default",
    )
    parser.add_argument(
        "--bounds",
        metavar="CHOICE",
        help="check: a position out of bounds is an error; clip (default): the nearest element",
    )
    parser.add_argument(
        "--source",
        action="store_true",
        help="print the emitted Python, or the loops, instead of running it",
    )
    parser.add_argument(
        "--export",
        metavar="FOLDER",
        help="write the program as a shared object with a C header instead of running it",
    )


def run(arguments: argparse.Namespace) -> None:
    """Compile, run, and write or print the results."""
    from ein_mlir.bounds import with_place
    from ein_mlir.compiler import compile
    from ein_mlir.entry import parse

    is_stdin = arguments.file == "-"
    name = "<stdin>" if is_stdin else arguments.file
    try:
        text = sys.stdin.read() if is_stdin else Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8 text: {error}") from error
    if name.endswith(".rho"):
        run_rho(text, name, arguments)
        return
    module = parse(text, name)
    if arguments.export:
        from ein_mlir.c_library import export_module

        print(export_module(module, arguments.entry, arguments.export))
        return
    laws = arguments.fastmath.split(",") if arguments.fastmath else ()
    entry, backend, bounds = arguments.entry, arguments.backend or "numpy", arguments.bounds
    compiled = compile(module, entry, backend, fastmath=laws, bounds=bounds)
    if arguments.source:
        print(compiled.source, end="")
        return
    inputs = _inputs(arguments)
    try:
        results = compiled(*inputs)
    except ValueError as error:
        raise with_place(error, module) from None
    _finish(flatten(results), arguments.output)


def _inputs(arguments: argparse.Namespace) -> list[Any]:
    return [value for name in arguments.input for value in read_input(name)]


def _finish(results: Sequence[Any], output: str | None) -> None:
    """Print results, or write them to a file."""
    if output is None:
        for result in results:
            print(result)
    else:
        write_output(output, results)


def run_rho(text: str, name: str, arguments: argparse.Namespace) -> None:
    """Run a program in the syntax of rho: as it is, or on a backend, by demand for its value."""
    from xdsl.utils.exceptions import ParseError, PassFailedException

    from ein_mlir.compiler import compile
    from ein_mlir.interpreters.rho import run
    from ein_mlir.pipelines import run_pipeline
    from ein_mlir.sources.rho.parser import parse

    inputs = _inputs(arguments)
    try:
        module = parse(text, name)
        if arguments.backend in (None, "naive"):
            _finish([run(module, inputs)], arguments.output)
            return
        ranks = ",".join(str(np.ndim(value)) for value in inputs)
        options = f"{{ranks={ranks}}}" if ranks else ""
        passes = "rewrite-by-demand", f"convert-rho-to-phi{options}"
        compiled = compile(run_pipeline(module, passes), None, arguments.backend)
    except (ParseError, PassFailedException) as error:
        raise ValueError(str(error)) from error
    if arguments.source:
        print(compiled.source, end="")
        return
    floats = [np.asarray(value, np.float64) for value in inputs]
    _finish(flatten(compiled(*(x if x.ndim else float(x) for x in floats))), arguments.output)


def read_input(name: str) -> list[Any]:
    """The arguments that a name on the command line denotes."""
    if name in ("true", "false"):
        return [name == "true"]
    for number in (int, float):
        try:
            return [number(name)]
        except ValueError:
            pass
    if not name.endswith((".npy", ".npz")):
        raise ValueError(f"'{name}' is neither a number nor a .npy or .npz file")
    try:
        loaded = np.load(name, allow_pickle=False)
    except (ValueError, EOFError, BadZipFile) as error:
        raise ValueError(
            f"{name}: expected an array of numbers in the format of numpy.save"
        ) from error
    values = [loaded[key] for key in loaded.files] if name.endswith(".npz") else [loaded]
    return [value[()] if value.ndim == 0 else value for value in values]


def flatten(value: Any) -> list[Any]:
    """The arrays of a (nested) record in order."""
    if isinstance(value, tuple):
        return [leaf for field in value for leaf in flatten(field)]  # pyright: ignore[reportUnknownVariableType]
    return [value]


def write_output(name: str, results: Sequence[Any]) -> None:
    """Write one array to .npy, or several to .npz as ``out0``, ``out1``, ..."""
    if name.endswith(".npz"):
        np.savez(name, **{f"out{k}": result for k, result in enumerate(results)})
    elif not name.endswith(".npy"):
        raise ValueError(f"--output: '{name}' must end in .npy or .npz")
    elif len(results) != 1:
        raise ValueError(f"--output: the program has {len(results)} results, name a .npz file")
    else:
        np.save(name, results[0])


if __name__ == "__main__":
    main()
