// RUN: ein-opt %s -p convert-yarr-to-torch,dce -t python | filecheck %s

// An array in a number along two axes is one call, with the sizes of the parts around it.

func.func @zeros(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %y, 0 : tensor<?x?xf64>
  %k = yarr.size %y, 1 : tensor<?x?xf64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %one = arith.constant dense<1> : tensor<i64>
  %rows = yarr.size %x, 0 : tensor<?x?xf64>
  %a = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %c = yarr.repeat %a, 0, %rows : tensor<1x1xf64> -> tensor<?x1xf64>
  %d = yarr.repeat %c, 1, %k : tensor<?x1xf64> -> tensor<?x?xf64>
  %wide = yarr.concat %c, %x, %d axis 1 of %n : (tensor<?x1xf64>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %e = yarr.repeat %a, 1, %n : tensor<1x1xf64> -> tensor<1x?xf64>
  %whole = yarr.concat %wide, %e axis 0 of %n : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %whole : tensor<?x?xf64>
}
// CHECK-LABEL: def zeros(x, y):
// CHECK:           surrounded(x, 0.0, (0, 0, 1), (1, 1, {{.*}}))

// Two numbers, or two arrays, are joined, and parts along one axis.

func.func @two(%x: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %two = arith.constant dense<2.0> : tensor<f64>
  %a = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %c = yarr.repeat %a, 1, %n : tensor<1x1xf64> -> tensor<1x?xf64>
  %b = yarr.unsqueeze %two, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %d = yarr.repeat %b, 1, %n : tensor<1x1xf64> -> tensor<1x?xf64>
  %p = yarr.concat %c, %x, %d axis 0 of %n : (tensor<1x?xf64>, tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %q = yarr.concat %c, %x, %x axis 0 of %n : (tensor<1x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = yarr.concat %c, %x axis 0 of %n : (tensor<1x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %p, %q, %r : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def two(x, n):
// CHECK-NOT:       surrounded
