"""A fixture that runs a program given as text."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, math, test
from xdsl.parser import Parser

from ein_mlir.dialects import phi, sigma
from ein_mlir.interpreters import run

DIALECTS = (arith.Arith, builtin.Builtin, func.Func, math.Math, test.Test, phi.Phi, sigma.Sigma)


@pytest.fixture
def evaluate() -> Callable[..., object]:
    """`evaluate(text, *args, **externs)`: verify the program and call its first function."""

    def evaluate(text: str, *args: object, **externs: Callable[..., object]) -> object:
        context = Context()
        for dialect in DIALECTS:
            context.load_dialect(dialect)
        module = Parser(context, text).parse_module()
        module.verify()
        entry = next(op for op in module.ops if isinstance(op, func.FuncOp))
        return run(module, entry.sym_name.data, args, externs)

    return evaluate
