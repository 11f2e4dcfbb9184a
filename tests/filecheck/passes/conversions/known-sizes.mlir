// RUN: ein-opt %s -p drop-copies,convert-phi-to-loops | filecheck %s
// RUN: ein-opt %s -p convert-phi-to-loops,convert-loops-to-llvm -t llvm-ir | filecheck %s --check-prefix=LLVM

// A size of an argument that is known is a constant of the loops, and an array of that size is not
// tested for being empty along it; the machine code compares it with the size of the array.

func.func @turned(%points: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64>
    attributes {ein.known_sizes = [array<i64: 0, 3>]} {
  %n = phi.size %points, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %points, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %zero = arith.constant 0.0 : f64
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %points[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @turned(
// CHECK:         %[[M:.*]] = arith.constant 3 : index
// CHECK-NOT:     scf.if
// CHECK:         "scf.parallel"
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[M]] step

// LLVM-LABEL:  define i64 @ein.turned(
// LLVM:          icmp eq i64 %{{.*}}, 3
// LLVM-LABEL:  define internal i64 @loop.turned.0(
// LLVM:          icmp slt i64 %{{.*}}, 3

// A step that takes one size for both axes of a matrix is in place where arguments are square.

func.func @replaced(%a: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> !phi.vec<!phi.vec<f64>>
    attributes {ein.equal_axes = [array<i64: 1, 1>, array<i64: 0>]} {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %p, 0 : !phi.vec<i64>
  %r = phi.fold (%k < %m, %v = %a) -> !phi.vec<!phi.vec<f64>> {
    %q = phi.get %p[%k] : !phi.vec<i64>[i64]
    %x = phi.get %v[%k, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %w = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
      %y = phi.get %v[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %y : f64
    }
    %next = phi.update %w[%q, %k], %x : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @replaced(
// CHECK:         %[[N:.*]] = memref.dim %a, %{{.*}}
// CHECK:         memref.alloc(%[[N]], %[[N]])
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:           memref.store
// CHECK:         func.return
