// RUN: ein-opt %s -p rewrite-by-demand | filecheck %s
// RUN: ein-opt %s -p rewrite-by-demand{level=shape} | filecheck %s --check-prefix=SHAPE
// RUN: ein-opt %s -p rewrite-by-demand{level=dim} -t rho | filecheck %s --check-prefix=DIM

// A function has a version for each level that calls ask for, with the parameters that it needs.
rho.program (%v, %i) {
  rho.function @f(%x, %y) {
    %two = rho.scalar 2
    %w = rho.arith "*" %x, %two
    %z = rho.select %w[%y]
    rho.yield %z
  }
  %a = rho.call @f(%v, %i)
  %s = rho.shape %a
  %b = rho.fill %s, %a
  rho.yield %b
}
// CHECK:      rho.program (%v, %i) {
// CHECK-NEXT:   rho.function @f(%x, %y) {
// CHECK-NEXT:     %two = rho.scalar 2
// CHECK-NEXT:     %w = rho.arith "*" %x, %two
// CHECK-NEXT:     %z = rho.select %w[%y]
// CHECK-NEXT:     rho.yield %z
// CHECK-NEXT:   }
// CHECK-NEXT:   %a = rho.call @f(%v, %i)
// CHECK-NEXT:   %s = rho.shape %a
// CHECK-NEXT:   %b = rho.fill %s, %a
// CHECK-NEXT:   rho.yield %b

// The number of axes of the selection is that of the array less the length of the index.
// SHAPE:      rho.program (%v, %i) {
// SHAPE-NEXT:   rho.function @f_s(%x, %y) {
// SHAPE-NEXT:     %0 = rho.scalar 0
// SHAPE-NEXT:     %1 = rho.stack [%0]
// SHAPE-NEXT:     %2 = rho.select %y[%1]
// SHAPE-NEXT:     %z = rho.rest %x, %2
// SHAPE-NEXT:     rho.yield %z
// SHAPE-NEXT:   }
// SHAPE-NEXT:   %3 = rho.shape %v
// SHAPE-NEXT:   %4 = rho.shape %i
// SHAPE-NEXT:   %a = rho.call @f_s(%3, %4)
// SHAPE-NEXT:   rho.yield %a

// DIM:      {{^}}\v.\i.
// DIM-NEXT: let f_d = \x.\y.
// DIM-NEXT:   let z = x - y.([0]) in
// DIM-NEXT:   z
// DIM-NEXT: in
// DIM-NEXT: let a = f_d (dim v) (shape i) in
// DIM-NEXT: a
