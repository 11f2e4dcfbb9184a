"""Functions on sharded arrays of JAX keep them sharded: XLA needs few or no collectives."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.libraries import needs

ROOT = Path(__file__).resolve().parents[2]

NO_COMMUNICATION = [
    "scaled",
    "softmax",
    "distances",
    "product",
    "perceptron",
    "nearest",
    "lookup",
    "running_totals",
]
EXPECTED = {
    **{name: ([], True) for name in NO_COMMUNICATION},
    "mean": (["all-reduce"], False),
    "loss": (["all-reduce"], False),
    "laplacian": (["collective-permute"], True),
    "heat": (["collective-permute"], True),
}
"""Name of a program -> its collectives, and whether its result is sharded by rows."""


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    result = subprocess.run(
        [sys.executable, "-m", "tests.agreement.sharded_programs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.one_turn
@needs("jax")
def test_sharded_arrays_stay_sharded(seen: dict[str, Any]) -> None:
    """The rows of a neighbour are exchanged for a stencil; whole arrays never are."""
    found = {name: (each["collectives"], each["by rows"]) for name, each in seen.items()}
    assert found == EXPECTED


@pytest.mark.one_turn
@needs("jax")
def test_results_are_those_of_numpy(seen: dict[str, Any]) -> None:
    assert [name for name, each in seen.items() if not each["right"]] == []
