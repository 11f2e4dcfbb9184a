"""Shared fixtures of the frontend: inputs with names, and programs as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir import wrap
from ein_mlir.frontend.lowering import lower


@pytest.fixture
def a():
    """A matrix of floats, 3 by 4."""
    return wrap(np.arange(12.0).reshape(3, 4), "a")


@pytest.fixture
def v():
    """A vector of 3 floats."""
    return wrap(np.array([1.5, -2.0, 4.0]), "v")


@pytest.fixture
def n():
    """A vector of 3 ints."""
    return wrap(np.array([7, -3, 0]), "n")


@pytest.fixture
def phi() -> Callable[[Any], str]:
    """The function that shows the verified phi program of a value."""

    def show(value: Any) -> str:
        module = lower(value.expr).module
        module.verify()
        for op in module.walk():
            assert all(dominates(operand, op) for operand in op.operands)
        return str(module)

    return show


def dominates(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined before an operation, in its block or one around it."""
    definition = value.block if isinstance(value, BlockArgument) else value.owner
    current: Operation | None = op
    while current is not None:
        block = current.parent
        if isinstance(definition, Block):
            if definition is block:
                return True
        elif definition.parent is block:
            return definition.is_before_in_block(current)
        current = block.parent_op() if block is not None else None
    return False
