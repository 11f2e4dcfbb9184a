// RUN: ein-opt %s -p narrow-arrays | filecheck %s

// All users read the elements from a counter on: the product of the other rows is not computed. The
// size of the part, which is not zero, is known before.

func.func @column(%l: tensor<?x?xf64>, %c: tensor<?xf64>, %r: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %l, 0 : tensor<?x?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %f = yarr.fold (%k < %n, %acc = %c) -> tensor<?xf64> {
    %p = yarr.einsum "ij,j->i" %l, %r : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %x = yarr.elementwise { arith.subf } %acc, %p : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %d = yarr.take %x, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %m = yarr.elementwise { arith.subi } %n, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %size = yarr.elementwise { arith.maxsi } %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %y = yarr.slice %x, 0, %k, %size step 1 : tensor<?xf64> -> tensor<?xf64>
    %e = yarr.unsqueeze %d, [0] : tensor<f64> -> tensor<1xf64>
    %z = yarr.elementwise { arith.divf } %y, %e : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
    yarr.yield %z : tensor<?xf64>
  }
  func.return %f : tensor<?xf64>
}
// CHECK-LABEL: func.func @column(
// CHECK:         %f = yarr.fold (%k < %n, %acc = %c) -> tensor<?xf64> {
// CHECK-NEXT:      %m = yarr.elementwise { arith.subi } %n, %k
// CHECK-NEXT:      %size = yarr.elementwise { arith.maxsi } %m, %zero
// CHECK-NEXT:      %0 = yarr.slice %l, 0, %k, %size step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %p = yarr.einsum "ij,j->i" %0, %r
// CHECK-NEXT:      %1 = yarr.slice %acc, 0, %k, %size step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %x = yarr.elementwise { arith.subf } %1, %p
// CHECK-NEXT:      %2 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %d = yarr.take %x, 0, %2 in_bounds
// CHECK-NEXT:      %e = yarr.unsqueeze %d, [0]
// CHECK-NEXT:      %z = yarr.elementwise { arith.divf } %x, %e

// Positions from a start on are computed, and an axis of one element is not sliced.

