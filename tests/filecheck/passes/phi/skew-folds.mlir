// RUN: ein-opt %s --split-input-file -p skew-folds{least=2},simplify | filecheck %s

// The neighbours above and before.
func.func @table(%a: !phi.vec<!phi.vec<f64>>, %n: !phi.vec<f64>, %m: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %rows = phi.size %n, 0 : !phi.vec<f64>
  %columns = phi.size %m, 0 : !phi.vec<f64>
  %height = arith.addi %rows, %one : i64
  %width = arith.addi %columns, %one : i64
  %t0 = phi.array (%b < %height, %c < %width) -> !phi.vec<!phi.vec<f64>> {
    %x0 = phi.get %a[%b, %c] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x0 : f64
  }
  %r = phi.fold (%i < %rows, %t = %t0) -> !phi.vec<!phi.vec<f64>> {
    %u = phi.fold (%j < %columns, %v = %t) -> !phi.vec<!phi.vec<f64>> {
      %p = arith.addi %i, %one : i64
      %q = arith.addi %j, %one : i64
      %x = phi.get %v[%i, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.get %v[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.minimumf %x, %y : f64
      %w = phi.update %v[%p, %q], %z : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %w : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %u : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @table(%a: !phi.vec<!phi.vec<f64>>, %n: !phi.vec<f64>, %m: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %rows = phi.size %n, 0 : !phi.vec<f64>
// CHECK-NEXT:     %columns = phi.size %m, 0 : !phi.vec<f64>
// CHECK-NEXT:     %height = arith.addi %rows, %one : i64
// CHECK-NEXT:     %width = arith.addi %columns, %one : i64
// CHECK-NEXT:     %t0 = phi.array (%b < %height, %c < %width) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %x0 = phi.get %a[%b, %c] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:       phi.yield %x0 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %0 = arith.constant 2 : i64
// CHECK-NEXT:     %1 = arith.constant 2 : i64
// CHECK-NEXT:     %2 = arith.constant 4 : i64
// CHECK-NEXT:     %3 = arith.muli %columns, %2 : i64
// CHECK-NEXT:     %4 = arith.cmpi sge, %rows, %0 : i64
// CHECK-NEXT:     %5 = arith.cmpi sge, %columns, %1 : i64
// CHECK-NEXT:     %6 = arith.cmpi sle, %rows, %3 : i64
// CHECK-NEXT:     %7 = arith.andi %4, %5 : i1
// CHECK-NEXT:     %8 = arith.andi %7, %6 : i1
// CHECK-NEXT:     %9 = arith.constant 0 : i64
// CHECK-NEXT:     %10 = arith.constant 1 : i64
// CHECK-NEXT:     %11 = arith.addi %rows, %columns : i64
// CHECK-NEXT:     %12 = arith.constant 1 : i64
// CHECK-NEXT:     %13 = arith.subi %11, %12 : i64
// CHECK-NEXT:     %14 = arith.select %8, %13, %9 : i64
// CHECK-NEXT:     %15 = arith.maxsi %14, %9 : i64
// CHECK-NEXT:     %16 = arith.constant 0 : i64
// CHECK-NEXT:     %17 = arith.addi %height, %width : i64
// CHECK-NEXT:     %18 = arith.constant 1 : i64
// CHECK-NEXT:     %19 = arith.subi %17, %18 : i64
// CHECK-NEXT:     %20 = arith.select %8, %19, %16 : i64
// CHECK-NEXT:     %21 = arith.constant 2 : i64
// CHECK-NEXT:     %22 = arith.addi %15, %21 : i64
// CHECK-NEXT:     %23 = arith.maxsi %22, %20 : i64
// CHECK-NEXT:     %24 = phi.array (%25 < %23, %26 < %height) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %27 = arith.index_cast %25 : index to i64
// CHECK-NEXT:       %28 = arith.index_cast %26 : index to i64
// CHECK-NEXT:       %29 = arith.subi %27, %28 : i64
// CHECK-NEXT:       %x0_1 = phi.get %a[%28, %29] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:       phi.yield %x0_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %30 = phi.fold (%j < %15, %t = %24) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %31 = arith.constant 2 : i64
// CHECK-NEXT:       %32 = arith.addi %j, %31 : i64
// CHECK-NEXT:       %33 = arith.constant 1 : i64
// CHECK-NEXT:       %34 = arith.constant 1 : i64
// CHECK-NEXT:       %35 = arith.addi %rows, %34 : i64
// CHECK-NEXT:       %36 = arith.subi %32, %columns : i64
// CHECK-NEXT:       %37 = arith.constant 1 : i64
// CHECK-NEXT:       %38 = arith.subi %36, %37 : i64
// CHECK-NEXT:       %39 = arith.constant 1 : i64
// CHECK-NEXT:       %40 = arith.subi %32, %39 : i64
// CHECK-NEXT:       %41 = arith.constant 1 : i64
// CHECK-NEXT:       %42 = arith.addi %38, %41 : i64
// CHECK-NEXT:       %43 = arith.constant 1 : i64
// CHECK-NEXT:       %44 = arith.addi %40, %43 : i64
// CHECK-NEXT:       %45 = arith.maxsi %33, %42 : i64
// CHECK-NEXT:       %46 = arith.minsi %35, %44 : i64
// CHECK-NEXT:       %47 = arith.maxsi %45, %46 : i64
// CHECK-NEXT:       %48 = phi.array (%49 < %height) -> !phi.vec<f64> {
// CHECK-NEXT:         %50 = arith.index_cast %49 : index to i64
// CHECK-NEXT:         %51 = phi.get %t[%32, %49] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         %52 = arith.constant 1 : i64
// CHECK-NEXT:         %53 = arith.subi %32, %52 : i64
// CHECK-NEXT:         %54 = phi.get %t[%53, %50] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %55 = arith.constant 1 : i64
// CHECK-NEXT:         %56 = arith.subi %32, %55 : i64
// CHECK-NEXT:         %57 = arith.constant 1 : i64
// CHECK-NEXT:         %58 = arith.subi %50, %57 : i64
// CHECK-NEXT:         %59 = phi.get %t[%56, %58] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %z = arith.minimumf %59, %54 : f64
// CHECK-NEXT:         %60 = arith.cmpi slt, %50, %47 : i64
// CHECK-NEXT:         %61 = arith.select %60, %z, %51 : f64
// CHECK-NEXT:         %62 = arith.cmpi sge, %50, %45 : i64
// CHECK-NEXT:         %63 = arith.select %62, %61, %51 : f64
// CHECK-NEXT:         phi.yield %63 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %64 = phi.update %t[%32], %48 : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       phi.yield %64 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %65 = arith.select %8, %9, %10 : i64
// CHECK-NEXT:     %66 = arith.select %8, %10, %9 : i64
// CHECK-NEXT:     %67 = phi.fold (%i < %65, %t_1 = %t0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %r = phi.fold (%i_1 < %rows, %t_2 = %t_1) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %u = phi.fold (%j_1 < %columns, %v = %t_2) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:           %p = arith.addi %i_1, %one : i64
// CHECK-NEXT:           %q = arith.addi %j_1, %one : i64
// CHECK-NEXT:           %x = phi.get %v[%i_1, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:           %y = phi.get %v[%p, %j_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:           %z_1 = arith.minimumf %x, %y : f64
// CHECK-NEXT:           %w = phi.update %v[%p, %q], %z_1 : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:           phi.yield %w : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %u : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %r_1 = phi.fold (%i_2 < %66, %t_3 = %67) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %68 = phi.array (%69 < %height, %70 < %width) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %71 = arith.index_cast %69 : index to i64
// CHECK-NEXT:         %72 = arith.index_cast %70 : index to i64
// CHECK-NEXT:         %73 = arith.addi %71, %72 : i64
// CHECK-NEXT:         %74 = phi.get %30[%73, %71] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         phi.yield %74 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %68 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r_1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// A position that the step does not know stays a loop.
func.func @unknown(%a: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> !phi.vec<!phi.vec<f64>> {
  %rows = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %columns = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%i < %rows, %t = %a) -> !phi.vec<!phi.vec<f64>> {
    %u = phi.fold (%j < %columns, %v = %t) -> !phi.vec<!phi.vec<f64>> {
      %q = phi.get %p[%j] : !phi.vec<i64>[i64]
      %x = phi.get %v[%i, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %w = phi.update %v[%i, %j], %x : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %w : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %u : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @unknown(%a: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %rows = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %columns = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %r = phi.fold (%i < %rows, %t = %a) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %u = phi.fold (%j < %columns, %v = %t) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %q = phi.get %p[%j] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %x = phi.get %v[%i, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %w = phi.update %v[%i, %j], %x : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:         phi.yield %w : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %u : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// The first row and column are cases of their own: a test says where positions are clipped.
func.func @guarded(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 0.5 : f64
  %rows = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %columns = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%i < %rows, %t = %a) -> !phi.vec<!phi.vec<f64>> {
    %u = phi.fold (%j < %columns, %v = %t) -> !phi.vec<!phi.vec<f64>> {
      %is_top = arith.cmpi eq, %i, %zero : i64
      %is_left = arith.cmpi eq, %j, %zero : i64
      %is_border = arith.ori %is_top, %is_left : i1
      %p0 = arith.subi %i, %one : i64
      %p = arith.maxsi %p0, %zero : i64
      %q0 = arith.subi %j, %one : i64
      %q = arith.maxsi %q0, %zero : i64
      %x = phi.get %v[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.get %v[%i, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.mulf %x, %y : f64
      %e = arith.select %is_border, %half, %z : f64
      %w = phi.update %v[%i, %j], %e : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %w : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %u : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @guarded(
// CHECK:          %{{.*}} = phi.fold (%j < %{{.*}}, %t = %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
// CHECK:            %[[ROW:.*]] = phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK:              %[[BEFORE:.*]] = phi.get %t[%{{.*}}, %{{.*}}] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK:              %[[ABOVE:.*]] = phi.get %t[%{{.*}}, %{{.*}}] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK:              %is_border = arith.ori %is_top, %is_left : i1
// CHECK-NEXT:         %z = arith.mulf %[[ABOVE]], %[[BEFORE]] : f64
// CHECK-NEXT:         %{{.*}} = arith.select %is_border, %half, %z : f64
// CHECK:            phi.update %t[%{{[^,]*}}], %[[ROW]] : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>)

// -----

// A position that clips stays a loop: the element above the first row would be one of the row.
func.func @clips(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %rows = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %columns = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%i < %rows, %t = %a) -> !phi.vec<!phi.vec<f64>> {
    %u = phi.fold (%j < %columns, %v = %t) -> !phi.vec<!phi.vec<f64>> {
      %p = arith.subi %i, %one : i64
      %q = arith.subi %j, %one : i64
      %x = phi.get %v[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %w = phi.update %v[%i, %j], %x : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %w : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %u : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @clips(
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %rows = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %columns = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %r = phi.fold (%i < %rows, %t = %a) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %u = phi.fold (%j < %columns, %v = %t) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %p = arith.subi %i, %one : i64
// CHECK-NEXT:         %q = arith.subi %j, %one : i64
// CHECK-NEXT:         %x = phi.get %v[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %w = phi.update %v[%i, %j], %x : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:         phi.yield %w : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %u : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// The intervals of one length in each step: element (i, j) is in row j - i + n - 1.
func.func @intervals(%a: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %n = phi.size %c, 0 : !phi.vec<f64>
  %t0 = phi.array (%b < %n, %d < %n) -> !phi.vec<!phi.vec<f64>> {
    %x0 = phi.get %a[%b, %d] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x0 : f64
  }
  %m = arith.subi %n, %one : i64
  %r = phi.fold (%k < %m, %t = %t0) -> !phi.vec<!phi.vec<f64>> {
    %u = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
      %i_1 = arith.index_cast %i : index to i64
      %e = arith.addi %i_1, %k : i64
      %j = arith.addi %e, %one : i64
      %p = arith.addi %i_1, %one : i64
      %x = phi.get %t[%i, %e] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %t[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.minimumf %x, %y : f64
      %row = phi.get %t[%i] : !phi.vec<!phi.vec<f64>>[index]
      %w = phi.update %row[%j], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %w : !phi.vec<f64>
    }
    phi.yield %u : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @intervals(%a: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %n = phi.size %c, 0 : !phi.vec<f64>
// CHECK-NEXT:     %t0 = phi.array (%b < %n, %d < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %x0 = phi.get %a[%b, %d] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:       phi.yield %x0 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %m = arith.subi %n, %one : i64
// CHECK-NEXT:     %0 = arith.addi %n, %n : i64
// CHECK-NEXT:     %1 = arith.constant 1 : i64
// CHECK-NEXT:     %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:     %3 = arith.constant 0 : i64
// CHECK-NEXT:     %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:     %5 = phi.array (%6 < %4, %7 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %8 = arith.index_cast %6 : index to i64
// CHECK-NEXT:       %9 = arith.index_cast %7 : index to i64
// CHECK-NEXT:       %10 = arith.addi %8, %9 : i64
// CHECK-NEXT:       %11 = arith.constant 1 : i64
// CHECK-NEXT:       %12 = arith.subi %n, %11 : i64
// CHECK-NEXT:       %13 = arith.subi %10, %12 : i64
// CHECK-NEXT:       %14 = phi.get %t0[%9, %13] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:       phi.yield %14 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %15 = phi.fold (%k < %m, %t = %5) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %16 = arith.constant 1 : i64
// CHECK-NEXT:       %17 = arith.addi %k, %16 : i64
// CHECK-NEXT:       %18 = arith.constant 1 : i64
// CHECK-NEXT:       %19 = arith.subi %n, %18 : i64
// CHECK-NEXT:       %20 = arith.addi %17, %19 : i64
// CHECK-NEXT:       %21 = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:         %p = arith.addi %i_1, %one : i64
// CHECK-NEXT:         %22 = arith.constant 1 : i64
// CHECK-NEXT:         %23 = arith.subi %n, %22 : i64
// CHECK-NEXT:         %24 = arith.addi %k, %23 : i64
// CHECK-NEXT:         %x = phi.get %t[%24, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         %25 = arith.constant 1 : i64
// CHECK-NEXT:         %26 = arith.subi %n, %25 : i64
// CHECK-NEXT:         %27 = arith.addi %k, %26 : i64
// CHECK-NEXT:         %y = phi.get %t[%27, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %z = arith.minimumf %x, %y : f64
// CHECK-NEXT:         %28 = arith.index_cast %i : index to i64
// CHECK-NEXT:         %29 = arith.addi %28, %17 : i64
// CHECK-NEXT:         %30 = arith.cmpi slt, %29, %n : i64
// CHECK-NEXT:         %31 = phi.get %t[%20, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         %32 = arith.select %30, %z, %31 : f64
// CHECK-NEXT:         phi.yield %32 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %33 = phi.update %t[%20], %21 : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       phi.yield %33 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.array (%34 < %n, %35 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %36 = arith.index_cast %34 : index to i64
// CHECK-NEXT:       %37 = arith.index_cast %35 : index to i64
// CHECK-NEXT:       %38 = arith.subi %37, %36 : i64
// CHECK-NEXT:       %39 = arith.constant 1 : i64
// CHECK-NEXT:       %40 = arith.subi %n, %39 : i64
// CHECK-NEXT:       %41 = arith.addi %38, %40 : i64
// CHECK-NEXT:       %42 = phi.get %15[%41, %36] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:       phi.yield %42 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// A position that clips stays in the table.
func.func @beyond(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %o = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %t = %a) -> !phi.vec<!phi.vec<f64>> {
    %u = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
      %i_1 = arith.index_cast %i : index to i64
      %j = arith.addi %i_1, %k : i64
      %p = arith.addi %j, %one : i64
      %x = phi.get %t[%i, %p] : !phi.vec<!phi.vec<f64>>[index, i64]
      %row = phi.get %t[%i] : !phi.vec<!phi.vec<f64>>[index]
      %w = phi.update %row[%j], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %w : !phi.vec<f64>
    }
    phi.yield %u : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @beyond(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %r = phi.fold (%k < %n, %t = %a) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %u = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:         %j = arith.addi %i_1, %k : i64
// CHECK-NEXT:         %p = arith.addi %j, %one : i64
// CHECK-NEXT:         %x = phi.get %t[%i, %p] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         %row = phi.get %t[%i] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:         %w = phi.update %row[%j], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:         phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %u : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// Not a nest whose outer fold has one step or none.
func.func @once(%t0: !phi.vec<!phi.vec<f64>>, %m: i64, %again: i1) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.select %again, %one, %zero : i64
  %r = phi.fold (%i < %rows, %t = %t0) -> !phi.vec<!phi.vec<f64>> {
    %u = phi.fold (%j < %m, %v = %t) -> !phi.vec<!phi.vec<f64>> {
      %p = arith.addi %i, %one : i64
      %q = arith.addi %j, %one : i64
      %x = phi.get %v[%i, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.get %v[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.minimumf %x, %y : f64
      %w = phi.update %v[%p, %q], %z : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %w : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %u : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @once
// CHECK:          %rows = arith.select
// CHECK-NEXT:     %r = phi.fold (%i < %rows, %t = %t0)
// CHECK-NEXT:       %u = phi.fold
// CHECK:          func.return %r
