"""Type checking of user code: pyright and mypy on the files of ``tests/typing``.

A comment at the end of a line is its expectation: ``# expect: TYPE`` for a ``reveal_type``,
``# expect an error`` for a mistake. All other lines have no error.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DIRECTORY = ROOT / "tests" / "typing"
SAMPLES = sorted(DIRECTORY.glob("*.py"))

EXPECTED = re.compile(r"# expect(?:: (?P<type>.+)| (?P<error>an error))$")
REVEALED = re.compile(r'(?:Type of ".*" is|Revealed type is) "(?P<type>.+)"$')
MYPY = re.compile(r"^(?P<file>.+?):(?P<line>\d+): (?P<kind>error|note): (?P<text>.*)$")
QUALIFIER = re.compile(r"\b(?:\w+\.)+(?=\w)")

ERROR = "an error"
Findings = Mapping[tuple[str, int], str]
"""The type that was revealed on a line of a file, or ``an error``."""


def expected() -> Findings:
    found: dict[tuple[str, int], str] = {}
    for path in SAMPLES:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if (match := EXPECTED.search(line)) is not None:
                found[path.name, number] = match["type"] or ERROR
    return found


def run(*arguments: str) -> str:
    """The output of a checker; its exit status only tells whether there were errors."""
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    result = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode in (0, 1), result.stdout + result.stderr
    return result.stdout


def finding(is_error: bool, text: str) -> str | None:
    if is_error:
        return ERROR
    match = REVEALED.search(text)
    return None if match is None else QUALIFIER.sub("", match["type"])


def pyright() -> Findings:
    project = ("--project", str(DIRECTORY))
    report = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable, *project))
    found: dict[tuple[str, int], str] = {}
    for diagnostic in report["generalDiagnostics"]:
        text = finding(diagnostic["severity"] == "error", diagnostic["message"])
        if text is not None:
            place = Path(diagnostic["file"]).name, diagnostic["range"]["start"]["line"] + 1
            found[place] = text
    return found


def mypy(cache: Path) -> Findings:
    options = ("--no-error-summary", "--hide-error-context", "--cache-dir", str(cache))
    output = run("mypy", *options, *map(str, SAMPLES))
    found: dict[tuple[str, int], str] = {}
    for line in output.splitlines():
        if (match := MYPY.match(line)) is not None:
            text = finding(match["kind"] == "error", match["text"])
            if text is not None:
                found[Path(match["file"]).name, int(match["line"])] = text
    return found


@pytest.mark.one_turn
def test_pyright_sees_what_people_expect():
    pytest.importorskip("pyright")
    assert pyright() == expected()


@pytest.mark.one_turn
def test_mypy_sees_what_people_expect(tmp_path: Path):
    pytest.importorskip("mypy")
    assert mypy(tmp_path) == expected()


def test_there_is_something_expected_in_every_file():
    assert {file for file, _ in expected()} == {path.name for path in SAMPLES}
    assert ERROR in expected().values()
