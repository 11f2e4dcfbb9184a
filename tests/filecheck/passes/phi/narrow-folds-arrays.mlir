// RUN: ein-opt %s --split-input-file -p narrow-folds,canonicalize,dce | filecheck %s

// A step that changes elements of two arrays under a comparison only: its first one has no effect.
func.func @guarded(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = phi.size %a, 0 : !phi.vec<f64>
  %init = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %v = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %w = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %p = arith.subi %k, %one : i64
    %x = phi.get %v[%p] : !phi.vec<f64>[i64]
    %v_1 = phi.array (%i < %rows) -> !phi.vec<f64> {
      %j = arith.index_cast %i : index to i64
      %c = arith.cmpi sgt, %k, %zero : i64
      %here = arith.cmpi eq, %j, %k : i64
      %d = arith.andi %c, %here : i1
      %old = phi.get %v[%i] : !phi.vec<f64>[index]
      %y = arith.select %d, %x, %old : f64
      phi.yield %y : f64
    }
    %c_1 = arith.cmpi sgt, %k, %zero : i64
    %w_1 = arith.select %c_1, %v, %w : !phi.vec<f64>
    %next = phi.tuple (%v_1, %w_1) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @guarded(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %one = arith.constant 1 : i64
// CHECK-NEXT:        %rows = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:        %init = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        %0 = arith.constant 1 : i64
// CHECK-NEXT:        %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:        %2 = arith.constant 0 : i64
// CHECK-NEXT:        %3 = arith.maxsi %1, %2 : i64
// CHECK-NEXT:        %4 = arith.constant 17592186044416 : i64
// CHECK-NEXT:        %5 = arith.cmpi ule, %n, %4 : i64
// CHECK-NEXT:        %6 = arith.select %5, %3, %n : i64
// CHECK-NEXT:        %r = phi.fold (%k < %6, %s = %init) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:          %c = arith.constant true
// CHECK-NEXT:          %k_1 = arith.addi %k, %0 : i64
// CHECK-NEXT:          %v = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %p = arith.subi %k_1, %one : i64
// CHECK-NEXT:          %x = phi.get %v[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %v_1 = phi.array (%i < %rows) -> !phi.vec<f64> {
// CHECK-NEXT:            %j = arith.index_cast %i : index to i64
// CHECK-NEXT:            %here = arith.cmpi eq, %j, %k_1 : i64
// CHECK-NEXT:            %d = arith.andi %here, %c : i1
// CHECK-NEXT:            %old = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:            %y = arith.select %d, %x, %old : f64
// CHECK-NEXT:            phi.yield %y : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %next = phi.tuple (%v_1, %v) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:          phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      }


// -----

// An array of another size, and one whose condition depends on the element, change in each step.
func.func @resized(%a: !phi.vec<f64>, %m: i64, %n: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %zero = arith.constant 0 : i64
  %rows = phi.size %a, 0 : !phi.vec<f64>
  %init = phi.tuple (%a, %a) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %v = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %w = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %c = arith.cmpi sgt, %k, %zero : i64
    %v_1 = phi.array (%i < %m) -> !phi.vec<f64> {
      %old = phi.get %v[%i] : !phi.vec<f64>[index]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %old : f64
      phi.yield %y : f64
    }
    %w_1 = phi.array (%i < %rows) -> !phi.vec<f64> {
      %j = arith.index_cast %i : index to i64
      %d = arith.cmpi sgt, %k, %j : i64
      %old = phi.get %w[%i] : !phi.vec<f64>[index]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %d, %x, %old : f64
      phi.yield %y : f64
    }
    %next = phi.tuple (%v_1, %w_1) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @resized(%a: !phi.vec<f64>, %m: i64, %n: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %zero = arith.constant 0 : i64
// CHECK-NEXT:        %rows = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:        %init = phi.tuple (%a, %a) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        %r = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:          %v = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %w = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %c = arith.cmpi sgt, %k, %zero : i64
// CHECK-NEXT:          %v_1 = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:            %old = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:            %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %y = arith.select %c, %x, %old : f64
// CHECK-NEXT:            phi.yield %y : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %w_1 = phi.array (%i_1 < %rows) -> !phi.vec<f64> {
// CHECK-NEXT:            %j = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:            %d = arith.cmpi sgt, %k, %j : i64
// CHECK-NEXT:            %old_1 = phi.get %w[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:            %x_1 = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %y_1 = arith.select %d, %x_1, %old_1 : f64
// CHECK-NEXT:            phi.yield %y_1 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %next = phi.tuple (%v_1, %w_1) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:          phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:      }

