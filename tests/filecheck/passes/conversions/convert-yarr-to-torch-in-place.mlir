// RUN: ein-opt %s -p convert-yarr-to-torch{in_place=true} -t python | filecheck %s

// A step that replaces the interior of an accumulator writes to it; `reuse-buffers` removes the copy.

func.func @interior(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %size = yarr.size %a, 0 : tensor<?xf64>
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    %one = arith.constant dense<1> : tensor<i64>
    %first = yarr.elementwise { arith.minsi } %size, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %zero = arith.constant dense<0> : tensor<i64>
    %head = yarr.slice %x, 0, %zero, %first step 1 : tensor<?xf64> -> tensor<?xf64>
    %two = arith.constant dense<2> : tensor<i64>
    %less = yarr.elementwise { arith.subi } %size, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %inner = yarr.elementwise { arith.maxsi } %less, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %mid = yarr.slice %x, 0, %one, %inner step 1 : tensor<?xf64> -> tensor<?xf64>
    %sum = yarr.elementwise { arith.mulf } %mid, %mid : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %before = yarr.elementwise { arith.subi } %size, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %last = yarr.elementwise { arith.maxsi } %one, %before : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %rest = yarr.elementwise { arith.subi } %size, %last : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %end = yarr.elementwise { arith.maxsi } %rest, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %tail = yarr.slice %x, 0, %last, %end step 1 : tensor<?xf64> -> tensor<?xf64>
    %next = yarr.concat %head, %sum, %tail axis 0 of %size : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %next : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def interior(a, n):

// So does an update; a row of an array is copied first, since it may be one of the same array.

func.func @updates(%a: tensor<?x?xf64>, %v: tensor<?xf64>, %p: tensor<i64>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %row = yarr.take %a, 0, %zero in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  %b = yarr.update %a[%p] along [0], %v : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
  %c = yarr.update %b[%one] along [0], %row : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return %c : tensor<?x?xf64>
}
// CHECK-LABEL: def updates(a, v, p):
// CHECK-NEXT:      t0 = a.clone()
// CHECK-NEXT:      if 0 <= p and p < a.shape[0]:
// CHECK-NEXT:          t0[p] = v
// CHECK-NEXT:      t1 = t0.clone()
// CHECK-NEXT:      if 0 <= 1 and 1 < t0.shape[0]:
// CHECK-NEXT:          t1[1] = a[0].clone()
// CHECK-NEXT:      return t1

// Extremes start with the array that their only user combines them with, and so do sums.

func.func @extremes_from(%x: tensor<?xf64>, %p: tensor<?xi64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %d, 0 : tensor<?xf64>
  %0 = yarr.accumulate "min" %x by %p into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  %1 = yarr.elementwise { arith.minimumf } %d, %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: def extremes_from(x, p, d):
// CHECK:           return accumulate_at("amin", d, x,

func.func @other_extremes(%x: tensor<?xf64>, %p: tensor<?xi64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %d, 0 : tensor<?xf64>
  %0 = yarr.accumulate "min" %x by %p into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  %1 = yarr.elementwise { arith.maximumf } %d, %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: def other_extremes(x, p, d):
// CHECK:           accumulate_at("amin", torch.inf, x,

func.func @sums_from(%x: tensor<?xf64>, %p: tensor<?xi64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %d, 0 : tensor<?xf64>
  %0 = yarr.accumulate "add" %x by %p into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  %1 = yarr.elementwise { arith.addf } %0, %d : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: def sums_from(x, p, d):
// CHECK:           return accumulate_at("sum", d, x,
