"""The laws of real numbers that a program permits: flags of operations, and of functions.

The flags are those of ``arith`` and LLVM: ``arith.addf %x, %y fastmath<reassoc>``. A function may
permit laws for all of its operations, by the attribute ``ein.fastmath``::

    func.func @f(%x: f64) -> f64 attributes {ein.fastmath = #arith.fastmath<reassoc,nsz>} { .. }

They permit rewrites, and do not require any.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.utils import FastMathAttrBase, FastMathFlag
from xdsl.ir import Operation

from ein_mlir.dialects import algebra

FASTMATH = "ein.fastmath"
"""The attribute of functions."""


def permit(module: ModuleOp, laws: Sequence[str]) -> None:
    """Permit laws, by name, in all functions of a module."""
    flags = arith.FastMathFlagsAttr([FastMathFlag(law) for law in laws])
    for function in module.ops:
        if isinstance(function, func.FuncOp):
            function.attributes[FASTMATH] = flags


def wrong_laws(function: func.FuncOp) -> str | None:
    """The reason why the attribute of a function permits nothing; None if it does, or is absent."""
    laws = function.attributes.get(FASTMATH)
    if laws is None or isinstance(laws, FastMathAttrBase):
        return None
    return f"'{FASTMATH}' is laws, as in #arith.fastmath<reassoc>, not '{laws}'"


def permits(op: Operation, *laws: str) -> bool:
    """Whether an operation, or the function that contains it, permits laws."""
    permitted = _flags(op.properties.get("fastmath"))
    around: Operation | None = op
    while around is not None and not isinstance(around, func.FuncOp):
        around = around.parent_op()
    if around is not None:
        permitted |= _flags(around.attributes.get(FASTMATH))
    return permitted.issuperset(laws)


def takes_any_order(combine: Operation) -> bool:
    """Whether a reduction may combine its elements in any order and grouping.

    Only products of floats may not, unless the program permits it.
    """
    name = algebra.SUM_OF.get(combine.name, combine.name)
    return algebra.takes_any_order(name) or permits(combine, "reassoc")


def _flags(attribute: object) -> set[str]:
    if not isinstance(attribute, FastMathAttrBase):
        return set()
    return {flag.value for flag in attribute.data}
