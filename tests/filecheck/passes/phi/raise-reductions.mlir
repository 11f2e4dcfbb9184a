// RUN: ein-opt %s --split-input-file -p raise-reductions | filecheck %s

// A sum with an initial value: the value is added once.
func.func @sum(%a: !phi.vec<f64>, %x: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %x) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %v, %acc : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @sum(%a: !phi.vec<f64>, %x: f64) -> f64 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %v = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %v : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %2 = phi.reduce %0 identity %1 by { arith.addf } -> f64
// CHECK-NEXT:     %s = arith.addf %x, %2 : f64
// CHECK-NEXT:     func.return %s : f64
// CHECK-NEXT:   }

// -----

// An initial value that is the identity goes.
func.func @maximum(%a: !phi.vec<i32>) -> i32 {
  %n = phi.size %a, 0 : !phi.vec<i32>
  %x = arith.constant -2147483648 : i32
  %s = phi.fold (%k < %n, %acc = %x) -> i32 {
    %v = phi.get %a[%k] : !phi.vec<i32>[i64]
    %next = arith.maxsi %acc, %v : i32
    phi.yield %next : i32
  }
  func.return %s : i32
}

// CHECK:        func.func @maximum(%a: !phi.vec<i32>) -> i32 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<i32>
// CHECK-NEXT:     %x = arith.constant -2147483648 : i32
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<i32> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %v = phi.get %a[%k_1] : !phi.vec<i32>[i64]
// CHECK-NEXT:       phi.yield %v : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = arith.constant -2147483648 : i32
// CHECK-NEXT:     %s = phi.reduce %0 identity %1 by { arith.maxsi } -> i32
// CHECK-NEXT:     func.return %s : i32
// CHECK-NEXT:   }

// -----

