// RUN: ein-opt %s --split-input-file -p raise-reductions{fused=true} | filecheck %s
// RUN: ein-opt %s --split-input-file -p raise-reductions | filecheck %s --check-prefix=LOOP
// RUN: ein-opt %s --split-input-file -p raise-reductions{functions=true} | filecheck %s --check-prefix=FUNCTIONS
// RUN: ein-opt %s --split-input-file -p raise-reductions{blocks=true} | filecheck %s --check-prefix=BLOCKS
// RUN: ein-opt %s --split-input-file -p raise-reductions{convolves=true} | filecheck %s --check-prefix=CONVOLVES

// Distances between rows have one more axis than the rows: an array of them would be larger.
func.func @distances(%a: !phi.vec<!phi.vec<f64>>, %i: i64, %j: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %d = phi.array (%p < %n, %q < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%p, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %a[%q, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %z = arith.subf %x, %y : f64
      %e = math.absf %z : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %d : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @distances(
// CHECK-NOT:     phi.fold
// CHECK:         phi.reduce %{{.*}} identity %{{.*}} by { arith.addf } -> f64

// LOOP-LABEL:  func.func @distances(
// LOOP:          phi.fold

// FUNCTIONS-LABEL: func.func @distances(
// FUNCTIONS:         phi.fold

// -----

// A search keeps an array of its candidates.
func.func @nearest(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %far = arith.constant 0x7FF0000000000000 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %best = %far) -> f64 {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %z = arith.subf %x, %y : f64
      %better = arith.cmpf olt, %z, %best : f64
      %next = arith.select %better, %z, %best : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @nearest(
// CHECK:         phi.fold

// -----

// A short loop is unrolled later.
func.func @short(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %three, %acc = %zero) -> f64 {
      %p = arith.muli %k, %i_1 : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @short(
// CHECK:         phi.fold

// -----

// Elements that a function computes.
func.func @density(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %z = arith.subf %x, %y : f64
      %e = math.exp %z : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// LOOP-LABEL:      func.func @density(
// LOOP:              phi.fold

// FUNCTIONS-LABEL: func.func @density(
// FUNCTIONS-NOT:     phi.fold
// FUNCTIONS:         phi.reduce

// -----

// Two elements of each block: slices in the steps of a loop, or an axis.
func.func @pool(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %least = arith.constant 0xFFF0000000000000 : f64
  %two = arith.constant 2 : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %q = arith.muli %i_1, %two : i64
    %s = phi.fold (%k < %two, %acc = %least) -> f64 {
      %p = arith.addi %q, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %next = arith.maximumf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// LOOP-LABEL:   func.func @pool(
// LOOP:           phi.fold

// BLOCKS-LABEL: func.func @pool(
// BLOCKS-NOT:     phi.fold
// BLOCKS:         phi.reduce

// -----

// Products of windows with the filter of each output stay a loop for libraries that convolve.
func.func @filters(%a: !phi.vec<f64>, %w: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64, %h: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%o < %m, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %h, %acc = %zero) -> f64 {
      %p = arith.addi %i_1, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = phi.get %w[%o, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %e = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// BLOCKS-LABEL:    func.func @filters(
// BLOCKS-NOT:        phi.fold
// BLOCKS:            phi.reduce

// CONVOLVES-LABEL: func.func @filters(
// CONVOLVES:         phi.fold
// CONVOLVES-NOT:     phi.reduce

// -----

// The rows of a matrix are no windows.
func.func @product(%a: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64, %h: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%o < %m, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %h, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %w[%o, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %e = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CONVOLVES-LABEL: func.func @product(
// CONVOLVES-NOT:     phi.fold
// CONVOLVES:         phi.reduce
