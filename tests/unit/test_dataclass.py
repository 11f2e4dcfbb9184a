"""Dataclasses whose methods are compiled when they are first called are those of Python."""

import copy
import dataclasses
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ein_mlir.host import dataclass as late


def late_if_simple(cls: Any = None, /, **options: bool) -> Any:
    decorated = partial(late.late_if_simple, **options)
    return decorated if cls is None else decorated(cls)


both = pytest.mark.parametrize("dataclass", [late.dataclass, late_if_simple, dataclasses.dataclass])


def point(dataclass: Callable[..., Any], **options: Any) -> Any:
    @dataclass(**options)
    class Point:
        """A point."""

        COUNT: ClassVar[int] = 3
        x: int
        y: Any = 2
        names: list[str] = field(default_factory=list[str])
        hidden: int = field(default=7, repr=False, compare=False)

        def sum(self) -> int:
            return self.x + self.y

    return Point


def raised(action: Callable[[Any], Any], dataclass: Callable[..., Any]) -> str:
    with pytest.raises(Exception, match=r".") as error:
        action(point(dataclass, frozen=True))
    return f"{type(error.value).__name__}: {error.value}"


@both
@pytest.mark.parametrize("frozen", [False, True])
def test_fields_defaults_and_comparisons(dataclass: Any, frozen: bool) -> None:
    Point = point(dataclass, frozen=frozen)
    assert [each.name for each in dataclasses.fields(Point)] == ["x", "y", "names", "hidden"]
    assert Point.__match_args__ == ("x", "y", "names", "hidden")
    a, b = Point(1), Point(1, hidden=8)
    assert a == b
    assert a != Point(1, 3)
    assert a != (1, 2, [], 7)
    assert (a.hidden, b.hidden, a.sum(), Point.COUNT) == (7, 8, 3, 3)
    assert a.names is not b.names
    assert repr(a).endswith("Point(x=1, y=2, names=[])")
    assert dataclasses.replace(a, y=5) == Point(1, 5)
    assert dataclasses.astuple(b) == (1, 2, [], 8)
    assert copy.deepcopy(a) == a
    match b:
        case Point(x, y):
            assert (x, y) == (1, 2)
    assert not hasattr(Point, "names")
    assert Point.hidden == 7


@pytest.mark.parametrize(
    "action",
    [
        lambda cls: cls(),
        lambda cls: cls(1, 2, 3, 4, 5),
        lambda cls: cls(1, z=2),
        lambda cls: setattr(cls(1), "x", 2),
        lambda cls: setattr(cls(1), "other", 2),
        lambda cls: delattr(cls(1), "x"),
        lambda cls: hash(cls(1)),
    ],
)
def test_errors_are_the_same(action: Callable[[Any], Any]) -> None:
    assert raised(action, late.dataclass) == raised(action, dataclasses.dataclass)


@both
def test_hashes(dataclass: Any) -> None:
    @dataclass(frozen=True)
    class Frozen:
        a: int
        b: tuple[int, ...] = ()

    @dataclass
    class Mutable:
        a: int

    @dataclass(frozen=True)
    class Own:
        a: int
        b: int = 0

        def __hash__(self) -> int:
            return 5

    @dataclass(eq=False)
    class Same:
        a: int

    assert len({Frozen(1), Frozen(1), Frozen(2)}) == 2
    assert hash(Own(1)) == 5
    assert Own(1) == Own(1)
    assert Same(1) != Same(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Mutable(1))


@both
def test_bases(dataclass: Any) -> None:
    @dataclass(frozen=True)
    class Base:
        a: int
        b: int = 2

    @dataclass(frozen=True)
    class Derived(Base):
        b: int = 3
        c: int = 4

        def __post_init__(self) -> None:
            assert self.c

    class Plain(Derived):
        def __init__(self) -> None:
            super().__init__(1)
            self.more = 7

    assert Derived(1).b == 3
    assert dataclasses.astuple(Derived(1, 5)) == (1, 5, 4)
    assert Derived(1) != Base(1)
    assert Plain().more == 7
    assert Base(1) == Base(1, 2)


@both
def test_frozen_subclasses_of_classes_of_the_standard_library(dataclass: Any) -> None:
    @dataclasses.dataclass(frozen=True)
    class Standard:
        a: int = 1

    @dataclass(frozen=True)
    class Late(Standard):
        b: int = 2

    assert dataclasses.astuple(Late(b=3)) == (1, 3)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'b'"):
        Late().b = 4


@both
def test_bases_of_classes_of_the_standard_library(dataclass: Any) -> None:
    @dataclass(frozen=True)
    class Base:
        a: int

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Standard(Base):
        b: int = 2

    assert dataclasses.astuple(Standard(1, b=3)) == (1, 3)
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        dataclasses.dataclass(type("Mutable", (Base,), {}))


@pytest.mark.parametrize("dataclass", [late_if_simple, dataclasses.dataclass])
def test_options_of_other_packages(dataclass: Any) -> None:
    @dataclass(init=False, repr=False, eq=False)
    class Own:
        a: int

        def __init__(self) -> None:
            self.a = 5

    @dataclass(order=True, unsafe_hash=True)
    class Ordered:
        a: int

    assert Own().a == 5
    assert Own() != Own()
    assert repr(Own()).startswith("<")
    assert Ordered(1) < Ordered(2)
    assert hash(Ordered(1)) == hash(Ordered(1))


def test_loading_xdsl_leaves_other_modules_as_they_are() -> None:
    """In a process of its own: it has neither the classes of xDSL before, nor others' after."""
    program = """
import dataclasses
standard = dataclasses.dataclass
from ein_mlir.host.late_xdsl import load_xdsl
load_xdsl()
assert dataclasses.dataclass is standard
import xdsl.irdl
assert xdsl.irdl.irdl_op_definition.__module__ == "xdsl.irdl.operations"
from xdsl.ir.core import dataclass
assert dataclass is not standard
@dataclass
class Other:
    a: int
assert Other.__init__.__code__.co_filename == "<string>"
from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.dialects.builtin import IntegerType
one = ConstantOp.from_int_and_width(1, 64)
assert str(AddiOp(one, one)) == "%0 = arith.addi %1, %1 : i64"
assert IntegerType(7) == IntegerType(7) != IntegerType(8)
assert hash(IntegerType(7)) == hash(IntegerType(7))
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@late.dataclass(frozen=True)
class Pickled:
    a: int


def test_instances_that_are_not_made_by_a_call() -> None:
    @late.dataclass(frozen=True)
    class Unmade:
        a: int

    first, second = object.__new__(Unmade), object.__new__(Unmade)
    for each in first, second:
        object.__setattr__(each, "a", 1)
    assert first == second
    assert hash(first) == hash(second)
    assert pickle.loads(pickle.dumps(Pickled(1))) == Pickled(1)


def test_threads_that_make_the_first_instances() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(50):
                cls = point(late.dataclass, frozen=True)
                made = list(pool.map(lambda k, cls=cls: cls(k, names=[]), range(8)))
                assert made == [cls(k) for k in range(8)]
    finally:
        sys.setswitchinterval(interval)


def test_all_dataclasses_of_the_package_are_such() -> None:
    """Others would make the first program of a process slower."""
    package = Path(late.__file__).parents[1]
    modules = set(package.rglob("*.py")) - {Path(late.__file__)}
    eager = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    assert not [module for module in modules if eager.search(module.read_text(encoding="utf-8"))]