// An accumulator that is read twice is no reduction.
func.func @twice(%a: !phi.vec<f64>, %x: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %x) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %w = arith.mulf %acc, %v : f64
    %next = arith.addf %acc, %w : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @twice(%a: !phi.vec<f64>, %x: f64) -> f64 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %s = phi.fold (%k < %n, %acc = %x) -> f64 {
// CHECK-NEXT:       %v = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %w = arith.mulf %acc, %v : f64
// CHECK-NEXT:       %next = arith.addf %acc, %w : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %s : f64
// CHECK-NEXT:   }

// -----

// Distances vary with i, j and k, but no operand does: the fold stays a loop.
func.func @distances(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.subf %x, %y : f64
      %1 = math.absf %0 : f64
      %2 = arith.addf %acc, %1 : f64
      phi.yield %2 : f64
    }
    phi.yield %s : f64
  }
  func.return %d : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @distances(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:         %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         %0 = arith.subf %x, %y : f64
// CHECK-NEXT:         %1 = math.absf %0 : f64
// CHECK-NEXT:         %2 = arith.addf %acc, %1 : f64
// CHECK-NEXT:         phi.yield %2 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %d : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// A product of arrays needs no array of products: the sum is raised, and contracted later.
func.func @product(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.mulf %x, %y : f64
      %1 = arith.addf %acc, %0 : f64
      phi.yield %1 : f64
    }
    phi.yield %s : f64
  }
  func.return %d : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @product(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %0 = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %x = phi.get %a[%i, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         %y = phi.get %a[%j, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         %1 = arith.mulf %x, %y : f64
// CHECK-NEXT:         phi.yield %1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %s = phi.reduce %0 identity %2 by { arith.addf } -> f64
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %d : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// Nested counters, innermost first.
func.func @total(%a: !phi.vec<!phi.vec<f64>>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %t = phi.fold (%l < %m, %inner = %zero) -> f64 {
      %x = phi.get %a[%k, %l] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %0 = arith.addf %inner, %x : f64
      phi.yield %0 : f64
    }
    %1 = arith.addf %acc, %t : f64
    phi.yield %1 : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @total(%a: !phi.vec<!phi.vec<f64>>) -> f64 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %1 = phi.array (%l < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %l_1 = arith.index_cast %l : index to i64
// CHECK-NEXT:         %x = phi.get %a[%k_1, %l_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         phi.yield %x : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %t = phi.reduce %1 identity %2 by { arith.addf } -> f64
// CHECK-NEXT:       phi.yield %t : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %s = phi.reduce %0 identity %3 by { arith.addf } -> f64
// CHECK-NEXT:     func.return %s : f64
// CHECK-NEXT:   }

// -----

// The position of the first of the smallest elements, if the search starts from infinity at 0.
func.func @argmin(%a: !phi.vec<f64>) -> tuple<f64, i64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %inf = arith.constant 0x7ff0000000000000 : f64
  %zero = arith.constant 0 : i64
  %start = phi.tuple (%inf, %zero) : tuple<f64, i64>
  %s = phi.fold (%k < %n, %best = %start) -> tuple<f64, i64> {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %so_far = phi.proj %best, 0 : tuple<f64, i64> -> f64
    %at = phi.proj %best, 1 : tuple<f64, i64> -> i64
    %better = arith.cmpf olt, %x, %so_far : f64
    %0 = arith.select %better, %x, %so_far : f64
    %1 = arith.select %better, %k, %at : i64
    %next = phi.tuple (%0, %1) : tuple<f64, i64>
    phi.yield %next : tuple<f64, i64>
  }
  func.return %s : tuple<f64, i64>
}

// CHECK:        func.func @argmin(%a: !phi.vec<f64>) -> tuple<f64, i64> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %inf = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %start = phi.tuple (%inf, %zero) : tuple<f64, i64>
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.argreduce %0 by "<" : !phi.vec<f64>
// CHECK-NEXT:     %2 = phi.get %0[%1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %3 = arith.cmpf olt, %2, %inf : f64
// CHECK-NEXT:     %4 = arith.constant 0 : i64
// CHECK-NEXT:     %5 = arith.cmpi sgt, %n, %4 : i64
// CHECK-NEXT:     %6 = arith.andi %5, %3 : i1
// CHECK-NEXT:     %7 = arith.select %6, %2, %inf : f64
// CHECK-NEXT:     %s = phi.tuple (%7, %1) : tuple<f64, i64>
// CHECK-NEXT:     func.return %s : tuple<f64, i64>
// CHECK-NEXT:   }

// -----

// The last of the largest Ints for which %p holds of k, or the initial value; a value that does not
// vary with the counter is not read at the position.
func.func @guarded(%p: !phi.vec<i1>, %a: !phi.vec<i64>, %init: tuple<tuple<i64, f64>, f64>, %y: f64) -> tuple<tuple<i64, f64>, f64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %s = phi.fold (%k < %n, %best = %init) -> tuple<tuple<i64, f64>, f64> {
    %x = phi.get %a[%k] : !phi.vec<i64>[i64]
    %v = arith.sitofp %x : i64 to f64
    %inner = phi.proj %best, 0 : tuple<tuple<i64, f64>, f64> -> tuple<i64, f64>
    %b0 = phi.proj %inner, 0 : tuple<i64, f64> -> i64
    %b1 = phi.proj %inner, 1 : tuple<i64, f64> -> f64
    %b2 = phi.proj %best, 1 : tuple<tuple<i64, f64>, f64> -> f64
    %holds = phi.get %p[%k] : !phi.vec<i1>[i64]
    %larger = arith.cmpi slt, %b0, %x : i64
    %better = arith.andi %holds, %larger : i1
    %0 = arith.select %better, %x, %b0 : i64
    %1 = arith.select %better, %v, %b1 : f64
    %2 = arith.select %better, %y, %b2 : f64
    %3 = phi.tuple (%0, %1) : tuple<i64, f64>
    %next = phi.tuple (%3, %2) : tuple<tuple<i64, f64>, f64>
    phi.yield %next : tuple<tuple<i64, f64>, f64>
  }
  func.return %s : tuple<tuple<i64, f64>, f64>
}

// CHECK:        func.func @guarded(%p: !phi.vec<i1>, %a: !phi.vec<i64>, %init: tuple<tuple<i64, f64>, f64>, %y: f64) -> tuple<tuple<i64, f64>, f64> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %holds = phi.get %p[%k_1] : !phi.vec<i1>[i64]
// CHECK-NEXT:       %1 = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:       %2 = arith.select %holds, %x, %1 : i64
// CHECK-NEXT:       phi.yield %2 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %3 = phi.argreduce %0 by ">" : !phi.vec<i64>
// CHECK-NEXT:     %4 = phi.get %0[%3] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %x_1 = phi.get %a[%3] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %v = arith.sitofp %x_1 : i64 to f64
// CHECK-NEXT:     %5 = phi.proj %init, 0 : tuple<tuple<i64, f64>, f64> -> tuple<i64, f64>
// CHECK-NEXT:     %6 = phi.proj %init, 1 : tuple<tuple<i64, f64>, f64> -> f64
// CHECK-NEXT:     %7 = phi.proj %5, 0 : tuple<i64, f64> -> i64
// CHECK-NEXT:     %8 = phi.proj %5, 1 : tuple<i64, f64> -> f64
// CHECK-NEXT:     %9 = arith.cmpi sgt, %4, %7 : i64
// CHECK-NEXT:     %10 = arith.constant 0 : i64
// CHECK-NEXT:     %11 = arith.cmpi sgt, %n, %10 : i64
// CHECK-NEXT:     %12 = arith.andi %11, %9 : i1
// CHECK-NEXT:     %13 = arith.select %12, %4, %7 : i64
// CHECK-NEXT:     %14 = arith.select %12, %v, %8 : f64
// CHECK-NEXT:     %15 = arith.select %12, %y, %6 : f64
// CHECK-NEXT:     %16 = phi.tuple (%13, %14) : tuple<i64, f64>
// CHECK-NEXT:     %s = phi.tuple (%16, %15) : tuple<tuple<i64, f64>, f64>
// CHECK-NEXT:     func.return %s : tuple<tuple<i64, f64>, f64>
// CHECK-NEXT:   }

// -----

// A negated comparison of Ints is another comparison: this is the smallest.
func.func @kept(%a: !phi.vec<i32>, %x0: i32) -> i32 {
  %n = phi.size %a, 0 : !phi.vec<i32>
  %s = phi.fold (%k < %n, %best = %x0) -> i32 {
    %x = phi.get %a[%k] : !phi.vec<i32>[i64]
    %worse = arith.cmpi sgt, %x, %best : i32
    %0 = arith.select %worse, %best, %x : i32
    phi.yield %0 : i32
  }
  func.return %s : i32
}

// CHECK:        func.func @kept(%a: !phi.vec<i32>, %x0: i32) -> i32 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<i32>
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<i32> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<i32>[i64]
// CHECK-NEXT:       phi.yield %x : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = arith.constant 2147483647 : i32
// CHECK-NEXT:     %2 = phi.reduce %0 identity %1 by { arith.minsi } -> i32
// CHECK-NEXT:     %s = arith.minsi %x0, %2 : i32
// CHECK-NEXT:     func.return %s : i32
// CHECK-NEXT:   }

// -----

// Of floats it is not, because of NaN: this search starts again after each NaN.
func.func @kept_float(%a: !phi.vec<f64>, %x0: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %best = %x0) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %worse = arith.cmpf ogt, %x, %best : f64
    %0 = arith.select %worse, %best, %x : f64
    phi.yield %0 : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @kept_float(%a: !phi.vec<f64>, %x0: f64) -> f64 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %s = phi.fold (%k < %n, %best = %x0) -> f64 {
// CHECK-NEXT:       %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %worse = arith.cmpf ogt, %x, %best : f64
// CHECK-NEXT:       %0 = arith.select %worse, %best, %x : f64
// CHECK-NEXT:       phi.yield %0 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %s : f64
// CHECK-NEXT:   }

// -----

// The payload depends on the previous payload: no search.
func.func @counted(%a: !phi.vec<f64>, %init: tuple<f64, i64>) -> tuple<f64, i64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %s = phi.fold (%k < %n, %best = %init) -> tuple<f64, i64> {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %so_far = phi.proj %best, 0 : tuple<f64, i64> -> f64
    %records = phi.proj %best, 1 : tuple<f64, i64> -> i64
    %better = arith.cmpf olt, %x, %so_far : f64
    %more = arith.addi %records, %one : i64
    %0 = arith.select %better, %x, %so_far : f64
    %1 = arith.select %better, %more, %records : i64
    %next = phi.tuple (%0, %1) : tuple<f64, i64>
    phi.yield %next : tuple<f64, i64>
  }
  func.return %s : tuple<f64, i64>
}

// CHECK:        func.func @counted(%a: !phi.vec<f64>, %init: tuple<f64, i64>) -> tuple<f64, i64> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %s = phi.fold (%k < %n, %best = %init) -> tuple<f64, i64> {
// CHECK-NEXT:       %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %so_far = phi.proj %best, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:       %records = phi.proj %best, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:       %better = arith.cmpf olt, %x, %so_far : f64
// CHECK-NEXT:       %more = arith.addi %records, %one : i64
// CHECK-NEXT:       %0 = arith.select %better, %x, %so_far : f64
// CHECK-NEXT:       %1 = arith.select %better, %more, %records : i64
// CHECK-NEXT:       %next = phi.tuple (%0, %1) : tuple<f64, i64>
// CHECK-NEXT:       phi.yield %next : tuple<f64, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %s : tuple<f64, i64>
// CHECK-NEXT:   }

// -----

// Another value than the one that is compared is remembered as the best: no search.
func.func @other(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %x0: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %best = %x0) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %y = phi.get %b[%k] : !phi.vec<f64>[i64]
    %better = arith.cmpf olt, %x, %best : f64
    %0 = arith.select %better, %y, %best : f64
    phi.yield %0 : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @other(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %x0: f64) -> f64 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %s = phi.fold (%k < %n, %best = %x0) -> f64 {
// CHECK-NEXT:       %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %better = arith.cmpf olt, %x, %best : f64
// CHECK-NEXT:       %0 = arith.select %better, %y, %best : f64
// CHECK-NEXT:       phi.yield %0 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %s : f64
// CHECK-NEXT:   }

// -----

// Differences vary with i, j and k, but no operand does: the search stays a loop.
func.func @nearest(%a: !phi.vec<!phi.vec<f64>>, %x0: f64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %best = %x0) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.subf %x, %y : f64
      %better = arith.cmpf olt, %0, %best : f64
      %1 = arith.select %better, %0, %best : f64
      phi.yield %1 : f64
    }
    phi.yield %s : f64
  }
  func.return %d : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @nearest(%a: !phi.vec<!phi.vec<f64>>, %x0: f64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %s = phi.fold (%k < %m, %best = %x0) -> f64 {
// CHECK-NEXT:         %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         %0 = arith.subf %x, %y : f64
// CHECK-NEXT:         %better = arith.cmpf olt, %0, %best : f64
// CHECK-NEXT:         %1 = arith.select %better, %0, %best : f64
// CHECK-NEXT:         phi.yield %1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %d : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// A reduction of records by a comparison is a search, too.
func.func @reduced(%a: !phi.vec<f64>, %z: tuple<f64, i64>) -> tuple<f64, i64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %v = phi.array (%k < %n) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %x = phi.get %a[%k] : !phi.vec<f64>[index]
    %at = arith.index_cast %k : index to i64
    %0 = phi.tuple (%x, %at) : tuple<f64, i64>
    phi.yield %0 : tuple<f64, i64>
  }
  %s = phi.reduce %v : tuple<!phi.vec<f64>, !phi.vec<i64>> identity %z by (%l, %r) -> tuple<f64, i64> {
    %l0 = phi.proj %l, 0 : tuple<f64, i64> -> f64
    %l1 = phi.proj %l, 1 : tuple<f64, i64> -> i64
    %r0 = phi.proj %r, 0 : tuple<f64, i64> -> f64
    %r1 = phi.proj %r, 1 : tuple<f64, i64> -> i64
    %better = arith.cmpf ogt, %r0, %l0 : f64
    %0 = arith.select %better, %r0, %l0 : f64
    %1 = arith.select %better, %r1, %l1 : i64
    %2 = phi.tuple (%0, %1) : tuple<f64, i64>
    phi.yield %2 : tuple<f64, i64>
  }
  func.return %s : tuple<f64, i64>
}

// CHECK:        func.func @reduced(%a: !phi.vec<f64>, %z: tuple<f64, i64>) -> tuple<f64, i64> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %v = phi.array (%k < %n) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:       %x = phi.get %a[%k] : !phi.vec<f64>[index]
// CHECK-NEXT:       %at = arith.index_cast %k : index to i64
// CHECK-NEXT:       %0 = phi.tuple (%x, %at) : tuple<f64, i64>
// CHECK-NEXT:       phi.yield %0 : tuple<f64, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.proj %v, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:     %2 = phi.proj %v, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:     %3 = phi.array (%k_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_2 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:       %4 = phi.get %1[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %4 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = phi.argreduce %3 by ">" : !phi.vec<f64>
// CHECK-NEXT:     %6 = phi.get %3[%5] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %7 = phi.proj %z, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:     %8 = phi.proj %z, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:     %9 = arith.cmpf ogt, %6, %7 : f64
// CHECK-NEXT:     %10 = arith.constant 0 : i64
// CHECK-NEXT:     %11 = arith.cmpi sgt, %n, %10 : i64
// CHECK-NEXT:     %12 = arith.andi %11, %9 : i1
// CHECK-NEXT:     %13 = arith.select %12, %6, %7 : f64
// CHECK-NEXT:     %14 = arith.select %12, %5, %8 : i64
// CHECK-NEXT:     %s = phi.tuple (%13, %14) : tuple<f64, i64>
// CHECK-NEXT:     func.return %s : tuple<f64, i64>
// CHECK-NEXT:   }

// -----

// Fields that are independent of each other: two sums leave the fold, the recurrence stays. The
// second sum is of the elements taken away.
func.func @fields(%a: !phi.vec<f64>, %init: tuple<f64, tuple<f64, f64>>) -> tuple<f64, tuple<f64, f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %init) -> tuple<f64, tuple<f64, f64>> {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %square = arith.mulf %x, %x : f64
    %p = phi.proj %acc, 0 : tuple<f64, tuple<f64, f64>> -> f64
    %qr = phi.proj %acc, 1 : tuple<f64, tuple<f64, f64>> -> tuple<f64, f64>
    %q = phi.proj %qr, 0 : tuple<f64, f64> -> f64
    %r = phi.proj %qr, 1 : tuple<f64, f64> -> f64
    %0 = arith.addf %p, %square : f64
    %1 = arith.mulf %q, %x : f64
    %2 = arith.addf %1, %square : f64
    %3 = arith.subf %r, %x : f64
    %4 = arith.subf %3, %square : f64
    %5 = phi.tuple (%2, %4) : tuple<f64, f64>
    %next = phi.tuple (%0, %5) : tuple<f64, tuple<f64, f64>>
    phi.yield %next : tuple<f64, tuple<f64, f64>>
  }
  func.return %s : tuple<f64, tuple<f64, f64>>
}

