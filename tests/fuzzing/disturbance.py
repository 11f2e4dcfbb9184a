"""The reference interpreter with other rounding: the digits of a result that rounding decides.

Only rounding may differ from the interpreter (``docs/semantics.md``). A sum with cancellation, or a
comparison of rounded numbers, magnifies that. So the interpreter runs a program several times with
every rounded operation changed by a few units in the last place: what changes then may differ.
Exact results, such as those of small whole numbers, stay.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from unittest import mock

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute, Operation

from ein_mlir.dialects import phi
from ein_mlir.entry import find_entry
from ein_mlir.interpreters import phi as interpreter_of_phi
from ein_mlir.interpreters import reference
from ein_mlir.interpreters.scalars import FLOAT, RULES

EXACT = (
    arith.NegfOp, arith.MinnumfOp, arith.MaxnumfOp, arith.ExtFOp, math.AbsFOp, math.CeilOp,
    math.CopySignOp, math.FloorOp, math.RoundOp, math.RoundEvenOp, math.TruncOp,
)  # fmt: skip
EITHER_ZERO = (arith.MinimumfOp, arith.MaximumfOp, arith.AddfOp, arith.SubfOp, arith.MulfOp)
"""The operations of reductions in which a zero has either sign."""
UNITS = {np.dtype(np.float64): 2.0**-51, np.dtype(np.float32): 2.0**-22}
"""The relative change of a rounded result: 2 units in the last place."""


def _is_exact(value: Any) -> bool:
    """Whether a result is so short a number that it is hardly rounded."""
    return abs(value) < 4096 and value * 1024 == np.floor(value * 1024)


def _changed(value: Any, rng: random.Random, either_zero: bool) -> Any:
    """A result with another rounding, or a zero with another sign."""
    if not isinstance(value, np.floating) or not np.isfinite(value):
        return value
    if value == 0:
        return type(value)(rng.choice((0.0, -0.0))) if either_zero else value
    if _is_exact(value):
        return value
    return type(value)(value * (1 + UNITS[value.dtype] * rng.uniform(-1, 1)))


def _is_in_a_loop(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, phi.FoldOp | phi.ReduceOp):
        parent = parent.parent_op()
    return parent is not None


def _disturbed_rule(op_type: type[Operation], rng: random.Random) -> object:
    @impl(op_type)
    def run(
        self: InterpreterFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> PythonValues:
        either = isinstance(op, EITHER_ZERO) and _is_in_a_loop(op)
        return (_changed(RULES[op_type](op)(args), rng, either),)

    return run


def _functions(rng: random.Random) -> InterpreterFunctions:
    """The operations on floats that round."""
    rounded = [op for op in FLOAT if op not in EXACT]
    rules = {f"run_{op.name}": _disturbed_rule(op, rng) for op in rounded}
    return register_impls(type("Disturbed", (InterpreterFunctions,), rules))()


def disturbed(module: ModuleOp, arguments: Sequence[Any], seed: int) -> Any:
    """The result of a program on the interpreter with some other rounding."""
    rng = random.Random(seed)
    interpreter_of, combiner = reference._interpreter, interpreter_of_phi.combiner

    def make(module: ModuleOp, externs: Mapping[str, Callable[..., object]]) -> Interpreter:
        interpreter = interpreter_of(module, externs)
        interpreter.register_implementations(_functions(rng), override=True)
        return interpreter

    def combining(kind: str, type_: Attribute) -> tuple[Callable[..., Any], Any]:
        combine, identity = combiner(kind, type_)
        return lambda x, y: _changed(combine(x, y), rng, True), identity

    with (
        mock.patch.object(reference, "_interpreter", make),
        mock.patch.object(interpreter_of_phi, "combiner", combining),
    ):
        return reference.run(module, find_entry(module, None).sym_name.data, arguments)
