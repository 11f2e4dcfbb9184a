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
// CHECK:         phi.fold (%j < %m, %acc = %least) -> f64
