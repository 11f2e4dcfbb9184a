"""The reference semantics: slow, simple and trusted interpreters of phi and yarr."""

from ein_mlir.interpreters.reference import run

__all__ = ["run"]
