// RUN: ein-opt %s --split-input-file -p narrow-integers,canonicalize | filecheck %s

// Choices of constants, their sums, and comparisons of these; elements may be moved in between.
func.func @counts(%a: tensor<?xi1>, %n: tensor<i64>) -> tensor<?xi1> {
  %one = arith.constant dense<1> : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %1 = yarr.unsqueeze %one, [0] : tensor<i64> -> tensor<1xi64>
  %0 = yarr.unsqueeze %zero, [0] : tensor<i64> -> tensor<1xi64>
  %x = yarr.elementwise { arith.select } %a, %1, %0 : (tensor<?xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %y = yarr.slice %x, 0, %one, %n step 1 clip : tensor<?xi64> -> tensor<?xi64>
  %s = yarr.elementwise { arith.addi } %x, %y : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %c = yarr.elementwise (%p = %s, %q = %1) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
    %r = arith.cmpi sgt, %p, %q : i64
    yarr.yield %r : i1
  }
  func.return %c : tensor<?xi1>
}

// CHECK:      func.func @counts(%a: tensor<?xi1>, %n: tensor<i64>) -> tensor<?xi1> {
// CHECK-NEXT:   %one = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:   %0 = arith.constant dense<1> : tensor<i8>
// CHECK-NEXT:   %1 = yarr.unsqueeze %0, [0] : tensor<i8> -> tensor<1xi8>
// CHECK-NEXT:   %2 = arith.constant dense<0> : tensor<i8>
// CHECK-NEXT:   %3 = yarr.unsqueeze %2, [0] : tensor<i8> -> tensor<1xi8>
// CHECK-NEXT:   %x = yarr.elementwise { arith.select } %a, %1, %3 : (tensor<?xi1>, tensor<1xi8>, tensor<1xi8>) -> tensor<?xi8>
// CHECK-NEXT:   %y = yarr.slice %x, 0, %one, %n step 1 clip : tensor<?xi8> -> tensor<?xi8>
// CHECK-NEXT:   %s = yarr.elementwise { arith.addi } %x, %y : (tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>
// CHECK-NEXT:   %c = yarr.elementwise (%4 = %s, %5 = %1) : (tensor<?xi8>, tensor<1xi8>) -> tensor<?xi1> {
// CHECK-NEXT:     %6 = arith.cmpi sgt, %4, %5 : i8
// CHECK-NEXT:     yarr.yield %6 : i1
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %c : tensor<?xi1>
// CHECK-NEXT: }

// -----

// A value that is used directly is widened once.
func.func @widened(%a: tensor<?xi1>, %b: tensor<?xi1>) -> (tensor<?xi32>, tensor<?xf64>) {
  %x = yarr.elementwise { arith.extui } %a : (tensor<?xi1>) -> tensor<?xi32>
  %y = yarr.elementwise { arith.extsi } %b : (tensor<?xi1>) -> tensor<?xi32>
  %p = yarr.elementwise { arith.muli } %x, %y : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %f = yarr.elementwise { arith.sitofp } %p : (tensor<?xi32>) -> tensor<?xf64>
  func.return %p, %f : tensor<?xi32>, tensor<?xf64>
}

// CHECK:      func.func @widened(%a: tensor<?xi1>, %b: tensor<?xi1>) -> (tensor<?xi32>, tensor<?xf64>) {
// CHECK-NEXT:   %x = yarr.elementwise { arith.extui } %a : (tensor<?xi1>) -> tensor<?xi8>
// CHECK-NEXT:   %y = yarr.elementwise { arith.extsi } %b : (tensor<?xi1>) -> tensor<?xi8>
// CHECK-NEXT:   %p = yarr.elementwise { arith.muli } %x, %y : (tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>
// CHECK-NEXT:   %0 = yarr.elementwise { arith.extsi } %p : (tensor<?xi8>) -> tensor<?xi32>
// CHECK-NEXT:   %f = yarr.elementwise { arith.sitofp } %p : (tensor<?xi8>) -> tensor<?xf64>
// CHECK-NEXT:   func.return %0, %f : tensor<?xi32>, tensor<?xf64>
// CHECK-NEXT: }