// CHECK:        func.func @fields(%a: !phi.vec<f64>, %init: tuple<f64, tuple<f64, f64>>) -> tuple<f64, tuple<f64, f64>> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = phi.proj %init, 0 : tuple<f64, tuple<f64, f64>> -> f64
// CHECK-NEXT:     %1 = phi.proj %init, 1 : tuple<f64, tuple<f64, f64>> -> tuple<f64, f64>
// CHECK-NEXT:     %2 = phi.proj %1, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:     %3 = phi.proj %1, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:     %4 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %square = arith.mulf %x, %x : f64
// CHECK-NEXT:       phi.yield %square : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %6 = phi.reduce %4 identity %5 by { arith.addf } -> f64
// CHECK-NEXT:     %s = arith.addf %0, %6 : f64
// CHECK-NEXT:     %7 = phi.array (%k_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:       %x_1 = phi.get %a[%k_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %square_1 = arith.mulf %x_1, %x_1 : f64
// CHECK-NEXT:       %8 = arith.addf %x_1, %square_1 : f64
// CHECK-NEXT:       %9 = arith.negf %8 : f64
// CHECK-NEXT:       phi.yield %9 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %10 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %11 = phi.reduce %7 identity %10 by { arith.addf } -> f64
// CHECK-NEXT:     %s_1 = arith.addf %3, %11 : f64
// CHECK-NEXT:     %s_2 = phi.fold (%k_4 < %n, %acc = %2) -> f64 {
// CHECK-NEXT:       %x_2 = phi.get %a[%k_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %square_2 = arith.mulf %x_2, %x_2 : f64
// CHECK-NEXT:       %12 = arith.mulf %acc, %x_2 : f64
// CHECK-NEXT:       %13 = arith.addf %12, %square_2 : f64
// CHECK-NEXT:       phi.yield %13 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %14 = phi.tuple (%s_2, %s_1) : tuple<f64, f64>
// CHECK-NEXT:     %s_3 = phi.tuple (%s, %14) : tuple<f64, tuple<f64, f64>>
// CHECK-NEXT:     func.return %s_3 : tuple<f64, tuple<f64, f64>>
// CHECK-NEXT:   }

