// RUN: ein-opt %s --split-input-file -p "raise-updates{parts=true},simplify" | filecheck %s

// All elements decay after one is raised: the raised one is computed apart.
func.func @decay(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %a: f64, %g: f64) -> !phi.vec<f64> {
  %k = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
    %s = phi.get %p[%q] : !phi.vec<i64>[i64]
    %new = phi.array (%i < %n) -> !phi.vec<f64> {
      %0 = arith.index_cast %i : index to i64
      %c = arith.cmpi eq, %0, %s : i64
      %old = phi.get %v[%i] : !phi.vec<f64>[index]
      %e = arith.addf %old, %a : f64
      %y = arith.select %c, %e, %old : f64
      %z = arith.mulf %y, %g : f64
      phi.yield %z : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @decay(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %a: f64, %g: f64) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %s = phi.get %p[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %new = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %old = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %z = arith.mulf %old, %g : f64
// CHECK-NEXT:         phi.yield %z : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %old_1 = phi.get %v[%s] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %e = arith.addf %old_1, %a : f64
// CHECK-NEXT:       %z_1 = arith.mulf %e, %g : f64
// CHECK-NEXT:       %new_1 = phi.update %new[%s], %z_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %new_1 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Rows are exchanged by a choice of positions: two rows are replaced.
func.func @exchange(%x: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> !phi.vec<!phi.vec<f64>> {
  %k = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.get %p[%q] : !phi.vec<i64>[i64]
    %new = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %0 = arith.index_cast %i : index to i64
      %c = arith.cmpi eq, %0, %q : i64
      %d = arith.cmpi ne, %0, %s : i64
      %t = arith.select %d, %0, %q : i64
      %u = arith.select %c, %s, %t : i64
      %e = phi.get %v[%u, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      phi.yield %e : f64
    }
    phi.yield %new : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @exchange(%x: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %k = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:     %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %s = phi.get %p[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %0 = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %e = phi.get %v[%q, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         phi.yield %e : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %1 = phi.update %v[%s], %0 : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %2 = phi.array (%j_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %e_1 = phi.get %v[%s, %j_1] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         phi.yield %e_1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %new = phi.update %1[%q], %2 : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       phi.yield %new : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// An optional term of a sum that is no element of the accumulator.
func.func @trace(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %g: f64) -> !phi.vec<f64> {
  %k = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.000000e+00 : f64
  %one = arith.constant 1.000000e+00 : f64
  %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
    %s = phi.get %p[%q] : !phi.vec<i64>[i64]
    %new = phi.array (%i < %n) -> !phi.vec<f64> {
      %0 = arith.index_cast %i : index to i64
      %c = arith.cmpi eq, %0, %s : i64
      %old = phi.get %v[%i] : !phi.vec<f64>[index]
      %e = arith.mulf %old, %g : f64
      %y = arith.select %c, %one, %zero : f64
      %z = arith.addf %e, %y : f64
      phi.yield %z : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @trace(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %g: f64) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:     %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %s = phi.get %p[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %new = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %old = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %e = arith.mulf %old, %g : f64
// CHECK-NEXT:         phi.yield %e : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %old_1 = phi.get %v[%s] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %e_1 = arith.mulf %old_1, %g : f64
// CHECK-NEXT:       %0 = arith.addf %e_1, %one : f64
// CHECK-NEXT:       %new_1 = phi.update %new[%s], %0 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %new_1 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// The axis is cut at bounds: the position is left to that.
func.func @bounded(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %g: f64) -> !phi.vec<f64> {
  %k = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
    %new = phi.array (%i < %n) -> !phi.vec<f64> {
      %0 = arith.index_cast %i : index to i64
      %c = arith.cmpi eq, %0, %q : i64
      %d = arith.cmpi sgt, %0, %q : i64
      %old = phi.get %v[%i] : !phi.vec<f64>[index]
      %e = arith.mulf %old, %g : f64
      %y = arith.select %c, %g, %e : f64
      %z = arith.addf %y, %y : f64
      %w = arith.select %d, %z, %y : f64
      phi.yield %w : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @bounded(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %g: f64) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %new = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:         %c = arith.cmpi eq, %0, %q : i64
// CHECK-NEXT:         %d = arith.cmpi sgt, %0, %q : i64
// CHECK-NEXT:         %old = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %e = arith.mulf %old, %g : f64
// CHECK-NEXT:         %y = arith.select %c, %g, %e : f64
// CHECK-NEXT:         %z = arith.addf %y, %y : f64
// CHECK-NEXT:         %w = arith.select %d, %z, %y : f64
// CHECK-NEXT:         phi.yield %w : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// The choice is within a loop of the element, which would run for both.
func.func @in_loop(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %g: f64) -> !phi.vec<f64> {
  %k = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
    %s = phi.get %p[%q] : !phi.vec<i64>[i64]
    %new = phi.array (%i < %n) -> !phi.vec<f64> {
      %0 = arith.index_cast %i : index to i64
      %c = arith.cmpi eq, %0, %s : i64
      %old = phi.get %v[%i] : !phi.vec<f64>[index]
      %y = arith.select %c, %g, %old : f64
      %z = phi.fold (%j < %n, %t = %g) -> f64 {
        %f = arith.mulf %t, %y : f64
        phi.yield %f : f64
      }
      phi.yield %z : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @in_loop(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %g: f64) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%q < %k, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %s = phi.get %p[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %new = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:         %c = arith.cmpi eq, %0, %s : i64
// CHECK-NEXT:         %old = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %y = arith.select %c, %g, %old : f64
// CHECK-NEXT:         %z = phi.fold (%j < %n, %t = %g) -> f64 {
// CHECK-NEXT:           %f = arith.mulf %t, %y : f64
// CHECK-NEXT:           phi.yield %f : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %z : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }
