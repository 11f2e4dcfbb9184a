// RUN: ein-opt %s -p raise-searches --split-input-file | filecheck %s
// RUN: ein-opt %s -p "raise-searches{counted=true},simplify" --split-input-file | filecheck %s --check-prefix COUNTED

// A loop by halves for each element is a search, if the keys are in order and the steps enough.
// Otherwise the loop runs.

func.func @fold(%t: !phi.vec<f64>, %q: !phi.vec<f64>, %steps: i64) -> !phi.vec<i64> {
  %m = phi.size %q, 0 : !phi.vec<f64>
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %n = phi.size %t, 0 : !phi.vec<f64>
    %ends = phi.tuple (%zero, %n) : tuple<i64, i64>
    %found = phi.fold (%k < %steps, %s = %ends) -> tuple<i64, i64> {
      %low = phi.proj %s, 0 : tuple<i64, i64> -> i64
      %high = phi.proj %s, 1 : tuple<i64, i64> -> i64
      %on = arith.cmpi slt, %low, %high : i64
      %sum = arith.addi %low, %high : i64
      %middle = arith.floordivsi %sum, %two : i64
      %key = phi.get %t[%middle] : !phi.vec<f64>[i64]
      %x = phi.get %q[%i] : !phi.vec<f64>[index]
      %before = arith.cmpf olt, %key, %x : f64
      %next = arith.addi %middle, %one : i64
      %low_1 = arith.select %before, %next, %low : i64
      %low_2 = arith.select %on, %low_1, %low : i64
      %high_1 = arith.select %before, %high, %middle : i64
      %high_2 = arith.select %on, %high_1, %high : i64
      %s_1 = phi.tuple (%low_2, %high_2) : tuple<i64, i64>
      phi.yield %s_1 : tuple<i64, i64>
    }
    %p = phi.proj %found, 0 : tuple<i64, i64> -> i64
    phi.yield %p : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @fold
// CHECK:         arith.cmpi sge, %steps
// CHECK:         arith.cmpf ole
// CHECK:         %[[X:.*]] = phi.get %q[%i]
// CHECK-NEXT:    %[[P:.*]] = phi.searchsorted %t, %[[X]] : !phi.vec<f64>, f64
// CHECK:         arith.cmpf une, %[[X]], %[[X]] : f64
// CHECK:         %[[C:.*]] = arith.select %{{.*}}, %{{.*}}, %steps : i64
// CHECK-NEXT:    %found = phi.fold (%k < %[[C]], %s = %ends)


// A fold counts already.
// COUNTED-LABEL: func.func @fold
// COUNTED:         %found = phi.fold (%k < %steps, %s = %ends)

// -----

// In the result of a sort, the loop of `searchsorted` finds the place as soon as its interval is
// empty: no loop remains. Carried are the position before the interval, and the last one of it.

func.func @sorted(%t: !phi.vec<i64>, %q: !phi.vec<i64>) -> !phi.vec<i64> {
  %keys = phi.sort %t : !phi.vec<i64>
  %limit = arith.constant 17592186044416 : i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %below = arith.constant -1 : i64
  %n = phi.size %t, 0 : !phi.vec<i64>
  %m = phi.size %q, 0 : !phi.vec<i64>
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %x = phi.get %q[%i] : !phi.vec<i64>[index]
    %more = arith.cmpi slt, %below, %last : i64
    %ends = phi.tuple (%last, %below) : tuple<i64, i64>
    %init = phi.tuple (%more, %ends) : tuple<i1, tuple<i64, i64>>
    %found = phi.while (%k < %limit, %s = %init) -> tuple<i1, tuple<i64, i64>> {
      %ends_1 = phi.proj %s, 1 : tuple<i1, tuple<i64, i64>> -> tuple<i64, i64>
      %high = phi.proj %ends_1, 0 : tuple<i64, i64> -> i64
      %low = phi.proj %ends_1, 1 : tuple<i64, i64> -> i64
      %length = arith.subi %high, %low : i64
      %half = arith.shrsi %length, %one : i64
      %half_1 = arith.addi %half, %one : i64
      %middle = arith.addi %low, %half_1 : i64
      %key = phi.get %keys[%middle] : !phi.vec<i64>[i64]
      %after = arith.cmpi sgt, %key, %x : i64
      %middle_1 = arith.subi %middle, %one : i64
      %high_1 = arith.select %after, %middle_1, %high : i64
      %low_1 = arith.select %after, %low, %middle : i64
      %more_1 = arith.cmpi sgt, %high_1, %low_1 : i64
      %ends_2 = phi.tuple (%high_1, %low_1) : tuple<i64, i64>
      %s_1 = phi.tuple (%more_1, %ends_2) : tuple<i1, tuple<i64, i64>>
      phi.yield %s_1 : tuple<i1, tuple<i64, i64>>
    }
    %ends_3 = phi.proj %found, 1 : tuple<i1, tuple<i64, i64>> -> tuple<i64, i64>
    %p = phi.proj %ends_3, 0 : tuple<i64, i64> -> i64
    phi.yield %p : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @sorted
// CHECK:         %{{.*}} = phi.searchsorted %keys, %x right : !phi.vec<i64>, i64
// CHECK-NOT:     phi.while (%k < %limit, %s = %init)
// CHECK:         func.return

// Each step halves the interval: as many steps as its size has bits empty it.
// COUNTED-LABEL: func.func @sorted
// COUNTED:         %[[Z:.*]] = math.ctlz %n : i64
// COUNTED:         %[[B:.*]] = arith.subi %{{.*}}, %[[Z]] : i64
// COUNTED-NEXT:    %{{.*}} = phi.fold (%k < %[[B]], %[[S:.*]] = %{{.*}}) -> tuple<i64, i64> {
// COUNTED:           %[[H:.*]] = phi.proj %[[S]], 0
// COUNTED-NEXT:      %[[L:.*]] = phi.proj %[[S]], 1
// COUNTED-NEXT:      %[[ON:.*]] = arith.cmpi slt, %[[L]], %[[H]] : i64
// COUNTED:           arith.select %[[ON]], %high, %[[H]] : i64
// COUNTED-NEXT:      arith.select %[[ON]], %low, %[[L]] : i64
// COUNTED-NOT:     phi.while

// -----

// A middle that is not in the interval, and one value, are loops.

func.func @beside(%t: !phi.vec<f64>, %q: !phi.vec<f64>, %steps: i64) -> !phi.vec<i64> {
  %m = phi.size %q, 0 : !phi.vec<f64>
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %n = phi.size %t, 0 : !phi.vec<f64>
    %ends = phi.tuple (%zero, %n) : tuple<i64, i64>
    %found = phi.fold (%k < %steps, %s = %ends) -> tuple<i64, i64> {
      %low = phi.proj %s, 0 : tuple<i64, i64> -> i64
      %high = phi.proj %s, 1 : tuple<i64, i64> -> i64
      %on = arith.cmpi slt, %low, %high : i64
      %sum = arith.addi %low, %high : i64
      %sum_1 = arith.addi %sum, %one : i64
      %middle = arith.floordivsi %sum_1, %two : i64
      %key = phi.get %t[%middle] : !phi.vec<f64>[i64]
      %x = phi.get %q[%i] : !phi.vec<f64>[index]
      %before = arith.cmpf olt, %key, %x : f64
      %next = arith.addi %middle, %one : i64
      %low_1 = arith.select %before, %next, %low : i64
      %low_2 = arith.select %on, %low_1, %low : i64
      %high_1 = arith.select %before, %high, %middle : i64
      %high_2 = arith.select %on, %high_1, %high : i64
      %s_1 = phi.tuple (%low_2, %high_2) : tuple<i64, i64>
      phi.yield %s_1 : tuple<i64, i64>
    }
    %p = phi.proj %found, 0 : tuple<i64, i64> -> i64
    phi.yield %p : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @beside
// CHECK-NOT:     phi.searchsorted

// -----

// The places of an index are a running sum of the numbers of equal keys, if the keys are in order.

func.func @at_index(%t: !phi.vec<i64>, %m: i64, %steps: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %t, 0 : !phi.vec<i64>
  %ends = phi.tuple (%zero, %n) : tuple<i64, i64>
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %x = arith.index_cast %i : index to i64
    %found = phi.fold (%k < %steps, %s = %ends) -> tuple<i64, i64> {
      %low = phi.proj %s, 0 : tuple<i64, i64> -> i64
      %high = phi.proj %s, 1 : tuple<i64, i64> -> i64
      %on = arith.cmpi slt, %low, %high : i64
      %sum = arith.addi %low, %high : i64
      %middle = arith.floordivsi %sum, %two : i64
      %key = phi.get %t[%middle] : !phi.vec<i64>[i64]
      %before = arith.cmpi sle, %key, %x : i64
      %next = arith.addi %middle, %one : i64
      %low_1 = arith.select %before, %next, %low : i64
      %low_2 = arith.select %on, %low_1, %low : i64
      %high_1 = arith.select %before, %high, %middle : i64
      %high_2 = arith.select %on, %high_1, %high : i64
      %s_1 = phi.tuple (%low_2, %high_2) : tuple<i64, i64>
      phi.yield %s_1 : tuple<i64, i64>
    }
    %p = phi.proj %found, 0 : tuple<i64, i64> -> i64
    phi.yield %p : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @at_index
// CHECK-NOT:     phi.searchsorted
// CHECK:         %[[CHEAP:.*]] = arith.cmpi sle, %n, %{{.*}} : i64
// CHECK:         phi.reduce
// CHECK:         %[[COUNT:.*]] = arith.select %[[CHEAP]], %n, %{{.*}} : i64
// CHECK:         %[[NUMBERS:.*]] = phi.accumulate (%{{.*}} < %[[COUNT]]) into "add" (%m)
// CHECK:         phi.scan "add" %[[NUMBERS]]
// CHECK:         %[[STEPS:.*]] = arith.select %[[ORDER:.*]], %{{.*}}, %{{.*}} : i64
// CHECK:         phi.fold (%{{.*}} < %[[STEPS]],
// CHECK:         arith.select %[[ORDER]], %{{.*}}, %{{.*}} : i64

// Backends that compute elements in loops take it, too.
// COUNTED-LABEL: func.func @at_index
// COUNTED:         phi.accumulate
// COUNTED:         phi.scan "add"
