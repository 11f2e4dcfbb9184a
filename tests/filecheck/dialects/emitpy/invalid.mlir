// RUN: DIAGNOSTICS

%0 = "emitpy.literal"() <{value = 1 : i32}> : () -> !emitpy.object
// CHECK: emitpy.literal: '1 : i32' is not an i64, f64, i1, string, array<i64> or unit

// -----

%0 = emitpy.name "os.environ"
// CHECK: emitpy.name: 'os.environ' is no name that emitpy knows (see emitpy/names.py)

// -----

%0 = emitpy.name "np.sin.__globals__"
// CHECK: emitpy.name: 'np.sin.__globals__' is no name that emitpy knows

// -----

%0 = emitpy.call "np.load"() : () -> !emitpy.object
// CHECK: emitpy.call: 'np.load' is no function that emitpy knows

// -----

%0 = emitpy.call "eval"() : () -> !emitpy.object
// CHECK: emitpy.call: 'eval' is no function that emitpy knows

// -----

%0 = emitpy.call "print(1);max"() : () -> !emitpy.object
// CHECK: emitpy.call: 'print(1);max' is no function that emitpy knows

// -----

%k = emitpy.literal 0 : i64
%0 = "emitpy.call"(%k) <{callee = "max", keywords = ["a=1, b"]}> : (!emitpy.object) -> !emitpy.object
// CHECK: emitpy.call: keyword 'a=1, b' is not a Python name

// -----

%k = emitpy.literal 0 : i64
%0 = "emitpy.call"(%k) <{callee = "max", keywords = ["a", "b"]}> : (!emitpy.object) -> !emitpy.object
// CHECK: emitpy.call: 2 keywords for 1 arguments

// -----

%k = emitpy.literal 0 : i64
%0 = emitpy.call "max"(a = %k, a = %k) : (!emitpy.object, !emitpy.object) -> !emitpy.object
// CHECK: emitpy.call: keywords a, a repeat

// -----

%k = emitpy.literal 0 : i64
%0 = emitpy.call "max"(a = %k, %k) : (!emitpy.object, !emitpy.object) -> !emitpy.object
// CHECK: a positional argument cannot follow a keyword

// -----

%k = emitpy.literal 0 : i64
%0 = emitpy.method %k "tofile"() : (!emitpy.object) -> !emitpy.object
// CHECK: emitpy.method: 'tofile' is no method that emitpy knows

// -----

%0 = emitpy.helper "fill_empty"() : () -> !emitpy.object
// CHECK: emitpy.helper: 'fill_empty' is not of the form 'np.helper'

// -----

%0 = emitpy.helper "np.in_order"() view first : () -> !emitpy.object
// CHECK: emitpy.helper: 'first' needs 'view', and an operand

// -----

%0 = emitpy.extern @__import__() : () -> !emitpy.object
// CHECK: emitpy.extern: '__import__' is not a Python name

// -----

%0 = emitpy.extern @"f(); g"() : () -> !emitpy.object
// CHECK: emitpy.extern: 'f(); g' is not a Python name

// -----

%k = emitpy.literal 0 : i64
%0 = emitpy.attr %k "__class__" : !emitpy.object -> !emitpy.object
// CHECK: emitpy.attr: '__class__' is no attribute that emitpy knows

// -----

%k = emitpy.literal 0 : i64
%0 = emitpy.slice(%k : !emitpy.object)
// CHECK: emitpy.slice: a slice has 0, 2 or 3 bounds, not 1

// -----

%s = emitpy.slice
%0 = emitpy.call "max"(%s) : (!emitpy.object) -> !emitpy.object
// CHECK: emitpy.slice: a slice is only valid as an index of a subscript

// -----

%k = emitpy.literal 0 : i64
%0 = emitpy.subscript %k[] : (!emitpy.object) -> !emitpy.object
// CHECK: emitpy.subscript: at least one index is needed

// -----

func.func @f(%x: tensor<f64>) {
  %0 = emitpy.tuple(%x) : (tensor<f64>) -> tuple<tensor<i64>>
  func.return
}
// CHECK: emitpy.tuple: the fields do not make a 'tuple<tensor<i64>>'

// -----

%k = emitpy.literal 0 : i64
%0 = emitpy.binary %k "if" %k : (!emitpy.object, !emitpy.object) -> !emitpy.object
// CHECK: emitpy.binary: 'if' is no binary operator that emitpy knows

// -----

%k = emitpy.literal 0 : i64
%0 = emitpy.unary "await" %k : (!emitpy.object) -> !emitpy.object
// CHECK: emitpy.unary: 'await' is no unary operator that emitpy knows

// -----

%k = emitpy.literal 0 : i64
%0 = emitpy.conditional %k, %k, %k : (!emitpy.object, !emitpy.object, i64) -> !emitpy.object
// CHECK: emitpy.conditional does not take i64

// -----

