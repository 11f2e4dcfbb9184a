// RUN: ein-opt %s -p raise-scatters | filecheck %s

// The element of the last step by a key is selected: it is stored.

func.func @elements(%a: tensor<?xf64>, %key: tensor<?xi64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %m = yarr.size %x, 0 : tensor<?xf64>
  %steps = yarr.range %m : tensor<?xi64>
  %last = yarr.accumulate "max" %steps by %key into %n : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
  %0 = arith.constant dense<0> : tensor<i64>
  %zero = yarr.unsqueeze %0, [0] : tensor<i64> -> tensor<1xi64>
  %c = yarr.elementwise (%l = %last, %z = %zero) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
    %is = arith.cmpi sge, %l, %z : i64
    yarr.yield %is : i1
  }
  %1 = yarr.fill_empty %x, 0 : tensor<?xf64> -> tensor<?xf64>
  %y = yarr.take %1, 0, %last : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %r = yarr.elementwise { arith.select } %c, %y, %a : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @elements(
// CHECK-NEXT:    %r = yarr.scatter %a[%key], %x : (tensor<?xf64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    func.return %r : tensor<?xf64>

// An expression is computed for all steps; the array is one of zeros.

func.func @expressions(%n: tensor<i64>, %key: tensor<?xi64>, %x: tensor<?xf64>, %f: tensor<f64>) -> tensor<?xf64> {
  %m = yarr.size %key, 0 : tensor<?xi64>
  %steps = yarr.range %m : tensor<?xi64>
  %last = yarr.accumulate "max" %steps by %key into %n : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
  %0 = arith.constant dense<0> : tensor<i64>
  %zero = yarr.unsqueeze %0, [0] : tensor<i64> -> tensor<1xi64>
  %c = yarr.elementwise (%l = %last, %z = %zero) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
    %is = arith.cmpi sge, %l, %z : i64
    yarr.yield %is : i1
  }
  %y = yarr.take %x, 0, %last : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %factor = yarr.unsqueeze %f, [0] : tensor<f64> -> tensor<1xf64>
  %p = yarr.elementwise { arith.mulf } %y, %factor : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  %q = yarr.elementwise { arith.sitofp } %last : (tensor<?xi64>) -> tensor<?xf64>
  %s = yarr.elementwise { arith.addf } %p, %q : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = arith.constant dense<0.0> : tensor<f64>
  %none = yarr.unsqueeze %1, [0] : tensor<f64> -> tensor<1xf64>
  %r = yarr.elementwise { arith.select } %c, %s, %none : (tensor<?xi1>, tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @expressions(
// CHECK-NEXT:    %m = yarr.size %key, 0 : tensor<?xi64>
// CHECK-NEXT:    %steps = yarr.range %m : tensor<?xi64>
// CHECK-NEXT:    %factor = yarr.unsqueeze %f, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:    %0 = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT:    %none = yarr.unsqueeze %0, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:    %1 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %2 = yarr.slice %x, 0, %1, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %3 = yarr.elementwise { arith.mulf } %2, %factor : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %4 = yarr.elementwise { arith.sitofp } %steps : (tensor<?xi64>) -> tensor<?xf64>
// CHECK-NEXT:    %5 = yarr.elementwise { arith.addf } %3, %4 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %6 = yarr.repeat %none, 0, %n : tensor<1xf64> -> tensor<?xf64>
// CHECK-NEXT:    %r = yarr.scatter %6[%key], %5 : (tensor<?xf64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    func.return %r : tensor<?xf64>

// Rows of a matrix, and elements by two keys.

func.func @rows(%a: tensor<?x?xf64>, %key: tensor<?xi64>, %x: tensor<?x?xf64>, %v: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %x, 0 : tensor<?x?xf64>
  %steps = yarr.range %m : tensor<?xi64>
  %last = yarr.accumulate "max" %steps by %key into %n : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
  %0 = arith.constant dense<0> : tensor<i64>
  %zero = yarr.unsqueeze %0, [0] : tensor<i64> -> tensor<1xi64>
  %c = yarr.elementwise (%l = %last, %z = %zero) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
    %is = arith.cmpi sge, %l, %z : i64
    yarr.yield %is : i1
  }
  %y = yarr.take %x, 0, %last : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  %column = yarr.unsqueeze %c, [1] : tensor<?xi1> -> tensor<?x1xi1>
  %r = yarr.elementwise { arith.select } %column, %y, %a : (tensor<?x1xi1>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %w = yarr.size %a, 1 : tensor<?x?xf64>
  %both = yarr.accumulate "max" %steps by %key, %key into %n, %w : tensor<?xi64> by tensor<?xi64>, tensor<?xi64> -> tensor<?x?xi64>
  %zeros = yarr.unsqueeze %0, [0, 1] : tensor<i64> -> tensor<1x1xi64>
  %d = yarr.elementwise (%l = %both, %z = %zeros) : (tensor<?x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi1> {
    %is = arith.cmpi sge, %l, %z : i64
    yarr.yield %is : i1
  }
  %e = yarr.take %v, 0, %both : (tensor<?xf64>, tensor<?x?xi64>) -> tensor<?x?xf64>
  %s = yarr.elementwise { arith.select } %d, %e, %a : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:    %m = yarr.size %x, 0 : tensor<?x?xf64>
// CHECK-NEXT:    %r = yarr.scatter %a[%key], %x : (tensor<?x?xf64>, tensor<?xi64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:    %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %1 = yarr.slice %v, 0, %0, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %s = yarr.scatter %a[%key, %key], %1 : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:    func.return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>

// Not the last step, another bound, and a value of another array at the same place: selections stay.

func.func @others(%a: tensor<?xf64>, %key: tensor<?xi64>, %x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %m = yarr.size %x, 0 : tensor<?xf64>
  %steps = yarr.range %m : tensor<?xi64>
  %first = yarr.accumulate "min" %steps by %key into %n : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
  %last = yarr.accumulate "max" %steps by %key into %n : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
  %0 = arith.constant dense<0> : tensor<i64>
  %zero = yarr.unsqueeze %0, [0] : tensor<i64> -> tensor<1xi64>
  %1 = arith.constant dense<1> : tensor<i64>
  %one = yarr.unsqueeze %1, [0] : tensor<i64> -> tensor<1xi64>
  %c = yarr.elementwise (%l = %first, %z = %zero) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
    %is = arith.cmpi sge, %l, %z : i64
    yarr.yield %is : i1
  }
  %y = yarr.take %x, 0, %first : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %r = yarr.elementwise { arith.select } %c, %y, %a : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d = yarr.elementwise (%l = %last, %z = %one) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
    %is = arith.cmpi sge, %l, %z : i64
    yarr.yield %is : i1
  }
  %u = yarr.take %x, 0, %last : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %s = yarr.elementwise { arith.select } %d, %u, %a : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %e = yarr.elementwise (%l = %last, %z = %zero) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
    %is = arith.cmpi sge, %l, %z : i64
    yarr.yield %is : i1
  }
  %b = yarr.elementwise { arith.addf } %u, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t = yarr.elementwise { arith.select } %e, %b, %a : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r, %s, %t : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:    %m = yarr.size %x, 0 : tensor<?xf64>
// CHECK-NEXT:    %steps = yarr.range %m : tensor<?xi64>
// CHECK-NEXT:    %first = yarr.accumulate "min" %steps by %key into %n : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
// CHECK-NEXT:    %last = yarr.accumulate "max" %steps by %key into %n : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
// CHECK-NEXT:    %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %zero = yarr.unsqueeze %0, [0] : tensor<i64> -> tensor<1xi64>
// CHECK-NEXT:    %1 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %one = yarr.unsqueeze %1, [0] : tensor<i64> -> tensor<1xi64>
// CHECK-NEXT:    %c = yarr.elementwise (%l = %first, %z = %zero) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
// CHECK-NEXT:      %is = arith.cmpi sge, %l, %z : i64
// CHECK-NEXT:      yarr.yield %is : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = yarr.take %x, 0, %first : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
// CHECK-NEXT:    %r = yarr.elementwise { arith.select } %c, %y, %a : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %d = yarr.elementwise (%l_1 = %last, %z_1 = %one) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
// CHECK-NEXT:      %is_1 = arith.cmpi sge, %l_1, %z_1 : i64
// CHECK-NEXT:      yarr.yield %is_1 : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    %u = yarr.take %x, 0, %last : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
// CHECK-NEXT:    %s = yarr.elementwise { arith.select } %d, %u, %a : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %e = yarr.elementwise (%l_2 = %last, %z_2 = %zero) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
// CHECK-NEXT:      %is_2 = arith.cmpi sge, %l_2, %z_2 : i64
// CHECK-NEXT:      yarr.yield %is_2 : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    %b = yarr.elementwise { arith.addf } %u, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %t = yarr.elementwise { arith.select } %e, %b, %a : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    func.return %r, %s, %t : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
