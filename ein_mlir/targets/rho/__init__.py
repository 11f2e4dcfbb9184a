"""``-t rho``: the dialect in the syntax of the thesis."""
