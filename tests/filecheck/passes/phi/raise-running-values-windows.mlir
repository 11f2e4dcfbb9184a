// RUN: ein-opt %s -p raise-running-values{windows=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s -p raise-running-values,canonicalize,dce | filecheck %s --check-prefix=LOOP

// A queue: waiting times of floats are a scan with weights. If a sum of costs may be infinite, a loop
// runs instead.
func.func @queue(%a: !phi.vec<f64>, %v: !phi.vec<f64>, %x: f64) -> tuple<f64, !phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %init = phi.tuple (%x, %v) : tuple<f64, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
    %w = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %y = phi.get %a[%k] : !phi.vec<f64>[i64]
    %sum = arith.addf %w, %y : f64
    %next_w = arith.maximumf %sum, %zero : f64
    %out = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %new = phi.update %out[%k], %next_w : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%next_w, %new) : tuple<f64, !phi.vec<f64>>
    phi.yield %next : tuple<f64, !phi.vec<f64>>
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}

// CHECK:      func.func @queue(%a: !phi.vec<f64>, %v: !phi.vec<f64>, %x: f64) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = arith.addi %n, %0 : i64
// CHECK-NEXT:   %2 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     phi.yield %zero : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %3 = arith.constant 1 : i64
// CHECK-NEXT:   %4 = phi.array (%5 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %6 = phi.concat %4, %2 of %1 : !phi.vec<f64>
// CHECK-NEXT:   %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %8 = arith.constant 1 : i64
// CHECK-NEXT:   %9 = phi.array (%10 < %8) -> !phi.vec<f64> {
// CHECK-NEXT:     phi.yield %7 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %11 = phi.concat %9, %a of %1 : !phi.vec<f64>
// CHECK-NEXT:   %12 = phi.weighted_scan "max" %6 by %11 : !phi.vec<f64> by !phi.vec<f64>
// CHECK-NEXT:   %13 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:   %14 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %15 = phi.array (%16 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:     %17 = arith.index_cast %16 : index to i64
// CHECK-NEXT:     %18 = phi.get %11[%17] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %19 = arith.cmpf oeq, %18, %13 : f64
// CHECK-NEXT:     %20 = math.absf %18 : f64
// CHECK-NEXT:     %21 = arith.select %19, %14, %20 : f64
// CHECK-NEXT:     phi.yield %21 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %22 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:   %23 = phi.reduce %15 identity %22 by { arith.maximumf } -> f64
// CHECK-NEXT:   %24 = arith.maximumf %14, %23 : f64
// CHECK-NEXT:   %25 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:   %26 = arith.mulf %24, %25 : f64
// CHECK-NEXT:   %27 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:   %28 = arith.cmpf olt, %26, %27 : f64
// CHECK-NEXT:   %29 = arith.constant 0 : i64
// CHECK-NEXT:   %30 = arith.select %28, %29, %n : i64
// CHECK-NEXT:   %31 = phi.tuple (%x, %12) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   %32 = phi.fold (%33 < %30, %34 = %31) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:     %35 = phi.proj %34, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:     %36 = phi.proj %34, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %37 = arith.constant 1 : i64
// CHECK-NEXT:     %38 = arith.addi %33, %37 : i64
// CHECK-NEXT:     %y = phi.get %a[%33] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %39 = arith.addf %35, %y : f64
// CHECK-NEXT:     %40 = arith.maximumf %39, %zero : f64
// CHECK-NEXT:     %41 = phi.update %36[%38], %40 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     %42 = phi.tuple (%40, %41) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     phi.yield %42 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   %43 = phi.proj %32, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:   %44 = phi.get %43[%n] : !phi.vec<f64>[i64]
// CHECK-NEXT:   %r = phi.fold (%k_1 < %n, %state = %v) -> !phi.vec<f64> {
// CHECK-NEXT:     %45 = arith.constant 1 : i64
// CHECK-NEXT:     %46 = arith.addi %k_1, %45 : i64
// CHECK-NEXT:     %next_w = phi.get %43[%46] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %new = phi.update %state[%k_1], %next_w : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %r_1 = phi.tuple (%44, %r) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   func.return %r_1 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT: }

// LOOP:        %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {

// Of Ints, too: a test shows that no sum wraps. Sums on both sides of a minimum may wrap and cancel.
func.func @level(%a: !phi.vec<i64>, %x: i64) -> (tuple<i64, i64>, tuple<i64, i64>) {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %init = phi.tuple (%x, %zero) : tuple<i64, i64>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<i64, i64> {
    %w = phi.proj %state, 0 : tuple<i64, i64> -> i64
    %total = phi.proj %state, 1 : tuple<i64, i64> -> i64
    %y = phi.get %a[%k] : !phi.vec<i64>[i64]
    %sum = arith.addi %w, %y : i64
    %next_w = arith.minsi %sum, %x : i64
    %next_total = arith.addi %total, %next_w : i64
    %next = phi.tuple (%next_w, %next_total) : tuple<i64, i64>
    phi.yield %next : tuple<i64, i64>
  }
  %s = phi.fold (%k < %n, %state = %init) -> tuple<i64, i64> {
    %w = phi.proj %state, 0 : tuple<i64, i64> -> i64
    %total = phi.proj %state, 1 : tuple<i64, i64> -> i64
    %y = phi.get %a[%k] : !phi.vec<i64>[i64]
    %sum = arith.addi %w, %y : i64
    %least = arith.minsi %sum, %x : i64
    %next_w = arith.subi %least, %y : i64
    %next_total = arith.addi %total, %next_w : i64
    %next = phi.tuple (%next_w, %next_total) : tuple<i64, i64>
    phi.yield %next : tuple<i64, i64>
  }
  func.return %r, %s : tuple<i64, i64>, tuple<i64, i64>
}

