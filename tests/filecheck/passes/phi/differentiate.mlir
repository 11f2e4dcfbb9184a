// RUN: ein-opt %s -p differentiate,canonicalize | filecheck %s

// A scalar operation by the table; its value is computed once.

func.func @scalar(%a: f64, %ct: f64) -> f64 {
  %r = phi.vjp (%x = %a by %ct) : f64 -> tuple<f64, f64> {
    %y = math.sqrt %x : f64
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
  func.return %g : f64
}
// CHECK-LABEL: func.func @scalar(%a: f64, %ct: f64) -> f64 {
// CHECK-NEXT:    %y = math.sqrt %a : f64
// CHECK-NEXT:    %0 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:    %1 = arith.divf %0, %y : f64
// CHECK-NEXT:    %g = arith.mulf %ct, %1 : f64
// CHECK-NEXT:    func.return %g : f64
// CHECK-NEXT:  }

// Both operands are linear: a sum.

func.func @both(%a: f64, %ct: f64) -> f64 {
  %r = phi.vjp (%x = %a by %ct) : f64 -> tuple<f64, f64> {
    %y = arith.mulf %x, %x : f64
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
  func.return %g : f64
}
// CHECK-LABEL: func.func @both(%a: f64, %ct: f64) -> f64 {
// CHECK-NEXT:    %0 = arith.mulf %ct, %a : f64
// CHECK-NEXT:    %1 = arith.mulf %ct, %a : f64
// CHECK-NEXT:    %g = arith.addf %0, %1 : f64
// CHECK-NEXT:    func.return %g : f64
// CHECK-NEXT:  }

// A choice, of scalars and of arrays.

func.func @choice(%a: f64, %c: i1, %ct: f64) -> f64 {
  %r = phi.vjp (%x = %a by %ct) : f64 -> tuple<f64, f64> {
    %y = arith.negf %x : f64
    %z = arith.select %c, %y, %x : f64
    phi.yield %z : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
  func.return %g : f64
}
// CHECK-LABEL: func.func @choice(%a: f64, %c: i1, %ct: f64) -> f64 {
// CHECK-NEXT:    %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %1 = arith.select %c, %0, %ct : f64
// CHECK-NEXT:    %2 = arith.negf %ct : f64
// CHECK-NEXT:    %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %4 = arith.select %c, %2, %3 : f64
// CHECK-NEXT:    %g = arith.addf %1, %4 : f64
// CHECK-NEXT:    func.return %g : f64
// CHECK-NEXT:  }

// Conversions of width.

func.func @conversion(%a: f64, %ct: f32) -> f64 {
  %r = phi.vjp (%x = %a by %ct) : f64 by f32 -> tuple<f32, f64> {
    %y = arith.truncf %x : f64 to f32
    phi.yield %y : f32
  }
  %g = phi.proj %r, 1 : tuple<f32, f64> -> f64
  func.return %g : f64
}
// CHECK-LABEL: func.func @conversion(%a: f64, %ct: f32) -> f64 {
// CHECK-NEXT:    %g = arith.extf %ct : f32 to f64
// CHECK-NEXT:    func.return %g : f64
// CHECK-NEXT:  }

// A comprehension, element by element.

func.func @map(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      %s = math.sin %e : f64
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @map(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.assert_eq %n, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:      %4 = phi.get %ct[%3] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %g = phi.array (%5 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %e = phi.get %a[%5] : !phi.vec<f64>[index]
// CHECK-NEXT:      %6 = math.cos %e : f64
// CHECK-NEXT:      %7 = phi.get %2[%5] : !phi.vec<f64>[index]
// CHECK-NEXT:      %8 = arith.mulf %7, %6 : f64
// CHECK-NEXT:      phi.yield %8 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// Computed positions: an accumulation.

func.func @gather(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %p, 0 : !phi.vec<i64>
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %k = phi.get %p[%i] : !phi.vec<i64>[index]
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      phi.yield %e : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @gather(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.assert_eq %n, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:      %4 = phi.get %ct[%3] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %5 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %g = phi.accumulate (%i < %n) into "add" (%5) -> !phi.vec<f64> {
// CHECK-NEXT:      %k = phi.get %p[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:      %6 = arith.constant 1 : i64
// CHECK-NEXT:      %7 = arith.subi %5, %6 : i64
// CHECK-NEXT:      %8 = arith.minsi %k, %7 : i64
// CHECK-NEXT:      %9 = arith.constant 0 : i64
// CHECK-NEXT:      %10 = arith.maxsi %8, %9 : i64
// CHECK-NEXT:      %11 = phi.get %2[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %12 = phi.tuple (%10, %11) : tuple<i64, f64>
// CHECK-NEXT:      phi.yield %12 : tuple<i64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// One element.

func.func @element(%a: !phi.vec<f64>, %k: i64, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %y = phi.get %x[%k] : !phi.vec<f64>[i64]
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @element(%a: !phi.vec<f64>, %k: i64, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = arith.constant 1 : i64
// CHECK-NEXT:    %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:    %3 = arith.minsi %k, %2 : i64
// CHECK-NEXT:    %4 = arith.constant 0 : i64
// CHECK-NEXT:    %5 = arith.maxsi %3, %4 : i64
// CHECK-NEXT:    %6 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %7 = phi.array (%8 < %6) -> !phi.vec<f64> {
// CHECK-NEXT:      %9 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %9 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %g = phi.update %7[%5], %ct : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// A sum: the cotangent is the same for all steps.

func.func @sum(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %p = arith.mulf %e, %e : f64
      %next = arith.addf %acc, %p : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @sum(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %g = phi.array (%0 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %1 = arith.index_cast %0 : index to i64
// CHECK-NEXT:      %e = phi.get %a[%1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %2 = arith.mulf %ct, %e : f64
// CHECK-NEXT:      %3 = arith.mulf %ct, %e : f64
// CHECK-NEXT:      %4 = arith.addf %3, %2 : f64
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// A loop whose steps depend on each other: accumulators are saved, and the cotangents of all steps.

func.func @recurrence(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %p = arith.mulf %acc, %acc : f64
      %next = arith.addf %p, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @recurrence(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.array (%1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %2 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %3 = phi.tuple (%zero, %0) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %4 = phi.fold (%k < %n, %acc = %3) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:      %acc_1 = phi.proj %acc, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %5 = phi.proj %acc, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %p = arith.mulf %acc_1, %acc_1 : f64
// CHECK-NEXT:      %next = arith.addf %p, %e : f64
// CHECK-NEXT:      %6 = phi.update %5[%k], %acc_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %7 = phi.tuple (%next, %6) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %7 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %8 = phi.proj %4, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %9 = phi.array (%10 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %11 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %11 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %12 = phi.tuple (%ct, %9) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %13 = phi.fold (%14 < %n, %15 = %12) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:      %16 = phi.proj %15, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %17 = phi.proj %15, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %18 = arith.constant 1 : i64
// CHECK-NEXT:      %19 = arith.subi %n, %18 : i64
// CHECK-NEXT:      %20 = arith.subi %19, %14 : i64
// CHECK-NEXT:      %acc_2 = phi.get %8[%20] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %21 = arith.mulf %16, %acc_2 : f64
// CHECK-NEXT:      %22 = arith.mulf %16, %acc_2 : f64
// CHECK-NEXT:      %23 = arith.addf %22, %21 : f64
// CHECK-NEXT:      %24 = phi.update %17[%20], %16 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %25 = phi.tuple (%23, %24) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %25 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %26 = phi.proj %13, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %g = phi.array (%27 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %28 = arith.index_cast %27 : index to i64
// CHECK-NEXT:      %29 = phi.get %26[%28] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %29 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// The largest element: the one found.

func.func @largest(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %next = arith.maximumf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @largest(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %next = arith.maximumf %acc, %e : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:      %1 = arith.constant 0 : i64
// CHECK-NEXT:      %2 = phi.tuple (%0, %1) : tuple<f64, i64>
// CHECK-NEXT:      %3 = phi.fold (%k_1 < %n, %best = %2) -> tuple<f64, i64> {
// CHECK-NEXT:        %e_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %4 = phi.proj %best, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:        %5 = phi.proj %best, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:        %6 = arith.cmpf ogt, %e_1, %4 : f64
// CHECK-NEXT:        %7 = arith.select %6, %e_1, %4 : f64
// CHECK-NEXT:        %8 = arith.select %6, %k_1, %5 : i64
// CHECK-NEXT:        %9 = phi.tuple (%7, %8) : tuple<f64, i64>
// CHECK-NEXT:        phi.yield %9 : tuple<f64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %10 = phi.proj %3, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:      %11 = arith.cmpf ogt, %s, %zero : f64
// CHECK-NEXT:      %12 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %13 = arith.select %11, %ct, %12 : f64
// CHECK-NEXT:      %14 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %15 = arith.constant 1 : i64
// CHECK-NEXT:      %16 = arith.subi %14, %15 : i64
// CHECK-NEXT:      %17 = arith.minsi %10, %16 : i64
// CHECK-NEXT:      %18 = arith.constant 0 : i64
// CHECK-NEXT:      %19 = arith.maxsi %17, %18 : i64
// CHECK-NEXT:      %20 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %21 = phi.array (%22 < %20) -> !phi.vec<f64> {
// CHECK-NEXT:        %23 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        phi.yield %23 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %g = phi.update %21[%19], %13 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      func.return %g : !phi.vec<f64>
// CHECK-NEXT:    }

// The largest element of the segment of a key is found by a fold, as those of programs are.

func.func @largest_of_segments(
  %a: !phi.vec<f64>, %keys: !phi.vec<i64>, %m: i64, %ct: !phi.vec<f64>
) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct)
      : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %least = arith.constant 0xfff0000000000000 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.array (%c < %m) -> !phi.vec<f64> {
      %s = phi.fold (%k < %n, %acc = %least) -> f64 {
        %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
        %c_1 = arith.index_cast %c : index to i64
        %selected = arith.cmpi eq, %key, %c_1 : i64
        %e = phi.get %x[%k] : !phi.vec<f64>[i64]
        %value = arith.select %selected, %e, %least : f64
        %next = arith.maximumf %acc, %value : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @largest_of_segments(%a: !phi.vec<f64>, %keys: !phi.vec<i64>, %m: i64, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %least = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.array (%c < %m) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:      %s = phi.fold (%k < %n, %acc = %least) -> f64 {
// CHECK-NEXT:        %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %c_1 = arith.index_cast %c : index to i64
// CHECK-NEXT:        %selected = arith.cmpi eq, %key, %c_1 : i64
// CHECK-NEXT:        %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %value = arith.select %selected, %e, %least : f64
// CHECK-NEXT:        %next = arith.maximumf %acc, %value : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %1 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:      %2 = arith.constant 0 : i64
// CHECK-NEXT:      %3 = phi.tuple (%1, %2) : tuple<f64, i64>
// CHECK-NEXT:      %4 = phi.fold (%k_1 < %n, %best = %3) -> tuple<f64, i64> {
// CHECK-NEXT:        %key_1 = phi.get %keys[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %c_2 = arith.index_cast %c : index to i64
// CHECK-NEXT:        %selected_1 = arith.cmpi eq, %key_1, %c_2 : i64
// CHECK-NEXT:        %e_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %value_1 = arith.select %selected_1, %e_1, %least : f64
// CHECK-NEXT:        %5 = phi.proj %best, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:        %6 = phi.proj %best, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:        %7 = arith.cmpf ogt, %value_1, %5 : f64
// CHECK-NEXT:        %8 = arith.select %7, %value_1, %5 : f64
// CHECK-NEXT:        %9 = arith.select %7, %k_1, %6 : i64
// CHECK-NEXT:        %10 = phi.tuple (%8, %9) : tuple<f64, i64>
// CHECK-NEXT:        phi.yield %10 : tuple<f64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %11 = phi.proj %4, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:      %12 = phi.tuple (%s, %11) : tuple<f64, i64>
// CHECK-NEXT:      phi.yield %12 : tuple<f64, i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = phi.proj %0, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:    %13 = phi.proj %0, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:    %14 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %15 = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:    %16 = phi.assert_eq %15, %14, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %17 = phi.array (%18 < %16) -> !phi.vec<f64> {
// CHECK-NEXT:      %19 = phi.get %ct[%18] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %19 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %20 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %g = phi.accumulate (%c_3 < %m) into "add" (%20) -> !phi.vec<f64> {
// CHECK-NEXT:      %21 = phi.get %13[%c_3] : !phi.vec<i64>[index]
// CHECK-NEXT:      %22 = arith.constant 1 : i64
// CHECK-NEXT:      %23 = arith.subi %20, %22 : i64
// CHECK-NEXT:      %24 = arith.minsi %21, %23 : i64
// CHECK-NEXT:      %25 = arith.constant 0 : i64
// CHECK-NEXT:      %26 = arith.maxsi %24, %25 : i64
// CHECK-NEXT:      %27 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %28 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %29 = phi.get %17[%c_3] : !phi.vec<f64>[index]
// CHECK-NEXT:      %s_1 = phi.get %y[%c_3] : !phi.vec<f64>[index]
// CHECK-NEXT:      %30 = arith.cmpf ogt, %s_1, %least : f64
// CHECK-NEXT:      %31 = arith.select %30, %29, %28 : f64
// CHECK-NEXT:      %c_4 = arith.index_cast %c_3 : index to i64
// CHECK-NEXT:      %key_2 = phi.get %keys[%21] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %selected_2 = arith.cmpi eq, %key_2, %c_4 : i64
// CHECK-NEXT:      %32 = arith.select %selected_2, %31, %27 : f64
// CHECK-NEXT:      %33 = phi.tuple (%26, %32) : tuple<i64, f64>
// CHECK-NEXT:      phi.yield %33 : tuple<i64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// A reduction is a fold.

func.func @reduction(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %one = arith.constant 1.0 : f64
    %y = phi.reduce %x identity %one by { arith.mulf } -> f64
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @reduction(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.array (%2 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:        %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        phi.yield %3 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %4 = phi.tuple (%one, %1) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      %5 = phi.fold (%6 < %0, %acc = %4) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:        %acc_1 = phi.proj %acc, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %7 = phi.proj %acc, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %8 = phi.get %a[%6] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %9 = arith.mulf %acc_1, %8 : f64
// CHECK-NEXT:        %10 = phi.update %7[%6], %acc_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        %11 = phi.tuple (%9, %10) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %11 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %12 = phi.proj %5, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %13 = phi.array (%14 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:        %15 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        phi.yield %15 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %16 = phi.tuple (%ct, %13) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      %17 = phi.fold (%18 < %0, %19 = %16) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:        %20 = phi.proj %19, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %21 = phi.proj %19, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %22 = arith.constant 1 : i64
// CHECK-NEXT:        %23 = arith.subi %0, %22 : i64
// CHECK-NEXT:        %24 = arith.subi %23, %18 : i64
// CHECK-NEXT:        %25 = phi.get %a[%24] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %26 = arith.mulf %20, %25 : f64
// CHECK-NEXT:        %27 = phi.update %21[%24], %20 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        %28 = phi.tuple (%26, %27) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %28 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %29 = phi.proj %17, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %g = phi.array (%30 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:        %31 = arith.index_cast %30 : index to i64
// CHECK-NEXT:        %acc_2 = phi.get %12[%31] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %32 = phi.get %29[%31] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %33 = arith.mulf %32, %acc_2 : f64
// CHECK-NEXT:        phi.yield %33 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %g : !phi.vec<f64>
// CHECK-NEXT:    }

// Parts.

func.func @concat(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %y = phi.concat %x, %x : !phi.vec<f64>
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @concat(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %3 = arith.addi %1, %2 : i64
// CHECK-NEXT:    %4 = phi.assert_eq %3, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %5 = phi.array (%6 < %4) -> !phi.vec<f64> {
// CHECK-NEXT:      %7 = phi.get %ct[%6] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %7 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %8 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %9 = arith.subi %4, %8 : i64
// CHECK-NEXT:    %10 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %11 = phi.array (%12 < %10) -> !phi.vec<f64> {
// CHECK-NEXT:      %13 = phi.get %5[%12] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %13 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %14 = phi.array (%15 < %8) -> !phi.vec<f64> {
// CHECK-NEXT:      %16 = arith.index_cast %15 : index to i64
// CHECK-NEXT:      %17 = arith.addi %16, %9 : i64
// CHECK-NEXT:      %18 = phi.get %5[%17] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %18 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %19 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %g = phi.array (%20 < %19) -> !phi.vec<f64> {
// CHECK-NEXT:      %21 = phi.get %11[%20] : !phi.vec<f64>[index]
// CHECK-NEXT:      %22 = phi.get %14[%20] : !phi.vec<f64>[index]
// CHECK-NEXT:      %23 = arith.addf %21, %22 : f64
// CHECK-NEXT:      phi.yield %23 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// An update: nothing reaches the element that it replaces.

func.func @update(%a: !phi.vec<f64>, %j: i64, %k: i64, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %e = phi.get %x[%j] : !phi.vec<f64>[i64]
    %y = phi.update %x[%k], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @update(%a: !phi.vec<f64>, %j: i64, %k: i64, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.assert_eq %1, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:      %5 = phi.get %ct[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %5 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %7 = phi.update %3[%k], %6 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:    %8 = arith.constant 0 : i64
// CHECK-NEXT:    %9 = arith.cmpi sge, %k, %8 : i64
// CHECK-NEXT:    %10 = arith.cmpi slt, %k, %2 : i64
// CHECK-NEXT:    %11 = arith.andi %9, %10 : i1
// CHECK-NEXT:    %12 = phi.get %3[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %13 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %14 = arith.select %11, %12, %13 : f64
// CHECK-NEXT:    %15 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %16 = arith.constant 1 : i64
// CHECK-NEXT:    %17 = arith.subi %15, %16 : i64
// CHECK-NEXT:    %18 = arith.minsi %j, %17 : i64
// CHECK-NEXT:    %19 = arith.constant 0 : i64
// CHECK-NEXT:    %20 = arith.maxsi %18, %19 : i64
// CHECK-NEXT:    %21 = phi.get %7[%20] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %22 = arith.addf %21, %14 : f64
// CHECK-NEXT:    %g = phi.update %7[%20], %22 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// A record: an Int has the cotangent zero.

func.func @record(%a: tuple<f64, i64>, %ct: f64) -> tuple<f64, i64> {
  %r = phi.vjp (%x = %a by %ct) : tuple<f64, i64> by f64 -> tuple<f64, tuple<f64, i64>> {
    %u = phi.proj %x, 0 : tuple<f64, i64> -> f64
    %n = phi.proj %x, 1 : tuple<f64, i64> -> i64
    %y = math.fpowi %u, %n : f64, i64
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, tuple<f64, i64>> -> tuple<f64, i64>
  func.return %g : tuple<f64, i64>
}
// CHECK-LABEL: func.func @record(%a: tuple<f64, i64>, %ct: f64) -> tuple<f64, i64> {
// CHECK-NEXT:    %u = phi.proj %a, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:    %n = phi.proj %a, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:    %0 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:    %1 = arith.constant 0 : i64
// CHECK-NEXT:    %2 = arith.cmpi eq, %n, %1 : i64
// CHECK-NEXT:    %3 = arith.constant 1 : i64
// CHECK-NEXT:    %4 = arith.subi %n, %3 : i64
// CHECK-NEXT:    %5 = arith.constant 1 : i64
// CHECK-NEXT:    %6 = arith.select %2, %5, %4 : i64
// CHECK-NEXT:    %7 = math.fpowi %u, %6 : f64, i64
// CHECK-NEXT:    %8 = arith.mulf %0, %7 : f64
// CHECK-NEXT:    %9 = arith.mulf %ct, %8 : f64
// CHECK-NEXT:    %10 = arith.constant 0 : i64
// CHECK-NEXT:    %g = phi.tuple (%9, %10) : tuple<f64, i64>
// CHECK-NEXT:    func.return %g : tuple<f64, i64>
// CHECK-NEXT:  }

// Tangents next to values: a fold carries both.

func.func @tangent(%a: !phi.vec<f64>, %d: !phi.vec<f64>) -> tuple<f64, f64> {
  %one = arith.constant 1.0 : f64
  %r = phi.jvp (%x = %a by %d) : !phi.vec<f64> -> tuple<f64, f64> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %s = phi.fold (%k < %n, %acc = %one) -> f64 {
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %next = arith.mulf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : tuple<f64, f64>
}
// CHECK-LABEL: func.func @tangent(%a: !phi.vec<f64>, %d: !phi.vec<f64>) -> tuple<f64, f64> {
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %0 = phi.size %d, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.assert_eq %1, %0, "tangent: size of the value along axis 0, size of the tangent"
// CHECK-NEXT:    %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:      %5 = phi.get %d[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %5 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %7 = phi.tuple (%one, %6) : tuple<f64, f64>
// CHECK-NEXT:    %r = phi.fold (%k < %n, %acc = %7) -> tuple<f64, f64> {
// CHECK-NEXT:      %acc_1 = phi.proj %acc, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %8 = phi.proj %acc, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %9 = phi.get %3[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %next = arith.mulf %acc_1, %e : f64
// CHECK-NEXT:      %10 = arith.mulf %8, %e : f64
// CHECK-NEXT:      %11 = arith.mulf %9, %acc_1 : f64
// CHECK-NEXT:      %12 = arith.addf %10, %11 : f64
// CHECK-NEXT:      %13 = phi.tuple (%next, %12) : tuple<f64, f64>
// CHECK-NEXT:      phi.yield %13 : tuple<f64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tuple<f64, f64>
// CHECK-NEXT:  }

// The inner derivative comes first.

func.func @nested(%a: f64, %one: f64) -> tuple<f64, f64> {
  %r = phi.jvp (%x = %a by %one) : f64 -> tuple<f64, f64> {
    %s = phi.vjp (%z = %x by %one) : f64 -> tuple<f64, f64> {
      %y = math.sin %z : f64
      phi.yield %y : f64
    }
    %d = phi.proj %s, 1 : tuple<f64, f64> -> f64
    phi.yield %d : f64
  }
  func.return %r : tuple<f64, f64>
}
// CHECK-LABEL: func.func @nested(%a: f64, %one: f64) -> tuple<f64, f64> {
// CHECK-NEXT:    %0 = math.cos %a : f64
// CHECK-NEXT:    %1 = math.sin %a : f64
// CHECK-NEXT:    %2 = arith.mulf %one, %1 : f64
// CHECK-NEXT:    %3 = arith.negf %2 : f64
// CHECK-NEXT:    %d = arith.mulf %one, %0 : f64
// CHECK-NEXT:    %4 = arith.mulf %3, %one : f64
// CHECK-NEXT:    %r = phi.tuple (%d, %4) : tuple<f64, f64>
// CHECK-NEXT:    func.return %r : tuple<f64, f64>
// CHECK-NEXT:  }

// A loop with a condition: a first one counts its steps.

func.func @loop(%a: f64, %c: f64, %limit: i64, %ct: f64) -> f64 {
  %r = phi.vjp (%x = %a by %ct) : f64 -> tuple<f64, f64> {
    %on = arith.constant true
    %start = phi.tuple (%on, %x) : tuple<i1, f64>
    %l = phi.while (%k < %limit, %acc = %start) -> tuple<i1, f64> {
      %u = phi.proj %acc, 1 : tuple<i1, f64> -> f64
      %root = math.sqrt %u : f64
      %more = arith.cmpf ogt, %root, %c : f64
      %next = phi.tuple (%more, %root) : tuple<i1, f64>
      phi.yield %next : tuple<i1, f64>
    }
    %y = phi.proj %l, 1 : tuple<i1, f64> -> f64
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
  func.return %g : f64
}
// CHECK-LABEL: func.func @loop(%a: f64, %c: f64, %limit: i64, %ct: f64) -> f64 {
// CHECK-NEXT:    %on = arith.constant true
// CHECK-NEXT:    %start = phi.tuple (%on, %a) : tuple<i1, f64>
// CHECK-NEXT:    %0 = arith.constant 0 : i64
// CHECK-NEXT:    %1 = phi.tuple (%on, %start, %0) : tuple<i1, tuple<i1, f64>, i64>
// CHECK-NEXT:    %2 = phi.while (%k < %limit, %3 = %1) -> tuple<i1, tuple<i1, f64>, i64> {
// CHECK-NEXT:      %acc = phi.proj %3, 1 : tuple<i1, tuple<i1, f64>, i64> -> tuple<i1, f64>
// CHECK-NEXT:      %4 = phi.proj %3, 2 : tuple<i1, tuple<i1, f64>, i64> -> i64
// CHECK-NEXT:      %u = phi.proj %acc, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:      %root = math.sqrt %u : f64
// CHECK-NEXT:      %more = arith.cmpf ogt, %root, %c : f64
// CHECK-NEXT:      %next = phi.tuple (%more, %root) : tuple<i1, f64>
// CHECK-NEXT:      %5 = arith.constant 1 : i64
// CHECK-NEXT:      %6 = arith.addi %4, %5 : i64
// CHECK-NEXT:      %7 = phi.tuple (%more, %next, %6) : tuple<i1, tuple<i1, f64>, i64>
// CHECK-NEXT:      phi.yield %7 : tuple<i1, tuple<i1, f64>, i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %8 = phi.proj %2, 2 : tuple<i1, tuple<i1, f64>, i64> -> i64
// CHECK-NEXT:    %9 = phi.array (%10 < %8) -> !phi.vec<f64> {
// CHECK-NEXT:      %11 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %11 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %12 = phi.tuple (%on, %a, %9) : tuple<i1, f64, !phi.vec<f64>>
// CHECK-NEXT:    %13 = phi.fold (%k_1 < %8, %acc_1 = %12) -> tuple<i1, f64, !phi.vec<f64>> {
// CHECK-NEXT:      %u_1 = phi.proj %acc_1, 1 : tuple<i1, f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %14 = phi.proj %acc_1, 2 : tuple<i1, f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %root_1 = math.sqrt %u_1 : f64
// CHECK-NEXT:      %more_1 = arith.cmpf ogt, %root_1, %c : f64
// CHECK-NEXT:      %15 = phi.update %14[%k_1], %u_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %16 = phi.tuple (%more_1, %root_1, %15) : tuple<i1, f64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %16 : tuple<i1, f64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %17 = phi.proj %13, 2 : tuple<i1, f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %g = phi.fold (%18 < %8, %19 = %ct) -> f64 {
// CHECK-NEXT:      %20 = arith.constant 1 : i64
// CHECK-NEXT:      %21 = arith.subi %8, %20 : i64
// CHECK-NEXT:      %22 = arith.subi %21, %18 : i64
// CHECK-NEXT:      %u_2 = phi.get %17[%22] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %root_2 = math.sqrt %u_2 : f64
// CHECK-NEXT:      %23 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:      %24 = arith.divf %23, %root_2 : f64
// CHECK-NEXT:      %25 = arith.mulf %19, %24 : f64
// CHECK-NEXT:      phi.yield %25 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : f64
// CHECK-NEXT:  }

// Elements of one array: updates of one cotangent.

func.func @two_elements(%a: !phi.vec<f64>, %k: i64, %l: i64, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %y = phi.get %x[%k] : !phi.vec<f64>[i64]
    %z = phi.get %x[%l] : !phi.vec<f64>[i64]
    %s = arith.addf %y, %z : f64
    phi.yield %s : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @two_elements(%a: !phi.vec<f64>, %k: i64, %l: i64, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = arith.constant 1 : i64
// CHECK-NEXT:    %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:    %3 = arith.minsi %l, %2 : i64
// CHECK-NEXT:    %4 = arith.constant 0 : i64
// CHECK-NEXT:    %5 = arith.maxsi %3, %4 : i64
// CHECK-NEXT:    %6 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %7 = arith.constant 1 : i64
// CHECK-NEXT:    %8 = arith.subi %6, %7 : i64
// CHECK-NEXT:    %9 = arith.minsi %k, %8 : i64
// CHECK-NEXT:    %10 = arith.constant 0 : i64
// CHECK-NEXT:    %11 = arith.maxsi %9, %10 : i64
// CHECK-NEXT:    %12 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %13 = phi.array (%14 < %12) -> !phi.vec<f64> {
// CHECK-NEXT:      %15 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %15 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %16 = phi.update %13[%5], %ct : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:    %17 = phi.get %16[%11] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %18 = arith.addf %17, %ct : f64
// CHECK-NEXT:    %g = phi.update %16[%11], %18 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// Shifted elements: one array that continues beyond both ends.

func.func @shifts(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %one = arith.constant 1 : i64
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %before = arith.subi %i_1, %one : i64
      %behind = arith.addi %i_1, %one : i64
      %y = phi.get %x[%before] : !phi.vec<f64>[i64]
      %z = phi.get %x[%behind] : !phi.vec<f64>[i64]
      %s = arith.subf %z, %y : f64
      phi.yield %s : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @shifts(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.assert_eq %n, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:      %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:        %4 = phi.get %ct[%3] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %4 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %g = phi.array (%6 < %5) -> !phi.vec<f64> {
// CHECK-NEXT:        %7 = arith.index_cast %6 : index to i64
// CHECK-NEXT:        %8 = arith.constant 1 : i64
// CHECK-NEXT:        %9 = arith.subi %7, %8 : i64
// CHECK-NEXT:        %10 = arith.constant 0 : i64
// CHECK-NEXT:        %11 = arith.cmpi sge, %9, %10 : i64
// CHECK-NEXT:        %12 = arith.cmpi slt, %9, %1 : i64
// CHECK-NEXT:        %13 = phi.get %2[%9] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %14 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %15 = arith.andi %11, %12 : i1
// CHECK-NEXT:        %16 = arith.select %15, %13, %14 : f64
// CHECK-NEXT:        %17 = arith.index_cast %6 : index to i64
// CHECK-NEXT:        %18 = arith.constant 1 : i64
// CHECK-NEXT:        %19 = arith.addi %17, %18 : i64
// CHECK-NEXT:        %20 = arith.constant 0 : i64
// CHECK-NEXT:        %21 = arith.cmpi sge, %19, %20 : i64
// CHECK-NEXT:        %22 = arith.cmpi slt, %19, %1 : i64
// CHECK-NEXT:        %23 = phi.get %2[%19] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %24 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %25 = arith.andi %21, %22 : i1
// CHECK-NEXT:        %26 = arith.select %25, %23, %24 : f64
// CHECK-NEXT:        %27 = arith.negf %26 : f64
// CHECK-NEXT:        %28 = arith.addf %16, %27 : f64
// CHECK-NEXT:        %29 = arith.constant 0 : i64
// CHECK-NEXT:        %30 = arith.constant 0 : i64
// CHECK-NEXT:        %31 = arith.constant 0 : i64
// CHECK-NEXT:        %32 = arith.cmpi sge, %30, %31 : i64
// CHECK-NEXT:        %33 = arith.cmpi slt, %30, %1 : i64
// CHECK-NEXT:        %34 = phi.get %2[%30] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %35 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %36 = arith.andi %32, %33 : i1
// CHECK-NEXT:        %37 = arith.select %36, %34, %35 : f64
// CHECK-NEXT:        %38 = arith.negf %37 : f64
// CHECK-NEXT:        %39 = arith.index_cast %6 : index to i64
// CHECK-NEXT:        %40 = arith.cmpi eq, %39, %29 : i64
// CHECK-NEXT:        %41 = arith.addf %28, %38 : f64
// CHECK-NEXT:        %42 = arith.select %40, %41, %28 : f64
// CHECK-NEXT:        %43 = arith.constant 1 : i64
// CHECK-NEXT:        %44 = arith.subi %5, %43 : i64
// CHECK-NEXT:        %45 = arith.constant 1 : i64
// CHECK-NEXT:        %46 = arith.subi %5, %45 : i64
// CHECK-NEXT:        %47 = arith.constant 0 : i64
// CHECK-NEXT:        %48 = arith.cmpi sge, %46, %47 : i64
// CHECK-NEXT:        %49 = arith.cmpi slt, %46, %1 : i64
// CHECK-NEXT:        %50 = phi.get %2[%46] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %51 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %52 = arith.andi %48, %49 : i1
// CHECK-NEXT:        %53 = arith.select %52, %50, %51 : f64
// CHECK-NEXT:        %54 = arith.index_cast %6 : index to i64
// CHECK-NEXT:        %55 = arith.cmpi eq, %54, %44 : i64
// CHECK-NEXT:        %56 = arith.addf %42, %53 : f64
// CHECK-NEXT:        %57 = arith.select %55, %56, %42 : f64
// CHECK-NEXT:        phi.yield %57 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %g : !phi.vec<f64>
// CHECK-NEXT:    }

// The inner elements only: no position is beyond the ends.

func.func @inner(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %zero = arith.constant 0 : i64
    %nothing = arith.constant 0.0 : f64
    %one = arith.constant 1 : i64
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %before = arith.subi %i_1, %one : i64
      %y = phi.get %x[%before] : !phi.vec<f64>[i64]
      %is_inner = arith.cmpi sgt, %i_1, %zero : i64
      %z = arith.select %is_inner, %y, %nothing : f64
      phi.yield %z : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @inner(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.assert_eq %n, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:      %4 = phi.get %ct[%3] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %5 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %g = phi.array (%6 < %5) -> !phi.vec<f64> {
// CHECK-NEXT:      %7 = arith.index_cast %6 : index to i64
// CHECK-NEXT:      %8 = arith.constant 1 : i64
// CHECK-NEXT:      %9 = arith.addi %7, %8 : i64
// CHECK-NEXT:      %10 = arith.cmpi slt, %9, %1 : i64
// CHECK-NEXT:      %11 = phi.get %2[%9] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %12 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %13 = arith.select %10, %11, %12 : f64
// CHECK-NEXT:      phi.yield %13 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// A cotangent that takes long to compute is an array for all pairs.
func.func @pairs(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %zero = arith.constant 0.0 : f64
    %s = phi.fold (%i < %n, %t = %zero) -> f64 {
      %u = phi.fold (%j < %n, %v = %t) -> f64 {
        %p = phi.get %x[%i] : !phi.vec<f64>[i64]
        %q = phi.get %x[%j] : !phi.vec<f64>[i64]
        %d = arith.subf %p, %q : f64
        %e = math.exp %d : f64
        %w = arith.addf %v, %e : f64
        phi.yield %w : f64
      }
      phi.yield %u : f64
    }
    phi.yield %s : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @pairs(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.array (%1 < %n, %2 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %3 = arith.index_cast %1 : index to i64
// CHECK-NEXT:        %4 = arith.index_cast %2 : index to i64
// CHECK-NEXT:        %q = phi.get %a[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %p = phi.get %a[%3] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %d = arith.subf %p, %q : f64
// CHECK-NEXT:        %e = math.exp %d : f64
// CHECK-NEXT:        %5 = arith.mulf %ct, %e : f64
// CHECK-NEXT:        phi.yield %5 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %6 = phi.array (%7 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %8 = arith.index_cast %7 : index to i64
// CHECK-NEXT:        %9 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %10 = phi.fold (%i < %n, %11 = %9) -> f64 {
// CHECK-NEXT:          %12 = phi.get %0[%i, %8] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:          %13 = arith.negf %12 : f64
// CHECK-NEXT:          %14 = arith.addf %11, %13 : f64
// CHECK-NEXT:          phi.yield %14 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %10 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %15 = phi.array (%16 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %17 = arith.index_cast %16 : index to i64
// CHECK-NEXT:        %18 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %19 = phi.fold (%j < %n, %20 = %18) -> f64 {
// CHECK-NEXT:          %21 = phi.get %0[%17, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:          %22 = arith.addf %20, %21 : f64
// CHECK-NEXT:          phi.yield %22 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %19 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %23 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %g = phi.array (%24 < %23) -> !phi.vec<f64> {
// CHECK-NEXT:        %25 = phi.get %6[%24] : !phi.vec<f64>[index]
// CHECK-NEXT:        %26 = phi.get %15[%24] : !phi.vec<f64>[index]
// CHECK-NEXT:        %27 = arith.addf %25, %26 : f64
// CHECK-NEXT:        phi.yield %27 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %g : !phi.vec<f64>
// CHECK-NEXT:    }

// The element found has the derivative, not the best one so far in each step: none of these is saved.

func.func @nearest(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %none = arith.constant 0 : i64
    %far = arith.constant 0x7FF0000000000000 : f64
    %start = phi.tuple (%far, %none) : tuple<f64, i64>
    %f = phi.fold (%k < %n, %acc = %start) -> tuple<f64, i64> {
      %best = phi.proj %acc, 0 : tuple<f64, i64> -> f64
      %at = phi.proj %acc, 1 : tuple<f64, i64> -> i64
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %is_less = arith.cmpf olt, %e, %best : f64
      %value = arith.select %is_less, %e, %best : f64
      %place = arith.select %is_less, %k, %at : i64
      %next = phi.tuple (%value, %place) : tuple<f64, i64>
      phi.yield %next : tuple<f64, i64>
    }
    %p = phi.proj %f, 1 : tuple<f64, i64> -> i64
    %y = phi.get %x[%p] : !phi.vec<f64>[i64]
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @nearest(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %none = arith.constant 0 : i64
// CHECK-NEXT:    %far = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:    %0 = phi.tuple (%far, %none) : tuple<f64, i64>
// CHECK-NEXT:    %1 = phi.fold (%k < %n, %acc = %0) -> tuple<f64, i64> {
// CHECK-NEXT:      %2 = phi.proj %acc, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:      %3 = phi.proj %acc, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:      %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %is_less = arith.cmpf olt, %e, %2 : f64
// CHECK-NEXT:      %value = arith.select %is_less, %e, %2 : f64
// CHECK-NEXT:      %place = arith.select %is_less, %k, %3 : i64
// CHECK-NEXT:      %4 = phi.tuple (%value, %place) : tuple<f64, i64>
// CHECK-NEXT:      phi.yield %4 : tuple<f64, i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %p = phi.proj %1, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:    %5 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %6 = arith.constant 1 : i64
// CHECK-NEXT:    %7 = arith.subi %5, %6 : i64
// CHECK-NEXT:    %8 = arith.minsi %p, %7 : i64
// CHECK-NEXT:    %9 = arith.constant 0 : i64
// CHECK-NEXT:    %10 = arith.maxsi %8, %9 : i64
// CHECK-NEXT:    %11 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %12 = phi.array (%13 < %11) -> !phi.vec<f64> {
// CHECK-NEXT:      %14 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %14 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %g = phi.update %12[%10], %ct : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// A unit vector: its elements are computed where they are read, and select cotangents.

func.func @unit(%w: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %w by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %first = arith.constant 0 : i64
    %u = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %is_first = arith.cmpi eq, %i_1, %first : i64
      %e = arith.select %is_first, %one, %zero : f64
      phi.yield %e : f64
    }
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %e = phi.get %u[%k] : !phi.vec<f64>[i64]
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %p = arith.mulf %y, %e : f64
      %next = arith.addf %acc, %p : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @unit(%w: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:    %first = arith.constant 0 : i64
// CHECK-NEXT:    %g = phi.array (%0 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %1 = arith.index_cast %0 : index to i64
// CHECK-NEXT:      %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %is_first = arith.cmpi eq, %1, %first : i64
// CHECK-NEXT:      %3 = arith.select %is_first, %ct, %2 : f64
// CHECK-NEXT:      phi.yield %3 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// The value is computed before the derivative, too: its users behind use that of the derivative.

func.func @value(%a: f64, %n: i64, %ct: f64) -> (f64, f64, f64) {
  %v = phi.fold (%k < %n, %acc = %a) -> f64 {
    %p = arith.mulf %acc, %acc : f64
    phi.yield %p : f64
  }
  %before = math.sin %v : f64
  %r = phi.vjp (%x = %a by %before) : f64 by f64 -> tuple<f64, f64> {
    %y = phi.fold (%k < %n, %acc = %x) -> f64 {
      %p = arith.mulf %acc, %acc : f64
      phi.yield %p : f64
    }
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
  %behind = math.cos %v : f64
  func.return %v, %g, %behind : f64, f64, f64
}
// CHECK-LABEL: func.func @value(%a: f64, %n: i64, %ct: f64) -> (f64, f64, f64) {
// CHECK-NEXT:    %v = phi.fold (%k < %n, %acc = %a) -> f64 {
// CHECK-NEXT:      %p = arith.mulf %acc, %acc : f64
// CHECK-NEXT:      phi.yield %p : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %before = math.sin %v : f64
// CHECK-NEXT:    %0 = phi.array (%1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %2 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %3 = phi.tuple (%a, %0) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %4 = phi.fold (%k_1 < %n, %acc_1 = %3) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:      %acc_2 = phi.proj %acc_1, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %5 = phi.proj %acc_1, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %p_1 = arith.mulf %acc_2, %acc_2 : f64
// CHECK-NEXT:      %6 = phi.update %5[%k_1], %acc_2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %7 = phi.tuple (%p_1, %6) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %7 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = phi.proj %4, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:    %8 = phi.proj %4, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %g = phi.fold (%9 < %n, %10 = %before) -> f64 {
// CHECK-NEXT:      %11 = arith.constant 1 : i64
// CHECK-NEXT:      %12 = arith.subi %n, %11 : i64
// CHECK-NEXT:      %13 = arith.subi %12, %9 : i64
// CHECK-NEXT:      %acc_3 = phi.get %8[%13] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %14 = arith.mulf %10, %acc_3 : f64
// CHECK-NEXT:      %15 = arith.mulf %10, %acc_3 : f64
// CHECK-NEXT:      %16 = arith.addf %15, %14 : f64
// CHECK-NEXT:      phi.yield %16 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %behind = math.cos %y : f64
// CHECK-NEXT:    func.return %y, %g, %behind : f64, f64, f64
// CHECK-NEXT:  }

// A position that an index determines, along another axis, selects an element of each row, which is
// added to other contributions.

func.func @one_of_each_row(%a: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>, %ct: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
    %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
    %y = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %k = phi.get %p[%i] : !phi.vec<i64>[index]
      %e = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %f = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %d = arith.subf %e, %f : f64
      phi.yield %d : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %g : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @one_of_each_row
// CHECK-NOT:     phi.accumulate
// CHECK:         arith.cmpi eq,
// CHECK-NEXT:    arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    arith.select

// A sum over pairs: the inner one takes as many steps as the longest, so that no cotangent is a loop.

func.func @pairs_of_counters(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%i] : !phi.vec<f64>[i64]
      %s = phi.fold (%k < %i, %sum = %zero) -> f64 {
        %f = phi.get %x[%k] : !phi.vec<f64>[i64]
        %p = arith.mulf %e, %f : f64
        %next = arith.addf %sum, %p : f64
        phi.yield %next : f64
      }
      %total = arith.addf %acc, %s : f64
      phi.yield %total : f64
    }
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @pairs_of_counters(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.array (%1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %2 = arith.index_cast %1 : index to i64
// CHECK-NEXT:      %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %4 = phi.fold (%k < %n, %5 = %3) -> f64 {
// CHECK-NEXT:        %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %f = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %7 = arith.mulf %ct, %f : f64
// CHECK-NEXT:        %8 = arith.cmpi slt, %k, %2 : i64
// CHECK-NEXT:        %9 = arith.select %8, %7, %6 : f64
// CHECK-NEXT:        %10 = arith.addf %5, %9 : f64
// CHECK-NEXT:        phi.yield %10 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %11 = phi.array (%12 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %13 = arith.index_cast %12 : index to i64
// CHECK-NEXT:      %14 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %15 = phi.fold (%i < %n, %16 = %14) -> f64 {
// CHECK-NEXT:        %17 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %e = phi.get %a[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %18 = arith.mulf %ct, %e : f64
// CHECK-NEXT:        %19 = arith.cmpi slt, %13, %i : i64
// CHECK-NEXT:        %20 = arith.select %19, %18, %17 : f64
// CHECK-NEXT:        %21 = arith.addf %16, %20 : f64
// CHECK-NEXT:        phi.yield %21 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %15 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %22 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %g = phi.array (%23 < %22) -> !phi.vec<f64> {
// CHECK-NEXT:      %24 = phi.get %11[%23] : !phi.vec<f64>[index]
// CHECK-NEXT:      %25 = phi.get %0[%23] : !phi.vec<f64>[index]
// CHECK-NEXT:      %26 = arith.addf %24, %25 : f64
// CHECK-NEXT:      phi.yield %26 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// Elements of a row are elements of the matrix: their cotangents are no rows.

func.func @rows_read_by_element(%a: !phi.vec<!phi.vec<f64>>, %ct: f64) -> !phi.vec<!phi.vec<f64>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<!phi.vec<f64>> by f64 -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
    %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
    %y = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %row = phi.get %x[%i] : !phi.vec<!phi.vec<f64>>[i64]
      %s = phi.fold (%k < %m, %sum = %acc) -> f64 {
        %f = phi.get %row[%k] : !phi.vec<f64>[i64]
        %p = arith.mulf %f, %f : f64
        %next = arith.addf %sum, %p : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %g : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @rows_read_by_element(%a: !phi.vec<!phi.vec<f64>>, %ct: f64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %g = phi.array (%0 < %n, %1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %2 = arith.index_cast %0 : index to i64
// CHECK-NEXT:      %3 = arith.index_cast %1 : index to i64
// CHECK-NEXT:      %f = phi.get %a[%2, %3] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:      %4 = arith.mulf %ct, %f : f64
// CHECK-NEXT:      %5 = arith.mulf %ct, %f : f64
// CHECK-NEXT:      %6 = arith.addf %5, %4 : f64
// CHECK-NEXT:      phi.yield %6 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %g : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }
