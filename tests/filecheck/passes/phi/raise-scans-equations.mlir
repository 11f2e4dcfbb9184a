// RUN: ein-opt %s --split-input-file -p raise-scans,canonicalize,dce | filecheck %s

// The elements of the same group that are less are a bound of the order of elements, and with the
// group a range of the order of groups in this order.
func.func @rank_in_group(%keys: !phi.vec<i64>, %x: !phi.vec<f64>, %w: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %own = phi.get %keys[%i] : !phi.vec<i64>[index]
    %limit = phi.get %x[%i] : !phi.vec<f64>[index]
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %value = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = phi.get %w[%k] : !phi.vec<i64>[i64]
      %is_own = arith.cmpi eq, %key, %own : i64
      %is_less = arith.cmpf olt, %value, %limit : f64
      %both = arith.andi %is_own, %is_less : i1
      %z = arith.select %both, %y, %zero : i64
      %next = arith.addi %acc, %z : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL:  func.func @rank_in_group(
// CHECK:          %[[FIRST:.*]] = phi.argsort %{{.*}} : !phi.vec<f64>
// CHECK:          %[[PLACE:.*]] = phi.searchsorted %{{.*}}, %limit : !phi.vec<f64>, f64
// CHECK:          %[[NAN:.*]] = arith.cmpf une, %limit, %limit : f64
// CHECK-NEXT:     %[[BOUND:.*]] = arith.select %[[NAN]], %{{.*}}, %[[PLACE]] : i64
// CHECK:            %[[STEP:.*]] = phi.get %[[FIRST]][%{{.*}}] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %[[KEY:.*]] = phi.get %keys[%[[STEP]]] : !phi.vec<i64>[i64]
// CHECK:          %[[ORDER:.*]] = phi.argsort %{{.*}} : !phi.vec<i64>
// CHECK:          %[[FIRSTS:.*]] = phi.scan "max" %{{.*}} : !phi.vec<i64>
// CHECK:            %[[INNER:.*]] = phi.get %[[ORDER]][%{{.*}}] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %[[OUTER:.*]] = phi.get %[[FIRST]][%[[INNER]]] : !phi.vec<i64>[i64]
// CHECK-NEXT:       phi.get %w[%[[OUTER]]] : !phi.vec<i64>[i64]
// CHECK:          %[[SUMS:.*]] = phi.scan "add" %{{.*}} : !phi.vec<i64>
// CHECK:          %[[END:.*]] = phi.fold
// CHECK:            %[[PLACE_IN_GROUP:.*]] = phi.get %[[ORDER]][%{{.*}}] : !phi.vec<i64>[i64]
// CHECK-NEXT:       arith.cmpi slt, %[[PLACE_IN_GROUP]], %[[BOUND]] : i64
// CHECK:          %[[LAST:.*]] = arith.subi %[[END]], %{{.*}} : i64
// CHECK:          %[[BEHIND:.*]] = arith.addi %[[LAST]], %{{.*}} : i64
// CHECK:          %[[BEGIN:.*]] = phi.get %[[FIRSTS]][%[[BEHIND]]] : !phi.vec<i64>[i64]
// CHECK:          phi.get %[[SUMS]][%[[BEGIN]]] : !phi.vec<i64>[i64]

// -----

// The last step before another one with the same key is the one before it in the order of keys.
func.func @last_of_key(%keys: !phi.vec<i64>, %x: !phi.vec<f64>) -> !phi.vec<i64> {
  %none = arith.constant -9223372036854775808 : i64
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %own = phi.get %keys[%i] : !phi.vec<i64>[index]
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %none) -> i64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %is_own = arith.cmpi eq, %key, %own : i64
      %is_before = arith.cmpi slt, %k, %i_1 : i64
      %both = arith.andi %is_own, %is_before : i1
      %z = arith.select %both, %k, %none : i64
      %next = arith.maxsi %acc, %z : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL:  func.func @last_of_key(
// CHECK:          %[[ORDER:.*]] = phi.argsort %keys : !phi.vec<i64>
// CHECK:            %[[BEFORE:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// CHECK:            phi.get %[[ORDER]][%[[BEFORE]]] : !phi.vec<i64>[i64]
// CHECK:          %[[PLACES:.*]] = phi.accumulate
// CHECK:          %[[PLACE:.*]] = phi.get %[[PLACES]][%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     phi.get %{{.*}}[%[[PLACE]]] : !phi.vec<i64>[i64]
// CHECK-NOT:      phi.fold

// -----

// Equations of several keys are one of the number of all keys.
func.func @two_groups(%keys: !phi.vec<i64>, %x: !phi.vec<f64>, %w: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %own = phi.get %keys[%i] : !phi.vec<i64>[index]
    %limit = phi.get %x[%i] : !phi.vec<f64>[index]
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %value = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = phi.get %w[%k] : !phi.vec<i64>[i64]
      %is_own = arith.cmpi eq, %key, %own : i64
      %other = phi.get %w[%i_1] : !phi.vec<i64>[i64]
      %is_other = arith.cmpi eq, %y, %other : i64
      %both = arith.andi %is_own, %is_other : i1
      %z = arith.select %both, %y, %zero : i64
      %next = arith.addi %acc, %z : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL:  func.func @two_groups(
// CHECK:          %[[FIRST:.*]] = phi.sort %{{.*}} : !phi.vec<i64>
// CHECK:          %[[SECOND:.*]] = phi.sort %{{.*}} : !phi.vec<i64>
// CHECK:          %[[NUMBERS:.*]] = phi.array (%{{.*}} < %n) -> !phi.vec<i64> {
// CHECK:            phi.searchsorted %[[FIRST]], %{{.*}} : !phi.vec<i64>, i64
// CHECK:            phi.searchsorted %[[SECOND]], %{{.*}} : !phi.vec<i64>, i64
// CHECK:            %[[ROW:.*]] = arith.muli
// CHECK-NEXT:       arith.addi %[[ROW]], %{{.*}} : i64
// CHECK:          phi.get %[[NUMBERS]][%i] : !phi.vec<i64>[index]
// CHECK:          phi.accumulate
// CHECK-NOT:      phi.fold

// -----

// Two comparisons besides an equation have no order in common.
func.func @earlier_and_less(%keys: !phi.vec<i64>, %x: !phi.vec<f64>, %w: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %own = phi.get %keys[%i] : !phi.vec<i64>[index]
    %limit = phi.get %x[%i] : !phi.vec<f64>[index]
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %value = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = phi.get %w[%k] : !phi.vec<i64>[i64]
      %is_own = arith.cmpi eq, %key, %own : i64
      %is_less = arith.cmpf olt, %value, %limit : f64
      %is_earlier = arith.cmpi slt, %k, %i_1 : i64
      %two = arith.andi %is_own, %is_less : i1
      %both = arith.andi %two, %is_earlier : i1
      %z = arith.select %both, %y, %zero : i64
      %next = arith.addi %acc, %z : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL:  func.func @earlier_and_less(
// CHECK-NOT:      phi.argsort
// CHECK:          phi.fold (%k < %n, %acc = %zero) -> i64 {
