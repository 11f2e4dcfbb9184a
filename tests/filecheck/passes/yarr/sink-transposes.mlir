// RUN: ein-opt %s -p sink-transposes,canonicalize | filecheck %s

// The result of operations on transposed arrays is transposed; vectors fit any order of axes.

func.func @scaled(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %v: tensor<?xf64>) -> tensor<?x?xf64> {
  %x = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %y = yarr.transpose %b, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %w = yarr.unsqueeze %v, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %s = yarr.elementwise { arith.addf } %x, %y : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %c = yarr.elementwise { arith.mulf } %s, %w : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %c : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @scaled(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %v: tensor<?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:      %s = yarr.elementwise { arith.addf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:      %0 = yarr.unsqueeze %v, [1] : tensor<?xf64> -> tensor<?x1xf64>
// CHECK-NEXT:      %c = yarr.elementwise { arith.mulf } %s, %0 : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:      %c_1 = yarr.transpose %c, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      func.return %c_1 : tensor<?x?xf64>
// CHECK-NEXT:    }

// Operations along an axis are along the original axis.

func.func @along_axes(%a: tensor<?x?x?xf64>, %n: tensor<i64>) -> tensor<?x?x?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %t = yarr.transpose %a, [2, 0, 1] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %f = yarr.fill_empty %t, 0 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %p = yarr.pad %f, 0, %one, %zero : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %s = yarr.slice %p, 2, %one, %n step 1 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %c = yarr.concat %s, %s axis 1 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  func.return %c : tensor<?x?x?xf64>
}
// CHECK-LABEL: func.func @along_axes(%a: tensor<?x?x?xf64>, %n: tensor<i64>) -> tensor<?x?x?xf64> {
// CHECK-NEXT:      %zero = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %one = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %f = yarr.fill_empty %a, 2 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:      %p = yarr.pad %f, 2, %one, %zero : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:      %s = yarr.slice %p, 1, %one, %n step 1 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:      %c = yarr.concat %s, %s axis 0 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
// CHECK-NEXT:      %c_1 = yarr.transpose %c, [2, 0, 1] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:      func.return %c_1 : tensor<?x?x?xf64>
// CHECK-NEXT:    }

// A reduction needs no transpose for the axes that it reduces.

func.func @sums(%a: tensor<?x?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %t = yarr.transpose %a, [2, 0, 1] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %r = yarr.reduce %t, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %s = yarr.reduce %t, [1] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @sums(%a: tensor<?x?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:      %r = yarr.reduce %a, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %s = yarr.reduce %a, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %s_1 = yarr.transpose %s, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      func.return %r, %s_1 : tensor<?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT:    }

// A loop that keeps its accumulator transposed, on an array that is also read transposed.

func.func @steps(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %u = yarr.transpose %b, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %r = yarr.fold (%k < %n, %x = %t) -> tensor<?x?xf64> {
    %y = yarr.elementwise { arith.addf } %x, %u : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %y : tensor<?x?xf64>
  }
  %s = yarr.transpose %r, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  func.return %s : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @steps(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
// CHECK-NEXT:      %r = yarr.fold (%k < %n, %x = %a) -> tensor<?x?xf64> {
// CHECK-NEXT:        %y = yarr.elementwise { arith.addf } %x, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:        yarr.yield %y : tensor<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : tensor<?x?xf64>
// CHECK-NEXT:    }

// One accumulator of two; the other one stays.

func.func @two(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %r, %q = yarr.fold (%k < %n, %x = %t, %y = %b) -> tensor<?x?xf64>, tensor<?x?xf64> {
    %0 = yarr.elementwise { math.exp } %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %1 = yarr.elementwise { math.sin } %y : (tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %0, %1 : tensor<?x?xf64>, tensor<?x?xf64>
  }
  func.return %r, %q : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @two(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:      %r, %q = yarr.fold (%k < %n, %x = %a, %y = %b) -> tensor<?x?xf64>, tensor<?x?xf64> {
// CHECK-NEXT:        %0 = yarr.elementwise { math.exp } %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:        %1 = yarr.elementwise { math.sin } %y : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:        yarr.yield %0, %1 : tensor<?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %r_1 = yarr.transpose %r, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      func.return %r_1, %q : tensor<?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT:    }

// Arrays in several orders are left as they are, and so is a loop that mixes them.

func.func @symmetric(%a: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %s = yarr.elementwise { arith.addf } %a, %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = yarr.fold (%k < %n, %x = %t) -> tensor<?x?xf64> {
    %y = yarr.elementwise { arith.addf } %x, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %y : tensor<?x?xf64>
  }
  func.return %s, %r : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @symmetric(%a: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:      %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %s = yarr.elementwise { arith.addf } %a, %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:      %r = yarr.fold (%k < %n, %x = %t) -> tensor<?x?xf64> {
// CHECK-NEXT:        %y = yarr.elementwise { arith.addf } %x, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:        yarr.yield %y : tensor<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s, %r : tensor<?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT:    }

// Each step writes a column: the loop carries the transposed array, of which it writes a row.

func.func @columns(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?x?xf64> {
    %c = yarr.take %x, 1, %n : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %d = yarr.elementwise { arith.addf } %b, %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %y = yarr.update %x[%k] along [1], %d in_bounds : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
    yarr.yield %y : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @columns(
// CHECK-NEXT:      %{{.*}} = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %r = yarr.fold (%k < %n, %x = %{{.*}}) -> tensor<?x?xf64> {
// CHECK-NEXT:        %[[VIEW:.*]] = yarr.transpose %x, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:        %c = yarr.take %[[VIEW]], 1, %n : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
// CHECK-NEXT:        %d = yarr.elementwise { arith.addf } %b, %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:        %[[NEW:.*]] = yarr.update %x[%k] along [0], %d in_bounds : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:        yarr.yield %[[NEW]] : tensor<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %{{.*}} = yarr.transpose %r, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>

// Not if it reads rows, too.

func.func @columns_and_rows(%a: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?x?xf64> {
    %c = yarr.take %x, 0, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %y = yarr.update %x[%k] along [1], %c : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
    yarr.yield %y : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @columns_and_rows(
// CHECK-NOT:       yarr.transpose

// A vector fits any order.

func.func @with_vector(%a: tensor<?x?xf64>, %v: tensor<?x1xf64>) -> tensor<?xf64> {
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %c = yarr.concat %v, %t axis 1 : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = yarr.reduce %c, [1] by { arith.mulf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @with_vector(
// CHECK-NEXT:      %[[V:.*]] = yarr.transpose %v, [1, 0] : tensor<?x1xf64> -> tensor<1x?xf64>
// CHECK-NEXT:      %[[C:.*]] = yarr.concat %[[V]], %a axis 0 : (tensor<1x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:      %r = yarr.reduce %[[C]], [0] by { arith.mulf } : tensor<?x?xf64> -> tensor<?xf64>

func.func @prefixes(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %r = yarr.scan "add" %t, 1 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @prefixes(
// CHECK-NEXT:      %r = yarr.scan "add" %a, 0 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %r_1 = yarr.transpose %r, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>

func.func @best(%a: tensor<?x?xf64>) -> tensor<?xi64> {
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %r = yarr.argreduce %t, 1 by ">" : tensor<?x?xf64> -> tensor<?xi64>
  func.return %r : tensor<?xi64>
}
// CHECK-LABEL: func.func @best(
// CHECK-NEXT:      %r = yarr.argreduce %a, 0 by ">" : tensor<?x?xf64> -> tensor<?xi64>

// A function of the elements of arrays over both orders of axes is computed over one.

func.func @twins(%a: tensor<?xf64>, %b: tensor<?xf64>, %c: tensor<f64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %s = yarr.unsqueeze %c, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %a1 = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %b0 = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %d = yarr.elementwise { arith.subf } %a1, %b0 : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %e = yarr.elementwise { arith.mulf } %s, %d : (tensor<1x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %x = yarr.elementwise { math.exp } %e : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %a0 = yarr.unsqueeze %a, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %b1 = yarr.unsqueeze %b, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %f = yarr.elementwise { arith.subf } %a0, %b1 : (tensor<1x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %g = yarr.elementwise { arith.mulf } %s, %f : (tensor<1x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %y = yarr.elementwise { math.exp } %g : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %z = yarr.elementwise { arith.mulf } %y, %b1 : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  func.return %x, %z : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @twins(
// CHECK:           math.exp
// CHECK-NOT:       math.exp
// CHECK:           yarr.transpose
// CHECK:         func.return

// Differences in the other direction, and of other arrays, are others.

func.func @no_twins(%a: tensor<?xf64>, %b: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %a1 = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %b0 = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %d = yarr.elementwise { arith.subf } %a1, %b0 : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %x = yarr.elementwise { math.exp } %d : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %a0 = yarr.unsqueeze %a, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %b1 = yarr.unsqueeze %b, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %f = yarr.elementwise { arith.subf } %b1, %a0 : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %y = yarr.elementwise { math.exp } %f : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %g = yarr.elementwise { arith.subf } %a1, %a0 : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %z = yarr.elementwise { math.exp } %g : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %x, %y, %z : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @no_twins(
// CHECK-NOT:       yarr.transpose
// CHECK:         func.return

// Nor are arrays of different ranks, although the further axis has size 1.

func.func @other_ranks(%a: tensor<?xf64>, %b: tensor<?xf64>) -> (tensor<?x1x?xf64>, tensor<?x?xf64>) {
  %a2 = yarr.unsqueeze %a, [1, 2] : tensor<?xf64> -> tensor<?x1x1xf64>
  %b2 = yarr.unsqueeze %b, [0, 1] : tensor<?xf64> -> tensor<1x1x?xf64>
  %d = yarr.elementwise { arith.subf } %a2, %b2 : (tensor<?x1x1xf64>, tensor<1x1x?xf64>) -> tensor<?x1x?xf64>
  %x = yarr.elementwise { math.exp } %d : (tensor<?x1x?xf64>) -> tensor<?x1x?xf64>
  %a1 = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %b1 = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %e = yarr.elementwise { arith.subf } %a1, %b1 : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %y = yarr.elementwise { math.exp } %e : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %x, %y : tensor<?x1x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @other_ranks(
// CHECK-NOT:       yarr.transpose
// CHECK:         func.return

// So do arrays of which the order moves axes of size 1 alone: the largest of each column, beside it.

func.func @beside_columns(%a: tensor<?x?x?xf64>) -> tensor<?x?xf64> {
  %m = yarr.reduce %a, [1] by { arith.maximumf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %w = yarr.unsqueeze %m, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
  %t = yarr.transpose %a, [0, 2, 1] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %d = yarr.elementwise { arith.subf } %t, %w : (tensor<?x?x?xf64>, tensor<?x?x1xf64>) -> tensor<?x?x?xf64>
  %s = yarr.reduce %d, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %s : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @beside_columns(
// CHECK:           %[[W:.*]] = yarr.unsqueeze %m, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
// CHECK-NEXT:      %d = yarr.elementwise { arith.subf } %a, %[[W]]
// CHECK-NEXT:      %s = yarr.reduce %d, [1] by { arith.addf }
// CHECK-NEXT:      func.return %s

// The axes of the other array are in another order: unchanged.

func.func @other_order(%a: tensor<?x?x?xf64>, %m: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %w = yarr.unsqueeze %m, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %t = yarr.transpose %a, [2, 1, 0] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %d = yarr.elementwise { arith.subf } %t, %w : (tensor<?x?x?xf64>, tensor<?x1x?xf64>) -> tensor<?x?x?xf64>
  %s = yarr.reduce %d, [1] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %s : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @other_order(
// CHECK:           %t = yarr.transpose %a, [2, 1, 0]
// CHECK-NEXT:      %d = yarr.elementwise { arith.subf } %t, %w

// An accumulator that is stored along an axis of another one is written nowhere itself.

func.func @stored_vector(%a: tensor<?x?xf64>, %v: tensor<?xf64>, %w: tensor<?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<?x?xf64>) {
  %r, %s = yarr.fold (%k < %n, %x = %v, %y = %a) -> tensor<?xf64>, tensor<?x?xf64> {
    %z = yarr.update %y[%k] along [1], %x in_bounds : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
    yarr.yield %w, %z : tensor<?xf64>, tensor<?x?xf64>
  }
  func.return %r, %s : tensor<?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @stored_vector(
// CHECK-NEXT:      [[INIT:%.*]] = yarr.transpose %a, [1, 0]
// CHECK-NEXT:      yarr.fold (%k < %n, %x = %v, %y = [[INIT]])
// CHECK:             yarr.update %y[%k] along [0], %x in_bounds
