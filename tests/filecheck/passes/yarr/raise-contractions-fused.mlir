// RUN: ein-opt %s --split-input-file -p raise-contractions{fused=true},dce | filecheck %s

// Where products are fused with their sum, a contraction has fewer axes in one of its arrays.
func.func @product(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %x = yarr.unsqueeze %a, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %t = yarr.transpose %b, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %y = yarr.unsqueeze %t, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %c = yarr.reduce %p, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %c : tensor<?x?xf64>
}

// CHECK-LABEL:  func.func @product
// CHECK-NEXT:     %c = yarr.einsum "ik,kj->ij" %a, %b

// -----

func.func @rows(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?xf64> {
  %p = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %c = yarr.reduce %p, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %c : tensor<?xf64>
}

// CHECK-LABEL:  func.func @rows
// CHECK-NEXT:     %p = yarr.elementwise { arith.mulf } %a, %b
// CHECK-NEXT:     %c = yarr.reduce %p, [1] by { arith.addf }

// -----

// The factor of a row could leave the sum: a pass over all elements is left.
func.func @scaled_rows(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %u: tensor<?xf64>) -> tensor<?xf64> {
  %x = yarr.unsqueeze %u, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %p = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { arith.mulf } %p, %x : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %c = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %c : tensor<?xf64>
}

// CHECK-LABEL:  func.func @scaled_rows
// CHECK-NOT:      yarr.einsum
// CHECK:          yarr.reduce

// -----

// A product of matrices is faster than a pass over as many axes.
func.func @bilinear(%x: tensor<?x?xf64>, %m: tensor<?x?xf64>) -> tensor<?xf64> {
  %a = yarr.unsqueeze %x, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
  %b = yarr.unsqueeze %m, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %c = yarr.unsqueeze %x, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %p = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?x1xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %q = yarr.elementwise { arith.mulf } %p, %c : (tensor<?x?x?xf64>, tensor<?x1x?xf64>) -> tensor<?x?x?xf64>
  %r = yarr.reduce %q, [1, 2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL:  func.func @bilinear
// CHECK:          yarr.einsum
// CHECK:          yarr.in_order

// -----

// A product of a matrix and a vector, which is that of two: tests read vectors.
func.func @weighted_rows(%u: tensor<?xf64>, %v: tensor<?xf64>, %m: tensor<?x?xf64>) -> tensor<?xf64> {
  %x = yarr.unsqueeze %u, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %y = yarr.unsqueeze %v, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %p = yarr.elementwise { arith.mulf } %y, %m : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { arith.mulf } %x, %p : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = yarr.reduce %q, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL:  func.func @weighted_rows
// CHECK:          [[BOTH:%.+]] = yarr.elementwise { arith.mulf }
// CHECK-NEXT:     yarr.einsum "{{.+}}" [[BOTH]], %m
// CHECK-NEXT:     yarr.in_order

// -----

// The mask of a matrix is the same in all steps of a loop: the matrix is cleared before it.
func.func @masked_in_steps(%a: tensor<?x?xf64>, %m: tensor<?x?xi1>, %v: tensor<?xf64>) -> tensor<?xf64> {
  %n = arith.constant dense<9> : tensor<i64>
  %zero = arith.constant dense<0.0> : tensor<1x1xf64>
  %r = yarr.fold (%k < %n, %x = %v) -> tensor<?xf64> {
    %y = yarr.unsqueeze %x, [0] : tensor<?xf64> -> tensor<1x?xf64>
    %p = yarr.elementwise { arith.mulf } %a, %y : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %q = yarr.elementwise { arith.select } %m, %p, %zero : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
    %c = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
    yarr.yield %c : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL:  func.func @masked_in_steps
// CHECK:          yarr.elementwise { arith.select } %m, %a
// CHECK:          yarr.einsum "ij,j->i"

// -----

// The loop carries this one: one pass over all elements is left.
func.func @other_masks(%a: tensor<?x?xf64>, %m: tensor<?x?xi1>, %v: tensor<?xf64>) -> tensor<?xf64> {
  %n = arith.constant dense<9> : tensor<i64>
  %zero = arith.constant dense<0.0> : tensor<1x1xf64>
  %r, %s = yarr.fold (%k < %n, %x = %v, %o = %m) -> tensor<?xf64>, tensor<?x?xi1> {
    %y = yarr.unsqueeze %x, [0] : tensor<?xf64> -> tensor<1x?xf64>
    %p = yarr.elementwise { arith.mulf } %a, %y : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %q = yarr.elementwise { arith.select } %o, %p, %zero : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
    %c = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
    %t = yarr.elementwise { arith.xori } %o, %m : (tensor<?x?xi1>, tensor<?x?xi1>) -> tensor<?x?xi1>
    yarr.yield %c, %t : tensor<?xf64>, tensor<?x?xi1>
  }
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL:  func.func @other_masks
// CHECK-NOT:      yarr.einsum
