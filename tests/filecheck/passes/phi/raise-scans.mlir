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

// A test that is the same in all steps selects the total of a window: it is a bound of the outer fold.
func.func @box(%a: !phi.vec<!phi.vec<f64>>, %c: i1) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %end = arith.addi %i_1, %three : i64
    %s = phi.fold (%y < %n, %acc = %zero) -> f64 {
      %t = phi.fold (%x < %m, %sum = %zero) -> f64 {
        %p = arith.cmpi sle, %i_1, %y : i64
        %q = arith.cmpi slt, %y, %end : i64
        %u = arith.cmpi sle, %i_1, %x : i64
        %v = arith.cmpi slt, %x, %end : i64
        %rows = arith.andi %p, %q : i1
        %columns = arith.andi %u, %v : i1
        %box = arith.andi %rows, %columns : i1
        %chosen = arith.andi %box, %c : i1
        %e = phi.get %a[%y, %x] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %f = arith.select %chosen, %e, %zero : f64
        %next = arith.addf %sum, %f : f64
        phi.yield %next : f64
      }
      %total = arith.addf %acc, %t : f64
      phi.yield %total : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @box(
// CHECK:         %[[ROWS:.*]] = arith.constant 3 : i64
// CHECK:         phi.fold (%y < %[[ROWS]],
// CHECK:           %[[COLUMNS:.*]] = arith.constant 3 : i64
// CHECK:           phi.fold (%x < %[[COLUMNS]],
// CHECK:         %{{.*}} = arith.select %c, %{{.*}}, %{{.*}} : f64
// CHECK:         func.return

// -----

// A finite sentinel is a maximum with it, if there are elements: the last one is always left out.
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
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.scan "max" %0 : !phi.vec<f64>
// CHECK-NEXT:     %2 = phi.get %1[%i_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %3 = arith.constant 0 : i64
// CHECK-NEXT:     %4 = arith.cmpi slt, %3, %n : i64
// CHECK-NEXT:     %5 = arith.maximumf %2, %sentinel : f64
// CHECK-NEXT:     %s = arith.select %4, %5, %2 : f64
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

// A loop: the sum may wrap.
func.func @may_wrap(%a: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
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
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @may_wrap(
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
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
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Ranges of floats: combinations of 1, 2, 4, .. elements.
func.func @ranges(%a: !phi.vec<f64>, %ps: !phi.vec<i64>, %qs: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %p = phi.get %ps[%i] : !phi.vec<i64>[index]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %q = phi.get %qs[%i] : !phi.vec<i64>[index]
      %d = arith.cmpi sge, %k, %p : i64
      %e = arith.cmpi slt, %k, %q : i64
      %c = arith.andi %d, %e : i1
      %y = arith.select %c, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @ranges(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.size %0, 0 : !phi.vec<f64>
// CHECK-NEXT:     %2 = phi.array (%i_1 < %n) -> tuple<!phi.vec<i64>, !phi.vec<i64>> {
// CHECK-NEXT:       %p = phi.get %ps[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:       %q = phi.get %qs[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:       %3 = arith.maxsi %p, %q : i64
// CHECK-NEXT:       %4 = arith.constant 0 : i64
// CHECK-NEXT:       %5 = arith.maxsi %p, %4 : i64
// CHECK-NEXT:       %6 = arith.minsi %3, %n : i64
// CHECK-NEXT:       %7 = arith.subi %6, %5 : i64
// CHECK-NEXT:       %8 = arith.constant 0 : i64
// CHECK-NEXT:       %9 = arith.maxsi %7, %8 : i64
// CHECK-NEXT:       %10 = phi.tuple (%5, %9) : tuple<i64, i64>
// CHECK-NEXT:       phi.yield %10 : tuple<i64, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %11 = phi.proj %2, 0 : tuple<!phi.vec<i64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:     %12 = phi.proj %2, 1 : tuple<!phi.vec<i64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:     %13 = arith.constant 0 : i64
// CHECK-NEXT:     %14 = phi.reduce %12 identity %13 by { arith.maxsi } -> i64
// CHECK-NEXT:     %15 = phi.array (%i_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %16 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       phi.yield %16 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %17 = phi.tuple (%0, %15) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:     %18 = math.ctlz %14 : i64
// CHECK-NEXT:     %19 = arith.constant 64 : i64
// CHECK-NEXT:     %20 = arith.subi %19, %18 : i64
// CHECK-NEXT:     %21 = phi.fold (%22 < %20, %23 = %17) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:       %24 = phi.proj %23, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %25 = phi.proj %23, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %26 = arith.constant 1 : i64
// CHECK-NEXT:       %27 = arith.shli %26, %22 : i64
// CHECK-NEXT:       %28 = arith.constant 1 : i64
// CHECK-NEXT:       %29 = arith.subi %27, %28 : i64
// CHECK-NEXT:       %30 = phi.array (%31 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:         %32 = arith.index_cast %31 : index to i64
// CHECK-NEXT:         %33 = arith.addi %32, %27 : i64
// CHECK-NEXT:         %34 = phi.get %24[%31] : !phi.vec<f64>[index]
// CHECK-NEXT:         %35 = phi.get %24[%33] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %36 = arith.addf %34, %35 : f64
// CHECK-NEXT:         phi.yield %36 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %37 = phi.array (%i_3 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %38 = phi.get %25[%i_3] : !phi.vec<f64>[index]
// CHECK-NEXT:         %39 = phi.get %11[%i_3] : !phi.vec<i64>[index]
// CHECK-NEXT:         %40 = phi.get %12[%i_3] : !phi.vec<i64>[index]
// CHECK-NEXT:         %41 = arith.andi %40, %27 : i64
// CHECK-NEXT:         %42 = arith.constant 0 : i64
// CHECK-NEXT:         %43 = arith.cmpi ne, %41, %42 : i64
// CHECK-NEXT:         %44 = arith.andi %40, %29 : i64
// CHECK-NEXT:         %45 = arith.addi %39, %44 : i64
// CHECK-NEXT:         %46 = phi.get %24[%45] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %47 = arith.addf %38, %46 : f64
// CHECK-NEXT:         %48 = arith.select %43, %47, %38 : f64
// CHECK-NEXT:         phi.yield %48 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %49 = phi.tuple (%30, %37) : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:       phi.yield %49 : tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     %50 = phi.proj %21, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %s = phi.get %50[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Ranges of Ints: the difference of two prefixes.
func.func @ranges_of_ints(%a: !phi.vec<f64>, %ps: !phi.vec<i64>, %qs: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %p = phi.get %ps[%i] : !phi.vec<i64>[index]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %q = phi.get %qs[%i] : !phi.vec<i64>[index]
      %d = arith.cmpi sge, %k, %p : i64
      %e = arith.cmpi slt, %k, %q : i64
      %c = arith.andi %d, %e : i1
      %y = arith.select %c, %k, %zero : i64
      %next = arith.addi %acc, %y : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @ranges_of_ints(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       phi.yield %k_1 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.scan "add" %0 : !phi.vec<i64>
// CHECK-NEXT:     %p = phi.get %ps[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %q = phi.get %qs[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %2 = arith.maxsi %p, %q : i64
// CHECK-NEXT:     %3 = phi.get %1[%p] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %4 = phi.get %1[%2] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %s = arith.subi %4, %3 : i64
// CHECK-NEXT:     phi.yield %s : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// All but a range: a prefix and a suffix.
func.func @outside(%a: !phi.vec<f64>, %ps: !phi.vec<i64>, %qs: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %p = phi.get %ps[%i] : !phi.vec<i64>[index]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %q = phi.get %qs[%i] : !phi.vec<i64>[index]
      %d = arith.cmpi sge, %k, %p : i64
      %e = arith.cmpi slt, %k, %q : i64
      %c = arith.andi %d, %e : i1
      %y = arith.select %c, %zero, %x : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @outside(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %p = phi.get %ps[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %q = phi.get %qs[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %1 = arith.maxsi %p, %q : i64
// CHECK-NEXT:     %2 = phi.scan "add" %0 : !phi.vec<f64>
// CHECK-NEXT:     %3 = phi.get %2[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %4 = phi.scan "add" %0 suffixes : !phi.vec<f64>
// CHECK-NEXT:     %5 = phi.get %4[%1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %s = arith.addf %3, %5 : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A number of elements that are at most a limit: its place among the sorted elements.
func.func @less(%a: !phi.vec<f64>, %ps: !phi.vec<f64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %p = phi.get %ps[%i] : !phi.vec<f64>[index]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %c = arith.cmpf ole, %x, %p : f64
      %one = arith.constant 1 : i64
      %y = arith.select %c, %one, %zero : i64
      %next = arith.addi %acc, %y : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @less(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.argsort %0 : !phi.vec<f64>
// CHECK-NEXT:     %2 = phi.array (%k_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %3 = phi.get %1[%k_2] : !phi.vec<i64>[index]
// CHECK-NEXT:       %4 = phi.get %0[%3] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %4 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %p = phi.get %ps[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %5 = phi.searchsorted %2, %p right : !phi.vec<f64>, f64
// CHECK-NEXT:     %6 = arith.constant 0 : i64
// CHECK-NEXT:     %7 = arith.cmpf une, %p, %p : f64
// CHECK-NEXT:     %8 = arith.select %7, %6, %5 : i64
// CHECK-NEXT:     %9 = arith.constant 0 : i64
// CHECK-NEXT:     %10 = arith.maxsi %8, %9 : i64
// CHECK-NEXT:     %s = arith.minsi %10, %n : i64
// CHECK-NEXT:     phi.yield %s : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// Other values of such steps: a scan in the order of the elements, which are negated for the largest.
func.func @in_order(%a: !phi.vec<f64>, %ps: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %p = phi.get %ps[%i] : !phi.vec<f64>[index]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %c = arith.cmpf ogt, %x, %p : f64
      %v = arith.sitofp %k : i64 to f64
      %y = arith.select %c, %v, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @in_order(
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %1 = arith.negf %x : f64
// CHECK-NEXT:       phi.yield %1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = phi.argsort %0 : !phi.vec<f64>
// CHECK-NEXT:     %3 = phi.array (%k_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %4 = phi.get %2[%k_2] : !phi.vec<i64>[index]
// CHECK-NEXT:       %5 = phi.get %0[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %5 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %p = phi.get %ps[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %6 = arith.negf %p : f64
// CHECK-NEXT:     %7 = phi.searchsorted %3, %6 : !phi.vec<f64>, f64
// CHECK-NEXT:     %8 = arith.constant 0 : i64
// CHECK-NEXT:     %9 = arith.cmpf une, %6, %6 : f64
// CHECK-NEXT:     %10 = arith.select %9, %8, %7 : i64
// CHECK-NEXT:     %11 = phi.array (%k_3 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_4 = arith.index_cast %k_3 : index to i64
// CHECK-NEXT:       %k_5 = phi.get %2[%k_4] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %v = arith.sitofp %k_5 : i64 to f64
// CHECK-NEXT:       phi.yield %v : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.scan "add" %11 : !phi.vec<f64>
// CHECK-NEXT:     %s_1 = phi.get %s[%10] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
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
// CHECK-NEXT:     %2 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %3 = arith.constant 1 : i64
// CHECK-NEXT:     %4 = arith.addi %2, %3 : i64
// CHECK-NEXT:     %5 = phi.scan "add" %0 : !phi.vec<f64>
// CHECK-NEXT:     %6 = phi.get %5[%1] : !phi.vec<f64>[i64]
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
// CHECK-NEXT:       %4 = arith.constant true
// CHECK-NEXT:       %5 = arith.constant true
// CHECK-NEXT:       %c = arith.andi %4, %5 : i1
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = arith.select %c, %x, %zero : f64
// CHECK-NEXT:       %next = arith.addf %acc, %y : f64
// CHECK-NEXT:       %6 = arith.cmpi ult, %k_1, %n : i64
// CHECK-NEXT:       %7 = arith.select %6, %next, %acc : f64
// CHECK-NEXT:       phi.yield %7 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A count that varies with the counter of a loop is a bound.
func.func @prefixes_in_a_loop(%a: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %most = %zero) -> f64 {
    %end = arith.addi %i, %one : i64
    %s = phi.fold (%k < %end, %acc = %zero) -> f64 {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    %more = arith.maximumf %most, %s : f64
    phi.yield %more : f64
  }
  func.return %r : f64
}

// The steps of the outer loop are in order: each reads the accumulator.
func.func @no_prefixes(%a: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %last = %zero) -> f64 {
    %end = arith.addi %i, %one : i64
    %s = phi.fold (%k < %end, %acc = %zero) -> f64 {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %x, %last : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @prefixes_in_a_loop(%a: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%i < %n, %most = %zero) -> f64 {
// CHECK-NEXT:     %end = arith.addi %i, %one : i64
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.scan "add" %0 : !phi.vec<f64>
// CHECK-NEXT:     %s_1 = phi.get %s[%end] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %more = arith.maximumf %most, %s_1 : f64
// CHECK-NEXT:     phi.yield %more : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : f64
// CHECK-NEXT: }
// CHECK-LABEL: func.func @no_prefixes(%a: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%i < %n, %last = %zero) -> f64 {
// CHECK-NEXT:     %end = arith.addi %i, %one : i64
// CHECK-NEXT:     %s = phi.fold (%k < %end, %acc = %zero) -> f64 {
// CHECK-NEXT:       %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = arith.mulf %x, %last : f64
// CHECK-NEXT:       %next = arith.addf %acc, %y : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : f64
// CHECK-NEXT: }

// -----

// A test that is the same in all steps selects their total.
func.func @both(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %i_1 = arith.index_cast %i : index to i64
    %j_1 = arith.index_cast %j : index to i64
    %s = phi.fold (%u < %n, %sum = %zero) -> f64 {
      %t = phi.fold (%v < %m, %acc = %zero) -> f64 {
        %above = arith.cmpi slt, %u, %i_1 : i64
        %before = arith.cmpi slt, %v, %j_1 : i64
        %c = arith.andi %above, %before : i1
        %x = phi.get %a[%u, %v] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %y = arith.select %c, %x, %zero : f64
        %next = arith.addf %acc, %y : f64
        phi.yield %next : f64
      }
      %more = arith.addf %sum, %t : f64
      phi.yield %more : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @both(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:     %0 = phi.array (%u < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %u_1 = arith.index_cast %u : index to i64
// CHECK-NEXT:       %1 = phi.array (%v < %m) -> !phi.vec<f64> {
// CHECK-NEXT:         %v_1 = arith.index_cast %v : index to i64
// CHECK-NEXT:         %x = phi.get %a[%u_1, %v_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         phi.yield %x : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %t = phi.scan "add" %1 : !phi.vec<f64>
// CHECK-NEXT:       %2 = phi.get %t[%j_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %2 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.scan "add" %0 : !phi.vec<f64>
// CHECK-NEXT:     %s_1 = phi.get %s[%i_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT: }

// -----

// The last element that is selected from a position on is that of the largest such step. A test
// of the element before is none of the step alone.
func.func @last(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %last = %zero) -> f64 {
      %behind = arith.cmpi sge, %k, %i_1 : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %positive = arith.cmpf ogt, %x, %zero : f64
      %c = arith.andi %behind, %positive : i1
      %next = arith.select %c, %x, %last : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

func.func @no_last(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %last = %zero) -> f64 {
      %behind = arith.cmpi sge, %k, %i_1 : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %distance = arith.subf %x, %last : f64
      %far = arith.cmpf ogt, %distance, %zero : f64
      %c = arith.andi %behind, %far : i1
      %next = arith.select %c, %x, %last : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @last(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:      %0 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %positive = arith.cmpf ogt, %x, %zero : f64
// CHECK-NEXT:        %1 = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:        %2 = arith.select %positive, %k_1, %1 : i64
// CHECK-NEXT:        phi.yield %2 : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %3 = phi.scan "max" %0 suffixes : !phi.vec<i64>
// CHECK-NEXT:      %4 = phi.get %3[%i_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %5 = arith.constant -1 : i64
// CHECK-NEXT:      %6 = arith.cmpi sgt, %4, %5 : i64
// CHECK-NEXT:      %x_1 = phi.get %a[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %s = arith.select %6, %x_1, %zero : f64
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }

// CHECK-LABEL: func.func @no_last(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:      %s = phi.fold (%k < %n, %last = %zero) -> f64 {
// CHECK-NEXT:        %behind = arith.cmpi sge, %k, %i_1 : i64
// CHECK-NEXT:        %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %distance = arith.subf %x, %last : f64
// CHECK-NEXT:        %far = arith.cmpf ogt, %distance, %zero : f64
// CHECK-NEXT:        %c = arith.andi %behind, %far : i1
// CHECK-NEXT:        %next = arith.select %c, %x, %last : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// Steps with the same key, but for one: those before it, and those behind it, are ranges of the steps
// in the order of keys, and then of steps.
func.func @others_with_the_same_key(%g: !phi.vec<i64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %g, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %g[%k] : !phi.vec<i64>[i64]
      %b = phi.get %g[%i] : !phi.vec<i64>[index]
      %t = arith.cmpi eq, %a, %b : i64
      %u = arith.cmpi ne, %k, %p : i64
      %v = arith.andi %t, %u : i1
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %z = arith.select %v, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @others_with_the_same_key(
// CHECK:         phi.argsort
// CHECK:         %[[RANKS:.*]] = phi.accumulate (%{{.*}} < %n) into "add" (%n)
// CHECK:         phi.get %[[RANKS]][%{{i.*}}]
// CHECK:         phi.argsort
// CHECK-NOT:     phi.fold (%k < %n

// -----

// A sum of Ints over a window of a width that is known when the program runs: the difference of two
// sums of prefixes. A negative width is an error as before.
func.func @sliding(%a: !phi.vec<i64>, %w: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %w, %acc = %zero) -> i64 {
      %p = arith.addi %i_1, %k : i64
      %x = phi.get %a[%p] : !phi.vec<i64>[i64]
      %next = arith.addi %acc, %x : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK:        func.func @sliding(%a: !phi.vec<i64>, %w: i64) -> !phi.vec<i64> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:     %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %0 = arith.addi %n, %w : i64
// CHECK-NEXT:       %1 = arith.constant 1 : i64
// CHECK-NEXT:       %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:       %3 = arith.constant 0 : i64
// CHECK-NEXT:       %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:       %5 = arith.constant 17592186044416 : i64
// CHECK-NEXT:       %6 = arith.cmpi ule, %w, %5 : i64
// CHECK-NEXT:       %7 = arith.select %6, %4, %w : i64
// CHECK-NEXT:       %8 = phi.array (%k < %7) -> !phi.vec<i64> {
// CHECK-NEXT:         %9 = arith.constant 0 : i64
// CHECK-NEXT:         %i_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %p = arith.addi %i_1, %9 : i64
// CHECK-NEXT:         %x = phi.get %a[%p] : !phi.vec<i64>[i64]
// CHECK-NEXT:         phi.yield %x : i64
// CHECK-NEXT:       }
// CHECK-NEXT:       %10 = phi.scan "add" %8 : !phi.vec<i64>
// CHECK-NEXT:       %11 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %12 = arith.addi %11, %w : i64
// CHECK-NEXT:       %13 = phi.get %10[%12] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %14 = phi.get %10[%11] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %s = arith.subi %13, %14 : i64
// CHECK-NEXT:       phi.yield %s : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<i64>
// CHECK-NEXT:   }

// -----

// The values of equal keys: Ints in a small range are places in a table, others are sorted.
func.func @equal_keys(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %limits: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %m = phi.size %limits, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %limit = phi.get %limits[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %is_own = arith.cmpi eq, %key, %limit : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %is_own, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @equal_keys(
// CHECK:          %[[LEAST:.*]] = phi.reduce
// CHECK:          %[[MOST:.*]] = phi.reduce
// CHECK:          %[[DISTANCE:.*]] = arith.subi %[[MOST]], %[[LEAST]] : i64
// CHECK:          %[[NEAR:.*]] = arith.cmpi ult, %[[DISTANCE]], %{{.*}} : i64
// CHECK:          %[[COUNT:.*]] = arith.select %[[NEAR]], %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:     %[[PLACES:.*]] = arith.select %[[NEAR]], %{{.*}}, %{{.*}} : i64
// CHECK:          phi.array (%{{.*}} < %[[COUNT]]) -> !phi.vec<i64> {
// CHECK:          %[[SORTED:.*]] = phi.sort %{{.*}} : !phi.vec<i64>
// CHECK:          %[[SUMS:.*]] = phi.accumulate (%{{.*}} < %n) into "add" (%[[PLACES]]) -> !phi.vec<f64> {
// CHECK:            %[[FIRST:.*]] = phi.searchsorted %[[SORTED]], %{{.*}} : !phi.vec<i64>, i64
// CHECK:            arith.select %[[NEAR]], %{{.*}}, %[[FIRST]] : i64
// CHECK:          arith.select %[[NEAR]], %{{.*}}, %{{.*}} : i64
// CHECK:          %[[SUM:.*]] = phi.get %[[SUMS]][%{{.*}}] : !phi.vec<f64>[i64]
// CHECK:          arith.select %{{.*}}, %[[SUM]], %{{.*}} : f64

// -----

// Limits of a column are compared with its elements: an order for each column.
func.func @columns(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<i64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %f < %m) -> !phi.vec<!phi.vec<i64>> {
    %y = phi.get %x[%i, %f] : !phi.vec<!phi.vec<f64>>[index, index]
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %z = phi.get %x[%k, %f] : !phi.vec<!phi.vec<f64>>[i64, index]
      %below = arith.cmpf ole, %z, %y : f64
      %d = arith.select %below, %one, %zero : i64
      %next = arith.addi %acc, %d : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}

// CHECK:      func.func @columns(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<i64>> {
// CHECK-NEXT:   %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %r = phi.array (%i < %n, %f < %m) -> !phi.vec<!phi.vec<i64>> {
// CHECK-NEXT:     %y = phi.get %x[%i, %f] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %z = phi.get %x[%k_1, %f] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.argsort %0 : !phi.vec<f64>
// CHECK-NEXT:     %2 = phi.array (%k_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %3 = phi.get %1[%k_2] : !phi.vec<i64>[index]
// CHECK-NEXT:       %4 = phi.get %0[%3] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %4 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = phi.searchsorted %2, %y right : !phi.vec<f64>, f64
// CHECK-NEXT:     %6 = arith.constant 0 : i64
// CHECK-NEXT:     %7 = arith.cmpf une, %y, %y : f64
// CHECK-NEXT:     %8 = arith.select %7, %6, %5 : i64
// CHECK-NEXT:     %9 = arith.constant 0 : i64
// CHECK-NEXT:     %10 = arith.maxsi %8, %9 : i64
// CHECK-NEXT:     %s = arith.minsi %10, %n : i64
// CHECK-NEXT:     phi.yield %s : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT: }

// -----

// A limit for each column: an order would take longer than the comparisons.
func.func @one_limit(%x: !phi.vec<!phi.vec<f64>>, %y: !phi.vec<f64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%f < %m) -> !phi.vec<i64> {
    %limit = phi.get %y[%f] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %z = phi.get %x[%k, %f] : !phi.vec<!phi.vec<f64>>[i64, index]
      %below = arith.cmpf ole, %z, %limit : f64
      %d = arith.select %below, %one, %zero : i64
      %next = arith.addi %acc, %d : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @one_limit(
// CHECK-NOT:     phi.argsort
// CHECK:         phi.fold
// CHECK-NOT:     phi.argsort
// CHECK:         func.return
