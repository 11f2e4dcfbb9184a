"""The listings of the documents are the output of the tools, and their examples run."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ein_mlir
from ein_mlir import universe
from tests.libraries import OPTIONAL, missing, needs, skips

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> str:
    """Run a Python program in the repository; it must succeed."""
    result = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@needs("torch", "jax")
def test_the_page_of_the_language_names_all_functions() -> None:
    text = (ROOT / "docs/language.md").read_text()
    functions = [
        name
        for name in ein_mlir.__all__
        if getattr(ein_mlir, name).__module__.startswith("ein_mlir.frontend.")
        and not isinstance(getattr(ein_mlir, name), type)
    ]
    assert len(functions) > 50
    assert [name for name in functions if not re.search(rf"\b{name}\b", text)] == []


def test_documents_are_up_to_date() -> None:
    run("tools/update_docs.py", "--check")


def runnable(text: str) -> str:
    """A document without the blocks of Python that need a library that is not installed."""
    absent = missing(*OPTIONAL)

    def if_runnable(block: re.Match[str]) -> str:
        return "" if any(f"import {library}" in block[0] for library in absent) else block[0]

    return re.sub(r"^```python\n.*?^```$", if_runnable, text, flags=re.DOTALL | re.MULTILINE)


def with_examples() -> list[Any]:
    """The documents with examples. All of the page on backends needs two libraries."""
    paths = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    names = [str(path.relative_to(ROOT)) for path in paths if "\n>>> " in path.read_text()]
    needed = {"docs/backends.md": skips("torch", "jax")}
    return [pytest.param(name, marks=needed.get(name, [])) for name in names]


@pytest.mark.one_turn
@pytest.mark.parametrize("document", with_examples())
def test_python_does_what_it_says(document: str) -> None:
    text = runnable((ROOT / document).read_text())
    test = doctest.DocTestParser().get_doctest(text, {}, document, document, 0)
    failed, attempted = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert attempted
    assert not failed


@pytest.mark.one_turn
def test_the_site_builds(tmp_path: Path) -> None:
    """Links lead somewhere, every pass has its page: `mkdocs.yml` makes warnings errors."""
    pytest.importorskip("mkdocs")
    run("-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path))
    pages = {path.stem for path in (tmp_path / "passes").iterdir()}
    assert pages == set(universe.PASSES)


def libraries_of(example: Path) -> list[str]:
    """The optional libraries that an example imports."""
    return [library for library in OPTIONAL if f"import {library}\n" in example.read_text()]


def test_every_program_is_compared_on_every_backend() -> None:
    table = (ROOT / "docs/backends.md").read_text().partition("agreement_table.py -->\n")[2]
    _, _, *rows = table.strip().splitlines()
    assert [row[:42] for row in rows] == ["| f64 f32 | f64 f32 | f64 f32 | f64 f32 | "]


@pytest.mark.one_turn
@pytest.mark.parametrize(
    "example",
    [
        pytest.param(path.name, marks=skips(*libraries_of(path)))
        for path in sorted((ROOT / "examples").glob("*.py"))
    ],
)
def test_examples_run(example: str) -> None:
    few = ["--steps", "10"] if example.startswith("gat_") else []
    assert run(f"examples/{example}", *few)
