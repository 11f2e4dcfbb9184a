// RUN: ein-opt %s -p interchange-comprehensions | filecheck %s

// Echoes: each step reads the vector a delay before, from the delay on. What does not vary with the
// index is computed once in a step.

func.func @echoes(%x: !phi.vec<f64>, %delays: !phi.vec<i64>, %gains: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %delays, 0 : !phi.vec<i64>
  %zero = arith.constant 0.0 : f64
  %y = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %s = phi.fold (%q < %m, %acc = %zero) -> f64 {
      %d = phi.get %delays[%q] : !phi.vec<i64>[i64]
      %g = phi.get %gains[%q] : !phi.vec<f64>[i64]
      %c = arith.cmpi sge, %k, %d : i64
      %p = arith.subi %k, %d : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %w = arith.mulf %g, %e : f64
      %t = arith.select %c, %w, %zero : f64
      %next = arith.addf %acc, %t : f64
      phi.yield %next : f64
    }
    %own = phi.get %x[%i] : !phi.vec<f64>[index]
    %r = arith.addf %own, %s : f64
    phi.yield %r : f64
  }
  func.return %y : !phi.vec<f64>
}

// CHECK:       func.func @echoes(%x: !phi.vec<f64>, %delays: !phi.vec<i64>, %gains: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %delays, 0 : !phi.vec<i64>
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %zero : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = phi.fold (%q < %m, %acc = %0) -> !phi.vec<f64> {
// CHECK-NEXT:        %d = phi.get %delays[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %g = phi.get %gains[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %1 = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %2 = phi.get %acc[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:          %k = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:          %c = arith.cmpi sge, %k, %d : i64
// CHECK-NEXT:          %p = arith.subi %k, %d : i64
// CHECK-NEXT:          %e = phi.get %x[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %w = arith.mulf %g, %e : f64
// CHECK-NEXT:          %t = arith.select %c, %w, %zero : f64
// CHECK-NEXT:          %next = arith.addf %2, %t : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %1 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %y = phi.array (%i_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %i_2 : index to i64
// CHECK-NEXT:        %s_1 = phi.get %s[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:        %own = phi.get %x[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:        %r = arith.addf %own, %s_1 : f64
// CHECK-NEXT:        phi.yield %r : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %y : !phi.vec<f64>
// CHECK-NEXT:    }

// Unchanged: the offset is the counter itself; no element is read at an offset; a step is no
// reduction.

func.func @triangle(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %y = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %s = phi.fold (%q < %n, %acc = %zero) -> f64 {
      %c = arith.cmpi sge, %k, %q : i64
      %p = arith.subi %k, %q : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %t = arith.select %c, %e, %zero : f64
      %next = arith.addf %acc, %t : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %y : !phi.vec<f64>
}

func.func @events(%x: !phi.vec<f64>, %times: !phi.vec<i64>, %n: i64) -> !phi.vec<f64> {
  %m = phi.size %times, 0 : !phi.vec<i64>
  %zero = arith.constant 0.0 : f64
  %y = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %s = phi.fold (%q < %m, %acc = %zero) -> f64 {
      %d = phi.get %times[%q] : !phi.vec<i64>[i64]
      %c = arith.cmpi sge, %k, %d : i64
      %e = phi.get %x[%q] : !phi.vec<f64>[i64]
      %t = arith.select %c, %e, %zero : f64
      %next = arith.addf %acc, %t : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %y : !phi.vec<f64>
}

func.func @last(%x: !phi.vec<f64>, %delays: !phi.vec<i64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %delays, 0 : !phi.vec<i64>
  %zero = arith.constant 0.0 : f64
  %y = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %s = phi.fold (%q < %m, %acc = %zero) -> f64 {
      %d = phi.get %delays[%q] : !phi.vec<i64>[i64]
      %c = arith.cmpi sge, %k, %d : i64
      %p = arith.subi %k, %d : i64
      %e = phi.get %x[%p] : !phi.vec<f64>[i64]
      %next = arith.select %c, %e, %acc : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %y : !phi.vec<f64>
}
// CHECK-LABEL: func.func @triangle
// CHECK:             %s = phi.fold (%q < %n, %acc = %zero) -> f64 {
// CHECK-LABEL: func.func @events
// CHECK:             %s = phi.fold (%q < %m, %acc = %zero) -> f64 {
// CHECK-LABEL: func.func @last
// CHECK:             %s = phi.fold (%q < %m, %acc = %zero) -> f64 {
