// RUN: ein-opt %s --split-input-file -p convert-phi-to-yarr,dce | filecheck %s

// Each rule of Axial compilation; dead code is removed, for short listings.

// A constant has no axes: it is repeated over the index that it does not vary with.
func.func @constant(%n: i64) -> !phi.vec<f64> {
  %c = arith.constant 1.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %c : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @constant(%n: tensor<i64>) -> tensor<?xf64> {
// CHECK-NEXT:     %c = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK-NEXT:     %0 = yarr.assert_size %n, "size of index i"
// CHECK-NEXT:     %1 = yarr.unsqueeze %c, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %2 = yarr.repeat %1, 0, %0 : tensor<1xf64> -> tensor<?xf64>
// CHECK-NEXT:     func.return %2 : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// An index is the range over its size, as an Int of either width.
func.func @index(%a: !phi.vec<f64>) -> (!phi.vec<i64>, !phi.vec<i32>) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %wide = phi.array (%i < %n) -> !phi.vec<i64> {
    %k = arith.index_cast %i : index to i64
    phi.yield %k : i64
  }
  %narrow = phi.array (%i < %n) -> !phi.vec<i32> {
    %k = arith.index_cast %i : index to i32
    phi.yield %k : i32
  }
  func.return %wide, %narrow : !phi.vec<i64>, !phi.vec<i32>
}

// CHECK:        func.func @index(%a: tensor<?xf64>) -> (tensor<?xi64>, tensor<?xi32>) {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %i = yarr.range %n : tensor<?xi64>
// CHECK-NEXT:     %i_1 = yarr.range %n : tensor<?xi64>
// CHECK-NEXT:     %k = yarr.elementwise { arith.trunci } %i_1 : (tensor<?xi64>) -> tensor<?xi32>
// CHECK-NEXT:     func.return %i, %k : tensor<?xi64>, tensor<?xi32>
// CHECK-NEXT:   }

// -----

// Operands of a scalar operator are aligned: missing axes are added, and broadcast.
func.func @outer(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %c = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = phi.get %b[%j] : !phi.vec<f64>[index]
    %0 = arith.mulf %x, %y : f64
    phi.yield %0 : f64
  }
  func.return %c : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @outer(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %0 = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
// CHECK-NEXT:     %1 = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
// CHECK-NEXT:     %2 = yarr.elementwise { arith.mulf } %0, %1 : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %2 : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// Attributes of scalar operators are kept, and an operand used twice is passed once.
func.func @compare(%a: !phi.vec<f64>) -> !phi.vec<i1> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %c = phi.array (%i < %n) -> !phi.vec<i1> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %0 = arith.cmpf olt, %x, %x : f64
    phi.yield %0 : i1
  }
  func.return %c : !phi.vec<i1>
}

// CHECK:        func.func @compare(%a: tensor<?xf64>) -> tensor<?xi1> {
// CHECK-NEXT:     %0 = yarr.elementwise (%x = %a) : (tensor<?xf64>) -> tensor<?xi1> {
// CHECK-NEXT:       %1 = arith.cmpf olt, %x, %x : f64
// CHECK-NEXT:       yarr.yield %1 : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %0 : tensor<?xi1>
// CHECK-NEXT:   }

// -----

