// RUN: ein-opt %s --split-input-file -p simplify | filecheck %s
// RUN: ein-opt %s --split-input-file -p simplify,simplify | filecheck %s

// Laws and constant folding, one after the other.
func.func @laws(%x: f64) -> (f64, i64) {
  %one = arith.constant 1 : i64
  %two = arith.addi %one, %one : i64
  %t = phi.tuple (%x, %two) : tuple<f64, i64>
  %y = phi.proj %t, 0 : tuple<f64, i64> -> f64
  %n = phi.proj %t, 1 : tuple<f64, i64> -> i64
  func.return %y, %n : f64, i64
}

// CHECK:      func.func @laws(%x: f64) -> (f64, i64) {
// CHECK-NEXT:   %two = arith.constant 2 : i64
// CHECK-NEXT:   func.return %x, %two : f64, i64
// CHECK-NEXT: }

// -----

// A chain of operations that nothing uses.
func.func @dead_chain(%a: !phi.vec<f64>, %x: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %v = phi.get %a[%i] : !phi.vec<f64>[index]
    phi.yield %v : f64
  }
  %c = phi.concat %a, %b : !phi.vec<f64>
  func.return %x : f64
}

// CHECK:      func.func @dead_chain(%a: !phi.vec<f64>, %x: f64) -> f64 {
// CHECK-NEXT:   func.return %x : f64
// CHECK-NEXT: }

// -----

// A dead fold: what its region reads from outside is dead behind it, and what that reads.
func.func @dead_fold(%a: !phi.vec<f64>, %n: i64, %x: f64) -> f64 {
  %zero = arith.constant 0 : i64
  %first = phi.get %a[%zero] : !phi.vec<f64>[i64]
  %captured = arith.mulf %first, %x : f64
  %dead = phi.fold (%k < %n, %acc = %x) -> f64 {
    %next = arith.addf %acc, %captured : f64
    phi.yield %next : f64
  }
  func.return %x : f64
}

// CHECK:      func.func @dead_fold(%a: !phi.vec<f64>, %n: i64, %x: f64) -> f64 {
// CHECK-NEXT:   func.return %x : f64
// CHECK-NEXT: }

// -----

// In the bodies of loops, too; what is alive there keeps what it reads.
func.func @nested(%a: !phi.vec<f64>, %n: i64, %x: f64) -> !phi.vec<f64> {
  %captured = arith.mulf %x, %x : f64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %x) -> f64 {
      %v = phi.get %a[%k] : !phi.vec<f64>[i64]
      %t = phi.tuple (%captured, %v) : tuple<f64, f64>
      %y = phi.proj %t, 0 : tuple<f64, f64> -> f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %dead = arith.mulf %s, %x : f64
    phi.yield %s : f64
  }
  func.return %b : !phi.vec<f64>
}

// CHECK:      func.func @nested(%a: !phi.vec<f64>, %n: i64, %x: f64) -> !phi.vec<f64> {
// CHECK-NEXT:   %captured = arith.mulf %x, %x : f64
// CHECK-NEXT:   %b = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %s = phi.fold (%k < %n, %acc = %x) -> f64 {
// CHECK-NEXT:       %next = arith.addf %acc, %captured : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %b : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// An assertion stays where its result is used, and only there.
func.func @assertions(%m: i64, %n: i64) -> i64 {
  %unused = phi.assert_eq %m, %n, "unused"
  %used = phi.assert_eq %m, %n, "used"
  func.return %used : i64
}

// CHECK:      func.func @assertions(%m: i64, %n: i64) -> i64 {
// CHECK-NEXT:   %used = phi.assert_eq %m, %n, "used"
// CHECK-NEXT:   func.return %used : i64
// CHECK-NEXT: }

// -----

// A call may have effects; of operations that have some, no part goes, and not what they read.
func.func private @declared(%x: f64) -> f64

func.func @effects(%a: !phi.vec<f64>, %n: i64, %x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  %unused = func.call @declared(%y) : (f64) -> f64
  %kept = phi.fold (%k < %n, %acc = %x) -> f64 {
    %z = func.call @declared(%acc) : (f64) -> f64
    phi.yield %z : f64
  }
  func.return %x : f64
}

// CHECK:      func.func private @declared(f64) -> f64
// CHECK:      func.func @effects(%a: !phi.vec<f64>, %n: i64, %x: f64) -> f64 {
// CHECK-NEXT:   %y = arith.mulf %x, %x : f64
// CHECK-NEXT:   %unused = func.call @declared(%y) : (f64) -> f64
// CHECK-NEXT:   %kept = phi.fold (%k < %n, %acc = %x) -> f64 {
// CHECK-NEXT:     %z = func.call @declared(%acc) : (f64) -> f64
// CHECK-NEXT:     phi.yield %z : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %x : f64
// CHECK-NEXT: }

// -----

// A function that nothing calls stays, with arguments that nothing uses.
func.func private @uncalled(%x: f64, %unused: f64) -> f64 {
  %dead = arith.addf %unused, %unused : f64
  func.return %x : f64
}

// CHECK:      func.func private @uncalled(%x: f64, %unused: f64) -> f64 {
// CHECK-NEXT:   func.return %x : f64
// CHECK-NEXT: }

// -----

// On yarr.
func.func @arrays(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %b = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %c = yarr.transpose %b, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %dead = yarr.elementwise { arith.addf } %b, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %c : tensor<?x?xf64>
}

