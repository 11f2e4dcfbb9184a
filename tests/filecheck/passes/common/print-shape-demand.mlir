// RUN: ein-opt %s -p print-shape-demand | filecheck %s --match-full-lines
// RUN: ein-opt %s -p print-shape-demand{rules=thesis} | filecheck %s --check-prefix=THESIS --match-full-lines

// Each rule of propagation, for the result that is named after the operation. The vectors have the
// levels for nothing, the dimensionality, the shape and all of the result.
rho.program (%lhs, %rhs) {
  rho.function @arith(%a1, %a2) {
    %r = rho.arith "-" %a1, %a2
    rho.yield %r
  }
  rho.function @compare(%b1, %b2) {
    %r = rho.compare "=" %b1, %b2
    rho.yield %r
  }
  rho.function @abs(%c) {
    %r = rho.abs %c
    rho.yield %r
  }
  rho.function @not(%d) {
    %r = rho.not %d
    rho.yield %r
  }
  rho.function @shape(%e) {
    %r = rho.shape %e
    rho.yield %r
  }
  rho.function @dim(%f) {
    %r = rho.dim %f
    rho.yield %r
  }
  rho.function @select(%g1, %g2) {
    %r = rho.select %g1[%g2]
    rho.yield %r
  }
  rho.function @stack(%h1, %h2) {
    %r = rho.stack [%h1, %h2]
    rho.yield %r
  }
  rho.function @concat(%i1, %i2) {
    %r = rho.concat %i1, %i2
    rho.yield %r
  }
  rho.function @rest(%j1, %j2) {
    %r = rho.rest %j1, %j2
    rho.yield %r
  }
  rho.function @fill(%k1, %k2) {
    %r = rho.fill %k1, %k2
    rho.yield %r
  }
  rho.function @gen(%l1, %l2, %l3, %l4, %l5) {
    %r = rho.gen %l1, %l2 with %l3 <= %iv < %l4 {
      %s = rho.select %l5[%iv]
      rho.yield %s
    }
    rho.yield %r
  }
  rho.function @if(%m1, %m2, %m3) {
    %r = rho.if %m1 {
      rho.yield %m2
    } else {
      rho.yield %m3
    }
    rho.yield %r
  }
  rho.function @call(%n1, %n2) {
    %s = rho.shape %n1
    %r = rho.call @select(%s, %n2)
    rho.yield %r
  }
  rho.yield %lhs
}
// CHECK:      // arith: {{\[\[0,1,2,3\], \[0,0,0,3\]\]}}
// CHECK:      // compare: {{\[\[0,0,0,3\], \[0,0,0,3\]\]}}
// CHECK:      // abs: {{\[\[0,1,2,3\]\]}}
// CHECK:      // not: {{\[\[0,0,0,3\]\]}}
// CHECK:      // shape: {{\[\[0,0,1,2\]\]}}
// CHECK:      // dim: {{\[\[0,0,0,1\]\]}}
// CHECK:      // select: {{\[\[0,1,2,3\], \[0,2,2,3\]\]}}
// CHECK:      // stack: {{\[\[0,1,2,3\], \[0,0,0,3\]\]}}
// CHECK:      // concat: {{\[\[0,1,2,3\], \[0,0,2,3\]\]}}
// CHECK:      // rest: {{\[\[0,0,2,3\], \[0,0,3,3\]\]}}
// CHECK:      // fill: {{\[\[0,2,3,3\], \[0,0,0,3\]\]}}
// CHECK:      // gen: {{\[\[0,2,3,3\], \[0,0,0,3\], \[0,0,0,3\], \[0,0,0,3\], \[0,0,0,3\]\]}}
// CHECK:      // if: {{\[\[0,3,3,3\], \[0,1,2,3\], \[0,1,2,3\]\]}}
// CHECK:      // call: {{\[\[0,0,1,2\], \[0,2,2,3\]\]}}
// CHECK:      // the program: {{\[\[0,1,2,3\], \[0,0,0,0\]\]}}

// THESIS:     // arith: {{\[\[0,1,2,3\], \[0,1,2,3\]\]}}
// THESIS:     // select: {{\[\[0,1,2,3\], \[0,2,2,3\]\]}}
// THESIS:     // stack: {{\[\[0,0,0,0\], \[0,0,0,0\]\]}}
// THESIS:     // fill: {{\[\[0,1,2,3\], \[0,1,2,3\]\]}}
// THESIS:     // gen: {{\[\[0,1,2,3\], \[0,1,2,3\], \[0,2,2,3\], \[0,2,2,3\], \[0,1,2,3\]\]}}
// THESIS:     // if: {{\[\[0,3,3,3\], \[0,1,2,3\], \[0,1,2,3\]\]}}

// phi: a field of an accumulator is needed by its sizes, one by its elements, one not at all. The
// demand flows through updates, extrinsics and choices.
func.func @f(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %c: !phi.vec<f64>, %d: !phi.vec<f64>, %m: i64, %p: i1) -> (i64, f64) {
  %e = phi.extern @sort(%d) : (!phi.vec<f64>) -> !phi.vec<f64>
  %x0 = arith.constant 0.0 : f64
  %u = phi.update %e[%m], %x0 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %s = arith.select %p, %u, %u : !phi.vec<f64>
  %t = phi.tuple (%a, %b, %c) : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %m, %acc = %t) -> tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> {
    %acc0 = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %acc1 = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %acc2 = phi.proj %acc, 2 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %g = phi.concat %acc0, %s : !phi.vec<f64>
    %w = phi.tuple (%g, %acc1, %acc2) : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>>
    phi.yield %w : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>>
  }
  %r0 = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %r1 = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %n = phi.size %r0, 0 : !phi.vec<f64>
  %v = phi.get %r1[%m] : !phi.vec<f64>[i64]
  func.return %n, %v : i64, f64
}
// CHECK:      // demand in @f
// CHECK-NEXT: //   a: sizes
// CHECK-NEXT: //   b: elements
// CHECK-NEXT: //   c: nothing
// CHECK-NEXT: //   d: sizes
// CHECK-NEXT: //   m: elements
// CHECK-NEXT: //   p: nothing
// CHECK-NEXT: //   e: sizes
// CHECK-NEXT: //   x0: nothing
// CHECK-NEXT: //   u: sizes
// CHECK-NEXT: //   s: sizes
// CHECK-NEXT: //   t: sizes, elements, nothing
// CHECK-NEXT: //   r: sizes, elements, nothing
// CHECK:      //   g: sizes
