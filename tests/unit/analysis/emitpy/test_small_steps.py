"""Which loops of PyTorch programs have steps that do little work."""

import pytest
from xdsl.dialects import func

from ein_mlir.analysis.emitpy.small_steps import loops_with_small_steps
from ein_mlir.entry import parse

VECTOR, SCALAR, OBJECT = "tensor<?xf64>", "tensor<f64>", "!emitpy.object"

ELEMENT = f"""
    %x = emitpy.subscript %a[%k] : ({VECTOR}, {OBJECT}) -> {SCALAR}
    %y = emitpy.binary %x "+" %s : ({SCALAR}, {SCALAR}) -> {SCALAR}
    emitpy.yield %b, %y : {VECTOR}, {SCALAR}"""

UPDATE = f"""
    %axes = emitpy.literal array<i64: 0>
    %at = emitpy.tuple(%k) : ({OBJECT}) -> {OBJECT}
    %y = emitpy.call "torch.exp"(%b) : ({VECTOR}) -> {VECTOR}
    %z = emitpy.method %y "sum"() : ({VECTOR}) -> {SCALAR}
    %c = emitpy.helper "torch.update"(%b, %axes, %at, %z)
        : ({VECTOR}, {OBJECT}, {OBJECT}, {SCALAR}) -> {VECTOR}
    emitpy.yield %c, %s : {VECTOR}, {SCALAR}"""

UPDATE_OF_SLICE = f"""
    %axis = emitpy.literal 0 : i64
    %c = emitpy.helper "torch.update_slice"(%b, %axis, %k, %k, %k, %a)
        : ({VECTOR}, {OBJECT}, {OBJECT}, {OBJECT}, {OBJECT}, {VECTOR}) -> {VECTOR}
    emitpy.yield %c, %s : {VECTOR}, {SCALAR}"""

WHOLE = f"""
    %c = emitpy.binary %b "+" %s : ({VECTOR}, {SCALAR}) -> {VECTOR}
    emitpy.yield %c, %s : {VECTOR}, {SCALAR}"""

BESIDE = f"""
    %c = emitpy.binary %b "+" %s : ({VECTOR}, {SCALAR}) -> {VECTOR}
    %t = emitpy.binary %s "+" %s : ({SCALAR}, {SCALAR}) -> {SCALAR}
    emitpy.yield %c, %t : {VECTOR}, {SCALAR}"""

SHORT = f"""
    %one = emitpy.literal 1 : i64
    %place = emitpy.literal unit
    %p = emitpy.subscript %s[%place] : ({SCALAR}, {OBJECT}) -> tensor<1xf64>
    %q = emitpy.binary %p "+" %p : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    %r = emitpy.method %q "sum"() : (tensor<1xf64>) -> {SCALAR}
    emitpy.yield %b, %r : {VECTOR}, {SCALAR}"""

READ = f"""
    %x = emitpy.subscript %a[%k] : ({VECTOR}, {OBJECT}) -> {SCALAR}
    emitpy.yield %b, %x : {VECTOR}, {SCALAR}"""


def joined(bound: str, kept: str) -> str:
    """A computed part after a part of an array up to a bound."""
    return f"""
    %one = emitpy.literal 1 : i64
    %end = emitpy.literal unit
    %cut = emitpy.slice(%end, %{bound} : {OBJECT}, {OBJECT})
    %rest = emitpy.slice(%{bound}, %end : {OBJECT}, {OBJECT})
    %head = emitpy.subscript %{kept}[%cut] : ({VECTOR}, {OBJECT}) -> {VECTOR}
    %old = emitpy.subscript %b[%rest] : ({VECTOR}, {OBJECT}) -> {VECTOR}
    %new = emitpy.call "torch.exp"(%old) : ({VECTOR}) -> {VECTOR}
    %parts = emitpy.tuple(%head, %new) : ({VECTOR}, {VECTOR}) -> {OBJECT}
    %c = emitpy.call "torch.cat"(%parts) : ({OBJECT}) -> {VECTOR}
    emitpy.yield %c, %s : {VECTOR}, {SCALAR}"""


def program(step: str, before: str = "") -> str:
    return f"""
func.func @f(%a: {VECTOR}, %x0: {SCALAR}, %n: {OBJECT}) -> ({VECTOR}, {SCALAR}) {{
  {before}
  %u, %v = emitpy.for (%k < %n, %b = %a, %s = %x0) : {OBJECT} -> {VECTOR}, {SCALAR} {{
    {step}
  }}
  func.return %u, %v : {VECTOR}, {SCALAR}
}}"""


def has_small_steps(text: str) -> bool:
    module = parse(text)
    module.verify()
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    return bool(loops_with_small_steps(function))


@pytest.mark.parametrize("step", [ELEMENT, UPDATE, UPDATE_OF_SLICE, SHORT, joined("k", "b")])
def test_steps_of_little_work(step: str) -> None:
    assert has_small_steps(program(step))


@pytest.mark.parametrize(
    "step", [WHOLE, BESIDE, READ, joined("one", "b"), joined("k", "a"), joined("n", "b")]
)
def test_steps_of_whole_arrays(step: str) -> None:
    assert not has_small_steps(program(step))


@pytest.mark.parametrize("callee", ["torch.nn.functional.gelu", "torch.exp"])
def test_functions_of_pytorch_alone(callee: str) -> None:
    call = f'%w = emitpy.call "{callee}"(%a) : ({VECTOR}) -> {VECTOR}'
    assert has_small_steps(program(ELEMENT, call)) is (callee == "torch.exp")
