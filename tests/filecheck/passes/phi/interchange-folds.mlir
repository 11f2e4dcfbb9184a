// RUN: ein-opt %s --split-input-file -p interchange-folds,canonicalize | filecheck %s
// RUN: ein-opt %s --split-input-file -p 'interchange-folds{static=true},canonicalize' | filecheck %s --check-prefix STATIC

// A sum of rows: a comprehension in a step is taken at the index, and its sizes are compared before.
func.func @rows(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %w = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
    %l = phi.size %acc, 0 : !phi.vec<f64>
    %m = phi.assert_eq %l, %w, "a, rows of b"
    %squares = phi.array (%j < %m) -> !phi.vec<f64> {
      %x = phi.get %b[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = arith.mulf %x, %x : f64
      phi.yield %y : f64
    }
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %x = phi.get %acc[%i] : !phi.vec<f64>[index]
      %y = phi.get %squares[%i] : !phi.vec<f64>[index]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:      func.func @rows(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %w = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %1 = arith.constant 0 : i64
// CHECK-NEXT:   %2 = arith.cmpi sgt, %n, %1 : i64
// CHECK-NEXT:   %3 = arith.select %2, %w, %0 : i64
// CHECK-NEXT:   %4 = phi.assert_eq %0, %3, "a, rows of b"
// CHECK-NEXT:   %s = phi.array (%i < %4) -> !phi.vec<f64> {
// CHECK-NEXT:     %5 = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %s_1 = phi.fold (%k < %n, %acc = %5) -> f64 {
// CHECK-NEXT:       %x = phi.get %b[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:       %y = arith.mulf %x, %x : f64
// CHECK-NEXT:       %z = arith.addf %acc, %y : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A field that depends on no other leaves the fold; a unit vector is one exceptional term of its sums.
func.func @fields(%w: !phi.vec<f64>, %n: i64) -> tuple<f64, !phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %l = phi.size %w, 0 : !phi.vec<f64>
  %a = phi.array (%i < %l) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %init = phi.tuple (%one, %a) : tuple<f64, !phi.vec<f64>>
  %s = phi.fold (%k < %l, %acc = %init) -> tuple<f64, !phi.vec<f64>> {
    %x = phi.proj %acc, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %g = phi.proj %acc, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %y = math.sin %x : f64
    %v = phi.get %w[%k] : !phi.vec<f64>[i64]
    %next = phi.array (%i < %l) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %own = arith.cmpi eq, %i_1, %k : i64
      %u = arith.select %own, %one, %zero : f64
      %p = arith.mulf %v, %u : f64
      %q = phi.get %g[%i] : !phi.vec<f64>[index]
      %z = arith.addf %q, %p : f64
      phi.yield %z : f64
    }
    %both = phi.tuple (%y, %next) : tuple<f64, !phi.vec<f64>>
    phi.yield %both : tuple<f64, !phi.vec<f64>>
  }
  func.return %s : tuple<f64, !phi.vec<f64>>
}

// CHECK:      func.func @fields(%w: !phi.vec<f64>, %n: i64) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %l = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:   %s = phi.array (%i < %l) -> !phi.vec<f64> {
// CHECK-NEXT:     %zero_1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %s_1 = phi.fold (%k < %l, %acc = %zero_1) -> f64 {
// CHECK-NEXT:       %v = phi.get %w[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %own = arith.cmpi eq, %i_1, %k : i64
// CHECK-NEXT:       %u = arith.select %own, %one, %zero : f64
// CHECK-NEXT:       %p = arith.mulf %v, %u : f64
// CHECK-NEXT:       %z = arith.addf %acc, %p : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s_2 = phi.fold (%k_1 < %l, %acc_1 = %one) -> f64 {
// CHECK-NEXT:     %y = math.sin %acc_1 : f64
// CHECK-NEXT:     phi.yield %y : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s_3 = phi.tuple (%s_2, %s) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   func.return %s_3 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT: }

// -----

// An element at another index is read.
func.func @neighbour(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
    %m = phi.size %acc, 0 : !phi.vec<f64>
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %j = arith.addi %i_1, %one : i64
      %x = phi.get %acc[%i] : !phi.vec<f64>[index]
      %y = phi.get %acc[%j] : !phi.vec<f64>[i64]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:      func.func @neighbour(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %m = phi.size %acc, 0 : !phi.vec<f64>
// CHECK-NEXT:     %next = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %j = arith.addi %i_1, %one : i64
// CHECK-NEXT:       %x = phi.get %acc[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %y = phi.get %acc[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z = arith.addf %x, %y : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// One element is changed in a step: it stays a fold, and is changed in place.
func.func @update(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %b, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
    %m = phi.size %acc, 0 : !phi.vec<f64>
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %own = arith.cmpi eq, %i_1, %k : i64
      %x = phi.get %acc[%i] : !phi.vec<f64>[index]
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %z = arith.select %own, %y, %x : f64
      phi.yield %z : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:      func.func @update(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %m = phi.size %acc, 0 : !phi.vec<f64>
// CHECK-NEXT:     %next = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %own = arith.cmpi eq, %i_1, %k : i64
// CHECK-NEXT:       %x = phi.get %acc[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %y = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z = arith.select %own, %y, %x : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A step changes the size.
func.func @grows(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
    %m = phi.size %acc, 0 : !phi.vec<f64>
    %more = arith.addi %m, %one : i64
    %next = phi.array (%i < %more) -> !phi.vec<f64> {
      %x = phi.get %acc[%i] : !phi.vec<f64>[index]
      %z = arith.addf %x, %x : f64
      phi.yield %z : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:      func.func @grows(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %m = phi.size %acc, 0 : !phi.vec<f64>
// CHECK-NEXT:     %more = arith.addi %m, %one : i64
// CHECK-NEXT:     %next = phi.array (%i < %more) -> !phi.vec<f64> {
// CHECK-NEXT:       %x = phi.get %acc[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %z = arith.addf %x, %x : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A fold of folds: the count of the inner one is 0 if there is no step.
func.func @nested(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<f64> {
  %k = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%i < %k, %v = %a) -> !phi.vec<f64> {
    %next = phi.array (%c < %m) -> !phi.vec<f64> {
      %x = phi.get %v[%c] : !phi.vec<f64>[index]
      %t = phi.fold (%j < %n, %acc = %x) -> f64 {
        %y = phi.get %b[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %z = arith.addf %acc, %y : f64
        phi.yield %z : f64
      }
      phi.yield %t : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK-LABEL: func.func @nested(
// CHECK:         %[[SOME:.*]] = arith.cmpi sgt, %k, %{{.*}} : i64
// CHECK-NEXT:    %[[COUNT:.*]] = arith.select %[[SOME]], %n, %{{.*}} : i64
// CHECK-NEXT:    %s = phi.array (%c < %{{.*}}) -> !phi.vec<f64> {
// CHECK-NEXT:      %{{.*}} = phi.get %a[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:      %{{.*}} = phi.fold (%i < %k, %v = %{{.*}}) -> f64 {
// CHECK-NEXT:        %t = phi.fold (%j < %[[COUNT]], %acc = %v) -> f64 {

// -----

// A loop in the step whose count varies with the step, over the first elements of an array, updates
// the array in place: no accumulation has the values of all steps.

func.func @columns(%ends: !phi.vec<i64>, %rows: !phi.vec<i64>, %v: !phi.vec<f64>, %a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %y = phi.fold (%j < %n, %acc = %a) -> !phi.vec<f64> {
    %end = phi.get %ends[%j] : !phi.vec<i64>[i64]
    %zero = arith.constant 0 : i64
    %count = arith.maxsi %end, %zero : i64
    %z = phi.fold (%k < %count, %inner = %acc) -> !phi.vec<f64> {
      %size = phi.size %inner, 0 : !phi.vec<f64>
      %row = phi.get %rows[%k] : !phi.vec<i64>[i64]
      %x = phi.get %v[%k] : !phi.vec<f64>[i64]
      %next = phi.array (%i < %size) -> !phi.vec<f64> {
        %old = phi.get %inner[%i] : !phi.vec<f64>[index]
        %sum = arith.addf %old, %x : f64
        %own = arith.index_cast %i : index to i64
        %is_row = arith.cmpi eq, %own, %row : i64
        %new = arith.select %is_row, %sum, %old : f64
        phi.yield %new : f64
      }
      phi.yield %next : !phi.vec<f64>
    }
    phi.yield %z : !phi.vec<f64>
  }
  func.return %y : !phi.vec<f64>
}

// CHECK-LABEL: func.func @columns(
// CHECK:         phi.fold (%j < %n, %acc = %a) -> !phi.vec<f64> {

// -----

// Each step has a row of its own, as a column of a sparse matrix has: elements accumulate the values
// of all rows. Where sizes do not depend on data, the array is updated in place.

func.func @own_rows(%starts: !phi.vec<i64>, %ends: !phi.vec<i64>, %rows: !phi.vec<i64>, %v: !phi.vec<f64>, %a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %y = phi.fold (%j < %n, %acc = %a) -> !phi.vec<f64> {
    %end = phi.get %ends[%j] : !phi.vec<i64>[i64]
    %start = phi.get %starts[%j] : !phi.vec<i64>[i64]
    %zero = arith.constant 0 : i64
    %count = arith.maxsi %end, %zero : i64
    %z = phi.fold (%k < %count, %inner = %acc) -> !phi.vec<f64> {
      %size = phi.size %inner, 0 : !phi.vec<f64>
      %p = arith.addi %start, %k : i64
      %row = phi.get %rows[%p] : !phi.vec<i64>[i64]
      %x = phi.get %v[%p] : !phi.vec<f64>[i64]
      %next = phi.array (%i < %size) -> !phi.vec<f64> {
        %old = phi.get %inner[%i] : !phi.vec<f64>[index]
        %sum = arith.addf %old, %x : f64
        %own = arith.index_cast %i : index to i64
        %is_row = arith.cmpi eq, %own, %row : i64
        %new = arith.select %is_row, %sum, %old : f64
        phi.yield %new : f64
      }
      phi.yield %next : !phi.vec<f64>
    }
    phi.yield %z : !phi.vec<f64>
  }
  func.return %y : !phi.vec<f64>
}

// CHECK-LABEL: func.func @own_rows(
// CHECK:         phi.array (%i < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           phi.fold (%j < %n, %acc = %{{.*}}) -> f64 {
// CHECK:             phi.fold (%k < %count, %inner = %acc) -> f64 {
// STATIC-LABEL: func.func @own_rows(
// STATIC:         phi.fold (%j < %n, %acc = %a) -> !phi.vec<f64> {

// -----

// A step adds the multiple of a vector from its position on: each element is a product of windows.
func.func @shifted(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
    %y = phi.get %x[%k] : !phi.vec<f64>[i64]
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %j = arith.index_cast %i : index to i64
      %c = arith.cmpi sge, %j, %k : i64
      %p = arith.subi %j, %k : i64
      %old = phi.get %acc[%i] : !phi.vec<f64>[index]
      %z = phi.get %w[%p] : !phi.vec<f64>[i64]
      %t = arith.mulf %y, %z : f64
      %new = arith.addf %old, %t : f64
      %e = arith.select %c, %new, %old : f64
      phi.yield %e : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK-LABEL: func.func @shifted(
// CHECK-NEXT:   %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %s = phi.array (%i < %0) -> !phi.vec<f64> {
// CHECK-NEXT:     %1 = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %s_1 = phi.fold (%k < %n, %acc = %1) -> f64 {
// CHECK-NEXT:       %y = phi.get %x[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %j = arith.index_cast %i : index to i64
// CHECK-NEXT:       %c = arith.cmpi sge, %j, %k : i64
// CHECK-NEXT:       %p = arith.subi %j, %k : i64
// CHECK-NEXT:       %z = phi.get %w[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %t = arith.mulf %y, %z : f64
// CHECK-NEXT:       %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %3 = arith.select %c, %t, %2 : f64
// CHECK-NEXT:       %4 = arith.addf %acc, %3 : f64
// CHECK-NEXT:       phi.yield %4 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %s : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// The inner fold reads the element that it replaces: that at the index.
func.func @own_elements(%m: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>, %a: !phi.vec<f64>) -> !phi.vec<f64> {
  %rows = phi.size %m, 0 : !phi.vec<!phi.vec<f64>>
  %columns = phi.size %m, 1 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %rows, %v = %a) -> !phi.vec<f64> {
    %s = phi.fold (%j < %columns, %w = %v) -> !phi.vec<f64> {
      %q = phi.get %p[%i] : !phi.vec<i64>[i64]
      %at = arith.addi %q, %j : i64
      %x = phi.get %m[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %old = phi.get %w[%at] : !phi.vec<f64>[i64]
      %new = arith.addf %old, %x : f64
      %u = phi.array (%k < %n) -> !phi.vec<f64> {
        %k_1 = arith.index_cast %k : index to i64
        %here = arith.cmpi eq, %k_1, %at : i64
        %other = phi.get %w[%k] : !phi.vec<f64>[index]
        %y = arith.select %here, %new, %other : f64
        phi.yield %y : f64
      }
      phi.yield %u : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @own_elements(
// CHECK-NEXT:   %rows = phi.size %m, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %columns = phi.size %m, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%k < %0) -> !phi.vec<f64> {
// CHECK-NEXT:     %1 = phi.get %a[%k] : !phi.vec<f64>[index]
// CHECK-NEXT:     %r_1 = phi.fold (%i < %rows, %v = %1) -> f64 {
// CHECK-NEXT:       %s = phi.fold (%j < %columns, %w = %v) -> f64 {
// CHECK-NEXT:         %q = phi.get %p[%i] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %at = arith.addi %q, %j : i64
// CHECK-NEXT:         %x = phi.get %m[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %here = arith.cmpi eq, %k_1, %at : i64
// CHECK-NEXT:         %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:         %3 = arith.select %here, %x, %2 : f64
// CHECK-NEXT:         %4 = arith.addf %w, %3 : f64
// CHECK-NEXT:         phi.yield %4 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %s : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %r_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// It also reads the element behind: the loops stay.
func.func @elements_behind(%m: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>, %a: !phi.vec<f64>) -> !phi.vec<f64> {
  %rows = phi.size %m, 0 : !phi.vec<!phi.vec<f64>>
  %columns = phi.size %m, 1 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %rows, %v = %a) -> !phi.vec<f64> {
    %q = phi.get %p[%i] : !phi.vec<i64>[i64]
    %s = phi.fold (%j < %columns, %w = %v) -> !phi.vec<f64> {
      %at = arith.addi %q, %j : i64
      %behind = arith.addi %at, %one : i64
      %old = phi.get %w[%at] : !phi.vec<f64>[i64]
      %next = phi.get %w[%behind] : !phi.vec<f64>[i64]
      %new = arith.addf %old, %next : f64
      %u = phi.array (%k < %n) -> !phi.vec<f64> {
        %k_1 = arith.index_cast %k : index to i64
        %here = arith.cmpi eq, %k_1, %at : i64
        %other = phi.get %w[%k] : !phi.vec<f64>[index]
        %y = arith.select %here, %new, %other : f64
        phi.yield %y : f64
      }
      phi.yield %u : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @elements_behind(
// CHECK:        %s = phi.fold (%j < %columns, %w = %v) -> !phi.vec<f64> {

// A position may be a cast of the index.
func.func @cast_positions(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
    %m = phi.size %acc, 0 : !phi.vec<f64>
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %p = arith.index_cast %i : index to i64
      %x = phi.get %acc[%p] : !phi.vec<f64>[i64]
      %y = phi.get %b[%k, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @cast_positions(
// CHECK:         %r = phi.array (%i < %0) -> !phi.vec<f64> {
// CHECK-NEXT:      %1 = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %r_1 = phi.fold (%k < %n, %acc = %1) -> f64 {

// Each step fills an element with the value of a loop, as a comprehension does. An array with more
// elements than there are steps is updated in place.

func.func @filled(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %n, %e = %x) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %z = phi.get %x[%k] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    %a = phi.array (%i < %n) -> !phi.vec<f64> {
      %own = arith.index_cast %i : index to i64
      %is_own = arith.cmpi eq, %own, %t : i64
      %old = phi.get %e[%i] : !phi.vec<f64>[index]
      %new = arith.select %is_own, %s, %old : f64
      phi.yield %new : f64
    }
    phi.yield %a : !phi.vec<f64>
  }
  %q = phi.fold (%t < %n, %e = %y) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %z = phi.get %x[%k] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    %a = phi.array (%i < %m) -> !phi.vec<f64> {
      %own = arith.index_cast %i : index to i64
      %is_own = arith.cmpi eq, %own, %t : i64
      %old = phi.get %e[%i] : !phi.vec<f64>[index]
      %new = arith.select %is_own, %s, %old : f64
      phi.yield %new : f64
    }
    phi.yield %a : !phi.vec<f64>
  }
  func.return %r, %q : !phi.vec<f64>, !phi.vec<f64>
}
// CHECK-LABEL: func.func @filled(
// CHECK:         %r = phi.array (%i < %0) -> !phi.vec<f64> {
// CHECK:         %q = phi.fold (%t_1 < %n, %e_1 = %y) -> !phi.vec<f64> {
