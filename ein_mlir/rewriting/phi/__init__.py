"""Shared utilities that edit phi."""
