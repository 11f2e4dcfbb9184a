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
// CHECK-NEXT:        %18 = phi.accumulate (%i < %n) into "add" (%17) -> !phi.vec<f64> {
// CHECK-NEXT:          %19 = arith.constant 1 : i64
// CHECK-NEXT:          %20 = arith.subi %17, %19 : i64
// CHECK-NEXT:          %21 = arith.index_cast %i : index to i64
// CHECK-NEXT:          %22 = arith.minsi %21, %20 : i64
// CHECK-NEXT:          %23 = arith.constant 0 : i64
// CHECK-NEXT:          %24 = arith.maxsi %22, %23 : i64
// CHECK-NEXT:          %25 = phi.get %13[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %26 = phi.tuple (%24, %25) : tuple<i64, f64>
// CHECK-NEXT:          phi.yield %26 : tuple<i64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %27 = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:        %28 = phi.array (%29 < %27) -> !phi.vec<f64> {
// CHECK-NEXT:          %30 = phi.get %9[%29] : !phi.vec<f64>[index]
// CHECK-NEXT:          %31 = phi.get %13[%29] : !phi.vec<f64>[index]
// CHECK-NEXT:          %32 = arith.addf %30, %31 : f64
// CHECK-NEXT:          phi.yield %32 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %33 = phi.tuple (%18, %28) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %33 : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %34 = phi.proj %5, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %35 = phi.proj %5, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %t = phi.tuple (%34, %35) : tuple<!phi.vec<f64>, !phi.vec<f64>>
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
// CHECK-NEXT:      %23 = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %24 = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %25 = phi.accumulate (%i_1 < %n, %j < %n) into "add" (%23, %24) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %26 = arith.index_cast %j : index to i64
// CHECK-NEXT:        %27 = arith.constant 1 : i64
// CHECK-NEXT:        %28 = arith.subi %23, %27 : i64
// CHECK-NEXT:        %29 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:        %30 = arith.minsi %29, %28 : i64
// CHECK-NEXT:        %31 = arith.constant 0 : i64
// CHECK-NEXT:        %32 = arith.maxsi %30, %31 : i64
// CHECK-NEXT:        %33 = arith.constant 1 : i64
// CHECK-NEXT:        %34 = arith.subi %24, %33 : i64
// CHECK-NEXT:        %35 = arith.minsi %26, %34 : i64
// CHECK-NEXT:        %36 = arith.constant 0 : i64
// CHECK-NEXT:        %37 = arith.maxsi %35, %36 : i64
// CHECK-NEXT:        %38 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %39 = phi.fold (%k < %n, %40 = %38) -> f64 {
// CHECK-NEXT:          %e_1 = phi.get %c[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:          %41 = phi.get %21[%k] : !phi.vec<!phi.vec<f64>>[i64]
// CHECK-NEXT:          %42 = phi.get %41[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:          %43 = arith.mulf %42, %e_1 : f64
// CHECK-NEXT:          %44 = arith.addf %40, %43 : f64
// CHECK-NEXT:          phi.yield %44 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %45 = phi.tuple (%32, %37, %39) : tuple<i64, i64, f64>
// CHECK-NEXT:        phi.yield %45 : tuple<i64, i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.tuple (%25) : tuple<!phi.vec<!phi.vec<f64>>>
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
// CHECK-NEXT:      %18 = phi.accumulate (%i_1 < %n) into "add" (%17) -> !phi.vec<f64> {
// CHECK-NEXT:        %19 = arith.constant 1 : i64
// CHECK-NEXT:        %20 = arith.subi %17, %19 : i64
// CHECK-NEXT:        %21 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:        %22 = arith.minsi %21, %20 : i64
// CHECK-NEXT:        %23 = arith.constant 0 : i64
// CHECK-NEXT:        %24 = arith.maxsi %22, %23 : i64
// CHECK-NEXT:        %25 = phi.get %1[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:        %26 = phi.tuple (%24, %25) : tuple<i64, f64>
// CHECK-NEXT:        phi.yield %26 : tuple<i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %27 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %28 = phi.get %18[%15] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %29 = arith.addf %28, %6 : f64
// CHECK-NEXT:      %30 = phi.update %18[%15], %29 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %t = phi.tuple (%30) : tuple<!phi.vec<f64>>
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
