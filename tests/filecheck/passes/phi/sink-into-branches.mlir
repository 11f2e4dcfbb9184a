// RUN: ein-opt %s --split-input-file -p sink-into-branches | filecheck %s
// RUN: ein-opt %s --split-input-file -p sink-into-branches{scalars=true} | filecheck %s --check-prefix=SCALARS
// RUN: ein-opt %s --split-input-file -p sink-into-branches{elements=true} | filecheck %s --check-prefix=ELEMENTS
// RUN: ein-opt %s --split-input-file -p sink-into-branches{static=true} | filecheck %s --check-prefix=STATIC

// All choices by a condition are fields of one fold, with the loop that two of them use. What is
// used elsewhere stays, and so does a sum that decides.

func.func @accepted(%v: !phi.vec<f64>, %e: f64, %t: i64) -> tuple<f64, f64, f64> {
  %zero = arith.constant 0.0 : f64
  %size = phi.size %v, 0 : !phi.vec<f64>
  %sum = phi.fold (%k < %size, %s = %zero) -> f64 {
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %s, %x : f64
    phi.yield %next : f64
  }
  %c = arith.cmpf olt, %sum, %e : f64
  %product = phi.fold (%k < %size, %p = %e) -> f64 {
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %p, %x : f64
    phi.yield %next : f64
  }
  %root = math.sqrt %product : f64
  %first = arith.select %c, %product, %e : f64
  %late = arith.mulf %first, %first : f64
  %second = arith.select %c, %root, %sum : f64
  %r = phi.tuple (%first, %second, %late) : tuple<f64, f64, f64>
  func.return %r : tuple<f64, f64, f64>
}

// CHECK:        func.func @accepted(%v: !phi.vec<f64>, %e: f64, %t: i64) -> tuple<f64, f64, f64> {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %sum = phi.fold (%k < %size, %s = %zero) -> f64 {
// CHECK-NEXT:       %x = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %next = arith.addf %s, %x : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %c = arith.cmpf olt, %sum, %e : f64
// CHECK-NEXT:     %0 = arith.constant 1 : i64
// CHECK-NEXT:     %1 = arith.constant 0 : i64
// CHECK-NEXT:     %2 = arith.select %c, %0, %1 : i64
// CHECK-NEXT:     %3 = phi.tuple (%e, %sum) : tuple<f64, f64>
// CHECK-NEXT:     %4 = phi.fold (%5 < %2, %6 = %3) -> tuple<f64, f64> {
// CHECK-NEXT:       %e_1 = phi.proj %6, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %sum_1 = phi.proj %6, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %product = phi.fold (%k_1 < %size, %p = %e) -> f64 {
// CHECK-NEXT:         %x_1 = phi.get %v[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %next_1 = arith.mulf %p, %x_1 : f64
// CHECK-NEXT:         phi.yield %next_1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %root = math.sqrt %product : f64
// CHECK-NEXT:       %7 = phi.tuple (%product, %root) : tuple<f64, f64>
// CHECK-NEXT:       phi.yield %7 : tuple<f64, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %first = phi.proj %4, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:     %second = phi.proj %4, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:     %late = arith.mulf %first, %first : f64
// CHECK-NEXT:     %r = phi.tuple (%first, %second, %late) : tuple<f64, f64, f64>
// CHECK-NEXT:     func.return %r : tuple<f64, f64, f64>
// CHECK-NEXT:   }

// -----

// A branch that is taken if the condition fails; the second operand of a disjunction.

func.func @done(%v: !phi.vec<f64>, %e: f64, %none: i1, %n: i64) -> tuple<i1, f64> {
  %true = arith.constant true
  %start = phi.tuple (%none, %e) : tuple<i1, f64>
  %size = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %n, %state = %start) -> tuple<i1, f64> {
    %done = phi.proj %state, 0 : tuple<i1, f64> -> i1
    %old = phi.proj %state, 1 : tuple<i1, f64> -> f64
    %going = arith.xori %done, %true : i1
    %sum = phi.fold (%k < %size, %s = %old) -> f64 {
      %x = phi.get %v[%k] : !phi.vec<f64>[i64]
      %next = arith.addf %s, %x : f64
      phi.yield %next : f64
    }
    %new = arith.select %going, %sum, %old : f64
    %near = arith.cmpf olt, %sum, %e : f64
    %after = arith.ori %done, %near : i1
    %after_step = phi.tuple (%after, %new) : tuple<i1, f64>
    phi.yield %after_step : tuple<i1, f64>
  }
  func.return %r : tuple<i1, f64>
}

