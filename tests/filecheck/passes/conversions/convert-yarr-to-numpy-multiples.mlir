// RUN: ein-opt %s -p convert-yarr-to-numpy -t python | filecheck %s

// Multiples of an array, and 0 where it is 0, are the product, but where that is not finite.

func.func @by_elements(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %z = arith.constant dense<0.0> : tensor<f64>
  %zero = yarr.unsqueeze %z, [0] : tensor<f64> -> tensor<1xf64>
  %c = yarr.elementwise (%a = %x, %b = %zero) : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xi1> {
    %t = arith.cmpf une, %a, %b : f64
    yarr.yield %t : i1
  }
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %q = yarr.elementwise { arith.divf } %p, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.elementwise { arith.select } %c, %q, %zero : (tensor<?xi1>, tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def by_elements(x, y):
// CHECK:           return multiple(q, x)

func.func @by_a_number(%x: tensor<?xf64>, %y: tensor<f64>) -> tensor<?xf64> {
  %z = arith.constant dense<0.0> : tensor<f64>
  %zero = yarr.unsqueeze %z, [0] : tensor<f64> -> tensor<1xf64>
  %n = yarr.unsqueeze %y, [0] : tensor<f64> -> tensor<1xf64>
  %c = yarr.elementwise (%a = %x, %b = %zero) : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xi1> {
    %t = arith.cmpf une, %a, %b : f64
    yarr.yield %t : i1
  }
  %p = yarr.elementwise { arith.mulf } %x, %n : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  %r = yarr.elementwise { arith.select } %c, %p, %zero : (tensor<?xi1>, tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def by_a_number(x, y):
// CHECK:           return multiple(p, x, y)

// Not of another array, and not if others are selected.

func.func @others(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %z = arith.constant dense<0.0> : tensor<f64>
  %zero = yarr.unsqueeze %z, [0] : tensor<f64> -> tensor<1xf64>
  %c = yarr.elementwise (%a = %x, %b = %zero) : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xi1> {
    %t = arith.cmpf une, %a, %b : f64
    yarr.yield %t : i1
  }
  %p = yarr.elementwise { arith.divf } %y, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.elementwise { arith.select } %c, %p, %zero : (tensor<?xi1>, tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def others(x, y):
// CHECK:           return np.where(t, p, 0.0)
