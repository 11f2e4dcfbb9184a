"""Diagnostics with source locations, and evaluation."""

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.entry import parse
from ein_mlir.interpreters import run
from ein_mlir.passes.phi.inline_calls import inline_calls


def function(name: str, *callees: str, visibility: str = "") -> str:
    """``name(x) = callee(... x ...) + x``."""
    lines = [f"func.func {visibility} @{name}(%x: i64) -> i64 {{", "%v0 = arith.addi %x, %x : i64"]
    for k, callee in enumerate(callees):
        lines.append(f"%v{k + 1} = func.call @{callee}(%v{k}) : (i64) -> i64")
    return "\n".join([*lines, f"func.return %v{len(callees)} : i64", "}"])


def placed(text: str) -> ModuleOp:
    """A module whose calls have the source locations of lines 1, 2, ... of a file."""
    module = parse(text)
    calls = [op for op in module.walk() if isinstance(op, func.CallOp)]
    for k, call in enumerate(calls):
        call.location = FileLineColLoc(StringAttr("p.py"), IntAttr(k + 1), IntAttr(0))
    return module


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ([function("f", "f")], "@f is recursive: @f calls @f (at p.py:1)"),
        (
            [function("main", "f"), function("f", "g", "h"), function("g"), function("h", "f")],
            "@f calls @h calls @f (at p.py:3)",
        ),
        ([function("f", "nowhere")], "no function @nowhere is defined in the module (at p.py:1)"),
    ],
)
def test_errors_name_the_call_and_the_place(functions: list[str], message: str):
    with pytest.raises(PassFailedException) as error:
        inline_calls(placed("\n".join(functions)))
    text = str(error.value)
    assert message in text or "@h calls @f calls @h (at p.py:4)" in text


def test_evaluation_is_unchanged():
    module = parse(
        "\n".join(
            [
                function("f", "g", "h", "g"),
                function("g", "h", visibility="private"),
                function("h", visibility="private"),
            ]
        )
    )
    expected = run(module, "f", [3])
    inline_calls(module)
    module.verify()
    assert [op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)] == ["f"]
    assert not any(isinstance(op, func.CallOp) for op in module.walk())
    assert run(module, "f", [3]) == expected


def test_private_functions_that_are_referred_to_stay():
    module = parse(function("f", visibility="private") + function("g", visibility="private"))
    (first, _) = (op for op in module.ops if isinstance(op, func.FuncOp))
    from xdsl.dialects.builtin import SymbolRefAttr

    module.attributes["entry"] = SymbolRefAttr("f")
    inline_calls(module)
    assert list(module.ops) == [first]
