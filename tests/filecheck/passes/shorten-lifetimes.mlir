// RUN: ein-opt %s -p shorten-lifetimes | filecheck %s

// The second sum is added up beside the first: %x is read for the last time before %y * %b is made.

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

// Not where the result is larger than what is free again, nor past what has effects.

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
