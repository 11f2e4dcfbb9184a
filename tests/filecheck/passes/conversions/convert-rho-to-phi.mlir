// RUN: ein-opt %s -p convert-rho-to-phi{ranks=0,1} --split-input-file --verify-diagnostics --parsing-diagnostics 2>&1 | filecheck %s

// A generator is a comprehension that chooses between its body and its default. Sizes are Ints, and
// so is the index; inputs are floats.
rho.program (%n, %v) {
  %zero = rho.scalar 0
  %one = rho.scalar 1
  %r = rho.gen %n, %zero with %one <= %iv < %n {
    %k = rho.arith "-" %iv, %one
    %i = rho.stack [%k]
    %x = rho.select %v[%i]
    rho.yield %x
  }
  rho.yield %r
}
// CHECK:      func.func @main(%n: f64, %v: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK:        %[[M:.*]] = arith.fptosi %n : f64 to i64
// CHECK-NEXT:   %[[R:.*]] = phi.array (%[[I:.*]] < %[[M]]) -> !phi.vec<f64> {
// CHECK-NEXT:     %[[P:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK:          arith.cmpi sge, %[[P]]
// CHECK:          arith.cmpi slt, %[[P]]
// CHECK:          %[[K:.*]] = arith.subi %[[P]]
// CHECK-NEXT:     %[[X:.*]] = phi.get %v[%[[K]]] : !phi.vec<f64>[i64]
// CHECK:          %[[Y:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}} : f64
// CHECK-NEXT:     phi.yield %[[Y]] : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %[[R]] : !phi.vec<f64>

// -----

// Branches may have different sizes: the size is chosen, too. In a branch that is not taken, sizes
// of generators are 0. Calls are inlined.
rho.program (%n, %v) {
  rho.function @zeros(%k) {
    %zero = rho.scalar 0
    %z = rho.fill %k, %zero
    rho.yield %z
  }
  %r = rho.if %n {
    %w = rho.concat %v, %v
    rho.yield %w
  } else {
    %w = rho.call @zeros(%n)
    rho.yield %w
  }
  rho.yield %r
}
// CHECK:       func.func @main
// CHECK:         %[[C:.*]] = arith.cmpf une, %n
// CHECK:         phi.concat %v, %v : !phi.vec<f64>
// CHECK:         %[[NOT:.*]] = arith.xori %[[C]]
// CHECK:         %[[S:.*]] = arith.select %[[NOT]], %{{.*}} : i64
// CHECK:         phi.array ({{.*}} < %[[S]]) -> !phi.vec<f64>
// CHECK:         %[[SIZE:.*]] = arith.select %[[C]], %{{.*}}, %{{.*}} : i64
// CHECK:         phi.array ({{.*}} < %[[SIZE]]) -> !phi.vec<f64>

// -----

rho.program (%n, %v) {
  rho.function @f(%k) {
    %x = rho.call @f(%k)
    rho.yield %x
  }
  %r = rho.call @f(%n)
  rho.yield %r
}
// CHECK: rho.call: @f calls itself (at {{.*}}convert-rho-to-phi.mlir:

// -----

rho.program (%n, %v) {
  %r = rho.fill %v, %n
  rho.yield %r
}
// CHECK: rho.fill: the shape has a length that is decided at run time (at

// -----

rho.program (%n) {
  rho.yield %n
}
// CHECK: rho.program: it has 1 input, and ranks has 2 (at
