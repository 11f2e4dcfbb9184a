// RUN: ein-opt %s -t python | filecheck %s
// RUN: xdsl-opt %s -t python | filecheck %s

// The imports and the helpers that the functions need come first.

// CHECK:      import math
// CHECK-EMPTY:
// CHECK-NEXT: import numpy as np
// CHECK:      def erf(x):
// CHECK-NEXT:     """The error function."""

func.func @helper(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = emitpy.helper "np.erf"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %y : tensor<?xf64>
}
// CHECK-LABEL: def helper(x):
// CHECK-NEXT:     return erf(x)

// Names: keywords, builtins and library names are avoided, repeated ones numbered.

func.func @print(%np: tensor<f64>, %lambda: tensor<f64>, %x: tensor<f64>, %0: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %a = emitpy.binary %np "+" %lambda : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %b = emitpy.binary %x "+" %0 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %list = emitpy.binary %a "+" %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = emitpy.binary %b "*" %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = emitpy.binary %1 "-" %1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %3 = emitpy.binary %list "-" %list : (tensor<f64>, tensor<f64>) -> tensor<f64>
  func.return %2, %3 : tensor<f64>, tensor<f64>
}
// CHECK-LABEL: def print_(np_, lambda_, x, a3):
// CHECK-NEXT:     a = np_ + lambda_
// CHECK-NEXT:     b = x + a3
// CHECK-NEXT:     list_ = a + a
// CHECK-NEXT:     t0 = b * b
// CHECK-NEXT:     return t0 - t0, list_ - list_

// Parentheses: only those that precedence requires.

func.func @precedence(%a: tensor<?xf64>, %b: tensor<?xf64>, %i: tensor<?xi1>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xi1>, tensor<?xf64>) {
  %0 = emitpy.binary %a "-" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.binary %a "-" %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.binary %a "-" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = emitpy.binary %2 "-" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %two = emitpy.literal 2 : i64
  %4 = emitpy.unary "-" %3 : (tensor<?xf64>) -> tensor<?xf64>
  %5 = emitpy.binary %4 "**" %two : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %6 = emitpy.binary %a "<" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
  %7 = emitpy.binary %6 "&" %i : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
  %8 = emitpy.unary "~" %7 : (tensor<?xi1>) -> tensor<?xi1>
  %minus = emitpy.literal -1.0 : f64
  %9 = emitpy.binary %minus "**" %two : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %10 = emitpy.binary %a "**" %minus : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %11 = emitpy.binary %10 "*" %9 : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  func.return %1, %5, %8, %11 : tensor<?xf64>, tensor<?xf64>, tensor<?xi1>, tensor<?xf64>
}
// CHECK-LABEL: def precedence(a, b, i):
// CHECK-NEXT:     return a - (a - b), (-(a - b - b)) ** 2, ~((a < b) & i), a**-1.0 * (-1.0)**2

// Strings are literals, for all contents.

func.func @strings(%n: !emitpy.object) {
  emitpy.raise_if %n, "ValueError", "it's \22{{x}}\22: {}; {}"(%n, %n) : !emitpy.object, !emitpy.object, !emitpy.object
  func.return
}
// CHECK-LABEL: def strings(n):
// CHECK-NEXT:     if n:
// CHECK-NEXT:         raise ValueError(f'it\'s "{{[{][{]x[}][}]}}": {n}; {n}')

// Accumulators: assigned in sequence if that is equivalent, otherwise at once; a loop continues
// with the variable of the loop around it.

func.func @fibonacci(%n: !emitpy.object, %x: tensor<i64>, %y: tensor<i64>) -> tensor<i64> {
  %r:2 = emitpy.for (%k < %n, %a = %x, %b = %y) : !emitpy.object -> tensor<i64>, tensor<i64> {
    %c = emitpy.binary %a "+" %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    emitpy.yield %b, %c : tensor<i64>, tensor<i64>
  }
  func.return %r#0 : tensor<i64>
}
// CHECK-LABEL: def fibonacci(n, x, y):
// CHECK-NEXT:     a = x
// CHECK-NEXT:     b = y
// CHECK-NEXT:     for _ in range(n):
// CHECK-NEXT:         a, b = b, a + b
// CHECK-NEXT:     return a

