"""Random choices of writers of programs."""

from __future__ import annotations

import random
from typing import Any


class Choices:
    """Chooses by a source of random numbers."""

    def __init__(self, rng: random.Random):
        self._random = rng

    def one_of(self, *choices: Any) -> Any:
        """One of some values."""
        return self._random.choice(choices)

    def is_likely(self, probability: float) -> bool:
        """Whether an event of a probability happens."""
        return self._random.random() < probability
