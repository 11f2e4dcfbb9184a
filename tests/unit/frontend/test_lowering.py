"""The scopes, names and source locations of values in the phi program."""

from __future__ import annotations

import inspect

import numpy as np
from xdsl.dialects.builtin import FileLineColLoc

from ein_mlir import array, fold, fold_sum, wrap
from ein_mlir.dialects import phi as dialect
from ein_mlir.frontend.lowering import lower


def lines(text: str, operation: str) -> list[int]:
    """The indentation of the lines with an operation."""
    return [len(s) - len(s.lstrip()) for s in text.splitlines() if operation in s]


def test_names_and_locations(v):
    line = inspect.currentframe().f_lineno + 1  # pyright: ignore[reportOptionalMemberAccess]
    value = array(lambda row: fold(0, lambda step, total: total + v[row] * v[step]))
    module = lower(value.expr).module
    text = str(module)
    assert "phi.array (%row < %size0_v)" in text
    assert "phi.fold (%step < %size0_v, %total = " in text
    assert "(%v: !phi.vec<f64>)" in text
    for op in module.walk():
        if isinstance(op, dialect.FoldOp | dialect.GetOp):
            assert isinstance(op.location, FileLineColLoc)
            assert (op.location.filename.data, op.location.line.data) == (__file__, line)


def test_values_used_by_two_bodies_stand_outside_of_both(v, phi):
    def body(i):
        square = v[i] * v[i]
        return array(lambda j: square + 1.0, size=2)[0] + array(lambda k: square, size=2)[1]

    assert lines(phi(array(body)), "arith.mulf") == [6]


def test_values_stand_in_the_body_that_they_were_written_in(v, phi):
    text = phi(array(lambda i: v[i] + fold_sum(lambda k: v[k] * v[k])))
    assert lines(text, "arith.mulf") == [8]
    assert lines(text, "phi.fold") == [6]


def test_what_was_computed_before_a_loop_stands_before_it(v, phi):
    weights = array(lambda j: v[j].exp())
    text = phi(fold(0, lambda k, acc: acc + weights[k]))
    assert lines(text, "phi.array") == [4]
    assert lines(text, "phi.fold") == [4]


def test_a_chain_of_arrays_is_no_nest(v):
    for _ in range(500):
        v = array(lambda i, v=v: v[i] + 1.0)
    module = lower(v.expr).module
    module.verify()
    assert v.eval("naive") is not None


def test_one_cast_for_an_index_in_a_region(phi):
    text = phi(array(lambda i: i * i + i, size=3))
    assert text.count("arith.index_cast") == 1
    assert "arith.index_cast" not in phi(array(lambda i, j: wrap(np.ones((2, 2)))[i, j]))
    assert "arith.index_cast" in phi(array(lambda i: i, size=3))


def test_equal_constants_are_one(v, phi):
    assert phi(v[0] * 2.0 + v[1] * 2.0).count("constant 2.0") == 1
    assert phi(wrap(0.0) + wrap(-0.0)).count("arith.constant") == 2


def test_inputs_are_arguments_in_order(v, n):
    lowered = lower((v[0] + n[0].float() + v[1]).expr)
    assert [node.name for node in lowered.inputs] == ["v", "n"]


def test_lowering_is_linear(calls):
    def chain(length):
        x = wrap(np.ones(1))[0]
        for _ in range(length):
            x = x + 1.0
        return x.expr

    short, long = chain(300), chain(3000)
    lower(short)
    assert calls(lambda: lower(long)) < 11 * calls(lambda: lower(short))
