// RUN: ein-opt %s -p raise-writes,canonicalize,dce | filecheck %s
// RUN: ein-opt %s -p raise-writes{versions=false},canonicalize,dce | filecheck %s --check-prefix=ONE

// The scan of elements that pay a gap at each step may overflow: it is one of two versions.
func.func @gaps(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %gap: i64) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %n = phi.size %b, 0 : !phi.vec<i64>
  %r = phi.fold (%j < %n, %v = %a) -> !phi.vec<i64> {
    %p = arith.addi %j, %one : i64
    %x = phi.get %v[%j] : !phi.vec<i64>[i64]
    %y = phi.get %b[%j] : !phi.vec<i64>[i64]
    %z = arith.addi %x, %gap : i64
    %e = arith.maxsi %z, %y : i64
    %w = phi.update %v[%p], %e : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %w : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @gaps(
// CHECK:         %[[FIRST:.*]] = phi.fold
// CHECK:           phi.weighted_scan "max"
// CHECK:         phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %[[FIRST]])

// ONE-LABEL:   func.func @gaps(
// ONE-NOT:       phi.weighted_scan
// ONE:           %r = phi.fold (%j < %n, %v = %a)
