"""Textual IR brings no Python, no text for LLVM and no C of its own, wherever it is written.

Each place of a text that becomes a name, a string or a comment is given payloads that would leave
it. Either the text is rejected, or the emitted program is of the closed vocabulary.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from ein_mlir.loading import MODULES, available_builtins, load_source
from ein_mlir.tools import ein_opt, ein_run
from tests.libraries import INSTALLED, missing

MARK = "ein_was_here"
"""An attribute of ``builtins`` that every payload sets."""

CODE = f"__import__('builtins').__dict__.__setitem__('{MARK}', 1)"
PAYLOADS = {
    "call": CODE,
    "string": f"\\22 + str({CODE}) + \\22",
    "apostrophe": f"' + str({CODE}) + '",
    "statement": f"x): pass\\0A{CODE}\\0Adef g(x",
    "line": f"\\0A    {CODE}\\0A",
    "carriage return": f"\\0D    {CODE}\\0D",
    "separator": f"\u2028{CODE}\u2029",
    "comment": f"# \\0A{CODE}",
    "triple": f"\\22\\22\\22\\0A{CODE}\\0A\\22\\22\\22",
    "format": "{0.__class__.__mro__[1].__subclasses__()}",
    "braces": f"{{{CODE}}}",
    "percent": "%(x)s%n%s",
    "backslash": f"\\\\\\22 + str({CODE})",
    "dunder": "__import__",
    "keyword": "lambda",
    "library": "np",
    "module": "os.system",
    "attribute": "np.load.__globals__",
    "llvm": "g() { unreachable } define void @h",
    "c": "f(void); int system",
    "comment of c": "*/ int system(void); /*",
    "trigraph": "*??/\\0A/ int system(void); /??/\\0A*",
    "macro": "\\0A#define system",
    "nothing": "",
    "null": "\\00",
    "long": "x" * 10_000,
}
"""Texts that would leave a name, a string, a comment or a line."""

PLACES = {
    "function": 'func.func @"{0}"(%a: f64) -> f64 {{ func.return %a : f64 }}',
    "called function": """
      func.func private @"{0}"(%a: f64) -> f64 {{ func.return %a : f64 }}
      func.func @f(%a: f64) -> f64 {{
        %b = func.call @"{0}"(%a) : (f64) -> f64
        func.return %b : f64
      }}""",
    "declaration": """
      func.func private @"{0}"(f64) -> f64
      func.func @f(%a: f64) -> f64 {{
        %b = func.call @"{0}"(%a) : (f64) -> f64
        func.return %b : f64
      }}""",
    "visibility": """
      "func.func"() ({{
      ^0(%a: f64):
        func.return %a : f64
      }}) {{sym_name = "f", sym_visibility = "{0}", function_type = (f64) -> f64}} : () -> ()""",
    "message": """
      func.func @f(%n: i64, %m: i64) -> i64 {{
        %s = phi.assert_eq %n, %m, "{0}"
        func.return %s : i64
      }}""",
    "extrinsic": """
      func.func @f(%a: f64) -> f64 {{
        %b = phi.extern @"{0}"(%a) : (f64) -> f64
        func.return %b : f64
      }}""",
    "scan": """
      func.func @f(%a: !phi.vec<f64>) -> !phi.vec<f64> {{
        %b = phi.scan "{0}" %a : !phi.vec<f64>
        func.return %b : !phi.vec<f64>
      }}""",
    "search": """
      func.func @f(%a: !phi.vec<f64>) -> i64 {{
        %b = phi.argreduce %a by "{0}" : !phi.vec<f64>
        func.return %b : i64
      }}""",
    "accumulation": """
      func.func @f(%x: f64, %p: i64, %n: i64) -> !phi.vec<f64> {{
        %b = phi.accumulate (%i < %n) into "{0}" (%n) -> !phi.vec<f64> {{
          %at = phi.tuple (%p, %x) : tuple<i64, f64>
          phi.yield %at : tuple<i64, f64>
        }}
        func.return %b : !phi.vec<f64>
      }}""",
    "location": """
      func.func @f(%a: f64) -> f64 {{
        %b = math.sin %a : f64 loc("{0}":1:2)
        func.return %b : f64
      }}""",
    "name of a location": """
      func.func @f(%a: f64) -> f64 {{
        %b = math.sin %a : f64 loc("{0}")
        func.return %b : f64
      }}""",
    "attribute": 'func.func @f(%a: f64) -> f64 attributes {{x = "{0}"}} {{ func.return %a : f64 }}',
    "fastmath": (
        'func.func @f(%a: f64) -> f64 attributes {{ein.fastmath = ["{0}"]}} '
        "{{ func.return %a : f64 }}"
    ),
    "decorator": (
        'func.func @f(%a: f64) -> f64 attributes {{emitpy.decorators = [#emitpy.decorator<"{0}", '
        "{{}}>]}} {{ func.return %a : f64 }}"
    ),
    "keyword of a decorator": (
        "func.func @f(%a: f64) -> f64 attributes {{emitpy.decorators = "
        '[#emitpy.decorator<"np.errstate", {{"{0}" = "ignore"}}>]}} {{ func.return %a : f64 }}'
    ),
    "attribute of an argument": (
        'func.func @f(%a: f64 {{x.y = "{0}"}}) -> f64 {{ func.return %a : f64 }}'
    ),
    "attribute of an operation": """
      func.func @f(%a: f64) -> f64 {{
        %b = math.sin %a {{x = "{0}"}} : f64
        func.return %b : f64
      }}""",
    "module": 'builtin.module @"{0}" {{ func.func @f(%a: f64) -> f64 {{ func.return %a : f64 }} }}',
    "argument": "func.func @f(%{0}: f64) -> f64 {{ func.return %{0} : f64 }}",
    "index": """
      func.func @f(%n: i64) -> !phi.vec<i64> {{
        %a = phi.array (%{0} < %n) -> !phi.vec<i64> {{
          phi.yield %n : i64
        }}
        func.return %a : !phi.vec<i64>
      }}""",
    "literal": """
      func.func @f() -> f64 {{
        %b = arith.constant {0} : f64
        func.return %b : f64
      }}""",
    "type": "func.func @f(%a: {0}) -> {0} {{ func.return %a : {0} }}",
    "operation": "func.func @f(%a: f64) -> f64 {{ {0} func.return %a : f64 }}",
}
"""The places of a program of phi."""

INSTALLED_COMPILERS = [name for name in INSTALLED if name != "native"]
"""The backends that emit Python, each of which gets some of the payloads."""

EMITTED = """
func.func @f(%a: tensor<?xf64>) -> tensor<?xf64> {{
  {0}
  func.return %a : tensor<?xf64>
}}"""
OBJECT = "!emitpy.object"
PLACES_OF_EMITPY = {
    "call": 'emitpy.call "{0}"(%a) : (tensor<?xf64>) -> tensor<?xf64>',
    "keyword": 'emitpy.call "np.sum"(%a, "{0}" = %a) : (tensor<?xf64>, tensor<?xf64>) -> f64',
    "method": 'emitpy.method %a "{0}"() : (tensor<?xf64>) -> tensor<?xf64>',
    "helper": 'emitpy.helper "{0}"(%a) : (tensor<?xf64>) -> tensor<?xf64>',
    "extern": 'emitpy.extern @"{0}"(%a) : (tensor<?xf64>) -> tensor<?xf64>',
    "name": 'emitpy.name "{0}"',
    "text": 'emitpy.literal "{0}"',
    "operator": 'emitpy.binary %a "{0}" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>',
    "unary": 'emitpy.unary "{0}" %a : (tensor<?xf64>) -> tensor<?xf64>',
    "attribute": 'emitpy.attribute %a "{0}" : tensor<?xf64> -> tensor<?xf64>',
}
"""The places of a program of emitpy, which only ``ein-opt`` reads."""


@pytest.fixture(autouse=True)
def no_mark() -> Iterator[None]:
    """No payload has run, during the test and before it."""
    assert not hasattr(builtins, MARK)
    yield
    assert not hasattr(builtins, MARK)


def bound_names(tree: ast.AST) -> set[str]:
    """The names that a source defines."""
    found = set[str]()
    for node in ast.walk(tree):
        match node:
            case (
                ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.arg(arg=name)
            ):
                found.add(name)
            case ast.alias(name=name, asname=alias):
                assert name in MODULES or name in ("erf",), name
                found.add(alias or name.partition(".")[0])
            case _:
                pass
    return found | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def assert_closed(source: str) -> None:
    """Every name is bound in the source or an available builtin, and none is private."""
    tree = ast.parse(source)
    known = bound_names(tree) | available_builtins().keys()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            assert node.id in known, node.id
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_"), node.attr
        assert not isinstance(node, ast.Global | ast.ClassDef | ast.Lambda | ast.Await), node


def run(tool: Callable[[Sequence[str]], int | None], text: str, *options: str) -> tuple[int, str]:
    """The exit status and the output of a tool; a failure has a message and no traceback."""
    output, errors = io.StringIO(), io.StringIO()
    old, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = tool(["-", *options]) or 0
    except SystemExit as error:
        status = int(error.code or 0)
    finally:
        sys.stdin = old
    assert status == 0 or errors.getvalue().strip()
    return status, output.getvalue()


@pytest.mark.one_turn
@pytest.mark.parametrize("place", PLACES)
def test_programs(place: str) -> None:
    for number, payload in enumerate(PAYLOADS.values()):
        backend = INSTALLED_COMPILERS[number % len(INSTALLED_COMPILERS)]
        text = PLACES[place].format(payload)
        status, source = run(ein_run.main, text, "--backend", backend, "--source")
        if status == 0:
            assert_closed(source)
            if "def f(" in source:
                with contextlib.suppress(Exception):
                    load_source(source, "f", {})(*[np.ones(2)] * text.count("%a:"))


@pytest.mark.one_turn
@pytest.mark.parametrize("place", PLACES_OF_EMITPY)
def test_emitted_programs(place: str) -> None:
    for payload in PAYLOADS.values():
        text = EMITTED.format("%b = " + PLACES_OF_EMITPY[place].format(payload))
        status, source = run(ein_opt.main, text, "-t", "python")
        if status == 0:
            assert_closed(source)


@pytest.mark.one_turn
@pytest.mark.parametrize("place", ["function", "called function", "declaration", "extrinsic"])
def test_text_for_llvm(place: str) -> None:
    """A module for LLVM defines no function that the program does not have."""
    for payload in PAYLOADS.values():
        text = PLACES[place].format(payload)
        status, module = run(ein_opt.main, text, "--pipeline", "native", "-t", "llvm-ir")
        if status == 0:
            names = re.findall(r'^define [^@"]*@("[^"]*"|[\w.$]+)\(ptr', module, re.MULTILINE)
            assert len(names) == len(re.findall("^define", module, re.MULTILINE))
            assert all(name.lstrip('"').startswith(("ein.", "loop.")) for name in names), names


@pytest.mark.parametrize("payload", ["c", "comment of c", "trigraph", "macro", "line", "triple"])
def test_headers_of_c(payload: str, tmp_path: Path) -> None:
    if missing("native"):
        pytest.skip("llvmlite is not installed")
    for place in ("function", "message"):
        text = PLACES[place].format(PAYLOADS[payload])
        run(ein_run.main, text, "--export", str(tmp_path))
        for header in tmp_path.glob("*.h"):
            code = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
            lines = [line for line in code.splitlines() if not line.startswith("#")]
            assert not re.search(r"system|builtins|subclasses", "".join(lines)), lines


def test_arguments_are_not_unpickled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Payload:
        def __reduce__(self) -> tuple[object, ...]:
            return exec, (CODE,)

    text = "func.func @f(%a: !phi.vec<f64>) -> !phi.vec<f64> { func.return %a : !phi.vec<f64> }"
    objects = np.array([Payload()], object)
    np.save(tmp_path / "a.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "b.npz", a=objects)
    (tmp_path / "c.npy").write_bytes(pickle.dumps(Payload()))
    (tmp_path / "d.npz").write_bytes(pickle.dumps(Payload()))
    for name in ("a.npy", "b.npz", "c.npy", "d.npz"):
        status, _ = run(ein_run.main, text, "--input", str(tmp_path / name))
        assert status == 1


REACHING = {
    "open": "open('x')",
    "eval": "eval('1')",
    "exec": "exec('1')",
    "compile": "compile('1', 'x', 'eval')",
    "import": "__import__('os')",
    "vars": "vars()",
    "globals": "globals()",
    "input": "input()",
    "breakpoint": "breakpoint()",
    "setattr": "setattr(f, 'x', 1)",
    "type": "type('A', (), {})",
}


@pytest.mark.parametrize("name", REACHING)
def test_emitted_code_has_no_other_builtins(name: str) -> None:
    with pytest.raises((NameError, ImportError)):
        load_source(f"def f():\n    return {REACHING[name]}\n", "f", {})()


def test_emitted_code_imports_no_other_modules() -> None:
    for module in ("os", "sys", "subprocess", "builtins", "numpy.f2py", "ein_mlir"):
        with pytest.raises(ImportError, match=re.escape(f"no module '{module}'")):
            load_source(f"import {module}\ndef f():\n    pass\n", "f", {})


@pytest.mark.parametrize(
    "statement",
    [
        "if x:\n    pass\nelse:\n    import os",
        "for i in x:\n    pass\nelse:\n    import os",
        "while x:\n    import os",
        "with x:\n    import os",
        "try:\n    pass\nexcept:\n    import os",
        "try:\n    pass\nfinally:\n    import os",
        "match x:\n    case 1:\n        import os",
        "class A:\n    def f(self):\n        import os",
    ],
)
def test_no_statement_imports_another_module(statement: str) -> None:
    body = statement.replace("\n", "\n    ")
    with pytest.raises(ImportError, match="no module 'os'"):
        load_source(f"def f(x):\n    {body}\n", "f", {})


@pytest.mark.parametrize("name", ["__import__", "__\uff49mport__", "__\U0001d422mport__"])
def test_no_expression_imports_a_module(name: str) -> None:
    """Python reads letters of other forms as those of ASCII."""
    with pytest.raises(ImportError, match="no module '__import__'"):
        load_source(f"def f():\n    return (lambda: {name})()\n", "f", {})
