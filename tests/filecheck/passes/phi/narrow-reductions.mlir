// RUN: ein-opt %s --split-input-file -p narrow-reductions,simplify | filecheck %s

// Steps that are before the block have no pair.
func.func @after(%x: !phi.vec<f64>, %y: !phi.vec<i64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %eight = arith.constant 8 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<i64>
  %r = phi.fold (%block < %m, %acc = %zero) -> f64 {
    %start = arith.muli %block, %eight : i64
    %s = phi.array (%i < %eight) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %start, %i_1 : i64
      %t = phi.array (%j < %n) -> !phi.vec<f64> {
        %j_1 = arith.index_cast %j : index to i64
        %after = arith.cmpi sgt, %j_1, %p : i64
        %e = phi.get %x[%j] : !phi.vec<f64>[index]
        %f = arith.select %after, %e, %zero : f64
        phi.yield %f : f64
      }
      %u = phi.reduce %t identity %zero by { arith.addf } -> f64
      phi.yield %u : f64
    }
    %v = phi.reduce %s identity %zero by { arith.addf } -> f64
    %next = arith.addf %acc, %v : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @after
// CHECK:         %start = arith.muli %block, %eight : i64
// CHECK:         %[[FIRST:.*]] = arith.minsi %{{.*}}, %n : i64
// CHECK:         phi.array (%i < %eight)
// CHECK:           phi.array (%j < %[[SOME:.*]]) -> !phi.vec<f64> {
// CHECK:             %[[J:.*]] = arith.addi %[[FIRST]], %{{.*}} : i64
// CHECK-NEXT:        arith.cmpi sgt, %[[J]], %p : i64
// CHECK:             arith.select
// CHECK:         func.return

// -----

// A band has one part, from the first position to the last.
func.func @band(%x: !phi.vec<f64>, %m: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %eight = arith.constant 8 : i64
  %five = arith.constant 5 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%block < %m, %acc = %zero) -> f64 {
    %start = arith.muli %block, %eight : i64
    %s = phi.array (%i < %eight) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %start, %i_1 : i64
      %low = arith.subi %p, %five : i64
      %high = arith.addi %p, %five : i64
      %t = phi.array (%j < %n) -> !phi.vec<f64> {
        %j_1 = arith.index_cast %j : index to i64
        %from = arith.cmpi sge, %j_1, %low : i64
        %to = arith.cmpi sle, %j_1, %high : i64
        %in = arith.andi %from, %to : i1
        %e = phi.get %x[%j] : !phi.vec<f64>[index]
        %f = arith.select %in, %e, %zero : f64
        phi.yield %f : f64
      }
      %u = phi.reduce %t identity %zero by { arith.addf } -> f64
      phi.yield %u : f64
    }
    %v = phi.reduce %s identity %zero by { arith.addf } -> f64
    %next = arith.addf %acc, %v : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @band
// CHECK:         arith.minsi
// CHECK:         arith.minsi
// CHECK:         phi.array (%i < %eight)
// CHECK-NOT:       phi.array (%j < %n)
// CHECK:           phi.array (%j < %{{.*}}) -> !phi.vec<f64> {
// CHECK:             arith.select
// CHECK-NOT:     phi.array
// CHECK:         func.return

// -----

// A condition on the step alone always holds in the part. Products of floats keep their order.
func.func @prefixes(%x: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %t = phi.array (%j < %n) -> !phi.vec<f64> {
      %j_1 = arith.index_cast %j : index to i64
      %after = arith.cmpi sge, %j_1, %k : i64
      %e = phi.get %x[%j] : !phi.vec<f64>[index]
      %f = arith.select %after, %one, %e : f64
      phi.yield %f : f64
    }
    %u = phi.reduce %t identity %one by { arith.mulf } -> f64
    %next = arith.addf %acc, %u : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @prefixes
// CHECK:         phi.fold (%k < %n
// CHECK-NEXT:      %[[T:.*]] = phi.array (%j < %k) -> !phi.vec<f64> {
// CHECK-NEXT:        %e = phi.get %x[%j]
// CHECK-NEXT:        phi.yield %e : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.reduce %[[T]] identity %one by { arith.mulf } -> f64

// -----

// Bounds that are the same in all steps, or looked up, and values that are no identity,
// change nothing.
func.func @whole(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %m: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %m, %acc = %zero) -> f64 {
    %s = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %q = phi.get %p[%i] : !phi.vec<i64>[index]
      %at = arith.addi %q, %k : i64
      %t = phi.array (%j < %n) -> !phi.vec<f64> {
        %j_1 = arith.index_cast %j : index to i64
        %after = arith.cmpi sgt, %j_1, %i_1 : i64
        %behind = arith.cmpi sgt, %j_1, %at : i64
        %both = arith.andi %after, %behind : i1
        %e = phi.get %x[%j] : !phi.vec<f64>[index]
        %f = arith.select %both, %e, %zero : f64
        phi.yield %f : f64
      }
      %u = phi.reduce %t identity %zero by { arith.addf } -> f64
      phi.yield %u : f64
    }
    %w = phi.array (%j < %n) -> !phi.vec<f64> {
      %j_1 = arith.index_cast %j : index to i64
      %after = arith.cmpi sgt, %j_1, %k : i64
      %e = phi.get %x[%j] : !phi.vec<f64>[index]
      %f = arith.select %after, %e, %one : f64
      phi.yield %f : f64
    }
    %v = phi.reduce %s identity %zero by { arith.addf } -> f64
    %u = phi.reduce %w identity %zero by { arith.addf } -> f64
    %sum = arith.addf %v, %u : f64
    %next = arith.addf %acc, %sum : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @whole
// CHECK:         phi.array (%i < %n)
// CHECK:           phi.array (%{{.*}} < %n)
// CHECK:         phi.array (%{{.*}} < %n)
