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

// Rows of several lengths: the contributions of a row are added at their positions, in the total.

func.func @lengths(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %ct: f64) -> tuple<!phi.vec<f64>> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %zero = arith.constant 0.0 : f64
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : f64 {
    %y = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %count = phi.get %p[%i] : !phi.vec<i64>[i64]
      %s = phi.fold (%k < %count, %sum = %zero) -> f64 {
        %q = arith.addi %i, %k : i64
        %e = phi.get %dx[%q] : !phi.vec<f64>[i64]
        %next = arith.addf %sum, %e : f64
        phi.yield %next : f64
      }
      %total = arith.addf %acc, %s : f64
      phi.yield %total : f64
    }
    phi.yield %y : f64
  }
  func.return %t : tuple<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @lengths(
// CHECK:         %4 = phi.fold (%5 < %n, %6 = %1) -> !phi.vec<f64> {
// CHECK-NEXT:      %7 = arith.constant 1 : i64
// CHECK-NEXT:      %8 = arith.subi %n, %7 : i64
// CHECK-NEXT:      %9 = arith.subi %8, %5 : i64
// CHECK-NEXT:      %10 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %count = phi.get %p[%9] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %11 = phi.fold (%k < %count, %12 = %6) -> !phi.vec<f64> {
// CHECK-NEXT:        %q = arith.addi %9, %k : i64
// CHECK-NEXT:        %13 = arith.constant 1 : i64
// CHECK-NEXT:        %14 = arith.subi %10, %13 : i64
// CHECK-NEXT:        %15 = arith.minsi %q, %14 : i64
// CHECK-NEXT:        %16 = arith.constant 0 : i64
// CHECK-NEXT:        %17 = arith.maxsi %15, %16 : i64
// CHECK-NEXT:        %18 = phi.tuple (%17, %ct) : tuple<i64, f64>
// CHECK-NEXT:        %19 = phi.get %12[%17] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %20 = arith.addf %19, %ct : f64
// CHECK-NEXT:        %21 = phi.update %12[%17], %20 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        phi.yield %21 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %11 : !phi.vec<f64>
// CHECK-NEXT:    }

// Floats for elements that are the same in all steps are summed by the loop, without their cotangents.

func.func @parameters(%w: !phi.vec<f64>, %c: !phi.vec<f64>, %ct: f64) -> tuple<!phi.vec<f64>> {
  %n = phi.size %c, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %t = phi.transpose (%dw = %w) by %ct -> tuple<!phi.vec<f64>> : f64 {
    %y = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %f = phi.get %c[%k] : !phi.vec<f64>[i64]
      %e = phi.get %dw[%one] : !phi.vec<f64>[i64]
      %s = arith.mulf %acc, %f : f64
      %next = arith.addf %s, %e : f64
      phi.yield %next : f64
    }
    phi.yield %y : f64
  }
  func.return %t : tuple<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @parameters(
// CHECK:         %2 = phi.fold (%3 < %n, %4 = %1) -> tuple<f64, f64> {
// CHECK-NEXT:      %5 = phi.proj %4, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %6 = phi.proj %4, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %7 = arith.constant 1 : i64
// CHECK-NEXT:      %8 = arith.subi %n, %7 : i64
// CHECK-NEXT:      %9 = arith.subi %8, %3 : i64
// CHECK-NEXT:      %f = phi.get %c[%9] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %10 = arith.mulf %5, %f : f64
// CHECK-NEXT:      %11 = arith.addf %6, %5 : f64
// CHECK-NEXT:      %12 = phi.tuple (%10, %11) : tuple<f64, f64>
// CHECK-NEXT:      phi.yield %12 : tuple<f64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %13 = phi.proj %2, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:    %14 = phi.proj %2, 1 : tuple<f64, f64> -> f64
// CHECK:         phi.update %{{[0-9]+}}[%{{[0-9]+}}], %14 :

// The cotangent of an element that a step adds to stays where it is.

func.func @added(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.fold (%k < %n, %acc = %dx) -> !phi.vec<f64> {
      %q = phi.get %p[%k] : !phi.vec<i64>[i64]
      %a = phi.get %acc[%q] : !phi.vec<f64>[i64]
      %b = phi.get %acc[%k] : !phi.vec<f64>[i64]
      %s = arith.addf %a, %b : f64
      %next = phi.update %acc[%q], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %next : !phi.vec<f64>
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @added(
// CHECK:         phi.fold (%2 < %n, %3 = %ct) -> !phi.vec<f64> {
// CHECK:           %q = phi.get %p[%6]
// CHECK-NEXT:      %8 = phi.get %3[%q]
// CHECK:           %13 = arith.select %12, %8, %7 : f64
// CHECK:           %20 = phi.get %3[%19]
// CHECK-NEXT:      %21 = arith.addf %20, %13 : f64
// CHECK-NEXT:      %22 = phi.update %3[%19], %21
// CHECK-NEXT:      phi.yield %22

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
// CHECK-NEXT:        %17 = arith.constant 0 : i64
// CHECK-NEXT:        %18 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:        %19 = arith.maxsi %18, %17 : i64
// CHECK-NEXT:        %20 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %21 = arith.constant 0 : i64
// CHECK-NEXT:        %22 = phi.size %13, 0 : !phi.vec<f64>
// CHECK-NEXT:        %23 = arith.subi %22, %19 : i64
// CHECK-NEXT:        %24 = arith.maxsi %23, %21 : i64
// CHECK-NEXT:        %25 = phi.fold (%26 < %24, %27 = %20) -> f64 {
// CHECK-NEXT:          %28 = arith.addi %19, %26 : i64
// CHECK-NEXT:          %29 = phi.get %13[%28] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %30 = arith.addf %27, %29 : f64
// CHECK-NEXT:          phi.yield %30 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %31 = arith.constant 1 : i64
// CHECK-NEXT:        %32 = arith.subi %18, %31 : i64
// CHECK-NEXT:        %33 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %34 = phi.array (%35 < %18) -> !phi.vec<f64> {
// CHECK-NEXT:          %36 = arith.index_cast %35 : index to i64
// CHECK-NEXT:          %37 = arith.cmpi slt, %36, %22 : i64
// CHECK-NEXT:          %38 = phi.get %13[%35] : !phi.vec<f64>[index]
// CHECK-NEXT:          %39 = arith.select %37, %38, %33 : f64
// CHECK-NEXT:          phi.yield %39 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %40 = phi.get %34[%32] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %41 = arith.addf %40, %25 : f64
// CHECK-NEXT:        %42 = phi.update %34[%32], %41 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        %43 = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:        %44 = phi.array (%45 < %43) -> !phi.vec<f64> {
// CHECK-NEXT:          %46 = phi.get %9[%45] : !phi.vec<f64>[index]
// CHECK-NEXT:          %47 = phi.get %13[%45] : !phi.vec<f64>[index]
// CHECK-NEXT:          %48 = arith.addf %46, %47 : f64
// CHECK-NEXT:          phi.yield %48 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %49 = phi.tuple (%42, %44) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %49 : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %50 = phi.proj %5, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %51 = phi.proj %5, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %t = phi.tuple (%50, %51) : tuple<!phi.vec<f64>, !phi.vec<f64>>
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
// CHECK-NEXT:      %36 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %37 = phi.array (%38 < %n, %39 < %35) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %40 = arith.index_cast %39 : index to i64
// CHECK-NEXT:        %41 = arith.cmpi slt, %40, %n : i64
// CHECK-NEXT:        %42 = phi.get %24[%38, %39] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %43 = arith.select %41, %42, %36 : f64
// CHECK-NEXT:        phi.yield %43 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %44 = arith.constant 0 : i64
// CHECK-NEXT:      %45 = arith.maxsi %35, %44 : i64
// CHECK-NEXT:      %46 = arith.subi %n, %45 : i64
// CHECK-NEXT:      %47 = arith.constant 1 : i64
// CHECK-NEXT:      %48 = arith.subi %35, %47 : i64
// CHECK-NEXT:      %49 = arith.constant 0 : i64
// CHECK-NEXT:      %50 = arith.maxsi %46, %49 : i64
// CHECK-NEXT:      %51 = phi.array (%52 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %53 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %54 = phi.fold (%55 < %50, %56 = %53) -> f64 {
// CHECK-NEXT:          %57 = arith.addi %45, %55 : i64
// CHECK-NEXT:          %58 = phi.get %24[%52, %57] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %59 = arith.addf %56, %58 : f64
// CHECK-NEXT:          phi.yield %59 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %54 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %60 = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %61 = phi.array (%62 < %n, %63 < %60) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %64 = phi.get %37[%62, %63] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %65 = phi.get %51[%62] : !phi.vec<f64>[index]
// CHECK-NEXT:        %66 = arith.index_cast %63 : index to i64
// CHECK-NEXT:        %67 = arith.cmpi eq, %66, %48 : i64
// CHECK-NEXT:        %68 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %69 = arith.select %67, %65, %68 : f64
// CHECK-NEXT:        %70 = arith.addf %64, %69 : f64
// CHECK-NEXT:        phi.yield %70 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %71 = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %72 = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %73 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %74 = phi.array (%75 < %71, %76 < %72) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %77 = arith.index_cast %75 : index to i64
// CHECK-NEXT:        %78 = arith.cmpi slt, %77, %n : i64
// CHECK-NEXT:        %79 = phi.get %61[%75, %76] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %80 = arith.select %78, %79, %73 : f64
// CHECK-NEXT:        phi.yield %80 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %81 = arith.constant 0 : i64
// CHECK-NEXT:      %82 = arith.maxsi %71, %81 : i64
// CHECK-NEXT:      %83 = arith.subi %n, %82 : i64
// CHECK-NEXT:      %84 = arith.constant 1 : i64
// CHECK-NEXT:      %85 = arith.subi %71, %84 : i64
// CHECK-NEXT:      %86 = arith.constant 0 : i64
// CHECK-NEXT:      %87 = arith.maxsi %83, %86 : i64
// CHECK-NEXT:      %88 = phi.array (%89 < %72) -> !phi.vec<f64> {
// CHECK-NEXT:        %90 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %91 = phi.fold (%92 < %87, %93 = %90) -> f64 {
// CHECK-NEXT:          %94 = arith.addi %82, %92 : i64
// CHECK-NEXT:          %95 = phi.get %61[%94, %89] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:          %96 = arith.addf %93, %95 : f64
// CHECK-NEXT:          phi.yield %96 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %91 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %97 = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %98 = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %99 = phi.get %74[%85] : !phi.vec<!phi.vec<f64>>[i64]
// CHECK-NEXT:      %100 = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %101 = phi.array (%102 < %100) -> !phi.vec<f64> {
// CHECK-NEXT:        %103 = phi.get %99[%102] : !phi.vec<f64>[index]
// CHECK-NEXT:        %104 = phi.get %88[%102] : !phi.vec<f64>[index]
// CHECK-NEXT:        %105 = arith.addf %103, %104 : f64
// CHECK-NEXT:        phi.yield %105 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %106 = phi.update %74[%85], %101 : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %t = phi.tuple (%106) : tuple<!phi.vec<!phi.vec<f64>>>
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
// CHECK-NEXT:      %18 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %19 = phi.array (%20 < %17) -> !phi.vec<f64> {
// CHECK-NEXT:        %21 = arith.index_cast %20 : index to i64
// CHECK-NEXT:        %22 = arith.cmpi slt, %21, %0 : i64
// CHECK-NEXT:        %23 = phi.get %1[%20] : !phi.vec<f64>[index]
// CHECK-NEXT:        %24 = arith.select %22, %23, %18 : f64
// CHECK-NEXT:        phi.yield %24 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %25 = arith.constant 0 : i64
// CHECK-NEXT:      %26 = arith.maxsi %17, %25 : i64
// CHECK-NEXT:      %27 = arith.subi %0, %26 : i64
// CHECK-NEXT:      %28 = arith.constant 1 : i64
// CHECK-NEXT:      %29 = arith.subi %17, %28 : i64
// CHECK-NEXT:      %30 = arith.constant 0 : i64
// CHECK-NEXT:      %31 = arith.maxsi %27, %30 : i64
// CHECK-NEXT:      %32 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %33 = phi.fold (%34 < %31, %35 = %32) -> f64 {
// CHECK-NEXT:        %36 = arith.addi %26, %34 : i64
// CHECK-NEXT:        %37 = phi.get %1[%36] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %38 = arith.addf %35, %37 : f64
// CHECK-NEXT:        phi.yield %38 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %39 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %40 = phi.get %19[%15] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %41 = arith.addf %40, %6 : f64
// CHECK-NEXT:      %42 = phi.update %19[%15], %41 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %43 = phi.get %42[%29] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %44 = arith.addf %43, %33 : f64
// CHECK-NEXT:      %45 = phi.update %42[%29], %44 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %t = phi.tuple (%45) : tuple<!phi.vec<f64>>
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
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.array (%2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %3 = arith.index_cast %2 : index to i64
// CHECK-NEXT:        %q = phi.get %p[%3] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %4 = arith.constant 0 : i64
// CHECK-NEXT:        %5 = arith.cmpi sge, %q, %4 : i64
// CHECK-NEXT:        %6 = arith.cmpi slt, %q, %0 : i64
// CHECK-NEXT:        %7 = phi.get %ct[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %8 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %9 = arith.andi %5, %6 : i1
// CHECK-NEXT:        %10 = arith.select %9, %7, %8 : f64
// CHECK-NEXT:        %11 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %own = arith.cmpi eq, %q, %q : i64
// CHECK-NEXT:        %12 = arith.select %own, %10, %11 : f64
// CHECK-NEXT:        phi.yield %12 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.tuple (%1) : tuple<!phi.vec<f64>>
// CHECK-NEXT:      func.return %t : tuple<!phi.vec<f64>>
// CHECK-NEXT:    }

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

// A slice from a position that is computed from sizes is a part of the cotangent. Steps beyond the
// end count for the last element.

func.func @gate(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %w, 0 : !phi.vec<f64>
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %k = arith.index_cast %i : index to i64
      %p = arith.addi %n, %k : i64
      %e = phi.get %dx[%p] : !phi.vec<f64>[i64]
      phi.yield %e : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @gate(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
// CHECK-NEXT:      %n = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %2 = phi.array (%3 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %4 = phi.get %ct[%3] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %4 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %7 = phi.array (%8 < %5) -> !phi.vec<f64> {
// CHECK-NEXT:        %9 = arith.index_cast %8 : index to i64
// CHECK-NEXT:        %10 = arith.subi %9, %n : i64
// CHECK-NEXT:        %11 = arith.constant 0 : i64
// CHECK-NEXT:        %12 = arith.cmpi sge, %10, %11 : i64
// CHECK-NEXT:        %13 = arith.cmpi slt, %10, %0 : i64
// CHECK-NEXT:        %14 = phi.get %2[%10] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %15 = arith.andi %12, %13 : i1
// CHECK-NEXT:        %16 = arith.select %15, %14, %6 : f64
// CHECK-NEXT:        phi.yield %16 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %17 = arith.subi %5, %n : i64
// CHECK-NEXT:      %18 = arith.constant 0 : i64
// CHECK-NEXT:      %19 = arith.maxsi %17, %18 : i64
// CHECK-NEXT:      %20 = arith.subi %0, %19 : i64
// CHECK-NEXT:      %21 = arith.constant 1 : i64
// CHECK-NEXT:      %22 = arith.subi %5, %21 : i64
// CHECK-NEXT:      %23 = arith.constant 0 : i64
// CHECK-NEXT:      %24 = arith.maxsi %20, %23 : i64
// CHECK-NEXT:      %25 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %26 = phi.fold (%27 < %24, %28 = %25) -> f64 {
// CHECK-NEXT:        %29 = arith.addi %19, %27 : i64
// CHECK-NEXT:        %30 = phi.get %2[%29] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %31 = arith.addf %28, %30 : f64
// CHECK-NEXT:        phi.yield %31 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %32 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %33 = phi.get %7[%22] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %34 = arith.addf %33, %26 : f64
// CHECK-NEXT:      %35 = phi.update %7[%22], %34 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %t = phi.tuple (%35) : tuple<!phi.vec<f64>>
// CHECK-NEXT:      func.return %t : tuple<!phi.vec<f64>>
// CHECK-NEXT:    }

// The transpose of a scan of prefixes is one of suffixes.

func.func @scan(%x: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %s = phi.scan "add" %dx : !phi.vec<f64>
    phi.yield %s : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @scan(
// CHECK-NEXT:    %[[S:.*]] = phi.scan "add" %ct suffixes : !phi.vec<f64>
// CHECK-NEXT:    %[[N:.*]] = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT:    phi.array (%[[I:.*]] < %[[N]]) -> !phi.vec<f64> {
// CHECK-NEXT:      %[[J:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:      %[[P:.*]] = arith.addi %[[J]], %[[ONE]] : i64
// CHECK-NEXT:      phi.get %[[S]][%[[P]]] : !phi.vec<f64>[i64]

// Two sums at the same positions are one, although the loops are not the same; others are not.

func.func @same_positions(%table: !phi.vec<!phi.vec<f64>>, %ids: !phi.vec<i64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<!phi.vec<f64>>> {
  %n = phi.size %ids, 0 : !phi.vec<i64>
  %m = phi.size %table, 1 : !phi.vec<!phi.vec<f64>>
  %t = phi.transpose (%d = %table) by %ct -> tuple<!phi.vec<!phi.vec<f64>>> : !phi.vec<f64> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = phi.get %ids[%i] : !phi.vec<i64>[index]
      %zero = arith.constant 0.0 : f64
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %u = phi.get %d[%p, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %next = arith.addf %acc, %u : f64
        phi.yield %next : f64
      }
      %r = phi.fold (%j < %m, %acc = %zero) -> f64 {
        %v = phi.get %table[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %w = phi.get %d[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %x = arith.mulf %v, %w : f64
        %next = arith.addf %acc, %x : f64
        phi.yield %next : f64
      }
      %z = arith.addf %s, %r : f64
      phi.yield %z : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @same_positions(
// CHECK:         %{{.*}} = phi.accumulate (%i < %n) into "add"
// CHECK:           %v = phi.get %table[%p, %{{.*}}]
// CHECK:             %{{.*}} = arith.addf
// CHECK-NOT:     phi.accumulate
// CHECK:         func.return

// Other positions are those of another sum.

func.func @other_positions(%a: !phi.vec<f64>, %ids: !phi.vec<i64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %ids, 0 : !phi.vec<i64>
  %t = phi.transpose (%d = %a) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %x = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = phi.get %ids[%i] : !phi.vec<i64>[index]
      %u = phi.get %d[%p] : !phi.vec<f64>[i64]
      phi.yield %u : f64
    }
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %one = arith.constant 1 : i64
      %p = phi.get %ids[%i] : !phi.vec<i64>[index]
      %q = arith.addi %p, %one : i64
      %u = phi.get %d[%q] : !phi.vec<f64>[i64]
      %v = phi.get %x[%i] : !phi.vec<f64>[index]
      %z = arith.addf %u, %v : f64
      phi.yield %z : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @other_positions(
// CHECK:         phi.accumulate
// CHECK:         phi.accumulate
// CHECK:         func.return

// Of an array of which one element of each row is read, only these elements have cotangents.

func.func @nearest(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %p: !phi.vec<i64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %t = phi.transpose (%db = %b) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %d = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      %y = phi.get %b[%j] : !phi.vec<f64>[index]
      %dy = phi.get %db[%j] : !phi.vec<f64>[index]
      %f = arith.subf %x, %y : f64
      %w = arith.mulf %f, %dy : f64
      phi.yield %w : f64
    }
    %r = phi.array (%i < %n) -> !phi.vec<f64> {
      %k = phi.get %p[%i] : !phi.vec<i64>[index]
      %e = phi.get %d[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      phi.yield %e : f64
    }
    phi.yield %r : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @nearest(
// CHECK-NOT:     !phi.vec<!phi.vec<f64>>
// CHECK:         phi.accumulate (%{{.*}} < %n) into "add" (%{{.*}}) -> !phi.vec<f64> {
// CHECK-NOT:     !phi.vec<!phi.vec<f64>>
// CHECK:         func.return
