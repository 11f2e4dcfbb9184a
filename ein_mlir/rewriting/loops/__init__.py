"""Utilities for passes on loops over memory."""
