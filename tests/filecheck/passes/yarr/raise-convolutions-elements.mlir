// RUN: ein-opt %s -p raise-convolutions{elements=true},canonicalize | filecheck %s
// RUN: ein-opt %s -p raise-convolutions,canonicalize | filecheck %s --check-prefix LOOPS

// The weight of an offset is one element: one filter of one channel, for one image.
func.func @image(%a: tensor<?x?xf64>, %w: tensor<?x?xf64>, %zeros: tensor<?x?xf64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?x?xf64> {
  %height = yarr.size %w, 0 : tensor<?x?xf64>
  %width = yarr.size %w, 1 : tensor<?x?xf64>
  %r = yarr.fold (%p < %height, %acc = %zeros) -> tensor<?x?xf64> {
    %s = yarr.fold (%q < %width, %acc_1 = %acc) -> tensor<?x?xf64> {
      %0 = yarr.take %w, 0, %p in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
      %1 = yarr.take %0, 0, %q in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
      %2 = yarr.unsqueeze %1, [0, 1] : tensor<f64> -> tensor<1x1xf64>
      %3 = yarr.slice %a, 0, %p, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
      %4 = yarr.slice %3, 1, %q, %m step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
      %5 = yarr.elementwise { arith.mulf } %2, %4 : (tensor<1x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
      %6 = yarr.elementwise { arith.addf } %acc_1, %5 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
      yarr.yield %6 : tensor<?x?xf64>
    }
    yarr.yield %s : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}

// CHECK-LABEL: func.func @image(
// CHECK-NEXT:    %[[IMAGES:.*]] = yarr.unsqueeze %a, [0, 1]
// CHECK-NEXT:    %[[FILTERS:.*]] = yarr.unsqueeze %w, [0, 1]
// CHECK-NEXT:    %[[R:.*]] = yarr.correlate %[[IMAGES]], %[[FILTERS]] into %n, %m
// CHECK-NEXT:    %[[S:.*]] = yarr.squeeze %[[R]], [0, 1]
// CHECK-NEXT:    yarr.elementwise { arith.addf } %zeros, %[[S]]
// CHECK-NOT:     yarr.fold
// LOOPS-LABEL: func.func @image(
// LOOPS-NOT:     yarr.correlate
// LOOPS:         yarr.fold
// LOOPS:           yarr.fold

// Windows that move down with their own index: the result is reversed.
func.func @backwards(%a: tensor<?xf64>, %w: tensor<?xf64>, %zeros: tensor<?xf64>, %n: tensor<i64>, %d: tensor<i64>) -> tensor<?xf64> {
  %taps = yarr.size %w, 0 : tensor<?xf64>
  %r = yarr.fold (%p < %taps, %acc = %zeros) -> tensor<?xf64> {
    %0 = yarr.take %w, 0, %p in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %1 = yarr.unsqueeze %0, [0] : tensor<f64> -> tensor<1xf64>
    %2 = yarr.elementwise { arith.addi } %p, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = yarr.slice %a, 0, %2, %n step -1 : tensor<?xf64> -> tensor<?xf64>
    %4 = yarr.elementwise { arith.mulf } %1, %3 : (tensor<1xf64>, tensor<?xf64>) -> tensor<?xf64>
    %5 = yarr.elementwise { arith.addf } %acc, %4 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %5 : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}

// CHECK-LABEL: func.func @backwards(
// CHECK:         %[[LAST:.*]] = yarr.elementwise { arith.subi } %n, %{{.*}} : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK:         %[[START:.*]] = yarr.elementwise { arith.subi } %{{.*}}, %[[LAST]]
// CHECK-NEXT:    %[[PART:.*]] = yarr.slice %a, 0, %[[START]], %{{.*}} step 1
// CHECK:         %[[R:.*]] = yarr.correlate
// CHECK-NEXT:    %[[S:.*]] = yarr.squeeze %[[R]], [0, 1]
// CHECK:         yarr.slice %[[S]], 0, %{{.*}}, %n step -1
