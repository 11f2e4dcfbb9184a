// RUN: ein-opt %s --split-input-file -p coalesce-folds,canonicalize | filecheck %s
// RUN: ein-opt %s --split-input-file -p 'coalesce-folds{keyed=true},canonicalize' | filecheck %s --check-prefix KEYED

// The sum of all rows is one of all steps.

func.func @total(%a: !phi.vec<f64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %starts, 0 : !phi.vec<i64>
  %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
    %n = phi.get %lengths[%i] : !phi.vec<i64>[i64]
    %start = phi.get %starts[%i] : !phi.vec<i64>[i64]
    %t = phi.fold (%k < %n, %acc_1 = %zero) -> f64 {
      %p = arith.addi %start, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.addf %acc_1, %x : f64
      phi.yield %y : f64
    }
    %next = arith.addf %acc, %t : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}
// CHECK:      func.func @total(%a: !phi.vec<f64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>) -> f64 {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %m = phi.size %starts, 0 : !phi.vec<i64>
// CHECK-NEXT:   %0 = phi.array (%i < %m) -> !phi.vec<i64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %n = phi.get %lengths[%i_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     phi.yield %n : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %1 = phi.scan "add" %0 : !phi.vec<i64>
// CHECK-NEXT:   %2 = phi.get %1[%m] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %3 = arith.constant 0 : i64
// CHECK-NEXT:   %4 = arith.constant 17592186044416 : i64
// CHECK-NEXT:   %5 = arith.cmpi sle, %2, %4 : i64
// CHECK-NEXT:   %6 = arith.select %5, %2, %3 : i64
// CHECK-NEXT:   %7 = arith.maxsi %6, %3 : i64
// CHECK-NEXT:   %8 = phi.accumulate (%9 < %m) into "add" (%7) -> !phi.vec<i64> {
// CHECK-NEXT:     %10 = phi.get %1[%9] : !phi.vec<i64>[index]
// CHECK-NEXT:     %11 = arith.constant 1 : i64
// CHECK-NEXT:     %12 = phi.tuple (%10, %11) : tuple<i64, i64>
// CHECK-NEXT:     phi.yield %12 : tuple<i64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %13 = arith.constant 0 : i64
// CHECK-NEXT:   %14 = phi.reduce %0 identity %13 by { arith.minsi } -> i64
// CHECK-NEXT:   %15 = arith.cmpi slt, %14, %13 : i64
// CHECK-NEXT:   %16 = arith.select %15, %14, %2 : i64
// CHECK-NEXT:   %17 = phi.scan "add" %8 : !phi.vec<i64>
// CHECK-NEXT:   %18 = phi.array (%k < %16) -> !phi.vec<i64> {
// CHECK-NEXT:     %19 = arith.constant 1 : i64
// CHECK-NEXT:     %20 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %21 = arith.addi %20, %19 : i64
// CHECK-NEXT:     %22 = phi.get %17[%21] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %23 = arith.subi %22, %19 : i64
// CHECK-NEXT:     phi.yield %23 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.fold (%k_1 < %16, %acc = %zero) -> f64 {
// CHECK-NEXT:     %24 = phi.get %18[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %25 = phi.get %1[%24] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %26 = arith.subi %k_1, %25 : i64
// CHECK-NEXT:     %start = phi.get %starts[%24] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %p = arith.addi %start, %26 : i64
// CHECK-NEXT:     %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %27 = arith.addf %acc, %x : f64
// CHECK-NEXT:     phi.yield %27 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : f64
// CHECK-NEXT: }
// KEYED-LABEL: func.func @total
// -----

// Lengths that are the differences of an array add up to its elements: no step reads the number of
// steps before its row.

