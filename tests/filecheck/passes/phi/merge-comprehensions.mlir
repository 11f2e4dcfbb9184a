// RUN: ein-opt %s --split-input-file -p merge-comprehensions,outline | filecheck %s

// Comprehensions over the same sizes become one of records, and share what they load.
func.func @merged(%u: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = math.sin %x : f64
    phi.yield %y : f64
  }
  %b = phi.array (%j < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%j] : !phi.vec<f64>[index]
    %y = math.cos %x : f64
    phi.yield %y : f64
  }
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:         func.func @merged(%u: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %x = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y = math.sin %x : f64
// CHECK-NEXT:        %y_1 = math.cos %x : f64
// CHECK-NEXT:        %1 = phi.tuple (%y, %y_1) : tuple<f64, f64>
// CHECK-NEXT:        phi.yield %1 : tuple<f64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %a = phi.proj %0, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %b = phi.proj %0, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// One that reads the other stays apart.
func.func @dependent(%u: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = math.sin %x : f64
    phi.yield %y : f64
  }
  %b = phi.array (%j < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%zero] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:         func.func @dependent(%u: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %a = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y = math.sin %x : f64
// CHECK-NEXT:        phi.yield %y : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %x_1 = phi.get %a[%zero] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %b = phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %x_1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:    }

// Accumulations over the same sizes are one, in the place of the last.

func.func @accumulations(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> tuple<!phi.vec<i64>, !phi.vec<f64>> {
  %n = phi.size %key, 0 : !phi.vec<i64>
  %one = arith.constant 1 : i64
  %c = phi.accumulate (%i < %n) into "add" (%m) -> !phi.vec<i64> {
    %p = phi.get %key[%i] : !phi.vec<i64>[index]
    %t = phi.tuple (%p, %one) : tuple<i64, i64>
    phi.yield %t : tuple<i64, i64>
  }
  %size = phi.size %x, 0 : !phi.vec<f64>
  %same = phi.assert_eq %n, %size, "sizes"
  %s = phi.accumulate (%j < %same) into "max" (%m) -> !phi.vec<f64> {
    %q = phi.get %key[%j] : !phi.vec<i64>[index]
    %w = phi.get %x[%j] : !phi.vec<f64>[index]
    %t = phi.tuple (%q, %w) : tuple<i64, f64>
    phi.yield %t : tuple<i64, f64>
  }
  %r = phi.tuple (%c, %s) : tuple<!phi.vec<i64>, !phi.vec<f64>>
  func.return %r : tuple<!phi.vec<i64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @accumulations(
// CHECK:         phi.assert_eq
// CHECK-NEXT:    [[BOTH:%[^ ]+]] = phi.accumulate (%i < %same) into "add" (%m), "max" (%m) -> tuple<!phi.vec<i64>, !phi.vec<f64>> {
// CHECK:           phi.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %c = phi.proj [[BOTH]], 0
// CHECK-NEXT:    %s = phi.proj [[BOTH]], 1

// The second one is ready before the first is used: both are computed there.

func.func @between(%key: !phi.vec<i64>, %x: !phi.vec<f64>) -> (!phi.vec<i64>, !phi.vec<f64>, !phi.vec<i64>) {
  %n = phi.size %key, 0 : !phi.vec<i64>
  %one = arith.constant 1 : i64
  %c = phi.accumulate (%i < %n) into "add" (%n) -> !phi.vec<i64> {
    %p = phi.get %key[%i] : !phi.vec<i64>[index]
    %t = phi.tuple (%p, %one) : tuple<i64, i64>
    phi.yield %t : tuple<i64, i64>
  }
  %two = arith.addi %one, %one : i64
  %d = phi.array (%i < %n) -> !phi.vec<i64> {
    %p = phi.get %c[%i] : !phi.vec<i64>[index]
    phi.yield %p : i64
  }
  %s = phi.accumulate (%j < %n) into "max" (%n) -> !phi.vec<f64> {
    %q = phi.get %key[%j] : !phi.vec<i64>[index]
    %w = phi.get %x[%two] : !phi.vec<f64>[i64]
    %t = phi.tuple (%q, %w) : tuple<i64, f64>
    phi.yield %t : tuple<i64, f64>
  }
  func.return %c, %s, %d : !phi.vec<i64>, !phi.vec<f64>, !phi.vec<i64>
}
// CHECK-LABEL: func.func @between(
// CHECK:         %two = arith.addi
// CHECK:         [[BOTH:%[^ ]+]] = phi.accumulate (%i < %n) into "add" (%n), "max" (%n)
// CHECK:         %c = phi.proj [[BOTH]], 0
// CHECK-NEXT:    %s = phi.proj [[BOTH]], 1
// CHECK-NEXT:    %d = phi.array

// Not merged: the second one has other sizes that may be negative, and the third one reads the first.

func.func @reads(%key: !phi.vec<i64>, %m: i64) -> tuple<!phi.vec<i64>, i64, !phi.vec<i64>> {
  %n = phi.size %key, 0 : !phi.vec<i64>
  %one = arith.constant 1 : i64
  %c = phi.accumulate (%i < %n) into "add" (%m) -> !phi.vec<i64> {
    %p = phi.get %key[%i] : !phi.vec<i64>[index]
    %t = phi.tuple (%p, %one) : tuple<i64, i64>
    phi.yield %t : tuple<i64, i64>
  }
  %d = phi.accumulate (%j < %n) into "max" () -> i64 {
    %p = phi.get %key[%j] : !phi.vec<i64>[index]
    %t = phi.tuple (%p) : tuple<i64>
    phi.yield %t : tuple<i64>
  }
  %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<i64> {
    %q = phi.get %key[%k] : !phi.vec<i64>[index]
    %w = phi.get %c[%q] : !phi.vec<i64>[i64]
    %t = phi.tuple (%q, %w) : tuple<i64, i64>
    phi.yield %t : tuple<i64, i64>
  }
  %r = phi.tuple (%c, %d, %s) : tuple<!phi.vec<i64>, i64, !phi.vec<i64>>
  func.return %r : tuple<!phi.vec<i64>, i64, !phi.vec<i64>>
}
// CHECK-LABEL: func.func @reads(
// CHECK:         phi.accumulate (%i < %n) into "add" (%m) ->
// CHECK:         phi.accumulate (%j < %n) into "max" () ->
// CHECK:         phi.accumulate (%k < %n) into "add" (%m) ->

// Not merged: two sizes that may be negative, each with an error of its own.

func.func @errors(%key: !phi.vec<i64>, %m: i64, %l: i64) -> tuple<!phi.vec<i64>, !phi.vec<i64>> {
  %n = phi.size %key, 0 : !phi.vec<i64>
  %one = arith.constant 1 : i64
  %c = phi.accumulate (%i < %n) into "add" (%m) -> !phi.vec<i64> {
    %p = phi.get %key[%i] : !phi.vec<i64>[index]
    %t = phi.tuple (%p, %one) : tuple<i64, i64>
    phi.yield %t : tuple<i64, i64>
  }
  %d = phi.accumulate (%j < %n) into "add" (%l) -> !phi.vec<i64> {
    %p = phi.get %key[%j] : !phi.vec<i64>[index]
    %t = phi.tuple (%p, %one) : tuple<i64, i64>
    phi.yield %t : tuple<i64, i64>
  }
  %r = phi.tuple (%c, %d) : tuple<!phi.vec<i64>, !phi.vec<i64>>
  func.return %r : tuple<!phi.vec<i64>, !phi.vec<i64>>
}
// CHECK-LABEL: func.func @errors(
// CHECK:         phi.accumulate (%i < %n) into "add" (%m) ->
// CHECK:         phi.accumulate (%j < %n) into "add" (%l) ->

// -----

// Folds of one body that compute the same values become one; a product of elements stays alone.
func.func @folds(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %a = phi.get %x[%i] : !phi.vec<f64>[index]
    %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %b = phi.get %x[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %a, %b : f64
      %e = math.exp %d : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    %t = phi.fold (%l < %n, %acc = %r) -> f64 {
      %b = phi.get %x[%l] : !phi.vec<f64>[i64]
      %d = arith.subf %a, %b : f64
      %next = arith.addf %acc, %d : f64
      phi.yield %next : f64
    }
    %u = phi.fold (%l < %n, %acc = %zero) -> f64 {
      %b = phi.get %x[%l] : !phi.vec<f64>[i64]
      %c = phi.get %y[%l] : !phi.vec<f64>[i64]
      %d = arith.subf %a, %b : f64
      %e = math.exp %d : f64
      %p = arith.mulf %e, %c : f64
      %next = arith.addf %acc, %p : f64
      phi.yield %next : f64
    }
    %v = phi.fold (%l < %n, %acc = %zero) -> f64 {
      %b = phi.get %x[%l] : !phi.vec<f64>[i64]
      %p = arith.mulf %a, %b : f64
      %next = arith.addf %acc, %p : f64
      phi.yield %next : f64
    }
    %0 = arith.mulf %t, %u : f64
    %1 = arith.mulf %0, %v : f64
    phi.yield %1 : f64
  }
  func.return %s : !phi.vec<f64>
}
// CHECK-LABEL: func.func @folds(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %0 = phi.tuple (%zero, %zero) : tuple<f64, f64>
// CHECK-NEXT:    %s = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %a = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %1 = phi.fold (%k < %n, %2 = %0) -> tuple<f64, f64> {
// CHECK-NEXT:        %3 = phi.proj %2, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:        %4 = phi.proj %2, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:        %b = phi.get %x[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %d = arith.subf %a, %b : f64
// CHECK-NEXT:        %e = math.exp %d : f64
// CHECK-NEXT:        %next = arith.addf %3, %e : f64
// CHECK-NEXT:        %c = phi.get %y[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %p = arith.mulf %e, %c : f64
// CHECK-NEXT:        %next_1 = arith.addf %4, %p : f64
// CHECK-NEXT:        %5 = phi.tuple (%next, %next_1) : tuple<f64, f64>
// CHECK-NEXT:        phi.yield %5 : tuple<f64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.proj %1, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %u = phi.proj %1, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %t = phi.fold (%l < %n, %acc = %r) -> f64 {
// CHECK-NEXT:        %b_1 = phi.get %x[%l] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %d_1 = arith.subf %a, %b_1 : f64
// CHECK-NEXT:        %next_2 = arith.addf %acc, %d_1 : f64
// CHECK-NEXT:        phi.yield %next_2 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %v = phi.fold (%l_1 < %n, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:        %b_2 = phi.get %x[%l_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %p_1 = arith.mulf %a, %b_2 : f64
// CHECK-NEXT:        %next_3 = arith.addf %acc_1, %p_1 : f64
// CHECK-NEXT:        phi.yield %next_3 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %6 = arith.mulf %t, %u : f64
// CHECK-NEXT:      %7 = arith.mulf %6, %v : f64
// CHECK-NEXT:      phi.yield %7 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// Sums and extremes that read the same element become one; a product with another element stays alone.
func.func @moments(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : i64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %b = phi.get %x[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %acc, %b : f64
    phi.yield %next : f64
  }
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %b = phi.get %x[%k] : !phi.vec<f64>[i64]
    %p = arith.mulf %b, %b : f64
    %next = arith.addf %acc, %p : f64
    phi.yield %next : f64
  }
  %t = phi.fold (%k < %n, %acc = %r) -> f64 {
    %b = phi.get %x[%k] : !phi.vec<f64>[i64]
    %next = arith.maximumf %acc, %b : f64
    phi.yield %next : f64
  }
  %u = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %b = phi.get %x[%k] : !phi.vec<f64>[i64]
    %l = arith.addi %k, %two : i64
    %c = phi.get %y[%l] : !phi.vec<f64>[i64]
    %p = arith.mulf %b, %c : f64
    %next = arith.addf %acc, %p : f64
    phi.yield %next : f64
  }
  %v = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %b = phi.get %x[%k] : !phi.vec<f64>[i64]
    %c = phi.get %y[%k] : !phi.vec<f64>[i64]
    %p = arith.mulf %b, %c : f64
    %next = arith.addf %acc, %p : f64
    phi.yield %next : f64
  }
  %w = phi.tuple (%s, %t, %u, %v) : tuple<f64, f64, f64, f64>
  %z = func.call @use(%w) : (tuple<f64, f64, f64, f64>) -> f64
  func.return %z : f64
}
func.func private @use(tuple<f64, f64, f64, f64>) -> f64
// CHECK-LABEL: func.func @moments(
// CHECK:         %1 = phi.fold (%k < %n, %2 = %0) -> tuple<f64, f64, f64> {
// CHECK:           %b = phi.get %x[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %next = arith.addf %3, %b : f64
// CHECK-NEXT:      %p = arith.mulf %b, %b : f64
// CHECK-NEXT:      %next_1 = arith.addf %4, %p : f64
// CHECK-NEXT:      %c = phi.get %y[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %p_1 = arith.mulf %b, %c : f64
// CHECK-NEXT:      %next_2 = arith.addf %5, %p_1 : f64
// CHECK:         %t = phi.fold (%k_1 < %n, %acc = %r) -> f64 {
// CHECK:           arith.maximumf
// CHECK:         %u = phi.fold (%k_2 < %n, %acc_1 = %zero) -> f64 {
// CHECK:           phi.get %y[%l]

// -----

// Folds of records, too.
func.func @records(%x: !phi.vec<f64>, %y: f64) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %start = phi.tuple (%y, %y) : tuple<f64, f64>
  %r = phi.fold (%k < %n, %acc = %start) -> tuple<f64, f64> {
    %b = phi.get %x[%k] : !phi.vec<f64>[i64]
    %e = math.exp %b : f64
    %0 = phi.proj %acc, 1 : tuple<f64, f64> -> f64
    %1 = phi.tuple (%0, %e) : tuple<f64, f64>
    phi.yield %1 : tuple<f64, f64>
  }
  %s = phi.fold (%l < %n, %acc = %start) -> tuple<f64, f64> {
    %b = phi.get %x[%l] : !phi.vec<f64>[i64]
    %e = math.exp %b : f64
    %0 = phi.tuple (%e, %e) : tuple<f64, f64>
    phi.yield %0 : tuple<f64, f64>
  }
  %2 = phi.proj %r, 1 : tuple<f64, f64> -> f64
  %3 = phi.proj %s, 0 : tuple<f64, f64> -> f64
  %4 = arith.addf %2, %3 : f64
  func.return %4 : f64
}
// CHECK-LABEL: func.func @records(%x: !phi.vec<f64>, %y: f64) -> f64 {
// CHECK:         phi.fold (%k < %n, %{{.*}} = %{{.*}}) -> tuple<f64, f64, f64, f64> {
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// A comprehension may read others at its own indices: the fields that it reads move before them.
func.func @own_elements(%x: !phi.vec<f64>, %n: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %start = phi.tuple (%x, %x) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %acc = %start) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %m = phi.size %x, 0 : !phi.vec<f64>
    %v = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %a = phi.array (%i < %m) -> !phi.vec<f64> {
      %e = phi.get %v[%i] : !phi.vec<f64>[index]
      %f = math.sqrt %e : f64
      phi.yield %f : f64
    }
    %w = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %b = phi.array (%j < %m) -> !phi.vec<f64> {
      %e = phi.get %w[%j] : !phi.vec<f64>[index]
      %g = phi.get %a[%j] : !phi.vec<f64>[index]
      %s = arith.addf %e, %g : f64
      phi.yield %s : f64
    }
    %t = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %t : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @own_elements(
// CHECK:           %v = phi.proj %acc, 0
// CHECK-NEXT:      %w = phi.proj %acc, 1
// CHECK-NEXT:      %[[R:.*]] = phi.array (%i < %m) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %e = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %f = math.sqrt %e : f64
// CHECK-NEXT:        %e_1 = phi.get %w[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %s = arith.addf %e_1, %f : f64
// CHECK-NEXT:        %[[T:.*]] = phi.tuple (%f, %s) : tuple<f64, f64>
// CHECK-NEXT:        phi.yield %[[T]] : tuple<f64, f64>

// -----

// Not at other positions, nor if it has a loop.
func.func @other_elements(%x: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> {
  %m = phi.size %x, 0 : !phi.vec<f64>
  %a = phi.array (%i < %m) -> !phi.vec<f64> {
    %e = phi.get %x[%i] : !phi.vec<f64>[index]
    %f = math.sqrt %e : f64
    phi.yield %f : f64
  }
  %b = phi.array (%j < %m) -> !phi.vec<f64> {
    %c = arith.index_cast %j : index to i64
    %one = arith.constant 1 : i64
    %p = arith.addi %c, %one : i64
    %e = phi.get %a[%j] : !phi.vec<f64>[index]
    %g = phi.get %a[%p] : !phi.vec<f64>[i64]
    %s = arith.addf %e, %g : f64
    phi.yield %s : f64
  }
  %d = phi.array (%l < %m) -> !phi.vec<f64> {
    %e = phi.get %a[%l] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %e) -> f64 {
      %g = phi.get %x[%k] : !phi.vec<f64>[i64]
      %next = arith.mulf %acc, %g : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %t = phi.tuple (%a, %b, %d) : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>>
  func.return %t : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @other_elements(
// CHECK:         %a = phi.array (%i < %m) -> !phi.vec<f64> {

// -----

// Differences of pairs, one from each side, are those of one order: their squares are the same.
func.func @pairs(%x: !phi.vec<f64>, %c: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %own = phi.get %x[%i] : !phi.vec<f64>[index]
    %same = phi.get %x[%p] : !phi.vec<f64>[i64]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %e, %own : f64
      %r = math.sin %d : f64
      %next = arith.addf %acc, %r : f64
      phi.yield %next : f64
    }
    %t = phi.fold (%l < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%l] : !phi.vec<f64>[i64]
      %d = arith.subf %same, %e : f64
      %r = math.sin %d : f64
      %f = phi.get %c[%l] : !phi.vec<f64>[i64]
      %v = arith.mulf %f, %r : f64
      %next = arith.addf %acc, %v : f64
      phi.yield %next : f64
    }
    %both = arith.addf %s, %t : f64
    phi.yield %both : f64
  }
  func.return %a : !phi.vec<f64>
}

// CHECK-LABEL: func.func @pairs(
// CHECK:           %d = arith.subf %e, %own : f64
// CHECK-NEXT:      %r = math.sin %d : f64
// CHECK-NEXT:      %next = arith.addf %{{.*}}, %r : f64
// CHECK-NOT:       math.sin
// CHECK:           %v = arith.mulf %f, %r : f64
// CHECK-NEXT:      %next_1 = arith.subf %{{.*}}, %v : f64

// -----

// The reciprocal of a difference may be infinite, of either sign: its order stays.
func.func @reciprocals(%x: !phi.vec<f64>, %y: f64) -> (f64, f64) {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %e = phi.get %x[%k] : !phi.vec<f64>[i64]
    %d = arith.subf %e, %y : f64
    %r = arith.divf %one, %d : f64
    %next = arith.addf %acc, %r : f64
    phi.yield %next : f64
  }
  %t = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %e = phi.get %x[%k] : !phi.vec<f64>[i64]
    %d = arith.subf %y, %e : f64
    %r = arith.divf %one, %d : f64
    %next = arith.addf %acc, %r : f64
    phi.yield %next : f64
  }
  func.return %s, %t : f64, f64
}

// CHECK-LABEL: func.func @reciprocals(
// CHECK:         arith.subf %e, %y : f64
// CHECK:         arith.subf %y, %{{e.*}} : f64

// -----

// So may be that of a product of differences, where one of them is zero.
func.func @products(%x: !phi.vec<f64>, %u: !phi.vec<f64>, %y: f64) -> (f64, f64) {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %e = phi.get %x[%k] : !phi.vec<f64>[i64]
    %f = phi.get %u[%k] : !phi.vec<f64>[i64]
    %d = arith.subf %y, %e : f64
    %c = arith.subf %y, %f : f64
    %p = arith.mulf %d, %c : f64
    %r = arith.divf %one, %p : f64
    %next = arith.addf %acc, %r : f64
    phi.yield %next : f64
  }
  %t = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %e = phi.get %x[%k] : !phi.vec<f64>[i64]
    %d = arith.subf %y, %e : f64
    %r = math.sin %d : f64
    %next = arith.addf %acc, %r : f64
    phi.yield %next : f64
  }
  func.return %s, %t : f64, f64
}

