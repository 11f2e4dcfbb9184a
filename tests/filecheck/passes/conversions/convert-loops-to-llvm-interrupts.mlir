// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// Loops that may be long ask whether the call is to stop.

// CHECK: declare preserve_mostcc i64 @ein_ask(ptr %a0) cold nounwind memory(

// As many steps as a number says: in parts, inside of which nothing is asked.

func.func @parts(%x: i64, %n: index, %operands: memref<2xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (i64) {
    %t = arith.muli %s, %x : i64
    scf.yield %t : i64
  }
  func.return %y : i64
}

// CHECK-LABEL: define i64 @ein.parts(
// CHECK:       b1:
// CHECK-NEXT:    %[[FIRST:.*]] = phi i64 [ 0, %b0 ], [ %[[AT:.*]], %{{.*}} ]
// CHECK:         %[[LEFT:.*]] = sub nsw i64 %[[N:.*]], %[[FIRST]]
// CHECK-NEXT:    %[[SOME:.*]] = call i64 @llvm.smin.i64(i64 %[[LEFT]], i64 1048576)
// CHECK-NEXT:    %[[END:.*]] = add nsw i64 %[[FIRST]], %[[SOME]]
// CHECK:       b2:
// CHECK-NEXT:    %[[AT]] = phi i64
// CHECK:         icmp slt i64 %[[AT]], %[[END]]
// CHECK:       b4:
// CHECK-NEXT:    %[[MORE:.*]] = icmp slt i64 %[[AT]], %[[N]]
// CHECK-NEXT:    br i1 %[[MORE]], label %b5, label %b6
// CHECK:       b5:
// CHECK-NEXT:    %[[CODE:.*]] = call preserve_mostcc i64 @ein_ask(ptr %a0)
// CHECK-NEXT:    icmp eq i64 %[[CODE]], 0

// As many steps as an array has elements, as in a row, or as a constant says.

func.func @sized(%a: memref<?xi64>, %operands: memref<2xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0 : i64
  %n = memref.dim %a, %c0 : memref<?xi64>
  %most = arith.addi %n, %n : index
  %y = scf.for %i = %c0 to %most step %c1 iter_args(%s = %zero) -> (i64) {
    %t = scf.for %j = %c0 to %c9 step %c1 iter_args(%r = %s) -> (i64) {
      %u = arith.muli %r, %r : i64
      scf.yield %u : i64
    }
    scf.yield %t : i64
  }
  func.return %y : i64
}

// CHECK-LABEL: define i64 @ein.sized(
// CHECK-NOT:     @ein_ask

// Loops around loops: once in so many steps as the depth of the loops inside allows.

func.func @around(%x: i64, %a: memref<?xi64>, %operands: memref<2xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xi64>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (i64) {
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%r = %s) -> (i64) {
      %u = scf.for %k = %c0 to %n step %c1 iter_args(%q = %r) -> (i64) {
        %v = arith.muli %q, %r : i64
        scf.yield %v : i64
      }
      scf.yield %u : i64
    }
    scf.yield %t : i64
  }
  func.return %y : i64
}

// CHECK-LABEL: define i64 @ein.around(
// CHECK:         and i64 %{{.*}}, 1023
// CHECK:         call preserve_mostcc i64 @ein_ask(ptr %a0)
// CHECK:         and i64 %{{.*}}, 63
// CHECK:         call preserve_mostcc i64 @ein_ask(ptr %a0)

// Steps of blocks.

func.func @blocks(%a: memref<?x64xi64>, %n: index, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %zero = arith.constant 0 : i64
  scf.for %i = %c0 to %n step %c48 {
    %end = arith.addi %i, %c48 : index
    scf.for %j = %i to %end step %c1 {
      memref.store %zero, %a[%j, %c0] : memref<?x64xi64>
    }
  }
  func.return
}

// CHECK-LABEL: define i64 @ein.blocks(
// CHECK:         %[[LOW:.*]] = and i64 %{{.*}}, 65535
// CHECK:         icmp slt i64 %[[LOW]], 48

// No end is known: a loop counts its steps down.

func.func @endless(%x: i64, %operands: memref<2xi64>) -> i64 {
  %ten = arith.constant 10 : i64
  %y = scf.while (%s = %x) : (i64) -> i64 {
    %more = arith.cmpi slt, %s, %ten : i64
    scf.condition(%more) %s : i64
  } do {
  ^bb0(%s: i64):
    %t = arith.muli %s, %s : i64
    scf.yield %t : i64
  }
  func.return %y : i64
}

// CHECK-LABEL: define i64 @ein.endless(
// CHECK:         = phi i64 [ 1048576, %b0 ], [ %[[NEXT:.*]], %{{.*}} ]
// CHECK:         %[[DOWN:.*]] = sub nsw i64 %{{.*}}, 1
// CHECK-NEXT:    %[[DUE:.*]] = icmp eq i64 %[[DOWN]], 0
// CHECK-NEXT:    br i1 %[[DUE]], label %b[[ASK:.*]], label %{{.*}}
// CHECK:       b[[ASK]]:
// CHECK-NEXT:    call preserve_mostcc i64 @ein_ask(ptr %a0)
