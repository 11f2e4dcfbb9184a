// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

func.func @atoms() {
  %int = emitpy.literal -3 : i64
  %float = emitpy.literal 5.000000e-01 : f64
  %bool = emitpy.literal true
  %text = emitpy.literal "edge"
  %axes = emitpy.literal array<i64: 0, 2>
  %none = emitpy.literal unit
  %dtype = emitpy.name "np.float32"
  func.return
}
// CHECK-GENERIC-LABEL: sym_name = "atoms"
// CHECK-GENERIC-NEXT:   %int = "emitpy.literal"() <{value = -3 : i64}> : () -> !emitpy.object
// CHECK-GENERIC-NEXT:   %float = "emitpy.literal"() <{value = 5.000000e-01 : f64}> : () -> !emitpy.object
// CHECK-GENERIC-NEXT:   %bool = "emitpy.literal"() <{value = true}> : () -> !emitpy.object
// CHECK-GENERIC-NEXT:   %text = "emitpy.literal"() <{value = "edge"}> : () -> !emitpy.object
// CHECK-GENERIC-NEXT:   %axes = "emitpy.literal"() <{value = array<i64: 0, 2>}> : () -> !emitpy.object
// CHECK-GENERIC-NEXT:   %none = "emitpy.literal"() <{value}> : () -> !emitpy.object
// CHECK-GENERIC-NEXT:   %dtype = "emitpy.name"() <{target = "np.float32"}> : () -> !emitpy.object
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()
// CHECK-LABEL: func.func @atoms(
// CHECK-NEXT:   %int = emitpy.literal -3 : i64
// CHECK-NEXT:   %float = emitpy.literal 5.000000e-01 : f64
// CHECK-NEXT:   %bool = emitpy.literal true
// CHECK-NEXT:   %text = emitpy.literal "edge"
// CHECK-NEXT:   %axes = emitpy.literal array<i64: 0, 2>
// CHECK-NEXT:   %none = emitpy.literal unit
// CHECK-NEXT:   %dtype = emitpy.name "np.float32"
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

func.func @calls(%a: tensor<?x?xf64>, %p: tensor<?xi64>, %k: !emitpy.object) -> tensor<?x?xf64> attributes {emitpy.decorators = [#emitpy.decorator<"np.errstate", {all = "ignore"}>]} {
  %n = emitpy.call "max"(%k, %k) : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %t = emitpy.call "np.take"(%a, %p, axis = %k) : (tensor<?x?xf64>, tensor<?xi64>, !emitpy.object) -> tensor<?x?xf64>
  %b = emitpy.call "np.broadcast_to"(%a, %k) view read_only : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %s = emitpy.method %t "sum"(axis = %k) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %c = emitpy.method %t "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %h = emitpy.helper "np.fill_empty"(%c, %k) view : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %h_1 = emitpy.helper "np.in_order"(%c, %k) view first : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %e = emitpy.extern @sort(%h) view : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %e : tensor<?x?xf64>
}
// CHECK-GENERIC-LABEL: sym_name = "calls"
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?x?xf64>, %p: tensor<?xi64>, %k: !emitpy.object):
// CHECK-GENERIC-NEXT:   %n = "emitpy.call"(%k, %k) <{callee = "max"}> : (!emitpy.object, !emitpy.object) -> !emitpy.object
// CHECK-GENERIC-NEXT:   %t = "emitpy.call"(%a, %p, %k) <{callee = "np.take", keywords = ["axis"]}> : (tensor<?x?xf64>, tensor<?xi64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   %b = "emitpy.call"(%a, %k) <{callee = "np.broadcast_to", view, read_only}> : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   %s = "emitpy.method"(%t, %k) <{method = "sum", keywords = ["axis"]}> : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %c = "emitpy.method"(%t) <{method = "copy"}> : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   %h = "emitpy.helper"(%c, %k) <{callee = "np.fill_empty", view}> : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   %h_1 = "emitpy.helper"(%c, %k) <{callee = "np.in_order", view, first}> : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   %e = "emitpy.extern"(%h) <{callee = @sort, view}> : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   "func.return"(%e) : (tensor<?x?xf64>) -> ()
// CHECK-GENERIC-NEXT: }) {emitpy.decorators = [#emitpy.decorator<"np.errstate", {all = "ignore"}>]} : () -> ()
// CHECK-LABEL: func.func @calls(
// CHECK-NEXT:   %n = emitpy.call "max"(%k, %k) : (!emitpy.object, !emitpy.object) -> !emitpy.object
// CHECK-NEXT:   %t = emitpy.call "np.take"(%a, %p, axis = %k) : (tensor<?x?xf64>, tensor<?xi64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK-NEXT:   %b = emitpy.call "np.broadcast_to"(%a, %k) view read_only : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK-NEXT:   %s = emitpy.method %t "sum"(axis = %k) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:   %c = emitpy.method %t "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %h = emitpy.helper "np.fill_empty"(%c, %k) view : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK-NEXT:   %h_1 = emitpy.helper "np.in_order"(%c, %k) view first : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
// CHECK-NEXT:   %e = emitpy.extern @sort(%h) view : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %e : tensor<?x?xf64>
// CHECK-NEXT: }

