"""The verification of a program: every message has a source location, and scopes are checked."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.analysis.scopes import operations_in


def verify(root: Operation) -> None:
    """Raise VerifyException, with a location, for an invalid operation or a use out of scope.

    xDSL verifies the operations and does not say where the invalid one is; it verifies no scopes.
    """
    try:
        root.verify()
    except VerifyException as error:
        raise _located(root, error) from error
    check_dominance(root)


def _located(root: Operation, error: VerifyException) -> VerifyException:
    """The error of the innermost invalid operation, with its location."""
    for op in operations_in(root, bodies_first=True):
        try:
            op.verify()
        except VerifyException as found:
            return with_location(found, op)
    return error


def with_location(error: VerifyException, op: Operation) -> VerifyException:
    """An error whose message ends in the location of an operation, if it has none yet."""
    where = where_written(op)
    if not where or " (at " in str(error):
        return error
    located = VerifyException(f"{error}{where}")
    for note in getattr(error, "__notes__", ()):
        located.add_note(note)
    return located
