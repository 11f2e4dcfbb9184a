"""The cases: each module defines a ``CASE``; ``CASES`` has all of them by name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.agreement.cases.case import Case

CASES: dict[str, Case] = {
    case.name: case
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem not in ("__init__", "case")
    for case in (import_module(f"{__name__}.{path.stem}").CASE,)
}
"""Every case, by name."""
