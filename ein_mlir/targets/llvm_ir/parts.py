"""A module as several texts, which LLVM compiles independently of each other.

A function stays with those that extend its name, as ``loop.f.0.threaded`` extends ``loop.f.0``.
Such a group is declared in the parts that use it, so that internal functions become hidden: they
are visible in all parts of the program. Functions of numbers alone, such as a sine, are copied into
all parts that use them, since LLVM inlines them in loops.

Functions that are compiled late have texts of their own, and a stand-in in one of the others: it
asks the host program for their address when it is first called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import count

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.backends.native.program import LatePart
from ein_mlir.host.dataclass import dataclass
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
_WEAK = llvm.LinkageAttr("weak_odr")
_HIDDEN = IntegerAttr(1, 64)


def all_parts(module: ModuleOp) -> tuple[Sequence[str], Sequence[LatePart]]:
    """The texts of a module that is changed, and those of its functions that are compiled late.

    The parts do not depend on the machine. Raises DiagnosticException if functions have operations
    of other dialects than ``llvm``.
    """
    functions = functions_of(module)
    for function in functions:
        if not _is_of_numbers(function):
            if _is_internal(function):
                function.linkage = _EXTERNAL
                if not _is_called_late(function):
                    function.visibility_ = _HIDDEN
        elif not _is_internal(function):
            # LLVM keeps its several copies until loops are vectorised, and the linker one of them.
            function.linkage = _WEAK
    every = _grouped(function for function in functions if function.body.blocks)
    homes = {symbol_of(function): group for group in every for function in group.functions}
    groups = [group for group in every if not group.is_of_numbers and group.part is None]
    libraries = [function for function in functions if not function.body.blocks]
    declared = {symbol_of(function): declaration(function) for function in libraries}
    late = dict[int, list[_Group]]()
    for group in every:
        if group.part is not None:
            late.setdefault(group.part, []).append(group)
    parts, stand_ins = list[LatePart](), dict[str, _Group]()
    for part in late.values():
        called = [f for group in part for f in group.functions if _is_called_late(f)]
        for function in called:
            stand_ins[symbol_of(function)] = _stand_in(function, len(stand_ins))
        symbols = tuple(function.sym_name.data for function in called)
        parts.append(LatePart(symbols, tuple(_texts(part, homes, declared))))
    groups += stand_ins.values()
    return _texts(groups, {**homes, **stand_ins}, declared), parts


def _texts(
    groups: Sequence[_Group], homes: Mapping[str, _Group], declared: Mapping[str, str]
) -> Sequence[str]:
    """The texts of some groups, which are compiled at the same time."""
    return [_text(part, homes, declared) for part in _shared_out(groups)]


def _stand_in(function: llvm.FuncOp, number: int) -> _Group:
    """A function in place of one that is compiled late."""
    symbol = symbol_of(function)
    text = _STAND_IN.format(symbol=symbol, number=number, code=abi.LATE - number)
    return _Group([function], [text], {f"@{abi.EXTERN}": _EXTERN})


_EXTERN = f"declare i64 @{abi.EXTERN}(ptr, i64, ptr)"
_STAND_IN = f"""\
@late.{{number}} = internal global ptr null

