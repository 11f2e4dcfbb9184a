"""Passes from one dialect to the next."""