// -----

// Not if a number may be too large, is compared as unsigned, or is the only operation.
func.func @wide(%a: tensor<?xi1>, %b: tensor<?xi1>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xi64>) {
  %most = arith.constant dense<127> : tensor<i64>
  %1 = yarr.unsqueeze %most, [0] : tensor<i64> -> tensor<1xi64>
  %x = yarr.elementwise { arith.extui } %a : (tensor<?xi1>) -> tensor<?xi64>
  %s = yarr.elementwise { arith.addi } %x, %1 : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %c = yarr.elementwise (%p = %s, %q = %1) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
    %r = arith.cmpi sgt, %p, %q : i64
    yarr.yield %r : i1
  }
  %y = yarr.elementwise { arith.extsi } %b : (tensor<?xi1>) -> tensor<?xi64>
  %d = yarr.elementwise (%p = %y, %q = %1) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
    %r = arith.cmpi ugt, %p, %q : i64
    yarr.yield %r : i1
  }
  %z = yarr.elementwise { arith.extui } %b : (tensor<?xi1>) -> tensor<?xi64>
  func.return %c, %d, %z : tensor<?xi1>, tensor<?xi1>, tensor<?xi64>
}

// CHECK:      func.func @wide(%a: tensor<?xi1>, %b: tensor<?xi1>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xi64>) {
// CHECK-NEXT:   %most = arith.constant dense<127> : tensor<i64>
// CHECK-NEXT:   %0 = yarr.unsqueeze %most, [0] : tensor<i64> -> tensor<1xi64>
// CHECK-NEXT:   %x = yarr.elementwise { arith.extui } %a : (tensor<?xi1>) -> tensor<?xi64>
// CHECK-NEXT:   %s = yarr.elementwise { arith.addi } %x, %0 : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
// CHECK-NEXT:   %c = yarr.elementwise (%p = %s, %q = %0) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
// CHECK-NEXT:     %r = arith.cmpi sgt, %p, %q : i64
// CHECK-NEXT:     yarr.yield %r : i1
// CHECK-NEXT:   }
// CHECK-NEXT:   %y = yarr.elementwise { arith.extsi } %b : (tensor<?xi1>) -> tensor<?xi64>
// CHECK-NEXT:   %d = yarr.elementwise (%p_1 = %y, %q_1 = %0) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
// CHECK-NEXT:     %r_1 = arith.cmpi ugt, %p_1, %q_1 : i64
// CHECK-NEXT:     yarr.yield %r_1 : i1
// CHECK-NEXT:   }
// CHECK-NEXT:   %z = yarr.elementwise { arith.extui } %b : (tensor<?xi1>) -> tensor<?xi64>
// CHECK-NEXT:   func.return %c, %d, %z : tensor<?xi1>, tensor<?xi1>, tensor<?xi64>
// CHECK-NEXT: }

// -----

// A constant that others read, too, stays a constant for them.
func.func @counted(%a: tensor<?xi1>, %b: tensor<?xi1>, %n: tensor<i64>) -> tensor<?xi64> {
  %one = arith.constant dense<1> : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %1 = yarr.unsqueeze %one, [0] : tensor<i64> -> tensor<1xi64>
  %0 = yarr.unsqueeze %zero, [0] : tensor<i64> -> tensor<1xi64>
  %x = yarr.elementwise { arith.select } %a, %1, %0 : (tensor<?xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %y = yarr.elementwise { arith.select } %b, %1, %0 : (tensor<?xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %s = yarr.elementwise { arith.addi } %x, %y : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %t = yarr.elementwise { arith.addi } %s, %y : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %c = yarr.accumulate "add" %1 by %t into %n : tensor<1xi64> by tensor<?xi64> -> tensor<?xi64>
  func.return %c : tensor<?xi64>
}

// CHECK-LABEL:  func.func @counted(
// CHECK:          %[[ONE:.*]] = yarr.unsqueeze %one, [0] : tensor<i64> -> tensor<1xi64>
// CHECK:          %t = yarr.elementwise { arith.addi } %s, %y : (tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>
// CHECK:          %c = yarr.accumulate "add" %[[ONE]] by
