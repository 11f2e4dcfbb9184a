// RUN: ein-opt %s --split-input-file -p 'raise-updates{slices=true},simplify' | filecheck %s

// Multiples of a positive Int from a bound on: the old elements are those of the array, which stays.
func.func @multiples(%v: !phi.vec<i1>, %t: i64, %k: !phi.vec<f64>) -> !phi.vec<i1> {
  %n = phi.size %v, 0 : !phi.vec<i1>
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %false = arith.constant false
  %m = phi.size %k, 0 : !phi.vec<f64>
  %p = arith.addi %m, %one : i64
  %w = phi.array (%q < %n) -> !phi.vec<i1> {
    %i = arith.index_cast %q : index to i64
    %from = arith.cmpi sge, %i, %t : i64
    %rest = sigma.floormod %i, %p : i64
    %is = arith.cmpi eq, %rest, %zero : i64
    %c = arith.andi %from, %is : i1
    %old = phi.get %v[%q] : !phi.vec<i1>[index]
    %x = arith.select %c, %false, %old : i1
    phi.yield %x : i1
  }
  func.return %w : !phi.vec<i1>
}

// CHECK:        func.func @multiples(%v: !phi.vec<i1>, %t: i64, %k: !phi.vec<f64>) -> !phi.vec<i1> {
// CHECK-NEXT:     %n = phi.size %v, 0 : !phi.vec<i1>
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %false = arith.constant false
// CHECK-NEXT:     %m = phi.size %k, 0 : !phi.vec<f64>
// CHECK-NEXT:     %p = arith.addi %m, %one : i64
// CHECK-NEXT:     %0 = arith.constant 0 : i64
// CHECK-NEXT:     %1 = arith.maxsi %0, %t : i64
// CHECK-NEXT:     %2 = arith.minsi %1, %n : i64
// CHECK-NEXT:     %3 = arith.subi %n, %2 : i64
// CHECK-NEXT:     %4 = arith.constant 0 : i64
// CHECK-NEXT:     %5 = arith.subi %4, %2 : i64
// CHECK-NEXT:     %6 = sigma.floormod %5, %p : i64
// CHECK-NEXT:     %7 = arith.addi %2, %6 : i64
// CHECK-NEXT:     %8 = arith.subi %3, %6 : i64
// CHECK-NEXT:     %9 = arith.maxsi %8, %0 : i64
// CHECK-NEXT:     %10 = arith.constant 1 : i64
// CHECK-NEXT:     %11 = arith.subi %9, %10 : i64
// CHECK-NEXT:     %12 = arith.floordivsi %11, %p : i64
// CHECK-NEXT:     %13 = arith.addi %12, %10 : i64
// CHECK-NEXT:     %14 = phi.array (%q < %13) -> !phi.vec<i1> {
// CHECK-NEXT:       phi.yield %false : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     %w = phi.update_slice %v[%7 by %p], %14 : !phi.vec<i1>
// CHECK-NEXT:     func.return %w : !phi.vec<i1>
// CHECK-NEXT:   }

// -----

// Odd columns of rows: conditions that vary with no index empty the slice, others choose elements.
// Without an array, the other elements are computed first.
func.func @columns(%a: !phi.vec<!phi.vec<f64>>, %c: i1, %x: f64, %s: f64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %w = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %j : index to i64
    %rest = sigma.floormod %k, %two : i64
    %is_even = arith.cmpi ne, %rest, %one : i64
    %old = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %small = arith.cmpf olt, %old, %x : f64
    %true = arith.constant true
    %is_odd = arith.xori %is_even, %true : i1
    %d = arith.andi %is_odd, %small : i1
    %e = arith.andi %d, %c : i1
    %y = arith.addf %old, %x : f64
    %new = arith.select %e, %y, %old : f64
    phi.yield %new : f64
  }
  %z = phi.array (%j < %m) -> !phi.vec<f64> {
    %k = arith.index_cast %j : index to i64
    %rest = sigma.floormod %k, %two : i64
    %is_odd = arith.cmpi eq, %rest, %one : i64
    %new = arith.select %is_odd, %x, %s : f64
    phi.yield %new : f64
  }
  func.return %w, %z : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
}

