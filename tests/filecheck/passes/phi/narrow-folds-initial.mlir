// RUN: ein-opt %s --split-input-file -p "narrow-folds{irregular=true},canonicalize,dce" | filecheck %s

// A step that stores the number that all elements are before the loop changes nothing, if no other
// step writes there.

func.func @row(%x: !phi.vec<i64>, %n: i64, %first: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %zeros = phi.array (%q < %n) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %m = phi.size %zeros, 0 : !phi.vec<i64>
  %r = phi.fold (%k < %n, %a = %zeros) -> !phi.vec<i64> {
    %before = arith.cmpi slt, %k, %first : i64
    %e = phi.get %x[%k] : !phi.vec<i64>[i64]
    %v = arith.select %before, %zero, %e : i64
    %b = phi.array (%i < %m) -> !phi.vec<i64> {
      %j = arith.index_cast %i : index to i64
      %here = arith.cmpi eq, %j, %k : i64
      %old = phi.get %a[%i] : !phi.vec<i64>[index]
      %y = arith.select %here, %v, %old : i64
      phi.yield %y : i64
    }
    phi.yield %b : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @row
// CHECK:         %[[STEPS:.*]] = arith.subi %n, %{{.*}} : i64
// CHECK:         %r = phi.fold (%k < %{{.*}}, %a = %zeros)
// CHECK-NOT:     arith.cmpi slt
// CHECK:         arith.addi %{{.*}}, %k : i64

// -----

// An update in two loops that write one element each.

func.func @matrix(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %zeros = phi.array (%p < %n, %q < %n) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%i < %n, %a = %zeros) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%j < %n, %b = %a) -> !phi.vec<!phi.vec<f64>> {
      %before = arith.cmpi slt, %j, %i : i64
      %e = phi.get %x[%j] : !phi.vec<f64>[i64]
      %v = arith.select %before, %e, %zero : f64
      %c = phi.update %b[%i, %j], %v : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %c : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @matrix
// CHECK:         phi.fold (%j < %{{[0-9]+}}, %b = %a)
// CHECK-NOT:     arith.select %before

// -----

// Not where steps of the outer loop write the same elements, nor for another number.

func.func @others(%x: !phi.vec<f64>, %n: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %zeros = phi.array (%p < %n) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%i < %n, %a = %zeros) -> !phi.vec<f64> {
    %s = phi.fold (%j < %n, %b = %a) -> !phi.vec<f64> {
      %before = arith.cmpi slt, %j, %i : i64
      %e = phi.get %x[%j] : !phi.vec<f64>[i64]
      %v = arith.select %before, %e, %zero : f64
      %c = phi.update %b[%j], %v : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %c : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  %half = arith.constant 5 : i64
  %t = phi.fold (%j < %n, %b = %zeros) -> !phi.vec<f64> {
    %before = arith.cmpi slt, %j, %half : i64
    %e = phi.get %x[%j] : !phi.vec<f64>[i64]
    %v = arith.select %before, %e, %one : f64
    %c = phi.update %b[%j], %v : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %c : !phi.vec<f64>
  }
  %both = phi.tuple (%r, %t) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  func.return %both : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @others
// CHECK:         phi.fold (%j < %n, %b = %a)
// CHECK:         phi.fold (%{{.*}} < %n, %{{.*}} = %zeros)
