"""Rewrites that hold everywhere, a file for each dialect; ``canonicalize`` applies them."""