func.func @offsets(%a: !phi.vec<f64>, %o: !phi.vec<i64>, %m: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
    %after = arith.addi %i, %one : i64
    %end = phi.get %o[%after] : !phi.vec<i64>[i64]
    %start = phi.get %o[%i] : !phi.vec<i64>[i64]
    %n = arith.subi %end, %start : i64
    %t = phi.fold (%k < %n, %acc_1 = %acc) -> f64 {
      %p = arith.addi %start, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.addf %acc_1, %x : f64
      phi.yield %y : f64
    }
    phi.yield %t : f64
  }
  func.return %s : f64
}
// CHECK:      func.func @offsets(%a: !phi.vec<f64>, %o: !phi.vec<i64>, %m: i64) -> f64 {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %0 = phi.array (%i < %m) -> !phi.vec<i64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %after = arith.addi %i_1, %one : i64
// CHECK-NEXT:     %end = phi.get %o[%after] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %start = phi.get %o[%i_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %n = arith.subi %end, %start : i64
// CHECK-NEXT:     phi.yield %n : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %1 = phi.scan "add" %0 : !phi.vec<i64>
// CHECK-NEXT:   %2 = phi.get %1[%m] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %3 = arith.constant 0 : i64
// CHECK-NEXT:   %4 = arith.constant 17592186044416 : i64
// CHECK-NEXT:   %5 = arith.cmpi sle, %2, %4 : i64
// CHECK-NEXT:   %6 = arith.select %5, %2, %3 : i64
// CHECK-NEXT:   %7 = arith.maxsi %6, %3 : i64
// CHECK-NEXT:   %8 = phi.accumulate (%9 < %m) into "add" (%7) -> !phi.vec<i64> {
// CHECK-NEXT:     %10 = phi.get %1[%9] : !phi.vec<i64>[index]
// CHECK-NEXT:     %11 = arith.constant 1 : i64
// CHECK-NEXT:     %12 = phi.tuple (%10, %11) : tuple<i64, i64>
// CHECK-NEXT:     phi.yield %12 : tuple<i64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %13 = arith.constant 0 : i64
// CHECK-NEXT:   %14 = phi.reduce %0 identity %13 by { arith.minsi } -> i64
// CHECK-NEXT:   %15 = arith.cmpi slt, %14, %13 : i64
// CHECK-NEXT:   %16 = arith.select %15, %14, %2 : i64
// CHECK-NEXT:   %17 = phi.scan "add" %8 : !phi.vec<i64>
// CHECK-NEXT:   %18 = phi.array (%k < %16) -> !phi.vec<i64> {
// CHECK-NEXT:     %19 = arith.constant 1 : i64
// CHECK-NEXT:     %20 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %21 = arith.addi %20, %19 : i64
// CHECK-NEXT:     %22 = phi.get %17[%21] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %23 = arith.subi %22, %19 : i64
// CHECK-NEXT:     phi.yield %23 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.fold (%k_1 < %16, %acc = %zero) -> f64 {
// CHECK-NEXT:     %24 = phi.get %18[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %25 = arith.constant 0 : i64
// CHECK-NEXT:     %26 = phi.get %o[%24] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %27 = phi.get %o[%25] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %28 = arith.subi %26, %27 : i64
// CHECK-NEXT:     %29 = arith.subi %k_1, %28 : i64
// CHECK-NEXT:     %start_1 = phi.get %o[%24] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %p = arith.addi %start_1, %29 : i64
// CHECK-NEXT:     %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %30 = arith.addf %acc, %x : f64
// CHECK-NEXT:     phi.yield %30 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : f64
// CHECK-NEXT: }
// KEYED-LABEL: func.func @offsets
// -----

// A step reads the sum of its row, which are accumulated before.

