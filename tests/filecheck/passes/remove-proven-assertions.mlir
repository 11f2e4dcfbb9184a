// RUN: ein-opt %s --split-input-file -p remove-proven-assertions | filecheck %s

// An assertion that an earlier one proves goes; the earlier one stays.
func.func @square(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.assert_eq %n, %m, "index i"
  %q = phi.assert_eq %m, %n, "index j"
  %r = phi.array (%i < %p, %j < %q) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @square(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %p = phi.assert_eq %n, %m, "index i"
// CHECK-NEXT:     %r = phi.array (%i < %p, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %x = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// The size of a comprehension is known.
func.func @known(%n: i64) -> i64 {
  %a = phi.array (%i < %n) -> !phi.vec<i64> {
    phi.yield %n : i64
  }
  %m = phi.size %a, 0 : !phi.vec<i64>
  %p = phi.assert_eq %m, %n, "size of a"
  func.return %p : i64
}

// CHECK:        func.func @known(%n: i64) -> i64 {
// CHECK-NEXT:     %a = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       phi.yield %n : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %m = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:     func.return %m : i64
// CHECK-NEXT:   }

// -----

// What a loop asserts proves nothing behind it: it may run zero times.
func.func @loop(%n: i64, %m: i64, %c: i64) -> i64 {
  %s = phi.fold (%k < %c, %acc = %n) -> i64 {
    %p = phi.assert_eq %n, %m, "in the loop"
    phi.yield %p : i64
  }
  %q = phi.assert_eq %n, %m, "behind the loop"
  %t = arith.addi %s, %q : i64
  func.return %t : i64
}

// CHECK:        func.func @loop(%n: i64, %m: i64, %c: i64) -> i64 {
// CHECK-NEXT:     %s = phi.fold (%k < %c, %acc = %n) -> i64 {
// CHECK-NEXT:       %p = phi.assert_eq %n, %m, "in the loop"
// CHECK-NEXT:       phi.yield %p : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %q = phi.assert_eq %n, %m, "behind the loop"
// CHECK-NEXT:     %t = arith.addi %s, %q : i64
// CHECK-NEXT:     func.return %t : i64
// CHECK-NEXT:   }
