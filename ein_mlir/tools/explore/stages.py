"""A run of a pipeline: the IR after each pass, the lines that changed, notes and the output."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from time import perf_counter

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import PassPipeline
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    PassFailedException,
    VerifyException,
)

from ein_mlir import universe
from ein_mlir.analysis.diagnostics import location_of
from ein_mlir.analysis.verification import verify
from ein_mlir.dialects.emitpy import EmitPy
from ein_mlir.entry import parse
from ein_mlir.errors import EinError
from ein_mlir.host.dataclass import dataclass
from ein_mlir.pipelines import register, run_pipeline
from ein_mlir.tools.mistakes import mistaken_option

PASSES = frozenset((*universe.PASSES, "canonicalize", "cse", "dce"))
"""The passes that may run. Other passes of xDSL are left out: some read files or start programs."""

MISTAKES = (ArgSpecParseError, DiagnosticException, EinError, PassFailedException, VerifyException)
"""Exceptions whose text describes an error of the program or the pipeline."""


@dataclass(frozen=True)
class Line:
    """A line of IR: ``new`` if the pass wrote it, ``old`` if the pass removed it, else ``same``."""

    kind: str
    text: str


@dataclass(frozen=True)
class Stage:
    """A pass that ran, its time in milliseconds, and the IR after it."""

    name: str
    milliseconds: float
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Note:
    """A decision of a pass, and the line of the program that it is about; 0 if that is unknown."""

    text: str
    file: str
    line: int


@dataclass(frozen=True)
class Run:
    """A run of a pipeline: as many stages as passes, or fewer and the mistake that ended it."""

    stages: tuple[Stage, ...]
    notes: tuple[Note, ...]
    output: str
    """The emitted source or the text for LLVM; empty at other levels."""
    mistake: str


def run(program: ModuleOp | str, pipeline: str, name: str = "program") -> Run:
    """Run passes, written as after ``-p`` of ``ein-opt``, on a module or its text.

    A mistake in the text, in the pipeline, or one that a pass reports, ends the run.
    """
    recorder = _Recorder()
    try:
        specs = specs_of(pipeline)
        module = parse(program, name) if isinstance(program, str) else program.clone()
        verify(module)
        recorder.begin(module)
        run_pipeline(module, specs, after_each=recorder.after, note=recorder.note)
    except MISTAKES as error:
        return recorder.result(str(error).strip())
    return recorder.result("")


def specs_of(pipeline: str) -> tuple[str, ...]:
    """The passes of a pipeline, each with its options; raises EinError for one that may not run.

    Commas and ends of lines stand between passes.
    """
    lines = (line.strip().strip(",") for line in pipeline.splitlines())
    try:
        specs = tuple(parse_pipeline(",".join(line for line in lines if line).replace(", ", ",")))
    except (ArgSpecParseError, ParseError) as error:
        raise EinError(f"pipeline: {str(error).strip()}") from error
    passes = dict(register(Context()))
    for spec in specs:
        if spec.name not in PASSES:
            raise EinError(f"pipeline: there is no pass '{spec.name}' here")
        try:
            PassPipeline.parse_spec(passes, str(spec))
        except ValueError as error:
            mistake = mistaken_option("pass", passes[spec.name](), spec)
            raise EinError(f"pipeline: {mistake}") from error
    return tuple(map(str, specs))


def compared(before: Sequence[str], after: Sequence[str]) -> tuple[Line, ...]:
    """The lines of a text, and between them those that an earlier text had in their place."""
    if before == after:
        return tuple(Line("same", text) for text in after)
    lines = list[Line]()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal":
            lines += [Line("same", text) for text in after[j:j_end]]
            continue
        lines += [Line("old", text) for text in before[i:i_end]]
        lines += [Line("new", text) for text in after[j:j_end]]
    return tuple(lines)


class _Recorder:
    """Collects the stages and notes of a run."""

    def __init__(self) -> None:
        self._stages = list[Stage]()
        self._notes = dict[Note, None]()
        self._before: list[str] = []
        self._started = 0.0
        self._output = ""

    def begin(self, module: ModuleOp) -> None:
        self._record("program", 0.0, module)
        self._started = perf_counter()

    def after(self, name: str, module: ModuleOp) -> None:
        milliseconds = 1000 * (perf_counter() - self._started)
        verify(module)
        self._record(name, milliseconds, module)
        self._started = perf_counter()

    def note(self, op: Operation, text: str) -> None:
        place = location_of(op)
        if place is None:
            self._notes[Note(text, "", 0)] = None
        else:
            self._notes[Note(text, place.filename.data, place.line.data)] = None

    def result(self, mistake: str) -> Run:
        return Run(tuple(self._stages), tuple(self._notes), self._output, mistake)

    def _record(self, name: str, milliseconds: float, module: ModuleOp) -> None:
        text = str(module).splitlines()
        lines = compared(self._before, text) if self._stages else compared(text, text)
        self._stages.append(Stage(name, milliseconds, lines))
        self._before = text
        self._output = output_of(module)


def output_of(module: ModuleOp) -> str:
    """The source of a module in emitpy, the text for LLVM of one in llvm, else nothing."""
    if any(isinstance(op, llvm.FuncOp) for op in module.ops):
        from ein_mlir.targets.llvm_ir.printer import llvm_ir

        return llvm_ir(module)
    if any(op.name.startswith(f"{EmitPy.name}.") for op in module.walk()):
        from ein_mlir.targets.python.printer import python_source

        return python_source(module)
    return ""
