"""Tools search for garbage before they measure: what earlier tests have left takes most of that."""

import gc

import pytest


@pytest.fixture(autouse=True, scope="session")
def _objects_of_other_tests_stay() -> None:
    """Searches skip the objects that exist."""
    gc.collect()
    gc.freeze()
