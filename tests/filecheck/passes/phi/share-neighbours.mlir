// RUN: ein-opt %s --split-input-file -p share-neighbours,simplify | filecheck %s

// A function of neighbours is an array, with one element more than there are indices.

func.func @differences(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %one : i64
    %u = phi.get %a[%q] : !phi.vec<f64>[i64]
    %v = math.exp %u : f64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = math.exp %x : f64
    %d = arith.subf %v, %y : f64
    phi.yield %d : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:      func.func @differences(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = arith.addi %n, %0 : i64
// CHECK-NEXT:   %2 = phi.array (%i < %1) -> !phi.vec<f64> {
// CHECK-NEXT:     %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %y = math.exp %x : f64
// CHECK-NEXT:     phi.yield %y : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %3 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:     %4 = arith.constant 1 : i64
// CHECK-NEXT:     %5 = arith.addi %3, %4 : i64
// CHECK-NEXT:     %v = phi.get %2[%5] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y_1 = phi.get %2[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:     %d = arith.subf %v, %y_1 : f64
// CHECK-NEXT:     phi.yield %d : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// The product is needed at three offsets, its sum of two at two: both are arrays.

func.func @nested(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %one : i64
    %o = arith.addi %p, %two : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = phi.get %a[%q] : !phi.vec<f64>[i64]
    %z = phi.get %a[%o] : !phi.vec<f64>[i64]
    %fx = math.sqrt %x : f64
    %fy = math.sqrt %y : f64
    %fz = math.sqrt %z : f64
    %gx = arith.addf %fx, %fy : f64
    %gy = arith.addf %fy, %fz : f64
    %hx = arith.mulf %gx, %gx : f64
    %hy = arith.mulf %gy, %gy : f64
    %d = arith.divf %hx, %hy : f64
    phi.yield %d : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @nested
// CHECK:         arith.maxsi %m
// CHECK:         phi.array
// CHECK-NEXT:      phi.get %a
// CHECK-NEXT:      math.sqrt
// CHECK-NEXT:      phi.yield
// CHECK:         phi.array
// CHECK:           arith.addf
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      phi.yield
// CHECK:         phi.array (%{{[^ ]+}} < %m)
// CHECK-NOT:       arith.mulf
// CHECK:           arith.divf

// -----

// Reads alone stay, and so do functions at the same offset, of a transposed array, and of a value
// that is no function of the indices.

func.func @stay(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %one : i64
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = phi.get %a[%q, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
    %z = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    %fx = math.exp %x : f64
    %fz = math.exp %z : f64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %t = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    %fs = math.exp %s : f64
    %ft = math.exp %t : f64
    %0 = arith.subf %fx, %fz : f64
    %1 = arith.subf %fs, %ft : f64
    %2 = arith.subf %0, %1 : f64
    phi.yield %2 : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-1: phi.array
// CHECK-NOT:     phi.array
// CHECK:         func.return

// -----

// Adjacent parts of 16 elements are one array of 32, parts further apart are not.
func.func @parts(%a: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = arith.constant 16 : i64
  %far = arith.constant 17 : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = math.exp %x : f64
    %q = arith.addi %p, %n : i64
    %u = phi.get %a[%q] : !phi.vec<f64>[i64]
    %v = math.exp %u : f64
    %d = arith.subf %v, %y : f64
    phi.yield %d : f64
  }
  %s = phi.array (%j < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %j : index to i64
    %x = phi.get %a[%j] : !phi.vec<f64>[index]
    %y = math.exp %x : f64
    %q = arith.addi %p, %far : i64
    %u = phi.get %a[%q] : !phi.vec<f64>[i64]
    %v = math.exp %u : f64
    %d = arith.subf %v, %y : f64
    phi.yield %d : f64
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @parts
// CHECK:         [[SIZE:%.*]] = arith.constant 32 : i64
// CHECK-NEXT:    phi.array (%{{[^ ]+}} < [[SIZE]])
// CHECK-COUNT-1:   math.exp
// CHECK:         phi.array (%{{[^ ]+}} < %n)
// CHECK-NOT:       math.exp
// CHECK:         phi.array (%j < %n)
// CHECK-COUNT-2:   math.exp
// CHECK:         func.return
