// RUN: ROUNDTRIP

// Programs that the regularity rule accepts; invalid.mlir has those that it rejects.

// A size that is computed inside of a comprehension, but from no index; a count that counts.
// CHECK-LABEL: func.func @inside
func.func @inside(%v : !phi.vec<!phi.vec<f64>>, %n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %v[%i] : !phi.vec<!phi.vec<f64>>[index]
    %m = phi.size %row, 0 : !phi.vec<f64>
    %mm = arith.addi %m, %n : i64
    // CHECK: phi.array (%j < %mm)
    %b = phi.array (%j < %mm) -> !phi.vec<f64> {
      // CHECK: phi.fold (%k < %n, %outer = %x)
      %s = phi.fold (%k < %n, %outer = %x) -> f64 {
        // CHECK: phi.fold (%l < %k, %inner = %outer)
        %t = phi.fold (%l < %k, %inner = %outer) -> f64 {
          phi.yield %inner : f64
        }
        phi.yield %t : f64
      }
      phi.yield %s : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  func.return
}

// An index that is bound inside an operand of a size.
// CHECK-LABEL: func.func @bound
func.func @bound(%n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %iota = phi.array (%j < %n) -> !phi.vec<i64> {
      %p = arith.index_cast %j : index to i64
      phi.yield %p : i64
    }
    %m = phi.reduce %iota identity %n by { arith.maxsi } -> i64
    // CHECK: phi.array (%k < %m)
    %b = phi.array (%k < %m) -> !phi.vec<f64> {
      phi.yield %x : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  func.return
}

// A field of a record next to one that depends on an index, through a fold and an array.
// CHECK-LABEL: func.func @beside
func.func @beside(%n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %t = phi.tuple (%n, %p) : tuple<i64, i64>
    %u = phi.fold (%k < %n, %acc = %t) -> tuple<i64, i64> {
      %f0 = phi.proj %acc, 0 : tuple<i64, i64> -> i64
      %f1 = phi.proj %acc, 1 : tuple<i64, i64> -> i64
      %g = arith.addi %f0, %f1 : i64
      %next = phi.tuple (%f0, %g) : tuple<i64, i64>
      phi.yield %next : tuple<i64, i64>
    }
    %v = phi.array (%j < %n) -> !phi.vec<tuple<i64, i64>> {
      phi.yield %u : tuple<i64, i64>
    }
    %w = phi.get %v[%n] : !phi.vec<tuple<i64, i64>>[i64]
    %m = phi.proj %w, 0 : tuple<i64, i64> -> i64
    // CHECK: phi.fold (%l < %m
    %s = phi.fold (%l < %m, %y = %x) -> f64 {
      phi.yield %y : f64
    }
    phi.yield %s : f64
  }
  func.return
}
