// RUN: ein-opt %s --split-input-file -p add-in-place | filecheck %s

// An accumulation that a step adds to the array that it carries: few values are added in place.

func.func @few(%start: !phi.vec<f64>, %keys: !phi.vec<i64>, %m: i64, %steps: i64) -> !phi.vec<f64> {
  %n = phi.size %start, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %steps, %a = %start) -> !phi.vec<f64> {
    %c = phi.array (%j < %n) -> !phi.vec<f64> {
      %x = phi.get %a[%j] : !phi.vec<f64>[index]
      %y = arith.addf %x, %x : f64
      phi.yield %y : f64
    }
    %s = phi.accumulate (%k < %m) into "add" (%n) -> !phi.vec<f64> {
      %p = phi.get %keys[%k] : !phi.vec<i64>[index]
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %at = phi.tuple (%p, %x) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %c[%i] : !phi.vec<f64>[index]
      %y = phi.get %s[%i] : !phi.vec<f64>[index]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @few(
// CHECK:            %c = phi.array
// CHECK:            %[[FEW:.*]] = arith.cmpi slt, %m, %n : i64
// CHECK:            %[[COUNT:.*]] = arith.select %[[FEW]], %m, %{{.*}} : i64
// CHECK-NEXT:       %[[ADDED:.*]] = phi.fold (%{{.*}} < %[[COUNT]], %[[V:.*]] = %c) -> !phi.vec<f64> {
// CHECK:              phi.get %keys
// CHECK:              phi.get %[[V]][%{{.*}}] : !phi.vec<f64>[i64]
// CHECK:              phi.update %[[V]][%{{.*}}], %{{.*}} : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK:            %[[MANY:.*]] = arith.select %[[FEW]]
// CHECK-NEXT:       %b = phi.fold (%{{.*}} < %[[MANY]], %{{.*}} = %[[ADDED]]) -> !phi.vec<f64> {
// CHECK:              phi.accumulate
// CHECK:              phi.array
// CHECK:            phi.yield %b

// -----

// A fold that adds to elements, and to rows, of zeros: it starts from the array.

func.func @total(%start: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<f64>, %steps: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %start, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %start, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %zeros = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%t < %steps, %a = %start) -> !phi.vec<!phi.vec<f64>> {
    %init = phi.tuple (%zeros, %zero) : tuple<!phi.vec<!phi.vec<f64>>, f64>
    %inner = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<!phi.vec<f64>>, f64> {
      %v = phi.proj %s, 0 : tuple<!phi.vec<!phi.vec<f64>>, f64> -> !phi.vec<!phi.vec<f64>>
      %f = phi.proj %s, 1 : tuple<!phi.vec<!phi.vec<f64>>, f64> -> f64
      %x = phi.get %v[%k, %t] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = arith.addf %f, %x : f64
      %u = phi.update %v[%k, %t], %y : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      %row = phi.array (%j < %m) -> !phi.vec<f64> {
        %e = phi.get %u[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
        %d = phi.get %w[%j] : !phi.vec<f64>[index]
        %g = arith.addf %e, %d : f64
        phi.yield %g : f64
      }
      %z = phi.update %u[%k], %row : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
      %h = arith.mulf %f, %f : f64
      %next = phi.tuple (%z, %h) : tuple<!phi.vec<!phi.vec<f64>>, f64>
      phi.yield %next : tuple<!phi.vec<!phi.vec<f64>>, f64>
    }
    %sum = phi.proj %inner, 0 : tuple<!phi.vec<!phi.vec<f64>>, f64> -> !phi.vec<!phi.vec<f64>>
    %b = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %y = phi.get %sum[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %b : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @total(
// CHECK:          phi.fold (%t < %steps, %a = %start)
// CHECK:            %[[INIT:.*]] = phi.tuple (%a, %zero)
// CHECK-NEXT:       %inner = phi.fold (%k < %n, %s = %[[INIT]])
// CHECK:            %b = phi.proj %inner, 0
// CHECK-NEXT:       phi.yield %b

// -----

// Kept: a sum before all loops, an accumulation that something else reads, minima, and a fold that
// reads what it adds to.

func.func @kept(%a: !phi.vec<f64>, %keys: !phi.vec<i64>, %steps: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>, f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %zeros = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %s = phi.accumulate (%k < %steps) into "add" (%n) -> !phi.vec<f64> {
    %p = phi.get %keys[%k] : !phi.vec<i64>[index]
    %at = phi.tuple (%p, %zero) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = phi.get %s[%i] : !phi.vec<f64>[index]
    %z = arith.addf %x, %y : f64
    phi.yield %z : f64
  }
  %init = phi.tuple (%a, %a, %zero) : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
  %r = phi.fold (%t < %steps, %acc = %init) -> tuple<!phi.vec<f64>, !phi.vec<f64>, f64> {
    %a0 = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
    %a1 = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
    %q = phi.accumulate (%k < %steps) into "min" (%n) -> !phi.vec<f64> {
      %p = phi.get %keys[%k] : !phi.vec<i64>[index]
      %at = phi.tuple (%p, %zero) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    %c = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %a0[%i] : !phi.vec<f64>[index]
      %y = phi.get %q[%i] : !phi.vec<f64>[index]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    %both = phi.tuple (%zeros, %zero) : tuple<!phi.vec<f64>, f64>
    %inner = phi.fold (%k < %n, %u = %both) -> tuple<!phi.vec<f64>, f64> {
      %v = phi.proj %u, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
      %f = phi.proj %u, 1 : tuple<!phi.vec<f64>, f64> -> f64
      %x = phi.get %v[%k] : !phi.vec<f64>[i64]
      %y = arith.addf %f, %x : f64
      %w = phi.update %v[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      %g = phi.get %w[%t] : !phi.vec<f64>[i64]
      %next = phi.tuple (%w, %g) : tuple<!phi.vec<f64>, f64>
      phi.yield %next : tuple<!phi.vec<f64>, f64>
    }
    %sum = phi.proj %inner, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
    %d = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %a1[%i] : !phi.vec<f64>[index]
      %y = phi.get %sum[%i] : !phi.vec<f64>[index]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    %e = phi.get %b[%t] : !phi.vec<f64>[i64]
    %next = phi.tuple (%c, %d, %e) : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
}

// CHECK-LABEL:  func.func @kept(
// CHECK:          phi.accumulate
// CHECK:          %b = phi.array
// CHECK:            phi.accumulate
// CHECK:            %c = phi.array
// CHECK:            %both = phi.tuple (%zeros, %zero)
// CHECK:            %d = phi.array

// -----

// An array with a row for each step, of which only the sum over the steps is read: the sum is carried,
// and what a step adds to it starts from it. One whose rows are not those of the steps stays.

func.func @history(%a: !phi.vec<f64>, %n: i64, %m: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %size = phi.size %a, 0 : !phi.vec<f64>
  %zeros = phi.array (%t < %size, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %zero : f64
  }
  %init = phi.tuple (%zero, %zeros, %zeros) : tuple<f64, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
  %r = phi.fold (%t < %size, %s = %init) -> tuple<f64, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %x = phi.proj %s, 0 : tuple<f64, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> -> f64
    %u = phi.proj %s, 1 : tuple<f64, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
    %v = phi.proj %s, 2 : tuple<f64, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      %e = phi.get %a[%j] : !phi.vec<f64>[index]
      %f = arith.mulf %e, %x : f64
      phi.yield %f : f64
    }
    %last = arith.subi %size, %one : i64
    %back = arith.subi %last, %t : i64
    %p = phi.update %u[%back], %row : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    %after = arith.addi %t, %one : i64
    %q = phi.update %v[%after], %row : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    %y = phi.get %a[%t] : !phi.vec<f64>[i64]
    %next = phi.tuple (%y, %p, %q) : tuple<f64, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
    phi.yield %next : tuple<f64, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
  }
  %b = phi.proj %r, 1 : tuple<f64, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  %c = phi.proj %r, 2 : tuple<f64, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  %d = phi.array (%j < %m) -> !phi.vec<f64> {
    %e = phi.fold (%t < %size, %acc = %zero) -> f64 {
      %x = phi.get %b[%t, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %e : f64
  }
  %f = phi.array (%j < %m) -> !phi.vec<f64> {
    %e = phi.fold (%t < %size, %acc = %zero) -> f64 {
      %x = phi.get %c[%t, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %e : f64
  }
  %both = phi.tuple (%d, %f) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  func.return %both : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL:  func.func @history(
// CHECK:          phi.fold (%t{{.*}} < %size, %{{.*}} = %{{.*}}) -> tuple<f64, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NOT:        phi.update %u
// CHECK:            %q = phi.update %v[%after], %row
// CHECK:            %[[TOTAL:.*]] = phi.array
// CHECK:              arith.addf
// CHECK:            phi.tuple (%y, %[[TOTAL]], %q)
// CHECK:          %d = phi.array (%{{.*}} < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.get %{{.*}}[%{{.*}}] : !phi.vec<f64>[index]
// CHECK-NEXT:       phi.yield
// CHECK:          = phi.array (%{{.*}} < %m)
// CHECK-NEXT:       phi.fold

// -----

// An element of each row is replaced, and values are added at other places.
func.func @terms(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %p: !phi.vec<i64>, %steps: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %steps, %b = %a) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.accumulate (%i < %n) into "add" (%n, %m) -> !phi.vec<!phi.vec<f64>> {
      %at = arith.index_cast %i : index to i64
      %y = phi.get %x[%i] : !phi.vec<f64>[index]
      %pair = phi.tuple (%at, %k, %y) : tuple<i64, i64, f64>
      phi.yield %pair : tuple<i64, i64, f64>
    }
    %c = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %column = arith.index_cast %j : index to i64
      %place = phi.get %p[%i] : !phi.vec<i64>[index]
      %here = arith.cmpi eq, %column, %place : i64
      %old = phi.get %b[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %kept = arith.select %here, %zero, %old : f64
      %sum = phi.get %s[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %y = phi.get %x[%i] : !phi.vec<f64>[index]
      %there = arith.cmpi eq, %column, %k : i64
      %term = arith.select %there, %y, %zero : f64
      %first = arith.addf %sum, %kept : f64
      %total = arith.addf %first, %term : f64
      phi.yield %total : f64
    }
    phi.yield %c : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @terms(
// CHECK:         %r = phi.fold (%k < %steps, %b = %a)
// CHECK:           %[[KEPT:.*]] = phi.fold (%{{.*}} < %{{.*}}, %[[B:.*]] = %b)
// CHECK:             phi.update %[[B]][%{{.*}}, %place], %zero
// CHECK:           %[[ADDED:.*]] = phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %[[KEPT]])
// CHECK:           %[[ALL:.*]] = phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %[[ADDED]])
// CHECK:           %c = phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %[[ALL]])
// CHECK-NEXT:        %s = phi.accumulate

// -----

// What is added of another column is read before elements are replaced.
func.func @columns(%a: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>, %steps: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %steps, %b = %a) -> !phi.vec<!phi.vec<f64>> {
    %place = phi.get %p[%k] : !phi.vec<i64>[i64]
    %c = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %column = arith.index_cast %j : index to i64
      %here = arith.cmpi eq, %column, %place : i64
      %old = phi.get %b[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %kept = arith.select %here, %zero, %old : f64
      %y = phi.get %b[%i, %place] : !phi.vec<!phi.vec<f64>>[index, i64]
      %there = arith.cmpi eq, %column, %k : i64
      %term = arith.select %there, %y, %zero : f64
      %total = arith.addf %kept, %term : f64
      phi.yield %total : f64
    }
    phi.yield %c : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @columns(
// CHECK:          %[[OLD:.*]] = phi.array (%{{.*}} < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.get %b[%{{.*}}, %place]
// CHECK:          phi.fold (%{{.*}} < %{{.*}}, %[[A:.*]] = %b)
// CHECK:            phi.update %[[A]][%{{.*}}, %place], %zero
// CHECK:          phi.fold
// CHECK:            phi.get %[[OLD]]
// CHECK:            phi.update
