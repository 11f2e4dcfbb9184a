// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// A loop that fills neighbouring elements with one byte sets memory.

func.func @fill(%a: memref<?x?xf64>, %flags: memref<?xi1>, %i: i64, %operands: memref<2xi64>) {
  %p = arith.index_cast %i : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %true = arith.constant true
  %m = memref.dim %a, %c1 : memref<?x?xf64>
  scf.for %j = %c0 to %m step %c1 {
    memref.store %zero, %a[%p, %j] : memref<?x?xf64>
    memref.store %true, %flags[%j] : memref<?xi1>
  }
  func.return
}

// Other values of 64 bits are words for the runtime, but for few elements, or as many as are known.

func.func @other_values(%a: memref<?xf64>, %b: memref<?xi64>, %c: memref<4xf64>, %d: memref<?xf32>, %i: i64, %x: f64, %y: f32, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  %k = memref.load %b[%c0] : memref<?xi64>
  scf.for %j = %c0 to %n step %c1 {
    memref.store %x, %a[%j] : memref<?xf64>
    memref.store %k, %b[%j] : memref<?xi64>
  }
  scf.for %j = %c0 to %n step %c1 {
    memref.store %x, %a[%j] : memref<?xf64>
  } {ein.few_steps}
  scf.for %j = %c0 to %c4 step %c1 {
    memref.store %x, %c[%j] : memref<4xf64>
  }
  scf.for %j = %c0 to %n step %c1 {
    memref.store %y, %d[%j] : memref<?xf32>
  }
  func.return
}

// A copy of a part: what a step reads is written by none.

func.func @copy(%a: memref<?xf32>, %i: i64, %operands: memref<2xi64>) -> memref<?xf32> {
  %p = arith.index_cast %i : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  scf.for %j = %p to %n step %c1 {
    %q = arith.subi %j, %p : index
    %x = memref.load %a[%j] : memref<?xf32>
    memref.store %x, %b[%q] : memref<?xf32>
  }
  func.return %b : memref<?xf32>
}

// The rows of a nest: threads share them, and each sets the memory of its part.

func.func @nest(%a: memref<?x?xi64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : i64
  %n = memref.dim %a, %c0 : memref<?x?xi64>
  %m = memref.dim %a, %c1 : memref<?x?xi64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    memref.store %none, %a[%i, %j] : memref<?x?xi64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// These stay loops: the elements of an array that moves by one, of a column, of every second
// place, and numbers whose bytes differ.

func.func @moved(%a: memref<?xf64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  scf.for %j = %c1 to %n step %c1 {
    %q = arith.subi %j, %c1 : index
    %x = memref.load %a[%q] : memref<?xf64>
    memref.store %x, %a[%j] : memref<?xf64>
  }
  func.return
}

func.func @others(%a: memref<?x?xf64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %negative = arith.constant -0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  scf.for %j = %c0 to %n step %c1 {
    memref.store %zero, %a[%j, %c0] : memref<?x?xf64>
  }
  scf.for %j = %c0 to %n step %c2 {
    memref.store %zero, %a[%c0, %j] : memref<?x?xf64>
  }
  scf.for %j = %c0 to %n step %c1 {
    memref.store %negative, %a[%c0, %j] : memref<?x?xf64>
  }
  scf.for %j = %c0 to %n step %c1 {
    memref.store %one, %a[%c0, %j] : memref<?x?xf64>
  }
  func.return
}

// Equal loops share a function only if the same loops in them copy: here %x and %b are apart, but
// %y may be %b.

func.func @shared(%f: i1, %operands: memref<2xi64>) -> memref<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf64>
  %x = memref.alloc() : memref<8xf64>
  %y = scf.if %f -> (memref<8xf64>) {
    scf.yield %x : memref<8xf64>
  } else {
    scf.yield %b : memref<8xf64>
  }
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    scf.for %j = %c0 to %n step %c1 {
      %z = memref.load %x[%j] : memref<8xf64>
      memref.store %z, %b[%j] : memref<8xf64>
    }
    %z = memref.load %y[%i] : memref<8xf64>
    memref.store %z, %x[%i] : memref<8xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    scf.for %j = %c0 to %n step %c1 {
      %z = memref.load %y[%j] : memref<8xf64>
      memref.store %z, %b[%j] : memref<8xf64>
    }
    %z = memref.load %x[%i] : memref<8xf64>
    memref.store %z, %y[%i] : memref<8xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return %b : memref<8xf64>
}

// CHECK-LABEL: @ein.fill(
// CHECK-NOT:     br
// CHECK:         %[[ROW:.*]] = getelementptr inbounds double, ptr %{{.*}}, i64 %{{.*}}
// CHECK:         call void @llvm.memset.p0.i64(ptr %[[ROW]], i8 0, i64 %[[BYTES:.*]], i1 0)
// CHECK:         call void @llvm.memset.p0.i64(ptr %{{.*}}, i8 1, i64 %[[STEPS:.*]], i1 0)

// CHECK-LABEL: @ein.other_values(
// CHECK:         %[[BITS:.*]] = bitcast double %{{.*}} to i64
// CHECK:         call void @ein_fill(ptr %{{.*}}, i64 %[[BITS]], i64 %{{.*}})
// CHECK:         call void @ein_fill(
// CHECK-NOT:     @ein_fill(
// CHECK:         store double
// CHECK-NOT:     @ein_fill(
// CHECK:         store double
// CHECK-NOT:     @ein_fill(
// CHECK:         store float

// CHECK-LABEL: @ein.copy(
// CHECK-NOT:     = load float
// CHECK:         call void @llvm.memcpy.p0.p0.i64(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, i1 0)
// CHECK-LABEL: @ein.nest(

// CHECK-LABEL: @ein.moved(
// CHECK-NOT:     @llvm.mem
// CHECK-LABEL: @ein.others(
// CHECK-NOT:     @llvm.mem
// CHECK-LABEL: @ein.shared(
// CHECK-NOT:     @llvm.mem

// CHECK-LABEL: @loop.nest.0(
// CHECK:         = phi
// CHECK:         call void @llvm.memset.p0.i64(ptr %{{.*}}, i8 -1, i64 %{{.*}}, i1 0)
// CHECK-NOT:     = phi
// CHECK:         @ein_ask(

// CHECK-LABEL: @loop.shared.0(
// CHECK:         call void @llvm.memcpy.p0.p0.i64(
// CHECK-LABEL: @loop.shared.1(
// CHECK-NOT:     @llvm.mem
