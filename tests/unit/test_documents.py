"""What the documents show is what the tools print, and what the examples say runs."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> str:
    """Run a Python program in the repository; it must succeed."""
    result = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_documents_are_up_to_date() -> None:
    run("tools/update_docs.py", "--check")


@pytest.mark.parametrize("document", ["README.md", "docs/backends.md"])
def test_python_does_what_it_says(document: str) -> None:
    failed, attempted = doctest.testfile(str(ROOT / document), module_relative=False)
    assert attempted
    assert not failed


def test_every_program_is_compared_on_every_backend() -> None:
    table = (ROOT / "docs/backends.md").read_text().partition("agreement_table.py -->\n")[2]
    _, _, *rows = table.strip().splitlines()
    assert rows
    for row in rows:
        assert row.endswith("| f64 f32 | f64 f32 | f64 f32 |"), row


@pytest.mark.parametrize("example", sorted(p.name for p in (ROOT / "examples").glob("*.py")))
def test_examples_run(example: str) -> None:
    assert run(f"examples/{example}")