// CHECK-LABEL: func.func @products(
// CHECK:         arith.subf %y, %e : f64
// CHECK-NEXT:    arith.subf %y, %f : f64
// CHECK:         arith.subf %e_1, %y : f64

// -----

// A comprehension of one number stays apart: a loop that starts from it may replace all of its elements.
func.func @filled(%a: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %roots = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = math.sqrt %x : f64
    phi.yield %y : f64
  }
  %zeros = phi.array (%j < %n) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  func.return %roots, %zeros : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @filled
// CHECK:         %roots = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:         %zeros = phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %zero : f64

// -----

func.func @softmax(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %least = arith.constant 0xfff0000000000000 : f64
  %best = phi.array (%i < %n) -> !phi.vec<f64> {
    %r = phi.fold (%j < %m, %acc = %least) -> f64 {
      %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.maximumf %acc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  %zero = arith.constant 0.0 : f64
  %sum = phi.array (%i < %n) -> !phi.vec<f64> {
    %b = phi.get %best[%i] : !phi.vec<f64>[index]
    %r = phi.fold (%j < %m, %acc = %zero) -> f64 {
      %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %d = arith.subf %v, %b : f64
      %e = math.exp %d : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  %one = arith.constant 1.0 : f64
  %inverse = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.get %sum[%i] : !phi.vec<f64>[index]
    %r = arith.divf %one, %s : f64
    phi.yield %r : f64
  }
  %y = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %b = phi.get %best[%i] : !phi.vec<f64>[index]
    %d = arith.subf %v, %b : f64
    %e = math.exp %d : f64
    %s = phi.get %inverse[%i] : !phi.vec<f64>[index]
    %r = arith.mulf %e, %s : f64
    phi.yield %r : f64
  }
  func.return %y : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @softmax(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %least = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      %y = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %r = phi.fold (%j < %m, %acc = %least) -> f64 {
// CHECK-NEXT:          %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %next = arith.maximumf %acc, %v : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %r_1 = phi.fold (%j_1 < %m, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:          %v_1 = phi.get %x[%i, %j_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %d = arith.subf %v_1, %r : f64
// CHECK-NEXT:          %e = math.exp %d : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc_1, %e : f64
// CHECK-NEXT:          phi.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %r_2 = arith.divf %one, %r_1 : f64
// CHECK-NEXT:        %0 = phi.array (%j_2 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %v_2 = phi.get %x[%i, %j_2] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          %d_1 = arith.subf %v_2, %r : f64
// CHECK-NEXT:          %e_1 = math.exp %d_1 : f64
// CHECK-NEXT:          %r_3 = arith.mulf %e_1, %r_2 : f64
// CHECK-NEXT:          phi.yield %r_3 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %0 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %y : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// -----

// The rows that the group itself computes count, too; fields of records that loops yield are read.
func.func @scaled(%x: !phi.vec<!phi.vec<f64>>) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>) {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %zeros = phi.tuple (%zero, %zero) : tuple<f64, f64>
  %moments = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %r = phi.fold (%j < %m, %acc = %zeros) -> tuple<f64, f64> {
      %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %a = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %b = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %p = arith.addf %a, %v : f64
      %q = arith.mulf %b, %v : f64
      %t = phi.tuple (%p, %q) : tuple<f64, f64>
      phi.yield %t : tuple<f64, f64>
    }
    phi.yield %r : tuple<f64, f64>
  }
  %mean = phi.proj %moments, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %z = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %b = phi.get %mean[%i] : !phi.vec<f64>[index]
    %d = arith.subf %v, %b : f64
    phi.yield %d : f64
  }
  %length = phi.array (%i < %n) -> !phi.vec<f64> {
    %r = phi.fold (%j < %m, %acc = %zero) -> f64 {
      %v = phi.get %z[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.addf %acc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  func.return %z, %length : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
}
// CHECK-LABEL: func.func @scaled(%x: !phi.vec<!phi.vec<f64>>) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>) {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %zeros = phi.tuple (%zero, %zero) : tuple<f64, f64>
// CHECK-NEXT:      %0 = phi.array (%i < %n) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
// CHECK-NEXT:        %r = phi.fold (%j < %m, %acc = %zeros) -> tuple<f64, f64> {
// CHECK-NEXT:          %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %a = phi.proj %acc, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %b = phi.proj %acc, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %p = arith.addf %a, %v : f64
// CHECK-NEXT:          %q = arith.mulf %b, %v : f64
// CHECK-NEXT:          %t = phi.tuple (%p, %q) : tuple<f64, f64>
// CHECK-NEXT:          phi.yield %t : tuple<f64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %b_1 = phi.proj %r, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:        %1 = phi.array (%j_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %v_1 = phi.get %x[%i, %j_1] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          %d = arith.subf %v_1, %b_1 : f64
// CHECK-NEXT:          phi.yield %d : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %r_1 = phi.fold (%j_2 < %m, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:          %v_2 = phi.get %1[%j_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %next = arith.addf %acc_1, %v_2 : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %2 = phi.tuple (%1, %r_1) : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:        phi.yield %2 : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %z = phi.proj %0, 0 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %length = phi.proj %0, 1 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      func.return %z, %length : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// Not one: the elements of another row, of other sizes, or of a product of matrices.
func.func @others(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %l: i64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %k = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %r = phi.fold (%j < %m, %acc = %zero) -> f64 {
      %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.addf %acc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  %below = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %one : i64
    %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %u = phi.get %x[%q, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
    %b = phi.get %s[%i] : !phi.vec<f64>[index]
    %d = arith.subf %v, %u : f64
    %e = arith.divf %d, %b : f64
    phi.yield %e : f64
  }
  %wide = phi.array (%i < %n, %j < %l) -> !phi.vec<!phi.vec<f64>> {
    %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %b = phi.get %s[%i] : !phi.vec<f64>[index]
    %d = arith.divf %v, %b : f64
    phi.yield %d : f64
  }
  %product = phi.array (%i < %n, %c < %k) -> !phi.vec<!phi.vec<f64>> {
    %b = phi.get %s[%i] : !phi.vec<f64>[index]
    %r = phi.fold (%j < %m, %acc = %zero) -> f64 {
      %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %u = phi.get %w[%j, %c] : !phi.vec<!phi.vec<f64>>[i64, index]
      %d = arith.divf %v, %b : f64
      %t = arith.mulf %d, %u : f64
      %next = arith.addf %acc, %t : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  func.return %below, %wide, %product : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @others(
// CHECK:         %s = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:         %below = phi.array (%i_1 < %n, %j_1 < %m)
// CHECK:         %wide = phi.array (%i_2 < %n, %j_2 < %l)
// CHECK:         %product = phi.array (%i_3 < %n, %c < %k)

// -----

// Not one: the second loop reads a row of the first that another step computes.
func.func @next(%x: !phi.vec<!phi.vec<f64>>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %r = phi.fold (%j < %m, %acc = %zero) -> f64 {
      %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.addf %acc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  %t = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %one : i64
    %b = phi.get %s[%q] : !phi.vec<f64>[i64]
    %r = phi.fold (%j < %m, %acc = %b) -> f64 {
      %v = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.subf %acc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  func.return %s, %t : !phi.vec<f64>, !phi.vec<f64>
}
// CHECK-LABEL: func.func @next(
// CHECK:         %s = phi.array
// CHECK:         %t = phi.array

// -----

// Sums along rows and along columns of a matrix stay apart: machine code has one nest for each.
func.func @rows_and_columns(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.addf %acc, %x : f64
      phi.yield %y : f64
    }
    phi.yield %s : f64
  }
  %c = phi.array (%j < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %x = phi.get %a[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = arith.addf %acc, %x : f64
      phi.yield %y : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %c : !phi.vec<f64>, !phi.vec<f64>
}
// CHECK-LABEL:  func.func @rows_and_columns(
// CHECK-NEXT:     %zero = arith.constant
// CHECK-NEXT:     %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:          %c = phi.array (%j < %n) -> !phi.vec<f64> {

// -----

// Folds that compute other values from equal recurrences of arrays are one loop, which carries each
// value once.
func.func @recurrences(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> tuple<f64, f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %start = phi.tuple (%b, %zero) : tuple<!phi.vec<f64>, f64>
  %r = phi.fold (%k < %n, %s = %start) -> tuple<!phi.vec<f64>, f64> {
    %x = phi.proj %s, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
    %t = phi.proj %s, 1 : tuple<!phi.vec<f64>, f64> -> f64
    %u = phi.get %x[%k] : !phi.vec<f64>[i64]
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %w = arith.mulf %u, %v : f64
    %y = phi.update %x[%k], %w : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = arith.addf %t, %w : f64
    %both = phi.tuple (%y, %next) : tuple<!phi.vec<f64>, f64>
    phi.yield %both : tuple<!phi.vec<f64>, f64>
  }
  %start_1 = phi.tuple (%zero, %b) : tuple<f64, !phi.vec<f64>>
  %q = phi.fold (%l < %n, %s_1 = %start_1) -> tuple<f64, !phi.vec<f64>> {
    %x_1 = phi.proj %s_1, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %t_1 = phi.proj %s_1, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %u_1 = phi.get %x_1[%l] : !phi.vec<f64>[i64]
    %v_1 = phi.get %a[%l] : !phi.vec<f64>[i64]
    %w_1 = arith.mulf %u_1, %v_1 : f64
    %y_1 = phi.update %x_1[%l], %w_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next_1 = arith.subf %t_1, %u_1 : f64
    %both_1 = phi.tuple (%next_1, %y_1) : tuple<f64, !phi.vec<f64>>
    phi.yield %both_1 : tuple<f64, !phi.vec<f64>>
  }
  %c = phi.proj %r, 1 : tuple<!phi.vec<f64>, f64> -> f64
  %d = phi.proj %q, 0 : tuple<f64, !phi.vec<f64>> -> f64
  %e = phi.tuple (%c, %d) : tuple<f64, f64>
  func.return %e : tuple<f64, f64>
}
// CHECK-LABEL: func.func @recurrences(
// CHECK:         [[START:%[^ ]+]] = phi.tuple (%b, %zero, %zero) :
// CHECK:         [[BOTH:%[^ ]+]] = phi.fold (%k < %n, [[S:%[^ ]+]] = [[START]])
// CHECK-DAG:       [[X:%[^ ]+]] = phi.proj [[S]], 0 :
// CHECK-DAG:       [[T:%[^ ]+]] = phi.proj [[S]], 2 :
// CHECK:           [[NEXT:%[^ ]+]] = phi.tuple (%y, %next, %next_1) :
// CHECK:           phi.yield [[NEXT]]
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// Elements of rows that are updated one after the other.

func.func @updated_rows(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %y: !phi.vec<f64>, %n: index) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %size = phi.size %x, 0 : !phi.vec<f64>
  %b = phi.array (%i < %size) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %e = phi.get %x[%i] : !phi.vec<f64>[index]
    %u = phi.update %row[%one], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  %c = phi.array (%i < %size) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %b[%i] : !phi.vec<!phi.vec<f64>>[index]
    %e = phi.get %y[%i] : !phi.vec<f64>[index]
    %u = phi.update %row[%two], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %c : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @updated_rows
// CHECK:         phi.array
// CHECK:           %[[U:.*]] = phi.update %{{.*}}[%one]
// CHECK:           phi.update %[[U]][%two]
// CHECK-NOT:     phi.array

// -----

// The carried values start as a record that is given as a whole.
func.func @given(%x: tuple<f64, f64>, %v: !phi.vec<f64>) -> tuple<f64, f64> {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %acc = %x) -> tuple<f64, f64> {
    %a = phi.proj %acc, 0 : tuple<f64, f64> -> f64
    %b = phi.proj %acc, 1 : tuple<f64, f64> -> f64
    %c = arith.addf %a, %b : f64
    %d = arith.mulf %b, %b : f64
    %t = phi.tuple (%c, %d) : tuple<f64, f64>
    phi.yield %t : tuple<f64, f64>
  }
  %s = phi.fold (%k < %n, %acc = %x) -> tuple<f64, f64> {
    %a = phi.proj %acc, 0 : tuple<f64, f64> -> f64
    %b = phi.proj %acc, 1 : tuple<f64, f64> -> f64
    %c = arith.addf %a, %b : f64
    %d = arith.mulf %b, %b : f64
    %t = phi.tuple (%c, %d) : tuple<f64, f64>
    phi.yield %t : tuple<f64, f64>
  }
  %0 = phi.proj %r, 1 : tuple<f64, f64> -> f64
  %1 = phi.proj %s, 1 : tuple<f64, f64> -> f64
  %2 = phi.tuple (%0, %1) : tuple<f64, f64>
  func.return %2 : tuple<f64, f64>
}

// CHECK-LABEL: func.func @given(%x: tuple<f64, f64>, %v: !phi.vec<f64>) -> tuple<f64, f64> {
// CHECK-NEXT:       %n = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:       %0 = phi.proj %x, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %1 = phi.proj %x, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %2 = phi.tuple (%0, %1, %0) : tuple<f64, f64, f64>
// CHECK-NEXT:       %3 = phi.fold (%k < %n, %4 = %2) -> tuple<f64, f64, f64> {
// CHECK-NEXT:         %5 = phi.proj %4, 0 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:         %6 = phi.proj %4, 1 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:         %7 = phi.proj %4, 2 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:         %8 = phi.tuple (%5, %6) : tuple<f64, f64>
// CHECK-NEXT:         %a = phi.proj %8, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:         %b = phi.proj %8, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:         %c = arith.addf %a, %b : f64
// CHECK-NEXT:         %d = arith.mulf %b, %b : f64
// CHECK-NEXT:         %9 = phi.tuple (%7, %6) : tuple<f64, f64>
// CHECK-NEXT:         %a_1 = phi.proj %9, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:         %b_1 = phi.proj %9, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:         %c_1 = arith.addf %a_1, %b_1 : f64
// CHECK-NEXT:         %d_1 = arith.mulf %b_1, %b_1 : f64
// CHECK-NEXT:         %10 = phi.tuple (%c, %d, %c_1) : tuple<f64, f64, f64>
// CHECK-NEXT:         phi.yield %10 : tuple<f64, f64, f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %11 = phi.proj %3, 0 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:       %12 = phi.proj %3, 1 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:       %13 = phi.proj %3, 2 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:       %r = phi.tuple (%11, %12) : tuple<f64, f64>
// CHECK-NEXT:       %s = phi.tuple (%13, %12) : tuple<f64, f64>
// CHECK-NEXT:       %14 = phi.proj %r, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %15 = phi.proj %s, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %16 = phi.tuple (%14, %15) : tuple<f64, f64>
// CHECK-NEXT:       func.return %16 : tuple<f64, f64>
// CHECK-NEXT:     }
