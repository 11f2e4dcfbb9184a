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

// Distances vary with i, j and k, but nothing that is read does: the fold stays a loop.
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
