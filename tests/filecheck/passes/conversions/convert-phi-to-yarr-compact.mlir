// RUN: ein-opt %s --split-input-file -p "convert-phi-to-yarr{compact=true},simplify,eliminate-common-subexpressions" | filecheck %s

// A loop goes on with the elements that are not done once it has wasted two steps of all on the others. Positions of
// the live elements are those of the array; the state that the results need is written back after each round.
func.func @halvings(%a: !phi.vec<f64>, %limit: i64) -> !phi.vec<i64> {
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %zero = arith.constant 0 : i64
  %next = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %c = phi.array (%i < %n) -> !phi.vec<i64> {
    %x0 = phi.get %a[%i] : !phi.vec<f64>[index]
    %more = arith.cmpf ogt, %x0, %one : f64
    %start = phi.tuple (%more, %x0, %zero) : tuple<i1, f64, i64>
    %r = phi.while (%k < %limit, %acc = %start) -> tuple<i1, f64, i64> {
      %x = phi.proj %acc, 1 : tuple<i1, f64, i64> -> f64
      %count = phi.proj %acc, 2 : tuple<i1, f64, i64> -> i64
      %y = arith.mulf %x, %half : f64
      %on = arith.cmpf ogt, %y, %one : f64
      %counted = arith.addi %count, %next : i64
      %after = phi.tuple (%on, %y, %counted) : tuple<i1, f64, i64>
      phi.yield %after : tuple<i1, f64, i64>
    }
    %s = phi.proj %r, 2 : tuple<i1, f64, i64> -> i64
    phi.yield %s : i64
  }
  func.return %c : !phi.vec<i64>
}
// CHECK-LABEL: func.func @halvings
// CHECK:         %8 = yarr.elementwise (%9 = %7, %10 = %n) : (tensor<i64>, tensor<i64>) -> tensor<i1> {
// CHECK-NEXT:      %11 = arith.cmpi slt, %9, %10 : i64
// CHECK:         %13 = yarr.elementwise { arith.select } %8, %6, %12 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %r, %r_1, %r_2, %r_3, %r_4, %r_5 = yarr.while (%k < %1, %more_2 = %4, %acc = %more, %acc_1 = %a, %acc_2 = %3, %14 = %zero, %15 = %zero)
// CHECK:           %21 = yarr.reduce %20, [0] by { arith.addi } : tensor<?xi64> -> tensor<i64>
// CHECK-NEXT:      %22 = yarr.elementwise { arith.subi } %n, %21 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:      %23 = yarr.elementwise { arith.addi } %14, %22 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK:           %32 = yarr.elementwise { arith.andi } %24, %28 : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK:           yarr.yield %32, %18, %y, %19, %23, %33
// CHECK:         %40 = yarr.elementwise { arith.select } %39, %next, %zero : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %r_6 = yarr.fold (%41 < %40, %42 = %r_3) -> tensor<?xi64> {
// CHECK-NEXT:      %43 = yarr.range %n : tensor<?xi64>
// CHECK:           yarr.while (%51 < %12, %52 = %44, %53 = %43, %54 = %r_1, %55 = %r_2, %56 = %r_3, %57 = %r_5, %58 = %r_3)
// CHECK:             %65 = yarr.argsort %61, 0 : tensor<?xi1> -> tensor<?xi64>
// CHECK-NEXT:        %66 = yarr.slice %65, 0, %zero, %60 step 1 : tensor<?xi64> -> tensor<?xi64>
// CHECK-NEXT:        %live = yarr.take %53, 0, %66 in_bounds
// CHECK-NEXT:        %67 = yarr.take %55, 0, %66 in_bounds
// CHECK-NEXT:        %68 = yarr.take %56, 0, %66 in_bounds
// CHECK:             %71 = yarr.elementwise { arith.subi } %1, %57 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK:             yarr.while (%k_1 < %71, %more_3 = %44, %acc_3 = %70, %acc_4 = %67, %acc_5 = %68, %78 = %zero, %79 = %57)
// CHECK:             %98 = yarr.scatter %58[%live], %r_11
// CHECK:             yarr.yield %104, %live, %r_9, %r_10, %r_11, %r_13, %98
// CHECK:           yarr.yield %50 : tensor<?xi64>

// -----

// Few steps, or few elements, are not worth it.
func.func @few(%a: !phi.vec<f64>, %limit: i64) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %five = arith.constant 5 : i64
  %n = arith.constant 100 : i64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x0 = phi.get %a[%i] : !phi.vec<f64>[index]
    %more = arith.cmpf ogt, %x0, %one : f64
    %start = phi.tuple (%more, %x0) : tuple<i1, f64>
    %r = phi.while (%k < %limit, %acc = %start) -> tuple<i1, f64> {
      %x = phi.proj %acc, 1 : tuple<i1, f64> -> f64
      %y = arith.mulf %x, %half : f64
      %on = arith.cmpf ogt, %y, %one : f64
      %after = phi.tuple (%on, %y) : tuple<i1, f64>
      phi.yield %after : tuple<i1, f64>
    }
    %s = phi.proj %r, 1 : tuple<i1, f64> -> f64
    phi.yield %s : f64
  }
  %c = phi.array (%i < %m) -> !phi.vec<f64> {
    %x0 = phi.get %b[%i] : !phi.vec<f64>[index]
    %more = arith.cmpf ogt, %x0, %one : f64
    %start = phi.tuple (%more, %x0) : tuple<i1, f64>
    %r = phi.while (%k < %five, %acc = %start) -> tuple<i1, f64> {
      %x = phi.proj %acc, 1 : tuple<i1, f64> -> f64
      %y = arith.mulf %x, %half : f64
      %on = arith.cmpf ogt, %y, %one : f64
      %after = phi.tuple (%on, %y) : tuple<i1, f64>
      phi.yield %after : tuple<i1, f64>
    }
    %s = phi.proj %r, 1 : tuple<i1, f64> -> f64
    phi.yield %s : f64
  }
  func.return %c : !phi.vec<f64>
}
// CHECK-LABEL: func.func @few
// CHECK-NOT:     yarr.scatter