// -----

// Each field reads the other: they stay together.
func.func @fibonacci(%n: i64, %init: tuple<i64, i64>) -> tuple<i64, i64> {
  %s = phi.fold (%k < %n, %acc = %init) -> tuple<i64, i64> {
    %p = phi.proj %acc, 0 : tuple<i64, i64> -> i64
    %q = phi.proj %acc, 1 : tuple<i64, i64> -> i64
    %0 = arith.addi %p, %q : i64
    %next = phi.tuple (%q, %0) : tuple<i64, i64>
    phi.yield %next : tuple<i64, i64>
  }
  func.return %s : tuple<i64, i64>
}

// CHECK:        func.func @fibonacci(%n: i64, %init: tuple<i64, i64>) -> tuple<i64, i64> {
// CHECK-NEXT:     %s = phi.fold (%k < %n, %acc = %init) -> tuple<i64, i64> {
// CHECK-NEXT:       %p = phi.proj %acc, 0 : tuple<i64, i64> -> i64
// CHECK-NEXT:       %q = phi.proj %acc, 1 : tuple<i64, i64> -> i64
// CHECK-NEXT:       %0 = arith.addi %p, %q : i64
// CHECK-NEXT:       %next = phi.tuple (%q, %0) : tuple<i64, i64>
// CHECK-NEXT:       phi.yield %next : tuple<i64, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %s : tuple<i64, i64>
// CHECK-NEXT:   }

// -----

