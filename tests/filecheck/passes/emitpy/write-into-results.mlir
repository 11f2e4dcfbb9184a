// RUN: ein-opt %s -p write-into-results | filecheck %s
// RUN: ein-opt %s -p write-into-results,emitpy-free-early -t python | filecheck %s --check-prefix=PYTHON

// A block is computed in the result from the start; so is one that is read after its store.

func.func @rows(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %shape: !emitpy.object, %n: !emitpy.object, %step: !emitpy.object) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %r = emitpy.call "np.empty"(%shape) : (!emitpy.object) -> tensor<?x?xf64>
  %s = emitpy.call "np.empty"(%shape) : (!emitpy.object) -> tensor<?x?xf64>
  %u, %v = emitpy.for (%start < %n step %step, %p = %r, %q = %s) : !emitpy.object -> tensor<?x?xf64>, tensor<?x?xf64> {
    %stop = emitpy.binary %start "+" %step : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %part = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
    %x = emitpy.subscript %a[%part] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %t = emitpy.call "np.exp"(%x) : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %t1 = emitpy.augment %t "+" %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %p1 = emitpy.store %p[%part : !emitpy.object], %t1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %w = emitpy.binary %t1 "*" %t1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %q1 = emitpy.call_into %q[%part : !emitpy.object] "np.subtract"(%b, %w) : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %p1, %q1 : tensor<?x?xf64>, tensor<?x?xf64>
  }
  func.return %u, %v : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @rows(
// CHECK:         %t = emitpy.subscript %p[%part] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK-NEXT:    emitpy.call_into %t "np.exp"(%x)
// CHECK:         %w = emitpy.subscript %q[%part] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK:         emitpy.yield %p, %q
// PYTHON-LABEL: def rows(a, b, shape, n, step):
// PYTHON-NEXT:     p = np.empty(shape)
// PYTHON-NEXT:     q = np.empty(shape)
// PYTHON-NEXT:     for start in range(0, n, step):
// PYTHON-NEXT:         stop = start + step
// PYTHON-NEXT:         t = p[start:stop]
// PYTHON-NEXT:         np.exp(a[start:stop], out=t)
// PYTHON-NEXT:         t += b
// PYTHON-NEXT:         w = q[start:stop]
// PYTHON-NEXT:         np.multiply(t, t, out=w)
// PYTHON-NEXT:         np.subtract(b, w, out=w)
// PYTHON-NEXT:     return p, q

// Not if the block changes after its store, is carried, too, or is read by the stored value.

func.func @other_uses(%a: tensor<?x?xf64>, %shape: !emitpy.object, %n: !emitpy.object, %step: !emitpy.object) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %r = emitpy.call "np.empty"(%shape) : (!emitpy.object) -> tensor<?x?xf64>
  %s = emitpy.call "np.empty"(%shape) : (!emitpy.object) -> tensor<?x?xf64>
  %l = emitpy.call "np.empty"(%shape) : (!emitpy.object) -> tensor<?x?xf64>
  %u:4 = emitpy.for (%start < %n step %step, %p = %r, %q = %s, %m = %l, %last = %a) : !emitpy.object -> tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64> {
    %stop = emitpy.binary %start "+" %step : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %part = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
    %x = emitpy.subscript %a[%part] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %t = emitpy.call "np.exp"(%x) : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %p1 = emitpy.store %p[%part : !emitpy.object], %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %t1 = emitpy.augment %t "+" %x : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %y = emitpy.call "np.sin"(%t1) : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %q1 = emitpy.store %q[%part : !emitpy.object], %y : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %z = emitpy.call "np.cos"(%x) : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %turned = emitpy.attr %z "T" : tensor<?x?xf64> -> tensor<?x?xf64>
    %m1 = emitpy.call_into %m[%part : !emitpy.object] "np.add"(%z, %turned) : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %p1, %q1, %m1, %y : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
  }
  func.return %u#0, %u#1, %u#2, %u#3 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @other_uses(
// CHECK:         %t = emitpy.call "np.exp"(%x)
// CHECK:         emitpy.store %p
// CHECK:         %y = emitpy.call "np.sin"(%t1)
// CHECK:         emitpy.store %q
// CHECK:         %z = emitpy.call "np.cos"(%x)
// CHECK:         emitpy.call_into %m[

// Nor blocks of columns, blocks of another type, or if the array has elements before.

func.func @other_places(%a: tensor<?x?xf64>, %c: tensor<?x?xf64>, %shape: !emitpy.object, %n: !emitpy.object, %step: !emitpy.object) -> (tensor<?x?xf64>, tensor<?x?xf32>, tensor<?x?xf64>) {
  %f32 = emitpy.name "np.float32"
  %r = emitpy.call "np.empty"(%shape) : (!emitpy.object) -> tensor<?x?xf64>
  %s = emitpy.call "np.empty"(%shape, dtype = %f32) : (!emitpy.object, !emitpy.object) -> tensor<?x?xf32>
  %u:3 = emitpy.for (%start < %n step %step, %p = %r, %q = %s, %m = %c) : !emitpy.object -> tensor<?x?xf64>, tensor<?x?xf32>, tensor<?x?xf64> {
    %stop = emitpy.binary %start "+" %step : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %part = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
    %all = emitpy.slice
    %t = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %p1 = emitpy.store %p[%all, %part : !emitpy.object, !emitpy.object], %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %y = emitpy.call "np.sin"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %q1 = emitpy.store %q[%part : !emitpy.object], %y : (tensor<?x?xf32>, tensor<?x?xf64>) -> tensor<?x?xf32>
    %z = emitpy.call "np.cos"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %m1 = emitpy.store %m[%part : !emitpy.object], %z : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %p1, %q1, %m1 : tensor<?x?xf64>, tensor<?x?xf32>, tensor<?x?xf64>
  }
  func.return %u#0, %u#1, %u#2 : tensor<?x?xf64>, tensor<?x?xf32>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @other_places(
// CHECK:         emitpy.store %p
// CHECK:         emitpy.store %q
// CHECK:         emitpy.store %m

// Of two operands of the stored value, the first one is computed in the result.

func.func @operands(%a: tensor<?xf64>, %n: !emitpy.object, %step: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.call "np.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
  %u = emitpy.for (%start < %n step %step, %p = %r) : !emitpy.object -> tensor<?xf64> {
    %stop = emitpy.binary %start "+" %step : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %part = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
    %x = emitpy.subscript %a[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %early = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
    %late = emitpy.call "np.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
    %early1 = emitpy.augment %early "+" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %p1 = emitpy.call_into %p[%part : !emitpy.object] "np.subtract"(%late, %early1) : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %p1 : tensor<?xf64>
  }
  func.return %u : tensor<?xf64>
}
// CHECK-LABEL: func.func @operands(
// CHECK:         %early = emitpy.subscript %p[%part]
// CHECK-NEXT:    emitpy.call_into %early "np.exp"(%x)
// CHECK-NEXT:    %late = emitpy.call "np.sin"(%x)
// CHECK-NEXT:    emitpy.augment
// CHECK-NEXT:    emitpy.call_into %early1 "np.subtract"(%late, %early1)
