// RUN: python -c "import numpy; numpy.save('%t.a.npy', numpy.arange(3.0)); numpy.savez('%t.ab.npz', a=numpy.arange(3.0), b=numpy.ones(3)); numpy.save('%t.f32.npy', numpy.ones(3, 'f4'))" && ein-run %s --entry scale --input %t.a.npy 2.5 | filecheck %s --check-prefix=PRINTED
// RUN: ein-run %s --entry scale --backend naive --input %t.a.npy 2.5 | filecheck %s --check-prefix=PRINTED
// RUN: ein-run %s --entry scale --input %t.a.npy 2.5 --output %t.out.npy && python -c "import numpy; print(numpy.load('%t.out.npy'))" | filecheck %s --check-prefix=PRINTED
// RUN: ein-run %s --entry both --input %t.ab.npz --output %t.out.npz && python -c "import numpy; print(dict(numpy.load('%t.out.npz')))" | filecheck %s --check-prefix=SEVERAL
// RUN: ein-run %s --entry scale --source | filecheck %s --check-prefix=SOURCE
// RUN: not ein-run %s --input %t.a.npy 2>&1 | filecheck %s --check-prefix=ENTRY
// RUN: not ein-run %s --entry nothing 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not ein-run %s --entry scale --input %t.a.npy 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: not ein-run %s --entry scale --input %t.f32.npy 1.0 2>&1 | filecheck %s --check-prefix=DTYPE
// RUN: not ein-run %s --entry scale --input 1.0 1.0 2>&1 | filecheck %s --check-prefix=RANK
// RUN: not ein-run %s --entry both --input %t.ab.npz --output %t.out.npy 2>&1 | filecheck %s --check-prefix=OUTPUT
// RUN: not ein-run %s --entry scale --backend fortran 2>&1 | filecheck %s --check-prefix=BACKEND
// RUN: not ein-run %s --entry scale --input missing.npy 1.0 2>&1 | filecheck %s --check-prefix=MISSING

func.func @scale(%a: !phi.vec<f64>, %c: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = arith.mulf %c, %x : f64
    phi.yield %y : f64
  }
  func.return %r : !phi.vec<f64>
}

func.func @both(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> (!phi.vec<f64>, i64) {
  %n = phi.size %b, 0 : !phi.vec<f64>
  func.return %a, %n : !phi.vec<f64>, i64
}

// PRINTED: [0.  2.5 5. ]
// SEVERAL: {'out0': array([0., 1., 2.]), 'out1': array(3)}
// SOURCE: def scale(a, c):
// SOURCE-NEXT: return c * a
// ENTRY: ein-run: name the entry function, one of: scale, both
// UNKNOWN: ein-run: there is no function 'nothing'; there are: scale, both
// COUNT: ein-run: scale takes 2 arguments, got 1: scale(a: !phi.vec<f64>, c: f64) -> !phi.vec<f64>
// DTYPE: ein-run: argument a: expected an array of float64 and rank 1, got an array of float32 and rank 1
// RANK: ein-run: argument a: expected an array of float64 and rank 1, got float 1.0
// OUTPUT: ein-run: --output: the program has 2 results, name a .npz file
// BACKEND: ein-run: there is no backend 'fortran'; there are naive, numpy
// MISSING: ein-run: missing.npy: No such file or directory
