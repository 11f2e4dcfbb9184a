// RUN: ein-opt %s -p convert-yarr-to-numpy,cse -t python | filecheck %s

// Products at the sums of their indices are a convolution.

func.func @products(%a: tensor<?xf64>, %b: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>, %s: tensor<i64>) -> tensor<?xf64> {
  %i = yarr.range %n : tensor<?xi64>
  %j = yarr.range %m : tensor<?xi64>
  %p = yarr.unsqueeze %i, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %q = yarr.unsqueeze %j, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %key = yarr.elementwise { arith.subi } %p, %q : (tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?xi64>
  %x = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %y = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %v = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %r = yarr.accumulate "add" %v by %key into %s : tensor<?x?xf64> by tensor<?x?xi64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def products(a, b, n, m, s):
// CHECK:           shifted_products(a, b[::-1], (1, 1), {{.*}}, (s,))

// Other values are combined by slices of the shorter axis.

func.func @values(%v: tensor<?x?xf64>, %n: tensor<i64>, %m: tensor<i64>, %s: tensor<i64>) -> tensor<?xf64> {
  %three = arith.constant dense<3> : tensor<i64>
  %i = yarr.range %n : tensor<?xi64>
  %j = yarr.range %m : tensor<?xi64>
  %k = yarr.unsqueeze %three, [0] : tensor<i64> -> tensor<1xi64>
  %l = yarr.elementwise { arith.muli } %j, %k : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %p = yarr.unsqueeze %i, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %q = yarr.unsqueeze %l, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %key = yarr.elementwise { arith.addi } %p, %q : (tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?xi64>
  %r = yarr.accumulate "min" %v by %key into %s : tensor<?x?xf64> by tensor<?x?xi64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def values(v, n, m, s):
// CHECK:           shifted_values(np.minimum, np.inf, v, (1, 3), (0,), (s,))

// Values that are repeated have an element for each index. Keys that are no sums are segments.

func.func @repeated(%v: tensor<?x1xf64>, %e: tensor<?x?xi64>, %n: tensor<i64>, %m: tensor<i64>, %s: tensor<i64>) -> (tensor<?xf64>, tensor<?x1xf64>) {
  %i = yarr.range %n : tensor<?xi64>
  %j = yarr.range %m : tensor<?xi64>
  %p = yarr.unsqueeze %i, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %q = yarr.unsqueeze %j, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %key = yarr.elementwise { arith.addi } %p, %q : (tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?xi64>
  %r = yarr.accumulate "add" %v by %key into %s : tensor<?x1xf64> by tensor<?x?xi64> -> tensor<?xf64>
  %t = yarr.accumulate "add" %v by %i into %s : tensor<?x1xf64> by tensor<?xi64> -> tensor<?x1xf64>
  func.return %r, %t : tensor<?xf64>, tensor<?x1xf64>
}
// CHECK-LABEL: def repeated(v, e, n, m, s):
// CHECK:           np.broadcast_to(v, (v.shape[0], m))
// CHECK:           accumulate_at(np.add, 0.0, v, {{.*}}
// CHECK-NEXT:      return shifted_values(np.add, 0.0, {{.*}}, (1, 1), (0,), {{.*}}
