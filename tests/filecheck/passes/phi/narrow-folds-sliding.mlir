// RUN: ein-opt %s --split-input-file -p 'narrow-folds{sliding=true},simplify' | filecheck %s

// A sum over all elements, of which few have a part in each: a transposed convolution with step 2.
func.func @transposed(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %k = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.array (%o < %m) -> !phi.vec<f64> {
    %t = arith.index_cast %o : index to i64
    %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %far = arith.muli %i, %two : i64
      %p = arith.subi %t, %far : i64
      %behind = arith.cmpi sge, %p, %none : i64
      %before = arith.cmpi slt, %p, %k : i64
      %inside = arith.andi %behind, %before : i1
      %a = phi.get %x[%i] : !phi.vec<f64>[i64]
      %b = phi.get %w[%p] : !phi.vec<f64>[i64]
      %ab = arith.mulf %a, %b : f64
      %y = arith.select %inside, %ab, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// Half as many steps as %w has elements, if these are fewer.
// CHECK-LABEL:  func.func @transposed(
// CHECK:          [[UP:%.*]] = arith.addi %k, %{{.*}} : i64
// CHECK:          [[HALF:%.*]] = arith.floordivsi [[UP]], %{{.*}} : i64
// CHECK:          [[MOST:%.*]] = arith.maxsi [[HALF]], %{{.*}} : i64
// CHECK-NEXT:     [[FITS:%.*]] = arith.cmpi slt, [[MOST]], %n : i64
// CHECK:          [[SIZE:%.*]] = phi.size
// CHECK:          [[FIRST:%.*]] = arith.select [[FITS]], [[SIZE]], %{{.*}} : i64
// CHECK-NEXT:     [[SECOND:%.*]] = arith.select [[FITS]], %{{.*}}, [[SIZE]] : i64
// CHECK:          [[STEPS:%.*]] = arith.select [[FITS]], %{{.*}}, %n : i64
// CHECK:          [[COUNT:%.*]] = arith.select [[FITS]], [[MOST]], %{{.*}} : i64
// CHECK-NEXT:     %r = phi.array ([[O:%.*]] < [[FIRST]]) -> !phi.vec<f64> {
// CHECK:            [[PHASE:%.*]] = sigma.floormod
// CHECK:            [[START:%.*]] = arith.floordivsi
// CHECK:            phi.fold ([[I:%.*]] < [[COUNT]], %acc = %zero) -> f64 {
// CHECK-NEXT:         [[K:%.*]] = arith.addi %{{.*}}, [[I]] : i64
// CHECK:              arith.cmpi sge, [[K]], %{{.*}} : i64
// CHECK:              arith.cmpi slt, [[K]], %n : i64
// CHECK:              phi.get %x{{\[}}[[K]]] : !phi.vec<f64>[i64]
// CHECK:              [[P:%.*]] = arith.addi [[PHASE]], %{{.*}} : i64
// CHECK:              phi.get %w[
// CHECK:          [[REST:%.*]] = phi.array (%{{.*}} < [[SECOND]]) -> !phi.vec<f64> {
// CHECK:            phi.fold (%{{.*}} < [[STEPS]], %{{.*}} = %zero) -> f64 {
// CHECK:          phi.concat %r, [[REST]] of [[SIZE]] : !phi.vec<f64>

// -----

// Of two ranges either is shorter: the first of %l steps of %n, or the second of %n steps of %l.
func.func @opposed(%x: !phi.vec<!phi.vec<f64>>, %y: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %y, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%o < %m) -> !phi.vec<f64> {
    %p = arith.index_cast %o : index to i64
    %s = phi.fold (%t < %n, %acc = %zero) -> f64 {
      %k = arith.subi %p, %t : i64
      %behind = arith.cmpi sge, %k, %none : i64
      %before = arith.cmpi slt, %k, %l : i64
      %inside = arith.andi %behind, %before : i1
      %a = phi.get %x[%t, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %e = arith.select %inside, %a, %zero : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    %u = phi.fold (%k < %l, %acc = %zero) -> f64 {
      %t = arith.subi %p, %k : i64
      %behind = arith.cmpi sge, %t, %none : i64
      %before = arith.cmpi slt, %t, %n : i64
      %inside = arith.andi %behind, %before : i1
      %b = phi.get %y[%t, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %e = arith.select %inside, %b, %zero : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    %both = arith.addf %s, %u : f64
    phi.yield %both : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @opposed(
// CHECK:          [[MOST:%.*]] = arith.maxsi %l, %{{.*}} : i64
// CHECK-NEXT:     [[FITS:%.*]] = arith.cmpi slt, [[MOST]], %n : i64
// CHECK:          [[ALL:%.*]] = arith.select [[FITS]], %{{.*}}, %n : i64
// CHECK:          [[OTHER:%.*]] = arith.maxsi %n, %{{.*}} : i64
// CHECK:          [[STEPS:%.*]] = arith.select [[FITS]], %{{.*}}, [[OTHER]] : i64
// CHECK:          [[REST:%.*]] = arith.select [[FITS]], %l, %{{.*}} : i64
// CHECK:          [[COUNT:%.*]] = arith.select [[FITS]], [[MOST]], %{{.*}} : i64
// CHECK:            phi.fold (%t < [[COUNT]],
// CHECK:            phi.fold (%k < [[REST]],
// CHECK:            phi.fold (%{{.*}} < [[ALL]],
// CHECK:            phi.fold (%{{.*}} < [[STEPS]],
