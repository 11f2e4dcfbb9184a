"""Passes: IR in, IR out, one pass for each flag and file."""
