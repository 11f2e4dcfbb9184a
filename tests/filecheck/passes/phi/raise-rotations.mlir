// RUN: ein-opt %s --split-input-file -p raise-rotations,simplify | filecheck %s

// The element after, along the second axis, and the element before, by a position.
func.func @around(%x: !phi.vec<!phi.vec<f64>>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %s = phi.fold (%i < %n, %a = %zero) -> f64 {
    %t = phi.fold (%j < %m, %b = %a) -> f64 {
      %next = arith.addi %j, %one : i64
      %inside = arith.cmpi slt, %next, %m : i64
      %after = phi.get %x[%i, %next] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %start = phi.get %x[%i, %first] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %p = arith.select %inside, %after, %start : f64
      %previous = arith.subi %i, %one : i64
      %last = arith.subi %n, %one : i64
      %is_first = arith.cmpi eq, %i, %first : i64
      %row = arith.select %is_first, %last, %previous : i64
      %q = phi.get %x[%row, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %pq = arith.mulf %p, %q : f64
      %c = arith.addf %b, %pq : f64
      phi.yield %c : f64
    }
    phi.yield %t : f64
  }
  func.return %s : f64
}

// CHECK:      func.func @around
// CHECK:          %t = phi.fold (%j < %m, %b = %a) -> f64 {
// CHECK-NOT:        arith.select
// CHECK:            %[[NEXT:.*]] = sigma.floormod %{{.*}}, %m : i64
// CHECK-NEXT:       %p = phi.get %x[%i, %[[NEXT]]] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NOT:        arith.select
// CHECK:            %row = sigma.floormod %{{.*}}, %n : i64
// CHECK-NEXT:       %q = phi.get %x[%row, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]

// -----

// Other choices stay: the count is not the size, the condition is one step off, the other end is
// not the first element, and a comprehension, of which the ends are parts.
func.func @others(%x: !phi.vec<f64>, %k: !phi.vec<f64>) -> (f64, f64, f64, !phi.vec<f64>) {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %k, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %0 = phi.fold (%i < %m, %a = %zero) -> f64 {
    %next = arith.addi %i, %one : i64
    %inside = arith.cmpi slt, %next, %m : i64
    %p = arith.select %inside, %next, %first : i64
    %e = phi.get %x[%p] : !phi.vec<f64>[i64]
    %c = arith.addf %a, %e : f64
    phi.yield %c : f64
  }
  %1 = phi.fold (%i < %n, %a = %zero) -> f64 {
    %next = arith.addi %i, %one : i64
    %inside = arith.cmpi sle, %next, %n : i64
    %p = arith.select %inside, %next, %first : i64
    %e = phi.get %x[%p] : !phi.vec<f64>[i64]
    %c = arith.addf %a, %e : f64
    phi.yield %c : f64
  }
  %2 = phi.fold (%i < %n, %a = %zero) -> f64 {
    %next = arith.addi %i, %one : i64
    %inside = arith.cmpi slt, %next, %n : i64
    %p = arith.select %inside, %next, %one : i64
    %e = phi.get %x[%p] : !phi.vec<f64>[i64]
    %c = arith.addf %a, %e : f64
    phi.yield %c : f64
  }
  %3 = phi.array (%q < %n) -> !phi.vec<f64> {
    %i = arith.index_cast %q : index to i64
    %next = arith.addi %i, %one : i64
    %inside = arith.cmpi slt, %next, %n : i64
    %p = arith.select %inside, %next, %first : i64
    %e = phi.get %x[%p] : !phi.vec<f64>[i64]
    phi.yield %e : f64
  }
  func.return %0, %1, %2, %3 : f64, f64, f64, !phi.vec<f64>
}

// CHECK:      func.func @others
// CHECK-NOT:  sigma.floormod

// A rotation back is none.
func.func @back(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %0 = phi.array (%q < %n) -> !phi.vec<f64> {
    %i = arith.index_cast %q : index to i64
    %before = arith.subi %i, %one : i64
    %p = sigma.floormod %before, %n : i64
    %after = arith.addi %p, %one : i64
    %r = sigma.floormod %after, %n : i64
    %e = phi.get %x[%p] : !phi.vec<f64>[i64]
    %f = phi.get %x[%r] : !phi.vec<f64>[i64]
    %g = arith.addf %e, %f : f64
    phi.yield %g : f64
  }
  func.return %0 : !phi.vec<f64>
}

// CHECK:      func.func @back
// CHECK:        sigma.floormod
// CHECK-NOT:    sigma.floormod
