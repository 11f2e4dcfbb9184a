// RUN: ein-opt %s -p sink-selections | filecheck %s
// RUN: ein-opt %s -p sink-selections,reuse-buffers -t python | filecheck %s --check-prefix=REUSE

// A selection from an accumulator that is read later moves to its first user, here the yield, with
// the operation of the new elements; then it needs no array of its own.

func.func @iterate(%c: tensor<?xi1>, %x: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %r, %s = emitpy.for (%k < %n, %a = %x, %b = %x) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %y = emitpy.binary %a "*" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %z = emitpy.call "np.where"(%c, %y, %a) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %w = emitpy.binary %a "+" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %z, %w : tensor<?xf64>, tensor<?xf64>
  }
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @iterate(
// CHECK:           %w = emitpy.binary %a "+" %b
// CHECK-NEXT:      %y = emitpy.binary %a "*" %x
// CHECK-NEXT:      %z = emitpy.call "np.where"(%c, %y, %a)
// CHECK-NEXT:      emitpy.yield %z, %w
// REUSE-LABEL: def iterate(c, x, n):
// REUSE-NEXT:      a = x.copy()
// REUSE-NEXT:      b = x
// REUSE-NEXT:      for _ in range(n):
// REUSE-NEXT:          b = a + b
// REUSE-NEXT:          np.multiply(a, x, out=a, where=c)
// REUSE-NEXT:      return a, b

// It stays if nothing that it could overwrite is read later, and if an operand is
// overwritten after it.

func.func @stays(%c: tensor<?xi1>, %x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.call "np.where"(%c, %x, %y) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %w = emitpy.call "np.sin"(%z) : (tensor<?xf64>) -> tensor<?xf64>
  %v = emitpy.call "np.cos"(%w) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %z, %v : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT:    %y = emitpy.call "np.exp"
// CHECK-NEXT:    %z = emitpy.call "np.where"
// CHECK-NEXT:    %w = emitpy.call "np.sin"

func.func @overwritten(%c: tensor<?xi1>, %x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %u = emitpy.call "np.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.call "np.where"(%c, %u, %y) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %w = emitpy.augment %y "+" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z, %w : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @overwritten(
// CHECK:         %z = emitpy.call "np.where"
// CHECK-NEXT:    %w = emitpy.augment
