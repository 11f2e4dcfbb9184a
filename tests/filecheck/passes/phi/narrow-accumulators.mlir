// RUN: ein-opt %s --split-input-file -p narrow-accumulators,canonicalize,cse | filecheck %s

// The root of a tree is read, and a step reads one position further than it computes.
func.func @tree(%leaves: !phi.vec<f64>, %count: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %count, %v = %leaves) -> !phi.vec<f64> {
    %n = phi.size %v, 0 : !phi.vec<f64>
    %next = phi.array (%i < %n) -> !phi.vec<f64> {
      %j = arith.index_cast %i : index to i64
      %above = arith.addi %one, %j : i64
      %x = phi.get %v[%above] : !phi.vec<f64>[i64]
      %y = phi.get %v[%i] : !phi.vec<f64>[index]
      %z = arith.mulf %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  %root = phi.get %r[%zero] : !phi.vec<f64>[i64]
  func.return %root : f64
}

// CHECK:      func.func @tree
// CHECK:        %0 = arith.maxsi %count, %zero : i64
// CHECK:        %1 = arith.addi %0, %one : i64
// CHECK:        %2 = phi.size %leaves, 0 : !phi.vec<f64>
// CHECK-NEXT:   %3 = arith.minsi %2, %1 : i64
// CHECK-NEXT:   %4 = phi.array (%5 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:     %6 = phi.get %leaves[%5] : !phi.vec<f64>[index]
// CHECK:        %r = phi.fold (%k < %count, %v = %4) -> !phi.vec<f64> {
// CHECK-NEXT:     %n = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:     %7 = arith.addi %k, %one : i64
// CHECK-NEXT:     %8 = arith.subi %0, %7 : i64
// CHECK:          [[NEEDED:%.*]] = arith.addi %8, %one : i64
// CHECK-NEXT:     [[SIZE:%.*]] = arith.minsi %n, [[NEEDED]] : i64
// CHECK-NEXT:     %next = phi.array (%i < [[SIZE]]) -> !phi.vec<f64> {

// -----

// Along one of two axes, whose size is that of the initial value; beyond the read part, steps only
// look back.
func.func @columns(%a: !phi.vec<f64>, %n: i64, %m: i64, %count: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %init = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%j] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  %w = phi.size %init, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %count, %v = %init) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %n, %j < %w) -> !phi.vec<!phi.vec<f64>> {
      %p = arith.index_cast %j : index to i64
      %q = arith.subi %p, %one : i64
      %x = phi.get %v[%k, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = math.exp %x : f64
      phi.yield %y : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  %c = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %r[%i, %two] : !phi.vec<!phi.vec<f64>>[index, i64]
    phi.yield %x : f64
  }
  func.return %c : !phi.vec<f64>
}

// CHECK:      func.func @columns
// CHECK:        %0 = arith.constant 3 : i64
// CHECK:        [[WIDTH:%.*]] = arith.minsi {{%.*}}, %0 : i64
// CHECK:        phi.fold
// CHECK-NEXT:     %next = phi.array ({{%.*}} < %n, {{%.*}} < [[WIDTH]])

// -----

// Not if the whole result, or its size, is used.
func.func @whole(%a: !phi.vec<f64>, %count: i64) -> (!phi.vec<f64>, f64) {
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %count, %v = %a) -> !phi.vec<f64> {
    %n = phi.size %v, 0 : !phi.vec<f64>
    %next = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %v[%i] : !phi.vec<f64>[index]
      %y = math.exp %x : f64
      phi.yield %y : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  %x = phi.get %r[%zero] : !phi.vec<f64>[i64]
  func.return %r, %x : !phi.vec<f64>, f64
}

// CHECK:      func.func @whole
// CHECK-NOT:    arith.minsi

// -----

// Not if a step reads at no constant distance from its index, or uses the size.
func.func @elsewhere(%a: !phi.vec<f64>, %count: i64) -> (f64, f64) {
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %count, %v = %a) -> !phi.vec<f64> {
    %n = phi.size %v, 0 : !phi.vec<f64>
    %next = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %v[%k] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  %s = phi.fold (%k < %count, %v = %a) -> !phi.vec<f64> {
    %n = phi.size %v, 0 : !phi.vec<f64>
    %f = arith.sitofp %n : i64 to f64
    %next = phi.array (%i < %n) -> !phi.vec<f64> {
      phi.yield %f : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  %x = phi.get %r[%zero] : !phi.vec<f64>[i64]
  %y = phi.get %s[%zero] : !phi.vec<f64>[i64]
  func.return %x, %y : f64, f64
}

// CHECK:      func.func @elsewhere
// CHECK-NOT:    arith.minsi

// -----

// Not if each row is updated in place: rows would be copied.
func.func @updated(%a: !phi.vec<!phi.vec<f64>>, %count: i64, %x: f64) -> f64 {
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %count, %v = %a) -> !phi.vec<!phi.vec<f64>> {
    %n = phi.size %v, 0 : !phi.vec<!phi.vec<f64>>
    %next = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %v[%i] : !phi.vec<!phi.vec<f64>>[index]
      %new = phi.update %row[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %new : !phi.vec<f64>
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  %y = phi.get %r[%zero, %zero] : !phi.vec<!phi.vec<f64>>[i64, i64]
  func.return %y : f64
}

// CHECK:      func.func @updated
// CHECK-NOT:    arith.minsi
