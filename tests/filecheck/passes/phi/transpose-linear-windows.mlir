// RUN: ein-opt %s -p transpose-linear | filecheck %s

// As many positions are beyond the end as a window has steps: they are counted when the program runs.
func.func @beyond(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %t = phi.transpose (%d = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %p = arith.addi %i_1, %k : i64
        %u = phi.get %d[%p] : !phi.vec<f64>[i64]
        %v = phi.get %w[%k] : !phi.vec<f64>[i64]
        %uv = arith.mulf %u, %v : f64
        %next = arith.addf %acc, %uv : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @beyond
// CHECK-NOT:     phi.accumulate
// CHECK:         %[[LAST:.*]] = arith.subi %m, %{{.*}} : i64
// CHECK-NEXT:    %[[MORE:.*]] = arith.maxsi %[[LAST]], %{{.*}} : i64
// CHECK-NEXT:    %[[SIZE:.*]] = arith.addi %{{.*}}, %[[MORE]] : i64
// CHECK-NEXT:    phi.array (%{{.*}} < %[[SIZE]]) -> !phi.vec<f64> {
// CHECK:           phi.fold (%k < %m

// An offset that is no size may be any number, so its elements are found by their positions.
func.func @offset(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %o: i64, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %t = phi.transpose (%d = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %p = arith.addi %i_1, %k : i64
        %q = arith.addi %p, %o : i64
        %u = phi.get %d[%q] : !phi.vec<f64>[i64]
        %v = phi.get %w[%k] : !phi.vec<f64>[i64]
        %uv = arith.mulf %u, %v : f64
        %next = arith.addf %acc, %uv : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @offset
// CHECK:         phi.accumulate
