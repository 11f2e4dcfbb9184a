// RUN: DIAGNOSTICS

func.func @f(%n: tensor<i64>) {
  %r = yarr.range %n : tensor<?xf64>
  func.return
}
// CHECK: yarr.range: the result must be a 'tensor<?xi64>', not a 'tensor<?xf64>'

// -----

func.func @f(%n: tensor<i64>) {
  %r = yarr.range %n : tensor<?x?xi64>
  func.return
}
// CHECK: yarr.range: the result must be a 'tensor<?xi64>', not a 'tensor<?x?xi64>'

// -----

func.func @f(%n: tensor<f64>) {
  %r = "yarr.range"(%n) : (tensor<f64>) -> tensor<?xi64>
  func.return
}
// CHECK: Expected attribute tensor<i64> but got tensor<f64>

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.size %a, 1 : tensor<?xf64>
  func.return
}
// CHECK: yarr.size: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.size %a, -1 : tensor<?xf64>
  func.return
}
// CHECK: yarr.size: axis -1 is not an axis of an array of rank 1

// -----

func.func @f(%a: f64) {
  %r = "yarr.size"(%a) <{axis = 0 : i64}> : (f64) -> tensor<i64>
  func.return
}
// CHECK: f64 should be of base attribute tensor

// -----

func.func @f(%a: tensor<?x3xf64>) {
  %r = yarr.transpose %a, [0, 0] : tensor<?x3xf64> -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.transpose: [0, 0] is not a permutation of the 2 axes of 'tensor<?x3xf64>'

// -----

func.func @f(%a: tensor<?x3xf64>) {
  %r = yarr.transpose %a, [1] : tensor<?x3xf64> -> tensor<3xf64>
  func.return
}
// CHECK: yarr.transpose: [1] is not a permutation of the 2 axes of 'tensor<?x3xf64>'

// -----

func.func @f(%a: tensor<?x3xf64>) {
  %r = yarr.transpose %a, [1, 0] : tensor<?x3xf64> -> tensor<2x?xf64>
  func.return
}
// CHECK: yarr.transpose: the result must be a 'tensor<3x?xf64>', not a 'tensor<2x?xf64>'

// -----

func.func @f(%a: tensor<1x3x1xf64>) {
  %r = yarr.squeeze %a, [1] : tensor<1x3x1xf64> -> tensor<1x1xf64>
  func.return
}
// CHECK: yarr.squeeze: axis 1 has size 3, only size 1 can be removed

// -----

func.func @f(%a: tensor<1x3x1xf64>) {
  %r = yarr.squeeze %a, [2, 0] : tensor<1x3x1xf64> -> tensor<3xf64>
  func.return
}
// CHECK: yarr.squeeze: axes [2, 0] must increase

// -----

func.func @f(%a: tensor<1x3x1xf64>) {
  %r = yarr.squeeze %a, [3] : tensor<1x3x1xf64> -> tensor<3xf64>
  func.return
}
// CHECK: yarr.squeeze: axis 3 is not an axis of an array of rank 3

// -----

func.func @f(%a: tensor<1x3x1xf64>) {
  %r = yarr.squeeze %a, [0] : tensor<1x3x1xf64> -> tensor<1x3xf64>
  func.return
}
// CHECK: yarr.squeeze: the result must be a 'tensor<3x1xf64>', not a 'tensor<1x3xf64>'

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.unsqueeze %a, [1, 1] : tensor<?xf64> -> tensor<?x1xf64>
  func.return
}
// CHECK: yarr.unsqueeze: axes [1, 1] must increase

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.unsqueeze %a, [2] : tensor<?xf64> -> tensor<?x1xf64>
  func.return
}
// CHECK: yarr.unsqueeze: axis 2 is not an axis of an array of rank 2

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x2xf64>
  func.return
}
// CHECK: yarr.unsqueeze: the result must be a 'tensor<?x1xf64>', not a 'tensor<?x2xf64>'

// -----

