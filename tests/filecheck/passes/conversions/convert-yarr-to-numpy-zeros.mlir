// RUN: ein-opt %s -p convert-yarr-to-numpy -t python | filecheck %s

// An array of which more than two parts are zeros starts as zeros, and these are not stored.

func.func @spread(%x: tensor<?x1xf32>) -> tensor<?x?xf32> {
  %four = arith.constant dense<4> : tensor<i64>
  %n = yarr.size %x, 0 : tensor<?x1xf32>
  %zero = arith.constant dense<0.0> : tensor<1x1xf32>
  %zeros = yarr.repeat %zero, 0, %n : tensor<1x1xf32> -> tensor<?x1xf32>
  %r = yarr.concat %zeros, %x, %zeros, %zeros axis 1 of %four : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  func.return %r : tensor<?x?xf32>
}
// CHECK-LABEL: def spread(x):
// CHECK-NOT:       np.empty
// CHECK:           r = np.zeros((x.shape[0], 4), dtype=np.float32)
// CHECK-NEXT:      r[:, 1:-2] = x
// CHECK-NEXT:      return r

// Two parts, as the ends of a vector, are stored, and so are parts of -0.0.

func.func @two(%x: tensor<?x1xf32>) -> tensor<?x?xf32> {
  %three = arith.constant dense<3> : tensor<i64>
  %n = yarr.size %x, 0 : tensor<?x1xf32>
  %zero = arith.constant dense<0.0> : tensor<1x1xf32>
  %zeros = yarr.repeat %zero, 0, %n : tensor<1x1xf32> -> tensor<?x1xf32>
  %r = yarr.concat %zeros, %x, %zeros axis 1 of %three : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  func.return %r : tensor<?x?xf32>
}
// CHECK-LABEL: def two(x):
// CHECK:           r = np.empty((x.shape[0], 3), dtype=np.float32)

func.func @negative(%x: tensor<?x1xf32>) -> tensor<?x?xf32> {
  %four = arith.constant dense<4> : tensor<i64>
  %n = yarr.size %x, 0 : tensor<?x1xf32>
  %zero = arith.constant dense<-0.0> : tensor<1x1xf32>
  %zeros = yarr.repeat %zero, 0, %n : tensor<1x1xf32> -> tensor<?x1xf32>
  %r = yarr.concat %zeros, %x, %zeros, %zeros axis 1 of %four : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  func.return %r : tensor<?x?xf32>
}
// CHECK-LABEL: def negative(x):
// CHECK:           r = np.empty((x.shape[0], 4), dtype=np.float32)

// A step of a loop stores them: the loop reuses the memory of its arrays.

func.func @steps(%x: tensor<?x1xf32>, %init: tensor<?x?xf32>, %count: tensor<i64>) -> tensor<?x?xf32> {
  %four = arith.constant dense<4> : tensor<i64>
  %n = yarr.size %x, 0 : tensor<?x1xf32>
  %zero = arith.constant dense<0.0> : tensor<1x1xf32>
  %zeros = yarr.repeat %zero, 0, %n : tensor<1x1xf32> -> tensor<?x1xf32>
  %r = yarr.fold (%k < %count, %acc = %init) -> tensor<?x?xf32> {
    %next = yarr.concat %zeros, %x, %zeros, %zeros axis 1 of %four : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
    yarr.yield %next : tensor<?x?xf32>
  }
  func.return %r : tensor<?x?xf32>
}
// CHECK-LABEL: def steps(x, init, count):
// CHECK:           next_ = np.empty((n, 4), dtype=np.float32)
