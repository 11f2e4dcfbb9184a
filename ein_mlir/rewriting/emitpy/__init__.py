"""Shared utilities that edit emitpy."""
