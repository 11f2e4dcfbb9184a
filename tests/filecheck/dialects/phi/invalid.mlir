// RUN: DIAGNOSTICS

// The elements of a !phi.vec have types of the calculus.

func.func @f(%v : !phi.vec<index>) {
  func.return
}
// CHECK: !phi.vec holds i1, i8, i16, i32, i64, bf16, f16, f32, f64, vectors and tuples of them, not 'index'

// -----

func.func @f(%v : !phi.vec<i7>) {
  func.return
}
// CHECK: !phi.vec holds i1, i8, i16, i32, i64, bf16, f16, f32, f64, vectors and tuples of them, not 'i7'

// -----

"test.op"() {type = !phi.vec<complex<i32>>} : () -> ()
// CHECK: !phi.vec holds i1, i8, i16, i32, i64, bf16, f16, f32, f64, vectors and tuples of them, not 'complex<i32>'

// -----

func.func @f(%v : !phi.vec<complex<f64>>) {
  %t = phi.tuple (%v) : tuple<!phi.vec<complex<f64>>>
  func.return
}
// CHECK: a phi value is an i1, i8, i16, i32, i64, bf16, f16, f32, f64, a !phi.vec or a tuple of such, not '!phi.vec<complex<f64>>'

// -----

func.func @f(%v : !phi.vec<ui8>) {
  %t = phi.tuple (%v) : tuple<!phi.vec<ui8>>
  func.return
}
// CHECK: a phi value is an i1, i8, i16, i32, i64, bf16, f16, f32, f64, a !phi.vec or a tuple of such, not '!phi.vec<ui8>'

// -----

"test.op"() {type = !phi.vec<tuple<f64, tensor<2xf64>>>} : () -> ()
// CHECK: !phi.vec holds i1, i8, i16, i32, i64, bf16, f16, f32, f64, vectors and tuples of them, not 'tuple<f64, tensor<2xf64>>'

// -----

func.func @f(%n : i64) {
  phi.array (%i < %n) -> !phi.vec<i64> {
    %t = phi.tuple (%i) : tuple<index>
    phi.yield %n : i64
  }
  func.return
}
// CHECK: a phi value is an i1, i8, i16, i32, i64, bf16, f16, f32, f64, a !phi.vec or a tuple of such, not 'index'; arith.index_cast reads an index as an Int

// -----

func.func @f(%n : i64) {
  phi.array (%i < %n) -> !phi.vec<i64> {
    %x = phi.fold (%k < %n, %acc = %i) -> index {
      phi.yield %acc : index
    }
    phi.yield %n : i64
  }
  func.return
}
// CHECK: a phi value is an i1, i8, i16, i32, i64, bf16, f16, f32, f64, a !phi.vec or a tuple of such, not 'index'; arith.index_cast reads an index as an Int

// -----

// phi.array

func.func @f(%x : f64) {
  %a = "phi.array"() ({
    phi.yield %x : f64
  }) : () -> !phi.vec<f64>
  func.return
}
// CHECK: phi.array: a comprehension needs at least one index
// CHECK:      %a = "phi.array"() ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.array: a comprehension needs at least one index

// -----

func.func @f(%n : i64, %x : f64) {
  %a = phi.array (%i < %n, %j < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  func.return
}
// CHECK: phi.array: too many indices for a '!phi.vec<f64>' of rank 1: 2
// CHECK:      %a = "phi.array"(%n, %n) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.array: too many indices for a '!phi.vec<f64>' of rank 1: 2

// -----

func.func @f(%n : i64, %x : i64) {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : i64
  }
  func.return
}
// CHECK: phi.array: the body must yield 'f64', but yields 'i64'
// CHECK:      %a = "phi.array"(%n) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.array: the body must yield 'f64', but yields 'i64'

// -----

func.func @f(%n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> f64 {
    phi.yield %x : f64
  }
  func.return
}
// CHECK: expected a !phi.vec, or a tuple of such for records

// -----

func.func @f(%n : i64, %x : tuple<f64, i64>) {
  %a = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    phi.yield %x : tuple<f64, i64>
  }
  func.return
}
// CHECK: phi.array: the body must yield 'tuple<f64, f64>', but yields 'tuple<f64, i64>'

// -----

func.func @f(%n : i64, %x : tuple<f64, f64>) {
  %a = phi.array (%i < %n) -> tuple<!phi.vec<f64>, f64> {
    phi.yield %x : tuple<f64, f64>
  }
  func.return
}
// CHECK: phi.array: too many indices for a 'tuple<!phi.vec<f64>, f64>' of rank 0: 1

// -----

func.func @f(%n : i64, %x : f64) {
  %a = "phi.array"(%n) ({
  ^bb0(%i : i64):
    phi.yield %x : f64
  }) : (i64) -> !phi.vec<f64>
  func.return
}
// CHECK: phi.array: the body must take (index), not (i64)
// CHECK:      %a = "phi.array"(%n) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.array: the body must take (index), not (i64)

// -----

