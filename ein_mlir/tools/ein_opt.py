"""`ein-opt`: read IR, run passes on it, print the result.

It is `xdsl-opt` with named pipelines and with readable errors: a mistake in the input or on the
command line is one message on stderr and exit status 1. `--traceback` shows its traceback instead.
An exception of any other kind is a bug in the compiler and keeps its traceback.
"""

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import IO, NoReturn, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.arg_spec import parse_pipeline, parse_spec
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from ein_mlir.analysis.verification import verify
from ein_mlir.pipelines import PIPELINES
from ein_mlir.reading import Reader
from ein_mlir.tools.mistakes import mistaken_option, summary
from ein_mlir.tools.recursion import deep_recursion
from ein_mlir.universe import FOLDERS, PASSES


class UsageError(Exception):
    """A command line that cannot be executed."""


USER_ERRORS = (UsageError, ParseError, DiagnosticException, ArgSpecParseError, OSError)
"""Exceptions raised by a user's mistake; their text is enough to correct it."""


class EinOptMain(xDSLOptMain):
    """The tool: `xdsl-opt` with `--pipeline`; unknown names are reported before anything runs."""

    version_format = f"ein-opt {version('ein-mlir')} (xdsl {{xdsl_version}})"

    def __init__(self, args: Sequence[str] | None = None):
        self._running: tuple[ModulePass, str] | None = None
        super().__init__(description="Run passes of ein-mlir and xDSL on IR.", args=args)

    def register_all_frontends(self) -> None:
        """Add the syntax of rho to that of IR."""
        super().register_all_frontends()
        self.available_frontends["rho"] = lambda chunk: self.parse_rho(chunk.read().decode(), 0)

    def parse_rho(self, text: str, start_offset: int) -> ModuleOp:
        """Parse a program in the syntax of rho."""
        from ein_mlir.sources.rho.parser import parse

        return parse(text, self.get_input_name(), first_line=start_offset + 1)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        """Add the options of `ein-opt` to those of `xdsl-opt`."""
        arg_parser.prog = "ein-opt"
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument(
            "--pipeline",
            metavar="NAME",
            help=f"Run a pipeline before the passes of -p: {', '.join(PIPELINES)}.",
        )
        arg_parser.add_argument(
            "--traceback",
            action="store_true",
            help="Show the traceback of an error.",
        )
        arg_parser.add_argument(
            "--reproducer",
            metavar="FILE",
            help="Where a pass fails, write the IR before it, and the command that runs it again.",
        )
        add_lists(arg_parser)
        for action in arg_parser._actions:
            if action.dest == "passes":
                action.help = "Passes in order, as in raise-scans{once=true},simplify."
        arg_parser.error = _usage_error

    def setup_pipeline(self) -> None:
        """Collect the passes of `--pipeline` and `-p`, each checked by name and by its options."""
        passes: Sequence[str] = (self.args.passes,) if self.args.passes else ()
        if self.args.pipeline is not None:
            if self.args.pipeline not in PIPELINES:
                raise UsageError(unknown("pipeline", self.args.pipeline, PIPELINES))
            passes = (*PIPELINES[self.args.pipeline], *passes)
        self.args.passes = ",".join(passes)
        self._check_passes()
        self._check_target()
        super().setup_pipeline()
        self.pipeline = replace(self.pipeline, callback=self._between_passes())

    def _between_passes(self) -> Callable[[ModulePass | None, ModuleOp, ModulePass | None], None]:
        """A function to call before, between and after passes: it verifies, prints and times.

        xDSL's own verifies no scopes and does not say where an operation is.
        """
        started = perf_counter()

        def callback(done: ModulePass | None, module: ModuleOp, following: ModulePass | None):
            nonlocal started
            if self.args.time_passes and done is not None:
                print(f"Pass {done.name} took {perf_counter() - started} seconds")
            if not self.args.disable_verify:
                verify(module)
            if self.args.print_between_passes and done is not None and following is not None:
                print(f"IR after {done.name}:\n{module}\n\n\n")
            if self.args.reproducer is not None:
                self._running = None if following is None else (following, str(module))
            started = perf_counter()

        return callback

    def apply_passes(self, prog: ModuleOp) -> None:
        """Run the passes; if one fails, or leaves invalid IR, leave a file that reproduces it."""
        try:
            super().apply_passes(prog)
        except Exception:
            if self._running is not None:
                self._write_reproducer(*self._running)
            raise

    def output_resulting_program(self, prog: ModuleOp) -> str:
        """The text of the target; those of xDSL print some operations only."""
        try:
            return super().output_resulting_program(prog)
        except NotImplementedError as error:
            raise UsageError(f"target {self.args.target}: {error}") from error

    def _write_reproducer(self, failed: ModulePass, before: str) -> None:
        file = self.args.reproducer
        command = f"// ein-opt {file} -p '{failed.pipeline_pass_spec()}'"
        Path(file).write_text(f"{command}\n{before}\n", encoding="utf-8")
        print(f"{file} reproduces the failure of {failed.name}", file=sys.stderr)

    def _check_passes(self) -> None:
        for spec in parse_pipeline(self.args.passes):
            if spec.name not in self.available_passes:
                raise UsageError(unknown("pass", spec.name, self.available_passes))
            pass_class = self.available_passes[spec.name]()
            try:
                pass_class.from_pass_spec(spec)
            except ValueError as error:
                raise UsageError(mistaken_option("pass", pass_class, spec)) from error

    def _check_target(self) -> None:
        spec = parse_spec(self.args.target)
        if not spec.parameters:
            return
        target = cast(Callable[[], type[Target]], self.available_targets[spec.name])()
        try:
            target.from_spec(spec)
        except ValueError as error:
            raise UsageError(mistaken_option("target", target, spec)) from error

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        """Open the input; `-` is the standard input, as no file is."""
        if self.args.input_file == "-":
            self.args.input_file = None
        return super().get_input_stream()

    def prepare_input(self) -> tuple[list[tuple[IO[bytes], int]], str]:
        """Open the input, whose extension must be known unless `-f` names the format."""
        try:
            return super().prepare_input()
        except ValueError as error:
            raise UsageError(
                f"{self.get_input_name()}: {error}; name its format with -f, one of: "
                f"{', '.join(self.available_frontends)}"
            ) from error

    def parse_chunk(
        self, chunk: IO[bytes], file_extension: str, start_offset: int = 0
    ) -> ModuleOp | None:
        """Parse one module, which must be text."""
        try:
            text = chunk.read().decode()
            if file_extension == "rho":
                return self.parse_rho(text, start_offset)
            reader = Reader(self.ctx, text, self.get_input_name(), first_line=start_offset + 1)
            return reader.parse_module(not self.args.no_implicit_module)
        except UnicodeDecodeError as error:
            raise UsageError(f"{self.get_input_name()} is not UTF-8 text: {error}") from error
        except RecursionError as error:
            raise UsageError(f"{self.get_input_name()}: regions are nested too deeply") from error


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """The message for an unknown name: the nearest known ones, or a reference to all of them.

    >>> unknown("pass", "canonicalise", ["cse", "canonicalize"])
    "unknown pass 'canonicalise'; did you mean 'canonicalize'?"
    >>> unknown("pipeline", "x", ["numpy", "torch"])
    "unknown pipeline 'x'; there are: numpy, torch"
    >>> unknown("pass", "x", map(str, range(100)))
    "unknown pass 'x'; --list-passes lists them all"
    """
    known = sorted(known)
    if near := difflib.get_close_matches(name, known, n=3):
        return f"unknown {kind} '{name}'; did you mean {' or '.join(map(repr, near))}?"
    if len(known) > 20:
        return f"unknown {kind} '{name}'; --list-passes lists them all"
    return f"unknown {kind} '{name}'; there are: {', '.join(known) or 'none'}"


