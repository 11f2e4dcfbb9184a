// RUN: ein-opt %s -p convert-yarr-to-torch -t python | filecheck %s

// Rows that steps write, and that no step reads, are joined after the loop.

func.func @running(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %first = yarr.take %a, 0, %zero in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  %end = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %s, %r = yarr.fold (%k < %n, %acc = %first, %rows = %a) -> tensor<?xf64>, tensor<?x?xf64> {
    %x = yarr.take %a, 0, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %y = yarr.elementwise { arith.mulf } %acc, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %p = yarr.elementwise { arith.subi } %end, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = yarr.update %rows[%p] along [0], %y in_bounds : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
    yarr.yield %y, %b : tensor<?xf64>, tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: def running(a):
// CHECK-NEXT:      n = a.shape[0]
// CHECK-NEXT:      acc = a[0]
// CHECK-NEXT:      rows = no_rows(n)
// CHECK-NEXT:      for k in range(n):
// CHECK-NEXT:          acc = acc * a[k]
// CHECK-NEXT:          rows[k] = acc
// CHECK-NEXT:      return with_rows(a, rows, 0, n - 1, -1)

// A step reads the array: it is an array in each step.

func.func @read(%a: tensor<?xf64>, %p: tensor<i64>) -> tensor<?xf64> {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %r = yarr.fold (%k < %n, %rows = %a) -> tensor<?xf64> {
    %x = yarr.take %rows, 0, %p in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %b = yarr.update %rows[%k] along [0], %x in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %b : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def read(a, p):
// CHECK:           rows = update(rows, (0,), (k,), {{.*}})
// CHECK-NEXT:      return rows

// The first position is a number of PyTorch.

func.func @given_start(%a: tensor<?xf64>, %x: tensor<f64>, %p: tensor<i64>) -> tensor<?xf64> {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %r = yarr.fold (%k < %n, %rows = %a) -> tensor<?xf64> {
    %q = yarr.elementwise { arith.addi } %p, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = yarr.update %rows[%q] along [0], %x in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %b : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def given_start(a, x, p):
// CHECK:           rows = update(rows, (0,), ({{.*}},), x)
// CHECK-NEXT:      return rows

// A step reads a size: it is that of the initial value.

func.func @compared(%a: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %r = yarr.fold (%k < %n, %rows = %a) -> tensor<?x?xf64> {
    %m = yarr.size %rows, 1 : tensor<?x?xf64>
    %l = yarr.size %x, 0 : tensor<?xf64>
    %e = yarr.assert_eq %m, %l, "size of a row"
    %b = yarr.update %rows[%k] along [0], %x in_bounds : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
    yarr.yield %b : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: def compared(a, x):
// CHECK:           rows = no_rows(n)
// CHECK:           m = a.shape[1]
// CHECK:           rows[k] = x
// CHECK-NEXT:      return with_rows(a, rows, 0, 0, 1)
