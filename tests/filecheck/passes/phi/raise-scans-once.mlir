// RUN: ein-opt %s --split-input-file -p raise-scans{once=true},dce | filecheck %s

// A scan for each row of an array that the steps read.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %j_1 = arith.index_cast %j : index to i64
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %j_1 : i64
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.select %before, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows
// CHECK:         phi.scan "add"

// -----

// A scan for each step of the loop in between would be as long as the fold.
func.func @steps(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%j < %n) -> !phi.vec<f64> {
    %j_1 = arith.index_cast %j : index to i64
    %t = phi.fold (%i < %m, %sum = %zero) -> f64 {
      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
        %before = arith.cmpi slt, %k, %j_1 : i64
        %y = phi.get %x[%i] : !phi.vec<f64>[i64]
        %z = arith.select %before, %y, %zero : f64
        %next = arith.addf %acc, %z : f64
        phi.yield %next : f64
      }
      %more = arith.mulf %sum, %s : f64
      phi.yield %more : f64
    }
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @steps
// CHECK-NOT:     phi.scan

// -----

// The limits vary with the counter of a loop, the keys are those that the loop carries: in each step
// they are sorted once.
func.func @limits_of_steps(%v: !phi.vec<f64>, %u: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %u, 0 : !phi.vec<f64>
  %m = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %n, %x = %v) -> !phi.vec<f64> {
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %key = phi.get %x[%k] : !phi.vec<f64>[i64]
        %y = phi.get %u[%t] : !phi.vec<f64>[i64]
        %z = phi.get %v[%i] : !phi.vec<f64>[index]
        %limit = arith.addf %y, %z : f64
        %below = arith.cmpf olt, %key, %limit : f64
        %w = arith.select %below, %one, %zero : f64
        %sum = arith.addf %acc, %w : f64
        phi.yield %sum : f64
      }
      phi.yield %s : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @limits_of_steps
// CHECK:         phi.argsort
// CHECK:         phi.searchsorted
