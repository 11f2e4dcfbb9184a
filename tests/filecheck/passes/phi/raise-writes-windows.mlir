// RUN: ein-opt %s -p raise-writes{windows=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s -p raise-writes,canonicalize,dce | filecheck %s --check-prefix=LOOP

// With windows, a row of floats with one cost for all steps is a scan with weights; without, it stays
// a loop.
func.func @row(%e: !phi.vec<f64>, %v: !phi.vec<f64>, %c: f64, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %n, %w = %v) -> !phi.vec<f64> {
    %p = arith.addi %k, %one : i64
    %old = phi.get %w[%k] : !phi.vec<f64>[i64]
    %moved = arith.addf %old, %c : f64
    %limit = phi.get %e[%k] : !phi.vec<f64>[i64]
    %new = arith.minimumf %moved, %limit : f64
    %next = phi.update %w[%p], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @row(%e: !phi.vec<f64>, %v: !phi.vec<f64>, %c: f64, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %0 = arith.constant 0 : i64
// CHECK-NEXT:   %1 = phi.get %v[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:   %2 = arith.constant 1 : i64
// CHECK-NEXT:   %3 = arith.addi %n, %2 : i64
// CHECK-NEXT:   %4 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %limit = phi.get %e[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %limit : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %5 = arith.constant 1 : i64
// CHECK-NEXT:   %6 = phi.array (%7 < %5) -> !phi.vec<f64> {
// CHECK-NEXT:     phi.yield %1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %8 = phi.concat %6, %4 of %3 : !phi.vec<f64>
// CHECK-NEXT:   %9 = phi.weighted_scan "min" %8 by %c : !phi.vec<f64> by f64
// CHECK-NEXT:   %10 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:   %11 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %12 = arith.cmpf oeq, %c, %10 : f64
// CHECK-NEXT:   %13 = math.absf %c : f64
// CHECK-NEXT:   %14 = arith.select %12, %11, %13 : f64
// CHECK-NEXT:   %15 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:   %16 = arith.mulf %14, %15 : f64
// CHECK-NEXT:   %17 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:   %18 = arith.cmpf olt, %16, %17 : f64
// CHECK-NEXT:   %19 = arith.constant 0 : i64
// CHECK-NEXT:   %20 = arith.select %18, %19, %n : i64
// CHECK-NEXT:   %21 = phi.tuple (%1, %9) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   %22 = phi.fold (%23 < %20, %24 = %21) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:     %25 = phi.proj %24, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:     %26 = phi.proj %24, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %27 = arith.constant 1 : i64
// CHECK-NEXT:     %28 = arith.addi %23, %27 : i64
// CHECK-NEXT:     %limit_1 = phi.get %e[%23] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %29 = arith.addf %25, %c : f64
// CHECK-NEXT:     %30 = arith.minimumf %29, %limit_1 : f64
// CHECK-NEXT:     %31 = phi.update %26[%28], %30 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     %32 = phi.tuple (%30, %31) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     phi.yield %32 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   %33 = phi.proj %22, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:   %34 = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%35 < %34) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_2 = arith.index_cast %35 : index to i64
// CHECK-NEXT:     %36 = arith.constant 0 : i64
// CHECK-NEXT:     %37 = arith.cmpi sge, %k_2, %36 : i64
// CHECK-NEXT:     %38 = arith.constant 1 : i64
// CHECK-NEXT:     %39 = arith.addi %n, %38 : i64
// CHECK-NEXT:     %40 = arith.cmpi slt, %k_2, %39 : i64
// CHECK-NEXT:     %41 = phi.get %33[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %42 = phi.get %v[%35] : !phi.vec<f64>[index]
// CHECK-NEXT:     %43 = arith.select %37, %41, %42 : f64
// CHECK-NEXT:     %44 = arith.select %40, %43, %42 : f64
// CHECK-NEXT:     phi.yield %44 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// LOOP:        %r = phi.fold (%k < %n, %w = %v) -> !phi.vec<f64> {

// The first step may take another value than that of an element before it.
func.func @after_first(%e: !phi.vec<f64>, %v: !phi.vec<f64>, %c: f64, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %none = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %w = %v) -> !phi.vec<f64> {
    %p = arith.subi %k, %one : i64
    %old = phi.get %w[%p] : !phi.vec<f64>[i64]
    %moved = arith.addf %old, %c : f64
    %later = arith.cmpi sgt, %k, %zero : i64
    %chosen = arith.select %later, %moved, %none : f64
    %limit = phi.get %e[%k] : !phi.vec<f64>[i64]
    %new = arith.minimumf %chosen, %limit : f64
    %next = phi.update %w[%k], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @after_first(
// CHECK:         %limit = phi.get %e[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %new = arith.minimumf %none, %limit : f64
// CHECK-NEXT:    %1 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:      %limit_1 = phi.get %e[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %2 = arith.constant 0 : i64
// CHECK-NEXT:      %3 = arith.cmpi eq, %k_1, %2 : i64
// CHECK-NEXT:      %4 = arith.select %3, %new, %limit_1 : f64
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %5 = phi.weighted_scan "min" %1 by %c : !phi.vec<f64> by f64
// CHECK:         phi.fold (%19 < %16, %20 = %17)
// CHECK:           %27 = arith.select %26, %new, %24 : f64
// CHECK-NEXT:      %28 = phi.update %22[%19], %27
// LOOP-LABEL: func.func @after_first(
// LOOP-NOT:     phi.weighted_scan

// Such a row in the step of a fold may be short, and stays a loop.
func.func @row_of_step(%e: !phi.vec<f64>, %v: !phi.vec<f64>, %c: f64, %n: i64, %m: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %none = arith.constant 0.0 : f64
  %rows = phi.fold (%i < %m, %u = %v) -> !phi.vec<f64> {
    %r = phi.fold (%k < %n, %w = %u) -> !phi.vec<f64> {
      %p = arith.subi %k, %one : i64
      %old = phi.get %w[%p] : !phi.vec<f64>[i64]
      %moved = arith.addf %old, %c : f64
      %later = arith.cmpi sgt, %k, %zero : i64
      %chosen = arith.select %later, %moved, %none : f64
      %limit = phi.get %e[%k] : !phi.vec<f64>[i64]
      %new = arith.minimumf %chosen, %limit : f64
      %next = phi.update %w[%k], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %next : !phi.vec<f64>
    }
    phi.yield %r : !phi.vec<f64>
  }
  func.return %rows : !phi.vec<f64>
}

// CHECK-LABEL: func.func @row_of_step(
// CHECK:         %rows = phi.fold (%i < %m, %u = %v)
// CHECK-NEXT:      %r = phi.fold (%k < %n, %w = %u)
// CHECK-NOT:     phi.weighted_scan

// So may sums, with the choice at any place of the element.
func.func @sums(%e: !phi.vec<f64>, %v: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %none = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %w = %v) -> !phi.vec<f64> {
    %p = arith.subi %k, %one : i64
    %old = phi.get %w[%p] : !phi.vec<f64>[i64]
    %first = arith.cmpi eq, %k, %zero : i64
    %chosen = arith.select %first, %none, %old : f64
    %x = phi.get %e[%k] : !phi.vec<f64>[i64]
    %new = arith.addf %chosen, %x : f64
    %next = phi.update %w[%k], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @sums(
// CHECK-NOT:     phi.fold
// CHECK:         phi.scan "add"
// CHECK-NOT:     phi.fold
