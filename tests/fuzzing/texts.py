"""Mutants of the textual IR of the tests, for the tools: a diagnostic, and no traceback.

Each mutant is a part of a FileCheck file with a few tokens deleted, doubled, swapped, or replaced
by tokens of other files. ``ein-opt`` reads it, runs the passes of its file, and a named pipeline;
for that of NumPy, ``ein-run`` prints its source. Each ends in success or in a message with a place.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from unittest import mock

from xdsl.universe import Universe

FILES = Path(__file__).resolve().parents[1] / "filecheck"
SECONDS = 20
"""The longest time for a mutant."""
EVERY = 8
"""One of so many texts is given to all commands, even if the first rejects it."""

_TOKEN = re.compile(r'"[^"\n]*"|[%@#!^]?[\w.$-]+|->|[^\w\s]|\s+')


@dataclass(frozen=True)
class Part:
    """A program of a test file, as tokens, with the passes of its file."""

    tokens: tuple[str, ...]
    passes: str


@dataclass(frozen=True)
class Finding:
    """A mutant that a tool neither accepts nor diagnoses."""

    command: Sequence[str]
    text: str
    reason: str


def parts() -> list[Part]:
    """The functions of all test files, a few in each part if they belong together."""
    found = list[Part]()
    for path in sorted(FILES.rglob("*.mlir")):
        text = path.read_text()
        passes = re.search(r"RUN:.* -p (\S+)", text)
        for piece in re.split(r"// -----|(?=^func\.func)", text, flags=re.MULTILINE):
            code = "\n".join(line for line in piece.splitlines() if not line.startswith("//"))
            if code.strip():
                found.append(Part(tuple(_TOKEN.findall(code)), passes[1] if passes else ""))
    return found


def kind_of(token: str) -> str:
    """The kind of a token: those of one kind replace each other in a mutant.

    >>> [kind_of(token) for token in ("%a", "@f", "12", "f64", "arith.addf", "->", '"add"')]
    ['%', '@', '0', 'type', 'name.', '->', '"']
    """
    if token[0].isdigit():
        return "0"
    if token[0] in '%@"' or token.isspace():
        return token[0] if token[0] in '%@"' else " "
    if re.fullmatch(r"[if]\d+|index|tensor|tuple|!\S+", token):
        return "type"
    return "name." if "." in token else "name" if token[0].isalpha() else token


def mutated(part: Part, words: Mapping[str, Sequence[str]], rng: random.Random) -> str:
    """The text of a program with a few random changes of tokens, mostly by ones of their kind."""
    tokens = list(part.tokens)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        k = rng.randrange(len(tokens))
        kind = kind_of(tokens[k])
        own = [token for token in part.tokens if kind_of(token) == kind]
        match rng.randrange(8):
            case 0:
                del tokens[k]
            case 1:
                tokens.insert(k, rng.choice(part.tokens))
            case 2:
                tokens[k] = rng.choice(("0", "-1", "9223372036854775808", "0x7F", '""', "{", "?"))
            case 3 | 4:
                tokens[k] = rng.choice(words.get(kind, part.tokens))
            case _:
                tokens[k] = rng.choice(own or part.tokens)
        tokens = tokens or [" "]
    return "".join(tokens)


def commands(part: Part, rng: random.Random) -> Iterator[Sequence[str]]:
    """The command lines for a mutant."""
    from ein_mlir.pipelines import PIPELINES

    yield ("ein-opt",)
    if part.passes:
        yield ("ein-opt", "-p", part.passes.strip("\"'"))
    pipeline = rng.choice(sorted(PIPELINES))
    yield ("ein-run", "--source") if pipeline == "numpy" else ("ein-opt", "--pipeline", pipeline)


class TooLong(BaseException):
    """A mutant takes longer than `SECONDS`."""


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TooLong


@dataclass(frozen=True)
class Outcome:
    """The exit status of a command, and the reason why it is a finding, if it is one."""

    status: int
    reason: str | None = None


def outcome(command: Sequence[str], text: str) -> Outcome:
    """The outcome of a command: success and a diagnostic are no findings."""
    from ein_mlir.tools import ein_opt, ein_run

    errors = io.StringIO()
    signal.alarm(SECONDS)
    try:
        with _given(text), contextlib.redirect_stderr(errors):
            if command[0] == "ein-opt":
                status = ein_opt.main(["-", *command[1:]])
            else:
                status = _status_of_run(ein_run.main, ["-", *command[1:]])
    except TooLong:
        return Outcome(1, f"no answer in {SECONDS} s")
    except Exception:
        return Outcome(1, traceback.format_exc(limit=-3))
    finally:
        signal.alarm(0)
    if status == 0 or errors.getvalue().strip():
        return Outcome(status)
    return Outcome(status, f"exit status {status} without a message")


@contextlib.contextmanager
def _given(text: str) -> Iterator[io.StringIO]:
    """A text on the standard input of a tool; its standard output."""
    stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    output = io.StringIO()
    with mock.patch.object(sys, "stdin", stdin), contextlib.redirect_stdout(output):
        yield output


def generic(part: Part) -> Part:
    """The program in MLIR's generic form; itself if it is not valid."""
    from ein_mlir.tools import ein_opt

    with _given("".join(part.tokens)) as output, contextlib.redirect_stderr(io.StringIO()):
        status = ein_opt.main(["-", "--print-op-generic"])
    return part if status else Part(tuple(_TOKEN.findall(output.getvalue())), part.passes)


def _status_of_run(main: object, arguments: list[str]) -> int:
    assert callable(main)
    try:
        main(arguments)
    except SystemExit as error:
        return int(error.code or 0)
    return 0


def findings(count: int, seed: int) -> Iterator[Finding | None]:
    """The finding on each of ``count`` mutants, if there is one: a third has the generic form.

    All commands read a text in the same way: of those that the first rejects, the others get one of
    `EVERY`.
    """
    rng = random.Random(seed)
    programs = parts()
    words = dict[str, list[str]]()
    for token in sorted({token for part in programs for token in part.tokens}):
        words.setdefault(kind_of(token), []).append(token)
    signal.signal(signal.SIGALRM, _too_long)
    with mock.patch.object(Universe, "get_multiverse", cache(Universe.get_multiverse)):
        for k in range(count):
            part = rng.choice(programs)
            part = part if k % 3 else generic(part)
            yield _finding(mutated(part, words, rng), [*commands(part, rng)], k % EVERY == 0)


def _finding(text: str, given: Sequence[Sequence[str]], always_all: bool) -> Finding | None:
    """The first finding of some commands on a text."""
    for command in given:
        result = outcome(command, text)
        if result.reason is not None:
            return Finding(command, text, result.reason)
        if result.status and command is given[0] and not always_all:
            return None
    return None
