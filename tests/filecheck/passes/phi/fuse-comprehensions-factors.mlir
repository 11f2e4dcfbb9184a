// RUN: ein-opt %s --split-input-file -p "fuse-comprehensions{factors=true},simplify" | filecheck %s

// A product with more axes than its factors is a part of the products that are summed.
func.func @outer(%u: !phi.vec<f64>, %v: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n1 = phi.size %u, 0 : !phi.vec<f64>
  %m = phi.size %v, 0 : !phi.vec<f64>
  %p = phi.array (%i < %n1, %k < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = phi.get %v[%k] : !phi.vec<f64>[index]
    %z = arith.mulf %x, %y : f64
    phi.yield %z : f64
  }
  %l = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n1, %j < %l) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %p[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.mulf %x, %y : f64
      %t = arith.addf %acc, %z : f64
      phi.yield %t : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @outer(%u: !phi.vec<f64>, %v: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %n1 = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:       %m = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:       %l = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %r = phi.array (%i < %n1, %j < %l) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:           %x = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:           %y = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:           %z = arith.mulf %x, %y : f64
// CHECK-NEXT:           %y_1 = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:           %z_1 = arith.mulf %z, %y_1 : f64
// CHECK-NEXT:           %t = arith.addf %acc, %z_1 : f64
// CHECK-NEXT:           phi.yield %t : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %s : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }

// -----

// A product with the axes of a factor is computed once, in an array.
func.func @scaled(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %v, 0 : !phi.vec<f64>
  %p = phi.array (%i < %n, %k < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = phi.get %v[%k] : !phi.vec<f64>[index]
    %z = arith.mulf %x, %y : f64
    phi.yield %z : f64
  }
  %l = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %l) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %p[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.mulf %x, %y : f64
      %t = arith.addf %acc, %z : f64
      phi.yield %t : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @scaled(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %m = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:       %p = phi.array (%i < %n, %k < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:         %y = phi.get %v[%k] : !phi.vec<f64>[index]
// CHECK-NEXT:         %z = arith.mulf %x, %y : f64
// CHECK-NEXT:         phi.yield %z : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %l = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %r = phi.array (%i_1 < %n, %j < %l) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %s = phi.fold (%k_1 < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:           %x_1 = phi.get %p[%i_1, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:           %y_1 = phi.get %b[%k_1, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:           %z_1 = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:           %t = arith.addf %acc, %z_1 : f64
// CHECK-NEXT:           phi.yield %t : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %s : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }

// -----

// An array that does not vary with an index loses that axis; its size may be read.
func.func @narrow(%u: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>) -> (!phi.vec<!phi.vec<f64>>, i64) {
  %n = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = math.exp %x : f64
    phi.yield %y : f64
  }
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %p[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = phi.get %b[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %z = arith.mulf %x, %y : f64
    phi.yield %z : f64
  }
  %s = phi.size %p, 1 : !phi.vec<!phi.vec<f64>>
  func.return %r, %s : !phi.vec<!phi.vec<f64>>, i64
}

// CHECK-LABEL: func.func @narrow(%u: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>) -> (!phi.vec<!phi.vec<f64>>, i64) {
// CHECK-NEXT:       %n = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %0 = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %x = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %y = math.exp %x : f64
// CHECK-NEXT:         phi.yield %y : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %r = phi.array (%i_1 < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %x_1 = phi.get %0[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:         %y_1 = phi.get %b[%i_1, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:         %z = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:         phi.yield %z : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r, %m : !phi.vec<!phi.vec<f64>>, i64
// CHECK-NEXT:     }

// -----

// Of a row that is computed beside its only read, one element is computed.
func.func @single(%a: !phi.vec<!phi.vec<f64>>, %k: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %y = math.exp %x : f64
      phi.yield %y : f64
    }
    %z = phi.get %row[%k] : !phi.vec<f64>[i64]
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @single(%a: !phi.vec<!phi.vec<f64>>, %k: i64) -> !phi.vec<f64> {
// CHECK-NEXT:       %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %0 = arith.constant 1 : i64
// CHECK-NEXT:         %1 = arith.subi %m, %0 : i64
// CHECK-NEXT:         %2 = arith.minsi %k, %1 : i64
// CHECK-NEXT:         %3 = arith.constant 0 : i64
// CHECK-NEXT:         %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:         %5 = arith.constant 0 : i64
// CHECK-NEXT:         %6 = arith.cmpi sle, %m, %5 : i64
// CHECK-NEXT:         %x = phi.get %a[%i, %4] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         %y = math.exp %x : f64
// CHECK-NEXT:         %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:         %z = arith.select %6, %7, %y : f64
// CHECK-NEXT:         phi.yield %z : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : !phi.vec<f64>
// CHECK-NEXT:     }
