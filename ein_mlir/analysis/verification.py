"""The verification of a program: every message has a source location, and scopes are checked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.arith import CMPF_COMPARISON_OPERATIONS, CMPI_COMPARISON_OPERATIONS
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.analysis.scopes import operations_in

_OF_A_PART = re.compile(r"\w+ '\w+' (at position \d+ )?does not verify:|Expected (\d|arguments)")
"""A message of xDSL about the parts of an operation, which does not name it."""


def verify(root: Operation) -> None:
    """Raise VerifyException, with a location, for an invalid operation or a use out of scope.

    xDSL verifies the operations and does not say where the invalid one is; it verifies no scopes.
    """
    _check_symbols(root)
    try:
        _verify(root)
    except VerifyException as error:
        raise _located(root, error) from error
    for op in operations_in(root):
        _check_unverified(op)
    check_dominance(root)


def _verify(op: Operation) -> None:
    """Verify as xDSL does, where a few verifiers raise an Exception of no kind."""
    try:
        op.verify()
    except Exception as error:
        if type(error) is not Exception:
            raise
        raise VerifyException(f"{op.name}: {error}") from error


def _check_unverified(op: Operation) -> None:
    """Raise VerifyException for a mistake that xDSL does not verify."""
    if op.name == "scf.if":
        _check_branches(op)
    elif isinstance(op, arith.CmpiOp | arith.CmpfOp):
        known = (
            CMPI_COMPARISON_OPERATIONS if op.name == "arith.cmpi" else CMPF_COMPARISON_OPERATIONS
        )
        if not 0 <= (number := op.predicate.value.data) < len(known):
            raise VerifyException(
                f"{op.name}: {number} is no predicate, they are the numbers from 0 to "
                f"{len(known) - 1}{where_written(op)}"
            )


def _check_branches(op: Operation) -> None:
    """Raise VerifyException for a branch that yields values of other types than the results."""
    expected = [result.type for result in op.results]
    for region in op.regions:
        last = region.blocks.last.last_op if region.blocks.last is not None else None
        found = [] if last is None else [value.type for value in last.operands]
        if last is not None and last.name == "scf.yield" and found != expected:
            raise VerifyException(
                f"scf.if: its results are {_listed(expected)}, but a branch yields "
                f"{_listed(found)}{where_written(op)}"
            )


def _listed(types: Sequence[Attribute]) -> str:
    return ", ".join(f"'{each}'" for each in types) or "nothing"


def _check_symbols(root: Operation) -> None:
    """Raise VerifyException for two functions of one name; xDSL's does not say where they are."""
    defined = dict[str, Operation]()
    for op in root.ops if isinstance(root, ModuleOp) else ():
        name = op.get_attr_or_prop("sym_name")
        if not isinstance(name, StringAttr):
            continue
        first = defined.setdefault(name.data, op)
        if first is not op:
            raise VerifyException(
                f"{op.name}: @{name.data} is defined twice{where_written(op)}; "
                f"its first definition{where_written(first)}"
            )


def _located(root: Operation, error: VerifyException) -> VerifyException:
    """The error of the innermost invalid operation, with its location."""
    for op in operations_in(root, bodies_first=True):
        try:
            _verify(op)
        except VerifyException as found:
            return with_location(_named(found, op), op)
    return error


def _named(error: VerifyException, op: Operation) -> VerifyException:
    """The error with the name of its operation, which xDSL leaves out for operands and results.

    For a body without its last operation it is the name of the operation around it.
    """
    around = op.parent_op()
    if around is not None and "but is not a terminator" in str(error):
        dialect = around.name.partition(".")[0]
        end = "func.return" if dialect == "func" else f"{dialect}.yield"
        return _reworded(error, f"{around.name}: the body ends in {op.name}; expected {end}")
    if not _OF_A_PART.match(str(error)):
        return error
    return _reworded(error, f"{op.name}: {error}")


def with_location(error: VerifyException, op: Operation) -> VerifyException:
    """An error whose message ends in the location of an operation, if it has none yet."""
    where = where_written(op)
    if not where or " (at " in str(error):
        return error
    return _reworded(error, f"{error}{where}")


def _reworded(error: VerifyException, text: str) -> VerifyException:
    """An error with the same notes."""
    reworded = VerifyException(text)
    for note in getattr(error, "__notes__", ()):
        reworded.add_note(note)
    return reworded
