"""Requirements of each operation and pass: the tests name those that a new one lacks.

Operations: interfaces without a default, a round trip, an invalid case, a reference evaluation,
a translation, and documentation; ``test_drawing.py`` asks for a label, too. Passes: a FileCheck
test under their flag, and a docstring that shows IR before and after.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import IndexType, TupleType, f32, f64, i1, i32, i64
from xdsl.interpreter import Interpreter
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import RangeConstraint
from xdsl.traits import IsTerminator
from xdsl.utils.hints import isa

from ein_mlir import universe
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.dialects import phi
from ein_mlir.dialects.emitpy import EmitPy
from ein_mlir.dialects.phi import Phi, PhiOp
from ein_mlir.dialects.rho import Rho
from ein_mlir.dialects.sigma import Sigma
from ein_mlir.dialects.yarr import Yarr
from ein_mlir.entry import parse
from ein_mlir.passes.conversions import convert_phi_to_loops, convert_phi_to_yarr

FILECHECK = Path(__file__).resolve().parents[1] / "filecheck"
DOCS = Path(__file__).resolve().parents[2] / "docs"
DIALECTS = (Phi, Yarr, EmitPy, Sigma, Rho)
LOWERINGS = tuple(name for name in universe.PASSES if name.startswith("convert-yarr-to-"))


def mentions(path: str, name: str, folder: Path = FILECHECK) -> bool:
    """Whether a file, by default one of FileCheck, is about an operation."""
    text = (folder / path).read_text()
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", text) is not None


def operations(
    *dialects: Dialect, terminators: bool = True, derivatives: bool = True
) -> list[object]:
    """The operations of dialects, as test parameters."""
    return [
        pytest.param(dialect, op, id=op.name)
        for dialect in dialects
        for op in dialect.operations
        if terminators or not op.has_trait(IsTerminator)
        if derivatives or not issubclass(op, phi.DerivativeOp)
    ]


@pytest.mark.parametrize(("dialect", "op"), operations(Phi))
def test_every_operation_says_what_is_known_of_it(dialect: Dialect, op: type[PhiOp]) -> None:
    """The missing methods: those for which `PhiOp` has no safe default."""
    assert issubclass(op, PhiOp)
    missing = sorted(op.__abstractmethods__)
    assert not missing


@pytest.mark.parametrize(("dialect", "op"), operations(Phi))
def test_every_operation_says_what_becomes_of_it_on_records(
    dialect: Dialect, op: type[PhiOp]
) -> None:
    assert hasattr(op, "ON_RECORDS")


@pytest.mark.parametrize(("dialect", "op"), operations(Phi))
def test_every_operation_on_ints_says_which_are_sizes(dialect: Dialect, op: type[PhiOp]) -> None:
    """The default of `PhiOp.size_or_count` is not safe if an operand is always an Int."""
    constraints = [definition.constr for _, definition in op.get_irdl_definition().operands]
    if any(accepted(constraint) == [i64] for constraint in constraints):
        assert op.size_or_count is not PhiOp.size_or_count


def accepted(constraint: RangeConstraint) -> list[Attribute]:
    """Those scalar types that an operand may have."""
    types = (i1, i32, i64, f32, f64, IndexType())
    return [each for each in types if constraint.verifies([each])]


def phi_operations() -> list[PhiOp]:
    """All operations of phi in the round trips."""
    module = parse((FILECHECK / "dialects/phi/ops.mlir").read_text())
    return [op for op in module.walk() if isinstance(op, PhiOp)]


def test_every_operand_that_a_result_has_as_size_is_a_size() -> None:
    """`PhiOp.size_of_result` and `PhiOp.size_or_count` agree."""
    for op in phi_operations():
        for axis in range(sum(phi.rank_of(result.type) for result in op.results)):
            size = op.size_of_result((), axis)
            if size is not None and size.axis is None:
                assert size.value in op.operands
                number = list(op.operands).index(size.value)
                assert op.size_or_count(number) is not None, op.name


def test_every_flow_is_from_a_field_to_a_field_like_it() -> None:
    """`PhiOp.flow` gives each scalar of a field one place in a field of the target."""
    for op in phi_operations():
        for number, operand in enumerate(op.operands):
            for flow in op.flow(number):
                if not flow.mixed:
                    fields = field(operand.type, flow.taken), field(flow.target.type, flow.put)
                    assert len(leaf_types(fields[0])) == len(leaf_types(fields[1])), op.name


def field(type_: Attribute, path: phi.Path) -> Attribute:
    """The type of a field of a record."""
    for number in path:
        assert isa(type_, TupleType)
        type_ = type_.types.data[number]
    return type_


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


@pytest.mark.parametrize(("dialect", "op"), operations(Phi, Yarr, Rho))
def test_every_operation_has_a_place_on_the_page_of_its_dialect(
    dialect: Dialect, op: type[Operation]
) -> None:
    assert mentions(f"{dialect.name}.md", op.name, DOCS)


@pytest.mark.parametrize(("dialect", "op"), operations(Phi, Sigma, terminators=False))
def test_every_pointful_operation_has_semantics(dialect: Dialect, op: type[Operation]) -> None:
    assert mentions("semantics.md", op.name, DOCS)


@pytest.mark.parametrize("conversion", ["convert-phi-to-yarr", "convert-phi-to-loops"])
@pytest.mark.parametrize(("dialect", "op"), operations(Phi, terminators=False, derivatives=False))
def test_every_rule_of_a_conversion_is_tested(
    dialect: Dialect, op: type[Operation], conversion: str
) -> None:
    assert mentions(f"passes/conversions/{conversion}.mlir", op.name)


@pytest.mark.parametrize("rules", [convert_phi_to_yarr.RULES, convert_phi_to_loops.RULES])
@pytest.mark.parametrize(
    ("dialect", "op"), operations(Phi, Sigma, terminators=False, derivatives=False)
)
def test_every_pointful_operation_has_a_rule(
    dialect: Dialect, op: type[Operation], rules: dict[type[Operation], object]
) -> None:
    assert op in rules


@pytest.mark.parametrize("lowering", LOWERINGS)
@pytest.mark.parametrize(("dialect", "op"), operations(Yarr, terminators=False))
def test_every_array_operation_has_a_lowering(
    dialect: Dialect, op: type[Operation], lowering: str
) -> None:
    assert mentions(f"passes/conversions/{lowering}.mlir", op.name)


@pytest.mark.parametrize(("dialect", "op"), operations(Phi, Yarr, Sigma, derivatives=False))
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
