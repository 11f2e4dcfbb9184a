// RUN: ein-opt %s -p convert-yarr-to-torch,cse -t python | filecheck %s

// Sums of products of channels at sums of two indices are a transposed convolution. Factors of indices are its
// stride and dilation; positions that clip are added to the first and the last one.

func.func @products(%x: tensor<?x?x?xf64>, %w: tensor<?x?x?xf64>, %n: tensor<i64>, %m: tensor<i64>, %s: tensor<i64>) -> tensor<?x?x?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %i = yarr.range %n : tensor<?xi64>
  %j = yarr.range %m : tensor<?xi64>
  %k = yarr.unsqueeze %two, [0] : tensor<i64> -> tensor<1xi64>
  %l = yarr.elementwise { arith.muli } %i, %k : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %p = yarr.unsqueeze %l, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %q = yarr.unsqueeze %j, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %sum = yarr.elementwise { arith.addi } %p, %q : (tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?xi64>
  %last = yarr.elementwise { arith.subi } %s, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %high = yarr.unsqueeze %last, [0, 1] : tensor<i64> -> tensor<1x1xi64>
  %low = yarr.unsqueeze %zero, [0, 1] : tensor<i64> -> tensor<1x1xi64>
  %0 = yarr.elementwise { arith.minsi } %sum, %high : (tensor<?x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi64>
  %key = yarr.elementwise { arith.maxsi } %0, %low : (tensor<?x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi64>
  %e = yarr.einsum "bci,coj->bijo" %x, %w : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?x?xf64>
  %v = yarr.transpose %e, [1, 2, 0, 3] : tensor<?x?x?x?xf64> -> tensor<?x?x?x?xf64>
  %r = yarr.accumulate "add" %v by %key into %s : tensor<?x?x?x?xf64> by tensor<?x?xi64> -> tensor<?x?x?xf64>
  func.return %r : tensor<?x?x?xf64>
}
// CHECK-LABEL: def products(x, w, n, m, s):
// CHECK:           overlapped_products(x, (1, 1), w, (1, 1), (2, 1), (0,), ({{.*}},), (True,))
// CHECK-NEXT:      {{.*}}.permute(2, 0, 1)

// Other values are added up where windows overlap. A start that is data is no number before the call.

func.func @values(%v: tensor<?x?x?xf64>, %n: tensor<i64>, %m: tensor<i64>, %s: tensor<i64>, %a: tensor<?xi64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %i = yarr.range %n : tensor<?xi64>
  %j = yarr.range %m : tensor<?xi64>
  %p = yarr.unsqueeze %i, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %q = yarr.unsqueeze %j, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %key = yarr.elementwise { arith.subi } %p, %q : (tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?xi64>
  %r = yarr.accumulate "add" %v by %key into %s : tensor<?x?x?xf64> by tensor<?x?xi64> -> tensor<?x?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %start = yarr.take %a, 0, %zero in_bounds : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
  %first = yarr.unsqueeze %start, [0, 1] : tensor<i64> -> tensor<1x1xi64>
  %moved = yarr.elementwise { arith.addi } %key, %first : (tensor<?x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi64>
  %t = yarr.accumulate "add" %v by %moved into %s : tensor<?x?x?xf64> by tensor<?x?xi64> -> tensor<?x?xf64>
  func.return %r, %t : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def values(v, n, m, s, a):
// CHECK:           accumulate_at("sum", 0.0, v,
// CHECK-NEXT:      return shifted_values(v.flip(1), (1, 1), (0 - ({{.*}} - 1),), {{.*}})
