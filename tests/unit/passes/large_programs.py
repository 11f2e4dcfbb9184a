"""Large programs of phi, for passes whose time must be linear, and the outcome of random ones."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ein_mlir.entry import parse
from ein_mlir.interpreters import run
from tests.fuzzing.phi import arguments, fingerprint


def nests(operations: int) -> ModuleOp:
    """About as many operations, in folds in comprehensions, some shared and some invariant."""
    nest = """
      %a{k} = phi.array (%i{k} < %n) -> !phi.vec<i64> {{
        %c{k} = arith.index_cast %i{k} : index to i64
        %s{k} = phi.fold (%k{k} < %n, %x{k} = %c{k}) -> i64 {{
          %p{k} = arith.muli %n, %m{k} : i64
          %q{k} = arith.addi %p{k}, %k{k} : i64
          %r{k} = arith.muli %n, %n : i64
          %t{k} = arith.addi %q{k}, %r{k} : i64
          %u{k} = arith.addi %t{k}, %x{k} : i64
          phi.yield %u{k} : i64
        }}
        phi.yield %s{k} : i64
      }}
      %m{l} = phi.get %a{k}[%m{k}] : !phi.vec<i64>[i64]"""
    count = operations // 11
    body = "".join(nest.format(k=k, l=k + 1) for k in range(count))
    return parse(f"func.func @f(%n: i64, %m0: i64) -> i64 {{{body}\nfunc.return %m{count} : i64 }}")


def chains(operations: int) -> ModuleOp:
    """About as many operations, in comprehensions that read elements of the one before."""
    link = """
      %a{l} = phi.array (%i{k} < %n) -> !phi.vec<f64> {{
        %j{k} = phi.get %p[%i{k}] : !phi.vec<i64>[index]
        %x{k} = phi.get %a{k}[%i{k}] : !phi.vec<f64>[index]
        %y{k} = phi.get %a{k}[%j{k}] : !phi.vec<f64>[i64]
        %z{k} = arith.addf %x{k}, %y{k} : f64
        phi.yield %z{k} : f64
      }}"""
    count = operations // 6
    body = "".join(link.format(k=k, l=k + 1) for k in range(count))
    return parse(f"""
      func.func @f(%p: !phi.vec<i64>, %a0: !phi.vec<f64>) -> !phi.vec<f64> {{
        %n = phi.size %p, 0 : !phi.vec<i64>{body}
        func.return %a{count} : !phi.vec<f64>
      }}""")


def applied(pass_: ModulePass) -> Callable[[ModuleOp], object]:
    """A pass as a function of the module that it changes."""
    return lambda module: pass_.apply(Context(), module)


def assert_near_linear(
    work: Callable[[ModuleOp], object],
    prepare: Callable[[ModuleOp], object] = lambda _: None,
    program: Callable[[int], ModuleOp] = nests,
) -> None:
    """Eight times the program, 2,000 operations, takes far less than 64 times the time.

    Searches for garbage do not count: they visit the objects of all tests before.
    """

    def seconds(operations: int, runs: int) -> float:
        times = list[float]()
        for _ in range(runs):
            module = program(operations)
            prepare(module)
            gc.disable()
            try:
                start = time.process_time()
                work(module)
                times.append(time.process_time() - start)
            finally:
                gc.enable()
        return min(times)

    small = seconds(250, runs=3)
    assert seconds(2_000, runs=1) < 24 * small


def outcome(module: ModuleOp, size: int, n: int) -> object:
    """The results of a random program; None if it raises an error."""
    try:
        return fingerprint(run(module, "f", arguments(size, n)))
    except ValueError:
        return None
