import ein_mlir.short_axes as s
import sys
s.LEAST_ELEMENTS=1; s.SHORT=frozenset({2,3,4,5})
s._short_axes = lambda value: tuple(getattr(value,"shape",()))
sys.argv=["x","planets"]
exec(open("/tmp/nat/run.py").read())
