"""The shared part of the functions of a printed module: names, imports, and helpers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TypeGuard

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.scopes import of_kinds, operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.names import LIBRARIES, WRITING_HELPERS
from ein_mlir.targets.python.names import Names
from ein_mlir.targets.python.prelude import needed


def is_writing_helper(op: Operation) -> TypeGuard[emitpy.CallIntoOp]:
    """Whether a function of a prelude is called that writes into an array."""
    return isinstance(op, emitpy.CallIntoOp) and op.callee.data in WRITING_HELPERS


class Program:
    """The global names of a module, and the libraries and helpers that it needs."""

    def __init__(self, module: ModuleOp):
        self.functions = [
            op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration
        ]
        self.imports = set[str]()
        self.helpers = dict[str, set[str]]()
        symbols = list[str]()
        for op in of_kinds(operations_in(module), emitpy.CallLikeOp):
            if isinstance(op, emitpy.ExternOp):
                symbols.append(op.callee.string_value())
            elif isinstance(op, emitpy.HelperOp) or is_writing_helper(op):
                self._need_helper(op)
        names = Names([*self._helper_names(), *self._imported_names()])
        self.externs = {symbol: names.fresh(symbol) for symbol in dict.fromkeys(symbols)}
        self.names = {f.sym_name.data: names.fresh(f.sym_name.data) for f in self.functions}

    def _need_helper(self, op: emitpy.HelperOp | emitpy.CallIntoOp) -> None:
        library, _, name = op.callee.data.partition(".")
        try:
            helpers = needed(library, [name])
        except KeyError:
            raise DiagnosticException(
                f"{op.name}: there is no helper '{op.callee.data}'{where_written(op)}"
            ) from None
        self.helpers.setdefault(library, set()).update(helpers)
        for helper in helpers.values():
            self.imports.update(helper.imports)

    @cached_property
    def globals(self) -> frozenset[str]:
        """The names of functions, of helpers and their imports, and of externs."""
        functions = *self.names.values(), *self.externs.values()
        return frozenset((*functions, *self._helper_names(), *self._imported_names()))

    def function_name(self, op: emitpy.HelperOp | emitpy.CallIntoOp) -> str:
        """The name of the function of a library, or of its prelude, that is called."""
        if isinstance(op, emitpy.HelperOp) or is_writing_helper(op):
            library, _, name = op.callee.data.partition(".")
            return self.helper_name(library, name)
        return self.library_name(op.callee.data)

    def helper_name(self, library: str, name: str) -> str:
        """The name of a helper, prefixed by its library if another library has the same name."""
        is_shared = sum(name in helpers for helpers in self.helpers.values()) > 1
        return f"{library}_{name}" if is_shared else name

    def _helper_names(self) -> list[str]:
        return [
            self.helper_name(library, name)
            for library, helpers in self.helpers.items()
            for name in helpers
        ]

    def _imported_names(self) -> Iterator[str]:
        """The names that the imports of the helpers bind: ``np`` of ``import numpy as np``."""
        for line in self.imports:
            module, _, alias = line.removeprefix("import ").partition(" as ")
            yield alias or module.partition(".")[0]

    def import_lines(self) -> str:
        """The imports, those of the standard library first."""
        libraries = {library.module.partition(".")[0] for library in LIBRARIES.values()}
        groups: tuple[list[str], list[str]] = [], []
        for line in sorted(self.imports):
            groups[line.split()[1].partition(".")[0] in libraries].append(line)
        return "\n\n".join("\n".join(group) for group in groups if group)

    def prelude(self, library: str) -> list[str]:
        """The source of the helpers of a library."""
        if library not in self.helpers:
            return []
        helpers = needed(library, self.helpers[library])
        names = {name: self.helper_name(library, name) for name in helpers}
        called = re.compile(rf"(?<!\.)\b({'|'.join(helpers)})\b")
        return [called.sub(lambda m: names[m[0]], helper.source) for helper in helpers.values()]

    def library_name(self, name: str) -> str:
        """A dotted name; its library is added to the imports."""
        alias, dot, _ = name.partition(".")
        if dot:
            module = LIBRARIES[alias].module
            self.imports.add(f"import {module}" + (f" as {alias}" if alias != module else ""))
        return name
