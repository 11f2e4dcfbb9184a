"""Machine code from loops: hand-written modules against NumPy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.universe import XDSL_UNIVERSE

from ein_mlir.compiler import compile
from ein_mlir.native import native_program

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

from ein_mlir.backends.native import runtime, settings
from ein_mlir.backends.native.machine import host
from ein_mlir.backends.native.program import Binary
from ein_mlir.backends.native.runtime import NativeFunction, library_of

DIALECTS = ("arith", "builtin", "cf", "func", "math", "memref", "scf")


def native(text: str, name: str = "f", **externs: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a module of loops."""
    context = Context()
    for dialect in DIALECTS:
        context.register_dialect(dialect, XDSL_UNIVERSE.all_dialects[dialect])
    module = Parser(context, text).parse_module()
    module.verify()
    assembled = native_program(module)
    binary = Binary(assembled.program, host().compile(assembled.texts))
    return NativeFunction(assembled.program, name, library_of(binary), externs).call


def parallel(indices: str, bounds: str, body: str) -> str:
    """``scf.parallel`` from 0, in steps of 1, in its only form."""
    count = indices.count(",") + 1
    zeros, ones = ", ".join(["%c0"] * count), ", ".join(["%c1"] * count)
    arguments = ", ".join(f"{index.strip()}: index" for index in indices.split(","))
    types = ", ".join(["index"] * (3 * count))
    return f"""
      "scf.parallel"({zeros}, {bounds}, {ones})
          <{{operandSegmentSizes = array<i32: {count}, {count}, {count}, 0>}}> ({{
      ^bb0({arguments}):
        {body}
        scf.reduce
      }}) : ({types}) -> ()
    """


CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""

TWICE = f"""
func.func @f(%a: memref<?x?xf64>, %k: f64, %operands: memref<2xi64>) -> memref<?x?xf64> {{
  {CONSTANTS}
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %m = memref.dim %a, %c1 : memref<?x?xf64>
  %ni = arith.index_cast %n : index to i64
  %mi = arith.index_cast %m : index to i64
  %failed = arith.cmpi ne, %n, %m : index
  scf.if %failed {{
    memref.store %ni, %operands[%c0] : memref<2xi64>
    memref.store %mi, %operands[%c1] : memref<2xi64>
  }}
  %ok = arith.cmpi eq, %n, %m : index
  cf.assert %ok, "{{{{a}}}} is not square: {{0}} != {{1}}"
  %b = memref.alloc(%n, %m) : memref<?x?xf64>
  {
    parallel(
        "%i, %j",
        "%n, %m",
        '''
        %x = memref.load %a[%i, %j] : memref<?x?xf64>
        %y = arith.mulf %x, %k : f64
        memref.store %y, %b[%i, %j] : memref<?x?xf64>
        ''',
    )
}
  func.return %b : memref<?x?xf64>
}}
"""


@pytest.mark.parametrize("n", [0, 1, 2, 7, 64])
def test_arrays(n: int):
    a = np.arange(n * n, dtype=np.float64).reshape(n, n)
    result = native(TWICE)(a, 3.0)
    assert result.shape == (n, n)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, 3 * a)


def test_strided_and_read_only_arguments():
    twice = native(TWICE)
    a = np.arange(64.0).reshape(8, 8)
    np.testing.assert_array_equal(twice(a.T, 2.0), 2 * a.T)
    np.testing.assert_array_equal(twice(a[::2, ::-2], 2.0), 2 * a[::2, ::-2])
    a.flags.writeable = False
    np.testing.assert_array_equal(twice(a, 2.0), 2 * a)


def test_assertions_have_their_numbers():
    twice = native(TWICE)
    with pytest.raises(ValueError, match=r"^\{a\} is not square: 2 != 3$"):
        twice(np.zeros((2, 3)), 1.0)
    np.testing.assert_array_equal(twice(np.ones((1, 1)), 2.0), [[2.0]])


@pytest.mark.parametrize("n", [3, 64])
def test_results_own_their_memory(n: int):
    """Small results are copies, larger ones own the memory that the program has allocated."""
    assert 3 * 3 * 8 < runtime.MOST_COPIED < 64 * 64 * 8
    twice = native(TWICE)
    first = twice(np.ones((n, n)), 1.0)
    assert first.flags.writeable
    view = first[1:]
    del first
    for _ in range(100):
        twice(np.zeros((n, n)), 0.0)
    np.testing.assert_array_equal(view, np.ones((n - 1, n)))


