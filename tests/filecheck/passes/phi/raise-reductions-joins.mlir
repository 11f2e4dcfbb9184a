// RUN: ein-opt %s -p raise-reductions | filecheck %s
// RUN: ein-opt %s -p "raise-reductions{joins=true}" | filecheck %s --check-prefix JOINS

// The rows of blocks of four are reduced in one call.

func.func @rows(%x: !phi.vec<!phi.vec<f64>>, %n: i64, %d: i64) -> !phi.vec<f64> {
  %four = arith.constant 4 : i64
  %least = arith.constant 0xfff0000000000000 : f64
  %r = phi.array (%k < %n) -> !phi.vec<f64> {
    %i = arith.index_cast %k : index to i64
    %first = arith.muli %i, %four : i64
    %s = phi.fold (%c < %four, %acc = %least) -> f64 {
      %t = phi.fold (%j < %d, %best = %least) -> f64 {
        %p = arith.addi %first, %c : i64
        %v = phi.get %x[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %next = arith.maximumf %best, %v : f64
        phi.yield %next : f64
      }
      %all = arith.maximumf %acc, %t : f64
      phi.yield %all : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @rows(
// CHECK-NOT:       phi.fold
// CHECK-LABEL: func.func @columns(
// JOINS-LABEL: func.func @rows(
// JOINS-NOT:       phi.fold
// JOINS-LABEL: func.func @columns(

// Blocks of neighbours are slices in most libraries.

func.func @columns(%x: !phi.vec<!phi.vec<f64>>, %n: i64, %d: i64) -> !phi.vec<f64> {
  %four = arith.constant 4 : i64
  %least = arith.constant 0xfff0000000000000 : f64
  %r = phi.array (%k < %n) -> !phi.vec<f64> {
    %i = arith.index_cast %k : index to i64
    %first = arith.muli %i, %four : i64
    %s = phi.fold (%c < %four, %acc = %least) -> f64 {
      %t = phi.fold (%j < %d, %best = %least) -> f64 {
        %p = arith.addi %first, %c : i64
        %v = phi.get %x[%j, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %next = arith.maximumf %best, %v : f64
        phi.yield %next : f64
      }
      %all = arith.maximumf %acc, %t : f64
      phi.yield %all : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:           phi.fold
// CHECK-LABEL: func.func @elements(
// JOINS-NOT:       phi.fold
// JOINS-LABEL: func.func @elements(

// So they are everywhere if nothing else is reduced.

func.func @elements(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %four = arith.constant 4 : i64
  %least = arith.constant 0xfff0000000000000 : f64
  %r = phi.array (%k < %n) -> !phi.vec<f64> {
    %i = arith.index_cast %k : index to i64
    %first = arith.muli %i, %four : i64
    %s = phi.fold (%c < %four, %acc = %least) -> f64 {
      %p = arith.addi %first, %c : i64
      %v = phi.get %x[%p] : !phi.vec<f64>[i64]
      %all = arith.maximumf %acc, %v : f64
      phi.yield %all : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:           phi.fold
// JOINS:           phi.fold
