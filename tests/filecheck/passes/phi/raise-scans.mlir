// RUN: ein-opt %s --split-input-file -p raise-scans,dce | filecheck %s

// An exclusive prefix: the bound may be on either side.
func.func @prefix(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %before = arith.cmpi sgt, %i_1, %k : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %before, %x, %zero : f64
      %next = arith.addf %y, %acc : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @prefix(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.scan "add" %0 : !phi.vec<f64>
// CHECK-NEXT:     %s_1 = phi.get %s[%i_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// An inclusive suffix, if a test fails, with an initial value and an unrelated test.
func.func @suffix(%a: !phi.vec<i64>, %x: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %x) -> i64 {
      %v = phi.get %a[%k] : !phi.vec<i64>[i64]
      %before = arith.cmpi slt, %k, %i_1 : i64
      %small = arith.cmpi slt, %v, %x : i64
      %skipped = arith.ori %small, %before : i1
      %more = arith.muli %acc, %v : i64
      %next = arith.select %skipped, %acc, %more : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK:      func.func @suffix(%a: !phi.vec<i64>, %x: i64) -> !phi.vec<i64> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %v = phi.get %a[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %small = arith.cmpi slt, %v, %x : i64
// CHECK-NEXT:       %1 = arith.constant 1 : i64
// CHECK-NEXT:       %2 = arith.select %small, %1, %v : i64
// CHECK-NEXT:       phi.yield %2 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.scan "mul" %0 suffixes : !phi.vec<i64>
// CHECK-NEXT:     %3 = phi.get %s[%i_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %s_1 = arith.muli %x, %3 : i64
// CHECK-NEXT:     phi.yield %s_1 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// A bound that is read: the position after it, which must not overflow.
func.func @ends(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %infinity = arith.constant 0x7ff0000000000000 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %p, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %infinity) -> f64 {
      %end = phi.get %p[%i] : !phi.vec<i64>[index]
      %inside = arith.cmpi sle, %k, %end : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %inside, %x, %infinity : f64
      %next = arith.minimumf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @ends(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %m = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %end = phi.get %p[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.scan "min" %0 : !phi.vec<f64>
// CHECK-NEXT:     %1 = arith.minsi %end, %n : i64
// CHECK-NEXT:     %2 = arith.constant 1 : i64
// CHECK-NEXT:     %3 = arith.addi %1, %2 : i64
// CHECK-NEXT:     %s_1 = phi.get %s[%3] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A value that varies with the index, and a bound that varies with the counter.
func.func @varying(%a: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %i_1 : i64
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.select %before, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %t = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %q = phi.get %p[%k] : !phi.vec<i64>[i64]
      %bound = arith.addi %q, %i_1 : i64
      %before = arith.cmpi slt, %k, %bound : i64
      %x = phi.get %a[%k, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = arith.select %before, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r, %t : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @varying(
// CHECK-NOT:     phi.scan
// CHECK:         phi.fold
// CHECK:         phi.fold
// CHECK-NOT:     phi.scan
// CHECK:         func.return

// -----

// A bound without free indices is not a separate prefix for each element.
func.func @one_bound(%a: !phi.vec<f64>, %m: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %before = arith.cmpi slt, %k, %m : i64
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %y = arith.select %before, %x, %zero : f64
    %next = arith.addf %acc, %y : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}

// CHECK-LABEL: func.func @one_bound(
// CHECK-NOT:     phi.scan
// CHECK:         phi.fold
// CHECK-NOT:     phi.scan
// CHECK:         func.return

// -----

// The count of a loop in a step may depend on a counter, and not on an index.
func.func @count(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %i_1 : i64
      %x = phi.fold (%j < %k, %t = %zero) -> f64 {
        %u = arith.mulf %t, %half : f64
        %e = phi.get %a[%j] : !phi.vec<f64>[i64]
        %v = arith.addf %u, %e : f64
        phi.yield %v : f64
      }
      %y = arith.select %before, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @count(
// CHECK-NOT:     phi.scan
// CHECK:         phi.fold (%j < %k, %t = %zero)
// CHECK-NOT:     phi.scan
// CHECK:         func.return
