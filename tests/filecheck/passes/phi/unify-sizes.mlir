// RUN: ein-opt %s --split-input-file -p unify-sizes | filecheck %s

// A step keeps the size of its accumulator: it is that of the argument.
func.func @iterate(%u: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64> {
  %r = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
    %m = phi.size %v, 0 : !phi.vec<f64>
    %w = phi.array (%i < %m) -> !phi.vec<f64> {
      %x = phi.get %v[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  %k = phi.size %r, 0 : !phi.vec<f64>
  %s = phi.array (%i < %k) -> !phi.vec<f64> {
    %x = phi.get %r[%i] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:        func.func @iterate(%u: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64> {
// CHECK-NEXT:     %m = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
// CHECK-NEXT:       %w = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %x = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         phi.yield %x : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.array (%i_1 < %m) -> !phi.vec<f64> {

// -----

// Fields of records, through two loops.
func.func @record(%u: !phi.vec<f64>, %n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %init = phi.tuple (%zero, %u) : tuple<i64, !phi.vec<f64>>
  %r = phi.fold (%s < %n, %a = %init) -> tuple<i64, !phi.vec<f64>> {
    %q = phi.fold (%t < %n, %b = %a) -> tuple<i64, !phi.vec<f64>> {
      %c = phi.proj %b, 0 : tuple<i64, !phi.vec<f64>> -> i64
      %v = phi.proj %b, 1 : tuple<i64, !phi.vec<f64>> -> !phi.vec<f64>
      %m = phi.size %v, 0 : !phi.vec<f64>
      %d = arith.addi %c, %m : i64
      %next = phi.tuple (%d, %v) : tuple<i64, !phi.vec<f64>>
      phi.yield %next : tuple<i64, !phi.vec<f64>>
    }
    phi.yield %q : tuple<i64, !phi.vec<f64>>
  }
  %total = phi.proj %r, 0 : tuple<i64, !phi.vec<f64>> -> i64
  func.return %total : i64
}

// CHECK:        func.func @record
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %init = phi.tuple (%zero, %u)
// CHECK-NEXT:     %m = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold
// CHECK-NEXT:       %q = phi.fold
// CHECK-NEXT:         %c = phi.proj %b, 0
// CHECK-NEXT:         %v = phi.proj %b, 1
// CHECK-NEXT:         %d = arith.addi %c, %m : i64

// -----

// A step that changes the size: each size stays where it is.
func.func @grow(%u: !phi.vec<f64>, %steps: i64) -> i64 {
  %r = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
    %m = phi.size %v, 0 : !phi.vec<f64>
    %d = arith.addi %m, %m : i64
    %w = phi.array (%i < %d) -> !phi.vec<f64> {
      %x = phi.get %v[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  %k = phi.size %r, 0 : !phi.vec<f64>
  func.return %k : i64
}

// CHECK:        func.func @grow
// CHECK-NEXT:     %r = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
// CHECK-NEXT:       %m = phi.size %v, 0 : !phi.vec<f64>
// CHECK:          %k = phi.size %r, 0 : !phi.vec<f64>
// CHECK-NEXT:     func.return %k : i64

// -----

// The fact of an assertion holds at its place, and nothing moves there.
func.func @asserted(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> i64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %p = phi.assert_eq %n, %m, "index i"
  %q = arith.addi %m, %p : i64
  func.return %q : i64
}

// CHECK:        func.func @asserted
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:     %p = phi.assert_eq %n, %m, "index i"
// CHECK-NEXT:     %q = arith.addi %m, %p : i64

// -----

// A size in one body is not visible in the next.
func.func @siblings(%a: !phi.vec<f64>, %n: i64, %l: i64) -> (!phi.vec<i64>, !phi.vec<i64>) {
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %m = phi.size %a, 0 : !phi.vec<f64>
    phi.yield %m : i64
  }
  %s = phi.array (%i < %l) -> !phi.vec<i64> {
    %m = phi.size %a, 0 : !phi.vec<f64>
    %k = phi.size %a, 0 : !phi.vec<f64>
    %t = arith.addi %m, %k : i64
    phi.yield %t : i64
  }
  func.return %r, %s : !phi.vec<i64>, !phi.vec<i64>
}

// CHECK:        func.func @siblings
// CHECK-NEXT:     %r = phi.array
// CHECK-NEXT:       %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:       phi.yield %m : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.array
// CHECK-NEXT:       %m_1 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:       %t = arith.addi %m_1, %m_1 : i64

// -----

// An argument that is a size, with other uses, is that of an array of indices from the start on.
func.func @argument(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%last] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @argument
// CHECK-NEXT:     %0 = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:       phi.yield %1 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %n_1 = phi.size %0, 0 : !phi.vec<i64>
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %last = arith.subi %n_1, %one : i64
// CHECK-NEXT:     %r = phi.array (%i_1 < %n_1) -> !phi.vec<f64> {

// -----

// In the body of a loop, or of a size that is proven, nothing is checked.
func.func @proven(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<!phi.vec<i64>> {
  %m = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %m) -> !phi.vec<!phi.vec<i64>> {
    %s = phi.array (%j < %n) -> !phi.vec<i64> {
      %t = arith.addi %n, %m : i64
      phi.yield %t : i64
    }
    phi.yield %s : !phi.vec<i64>
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}

// CHECK:        func.func @proven
// CHECK-NEXT:     %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.array (%i < %m)
// CHECK-NEXT:       %s = phi.array (%j < %n)

// -----

// Counts that are equal modulo 2^64 are one Int.
func.func @counts(%a: !phi.vec<f64>, %r: i64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %twice = arith.muli %r, %two : i64
  %n = arith.addi %twice, %one : i64
  %sum = arith.addi %one, %r : i64
  %m = arith.addi %sum, %r : i64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.addf %acc, %x : f64
    phi.yield %next : f64
  }
  %t = phi.fold (%k < %m, %acc = %zero) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %acc, %x : f64
    phi.yield %next : f64
  }
  func.return %s, %t : f64, f64
}

// CHECK:        func.func @counts
// CHECK:          %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK:          %t = phi.fold (%k_1 < %n, %acc_1 = %zero) -> f64 {

// -----

// An assertion in a loop holds in its body: the body uses one of the equal sizes, and the assertion
// stays. After the loop, which may run no step, the sizes may differ.
func.func @asserted_in_loop(%u: !phi.vec<f64>, %v: !phi.vec<f64>, %steps: i64) -> (!phi.vec<f64>, i64) {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %m = phi.size %v, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %r = phi.fold (%t < %steps, %x = %v) -> !phi.vec<f64> {
    %l = phi.size %x, 0 : !phi.vec<f64>
    %k = phi.assert_eq %n, %l, "index i: size of u along axis 0 and size of x along axis 0"
    %y = phi.array (%i < %k) -> !phi.vec<f64> {
      %p = arith.subi %m, %one : i64
      %q = arith.subi %l, %one : i64
      %a = phi.get %u[%p] : !phi.vec<f64>[i64]
      %b = phi.get %x[%q] : !phi.vec<f64>[i64]
      %c = arith.addf %a, %b : f64
      phi.yield %c : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %r, %m : !phi.vec<f64>, i64
}

// CHECK-LABEL: func.func @asserted_in_loop(
// CHECK:         %n = phi.size %u, 0
// CHECK:         %m = phi.size %v, 0
// CHECK:         phi.fold
// CHECK:           %l = phi.size %x, 0
// CHECK:           %k = phi.assert_eq %n, %l
// CHECK:           phi.array (%i < %k)
// CHECK:             %p = arith.subi %n, %one : i64
// CHECK:             %q = arith.subi %n, %one : i64
// CHECK:         func.return %{{.*}}, %m

// -----

// The count of the loop is outside of the body: without a step nothing is compared. A size that is
// computed later does not replace one before it.
func.func @asserted_later(%u: !phi.vec<f64>, %v: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %m = phi.size %v, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %r = phi.fold (%t < %m, %x = %v) -> !phi.vec<f64> {
    %same = phi.assert_eq %n, %m, "index i: sizes"
    %y = phi.array (%i < %same) -> !phi.vec<f64> {
      %p = arith.subi %m, %one : i64
      %c = phi.get %u[%p] : !phi.vec<f64>[i64]
      phi.yield %c : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  %s = phi.fold (%t < %n, %x = %v) -> !phi.vec<f64> {
    %p = arith.subi %n, %one : i64
    %c = phi.get %u[%p] : !phi.vec<f64>[i64]
    %k = arith.muli %m, %m : i64
    %l = phi.assert_eq %k, %n, "index i: sizes"
    %y = phi.array (%i < %l) -> !phi.vec<f64> {
      %q = arith.subi %n, %one : i64
      %d = phi.get %r[%q] : !phi.vec<f64>[i64]
      %e = arith.addf %c, %d : f64
      phi.yield %e : f64
    }
    %z = phi.array (%i < %l) -> !phi.vec<f64> {
      %w = phi.get %y[%i] : !phi.vec<f64>[index]
      phi.yield %w : f64
    }
    phi.yield %z : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK-LABEL: func.func @asserted_later(
// CHECK:         phi.fold (%t < %m,
// CHECK:             %p = arith.subi %n, %one : i64
// CHECK:         phi.fold (%t_1 < %n,
// CHECK-NEXT:      %p_1 = arith.subi %n, %one : i64
// CHECK:           %k = arith.muli %m, %m
// CHECK:             %q = arith.subi %k, %one : i64

// -----

// Loops carry arrays of both sizes that an assertion compares: the first of them is that of all. So
// is it of a size that an assertion before the loop compares.

func.func @carried_of_both(%u: !phi.vec<f64>, %v: !phi.vec<f64>, %w: !phi.vec<f64>, %n: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %m = phi.size %u, 0 : !phi.vec<f64>
  %k = phi.size %v, 0 : !phi.vec<f64>
  %l = phi.size %w, 0 : !phi.vec<f64>
  %p = phi.assert_eq %m, %l, "sizes"
  %c = phi.array (%i < %p) -> !phi.vec<f64> {
    %x = phi.get %w[%i] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  %start = phi.tuple (%c, %v) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%t < %n, %acc = %start) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %q = phi.assert_eq %m, %k, "index i: sizes"
    %a = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %b = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %y = phi.array (%i < %q) -> !phi.vec<f64> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      %z = phi.get %b[%i] : !phi.vec<f64>[index]
      %s = arith.addf %x, %z : f64
      phi.yield %s : f64
    }
    %d = phi.array (%i < %k) -> !phi.vec<f64> {
      %j = arith.index_cast %i : index to i64
      %is_below = arith.cmpi slt, %j, %p : i64
      %z = phi.get %b[%i] : !phi.vec<f64>[index]
      %x = phi.get %y[%i] : !phi.vec<f64>[index]
      %e = arith.select %is_below, %x, %z : f64
      phi.yield %e : f64
    }
    %next = phi.tuple (%y, %d) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @carried_of_both(
// CHECK:         phi.fold (%t < %n,
// CHECK:           phi.assert_eq %m, %k
// CHECK:           %d = phi.array (%{{.*}} < %m)
// CHECK:             arith.cmpi slt, %{{.*}}, %m

// -----

// After an assertion that a size is a number, the size is that of the assertion, which is kept.
func.func @number(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %three = arith.constant 3 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %k = phi.size %v, 0 : !phi.vec<f64>
  %before = phi.array (%i < %m) -> !phi.vec<f64> {
    %x = phi.get %a[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  %c = phi.assert_eq %m, %three, "index i"
  %d = phi.assert_eq %k, %c, "index j"
  %after = phi.array (%i < %n, %j < %d) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = phi.get %v[%j] : !phi.vec<f64>[index]
    %z = arith.addf %x, %y : f64
    phi.yield %z : f64
  }
  %last = phi.array (%i < %k) -> !phi.vec<f64> {
    %x = phi.get %after[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  func.return %before, %last : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @number(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:        %three = arith.constant 3 : i64
// CHECK-NEXT:        %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:        %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:        %k = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:        %before = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %x = phi.get %a[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          phi.yield %x : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %c = phi.assert_eq %m, %three, "index i"
// CHECK-NEXT:        %d = phi.assert_eq %k, %c, "index j"
// CHECK-NEXT:        %after = phi.array (%i_1 < %n, %j < %d) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:          %x_1 = phi.get %a[%i_1, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          %y = phi.get %v[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:          %z = arith.addf %x_1, %y : f64
// CHECK-NEXT:          phi.yield %z : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %last = phi.array (%i_2 < %d) -> !phi.vec<f64> {
// CHECK-NEXT:          %x_2 = phi.get %after[%i_2, %i_2] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          phi.yield %x_2 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %before, %last : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:      }

// -----

// So does the size of an array that a loop by a condition carries; one that a step may change stays.

func.func @while(%u: !phi.vec<f64>, %limit: i64, %m: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %true = arith.constant true
  %start = phi.tuple (%true, %u) : tuple<i1, !phi.vec<f64>>
  %r = phi.while (%t < %limit, %s = %start) -> tuple<i1, !phi.vec<f64>> {
    %v = phi.proj %s, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
    %n = phi.size %v, 0 : !phi.vec<f64>
    %w = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %v[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    %next = phi.tuple (%true, %w) : tuple<i1, !phi.vec<f64>>
    phi.yield %next : tuple<i1, !phi.vec<f64>>
  }
  %q = phi.while (%t < %limit, %s = %start) -> tuple<i1, !phi.vec<f64>> {
    %v = phi.proj %s, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
    %n = phi.size %v, 0 : !phi.vec<f64>
    %w = phi.array (%i < %m) -> !phi.vec<f64> {
      %k = arith.remsi %n, %m : i64
      %x = phi.get %v[%k] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    %next = phi.tuple (%true, %w) : tuple<i1, !phi.vec<f64>>
    phi.yield %next : tuple<i1, !phi.vec<f64>>
  }
  %a = phi.proj %r, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
  %b = phi.proj %q, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @while(%u: !phi.vec<f64>, %limit: i64, %m: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:          %true = arith.constant true
// CHECK-NEXT:          %start = phi.tuple (%true, %u) : tuple<i1, !phi.vec<f64>>
// CHECK-NEXT:          %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:          %r = phi.while (%t < %limit, %s = %start) -> tuple<i1, !phi.vec<f64>> {
// CHECK-NEXT:            %v = phi.proj %s, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:            %w = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:              %x = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:              phi.yield %x : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            %next = phi.tuple (%true, %w) : tuple<i1, !phi.vec<f64>>
// CHECK-NEXT:            phi.yield %next : tuple<i1, !phi.vec<f64>>
// CHECK-NEXT:          }
// CHECK-NEXT:          %q = phi.while (%t_1 < %limit, %s_1 = %start) -> tuple<i1, !phi.vec<f64>> {
// CHECK-NEXT:            %v_1 = phi.proj %s_1, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:            %n_1 = phi.size %v_1, 0 : !phi.vec<f64>
// CHECK-NEXT:            %w_1 = phi.array (%i_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:              %k = arith.remsi %n_1, %m : i64
// CHECK-NEXT:              %x_1 = phi.get %v_1[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:              phi.yield %x_1 : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            %next_1 = phi.tuple (%true, %w_1) : tuple<i1, !phi.vec<f64>>
// CHECK-NEXT:            phi.yield %next_1 : tuple<i1, !phi.vec<f64>>
// CHECK-NEXT:          }
// CHECK-NEXT:          %a = phi.proj %r, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          %b = phi.proj %q, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:          func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:        }

// A count that is the size of a comprehension before it, computed from an argument.
func.func @computed(%n: i64, %x: f64) -> f64 {
  %one = arith.constant 1 : i64
  %size = arith.addi %n, %one : i64
  %a = phi.array (%i < %size) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %r = phi.fold (%k < %size, %acc = %x) -> f64 {
    %y = phi.get %a[%k] : !phi.vec<f64>[i64]
    %z = arith.mulf %acc, %y : f64
    phi.yield %z : f64
  }
  func.return %r : f64
}

// CHECK-LABEL:       func.func @computed(%n: i64, %x: f64) -> f64 {
// CHECK-NEXT:          %one = arith.constant 1 : i64
// CHECK-NEXT:          %size = arith.addi %n, %one : i64
// CHECK-NEXT:          %0 = phi.array (%i < %size) -> !phi.vec<i64> {
// CHECK-NEXT:            %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:            phi.yield %1 : i64
// CHECK-NEXT:          }
// CHECK-NEXT:          %size_1 = phi.size %0, 0 : !phi.vec<i64>
// CHECK-NEXT:          %a = phi.array (%i_1 < %size_1) -> !phi.vec<f64> {
// CHECK-NEXT:            phi.yield %x : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %r = phi.fold (%k < %size_1, %acc = %x) -> f64 {

// A product of sizes stays: positions are divided by its factors.
func.func @product(%n: i64, %m: i64, %x: f64) -> (!phi.vec<f64>, i64) {
  %size = arith.muli %n, %m : i64
  %a = phi.array (%i < %size) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  func.return %a, %size : !phi.vec<f64>, i64
}

// CHECK-LABEL:       func.func @product
// CHECK-NEXT:          %size = arith.muli %n, %m : i64
// CHECK-NEXT:          phi.array (%i < %size)

// -----

// The least of a counter and the count is the counter; a size that is computed keeps its bound.

func.func @extremes(%n: i64, %m: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %a = phi.array (%i < %n) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<i64> {
    %p = arith.minsi %n, %k : i64
    %q = arith.minsi %k, %m : i64
    %s = arith.addi %p, %q : i64
    %y = phi.array (%j < %n) -> !phi.vec<i64> {
      phi.yield %s : i64
    }
    phi.yield %y : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @extremes
// CHECK:         phi.fold (%k <
// CHECK-NEXT:      %q = arith.minsi %k, %m : i64
// CHECK-NEXT:      %s = arith.addi %k, %q : i64
