"""Syntax trees that several threads make at once."""

from __future__ import annotations

import ast
import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from ein_mlir.host import syntax

TEXT = "\n".join(f"x{k} = [a[{k}], (b + {k}) * c, f(lambda i: -i)]" for k in range(200))


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Searches for garbage, in which threads take turns, while trees are made."""

    def switch(*_: object) -> None:
        time.sleep(0)

    thresholds = gc.get_threshold()
    gc.set_threshold(100)
    gc.callbacks.append(switch)
    yield
    gc.callbacks.remove(switch)
    gc.set_threshold(*thresholds)


@pytest.mark.one_turn
@pytest.mark.usefixtures("many_switches")
def test_threads() -> None:
    """``ast.parse`` alone has a SystemError here, before CPython 3.13."""

    def code(number: int) -> bytes:
        tree = syntax.parse(TEXT)
        return syntax.compiled(tree, f"<{number}>").co_code

    with ThreadPoolExecutor(8) as pool:
        assert len({*pool.map(code, range(16))}) == 1


def test_expressions() -> None:
    assert ast.unparse(syntax.parse_expression("a+b")) == "a + b"
