"""The base class of what a program computes: staged scalars, vectors and complex numbers."""

from __future__ import annotations

from typing import Any


class Evaluable:
    """A staged value that can be computed now, with each of the libraries."""

    __slots__ = ()

    def eval(self, backend: str | None = None) -> Any:
        """Run the program that computes this value, by default on that of the wrapped arrays."""
        raise NotImplementedError

    def numpy(self) -> Any:
        """The value as a NumPy array or scalar."""
        return self.eval("numpy")

    def torch(self) -> Any:
        """The value as a PyTorch tensor, on the device of the wrapped tensors."""
        return self.eval("torch")

    def jax(self) -> Any:
        """The value as an array of JAX."""
        return self.eval("jax")

    def native(self) -> Any:
        """The value as a NumPy array or scalar, computed by machine code."""
        return self.eval("native")
