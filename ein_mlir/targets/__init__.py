"""Targets: the output formats of IR other than its own text."""