func.func @f(%n : i64, %x : f64) {
  %a = "phi.array"(%n) ({
  ^bb0(%i : index):
    func.return
  }) : (i64) -> !phi.vec<f64>
  func.return
}
// CHECK: 'func.return' expects parent op 'func.func'
// CHECK:      "func.return"() : () -> ()
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: 'func.return' expects parent op 'func.func'

// -----

func.func @f(%n : i32, %x : f64) {
  %a = "phi.array"(%n) ({
  ^bb0(%i : index):
    phi.yield %x : f64
  }) : (i32) -> !phi.vec<f64>
  func.return
}
// CHECK: operand 'sizes' at position 0 does not verify:
// CHECK-NEXT: Expected attribute i64 but got i32
// CHECK:      %a = "phi.array"(%n) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: operand 'sizes' at position 0 does not verify:

// -----

// phi.fold

func.func @f(%n : i64, %x : f64) {
  %a = phi.fold (%k < %n, %acc = %x) -> f64 {
    phi.yield %n : i64
  }
  func.return
}
// CHECK: phi.fold: the body must yield 'f64', but yields 'i64'
// CHECK:      %a = "phi.fold"(%n, %x) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.fold: the body must yield 'f64', but yields 'i64'

// -----

func.func @f(%n : i64, %x : f64) {
  %a = "phi.fold"(%n, %x) ({
  ^bb0(%k : index, %acc : f64):
    phi.yield %acc : f64
  }) : (i64, f64) -> f64
  func.return
}
// CHECK: phi.fold: the body must take (i64, f64), not (index, f64)
// CHECK:      %a = "phi.fold"(%n, %x) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.fold: the body must take (i64, f64), not (index, f64)

// -----

func.func @f(%n : i64, %x : f64) {
  %a = "phi.fold"(%n, %x) ({
  ^bb0(%k : i64, %acc : f64):
    phi.yield %acc : f64
  }) : (i64, f64) -> i64
  func.return
}
// CHECK: result 'result' at position 0 does not verify:
// CHECK-NEXT: attribute f64 expected from variable 'type of the accumulator', but got i64
// CHECK:      %a = "phi.fold"(%n, %x) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: result 'result' at position 0 does not verify:

// -----

// phi.argreduce

func.func @f(%v : !phi.vec<f64>) {
  %k = phi.argreduce %v by "==" : !phi.vec<f64>
  func.return
}
// CHECK: phi.argreduce: elements are compared by one of '<', '<=', '>', '>=', not by '=='

// -----

func.func @f(%v : !phi.vec<!phi.vec<f64>>) {
  %k = phi.argreduce %v by "<" : !phi.vec<!phi.vec<f64>>
  func.return
}
// CHECK: phi.argreduce: elements must be numbers (an i8, i16, i32, i64, f32 or f64), not '!phi.vec<f64>'

// -----

// phi.top_k

func.func @f(%v : !phi.vec<f64>, %n : i64) {
  %k = phi.top_k %v, %n by "<=" : !phi.vec<f64>
  func.return
}
// CHECK: phi.top_k: the first elements are those by '<' or '>', not by '<='

// -----

func.func @f(%v : !phi.vec<i1>, %n : i64) {
  %k = phi.top_k %v, %n by "<" : !phi.vec<i1>
  func.return
}
// CHECK: phi.top_k: elements must be numbers (an i8, i16, i32, i64, f32 or f64), not 'i1'

// -----

func.func @f(%v : !phi.vec<f64>, %n : i32) {
  %k = "phi.top_k"(%v, %n) <{predicate = "<"}> : (!phi.vec<f64>, i32) -> !phi.vec<i64>
  func.return
}
// CHECK: Expected attribute i64 but got i32

// -----

func.func @f(%v : !phi.vec<f64>, %n : i64) {
  %k = "phi.top_k"(%v, %n) <{predicate = "<"}> : (!phi.vec<f64>, i64) -> !phi.vec<f64>
  func.return
}
// CHECK: Expected attribute !phi.vec<i64> but got !phi.vec<f64>

// -----

// phi.reduce

func.func @f(%v : !phi.vec<f64>, %x : f64) {
  %a = phi.reduce %v identity %x by (%a, %b, %c) -> f64 {
    phi.yield %x : f64
  }
  func.return
}
// CHECK: expected 2 block arguments, got 3

// -----

func.func @f(%v : !phi.vec<f64>, %n : i64) {
  %a = "phi.reduce"(%v, %n) ({
  ^bb0(%a : i64, %b : i64):
    phi.yield %a : i64
  }) : (!phi.vec<f64>, i64) -> i64
  func.return
}
// CHECK: phi.reduce: an identity of type 'i64' does not fit the elements of a '!phi.vec<f64>'
// CHECK:      %a = "phi.reduce"(%v, %n) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.reduce: an identity of type 'i64' does not fit

// -----

func.func @f(%v : tuple<!phi.vec<f64>, i64>, %z : tuple<f64, i64>) {
  %a = phi.reduce %v : tuple<!phi.vec<f64>, i64> identity %z by (%x, %y) -> tuple<f64, i64> {
    phi.yield %y : tuple<f64, i64>
  }
  func.return
}
// CHECK: phi.reduce: an identity of type 'tuple<f64, i64>' does not fit the elements of a 'tuple<!phi.vec<f64>, i64>'

