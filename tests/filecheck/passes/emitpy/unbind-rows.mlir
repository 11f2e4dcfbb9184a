// RUN: ein-opt %s -p unbind-rows -t python | filecheck %s

// Rows that each step reads, along one axis, at one or two positions, or as slices of one row.

func.func @rows(%x: tensor<?x?xf64>, %y: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %all = emitpy.slice
  %s = emitpy.for (%k < %n, %acc = %y) : !emitpy.object -> tensor<?xf64> {
    %p = emitpy.binary %n "-" %k : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %r = emitpy.subscript %x[%all, %k] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    %q = emitpy.subscript %x[%all, %p] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    %w = emitpy.method %y "narrow"(%zero, %k, %one) view : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<1xf64>
    %a = emitpy.binary %acc "+" %r : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %b = emitpy.binary %a "*" %q : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %c = emitpy.binary %b "+" %w : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
    emitpy.yield %c : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// CHECK-LABEL: def rows(x, y, n):
// CHECK-NEXT:      t0 = rows_along(x, 1, n)
// CHECK-NEXT:      t1 = rows_along(y, 0, n)
// CHECK-NEXT:      acc = y
// CHECK-NEXT:      for k in range(n):
// CHECK-NEXT:          p = n - k
// CHECK-NEXT:          a = acc + t0[k]
// CHECK-NEXT:          b = a * t0[p]
// CHECK-NEXT:          acc = b + t1[k][None]
// CHECK-NEXT:      return acc

// The list of an inner loop is made once.

func.func @nested(%x: tensor<?x?xf64>, %y: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %s = emitpy.for (%i < %n, %outer = %y) : !emitpy.object -> tensor<?xf64> {
    %t = emitpy.for (%k < %n, %acc = %outer) : !emitpy.object -> tensor<?xf64> {
      %r = emitpy.subscript %x[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
      %a = emitpy.binary %acc "*" %r : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %a : tensor<?xf64>
    }
    emitpy.yield %t : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// CHECK-LABEL: def nested(x, y, n):
// CHECK-NEXT:      t0 = rows_along(x, 0, n)
// CHECK-NEXT:      outer = y
// CHECK-NEXT:      for _ in range(n):
// CHECK-NEXT:          for k in range(n):
// CHECK-NEXT:              outer = outer * t0[k]

// No list: of Ints, of elements at two positions, of an array of the loop, and for a loop that may
// end early.

func.func @others(%x: tensor<?x?xf64>, %z: tensor<?xi64>, %y: tensor<?xf64>, %c: tensor<i1>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %s = emitpy.for (%k < %n, %acc = %y) : !emitpy.object -> tensor<?xf64> {
    %e = emitpy.subscript %x[%k, %k] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<f64>
    %i = emitpy.subscript %z[%k] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %o = emitpy.subscript %acc[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %a = emitpy.binary %acc "+" %e : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %b = emitpy.binary %a "*" %i : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
    %d = emitpy.binary %b "*" %o : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    emitpy.yield %d : tensor<?xf64>
  }
  %go, %t = emitpy.for conditional (%k < %n, %more = %c, %acc = %y) : !emitpy.object -> tensor<i1>, tensor<?xf64> {
    %r = emitpy.subscript %x[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %a = emitpy.binary %acc "+" %r : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %more, %a : tensor<i1>, tensor<?xf64>
  }
  func.return %s, %t : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def others(x, z, y, c, n):
// CHECK-NOT:       rows_along