func.func @positions(%a: tensor<1x?xi64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?x?xi64> {
  %one = arith.constant dense<1> : tensor<i64>
  %i = yarr.range %n : tensor<?xi64>
  %j = yarr.elementwise { arith.muli } %i, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %u = yarr.unsqueeze %j, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %s = yarr.elementwise { arith.addi } %u, %a : (tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?xi64>
  %r = yarr.slice %s, 0, %one, %m step 1 : tensor<?x?xi64> -> tensor<?x?xi64>
  func.return %r : tensor<?x?xi64>
}
// CHECK-LABEL: func.func @positions(
// CHECK:         %0 = yarr.slice %u, 0, %one, %m step 1 : tensor<?x1xi64> -> tensor<?x1xi64>
// CHECK-NEXT:    %s = yarr.elementwise { arith.addi } %0, %a

func.func @from_one(%n: tensor<i64>, %m: tensor<i64>) -> tensor<?xi64> {
  %one = arith.constant dense<1> : tensor<i64>
  %i = yarr.range %n : tensor<?xi64>
  %j = yarr.elementwise { arith.muli } %i, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %r = yarr.slice %j, 0, %one, %m step 1 : tensor<?xi64> -> tensor<?xi64>
  func.return %r : tensor<?xi64>
}
// CHECK-LABEL: func.func @from_one(
// CHECK:         %0 = yarr.range %m : tensor<?xi64>
// CHECK-NEXT:    %1 = yarr.unsqueeze %one, [0] : tensor<i64> -> tensor<1xi64>
// CHECK-NEXT:    %2 = yarr.elementwise { arith.addi } %0, %1
// CHECK-NEXT:    %j = yarr.elementwise { arith.muli } %2, %2

// An array stays whole if a user reads all of it, another part, or a first element that the part may
// not have; and if the part depends on it, or is read in a loop.

func.func @stays(%a: tensor<?xf64>, %n: tensor<i64>, %p: tensor<i64>, %q: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<f64>, tensor<?xf64>) {
  %x = yarr.elementwise { math.exp } %a : (tensor<?xf64>) -> tensor<?xf64>
  %0 = yarr.slice %x, 0, %p, %n step 1 : tensor<?xf64> -> tensor<?xf64>
  %1 = yarr.slice %x, 0, %q, %n step 1 : tensor<?xf64> -> tensor<?xf64>
  %y = yarr.elementwise { math.exp } %a : (tensor<?xf64>) -> tensor<?xf64>
  %2 = yarr.slice %y, 0, %p, %n step 1 : tensor<?xf64> -> tensor<?xf64>
  %3 = yarr.take %y, 0, %p in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
  %z = yarr.elementwise { math.exp } %a : (tensor<?xf64>) -> tensor<?xf64>
  %4 = yarr.fold (%k < %n, %acc = %a) -> tensor<?xf64> {
    %5 = yarr.slice %z, 0, %k, %n step 1 : tensor<?xf64> -> tensor<?xf64>
    yarr.yield %5 : tensor<?xf64>
  }
  func.return %0, %1, %2, %3, %4 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<f64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT:    %x = yarr.elementwise { math.exp } %a
// CHECK-NEXT:    %0 = yarr.slice %x
// CHECK-NEXT:    %1 = yarr.slice %x
// CHECK-NEXT:    %y = yarr.elementwise { math.exp } %a
// CHECK-NEXT:    %2 = yarr.slice %y
// CHECK-NEXT:    %3 = yarr.take %y, 0, %p in_bounds
// CHECK-NEXT:    %z = yarr.elementwise { math.exp } %a
// CHECK-NEXT:    %4 = yarr.fold (%k < %n, %acc = %a)
// CHECK-NEXT:      %5 = yarr.slice %z

// The slices of a scan are slices of slices; none of them contains the identity.
func.func @of_scan(%x: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %s = yarr.scan "max" %x, 0 : tensor<?xf64> -> tensor<?xf64>
  %0 = yarr.slice %s, 0, %zero, %n step 1 : tensor<?xf64> -> tensor<?xf64>
  %1 = yarr.elementwise { math.exp } %0 : (tensor<?xf64>) -> tensor<?xf64>
  %2 = yarr.elementwise { arith.subf } %1, %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = yarr.slice %2, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  func.return %3 : tensor<?xf64>
}
// CHECK-LABEL: func.func @of_scan(
// CHECK-NOT:     yarr.scan "max" %x, 0 :
// CHECK:         yarr.scan "max" %x, 0 inclusive
// CHECK-NEXT:    arith.constant dense<0>
// CHECK-NEXT:    yarr.slice %{{.*}}, 0, %{{.*}}, %m step 1
// CHECK-NEXT:    math.exp

// Slices of one size are in a larger one: the last flux, whose neighbour would clip, is not computed.

func.func @fluxes(%u: tensor<?xf64>, %m: tensor<i64>) -> tensor<?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %u, 0 : tensor<?xf64>
  %next = yarr.slice %u, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %flux = yarr.elementwise { arith.addf } %u, %next : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %right = yarr.slice %flux, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %left = yarr.slice %flux, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %r = yarr.elementwise { arith.subf } %right, %left : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @fluxes(
// CHECK-NEXT:      %one = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %zero = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %n = yarr.size %u, 0 : tensor<?xf64>
// CHECK-NEXT:      %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %1 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %2 = yarr.elementwise { arith.addi } %m, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:      %3 = yarr.elementwise { arith.minsi } %2, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:      %4 = yarr.slice %u, 0, %0, %3 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %5 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %6 = yarr.slice %u, 0, %5, %3 step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %flux = yarr.elementwise { arith.addf } %4, %6 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:      %right = yarr.slice %flux, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %left = yarr.slice %flux, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %r = yarr.elementwise { arith.subf } %right, %left : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:      func.return %r : tensor<?xf64>
// CHECK-NEXT:    }

// The first ones clip at the start.

func.func @from_the_first(%u: tensor<?xf64>, %m: tensor<i64>) -> tensor<?xf64> {
  %before = arith.constant dense<-1> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %n = yarr.size %u, 0 : tensor<?xf64>
  %last = yarr.slice %u, 0, %before, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %flux = yarr.elementwise { arith.addf } %u, %last : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %right = yarr.slice %flux, 0, %two, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %left = yarr.slice %flux, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %r = yarr.elementwise { arith.subf } %right, %left : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @from_the_first(
// CHECK-NEXT:      %n = yarr.size %u, 0 : tensor<?xf64>
// CHECK-NEXT:      %0 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %1 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %2 = yarr.elementwise { arith.addi } %m, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:      %3 = yarr.elementwise { arith.subi } %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:      %4 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %5 = yarr.elementwise { arith.maxsi } %3, %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:      %6 = yarr.elementwise { arith.minsi } %2, %5 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:      %7 = yarr.slice %u, 0, %0, %6 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %8 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %9 = yarr.slice %u, 0, %8, %6 step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %flux = yarr.elementwise { arith.addf } %7, %9 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:      %10 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %right = yarr.slice %flux, 0, %10, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %11 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %left = yarr.slice %flux, 0, %11, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %r = yarr.elementwise { arith.subf } %right, %left : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:      func.return %r : tensor<?xf64>
// CHECK-NEXT:    }

// Nothing is gained where no slice clips, where the larger one is the whole array, or where the first
// elements clip and are read.

func.func @no_gain(%u: tensor<?xf64>, %v: tensor<?xf64>, %w: tensor<?xf64>, %m: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %before = arith.constant dense<-1> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %x = yarr.elementwise { math.exp } %u : (tensor<?xf64>) -> tensor<?xf64>
  %0 = yarr.slice %x, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %1 = yarr.slice %x, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %n = yarr.size %v, 0 : tensor<?xf64>
  %rest = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %next = yarr.slice %v, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %y = yarr.elementwise { math.exp } %next : (tensor<?xf64>) -> tensor<?xf64>
  %2 = yarr.slice %y, 0, %one, %rest step 1 : tensor<?xf64> -> tensor<?xf64>
  %3 = yarr.slice %y, 0, %zero, %rest step 1 : tensor<?xf64> -> tensor<?xf64>
  %k = yarr.size %w, 0 : tensor<?xf64>
  %last = yarr.slice %w, 0, %before, %k step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %z = yarr.elementwise { math.exp } %last : (tensor<?xf64>) -> tensor<?xf64>
  %4 = yarr.slice %z, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %5 = yarr.slice %z, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  func.return %0, %1, %2, %3, %4, %5 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @no_gain(
// CHECK-NEXT:      %before = arith.constant dense<-1> : tensor<i64>
// CHECK-NEXT:      %one = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %zero = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %x = yarr.elementwise { math.exp } %u : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:      %0 = yarr.slice %x, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %1 = yarr.slice %x, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %n = yarr.size %v, 0 : tensor<?xf64>
// CHECK-NEXT:      %rest = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:      %next = yarr.slice %v, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %y = yarr.elementwise { math.exp } %next : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:      %2 = yarr.slice %y, 0, %one, %rest step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %3 = yarr.slice %y, 0, %zero, %rest step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %k = yarr.size %w, 0 : tensor<?xf64>
// CHECK-NEXT:      %last = yarr.slice %w, 0, %before, %k step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %z = yarr.elementwise { math.exp } %last : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:      %4 = yarr.slice %z, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      %5 = yarr.slice %z, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:      func.return %0, %1, %2, %3, %4, %5 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT:    }

// A slice along another axis comes before one that clips, which copies less.

func.func @two_axes(%a: tensor<?x?xf64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?x?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %0 = yarr.slice %a, 0, %one, %n step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.elementwise { math.exp } %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.slice %1, 1, %m, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  func.return %2 : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @two_axes(
// CHECK:           %0 = yarr.slice %a, 1, %m, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %1 = yarr.slice %0, 0, %one, %n step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %2 = yarr.elementwise { math.exp } %1