// A transposed access is a transposition, once.
func.func @transpose(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %c = phi.array (%i < %m, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  func.return %c : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @transpose(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %x = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %x : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// Constant and runtime positions are views of their selection.
func.func @row(%a: !phi.vec<!phi.vec<f64>>, %p: i64) -> !phi.vec<f64> {
  %r = phi.get %a[%p] : !phi.vec<!phi.vec<f64>>[i64]
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @row(%a: tensor<?x?xf64>, %p: tensor<i64>) -> tensor<?xf64> {
// CHECK-NEXT:     %0 = yarr.fill_empty %a, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     %r = yarr.take %0, 0, %p : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %r : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Positions in an array that does not vary with their indices are taken along one axis.
func.func @lookup(%table: !phi.vec<!phi.vec<f64>>, %ids: !phi.vec<i64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %ids, 0 : !phi.vec<i64>
  %m = phi.size %table, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %id = phi.get %ids[%i] : !phi.vec<i64>[index]
    %x = phi.get %table[%id, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @lookup(%table: tensor<?x?xf64>, %ids: tensor<?xi64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %0 = yarr.fill_empty %table, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     %x = yarr.take %0, 0, %ids : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %x : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// The diagonal reads one axis through the other: a gather.
func.func @diagonal(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n0 = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %n1 = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %n = phi.assert_eq %n0, %n1, "index i: size of a along axis 0, size of a along axis 1"
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @diagonal(%a: tensor<?x?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %n0 = yarr.size %a, 0 : tensor<?x?xf64>
// CHECK-NEXT:     %n1 = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:     %n = yarr.assert_eq %n0, %n1, "index i: size of a along axis 0, size of a along axis 1"
// CHECK-NEXT:     %x = yarr.einsum "aa->a" %a : (tensor<?x?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %x : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Positions that vary together are gathered at once; an axis that no position varies with stays.
func.func @gather(%a: !phi.vec<!phi.vec<!phi.vec<f64>>>, %p: !phi.vec<i64>, %q: !phi.vec<i64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %m = phi.size %q, 0 : !phi.vec<i64>
  %e = phi.assert_eq %n, %m, "index i"
  %k = phi.size %a, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %r = phi.array (%i < %e, %j < %k) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %p[%i] : !phi.vec<i64>[index]
    %y = phi.get %q[%i] : !phi.vec<i64>[index]
    %z = phi.get %a[%x, %j, %y] : !phi.vec<!phi.vec<!phi.vec<f64>>>[i64, index, i64]
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @gather(%a: tensor<?x?x?xf64>, %p: tensor<?xi64>, %q: tensor<?xi64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %n = yarr.size %p, 0 : tensor<?xi64>
// CHECK-NEXT:     %m = yarr.size %q, 0 : tensor<?xi64>
// CHECK-NEXT:     %e = yarr.assert_eq %n, %m, "index i"
// CHECK-NEXT:     %0 = yarr.fill_empty %a, 0 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:     %1 = yarr.fill_empty %0, 2 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:     %2 = yarr.transpose %1, [0, 2, 1] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:     %z = yarr.gather %2[%p, %q] : (tensor<?x?x?xf64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %z : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// Affine positions are slices, however they are written; those that may leave the bounds clip.
func.func @slices(%a: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %last = arith.subi %n, %c1 : i64
  %half = arith.floordivsi %n, %c2 : i64
  %odd = phi.array (%i < %half) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %0 = arith.addi %k, %c1 : i64
    %1 = arith.addi %0, %k : i64
    %x = phi.get %a[%1] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  %reversed = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %0 = arith.subi %last, %k : i64
    %x = phi.get %a[%0] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  %shifted = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %0 = arith.addi %c1, %k : i64
    %1 = arith.minsi %0, %last : i64
    %x = phi.get %a[%1] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %odd, %reversed, %shifted : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:        func.func @slices(%a: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %c2 = arith.constant dense<2> : tensor<i64>
// CHECK-NEXT:     %half = yarr.elementwise { arith.floordivsi } %n, %c2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %0 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %x = yarr.slice %a, 0, %0, %half step 2 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %1 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %2 = yarr.elementwise { arith.subi } %n, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %x_1 = yarr.slice %a, 0, %2, %n step -1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %3 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %x_2 = yarr.slice %a, 0, %3, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     func.return %x, %x_1, %x_2 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT:   }

// -----

// A bound that no position reaches is dropped, for an array of any size.

func.func @idle_bounds(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %b, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %rest = arith.subi %n, %two : i64
  %inner = arith.maxsi %rest, %zero : i64
  %r = phi.array (%i < %inner) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %0 = arith.addi %k, %two : i64
    %1 = arith.minsi %0, %last : i64
    %2 = arith.maxsi %1, %two : i64
    %x = phi.get %a[%2] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @idle_bounds(
// CHECK:          %x = yarr.slice %a, 0, %{{.*}}, %inner step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     func.return %x

// An index whose size is not that of the array is a clipped slice, not an axis.
func.func @other_size(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @other_size(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
// CHECK-NEXT:     %0 = yarr.assert_size %n, "size of index i"
// CHECK-NEXT:     %1 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %x = yarr.slice %a, 0, %1, %0 step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     func.return %x : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// The accumulator of a fold gets the axes that its steps vary with; the body is translated once.
func.func @pairwise_l1(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.subf %x, %y : f64
      %1 = math.absf %0 : f64
      %2 = arith.addf %acc, %1 : f64
      phi.yield %2 : f64
    }
    phi.yield %s : f64
  }
  func.return %d : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @pairwise_l1(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?x?xf64>
// CHECK-NEXT:     %m = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT:     %0 = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
// CHECK-NEXT:     %1 = yarr.repeat %0, 0, %n : tensor<1x1xf64> -> tensor<?x1xf64>
// CHECK-NEXT:     %2 = yarr.repeat %1, 1, %n : tensor<?x1xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     %s = yarr.fold (%k < %m, %acc = %2) -> tensor<?x?xf64> {
// CHECK-NEXT:       %x = yarr.take %a, 1, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
// CHECK-NEXT:       %y = yarr.take %a, 1, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
// CHECK-NEXT:       %3 = yarr.unsqueeze %x, [1] : tensor<?xf64> -> tensor<?x1xf64>
// CHECK-NEXT:       %4 = yarr.unsqueeze %y, [0] : tensor<?xf64> -> tensor<1x?xf64>
// CHECK-NEXT:       %5 = yarr.elementwise { arith.subf } %3, %4 : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:       %6 = yarr.elementwise { math.absf } %5 : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:       %7 = yarr.elementwise { arith.addf } %acc, %6 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:       yarr.yield %7 : tensor<?x?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %s : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// Fields of a record in an accumulator have their own axes.
func.func @record(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %m = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %init = phi.tuple (%one, %zero) : tuple<i64, f64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %init) -> tuple<i64, f64> {
      %p = phi.proj %acc, 0 : tuple<i64, f64> -> i64
      %q = phi.proj %acc, 1 : tuple<i64, f64> -> f64
      %0 = arith.addi %p, %p : i64
      %1 = arith.addf %q, %x : f64
      %next = phi.tuple (%0, %1) : tuple<i64, f64>
      phi.yield %next : tuple<i64, f64>
    }
    %t = phi.proj %s, 1 : tuple<i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @record(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
// CHECK-NEXT:     %m = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %one = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT:     %0 = yarr.assert_size %n, "size of index k"
// CHECK-NEXT:     %1 = yarr.unsqueeze %zero, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %2 = yarr.repeat %1, 0, %m : tensor<1xf64> -> tensor<?xf64>
// CHECK-NEXT:     %s, %s_1 = yarr.fold (%k < %0, %acc = %one, %acc_1 = %2) -> tensor<i64>, tensor<?xf64> {
// CHECK-NEXT:       %3 = yarr.elementwise (%p = %acc) : (tensor<i64>) -> tensor<i64> {
// CHECK-NEXT:         %4 = arith.addi %p, %p : i64
// CHECK-NEXT:         yarr.yield %4 : i64
// CHECK-NEXT:       }
// CHECK-NEXT:       %5 = yarr.elementwise { arith.addf } %acc_1, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:       yarr.yield %3, %5 : tensor<i64>, tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %s_1 : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Reductions that libraries know; an identity that is not the operation's is combined once.
func.func @reduce(%a: !phi.vec<!phi.vec<f64>>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %sums = phi.array (%i < %n) -> !phi.vec<f64> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %s = phi.reduce %row identity %zero by { arith.addf } -> f64
    phi.yield %s : f64
  }
  %maxima = phi.array (%i < %n) -> !phi.vec<f64> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %s = phi.reduce %row identity %zero by { arith.maximumf } -> f64
    phi.yield %s : f64
  }
  func.return %sums, %maxima : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:        func.func @reduce(%a: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT:     %s = yarr.reduce %a, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %s_1 = yarr.reduce %a, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %0 = yarr.unsqueeze %zero, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %s_2 = yarr.elementwise { arith.maximumf } %0, %s_1 : (tensor<1xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %s, %s_2 : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Other reductions combine pairs, all pairs at once, along a leading axis.
func.func @last(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %s = phi.reduce %row identity %zero by (%x, %y) -> f64 {
      phi.yield %y : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @last(%a: tensor<?x?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?x?xf64>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT:     %0 = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     %1 = yarr.unsqueeze %zero, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %2 = yarr.repeat %1, 0, %n : tensor<1xf64> -> tensor<?xf64>
// CHECK-NEXT:     %s = yarr.tree_reduce %0 identity %2 : tensor<?x?xf64> identity tensor<?xf64> -> tensor<?xf64> {
// CHECK-NEXT:     ^bb0(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>):
// CHECK-NEXT:       yarr.yield %y : tensor<?x?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %s : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Inner sizes of a concatenation must agree; sizes that could be negative are checked.
func.func @concat(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %c = phi.concat %a, %b : !phi.vec<!phi.vec<f64>>
  func.return %c : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @concat(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %0 = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:     %1 = yarr.size %b, 1 : tensor<?x?xf64>
// CHECK-NEXT:     %2 = yarr.assert_eq %0, %1, "concat: sizes along axis 1 differ"
// CHECK-NEXT:     %c = yarr.concat %a, %b axis 0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %c : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// A call of an extern carries the axes that its arguments vary with.
func.func @extern(%a: !phi.vec<!phi.vec<f64>>, %t: tuple<i64, f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %s = phi.extern @sort(%row) : (!phi.vec<f64>) -> !phi.vec<f64>
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @extern(%a: tensor<?x?xf64>, %t: tuple<tensor<i64>, tensor<f64>>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %s = yarr.extern @sort(%a) batch 1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %s : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// The axis of the vector is the first after those of the indices.
func.func @search(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %k = phi.argreduce %row by "<" : !phi.vec<f64>
    phi.yield %k : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK:        func.func @search(%a: tensor<?x?xf64>) -> tensor<?xi64> {
// CHECK:          %k = yarr.argreduce %a, 1 by "<" : tensor<?x?xf64> -> tensor<?xi64>
// CHECK-NEXT:     func.return %k : tensor<?xi64>

// -----

// The positions of the first ones of each column: the count is checked like that of a loop.
func.func @first(%a: !phi.vec<!phi.vec<f64>>, %k: i64) -> !phi.vec<!phi.vec<i64>> {
  %n = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<i64>> {
    %column = phi.array (%j < %m) -> !phi.vec<f64> {
      %x = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %x : f64
    }
    %rank = phi.top_k %column, %k by ">" : !phi.vec<f64>
    phi.yield %rank : !phi.vec<i64>
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}

// CHECK:        func.func @first(%a: tensor<?x?xf64>, %k: tensor<i64>) -> tensor<?x?xi64> {
// CHECK:          %x = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     %0 = yarr.assert_size %k, "size of index rank"
// CHECK-NEXT:     %rank = yarr.top_k %x, 1, %0 by ">" : tensor<?x?xf64> -> tensor<?x?xi64>
// CHECK-NEXT:     func.return %rank : tensor<?x?xi64>

// -----

// Keys that vary with an index, which becomes a key, and values that vary with another one.
func.func @segments(%x: !phi.vec<!phi.vec<f64>>, %k: !phi.vec<!phi.vec<i64>>, %m: i64) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
  %b = phi.size %k, 0 : !phi.vec<!phi.vec<i64>>
  %d = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %s = phi.array (%i < %b, %j < %d) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
    %key = phi.get %k[%i] : !phi.vec<!phi.vec<i64>>[index]
    %row = phi.get %x[%j] : !phi.vec<!phi.vec<f64>>[index]
    %l = phi.size %key, 0 : !phi.vec<i64>
    %t = phi.accumulate (%e < %l) into "add" (%m) -> !phi.vec<f64> {
      %p0 = phi.get %key[%e] : !phi.vec<i64>[index]
      %value = phi.get %row[%e] : !phi.vec<f64>[index]
      %at = phi.tuple (%p0, %value) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    phi.yield %t : !phi.vec<f64>
  }
  func.return %s : !phi.vec<!phi.vec<!phi.vec<f64>>>
}

// CHECK:      func.func @segments(%x: tensor<?x?xf64>, %k: tensor<?x?xi64>, %m: tensor<i64>) -> tensor<?x?x?xf64> {
// CHECK-NEXT:   %b = yarr.size %k, 0 : tensor<?x?xi64>
// CHECK-NEXT:   %i = yarr.range %b : tensor<?xi64>
// CHECK-NEXT:   %l = yarr.size %k, 1 : tensor<?x?xi64>
// CHECK-NEXT:   %0 = yarr.assert_size %m, "size 0 of the accumulation"
// CHECK-NEXT:   %1 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %value = yarr.slice %x, 1, %1, %l step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %2 = yarr.transpose %value, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %3 = yarr.unsqueeze %2, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
// CHECK-NEXT:   %4 = yarr.unsqueeze %i, [1] : tensor<?xi64> -> tensor<?x1xi64>
// CHECK-NEXT:   %t = yarr.accumulate "add" %3 by %4, %k into %b, %0 : tensor<1x?x?xf64> by tensor<?x1xi64>, tensor<?x?xi64> -> tensor<?x?x?xf64>
// CHECK-NEXT:   %t_1 = yarr.transpose %t, [0, 2, 1] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:   func.return %t_1 : tensor<?x?x?xf64>
// CHECK-NEXT: }

// -----

// Weights along the axis of the scan, after those of an index. Totals of Ints are subtracted.
func.func @weighted(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<f64>, %y: !phi.vec<i64>, %c: i64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<i64>) {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %x[%i] : !phi.vec<!phi.vec<f64>>[index]
    %weight = phi.get %w[%i] : !phi.vec<f64>[index]
    %s = phi.weighted_scan "max" %row by %weight : !phi.vec<f64> by f64
    %z = phi.get %s[%j] : !phi.vec<f64>[index]
    phi.yield %z : f64
  }
  %t = phi.weighted_scan "min" %y by %c : !phi.vec<i64> by i64
  func.return %r, %t : !phi.vec<!phi.vec<f64>>, !phi.vec<i64>
}

// CHECK:      func.func @weighted(%x: tensor<?x?xf64>, %w: tensor<?xf64>, %y: tensor<?xi64>, %c: tensor<i64>) -> (tensor<?x?xf64>, tensor<?xi64>) {
// CHECK-NEXT:   %n = yarr.size %x, 0 : tensor<?x?xf64>
// CHECK-NEXT:   %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %weight = yarr.slice %w, 0, %0, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %1 = yarr.unsqueeze %weight, [1] : tensor<?xf64> -> tensor<?x1xf64>
// CHECK-NEXT:   %s = yarr.weighted_scan "max" %x by %1, 1 : tensor<?x?xf64> by tensor<?x1xf64>
// CHECK-NEXT:   %2 = yarr.unsqueeze %c, [0] : tensor<i64> -> tensor<1xi64>
// CHECK-NEXT:   %3 = yarr.size %y, 0 : tensor<?xi64>
// CHECK-NEXT:   %4 = yarr.range %3 : tensor<?xi64>
// CHECK-NEXT:   %5 = yarr.elementwise { arith.muli } %4, %2 : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
// CHECK-NEXT:   %6 = yarr.elementwise { arith.subi } %y, %5 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:   %t = yarr.scan "min" %6, 0 inclusive : tensor<?xi64> -> tensor<?xi64>
// CHECK-NEXT:   %7 = yarr.elementwise { arith.addi } %t, %5 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:   func.return %s, %7 : tensor<?x?xf64>, tensor<?xi64>
// CHECK-NEXT: }

// -----

// A scan along its own axis, after that of an index; positions in bounds are a slice.
func.func @scan(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %b = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %s = phi.array (%i < %b, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %x[%i] : !phi.vec<!phi.vec<f64>>[index]
    %t = phi.scan "add" %row : !phi.vec<f64>
    %j_1 = arith.index_cast %j : index to i64
    %p = arith.addi %j_1, %one : i64
    %y = phi.get %t[%p] : !phi.vec<f64>[i64]
    phi.yield %y : f64
  }
  func.return %s : !phi.vec<!phi.vec<f64>>
}

// CHECK:      func.func @scan(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:   %n = yarr.size %x, 1 : tensor<?x?xf64>
// CHECK-NEXT:   %t = yarr.scan "add" %x, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %0 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:   %y = yarr.slice %t, 1, %0, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %y : tensor<?x?xf64>
// CHECK-NEXT: }

// -----

// NaN from others, at the positions of the vector, which is repeated if others have more indices.
func.func @others(%x: !phi.vec<f64>, %y: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %b = phi.size %y, 0 : !phi.vec<!phi.vec<f64>>
  %s = phi.array (%i < %b, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %y[%i] : !phi.vec<!phi.vec<f64>>[index]
    %t = phi.propagate_nan %x from %row : !phi.vec<f64> from !phi.vec<f64>
    %z = phi.get %t[%j] : !phi.vec<f64>[index]
    phi.yield %z : f64
  }
  func.return %s : !phi.vec<!phi.vec<f64>>
}

// CHECK:      func.func @others(%x: tensor<?xf64>, %y: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:   %b = yarr.size %y, 0 : tensor<?x?xf64>
// CHECK-NEXT:   %0 = yarr.size %x, 0 : tensor<?xf64>
// CHECK-NEXT:   %1 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %2 = yarr.slice %y, 1, %1, %0 step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %3 = yarr.unsqueeze %x, [0] : tensor<?xf64> -> tensor<1x?xf64>
// CHECK-NEXT:   %4 = yarr.repeat %3, 0, %b : tensor<1x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %t = yarr.propagate_nan %4 from %2, 1 : tensor<?x?xf64> from tensor<?x?xf64>
// CHECK-NEXT:   func.return %t : tensor<?x?xf64>
// CHECK-NEXT: }

// -----

// An index modulo the size of the dimension, which is its own: a rotation.
func.func @rotation(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %c1 = arith.constant 1 : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %0 = arith.subi %k, %c1 : i64
    %1 = sigma.floormod %0, %n : i64
    %x = phi.get %a[%1] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}

// Not if the modulus, or the number of indices, differs.
func.func @other_modulus(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %0 = sigma.floormod %k, %m : i64
    %x = phi.get %a[%0] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @rotation(%a: tensor<?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %1 = arith.constant dense<-1> : tensor<i64>
// CHECK-NEXT:     %2 = yarr.elementwise { sigma.floormod } %1, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %3 = yarr.elementwise { arith.subi } %n, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %4 = yarr.slice %a, 0, %2, %3 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %5 = yarr.slice %a, 0, %0, %2 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %x = yarr.concat %4, %5 axis 0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %x : tensor<?xf64>
// CHECK-NEXT:   }
// CHECK:        func.func @other_modulus(%a: tensor<?xf64>, %m: tensor<i64>) -> tensor<?xf64> {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %i = yarr.range %n : tensor<?xi64>
// CHECK-NEXT:     %0 = yarr.unsqueeze %m, [0] : tensor<i64> -> tensor<1xi64>
// CHECK-NEXT:     %1 = yarr.elementwise { sigma.floormod } %i, %0 : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
// CHECK-NEXT:     %2 = yarr.fill_empty %a, 0 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %x = yarr.take %2, 0, %1 : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %x : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Several rotations are slices of the array with each end repeated at the other.
func.func @several_rotations(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %0 = arith.subi %k, %c1 : i64
    %1 = sigma.floormod %0, %n : i64
    %x = phi.get %a[%1] : !phi.vec<f64>[i64]
    %2 = arith.addi %k, %c2 : i64
    %3 = sigma.floormod %2, %n : i64
    %y = phi.get %a[%3] : !phi.vec<f64>[i64]
    %z = arith.addf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<f64>
}

// So is one for more indices than there are elements.
func.func @longer_rotation(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %longer = arith.addi %n, %c1 : i64
  %m = arith.maxsi %longer, %c0 : i64
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %0 = sigma.floormod %k, %n : i64
    %x = phi.get %a[%0] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @several_rotations(%a: tensor<?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %0 = yarr.fill_empty %a, 0 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %1 = yarr.size %0, 0 : tensor<?xf64>
// CHECK-NEXT:     %2 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %3 = arith.constant dense<-1> : tensor<i64>
// CHECK-NEXT:     %4 = yarr.elementwise { sigma.floormod } %3, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %5 = yarr.slice %0, 0, %4, %2 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %6 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %7 = yarr.slice %0, 0, %6, %2 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %8 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %9 = yarr.elementwise { sigma.floormod } %8, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %10 = yarr.slice %0, 0, %9, %2 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %11 = yarr.concat %5, %0, %7, %10 axis 0 : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %12 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %x = yarr.slice %11, 0, %12, %n step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %13 = yarr.fill_empty %a, 0 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %14 = yarr.size %13, 0 : tensor<?xf64>
// CHECK-NEXT:     %15 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %16 = arith.constant dense<-1> : tensor<i64>
// CHECK-NEXT:     %17 = yarr.elementwise { sigma.floormod } %16, %14 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %18 = yarr.slice %13, 0, %17, %15 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %19 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %20 = yarr.slice %13, 0, %19, %15 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %21 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %22 = yarr.elementwise { sigma.floormod } %21, %14 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %23 = yarr.slice %13, 0, %22, %15 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %24 = yarr.concat %18, %13, %20, %23 axis 0 : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %25 = arith.constant dense<3> : tensor<i64>
// CHECK-NEXT:     %y = yarr.slice %24, 0, %25, %n step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %z = yarr.elementwise { arith.addf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %z : tensor<?xf64>
// CHECK-NEXT:   }
// CHECK:        func.func @longer_rotation(%a: tensor<?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %c0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %c1 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %longer = yarr.elementwise { arith.addi } %n, %c1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %m = yarr.elementwise { arith.maxsi } %longer, %c0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %0 = yarr.fill_empty %a, 0 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %1 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %2 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %3 = yarr.slice %0, 0, %2, %1 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %4 = yarr.concat %0, %3 axis 0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %5 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %x = yarr.slice %4, 0, %5, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     func.return %x : tensor<?xf64>
// CHECK-NEXT:   }

// Updates at positions that vary with an index are a choice; one alone is an update.
func.func @update(%v: !phi.vec<f64>, %p: !phi.vec<i64>, %x: f64)
    -> (!phi.vec<f64>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %w = phi.update %v[%n], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %k = phi.get %p[%i] : !phi.vec<i64>[index]
    %u = phi.update %v[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %w, %r : !phi.vec<f64>, !phi.vec<!phi.vec<f64>>
}
// CHECK:        func.func @update(%v: tensor<?xf64>, %p: tensor<?xi64>, %x: tensor<f64>) -> (tensor<?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:     %n = yarr.size %p, 0 : tensor<?xi64>
// CHECK-NEXT:     %w = yarr.update %v[%n] along [0], %x : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
// CHECK-NEXT:     %0 = yarr.unsqueeze %v, [0] : tensor<?xf64> -> tensor<1x?xf64>
// CHECK-NEXT:     %1 = yarr.repeat %0, 0, %n : tensor<1x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     %2 = yarr.unsqueeze %x, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %3 = yarr.size %1, 1 : tensor<?x?xf64>
// CHECK-NEXT:     %4 = yarr.range %3 : tensor<?xi64>
// CHECK-NEXT:     %5 = yarr.unsqueeze %4, [0] : tensor<?xi64> -> tensor<1x?xi64>
// CHECK-NEXT:     %6 = yarr.unsqueeze %p, [1] : tensor<?xi64> -> tensor<?x1xi64>
// CHECK-NEXT:     %7 = yarr.elementwise (%8 = %5, %9 = %6) : (tensor<1x?xi64>, tensor<?x1xi64>) -> tensor<?x?xi1> {
// CHECK-NEXT:       %10 = arith.cmpi eq, %8, %9 : i64
// CHECK-NEXT:       yarr.yield %10 : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     %11 = yarr.unsqueeze %2, [1] : tensor<1xf64> -> tensor<1x1xf64>
// CHECK-NEXT:     %12 = yarr.elementwise { arith.select } %7, %11, %1 : (tensor<?x?xi1>, tensor<1x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %w, %12 : tensor<?xf64>, tensor<?x?xf64>
// CHECK-NEXT:   }

// A position affine in several indices, with steps of the program; windows with the counter of a loop.
func.func @strided(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %rows = arith.floordivsi %n, %m : i64
  %r = phi.array (%i < %rows, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %i0 = arith.index_cast %i : index to i64
    %j0 = arith.index_cast %j : index to i64
    %start = arith.muli %m, %i0 : i64
    %p = arith.addi %j0, %start : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK:        func.func @strided(%a: tensor<?xf64>, %m: tensor<i64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %rows = yarr.elementwise { arith.floordivsi } %n, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %0 = yarr.assert_size %rows, "size of index i"
// CHECK-NEXT:     %1 = yarr.assert_size %m, "size of index j"
// CHECK-NEXT:     %2 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %3 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %x = yarr.strided %a, 0, %2, sizes(%0, %1), steps(%m, %3) : tensor<?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %x : tensor<?x?xf64>
// CHECK-NEXT:   }

// Two axes read as one.
func.func @flat(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %size = arith.muli %n, %m : i64
  %r = phi.array (%p < %size) -> !phi.vec<f64> {
    %p0 = arith.index_cast %p : index to i64
    %row = arith.floordivsi %p0, %m : i64
    %column = sigma.floormod %p0, %m : i64
    %x = phi.get %a[%row, %column] : !phi.vec<!phi.vec<f64>>[i64, i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:        func.func @flat(%a: tensor<?x?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?x?xf64>
// CHECK-NEXT:     %m = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:     %size = yarr.elementwise { arith.muli } %n, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %0 = yarr.assert_size %size, "size of index p"
// CHECK-NEXT:     %x = yarr.flatten %a, 0 : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:     func.return %x : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// Slices of rows: the rows of both arrays are axes, and their sizes are compared.
func.func @update_slice(%m: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<!phi.vec<f64>>, %p: i64) -> !phi.vec<!phi.vec<f64>> {
  %u = phi.update_slice %m[%p by %p], %x : !phi.vec<!phi.vec<f64>>
  func.return %u : !phi.vec<!phi.vec<f64>>
}
// CHECK:        func.func @update_slice(%m: tensor<?x?xf64>, %x: tensor<?x?xf64>, %p: tensor<i64>) -> tensor<?x?xf64> {
// CHECK-NEXT:     %0 = yarr.size %m, 1 : tensor<?x?xf64>
// CHECK-NEXT:     %1 = yarr.size %x, 1 : tensor<?x?xf64>
// CHECK-NEXT:     %2 = yarr.assert_eq %0, %1, "update_slice: sizes along axis 1 differ"
// CHECK-NEXT:     %3 = yarr.size %x, 0 : tensor<?x?xf64>
// CHECK-NEXT:     %u = yarr.update_slice %m[%p, %3 by %p] along 0, %x : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     func.return %u : tensor<?x?xf64>
// CHECK-NEXT:   }

// -----

// Neighbouring elements: what is before them and behind them is joined with the new ones.
func.func @update_range(%a: !phi.vec<f64>, %x: !phi.vec<f64>, %p: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %u = phi.update_slice %a[%p by %one], %x : !phi.vec<f64>
  %v = phi.update_slice %a[%zero by %one], %x : !phi.vec<f64>
  func.return %u, %v : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:        func.func @update_range(%a: tensor<?xf64>, %x: tensor<?xf64>, %p: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:     %zero = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %0 = yarr.size %x, 0 : tensor<?xf64>
// CHECK-NEXT:     %1 = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %2 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %3 = yarr.slice %a, 0, %2, %p step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %4 = yarr.elementwise { arith.addi } %p, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %5 = yarr.elementwise { arith.subi } %1, %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %6 = yarr.elementwise { arith.maxsi } %5, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %7 = yarr.slice %a, 0, %4, %6 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %u = yarr.concat %3, %x, %7 axis 0 of %1 : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %8 = yarr.size %x, 0 : tensor<?xf64>
// CHECK-NEXT:     %9 = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:     %10 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %11 = yarr.elementwise { arith.addi } %zero, %8 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %12 = yarr.elementwise { arith.subi } %9, %11 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %13 = yarr.elementwise { arith.maxsi } %12, %10 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %14 = yarr.slice %a, 0, %11, %13 step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:     %v = yarr.concat %x, %14 axis 0 of %9 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     func.return %u, %v : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT:   }

// -----

// New elements that are the same for all indices get their axes before they are joined.
func.func @update_ranges(%m: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %m, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %a = phi.get %m[%i] : !phi.vec<!phi.vec<f64>>[index]
    %u = phi.update_slice %a[%zero by %one], %x : !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @update_ranges
// CHECK:          [[ROW:%.*]] = yarr.unsqueeze %x
// CHECK:          [[ROWS:%.*]] = yarr.repeat [[ROW]]
// CHECK:          yarr.concat [[ROWS]], {{.*}} axis 1

// -----

// A slice of an array that no step of a loop changes is taken before the row of each step.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %four = arith.constant 4 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %init = phi.array (%i < %four) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%k < %n, %v = %init) -> !phi.vec<f64> {
    %w = phi.array (%i < %four) -> !phi.vec<f64> {
      %x = phi.get %a[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = phi.get %v[%i] : !phi.vec<f64>[index]
      %z = arith.subf %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:        func.func @rows(%a: tensor<?x?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT:     %four = arith.constant dense<4> : tensor<i64>
// CHECK-NEXT:     %n = yarr.size %a, 0 : tensor<?x?xf64>
// CHECK-NEXT:     %0 = yarr.unsqueeze %zero, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %1 = yarr.repeat %0, 0, %four : tensor<1xf64> -> tensor<?xf64>
// CHECK-NEXT:     %r = yarr.fold (%k < %n, %v = %1) -> tensor<?xf64> {
// CHECK-NEXT:       %2 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:       %3 = yarr.slice %a, 1, %2, %four step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:       %x = yarr.take %3, 0, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
// CHECK-NEXT:       %z = yarr.elementwise { arith.subf } %x, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:       yarr.yield %z : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : tensor<?xf64>
// CHECK-NEXT:   }

// -----

// A loop goes on until all elements are done: those that are do not change. The operation is phi.while.

func.func @newton(%a: !phi.vec<f64>, %limit: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %true = arith.constant true
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %start = phi.tuple (%true, %x) : tuple<i1, f64>
    %r = phi.while (%k < %limit, %acc = %start) -> tuple<i1, f64> {
      %y = phi.proj %acc, 1 : tuple<i1, f64> -> f64
      %root = math.sqrt %y : f64
      %more = arith.cmpf ogt, %root, %x : f64
      %next = phi.tuple (%more, %root) : tuple<i1, f64>
      phi.yield %next : tuple<i1, f64>
    }
    %z = phi.proj %r, 1 : tuple<i1, f64> -> f64
    phi.yield %z : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK:      func.func @newton(%a: tensor<?xf64>, %limit: tensor<i64>) -> tensor<?xf64> {
// CHECK-NEXT:   %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:   %true = arith.constant dense<true> : tensor<i1>
// CHECK-NEXT:   %0 = yarr.assert_size %limit, "limit of k"
// CHECK-NEXT:   %1 = yarr.unsqueeze %true, [0] : tensor<i1> -> tensor<1xi1>
// CHECK-NEXT:   %2 = yarr.repeat %1, 0, %n : tensor<1xi1> -> tensor<?xi1>
// CHECK-NEXT:   %3 = yarr.reduce %2, [0] by { arith.ori } : tensor<?xi1> -> tensor<i1>
// CHECK-NEXT:   %r, %r_1, %r_2 = yarr.while (%k < %0, %more = %3, %acc = %2, %acc_1 = %a) -> tensor<i1>, tensor<?xi1>, tensor<?xf64> {
// CHECK-NEXT:     %root = yarr.elementwise { math.sqrt } %acc_1 : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %more_1 = yarr.elementwise (%root_1 = %root, %x = %a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1> {
// CHECK-NEXT:       %more_2 = arith.cmpf ogt, %root_1, %x : f64
// CHECK-NEXT:       yarr.yield %more_2 : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     %4 = yarr.elementwise { arith.andi } %acc, %more_1 : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
// CHECK-NEXT:     %5 = yarr.elementwise { arith.select } %acc, %root, %acc_1 : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %6 = yarr.reduce %4, [0] by { arith.ori } : tensor<?xi1> -> tensor<i1>
// CHECK-NEXT:     yarr.yield %6, %4, %5 : tensor<i1>, tensor<?xi1>, tensor<?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r_2 : tensor<?xf64>
// CHECK-NEXT: }

// -----

// Elements that are done go on where nobody can tell: only the number of steps is used, and no array
// is read. The number is a sum of masks.

func.func @escapes(%a: !phi.vec<f64>, %limit: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %true = arith.constant true
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4.0 : f64
  %b = phi.array (%i < %n) -> !phi.vec<i64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %start = phi.tuple (%true, %x, %zero) : tuple<i1, f64, i64>
    %r = phi.while (%k < %limit, %acc = %start) -> tuple<i1, f64, i64> {
      %y = phi.proj %acc, 1 : tuple<i1, f64, i64> -> f64
      %square = arith.mulf %y, %y : f64
      %more = arith.cmpf olt, %square, %four : f64
      %count = arith.addi %k, %one : i64
      %next = phi.tuple (%more, %square, %count) : tuple<i1, f64, i64>
      phi.yield %next : tuple<i1, f64, i64>
    }
    %z = phi.proj %r, 2 : tuple<i1, f64, i64> -> i64
    phi.yield %z : i64
  }
  func.return %b : !phi.vec<i64>
}
// CHECK:      func.func @escapes(%a: tensor<?xf64>, %limit: tensor<i64>) -> tensor<?xi64> {
// CHECK:        %r, %r_1, %r_2, %r_3 = yarr.while (%k < %0, %more = %5, %acc = %2, %acc_1 = %a, %acc_2 = %4) -> tensor<i1>, tensor<?xi1>, tensor<?xf64>, tensor<?xi64> {
// CHECK-NEXT:     %square = yarr.elementwise (%y = %acc_1) : (tensor<?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:       %square_1 = arith.mulf %y, %y : f64
// CHECK-NEXT:       yarr.yield %square_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %6 = yarr.unsqueeze %four, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %more_1 = yarr.elementwise (%square_2 = %square, %four_1 = %6) : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xi1> {
// CHECK-NEXT:       %more_2 = arith.cmpf olt, %square_2, %four_1 : f64
// CHECK-NEXT:       yarr.yield %more_2 : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     %7 = yarr.elementwise { arith.andi } %acc, %more_1 : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
// CHECK-NEXT:     %8 = yarr.elementwise { arith.extui } %acc : (tensor<?xi1>) -> tensor<?xi64>
// CHECK-NEXT:     %9 = yarr.elementwise { arith.addi } %acc_2, %8 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:     %10 = yarr.reduce %7, [0] by { arith.ori } : tensor<?xi1> -> tensor<i1>
// CHECK-NEXT:     yarr.yield %10, %7, %square, %9 : tensor<i1>, tensor<?xi1>, tensor<?xf64>, tensor<?xi64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r_3 : tensor<?xi64>

// -----

// They do not where the position of a read is computed, which may be in bounds by the condition.

func.func @links(%a: !phi.vec<i64>, %limit: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %true = arith.constant true
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %b = phi.array (%i < %n) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %start = phi.tuple (%true, %p, %zero) : tuple<i1, i64, i64>
    %r = phi.while (%k < %limit, %acc = %start) -> tuple<i1, i64, i64> {
      %y = phi.proj %acc, 1 : tuple<i1, i64, i64> -> i64
      %next = phi.get %a[%y] : !phi.vec<i64>[i64]
      %more = arith.cmpi sgt, %next, %zero : i64
      %count = arith.addi %k, %one : i64
      %state = phi.tuple (%more, %next, %count) : tuple<i1, i64, i64>
      phi.yield %state : tuple<i1, i64, i64>
    }
    %z = phi.proj %r, 2 : tuple<i1, i64, i64> -> i64
    phi.yield %z : i64
  }
  func.return %b : !phi.vec<i64>
}
// CHECK:      func.func @links(%a: tensor<?xi64>, %limit: tensor<i64>) -> tensor<?xi64> {
// CHECK:        %r, %r_1, %r_2, %r_3 = yarr.while (%k < %0, %more = %5, %acc = %2, %acc_1 = %i, %acc_2 = %4) -> tensor<i1>, tensor<?xi1>, tensor<?xi64>, tensor<?xi64> {
// CHECK-NEXT:     %6 = yarr.fill_empty %a, 0 : tensor<?xi64> -> tensor<?xi64>
// CHECK-NEXT:     %next = yarr.take %6, 0, %acc_1 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:     %more_1 = yarr.elementwise (%next_1 = %next, %zero_1 = %3) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1> {
// CHECK-NEXT:       %more_2 = arith.cmpi sgt, %next_1, %zero_1 : i64
// CHECK-NEXT:       yarr.yield %more_2 : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     %7 = yarr.elementwise { arith.andi } %acc, %more_1 : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
// CHECK-NEXT:     %8 = yarr.elementwise { arith.select } %acc, %next, %acc_1 : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:     %9 = yarr.elementwise { arith.extui } %acc : (tensor<?xi1>) -> tensor<?xi64>
// CHECK-NEXT:     %10 = yarr.elementwise { arith.addi } %acc_2, %9 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:     %11 = yarr.reduce %7, [0] by { arith.ori } : tensor<?xi1> -> tensor<i1>
// CHECK-NEXT:     yarr.yield %11, %7, %8, %10 : tensor<i1>, tensor<?xi1>, tensor<?xi64>, tensor<?xi64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r_3 : tensor<?xi64>

// -----

// phi.argsort sorts along the axis of its vector.

func.func @orders(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<i64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<i64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %order = phi.argsort %row : !phi.vec<f64>
    phi.yield %order : !phi.vec<i64>
  }
  func.return %p : !phi.vec<!phi.vec<i64>>
}
// CHECK:      func.func @orders(%a: tensor<?x?xf64>) -> tensor<?x?xi64> {
// CHECK-NEXT:   %order = yarr.argsort %a, 1 : tensor<?x?xf64> -> tensor<?x?xi64>
// CHECK-NEXT:   func.return %order : tensor<?x?xi64>
// CHECK-NEXT: }

// -----

// phi.searchsorted searches in the vectors along the last axis; their other axes come first.

func.func @places(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>) -> !phi.vec<!phi.vec<i64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 0 : !phi.vec<f64>
  %p = phi.array (%j < %m, %i < %n) -> !phi.vec<!phi.vec<i64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %y = phi.get %x[%j] : !phi.vec<f64>[index]
    %place = phi.searchsorted %row, %y : !phi.vec<f64>, f64
    phi.yield %place : i64
  }
  func.return %p : !phi.vec<!phi.vec<i64>>
}
// CHECK:      func.func @places(%a: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?x?xi64> {
// CHECK:        %place = yarr.searchsorted %a, {{.*}} : tensor<?x?xf64>, tensor<?x?xf64> -> tensor<?x?xi64>
// CHECK-NEXT:   {{.*}} = yarr.transpose %place, [1, 0] : tensor<?x?xi64> -> tensor<?x?xi64>

// -----

// phi.sort sorts along the axis of its vector.

func.func @in_order(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %sorted = phi.sort %row : !phi.vec<f64>
    phi.yield %sorted : !phi.vec<f64>
  }
  func.return %p : !phi.vec<!phi.vec<f64>>
}
// CHECK:      func.func @in_order(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:   %sorted = yarr.sort %a, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %sorted : tensor<?x?xf64>
// CHECK-NEXT: }

// -----

// An argument that is a count is a size in a step: its positions from the end are in bounds.

func.func @counted_down(%n: i64, %x: f64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %start = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %last = arith.subi %n, %one : i64
  %r = phi.fold (%k < %n, %v = %start) -> !phi.vec<f64> {
    %p = arith.subi %last, %k : i64
    %y = phi.get %v[%p] : !phi.vec<f64>[i64]
    %z = math.sqrt %y : f64
    %u = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @counted_down
// CHECK:         yarr.take {{.*}} in_bounds
// CHECK:         yarr.update {{.*}} in_bounds

// -----

// A version of a program for arguments with axes of equal sizes compares these first.
func.func @square(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>) -> i64
    attributes {ein.equal_axes = [array<i64: 1, 1>, array<i64: 1>]} {
  %n = phi.size %b, 0 : !phi.vec<f64>
  func.return %n : i64
}

// CHECK-LABEL:  func.func @square(
// CHECK-NEXT:     %0 = yarr.size %a, 0
// CHECK-NEXT:     %1 = yarr.size %a, 1
// CHECK-NEXT:     %2 = yarr.assert_eq %0, %1, "this version takes equal sizes: a along axis 0, a along axis 1"
// CHECK-NEXT:     %3 = yarr.size %a, 0
// CHECK-NEXT:     %4 = yarr.size %b, 0
// CHECK-NEXT:     %5 = yarr.assert_eq %3, %4, "this version takes equal sizes: a along axis 0, b along axis 0"

// -----

// A record has a row for each of its leaves.
func.func @of_record(%r: tuple<f64, tuple<!phi.vec<f64>>>, %b: !phi.vec<f64>) -> i64
    attributes {ein.equal_axes = [array<i64>, array<i64: 1>, array<i64: 1>]} {
  %n = phi.size %b, 0 : !phi.vec<f64>
  func.return %n : i64
}

// CHECK-LABEL:  func.func @of_record(
// CHECK:          %[[FIELD:.*]] = yarr.proj %{{.*}}, 0
// CHECK:          yarr.size %{{.*}}, 0
// CHECK:          yarr.size %b, 0
// CHECK-NEXT:     yarr.assert_eq {{.*}}, "this version takes equal sizes: r[1][0] along axis 0, b along axis 0"

// -----

// What a stack holds are indices, by induction, and so many that its top is in bounds. An update at
// a chosen position has the choice as its condition.
func.func @stack(%x: !phi.vec<i64>, %start: !phi.vec<i64>) -> !phi.vec<i64> {
  %n = phi.size %x, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %beside = arith.constant -1 : i64
  %empty = phi.array (%i < %n) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%empty, %zero) : tuple<!phi.vec<i64>, i64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<i64>, i64> {
    %stack = phi.proj %s, 0 : tuple<!phi.vec<i64>, i64> -> !phi.vec<i64>
    %top = phi.proj %s, 1 : tuple<!phi.vec<i64>, i64> -> i64
    %held = phi.get %stack[%k] : !phi.vec<i64>[i64]
    %y = phi.get %x[%held] : !phi.vec<i64>[i64]
    %c = arith.cmpi sgt, %y, %zero : i64
    %p = arith.select %c, %top, %beside : i64
    %more = phi.update %stack[%p], %k : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %above = arith.addi %top, %one : i64
    %next = arith.select %c, %above, %top : i64
    %after = phi.tuple (%more, %next) : tuple<!phi.vec<i64>, i64>
    phi.yield %after : tuple<!phi.vec<i64>, i64>
  }
  %t = phi.proj %r, 0 : tuple<!phi.vec<i64>, i64> -> !phi.vec<i64>
  func.return %t : !phi.vec<i64>
}
// CHECK-LABEL: func.func @stack
// CHECK:         yarr.fold
// CHECK:         %held = yarr.take %{{.*}}, 0, %k in_bounds
// CHECK:         %y = yarr.take %{{.*}}, 0, %held in_bounds
// CHECK:         yarr.update %{{.*}}[%{{.*}}] along [0], %k if %c in_bounds

// -----

// A position that shares an index with one that is gathered is gathered with it: a view would have an
// axis more, of whose elements few are read.
func.func @shared_index(%a: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %r = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %x = arith.index_cast %i : index to i64
    %y = arith.index_cast %j : index to i64
    %s = arith.subi %x, %y : i64
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %e = phi.get %a[%s, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
    phi.yield %e : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL:  func.func @shared_index(
// CHECK-NOT:      yarr.strided
// CHECK:          yarr.gather
