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
