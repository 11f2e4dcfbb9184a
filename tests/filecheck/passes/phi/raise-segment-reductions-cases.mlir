// RUN: ein-opt %s -p raise-segment-reductions | filecheck %s

// A term that one of two equations chooses has two cases: the first key is the value, or the second one
// is, and the first one differs from it.

func.func @degrees(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %w: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %m = phi.size %a, 0 : !phi.vec<i64>
  %zero = arith.constant 0.000000e+00 : f64
  %r = phi.array (%v < %n) -> !phi.vec<f64> {
    %own = arith.index_cast %v : index to i64
    %s = phi.fold (%e < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%e] : !phi.vec<i64>[i64]
      %y = phi.get %b[%e] : !phi.vec<i64>[i64]
      %is_first = arith.cmpi eq, %x, %own : i64
      %is_second = arith.cmpi eq, %own, %y : i64
      %is_end = arith.ori %is_first, %is_second : i1
      %z = phi.get %w[%e] : !phi.vec<f64>[i64]
      %term = arith.select %is_end, %z, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @degrees(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %w: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:        %m = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %r = phi.array (%v < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %own = arith.index_cast %v : index to i64
// CHECK-NEXT:          %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %s = phi.accumulate (%e < %m) into "add" (%n) -> !phi.vec<f64> {
// CHECK-NEXT:            %e_1 = arith.index_cast %e : index to i64
// CHECK-NEXT:            %x = phi.get %a[%e_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:            %z = phi.get %w[%e_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %1 = phi.tuple (%x, %z) : tuple<i64, f64>
// CHECK-NEXT:            phi.yield %1 : tuple<i64, f64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %s_1 = phi.get %s[%v] : !phi.vec<f64>[index]
// CHECK-NEXT:          %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %s_2 = phi.accumulate (%e_2 < %m) into "add" (%n) -> !phi.vec<f64> {
// CHECK-NEXT:            %e_3 = arith.index_cast %e_2 : index to i64
// CHECK-NEXT:            %y = phi.get %b[%e_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:            %x_1 = phi.get %a[%e_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:            %is_first = arith.cmpi eq, %x_1, %y : i64
// CHECK-NEXT:            %z_1 = phi.get %w[%e_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:            %4 = arith.select %is_first, %3, %z_1 : f64
// CHECK-NEXT:            %5 = phi.tuple (%y, %4) : tuple<i64, f64>
// CHECK-NEXT:            phi.yield %5 : tuple<i64, f64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %s_3 = phi.get %s_2[%v] : !phi.vec<f64>[index]
// CHECK-NEXT:          %s_4 = arith.addf %s_1, %s_3 : f64
// CHECK-NEXT:          phi.yield %s_4 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : !phi.vec<f64>
// CHECK-NEXT:      }

// A case that is no equation keeps all of them in the loop.

func.func @stays(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %w: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %m = phi.size %a, 0 : !phi.vec<i64>
  %zero = arith.constant 0.000000e+00 : f64
  %r = phi.array (%v < %n) -> !phi.vec<f64> {
    %own = arith.index_cast %v : index to i64
    %s = phi.fold (%e < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%e] : !phi.vec<i64>[i64]
      %y = phi.get %b[%e] : !phi.vec<i64>[i64]
      %is_first = arith.cmpi eq, %x, %own : i64
      %is_second = arith.cmpi ne, %own, %y : i64
      %is_end = arith.ori %is_first, %is_second : i1
      %z = phi.get %w[%e] : !phi.vec<f64>[i64]
      %term = arith.select %is_end, %z, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @stays(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %w: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:        %m = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %r = phi.array (%v < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %own = arith.index_cast %v : index to i64
// CHECK-NEXT:          %s = phi.fold (%e < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:            %x = phi.get %a[%e] : !phi.vec<i64>[i64]
// CHECK-NEXT:            %y = phi.get %b[%e] : !phi.vec<i64>[i64]
// CHECK-NEXT:            %is_first = arith.cmpi eq, %x, %own : i64
// CHECK-NEXT:            %is_second = arith.cmpi ne, %own, %y : i64
// CHECK-NEXT:            %is_end = arith.ori %is_first, %is_second : i1
// CHECK-NEXT:            %z = phi.get %w[%e] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %term = arith.select %is_end, %z, %zero : f64
// CHECK-NEXT:            %next = arith.addf %acc, %term : f64
// CHECK-NEXT:            phi.yield %next : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %s : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : !phi.vec<f64>
// CHECK-NEXT:      }

// Two keys, and a value at both indices: both are read at their keys.
func.func @at_both(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %w: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %h = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %v = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.000000e+00 : f64
  %r = phi.array (%y < %h, %x < %v) -> !phi.vec<!phi.vec<f64>> {
    %y_1 = arith.index_cast %y : index to i64
    %x_1 = arith.index_cast %x : index to i64
    %near = phi.get %w[%y, %x] : !phi.vec<!phi.vec<f64>>[index, index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %p = phi.get %a[%k] : !phi.vec<i64>[i64]
      %q = phi.get %b[%k] : !phi.vec<i64>[i64]
      %is_row = arith.cmpi eq, %p, %y_1 : i64
      %is_column = arith.cmpi eq, %q, %x_1 : i64
      %is_own = arith.andi %is_row, %is_column : i1
      %term = arith.select %is_own, %near, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @at_both(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %w: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:       %h = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %v = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %r = phi.array (%y < %h, %x < %v) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %y_1 = arith.index_cast %y : index to i64
// CHECK-NEXT:         %x_1 = arith.index_cast %x : index to i64
// CHECK-NEXT:         %near = phi.get %w[%y, %x] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:         %s = phi.accumulate (%k < %n) into "add" (%h, %v) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:           %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:           %p = phi.get %a[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:           %q = phi.get %b[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:           %near_1 = phi.get %w[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:           %0 = phi.tuple (%p, %q, %near_1) : tuple<i64, i64, f64>
// CHECK-NEXT:           phi.yield %0 : tuple<i64, i64, f64>
// CHECK-NEXT:         }
// CHECK-NEXT:         %s_1 = phi.get %s[%y, %x] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:         phi.yield %s_1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
