// RUN: ein-opt %s --split-input-file -p raise-counted-loops,simplify | filecheck %s
// RUN: ein-opt %s --split-input-file -p 'raise-counted-loops{static=true},simplify' | filecheck %s --check-prefix STATIC
// RUN: ein-opt %s --split-input-file -p 'raise-counted-loops{irregular=true},simplify' | filecheck %s --check-prefix IRREGULAR

// The longest row is known: the loop is a fold over it.

func.func @triangle(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %start = arith.constant 1.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %end = arith.index_cast %i : index to i64
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %k, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %acc, %x : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:      func.func @triangle(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %start = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:   %2 = arith.constant 0 : i64
// CHECK-NEXT:   %3 = arith.maxsi %1, %2 : i64
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %end = arith.index_cast %i : index to i64
// CHECK-NEXT:     %t = phi.fold (%steps < %3, %acc = %start) -> f64 {
// CHECK-NEXT:       %x = phi.get %a[%steps] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %4 = arith.cmpi slt, %steps, %end : i64
// CHECK-NEXT:       %5 = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:       %6 = arith.select %4, %x, %5 : f64
// CHECK-NEXT:       %7 = arith.mulf %acc, %6 : f64
// CHECK-NEXT:       phi.yield %7 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %t : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }
// STATIC-LABEL: func.func @triangle
// STATIC:         phi.fold
// IRREGULAR:      func.func @triangle(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// IRREGULAR-NEXT:   %start = arith.constant 1.000000e+00 : f64
// IRREGULAR-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// IRREGULAR-NEXT:   %0 = arith.constant 1 : i64
// IRREGULAR-NEXT:   %1 = arith.subi %n, %0 : i64
// IRREGULAR-NEXT:   %2 = arith.constant 0 : i64
// IRREGULAR-NEXT:   %3 = arith.maxsi %1, %2 : i64
// IRREGULAR-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// IRREGULAR-NEXT:     %end = arith.index_cast %i : index to i64
// IRREGULAR-NEXT:     %t = phi.fold (%steps < %3, %acc = %start) -> f64 {
// IRREGULAR-NEXT:       %x = phi.get %a[%steps] : !phi.vec<f64>[i64]
// IRREGULAR-NEXT:       %4 = arith.cmpi slt, %steps, %end : i64
// IRREGULAR-NEXT:       %5 = arith.constant 1.000000e+00 : f64
// IRREGULAR-NEXT:       %6 = arith.select %4, %x, %5 : f64
// IRREGULAR-NEXT:       %7 = arith.mulf %acc, %6 : f64
// IRREGULAR-NEXT:       phi.yield %7 : f64
// IRREGULAR-NEXT:     }
// IRREGULAR-NEXT:     phi.yield %t : f64
// IRREGULAR-NEXT:   }
// IRREGULAR-NEXT:   func.return %r : !phi.vec<f64>
// IRREGULAR-NEXT: }

// -----

// The rows end together: the last steps of all rows read the same elements. No steps below 0.

func.func @suffixes(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %start = arith.constant 0.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %length = arith.subi %n, %p : i64
    %end = arith.maxsi %length, %first : i64
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %k, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %q = arith.addi %p, %k : i64
      %x = phi.get %a[%q] : !phi.vec<f64>[i64]
      %y = arith.addf %acc, %x : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:      func.func @suffixes(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %start = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %t = phi.fold (%steps < %n, %acc = %start) -> f64 {
// CHECK-NEXT:       %x = phi.get %a[%steps] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %1 = arith.cmpi sge, %steps, %0 : i64
// CHECK-NEXT:       %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %3 = arith.select %1, %x, %2 : f64
// CHECK-NEXT:       %4 = arith.addf %acc, %3 : f64
// CHECK-NEXT:       phi.yield %4 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %t : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A window that is cut at the start: one of two ends is the same in all rows.

func.func @window(%a: !phi.vec<f64>, %w: i64) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %start = arith.constant 0.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %length = arith.addi %p, %step : i64
    %end = arith.minsi %length, %w : i64
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %k, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %q = arith.subi %p, %k : i64
      %x = phi.get %a[%q] : !phi.vec<f64>[i64]
      %y = arith.addf %acc, %x : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @window
// CHECK:         %[[MOST:[^ ]+]] = arith.minsi %n, %w : i64
// CHECK-NEXT:    %[[ZERO:[^ ]+]] = arith.constant 0 : i64
// CHECK-NEXT:    %[[COUNT:[^ ]+]] = arith.maxsi %[[MOST]], %[[ZERO]] : i64
// CHECK:         %t = phi.fold (%steps < %[[COUNT]], %acc = %start) -> f64 {
// CHECK:           phi.get %a[%{{.*}}]
// CHECK:           arith.cmpi slt, %steps, %{{.*}} : i64

// -----

// The data decide the lengths: all steps of all rows are one sequence.

func.func @rows(%a: !phi.vec<f64>, %ends: !phi.vec<i64>) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %start = arith.constant 1.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %ends, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %end = phi.get %ends[%i] : !phi.vec<i64>[index]
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %k, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %at = arith.addi %end, %k : i64
      %x = phi.get %a[%at] : !phi.vec<f64>[i64]
      %y = arith.mulf %acc, %x : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:      func.func @rows(%a: !phi.vec<f64>, %ends: !phi.vec<i64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %first = arith.constant 0 : i64
// CHECK-NEXT:   %start = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %ends, 0 : !phi.vec<i64>
// CHECK-NEXT:   %0 = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %end = phi.get %ends[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %1 = arith.cmpi slt, %first, %end : i64
// CHECK-NEXT:     %2 = arith.constant 0 : i64
// CHECK-NEXT:     %3 = arith.select %1, %end, %2 : i64
// CHECK-NEXT:     phi.yield %3 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %4 = phi.scan "add" %0 : !phi.vec<i64>
// CHECK-NEXT:   %5 = phi.get %4[%n] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %6 = arith.constant 17592186044416 : i64
// CHECK-NEXT:   %7 = arith.constant 0 : i64
// CHECK-NEXT:   %8 = arith.cmpi slt, %5, %7 : i64
// CHECK-NEXT:   %9 = arith.select %8, %6, %5 : i64
// CHECK-NEXT:   %10 = arith.minsi %9, %6 : i64
// CHECK-NEXT:   %11 = arith.maxsi %10, %7 : i64
// CHECK-NEXT:   %12 = phi.accumulate (%13 < %n) into "add" (%11) -> !phi.vec<i64> {
// CHECK-NEXT:     %14 = phi.get %4[%13] : !phi.vec<i64>[index]
// CHECK-NEXT:     %15 = arith.constant 1 : i64
// CHECK-NEXT:     %16 = phi.tuple (%14, %15) : tuple<i64, i64>
// CHECK-NEXT:     phi.yield %16 : tuple<i64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %17 = phi.scan "add" %12 : !phi.vec<i64>
// CHECK-NEXT:   %18 = phi.array (%19 < %11) -> !phi.vec<i64> {
// CHECK-NEXT:     %20 = arith.constant 1 : i64
// CHECK-NEXT:     %21 = arith.index_cast %19 : index to i64
// CHECK-NEXT:     %22 = arith.addi %21, %20 : i64
// CHECK-NEXT:     %23 = phi.get %17[%22] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %24 = arith.subi %23, %20 : i64
// CHECK-NEXT:     phi.yield %24 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %25 = phi.accumulate (%26 < %11) into "mul" (%n) -> !phi.vec<f64> {
// CHECK-NEXT:     %27 = phi.get %18[%26] : !phi.vec<i64>[index]
// CHECK-NEXT:     %28 = phi.get %18[%26] : !phi.vec<i64>[index]
// CHECK-NEXT:     %29 = phi.get %4[%28] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %30 = arith.index_cast %26 : index to i64
// CHECK-NEXT:     %31 = arith.subi %30, %29 : i64
// CHECK-NEXT:     %end_1 = phi.get %ends[%28] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %at = arith.addi %end_1, %31 : i64
// CHECK-NEXT:     %x = phi.get %a[%at] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %32 = phi.tuple (%27, %x) : tuple<i64, f64>
// CHECK-NEXT:     phi.yield %32 : tuple<i64, f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %33 = phi.get %25[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:     %t = arith.mulf %start, %33 : f64
// CHECK-NEXT:     phi.yield %t : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }
// STATIC-LABEL: func.func @rows
// STATIC:         phi.while

// -----

// All rows combine the first of the same terms: each reads a prefix of these.

func.func @shared(%a: !phi.vec<f64>, %ends: !phi.vec<i64>) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %start = arith.constant 1.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %ends, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %end = phi.get %ends[%i] : !phi.vec<i64>[index]
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %k, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %acc, %x : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @shared
// CHECK:         %0 = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK:         %5 = phi.reduce %0 identity %4 by { arith.maxsi } -> i64
// CHECK:         %11 = arith.maxsi %10, %7 : i64
// CHECK-NEXT:    %12 = phi.array (%13 < %11) -> !phi.vec<f64> {
// CHECK-NEXT:      %14 = arith.index_cast %13 : index to i64
// CHECK-NEXT:      %x = phi.get %a[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %x : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %15 = phi.scan "mul" %12 : !phi.vec<f64>
// CHECK-NEXT:    %r = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %end_1 = phi.get %ends[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:      %16 = arith.cmpi slt, %first, %end_1 : i64
// CHECK-NEXT:      %17 = arith.constant 0 : i64
// CHECK-NEXT:      %18 = arith.select %16, %end_1, %17 : i64
// CHECK-NEXT:      %19 = phi.get %15[%18] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %t = arith.mulf %start, %19 : f64
// CHECK-NEXT:      phi.yield %t : f64
// CHECK-NEXT:    }
// STATIC-LABEL: func.func @shared
// STATIC:         %[[SIZE:.*]] = phi.size %a, 0
// STATIC:         phi.fold (%{{.*}} < %[[SIZE]], %{{.*}})
// STATIC:         arith.cmpi slt, %[[SIZE]], %end
// STATIC:         phi.while
// IRREGULAR-LABEL: func.func @shared
// IRREGULAR:         phi.scan "mul"
// IRREGULAR-NOT:     phi.fold

// -----

// The terms vary with another index: there is a scan for each.

func.func @shared_of_rows(%a: !phi.vec<!phi.vec<f64>>, %ends: !phi.vec<i64>) -> !phi.vec<!phi.vec<f64>> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %start = arith.constant 0.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %ends, 0 : !phi.vec<i64>
  %r = phi.array (%j < %m, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %end = phi.get %ends[%i] : !phi.vec<i64>[index]
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %k, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %x = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.addf %acc, %x : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @shared_of_rows
// CHECK:         phi.reduce %0 identity %4 by { arith.maxsi } -> i64
// CHECK:         %12 = phi.array (%13 < %m, %14 < %11) -> !phi.vec<!phi.vec<f64>> {
// CHECK:         %16 = phi.array (%j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %17 = phi.get %12[%j] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:      %18 = phi.scan "add" %17 : !phi.vec<f64>
// CHECK-NEXT:      phi.yield %18 : !phi.vec<f64>
// CHECK:         phi.get %16[%j_1, %21] : !phi.vec<!phi.vec<f64>>[index, i64]
// STATIC-LABEL: func.func @shared_of_rows
// STATIC:         phi.fold
// STATIC:         phi.while
// IRREGULAR-LABEL: func.func @shared_of_rows
// IRREGULAR:         phi.scan "add"
// IRREGULAR-NOT:     phi.fold

// -----

// Rows of a matrix that are longer than those of others, each read from its start on, in the steps
// of an iteration of each element: the elements take each step together.

func.func @iterated(%a: !phi.vec<!phi.vec<f64>>, %ends: !phi.vec<i64>, %steps: i64) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %start = arith.constant 1.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %ends, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %end = phi.get %ends[%i] : !phi.vec<i64>[index]
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %zero) : tuple<i1, i64, f64>
    %f = phi.fold (%q < %steps, %y = %start) -> f64 {
      %s = phi.while (%t < %limit, %state = %init) -> tuple<i1, i64, f64> {
        %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
        %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
        %next = arith.addi %k, %step : i64
        %more = arith.cmpi slt, %next, %end : i64
        %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %xy = arith.mulf %x, %y : f64
        %sum = arith.addf %acc, %xy : f64
        %after = phi.tuple (%more, %next, %sum) : tuple<i1, i64, f64>
        phi.yield %after : tuple<i1, i64, f64>
      }
      %z = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
      phi.yield %z : f64
    }
    phi.yield %f : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @iterated
// CHECK:         %0 = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %start : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %1 = phi.array (%i_1 < %n) -> !phi.vec<i64> {
// CHECK:         %f = phi.fold (%q < %steps, %y = %0) -> !phi.vec<f64> {
// CHECK-NEXT:      %26 = phi.accumulate (%27 < %12) into "add" (%n) -> !phi.vec<f64> {
// CHECK-NEXT:        %28 = phi.get %19[%27] : !phi.vec<i64>[index]
// CHECK-NEXT:        %29 = phi.get %19[%27] : !phi.vec<i64>[index]
// CHECK-NEXT:        %30 = phi.get %5[%29] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %31 = arith.index_cast %27 : index to i64
// CHECK-NEXT:        %32 = arith.subi %31, %30 : i64
// CHECK-NEXT:        %33 = phi.get %y[%29] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %x = phi.get %a[%29, %32] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:        %xy = arith.mulf %x, %33 : f64
// CHECK-NEXT:        %34 = phi.tuple (%28, %xy) : tuple<i64, f64>
// CHECK-NEXT:        phi.yield %34 : tuple<i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %35 = phi.array (%i_2 < %n) -> !phi.vec<f64> {
// CHECK:         %r = phi.array (%i_3 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %f_1 = phi.get %f[%i_3] : !phi.vec<f64>[index]
// STATIC-LABEL: func.func @iterated
// STATIC:         phi.fold
// STATIC:           phi.while
// IRREGULAR-LABEL: func.func @iterated
// IRREGULAR:         phi.fold (
// IRREGULAR:           phi.fold irregular

// -----

// No combination of values, so that rows step together.

func.func @no_reduction(%a: !phi.vec<f64>, %ends: !phi.vec<i64>) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %start = arith.constant 1.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %ends, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %end = phi.get %ends[%i] : !phi.vec<i64>[index]
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %k, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %at = arith.addi %end, %k : i64
      %x = phi.get %a[%at] : !phi.vec<f64>[i64]
      %z = arith.addf %acc, %x : f64
      %y = math.sqrt %z : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @no_reduction
// CHECK:         phi.while
// IRREGULAR-LABEL: func.func @no_reduction
// IRREGULAR:         phi.fold irregular

// -----

// A limit may end the loop before its condition does.

func.func @limited(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %start = arith.constant 1.0 : f64
  %limit = arith.constant 5 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %end = arith.index_cast %i : index to i64
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %k, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %acc, %x : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @limited
// CHECK:         phi.while
// IRREGULAR-LABEL: func.func @limited
// IRREGULAR:         phi.while

// -----

// A window of a constant radius, with weights that start where it does: the longest row has as many
// steps as the least of the bounds that are the same in all rows, 3 and n.

func.func @weighted(%a: !phi.vec<f64>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %start = arith.constant 0.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %before = arith.subi %k, %step : i64
    %p = arith.maxsi %before, %first : i64
    %last = arith.addi %k, %two : i64
    %q = arith.minsi %last, %n : i64
    %end = arith.subi %q, %p : i64
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %t = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %d = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %d, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %at = arith.addi %p, %d : i64
      %x = phi.get %a[%at] : !phi.vec<f64>[i64]
      %c = phi.get %w[%d] : !phi.vec<f64>[i64]
      %m = arith.mulf %x, %c : f64
      %y = arith.addf %acc, %m : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %z = phi.proj %t, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %z : f64
  }
  func.return %s : !phi.vec<f64>
}
// CHECK-LABEL: func.func @weighted
// CHECK:         [[THREE:%[0-9]+]] = arith.constant 3 : i64
// CHECK:         [[COUNT:%[0-9]+]] = arith.minsi [[THREE]], %n : i64
// CHECK:         phi.fold (%steps < [[COUNT]], %acc = %start) -> f64 {
// STATIC-LABEL: func.func @weighted
// STATIC:         [[COUNT:%[0-9]+]] = arith.minsi {{.*}} : i64
// STATIC:         phi.fold (%steps < [[COUNT]], %acc = %start) -> f64 {
// IRREGULAR-LABEL: func.func @weighted
// IRREGULAR:         [[COUNT:%[0-9]+]] = arith.minsi {{.*}} : i64
// IRREGULAR:         phi.fold (%steps < [[COUNT]], %acc = %start) -> f64 {

// -----

// Sums of an argument and an index may wrap: the loop is regular for Ints that are ordinary, and a
// copy of the comprehension is for the others. The longest row has as many steps as the least bound
// that is the same in all rows.

func.func @radius(%a: !phi.vec<f64>, %w: !phi.vec<f64>, %r: i64) -> !phi.vec<f64> {
  %first = arith.constant 0 : i64
  %step = arith.constant 1 : i64
  %start = arith.constant 0.0 : f64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %before = arith.subi %k, %r : i64
    %p = arith.maxsi %before, %first : i64
    %behind = arith.addi %k, %r : i64
    %last = arith.addi %behind, %step : i64
    %q = arith.minsi %last, %n : i64
    %end = arith.subi %q, %p : i64
    %some = arith.cmpi slt, %first, %end : i64
    %init = phi.tuple (%some, %first, %start) : tuple<i1, i64, f64>
    %t = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %d = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addi %d, %step : i64
      %more = arith.cmpi slt, %next, %end : i64
      %at = arith.addi %p, %d : i64
      %x = phi.get %a[%at] : !phi.vec<f64>[i64]
      %c = phi.get %w[%d] : !phi.vec<f64>[i64]
      %m = arith.mulf %x, %c : f64
      %y = arith.addf %acc, %m : f64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %z = phi.proj %t, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %z : f64
  }
  func.return %s : !phi.vec<f64>
}
// CHECK-LABEL: func.func @radius
// CHECK:         %4 = arith.andi %1, %3 : i1
// CHECK:         %6 = arith.select %4, %n, %5 : i64
// CHECK-NEXT:    %7 = arith.select %4, %5, %n : i64
// CHECK:         %9 = arith.maxsi %r, %8 : i64
// CHECK:         %r_1 = arith.minsi %9, %10 : i64
// CHECK:         %12 = arith.muli %r_1, %11 : i64
// CHECK:         %14 = arith.addi %12, %13 : i64
// CHECK-NEXT:    %15 = arith.minsi %14, %n : i64
// CHECK:         %17 = arith.maxsi %15, %16 : i64
// CHECK-NEXT:    %s = phi.array (%i < %6) -> !phi.vec<f64> {
// CHECK:           %z = phi.fold (%steps < %17, %acc = %start) -> f64 {
// CHECK:         phi.array (%i_1 < %7) -> !phi.vec<i64> {
// CHECK:         phi.concat %s, %s_1 of %n : !phi.vec<f64>
// STATIC-LABEL: func.func @radius
// STATIC:         phi.while
// STATIC-NOT:     phi.concat
// IRREGULAR-LABEL: func.func @radius
// IRREGULAR:         phi.array (%i < %6)
// IRREGULAR:           phi.fold (%steps < %17, %acc = %start) -> f64 {
// IRREGULAR:         phi.array (%i_1 < %7)
// IRREGULAR:           phi.fold irregular
// IRREGULAR:         phi.concat %s, %s_1 of %n : !phi.vec<f64>

// -----

// A loop that ends by its data counts from a number on: its field is the number of the step, which
// all rows that take the step have in common.
func.func @numbered(%a: !phi.vec<!phi.vec<f64>>, %p: i64, %limit: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %on = arith.constant true
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %init = phi.tuple (%on, %p) : tuple<i1, i64>
    %s = phi.while (%step < %limit, %state = %init) -> tuple<i1, i64> {
      %k = phi.proj %state, 1 : tuple<i1, i64> -> i64
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %more = arith.cmpf ogt, %x, %zero : f64
      %next = arith.addi %k, %one : i64
      %after = phi.tuple (%more, %next) : tuple<i1, i64>
      phi.yield %after : tuple<i1, i64>
    }
    %k = phi.proj %s, 1 : tuple<i1, i64> -> i64
    phi.yield %k : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @numbered
// CHECK:         phi.while (%step < %limit, %state = %init) -> tuple<i1, i64> {
// CHECK-NEXT:      %k = arith.addi %p, %step : i64
// CHECK-NEXT:      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:      %more = arith.cmpf ogt, %x, %zero : f64
// CHECK-NEXT:      %next = arith.addi %k, %one : i64
// CHECK-NEXT:      %after = phi.tuple (%more, %next) : tuple<i1, i64>

// -----

// Rows have as many steps as data says, and each step a product of the elements before it: the loop
// around carries the product.
func.func @products_before(%a: !phi.vec<!phi.vec<f64>>, %m: !phi.vec<i64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %limit = arith.constant 17592186044416 : i64
  %one = arith.constant 1.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %end = phi.get %m[%i] : !phi.vec<i64>[index]
    %some = arith.cmpi slt, %zero, %end : i64
    %init = phi.tuple (%some, %zero, %one) : tuple<i1, i64, f64>
    %s = phi.while (%t < %limit, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %any = arith.cmpi slt, %zero, %k : i64
      %first = phi.tuple (%any, %zero, %one) : tuple<i1, i64, f64>
      %p = phi.while (%u < %limit, %inner = %first) -> tuple<i1, i64, f64> {
        %j = phi.proj %inner, 1 : tuple<i1, i64, f64> -> i64
        %product = phi.proj %inner, 2 : tuple<i1, i64, f64> -> f64
        %j_1 = arith.addi %j, %unit : i64
        %more_1 = arith.cmpi slt, %j_1, %k : i64
        %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
        %next_1 = arith.mulf %product, %x : f64
        %after_1 = phi.tuple (%more_1, %j_1, %next_1) : tuple<i1, i64, f64>
        phi.yield %after_1 : tuple<i1, i64, f64>
      }
      %before = phi.proj %p, 2 : tuple<i1, i64, f64> -> f64
      %next = arith.addf %acc, %before : f64
      %k_1 = arith.addi %k, %unit : i64
      %more = arith.cmpi slt, %k_1, %end : i64
      %after = phi.tuple (%more, %k_1, %next) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %sum = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %sum : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @products_before
// CHECK:         phi.while (%t < %limit, %state = %0) -> tuple<i1, i64, f64, f64> {
// CHECK-NEXT:      %acc = phi.proj %state, 2 : tuple<i1, i64, f64, f64> -> f64
// CHECK-NEXT:      %2 = phi.proj %state, 3 : tuple<i1, i64, f64, f64> -> f64
// CHECK-NEXT:      %x = phi.get %a[%i, %t] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:      %next = arith.mulf %2, %x : f64
// CHECK-NEXT:      %next_1 = arith.addf %acc, %2 : f64
// IRREGULAR-LABEL: func.func @products_before
// IRREGULAR:         phi.fold irregular
// IRREGULAR:           phi.fold

// -----

// All rows take the first of the same steps: one loop takes those of the last row, and keeps the state
// after each.

func.func @orbit(%a: !phi.vec<f64>, %x: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %zero = arith.constant 0 : i64
    %end = arith.index_cast %i : index to i64
    %some = arith.cmpi slt, %zero, %end : i64
    %init = phi.tuple (%some, %zero, %x) : tuple<i1, i64, f64>
    %unlimited = arith.constant 17592186044416 : i64
    %s = phi.while (%steps < %unlimited, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %y = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %one = arith.constant 1 : i64
      %next = arith.addi %k, %one : i64
      %more = arith.cmpi slt, %next, %end : i64
      %z = arith.mulf %y, %y : f64
      %after = phi.tuple (%more, %next, %z) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @orbit(
// CHECK:         %3 = arith.maxsi %1, %2 : i64
// CHECK:         %5 = arith.addi %3, %4 : i64
// CHECK-NEXT:    %6 = phi.array (%7 < %5) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %x : f64
// CHECK:         %9 = phi.fold (%steps < %3, %state = %8) -> tuple<f64, !phi.vec<f64>> {
// CHECK:           %z = arith.mulf %10, %10 : f64
// CHECK:           %13 = arith.addi %steps, %12 : i64
// CHECK-NEXT:      %14 = phi.update %11[%13], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK:         %16 = phi.proj %9, 1
// CHECK-NEXT:    %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:           %18 = arith.maxsi %end, %17 : i64
// CHECK-NEXT:      %t = phi.get %16[%18] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %t : f64

// STATIC-LABEL: func.func @orbit(
// STATIC-NOT:     phi.while
// STATIC:         func.return

// IRREGULAR-LABEL: func.func @orbit(
// IRREGULAR-NOT:  irregular
// IRREGULAR:      func.return

// -----

// Where data counts the steps, a row of more steps than there are states goes on alone.

func.func @ages(%a: !phi.vec<i64>, %x: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %zero = arith.constant 0 : i64
    %end = phi.get %a[%i] : !phi.vec<i64>[index]
    %some = arith.cmpi slt, %zero, %end : i64
    %init = phi.tuple (%some, %zero, %x) : tuple<i1, i64, f64>
    %unlimited = arith.constant 17592186044416 : i64
    %s = phi.while (%steps < %unlimited, %state = %init) -> tuple<i1, i64, f64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
      %y = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
      %one = arith.constant 1 : i64
      %next = arith.addi %k, %one : i64
      %more = arith.cmpi slt, %next, %end : i64
      %z = arith.mulf %y, %y : f64
      %after = phi.tuple (%more, %next, %z) : tuple<i1, i64, f64>
      phi.yield %after : tuple<i1, i64, f64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @ages(
// CHECK:         %5 = phi.reduce %0 identity %4 by { arith.maxsi } -> i64
// CHECK-NEXT:    %6 = arith.constant 65536 : i64
// CHECK-NEXT:    %7 = arith.minsi %5, %6 : i64
// CHECK:         %13 = phi.fold (%steps < %7, %state = %12) -> tuple<f64, !phi.vec<f64>> {
// CHECK:         %r = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK:           %24 = arith.minsi %22, %23 : i64
// CHECK-NEXT:      %25 = phi.get %20[%24] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %26 = arith.cmpi slt, %24, %end_1 : i64
// CHECK-NEXT:      %27 = phi.tuple (%26, %24, %25) : tuple<i1, i64, f64>
// CHECK-NEXT:      %28 = phi.while (%steps_1 < %unlimited, %state_1 = %27)

// STATIC-LABEL: func.func @ages(
// STATIC-NOT:     phi.fold
// STATIC:         phi.while

// IRREGULAR-LABEL: func.func @ages(
// IRREGULAR:        %25 = phi.get %20[%24] : !phi.vec<f64>[i64]
// IRREGULAR:        phi.fold irregular (%steps_1 < %27, %acc = %25) -> f64 {

// -----

// Rows read no parts of arrays of their own: they are a sequence if it is short, and else a loop.

func.func @powers_of_steps(%years: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %years, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %end = phi.get %years[%i] : !phi.vec<i64>[index]
    %some = arith.cmpi slt, %zero, %end : i64
    %init = phi.tuple (%some, %zero, %zero) : tuple<i1, i64, i64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, i64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, i64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, i64> -> i64
      %next = arith.addi %k, %one : i64
      %more = arith.cmpi slt, %next, %end : i64
      %x = arith.muli %k, %p : i64
      %y = arith.addi %acc, %x : i64
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, i64>
      phi.yield %after : tuple<i1, i64, i64>
    }
    %t = phi.proj %s, 2 : tuple<i1, i64, i64> -> i64
    phi.yield %t : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @powers_of_steps
// CHECK:         [[FEW:%[0-9]+]] = arith.andi
// CHECK:         [[MOST:%[0-9]+]] = arith.select [[FEW]], %{{[0-9]+}}, %{{[0-9]+}} : i64
// CHECK:         [[COUNTS:%[0-9]+]] = phi.array
// CHECK:           arith.minsi %{{[0-9]+}}, [[MOST]] : i64
// CHECK:         phi.scan "add" [[COUNTS]]
// CHECK:         [[SUMS:%[0-9]+]] = phi.accumulate {{.*}} into "add" (%n)
// CHECK:           arith.muli
// CHECK:         %r = phi.array
// CHECK:           [[SUM:%[0-9]+]] = phi.get [[SUMS]]
// CHECK:           [[COUNT:%[0-9]+]] = phi.get [[COUNTS]]
// CHECK:           phi.tuple (%{{[0-9]+}}, [[COUNT]], [[SUM]])
// CHECK:           phi.while
// STATIC-LABEL: func.func @powers_of_steps
// STATIC-NOT:     phi.accumulate
// IRREGULAR-LABEL: func.func @powers_of_steps
// IRREGULAR-NOT:   phi.accumulate

// -----

// Rows of at most eight steps start together, although they would read the same element if they ended
// together.

func.func @few_steps(%a: !phi.vec<i64>, %t: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %eight = arith.constant 8 : i64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %left = arith.subi %n, %p : i64
    %end = arith.minsi %left, %eight : i64
    %some = arith.cmpi slt, %zero, %end : i64
    %init = phi.tuple (%some, %zero, %zero) : tuple<i1, i64, i64>
    %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, i64> {
      %k = phi.proj %state, 1 : tuple<i1, i64, i64> -> i64
      %acc = phi.proj %state, 2 : tuple<i1, i64, i64> -> i64
      %next = arith.addi %k, %one : i64
      %more = arith.cmpi slt, %next, %end : i64
      %q = arith.addi %p, %k : i64
      %x = phi.get %a[%q] : !phi.vec<i64>[i64]
      %z = arith.addi %acc, %x : i64
      %y = phi.get %t[%z] : !phi.vec<i64>[i64]
      %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, i64>
      phi.yield %after : tuple<i1, i64, i64>
    }
    %u = phi.proj %s, 2 : tuple<i1, i64, i64> -> i64
    phi.yield %u : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @few_steps
// CHECK:         [[MOST:%[0-9]+]] = arith.minsi %{{[0-9]+}}, %n : i64
// CHECK:         phi.fold (%steps < [[MOST]], %acc = %zero) -> i64 {

// -----

// The terms of a product of two polynomials: sizes say which of two rectangles has fewer steps.
func.func @coefficients(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %0 = arith.constant 0 : i64
  %1 = arith.constant 1 : i64
  %most = arith.constant 17592186044416 : i64
  %zero = arith.constant 0.0 : f64
  %sum = arith.addi %n, %m : i64
  %size = arith.subi %sum, %1 : i64
  %r = phi.array (%i < %size) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %last = arith.subi %n, %1 : i64
    %high = arith.minsi %last, %k : i64
    %before = arith.subi %k, %m : i64
    %first = arith.addi %before, %1 : i64
    %low = arith.maxsi %first, %0 : i64
    %length = arith.subi %high, %low : i64
    %count = arith.addi %length, %1 : i64
    %some = arith.cmpi slt, %0, %count : i64
    %start = phi.tuple (%0, %zero) : tuple<i64, f64>
    %init = phi.tuple (%some, %start) : tuple<i1, tuple<i64, f64>>
    %s = phi.while (%steps < %most, %state = %init) -> tuple<i1, tuple<i64, f64>> {
      %fields = phi.proj %state, 1 : tuple<i1, tuple<i64, f64>> -> tuple<i64, f64>
      %t = phi.proj %fields, 0 : tuple<i64, f64> -> i64
      %acc = phi.proj %fields, 1 : tuple<i64, f64> -> f64
      %next = arith.addi %t, %1 : i64
      %more = arith.cmpi slt, %next, %count : i64
      %p = arith.addi %low, %t : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %q = arith.subi %k, %p : i64
      %y = phi.get %b[%q] : !phi.vec<f64>[i64]
      %xy = arith.mulf %x, %y : f64
      %new = arith.addf %acc, %xy : f64
      %others = phi.tuple (%next, %new) : tuple<i64, f64>
      %all = phi.tuple (%more, %others) : tuple<i1, tuple<i64, f64>>
      phi.yield %all : tuple<i1, tuple<i64, f64>>
    }
    %rest = phi.proj %s, 1 : tuple<i1, tuple<i64, f64>> -> tuple<i64, f64>
    %value = phi.proj %rest, 1 : tuple<i64, f64> -> f64
    phi.yield %value : f64
  }
  func.return %r : !phi.vec<f64>
}

// STATIC:          func.func @coefficients(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
// STATIC-NEXT:       %n = phi.size %a, 0 : !phi.vec<f64>
// STATIC-NEXT:       %m = phi.size %b, 0 : !phi.vec<f64>
// STATIC-NEXT:       %0 = arith.constant 1 : i64
// STATIC-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// STATIC-NEXT:       %sum = arith.addi %n, %m : i64
// STATIC-NEXT:       %size = arith.subi %sum, %0 : i64
// STATIC-NEXT:       %1 = arith.addi %n, %m : i64
// STATIC-NEXT:       %2 = arith.constant 1 : i64
// STATIC-NEXT:       %3 = arith.subi %1, %2 : i64
// STATIC-NEXT:       %4 = arith.minsi %m, %3 : i64
// STATIC-NEXT:       %5 = arith.constant 0 : i64
// STATIC-NEXT:       %6 = arith.maxsi %4, %5 : i64
// STATIC-NEXT:       %7 = arith.cmpi slt, %6, %n : i64
// STATIC-NEXT:       %8 = arith.constant 0 : i64
// STATIC-NEXT:       %9 = arith.select %7, %8, %n : i64
// STATIC-NEXT:       %10 = arith.select %7, %6, %8 : i64
// STATIC-NEXT:       %r = phi.array (%i < %size) -> !phi.vec<f64> {
// STATIC-NEXT:         %11 = arith.index_cast %i : index to i64
// STATIC-NEXT:         %12 = arith.subi %11, %m : i64
// STATIC-NEXT:         %13 = arith.constant 1 : i64
// STATIC-NEXT:         %14 = arith.addi %12, %13 : i64
// STATIC-NEXT:         %15 = arith.index_cast %i : index to i64
// STATIC-NEXT:         %16 = arith.constant 1 : i64
// STATIC-NEXT:         %17 = arith.addi %15, %16 : i64
// STATIC-NEXT:         %18 = phi.fold (%steps < %9, %acc = %zero) -> f64 {
// STATIC-NEXT:           %x = phi.get %a[%steps] : !phi.vec<f64>[i64]
// STATIC-NEXT:           %19 = arith.index_cast %i : index to i64
// STATIC-NEXT:           %20 = arith.subi %19, %steps : i64
// STATIC-NEXT:           %y = phi.get %b[%20] : !phi.vec<f64>[i64]
// STATIC-NEXT:           %xy = arith.mulf %x, %y : f64
// STATIC-NEXT:           %21 = arith.cmpi sge, %steps, %14 : i64
// STATIC-NEXT:           %22 = arith.cmpi slt, %steps, %17 : i64
// STATIC-NEXT:           %23 = arith.andi %21, %22 : i1
// STATIC-NEXT:           %24 = arith.constant 0.000000e+00 : f64
// STATIC-NEXT:           %25 = arith.select %23, %xy, %24 : f64
// STATIC-NEXT:           %26 = arith.addf %acc, %25 : f64
// STATIC-NEXT:           phi.yield %26 : f64
// STATIC-NEXT:         }
// STATIC-NEXT:         %27 = arith.index_cast %i : index to i64
// STATIC-NEXT:         %28 = arith.subi %m, %27 : i64
// STATIC-NEXT:         %29 = arith.constant 1 : i64
// STATIC-NEXT:         %30 = arith.subi %28, %29 : i64
// STATIC-NEXT:         %31 = arith.addi %n, %m : i64
// STATIC-NEXT:         %32 = arith.index_cast %i : index to i64
// STATIC-NEXT:         %33 = arith.subi %31, %32 : i64
// STATIC-NEXT:         %34 = arith.constant 1 : i64
// STATIC-NEXT:         %35 = arith.subi %33, %34 : i64
// STATIC-NEXT:         %value = phi.fold (%steps_1 < %10, %acc_1 = %18) -> f64 {
// STATIC-NEXT:           %36 = arith.index_cast %i : index to i64
// STATIC-NEXT:           %37 = arith.addi %steps_1, %36 : i64
// STATIC-NEXT:           %38 = arith.subi %37, %m : i64
// STATIC-NEXT:           %39 = arith.constant 1 : i64
// STATIC-NEXT:           %40 = arith.addi %38, %39 : i64
// STATIC-NEXT:           %x_1 = phi.get %a[%40] : !phi.vec<f64>[i64]
// STATIC-NEXT:           %41 = arith.subi %m, %steps_1 : i64
// STATIC-NEXT:           %42 = arith.constant 1 : i64
// STATIC-NEXT:           %43 = arith.subi %41, %42 : i64
// STATIC-NEXT:           %y_1 = phi.get %b[%43] : !phi.vec<f64>[i64]
// STATIC-NEXT:           %xy_1 = arith.mulf %x_1, %y_1 : f64
// STATIC-NEXT:           %44 = arith.cmpi sge, %steps_1, %30 : i64
// STATIC-NEXT:           %45 = arith.cmpi slt, %steps_1, %35 : i64
// STATIC-NEXT:           %46 = arith.andi %44, %45 : i1
// STATIC-NEXT:           %47 = arith.constant 0.000000e+00 : f64
// STATIC-NEXT:           %48 = arith.select %46, %xy_1, %47 : f64
// STATIC-NEXT:           %49 = arith.addf %acc_1, %48 : f64
// STATIC-NEXT:           phi.yield %49 : f64
// STATIC-NEXT:         }
// STATIC-NEXT:         phi.yield %value : f64
// STATIC-NEXT:       }
// STATIC-NEXT:       func.return %r : !phi.vec<f64>
// STATIC-NEXT:     }
