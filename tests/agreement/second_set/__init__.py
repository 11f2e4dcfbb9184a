"""The second set: programs taken from public suites and tutorials, each with a ``CASE``.

They were written from the documents alone, before their emitted code was seen: they show the speed
of a program that nobody has tuned the compiler for. ``SECOND_SET`` has all of them by name.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.agreement.cases.case import Case

SECOND_SET: dict[str, Case] = {
    case.name: case
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem != "__init__"
    for case in (import_module(f"{__name__}.{path.stem}").CASE,)
}
"""Every case of the second set, by name."""
