// RUN: ein-opt %s -p outline-sizes | filecheck %s

// A size that depends on elements is a result of another function.
func.func @marked(%m: tensor<?xi1>) -> tensor<?xi64> {
  %c = yarr.elementwise { arith.extui } %m : (tensor<?xi1>) -> tensor<?xi64>
  %n = yarr.reduce %c, [0] by { arith.addi } : tensor<?xi64> -> tensor<i64>
  %r = yarr.range %n : tensor<?xi64>
  func.return %r : tensor<?xi64>
}

// CHECK-LABEL: func.func @marked(%m: tensor<?xi1>) -> tensor<?xi64> attributes {emitpy.stages = [@marked_sizes, @marked_of_sizes]} {
// CHECK-NEXT:    %[[N:.*]] = func.call @marked_sizes(%m) : (tensor<?xi1>) -> tensor<i64>
// CHECK-NEXT:    %[[R:.*]] = func.call @marked_of_sizes(%m, %[[N]]) : (tensor<?xi1>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT:    func.return %[[R]] : tensor<?xi64>

// A name that is taken has a number, and a size that a Float decides is computed from it.
func.func @total_of_sizes(%x: tensor<?xf64>) -> tensor<f64> {
  %s = yarr.reduce %x, [0] by { arith.addf } : tensor<?xf64> -> tensor<f64>
  func.return %s : tensor<f64>
}
func.func @total(%x: tensor<?xf64>) -> tensor<?xi64> {
  %s = yarr.reduce %x, [0] by { arith.addf } : tensor<?xf64> -> tensor<f64>
  %n = yarr.elementwise { arith.fptosi } %s : (tensor<f64>) -> tensor<i64>
  %r = yarr.range %n : tensor<?xi64>
  func.return %r : tensor<?xi64>
}

// CHECK-LABEL: func.func @total(%x: tensor<?xf64>) -> tensor<?xi64> attributes {emitpy.stages = [@total_sizes, @total_of_sizes_1]} {

// A number that is given is static, and so are elements that size the arrays of a step.
func.func @given(%n: tensor<i64>, %counts: tensor<?xi64>) -> tensor<i64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %s = yarr.fold (%k < %n, %acc = %zero) -> tensor<i64> {
    %c = yarr.take %counts, 0, %k in_bounds : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
    %r = yarr.range %c : tensor<?xi64>
    %t = yarr.reduce %r, [0] by { arith.addi } : tensor<?xi64> -> tensor<i64>
    %next = yarr.elementwise { arith.addi } %acc, %t : (tensor<i64>, tensor<i64>) -> tensor<i64>
    yarr.yield %next : tensor<i64>
  }
  func.return %s : tensor<i64>
}

// CHECK-LABEL: func.func @given(
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    yarr.fold

// CHECK-LABEL: func.func @marked_sizes(%m: tensor<?xi1>) -> tensor<i64> attributes {emitpy.static_results} {
// CHECK-NEXT:    %c = yarr.elementwise { arith.extui } %m : (tensor<?xi1>) -> tensor<?xi64>
// CHECK-NEXT:    %n = yarr.reduce %c, [0] by { arith.addi } : tensor<?xi64> -> tensor<i64>
// CHECK-NEXT:    func.return %n : tensor<i64>

// CHECK-LABEL: func.func @marked_of_sizes(%m: tensor<?xi1>, %n: tensor<i64>) -> tensor<?xi64> {
// CHECK-NEXT:    %r = yarr.range %n : tensor<?xi64>
// CHECK-NEXT:    func.return %r : tensor<?xi64>

// CHECK-LABEL: func.func @total_sizes(
// CHECK-NEXT:    %s = yarr.reduce
// CHECK-NEXT:    %n = yarr.elementwise { arith.fptosi } %s
// CHECK-NEXT:    func.return %n : tensor<i64>
