"""Imports point down, form no circles, and no pass imports another pass.

Imports inside of functions count, too: late dependencies are needed. Imports for type checking
alone do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from ein_mlir import universe

PACKAGE = Path(__file__).resolve().parents[2] / "ein_mlir"

LAYERS = (
    ("errors", "host"),
    ("analysis",),
    ("dialects",),
    ("analysis.phi", "analysis.rho", "analysis.yarr", "analysis.emitpy", "analysis.loops"),
    ("backends",),
    ("rewriting",),
    ("passes", "interpreters", "sources", "targets", "drawing"),
    ("universe",),
    ("pipelines",),
    (
        *("bounds", "by_device", "code_cache", "emission", "explanation", "extrinsics", "loading"),
        *("long_loops", "native", "memory", "reading", "runtimes", "shapes", "short_axes"),
    ),
    ("arguments", "entry", "equal_axes", "small_arrays"),
    ("compiler",),
    ("c_library",),
    ("frontend",),
    ("random",),
    ("tools", ""),
)
"""The layers, each of which may import earlier ones; a module is in that of its longest prefix. The
modules of ``analysis`` itself serve all levels, and know no dialect of ours.
"""


def module_of(path: Path) -> str:
    """The name of a module without the package: ``dialects.phi.types``; "" for the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def layer(module: str) -> int:
    """The number of the layer of a module."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        for number, names in enumerate(LAYERS):
            if name in names:
                return number
    raise AssertionError(f"{module} has no layer")


def imported(path: Path) -> Iterator[str]:
    """The modules of the package that a file imports, anywhere in it."""
    for node in _imports(ast.parse(path.read_text(encoding="utf-8")).body):
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [n if (n := f"{module}.{name}")[9:] in MODULES else module for name in names]
        for name in names:
            if name.split(".")[0] == "ein_mlir":
                yield name[9:]


def _imports(statements: Sequence[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in statements:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not (isinstance(node, ast.If) and _is_for_types(node.test)):
            for part in _STATEMENTS:
                yield from _imports(getattr(node, part, ()))


def _is_for_types(condition: ast.expr) -> bool:
    names = (each.id for each in ast.walk(condition) if isinstance(each, ast.Name))
    return "TYPE_CHECKING" in names


_STATEMENTS = ("body", "handlers", "cases", "orelse", "finalbody")
"""The parts of a statement with statements."""


@cache
def imports_of(module: str) -> set[str]:
    """The modules of the package that a module imports."""
    return set(imported(MODULES[module]))


def test_imports_point_down() -> None:
    up = [
        f"{module} imports {other}"
        for module in MODULES
        for other in sorted(imports_of(module))
        if layer(other) > layer(module)
    ]
    assert not up


def test_there_are_no_circles() -> None:
    circles: list[list[str]] = []
    done, path = set[str](), list[str]()

    def visit(module: str) -> None:
        if module in path:
            circles.append([*path[path.index(module) :], module])
        elif module not in done:
            path.append(module)
            for other in sorted(imports_of(module) - {module}):
                visit(other)
            path.pop()
            done.add(module)

    for module in MODULES:
        visit(module)
    assert not circles


PASS_MODULES = {
    flag: universe.module_of(folder, flag).removeprefix("ein_mlir.")
    for flag, folder in universe.FOLDERS.items()
}


def test_no_pass_imports_another() -> None:
    @cache
    def owner(module: str) -> str | None:
        return next((f for f, m in PASS_MODULES.items() if f"{module}.".startswith(f"{m}.")), None)

    others = [
        f"{module} imports {other}"
        for module in MODULES
        if (flag := owner(module)) is not None
        for other in sorted(imports_of(module))
        if owner(other) not in (None, flag)
    ]
    assert not others


def test_every_file_of_passes_belongs_to_one() -> None:
    folders = [*universe.FOLDERS.values(), ""]
    packages = {f"passes.{folder}".rstrip(".") for folder in folders}
    stray = [
        module
        for module in MODULES
        if module.startswith("passes.") and module not in packages
        if not any(f"{module}.".startswith(f"{m}.") for m in PASS_MODULES.values())
    ]
    assert not stray