// CHECK:        func.func @done(%v: !phi.vec<f64>, %e: f64, %none: i1, %n: i64) -> tuple<i1, f64> {
// CHECK-NEXT:     %true = arith.constant true
// CHECK-NEXT:     %start = phi.tuple (%none, %e) : tuple<i1, f64>
// CHECK-NEXT:     %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%t < %n, %state = %start) -> tuple<i1, f64> {
// CHECK-NEXT:       %done = phi.proj %state, 0 : tuple<i1, f64> -> i1
// CHECK-NEXT:       %old = phi.proj %state, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:       %going = arith.xori %done, %true : i1
// CHECK-NEXT:       %0 = arith.constant 1 : i64
// CHECK-NEXT:       %1 = arith.constant 0 : i64
// CHECK-NEXT:       %2 = arith.select %going, %0, %1 : i64
// CHECK-NEXT:       %3 = phi.tuple (%old, %done) : tuple<f64, i1>
// CHECK-NEXT:       %4 = phi.fold (%5 < %2, %6 = %3) -> tuple<f64, i1> {
// CHECK-NEXT:         %old_1 = phi.proj %6, 0 : tuple<f64, i1> -> f64
// CHECK-NEXT:         %done_1 = phi.proj %6, 1 : tuple<f64, i1> -> i1
// CHECK-NEXT:         %sum = phi.fold (%k < %size, %s = %old) -> f64 {
// CHECK-NEXT:           %x = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:           %next = arith.addf %s, %x : f64
// CHECK-NEXT:           phi.yield %next : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %near = arith.cmpf olt, %sum, %e : f64
// CHECK-NEXT:         %7 = phi.tuple (%sum, %near) : tuple<f64, i1>
// CHECK-NEXT:         phi.yield %7 : tuple<f64, i1>
// CHECK-NEXT:       }
// CHECK-NEXT:       %new = phi.proj %4, 0 : tuple<f64, i1> -> f64
// CHECK-NEXT:       %after = phi.proj %4, 1 : tuple<f64, i1> -> i1
// CHECK-NEXT:       %after_step = phi.tuple (%after, %new) : tuple<i1, f64>
// CHECK-NEXT:       phi.yield %after_step : tuple<i1, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : tuple<i1, f64>
// CHECK-NEXT:   }

// -----

// A guard that is computed once stays a conjunction.

func.func @guard(%v: !phi.vec<f64>, %c: i1, %e: f64) -> i1 {
  %size = phi.size %v, 0 : !phi.vec<f64>
  %sum = phi.fold (%k < %size, %s = %e) -> f64 {
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %s, %x : f64
    phi.yield %next : f64
  }
  %near = arith.cmpf olt, %sum, %e : f64
  %r = arith.andi %c, %near : i1
  func.return %r : i1
}

// CHECK:        func.func @guard(%v: !phi.vec<f64>, %c: i1, %e: f64) -> i1 {
// CHECK-NEXT:     %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %sum = phi.fold (%k < %size, %s = %e) -> f64 {
// CHECK-NEXT:       %x = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %next = arith.addf %s, %x : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %near = arith.cmpf olt, %sum, %e : f64
// CHECK-NEXT:     %r = arith.andi %c, %near : i1
// CHECK-NEXT:     func.return %r : i1
// CHECK-NEXT:   }

// -----

// Elements that one condition selects are a comprehension in a branch: of an array, or of other
// elements, which are computed first.

func.func @elements(%v: !phi.vec<f64>, %c: i1) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %size = phi.size %v, 0 : !phi.vec<f64>
  %a = phi.array (%i < %size) -> !phi.vec<f64> {
    %x = phi.get %v[%i] : !phi.vec<f64>[index]
    %y = math.exp %x : f64
    %z = arith.select %c, %y, %x : f64
    phi.yield %z : f64
  }
  %b = phi.array (%i < %size) -> !phi.vec<f64> {
    %x = phi.get %v[%i] : !phi.vec<f64>[index]
    %y = math.exp %x : f64
    %w = arith.addf %x, %x : f64
    %z = arith.select %c, %w, %y : f64
    phi.yield %z : f64
  }
  %r = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK:        func.func @elements(%v: !phi.vec<f64>, %c: i1) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:     %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = arith.constant 1 : i64
