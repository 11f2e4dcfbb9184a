// RUN: ein-opt %s -t python | filecheck %s

// Reads of an array are computed before the array is overwritten.

func.func @statement(%x: tensor<?xf64>) -> tensor<?xf64> {
  %v = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.method %v "sum"() : (tensor<?xf64>) -> tensor<f64>
  %1 = emitpy.method %x "sum"() : (tensor<?xf64>) -> tensor<f64>
  %w = emitpy.augment %v "*" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.binary %0 "+" %1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %y = emitpy.augment %w "-" %2 : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  func.return %y : tensor<?xf64>
}
// CHECK-LABEL: def statement(x):
// CHECK-NEXT:     v = np.exp(x)
// CHECK-NEXT:     t0 = v.sum()
// CHECK-NEXT:     v *= x
// CHECK-NEXT:     v -= t0 + x.sum()
// CHECK-NEXT:     return v

func.func @loop(%x: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %v = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.method %v "sum"() : (tensor<?xf64>) -> tensor<f64>
  %s = emitpy.for (%k < %n, %acc = %v) : !emitpy.object -> tensor<?xf64> {
    %next = emitpy.augment %acc "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %next : tensor<?xf64>
  }
  %1 = emitpy.binary %s "-" %0 : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: def loop(x, n):
// CHECK-NEXT:     v = np.exp(x)
// CHECK-NEXT:     t0 = v.sum()
// CHECK-NEXT:     acc = v
// CHECK-NEXT:     for k in range(n):
// CHECK-NEXT:         acc *= k
// CHECK-NEXT:     return acc - t0

func.func @slice(%x: tensor<?xf64>, %p: tensor<?xi64>, %i: !emitpy.object) -> (tensor<?xf64>, tensor<?xi64>) {
  %v = emitpy.call "np.abs"(%p) : (tensor<?xi64>) -> tensor<?xi64>
  %none = emitpy.literal unit
  %first = emitpy.subscript %v[%i] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
  %part = emitpy.slice(%first, %none : tensor<i64>, !emitpy.object)
  %w = emitpy.augment %v "+" %i : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
  %y = emitpy.subscript %x[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  func.return %y, %w : tensor<?xf64>, tensor<?xi64>
}
// CHECK-LABEL: def slice_(x, p, i):
// CHECK-NEXT:     v = np.abs(p)
// CHECK-NEXT:     first = v[i]
// CHECK-NEXT:     v += i
// CHECK-NEXT:     return x[first:], v

// A view that is overwritten has a name: its elements are those of the array.

func.func @view(%a: tensor<?xf64>) -> tensor<?xf64> {
  %v = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %none = emitpy.literal unit
  %one = emitpy.literal 1 : i64
  %rest = emitpy.slice(%one, %none : !emitpy.object, !emitpy.object)
  %0 = emitpy.subscript %v[%rest] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %1 = emitpy.augment %0 "+" %one : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: def view(a):
// CHECK-NEXT:     v = np.exp(a)
// CHECK-NEXT:     t0 = v[1:]
// CHECK-NEXT:     t0 += 1
// CHECK-NEXT:     return t0

// A name is deleted once, and the parts of a long expression get names.

func.func @delete(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %v = emitpy.call "np.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %w = emitpy.augment %v "*" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.binary %w "@" %w : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  emitpy.del %v, %w : tensor<?xf64>, tensor<?xf64>
  func.return %y, %y : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def delete(x):
// CHECK-NEXT:     v = np.exp(x)
// CHECK-NEXT:     v *= x
// CHECK-NEXT:     y = v @ v
// CHECK-NEXT:     del v
// CHECK-NEXT:     return y, y

func.func @long(%first_operand: tensor<?xf64>, %second_operand: tensor<?xf64>) -> tensor<?xf64> {
  %0 = emitpy.call "np.arctan2"(%first_operand, %second_operand) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.call "np.arctan2"(%second_operand, %first_operand) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.augment %0 "/" %1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %2 : tensor<?xf64>
}
// CHECK-LABEL: def long(first_operand, second_operand):
// CHECK-NEXT:     t0 = np.arctan2(first_operand, second_operand)
// CHECK-NEXT:     t0 /= np.arctan2(second_operand, first_operand)
// CHECK-NEXT:     return t0

// An array without a name, read before its operand is overwritten, gets one.

func.func @two_terms(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.binary %a "*" %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.augment %0 "*" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = emitpy.augment %1 "+" %2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %3 : tensor<?xf64>
}
// CHECK-LABEL: def two_terms(a):
// CHECK-NEXT:     t0 = np.exp(a)
// CHECK-NEXT:     t1 = a * t0
// CHECK-NEXT:     t0 *= a
// CHECK-NEXT:     t1 += t0
// CHECK-NEXT:     return t1

// A variable is deleted after the line that reads it, also among initial values and in headers.

func.func @delete_later(%x: tensor<?xi64>) -> tensor<?xi64> {
  %v = emitpy.call "np.abs"(%x) : (tensor<?xi64>) -> tensor<?xi64>
  %0 = emitpy.call "np.exp"(%x) : (tensor<?xi64>) -> tensor<?xi64>
  %1 = emitpy.binary %v "*" %v : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %2 = emitpy.method %v "sum"() : (tensor<?xi64>) -> tensor<i64>
  emitpy.del %v : tensor<?xi64>
  %r, %s = emitpy.for (%k < %2, %p = %0, %q = %1) : tensor<i64> -> tensor<?xi64>, tensor<?xi64> {
    emitpy.yield %q, %p : tensor<?xi64>, tensor<?xi64>
  }
  func.return %r : tensor<?xi64>
}
// CHECK-LABEL: def delete_later(x):
// CHECK-NEXT:     v = np.abs(x)
// CHECK-NEXT:     p = np.exp(x)
// CHECK-NEXT:     q = v * v
// CHECK-NEXT:     t0 = v.sum()
// CHECK-NEXT:     del v
// CHECK-NEXT:     for _ in range(t0):
// CHECK-NEXT:         p, q = q, p
// CHECK-NEXT:     return p

// An unused slice has no effect.

func.func @unread(%a: tensor<?xf64>, %n: !emitpy.object, %x: tensor<f64>) -> tensor<?xf64> {
  %all = emitpy.slice
  %0 = emitpy.binary %n "+" %n : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %s = emitpy.slice(%n, %0 : !emitpy.object, !emitpy.object)
  %b = emitpy.store %a[%all : !emitpy.object], %x : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  func.return %b : tensor<?xf64>
}
// CHECK-LABEL: def unread(a, n, x):
// CHECK-NEXT:     a[:] = x
// CHECK-NEXT:     return a

// NumPy overwrites an array that has no name; PyTorch does not.
func.func @on_tensors(%x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = emitpy.call "torch.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.augment %0 "+" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: def on_tensors(x):
// CHECK-NEXT:     t0 = torch.exp(x)
// CHECK-NEXT:     t0 += x
// CHECK-NEXT:     return t0
