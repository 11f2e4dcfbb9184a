// RUN: ein-opt %s -p reuse-buffers{library=torch} -t python | filecheck %s

// A number is no first argument of a function: an operator is mirrored, or its result is a new
// tensor. A method becomes a function.

func.func @chain(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %two = emitpy.literal 2.0 : f64
  %s = emitpy.binary %a "+" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d = emitpy.binary %two "*" %s : (!emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.binary %a "-" %d : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %e = emitpy.call "torch.exp"(%r) : (tensor<?xf64>) -> tensor<?xf64>
  %c = emitpy.method %e "clamp"(min = %two) : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %n = emitpy.unary "-" %c : (tensor<?xf64>) -> tensor<?xf64>
  %o = emitpy.binary %two "-" %n : (!emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  func.return %o : tensor<?xf64>
}
// CHECK-LABEL: def chain(a, b):
// CHECK-NEXT:      s = a + b
// CHECK-NEXT:      s *= 2.0
// CHECK-NEXT:      torch.sub(a, s, out=s)
// CHECK-NEXT:      torch.exp(s, out=s)
// CHECK-NEXT:      torch.clamp(s, out=s, min=2.0)
// CHECK-NEXT:      torch.neg(s, out=s)
// CHECK-NEXT:      return 2.0 - s

// A scalar that is read from a tensor is a view of it: as long as it is needed, the tensor is not
// overwritten.

func.func @scalar(%a: tensor<?xf64>) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %s = emitpy.binary %a "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %x = emitpy.subscript %s[%zero] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
  %t = emitpy.binary %s "*" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %u = emitpy.binary %t "+" %x : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  func.return %u : tensor<?xf64>
}
// CHECK-LABEL: def scalar(a):
// CHECK-NEXT:      s = a + a
// CHECK-NEXT:      t = s * a
// CHECK-NEXT:      t += s[0]
// CHECK-NEXT:      return t

// A function writes to the place that it reads, and to no other part of a tensor that it reads.

func.func @parts(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %one = emitpy.literal 1 : i64
  %none = emitpy.literal unit
  %other = emitpy.literal unit
  %last = emitpy.literal -1 : i64
  %s = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %copy = emitpy.method %acc "clone"() : (tensor<?xf64>) -> tensor<?xf64>
    %part = emitpy.slice(%one, %none : !emitpy.object, !emitpy.object)
    %same = emitpy.slice(%one, %other : !emitpy.object, !emitpy.object)
    %left = emitpy.slice(%none, %last : !emitpy.object, !emitpy.object)
    %v = emitpy.subscript %copy[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %y = emitpy.binary %v "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %b = emitpy.store %copy[%same : !emitpy.object], %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %w = emitpy.subscript %b[%left] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %z = emitpy.binary %w "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %c = emitpy.store %b[%part : !emitpy.object], %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %c : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// CHECK-LABEL: def parts(a, n):
// CHECK-NEXT:      acc = a.clone()
// CHECK-NEXT:      for k in range(n):
// CHECK-NEXT:          torch.mul(acc[1:], k, out=acc[1:])
// CHECK-NEXT:          z = acc[:-1] * k
// CHECK-NEXT:          acc[1:] = z
// CHECK-NEXT:      return acc

// A result that is repeated in its place is stored: a function would change the size of the place.

func.func @repeated(%a: tensor<?xf64>, %x: tensor<f64>, %n: !emitpy.object) -> tensor<?xf64> {
  %none = emitpy.literal unit
  %one = emitpy.literal 1 : i64
  %out = emitpy.call "torch.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
  %first = emitpy.slice(%none, %one : !emitpy.object, !emitpy.object)
  %rest = emitpy.slice(%one, %none : !emitpy.object, !emitpy.object)
  %y = emitpy.binary %x "*" %one : (tensor<f64>, !emitpy.object) -> tensor<f64>
  %b = emitpy.store %out[%first : !emitpy.object], %y : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %z = emitpy.binary %a "*" %n : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %c = emitpy.store %b[%rest : !emitpy.object], %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %c : tensor<?xf64>
}
// CHECK-LABEL: def repeated(a, x, n):
// CHECK-NEXT:      out = torch.empty(n)
// CHECK-NEXT:      y = x * 1
// CHECK-NEXT:      out[:1] = y
// CHECK-NEXT:      torch.mul(a, n, out=out[1:])

// A part that has one more axis, or an axis of size 1, is computed in its place by a helper, which
// repeats it there if the place is larger. An operand with fewer axes has no such view.

func.func @columns(%a: tensor<?xf64>, %b: tensor<?xf64>, %x: tensor<f64>, %c: tensor<?x1xf64>, %d: tensor<1x?xf64>, %n: !emitpy.object) -> tensor<?x?xf64> {
  %none = emitpy.literal unit
  %one = emitpy.literal 1 : i64
  %two = emitpy.literal 2 : i64
  %three = emitpy.literal 3 : i64
  %all = emitpy.slice
  %shape = emitpy.tuple(%n, %n) : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %out = emitpy.call "torch.empty"(%shape) : (!emitpy.object) -> tensor<?x?xf64>
  %0 = emitpy.slice(%none, %one : !emitpy.object, !emitpy.object)
  %1 = emitpy.slice(%one, %two : !emitpy.object, !emitpy.object)
  %2 = emitpy.slice(%two, %three : !emitpy.object, !emitpy.object)
  %3 = emitpy.slice(%three, %none : !emitpy.object, !emitpy.object)
  %sum = emitpy.binary %a "+" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %column = emitpy.subscript %sum[%all, %none] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %4 = emitpy.store %out[%all, %0 : !emitpy.object, !emitpy.object], %column : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %scaled = emitpy.binary %x "*" %a : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %second = emitpy.subscript %scaled[%all, %none] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %5 = emitpy.store %4[%all, %1 : !emitpy.object, !emitpy.object], %second : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %e = emitpy.call "torch.exp"(%c) : (tensor<?x1xf64>) -> tensor<?x1xf64>
  %6 = emitpy.store %5[%all, %2 : !emitpy.object, !emitpy.object], %e : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %rows = emitpy.binary %d "+" %b : (tensor<1x?xf64>, tensor<?xf64>) -> tensor<1x?xf64>
  %last = emitpy.subscript %rows[%none, %all] : (tensor<1x?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x1x?xf64>
  %7 = emitpy.store %6[%all, %3 : !emitpy.object, !emitpy.object], %last : (tensor<?x?xf64>, tensor<1x1x?xf64>) -> tensor<?x?xf64>
  func.return %7 : tensor<?x?xf64>
}
// CHECK-LABEL: def columns(a, b, x, c, d, n):
// CHECK-NEXT:      out = torch.empty((n, n))
// CHECK-NEXT:      compute_into(out[:, :1], torch.add, a[:, None], b[:, None])
// CHECK-NEXT:      compute_into(out[:, 1:2], torch.mul, x, a[:, None])
// CHECK-NEXT:      compute_into(out[:, 2:3], torch.exp, c)
// CHECK-NEXT:      rows = d + b
// CHECK-NEXT:      out[:, 3:] = rows[None, :]
