"""The JAX backend: scalars, gradients, transformations, static arguments and 64 bits."""

import itertools
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

import ein_mlir as ein  # noqa: E402
from ein_mlir import Float, Int, Vec, array, ext, fold, fold_sum, function, where, wrap  # noqa: E402  # noqa: E402
from ein_mlir import max as largest  # noqa: E402
from ein_mlir.backends.forms import FLOAT_COMPARISONS  # noqa: E402
from ein_mlir.backends.jax import prelude as jax_prelude  # noqa: E402
from ein_mlir.backends.jax import runtime as jax_runtime  # noqa: E402
from ein_mlir.backends.jax.prelude.contractions import sum_rows  # noqa: E402
from ein_mlir.backends.jax.tables import TABLES  # noqa: E402
from ein_mlir.backends.numpy import prelude as numpy_prelude  # noqa: E402
from ein_mlir.compiler import CompiledFunction, compile  # noqa: E402
from ein_mlir.errors import EinTypeError, EinValueError  # noqa: E402
from ein_mlir.passes.conversions.convert_yarr_to_jax import ConvertYarrToJaxPass  # noqa: E402
from ein_mlir.targets.python.printer import python_source  # noqa: E402
from tests.unit.backends.conftest import load, parse  # noqa: E402

INF, NAN = np.inf, np.nan
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.75, 2.5, -2.5, 3.5, 1e10, -1e10, INF, -INF, NAN]
NUMPY_DIFFERS = (-INF, 0.5)
"""NumPy's power of two scalars takes a square root if the exponent is 0.5."""
DTYPES = {"i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}


@pytest.fixture
def x64() -> Any:
    """Enable 64 bits during a test."""
    with jax.enable_x64(True):
        yield


def values(element: str) -> list[Any]:
    """Numbers with which operations go wrong."""
    if element[0] == "f":
        return FLOATS
    limits = np.iinfo(DTYPES[element])
    return [0, 1, -1, 2, -2, 3, 7, -7, 31, int(limits.min), int(limits.max)]


# Scalars --------------------------------------------------------------------------------------

UNARY = {
    *(name for name in TABLES.scalars if name.startswith("math.")),
    "arith.negf",
    "sigma.sign",
} - {"math.atan2", "math.copysign", "math.powf"}
INTEGER = {"math.absi", "math.ctlz", "math.ipowi"}


def elements_of(name: str) -> tuple[str, ...]:
    """The types that an operation is tested on."""
    if name.startswith("sigma."):
        return "i32", "i64", "f32", "f64"
    is_integer = name in INTEGER or (name.startswith("arith.") and not name.endswith("f"))
    return ("i32", "i64") if is_integer else ("f32", "f64")


def scalar_operations(element: str, operands: int) -> dict[str, tuple[str, str]]:
    """The operations on one or two values of a type, each with its text and the type it gives."""
    found = dict[str, tuple[str, str]]()
    for name in sorted({*TABLES.scalars, "math.ipowi", "arith.ceildivsi", "math.rsqrt"}):
        is_unary = name in {*UNARY, "math.rsqrt"} - {"math.ipowi"}
        if element in elements_of(name) and is_unary == (operands == 1):
            arguments = "%x" if is_unary else "%x, %y"
            found[name] = f"{name} {arguments} : {element}", element
    if operands == 2:
        is_float = element[0] == "f"
        more = ("ueq", "one", "ord", "uno", "ult")
        for predicate in (*FLOAT_COMPARISONS, *more) if is_float else TABLES.comparisons:
            name = f"arith.cmp{'f' if is_float else 'i'} {predicate},"
            found[name] = f"{name} %x, %y : {element}", "i1"
        return found
    for name, target in CASTS[element]:
        found[f"{name} to {target}"] = f"{name} %x : {element} to {target}", target
    return found


CASTS = {
    "i32": [("arith.sitofp", "f32"), ("arith.sitofp", "f64"), ("arith.extsi", "i64")],
    "i64": [("arith.sitofp", "f32"), ("arith.sitofp", "f64"), ("arith.trunci", "i32")],
    "f32": [("arith.fptosi", "i32"), ("arith.fptosi", "i64"), ("arith.extf", "f64")],
    "f64": [
        ("arith.fptosi", "i32"),
        ("arith.fptosi", "i64"),
        ("arith.truncf", "f32"),
        ("arith.bitcast", "i64"),
    ],
}


def applied_everywhere(operations: dict[str, tuple[str, str]], operands: int, element: str) -> str:
    """A program that applies operations at each position of vectors: one array for each."""
    names = ("x", "y")[:operands]
    arguments = ", ".join(f"%{name}s: !phi.vec<{element}>" for name in names)
    reads = "\n".join(f"%{n} = phi.get %{n}s[%i] : !phi.vec<{element}>[index]" for n in names)
    arrays = "".join(
        f"""
      %r{number} = phi.array (%i < %n) -> !phi.vec<{result}> {{
        {reads}
        %z = {text}
        phi.yield %z : {result}
      }}"""
        for number, (text, result) in enumerate(operations.values())
    )
    values = ", ".join(f"%r{number}" for number in range(len(operations)))
    types = ", ".join(f"!phi.vec<{result}>" for _, result in operations.values())
    return f"""
    func.func @f({arguments}) -> ({types}) {{
      %n = phi.size %xs, 0 : !phi.vec<{element}>
      {arrays}
      func.return {values} : {types}
    }}
    """


@pytest.mark.one_turn
@pytest.mark.parametrize("operands", [1, 2])
@pytest.mark.parametrize("element", DTYPES)
def test_scalar_operations(element: str, operands: int) -> None:
    """JAX and the interpreter agree on all combinations of values; one program is compiled."""
    operations = scalar_operations(element, operands)
    program = applied_everywhere(operations, operands, element)
    rows = itertools.product(values(element), repeat=operands)
    columns = zip(*(row for row in rows if row != NUMPY_DIFFERS), strict=True)
    arrays = [np.array(column, DTYPES[element]) for column in columns]
    results = zip(
        operations,
        map(np.asarray, compile(program, backend="jax")(*arrays)),
        compile(program, backend="naive")(*arrays),
        strict=True,
    )
    tolerance = 1e-5 if element == "f32" else 1e-13
    for name, actual, expected in results:
        assert actual.dtype == expected.dtype, name
        np.testing.assert_allclose(actual, expected, tolerance, atol=0, err_msg=name)


def test_division_by_a_known_number_is_an_operator() -> None:
    program = """
    func.func @f(%a: i64) -> i64 {
      %three = arith.constant 3 : i64
      %r = arith.floordivsi %a, %three : i64
      func.return %r : i64
    }
    """
    f = compile(program, backend="jax")
    assert f.source.rstrip().endswith("// 3")
    assert int(f(-7)) == -3


# Programs -------------------------------------------------------------------------------------

HORNER = """
func.func @f(%a: !phi.vec<f64>, %x: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %c = phi.get %a[%k] : !phi.vec<f64>[i64]
    %0 = arith.mulf %acc, %x : f64
    %1 = arith.addf %0, %c : f64
    phi.yield %1 : f64
  }
  func.return %s : f64
}
"""

GATHER = """
func.func @f(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> f64 {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    %y = math.sin %x : f64
    phi.yield %y : f64
  }
  %zero = arith.constant 0.0 : f64
  %s = phi.reduce %r identity %zero by { arith.addf } -> f64
  func.return %s : f64
}
"""

RAMP = """
func.func @f(%n: i64, %scale: f64) -> !phi.vec<f64> {
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.sitofp %0 : i64 to f64
    %2 = arith.mulf %1, %scale : f64
    phi.yield %2 : f64
  }
  func.return %r : !phi.vec<f64>
}
"""

POWER = """
func.func @f(%x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %r = phi.fold (%k < %n, %acc = %one) -> f64 {
    %0 = arith.mulf %acc, %x : f64
    %1 = math.sin %0 : f64
    phi.yield %1 : f64
  }
  func.return %r : f64
}
"""

TRIANGLE = """
func.func @f(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %inner = phi.fold (%j < %k, %x = %acc) -> f64 {
      %c = phi.get %a[%j] : !phi.vec<f64>[i64]
      %0 = arith.mulf %x, %c : f64
      %1 = arith.addf %0, %c : f64
      phi.yield %1 : f64
    }
    phi.yield %inner : f64
  }
  func.return %s : f64
}
"""

GROWING = """
func.func @f(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %r = phi.fold (%k < %two, %acc = %a) -> !phi.vec<f64> {
    %0 = phi.concat %acc, %acc : !phi.vec<f64>
    phi.yield %0 : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
"""


def as_f32(program: str) -> str:
    return program.replace("f64", "f32")


def build(program: str) -> CompiledFunction:
    return compile(program, backend="jax")


def finite_differences(f: Callable[..., Any], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The gradient of a function of an array, by central differences."""
    gradient, step = np.zeros_like(x), 1e-6
    for place in np.ndindex(x.shape):
        shift = np.zeros_like(x)
        shift[place] = step
        gradient[place] = (float(f(x + shift)) - float(f(x - shift))) / (2 * step)
    return gradient


GRADIENTS: dict[str, tuple[str, int, tuple[Any, ...]]] = {
    "fold": (HORNER, 0, (np.array([0.5, -1.0, 2.0]), 0.7)),
    "fold by scalar": (HORNER, 1, (np.array([0.5, -1.0, 2.0]), np.array(0.7))),
    "gather": (GATHER, 0, (np.array([0.5, -1.0, 2.0]), np.array([2, 0, 2, 9, -4]))),
    "static count": (POWER, 0, (np.array(0.7), 5)),
    "nested loop": (TRIANGLE, 0, (np.array([0.5, -1.0, 2.0, 0.3]),)),
}


@pytest.mark.one_turn
@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient(name: str) -> None:
    program, argument, values = GRADIENTS[name]
    f = build(program)

    def of_one(x: Any) -> Any:
        return f(*values[:argument], x, *values[argument + 1 :])

    x = values[argument]
    expected = finite_differences(of_one, x)
    np.testing.assert_allclose(jax.grad(of_one)(x), expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(jax.jit(jax.grad(of_one))(x), expected, rtol=1e-6, atol=1e-8)
    _, tangent = jax.jvp(of_one, (x,), (np.ones_like(x),))
    np.testing.assert_allclose(tangent, expected.sum(), rtol=1e-6, atol=1e-8)


GUARDS = {
    "root": "%y = math.sqrt %x : f64",
    "logarithm": "%y = math.log %x : f64",
    "quotient": "%y = arith.divf %one, %x : f64",
}


@pytest.mark.one_turn
@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", GUARDS)
def test_a_branch_not_taken_does_not_reach_the_gradient(name: str) -> None:
    program = f"""
    func.func @f(%x: f64) -> f64 {{
      %zero = arith.constant 0.0 : f64
      %one = arith.constant 1.0 : f64
      %c = arith.cmpf ogt, %x, %zero : f64
      {GUARDS[name]}
      %z = arith.select %c, %y, %x : f64
      func.return %z : f64
    }}
    """
    f = build(program)
    for x in (0.0, -2.0):
        assert float(jax.grad(f)(x)) == 1.0
    np.testing.assert_allclose(jax.grad(f)(2.0), finite_differences(f, np.array(2.0)), rtol=1e-6)


@pytest.mark.usefixtures("x64")
def test_second_derivative_through_a_fold() -> None:
    f = build(HORNER)
    a = np.array([0.5, -1.0, 2.0])
    second = jax.grad(jax.grad(lambda x: f(a, x)))(0.7)
    np.testing.assert_allclose(second, 2 * a[0])


@pytest.mark.usefixtures("x64")
def test_vmap() -> None:
    f = build(HORNER)
    a = jnp.array([[0.5, -1.0, 2.0], [1.0, 2.0, 3.0]])
    batched = jax.vmap(f, in_axes=(0, None))(a, 0.7)
    np.testing.assert_allclose(batched, [f(row, 0.7) for row in a])
    gradients = jax.vmap(jax.grad(f), in_axes=(0, None))(a, 0.7)
    np.testing.assert_allclose(gradients[1], [0.49, 0.7, 1.0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 9000), (2, 2, 5000), (1, 9000), (0, 9000), (3, 7)])
@pytest.mark.usefixtures("x64")
def test_sums_of_rows(shape: tuple[int, ...], dtype: str) -> None:
    """Long rows are added up by a product with ones: values, derivatives and batches."""
    a = np.random.default_rng(0).normal(size=shape).astype(dtype)
    a[..., 0], a[..., 1] = np.inf, np.nan
    axes = tuple(range(len(shape) - 1))
    sums = partial(sum_rows, count=len(axes))
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(jax.jit(sums)(a), a.sum(axes), rtol=tolerance, atol=tolerance)
    batch = np.stack([a, 2 * a])
    expected = batch.sum(tuple(axis + 1 for axis in axes))
    np.testing.assert_allclose(jax.vmap(sums)(batch), expected, rtol=tolerance, atol=tolerance)
    gradient = jax.grad(lambda x: (sums(x) * jnp.arange(shape[-1])).sum())(a)
    assert (gradient == np.broadcast_to(np.arange(shape[-1]), shape)).all()


# Loops ----------------------------------------------------------------------------------------


def test_a_loop_is_a_function() -> None:
    assert "def step(k, acc):" in build(HORNER).source
    assert "scan" in str(jax.make_jaxpr(build(as_f32(HORNER)))(np.ones(3, np.float32), 1.0))


@pytest.mark.parametrize(("size", "is_loop"), [(3, False), (1000, True)])
def test_a_short_loop_over_elements_is_unrolled(size: int, is_loop: bool) -> None:
    f = build(as_f32(HORNER))
    lowered = jax.jit(f).lower(np.ones(size, np.float32), np.float32(1.0))
    assert ("while" in lowered.as_text()) == is_loop


@pytest.mark.parametrize(("elements", "is_loop"), [(511, True), (512, False)])
def test_longer_loops_are_unrolled_if_an_accumulator_is_not_small(
    elements: int, is_loop: bool
) -> None:
    def step(k: Any, state: Any) -> Any:
        return state[0] + k, state[1] * 2

    def program(x: Any) -> Any:
        return jax_prelude.fold(5, step, (x, x[0]), 4, 5)

    lowered = jax.jit(program).lower(np.ones(elements, np.float32))
    assert ("while" in lowered.as_text()) == is_loop


def test_a_loop_of_no_steps_is_not_traced() -> None:
    assert float(build(HORNER)(np.zeros(0), 2.0)) == 0.0


def test_a_loop_whose_steps_differ_in_their_sizes_is_unrolled() -> None:
    f = build(TRIANGLE)
    assert "for k in range(" in f.source
    a = np.array([0.5, -1.0, 2.0, 0.3])
    np.testing.assert_allclose(f(a), compile(TRIANGLE, backend="naive")(a))


def test_an_accumulator_may_grow() -> None:
    np.testing.assert_array_equal(build(GROWING)(np.arange(2.0)), np.tile([0.0, 1.0], 4))


# Static arguments -----------------------------------------------------------------------------


def test_what_sizes_depend_on_is_static() -> None:
    assert build(RAMP).static_arguments == ("n",)
    assert build(POWER).static_arguments == ("n",)
    assert build(HORNER).static_arguments == ()


def test_new_static_values_and_shapes_compile_anew() -> None:
    f = build(RAMP)
    for n, scale in ((3, 2.0), (3, 5.0), (np.int64(3), 1.0), (4, 2.0), (3, 7.0)):
        np.testing.assert_allclose(f(n, scale), np.arange(n) * scale)
    assert f.compilations == 2
    g = build(HORNER)
    for size in (2, 3, 2):
        g(np.ones(size), 1.0)
    assert g.compilations == 2


def test_fields_and_elements_can_be_static() -> None:
    program = """
    func.func @f(%r: tuple<f64, i64>, %lengths: !phi.vec<i64>) -> !phi.vec<f64> {
      %x = phi.proj %r, 0 : tuple<f64, i64> -> f64
      %n = phi.proj %r, 1 : tuple<f64, i64> -> i64
      %zero = arith.constant 0 : i64
      %m = phi.get %lengths[%zero] : !phi.vec<i64>[i64]
      %size = arith.muli %n, %m : i64
      %a = phi.array (%i < %size) -> !phi.vec<f64> {
        phi.yield %x : f64
      }
      func.return %a : !phi.vec<f64>
    }
    """
    f = build(program)
    assert f.static_arguments == ("r[1]", "lengths")
    np.testing.assert_array_equal(f((2.5, 2), np.array([3, 8])), np.full(6, 2.5))
    np.testing.assert_array_equal(f((1.5, 2), np.array([3, 8])), np.full(6, 1.5))
    assert f.compilations == 1


def test_other_elements_of_the_same_size_need_no_other_program() -> None:
    f = build(str(function(lambda v: ein.filter(v, lambda x: x > 0.0)).phi(Vec[Float])))
    assert f.static_arguments == ("v",)
    for v in ([1.0, -1.0, 2.0], [-2.0, 3.0, 5.0], [np.nan, 0.5, 0.25], [0.0, 1.0, -0.0]):
        given = np.array(v)
        np.testing.assert_array_equal(f(given), given[given > 0])
    assert f.compilations == 2


def test_the_host_and_the_device_have_helpers_of_their_own() -> None:
    take = function(lambda a, lengths: array(lambda i: 2 * a[i], size=lengths[0]))
    a = np.arange(3)
    assert "np_fill_empty" in take.source(jnp.asarray(a), a)
    np.testing.assert_array_equal(take.jax(a, np.array([2])), [0, 2])
    np.testing.assert_array_equal(take.jax(a, a[:0]), [])


def test_without_jit_nothing_is_compiled_as_a_whole() -> None:
    f = compile(RAMP, backend="jax", jit=False)
    np.testing.assert_array_equal(f(3, 2.0), [0.0, 2.0, 4.0])
    assert f.compilations == 0
    assert f.static_arguments == ("n",)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_traced_array_has_no_elements_for_numpy(backend: str) -> None:
    doubled = function(lambda a: array(lambda i: a[i] * 2.0), backend=backend)
    with pytest.raises(EinTypeError, match=r"argument a: expected an array .* JAX traces"):
        jax.jit(doubled)(np.ones(3))


def test_elements_that_decide_a_size_are_not_traced() -> None:
    positive = function(lambda a: ein.filter(a, lambda x: x > 0.0))
    with pytest.raises(EinValueError, match="elements of a decide the size"):
        jax.jit(positive)(np.ones(3))


def test_options_of_jit() -> None:
    x = jnp.ones(2, jnp.float32)
    calls = [
        str(jax.make_jaxpr(compile(as_f32(HORNER), backend="jax", jit=jit))(x, 1.0)).count("jit")
        for jit in (None, {"inline": True})
    ]
    assert calls[0] > calls[1]


def test_static_values_cannot_be_traced() -> None:
    f = build(as_f32(RAMP))
    message = "argument n decides the size of an array"
    with pytest.raises(EinValueError, match=message), jax.enable_x64(True):
        jax.jit(f)(3, np.float32(2.0))
    doubled = jax.jit(lambda scale: f(3, scale))(jnp.float32(2.0))
    np.testing.assert_array_equal(doubled, [0, 2, 4])
    static = jax.jit(f, static_argnums=0)
    np.testing.assert_array_equal(static(3, jnp.float32(2.0)), [0, 2, 4])


@pytest.mark.parametrize("is_record", [False, True])
def test_an_extrinsic_may_decide_a_size(is_record: bool) -> None:
    """Its arguments are static, and it is called immediately."""

    def count_positive(a: Any) -> Any:
        count = jnp.sum(a > 0).astype(jnp.int64)
        return (count, count) if is_record else count

    count: Any = ext(count_positive, ([Vec[Float]], tuple[Int, Int] if is_record else Int))

    def size(a: Any) -> Any:
        return count(a)[1] if is_record else count(a)

    f = function(lambda a: array(lambda i: 2 * a[i], size=size(a)))
    np.testing.assert_array_equal(f.jax(np.array([1.0, -1.0, 2.0])), [2.0, -2.0])
    np.testing.assert_array_equal(f.jax(np.array([-1.0, -1.0, 2.0])), [-2.0])
    with jax.enable_x64(True), pytest.raises(EinValueError, match="elements of a decide the size"):
        jax.jit(f)(jnp.ones(3))


def test_what_an_extrinsic_that_decides_a_size_is_given_may_be_computed() -> None:
    count = ext(lambda a: jnp.sum(a > 0).astype(jnp.int64), ([Vec[Float]], Int))
    f = function(lambda a, x: array(lambda i: x, size=count(array(lambda i: a[i] - x))))
    np.testing.assert_array_equal(f.jax(np.array([1.0, 3.0, 4.0]), 2.0), [2.0, 2.0])


LOOP_OF_ASSERTIONS = """
  func.func @f(%a: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<?xi64> {
    %n = yarr.size %a, 0 : tensor<?xi64>
    %m = yarr.size %b, 0 : tensor<?xi64>
    %two = arith.constant dense<2> : tensor<i64>
    %s = yarr.fold (%k < %n, %acc = %two) -> tensor<i64> {
      %0 = yarr.assert_eq %m, %two, "sizes"
      %1 = yarr.take %a, 0, %k in_bounds : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
      yarr.yield %1 : tensor<i64>
    }
    func.return %b : tensor<?xi64>
  }"""
LOOP_OF_NOTHING_ELSE = """
  func.func @f(%a: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<?xi64> {
    %n = yarr.size %a, 0 : tensor<?xi64>
    %m = yarr.size %b, 0 : tensor<?xi64>
    %two = arith.constant dense<2> : tensor<i64>
    yarr.fold (%k < %n) {
      %0 = yarr.assert_eq %m, %two, "sizes"
      yarr.yield
    }
    func.return %b : tensor<?xi64>
  }"""


@pytest.mark.parametrize("text", [LOOP_OF_ASSERTIONS, LOOP_OF_NOTHING_ELSE])
@pytest.mark.usefixtures("x64")
def test_a_loop_may_be_there_for_its_assertions(text: str) -> None:
    module = parse(text)
    ConvertYarrToJaxPass().apply(Context(), module)
    f = load(python_source(module))
    f(np.arange(3), np.arange(2))
    f(np.arange(0), np.arange(3))
    with pytest.raises(ValueError, match="sizes: 3 != 2"):
        f(np.arange(1), np.arange(3))


def test_sizes_are_checked_when_a_program_is_traced() -> None:
    with pytest.raises(ValueError, match="size of index i is negative: -3"):
        build(RAMP)(-3, 1.0)
    with pytest.raises(ValueError, match="size of index k is negative: -1"):
        build(POWER)(1.0, -1)


# 64 bits --------------------------------------------------------------------------------------


def test_programs_compute_in_their_own_precision() -> None:
    assert not jax.config.read("jax_enable_x64")
    result = build(HORNER)(np.array([1.0, 1e-12]), 1.0)
    assert result.dtype == np.float64
    assert float(result) == 1.0 + 1e-12
    assert build(as_f32(HORNER))(np.ones(2, np.float32), 1.0).dtype == np.float32
    assert not jax.config.read("jax_enable_x64"), "the setting of the process has changed"


def test_f64_is_refused_where_jax_would_narrow_it() -> None:
    f = build(HORNER)
    with pytest.raises(EinTypeError, match=r"float32 and rank 1; .*jax_enable_x64"):
        jax.grad(lambda a: f(a, 0.5))(np.ones(2))
    mixed = """
    func.func @f(%x: f32) -> f32 {
      %0 = arith.extf %x : f32 to f64
      %1 = math.sin %0 : f64
      %2 = arith.truncf %1 : f64 to f32
      func.return %2 : f32
    }
    """
    with pytest.raises(EinTypeError, match="computes in f64"):
        jax.grad(build(mixed))(1.0)


def test_f32_programs_work_in_transformations_without_64_bits() -> None:
    f, p = build(as_f32(GATHER)), np.array([2, 0, 2, 9, -4])
    a = jnp.array([0.5, -1.0, 2.0], jnp.float32)
    gradient = jax.jit(jax.grad(lambda a: f(a, p)))(a)
    np.testing.assert_allclose(gradient, np.cos(a) * [2, 0, 3], rtol=1e-6)
    hessian = jax.hessian(lambda x: build(as_f32(HORNER))(a, x))(jnp.float32(0.7))
    np.testing.assert_allclose(hessian, 1.0, rtol=1e-6)


# The front end --------------------------------------------------------------------------------


@function
def scaled_sums(a, factor):
    return array(lambda i: factor * a[i] + fold_sum(lambda j: a[j]))


@function
def ramp(n, a):
    return array(lambda i: i, size=n), fold_sum(lambda j: a[j])


def test_arrays_of_jax_pick_the_backend() -> None:
    a = jnp.arange(3.0, dtype=jnp.float32)
    for factor in (2.0, jnp.float32(2.0)):
        result = scaled_sums(a, factor)
        assert isinstance(result, jax.Array)
        np.testing.assert_array_equal(result, [3, 5, 7])
    staged = wrap(a)
    assert isinstance(array(lambda i: 2.0 * staged[i]).eval(), jax.Array)
    assert isinstance(array(lambda i: 2.0 * staged[i]).jax(), jax.Array)
    assert isinstance(scaled_sums.jax(np.arange(3.0), 2.0), jax.Array)


def test_arrays_of_numpy_and_of_jax_are_different_arguments() -> None:
    f = function(lambda a: array(lambda i: 2 * a[i]))
    a = np.arange(3, dtype=np.float32)
    assert [type(f(x)) is np.ndarray for x in (a, jnp.asarray(a), a)] == [True, False, True]


def test_functions_are_transformed_by_jax() -> None:
    a = jnp.arange(3.0, dtype=jnp.float32)
    np.testing.assert_array_equal(jax.jit(scaled_sums)(a, 2.0), [3, 5, 7])
    np.testing.assert_array_equal(jax.grad(lambda a: scaled_sums.jax(a, 2.0).sum())(a), [5, 5, 5])
    np.testing.assert_array_equal(jax.vmap(scaled_sums, (None, 0))(a, a)[1], [3, 4, 5])
    _, tangent = jax.jvp(lambda f: scaled_sums(a, f), (jnp.float32(2),), (jnp.float32(1),))
    np.testing.assert_array_equal(tangent, [0, 1, 2])
    np.testing.assert_array_equal(jax.jit(ramp, static_argnums=0)(3, a)[0], [0, 1, 2])
    with pytest.raises(EinValueError, match="argument n decides the size"):
        jax.jit(ramp)(3, a)


@pytest.mark.one_turn
@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("exponent", [1.5, -0.5, -1.5])
def test_powers_with_roots(exponent: float) -> None:
    """XLA computes ``x ** 0.5`` alone by a root; derivatives are those of a power, also at 0."""
    power = function(lambda x: array(lambda i: x[i] ** exponent))
    x = np.array([0.0, -0.0, 1.0, 2.5, 1e300, 1e-200, np.inf, -np.inf, -1.0, np.nan])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(power(jnp.asarray(x)), np.power(x, exponent), rtol=1e-15)
    assert "root_power" in power.source(x, backend="jax")
    functions: list[Any] = [power, lambda x: x**exponent]
    own, other = (jax.jit(jax.grad(lambda x, f=f: jnp.sum(f(x)))) for f in functions)
    numbers = np.array([0.0, 0.5, 3.0])
    np.testing.assert_allclose(own(numbers), other(numbers), rtol=1e-14)
    own, other = (jax.jit(jax.jacobian(each)) for each in (own, other))
    np.testing.assert_allclose(own(numbers[1:]), other(numbers[1:]), rtol=1e-14)


def test_diagonals_keep_signs_of_zeros() -> None:
    diagonal = function(lambda a: array(lambda b, i: a[i, b, i], size=(3, 2)))
    a = np.full((2, 3, 2), -0.0, np.float32)
    for result in (diagonal(a), diagonal(jnp.asarray(a))):
        assert np.signbit(result).all()
        assert np.shape(result) == (3, 2)
    swapped = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    np.testing.assert_array_equal(diagonal(jnp.asarray(swapped)), diagonal(swapped))


@function
def fading_sums(x: Vec[Float], y: Vec[Float]) -> Vec[Float]:
    def step(i: Int) -> Float:
        return fold(0.0, lambda k, s: 0.5 * s + (-abs(x[i] - y[k])).exp(), count=y.size())

    return array(step)


@pytest.mark.one_turn
def test_steps_of_loops_over_large_arrays_are_taken_together() -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=n).astype(np.float32) for n in (3000, 75))
    a, b = jnp.asarray(x), jnp.asarray(y)
    terms = np.exp(-np.abs(x[:, None] - y)) * 0.5 ** np.arange(75)[::-1]
    np.testing.assert_allclose(fading_sums(a, b), terms.sum(1), rtol=1e-5)
    few = fading_sums(a[:10], b)
    np.testing.assert_allclose(few, terms[:10].sum(1), rtol=1e-5)
    of_y = jax.grad(lambda b: fading_sums(a, b).sum())(b)
    np.testing.assert_allclose(of_y, (terms * np.sign(x[:, None] - y)).sum(0), rtol=1e-2, atol=1e-2)
    both = jax.vmap(fading_sums, (None, 0))(a, jnp.stack((b, b)))
    np.testing.assert_allclose(both, [terms.sum(1)] * 2, rtol=1e-5)
    for size, steps in ((3000, 8), (10, 4)):
        assert f"unroll={steps}\n" in str(jax.make_jaxpr(fading_sums)(a[:size], b))


@function
def attractions(x: Vec[Float], y: Vec[Float]) -> Vec[Float]:
    def step(i: Int) -> tuple[Float, Float]:
        def add(k: Int, s: tuple[Float, Float]) -> tuple[Float, Float]:
            u, v = x[k] - x[i], y[k] - y[i]
            r = 1.0 / (u * u + v * v + 0.01).sqrt()
            return s[0] + u * r * r * r, s[1] + v * r * r * r

        return fold((0.0, 0.0), add, count=x.size())

    both = array(step)
    return array(lambda i: both[i][0] * both[i][1])


def test_few_steps_over_small_arrays_are_not_unrolled() -> None:
    x = jnp.asarray(np.linspace(0.0, 1.0, 40, dtype=np.float32))
    for size, steps in ((15, 1), (40, 4)):
        assert f"unroll={steps}\n" in str(jax.make_jaxpr(attractions)(x[:size], x[:size]))


@function
def shuffled(x: Vec[Float], r: Vec[Int]) -> Vec[Float]:
    def step(t: Int, v: Vec[Float]) -> Vec[Float]:
        k = x.size() - 1 - t
        j = r[k] % (k + 1)
        return array(lambda i: where(i == k, v[j], where(i == j, v[k], v[i])))

    return fold(x, step, count=largest(x.size() - 1, 0))


@function
def walked(p: Vec[Int]) -> tuple[Vec[Int], Int]:
    def step(t: Int, state: tuple[Vec[Int], Int, Int]) -> tuple[Vec[Int], Int, Int]:
        v, i, total = state
        j = v[i]
        return array(lambda k: where(k == i, (j + t) % v.size(), v[k])), j, total + j

    visited, _, total = fold((p, 0, 0), step, count=2 * p.size())
    return visited, total


@pytest.mark.one_turn
@pytest.mark.parametrize("size", [1, 2, 1500])
def test_elements_are_read_before_their_array_is_overwritten(size: int, x64: None) -> None:
    rng = np.random.default_rng(0)
    x, r = rng.normal(size=size), rng.integers(0, 2**40, size)
    other = "naive" if size < 10 else "numpy"
    for f, given in ((shuffled, (x, r)), (walked, (r % size,))):
        expected = f.eval(*given, backend=other)
        on_jax = f.eval(*map(jnp.asarray, given), backend="jax")
        for result, value in zip(
            map(np.asarray, jax.tree.leaves(on_jax)), jax.tree.leaves(expected), strict=True
        ):
            np.testing.assert_array_equal(result, value)
    places = np.argsort(shuffled.eval(np.arange(size) + 0.0, r, backend=other))
    weights = jnp.arange(size) + 0.0
    of_x = jax.grad(lambda x: (shuffled.jax(x, jnp.asarray(r)) * weights).sum())(jnp.asarray(x))
    np.testing.assert_array_equal(of_x, places)


@pytest.mark.one_turn
@pytest.mark.parametrize("size", [0, 1, 2, 5, 9])
def test_few_elements_are_sorted_by_exchanges(size: int, x64: None) -> None:
    rng = np.random.default_rng(size)
    sort_elements = jax.jit(jax_prelude.sort_elements, static_argnums=(1, 2))
    numbers = rng.choice([0.0, -0.0, 1.0, -2.5, INF, -INF, NAN], (40, size))
    for given in (numbers, numbers > 0.0, rng.integers(-3, 3, (40, size))):
        result = sort_elements(jnp.asarray(given), 1, 12)
        expected = np.sort(given, axis=1, kind="stable")
        np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(np.signbit(result + 0.0), np.signbit(expected + 0.0))
    zeros = np.array([0.0, -0.0, 0.0, -0.0])[:size]
    signs = np.signbit(np.asarray(sort_elements(jnp.asarray(zeros), 0)))
    np.testing.assert_array_equal(signs, np.signbit(zeros))


# Arguments, errors, imports -------------------------------------------------------------------


def test_arguments_are_checked() -> None:
    f = build(as_f32(HORNER))
    with pytest.raises(EinTypeError, match="expected an array of float32 and rank 1, got"):
        f(jnp.ones((2, 2), jnp.float32), 1.0)
    with pytest.raises(EinTypeError, match="expected a float32 scalar, got"):
        f(jnp.ones(2, jnp.float32), jnp.ones(1, jnp.float32))
    assert float(f(jnp.ones(2, jnp.float32), jnp.float32(1.0))) == 2.0


def test_results_are_arrays_of_jax() -> None:
    assert isinstance(build(HORNER)(np.ones(2), 1.0), jax.Array)


@pytest.mark.one_turn
def test_nothing_of_jax_is_imported_before_it_is_needed() -> None:
    script = "import sys, ein_mlir, ein_mlir.compiler; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.one_turn
def test_the_error_without_jax_says_what_to_install() -> None:
    script = f"""
import sys
sys.modules["jax"] = None
from ein_mlir import compiler, errors
try:
    compiler.compile({HORNER!r}, backend="jax")
except ImportError as error:
    assert "pip install 'ein-mlir[jax]'" in str(error), error
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", script], check=True)


# The prelude ----------------------------------------------------------------------------------


@pytest.mark.one_turn
@pytest.mark.parametrize("length", [0, 1, 2, 5])
@pytest.mark.parametrize("step", [-2, -1, 1, 2])
def test_clipped_slices(length: int, step: int) -> None:
    array = np.arange(1.0, 2 * length + 1, dtype=np.float32).reshape(2, length)
    for start, size in itertools.product(range(-4, 8), (0, 1, 3)):
        expected = numpy_prelude.clipped_slice(array, 1, start, size, step)
        sliced = jax_prelude.clipped_slice(jnp.asarray(array), 1, start, size, step)
        np.testing.assert_array_equal(sliced, expected)
        taken = jax_prelude.clipped_take(jnp.asarray(array), 1, start, size, step)
        np.testing.assert_array_equal(taken, expected)


@pytest.mark.one_turn
@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_fold_below(count: int, x64: Any) -> None:
    """Loops of traced counts, of steps that capture traced values; in reverse mode, too."""

    def total(x: Any, n: Any, scale: Any) -> Any:
        def step(k: Any, carry: Any) -> Any:
            y, steps = carry
            return y * scale + k / (n - k), steps + (k < n)

        return jax_prelude.fold_below(n, 5, step, (x, jnp.int64(0)))

    def expected(x: float, scale: float) -> float:
        for k in range(count):
            x = x * scale + k / (count - k)
        return x

    result, steps = jax.jit(total)(2.0, count, 3.0)
    np.testing.assert_allclose(result, expected(2.0, 3.0), rtol=1e-12)
    assert steps == count
    derivatives = jax.grad(lambda x, s: total(x, count, s)[0], (0, 1))(2.0, 3.0)
    differences = (
        (expected(2.0 + 1e-6, 3.0) - expected(2.0 - 1e-6, 3.0)) / 2e-6,
        (expected(2.0, 3.0 + 1e-6) - expected(2.0, 3.0 - 1e-6)) / 2e-6,
    )
    np.testing.assert_allclose(derivatives, differences, rtol=1e-6, atol=1e-6)


def test_fold_below_of_ints(x64: Any) -> None:
    run = jax.jit(lambda n: jax_prelude.fold_below(n, 5, lambda k, x: 2 * x + k, jnp.int64(1)))
    assert [int(run(n)) for n in (0, 1, 4)] == [1, 2, 27]


@pytest.mark.parametrize(
    ("shape", "starts"),
    [
        *itertools.product([(0, 3), (1, 1), (2, 3)], [(0, 0), (2, 1), (1, 3)]),
        ((4, 6), (0, 0)),
        ((2, 6), (1, 0)),
        ((4, 3), (0, 3)),
        ((0, 6), (2, 0)),
    ],
)
def test_with_part(shape: tuple[int, int], starts: tuple[int, int]) -> None:
    base, part = np.arange(24).reshape(4, 6), -1 - np.arange(shape[0] * shape[1]).reshape(shape)
    expected = base.copy()
    expected[starts[0] : starts[0] + shape[0], starts[1] : starts[1] + shape[1]] = part
    helpers = (jax_prelude.with_part, jax_prelude.overwritten)
    for placed in jax.jit(lambda a, b: [each(a, b, starts) for each in helpers])(base, part):
        np.testing.assert_array_equal(placed, expected)


@pytest.mark.parametrize("starts", [(0, 0), (2, 0), (1, 2)])
@pytest.mark.parametrize("shape", [(0, 0), (2, 3), (2, 4), (4, 3), (4, 4)])
def test_a_part_surrounded_by_a_number(shape: tuple[int, int], starts: tuple[int, int]) -> None:
    part, whole = np.full(shape, np.nan), (np.int64(4 + starts[0]), np.int64(6 + starts[1]))
    starts = (starts[0] if shape[0] < whole[0] else 0, starts[1] if shape[1] < whole[1] else 0)
    expected = np.full(whole, np.inf)
    expected[starts[0] : starts[0] + shape[0], starts[1] : starts[1] + shape[1]] = part
    placed = jax.jit(lambda part: jax_prelude.surrounded(np.inf, whole, part, starts))(part)
    np.testing.assert_array_equal(placed, expected)


def test_memory_of() -> None:
    array = jnp.ones((2, 3), "float32")
    assert jax_prelude.memory_of(array, (2, 3)) is array
    other = jax_prelude.memory_of(array, (3, 1))
    assert other.shape == (3, 1)
    assert other.dtype == "float32"


def test_update_inside() -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    expected = array.copy()
    expected[:, 2, 1] = [-1.0, -2.0]
    value = jnp.array([-1.0, -2.0], "float32")
    actual = jax_prelude.update_inside(jnp.asarray(array, "float32"), (1, 2), (2, 1), value)
    np.testing.assert_array_equal(actual, expected)
    one = jax_prelude.update_inside(jnp.zeros((2, 3)), (0,), (jnp.int32(1),), jnp.ones(1))
    np.testing.assert_array_equal(one, [[0, 0, 0], [1, 1, 1]])


@pytest.mark.one_turn
@pytest.mark.parametrize("length", [0, 1, 7, 24])
@pytest.mark.parametrize(
    ("sizes", "steps"),
    [((4, 6), (6, 1)), ((3, 3), (5, 2)), ((2, 3), (9, -1)), ((3, 2, 2), (8, 4, 2)), ((4,), (0,))],
)
def test_strided(length: int, sizes: tuple[int, ...], steps: tuple[int, ...]) -> None:
    """Rows, windows, and positions out of bounds: as in NumPy, and as by their definition."""
    array_, starts = np.arange(2.0 * length).reshape(2, length), (-3, 0, 1, 2**63 - 1)
    with jax.enable_x64(True):
        of_jax = jax.jit(lambda a: [jax_prelude.strided(a, 1, n, sizes, steps) for n in starts])
        results = of_jax(jnp.asarray(array_))
    for start, result in zip(starts, results, strict=True):
        positions = np.array(start)
        for size, step in zip(sizes, steps, strict=True):
            positions = positions[..., None] + step * np.arange(size)
        filled = array_ if length else np.zeros((2, 1))
        expected = np.take(filled, positions, axis=1, mode="clip")
        of_numpy = numpy_prelude.strided(array_, 1, start, sizes, steps)
        np.testing.assert_array_equal(of_numpy, expected)
        np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (2, 3), (2, 3, 4)])
def test_flatten(shape: tuple[int, ...]) -> None:
    array_ = np.arange(float(np.prod(shape))).reshape(shape)
    for axis in range(len(shape) - 1):
        joined = (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])
        for prelude, value in ((numpy_prelude, array_), (jax_prelude, jnp.asarray(array_))):
            flat = prelude.flatten(value, axis)
            np.testing.assert_array_equal(np.asarray(flat), array_.reshape(joined))


@pytest.mark.parametrize("large", [3, 4])
@pytest.mark.parametrize("few", [0, 2])
def test_steps_together(large: int, few: int) -> None:
    """After any number of steps, which one program counts for all."""
    init = np.arange(3, dtype=np.float32), np.float32(1)

    def step(k: Any, state: Any) -> Any:
        return state[0] * k + 1, state[1] + k

    def folds(init: Any) -> Any:
        return [jax_prelude.fold(count, step, init, few, 9, 3, large) for count in range(8)]

    expected = init
    for k, result in enumerate(jax.jit(folds)(init)):
        for x, y in zip(result, expected, strict=True):
            np.testing.assert_array_equal(x, y)
        expected = step(k, expected)


@pytest.mark.parametrize("rows", [((1, 0, 1, 1),), ((1, 0, 4, -1),), ((1, 0, 4, -1), (2, 1, 0, 1))])
def test_rows_are_stacked_in_both_directions(rows: Any) -> None:
    """Also those of two arrays, one of which is written backwards; the others stay."""

    def step(k: Any, state: Any) -> Any:
        written = {row[0] for row in rows}
        last, *others = state
        news = [jnp.full(x.shape[:-1], last * 2 + k) for x in others]
        pairs = enumerate(zip(news, others, strict=True), 1)
        return last + k, *(pair[j not in written] for j, pair in pairs)

    for count in range(5):
        init = np.float32(1), np.zeros(6, np.float32), np.zeros((2, 5), np.float32)
        results = jax.jit(partial(jax_prelude.fold_rows, count, step, rows=rows))(init)
        last, expected = np.float32(1), [each.copy() for each in init[1:]]
        for k in range(count):
            for number, axis, start, stride in rows:
                place = (slice(None),) * axis + (start + stride * k,)
                expected[number - 1][place] = last * 2 + k
            last = last + k
        for result, each in zip(results, (last, *expected), strict=True):
            np.testing.assert_array_equal(result, each)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_searches_of_short_rows_are_those_of_few(x64: None, dtype: Any) -> None:
    """The position is that of the first, whatever XLA finds it by."""
    rows = np.random.default_rng(0).integers(-2, 3, (2000, 3)).astype(dtype)
    if dtype is not np.int64:
        rows[::7, 0], rows[::5, 1], rows[::3, 2], rows[::11] = NAN, -INF, INF, NAN
    for find in (jax_prelude.argmax, jax_prelude.argmin):
        parts = [np.asarray(find(jnp.asarray(part), 1)) for part in np.split(rows, 100)]
        found = find(jnp.asarray(rows), 1)
        np.testing.assert_array_equal(found, np.concatenate(parts))
        assert found.dtype == int


def test_static_values_of_any_types_compare() -> None:
    values = [np.int64(0), np.arange(2), np.zeros((2, 2)), np.float64(0.0), np.True_]
    statics = [jax_runtime.Static.of([value]) for value in values]
    for k, (static, value) in enumerate(zip(statics, values, strict=True)):
        assert [static == other for other in statics] == [k == n for n in range(len(values))]
        (kept,) = static.values()
        np.testing.assert_array_equal(kept, value)
        assert kept.dtype == value.dtype


@pytest.mark.one_turn
@pytest.mark.parametrize("rows", [4, 1000])
def test_products_of_masked_arrays(x64: None, rows: int) -> None:
    """Masked elements do not count, whatever they are; nor do they in derivatives."""
    rng = np.random.default_rng(0)
    mask = np.arange(5) < 3

    @jax.jit
    def masked(a: Any, x: Any) -> Any:
        return jax_prelude.masked_einsum("ij,j->i", (mask[None], mask), (a, x))

    gradient = jax.jit(jax.grad(lambda a, x: masked(a, x).sum(), (0, 1)))
    batched = jax.jit(jax.vmap(masked))
    close = partial(np.testing.assert_allclose, rtol=1e-14, atol=1e-14)
    for special in (0.0, INF, NAN):
        a, x = rng.normal(size=(rows, 5)), rng.normal(size=5)
        a[1, 4] = x[3] = special
        expected = a[:, :3] @ x[:3]
        close(masked(a, x), expected)
        da, dx = gradient(a, x)
        close(da, np.where(mask, x, 0.0) * np.ones((rows, 1)), atol=0)
        np.testing.assert_allclose(dx, np.where(mask, a.sum(0), 0.0), rtol=1e-12)
        close(batched(a[None], x[None])[0], expected)
        a[1, 1] = special
        close(masked(a, x), a[:, :3] @ x[:3])


@pytest.mark.parametrize("size", [3, 200])
def test_nan_is_propagated(x64: None, size: int) -> None:
    """By few others, and by many, which are read only if the witness is not finite."""
    array_, others = np.arange(float(size)), np.zeros((size, size))
    propagate_nan = jax.jit(jax_prelude.propagate_nan, static_argnums=2)
    for special in (0.0, INF, NAN):
        others[0, 1] = special
        result = propagate_nan(array_, others, 0, others.sum(0))
        rest = np.where(np.arange(size) == 1, array_, array_ if special == 0.0 else NAN)
        np.testing.assert_array_equal(np.asarray(result), rest)


@pytest.mark.parametrize("size", [3, 20_000])
def test_products_in_order(x64: None, size: int) -> None:
    """Few products, and many, which are computed in order only if another order is not safe."""

    @jax.jit
    def in_order(found: Any, factors: Any, other: Any) -> Any:
        products = ("i", ("ij", factors), ("j", other))
        return jax_prelude.in_order(found, (found,), (found,), products)

    factors, other = np.ones((2, size)), np.ones(size)
    expected = factors.sum(1)
    found = np.nextafter(expected, 0)  # a sum in another order
    safe = expected if size == 3 else found
    np.testing.assert_array_equal(in_order(found, factors, other), safe)
    for special, found in ((INF, NAN), (NAN, INF), (1.0, -INF), (1e-300, 0.0)):
        factors[1, 1] = special
        expected = (factors * other).sum(1)
        np.testing.assert_array_equal(in_order(np.full(2, found), factors, other), expected)
    gradient = jax.grad(lambda x: in_order(x.sum(1), x, other).sum())(np.ones((2, size)))
    np.testing.assert_array_equal(gradient, np.ones((2, size)))


@function
def rotated(x: Vec[Vec[Float]], angle: Float) -> Vec[Vec[Float]]:
    n, m = x.size(0), x.size(1)
    c, s = ein.cos(angle), ein.sin(angle)

    def element(i: Int, j: Int) -> Float:
        a, b = i.float() - n.float() / 2.0, j.float() - m.float() / 2.0
        u, v = ein.round(c * a - s * b + n.float() / 2.0), ein.round(s * a + c * b)
        return where(u * a < v, x[u.int(), v.int()], a)

    return array(element, size=(n, m))


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 2), (2, 3), (7, 7)])
def test_arithmetic_on_ranges_is_along_the_axis_of_its_reader(
    shape: tuple[int, int], x64: Any
) -> None:
    x = np.random.default_rng(1).normal(size=shape)
    expected = rotated.eval(x, 0.7, backend="naive")
    np.testing.assert_allclose(rotated.jax(jnp.asarray(x), 0.7), expected, rtol=1e-12)
    many = jax.vmap(rotated.jax, (None, 0))(jnp.asarray(x), jnp.asarray([0.7, 0.1]))
    np.testing.assert_allclose(many[0], expected, rtol=1e-12)


def test_no_vector_of_arithmetic_on_a_range_and_a_number(x64: Any) -> None:
    source = rotated.source(jnp.ones((3, 3)), 0.7, backend="jax")
    assert "i[:, None].astype" in source
    assert "j[None, :].astype" in source
