"""Passes on pointful programs."""
