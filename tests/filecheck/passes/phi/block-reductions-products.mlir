// RUN: ein-opt %s --split-input-file -p block-reductions,canonicalize | filecheck %s

// The scores of all queries against a key are a product of matrices with a row: a block of keys,
// 32 or more, is combined at once, for results with any axes. Each group has keys of its own.
func.func @largest_scores(%q: !phi.vec<!phi.vec<!phi.vec<f64>>>, %k: !phi.vec<!phi.vec<!phi.vec<f64>>>) -> !phi.vec<!phi.vec<f64>> {
  %heads = phi.size %q, 0 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %n = phi.size %q, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %m = phi.size %k, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %width = phi.size %q, 2 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %least = arith.constant 0xfff0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%h < %heads, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%j < %m, %acc = %least) -> f64 {
      %p = phi.array (%d < %width) -> !phi.vec<f64> {
        %x = phi.get %q[%h, %i, %d] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, index, index]
        %y = phi.get %k[%h, %j, %d] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, i64, index]
        %z = arith.mulf %x, %y : f64
        phi.yield %z : f64
      }
      %score = phi.reduce %p identity %zero by { arith.addf } -> f64
      %next = arith.maximumf %acc, %score : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @largest_scores(
// CHECK:         %[[LEAST:.*]] = arith.constant 32 : i64
// CHECK:         %[[FITTING:.*]] = arith.maxsi %{{.*}}, %[[LEAST]] : i64
// CHECK:         phi.array (%h < %heads, %i < %n)
// CHECK:           phi.fold (%{{.*}} < %{{.*}}, %[[ACC:.*]] = %least)
// CHECK:             %[[SCORES:.*]] = phi.array (%j < %{{.*}}) -> !phi.vec<f64>
// CHECK:             %[[BEST:.*]] = phi.reduce %[[SCORES]] identity %{{.*}} by { arith.maximumf }
// CHECK:             arith.maximumf %[[ACC]], %[[BEST]] : f64

// -----

// The step sums no products: sizes decide, since it reads rows along later axes.
func.func @rows(%q: !phi.vec<!phi.vec<!phi.vec<f64>>>, %k: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %heads = phi.size %q, 0 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %n = phi.size %q, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %m = phi.size %k, 0 : !phi.vec<!phi.vec<f64>>
  %least = arith.constant 0xfff0000000000000 : f64
  %r = phi.array (%h < %heads, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%j < %m, %acc = %least) -> f64 {
      %y = phi.get %k[%j, %h] : !phi.vec<!phi.vec<f64>>[i64, index]
      %w = phi.get %k[%j, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.mulf %w, %y : f64
      %e = math.exp %z : f64
      %next = arith.maximumf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     arith.constant 32 : i64
// CHECK:           phi.fold (%j < %m, %acc = %{{.*}}) -> f64

// -----

// The values have an axis that the products lack: a block of steps would take many times the memory.
func.func @beside(%q: !phi.vec<!phi.vec<f64>>, %k: !phi.vec<!phi.vec<f64>>, %y: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %q, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %k, 0 : !phi.vec<!phi.vec<f64>>
  %width = phi.size %q, 1 : !phi.vec<!phi.vec<f64>>
  %count = phi.size %y, 0 : !phi.vec<f64>
  %least = arith.constant 0xfff0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %l < %count) -> !phi.vec<!phi.vec<f64>> {
    %z = phi.get %y[%l] : !phi.vec<f64>[index]
    %s = phi.fold (%j < %m, %acc = %least) -> f64 {
      %p = phi.array (%d < %width) -> !phi.vec<f64> {
        %a = phi.get %q[%i, %d] : !phi.vec<!phi.vec<f64>>[index, index]
        %b = phi.get %k[%j, %d] : !phi.vec<!phi.vec<f64>>[i64, index]
        %c = arith.mulf %a, %b : f64
        phi.yield %c : f64
      }
      %score = phi.reduce %p identity %zero by { arith.addf } -> f64
      %o = arith.mulf %score, %z : f64
      %e = math.exp %o : f64
      %next = arith.maximumf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @beside(
// CHECK-NOT:     arith.constant 32 : i64
// CHECK:         phi.fold (%{{.*}} < %{{.*}}, %[[INIT:.*]] = %least) -> f64 {
// CHECK-NEXT:      phi.fold (%j < %m, %acc = %[[INIT]]) -> f64

// -----

// The matrix of cosines is that of each sample: a block of samples multiplies it.
func.func @repeated_functions(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.size %w, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%k < %p) -> !phi.vec<f64> {
    %f = phi.get %w[%k] : !phi.vec<f64>[index]
    %s = phi.fold (%i < %n, %total = %zero) -> f64 {
      %y = phi.fold (%t < %m, %acc = %zero) -> f64 {
        %a = phi.get %x[%i, %t] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %u = arith.sitofp %t : i64 to f64
        %v = arith.mulf %f, %u : f64
        %c = math.cos %v : f64
        %b = arith.mulf %a, %c : f64
        %next = arith.addf %acc, %b : f64
        phi.yield %next : f64
      }
      %z = arith.mulf %y, %y : f64
      %next = arith.addf %total, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @repeated_functions(
// CHECK-NEXT:    %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %p = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %0 = arith.constant 32768 : i64
// CHECK-NEXT:    %1 = arith.floordivsi %0, %p : i64
// CHECK-NEXT:    %2 = arith.constant 8 : i64
// CHECK-NEXT:    %3 = arith.maxsi %1, %2 : i64
// CHECK-NEXT:    %4 = arith.minsi %3, %m : i64
// CHECK-NEXT:    %5 = arith.constant 1 : i64
// CHECK-NEXT:    %6 = arith.maxsi %4, %5 : i64
// CHECK-NEXT:    %7 = arith.constant 32768 : i64
// CHECK-NEXT:    %8 = arith.floordivsi %7, %p : i64
// CHECK-NEXT:    %9 = arith.constant 32 : i64
// CHECK-NEXT:    %10 = arith.maxsi %8, %9 : i64
// CHECK-NEXT:    %11 = arith.minsi %10, %n : i64
// CHECK-NEXT:    %12 = arith.constant 1 : i64
// CHECK-NEXT:    %13 = arith.maxsi %11, %12 : i64
// CHECK-NEXT:    %r = phi.array (%k < %p) -> !phi.vec<f64> {
// CHECK-NEXT:      %f = phi.get %w[%k] : !phi.vec<f64>[index]
// CHECK-NEXT:      %14 = arith.constant 1 : i64
// CHECK-NEXT:      %15 = arith.subi %13, %14 : i64
// CHECK-NEXT:      %16 = arith.addi %n, %15 : i64
// CHECK-NEXT:      %17 = arith.floordivsi %16, %13 : i64
// CHECK-NEXT:      %s = phi.fold (%block < %17, %total = %zero) -> f64 {
// CHECK-NEXT:        %18 = arith.constant 0 : i64
// CHECK-NEXT:        %19 = arith.muli %block, %13 : i64
// CHECK-NEXT:        %start = arith.maxsi %19, %18 : i64
// CHECK-NEXT:        %20 = arith.subi %n, %start : i64
// CHECK-NEXT:        %21 = arith.minsi %13, %20 : i64
// CHECK-NEXT:        %length = arith.maxsi %21, %18 : i64
// CHECK-NEXT:        %22 = phi.array (%i < %length) -> !phi.vec<f64> {
// CHECK-NEXT:          %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:          %23 = arith.addi %start, %i_1 : i64
// CHECK-NEXT:          %24 = arith.constant 1 : i64
// CHECK-NEXT:          %25 = arith.subi %6, %24 : i64
// CHECK-NEXT:          %26 = arith.addi %m, %25 : i64
// CHECK-NEXT:          %27 = arith.floordivsi %26, %6 : i64
// CHECK-NEXT:          %y = phi.fold (%block_1 < %27, %acc = %zero) -> f64 {
// CHECK-NEXT:            %28 = arith.constant 0 : i64
// CHECK-NEXT:            %29 = arith.muli %block_1, %6 : i64
// CHECK-NEXT:            %start_1 = arith.maxsi %29, %28 : i64
// CHECK-NEXT:            %30 = arith.subi %m, %start_1 : i64
// CHECK-NEXT:            %31 = arith.minsi %6, %30 : i64
// CHECK-NEXT:            %length_1 = arith.maxsi %31, %28 : i64
// CHECK-NEXT:            %32 = phi.array (%t < %length_1) -> !phi.vec<f64> {
// CHECK-NEXT:              %t_1 = arith.index_cast %t : index to i64
// CHECK-NEXT:              %33 = arith.addi %start_1, %t_1 : i64
// CHECK-NEXT:              %a = phi.get %x[%23, %33] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:              %u = arith.sitofp %33 : i64 to f64
// CHECK-NEXT:              %v = arith.mulf %f, %u : f64
// CHECK-NEXT:              %c = math.cos %v : f64
// CHECK-NEXT:              %b = arith.mulf %a, %c : f64
// CHECK-NEXT:              phi.yield %b : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            %34 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:            %35 = phi.reduce %32 identity %34 by { arith.addf } -> f64
// CHECK-NEXT:            %36 = arith.addf %acc, %35 : f64
// CHECK-NEXT:            phi.yield %36 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %z = arith.mulf %y, %y : f64
// CHECK-NEXT:          phi.yield %z : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %37 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %38 = phi.reduce %22 identity %37 by { arith.addf } -> f64
// CHECK-NEXT:        %39 = arith.addf %total, %38 : f64
// CHECK-NEXT:        phi.yield %39 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
