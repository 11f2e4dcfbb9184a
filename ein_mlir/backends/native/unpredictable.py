"""Choices that depend on the step before, as instructions without a branch.

LLVM's generator of machine code makes branches of the choices in a chain, unless these are marked
as unpredictable. Its passes make functions of choices between a value and a greater one, which
lose the mark. So it is set after them.
"""

from __future__ import annotations

import re

from ein_mlir.backends.native.abi import UNPREDICTABLE

MARK = "unpredictable"
"""The metadata of LLVM."""

_NODE = re.compile(rf"^!{re.escape(UNPREDICTABLE)} = !\{{!(\d+)\}}$", re.MULTILINE)
_EXTREME = re.compile(
    r"%(?P<name>[\w.]+) = (?:tail )?call (?:range\([^)]*\) )?(?P<type>i\d+) "
    r"@llvm\.(?P<sign>[su])(?P<kind>max|min)\.i\d+"
    r"\(i\d+ (?P<first>[\w.%-]+), i\d+ (?P<second>[\w.%-]+)\)[^\n]*"
)
_PREDICATES = {"max": "gt", "min": "lt"}


def has_choices(text: str) -> bool:
    """Whether a text for LLVM has marked choices."""
    return f"!{UNPREDICTABLE} = " in text


def with_marks(text: str) -> str:
    r"""A text with its minima and maxima of numbers as marked choices.

    >>> text = "%3 = tail call i64 @llvm.smax.i64(i64 %2, i64 -1)\n!ein.unpredictable = !{!0}"
    >>> print(with_marks(text).splitlines()[0])
    %test.3 = icmp sgt i64 %2, -1
    >>> print(with_marks(text).splitlines()[1])
    %3 = select i1 %test.3, i64 %2, i64 -1, !unpredictable !0
    """
    node = _NODE.search(text)
    assert node is not None
    return _EXTREME.sub(lambda extreme: _choice(extreme, node[1]), text)


def _choice(extreme: re.Match[str], node: str) -> str:
    name, type_, first, second = extreme.group("name", "type", "first", "second")
    test = f"{extreme['sign']}{_PREDICATES[extreme['kind']]}"
    return (
        f"%test.{name} = icmp {test} {type_} {first}, {second}\n"
        f"%{name} = select i1 %test.{name}, {type_} {first}, {type_} {second}, !{MARK} !{node}"
    )
