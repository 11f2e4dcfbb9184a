// RUN: ein-opt %s --split-input-file -p convert-phi-to-loops --print-op-generic | ein-opt --split-input-file | filecheck %s
// RUN: ein-opt %s --split-input-file -p convert-phi-to-loops | ein-opt --split-input-file | filecheck %s

// The first elements of a long sorted vector, if they are few, are found in one pass with a heap.
func.func @first(%v: !phi.vec<f64>, %k: i64) -> !phi.vec<i64> {
  %p = phi.argsort %v : !phi.vec<f64>
  %r = phi.array (%i < %k) -> !phi.vec<i64> {
    %x = phi.get %p[%i] : !phi.vec<i64>[index]
    phi.yield %x : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @first(
// CHECK:         %[[N:.*]] = memref.dim %v,
// CHECK:         %[[KEYS:.*]] = memref.alloc(%[[N]]) : memref<?xi64>
// CHECK:         arith.minui
// CHECK:         %[[K:.*]] = arith.index_cast %k : i64 to index
// CHECK:         %[[LEAST:.*]] = arith.muli %[[COUNT:.*]], %{{.*}} : index
// CHECK-NEXT:    %[[IS_SHORT:.*]] = arith.cmpi sle, %[[LEAST]], %[[N]] : index
// CHECK:         %[[FEW:.*]] = arith.andi %[[IS_SHORT]], %{{.*}} : i1
// CHECK-NEXT:    scf.if %[[FEW]] {
// CHECK:           memref.alloc(%{{.*}}, %[[COUNT]]) : memref<?x?xi64>
// CHECK:           scf.while
// CHECK:         } else {
// CHECK:           arith.shrui

// -----

// Any element may be read: all are sorted.
func.func @all(%v: !phi.vec<f64>, %k: i64) -> (!phi.vec<i64>, i64) {
  %p = phi.argsort %v : !phi.vec<f64>
  %x = phi.get %p[%k] : !phi.vec<i64>[i64]
  func.return %p, %x : !phi.vec<i64>, i64
}

// CHECK-LABEL: func.func @all(
// CHECK-NOT:     scf.while
// CHECK:         func.return