func.func @f(%a: tensor<2xf64>, %n: tensor<i64>) {
  %r = yarr.repeat %a, 0, %n : tensor<2xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.repeat: axis 0 has size 2, only size 1 can be repeated

// -----

func.func @f(%a: tensor<1xf64>, %n: tensor<i64>) {
  %r = yarr.repeat %a, 1, %n : tensor<1xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.repeat: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<1x3xf64>, %n: tensor<i64>) {
  %r = yarr.repeat %a, 0, %n : tensor<1x3xf64> -> tensor<?x4xf64>
  func.return
}
// CHECK: yarr.repeat: the result must be a 'tensor<?x3xf64>', not a 'tensor<?x4xf64>'

// -----

func.func @f(%a: tensor<?xf64>, %p: tensor<?xi64>) {
  %r = yarr.gather %a[%p, %p] : (tensor<?xf64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.gather: 2 positions do not fit an array of rank 1

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = "yarr.gather"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.gather: 0 positions do not fit an array of rank 1

// -----

func.func @f(%a: tensor<?x?xf64>, %p: tensor<?xi64>, %q: tensor<i64>) {
  %r = yarr.gather %a[%p, %q] : (tensor<?x?xf64>, tensor<?xi64>, tensor<i64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.gather: positions must have one rank, got [0, 1]

// -----

func.func @f(%a: tensor<?xf64>, %p: tensor<?xf64>) {
  %r = yarr.gather %a[%p] : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.gather: positions must be i64, got 'tensor<?xf64>'

// -----

func.func @f(%a: tensor<?x?xf64>, %p: tensor<2xi64>, %q: tensor<3xi64>) {
  %r = yarr.gather %a[%p, %q] : (tensor<?x?xf64>, tensor<2xi64>, tensor<3xi64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.gather: positions of shapes 2, 3 do not broadcast

// -----

func.func @f(%a: tensor<?x3xf64>, %p: tensor<2xi64>) {
  %r = yarr.gather %a[%p] : (tensor<?x3xf64>, tensor<2xi64>) -> tensor<2x4xf64>
  func.return
}
// CHECK: yarr.gather: the result must be a 'tensor<2x3xf64>', not a 'tensor<2x4xf64>'

// -----

func.func @f(%a: tensor<?xf64>, %p: tensor<i64>) {
  %r = yarr.take %a, 1, %p : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.take: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<?xf64>, %p: tensor<i32>) {
  %r = yarr.take %a, 0, %p : (tensor<?xf64>, tensor<i32>) -> tensor<f64>
  func.return
}
// CHECK: yarr.take: positions must be i64, got 'tensor<i32>'

// -----

func.func @f(%a: tensor<?xf64>, %p: tensor<i64>) {
  %r = yarr.take %a, 0, %p : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.take: the result must be a 'tensor<f64>', not a 'tensor<?xf64>'

// -----

func.func @f(%a: tensor<1xf64>) {
  %r = yarr.unsqueeze %a, [1] : tensor<1xf64> -> tensor<?x1xf64>
  func.return
}
// CHECK: yarr.unsqueeze: axis 0 of the result has size 1, as in the operands, but its type is 'tensor<?x1xf64>'

// -----

func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) {
  %r = yarr.slice %a, 0, %n, %n step 0 : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.slice: the step must not be 0

// -----

func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) {
  %r = yarr.slice %a, 2, %n, %n step 1 : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.slice: axis 2 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) {
  %r = yarr.slice %a, 0, %n, %n step 1 : tensor<?xf64> -> tensor<?xf32>
  func.return
}
// CHECK: yarr.slice: the result must be a 'tensor<?xf64>', not a 'tensor<?xf32>'

// -----

func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) {
  %r = yarr.strided %a, 1, %n, sizes(%n), steps(%n) : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.strided: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) {
  %r = yarr.strided %a, 0, %n, sizes(%n, %n), steps(%n) : tensor<?xf64> -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.strided: each size needs a step: there are 2 sizes and 1 steps

// -----

func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) {
  %r = yarr.strided %a, 0, %n, sizes(%n, %n), steps(%n, %n) : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.strided: the result must be a 'tensor<?x?xf64>', not a 'tensor<?xf64>'

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.flatten %a, 0 : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.flatten: axis 0 and the next one are not axes of an array of rank 1

// -----

func.func @f(%a: tensor<2x3xf64>) {
  %r = yarr.flatten %a, 0 : tensor<2x3xf64> -> tensor<5xf64>
  func.return
}
// CHECK: yarr.flatten: the result must be a 'tensor<6xf64>', not a 'tensor<5xf64>'

// -----

func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) {
  %r = yarr.pad %a, 1, %n, %n : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.pad: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<?x3xf64>, %n: tensor<i64>) {
  %r = yarr.pad %a, 0, %n, %n : tensor<?x3xf64> -> tensor<?x?x3xf64>
  func.return
}
// CHECK: yarr.pad: the result must be a 'tensor<?x3xf64>', not a 'tensor<?x?x3xf64>'

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.fill_empty %a, 1 : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.fill_empty: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<0xf64>) {
  %r = yarr.fill_empty %a, 0 : tensor<0xf64> -> tensor<0xf64>
  func.return
}
// CHECK: yarr.fill_empty: the result must be a 'tensor<1xf64>', not a 'tensor<0xf64>'

// -----

func.func @f() {
  %r = "yarr.concat"() <{axis = 0 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> tensor<?xf64>
  func.return
}
// CHECK: yarr.concat: at least one array is needed

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.concat %a axis 1 : (tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.concat: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<?x3xf64>, %b: tensor<?x4xf64>) {
  %r = yarr.concat %a, %b axis 0 : (tensor<?x3xf64>, tensor<?x4xf64>) -> tensor<?x3xf64>
  func.return
}
// CHECK: yarr.concat: 'tensor<?x4xf64>' does not continue 'tensor<?x3xf64>' along axis 0

// -----

func.func @f(%a: tensor<?x?xf64>, %b: tensor<?x3xf64>, %c: tensor<?x4xf64>) {
  %r = yarr.concat %a, %b, %c axis 0 : (tensor<?x?xf64>, tensor<?x3xf64>, tensor<?x4xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.concat: 'tensor<?x4xf64>' does not continue 'tensor<?x?xf64>' along axis 0

// -----

func.func @f(%a: tensor<?xf64>, %b: tensor<?xi64>) {
  %r = yarr.concat %a, %b axis 0 : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.concat: 'tensor<?xi64>' does not continue 'tensor<?xf64>' along axis 0

// -----

func.func @f(%a: tensor<?x3xf64>) {
  %r = yarr.concat %a axis 0 : (tensor<?x3xf64>) -> tensor<?x4xf64>
  func.return
}
// CHECK: yarr.concat: the result must be a 'tensor<?x3xf64>', not a 'tensor<?x4xf64>'

// -----

func.func @f(%a: tensor<?xf64>, %b: tensor<?x?xf64>) {
  %r = yarr.elementwise { arith.addf } %a, %b : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.elementwise: operands must have one rank, got [1, 2]

// -----

func.func @f(%a: tensor<?x2xf64>, %b: tensor<?x3xf64>) {
  %r = yarr.elementwise { arith.addf } %a, %b : (tensor<?x2xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  func.return
}
// CHECK: yarr.elementwise: shapes ?x2, ?x3 do not broadcast

// -----

func.func @f(%a: tensor<?x1xf64>) {
  %r = yarr.elementwise { math.sqrt } %a : (tensor<?x1xf64>) -> tensor<?x2xf64>
  func.return
}
// CHECK: yarr.elementwise: the result must be a 'tensor<?x1xf64>', not a 'tensor<?x2xf64>'

// -----

func.func @elementwise_forgets_one(%a: tensor<1xf64>) -> tensor<?xf64> {
  %r = yarr.elementwise { math.sqrt } %a : (tensor<1xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK: yarr.elementwise: axis 0 of the result has size 1, as in the operands, but its type is 'tensor<?xf64>'

// -----

func.func @elementwise_invents_one(%a: tensor<?xf64>) -> tensor<1xf64> {
  %r = yarr.elementwise { math.sqrt } %a : (tensor<?xf64>) -> tensor<1xf64>
  func.return %r : tensor<1xf64>
}
// CHECK: yarr.elementwise: axis 0 of the result has size ?, as in the operands, but its type is 'tensor<1xf64>'

// -----

func.func @f() {
  %r = yarr.elementwise () : () -> tensor<2xi64> {
    %0 = arith.constant 1 : i64
    yarr.yield %0 : i64
  }
  func.return
}
// CHECK: yarr.elementwise: the result must be a 'tensor<i64>', not a 'tensor<2xi64>'

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = "yarr.elementwise"(%a) ({
  ^bb0(%x: i64):
    yarr.yield %x : i64
  }) : (tensor<?xf64>) -> tensor<?xi64>
  func.return
}
// CHECK: yarr.elementwise: the body must take (f64), not (i64)

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.elementwise (%x = %a) : (tensor<?xf64>) -> tensor<?xi64> {
    yarr.yield %x : f64
  }
  func.return
}
// CHECK: yarr.elementwise: the body must yield (i64), not (f64)

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.elementwise (%x = %a) : (tensor<?xf64>) -> tensor<?xf64> {
    "test.termop"() : () -> ()
  }
  func.return
}
// CHECK: yarr.elementwise: the body must end in yarr.yield

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.elementwise (%x = %a) : (tensor<?xf64>) -> tensor<?xf64> {
    %n = yarr.extern @f(%x) batch 0 : (f64) -> f64
    yarr.yield %n : f64
  }
  func.return
}
// CHECK: yarr.elementwise: the body works on scalars with arith, math and sigma operations, 'yarr.extern' is none of them

// -----

func.func @f(%a: tensor<?xf64>, %y: f64) {
  %r = yarr.elementwise (%x = %a) : (tensor<?xf64>) -> tensor<?xf64> {
    %0 = arith.addf %x, %y : f64
    yarr.yield %0 : f64
  }
  func.return
}
// CHECK: yarr.elementwise: 'arith.addf' in the body uses a value from outside; make it an operand

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.elementwise { arith.no_such } %a : (tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: unknown operation 'arith.no_such' in the short form of a region

// -----

func.func @f(%a: tensor<?xf64>, %b: tensor<?xf64>) {
  %r = yarr.elementwise { arith.cmpf } %a, %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
  func.return
}
// CHECK: operation 'arith.cmpf' has no short form, write its region in full

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.elementwise { math.sqrt } %a : (f64) -> f64
  func.return
}
// CHECK: expected tensor types and one result

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.elementwise { math.sqrt } %a : tensor<?xf64>
  func.return
}
// CHECK: expected a function type '(operands) -> results'

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.elementwise (%x = %a, %y = %a) : (tensor<?xf64>) -> tensor<?xf64> {
    yarr.yield %x : f64
  }
  func.return
}
// CHECK: expected 1 block arguments, got 2

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.argreduce %a, 0 by "!=" : tensor<?xf64> -> tensor<i64>
  func.return
}
// CHECK: yarr.argreduce: elements are compared by one of '<', '<=', '>', '>=', not by '!='

// -----

func.func @f(%a: tensor<?xi1>) {
  %r = yarr.argreduce %a, 0 by "<" : tensor<?xi1> -> tensor<i64>
  func.return
}
// CHECK: yarr.argreduce: elements must be numbers (an i8, i16, i32, i64, f32 or f64), not 'i1'

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.argreduce %a, 1 by "<" : tensor<?xf64> -> tensor<?xi64>
  func.return
}
// CHECK: yarr.argreduce: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<?x3xf64>) {
  %r = yarr.argreduce %a, 0 by "<" : tensor<?x3xf64> -> tensor<4xi64>
  func.return
}
// CHECK: yarr.argreduce: the result must be a 'tensor<3xi64>', not a 'tensor<4xi64>'

// -----

func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) {
  %r = yarr.top_k %a, 0, %n by ">=" : tensor<?xf64> -> tensor<?xi64>
  func.return
}
// CHECK: yarr.top_k: the first elements are those by '<' or '>', not by '>='

// -----

func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) {
  %r = yarr.top_k %a, 1, %n by "<" : tensor<?xf64> -> tensor<?xi64>
  func.return
}
// CHECK: yarr.top_k: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<?x3xf64>, %n: tensor<i64>) {
  %r = yarr.top_k %a, 0, %n by "<" : tensor<?x3xf64> -> tensor<?x4xi64>
  func.return
}
// CHECK: yarr.top_k: the result must be a 'tensor<?x3xi64>', not a 'tensor<?x4xi64>'

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.reduce %a, [] by { arith.addf } : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.reduce: at least one axis must be reduced

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.reduce %a, [1] by { arith.addf } : tensor<?xf64> -> tensor<f64>
  func.return
}
// CHECK: yarr.reduce: axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%a: tensor<?x?xf64>) {
  %r = yarr.reduce %a, [1, 0] by { arith.addf } : tensor<?x?xf64> -> tensor<f64>
  func.return
}
// CHECK: yarr.reduce: axes [1, 0] must increase

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.reduce %a, [0] by { arith.subf } : tensor<?xf64> -> tensor<f64>
  func.return
}
// CHECK: yarr.reduce: the body must be one of arith.addf, arith.addi, arith.andi, arith.maximumf, arith.maxsi, arith.minimumf, arith.minsi, arith.mulf, arith.muli, arith.ori, arith.xori; other reductions are yarr.tree_reduce

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.reduce %a, [0] by (%x, %y) : tensor<?xf64> -> tensor<f64> {
    yarr.yield %y : f64
  }
  func.return
}
// CHECK: yarr.reduce: the body must be one of arith.addf, arith.addi, arith.andi, arith.maximumf, arith.maxsi, arith.minimumf, arith.minsi, arith.mulf, arith.muli, arith.ori, arith.xori; other reductions are yarr.tree_reduce

