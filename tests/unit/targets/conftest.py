"""Emitpy text to Python source."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.parser import Parser

from ein_mlir import pipelines
from ein_mlir.targets.python.printer import python_source


@pytest.fixture
def print_python() -> Callable[[str], str]:
    """Emitpy text -> source."""

    def printed(text: str) -> str:
        ctx = Context()
        pipelines.register(ctx)
        module = Parser(ctx, text).parse_module()
        module.verify()
        return python_source(module)

    return printed