func.func @parts(%a: tensor<?x?xf64>, %t: tuple<tensor<f64>, tensor<i64>>, %k: !emitpy.object) {
  %shape = emitpy.attr %a "shape" : tensor<?x?xf64> -> !emitpy.object
  %all = emitpy.slice
  %some = emitpy.slice(%k, %k : !emitpy.object, !emitpy.object)
  %c = emitpy.subscript %a[%all, %k] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
  %d = emitpy.subscript %c[%some] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %x = emitpy.subscript %t[%k] : (tuple<tensor<f64>, tensor<i64>>, !emitpy.object) -> tensor<f64>
  %r = emitpy.tuple(%x, %d) : (tensor<f64>, tensor<?xf64>) -> tuple<tensor<f64>, tensor<?xf64>>
  func.return
}
// CHECK-GENERIC-LABEL: sym_name = "parts"
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?x?xf64>, %t: tuple<tensor<f64>, tensor<i64>>, %k: !emitpy.object):
// CHECK-GENERIC-NEXT:   %shape = "emitpy.attr"(%a) <{attribute = "shape"}> : (tensor<?x?xf64>) -> !emitpy.object
// CHECK-GENERIC-NEXT:   %all = "emitpy.slice"() : () -> !emitpy.object
// CHECK-GENERIC-NEXT:   %some = "emitpy.slice"(%k, %k) : (!emitpy.object, !emitpy.object) -> !emitpy.object
// CHECK-GENERIC-NEXT:   %c = "emitpy.subscript"(%a, %all, %k) : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %d = "emitpy.subscript"(%c, %some) : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %x = "emitpy.subscript"(%t, %k) : (tuple<tensor<f64>, tensor<i64>>, !emitpy.object) -> tensor<f64>
// CHECK-GENERIC-NEXT:   %r = "emitpy.tuple"(%x, %d) : (tensor<f64>, tensor<?xf64>) -> tuple<tensor<f64>, tensor<?xf64>>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()
// CHECK-LABEL: func.func @parts(
// CHECK-NEXT:   %shape = emitpy.attr %a "shape" : tensor<?x?xf64> -> !emitpy.object
// CHECK-NEXT:   %all = emitpy.slice
// CHECK-NEXT:   %some = emitpy.slice(%k, %k : !emitpy.object, !emitpy.object)
// CHECK-NEXT:   %c = emitpy.subscript %a[%all, %k] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:   %d = emitpy.subscript %c[%some] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:   %x = emitpy.subscript %t[%k] : (tuple<tensor<f64>, tensor<i64>>, !emitpy.object) -> tensor<f64>
// CHECK-NEXT:   %r = emitpy.tuple(%x, %d) : (tensor<f64>, tensor<?xf64>) -> tuple<tensor<f64>, tensor<?xf64>>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

