// RUN: DIAGNOSTICS

// An error has the place of the innermost invalid operation, whoever finds it.

// From a verifier of xDSL.
func.func @result(%x: f64) -> i64 {
  func.return %x : f64
}
// CHECK: Expected arguments to have the same types as the function output types
// CHECK-SAME: (at {{.*}}places.mlir:7:3)

// -----

// From a verifier of ours, in a body.
func.func @regular(%n: i64) -> !phi.vec<!phi.vec<i64>> {
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<i64>> {
    %m = arith.index_cast %i : index to i64
    %s = phi.array (%j < %m) -> !phi.vec<i64> {
      phi.yield %m : i64
    }
    phi.yield %s : !phi.vec<i64>
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}
// CHECK: sizes and counts must not depend on an index
// CHECK-SAME: (at {{.*}}places.mlir:18:5)

// -----

// From the constructor of a type.
func.func @type(%a: !phi.vec<index>) {
  func.return
}
// CHECK: places.mlir:31:30
// CHECK: !phi.vec holds i1, i8, i16, i32, i64, bf16, f16, f32, f64, vectors and tuples of them, not 'index'

// -----

// From Python: the name of a block.
"builtin.module"() ({
^0:
}) : () -> ()
// CHECK: places.mlir:41:3
// CHECK: Invalid Block name format
