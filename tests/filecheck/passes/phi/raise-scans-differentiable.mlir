// RUN: ein-opt %s --split-input-file -p raise-scans{differentiable=true},canonicalize,dce | filecheck %s

// The derivative of exp may be infinite. Each step is selected by its own key, except for a NaN: the
// values of all other steps are used.
func.func @own_keys(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %b = phi.get %x[%i] : !phi.vec<f64>[index]
      %t = arith.cmpf ole, %a, %b : f64
      %y = math.exp %a : f64
      %z = arith.select %t, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @own_keys(
// CHECK:         %[[ORDER:.*]] = phi.argsort
// CHECK:         phi.searchsorted
// CHECK:         %[[VALUES:.*]] = phi.array
// CHECK:           %[[KNOWN:.*]] = arith.cmpf ord, %[[KEY:.*]], %[[KEY]] : f64
// CHECK:           math.exp
// CHECK:           arith.select %[[KNOWN]]
// CHECK:         phi.scan "add" %[[VALUES]]

// -----

// The limits may select no step with a value.
func.func @other_limits(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %b = phi.get %y[%i] : !phi.vec<f64>[index]
      %t = arith.cmpf ole, %a, %b : f64
      %e = math.exp %a : f64
      %z = arith.select %t, %e, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @other_limits(
// CHECK-NOT:     phi.scan

// -----

// A strict comparison does not select the step itself: the largest key is selected by none.
func.func @strict(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %b = phi.get %x[%i] : !phi.vec<f64>[index]
      %t = arith.cmpf olt, %a, %b : f64
      %e = math.exp %a : f64
      %z = arith.select %t, %e, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @strict(
// CHECK-NOT:     phi.scan

// -----

// No prefix has the last step, and no suffix the first one: their values are guarded by a test.
func.func @before_and_after(%x: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %t = arith.cmpi slt, %k, %i_1 : i64
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = math.exp %a : f64
      %z = arith.select %t, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %q = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %t = arith.cmpi sgt, %k, %i_1 : i64
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = math.exp %a : f64
      %z = arith.select %t, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %q : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @before_and_after(
// CHECK:           %[[LAST:.*]] = arith.subi %n, %{{.*}} : i64
// CHECK:           %[[TEST:.*]] = arith.cmpi slt, %{{.*}}, %[[LAST]] : i64
// CHECK:           %[[Y:.*]] = math.exp
// CHECK:           arith.select %[[TEST]], %[[Y]]
// CHECK:         phi.scan "add" %{{.*}} :
// CHECK:           %[[FROM:.*]] = arith.cmpi sge
// CHECK:           %[[Z:.*]] = math.exp
// CHECK:           arith.select %[[FROM]], %[[Z]]
// CHECK:         phi.scan "add" %{{.*}} suffixes

// -----

// Each suffix from an index on: the first one has all steps. Elements as bounds may select no step.
func.func @all_steps(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %t = arith.cmpi sge, %k, %i_1 : i64
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = math.exp %a : f64
      %z = arith.select %t, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %q = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %limit = phi.get %p[%i] : !phi.vec<i64>[index]
      %t = arith.cmpi slt, %k, %limit : i64
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = math.exp %a : f64
      %z = arith.select %t, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %q : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @all_steps(
// CHECK:         math.exp
// CHECK-NOT:     arith.select
// CHECK:         phi.scan "add" %{{.*}} suffixes
// CHECK-NOT:     phi.scan

// -----

// A number has no derivative, nor has a quotient that is only compared.
func.func @numbers(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %d: f64, %n: i64) -> (!phi.vec<i64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %s = phi.fold (%k < %n, %acc = %none) -> i64 {
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %q = arith.divf %a, %d : f64
      %b = phi.get %y[%i] : !phi.vec<f64>[index]
      %t = arith.cmpf olt, %q, %b : f64
      %z = arith.select %t, %one, %none : i64
      %next = arith.addi %acc, %z : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  %u = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %q = arith.divf %a, %d : f64
      %h = arith.addf %q, %q : f64
      %b = phi.get %y[%i] : !phi.vec<f64>[index]
      %t = arith.cmpf olt, %h, %b : f64
      %z = arith.select %t, %a, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %u : !phi.vec<i64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @numbers(
// CHECK-NOT:     phi.fold
// CHECK:         func.return
