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
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = phi.scan "add" %0 : !phi.vec<f64>
// CHECK-NEXT:      %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:      %s_1 = phi.get %s[%i_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %s_1 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }

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
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %m = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:    %r = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = phi.scan "min" %0 : !phi.vec<f64>
// CHECK-NEXT:      %end = phi.get %p[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:      %1 = arith.minsi %end, %n : i64
// CHECK-NEXT:      %2 = arith.constant 1 : i64
// CHECK-NEXT:      %3 = arith.addi %1, %2 : i64
// CHECK-NEXT:      %s_1 = phi.get %s[%3] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %s_1 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }

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

// -----

// A bound by a sum of an index and the counter, and one by a difference.
func.func @linear(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %sum = arith.addi %k, %i_1 : i64
      %c = arith.cmpi slt, %sum, %n : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @linear(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.scan "add" %0 : !phi.vec<f64>
// CHECK-NEXT:     %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %2 = arith.subi %n, %1 : i64
// CHECK-NEXT:     %s_1 = phi.get %s[%2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A window of constant size: a fold over its places.
func.func @window(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %before = arith.subi %i_1, %three : i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %c = arith.cmpi slt, %before, %k : i64
      %d = arith.cmpi sle, %k, %i_1 : i64
      %e = arith.andi %c, %d : i1
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %e, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @window(
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = arith.constant 3 : i64
// CHECK-NEXT:     %s = phi.fold (%k < %0, %acc = %zero) -> f64 {
// CHECK-NEXT:       %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %2 = arith.constant 2 : i64
// CHECK-NEXT:       %3 = arith.subi %1, %2 : i64
// CHECK-NEXT:       %k_1 = arith.addi %3, %k : i64
// CHECK-NEXT:       %c = arith.constant true
// CHECK-NEXT:       %d = arith.constant true
// CHECK-NEXT:       %e = arith.andi %c, %d : i1
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = arith.select %e, %x, %zero : f64
// CHECK-NEXT:       %next = arith.addf %acc, %y : f64
// CHECK-NEXT:       %4 = arith.cmpi ult, %k_1, %n : i64
// CHECK-NEXT:       %5 = arith.select %4, %next, %acc : f64
// CHECK-NEXT:       phi.yield %5 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A finite sentinel is a maximum with it, if an element is left out.
func.func @sentinel(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %least = arith.constant 0xfff0000000000000 : f64
  %sentinel = arith.constant -1.0e30 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %least) -> f64 {
      %c = arith.cmpi slt, %k, %i_1 : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %sentinel : f64
      %next = arith.maximumf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @sentinel(
// CHECK-NEXT:   %sentinel = arith.constant -1.000000e+30 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %1 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = phi.scan "max" %1 : !phi.vec<f64>
// CHECK-NEXT:     %3 = phi.get %2[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %4 = arith.cmpi slt, %0, %n : i64
// CHECK-NEXT:     %5 = arith.maximumf %3, %sentinel : f64
// CHECK-NEXT:     %s = arith.select %4, %5, %3 : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// The position of the smallest element of each prefix.
func.func @search(%a: !phi.vec<i64>) -> !phi.vec<i64> {
  %largest = arith.constant 9223372036854775807 : i64
  %zero = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %init = phi.tuple (%largest, %zero) : tuple<i64, i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %best = %init) -> tuple<i64, i64> {
      %c = arith.cmpi slt, %k, %i_1 : i64
      %x = phi.get %a[%k] : !phi.vec<i64>[i64]
      %y = arith.select %c, %x, %largest : i64
      %least = phi.proj %best, 0 : tuple<i64, i64> -> i64
      %at = phi.proj %best, 1 : tuple<i64, i64> -> i64
      %d = arith.cmpi slt, %y, %least : i64
      %z = arith.select %d, %y, %least : i64
      %w = arith.select %d, %k, %at : i64
      %next = phi.tuple (%z, %w) : tuple<i64, i64>
      phi.yield %next : tuple<i64, i64>
    }
    %found = phi.proj %s, 1 : tuple<i64, i64> -> i64
    phi.yield %found : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @search(
// CHECK-NEXT:   %largest = arith.constant 9223372036854775807 : i64
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       phi.yield %x : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.scan "min" %0 : !phi.vec<i64>
// CHECK-NEXT:     %2 = phi.array (%k_2 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:       %3 = phi.get %0[%k_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %4 = phi.get %1[%k_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %5 = arith.cmpi slt, %3, %4 : i64
// CHECK-NEXT:       %6 = arith.constant -1 : i64
// CHECK-NEXT:       %7 = arith.select %5, %k_3, %6 : i64
// CHECK-NEXT:       phi.yield %7 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %8 = phi.scan "max" %2 : !phi.vec<i64>
// CHECK-NEXT:     %9 = phi.get %8[%i_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %10 = phi.get %1[%i_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %11 = arith.cmpi slt, %10, %largest : i64
// CHECK-NEXT:     %x_1 = phi.get %a[%9] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %12 = arith.select %11, %x_1, %largest : i64
// CHECK-NEXT:     %13 = arith.select %11, %9, %zero : i64
// CHECK-NEXT:     %s = phi.tuple (%12, %13) : tuple<i64, i64>
// CHECK-NEXT:     %found = phi.proj %s, 1 : tuple<i64, i64> -> i64
// CHECK-NEXT:     phi.yield %found : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// Loops: a sum that may wrap, and a window between Ints that are no indices.
func.func @may_wrap(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %sum = arith.addi %k, %q : i64
      %c = arith.cmpi slt, %sum, %n : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %t = phi.array (%i_1 < %n) -> !phi.vec<f64> {
    %q_1 = phi.get %p[%i_1] : !phi.vec<i64>[index]
    %h_1 = arith.addi %q_1, %three : i64
    %s_1 = phi.fold (%k_1 < %n, %acc_1 = %zero) -> f64 {
      %c_1 = arith.cmpi sge, %k_1, %q_1 : i64
      %d_1 = arith.cmpi slt, %k_1, %h_1 : i64
      %e_1 = arith.andi %c_1, %d_1 : i1
      %x_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
      %y_1 = arith.select %e_1, %x_1, %zero : f64
      %next_1 = arith.addf %acc_1, %y_1 : f64
      phi.yield %next_1 : f64
    }
    phi.yield %s_1 : f64
  }
  func.return %r, %t : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @may_wrap(
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %three = arith.constant 3 : i64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %q = phi.get %p[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:       %sum = arith.addi %k, %q : i64
// CHECK-NEXT:       %c = arith.cmpi slt, %sum, %n : i64
// CHECK-NEXT:       %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = arith.select %c, %x, %zero : f64
// CHECK-NEXT:       %next = arith.addf %acc, %y : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %q_1 = phi.get %p[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:     %h = arith.addi %q_1, %three : i64
// CHECK-NEXT:     %s_1 = phi.fold (%k_1 < %n, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:       %c_1 = arith.cmpi sge, %k_1, %q_1 : i64
// CHECK-NEXT:       %d = arith.cmpi slt, %k_1, %h : i64
// CHECK-NEXT:       %e = arith.andi %c_1, %d : i1
// CHECK-NEXT:       %x_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y_1 = arith.select %e, %x_1, %zero : f64
// CHECK-NEXT:       %next_1 = arith.addf %acc_1, %y_1 : f64
// CHECK-NEXT:       phi.yield %next_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %t : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT: }

// -----

// The bound is the counter of a loop around the fold: the scan does not vary with that loop. The
// elements of @within_step do, and stay.
func.func @before_loop(%a: !phi.vec<f64>) -> f64 {
  %least = arith.constant 0xfff0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %sum = %zero) -> f64 {
    %s = phi.fold (%k < %n, %acc = %least) -> f64 {
      %c = arith.cmpi sle, %k, %i : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %least : f64
      %next = arith.maximumf %acc, %y : f64
      phi.yield %next : f64
    }
    %total = arith.addf %sum, %s : f64
    phi.yield %total : f64
  }
  func.return %r : f64
}

// -----

func.func @within_step(%a: !phi.vec<f64>) -> f64 {
  %least = arith.constant 0xfff0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %sum = %zero) -> f64 {
    %s = phi.fold (%k < %n, %acc = %least) -> f64 {
      %c = arith.cmpi sle, %k, %i : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %u = arith.mulf %x, %sum : f64
      %y = arith.select %c, %u, %least : f64
      %next = arith.maximumf %acc, %y : f64
      phi.yield %next : f64
    }
    %total = arith.addf %sum, %s : f64
    phi.yield %total : f64
  }
  func.return %r : f64
}

// -----

// The number of steps before a position needs no scan.
func.func @number(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %p, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %c = arith.cmpi sge, %k, %q : i64
      %y = arith.select %c, %one, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @before_loop(
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%i < %n, %sum = %zero) -> f64 {
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.scan "max" %0 : !phi.vec<f64>
// CHECK-NEXT:     %1 = arith.constant 1 : i64
// CHECK-NEXT:     %2 = arith.addi %i, %1 : i64
// CHECK-NEXT:     %s_1 = phi.get %s[%2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %total = arith.addf %sum, %s_1 : f64
// CHECK-NEXT:     phi.yield %total : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : f64
// CHECK-NEXT: }

// CHECK-LABEL: func.func @within_step(
// CHECK-NEXT:   %least = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%i < %n, %sum = %zero) -> f64 {
// CHECK-NEXT:     %s = phi.fold (%k < %n, %acc = %least) -> f64 {
// CHECK-NEXT:       %c = arith.cmpi sle, %k, %i : i64
// CHECK-NEXT:       %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %u = arith.mulf %x, %sum : f64
// CHECK-NEXT:       %y = arith.select %c, %u, %least : f64
// CHECK-NEXT:       %next = arith.maximumf %acc, %y : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %total = arith.addf %sum, %s : f64
// CHECK-NEXT:     phi.yield %total : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : f64
// CHECK-NEXT: }

// CHECK-LABEL: func.func @number(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %m = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %q = phi.get %p[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %0 = arith.constant 0 : i64
// CHECK-NEXT:     %1 = arith.maxsi %q, %0 : i64
// CHECK-NEXT:     %2 = arith.minsi %1, %n : i64
// CHECK-NEXT:     %3 = arith.subi %n, %2 : i64
// CHECK-NEXT:     %s = arith.sitofp %3 : i64 to f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// All elements but one are those before it and those after it. Products of floats are not regrouped.
func.func @but_one(%a: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %c = arith.cmpi ne, %k, %i_1 : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %t = phi.array (%j < %n) -> !phi.vec<f64> {
    %j_1 = arith.index_cast %j : index to i64
    %s_1 = phi.fold (%k_1 < %n, %acc_1 = %one) -> f64 {
      %c_1 = arith.cmpi ne, %k_1, %j_1 : i64
      %x_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
      %y_1 = arith.select %c_1, %x_1, %one : f64
      %next_1 = arith.mulf %acc_1, %y_1 : f64
      phi.yield %next_1 : f64
    }
    phi.yield %s_1 : f64
  }
  func.return %r, %t : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @but_one(
// CHECK-NEXT:   %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %2 = arith.minsi %1, %n : i64
// CHECK-NEXT:     %3 = arith.constant 1 : i64
// CHECK-NEXT:     %4 = arith.addi %2, %3 : i64
// CHECK-NEXT:     %5 = phi.scan "add" %0 : !phi.vec<f64>
// CHECK-NEXT:     %6 = phi.get %5[%2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %7 = phi.scan "add" %0 suffixes : !phi.vec<f64>
// CHECK-NEXT:     %8 = phi.get %7[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %s = arith.addf %6, %8 : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:     %s_1 = phi.fold (%k_2 < %n, %acc = %one) -> f64 {
// CHECK-NEXT:       %c = arith.cmpi ne, %k_2, %j_1 : i64
// CHECK-NEXT:       %x_1 = phi.get %a[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = arith.select %c, %x_1, %one : f64
// CHECK-NEXT:       %next = arith.mulf %acc, %y : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %t : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A bound of a magnitude is two of its value.
func.func @near(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %d = arith.subi %k, %i_1 : i64
      %m = math.absi %d : i64
      %c = arith.cmpi sle, %m, %two : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @near(
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = arith.constant 5 : i64
// CHECK-NEXT:     %s = phi.fold (%k < %0, %acc = %zero) -> f64 {
// CHECK-NEXT:       %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %2 = arith.constant 2 : i64
// CHECK-NEXT:       %3 = arith.subi %1, %2 : i64
// CHECK-NEXT:       %k_1 = arith.addi %3, %k : i64
// CHECK-NEXT:       %c = arith.constant true
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = arith.select %c, %x, %zero : f64
// CHECK-NEXT:       %next = arith.addf %acc, %y : f64
// CHECK-NEXT:       %4 = arith.cmpi ult, %k_1, %n : i64
// CHECK-NEXT:       %5 = arith.select %4, %next, %acc : f64
// CHECK-NEXT:       phi.yield %5 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }
