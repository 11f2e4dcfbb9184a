// RUN: ein-opt %s -p reuse-buffers | filecheck %s
// RUN: ein-opt %s -p reuse-buffers -t python | filecheck %s --check-prefix=PYTHON

// A chain of elementwise operations stays in one array; the argument does not change.

func.func @chain(%a: tensor<?xf64>) -> tensor<?xf64> {
  %b = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %c = emitpy.binary %b "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d = emitpy.binary %a "-" %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %two = emitpy.literal 2.0 : f64
  %e = emitpy.binary %two "*" %d : (!emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  %f = emitpy.unary "-" %e : (tensor<?xf64>) -> tensor<?xf64>
  %g = emitpy.call "np.arctan2"(%a, %f) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %g : tensor<?xf64>
}
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:   %b = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %c = emitpy.augment %b "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %d = emitpy.call_into %c "np.subtract"(%a, %c) : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %two = emitpy.literal 2.000000e+00 : f64
// CHECK-NEXT:   %e = emitpy.augment %d "*" %two : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:   %f = emitpy.call_into %e "np.negative"(%e) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %g = emitpy.call_into %f "np.arctan2"(%a, %f) : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   func.return %g : tensor<?xf64>
// PYTHON-LABEL: def chain(a):
// PYTHON-NEXT:     b = np.exp(a)
// PYTHON-NEXT:     b += a
// PYTHON-NEXT:     np.subtract(a, b, out=b)
// PYTHON-NEXT:     b *= 2.0
// PYTHON-NEXT:     np.negative(b, out=b)
// PYTHON-NEXT:     np.arctan2(a, b, out=b)
// PYTHON-NEXT:     return b

// An array without a name stays inside the expression: NumPy itself overwrites it.

func.func @unnamed(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %0 = emitpy.binary %a "*" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.binary %0 "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: func.func @unnamed(
// CHECK:         emitpy.augment %0 "+" %a
// PYTHON-LABEL: def unnamed(a, b):
// PYTHON-NEXT:     return a * b + a

// Both operands may be the array that is overwritten.

func.func @twice(%a: tensor<?xf64>) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.binary %x "*" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %y : tensor<?xf64>
}
// CHECK-LABEL: func.func @twice(
// CHECK:         emitpy.augment %x "*" %x
// PYTHON-LABEL: def twice(a):
// PYTHON-NEXT:     x = np.exp(a)
// PYTHON-NEXT:     x *= x
// PYTHON-NEXT:     return x

// Neither an argument nor a view of one.

func.func @argument(%a: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %x = emitpy.call "np.abs"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = emitpy.attr %a "T" : tensor<?x?xf64> -> tensor<?x?xf64>
  %y = emitpy.binary %t "+" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %x, %y : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @argument(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

// The value, or a view of it, is read later.

func.func @used_later(%a: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.binary %x "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %x, %y : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @used_later(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @view_used_later(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = emitpy.attr %x "T" : tensor<?x?xf64> -> tensor<?x?xf64>
  %y = emitpy.binary %x "*" %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %z = emitpy.binary %y "@" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %z : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @view_used_later(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @used_in_later_loop(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.for (%k < %n, %acc = %y) : !emitpy.object -> tensor<?xf64> {
    %next = emitpy.binary %acc "*" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %next : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// CHECK-LABEL: func.func @used_in_later_loop(
// CHECK:         %y = emitpy.call "np.sin"(%x)
// CHECK:         emitpy.augment %acc "*" %x
// PYTHON-LABEL: def used_in_later_loop(a, n):
// PYTHON-NEXT:     x = np.exp(a)
// PYTHON-NEXT:     acc = np.sin(x)
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         acc *= x
// PYTHON-NEXT:     return acc

func.func @made_before_loop(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %next = emitpy.binary %x "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %next : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// CHECK-LABEL: func.func @made_before_loop(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

// Shape and element type must be the same, the operand whole, and no other operand a view of it.

func.func @smaller(%a: tensor<?xf64>, %m: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.binary %x "+" %m : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %y : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @smaller(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @size_one(%a: tensor<1xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<1xf64>) -> tensor<1xf64>
  %y = emitpy.binary %x "+" %b : (tensor<1xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %y : tensor<?xf64>
}
// CHECK-LABEL: func.func @size_one(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @dtype(%a: tensor<?xf32>) -> tensor<?xi1> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %y = emitpy.binary %x "<" %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
  func.return %y : tensor<?xi1>
}
// CHECK-LABEL: func.func @dtype(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @transposed(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = emitpy.attr %x "T" : tensor<?x?xf64> -> tensor<?x?xf64>
  %y = emitpy.binary %x "+" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %y : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @transposed(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @repeated(%a: tensor<?xf64>, %shape: !emitpy.object) -> tensor<?x?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.call "np.broadcast_to"(%x, %shape) view read_only : (tensor<?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %y = emitpy.call "np.abs"(%r) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %y : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @repeated(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @extern(%a: tensor<?xf64>) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.extern @sort(%x) view : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.abs"(%s) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %y : tensor<?xf64>
}
// CHECK-LABEL: func.func @extern(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @record(%a: tensor<?xf64>) -> tuple<tensor<?xf64>, tensor<?xf64>> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.tuple(%x, %a) : (tensor<?xf64>, tensor<?xf64>) -> tuple<tensor<?xf64>, tensor<?xf64>>
  %y = emitpy.call "np.abs"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  emitpy.del %y : tensor<?xf64>
  func.return %0 : tuple<tensor<?xf64>, tensor<?xf64>>
}
// CHECK-LABEL: func.func @record(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

// The L1 distances between rows: the accumulator, and one more array in each step.

func.func @pairwise_l1(%a: tensor<?x?xf64>, %n: !emitpy.object, %shape: !emitpy.object) -> tensor<?x?xf64> {
  %zeros = emitpy.call "np.zeros"(%shape) : (!emitpy.object) -> tensor<?x?xf64>
  %s = emitpy.for (%k < %n, %acc = %zeros) : !emitpy.object -> tensor<?x?xf64> {
    %all = emitpy.slice
    %none = emitpy.literal unit
    %x = emitpy.subscript %a[%all, %none, %k] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
    %y = emitpy.subscript %a[%none, %all, %k] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
    %difference = emitpy.binary %x "-" %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %distance = emitpy.call "np.abs"(%difference) : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %next = emitpy.binary %distance "+" %acc : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %next : tensor<?x?xf64>
  }
  func.return %s : tensor<?x?xf64>
}
// PYTHON-LABEL: def pairwise_l1(a, n, shape):
// PYTHON-NEXT:     acc = np.zeros(shape)
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         difference = a[:, None, k] - a[None, :, k]
// PYTHON-NEXT:         np.abs(difference, out=difference)
// PYTHON-NEXT:         acc += difference
// PYTHON-NEXT:     return acc

// The initial value is an argument, or read after or inside the loop, or shared.

func.func @init_is_argument(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %s = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %next = emitpy.binary %acc "+" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %next : tensor<?xf64>
  }
  %r = emitpy.call "np.abs"(%s) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @init_is_argument(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return
// PYTHON-LABEL: def init_is_argument(a, n):
// PYTHON-NEXT:     acc = a
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         acc = acc + k
// PYTHON-NEXT:     return np.abs(acc)

func.func @init_used_behind(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.for (%k < %n, %acc = %x) : !emitpy.object -> tensor<?xf64> {
    %next = emitpy.binary %acc "+" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %next : tensor<?xf64>
  }
  func.return %s, %x : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @init_used_behind(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @init_used_inside(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.for (%k < %n, %acc = %x) : !emitpy.object -> tensor<?xf64> {
    %next = emitpy.binary %acc "+" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %next : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// CHECK-LABEL: func.func @init_used_inside(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @init_shared(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s, %t = emitpy.for (%k < %n, %p = %x, %q = %x) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %next = emitpy.binary %p "+" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %next, %q : tensor<?xf64>, tensor<?xf64>
  }
  func.return %s, %t : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @init_shared(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

// A step yields one value twice, a view, or an array from before the loop.

func.func @yields_share(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.sin"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s, %t = emitpy.for (%k < %n, %p = %x, %q = %y) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %next = emitpy.binary %p "+" %q : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %next, %next : tensor<?xf64>, tensor<?xf64>
  }
  func.return %s, %t : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @yields_share(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @yields_view(%a: tensor<?x?xf64>, %n: !emitpy.object) -> tensor<?x?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = emitpy.for (%k < %n, %p = %x) : !emitpy.object -> tensor<?x?xf64> {
    %next = emitpy.binary %p "+" %k : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %t = emitpy.attr %next "T" : tensor<?x?xf64> -> tensor<?x?xf64>
    emitpy.yield %t : tensor<?x?xf64>
  }
  func.return %s : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @yields_view(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

func.func @yields_outer(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.sin"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s, %t = emitpy.for (%k < %n, %p = %x, %q = %a) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %next = emitpy.binary %p "+" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %y, %next : tensor<?xf64>, tensor<?xf64>
  }
  func.return %t : tensor<?xf64>
}
// CHECK-LABEL: func.func @yields_outer(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

// (a, b) -> (b, a + b): two arrays that alternate, unless the old value is read again.

func.func @change_places(%x: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %i = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %j = emitpy.call "np.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %r, %s = emitpy.for (%k < %n, %a = %i, %b = %j) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %c = emitpy.binary %a "+" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %b, %c : tensor<?xf64>, tensor<?xf64>
  }
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def change_places(x, n):
// PYTHON-NEXT:     a = np.exp(x)
// PYTHON-NEXT:     b = np.sin(x)
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         a += b
// PYTHON-NEXT:         a, b = b, a
// PYTHON-NEXT:     return a, b

func.func @old_and_new(%x: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %i = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %j = emitpy.call "np.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %r, %s = emitpy.for (%k < %n, %a = %i, %b = %j) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %c = emitpy.binary %a "+" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %c, %a : tensor<?xf64>, tensor<?xf64>
  }
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @old_and_new(
// CHECK-NOT:     {{augment|call_into}}
// CHECK:         func.return

// Nested loops, and loops in sequence, continue with the array of the previous one.

func.func @nested(%x: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %i = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %acc = %i) : !emitpy.object -> tensor<?xf64> {
    %s = emitpy.for (%l < %n, %b = %acc) : !emitpy.object -> tensor<?xf64> {
      %c = emitpy.binary %x "-" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %c : tensor<?xf64>
    }
    %d = emitpy.binary %s "*" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %t = emitpy.for (%l < %n, %b = %d) : !emitpy.object -> tensor<?xf64> {
      %c = emitpy.binary %b "/" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %c : tensor<?xf64>
    }
    emitpy.yield %t : tensor<?xf64>
  }
  %e = emitpy.binary %r "*" %r : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %e : tensor<?xf64>
}
// PYTHON-LABEL: def nested(x, n):
// PYTHON-NEXT:     acc = np.exp(x)
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         for _ in range(n):
// PYTHON-NEXT:             np.subtract(x, acc, out=acc)
// PYTHON-NEXT:         acc *= x
// PYTHON-NEXT:         for _ in range(n):
// PYTHON-NEXT:             acc /= x
// PYTHON-NEXT:     acc *= acc
// PYTHON-NEXT:     return acc

// A copy of an array without later uses is omitted.

func.func @copies(%a: tensor<?xf64>, %k: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.method %x "copy"() : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.store %y[%k : !emitpy.object], %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %b = emitpy.method %a "copy"() : (tensor<?xf64>) -> tensor<?xf64>
  func.return %z, %b : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def copies(a, k):
// PYTHON-NEXT:     x = np.exp(a)
// PYTHON-NEXT:     x[k] = k
// PYTHON-NEXT:     return x, a.copy()

func.func @copy_read_later(%a: tensor<?xf64>, %k: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.method %x "copy"() : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.store %y[%k : !emitpy.object], %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  func.return %z, %x : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def copy_read_later(a, k):
// PYTHON-NEXT:     x = np.exp(a)
// PYTHON-NEXT:     y = x.copy()
// PYTHON-NEXT:     y[k] = k
// PYTHON-NEXT:     return y, x

// An accumulator that a loop stores to starts as a copy of an array that the loop does not own.

func.func @store_in_loop(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %s = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %x = emitpy.subscript %acc[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %y = emitpy.method %acc "copy"() : (tensor<?xf64>) -> tensor<?xf64>
    %0 = emitpy.binary %k "<" %n : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %z = emitpy.store %y[%k : !emitpy.object], %x if %0 : !emitpy.object : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    emitpy.yield %z : tensor<?xf64>
  }
  %r = emitpy.method %s "copy"() : (tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def store_in_loop(a, n):
// PYTHON-NEXT:     acc = a.copy()
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         if k < n:
// PYTHON-NEXT:             acc[k] = acc[k]
// PYTHON-NEXT:     return acc

// A store reads its array before it writes: a read between a copy and the store keeps no copy.

func.func @store_part(%a: tensor<?x?xf64>, %p: !emitpy.object, %q: !emitpy.object) -> tensor<?x?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %y = emitpy.method %x "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %row = emitpy.subscript %x[%p] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %z = emitpy.store %y[%q : !emitpy.object], %row : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return %z : tensor<?x?xf64>
}
// PYTHON-LABEL: def store_part(a, p, q):
// PYTHON-NEXT:     x = np.exp(a)
// PYTHON-NEXT:     x[q] = x[p]
// PYTHON-NEXT:     return x

// A loop that reads a row, or all, of an array after a store to its copy stores after it has read.

func.func @read_row_first(%a: tensor<?x?xf64>, %n: !emitpy.object, %x: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>) {
  %first = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s, %t = emitpy.for (%k < %n, %acc = %first, %sum = %x) : !emitpy.object -> tensor<?x?xf64>, tensor<?xf64> {
    %row = emitpy.subscript %acc[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %y = emitpy.method %acc "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %z = emitpy.store %y[%k : !emitpy.object], %k : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %next = emitpy.call "np.arctan2"(%sum, %row) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %z, %next : tensor<?x?xf64>, tensor<?xf64>
  }
  func.return %s, %t : tensor<?x?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def read_row_first(a, n, x):
// PYTHON:          for k in range(n):
// PYTHON-NEXT:         sum_ = np.arctan2(sum_, acc[k])
// PYTHON-NEXT:         acc[k] = k

func.func @read_all_first(%a: tensor<?x?xf64>, %n: !emitpy.object, %x: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %first = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s, %t = emitpy.for (%k < %n, %acc = %first, %sum = %x) : !emitpy.object -> tensor<?x?xf64>, tensor<?x?xf64> {
    %row = emitpy.subscript %acc[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %y = emitpy.method %acc "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %z = emitpy.store %y[%k : !emitpy.object], %k : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %u = emitpy.call "np.arctan2"(%sum, %acc) : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %next = emitpy.call "np.arctan2"(%u, %row) : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
    emitpy.yield %z, %next : tensor<?x?xf64>, tensor<?x?xf64>
  }
  func.return %s, %t : tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def read_all_first(a, n, x):
// PYTHON:          for k in range(n):
// PYTHON-NOT:          copy()
// PYTHON:              acc[k] = k

// A loop that reads a row beside the array after the store copies the row in place of the array. It
// copies the array if the step reads all of it then.

func.func @read_row(%a: tensor<?x?xf64>, %n: !emitpy.object, %x: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>) {
  %first = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s, %t = emitpy.for (%k < %n, %acc = %first, %sum = %x) : !emitpy.object -> tensor<?x?xf64>, tensor<?xf64> {
    %row = emitpy.subscript %acc[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %y = emitpy.method %acc "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %z = emitpy.store %y[%k : !emitpy.object], %k : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %new = emitpy.subscript %z[%n] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %next = emitpy.call "np.arctan2"(%new, %row) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %z, %next : tensor<?x?xf64>, tensor<?xf64>
  }
  func.return %s, %t : tensor<?x?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def read_row(a, n, x):
// PYTHON:          for k in range(n):
// PYTHON-NEXT:         row = acc[k].copy()
// PYTHON-NEXT:         acc[k] = k
// PYTHON-NEXT:         np.arctan2(acc[n], row, out=row)

func.func @read_all(%a: tensor<?x?xf64>, %n: !emitpy.object, %x: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %first = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s, %t = emitpy.for (%k < %n, %acc = %first, %sum = %x) : !emitpy.object -> tensor<?x?xf64>, tensor<?x?xf64> {
    %row = emitpy.subscript %acc[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %y = emitpy.method %acc "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %z = emitpy.store %y[%k : !emitpy.object], %k : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %u = emitpy.call "np.arctan2"(%z, %acc) : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %next = emitpy.call "np.arctan2"(%u, %row) : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
    emitpy.yield %z, %next : tensor<?x?xf64>, tensor<?x?xf64>
  }
  func.return %s, %t : tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def read_all(a, n, x):
// PYTHON:          for k in range(n):
// PYTHON-NOT:          acc[k].copy()
// PYTHON:              y = acc.copy()

// The first copy takes the array, the second one reads what the array was before the store.

func.func @copies_of_one(%a: tensor<?xf64>, %p: !emitpy.object, %q: !emitpy.object) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.method %x "copy"() : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.method %x "copy"() : (tensor<?xf64>) -> tensor<?xf64>
  %u = emitpy.store %y[%p : !emitpy.object], %p : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %e = emitpy.subscript %u[%q] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
  %v = emitpy.store %z[%p : !emitpy.object], %e : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  func.return %v : tensor<?xf64>
}
// PYTHON-LABEL: def copies_of_one(a, p, q):
// PYTHON-NEXT:     x = np.exp(a)
// PYTHON-NEXT:     z = x.copy()
// PYTHON-NEXT:     x[p] = p
// PYTHON-NEXT:     z[p] = x[q]
// PYTHON-NEXT:     return z

// An array of zeros that others start from as well is filled anew: nothing reads it before.

func.func @stores_to_zeros(%x: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %a = emitpy.call "np.zeros"(%n) : (!emitpy.object) -> tensor<?xf64>
  %s, %t = emitpy.for (%k < %n, %acc = %a, %other = %a) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %e = emitpy.subscript %x[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %y = emitpy.method %acc "copy"() : (tensor<?xf64>) -> tensor<?xf64>
    %u = emitpy.store %y[%k : !emitpy.object], %e : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %z = emitpy.method %other "copy"() : (tensor<?xf64>) -> tensor<?xf64>
    %v = emitpy.store %z[%k : !emitpy.object], %e : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    emitpy.yield %u, %v : tensor<?xf64>, tensor<?xf64>
  }
  func.return %s, %t : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def stores_to_zeros(x, n):
// PYTHON-NEXT:     acc = np.zeros(n)
// PYTHON-NEXT:     other = np.zeros(n)
// PYTHON-NEXT:     for k in range(n):

// The old value is carried, too: each step copies.

func.func @store_and_keep(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s, %t = emitpy.for (%k < %n, %p = %x, %q = %a) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %y = emitpy.method %p "copy"() : (tensor<?xf64>) -> tensor<?xf64>
    %z = emitpy.store %y[%k : !emitpy.object], %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %z, %p : tensor<?xf64>, tensor<?xf64>
  }
  %r = emitpy.method %t "copy"() : (tensor<?xf64>) -> tensor<?xf64>
  func.return %s, %r : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def store_and_keep(a, n):
// PYTHON-NEXT:     p = np.exp(a)
// PYTHON-NEXT:     q = a
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         y = p.copy()
// PYTHON-NEXT:         y[k] = k
// PYTHON-NEXT:         q = p
// PYTHON-NEXT:         p = y
// PYTHON-NEXT:     return p, q.copy()

// A choice between new elements and those of an array that is dead replaces elements of that array,
// at given positions. The mask is negated if the array is the first of the two.

func.func @selections(%n: !emitpy.object, %m: !emitpy.object, %a: tensor<?xf64>, %x: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %i = emitpy.call "np.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %c = emitpy.binary %i "<" %m : (tensor<?xi64>, !emitpy.object) -> tensor<?xi1>
  %y = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.call "np.where"(%c, %x, %y) : (tensor<?xi1>, !emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  %v = emitpy.call "np.sin"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %w = emitpy.call "np.where"(%c, %v, %a) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z, %w : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def selections(n, m, a, x):
// PYTHON-NEXT:     i = np.arange(n)
// PYTHON-NEXT:     c = i < m
// PYTHON-NEXT:     y = np.exp(a)
// PYTHON-NEXT:     np.copyto(y, x, where=c)
// PYTHON-NEXT:     v = np.sin(a)
// PYTHON-NEXT:     np.copyto(v, a, where=~c)
// PYTHON-NEXT:     return y, v

// New elements of a ufunc without other users are computed only at the positions of the mask.

func.func @masked(%n: !emitpy.object, %m: !emitpy.object, %a: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %i = emitpy.call "np.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %c = emitpy.binary %i "<" %m : (tensor<?xi64>, !emitpy.object) -> tensor<?xi1>
  %y = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %u = emitpy.call "np.sin"(%y) : (tensor<?xf64>) -> tensor<?xf64>
  %v = emitpy.binary %u "*" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.call "np.where"(%c, %v, %y) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.call "np.cos"(%z) : (tensor<?xf64>) -> tensor<?xf64>
  %t = emitpy.binary %s "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %w = emitpy.call "np.where"(%c, %t, %s) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z, %w : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def masked(n, m, a):
// PYTHON-NEXT:     i = np.arange(n)
// PYTHON-NEXT:     c = i < m
// PYTHON-NEXT:     y = np.exp(a)
// PYTHON-NEXT:     u = np.sin(y)
// PYTHON-NEXT:     np.multiply(u, a, out=y, where=c)
// PYTHON-NEXT:     s = np.cos(y)
// PYTHON-NEXT:     np.add(s, a, out=s, where=c)
// PYTHON-NEXT:     return y, s

// The runs of a mask of elements are unknown, so it is profitable only for an accumulator.

func.func @mask_of_elements(%c: tensor<?xi1>, %a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.call "np.where"(%c, %a, %y) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %next = emitpy.call "np.where"(%c, %k, %acc) : (tensor<?xi1>, !emitpy.object, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %next : tensor<?xf64>
  }
  func.return %z, %s : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def mask_of_elements(c, a, n):
// PYTHON-NEXT:     y = np.exp(a)
// PYTHON-NEXT:     acc = a.copy()
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         np.copyto(acc, k, where=c)
// PYTHON-NEXT:     return np.where(c, a, y), acc

// A choice by one truth value of Python cannot be negated, and a mask is not overwritten.

func.func @not_chosen_into(%c: !emitpy.object, %a: tensor<?xf64>, %m: tensor<?xi1>) -> (tensor<?xf64>, tensor<?xi1>) {
  %y = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.call "np.where"(%c, %y, %a) : (!emitpy.object, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p = emitpy.binary %a "<" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
  %q = emitpy.call "np.where"(%p, %m, %m) : (tensor<?xi1>, tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
  func.return %z, %q : tensor<?xf64>, tensor<?xi1>
}
// PYTHON-LABEL: def not_chosen_into(c, a, m):
// PYTHON-NEXT:     y = np.exp(a)
// PYTHON-NEXT:     p = a < a
// PYTHON-NEXT:     return np.where(c, y, a), np.where(p, m, m)

// A part that an operation writes to saves a copy in each step, like one that is stored. The shape
// of an array can be read after its elements are overwritten.

func.func @part_of_accumulator(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %s = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %none = emitpy.literal unit
    %part = emitpy.slice(%k, %none : !emitpy.object, !emitpy.object)
    %copy = emitpy.method %acc "copy"() : (tensor<?xf64>) -> tensor<?xf64>
    %shape = emitpy.attr %acc "shape" : tensor<?xf64> -> !emitpy.object
    %zero = emitpy.literal 0 : i64
    %size = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %x = emitpy.subscript %copy[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %y = emitpy.binary %x "*" %size : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %next = emitpy.store %copy[%part : !emitpy.object], %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %next : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// PYTHON-LABEL: def part_of_accumulator(a, n):
// PYTHON-NEXT:     acc = a.copy()
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         np.multiply(acc[k:], acc.shape[0], out=acc[k:])
// PYTHON-NEXT:     return acc

// A part of the accumulator before the store, as a helper returns it, is read into an array of its
// own: then no step copies the accumulator.

func.func @part_before(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %s = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %none = emitpy.literal unit
    %zero = emitpy.literal 0 : i64
    %part = emitpy.slice(%k, %none : !emitpy.object, !emitpy.object)
    %x = emitpy.helper "np.fill_empty"(%acc, %zero) view : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %w = emitpy.subscript %x[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %y = emitpy.binary %w "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %copy = emitpy.method %acc "copy"() : (tensor<?xf64>) -> tensor<?xf64>
    %next = emitpy.store %copy[%part : !emitpy.object], %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %next : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// PYTHON-LABEL: def part_before(a, n):
// PYTHON-NEXT:     acc = a.copy()
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         y = fill_empty(acc, 0)[k:] * k
// PYTHON-NEXT:         acc[k:] = y
// PYTHON-NEXT:     return acc

// A choice between new elements and those of a part, stored to this part, replaces the others;
// not if it is from another part, or if the choice has another user.

func.func @chosen_into_part(%c: tensor<?xi1>, %x: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %a = emitpy.call "np.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
  %one = emitpy.literal 1 : i64
  %none = emitpy.literal unit
  %part = emitpy.slice(%one, %none : !emitpy.object, !emitpy.object)
  %same = emitpy.slice(%one, %none : !emitpy.object, !emitpy.object)
  %other = emitpy.slice(%none, %one : !emitpy.object, !emitpy.object)
  %old = emitpy.subscript %a[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %y = emitpy.binary %x "+" %old : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.call "np.where"(%c, %y, %old) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %b = emitpy.store %a[%same : !emitpy.object], %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p = emitpy.subscript %b[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %q = emitpy.call "np.where"(%c, %p, %x) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d = emitpy.store %b[%part : !emitpy.object], %q : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.subscript %d[%other] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %s = emitpy.call "np.where"(%c, %x, %r) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %e = emitpy.store %d[%part : !emitpy.object], %s : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t = emitpy.subscript %e[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %u = emitpy.call "np.where"(%c, %x, %t) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %f = emitpy.store %e[%part : !emitpy.object], %u : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %f, %u, %u : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def chosen_into_part(c, x, n):
// PYTHON-NEXT:     a = np.empty(n)
// PYTHON-NEXT:     np.add(x, a[1:], out=a[1:], where=c)
// PYTHON-NEXT:     np.copyto(a[1:], x, where=~c)
// PYTHON-NEXT:     s = np.where(c, x, a[:1])
// PYTHON-NEXT:     a[1:] = s
// PYTHON-NEXT:     u = np.where(c, x, a[1:])
// PYTHON-NEXT:     a[1:] = u
// PYTHON-NEXT:     return a, u, u

// The signs of numbers take several times as long where they overwrite them.

func.func @signs(%a: tensor<?xf64>) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.sign"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.binary %y "*" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func @signs(
// CHECK:         %y = emitpy.call "np.sign"(%x)
// CHECK:         emitpy.augment %y "*" %a
