"""Passes on programs of rho."""
