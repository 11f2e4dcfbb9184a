// RUN: ein-opt %s -p linearize | filecheck %s

// A loop that an index around it does not change leaves the comprehension: cotangents of its
// results are summed over that index first.

func.func @invariant(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<f64> by !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
    %y = phi.array (%i < %n, %d < %m) -> !phi.vec<!phi.vec<f64>> {
      %zero = arith.constant 0.0 : f64
      %s = phi.fold (%j < %n, %acc = %zero) -> f64 {
        %r = phi.fold (%c < %n, %sum = %zero) -> f64 {
          %a = phi.get %z[%i] : !phi.vec<f64>[index]
          %b = phi.get %z[%j] : !phi.vec<f64>[i64]
          %ab = arith.mulf %a, %b : f64
          %next = arith.addf %sum, %ab : f64
          phi.yield %next : f64
        }
        %e = phi.get %w[%d] : !phi.vec<f64>[index]
        %f = arith.mulf %r, %e : f64
        %next = arith.addf %acc, %f : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @invariant(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %1 = arith.index_cast %j : index to i64
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %r = phi.fold (%c < %n, %sum = %zero) -> f64 {
// CHECK-NEXT:          %a = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %b = phi.get %x[%1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %ab = arith.mulf %a, %b : f64
// CHECK-NEXT:          %next = arith.addf %sum, %ab : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %r : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %y = phi.array (%i_1 < %n, %d < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %zero_1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %s = phi.fold (%j_1 < %n, %acc = %zero_1) -> f64 {
// CHECK-NEXT:          %r_1 = phi.get %0[%i_1, %j_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %e = phi.get %w[%d] : !phi.vec<f64>[index]
// CHECK-NEXT:          %f = arith.mulf %r_1, %e : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc, %f : f64
// CHECK-NEXT:          phi.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %2 = phi.size %ct, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %3 = phi.size %y, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %4 = phi.assert_eq %3, %2, "cotangent: size of the value along axis 0, size of the cotangent"
// CHECK-NEXT:      %5 = phi.size %ct, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %6 = phi.size %y, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %7 = phi.assert_eq %6, %5, "cotangent: size of the value along axis 1, size of the cotangent"
// CHECK-NEXT:      %8 = phi.array (%9 < %4, %10 < %7) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %11 = phi.get %ct[%9, %10] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        phi.yield %11 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %12 = phi.transpose (%dz = %x) by %8 -> tuple<!phi.vec<f64>> : !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %13 = phi.array (%i_2 < %n, %j_2 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:          %14 = arith.index_cast %j_2 : index to i64
// CHECK-NEXT:          %15 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %16 = phi.fold (%c_1 < %n, %17 = %15) -> f64 {
// CHECK-NEXT:            %a_1 = phi.get %x[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:            %18 = phi.get %dz[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:            %b_1 = phi.get %x[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %19 = phi.get %dz[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %20 = arith.mulf %18, %b_1 : f64
// CHECK-NEXT:            %21 = arith.mulf %19, %a_1 : f64
// CHECK-NEXT:            %22 = arith.addf %20, %21 : f64
// CHECK-NEXT:            %23 = arith.addf %17, %22 : f64
// CHECK-NEXT:            phi.yield %23 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %16 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %24 = phi.array (%i_3 < %n, %d_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:          %25 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %26 = phi.fold (%j_3 < %n, %27 = %25) -> f64 {
// CHECK-NEXT:            %28 = phi.get %13[%i_3, %j_3] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:            %e_1 = phi.get %w[%d_1] : !phi.vec<f64>[index]
// CHECK-NEXT:            %29 = arith.mulf %28, %e_1 : f64
// CHECK-NEXT:            %30 = arith.addf %27, %29 : f64
// CHECK-NEXT:            phi.yield %30 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %26 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %24 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %31 = phi.proj %12, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %r_2 = phi.tuple (%y, %31) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
// CHECK-NEXT:      func.return %r_2 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
// CHECK-NEXT:    }

// A loop that depends on what a loop around it carries stays there.

func.func @carried(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %y = phi.array (%d < %m) -> !phi.vec<f64> {
      %zero = arith.constant 0.0 : f64
      %s = phi.fold (%j < %n, %acc = %zero) -> f64 {
        %r = phi.fold (%c < %n, %sum = %zero) -> f64 {
          %a = phi.get %z[%c] : !phi.vec<f64>[i64]
          %b = arith.mulf %a, %acc : f64
          %next = arith.addf %sum, %b : f64
          phi.yield %next : f64
        }
        phi.yield %r : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @carried(
// CHECK:         phi.array (%{{.*}} < %m) -> {{.*}} {
// CHECK:           phi.fold (%{{.*}} < %n
// CHECK:             phi.fold (%c < %n, %sum = %zero) -> f64 {

// The loop of a term runs once, before the sum, although the derivative needs one of its two
// results only: nothing reads the other one.

func.func @composited(%a: !phi.vec<!phi.vec<f64>>, %ct: f64) -> !phi.vec<!phi.vec<f64>> {
  %r = phi.vjp (%x = %a by %ct) : !phi.vec<!phi.vec<f64>> by f64 -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
    %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
    %start = phi.tuple (%one, %zero) : tuple<f64, f64>
    %y = phi.fold (%i < %n, %sum = %zero) -> f64 {
      %l = phi.fold (%k < %m, %acc = %start) -> tuple<f64, f64> {
        %t = phi.proj %acc, 0 : tuple<f64, f64> -> f64
        %v = phi.proj %acc, 1 : tuple<f64, f64> -> f64
        %e = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %p = arith.mulf %t, %e : f64
        %q = arith.addf %v, %p : f64
        %next = phi.tuple (%p, %q) : tuple<f64, f64>
        phi.yield %next : tuple<f64, f64>
      }
      %c = phi.proj %l, 1 : tuple<f64, f64> -> f64
      %s = arith.mulf %c, %c : f64
      %more = arith.addf %sum, %s : f64
      phi.yield %more : f64
    }
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %g : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @composited(%a: !phi.vec<!phi.vec<f64>>, %ct: f64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %start = phi.tuple (%one, %zero) : tuple<f64, f64>
// CHECK-NEXT:    %0 = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:      %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:      %2 = phi.array (%3 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        %4 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        phi.yield %4 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = phi.tuple (%one, %zero, %2) : tuple<f64, f64, !phi.vec<f64>>
// CHECK-NEXT:      %6 = phi.fold (%k < %m, %acc = %5) -> tuple<f64, f64, !phi.vec<f64>> {
// CHECK-NEXT:        %t = phi.proj %acc, 0 : tuple<f64, f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %v = phi.proj %acc, 1 : tuple<f64, f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %7 = phi.proj %acc, 2 : tuple<f64, f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %e = phi.get %a[%1, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:        %p = arith.mulf %t, %e : f64
// CHECK-NEXT:        %q = arith.addf %v, %p : f64
// CHECK-NEXT:        %8 = phi.update %7[%k], %t : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        %9 = phi.tuple (%p, %q, %8) : tuple<f64, f64, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %9 : tuple<f64, f64, !phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %10 = phi.proj %6, 0 : tuple<f64, f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %11 = phi.proj %6, 1 : tuple<f64, f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %12 = phi.proj %6, 2 : tuple<f64, f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %13 = phi.tuple (%10, %11, %12) : tuple<f64, f64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %13 : tuple<f64, f64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %14 = phi.proj %0, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
// CHECK-NEXT:    %15 = phi.proj %0, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
// CHECK-NEXT:    %16 = phi.proj %0, 2 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %y = phi.fold (%i_1 < %n, %sum = %zero) -> f64 {
// CHECK-NEXT:      %17 = phi.get %14[%i_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %18 = phi.get %15[%i_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %l = phi.tuple (%17, %18) : tuple<f64, f64>
// CHECK-NEXT:      %c = phi.proj %l, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %s = arith.mulf %c, %c : f64
// CHECK-NEXT:      %more = arith.addf %sum, %s : f64
// CHECK-NEXT:      phi.yield %more : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %19 = phi.transpose (%dx = %a) by %ct -> tuple<!phi.vec<!phi.vec<f64>>> : f64 {
// CHECK-NEXT:      %20 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %21 = phi.fold (%i_2 < %n, %22 = %20) -> f64 {
// CHECK-NEXT:        %23 = phi.get %14[%i_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %24 = phi.get %15[%i_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %25 = phi.get %16[%i_2] : !phi.vec<!phi.vec<f64>>[i64]
// CHECK-NEXT:        %l_1 = phi.tuple (%23, %24) : tuple<f64, f64>
// CHECK-NEXT:        %26 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %27 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %28 = phi.tuple (%26, %27) : tuple<f64, f64>
// CHECK-NEXT:        %29 = phi.fold (%k_1 < %m, %30 = %28) -> tuple<f64, f64> {
// CHECK-NEXT:          %31 = phi.proj %30, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %32 = phi.proj %30, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %t_1 = phi.get %25[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %e_1 = phi.get %a[%i_2, %k_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:          %33 = phi.get %dx[%i_2, %k_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:          %34 = arith.mulf %31, %e_1 : f64
// CHECK-NEXT:          %35 = arith.mulf %33, %t_1 : f64
// CHECK-NEXT:          %36 = arith.addf %34, %35 : f64
// CHECK-NEXT:          %37 = arith.addf %32, %36 : f64
// CHECK-NEXT:          %38 = phi.tuple (%36, %37) : tuple<f64, f64>
// CHECK-NEXT:          phi.yield %38 : tuple<f64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %39 = phi.proj %29, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:        %c_1 = phi.proj %l_1, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:        %40 = arith.mulf %39, %c_1 : f64
// CHECK-NEXT:        %41 = arith.mulf %39, %c_1 : f64
// CHECK-NEXT:        %42 = arith.addf %40, %41 : f64
// CHECK-NEXT:        %43 = arith.addf %22, %42 : f64
// CHECK-NEXT:        phi.yield %43 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %21 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %44 = phi.proj %19, 0 : tuple<!phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %r = phi.tuple (%y, %44) : tuple<f64, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    %g = phi.proj %r, 1 : tuple<f64, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    func.return %g : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }

// A costly scalar that an index around it does not change leaves the loop, too, if there are no more
// of it than elements of an array that it reads.

func.func @scalar(%x: !phi.vec<!phi.vec<f64>>, %y: !phi.vec<f64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<!phi.vec<f64>> by !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %s = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
      %zero = arith.constant 0.0 : f64
      %u = phi.fold (%k < %m, %sum = %zero) -> f64 {
        %a = phi.get %z[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %b = phi.get %y[%i] : !phi.vec<f64>[index]
        %q = arith.divf %a, %b : f64
        %c = phi.get %z[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %p = arith.mulf %q, %c : f64
        %next = arith.addf %sum, %p : f64
        phi.yield %next : f64
      }
      phi.yield %u : f64
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @scalar(
// CHECK:         %[[Q:.*]] = phi.array (%i < %n, %k < %m) -> {{.*}} {
// CHECK:           %q = arith.divf
// CHECK-NEXT:      phi.yield %q : f64
// CHECK:         phi.array (%i_1 < %n, %j < %n) -> {{.*}} {
// CHECK:           phi.fold (%k_1 < %m
// CHECK-NEXT:        phi.get %[[Q]][%i_1, %k_1]
// CHECK-NOT:       arith.divf
// CHECK:         phi.transpose

// One that reads no array with all of its indices stays, and so does a cheap one.

func.func @outer(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<f64>
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<f64> by !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
    %s = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
      %zero = arith.constant 0.0 : f64
      %u = phi.fold (%k < %m, %sum = %zero) -> f64 {
        %a = phi.get %z[%i] : !phi.vec<f64>[index]
        %b = phi.get %y[%k] : !phi.vec<f64>[i64]
        %q = arith.divf %a, %b : f64
        %c = phi.get %z[%j] : !phi.vec<f64>[index]
        %d = arith.mulf %c, %c : f64
        %p = arith.mulf %q, %d : f64
        %next = arith.addf %sum, %p : f64
        phi.yield %next : f64
      }
      phi.yield %u : f64
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @outer(
// CHECK-NEXT:    %n = phi.size
// CHECK-NEXT:    %m = phi.size
// CHECK-NEXT:    %s = phi.array (%i < %n, %j < %n)
// CHECK:           phi.fold (%k < %m
// CHECK:             arith.divf
// CHECK:             arith.mulf %c, %c
// CHECK:         phi.transpose

// One with a single index that reads one element stays, too, unless it has several functions.

func.func @curve(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<f64>
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %s = phi.array (%i < %m) -> !phi.vec<f64> {
      %zero = arith.constant 0.0 : f64
      %u = phi.fold (%k < %n, %sum = %zero) -> f64 {
        %a = phi.get %z[%k] : !phi.vec<f64>[i64]
        %e = math.exp %a : f64
        %f = math.sin %e : f64
        %g = math.exp %f : f64
        %b = phi.get %y[%i] : !phi.vec<f64>[index]
        %h = math.sin %a : f64
        %q = arith.mulf %g, %b : f64
        %p = arith.mulf %q, %h : f64
        %next = arith.addf %sum, %p : f64
        phi.yield %next : f64
      }
      phi.yield %u : f64
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @curve(
// CHECK:         %[[G:.*]] = phi.array (%k < %n) -> {{.*}} {
// CHECK:           math.exp
// CHECK:           math.sin
// CHECK-NEXT:      %g = math.exp
// CHECK-NEXT:      phi.yield %g : f64
// CHECK:         phi.array (%i < %m) -> {{.*}} {
// CHECK:           phi.fold (%k_1 < %n
// CHECK:             phi.get %[[G]][%k_1]
// CHECK-NOT:         math.exp
// CHECK:             math.sin
// CHECK:         phi.transpose

// One that reads two elements does not: each of these would have a sum of its own.

func.func @radius(%x: !phi.vec<!phi.vec<f64>>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %k0 = arith.constant 0 : i64
  %k1 = arith.constant 1 : i64
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<!phi.vec<f64>> by !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %s = phi.array (%i < %n, %d < %m) -> !phi.vec<!phi.vec<f64>> {
      %a = phi.get %z[%i, %k0] : !phi.vec<!phi.vec<f64>>[index, i64]
      %b = phi.get %z[%i, %k1] : !phi.vec<!phi.vec<f64>>[index, i64]
      %c = arith.addf %a, %b : f64
      %e = math.sqrt %c : f64
      %f = phi.get %z[%i, %d] : !phi.vec<!phi.vec<f64>>[index, index]
      %q = arith.divf %f, %e : f64
      phi.yield %q : f64
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @radius(
// CHECK:         %[[E:.*]] = phi.array (%i < %n) -> {{.*}} {
// CHECK:           math.sqrt
// CHECK:         phi.array (%i_1 < %n, %d < %m) -> {{.*}} {
// CHECK-NOT:       math.sqrt
// CHECK:           phi.get %[[E]][%i_1]
// CHECK:         phi.transpose

// Nor does one of a pair with divisions: there is an array over all pairs.

func.func @pull(%x: !phi.vec<!phi.vec<f64>>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %k0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<!phi.vec<f64>> by !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %s = phi.array (%i < %n, %d < %m) -> !phi.vec<!phi.vec<f64>> {
      %t = phi.fold (%j < %n, %acc = %zero) -> f64 {
        %a = phi.get %z[%i, %k0] : !phi.vec<!phi.vec<f64>>[index, i64]
        %b = phi.get %z[%j, %k0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %c = arith.subf %a, %b : f64
        %q = arith.divf %one, %c : f64
        %root = math.sqrt %q : f64
        %e = phi.get %z[%j, %d] : !phi.vec<!phi.vec<f64>>[i64, index]
        %p = arith.mulf %root, %e : f64
        %next = arith.addf %acc, %p : f64
        phi.yield %next : f64
      }
      phi.yield %t : f64
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @pull(
// CHECK:         %[[E:.*]] = phi.array (%i < %n, %j < %n) -> {{.*}} {
// CHECK:           math.sqrt
// CHECK:         phi.array (%i_1 < %n, %d < %m) -> {{.*}} {
// CHECK:           phi.fold (%j_1 < %n
// CHECK-NOT:         math.sqrt
// CHECK:             phi.get %[[E]][%i_1, %j_1]
// CHECK:         phi.transpose

// A factor of a product of matrices is an array, although it is larger than what it reads.

func.func @filters(%z: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<f64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
  %n = phi.size %z, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %z, 1 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.vjp (%v = %w by %ct) : !phi.vec<f64> by !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
    %y = phi.array (%i < %n, %k < %m) -> !phi.vec<!phi.vec<f64>> {
      %zero = arith.constant 0.0 : f64
      %s = phi.fold (%f < %l, %acc = %zero) -> f64 {
        %x = phi.get %z[%i, %f] : !phi.vec<!phi.vec<f64>>[index, i64]
        %place = arith.sitofp %f : i64 to f64
        %center = phi.get %v[%k] : !phi.vec<f64>[index]
        %d = arith.subf %place, %center : f64
        %e = math.exp %d : f64
        %g = math.tanh %e : f64
        %xg = arith.mulf %x, %g : f64
        %next = arith.addf %acc, %xg : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @filters(
// CHECK:         phi.array (%k < %m, %f < %l) -> !phi.vec<!phi.vec<f64>> {
// CHECK:             math.tanh
// CHECK:           %y = phi.array (%i < %n, %{{.*}} < %m)
// CHECK-NOT:         math.tanh
// CHECK:             phi.fold
// CHECK:               arith.mulf %x,

// A value of pairs that only equal ones need is no array over all pairs.

func.func @edges(%z: !phi.vec<!phi.vec<f64>>, %to: !phi.vec<i64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
  %n = phi.size %z, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %z, 1 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %to, 0 : !phi.vec<i64>
  %r = phi.vjp (%v = %z by %ct) : !phi.vec<!phi.vec<f64>> by !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %y = phi.array (%i < %n, %k < %m) -> !phi.vec<!phi.vec<f64>> {
      %zero = arith.constant 0.0 : f64
      %c0 = arith.constant 0 : i64
      %own = arith.index_cast %i : index to i64
      %s = phi.fold (%e < %l, %acc = %zero) -> f64 {
        %t = phi.get %to[%e] : !phi.vec<i64>[i64]
        %is = arith.cmpi eq, %t, %own : i64
        %a = phi.get %v[%e, %c0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %b = phi.get %v[%i, %c0] : !phi.vec<!phi.vec<f64>>[index, i64]
        %ab = arith.mulf %a, %b : f64
        %root = math.sqrt %ab : f64
        %q = arith.divf %ab, %root : f64
        %x = phi.get %v[%e, %k] : !phi.vec<!phi.vec<f64>>[i64, index]
        %xq = arith.mulf %x, %q : f64
        %p = arith.select %is, %xq, %zero : f64
        %next = arith.addf %acc, %p : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @edges(
// CHECK-NOT:     phi.array (%i < %n, %e < %l)
// CHECK:         phi.array (%i < %n, %k < %m) -> {{.*}} {
// CHECK:           phi.fold (%e < %l
// CHECK:             math.sqrt
// CHECK:         phi.transpose

// So does a loop whose accumulator is an array: elements of it share the loop that computes it.

func.func @rows(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %ct: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.vjp (%z = %x by %ct) : !phi.vec<f64> by !phi.vec<!phi.vec<f64>> -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>> {
    %y = phi.array (%i < %n, %d < %m) -> !phi.vec<!phi.vec<f64>> {
      %q = phi.fold (%j < %n, %p = %w) -> !phi.vec<f64> {
        %a = phi.get %z[%i] : !phi.vec<f64>[index]
        %next = phi.array (%e < %m) -> !phi.vec<f64> {
          %b = phi.get %p[%e] : !phi.vec<f64>[index]
          %c = arith.mulf %a, %b : f64
          phi.yield %c : f64
        }
        phi.yield %next : !phi.vec<f64>
      }
      %s = phi.get %q[%d] : !phi.vec<f64>[index]
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @rows(
// CHECK:         phi.transpose (%dz = %x)
// CHECK-NEXT:      [[ROWS:%[0-9]+]] = phi.array (%i_3 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK:             phi.fold (%j_1 < %n
// CHECK:           phi.array (%i_4 < %n, %d_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        phi.get [[ROWS]][%i_4, %d_1]
