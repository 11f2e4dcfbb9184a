// RUN: ein-opt %s --split-input-file -p exit-settled-folds | filecheck %s

// A step in which the test fails changes nothing, and no later one does.

func.func @halved(%n: i64, %x0: i64) -> i64 {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r = phi.fold (%k < %n, %x = %x0) -> i64 {
    %more = arith.cmpi sgt, %x, %one : i64
    %half = arith.floordivsi %x, %two : i64
    %next = arith.select %more, %half, %x : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK:        func.func @halved(%n: i64, %x0: i64) -> i64 {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %two = arith.constant 2 : i64
// CHECK-NEXT:     %0 = arith.constant true
// CHECK-NEXT:     %1 = phi.tuple (%0, %x0) : tuple<i1, i64>
// CHECK-NEXT:     %r = phi.while counted (%k < %n, %x = %1) -> tuple<i1, i64> {
// CHECK-NEXT:       %x_1 = phi.proj %x, 1 : tuple<i1, i64> -> i64
// CHECK-NEXT:       %more = arith.cmpi sgt, %x_1, %one : i64
// CHECK-NEXT:       %half = arith.floordivsi %x_1, %two : i64
// CHECK-NEXT:       %next = arith.select %more, %half, %x_1 : i64
// CHECK-NEXT:       %2 = phi.tuple (%more, %next) : tuple<i1, i64>
// CHECK-NEXT:       phi.yield %2 : tuple<i1, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %r_1 = phi.proj %r, 1 : tuple<i1, i64> -> i64
// CHECK-NEXT:     func.return %r_1 : i64
// CHECK-NEXT:   }

// -----

// A flag that keeps its last value decides, also if steps use the counter; an Int that equals the
// value that it is given is kept.

func.func @flag(%n: i64, %v: !phi.vec<f64>, %e: f64) -> tuple<f64, i1, i64> {
  %true = arith.constant true
  %zero = arith.constant 0 : i64
  %start = phi.tuple (%e, %true, %n) : tuple<f64, i1, i64>
  %r = phi.fold (%k < %n, %s = %start) -> tuple<f64, i1, i64> {
    %x = phi.proj %s, 0 : tuple<f64, i1, i64> -> f64
    %on = phi.proj %s, 1 : tuple<f64, i1, i64> -> i1
    %count = phi.proj %s, 2 : tuple<f64, i1, i64> -> i64
    %y = phi.get %v[%k] : !phi.vec<f64>[i64]
    %sum = arith.addf %x, %y : f64
    %new = arith.select %on, %sum, %x : f64
    %positive = arith.cmpf ogt, %sum, %e : f64
    %still = arith.andi %on, %positive : i1
    %one = arith.constant 1 : i64
    %term = arith.select %on, %one, %zero : i64
    %more = arith.addi %count, %term : i64
    %after = phi.tuple (%new, %still, %more) : tuple<f64, i1, i64>
    phi.yield %after : tuple<f64, i1, i64>
  }
  func.return %r : tuple<f64, i1, i64>
}

// CHECK:        func.func @flag(%n: i64, %v: !phi.vec<f64>, %e: f64) -> tuple<f64, i1, i64> {
// CHECK-NEXT:     %true = arith.constant true
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %start = phi.tuple (%e, %true, %n) : tuple<f64, i1, i64>
// CHECK-NEXT:     %0 = arith.constant true
// CHECK-NEXT:     %1 = phi.tuple (%0, %e, %true, %n) : tuple<i1, f64, i1, i64>
// CHECK-NEXT:     %r = phi.while counted (%k < %n, %s = %1) -> tuple<i1, f64, i1, i64> {
// CHECK-NEXT:       %x = phi.proj %s, 1 : tuple<i1, f64, i1, i64> -> f64
// CHECK-NEXT:       %on = phi.proj %s, 2 : tuple<i1, f64, i1, i64> -> i1
// CHECK-NEXT:       %count = phi.proj %s, 3 : tuple<i1, f64, i1, i64> -> i64
// CHECK-NEXT:       %y = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %sum = arith.addf %x, %y : f64
// CHECK-NEXT:       %new = arith.select %on, %sum, %x : f64
// CHECK-NEXT:       %positive = arith.cmpf ogt, %sum, %e : f64
// CHECK-NEXT:       %still = arith.andi %on, %positive : i1
// CHECK-NEXT:       %one = arith.constant 1 : i64
// CHECK-NEXT:       %term = arith.select %on, %one, %zero : i64
// CHECK-NEXT:       %more = arith.addi %count, %term : i64
// CHECK-NEXT:       %2 = phi.tuple (%on, %new, %still, %more) : tuple<i1, f64, i1, i64>
// CHECK-NEXT:       phi.yield %2 : tuple<i1, f64, i1, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %3 = phi.proj %r, 1 : tuple<i1, f64, i1, i64> -> f64
// CHECK-NEXT:     %4 = phi.proj %r, 2 : tuple<i1, f64, i1, i64> -> i1
// CHECK-NEXT:     %5 = phi.proj %r, 3 : tuple<i1, f64, i1, i64> -> i64
// CHECK-NEXT:     %r_1 = phi.tuple (%3, %4, %5) : tuple<f64, i1, i64>
// CHECK-NEXT:     func.return %r_1 : tuple<f64, i1, i64>
// CHECK-NEXT:   }

// -----

// Euclid: the remainder stays 0.

func.func @gcd(%a: i64, %b: i64) -> i64 {
  %limit = arith.constant 64 : i64
  %zero = arith.constant 0 : i64
  %start = phi.tuple (%a, %b) : tuple<i64, i64>
  %r = phi.fold (%k < %limit, %s = %start) -> tuple<i64, i64> {
    %x = phi.proj %s, 0 : tuple<i64, i64> -> i64
    %y = phi.proj %s, 1 : tuple<i64, i64> -> i64
    %done = arith.cmpi eq, %y, %zero : i64
    %first = arith.select %done, %x, %y : i64
    %rest = sigma.floormod %x, %y : i64
    %second = arith.select %done, %zero, %rest : i64
    %after = phi.tuple (%first, %second) : tuple<i64, i64>
    phi.yield %after : tuple<i64, i64>
  }
  %d = phi.proj %r, 0 : tuple<i64, i64> -> i64
  func.return %d : i64
}

// CHECK:        func.func @gcd(%a: i64, %b: i64) -> i64 {
// CHECK-NEXT:     %limit = arith.constant 64 : i64
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %start = phi.tuple (%a, %b) : tuple<i64, i64>
// CHECK-NEXT:     %0 = arith.constant true
// CHECK-NEXT:     %1 = phi.tuple (%0, %a, %b) : tuple<i1, i64, i64>
// CHECK-NEXT:     %r = phi.while counted (%k < %limit, %s = %1) -> tuple<i1, i64, i64> {
// CHECK-NEXT:       %x = phi.proj %s, 1 : tuple<i1, i64, i64> -> i64
// CHECK-NEXT:       %y = phi.proj %s, 2 : tuple<i1, i64, i64> -> i64
// CHECK-NEXT:       %done = arith.cmpi eq, %y, %zero : i64
// CHECK-NEXT:       %first = arith.select %done, %x, %y : i64
// CHECK-NEXT:       %rest = sigma.floormod %x, %y : i64
// CHECK-NEXT:       %second = arith.select %done, %zero, %rest : i64
// CHECK-NEXT:       %2 = arith.constant true
// CHECK-NEXT:       %3 = arith.xori %done, %2 : i1
// CHECK-NEXT:       %4 = phi.tuple (%3, %first, %second) : tuple<i1, i64, i64>
// CHECK-NEXT:       phi.yield %4 : tuple<i1, i64, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %d = phi.proj %r, 1 : tuple<i1, i64, i64> -> i64
// CHECK-NEXT:     %5 = phi.proj %r, 2 : tuple<i1, i64, i64> -> i64
// CHECK-NEXT:     func.return %d : i64
// CHECK-NEXT:   }

// -----

// A position ends where it points to itself, also for each element of an array.

func.func @roots(%parent: !phi.vec<i64>) -> !phi.vec<i64> {
  %n = phi.size %parent, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %own = arith.index_cast %i : index to i64
    %root = phi.fold (%k < %n, %p = %own) -> i64 {
      %next = phi.get %parent[%p] : !phi.vec<i64>[i64]
      phi.yield %next : i64
    }
    phi.yield %root : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK:        func.func @roots(%parent: !phi.vec<i64>) -> !phi.vec<i64> {
// CHECK-NEXT:     %n = phi.size %parent, 0 : !phi.vec<i64>
// CHECK-NEXT:     %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %own = arith.index_cast %i : index to i64
// CHECK-NEXT:       %0 = arith.constant true
// CHECK-NEXT:       %1 = phi.tuple (%0, %own) : tuple<i1, i64>
// CHECK-NEXT:       %root = phi.while counted (%k < %n, %p = %1) -> tuple<i1, i64> {
// CHECK-NEXT:         %p_1 = phi.proj %p, 1 : tuple<i1, i64> -> i64
// CHECK-NEXT:         %next = phi.get %parent[%p_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %2 = arith.cmpi ne, %next, %p_1 : i64
// CHECK-NEXT:         %3 = phi.tuple (%2, %next) : tuple<i1, i64>
// CHECK-NEXT:         phi.yield %3 : tuple<i1, i64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %root_1 = phi.proj %root, 1 : tuple<i1, i64> -> i64
// CHECK-NEXT:       phi.yield %root_1 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<i64>
// CHECK-NEXT:   }

// -----

// A few steps, each with a loop.

func.func @backtracking(%v: !phi.vec<f64>, %e: f64) -> f64 {
  %eight = arith.constant 8 : i64
  %size = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %eight, %s = %e) -> f64 {
    %sum = phi.fold (%j < %size, %acc = %e) -> f64 {
      %x = phi.get %v[%j] : !phi.vec<f64>[i64]
      %y = arith.mulf %x, %s : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %large = arith.cmpf ogt, %sum, %e : f64
    %half = arith.mulf %s, %e : f64
    %new = arith.select %large, %half, %s : f64
    phi.yield %new : f64
  }
  func.return %r : f64
}

// CHECK:        func.func @backtracking(%v: !phi.vec<f64>, %e: f64) -> f64 {
// CHECK-NEXT:     %eight = arith.constant 8 : i64
// CHECK-NEXT:     %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = arith.constant true
// CHECK-NEXT:     %1 = phi.tuple (%0, %e) : tuple<i1, f64>
// CHECK-NEXT:     %r = phi.while counted (%k < %eight, %s = %1) -> tuple<i1, f64> {
// CHECK-NEXT:       %s_1 = phi.proj %s, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:       %sum = phi.fold (%j < %size, %acc = %e) -> f64 {
// CHECK-NEXT:         %x = phi.get %v[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %y = arith.mulf %x, %s_1 : f64
// CHECK-NEXT:         %next = arith.addf %acc, %y : f64
// CHECK-NEXT:         phi.yield %next : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %large = arith.cmpf ogt, %sum, %e : f64
// CHECK-NEXT:       %half = arith.mulf %s_1, %e : f64
// CHECK-NEXT:       %new = arith.select %large, %half, %s_1 : f64
// CHECK-NEXT:       %2 = phi.tuple (%large, %new) : tuple<i1, f64>
// CHECK-NEXT:       phi.yield %2 : tuple<i1, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %r_1 = phi.proj %r, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:     func.return %r_1 : f64
// CHECK-NEXT:   }

// -----

// Kept: a test that depends on the step, few steps, a field without a test, a loop in a
// comprehension, and a step in which an error is possible.

func.func @kept(%n: i64, %m: i64, %v: !phi.vec<f64>, %e: f64) -> tuple<f64, f64, tuple<f64, f64>, !phi.vec<f64>, f64> {
  %step = phi.fold (%k < %n, %x = %e) -> f64 {
    %y = phi.get %v[%k] : !phi.vec<f64>[i64]
    %c = arith.cmpf ogt, %y, %x : f64
    %next = arith.select %c, %y, %x : f64
    phi.yield %next : f64
  }
  %eight = arith.constant 8 : i64
  %few = phi.fold (%k < %eight, %x = %e) -> f64 {
    %c = arith.cmpf ogt, %x, %e : f64
    %y = arith.mulf %x, %e : f64
    %next = arith.select %c, %y, %x : f64
    phi.yield %next : f64
  }
  %start = phi.tuple (%e, %e) : tuple<f64, f64>
  %field = phi.fold (%k < %n, %s = %start) -> tuple<f64, f64> {
    %x = phi.proj %s, 0 : tuple<f64, f64> -> f64
    %z = phi.proj %s, 1 : tuple<f64, f64> -> f64
    %c = arith.cmpf ogt, %x, %e : f64
    %y = arith.mulf %x, %e : f64
    %next = arith.select %c, %y, %x : f64
    %other = arith.addf %z, %z : f64
    %after = phi.tuple (%next, %other) : tuple<f64, f64>
    phi.yield %after : tuple<f64, f64>
  }
  %size = phi.size %v, 0 : !phi.vec<f64>
  %elements = phi.array (%i < %size) -> !phi.vec<f64> {
    %own = phi.get %v[%i] : !phi.vec<f64>[index]
    %last = phi.fold (%k < %n, %x = %own) -> f64 {
      %c = arith.cmpf ogt, %x, %e : f64
      %y = arith.mulf %x, %e : f64
      %next = arith.select %c, %y, %x : f64
      phi.yield %next : f64
    }
    phi.yield %last : f64
  }
  %fails = phi.fold (%k < %n, %x = %e) -> f64 {
    %c = arith.cmpf ogt, %x, %e : f64
    %y = phi.fold (%j < %m, %z = %x) -> f64 {
      %next = arith.mulf %z, %e : f64
      phi.yield %next : f64
    }
    %next = arith.select %c, %y, %x : f64
    phi.yield %next : f64
  }
  %r = phi.tuple (%step, %few, %field, %elements, %fails) : tuple<f64, f64, tuple<f64, f64>, !phi.vec<f64>, f64>
  func.return %r : tuple<f64, f64, tuple<f64, f64>, !phi.vec<f64>, f64>
}

// CHECK:        func.func @kept(%n: i64, %m: i64, %v: !phi.vec<f64>, %e: f64) -> tuple<f64, f64, tuple<f64, f64>, !phi.vec<f64>, f64> {
// CHECK-NEXT:     %step = phi.fold (%k < %n, %x = %e) -> f64 {
// CHECK-NEXT:       %y = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %c = arith.cmpf ogt, %y, %x : f64
// CHECK-NEXT:       %next = arith.select %c, %y, %x : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %eight = arith.constant 8 : i64
// CHECK-NEXT:     %few = phi.fold (%k_1 < %eight, %x_1 = %e) -> f64 {
// CHECK-NEXT:       %c_1 = arith.cmpf ogt, %x_1, %e : f64
// CHECK-NEXT:       %y_1 = arith.mulf %x_1, %e : f64
// CHECK-NEXT:       %next_1 = arith.select %c_1, %y_1, %x_1 : f64
// CHECK-NEXT:       phi.yield %next_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %start = phi.tuple (%e, %e) : tuple<f64, f64>
// CHECK-NEXT:     %field = phi.fold (%k_2 < %n, %s = %start) -> tuple<f64, f64> {
// CHECK-NEXT:       %x_2 = phi.proj %s, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %z = phi.proj %s, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:       %c_2 = arith.cmpf ogt, %x_2, %e : f64
// CHECK-NEXT:       %y_2 = arith.mulf %x_2, %e : f64
// CHECK-NEXT:       %next_2 = arith.select %c_2, %y_2, %x_2 : f64
// CHECK-NEXT:       %other = arith.addf %z, %z : f64
// CHECK-NEXT:       %after = phi.tuple (%next_2, %other) : tuple<f64, f64>
// CHECK-NEXT:       phi.yield %after : tuple<f64, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %elements = phi.array (%i < %size) -> !phi.vec<f64> {
// CHECK-NEXT:       %own = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %last = phi.fold (%k_3 < %n, %x_3 = %own) -> f64 {
// CHECK-NEXT:         %c_3 = arith.cmpf ogt, %x_3, %e : f64
// CHECK-NEXT:         %y_3 = arith.mulf %x_3, %e : f64
// CHECK-NEXT:         %next_3 = arith.select %c_3, %y_3, %x_3 : f64
// CHECK-NEXT:         phi.yield %next_3 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %last : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %fails = phi.fold (%k_4 < %n, %x_4 = %e) -> f64 {
// CHECK-NEXT:       %c_4 = arith.cmpf ogt, %x_4, %e : f64
// CHECK-NEXT:       %y_4 = phi.fold (%j < %m, %z_1 = %x_4) -> f64 {
// CHECK-NEXT:         %next_4 = arith.mulf %z_1, %e : f64
// CHECK-NEXT:         phi.yield %next_4 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %next_5 = arith.select %c_4, %y_4, %x_4 : f64
// CHECK-NEXT:       phi.yield %next_5 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.tuple (%step, %few, %field, %elements, %fails) : tuple<f64, f64, tuple<f64, f64>, !phi.vec<f64>, f64>
// CHECK-NEXT:     func.return %r : tuple<f64, f64, tuple<f64, f64>, !phi.vec<f64>, f64>
// CHECK-NEXT:   }

// A loop by a condition begins for the elements alone that take its result.

func.func @taken(%a: !phi.vec<f64>, %c: !phi.vec<i1>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %most = arith.constant 100 : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %taken = phi.get %c[%i] : !phi.vec<i1>[index]
    %large = arith.cmpf ogt, %x, %one : f64
    %start = phi.tuple (%large, %x) : tuple<i1, f64>
    %w = phi.while (%k < %most, %s = %start) -> tuple<i1, f64> {
      %y = phi.proj %s, 1 : tuple<i1, f64> -> f64
      %z = math.sqrt %y : f64
      %more = arith.cmpf ogt, %z, %one : f64
      %next = phi.tuple (%more, %z) : tuple<i1, f64>
      phi.yield %next : tuple<i1, f64>
    }
    %root = phi.proj %w, 1 : tuple<i1, f64> -> f64
    %twice = arith.addf %root, %root : f64
    %e = arith.select %taken, %twice, %zero : f64
    phi.yield %e : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @taken(
// CHECK:         [[STARTS:%[0-9]+]] = arith.andi %large, %taken : i1
// CHECK-NEXT:    [[START:%[0-9]+]] = phi.tuple ([[STARTS]], %x) : tuple<i1, f64>
// CHECK-NEXT:    %w = phi.while (%k < %most, %s = [[START]]) -> tuple<i1, f64> {
