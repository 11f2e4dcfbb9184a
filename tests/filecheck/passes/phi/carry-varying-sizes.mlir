// RUN: ein-opt %s -p carry-varying-sizes | filecheck %s

// An accumulator that loses an element in each step.

func.func @shrinking(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<f64> {
    %m = phi.size %v, 0 : !phi.vec<f64>
    %less = arith.subi %m, %one : i64
    %next = phi.array (%i < %less) -> !phi.vec<f64> {
      %e = phi.get %v[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @shrinking(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %0 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.tuple (%0, %0) : tuple<i64, i64>
// CHECK-NEXT:      %2 = phi.fold (%k < %n, %v = %1) -> tuple<i64, i64> {
// CHECK-NEXT:        %3 = phi.proj %v, 0 : tuple<i64, i64> -> i64
// CHECK-NEXT:        %4 = phi.proj %v, 1 : tuple<i64, i64> -> i64
// CHECK-NEXT:        %less = arith.subi %4, %one : i64
// CHECK-NEXT:        %5 = arith.maxsi %3, %less : i64
// CHECK-NEXT:        %6 = phi.tuple (%5, %less) : tuple<i64, i64>
// CHECK-NEXT:        phi.yield %6 : tuple<i64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %7 = phi.proj %2, 0 : tuple<i64, i64> -> i64
// CHECK-NEXT:      %8 = phi.proj %2, 1 : tuple<i64, i64> -> i64
// CHECK-NEXT:      %9 = arith.constant 0 : i64
// CHECK-NEXT:      %10 = arith.maxsi %7, %9 : i64
// CHECK-NEXT:      %11 = phi.array (%12 < %10) -> !phi.vec<i64> {
// CHECK-NEXT:        phi.yield %10 : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %13 = phi.size %11, 0 : !phi.vec<i64>
// CHECK-NEXT:      %14 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %15 = phi.array (%16 < %13) -> !phi.vec<f64> {
// CHECK-NEXT:        %17 = phi.get %x[%16] : !phi.vec<f64>[index]
// CHECK-NEXT:        %18 = arith.index_cast %16 : index to i64
// CHECK-NEXT:        %19 = arith.cmpi slt, %18, %0 : i64
// CHECK-NEXT:        %20 = arith.select %19, %17, %14 : f64
// CHECK-NEXT:        phi.yield %20 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %21 = phi.tuple (%15, %0) : tuple<!phi.vec<f64>, i64>
// CHECK-NEXT:      %22 = phi.fold (%k_1 < %n, %v_1 = %21) -> tuple<!phi.vec<f64>, i64> {
// CHECK-NEXT:        %23 = phi.proj %v_1, 0 : tuple<!phi.vec<f64>, i64> -> !phi.vec<f64>
// CHECK-NEXT:        %24 = phi.proj %v_1, 1 : tuple<!phi.vec<f64>, i64> -> i64
// CHECK-NEXT:        %25 = arith.minsi %24, %13 : i64
// CHECK-NEXT:        %26 = arith.constant 0 : i64
// CHECK-NEXT:        %m = arith.maxsi %25, %26 : i64
// CHECK-NEXT:        %v_2 = phi.array (%27 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %28 = phi.get %23[%27] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %28 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %less_1 = arith.subi %m, %one : i64
// CHECK-NEXT:        %next = phi.array (%i < %less_1) -> !phi.vec<f64> {
// CHECK-NEXT:          %e = phi.get %v_2[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %e : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %29 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %30 = phi.array (%31 < %13) -> !phi.vec<f64> {
// CHECK-NEXT:          %32 = phi.get %next[%31] : !phi.vec<f64>[index]
// CHECK-NEXT:          %33 = arith.index_cast %31 : index to i64
// CHECK-NEXT:          %34 = arith.cmpi slt, %33, %less_1 : i64
// CHECK-NEXT:          %35 = arith.select %34, %32, %29 : f64
// CHECK-NEXT:          phi.yield %35 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %36 = phi.tuple (%30, %less_1) : tuple<!phi.vec<f64>, i64>
// CHECK-NEXT:        phi.yield %36 : tuple<!phi.vec<f64>, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %37 = phi.proj %22, 0 : tuple<!phi.vec<f64>, i64> -> !phi.vec<f64>
// CHECK-NEXT:      %38 = arith.minsi %8, %13 : i64
// CHECK-NEXT:      %39 = arith.constant 0 : i64
// CHECK-NEXT:      %40 = arith.maxsi %38, %39 : i64
// CHECK-NEXT:      %r = phi.array (%41 < %40) -> !phi.vec<f64> {
// CHECK-NEXT:        %42 = phi.get %37[%41] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %42 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : !phi.vec<f64>
// CHECK-NEXT:    }

// A size that depends on an element stays, and so does an accumulator that keeps its size.

func.func @kept(%x: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<i64> {
    %first = phi.get %v[%zero] : !phi.vec<i64>[i64]
    %next = phi.array (%i < %first) -> !phi.vec<i64> {
      %e = phi.get %v[%i] : !phi.vec<i64>[index]
      phi.yield %e : i64
    }
    phi.yield %next : !phi.vec<i64>
  }
  %s = phi.fold (%k < %n, %v = %x) -> !phi.vec<i64> {
    %m = phi.size %v, 0 : !phi.vec<i64>
    %next = phi.array (%i < %m) -> !phi.vec<i64> {
      %e = phi.get %v[%i] : !phi.vec<i64>[index]
      phi.yield %e : i64
    }
    phi.yield %next : !phi.vec<i64>
  }
  %t = phi.concat %r, %s : !phi.vec<i64>
  func.return %t : !phi.vec<i64>
}
// CHECK-LABEL: func.func @kept(%x: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<i64> {
// CHECK-NEXT:        %first = phi.get %v[%zero] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %next = phi.array (%i < %first) -> !phi.vec<i64> {
// CHECK-NEXT:          %e = phi.get %v[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:          phi.yield %e : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %next : !phi.vec<i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = phi.fold (%k_1 < %n, %v_1 = %x) -> !phi.vec<i64> {
// CHECK-NEXT:        %m = phi.size %v_1, 0 : !phi.vec<i64>
// CHECK-NEXT:        %next_1 = phi.array (%i_1 < %m) -> !phi.vec<i64> {
// CHECK-NEXT:          %e_1 = phi.get %v_1[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:          phi.yield %e_1 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %next_1 : !phi.vec<i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.concat %r, %s : !phi.vec<i64>
// CHECK-NEXT:      func.return %t : !phi.vec<i64>
// CHECK-NEXT:    }

// Sizes that are the same after each step stay, also if an assertion compares them.

func.func @settles(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %m = phi.size %y, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<f64> {
    %own = phi.size %v, 0 : !phi.vec<f64>
    %same = phi.assert_eq %own, %m, "sizes of v and y"
    %next = phi.array (%i < %same) -> !phi.vec<f64> {
      %a = phi.get %v[%i] : !phi.vec<f64>[index]
      %b = phi.get %y[%i] : !phi.vec<f64>[index]
      %c = arith.addf %a, %b : f64
      phi.yield %c : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  %s = phi.fold (%k < %n, %v = %r) -> !phi.vec<f64> {
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %a = phi.get %v[%i] : !phi.vec<f64>[index]
      phi.yield %a : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK-LABEL: func.func @settles(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %m = phi.size %y, 0 : !phi.vec<f64>
// CHECK-NEXT:      %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:        %own = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:        %same = phi.assert_eq %own, %m, "sizes of v and y"
// CHECK-NEXT:        %next = phi.array (%i < %same) -> !phi.vec<f64> {
// CHECK-NEXT:          %a = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %b = phi.get %y[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %c = arith.addf %a, %b : f64
// CHECK-NEXT:          phi.yield %c : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = phi.fold (%k_1 < %n, %v_1 = %r) -> !phi.vec<f64> {
// CHECK-NEXT:        %next_1 = phi.array (%i_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %a_1 = phi.get %v_1[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %a_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %next_1 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s : !phi.vec<f64>
// CHECK-NEXT:    }

// Sizes of the arrays of a loop in the step stay.

func.func @nested(%p: !phi.vec<f64>, %q: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %m = phi.size %p, 0 : !phi.vec<f64>
  %pair = phi.tuple (%p, %q) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %outer = %pair) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %s = phi.fold (%l < %two, %inner = %outer) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
      %a = phi.proj %inner, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
      %b = phi.proj %inner, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
      %next = phi.array (%i < %m) -> !phi.vec<f64> {
        %e = phi.get %b[%i] : !phi.vec<f64>[index]
        phi.yield %e : f64
      }
      %new = phi.tuple (%next, %a) : tuple<!phi.vec<f64>, !phi.vec<f64>>
      phi.yield %new : tuple<!phi.vec<f64>, !phi.vec<f64>>
    }
    phi.yield %s : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  %t = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %t : !phi.vec<f64>
}

// CHECK-LABEL: func.func @nested
// CHECK:           %r = phi.fold (%k < %n, %outer = %pair) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %s = phi.fold (%l < %two, %inner = %outer)
