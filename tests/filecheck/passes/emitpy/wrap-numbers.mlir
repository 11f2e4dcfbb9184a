// RUN: ein-opt %s -p wrap-numbers -t python | filecheck %s

// Numbers from before a loop, and literals, are arrays of rank 0 where they meet arrays.

func.func @steps(%x: tensor<?xf64>, %y: tensor<?xf32>, %k: tensor<?xi64>, %c: tensor<f64>, %n: !emitpy.object) -> tensor<?xf64> {
  %r, %s, %t, %a = emitpy.for (%i < %n, %u = %x, %v = %y, %w = %k, %b = %c) : !emitpy.object -> tensor<?xf64>, tensor<?xf32>, tensor<?xi64>, tensor<f64> {
    %half = emitpy.literal 0.5 : f64
    %three = emitpy.literal 3 : i64
    %0 = emitpy.binary %c "*" %u : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
    %1 = emitpy.augment %0 "+" %half : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %2 = emitpy.call "np.maximum"(%1, %half) : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %3 = emitpy.binary %v "-" %half : (tensor<?xf32>, !emitpy.object) -> tensor<?xf32>
    %4 = emitpy.binary %w "+" %three : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
    %5 = emitpy.binary %2 "**" %c : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %6 = emitpy.binary %5 "+" %b : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %7 = emitpy.binary %b "*" %c : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %6, %3, %4, %7 : tensor<?xf64>, tensor<?xf32>, tensor<?xi64>, tensor<f64>
  }
  %once = emitpy.binary %c "*" %r : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %once : tensor<?xf64>
}
// CHECK-LABEL: def steps(x, y, k, c, n):
// CHECK-NEXT:    t0 = np.array(c)
// CHECK-NEXT:    t1 = np.array(0.5)
// CHECK-NEXT:    t2 = np.array(0.5, np.float32)
// CHECK-NEXT:    t3 = np.array(3)
// CHECK:         for _ in range(n):
// CHECK-NEXT:      u = np.maximum(t0 * u + t1, t1) ** c + b
// CHECK-NEXT:      v = v - t2
// CHECK-NEXT:      w = w + t3
// CHECK-NEXT:      b = b * c
// CHECK-NEXT:    return c * u
