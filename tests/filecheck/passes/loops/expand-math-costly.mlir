// RUN: ein-opt %s -p expand-math | filecheck %s

// Loops over rows that compute functions are marked: sums, and elements.
// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for %j = %zero to %m step %one iter_args(%acc = %start) -> (f64) {
// CHECK:         } {ein.costly}
// CHECK:         "scf.parallel"(%zero, %zero, %n, %m, %one, %one)
// CHECK:         }) {ein.costly} : (index, index, index, index, index, index) -> ()
func.func @rows(%a: memref<?x?xf64>, %b: memref<?xf64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0.0 : f64
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %j = %zero to %m step %one iter_args(%acc = %start) -> (f64) {
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %e = math.exp %x : f64
      %next = arith.addf %acc, %e fastmath<reassoc> : f64
      scf.yield %next : f64
    }
    memref.store %s, %b[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%zero, %zero, %n, %m, %one, %one) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<?x?xf64>
    %e = math.sin %x : f64
    memref.store %e, %a[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// Others are not: a sum in the order of the program, a known number of steps, a loop in no other,
// a power, whose lanes of zeros would take long, and a loop without functions.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     ein.costly
func.func @others(%a: memref<?x?xf64>, %b: memref<?xf64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %start = arith.constant 0.0 : f64
  %exponent = arith.constant 2.2 : f64
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %j = %zero to %m step %one iter_args(%acc = %start) -> (f64) {
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %e = math.exp %x : f64
      %next = arith.addf %acc, %e : f64
      scf.yield %next : f64
    }
    memref.store %s, %b[%i] : memref<?xf64>
    scf.for %j = %zero to %ten step %one {
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %e = math.exp %x : f64
      memref.store %e, %a[%i, %j] : memref<?x?xf64>
    }
    scf.for %j = %zero to %m step %one {
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %e = math.powf %x, %exponent : f64
      %f = math.exp %e : f64
      memref.store %f, %a[%i, %j] : memref<?x?xf64>
    }
    scf.for %j = %zero to %m step %one {
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %e = math.sqrt %x : f64
      memref.store %e, %a[%i, %j] : memref<?x?xf64>
    }
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %b[%i] : memref<?xf64>
    %e = math.exp %x : f64
    memref.store %e, %b[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// A sum of few known steps will be unrolled, as it would be without a formula; one of many is not.
// CHECK-LABEL: func.func @few(
// CHECK:         scf.for %j = %zero to %eight step %one
// CHECK:         } {ein.unrolled}
// CHECK:         scf.for %j_1 = %zero to %many step %one
// CHECK-NOT:     ein.unrolled
func.func @few(%a: memref<?x?xf64>, %b: memref<?xf64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %many = arith.constant 17 : index
  %start = arith.constant 0.0 : f64
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %j = %zero to %eight step %one iter_args(%acc = %start) -> (f64) {
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %e = math.exp %x : f64
      %next = arith.addf %acc, %e : f64
      scf.yield %next : f64
    }
    %t = scf.for %j = %zero to %many step %one iter_args(%acc = %s) -> (f64) {
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %e = math.exp %x : f64
      %next = arith.addf %acc, %e : f64
      scf.yield %next : f64
    }
    memref.store %t, %b[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
