// RUN: ein-opt %s -p share-padding | filecheck %s

// Shifts along both axes, one of them along both: one array, padded along both.

func.func @corners(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %back = arith.constant dense<-1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %k = yarr.size %b, 1 : tensor<?x?xf64>
  %e = yarr.assert_eq %m, %k, "columns"
  %x = yarr.slice %a, 0, %back, %n step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
  %y = yarr.slice %a, 1, %two, %e step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
  %z = yarr.slice %x, 1, %back, %e step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
  func.return %x, %y, %z : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @corners(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:    %back = arith.constant dense<-1> : tensor<i64>
// CHECK-NEXT:    %two = arith.constant dense<2> : tensor<i64>
// CHECK-NEXT:    %n = yarr.size %a, 0 : tensor<?x?xf64>
// CHECK-NEXT:    %m = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:    %k = yarr.size %b, 1 : tensor<?x?xf64>
// CHECK-NEXT:    %e = yarr.assert_eq %m, %k, "columns"
// CHECK-NEXT:    %0 = yarr.fill_empty %a, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %1 = yarr.fill_empty %0, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %2 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %3 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %4 = yarr.pad %1, 0, %2, %3 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %5 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %6 = arith.constant dense<2> : tensor<i64>
// CHECK-NEXT:    %7 = yarr.pad %4, 1, %5, %6 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %8 = yarr.size %a, 0 : tensor<?x?xf64>
// CHECK-NEXT:    %9 = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:    %10 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %11 = yarr.slice %7, 0, %10, %8 step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %12 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %x = yarr.slice %11, 1, %12, %9 step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %13 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %14 = yarr.slice %7, 0, %13, %8 step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %15 = arith.constant dense<3> : tensor<i64>
// CHECK-NEXT:    %y = yarr.slice %14, 1, %15, %9 step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %16 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %17 = yarr.slice %7, 0, %16, %8 step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %18 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %z = yarr.slice %17, 1, %18, %9 step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    func.return %x, %y, %z : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT:  }

// In a loop, of an array that is computed there.

func.func @steps(%a: tensor<?xf64>, %k: tensor<i64>) -> tensor<?xf64> {
  %back = arith.constant dense<-1> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %r = yarr.fold (%i < %k, %v = %a) -> tensor<?xf64> {
    %m = yarr.size %v, 0 : tensor<?xf64>
    %x = yarr.slice %v, 0, %back, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %y = yarr.slice %v, 0, %one, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %s = yarr.elementwise { arith.addf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %s : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @steps(%a: tensor<?xf64>, %k: tensor<i64>) -> tensor<?xf64> {
// CHECK-NEXT:    %back = arith.constant dense<-1> : tensor<i64>
// CHECK-NEXT:    %one = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:    %r = yarr.fold (%i < %k, %v = %a) -> tensor<?xf64> {
// CHECK-NEXT:      %m = yarr.size %v, 0 : tensor<?xf64>
// CHECK-NEXT:      %0 = yarr.fill_empty %v, 0 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %1 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %2 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %3 = yarr.pad %0, 0, %1, %2 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %4 = yarr.size %v, 0 : tensor<?xf64>
// CHECK-NEXT:      %5 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %x = yarr.slice %3, 0, %5, %4 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %6 = arith.constant dense<2> : tensor<i64>
// CHECK-NEXT:      %y = yarr.slice %3, 0, %6, %4 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %s = yarr.elementwise { arith.addf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:      yarr.yield %s : tensor<?xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<?xf64>
// CHECK-NEXT:  }

// In a loop whose steps keep the size of an accumulator, given by a size from outside.

func.func @kept(%a: tensor<?xf64>, %k: tensor<i64>) -> tensor<?xf64> {
  %back = arith.constant dense<-1> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %r = yarr.fold (%i < %k, %v = %a) -> tensor<?xf64> {
    %x = yarr.slice %v, 0, %back, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %y = yarr.slice %v, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %s = yarr.elementwise { arith.addf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %s : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @kept(
// CHECK:         yarr.pad
// CHECK-NOT:     clip
// CHECK:         func.return

// A loop in which the accumulator grows.

func.func @grown(%a: tensor<?xf64>, %k: tensor<i64>) -> tensor<?xf64> {
  %back = arith.constant dense<-1> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %r = yarr.fold (%i < %k, %v = %a) -> tensor<?xf64> {
    %x = yarr.slice %v, 0, %back, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %y = yarr.slice %v, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %s = yarr.concat %x, %y axis 0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %s : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @grown(
// CHECK:         %x = yarr.slice %v, 0, %back, %n step 1 clip :
// CHECK-NEXT:    %y = yarr.slice %v, 0, %one, %n step 1 clip :

// Clipped separately: one shift, twice; one from run time; one far outside; another size; a step.

func.func @alone(%a: tensor<?xf64>, %b: tensor<?xf64>, %s: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %back = arith.constant dense<-1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %m = yarr.size %b, 0 : tensor<?xf64>
  %x = yarr.slice %a, 0, %back, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %y = yarr.slice %a, 0, %back, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %z = yarr.slice %a, 0, %s, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %far = arith.constant dense<65> : tensor<i64>
  %v = yarr.slice %a, 0, %far, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %u = yarr.slice %a, 0, %two, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %w = yarr.slice %a, 0, %two, %n step 2 clip : tensor<?xf64> -> tensor<?xf64>
  func.return %x, %y, %z, %u, %v, %w : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @alone(%a: tensor<?xf64>, %b: tensor<?xf64>, %s: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:    %back = arith.constant dense<-1> : tensor<i64>
// CHECK-NEXT:    %two = arith.constant dense<2> : tensor<i64>
// CHECK-NEXT:    %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:    %m = yarr.size %b, 0 : tensor<?xf64>
// CHECK-NEXT:    %x = yarr.slice %a, 0, %back, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %y = yarr.slice %a, 0, %back, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %z = yarr.slice %a, 0, %s, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %far = arith.constant dense<65> : tensor<i64>
// CHECK-NEXT:    %v = yarr.slice %a, 0, %far, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %u = yarr.slice %a, 0, %two, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %w = yarr.slice %a, 0, %two, %n step 2 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    func.return %x, %y, %z, %u, %v, %w : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT:  }

// A few elements more than the array has, whose size is asserted to be another one.

func.func @outer_positions(%a: tensor<?xf64>, %b: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %zero = arith.constant dense<0> : tensor<i64>
  %back = arith.constant dense<-2> : tensor<i64>
  %more = arith.constant dense<2> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %m = yarr.size %b, 0 : tensor<?xf64>
  %e = yarr.assert_eq %m, %n, "sizes"
  %k = yarr.elementwise { arith.addi } %m, %more : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.slice %a, 0, %back, %k step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %y = yarr.slice %a, 0, %zero, %k step 1 clip : tensor<?xf64> -> tensor<?xf64>
  func.return %x, %y : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @outer_positions(
// CHECK:         %[[FILLED:.*]] = yarr.fill_empty %a, 0
// CHECK-NEXT:    %[[LOW:.*]] = arith.constant dense<2>
// CHECK-NEXT:    %[[HIGH:.*]] = arith.constant dense<2>
// CHECK-NEXT:    %[[PADDED:.*]] = yarr.pad %[[FILLED]], 0, %[[LOW]], %[[HIGH]]
// CHECK:         %[[FIRST:.*]] = arith.constant dense<0>
// CHECK-NEXT:    %x = yarr.slice %[[PADDED]], 0, %[[FIRST]], %k step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %[[SECOND:.*]] = arith.constant dense<2>
// CHECK-NEXT:    %y = yarr.slice %[[PADDED]], 0, %[[SECOND]], %k step 1 : tensor<?xf64> -> tensor<?xf64>