func.func @f(%n: !emitpy.object, %x: tensor<f64>) {
  %0 = "emitpy.for"(%n, %x) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%k: tensor<i64>, %acc: tensor<f64>):
    emitpy.yield %acc : tensor<f64>
  }) : (!emitpy.object, tensor<f64>) -> tensor<f64>
  func.return
}
// CHECK: emitpy.for: the body must take an !emitpy.object and the accumulators

// -----

func.func @f(%n: !emitpy.object, %x: tensor<f64>) {
  %0 = emitpy.for (%k < %n, %acc = %x) : !emitpy.object -> tensor<f64> {
    emitpy.yield %k : !emitpy.object
  }
  func.return
}
// CHECK: emitpy.for: initial values, yielded values and results must have the same types

// -----

func.func @f(%n: !emitpy.object) {
  "emitpy.for"(%n) <{operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%k: !emitpy.object):
    "llvm.unreachable"() : () -> ()
  }) : (!emitpy.object) -> ()
  func.return
}
// CHECK: emitpy.for: the body must end in emitpy.yield

// -----

func.func @f(%x: tensor<f64>) {
  emitpy.yield %x : tensor<f64>
}
// CHECK: 'emitpy.yield' expects parent op to be one of 'emitpy.def', 'emitpy.for'

// -----

%k = emitpy.literal 0 : i64
emitpy.raise_if %k, "SystemExit", "no"() : !emitpy.object
// CHECK: emitpy.raise_if: 'SystemExit' is no exception that emitpy knows

// -----

%k = emitpy.literal 0 : i64
emitpy.raise_if %k, "ValueError", "{} {}"(%k) : !emitpy.object, !emitpy.object
// CHECK: emitpy.raise_if: the message has 2 places for 1 values

// -----

%k = emitpy.literal 0 : i64
emitpy.raise_if %k, "ValueError", "{k!r}"(%k) : !emitpy.object, !emitpy.object
// CHECK: emitpy.raise_if: message: '{k}' must be '{}'

// -----

%k = emitpy.literal 0 : i64
emitpy.raise_if %k, "ValueError", "}"() : !emitpy.object
// CHECK: emitpy.raise_if: message: Single '}' encountered in format string

// -----

"emitpy.del"() : () -> ()
// CHECK: emitpy.del: at least one value is needed

// -----

func.func @f() attributes {emitpy.decorators = [#emitpy.decorator<"os.system", {}>]} {
  func.return
}
// CHECK: emitpy.decorator: 'os.system' is no function that emitpy knows

// -----

func.func @f() attributes {emitpy.decorators = [#emitpy.decorator<"np.errstate", {"a b" = "x"}>]} {
  func.return
}
// CHECK: emitpy.decorator: 'a b' is not a Python name

// -----

func.func @f() attributes {emitpy.decorators = [#emitpy.decorator<"np.errstate", {all = 1 : i64}>]} {
  func.return
}
// CHECK: emitpy.decorator: 'all' must be a string, not '1 : i64'

// -----

%0 = emitpy.def {
^bb0(%k: tensor<i64>):
  emitpy.yield
}
// CHECK: emitpy.def: the body must end in emitpy.yield of one value

// -----

func.func @nothing(%t: !emitpy.object) {
  "emitpy.unpack"(%t) : (!emitpy.object) -> ()
  func.return
}
// CHECK: emitpy.unpack: at least one field is needed

// -----

func.func @f(%a: tensor<?xf64>) {
  %0 = emitpy.augment %a "==" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: emitpy.augment: '==' is no augmented operator that emitpy knows

// -----

func.func @f(%a: tensor<?xf64>) {
  %0 = emitpy.augment %a "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: emitpy.augment: a 'tensor<?xf64>' cannot become a 'tensor<?x?xf64>'

// -----

func.func @f(%a: tensor<?xf64>) {
  %0 = emitpy.call_into %a "np.save"(%a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: emitpy.call_into: 'np.save' is no function that emitpy knows

// -----

func.func @f(%a: tensor<?xf64>) {
  %0 = emitpy.call_into %a "np.abs"(%a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
  func.return
}
// CHECK: emitpy.call_into: a 'tensor<?xf64>' cannot become a 'tensor<?xi1>'

// -----

func.func @f(%a: tensor<?xf64>) {
  %0 = "emitpy.store"(%a, %a) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: emitpy.store: at least one index is needed

// -----

func.func @f(%a: tensor<?xf64>, %k: !emitpy.object) {
  %0 = emitpy.store %a[%k : !emitpy.object], %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xi1>
  func.return
}
// CHECK: emitpy.store: a 'tensor<?xf64>' cannot become a 'tensor<?xi1>'

// -----

func.func @f(%n: !emitpy.object) {
  emitpy.for conditional (%k < %n) : !emitpy.object {
    emitpy.yield
  }
  func.return
}
// CHECK: emitpy.for: a conditional loop needs an accumulator
