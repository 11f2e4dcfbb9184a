// RUN: ein-opt %s -p raise-segment-reductions | filecheck %s

// The elements that are equal to the counter of a fold are segments of all its steps.

func.func @distinct(%x: !phi.vec<i64>, %m: i64) -> i64 {
  %n = phi.size %x, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %no = arith.constant false
  %r = phi.fold (%c < %m, %acc = %zero) -> i64 {
    %found = phi.fold (%k < %n, %any = %no) -> i1 {
      %y = phi.get %x[%k] : !phi.vec<i64>[i64]
      %is_equal = arith.cmpi eq, %y, %c : i64
      %or = arith.ori %any, %is_equal : i1
      phi.yield %or : i1
    }
    %number = arith.extui %found : i1 to i64
    %next = arith.addi %acc, %number : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @distinct(%x: !phi.vec<i64>, %m: i64) -> i64 {
// CHECK-NEXT:        %n = phi.size %x, 0 : !phi.vec<i64>
// CHECK-NEXT:        %zero = arith.constant 0 : i64
// CHECK-NEXT:        %no = arith.constant false
// CHECK-NEXT:        %0 = arith.constant 0 : i64
// CHECK-NEXT:        %1 = arith.maxsi %m, %0 : i64
// CHECK-NEXT:        %2 = phi.array (%c < %1) -> !phi.vec<i1> {
// CHECK-NEXT:          %c_1 = arith.index_cast %c : index to i64
// CHECK-NEXT:          %found = phi.accumulate (%k < %n) into "or" (%1) -> !phi.vec<i1> {
// CHECK-NEXT:            %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:            %y = phi.get %x[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:            %3 = arith.constant true
// CHECK-NEXT:            %4 = phi.tuple (%y, %3) : tuple<i64, i1>
// CHECK-NEXT:            phi.yield %4 : tuple<i64, i1>
// CHECK-NEXT:          }
// CHECK-NEXT:          %found_1 = phi.get %found[%c] : !phi.vec<i1>[index]
// CHECK-NEXT:          phi.yield %found_1 : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        %r = phi.fold (%c_2 < %m, %acc = %zero) -> i64 {
// CHECK-NEXT:          %found_2 = phi.get %2[%c_2] : !phi.vec<i1>[i64]
// CHECK-NEXT:          %number = arith.extui %found_2 : i1 to i64
// CHECK-NEXT:          %next = arith.addi %acc, %number : i64
// CHECK-NEXT:          phi.yield %next : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : i64
// CHECK-NEXT:      }

// It stays if a step of the outer fold affects the next one's elements.

func.func @affected(%x: !phi.vec<i64>, %m: i64) -> i64 {
  %n = phi.size %x, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.fold (%c < %m, %acc = %zero) -> i64 {
    %next = phi.fold (%k < %n, %sum = %zero) -> i64 {
      %y = phi.get %x[%k] : !phi.vec<i64>[i64]
      %is_equal = arith.cmpi eq, %y, %c : i64
      %term = arith.select %is_equal, %acc, %zero : i64
      %total = arith.addi %sum, %term : i64
      phi.yield %total : i64
    }
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @affected(%x: !phi.vec<i64>, %m: i64) -> i64 {
// CHECK-NEXT:        %n = phi.size %x, 0 : !phi.vec<i64>
// CHECK-NEXT:        %zero = arith.constant 0 : i64
// CHECK-NEXT:        %r = phi.fold (%c < %m, %acc = %zero) -> i64 {
// CHECK-NEXT:          %next = phi.fold (%k < %n, %sum = %zero) -> i64 {
// CHECK-NEXT:            %y = phi.get %x[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:            %is_equal = arith.cmpi eq, %y, %c : i64
// CHECK-NEXT:            %term = arith.select %is_equal, %acc, %zero : i64
// CHECK-NEXT:            %total = arith.addi %sum, %term : i64
// CHECK-NEXT:            phi.yield %total : i64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %next : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : i64
// CHECK-NEXT:      }

// Truths and extremes with a sentinel have an accumulation over both counters.

func.func @regions(%x: !phi.vec<!phi.vec<i64>>, %m: i64) -> (!phi.vec<i1>, !phi.vec<i64>) {
  %h = phi.size %x, 0 : !phi.vec<!phi.vec<i64>>
  %w = phi.size %x, 1 : !phi.vec<!phi.vec<i64>>
  %no = arith.constant false
  %least = arith.constant -9223372036854775808 : i64
  %none = arith.constant -1 : i64
  %r = phi.array (%c < %m) -> !phi.vec<i1> {
    %own = arith.index_cast %c : index to i64
    %s = phi.fold (%i < %h, %acc = %no) -> i1 {
      %t = phi.fold (%j < %w, %any = %no) -> i1 {
        %y = phi.get %x[%i, %j] : !phi.vec<!phi.vec<i64>>[i64, i64]
        %is_equal = arith.cmpi eq, %y, %own : i64
        %or = arith.ori %any, %is_equal : i1
        phi.yield %or : i1
      }
      %next = arith.ori %acc, %t : i1
      phi.yield %next : i1
    }
    phi.yield %s : i1
  }
  %q = phi.array (%d < %m) -> !phi.vec<i64> {
    %own_1 = arith.index_cast %d : index to i64
    %s_1 = phi.fold (%i_1 < %h, %acc_1 = %least) -> i64 {
      %t_1 = phi.fold (%j_1 < %w, %best = %least) -> i64 {
        %y_1 = phi.get %x[%i_1, %j_1] : !phi.vec<!phi.vec<i64>>[i64, i64]
        %is_equal_1 = arith.cmpi eq, %y_1, %own_1 : i64
        %e = arith.select %is_equal_1, %j_1, %none : i64
        %better = arith.maxsi %best, %e : i64
        phi.yield %better : i64
      }
      %next_1 = arith.maxsi %acc_1, %t_1 : i64
      phi.yield %next_1 : i64
    }
    phi.yield %s_1 : i64
  }
  func.return %r, %q : !phi.vec<i1>, !phi.vec<i64>
}

// CHECK-LABEL: func.func @regions(%x: !phi.vec<!phi.vec<i64>>, %m: i64) -> (!phi.vec<i1>, !phi.vec<i64>) {
// CHECK-NEXT:        %h = phi.size %x, 0 : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:        %w = phi.size %x, 1 : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:        %no = arith.constant false
// CHECK-NEXT:        %least = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:        %none = arith.constant -1 : i64
// CHECK-NEXT:        %r = phi.array (%c < %m) -> !phi.vec<i1> {
// CHECK-NEXT:          %own = arith.index_cast %c : index to i64
// CHECK-NEXT:          %s = phi.accumulate (%i < %h, %j < %w) into "or" (%m) -> !phi.vec<i1> {
// CHECK-NEXT:            %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:            %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:            %y = phi.get %x[%i_1, %j_1] : !phi.vec<!phi.vec<i64>>[i64, i64]
// CHECK-NEXT:            %0 = arith.constant true
// CHECK-NEXT:            %1 = phi.tuple (%y, %0) : tuple<i64, i1>
// CHECK-NEXT:            phi.yield %1 : tuple<i64, i1>
// CHECK-NEXT:          }
// CHECK-NEXT:          %s_1 = phi.get %s[%c] : !phi.vec<i1>[index]
// CHECK-NEXT:          phi.yield %s_1 : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        %q = phi.array (%d < %m) -> !phi.vec<i64> {
// CHECK-NEXT:          %own_1 = arith.index_cast %d : index to i64
// CHECK-NEXT:          %2 = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:          %3 = phi.accumulate (%i_2 < %h, %j_2 < %w) into "max" (%m) -> !phi.vec<i64> {
// CHECK-NEXT:            %i_3 = arith.index_cast %i_2 : index to i64
// CHECK-NEXT:            %j_3 = arith.index_cast %j_2 : index to i64
// CHECK-NEXT:            %y_1 = phi.get %x[%i_3, %j_3] : !phi.vec<!phi.vec<i64>>[i64, i64]
// CHECK-NEXT:            %4 = phi.tuple (%y_1, %j_3) : tuple<i64, i64>
// CHECK-NEXT:            phi.yield %4 : tuple<i64, i64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %5 = phi.get %3[%d] : !phi.vec<i64>[index]
// CHECK-NEXT:          %6 = arith.muli %h, %w : i64
// CHECK-NEXT:          %7 = arith.constant 0 : i64
// CHECK-NEXT:          %8 = arith.cmpi slt, %7, %6 : i64
// CHECK-NEXT:          %9 = arith.maxsi %5, %none : i64
// CHECK-NEXT:          %s_2 = arith.select %8, %9, %5 : i64
// CHECK-NEXT:          phi.yield %s_2 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r, %q : !phi.vec<i1>, !phi.vec<i64>
// CHECK-NEXT:      }

// -----

// Patches that overlap along two axes, which both folds move: each of them is a block at a place.

func.func @patches(%f: !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>, %hop: i64, %h: i64, %w: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %f, 0 : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>
  %n = phi.size %f, 1 : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>
  %p = phi.size %f, 2 : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>
  %q = phi.size %f, 3 : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>
  %r = phi.array (%i < %h, %j < %w) -> !phi.vec<!phi.vec<f64>> {
    %y = arith.index_cast %i : index to i64
    %x = arith.index_cast %j : index to i64
    %s = phi.fold (%u < %m, %acc = %zero) -> f64 {
      %row = arith.muli %u, %hop : i64
      %below = arith.addi %row, %p : i64
      %a = arith.cmpi sle, %row, %y : i64
      %b = arith.cmpi slt, %y, %below : i64
      %t = phi.fold (%v < %n, %part = %zero) -> f64 {
        %column = arith.muli %v, %hop : i64
        %behind = arith.addi %column, %q : i64
        %c = arith.cmpi sle, %column, %x : i64
        %d = arith.cmpi slt, %x, %behind : i64
        %ab = arith.andi %a, %b : i1
        %abc = arith.andi %ab, %c : i1
        %abcd = arith.andi %abc, %d : i1
        %k = arith.subi %y, %row : i64
        %l = arith.subi %x, %column : i64
        %e = phi.get %f[%u, %v, %k, %l] : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>[i64, i64, i64, i64]
        %z = arith.select %abcd, %e, %zero : f64
        %after = arith.addf %part, %z : f64
        phi.yield %after : f64
      }
      %next = arith.addf %acc, %t : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @patches(
// CHECK:         phi.accumulate (%u < %m, %v < %n, %{{.*}} < %p, %{{.*}} < %q) into "add" (%h, %w)
// CHECK-NOT:     phi.fold

// -----

// The index is the place in a row, and the test is whether that is in bounds: the sum stays.

func.func @in_bounds(%f: !phi.vec<!phi.vec<f64>>, %g: !phi.vec<f64>, %hop: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %f, 0 : !phi.vec<!phi.vec<f64>>
  %w = phi.size %f, 1 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %g, 0 : !phi.vec<f64>
  %r = phi.array (%t < %w) -> !phi.vec<f64> {
    %i = arith.index_cast %t : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %start = arith.muli %k, %hop : i64
      %j = arith.addi %start, %i : i64
      %first = arith.cmpi sge, %j, %none : i64
      %last = arith.cmpi slt, %j, %m : i64
      %inside = arith.andi %first, %last : i1
      %a = phi.get %f[%k, %t] : !phi.vec<!phi.vec<f64>>[i64, index]
      %b = phi.get %g[%j] : !phi.vec<f64>[i64]
      %x = arith.mulf %a, %b : f64
      %y = arith.select %inside, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @in_bounds(
// CHECK:         phi.fold
