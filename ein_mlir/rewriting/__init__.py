"""Shared utilities that edit IR: builders, emission, positions."""
