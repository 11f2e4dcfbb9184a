"""Spheres above a floor, met by rays in steps of their distance; gradients as normals. Art."""

import numpy as np

from ein_mlir import array, fold, fold_min, fold_sum, function, grad, sqrt, where


@function
def program(centres, radii, light, x, y, steps):
    def distance(p):
        def to_sphere(s):
            square = fold_sum(lambda a: (p[a] - centres[s, a]) ** 2.0, 3)
            return sqrt(square) - radii[s]

        return fold_min(to_sphere).min(p[1] + 1.0)

    def colour(i, j):
        length = sqrt(x[j] * x[j] + y[i] * y[i] + 1.0)
        ray = array(lambda a: where(a == 0, x[j], where(a == 1, y[i], 1.0)) / length, 3)

        def along(t):
            return array(lambda a: t * ray[a], 3)

        t = fold(0.0, lambda _, t: t + distance(along(t)), count=steps)
        normal = grad(distance)(along(t))
        bright = fold_sum(lambda a: normal[a] * light[a], 3)
        return where(t < 20.0, bright.max(0.1), 0.0)

    return array(colour, (y.size(), x.size()))


def by_hand(centres, radii, light, x, y, steps):
    rays = np.stack(np.broadcast_arrays(x[None, :], y[:, None], 1.0), 2)
    rays = rays / np.linalg.norm(rays, axis=2, keepdims=True)

    def distances(p):
        spheres = np.linalg.norm(p[..., None, :] - centres, axis=3) - radii
        return np.concatenate([spheres, p[..., 1:2] + 1.0], 2)

    t = np.zeros((len(y), len(x)))
    for _ in range(steps):
        t = t + distances(t[..., None] * rays).min(axis=2)
    p = t[..., None] * rays
    normals = p[..., None, :] - centres
    normals = normals / np.linalg.norm(normals, axis=3, keepdims=True)
    floor = np.broadcast_to([0.0, 1.0, 0.0], (*p.shape[:2], 1, 3))
    normals = np.concatenate([normals, floor], 2)
    nearest = distances(p).argmin(axis=2)[..., None, None]
    bright = np.take_along_axis(normals, nearest, 2)[:, :, 0] @ light
    return np.where(t < 20.0, np.maximum(bright, 0.1), 0.0)


SMALL = 7


def data(size=200):
    centres = np.array([[0.0, 0.0, 4.0], [1.6, -0.4, 3.0], [-1.5, -0.5, 3.2]])
    light = np.array([0.5, 0.8, -0.33])
    x, y = np.linspace(-1, 1, size), np.linspace(0.6, -0.6, (3 * size + 4) // 5)
    return centres, np.array([1.0, 0.6, 0.5]), light, x, y, 40


def draw(figure, arguments, result):
    figure.subplots().imshow(result, cmap="bone")
