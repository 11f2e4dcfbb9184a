// RUN: ein-opt %s -p tile-parallel-axes | filecheck %s
// RUN: ein-opt %s -p tile-parallel-axes,tile-parallel-axes | filecheck %s

// Elementwise operations and reductions of other axes run together, row by row.

func.func @softmax(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = yarr.reduce %a, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
  %1 = yarr.unsqueeze %0, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %2 = yarr.elementwise { arith.subf } %a, %1 : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %3 = yarr.elementwise { math.exp } %2 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.reduce %3, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %5 = yarr.unsqueeze %4, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %6 = yarr.elementwise { arith.divf } %3, %5 : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  func.return %6 : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @softmax(
// CHECK-NEXT:    %0 = yarr.size %a, 0 : tensor<?x?xf64>
// CHECK-NEXT:    %1 = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:    %2 = yarr.tile sizes(%1) (%start, %length of %0, %a_1 = %a along 0) : (tensor<?x?xf64>) -> (tensor<?x?xf64> along 0) {
// CHECK-NEXT:      %3 = yarr.reduce %a_1, [1] by { arith.maximumf }
// CHECK-NEXT:      %4 = yarr.unsqueeze %3, [1]
// CHECK-NEXT:      %5 = yarr.elementwise { arith.subf } %a_1, %4
// CHECK-NEXT:      %6 = yarr.elementwise { math.exp } %5
// CHECK-NEXT:      %7 = yarr.reduce %6, [1] by { arith.addf }
// CHECK-NEXT:      %8 = yarr.unsqueeze %7, [1]
// CHECK-NEXT:      %9 = yarr.elementwise { arith.divf } %6, %8
// CHECK-NEXT:      yarr.yield %9 : tensor<?x?xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %2

// Column by column, if that is the common axis of all operations.

func.func @columns(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %2 = yarr.elementwise { math.exp } %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.elementwise { math.sin } %2 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.reduce %3, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %5 = yarr.unsqueeze %4, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %6 = yarr.elementwise { arith.divf } %3, %5 : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %6 : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @columns(
// CHECK:         yarr.tile sizes(%1) (%start, %length of %0, %a_1 = %a along 1) : (tensor<?x?xf64>) -> (tensor<?x?xf64> along 1) {

// Views stay outside; the axis is followed through transpositions. Other results are kept.

func.func @views(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %one: tensor<i64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.slice %a, 0, %one, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.transpose %b, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.elementwise { arith.addf } %0, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.elementwise { math.exp } %2 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.transpose %3, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %5 = yarr.elementwise { math.sin } %4 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %6 = yarr.elementwise { math.cos } %5 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %3, %6 : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @views(
// CHECK-NEXT:    %0 = yarr.slice %a, 0, %one, %n step 1
// CHECK-NEXT:    %1 = yarr.transpose %b, [1, 0]
// CHECK:         yarr.tile sizes({{.*}}) (%start, %length of {{.*}}, {{%.*}} = %0 along 1, {{%.*}} = %1 along 1)
// CHECK-SAME:      -> (tensor<?x?xf64> along 1, tensor<?x?xf64> along 0) {

// A fold whose steps are parallel runs inside; an array may be read whole and in blocks.

func.func @distances(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %0 = arith.constant dense<0.000000e+00> : tensor<f64>
  %1 = yarr.unsqueeze %0, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %2 = yarr.repeat %1, 0, %n : tensor<1x1xf64> -> tensor<?x1xf64>
  %3 = yarr.repeat %2, 1, %n : tensor<?x1xf64> -> tensor<?x?xf64>
  %4 = yarr.fold (%k < %m, %acc = %3) -> tensor<?x?xf64> {
    %5 = yarr.take %a, 1, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %6 = yarr.unsqueeze %5, [1] : tensor<?xf64> -> tensor<?x1xf64>
    %7 = yarr.unsqueeze %5, [0] : tensor<?xf64> -> tensor<1x?xf64>
    %8 = yarr.elementwise { arith.subf } %6, %7 : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %9 = yarr.elementwise { math.absf } %8 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %10 = yarr.elementwise { arith.addf } %acc, %9 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %10 : tensor<?x?xf64>
  }
  func.return %4 : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @distances(
// CHECK:         %2 = yarr.tile sizes(%n) (%start, %length of %n, %a_1 = %a along 0) : (tensor<?x?xf64>) -> (tensor<?x?xf64> along 0) {
// CHECK-NEXT:      %3 = yarr.repeat %1, 0, %length : tensor<1x1xf64> -> tensor<?x1xf64>
// CHECK-NEXT:      %4 = yarr.repeat %3, 1, %n : tensor<?x1xf64> -> tensor<?x?xf64>
// CHECK-NEXT:      %5 = yarr.fold (%k < %m, %acc = %4) -> tensor<?x?xf64> {
// CHECK-NEXT:        %6 = yarr.take %a_1, 1, %k in_bounds
// CHECK-NEXT:        %7 = yarr.take %a, 1, %k in_bounds

// Positions count from the start of the block.

func.func @positions(%a: tensor<?xi64>) -> tensor<?xi64> {
  %n = yarr.size %a, 0 : tensor<?xi64>
  %i = yarr.range %n : tensor<?xi64>
  %0 = yarr.elementwise { arith.muli } %a, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %1 = yarr.elementwise { arith.addi } %0, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %2 = yarr.elementwise { arith.xori } %1, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %3 = yarr.elementwise { arith.muli } %2, %a : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  func.return %3 : tensor<?xi64>
}
// CHECK-LABEL: func.func @positions(
// CHECK:         %1 = yarr.tile (%start, %length of %0, %a_1 = %a along 0)
// CHECK-NEXT:      %2 = yarr.range %length : tensor<?xi64>
// CHECK-NEXT:      %3 = yarr.unsqueeze %start, [0] : tensor<i64> -> tensor<1xi64>
// CHECK-NEXT:      %4 = yarr.elementwise { arith.addi } %3, %2

// A user of a whole value waits for all blocks: two tiles, and the reduction between them.

func.func @stages(%a: tensor<?xf64>, %b: tensor<f64>) -> (tensor<?xf64>, tensor<1xf64>) {
  %0 = yarr.elementwise { math.exp } %a : (tensor<?xf64>) -> tensor<?xf64>
  %1 = yarr.elementwise { math.sin } %0 : (tensor<?xf64>) -> tensor<?xf64>
  %10 = yarr.elementwise { math.tanh } %1 : (tensor<?xf64>) -> tensor<?xf64>
  %2 = yarr.elementwise { math.cos } %10 : (tensor<?xf64>) -> tensor<?xf64>
  %3 = yarr.reduce %2, [0] by { arith.addf } : tensor<?xf64> -> tensor<f64>
  %4 = yarr.unsqueeze %3, [0] : tensor<f64> -> tensor<1xf64>
  %5 = yarr.elementwise { math.tanh } %2 : (tensor<?xf64>) -> tensor<?xf64>
  %6 = yarr.elementwise { arith.divf } %5, %4 : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  %7 = yarr.elementwise { math.exp } %6 : (tensor<?xf64>) -> tensor<?xf64>
  %8 = yarr.elementwise { math.sin } %7 : (tensor<?xf64>) -> tensor<?xf64>
  %9 = yarr.elementwise { math.cos } %8 : (tensor<?xf64>) -> tensor<?xf64>
  func.return %9, %4 : tensor<?xf64>, tensor<1xf64>
}
// CHECK-LABEL: func.func @stages(
// CHECK:         %1 = yarr.tile
// CHECK:           { math.cos }
// CHECK-NEXT:      yarr.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    {{.*}}yarr.reduce %1, [0]
// CHECK:         yarr.tile {{.*}} = %1 along 0)
// CHECK-NEXT:      {{.*}}{ math.tanh }

// Contractions are cut along the axes of a stack of products; operations between two are cut
// again, along the next axes of a block.

func.func @attention(%q: tensor<?x?x?x?xf64>, %k: tensor<?x?x?x?xf64>, %v: tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64> {
  %0 = yarr.einsum "bhif,bhjf->bhij" %q, %k : (tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  %1 = yarr.elementwise { math.exp } %0 : (tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  %2 = yarr.reduce %1, [3] by { arith.addf } : tensor<?x?x?x?xf64> -> tensor<?x?x?xf64>
  %3 = yarr.unsqueeze %2, [3] : tensor<?x?x?xf64> -> tensor<?x?x?x1xf64>
  %4 = yarr.elementwise { arith.divf } %1, %3 : (tensor<?x?x?x?xf64>, tensor<?x?x?x1xf64>) -> tensor<?x?x?x?xf64>
  %5 = yarr.elementwise { math.sin } %4 : (tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  %6 = yarr.einsum "bhij,bhjf->bhif" %5, %v : (tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  func.return %6 : tensor<?x?x?x?xf64>
}
// CHECK-LABEL: func.func @attention(
// CHECK:         yarr.tile sizes({{.*}}) (%start, %length of {{.*}}, %q_1 = %q along 0, %k_1 = %k along 0, %v_1 = %v along 0)
// CHECK:           yarr.tile sizes({{.*}}) (%start_1, %length_1 of {{.*}}, %q_2 = %q_1 along 1, %k_2 = %k_1 along 1, %v_2 = %v_1 along 1)
// CHECK-NEXT:        [[LOGITS:%.*]] = yarr.einsum "bhif,bhjf->bhij" %q_2, %k_2
// CHECK:             [[WEIGHTS:%.*]] = yarr.tile {{.*}} = [[LOGITS]] along 2)
// CHECK-NEXT:          yarr.elementwise { math.exp }
// CHECK:               yarr.elementwise { math.sin }
// CHECK-NEXT:          yarr.yield
// CHECK-NEXT:        }
// CHECK-NEXT:        yarr.einsum "bhij,bhjf->bhif" [[WEIGHTS]], %v_2

// A contraction that reads one array once is cut along any axis.

func.func @norms(%a: tensor<?x?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %0 = yarr.elementwise { math.sin } %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.elementwise { math.exp } %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.einsum "ij,ij->i" %1, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %3 = yarr.einsum "ij,j->i" %1, %b : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %4 = yarr.elementwise { arith.divf } %2, %3 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %4 : tensor<?xf64>
}
// CHECK-LABEL: func.func @norms(
// CHECK:         yarr.tile (%start, %length of {{.*}}, %a_1 = %a along 0) :
// CHECK:           [[BLOCK:%.*]] = yarr.elementwise { math.exp }
// CHECK-NEXT:      yarr.einsum "ij,ij->i" [[BLOCK]], [[BLOCK]]
// CHECK-NEXT:      yarr.einsum "ij,j->i" [[BLOCK]], %b
// CHECK-NEXT:      yarr.elementwise { arith.divf }
// CHECK-NEXT:      yarr.yield

// Not profitable: few operations, small arrays, scalars, products of matrices.

func.func @few(%a: tensor<?x?xf64>, %b: tensor<8x?xf64>, %c: tensor<8xf64>) -> (tensor<?x?xf64>, tensor<8xf64>) {
  %0 = yarr.einsum "ij,jk->ik" %a, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.elementwise { math.exp } %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.elementwise { math.sin } %1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.einsum "ij,jk->ik" %2, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.elementwise { math.exp } %c : (tensor<8xf64>) -> tensor<8xf64>
  %5 = yarr.elementwise { math.sin } %4 : (tensor<8xf64>) -> tensor<8xf64>
  %6 = yarr.elementwise { math.cos } %5 : (tensor<8xf64>) -> tensor<8xf64>
  %7 = yarr.elementwise { math.exp } %6 : (tensor<8xf64>) -> tensor<8xf64>
  func.return %3, %7 : tensor<?x?xf64>, tensor<8xf64>
}
// CHECK-LABEL: func.func @few(
// CHECK-NOT:     yarr.tile

// A fold whose step reads its whole accumulator stays; parallel operations of a step are tiled.

func.func @steps(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    %s = yarr.reduce %x, [0] by { arith.addf } : tensor<?xf64> -> tensor<f64>
    %t = yarr.unsqueeze %s, [0] : tensor<f64> -> tensor<1xf64>
    %0 = yarr.elementwise { arith.divf } %x, %t : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
    %1 = yarr.elementwise { math.exp } %0 : (tensor<?xf64>) -> tensor<?xf64>
    %2 = yarr.elementwise { math.sin } %1 : (tensor<?xf64>) -> tensor<?xf64>
    %3 = yarr.elementwise { math.cos } %2 : (tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %3 : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @steps(
// CHECK-NEXT:    %r = yarr.fold
// CHECK:           yarr.reduce
// CHECK:           yarr.tile
// CHECK:           yarr.yield

// A fold whose accumulator changes its size along another axis stays outside.

func.func @shrinks(%a: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?x?xf64> {
    %s = yarr.elementwise { arith.subi } %m, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %0 = yarr.slice %x, 1, %zero, %s step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %1 = yarr.elementwise { math.exp } %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %2 = yarr.elementwise { math.sin } %1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %3 = yarr.elementwise { math.cos } %2 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %4 = yarr.elementwise { math.exp } %3 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %4 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @shrinks(
// CHECK-NOT:     yarr.tile
// CHECK:         yarr.fold
// CHECK:           yarr.tile

// Products of matrices are added up whole: one of them dies. One that is read again does not.

func.func @gates(%x: tensor<?x?xf64>, %h: tensor<?x?xf64>, %v: tensor<?x?xf64>, %w: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.einsum "ij,jk->ik" %x, %v : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.einsum "ij,jk->ik" %h, %w : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.elementwise { arith.addf } %0, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.elementwise { math.exp } %2 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.elementwise { math.tanh } %3 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %5 = yarr.elementwise { arith.mulf } %4, %3 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %6 = yarr.elementwise { math.sin } %5 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %a = yarr.einsum "ij,jk->ik" %x, %w : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %b = yarr.einsum "ij,jk->ik" %h, %v : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %c = yarr.elementwise { arith.addf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %d = yarr.elementwise { arith.mulf } %c, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %e = yarr.elementwise { math.exp } %d : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %f = yarr.elementwise { math.sin } %e : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %6, %f : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @gates(
// CHECK:         [[SUM:%.*]] = yarr.elementwise { arith.addf }
// CHECK:         yarr.tile sizes({{.*}}) (%start, %length of %{{.*}}, %{{.*}} = [[SUM]] along 0) :
// CHECK-NEXT:      yarr.elementwise { math.exp }
// CHECK:         yarr.tile
// CHECK-NEXT:      yarr.elementwise { arith.addf }

// What is the same in all steps of a loop is no part of a tile in it: it leaves the loop.
func.func @invariant(%a: tensor<?xf64>, %p: tensor<?xi64>, %n: tensor<i64>) -> tensor<?xf64> {
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    %0 = yarr.take %a, 0, %p : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
    %1 = yarr.elementwise { math.exp } %0 : (tensor<?xf64>) -> tensor<?xf64>
    %2 = yarr.take %x, 0, %p : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
    %3 = yarr.elementwise { arith.mulf } %1, %2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %4 = yarr.elementwise { math.sqrt } %3 : (tensor<?xf64>) -> tensor<?xf64>
    %5 = yarr.elementwise { math.exp } %4 : (tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %5 : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @invariant(
// CHECK:         %r = yarr.fold
// CHECK-NEXT:      %{{.*}} = yarr.take %a
// CHECK-NEXT:      %{{.*}} = yarr.elementwise { math.exp }
// CHECK-NEXT:      %{{.*}} = yarr.size
// CHECK-NEXT:      %{{.*}} = yarr.tile

// Copies of parts of an array are not tiled: nothing is computed from them.
func.func @parts(%a: tensor<?x?x?xf64>, %i: tensor<i64>, %n: tensor<i64>, %m: tensor<i64>) -> (tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?x?x?xf64>) {
  %0 = yarr.slice %a, 0, %i, %n step 1 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %1 = yarr.slice %0, 1, %i, %n step 1 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %2 = yarr.slice %0, 1, %m, %n step 1 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %3 = yarr.slice %0, 1, %n, %n step 1 clip : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  func.return %1, %2, %3 : tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?x?x?xf64>
}
// CHECK-LABEL: func.func @parts(
// CHECK-NEXT:    %0 = yarr.slice
// CHECK-NOT:     yarr.tile
// CHECK:         func.return

// Positions that go around the end of an axis are copied as a whole, in two parts.
func.func @around(%a: tensor<?xf64>, %k: tensor<i64>) -> tensor<?xf64> {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %i = yarr.range %n : tensor<?xi64>
  %t = yarr.unsqueeze %k, [0] : tensor<i64> -> tensor<1xi64>
  %m = yarr.unsqueeze %n, [0] : tensor<i64> -> tensor<1xi64>
  %0 = yarr.elementwise { arith.addi } %i, %t : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %1 = yarr.elementwise { sigma.floormod } %0, %m : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %2 = yarr.take %a, 0, %1 in_bounds : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %3 = yarr.elementwise { math.exp } %2 : (tensor<?xf64>) -> tensor<?xf64>
  %4 = yarr.elementwise { arith.mulf } %3, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %5 = yarr.elementwise { math.sqrt } %4 : (tensor<?xf64>) -> tensor<?xf64>
  %6 = yarr.elementwise { math.exp } %5 : (tensor<?xf64>) -> tensor<?xf64>
  func.return %6 : tensor<?xf64>
}
// CHECK-LABEL: func.func @around(
// CHECK:         yarr.take %a, 0
// CHECK-NOT:     yarr.take
// CHECK:         yarr.tile
// CHECK-NOT:     yarr.take
// CHECK:         func.return


// The second group computes the differences again: to store them takes longer than to compute them.
func.func @differences(%a: tensor<?xf64>, %b0: tensor<?xf64>, %b1: tensor<?xf64>, %b2: tensor<?xf64>, %b3: tensor<?xf64>, %b4: tensor<?xf64>, %b5: tensor<?xf64>, %b6: tensor<?xf64>, %b7: tensor<?xf64>) -> tensor<?xf64> {
  %d0 = yarr.elementwise { arith.subf } %b0, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d1 = yarr.elementwise { arith.subf } %b1, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d2 = yarr.elementwise { arith.subf } %b2, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d3 = yarr.elementwise { arith.subf } %b3, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d4 = yarr.elementwise { arith.subf } %b4, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d5 = yarr.elementwise { arith.subf } %b5, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d6 = yarr.elementwise { arith.subf } %b6, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d7 = yarr.elementwise { arith.subf } %b7, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s0 = yarr.elementwise { arith.mulf } %d0, %d0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %q1 = yarr.elementwise { arith.mulf } %d1, %d1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s1 = yarr.elementwise { arith.addf } %s0, %q1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %q2 = yarr.elementwise { arith.mulf } %d2, %d2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s2 = yarr.elementwise { arith.addf } %s1, %q2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %q3 = yarr.elementwise { arith.mulf } %d3, %d3 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s3 = yarr.elementwise { arith.addf } %s2, %q3 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %q4 = yarr.elementwise { arith.mulf } %d4, %d4 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s4 = yarr.elementwise { arith.addf } %s3, %q4 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %q5 = yarr.elementwise { arith.mulf } %d5, %d5 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s5 = yarr.elementwise { arith.addf } %s4, %q5 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %q6 = yarr.elementwise { arith.mulf } %d6, %d6 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s6 = yarr.elementwise { arith.addf } %s5, %q6 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %q7 = yarr.elementwise { arith.mulf } %d7, %d7 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s7 = yarr.elementwise { arith.addf } %s6, %q7 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %v = yarr.scan "add" %s7, 0 inclusive : tensor<?xf64> -> tensor<?xf64>
  %t0 = yarr.elementwise { arith.mulf } %d0, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p1 = yarr.elementwise { arith.mulf } %d1, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t1 = yarr.elementwise { arith.subf } %t0, %p1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p2 = yarr.elementwise { arith.mulf } %d2, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t2 = yarr.elementwise { arith.subf } %t1, %p2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p3 = yarr.elementwise { arith.mulf } %d3, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t3 = yarr.elementwise { arith.subf } %t2, %p3 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p4 = yarr.elementwise { arith.mulf } %d4, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t4 = yarr.elementwise { arith.subf } %t3, %p4 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p5 = yarr.elementwise { arith.mulf } %d5, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t5 = yarr.elementwise { arith.subf } %t4, %p5 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p6 = yarr.elementwise { arith.mulf } %d6, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t6 = yarr.elementwise { arith.subf } %t5, %p6 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p7 = yarr.elementwise { arith.mulf } %d7, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t7 = yarr.elementwise { arith.subf } %t6, %p7 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %t7 : tensor<?xf64>
}
// CHECK-LABEL: func.func @differences(
// CHECK:         %s7 = yarr.tile (
// CHECK:           yarr.yield %{{.*}} : tensor<?xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %v = yarr.scan "add" %s7, 0 inclusive
// CHECK:         %t7 = yarr.tile (%{{.*}}, %{{.*}} of %{{.*}}, %[[B0:.*]] = %b0 along 0, %[[A:.*]] = %a along 0,
// CHECK-NEXT:      %[[D0:.*]] = yarr.elementwise { arith.subf } %[[B0]], %[[A]]
// CHECK-NEXT:      yarr.elementwise { arith.mulf } %[[D0]]

// The size of a new axis is known, though the type of an accumulator does not say it.

func.func @new_axis(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %u = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x?xf64>
  %r = yarr.fold (%k < %n, %x = %u) -> tensor<?x?xf64> {
    %0 = yarr.elementwise { math.exp } %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %1 = yarr.elementwise { math.sin } %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %2 = yarr.elementwise { math.cos } %1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %2 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @new_axis(
// CHECK:         %[[ONE:.*]] = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    yarr.tile sizes(%[[ONE]])

// Few elements, by sizes that are numbers: one block would have all.

func.func @numbers(%n: tensor<f64>) -> tensor<?xf64> {
  %k = arith.constant dense<16> : tensor<i64>
  %u = yarr.unsqueeze %n, [0] : tensor<f64> -> tensor<1xf64>
  %a = yarr.repeat %u, 0, %k : tensor<1xf64> -> tensor<?xf64>
  %0 = yarr.elementwise { math.exp } %a : (tensor<?xf64>) -> tensor<?xf64>
  %1 = yarr.elementwise { math.tanh } %0 : (tensor<?xf64>) -> tensor<?xf64>
  %2 = yarr.elementwise { arith.addf } %1, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = yarr.elementwise { math.sqrt } %2 : (tensor<?xf64>) -> tensor<?xf64>
  func.return %3 : tensor<?xf64>
}
// CHECK-LABEL: func.func @numbers(
// CHECK-NOT:     yarr.tile
// CHECK:         func.return

// A view of an array that blocks compute is one of the stored array, not stored itself.

func.func @view_outside(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xf64>) {
  %s = yarr.elementwise { arith.addf } %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %m = yarr.elementwise { arith.mulf } %s, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %u = yarr.elementwise { math.exp } %m : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %c = yarr.elementwise { math.sqrt } %u : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = yarr.transpose %c, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %r = yarr.reduce %t, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %c, %t, %r : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @view_outside(
// CHECK:         %[[C:.*]], %[[R:.*]] = yarr.tile
// CHECK:           yarr.yield %{{.*}}, %{{.*}} : tensor<?x?xf64>, tensor<?xf64>
// CHECK:         %[[T:.*]] = yarr.transpose %[[C]], [1, 0]
// CHECK-NEXT:    func.return %[[C]], %[[T]], %[[R]]

// -----

// A sum of products is computed in order, where that is needed, block by block: its factors are no arrays.
func.func @in_order(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %p = yarr.elementwise { math.exp } %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { math.sin } %b : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %w = yarr.elementwise { arith.mulf } %p, %q : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = yarr.einsum "ik,k->i" %w, %x : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.in_order "ik,ik,k->i" %s of %p, %q, %x if finite %s
    : tensor<?xf64> of tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xf64>
      if finite tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL:  func.func @in_order(
// CHECK:          %{{.*}} = yarr.tile
// CHECK:            yarr.einsum "ik,k->i"
// CHECK-NEXT:       %[[SUM:.*]] = yarr.in_order "ik,ik,k->i"
// CHECK:            yarr.yield %[[SUM]]

// -----

// Not where the test needs another array.
func.func @tested(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %x: tensor<?xf64>, %t: tensor<?xf64>) -> tensor<?xf64> {
  %p = yarr.elementwise { math.exp } %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { math.sin } %b : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %w = yarr.elementwise { arith.mulf } %p, %q : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = yarr.einsum "ik,k->i" %w, %x : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.in_order "ik,ik,k->i" %s of %p, %q, %x if finite %s and normal %t
    : tensor<?xf64> of tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xf64>
      if finite tensor<?xf64> and normal tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL:  func.func @tested(
// CHECK:          yarr.tile
// CHECK:          }
// CHECK:          %{{.*}} = yarr.in_order "ik,ik,k->i"
// CHECK-NEXT:     func.return