// -----

func.func @f(%a: tensor<?xi1>) {
  %r = yarr.reduce %a, [0] by { arith.addi } : tensor<?xi1> -> tensor<i1>
  func.return
}
// CHECK: yarr.reduce: arith.addi does not reduce a 'tensor<?xi1>'

// -----

func.func @f(%a: tensor<?x3xf64>) {
  %r = yarr.reduce %a, [0] by { arith.addf } : tensor<?x3xf64> -> tensor<?x3xf64>
  func.return
}
// CHECK: yarr.reduce: the result must be a 'tensor<3xf64>', not a 'tensor<?x3xf64>'

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = "yarr.reduce"(%a) <{axes = array<i64: 0>}> ({
  ^bb0(%x: f64):
    yarr.yield %x : f64
  }) : (tensor<?xf64>) -> tensor<f64>
  func.return
}
// CHECK: yarr.reduce: the body must take (f64, f64), not (f64)

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.reduce %a, [0] by { arith.addf } : tensor<?xf64> -> f64
  func.return
}
// CHECK: expected tensor types

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.tree_reduce %a identity %a, %a : tensor<?xf64> identity tensor<?xf64>, tensor<?xf64> -> tensor<?xf64> {
    yarr.yield
  }
  func.return
}
// CHECK: yarr.tree_reduce: expected one identity and one result for each array

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = "yarr.reduce"(%a) <{axes = array<i64: 0>}> ({
  ^bb0(%x: f64, %y: f64):
    yarr.yield %x, %y : f64, f64
  }) : (tensor<?xf64>) -> tensor<f64>
  func.return
}
// CHECK: yarr.reduce: the body must yield (f64), not (f64, f64)

