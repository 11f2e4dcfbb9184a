// RUN: ein-opt %s -p multiply-in-pairs | filecheck %s

// Ints: two sums over two axes for one over three, without a test.

func.func @ints(%a: !phi.vec<!phi.vec<i64>>, %b: !phi.vec<!phi.vec<i64>>, %c: !phi.vec<i64>) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i64>>
  %m = phi.size %b, 0 : !phi.vec<!phi.vec<i64>>
  %l = phi.size %c, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %s = phi.fold (%j < %m, %x = %zero) -> i64 {
      %p = phi.get %a[%i, %j] : !phi.vec<!phi.vec<i64>>[index, i64]
      %t = phi.fold (%k < %l, %y = %zero) -> i64 {
        %q = phi.get %b[%j, %k] : !phi.vec<!phi.vec<i64>>[i64, i64]
        %pq = arith.muli %p, %q : i64
        %w = phi.get %c[%k] : !phi.vec<i64>[i64]
        %pqr = arith.muli %pq, %w : i64
        %y_next = arith.addi %y, %pqr : i64
        phi.yield %y_next : i64
      }
      %x_next = arith.addi %x, %t : i64
      phi.yield %x_next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @ints(
// CHECK:         [[INNER:%[^ ]+]] = phi.array (%j < %m) -> !phi.vec<i64> {
// CHECK:           phi.fold (%k < %l,
// CHECK:           phi.yield
// CHECK:         [[OUTER:%[^ ]+]] = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK:           phi.fold (%j_1 < %m,
// CHECK:             phi.get [[INNER]][%j_1]
// CHECK:         %r = phi.array
// CHECK-NOT:       phi.fold
// CHECK:           phi.get [[OUTER]][
// CHECK:         func.return

// Floats: the sums are computed again in order if a product may have overflowed or underflowed. An
// index that is divided is two axes.

func.func @floats(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %p = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %np = arith.muli %n, %p : i64
  %m = phi.size %c, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %c, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %np) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %row = arith.floordivsi %i_1, %p : i64
    %column = sigma.floormod %i_1, %p : i64
    %s = phi.fold (%j < %m, %x = %zero) -> f64 {
      %u = phi.get %a[%row, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %t = phi.fold (%k < %l, %y = %zero) -> f64 {
        %v = phi.get %b[%column, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %uv = arith.mulf %u, %v : f64
        %w = phi.get %c[%j, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %uvw = arith.mulf %uv, %w : f64
        %y_next = arith.addf %y, %uvw : f64
        phi.yield %y_next : f64
      }
      %x_next = arith.addf %x, %t : f64
      phi.yield %x_next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @floats(
// CHECK:         [[PAIR:%[^ ]+]] = phi.array (
// CHECK:         [[SUM:%[^ ]+]] = phi.array (
// CHECK:           phi.get [[PAIR]][
// CHECK:         arith.cmpf ugt,
// CHECK:         [[LARGE:%[^ ]+]] = arith.cmpi ne,
// CHECK:         arith.cmpf ult,
// CHECK:         [[UNSAFE:%[^ ]+]] = arith.ori [[LARGE]],
// CHECK:         [[STEPS:%[^ ]+]] = arith.select [[UNSAFE]],
// CHECK:         [[SAFE:%[^ ]+]] = phi.fold ({{.*}} < [[STEPS]], {{.*}} = [[SUM]])
// CHECK:           phi.array ([[ROW:%[^ ]+]] < {{.*}}, [[COLUMN:%[^ ]+]] < {{.*}})
// CHECK:             [[I:%[^ ]+]] = arith.index_cast [[ROW]]
// CHECK:             phi.fold ({{.*}} < %m,
// CHECK:               phi.get %a[[[I]],
// CHECK:         %r = phi.array (
// CHECK:           phi.get [[SAFE]][

// A sum with an initial value of its own takes its steps only if a product may be another number.

func.func @initial(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>, %x0: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %c, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%j < %m, %x = %x0) -> f64 {
      %t = phi.fold (%k < %l, %y = %zero) -> f64 {
        %p = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
        %q = phi.get %b[%j, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %pq = arith.mulf %p, %q : f64
        %w = phi.get %c[%k] : !phi.vec<f64>[i64]
        %pqw = arith.mulf %pq, %w : f64
        %y_next = arith.addf %y, %pqw : f64
        phi.yield %y_next : f64
      }
      %x_next = arith.addf %x, %t : f64
      phi.yield %x_next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @initial(
// CHECK:         [[PAIR:%[^ ]+]] = phi.array (
// CHECK:         [[SUM:%[^ ]+]] = phi.array (
// CHECK:         [[UNSAFE:%[^ ]+]] = arith.ori {{.*}}
// CHECK:         %r = phi.array (
// CHECK:           [[MOST:%[^ ]+]] = arith.select [[UNSAFE]],
// CHECK:           [[COUNT:%[^ ]+]] = arith.minsi %m, [[MOST]]
// CHECK:           phi.get [[SUM]][
// CHECK:           [[START:%[^ ]+]] = arith.select [[UNSAFE]], %x0,
// CHECK:           phi.fold ({{.*}} < [[COUNT]], %x = [[START]])
// CHECK:             phi.fold (

// A product that the program permits to regroup needs no test.

func.func @regrouped(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>) -> f64
    attributes {ein.fastmath = #arith.fastmath<reassoc>} {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%i < %n, %x = %zero) -> f64 {
    %t = phi.fold (%j < %n, %y = %zero) -> f64 {
      %u = phi.fold (%k < %n, %z = %zero) -> f64 {
        %p = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %q = phi.get %b[%j, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %pq = arith.mulf %p, %q : f64
        %r = phi.get %c[%k] : !phi.vec<f64>[i64]
        %pqr = arith.mulf %pq, %r : f64
        %z_next = arith.addf %z, %pqr : f64
        phi.yield %z_next : f64
      }
      %y_next = arith.addf %y, %u : f64
      phi.yield %y_next : f64
    }
    %x_next = arith.addf %x, %t : f64
    phi.yield %x_next : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @regrouped(
// CHECK-NOT:     arith.cmpf
// CHECK:         func.return

// Unchanged: every pair of these factors has all axes; an axis with few values does not count.

func.func @quadratic(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %three = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%j < %m, %x = %zero) -> f64 {
      %t = phi.fold (%k < %m, %y = %zero) -> f64 {
        %u = phi.fold (%l < %three, %z = %zero) -> f64 {
          %p = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
          %q = phi.get %b[%j, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
          %pq = arith.mulf %p, %q : f64
          %v = phi.get %a[%k, %l] : !phi.vec<!phi.vec<f64>>[i64, i64]
          %w = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
          %vw = arith.mulf %v, %w : f64
          %e = arith.mulf %pq, %vw : f64
          %z_next = arith.addf %z, %e : f64
          phi.yield %z_next : f64
        }
        %y_next = arith.addf %y, %u : f64
        phi.yield %y_next : f64
      }
      %x_next = arith.addf %x, %t : f64
      phi.yield %x_next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @quadratic(
// CHECK:         phi.array (%i < %n)
// CHECK-NEXT:      %s = phi.fold (%j < %m, %x = %zero)
// CHECK-NEXT:        %t = phi.fold (%k < %m, %y = %zero)
// CHECK-NEXT:          %u = phi.fold (%l < %three, %z = %zero)

// Unchanged: a factor that the steps of another loop compute.

func.func @carried(%a: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%i < %n, %x = %zero) -> f64 {
    %t = phi.fold (%j < %n, %y = %zero) -> f64 {
      %u = phi.fold (%k < %n, %z = %zero) -> f64 {
        %p = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %pq = arith.mulf %p, %x : f64
        %r = phi.get %c[%k] : !phi.vec<f64>[i64]
        %pqr = arith.mulf %pq, %r : f64
        %z_next = arith.addf %z, %pqr : f64
        phi.yield %z_next : f64
      }
      %y_next = arith.addf %y, %u : f64
      phi.yield %y_next : f64
    }
    phi.yield %t : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @carried(
// CHECK-NOT:     phi.array
// CHECK:         %s = phi.fold (%i < %n, %x = %zero)

// Three matrices: a product of two, and their elements with those of the third.

func.func @triangles(%a: !phi.vec<!phi.vec<i64>>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i64>>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%j < %n, %x = %zero) -> i64 {
      %t = phi.fold (%k < %n, %y = %zero) -> i64 {
        %u = phi.get %a[%i_1, %j] : !phi.vec<!phi.vec<i64>>[i64, i64]
        %v = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i64>>[i64, i64]
        %w = phi.get %a[%k, %i_1] : !phi.vec<!phi.vec<i64>>[i64, i64]
        %uv = arith.muli %u, %v : i64
        %uvw = arith.muli %uv, %w : i64
        %next = arith.addi %y, %uvw : i64
        phi.yield %next : i64
      }
      %more = arith.addi %x, %t : i64
      phi.yield %more : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @triangles(
// CHECK:         [[PAIRS:%[^ ]+]] = phi.array (%i < %n, %k < %n) -> !phi.vec<!phi.vec<i64>> {
// CHECK:           phi.fold (%j < %n,
// CHECK:         [[SUMS:%[^ ]+]] = phi.array (%{{[^ ]+}} < %n) -> !phi.vec<i64> {
// CHECK:           phi.fold (%{{[^ ]+}} < %n,
// CHECK:             phi.get [[PAIRS]][
// CHECK:         %r = phi.array
// CHECK-NOT:       phi.fold
// CHECK:           phi.get [[SUMS]][

// A divisor divides the smallest factor with its axes.

func.func @divided(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>, %c: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %m, %x = %zero) -> f64 {
      %u = phi.get %a[%i_1, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %v = phi.get %b[%k] : !phi.vec<f64>[i64]
      %w = phi.get %c[%k] : !phi.vec<f64>[i64]
      %uv = arith.mulf %u, %v : f64
      %uvw = arith.divf %uv, %w : f64
      %next = arith.addf %x, %uvw : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @divided(
// CHECK:         [[QUOTIENTS:%[^ ]+]] = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK:           arith.divf
// CHECK:         [[SUMS:%[^ ]+]] = phi.array (%{{[^ ]+}} < %n) -> !phi.vec<f64> {
// CHECK:           phi.fold (%{{[^ ]+}} < %m,
// CHECK:             phi.get [[QUOTIENTS]][
// CHECK:             arith.mulf
// CHECK:         %r = phi.array

// Differences and negations: the sum of the negated product is subtracted.

func.func @differences(%a: !phi.vec<!phi.vec<i64>>, %b: !phi.vec<!phi.vec<i64>>, %c: !phi.vec<i64>, %x0: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i64>>
  %m = phi.size %b, 0 : !phi.vec<!phi.vec<i64>>
  %l = phi.size %c, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %s = phi.fold (%j < %m, %x = %x0) -> i64 {
      %p = phi.get %a[%i, %j] : !phi.vec<!phi.vec<i64>>[index, i64]
      %t = phi.fold (%k < %l, %y = %zero) -> i64 {
        %q = phi.get %b[%j, %k] : !phi.vec<!phi.vec<i64>>[i64, i64]
        %pq = arith.muli %p, %q : i64
        %w = phi.get %c[%k] : !phi.vec<i64>[i64]
        %pqr = arith.muli %pq, %w : i64
        %y_next = arith.addi %y, %pqr : i64
        phi.yield %y_next : i64
      }
      %x_next = arith.subi %x, %t : i64
      phi.yield %x_next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @differences(
// CHECK:         [[INNER:%[^ ]+]] = phi.array (%j < %m) -> !phi.vec<i64> {
// CHECK:           arith.addi
// CHECK:         [[OUTER:%[^ ]+]] = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK:             phi.get [[INNER]][%j_1]
// CHECK:             arith.addi
// CHECK:         %r = phi.array
// CHECK:           [[TOTAL:%[^ ]+]] = phi.get [[OUTER]][
// CHECK-NEXT:      %s = arith.subi %x0, [[TOTAL]] : i64
