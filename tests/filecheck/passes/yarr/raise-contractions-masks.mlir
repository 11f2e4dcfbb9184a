// RUN: ein-opt %s --split-input-file -p raise-contractions,dce | filecheck %s

// A mask of a sum of products is one of each.

func.func @masked(%m: tensor<?x?xi1>, %g: tensor<?x?xf64>, %b: tensor<?x?xf64>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %u = yarr.unsqueeze %x, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %v = yarr.unsqueeze %y, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %p = yarr.elementwise { arith.mulf } %g, %u : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { arith.mulf } %b, %v : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %d = yarr.elementwise { arith.subf } %p, %q : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %z = arith.constant dense<0.0> : tensor<f64>
  %zero = yarr.unsqueeze %z, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %s = yarr.elementwise { arith.select } %m, %d, %zero : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %r = yarr.reduce %s, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL: func.func @masked(%m: tensor<?x?xi1>, %g: tensor<?x?xf64>, %b: tensor<?x?xf64>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:        %0 = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT:        %1 = yarr.unsqueeze %0, [0, 1] : tensor<f64> -> tensor<1x1xf64>
// CHECK-NEXT:        %2 = yarr.elementwise { arith.select } %m, %g, %1 : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:        %3 = yarr.einsum "ij,j->i" %2, %x : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:        %4 = yarr.in_order "ij,j,ij->i" %3 of %g, %x, %m if finite %3 : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?x?xi1> if finite tensor<?xf64>
// CHECK-NEXT:        %5 = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT:        %6 = yarr.unsqueeze %5, [0, 1] : tensor<f64> -> tensor<1x1xf64>
// CHECK-NEXT:        %7 = yarr.elementwise { arith.select } %m, %b, %6 : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:        %8 = yarr.einsum "ij,j->i" %7, %y : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:        %9 = yarr.in_order "ij,j,ij->i" %8 of %b, %y, %m if finite %8 : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?x?xi1> if finite tensor<?xf64>
// CHECK-NEXT:        %r = yarr.elementwise { arith.subf } %4, %9 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:        func.return %r : tensor<?xf64>
// CHECK-NEXT:      }

// A mask selects the terms of several sums of one array: a product with zeros and ones, unless an
// element that is not selected is infinite or NaN.
func.func @selected(%a: tensor<?x?xf64>, %m: tensor<?xi1>) -> tensor<?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %mask = yarr.unsqueeze %m, [0] : tensor<?xi1> -> tensor<1x?xi1>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %x = yarr.elementwise { arith.select } %mask, %a, %z : (tensor<1x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %x, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK-LABEL: func.func @selected
// CHECK:         %[[M:.*]] = yarr.elementwise { arith.select } %{{.*}}, %{{.*}}, %{{.*}}
// CHECK:         %[[E:.*]] = yarr.einsum "ij,j->i" %a, %[[M]]
// CHECK:         yarr.in_order "ij,j->i" %[[E]]

// One that has an axis of the result selects no terms of all sums: the array is cleared.
func.func @varying(%a: tensor<?x?xf64>, %m: tensor<?xi1>) -> tensor<?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %mask = yarr.unsqueeze %m, [1] : tensor<?xi1> -> tensor<?x1xi1>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %x = yarr.elementwise { arith.select } %mask, %a, %z : (tensor<?x1xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %x, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK-LABEL: func.func @varying
// CHECK:         yarr.reduce %x, [1] by { arith.addf }

// A mask with the axes of all factors is a matrix of zeros and ones; the vectors are factors.
func.func @weights(%m: tensor<?x?xi1>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %u = yarr.unsqueeze %x, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %v = yarr.unsqueeze %y, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %p = yarr.elementwise { arith.mulf } %u, %v : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %w = yarr.elementwise { arith.select } %m, %p, %z : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %w, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK-LABEL: func.func @weights
// CHECK:         %[[M:.*]] = yarr.elementwise { arith.select } %m, %{{.*}}, %{{.*}}
// CHECK:         %[[E:.*]] = yarr.einsum "j,ij->i" %y, %[[M]]
// CHECK:         yarr.elementwise { arith.mulf } %{{.*}}, %{{.*}}
// CHECK:         yarr.in_order "i,j,ij->i"

// Ints are no factors of such a matrix.
func.func @counts(%m: tensor<?x?xi1>, %x: tensor<?xi64>) -> tensor<?xi64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<i64> -> tensor<1x1xi64>
  %v = yarr.unsqueeze %x, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %w = yarr.elementwise { arith.select } %m, %v, %z : (tensor<?x?xi1>, tensor<1x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi64>
  %s = yarr.reduce %w, [1] by { arith.addi } : tensor<?x?xi64> -> tensor<?xi64>
  func.return %s : tensor<?xi64>
}

// CHECK-LABEL: func.func @counts
// CHECK:         yarr.reduce %w, [1] by { arith.addi }

// A mask clears the product of factors with its axes: they may be NaN where it is false.
func.func @squares(%a: tensor<?x?xf64>, %m: tensor<?x?xi1>, %n: tensor<?x?xi1>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1, 2] : tensor<f64> -> tensor<1x1x1xf64>
  %u = yarr.unsqueeze %m, [1] : tensor<?x?xi1> -> tensor<?x1x?xi1>
  %v = yarr.unsqueeze %n, [0] : tensor<?x?xi1> -> tensor<1x?x?xi1>
  %c = yarr.elementwise { arith.andi } %u, %v : (tensor<?x1x?xi1>, tensor<1x?x?xi1>) -> tensor<?x?x?xi1>
  %x = yarr.unsqueeze %a, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %p = yarr.elementwise (%q = %x) : (tensor<?x1x?xf64>) -> tensor<?x1x?xf64> {
    %y = arith.mulf %q, %q : f64
    yarr.yield %y : f64
  }
  %w = yarr.elementwise { arith.select } %c, %p, %z : (tensor<?x?x?xi1>, tensor<?x1x?xf64>, tensor<1x1x1xf64>) -> tensor<?x?x?xf64>
  %s = yarr.reduce %w, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %s : tensor<?x?xf64>
}

// CHECK-LABEL: func.func @squares
// CHECK:         %[[P:.*]] = yarr.elementwise { arith.mulf } %a, %a
// CHECK:         %[[A:.*]] = yarr.elementwise { arith.select } %0, %[[P]], %{{.*}}
// CHECK-NEXT:    yarr.einsum "ik,jk->ij" %[[A]], %{{.*}}

// So is a quotient: the divisor may be zero there.
func.func @quotient(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %x: tensor<?xf64>, %m: tensor<?x?xi1>) -> tensor<?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %v = yarr.unsqueeze %x, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %q = yarr.elementwise { arith.divf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %p = yarr.elementwise { arith.mulf } %q, %v : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %w = yarr.elementwise { arith.select } %m, %p, %z : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %w, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK-LABEL: func.func @quotient
// CHECK:         %[[Q:.*]] = yarr.elementwise { arith.divf } %a, %b
// CHECK:         %[[C:.*]] = yarr.elementwise { arith.select } %m, %[[Q]], %{{.*}}
// CHECK-NEXT:    %[[E:.*]] = yarr.einsum "ij,j->i" %[[C]], %x
// CHECK-NEXT:    yarr.in_order "ij,/ij,j,ij->i" %[[E]] of %a, %b, %x, %m if finite %[[E]]

// A divisor with an axis that no factor has, and the other way round, divides 1: a product of
// matrices. The mask clears the reciprocal, whose zeros would prove no underflow.
func.func @reciprocal(%w: tensor<?x?xf64>, %b: tensor<?x?xf64>, %m: tensor<?x?xi1>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1, 2] : tensor<f64> -> tensor<1x1x1xf64>
  %v = yarr.transpose %w, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %x = yarr.unsqueeze %v, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %y = yarr.unsqueeze %b, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %n = yarr.unsqueeze %m, [1] : tensor<?x?xi1> -> tensor<?x1x?xi1>
  %q = yarr.elementwise { arith.divf } %x, %y : (tensor<1x?x?xf64>, tensor<?x1x?xf64>) -> tensor<?x?x?xf64>
  %c = yarr.elementwise { arith.select } %n, %q, %z : (tensor<?x1x?xi1>, tensor<?x?x?xf64>, tensor<1x1x1xf64>) -> tensor<?x?x?xf64>
  %s = yarr.reduce %c, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %s : tensor<?x?xf64>
}

// CHECK-LABEL: func.func @reciprocal
// CHECK:         %[[R:.*]] = yarr.elementwise { arith.divf } %{{.*}}, %{{.*}} : (tensor<1x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK:         %[[C:.*]] = yarr.elementwise { arith.select } %{{.*}}, %[[R]], %{{.*}}
// CHECK-NEXT:    %[[E:.*]] = yarr.einsum "ik,kj->ij" %[[C]], %w
// CHECK:         %[[T:.*]] = yarr.elementwise { arith.select } %{{.*}}, %[[R]], %{{.*}}
// CHECK-NEXT:    yarr.in_order ",kj,/ik,ik->ij" %[[E]] of %{{.*}}, %w, %{{.*}}, %{{.*}} if finite %[[E]] and normal %[[T]]

// A factor with quotients in it is cleared, also if another one has fewer axes.
func.func @with_quotient(%c: tensor<?x?x?xf64>, %d: tensor<?x?xf64>, %y: tensor<?x?xf64>, %m: tensor<?x?xi1>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1, 2] : tensor<f64> -> tensor<1x1x1xf64>
  %e = yarr.unsqueeze %d, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
  %v = yarr.unsqueeze %y, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
  %n = yarr.unsqueeze %m, [2] : tensor<?x?xi1> -> tensor<?x?x1xi1>
  %q = yarr.elementwise { arith.divf } %c, %e : (tensor<?x?x?xf64>, tensor<?x?x1xf64>) -> tensor<?x?x?xf64>
  %w = yarr.elementwise { math.exp } %q : (tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %p = yarr.elementwise { arith.mulf } %w, %v : (tensor<?x?x?xf64>, tensor<?x?x1xf64>) -> tensor<?x?x?xf64>
  %t = yarr.elementwise { arith.select } %n, %p, %z : (tensor<?x?x1xi1>, tensor<?x?x?xf64>, tensor<1x1x1xf64>) -> tensor<?x?x?xf64>
  %s = yarr.reduce %t, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %s : tensor<?x?xf64>
}

// CHECK-LABEL: func.func @with_quotient
// CHECK:         %[[W:.*]] = yarr.elementwise { math.exp }
// CHECK:         %[[C:.*]] = yarr.elementwise { arith.select } %{{.*}}, %[[W]], %{{.*}}
// CHECK-NEXT:    %[[E:.*]] = yarr.einsum "ijk,ij->jk" %[[C]], %y
// CHECK-NEXT:    yarr.in_order "ijk,ij,ij->jk" %[[E]] of %[[W]], %y, %{{.*}} if finite %[[E]]

// Not if it is divided by a number.
func.func @by_number(%c: tensor<?x?x?xf64>, %d: tensor<f64>, %y: tensor<?x?xf64>, %m: tensor<?x?xi1>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1, 2] : tensor<f64> -> tensor<1x1x1xf64>
  %e = yarr.unsqueeze %d, [0, 1, 2] : tensor<f64> -> tensor<1x1x1xf64>
  %v = yarr.unsqueeze %y, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
  %n = yarr.unsqueeze %m, [2] : tensor<?x?xi1> -> tensor<?x?x1xi1>
  %q = yarr.elementwise { arith.divf } %c, %e : (tensor<?x?x?xf64>, tensor<1x1x1xf64>) -> tensor<?x?x?xf64>
  %w = yarr.elementwise { math.exp } %q : (tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %p = yarr.elementwise { arith.mulf } %w, %v : (tensor<?x?x?xf64>, tensor<?x?x1xf64>) -> tensor<?x?x?xf64>
  %t = yarr.elementwise { arith.select } %n, %p, %z : (tensor<?x?x1xi1>, tensor<?x?x?xf64>, tensor<1x1x1xf64>) -> tensor<?x?x?xf64>
  %s = yarr.reduce %t, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %s : tensor<?x?xf64>
}

// CHECK-LABEL: func.func @by_number
// CHECK:         %[[C:.*]] = yarr.elementwise { arith.select } %{{.*}}, %y, %{{.*}}
// CHECK-NEXT:    yarr.einsum "ijk,ij->jk" %{{.*}}, %[[C]]

// A factor beyond the mask is tested to be finite: the program multiplies it by zero.
func.func @beyond(%c: tensor<?x?xi1>, %x: tensor<?xf64>, %w: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %u = yarr.unsqueeze %x, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %v = yarr.unsqueeze %y, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %t = yarr.elementwise { arith.select } %c, %u, %z : (tensor<?x?xi1>, tensor<1x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %p = yarr.elementwise { arith.mulf } %t, %w : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { arith.mulf } %p, %v : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK-LABEL: func.func @beyond
// CHECK:         %[[C:.*]] = yarr.elementwise { arith.select } %c, %w, %{{.*}}
// CHECK:         yarr.in_order {{.*}} if finite %{{.*}}, %w