// -----

func.func @f(%a: tensor<f64>) {
  %r = yarr.tree_reduce %a identity %a : tensor<f64> identity tensor<f64> -> tensor<f64> {
    yarr.yield %a : tensor<f64>
  }
  func.return
}
// CHECK: yarr.tree_reduce: 'tensor<f64>' has no axis to reduce

// -----

func.func @f(%a: tensor<?xf64>, %e: tensor<i64>) {
  %r = yarr.tree_reduce %a identity %e : tensor<?xf64> identity tensor<i64> -> tensor<f64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    yarr.yield %y : tensor<?xf64>
  }
  func.return
}
// CHECK: yarr.tree_reduce: the identity must be a 'tensor<f64>', not a 'tensor<i64>'

// -----

func.func @f(%a: tensor<?xf64>, %e: tensor<f64>) {
  %r = yarr.tree_reduce %a identity %e : tensor<?xf64> identity tensor<f64> -> tensor<?xf64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    yarr.yield %y : tensor<?xf64>
  }
  func.return
}
// CHECK: yarr.tree_reduce: the result must be a 'tensor<f64>', not a 'tensor<?xf64>'

// -----

func.func @f(%a: tensor<?xf64>, %e: tensor<f64>) {
  %r = yarr.tree_reduce %a identity %e : tensor<?xf64> identity tensor<f64> -> tensor<f64> {
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    yarr.yield %y : tensor<f64>
  }
  func.return
}
// CHECK: yarr.tree_reduce: the body must take left and right elements, (tensor<?xf64>, tensor<?xf64>), not (tensor<f64>, tensor<f64>)

// -----

func.func @f(%a: tensor<?xf64>, %e: tensor<f64>) {
  %r = yarr.tree_reduce %a identity %e : tensor<?xf64> identity tensor<f64> -> tensor<f64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    yarr.yield %x, %y : tensor<?xf64>, tensor<?xf64>
  }
  func.return
}
// CHECK: yarr.tree_reduce: the body must end in yarr.yield of 1 arrays

// -----

func.func @f(%a: tensor<?xf64>, %e: tensor<f64>) {
  %r = yarr.tree_reduce %a identity %e : tensor<?xf64> identity tensor<f64> -> tensor<f64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    yarr.yield %e : tensor<f64>
  }
  func.return
}
// CHECK: yarr.tree_reduce: the body must yield a 'tensor<?xf64>', not a 'tensor<f64>'

// -----

func.func @f(%a: tensor<2xf64>, %b: tensor<3xf64>, %e: tensor<f64>) {
  %r, %s = yarr.tree_reduce %a, %b identity %e, %e : tensor<2xf64>, tensor<3xf64> identity tensor<f64>, tensor<f64> -> tensor<f64>, tensor<f64> {
    yarr.yield
  }
  func.return
}
// CHECK: yarr.tree_reduce: arrays must have one size to reduce, got [2, 3]

// -----

func.func @f(%a: tensor<?xf64>, %e: tensor<f64>) {
  %r = yarr.tree_reduce %a identity %e : tensor<?xf64> identity tensor<f64> -> tensor<f64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    "test.termop"() : () -> ()
  }
  func.return
}
// CHECK: yarr.tree_reduce: the body must end in yarr.yield of 1 arrays

// -----

