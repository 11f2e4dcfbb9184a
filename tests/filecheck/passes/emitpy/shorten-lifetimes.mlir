// RUN: ein-opt %s -p shorten-lifetimes | filecheck %s

// The second sum is moved next to the first: the last use of %x is before %y * %b.

func.func @sums(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.binary %x "*" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.exp"(%b) : (tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.binary %y "*" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.binary %0 "+" %1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t = emitpy.binary %x "+" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.binary %s "/" %t : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @sums(
// CHECK-NEXT:    %x = emitpy.call "np.exp"(%a)
// CHECK-NEXT:    %0 = emitpy.binary %x "*" %a
// CHECK-NEXT:    %y = emitpy.call "np.exp"(%b)
// CHECK-NEXT:    %t = emitpy.binary %x "+" %y
// CHECK-NEXT:    %1 = emitpy.binary %y "*" %b
// CHECK-NEXT:    %s = emitpy.binary %0 "+" %1
// CHECK-NEXT:    %r = emitpy.binary %s "/" %t

// In loops, too.

func.func @loop(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %x = emitpy.call "np.exp"(%acc) : (tensor<?xf64>) -> tensor<?xf64>
    %y = emitpy.call "np.sin"(%acc) : (tensor<?xf64>) -> tensor<?xf64>
    %s = emitpy.binary %x "+" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %t = emitpy.binary %s "+" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %t : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @loop(
// CHECK:           %x = emitpy.call "np.exp"(%acc)
// CHECK-NEXT:      %s = emitpy.binary %x "+" %k
// CHECK-NEXT:      %y = emitpy.call "np.sin"(%acc)
// CHECK-NEXT:      %t = emitpy.binary %s "+" %y

// Not if the result is larger than the released memory, nor past side effects.

func.func @kept(%a: tensor<?xf64>, %b: tensor<?x?xf64>, %c: !emitpy.object) -> (tensor<?x?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.sin"(%b) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %z = emitpy.call "np.cos"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.binary %b "+" %x : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  %1 = emitpy.binary %y "+" %0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  emitpy.raise_if %c, "ValueError", "no"() : !emitpy.object
  %2 = emitpy.call "np.abs"(%z) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %1, %2 : tensor<?x?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    %x = emitpy.call "np.exp"(%a)
// CHECK-NEXT:    %y = emitpy.call "np.sin"(%b)
// CHECK-NEXT:    %z = emitpy.call "np.cos"(%a)
// CHECK-NEXT:    %0 = emitpy.binary %b "+" %x
// CHECK-NEXT:    %1 = emitpy.binary %y "+" %0
// CHECK-NEXT:    emitpy.raise_if
// CHECK-NEXT:    %2 = emitpy.call "np.abs"(%z)

// The operand that needs more memory comes first, in both orders.

func.func @larger_first(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.call "np.sin"(%b) : (tensor<?xf64>) -> tensor<?xf64>
  %c = emitpy.call "np.cos"(%b) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.binary %s "*" %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.binary %x "-" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func @larger_first(
// CHECK-NEXT:    %s = emitpy.call "np.sin"(%b)
// CHECK-NEXT:    %c = emitpy.call "np.cos"(%b)
// CHECK-NEXT:    %y = emitpy.binary %s "*" %c
// CHECK-NEXT:    %x = emitpy.call "np.exp"(%a)
// CHECK-NEXT:    %z = emitpy.binary %x "-" %y

func.func @commuted(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %s = emitpy.call "np.sin"(%b) : (tensor<?xf64>) -> tensor<?xf64>
  %c = emitpy.call "np.cos"(%b) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.binary %s "*" %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.binary %y "-" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func @commuted(
// CHECK-NEXT:    %s = emitpy.call "np.sin"(%b)
// CHECK-NEXT:    %c = emitpy.call "np.cos"(%b)
// CHECK-NEXT:    %y = emitpy.binary %s "*" %c
// CHECK-NEXT:    %x = emitpy.call "np.exp"(%a)
// CHECK-NEXT:    %z = emitpy.binary %y "-" %x

// A product in a block of an existing result needs one temporary: then it comes first.

func.func @stored(%a: tensor<?xf64>, %b: tensor<?xf64>, %out: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %acc = %out) : !emitpy.object -> tensor<?xf64> {
    %e = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
    %x = emitpy.call "np.abs"(%e) : (tensor<?xf64>) -> tensor<?xf64>
    %s = emitpy.call "np.sin"(%b) : (tensor<?xf64>) -> tensor<?xf64>
    %c = emitpy.call "np.cos"(%b) : (tensor<?xf64>) -> tensor<?xf64>
    %y = emitpy.binary %s "*" %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %z = emitpy.binary %x "-" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %l = emitpy.slice(%k, %n : !emitpy.object, !emitpy.object)
    %t = emitpy.store %acc[%l : !emitpy.object], %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %t : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @stored(
// CHECK:           %s = emitpy.call "np.sin"(%b)
// CHECK-NEXT:      %c = emitpy.call "np.cos"(%b)
// CHECK-NEXT:      %y = emitpy.binary %s "*" %c
// CHECK-NEXT:      %e = emitpy.call "np.exp"(%a)
// CHECK-NEXT:      %x = emitpy.call "np.abs"(%e)
// CHECK-NEXT:      %z = emitpy.binary %x "-" %y

// In this block it is the other operand, which has fewer operations.

func.func @other_stored(%a: tensor<?xf64>, %b: tensor<?xf64>, %out: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %acc = %out) : !emitpy.object -> tensor<?xf64> {
    %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
    %s = emitpy.call "np.sin"(%b) : (tensor<?xf64>) -> tensor<?xf64>
    %c = emitpy.call "np.cos"(%b) : (tensor<?xf64>) -> tensor<?xf64>
    %y = emitpy.binary %s "*" %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %z = emitpy.binary %x "-" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %l = emitpy.slice(%k, %n : !emitpy.object, !emitpy.object)
    %t = emitpy.store %acc[%l : !emitpy.object], %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %t : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @other_stored(
// CHECK:           %x = emitpy.call "np.exp"(%a)
// CHECK-NEXT:      %s = emitpy.call "np.sin"(%b)
// CHECK-NEXT:      %c = emitpy.call "np.cos"(%b)
// CHECK-NEXT:      %y = emitpy.binary %s "*" %c
// CHECK-NEXT:      %z = emitpy.binary %x "-" %y

// Not if the first operand is small, nor past calls of the embedding program.

func.func @as_good(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %e = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %x = emitpy.call "np.sum"(%e) : (tensor<?xf64>) -> tensor<f64>
  %s = emitpy.call "np.sin"(%b) : (tensor<?xf64>) -> tensor<?xf64>
  %c = emitpy.call "np.cos"(%b) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.binary %s "*" %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.binary %x "-" %y : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func @as_good(
// CHECK-NEXT:    %e = emitpy.call "np.exp"(%a)
// CHECK-NEXT:    %x = emitpy.call "np.sum"(%e)
// CHECK-NEXT:    %s = emitpy.call "np.sin"(%b)
// CHECK-NEXT:    %c = emitpy.call "np.cos"(%b)
// CHECK-NEXT:    %y = emitpy.binary %s "*" %c
// CHECK-NEXT:    %z = emitpy.binary %x "-" %y

func.func @embedded(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %x = emitpy.extern @first(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.extern @second(%b) : (tensor<?xf64>) -> tensor<?xf64>
  %c = emitpy.call "np.cos"(%b) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.binary %s "*" %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.binary %x "-" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func @embedded(
// CHECK-NEXT:    %x = emitpy.extern @first(%a)
// CHECK-NEXT:    %s = emitpy.extern @second(%b)
// CHECK-NEXT:    %c = emitpy.call "np.cos"(%b)
// CHECK-NEXT:    %y = emitpy.binary %s "*" %c
// CHECK-NEXT:    %z = emitpy.binary %x "-" %y

// A copy is overwritten later: it waits until no view of its operand is read.

func.func @copied(%a: tensor<?x?xf64>, %k: !emitpy.object) -> (tensor<?x?xf64>, tensor<?xf64>) {
  %x = emitpy.subscript %a[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %y = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %copy = emitpy.method %a "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %copy, %y : tensor<?x?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @copied(
// CHECK-NEXT:    %x = emitpy.subscript
// CHECK-NEXT:    %y = emitpy.call "np.exp"(%x)
// CHECK-NEXT:    %copy = emitpy.method %a "copy"()

// The last reader of a view of an argument frees no memory: it stays after the first exponential.

func.func @view_of_argument(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %c: tensor<?xf64>, %k: !emitpy.object) -> tensor<?xf64> {
  %v = emitpy.subscript %a[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %d = emitpy.binary %v "-" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %x = emitpy.call "np.exp"(%d) : (tensor<?xf64>) -> tensor<?xf64>
  %e = emitpy.binary %v "-" %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.exp"(%e) : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.binary %x "+" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func @view_of_argument(
// CHECK-NEXT:    %v = emitpy.subscript
// CHECK-NEXT:    %d = emitpy.binary %v "-" %b
// CHECK-NEXT:    %x = emitpy.call "np.exp"(%d)
// CHECK-NEXT:    %e = emitpy.binary %v "-" %c
// CHECK-NEXT:    %y = emitpy.call "np.exp"(%e)
