"""PyTorch programs compute on tensors here: their NumPy code is that of the NumPy backend."""

from collections.abc import Iterator

import pytest

from tests.libraries import BACKENDS


@pytest.fixture(autouse=True)
def _on_tensors() -> Iterator[None]:
    """A mode that intercepts the operations of PyTorch, and changes none."""
    if "torch" not in BACKENDS:
        yield
        return
    from torch.overrides import BaseTorchFunctionMode

    with BaseTorchFunctionMode():
        yield
