// RUN: ein-opt %s -p print-size-equivalence | filecheck %s

// size_k a; size_0 array = n; size_{k+1} array = size_k e; size_k a[p] = size_{k+1} a
func.func @rules(%a: !phi.vec<!phi.vec<f64>>, %m: i64) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %b = phi.array (%i < %m) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    phi.yield %row : !phi.vec<f64>
  }
  func.return
}
// CHECK:      // sizes in @rules
// CHECK-NEXT: //   |%a|0 = %n
// CHECK-NEXT: //   |%a|1 = |%b|1 = |%row|0
// CHECK-NEXT: //   %m = |%b|0
// CHECK-NEXT: // sizes in @assertion

func.func @assertion(%n: i64, %m: i64) {
  %k = phi.assert_eq %n, %m, "n and m"
  func.return
}
// CHECK-NEXT: //   %n = %m = %k
// CHECK-NEXT: // sizes in @loops

// The accumulator of @loops keeps its size, field by field; a growing one does not.
func.func @loops(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %steps: i64) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %t = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %steps, %acc = %t) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %p = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %q = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %next = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %p[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    %more = phi.concat %q, %q : !phi.vec<f64>
    %u = phi.tuple (%next, %more) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %u : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  func.return
}
// CHECK-NEXT: //   |%a|0 = %n = |%t.0|0 = |%r.0|0 = |%acc.0|0 = |%p|0 = |%next|0 = |%u.0|0
// CHECK-NEXT: //   |%b|0 = |%t.1|0
// CHECK-NEXT: //   |%acc.1|0 = |%q|0
// CHECK-NEXT: //   |%more|0 = |%u.1|0

// Folds in each other: one keeps the size because the other one does, or neither of them does.
func.func @nest(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %steps: i64) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %steps, %u = %a) -> !phi.vec<f64> {
    %s = phi.fold (%j < %steps, %v = %u) -> !phi.vec<f64> {
      %next = phi.array (%k < %n) -> !phi.vec<f64> {
        %x = phi.get %v[%k] : !phi.vec<f64>[index]
        phi.yield %x : f64
      }
      phi.yield %next : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  %q = phi.fold (%i < %steps, %u = %a) -> !phi.vec<f64> {
    %s = phi.fold (%j < %steps, %v = %u) -> !phi.vec<f64> {
      phi.yield %b : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return
}
// CHECK-NEXT: // sizes in @nest
// CHECK-NEXT: //   |%a|0 = %n = |%r|0 = |%u|0 = |%s|0 = |%v|0 = |%next|0
// CHECK-NOT:  //   |

// The argument of a derivative has the sizes of its point.
func.func @derivative(%a: !phi.vec<f64>, %ct: !phi.vec<f64>) {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    phi.yield %x : !phi.vec<f64>
  }
  func.return
}
// CHECK:      // sizes in @derivative
// CHECK-NEXT: //   |%a|0 = |%r.0|0 = |%r.1|0 = |%x|0
