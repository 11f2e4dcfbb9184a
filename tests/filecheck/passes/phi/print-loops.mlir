// RUN: ein-opt %s -p print-loops | filecheck %s

// CHECK:      // loops in @strides
// CHECK-NEXT: //   %v over %k: a comprehension, by steps of 2
// CHECK-NEXT: //   %u over %j: a comprehension, by steps of -1
// CHECK-NEXT: //   %s over %i: a loop
func.func @strides(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>) {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.muli %k, %two : i64
    %q = arith.addi %p, %one : i64
    %x = phi.get %v[%q] : !phi.vec<f64>[i64]
    %w = phi.update %v[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %t = phi.fold (%j < %n, %u = %a) -> !phi.vec<f64> {
    %p_1 = arith.subi %n, %j : i64
    %q_1 = arith.subi %p_1, %one : i64
    %x_1 = phi.get %u[%q_1] : !phi.vec<f64>[i64]
    %w_1 = phi.update %u[%p_1], %x_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_1 : !phi.vec<f64>
  }
  // A read behind may clip to an element that an earlier step has written.
  %h = phi.fold (%i < %n, %s = %a) -> !phi.vec<f64> {
    %p_2 = arith.muli %i, %two : i64
    %q_2 = arith.subi %p_2, %one : i64
    %q_3 = arith.subi %q_2, %two : i64
    %x_2 = phi.get %s[%q_3] : !phi.vec<f64>[i64]
    %w_2 = phi.update %s[%p_2], %x_2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_2 : !phi.vec<f64>
  }
  func.return %r, %t, %h : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-NEXT: // loops in @recurrences
// CHECK-NEXT: //   %v over %k: a recurrence over 2 steps of 1: add
// CHECK-NEXT: //   %u over %j: a recurrence over 1 steps of 2: add, min
// CHECK-NEXT: //   %s over %i: a loop
func.func @recurrences(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>) {
  %two = arith.constant 2 : i64
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.addi %k, %two : i64
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %y = phi.get %v[%p] : !phi.vec<f64>[i64]
    %z = arith.addf %x, %y : f64
    %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %t = phi.fold (%j < %n, %u = %a) -> !phi.vec<f64> {
    %p_1 = arith.muli %j, %two : i64
    %q_1 = arith.addi %p_1, %two : i64
    %x_1 = phi.get %u[%p_1] : !phi.vec<f64>[i64]
    %y_1 = phi.get %b[%j] : !phi.vec<f64>[i64]
    %z_1 = arith.addf %x_1, %y_1 : f64
    %m_1 = arith.minimumf %z_1, %y_1 : f64
    %w_1 = phi.update %u[%q_1], %m_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_1 : !phi.vec<f64>
  }
  // Two different distances.
  %h = phi.fold (%i < %n, %s = %a) -> !phi.vec<f64> {
    %p_2 = arith.addi %i, %two : i64
    %one = arith.constant 1 : i64
    %q_2 = arith.addi %i, %one : i64
    %x_2 = phi.get %s[%i] : !phi.vec<f64>[i64]
    %y_2 = phi.get %s[%q_2] : !phi.vec<f64>[i64]
    %z_2 = arith.addf %x_2, %y_2 : f64
    %w_2 = phi.update %s[%p_2], %z_2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_2 : !phi.vec<f64>
  }
  func.return %r, %t, %h : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-NEXT: // loops in @places
// CHECK-NEXT: //   %v over %k: a scatter
// CHECK-NEXT: //   %u over %j: an accumulation: add
// CHECK-NEXT: //   %s over %i: a fold of one element
// CHECK-NEXT: //   %y over %l: a loop
func.func @places(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>) {
  %one = arith.constant 1.0 : f64
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %q = phi.get %p[%k] : !phi.vec<i64>[i64]
    %w = phi.update %v[%q], %one : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %t = phi.fold (%j < %n, %u = %a) -> !phi.vec<f64> {
    %q_1 = phi.get %p[%j] : !phi.vec<i64>[i64]
    %x_1 = phi.get %u[%q_1] : !phi.vec<f64>[i64]
    %z_1 = arith.subf %x_1, %one : f64
    %w_1 = phi.update %u[%q_1], %z_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_1 : !phi.vec<f64>
  }
  %h = phi.fold (%i < %n, %s = %a) -> !phi.vec<f64> {
    %x_2 = phi.get %s[%n] : !phi.vec<f64>[i64]
    %z_2 = arith.mulf %x_2, %x_2 : f64
    %w_2 = phi.update %s[%n], %z_2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_2 : !phi.vec<f64>
  }
  // An element at another place may be one that an earlier step has written.
  %g = phi.fold (%l < %n, %y = %a) -> !phi.vec<f64> {
    %q_3 = phi.get %p[%l] : !phi.vec<i64>[i64]
    %x_3 = phi.get %y[%l] : !phi.vec<f64>[i64]
    %w_3 = phi.update %y[%q_3], %x_3 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_3 : !phi.vec<f64>
  }
  func.return %r, %t, %h, %g : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-NEXT: // loops in @several
// CHECK-NEXT: //   %v over %k: 2 folds, one for each write
// CHECK-NEXT: //   %u over %j: an overlay of 2 scatters
func.func @several(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.muli %k, %two : i64
    %q = arith.addi %p, %one : i64
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %w = phi.update %v[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %w_1 = phi.update %w[%q], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_1 : !phi.vec<f64>
  }
  // An element is written in one order from below, in the other from above.
  %t = phi.fold (%j < %n, %u = %a) -> !phi.vec<f64> {
    %q_2 = arith.subi %n, %j : i64
    %x_2 = phi.get %b[%j] : !phi.vec<f64>[i64]
    %w_2 = phi.update %u[%j], %x_2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %w_3 = phi.update %w_2[%q_2], %x_2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_3 : !phi.vec<f64>
  }
  func.return %r, %t : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-NEXT: // loops in @fields
// CHECK-NEXT: //   %state.0 over %k: combined with a value of each step: max
// CHECK-NEXT: //   %state.1 over %k: a loop
// CHECK-NEXT: //   %state.2 over %k: taken from the last step that selects a value
// CHECK-NEXT: //   %state.3 over %k: the best value of all steps: <
// CHECK-NEXT: // loops in @first
// CHECK-NEXT: //   %state.0 over %k: taken from the first step that selects a value
// CHECK-NEXT: //   %state.1 over %k: taken from the first step that selects a value
// CHECK-NEXT: // loops in @queue
// CHECK-NEXT: //   %wait over %k: combined with values of each step: add, max
func.func @fields(%a: !phi.vec<f64>, %init: tuple<f64, f64, f64, f64>, %n: i64) -> tuple<f64, f64, f64, f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, f64, f64, f64> {
    %most = phi.proj %state, 0 : tuple<f64, f64, f64, f64> -> f64
    %total = phi.proj %state, 1 : tuple<f64, f64, f64, f64> -> f64
    %last = phi.proj %state, 2 : tuple<f64, f64, f64, f64> -> f64
    %least = phi.proj %state, 3 : tuple<f64, f64, f64, f64> -> f64
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %most_1 = arith.maximumf %most, %x : f64
    %total_1 = arith.mulf %total, %most : f64
    %c = arith.cmpf ogt, %x, %zero : f64
    %last_1 = arith.select %c, %x, %last : f64
    %d = arith.cmpf olt, %x, %least : f64
    %least_1 = arith.select %d, %x, %least : f64
    %next = phi.tuple (%most_1, %total_1, %last_1, %least_1) : tuple<f64, f64, f64, f64>
    phi.yield %next : tuple<f64, f64, f64, f64>
  }
  func.return %r : tuple<f64, f64, f64, f64>
}

func.func @first(%a: !phi.vec<f64>, %n: i64) -> tuple<i64, i1> {
  %none = arith.constant -1 : i64
  %zero = arith.constant 0 : i64
  %half = arith.constant 0.5 : f64
  %false = arith.constant false
  %init = phi.tuple (%none, %false) : tuple<i64, i1>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<i64, i1> {
    %at = phi.proj %state, 0 : tuple<i64, i1> -> i64
    %some = phi.proj %state, 1 : tuple<i64, i1> -> i1
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %c = arith.cmpf ogt, %x, %half : f64
    %is_before = arith.cmpi slt, %at, %zero : i64
    %d = arith.andi %is_before, %c : i1
    %at_1 = arith.select %d, %k, %at : i64
    %some_1 = arith.ori %some, %c : i1
    %next = phi.tuple (%at_1, %some_1) : tuple<i64, i1>
    phi.yield %next : tuple<i64, i1>
  }
  func.return %r : tuple<i64, i1>
}

func.func @queue(%a: !phi.vec<f64>, %first: f64, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %wait = %first) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %sum = arith.addf %wait, %x : f64
    %next = arith.maximumf %sum, %zero : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}
