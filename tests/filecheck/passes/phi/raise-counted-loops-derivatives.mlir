// RUN: ein-opt %s -p raise-counted-loops{derivatives=true},dce | filecheck %s

// A loop of a function with derivatives, and one of a function without.
func.func @sums(%a: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %limit = arith.constant 17592186044416 : i64
  %start = arith.constant 0.0 : f64
  %r = phi.jvp (%x = %a by %a) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %end = arith.index_cast %i : index to i64
      %some = arith.cmpi slt, %zero, %end : i64
      %init = phi.tuple (%some, %zero, %start) : tuple<i1, i64, f64>
      %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
        %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
        %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
        %next = arith.addi %k, %one : i64
        %more = arith.cmpi slt, %next, %end : i64
        %e = phi.get %x[%k] : !phi.vec<f64>[i64]
        %t = arith.addf %acc, %e : f64
        %after = phi.tuple (%more, %next, %t) : tuple<i1, i64, f64>
        phi.yield %after : tuple<i1, i64, f64>
      }
      %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
      phi.yield %t : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @sums(
// CHECK:         phi.jvp
// CHECK-NOT:     phi.while
// CHECK:           phi.fold (%{{.*}} < %{{.*}}, %acc = %start) -> f64 {
// CHECK:         func.return

func.func @outside(%n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %limit = arith.constant 17592186044416 : i64
  %start = arith.constant 1.0 : f64
  %some = arith.cmpi slt, %zero, %n : i64
  %init = phi.tuple (%some, %zero, %start) : tuple<i1, i64, f64>
  %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
    %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
    %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
    %next = arith.addi %k, %one : i64
    %more = arith.cmpi slt, %next, %n : i64
    %t = arith.addf %acc, %acc : f64
    %after = phi.tuple (%more, %next, %t) : tuple<i1, i64, f64>
    phi.yield %after : tuple<i1, i64, f64>
  }
  %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
  func.return %t : f64
}
// CHECK-LABEL: func.func @outside(
// CHECK:         phi.while
