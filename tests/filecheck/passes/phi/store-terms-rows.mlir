// RUN: ein-opt %s --split-input-file -p store-terms{rows=true} | filecheck %s

// Two results of a row of its own length, which a fold combines, are elements of arrays.
func.func @rows(%x: !phi.vec<f64>, %c: !phi.vec<i64>) -> f64 {
  %n = phi.size %c, 0 : !phi.vec<i64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%s < %n, %acc = %zero) -> f64 {
    %m = phi.get %c[%s] : !phi.vec<i64>[i64]
    %first = phi.get %x[%s] : !phi.vec<f64>[i64]
    %last = phi.fold (%t < %m, %y = %first) -> f64 {
      %sin = math.sin %y : f64
      %next = arith.addf %sin, %first : f64
      phi.yield %next : f64
    }
    %sum = arith.addf %acc, %last : f64
    phi.yield %sum : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @rows(%x: !phi.vec<f64>, %c: !phi.vec<i64>) -> f64 {
// CHECK-NEXT:       %n = phi.size %c, 0 : !phi.vec<i64>
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %0 = arith.constant 0 : i64
// CHECK-NEXT:       %1 = arith.constant 0 : i64
// CHECK-NEXT:       %2 = arith.maxsi %n, %1 : i64
// CHECK-NEXT:       %3 = phi.fold (%s < %2, %4 = %0) -> i64 {
// CHECK-NEXT:         %m = phi.get %c[%s] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %5 = arith.minsi %4, %m : i64
// CHECK-NEXT:         phi.yield %5 : i64
// CHECK-NEXT:       }
// CHECK-NEXT:       %6 = arith.constant 0 : i64
// CHECK-NEXT:       %7 = phi.fold (%t < %3, %y = %6) -> i64 {
// CHECK-NEXT:         phi.yield %y : i64
// CHECK-NEXT:       }
// CHECK-NEXT:       %8 = arith.constant 0 : i64
// CHECK-NEXT:       %9 = phi.array (%s_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %s_2 = arith.index_cast %s_1 : index to i64
// CHECK-NEXT:         %m_1 = phi.get %c[%s_2] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %first = phi.get %x[%s_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %10 = arith.addi %m_1, %7 : i64
// CHECK-NEXT:         %11 = arith.constant 0 : i64
// CHECK-NEXT:         %12 = arith.cmpi slt, %11, %10 : i64
// CHECK-NEXT:         %13 = phi.tuple (%11, %first) : tuple<i64, f64>
// CHECK-NEXT:         %14 = phi.tuple (%12, %13) : tuple<i1, tuple<i64, f64>>
// CHECK-NEXT:         %15 = arith.constant 17592186044416 : i64
// CHECK-NEXT:         %16 = phi.while (%t_1 < %15, %17 = %14) -> tuple<i1, tuple<i64, f64>> {
// CHECK-NEXT:           %18 = phi.proj %17, 1 : tuple<i1, tuple<i64, f64>> -> tuple<i64, f64>
// CHECK-NEXT:           %t_2 = phi.proj %18, 0 : tuple<i64, f64> -> i64
// CHECK-NEXT:           %19 = phi.proj %17, 1 : tuple<i1, tuple<i64, f64>> -> tuple<i64, f64>
// CHECK-NEXT:           %y_1 = phi.proj %19, 1 : tuple<i64, f64> -> f64
// CHECK-NEXT:           %sin = math.sin %y_1 : f64
// CHECK-NEXT:           %next = arith.addf %sin, %first : f64
// CHECK-NEXT:           %20 = arith.constant 1 : i64
// CHECK-NEXT:           %21 = arith.addi %t_2, %20 : i64
// CHECK-NEXT:           %22 = arith.cmpi slt, %21, %10 : i64
// CHECK-NEXT:           %23 = phi.tuple (%21, %next) : tuple<i64, f64>
// CHECK-NEXT:           %24 = phi.tuple (%22, %23) : tuple<i1, tuple<i64, f64>>
// CHECK-NEXT:           phi.yield %24 : tuple<i1, tuple<i64, f64>>
// CHECK-NEXT:         }
// CHECK-NEXT:         %25 = phi.proj %16, 1 : tuple<i1, tuple<i64, f64>> -> tuple<i64, f64>
// CHECK-NEXT:         %last = phi.proj %25, 1 : tuple<i64, f64> -> f64
// CHECK-NEXT:         phi.yield %last : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %r = phi.fold (%s_3 < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:         %last_1 = phi.get %9[%s_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %sum = arith.addf %acc, %last_1 : f64
// CHECK-NEXT:         phi.yield %sum : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : f64
// CHECK-NEXT:     }

// -----

// A reduction of a row stays: others make all rows one sequence. So does a count that the sum decides.
func.func @reductions(%x: !phi.vec<f64>, %c: !phi.vec<i64>) -> i64 {
  %n = phi.size %c, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.fold (%s < %n, %acc = %zero) -> i64 {
    %m = phi.get %c[%s] : !phi.vec<i64>[i64]
    %row = phi.fold (%t < %m, %y = %zero) -> i64 {
      %e = phi.get %c[%t] : !phi.vec<i64>[i64]
      %next = arith.addi %y, %e : i64
      phi.yield %next : i64
    }
    %last = phi.fold (%t < %acc, %y = %row) -> i64 {
      %e = phi.get %c[%y] : !phi.vec<i64>[i64]
      %next = arith.muli %y, %e : i64
      phi.yield %next : i64
    }
    %sum = arith.addi %acc, %last : i64
    phi.yield %sum : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @reductions(%x: !phi.vec<f64>, %c: !phi.vec<i64>) -> i64 {
// CHECK-NEXT:       %n = phi.size %c, 0 : !phi.vec<i64>
// CHECK-NEXT:       %zero = arith.constant 0 : i64
// CHECK-NEXT:       %r = phi.fold (%s < %n, %acc = %zero) -> i64 {
// CHECK-NEXT:         %m = phi.get %c[%s] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %row = phi.fold (%t < %m, %y = %zero) -> i64 {
// CHECK-NEXT:           %e = phi.get %c[%t] : !phi.vec<i64>[i64]
// CHECK-NEXT:           %next = arith.addi %y, %e : i64
// CHECK-NEXT:           phi.yield %next : i64
// CHECK-NEXT:         }
// CHECK-NEXT:         %last = phi.fold (%t_1 < %acc, %y_1 = %row) -> i64 {
// CHECK-NEXT:           %e_1 = phi.get %c[%y_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:           %next_1 = arith.muli %y_1, %e_1 : i64
// CHECK-NEXT:           phi.yield %next_1 : i64
// CHECK-NEXT:         }
// CHECK-NEXT:         %sum = arith.addi %acc, %last : i64
// CHECK-NEXT:         phi.yield %sum : i64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : i64
// CHECK-NEXT:     }
