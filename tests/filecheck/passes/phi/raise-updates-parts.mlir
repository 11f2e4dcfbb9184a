// RUN: ein-opt %s --split-input-file -p "raise-updates{parts=true},simplify" | filecheck %s

// Frames are added at any distance: the elements outside of a frame stay in place.
func.func @added(%x: !phi.vec<f64>, %f: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %k = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.000000e+00 : f64
  %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
    %from = phi.get %p[%q] : !phi.vec<i64>[i64]
    %row = phi.get %f[%q] : !phi.vec<!phi.vec<f64>>[i64]
    %w = phi.size %row, 0 : !phi.vec<f64>
    %new = phi.array (%t < %n) -> !phi.vec<f64> {
      %i = arith.index_cast %t : index to i64
      %d = arith.subi %i, %from : i64
      %a = arith.cmpi sgt, %i, %from : i64
      %b = arith.cmpi slt, %i, %w : i64
      %c = arith.andi %a, %b : i1
      %old = phi.get %v[%t] : !phi.vec<f64>[index]
      %e = phi.get %row[%d] : !phi.vec<f64>[i64]
      %y = arith.select %c, %e, %zero : f64
      %s = arith.addf %old, %y : f64
      phi.yield %s : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @added(%x: !phi.vec<f64>, %f: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %from = phi.get %p[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %w = phi.size %f, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %0 = arith.constant 0 : i64
// CHECK-NEXT:       %1 = arith.minsi %from, %n : i64
// CHECK-NEXT:       %2 = arith.constant 1 : i64
// CHECK-NEXT:       %3 = arith.addi %1, %2 : i64
// CHECK-NEXT:       %4 = arith.maxsi %0, %3 : i64
// CHECK-NEXT:       %5 = arith.minsi %4, %n : i64
// CHECK-NEXT:       %6 = arith.minsi %n, %w : i64
// CHECK-NEXT:       %7 = arith.maxsi %6, %5 : i64
// CHECK-NEXT:       %8 = arith.subi %7, %5 : i64
// CHECK-NEXT:       %9 = arith.constant 1 : i64
// CHECK-NEXT:       %10 = arith.maxsi %8, %0 : i64
// CHECK-NEXT:       %11 = phi.array (%t < %10) -> !phi.vec<f64> {
// CHECK-NEXT:         %12 = arith.index_cast %t : index to i64
// CHECK-NEXT:         %t_1 = arith.addi %5, %12 : i64
// CHECK-NEXT:         %d = arith.subi %t_1, %from : i64
// CHECK-NEXT:         %old = phi.get %v[%t_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %e = phi.get %f[%q, %d] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %13 = arith.addf %old, %e : f64
// CHECK-NEXT:         phi.yield %13 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %new = phi.update_slice %v[%5 by %9], %11 : !phi.vec<f64>
// CHECK-NEXT:       phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// A condition that varies with no index: the step is taken, or not.
func.func @gated(%x: !phi.vec<f64>, %p: !phi.vec<i1>) -> !phi.vec<f64> {
  %k = phi.size %p, 0 : !phi.vec<i1>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
    %c = phi.get %p[%q] : !phi.vec<i1>[i64]
    %new = phi.array (%t < %n) -> !phi.vec<f64> {
      %old = phi.get %v[%t] : !phi.vec<f64>[index]
      %e = math.exp %old : f64
      %y = arith.select %c, %e, %old : f64
      phi.yield %y : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @gated(%x: !phi.vec<f64>, %p: !phi.vec<i1>) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = phi.size %p, 0 : !phi.vec<i1>
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %c = phi.get %p[%q] : !phi.vec<i1>[i64]
// CHECK-NEXT:       %0 = arith.constant 1 : i64
// CHECK-NEXT:       %1 = arith.constant 0 : i64
// CHECK-NEXT:       %2 = arith.select %c, %0, %1 : i64
// CHECK-NEXT:       %new = phi.fold (%3 < %2, %v_1 = %v) -> !phi.vec<f64> {
// CHECK-NEXT:         %4 = phi.array (%t < %n) -> !phi.vec<f64> {
// CHECK-NEXT:           %old = phi.get %v_1[%t] : !phi.vec<f64>[index]
// CHECK-NEXT:           %e = math.exp %old : f64
// CHECK-NEXT:           phi.yield %e : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %4 : !phi.vec<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Bounds in order are left to split-index-ranges; so are elements that depend on old neighbours, and
// so is an array that no loop carries.
func.func @left(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %l: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %k = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %r = phi.fold (%q < %n, %v = %x) -> !phi.vec<f64> {
    %u = phi.array (%t < %n) -> !phi.vec<f64> {
      %i = arith.index_cast %t : index to i64
      %c = arith.cmpi slt, %i, %q : i64
      %old = phi.get %v[%t] : !phi.vec<f64>[index]
      %e = math.exp %old : f64
      %y = arith.select %c, %e, %old : f64
      phi.yield %y : f64
    }
    phi.yield %u : !phi.vec<f64>
  }
  %s = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
    %m = phi.get %p[%q] : !phi.vec<i64>[i64]
    %u = phi.array (%t < %n) -> !phi.vec<f64> {
      %i = arith.index_cast %t : index to i64
      %c = arith.cmpi slt, %i, %m : i64
      %old = phi.get %v[%t] : !phi.vec<f64>[index]
      %b = arith.subi %i, %one : i64
      %e = phi.get %v[%b] : !phi.vec<f64>[i64]
      %y = arith.select %c, %e, %old : f64
      phi.yield %y : f64
    }
    phi.yield %u : !phi.vec<f64>
  }
  %z = phi.array (%t < %n) -> !phi.vec<f64> {
    %i = arith.index_cast %t : index to i64
    %c = arith.cmpi slt, %i, %l : i64
    %old = phi.get %s[%t] : !phi.vec<f64>[index]
    %e = math.exp %old : f64
    %y = arith.select %c, %e, %old : f64
    phi.yield %y : f64
  }
  func.return %r, %z : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:        func.func @left(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %l: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:     %k = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %r = phi.fold (%q < %n, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %u = phi.array (%t < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %i = arith.index_cast %t : index to i64
// CHECK-NEXT:         %c = arith.cmpi slt, %i, %q : i64
// CHECK-NEXT:         %old = phi.get %v[%t] : !phi.vec<f64>[index]
// CHECK-NEXT:         %e = math.exp %old : f64
// CHECK-NEXT:         %y = arith.select %c, %e, %old : f64
// CHECK-NEXT:         phi.yield %y : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %u : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.fold (%q_1 < %k, %v_1 = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %m = phi.get %p[%q_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %u_1 = phi.array (%t_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %i_1 = arith.index_cast %t_1 : index to i64
// CHECK-NEXT:         %c_1 = arith.cmpi slt, %i_1, %m : i64
// CHECK-NEXT:         %old_1 = phi.get %v_1[%t_1] : !phi.vec<f64>[index]
// CHECK-NEXT:         %b = arith.subi %i_1, %one : i64
// CHECK-NEXT:         %e_1 = phi.get %v_1[%b] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %y_1 = arith.select %c_1, %e_1, %old_1 : f64
// CHECK-NEXT:         phi.yield %y_1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %u_1 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %z = phi.array (%t_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %i_2 = arith.index_cast %t_2 : index to i64
// CHECK-NEXT:       %c_2 = arith.cmpi slt, %i_2, %l : i64
// CHECK-NEXT:       %old_2 = phi.get %s[%t_2] : !phi.vec<f64>[index]
// CHECK-NEXT:       %e_2 = math.exp %old_2 : f64
// CHECK-NEXT:       %y_2 = arith.select %c_2, %e_2, %old_2 : f64
// CHECK-NEXT:       phi.yield %y_2 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r, %z : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// A bound that is a sum with any Int, which may wrap: the step is one for ordinary Ints, which writes
// a slice, or one for others.
func.func @shifted(%x: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %k = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
    %s = phi.get %p[%q] : !phi.vec<i64>[i64]
    %u = phi.array (%t < %n) -> !phi.vec<f64> {
      %i = arith.index_cast %t : index to i64
      %b = arith.addi %i, %s : i64
      %c = arith.cmpi slt, %b, %n : i64
      %old = phi.get %v[%t] : !phi.vec<f64>[index]
      %e = phi.get %x[%b] : !phi.vec<f64>[i64]
      %y = arith.select %c, %e, %old : f64
      phi.yield %y : f64
    }
    phi.yield %u : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @shifted(%x: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %s = phi.get %p[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %0 = arith.constant -288230376151711744 : i64
// CHECK-NEXT:       %1 = arith.cmpi sge, %s, %0 : i64
// CHECK-NEXT:       %2 = arith.constant 288230376151711744 : i64
// CHECK-NEXT:       %3 = arith.cmpi sle, %s, %2 : i64
// CHECK-NEXT:       %4 = arith.andi %1, %3 : i1
// CHECK-NEXT:       %5 = arith.constant 1 : i64
// CHECK-NEXT:       %6 = arith.constant 0 : i64
// CHECK-NEXT:       %7 = arith.constant -288230376151711744 : i64
// CHECK-NEXT:       %8 = arith.maxsi %s, %7 : i64
// CHECK-NEXT:       %9 = arith.constant 288230376151711744 : i64
// CHECK-NEXT:       %10 = arith.minsi %8, %9 : i64
// CHECK-NEXT:       %11 = arith.select %4, %5, %6 : i64
// CHECK-NEXT:       %12 = phi.fold (%13 < %11, %v_1 = %v) -> !phi.vec<f64> {
// CHECK-NEXT:         %14 = arith.constant 0 : i64
// CHECK-NEXT:         %15 = arith.subi %n, %10 : i64
// CHECK-NEXT:         %16 = arith.minsi %n, %15 : i64
// CHECK-NEXT:         %17 = arith.maxsi %16, %14 : i64
// CHECK-NEXT:         %18 = arith.constant 1 : i64
// CHECK-NEXT:         %19 = arith.maxsi %17, %14 : i64
// CHECK-NEXT:         %20 = phi.array (%t < %19) -> !phi.vec<f64> {
// CHECK-NEXT:           %t_1 = arith.index_cast %t : index to i64
// CHECK-NEXT:           %b = arith.addi %t_1, %10 : i64
// CHECK-NEXT:           %e = phi.get %x[%b] : !phi.vec<f64>[i64]
// CHECK-NEXT:           phi.yield %e : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %u = phi.update_slice %v_1[%14 by %18], %20 : !phi.vec<f64>
// CHECK-NEXT:         phi.yield %u : !phi.vec<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %21 = arith.select %4, %6, %5 : i64
// CHECK-NEXT:       %u_1 = phi.fold (%22 < %21, %v_2 = %12) -> !phi.vec<f64> {
// CHECK-NEXT:         %u_2 = phi.array (%t_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:           %i = arith.index_cast %t_2 : index to i64
// CHECK-NEXT:           %b_1 = arith.addi %i, %s : i64
// CHECK-NEXT:           %c = arith.cmpi slt, %b_1, %n : i64
// CHECK-NEXT:           %old = phi.get %v_2[%t_2] : !phi.vec<f64>[index]
// CHECK-NEXT:           %e_1 = phi.get %x[%b_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:           %y = arith.select %c, %e_1, %old : f64
// CHECK-NEXT:           phi.yield %y : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %u_2 : !phi.vec<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %u_1 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }
