"""Passes on Python code: lifetimes, buffers, calls."""
