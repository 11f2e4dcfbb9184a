"""Modules whose examples need a library that is not installed."""

from tests.libraries import OPTIONAL, missing

collect_ignore = [f"ein_mlir/backends/{library}" for library in missing(*OPTIONAL)]
