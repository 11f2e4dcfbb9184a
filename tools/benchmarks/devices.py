"""Devices of PyTorch and JAX: moving arrays to them, and waiting for results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import torch

from tests.agreement.comparison import leaves

LIBRARIES = ("torch", "jax")


class NoSuchDeviceError(Exception):
    """A library does not support the requested device."""


@dataclass(frozen=True)
class Device:
    """A device of a library."""

    library: str
    kind: str
    """``cpu`` or ``gpu``."""
    handle: Any

    def put(self, value: Any) -> Any:
        """A NumPy array as an array of the library on the device; other values are unchanged."""
        if not isinstance(value, np.ndarray):
            return value
        if self.library == "torch":
            return torch.tensor(value, device=self.handle)
        with jax.enable_x64(True):
            return jax.device_put(np.copy(value), self.handle)

    def holds(self, array: Any) -> bool:
        """Whether an array is on the device."""
        if self.library == "torch":
            return array.device.type == self.handle.type
        return array.devices() == {self.handle}

    def finished(self, result: Any) -> Any:
        """A result, after the device has computed it."""
        if self.library == "jax":
            return jax.block_until_ready(result)
        if self.kind == "gpu":
            torch.cuda.synchronize(self.handle)
        return result

    def waiting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that waits until the device has computed its result."""
        return lambda *arguments: self.finished(function(*arguments))

    @property
    def name(self) -> str:
        """The name of the device, with the version of the library."""
        if self.library == "torch":
            is_gpu = self.kind == "gpu"
            model = torch.cuda.get_device_name(self.handle) if is_gpu else "CPU"
            return f"{model}, PyTorch {torch.__version__}"
        return f"{self.handle.device_kind}, JAX {jax.__version__}"


def on_host(value: Any) -> list[Any]:
    """The arrays of a result as NumPy arrays."""
    return [
        leaf.detach().cpu().numpy() if isinstance(leaf, torch.Tensor) else np.asarray(leaf)
        for leaf in leaves(value)
    ]


def device_of(library: str, kind: str) -> Device:
    """The first ``cpu`` or ``gpu`` of a library; raises NoSuchDeviceError if there is none."""
    if library == "torch":
        if kind == "gpu" and not torch.cuda.is_available():
            raise NoSuchDeviceError("PyTorch sees no GPU")
        return Device(library, kind, torch.device("cuda:0" if kind == "gpu" else "cpu"))
    try:
        return Device(library, kind, jax.devices(kind)[0])
    except RuntimeError as error:
        raise NoSuchDeviceError(f"JAX sees no {kind.upper()}: {error}") from error


def devices(kind: str) -> list[Device]:
    """A device of each library: one of a kind, or with ``auto`` a GPU if there is one."""
    if kind != "auto":
        return [device_of(library, kind) for library in LIBRARIES]
    found = list[Device]()
    for library in LIBRARIES:
        try:
            found.append(device_of(library, "gpu"))
        except NoSuchDeviceError:
            found.append(device_of(library, "cpu"))
    return found
