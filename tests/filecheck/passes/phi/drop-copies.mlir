// RUN: ein-opt %s -p drop-copies,dce | filecheck %s

// A copy of the accumulator before an update goes. The size of a row is asserted in the loop: the new
// row keeps the assertion. The number of rows must be that of the array without it.
func.func @asserted(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %rows = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %size = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %s = %a) -> !phi.vec<!phi.vec<f64>> {
    %own = phi.size %s, 1 : !phi.vec<!phi.vec<f64>>
    %m = phi.assert_eq %size, %own, "rows"
    %copy = phi.array (%i < %rows, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %old = phi.get %s[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %old : f64
    }
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      %new = phi.get %x[%j] : !phi.vec<f64>[index]
      phi.yield %new : f64
    }
    %next = phi.update %copy[%k], %row : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @asserted(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %size = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %r = phi.fold (%k < %n, %s = %a) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %own = phi.size %s, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %m = phi.assert_eq %size, %own, "rows"
// CHECK-NEXT:      %row = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        %new = phi.get %x[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %new : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %next = phi.update %s[%k], %row : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      phi.yield %next : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }

// A copy is the array if their sizes are provably equal; not if an assertion says so.
func.func @copies(%x: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %size = phi.size %x, 0 : !phi.vec<f64>
  %same = phi.array (%i < %size) -> !phi.vec<f64> {
    %a = phi.get %x[%i] : !phi.vec<f64>[index]
    phi.yield %a : f64
  }
  %m = phi.assert_eq %size, %n, "sizes"
  %asserted = phi.array (%i < %m) -> !phi.vec<f64> {
    %a = phi.get %x[%i] : !phi.vec<f64>[index]
    phi.yield %a : f64
  }
  func.return %same, %asserted : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @copies(%x: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:    %size = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %m = phi.assert_eq %size, %n, "sizes"
// CHECK-NEXT:    %asserted = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      %a = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %a : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %x, %asserted : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:  }

// A prefix, and a row by another position, are no copies of the array.
func.func @others(%x: !phi.vec<f64>, %a: !phi.vec<!phi.vec<f64>>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %prefix = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = phi.get %x[%i] : !phi.vec<f64>[index]
    phi.yield %0 : f64
  }
  %size = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %diagonal = phi.array (%i < %size) -> !phi.vec<f64> {
    %0 = phi.get %a[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %0 : f64
  }
  func.return %prefix, %diagonal : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @others(%x: !phi.vec<f64>, %a: !phi.vec<!phi.vec<f64>>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:    %prefix = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %0 = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %0 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %size = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %diagonal = phi.array (%i_1 < %size) -> !phi.vec<f64> {
// CHECK-NEXT:      %1 = phi.get %a[%i_1, %i_1] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:      phi.yield %1 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %prefix, %diagonal : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:  }

// Rows of a copy are read at the indices of a comprehension that has the asserted sizes, too.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %cols = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %size = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %s = %a) -> !phi.vec<!phi.vec<f64>> {
    %own = phi.size %s, 0 : !phi.vec<!phi.vec<f64>>
    %m = phi.assert_eq %size, %own, "rows"
    %copy = phi.array (%i < %m, %j < %cols) -> !phi.vec<!phi.vec<f64>> {
      %old = phi.get %s[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %old : f64
    }
    %next = phi.array (%i < %m) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %copy[%i] : !phi.vec<!phi.vec<f64>>[index]
      %new = phi.get %x[%i] : !phi.vec<f64>[index]
      %updated = phi.update %row[%k], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %updated : !phi.vec<f64>
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %size = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %r = phi.fold (%k < %n, %s = %a) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %own = phi.size %s, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:        %m = phi.assert_eq %size, %own, "rows"
// CHECK-NEXT:        %next = phi.array (%i < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:          %row = phi.get %s[%i] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:          %new = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %updated = phi.update %row[%k], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:          phi.yield %updated : !phi.vec<f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %next : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// A size that an assertion proves goes with a copy of an array that has it from the start: the
// array keeps the assertion.
func.func @kept(%x: !phi.vec<f64>, %n: i64, %steps: i64) -> !phi.vec<f64> {
  %size = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.assert_eq %size, %n, "sizes"
  %zero = arith.constant 0.0 : f64
  %zeros = phi.array (%i < %m) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %start = phi.tuple (%zero, %zeros) : tuple<f64, !phi.vec<f64>>
  %r = phi.fold (%k < %steps, %s = %start) -> tuple<f64, !phi.vec<f64>> {
    %a = phi.proj %s, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %copy = phi.array (%i < %m) -> !phi.vec<f64> {
      %old = phi.get %a[%i] : !phi.vec<f64>[index]
      phi.yield %old : f64
    }
    %next = phi.update %copy[%k], %zero : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %after = phi.tuple (%zero, %next) : tuple<f64, !phi.vec<f64>>
    phi.yield %after : tuple<f64, !phi.vec<f64>>
  }
  %q = phi.proj %r, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %q : !phi.vec<f64>
}

// CHECK-LABEL: func.func @kept
// CHECK:         %m = phi.assert_eq %size, %n, "sizes"
// CHECK:         %zeros = phi.array (%i < %m)
// CHECK:         %a = phi.proj %s, 1
// CHECK-NEXT:    %next = phi.update %a[%k], %zero

// The new row is an array of its own, whose size the update compares with that of the others. The
// size of the copy is that of the rows by an assertion, on which it does not depend.
func.func @state(%x: !phi.vec<!phi.vec<f64>>, %state: !phi.vec<f64>, %a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %cols = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %s = %a) -> !phi.vec<!phi.vec<f64>> {
    %own = phi.size %s, 1 : !phi.vec<!phi.vec<f64>>
    %m = phi.assert_eq %cols, %own, "columns"
    %rows = phi.size %s, 0 : !phi.vec<!phi.vec<f64>>
    %copy = phi.array (%i < %rows, %j < %cols) -> !phi.vec<!phi.vec<f64>> {
      %old = phi.get %s[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %old : f64
    }
    %next = phi.update %copy[%m], %state : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @state
// CHECK:         %m = phi.assert_eq %cols, %own, "columns"
// CHECK-NEXT:    %next = phi.update %s[%m], %state
