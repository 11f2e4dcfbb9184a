// RUN: ein-opt %s --split-input-file -p store-terms{functions=true},simplify | filecheck %s

// Values that call functions, a scalar and a vector, are computed for all steps at once.
func.func @driven(%u: !phi.vec<f64>, %k: !phi.vec<!phi.vec<f64>>, %init: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %m = phi.size %k, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%t < %n, %s = %init) -> !phi.vec<f64> {
    %x = phi.get %u[%t] : !phi.vec<f64>[i64]
    %l = math.log %x : f64
    %row = phi.array (%i < %m) -> !phi.vec<f64> {
      %y = phi.get %k[%t, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
      %e = math.exp %y : f64
      phi.yield %e : f64
    }
    %next = phi.array (%i_1 < %m) -> !phi.vec<f64> {
      %a = phi.get %s[%i_1] : !phi.vec<f64>[index]
      %b = phi.get %row[%i_1] : !phi.vec<f64>[index]
      %c = arith.mulf %a, %l : f64
      %d = arith.addf %c, %b : f64
      phi.yield %d : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @driven(%u: !phi.vec<f64>, %k: !phi.vec<!phi.vec<f64>>, %init: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:     %m = phi.size %k, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %0 = phi.array (%t < %n, %i < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %t_1 = arith.index_cast %t : index to i64
// CHECK-NEXT:       %y = phi.get %k[%t_1, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:       %e = math.exp %y : f64
// CHECK-NEXT:       phi.yield %e : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.array (%t_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %t_3 = arith.index_cast %t_2 : index to i64
// CHECK-NEXT:       %x = phi.get %u[%t_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %l = math.log %x : f64
// CHECK-NEXT:       phi.yield %l : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.fold (%t_4 < %n, %s = %init) -> !phi.vec<f64> {
// CHECK-NEXT:       %l_1 = phi.get %1[%t_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %next = phi.array (%i_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %a = phi.get %s[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:         %b = phi.get %0[%t_4, %i_1] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         %c = arith.mulf %a, %l_1 : f64
// CHECK-NEXT:         %d = arith.addf %c, %b : f64
// CHECK-NEXT:         phi.yield %d : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// A matrix in each step would be larger than what it is computed from.
func.func @large(%u: !phi.vec<f64>, %x: !phi.vec<f64>, %init: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %m = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %n, %s = %init) -> !phi.vec<f64> {
    %p = phi.get %u[%t] : !phi.vec<f64>[i64]
    %row = phi.array (%i < %m) -> !phi.vec<f64> {
      %y = phi.get %x[%i] : !phi.vec<f64>[index]
      %z = arith.mulf %y, %p : f64
      %e = math.exp %z : f64
      phi.yield %e : f64
    }
    %next = phi.array (%i_1 < %m) -> !phi.vec<f64> {
      %a = phi.get %s[%i_1] : !phi.vec<f64>[index]
      %b = phi.get %row[%i_1] : !phi.vec<f64>[index]
      %d = arith.addf %a, %b : f64
      phi.yield %d : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @large(%u: !phi.vec<f64>, %x: !phi.vec<f64>, %init: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:     %m = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%t < %n, %s = %init) -> !phi.vec<f64> {
// CHECK-NEXT:       %p = phi.get %u[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %row = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %y = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %z = arith.mulf %y, %p : f64
// CHECK-NEXT:         %e = math.exp %z : f64
// CHECK-NEXT:         phi.yield %e : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %next = phi.array (%i_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %a = phi.get %s[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:         %b = phi.get %row[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:         %d = arith.addf %a, %b : f64
// CHECK-NEXT:         phi.yield %d : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// In a loop of numbers, all terms are computed before it if they take as long as a function.
func.func @numbers(%u: !phi.vec<f64>, %init: f64) -> f64 {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %c = arith.constant 3.0 : f64
  %r = phi.fold (%t < %n, %s = %init) -> f64 {
    %x = phi.get %u[%t] : !phi.vec<f64>[i64]
    %a = arith.addf %x, %c : f64
    %p = arith.divf %x, %a : f64
    %q = arith.divf %p, %a : f64
    %o = arith.divf %q, %a : f64
    %l = arith.divf %o, %a : f64
    %y = arith.mulf %s, %l : f64
    %z = arith.addf %y, %a : f64
    phi.yield %z : f64
  }
  func.return %r : f64
}
// CHECK-LABEL:  func.func @numbers(
// CHECK:          phi.array
// CHECK-COUNT-4:    arith.divf
// CHECK:          phi.fold
// CHECK-NOT:        arith.divf
// CHECK-NOT:        phi.get %u
// CHECK:            phi.yield

// -----

// A few operations stay in the steps.
func.func @short(%u: !phi.vec<f64>, %init: f64) -> f64 {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %n, %s = %init) -> f64 {
    %x = phi.get %u[%t] : !phi.vec<f64>[i64]
    %a = arith.mulf %x, %x : f64
    %y = arith.mulf %s, %a : f64
    phi.yield %y : f64
  }
  func.return %r : f64
}
// CHECK-LABEL:  func.func @short(
// CHECK-NOT:      phi.array
// CHECK:          phi.fold
