"""The rows of known numbers that NumPy computes before JAX traces a program."""

import pytest
from xdsl.dialects import func

from ein_mlir.analysis.scopes import nested
from ein_mlir.analysis.yarr.known_rows import known_rows
from ein_mlir.analysis.yarr.static_values import StaticValues
from ein_mlir.entry import parse

ROW = "%y = yarr.unsqueeze %x, [0] : tensor<?xf64> -> tensor<1x?xf64>"
FLOATS = "%f = yarr.elementwise { arith.sitofp } %i : (tensor<?xi64>) -> tensor<?xf64>"
SINES = f"{FLOATS} \n %x = yarr.elementwise {{ math.sin }} %f : (tensor<?xf64>) -> tensor<?xf64>"
UNIT = "%u = yarr.unsqueeze {}, [0] : tensor<f64> -> tensor<1xf64>"
BINARY = "yarr.elementwise {{ {} }} %f, %u : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>"


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (f"{SINES} \n {ROW}", "n i f x"),
        (SINES, ""),
        (f"{FLOATS} \n {UNIT.format('%h')} \n %x = {BINARY.format('arith.addf')} \n {ROW}", ""),
        (
            f"{FLOATS} \n {UNIT.format('%h')} \n %x = {BINARY.format('arith.divf')} \n {ROW}",
            "h n i f u x",
        ),
        (f"{FLOATS} \n {UNIT.format('%s')} \n %x = {BINARY.format('arith.divf')} \n {ROW}", ""),
        (
            f"%x = yarr.elementwise {{ math.sin }} %a : (tensor<?xf64>) -> tensor<?xf64> \n {ROW}",
            "",
        ),
    ],
    ids=["function", "one axis", "cheap", "division", "by an argument", "of an argument"],
)
def test_known_rows(body: str, names: str) -> None:
    module = parse(f"""
    func.func @f(%n: tensor<i64>, %s: tensor<f64>, %a: tensor<?xf64>) {{
      %h = arith.constant dense<0.5> : tensor<f64>
      %i = yarr.range %n : tensor<?xi64>
      {body}
      func.return
    }}
    """)
    function = module.body.block.first_op
    assert isinstance(function, func.FuncOp)
    block = function.body.block
    found = known_rows(block, StaticValues(block))
    values = [*block.args, *(result for op in nested(block) for result in op.results)]
    assert sorted(v.name_hint or "" for v in values if v in found) == sorted(names.split())
