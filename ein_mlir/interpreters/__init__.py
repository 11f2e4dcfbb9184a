"""The meaning of programs: a slow, obvious, trusted interpreter of phi."""

from ein_mlir.interpreters.reference import run

__all__ = ["run"]