func.func @rows(%a: !phi.vec<f64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>) -> f64 {
  %one = arith.constant 1.0 : f64
  %m = phi.size %starts, 0 : !phi.vec<i64>
  %s = phi.fold (%i < %m, %acc = %one) -> f64 {
    %n = phi.get %lengths[%i] : !phi.vec<i64>[i64]
    %start = phi.get %starts[%i] : !phi.vec<i64>[i64]
    %t = phi.fold (%k < %n, %acc_1 = %one) -> f64 {
      %p = arith.addi %start, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.addf %acc_1, %x : f64
      phi.yield %y : f64
    }
    %next = arith.mulf %acc, %t : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}
// CHECK:      func.func @rows(%a: !phi.vec<f64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>) -> f64 {
// CHECK-NEXT:   %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %m = phi.size %starts, 0 : !phi.vec<i64>
// CHECK-NEXT:   %0 = phi.array (%i < %m) -> !phi.vec<i64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %n = phi.get %lengths[%i_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     phi.yield %n : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %1 = phi.scan "add" %0 : !phi.vec<i64>
// CHECK-NEXT:   %2 = phi.get %1[%m] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %3 = arith.constant 0 : i64
// CHECK-NEXT:   %4 = arith.constant 17592186044416 : i64
// CHECK-NEXT:   %5 = arith.cmpi sle, %2, %4 : i64
// CHECK-NEXT:   %6 = arith.select %5, %2, %3 : i64
// CHECK-NEXT:   %7 = arith.maxsi %6, %3 : i64
// CHECK-NEXT:   %8 = phi.accumulate (%9 < %m) into "add" (%7) -> !phi.vec<i64> {
// CHECK-NEXT:     %10 = phi.get %1[%9] : !phi.vec<i64>[index]
// CHECK-NEXT:     %11 = arith.constant 1 : i64
// CHECK-NEXT:     %12 = phi.tuple (%10, %11) : tuple<i64, i64>
// CHECK-NEXT:     phi.yield %12 : tuple<i64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %13 = arith.constant 0 : i64
// CHECK-NEXT:   %14 = phi.reduce %0 identity %13 by { arith.minsi } -> i64
// CHECK-NEXT:   %15 = arith.cmpi slt, %14, %13 : i64
// CHECK-NEXT:   %16 = arith.select %15, %14, %2 : i64
// CHECK-NEXT:   %17 = phi.scan "add" %8 : !phi.vec<i64>
// CHECK-NEXT:   %18 = phi.array (%k < %16) -> !phi.vec<i64> {
// CHECK-NEXT:     %19 = arith.constant 1 : i64
// CHECK-NEXT:     %20 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %21 = arith.addi %20, %19 : i64
// CHECK-NEXT:     %22 = phi.get %17[%21] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %23 = arith.subi %22, %19 : i64
// CHECK-NEXT:     phi.yield %23 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %24 = phi.accumulate (%k_1 < %16) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:     %25 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:     %26 = phi.get %18[%25] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %27 = phi.get %1[%26] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %28 = arith.subi %25, %27 : i64
// CHECK-NEXT:     %start = phi.get %starts[%26] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %p = arith.addi %start, %28 : i64
// CHECK-NEXT:     %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %29 = phi.tuple (%26, %x) : tuple<i64, f64>
// CHECK-NEXT:     phi.yield %29 : tuple<i64, f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.fold (%i_2 < %m, %acc = %one) -> f64 {
// CHECK-NEXT:     %30 = phi.get %24[%i_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %t = arith.addf %one, %30 : f64
// CHECK-NEXT:     %next = arith.mulf %acc, %t : f64
// CHECK-NEXT:     phi.yield %next : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : f64
// CHECK-NEXT: }
// KEYED-LABEL: func.func @rows
// -----

// The terms of a key, for each index. The rows are the same for all of them.

func.func @keys(%c: !phi.vec<i64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>, %size: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = phi.size %starts, 0 : !phi.vec<i64>
  %r = phi.array (%j < %size) -> !phi.vec<i64> {
    %s = phi.fold (%i < %m, %acc = %zero) -> i64 {
      %n = phi.get %lengths[%i] : !phi.vec<i64>[i64]
      %start = phi.get %starts[%i] : !phi.vec<i64>[i64]
      %t = phi.fold (%k < %n, %acc_1 = %acc) -> i64 {
        %p = arith.addi %start, %k : i64
        %x = phi.get %c[%p] : !phi.vec<i64>[i64]
        %j_1 = arith.index_cast %j : index to i64
        %is_own = arith.cmpi eq, %x, %j_1 : i64
        %more = arith.addi %acc_1, %one : i64
        %y = arith.select %is_own, %more, %acc_1 : i64
        phi.yield %y : i64
      }
      phi.yield %t : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK:      func.func @keys(%c: !phi.vec<i64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>, %size: i64) -> !phi.vec<i64> {
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %m = phi.size %starts, 0 : !phi.vec<i64>
// CHECK-NEXT:   %0 = arith.constant 0 : i64
// CHECK-NEXT:   %1 = arith.constant 17592186044416 : i64
// CHECK-NEXT:   %2 = arith.cmpi sle, %m, %1 : i64
// CHECK-NEXT:   %3 = arith.select %2, %m, %0 : i64
// CHECK-NEXT:   %4 = arith.maxsi %3, %0 : i64
// CHECK-NEXT:   %5 = phi.array (%i < %4) -> !phi.vec<i64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %n = phi.get %lengths[%i_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     phi.yield %n : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %6 = phi.scan "add" %5 : !phi.vec<i64>
// CHECK-NEXT:   %7 = phi.get %6[%4] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %8 = arith.constant 0 : i64
// CHECK-NEXT:   %9 = arith.constant 17592186044416 : i64
// CHECK-NEXT:   %10 = arith.cmpi sle, %7, %9 : i64
// CHECK-NEXT:   %11 = arith.select %10, %7, %8 : i64
// CHECK-NEXT:   %12 = arith.maxsi %11, %8 : i64
// CHECK-NEXT:   %13 = phi.accumulate (%14 < %4) into "add" (%12) -> !phi.vec<i64> {
// CHECK-NEXT:     %15 = phi.get %6[%14] : !phi.vec<i64>[index]
// CHECK-NEXT:     %16 = arith.constant 1 : i64
// CHECK-NEXT:     %17 = phi.tuple (%15, %16) : tuple<i64, i64>
// CHECK-NEXT:     phi.yield %17 : tuple<i64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %18 = arith.constant 0 : i64
// CHECK-NEXT:   %19 = phi.reduce %5 identity %18 by { arith.minsi } -> i64
// CHECK-NEXT:   %20 = arith.cmpi slt, %19, %18 : i64
// CHECK-NEXT:   %21 = arith.select %20, %19, %7 : i64
// CHECK-NEXT:   %22 = phi.scan "add" %13 : !phi.vec<i64>
// CHECK-NEXT:   %23 = arith.cmpi eq, %m, %4 : i64
// CHECK-NEXT:   %24 = arith.select %23, %21, %m : i64
// CHECK-NEXT:   %r = phi.array (%j < %size) -> !phi.vec<i64> {
// CHECK-NEXT:     %25 = phi.array (%k < %24) -> !phi.vec<i64> {
// CHECK-NEXT:       %26 = arith.constant 1 : i64
// CHECK-NEXT:       %27 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %28 = arith.addi %27, %26 : i64
// CHECK-NEXT:       %29 = phi.get %22[%28] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %30 = arith.subi %29, %26 : i64
// CHECK-NEXT:       phi.yield %30 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.fold (%k_1 < %24, %acc = %zero) -> i64 {
// CHECK-NEXT:       %31 = phi.get %25[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %32 = phi.get %6[%31] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %33 = arith.subi %k_1, %32 : i64
// CHECK-NEXT:       %start = phi.get %starts[%31] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %p = arith.addi %start, %33 : i64
// CHECK-NEXT:       %x = phi.get %c[%p] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:       %is_own = arith.cmpi eq, %x, %j_1 : i64
// CHECK-NEXT:       %34 = arith.constant 0 : i64
// CHECK-NEXT:       %35 = arith.select %is_own, %one, %34 : i64
// CHECK-NEXT:       %36 = arith.addi %acc, %35 : i64
// CHECK-NEXT:       phi.yield %36 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }
// KEYED:      func.func @keys(%c: !phi.vec<i64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>, %size: i64) -> !phi.vec<i64> {
// KEYED-NEXT:   %zero = arith.constant 0 : i64
// KEYED-NEXT:   %one = arith.constant 1 : i64
// KEYED-NEXT:   %m = phi.size %starts, 0 : !phi.vec<i64>
// KEYED-NEXT:   %0 = arith.constant 0 : i64
// KEYED-NEXT:   %1 = arith.constant 17592186044416 : i64
// KEYED-NEXT:   %2 = arith.cmpi sle, %m, %1 : i64
// KEYED-NEXT:   %3 = arith.select %2, %m, %0 : i64
// KEYED-NEXT:   %4 = arith.maxsi %3, %0 : i64
// KEYED-NEXT:   %5 = phi.array (%i < %4) -> !phi.vec<i64> {
// KEYED-NEXT:     %i_1 = arith.index_cast %i : index to i64
// KEYED-NEXT:     %n = phi.get %lengths[%i_1] : !phi.vec<i64>[i64]
// KEYED-NEXT:     phi.yield %n : i64
// KEYED-NEXT:   }
// KEYED-NEXT:   %6 = phi.scan "add" %5 : !phi.vec<i64>
// KEYED-NEXT:   %7 = phi.get %6[%4] : !phi.vec<i64>[i64]
// KEYED-NEXT:   %8 = arith.constant 0 : i64
// KEYED-NEXT:   %9 = arith.constant 17592186044416 : i64
// KEYED-NEXT:   %10 = arith.cmpi sle, %7, %9 : i64
// KEYED-NEXT:   %11 = arith.select %10, %7, %8 : i64
// KEYED-NEXT:   %12 = arith.maxsi %11, %8 : i64
// KEYED-NEXT:   %13 = phi.accumulate (%14 < %4) into "add" (%12) -> !phi.vec<i64> {
// KEYED-NEXT:     %15 = phi.get %6[%14] : !phi.vec<i64>[index]
// KEYED-NEXT:     %16 = arith.constant 1 : i64
// KEYED-NEXT:     %17 = phi.tuple (%15, %16) : tuple<i64, i64>
// KEYED-NEXT:     phi.yield %17 : tuple<i64, i64>
// KEYED-NEXT:   }
// KEYED-NEXT:   %18 = arith.constant 0 : i64
// KEYED-NEXT:   %19 = phi.reduce %5 identity %18 by { arith.minsi } -> i64
// KEYED-NEXT:   %20 = arith.cmpi slt, %19, %18 : i64
// KEYED-NEXT:   %21 = arith.select %20, %19, %7 : i64
// KEYED-NEXT:   %22 = phi.scan "add" %13 : !phi.vec<i64>
// KEYED-NEXT:   %23 = arith.cmpi eq, %m, %4 : i64
// KEYED-NEXT:   %24 = arith.select %23, %21, %m : i64
// KEYED-NEXT:   %r = phi.array (%j < %size) -> !phi.vec<i64> {
// KEYED-NEXT:     %25 = phi.array (%k < %24) -> !phi.vec<i64> {
// KEYED-NEXT:       %26 = arith.constant 1 : i64
// KEYED-NEXT:       %27 = arith.index_cast %k : index to i64
// KEYED-NEXT:       %28 = arith.addi %27, %26 : i64
// KEYED-NEXT:       %29 = phi.get %22[%28] : !phi.vec<i64>[i64]
// KEYED-NEXT:       %30 = arith.subi %29, %26 : i64
// KEYED-NEXT:       phi.yield %30 : i64
// KEYED-NEXT:     }
// KEYED-NEXT:     %s = phi.fold (%k_1 < %24, %acc = %zero) -> i64 {
// KEYED-NEXT:       %31 = phi.get %25[%k_1] : !phi.vec<i64>[i64]
// KEYED-NEXT:       %32 = phi.get %6[%31] : !phi.vec<i64>[i64]
// KEYED-NEXT:       %33 = arith.subi %k_1, %32 : i64
// KEYED-NEXT:       %start = phi.get %starts[%31] : !phi.vec<i64>[i64]
// KEYED-NEXT:       %p = arith.addi %start, %33 : i64
// KEYED-NEXT:       %x = phi.get %c[%p] : !phi.vec<i64>[i64]
// KEYED-NEXT:       %j_1 = arith.index_cast %j : index to i64
// KEYED-NEXT:       %is_own = arith.cmpi eq, %x, %j_1 : i64
// KEYED-NEXT:       %34 = arith.constant 0 : i64
// KEYED-NEXT:       %35 = arith.select %is_own, %one, %34 : i64
// KEYED-NEXT:       %36 = arith.addi %acc, %35 : i64
// KEYED-NEXT:       phi.yield %36 : i64
// KEYED-NEXT:     }
// KEYED-NEXT:     phi.yield %s : i64
// KEYED-NEXT:   }
// KEYED-NEXT:   func.return %r : !phi.vec<i64>
// KEYED-NEXT: }
// -----

// These stay: the steps of a triangle, whose counts are computed; terms that depend on the
// accumulator of the outer fold; a sum of each row for each index.

func.func @triangle(%a: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
    %t = phi.fold (%k < %i, %acc_1 = %zero) -> f64 {
      %p = arith.subi %i, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.addf %acc_1, %x : f64
      phi.yield %y : f64
    }
    %next = arith.addf %acc, %t : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

func.func @carried(%a: !phi.vec<f64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %starts, 0 : !phi.vec<i64>
  %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
    %n = phi.get %lengths[%i] : !phi.vec<i64>[i64]
    %start = phi.get %starts[%i] : !phi.vec<i64>[i64]
    %t = phi.fold (%k < %n, %acc_1 = %zero) -> f64 {
      %p = arith.addi %start, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %z = arith.mulf %x, %acc : f64
      %y = arith.addf %acc_1, %z : f64
      phi.yield %y : f64
    }
    phi.yield %t : f64
  }
  func.return %s : f64
}

func.func @each(%a: !phi.vec<f64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>, %v: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %size = phi.size %v, 0 : !phi.vec<f64>
  %m = phi.size %starts, 0 : !phi.vec<i64>
  %r = phi.array (%j < %size) -> !phi.vec<f64> {
    %s = phi.fold (%i < %m, %acc = %one) -> f64 {
      %n = phi.get %lengths[%i] : !phi.vec<i64>[i64]
      %start = phi.get %starts[%i] : !phi.vec<i64>[i64]
      %w = phi.get %v[%j] : !phi.vec<f64>[index]
      %t = phi.fold (%k < %n, %acc_1 = %one) -> f64 {
        %p = arith.addi %start, %k : i64
        %x = phi.get %a[%p] : !phi.vec<f64>[i64]
        %z = arith.mulf %x, %w : f64
        %y = arith.addf %acc_1, %z : f64
        phi.yield %y : f64
      }
      %next = arith.mulf %acc, %t : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:      func.func @triangle(%a: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:     %t = phi.fold (%k < %i, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:       %p = arith.subi %i, %k : i64
// CHECK-NEXT:       %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = arith.addf %acc_1, %x : f64
// CHECK-NEXT:       phi.yield %y : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %next = arith.addf %acc, %t : f64
// CHECK-NEXT:     phi.yield %next : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : f64
// CHECK-NEXT: }
// CHECK:      func.func @carried(%a: !phi.vec<f64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>) -> f64 {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %m = phi.size %starts, 0 : !phi.vec<i64>
// CHECK-NEXT:   %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:     %n = phi.get %lengths[%i] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %start = phi.get %starts[%i] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %t = phi.fold (%k < %n, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:       %p = arith.addi %start, %k : i64
// CHECK-NEXT:       %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z = arith.mulf %x, %acc : f64
// CHECK-NEXT:       %y = arith.addf %acc_1, %z : f64
// CHECK-NEXT:       phi.yield %y : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %t : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : f64
// CHECK-NEXT: }
// CHECK:      func.func @each(%a: !phi.vec<f64>, %starts: !phi.vec<i64>, %lengths: !phi.vec<i64>, %v: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:   %m = phi.size %starts, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.array (%j < %size) -> !phi.vec<f64> {
// CHECK-NEXT:     %s = phi.fold (%i < %m, %acc = %one) -> f64 {
// CHECK-NEXT:       %n = phi.get %lengths[%i] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %start = phi.get %starts[%i] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %w = phi.get %v[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:       %t = phi.fold (%k < %n, %acc_1 = %one) -> f64 {
// CHECK-NEXT:         %p = arith.addi %start, %k : i64
// CHECK-NEXT:         %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %z = arith.mulf %x, %w : f64
// CHECK-NEXT:         %y = arith.addf %acc_1, %z : f64
// CHECK-NEXT:         phi.yield %y : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %next = arith.mulf %acc, %t : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }
// KEYED-LABEL: func.func @triangle
// KEYED-LABEL: func.func @carried
// KEYED-LABEL: func.func @each

// -----

// Rows that take prefixes of the same steps read a scan of the longest one.

func.func @prefixes(%w: !phi.vec<f64>, %lengths: !phi.vec<i64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %lengths, 0 : !phi.vec<i64>
  %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
    %n = phi.get %lengths[%i] : !phi.vec<i64>[i64]
    %t = phi.fold (%k < %n, %acc_1 = %zero) -> f64 {
      %x = phi.get %w[%k] : !phi.vec<f64>[i64]
      %y = arith.addf %acc_1, %x : f64
      phi.yield %y : f64
    }
    %next = arith.addf %acc, %t : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @prefixes(
// CHECK:         phi.fold (%i < %{{.*}}, %{{.*}} = %{{.*}}) -> i64 {
// CHECK:           arith.maxsi
// CHECK:         %[[TERMS:.*]] = phi.array (%k < %{{.*}}) -> !phi.vec<f64> {
// CHECK:         %[[SUMS:.*]] = phi.scan "add" %[[TERMS]]
// CHECK:         %s = phi.fold (%{{.*}} < %m
// CHECK:           %[[LENGTH:.*]] = phi.get %lengths[%{{.*}}]
// CHECK-NEXT:      phi.get %[[SUMS]][%[[LENGTH]]]
