// RUN: ein-opt %s -p emitpy-free-early | filecheck %s

// The memory of %big is released after the last use of its view.

func.func @view(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %big = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = emitpy.attr %big "T" : tensor<?x?xf64> -> tensor<?x?xf64>
  %0 = emitpy.binary %big "@" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = emitpy.binary %t "@" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = emitpy.binary %0 "+" %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %2 : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @view(
// CHECK-NEXT:   %big = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %t = emitpy.attr %big "T" : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %0 = emitpy.binary %big "@" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %1 = emitpy.binary %t "@" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   emitpy.del %big, %t : tensor<?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT:   %2 = emitpy.binary %0 "+" %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %2 : tensor<?x?xf64>
// CHECK-NEXT: }

// Arguments stay, and results, and operands of the last allocation.

func.func @kept(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.binary %0 "+" %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.binary %1 "+" %1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %2 : tensor<?xf64>
}
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:   %0 = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = emitpy.binary %0 "+" %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   emitpy.del %0 : tensor<?xf64>
// CHECK-NEXT:   %2 = emitpy.binary %1 "+" %1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   func.return %2 : tensor<?xf64>
// CHECK-NEXT: }

// A loop may carry its initial value, so that is live as long as the result.

func.func @loop(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %init = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %other = emitpy.call "np.log"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %acc = %init) : !emitpy.object -> tensor<?xf64> {
    %s = emitpy.call "np.sin"(%acc) : (tensor<?xf64>) -> tensor<?xf64>
    %0 = emitpy.binary %s "*" %s : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %1 = emitpy.binary %0 "+" %other : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %1 : tensor<?xf64>
  }
  %2 = emitpy.binary %init "+" %r : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = emitpy.call "np.cos"(%2) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %3 : tensor<?xf64>
}
// CHECK-LABEL: func.func @loop(
// CHECK-NEXT:   %init = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %other = emitpy.call "np.log"(%a) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %r = emitpy.for (%k < %n, %acc = %init) : !emitpy.object -> tensor<?xf64> {
// CHECK-NEXT:     %s = emitpy.call "np.sin"(%acc) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %0 = emitpy.binary %s "*" %s : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     emitpy.del %s : tensor<?xf64>
// CHECK-NEXT:     %1 = emitpy.binary %0 "+" %other : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     emitpy.yield %1 : tensor<?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   emitpy.del %other : tensor<?xf64>
// CHECK-NEXT:   %2 = emitpy.binary %init "+" %r : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   emitpy.del %init, %r : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT:   %3 = emitpy.call "np.cos"(%2) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   func.return %3 : tensor<?xf64>
// CHECK-NEXT: }

// In a loop, the next step makes arrays while those of this step are still in their variables.

func.func @steps(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %s = emitpy.call "np.sin"(%acc) : (tensor<?xf64>) -> tensor<?xf64>
    %0 = emitpy.binary %s "*" %s : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %0 : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @steps(
// CHECK:           %0 = emitpy.binary %s "*" %s
// CHECK-NEXT:      emitpy.del %s : tensor<?xf64>
// CHECK-NEXT:      emitpy.yield %0

// If a step allocates no array, releases have no benefit.

func.func @views(%a: tensor<?x?xf64>, %n: !emitpy.object) -> tensor<?x?xf64> {
  %c = emitpy.method %a "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = emitpy.for (%k < %n, %acc = %c) : !emitpy.object -> tensor<?x?xf64> {
    %t = emitpy.attr %a "T" : tensor<?x?xf64> -> tensor<?x?xf64>
    %0 = emitpy.augment %acc "+" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %1 = emitpy.augment %0 "*" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %1 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @views(
// CHECK-NOT:     emitpy.del

// After a loop that is followed by new arrays, neither a view of its old accumulators stays
// live, nor an unused accumulator.

func.func @left_over(%a: tensor<?x?xf64>, %n: !emitpy.object) -> tensor<?x?xf64> {
  %c = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %d = emitpy.call "np.sin"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %r, %s = emitpy.for (%k < %n, %x = %c, %y = %d) : !emitpy.object -> tensor<?x?xf64>, tensor<?x?xf64> {
    %t = emitpy.attr %x "T" : tensor<?x?xf64> -> tensor<?x?xf64>
    %0 = emitpy.call_into %y "np.add"(%t, %t) : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %0, %x : tensor<?x?xf64>, tensor<?x?xf64>
  }
  %z = emitpy.call "np.cos"(%r) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %z : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @left_over(
// CHECK:           %0 = emitpy.call_into
// CHECK-NEXT:      emitpy.del %t : tensor<?x?xf64>
// CHECK-NEXT:      emitpy.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    emitpy.del %s : tensor<?x?xf64>
// CHECK-NEXT:    %z = emitpy.call "np.cos"

// A named value has a variable, although it is read once; a carried array has none.

func.func @named(%a: tensor<?xf64>) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.call "np.cos"(%y) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func @named(
// CHECK-NEXT:   %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %y = emitpy.call "np.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   emitpy.del %x : tensor<?xf64>
// CHECK-NEXT:   %z = emitpy.call "np.cos"(%y) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   func.return %z : tensor<?xf64>
// CHECK-NEXT: }

// An array whose view is an initial value is released before the loop; an initial value, or one
// that is read after the loop, is not.

func.func @starts(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %x1 = emitpy.augment %x "*" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.sin"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %part = emitpy.slice(%n, %n : !emitpy.object, !emitpy.object)
  %v = emitpy.subscript %x1[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %w = emitpy.subscript %y[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %r, %s = emitpy.for (%k < %n, %p = %v, %q = %w) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %0 = emitpy.call "np.cos"(%p) : (tensor<?xf64>) -> tensor<?xf64>
    %1 = emitpy.call "np.cos"(%q) : (tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %0, %1 : tensor<?xf64>, tensor<?xf64>
  }
  %z = emitpy.binary %y "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t = emitpy.for (%k < %n, %p = %z) : !emitpy.object -> tensor<?xf64> {
    %0 = emitpy.call "np.cos"(%p) : (tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %0 : tensor<?xf64>
  }
  %u = emitpy.call "np.sin"(%t) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %r, %u : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @starts(
// CHECK:         %v = emitpy.subscript
// CHECK-NEXT:    emitpy.del
// CHECK-NEXT:    %w = emitpy.subscript
// CHECK-NEXT:    %r, %s = emitpy.for
// CHECK:         %z = emitpy.binary
// CHECK-NEXT:    emitpy.del %y

// An array whose size is read after it has been overwritten is not
// deleted before.

func.func @overwritten(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, !emitpy.object) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.augment %x "*" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %part = emitpy.slice(%n, %n : !emitpy.object, !emitpy.object)
  %v = emitpy.subscript %y[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %p = %v) : !emitpy.object -> tensor<?xf64> {
    %0 = emitpy.call "np.cos"(%p) : (tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %0 : tensor<?xf64>
  }
  %s = emitpy.attr %x "shape" : tensor<?xf64> -> !emitpy.object
  %u = emitpy.call "np.sin"(%r) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %u, %s : tensor<?xf64>, !emitpy.object
}
// CHECK-LABEL: func.func @overwritten(
// CHECK:         %v = emitpy.subscript
// CHECK-NEXT:    %r = emitpy.for
// CHECK-NOT:     emitpy.del
// CHECK:         func.return
