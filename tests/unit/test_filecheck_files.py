"""A FileCheck test that checks nothing passes: every file must show that it can fail."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "filecheck"
FILES = sorted(path for suffix in (".mlir", ".py", ".rho") for path in ROOT.rglob(f"*{suffix}"))
SUBSTITUTIONS = {"ROUNDTRIP": "CHECK", "GENERIC_ROUNDTRIP": "CHECK-GENERIC", "DIAGNOSTICS": "CHECK"}
"""The commands that lit.cfg defines, which name the file and run filecheck -> their prefixes."""


def commands(text: str) -> list[str]:
    """The RUN lines of a test, with the continued ones (`\\` at the end) joined.

    >>> commands("// RUN: a | \\\\\\n// RUN:   b\\n// RUN: c")
    ['a | b', 'c']
    """
    lines = re.findall(r"RUN:[ \t]*(.*)", text)
    return re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()


def checked_prefixes(command: str) -> set[str]:
    """The prefixes of the lines that a RUN line checks: none if it checks nothing.

    >>> checked_prefixes("ein-opt %s | filecheck %s --check-prefix=A")
    {'A'}
    >>> checked_prefixes("ein-opt %s")
    set()
    """
    if command.strip() in SUBSTITUTIONS:
        return {SUBSTITUTIONS[command.strip()]}
    if not re.search(r"\|\s*filecheck\b.*%s", command):
        return set()
    named = re.findall(r"--check-prefix(?:es)?[= ](\S+)", command)
    return {prefix for names in named for prefix in names.split(",")} or {"CHECK"}


def check_lines(text: str, prefix: str) -> list[str]:
    """The directives of a prefix that require something to be printed."""
    return re.findall(rf"(?<![\w-]){prefix}(?:-NEXT|-SAME|-DAG|-LABEL|-COUNT-\d+)?:.*\S", text)


def test_there_are_files():
    assert FILES


def mistakes(text: str) -> Iterator[str]:
    """The RUN lines that cannot fail."""
    runs = commands(text)
    if not runs:
        yield "no RUN line: lit would not test this file"
    for run in runs:
        if run.strip() not in SUBSTITUTIONS and "%s" not in run:
            yield f"does not use the file: {run}"
        prefixes = checked_prefixes(run)
        if not prefixes:
            yield f"output is not checked, since it is not piped to `filecheck %s`: {run}"
        for prefix in prefixes:
            if not check_lines(text, prefix):
                yield f"no {prefix} line for: {run}"


def test_files_check_something():
    found = {str(path.relative_to(ROOT)): [*mistakes(path.read_text())] for path in FILES}
    assert not {name: lines for name, lines in found.items() if lines}


def test_files_that_check_nothing_are_found():
    assert [*mistakes("// CHECK: f")] == ["no RUN line: lit would not test this file"]
    assert len([*mistakes("// RUN: ein-opt")]) == 2
    assert [*mistakes("// RUN: a %s | filecheck %s")] == ["no CHECK line for: a %s | filecheck %s"]


def test_substitutions_are_those_of_lit():
    config = (ROOT / "lit.cfg").read_text()
    assert set(re.findall(r'r"\\b(\w+)\\b"', config)) == set(SUBSTITUTIONS)
