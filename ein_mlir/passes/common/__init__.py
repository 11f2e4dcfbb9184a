"""Passes on every level of IR."""
