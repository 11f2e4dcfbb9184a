// RUN: ein-opt %s -p gather-contributions,simplify | filecheck %s

// Votes of the few edges for all angles: the positions of the edges come first.

func.func @votes(%edges: !phi.vec<i1>, %angles: !phi.vec<f64>, %size: i64) -> !phi.vec<i64> {
  %n = phi.size %edges, 0 : !phi.vec<i1>
  %m = phi.size %angles, 0 : !phi.vec<f64>
  %h = phi.accumulate (%i < %n, %t < %m) into "add" (%size) -> !phi.vec<i64> {
    %edge = phi.get %edges[%i] : !phi.vec<i1>[index]
    %angle = phi.get %angles[%t] : !phi.vec<f64>[index]
    %x = arith.index_cast %i : index to i64
    %y = arith.sitofp %x : i64 to f64
    %r = arith.mulf %y, %angle : f64
    %p = arith.fptosi %r : f64 to i64
    %outside = arith.constant -1 : i64
    %at = arith.select %edge, %p, %outside : i64
    %one = arith.constant 1 : i64
    %0 = phi.tuple (%at, %one) : tuple<i64, i64>
    phi.yield %0 : tuple<i64, i64>
  }
  func.return %h : !phi.vec<i64>
}
// CHECK-LABEL: func.func @votes(
// CHECK:         [[STEPS:%[^ ]+]] = arith.muli %n, %m : i64
// CHECK:         [[MANY:%[^ ]+]] = arith.cmpi sge, [[STEPS]], {{%[^ ]+}} : i64
// CHECK:         [[COUNT:%[^ ]+]] = phi.reduce {{%[^ ]+}} identity {{%[^ ]+}} by { arith.addi } -> i64
// CHECK:         [[FEW:%[^ ]+]] = arith.cmpi slt, {{%[^ ]+}}, %n : i64
// CHECK-NEXT:    [[SPARSE:%[^ ]+]] = arith.andi [[MANY]], [[FEW]] : i1
// CHECK:         phi.fold ({{%[^ ]+}} < {{%[^ ]+}}, {{%[^ ]+}} = {{%[^ ]+}}) -> !phi.vec<i64> {
// CHECK:           [[ORDER:%[^ ]+]] = phi.argsort {{%[^ ]+}} : !phi.vec<i1>
// CHECK-NEXT:      {{%[^ ]+}} = phi.accumulate ([[K:%[^ ]+]] < {{%[^ ]+}}, [[T:%[^ ]+]] < %m) into "add" (%size)
// CHECK-NEXT:        [[I:%[^ ]+]] = phi.get [[ORDER]]{{\[}}[[K]]] : !phi.vec<i64>[index]
// CHECK:             [[P:%[^ ]+]] = arith.fptosi
// CHECK:             phi.tuple ([[P]], {{%[^ ]+}}) : tuple<i64, i64>
// CHECK:         %h = phi.fold
// CHECK:           phi.accumulate ({{%[^ ]+}} < %n, {{%[^ ]+}} < %m) into "add" (%size)
// CHECK:             arith.select

// The sum at each place of the terms of some sources.

func.func @sums(%mass: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %mass, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%y < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %w = phi.get %mass[%k] : !phi.vec<f64>[i64]
      %c = arith.cmpf ogt, %w, %zero : f64
      %u = phi.get %x[%k] : !phi.vec<f64>[i64]
      %v = phi.get %x[%y] : !phi.vec<f64>[index]
      %d = arith.subf %u, %v : f64
      %e = math.exp %d : f64
      %term = arith.select %c, %e, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @sums(
// CHECK:         phi.reduce
// CHECK:         %r = phi.array (%y < %n)
// CHECK:           phi.fold
// CHECK:             phi.argsort
// CHECK-NEXT:        {{%[^ ]+}} = phi.fold ({{%[^ ]+}} < {{%[^ ]+}}, {{%[^ ]+}} = %zero)
// CHECK:               [[E:%[^ ]+]] = math.exp
// CHECK-NEXT:          arith.addf {{%[^ ]+}}, [[E]] : f64
// CHECK:           %s = phi.fold
// CHECK:             phi.fold ({{%[^ ]+}} < %n, {{%[^ ]+}} = %zero)
// CHECK:               arith.select

// Unchanged: a mask of indices alone, one that varies with an index around, and cheap values.

func.func @triangle(%x: !phi.vec<f64>, %size: i64) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %h = phi.accumulate (%i < %n, %j < %n) into "max" (%size) -> !phi.vec<f64> {
    %v = phi.get %x[%j] : !phi.vec<f64>[index]
    %p = arith.index_cast %i : index to i64
    %q = arith.index_cast %j : index to i64
    %c = arith.cmpi slt, %p, %q : i64
    %outside = arith.constant -1 : i64
    %at = arith.select %c, %p, %outside : i64
    %0 = phi.tuple (%at, %v) : tuple<i64, f64>
    phi.yield %0 : tuple<i64, f64>
  }
  func.return %h : !phi.vec<f64>
}
// CHECK-LABEL: func.func @triangle(
// CHECK-NOT:     phi.fold

func.func @rows(%mask: !phi.vec<!phi.vec<i1>>, %size: i64) -> !phi.vec<!phi.vec<i64>> {
  %n = phi.size %mask, 0 : !phi.vec<!phi.vec<i1>>
  %m = phi.size %mask, 1 : !phi.vec<!phi.vec<i1>>
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<i64>> {
    %h = phi.accumulate (%j < %m) into "add" (%size) -> !phi.vec<i64> {
      %c = phi.get %mask[%i, %j] : !phi.vec<!phi.vec<i1>>[index, index]
      %q = arith.index_cast %j : index to i64
      %outside = arith.constant -1 : i64
      %at = arith.select %c, %q, %outside : i64
      %one = arith.constant 1 : i64
      %0 = phi.tuple (%at, %one) : tuple<i64, i64>
      phi.yield %0 : tuple<i64, i64>
    }
    phi.yield %h : !phi.vec<i64>
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}
// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     phi.fold

func.func @cheap(%keys: !phi.vec<i64>, %x: !phi.vec<f64>, %size: i64) -> !phi.vec<f64> {
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %zero = arith.constant 0.0 : f64
  %h = phi.accumulate (%i < %n) into "add" (%size) -> !phi.vec<f64> {
    %p = phi.get %keys[%i] : !phi.vec<i64>[index]
    %v = phi.get %x[%i] : !phi.vec<f64>[index]
    %c = arith.cmpf ogt, %v, %zero : f64
    %w = arith.select %c, %v, %zero : f64
    %0 = phi.tuple (%p, %w) : tuple<i64, f64>
    phi.yield %0 : tuple<i64, f64>
  }
  func.return %h : !phi.vec<f64>
}
// CHECK-LABEL: func.func @cheap(
// CHECK-NOT:     phi.fold
