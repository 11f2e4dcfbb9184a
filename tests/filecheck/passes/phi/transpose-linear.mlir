// RUN: ein-opt %s -p transpose-linear | filecheck %s

// The transpose of a contraction is a contraction.

func.func @product(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %t = phi.transpose (%da = %a) by %ct -> tuple<!phi.vec<!phi.vec<f64>>> : !phi.vec<!phi.vec<f64>> {
    %y = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %zero = arith.constant 0.0 : f64
      %s = phi.fold (%k < %p, %acc = %zero) -> f64 {
        %u = phi.get %da[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %v = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
        %w = arith.mulf %u, %v : f64
        %next = arith.addf %acc, %w : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @product(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %p = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %1 = phi.size %ct, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %2 = phi.array (%3 < %n, %4 < %p) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %5 = arith.index_cast %4 : index to i64
// CHECK-NEXT:      %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %7 = phi.fold (%j < %1, %8 = %6) -> f64 {
// CHECK-NEXT:        %v = phi.get %b[%5, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:        %9 = phi.get %ct[%3, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        %10 = arith.mulf %9, %v : f64
// CHECK-NEXT:        %11 = arith.addf %8, %10 : f64
// CHECK-NEXT:        phi.yield %11 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %7 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%2) : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:  }

// Rows at computed positions are accumulated as rows.

func.func @rows(%table: !phi.vec<!phi.vec<f64>>, %ids: !phi.vec<i64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>> {
  %n = phi.size %ids, 0 : !phi.vec<i64>
  %m = phi.size %table, 1 : !phi.vec<!phi.vec<f64>>
  %t = phi.transpose (%d = %table) by %ct -> tuple<!phi.vec<!phi.vec<f64>>> : !phi.vec<!phi.vec<f64>> {
    %y = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %k = phi.get %ids[%i] : !phi.vec<i64>[index]
      %u = phi.get %d[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      phi.yield %u : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @rows(%table: !phi.vec<!phi.vec<f64>>, %ids: !phi.vec<i64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:    %n = phi.size %ids, 0 : !phi.vec<i64>
// CHECK-NEXT:    %m = phi.size %table, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %1 = phi.size %ct, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %2 = phi.size %table, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %3 = phi.size %table, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %4 = phi.accumulate (%i < %n) into "add" (%2) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %k = phi.get %ids[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:      %5 = arith.constant 1 : i64
// CHECK-NEXT:      %6 = arith.subi %2, %5 : i64
// CHECK-NEXT:      %7 = arith.minsi %k, %6 : i64
// CHECK-NEXT:      %8 = arith.constant 0 : i64
// CHECK-NEXT:      %9 = arith.maxsi %7, %8 : i64
// CHECK-NEXT:      %10 = phi.array (%j < %3) -> !phi.vec<f64> {
// CHECK-NEXT:        %11 = phi.get %ct[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        phi.yield %11 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %12 = phi.tuple (%9, %10) : tuple<i64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %12 : tuple<i64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%4) : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:  }

// Positions that are sums of variables are solved: an element is a sum of guarded reads.

func.func @window(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %0 = arith.subi %n, %m : i64
  %r = arith.addi %0, %one : i64
  %t = phi.transpose (%d = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %r) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %p = arith.addi %i_1, %k : i64
        %u = phi.get %d[%p] : !phi.vec<f64>[i64]
        %v = phi.get %w[%k] : !phi.vec<f64>[i64]
        %uv = arith.mulf %u, %v : f64
        %next = arith.addf %acc, %uv : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @window(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %m = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = arith.subi %n, %m : i64
// CHECK-NEXT:    %r = arith.addi %0, %one : i64
// CHECK-NEXT:    %1 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %3 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %4 = phi.array (%5 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:      %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %7 = phi.fold (%k < %m, %8 = %6) -> f64 {
// CHECK-NEXT:        %9 = arith.index_cast %5 : index to i64
// CHECK-NEXT:        %10 = arith.subi %9, %k : i64
// CHECK-NEXT:        %11 = arith.constant 0 : i64
// CHECK-NEXT:        %12 = arith.cmpi sge, %10, %11 : i64
// CHECK-NEXT:        %13 = arith.cmpi slt, %10, %1 : i64
// CHECK-NEXT:        %14 = phi.get %ct[%10] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %15 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %16 = arith.andi %12, %13 : i1
// CHECK-NEXT:        %17 = arith.select %16, %14, %15 : f64
// CHECK-NEXT:        %v = phi.get %w[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %18 = arith.mulf %17, %v : f64
// CHECK-NEXT:        %19 = arith.addf %8, %18 : f64
// CHECK-NEXT:        phi.yield %19 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %7 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%4) : tuple<!phi.vec<f64>>
// CHECK-NEXT:    func.return %t : tuple<!phi.vec<f64>>
// CHECK-NEXT:  }

// Reads beyond the ends are those of the ends.

func.func @clipped(%x: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %t = phi.transpose (%d = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %i_1, %one : i64
      %u = phi.get %d[%p] : !phi.vec<f64>[i64]
      phi.yield %u : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @clipped(%x: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %2 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:        %5 = arith.index_cast %4 : index to i64
// CHECK-NEXT:        %6 = arith.constant 1 : i64
// CHECK-NEXT:        %7 = arith.subi %5, %6 : i64
// CHECK-NEXT:        %8 = arith.constant 0 : i64
// CHECK-NEXT:        %9 = arith.cmpi sge, %7, %8 : i64
// CHECK-NEXT:        %10 = arith.cmpi slt, %7, %0 : i64
// CHECK-NEXT:        %11 = phi.get %ct[%7] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %12 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %13 = arith.andi %9, %10 : i1
// CHECK-NEXT:        %14 = arith.select %13, %11, %12 : f64
// CHECK-NEXT:        %15 = arith.constant 1 : i64
// CHECK-NEXT:        %16 = arith.subi %2, %15 : i64
// CHECK-NEXT:        %17 = arith.constant 1 : i64
// CHECK-NEXT:        %18 = arith.subi %2, %17 : i64
// CHECK-NEXT:        %19 = arith.constant 0 : i64
// CHECK-NEXT:        %20 = arith.cmpi sge, %18, %19 : i64
// CHECK-NEXT:        %21 = arith.cmpi slt, %18, %0 : i64
// CHECK-NEXT:        %22 = phi.get %ct[%18] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %23 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %24 = arith.andi %20, %21 : i1
// CHECK-NEXT:        %25 = arith.select %24, %22, %23 : f64
// CHECK-NEXT:        %26 = arith.index_cast %4 : index to i64
// CHECK-NEXT:        %27 = arith.cmpi eq, %26, %16 : i64
// CHECK-NEXT:        %28 = arith.addf %14, %25 : f64
// CHECK-NEXT:        %29 = arith.select %27, %28, %14 : f64
// CHECK-NEXT:        phi.yield %29 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.tuple (%3) : tuple<!phi.vec<f64>>
// CHECK-NEXT:      func.return %t : tuple<!phi.vec<f64>>
// CHECK-NEXT:    }

// The size of a slice at an unknown position is no reason to solve it.

func.func @slice(%x: !phi.vec<f64>, %k: i64, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %ct, 0 : !phi.vec<f64>
  %t = phi.transpose (%d = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %i_1, %k : i64
      %u = phi.get %d[%p] : !phi.vec<f64>[i64]
      phi.yield %u : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @slice(%x: !phi.vec<f64>, %k: i64, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
// CHECK-NEXT:    %n = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %3 = phi.accumulate (%i < %n) into "add" (%2) -> !phi.vec<f64> {
// CHECK-NEXT:      %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:      %p = arith.addi %i_1, %k : i64
// CHECK-NEXT:      %4 = arith.constant 1 : i64
// CHECK-NEXT:      %5 = arith.subi %2, %4 : i64
// CHECK-NEXT:      %6 = arith.minsi %p, %5 : i64
// CHECK-NEXT:      %7 = arith.constant 0 : i64
// CHECK-NEXT:      %8 = arith.maxsi %6, %7 : i64
// CHECK-NEXT:      %9 = phi.get %ct[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %10 = phi.tuple (%8, %9) : tuple<i64, f64>
// CHECK-NEXT:      phi.yield %10 : tuple<i64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%3) : tuple<!phi.vec<f64>>
// CHECK-NEXT:    func.return %t : tuple<!phi.vec<f64>>
// CHECK-NEXT:  }

// The cotangent of a loop in a comprehension is an array.

func.func @shared(%x: !phi.vec<f64>, %c: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %c, 0 : !phi.vec<f64>
  %t = phi.transpose (%d = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %m) -> !phi.vec<f64> {
      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
        %u = phi.get %d[%k] : !phi.vec<f64>[i64]
        %next = arith.addf %acc, %u : f64
        phi.yield %next : f64
      }
      %e = phi.get %c[%i] : !phi.vec<f64>[index]
      %p = arith.mulf %s, %e : f64
      phi.yield %p : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @shared(%x: !phi.vec<f64>, %c: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %m = phi.size %c, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.array (%2 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      %e = phi.get %c[%2] : !phi.vec<f64>[index]
// CHECK-NEXT:      %3 = phi.get %ct[%2] : !phi.vec<f64>[index]
// CHECK-NEXT:      %4 = arith.mulf %3, %e : f64
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %5 = phi.array (%6 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %7 = arith.index_cast %6 : index to i64
// CHECK-NEXT:      %8 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %9 = phi.fold (%i < %0, %10 = %8) -> f64 {
// CHECK-NEXT:        %11 = phi.get %1[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %12 = arith.addf %10, %11 : f64
// CHECK-NEXT:        phi.yield %12 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %9 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%5) : tuple<!phi.vec<f64>>
// CHECK-NEXT:    func.return %t : tuple<!phi.vec<f64>>
// CHECK-NEXT:  }

// Contributions of a step that take no more room than its arrays are summed by the loop.

func.func @step(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %n = phi.size %w, 0 : !phi.vec<f64>
  %t = phi.transpose (%dx = %x, %dw = %w) by %ct -> tuple<!phi.vec<f64>, !phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.fold (%k < %n, %acc = %dx) -> !phi.vec<f64> {
      %z = phi.array (%i < %n) -> !phi.vec<f64> {
        %a = phi.get %acc[%i] : !phi.vec<f64>[index]
        %b = phi.get %dw[%i] : !phi.vec<f64>[index]
        %ab = arith.addf %a, %b : f64
        phi.yield %ab : f64
      }
      %next = phi.array (%i < %n) -> !phi.vec<f64> {
        %a = phi.get %z[%i] : !phi.vec<f64>[index]
        %b = phi.get %w[%i] : !phi.vec<f64>[index]
        %ab = arith.mulf %a, %b : f64
        phi.yield %ab : f64
      }
      phi.yield %next : !phi.vec<f64>
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @step(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:      %n = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.array (%2 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:        %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        phi.yield %3 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %4 = phi.tuple (%ct, %1) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      %5 = phi.fold (%6 < %n, %7 = %4) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %8 = phi.proj %7, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %9 = phi.proj %7, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %10 = arith.constant 1 : i64
// CHECK-NEXT:        %11 = arith.subi %n, %10 : i64
// CHECK-NEXT:        %12 = arith.subi %11, %6 : i64
// CHECK-NEXT:        %13 = phi.array (%14 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %b = phi.get %w[%14] : !phi.vec<f64>[index]
// CHECK-NEXT:          %15 = phi.get %8[%14] : !phi.vec<f64>[index]
// CHECK-NEXT:          %16 = arith.mulf %15, %b : f64
// CHECK-NEXT:          phi.yield %16 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %17 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:        %18 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %19 = arith.constant 0 : i64
// CHECK-NEXT:        %20 = phi.size %13, 0 : !phi.vec<f64>
// CHECK-NEXT:        %21 = arith.subi %20, %17 : i64
// CHECK-NEXT:        %22 = arith.maxsi %21, %19 : i64
// CHECK-NEXT:        %23 = phi.fold (%24 < %22, %25 = %18) -> f64 {
// CHECK-NEXT:          %26 = arith.addi %17, %24 : i64
// CHECK-NEXT:          %27 = phi.get %13[%26] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %28 = arith.addf %25, %27 : f64
// CHECK-NEXT:          phi.yield %28 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %29 = phi.array (%30 < %17) -> !phi.vec<f64> {
// CHECK-NEXT:          %31 = arith.index_cast %30 : index to i64
// CHECK-NEXT:          %32 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %33 = arith.cmpi slt, %31, %20 : i64
// CHECK-NEXT:          %34 = arith.constant 1 : i64
// CHECK-NEXT:          %35 = arith.subi %17, %34 : i64
// CHECK-NEXT:          %36 = arith.cmpi eq, %31, %35 : i64
// CHECK-NEXT:          %37 = phi.get %13[%30] : !phi.vec<f64>[index]
// CHECK-NEXT:          %38 = arith.select %33, %37, %32 : f64
// CHECK-NEXT:          %39 = arith.select %36, %23, %32 : f64
// CHECK-NEXT:          %40 = arith.addf %38, %39 : f64
// CHECK-NEXT:          phi.yield %40 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %41 = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:        %42 = phi.array (%43 < %41) -> !phi.vec<f64> {
// CHECK-NEXT:          %44 = phi.get %9[%43] : !phi.vec<f64>[index]
// CHECK-NEXT:          %45 = phi.get %13[%43] : !phi.vec<f64>[index]
// CHECK-NEXT:          %46 = arith.addf %44, %45 : f64
// CHECK-NEXT:          phi.yield %46 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %47 = phi.tuple (%29, %42) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %47 : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %48 = phi.proj %5, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %49 = phi.proj %5, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %t = phi.tuple (%48, %49) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      func.return %t : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:    }

// An array of a step that contractions read is saved.

func.func @contraction(%x: !phi.vec<f64>, %w: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<!phi.vec<f64>>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %c, 0 : !phi.vec<f64>
  %t = phi.transpose (%dw = %w) by %ct -> tuple<!phi.vec<!phi.vec<f64>>> : !phi.vec<f64> {
    %start = phi.array (%i < %n) -> !phi.vec<f64> {
      phi.yield %zero : f64
    }
    %y = phi.fold (%k < %n, %acc = %start) -> !phi.vec<f64> {
      %next = phi.array (%i < %n) -> !phi.vec<f64> {
        %a = phi.get %acc[%i] : !phi.vec<f64>[index]
        %e = phi.get %c[%i] : !phi.vec<f64>[index]
        %b = arith.mulf %a, %e : f64
        %s = phi.fold (%j < %n, %sum = %b) -> f64 {
          %u = phi.get %dw[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
          %v = arith.mulf %u, %e : f64
          %more = arith.addf %sum, %v : f64
          phi.yield %more : f64
        }
        phi.yield %s : f64
      }
      phi.yield %next : !phi.vec<f64>
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @contraction(%x: !phi.vec<f64>, %w: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %c, 0 : !phi.vec<f64>
// CHECK-NEXT:      %start = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %zero : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.array (%2 < %n, %3 < %0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %4 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        phi.yield %4 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = phi.tuple (%ct, %1) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:      %6 = phi.fold (%7 < %n, %8 = %5) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:        %9 = phi.proj %8, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
// CHECK-NEXT:        %10 = phi.proj %8, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:        %11 = arith.constant 1 : i64
// CHECK-NEXT:        %12 = arith.subi %n, %11 : i64
// CHECK-NEXT:        %13 = arith.subi %12, %7 : i64
// CHECK-NEXT:        %14 = phi.array (%15 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %e = phi.get %c[%15] : !phi.vec<f64>[index]
// CHECK-NEXT:          %16 = phi.get %9[%15] : !phi.vec<f64>[index]
// CHECK-NEXT:          %17 = arith.mulf %16, %e : f64
// CHECK-NEXT:          phi.yield %17 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %18 = phi.update %10[%13], %9 : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:        %19 = phi.tuple (%14, %18) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:        phi.yield %19 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %20 = phi.proj %6, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
// CHECK-NEXT:      %21 = phi.proj %6, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %22 = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %23 = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %24 = phi.array (%25 < %n, %26 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %27 = arith.index_cast %26 : index to i64
// CHECK-NEXT:        %28 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %29 = phi.fold (%k < %n, %30 = %28) -> f64 {
// CHECK-NEXT:          %e_1 = phi.get %c[%25] : !phi.vec<f64>[index]
// CHECK-NEXT:          %31 = phi.get %21[%k] : !phi.vec<!phi.vec<f64>>[i64]
// CHECK-NEXT:          %32 = phi.get %31[%25] : !phi.vec<f64>[index]
// CHECK-NEXT:          %33 = arith.mulf %32, %e_1 : f64
// CHECK-NEXT:          %34 = arith.addf %30, %33 : f64
// CHECK-NEXT:          phi.yield %34 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %29 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %35 = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %36 = arith.subi %n, %35 : i64
// CHECK-NEXT:      %37 = arith.constant 0 : i64
// CHECK-NEXT:      %38 = arith.maxsi %36, %37 : i64
// CHECK-NEXT:      %39 = phi.array (%40 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %41 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %42 = phi.fold (%43 < %38, %44 = %41) -> f64 {
// CHECK-NEXT:          %45 = arith.addi %35, %43 : i64
// CHECK-NEXT:          %46 = phi.get %24[%40, %45] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %47 = arith.addf %44, %46 : f64
// CHECK-NEXT:          phi.yield %47 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %42 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %48 = phi.array (%49 < %n, %50 < %35) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %51 = arith.index_cast %50 : index to i64
// CHECK-NEXT:        %52 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %53 = arith.cmpi slt, %51, %n : i64
// CHECK-NEXT:        %54 = arith.constant 1 : i64
// CHECK-NEXT:        %55 = arith.subi %35, %54 : i64
// CHECK-NEXT:        %56 = arith.cmpi eq, %51, %55 : i64
// CHECK-NEXT:        %57 = phi.get %24[%49, %50] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %58 = arith.select %53, %57, %52 : f64
// CHECK-NEXT:        %59 = phi.get %39[%49] : !phi.vec<f64>[index]
// CHECK-NEXT:        %60 = arith.select %56, %59, %52 : f64
// CHECK-NEXT:        %61 = arith.addf %58, %60 : f64
// CHECK-NEXT:        phi.yield %61 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %62 = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %63 = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %64 = arith.subi %n, %62 : i64
// CHECK-NEXT:      %65 = arith.constant 0 : i64
// CHECK-NEXT:      %66 = arith.maxsi %64, %65 : i64
// CHECK-NEXT:      %67 = phi.array (%68 < %63) -> !phi.vec<f64> {
// CHECK-NEXT:        %69 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %70 = phi.fold (%71 < %66, %72 = %69) -> f64 {
// CHECK-NEXT:          %73 = arith.addi %62, %71 : i64
// CHECK-NEXT:          %74 = phi.get %48[%73, %68] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:          %75 = arith.addf %72, %74 : f64
// CHECK-NEXT:          phi.yield %75 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %70 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %76 = phi.array (%77 < %62, %78 < %63) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %79 = arith.index_cast %77 : index to i64
// CHECK-NEXT:        %80 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %81 = arith.cmpi slt, %79, %n : i64
// CHECK-NEXT:        %82 = arith.constant 1 : i64
// CHECK-NEXT:        %83 = arith.subi %62, %82 : i64
// CHECK-NEXT:        %84 = arith.cmpi eq, %79, %83 : i64
// CHECK-NEXT:        %85 = phi.get %48[%77, %78] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %86 = arith.select %81, %85, %80 : f64
// CHECK-NEXT:        %87 = phi.get %67[%78] : !phi.vec<f64>[index]
// CHECK-NEXT:        %88 = arith.select %84, %87, %80 : f64
// CHECK-NEXT:        %89 = arith.addf %86, %88 : f64
// CHECK-NEXT:        phi.yield %89 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.tuple (%76) : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:      func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    }

// A cotangent of several operations is computed once for all elements that it is a contribution to.

func.func @spread(%x: !phi.vec<f64>, %c: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %c, 0 : !phi.vec<f64>
  %t = phi.transpose (%d = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %one = arith.constant 1 : i64
      %u = phi.get %d[%i] : !phi.vec<f64>[index]
      %at = phi.get %d[%one] : !phi.vec<f64>[i64]
      %s = arith.addf %u, %at : f64
      %e = phi.get %c[%i] : !phi.vec<f64>[index]
      %p = arith.mulf %s, %e : f64
      phi.yield %p : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @spread(%x: !phi.vec<f64>, %c: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
// CHECK-NEXT:      %n = phi.size %c, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.array (%2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %e = phi.get %c[%2] : !phi.vec<f64>[index]
// CHECK-NEXT:        %3 = phi.get %ct[%2] : !phi.vec<f64>[index]
// CHECK-NEXT:        %4 = arith.mulf %3, %e : f64
// CHECK-NEXT:        phi.yield %4 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %6 = phi.fold (%i < %0, %7 = %5) -> f64 {
// CHECK-NEXT:        %8 = phi.get %1[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %9 = arith.addf %7, %8 : f64
// CHECK-NEXT:        phi.yield %9 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %10 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %11 = arith.constant 1 : i64
// CHECK-NEXT:      %12 = arith.subi %10, %11 : i64
// CHECK-NEXT:      %13 = arith.minsi %one, %12 : i64
// CHECK-NEXT:      %14 = arith.constant 0 : i64
// CHECK-NEXT:      %15 = arith.maxsi %13, %14 : i64
// CHECK-NEXT:      %16 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %17 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %18 = arith.subi %0, %17 : i64
// CHECK-NEXT:      %19 = arith.constant 0 : i64
// CHECK-NEXT:      %20 = arith.maxsi %18, %19 : i64
// CHECK-NEXT:      %21 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %22 = phi.fold (%23 < %20, %24 = %21) -> f64 {
// CHECK-NEXT:        %25 = arith.addi %17, %23 : i64
// CHECK-NEXT:        %26 = phi.get %1[%25] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %27 = arith.addf %24, %26 : f64
// CHECK-NEXT:        phi.yield %27 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %28 = phi.array (%29 < %17) -> !phi.vec<f64> {
// CHECK-NEXT:        %30 = arith.index_cast %29 : index to i64
// CHECK-NEXT:        %31 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %32 = arith.cmpi slt, %30, %0 : i64
// CHECK-NEXT:        %33 = arith.constant 1 : i64
// CHECK-NEXT:        %34 = arith.subi %17, %33 : i64
// CHECK-NEXT:        %35 = arith.cmpi eq, %30, %34 : i64
// CHECK-NEXT:        %36 = phi.get %1[%29] : !phi.vec<f64>[index]
// CHECK-NEXT:        %37 = arith.select %32, %36, %31 : f64
// CHECK-NEXT:        %38 = arith.select %35, %22, %31 : f64
// CHECK-NEXT:        %39 = arith.addf %37, %38 : f64
// CHECK-NEXT:        phi.yield %39 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %40 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %41 = phi.get %28[%15] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %42 = arith.addf %41, %6 : f64
// CHECK-NEXT:      %43 = phi.update %28[%15], %42 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %t = phi.tuple (%43) : tuple<!phi.vec<f64>>
// CHECK-NEXT:      func.return %t : tuple<!phi.vec<f64>>
// CHECK-NEXT:    }

// A selection of one step of a loop: the step is known.

func.func @selected(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %ct, 0 : !phi.vec<f64>
  %t = phi.transpose (%d = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%c < %m) -> !phi.vec<f64> {
      %c_1 = arith.index_cast %c : index to i64
      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
        %q = phi.get %p[%k] : !phi.vec<i64>[i64]
        %own = arith.cmpi eq, %q, %c_1 : i64
        %u = phi.get %d[%k] : !phi.vec<f64>[i64]
        %v = arith.select %own, %u, %zero : f64
        %next = arith.addf %acc, %v : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @selected(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %m = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.array (%2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %3 = arith.index_cast %2 : index to i64
// CHECK-NEXT:      %q = phi.get %p[%3] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %4 = arith.constant 0 : i64
// CHECK-NEXT:      %5 = arith.cmpi sge, %q, %4 : i64
// CHECK-NEXT:      %6 = arith.cmpi slt, %q, %0 : i64
// CHECK-NEXT:      %7 = phi.get %ct[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %8 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %9 = arith.andi %5, %6 : i1
// CHECK-NEXT:      %10 = arith.select %9, %7, %8 : f64
// CHECK-NEXT:      %11 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %own = arith.cmpi eq, %q, %q : i64
// CHECK-NEXT:      %12 = arith.select %own, %10, %11 : f64
// CHECK-NEXT:      phi.yield %12 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.tuple (%1) : tuple<!phi.vec<f64>>
// CHECK-NEXT:    func.return %t : tuple<!phi.vec<f64>>
// CHECK-NEXT:  }

// A position that one of two loops moves: the sum over the other one is accumulated.

func.func @accumulated_sums(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %ct: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %m = phi.size %ct, 1 : !phi.vec<!phi.vec<f64>>
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<!phi.vec<f64>> {
    %y = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %at = phi.get %p[%i] : !phi.vec<i64>[index]
      %e = phi.get %dx[%at] : !phi.vec<f64>[i64]
      phi.yield %e : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  %g = phi.proj %t, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @accumulated_sums(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %ct: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:      %m = phi.size %ct, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %0 = phi.size %ct, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %1 = phi.size %ct, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %2 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %3 = phi.accumulate (%i < %n) into "add" (%2) -> !phi.vec<f64> {
// CHECK-NEXT:        %at = phi.get %p[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:        %4 = arith.constant 1 : i64
// CHECK-NEXT:        %5 = arith.subi %2, %4 : i64
// CHECK-NEXT:        %6 = arith.minsi %at, %5 : i64
// CHECK-NEXT:        %7 = arith.constant 0 : i64
// CHECK-NEXT:        %8 = arith.maxsi %6, %7 : i64
// CHECK-NEXT:        %9 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %10 = phi.fold (%j < %1, %11 = %9) -> f64 {
// CHECK-NEXT:          %12 = phi.get %ct[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %13 = arith.addf %11, %12 : f64
// CHECK-NEXT:          phi.yield %13 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %14 = phi.tuple (%8, %10) : tuple<i64, f64>
// CHECK-NEXT:        phi.yield %14 : tuple<i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.tuple (%3) : tuple<!phi.vec<f64>>
// CHECK-NEXT:      %g = phi.proj %t, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      func.return %g : !phi.vec<f64>
// CHECK-NEXT:    }

// A loop with steps has ``m - 1`` of them, not ``max(m - 1, 0)``: positions ``i + 1`` are in bounds.

func.func @differences(%x: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = phi.size %x, 0 : !phi.vec<f64>
  %less = arith.subi %m, %one : i64
  %n = arith.maxsi %less, %zero : i64
  %t = phi.transpose (%d = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %k = arith.index_cast %i : index to i64
      %next = arith.addi %k, %one : i64
      %a = phi.get %d[%next] : !phi.vec<f64>[i64]
      phi.yield %a : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @differences(
// CHECK-NOT:     phi.accumulate
// CHECK:         phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           phi.get %ct[%{{.*}}] : !phi.vec<f64>[i64]
