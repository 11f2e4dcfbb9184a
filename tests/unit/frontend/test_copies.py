"""Copies and pickles of functions, staged values, their types, and compiled programs."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    compile,
    fold,
    fold_sum,
    function,
    grad,
    hessian,
    jacobian,
    value_and_grad,
    wrap,
)
from ein_mlir.frontend.types import F32, F64, RecordType, VectorType, WeakType, unify
from ein_mlir.host.elements import SCALARS
from tests.libraries import needs


class Pair(NamedTuple):
    x: Any
    y: Any


@function
def doubled(a: Vec[Float]):
    return array(lambda i: 2.0 * a[i])


def plain(a, n):
    return array(lambda i: a[i] + n)


staged = function(plain, backend="numpy")


class Holder:
    @staticmethod
    @function
    def tripled(a: Vec[Float]):
        return array(lambda i: 3.0 * a[i])


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, pickled]


@pytest.mark.parametrize("copied", COPIES)
def test_functions(copied):
    a = np.ones(2)
    for _ in range(2):  # before and after a call
        assert copied(doubled) is doubled
        assert copied(Holder.tripled) is Holder.tripled
        np.testing.assert_array_equal(copied(staged)(a, 1.0), a + 1)
        doubled(a)


def test_functions_without_a_name():
    local = function(lambda a: array(lambda i: a[i]))
    assert copy.deepcopy(local) is local
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(local)


def squares(a):
    return fold_sum(lambda i: a[i] * a[i])


DERIVATIVES = [grad, value_and_grad, jacobian, hessian, partial(grad, argnums=(0,), checkpoint=64)]


@pytest.mark.parametrize("derived", DERIVATIVES)
@pytest.mark.parametrize("f", [squares, function(squares, backend="naive")])
def test_derivatives(derived, f):
    of_f, a = derived(f), np.arange(3.0)
    for own, copied in zip(leaves(of_f(a)), leaves(pickled(of_f)(a)), strict=True):
        np.testing.assert_array_equal(own, copied)
    twice = pickled(jacobian(grad(f)))
    np.testing.assert_array_equal(twice(a), 2.0 * np.eye(3))


def leaves(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("copied", COPIES)
def test_values(copied):
    a = wrap(np.arange(3.0), "a")
    for value in (
        a,
        array(lambda i: a[i] * 2),
        a[1].sqrt(),
        fold(0, lambda k, s: s + a[k]),
        array(lambda i, j: a[i] - a[j]),
        a.reduce(0.0, lambda x, y: x + y),
        wrap(2) * 3,
        a.size(),
    ):
        np.testing.assert_array_equal(copied(value).eval("naive"), value.eval("naive"))


def test_a_copied_value_is_a_part_of_programs():
    a = wrap(np.arange(3.0), "a")
    value = pickled(array(lambda i: a[i] * 2))
    both = array(lambda i: value[i] + a[i] + fold(0.0, lambda k, s: s + value[k]))
    np.testing.assert_array_equal(both.eval("numpy"), np.arange(3.0) * 3 + 6)


def test_types_compare_by_value():
    pair = RecordType(Pair, ("x", "y"), (F64, VectorType(F32)))
    types = [*SCALARS, VectorType(F64), VectorType(F32), VectorType(VectorType(F64)), pair]
    for k, type_ in enumerate(types):
        for n, other in enumerate(map(pickled, types)):
            assert (type_ == other) == (k == n)
            assert k != n or hash(type_) == hash(other)
    assert wrap(np.ones(2)).expr.type == wrap(np.zeros(3)).expr.type
    assert all(pickled(type_) is type_ for type_ in SCALARS)


def test_weak_types_compare_by_what_they_become():
    weak = VectorType(WeakType(1.0))
    known = hash(weak)
    assert weak != VectorType(F32)
    assert unify(weak, VectorType(F32)) is None
    assert weak == VectorType(F32)
    assert hash(weak) == known == hash(VectorType(F32))


@pytest.mark.parametrize("copied", COPIES)
def test_compiled_functions(copied):
    @function
    def program(a: Vec[Float], n: Int):
        return array(lambda i: a[i] + n.float())

    for backend in ("numpy", "naive"):
        compiled = compile(program.phi(), "program", backend)
        copied_one = copied(compiled)
        assert repr(copied_one) == repr(compiled)
        np.testing.assert_array_equal(copied_one(np.ones(2), 3), np.full(2, 4.0))


@needs("torch")
def test_a_module_of_torch_that_holds_a_function():
    import torch

    module: Any = torch.nn.Linear(2, 2).double()
    module.doubled = doubled
    module.doubled(module.bias)
    for copied in (copy.deepcopy, pickled):
        other = copied(module)
        assert torch.equal(other.doubled(other.bias), 2 * module.bias)