// -----

func.func @f(%v : !phi.vec<f64>, %x : f64) {
  %a = phi.reduce %v identity %x by (%a, %b) -> f64 {
    %n = arith.fptosi %a : f64 to i64
    phi.yield %n : i64
  }
  func.return
}
// CHECK: phi.reduce: the body must yield 'f64', but yields 'i64'
// CHECK:      %a = "phi.reduce"(%v, %x) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.reduce: the body must yield 'f64', but yields 'i64'

// -----

func.func @f(%v : !phi.vec<f64>, %x : f64) {
  %a = phi.reduce %v identity %x by { arith.add } -> f64
  func.return
}
// CHECK: unknown operation 'arith.add' in the short form of a region

// -----

func.func @f(%v : !phi.vec<f64>, %x : f64) {
  %a = phi.reduce %v identity %x by { arith.cmpf } -> f64
  func.return
}
// CHECK: operation 'arith.cmpf' has no short form, write its region in full

// -----

func.func @f(%v : !phi.vec<f64>, %x : f64) {
  %a = phi.reduce %v identity %x by { arith.negf } -> f64
  func.return
}
// CHECK: Expected 1 operand, but got 2
// CHECK:      %2 = "arith.negf"(%0, %1) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: Expected 1 operand, but got 2

// -----

// phi.get

func.func @f(%v : !phi.vec<f64>, %n : i64) {
  %x = phi.get %v[%n, %n] : !phi.vec<f64>[i64, i64]
  func.return
}
// CHECK: too many positions for a '!phi.vec<f64>' of rank 1: 2

// -----

func.func @f(%v : !phi.vec<f64>) {
  %x = phi.get %v[] : !phi.vec<f64>[]
  func.return
}
// CHECK: phi.get: at least one position is needed
// CHECK:      %x = "phi.get"(%v) : (!phi.vec<f64>) -> !phi.vec<f64>
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.get: at least one position is needed

// -----

func.func @f(%v : !phi.vec<f64>, %n : i64) {
  %x = "phi.get"(%v, %n) : (!phi.vec<f64>, i64) -> i64
  func.return
}
// CHECK: phi.get: the element of a '!phi.vec<f64>' under 1 position is a 'f64', not a 'i64'
// CHECK:      %x = "phi.get"(%v, %n) : (!phi.vec<f64>, i64) -> i64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.get: the element of a '!phi.vec<f64>' under 1 position is a 'f64', not a 'i64'

// -----

func.func @f(%v : !phi.vec<f64>, %n : i64) {
  %x = "phi.get"(%v, %n, %n) : (!phi.vec<f64>, i64, i64) -> f64
  func.return
}
// CHECK: phi.get: too many positions for a '!phi.vec<f64>' of rank 1: 2
// CHECK:      %x = "phi.get"(%v, %n, %n) : (!phi.vec<f64>, i64, i64) -> f64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.get: too many positions for a '!phi.vec<f64>' of rank 1: 2

// -----

func.func @f(%v : !phi.vec<f64>, %x : f64) {
  %y = phi.get %v[%x] : !phi.vec<f64>[f64]
  func.return
}
// CHECK: Expected one of i32, i64, index, but got f64

// -----

func.func @f(%v : !phi.vec<f64>, %p : index) {
  %x = phi.get %v[%p] : !phi.vec<f64>[index]
  func.return
}
// CHECK: phi.get: the position %p has type 'index' but is not an index of a comprehension; cast it to i64
// CHECK:      %x = "phi.get"(%v, %p) : (!phi.vec<f64>, index) -> f64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.get: the position %p has type 'index' but is not an index of a comprehension; cast it to i64

// -----

func.func @f(%v : !phi.vec<f64>, %n : i64) {
  %p = arith.index_cast %n : i64 to index
  %x = phi.get %v[%p] : !phi.vec<f64>[index]
  func.return
}
// CHECK: phi.get: the position %p has type 'index' but is not an index of a comprehension; cast it to i64
// CHECK:      %x = "phi.get"(%v, %p) : (!phi.vec<f64>, index) -> f64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.get: the position %p has type 'index' but is not an index of a comprehension; cast it to i64

// -----

// phi.concat

func.func @f(%v : !phi.vec<f64>, %w : !phi.vec<i64>) {
  %x = "phi.concat"(%v, %w) : (!phi.vec<f64>, !phi.vec<i64>) -> !phi.vec<f64>
  func.return
}
// CHECK: operand 'rhs' at position 1 does not verify:
// CHECK-NEXT: attribute !phi.vec<f64> expected from variable 'type of both vectors', but got !phi.vec<i64>
// CHECK:      %x = "phi.concat"(%v, %w) : (!phi.vec<f64>, !phi.vec<i64>) -> !phi.vec<f64>
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: operand 'rhs' at position 1 does not verify:

// -----

