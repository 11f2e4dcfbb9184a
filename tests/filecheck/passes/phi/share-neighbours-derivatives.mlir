// RUN: ein-opt %s --split-input-file -p 'share-neighbours{derivatives=true}' | filecheck %s

// A flux in a derivative, which leaves one cell and enters the next, is an array before.
func.func @fluxes(%u: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %r = phi.vjp (%x = %u by %ct) : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %d = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = arith.index_cast %i : index to i64
      %q = arith.addi %p, %one : i64
      %a = phi.get %x[%i] : !phi.vec<f64>[index]
      %b = phi.get %x[%q] : !phi.vec<f64>[i64]
      %f = math.exp %a : f64
      %g = math.exp %b : f64
      %e = arith.subf %g, %f : f64
      phi.yield %e : f64
    }
    phi.yield %d : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @fluxes(
// CHECK:         phi.vjp
// CHECK:           [[F:%.*]] = phi.array
// CHECK:             math.exp
// CHECK:           phi.array
// CHECK-NOT:         math.exp
// CHECK:             phi.get [[F]][
// CHECK:             phi.get [[F]][
// CHECK:           phi.yield

// -----

// Without a derivative nothing changes.
func.func @program(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %d = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %one : i64
    %a = phi.get %x[%i] : !phi.vec<f64>[index]
    %b = phi.get %x[%q] : !phi.vec<f64>[i64]
    %f = math.exp %a : f64
    %g = math.exp %b : f64
    %e = arith.subf %g, %f : f64
    phi.yield %e : f64
  }
  func.return %d : !phi.vec<f64>
}

// CHECK-LABEL: func.func @program(
// CHECK-COUNT-1: phi.array
// CHECK-COUNT-2: math.exp
// CHECK:         phi.yield
