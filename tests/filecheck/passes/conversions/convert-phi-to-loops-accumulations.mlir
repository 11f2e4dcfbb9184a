// RUN: ein-opt %s -p convert-phi-to-loops | filecheck %s

// The values of a block are computed by a parallel loop, then combined in order; a position that
// several accumulators share is stored once.

func.func @costly(%v: !phi.vec<f64>, %k: !phi.vec<i64>, %m: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.accumulate (%i < %n) into "add" (%m), "max" (%m) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %x = phi.get %v[%i] : !phi.vec<f64>[index]
    %p = phi.get %k[%i] : !phi.vec<i64>[index]
    %y = math.exp %x : f64
    %z = math.tanh %x : f64
    %0 = phi.tuple (%p, %y) : tuple<i64, f64>
    %1 = phi.tuple (%p, %z) : tuple<i64, f64>
    %2 = phi.tuple (%0, %1) : tuple<tuple<i64, f64>, tuple<i64, f64>>
    phi.yield %2 : tuple<tuple<i64, f64>, tuple<i64, f64>>
  }
  %a = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %b = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @costly
// CHECK:         arith.minsi %{{\d+}}, %{{\w+}} : index
// CHECK:         [[K:%\d+]] = memref.alloc({{.*}}) : memref<?xi64>
// CHECK-NEXT:    [[Y:%\d+]] = memref.alloc({{.*}}) : memref<?xf64>
// CHECK-NEXT:    [[Z:%\d+]] = memref.alloc({{.*}}) : memref<?xf64>
// CHECK:         scf.for
// CHECK:           "scf.parallel"
// CHECK:             math.exp
// CHECK:             math.tanh
// CHECK-NEXT:        memref.store {{.*}}, [[K]]
// CHECK-NEXT:        memref.store {{.*}}, [[Y]]
// CHECK-NEXT:        memref.store {{.*}}, [[Z]]
// CHECK-NEXT:        scf.reduce
// CHECK:           scf.for
// CHECK:             memref.load [[K]]
// CHECK:             memref.load [[Y]]
// CHECK:             memref.load [[K]]
// CHECK:             memref.load [[Z]]

// A body that takes less than to store its values is computed in order.

func.func @cheap(%v: !phi.vec<f64>, %k: !phi.vec<i64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.accumulate (%i < %n) into "add" (%m) -> !phi.vec<f64> {
    %x = phi.get %v[%i] : !phi.vec<f64>[index]
    %p = phi.get %k[%i] : !phi.vec<i64>[index]
    %y = arith.divf %x, %x : f64
    %0 = phi.tuple (%p, %y) : tuple<i64, f64>
    phi.yield %0 : tuple<i64, f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @cheap
// CHECK:         arith.divf
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             arith.divf
// CHECK-NEXT:        arith.index_cast

// Accumulators whose elements are added share memory: the read of the second one is zero.

func.func @added(%v: !phi.vec<f64>, %k: !phi.vec<i64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.accumulate (%i < %n) into "add" (%m), "add" (%m) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %x = phi.get %v[%i] : !phi.vec<f64>[index]
    %p = phi.get %k[%i] : !phi.vec<i64>[index]
    %y = arith.addf %x, %x : f64
    %0 = phi.tuple (%p, %x) : tuple<i64, f64>
    %1 = phi.tuple (%p, %y) : tuple<i64, f64>
    %2 = phi.tuple (%0, %1) : tuple<tuple<i64, f64>, tuple<i64, f64>>
    phi.yield %2 : tuple<tuple<i64, f64>, tuple<i64, f64>>
  }
  %a = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %b = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %c = phi.array (%i < %m) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = phi.get %b[%i] : !phi.vec<f64>[index]
    %z = arith.addf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %c : !phi.vec<f64>
}

// CHECK-LABEL: func.func @added
// CHECK:         [[ZERO:%\w+]] = arith.constant 0.000000e+00 : f64
// CHECK:         [[A:%\w+]] = memref.alloc({{.*}}) : memref<?xf64>
// CHECK:         scf.for [[I:%\w+]] =
// CHECK:           scf.if
// CHECK:             memref.store {{%\w+}}, [[A]]
// CHECK:           scf.if
// CHECK:             memref.store {{%\w+}}, [[A]]
// CHECK:         %z = arith.addf {{%\w+}}, [[ZERO]] : f64

// Those that are subtracted do not.

func.func @subtracted(%v: !phi.vec<f64>, %k: !phi.vec<i64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.accumulate (%i < %n) into "add" (%m), "add" (%m) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %x = phi.get %v[%i] : !phi.vec<f64>[index]
    %p = phi.get %k[%i] : !phi.vec<i64>[index]
    %y = arith.addf %x, %x : f64
    %0 = phi.tuple (%p, %x) : tuple<i64, f64>
    %1 = phi.tuple (%p, %y) : tuple<i64, f64>
    %2 = phi.tuple (%0, %1) : tuple<tuple<i64, f64>, tuple<i64, f64>>
    phi.yield %2 : tuple<tuple<i64, f64>, tuple<i64, f64>>
  }
  %a = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %b = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %c = phi.array (%i < %m) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = phi.get %b[%i] : !phi.vec<f64>[index]
    %z = arith.subf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %c : !phi.vec<f64>
}

// CHECK-LABEL: func.func @subtracted
// CHECK:         %a = memref.alloc({{.*}}) : memref<?xf64>
// CHECK-NEXT:    %b = memref.alloc({{.*}}) : memref<?xf64>
// CHECK:         arith.subf
