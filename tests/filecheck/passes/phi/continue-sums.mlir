// RUN: ein-opt %s -p continue-sums | filecheck %s

// The inner sums start with the sum so far, at every depth.

func.func @nest(%n: i64, %a: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%p < %n, %x = %zero) -> f64 {
    %t = phi.fold (%q < %n, %y = %zero) -> f64 {
      %u = phi.fold (%r < %n, %z = %zero) -> f64 {
        %e = phi.get %a[%r] : !phi.vec<f64>[i64]
        %z_next = arith.addf %z, %e : f64
        phi.yield %z_next : f64
      }
      %y_next = arith.addf %u, %y : f64
      phi.yield %y_next : f64
    }
    %x_next = arith.addf %x, %t : f64
    phi.yield %x_next : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @nest(
// CHECK:         %s = phi.fold (%p < %n, %x = %zero) -> f64 {
// CHECK-NEXT:      %t = phi.fold (%q < %n, %y = %x) -> f64 {
// CHECK-NEXT:        %u = phi.fold (%r < %n, %z = %y) -> f64 {
// CHECK-NEXT:          %e = phi.get %a[%r] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %z_next = arith.addf %z, %e : f64
// CHECK-NEXT:          phi.yield %z_next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %u : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %t : f64
// CHECK-NEXT:    }

// Ints may start from anything.

func.func @ints(%n: i64, %start: i64) -> i64 {
  %one = arith.constant 1 : i64
  %s = phi.fold (%p < %n, %x = %start) -> i64 {
    %t = phi.fold (%q < %n, %y = %one) -> i64 {
      %y_next = arith.muli %q, %y : i64
      phi.yield %y_next : i64
    }
    %x_next = arith.muli %x, %t : i64
    phi.yield %x_next : i64
  }
  func.return %s : i64
}
// CHECK-LABEL: func.func @ints(
// CHECK:           %t = phi.fold (%q < %n, %y = %x) -> i64 {
// CHECK:           phi.yield %t : i64

// A float that may be -0.0 is not 0.0 after a sum of no terms.

func.func @signed_zero(%n: i64, %start: f64, %e: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%p < %n, %x = %start) -> f64 {
    %t = phi.fold (%q < %n, %y = %zero) -> f64 {
      %y_next = arith.addf %y, %e : f64
      phi.yield %y_next : f64
    }
    %x_next = arith.addf %x, %t : f64
    phi.yield %x_next : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @signed_zero(
// CHECK:           %t = phi.fold (%q < %n, %y = %zero) -> f64 {
// CHECK:           %x_next = arith.addf %x, %t : f64

// A sum of products does not continue, nor one that starts with a term, or that is read twice.

func.func @others(%n: i64, %e: f64) -> (f64, f64, f64) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %s0 = phi.fold (%p < %n, %x = %zero) -> f64 {
    %t0 = phi.fold (%q < %n, %y = %one) -> f64 {
      %y_next = arith.mulf %y, %e : f64
      phi.yield %y_next : f64
    }
    %x_next = arith.addf %x, %t0 : f64
    phi.yield %x_next : f64
  }
  %s1 = phi.fold (%p < %n, %x = %zero) -> f64 {
    %t1 = phi.fold (%q < %n, %y = %one) -> f64 {
      %y_next = arith.addf %y, %e : f64
      phi.yield %y_next : f64
    }
    %x_next = arith.addf %x, %t1 : f64
    phi.yield %x_next : f64
  }
  %s2 = phi.fold (%p < %n, %x = %zero) -> f64 {
    %t2 = phi.fold (%q < %n, %y = %zero) -> f64 {
      %y_next = arith.addf %y, %x : f64
      phi.yield %y_next : f64
    }
    %x_next = arith.addf %x, %t2 : f64
    phi.yield %x_next : f64
  }
  func.return %s0, %s1, %s2 : f64, f64, f64
}
// CHECK-LABEL: func.func @others(
// CHECK:           %t0 = phi.fold (%q < %n, %y = %one) -> f64 {
// CHECK:           %t1 = phi.fold (%q_1 < %n, %y_1 = %one) -> f64 {
// CHECK:           %t2 = phi.fold (%q_2 < %n, %y_2 = %zero) -> f64 {

// A product of floats is not regrouped.
func.func @products(%n: i64, %m: i64, %e: f64, %k: i64) -> (f64, i64) {
  %one = arith.constant 1.0 : f64
  %one_1 = arith.constant 1 : i64
  %s = phi.fold (%p < %n, %x = %one) -> f64 {
    %t = phi.fold (%q < %m, %y = %one) -> f64 {
      %y_next = arith.mulf %y, %e : f64
      phi.yield %y_next : f64
    }
    %x_next = arith.mulf %x, %t : f64
    phi.yield %x_next : f64
  }
  %u = phi.fold (%p < %n, %x = %one_1) -> i64 {
    %t = phi.fold (%q < %m, %y = %one_1) -> i64 {
      %y_next = arith.muli %y, %k : i64
      phi.yield %y_next : i64
    }
    %x_next = arith.muli %x, %t : i64
    phi.yield %x_next : i64
  }
  func.return %s, %u : f64, i64
}
// CHECK-LABEL: func.func @products(
// CHECK:           %{{.*}} = phi.fold (%{{.*}} < %m, %{{.*}} = %one) -> f64 {
// CHECK:           %{{.*}} = phi.fold (%{{.*}} < %m, %{{.*}} = %x{{.*}}) -> i64 {