@pytest.mark.parametrize("n", [3, 64])
def test_the_memory_of_results_comes_back(n: int):
    twice, a = native(TWICE), np.ones((n, n))
    settings.release_memory()
    for _ in range(10):
        twice(a, 1.0)
    assert n * n * 8 <= settings.kept_memory() < 2 * n * n * 8 + 256


COPY = """
        %x = memref.load %a[%i] : memref<?xf64>
        memref.store %x, %b[%i] : memref<?xf64>
"""


def test_smaller_buffers_take_released_ones() -> None:
    """A buffer is at most a sixteenth larger than it must be, or a quarter if one is kept."""
    same = native(
        f"""
    func.func @f(%a: memref<?xf64>, %operands: memref<2xi64>) -> memref<?xf64> {{
      {CONSTANTS}
      %n = memref.dim %a, %c0 : memref<?xf64>
      %b = memref.alloc(%n) : memref<?xf64>
      {parallel("%i", "%n", COPY)}
      func.return %b : memref<?xf64>
    }}
    """
    )
    sizes = (9000, 8900, 8000, 7500)
    settings.release_memory()
    same(np.ones(max(sizes)))
    kept = settings.kept_memory()
    assert max(sizes) * 8 <= kept <= max(sizes) * 8 * 17 / 16 + 128
    for size in sizes:
        np.testing.assert_array_equal(same(np.full(size, 2.0)), np.full(size, 2.0))
        assert settings.kept_memory() == kept
    same(np.ones(5000))
    assert settings.kept_memory() > kept


def test_addresses_of_arrays(monkeypatch: pytest.MonkeyPatch):
    a = np.arange(6.0).reshape(2, 3)
    read_only = np.broadcast_to(a, (2, 2, 3))
    for array in (a, a[1:, 1:], a.T, a[:0], read_only, np.array(1.0), a.view(np.recarray)):
        assert runtime._address_in_fields(array) == runtime._address_by_ctypes(array)
    assert runtime._fastest_address() is runtime._address_in_fields
    monkeypatch.setattr(runtime.sys, "implementation", SimpleNamespace(name="another"))
    assert runtime._fastest_address() is runtime._address_by_ctypes


def test_huge_arrays_are_refused():
    zeros = native("""
    func.func @f(%n: i64, %operands: memref<2xi64>) -> memref<?x?xf64> {
      %m = arith.index_cast %n : i64 to index
      %a = memref.alloc(%m, %m) : memref<?x?xf64>
      func.return %a : memref<?x?xf64>
    }
    """)
    for n in (2**30, 2**32, 2**62):
        with pytest.raises(MemoryError):
            zeros(n)


def test_carried_arrays_may_change_places():
    """Two buffers that alternate: the sums of neighbours, k times."""
    steps = native(f"""
    func.func @f(%a: memref<?xf32>, %k: i64, %operands: memref<2xi64>) -> memref<?xf32> {{
      {CONSTANTS}
      %n = memref.dim %a, %c0 : memref<?xf32>
      %count = arith.index_cast %k : i64 to index
      %b = memref.alloc(%n) : memref<?xf32>
      %c = memref.alloc(%n) : memref<?xf32>
      "memref.copy"(%a, %b) : (memref<?xf32>, memref<?xf32>) -> ()
      %last, %spare = scf.for %s = %c0 to %count step %c1 iter_args(%x = %b, %y = %c)
          -> (memref<?xf32>, memref<?xf32>) {{
        {
        parallel(
            "%i",
            "%n",
            '''
            %previous = arith.subi %i, %c1 : index
            %p = arith.maxsi %previous, %c0 : index
            %u = memref.load %x[%p] : memref<?xf32>
            %v = memref.load %x[%i] : memref<?xf32>
            %w = arith.addf %u, %v : f32
            memref.store %w, %y[%i] : memref<?xf32>
            ''',
        )
    }
        scf.yield %y, %x : memref<?xf32>, memref<?xf32>
      }}
      memref.dealloc %spare : memref<?xf32>
      func.return %last : memref<?xf32>
    }}
    """)
    expected = np.arange(9, dtype=np.float32)
    for k in range(4):
        np.testing.assert_array_equal(steps(np.arange(9, dtype=np.float32), k), expected)
        expected = expected + expected[np.maximum(np.arange(9) - 1, 0)]


