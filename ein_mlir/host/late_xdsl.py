"""xDSL, loaded with work left for later: methods of dataclasses, and formats of operations.

The modules that each program needs define 200 dataclasses and 70 operations, of which a program
uses a few: compiling all methods and parsing all formats take half of the time in which the modules
are imported. Where xDSL is imported without `load_xdsl`, its classes are the same, and all is done.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from ein_mlir.host.dataclass import late_if_simple

if TYPE_CHECKING:
    from xdsl.irdl import IRDLOperation
    from xdsl.irdl.declarative_assembly_format import FormatProgram
    from xdsl.parser import Parser
    from xdsl.printer import Printer

    OperationT = TypeVar("OperationT", bound=IRDLOperation)

_MODULES = ("xdsl.dialects.arith", "xdsl.dialects.func", "xdsl.dialects.math", "xdsl.passes")
_PACKAGES = ("xdsl.", "ein_mlir.")
_LOCK = threading.Lock()


def load_xdsl() -> None:
    """Import the modules, unless they are there."""
    if _MODULES[-1] not in sys.modules:
        with _LOCK, _late_dataclasses(), _late_formats():
            for name in _MODULES:
                import_module(name)


@contextmanager
def _late_dataclasses() -> Generator[None]:
    """``dataclass`` is ours, and stays so in modules that are imported meanwhile.

    Classes of other packages, which another thread may import at the same time, stay as they are.
    """
    standard: Any = dataclasses.dataclass

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        def decorated(cls: type) -> type:
            is_ours = cls.__module__.startswith(_PACKAGES)
            return (late_if_simple if is_ours else standard)(cls, **options)

        return decorated if cls is None else decorated(cls)

    with _replaced(dataclasses, "dataclass", dataclass):
        yield


@contextmanager
def _late_formats() -> Generator[None]:
    with _replaced(import_module("xdsl.irdl"), "irdl_op_definition", late_format):
        yield


@contextmanager
def _replaced(module: Any, name: str, function: Callable[..., Any]) -> Generator[None]:
    standard = getattr(module, name)
    setattr(module, name, function)
    try:
        yield
    finally:
        setattr(module, name, standard)


def late_format(cls: type[OperationT]) -> type[OperationT]:
    """IRDL's ``irdl_op_definition``, except that the assembly format is parsed when first used.

    Programs that are traced and compiled never print IR.
    """
    from xdsl.irdl.operations import irdl_op_definition

    text = cls.assembly_format
    cls.assembly_format = None
    irdl_op_definition(cls)
    if text is not None:
        cls.assembly_format = text
        for name, method in (("parse", classmethod(_parse)), ("print", _print)):
            setattr(cls, name, method)
    return cls


@cache
def _format_of(cls: type[IRDLOperation]) -> FormatProgram:
    from xdsl.irdl.declarative_assembly_format import FormatProgram

    assert cls.assembly_format is not None
    return FormatProgram.from_str(cls.assembly_format, cls.get_irdl_definition())


def _parse(cls: type[IRDLOperation], parser: Parser) -> IRDLOperation:
    return _format_of(cls).parse(parser, cls)


def _print(op: IRDLOperation, printer: Printer) -> None:
    _format_of(type(op)).print(printer, op)
