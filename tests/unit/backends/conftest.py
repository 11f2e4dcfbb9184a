"""Yarr text to a Python function, through the pass and the printer."""

from collections.abc import Callable
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from ein_mlir import clear_cache, pipelines
from ein_mlir.passes.conversions.convert_yarr_to_numpy import ConvertYarrToNumpyPass
from ein_mlir.targets.python.printer import python_source


def parse(text: str) -> ModuleOp:
    ctx = Context()
    pipelines.register(ctx)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


def emit(text: str) -> str:
    module = parse(text)
    ConvertYarrToNumpyPass().apply(Context(), module)
    module.verify()
    return python_source(module)


def load(source: str, **externs: Any) -> Callable[..., Any]:
    """The last function of a source; it sees only its imports and the externs."""
    namespace: dict[str, Any] = dict(externs)
    exec(compile(source, "<emitted>", "exec"), namespace)
    return [f for f in namespace.values() if getattr(f, "__code__", None)][-1]


@pytest.fixture
def source_of() -> Callable[[str], str]:
    """Yarr text -> emitted source."""
    return emit


@pytest.fixture
def build() -> Callable[..., Callable[..., Any]]:
    """Yarr text -> the function that its last ``func.func`` becomes."""
    return lambda text, **externs: load(emit(text), **externs)


@pytest.fixture(autouse=True)
def compile_anew() -> None:
    """Equal programs share their code, and the compilations of it, which tests count."""
    clear_cache()
