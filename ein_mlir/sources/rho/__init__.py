"""The syntax of the thesis on shape demand, read as the dialect ``rho``."""
