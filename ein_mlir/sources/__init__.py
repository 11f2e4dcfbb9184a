"""Readers of languages other than IR: the counterpart of ``targets``."""