def test_branches_loops_and_truth_values():
    """The position of the first true element, and the negated array."""
    first = native(f"""
    func.func @f(%a: memref<?xi1>, %operands: memref<2xi64>) -> (memref<?xi1>, i64, i1) {{
      {CONSTANTS}
      %n = memref.dim %a, %c0 : memref<?xi1>
      %true = arith.constant true
      %b = memref.alloc(%n) : memref<?xi1>
      scf.for %i = %c0 to %n step %c1 {{
        %x = memref.load %a[%i] : memref<?xi1>
        %y = arith.xori %x, %true : i1
        memref.store %y, %b[%i] : memref<?xi1>
      }}
      %place = scf.while (%k = %c0) : (index) -> index {{
        %inside = arith.cmpi slt, %k, %n : index
        %more = scf.if %inside -> (i1) {{
          %y = memref.load %b[%k] : memref<?xi1>
          scf.yield %y : i1
        }} else {{
          %no = arith.constant false
          scf.yield %no : i1
        }}
        scf.condition(%more) %k : index
      }} do {{
      ^bb0(%k: index):
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }}
      %at = arith.index_cast %place : index to i64
      %found = arith.cmpi slt, %place, %n : index
      func.return %b, %at, %found : memref<?xi1>, i64, i1
    }}
    """)
    for values in ([], [True], [False, False, True], [False]):
        a = np.array(values, dtype=bool)
        negated, at, found = first(a)
        np.testing.assert_array_equal(negated, ~a)
        assert at == (values.index(True) if True in values else len(values))
        assert found == (True in values)
        assert type(found) is np.bool_


def test_views():
    """The sum of row 1 and of column 2, written over row 0 of a copy."""
    rows = native(f"""
    func.func @f(%a: memref<?x?xi32>, %operands: memref<2xi64>) -> memref<?x?xi32> {{
      {CONSTANTS}
      %c2 = arith.constant 2 : index
      %n = memref.dim %a, %c0 : memref<?x?xi32>
      %m = memref.dim %a, %c1 : memref<?x?xi32>
      %b = memref.alloc(%n, %m) : memref<?x?xi32>
      "memref.copy"(%a, %b) : (memref<?x?xi32>, memref<?x?xi32>) -> ()
      %row = memref.subview %a[%c1, 0] [1, %m] [1, 1]
          : memref<?x?xi32> to memref<?xi32, strided<[1], offset: ?>>
      %column = memref.subview %a[0, %c2] [%n, 1] [1, 1]
          : memref<?x?xi32> to memref<?xi32, strided<[?], offset: ?>>
      %target = memref.subview %b[0, 0] [1, %m] [1, 1]
          : memref<?x?xi32> to memref<1x?xi32, strided<[?, 1]>>
      scf.for %i = %c0 to %m step %c1 {{
        %x = memref.load %row[%i] : memref<?xi32, strided<[1], offset: ?>>
        %y = memref.load %column[%i] : memref<?xi32, strided<[?], offset: ?>>
        %z = arith.addi %x, %y : i32
        memref.store %z, %target[%c0, %i] : memref<1x?xi32, strided<[?, 1]>>
      }}
      func.return %b : memref<?x?xi32>
    }}
    """)
    a = np.arange(25, dtype=np.int32).reshape(5, 5)
    expected = a.copy()
    expected[0] = a[1] + a[:, 2]
    np.testing.assert_array_equal(rows(a), expected)


def test_calls_and_extrinsics():
    """A function of the module that calls one of the host program."""
    seen = list[Any]()

    def double(array: Any, number: Any) -> Any:
        seen.append((array, number))
        return array * number

    f = native(
        """
    func.func private @double(memref<?xf64>, f64) -> memref<?xf64>
    func.func @g(%a: memref<?xf64>, %n: i32, %operands: memref<2xi64>) -> (memref<?xf64>, i32) {
      %k = arith.sitofp %n : i32 to f64
      %b = func.call @double(%a, %k) : (memref<?xf64>, f64) -> memref<?xf64>
      %ok = arith.cmpi sgt, %n, %n : i32
      func.return %b, %n : memref<?xf64>, i32
    }
    func.func @f(%a: memref<?xf64>, %n: i32, %operands: memref<2xi64>) -> (memref<?xf64>, i32) {
      %b, %m = func.call @g(%a, %n, %operands)
          : (memref<?xf64>, i32, memref<2xi64>) -> (memref<?xf64>, i32)
      func.return %b, %m : memref<?xf64>, i32
    }
    """,
        double=double,
    )
    result, n = f(np.arange(3.0), np.int32(-2))
    np.testing.assert_array_equal(result, [0, -2, -4])
    assert n == -2
    np.testing.assert_array_equal(seen[0][0], np.arange(3.0))