// CHECK:        func.func @columns(%a: !phi.vec<!phi.vec<f64>>, %c: i1, %x: f64, %s: f64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>) {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %two = arith.constant 2 : i64
// CHECK-NEXT:     %0 = arith.constant 0 : i64
// CHECK-NEXT:     %1 = arith.constant 1 : i64
// CHECK-NEXT:     %2 = arith.constant 1 : i64
// CHECK-NEXT:     %3 = arith.subi %m, %1 : i64
// CHECK-NEXT:     %4 = arith.maxsi %3, %0 : i64
// CHECK-NEXT:     %5 = arith.constant 1 : i64
// CHECK-NEXT:     %6 = arith.subi %4, %5 : i64
// CHECK-NEXT:     %7 = arith.floordivsi %6, %two : i64
// CHECK-NEXT:     %8 = arith.addi %7, %5 : i64
// CHECK-NEXT:     %9 = arith.constant 0 : i64
// CHECK-NEXT:     %10 = arith.select %c, %8, %9 : i64
// CHECK-NEXT:     %w = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %11 = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:       %12 = phi.array (%j < %10) -> !phi.vec<f64> {
// CHECK-NEXT:         %13 = arith.index_cast %j : index to i64
// CHECK-NEXT:         %14 = arith.muli %13, %two : i64
// CHECK-NEXT:         %j_1 = arith.addi %14, %2 : i64
// CHECK-NEXT:         %old = phi.get %a[%i, %j_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         %y = arith.addf %old, %x : f64
// CHECK-NEXT:         %small = arith.cmpf olt, %old, %x : f64
// CHECK-NEXT:         %15 = arith.select %small, %y, %old : f64
// CHECK-NEXT:         phi.yield %15 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %16 = phi.update_slice %11[%2 by %two], %12 : !phi.vec<f64>
// CHECK-NEXT:       phi.yield %16 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %z = phi.array (%j_2 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %17 = arith.constant 0 : i64
// CHECK-NEXT:     %18 = arith.constant 1 : i64
// CHECK-NEXT:     %19 = arith.constant 1 : i64
// CHECK-NEXT:     %20 = arith.subi %m, %18 : i64
// CHECK-NEXT:     %21 = arith.maxsi %20, %17 : i64
// CHECK-NEXT:     %22 = arith.constant 1 : i64
// CHECK-NEXT:     %23 = arith.subi %21, %22 : i64
// CHECK-NEXT:     %24 = arith.floordivsi %23, %two : i64
// CHECK-NEXT:     %25 = arith.addi %24, %22 : i64
// CHECK-NEXT:     %26 = phi.array (%j_3 < %25) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %z_1 = phi.update_slice %z[%19 by %two], %26 : !phi.vec<f64>
// CHECK-NEXT:     func.return %w, %z_1 : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Unchanged: the divisor may be 0, or varies with an index.
func.func @any_divisor(%v: !phi.vec<i64>, %p: i64) -> (!phi.vec<i64>, !phi.vec<!phi.vec<i64>>) {
  %n = phi.size %v, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %w = phi.array (%q < %n) -> !phi.vec<i64> {
    %i = arith.index_cast %q : index to i64
    %rest = sigma.floormod %i, %p : i64
    %is = arith.cmpi eq, %rest, %zero : i64
    %old = phi.get %v[%q] : !phi.vec<i64>[index]
    %x = arith.select %is, %zero, %old : i64
    phi.yield %x : i64
  }
  %u = phi.array (%k < %n) -> !phi.vec<!phi.vec<i64>> {
    %r = phi.array (%q < %n) -> !phi.vec<i64> {
      %i = arith.index_cast %q : index to i64
      %j = arith.index_cast %k : index to i64
      %d = arith.addi %j, %one : i64
      %rest = sigma.floormod %i, %d : i64
      %is = arith.cmpi eq, %rest, %zero : i64
      %old = phi.get %v[%q] : !phi.vec<i64>[index]
      %x = arith.select %is, %zero, %old : i64
      phi.yield %x : i64
    }
    phi.yield %r : !phi.vec<i64>
  }
  func.return %w, %u : !phi.vec<i64>, !phi.vec<!phi.vec<i64>>
}

