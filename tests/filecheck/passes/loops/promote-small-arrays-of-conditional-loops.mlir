// RUN: ein-opt %s --split-input-file -p promote-small-arrays | filecheck %s

// A loop that ends by a condition overwrites its own copy of a small array.

func.func @conditional(%limit: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %yes = arith.constant true
  %a = memref.alloc(%c2) : memref<?xf64>
  %t, %m, %x = scf.while (%t1 = %c0, %m1 = %yes, %x1 = %a) : (index, i1, memref<?xf64>) -> (index, i1, memref<?xf64>) {
    %below = arith.cmpi slt, %t1, %c2 : index
    %more = arith.andi %below, %m1 : i1
    scf.condition(%more) %t1, %m1, %x1 : index, i1, memref<?xf64>
  } do {
  ^bb0(%t2: index, %m2: i1, %x2: memref<?xf64>):
    %y = memref.alloc(%c2) : memref<?xf64>
    %u = memref.load %x2[%c0] : memref<?xf64>
    %v = memref.load %x2[%c1] : memref<?xf64>
    memref.store %v, %y[%c0] : memref<?xf64>
    memref.store %u, %y[%c1] : memref<?xf64>
    memref.dealloc %x2 : memref<?xf64>
    %n = arith.addi %t2, %c1 : index
    %less = arith.cmpf olt, %u, %limit : f64
    scf.yield %n, %less, %y : index, i1, memref<?xf64>
  }
  %r = memref.load %x[%c1] : memref<?xf64>
  memref.dealloc %x : memref<?xf64>
  func.return %r : f64
}

// CHECK-LABEL:   func.func @conditional
// CHECK:           %a = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      %x2 = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      "memref.copy"(%a, %x2) : (memref<2xf64>, memref<2xf64>) -> ()
// CHECK-NEXT:      %y = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      %t, %m = scf.while (%t1 = %c0, %m1 = %yes) : (index, i1) -> (index, i1) {
// CHECK-NEXT:        %below = arith.cmpi slt, %t1, %c2 : index
// CHECK-NEXT:        %more = arith.andi %below, %m1 : i1
// CHECK-NEXT:        scf.condition(%more) %t1, %m1 : index, i1
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^bb0(%t2: index, %m2: i1):
// CHECK-NEXT:        %u = memref.load %x2[%c0] : memref<2xf64>
// CHECK-NEXT:        %v = memref.load %x2[%c1] : memref<2xf64>
// CHECK-NEXT:        memref.store %v, %y[%c0] : memref<2xf64>
// CHECK-NEXT:        memref.store %u, %y[%c1] : memref<2xf64>
// CHECK-NOT:         memref.dealloc
// CHECK:             scf.yield %n, %less : index, i1
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = memref.load %x2[%c1] : memref<2xf64>
// CHECK-NEXT:      func.return %r : f64

// -----

// One whose condition reads the array stays as it is.

func.func @tested(%limit: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc(%c2) : memref<?xf64>
  %x = scf.while (%x1 = %a) : (memref<?xf64>) -> memref<?xf64> {
    %u = memref.load %x1[%c0] : memref<?xf64>
    %more = arith.cmpf olt, %u, %limit : f64
    scf.condition(%more) %x1 : memref<?xf64>
  } do {
  ^bb0(%x2: memref<?xf64>):
    memref.store %limit, %x2[%c0] : memref<?xf64>
    scf.yield %x2 : memref<?xf64>
  }
  %r = memref.load %x[%c0] : memref<?xf64>
  func.return %r : f64
}

// CHECK-LABEL:   func.func @tested
// CHECK-NOT:       memref.alloca
