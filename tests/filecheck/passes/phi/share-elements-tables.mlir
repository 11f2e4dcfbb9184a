// RUN: ein-opt %s -p share-elements,simplify | filecheck %s
// RUN: ein-opt %s -p "share-elements{folds=true differentiable=true},simplify" | filecheck %s --check-prefix=GRAD

// A function of an element that is looked up: of all elements of the table, if it has places, and
// at most half as many as there are positions. The logarithm has no derivative at a zero that no
// position reads.
func.func @log(%a: !phi.vec<f64>, %k: !phi.vec<i64>) -> !phi.vec<f64> {
  %n = phi.size %k, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = phi.get %k[%i] : !phi.vec<i64>[index]
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %y = math.log %x : f64
    %j = arith.index_cast %i : index to i64
    %z = arith.sitofp %j : i64 to f64
    %w = arith.mulf %y, %z : f64
    phi.yield %w : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @log(%a: !phi.vec<f64>, %k: !phi.vec<i64>) -> !phi.vec<f64> {
// CHECK-NEXT:          %n = phi.size %k, 0 : !phi.vec<i64>
// CHECK-NEXT:          %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:          %1 = arith.constant 0 : i64
// CHECK-NEXT:          %2 = arith.maxsi %n, %1 : i64
// CHECK-NEXT:          %3 = arith.constant 1048576 : i64
// CHECK-NEXT:          %4 = arith.minsi %2, %3 : i64
// CHECK-NEXT:          %5 = arith.constant 1 : i64
// CHECK-NEXT:          %6 = arith.cmpi sle, %5, %0 : i64
// CHECK-NEXT:          %7 = arith.constant 1048576 : i64
// CHECK-NEXT:          %8 = arith.cmpi sle, %0, %7 : i64
// CHECK-NEXT:          %9 = arith.constant 2 : i64
// CHECK-NEXT:          %10 = arith.muli %0, %9 : i64
// CHECK-NEXT:          %11 = arith.cmpi sle, %10, %4 : i64
// CHECK-NEXT:          %12 = arith.andi %6, %8 : i1
// CHECK-NEXT:          %13 = arith.andi %12, %11 : i1
// CHECK-NEXT:          %14 = arith.constant 0 : i64
// CHECK-NEXT:          %15 = arith.select %13, %n, %14 : i64
// CHECK-NEXT:          %16 = arith.select %13, %14, %n : i64
// CHECK-NEXT:          %17 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:          %18 = arith.constant 0 : i64
// CHECK-NEXT:          %19 = arith.select %13, %17, %18 : i64
// CHECK-NEXT:          %20 = phi.array (%21 < %19) -> !phi.vec<f64> {
// CHECK-NEXT:            %x = phi.get %a[%21] : !phi.vec<f64>[index]
// CHECK-NEXT:            %y = math.log %x : f64
// CHECK-NEXT:            phi.yield %y : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %r = phi.array (%i < %15) -> !phi.vec<f64> {
// CHECK-NEXT:            %p = phi.get %k[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:            %y_1 = phi.get %20[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %j = arith.index_cast %i : index to i64
// CHECK-NEXT:            %z = arith.sitofp %j : i64 to f64
// CHECK-NEXT:            %w = arith.mulf %y_1, %z : f64
// CHECK-NEXT:            phi.yield %w : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %r_1 = phi.array (%i_1 < %16) -> !phi.vec<f64> {
// CHECK-NEXT:            %p_1 = phi.get %k[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:            %x_1 = phi.get %a[%p_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %y_2 = math.log %x_1 : f64
// CHECK-NEXT:            %j_1 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:            %z_1 = arith.sitofp %j_1 : i64 to f64
// CHECK-NEXT:            %w_1 = arith.mulf %y_2, %z_1 : f64
// CHECK-NEXT:            phi.yield %w_1 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %r_2 = phi.concat %r, %r_1 of %n : !phi.vec<f64>
// CHECK-NEXT:          func.return %r_2 : !phi.vec<f64>
// CHECK-NEXT:        }

// Two tables, one of few places: a product is cheap in a loop over memory, and reads two arrays on
// a library.
func.func @product(%b: !phi.vec<f64>, %k: !phi.vec<i64>) -> !phi.vec<f64> {
  %four = arith.constant 4 : i64
  %n = phi.size %k, 0 : !phi.vec<i64>
  %a = phi.array (%i < %four) -> !phi.vec<f64> {
    %x = phi.get %b[%i] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  %c = phi.array (%i < %four) -> !phi.vec<f64> {
    %x = phi.get %b[%i] : !phi.vec<f64>[index]
    %y = arith.addf %x, %x : f64
    phi.yield %y : f64
  }
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = phi.get %k[%i] : !phi.vec<i64>[index]
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %y = phi.get %c[%p] : !phi.vec<f64>[i64]
    %z = arith.mulf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @product(%b: !phi.vec<f64>, %k: !phi.vec<i64>) -> !phi.vec<f64> {
// CHECK-NEXT:          %four = arith.constant 4 : i64
// CHECK-NEXT:          %n = phi.size %k, 0 : !phi.vec<i64>
// CHECK-NEXT:          %a = phi.array (%i < %four) -> !phi.vec<f64> {
// CHECK-NEXT:            %x = phi.get %b[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:            phi.yield %x : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %c = phi.array (%i_1 < %four) -> !phi.vec<f64> {
// CHECK-NEXT:            %x_1 = phi.get %b[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:            %y = arith.addf %x_1, %x_1 : f64
// CHECK-NEXT:            phi.yield %y : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %r = phi.array (%i_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:            %p = phi.get %k[%i_2] : !phi.vec<i64>[index]
// CHECK-NEXT:            %x_2 = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %y_1 = phi.get %c[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %z = arith.mulf %x_2, %y_1 : f64
// CHECK-NEXT:            phi.yield %z : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          func.return %r : !phi.vec<f64>
// CHECK-NEXT:        }

// Values that are accumulated are an array of their own; one of them depends on no table alone.
func.func @push(%a: !phi.vec<f64>, %x: !phi.vec<f64>, %s: !phi.vec<i64>, %t: !phi.vec<i64>) -> !phi.vec<f64> {
  %m = phi.size %a, 0 : !phi.vec<f64>
  %n = phi.size %s, 0 : !phi.vec<i64>
  %r = phi.accumulate (%e < %n) into "add" (%m) -> !phi.vec<f64> {
    %p = phi.get %s[%e] : !phi.vec<i64>[index]
    %q = phi.get %t[%e] : !phi.vec<i64>[index]
    %y = phi.get %a[%p] : !phi.vec<f64>[i64]
    %z = math.cos %y : f64
    %u = phi.get %x[%e] : !phi.vec<f64>[index]
    %v = math.cos %u : f64
    %w = arith.mulf %z, %v : f64
    %at = phi.tuple (%q, %w) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @push(%a: !phi.vec<f64>, %x: !phi.vec<f64>, %s: !phi.vec<i64>, %t: !phi.vec<i64>) -> !phi.vec<f64> {
// CHECK-NEXT:          %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:          %n = phi.size %s, 0 : !phi.vec<i64>
// CHECK-NEXT:          %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:          %1 = arith.constant 0 : i64
// CHECK-NEXT:          %2 = arith.maxsi %n, %1 : i64
// CHECK-NEXT:          %3 = arith.constant 1048576 : i64
// CHECK-NEXT:          %4 = arith.minsi %2, %3 : i64
// CHECK-NEXT:          %5 = arith.constant 1 : i64
// CHECK-NEXT:          %6 = arith.cmpi sle, %5, %0 : i64
// CHECK-NEXT:          %7 = arith.constant 1048576 : i64
// CHECK-NEXT:          %8 = arith.cmpi sle, %0, %7 : i64
// CHECK-NEXT:          %9 = arith.constant 2 : i64
// CHECK-NEXT:          %10 = arith.muli %0, %9 : i64
// CHECK-NEXT:          %11 = arith.cmpi sle, %10, %4 : i64
// CHECK-NEXT:          %12 = arith.andi %6, %8 : i1
// CHECK-NEXT:          %13 = arith.andi %12, %11 : i1
// CHECK-NEXT:          %14 = arith.constant 0 : i64
// CHECK-NEXT:          %15 = arith.select %13, %n, %14 : i64
// CHECK-NEXT:          %16 = arith.select %13, %14, %n : i64
// CHECK-NEXT:          %17 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:          %18 = arith.constant 0 : i64
// CHECK-NEXT:          %19 = arith.select %13, %17, %18 : i64
// CHECK-NEXT:          %20 = phi.array (%21 < %19) -> !phi.vec<f64> {
// CHECK-NEXT:            %y = phi.get %a[%21] : !phi.vec<f64>[index]
// CHECK-NEXT:            %z = math.cos %y : f64
// CHECK-NEXT:            phi.yield %z : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %22 = phi.array (%e < %15) -> !phi.vec<f64> {
// CHECK-NEXT:            %p = phi.get %s[%e] : !phi.vec<i64>[index]
// CHECK-NEXT:            %z_1 = phi.get %20[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:            phi.yield %z_1 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %23 = phi.array (%e_1 < %16) -> !phi.vec<f64> {
// CHECK-NEXT:            %p_1 = phi.get %s[%e_1] : !phi.vec<i64>[index]
// CHECK-NEXT:            %y_1 = phi.get %a[%p_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %z_2 = math.cos %y_1 : f64
// CHECK-NEXT:            phi.yield %z_2 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %24 = phi.concat %22, %23 of %n : !phi.vec<f64>
// CHECK-NEXT:          %r = phi.accumulate (%e_2 < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:            %q = phi.get %t[%e_2] : !phi.vec<i64>[index]
// CHECK-NEXT:            %z_3 = phi.get %24[%e_2] : !phi.vec<f64>[index]
// CHECK-NEXT:            %u = phi.get %x[%e_2] : !phi.vec<f64>[index]
// CHECK-NEXT:            %v = math.cos %u : f64
// CHECK-NEXT:            %w = arith.mulf %z_3, %v : f64
// CHECK-NEXT:            %at = phi.tuple (%q, %w) : tuple<i64, f64>
// CHECK-NEXT:            phi.yield %at : tuple<i64, f64>
// CHECK-NEXT:          }
// CHECK-NEXT:          func.return %r : !phi.vec<f64>
// CHECK-NEXT:        }

// Not of two positions, of which no array has both, nor at an index itself.
func.func @not(%a: !phi.vec<f64>, %k: !phi.vec<!phi.vec<i64>>) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %k, 0 : !phi.vec<!phi.vec<i64>>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = phi.get %k[%i, %zero] : !phi.vec<!phi.vec<i64>>[index, i64]
    %q = phi.get %k[%i, %one] : !phi.vec<!phi.vec<i64>>[index, i64]
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %y = phi.get %a[%q] : !phi.vec<f64>[i64]
    %z = phi.get %a[%i] : !phi.vec<f64>[index]
    %d = arith.subf %x, %y : f64
    %e = math.cos %d : f64
    %f = math.cos %z : f64
    %g = arith.mulf %e, %f : f64
    phi.yield %g : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @not(%a: !phi.vec<f64>, %k: !phi.vec<!phi.vec<i64>>) -> !phi.vec<f64> {
// CHECK-NEXT:          %zero = arith.constant 0 : i64
// CHECK-NEXT:          %one = arith.constant 1 : i64
// CHECK-NEXT:          %n = phi.size %k, 0 : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:          %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:            %p = phi.get %k[%i, %zero] : !phi.vec<!phi.vec<i64>>[index, i64]
// CHECK-NEXT:            %q = phi.get %k[%i, %one] : !phi.vec<!phi.vec<i64>>[index, i64]
// CHECK-NEXT:            %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %y = phi.get %a[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %z = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:            %d = arith.subf %x, %y : f64
// CHECK-NEXT:            %e = math.cos %d : f64
// CHECK-NEXT:            %f = math.cos %z : f64
// CHECK-NEXT:            %g = arith.mulf %e, %f : f64
// CHECK-NEXT:            phi.yield %g : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          func.return %r : !phi.vec<f64>
// CHECK-NEXT:        }

// GRAD-LABEL: func.func @log(
// GRAD-NOT:     arith.select
// GRAD-LABEL: func.func @product(
// GRAD:         [[TABLE:%\d+]] = phi.array (
// GRAD:           arith.mulf
// GRAD:         %r = phi.array (%i_2 < %n) -> !phi.vec<f64> {
// GRAD-NEXT:      %p = phi.get %k[%i_2] : !phi.vec<i64>[index]
// GRAD-NEXT:      %z_1 = phi.get [[TABLE]][%p] : !phi.vec<f64>[i64]
// GRAD-NEXT:      phi.yield %z_1 : f64

// The rows of an irregular fold rarely have two steps for each place of a table.
func.func @rows(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %k: !phi.vec<i64>, %c: !phi.vec<i64>) -> !phi.vec<f64> {
  %n = phi.size %c, 0 : !phi.vec<i64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %m = phi.get %c[%i] : !phi.vec<i64>[index]
    %x = phi.get %b[%i] : !phi.vec<f64>[index]
    %s = phi.fold irregular (%j < %m, %acc = %zero) -> f64 {
      %p = phi.get %k[%j] : !phi.vec<i64>[i64]
      %y = phi.get %a[%p] : !phi.vec<f64>[i64]
      %d = arith.subf %y, %x : f64
      %e = math.exp %d : f64
      %t = arith.addf %acc, %e : f64
      phi.yield %t : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @rows
// CHECK-NOT:           arith.select
// CHECK-NOT:           math.exp
// CHECK:               phi.fold irregular
// CHECK:                 math.exp
