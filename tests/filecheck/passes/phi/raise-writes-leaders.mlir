// RUN: ein-opt %s --split-input-file -p raise-writes,canonicalize,dce | filecheck %s

// Steps read the element that the step before has written: the array is computed first.
func.func @behind(%x: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = arith.addi %n, %one : i64
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %b = phi.array (%i < %m) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %init = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %v = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %w = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %old = phi.get %w[%k] : !phi.vec<f64>[i64]
    %y = phi.get %x[%k] : !phi.vec<f64>[i64]
    %z = arith.addf %old, %y : f64
    %u = arith.mulf %old, %y : f64
    %k_1 = arith.addi %k, %one : i64
    %v_1 = phi.update %v[%k], %u : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %w_1 = phi.update %w[%k_1], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%v_1, %w_1) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @behind(%x: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %one = arith.constant 1 : i64
// CHECK-NEXT:        %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:        %m = arith.addi %n, %one : i64
// CHECK-NEXT:        %0 = arith.constant 1 : i64
// CHECK-NEXT:        %1 = phi.array (%2 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:          phi.yield %zero : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %3 = phi.concat %1, %x of %m : !phi.vec<f64>
// CHECK-NEXT:        %4 = phi.scan "add" %3 : !phi.vec<f64>
// CHECK-NEXT:        %r = phi.array (%5 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %k = arith.index_cast %5 : index to i64
// CHECK-NEXT:          %6 = arith.constant 1 : i64
// CHECK-NEXT:          %7 = arith.addi %k, %6 : i64
// CHECK-NEXT:          %8 = phi.get %4[%7] : !phi.vec<f64>[i64]
// CHECK-NEXT:          phi.yield %8 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %r_1 = phi.array (%9 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %k_1 = arith.index_cast %9 : index to i64
// CHECK-NEXT:          %old = phi.get %r[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %y = phi.get %x[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %u = arith.mulf %old, %y : f64
// CHECK-NEXT:          phi.yield %u : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %r_2 = phi.tuple (%r_1, %r) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        func.return %r_2 : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      }

// -----

// A later step writes the element that a step reads.
func.func @ahead(%x: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %init = phi.tuple (%x, %x) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %v = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %w = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %k_1 = arith.addi %k, %one : i64
    %old = phi.get %w[%k_1] : !phi.vec<f64>[i64]
    %y = phi.get %x[%k] : !phi.vec<f64>[i64]
    %v_1 = phi.update %v[%k], %old : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %w_1 = phi.update %w[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%v_1, %w_1) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @ahead(%x: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %one = arith.constant 1 : i64
// CHECK-NEXT:        %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:        %init = phi.tuple (%x, %x) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        %r = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:          %v = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %w = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %k_1 = arith.addi %k, %one : i64
// CHECK-NEXT:          %old = phi.get %w[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %y = phi.get %x[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %v_1 = phi.update %v[%k], %old : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:          %w_1 = phi.update %w[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:          %next = phi.tuple (%v_1, %w_1) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:          phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      }

// -----

// A range of steps: positions are those of its counter.
func.func @range(%v: !phi.vec<i64>, %n: i64) -> tuple<i64, !phi.vec<i64>> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %none = arith.constant -1 : i64
  %init = phi.tuple (%one, %v) : tuple<i64, !phi.vec<i64>>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<i64, !phi.vec<i64>> {
    %a = phi.proj %state, 1 : tuple<i64, !phi.vec<i64>> -> !phi.vec<i64>
    %is_late = arith.cmpi sgt, %k, %one : i64
    %twice = arith.muli %k, %two : i64
    %p = arith.select %is_late, %twice, %none : i64
    %b = phi.update %a[%p], %one : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %x = phi.get %b[%k] : !phi.vec<i64>[i64]
    %next = phi.tuple (%x, %b) : tuple<i64, !phi.vec<i64>>
    phi.yield %next : tuple<i64, !phi.vec<i64>>
  }
  func.return %r : tuple<i64, !phi.vec<i64>>
}

// CHECK-LABEL: func.func @range(
// CHECK:         %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK:         %[[P:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK-NEXT:    arith.subi %[[P]], %[[FOUR]] : i64
