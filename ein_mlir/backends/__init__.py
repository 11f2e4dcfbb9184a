"""Backends: tables of library calls, carried helpers, runtimes."""
