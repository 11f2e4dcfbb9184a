// RUN: ein-opt %s -p unroll-single-blocks -t python | filecheck %s

// An array that is no longer than a block is taken without slices. Later reads of an array that is
// overwritten see its new elements.

func.func @steps(%x: tensor<?x?xf64>, %n: !emitpy.object, %step: !emitpy.object, %u: tensor<?xf64>, %v: tensor<?xf64>) -> tensor<?xf64> {
  %r = emitpy.for (%t < %n, %s = %u) : !emitpy.object -> tensor<?xf64> {
    %row = emitpy.subscript %x[%t] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %shape = emitpy.attr %s "shape" : tensor<?xf64> -> !emitpy.object
    %zero = emitpy.literal 0 : i64
    %m = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %w = emitpy.for (%start < %m step %step, %out = %s) : !emitpy.object -> tensor<?xf64> {
      %stop = emitpy.binary %start "+" %step : (!emitpy.object, !emitpy.object) -> !emitpy.object
      %part = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
      %a = emitpy.subscript %row[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %b = emitpy.subscript %out[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %c = emitpy.call_into %b "np.add"(%a, %b) : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %d = emitpy.augment %c "*" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %e = emitpy.subscript %v[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %f = emitpy.augment %e "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %out : tensor<?xf64>
    }
    emitpy.yield %w : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def steps(x, n, step, u, v):
// CHECK:         for t in range(n):
// CHECK:           [[FITS:t[0-9]+]] = 0 < m and m <= step
// CHECK:           if [[FITS]]:
// CHECK-NOT:         stop
// CHECK:             np.add(row, out, out=out)
// CHECK-NEXT:        out *= row
// CHECK-NEXT:        e = v[0:m]
// CHECK:           if not [[FITS]]:
// CHECK-NEXT:        for start in range(0, m, step):

// Outside of loops a slice costs nothing.

func.func @once(%x: tensor<?xf64>, %m: !emitpy.object, %step: !emitpy.object, %u: tensor<?xf64>) -> tensor<?xf64> {
  %w = emitpy.for (%start < %m step %step, %out = %u) : !emitpy.object -> tensor<?xf64> {
    %stop = emitpy.binary %start "+" %step : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %part = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
    %a = emitpy.subscript %x[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %b = emitpy.store %out[%part : !emitpy.object], %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %b : tensor<?xf64>
  }
  func.return %w : tensor<?xf64>
}
// CHECK-LABEL: def once(x, m, step, u):
// CHECK-NOT:     if
