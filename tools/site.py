"""Hooks of mkdocs: the pages that are made from other files, and links that leave ``docs/``.

The home page is README.md. Each pass has a page with its docstring, and each example one with its
source.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from ein_mlir import universe

ROOT = Path(__file__).resolve().parent.parent
COPIES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
}
"""Documents of the root -> pages."""

LINK = re.compile(r"\]\((?!https?:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)]*)?\)")
LITERAL = re.compile(r"^(?P<head>.*)::\n\n(?P<code>(?:(?: {4,}[^\n]*)?\n)+)", re.MULTILINE)
PASS = re.compile(r"^\| `([a-z-]+)` \|", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made here."""
    pages = {page: (ROOT / source).read_text() for source, page in COPIES.items()}
    pages |= {f"passes/{flag}.md": page_of_pass(flag) for flag in universe.PASSES}
    pages |= {f"examples/{path.stem}.md": page_of_example(path) for path in examples()}
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def examples() -> list[Path]:
    """The programs of ``examples/``."""
    return sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".py", ".mlir"))


def page_of_example(path: Path) -> str:
    language = "python" if path.suffix == ".py" else "mlir"
    return f"# {path.name}\n\n```{language}\n{path.read_text()}```\n"


def page_of_pass(flag: str) -> str:
    """The docstring of a pass, as Markdown."""
    text = (inspect.getdoc(universe.PASSES[flag]()) or "") + "\n"
    return f"# `{flag}`\n\n{LITERAL.sub(fenced, text.replace('``', '`'))}"


def fenced(literal: re.Match[str]) -> str:
    """A literal block of reStructuredText as a block of Markdown."""
    code = inspect.cleandoc(literal["code"])
    return f"{literal['head']}:\n\n```mlir\n{code}\n```\n\n"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to pages: within the site where there is one, else to no page."""
    source = page.file.src_uri
    if source == "passes.md":
        markdown = PASS.sub(linked_pass, markdown)
    folder = Path() if source in COPIES.values() else Path("docs") / Path(source).parent
    here = Path(source).parent
    return LINK.sub(lambda link: relinked(link, folder, here), markdown)


def linked_pass(row: re.Match[str]) -> str:
    """The start of a row about a pass, with a link to its page."""
    return f"| [`{row[1]}`](passes/{row[1]}.md) |" if row[1] in universe.PASSES else row[0]


def relinked(link: re.Match[str], folder: Path, here: Path) -> str:
    """A link that is relative to a file of the repository, relative to its page."""
    target = (ROOT / folder / link["path"]).resolve()
    if not target.exists():
        return link[0]
    page = page_of(target.relative_to(ROOT))
    up = "../" * len(here.parts)
    return f"]({up}{page}{link['anchor'] or ''})"


def page_of(path: Path) -> str:
    """The page of a file of the repository."""
    if str(path) in COPIES:
        return COPIES[str(path)]
    if path.parts[0] == "docs":
        return path.relative_to("docs").as_posix()
    return path.with_suffix(".md").as_posix()