// Terms that vary with i and k, and with j and k, and with neither: an array over i, j and k would be
// larger than the operands, so each is summed independently.
func.func @sum_of_sums(%a: !phi.vec<!phi.vec<f64>>, %u: !phi.vec<f64>, %x: f64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %c = phi.get %u[%j] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %x) -> f64 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.addf %p, %c : f64
      %1 = arith.subf %0, %q : f64
      %2 = arith.addf %acc, %1 : f64
      phi.yield %2 : f64
    }
    phi.yield %s : f64
  }
  func.return %d : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @sum_of_sums(%a: !phi.vec<!phi.vec<f64>>, %u: !phi.vec<f64>, %x: f64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %c = phi.get %u[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:       %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %1 = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %p = phi.get %a[%i, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         phi.yield %p : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %3 = phi.reduce %1 identity %2 by { arith.addf } -> f64
// CHECK-NEXT:       %4 = arith.sitofp %m : i64 to f64
// CHECK-NEXT:       %5 = arith.mulf %4, %c : f64
// CHECK-NEXT:       %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %7 = arith.constant 0 : i64
// CHECK-NEXT:       %8 = arith.cmpi sgt, %m, %7 : i64
// CHECK-NEXT:       %9 = arith.select %8, %5, %6 : f64
// CHECK-NEXT:       %10 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %11 = phi.array (%k_2 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:         %q = phi.get %a[%j, %k_3] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         phi.yield %q : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %12 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %13 = phi.reduce %11 identity %12 by { arith.addf } -> f64
// CHECK-NEXT:       %14 = arith.addf %x, %3 : f64
// CHECK-NEXT:       %15 = arith.addf %14, %9 : f64
// CHECK-NEXT:       %s = arith.subf %15, %13 : f64
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %d : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// The array of differences is no larger than the operands: they are summed directly.
func.func @bounded(%a: !phi.vec<f64>, %c: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.000000e+00 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %p = phi.get %a[%k] : !phi.vec<f64>[i64]
    %0 = arith.subf %p, %c : f64
    %1 = arith.addf %acc, %0 : f64
    phi.yield %1 : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @bounded(%a: !phi.vec<f64>, %c: f64) -> f64 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %p = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %1 = arith.subf %p, %c : f64
// CHECK-NEXT:       phi.yield %1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %s = phi.reduce %0 identity %2 by { arith.addf } -> f64
// CHECK-NEXT:     func.return %s : f64
// CHECK-NEXT:   }

// -----

// A maximum moves out of a minimum; the initial value is the result of an empty loop.
func.func @minimum_of_maxima(%a: !phi.vec<f64>, %c: f64, %x: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %x) -> f64 {
    %p = phi.get %a[%k] : !phi.vec<f64>[i64]
    %0 = arith.maximumf %p, %c : f64
    %1 = arith.minimumf %acc, %0 : f64
    phi.yield %1 : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @minimum_of_maxima(%a: !phi.vec<f64>, %c: f64, %x: f64) -> f64 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:     %1 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %p = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %p : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:     %3 = phi.reduce %1 identity %2 by { arith.minimumf } -> f64
// CHECK-NEXT:     %4 = arith.maximumf %c, %3 : f64
// CHECK-NEXT:     %5 = arith.minimumf %x, %4 : f64
// CHECK-NEXT:     %6 = arith.constant 0 : i64
// CHECK-NEXT:     %7 = arith.cmpi sgt, %n, %6 : i64
// CHECK-NEXT:     %s = arith.select %7, %5, %x : f64
// CHECK-NEXT:     func.return %s : f64
// CHECK-NEXT:   }

// -----

// A common condition moves out of `any`, also for an empty loop.
func.func @any_of_both(%a: !phi.vec<i1>, %c: i1) -> i1 {
  %n = phi.size %a, 0 : !phi.vec<i1>
  %no = arith.constant false
  %s = phi.fold (%k < %n, %acc = %no) -> i1 {
    %p = phi.get %a[%k] : !phi.vec<i1>[i64]
    %0 = arith.andi %c, %p : i1
    %1 = arith.ori %acc, %0 : i1
    phi.yield %1 : i1
  }
  func.return %s : i1
}

// CHECK:        func.func @any_of_both(%a: !phi.vec<i1>, %c: i1) -> i1 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<i1>
// CHECK-NEXT:     %no = arith.constant false
// CHECK-NEXT:     %0 = arith.constant false
// CHECK-NEXT:     %1 = phi.array (%k < %n) -> !phi.vec<i1> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %p = phi.get %a[%k_1] : !phi.vec<i1>[i64]
// CHECK-NEXT:       phi.yield %p : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = arith.constant false
// CHECK-NEXT:     %3 = phi.reduce %1 identity %2 by { arith.ori } -> i1
// CHECK-NEXT:     %s = arith.andi %c, %3 : i1
// CHECK-NEXT:     func.return %s : i1
// CHECK-NEXT:   }

// -----

// A sum does not move out of a minimum: c and an element may be infinities of two signs.
func.func @minimum_of_sums(%a: !phi.vec<f64>, %c: f64, %x: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %x) -> f64 {
    %p = phi.get %a[%k] : !phi.vec<f64>[i64]
    %0 = arith.addf %p, %c : f64
    %1 = arith.minimumf %acc, %0 : f64
    phi.yield %1 : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @minimum_of_sums(%a: !phi.vec<f64>, %c: f64, %x: f64) -> f64 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %p = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %1 = arith.addf %p, %c : f64
// CHECK-NEXT:       phi.yield %1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:     %3 = phi.reduce %0 identity %2 by { arith.minimumf } -> f64
// CHECK-NEXT:     %s = arith.minimumf %x, %3 : f64
// CHECK-NEXT:     func.return %s : f64
// CHECK-NEXT:   }

// -----

// A sum does not vary with its former counter: its users in the body of the outer
// fold need no array over %l and %k, and both folds are reductions.
func.func @sum_in_a_sum(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.000000e+00 : f64
  %t = phi.fold (%l < %n, %outer = %zero) -> f64 {
    %y = phi.get %b[%l] : !phi.vec<f64>[i64]
    %s = phi.fold (%k < %n, %inner = %zero) -> f64 {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %0 = arith.mulf %x, %y : f64
      %1 = arith.addf %inner, %0 : f64
      phi.yield %1 : f64
    }
    %2 = math.absf %s : f64
    %3 = arith.addf %outer, %2 : f64
    phi.yield %3 : f64
  }
  func.return %t : f64
}

// CHECK:        func.func @sum_in_a_sum(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %0 = phi.array (%l < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %l_1 = arith.index_cast %l : index to i64
// CHECK-NEXT:       %y = phi.get %b[%l_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %1 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %2 = arith.mulf %x, %y : f64
// CHECK-NEXT:         phi.yield %2 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %s = phi.reduce %1 identity %3 by { arith.addf } -> f64
// CHECK-NEXT:       %4 = math.absf %s : f64
// CHECK-NEXT:       phi.yield %4 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %t = phi.reduce %0 identity %5 by { arith.addf } -> f64
// CHECK-NEXT:     func.return %t : f64
// CHECK-NEXT:   }

// -----

// A reduction has no step with a counter that the count of a loop could be.
func.func @count(%a: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %x = phi.fold (%j < %k, %t = %zero) -> f64 {
      %u = arith.mulf %t, %half : f64
      %e = phi.get %a[%j] : !phi.vec<f64>[i64]
      %v = arith.addf %u, %e : f64
      phi.yield %v : f64
    }
    %next = arith.addf %acc, %x : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @count(
// CHECK-NOT:      phi.reduce
// CHECK:          phi.fold (%k < %n, %acc = %zero)
// CHECK-NOT:      phi.reduce
// CHECK:          func.return

// -----

// An omitted step is combined as the identity.
func.func @some(%a: !phi.vec<f64>, %b: !phi.vec<i64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %y = phi.get %b[%k] : !phi.vec<i64>[i64]
    %c = arith.cmpi eq, %y, %none : i64
    %sum = arith.addf %acc, %x : f64
    %next = arith.select %c, %acc, %sum : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK:        func.func @some(%a: !phi.vec<f64>, %b: !phi.vec<i64>) -> f64 {
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %none = arith.constant 0 : i64
// CHECK-NEXT:       %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:       %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %y = phi.get %b[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %c = arith.cmpi eq, %y, %none : i64
// CHECK-NEXT:         %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:         %2 = arith.select %c, %1, %x : f64
// CHECK-NEXT:         phi.yield %2 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %s = phi.reduce %0 identity %3 by { arith.addf } -> f64
// CHECK-NEXT:       func.return %s : f64
// CHECK-NEXT:     }

// -----

// Fields of a reduction that do not depend on each other; of two others a search.
func.func @fields_of_reductions(%a: !phi.vec<f64>, %b: !phi.vec<i64>, %init: tuple<f64, i64, f64>) -> tuple<f64, i64, f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %v = phi.array (%k < %n) -> tuple<!phi.vec<f64>, !phi.vec<i64>, !phi.vec<f64>> {
    %x = phi.get %a[%k] : !phi.vec<f64>[index]
    %y = phi.get %b[%k] : !phi.vec<i64>[index]
    %z = arith.mulf %x, %x : f64
    %t = phi.tuple (%x, %y, %z) : tuple<f64, i64, f64>
    phi.yield %t : tuple<f64, i64, f64>
  }
  %r = phi.reduce %v : tuple<!phi.vec<f64>, !phi.vec<i64>, !phi.vec<f64>> identity %init by (%l, %m) -> tuple<f64, i64, f64> {
    %l0 = phi.proj %l, 0 : tuple<f64, i64, f64> -> f64
    %m0 = phi.proj %m, 0 : tuple<f64, i64, f64> -> f64
    %l1 = phi.proj %l, 1 : tuple<f64, i64, f64> -> i64
    %m1 = phi.proj %m, 1 : tuple<f64, i64, f64> -> i64
    %l2 = phi.proj %l, 2 : tuple<f64, i64, f64> -> f64
    %m2 = phi.proj %m, 2 : tuple<f64, i64, f64> -> f64
    %less = arith.cmpf olt, %m0, %l0 : f64
    %s0 = arith.select %less, %m0, %l0 : f64
    %s1 = arith.select %less, %m1, %l1 : i64
    %s2 = arith.addf %l2, %m2 : f64
    %s = phi.tuple (%s0, %s1, %s2) : tuple<f64, i64, f64>
    phi.yield %s : tuple<f64, i64, f64>
  }
  func.return %r : tuple<f64, i64, f64>
}

// CHECK-LABEL: func.func @fields_of_reductions(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %v = phi.array (%k < %n) -> tuple<!phi.vec<f64>, !phi.vec<i64>, !phi.vec<f64>> {
// CHECK-NEXT:     %x = phi.get %a[%k] : !phi.vec<f64>[index]
// CHECK-NEXT:     %y = phi.get %b[%k] : !phi.vec<i64>[index]
// CHECK-NEXT:     %z = arith.mulf %x, %x : f64
// CHECK-NEXT:     %t = phi.tuple (%x, %y, %z) : tuple<f64, i64, f64>
// CHECK-NEXT:     phi.yield %t : tuple<f64, i64, f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %0 = phi.proj %v, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:   %1 = phi.proj %v, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>, !phi.vec<f64>> -> !phi.vec<i64>
// CHECK-NEXT:   %2 = phi.proj %v, 2 : tuple<!phi.vec<f64>, !phi.vec<i64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:   %3 = phi.proj %init, 0 : tuple<f64, i64, f64> -> f64
// CHECK-NEXT:   %4 = phi.proj %init, 1 : tuple<f64, i64, f64> -> i64
// CHECK-NEXT:   %5 = phi.proj %init, 2 : tuple<f64, i64, f64> -> f64
// CHECK-NEXT:   %6 = phi.tuple (%3, %4) : tuple<f64, i64>
// CHECK-NEXT:   %7 = phi.array (%k_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_2 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:     %8 = phi.get %0[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %8 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %9 = phi.argreduce %7 by "<" : !phi.vec<f64>
// CHECK-NEXT:   %10 = phi.get %7[%9] : !phi.vec<f64>[i64]
// CHECK-NEXT:   %11 = phi.get %1[%9] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %12 = arith.cmpf olt, %10, %3 : f64
// CHECK-NEXT:   %13 = arith.constant 0 : i64
// CHECK-NEXT:   %14 = arith.cmpi sgt, %n, %13 : i64
// CHECK-NEXT:   %15 = arith.andi %14, %12 : i1
// CHECK-NEXT:   %16 = arith.select %15, %10, %3 : f64
// CHECK-NEXT:   %17 = arith.select %15, %11, %4 : i64
// CHECK-NEXT:   %r = phi.tuple (%16, %17) : tuple<f64, i64>
// CHECK-NEXT:   %18 = phi.proj %r, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:   %19 = phi.proj %r, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:   %20 = phi.array (%k_3 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_4 = arith.index_cast %k_3 : index to i64
// CHECK-NEXT:     %21 = phi.get %2[%k_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %21 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %22 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %23 = phi.reduce %20 identity %22 by { arith.addf } -> f64
// CHECK-NEXT:   %r_1 = arith.addf %5, %23 : f64
// CHECK-NEXT:   %r_2 = phi.tuple (%18, %19, %r_1) : tuple<f64, i64, f64>
// CHECK-NEXT:   func.return %r_2 : tuple<f64, i64, f64>
// CHECK-NEXT: }

// -----

// The initial value of a product of floats is its first factor: products are not regrouped.
func.func @scaled_product(%a: !phi.vec<f64>, %x: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %x) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %acc, %v : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK-LABEL:  func.func @scaled_product(
// CHECK-NEXT:       %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:       %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK:            %1 = arith.constant 1 : i64
// CHECK-NEXT:       %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:         phi.yield %x : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %4 = phi.concat %2, %0 : !phi.vec<f64>
// CHECK-NEXT:       %5 = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:       %s = phi.reduce %4 identity %5 by { arith.mulf } -> f64
// CHECK-NEXT:       func.return %s : f64

// -----

// Factors of floats are multiplied one after the other, terms of a sum first with each other.
func.func @two_factors(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> (f64, f64) {
  %one = arith.constant 1.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %one) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %w = phi.get %b[%k] : !phi.vec<f64>[i64]
    %part = arith.mulf %acc, %v : f64
    %next = arith.mulf %part, %w : f64
    phi.yield %next : f64
  }
  %t = phi.fold (%k < %n, %acc = %one) -> f64 {
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %w = phi.get %b[%k] : !phi.vec<f64>[i64]
    %part = arith.addf %acc, %v : f64
    %next = arith.addf %part, %w : f64
    phi.yield %next : f64
  }
  func.return %s, %t : f64, f64
}

// CHECK-LABEL:  func.func @two_factors(
// CHECK:            %s = phi.fold (%k < %n, %acc = %one) -> f64 {
// CHECK:              %part = arith.mulf %acc, %v : f64
// CHECK-NEXT:         %next = arith.mulf %part, %w : f64
// CHECK:            phi.reduce %{{.*}} identity %{{.*}} by { arith.addf } -> f64

// -----

// Any factor with no more axes than the sum is an array: waves for each frequency and time. One with
// more axes is not, since an array of it would be larger than the result.
func.func @factors(%a: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<f64>, %t: !phi.vec<f64>) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %l = phi.size %t, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %l, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %u = phi.get %w[%j] : !phi.vec<f64>[index]
      %v = phi.get %t[%k] : !phi.vec<f64>[i64]
      %phase = arith.mulf %u, %v : f64
      %wave = math.cos %phase : f64
      %z = arith.mulf %x, %wave : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %p = phi.array (%j < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %l, %acc = %zero) -> f64 {
      %u = phi.get %w[%j] : !phi.vec<f64>[index]
      %v = phi.get %t[%k] : !phi.vec<f64>[i64]
      %phase = arith.mulf %u, %v : f64
      %wave = math.cos %phase : f64
      %z = arith.mulf %v, %wave : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %p : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
}
// CHECK-LABEL:  func.func @factors(
// CHECK:          %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       phi.array (%k < %l) -> !phi.vec<f64> {
// CHECK:            phi.reduce
// CHECK:          %p = phi.array (%{{.*}} < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.fold (%{{.*}} < %l,

// -----

// A factor at looked-up positions has no more axes than the sum: rows are gathered for a product of
// matrices. With more axes than the sum it would be larger than the arrays that are read: a loop.
func.func @looked_up(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %p, 0 : !phi.vec<i64>
  %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %l, %acc = %zero) -> f64 {
      %x = phi.get %a[%q, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %t = phi.array (%i < %n) -> !phi.vec<f64> {
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %l, %acc = %zero) -> f64 {
      %x = phi.get %a[%q, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.get %b[%k, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %t : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
}
// CHECK:        func.func @looked_up(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>) {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:     %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %l = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %q = phi.get %p[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:       %0 = phi.array (%k < %l) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %x = phi.get %a[%q, %k_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %y = phi.get %b[%k_1, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         %z = arith.mulf %x, %y : f64
// CHECK-NEXT:         phi.yield %z : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %s = phi.reduce %0 identity %1 by { arith.addf } -> f64
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %t = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %q_1 = phi.get %p[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:       %s_1 = phi.fold (%k_2 < %l, %acc = %zero) -> f64 {
// CHECK-NEXT:         %x_1 = phi.get %a[%q_1, %k_2] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %y_1 = phi.get %b[%k_2, %k_2] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %z_1 = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:         %next = arith.addf %acc, %z_1 : f64
// CHECK-NEXT:         phi.yield %next : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %s_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r, %t : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Four blocks of an axis: an array over the blocks and their elements is no larger than the axis.
// Windows overlap, and a counter with few values is better unrolled: these stay loops.
func.func @blocks(%a: !phi.vec<!phi.vec<f64>>, %size: i64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %zero = arith.constant 0.0 : f64
  %four = arith.constant 4 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %b < %four) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %size, %acc = %zero) -> f64 {
      %block = arith.index_cast %b : index to i64
      %start = arith.muli %block, %size : i64
      %at = arith.addi %start, %k : i64
      %v = phi.get %a[%i, %at] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.addf %acc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %overlapping = phi.array (%i < %n, %b < %four) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %size, %acc = %zero) -> f64 {
      %block = arith.index_cast %b : index to i64
      %at = arith.addi %block, %k : i64
      %v = phi.get %a[%i, %at] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.addf %acc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %short = phi.array (%i < %n, %b < %size) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %four, %acc = %zero) -> f64 {
      %block = arith.index_cast %b : index to i64
      %start = arith.muli %block, %four : i64
      %at = arith.addi %start, %k : i64
      %v = phi.get %a[%i, %at] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.addf %acc, %v : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %overlapping, %short : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @blocks(
// CHECK:            %r = phi.array (%i < %n, %b < %four)
// CHECK:              phi.reduce %{{.*}} identity %{{.*}} by { arith.addf } -> f64
// CHECK:            %overlapping = phi.array (%{{.*}} < %n, %{{.*}} < %four)
// CHECK-NEXT:         %{{.*}} = phi.fold (%{{.*}} < %size,
// CHECK:            %short = phi.array (%{{.*}} < %n, %{{.*}} < %size)
// CHECK-NEXT:         %{{.*}} = phi.fold (%{{.*}} < %four,

// -----

// Terms that are computed for all pairs stay in one loop; the product of elements leaves it.
func.func @terms_of_pairs(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %a = phi.get %x[%i] : !phi.vec<f64>[index]
    %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %b = phi.get %x[%k] : !phi.vec<f64>[i64]
      %c = phi.get %y[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %a, %b : f64
      %e = math.exp %d : f64
      %p = arith.mulf %e, %c : f64
      %q = arith.mulf %e, %d : f64
      %o = arith.mulf %a, %c : f64
      %t = arith.subf %p, %q : f64
      %u = arith.addf %t, %o : f64
      %next = arith.addf %acc, %u : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  func.return %s : !phi.vec<f64>
}
// CHECK-LABEL: func.func @terms_of_pairs(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %s = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %a = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %1 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %c = phi.get %y[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %o = arith.mulf %a, %c : f64
// CHECK-NEXT:        phi.yield %o : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %3 = phi.reduce %1 identity %2 by { arith.addf } -> f64
// CHECK-NEXT:      %4 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %5 = phi.fold (%k_2 < %n, %acc = %4) -> f64 {
// CHECK-NEXT:        %b = phi.get %x[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %c_1 = phi.get %y[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %d = arith.subf %a, %b : f64
// CHECK-NEXT:        %e = math.exp %d : f64
// CHECK-NEXT:        %p = arith.mulf %e, %c_1 : f64
// CHECK-NEXT:        %q = arith.mulf %e, %d : f64
// CHECK-NEXT:        %6 = arith.subf %p, %q : f64
// CHECK-NEXT:        %7 = arith.addf %acc, %6 : f64
// CHECK-NEXT:        phi.yield %7 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = arith.addf %3, %5 : f64
// CHECK-NEXT:      phi.yield %r : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// The count of a sum in the steps of another one may be negative, which is an error if there are steps.
func.func @inner_count(%x: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
    %t = phi.fold (%j < %m, %acc_1 = %zero) -> f64 {
      %e = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %next = arith.addf %acc_1, %e : f64
      phi.yield %next : f64
    }
    %next_1 = arith.addf %acc, %t : f64
    phi.yield %next_1 : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @inner_count(
// CHECK:         %[[HAS_STEPS:.*]] = arith.cmpi sgt, %n, %[[NONE:.*]] : i64
// CHECK-NEXT:    %[[COUNT:.*]] = arith.select %[[HAS_STEPS]], %m, %[[NONE]] : i64
// CHECK-NEXT:    phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:           phi.array (%j < %[[COUNT]]) -> !phi.vec<f64> {
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// A count of the outer fold, or of an array before it, is no error in its steps.
func.func @same_count(%x: !phi.vec<!phi.vec<f64>>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
    %t = phi.fold (%j < %n, %acc_1 = %zero) -> f64 {
      %e = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %next = arith.addf %acc_1, %e : f64
      phi.yield %next : f64
    }
    %next_1 = arith.addf %acc, %t : f64
    phi.yield %next_1 : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @same_count(
// CHECK-NOT:     arith.select
// CHECK:         phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:           phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// The sum in a step was a loop, since its steps are arrays over i and t: with k as an axis it is a
// product of matrices.
func.func @sum_of_products(%x: !phi.vec<f64>, %c: !phi.vec<!phi.vec<f64>>, %d: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %c, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %c, 1 : !phi.vec<!phi.vec<f64>>
  %h = phi.size %d, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %m, %j < %h) -> !phi.vec<!phi.vec<f64>> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %u = phi.fold (%t < %l, %acc_1 = %zero) -> f64 {
        %p = arith.muli %i_1, %t : i64
        %a = phi.get %x[%p] : !phi.vec<f64>[i64]
        %b = phi.get %c[%k, %t] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %acc_1, %ab : f64
        phi.yield %next : f64
      }
      %w = phi.get %d[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = math.exp %u : f64
      %v = arith.mulf %w, %y : f64
      %next_1 = arith.addf %acc, %v : f64
      phi.yield %next_1 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @sum_of_products(
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// A short fold in the steps of reductions waits for these: its elements would be four times the
// array that is read, which it is unrolled for. Its counter is a number in each of its steps.

func.func @short_in_long(%b: !phi.vec<!phi.vec<f64>>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %least = arith.constant 0xfff0000000000000 : f64
  %four = arith.constant 4 : i64
  %three = arith.constant 3 : i64
  %n = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %l = arith.subi %n, %three : i64
  %r = phi.fold (%i < %l, %acc = %least) -> f64 {
    %s = phi.fold (%j < %m, %acc_1 = %least) -> f64 {
      %t = phi.fold (%k < %four, %acc_2 = %zero) -> f64 {
        %p = arith.addi %i, %k : i64
        %x = phi.get %b[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %next = arith.addf %acc_2, %x : f64
        phi.yield %next : f64
      }
      %next_1 = arith.maximumf %acc_1, %t : f64
      phi.yield %next_1 : f64
    }
    %next_2 = arith.maximumf %acc, %s : f64
    phi.yield %next_2 : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @short_in_long(
// CHECK:         phi.array (%[[I:.*]] < %l)
// CHECK:           phi.array (%{{.*}} < %m)
// CHECK:             phi.fold (%k < %four
// CHECK:           phi.reduce {{.*}} by { arith.maximumf } -> f64
// CHECK:         phi.reduce {{.*}} by { arith.maximumf } -> f64

// -----

// The weights exp(a[i] * b[k]) are a factor of a matrix product, which stores them: their sum over
// as many steps, asserted to be equal, may store them, too. A sum over other steps is a loop.

func.func @sums_of_stored_weights(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %d: !phi.vec<f64>, %v: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %l = phi.size %a, 0 : !phi.vec<f64>
  %n = phi.size %b, 0 : !phi.vec<f64>
  %o = phi.size %d, 0 : !phi.vec<f64>
  %m = phi.size %v, 1 : !phi.vec<!phi.vec<f64>>
  %n_1 = phi.size %v, 0 : !phi.vec<!phi.vec<f64>>
  %n_2 = phi.assert_eq %n, %n_1, "sizes of b and v"
  %r = phi.array (%i < %l) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      %s = phi.fold (%k < %n_2, %acc = %zero) -> f64 {
        %y = phi.get %b[%k] : !phi.vec<f64>[i64]
        %xy = arith.mulf %x, %y : f64
        %w = math.exp %xy : f64
        %z = phi.get %v[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
        %wz = arith.mulf %w, %z : f64
        %next = arith.addf %acc, %wz : f64
        phi.yield %next : f64
      }
      %t = phi.fold (%k_1 < %n, %acc_1 = %zero) -> f64 {
        %y_1 = phi.get %b[%k_1] : !phi.vec<f64>[i64]
        %xy_1 = arith.mulf %x, %y_1 : f64
        %w_1 = math.exp %xy_1 : f64
        %next_1 = arith.addf %acc_1, %w_1 : f64
        phi.yield %next_1 : f64
      }
      %u = phi.fold (%k_2 < %o, %acc_2 = %zero) -> f64 {
        %y_2 = phi.get %d[%k_2] : !phi.vec<f64>[i64]
        %xy_2 = arith.mulf %x, %y_2 : f64
        %w_2 = math.exp %xy_2 : f64
        %next_2 = arith.addf %acc_2, %w_2 : f64
        phi.yield %next_2 : f64
      }
      %tu = arith.addf %t, %u : f64
      %q = arith.divf %s, %tu : f64
      phi.yield %q : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @sums_of_stored_weights(
// CHECK-NOT:     phi.fold
// CHECK:         phi.reduce {{.*}} by { arith.addf } -> f64
// CHECK:         phi.reduce {{.*}} by { arith.addf } -> f64
// CHECK:         phi.fold (%{{.*}} < %o

// -----

// A result of as many elements: the sum of each of its rows may store them.

func.func @sums_of_rows_of_a_result(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %l = phi.size %a, 0 : !phi.vec<f64>
  %n = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.array (%i < %l) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %t = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %xy = arith.mulf %x, %y : f64
      %w = math.exp %xy : f64
      %next = arith.addf %acc, %w : f64
      phi.yield %next : f64
    }
    %row = phi.array (%j < %n) -> !phi.vec<f64> {
      %y_1 = phi.get %b[%j] : !phi.vec<f64>[index]
      %q = arith.divf %y_1, %t : f64
      phi.yield %q : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @sums_of_rows_of_a_result(
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// The nest has more steps than the short fold in it, which stays a loop: its steps are slices.
func.func @diagonals(%a: !phi.vec<!phi.vec<i1>>) -> i1 {
  %false = arith.constant false
  %true = arith.constant true
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %r = phi.fold (%i < %four, %some = %false) -> i1 {
    %s = phi.fold (%j < %four, %acc = %false) -> i1 {
      %t = phi.fold (%k < %three, %all = %true) -> i1 {
        %p = arith.addi %i, %k : i64
        %q = arith.addi %j, %k : i64
        %x = phi.get %a[%p, %q] : !phi.vec<!phi.vec<i1>>[i64, i64]
        %next = arith.andi %all, %x : i1
        phi.yield %next : i1
      }
      %more = arith.ori %acc, %t : i1
      phi.yield %more : i1
    }
    %or = arith.ori %some, %s : i1
    phi.yield %or : i1
  }
  func.return %r : i1
}
// CHECK-LABEL: func.func @diagonals(
// CHECK:         phi.array (%i < %four) -> !phi.vec<i1> {
// CHECK:           phi.array (%j < %four) -> !phi.vec<i1> {
// CHECK:             phi.fold (%k < %three, %all = %true) -> i1 {

// -----

// The sum of one number in all steps is a product with their count, or 0 if there are none.
func.func @invariant(%x: f64, %y: f64, %a: !phi.vec<f64>, %n: i64) -> (f64, f64) {
  %m = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %m, %acc = %x) -> f64 {
    %z = arith.addf %acc, %y : f64
    phi.yield %z : f64
  }
  %t = phi.fold (%k < %n, %acc = %x) -> f64 {
    %z = arith.addf %acc, %y : f64
    phi.yield %z : f64
  }
  func.return %s, %t : f64, f64
}
// CHECK-LABEL: func.func @invariant(
// CHECK-NEXT:    %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = arith.sitofp %m : i64 to f64
// CHECK-NEXT:    %1 = arith.mulf %0, %y : f64
// CHECK-NEXT:    %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %3 = arith.constant 0 : i64
// CHECK-NEXT:    %4 = arith.cmpi sgt, %m, %3 : i64
// CHECK-NEXT:    %5 = arith.select %4, %1, %2 : f64
// CHECK-NEXT:    %s = arith.addf %x, %5 : f64
// Not if the count may be negative, which is an error.
// CHECK-NEXT:    %6 = phi.array (%k < %n) -> !phi.vec<f64> {

// -----

// A window that is read backwards is no axis of the array, as one that is read forwards is none.
func.func @windows(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %size = arith.constant 32 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %at = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %size, %acc = %zero) -> f64 {
      %p = arith.subi %at, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @windows(
// CHECK:         phi.fold (%k < %size, %acc = %zero) -> f64 {

// -----

// A search that stays a loop because of its memory keeps the position of the best element, and the
// other value is computed there. One that takes few operations stays in the loop.
func.func @values_of_the_best(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> (!phi.vec<tuple<f64, f64>>, !phi.vec<tuple<f64, f64>>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %start = phi.tuple (%zero, %zero) : tuple<f64, f64>
  %r = phi.array (%i < %n) -> !phi.vec<tuple<f64, f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %start) -> tuple<f64, f64> {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %x, %y : f64
      %best = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %value = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %better = arith.cmpf olt, %z, %best : f64
      %1 = arith.subf %y, %x : f64
      %2 = arith.mulf %1, %1 : f64
      %3 = math.exp %2 : f64
      %4 = arith.addf %3, %z : f64
      %5 = arith.mulf %4, %x : f64
      %6 = arith.divf %5, %z : f64
      %next = arith.select %better, %z, %best : f64
      %new = arith.select %better, %6, %value : f64
      %pair = phi.tuple (%next, %new) : tuple<f64, f64>
      phi.yield %pair : tuple<f64, f64>
    }
    phi.yield %s : tuple<f64, f64>
  }
  %q = phi.array (%i < %n) -> !phi.vec<tuple<f64, f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %start) -> tuple<f64, f64> {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %x, %y : f64
      %best = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %value = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %better = arith.cmpf olt, %z, %best : f64
      %1 = arith.subf %y, %x : f64
      %next = arith.select %better, %z, %best : f64
      %new = arith.select %better, %1, %value : f64
      %pair = phi.tuple (%next, %new) : tuple<f64, f64>
      phi.yield %pair : tuple<f64, f64>
    }
    phi.yield %s : tuple<f64, f64>
  }
  func.return %r, %q : !phi.vec<tuple<f64, f64>>, !phi.vec<tuple<f64, f64>>
}
// CHECK-LABEL:  func.func @values_of_the_best(
// CHECK:            %2 = phi.fold (%k < %m, %acc = %1) -> tuple<f64, i64> {
// CHECK-NEXT:         %y = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %z = arith.mulf %x, %y : f64
// CHECK-NEXT:         %3 = phi.proj %acc, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:         %4 = phi.proj %acc, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:         %5 = arith.cmpf olt, %z, %3 : f64
// CHECK-NEXT:         %6 = arith.select %5, %z, %3 : f64
// CHECK-NEXT:         %7 = arith.select %5, %k, %4 : i64
// CHECK-NEXT:         %8 = phi.tuple (%6, %7) : tuple<f64, i64>
// CHECK-NEXT:         phi.yield %8 : tuple<f64, i64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %9 = phi.proj %2, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:       %10 = phi.proj %2, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:       %y_1 = phi.get %b[%10] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z_1 = arith.mulf %x, %y_1 : f64
// CHECK:            %16 = arith.divf %15, %z_1 : f64
// CHECK-NEXT:       %17 = arith.constant 0 : i64
// CHECK-NEXT:       %18 = arith.cmpi sge, %10, %17 : i64
// CHECK-NEXT:       %19 = arith.select %18, %16, %zero : f64
// CHECK-NEXT:       %s = phi.tuple (%9, %19) : tuple<f64, f64>
// CHECK:            %s_1 = phi.fold (%k_1 < %m, %acc_1 = %start) -> tuple<f64, f64> {
// CHECK:              %20 = arith.subf %y_2, %x_1 : f64