func.func @operators(%a: tensor<?xf64>, %b: tensor<?xi1>, %x: tensor<f64>, %c: !emitpy.object) {
  %0 = emitpy.binary %a "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.unary "~" %b : (tensor<?xi1>) -> tensor<?xi1>
  %2 = emitpy.conditional %c, %x, %x : (!emitpy.object, tensor<f64>, tensor<f64>) -> tensor<f64>
  func.return
}
// CHECK-GENERIC-LABEL: sym_name = "operators"
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?xf64>, %b: tensor<?xi1>, %x: tensor<f64>, %c: !emitpy.object):
// CHECK-GENERIC-NEXT:   %0 = "emitpy.binary"(%a, %a) <{operator = "+"}> : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %1 = "emitpy.unary"(%b) <{operator = "~"}> : (tensor<?xi1>) -> tensor<?xi1>
// CHECK-GENERIC-NEXT:   %2 = "emitpy.conditional"(%c, %x, %x) : (!emitpy.object, tensor<f64>, tensor<f64>) -> tensor<f64>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()
// CHECK-LABEL: func.func @operators(
// CHECK-NEXT:   %0 = emitpy.binary %a "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = emitpy.unary "~" %b : (tensor<?xi1>) -> tensor<?xi1>
// CHECK-NEXT:   %2 = emitpy.conditional %c, %x, %x : (!emitpy.object, tensor<f64>, tensor<f64>) -> tensor<f64>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

