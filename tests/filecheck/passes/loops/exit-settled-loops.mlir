// RUN: ein-opt %s --split-input-file -p exit-settled-loops | filecheck %s

// A test: eight steps one by one, then blocks of steps that become larger, until the test is settled.

func.func @any(%a: memref<?xf64>, %n: index, %limit: f64) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %any = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %false) -> (i1) {
    %x = memref.load %a[%k] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %limit : f64
    %0 = arith.ori %acc, %c : i1
    scf.yield %0 : i1
  }
  func.return %any : i1
}

// CHECK-LABEL: func.func @any(
// CHECK:         [[EIGHT:%.*]] = arith.constant 8 : index
// CHECK-NEXT:    [[SUM:%.*]] = arith.addi %c0, [[EIGHT]] : index
// CHECK-NEXT:    [[FEW:%.*]] = arith.minsi [[SUM]], %n : index
// CHECK-NEXT:    [[K:%.*]], [[FIRST:%.*]] = scf.while ([[I:%.*]] = %c0, [[ACC:%.*]] = %false)
// CHECK-NEXT:      [[LEFT:%.*]] = arith.cmpi slt, [[I]], [[FEW]] : index
// CHECK:           [[OPEN:%.*]] = arith.xori [[ACC]],
// CHECK-NEXT:      [[GO:%.*]] = arith.andi [[LEFT]], [[OPEN]] : i1
// CHECK-NEXT:      scf.condition([[GO]])
// CHECK:           memref.load %a[
// CHECK:         scf.while ({{%.*}} = [[K]], {{%.*}} = [[FIRST]], {{%.*}} = {{%.*}}) : (index, i1, index)
// CHECK:           scf.condition
// CHECK:           [[END:%.*]] = arith.minsi {{%.*}}, %n : index
// CHECK-NEXT:      scf.for {{%.*}} = {{%.*}} to [[END]] step %c1
// CHECK:           arith.minsi

// -----

// Of steps with loops each may be the last. Neighbouring results have a version for few steps.

func.func @any_of_all(%a: memref<?xf64>, %r: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %true = arith.constant true
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %any = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %false) -> (i1) {
      %x = memref.load %a[%j] : memref<?xf64>
      %all = scf.for %k = %c0 to %i step %c1 iter_args(%both = %true) -> (i1) {
        %y = memref.load %a[%k] : memref<?xf64>
        %c = arith.cmpf oge, %y, %x : f64
        %0 = arith.andi %both, %c : i1
        scf.yield %0 : i1
      }
      %1 = arith.ori %acc, %all : i1
      scf.yield %1 : i1
    }
    memref.store %any, %r[%i] : memref<?xi1>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @any_of_all(
// CHECK:         [[LONG:%.*]] = arith.cmpi sge,
// CHECK-NEXT:    scf.if [[LONG]] {
// CHECK-NEXT:      "scf.parallel"
// CHECK:             scf.while {{.*}} (index, i1) -> (index, i1)
// CHECK:               scf.while {{.*}} (index, i1) -> (index, i1)
// CHECK:               scf.while {{.*}} (index, i1, index) -> (index, i1, index)
// CHECK:         } else {
// CHECK-NEXT:      "scf.parallel"
// CHECK-NOT:         scf.while
// CHECK:             func.return

// -----

// Steps that read a row, with an element for each result, stay: their results are taken together.

func.func @columns(%a: memref<?x?xf64>, %r: memref<?xi1>, %n: index, %limit: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %any = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %false) -> (i1) {
      %x = memref.load %a[%k, %i] : memref<?x?xf64>
      %c = arith.cmpf ogt, %x, %limit : f64
      %0 = arith.ori %acc, %c : i1
      scf.yield %0 : i1
    }
    memref.store %any, %r[%i] : memref<?xi1>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @columns(
// CHECK-NOT:     scf.while
// CHECK:         func.return
