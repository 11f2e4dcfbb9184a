// RUN: ein-opt %s -p interchange-loops | filecheck %s

// A test around the nest says that there are enough results: there is no other form.

func.func @tested(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?xf64>, %n: index, %other: i1) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %many = arith.cmpi sge, %n, %c8 : index
  %both = arith.andi %other, %many : i1
  scf.if %both {
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
        %x = memref.load %a[%k, %i] : memref<?x?xf64>
        %next = arith.addf %acc, %x : f64
        scf.yield %next : f64
      }
      memref.store %s, %c[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}
// CHECK-LABEL: func.func @tested(
// CHECK:         scf.if %both {
// CHECK-NOT:       scf.if
// CHECK:           memref.alloca() : memref<1024xf64>
// CHECK-NOT:     else
// CHECK:         func.return
