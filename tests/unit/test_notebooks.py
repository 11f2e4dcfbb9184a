"""What values and functions show in notebooks, and the notebook of the tour."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import numpy as np

import ein_mlir
from ein_mlir import array, fold_sum, function, wrap
from ein_mlir.host.notebook import tabs
from tests.libraries import needs

ROOT = Path(__file__).resolve().parents[2]


@function
def gram(a):
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * a[j, k]))


def test_each_page_has_a_tab() -> None:
    shown = tabs("f", {"one": "1 < 2", "two": '<?xml version="1.0"?>\n<svg></svg>'})
    assert shown.count('type="radio"') == 2
    assert "<pre>1 &lt; 2</pre>" in shown
    assert "<svg></svg>" in shown
    assert "<?xml" not in shown
    assert "<script" not in shown


def test_a_value_shows_its_program() -> None:
    x = wrap(np.ones(3), name="x")
    shown = array(lambda i: x[i] + 1)._repr_html_()
    assert "phi.array" in shown
    assert ">graph</label>" in shown
    assert "&lt;Vec[Float], rank 1&gt;" in x._repr_html_()


def test_a_function_shows_its_last_call() -> None:
    again = function(gram.__wrapped__)
    assert again._repr_html_() is None
    again(np.ones((2, 2), np.float32))
    shown = again._repr_html_()
    assert shown is not None
    assert "f32" in shown
    for page in ("program", "source", "decisions", "graph"):
        assert f">{page}</label>" in shown


def test_a_compiled_function_shows_itself() -> None:
    program = gram.phi(np.ones((2, 2)))
    assert "def gram(a):" in ein_mlir.compile(program)._repr_html_()
    assert ">source</label>" not in ein_mlir.compile(program, backend="naive")._repr_html_()


def cells() -> list[str]:
    """The Python of the notebook of the tour."""
    notebook = json.loads((ROOT / "examples/tour.ipynb").read_text())
    assert notebook["nbformat"] == 4
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


@needs("native")
def test_the_tour_runs() -> None:
    names: dict[str, Any] = {}
    for number, text in enumerate(cells()):
        tree = ast.parse(text)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            shown = ast.Expression(last.value)
            assert repr(eval(compile(shown, f"cell {number}", "eval"), names))
