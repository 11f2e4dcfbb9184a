"""A posterior sampled by Hamiltonian Monte Carlo: leapfrog steps along our gradient. Statistics."""

import numpy as np

from ein_mlir import array, exp, fold, fold_sum, function, grad, log, where


@function
def program(data, start, momenta, uniforms, h, leaps):
    def energy(q):
        """Minus the logarithm of the posterior of a mean and a log deviation."""
        mean, deviation = q[0], exp(q[1])
        squares = fold_sum(lambda i: ((data[i] - mean) / deviation) ** 2.0)
        return 0.5 * squares + data.size().float() * q[1] + 0.5 * (mean * mean + q[1] * q[1])

    def total(q, p):
        return energy(q) + 0.5 * fold_sum(lambda a: p[a] * p[a])

    def leap(_, state):
        q, p = state
        slope = grad(energy)(q)
        half = array(lambda a: p[a] - 0.5 * h * slope[a])
        moved = array(lambda a: q[a] + h * half[a])
        slope_there = grad(energy)(moved)
        return moved, array(lambda a: half[a] - 0.5 * h * slope_there[a])

    def step(k, state):
        q, samples = state
        p = momenta[k]
        there, after = fold((q, p), leap, count=leaps)
        accept = log(uniforms[k]) < total(q, p) - total(there, after)
        q = array(lambda a: where(accept, there[a], q[a]))
        return q, array(lambda i, a: where(i == k, q[a], samples[i, a]))

    empty = array(lambda i, a: 0.0 * momenta[i, a])
    return fold((start, empty), step, count=uniforms.size())[1]


def by_hand(data, start, momenta, uniforms, h, leaps):
    def energy(q):
        squares = np.sum(((data - q[0]) / np.exp(q[1])) ** 2)
        return 0.5 * squares + len(data) * q[1] + 0.5 * np.sum(q * q)

    def slope(q):
        centred = (data - q[0]) / np.exp(q[1]) ** 2
        return q + np.array([-np.sum(centred), len(data) - np.sum(centred * (data - q[0]))])

    q, samples = start, np.empty_like(momenta)
    for k, p in enumerate(momenta):
        there, after = q, p
        for _ in range(leaps):
            half = after - 0.5 * h * slope(there)
            there = there + h * half
            after = half - 0.5 * h * slope(there)
        gain = energy(q) + 0.5 * p @ p - energy(there) - 0.5 * after @ after
        if np.log(uniforms[k]) < gain:
            q = there
        samples[k] = q
    return samples


SMALL = 5


def data(size=400):
    random = np.random.default_rng(0)
    points = 1.0 + 0.5 * random.normal(size=40)
    start, momenta = np.array([0.0, 0.0]), random.normal(size=(size, 2))
    return points, start, momenta, random.uniform(size=size), 0.05, 8


def draw(figure, arguments, result):
    axes = figure.subplots()
    axes.plot(*np.asarray(result).T, "-o", markersize=2, linewidth=0.3)
    axes.set(xlabel="mean", ylabel="log deviation")
