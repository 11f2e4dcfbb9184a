// RUN: ein-opt %s --split-input-file -p raise-reductions{nested=true} | filecheck %s

// A loop begins with the first factor of a product of floats: no array is joined to it.
func.func @scaled_product(%a: !phi.vec<f64>, %x: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %x) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %acc, %v : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK-LABEL:  func.func @scaled_product(
// CHECK:            %s = phi.fold (%k < %n, %acc = %x) -> f64 {
// CHECK-NOT:        phi.reduce

// -----

// A product that begins with 1 is a reduction.
func.func @product(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1.0 : f64
  %s = phi.fold (%k < %n, %acc = %one) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %acc, %v : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK-LABEL:  func.func @product(
// CHECK-NOT:        phi.concat
// CHECK:            %s = phi.reduce
