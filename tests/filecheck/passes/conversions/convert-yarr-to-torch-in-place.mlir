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
