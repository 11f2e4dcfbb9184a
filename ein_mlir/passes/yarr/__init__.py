"""Passes on array programs."""