func.func @f(%a: tensor<?x?xf64>) {
  %r = yarr.einsum "ij" %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.einsum: 'ij' is not of the form 'ij,jk->ik'

// -----

func.func @f(%a: tensor<?x?xf64>) {
  %r = yarr.einsum "ij,jk->ik" %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.einsum: 'ij,jk->ik' has 2 operands, not 1

// -----

func.func @f(%a: tensor<?x?xf64>) {
  %r = yarr.einsum "i->i" %a : (tensor<?x?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.einsum: 'i' does not name the axes of a 'tensor<?x?xf64>'

// -----

func.func @f(%a: tensor<?x3xf64>, %b: tensor<4x?xf64>) {
  %r = yarr.einsum "ij,jk->ik" %a, %b : (tensor<?x3xf64>, tensor<4x?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.einsum: axis 'j' has sizes 3 and 4

// -----

func.func @f(%a: tensor<?xf64>, %b: tensor<?xf32>) {
  %r = yarr.einsum "i,i->" %a, %b : (tensor<?xf64>, tensor<?xf32>) -> tensor<f64>
  func.return
}
// CHECK: yarr.einsum: operands must have one element type, got 'tensor<?xf64>' and 'tensor<?xf32>'

// -----

func.func @f(%a: tensor<?x?xf64>) {
  %r = yarr.einsum "ij->ii" %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.einsum: the result 'ii' must name axes of operands, each once

// -----

func.func @f(%a: tensor<?x?xf64>) {
  %r = yarr.einsum "ij->ik" %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.einsum: the result 'ik' must name axes of operands, each once

// -----

func.func @f(%a: tensor<?x3xf64>) {
  %r = yarr.einsum "ij->j" %a : (tensor<?x3xf64>) -> tensor<4xf64>
  func.return
}
// CHECK: yarr.einsum: the result must be a 'tensor<3xf64>', not a 'tensor<4xf64>'

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
  %r = "yarr.fold"(%n, %a) ({
  ^bb0(%k: tensor<i64>, %x: tensor<f64>):
    yarr.yield %x : tensor<f64>
  }) : (tensor<i64>, tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.fold: the body must take (tensor<i64>, tensor<?xf64>), not (tensor<i64>, tensor<f64>)

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    "test.termop"() : () -> ()
  }
  func.return
}
// CHECK: yarr.fold: the body must end in yarr.yield

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    yarr.yield %k : tensor<i64>
  }
  func.return
}
// CHECK: yarr.fold: the body must yield (tensor<?xf64>), not (tensor<i64>)

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
  %r = "yarr.fold"(%n, %a) ({
  ^bb0(%k: tensor<i64>, %x: tensor<?xf64>):
    yarr.yield %x : tensor<?xf64>
  }) : (tensor<i64>, tensor<?xf64>) -> tensor<3xf64>
  func.return
}
// CHECK: yarr.fold: results must have the types of the initial values: tensor<?xf64>

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64>, tensor<?xf64> {
    yarr.yield %x : tensor<?xf64>
  }
  func.return
}
// CHECK: expected 3 block arguments, got 2

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.tuple %a : (tensor<?xf64>) -> tuple<tensor<f64>>
  func.return
}
// CHECK: yarr.tuple: (tensor<?xf64>) does not make a 'tuple<tensor<f64>>'

// -----

func.func @f(%t: tuple<tensor<?xf64>>) {
  %r = yarr.proj %t, 1 : tuple<tensor<?xf64>> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.proj: 'tuple<tensor<?xf64>>' has 1 fields, and no field 1

// -----

func.func @f(%t: tuple<tensor<?xf64>>) {
  %r = yarr.proj %t, 0 : tuple<tensor<?xf64>> -> tensor<f64>
  func.return
}
// CHECK: yarr.proj: field 0 of 'tuple<tensor<?xf64>>' is a 'tensor<?xf64>', not a 'tensor<f64>'

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.extern @f::@g(%a) batch 0 : (tensor<?xf64>) -> tensor<f64>
  func.return
}
// CHECK: yarr.extern: '@f::@g' is not a plain symbol

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.extern @f(%a) batch -1 : (tensor<?xf64>) -> tensor<f64>
  func.return
}
// CHECK: yarr.extern: the number of batch axes must not be negative, got -1

// -----

func.func @f(%a: tensor<?xf64>) {
  %r = yarr.extern @f(%a) batch 1 : (tensor<?xf64>) -> tuple<tensor<?xf64>, tensor<f64>>
  func.return
}
// CHECK: yarr.extern: a 'tensor<f64>' does not have 1 batch axes

// -----

func.func @f(%a: tensor<?xf64>) {
  yarr.yield %a : tensor<?xf64>
}
// CHECK: yarr.yield: it ends the body of elementwise operations, reductions, folds and tiles, not of func.func

// -----

func.func @sizes_are_scalars(%a: tensor<?xi64>, %n: tensor<i64>) {
  %0 = "yarr.assert_eq"(%a, %n) <{message = "sizes"}> : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
  func.return
}

// CHECK: operand 'lhs' at position 0 does not verify
// CHECK: Expected attribute tensor<i64> but got tensor<?xi64>

// -----

func.func @size_is_an_int(%x: tensor<f64>) {
  %0 = "yarr.assert_size"(%x) <{message = "size"}> : (tensor<f64>) -> tensor<i64>
  func.return
}

// CHECK: operand 'size' at position 0 does not verify
// CHECK: Expected attribute tensor<i64> but got tensor<f64>

// -----

func.func @f(%a: tensor<?x?xf64>, %p: tensor<i64>, %x: tensor<f64>) {
  %r = yarr.update %a[%p, %p] along [1, 0], %x : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.update: axes [1, 0] must increase

// -----

func.func @f(%a: tensor<?x?xf64>, %p: tensor<i64>, %x: tensor<?xf64>) {
  %r = yarr.update %a[%p] along [2], %x : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.update: axis 2 is not an axis of an array of rank 2

// -----

func.func @f(%a: tensor<?x?xf64>, %p: tensor<i64>, %x: tensor<f64>) {
  %r = yarr.update %a[%p] along [0, 1], %x : (tensor<?x?xf64>, tensor<i64>, tensor<f64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.update: 1 positions do not fit axes [0, 1]

// -----

func.func @f(%a: tensor<?x3xf64>, %p: tensor<i64>, %x: tensor<2xf64>) {
  %r = yarr.update %a[%p] along [0], %x : (tensor<?x3xf64>, tensor<i64>, tensor<2xf64>) -> tensor<?x3xf64>
  func.return
}
// CHECK: yarr.update: the value must be a 'tensor<3xf64>', not a 'tensor<2xf64>'

// -----

func.func @f(%a: tensor<?xf64>, %p: tensor<i64>, %x: tensor<f64>) {
  %r = yarr.update %a[%p] along [0], %x : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xi64>
  func.return
}
// CHECK: yarr.update: the result must be a 'tensor<?xf64>', not a 'tensor<?xi64>'

// -----

func.func @f(%a: tensor<?xf64>, %p: tensor<i64>, %x: tensor<f64>, %c: tensor<?xi1>) {
  %r = yarr.update %a[%p] along [0], %x if %c : (tensor<?xf64>, tensor<i64>, tensor<f64>, tensor<?xi1>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.update: the condition must be a 'tensor<i1>', not a 'tensor<?xi1>'

// -----

func.func @f(%a: tensor<?xf64>, %k: tensor<?xi64>, %x: tensor<?xf64>) {
  %r = yarr.scatter %a[%k, %k], %x : (tensor<?xf64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.scatter: 2 keys do not fit an array of rank 1

// -----

func.func @f(%a: tensor<?xf64>, %x: tensor<?xf64>) {
  %r = yarr.scatter %a[%x], %x : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return
}
// CHECK: yarr.scatter: keys must be Ints

// -----

func.func @f(%a: tensor<?x?xf64>, %k: tensor<3xi64>, %l: tensor<4xi64>, %x: tensor<?xf64>) {
  %r = yarr.scatter %a[%k, %l], %x : (tensor<?x?xf64>, tensor<3xi64>, tensor<4xi64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.scatter: keys must have the same positions

// -----

func.func @f(%a: tensor<?x3xf64>, %k: tensor<4xi64>, %x: tensor<4xf64>) {
  %r = yarr.scatter %a[%k], %x : (tensor<?x3xf64>, tensor<4xi64>, tensor<4xf64>) -> tensor<?x3xf64>
  func.return
}
// CHECK: yarr.scatter: the values must be a 'tensor<4x3xf64>', not a 'tensor<4xf64>'

// -----

func.func @f(%a: tensor<?x3xf64>, %p: tensor<i64>, %x: tensor<?x3xf64>) {
  %r = yarr.update_slice %a[%p, %p by %p] along 2, %x : (tensor<?x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  func.return
}
// CHECK: yarr.update_slice: axis 2 is not an axis of an array of rank 2

// -----

func.func @f(%a: tensor<?x3xf64>, %p: tensor<i64>, %x: tensor<?x2xf64>) {
  %r = yarr.update_slice %a[%p, %p by %p] along 0, %x : (tensor<?x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<?x2xf64>) -> tensor<?x3xf64>
  func.return
}
// CHECK: yarr.update_slice: the value must be a 'tensor<?x3xf64>', not a 'tensor<?x2xf64>'

// -----

func.func @f(%a: tensor<?x3xf64>, %p: tensor<i64>, %x: tensor<3xf64>) {
  %r = yarr.update_slice %a[%p, %p by %p] along 0, %x : (tensor<?x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<3xf64>) -> tensor<?x3xf64>
  func.return
}
// CHECK: yarr.update_slice: the value must be a 'tensor<?x3xf64>', not a 'tensor<3xf64>'

// -----

func.func @no_such_kind(%x: tensor<?xf64>, %k: tensor<?xi64>, %n: tensor<i64>) {
  %0 = yarr.accumulate "mean" %x by %k into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.accumulate: 'mean' does not combine values of type 'f64'

// -----

func.func @kind_of_another_type(%x: tensor<?xf64>, %k: tensor<?xi64>, %n: tensor<i64>) {
  %0 = yarr.accumulate "or" %x by %k into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.accumulate: 'or' does not combine values of type 'f64'

// -----

func.func @a_size_for_each_key(%x: tensor<?xf64>, %k: tensor<?xi64>, %n: tensor<i64>) {
  %0 = yarr.accumulate "add" %x by %k into %n, %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.accumulate: 1 key for 2 sizes

// -----

func.func @keys_are_ints(%x: tensor<?xf64>, %n: tensor<i64>) {
  %0 = yarr.accumulate "add" %x by %x into %n : tensor<?xf64> by tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.accumulate: keys must be of i64 and of one rank, got tensor<?xf64>

// -----

func.func @values_at_positions(%x: tensor<?xf64>, %k: tensor<?x?xi64>, %n: tensor<i64>) {
  %0 = yarr.accumulate "add" %x by %k into %n : tensor<?xf64> by tensor<?x?xi64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.accumulate: a 'tensor<?xf64>' has no values at 2 positions

// -----

func.func @sizes_of_positions(%x: tensor<3xf64>, %k: tensor<4xi64>, %n: tensor<i64>) {
  %0 = yarr.accumulate "add" %x by %k into %n : tensor<3xf64> by tensor<4xi64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.accumulate: 'tensor<3xf64>' does not fit keys tensor<4xi64>

// -----

func.func @result(%x: tensor<?xf64>, %k: tensor<?xi64>, %n: tensor<i64>) {
  %0 = yarr.accumulate "add" %x by %k into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.accumulate: the result must be a 'tensor<?xf64>', not a 'tensor<?x?xf64>'

// -----

func.func @floats(%a: tensor<?x?x?xi64>, %n: tensor<i64>) {
  %0 = yarr.correlate %a, %a into %n : tensor<?x?x?xi64>, tensor<?x?x?xi64> -> tensor<?x?x?xi64>
  func.return
}
// CHECK: yarr.correlate: operands must have one type of floats, got tensor<?x?x?xi64>, tensor<?x?x?xi64>

// -----

func.func @places(%a: tensor<?x?x?xf64>, %n: tensor<i64>) {
  %0 = yarr.correlate %a, %a into %n, %n : tensor<?x?x?xf64>, tensor<?x?x?xf64> -> tensor<?x?x?x?xf64>
  func.return
}
// CHECK: yarr.correlate: for 2 sizes, a 'tensor<?x?x?xf64>' and a 'tensor<?x?x?xf64>' do not have batches, channels and places

// -----

func.func @channels(%a: tensor<?x3x?xf64>, %w: tensor<?x4x?xf64>, %n: tensor<i64>) {
  %0 = yarr.correlate %a, %w into %n : tensor<?x3x?xf64>, tensor<?x4x?xf64> -> tensor<?x?x?xf64>
  func.return
}
// CHECK: yarr.correlate: there are 3 channels, and filters for 4

// -----

func.func @strides(%a: tensor<?x?x?xf64>, %n: tensor<i64>) {
  %0 = yarr.correlate %a, %a into %n by [1, 2] : tensor<?x?x?xf64>, tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  func.return
}
// CHECK: yarr.correlate: for 1 size there must be as many positive strides, not [1, 2]

// -----

func.func @no_stride(%a: tensor<?x?x?xf64>, %n: tensor<i64>) {
  %0 = yarr.correlate %a, %a into %n by [0] : tensor<?x?x?xf64>, tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  func.return
}
// CHECK: yarr.correlate: for 1 size there must be as many positive strides, not [0]

// -----

func.func @no_dilation(%a: tensor<?x?x?xf64>, %n: tensor<i64>) {
  %0 = yarr.correlate %a, %a into %n dilated [0] : tensor<?x?x?xf64>, tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  func.return
}
// CHECK: yarr.correlate: for 1 size there must be as many positive dilations, not [0]

// -----

func.func @windows(%a: tensor<2x?x?xf64>, %w: tensor<5x?x?xf64>, %n: tensor<i64>) {
  %0 = yarr.correlate %a, %w into %n : tensor<2x?x?xf64>, tensor<5x?x?xf64> -> tensor<2x2x?xf64>
  func.return
}
// CHECK: yarr.correlate: the result must be a 'tensor<2x5x?xf64>', not a 'tensor<2x2x?xf64>'

// -----

func.func @no_such_kind(%x: tensor<?xf64>) {
  %0 = yarr.scan "or" %x, 0 : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.scan: 'or' does not combine elements of type 'f64'

// -----

func.func @no_such_axis(%x: tensor<?xf64>) {
  %0 = yarr.scan "add" %x, 1 : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.scan: axis 1 is not an axis of an array of rank 1

// -----

func.func @one_element_more(%x: tensor<3xf64>) {
  %0 = yarr.scan "add" %x, 0 : tensor<3xf64> -> tensor<3xf64>
  func.return
}
// CHECK: yarr.scan: the result must be a 'tensor<4xf64>', not a 'tensor<3xf64>'

// -----

func.func @no_element_more(%x: tensor<3xf64>) {
  %0 = yarr.scan "add" %x, 0 inclusive : tensor<3xf64> -> tensor<4xf64>
  func.return
}
// CHECK: yarr.scan: the result must be a 'tensor<3xf64>', not a 'tensor<4xf64>'

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
  %r = yarr.tile (%i, %l of %n, %x = %a along 1) : (tensor<?xf64>) -> (tensor<?xf64> along 0) {
    yarr.yield %x : tensor<?xf64>
  }
  func.return
}
// CHECK: expected a tensor type with the axis for each array

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
  %r = yarr.tile (%i, %l of %n, %x = %a along 0) : (tensor<?xf64>) -> (tensor<?xf64> along 1) {
    yarr.yield %x : tensor<?xf64>
  }
  func.return
}
// CHECK: yarr.tile: result axis 1 is not an axis of an array of rank 1

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
  %r = yarr.tile (%i, %l of %n, %x = %a along 0) : (tensor<?xf64>) -> (tensor<?xi64> along 0) {
    yarr.yield %x : tensor<?xf64>
  }
  func.return
}
// CHECK: yarr.tile: blocks of type 'tensor<?xf64>' do not make a 'tensor<?xi64>'

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?xf64>) {
  %r = yarr.tile (%i, %l of %n, %x = %a along 0) : (tensor<?xf64>) -> (tensor<?xf64> along 0) {
    yarr.yield %x, %x : tensor<?xf64>, tensor<?xf64>
  }
  func.return
}
// CHECK: yarr.tile: 2 blocks do not make 1 results

// -----

func.func @f(%n: tensor<i64>, %a: tensor<?x?xf64>) {
  %r = yarr.tile (%i, %l of %n, %x = %a along 0) : (tensor<?x?xf64>) -> (tensor<?x?xf64> along 0) {
    yarr.yield %x : tensor<?x?xf64>
  }
  func.return
}
// CHECK: yarr.tile: 0 sizes for 1 axes of results

// -----

func.func @f(%n: tensor<i64>, %a: tensor<4xf64>) {
  %r = "yarr.tile"(%n, %a) <{operandSegmentSizes = array<i32: 1, 1, 0>, array_axes = array<i64: 0>, result_axes = array<i64: 0>}> ({
  ^bb0(%i: tensor<i64>, %l: tensor<i64>, %x: tensor<4xf64>):
    yarr.yield %x : tensor<4xf64>
  }) : (tensor<i64>, tensor<4xf64>) -> tensor<4xf64>
  func.return
}
// CHECK: yarr.tile: the body must take (tensor<i64>, tensor<i64>, tensor<?xf64>), not (tensor<i64>, tensor<i64>, tensor<4xf64>)

// -----

func.func @f(%n: tensor<i64>, %a: tensor<4xf64>) {
  %r = "yarr.tile"(%n, %a) <{operandSegmentSizes = array<i32: 1, 1, 0>, array_axes = array<i64>, result_axes = array<i64: 0>}> ({
  ^bb0(%i: tensor<i64>, %l: tensor<i64>, %x: tensor<?xf64>):
    yarr.yield %x : tensor<?xf64>
  }) : (tensor<i64>, tensor<4xf64>) -> tensor<4xf64>
  func.return
}
// CHECK: yarr.tile: an axis for each array is needed: 0 for 1

// -----

func.func @weights(%x: tensor<?xf64>, %y: tensor<?xi64>) {
  %0 = yarr.weighted_scan "max" %x by %y, 0 : tensor<?xf64> by tensor<?xi64>
  func.return
}
// CHECK: yarr.weighted_scan: a scan by 'max' of type 'f64' has no weights of type 'i64'

// -----

func.func @weights_of_others(%x: tensor<4xf64>, %y: tensor<3xf64>) {
  %0 = yarr.weighted_scan "max" %x by %y, 0 : tensor<4xf64> by tensor<3xf64>
  func.return
}
// CHECK: yarr.weighted_scan: a 'tensor<3xf64>' has no weights for a 'tensor<4xf64>'

// -----

func.func @weights_along(%x: tensor<4xf64>) {
  %0 = yarr.weighted_scan "max" %x by %x, 1 : tensor<4xf64> by tensor<4xf64>
  func.return
}
// CHECK: yarr.weighted_scan: axis 1 is not an axis of an array of rank 1

// -----

func.func @ints(%x: tensor<?xf64>, %y: tensor<?xi64>) {
  %0 = yarr.propagate_nan %x from %y, 0 : tensor<?xf64> from tensor<?xi64>
  func.return
}
// CHECK: yarr.propagate_nan: a 'tensor<?xi64>' is no array of floats

// -----

func.func @no_such_axis(%x: tensor<?xf64>) {
  %0 = yarr.propagate_nan %x from %x, 1 : tensor<?xf64> from tensor<?xf64>
  func.return
}
// CHECK: yarr.propagate_nan: axis 1 is not an axis of an array of rank 1

// -----

func.func @fewer_axes(%x: tensor<?x?xf64>, %y: tensor<?xf64>) {
  %0 = yarr.propagate_nan %x from %y, 1 : tensor<?x?xf64> from tensor<?xf64>
  func.return
}
// CHECK: yarr.propagate_nan: the last axes of a 'tensor<?xf64>' are not those of a 'tensor<?x?xf64>'

// -----

func.func @repeated_along_the_axis(%x: tensor<2x3xf64>, %y: tensor<5x1x1xf64>) {
  %0 = yarr.propagate_nan %x from %y, 1 : tensor<2x3xf64> from tensor<5x1x1xf64>
  func.return
}
// CHECK: yarr.propagate_nan: the last axes of a 'tensor<5x1x1xf64>' are not those of a 'tensor<2x3xf64>'

// -----

func.func @order_of_ints(%r: tensor<i64>, %s: tensor<f64>, %x: tensor<?xi64>, %y: tensor<?xf64>) {
  %0 = yarr.in_order "i,i->" %r of %x, %x if finite %r : tensor<i64> of tensor<?xi64>, tensor<?xi64> if finite tensor<i64>
  func.return
}
// CHECK: yarr.in_order: a 'tensor<i64>' is no array of floats

// -----

// A mask has a product before it.
func.func @mask_first(%s: tensor<f64>, %y: tensor<?xf64>, %c: tensor<?xi1>) {
  %0 = yarr.in_order "i,i->" %s of %c, %y if finite %s : tensor<f64> of tensor<?xi1>, tensor<?xf64> if finite tensor<f64>
  func.return
}
// CHECK: yarr.in_order: a 'tensor<?xi1>' is no array of floats

// -----

func.func @open_order(%r: tensor<i64>, %s: tensor<f64>, %x: tensor<?xi64>, %y: tensor<?xf64>) {
  %0 = yarr.in_order "(i,i->" %s of %y, %y if finite %s : tensor<f64> of tensor<?xf64>, tensor<?xf64> if finite tensor<f64>
  func.return
}
// CHECK: yarr.in_order: '(i,i->' has an open parenthesis

// -----

// A divisor has a product before it.
func.func @divisor_first(%s: tensor<f64>, %y: tensor<?xf64>) {
  %0 = yarr.in_order "/i,i->" %s of %y, %y if finite %s : tensor<f64> of tensor<?xf64>, tensor<?xf64> if finite tensor<f64>
  func.return
}
// CHECK: yarr.in_order: '/i,i->' is not of the form 'ik,(kl,l->k)->i'

// -----

func.func @axes_of_divisor(%s: tensor<f64>, %y: tensor<?xf64>) {
  %0 = yarr.in_order "i,/ij->" %s of %y, %y if finite %s : tensor<f64> of tensor<?xf64>, tensor<?xf64> if finite tensor<f64>
  func.return
}
// CHECK: yarr.in_order: 'ij' does not name the axes of a 'tensor<?xf64>'

// -----

func.func @no_arrow(%r: tensor<i64>, %s: tensor<f64>, %x: tensor<?xi64>, %y: tensor<?xf64>) {
  %0 = yarr.in_order "i,i" %s of %y, %y if finite %s : tensor<f64> of tensor<?xf64>, tensor<?xf64> if finite tensor<f64>
  func.return
}
// CHECK: yarr.in_order: 'i,i' is not of the form 'ik,(kl,l->k)->i'

// -----

func.func @unknown_axis(%r: tensor<i64>, %s: tensor<f64>, %x: tensor<?xi64>, %y: tensor<?xf64>) {
  %0 = yarr.in_order "i,i->j" %y of %y, %y if finite %s : tensor<?xf64> of tensor<?xf64>, tensor<?xf64> if finite tensor<f64>
  func.return
}
// CHECK: yarr.in_order: the result 'j' must name axes of factors, each once

// -----

func.func @fewer_factors(%r: tensor<i64>, %s: tensor<f64>, %x: tensor<?xi64>, %y: tensor<?xf64>) {
  %0 = yarr.in_order "i,i,i->" %s of %y, %y if finite %s : tensor<f64> of tensor<?xf64>, tensor<?xf64> if finite tensor<f64>
  func.return
}
// CHECK: yarr.in_order: 'i,i,i->' has 3 factors, not 2

// -----

func.func @unnamed_axis(%r: tensor<i64>, %s: tensor<f64>, %x: tensor<?xi64>, %y: tensor<?xf64>) {
  %0 = yarr.in_order "ij,i->" %s of %y, %y if finite %s : tensor<f64> of tensor<?xf64>, tensor<?xf64> if finite tensor<f64>
  func.return
}
// CHECK: yarr.in_order: 'ij' does not name the axes of a 'tensor<?xf64>'

// -----

func.func @result_of_other_rank(%r: tensor<i64>, %s: tensor<f64>, %x: tensor<?xi64>, %y: tensor<?xf64>) {
  %0 = yarr.in_order "i,i->i" %s of %y, %y if finite %s : tensor<f64> of tensor<?xf64>, tensor<?xf64> if finite tensor<f64>
  func.return
}
// CHECK: yarr.in_order: 'i' does not name the axes of a 'tensor<f64>'

// -----

func.func @condition_of_floats(%n: tensor<i64>, %x: tensor<f64>) {
  %r = yarr.while (%k < %n, %y = %x) -> tensor<f64> {
    yarr.yield %y : tensor<f64>
  }
  func.return
}
// CHECK: yarr.while: the first accumulator must be a tensor<i1>

// -----

func.func @order_along_no_axis(%a: tensor<?xf64>) {
  %p = yarr.argsort %a, 1 : tensor<?xf64> -> tensor<?xi64>
  func.return
}
// CHECK: yarr.argsort: axis 1 is not an axis of an array of rank 1

// -----

func.func @order_of_another_shape(%a: tensor<3xf64>) {
  %p = yarr.argsort %a, 0 : tensor<3xf64> -> tensor<4xi64>
  func.return
}
// CHECK: yarr.argsort: the result must be a 'tensor<3xi64>', not a 'tensor<4xi64>'

// -----

func.func @search_in_a_number(%a: tensor<f64>, %x: tensor<f64>) {
  %p = yarr.searchsorted %a, %x : tensor<f64>, tensor<f64> -> tensor<i64>
  func.return
}
// CHECK: yarr.searchsorted: an array of rank 0 has no vectors for values of rank 0

// -----

func.func @search_for_another_type(%a: tensor<?xf64>, %x: tensor<i64>) {
  %p = yarr.searchsorted %a, %x : tensor<?xf64>, tensor<i64> -> tensor<i64>
  func.return
}
// CHECK: yarr.searchsorted: a 'i64' is no element of a 'tensor<?xf64>'

// -----

func.func @places_of_another_shape(%a: tensor<?xf64>, %x: tensor<3xf64>) {
  %p = yarr.searchsorted %a, %x : tensor<?xf64>, tensor<3xf64> -> tensor<4xi64>
  func.return
}
// CHECK: yarr.searchsorted: the result must be a 'tensor<3xi64>', not a 'tensor<4xi64>'

// -----

func.func @sort_along_no_axis(%a: tensor<?xf64>) {
  %s = yarr.sort %a, 1 : tensor<?xf64> -> tensor<?xf64>
  func.return
}
// CHECK: yarr.sort: axis 1 is not an axis of an array of rank 1

// -----

func.func @sort_to_another_type(%a: tensor<3xf64>) {
  %s = yarr.sort %a, 0 : tensor<3xf64> -> tensor<3xi64>
  func.return
}
// CHECK: yarr.sort: the result must be a 'tensor<3xf64>', not a 'tensor<3xi64>'

// -----

func.func @gather_in_bounds_axis(%a: tensor<?x?xf64>, %p: tensor<?xi64>) {
  %r = yarr.gather %a[%p] in_bounds [1] : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  func.return
}
// CHECK: yarr.gather: axis 1 is not an axis of an array of rank 1
