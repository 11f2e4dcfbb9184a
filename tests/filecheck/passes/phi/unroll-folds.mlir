// RUN: ein-opt %s --split-input-file -p unroll-folds,canonicalize | filecheck %s
// RUN: ein-opt %s --split-input-file -p unroll-folds{reductions=false},canonicalize | filecheck %s --check-prefix=LOOPS
// RUN: ein-opt %s --split-input-file -p unroll-folds{convolved=groups},canonicalize | filecheck %s --check-prefix=FILTERS
// RUN: ein-opt %s --split-input-file -p unroll-folds{convolved=outputs},canonicalize | filecheck %s --check-prefix=OUTPUTS
// RUN: ein-opt %s --split-input-file -p unroll-folds{convolved=channels},canonicalize | filecheck %s --check-prefix=CHANNELS

// Each step has its own position.
func.func @largest(%a: !phi.vec<f64>, %i: i64, %x: f64) -> f64 {
  %two = arith.constant 2 : i64
  %m = phi.fold (%k < %two, %acc = %x) -> f64 {
    %p = arith.addi %i, %k : i64
    %v = phi.get %a[%p] : !phi.vec<f64>[i64]
    %next = arith.maxnumf %acc, %v : f64
    phi.yield %next : f64
  }
  func.return %m : f64
}

// CHECK:      func.func @largest
// CHECK-NEXT:   %v = phi.get %a[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:   %next = arith.maxnumf %x, %v : f64
// CHECK-NEXT:   %k = arith.constant 1 : i64
// CHECK-NEXT:   %p = arith.addi %i, %k : i64
// CHECK-NEXT:   %v_1 = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:   %next_1 = arith.maxnumf %next, %v_1 : f64
// CHECK-NEXT:   func.return %next_1 : f64

// -----

// Nested loops, innermost first; a yielded value may be the accumulator itself.
func.func @nested(%a: !phi.vec<!phi.vec<f64>>, %x: f64) -> f64 {
  %two = arith.constant 2 : i64
  %m = phi.fold (%p < %two, %acc = %x) -> f64 {
    %n = phi.fold (%q < %two, %bcc = %acc) -> f64 {
      %v = phi.get %a[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %next = arith.maxnumf %bcc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %n : f64
  }
  func.return %m : f64
}

// CHECK:      func.func @nested
// CHECK-NEXT:   %p = arith.constant 0 : i64
// CHECK-NEXT:   %v = phi.get %a[%p, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:   %next = arith.maxnumf %x, %v : f64
// CHECK-NEXT:   %q = arith.constant 1 : i64
// CHECK-NEXT:   %v_1 = phi.get %a[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:   %next_1 = arith.maxnumf %next, %v_1 : f64
// CHECK-NEXT:   %v_2 = phi.get %a[%q, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:   %next_2 = arith.maxnumf %next_1, %v_2 : f64
// CHECK-NEXT:   %v_3 = phi.get %a[%q, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:   %next_3 = arith.maxnumf %next_2, %v_3 : f64
// CHECK-NEXT:   func.return %next_3 : f64

// -----

// Not if no step uses the counter, if the count is dynamic or too large,
// or if another loop stays in the body.
func.func @loops(%a: !phi.vec<f64>, %x: f64, %n: i64) -> (f64, f64, f64, f64) {
  %three = arith.constant 3 : i64
  %many = arith.constant 17 : i64
  %same = phi.fold (%k < %three, %acc = %x) -> f64 {
    %next = arith.mulf %acc, %acc : f64
    phi.yield %next : f64
  }
  %unknown = phi.fold (%k < %n, %acc = %x) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.maxnumf %acc, %v : f64
    phi.yield %next : f64
  }
  %long = phi.fold (%k < %many, %acc = %x) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.maxnumf %acc, %v : f64
    phi.yield %next : f64
  }
  %outer = phi.fold (%k < %three, %acc = %x) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %inner = phi.fold (%j < %n, %bcc = %acc) -> f64 {
      %next = arith.maxnumf %bcc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %inner : f64
  }
  func.return %same, %unknown, %long, %outer : f64, f64, f64, f64
}

