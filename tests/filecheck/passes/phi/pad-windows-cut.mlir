// RUN: ein-opt %s --split-input-file -p pad-windows{cut=true},simplify | filecheck %s

// A window that both ends of an array cut is padded.
func.func @cut(%a: !phi.vec<f64>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %low = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %low) -> f64 {
      %j = arith.index_cast %i : index to i64
      %t = arith.addi %j, %k : i64
      %p = arith.subi %t, %two : i64
      %b = arith.cmpi sge, %p, %zero : i64
      %e = arith.cmpi slt, %p, %n : i64
      %in = arith.andi %b, %e : i1
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %v = arith.select %in, %x, %low : f64
      %c = arith.maximumf %acc, %v : f64
      phi.yield %c : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @cut
// CHECK:               %[[PADDED:.*]] = phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK:                 arith.select
// CHECK:               phi.array (%{{.*}} < %n) -> !phi.vec<f64> {
// CHECK-NOT:             arith.select
// CHECK:                 phi.get %[[PADDED]]

// -----

// One that is cut at one end only stays, and so does one as long as the array.
func.func @others(%a: !phi.vec<f64>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %w, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %low = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %m, %acc = %low) -> f64 {
      %p = arith.subi %j, %k : i64
      %b = arith.cmpi sge, %p, %zero : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %v = arith.select %b, %x, %low : f64
      %c = arith.maximumf %acc, %v : f64
      phi.yield %c : f64
    }
    %s2 = phi.fold (%k2 < %n, %acc2 = %s) -> f64 {
      %t2 = arith.addi %j, %k2 : i64
      %p2 = arith.subi %t2, %two : i64
      %b2 = arith.cmpi sge, %p2, %zero : i64
      %e2 = arith.cmpi slt, %p2, %n : i64
      %in2 = arith.andi %b2, %e2 : i1
      %x2 = phi.get %a[%p2] : !phi.vec<f64>[i64]
      %v2 = arith.select %in2, %x2, %low : f64
      %c2 = arith.maximumf %acc2, %v2 : f64
      phi.yield %c2 : f64
    }
    phi.yield %s2 : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @others
// CHECK-NOT:           arith.maxsi
// CHECK:               phi.array (%{{.*}} < %n) -> !phi.vec<f64> {
// CHECK:                 phi.get %a[%p]
// CHECK:                 arith.select
// CHECK:                 phi.get %a[%p2]
// CHECK:                 arith.select