// CHECK:      func.func @arrays(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:   func.return %a : tensor<?x?xf64>
// CHECK-NEXT: }

// -----

// Logic with a constant.
func.func @logic(%c: i1) -> (i1, i1, i1) {
  %yes = arith.constant true
  %no = arith.constant false
  %0 = arith.andi %yes, %c : i1
  %1 = arith.ori %c, %yes : i1
  %2 = arith.andi %c, %no : i1
  func.return %0, %1, %2 : i1, i1, i1
}

// CHECK-LABEL: func.func @logic(
// CHECK:         %yes = arith.constant true
// CHECK-NEXT:    %no = arith.constant false
// CHECK-NEXT:    func.return %c, %yes, %no : i1, i1, i1

// -----

// Functions of Ints wrap; a division by 0, and a distance of more bits, are left to the backends.
func.func @ints() -> (i64, i64, i64, i64, i64, i64) {
  %0 = arith.constant 0 : i64
  %3 = arith.constant 3 : i64
  %7 = arith.constant -7 : i64
  %64 = arith.constant 64 : i64
  %least = arith.constant -9223372036854775808 : i64
  %a = arith.floordivsi %7, %3 : i64
  %b = arith.maxsi %7, %3 : i64
  %c = arith.shli %7, %3 : i64
  %d = arith.addi %least, %7 : i64
  %e = arith.floordivsi %7, %0 : i64
  %f = arith.shrsi %7, %64 : i64
  func.return %a, %b, %c, %d, %e, %f : i64, i64, i64, i64, i64, i64
}

// CHECK-LABEL: func.func @ints(
// CHECK:         %a = arith.constant -3 : i64
// CHECK:         %c = arith.constant -56 : i64
// CHECK:         %e = arith.floordivsi
// CHECK:         %f = arith.shrsi
// CHECK:         func.return %a, %{{.*}}, %c, %{{.*}}, %e, %f

// -----

// Comparisons of constants, and their logic.
func.func @constants(%c: i1) -> (i1, i1, i1) {
  %0 = arith.constant 0 : i64
  %1 = arith.constant 1 : i64
  %false = arith.constant false
  %true = arith.constant true
  %a = arith.cmpi eq, %0, %1 : i64
  %b = arith.xori %a, %true : i1
  %x = arith.andi %b, %c : i1
  %d = arith.cmpi sge, %0, %1 : i64
  %y = arith.xori %c, %d : i1
  %e = arith.cmpi ult, %0, %1 : i64
  func.return %x, %y, %e : i1, i1, i1
}

// CHECK-LABEL: func.func @constants(
// CHECK:         %e = arith.cmpi ult, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    func.return %c, %c, %e : i1, i1, i1

// -----

// Comparisons of numbers; NaN is equal to nothing, and other predicates stay.
func.func @numbers() -> (i1, i1, i1, i1) {
  %0 = arith.constant 0.5 : f64
  %1 = arith.constant 0.0 : f64
  %nan = arith.constant 0x7FF8000000000000 : f64
  %a = arith.cmpf ogt, %0, %1 : f64
  %b = arith.cmpf oeq, %nan, %nan : f64
  %c = arith.cmpf une, %nan, %nan : f64
  %d = arith.cmpf ueq, %0, %1 : f64
  func.return %a, %b, %c, %d : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @numbers(
// CHECK:         %a = arith.constant true
// CHECK-NEXT:    %b = arith.constant false
// CHECK-NEXT:    %c = arith.constant true
// CHECK-NEXT:    %d = arith.cmpf ueq

// -----

// The simplification of masks whose selection is known.
func.func @conversions() -> (f64, f32, i64, f64, f32) {
  %true = arith.constant true
  %false = arith.constant false
  %two = arith.constant -2 : i64
  %large = arith.constant 16777217 : i64
  %0 = arith.uitofp %true : i1 to f64
  %1 = arith.uitofp %false : i1 to f32
  %2 = arith.extui %true : i1 to i64
  %3 = arith.sitofp %two : i64 to f64
  %4 = arith.sitofp %large : i64 to f32
  func.return %0, %1, %2, %3, %4 : f64, f32, i64, f64, f32
}

// CHECK:      func.func @conversions() -> (f64, f32, i64, f64, f32) {
// CHECK-NEXT:   %large = arith.constant 16777217 : i64
// CHECK-NEXT:   %0 = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   %2 = arith.constant 1 : i64
// CHECK-NEXT:   %3 = arith.constant -2.000000e+00 : f64
// CHECK-NEXT:   %4 = arith.sitofp %large : i64 to f32
// CHECK-NEXT:   func.return %0, %1, %2, %3, %4 : f64, f32, i64, f64, f32
// CHECK-NEXT: }

// -----

// One side of a conjunction or disjunction absorbs the other.

func.func @absorbed(%x: i1, %y: i1, %m: i64, %n: i64) -> (i1, i1, i64, i64) {
  %both = arith.andi %y, %x : i1
  %a = arith.ori %x, %both : i1
  %any = arith.ori %x, %y : i1
  %b = arith.andi %any, %x : i1
  %bits = arith.andi %m, %n : i64
  %c = arith.ori %bits, %n : i64
  %d = arith.andi %m, %m : i64
  func.return %a, %b, %c, %d : i1, i1, i64, i64
}
// CHECK-LABEL: func.func @absorbed(
// CHECK-NEXT:    func.return %x, %x, %n, %m : i1, i1, i64, i64
