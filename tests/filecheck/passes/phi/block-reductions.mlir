// RUN: ein-opt %s --split-input-file -p block-reductions,canonicalize | filecheck %s
// RUN: ein-opt %s --split-input-file -p block-reductions{windows=true},canonicalize | filecheck %s --check-prefix=WINDOWS
// RUN: ein-opt %s --split-input-file -p block-reductions{rows=true},canonicalize | filecheck %s --check-prefix=LOOKUP

// An array of all differences would be larger than the arrays that are read: those of some steps
// are one.
func.func @kernel(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %x, %y : f64
      %e = math.exp %d : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @kernel
// CHECK:         %[[MANY:.*]] = arith.constant 32768 : i64
// CHECK-NEXT:      %[[FIT:.*]] = arith.floordivsi %[[MANY]], %n : i64
// CHECK-NEXT:      %[[FEW:.*]] = arith.constant 8 : i64
// CHECK-NEXT:      %[[ENOUGH:.*]] = arith.maxsi %[[FIT]], %[[FEW]] : i64
// CHECK-NEXT:      %[[MOST:.*]] = arith.minsi %[[ENOUGH]], %m : i64
// CHECK:           %[[STEPS:.*]] = arith.maxsi %[[MOST]], %{{.*}} : i64
// CHECK-NEXT:    %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:           %[[TOTAL:.*]] = arith.addi %m, %{{.*}} : i64
// CHECK-NEXT:      %[[QUOTIENT:.*]] = arith.floordivsi %[[TOTAL]], %[[STEPS]] : i64
// CHECK-NEXT:      %s = phi.fold (%block < %[[QUOTIENT]], %acc = %zero) -> f64 {
// CHECK:             %[[FIRST:.*]] = arith.muli %block, %[[STEPS]] : i64
// CHECK-NEXT:        %start = arith.maxsi %[[FIRST]], %{{.*}} : i64
// CHECK-NEXT:        %[[REST:.*]] = arith.subi %m, %start : i64
// CHECK-NEXT:        %[[SOME:.*]] = arith.minsi %[[STEPS]], %[[REST]] : i64
// CHECK-NEXT:        %length = arith.maxsi %[[SOME]], %{{.*}} : i64
// CHECK-NEXT:        %[[BLOCK:.*]] = phi.array (%k < %length) -> !phi.vec<f64> {
// CHECK-NEXT:          %[[K:.*]] = arith.index_cast %k : index to i64
// CHECK-NEXT:          %[[AT:.*]] = arith.addi %start, %[[K]] : i64
// CHECK-NEXT:          %y = phi.get %b[%[[AT]]] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %d = arith.subf %x, %y : f64
// CHECK-NEXT:          %e = math.exp %d : f64
// CHECK-NEXT:          phi.yield %e : f64
// CHECK-NEXT:        }
// CHECK:             %[[SUM:.*]] = phi.reduce %[[BLOCK]] identity %{{.*}} by { arith.addf } -> f64
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addf %acc, %[[SUM]] : f64
// CHECK-NEXT:        phi.yield %[[NEXT]] : f64

// -----

// Fields that all need blocks have the same ones, also if their operations differ. The steps compute
// their elements as one array of records.
func.func @fields(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<tuple<f64, f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %rest = phi.tuple (%zero, %zero) : tuple<f64, f64>
  %r = phi.array (%i < %n) -> !phi.vec<tuple<f64, f64>> {
    %p = arith.index_cast %i : index to i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %s = phi.fold (%k < %m, %acc = %rest) -> tuple<f64, f64> {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %x, %y : f64
      %e = math.exp %d : f64
      %f = math.absf %d : f64
      %sum = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %most = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %0 = arith.addf %e, %sum : f64
      %1 = arith.maximumf %most, %f : f64
      %next = phi.tuple (%0, %1) : tuple<f64, f64>
      phi.yield %next : tuple<f64, f64>
    }
    phi.yield %s : tuple<f64, f64>
  }
  func.return %r : !phi.vec<tuple<f64, f64>>
}

// CHECK-LABEL: func.func @fields
// CHECK:         phi.fold (%block < %{{.*}}, %acc = %rest) -> tuple<f64, f64> {
// CHECK:           %[[BLOCK:.*]] = phi.array (%k < %length) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK:             %e = math.exp %d : f64
// CHECK-NEXT:        %f = math.absf %d : f64
// CHECK-NEXT:        %[[BOTH:.*]] = phi.tuple (%e, %f) : tuple<f64, f64>
// CHECK-NEXT:        phi.yield %[[BOTH]] : tuple<f64, f64>
// CHECK:           phi.reduce %{{.*}} identity %{{.*}} by { arith.addf } -> f64
// CHECK:           phi.reduce %{{.*}} identity %{{.*}} by { arith.maximumf } -> f64
// CHECK-NOT:     phi.fold

// The second reads the sum of the first: they are a loop.
func.func @dependent(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<tuple<f64, f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %rest = phi.tuple (%zero, %zero) : tuple<f64, f64>
  %r = phi.array (%i < %n) -> !phi.vec<tuple<f64, f64>> {
    %p = arith.index_cast %i : index to i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %s = phi.fold (%k < %m, %acc = %rest) -> tuple<f64, f64> {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %x, %y : f64
      %e = math.exp %d : f64
      %sum = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %most = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %0 = arith.addf %e, %sum : f64
      %1 = arith.maximumf %most, %sum : f64
      %next = phi.tuple (%0, %1) : tuple<f64, f64>
      phi.yield %next : tuple<f64, f64>
    }
    phi.yield %s : tuple<f64, f64>
  }
  func.return %r : !phi.vec<tuple<f64, f64>>
}

// CHECK-LABEL: func.func @dependent
// CHECK-NOT:     phi.reduce

// -----

// Arrays of one step that have two axes may be small: blocks or the loop have all steps. The number
// of blocks is negative if the count is, which is an error. So it is with a search.
func.func @loops(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>, %c: i64) -> (
  !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, !phi.vec<i64>
) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %o = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %inf = arith.constant 0x7FF0000000000000 : f64
  %none = arith.constant 0 : i64
  %r = phi.array (%i < %n, %j < %o) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.index_cast %i : index to i64
    %q = arith.index_cast %j : index to i64
    %x = phi.get %a[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %x, %y : f64
      %e = math.exp %d : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %t = phi.array (%i < %m) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %x = phi.get %b[%p] : !phi.vec<f64>[i64]
    %s = phi.fold (%k < %c, %acc = %zero) -> f64 {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %x, %y : f64
      %e = math.exp %d : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %u = phi.array (%i < %m) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %x = phi.get %b[%p] : !phi.vec<f64>[i64]
    %start = phi.tuple (%inf, %none) : tuple<f64, i64>
    %best = phi.fold (%k < %m, %acc = %start) -> tuple<f64, i64> {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %x, %y : f64
      %e = math.absf %d : f64
      %least = phi.proj %acc, 0 : tuple<f64, i64> -> f64
      %at = phi.proj %acc, 1 : tuple<f64, i64> -> i64
      %better = arith.cmpf olt, %e, %least : f64
      %f = arith.select %better, %e, %least : f64
      %g = arith.select %better, %k, %at : i64
      %next = phi.tuple (%f, %g) : tuple<f64, i64>
      phi.yield %next : tuple<f64, i64>
    }
    %found = phi.proj %best, 1 : tuple<f64, i64> -> i64
    phi.yield %found : i64
  }
  func.return %r, %t, %u : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, !phi.vec<i64>
}

// CHECK-LABEL: func.func @loops
// CHECK:         %[[ONCE:.*]] = phi.fold (%{{.*}} < %{{.*}}, %[[INIT:.*]] = %zero) -> f64 {
// CHECK-NEXT:      %s = phi.fold (%k < %m, %acc = %[[INIT]]) -> f64 {
// CHECK:         phi.fold (%block < %{{.*}}, %{{.*}} = %[[ONCE]]) -> f64 {
// CHECK:           phi.reduce %{{.*}} identity %{{.*}} by { arith.addf } -> f64
// CHECK:         %s_2 = phi.fold (%k_3 < %{{[0-9]+}}, %acc_2 = %zero) -> f64 {
// CHECK:           %[[BLOCKS:.*]] = arith.select %[[SMALL:.*]], %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:      %[[LARGE:.*]] = arith.select %[[SMALL]], %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:      %[[LOOP:.*]] = phi.fold (%{{.*}} < %[[LARGE]], %{{.*}} = %{{start.*}}) -> tuple<f64, i64> {
// CHECK-NEXT:        %best = phi.fold (%{{k.*}} < %m, %{{acc.*}} = %{{.*}}) -> tuple<f64, i64> {
// CHECK:           %best_1 = phi.fold (%{{block.*}} < %[[BLOCKS]], %{{acc.*}} = %[[LOOP]]) -> tuple<f64, i64> {
// CHECK:             %[[FOUND:.*]] = phi.argreduce %[[ELEMENTS:.*]] by "<" : !phi.vec<f64>
// CHECK-NEXT:        phi.get %[[ELEMENTS]][%[[FOUND]]] : !phi.vec<f64>[i64]
// CHECK-NEXT:        arith.addi %{{start.*}}, %[[FOUND]] : i64

// -----

// Arrays with an axis whose size is given may be small: blocks or the loop have all steps.
func.func @lags(%a: !phi.vec<!phi.vec<f64>>, %o: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %o) -> !phi.vec<!phi.vec<f64>> {
    %j_1 = arith.index_cast %j : index to i64
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %p = arith.addi %k, %j_1 : i64
      %x = phi.get %a[%p, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
      %e = math.exp %x : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @lags
// CHECK:         %[[MANY:.*]] = arith.constant 32768 : i64
// CHECK-NEXT:    %[[ROWS:.*]] = arith.floordivsi %[[MANY]], %n : i64
// CHECK-NEXT:    %[[FIT:.*]] = arith.floordivsi %[[ROWS]], %o : i64
// CHECK-NEXT:    %[[FEWEST:.*]] = arith.constant 4 : i64
// CHECK-NEXT:    %[[SMALL:.*]] = arith.cmpi sge, %[[FIT]], %[[FEWEST]] : i64
// CHECK-NEXT:    %[[SOME:.*]] = arith.minsi %[[FIT]], %m : i64
// CHECK:         %[[STEPS:.*]] = arith.maxsi %[[SOME]], %{{.*}} : i64
// CHECK:         %[[NUMBER:.*]] = arith.floordivsi %{{.*}}, %[[STEPS]] : i64
// CHECK-NEXT:    %[[BLOCKS:.*]] = arith.select %[[SMALL]], %[[NUMBER]], %[[NONE:.*]] : i64
// CHECK-NEXT:    %[[LARGE:.*]] = arith.select %[[SMALL]], %[[NONE]], %{{.*}} : i64
// CHECK-NEXT:    %[[SUM:.*]] = phi.fold (%{{.*}} < %[[LARGE]], %[[INIT:.*]] = %zero) -> f64 {
// CHECK-NEXT:      %s = phi.fold (%k < %m, %acc = %[[INIT]]) -> f64 {
// CHECK-NEXT:        arith.addi %k, %j_1 : i64
// CHECK:         phi.fold (%block < %[[BLOCKS]], %{{.*}} = %[[SUM]]) -> f64 {
// CHECK:           phi.reduce

// -----

// Features of a sample, and the weights of clusters, may be few.
func.func @features(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %c: f64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %d = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %d) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %u = phi.get %w[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
      %v = phi.get %x[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = arith.subf %v, %u : f64
      %e = math.exp %y : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @features
// CHECK:         phi.fold (%{{[0-9]+}} < %{{[0-9]+}}, %[[INIT:[0-9]+]] = %zero) -> f64 {
// CHECK-NEXT:      %s = phi.fold (%k < %m, %acc = %[[INIT]]) -> f64 {
// CHECK:         phi.fold (%block < %{{[0-9]+}}, %acc_1 = %{{[0-9]+}}) -> f64 {

// -----

// An axis of three elements is no reason against blocks.
func.func @thin(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %three = arith.constant 3 : i64
  %r = phi.array (%i < %n, %axis < %three) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i, %axis] : !phi.vec<!phi.vec<f64>>[index, index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %y = phi.get %a[%k, %axis] : !phi.vec<!phi.vec<f64>>[i64, index]
      %d = arith.subf %x, %y : f64
      %e = math.exp %d : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK:      func.func @thin(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %three = arith.constant 3 : i64
// CHECK-NEXT:   %0 = arith.constant 32768 : i64
// CHECK-NEXT:   %1 = arith.floordivsi %0, %n : i64
// CHECK-NEXT:   %2 = arith.floordivsi %1, %three : i64
// CHECK-NEXT:   %3 = arith.constant 8 : i64
// CHECK-NEXT:   %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:   %5 = arith.minsi %4, %n : i64
// CHECK-NEXT:   %6 = arith.constant 1 : i64
// CHECK-NEXT:   %7 = arith.maxsi %5, %6 : i64
// CHECK-NEXT:   %r = phi.array (%i < %n, %axis < %three) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %x = phi.get %a[%i, %axis] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:     %8 = arith.constant 1 : i64
// CHECK-NEXT:     %9 = arith.subi %7, %8 : i64
// CHECK-NEXT:     %10 = arith.addi %n, %9 : i64
// CHECK-NEXT:     %11 = arith.floordivsi %10, %7 : i64
// CHECK-NEXT:     %s = phi.fold (%block < %11, %acc = %zero) -> f64 {
// CHECK-NEXT:       %12 = arith.constant 0 : i64
// CHECK-NEXT:       %13 = arith.muli %block, %7 : i64
// CHECK-NEXT:       %start = arith.maxsi %13, %12 : i64
// CHECK-NEXT:       %14 = arith.subi %n, %start : i64
// CHECK-NEXT:       %15 = arith.minsi %7, %14 : i64
// CHECK-NEXT:       %length = arith.maxsi %15, %12 : i64
// CHECK-NEXT:       %16 = phi.array (%k < %length) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %17 = arith.addi %start, %k_1 : i64
// CHECK-NEXT:         %y = phi.get %a[%17, %axis] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         %d = arith.subf %x, %y : f64
// CHECK-NEXT:         %e = math.exp %d : f64
// CHECK-NEXT:         phi.yield %e : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %18 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %19 = phi.reduce %16 identity %18 by { arith.addf } -> f64
// CHECK-NEXT:       %20 = arith.addf %acc, %19 : f64
// CHECK-NEXT:       phi.yield %20 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT: }

// -----

// A sum of sums in blocks is one over blocks of rows, as many as fit beside a block of columns.
func.func @pairs(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %d = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %sum = %zero) -> f64 {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %v = phi.array (%j < %d) -> !phi.vec<f64> {
        %x = phi.get %a[%i] : !phi.vec<f64>[i64]
        %y = phi.get %a[%k] : !phi.vec<f64>[i64]
        %w = phi.get %b[%j] : !phi.vec<f64>[index]
        %0 = arith.subf %x, %y : f64
        %2 = arith.divf %0, %w : f64
        %1 = math.exp %2 : f64
        phi.yield %1 : f64
      }
      %e = phi.reduce %v identity %zero by { arith.addf } -> f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    %total = arith.addf %sum, %s : f64
    phi.yield %total : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @pairs
// CHECK:         %[[MANY:.*]] = arith.constant 32768 : i64
// CHECK-NEXT:    %[[FIT:.*]] = arith.floordivsi %[[MANY]], %d : i64
// CHECK:         %[[COLUMNS:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i64
// CHECK:         %[[ALL:.*]] = arith.constant 32768 : i64
// CHECK:         %[[BESIDE:.*]] = arith.floordivsi %{{.*}}, %{{.*}} : i64
// CHECK:         %r = phi.fold (%block < %{{.*}}, %sum = %zero) -> f64 {
// CHECK:           %[[ROWS:.*]] = phi.array (%i < %length) -> !phi.vec<f64> {
// CHECK:             phi.fold (%{{.*}} < %{{.*}}, %acc = %zero) -> f64 {
// CHECK:               phi.array (%k < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           phi.reduce %[[ROWS]] identity %{{.*}} by { arith.addf } -> f64

// -----

// A library that correlates vectors needs no blocks of weights times windows.
func.func @windows(%x: !phi.vec<f64>, %h: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %h, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.subi %i_1, %k : i64
      %y = phi.get %x[%p] : !phi.vec<f64>[i64]
      %w = phi.get %h[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %w, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @windows
// CHECK:         phi.fold (%block <

// WINDOWS-LABEL: func.func @windows
// WINDOWS-NOT:     phi.fold
// WINDOWS:         phi.reduce

// -----

// A diagonal of a matrix is a slice in each step, but positions of its own in a block. So the loop
// has all steps if blocks would have few. A row at positions of one axis is a view.
func.func @diagonals(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %m: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.subi %i_1, %k : i64
      %y = phi.get %a[%k, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = math.exp %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %t = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.subi %i_1, %k : i64
      %y = phi.get %x[%p] : !phi.vec<f64>[i64]
      %z = math.exp %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %t : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @diagonals
// CHECK:         phi.fold (%{{.*}} < %{{.*}}, %[[INIT:.*]] = %zero) -> f64 {
// CHECK-NEXT:      phi.fold (%k < %m, %acc = %[[INIT]]) -> f64 {
// CHECK:         phi.fold (%{{.*}} < %{{.*}}, %acc_1 =
// CHECK:         %t = phi.array
// CHECK:         phi.fold
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// A block gathers at positions that steps look up, where the loop reads slices.
func.func @looked_up(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %n: i64) -> !phi.vec<f64> {
  %m = phi.size %p, 0 : !phi.vec<i64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %q = phi.get %p[%k] : !phi.vec<i64>[i64]
      %at = arith.addi %i_1, %q : i64
      %y = phi.get %x[%at] : !phi.vec<f64>[i64]
      %e = math.exp %y : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @looked_up
// CHECK:         %[[FIT:.*]] = arith.floordivsi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    %[[FEWEST:.*]] = arith.constant 64 : i64
// CHECK-NEXT:    %[[SMALL:.*]] = arith.cmpi sge, %[[FIT]], %[[FEWEST]] : i64

// -----

// A product of floats is combined in order: blocks have many steps.
func.func @product(%a: !phi.vec<f64>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %one = arith.constant 1.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %one) -> f64 {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      %y = phi.get %w[%k] : !phi.vec<f64>[i64]
      %e = arith.subf %x, %y : f64
      %next = arith.mulf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @product
// CHECK:         %[[FIT:.*]] = arith.floordivsi %{{.*}}, %n : i64
// CHECK-NEXT:    %[[FEWEST:.*]] = arith.constant 64 : i64
// CHECK-NEXT:    %[[SMALL:.*]] = arith.cmpi sge, %[[FIT]], %[[FEWEST]] : i64

// -----

// A step reduces arrays of its own, which have the axes of the largest one: a block has few steps.
func.func @mixture(%x: !phi.vec<!phi.vec<f64>>, %mu: !phi.vec<!phi.vec<f64>>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %mu, 0 : !phi.vec<!phi.vec<f64>>
  %d = phi.size %mu, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%i < %n, %acc = %zero) -> f64 {
    %v = phi.array (%k < %m) -> !phi.vec<f64> {
      %w = phi.array (%j < %d) -> !phi.vec<f64> {
        %p = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
        %q = phi.get %mu[%k, %j] : !phi.vec<!phi.vec<f64>>[index, index]
        %t = arith.subf %p, %q : f64
        %a = math.absf %t : f64
        phi.yield %a : f64
      }
      %s = phi.reduce %w identity %zero by { arith.addf } -> f64
      %e = math.exp %s : f64
      phi.yield %e : f64
    }
    %u = phi.reduce %v identity %zero by { arith.addf } -> f64
    %l = math.log %u : f64
    %next = arith.addf %acc, %l : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @mixture
// CHECK:         %[[FIT:.*]] = arith.floordivsi %{{.*}}, %{{.*}} : i64
// CHECK:         %[[FEWEST:.*]] = arith.constant 4 : i64
// CHECK-NEXT:    %[[SMALL:.*]] = arith.cmpi sge, %{{.*}}, %[[FEWEST]] : i64
// CHECK:         phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           phi.array (%{{.*}} < %m) -> !phi.vec<f64> {

// -----

// One field reads parts along later axes, the other does not: both are one loop, which computes the
// sign once.
func.func @fields(%x: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>, %g: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<tuple<f64, f64>>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %zeros = phi.tuple (%zero, %zero) : tuple<f64, f64>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<tuple<f64, f64>>> {
    %p = phi.get %c[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %zeros) -> tuple<f64, f64> {
      %a = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %b = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %q = phi.get %x[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %d = arith.subf %q, %p : f64
      %e = sigma.sign %d : f64
      %u = phi.get %g[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
      %v = phi.get %g[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %eu = arith.mulf %e, %u : f64
      %ev = arith.mulf %e, %v : f64
      %h = arith.addf %a, %eu : f64
      %f = arith.addf %b, %ev : f64
      %t = phi.tuple (%h, %f) : tuple<f64, f64>
      phi.yield %t : tuple<f64, f64>
    }
    phi.yield %s : tuple<f64, f64>
  }
  func.return %r : !phi.vec<!phi.vec<tuple<f64, f64>>>
}

// CHECK-LABEL: func.func @fields
// CHECK-NOT:     phi.reduce
// CHECK:         phi.fold ({{.*}}) -> tuple<f64, f64> {

// -----

// Fields that all need blocks, in loops of which the inner one may be short: blocks of both.
func.func @nest(%x: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>) -> !phi.vec<tuple<f64, f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %d = phi.size %c, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %zeros = phi.tuple (%zero, %zero) : tuple<f64, f64>
  %r = phi.array (%k < %d) -> !phi.vec<tuple<f64, f64>> {
    %p = phi.get %c[%k] : !phi.vec<f64>[index]
    %s = phi.fold (%i < %n, %acc = %zeros) -> tuple<f64, f64> {
      %t = phi.fold (%j < %m, %inner = %zeros) -> tuple<f64, f64> {
        %a = phi.proj %inner, 0 : tuple<f64, f64> -> f64
        %b = phi.proj %inner, 1 : tuple<f64, f64> -> f64
        %q = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %u = arith.mulf %p, %q : f64
        %e = math.exp %u : f64
        %g = math.sin %e : f64
        %a1 = arith.addf %a, %e : f64
        %b1 = arith.addf %b, %g : f64
        %z = phi.tuple (%a1, %b1) : tuple<f64, f64>
        phi.yield %z : tuple<f64, f64>
      }
      %a2 = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %b2 = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %a3 = phi.proj %t, 0 : tuple<f64, f64> -> f64
      %b3 = phi.proj %t, 1 : tuple<f64, f64> -> f64
      %a4 = arith.addf %a2, %a3 : f64
      %b4 = arith.addf %b2, %b3 : f64
      %y = phi.tuple (%a4, %b4) : tuple<f64, f64>
      phi.yield %y : tuple<f64, f64>
    }
    phi.yield %s : tuple<f64, f64>
  }
  func.return %r : !phi.vec<tuple<f64, f64>>
}

// CHECK-LABEL: func.func @nest
// CHECK:         %[[COLUMNS:.*]] = arith.floordivsi %{{.*}}, %d : i64
// CHECK:         %[[STEPS:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i64
// CHECK:         %[[ROWS:.*]] = arith.floordivsi %{{.*}}, %{{.*}} : i64
// CHECK:         phi.fold (%block < %{{.*}}, %acc = %{{.*}}) -> tuple<f64, f64> {
// CHECK:           phi.array (%{{.*}} < %length) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK:             phi.fold (%block_1 < %{{.*}}, %{{.*}}) -> tuple<f64, f64> {
// CHECK:               phi.array (%{{.*}} < %{{.*}}) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK:           phi.reduce

// -----

// Windows times weights of their own: sizes decide whether a block has all steps.
func.func @groups(%x: !phi.vec<!phi.vec<!phi.vec<f64>>>, %w: !phi.vec<!phi.vec<!phi.vec<f64>>>) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %h = phi.size %w, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %m = phi.size %w, 2 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %r = phi.size %x, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %two = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f64
  %y = phi.array (%c < %n, %p < %r, %q < %r) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
    %q1 = arith.index_cast %q : index to i64
    %s = phi.fold (%j < %m, %acc = %zero) -> f64 {
      %j2 = arith.muli %j, %two : i64
      %at = arith.addi %j2, %q1 : i64
      %u = phi.get %x[%c, %p, %at] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, index, i64]
      %v = phi.get %w[%c, %h, %j] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, i64, i64]
      %e = arith.mulf %u, %v : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %y : !phi.vec<!phi.vec<!phi.vec<f64>>>
}

// CHECK-LABEL: func.func @groups
// CHECK:         %[[FEWEST:.*]] = arith.constant 4 : i64
// CHECK-NEXT:    %[[SMALL:.*]] = arith.cmpi sge, %{{.*}}, %[[FEWEST]] : i64
// CHECK:         phi.reduce

// -----

// Weights that windows share are those of a convolution, or a loop.
func.func @shared_weights(%x: !phi.vec<!phi.vec<!phi.vec<f64>>>, %w: !phi.vec<!phi.vec<!phi.vec<f64>>>) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %h = phi.size %w, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %m = phi.size %w, 2 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %r = phi.size %x, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %two = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f64
  %y = phi.array (%c < %n, %p < %r, %q < %r) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
    %q1 = arith.index_cast %q : index to i64
    %s = phi.fold (%j < %m, %acc = %zero) -> f64 {
      %j2 = arith.muli %j, %two : i64
      %at = arith.addi %j2, %q1 : i64
      %u = phi.get %x[%c, %p, %at] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, index, i64]
      %v = phi.get %w[%two, %h, %j] : !phi.vec<!phi.vec<!phi.vec<f64>>>[i64, i64, i64]
      %e = arith.mulf %u, %v : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %y : !phi.vec<!phi.vec<!phi.vec<f64>>>
}

// CHECK-LABEL: func.func @shared_weights
// CHECK-NOT:     phi.reduce
// CHECK:         func.return

// -----

// A matrix is looked up for each row: a loop of calls with two axes, or one block of all steps.
func.func @matrices(%x: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>, %w: !phi.vec<!phi.vec<!phi.vec<f64>>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %d = phi.size %w, 2 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %d) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %u = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %q = phi.get %p[%i] : !phi.vec<i64>[index]
      %y = phi.get %w[%q, %k, %j] : !phi.vec<!phi.vec<!phi.vec<f64>>>[i64, i64, index]
      %e = arith.mulf %u, %y : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @matrices
// CHECK-NOT:     phi.reduce
// CHECK:         func.return
// LOOKUP-LABEL: func.func @matrices
// LOOKUP:          arith.constant 1048576 : i64
// LOOKUP:          %[[FIT:.*]] = arith.floordivsi %{{.*}}, %d : i64
// LOOKUP-NEXT:    %[[SMALL:.*]] = arith.cmpi sge, %[[FIT]], %m : i64
// LOOKUP:          phi.reduce

// -----

// Rows of a table at positions that an array has for each step are looked up in blocks.
func.func @bags(%p: !phi.vec<!phi.vec<i64>>, %w: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %p, 0 : !phi.vec<!phi.vec<i64>>
  %m = phi.size %p, 1 : !phi.vec<!phi.vec<i64>>
  %d = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %d) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %q = phi.get %p[%i, %k] : !phi.vec<!phi.vec<i64>>[index, i64]
      %y = phi.get %w[%q, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @bags
// CHECK:         %[[ROW:.*]] = arith.floordivsi %{{.*}}, %n : i64
// CHECK-NEXT:    %[[FIT:.*]] = arith.floordivsi %[[ROW]], %d : i64
// CHECK:         arith.cmpi sge, %[[FIT]], %{{.*}} : i64
// CHECK:         phi.fold (%block <
// CHECK:           phi.reduce

// -----

// Minima in the steps of a loop are calls on whole arrays in a version for small sizes.
func.func @paths(%a: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %steps: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %inf = arith.constant 0x7FF0000000000000 : f64
  %r = phi.fold (%t < %steps, %v = %a) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %least = phi.fold (%k < %m, %acc = %inf) -> f64 {
        %x = phi.get %v[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %y = phi.get %w[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
        %s = arith.addf %x, %y : f64
        %c = arith.minimumf %acc, %s : f64
        phi.yield %c : f64
      }
      phi.yield %least : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @paths
// CHECK:         %[[ROW:.*]] = arith.floordivsi %{{.*}}, %n : i64
// CHECK-NEXT:    %[[FIT:.*]] = arith.floordivsi %[[ROW]], %m : i64
// CHECK-NEXT:    %[[SMALL:.*]] = arith.cmpi sge, %[[FIT]], %m : i64
// CHECK:         %[[ONCE:.*]] = arith.select
// CHECK:         phi.fold (%{{.*}} < %[[ONCE]],
// CHECK:           phi.fold (%{{.*}} < %steps,
// CHECK:             phi.reduce
// CHECK:         phi.fold
// CHECK-NOT:       phi.reduce
// CHECK:         func.return

// -----

// A size that a step computes decides nothing: the minima stay loops.
func.func @growing(%a: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %steps: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %inf = arith.constant 0x7FF0000000000000 : f64
  %r = phi.fold (%t < %steps, %v = %a) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %least = phi.fold (%k < %t, %acc = %inf) -> f64 {
        %x = phi.get %v[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %y = phi.get %w[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
        %s = arith.addf %x, %y : f64
        %c = arith.minimumf %acc, %s : f64
        phi.yield %c : f64
      }
      phi.yield %least : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @growing
// CHECK-NOT:     phi.reduce
// CHECK:         func.return

// -----

// The rows of points are often short: sizes decide.
func.func @rows(%w: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.000000e+00 : f64
  %r = phi.array (%i < %n, %d < %m) -> !phi.vec<!phi.vec<f64>> {
    %own = phi.get %x[%i, %d] : !phi.vec<!phi.vec<f64>>[index, index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%k, %d] : !phi.vec<!phi.vec<f64>>[i64, index]
      %b = phi.get %w[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %difference = arith.subf %a, %own : f64
      %term = arith.mulf %b, %difference : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(%w: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %0 = arith.constant 32768 : i64
// CHECK-NEXT:       %1 = arith.floordivsi %0, %n : i64
// CHECK-NEXT:       %2 = arith.floordivsi %1, %m : i64
// CHECK-NEXT:       %3 = arith.constant 4 : i64
// CHECK-NEXT:       %4 = arith.cmpi sge, %2, %3 : i64
// CHECK-NEXT:       %5 = arith.minsi %2, %n : i64
// CHECK-NEXT:       %6 = arith.constant 1 : i64
// CHECK-NEXT:       %7 = arith.maxsi %5, %6 : i64
// CHECK-NEXT:       %r = phi.array (%i < %n, %d < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %own = phi.get %x[%i, %d] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:         %8 = arith.constant 0 : i64
// CHECK-NEXT:         %9 = arith.constant 1 : i64
// CHECK-NEXT:         %10 = arith.constant 1 : i64
// CHECK-NEXT:         %11 = arith.subi %7, %10 : i64
// CHECK-NEXT:         %12 = arith.addi %n, %11 : i64
// CHECK-NEXT:         %13 = arith.floordivsi %12, %7 : i64
// CHECK-NEXT:         %14 = arith.select %4, %13, %8 : i64
// CHECK-NEXT:         %15 = arith.select %4, %8, %9 : i64
// CHECK-NEXT:         %16 = phi.fold (%17 < %15, %18 = %zero) -> f64 {
// CHECK-NEXT:           %s = phi.fold (%k < %n, %acc = %18) -> f64 {
// CHECK-NEXT:             %a = phi.get %x[%k, %d] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:             %b = phi.get %w[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:             %difference = arith.subf %a, %own : f64
// CHECK-NEXT:             %term = arith.mulf %b, %difference : f64
// CHECK-NEXT:             %next = arith.addf %acc, %term : f64
// CHECK-NEXT:             phi.yield %next : f64
// CHECK-NEXT:           }
// CHECK-NEXT:           phi.yield %s : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %s_1 = phi.fold (%block < %14, %acc_1 = %16) -> f64 {
// CHECK-NEXT:           %19 = arith.constant 0 : i64
// CHECK-NEXT:           %20 = arith.muli %block, %7 : i64
// CHECK-NEXT:           %start = arith.maxsi %20, %19 : i64
// CHECK-NEXT:           %21 = arith.subi %n, %start : i64
// CHECK-NEXT:           %22 = arith.minsi %7, %21 : i64
// CHECK-NEXT:           %length = arith.maxsi %22, %19 : i64
// CHECK-NEXT:           %23 = phi.array (%k_1 < %length) -> !phi.vec<f64> {
// CHECK-NEXT:             %k_2 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:             %24 = arith.addi %start, %k_2 : i64
// CHECK-NEXT:             %a_1 = phi.get %x[%24, %d] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:             %b_1 = phi.get %w[%i, %24] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:             %difference_1 = arith.subf %a_1, %own : f64
// CHECK-NEXT:             %term_1 = arith.mulf %b_1, %difference_1 : f64
// CHECK-NEXT:             phi.yield %term_1 : f64
// CHECK-NEXT:           }
// CHECK-NEXT:           %25 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:           %26 = phi.reduce %23 identity %25 by { arith.addf } -> f64
// CHECK-NEXT:           %27 = arith.addf %acc_1, %26 : f64
// CHECK-NEXT:           phi.yield %27 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %s_1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
