// RUN: ein-opt %s -p "unify-sizes{numbers=true}" | filecheck %s --check-prefixes=CHECK,NUMBERS
// RUN: ein-opt %s -p unify-sizes | filecheck %s --check-prefixes=CHECK,SIZES

// The size of an argument that is known, also that of an accumulator, is a number.

func.func @steps(%u: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64>
    attributes {ein.known_sizes = [array<i64: 3>, array<i64: 0>]} {
  %r = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
    %n = phi.size %v, 0 : !phi.vec<f64>
    %w = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %v[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @steps(
// SIZES:         %[[N:.*]] = phi.size %u, 0
// CHECK-NEXT:    %r = phi.fold
// NUMBERS:         %[[N:.*]] = arith.constant 3 : i64
// CHECK-NEXT:      %w = phi.array (%i < %[[N]])

// Other sizes stay.

func.func @unknown(%u: !phi.vec<!phi.vec<f64>>) -> i64
    attributes {ein.known_sizes = [array<i64: 0, 2>]} {
  %n = phi.size %u, 0 : !phi.vec<!phi.vec<f64>>
  func.return %n : i64
}

// CHECK-LABEL: func.func @unknown(
// CHECK-NEXT:    %n = phi.size %u, 0