func.func @f(%x : f64) {
  %y = phi.concat %x, %x : f64
  func.return
}
// CHECK: f64 should be of base attribute phi.vec

// -----

// phi.tuple and phi.proj

func.func @f(%x : f64) {
  %t = phi.tuple (%x) : f64
  func.return
}
// CHECK: expected a tuple type, got 'f64'

// -----

func.func @f(%x : f64) {
  %t = phi.tuple (%x) : tuple<f64, f64>
  func.return
}
// CHECK: expected a tuple of 1 field, got 'tuple<f64, f64>'

// -----

func.func @f(%x : f64) {
  %t = "phi.tuple"(%x) : (f64) -> tuple<i64>
  func.return
}
// CHECK: phi.tuple: fields of types (f64) do not make a 'tuple<i64>'
// CHECK:      %t = "phi.tuple"(%x) : (f64) -> tuple<i64>
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.tuple: fields of types (f64) do not make a 'tuple<i64>'

// -----

func.func @f(%t : tuple<f64, i64>) {
  %x = phi.proj %t, 2 : tuple<f64, i64> -> f64
  func.return
}
// CHECK: phi.proj: 'tuple<f64, i64>' has 2 fields, and no field 2
// CHECK:      %x = "phi.proj"(%t) <{field = 2 : i64}> : (tuple<f64, i64>) -> f64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.proj: 'tuple<f64, i64>' has 2 fields, and no field 2

// -----

func.func @f(%t : tuple<f64, i64>) {
  %x = phi.proj %t, -1 : tuple<f64, i64> -> f64
  func.return
}
// CHECK: phi.proj: 'tuple<f64, i64>' has 2 fields, and no field -1
// CHECK:      %x = "phi.proj"(%t) <{field = -1 : i64}> : (tuple<f64, i64>) -> f64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.proj: 'tuple<f64, i64>' has 2 fields, and no field -1

// -----

func.func @f(%t : tuple<f64, i64>) {
  %x = phi.proj %t, 1 : tuple<f64, i64> -> f64
  func.return
}
// CHECK: phi.proj: field 1 of 'tuple<f64, i64>' is a 'i64', not a 'f64'
// CHECK:      %x = "phi.proj"(%t) <{field = 1 : i64}> : (tuple<f64, i64>) -> f64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.proj: field 1 of 'tuple<f64, i64>' is a 'i64', not a 'f64'

// -----

func.func @f(%t : f64) {
  %x = phi.proj %t, 1 : f64 -> f64
  func.return
}
// CHECK: f64 should be of base attribute tuple

// -----

// phi.size, phi.assert_eq, phi.extern, phi.yield

func.func @f(%v : !phi.vec<f64>) {
  %n = phi.size %v, 1 : !phi.vec<f64>
  func.return
}
// CHECK: phi.size: '!phi.vec<f64>' has rank 1, and no axis 1
// CHECK:      %n = "phi.size"(%v) <{axis = 1 : i64}> : (!phi.vec<f64>) -> i64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.size: '!phi.vec<f64>' has rank 1, and no axis 1

// -----

func.func @f(%v : !phi.vec<f64>) {
  %n = phi.size %v, -1 : !phi.vec<f64>
  func.return
}
// CHECK: phi.size: '!phi.vec<f64>' has rank 1, and no axis -1
// CHECK:      %n = "phi.size"(%v) <{axis = -1 : i64}> : (!phi.vec<f64>) -> i64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.size: '!phi.vec<f64>' has rank 1, and no axis -1

// -----

func.func @f(%x : f64) {
  %n = phi.size %x, 0 : f64
  func.return
}
// CHECK: f64 should be of base attribute phi.vec

// -----

func.func @f(%x : f64) {
  %n = "phi.assert_eq"(%x, %x) <{message = "x"}> : (f64, f64) -> i64
  func.return
}
// CHECK: operand 'lhs' at position 0 does not verify:
// CHECK-NEXT: Expected attribute i64 but got f64
// CHECK:      %n = "phi.assert_eq"(%x, %x) <{message = "x"}> : (f64, f64) -> i64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: operand 'lhs' at position 0 does not verify:

// -----

func.func @f(%x : f64) {
  %y = phi.extern @a::@b(%x) : (f64) -> f64
  func.return
}
// CHECK: phi.extern: '@a::@b' is not a plain symbol
// CHECK:      %y = "phi.extern"(%x) <{callee = @a::@b}> : (f64) -> f64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.extern: '@a::@b' is not a plain symbol

// -----

func.func @f(%x : f64) {
  %y = phi.extern @f(%x) vjp @a::@b : (f64) -> f64
  func.return
}
// CHECK: phi.extern: '@a::@b' is not a plain symbol
// CHECK:      %y = "phi.extern"(%x) <{callee = @f, vjp = @a::@b}> : (f64) -> f64
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.extern: '@a::@b' is not a plain symbol

// -----

func.func @f(%x : f64) {
  %y = phi.extern @f(%x) : (f64) -> tensor<f64>
  func.return
}
// CHECK: a phi value is an i1, i8, i16, i32, i64, bf16, f16, f32, f64, a !phi.vec or a tuple of such, not 'tensor<f64>'

