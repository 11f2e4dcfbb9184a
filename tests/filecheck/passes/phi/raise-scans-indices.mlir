// RUN: ein-opt %s --split-input-file -p "raise-scans,canonicalize" | filecheck %s

// Totals of the steps whose key is below an index are a scan of totals by key, without an order.

func.func @below(%x: !phi.vec<i64>, %w: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : i64
  %m = phi.size %x, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %at = arith.index_cast %i : index to i64
    %limit = arith.addi %at, %two : i64
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %key = phi.get %x[%k] : !phi.vec<i64>[i64]
      %below = arith.cmpi sle, %key, %limit : i64
      %e = phi.get %w[%k] : !phi.vec<f64>[i64]
      %t = arith.select %below, %e, %zero : f64
      %next = arith.addf %acc, %t : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @below
// CHECK-NOT:     phi.sort
// CHECK:         %[[SUMS:.*]] = phi.accumulate (%k < %m) into "add" (%n) -> !phi.vec<f64> {
// CHECK:           %[[KEY:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// CHECK:           %[[PLACE:.*]] = arith.maxsi %[[KEY]], %{{.*}} : i64
// CHECK:           phi.tuple (%[[PLACE]], %{{.*}}) : tuple<i64, f64>
// CHECK:         %[[SCAN:.*]] = phi.scan "add" %[[SUMS]] : !phi.vec<f64>
// CHECK:         phi.get %[[SCAN]][%{{.*}}] : !phi.vec<f64>[i64]
// CHECK-NOT:     phi.fold

// -----

// Floats are sorted, and so are keys for limits at a multiple of the index.

func.func @others(%x: !phi.vec<f64>, %y: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %at = arith.index_cast %i : index to i64
    %float = arith.sitofp %at : i64 to f64
    %s = phi.fold (%k < %m, %acc = %zero) -> i64 {
      %key = phi.get %x[%k] : !phi.vec<f64>[i64]
      %below = arith.cmpf ole, %key, %float : f64
      %t = arith.select %below, %one, %zero : i64
      %next = arith.addi %acc, %t : i64
      phi.yield %next : i64
    }
    %twice = arith.addi %at, %at : i64
    %u = phi.fold (%k < %m, %acc = %zero) -> i64 {
      %key = phi.get %y[%k] : !phi.vec<i64>[i64]
      %below = arith.cmpi sle, %key, %twice : i64
      %t = arith.select %below, %one, %zero : i64
      %next = arith.addi %acc, %t : i64
      phi.yield %next : i64
    }
    %both = arith.addi %s, %u : i64
    phi.yield %both : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @others
// CHECK:         phi.sort
// CHECK:         phi.sort
// CHECK-NOT:     phi.accumulate
