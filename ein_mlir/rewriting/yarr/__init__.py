"""Shared utilities that edit yarr."""
