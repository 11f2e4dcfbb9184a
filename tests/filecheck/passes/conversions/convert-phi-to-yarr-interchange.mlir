// RUN: ein-opt %s --split-input-file -p "convert-phi-to-yarr{interchange=true},simplify,eliminate-common-subexpressions" | filecheck %s

// An index of two values is the outermost axis of what is accumulated.
func.func @ends(%e: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %e, 0 : !phi.vec<i64>
  %two = arith.constant 2 : i64
  %r = phi.accumulate (%i < %n, %a < %two) into "add" (%m) -> !phi.vec<f64> {
    %p = phi.get %e[%i] : !phi.vec<i64>[index]
    %s = arith.index_cast %a : index to i64
    %q = arith.addi %p, %s : i64
    %v = phi.get %x[%a] : !phi.vec<f64>[index]
    %0 = phi.tuple (%q, %v) : tuple<i64, f64>
    phi.yield %0 : tuple<i64, f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @ends(
// CHECK-NEXT:    %two = arith.constant dense<2> : tensor<i64>
// CHECK-NEXT:    %a = yarr.range %two : tensor<?xi64>
// CHECK-NEXT:    %0 = yarr.assert_size %m, "size 0 of the accumulation"
// CHECK-NEXT:    %1 = yarr.unsqueeze %e, [0] : tensor<?xi64> -> tensor<1x?xi64>
// CHECK-NEXT:    %2 = yarr.unsqueeze %a, [1] : tensor<?xi64> -> tensor<?x1xi64>
// CHECK-NEXT:    %q = yarr.elementwise { arith.addi } %1, %2 : (tensor<1x?xi64>, tensor<?x1xi64>) -> tensor<?x?xi64>
// CHECK-NEXT:    %3 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %v = yarr.slice %x, 0, %3, %two step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %4 = yarr.unsqueeze %v, [1] : tensor<?xf64> -> tensor<?x1xf64>
// CHECK-NEXT:    %r = yarr.accumulate "add" %4 by %q into %0 : tensor<?x1xf64> by tensor<?x?xi64> -> tensor<?xf64>
// CHECK-NEXT:    func.return %r : tensor<?xf64>

// -----

// An index that is itself a position stays the innermost axis: rows are accumulated.
func.func @rows(%e: !phi.vec<i64>, %x: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %e, 0 : !phi.vec<i64>
  %two = arith.constant 2 : i64
  %r = phi.accumulate (%i < %n, %a < %two) into "add" (%m, %two) -> !phi.vec<!phi.vec<f64>> {
    %p = phi.get %e[%i] : !phi.vec<i64>[index]
    %s = arith.index_cast %a : index to i64
    %v = phi.get %x[%i, %a] : !phi.vec<!phi.vec<f64>>[index, index]
    %0 = phi.tuple (%p, %s, %v) : tuple<i64, i64, f64>
    phi.yield %0 : tuple<i64, i64, f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:    %n = yarr.size %e, 0 : tensor<?xi64>
// CHECK-NEXT:    %two = arith.constant dense<2> : tensor<i64>
// CHECK-NEXT:    %0 = yarr.assert_size %m, "size 0 of the accumulation"
// CHECK-NEXT:    %1 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %2 = yarr.slice %x, 0, %1, %n step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %v = yarr.slice %2, 1, %1, %two step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %r = yarr.accumulate "add" %v by %e into %0 : tensor<?x?xf64> by tensor<?xi64> -> tensor<?x?xf64>
// CHECK-NEXT:    func.return %r : tensor<?x?xf64>
