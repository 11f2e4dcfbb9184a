// RUN: ein-opt %s --split-input-file -p reuse-buffers | filecheck %s

// Blocks of an array that a loop carries are replaced where a condition holds.
func.func @replaced(%a: tensor<?xf64>, %x: tensor<?xf64>, %n: !emitpy.object, %s: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %v = %a) : !emitpy.object -> tensor<?xf64> {
    %e = emitpy.call "np.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
    %b = emitpy.for (%start < %n step %s, %out = %e) : !emitpy.object -> tensor<?xf64> {
      %stop = emitpy.binary %start "+" %s : (!emitpy.object, !emitpy.object) -> !emitpy.object
      %block = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
      %old = emitpy.subscript %v[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %new = emitpy.subscript %x[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %c = emitpy.binary %new "<" %old : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
      %y = emitpy.call "np.where"(%c, %new, %old) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %o = emitpy.store %out[%block : !emitpy.object], %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %o : tensor<?xf64>
    }
    emitpy.yield %b : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}

// CHECK:        func.func @replaced(%a: tensor<?xf64>, %x: tensor<?xf64>, %n: !emitpy.object, %s: !emitpy.object) -> tensor<?xf64> {
// CHECK-NEXT:     %v = emitpy.method %a "copy"() : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %r = emitpy.for (%k < %n, %v_1 = %v) : !emitpy.object -> tensor<?xf64> {
// CHECK-NEXT:       %b = emitpy.for (%start < %n step %s, %out = %v_1) : !emitpy.object -> tensor<?xf64> {
// CHECK-NEXT:         %stop = emitpy.binary %start "+" %s : (!emitpy.object, !emitpy.object) -> !emitpy.object
// CHECK-NEXT:         %block = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
// CHECK-NEXT:         %old = emitpy.subscript %out[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:         %new = emitpy.subscript %x[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:         %c = emitpy.binary %new "<" %old : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
// CHECK-NEXT:         %o = emitpy.call_into %out[%block : !emitpy.object] "np.copyto"(%new, where = %c) : (tensor<?xf64>, tensor<?xf64>, tensor<?xi1>) -> tensor<?xf64>
// CHECK-NEXT:         emitpy.yield %o : tensor<?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:       emitpy.yield %b : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Another part is read: the next block would see what is replaced.
func.func @other_part(%a: tensor<?xf64>, %x: tensor<?xf64>, %n: !emitpy.object, %s: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %v = %a) : !emitpy.object -> tensor<?xf64> {
    %e = emitpy.call "np.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
    %b = emitpy.for (%start < %n step %s, %out = %e) : !emitpy.object -> tensor<?xf64> {
      %stop = emitpy.binary %start "+" %s : (!emitpy.object, !emitpy.object) -> !emitpy.object
      %block = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
      %old = emitpy.subscript %v[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %first = emitpy.subscript %v[%s] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %c = emitpy.binary %first "<" %old : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
      %y = emitpy.call "np.where"(%c, %first, %old) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %o = emitpy.store %out[%block : !emitpy.object], %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %o : tensor<?xf64>
    }
    emitpy.yield %b : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}

// CHECK:        func.func @other_part(%a: tensor<?xf64>, %x: tensor<?xf64>, %n: !emitpy.object, %s: !emitpy.object) -> tensor<?xf64> {
// CHECK-NEXT:     %r = emitpy.for (%k < %n, %v = %a) : !emitpy.object -> tensor<?xf64> {
// CHECK-NEXT:       %e = emitpy.call "np.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:       %b = emitpy.for (%start < %n step %s, %out = %e) : !emitpy.object -> tensor<?xf64> {
// CHECK-NEXT:         %stop = emitpy.binary %start "+" %s : (!emitpy.object, !emitpy.object) -> !emitpy.object
// CHECK-NEXT:         %block = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
// CHECK-NEXT:         %old = emitpy.subscript %v[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:         %first = emitpy.subscript %v[%s] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:         %c = emitpy.binary %first "<" %old : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
// CHECK-NEXT:         %y = emitpy.call "np.where"(%c, %first, %old) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:         %o = emitpy.store %out[%block : !emitpy.object], %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:         emitpy.yield %o : tensor<?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:       emitpy.yield %b : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// The array is read after the blocks.
func.func @later_read(%a: tensor<?xf64>, %x: tensor<?xf64>, %n: !emitpy.object, %s: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %v = %a) : !emitpy.object -> tensor<?xf64> {
    %e = emitpy.call "np.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
    %b = emitpy.for (%start < %n step %s, %out = %e) : !emitpy.object -> tensor<?xf64> {
      %stop = emitpy.binary %start "+" %s : (!emitpy.object, !emitpy.object) -> !emitpy.object
      %block = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
      %old = emitpy.subscript %v[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %new = emitpy.subscript %x[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %c = emitpy.binary %new "<" %old : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
      %y = emitpy.call "np.where"(%c, %new, %old) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %o = emitpy.store %out[%block : !emitpy.object], %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %o : tensor<?xf64>
    }
    %z = emitpy.binary %b "+" %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %z : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}

// CHECK:        func.func @later_read(%a: tensor<?xf64>, %x: tensor<?xf64>, %n: !emitpy.object, %s: !emitpy.object) -> tensor<?xf64> {
// CHECK-NEXT:     %r = emitpy.for (%k < %n, %v = %a) : !emitpy.object -> tensor<?xf64> {
// CHECK-NEXT:       %e = emitpy.call "np.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:       %b = emitpy.for (%start < %n step %s, %out = %e) : !emitpy.object -> tensor<?xf64> {
// CHECK-NEXT:         %stop = emitpy.binary %start "+" %s : (!emitpy.object, !emitpy.object) -> !emitpy.object
// CHECK-NEXT:         %block = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
// CHECK-NEXT:         %old = emitpy.subscript %v[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:         %new = emitpy.subscript %x[%block] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:         %c = emitpy.binary %new "<" %old : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
// CHECK-NEXT:         %y = emitpy.call "np.where"(%c, %new, %old) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:         %o = emitpy.store %out[%block : !emitpy.object], %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:         emitpy.yield %o : tensor<?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %z = emitpy.augment %b "+" %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:       emitpy.yield %z : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : tensor<?xf64>
// CHECK-NEXT:   }