func.func @shift(%n: !emitpy.object, %x: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %r:2 = emitpy.for (%k < %n, %a = %x, %b = %x) : !emitpy.object -> tensor<i64>, tensor<i64> {
    %c = emitpy.binary %b "+" %k : (tensor<i64>, !emitpy.object) -> tensor<i64>
    emitpy.yield %b, %c : tensor<i64>, tensor<i64>
  }
  func.return %r#0, %r#1 : tensor<i64>, tensor<i64>
}
// CHECK-LABEL: def shift(n, x):
// CHECK-NEXT:     a = x
// CHECK-NEXT:     b = x
// CHECK-NEXT:     for k in range(n):
// CHECK-NEXT:         a = b
// CHECK-NEXT:         b = b + k
// CHECK-NEXT:     return a, b

func.func @nested(%n: !emitpy.object, %x: tensor<i64>) -> tensor<i64> {
  %r = emitpy.for (%i < %n, %acc = %x) : !emitpy.object -> tensor<i64> {
    %s = emitpy.for (%j < %n, %inner = %acc) : !emitpy.object -> tensor<i64> {
      %t = emitpy.binary %inner "*" %inner : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %u = emitpy.binary %t "+" %i : (tensor<i64>, !emitpy.object) -> tensor<i64>
      %v = emitpy.binary %u "-" %u : (tensor<i64>, tensor<i64>) -> tensor<i64>
      emitpy.yield %v : tensor<i64>
    }
    emitpy.yield %s : tensor<i64>
  }
  func.return %r : tensor<i64>
}
// CHECK-LABEL: def nested(n, x):
// CHECK-NEXT:     acc = x
// CHECK-NEXT:     for i in range(n):
// CHECK-NEXT:         for _ in range(n):
// CHECK-NEXT:             t = acc * acc
// CHECK-NEXT:             u = t + i
// CHECK-NEXT:             acc = u - u
// CHECK-NEXT:     return acc

// A value that the step still needs keeps its variable.

func.func @old_value(%n: !emitpy.object, %x: tensor<i64>) -> tensor<i64> {
  %r = emitpy.for (%i < %n, %acc = %x) : !emitpy.object -> tensor<i64> {
    %new = emitpy.binary %acc "+" %i : (tensor<i64>, !emitpy.object) -> tensor<i64>
    %c = emitpy.binary %new "<" %acc : (tensor<i64>, tensor<i64>) -> tensor<i1>
    emitpy.raise_if %c, "ValueError", "less"() : tensor<i1>
    emitpy.yield %new : tensor<i64>
  }
  func.return %r : tensor<i64>
}
// CHECK-LABEL: def old_value(n, x):
// CHECK-NEXT:     acc = x
// CHECK-NEXT:     for i in range(n):
// CHECK-NEXT:         new = acc + i
// CHECK-NEXT:         c = new < acc
// CHECK-NEXT:         if c:
// CHECK-NEXT:             raise ValueError("less")
// CHECK-NEXT:         acc = new
// CHECK-NEXT:     return acc

func.func @empty(%n: !emitpy.object) {
  emitpy.for (%i < %n) : !emitpy.object {
    emitpy.yield
  }
  func.return
}
// CHECK-LABEL: def empty(n):
// CHECK-NEXT:     for _ in range(n):
// CHECK-NEXT:         pass

// Lines stay short: part of an expression gets a name.

func.func @long(%first_operand: tensor<?xf64>, %second_operand: tensor<?xf64>) -> tensor<?xf64> {
  %0 = emitpy.call "np.arctan2"(%first_operand, %second_operand) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.call "np.arctan2"(%second_operand, %first_operand) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.binary %0 "/" %1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = emitpy.call "np.maximum"(%2, %2) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %3 : tensor<?xf64>
}
// CHECK-LABEL: def long(first_operand, second_operand):
// CHECK-NEXT:     t0 = np.arctan2(first_operand, second_operand)
// CHECK-NEXT:     t1 = t0 / np.arctan2(second_operand, first_operand)
// CHECK-NEXT:     return np.maximum(t1, t1)

// A variable is deleted when no later expression reads it.

func.func @delete(%x: tensor<?xf64>) -> tensor<?xf64> {
  %big = emitpy.call "np.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.binary %big "*" %big : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  emitpy.del %big : tensor<?xf64>
  %1 = emitpy.binary %0 "+" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %sum = emitpy.binary %1 "+" %1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %sum : tensor<?xf64>
}
// CHECK-LABEL: def delete(x):
// CHECK-NEXT:     big = np.sin(x)
// CHECK-NEXT:     t0 = big * big + x
// CHECK-NEXT:     del big
// CHECK-NEXT:     return t0 + t0

