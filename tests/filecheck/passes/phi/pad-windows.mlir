// RUN: ein-opt %s --split-input-file -p pad-windows,simplify | filecheck %s
// RUN: ein-opt %s --split-input-file -p pad-windows{products=true},simplify | filecheck %s --check-prefix=PRODUCTS
// RUN: ein-opt %s --split-input-file -p "pad-windows{products=true whole=true},simplify" | filecheck %s --check-prefix=TWICE

// A convolution with the step 2 and a border of zeros: all reads of the padded array are in bounds.
func.func @strided(%a: !phi.vec<f64>, %weights: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %even = arith.muli %i_1, %two : i64
    %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %next = arith.addi %even, %k : i64
      %p = arith.subi %next, %one : i64
      %c = arith.cmpi sge, %p, %none : i64
      %d = arith.cmpi slt, %p, %n : i64
      %inside = arith.andi %c, %d : i1
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %inside, %x, %zero : f64
      %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %w, %y : f64
      %sum = arith.addf %acc, %z : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @strided(
// CHECK:          %[[SIZE:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:     %[[PADDED:.*]] = phi.array (%[[J:.*]] < %[[SIZE]]) -> !phi.vec<f64> {
// CHECK:            %[[C:.*]] = arith.cmpi sge, %{{.*}}, %{{.*}} : i64
// CHECK:            %[[D:.*]] = arith.cmpi slt, %{{.*}}, %n : i64
// CHECK:            %[[IN:.*]] = arith.andi %[[C]], %[[D]] : i1
// CHECK:            arith.select %[[IN]], %{{.*}}, %zero : f64
// CHECK:          }
// CHECK-NEXT:     %r = phi.array (%{{i.*}} < %n) -> !phi.vec<f64> {
// CHECK:            phi.fold (%k < %taps, %acc = %zero) -> f64 {
// CHECK-NOT:          arith.cmpi
// CHECK:              %{{.*}} = phi.get %[[PADDED]][%{{.*}}] : !phi.vec<f64>[i64]
// CHECK-NOT:          arith.select
// CHECK:          func.return

// -----

// Along the second axis only, which is clipped where the condition fails; rows are those of the image.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %weights: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %j_1 = arith.index_cast %j : index to i64
    %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %p = arith.subi %j_1, %k : i64
      %c = arith.cmpi sge, %p, %none : i64
      %clipped = arith.maxsi %p, %none : i64
      %x = phi.get %a[%i, %clipped] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.select %c, %x, %zero : f64
      %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %w, %y : f64
      %sum = arith.addf %acc, %z : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @rows(
// CHECK:          %[[PADDED:.*]] = phi.array (%[[I:.*]] < %{{.*}}, %[[J:.*]] < %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
// CHECK:          %r = phi.array (%[[R:.*]] < %n, %{{j.*}} < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK:              phi.get %[[PADDED]][%[[R]], %{{.*}}] : !phi.vec<!phi.vec<f64>>[index, i64]

// -----

// Left alone: a step that may be any Int, a condition on another value, and no counter.
func.func @others(%a: !phi.vec<f64>, %weights: !phi.vec<f64>, %s: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %t = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %far = arith.muli %k, %s : i64
      %p = arith.subi %i_1, %far : i64
      %q = arith.subi %i_1, %k : i64
      %c = arith.cmpi sge, %p, %none : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %zero : f64
      %d = arith.cmpi sge, %k, %s : i64
      %u = phi.get %a[%q] : !phi.vec<f64>[i64]
      %v = arith.select %d, %u, %zero : f64
      %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %w, %y : f64
      %z_1 = arith.mulf %z, %v : f64
      %sum = arith.addf %acc, %z_1 : f64
      phi.yield %sum : f64
    }
    phi.yield %t : f64
  }
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %p = arith.subi %i_1, %taps : i64
    %c = arith.cmpi sge, %p, %none : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %y = arith.select %c, %x, %zero : f64
    %z = arith.mulf %y, %y : f64
    phi.yield %z : f64
  }
  func.return %r, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL:  func.func @others(
// CHECK-COUNT-2:  phi.array
// CHECK-NOT:      phi.array

// -----

// Neighbours that are counted: a function of what is read, with conditions on the counter besides.
func.func @neighbours(%g: !phi.vec<i64>, %taps: !phi.vec<f64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %g, 0 : !phi.vec<i64>
  %m = phi.size %taps, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %m, %acc = %zero) -> i64 {
      %next = arith.addi %i_1, %k : i64
      %p = arith.subi %next, %one : i64
      %c = arith.cmpi sge, %p, %zero : i64
      %other = arith.cmpi ne, %k, %one : i64
      %both = arith.andi %c, %other : i1
      %x = phi.get %g[%p] : !phi.vec<i64>[i64]
      %full = arith.cmpi eq, %x, %two : i64
      %y = arith.select %full, %one, %zero : i64
      %z = arith.select %both, %y, %zero : i64
      %sum = arith.addi %acc, %z : i64
      phi.yield %sum : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL:  func.func @neighbours(
// CHECK:          %[[PADDED:.*]] = phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<i64> {
// CHECK:            %[[X:.*]] = phi.get %g[%{{.*}}] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %[[C:.*]] = arith.cmpi sge, %{{.*}}, %zero : i64
// CHECK:            arith.cmpi eq, %[[X]], %two : i64
// CHECK:            arith.select %[[C]], %{{.*}}, %zero : i64
// CHECK:          %r = phi.array (%{{i.*}} < %n) -> !phi.vec<i64> {
// CHECK:            phi.fold (%k < %m, %acc = %zero) -> i64 {
// CHECK:              %[[OTHER:.*]] = arith.cmpi ne, %k, %one : i64
// CHECK:              %[[READ:.*]] = phi.get %[[PADDED]][%{{.*}}] : !phi.vec<i64>[i64]
// CHECK:              arith.select %[[OTHER]], %[[READ]], %zero : i64

// -----

// The condition compares the counter with the rest of the positions: a comparison of positions.
func.func @remaining(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %left = arith.subi %n, %i_1 : i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %p = arith.addi %i_1, %k : i64
      %c = arith.cmpi sgt, %left, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = math.exp %x : f64
      %z = arith.select %c, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @remaining(
// CHECK:          %[[PADDED:.*]] = phi.array (%[[J:.*]] < %{{.*}}) -> !phi.vec<f64> {
// CHECK-NEXT:       %[[Q:.*]] = arith.index_cast %[[J]] : index to i64
// CHECK:            arith.cmpi sgt, %n, %[[Q]] : i64
// CHECK:          %r = phi.array (%{{i.*}} < %n) -> !phi.vec<f64> {
// CHECK:            phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NOT:          arith.cmpi
// CHECK:              phi.get %[[PADDED]][%{{.*}}] : !phi.vec<f64>[i64]
// CHECK:          func.return

// -----

// Left alone: a difference with any Int may wrap.
func.func @remaining_of_any(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %left = arith.subi %m, %i_1 : i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %p = arith.addi %i_1, %k : i64
      %c = arith.cmpi slt, %k, %left : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %z = arith.select %c, %x, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @remaining_of_any(
// CHECK-COUNT-1:  phi.array
// CHECK-NOT:      phi.array

// -----

// Left alone: the order of Ints as natural numbers.
func.func @unsigned(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %left = arith.subi %n, %i_1 : i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %p = arith.addi %i_1, %k : i64
      %c = arith.cmpi ult, %k, %left : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %z = arith.select %c, %x, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @unsigned(
// CHECK-COUNT-1:  phi.array
// CHECK-NOT:      phi.array

// -----

// Positions around the ends, from an offset that the body computes.
func.func @around(%a: !phi.vec<f64>, %weights: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %half = arith.floordivsi %taps, %two : i64
      %next = arith.addi %i_1, %k : i64
      %p = arith.subi %next, %half : i64
      %q = sigma.floormod %p, %n : i64
      %x = phi.get %a[%q] : !phi.vec<f64>[i64]
      %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %w, %x : f64
      %sum = arith.addf %acc, %z : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @around(
// CHECK:          %[[HALF:.*]] = arith.floordivsi %taps, %two : i64
// CHECK:          %[[PADDED:.*]] = phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK:            %[[Q:.*]] = sigma.floormod %{{.*}}, %n : i64
// CHECK:            phi.get %a[%[[Q]]] : !phi.vec<f64>[i64]
// CHECK:          %r = phi.array (%{{i.*}} < %n) -> !phi.vec<f64> {
// CHECK-NOT:        sigma.floormod
// CHECK:            phi.get %[[PADDED]][%{{.*}}] : !phi.vec<f64>[i64]

// -----

// Reflected at both ends, by a radius that is no size.
func.func @reflected(%a: !phi.vec<f64>, %radius: i64, %taps: i64) -> !phi.vec<f64> {
  %none = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %next = arith.addi %i_1, %k : i64
      %p = arith.subi %next, %radius : i64
      %back = arith.subi %radius, %next : i64
      %is_before = arith.cmpi slt, %p, %none : i64
      %q = arith.select %is_before, %back, %p : i64
      %x = phi.get %a[%q] : !phi.vec<f64>[i64]
      %sum = arith.addf %acc, %x : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @reflected(
// CHECK:          %[[PADDED:.*]] = phi.array (%[[J:.*]] < %{{.*}}) -> !phi.vec<f64> {
// CHECK:            %[[P:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK:            %[[BACK:.*]] = arith.subi %{{.*}}, %[[P]] : i64
// CHECK-NEXT:       %[[Q:.*]] = arith.select %{{.*}}, %[[BACK]], %[[P]] : i64
// CHECK-NEXT:       phi.get %a[%[[Q]]] : !phi.vec<f64>[i64]
// CHECK:          %r = phi.array (%{{i.*}} < %n) -> !phi.vec<f64> {
// CHECK-NOT:        arith.select
// CHECK:            phi.get %[[PADDED]][%{{.*}}] : !phi.vec<f64>[i64]

// -----

// Clipped by the size of another array.
func.func @clipped(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %taps: i64) -> !phi.vec<f64> {
  %none = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %p = arith.subi %i_1, %k : i64
      %low = arith.maxsi %p, %none : i64
      %q = arith.minsi %low, %n : i64
      %x = phi.get %a[%q] : !phi.vec<f64>[i64]
      %sum = arith.addf %acc, %x : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @clipped(
// CHECK:          %[[PADDED:.*]] = phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK:            %[[Q:.*]] = arith.minsi %{{.*}}, %n : i64
// CHECK-NEXT:       phi.get %a[%[[Q]]] : !phi.vec<f64>[i64]
// CHECK:          %r = phi.array (%{{i.*}} < %n) -> !phi.vec<f64> {
// CHECK-NOT:        arith.minsi
// CHECK:            phi.get %[[PADDED]][%{{.*}}] : !phi.vec<f64>[i64]

// -----

// Left alone: positions that are far from each other, looked up, or functions of two sums.
func.func @far(%a: !phi.vec<f64>, %ps: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %many = arith.constant 100 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %ps, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %far = arith.muli %i_1, %many : i64
      %p = arith.addi %far, %k : i64
      %q = sigma.floormod %p, %n : i64
      %x = phi.get %a[%q] : !phi.vec<f64>[i64]
      %given = phi.get %ps[%k] : !phi.vec<i64>[i64]
      %o = arith.addi %i_1, %given : i64
      %o_1 = sigma.floormod %o, %n : i64
      %y = phi.get %a[%o_1] : !phi.vec<f64>[i64]
      %t = arith.addi %i_1, %k : i64
      %u = sigma.floormod %t, %m : i64
      %v = arith.addi %u, %k : i64
      %w = sigma.floormod %v, %n : i64
      %z = phi.get %a[%w] : !phi.vec<f64>[i64]
      %xy = arith.mulf %x, %y : f64
      %xyz = arith.mulf %xy, %z : f64
      %sum = arith.addf %acc, %xyz : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @far(
// CHECK:          phi.array
// CHECK-NOT:      phi.array

// -----

// With the option, the mask of a product is that of the window, if the other factor is finite: the
// second sum, as it was, has no steps then.
func.func @product(%a: !phi.vec<f64>, %weights: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %i_1, %k : i64
      %c = arith.cmpi slt, %p, %n : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %w, %x : f64
      %z = arith.select %c, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @product(

// PRODUCTS:        func.func @product(%a: !phi.vec<f64>, %weights: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// PRODUCTS-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// PRODUCTS-NEXT:       %n = phi.size %a, 0 : !phi.vec<f64>
// PRODUCTS-NEXT:       %taps = phi.size %weights, 0 : !phi.vec<f64>
// PRODUCTS-NEXT:       %0 = arith.constant true
// PRODUCTS-NEXT:       %1 = phi.fold (%k < %taps, %2 = %0) -> i1 {
// PRODUCTS-NEXT:         %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
// PRODUCTS-NEXT:         %3 = math.absf %w : f64
// PRODUCTS-NEXT:         %4 = arith.constant 1.7976931348623157e+308 : f64
// PRODUCTS-NEXT:         %5 = arith.cmpf ole, %3, %4 : f64
// PRODUCTS-NEXT:         %6 = arith.andi %2, %5 : i1
// PRODUCTS-NEXT:         phi.yield %6 : i1
// PRODUCTS-NEXT:       }
// PRODUCTS-NEXT:       %7 = arith.constant 0 : i64
// PRODUCTS-NEXT:       %8 = arith.select %1, %taps, %7 : i64
// PRODUCTS-NEXT:       %9 = arith.select %1, %7, %taps : i64
// PRODUCTS-NEXT:       %10 = arith.addi %m, %8 : i64
// PRODUCTS-NEXT:       %11 = arith.constant 1 : i64
// PRODUCTS-NEXT:       %12 = arith.subi %10, %11 : i64
// PRODUCTS-NEXT:       %13 = arith.constant 0 : i64
// PRODUCTS-NEXT:       %14 = arith.maxsi %12, %13 : i64
// PRODUCTS-NEXT:       %15 = phi.array (%i < %14) -> !phi.vec<f64> {
// PRODUCTS-NEXT:         %16 = arith.index_cast %i : index to i64
// PRODUCTS-NEXT:         %17 = phi.get %a[%16] : !phi.vec<f64>[i64]
// PRODUCTS-NEXT:         %c = arith.cmpi slt, %16, %n : i64
// PRODUCTS-NEXT:         %18 = arith.select %c, %17, %zero : f64
// PRODUCTS-NEXT:         phi.yield %18 : f64
// PRODUCTS-NEXT:       }
// PRODUCTS-NEXT:       %r = phi.array (%i_1 < %m) -> !phi.vec<f64> {
// PRODUCTS-NEXT:         %s = phi.fold (%k_1 < %8, %acc = %zero) -> f64 {
// PRODUCTS-NEXT:           %w_1 = phi.get %weights[%k_1] : !phi.vec<f64>[i64]
// PRODUCTS-NEXT:           %19 = arith.index_cast %i_1 : index to i64
// PRODUCTS-NEXT:           %20 = arith.addi %19, %k_1 : i64
// PRODUCTS-NEXT:           %21 = phi.get %15[%20] : !phi.vec<f64>[i64]
// PRODUCTS-NEXT:           %y = arith.mulf %w_1, %21 : f64
// PRODUCTS-NEXT:           %next = arith.addf %acc, %y : f64
// PRODUCTS-NEXT:           phi.yield %next : f64
// PRODUCTS-NEXT:         }
// PRODUCTS-NEXT:         %s_1 = phi.fold (%k_2 < %9, %acc_1 = %s) -> f64 {
// PRODUCTS-NEXT:           %i_2 = arith.index_cast %i_1 : index to i64
// PRODUCTS-NEXT:           %p = arith.addi %i_2, %k_2 : i64
// PRODUCTS-NEXT:           %c_1 = arith.cmpi slt, %p, %n : i64
// PRODUCTS-NEXT:           %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// PRODUCTS-NEXT:           %w_2 = phi.get %weights[%k_2] : !phi.vec<f64>[i64]
// PRODUCTS-NEXT:           %y_1 = arith.mulf %w_2, %x : f64
// PRODUCTS-NEXT:           %z = arith.select %c_1, %y_1, %zero : f64
// PRODUCTS-NEXT:           %next_1 = arith.addf %acc_1, %z : f64
// PRODUCTS-NEXT:           phi.yield %next_1 : f64
// PRODUCTS-NEXT:         }
// PRODUCTS-NEXT:         phi.yield %s_1 : f64
// PRODUCTS-NEXT:       }
// PRODUCTS-NEXT:       func.return %r : !phi.vec<f64>
// PRODUCTS-NEXT:     }

// Where elements are computed one after another, the array is in the program twice.

// TWICE-LABEL:   func.func @product(
// TWICE:           %[[FINITE:.*]] = phi.fold
// TWICE:           %[[SIZE:.*]] = arith.select %[[FINITE]], %m,
// TWICE-NEXT:      %[[REST:.*]] = arith.select %[[FINITE]],
// TWICE:           %[[PADDED:.*]] = phi.array
// TWICE:           %[[FIRST:.*]] = phi.array (%{{.*}} < %[[SIZE]])
// TWICE:             phi.fold (%{{.*}} < %taps,
// TWICE:               phi.get %[[PADDED]]
// TWICE:           %[[SECOND:.*]] = phi.array (%{{.*}} < %[[REST]])
// TWICE:             phi.fold (%{{.*}} < %taps,
// TWICE:               phi.get %a
// TWICE:           phi.concat %[[FIRST]], %[[SECOND]] of %m

// -----

// Products of Ints need no test.
func.func @ints(%a: !phi.vec<i64>, %weights: !phi.vec<i64>, %m: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %taps = phi.size %weights, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %s = phi.fold (%k < %taps, %acc = %zero) -> i64 {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %i_1, %k : i64
      %c = arith.cmpi slt, %p, %n : i64
      %x = phi.get %a[%p] : !phi.vec<i64>[i64]
      %w = phi.get %weights[%k] : !phi.vec<i64>[i64]
      %y = arith.muli %w, %x : i64
      %z = arith.select %c, %y, %zero : i64
      %next = arith.addi %acc, %z : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL:  func.func @ints(

// PRODUCTS:        func.func @ints(%a: !phi.vec<i64>, %weights: !phi.vec<i64>, %m: i64) -> !phi.vec<i64> {
// PRODUCTS-NEXT:     %zero = arith.constant 0 : i64
// PRODUCTS-NEXT:     %n = phi.size %a, 0 : !phi.vec<i64>
// PRODUCTS-NEXT:     %taps = phi.size %weights, 0 : !phi.vec<i64>
// PRODUCTS-NEXT:     %0 = arith.addi %m, %taps : i64
// PRODUCTS-NEXT:     %1 = arith.constant 1 : i64
// PRODUCTS-NEXT:     %2 = arith.subi %0, %1 : i64
// PRODUCTS-NEXT:     %3 = arith.constant 0 : i64
// PRODUCTS-NEXT:     %4 = arith.maxsi %2, %3 : i64
// PRODUCTS-NEXT:     %5 = phi.array (%i < %4) -> !phi.vec<i64> {
// PRODUCTS-NEXT:       %6 = arith.index_cast %i : index to i64
// PRODUCTS-NEXT:       %7 = phi.get %a[%6] : !phi.vec<i64>[i64]
// PRODUCTS-NEXT:       %c = arith.cmpi slt, %6, %n : i64
// PRODUCTS-NEXT:       %8 = arith.select %c, %7, %zero : i64
// PRODUCTS-NEXT:       phi.yield %8 : i64
// PRODUCTS-NEXT:     }
// PRODUCTS-NEXT:     %r = phi.array (%i_1 < %m) -> !phi.vec<i64> {
// PRODUCTS-NEXT:       %s = phi.fold (%k < %taps, %acc = %zero) -> i64 {
// PRODUCTS-NEXT:         %w = phi.get %weights[%k] : !phi.vec<i64>[i64]
// PRODUCTS-NEXT:         %9 = arith.index_cast %i_1 : index to i64
// PRODUCTS-NEXT:         %10 = arith.addi %9, %k : i64
// PRODUCTS-NEXT:         %11 = phi.get %5[%10] : !phi.vec<i64>[i64]
// PRODUCTS-NEXT:         %y = arith.muli %w, %11 : i64
// PRODUCTS-NEXT:         %next = arith.addi %acc, %y : i64
// PRODUCTS-NEXT:         phi.yield %next : i64
// PRODUCTS-NEXT:       }
// PRODUCTS-NEXT:       phi.yield %s : i64
// PRODUCTS-NEXT:     }
// PRODUCTS-NEXT:     func.return %r : !phi.vec<i64>
// PRODUCTS-NEXT:   }

// -----

// A position that is a function of others: the padded array has zeros in between. The sums are nested,
// so the test whether the weights are finite is one of the whole.
func.func @transposed(%a: !phi.vec<!phi.vec<f64>>, %weights: !phi.vec<!phi.vec<f64>>, %s: i64, %m: i64) -> !phi.vec<f64> {
  %none = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %channels = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %taps = phi.size %weights, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %t = phi.fold (%c < %channels, %total = %zero) -> f64 {
      %u = phi.fold (%k < %taps, %acc = %zero) -> f64 {
        %p = arith.subi %i_1, %k : i64
        %rest = sigma.floormod %p, %s : i64
        %is_whole = arith.cmpi eq, %rest, %none : i64
        %q = arith.floordivsi %p, %s : i64
        %is_first = arith.cmpi sge, %q, %none : i64
        %hits = arith.andi %is_whole, %is_first : i1
        %x = phi.get %a[%c, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %w = phi.get %weights[%c, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %y = arith.mulf %w, %x : f64
        %z = arith.select %hits, %y, %zero : f64
        %next = arith.addf %acc, %z : f64
        phi.yield %next : f64
      }
      %sum = arith.addf %total, %u : f64
      phi.yield %sum : f64
    }
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:    func.func @transposed(
// CHECK:            phi.array (%c < %{{.*}}, %i < %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
// CHECK:              %q = arith.floordivsi

// PRODUCTS-LABEL:  func.func @transposed(
// PRODUCTS:          %[[FINITE:.*]] = phi.fold (%k < %{{.*}}, %{{.*}} = %{{.*}}) -> i1 {
// PRODUCTS:          %[[FIRST:.*]] = arith.select %[[FINITE]], %channels, %[[NONE:.*]] : i64
// PRODUCTS-NEXT:     %[[SECOND:.*]] = arith.select %[[FINITE]], %[[NONE]], %channels : i64
// PRODUCTS:          %[[PADDED:.*]] = phi.array (%c_1 < %{{.*}}, %i < %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
// PRODUCTS:            arith.select %hits, %{{.*}}, %zero : f64
// PRODUCTS-NOT:      phi.array (%c
// PRODUCTS:          %r = phi.array (%i_1 < %m) -> !phi.vec<f64> {
// PRODUCTS:            %t = phi.fold (%c_2 < %[[FIRST]], %total = %zero) -> f64 {
// PRODUCTS-NEXT:         %u = phi.fold (%k_1 < %taps, %acc = %zero) -> f64 {
// PRODUCTS-NOT:            arith.select
// PRODUCTS:                phi.get %[[PADDED]][%c_2, %{{.*}}]
// PRODUCTS:            phi.fold (%c_3 < %[[SECOND]], %total_1 = %t) -> f64 {
// PRODUCTS:              phi.get %a[%c_3, %q_1]

// -----

// A radius that may be any Int: where sums with it wrap, the condition fails, and so it does at a limit.
// The count of a fold that may be none is an error of that fold.
func.func @any_radius(%a: !phi.vec<f64>, %r: i64, %taps: i64) -> !phi.vec<f64> {
  %none = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %t = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %q = arith.addi %i_1, %k : i64
      %p = arith.subi %q, %r : i64
      %is_first = arith.cmpi sge, %p, %none : i64
      %is_last = arith.cmpi slt, %p, %n : i64
      %is_inside = arith.andi %is_first, %is_last : i1
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %is_inside, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %t : f64
  }
  func.return %s : !phi.vec<f64>
}

// CHECK-LABEL:    func.func @any_radius(
// CHECK:            %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:       %[[NONE:.*]] = arith.constant 0 : i64
// CHECK-NEXT:       %[[MOST:.*]] = arith.constant 17592186044416 : i64
// CHECK-NEXT:       %[[IS_SMALL:.*]] = arith.cmpi sle, %taps, %[[MOST]] : i64
// CHECK-NEXT:       %[[SMALL:.*]] = arith.select %[[IS_SMALL]], %taps, %[[NONE]] : i64
// CHECK-NEXT:       %[[COUNT:.*]] = arith.maxsi %[[SMALL]], %[[NONE]] : i64
// CHECK-NEXT:       arith.addi %n, %[[COUNT]] : i64
// CHECK:            %[[PADDED:.*]] = phi.array (%i < %{{.*}}) -> !phi.vec<f64> {
// CHECK:              %[[FAR:.*]] = arith.constant 4611686018427387904 : i64
// CHECK-NEXT:         %[[BACK:.*]] = arith.constant -4611686018427387904 : i64
// CHECK-NEXT:         %[[LESS:.*]] = arith.minsi %{{.*}}, %[[FAR]] : i64
// CHECK-NEXT:         %[[START:.*]] = arith.maxsi %[[LESS]], %[[BACK]] : i64
// CHECK-NEXT:         %[[PLACE:.*]] = arith.addi %{{.*}}, %[[START]] : i64
// CHECK-NEXT:         %[[X:.*]] = phi.get %a[%[[PLACE]]] : !phi.vec<f64>[i64]
// CHECK:              arith.select %is_inside, %[[X]], %zero : f64
// CHECK:            %s = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %t = phi.fold (%k < %taps, %acc = %zero) -> f64 {
// CHECK-NOT:            arith.select
// CHECK:                %y = phi.get %[[PADDED]][%{{.*}}] : !phi.vec<f64>[i64]

// -----


// Not if the condition bounds the positions on one side.
func.func @one_side(%a: !phi.vec<f64>, %r: i64, %taps: i64) -> !phi.vec<f64> {
  %none = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %t = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %q = arith.addi %i_1, %k : i64
      %p = arith.subi %q, %r : i64
      %is_first = arith.cmpi sge, %p, %none : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %is_first, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %t : f64
  }
  func.return %s : !phi.vec<f64>
}

// CHECK-LABEL:    func.func @one_side(
// CHECK-NEXT:       %none = arith.constant 0 : i64
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:       %s = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:                phi.get %a[%p] : !phi.vec<f64>[i64]

// -----

// The windows of the steps of a loop: no index, but two counters.
func.func @counters(%a: !phi.vec<f64>, %weights: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %taps = phi.size %weights, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %n, %last = %zero) -> f64 {
    %s = phi.fold (%k < %taps, %acc = %last) -> f64 {
      %p = arith.subi %t, %k : i64
      %c = arith.cmpi sge, %p, %none : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %zero : f64
      %z = arith.mulf %acc, %y : f64
      phi.yield %z : f64
    }
    phi.yield %s : f64
  }
  func.return %r : f64
}

// CHECK-LABEL:    func.func @counters(
// CHECK:            %[[PADDED:.*]] = phi.array (%p < %{{.*}}) -> !phi.vec<f64> {
// CHECK:              %[[C:.*]] = arith.cmpi sge, %{{.*}}, %none : i64
// CHECK-NEXT:         arith.select %[[C]], %{{.*}}, %zero : f64
// CHECK:            %r = phi.fold (%t < %n, %last = %zero) -> f64 {
// CHECK-NEXT:         %s = phi.fold (%k < %taps, %acc = %last) -> f64 {
// CHECK-NOT:            arith.select
// CHECK:                %y = phi.get %[[PADDED]][%{{.*}}] : !phi.vec<f64>[i64]

// -----

// A test of the index alone selects the whole sum; one of the position without its distance is one
// of the window.
func.func @tests_around(%a: !phi.vec<f64>, %w: !phi.vec<f64>, %c: !phi.vec<i1>, %s: i64, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %taps = phi.size %w, 0 : !phi.vec<f64>
  %last = arith.subi %taps, %one : i64
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %t = phi.fold (%k < %taps, %acc = %zero) -> f64 {
      %is_here = phi.get %c[%i] : !phi.vec<i1>[index]
      %q = arith.subi %i_1, %k : i64
      %rest = sigma.floormod %q, %s : i64
      %is_whole = arith.cmpi eq, %rest, %none : i64
      %both = arith.andi %is_here, %is_whole : i1
      %p = arith.addi %q, %last : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = phi.get %w[%k] : !phi.vec<f64>[i64]
      %xy = arith.mulf %x, %y : f64
      %z = arith.select %both, %xy, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}

// PRODUCTS-LABEL: func.func @tests_around(
// PRODUCTS:         %[[PADDED:.*]] = phi.array
// PRODUCTS:           %[[WHOLE:.*]] = arith.cmpi eq, %{{.*}}, %none : i64
// PRODUCTS-NEXT:      arith.select %[[WHOLE]], %{{.*}}, %zero : f64
// PRODUCTS:         %r = phi.array (%[[I:.*]] < %m)
// PRODUCTS:           %[[HERE:.*]] = phi.get %c[%[[I]]]
// PRODUCTS-NEXT:      %t = phi.fold
// PRODUCTS:             phi.get %[[PADDED]]
// PRODUCTS:           %[[SUM:.*]] = phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %t)
// PRODUCTS:           arith.select %[[HERE]], %[[SUM]], %{{.*}} : f64

// -----

// An array of several sums has two versions, too: the first one if the factors of all are finite.
func.func @two_sums(%a: !phi.vec<f64>, %u: !phi.vec<f64>, %w: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %rows = phi.size %u, 0 : !phi.vec<f64>
  %taps = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %rows, %acc = %zero) -> f64 {
      %p = arith.addi %i_1, %k : i64
      %c = arith.cmpi slt, %p, %n : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %f = phi.get %u[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %f, %x : f64
      %z = arith.select %c, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    %t = phi.fold (%k < %taps, %acc = %s) -> f64 {
      %p = arith.addi %i_1, %k : i64
      %c = arith.cmpi slt, %p, %n : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %f = phi.get %w[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %f, %x : f64
      %z = arith.select %c, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}

// TWICE-LABEL:   func.func @two_sums(
// TWICE:           %[[FIRST:.*]] = phi.fold (%{{.*}} < %taps,
// TWICE:           %[[SECOND:.*]] = phi.fold (%{{.*}} < %rows,
// TWICE:           %[[BOTH:.*]] = arith.andi %[[FIRST]], %[[SECOND]] : i1
// TWICE:           arith.select %[[BOTH]], %m,
// TWICE-NEXT:      arith.select %[[BOTH]],
// TWICE:           phi.concat
// TWICE-NOT:       phi.concat
// TWICE:           func.return