func.func @statements(%n: tensor<i64>, %c: !emitpy.object, %a: tensor<?xf64>) -> tensor<?xf64> {
  emitpy.raise_if %c, "ValueError", "size {{i}}: {}"(%n) : !emitpy.object, tensor<i64>
  %r = emitpy.for (%k < %n, %acc = %a) : tensor<i64> -> tensor<?xf64> {
    %s = emitpy.binary %acc "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %s : tensor<?xf64>
  }
  emitpy.for (%j < %c) : !emitpy.object {
    emitpy.yield
  }
  emitpy.del %a : tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-GENERIC-LABEL: sym_name = "statements"
// CHECK-GENERIC-NEXT: ^bb0(%n: tensor<i64>, %c: !emitpy.object, %a: tensor<?xf64>):
// CHECK-GENERIC-NEXT:   "emitpy.raise_if"(%c, %n) <{exception = "ValueError", message = "size {{[{][{]i[}][}]}}: {}"}> : (!emitpy.object, tensor<i64>) -> ()
// CHECK-GENERIC-NEXT:   %r = "emitpy.for"(%n, %a) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
// CHECK-GENERIC-NEXT:   ^bb0(%k: !emitpy.object, %acc: tensor<?xf64>):
// CHECK-GENERIC-NEXT:     %s = "emitpy.binary"(%acc, %k) <{operator = "*"}> : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:     "emitpy.yield"(%s) : (tensor<?xf64>) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<i64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   "emitpy.for"(%c) <{operandSegmentSizes = array<i32: 1, 0, 0>}> ({
// CHECK-GENERIC-NEXT:   ^bb0(%j: !emitpy.object):
// CHECK-GENERIC-NEXT:     "emitpy.yield"() : () -> ()
// CHECK-GENERIC-NEXT:   }) : (!emitpy.object) -> ()
// CHECK-GENERIC-NEXT:   "emitpy.del"(%a) : (tensor<?xf64>) -> ()
// CHECK-GENERIC-NEXT:   "func.return"(%r) : (tensor<?xf64>) -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()
// CHECK-LABEL: func.func @statements(
// CHECK-NEXT:   emitpy.raise_if %c, "ValueError", "size {{[{][{]i[}][}]}}: {}"(%n) : !emitpy.object, tensor<i64>
// CHECK-NEXT:   %r = emitpy.for (%k < %n, %acc = %a) : tensor<i64> -> tensor<?xf64> {
// CHECK-NEXT:     %s = emitpy.binary %acc "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
// CHECK-NEXT:     emitpy.yield %s : tensor<?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   emitpy.for (%j < %c) : !emitpy.object {
// CHECK-NEXT:     emitpy.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   emitpy.del %a : tensor<?xf64>
// CHECK-NEXT:   func.return %r : tensor<?xf64>
// CHECK-NEXT: }

func.func @functions(%n: !emitpy.object, %a: tensor<?xf64>, %t: !emitpy.object) -> tensor<?xf64> {
  %x, %y = emitpy.unpack %t : !emitpy.object -> tensor<f64>, tensor<i64>
  %step = emitpy.def {
  ^bb0(%k: tensor<i64>, %acc: tensor<?xf64>):
    %s = emitpy.binary %acc "*" %x : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    emitpy.yield %s : tensor<?xf64>
  }
  %r = emitpy.helper "jnp.fold"(%n, %step, %a) : (!emitpy.object, !emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-GENERIC-LABEL: sym_name = "functions"
// CHECK-GENERIC-NEXT: ^bb0(%n: !emitpy.object, %a: tensor<?xf64>, %t: !emitpy.object):
// CHECK-GENERIC-NEXT:   %x, %y = "emitpy.unpack"(%t) : (!emitpy.object) -> (tensor<f64>, tensor<i64>)
// CHECK-GENERIC-NEXT:   %step = "emitpy.def"() ({
// CHECK-GENERIC-NEXT:   ^bb0(%k: tensor<i64>, %acc: tensor<?xf64>):
// CHECK-GENERIC-NEXT:     %s = "emitpy.binary"(%acc, %x) <{operator = "*"}> : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:     "emitpy.yield"(%s) : (tensor<?xf64>) -> ()
// CHECK-GENERIC-NEXT:   }) : () -> !emitpy.object
// CHECK-LABEL: func.func @functions(
// CHECK-NEXT:   %x, %y = emitpy.unpack %t : !emitpy.object -> tensor<f64>, tensor<i64>
// CHECK-NEXT:   %step = emitpy.def {
// CHECK-NEXT:   ^bb0(%k: tensor<i64>, %acc: tensor<?xf64>):
// CHECK-NEXT:     %s = emitpy.binary %acc "*" %x : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
// CHECK-NEXT:     emitpy.yield %s : tensor<?xf64>
// CHECK-NEXT:   }

func.func @in_place(%a: tensor<?xf64>, %b: tensor<?xf64>) {
  %0 = emitpy.augment %a "+" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.call_into %0 "np.abs"(%b) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK-GENERIC-LABEL: sym_name = "in_place"
// CHECK-GENERIC:         %0 = "emitpy.augment"(%a, %b) <{operator = "+"}> : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:    %1 = "emitpy.call_into"(%0, %b) <{callee = "np.abs", operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-LABEL: func.func @in_place(
// CHECK-NEXT:    %0 = emitpy.augment %a "+" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %1 = emitpy.call_into %0 "np.abs"(%b) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>

func.func @masked(%a: tensor<?xf64>, %b: tensor<?xf64>, %c: tensor<?xi1>) {
  %0 = emitpy.call_into %a "np.abs"(%b, where = %c) : (tensor<?xf64>, tensor<?xf64>, tensor<?xi1>) -> tensor<?xf64>
  func.return
}
// CHECK-GENERIC-LABEL: sym_name = "masked"
// CHECK-GENERIC:         %0 = "emitpy.call_into"(%a, %b, %c) <{callee = "np.abs", keywords = ["where"], operandSegmentSizes = array<i32: 1, 0, 2>}> : (tensor<?xf64>, tensor<?xf64>, tensor<?xi1>) -> tensor<?xf64>
// CHECK-LABEL: func.func @masked(
// CHECK-NEXT:    %0 = emitpy.call_into %a "np.abs"(%b, where = %c) : (tensor<?xf64>, tensor<?xf64>, tensor<?xi1>) -> tensor<?xf64>

func.func @stores(%a: tensor<?x?xf64>, %x: tensor<?xf64>, %k: !emitpy.object, %c: !emitpy.object) {
  %all = emitpy.slice
  %0 = emitpy.store %a[%all, %k : !emitpy.object, !emitpy.object], %x : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  %1 = emitpy.store %0[%k : !emitpy.object], %x if %c : !emitpy.object : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  %data = emitpy.attr %a "data" : tensor<?x?xf64> -> !emitpy.object
  %2 = emitpy.store %data[%k, %k : !emitpy.object, !emitpy.object], %c : (!emitpy.object, !emitpy.object) -> !emitpy.object
  func.return
}
// CHECK-GENERIC-LABEL: sym_name = "stores"
// CHECK-GENERIC:         %0 = "emitpy.store"(%a, %all, %k, %x) <{operandSegmentSizes = array<i32: 1, 2, 1, 0>}> : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, tensor<?xf64>) -> tensor<?x?xf64>
// CHECK-LABEL: func.func @stores(
// CHECK:         %0 = emitpy.store %a[%all, %k : !emitpy.object, !emitpy.object], %x : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:    %1 = emitpy.store %0[%k : !emitpy.object], %x if %c : !emitpy.object : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:    %data = emitpy.attr %a "data" : tensor<?x?xf64> -> !emitpy.object
// CHECK-NEXT:    %2 = emitpy.store %data[%k, %k : !emitpy.object, !emitpy.object], %c : (!emitpy.object, !emitpy.object) -> !emitpy.object

func.func @blocks(%a: tensor<?x?xf64>, %n: !emitpy.object, %b: !emitpy.object) -> tensor<?x?xf64> {
  %r = emitpy.for (%start < %n step %b, %acc = %a) : !emitpy.object -> tensor<?x?xf64> {
    %stop = emitpy.binary %start "+" %b : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %all = emitpy.slice
    %part = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
    %x = emitpy.subscript %a[%all, %part] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    %s = emitpy.call_into %acc[%all, %part : !emitpy.object, !emitpy.object] "np.abs"(%x) : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %s : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-GENERIC-LABEL: sym_name = "blocks"
// CHECK-GENERIC:         %r = "emitpy.for"(%n, %a, %b) <{operandSegmentSizes = array<i32: 1, 1, 1>}> ({
// CHECK-GENERIC:           %s = "emitpy.call_into"(%acc, %all, %part, %x) <{callee = "np.abs", operandSegmentSizes = array<i32: 1, 2, 1>}> : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-LABEL: func.func @blocks(
// CHECK-NEXT:    %r = emitpy.for (%start < %n step %b, %acc = %a) : !emitpy.object -> tensor<?x?xf64> {
// CHECK:           %s = emitpy.call_into %acc[%all, %part : !emitpy.object, !emitpy.object] "np.abs"(%x) : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>

func.func @conditional(%n: !emitpy.object, %on: tensor<i1>) -> tensor<i1> {
  %r = emitpy.for conditional (%k < %n, %more = %on) : !emitpy.object -> tensor<i1> {
    emitpy.yield %more : tensor<i1>
  }
  func.return %r : tensor<i1>
}
// CHECK-GENERIC-LABEL: sym_name = "conditional"
// CHECK-GENERIC:         %r = "emitpy.for"(%n, %on) <{conditional, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
// CHECK-LABEL: func.func @conditional(
// CHECK-NEXT:    %r = emitpy.for conditional (%k < %n, %more = %on) : !emitpy.object -> tensor<i1> {
