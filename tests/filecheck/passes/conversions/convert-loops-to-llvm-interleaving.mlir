// RUN: ein-opt %s -p convert-loops-to-llvm --split-input-file | filecheck %s

// A sum waits for the addition of the step before: LLVM takes as many vectors as it likes.

builtin.module {
  func.func @sum(%a: memref<?xf64>, %operands: memref<2xi64>) -> f64 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    %n = memref.dim %a, %c0 : memref<?xf64>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %x = memref.load %a[%i] : memref<?xf64>
      %t = arith.addf %s, %x fastmath<reassoc,contract> : f64
      scf.yield %t : f64
    }
    func.return %r : f64
  }
}

// CHECK-LABEL: llvm.func @ein.sum
// CHECK-NOT:     interleaved

// -----

// Roots take longer than that.

builtin.module {
  func.func @roots(%a: memref<?xf64>, %operands: memref<2xi64>) -> f64 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    %n = memref.dim %a, %c0 : memref<?xf64>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %x = memref.load %a[%i] : memref<?xf64>
      %y = math.sqrt %x : f64
      %t = arith.addf %s, %y fastmath<reassoc,contract> : f64
      scf.yield %t : f64
    }
    func.return %r : f64
  }
}

// CHECK-LABEL: llvm.func @ein.roots
// CHECK:         llvm.br ^bb{{.*}} {ein.not_interleaved}

// -----

// So do the loads of four rows, of two vectors.

builtin.module {
  func.func @rows(%a: memref<?x4xf64>, %b: memref<?xf64>, %r: memref<4xf64>, %operands: memref<2xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f64
    %n = memref.dim %b, %c0 : memref<?xf64>
    %p, %q, %u, %v = scf.for %i = %c0 to %n step %c1 iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero) -> (f64, f64, f64, f64) {
      %y = memref.load %b[%i] : memref<?xf64>
      %x0 = memref.load %a[%i, %c0] : memref<?x4xf64>
      %x1 = memref.load %a[%i, %c1] : memref<?x4xf64>
      %x2 = memref.load %a[%i, %c2] : memref<?x4xf64>
      %x3 = memref.load %a[%i, %c3] : memref<?x4xf64>
      %m0 = arith.mulf %x0, %y fastmath<contract> : f64
      %m1 = arith.mulf %x1, %y fastmath<contract> : f64
      %m2 = arith.mulf %x2, %y fastmath<contract> : f64
      %m3 = arith.mulf %x3, %y fastmath<contract> : f64
      %t0 = arith.addf %s0, %m0 fastmath<reassoc,contract> : f64
      %t1 = arith.addf %s1, %m1 fastmath<reassoc,contract> : f64
      %t2 = arith.addf %s2, %m2 fastmath<reassoc,contract> : f64
      %t3 = arith.addf %s3, %m3 fastmath<reassoc,contract> : f64
      scf.yield %t0, %t1, %t2, %t3 : f64, f64, f64, f64
    }
    memref.store %p, %r[%c0] : memref<4xf64>
    memref.store %q, %r[%c1] : memref<4xf64>
    memref.store %u, %r[%c2] : memref<4xf64>
    memref.store %v, %r[%c3] : memref<4xf64>
    func.return
  }
}

// CHECK-LABEL: llvm.func @ein.rows
// CHECK:         llvm.br ^bb{{.*}} {ein.interleaved_twice}