// -----

func.func @f(%x : f64) {
  phi.yield %x : f64
}
// CHECK: phi.yield: it ends the body of phi.accumulate, phi.array, phi.fold, phi.reduce and phi.while, not of func.func
// CHECK:      "phi.yield"(%x) : (f64) -> ()
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.yield: it ends the body of phi.accumulate, phi.array, phi.fold, phi.reduce and phi.while, not of func.func

// -----

// Regularity: sizes and counts depend on no index. The size of a part:

func.func @f(%n : i64, %a : !phi.vec<f64>) {
  %b = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.index_cast %i : index to i64
    %row = phi.concat %a, %a of %p : !phi.vec<f64>
    phi.yield %row : !phi.vec<f64>
  }
  func.return
}
// CHECK: phi.concat: the size depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// The number of the first elements:

func.func @f(%n : i64, %a : !phi.vec<f64>) {
  %b = phi.array (%i < %n) -> !phi.vec<!phi.vec<i64>> {
    %p = arith.index_cast %i : index to i64
    %row = phi.top_k %a, %p by "<" : !phi.vec<f64>
    phi.yield %row : !phi.vec<i64>
  }
  func.return
}
// CHECK: phi.top_k: the count depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// Directly:

func.func @f(%n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.index_cast %i : index to i64
    %row = phi.array (%j < %p) -> !phi.vec<f64> {
      phi.yield %x : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return
}
// CHECK: phi.array: the size of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular
// CHECK:      %row = "phi.array"(%p) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.array: the size of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// A size of one index of several, through arithmetic:

func.func @f(%n : i64, %x : f64) {
  %a = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>> {
    %p = arith.index_cast %j : index to i64
    %q = arith.muli %n, %p : i64
    %one = arith.constant 1 : i64
    %m = arith.addi %q, %one : i64
    %row = phi.array (%k < %n, %l < %m) -> !phi.vec<!phi.vec<f64>> {
      phi.yield %x : f64
    }
    phi.yield %row : !phi.vec<!phi.vec<f64>>
  }
  func.return
}
// CHECK: phi.array: the size of %l depends on the index %j; sizes and counts must not depend on an index, so that arrays stay rectangular
// CHECK:      %row = "phi.array"(%n, %m) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.array: the size of %l depends on the index %j; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// An index of an outer comprehension, and a count of a fold:

func.func @f(%n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.array (%j < %n) -> !phi.vec<f64> {
      %p = arith.index_cast %i : index to i64
      %s = phi.fold (%k < %p, %acc = %x) -> f64 {
        phi.yield %acc : f64
      }
      phi.yield %s : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return
}
// CHECK: phi.fold: the count of %k depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular
// CHECK:      %s = "phi.fold"(%p, %x) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.fold: the count of %k depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// An element of an array at an index depends on the index:

func.func @f(%sizes : !phi.vec<i64>, %n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %m = phi.get %sizes[%i] : !phi.vec<i64>[index]
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      phi.yield %x : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return
}
// CHECK: phi.array: the size of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular
// CHECK:      %row = "phi.array"(%m) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.array: the size of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// An accumulator that an index flows into in one step reaches a size in the next:

func.func @f(%n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %m = phi.fold (%k < %n, %acc = %n) -> i64 {
      %row = phi.array (%j < %acc) -> !phi.vec<f64> {
        phi.yield %x : f64
      }
      %next = arith.addi %acc, %p : i64
      phi.yield %next : i64
    }
    phi.yield %x : f64
  }
  func.return
}
// CHECK: phi.array: the size of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular
// CHECK:      %row = "phi.array"(%acc) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.array: the size of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// A fold's result that started from an index:

func.func @f(%n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.index_cast %i : index to i64
    %m = phi.fold (%k < %n, %acc = %p) -> i64 {
      phi.yield %acc : i64
    }
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      phi.yield %x : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return
}
// CHECK: phi.array: the size of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular
// CHECK:      %row = "phi.array"(%m) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.array: the size of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// A reduction of elements that an index flows into, inside its body and out of it:

func.func @f(%v : !phi.vec<!phi.vec<i64>>, %n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %row = phi.get %v[%i] : !phi.vec<!phi.vec<i64>>[index]
    %m = phi.reduce %row identity %n by (%p, %q) -> i64 {
      %s = phi.fold (%k < %q, %acc = %p) -> i64 {
        phi.yield %acc : i64
      }
      phi.yield %s : i64
    }
    phi.yield %x : f64
  }
  func.return
}
// CHECK: phi.fold: the count of %k depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular
// CHECK:      %s = "phi.fold"(%q, %p) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.fold: the count of %k depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// The field of a record that an index flows into:

