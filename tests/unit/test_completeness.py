"""What each operation and pass must have: adding one tells what is missing.

Operations: a round trip, an invalid case, a reference evaluation, a translation. Passes: a
FileCheck test under their flag, and a docstring that shows IR before and after.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from xdsl.interpreter import Interpreter
from xdsl.ir import Dialect, Operation
from xdsl.traits import IsTerminator

from ein_mlir import universe
from ein_mlir.dialects.emitpy import EmitPy
from ein_mlir.dialects.phi import Phi
from ein_mlir.dialects.sigma import Sigma
from ein_mlir.dialects.yarr import Yarr
from ein_mlir.passes.conversions.convert_phi_to_yarr import RULES

FILECHECK = Path(__file__).resolve().parents[1] / "filecheck"
DIALECTS = (Phi, Yarr, EmitPy, Sigma)
LOWERINGS = tuple(name for name in universe.PASSES if name.startswith("convert-yarr-to-"))


def mentions(path: str, name: str) -> bool:
    """Whether a FileCheck file is about an operation."""
    text = (FILECHECK / path).read_text()
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", text) is not None


def operations(*dialects: Dialect, terminators: bool = True) -> list[object]:
    """The operations of dialects, as test parameters."""
    return [
        pytest.param(dialect, op, id=op.name)
        for dialect in dialects
        for op in dialect.operations
        if terminators or not op.has_trait(IsTerminator)
    ]


@pytest.mark.parametrize(("dialect", "op"), operations(*DIALECTS))
def test_every_operation_has_round_trips(dialect: Dialect, op: type[Operation]) -> None:
    text = (FILECHECK / f"dialects/{dialect.name}/ops.mlir").read_text()
    assert mentions(f"dialects/{dialect.name}/ops.mlir", op.name)
    assert re.search(rf'CHECK-GENERIC.*"{re.escape(op.name)}"', text)


@pytest.mark.parametrize(("dialect", "op"), operations(*DIALECTS))
def test_every_operation_has_an_invalid_case(dialect: Dialect, op: type[Operation]) -> None:
    assert mentions(f"dialects/{dialect.name}/invalid.mlir", op.name)


@pytest.mark.parametrize(("dialect", "op"), operations(*DIALECTS))
def test_every_operation_is_documented(dialect: Dialect, op: type[Operation]) -> None:
    documentation = inspect.getdoc(op) or ""
    assert documentation
    if not op.has_trait(IsTerminator):
        assert op.name in documentation


@pytest.mark.parametrize(("dialect", "op"), operations(Phi, Sigma, terminators=False))
def test_every_pointful_operation_has_a_rule(dialect: Dialect, op: type[Operation]) -> None:
    assert op in RULES


@pytest.mark.parametrize("lowering", LOWERINGS)
@pytest.mark.parametrize(("dialect", "op"), operations(Yarr, terminators=False))
def test_every_array_operation_has_a_lowering(
    dialect: Dialect, op: type[Operation], lowering: str
) -> None:
    assert mentions(f"passes/conversions/{lowering}.mlir", op.name)


@pytest.mark.parametrize(("dialect", "op"), operations(Phi, Yarr, Sigma))
def test_every_operation_has_a_reference_evaluation(dialect: Dialect, op: type[Operation]) -> None:
    from xdsl.dialects.builtin import ModuleOp

    from ein_mlir.interpreters.phi import PhiFunctions
    from ein_mlir.interpreters.scalars import ScalarFunctions
    from ein_mlir.interpreters.yarr import YarrFunctions

    interpreter = Interpreter(ModuleOp([]))
    for functions in (PhiFunctions(), ScalarFunctions(), YarrFunctions()):
        interpreter.register_implementations(functions, override=True)
    assert op in interpreter._impls._impl_dict


@pytest.mark.parametrize("flag", universe.PASSES)
def test_every_pass_has_a_test_and_a_docstring(flag: str) -> None:
    pass_type = universe.PASSES[flag]()
    assert pass_type.name == flag
    assert pass_type.__name__ == "".join(map(str.capitalize, flag.split("-"))) + "Pass"
    documentation = inspect.getdoc(pass_type) or ""
    assert "Before" in documentation
    assert "After" in documentation
    test = FILECHECK / f"passes/{universe.FOLDERS[flag]}/{flag}.mlir"
    assert f"-p {flag}" in test.read_text()
