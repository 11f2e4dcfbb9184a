"""MRI-Q: the matrix Q of a reconstruction of magnetic resonance images."""

from __future__ import annotations

import math
from math import pi
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Vec, array, cos, fold, fold_sum, function, sin
from tests.agreement.cases.case import Case, prange


@function
def mri_q(
    kx: Vec[Float],
    ky: Vec[Float],
    kz: Vec[Float],
    phi_real: Vec[Float],
    phi_imag: Vec[Float],
    x: Vec[Float],
    y: Vec[Float],
    z: Vec[Float],
) -> tuple[Vec[Float], Vec[Float]]:
    """The contributions of samples at points k of the frequency domain to voxels at x, y, z."""
    magnitude = array(lambda k: phi_real[k] ** 2 + phi_imag[k] ** 2)

    def angle(i: Any, k: Any) -> Float:
        return 2.0 * pi * (kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i])

    return (
        array(lambda i: fold_sum(lambda k: magnitude[k] * cos(angle(i, k)))),
        array(lambda i: fold_sum(lambda k: magnitude[k] * sin(angle(i, k)))),
    )


@function
def by_sample(
    kx: Vec[Float],
    ky: Vec[Float],
    kz: Vec[Float],
    phi_real: Vec[Float],
    phi_imag: Vec[Float],
    x: Vec[Float],
    y: Vec[Float],
    z: Vec[Float],
) -> Vec[tuple[Float, Float]]:
    """All angles in one array with the samples outermost, and both sums in one fold."""
    angle = array(lambda k, i: (z[i] * kz[k] + (x[i] * kx[k] + y[i] * ky[k])) * (pi * 2.0))

    def voxel(i: Any) -> tuple[Float, Float]:
        def add(k: Any, q: tuple[Float, Float]) -> tuple[Float, Float]:
            magnitude = phi_imag[k] * phi_imag[k] + phi_real[k] * phi_real[k]
            return cos(angle[k, i]) * magnitude + q[0], q[1] + sin(angle[k, i]) * magnitude

        return fold((0.0, 0.0), add)

    return array(voxel)


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    samples = n // 8 + 3
    frequencies = (rng.uniform(-0.5, 0.5, size=samples) for _ in range(3))
    phi = (rng.normal(size=samples) for _ in range(2))
    voxels = (rng.uniform(0, 4, size=n) for _ in range(3))
    return tuple(values.astype(dtype) for values in (*frequencies, *phi, *voxels))


def oracle(*arrays: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    kx, ky, kz, phi_real, phi_imag, x, y, z = arrays
    real, imag = np.zeros_like(x), np.zeros_like(x)
    for i in range(len(x)):
        for k in range(len(kx)):
            magnitude = phi_real[k] ** 2 + phi_imag[k] ** 2
            angle = 2 * pi * float(kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i])
            real[i] += magnitude * np.cos(angle)
            imag[i] += magnitude * np.sin(angle)
    return real, imag


def idiomatic(*arrays: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    kx, ky, kz, phi_real, phi_imag, x, y, z = arrays
    magnitude = phi_real**2 + phi_imag**2
    angle = 2 * np.pi * (np.outer(x, kx) + np.outer(y, ky) + np.outer(z, kz))
    return (magnitude * np.cos(angle)).sum(axis=1), (magnitude * np.sin(angle)).sum(axis=1)


def expert(*arrays: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sums of products are matrix products; blocks of voxels stay in cache."""
    kx, ky, kz, phi_real, phi_imag, x, y, z = arrays
    magnitude = phi_real**2 + phi_imag**2
    frequencies = 2 * np.pi * np.stack((kx, ky, kz))
    voxels = np.stack((x, y, z), axis=1)
    real, imag, block = np.empty_like(x), np.empty_like(x), 64
    for i in range(0, len(x), block):
        angle = voxels[i : i + block] @ frequencies
        np.matmul(np.cos(angle), magnitude, out=real[i : i + block])
        np.matmul(np.sin(angle, out=angle), magnitude, out=imag[i : i + block])
    return real, imag


def numba(
    kx: Any, ky: Any, kz: Any, phi_real: Any, phi_imag: Any, x: Any, y: Any, z: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """A voxel at a time."""
    real, imag = np.empty_like(x), np.empty_like(x)
    magnitude = phi_real**2 + phi_imag**2
    for i in prange(len(x)):
        sum_real, sum_imag = 0.0, 0.0
        for k in range(len(kx)):
            angle = 2 * math.pi * (kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i])
            sum_real += magnitude[k] * math.cos(angle)
            sum_imag += magnitude[k] * math.sin(angle)
        real[i], imag[i] = sum_real, sum_imag
    return real, imag


def jax(*arrays: Any) -> tuple[Any, Any]:
    import jax.numpy as jnp

    kx, ky, kz, phi_real, phi_imag, x, y, z = arrays
    magnitude = phi_real**2 + phi_imag**2
    angle = 2 * pi * (jnp.outer(x, kx) + jnp.outer(y, ky) + jnp.outer(z, kz))
    return jnp.cos(angle) @ magnitude, jnp.sin(angle) @ magnitude


def torch(*arrays: Any) -> tuple[Any, Any]:
    import torch

    kx, ky, kz, phi_real, phi_imag, x, y, z = arrays
    magnitude = phi_real**2 + phi_imag**2
    angle = 2 * pi * (torch.outer(x, kx) + torch.outer(y, ky) + torch.outer(z, kz))
    return angle.cos() @ magnitude, angle.sin() @ magnitude


CASE = Case(
    name="mri-q",
    about="The matrix Q of MRI reconstruction, sums of sines and cosines (Parboil)",
    program=mri_q,
    inputs=inputs,
    large=4096,
    sweep=(256, 512, 1024, 2048, 4096),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    variants=(by_sample,),
)