func.func @f(%n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %t = phi.tuple (%n, %p) : tuple<i64, i64>
    %u = phi.fold (%k < %n, %acc = %t) -> tuple<i64, i64> {
      phi.yield %acc : tuple<i64, i64>
    }
    %m = phi.proj %u, 1 : tuple<i64, i64> -> i64
    %s = phi.fold (%l < %m, %acc = %x) -> f64 {
      phi.yield %acc : f64
    }
    phi.yield %s : f64
  }
  func.return
}
// CHECK: phi.fold: the count of %l depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular
// CHECK:      %s = "phi.fold"(%m, %x) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.fold: the count of %l depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// A choice by an index between two sizes, and an index without a name:

func.func @f(%n : i64, %m : i64, %x : f64) {
  %a = "phi.array"(%n) ({
  ^bb0(%0 : index):
    %p = arith.index_cast %0 : index to i64
    %c = arith.cmpi slt, %p, %m : i64
    %o = arith.select %c, %n, %m : i64
    %s = phi.fold (%l < %o, %acc = %x) -> f64 {
      phi.yield %acc : f64
    }
    phi.yield %s : f64
  }) : (i64) -> !phi.vec<f64>
  func.return
}
// CHECK: phi.fold: the count of %l depends on the index #0; sizes and counts must not depend on an index, so that arrays stay rectangular
// CHECK:      %s = "phi.fold"(%o, %x) ({
// CHECK-NEXT: ^^^
// CHECK-NEXT: | Operation does not verify: phi.fold: the count of %l depends on the index #0; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

func.func @f(%v : !phi.vec<f64>) {
  %r = phi.update %v[], %v : (!phi.vec<f64>, !phi.vec<f64>) -> !phi.vec<f64>
  func.return
}
// CHECK: phi.update: at least one position is needed

// -----

func.func @f(%v : !phi.vec<f64>, %n : i64) {
  %r = phi.update %v[%n], %n : (!phi.vec<f64>, i64, i64) -> !phi.vec<f64>
  func.return
}
// CHECK: phi.update: a 'i64' is no element of a '!phi.vec<f64>' under 1 position

// -----

func.func @f(%v : !phi.vec<f64>, %n : i64, %x : f64) {
  %r = phi.update %v[%n, %n], %x : (!phi.vec<f64>, i64, i64, f64) -> !phi.vec<f64>
  func.return
}
// CHECK: phi.update: a 'f64' is no element of a '!phi.vec<f64>' under 2 positions

// -----

func.func @f(%v : !phi.vec<f64>, %n : i64, %x : f64) {
  %r = phi.update %v[%n], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<i64>
  func.return
}
// CHECK: phi.update: the result must be a '!phi.vec<f64>', not a '!phi.vec<i64>'

// -----

func.func @f(%v : !phi.vec<f64>, %i : index, %x : f64) {
  %r = phi.update %v[%i], %x : (!phi.vec<f64>, index, f64) -> !phi.vec<f64>
  func.return
}
// CHECK: phi.update: the position %i has type 'index' but is not an index of a comprehension; cast it to i64

// -----

func.func @f(%v : !phi.vec<f64>, %w : !phi.vec<i64>, %n : i64) {
  %r = "phi.update_slice"(%v, %n, %n, %w) : (!phi.vec<f64>, i64, i64, !phi.vec<i64>) -> !phi.vec<f64>
  func.return
}
// CHECK: type of both vectors

// -----

func.func @f(%m : !phi.vec<!phi.vec<f64>>, %n : i64) {
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %m[%i] : !phi.vec<!phi.vec<f64>>[index]
    %k = arith.index_cast %i : index to i64
    %u = phi.update_slice %row[%k by %n], %row : !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return
}
// CHECK: phi.update_slice: the start depends on the index %i; sizes and counts must not depend on an index

// -----

