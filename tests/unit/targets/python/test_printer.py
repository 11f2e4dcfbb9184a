"""The printer: its errors, its output, which is Python, and its linear time."""

import ast
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.utils.exceptions import DiagnosticException

from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.names import LIBRARIES
from ein_mlir.targets.python.prelude import needed, prelude

ROOT = Path(__file__).parents[4]
FILECHECK = ROOT / "tests" / "filecheck"
VECTOR = "tensor<?xf64>"
Print = Callable[[str], str]


def chain(length: int) -> str:
    """A function with one long chain of sums, each used once."""
    lines = [
        f'%v{k + 1} = emitpy.binary %{"x" if k == 0 else f"v{k}"} "+" %x '
        f": ({VECTOR}, {VECTOR}) -> {VECTOR}"
        for k in range(length)
    ]
    body = "\n".join(lines)
    return (
        f"func.func @f(%x: {VECTOR}) -> {VECTOR} {{\n{body}\nfunc.return %v{length} : {VECTOR}\n}}"
    )


def nest(depth: int) -> str:
    """Loops in each other."""
    inner = f"emitpy.yield %x{depth} : {VECTOR}"
    for k in reversed(range(depth)):
        inner = f"""
          %r{k} = emitpy.for (%k{k} < %n, %x{k + 1} = %x{k}) : !emitpy.object -> {VECTOR} {{
            {inner}
          }}
          {"func.return" if k == 0 else "emitpy.yield"} %r{k} : {VECTOR}"""
    return f"func.func @f(%n: !emitpy.object, %x0: {VECTOR}) -> {VECTOR} {{ {inner} }}"


def test_output_is_python(print_python: Print):
    source = print_python((FILECHECK / "targets" / "python.mlir").read_text())
    assert max(map(len, source.splitlines())) <= 88
    compile(source, "<printed>", "exec")


@pytest.mark.one_turn
def test_time_is_linear(print_python: Print):
    def seconds(length: int) -> float:
        text = chain(length)
        start = time.perf_counter()
        print_python(text)
        return time.perf_counter() - start

    seconds(100)
    assert seconds(1600) < 12 * seconds(400)


def test_long_chains_become_lines(print_python: Print):
    unnamed = chain(60).replace("%v", "%")
    lines = print_python(unnamed).splitlines()
    assert 3 < len(lines) < 20
    assert all(len(line) <= 88 for line in lines)
    assert {line.split("=")[0].strip() for line in lines if "=" in line} == {"t0"}


def test_as_many_loops_as_python_allows(print_python: Print):
    ast.parse(print_python(nest(20)))
    compile(print_python(nest(20)), "<printed>", "exec")
    with pytest.raises(DiagnosticException, match="at most 20 nested loops"):
        print_python(nest(21))


def test_every_operation_has_a_round_trip_and_an_invalid_case():
    directory = FILECHECK / "dialects" / "emitpy"
    round_trips, invalid = ((directory / f"{name}.mlir").read_text() for name in ("ops", "invalid"))
    takes_any_values = {emitpy.ConditionalOp}
    for op in emitpy.EmitPy.operations:
        assert op.name in round_trips
        if op not in takes_any_values:
            assert f"// CHECK: {op.name}:" in invalid or f"// CHECK: '{op.name}'" in invalid


def test_helpers_stand_alone():
    """Each helper is a program, together with its imports and the helpers that it calls."""
    for name in prelude("np"):
        helpers = needed("np", [name])
        lines = [line for helper in helpers.values() for line in helper.imports]
        namespace: dict[str, object] = {}
        exec("\n".join([*lines, *(helper.source for helper in helpers.values())]), namespace)
        function = namespace[name]
        globals_ = set(function.__code__.co_names)  # pyright: ignore[reportAttributeAccessIssue]
        assert "Any" not in globals_


@pytest.mark.parametrize("library", LIBRARIES)
def test_files_of_a_prelude_share_no_names(library: str):
    """Each file of a package is read, and no two helpers have one name."""
    module = LIBRARIES[library].module.partition(".")[0]
    folder = ROOT / "ein_mlir" / "backends" / module / "prelude"
    written = [
        node.name
        for path in (*folder.glob("*.py"), folder.parents[1] / "shared_prelude.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert sorted(written) == sorted(prelude(library))


def test_names_of_a_helper_itself_are_no_helpers():
    """A parameter may have the name of another helper, which is not carried for it."""
    assert "product" in prelude("torch")
    assert "product" not in prelude("torch")["times"].helpers


def bound_at_top(source: str) -> list[str]:
    """The names that the statements of a module bind."""
    bound = list[str]()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            bound.extend(a.asname or a.name.partition(".")[0] for a in node.names)
        elif isinstance(node, ast.FunctionDef):
            bound.append(node.name)
    return bound


@pytest.mark.one_turn
@pytest.mark.parametrize(
    "helper", [f"{library}.{name}" for library in LIBRARIES for name in prelude(library)]
)
def test_functions_hide_no_name_of_a_helper(helper: str, print_python: Print):
    """Functions with the names of a helper and of all that it imports are renamed."""
    library, _, name = helper.partition(".")
    text = f"""
      func.func @NAME(%x: {VECTOR}) -> {VECTOR} {{
        %y = emitpy.helper "{helper}"(%x) : ({VECTOR}) -> {VECTOR}
        func.return %y : {VECTOR}
      }}"""
    own = bound_at_top(print_python(text.replace("NAME", "main")))
    names = {*own, *(n for n in needed(library, [name])), "main_1"}
    source = print_python("\n".join(text.replace("NAME", each) for each in sorted(names)))
    bound = bound_at_top(source)
    assert sorted(set(bound)) == sorted(bound)
    assert set(own) - {"main"} <= set(bound)
