"""Each rule of the judgement, and invalid conclusions."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, classes_of, terms_of

Find = Callable[[ModuleOp, str], SSAValue]
MATRIX = "!phi.vec<!phi.vec<f64>>"
CUBE = "!phi.vec<!phi.vec<!phi.vec<f64>>>"
PAIRS = "!phi.vec<tuple<f64, i64>>"


def same(module: ModuleOp, value: Find, *terms: str) -> bool:
    """Whether terms are equal: `n` an Int, `a.1` a size, `t/0.1` a size of a record's field."""
    equivalence = SizeEquivalence(module)

    def term(text: str) -> Term:
        text, _, axis = text.partition(".")
        name, *path = text.split("/")
        return Term(value(module, name), tuple(map(int, path)), int(axis) if axis else None)

    first, *rest = map(term, terms)
    return all(equivalence.same(first, other) for other in rest)


@pytest.fixture
def in_function(program: Callable[[str], ModuleOp]) -> Callable[..., ModuleOp]:
    """`in_function(body, **arguments)`: a module of one function."""

    def in_function(body: str, **arguments: str) -> ModuleOp:
        header = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
        return program(f"func.func @f({header}) {{\n{body}\nfunc.return\n}}")

    return in_function


def test_size(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(f"%n = phi.size %a, 1 : {MATRIX}", a=MATRIX)
    assert same(module, value, "n", "a.1")
    assert not same(module, value, "n", "a.0")


def test_comprehension(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(
        f"""
        %b = phi.array (%i < %n, %j < %m) -> {CUBE} {{
          %row = phi.get %a[%i] : {MATRIX}[index]
          phi.yield %row : !phi.vec<f64>
        }}""",
        a=MATRIX,
        n="i64",
        m="i64",
    )
    assert same(module, value, "b.0", "n")
    assert same(module, value, "b.1", "m")
    assert same(module, value, "b.2", "row.0", "a.1")
    assert not same(module, value, "n", "m")


def test_record_of_arrays(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(
        f"""
        %b = phi.array (%i < %n) -> tuple<!phi.vec<f64>, {MATRIX}> {{
          %t = phi.tuple (%x, %v) : tuple<f64, !phi.vec<f64>>
          phi.yield %t : tuple<f64, !phi.vec<f64>>
        }}
        %first = phi.proj %b, 0 : tuple<!phi.vec<f64>, {MATRIX}> -> !phi.vec<f64>""",
        v="!phi.vec<f64>",
        x="f64",
        n="i64",
    )
    assert same(module, value, "n", "b/0.0", "b/1.0", "first.0")
    assert same(module, value, "v.0", "b/1.1")


def test_array_of_records(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(
        f"""
        %n = phi.size %a, 0 : {PAIRS}
        %b = phi.array (%i < %n) -> {PAIRS} {{
          %x = phi.get %a[%i] : {PAIRS}[index]
          phi.yield %x : tuple<f64, i64>
        }}""",
        a=PAIRS,
    )
    assert same(module, value, "n", "a.0", "b.0")


def test_indexing(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(f"%b = phi.get %a[%n, %n] : {CUBE}[i64, i64]", a=CUBE, n="i64")
    assert same(module, value, "b.0", "a.2")
    assert not same(module, value, "b.0", "a.1")


def test_concatenation(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(f"%c = phi.concat %a, %b : {MATRIX}", a=MATRIX, b=MATRIX)
    assert same(module, value, "c.1", "a.1")
    assert not same(module, value, "c.0", "a.0")
    assert not same(module, value, "c.0", "b.0")


def test_assertion(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function('%k = phi.assert_eq %n, %m, "n, m"', n="i64", m="i64")
    assert same(module, value, "k", "n", "m")


def test_records(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(
        """
        %s = phi.tuple (%a, %n) : tuple<!phi.vec<f64>, i64>
        %t = phi.tuple (%s, %n) : tuple<tuple<!phi.vec<f64>, i64>, i64>
        %p = phi.proj %t, 0 : tuple<tuple<!phi.vec<f64>, i64>, i64> -> tuple<!phi.vec<f64>, i64>
        %b = phi.proj %p, 0 : tuple<!phi.vec<f64>, i64> -> !phi.vec<f64>
        %m = phi.proj %p, 1 : tuple<!phi.vec<f64>, i64> -> i64""",
        a="!phi.vec<f64>",
        n="i64",
    )
    assert same(module, value, "a.0", "b.0", "t/0/0.0")
    assert same(module, value, "n", "m")


@pytest.mark.parametrize(
    ("step", "kept"),
    [
        ("%next = phi.array (%i < %n) -> !phi.vec<f64> {\nphi.yield %x : f64\n}", True),
        ("%m = phi.size %acc, 0 : !phi.vec<f64>\n"
         "%next = phi.array (%i < %m) -> !phi.vec<f64> {\nphi.yield %x : f64\n}", True),
        ("%next = phi.concat %acc, %a : !phi.vec<f64>", False),
        ("%next = phi.array (%i < %k) -> !phi.vec<f64> {\nphi.yield %x : f64\n}", False),
    ],
    ids=["as at the start", "as before the step", "grows", "of another size"],
)  # fmt: skip
def test_fold(in_function: Callable[..., ModuleOp], value: Find, step: str, kept: bool):
    module = in_function(
        f"""
        %n = phi.size %a, 0 : !phi.vec<f64>
        %r = phi.fold (%k < %count, %acc = %a) -> !phi.vec<f64> {{
          {step}
          phi.yield %next : !phi.vec<f64>
        }}""",
        a="!phi.vec<f64>",
        count="i64",
        x="f64",
    )
    assert same(module, value, "r.0", "a.0") == kept
    assert same(module, value, "acc.0", "a.0") == kept


def test_fold_whose_step_keeps_only_one_axis(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(
        f"""
        %r = phi.fold (%k < %count, %acc = %a) -> {MATRIX} {{
          %next = phi.concat %acc, %acc : {MATRIX}
          phi.yield %next : {MATRIX}
        }}""",
        a=MATRIX,
        count="i64",
    )
    assert same(module, value, "r.1", "a.1", "acc.1")
    assert not same(module, value, "r.0", "a.0")


def test_nested_folds(in_function: Callable[..., ModuleOp], value: Find):
    """The sizes kept by the inner fold follow from those kept by the outer one, and vice versa."""
    module = in_function(
        """
        %r = phi.fold (%k < %count, %acc = %a) -> !phi.vec<f64> {
          %s = phi.fold (%l < %count, %inner = %acc) -> !phi.vec<f64> {
            %n = phi.size %inner, 0 : !phi.vec<f64>
            %next = phi.array (%i < %n) -> !phi.vec<f64> {
              phi.yield %x : f64
            }
            phi.yield %next : !phi.vec<f64>
          }
          phi.yield %s : !phi.vec<f64>
        }""",
        a="!phi.vec<f64>",
        count="i64",
        x="f64",
    )
    assert same(module, value, "a.0", "r.0", "s.0", "n", "next.0")


def test_reduction(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(
        """
        %n = phi.size %z, 0 : !phi.vec<f64>
        %r = phi.reduce %a identity %z by (%x, %y) -> !phi.vec<f64> {
          %next = phi.array (%i < %n) -> !phi.vec<f64> {
            %p = phi.get %x[%i] : !phi.vec<f64>[index]
            phi.yield %p : f64
          }
          phi.yield %next : !phi.vec<f64>
        }""",
        a=MATRIX,
        z="!phi.vec<f64>",
    )
    assert same(module, value, "r.0", "z.0", "x.0", "y.0", "next.0")


def test_congruence(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function(
        """
        %k = phi.assert_eq %n, %m, "n, m"
        %one = arith.constant 1 : i64
        %uno = arith.constant 1 : i64
        %a = arith.subi %n, %one : i64
        %b = arith.subi %m, %uno : i64
        %c = arith.subi %uno, %m : i64
        %d = arith.addi %m, %uno : i64""",
        n="i64",
        m="i64",
    )
    assert same(module, value, "one", "uno")
    assert same(module, value, "a", "b")
    assert not same(module, value, "a", "c")
    assert not same(module, value, "a", "d")


def test_equal_operations_of_different_types_differ(
    in_function: Callable[..., ModuleOp], value: Find
):
    module = in_function(
        """
        %a = arith.trunci %n : i64 to i32
        %b = arith.trunci %n : i64 to i1
        %c = arith.extui %a : i32 to i64
        %d = arith.extui %b : i1 to i64""",
        n="i64",
    )
    assert not same(module, value, "a", "b")
    assert not same(module, value, "c", "d")


def test_comparisons_with_different_predicates_differ(
    in_function: Callable[..., ModuleOp], value: Find
):
    module = in_function(
        "%a = arith.cmpi slt, %n, %m : i64\n%b = arith.cmpi sgt, %n, %m : i64", n="i64", m="i64"
    )
    assert not same(module, value, "a", "b")


def test_classes(in_function: Callable[..., ModuleOp], value: Find):
    module = in_function("%n = phi.size %a, 0 : !phi.vec<f64>", a="!phi.vec<f64>", m="i64")
    a, m, n = (value(module, name) for name in "amn")
    terms = [term for each in (a, m, n) for term in terms_of(each)]
    assert classes_of(SizeEquivalence(module), terms) == [[Term(a, (), 0), Term(n)], [Term(m)]]
