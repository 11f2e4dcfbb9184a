// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// The length of a copy of known sizes is a number, so that LLVM keeps the elements in registers.

func.func @known(%r: memref<?xf64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %x = memref.alloca() : memref<2x3xf64>
  %y = memref.alloca() : memref<2x3xf64>
  "memref.copy"(%x, %y) : (memref<2x3xf64>, memref<2x3xf64>) -> ()
  %e = memref.load %y[%c0, %c0] : memref<2x3xf64>
  memref.store %e, %r[%c0] : memref<?xf64>
  func.return
}
// CHECK-LABEL: define i64 @ein.known(
// CHECK:         call void @llvm.memcpy.p0.p0.i64(ptr %{{.*}}, ptr %{{.*}}, i64 48, i1 0)

// A buffer of a step, two that a loop in the step exchanges, and one in a loop: a range of steps has
// each once, since their sizes are those of all steps.

func.func @lasting(%r: memref<?xf64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %r, %c0 : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %row = memref.alloc(%n) : memref<?xf64>
    memref.store %zero, %row[%c0] : memref<?xf64>
    memref.dealloc %row : memref<?xf64>
    %a = memref.alloc(%n) : memref<?xf64>
    %b = memref.alloc(%n) : memref<?xf64>
    %x, %y = scf.for %k = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (memref<?xf64>, memref<?xf64>) {
      %t = memref.alloc(%n) : memref<?xf64>
      memref.store %zero, %t[%c0] : memref<?xf64>
      memref.dealloc %t : memref<?xf64>
      scf.yield %v, %u : memref<?xf64>, memref<?xf64>
    }
    memref.dealloc %y : memref<?xf64>
    memref.dealloc %x : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK:       define internal i64 @loop.lasting.0(
// CHECK-COUNT-4: @ein_allocate
// CHECK:         icmp slt i64
// CHECK-NOT:     @ein_
// CHECK:         br label
// CHECK-COUNT-4: @ein_release(
// CHECK:       }

// Stay: a size that varies, a branch, and a buffer whose place a new one takes.

func.func @stays(%r: memref<?xf64>, %p: memref<?xi1>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %r, %c0 : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %row = memref.alloc(%i) : memref<?xf64>
    memref.dealloc %row : memref<?xf64>
    %test = memref.load %p[%i] : memref<?xi1>
    scf.if %test {
      %s = memref.alloc(%n) : memref<?xf64>
      memref.dealloc %s : memref<?xf64>
    }
    %a = memref.alloc(%n) : memref<?xf64>
    %x = scf.for %k = %c0 to %n step %c1 iter_args(%u = %a) -> (memref<?xf64>) {
      %t = memref.alloc(%n) : memref<?xf64>
      memref.dealloc %u : memref<?xf64>
      scf.yield %t : memref<?xf64>
    }
    memref.dealloc %x : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK:       define internal i64 @loop.stays.0(
// CHECK-NOT:     @ein_allocate
// CHECK:         icmp slt i64
// CHECK-COUNT-4: @ein_allocate
// CHECK:       }
