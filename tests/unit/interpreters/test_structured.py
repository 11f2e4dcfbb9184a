"""Regions run as in xDSL's interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters.func import FuncFunctions
from xdsl.parser import Parser

from ein_mlir.dialects import phi
from ein_mlir.interpreters.phi import PhiFunctions
from ein_mlir.interpreters.scalars import ScalarFunctions
from ein_mlir.interpreters.structured import StructuredInterpreter

CALLS = """
func.func @power(%x : i64, %n : i64) -> i64 {
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %n, %p = %one) -> i64 {
    %next = arith.muli %p, %x : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}
func.func @sum(%n : i64) -> i64 {
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %acc = %zero) -> i64 {
    %square = func.call @power(%k, %n) : (i64, i64) -> i64
    %cube = func.call @power(%square, %k) : (i64, i64) -> i64
    %both = arith.addi %square, %cube : i64
    %next = arith.addi %acc, %both : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}
"""


def parsed(text: str) -> ModuleOp:
    context = Context()
    for dialect in (arith.Arith, builtin.Builtin, func.Func, phi.Phi):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


@pytest.mark.parametrize("size", [0, 1, 4])
def test_calls_have_values_of_their_own(size: int) -> None:
    module, results = parsed(CALLS), list[object]()
    for interpreter in (Interpreter(module), StructuredInterpreter(module)):
        for functions in (FuncFunctions(), PhiFunctions(), ScalarFunctions()):
            interpreter.register_implementations(functions)
        results.append(interpreter.call_op("sum", (np.int64(size),)))
    assert results[0] == results[1]
