"""The spectrogram of a chirp: Fourier transforms of windows. Signals."""

import math

import numpy as np

from ein_mlir import array, fold_sum, function


@function
def program(signal, window, hop):
    n = window.size()
    turn = 2.0 * math.pi / n.float()
    frames = (signal.size() - n) // hop + 1

    def angle(f, k):
        return turn * ((f * k) % n).float()

    def power(f, t):
        re = fold_sum(lambda k: signal[t * hop + k] * window[k] * angle(f, k).cos())
        im = fold_sum(lambda k: signal[t * hop + k] * window[k] * angle(f, k).sin())
        return (re**2 + im**2 + 1e-12).log()

    return array(power, size=(n // 2, frames))


def by_hand(signal, window, hop):
    n = len(window)
    frames = np.lib.stride_tricks.sliding_window_view(signal, n)[::hop] * window
    spectrum = np.fft.fft(frames, axis=1)[:, : n // 2]
    return np.log(spectrum.real**2 + spectrum.imag**2 + 1e-12).T


SMALL = 700


def data(size=20000):
    t = np.arange(size) / size
    signal = np.sin(2.0 * np.pi * (200.0 * t + 0.1 * size * t**2)) + 0.01 * np.cos(3000.0 * t)
    return signal, np.hanning(256), 64


def draw(figure, arguments, result):
    figure.subplots().imshow(result, origin="lower", aspect="auto", cmap="magma")
