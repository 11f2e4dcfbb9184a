// RUN: ein-opt %s --split-input-file -p store-terms | filecheck %s
// RUN: ein-opt %s --split-input-file -p store-terms{sequences=true} | filecheck %s --check-prefix=TOGETHER

// A sum over paths, each of which is a loop: the values of all paths are an array.
func.func @paths(%z: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %r = phi.fold (%p < %n, %acc = %zero) -> f64 {
    %s = phi.fold (%t < %m, %x = %one) -> f64 {
      %u = phi.get %z[%t, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %v = arith.mulf %x, %u : f64
      phi.yield %v : f64
    }
    %y = math.sqrt %s : f64
    %next = arith.addf %acc, %y : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK:        func.func @paths(%z: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64) -> f64 {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:     %0 = arith.constant 0 : i64
// CHECK-NEXT:     %1 = arith.maxsi %n, %0 : i64
// CHECK-NEXT:     %2 = arith.cmpi sgt, %1, %0 : i64
// CHECK-NEXT:     %3 = arith.select %2, %m, %0 : i64
// CHECK-NEXT:     %4 = phi.array (%p < %1) -> !phi.vec<f64> {
// CHECK-NEXT:       %p_1 = arith.index_cast %p : index to i64
// CHECK-NEXT:       %s = phi.fold (%t < %3, %x = %one) -> f64 {
// CHECK-NEXT:         %u = phi.get %z[%t, %p_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %v = arith.mulf %x, %u : f64
// CHECK-NEXT:         phi.yield %v : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %y = math.sqrt %s : f64
// CHECK-NEXT:       phi.yield %y : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.fold (%p_2 < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:       %y_1 = phi.get %4[%p_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %next = arith.addf %acc, %y_1 : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : f64
// CHECK-NEXT:   }

// -----

// The elements of a comprehension are independent already.
func.func @rows(%z: !phi.vec<!phi.vec<f64>>, %k: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %k, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %r = phi.fold (%p < %n, %acc = %zero) -> f64 {
      %s = phi.fold (%t < %m, %x = %zero) -> f64 {
        %u = phi.get %z[%t, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %v = arith.maximumf %x, %u : f64
        phi.yield %v : f64
      }
      %next = arith.addf %acc, %s : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  func.return %a : !phi.vec<f64>
}

// CHECK:        func.func @rows(%z: !phi.vec<!phi.vec<f64>>, %k: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %k, 0 : !phi.vec<f64>
// CHECK-NEXT:     %a = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %r = phi.fold (%p < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:         %s = phi.fold (%t < %m, %x = %zero) -> f64 {
// CHECK-NEXT:           %u = phi.get %z[%t, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:           %v = arith.maximumf %x, %u : f64
// CHECK-NEXT:           phi.yield %v : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %next = arith.addf %acc, %s : f64
// CHECK-NEXT:         phi.yield %next : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %r : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %a : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// An inner loop that starts from the accumulator is no term, and neither is one that does not vary
// with the step, nor a number without a loop.
func.func @none(%z: !phi.vec<f64>, %m: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %z, 0 : !phi.vec<f64>
  %r = phi.fold (%p < %n, %acc = %zero) -> f64 {
    %s = phi.fold (%t < %m, %x = %acc) -> f64 {
      %u = phi.get %z[%t] : !phi.vec<f64>[i64]
      %v = arith.addf %x, %u : f64
      phi.yield %v : f64
    }
    %s2 = phi.fold (%t < %m, %x = %zero) -> f64 {
      %u = phi.get %z[%t] : !phi.vec<f64>[i64]
      %v = arith.maximumf %x, %u : f64
      phi.yield %v : f64
    }
    %e = phi.get %z[%p] : !phi.vec<f64>[i64]
    %l = math.log %e : f64
    %0 = arith.addf %s, %l : f64
    %next = arith.addf %0, %s2 : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK:        func.func @none(%z: !phi.vec<f64>, %m: i64) -> f64 {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %z, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%p < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:       %s = phi.fold (%t < %m, %x = %acc) -> f64 {
// CHECK-NEXT:         %u = phi.get %z[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %v = arith.addf %x, %u : f64
// CHECK-NEXT:         phi.yield %v : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %s2 = phi.fold (%t_1 < %m, %x_1 = %zero) -> f64 {
// CHECK-NEXT:         %u_1 = phi.get %z[%t_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %v_1 = arith.maximumf %x_1, %u_1 : f64
// CHECK-NEXT:         phi.yield %v_1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %e = phi.get %z[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %l = math.log %e : f64
// CHECK-NEXT:       %0 = arith.addf %s, %l : f64
// CHECK-NEXT:       %next = arith.addf %0, %s2 : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : f64
// CHECK-NEXT:   }

// -----

// A record of accumulators, two terms, one of which is needed by the other: two arrays.
func.func @record(%z: !phi.vec<f64>) -> tuple<f64, f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %z, 0 : !phi.vec<f64>
  %init = phi.tuple (%zero, %zero) : tuple<f64, f64>
  %r = phi.fold (%p < %n, %acc = %init) -> tuple<f64, f64> {
    %a = phi.proj %acc, 0 : tuple<f64, f64> -> f64
    %b = phi.proj %acc, 1 : tuple<f64, f64> -> f64
    %s = phi.fold (%t < %n, %x = %zero) -> f64 {
      %q = arith.addi %t, %p : i64
      %u = phi.get %z[%q] : !phi.vec<f64>[i64]
      %v = arith.maximumf %x, %u : f64
      phi.yield %v : f64
    }
    %l = math.log %s : f64
    %c = arith.addf %a, %s : f64
    %d = arith.mulf %b, %l : f64
    %next = phi.tuple (%c, %d) : tuple<f64, f64>
    phi.yield %next : tuple<f64, f64>
  }
  func.return %r : tuple<f64, f64>
}

// CHECK:        func.func @record(%z: !phi.vec<f64>) -> tuple<f64, f64> {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %z, 0 : !phi.vec<f64>
// CHECK-NEXT:     %init = phi.tuple (%zero, %zero) : tuple<f64, f64>
// CHECK-NEXT:     %0 = arith.constant 0 : i64
// CHECK-NEXT:     %1 = phi.array (%p < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %p_1 = arith.index_cast %p : index to i64
// CHECK-NEXT:       %s = phi.fold (%t < %n, %x = %zero) -> f64 {
// CHECK-NEXT:         %q = arith.addi %t, %p_1 : i64
// CHECK-NEXT:         %u = phi.get %z[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %v = arith.maximumf %x, %u : f64
// CHECK-NEXT:         phi.yield %v : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = arith.constant 0 : i64
// CHECK-NEXT:     %3 = phi.array (%p_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %p_3 = arith.index_cast %p_2 : index to i64
// CHECK-NEXT:       %s_1 = phi.get %1[%p_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %l = math.log %s_1 : f64
// CHECK-NEXT:       phi.yield %l : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.fold (%p_4 < %n, %acc = %init) -> tuple<f64, f64> {
// CHECK-NEXT:       %s_2 = phi.get %1[%p_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %l_1 = phi.get %3[%p_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %a = phi.proj %acc, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %b = phi.proj %acc, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %c = arith.addf %a, %s_2 : f64
// CHECK-NEXT:       %d = arith.mulf %b, %l_1 : f64
// CHECK-NEXT:       %next = phi.tuple (%c, %d) : tuple<f64, f64>
// CHECK-NEXT:       phi.yield %next : tuple<f64, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : tuple<f64, f64>
// CHECK-NEXT:   }

// -----

// A count that varies with the step: those of a comprehension may not.
func.func @triangle(%z: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %z, 0 : !phi.vec<f64>
  %r = phi.fold (%p < %n, %acc = %zero) -> f64 {
    %s = phi.fold (%t < %p, %x = %zero) -> f64 {
      %u = phi.get %z[%t] : !phi.vec<f64>[i64]
      %v = arith.maximumf %x, %u : f64
      phi.yield %v : f64
    }
    %next = arith.addf %acc, %s : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK:        func.func @triangle(%z: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %z, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%p < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:       %s = phi.fold (%t < %p, %x = %zero) -> f64 {
// CHECK-NEXT:         %u = phi.get %z[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %v = arith.maximumf %x, %u : f64
// CHECK-NEXT:         phi.yield %v : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %next = arith.addf %acc, %s : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : f64
// CHECK-NEXT:   }

// -----

// Loops that carry vectors take their steps together if an array has a row for each; the elements of
// a sum in a step do not count.
func.func @rows(%z: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<f64>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : i64
  %b = phi.size %z, 0 : !phi.vec<!phi.vec<f64>>
  %k = phi.size %z, 1 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.fold (%p < %b, %acc = %zero) -> f64 {
    %init = phi.get %z[%p] : !phi.vec<!phi.vec<f64>>[i64]
    %s = phi.fold (%t < %n, %x = %init) -> !phi.vec<f64> {
      %y = phi.array (%i < %k) -> !phi.vec<f64> {
        %0 = phi.get %z[%p, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
        %1 = phi.fold (%j < %m, %sum = %0) -> f64 {
          %2 = phi.get %w[%j] : !phi.vec<f64>[i64]
          %3 = phi.get %x[%i] : !phi.vec<f64>[index]
          %4 = arith.divf %2, %3 : f64
          %5 = math.exp %4 : f64
          %6 = arith.addf %sum, %5 : f64
          phi.yield %6 : f64
        }
        phi.yield %1 : f64
      }
      phi.yield %y : !phi.vec<f64>
    }
    %last = phi.get %s[%first] : !phi.vec<f64>[i64]
    %next = arith.addf %acc, %last : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// TOGETHER-LABEL: func.func @rows
// TOGETHER:         %[[LAST:.*]] = phi.array (%p < %b) -> !phi.vec<f64> {
// TOGETHER:           phi.fold (%t < %{{.*}}, %x = %{{.*}}) -> !phi.vec<f64> {
// TOGETHER:         %r = phi.fold (%{{.*}} < %b, %acc = %zero) -> f64 {
// TOGETHER-NEXT:      phi.get %[[LAST]]