// CHECK: func.func @loops
// CHECK:   %same = phi.fold (%k < %three,
// CHECK:   %unknown = phi.fold (%{{.*}} < %n,
// CHECK:   %long = phi.fold (%{{.*}} < %many,
// CHECK:   %outer = phi.fold (%{{.*}} < %three,
// CHECK:     %inner = phi.fold (%j < %n,

// -----

// Steps with a reduction: a loop in them where backends have loops.
func.func @sums(%a: !phi.vec<f64>) -> f64 {
  %two = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%k < %two, %acc = %zero) -> f64 {
    %v = phi.array (%i < %two) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %i_1, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    %r = phi.reduce %v identity %zero by { arith.addf } -> f64
    %next = arith.addf %acc, %r : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK-LABEL: func.func @sums(
// CHECK:         %r = phi.reduce
// CHECK:         %r_1 = phi.reduce

// LOOPS-LABEL: func.func @sums(
// LOOPS:         %s = phi.fold (%k < %two, %acc = %zero) -> f64 {

// -----

// Filters of each channel times windows: a library that convolves has one call for all steps.
func.func @filters(%a: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %b: i64, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %three = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%c < %b, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %three, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %i_1, %k : i64
      %x = phi.get %a[%c, %p] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %w[%c, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @filters(
// CHECK-NOT:     phi.fold

// FILTERS-LABEL: func.func @filters(
// FILTERS:         phi.fold (%k < %three,

// OUTPUTS-LABEL: func.func @filters(
// OUTPUTS-NOT:     phi.fold

// -----

// Filters of each output: the first ones without channels.
func.func @outputs(%a: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<!phi.vec<f64>>>, %b: i64, %m: i64, %n: i64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %three = arith.constant 3 : i64
  %zero_1 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%o < %b, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %three, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %i_1, %k : i64
      %x = phi.get %a[%zero_1, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.get %w[%o, %k, %zero_1] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, i64, i64]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %t = phi.array (%o < %b, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%q < %three, %acc = %zero) -> f64 {
      %terms = phi.array (%c < %m) -> !phi.vec<f64> {
        %i_1 = arith.index_cast %i : index to i64
        %p = arith.addi %i_1, %q : i64
        %x = phi.get %a[%c, %p] : !phi.vec<!phi.vec<f64>>[index, i64]
        %y = phi.get %w[%o, %q, %c] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, i64, index]
        %z = arith.mulf %x, %y : f64
        phi.yield %z : f64
      }
      %sum = phi.reduce %terms identity %zero by { arith.addf } -> f64
      %next = arith.addf %acc, %sum : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %t : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}

// FILTERS-LABEL: func.func @outputs(
// FILTERS-NOT:     phi.fold (%k <
// FILTERS:         phi.fold (%q <

// OUTPUTS-LABEL: func.func @outputs(
// OUTPUTS:         phi.fold (%k <
// OUTPUTS:         phi.fold (%q <

// CHANNELS-LABEL: func.func @outputs(
// CHANNELS-NOT:    phi.fold (%k <
// CHANNELS:        phi.fold (%q <

// -----

// Steps of two loops that compute the same do so once.
func.func @shared(%a: !phi.vec<f64>, %x: f64) -> (f64, f64) {
  %two = arith.constant 2 : i64
  %l = phi.fold (%k < %two, %acc = %x) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %acc, %v : f64
    phi.yield %next : f64
  }
  %r = phi.fold (%k < %two, %acc = %x) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.maxnumf %acc, %v : f64
    phi.yield %next : f64
  }
  func.return %l, %r : f64, f64
}

// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-2: phi.get
// CHECK-NOT:   phi.get
// CHECK:       func.return
