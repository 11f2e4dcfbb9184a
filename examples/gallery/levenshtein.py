"""Edit distances of all beginnings of two words. Strings, dynamic programming."""

import numpy as np

from ein_mlir import array, fold, function, where


@function
def program(a, b):
    def fill(i, table):
        def cell(j, filled):
            change = filled[i, j] + where(a[i] == b[j], 0, 1)
            best = change.min(filled[i, j + 1] + 1).min(filled[i + 1, j] + 1)
            return array(lambda r, c: where((r == i + 1) & (c == j + 1), best, filled[r, c]))

        return fold(table, cell, count=b.size())

    start = array(lambda r, c: where(r == 0, c, where(c == 0, r, 0)), (a.size() + 1, b.size() + 1))
    return fold(start, fill, count=a.size())


def by_hand(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    table[0], table[:, 0] = np.arange(len(b) + 1), np.arange(len(a) + 1)
    for i in range(len(a)):
        for j in range(len(b)):
            change = table[i, j] + (a[i] != b[j])
            table[i + 1, j + 1] = min(change, table[i, j + 1] + 1, table[i + 1, j] + 1)
    return table


SMALL = 9


def data(size=100):
    random = np.random.default_rng(0)
    word = random.integers(0, 4, size)
    other = np.where(random.uniform(size=size) < 0.2, random.integers(0, 4, size), word)
    return word, np.delete(other, slice(size // 3, size // 3 + 3))


def draw(figure, arguments, result):
    figure.subplots().imshow(result, cmap="viridis")
