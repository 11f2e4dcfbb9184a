"""``use-python-numbers``: loops compute scalars without calls and without NumPy's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import filterfalse

from xdsl.dialects import func
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import around, operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.passes.emitpy.use_python_numbers.changes import carry_out
from ein_mlir.passes.emitpy.use_python_numbers.halving import bodies_from_zero, replace_halvings
from ein_mlir.passes.emitpy.use_python_numbers.places import simplify_places
from ein_mlir.passes.emitpy.use_python_numbers.plan import FLOAT, INT, Plan, is_on_scalars
from ein_mlir.passes.emitpy.use_python_numbers.versions import is_within_loop, version_of
from ein_mlir.rewriting.emitpy.calls import shapes_of
from ein_mlir.rewriting.passes import FunctionPass

LEAST_GAIN = 3
"""The least gain of a step, in operations on NumPy's floats, of which each takes 25 ns longer."""

_TYPES: Sequence[frozenset[Attribute]] = frozenset((FLOAT, INT)), frozenset((FLOAT,))
"""The types of the numbers of a plan. The first of equal gain is carried out."""

_TYPES_BESIDE_ARRAYS = frozenset((INT,))
"""The same in loops that compute arrays, too: positions and sizes, such as those of sparse rows."""


def drop_fills(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """``a`` for ``fill_empty(a, d)`` in a loop over the elements of a along d: there are some."""
    for op in operations_in(function):
        if not isinstance(op, emitpy.HelperOp) or op.callee.data != "np.fill_empty":
            continue
        array, axis = op.positional
        loops = [each for each in around(op) if isinstance(each, emitpy.ForOp)]
        number = emitpy.literal_data(axis)
        if loops and isinstance(number, int) and array.type == op.results[0].type:
            shapes = analyses.get(shapes_of, function)
            size = shapes.of(array)[number]
            if any(shapes.number(loop.count) == size for loop in loops):
                Rewriter.replace_op(op, [], [array])


def use_python_numbers(function: func.FuncOp) -> None:
    """Compute with Python's numbers in the outermost loops on scalars that gain by it."""
    loops = [op for op in operations_in(function) if isinstance(op, emitpy.ForOp)]
    done = list[emitpy.ForOp]()
    for loop in filterfalse(is_within_loop, loops):
        simplify_places(loop)
        version = version_of(loop) if is_on_scalars(loop) else None
        if version is not None:
            _carry_out(Plan(version.loop, _TYPES[0], version.arrays))
            done.append(version.loop)
    for is_beside_arrays in (False, True):
        for loop in loops:
            is_done = any(outer.is_ancestor(loop) or loop.is_ancestor(outer) for outer in done)
            if is_done or loop.parent is None:
                continue
            plan = _beside_arrays(loop) if is_beside_arrays else _on_scalars(loop)
            if plan is not None and plan.gain >= LEAST_GAIN:
                _carry_out(plan)
                done.append(loop)


def _carry_out(plan: Plan) -> None:
    bodies = bodies_from_zero(plan)
    carry_out(plan)
    replace_halvings(bodies)


def _on_scalars(loop: emitpy.ForOp) -> Plan | None:
    """The best plan of a loop that computes no arrays."""
    simplify_places(loop)
    plans = [Plan(loop, types) for types in _TYPES] if is_on_scalars(loop) else []
    return max(plans, key=lambda plan: plan.gain, default=None)


def _beside_arrays(loop: emitpy.ForOp) -> Plan | None:
    """The plan of a loop that reads Ints and computes arrays: of each sparse row."""
    if is_on_scalars(loop) or not any(map(_is_read, operations_in(loop))):
        return None
    plan = Plan(loop, _TYPES_BESIDE_ARRAYS)
    return plan if any(plan.is_python(op) and _is_read(op) for op in plan.ops) else None


def _is_read(op: Operation) -> bool:
    """Whether an operation reads an Int from an array."""
    return isinstance(op, emitpy.SubscriptOp) and op.result.type == INT


class UsePythonNumbersPass(FunctionPass):
    """Computes with numbers of Python in loops that compute only scalars.

    Before::

        s = np.float64(0.0)
        h = np.int64(7)
        for i in range(n):
            s = a * s + x[i]
            h = h * b + k[i]
            y[i] = s * y[h]

    After::

        a = float(a)
        b = int(b)
        x = x.data
        k = k.data
        y = y.data
        s = 0.0
        h = 7
        for i in range(n):
            s = a * s + x[i]
            h = h * b + k[i]
            h = (h if h <= 2**63 - 1 else wrapped(h)) if h >= -(2**63) else wrapped(h)
            y[i] = s * y[h]

    in IR, where ``x.data`` is ``emitpy.attr`` and the numbers have the type of Python's objects.
    They are the same numbers, with the same rounding; an operation on them takes a third of the
    time of one on ``np.float64``. The elements of ``x.data``, a memoryview, are numbers of Python.
    A division by zero would raise an error: it calls ``quotient``. Square roots, powers,
    exponentials, logarithms, floors, sines, cosines and hyperbolic tangents are those of Python, in
    helpers that return the numbers of NumPy where Python raises errors. Other functions of the
    library take numbers of both kinds; their results are converted.

    Ints of Python do not wrap. A result is compared with the bounds of 64 bits that it may be
    beyond, by the ranges of literals, remainders, masks, sizes and counters. It is not compared
    where only its low bits count, as in ``h * b & 0xffff``.

    Sums and products convert Bools and Ints: ``n + c`` for ``n + int(c)``, ``x * k`` for
    ``x * float(k)`` of a float x. Truth values are combined by ``and`` and ``or``, and
    ``max(k, 0)`` is k if that is at least 0.

    Elements of fewer bits that steps convert are numbers of Python, too:
    ``b.view(np.uint8).data[i]`` for ``b[i].view(np.uint8).astype(np.int64)``.

    Arrays that steps update in place are read and written in their memory. A vector that steps
    read and write at computed positions is a list, which takes half of the time, if the loop has
    at least four steps for each element; these return to the vector after it. Sizes of arrays, and
    rows filled up where they are empty, are computed before the loop; ``b[i][j]`` becomes
    ``b[i, j]``.

    A loop that clips positions that it reads from arrays has a version before it for arrays whose
    elements are in bounds: without clips, on lists. One of the two takes the steps.

    A loop in it that searches by halves for the place of a number is a call of Python's search.

    An array along whose axis a loop runs is not empty in it: ``fill_empty(x, 0)`` is ``x``.

    In loops that compute arrays, too, only Ints are numbers of Python, and only if steps read some
    from arrays: starts and sizes of sparse rows, weights of items, pivots.

    Numbers stay those of NumPy in other loops that compute arrays, and where conversions would take
    as long: at least three operations of a step must gain.
    """

    name = "use-python-numbers"
    looks_for = (emitpy.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        drop_fills(function, analyses)
        use_python_numbers(function)
