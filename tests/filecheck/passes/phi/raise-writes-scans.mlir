// RUN: ein-opt %s --split-input-file -p raise-writes,canonicalize,dce | filecheck %s

// Each element is the sum of the one before and a number.
func.func @sums(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %b, 0 : !phi.vec<f64>
  %m = arith.addi %n, %one : i64
  %start = phi.array (%i < %m) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%j < %n, %v = %start) -> !phi.vec<f64> {
    %p = arith.addi %j, %one : i64
    %x = phi.get %v[%j] : !phi.vec<f64>[i64]
    %y = phi.get %b[%j] : !phi.vec<f64>[i64]
    %z = arith.addf %y, %x : f64
    %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @sums(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %m = arith.addi %n, %one : i64
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = phi.array (%2 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:     phi.yield %zero : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %3 = phi.concat %1, %b of %m : !phi.vec<f64>
// CHECK-NEXT:   %4 = phi.scan "add" %3 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%5 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %j = arith.index_cast %5 : index to i64
// CHECK-NEXT:     %6 = arith.constant 1 : i64
// CHECK-NEXT:     %7 = arith.addi %j, %6 : i64
// CHECK-NEXT:     %8 = phi.get %4[%7] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %8 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Downwards, up to the last element, and with the previous value as the other operand.
func.func @downwards(%a: !phi.vec<i64>) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %last = arith.subi %n, %one : i64
  %r = phi.fold (%j < %n, %v = %a) -> !phi.vec<i64> {
    %p = arith.subi %last, %j : i64
    %q = arith.subi %n, %j : i64
    %x = phi.get %v[%q] : !phi.vec<i64>[i64]
    %y = phi.get %v[%p] : !phi.vec<i64>[i64]
    %z = arith.maxsi %x, %y : i64
    %w = phi.update %v[%p], %z : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %w : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @downwards(
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:    %last = arith.subi %n, %one : i64
// CHECK-NEXT:    %0 = phi.get %a[%n] : !phi.vec<i64>[i64]
// CHECK-NEXT:    %1 = phi.array (%j < %n) -> !phi.vec<i64> {
// CHECK-NEXT:      %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:      %p = arith.subi %last, %j_1 : i64
// CHECK-NEXT:      %y = phi.get %a[%p] : !phi.vec<i64>[i64]
// CHECK-NEXT:      phi.yield %y : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    %2 = arith.constant 1 : i64
// CHECK-NEXT:    %3 = arith.addi %n, %2 : i64
// CHECK-NEXT:    %4 = arith.constant 1 : i64
// CHECK-NEXT:    %5 = phi.array (%6 < %4) -> !phi.vec<i64> {
// CHECK-NEXT:      phi.yield %0 : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    %7 = phi.concat %5, %1 of %3 : !phi.vec<i64>
// CHECK-NEXT:    %8 = phi.scan "max" %7 : !phi.vec<i64>
// CHECK-NEXT:    %9 = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:    %r = phi.array (%10 < %9) -> !phi.vec<i64> {
// CHECK-NEXT:      %j_2 = arith.index_cast %10 : index to i64
// CHECK-NEXT:      %11 = arith.subi %n, %j_2 : i64
// CHECK-NEXT:      %12 = arith.constant 1 : i64
// CHECK-NEXT:      %13 = arith.addi %11, %12 : i64
// CHECK-NEXT:      %14 = phi.get %8[%13] : !phi.vec<i64>[i64]
// CHECK-NEXT:      phi.yield %14 : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<i64>
// CHECK-NEXT:  }

// -----

// The row of a dynamic program, in a loop over rows. No sum can wrap around. Short rows are loops.
func.func @rows(%a: !phi.vec<i64>, %b: !phi.vec<i64>) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %m = phi.size %a, 0 : !phi.vec<i64>
  %n = phi.size %b, 0 : !phi.vec<i64>
  %size = arith.addi %n, %one : i64
  %start = phi.array (%i < %size) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %r = phi.fold (%i < %m, %above = %start) -> !phi.vec<i64> {
    %first = phi.array (%k < %size) -> !phi.vec<i64> {
      phi.yield %i : i64
    }
    %row = phi.fold (%j < %n, %v = %first) -> !phi.vec<i64> {
      %p = arith.addi %j, %one : i64
      %x = phi.get %v[%j] : !phi.vec<i64>[i64]
      %y = arith.addi %x, %one : i64
      %u = phi.get %above[%j] : !phi.vec<i64>[i64]
      %z = arith.minsi %y, %u : i64
      %w = phi.update %v[%p], %z : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
      phi.yield %w : !phi.vec<i64>
    }
    phi.yield %row : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %m = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<i64>
// CHECK-NEXT:   %size = arith.addi %n, %one : i64
// CHECK-NEXT:   %start = phi.array (%i < %size) -> !phi.vec<i64> {
// CHECK-NEXT:     phi.yield %zero : i64
// CHECK-NEXT:   }
// CHECK:        %[[LONG:.*]] = arith.cmpi sge, %n, %{{.*}} : i64
// CHECK-NEXT:   %[[TEST:.*]] = arith.andi %[[LONG]], %{{.*}} : i1
// CHECK-NEXT:   %[[IF:.*]] = arith.select %[[TEST]], %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:   %[[ELSE:.*]] = arith.select %[[TEST]], %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:   %[[FIRST:.*]] = phi.fold (%{{.*}} < %[[IF]], %{{.*}} = %start) -> !phi.vec<i64> {
// CHECK-NEXT:     phi.fold (%[[I:.*]] < %m, %[[ABOVE:.*]] = %start) -> !phi.vec<i64> {
// CHECK-NEXT:       %[[U:.*]] = phi.array (%{{.*}} < %n) -> !phi.vec<i64> {
// CHECK:            }
// CHECK:            phi.yield %[[I]] : i64
// CHECK:            %[[E:.*]] = phi.concat %{{.*}}, %[[U]] of %size : !phi.vec<i64>
// CHECK-NEXT:       phi.weighted_scan "min" %[[E]] by %one : !phi.vec<i64> by i64
// CHECK:        %[[R:.*]] = phi.fold (%{{.*}} < %[[ELSE]], %[[INIT:.*]] = %[[FIRST]]) -> !phi.vec<i64> {
// CHECK-NEXT:     %[[MOST:.*]] = arith.constant 31 : i64
// CHECK-NEXT:     %[[COUNT:.*]] = arith.minsi %n, %[[MOST]] : i64
// CHECK-NEXT:     phi.fold (%{{.*}} < %m, %{{.*}} = %[[INIT]]) -> !phi.vec<i64> {
// CHECK:            phi.fold (%{{.*}} < %[[COUNT]], %{{.*}} = %{{.*}}) -> !phi.vec<i64> {
// CHECK-NOT:      phi.weighted_scan
// CHECK:        func.return %[[R]] : !phi.vec<i64>

// -----

// Ints from outside of loops may be so large that sums wrap: the scan runs if they are small, the
// fold if not.
func.func @wraps(%a: !phi.vec<i64>, %b: !phi.vec<i64>) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %r = phi.fold (%j < %n, %v = %a) -> !phi.vec<i64> {
    %p = arith.subi %j, %one : i64
    %x = phi.get %v[%p] : !phi.vec<i64>[i64]
    %y = arith.addi %x, %one : i64
    %u = phi.get %b[%j] : !phi.vec<i64>[i64]
    %z = arith.minsi %y, %u : i64
    %w = phi.update %v[%j], %z : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %w : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @wraps(
// CHECK-DAG:     %[[LARGEST:.*]] = arith.constant 268435456 : i64
// CHECK-DAG:     arith.cmpi sle, %n, %{{.*}} : i64
// CHECK-DAG:     phi.reduce %{{.*}} identity %{{.*}} by { arith.andi } -> i1
// CHECK-DAG:     phi.reduce %{{.*}} identity %{{.*}} by { arith.andi } -> i1
// CHECK:         %[[IF:.*]] = arith.select %[[TEST:.*]], %[[ONE:.*]], %[[NONE:.*]] : i64
// CHECK:         %[[ELSE:.*]] = arith.select %[[TEST]], %[[NONE]], %[[ONE]] : i64
// CHECK:         %[[FIRST:.*]] = phi.fold (%{{.*}} < %[[IF]], %{{.*}} = %a)
// CHECK:           phi.weighted_scan "min"
// CHECK:         %[[R:.*]] = phi.fold (%{{.*}} < %[[ELSE]], %{{.*}} = %[[FIRST]])
// CHECK:           phi.fold (%{{.*}} < %n, %{{.*}} = %{{.*}})
// CHECK:             %[[X:.*]] = phi.get
// CHECK:             %[[Y:.*]] = arith.addi %[[X]], %one : i64
// CHECK:             %[[Z:.*]] = arith.minsi %[[Y]], %{{.*}} : i64
// CHECK:             phi.update %{{.*}}[%{{.*}}], %[[Z]]
// CHECK:         func.return %[[R]]

// -----

// Products of floats keep their order, and a position may be out of bounds.
func.func @loops(%a: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %one = arith.constant 1 : i64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%j < %m, %v = %a) -> !phi.vec<f64> {
    %p = arith.subi %j, %one : i64
    %x = phi.get %v[%p] : !phi.vec<f64>[i64]
    %y = phi.get %a[%j] : !phi.vec<f64>[i64]
    %z = arith.mulf %x, %y : f64
    %w = phi.update %v[%j], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %s = phi.fold (%j < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.subi %j, %one : i64
    %x = phi.get %v[%p] : !phi.vec<f64>[i64]
    %y = phi.get %a[%j] : !phi.vec<f64>[i64]
    %z = arith.addf %x, %y : f64
    %w = phi.update %v[%j], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @loops(
// CHECK-NEXT:    %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = arith.constant -1 : i64
// CHECK-NEXT:    %1 = phi.get %a[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %2 = arith.constant 1 : i64
// CHECK-NEXT:    %3 = arith.addi %m, %2 : i64
// CHECK-NEXT:    %4 = arith.constant 1 : i64
// CHECK-NEXT:    %5 = phi.array (%6 < %4) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %1 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %7 = phi.concat %5, %a of %3 : !phi.vec<f64>
// CHECK-NEXT:    %8 = phi.scan "mul" %7 : !phi.vec<f64>
// CHECK-NEXT:    %9 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %r = phi.array (%10 < %9) -> !phi.vec<f64> {
// CHECK-NEXT:      %j = arith.index_cast %10 : index to i64
// CHECK-NEXT:      %11 = arith.subi %j, %0 : i64
// CHECK-NEXT:      %12 = arith.constant 1 : i64
// CHECK-NEXT:      %13 = arith.addi %11, %12 : i64
// CHECK-NEXT:      %14 = phi.get %8[%13] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %14 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %15 = arith.constant -1 : i64
// CHECK-NEXT:    %16 = phi.get %a[%15] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %17 = phi.array (%j_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %j_2 = arith.index_cast %j_1 : index to i64
// CHECK-NEXT:      %y = phi.get %a[%j_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %y : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %18 = arith.constant 1 : i64
// CHECK-NEXT:    %19 = arith.addi %n, %18 : i64
// CHECK-NEXT:    %20 = arith.constant 1 : i64
// CHECK-NEXT:    %21 = phi.array (%22 < %20) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %16 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %23 = phi.concat %21, %17 of %19 : !phi.vec<f64>
// CHECK-NEXT:    %24 = phi.scan "add" %23 : !phi.vec<f64>
// CHECK-NEXT:    %25 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %s = phi.array (%26 < %25) -> !phi.vec<f64> {
// CHECK-NEXT:      %j_3 = arith.index_cast %26 : index to i64
// CHECK-NEXT:      %27 = arith.subi %j_3, %15 : i64
// CHECK-NEXT:      %28 = arith.constant 1 : i64
// CHECK-NEXT:      %29 = arith.addi %n, %28 : i64
// CHECK-NEXT:      %30 = arith.cmpi slt, %27, %29 : i64
// CHECK-NEXT:      %31 = arith.constant 1 : i64
// CHECK-NEXT:      %32 = arith.addi %27, %31 : i64
// CHECK-NEXT:      %33 = phi.get %24[%32] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %34 = phi.get %a[%26] : !phi.vec<f64>[index]
// CHECK-NEXT:      %35 = arith.select %30, %33, %34 : f64
// CHECK-NEXT:      phi.yield %35 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// Every second element from the one before: two chains.
func.func @strided(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.addi %k, %two : i64
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %y = phi.get %v[%p] : !phi.vec<f64>[i64]
    %z = arith.mulf %x, %y : f64
    %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @strided(
// CHECK-NEXT:    %two = arith.constant 2 : i64
// CHECK-NEXT:    %0 = arith.constant 2 : i64
// CHECK-NEXT:    %1 = phi.array (%2 < %0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %3 = arith.index_cast %2 : index to i64
// CHECK-NEXT:      %4 = phi.get %a[%3] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %5 = arith.constant 1 : i64
// CHECK-NEXT:      %6 = arith.addi %n, %5 : i64
// CHECK-NEXT:      %7 = arith.constant 2 : i64
// CHECK-NEXT:      %8 = arith.floordivsi %6, %7 : i64
// CHECK-NEXT:      %9 = phi.array (%k < %8) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %10 = arith.constant 2 : i64
// CHECK-NEXT:        %11 = arith.muli %k_1, %10 : i64
// CHECK-NEXT:        %12 = arith.addi %11, %3 : i64
// CHECK-NEXT:        %p = arith.addi %12, %two : i64
// CHECK-NEXT:        %y = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:        phi.yield %y : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %13 = arith.constant 1 : i64
// CHECK-NEXT:      %14 = arith.addi %n, %13 : i64
// CHECK-NEXT:      %15 = arith.constant 2 : i64
// CHECK-NEXT:      %16 = arith.floordivsi %14, %15 : i64
// CHECK-NEXT:      %17 = arith.constant 1 : i64
// CHECK-NEXT:      %18 = arith.addi %16, %17 : i64
// CHECK-NEXT:      %19 = arith.constant 1 : i64
// CHECK-NEXT:      %20 = phi.array (%21 < %19) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %4 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %22 = phi.concat %20, %9 of %18 : !phi.vec<f64>
// CHECK-NEXT:      %23 = phi.scan "mul" %22 : !phi.vec<f64>
// CHECK-NEXT:      phi.yield %23 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %24 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %r = phi.array (%25 < %24) -> !phi.vec<f64> {
// CHECK-NEXT:      %k_2 = arith.index_cast %25 : index to i64
// CHECK-NEXT:      %26 = arith.constant 0 : i64
// CHECK-NEXT:      %27 = arith.cmpi sge, %k_2, %26 : i64
// CHECK-NEXT:      %28 = arith.constant 2 : i64
// CHECK-NEXT:      %29 = arith.addi %n, %28 : i64
// CHECK-NEXT:      %30 = arith.cmpi slt, %k_2, %29 : i64
// CHECK-NEXT:      %31 = arith.constant 1 : i64
// CHECK-NEXT:      %32 = arith.constant 2 : i64
// CHECK-NEXT:      %33 = sigma.floormod %k_2, %32 : i64
// CHECK-NEXT:      %34 = arith.floordivsi %k_2, %32 : i64
// CHECK-NEXT:      %35 = arith.addi %34, %31 : i64
// CHECK-NEXT:      %36 = phi.get %1[%33, %35] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:      %37 = phi.get %a[%25] : !phi.vec<f64>[index]
// CHECK-NEXT:      %38 = arith.select %27, %36, %37 : f64
// CHECK-NEXT:      %39 = arith.select %30, %38, %37 : f64
// CHECK-NEXT:      phi.yield %39 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// Rows from the ones before.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.addi %k, %one : i64
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      %x = phi.get %v[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = phi.get %v[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.maximumf %x, %y : f64
      phi.yield %z : f64
    }
    %w = phi.update %v[%p], %row : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    phi.yield %w : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %0 = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %1 = phi.array (%j < %0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %2 = arith.constant 0 : i64
// CHECK-NEXT:      %3 = phi.get %a[%2, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:      %4 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %p = arith.addi %k_1, %one : i64
// CHECK-NEXT:        %y = phi.get %a[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:        phi.yield %y : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = arith.constant 1 : i64
// CHECK-NEXT:      %6 = arith.addi %n, %5 : i64
// CHECK-NEXT:      %7 = arith.constant 1 : i64
// CHECK-NEXT:      %8 = phi.array (%9 < %7) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %3 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %10 = phi.concat %8, %4 of %6 : !phi.vec<f64>
// CHECK-NEXT:      %11 = phi.scan "max" %10 : !phi.vec<f64>
// CHECK-NEXT:      phi.yield %11 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %12 = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %r = phi.array (%13 < %12) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %k_2 = arith.index_cast %13 : index to i64
// CHECK-NEXT:      %14 = arith.constant 0 : i64
// CHECK-NEXT:      %15 = arith.cmpi sge, %k_2, %14 : i64
// CHECK-NEXT:      %16 = arith.constant 1 : i64
// CHECK-NEXT:      %17 = arith.addi %n, %16 : i64
// CHECK-NEXT:      %18 = arith.cmpi slt, %k_2, %17 : i64
// CHECK-NEXT:      %19 = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %20 = phi.array (%j_1 < %19) -> !phi.vec<f64> {
// CHECK-NEXT:        %21 = arith.constant 1 : i64
// CHECK-NEXT:        %22 = arith.addi %k_2, %21 : i64
// CHECK-NEXT:        %23 = phi.get %1[%j_1, %22] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        phi.yield %23 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %24 = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %25 = phi.array (%26 < %24) -> !phi.vec<f64> {
// CHECK-NEXT:        %27 = phi.get %20[%26] : !phi.vec<f64>[index]
// CHECK-NEXT:        %28 = phi.get %a[%13, %26] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %29 = arith.select %15, %27, %28 : f64
// CHECK-NEXT:        %30 = arith.select %18, %29, %28 : f64
// CHECK-NEXT:        phi.yield %30 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %25 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }

// -----

// A scan along each column, with one cost for all steps.
func.func @columns(%b: !phi.vec<!phi.vec<i1>>) -> !phi.vec<!phi.vec<i64>> {
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %far = arith.constant 1000 : i64
  %n = phi.size %b, 0 : !phi.vec<!phi.vec<i1>>
  %m = phi.size %b, 1 : !phi.vec<!phi.vec<i1>>
  %a = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<i64>> {
    %x = phi.get %b[%i, %j] : !phi.vec<!phi.vec<i1>>[index, index]
    %y = arith.select %x, %none, %far : i64
    phi.yield %y : i64
  }
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<!phi.vec<i64>> {
    %next = arith.addi %k, %one : i64
    %row = phi.array (%j < %m) -> !phi.vec<i64> {
      %own = phi.get %v[%next, %j] : !phi.vec<!phi.vec<i64>>[i64, index]
      %last = phi.get %v[%k, %j] : !phi.vec<!phi.vec<i64>>[i64, index]
      %step = arith.addi %last, %one : i64
      %least = arith.minsi %own, %step : i64
      phi.yield %least : i64
    }
    %w = phi.update %v[%next], %row : (!phi.vec<!phi.vec<i64>>, i64, !phi.vec<i64>) -> !phi.vec<!phi.vec<i64>>
    phi.yield %w : !phi.vec<!phi.vec<i64>>
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}

// CHECK-LABEL: func.func @columns(
// CHECK:         phi.weighted_scan "min" %{{.*}} by %{{.*}} : !phi.vec<i64> by i64

// -----

// A limit that a loop computes from floats has no premise: the fold stays.
func.func @unknown(%c: !phi.vec<f64>, %gap: i64, %n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = phi.fold (%t < %n, %best = %zero) -> i64 {
    %a = phi.array (%i < %n) -> !phi.vec<i64> {
      phi.yield %best : i64
    }
    %s = phi.fold (%j < %n, %v = %a) -> !phi.vec<i64> {
      %own = phi.get %v[%j] : !phi.vec<i64>[i64]
      %p = arith.addi %j, %one : i64
      %x = phi.get %c[%j] : !phi.vec<f64>[i64]
      %limit = arith.fptosi %x : f64 to i64
      %left = arith.subi %own, %gap : i64
      %e = arith.maxsi %left, %limit : i64
      %w = phi.update %v[%p], %e : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
      phi.yield %w : !phi.vec<i64>
    }
    %last = phi.get %s[%t] : !phi.vec<i64>[i64]
    phi.yield %last : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @unknown(
// CHECK-NOT:     phi.scan
// CHECK:         func.return