func.func @shape_of_deleted(%x: tensor<?xf64>) -> (!emitpy.object, tensor<?xf64>) {
  %big = emitpy.call "np.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.binary %big "*" %big : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %shape = emitpy.attr %big "shape" : tensor<?xf64> -> !emitpy.object
  emitpy.del %big : tensor<?xf64>
  %1 = emitpy.call "np.exp"(%0) : (tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.binary %1 "+" %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = emitpy.tuple(%shape, %shape) : (!emitpy.object, !emitpy.object) -> !emitpy.object
  func.return %3, %2 : !emitpy.object, tensor<?xf64>
}
// CHECK-LABEL: def shape_of_deleted(x):
// CHECK-NEXT:     big = np.sin(x)
// CHECK-NEXT:     t0 = big * big
// CHECK-NEXT:     shape = big.shape
// CHECK-NEXT:     del big
// CHECK-NEXT:     return (shape, shape), np.exp(t0) + t0

func.func @calls(%x: tensor<i64>, %n: !emitpy.object) -> tensor<i64> {
  %r:2 = func.call @shift(%n, %x) : (!emitpy.object, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  func.return %r#1 : tensor<i64>
}
// CHECK-LABEL: def calls(x, n):
// CHECK-NEXT:     _, r = shift(n, x)
// CHECK-NEXT:     return r

// A variable that would be deleted next takes the value of its namesake; one that is read later, or
// has another name, does not.

func.func @namesakes(%a: tensor<?xf64>) -> tensor<?xf64> {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %x_1 = emitpy.binary %x "*" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  emitpy.del %x : tensor<?xf64>
  %x_2 = emitpy.binary %x_1 "+" %x_1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.binary %x_2 "*" %x_1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.binary %0 "-" %x_2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  emitpy.del %x_1, %x_2 : tensor<?xf64>, tensor<?xf64>
  %1 = emitpy.binary %y "@" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK:      def namesakes(a):
// CHECK-NEXT:     x = np.exp(a)
// CHECK-NEXT:     x = x * x
// CHECK-NEXT:     x_1 = x + x
// CHECK-NEXT:     y = x_1 * x - x_1
// CHECK-NEXT:     del x, x_1
// CHECK-NEXT:     return y @ y

// An array that a loop alone starts with, maybe more than once, is the first accumulator: no other
// variable keeps it.

func.func @started(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %0 = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %r, %s = emitpy.for (%k < %n, %x = %0, %y = %0) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %1 = emitpy.binary %y "+" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %1, %x : tensor<?xf64>, tensor<?xf64>
  }
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def started(a, n):
// CHECK-NEXT:     x = np.exp(a)
// CHECK-NEXT:     y = x
// CHECK-NEXT:     for _ in range(n):
// CHECK-NEXT:         x, y = y + x, x
// CHECK-NEXT:     return x, y

// Not an array that is used after the loop, or an argument.

func.func @kept_start(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %0 = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %r, %s = emitpy.for (%k < %n, %x = %0, %y = %a) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    emitpy.yield %y, %x : tensor<?xf64>, tensor<?xf64>
  }
  %1 = emitpy.binary %r "+" %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1, %s : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def kept_start(a, n):
// CHECK-NEXT:     t0 = np.exp(a)
// CHECK-NEXT:     x = t0
// CHECK-NEXT:     y = a
// CHECK-NEXT:     for _ in range(n):
// CHECK-NEXT:         x, y = y, x
// CHECK-NEXT:     return x + t0, y

// A part of a long line is computed in the variable that it is assigned to, if nothing else
// reads it and the types are the same.

func.func @long_lines(%matrix_of_products: tensor<?xf64>, %a: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %0 = emitpy.call "np.exp"(%matrix_of_products) : (tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.binary %0 "+" %matrix_of_products : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.binary %1 "*" %matrix_of_products : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = emitpy.binary %2 "-" %matrix_of_products : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %4 = emitpy.binary %3 "/" %matrix_of_products : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %5 = emitpy.binary %4 "+" %matrix_of_products : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %6 = emitpy.binary %5 "*" %matrix_of_products : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %7 = emitpy.binary %6 "-" %matrix_of_products : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %8 = emitpy.binary %7 "/" %matrix_of_products : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %8, %a : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def long_lines(matrix_of_products, a):
// CHECK-NEXT:     t0 = (np.exp(matrix_of_products) + matrix_of_products) * matrix_of_products
// CHECK-NEXT:     t0 = (t0 - matrix_of_products) / matrix_of_products + matrix_of_products
// CHECK-NEXT:     return (t0 * matrix_of_products - matrix_of_products) / matrix_of_products, a
