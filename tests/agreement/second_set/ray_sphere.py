"""A picture of spheres: the nearest one along each ray, and its brightness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ein_mlir import array, fold, function, max, sqrt, where
from tests.agreement.cases.case import Case

INFINITY = float("inf")
LIGHT = (0.48, -0.6, -0.64)


@dataclass(frozen=True)
class Vector:
    x: Any
    y: Any
    z: Any

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z


@function
def ray_sphere(centre, radius, height, width):
    """The eye is at the origin and looks along the last axis."""
    light = Vector(*LIGHT)

    def pixel(i, j):
        x = (j.float() + 0.5) / width.float() - 0.5
        y = (i.float() + 0.5) / height.float() - 0.5
        ray = Vector(x, y, 1.0) * (1.0 / sqrt(x * x + y * y + 1.0))

        def sphere(s, nearest):
            distance, brightness = nearest
            middle = Vector(centre[s, 0], centre[s, 1], centre[s, 2])
            along = middle.dot(ray)
            inside = along * along - middle.dot(middle) + radius[s] * radius[s]
            hit = along - sqrt(inside)
            normal = (ray * hit - middle) * (1.0 / radius[s])
            closer = (inside > 0.0) & (hit > 0.0) & (hit < distance)
            return where(closer, (hit, max(normal.dot(light), 0.0)), (distance, brightness))

        return fold((INFINITY, 0.0), sphere, count=radius.size())

    return array(pixel, size=(height, width))


def inputs(n, dtype, rng):
    centre = rng.uniform((-3, -3, 4), (3, 3, 9), size=(min(n, 20), 3))
    return centre.astype(dtype), rng.uniform(0.3, 1, size=len(centre)).astype(dtype), n, n + 1


def oracle(centre, radius, height, width):
    distance = np.full((height, width), INFINITY, radius.dtype)
    brightness = np.zeros((height, width), radius.dtype)
    for i in range(height):
        for j in range(width):
            ray = np.array([(j + 0.5) / width - 0.5, (i + 0.5) / height - 0.5, 1.0])
            ray = (ray / np.sqrt(sum(ray**2))).astype(radius.dtype)
            for c, r in zip(centre, radius, strict=True):
                along = sum(c * ray)
                inside = along**2 - sum(c * c) + r * r
                if inside > 0 and 0 < along - np.sqrt(inside) < distance[i, j]:
                    distance[i, j] = along - np.sqrt(inside)
                    normal = (ray * distance[i, j] - c) / r
                    brightness[i, j] = np.maximum(sum(normal * np.array(LIGHT)), 0)
    return distance, brightness


def _rays(np, height, width, dtype):
    x = (np.arange(width) + 0.5) / width - 0.5
    y = (np.arange(height) + 0.5) / height - 0.5
    y, x = np.meshgrid(y, x, indexing="ij")
    rays = np.stack([x, y, np.ones_like(x)], axis=-1)
    return (rays / np.linalg.norm(rays, axis=-1, keepdims=True)).astype(dtype)


def _picture(np, centre, radius, height, width):
    """All spheres at once, of which the nearest is chosen."""
    rays = _rays(np, height, width, radius.dtype)
    if len(radius) == 0:
        return np.full((height, width), INFINITY), np.zeros((height, width))
    along = rays @ centre.T
    inside = along**2 - (centre**2).sum(axis=1) + radius**2
    hit = along - np.sqrt(np.maximum(inside, 0))
    hit = np.where((inside > 0) & (hit > 0), hit, INFINITY)
    nearest = hit.argmin(axis=2)
    distance = hit.min(axis=2)
    seen = distance < INFINITY
    place = np.where(seen, distance, 0)[..., None] * rays
    normal = (place - centre[nearest]) / radius[nearest][..., None]
    light = np.array(LIGHT, dtype=radius.dtype)
    return distance, np.where(seen, np.maximum(normal @ light, 0), 0)


def idiomatic(centre, radius, height, width):
    return _picture(np, centre, radius, height, width)


def jax(centre, radius, height, width):
    import jax.numpy as jnp

    return _picture(jnp, centre, radius, height, width)


def torch(centre, radius, height, width):
    import torch

    rays = torch.from_numpy(_rays(np, height, width, float)).to(radius)
    along = rays @ centre.T
    inside = along**2 - (centre**2).sum(dim=1) + radius**2
    hit = along - inside.clamp(min=0).sqrt()
    hit = torch.where((inside > 0) & (hit > 0), hit, INFINITY)
    distance, nearest = hit.min(dim=2)
    seen = distance < INFINITY
    place = torch.where(seen, distance, 0)[..., None] * rays
    normal = (place - centre[nearest]) / radius[nearest][..., None]
    light = radius.new_tensor(LIGHT)
    return distance, torch.where(seen, (normal @ light).clamp(min=0), 0)


CASE = Case(
    name="ray-sphere",
    about="The nearest sphere along each ray, and its brightness (tutorials of ray tracing)",
    program=ray_sphere,
    inputs=inputs,
    large=300,
    sweep=(40, 75, 150, 300),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
    static=(2, 3),
)