def test_an_extrinsic_that_raises():
    def broken(array: Any) -> Any:
        raise KeyError("no")

    f = native(
        """
    func.func private @broken(memref<?xf64>) -> memref<?xf64>
    func.func @f(%a: memref<?xf64>, %operands: memref<2xi64>) -> memref<?xf64> {
      %b = func.call @broken(%a) : (memref<?xf64>) -> memref<?xf64>
      func.return %b : memref<?xf64>
    }
    """,
        broken=broken,
    )
    for _ in range(2):
        with pytest.raises(KeyError, match="no"):
            f(np.ones(2))


@pytest.mark.parametrize("where", ["before a loop", "in a loop"])
def test_a_failing_call_releases_its_memory(where: str):
    """A buffer of the call, and one of each step of a loop that threads may share."""
    check = """
        %positive = arith.cmpi sgt, %n, %n : index
        cf.assert %positive, "no"
    """
    step = """
        %b = memref.alloc(%n) : memref<?xf64>
        %x = memref.load %a[%i] : memref<?xf64>
        memref.store %x, %b[%i] : memref<?xf64>
    """
    inside = where == "in a loop"
    f = native(
        f"""
    func.func @f(%n: i64, %operands: memref<2xi64>) -> memref<?xf64> {{
      {CONSTANTS}
      %n0 = arith.index_cast %n : i64 to index
      %a = memref.alloc(%n0) : memref<?xf64>
      {check.replace("%n,", "%n0,").replace("%n ", "%n0 ") if not inside else ""}
      {parallel("%i", "%n0", (step + check).replace("%n", "%n0") if inside else step)}
      func.return %a : memref<?xf64>
    }}
    """.replace("memref.alloc(%n)", "memref.alloc(%n0)")
    )
    settings.release_memory()
    kept = list[int]()
    for _ in range(4):
        with pytest.raises(ValueError, match=r"^no$"):
            f(5000)
        kept.append(settings.kept_memory())
    assert kept[0] >= 5000 * 8
    assert kept == [kept[0]] * 4


FRAGMENTED = """
import mmap
import numpy as np
from ein_mlir import array, fold_sum, function

pages = [mmap.mmap(-1, mmap.PAGESIZE) for _ in range(400)]
rest = mmap.mmap(-1, 2**34, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
for page in pages[::2]:
    page.close()

@function
def distances(a, b):
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - b[k, j]).exp()))

print(distances.eval(np.ones((3, 3)), np.ones((3, 3)), backend="native").sum())
"""
"""The next page of memory is 16 GiB from the next two pages."""


@pytest.mark.one_turn
@pytest.mark.skipif(sys.platform != "linux", reason="memory is laid out otherwise")
def test_code_is_loaded_where_free_memory_is_in_pieces() -> None:
    command = [sys.executable, "-c", FRAGMENTED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "27.0\n", done.stderr


@pytest.mark.parametrize("values", [[], [np.nan], [1, np.nan, 3, np.nan, -5], range(40)])
@pytest.mark.parametrize("start", [np.nan, 1.0])
def test_extremes_of_numbers_at_a_stride(values: Sequence[float], start: float):
    module = """
    func.func @f(%a: !phi.vec<f32>, %x: f32) -> f32 {
      %n = phi.size %a, 0 : !phi.vec<f32>
      %two = arith.constant 2 : i64
      %m = phi.fold (%k < %n, %acc = %x) -> f32 {
        %p = arith.muli %two, %k : i64
        %v = phi.get %a[%p] : !phi.vec<f32>[i64]
        %next = arith.maxnumf %acc, %v : f32
        phi.yield %next : f32
      }
      func.return %m : f32
    }
    """
    arguments = np.array(values, np.float32), np.float32(start)
    expected = compile(module, backend="naive")(*arguments)
    np.testing.assert_equal(compile(module, backend="native")(*arguments), expected)
