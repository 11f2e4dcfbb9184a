import os, sys
os.environ["EIN_CACHE_DIR"]=""
sys.path.insert(0, "/tmp/w/native"); sys.path.insert(0, "/tmp/nat")
name, what = sys.argv[1], sys.argv[2]
import numpy as np
import ein_mlir
mod = __import__(os.environ.get("PROGS", "progs"))
if name in mod.PROGRAMS: f, args = mod.PROGRAMS[name]
else:
    import tests.agreement.cases as C, tests.agreement.second_set as S
    c = {**C.CASES, **S.SECOND_SET}[name]; f = c.program; args = c.inputs(5, np.float64, np.random.default_rng(0))
g = f.again(f.__wrapped__)
g._backend = "native"
if what == "explain": print(g.explain(*args))
elif what == "assembly": print(g._code_for(args, {}).assembly)
elif what == "source": print(g.source(*args))
elif what == "llvm":
    from ein_mlir.pipelines import *
    print(g._code_for(args, {})._after(NATIVE))
elif what == "passes":
    from ein_mlir.pipelines import *
    m = g._code_for(args, {})._after(())
    import time
    last = [time.process_time()]
    def after(n, m):
        t = time.process_time()
        if (t - last[0]) > 0.01: print(f"{n:30s} {(t-last[0])*1e3:7.1f} ms", sum(1 for _ in m.walk()))
        last[0] = time.process_time()
    run_pipeline(m, "native", after_each=after)
