// RUN: ein-opt %s --split-input-file -p raise-contractions,dce | filecheck %s

// A matrix product.
func.func @product(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %x = yarr.unsqueeze %a, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %t = yarr.transpose %b, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %y = yarr.unsqueeze %t, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %c = yarr.reduce %p, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %c : tensor<?x?xf64>
}

// CHECK:        func.func @product(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %c = yarr.einsum "ik,kj->ij" %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %c : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// Separable terms: each factor is summed independently, if that is finite. An empty sum of an infinite
// factor is 0, and not infinity times 0.
func.func @separable(%u: tensor<?xf64>, %v: tensor<?xf64>) -> tensor<?xf64> {
  %x = yarr.unsqueeze %u, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %y = yarr.unsqueeze %v, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %p, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK:        func.func @separable(%u: tensor<?xf64>, %v: tensor<?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %0 = yarr.reduce %v, [0] by { arith.addf } : tensor<?xf64> -> tensor<f64>
// CHECK-NEXT:     %1 = yarr.unsqueeze %0, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %2 = yarr.elementwise { arith.mulf } %u, %1 : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %s = yarr.in_order "i,j->i" %2 of %u, %v if finite %u, %0 : tensor<?xf64> of tensor<?xf64>, tensor<?xf64> if finite tensor<?xf64>, tensor<f64>
// CHECK-NEXT:     func.return %s : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Sums and differences of products distribute.
func.func @difference(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %u: tensor<?xf64>) -> tensor<?xf64> {
  %x = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %y = yarr.unsqueeze %u, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %z = yarr.elementwise { arith.mulf } %a, %y : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %p = yarr.elementwise { arith.subf } %x, %z : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %p, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK:        func.func @difference(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %u: tensor<?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %0 = yarr.einsum "ij,ij->i" %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %1 = yarr.einsum "ij,j->i" %a, %u : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %s = yarr.elementwise { arith.subf } %0, %1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %s : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// A plain sum is unchanged, and so is a product with another user.
func.func @alone(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64>) {
  %p = yarr.elementwise { arith.addf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %p, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %q = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s, %t, %q : tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64>
}

// CHECK:        func.func @alone(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:     %p = yarr.elementwise { arith.addf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %s = yarr.reduce %p, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %q = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %t = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:     func.return %s, %t, %q : tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// Minima of products are no contraction.
func.func @minimum(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?xf64> {
  %p = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %p, [1] by { arith.minimumf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK:        func.func @minimum(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %p = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %s = yarr.reduce %p, [1] by { arith.minimumf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:     func.return %s : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Contractions nest, and keep their order if no other one is cheaper.
func.func @nested(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = yarr.einsum "jk,kl->jl" %b, %c : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.transpose %0, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.unsqueeze %1, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %3 = yarr.unsqueeze %a, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %4 = yarr.elementwise { arith.mulf } %3, %2 : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %5 = yarr.reduce %4, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %5 : tensor<?x?xf64>
}

// CHECK:        func.func @nested(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %0 = yarr.einsum "kl,lj->jk" %b, %c : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %1 = yarr.einsum "ik,jk->ij" %a, %0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %1 : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// A square contracts an array with itself; a square of a difference is not multiplied out.
func.func @squares(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %0 = yarr.elementwise (%x = %a) : (tensor<?x?xf64>) -> tensor<?x?xf64> {
    %p = arith.mulf %x, %x : f64
    yarr.yield %p : f64
  }
  %1 = yarr.reduce %0, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %2 = yarr.elementwise { arith.subf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.elementwise (%x = %2) : (tensor<?x?xf64>) -> tensor<?x?xf64> {
    %p = arith.mulf %x, %x : f64
    yarr.yield %p : f64
  }
  %4 = yarr.reduce %3, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %1, %4 : tensor<?xf64>, tensor<?xf64>
}

// CHECK:        func.func @squares(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:     %0 = yarr.einsum "ij,ij->i" %a, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %1 = yarr.elementwise { arith.subf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %2 = yarr.einsum "ij,ij->i" %1, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %0, %2 : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Of three factors, two with the same axes are multiplied first.
func.func @gated(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %ab = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %0 = yarr.unsqueeze %ab, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %1 = yarr.unsqueeze %c, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %2 = yarr.elementwise { arith.mulf } %0, %1 : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %3 = yarr.reduce %2, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %3 : tensor<?x?xf64>
}

// CHECK:        func.func @gated(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %0 = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %1 = yarr.einsum "ik,jk->ij" %0, %c : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %1 : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// Adding 0 changes the sign of a zero, which a sum does not keep.
func.func @plus_zero(%a: tensor<?xf64>, %b: tensor<?x?xf64>) -> tensor<?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %x = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %y = yarr.elementwise { arith.addf } %z, %b : (tensor<1x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %c = yarr.reduce %p, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %c : tensor<?xf64>
}

// CHECK:      func.func @plus_zero(%a: tensor<?xf64>, %b: tensor<?x?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:   %c = yarr.einsum "i,ij->j" %a, %b : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   func.return %c : tensor<?xf64>
// CHECK-NEXT: }

// -----

// Two vectors are multiplied first, which is a product of its own: it may underflow.
func.func @weighted(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %0 = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %1 = yarr.unsqueeze %c, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %2 = yarr.elementwise { arith.mulf } %a, %0 : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.elementwise { arith.mulf } %2, %1 : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %3, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK-LABEL:  func.func @weighted(
// CHECK-NEXT:     %0 = yarr.elementwise { arith.mulf } %b, %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %1 = yarr.einsum "ij,j->i" %a, %0 : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %s = yarr.in_order "ij,j,j->i" %1 of %a, %b, %c if finite %1 and normal %0 : {{.*}}

// -----

// The same order in the program needs no test; nor does a literal factor from 1 on.
func.func @in_order(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %c: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %0 = yarr.elementwise { arith.mulf } %b, %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = yarr.unsqueeze %0, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %2 = yarr.elementwise { arith.mulf } %a, %1 : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %2, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %two = arith.constant dense<2.0> : tensor<f64>
  %3 = yarr.unsqueeze %two, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %4 = yarr.elementwise { arith.mulf } %3, %a : (tensor<1x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = yarr.reduce %4, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s, %t : tensor<?xf64>, tensor<?xf64>
}

// CHECK-LABEL:  func.func @in_order(
// CHECK-NEXT:     %0 = yarr.elementwise { arith.mulf } %b, %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %s = yarr.einsum "ij,j->i" %a, %0 : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NOT:      yarr.in_order

// -----

// With reassoc, no test is needed: in a function that permits it, or by a sum with the flag.
func.func @permitted(%u: tensor<?xf64>, %v: tensor<?xf64>) -> tensor<?xf64> attributes {ein.fastmath = #arith.fastmath<reassoc>} {
  %x = yarr.unsqueeze %u, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %y = yarr.unsqueeze %v, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %p, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}

// CHECK-LABEL:  func.func @permitted(
// CHECK-NEXT:     %0 = yarr.reduce %v, [0] by { arith.addf } : tensor<?xf64> -> tensor<f64>
// CHECK-NEXT:     %1 = yarr.unsqueeze %0, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %s = yarr.elementwise { arith.mulf } %u, %1 : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %s : tensor<?xf64>

// -----

// A mask of a product clears the smallest factor with its axes. The test finds products of 0 and infinity.
func.func @masked(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xi1>, %d: tensor<?x?x?xi1>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %0 = yarr.unsqueeze %zero, [0, 1, 2] : tensor<f64> -> tensor<1x1x1xf64>
  %x = yarr.unsqueeze %a, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %y = yarr.unsqueeze %b, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %m = yarr.unsqueeze %c, [1] : tensor<?x?xi1> -> tensor<?x1x?xi1>
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %q = yarr.elementwise { arith.select } %m, %p, %0 : (tensor<?x1x?xi1>, tensor<?x?x?xf64>, tensor<1x1x1xf64>) -> tensor<?x?x?xf64>
  %r = yarr.reduce %q, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %p_1 = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %q_1 = yarr.elementwise { arith.select } %m, %0, %p_1 : (tensor<?x1x?xi1>, tensor<1x1x1xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %s = yarr.reduce %q_1, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %p_2 = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %q_2 = yarr.elementwise { arith.select } %d, %p_2, %0 : (tensor<?x?x?xi1>, tensor<?x?x?xf64>, tensor<1x1x1xf64>) -> tensor<?x?x?xf64>
  %t = yarr.reduce %q_2, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %r, %s, %t : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}

// CHECK-LABEL:  func.func @masked(
// CHECK:          %[[C:.*]] = yarr.squeeze %m, [1] : tensor<?x1x?xi1> -> tensor<?x?xi1>
// CHECK:          %[[A:.*]] = yarr.elementwise { arith.select } %[[C]], %a, %{{.*}} : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %[[R:.*]] = yarr.einsum "ik,jk->ij" %[[A]], %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %r = yarr.in_order "ik,jk,ik->ij" %[[R]] of %a, %b, %[[C]] if finite %[[R]]
// CHECK:          %[[D:.*]] = yarr.squeeze %m, [1] : tensor<?x1x?xi1> -> tensor<?x?xi1>
// CHECK:          %[[A2:.*]] = yarr.elementwise { arith.select } %[[D]], %{{.*}}, %a : (tensor<?x?xi1>, tensor<1x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %[[S:.*]] = yarr.einsum "ik,jk->ij" %[[A2]], %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK:          %[[NOT:.*]] = yarr.elementwise { arith.xori } %[[D]], %{{.*}} : (tensor<?x?xi1>, tensor<1x1xi1>) -> tensor<?x?xi1>
// CHECK-NEXT:     %s = yarr.in_order "ik,jk,ik->ij" %[[S]] of %a, %b, %[[NOT]] if finite %[[S]]
// CHECK:          %t = yarr.reduce

// -----

// A mask that no factor of an inner contraction has all axes of clears its result.
func.func @masked_contraction(%q: tensor<?x?xf64>, %k: tensor<?x?xf64>, %v: tensor<?x?xf64>, %c: tensor<?x?xi1>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %0 = yarr.unsqueeze %zero, [0, 1, 2] : tensor<f64> -> tensor<1x1x1xf64>
  %x = yarr.unsqueeze %q, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %y = yarr.unsqueeze %k, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %s = yarr.reduce %p, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %s_1 = yarr.unsqueeze %s, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %t = yarr.unsqueeze %v, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %m = yarr.unsqueeze %c, [1] : tensor<?x?xi1> -> tensor<?x1x?xi1>
  %u = yarr.elementwise { arith.mulf } %s_1, %t : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %w = yarr.elementwise { arith.select } %m, %u, %0 : (tensor<?x1x?xi1>, tensor<?x?x?xf64>, tensor<1x1x1xf64>) -> tensor<?x?x?xf64>
  %r = yarr.reduce %w, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}

// CHECK-LABEL:  func.func @masked_contraction(
// CHECK:          %s = yarr.einsum "ik,jk->ij" %q, %k : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK:          %[[A:.*]] = yarr.elementwise { arith.select } %{{.*}}, %s, %{{.*}} : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %[[R:.*]] = yarr.einsum "ik,jk->ij" %[[A]], %v : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %r = yarr.in_order

// -----

// Products of Ints need no test.
func.func @masked_ints(%a: tensor<?x?xi64>, %b: tensor<?xi64>, %c: tensor<?x?xi1>) -> tensor<?xi64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %0 = yarr.unsqueeze %zero, [0, 1] : tensor<i64> -> tensor<1x1xi64>
  %y = yarr.unsqueeze %b, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %p = yarr.elementwise { arith.muli } %a, %y : (tensor<?x?xi64>, tensor<1x?xi64>) -> tensor<?x?xi64>
  %q = yarr.elementwise { arith.select } %c, %p, %0 : (tensor<?x?xi1>, tensor<?x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi64>
  %r = yarr.reduce %q, [1] by { arith.addi } : tensor<?x?xi64> -> tensor<?xi64>
  func.return %r : tensor<?xi64>
}

// CHECK-LABEL:  func.func @masked_ints(
// CHECK:          %[[A:.*]] = yarr.elementwise { arith.select } %c, %a, %{{.*}} : (tensor<?x?xi1>, tensor<?x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi64>
// CHECK-NEXT:     %r = yarr.einsum "ij,j->i" %[[A]], %b : (tensor<?x?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:     func.return %r

// -----

// Equal factors of a square are multiplied once, in the order of the program.
func.func @squares(%x: tensor<?x?xf64>, %w: tensor<?xf64>) -> tensor<?xf64> {
  %u = yarr.unsqueeze %w, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %p = yarr.elementwise { arith.mulf } %x, %u : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise (%e = %p) : (tensor<?x?xf64>) -> tensor<?x?xf64> {
    %s = arith.mulf %e, %e : f64
    yarr.yield %s : f64
  }
  %r = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL:  func.func @squares(
// CHECK-NOT:      in_order
// CHECK:          %r = yarr.einsum "ij,ij->i"
// CHECK-NEXT:     func.return %r

// -----

// A divisor divides the smallest factor with its axes.
func.func @divided(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %u = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %v = yarr.unsqueeze %c, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %p = yarr.elementwise { arith.mulf } %a, %u : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { arith.divf } %p, %v : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %r = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL:  func.func @divided(
// CHECK:          %[[Q:.*]] = yarr.elementwise { arith.divf } %b, %{{.*}} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %[[S:.*]] = yarr.einsum "ij,j->i" %a, %[[Q]] : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %r = yarr.in_order "ij,j,/j->i" %[[S]] of %a, %b, %{{.*}} if finite %[[S]] and normal %[[Q]]

// -----

// A divisor that varies with no summed axis leaves the sum, also that of one array.
func.func @divided_sum(%a: tensor<?x?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %v = yarr.unsqueeze %c, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %q = yarr.elementwise { arith.divf } %a, %v : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %r = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL:  func.func @divided_sum(
// CHECK:          %[[S:.*]] = yarr.reduce %a, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %[[Q:.*]] = yarr.elementwise { arith.divf } %[[S]], %{{.*}}
// CHECK-NEXT:     %r = yarr.in_order "ij,/i->i" %[[Q]] of %a, %{{.*}} if finite %[[Q]]

// -----

// A divisor of a contraction within another one.
func.func @divided_in_order(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %c: tensor<?xf64>, %q: tensor<?xf64>) -> tensor<f64> {
  %s = yarr.einsum "ij,j->i" %a, %q : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t = yarr.in_order "ij,j,/j->i" %s of %a, %b, %c if finite %s and normal %q : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64> if finite tensor<?xf64> and normal tensor<?xf64>
  %p = yarr.elementwise { arith.mulf } %b, %t : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.reduce %p, [0] by { arith.addf } : tensor<?xf64> -> tensor<f64>
  func.return %r : tensor<f64>
}

// CHECK-LABEL:  func.func @divided_in_order(
// CHECK:          %r = yarr.in_order "i,(ij,j,/j->i)->" %{{.*}} of %b, %a, %b, %c

// -----

// The square of a product of three matrices: six factors are more than plans compare.
func.func @long_square(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<f64> {
  %e = yarr.einsum "ij,jk,kl->il" %a, %b, %c : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %p = yarr.elementwise { arith.mulf } %e, %e : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = yarr.reduce %p, [0, 1] by { arith.addf } : tensor<?x?xf64> -> tensor<f64>
  func.return %r : tensor<f64>
}

// CHECK-LABEL:  func.func @long_square(
// CHECK-NEXT:     %e = yarr.einsum "ij,jk,kl->il" %a, %b, %c
// CHECK-NEXT:     %r = yarr.einsum "ij,ij->" %e, %e

// -----

// A quotient with all axes stays.
func.func @quotients(%a: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?xf64> {
  %q = yarr.elementwise { arith.divf } %a, %c : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL:  func.func @quotients(
// CHECK-NEXT:     %q = yarr.elementwise { arith.divf } %a, %c
// CHECK-NEXT:     %r = yarr.reduce %q, [1]

// -----

// A conjunction of masks over pairs: one clears its factor, the other one is a factor.
func.func @masks_of_pairs(%x: tensor<?x?xf64>, %p: tensor<?x?xi1>, %q: tensor<?x?xi1>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %0 = yarr.unsqueeze %zero, [0, 1, 2] : tensor<f64> -> tensor<1x1x1xf64>
  %p_1 = yarr.unsqueeze %p, [1] : tensor<?x?xi1> -> tensor<?x1x?xi1>
  %q_1 = yarr.unsqueeze %q, [0] : tensor<?x?xi1> -> tensor<1x?x?xi1>
  %c = yarr.elementwise { arith.andi } %p_1, %q_1 : (tensor<?x1x?xi1>, tensor<1x?x?xi1>) -> tensor<?x?x?xi1>
  %x_1 = yarr.unsqueeze %x, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %w = yarr.elementwise { arith.select } %c, %x_1, %0 : (tensor<?x?x?xi1>, tensor<?x1x?xf64>, tensor<1x1x1xf64>) -> tensor<?x?x?xf64>
  %r = yarr.reduce %w, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}

// CHECK-LABEL:  func.func @masks_of_pairs(
// CHECK:          %[[Q:.*]] = yarr.elementwise { arith.select } %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x?xi1>, tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
// CHECK:          %[[X:.*]] = yarr.elementwise { arith.select } %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
// CHECK:          %[[S:.*]] = yarr.einsum "ik,jk->ij" %[[X]], %[[Q]] : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK:          %r = yarr.in_order "ik,ik,jk->ij" %[[S]] of

// -----

// A masked product of elements is not infinite where its mask is false, and a sum of quotients of
// elements has the order of the program: neither needs a test.
func.func @elements(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %p: tensor<?x?xi1>) -> (tensor<f64>, tensor<f64>) {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %0 = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %x = yarr.elementwise { arith.mulf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %w = yarr.elementwise { arith.select } %p, %x, %0 : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %r = yarr.reduce %w, [0, 1] by { arith.addf } : tensor<?x?xf64> -> tensor<f64>
  %y = yarr.elementwise { arith.mulf } %a, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { arith.divf } %y, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %q, [0, 1] by { arith.addf } : tensor<?x?xf64> -> tensor<f64>
  func.return %r, %s : tensor<f64>, tensor<f64>
}

// CHECK-LABEL:  func.func @elements(
// CHECK-NOT:      yarr.einsum
// CHECK:          %r = yarr.reduce %w
// CHECK-NOT:      yarr.einsum
// CHECK:          %s = yarr.reduce %q
// CHECK-NEXT:     func.return

// A product before the loop that a sum is in is computed once, and stays a factor.

func.func @steps(%a: tensor<?x?xf64>, %v: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %x = yarr.unsqueeze %t, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %y = yarr.unsqueeze %t, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %c = yarr.reduce %p, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %r = yarr.fold (%k < %n, %w = %v) -> tensor<?xf64> {
    %u = yarr.unsqueeze %w, [0] : tensor<?xf64> -> tensor<1x?xf64>
    %q = yarr.elementwise { arith.mulf } %c, %u : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %s = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
    yarr.yield %s : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK:      func.func @steps(
// CHECK-NEXT:   %c = yarr.einsum "ki,kj->ij" %a, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %r = yarr.fold (%k < %n, %w = %v) -> tensor<?xf64> {
// CHECK-NEXT:     %s = yarr.einsum "ij,j->i" %c, %w : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     yarr.yield %s : tensor<?xf64>

// -----

// Quotients that two sums need, each larger than all of their factors: both are contractions of these.
func.func @shared(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %z: tensor<?xf64>, %c: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %x = yarr.unsqueeze %a, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %y = yarr.unsqueeze %b, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %v = yarr.unsqueeze %z, [0, 2] : tensor<?xf64> -> tensor<1x?x1xf64>
  %w = yarr.unsqueeze %c, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
  %p = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1x?xf64>, tensor<1x?x?xf64>) -> tensor<?x?x?xf64>
  %q = yarr.elementwise { arith.divf } %p, %v : (tensor<?x?x?xf64>, tensor<1x?x1xf64>) -> tensor<?x?x?xf64>
  %r = yarr.elementwise { arith.mulf } %q, %w : (tensor<?x?x?xf64>, tensor<?x?x1xf64>) -> tensor<?x?x?xf64>
  %s = yarr.reduce %q, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %t = yarr.reduce %r, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %s, %t : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL:  func.func @shared(
// CHECK-NOT:      tensor<?x?x?xf64>
// CHECK:          yarr.einsum "ik,jk->ij" %a, %b
// CHECK-NOT:      tensor<?x?x?xf64>
// CHECK:          yarr.einsum "ik,jk->ij" %a, %b
// CHECK-NOT:      tensor<?x?x?xf64>
// CHECK:          func.return

// -----

// A product that a contraction reads as transposed, and another sum as it is, is an array of both.
func.func @transposed(%x: tensor<?x?xf64>, %a: tensor<?xf64>, %u: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>) {
  %y = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %p = yarr.elementwise { arith.mulf } %y, %u : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = yarr.transpose %p, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %z = yarr.unsqueeze %t, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %w = yarr.unsqueeze %x, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %q = yarr.elementwise { arith.mulf } %z, %w : (tensor<1x?x?xf64>, tensor<?x1x?xf64>) -> tensor<?x?x?xf64>
  %r = yarr.reduce %q, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %s = yarr.reduce %t, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %r, %s : tensor<?x?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @transposed(
// CHECK-NEXT:    %y = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
// CHECK-NEXT:    %p = yarr.elementwise { arith.mulf } %y, %u : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:    %t = yarr.transpose %p, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %r = yarr.einsum "kj,ik->ij" %p, %x : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:    %s = yarr.reduce %t, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:    func.return %r, %s : tensor<?x?xf64>, tensor<?xf64>

// -----

// A negation that two contractions read is a sign of their terms.
func.func @negated(%a: tensor<?x?xf64>, %u: tensor<?xf64>, %v: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %n = yarr.elementwise { arith.negf } %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %x = yarr.unsqueeze %u, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %y = yarr.unsqueeze %v, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %p = yarr.elementwise { arith.mulf } %n, %x : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { arith.mulf } %n, %y : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %r = yarr.reduce %p, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %s = yarr.reduce %q, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @negated(
// CHECK-NEXT:    %0 = yarr.einsum "ij,j->i" %a, %u : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %r = yarr.elementwise { arith.negf } %0 : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %1 = yarr.einsum "ij,j->i" %a, %v : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %s = yarr.elementwise { arith.negf } %1 : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    func.return %r, %s : tensor<?xf64>, tensor<?xf64>
