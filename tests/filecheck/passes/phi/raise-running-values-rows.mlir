// RUN: ein-opt %s -p raise-running-values{rows=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s -p raise-running-values{rows=true},raise-running-values{windows=true} | filecheck %s --check-prefix=ONCE

// The rows of a table are two scans each, if the cost of a step is the same in all steps.
func.func @rows(%a: !phi.vec<!phi.vec<i64>>, %v: !phi.vec<i64>, %c: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i64>>
  %m = phi.size %v, 0 : !phi.vec<i64>
  %table = phi.fold (%i < %n, %above = %v) -> !phi.vec<i64> {
    %init = phi.tuple (%c, %above) : tuple<i64, !phi.vec<i64>>
    %row = phi.fold (%j < %m, %state = %init) -> tuple<i64, !phi.vec<i64>> {
      %left = phi.proj %state, 0 : tuple<i64, !phi.vec<i64>> -> i64
      %paid = arith.subi %left, %c : i64
      %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<i64>>[i64, i64]
      %value = arith.maxsi %paid, %x : i64
      %here = phi.proj %state, 1 : tuple<i64, !phi.vec<i64>> -> !phi.vec<i64>
      %new = phi.update %here[%j], %value : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
      %next = phi.tuple (%value, %new) : tuple<i64, !phi.vec<i64>>
      phi.yield %next : tuple<i64, !phi.vec<i64>>
    }
    %result = phi.proj %row, 1 : tuple<i64, !phi.vec<i64>> -> !phi.vec<i64>
    phi.yield %result : !phi.vec<i64>
  }
  func.return %table : !phi.vec<i64>
}

// CHECK-LABEL: func.func @rows(
// CHECK:         phi.fold (%i < %n, %above = %v)
// CHECK:           phi.weighted_scan "max" %{{.*}} by %{{.*}} : !phi.vec<i64> by i64
// CHECK:           %[[STEPS:.*]] = arith.select %{{.*}}, %{{.*}}, %m : i64
// CHECK:           phi.fold (%{{.*}} < %[[STEPS]],

// The loop beside the scan stays one.
// ONCE-LABEL: func.func @rows(
// ONCE:         phi.weighted_scan
// ONCE-NOT:     phi.weighted_scan

// A cost of each step is a scan of log m steps: diagonals take fewer. One row is raised after them.
func.func @costs(%a: !phi.vec<!phi.vec<i64>>, %v: !phi.vec<i64>, %c: i64) -> i64 {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i64>>
  %m = phi.size %v, 0 : !phi.vec<i64>
  %last = phi.fold (%i < %n, %first = %c) -> i64 {
    %row = phi.fold (%j < %m, %left = %first) -> i64 {
      %cost = phi.get %v[%j] : !phi.vec<i64>[i64]
      %paid = arith.subi %left, %cost : i64
      %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<i64>>[i64, i64]
      %value = arith.maxsi %paid, %x : i64
      phi.yield %value : i64
    }
    phi.yield %row : i64
  }
  func.return %last : i64
}

// CHECK-LABEL: func.func @costs(
// CHECK-NOT:     phi.weighted_scan

func.func @single(%v: !phi.vec<i64>, %c: i64) -> i64 {
  %m = phi.size %v, 0 : !phi.vec<i64>
  %last = phi.fold (%j < %m, %left = %c) -> i64 {
    %paid = arith.subi %left, %c : i64
    %x = phi.get %v[%j] : !phi.vec<i64>[i64]
    %value = arith.maxsi %paid, %x : i64
    phi.yield %value : i64
  }
  func.return %last : i64
}

// CHECK-LABEL: func.func @single(
// CHECK-NOT:     phi.weighted_scan