// CHECK:        func.func @any_divisor(%v: !phi.vec<i64>, %p: i64) -> (!phi.vec<i64>, !phi.vec<!phi.vec<i64>>) {
// CHECK-NEXT:     %n = phi.size %v, 0 : !phi.vec<i64>
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %w = phi.array (%q < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %i = arith.index_cast %q : index to i64
// CHECK-NEXT:       %rest = sigma.floormod %i, %p : i64
// CHECK-NEXT:       %is = arith.cmpi eq, %rest, %zero : i64
// CHECK-NEXT:       %old = phi.get %v[%q] : !phi.vec<i64>[index]
// CHECK-NEXT:       %x = arith.select %is, %zero, %old : i64
// CHECK-NEXT:       phi.yield %x : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %u = phi.array (%k < %n, %q_1 < %n) -> !phi.vec<!phi.vec<i64>> {
// CHECK-NEXT:       %i_1 = arith.index_cast %q_1 : index to i64
// CHECK-NEXT:       %j = arith.index_cast %k : index to i64
// CHECK-NEXT:       %d = arith.addi %j, %one : i64
// CHECK-NEXT:       %rest_1 = sigma.floormod %i_1, %d : i64
// CHECK-NEXT:       %is_1 = arith.cmpi eq, %rest_1, %zero : i64
// CHECK-NEXT:       %old_1 = phi.get %v[%q_1] : !phi.vec<i64>[index]
// CHECK-NEXT:       %x_1 = arith.select %is_1, %zero, %old_1 : i64
// CHECK-NEXT:       phi.yield %x_1 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %w, %u : !phi.vec<i64>, !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:   }

// -----

// A step whose condition varies with no index writes to an accumulator, or does nothing. A
// conjunction of Bools is the selection of a literal.
func.func @sieve(%a: !phi.vec<i1>, %m: i64) -> !phi.vec<i1> {
  %n = phi.size %a, 0 : !phi.vec<i1>
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %true = arith.constant true
  %r = phi.fold (%k < %m, %v = %a) -> !phi.vec<i1> {
    %p = arith.addi %k, %two : i64
    %is_prime = phi.get %v[%p] : !phi.vec<i1>[i64]
    %w = phi.array (%q < %n) -> !phi.vec<i1> {
      %i = arith.index_cast %q : index to i64
      %rest = sigma.floormod %i, %p : i64
      %is = arith.cmpi eq, %rest, %zero : i64
      %c = arith.andi %is, %is_prime : i1
      %keeps = arith.xori %c, %true : i1
      %old = phi.get %v[%q] : !phi.vec<i1>[index]
      %x = arith.andi %old, %keeps : i1
      phi.yield %x : i1
    }
    phi.yield %w : !phi.vec<i1>
  }
  func.return %r : !phi.vec<i1>
}

// CHECK:        func.func @sieve(%a: !phi.vec<i1>, %m: i64) -> !phi.vec<i1> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<i1>
// CHECK-NEXT:     %two = arith.constant 2 : i64
// CHECK-NEXT:     %r = phi.fold (%k < %m, %v = %a) -> !phi.vec<i1> {
// CHECK-NEXT:       %p = arith.addi %k, %two : i64
// CHECK-NEXT:       %is_prime = phi.get %v[%p] : !phi.vec<i1>[i64]
// CHECK-NEXT:       %0 = arith.constant 1 : i64
// CHECK-NEXT:       %1 = arith.constant 0 : i64
// CHECK-NEXT:       %2 = arith.select %is_prime, %0, %1 : i64
// CHECK-NEXT:       %w = phi.fold (%3 < %2, %v_1 = %v) -> !phi.vec<i1> {
// CHECK-NEXT:         %4 = arith.constant 0 : i64
// CHECK-NEXT:         %5 = arith.constant 0 : i64
// CHECK-NEXT:         %6 = sigma.floormod %5, %p : i64
// CHECK-NEXT:         %7 = arith.subi %n, %6 : i64
// CHECK-NEXT:         %8 = arith.maxsi %7, %4 : i64
// CHECK-NEXT:         %9 = arith.constant 1 : i64
// CHECK-NEXT:         %10 = arith.subi %8, %9 : i64
// CHECK-NEXT:         %11 = arith.floordivsi %10, %p : i64
// CHECK-NEXT:         %12 = arith.addi %11, %9 : i64
// CHECK-NEXT:         %13 = phi.array (%q < %12) -> !phi.vec<i1> {
// CHECK-NEXT:           %14 = arith.constant false
// CHECK-NEXT:           phi.yield %14 : i1
// CHECK-NEXT:         }
// CHECK-NEXT:         %15 = phi.update_slice %v_1[%6 by %p], %13 : !phi.vec<i1>
// CHECK-NEXT:         phi.yield %15 : !phi.vec<i1>
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %w : !phi.vec<i1>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<i1>
// CHECK-NEXT:   }

// -----

// A choice between values of one loop stays: the loop would run again for a slice.
func.func @shared(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %start = arith.constant 0.0 : f64
  %b = phi.array (%q < %n) -> !phi.vec<f64> {
    %i = arith.index_cast %q : index to i64
    %s = phi.fold (%k < %n, %acc = %start) -> f64 {
      %p = arith.muli %k, %i : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    %t = arith.negf %s : f64
    %rest = sigma.floormod %i, %two : i64
    %is = arith.cmpi eq, %rest, %zero : i64
    %y = arith.select %is, %t, %s : f64
    phi.yield %y : f64
  }
  func.return %b : !phi.vec<f64>
}

// CHECK:        func.func @shared(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %two = arith.constant 2 : i64
// CHECK-NEXT:     %start = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %b = phi.array (%q < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %i = arith.index_cast %q : index to i64
// CHECK-NEXT:       %s = phi.fold (%k < %n, %acc = %start) -> f64 {
// CHECK-NEXT:         %p = arith.muli %k, %i : i64
// CHECK-NEXT:         %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %next = arith.addf %acc, %x : f64
// CHECK-NEXT:         phi.yield %next : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %t = arith.negf %s : f64
// CHECK-NEXT:       %rest = sigma.floormod %i, %two : i64
// CHECK-NEXT:       %is = arith.cmpi eq, %rest, %zero : i64
// CHECK-NEXT:       %y = arith.select %is, %t, %s : f64
// CHECK-NEXT:       phi.yield %y : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %b : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Two slices of an array: no other elements are computed.
func.func @alternating(%a: !phi.vec<f64>, %x: f64, %y: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %b = phi.array (%q < %n) -> !phi.vec<f64> {
    %i = arith.index_cast %q : index to i64
    %rest = sigma.floormod %i, %two : i64
    %is_even = arith.cmpi eq, %rest, %zero : i64
    %is_odd = arith.cmpi eq, %rest, %one : i64
    %old = phi.get %a[%q] : !phi.vec<f64>[index]
    %s = arith.mulf %x, %old : f64
    %t = arith.mulf %y, %old : f64
    %u = arith.select %is_odd, %t, %old : f64
    %v = arith.select %is_even, %s, %u : f64
    phi.yield %v : f64
  }
  func.return %b : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @alternating(
// CHECK:          [[ODD:%.*]] = phi.array
// CHECK:            arith.mulf %y, %{{.*}} : f64
// CHECK:          [[FIRST:%.*]] = phi.update_slice %a[%{{.*}} by %two], [[ODD]] : !phi.vec<f64>
// CHECK:          [[EVEN:%.*]] = phi.array
// CHECK:            arith.mulf %x, %{{.*}} : f64
// CHECK:          %b = phi.update_slice [[FIRST]][%{{.*}} by %two], [[EVEN]] : !phi.vec<f64>
// CHECK:          func.return %b : !phi.vec<f64>
