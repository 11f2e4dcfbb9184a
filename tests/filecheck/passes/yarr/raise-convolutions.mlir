// RUN: ein-opt %s --split-input-file -p raise-convolutions,canonicalize | filecheck %s

// Two loops, with the offsets of one axis in each; no more steps than the filters have rows.
func.func @images(%a: tensor<?x?x?x?xf64>, %w: tensor<?x?x?x?xf64>, %zeros: tensor<?x?x?x?xf64>, %h: tensor<i64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?x?x?x?xf64> {
  %width = yarr.size %w, 3 : tensor<?x?x?x?xf64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %one = yarr.unsqueeze %zero, [0, 1, 2, 3] : tensor<f64> -> tensor<1x1x1x1xf64>
  %b = yarr.size %a, 0 : tensor<?x?x?x?xf64>
  %o = yarr.size %w, 0 : tensor<?x?x?x?xf64>
  %0 = yarr.repeat %one, 0, %b : tensor<1x1x1x1xf64> -> tensor<?x1x1x1xf64>
  %1 = yarr.repeat %0, 1, %o : tensor<?x1x1x1xf64> -> tensor<?x?x1x1xf64>
  %2 = yarr.repeat %1, 2, %n : tensor<?x?x1x1xf64> -> tensor<?x?x?x1xf64>
  %start = yarr.repeat %2, 3, %m : tensor<?x?x?x1xf64> -> tensor<?x?x?x?xf64>
  %r = yarr.fold (%p < %h, %acc = %start) -> tensor<?x?x?x?xf64> {
    %s = yarr.fold (%q < %width, %acc_1 = %start) -> tensor<?x?x?x?xf64> {
      %3 = yarr.slice %a, 2, %p, %n step 1 : tensor<?x?x?x?xf64> -> tensor<?x?x?x?xf64>
      %4 = yarr.slice %3, 3, %q, %m step 1 : tensor<?x?x?x?xf64> -> tensor<?x?x?x?xf64>
      %5 = yarr.take %w, 2, %p in_bounds : (tensor<?x?x?x?xf64>, tensor<i64>) -> tensor<?x?x?xf64>
      %6 = yarr.take %5, 2, %q in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
      %7 = yarr.einsum "bcij,oc->boij" %4, %6 : (tensor<?x?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?x?xf64>
      %8 = yarr.elementwise { arith.addf } %acc_1, %7 : (tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
      yarr.yield %8 : tensor<?x?x?x?xf64>
    }
    %9 = yarr.elementwise { arith.addf } %s, %acc : (tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
    yarr.yield %9 : tensor<?x?x?x?xf64>
  }
  func.return %r : tensor<?x?x?x?xf64>
}

// CHECK:      func.func @images(%a: tensor<?x?x?x?xf64>, %w: tensor<?x?x?x?xf64>, %zeros: tensor<?x?x?x?xf64>, %h: tensor<i64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?x?x?x?xf64> {
// CHECK-NEXT:   %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %1 = yarr.slice %w, 2, %0, %h step 1 : tensor<?x?x?x?xf64> -> tensor<?x?x?x?xf64>
// CHECK-NEXT:   %r = yarr.correlate %a, %1 into %n, %m : tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64> -> tensor<?x?x?x?xf64>
// CHECK-NEXT:   func.return %r : tensor<?x?x?x?xf64>
// CHECK-NEXT: }

// -----

// One loop from an initial value, without batches; the filters lie otherwise, and come first.
func.func @signals(%a: tensor<?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %h = yarr.size %w, 0 : tensor<?x?x?xf64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?xf64> {
    %0 = yarr.slice %a, 0, %p, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %1 = yarr.take %w, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %2 = yarr.einsum "oc,ic->io" %1, %0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %3 = yarr.elementwise { arith.addf } %2, %acc : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %3 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}

// CHECK:      func.func @signals(%a: tensor<?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
// CHECK-NEXT:   %0 = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %1 = yarr.unsqueeze %0, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
// CHECK-NEXT:   %2 = yarr.transpose %w, [1, 2, 0] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:   %3 = yarr.correlate %1, %2 into %n : tensor<1x?x?xf64>, tensor<?x?x?xf64> -> tensor<1x?x?xf64>
// CHECK-NEXT:   %4 = yarr.squeeze %3, [0] : tensor<1x?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %5 = yarr.transpose %4, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %r = yarr.elementwise { arith.addf } %x, %5 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %r : tensor<?x?xf64>
// CHECK-NEXT: }

// -----

// Windows that move down with the counter, as those of a gradient do: the filters are reversed.
func.func @backwards(%a: tensor<?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?xf64>, %n: tensor<i64>, %d: tensor<i64>) -> tensor<?x?xf64> {
  %h = yarr.size %w, 0 : tensor<?x?x?xf64>
  %one = arith.constant dense<1> : tensor<i64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?xf64> {
    %s = yarr.elementwise { arith.subi } %d, %p : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %t = yarr.elementwise { arith.subi } %s, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %0 = yarr.slice %a, 0, %t, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %1 = yarr.take %w, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %2 = yarr.einsum "ic,oc->io" %0, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %3 = yarr.elementwise { arith.addf } %acc, %2 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %3 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @backwards(
// CHECK:         %[[LAST:.*]] = yarr.elementwise { arith.subi } %h, %{{.*}}
// CHECK:         %[[FIRST:.*]] = yarr.elementwise { arith.subi } %d, %[[LAST]]
// CHECK:         %[[START:.*]] = yarr.elementwise { arith.subi } %[[FIRST]], %one
// CHECK:         %[[LONGER:.*]] = yarr.slice %a, 0, %[[START]], %{{.*}} step 1 clip
// CHECK:         %[[REVERSED:.*]] = yarr.slice %w, 0, %{{.*}}, %h step -1
// CHECK:         yarr.transpose %[[REVERSED]], [1, 2, 0]
// CHECK:         yarr.correlate

// -----

// Windows that clip, at a distance from the counter: a longer array has all of their elements.
func.func @clipped(%a: tensor<?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?xf64>, %n: tensor<i64>, %d: tensor<i64>) -> tensor<?x?xf64> {
  %h = yarr.size %w, 0 : tensor<?x?x?xf64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?xf64> {
    %s = yarr.elementwise { arith.subi } %p, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %0 = yarr.slice %a, 0, %s, %n step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
    %1 = yarr.take %w, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %2 = yarr.einsum "ic,oc->io" %0, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %3 = yarr.elementwise { arith.addf } %acc, %2 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %3 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}

// CHECK:      func.func @clipped(%a: tensor<?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?xf64>, %n: tensor<i64>, %d: tensor<i64>) -> tensor<?x?xf64> {
// CHECK-NEXT:   %h = yarr.size %w, 0 : tensor<?x?x?xf64>
// CHECK-NEXT:   %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %1 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:   %2 = yarr.elementwise { arith.subi } %h, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:   %3 = yarr.elementwise { arith.addi } %n, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:   %4 = yarr.elementwise { arith.maxsi } %3, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:   %5 = yarr.elementwise { arith.subi } %0, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:   %6 = yarr.slice %a, 0, %5, %4 step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %7 = yarr.transpose %6, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %8 = yarr.unsqueeze %7, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
// CHECK-NEXT:   %9 = yarr.transpose %w, [1, 2, 0] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:   %10 = yarr.correlate %8, %9 into %n : tensor<1x?x?xf64>, tensor<?x?x?xf64> -> tensor<1x?x?xf64>
// CHECK-NEXT:   %11 = yarr.squeeze %10, [0] : tensor<1x?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %12 = yarr.transpose %11, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %r = yarr.elementwise { arith.addf } %x, %12 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %r : tensor<?x?xf64>
// CHECK-NEXT: }

// -----

// Not if shifts are not linear, for another operation than a sum, or if images have their own filters.
func.func @loops(%a: tensor<?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %h = yarr.size %w, 0 : tensor<?x?x?xf64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?xf64> {
    %q = yarr.elementwise { arith.maxsi } %p, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %0 = yarr.slice %a, 0, %q, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %1 = yarr.take %w, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %2 = yarr.einsum "ic,oc->io" %0, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %3 = yarr.elementwise { arith.addf } %acc, %2 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %3 : tensor<?x?xf64>
  }
  %s = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?xf64> {
    %0 = yarr.slice %a, 0, %p, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %1 = yarr.take %w, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %2 = yarr.einsum "ic,oc->io" %0, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %3 = yarr.elementwise { arith.maximumf } %acc, %2 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %3 : tensor<?x?xf64>
  }
  %t = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?xf64> {
    %0 = yarr.slice %a, 0, %p, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %1 = yarr.take %w, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %2 = yarr.einsum "ic,oc->ic" %0, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %3 = yarr.elementwise { arith.addf } %acc, %2 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %3 : tensor<?x?xf64>
  }
  func.return %r, %s, %t : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}

// CHECK:      func.func @loops(%a: tensor<?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:   %h = yarr.size %w, 0 : tensor<?x?x?xf64>
// CHECK-NEXT:   %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?xf64> {
// CHECK-NEXT:     %q = yarr.elementwise { arith.maxsi } %p, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %0 = yarr.slice %a, 0, %q, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     %1 = yarr.take %w, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %2 = yarr.einsum "ic,oc->io" %0, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %3 = yarr.elementwise { arith.addf } %acc, %2 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     yarr.yield %3 : tensor<?x?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = yarr.fold (%p_1 < %h, %acc_1 = %x) -> tensor<?x?xf64> {
// CHECK-NEXT:     %4 = yarr.slice %a, 0, %p_1, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     %5 = yarr.take %w, 0, %p_1 in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %6 = yarr.einsum "ic,oc->io" %4, %5 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %7 = yarr.elementwise { arith.maximumf } %acc_1, %6 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     yarr.yield %7 : tensor<?x?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = yarr.fold (%p_2 < %h, %acc_2 = %x) -> tensor<?x?xf64> {
// CHECK-NEXT:     %8 = yarr.slice %a, 0, %p_2, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:     %9 = yarr.take %w, 0, %p_2 in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %10 = yarr.einsum "ic,oc->ic" %8, %9 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     %11 = yarr.elementwise { arith.addf } %acc_2, %10 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:     yarr.yield %11 : tensor<?x?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %s, %t : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT: }
// -----

// The inner sum continues the outer one, which has an initial value.
func.func @continued(%a: tensor<?x?x?x?xf64>, %w: tensor<?x?x?x?xf64>, %zeros: tensor<?x?x?x?xf64>, %h: tensor<i64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?x?x?x?xf64> {
  %width = yarr.size %w, 3 : tensor<?x?x?x?xf64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %one = yarr.unsqueeze %zero, [0, 1, 2, 3] : tensor<f64> -> tensor<1x1x1x1xf64>
  %b = yarr.size %a, 0 : tensor<?x?x?x?xf64>
  %o = yarr.size %w, 0 : tensor<?x?x?x?xf64>
  %0 = yarr.repeat %one, 0, %b : tensor<1x1x1x1xf64> -> tensor<?x1x1x1xf64>
  %1 = yarr.repeat %0, 1, %o : tensor<?x1x1x1xf64> -> tensor<?x?x1x1xf64>
  %2 = yarr.repeat %1, 2, %n : tensor<?x?x1x1xf64> -> tensor<?x?x?x1xf64>
  %start = yarr.repeat %2, 3, %m : tensor<?x?x?x1xf64> -> tensor<?x?x?x?xf64>
  %r = yarr.fold (%p < %h, %acc = %zeros) -> tensor<?x?x?x?xf64> {
    %s = yarr.fold (%q < %width, %acc_1 = %acc) -> tensor<?x?x?x?xf64> {
      %3 = yarr.slice %a, 2, %p, %n step 1 : tensor<?x?x?x?xf64> -> tensor<?x?x?x?xf64>
      %4 = yarr.slice %3, 3, %q, %m step 1 : tensor<?x?x?x?xf64> -> tensor<?x?x?x?xf64>
      %5 = yarr.take %w, 2, %p in_bounds : (tensor<?x?x?x?xf64>, tensor<i64>) -> tensor<?x?x?xf64>
      %6 = yarr.take %5, 2, %q in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
      %7 = yarr.einsum "bcij,oc->boij" %4, %6 : (tensor<?x?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?x?xf64>
      %8 = yarr.elementwise { arith.addf } %acc_1, %7 : (tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
      yarr.yield %8 : tensor<?x?x?x?xf64>
    }
    yarr.yield %s : tensor<?x?x?x?xf64>
  }
  func.return %r : tensor<?x?x?x?xf64>
}

// CHECK-LABEL: func.func @continued(
// CHECK-NOT:     yarr.fold
// CHECK:         %2 = yarr.correlate
// CHECK-NEXT:    %r = yarr.elementwise { arith.addf } %zeros, %2
// CHECK-NEXT:    func.return %r

// -----

// Not if the inner sum starts from another accumulator.
func.func @crossed(%a: tensor<?x?x?x?xf64>, %w: tensor<?x?x?x?xf64>, %zeros: tensor<?x?x?x?xf64>, %h: tensor<i64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?x?x?x?xf64> {
  %width = yarr.size %w, 3 : tensor<?x?x?x?xf64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %one = yarr.unsqueeze %zero, [0, 1, 2, 3] : tensor<f64> -> tensor<1x1x1x1xf64>
  %b = yarr.size %a, 0 : tensor<?x?x?x?xf64>
  %o = yarr.size %w, 0 : tensor<?x?x?x?xf64>
  %0 = yarr.repeat %one, 0, %b : tensor<1x1x1x1xf64> -> tensor<?x1x1x1xf64>
  %1 = yarr.repeat %0, 1, %o : tensor<?x1x1x1xf64> -> tensor<?x?x1x1xf64>
  %2 = yarr.repeat %1, 2, %n : tensor<?x?x1x1xf64> -> tensor<?x?x?x1xf64>
  %start = yarr.repeat %2, 3, %m : tensor<?x?x?x1xf64> -> tensor<?x?x?x?xf64>
  %r, %r_1 = yarr.fold (%p < %h, %acc = %zeros, %other = %start) -> tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64> {
    %s = yarr.fold (%q < %width, %acc_1 = %other) -> tensor<?x?x?x?xf64> {
      %3 = yarr.slice %a, 2, %p, %n step 1 : tensor<?x?x?x?xf64> -> tensor<?x?x?x?xf64>
      %4 = yarr.slice %3, 3, %q, %m step 1 : tensor<?x?x?x?xf64> -> tensor<?x?x?x?xf64>
      %5 = yarr.take %w, 2, %p in_bounds : (tensor<?x?x?x?xf64>, tensor<i64>) -> tensor<?x?x?xf64>
      %6 = yarr.take %5, 2, %q in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
      %7 = yarr.einsum "bcij,oc->boij" %4, %6 : (tensor<?x?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?x?xf64>
      %8 = yarr.elementwise { arith.addf } %acc_1, %7 : (tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
      yarr.yield %8 : tensor<?x?x?x?xf64>
    }
    yarr.yield %s, %acc : tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>
  }
  func.return %r : tensor<?x?x?x?xf64>
}

// CHECK-LABEL: func.func @crossed(
// CHECK-NOT:     yarr.correlate
// CHECK:         func.return

// -----

// Slices with a step; filters that are cut in the loop, which no step changes.
func.func @strided(%a: tensor<?x?x?xf64>, %w: tensor<?x?x?xf64>, %o: tensor<i64>, %x: tensor<?x?x?xf64>, %n: tensor<i64>) -> tensor<?x?x?xf64> {
  %h = yarr.size %w, 2 : tensor<?x?x?xf64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?x?xf64> {
    %zero = arith.constant dense<0> : tensor<i64>
    %0 = yarr.slice %a, 2, %p, %n step 2 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %1 = yarr.slice %w, 0, %zero, %o step 1 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %2 = yarr.take %1, 2, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %3 = yarr.einsum "bci,oc->boi" %0, %2 : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?xf64>
    %4 = yarr.elementwise { arith.addf } %acc, %3 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
    yarr.yield %4 : tensor<?x?x?xf64>
  }
  func.return %r : tensor<?x?x?xf64>
}

// CHECK-LABEL: func.func @strided(
// CHECK:        %zero = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %0 = yarr.slice %w, 0, %zero, %o step 1 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK:        %2 = yarr.slice %0, 2, %{{.*}}, %h step 1 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:   %3 = yarr.correlate %a, %2 into %n by [2] : tensor<?x?x?xf64>, tensor<?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:   %r = yarr.elementwise { arith.addf } %x, %3 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>

// -----

// Offsets at a distance, windows with steps that clip, and filters that may be too few.
func.func @distant(%a: tensor<?x?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?x?xf64>, %h: tensor<i64>, %n: tensor<i64>) -> tensor<?x?x?xf64> {
  %four = arith.constant dense<4> : tensor<i64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?x?xf64> {
    %d = yarr.elementwise { arith.muli } %p, %four : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %0 = yarr.slice %a, 2, %d, %n step 3 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %1 = yarr.fill_empty %w, 2 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %2 = yarr.take %1, 2, %p : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %3 = yarr.einsum "bci,oc->boi" %0, %2 : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?xf64>
    %4 = yarr.elementwise { arith.addf } %acc, %3 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
    yarr.yield %4 : tensor<?x?x?xf64>
  }
  func.return %r : tensor<?x?x?xf64>
}

// CHECK-LABEL: func.func @distant(
// CHECK:         %[[LAST:.*]] = yarr.elementwise { arith.subi } %h, %{{.*}}
// CHECK:         %[[REACH:.*]] = yarr.elementwise { arith.muli } %[[LAST]], %{{.*}}
// CHECK:         %[[OTHERS:.*]] = yarr.elementwise { arith.subi } %n, %{{.*}}
// CHECK:         yarr.elementwise { arith.muli } %[[OTHERS]], %{{.*}}
// CHECK:         yarr.elementwise { arith.addi } %{{.*}}, %[[REACH]]
// CHECK:         %[[LONGER:.*]] = yarr.slice %a, 2, %{{.*}}, %{{.*}} step 1 clip
// CHECK:         %[[FILTERS:.*]] = yarr.slice %w, 2, %{{.*}}, %h step 1 clip
// CHECK-NEXT:    yarr.correlate %[[LONGER]], %[[FILTERS]] into %n by [3] dilated [4]

// -----

// Filters that the steps compute: by a number for each output, and by one for each offset.
func.func @computed_filters(%a: tensor<?x?x?xf64>, %w: tensor<?x?x?xf64>, %m: tensor<?xf64>, %s: tensor<?xf64>, %x: tensor<?x?x?xf64>, %n: tensor<i64>) -> tensor<?x?x?xf64> {
  %h = yarr.size %w, 2 : tensor<?x?x?xf64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?x?xf64> {
    %0 = yarr.slice %a, 2, %p, %n step 1 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %1 = yarr.take %w, 2, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %2 = yarr.unsqueeze %m, [1] : tensor<?xf64> -> tensor<?x1xf64>
    %3 = yarr.elementwise { arith.subf } %1, %2 : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
    %4 = yarr.take %s, 0, %p in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %5 = yarr.unsqueeze %4, [0, 1] : tensor<f64> -> tensor<1x1xf64>
    %6 = yarr.elementwise { arith.mulf } %3, %5 : (tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
    %7 = yarr.einsum "bci,oc->boi" %0, %6 : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?xf64>
    %8 = yarr.elementwise { arith.addf } %acc, %7 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
    yarr.yield %8 : tensor<?x?x?xf64>
  }
  func.return %r : tensor<?x?x?xf64>
}

// CHECK-LABEL: func.func @computed_filters(
// CHECK:         %[[MEANS:.*]] = yarr.unsqueeze %m, [1, 2] : tensor<?xf64> -> tensor<?x1x1xf64>
// CHECK-NEXT:    %[[CENTRED:.*]] = yarr.elementwise { arith.subf } %w, %[[MEANS]]
// CHECK:         %[[STEPS:.*]] = yarr.slice %s, 0, %{{.*}}, %h step 1
// CHECK:         %[[SCALES:.*]] = yarr.unsqueeze %[[STEPS]], [0, 1] : tensor<?xf64> -> tensor<1x1x?xf64>
// CHECK-NEXT:    %[[FILTERS:.*]] = yarr.elementwise { arith.mulf } %[[CENTRED]], %[[SCALES]]
// CHECK:         %[[USED:.*]] = yarr.slice %[[FILTERS]], 2, %{{.*}}, %h step 1
// CHECK-NEXT:    yarr.correlate %a, %[[USED]] into %n

// -----

// A filter that is larger than what it is computed from, and one that no counter picks, stay.
func.func @other_filters(%a: tensor<?x?x?xf64>, %u: tensor<?x?xf64>, %v: tensor<?xf64>, %x: tensor<?x?x?xf64>, %h: tensor<i64>, %n: tensor<i64>) -> (tensor<?x?x?xf64>, tensor<?x?x?xf64>) {
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?x?xf64> {
    %0 = yarr.slice %a, 2, %p, %n step 1 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %1 = yarr.take %u, 1, %p in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %2 = yarr.unsqueeze %1, [1] : tensor<?xf64> -> tensor<?x1xf64>
    %3 = yarr.unsqueeze %v, [0] : tensor<?xf64> -> tensor<1x?xf64>
    %4 = yarr.elementwise { arith.subf } %2, %3 : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %5 = yarr.einsum "bci,oc->boi" %0, %4 : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?xf64>
    %6 = yarr.elementwise { arith.addf } %acc, %5 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
    yarr.yield %6 : tensor<?x?x?xf64>
  }
  %s = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?x?xf64> {
    %0 = yarr.slice %a, 2, %p, %n step 1 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %1 = yarr.elementwise { math.exp } %u : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %2 = yarr.einsum "bci,oc->boi" %0, %1 : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?xf64>
    %3 = yarr.elementwise { arith.addf } %acc, %2 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
    yarr.yield %3 : tensor<?x?x?xf64>
  }
  func.return %r, %s : tensor<?x?x?xf64>, tensor<?x?x?xf64>
}

// CHECK-LABEL: func.func @other_filters(
// CHECK-NOT:     yarr.correlate

// -----

// Parts of axes that are the same in all steps, as of channels, are taken before the loops.
func.func @parts(%a: tensor<?x?x?xf64>, %w: tensor<?x?x?xf64>, %x: tensor<?x?x?xf64>, %h: tensor<i64>, %n: tensor<i64>) -> tensor<?x?x?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?x?x?xf64> {
    %0 = yarr.slice %a, 2, %p, %n step 1 : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %1 = yarr.slice %0, 1, %zero, %two step 1 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
    %2 = yarr.take %w, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %3 = yarr.slice %2, 0, %zero, %two step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
    %4 = yarr.einsum "bci,co->boi" %1, %3 : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?xf64>
    %5 = yarr.elementwise { arith.addf } %acc, %4 : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
    yarr.yield %5 : tensor<?x?x?xf64>
  }
  func.return %r : tensor<?x?x?xf64>
}

// CHECK-LABEL: func.func @parts(
// CHECK:         %[[IMAGES:.*]] = yarr.slice %a, 1, %zero, %two step 1 clip
// CHECK-NEXT:    %[[CHANNELS:.*]] = yarr.slice %w, 1, %zero, %two step 1 clip
// CHECK:         %[[USED:.*]] = yarr.slice %[[CHANNELS]], 0, %{{.*}}, %h step 1
// CHECK-NEXT:    %[[FILTERS:.*]] = yarr.transpose %[[USED]], [2, 1, 0]
// CHECK-NEXT:    yarr.correlate %[[IMAGES]], %[[FILTERS]] into %n