// CHECK-LABEL: func.func @level(
// CHECK:         phi.weighted_scan "min"
// CHECK:         %[[SMALL:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f64
// CHECK:         %[[LEFT:.*]] = arith.select %[[SMALL]], %{{.*}}, %n : i64
// CHECK:         phi.fold (%{{.*}} < %[[LEFT]],
// CHECK-NOT:     phi.weighted_scan
// CHECK:         arith.subi %least
// CHECK:         func.return

// Products distribute over sums of Ints, also where they wrap. The last value alone is a sum of the
// addends, each times the factors behind it.
func.func @digits(%a: !phi.vec<i64>, %x: i64) -> i64 {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %ten = arith.constant 10 : i64
  %r = phi.fold (%k < %n, %v = %x) -> i64 {
    %d = phi.get %a[%k] : !phi.vec<i64>[i64]
    %shifted = arith.muli %v, %ten : i64
    %next = arith.addi %shifted, %d : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}


// CHECK-LABEL: func.func @digits(
// CHECK:         %[[FACTORS:.*]] = phi.scan "mul" %{{.*}} suffixes : !phi.vec<i64>
// CHECK:         arith.muli %x, %
// CHECK:         %[[ADDENDS:.*]] = phi.array (%{{.*}} < %n)
// CHECK:         %[[SUM:.*]] = phi.reduce %[[ADDENDS]] identity %{{.*}} by { arith.addi } -> i64
// CHECK-NEXT:    %r = arith.addi %{{.*}}, %[[SUM]] : i64
// CHECK-NEXT:    func.return %r : i64

// Remainders of sums: a test shows that no sum wraps.
func.func @turns(%a: !phi.vec<i64>, %m: i64, %x: i64) -> i64 {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %r = phi.fold (%k < %n, %place = %x) -> i64 {
    %d = phi.get %a[%k] : !phi.vec<i64>[i64]
    %sum = arith.addi %place, %d : i64
    %next = sigma.floormod %sum, %m : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @turns(
// CHECK:         %[[SUM:.*]] = phi.reduce %a identity %{{.*}} by { arith.addi } -> i64
// CHECK-NEXT:    %[[TOTAL:.*]] = arith.addi %x, %[[SUM]] : i64
// CHECK-NEXT:    sigma.floormod %[[TOTAL]], %m : i64
// CHECK:         %[[SMALL:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f64
// CHECK:         %[[LEFT:.*]] = arith.select %[[SMALL]], %{{.*}}, %n : i64
// CHECK:         phi.fold (%{{.*}} < %[[LEFT]],
// CHECK:         func.return

// Running remainders are remainders of running sums: that after k steps is at k in the scan.
func.func @remainders(%x: !phi.vec<i64>, %m: i64, %v: !phi.vec<f64>) -> tuple<i64, f64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %init = phi.tuple (%one, %zero) : tuple<i64, f64>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<i64, f64> {
    %y = phi.proj %state, 0 : tuple<i64, f64> -> i64
    %total = phi.proj %state, 1 : tuple<i64, f64> -> f64
    %e = phi.get %x[%k] : !phi.vec<i64>[i64]
    %sum = arith.addi %y, %e : i64
    %new = sigma.floormod %sum, %m : i64
    %a = phi.get %v[%new] : !phi.vec<f64>[i64]
    %more = arith.addf %total, %a : f64
    %next = phi.tuple (%new, %more) : tuple<i64, f64>
    phi.yield %next : tuple<i64, f64>
  }
  func.return %r : tuple<i64, f64>
}

// CHECK:      func.func @remainders(
// CHECK:        %[[SUMS:.*]] = phi.scan "add" %{{.*}} : !phi.vec<i64>
// CHECK-NEXT:   phi.array (%[[K:.*]] < %{{.*}}) -> !phi.vec<i64> {
// CHECK-NEXT:     %[[STEPS:.*]] = arith.index_cast %[[K]] : index to i64
// CHECK-NEXT:     %[[SUM:.*]] = phi.get %[[SUMS]][%[[STEPS]]]
// CHECK-NEXT:     arith.addi %[[SUM]], %one : i64
// CHECK-NEXT:     sigma.floormod

// LOOP:       func.func @remainders(
// LOOP-NOT:     phi.scan
// LOOP:         sigma.floormod