func.func @f(%n: i64, %x: f64, %p: i64) {
  %0 = phi.accumulate (%i < %n) into "or" (%n) -> !phi.vec<f64> {
    %at = phi.tuple (%p, %x) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  func.return
}
// CHECK: phi.accumulate: 'or' does not combine values of type 'f64'

// -----

func.func @f(%n: i64, %x: f64, %p: i64) {
  %0 = phi.accumulate (%i < %n) into "mean" (%n) -> !phi.vec<f64> {
    %at = phi.tuple (%p, %x) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  func.return
}
// CHECK: phi.accumulate: 'mean' does not combine values of type 'f64'

// -----

func.func @f(%n: i64, %x: f64, %p: i64) {
  %0 = phi.accumulate (%i < %n) into "add" (%n, %n) -> !phi.vec<f64> {
    %at = phi.tuple (%p, %x) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  func.return
}
// CHECK: phi.accumulate: too many positions for a '!phi.vec<f64>' of rank 1: 2

// -----

func.func @f(%n: i64, %x: f64, %p: i64) {
  %0 = phi.accumulate (%i < %n) into "add" (%n) -> !phi.vec<f64> {
    %at = phi.tuple (%p, %p, %x) : tuple<i64, i64, f64>
    phi.yield %at : tuple<i64, i64, f64>
  }
  func.return
}
// CHECK: phi.accumulate: the body must yield 'tuple<i64, f64>', but yields 'tuple<i64, i64, f64>'

// -----

func.func @f(%n: i64, %x: f64, %p: i64) {
  %0 = phi.accumulate (%i < %n) into "add" (%n) -> !phi.vec<i64> {
    %at = phi.tuple (%p, %x) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  func.return
}
// CHECK: phi.accumulate: the body must yield 'tuple<i64, i64>', but yields 'tuple<i64, f64>'

// -----

func.func @f(%n: i64, %x: f64, %q: i32) {
  %0 = phi.accumulate (%i < %n) into "add" (%n) -> !phi.vec<f64> {
    %at = phi.tuple (%q, %x) : tuple<i32, f64>
    phi.yield %at : tuple<i32, f64>
  }
  func.return
}
// CHECK: phi.accumulate: the body must yield 'tuple<i64, f64>', but yields 'tuple<i32, f64>'

// -----

func.func @f(%n: i64, %x: f64, %p: i64) {
  %0 = phi.accumulate (%i < %n) into "add" (%n), "max" () -> !phi.vec<f64> {
    %at = phi.tuple (%p, %x) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  func.return
}
// CHECK: phi.accumulate: a '!phi.vec<f64>' does not hold 2 accumulators

// -----

func.func @f(%n: i64, %x: tuple<f64, f64>, %p: i64) {
  %0 = phi.accumulate (%i < %n) into "add" (%n) -> !phi.vec<tuple<f64, f64>> {
    %at = phi.tuple (%p, %x) : tuple<i64, tuple<f64, f64>>
    phi.yield %at : tuple<i64, tuple<f64, f64>>
  }
  func.return
}
// CHECK: phi.accumulate: 'add' does not combine values of type 'tuple<f64, f64>'

// -----

func.func @f(%x: f64, %n: i64, %p: i64) {
  %a = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %m = arith.index_cast %i : index to i64
    %0 = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
      %at = phi.tuple (%p, %x) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    phi.yield %0 : !phi.vec<f64>
  }
  func.return
}
// CHECK: phi.accumulate: size 0 of the accumulation depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

func.func @f(%x: f64, %n: i64, %p: i64) {
  %0 = phi.accumulate (%i < %n) into "add" (%n) -> !phi.vec<!phi.vec<f64>> {
    %m = arith.index_cast %i : index to i64
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      phi.yield %x : f64
    }
    %at = phi.tuple (%p, %row) : tuple<i64, !phi.vec<f64>>
    phi.yield %at : tuple<i64, !phi.vec<f64>>
  }
  func.return
}
// CHECK: phi.array: the size of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

"func.func"() <{sym_name = "f", function_type = (i64, f64) -> ()}> ({
^bb0(%n: i64, %x: f64):
  %0 = "phi.accumulate"(%n) <{kinds = ["add", "add"], ranks = array<i64: 0>, operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb1(%i: index):
    %at = "phi.tuple"(%x) : (f64) -> tuple<f64>
    "phi.yield"(%at) : (tuple<f64>) -> ()
  }) : (i64) -> f64
  "func.return"() : () -> ()
}) : () -> ()
// CHECK: phi.accumulate: 2 kinds for 1 accumulator

// -----

"func.func"() <{sym_name = "f", function_type = (i64, f64) -> ()}> ({
^bb0(%n: i64, %x: f64):
  %0 = "phi.accumulate"(%n) <{kinds = ["add"], ranks = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb1(%i: index):
    %at = "phi.tuple"(%x) : (f64) -> tuple<f64>
    "phi.yield"(%at) : (tuple<f64>) -> ()
  }) : (i64) -> f64
  "func.return"() : () -> ()
}) : () -> ()
// CHECK: phi.accumulate: 0 sizes for accumulators of the ranks [1]

// -----

"func.func"() <{sym_name = "f", function_type = (i64, f64) -> ()}> ({
^bb0(%n: i64, %x: f64):
  %0 = "phi.accumulate"() <{kinds = ["add"], ranks = array<i64: 0>, operandSegmentSizes = array<i32: 0, 0>}> ({
    %at = "phi.tuple"(%x) : (f64) -> tuple<f64>
    "phi.yield"(%at) : (tuple<f64>) -> ()
  }) : () -> f64
  "func.return"() : () -> ()
}) : () -> ()
// CHECK: phi.accumulate: an accumulation needs at least one index

// -----

func.func @f(%x : !phi.vec<f64>) {
  %s = phi.scan "or" %x : !phi.vec<f64>
  func.return
}
// CHECK: phi.scan: 'or' does not combine elements of type 'f64'

// -----

func.func @f(%x : !phi.vec<f64>, %y : !phi.vec<f64>) {
  %r = phi.weighted_scan "add" %x by %y : !phi.vec<f64> by !phi.vec<f64>
  func.return
}
// CHECK: phi.weighted_scan: a scan by 'add' of type 'f64' has no weights of type 'f64'

// -----

func.func @f(%x : !phi.vec<f64>, %y : i1) {
  %r = phi.weighted_scan "mul" %x by %y : !phi.vec<f64> by i1
  func.return
}
// CHECK: phi.weighted_scan: 'mul' combines elements of type 'f64' in order

// -----

func.func @f(%x : !phi.vec<f64>, %y : i1) {
  %r = phi.weighted_scan "or" %x by %y : !phi.vec<f64> by i1
  func.return
}
// CHECK: phi.weighted_scan: 'or' does not combine elements of type 'f64'

// -----

func.func @f(%x : !phi.vec<f64>, %y : !phi.vec<!phi.vec<f64>>) {
  %r = phi.propagate_nan %x from %y : !phi.vec<f64> from !phi.vec<!phi.vec<f64>>
  func.return
}
// CHECK: phi.propagate_nan: a '!phi.vec<!phi.vec<f64>>' is no vector of floats

// -----

func.func @f(%x : !phi.vec<i64>, %y : !phi.vec<f64>) {
  %r = phi.propagate_nan %x from %y : !phi.vec<i64> from !phi.vec<f64>
  func.return
}
// CHECK: phi.propagate_nan: a '!phi.vec<i64>' is no vector of floats

// -----

func.func @f(%n : i64, %x : f64) {
  %r = phi.while (%k < %n, %acc = %x) -> f64 {
    phi.yield %acc : f64
  }
  func.return
}
// CHECK: phi.while: the accumulator must be a record whose field 0 is an i1, not a 'f64'

// -----

func.func @f(%n : i64, %x : tuple<i1, i64>) {
  %r = phi.while (%k < %n, %acc = %x) -> tuple<i1, i64> {
    phi.yield %n : i64
  }
  func.return
}
// CHECK: phi.while: the body must yield 'tuple<i1, i64>', but yields 'i64'

// -----

func.func @f(%n : i64, %x : i1) {
  %a = phi.array (%i < %n) -> !phi.vec<i1> {
    %c = arith.index_cast %i : index to i64
    %t = phi.tuple (%x) : tuple<i1>
    %r = phi.while (%k < %c, %acc = %t) -> tuple<i1> {
      phi.yield %acc : tuple<i1>
    }
    phi.yield %x : i1
  }
  func.return
}
// CHECK: phi.while: the limit of %k depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

// The condition decides which step the count is of.

func.func @f(%n : i64, %v : !phi.vec<i1>) {
  %a = phi.array (%i < %n) -> !phi.vec<i64> {
    %x = phi.get %v[%i] : !phi.vec<i1>[index]
    %t = phi.tuple (%x, %n) : tuple<i1, i64>
    %r = phi.while (%k < %n, %acc = %t) -> tuple<i1, i64> {
      phi.yield %acc : tuple<i1, i64>
    }
    %m = phi.proj %r, 1 : tuple<i1, i64> -> i64
    %s = phi.fold (%j < %m, %y = %n) -> i64 {
      phi.yield %y : i64
    }
    phi.yield %s : i64
  }
  func.return
}
// CHECK: phi.fold: the count of %j depends on the index %i; sizes and counts must not depend on an index, so that arrays stay rectangular

// -----

func.func @f(%v : !phi.vec<!phi.vec<f64>>) {
  %p = phi.argsort %v : !phi.vec<!phi.vec<f64>>
  func.return
}
// CHECK: phi.argsort: a '!phi.vec<!phi.vec<f64>>' is no vector of numbers

// -----

func.func @f(%v : !phi.vec<f64>, %x : i64) {
  %p = phi.searchsorted %v, %x : !phi.vec<f64>, i64
  func.return
}
// CHECK: phi.searchsorted: a 'i64' is no element of a '!phi.vec<f64>'

// -----

func.func @f(%v : !phi.vec<!phi.vec<f64>>, %x : !phi.vec<f64>) {
  %p = phi.searchsorted %v, %x : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
  func.return
}
// CHECK: phi.searchsorted: a '!phi.vec<!phi.vec<f64>>' is no vector of numbers

// -----

func.func @f(%a : f64, %b : f32) {
  %r = phi.jvp (%x = %a by %b) : f64 by f32 -> tuple<f64, f64> {
    phi.yield %x : f64
  }
  func.return
}
// CHECK: phi.jvp: the direction must be a 'f64', not 'f32'

// -----

func.func @f(%a : f64) {
  %r = phi.vjp (%x = %a by %a) : f64 -> tuple<f64, f32> {
    phi.yield %x : f64
  }
  func.return
}
// CHECK: phi.vjp: the result must be a 'tuple<f64, f64>', not 'tuple<f64, f32>'

// -----

func.func @f(%a : f64, %b : f32) {
  %r = phi.transpose (%dx = %a) by %b -> tuple<f64> : f32 {
    phi.yield %dx : f64
  }
  func.return
}
// CHECK: phi.transpose: the body must yield 'f32', but yields 'f64'

// -----

func.func @f(%v : !phi.vec<!phi.vec<f64>>) {
  %s = phi.sort %v : !phi.vec<!phi.vec<f64>>
  func.return
}
// CHECK: phi.sort: a '!phi.vec<!phi.vec<f64>>' is no vector of numbers
