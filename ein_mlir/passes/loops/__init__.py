"""Passes on loops over memory."""
