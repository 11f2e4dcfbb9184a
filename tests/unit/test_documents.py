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


def test_python_in_the_readme_does_what_it_says() -> None:
    failed, attempted = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert attempted
    assert not failed


@pytest.mark.parametrize("example", sorted(p.name for p in (ROOT / "examples").glob("*.py")))
def test_examples_run(example: str) -> None:
    assert run(f"examples/{example}")