define hidden i64 {{symbol}}(ptr %call, ptr %context, i64 %low, i64 %high) noinline optnone {{{{
  %known = load atomic ptr, ptr @late.{{number}} acquire, align 8
  %is.known = icmp ne ptr %known, null
  br i1 %is.known, label %found, label %find
find:
  %code = call i64 @{abi.EXTERN}(ptr %call, i64 {{code}}, ptr @late.{{number}})
  %failed = icmp ne i64 %code, 0
  br i1 %failed, label %end, label %read
read:
  %address = load atomic ptr, ptr @late.{{number}} acquire, align 8
  br label %found
found:
  %function = phi ptr [ %known, %0 ], [ %address, %read ]
  %only.asked = icmp eq ptr %context, null
  br i1 %only.asked, label %end, label %run
run:
  %result = call i64 %function(ptr %call, ptr %context, i64 %low, i64 %high)
  ret i64 %result
end:
  %answer = phi i64 [ %code, %find ], [ 0, %found ]
  ret i64 %answer
}}}}
"""


@dataclass(eq=False)
class _Group:
    """Functions that stay together."""

    functions: list[llvm.FuncOp] = field(default_factory=list[llvm.FuncOp])
    texts: list[str] = field(default_factory=list[str])
    declared: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def part(self) -> int | None:
        """The number of the part that they are compiled with late."""
        number = self.functions[0].attributes.get(abi.PART)
        return number.value.data if isa(number, IntegerAttr) else None

    @property
    def is_of_numbers(self) -> bool:
        """Whether each part has a copy of them."""
        return all(map(_is_of_numbers, self.functions))

    @cached_property
    def symbols(self) -> Sequence[str]:
        """The symbols in the texts, in order."""
        return list(dict.fromkeys(_SYMBOL.findall("".join(self.texts))))

    @cached_property
    def work(self) -> int:
        """The time that LLVM takes for them, in lines without loops."""
        return sum(map(_work, self.texts))


def _is_of_numbers(function: llvm.FuncOp) -> bool:
    """Whether a function of the program takes no memory."""
    inputs = function.function_type.inputs.data
    is_own = bool(function.body.blocks) and (
        _is_internal(function) or bool(function.visibility_.value.data)
    )
    return is_own and not any(isinstance(each, llvm.LLVMPointerType) for each in inputs)


def _is_called_late(function: llvm.FuncOp) -> bool:
    """Whether a function is compiled late, and called from outside of its part."""
    return abi.PART in function.attributes and function.sym_name.data.endswith(abi.THREADED)


def _is_internal(function: llvm.FuncOp) -> bool:
    return function.linkage.linkage.data == "internal"


def _work(text: str) -> int:
    return text.count("\n") + _WORK_OF_A_LOOP * text.count(" = phi ")


def _grouped(functions: Iterable[llvm.FuncOp]) -> Sequence[_Group]:
    groups, numbers = dict[str, _Group](), count(1)
    for function in functions:
        name = function.sym_name.data
        stem, _, _ = name.rpartition(".")
        group = groups.setdefault(stem if stem in groups else name, _Group())
        group.functions.append(function)
        group.texts.append(definition(function, group.declared, numbers))
    return list(groups.values())


def _shared_out(groups: Sequence[_Group]) -> Sequence[Sequence[_Group]]:
    """The groups in parts of about the same work, those with most work first."""
    count = MOST_PARTS
    while True:
        parts, work = [list[_Group]() for _ in range(count)], [0] * count
        for group in sorted(groups, key=lambda group: -group.work):
            least = work.index(min(work))
            parts[least].append(group)
            work[least] += group.work
        if count == 1 or min(work) >= LEAST_WORK:
            order = sorted(range(count), key=lambda number: -work[number])
            return [parts[number] for number in order if parts[number]]
        count -= 1


def _text(part: Sequence[_Group], homes: Mapping[str, _Group], declared: Mapping[str, str]) -> str:
    """The text of some groups, with copies or declarations of all that they use."""
    groups, used = dict.fromkeys(part), dict[str, str]()
    pending = list(part)
    while pending:
        for symbol in pending.pop(0).symbols:
            home = homes.get(symbol)
            if home is not None and home.is_of_numbers and home not in groups:
                groups[home] = None
                pending.append(home)
    for group in groups:
        used |= group.declared
        for symbol in group.symbols:
            if symbol in declared:
                used[symbol] = declared[symbol]
            elif (home := homes.get(symbol)) is not None and home not in groups:
                used |= {symbol_of(f): declaration(f) for f in home.functions}
    return joined(used, [text for group in groups for text in group.texts])
