// RUN: ein-opt %s --split-input-file -p raise-writes,canonicalize,eliminate-common-subexpressions,dce | filecheck %s
// RUN: ein-opt %s --split-input-file -p raise-writes{ragged=false},canonicalize,dce | filecheck %s --check-prefix=LOOP

// The inner count varies with the outer step: all steps of all rows are one sequence.

func.func @rows(%start: !phi.vec<i64>, %p: !phi.vec<i64>, %a: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %r = phi.fold (%i < %n, %v = %a) -> !phi.vec<i64> {
    %next = arith.addi %i, %one : i64
    %lo = phi.get %start[%i] : !phi.vec<i64>[i64]
    %hi = phi.get %start[%next] : !phi.vec<i64>[i64]
    %m = arith.subi %hi, %lo : i64
    %s = phi.fold (%k < %m, %w = %v) -> !phi.vec<i64> {
      %q = arith.addi %lo, %k : i64
      %key = phi.get %p[%q] : !phi.vec<i64>[i64]
      %old = phi.get %w[%key] : !phi.vec<i64>[i64]
      %new = arith.addi %old, %i : i64
      %u = phi.update %w[%key], %new : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
      phi.yield %u : !phi.vec<i64>
    }
    phi.yield %s : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}
// CHECK:      func.func @rows(%start: !phi.vec<i64>, %p: !phi.vec<i64>, %a: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %0 = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %next = arith.addi %i_1, %one : i64
// CHECK-NEXT:     %lo = phi.get %start[%i_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %hi = phi.get %start[%next] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %m = arith.subi %hi, %lo : i64
// CHECK-NEXT:     phi.yield %m : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %1 = phi.scan "add" %0 : !phi.vec<i64>
// CHECK-NEXT:   %2 = phi.get %1[%n] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %3 = arith.constant 0 : i64
// CHECK-NEXT:   %4 = arith.constant 17592186044416 : i64
// CHECK-NEXT:   %5 = arith.cmpi sle, %2, %4 : i64
// CHECK-NEXT:   %6 = arith.select %5, %2, %3 : i64
// CHECK-NEXT:   %7 = arith.maxsi %6, %3 : i64
// CHECK-NEXT:   %8 = phi.accumulate (%9 < %n) into "add" (%7) -> !phi.vec<i64> {
// CHECK-NEXT:     %10 = phi.get %1[%9] : !phi.vec<i64>[index]
// CHECK-NEXT:     %11 = phi.tuple (%10, %one) : tuple<i64, i64>
// CHECK-NEXT:     phi.yield %11 : tuple<i64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %12 = phi.reduce %0 identity %3 by { arith.minsi } -> i64
// CHECK-NEXT:   %13 = arith.cmpi slt, %12, %3 : i64
// CHECK-NEXT:   %14 = arith.select %13, %12, %2 : i64
// CHECK-NEXT:   %15 = phi.scan "add" %8 : !phi.vec<i64>
// CHECK-NEXT:   %16 = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:   %17 = phi.array (%k < %14) -> !phi.vec<i64> {
// CHECK-NEXT:     %18 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %19 = arith.addi %18, %one : i64
// CHECK-NEXT:     %20 = phi.get %15[%19] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %21 = arith.subi %20, %one : i64
// CHECK-NEXT:     phi.yield %21 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %22 = phi.accumulate (%k_1 < %14) into "add" (%16) -> !phi.vec<i64> {
// CHECK-NEXT:     %23 = phi.get %17[%k_1] : !phi.vec<i64>[index]
// CHECK-NEXT:     %24 = phi.get %1[%23] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %25 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:     %26 = arith.subi %25, %24 : i64
// CHECK-NEXT:     %lo_1 = phi.get %start[%23] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %q = arith.addi %lo_1, %26 : i64
// CHECK-NEXT:     %key = phi.get %p[%q] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %27 = phi.tuple (%key, %23) : tuple<i64, i64>
// CHECK-NEXT:     phi.yield %27 : tuple<i64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%28 < %16) -> !phi.vec<i64> {
// CHECK-NEXT:     %29 = phi.get %a[%28] : !phi.vec<i64>[index]
// CHECK-NEXT:     %30 = phi.get %22[%28] : !phi.vec<i64>[index]
// CHECK-NEXT:     %31 = arith.addi %29, %30 : i64
// CHECK-NEXT:     phi.yield %31 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }
// LOOP-LABEL: func.func @rows
// LOOP:         phi.fold
// LOOP:           phi.fold

// -----

// Lengths that a step of an outer loop does not change are known before it.

func.func @in_a_loop(%m: !phi.vec<i64>, %p: !phi.vec<i64>, %a: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
  %r = phi.fold (%t < %n, %x = %a) -> !phi.vec<i64> {
    %s = phi.fold (%i < %n, %v = %x) -> !phi.vec<i64> {
      %length = phi.get %m[%i] : !phi.vec<i64>[i64]
      %c = phi.get %x[%i] : !phi.vec<i64>[i64]
      %f = phi.fold (%k < %length, %w = %v) -> !phi.vec<i64> {
        %q = arith.addi %length, %k : i64
        %key = phi.get %p[%q] : !phi.vec<i64>[i64]
        %old = phi.get %w[%key] : !phi.vec<i64>[i64]
        %new = arith.minsi %old, %c : i64
        %u = phi.update %w[%key], %new : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
        phi.yield %u : !phi.vec<i64>
      }
      phi.yield %f : !phi.vec<i64>
    }
    phi.yield %s : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @in_a_loop
// CHECK:         phi.accumulate
// CHECK:         phi.reduce
// CHECK:         phi.fold (%t < %n
// CHECK-NOT:       phi.fold
// CHECK:           phi.accumulate (%{{.*}} < %{{.*}}) into "min"

// -----

// Another size varies with the outer step, too.

func.func @several(%m: !phi.vec<i64>, %p: !phi.vec<i64>, %a: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %r = phi.fold (%i < %n, %v = %a) -> !phi.vec<i64> {
    %length = phi.get %m[%i] : !phi.vec<i64>[i64]
    %s = phi.fold (%k < %length, %w = %v) -> !phi.vec<i64> {
      %key = phi.get %p[%k] : !phi.vec<i64>[i64]
      %c = phi.fold (%l < %length, %acc = %zero) -> i64 {
        %x = phi.get %p[%l] : !phi.vec<i64>[i64]
        %y = arith.muli %acc, %x : i64
        %z = arith.addi %y, %l : i64
        phi.yield %z : i64
      }
      %old = phi.get %w[%key] : !phi.vec<i64>[i64]
      %new = arith.addi %old, %c : i64
      %u = phi.update %w[%key], %new : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
      phi.yield %u : !phi.vec<i64>
    }
    phi.yield %s : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @several
// CHECK:         phi.fold