// CHECK-NEXT:     %1 = arith.constant 0 : i64
// CHECK-NEXT:     %2 = arith.select %c, %0, %1 : i64
// CHECK-NEXT:     %3 = arith.constant 1 : i64
// CHECK-NEXT:     %4 = arith.constant 0 : i64
// CHECK-NEXT:     %5 = arith.select %c, %3, %4 : i64
// CHECK-NEXT:     %a = phi.fold (%6 < %5, %v_1 = %v) -> !phi.vec<f64> {
// CHECK-NEXT:       %7 = phi.array (%i < %size) -> !phi.vec<f64> {
// CHECK-NEXT:         %x = phi.get %v_1[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %y = math.exp %x : f64
// CHECK-NEXT:         phi.yield %y : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %7 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %8 = phi.array (%i_1 < %size) -> !phi.vec<f64> {
// CHECK-NEXT:       %x_1 = phi.get %v[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:       %w = arith.addf %x_1, %x_1 : f64
// CHECK-NEXT:       phi.yield %w : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %9 = arith.constant 0 : i64
// CHECK-NEXT:     %10 = arith.constant 1 : i64
// CHECK-NEXT:     %11 = arith.select %c, %9, %10 : i64
// CHECK-NEXT:     %12 = arith.constant 0 : i64
// CHECK-NEXT:     %13 = arith.constant 1 : i64
// CHECK-NEXT:     %14 = arith.select %c, %12, %13 : i64
// CHECK-NEXT:     %b = phi.fold (%15 < %14, %16 = %8) -> !phi.vec<f64> {
// CHECK-NEXT:       %17 = phi.array (%i_2 < %size) -> !phi.vec<f64> {
// CHECK-NEXT:         %x_2 = phi.get %v[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:         %y_1 = math.exp %x_2 : f64
// CHECK-NEXT:         phi.yield %y_1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %17 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:     func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// The array that the step of a branch updates is computed in it; the old one is carried.

