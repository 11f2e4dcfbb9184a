"""Interrupts of long loops in machine code, each in a process that would otherwise not end."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

pytestmark = [
    pytest.mark.one_turn,
    pytest.mark.skipif(
        not hasattr(signal, "setitimer"), reason="the system has no timers that send signals"
    ),
]

PROGRAMS = """
import os, signal, threading
import numpy as np
from ein_mlir import array, fold, fold_sum, fold_while, function, where
from ein_mlir.backends.native.support import support

native = lambda f: function(f, backend="native")
circle = lambda x: where(x > 10, x - 10, x + 1)
one = native(lambda x: fold_while(x, lambda s: s > 0, circle))
parallel = lambda f: function(f, backend="native", threads=2)
end = lambda x: fold_while(x, lambda s: s > 0, circle)
each = parallel(lambda x: array(lambda i: end(x[i])))
last = parallel(lambda x: array(lambda i: end(where(i < 99_999, 0, x[i]))))
numbers = native(lambda x, n: fold(x, lambda k, s: s * 1_103_515_245 ^ (s >> 7) + k, count=n))
total = native(lambda x, n: fold_sum(lambda k: 1.0 / (k.float() + x), count=n))
waves = native(
    lambda x, n: fold(x, lambda k, s: array(lambda i: (s[i - 1] + s[i]) * 0.5), count=n)
)
row = lambda s, n: fold(s, lambda m, q: q ^ (q >> 3) + m, count=n)
table = lambda s, n: fold(s, lambda l, r: row(r, n), count=n)
rows = native(lambda x, n: fold(x, lambda k, s: table(s, n), count=n))
MUCH = 10**12
CALLS = {
    "one": (one, 1),
    "each": (each, np.arange(1, 100_000)),
    "last": (last, np.ones(100_000, int)),
    "numbers": (numbers, 1, MUCH),
    "total": (total, 1.0, MUCH),
    "waves": (waves, np.ones(3), MUCH),
    "long waves": (waves, np.ones(300_000), MUCH),
    "rows": (rows, 1, 20_000),
}
"""

INTERRUPTS = """
def stop(number, frame):
    raise TimeoutError(name)

for f, first, *counts in CALLS.values():  # no signal meets the compiler, as it starts threads
    f(-first, *(0 for _ in counts))
signal.signal(signal.SIGALRM, stop)
kept = None
for turn in range(2):
    for name, (f, *arguments) in CALLS.items():
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            f(*arguments)
        except TimeoutError as error:
            assert error.args == (name,), name
        else:
            raise AssertionError(name)
        assert each(-np.arange(1000)).sum() == -499_500
        assert one(-1) == -1 and numbers(3, 0) == 3
    kept, before = support().kept(), kept
assert kept == before  # each call has released its memory
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    one(1)
except KeyboardInterrupt:
    print("interrupted")
"""

VECTORS = """
from ein_mlir import Float, Vec, exp, fold_max

x = np.random.default_rng(0).normal(size=(3000, 16))

@native
def softmax(x: Vec[Vec[Float]]):
    largest = array(lambda i: fold_max(lambda k: x[i, k]))
    exps = array(lambda i, j: exp(x[i, j] - largest[i]))
    return array(lambda i, j: exps[i, j] / fold_sum(lambda k: exps[i, k]))

exps = np.exp(x - x.max(1, keepdims=True))
np.testing.assert_allclose(softmax(x), exps / exps.sum(1, keepdims=True), rtol=1e-12)
print("kept")
"""

HANDLERS = """
seen = []

def note(number, frame):
    seen.append(one(-number))  # a call in a call

signal.signal(signal.SIGALRM, note)
expected = numbers(1, 10**8), one(-1)
signal.setitimer(signal.ITIMER_REAL, 0.05)
assert numbers(1, 10**8) == expected[0]
assert seen == [-signal.SIGALRM]
stopped = []

def work():
    try:
        stopped.append(numbers(1, 10**8))
    except BaseException as error:
        stopped.append(error)

thread = threading.Thread(target=work)
signal.setitimer(signal.ITIMER_REAL, 0.05)
thread.start()
thread.join()
assert stopped == [expected[0]]  # signals are those of the main thread
print("went on")
"""


def run(program: str) -> tuple[str, str]:
    """The output and the errors of a program in a process, with code as users have it."""
    command = [sys.executable, "-c", PROGRAMS + program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return done.stdout.strip(), done.stderr


@pytest.mark.one_turn
@pytest.mark.parametrize(
    ("program", "output"),
    [(INTERRUPTS, "interrupted"), (HANDLERS, "went on")],
    ids=["stop", "note"],
)
def test_signals_during_long_loops(program: str, output: str) -> None:
    """An exception of a handler ends the call at once; without one the call goes on."""
    assert run(program) == (output, "")


def test_vectors_are_kept() -> None:
    """Rows of vectors, with a question after each 1024 of them: their constants stay."""
    assert run(VECTORS) == ("kept", "")
