// RUN: ein-opt %s --split-input-file -p narrow-folds,simplify | filecheck %s
// RUN: ein-opt %s --split-input-file -p "narrow-folds{irregular=true},simplify" | filecheck %s --check-prefix=IRREGULAR

// The counter of a loop around, which is non-negative, bounds the steps of a sum.
func.func @prefixes(%a: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %total = %zero) -> f64 {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %i : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %before, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %t = arith.subf %s, %total : f64
    phi.yield %t : f64
  }
  func.return %r : f64
}

// CHECK:        func.func @prefixes(%a: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%i < %n, %total = %zero) -> f64 {
// CHECK-NEXT:       %s = phi.fold (%k < %i, %acc = %zero) -> f64 {
// CHECK-NEXT:         %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %next = arith.addf %acc, %x : f64
// CHECK-NEXT:         phi.yield %next : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %t = arith.subf %s, %total : f64
// CHECK-NEXT:       phi.yield %t : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : f64
// CHECK-NEXT:   }

// -----

// Bounds from both sides, which may be any Ints, and a step that is no reduction. A count that may be
// an error is unchanged then.
func.func @between(%a: !phi.vec<f64>, %low: i64, %high: i64, %n: i64) -> f64 {
  %half = arith.constant 0.5 : f64
  %r = phi.fold (%k < %n, %acc = %half) -> f64 {
    %from = arith.cmpi sgt, %k, %low : i64
    %to = arith.cmpi slt, %k, %high : i64
    %inside = arith.andi %from, %to : i1
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %y = arith.mulf %acc, %half : f64
    %z = arith.subf %y, %x : f64
    %next = arith.select %inside, %z, %acc : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK:        func.func @between(%a: !phi.vec<f64>, %low: i64, %high: i64, %n: i64) -> f64 {
// CHECK-NEXT:     %half = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:     %0 = arith.constant -1 : i64
// CHECK-NEXT:     %1 = arith.maxsi %low, %0 : i64
// CHECK-NEXT:     %2 = arith.constant 1 : i64
// CHECK-NEXT:     %3 = arith.subi %n, %2 : i64
// CHECK-NEXT:     %4 = arith.minsi %1, %3 : i64
// CHECK-NEXT:     %5 = arith.constant 1 : i64
// CHECK-NEXT:     %6 = arith.addi %4, %5 : i64
// CHECK-NEXT:     %7 = arith.constant 0 : i64
// CHECK-NEXT:     %8 = arith.maxsi %high, %7 : i64
// CHECK-NEXT:     %9 = arith.minsi %8, %n : i64
// CHECK-NEXT:     %10 = arith.subi %9, %6 : i64
// CHECK-NEXT:     %11 = arith.constant 0 : i64
// CHECK-NEXT:     %12 = arith.maxsi %10, %11 : i64
// CHECK-NEXT:     %13 = arith.constant 17592186044416 : i64
// CHECK-NEXT:     %14 = arith.cmpi ule, %n, %13 : i64
// CHECK-NEXT:     %15 = arith.select %14, %12, %n : i64
// CHECK-NEXT:     %r = phi.fold (%k < %15, %acc = %half) -> f64 {
// CHECK-NEXT:       %k_1 = arith.addi %6, %k : i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = arith.mulf %acc, %half : f64
// CHECK-NEXT:       %z = arith.subf %y, %x : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : f64
// CHECK-NEXT:   }

// -----

// Unchanged: the bound varies with an index, or with the counter.
func.func @varying(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> (!phi.vec<f64>, f64) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %j : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %before, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %t = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %bound = phi.get %p[%k] : !phi.vec<i64>[i64]
    %before = arith.cmpi slt, %k, %bound : i64
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %y = arith.select %before, %x, %zero : f64
    %next = arith.addf %acc, %y : f64
    phi.yield %next : f64
  }
  func.return %r, %t : !phi.vec<f64>, f64
}

// CHECK:        func.func @varying(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> (!phi.vec<f64>, f64) {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %j = arith.index_cast %i : index to i64
// CHECK-NEXT:       %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:         %before = arith.cmpi slt, %k, %j : i64
// CHECK-NEXT:         %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %y = arith.select %before, %x, %zero : f64
// CHECK-NEXT:         %next = arith.addf %acc, %y : f64
// CHECK-NEXT:         phi.yield %next : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %t = phi.fold (%k_1 < %n, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:       %bound = phi.get %p[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %before_1 = arith.cmpi slt, %k_1, %bound : i64
// CHECK-NEXT:       %x_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y_1 = arith.select %before_1, %x_1, %zero : f64
// CHECK-NEXT:       %next_1 = arith.addf %acc_1, %y_1 : f64
// CHECK-NEXT:       phi.yield %next_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r, %t : !phi.vec<f64>, f64
// CHECK-NEXT:   }

// -----

// Bounds that vary with an index: with the option, the count is irregular. Clips of a bound at the
// ends of the count are dropped. A bound along the rows that steps read stays a condition: the rows
// vectorise.
func.func @ranges(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %p, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %first = arith.maxsi %q, %none : i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %is_in = arith.cmpi sge, %k, %first : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %is_in, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @ranges(
// CHECK:            phi.fold (%k < %n,
// IRREGULAR-LABEL:  func.func @ranges(
// IRREGULAR:            %q = phi.get %p[%i] : !phi.vec<i64>[index]
// IRREGULAR:            [[START:%.*]] = arith.minsi %{{.*}}, %n : i64
// IRREGULAR-NEXT:       [[REST:%.*]] = arith.subi %n, [[START]] : i64
// IRREGULAR:            [[COUNT:%.*]] = arith.maxsi [[REST]], %{{.*}} : i64
// IRREGULAR-NEXT:       %s = phi.fold irregular (%k < [[COUNT]], %acc = %zero) -> f64 {
// IRREGULAR-NEXT:         [[AT:%.*]] = arith.addi [[START]], %k : i64
// IRREGULAR-NEXT:         %x = phi.get %a{{\[}}[[AT]]] : !phi.vec<f64>[i64]
// IRREGULAR-NEXT:         %next = arith.addf %acc, %x : f64

// -----

// A bound along rows that steps read, of which an equation chooses one element: a diagonal.
func.func @diagonal(%a: !phi.vec<!phi.vec<f64>>, %p: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %row = arith.index_cast %i : index to i64
    %column = arith.index_cast %j : index to i64
    %place = arith.addi %row, %p : i64
    %is_here = arith.cmpi eq, %column, %place : i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %is_in = arith.cmpi slt, %k, %column : i64
      %x = phi.get %a[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = arith.select %is_in, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %old = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %new = arith.select %is_here, %s, %old : f64
    phi.yield %new : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @diagonal(
// CHECK:            phi.fold (%k < %n,
// IRREGULAR-LABEL:  func.func @diagonal(
// IRREGULAR:            [[COUNT:%.*]] = arith.minsi %column, %n : i64
// IRREGULAR-NEXT:       %s = phi.fold irregular (%k < [[COUNT]], %acc = %zero) -> f64 {

// -----

// A fold of few steps is unrolled later: its count stays regular.
func.func @short(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant 5 : i64
  %m = phi.size %p, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %is_in = arith.cmpi sge, %k, %q : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %is_in, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:      func.func @short(
// IRREGULAR-LABEL:  func.func @short(
// IRREGULAR:            phi.fold (%k < %n,
// IRREGULAR-NEXT:         arith.cmpi sge, %k, %q : i64

// -----

func.func @columns(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%j < %m) -> !phi.vec<f64> {
    %column = arith.index_cast %j : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %is_in = arith.cmpi sle, %k, %column : i64
      %x = phi.get %a[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = arith.select %is_in, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:      func.func @columns(
// IRREGULAR-LABEL:  func.func @columns(
// IRREGULAR:            phi.fold (%k < %n,
// IRREGULAR-NEXT:         arith.cmpi sle, %k, %column : i64

// -----

// A sum of products without one step, in a loop: the steps before it, and those behind it. Not if
// the loop is a reduction, nor if the step differs by element. Other sums take a mask.
func.func @without(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>) -> (!phi.vec<f64>, f64) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %v = %x) -> !phi.vec<f64> {
    %s = phi.fold (%j < %n, %acc = %zero) -> f64 {
      %c = arith.cmpi eq, %i, %j : i64
      %y = phi.get %v[%j] : !phi.vec<f64>[i64]
      %yy = arith.mulf %y, %y : f64
      %z = arith.select %c, %zero, %yy : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    %rest = phi.fold (%m < %n, %acc = %zero) -> f64 {
      %c = arith.cmpi eq, %i, %m : i64
      %y = phi.get %v[%m] : !phi.vec<f64>[i64]
      %z = arith.select %c, %zero, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    %both = arith.addf %s, %rest : f64
    %w = phi.update %v[%i], %both : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %t = phi.fold (%k < %n, %total = %zero) -> f64 {
    %u = phi.fold (%l < %n, %acc = %zero) -> f64 {
      %d = arith.cmpi ne, %l, %k : i64
      %y = phi.get %a[%k, %l] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.select %d, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    %more = arith.addf %total, %u : f64
    phi.yield %more : f64
  }
  func.return %r, %t : !phi.vec<f64>, f64
}

// CHECK-LABEL:  func.func @without(
// CHECK:          phi.fold (%i < %n, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       [[FIRST:%.*]] = phi.fold (%j < %i, %acc = %zero) -> f64 {
// CHECK-NEXT:         %y = phi.get %v[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %yy = arith.mulf %y, %y : f64
// CHECK-NEXT:         %next = arith.addf %acc, %yy : f64
// CHECK-NEXT:         phi.yield %next : f64
// CHECK-NEXT:       }
// CHECK:            [[START:%.*]] = arith.addi %i, %{{.*}} : i64
// CHECK:            [[COUNT:%.*]] = arith.subi %n, [[START]] : i64
// CHECK:            phi.fold ([[D:%.*]] < {{.*}}, [[ACC:%.*]] = [[FIRST]]) -> f64 {
// CHECK-NEXT:         [[J:%.*]] = arith.addi [[START]], [[D]] : i64
// CHECK-NEXT:         [[Y:%.*]] = phi.get %v{{\[}}[[J]]] : !phi.vec<f64>[i64]
// CHECK-NEXT:         [[YY:%.*]] = arith.mulf [[Y]], [[Y]] : f64
// CHECK-NEXT:         arith.addf [[ACC]], [[YY]] : f64
// CHECK:            phi.fold (%m < %n,
// CHECK:          phi.fold (%k < %n, %total = %zero) -> f64 {
// CHECK-NEXT:       phi.fold (%l < %n,
// CHECK-NEXT:         arith.cmpi ne, %l, %k : i64
// IRREGULAR-LABEL:  func.func @without(
// IRREGULAR:            phi.fold (%j < %n,

// -----

// A bound by the counter of a reduction around is a mask: both may be one operation.
func.func @pairs(%a: !phi.vec<!phi.vec<f64>>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%i < %n, %total = %zero) -> f64 {
    %s = phi.fold (%j < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %j, %i : i64
      %dot = phi.fold (%k < %m, %sum = %zero) -> f64 {
        %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %z = arith.mulf %x, %y : f64
        %more = arith.addf %sum, %z : f64
        phi.yield %more : f64
      }
      %y = arith.select %before, %dot, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %next = arith.addf %total, %s : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL:      func.func @pairs(
// CHECK:              %s = phi.fold (%j < %n, %acc = %zero) -> f64 {
// IRREGULAR-LABEL:  func.func @pairs(
// IRREGULAR:          %s = phi.fold (%j < %i, %acc = %zero) -> f64 {

// -----

// So is one by the counter of a loop whose steps go on with a search.
func.func @best_pair(%d: !phi.vec<!phi.vec<f64>>) -> f64 {
  %inf = arith.constant 0x7ff0000000000000 : f64
  %n = phi.size %d, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%i < %n, %all = %inf) -> f64 {
    %s = phi.fold (%j < %n, %best = %all) -> f64 {
      %behind = arith.cmpi sgt, %j, %i : i64
      %x = phi.get %d[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %less = arith.cmpf olt, %x, %best : f64
      %is_better = arith.andi %behind, %less : i1
      %next = arith.select %is_better, %x, %best : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : f64
}

// CHECK-LABEL:      func.func @best_pair(
// CHECK:              %s = phi.fold (%j < %n, %best = %all) -> f64 {

// -----

// The bound of a reduction whose step has another loop is that of its fold.
func.func @products(%a: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %total = %zero) -> f64 {
    %s = phi.fold (%j < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %j, %i : i64
      %x = phi.get %a[%j] : !phi.vec<f64>[i64]
      %y = arith.select %before, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %p = phi.fold (%k < %n, %acc = %s) -> f64 {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %acc, %half : f64
      %next = arith.subf %x, %y : f64
      phi.yield %next : f64
    }
    %next = arith.addf %total, %p : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL:      func.func @products(
// CHECK:              %s = phi.fold (%j < %i, %acc = %zero) -> f64 {
// IRREGULAR-LABEL:  func.func @products(
// IRREGULAR:          %s = phi.fold (%j < %i, %acc = %zero) -> f64 {
