// RUN: ein-opt %s --split-input-file -p raise-scans,dce | filecheck %s

// Elements at a distance from an index, up to the end: a scan of all positions.

func.func @rest(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %low = arith.constant 0xFFF0000000000000 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %own = arith.index_cast %i : index to i64
    %m = phi.fold (%k < %n, %acc = %low) -> f64 {
      %p = arith.addi %own, %k : i64
      %inside = arith.cmpi slt, %p, %n : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %y = arith.select %inside, %e, %low : f64
      %next = arith.maximumf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %m : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @rest(
// CHECK-NOT:     phi.fold
// CHECK:         phi.scan "max" %{{.*}} suffixes
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// The first one that holds ends a loop of flags: its position is a scan, and so is the number of
// others up to it.

func.func @ray(%x: !phi.vec<i1>, %y: !phi.vec<i1>) -> !phi.vec<i1> {
  %no = arith.constant false
  %yes = arith.constant true
  %n = phi.size %x, 0 : !phi.vec<i1>
  %r = phi.array (%i < %n) -> !phi.vec<i1> {
    %start = phi.tuple (%no, %no) : tuple<i1, i1>
    %s = phi.fold (%k < %n, %acc = %start) -> tuple<i1, i1> {
      %done = phi.proj %acc, 0 : tuple<i1, i1> -> i1
      %hit = phi.proj %acc, 1 : tuple<i1, i1> -> i1
      %own = arith.index_cast %i : index to i64
      %p = arith.addi %own, %k : i64
      %inside = arith.cmpi slt, %p, %n : i64
      %a = phi.get %x[%p] : !phi.vec<i1>[i64]
      %b = phi.get %y[%p] : !phi.vec<i1>[i64]
      %ends = arith.andi %inside, %a : i1
      %after = arith.ori %done, %ends : i1
      %free = arith.xori %done, %yes : i1
      %c = arith.andi %free, %inside : i1
      %d = arith.andi %c, %b : i1
      %found = arith.ori %hit, %d : i1
      %next = phi.tuple (%after, %found) : tuple<i1, i1>
      phi.yield %next : tuple<i1, i1>
    }
    %m = phi.proj %s, 1 : tuple<i1, i1> -> i1
    phi.yield %m : i1
  }
  func.return %r : !phi.vec<i1>
}
// CHECK-LABEL: func.func @ray(
// CHECK-NOT:     phi.fold
// CHECK:         phi.scan "min" %{{.*}} suffixes
// CHECK-NOT:     phi.fold
// CHECK:         phi.scan "add"
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// The elements vary with the index at each position: a loop.

func.func @by_distance(%x: !phi.vec<f64>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
  %low = arith.constant 0xFFF0000000000000 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %own = arith.index_cast %i : index to i64
    %m = phi.fold (%k < %n, %acc = %low) -> f64 {
      %p = arith.addi %own, %k : i64
      %inside = arith.cmpi slt, %p, %n : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %f = phi.get %w[%k] : !phi.vec<f64>[i64]
      %g = arith.mulf %e, %f : f64
      %y = arith.select %inside, %g, %low : f64
      %next = arith.maximumf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %m : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @by_distance(
// CHECK:         phi.fold (%k < %n, %acc = %low) -> f64 {
// CHECK-NOT:     phi.scan

// -----

// Two totals of one loop: a scan for each.

func.func @fields(%x: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %own = arith.index_cast %i : index to i64
    %start = phi.tuple (%zero, %zero) : tuple<i64, i64>
    %s = phi.fold (%k < %n, %acc = %start) -> tuple<i64, i64> {
      %a = phi.proj %acc, 0 : tuple<i64, i64> -> i64
      %b = phi.proj %acc, 1 : tuple<i64, i64> -> i64
      %c = arith.cmpi slt, %k, %own : i64
      %e = phi.get %x[%k] : !phi.vec<i64>[i64]
      %sum = arith.addi %a, %e : i64
      %most = arith.maxsi %b, %e : i64
      %next_a = arith.select %c, %sum, %a : i64
      %next_b = arith.select %c, %most, %b : i64
      %next = phi.tuple (%next_a, %next_b) : tuple<i64, i64>
      phi.yield %next : tuple<i64, i64>
    }
    %t = phi.proj %s, 0 : tuple<i64, i64> -> i64
    %u = phi.proj %s, 1 : tuple<i64, i64> -> i64
    %d = arith.subi %t, %u : i64
    phi.yield %d : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @fields(
// CHECK-NOT:     phi.fold
// CHECK:         phi.scan "add"
// CHECK-NOT:     phi.fold
// CHECK:         phi.scan "max"
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// The steps behind a clip repeat the one at it: a scan.

func.func @clipped(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %low = arith.constant 0xFFF0000000000000 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %own = arith.index_cast %i : index to i64
    %m = phi.fold (%k < %n, %acc = %low) -> f64 {
      %p = arith.minsi %k, %own : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %next = arith.maximumf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %m : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @clipped(
// CHECK-NOT:     phi.fold
// CHECK:         phi.scan "max"
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// A sum counts each of them, and before the first element there may be none: loops.

func.func @counted(%x: !phi.vec<f64>, %j: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %low = arith.constant 0xFFF0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %own = arith.index_cast %i : index to i64
    %m = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %p = arith.minsi %k, %own : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %m : f64
  }
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %own = arith.index_cast %i : index to i64
    %end = arith.addi %own, %j : i64
    %m = phi.fold (%k < %n, %acc = %low) -> f64 {
      %p = arith.minsi %k, %end : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %f = arith.negf %e : f64
      %next = arith.maximumf %acc, %f : f64
      phi.yield %next : f64
    }
    phi.yield %m : f64
  }
  %t = phi.tuple (%r, %s) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  func.return %t : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @counted(
// CHECK-NOT:     phi.scan
// CHECK:         func.return

// -----

// Windows: few steps are taken one by one, and others make up runs of 1, 2, 4, .. elements.

func.func @window(%x: !phi.vec<f64>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %own = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %p = arith.addi %own, %k : i64
      %inside = arith.cmpi slt, %p, %n : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %y = arith.select %inside, %e, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @window(
// CHECK:         %[[SOME:.*]] = arith.constant 32 : i64
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %m, %[[SOME]] : i64
// CHECK:         %[[NONE:.*]] = arith.minsi %m, %{{.*}} : i64
// CHECK:         %[[COUNT:.*]] = arith.select %[[FEW]], %m, %[[NONE]] : i64
// CHECK:         %r = phi.array
// CHECK:           %[[MANY:.*]] = arith.select %[[FEW]], %[[NONE]], %n : i64
// CHECK:           phi.array (%k < %[[MANY]])
// CHECK:           phi.fold
// CHECK:             arith.shli
// CHECK:           %[[TOTAL:.*]] = phi.get %{{.*}}[%i]
// CHECK:           phi.fold (%{{.*}} < %[[COUNT]], %acc = %[[TOTAL]]) -> f64 {
// CHECK:         func.return
