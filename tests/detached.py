"""Operations that a pass has left outside of a program, and that still use its values."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue


def _values(op: Operation) -> Iterator[SSAValue]:
    """The results of an operation, and the arguments of its blocks."""
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def assert_whole(program: Operation) -> None:
    """Assert that all uses of the values of a program are in it.

    A detached operation is a use that a later pass counts: a value has one use more than it shows.
    """
    own = [*program.walk()]
    values = [value for op in own for value in _values(op)]
    if sum(value.uses.get_length() for value in values) != sum(len(op.operands) for op in own):
        users = {use.operation for value in values for use in value.uses}
        outside = sorted(op.name for op in users - {*own})
        raise AssertionError(f"detached: {', '.join(outside)}")