func.func @step(%v: !phi.vec<i64>, %c: i1, %p: i64) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %none = arith.constant 0 : i64
  %x = phi.get %v[%p] : !phi.vec<i64>[i64]
  %y = arith.addi %x, %one : i64
  %new = phi.update %v[%p], %y : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
  %count = arith.select %c, %one, %none : i64
  %r = phi.fold (%k < %count, %old = %v) -> !phi.vec<i64> {
    phi.yield %new : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK:        func.func @step(%v: !phi.vec<i64>, %c: i1, %p: i64) -> !phi.vec<i64> {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %none = arith.constant 0 : i64
// CHECK-NEXT:     %count = arith.select %c, %one, %none : i64
// CHECK-NEXT:     %0 = arith.constant 1 : i64
// CHECK-NEXT:     %1 = arith.constant 0 : i64
// CHECK-NEXT:     %2 = arith.select %c, %0, %1 : i64
// CHECK-NEXT:     %r = phi.fold (%k < %2, %v_1 = %v) -> !phi.vec<i64> {
// CHECK-NEXT:       %x = phi.get %v_1[%p] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %y = arith.addi %x, %one : i64
// CHECK-NEXT:       %new = phi.update %v_1[%p], %y : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:       phi.yield %new : !phi.vec<i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<i64>
// CHECK-NEXT:   }

// -----

// Kept: what may raise an error, what both branches use, elements with conditions of their own,
// and few operations on scalars.

func.func @kept(%v: !phi.vec<f64>, %n: i64, %c: i1, %e: f64) -> tuple<f64, f64, !phi.vec<f64>, f64> {
  %zero = arith.constant 0.0 : f64
  %may_fail = phi.fold (%k < %n, %s = %zero) -> f64 {
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %s, %x : f64
    phi.yield %next : f64
  }
  %first = arith.select %c, %may_fail, %e : f64
  %size = phi.size %v, 0 : !phi.vec<f64>
  %sum = phi.fold (%k < %size, %s = %zero) -> f64 {
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %s, %x : f64
    phi.yield %next : f64
  }
  %twice = arith.addf %sum, %sum : f64
  %second = arith.select %c, %twice, %sum : f64
  %own = phi.array (%i < %size) -> !phi.vec<f64> {
    %x = phi.get %v[%i] : !phi.vec<f64>[index]
    %positive = arith.cmpf ogt, %x, %e : f64
    %y = math.exp %x : f64
    %z = arith.select %positive, %y, %x : f64
    phi.yield %z : f64
  }
  %few = arith.mulf %e, %e : f64
  %third = arith.select %c, %few, %e : f64
  %r = phi.tuple (%first, %second, %own, %third) : tuple<f64, f64, !phi.vec<f64>, f64>
  func.return %r : tuple<f64, f64, !phi.vec<f64>, f64>
}

// CHECK:        func.func @kept(%v: !phi.vec<f64>, %n: i64, %c: i1, %e: f64) -> tuple<f64, f64, !phi.vec<f64>, f64> {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %may_fail = phi.fold (%k < %n, %s = %zero) -> f64 {
// CHECK-NEXT:       %x = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %next = arith.addf %s, %x : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %first = arith.select %c, %may_fail, %e : f64
// CHECK-NEXT:     %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %sum = phi.fold (%k_1 < %size, %s_1 = %zero) -> f64 {
// CHECK-NEXT:       %x_1 = phi.get %v[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %next_1 = arith.addf %s_1, %x_1 : f64
// CHECK-NEXT:       phi.yield %next_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %twice = arith.addf %sum, %sum : f64
// CHECK-NEXT:     %second = arith.select %c, %twice, %sum : f64
// CHECK-NEXT:     %own = phi.array (%i < %size) -> !phi.vec<f64> {
// CHECK-NEXT:       %x_2 = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %positive = arith.cmpf ogt, %x_2, %e : f64
// CHECK-NEXT:       %y = math.exp %x_2 : f64
// CHECK-NEXT:       %z = arith.select %positive, %y, %x_2 : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %few = arith.mulf %e, %e : f64
// CHECK-NEXT:     %third = arith.select %c, %few, %e : f64
// CHECK-NEXT:     %r = phi.tuple (%first, %second, %own, %third) : tuple<f64, f64, !phi.vec<f64>, f64>
// CHECK-NEXT:     func.return %r : tuple<f64, f64, !phi.vec<f64>, f64>
// CHECK-NEXT:   }

// -----

// Many operations on scalars are a branch if they are asked for.

func.func @scalars(%c: i1, %e: f64) -> f64 {
  %a = arith.mulf %e, %e : f64
  %b = arith.mulf %a, %e : f64
  %d = arith.addf %a, %b : f64
  %f = arith.mulf %d, %d : f64
  %g = arith.addf %f, %b : f64
  %h = arith.mulf %g, %a : f64
  %r = arith.select %c, %h, %e : f64
  func.return %r : f64
}

// CHECK:        func.func @scalars(%c: i1, %e: f64) -> f64 {
// CHECK-NEXT:     %a = arith.mulf %e, %e : f64
// CHECK-NEXT:     %b = arith.mulf %a, %e : f64
// CHECK-NEXT:     %d = arith.addf %a, %b : f64
// CHECK-NEXT:     %f = arith.mulf %d, %d : f64
// CHECK-NEXT:     %g = arith.addf %f, %b : f64
// CHECK-NEXT:     %h = arith.mulf %g, %a : f64
// CHECK-NEXT:     %r = arith.select %c, %h, %e : f64
// CHECK-NEXT:     func.return %r : f64
// CHECK-NEXT:   }
// SCALARS-LABEL:  func.func @scalars(
// SCALARS:          %r = phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %e) -> f64 {
// SCALARS-NEXT:       %a = arith.mulf %e, %e : f64
// SCALARS:            phi.yield %h : f64

// -----

// Of two values that take time, each is computed in a branch of its own, with 0 in its place in the
// other one; so are elements of two arrays, also of fields of a loop.

func.func @both(%v: !phi.vec<f64>, %c: i1, %e: f64) -> tuple<f64, !phi.vec<f64>> {
  %size = phi.size %v, 0 : !phi.vec<f64>
  %sum = phi.fold (%k < %size, %s = %e) -> f64 {
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %s, %x : f64
    phi.yield %next : f64
  }
  %product = phi.fold (%k < %size, %s = %e) -> f64 {
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %s, %x : f64
    phi.yield %next : f64
  }
  %first = arith.select %c, %sum, %product : f64
  %start = phi.tuple (%v, %e) : tuple<!phi.vec<f64>, f64>
  %loop = phi.fold (%k < %size, %s = %start) -> tuple<!phi.vec<f64>, f64> {
    %w = phi.proj %s, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
    %f = phi.proj %s, 1 : tuple<!phi.vec<f64>, f64> -> f64
    %u = phi.array (%i < %size) -> !phi.vec<f64> {
      %x = phi.get %w[%i] : !phi.vec<f64>[index]
      %y = arith.mulf %x, %f : f64
      phi.yield %y : f64
    }
    %g = phi.get %u[%k] : !phi.vec<f64>[i64]
    %next = phi.tuple (%u, %g) : tuple<!phi.vec<f64>, f64>
    phi.yield %next : tuple<!phi.vec<f64>, f64>
  }
  %last = phi.proj %loop, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
  %second = phi.array (%i < %size) -> !phi.vec<f64> {
    %x = phi.get %last[%i] : !phi.vec<f64>[index]
    %y = phi.get %v[%i] : !phi.vec<f64>[index]
    %z = math.exp %y : f64
    %w = arith.select %c, %x, %z : f64
    phi.yield %w : f64
  }
  %r = phi.tuple (%first, %second) : tuple<f64, !phi.vec<f64>>
  func.return %r : tuple<f64, !phi.vec<f64>>
}

// CHECK-LABEL:  func.func @both(
// CHECK:          arith.constant 0.000000e+00 : f64
// CHECK:          %[[ZEROS:.*]] = phi.array
// CHECK-NEXT:       phi.yield %{{.*}} : f64
// CHECK:          phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %{{.*}}) -> tuple<f64, !phi.vec<f64>> {
// CHECK:            %product = phi.fold
// CHECK:            math.exp
// CHECK-NEXT:       phi.yield
// CHECK:          phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %{{.*}}) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NOT:      math.exp
// CHECK:            %sum = phi.fold
// CHECK:            %loop = phi.fold

// -----

// A row is computed in a branch, with the loop that it needs, if rows are computed one by one.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>, %c: !phi.vec<i1>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %count = phi.size %v, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %sum = phi.fold (%k < %count, %s = %zero) -> f64 {
      %x = phi.get %v[%k] : !phi.vec<f64>[i64]
      %y = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %s, %z : f64
      phi.yield %next : f64
    }
    %is_new = phi.get %c[%i] : !phi.vec<i1>[index]
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      %old = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %new = arith.mulf %sum, %old : f64
      %x = arith.select %is_new, %new, %old : f64
      phi.yield %x : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:    func.func @rows(
// CHECK-NOT:        irregular
// CHECK:            arith.select %is_new, %new, %old : f64

// ELEMENTS-LABEL: func.func @rows(
// ELEMENTS:         %r = phi.array
// ELEMENTS:           %row = phi.fold irregular
// ELEMENTS-NEXT:        %sum = phi.fold
// ELEMENTS:             %[[NEW:.*]] = phi.array
// ELEMENTS:             phi.yield %[[NEW]]

// -----

// A choice in an element is one between arrays, if both values take time.
func.func @within(%v: !phi.vec<f64>, %c: i1) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %size = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.array (%i < %size) -> !phi.vec<f64> {
    %limit = phi.get %v[%i] : !phi.vec<f64>[index]
    %sum = phi.fold (%k < %size, %acc = %zero) -> f64 {
      %x = phi.get %v[%k] : !phi.vec<f64>[i64]
      %d = arith.maximumf %x, %limit : f64
      %next = arith.addf %acc, %d : f64
      phi.yield %next : f64
    }
    %sorted = phi.sort %v : !phi.vec<f64>
    %p = phi.searchsorted %sorted, %limit : !phi.vec<f64>, f64
    %number = arith.sitofp %p : i64 to f64
    %chosen = arith.select %c, %sum, %number : f64
    %e = arith.mulf %chosen, %limit : f64
    phi.yield %e : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @within(%v: !phi.vec<f64>, %c: i1) -> !phi.vec<f64> {
// CHECK-NEXT:       %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:       %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %1 = phi.array (%i < %size) -> !phi.vec<f64> {
// CHECK-NEXT:         phi.yield %0 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %2 = arith.constant 0 : i64
// CHECK-NEXT:       %3 = arith.constant 1 : i64
// CHECK-NEXT:       %4 = arith.select %c, %2, %3 : i64
// CHECK-NEXT:       %5 = arith.constant 0 : i64
// CHECK-NEXT:       %6 = arith.constant 1 : i64
// CHECK-NEXT:       %7 = arith.select %c, %5, %6 : i64
// CHECK-NEXT:       %8 = phi.fold (%9 < %7, %10 = %1) -> !phi.vec<f64> {
// CHECK-NEXT:         %11 = phi.array (%i_1 < %size) -> !phi.vec<f64> {
// CHECK-NEXT:           %limit = phi.get %v[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:           %sorted = phi.sort %v : !phi.vec<f64>
// CHECK-NEXT:           %p = phi.searchsorted %sorted, %limit : !phi.vec<f64>, f64
// CHECK-NEXT:           %number = arith.sitofp %p : i64 to f64
// CHECK-NEXT:           %limit_1 = phi.get %v[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:           %e = arith.mulf %number, %limit_1 : f64
// CHECK-NEXT:           phi.yield %e : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %11 : !phi.vec<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %12 = arith.constant 1 : i64
// CHECK-NEXT:       %13 = arith.constant 0 : i64
// CHECK-NEXT:       %14 = arith.select %c, %12, %13 : i64
// CHECK-NEXT:       %15 = arith.constant 1 : i64
// CHECK-NEXT:       %16 = arith.constant 0 : i64
// CHECK-NEXT:       %17 = arith.select %c, %15, %16 : i64
// CHECK-NEXT:       %r = phi.fold (%18 < %17, %19 = %8) -> !phi.vec<f64> {
// CHECK-NEXT:         %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:         %20 = phi.array (%i_2 < %size) -> !phi.vec<f64> {
// CHECK-NEXT:           %limit_2 = phi.get %v[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:           %sum = phi.fold (%k < %size, %acc = %zero) -> f64 {
// CHECK-NEXT:             %x = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:             %d = arith.maximumf %x, %limit_2 : f64
// CHECK-NEXT:             %next = arith.addf %acc, %d : f64
// CHECK-NEXT:             phi.yield %next : f64
// CHECK-NEXT:           }
// CHECK-NEXT:           %limit_3 = phi.get %v[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:           %e_1 = arith.mulf %sum, %limit_3 : f64
// CHECK-NEXT:           phi.yield %e_1 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %20 : !phi.vec<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : !phi.vec<f64>
// CHECK-NEXT:     }

// -----

// Sizes are known where a program is compiled, other conditions are not.
func.func @static(%v: !phi.vec<f64>, %x: f64) -> tuple<f64, f64> {
  %zero = arith.constant 0.0 : f64
  %few = arith.constant 9 : i64
  %size = phi.size %v, 0 : !phi.vec<f64>
  %sum = phi.fold (%k < %size, %s = %zero) -> f64 {
    %e = phi.get %v[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %s, %e : f64
    phi.yield %next : f64
  }
  %product = phi.fold (%k < %size, %s = %x) -> f64 {
    %e = phi.get %v[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %s, %e : f64
    phi.yield %next : f64
  }
  %is_short = arith.cmpi slt, %size, %few : i64
  %is_less = arith.cmpf olt, %x, %zero : f64
  %a = arith.select %is_short, %sum, %zero : f64
  %b = arith.select %is_less, %product, %zero : f64
  %r = phi.tuple (%a, %b) : tuple<f64, f64>
  func.return %r : tuple<f64, f64>
}

// STATIC-LABEL:  func.func @static(
// STATIC:          %product = phi.fold (%k < %size,
// STATIC:          %is_short = arith.cmpi slt
// STATIC:          %[[STEPS:.*]] = arith.select %is_short
// STATIC-NEXT:     phi.fold (%{{.*}} < %[[STEPS]],
// STATIC:            %sum = phi.fold
// STATIC:          arith.select %is_less, %product, %zero : f64