def _usage_error(message: str) -> NoReturn:
    raise UsageError(f"{message}; --help lists the options")


def add_lists(arg_parser: argparse.ArgumentParser) -> None:
    """Add the options that print a list and exit."""
    arg_parser.add_argument(
        "--list-passes", action=_Listing, nargs=0, help="Print each pass and its effect, and exit."
    )
    arg_parser.add_argument(
        "--list-pipeline",
        action=_Listing,
        metavar="NAME",
        help="Print the passes of a pipeline in order, and exit.",
    )


class _Listing(argparse.Action):
    """An option that prints a list, and exits."""

    def __call__(self, parser: argparse.ArgumentParser, _: object, values: object, *__: object):
        lines = pass_list() if self.dest == "list_passes" else pipeline_list(str(values))
        print("\n".join(lines))
        parser.exit()


def pass_list() -> Iterator[str]:
    """The passes by level, each with its effect; those of xDSL by name."""
    for level in dict.fromkeys(FOLDERS.values()):
        yield f"{level}:"
        for flag in (flag for flag, folder in FOLDERS.items() if folder == level):
            effect = (PASSES[flag]().__doc__ or "").partition("\n\n")[0]
            yield f"  {flag}: {' '.join(effect.split())}"
    yield "xdsl:"
    yield from (f"  {flag}" for flag in sorted(XDSL_UNIVERSE.all_passes))


def pipeline_list(name: str) -> Sequence[str]:
    """The passes of a pipeline in order, with their options."""
    if name not in PIPELINES:
        raise UsageError(unknown("pipeline", name, PIPELINES))
    return PIPELINES[name]


def message(error: BaseException) -> str:
    """The text of an error; without a place, also the notes that were added to it on its way.

    >>> message(FileNotFoundError(2, "No such file or directory", "x.mlir"))
    'x.mlir: No such file or directory'
    """
    text = summary(error)
    if " (at " in text:
        return text
    return "\n".join([text, *getattr(error, "__notes__", ())])


def main(args: Sequence[str] | None = None) -> int:
    """Run the tool on command line arguments; the result is the exit status."""
    args = sys.argv[1:] if args is None else args
    try:
        with deep_recursion():
            EinOptMain(args).run()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has exited, as in `ein-opt ... | head`: there is nothing to print or flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except USER_ERRORS as error:
        if "--traceback" in args:
            raise
        print(f"error: {message(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
