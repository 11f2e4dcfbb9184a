"""A module as several texts, which LLVM compiles independently of each other.

A function stays with those that extend its name, as ``loop.f.0.threaded`` extends ``loop.f.0``.
Such a group is declared in the parts that use it, so that internal functions become hidden: they
are visible in all parts of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from ein_mlir.targets.llvm_ir.printer import (
    declaration,
    definition,
    functions_of,
    joined,
    symbol_of,
)

MOST_PARTS = 4
LEAST_WORK = 500
"""The least work of a part: to compile it takes much longer than to start a thread."""
_WORK_OF_A_LOOP = 100
"""The lines that take LLVM as long as a loop, which it vectorises and unrolls."""

_SYMBOL = re.compile(r'@(?:"[^"]*"|[\w.]+)')
_EXTERNAL = llvm.LinkageAttr("external")
_HIDDEN = IntegerAttr(1, 64)


def llvm_ir_parts(module: ModuleOp) -> Sequence[str]:
    """The texts of a module whose functions are in the ``llvm`` dialect; it is changed.

    The parts do not depend on the machine. Raises DiagnosticException for other operations.
    """
    functions = functions_of(module)
    for function in functions:
        if function.linkage.linkage.data == "internal":
            function.linkage, function.visibility_ = _EXTERNAL, _HIDDEN
    groups = _grouped(function for function in functions if function.body.blocks)
    homes = {symbol_of(function): group for group in groups for function in group.functions}
    libraries = [function for function in functions if not function.body.blocks]
    declared = {symbol_of(function): declaration(function) for function in libraries}
    count = min(MOST_PARTS, sum(group.work for group in groups) // LEAST_WORK)
    return [_text(part, homes, declared) for part in _shared_out(groups, max(count, 1))]


@dataclass(eq=False)
class _Group:
    """Functions that stay together."""

    functions: list[llvm.FuncOp] = field(default_factory=list[llvm.FuncOp])
    texts: list[str] = field(default_factory=list[str])
    intrinsics: dict[str, str] = field(default_factory=dict[str, str])

    @cached_property
    def work(self) -> int:
        """The time that LLVM takes for them, in lines without loops."""
        return sum(map(_work, self.texts))


def _work(text: str) -> int:
    return text.count("\n") + _WORK_OF_A_LOOP * text.count(" = phi ")


def _grouped(functions: Iterable[llvm.FuncOp]) -> Sequence[_Group]:
    groups = dict[str, _Group]()
    for function in functions:
        name = function.sym_name.data
        stem, _, _ = name.rpartition(".")
        group = groups.setdefault(stem if stem in groups else name, _Group())
        group.functions.append(function)
        group.texts.append(definition(function, group.intrinsics))
    return list(groups.values())


def _shared_out(groups: Iterable[_Group], count: int) -> Sequence[Sequence[_Group]]:
    """The groups in parts of about the same work, those with most work first."""
    parts = [list[_Group]() for _ in range(count)]
    work = [0] * count
    for group in sorted(groups, key=lambda group: -group.work):
        least = work.index(min(work))
        parts[least].append(group)
        work[least] += group.work
    order = sorted(range(count), key=lambda number: -work[number])
    return [parts[number] for number in order if parts[number]]


def _text(part: Sequence[_Group], homes: Mapping[str, _Group], declared: Mapping[str, str]) -> str:
    """The text of some groups, with declarations of all that they use."""
    used = dict[str, str]()
    for group in part:
        used |= group.intrinsics
        for symbol in dict.fromkeys(_SYMBOL.findall("".join(group.texts))):
            if symbol in declared:
                used[symbol] = declared[symbol]
            elif (home := homes.get(symbol)) is not None and home not in part:
                used |= {symbol_of(f): declaration(f) for f in home.functions}
    return joined(used, [text for group in part for text in group.texts])
