"""The graph-attention examples: they learn, and both frameworks agree."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.libraries import needs, on

pytestmark = pytest.mark.one_turn

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STEPS = 8


@pytest.fixture(autouse=True)
def _examples_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The import path as if Python ran one of them; afterwards, all of them are unloaded."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    for name in ("graph_attention", "gat_torch", "gat_jax"):
        sys.modules.pop(name, None)


def trained(framework: str, **options: Any) -> Any:
    return import_module(f"gat_{framework}").train(STEPS, **options)


def test_the_data_are_those_of_the_source() -> None:
    graph = import_module("graph_attention").read_karate_club()
    assert graph.adjacent.shape == (34, 34)
    assert (graph.adjacent.sum() - 34) / 2 == 78
    np.testing.assert_array_equal(graph.adjacent, graph.adjacent.T)
    assert np.bincount(graph.clubs).tolist() == [17, 17]
    assert graph.adjacent[0].sum() - 1 == 16
    assert graph.adjacent[33].sum() - 1 == 17


@pytest.mark.parametrize("framework", on("torch", "jax"))
def test_the_loss_falls(framework: str) -> None:
    losses = [step.loss for step in trained(framework)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.95 * losses[0]


@needs("torch", "jax")
def test_both_frameworks_take_the_same_steps() -> None:
    np.testing.assert_allclose(trained("torch"), trained("jax"), rtol=1e-4)


@needs("torch")
def test_the_network_is_one_graph_for_torch_compile() -> None:
    import torch

    torch._dynamo.reset()
    compiled = trained("torch", compiled={"backend": "aot_eager", "fullgraph": True})
    np.testing.assert_allclose(compiled, trained("torch"), rtol=1e-4)


def test_curves_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    examples = import_module("graph_attention")
    for suffix, start in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        path = tmp_path / "out" / f"curve{suffix}"
        examples.plot({"any": [examples.Step(1.0, 0.5), examples.Step(0.5, 1.0)]}, path)
        assert path.read_bytes().startswith(start)
