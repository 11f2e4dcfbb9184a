// RUN: ein-opt %s -p linearize | filecheck %s

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
// CHECK-NEXT:    %0 = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 {
// CHECK-NEXT:      %1 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:      %2 = arith.divf %1, %y : f64
// CHECK-NEXT:      %3 = arith.mulf %dx, %2 : f64
// CHECK-NEXT:      phi.yield %3 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %4 = phi.proj %0, 0 : tuple<f64> -> f64
// CHECK-NEXT:    %r = phi.tuple (%y, %4) : tuple<f64, f64>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
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
// CHECK-NEXT:    %y = arith.mulf %a, %a : f64
// CHECK-NEXT:    %0 = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 {
// CHECK-NEXT:      %1 = arith.mulf %dx, %a : f64
// CHECK-NEXT:      %2 = arith.mulf %dx, %a : f64
// CHECK-NEXT:      %3 = arith.addf %1, %2 : f64
// CHECK-NEXT:      phi.yield %3 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %4 = phi.proj %0, 0 : tuple<f64> -> f64
// CHECK-NEXT:    %r = phi.tuple (%y, %4) : tuple<f64, f64>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
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
// CHECK-NEXT:    %y = arith.negf %a : f64
// CHECK-NEXT:    %z = arith.select %c, %y, %a : f64
// CHECK-NEXT:    %0 = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 {
// CHECK-NEXT:      %1 = arith.negf %dx : f64
// CHECK-NEXT:      %2 = arith.select %c, %1, %dx : f64
// CHECK-NEXT:      phi.yield %2 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %3 = phi.proj %0, 0 : tuple<f64> -> f64
// CHECK-NEXT:    %r = phi.tuple (%z, %3) : tuple<f64, f64>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
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
// CHECK-NEXT:    %y = arith.truncf %a : f64 to f32
// CHECK-NEXT:    %0 = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f32 {
// CHECK-NEXT:      %1 = arith.truncf %dx : f64 to f32
// CHECK-NEXT:      phi.yield %1 : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %2 = phi.proj %0, 0 : tuple<f64> -> f64
// CHECK-NEXT:    %r = phi.tuple (%y, %2) : tuple<f32, f64>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f32, f64> -> f64
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
// CHECK-NEXT:    %y = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %e = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %s = math.sin %e : f64
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.assert_eq %1, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:      %5 = phi.get %ct[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %5 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %6 = phi.transpose (%dx = %a) by %3 -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
// CHECK-NEXT:      %7 = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %e_1 = phi.get %a[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:        %8 = phi.get %dx[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:        %9 = math.cos %e_1 : f64
// CHECK-NEXT:        %10 = arith.mulf %8, %9 : f64
// CHECK-NEXT:        phi.yield %10 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %7 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %11 = phi.proj %6, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %r = phi.tuple (%y, %11) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
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
// CHECK-NEXT:    %y = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %k = phi.get %p[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:      %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %e : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.assert_eq %1, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:      %5 = phi.get %ct[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %5 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %6 = phi.transpose (%dx = %a) by %3 -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
// CHECK-NEXT:      %7 = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = phi.get %p[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:        %8 = phi.get %dx[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        phi.yield %8 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %7 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %9 = phi.proj %6, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %r = phi.tuple (%y, %9) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
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
// CHECK-NEXT:    %y = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %0 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<f64>> : f64 {
// CHECK-NEXT:      %1 = phi.get %dx[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %1 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %2 = phi.proj %0, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %r = phi.tuple (%y, %2) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
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
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:      %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %p = arith.mulf %e, %e : f64
// CHECK-NEXT:      %next = arith.addf %acc, %p : f64
// CHECK-NEXT:      phi.yield %next : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %0 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<f64>> : f64 {
// CHECK-NEXT:      %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %2 = phi.fold (%k_1 < %n, %3 = %1) -> f64 {
// CHECK-NEXT:        %e_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %4 = phi.get %dx[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %5 = arith.mulf %4, %e_1 : f64
// CHECK-NEXT:        %6 = arith.mulf %4, %e_1 : f64
// CHECK-NEXT:        %7 = arith.addf %5, %6 : f64
// CHECK-NEXT:        %8 = arith.addf %3, %7 : f64
// CHECK-NEXT:        phi.yield %8 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %2 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %9 = phi.proj %0, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %r = phi.tuple (%s, %9) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
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
// CHECK-NEXT:    %s = phi.proj %4, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:    %8 = phi.proj %4, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %9 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<f64>> : f64 {
// CHECK-NEXT:      %10 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %11 = phi.fold (%k_1 < %n, %12 = %10) -> f64 {
// CHECK-NEXT:        %acc_2 = phi.get %8[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %13 = phi.get %dx[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %14 = arith.mulf %12, %acc_2 : f64
// CHECK-NEXT:        %15 = arith.mulf %12, %acc_2 : f64
// CHECK-NEXT:        %16 = arith.addf %14, %15 : f64
// CHECK-NEXT:        %17 = arith.addf %16, %13 : f64
// CHECK-NEXT:        phi.yield %17 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %11 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %18 = phi.proj %9, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %r = phi.tuple (%s, %18) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
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
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:      %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %next = arith.maximumf %acc, %e : f64
// CHECK-NEXT:      phi.yield %next : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %0 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<f64>> : f64 {
// CHECK-NEXT:      %1 = phi.array (%k_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %2 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:        %e_1 = phi.get %a[%2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        phi.yield %e_1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %3 = phi.argreduce %1 by ">" : !phi.vec<f64>
// CHECK-NEXT:      %4 = phi.get %dx[%3] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %5 = arith.cmpf ogt, %s, %zero : f64
// CHECK-NEXT:      %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %7 = arith.select %5, %4, %6 : f64
// CHECK-NEXT:      phi.yield %7 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %8 = phi.proj %0, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %r = phi.tuple (%s, %8) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
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
// CHECK-NEXT:      %y = phi.proj %5, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %12 = phi.proj %5, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %13 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<f64>> : f64 {
// CHECK-NEXT:        %14 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %15 = phi.fold (%16 < %0, %17 = %14) -> f64 {
// CHECK-NEXT:          %acc_2 = phi.get %12[%16] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %18 = phi.get %a[%16] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %19 = phi.get %dx[%16] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %20 = arith.mulf %17, %18 : f64
// CHECK-NEXT:          %21 = arith.mulf %19, %acc_2 : f64
// CHECK-NEXT:          %22 = arith.addf %20, %21 : f64
// CHECK-NEXT:          phi.yield %22 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %15 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %23 = phi.proj %13, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %r = phi.tuple (%y, %23) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
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
// CHECK-NEXT:    %y = phi.concat %a, %a : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.assert_eq %1, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:      %5 = phi.get %ct[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %5 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %6 = phi.transpose (%dx = %a) by %3 -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
// CHECK-NEXT:      %7 = phi.concat %dx, %dx : !phi.vec<f64>
// CHECK-NEXT:      phi.yield %7 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %8 = phi.proj %6, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %r = phi.tuple (%y, %8) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
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
// CHECK-NEXT:    %e = phi.get %a[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %y = phi.update %a[%k], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.assert_eq %1, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:      %5 = phi.get %ct[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %5 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %6 = phi.transpose (%dx = %a) by %3 -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
// CHECK-NEXT:      %7 = phi.get %dx[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %8 = phi.update %dx[%k], %7 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      phi.yield %8 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %9 = phi.proj %6, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %r = phi.tuple (%y, %9) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
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
// CHECK-NEXT:    %y = math.fpowi %u, %n : f64, i64
// CHECK-NEXT:    %0 = phi.proj %a, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:    %1 = phi.proj %a, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:    %2 = phi.transpose (%dx = %0) by %ct -> tuple<f64> : f64 {
// CHECK-NEXT:      %3 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:      %4 = arith.constant 0 : i64
// CHECK-NEXT:      %5 = arith.cmpi eq, %n, %4 : i64
// CHECK-NEXT:      %6 = arith.constant 1 : i64
// CHECK-NEXT:      %7 = arith.subi %n, %6 : i64
// CHECK-NEXT:      %8 = arith.constant 1 : i64
// CHECK-NEXT:      %9 = arith.select %5, %8, %7 : i64
// CHECK-NEXT:      %10 = math.fpowi %u, %9 : f64, i64
// CHECK-NEXT:      %11 = arith.mulf %3, %10 : f64
// CHECK-NEXT:      %12 = arith.mulf %dx, %11 : f64
// CHECK-NEXT:      phi.yield %12 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %13 = phi.proj %2, 0 : tuple<f64> -> f64
// CHECK-NEXT:    %14 = phi.proj %a, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:    %15 = phi.proj %a, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:    %16 = arith.constant 0 : i64
// CHECK-NEXT:    %17 = phi.tuple (%13, %16) : tuple<f64, i64>
// CHECK-NEXT:    %r = phi.tuple (%y, %17) : tuple<f64, tuple<f64, i64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, tuple<f64, i64>> -> tuple<f64, i64>
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
// CHECK-NEXT:    %8 = phi.fold (%k < %n, %acc = %7) -> tuple<f64, f64> {
// CHECK-NEXT:      %acc_1 = phi.proj %acc, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %9 = phi.proj %acc, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %10 = phi.get %3[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %next = arith.mulf %acc_1, %e : f64
// CHECK-NEXT:      %11 = arith.mulf %9, %e : f64
// CHECK-NEXT:      %12 = arith.mulf %10, %acc_1 : f64
// CHECK-NEXT:      %13 = arith.addf %11, %12 : f64
// CHECK-NEXT:      %14 = phi.tuple (%next, %13) : tuple<f64, f64>
// CHECK-NEXT:      phi.yield %14 : tuple<f64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %s = phi.proj %8, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:    %15 = phi.proj %8, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:    %r = phi.tuple (%s, %15) : tuple<f64, f64>
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
// CHECK-NEXT:    %r = phi.jvp (%x = %a by %one) : f64 -> tuple<f64, f64> {
// CHECK-NEXT:      %y = math.sin %x : f64
// CHECK-NEXT:      %0 = phi.transpose (%dz = %x) by %one -> tuple<f64> : f64 {
// CHECK-NEXT:        %1 = math.cos %x : f64
// CHECK-NEXT:        %2 = arith.mulf %dz, %1 : f64
// CHECK-NEXT:        phi.yield %2 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %3 = phi.proj %0, 0 : tuple<f64> -> f64
// CHECK-NEXT:      %s = phi.tuple (%y, %3) : tuple<f64, f64>
// CHECK-NEXT:      %d = phi.proj %s, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      phi.yield %d : f64
// CHECK-NEXT:    }
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
// CHECK-NEXT:    %0 = phi.proj %start, 0 : tuple<i1, f64> -> i1
// CHECK-NEXT:    %1 = arith.constant 0 : i64
// CHECK-NEXT:    %2 = phi.tuple (%0, %start, %1) : tuple<i1, tuple<i1, f64>, i64>
// CHECK-NEXT:    %3 = phi.while (%k < %limit, %4 = %2) -> tuple<i1, tuple<i1, f64>, i64> {
// CHECK-NEXT:      %acc = phi.proj %4, 1 : tuple<i1, tuple<i1, f64>, i64> -> tuple<i1, f64>
// CHECK-NEXT:      %5 = phi.proj %4, 2 : tuple<i1, tuple<i1, f64>, i64> -> i64
// CHECK-NEXT:      %u = phi.proj %acc, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:      %root = math.sqrt %u : f64
// CHECK-NEXT:      %more = arith.cmpf ogt, %root, %c : f64
// CHECK-NEXT:      %next = phi.tuple (%more, %root) : tuple<i1, f64>
// CHECK-NEXT:      %6 = arith.constant 1 : i64
// CHECK-NEXT:      %7 = arith.addi %5, %6 : i64
// CHECK-NEXT:      %8 = phi.proj %next, 0 : tuple<i1, f64> -> i1
// CHECK-NEXT:      %9 = phi.tuple (%8, %next, %7) : tuple<i1, tuple<i1, f64>, i64>
// CHECK-NEXT:      phi.yield %9 : tuple<i1, tuple<i1, f64>, i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %10 = phi.proj %3, 2 : tuple<i1, tuple<i1, f64>, i64> -> i64
// CHECK-NEXT:    %11 = phi.array (%12 < %10) -> !phi.vec<f64> {
// CHECK-NEXT:      %13 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %13 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %14 = phi.tuple (%on, %a, %11) : tuple<i1, f64, !phi.vec<f64>>
// CHECK-NEXT:    %15 = phi.fold (%k_1 < %10, %acc_1 = %14) -> tuple<i1, f64, !phi.vec<f64>> {
// CHECK-NEXT:      %u_1 = phi.proj %acc_1, 1 : tuple<i1, f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %16 = phi.proj %acc_1, 2 : tuple<i1, f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %root_1 = math.sqrt %u_1 : f64
// CHECK-NEXT:      %more_1 = arith.cmpf ogt, %root_1, %c : f64
// CHECK-NEXT:      %17 = phi.update %16[%k_1], %u_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %18 = phi.tuple (%more_1, %root_1, %17) : tuple<i1, f64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %18 : tuple<i1, f64, !phi.vec<f64>>
// CHECK-NEXT:    } {recomputed}
// CHECK-NEXT:    %19 = phi.proj %15, 0 : tuple<i1, f64, !phi.vec<f64>> -> i1
// CHECK-NEXT:    %20 = phi.proj %15, 1 : tuple<i1, f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:    %21 = phi.proj %15, 2 : tuple<i1, f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %l = phi.tuple (%19, %20) : tuple<i1, f64>
// CHECK-NEXT:    %y = phi.proj %l, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:    %22 = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 {
// CHECK-NEXT:      %23 = phi.fold (%k_2 < %10, %24 = %dx) -> f64 {
// CHECK-NEXT:        %u_2 = phi.get %21[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %root_2 = math.sqrt %u_2 : f64
// CHECK-NEXT:        %25 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:        %26 = arith.divf %25, %root_2 : f64
// CHECK-NEXT:        %27 = arith.mulf %24, %26 : f64
// CHECK-NEXT:        phi.yield %27 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %23 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %28 = phi.proj %22, 0 : tuple<f64> -> f64
// CHECK-NEXT:    %r = phi.tuple (%y, %28) : tuple<f64, f64>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:    func.return %g : f64
// CHECK-NEXT:  }

// A loop in a body is computed once, for the program and its derivative.

func.func @residual(%a: !phi.vec<!phi.vec<f64>>, %ct: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<!phi.vec<f64>> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
    %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %e = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %next = arith.addf %acc, %e : f64
        phi.yield %next : f64
      }
      %q = arith.mulf %s, %s : f64
      phi.yield %q : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %g : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @residual(%a: !phi.vec<!phi.vec<f64>>, %ct: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %0 = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:        %e = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        %next = arith.addf %acc, %e : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %s_1 = phi.get %0[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:      %q = arith.mulf %s_1, %s_1 : f64
// CHECK-NEXT:      phi.yield %q : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %1 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:    %2 = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:    %3 = phi.assert_eq %2, %1, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:    %4 = phi.array (%5 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:      %6 = phi.get %ct[%5] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %6 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %7 = phi.transpose (%dx = %a) by %4 -> tuple<!phi.vec<!phi.vec<f64>>> : !phi.vec<f64> {
// CHECK-NEXT:      %8 = phi.array (%i_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %s_2 = phi.get %0[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:        %9 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %10 = phi.fold (%k_1 < %m, %11 = %9) -> f64 {
// CHECK-NEXT:          %12 = phi.get %dx[%i_2, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %13 = arith.addf %11, %12 : f64
// CHECK-NEXT:          phi.yield %13 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %14 = arith.mulf %10, %s_2 : f64
// CHECK-NEXT:        %15 = arith.mulf %10, %s_2 : f64
// CHECK-NEXT:        %16 = arith.addf %14, %15 : f64
// CHECK-NEXT:        phi.yield %16 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %8 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %17 = phi.proj %7, 0 : tuple<!phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %r = phi.tuple (%y, %17) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    func.return %g : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }

// So is one in a step: a step saves its result.

func.func @saved(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.fold (%t < %n, %old = %zero) -> f64 {
      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
        %e = phi.get %x[%k] : !phi.vec<f64>[i64]
        %p = arith.mulf %e, %old : f64
        %next = arith.addf %acc, %p : f64
        phi.yield %next : f64
      }
      %q = math.sin %s : f64
      phi.yield %q : f64
    }
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @saved(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.array (%1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %2 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %3 = phi.array (%4 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %5 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %5 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %6 = phi.tuple (%zero, %0, %3) : tuple<f64, !phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:    %7 = phi.fold (%t < %n, %old = %6) -> tuple<f64, !phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:      %old_1 = phi.proj %old, 0 : tuple<f64, !phi.vec<f64>, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %8 = phi.proj %old, 1 : tuple<f64, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %9 = phi.proj %old, 2 : tuple<f64, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %e = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %p = arith.mulf %e, %old_1 : f64
// CHECK-NEXT:        %next = arith.addf %acc, %p : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %q = math.sin %s : f64
// CHECK-NEXT:      %10 = phi.update %8[%t], %old_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %11 = phi.update %9[%t], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %12 = phi.tuple (%q, %10, %11) : tuple<f64, !phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %12 : tuple<f64, !phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = phi.proj %7, 0 : tuple<f64, !phi.vec<f64>, !phi.vec<f64>> -> f64
// CHECK-NEXT:    %13 = phi.proj %7, 1 : tuple<f64, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %14 = phi.proj %7, 2 : tuple<f64, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %15 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<f64>> : f64 {
// CHECK-NEXT:      %16 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %17 = phi.fold (%t_1 < %n, %18 = %16) -> f64 {
// CHECK-NEXT:        %old_2 = phi.get %13[%t_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %19 = phi.get %14[%t_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %20 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %21 = phi.fold (%k_1 < %n, %22 = %20) -> f64 {
// CHECK-NEXT:          %e_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %23 = phi.get %dx[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %24 = arith.mulf %23, %old_2 : f64
// CHECK-NEXT:          %25 = arith.mulf %18, %e_1 : f64
// CHECK-NEXT:          %26 = arith.addf %24, %25 : f64
// CHECK-NEXT:          %27 = arith.addf %22, %26 : f64
// CHECK-NEXT:          phi.yield %27 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %28 = math.cos %19 : f64
// CHECK-NEXT:        %29 = arith.mulf %21, %28 : f64
// CHECK-NEXT:        phi.yield %29 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %17 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %30 = phi.proj %15, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %r = phi.tuple (%y, %30) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    func.return %g : !phi.vec<f64>
// CHECK-NEXT:  }

// One that depends on no accumulator is an element of an array, which the steps read.

func.func @samples(%a: !phi.vec<!phi.vec<f64>>, %ct: f64) -> !phi.vec<!phi.vec<f64>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<!phi.vec<f64>> by f64 -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
    %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
    %y = phi.fold (%t < %n, %old = %zero) -> f64 {
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %e = phi.get %x[%t, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %next = arith.addf %acc, %e : f64
        phi.yield %next : f64
      }
      %q = math.sin %s : f64
      %new = arith.addf %old, %q : f64
      phi.yield %new : f64
    }
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %g : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @samples(%a: !phi.vec<!phi.vec<f64>>, %ct: f64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %0 = phi.array (%t < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %1 = arith.index_cast %t : index to i64
// CHECK-NEXT:      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:        %e = phi.get %a[%1, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:        %next = arith.addf %acc, %e : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = phi.fold (%t_1 < %n, %old = %zero) -> f64 {
// CHECK-NEXT:      %s_1 = phi.get %0[%t_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %q = math.sin %s_1 : f64
// CHECK-NEXT:      %new = arith.addf %old, %q : f64
// CHECK-NEXT:      phi.yield %new : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %2 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<!phi.vec<f64>>> : f64 {
// CHECK-NEXT:      %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %4 = phi.fold (%t_2 < %n, %5 = %3) -> f64 {
// CHECK-NEXT:        %6 = phi.get %0[%t_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %8 = phi.fold (%k_1 < %m, %9 = %7) -> f64 {
// CHECK-NEXT:          %10 = phi.get %dx[%t_2, %k_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:          %11 = arith.addf %9, %10 : f64
// CHECK-NEXT:          phi.yield %11 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %12 = math.cos %6 : f64
// CHECK-NEXT:        %13 = arith.mulf %8, %12 : f64
// CHECK-NEXT:        %14 = arith.addf %5, %13 : f64
// CHECK-NEXT:        phi.yield %14 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %15 = phi.proj %2, 0 : tuple<!phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %r = phi.tuple (%y, %15) : tuple<f64, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    func.return %g : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// The derivative of a function that a comprehension yields reads the element, if it needs it.

func.func @functions(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      %f = math.exp %e : f64
      phi.yield %f : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @functions(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %y = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %e = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %f = math.exp %e : f64
// CHECK-NEXT:        phi.yield %f : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:      %2 = phi.assert_eq %1, %0, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:      %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:        %5 = phi.get %ct[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %5 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %6 = phi.transpose (%dx = %a) by %3 -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
// CHECK-NEXT:        %7 = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %f_1 = phi.get %y[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:          %8 = phi.get %dx[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:          %9 = arith.mulf %8, %f_1 : f64
// CHECK-NEXT:          phi.yield %9 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %7 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %10 = phi.proj %6, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %r = phi.tuple (%y, %10) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      func.return %g : !phi.vec<f64>
// CHECK-NEXT:    }

// The derivative depends on comparisons of the accumulator alone: each step saves these.

func.func @decided(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %half = arith.constant 5.000000e-01 : f64
    %y = phi.fold (%t < %n, %old = %x) -> !phi.vec<f64> {
      %m = phi.size %old, 0 : !phi.vec<f64>
      %new = phi.array (%i < %m) -> !phi.vec<f64> {
        %e = phi.get %old[%i] : !phi.vec<f64>[index]
        %l = phi.get %b[%t] : !phi.vec<f64>[i64]
        %c = arith.cmpf olt, %e, %l : f64
        %s = arith.mulf %e, %half : f64
        %f = arith.select %c, %s, %e : f64
        phi.yield %f : f64
      }
      phi.yield %new : !phi.vec<f64>
    }
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @decided(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %half = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:      %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.array (%1 < %n, %2 < %m) -> !phi.vec<!phi.vec<i1>> {
// CHECK-NEXT:        %3 = arith.constant false
// CHECK-NEXT:        phi.yield %3 : i1
// CHECK-NEXT:      }
// CHECK-NEXT:      %4 = phi.tuple (%a, %0) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>>
// CHECK-NEXT:      %5 = phi.fold (%t < %n, %old = %4) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>> {
// CHECK-NEXT:        %old_1 = phi.proj %old, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>> -> !phi.vec<f64>
// CHECK-NEXT:        %6 = phi.proj %old, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>> -> !phi.vec<!phi.vec<i1>>
// CHECK-NEXT:        %m_1 = phi.size %old_1, 0 : !phi.vec<f64>
// CHECK-NEXT:        %new = phi.array (%i < %m_1) -> !phi.vec<f64> {
// CHECK-NEXT:          %e = phi.get %old_1[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %l = phi.get %b[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %c = arith.cmpf olt, %e, %l : f64
// CHECK-NEXT:          %s = arith.mulf %e, %half : f64
// CHECK-NEXT:          %f = arith.select %c, %s, %e : f64
// CHECK-NEXT:          phi.yield %f : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %7 = phi.size %old_1, 0 : !phi.vec<f64>
// CHECK-NEXT:        %8 = phi.array (%i_1 < %7) -> !phi.vec<i1> {
// CHECK-NEXT:          %l_1 = phi.get %b[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %e_1 = phi.get %old_1[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:          %c_1 = arith.cmpf olt, %e_1, %l_1 : f64
// CHECK-NEXT:          phi.yield %c_1 : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        %9 = phi.update %6[%t], %8 : (!phi.vec<!phi.vec<i1>>, i64, !phi.vec<i1>) -> !phi.vec<!phi.vec<i1>>
// CHECK-NEXT:        %10 = phi.tuple (%new, %9) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>>
// CHECK-NEXT:        phi.yield %10 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %y = phi.proj %5, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>> -> !phi.vec<f64>
// CHECK-NEXT:      %11 = phi.proj %5, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>> -> !phi.vec<!phi.vec<i1>>
// CHECK-NEXT:      %12 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %13 = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:      %14 = phi.assert_eq %13, %12, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:      %15 = phi.array (%16 < %14) -> !phi.vec<f64> {
// CHECK-NEXT:        %17 = phi.get %ct[%16] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %17 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %18 = phi.transpose (%dx = %a) by %15 -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
// CHECK-NEXT:        %19 = phi.fold (%t_1 < %n, %20 = %dx) -> !phi.vec<f64> {
// CHECK-NEXT:          %21 = phi.get %11[%t_1] : !phi.vec<!phi.vec<i1>>[i64]
// CHECK-NEXT:          %22 = phi.array (%i_2 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:            %23 = phi.get %20[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:            %c_2 = phi.get %21[%i_2] : !phi.vec<i1>[index]
// CHECK-NEXT:            %24 = arith.mulf %23, %half : f64
// CHECK-NEXT:            %25 = arith.select %c_2, %24, %23 : f64
// CHECK-NEXT:            phi.yield %25 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %22 : !phi.vec<f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %19 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %26 = phi.proj %18, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %r = phi.tuple (%y, %26) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      func.return %g : !phi.vec<f64>
// CHECK-NEXT:    }

// Two fields exchange their places: their sizes are those before the loop.

func.func @exchanged(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %start = phi.tuple (%x, %x) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    %y = phi.fold (%t < %n, %old = %start) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
      %u = phi.proj %old, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
      %v = phi.proj %old, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
      %m = phi.size %v, 0 : !phi.vec<f64>
      %w = phi.array (%i < %m) -> !phi.vec<f64> {
        %e = phi.get %u[%i] : !phi.vec<f64>[index]
        %f = phi.get %v[%i] : !phi.vec<f64>[index]
        %s = arith.addf %e, %f : f64
        phi.yield %s : f64
      }
      %new = phi.tuple (%v, %w) : tuple<!phi.vec<f64>, !phi.vec<f64>>
      phi.yield %new : tuple<!phi.vec<f64>, !phi.vec<f64>>
    }
    %z = phi.proj %y, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    phi.yield %z : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @exchanged(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %start = phi.tuple (%a, %a) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      %0 = phi.proj %start, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %0, 0 : !phi.vec<f64>
// CHECK-NEXT:      %y = phi.fold (%t < %n, %old = %start) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %u = phi.proj %old, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %v = phi.proj %old, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %m_1 = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:        %w = phi.array (%i < %m_1) -> !phi.vec<f64> {
// CHECK-NEXT:          %e = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %f = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %s = arith.addf %e, %f : f64
// CHECK-NEXT:          phi.yield %s : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %new = phi.tuple (%v, %w) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %new : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %z = phi.proj %y, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.size %ct, 0 : !phi.vec<f64>
// CHECK-NEXT:      %2 = phi.size %z, 0 : !phi.vec<f64>
// CHECK-NEXT:      %3 = phi.assert_eq %2, %1, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:      %4 = phi.array (%5 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:        %6 = phi.get %ct[%5] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %6 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %7 = phi.transpose (%dx = %a) by %4 -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
// CHECK-NEXT:        %8 = phi.tuple (%dx, %dx) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        %9 = phi.fold (%t_1 < %n, %10 = %8) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:          %11 = phi.proj %10, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %12 = phi.proj %10, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %13 = phi.array (%i_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:            %14 = phi.get %11[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:            %15 = phi.get %12[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:            %16 = arith.addf %14, %15 : f64
// CHECK-NEXT:            phi.yield %16 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %17 = phi.tuple (%12, %13) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:          phi.yield %17 : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        }
// CHECK-NEXT:        %18 = phi.proj %9, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        phi.yield %18 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %19 = phi.proj %7, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %r = phi.tuple (%z, %19) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      func.return %g : !phi.vec<f64>
// CHECK-NEXT:    }

// A maximum that only keeps floats in range has no tangent, and no position of it is searched.

func.func @stabilized(%a: !phi.vec<f64>, %ct: f64) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %least = arith.constant 0xFFF0000000000000 : f64
    %zero = arith.constant 0.0 : f64
    %m = phi.fold (%k < %n, %acc = %least) -> f64 {
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %next = arith.maximumf %acc, %e : f64
      phi.yield %next : f64
    }
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %e, %m : f64
      %f = math.exp %d : f64
      %next = arith.addf %acc, %f : f64
      phi.yield %next : f64
    }
    %l = math.log %s : f64
    %y = arith.addf %m, %l : f64
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @stabilized(
// CHECK-NOT:       phi.argreduce
// CHECK:           %m = phi.fold
// CHECK:           } {stabilizer}
// CHECK-NOT:       phi.argreduce
// CHECK:           phi.transpose (%dx = %a)
// CHECK-NOT:         phi.argreduce
// CHECK:             math.exp
// CHECK-NOT:         phi.argreduce
// CHECK:           func.return

// Of a vector that a loop carries, each step saves the element that the derivative reads.

func.func @elements(%a: !phi.vec<f64>, %q: !phi.vec<i64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.fold (%t < %n, %old = %x) -> !phi.vec<f64> {
      %e = phi.get %old[%t] : !phi.vec<f64>[i64]
      %s = math.sin %e : f64
      %p = phi.get %q[%t] : !phi.vec<i64>[i64]
      %new = phi.update %old[%p], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %new : !phi.vec<f64>
    }
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @elements(
// CHECK:           %[[SAVED:.*]] = phi.array (%{{.*}} < %n) -> !phi.vec<f64> {
// CHECK:           phi.fold (%t < %n, {{.*}}) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK:           phi.transpose (%dx = %a)
// CHECK:             phi.get %{{.*}}[%t_1] : !phi.vec<f64>[i64]
// CHECK:           func.return

// Of a matrix, it saves the row and the column whose elements the derivative reads, and not all.

func.func @elimination(%a: !phi.vec<!phi.vec<f64>>, %n: i64, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %rows = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
    %columns = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
    %y = phi.fold (%k < %n, %b = %x) -> !phi.vec<!phi.vec<f64>> {
      %z = phi.array (%i < %rows, %j < %columns) -> !phi.vec<!phi.vec<f64>> {
        %0 = phi.get %b[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
        %1 = phi.get %b[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %2 = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.subf %0, %3 : f64
        phi.yield %4 : f64
      }
      phi.yield %z : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @elimination(
// CHECK:         phi.fold (%k < %n, {{.*}}) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
// CHECK:           [[ROW:%.*]] = phi.array ([[J:%.*]] < %{{.*}}) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.get %{{.*}}[%k, [[J]]] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK:           [[COLUMN:%.*]] = phi.array ([[I:%.*]] < %{{.*}}) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.get %{{.*}}[[[I]], %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK:           phi.update %{{.*}}[%k], [[ROW]]
// CHECK-NEXT:      phi.update %{{.*}}[%k], [[COLUMN]]

// If step t writes element t + 1 only, an element before it is that of the result.

func.func @written_once(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %one = arith.constant 1 : i64
    %y = phi.fold (%t < %n, %old = %x) -> !phi.vec<f64> {
      %e = phi.get %old[%t] : !phi.vec<f64>[i64]
      %s = math.sin %e : f64
      %p = arith.addi %t, %one : i64
      %new = phi.update %old[%p], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %new : !phi.vec<f64>
    }
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @written_once(
// CHECK:           %y = phi.fold (%t < %n, %old = %a) -> !phi.vec<f64> {
// CHECK:           phi.transpose (%dx = %a)
// CHECK-NEXT:        phi.fold (%t_1 < %n, %{{.*}} = %dx) -> !phi.vec<f64> {
// CHECK-NEXT:          phi.get %y[%t_1] : !phi.vec<f64>[i64]

// An element that a step before may have written is chosen.

func.func @chosen(%a: !phi.vec<f64>, %p: i64, %ct: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.fold (%t < %n, %old = %x) -> !phi.vec<f64> {
      %i = arith.addi %t, %p : i64
      %e = phi.get %old[%i] : !phi.vec<f64>[i64]
      %s = math.sin %e : f64
      %new = phi.update %old[%t], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %new : !phi.vec<f64>
    }
    phi.yield %y : !phi.vec<f64>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}
// CHECK-LABEL: func.func @chosen(
// CHECK:           %y = phi.fold (%t < %n, %old = %a) -> !phi.vec<f64> {
// CHECK:           phi.transpose (%dx = %a)
// CHECK:             %[[WRITTEN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:        %[[LAST:.*]] = phi.get %y[%{{.*}}] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %[[FIRST:.*]] = phi.get %a[%{{.*}}] : !phi.vec<f64>[i64]
// CHECK-NEXT:        arith.select %[[WRITTEN]], %[[LAST]], %[[FIRST]] : f64

// A step of a maximum saves one count of the two comparisons, of which equal numbers meet both.

func.func @saved_count(%x: !phi.vec<f64>, %y: !phi.vec<!phi.vec<f64>>, %g: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %r = phi.vjp (%p = %x by %g) : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %y, 0 : !phi.vec<!phi.vec<f64>>
    %m = phi.size %p, 0 : !phi.vec<f64>
    %s = phi.fold (%k < %n, %acc = %p) -> !phi.vec<f64> {
      %t = phi.array (%i < %m) -> !phi.vec<f64> {
        %a = phi.get %acc[%i] : !phi.vec<f64>[index]
        %b = phi.get %y[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
        %c = arith.maximumf %a, %b : f64
        phi.yield %c : f64
      }
      phi.yield %t : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @saved_count(
// CHECK:         phi.fold (%k < %n, {{.*}}) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i8>>> {
// CHECK:           phi.array (%{{.*}} < %m) -> !phi.vec<i8> {
// CHECK:             %[[COUNT:.*]] = arith.addi %{{.*}}, %{{.*}} : i8
// CHECK-NEXT:        phi.yield %[[COUNT]] : i8
// CHECK:         phi.transpose
// CHECK:             %[[SAVED:.*]] = phi.get %{{.*}}[%{{.*}}] : !phi.vec<i8>[index]
// CHECK-NEXT:        arith.sitofp %[[SAVED]] : i8 to f64
// CHECK-NOT:         arith.cmpf
// CHECK:           phi.yield

// A scan of sums is linear.

func.func @scan(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %s = phi.scan "add" %x : !phi.vec<f64>
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @scan(
// CHECK-NEXT:    phi.scan "add" %a : !phi.vec<f64>
// CHECK:         phi.transpose (%[[D:.*]] = %a) by
// CHECK-NEXT:      %[[S:.*]] = phi.scan "add" %[[D]] : !phi.vec<f64>
// CHECK-NEXT:      phi.yield %[[S]] : !phi.vec<f64>

// -----

// A loop of each element: the steps of all are counted before, and all take the most.

func.func @convergence(%limit: i64, %a: !phi.vec<f64>, %c: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %a by %c) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %roots = phi.array (%i < %n) -> !phi.vec<f64> {
      %b = phi.get %x[%i] : !phi.vec<f64>[index]
      %true = arith.constant true
      %start = phi.tuple (%true, %b) : tuple<i1, f64>
      %l = phi.while (%k < %limit, %acc = %start) -> tuple<i1, f64> {
        %y = phi.proj %acc, 1 : tuple<i1, f64> -> f64
        %next = math.sin %y : f64
        %more = arith.cmpf ogt, %next, %b : f64
        %after = phi.tuple (%more, %next) : tuple<i1, f64>
        phi.yield %after : tuple<i1, f64>
      }
      %root = phi.proj %l, 1 : tuple<i1, f64> -> f64
      phi.yield %root : f64
    }
    phi.yield %roots : !phi.vec<f64>
  }
  %d = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %d : !phi.vec<f64>
}

// CHECK-LABEL: func.func @convergence(
// CHECK:         %[[STEPS:.*]] = phi.array (
// CHECK:           phi.while (%{{.*}} < %limit,
// CHECK:         %[[MOST:.*]] = phi.reduce %[[STEPS]] identity %{{.*}} by { arith.maxsi } -> i64
// CHECK:           phi.fold (%{{.*}} < %[[MOST]],
// CHECK:             %[[IS_STEP:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK:             arith.select %[[IS_STEP]], %{{.*}}, %{{.*}} : f64
// CHECK:         phi.transpose

// A product with the tangent of one element is that of the element alone.
func.func @unit(%a: !phi.vec<f64>, %x: !phi.vec<f64>, %p: i64) -> tuple<f64, f64> {
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %unit = phi.array (%k < %n) -> !phi.vec<f64> {
    %k_1 = arith.index_cast %k : index to i64
    %c = arith.cmpi eq, %k_1, %p : i64
    %e = arith.select %c, %one, %zero : f64
    phi.yield %e : f64
  }
  %r = phi.jvp (%y = %x by %unit) : !phi.vec<f64> -> tuple<f64, f64> {
    %s = phi.fold (%j < %n, %acc = %zero) -> f64 {
      %u = phi.get %a[%j] : !phi.vec<f64>[i64]
      %v = phi.get %y[%j] : !phi.vec<f64>[i64]
      %w = arith.mulf %u, %v : f64
      %z = arith.addf %acc, %w : f64
      phi.yield %z : f64
    }
    phi.yield %s : f64
  }
  func.return %r : tuple<f64, f64>
}
// CHECK-LABEL:  func.func @unit(
// CHECK:          phi.fold (
// CHECK:            %c_2 = arith.cmpi eq, %j, %p : i64
// CHECK:            %9 = arith.mulf %one, %u : f64
// CHECK-NEXT:       %10 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %11 = arith.select %c_2, %9, %10 : f64

// A derivative without a use is erased.
func.func @unused(%a: f64, %ct: f64) -> f64 {
  %r = phi.vjp (%x = %a by %ct) : f64 -> tuple<f64, f64> {
    phi.yield %x : f64
  }
  func.return %a : f64
}
// CHECK-LABEL:  func.func @unused(
// CHECK-NEXT:     func.return %a : f64

// In a table that is filled by diagonals, where step l writes at i, i + l + 1, an element before it is
// that of the result.

func.func @diagonals(%a: !phi.vec<!phi.vec<f64>>, %ct: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
    %one = arith.constant 1 : i64
    %y = phi.fold (%l < %n, %old = %x) -> !phi.vec<!phi.vec<f64>> {
      %rows = phi.size %old, 0 : !phi.vec<!phi.vec<f64>>
      %new = phi.array (%i < %rows) -> !phi.vec<!phi.vec<f64>> {
        %row = phi.get %old[%i] : !phi.vec<!phi.vec<f64>>[index]
        %p = arith.index_cast %i : index to i64
        %q = arith.addi %p, %l : i64
        %e = phi.get %old[%i, %q] : !phi.vec<!phi.vec<f64>>[index, i64]
        %s = math.sin %e : f64
        %end = arith.addi %q, %one : i64
        %with = phi.update %row[%end], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
        phi.yield %with : !phi.vec<f64>
      }
      phi.yield %new : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  %g = phi.proj %r, 1 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %g : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @diagonals(
// CHECK:           %y = phi.fold (%l < %n, %old = %a) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           phi.transpose (%dx = %a)
// CHECK:             phi.get %y[%{{.*}}, %{{.*}}] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NOT:         phi.get %a[%{{.*}}, %{{.*}}]
