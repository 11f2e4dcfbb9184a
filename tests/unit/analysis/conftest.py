"""Reading programs, and finding their values by name."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ein_mlir.entry import parse


@pytest.fixture
def program() -> Callable[[str], ModuleOp]:
    """`program(text)`: a verified module."""

    def program(text: str) -> ModuleOp:
        module = parse(text)
        module.verify()
        return module

    return program


@pytest.fixture
def value() -> Callable[[ModuleOp, str], SSAValue]:
    """`value(module, name)`: the only value of a module that has a name."""

    def value(module: ModuleOp, name: str) -> SSAValue:
        values = [
            value
            for op in module.walk()
            for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args))
            if value.name_hint == name
        ]
        assert len(values) == 1, f"{len(values)} values are named {name}"
        return values[0]

    return value
