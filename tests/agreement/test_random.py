"""Random programs agree with the reference interpreter; ``tools/fuzz.py`` runs more of them."""

from __future__ import annotations

import random

import pytest

from tests.fuzzing.check import check
from tests.fuzzing.samples import KINDS, sample
from tests.fuzzing.ways import choose_ways
from tests.libraries import INSTALLED
from tests.selection import IS_WHOLE

CHUNKS = 4
COUNTS = {"numpy": 1, "native": 2, "torch": 4, "jax": 12}
"""Each backend takes one of so many samples."""
FEW = {
    "batches": 4, "comprehensions": 4, "derived": 6, "orders": 8, "records": 8, "recurrences": 4,
    "tables": 8,
}  # fmt: skip
"""The number of samples of kinds whose programs are long."""
WITHOUT_JAX = frozenset({"orders", "records"})
"""JAX compiles no count of an inner loop that varies with the state of a while loop."""


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("kind", KINDS)
def test_samples(kind: str, chunk: int) -> None:
    """Samples on all backends, without random passes, in tiny blocks; and the laws of passes."""
    for seed in range(chunk, 24 if IS_WHOLE else FEW.get(kind, 12), CHUNKS):
        backends = [name for name in INSTALLED if seed % COUNTS[name] == 0]
        if kind in WITHOUT_JAX and "jax" in backends:
            backends.remove("jax")
        ways = choose_ways(backends, random.Random(seed))
        _, findings = check(sample(seed, kind), ways, laws=seed % 6 == 0)
        assert not findings, findings[0]
