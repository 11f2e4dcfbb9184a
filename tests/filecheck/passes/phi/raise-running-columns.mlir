// RUN: ein-opt %s -p 'raise-running-values{columns=128},dce' --split-input-file | filecheck %s

// The maximum of each column so far is a scan. A vector of three elements needs no test.
func.func @few(%x: !phi.vec<!phi.vec<f64>>, %low: f64, %out: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = arith.constant 3 : i64
  %first = phi.array (%c < %m) -> !phi.vec<f64> {
    phi.yield %low : f64
  }
  %start = phi.tuple (%first, %out) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
  %r = phi.fold (%k < %n, %s = %start) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
    %top = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
    %new = phi.array (%c < %m) -> !phi.vec<f64> {
      %old = phi.get %top[%c] : !phi.vec<f64>[index]
      %y = phi.get %x[%k, %c] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.maximumf %old, %y : f64
      phi.yield %z : f64
    }
    %table = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
    %next = phi.update %table[%k], %new : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    %after = phi.tuple (%new, %next) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
    phi.yield %after : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
  }
  %result = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %result : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @few(%x: !phi.vec<!phi.vec<f64>>, %low: f64, %out: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = arith.constant 3 : i64
// CHECK-NEXT:     %first = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.yield %low : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %0 = phi.size %first, 0 : !phi.vec<f64>
// CHECK-NEXT:     %1 = phi.array (%c_1 < %0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %2 = phi.get %first[%c_1] : !phi.vec<f64>[index]
// CHECK-NEXT:       %3 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %y = phi.get %x[%k_1, %c_1] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         phi.yield %y : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %4 = phi.scan "max" %3 : !phi.vec<f64>
// CHECK-NEXT:       %5 = arith.constant 1 : i64
// CHECK-NEXT:       %6 = arith.addi %n, %5 : i64
// CHECK-NEXT:       %7 = phi.array (%k_2 < %6) -> !phi.vec<f64> {
// CHECK-NEXT:         %8 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:         %9 = phi.get %4[%8] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %10 = arith.maximumf %2, %9 : f64
// CHECK-NEXT:         phi.yield %10 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %7 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.fold (%k_3 < %n, %s = %out) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %11 = arith.constant 1 : i64
// CHECK-NEXT:       %12 = arith.addi %k_3, %11 : i64
// CHECK-NEXT:       %new = phi.array (%13 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:         %14 = phi.get %1[%13, %12] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         phi.yield %14 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %next = phi.update %s[%k_3], %new : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       phi.yield %next : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }

// -----

// The last element that is not too small, in a vector of any size: the loop has two versions.
func.func @any(%x: !phi.vec<!phi.vec<f64>>, %low: f64, %first: !phi.vec<f64>, %out: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %first, 0 : !phi.vec<f64>
  %start = phi.tuple (%first, %out) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
  %r = phi.fold (%k < %n, %s = %start) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
    %last = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
    %new = phi.array (%c < %m) -> !phi.vec<f64> {
      %old = phi.get %last[%c] : !phi.vec<f64>[index]
      %y = phi.get %x[%k, %c] : !phi.vec<!phi.vec<f64>>[i64, index]
      %is_low = arith.cmpf olt, %y, %low : f64
      %z = arith.select %is_low, %old, %y : f64
      phi.yield %z : f64
    }
    %table = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
    %next = phi.update %table[%k], %last : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    %after = phi.tuple (%new, %next) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
    phi.yield %after : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
  }
  %result = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %result : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @any(%x: !phi.vec<!phi.vec<f64>>, %low: f64, %first: !phi.vec<f64>, %out: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %first, 0 : !phi.vec<f64>
// CHECK-NEXT:     %start = phi.tuple (%first, %out) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:     %0 = arith.constant true
// CHECK-NEXT:     %1 = arith.constant 1 : i64
// CHECK-NEXT:     %2 = arith.constant 0 : i64
// CHECK-NEXT:     %3 = phi.size %first, 0 : !phi.vec<f64>
// CHECK-NEXT:     %4 = arith.constant 128 : i64
// CHECK-NEXT:     %5 = arith.cmpi sle, %3, %4 : i64
// CHECK-NEXT:     %6 = arith.andi %0, %5 : i1
// CHECK-NEXT:     %7 = arith.select %6, %1, %2 : i64
// CHECK-NEXT:     %8 = arith.select %6, %2, %1 : i64
// CHECK-NEXT:     %9 = phi.fold (%k < %7, %s = %start) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:       %10 = phi.size %first, 0 : !phi.vec<f64>
// CHECK-NEXT:       %11 = phi.array (%c < %10) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %12 = phi.get %first[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:         %13 = phi.array (%k_1 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:           %k_2 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:           %14 = arith.constant true
// CHECK-NEXT:           %15 = arith.constant false
// CHECK-NEXT:           %y = phi.get %x[%k_2, %c] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:           %is_low = arith.cmpf olt, %y, %low : f64
// CHECK-NEXT:           %16 = arith.select %is_low, %15, %14 : i1
// CHECK-NEXT:           %17 = arith.constant -1 : i64
// CHECK-NEXT:           %18 = arith.select %16, %k_2, %17 : i64
// CHECK-NEXT:           phi.yield %18 : i64
// CHECK-NEXT:         }
// CHECK-NEXT:         %19 = phi.scan "max" %13 : !phi.vec<i64>
// CHECK-NEXT:         %20 = arith.constant 1 : i64
// CHECK-NEXT:         %21 = arith.addi %n, %20 : i64
// CHECK-NEXT:         %22 = phi.array (%23 < %21) -> !phi.vec<f64> {
// CHECK-NEXT:           %24 = phi.get %19[%23] : !phi.vec<i64>[index]
// CHECK-NEXT:           %25 = arith.constant 0 : i64
// CHECK-NEXT:           %26 = arith.cmpi sge, %24, %25 : i64
// CHECK-NEXT:           %y_1 = phi.get %x[%24, %c] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:           %27 = arith.select %26, %y_1, %12 : f64
// CHECK-NEXT:           phi.yield %27 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %28 = arith.constant 1 : i64
// CHECK-NEXT:         %29 = arith.addi %n, %28 : i64
// CHECK-NEXT:         %30 = phi.array (%k_3 < %29) -> !phi.vec<f64> {
// CHECK-NEXT:           %31 = arith.index_cast %k_3 : index to i64
// CHECK-NEXT:           %32 = phi.get %22[%31] : !phi.vec<f64>[i64]
// CHECK-NEXT:           phi.yield %32 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %30 : !phi.vec<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %33 = phi.array (%34 < %10) -> !phi.vec<f64> {
// CHECK-NEXT:         %35 = phi.get %11[%34, %n] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:         phi.yield %35 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %r = phi.fold (%k_4 < %n, %s_1 = %out) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %last = phi.array (%36 < %10) -> !phi.vec<f64> {
// CHECK-NEXT:           %37 = phi.get %11[%36, %k_4] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:           phi.yield %37 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %next = phi.update %s_1[%k_4], %last : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:         phi.yield %next : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       }
// CHECK-NEXT:       %r_1 = phi.tuple (%33, %r) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:       phi.yield %r_1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %r_2 = phi.fold (%k_5 < %8, %s_2 = %9) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:       %r_3 = phi.fold (%k_6 < %n, %s_3 = %s_2) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:         %last_1 = phi.proj %s_3, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
// CHECK-NEXT:         %new = phi.array (%c_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:           %old = phi.get %last_1[%c_1] : !phi.vec<f64>[index]
// CHECK-NEXT:           %y_2 = phi.get %x[%k_6, %c_1] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:           %is_low_1 = arith.cmpf olt, %y_2, %low : f64
// CHECK-NEXT:           %z = arith.select %is_low_1, %old, %y_2 : f64
// CHECK-NEXT:           phi.yield %z : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %table = phi.proj %s_3, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:         %next_1 = phi.update %table[%k_6], %last_1 : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:         %after = phi.tuple (%new, %next_1) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:         phi.yield %after : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %r_3 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %result = phi.proj %r_2, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     func.return %result : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// An element that depends on its neighbour is no scan of its column.
func.func @neighbours(%x: !phi.vec<!phi.vec<f64>>, %first: !phi.vec<f64>, %out: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %first, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %start = phi.tuple (%first, %out) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
  %r = phi.fold (%k < %n, %s = %start) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
    %top = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
    %new = phi.array (%c < %m) -> !phi.vec<f64> {
      %old = phi.get %top[%zero] : !phi.vec<f64>[i64]
      %y = phi.get %x[%k, %c] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.maximumf %old, %y : f64
      phi.yield %z : f64
    }
    %table = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
    %next = phi.update %table[%k], %new : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    %after = phi.tuple (%new, %next) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
    phi.yield %after : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
  }
  %result = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %result : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @neighbours(%x: !phi.vec<!phi.vec<f64>>, %first: !phi.vec<f64>, %out: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %first, 0 : !phi.vec<f64>
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %start = phi.tuple (%first, %out) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:     %r = phi.fold (%k < %n, %s = %start) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:       %top = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
// CHECK-NEXT:       %new = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %old = phi.get %top[%zero] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %y = phi.get %x[%k, %c] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         %z = arith.maximumf %old, %y : f64
// CHECK-NEXT:         phi.yield %z : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %table = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %next = phi.update %table[%k], %new : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %after = phi.tuple (%new, %next) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:       phi.yield %after : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %result = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     func.return %result : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// The elements of a matrix that has few, so that each axis and their product are tested.
func.func @matrix(%x: !phi.vec<!phi.vec<!phi.vec<f64>>>, %first: !phi.vec<!phi.vec<f64>>, %out: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %m = phi.size %first, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %first, 1 : !phi.vec<!phi.vec<f64>>
  %start = phi.tuple (%first, %out) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %s = %start) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
    %sums = phi.proj %s, 0 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> -> !phi.vec<!phi.vec<f64>>
    %new = phi.array (%c < %m, %d < %l) -> !phi.vec<!phi.vec<f64>> {
      %old = phi.get %sums[%c, %d] : !phi.vec<!phi.vec<f64>>[index, index]
      %y = phi.get %x[%k, %c, %d] : !phi.vec<!phi.vec<!phi.vec<f64>>>[i64, index, index]
      %z = arith.addf %old, %y : f64
      phi.yield %z : f64
    }
    %list = phi.proj %s, 1 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> -> !phi.vec<f64>
    %e = phi.get %new[%zero, %zero] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %next = phi.update %list[%k], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %after = phi.tuple (%new, %next) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
    phi.yield %after : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
  }
  %result = phi.proj %r, 1 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %result : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @matrix
// CHECK:          %3 = phi.size %first, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %4 = phi.size %first, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %5 = arith.muli %3, %4 : i64
// CHECK:          phi.scan "add"
// CHECK:          phi.array ({{.*}}, {{.*}}) -> !phi.vec<!phi.vec<f64>>
