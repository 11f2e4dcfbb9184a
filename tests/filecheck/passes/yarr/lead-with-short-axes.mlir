// RUN: ein-opt %s -p lead-with-short-axes | filecheck %s

// Differences of all pairs of rows, which are contracted.

func.func @contracted(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>, %w: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %a = yarr.unsqueeze %x, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %b = yarr.unsqueeze %y, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %d = yarr.elementwise { arith.subf } %a, %b : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %s = yarr.einsum "ijk,ij->ik" %d, %w : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %s : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @contracted(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>, %w: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:      %a = yarr.unsqueeze %x, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
// CHECK-NEXT:      %b = yarr.unsqueeze %y, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
// CHECK-NEXT:      %0 = yarr.transpose %x, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %1 = yarr.unsqueeze %0, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
// CHECK-NEXT:      %2 = yarr.transpose %y, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %3 = yarr.unsqueeze %2, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
// CHECK-NEXT:      %d = yarr.elementwise { arith.subf } %1, %3 : (tensor<?x?x1xf64>, tensor<?x1x?xf64>) -> tensor<?x?x?xf64>
// CHECK-NEXT:      %d_1 = yarr.transpose %d, [1, 2, 0] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:      %s = yarr.einsum "ijk,ij->ik" %d_1, %w : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:      func.return %s : tensor<?x?xf64>
// CHECK-NEXT:    }

// A function of them is summed.

func.func @summed(%x: tensor<?x3xf64>) -> tensor<?x?xf64> {
  %a = yarr.unsqueeze %x, [1] : tensor<?x3xf64> -> tensor<?x1x3xf64>
  %b = yarr.unsqueeze %x, [0] : tensor<?x3xf64> -> tensor<1x?x3xf64>
  %d = yarr.elementwise { arith.subf } %a, %b : (tensor<?x1x3xf64>, tensor<1x?x3xf64>) -> tensor<?x?x3xf64>
  %e = yarr.elementwise { math.absf } %d : (tensor<?x?x3xf64>) -> tensor<?x?x3xf64>
  %s = yarr.reduce %e, [2] by { arith.addf } : tensor<?x?x3xf64> -> tensor<?x?xf64>
  func.return %s : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @summed(%x: tensor<?x3xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:      %a = yarr.unsqueeze %x, [1] : tensor<?x3xf64> -> tensor<?x1x3xf64>
// CHECK-NEXT:      %b = yarr.unsqueeze %x, [0] : tensor<?x3xf64> -> tensor<1x?x3xf64>
// CHECK-NEXT:      %0 = yarr.transpose %x, [1, 0] : tensor<?x3xf64> -> tensor<3x?xf64>
// CHECK-NEXT:      %1 = yarr.unsqueeze %0, [2] : tensor<3x?xf64> -> tensor<3x?x1xf64>
// CHECK-NEXT:      %2 = yarr.transpose %x, [1, 0] : tensor<?x3xf64> -> tensor<3x?xf64>
// CHECK-NEXT:      %3 = yarr.unsqueeze %2, [1] : tensor<3x?xf64> -> tensor<3x1x?xf64>
// CHECK-NEXT:      %d = yarr.elementwise { arith.subf } %1, %3 : (tensor<3x?x1xf64>, tensor<3x1x?xf64>) -> tensor<3x?x?xf64>
// CHECK-NEXT:      %d_1 = yarr.transpose %d, [1, 2, 0] : tensor<3x?x?xf64> -> tensor<?x?x3xf64>
// CHECK-NEXT:      %e = yarr.elementwise { math.absf } %d_1 : (tensor<?x?x3xf64>) -> tensor<?x?x3xf64>
// CHECK-NEXT:      %s = yarr.reduce %e, [2] by { arith.addf } : tensor<?x?x3xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      func.return %s : tensor<?x?xf64>
// CHECK-NEXT:    }

// Rows of 64 elements are long, a result keeps its order, and one operand has no pairs of rows.

func.func @unchanged(%x: tensor<?x64xf64>, %y: tensor<?x?xf64>, %z: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?x?xf64>, tensor<?x?xf64>) {
  %a = yarr.unsqueeze %x, [1] : tensor<?x64xf64> -> tensor<?x1x64xf64>
  %b = yarr.unsqueeze %x, [0] : tensor<?x64xf64> -> tensor<1x?x64xf64>
  %d = yarr.elementwise { arith.subf } %a, %b : (tensor<?x1x64xf64>, tensor<1x?x64xf64>) -> tensor<?x?x64xf64>
  %r = yarr.reduce %d, [2] by { arith.addf } : tensor<?x?x64xf64> -> tensor<?x?xf64>
  %e = yarr.unsqueeze %y, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %f = yarr.unsqueeze %y, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %s = yarr.elementwise { arith.subf } %e, %f : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %g = yarr.unsqueeze %z, [0, 1] : tensor<?xf64> -> tensor<1x1x?xf64>
  %h = yarr.unsqueeze %y, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
  %p = yarr.elementwise { arith.mulf } %g, %h : (tensor<1x1x?xf64>, tensor<?x?x1xf64>) -> tensor<?x?x?xf64>
  %t = yarr.reduce %p, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %r, %s, %t : tensor<?x?xf64>, tensor<?x?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @unchanged(%x: tensor<?x64xf64>, %y: tensor<?x?xf64>, %z: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?x?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:      %a = yarr.unsqueeze %x, [1] : tensor<?x64xf64> -> tensor<?x1x64xf64>
// CHECK-NEXT:      %b = yarr.unsqueeze %x, [0] : tensor<?x64xf64> -> tensor<1x?x64xf64>
// CHECK-NEXT:      %d = yarr.elementwise { arith.subf } %a, %b : (tensor<?x1x64xf64>, tensor<1x?x64xf64>) -> tensor<?x?x64xf64>
// CHECK-NEXT:      %r = yarr.reduce %d, [2] by { arith.addf } : tensor<?x?x64xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %e = yarr.unsqueeze %y, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
// CHECK-NEXT:      %f = yarr.unsqueeze %y, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
// CHECK-NEXT:      %s = yarr.elementwise { arith.subf } %e, %f : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
// CHECK-NEXT:      %g = yarr.unsqueeze %z, [0, 1] : tensor<?xf64> -> tensor<1x1x?xf64>
// CHECK-NEXT:      %h = yarr.unsqueeze %y, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
// CHECK-NEXT:      %p = yarr.elementwise { arith.mulf } %g, %h : (tensor<1x1x?xf64>, tensor<?x?x1xf64>) -> tensor<?x?x?xf64>
// CHECK-NEXT:      %t = yarr.reduce %p, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      func.return %r, %s, %t : tensor<?x?xf64>, tensor<?x?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT:    }
