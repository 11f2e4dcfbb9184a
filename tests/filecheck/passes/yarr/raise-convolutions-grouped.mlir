// RUN: ein-opt %s --split-input-file -p raise-convolutions{grouped=true},canonicalize | filecheck %s

// An axis that both operands and the result have: each channel has its own filter.
func.func @depthwise(%a: tensor<?x?x?xf64>, %w: tensor<?x?xf64>, %x: tensor<?x?x?xf64>, %n: tensor<i64>) -> tensor<?x?x?xf64> {
  %h = yarr.size %w, 1 : tensor<?x?xf64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?x?xf64> {
    %0 = yarr.slice %a, 2, %p, %n step 1 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %1 = yarr.take %w, 1, %p in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %2 = yarr.unsqueeze %1, [0, 2] : tensor<?xf64> -> tensor<1x?x1xf64>
    %3 = yarr.elementwise { arith.mulf } %0, %2 : (tensor<?x?x?xf64>, tensor<1x?x1xf64>) -> tensor<?x?x?xf64>
    %4 = yarr.elementwise { arith.addf } %acc, %3 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
    yarr.yield %4 : tensor<?x?x?xf64>
  }
  func.return %r : tensor<?x?x?xf64>
}

// CHECK-LABEL: func.func @depthwise(
// CHECK-NEXT:    %0 = yarr.unsqueeze %w, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
// CHECK-NEXT:    %1 = yarr.size %a, 1 : tensor<?x?x?xf64>
// CHECK-NEXT:    %2 = yarr.correlate %a, %0 into %n groups %1 : tensor<?x?x?xf64>, tensor<?x1x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:    %r = yarr.elementwise { arith.addf } %x, %2

// -----

// Groups of channels, with several outputs each; batches along two axes; filters that are split in the loop.
func.func @groups(%a: tensor<?x?x?x?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?x?x?x?xf64>, %n: tensor<i64>, %g: tensor<i64>, %o: tensor<i64>) -> tensor<?x?x?x?x?xf64> {
  %h = yarr.size %w, 2 : tensor<?x?x?xf64>
  %one = arith.constant dense<1> : tensor<i64>
  %none = arith.constant dense<0> : tensor<i64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?x?x?x?xf64> {
    %0 = yarr.slice %a, 4, %p, %n step 1 : tensor<?x?x?x?x?xf64> -> tensor<?x?x?x?x?xf64>
    %1 = yarr.take %w, 2, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %2 = yarr.strided %1, 0, %none, sizes(%g, %o), steps(%o, %one) : tensor<?x?xf64> -> tensor<?x?x?xf64>
    %3 = yarr.einsum "btgci,goc->btgoi" %0, %2 : (tensor<?x?x?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?x?x?xf64>
    %4 = yarr.elementwise { arith.addf } %acc, %3 : (tensor<?x?x?x?x?xf64>, tensor<?x?x?x?x?xf64>) -> tensor<?x?x?x?x?xf64>
    yarr.yield %4 : tensor<?x?x?x?x?xf64>
  }
  func.return %r : tensor<?x?x?x?x?xf64>
}

// CHECK-LABEL: func.func @groups(
// CHECK:         %[[SPLIT:.*]] = yarr.strided %w, 0, %none, sizes(%g, %o), steps(%o, %one) : tensor<?x?x?xf64> -> tensor<?x?x?x?xf64>
// CHECK:         yarr.flatten %a, 0
// CHECK:         %[[IMAGES:.*]] = yarr.flatten %{{.*}}, 1
// CHECK:         %[[CUT:.*]] = yarr.slice %[[SPLIT]], 3, %{{.*}}, %h step 1
// CHECK:         %[[FILTERS:.*]] = yarr.flatten %[[CUT]], 0
// CHECK:         %[[SUMS:.*]] = yarr.correlate %[[IMAGES]], %[[FILTERS]] into %n groups %{{.*}}
// CHECK:         yarr.strided %[[SUMS]], 1
// CHECK:         yarr.strided %{{.*}}, 0
