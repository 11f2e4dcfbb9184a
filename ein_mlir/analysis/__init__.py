"""Analyses: they read IR and never edit it."""
