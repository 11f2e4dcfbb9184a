// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

func.func @sizes(%a: tensor<?x3xf64>, %n: tensor<i64>) -> tensor<i64> {
  %r = yarr.range %n : tensor<?xi64>
  %s = yarr.size %a, 0 : tensor<?x3xf64>
  %e = yarr.assert_eq %n, %s, "index i: size of a, size of b"
  %m = yarr.assert_size %e, "size of index i"
  func.return %m : tensor<i64>
}

func.func @axes(%a: tensor<?x3xf64>, %b: tensor<1x?xf64>, %n: tensor<i64>) {
  %t = yarr.transpose %a, [1, 0] : tensor<?x3xf64> -> tensor<3x?xf64>
  %s = yarr.squeeze %b, [0] : tensor<1x?xf64> -> tensor<?xf64>
  %u = yarr.unsqueeze %s, [0, 2] : tensor<?xf64> -> tensor<1x?x1xf64>
  %r = yarr.repeat %b, 0, %n : tensor<1x?xf64> -> tensor<?x?xf64>
  %0 = yarr.unsqueeze %n, [] : tensor<i64> -> tensor<i64>
  func.return
}

func.func @positions(%a: tensor<?x?x3xf32>, %p: tensor<?x1xi64>, %q: tensor<1x?xi64>, %n: tensor<i64>, %c: tensor<2x3xf32>) {
  %g = yarr.gather %a[%p, %q] : (tensor<?x?x3xf32>, tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?x3xf32>
  %h = yarr.gather %a[%p, %q] in_bounds [0, 1] : (tensor<?x?x3xf32>, tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?x3xf32>
  %t = yarr.take %a, 1, %p : (tensor<?x?x3xf32>, tensor<?x1xi64>) -> tensor<?x?x1x3xf32>
  %v = yarr.take %a, 2, %n in_bounds : (tensor<?x?x3xf32>, tensor<i64>) -> tensor<?x?xf32>
  %s = yarr.strided %a, 1, %n, sizes(%n, %n), steps(%n, %n) : tensor<?x?x3xf32> -> tensor<?x?x?x3xf32>
  %l = yarr.flatten %a, 1 : tensor<?x?x3xf32> -> tensor<?x?xf32>
  %m = yarr.flatten %c, 0 : tensor<2x3xf32> -> tensor<6xf32>
  func.return
}

func.func @parts(%a: tensor<?x3xi1>, %b: tensor<2x3xi1>, %n: tensor<i64>) {
  %s = yarr.slice %a, 0, %n, %n step -2 : tensor<?x3xi1> -> tensor<?x3xi1>
  %z = yarr.slice %a, 1, %n, %n step 1 clip : tensor<?x3xi1> -> tensor<?x?xi1>
  %p = yarr.pad %a, 1, %n, %n : tensor<?x3xi1> -> tensor<?x?xi1>
  %f = yarr.fill_empty %a, 0 : tensor<?x3xi1> -> tensor<?x3xi1>
  %c = yarr.concat %a, %b, %s axis 0 : (tensor<?x3xi1>, tensor<2x3xi1>, tensor<?x3xi1>) -> tensor<?x3xi1>
  %d = yarr.concat %a, %s axis 0 of %n : (tensor<?x3xi1>, tensor<?x3xi1>) -> tensor<?x3xi1>
  func.return
}

func.func @scalars(%a: tensor<?x1xf64>, %b: tensor<1x?xf64>) {
  // One operation on the operands in their order is given by its name.
  %c = yarr.elementwise { arith.addf } %a, %b : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %d = yarr.elementwise { math.sqrt } %a : (tensor<?x1xf64>) -> tensor<?x1xf64>
  %e = yarr.elementwise (%x = %c, %y = %a) : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xi1> {
    %0 = arith.mulf %y, %x : f64
    %1 = arith.cmpf olt, %0, %x : f64
    yarr.yield %1 : i1
  }
  // In another order it is not; nor are operations with properties or without operands.
  %f = yarr.elementwise (%x = %a, %y = %b) : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64> {
    %0 = arith.subf %y, %x : f64
    yarr.yield %0 : f64
  }
  %g = yarr.elementwise () : () -> tensor<i64> {
    %0 = arith.constant 7 : i64
    yarr.yield %0 : i64
  }
  func.return
}

func.func @reductions(%a: tensor<?x3xf64>, %e: tensor<3xf64>, %i: tensor<3xi64>) {
  %n = yarr.size %a, 0 : tensor<?x3xf64>
  %s = yarr.reduce %a, [0, 1] by { arith.addf } : tensor<?x3xf64> -> tensor<f64>
  %l = yarr.argreduce %a, 1 by "<=" : tensor<?x3xf64> -> tensor<?xi64>
  %w = yarr.einsum "ij,j->i" %a, %e : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?xf64>
  %t = yarr.tree_reduce %a identity %e : tensor<?x3xf64> identity tensor<3xf64> -> tensor<3xf64> {
  ^bb0(%x: tensor<?x3xf64>, %y: tensor<?x3xf64>):
    yarr.yield %y : tensor<?x3xf64>
  }
  %u, %v = yarr.tree_reduce %e, %i identity %s, %n : tensor<3xf64>, tensor<3xi64> identity tensor<f64>, tensor<i64> -> tensor<f64>, tensor<i64> {
  ^bb0(%x: tensor<?xf64>, %j: tensor<?xi64>, %y: tensor<?xf64>, %k: tensor<?xi64>):
    yarr.yield %x, %k : tensor<?xf64>, tensor<?xi64>
  }
  func.return
}

func.func @loops(%n: tensor<i64>, %a: tensor<?xf64>) {
  %s = yarr.fold (%k < %n, %acc = %a) -> tensor<?xf64> {
    yarr.yield %acc : tensor<?xf64>
  }
  %t, %u = yarr.fold (%k < %n, %x = %a, %y = %n) -> tensor<?xf64>, tensor<i64> {
    yarr.yield %x, %k : tensor<?xf64>, tensor<i64>
  }
  yarr.fold (%k < %n) {
    yarr.yield
  }
  func.return
}

func.func @records(%n: tensor<i64>, %a: tensor<?x?xf64>) -> tuple<tensor<?x?xf64>, tensor<i64>> {
  %e = yarr.extern @sort(%a) batch 1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = yarr.tuple %e, %n : (tensor<?x?xf64>, tensor<i64>) -> tuple<tensor<?x?xf64>, tensor<i64>>
  %f = yarr.proj %t, 1 : tuple<tensor<?x?xf64>, tensor<i64>> -> tensor<i64>
  func.return %t : tuple<tensor<?x?xf64>, tensor<i64>>
}

// CHECK:      func.func @sizes(%a: tensor<?x3xf64>, %n: tensor<i64>) -> tensor<i64> {
// CHECK-NEXT:   %r = yarr.range %n : tensor<?xi64>
// CHECK-NEXT:   %s = yarr.size %a, 0 : tensor<?x3xf64>
// CHECK-NEXT:   %e = yarr.assert_eq %n, %s, "index i: size of a, size of b"
// CHECK-NEXT:   %m = yarr.assert_size %e, "size of index i"
// CHECK-NEXT:   func.return %m : tensor<i64>
// CHECK-NEXT: }

// CHECK:      func.func @axes(%a: tensor<?x3xf64>, %b: tensor<1x?xf64>, %n: tensor<i64>) {
// CHECK-NEXT:   %t = yarr.transpose %a, [1, 0] : tensor<?x3xf64> -> tensor<3x?xf64>
// CHECK-NEXT:   %s = yarr.squeeze %b, [0] : tensor<1x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %u = yarr.unsqueeze %s, [0, 2] : tensor<?xf64> -> tensor<1x?x1xf64>
// CHECK-NEXT:   %r = yarr.repeat %b, 0, %n : tensor<1x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %0 = yarr.unsqueeze %n, [] : tensor<i64> -> tensor<i64>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK:      func.func @positions(%a: tensor<?x?x3xf32>, %p: tensor<?x1xi64>, %q: tensor<1x?xi64>, %n: tensor<i64>, %c: tensor<2x3xf32>) {
// CHECK-NEXT:   %g = yarr.gather %a[%p, %q] : (tensor<?x?x3xf32>, tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?x3xf32>
// CHECK-NEXT:   %h = yarr.gather %a[%p, %q] in_bounds [0, 1] : (tensor<?x?x3xf32>, tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?x3xf32>
// CHECK-NEXT:   %t = yarr.take %a, 1, %p : (tensor<?x?x3xf32>, tensor<?x1xi64>) -> tensor<?x?x1x3xf32>
// CHECK-NEXT:   %v = yarr.take %a, 2, %n in_bounds : (tensor<?x?x3xf32>, tensor<i64>) -> tensor<?x?xf32>
// CHECK-NEXT:   %s = yarr.strided %a, 1, %n, sizes(%n, %n), steps(%n, %n) : tensor<?x?x3xf32> -> tensor<?x?x?x3xf32>
// CHECK-NEXT:   %l = yarr.flatten %a, 1 : tensor<?x?x3xf32> -> tensor<?x?xf32>
// CHECK-NEXT:   %m = yarr.flatten %c, 0 : tensor<2x3xf32> -> tensor<6xf32>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK:      func.func @parts(%a: tensor<?x3xi1>, %b: tensor<2x3xi1>, %n: tensor<i64>) {
// CHECK-NEXT:   %s = yarr.slice %a, 0, %n, %n step -2 : tensor<?x3xi1> -> tensor<?x3xi1>
// CHECK-NEXT:   %z = yarr.slice %a, 1, %n, %n step 1 clip : tensor<?x3xi1> -> tensor<?x?xi1>
// CHECK-NEXT:   %p = yarr.pad %a, 1, %n, %n : tensor<?x3xi1> -> tensor<?x?xi1>
// CHECK-NEXT:   %f = yarr.fill_empty %a, 0 : tensor<?x3xi1> -> tensor<?x3xi1>
// CHECK-NEXT:   %c = yarr.concat %a, %b, %s axis 0 : (tensor<?x3xi1>, tensor<2x3xi1>, tensor<?x3xi1>) -> tensor<?x3xi1>
// CHECK-NEXT:   %d = yarr.concat %a, %s axis 0 of %n : (tensor<?x3xi1>, tensor<?x3xi1>) -> tensor<?x3xi1>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK:      func.func @scalars(%a: tensor<?x1xf64>, %b: tensor<1x?xf64>) {
// CHECK-NEXT:   %c = yarr.elementwise { arith.addf } %a, %b : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %d = yarr.elementwise { math.sqrt } %a : (tensor<?x1xf64>) -> tensor<?x1xf64>
// CHECK-NEXT:   %e = yarr.elementwise (%x = %c, %y = %a) : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xi1> {
// CHECK-NEXT:     %0 = arith.mulf %y, %x : f64
// CHECK-NEXT:     %1 = arith.cmpf olt, %0, %x : f64
// CHECK-NEXT:     yarr.yield %1 : i1
// CHECK-NEXT:   }
// CHECK-NEXT:   %f = yarr.elementwise (%x_1 = %a, %y_1 = %b) : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %2 = arith.subf %y_1, %x_1 : f64
// CHECK-NEXT:     yarr.yield %2 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %g = yarr.elementwise () : () -> tensor<i64> {
// CHECK-NEXT:     %3 = arith.constant 7 : i64
// CHECK-NEXT:     yarr.yield %3 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK:      func.func @reductions(%a: tensor<?x3xf64>, %e: tensor<3xf64>, %i: tensor<3xi64>) {
// CHECK-NEXT:   %n = yarr.size %a, 0 : tensor<?x3xf64>
// CHECK-NEXT:   %s = yarr.reduce %a, [0, 1] by { arith.addf } : tensor<?x3xf64> -> tensor<f64>
// CHECK-NEXT:   %l = yarr.argreduce %a, 1 by "<=" : tensor<?x3xf64> -> tensor<?xi64>
// CHECK-NEXT:   %w = yarr.einsum "ij,j->i" %a, %e : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %t = yarr.tree_reduce %a identity %e : tensor<?x3xf64> identity tensor<3xf64> -> tensor<3xf64> {
// CHECK-NEXT:   ^bb0(%x: tensor<?x3xf64>, %y: tensor<?x3xf64>):
// CHECK-NEXT:     yarr.yield %y : tensor<?x3xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %u, %v = yarr.tree_reduce %e, %i identity %s, %n : tensor<3xf64>, tensor<3xi64> identity tensor<f64>, tensor<i64> -> tensor<f64>, tensor<i64> {
// CHECK-NEXT:   ^bb0(%x_1: tensor<?xf64>, %j: tensor<?xi64>, %y_1: tensor<?xf64>, %k: tensor<?xi64>):
// CHECK-NEXT:     yarr.yield %x_1, %k : tensor<?xf64>, tensor<?xi64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK:      func.func @loops(%n: tensor<i64>, %a: tensor<?xf64>) {
// CHECK-NEXT:   %s = yarr.fold (%k < %n, %acc = %a) -> tensor<?xf64> {
// CHECK-NEXT:     yarr.yield %acc : tensor<?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %t, %u = yarr.fold (%k_1 < %n, %x = %a, %y = %n) -> tensor<?xf64>, tensor<i64> {
// CHECK-NEXT:     yarr.yield %x, %k_1 : tensor<?xf64>, tensor<i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   yarr.fold (%k_2 < %n) {
// CHECK-NEXT:     yarr.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK:      func.func @records(%n: tensor<i64>, %a: tensor<?x?xf64>) -> tuple<tensor<?x?xf64>, tensor<i64>> {
// CHECK-NEXT:   %e = yarr.extern @sort(%a) batch 1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %t = yarr.tuple %e, %n : (tensor<?x?xf64>, tensor<i64>) -> tuple<tensor<?x?xf64>, tensor<i64>>
// CHECK-NEXT:   %f = yarr.proj %t, 1 : tuple<tensor<?x?xf64>, tensor<i64>> -> tensor<i64>
// CHECK-NEXT:   func.return %t : tuple<tensor<?x?xf64>, tensor<i64>>
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "sizes", function_type = (tensor<?x3xf64>, tensor<i64>) -> tensor<i64>}> ({
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?x3xf64>, %n: tensor<i64>):
// CHECK-GENERIC-NEXT:   %r = "yarr.range"(%n) : (tensor<i64>) -> tensor<?xi64>
// CHECK-GENERIC-NEXT:   %s = "yarr.size"(%a) <{axis = 0 : i64}> : (tensor<?x3xf64>) -> tensor<i64>
// CHECK-GENERIC-NEXT:   %e = "yarr.assert_eq"(%n, %s) <{message = "index i: size of a, size of b"}> : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-GENERIC-NEXT:   %m = "yarr.assert_size"(%e) <{message = "size of index i"}> : (tensor<i64>) -> tensor<i64>
// CHECK-GENERIC-NEXT:   "func.return"(%m) : (tensor<i64>) -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// CHECK-GENERIC:      "func.func"() <{sym_name = "axes", function_type = (tensor<?x3xf64>, tensor<1x?xf64>, tensor<i64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?x3xf64>, %b: tensor<1x?xf64>, %n: tensor<i64>):
// CHECK-GENERIC-NEXT:   %t = "yarr.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<?x3xf64>) -> tensor<3x?xf64>
// CHECK-GENERIC-NEXT:   %s = "yarr.squeeze"(%b) <{axes = array<i64: 0>}> : (tensor<1x?xf64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %u = "yarr.unsqueeze"(%s) <{axes = array<i64: 0, 2>}> : (tensor<?xf64>) -> tensor<1x?x1xf64>
// CHECK-GENERIC-NEXT:   %r = "yarr.repeat"(%b, %n) <{axis = 0 : i64}> : (tensor<1x?xf64>, tensor<i64>) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   %0 = "yarr.unsqueeze"(%n) <{axes = array<i64>}> : (tensor<i64>) -> tensor<i64>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// CHECK-GENERIC:      "func.func"() <{sym_name = "positions", function_type = (tensor<?x?x3xf32>, tensor<?x1xi64>, tensor<1x?xi64>, tensor<i64>, tensor<2x3xf32>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?x?x3xf32>, %p: tensor<?x1xi64>, %q: tensor<1x?xi64>, %n: tensor<i64>, %c: tensor<2x3xf32>):
// CHECK-GENERIC-NEXT:   %g = "yarr.gather"(%a, %p, %q) : (tensor<?x?x3xf32>, tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?x3xf32>
// CHECK-GENERIC-NEXT:   %h = "yarr.gather"(%a, %p, %q) <{in_bounds = array<i64: 0, 1>}> : (tensor<?x?x3xf32>, tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?x3xf32>
// CHECK-GENERIC-NEXT:   %t = "yarr.take"(%a, %p) <{axis = 1 : i64}> : (tensor<?x?x3xf32>, tensor<?x1xi64>) -> tensor<?x?x1x3xf32>
// CHECK-GENERIC-NEXT:   %v = "yarr.take"(%a, %n) <{axis = 2 : i64, in_bounds}> : (tensor<?x?x3xf32>, tensor<i64>) -> tensor<?x?xf32>
// CHECK-GENERIC-NEXT:   %s = "yarr.strided"(%a, %n, %n, %n, %n, %n) <{axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 2, 2>}> : (tensor<?x?x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?x?x?x3xf32>
// CHECK-GENERIC-NEXT:   %l = "yarr.flatten"(%a) <{axis = 1 : i64}> : (tensor<?x?x3xf32>) -> tensor<?x?xf32>
// CHECK-GENERIC-NEXT:   %m = "yarr.flatten"(%c) <{axis = 0 : i64}> : (tensor<2x3xf32>) -> tensor<6xf32>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// CHECK-GENERIC:      "func.func"() <{sym_name = "parts", function_type = (tensor<?x3xi1>, tensor<2x3xi1>, tensor<i64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?x3xi1>, %b: tensor<2x3xi1>, %n: tensor<i64>):
// CHECK-GENERIC-NEXT:   %s = "yarr.slice"(%a, %n, %n) <{axis = 0 : i64, step = -2 : i64}> : (tensor<?x3xi1>, tensor<i64>, tensor<i64>) -> tensor<?x3xi1>
// CHECK-GENERIC-NEXT:   %z = "yarr.slice"(%a, %n, %n) <{axis = 1 : i64, step = 1 : i64, clip}> : (tensor<?x3xi1>, tensor<i64>, tensor<i64>) -> tensor<?x?xi1>
// CHECK-GENERIC-NEXT:   %p = "yarr.pad"(%a, %n, %n) <{axis = 1 : i64}> : (tensor<?x3xi1>, tensor<i64>, tensor<i64>) -> tensor<?x?xi1>
// CHECK-GENERIC-NEXT:   %f = "yarr.fill_empty"(%a) <{axis = 0 : i64}> : (tensor<?x3xi1>) -> tensor<?x3xi1>
// CHECK-GENERIC-NEXT:   %c = "yarr.concat"(%a, %b, %s) <{axis = 0 : i64, operandSegmentSizes = array<i32: 3, 0>}> : (tensor<?x3xi1>, tensor<2x3xi1>, tensor<?x3xi1>) -> tensor<?x3xi1>
// CHECK-GENERIC-NEXT:   %d = "yarr.concat"(%a, %s, %n) <{axis = 0 : i64, operandSegmentSizes = array<i32: 2, 1>}> : (tensor<?x3xi1>, tensor<?x3xi1>, tensor<i64>) -> tensor<?x3xi1>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// CHECK-GENERIC:      "func.func"() <{sym_name = "scalars", function_type = (tensor<?x1xf64>, tensor<1x?xf64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?x1xf64>, %b: tensor<1x?xf64>):
// CHECK-GENERIC-NEXT:   %c = "yarr.elementwise"(%a, %b) ({
// CHECK-GENERIC-NEXT:   ^bb0(%0: f64, %1: f64):
// CHECK-GENERIC-NEXT:     %2 = "arith.addf"(%0, %1) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
// CHECK-GENERIC-NEXT:     "yarr.yield"(%2) : (f64) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   %d = "yarr.elementwise"(%a) ({
// CHECK-GENERIC-NEXT:   ^bb0(%3: f64):
// CHECK-GENERIC-NEXT:     %4 = "math.sqrt"(%3) <{fastmath = #arith.fastmath<none>}> : (f64) -> f64
// CHECK-GENERIC-NEXT:     "yarr.yield"(%4) : (f64) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<?x1xf64>) -> tensor<?x1xf64>
// CHECK-GENERIC-NEXT:   %e = "yarr.elementwise"(%c, %a) ({
// CHECK-GENERIC-NEXT:   ^bb0(%x: f64, %y: f64):
// CHECK-GENERIC-NEXT:     %5 = "arith.mulf"(%y, %x) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
// CHECK-GENERIC-NEXT:     %6 = "arith.cmpf"(%5, %x) <{predicate = 4 : i64, fastmath = #arith.fastmath<none>}> : (f64, f64) -> i1
// CHECK-GENERIC-NEXT:     "yarr.yield"(%6) : (i1) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xi1>
// CHECK-GENERIC-NEXT:   %f = "yarr.elementwise"(%a, %b) ({
// CHECK-GENERIC-NEXT:   ^bb0(%x_1: f64, %y_1: f64):
// CHECK-GENERIC-NEXT:     %7 = "arith.subf"(%y_1, %x_1) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
// CHECK-GENERIC-NEXT:     "yarr.yield"(%7) : (f64) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   %g = "yarr.elementwise"() ({
// CHECK-GENERIC-NEXT:     %8 = "arith.constant"() <{value = 7 : i64}> : () -> i64
// CHECK-GENERIC-NEXT:     "yarr.yield"(%8) : (i64) -> ()
// CHECK-GENERIC-NEXT:   }) : () -> tensor<i64>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// CHECK-GENERIC:      "func.func"() <{sym_name = "reductions", function_type = (tensor<?x3xf64>, tensor<3xf64>, tensor<3xi64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?x3xf64>, %e: tensor<3xf64>, %i: tensor<3xi64>):
// CHECK-GENERIC-NEXT:   %n = "yarr.size"(%a) <{axis = 0 : i64}> : (tensor<?x3xf64>) -> tensor<i64>
// CHECK-GENERIC-NEXT:   %s = "yarr.reduce"(%a) <{axes = array<i64: 0, 1>}> ({
// CHECK-GENERIC-NEXT:   ^bb0(%0: f64, %1: f64):
// CHECK-GENERIC-NEXT:     %2 = "arith.addf"(%0, %1) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
// CHECK-GENERIC-NEXT:     "yarr.yield"(%2) : (f64) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<?x3xf64>) -> tensor<f64>
// CHECK-GENERIC-NEXT:   %l = "yarr.argreduce"(%a) <{axis = 1 : i64, predicate = "<="}> : (tensor<?x3xf64>) -> tensor<?xi64>
// CHECK-GENERIC-NEXT:   %w = "yarr.einsum"(%a, %e) <{subscripts = "ij,j->i"}> : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %t = "yarr.tree_reduce"(%a, %e) <{operandSegmentSizes = array<i32: 1, 1>}> ({
// CHECK-GENERIC-NEXT:   ^bb0(%x: tensor<?x3xf64>, %y: tensor<?x3xf64>):
// CHECK-GENERIC-NEXT:     "yarr.yield"(%y) : (tensor<?x3xf64>) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<3xf64>
// CHECK-GENERIC-NEXT:   %u, %v = "yarr.tree_reduce"(%e, %i, %s, %n) <{operandSegmentSizes = array<i32: 2, 2>}> ({
// CHECK-GENERIC-NEXT:   ^bb0(%x_1: tensor<?xf64>, %j: tensor<?xi64>, %y_1: tensor<?xf64>, %k: tensor<?xi64>):
// CHECK-GENERIC-NEXT:     "yarr.yield"(%x_1, %k) : (tensor<?xf64>, tensor<?xi64>) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<3xf64>, tensor<3xi64>, tensor<f64>, tensor<i64>) -> (tensor<f64>, tensor<i64>)
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// CHECK-GENERIC:      "func.func"() <{sym_name = "loops", function_type = (tensor<i64>, tensor<?xf64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%n: tensor<i64>, %a: tensor<?xf64>):
// CHECK-GENERIC-NEXT:   %s = "yarr.fold"(%n, %a) ({
// CHECK-GENERIC-NEXT:   ^bb0(%k: tensor<i64>, %acc: tensor<?xf64>):
// CHECK-GENERIC-NEXT:     "yarr.yield"(%acc) : (tensor<?xf64>) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<i64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %t, %u = "yarr.fold"(%n, %a, %n) ({
// CHECK-GENERIC-NEXT:   ^bb0(%k_1: tensor<i64>, %x: tensor<?xf64>, %y: tensor<i64>):
// CHECK-GENERIC-NEXT:     "yarr.yield"(%x, %k_1) : (tensor<?xf64>, tensor<i64>) -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<i64>, tensor<?xf64>, tensor<i64>) -> (tensor<?xf64>, tensor<i64>)
// CHECK-GENERIC-NEXT:   "yarr.fold"(%n) ({
// CHECK-GENERIC-NEXT:   ^bb0(%k_2: tensor<i64>):
// CHECK-GENERIC-NEXT:     "yarr.yield"() : () -> ()
// CHECK-GENERIC-NEXT:   }) : (tensor<i64>) -> ()
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// CHECK-GENERIC:      "func.func"() <{sym_name = "records", function_type = (tensor<i64>, tensor<?x?xf64>) -> tuple<tensor<?x?xf64>, tensor<i64>>}> ({
// CHECK-GENERIC-NEXT: ^bb0(%n: tensor<i64>, %a: tensor<?x?xf64>):
// CHECK-GENERIC-NEXT:   %e = "yarr.extern"(%a) <{callee = @sort, batch = 1 : i64}> : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:   %t = "yarr.tuple"(%e, %n) : (tensor<?x?xf64>, tensor<i64>) -> tuple<tensor<?x?xf64>, tensor<i64>>
// CHECK-GENERIC-NEXT:   %f = "yarr.proj"(%t) <{field = 1 : i64}> : (tuple<tensor<?x?xf64>, tensor<i64>>) -> tensor<i64>
// CHECK-GENERIC-NEXT:   "func.return"(%t) : (tuple<tensor<?x?xf64>, tensor<i64>>) -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

func.func @slices(%a: tensor<?x3xf64>, %p: tensor<i64>, %v: tensor<1x3xf64>) {
  %u = yarr.update_slice %a[%p, %p by %p] along 0, %v : (tensor<?x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<1x3xf64>) -> tensor<?x3xf64>
  func.return
}
// CHECK-LABEL: func.func @slices(
// CHECK-NEXT:    %u = yarr.update_slice %a[%p, %p by %p] along 0, %v : (tensor<?x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<1x3xf64>) -> tensor<?x3xf64>
// CHECK-GENERIC-LABEL: sym_name = "slices"
// CHECK-GENERIC:         %u = "yarr.update_slice"(%a, %p, %p, %p, %v) <{axis = 0 : i64}> : (tensor<?x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<1x3xf64>) -> tensor<?x3xf64>

func.func @scatters(%a: tensor<?x?xf64>, %k: tensor<?xi64>, %x: tensor<?x1xf64>, %y: tensor<?xf64>) {
  %r = yarr.scatter %a[%k], %x : (tensor<?x?xf64>, tensor<?xi64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %s = yarr.scatter %a[%k, %k], %y : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return
}
// CHECK-LABEL: func.func @scatters(
// CHECK-NEXT:    %r = yarr.scatter %a[%k], %x : (tensor<?x?xf64>, tensor<?xi64>, tensor<?x1xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:    %s = yarr.scatter %a[%k, %k], %y : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?x?xf64>
// CHECK-GENERIC-LABEL: sym_name = "scatters"
// CHECK-GENERIC:         %r = "yarr.scatter"(%a, %k, %x) : (tensor<?x?xf64>, tensor<?xi64>, tensor<?x1xf64>) -> tensor<?x?xf64>
// CHECK-GENERIC-NEXT:    %s = "yarr.scatter"(%a, %k, %k, %y) : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?x?xf64>

func.func @updates(%a: tensor<?x?x3xf64>, %p: tensor<i64>, %v: tensor<?x1xf64>, %x: tensor<3xf64>, %c: tensor<i1>) {
  %u = yarr.update %a[%p] along [1], %v : (tensor<?x?x3xf64>, tensor<i64>, tensor<?x1xf64>) -> tensor<?x?x3xf64>
  %w = yarr.update %u[%p, %p] along [0, 1], %x : (tensor<?x?x3xf64>, tensor<i64>, tensor<i64>, tensor<3xf64>) -> tensor<?x?x3xf64>
  %y = yarr.update %w[%p] along [1], %v if %c in_bounds : (tensor<?x?x3xf64>, tensor<i64>, tensor<?x1xf64>, tensor<i1>) -> tensor<?x?x3xf64>
  func.return
}
// CHECK-LABEL: func.func @updates(
// CHECK-NEXT:    %u = yarr.update %a[%p] along [1], %v : (tensor<?x?x3xf64>, tensor<i64>, tensor<?x1xf64>) -> tensor<?x?x3xf64>
// CHECK-NEXT:    %w = yarr.update %u[%p, %p] along [0, 1], %x : (tensor<?x?x3xf64>, tensor<i64>, tensor<i64>, tensor<3xf64>) -> tensor<?x?x3xf64>
// CHECK-NEXT:    %y = yarr.update %w[%p] along [1], %v if %c in_bounds : (tensor<?x?x3xf64>, tensor<i64>, tensor<?x1xf64>, tensor<i1>) -> tensor<?x?x3xf64>
// CHECK-GENERIC-LABEL: sym_name = "updates"
// CHECK-GENERIC:         %u = "yarr.update"(%a, %p, %v) <{axes = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<?x?x3xf64>, tensor<i64>, tensor<?x1xf64>) -> tensor<?x?x3xf64>

func.func @segments(%x: tensor<?x3xf64>, %y: tensor<?xi1>, %k: tensor<?xi64>, %l: tensor<1xi64>, %n: tensor<i64>) {
  %s = yarr.accumulate "add" %x by %k into %n : tensor<?x3xf64> by tensor<?xi64> -> tensor<?x3xf64>
  %t = yarr.accumulate "or" %y by %k, %l into %n, %n : tensor<?xi1> by tensor<?xi64>, tensor<1xi64> -> tensor<?x?xi1>
  func.return
}

// CHECK:      func.func @segments(%x: tensor<?x3xf64>, %y: tensor<?xi1>, %k: tensor<?xi64>, %l: tensor<1xi64>, %n: tensor<i64>) {
// CHECK-NEXT:   %s = yarr.accumulate "add" %x by %k into %n : tensor<?x3xf64> by tensor<?xi64> -> tensor<?x3xf64>
// CHECK-NEXT:   %t = yarr.accumulate "or" %y by %k, %l into %n, %n : tensor<?xi1> by tensor<?xi64>, tensor<1xi64> -> tensor<?x?xi1>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "segments", function_type = (tensor<?x3xf64>, tensor<?xi1>, tensor<?xi64>, tensor<1xi64>, tensor<i64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%x: tensor<?x3xf64>, %y: tensor<?xi1>, %k: tensor<?xi64>, %l: tensor<1xi64>, %n: tensor<i64>):
// CHECK-GENERIC-NEXT:   %s = "yarr.accumulate"(%x, %k, %n) <{kind = "add", operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<?x3xf64>, tensor<?xi64>, tensor<i64>) -> tensor<?x3xf64>
// CHECK-GENERIC-NEXT:   %t = "yarr.accumulate"(%y, %k, %l, %n, %n) <{kind = "or", operandSegmentSizes = array<i32: 1, 2, 2>}> : (tensor<?xi1>, tensor<?xi64>, tensor<1xi64>, tensor<i64>, tensor<i64>) -> tensor<?x?xi1>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

func.func @correlate(%a: tensor<?x3x?x?xf32>, %w: tensor<5x?x3x3xf32>, %n: tensor<i64>) {
  %r = yarr.correlate %a, %w into %n, %n : tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32> -> tensor<?x5x?x?xf32>
  %s = yarr.correlate %a, %w into %n, %n by [2, 1] : tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32> -> tensor<?x5x?x?xf32>
  %t = yarr.correlate %a, %w into %n, %n dilated [1, 4] groups %n : tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32> -> tensor<?x5x?x?xf32>
  func.return
}

// CHECK:      func.func @correlate(%a: tensor<?x3x?x?xf32>, %w: tensor<5x?x3x3xf32>, %n: tensor<i64>) {
// CHECK-NEXT:   %r = yarr.correlate %a, %w into %n, %n : tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32> -> tensor<?x5x?x?xf32>
// CHECK-NEXT:   %s = yarr.correlate %a, %w into %n, %n by [2, 1] : tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32> -> tensor<?x5x?x?xf32>
// CHECK-NEXT:   %t = yarr.correlate %a, %w into %n, %n dilated [1, 4] groups %n : tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32> -> tensor<?x5x?x?xf32>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "correlate", function_type = (tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32>, tensor<i64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%a: tensor<?x3x?x?xf32>, %w: tensor<5x?x3x3xf32>, %n: tensor<i64>):
// CHECK-GENERIC-NEXT:   %r = "yarr.correlate"(%a, %w, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32>, tensor<i64>, tensor<i64>) -> tensor<?x5x?x?xf32>
// CHECK-GENERIC-NEXT:   %s = "yarr.correlate"(%a, %w, %n, %n) <{strides = array<i64: 2, 1>, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32>, tensor<i64>, tensor<i64>) -> tensor<?x5x?x?xf32>
// CHECK-GENERIC-NEXT:   %t = "yarr.correlate"(%a, %w, %n, %n, %n) <{dilations = array<i64: 1, 4>, operandSegmentSizes = array<i32: 1, 1, 2, 1>}> : (tensor<?x3x?x?xf32>, tensor<5x?x3x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?x5x?x?xf32>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

func.func @scans(%x: tensor<?x3xf64>) {
  %s = yarr.scan "add" %x, 0 : tensor<?x3xf64> -> tensor<?x3xf64>
  %t = yarr.scan "min" %x, 1 suffixes : tensor<?x3xf64> -> tensor<?x4xf64>
  %u = yarr.scan "mul" %x, 1 inclusive : tensor<?x3xf64> -> tensor<?x3xf64>
  %v = yarr.scan "max" %x, 0 suffixes inclusive : tensor<?x3xf64> -> tensor<?x3xf64>
  func.return
}

// CHECK:      func.func @scans(%x: tensor<?x3xf64>) {
// CHECK-NEXT:   %s = yarr.scan "add" %x, 0 : tensor<?x3xf64> -> tensor<?x3xf64>
// CHECK-NEXT:   %t = yarr.scan "min" %x, 1 suffixes : tensor<?x3xf64> -> tensor<?x4xf64>
// CHECK-NEXT:   %u = yarr.scan "mul" %x, 1 inclusive : tensor<?x3xf64> -> tensor<?x3xf64>
// CHECK-NEXT:   %v = yarr.scan "max" %x, 0 suffixes inclusive : tensor<?x3xf64> -> tensor<?x3xf64>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "scans", function_type = (tensor<?x3xf64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%x: tensor<?x3xf64>):
// CHECK-GENERIC-NEXT:   %s = "yarr.scan"(%x) <{kind = "add", axis = 0 : i64}> : (tensor<?x3xf64>) -> tensor<?x3xf64>
// CHECK-GENERIC-NEXT:   %t = "yarr.scan"(%x) <{kind = "min", axis = 1 : i64, suffixes}> : (tensor<?x3xf64>) -> tensor<?x4xf64>
// CHECK-GENERIC-NEXT:   %u = "yarr.scan"(%x) <{kind = "mul", axis = 1 : i64, inclusive}> : (tensor<?x3xf64>) -> tensor<?x3xf64>
// CHECK-GENERIC-NEXT:   %v = "yarr.scan"(%x) <{kind = "max", axis = 0 : i64, suffixes, inclusive}> : (tensor<?x3xf64>) -> tensor<?x3xf64>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

func.func @weighted_scans(%x: tensor<?x3xf64>, %c: tensor<1x1xf64>, %t: tensor<?x3xi1>) {
  %s = yarr.weighted_scan "min" %x by %c, 1 : tensor<?x3xf64> by tensor<1x1xf64>
  %r = yarr.weighted_scan "add" %x by %t, 0 {note = "kept"} : tensor<?x3xf64> by tensor<?x3xi1>
  func.return
}

// CHECK:      func.func @weighted_scans(%x: tensor<?x3xf64>, %c: tensor<1x1xf64>, %t: tensor<?x3xi1>) {
// CHECK-NEXT:   %s = yarr.weighted_scan "min" %x by %c, 1 : tensor<?x3xf64> by tensor<1x1xf64>
// CHECK-NEXT:   %r = yarr.weighted_scan "add" %x by %t, 0 {note = "kept"} : tensor<?x3xf64> by tensor<?x3xi1>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "weighted_scans", function_type = (tensor<?x3xf64>, tensor<1x1xf64>, tensor<?x3xi1>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%x: tensor<?x3xf64>, %c: tensor<1x1xf64>, %t: tensor<?x3xi1>):
// CHECK-GENERIC-NEXT:   %s = "yarr.weighted_scan"(%x, %c) <{kind = "min", axis = 1 : i64}> : (tensor<?x3xf64>, tensor<1x1xf64>) -> tensor<?x3xf64>
// CHECK-GENERIC-NEXT:   %r = "yarr.weighted_scan"(%x, %t) <{kind = "add", axis = 0 : i64}> {note = "kept"} : (tensor<?x3xf64>, tensor<?x3xi1>) -> tensor<?x3xf64>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

func.func @others(%x: tensor<?x3xf64>, %y: tensor<1x3xf64>, %z: tensor<?x?x?xf32>) {
  %r = yarr.propagate_nan %x from %y, 1 : tensor<?x3xf64> from tensor<1x3xf64>
  %s = yarr.propagate_nan %r from %z, 0 {note = "kept"} : tensor<?x3xf64> from tensor<?x?x?xf32>
  func.return
}

// CHECK:      func.func @others(%x: tensor<?x3xf64>, %y: tensor<1x3xf64>, %z: tensor<?x?x?xf32>) {
// CHECK-NEXT:   %r = yarr.propagate_nan %x from %y, 1 : tensor<?x3xf64> from tensor<1x3xf64>
// CHECK-NEXT:   %s = yarr.propagate_nan %r from %z, 0 {note = "kept"} : tensor<?x3xf64> from tensor<?x?x?xf32>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "others", function_type = (tensor<?x3xf64>, tensor<1x3xf64>, tensor<?x?x?xf32>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%x: tensor<?x3xf64>, %y: tensor<1x3xf64>, %z: tensor<?x?x?xf32>):
// CHECK-GENERIC-NEXT:   %r = "yarr.propagate_nan"(%x, %y) <{axis = 1 : i64}> : (tensor<?x3xf64>, tensor<1x3xf64>) -> tensor<?x3xf64>
// CHECK-GENERIC-NEXT:   %s = "yarr.propagate_nan"(%r, %z) <{axis = 0 : i64}> {note = "kept"} : (tensor<?x3xf64>, tensor<?x?x?xf32>) -> tensor<?x3xf64>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

func.func @tiles(%n: tensor<i64>, %m: tensor<i64>, %a: tensor<4x?xf64>, %b: tensor<?xf64>) -> tensor<4x?xf64> {
  %c, %d = yarr.tile sizes(%m) (%start, %length of %n, %x = %a along 0, %y = %b along 0) : (tensor<4x?xf64>, tensor<?xf64>) -> (tensor<4x?xf64> along 0, tensor<?xf64> along 0) {
    yarr.yield %x, %y : tensor<?x?xf64>, tensor<?xf64>
  }
  %i = yarr.tile (%start, %length of %n) : () -> (tensor<?xi64> along 0) {
    %r = yarr.range %length : tensor<?xi64>
    yarr.yield %r : tensor<?xi64>
  }
  func.return %c : tensor<4x?xf64>
}
// CHECK-LABEL: func.func @tiles(
// CHECK-NEXT:    %c, %d = yarr.tile sizes(%m) (%start, %length of %n, %x = %a along 0, %y = %b along 0) : (tensor<4x?xf64>, tensor<?xf64>) -> (tensor<4x?xf64> along 0, tensor<?xf64> along 0) {
// CHECK-NEXT:      yarr.yield %x, %y : tensor<?x?xf64>, tensor<?xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %i = yarr.tile (%start_1, %length_1 of %n) : () -> (tensor<?xi64> along 0) {
// CHECK-GENERIC-LABEL: sym_name = "tiles"
// CHECK-GENERIC:         %c, %d = "yarr.tile"(%n, %a, %b, %m) <{array_axes = array<i64: 0, 0>, result_axes = array<i64: 0, 0>, operandSegmentSizes = array<i32: 1, 2, 1>}> ({
// CHECK-GENERIC-NEXT:    ^bb0(%start: tensor<i64>, %length: tensor<i64>, %x: tensor<?x?xf64>, %y: tensor<?xf64>):

func.func @top_k(%x: tensor<?x3xf64>, %n: tensor<i64>) {
  %r = yarr.top_k %x, 1, %n by "<" : tensor<?x3xf64> -> tensor<?x?xi64>
  %s = yarr.top_k %r, 0, %n by ">" {note = "kept"} : tensor<?x?xi64> -> tensor<?x?xi64>
  func.return
}

// CHECK-LABEL: func.func @top_k
// CHECK-NEXT:   %r = yarr.top_k %x, 1, %n by "<" : tensor<?x3xf64> -> tensor<?x?xi64>
// CHECK-NEXT:   %s = yarr.top_k %r, 0, %n by ">" {note = "kept"} : tensor<?x?xi64> -> tensor<?x?xi64>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC-LABEL: sym_name = "top_k"
// CHECK-GENERIC:        %r = "yarr.top_k"(%x, %n) <{axis = 1 : i64, predicate = "<"}> : (tensor<?x3xf64>, tensor<i64>) -> tensor<?x?xi64>
// CHECK-GENERIC-NEXT:   %s = "yarr.top_k"(%r, %n) <{axis = 0 : i64, predicate = ">"}> {note = "kept"} : (tensor<?x?xi64>, tensor<i64>) -> tensor<?x?xi64>

func.func @orders(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %x: tensor<?xf64>, %m: tensor<?x?xi1>) {
  %r = yarr.in_order "ik,k,k->i" %x of %a, %b, %b if finite %x and normal %b : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64> if finite tensor<?xf64> and normal tensor<?xf64>
  %s = yarr.in_order "i,(ik,k->i)->i" %x of %b, %a, %b if finite %x : tensor<?xf64> of tensor<?xf64>, tensor<?x?xf64>, tensor<?xf64> if finite tensor<?xf64>
  %t = yarr.in_order "ik,k,ik->i" %x of %a, %b, %m if finite %x : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?x?xi1> if finite tensor<?xf64>
  %u = yarr.in_order "ik,k,/i->i" %x of %a, %b, %x if finite %x : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64> if finite tensor<?xf64>
  func.return
}

// CHECK:      func.func @orders(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %x: tensor<?xf64>, %m: tensor<?x?xi1>) {
// CHECK-NEXT:   %r = yarr.in_order "ik,k,k->i" %x of %a, %b, %b if finite %x and normal %b : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64> if finite tensor<?xf64> and normal tensor<?xf64>
// CHECK-NEXT:   %s = yarr.in_order "i,(ik,k->i)->i" %x of %b, %a, %b if finite %x : tensor<?xf64> of tensor<?xf64>, tensor<?x?xf64>, tensor<?xf64> if finite tensor<?xf64>
// CHECK-NEXT:   %t = yarr.in_order "ik,k,ik->i" %x of %a, %b, %m if finite %x : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?x?xi1> if finite tensor<?xf64>
// CHECK-NEXT:   %u = yarr.in_order "ik,k,/i->i" %x of %a, %b, %x if finite %x : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64> if finite tensor<?xf64>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "orders", {{.*}}
// CHECK-GENERIC-NEXT: ^{{.*}}(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %x: tensor<?xf64>, %m: tensor<?x?xi1>):
// CHECK-GENERIC-NEXT:   %r = "yarr.in_order"(%x, %a, %b, %b, %x, %b) <{subscripts = "ik,k,k->i", operandSegmentSizes = array<i32: 1, 3, 1, 1>}> : (tensor<?xf64>, tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %s = "yarr.in_order"(%x, %b, %a, %b, %x) <{subscripts = "i,(ik,k->i)->i", operandSegmentSizes = array<i32: 1, 3, 1, 0>}> : (tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %t = "yarr.in_order"(%x, %a, %b, %m, %x) <{subscripts = "ik,k,ik->i", operandSegmentSizes = array<i32: 1, 3, 1, 0>}> : (tensor<?xf64>, tensor<?x?xf64>, tensor<?xf64>, tensor<?x?xi1>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-GENERIC-NEXT:   %u = "yarr.in_order"(%x, %a, %b, %x, %x) <{subscripts = "ik,k,/i->i", operandSegmentSizes = array<i32: 1, 3, 1, 0>}> : (tensor<?xf64>, tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>

// A loop that ends by a condition, which is a field of its accumulator.

func.func @rooted(%x: tensor<f64>, %one: tensor<f64>, %more: tensor<i1>, %limit: tensor<i64>) -> tensor<f64> {
  %on, %r = yarr.while (%k < %limit, %m = %more, %y = %x) -> tensor<i1>, tensor<f64> {
    %0 = yarr.elementwise { math.sqrt } %y : (tensor<f64>) -> tensor<f64>
    %1 = yarr.elementwise (%p = %0, %q = %one) : (tensor<f64>, tensor<f64>) -> tensor<i1> {
      %2 = arith.cmpf ogt, %p, %q : f64
      yarr.yield %2 : i1
    }
    yarr.yield %1, %0 : tensor<i1>, tensor<f64>
  }
  func.return %r : tensor<f64>
}

// CHECK:      func.func @rooted(%x: tensor<f64>, %one: tensor<f64>, %more: tensor<i1>, %limit: tensor<i64>) -> tensor<f64> {
// CHECK-NEXT:   %on, %r = yarr.while (%k < %limit, %m = %more, %y = %x) -> tensor<i1>, tensor<f64> {
// CHECK-NEXT:     %0 = yarr.elementwise { math.sqrt } %y : (tensor<f64>) -> tensor<f64>
// CHECK-NEXT:     %1 = yarr.elementwise (%p = %0, %q = %one) : (tensor<f64>, tensor<f64>) -> tensor<i1> {
// CHECK-NEXT:       %2 = arith.cmpf ogt, %p, %q : f64
// CHECK-NEXT:       yarr.yield %2 : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     yarr.yield %1, %0 : tensor<i1>, tensor<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : tensor<f64>
// CHECK-NEXT: }

// CHECK-GENERIC:      %on, %r = "yarr.while"(%limit, %more, %x) ({
// CHECK-GENERIC-NEXT: ^bb0(%k: tensor<i64>, %m: tensor<i1>, %y: tensor<f64>):
// CHECK-GENERIC-NEXT: %0 = "yarr.elementwise"(%y) ({

// The positions of the elements in increasing order.

func.func @argsort(%a: tensor<?x3xf64>) -> tensor<?x3xi64> {
  %p = yarr.argsort %a, 1 : tensor<?x3xf64> -> tensor<?x3xi64>
  func.return %p : tensor<?x3xi64>
}

// CHECK:      func.func @argsort(%a: tensor<?x3xf64>) -> tensor<?x3xi64> {
// CHECK-NEXT:   %p = yarr.argsort %a, 1 : tensor<?x3xf64> -> tensor<?x3xi64>
// CHECK-NEXT:   func.return %p : tensor<?x3xi64>
// CHECK-NEXT: }

// CHECK-GENERIC:      %p = "yarr.argsort"(%a) <{axis = 1 : i64}> : (tensor<?x3xf64>) -> tensor<?x3xi64>

// The places of values in vectors in order.

func.func @searchsorted(%a: tensor<?x4xf64>, %x: tensor<?x3xf64>) -> tensor<?x3xi64> {
  %p = yarr.searchsorted %a, %x : tensor<?x4xf64>, tensor<?x3xf64> -> tensor<?x3xi64>
  %q = yarr.searchsorted %a, %x right : tensor<?x4xf64>, tensor<?x3xf64> -> tensor<?x3xi64>
  func.return %q : tensor<?x3xi64>
}

// CHECK:      func.func @searchsorted(%a: tensor<?x4xf64>, %x: tensor<?x3xf64>) -> tensor<?x3xi64> {
// CHECK-NEXT:   %p = yarr.searchsorted %a, %x : tensor<?x4xf64>, tensor<?x3xf64> -> tensor<?x3xi64>
// CHECK-NEXT:   %q = yarr.searchsorted %a, %x right : tensor<?x4xf64>, tensor<?x3xf64> -> tensor<?x3xi64>
// CHECK-NEXT:   func.return %q : tensor<?x3xi64>
// CHECK-NEXT: }

// CHECK-GENERIC:      %p = "yarr.searchsorted"(%a, %x) : (tensor<?x4xf64>, tensor<?x3xf64>) -> tensor<?x3xi64>

// The elements in increasing order.

func.func @sort(%a: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %s = yarr.sort %a, 1 : tensor<?x3xf64> -> tensor<?x3xf64>
  func.return %s : tensor<?x3xf64>
}

// CHECK:      func.func @sort(%a: tensor<?x3xf64>) -> tensor<?x3xf64> {
// CHECK-NEXT:   %s = yarr.sort %a, 1 : tensor<?x3xf64> -> tensor<?x3xf64>
// CHECK-NEXT:   func.return %s : tensor<?x3xf64>
// CHECK-NEXT: }

// CHECK-GENERIC:      %s = "yarr.sort"(%a) <{axis = 1 : i64}> : (tensor<?x3xf64>) -> tensor<?x3xf64>
