// RUN: ein-opt %s --split-input-file -p raise-segment-reductions,dce | filecheck %s

// A histogram: the key may be on either side.
func.func @histogram(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %key, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %selected = arith.cmpi eq, %c_1, %g : i64
      %v = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = arith.select %selected, %v, %zero : f64
      %next = arith.addf %y, %acc : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<f64>
}

// CHECK:      func.func @histogram(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:   %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %g = phi.get %key[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %v = phi.get %x[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %0 = phi.tuple (%g, %v) : tuple<i64, f64>
// CHECK-NEXT:       phi.yield %0 : tuple<i64, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A step that is taken only if the key selects it, with an initial value that is added.
func.func @conditional_step(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %start: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %key, 0 : !phi.vec<i64>
  %m = phi.size %start, 0 : !phi.vec<f64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %init = phi.get %start[%c] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %init) -> f64 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %other = arith.cmpi ne, %g, %c_1 : i64
      %v = phi.get %x[%k] : !phi.vec<f64>[i64]
      %more = arith.minimumf %acc, %v : f64
      %next = arith.select %other, %acc, %more : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<f64>
}

// CHECK:      func.func @conditional_step(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %start: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:   %m = phi.size %start, 0 : !phi.vec<f64>
// CHECK-NEXT:   %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %init = phi.get %start[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:     %s = phi.accumulate (%k < %n) into "min" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %g = phi.get %key[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %v = phi.get %x[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %0 = phi.tuple (%g, %v) : tuple<i64, f64>
// CHECK-NEXT:       phi.yield %0 : tuple<i64, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:     %s_1 = arith.minimumf %init, %1 : f64
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Two keys, and a test of neither index, which stays with the value.
func.func @conjunction(%p: !phi.vec<i64>, %q: !phi.vec<i64>, %valid: !phi.vec<i1>, %m: i64) -> !phi.vec<!phi.vec<i32>> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i32
  %h = phi.array (%a < %m, %b < %m) -> !phi.vec<!phi.vec<i32>> {
    %s = phi.fold (%k < %n, %acc = %zero) -> i32 {
      %pk = phi.get %p[%k] : !phi.vec<i64>[i64]
      %qk = phi.get %q[%k] : !phi.vec<i64>[i64]
      %a_1 = arith.index_cast %a : index to i64
      %b_1 = arith.index_cast %b : index to i64
      %first = arith.cmpi eq, %pk, %a_1 : i64
      %second = arith.cmpi eq, %b_1, %qk : i64
      %v = phi.get %valid[%k] : !phi.vec<i1>[i64]
      %both = arith.andi %first, %v : i1
      %all = arith.andi %second, %both : i1
      %one = arith.extui %all : i1 to i32
      %next = arith.addi %acc, %one : i32
      phi.yield %next : i32
    }
    phi.yield %s : i32
  }
  func.return %h : !phi.vec<!phi.vec<i32>>
}

// CHECK:      func.func @conjunction(%p: !phi.vec<i64>, %q: !phi.vec<i64>, %valid: !phi.vec<i1>, %m: i64) -> !phi.vec<!phi.vec<i32>> {
// CHECK-NEXT:   %n = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:   %h = phi.array (%a < %m, %b < %m) -> !phi.vec<!phi.vec<i32>> {
// CHECK-NEXT:     %s = phi.accumulate (%k < %n) into "add" (%m, %m) -> !phi.vec<!phi.vec<i32>> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %pk = phi.get %p[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %qk = phi.get %q[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %v = phi.get %valid[%k_1] : !phi.vec<i1>[i64]
// CHECK-NEXT:       %0 = arith.constant 1 : i32
// CHECK-NEXT:       %1 = arith.constant 0 : i32
// CHECK-NEXT:       %2 = arith.select %v, %0, %1 : i32
// CHECK-NEXT:       %3 = phi.tuple (%pk, %qk, %2) : tuple<i64, i64, i32>
// CHECK-NEXT:       phi.yield %3 : tuple<i64, i64, i32>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s_1 = phi.get %s[%a, %b] : !phi.vec<!phi.vec<i32>>[index, index]
// CHECK-NEXT:     phi.yield %s_1 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h : !phi.vec<!phi.vec<i32>>
// CHECK-NEXT: }

// -----

// Truth values: some selected one holds.
func.func @any(%key: !phi.vec<i64>, %x: !phi.vec<i1>, %m: i64) -> !phi.vec<i1> {
  %n = phi.size %key, 0 : !phi.vec<i64>
  %false = arith.constant false
  %h = phi.array (%c < %m) -> !phi.vec<i1> {
    %s = phi.fold (%k < %n, %acc = %false) -> i1 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %selected = arith.cmpi eq, %g, %c_1 : i64
      %v = phi.get %x[%k] : !phi.vec<i1>[i64]
      %y = arith.andi %selected, %v : i1
      %next = arith.ori %acc, %y : i1
      phi.yield %next : i1
    }
    phi.yield %s : i1
  }
  func.return %h : !phi.vec<i1>
}

// CHECK:      func.func @any(%key: !phi.vec<i64>, %x: !phi.vec<i1>, %m: i64) -> !phi.vec<i1> {
// CHECK-NEXT:   %n = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:   %h = phi.array (%c < %m) -> !phi.vec<i1> {
// CHECK-NEXT:     %s = phi.accumulate (%k < %n) into "or" (%m) -> !phi.vec<i1> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %g = phi.get %key[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %v = phi.get %x[%k_1] : !phi.vec<i1>[i64]
// CHECK-NEXT:       %0 = arith.constant true
// CHECK-NEXT:       %1 = arith.constant false
// CHECK-NEXT:       %2 = arith.select %v, %0, %1 : i1
// CHECK-NEXT:       %3 = phi.tuple (%g, %2) : tuple<i64, i1>
// CHECK-NEXT:       phi.yield %3 : tuple<i64, i1>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s_1 = phi.get %s[%c] : !phi.vec<i1>[index]
// CHECK-NEXT:     phi.yield %s_1 : i1
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h : !phi.vec<i1>
// CHECK-NEXT: }

// -----

// A product with a mask selects nothing: zero times NaN is NaN.
func.func @mask(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %key, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %selected = arith.cmpi eq, %g, %c_1 : i64
      %v = phi.get %x[%k] : !phi.vec<f64>[i64]
      %w = arith.select %selected, %one, %zero : f64
      %y = arith.mulf %v, %w : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<f64>
}

// CHECK-LABEL: func.func @mask(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:    %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %g = phi.get %key[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %c_1 = arith.index_cast %c : index to i64
// CHECK-NEXT:        %selected = arith.cmpi eq, %g, %c_1 : i64
// CHECK-NEXT:        %v = phi.get %x[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %w = arith.select %selected, %one, %zero : f64
// CHECK-NEXT:        %y = arith.mulf %v, %w : f64
// CHECK-NEXT:        %next = arith.addf %acc, %y : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %h : !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// A value that varies with the index is read at the key.
func.func @varying_value(%key: !phi.vec<i64>, %x: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %key, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %selected = arith.cmpi eq, %g, %c_1 : i64
      %v = phi.get %x[%k, %c] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = arith.select %selected, %v, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<f64>
}

// CHECK-LABEL: func.func @varying_value(%key: !phi.vec<i64>, %x: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:   %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %g = phi.get %key[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %v = phi.get %x[%k_1, %g] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:       %0 = phi.tuple (%g, %v) : tuple<i64, f64>
// CHECK-NEXT:       phi.yield %0 : tuple<i64, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A key that does not depend on the counter, and a value other than the identity if none selects.
func.func @no_selection(%d: i64, %key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %c_1 = arith.index_cast %c : index to i64
    %selected = arith.cmpi eq, %d, %c_1 : i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %v = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = arith.select %selected, %v, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %i = phi.array (%c < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %selected = arith.cmpi eq, %g, %c_1 : i64
      %v = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = arith.select %selected, %v, %one : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %h, %i : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @no_selection(%d: i64, %key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      %c_1 = arith.index_cast %c : index to i64
// CHECK-NEXT:      %selected = arith.cmpi eq, %d, %c_1 : i64
// CHECK-NEXT:      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %v = phi.get %x[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %y = arith.select %selected, %v, %zero : f64
// CHECK-NEXT:        %next = arith.addf %acc, %y : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %i = phi.array (%c_2 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      %s_1 = phi.fold (%k_1 < %n, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:        %g = phi.get %key[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %c_3 = arith.index_cast %c_2 : index to i64
// CHECK-NEXT:        %selected_1 = arith.cmpi eq, %g, %c_3 : i64
// CHECK-NEXT:        %v_1 = phi.get %x[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %y_1 = arith.select %selected_1, %v_1, %one : f64
// CHECK-NEXT:        %next_1 = arith.addf %acc_1, %y_1 : f64
// CHECK-NEXT:        phi.yield %next_1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s_1 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %h, %i : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// Values for each key and position have as many axes as the result: an array of them is no larger than
// a step of the loop, and a reduction of segments takes each key once.
func.func @rows(%key: !phi.vec<i64>, %a: !phi.vec<f64>, %b: !phi.vec<f64>, %m: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %key, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m, %d < %m) -> !phi.vec<!phi.vec<f64>> {
    %w = phi.get %b[%d] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %selected = arith.cmpi eq, %g, %c_1 : i64
      %u = phi.get %a[%k] : !phi.vec<f64>[i64]
      %v = arith.divf %u, %w : f64
      %y = arith.select %selected, %v, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(%key: !phi.vec<i64>, %a: !phi.vec<f64>, %b: !phi.vec<f64>, %m: i64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %n = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:    %h = phi.array (%c < %m, %d < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %w = phi.get %b[%d] : !phi.vec<f64>[index]
// CHECK-NEXT:      %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %g = phi.get %key[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %u = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %v = arith.divf %u, %w : f64
// CHECK-NEXT:        %0 = phi.tuple (%g, %v) : tuple<i64, f64>
// CHECK-NEXT:        phi.yield %0 : tuple<i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %s_1 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %h : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }

// -----

// Values with more axes, which would take more memory than all operands.
func.func @memory(%key: !phi.vec<i64>, %a: !phi.vec<f64>, %b: !phi.vec<f64>, %m: i64) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %key, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m, %d < %m, %e < %m) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
    %w = phi.get %b[%d] : !phi.vec<f64>[index]
    %x = phi.get %b[%e] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %selected = arith.cmpi eq, %g, %c_1 : i64
      %u = phi.get %a[%k] : !phi.vec<f64>[i64]
      %v = arith.divf %u, %w : f64
      %v_1 = arith.divf %v, %x : f64
      %y = arith.select %selected, %v_1, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<!phi.vec<!phi.vec<f64>>>
}

// CHECK-LABEL: func.func @memory(%key: !phi.vec<i64>, %a: !phi.vec<f64>, %b: !phi.vec<f64>, %m: i64) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:    %h = phi.array (%c < %m, %d < %m, %e < %m) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:      %w = phi.get %b[%d] : !phi.vec<f64>[index]
// CHECK-NEXT:      %x = phi.get %b[%e] : !phi.vec<f64>[index]
// CHECK-NEXT:      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %g = phi.get %key[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %c_1 = arith.index_cast %c : index to i64
// CHECK-NEXT:        %selected = arith.cmpi eq, %g, %c_1 : i64
// CHECK-NEXT:        %u = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %v = arith.divf %u, %w : f64
// CHECK-NEXT:        %v_1 = arith.divf %v, %x : f64
// CHECK-NEXT:        %y = arith.select %selected, %v_1, %zero : f64
// CHECK-NEXT:        %next = arith.addf %acc, %y : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %h : !phi.vec<!phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:  }

// -----

// Fields of a record that are selected sums leave a fold; the others stay in it.

func.func @record(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %m: i64) -> !phi.vec<tuple<i64, f64>> {
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %no = arith.constant 0 : i64
  %yes = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %init = phi.tuple (%no, %zero) : tuple<i64, f64>
  %h = phi.array (%c < %m) -> !phi.vec<tuple<i64, f64>> {
    %s = phi.fold (%k < %n, %acc = %init) -> tuple<i64, f64> {
      %count = phi.proj %acc, 0 : tuple<i64, f64> -> i64
      %last = phi.proj %acc, 1 : tuple<i64, f64> -> f64
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %here = arith.index_cast %c : index to i64
      %selected = arith.cmpi eq, %key, %here : i64
      %one = arith.select %selected, %yes, %no : i64
      %counted = arith.addi %count, %one : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %decayed = arith.divf %last, %x : f64
      %next = phi.tuple (%counted, %decayed) : tuple<i64, f64>
      phi.yield %next : tuple<i64, f64>
    }
    phi.yield %s : tuple<i64, f64>
  }
  func.return %h : !phi.vec<tuple<i64, f64>>
}
// CHECK-LABEL: func.func @record(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %m: i64) -> !phi.vec<tuple<i64, f64>> {
// CHECK-NEXT:    %n = phi.size %keys, 0 : !phi.vec<i64>
// CHECK-NEXT:    %yes = arith.constant 1 : i64
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %h = phi.array (%c < %m) -> !phi.vec<tuple<i64, f64>> {
// CHECK-NEXT:      %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<i64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %key = phi.get %keys[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %0 = phi.tuple (%key, %yes) : tuple<i64, i64>
// CHECK-NEXT:        phi.yield %0 : tuple<i64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %s_1 = phi.get %s[%c] : !phi.vec<i64>[index]
// CHECK-NEXT:      %s_2 = phi.fold (%k_2 < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %x = phi.get %a[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %decayed = arith.divf %acc, %x : f64
// CHECK-NEXT:        phi.yield %decayed : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %s_3 = phi.tuple (%s_1, %s_2) : tuple<i64, f64>
// CHECK-NEXT:      phi.yield %s_3 : tuple<i64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %h : !phi.vec<tuple<i64, f64>>
// CHECK-NEXT:  }

// -----

// A key that the index is a sum with.
func.func @shifted(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%c < %m) -> !phi.vec<f64> {
    %c_1 = arith.index_cast %c : index to i64
    %after = arith.addi %c_1, %one : i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %key = phi.get %p[%k] : !phi.vec<i64>[i64]
      %d = arith.cmpi eq, %key, %after : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %d, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @shifted(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %r = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:      %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %key = phi.get %p[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %0 = arith.constant 1 : i64
// CHECK-NEXT:        %1 = arith.subi %key, %0 : i64
// CHECK-NEXT:        %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %2 = phi.tuple (%1, %x) : tuple<i64, f64>
// CHECK-NEXT:        phi.yield %2 : tuple<i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %s_1 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// The first of the smallest elements of each segment, and its position.
func.func @search(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %m: i64, %init: tuple<f64, i64>) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%c < %m) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %c_1 = arith.index_cast %c : index to i64
    %s = phi.fold (%k < %n, %best = %init) -> tuple<f64, i64> {
      %key = phi.get %p[%k] : !phi.vec<i64>[i64]
      %d = arith.cmpi eq, %key, %c_1 : i64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %least = phi.proj %best, 0 : tuple<f64, i64> -> f64
      %at = phi.proj %best, 1 : tuple<f64, i64> -> i64
      %less = arith.cmpf olt, %x, %least : f64
      %e = arith.andi %d, %less : i1
      %z = arith.select %e, %x, %least : f64
      %w = arith.select %e, %k, %at : i64
      %next = phi.tuple (%z, %w) : tuple<f64, i64>
      phi.yield %next : tuple<f64, i64>
    }
    phi.yield %s : tuple<f64, i64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<i64>>
}

// CHECK-LABEL: func.func @search(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %m: i64, %init: tuple<f64, i64>) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %r = phi.array (%c < %m) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:      %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %1 = arith.cmpf ord, %x, %x : f64
// CHECK-NEXT:        %2 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:        %3 = arith.select %1, %x, %2 : f64
// CHECK-NEXT:        phi.yield %3 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %4 = phi.accumulate (%k_2 < %n) into "min" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:        %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:        %key = phi.get %p[%k_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %5 = phi.get %0[%k_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %6 = phi.tuple (%key, %5) : tuple<i64, f64>
// CHECK-NEXT:        phi.yield %6 : tuple<i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %7 = phi.accumulate (%k_4 < %n) into "min" (%m) -> !phi.vec<i64> {
// CHECK-NEXT:        %k_5 = arith.index_cast %k_4 : index to i64
// CHECK-NEXT:        %key_1 = phi.get %p[%k_5] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %8 = phi.get %0[%k_5] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %9 = phi.get %4[%key_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %10 = arith.cmpf oeq, %8, %9 : f64
// CHECK-NEXT:        %11 = arith.constant 9223372036854775807 : i64
// CHECK-NEXT:        %12 = arith.select %10, %k_5, %11 : i64
// CHECK-NEXT:        %13 = phi.tuple (%key_1, %12) : tuple<i64, i64>
// CHECK-NEXT:        phi.yield %13 : tuple<i64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %14 = phi.get %7[%c] : !phi.vec<i64>[index]
// CHECK-NEXT:      %15 = phi.get %4[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:      %16 = phi.proj %init, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:      %17 = phi.proj %init, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:      %18 = arith.cmpf olt, %15, %16 : f64
// CHECK-NEXT:      %x_1 = phi.get %a[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %19 = arith.select %18, %x_1, %16 : f64
// CHECK-NEXT:      %20 = arith.select %18, %14, %17 : i64
// CHECK-NEXT:      %s = phi.tuple (%19, %20) : tuple<f64, i64>
// CHECK-NEXT:      phi.yield %s : tuple<f64, i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:  }

// -----

// Sums over rows and columns: positions of the segments along two axes.
func.func @histogram_of_matrix(%key: !phi.vec<!phi.vec<i64>>, %m: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = phi.size %key, 0 : !phi.vec<!phi.vec<i64>>
  %columns = phi.size %key, 1 : !phi.vec<!phi.vec<i64>>
  %h = phi.array (%c < %m) -> !phi.vec<i64> {
    %s = phi.fold (%i < %rows, %acc = %zero) -> i64 {
      %row = phi.fold (%j < %columns, %acc_1 = %zero) -> i64 {
        %g = phi.get %key[%i, %j] : !phi.vec<!phi.vec<i64>>[i64, i64]
        %c_1 = arith.index_cast %c : index to i64
        %selected = arith.cmpi eq, %c_1, %g : i64
        %y = arith.select %selected, %one, %zero : i64
        %next = arith.addi %acc_1, %y : i64
        phi.yield %next : i64
      }
      %next = arith.addi %acc, %row : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %h : !phi.vec<i64>
}

// CHECK:      func.func @histogram_of_matrix(%key: !phi.vec<!phi.vec<i64>>, %m: i64) -> !phi.vec<i64> {
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %rows = phi.size %key, 0 : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:   %columns = phi.size %key, 1 : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:   %h = phi.array (%c < %m) -> !phi.vec<i64> {
// CHECK-NEXT:     %s = phi.accumulate (%i < %rows, %j < %columns) into "add" (%m) -> !phi.vec<i64> {
// CHECK-NEXT:       %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:       %g = phi.get %key[%i_1, %j_1] : !phi.vec<!phi.vec<i64>>[i64, i64]
// CHECK-NEXT:       %0 = phi.tuple (%g, %one) : tuple<i64, i64>
// CHECK-NEXT:       phi.yield %0 : tuple<i64, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s_1 = phi.get %s[%c] : !phi.vec<i64>[index]
// CHECK-NEXT:     phi.yield %s_1 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// Rows of an array are added at the keys of each: keys and values are no larger than the arrays read.
func.func @rows_at_keys_of_each(%key: !phi.vec<!phi.vec<i64>>, %x: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %rows = phi.size %key, 0 : !phi.vec<!phi.vec<i64>>
  %columns = phi.size %key, 1 : !phi.vec<!phi.vec<i64>>
  %width = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %h = phi.array (%c < %m, %a < %width) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%i < %rows, %acc = %zero) -> f64 {
      %row = phi.fold (%j < %columns, %acc_1 = %zero) -> f64 {
        %g = phi.get %key[%i, %j] : !phi.vec<!phi.vec<i64>>[i64, i64]
        %c_1 = arith.index_cast %c : index to i64
        %selected = arith.cmpi eq, %c_1, %g : i64
        %e = phi.get %x[%i, %a] : !phi.vec<!phi.vec<f64>>[i64, index]
        %y = arith.select %selected, %e, %zero : f64
        %next = arith.addf %acc_1, %y : f64
        phi.yield %next : f64
      }
      %next = arith.addf %acc, %row : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<!phi.vec<f64>>
}

// CHECK:      func.func @rows_at_keys_of_each(%key: !phi.vec<!phi.vec<i64>>, %x: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:   %rows = phi.size %key, 0 : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:   %columns = phi.size %key, 1 : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:   %width = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %h = phi.array (%c < %m, %a < %width) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %s = phi.accumulate (%i < %rows, %j < %columns) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:       %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:       %g = phi.get %key[%i_1, %j_1] : !phi.vec<!phi.vec<i64>>[i64, i64]
// CHECK-NEXT:       %e = phi.get %x[%i_1, %a] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:       %0 = phi.tuple (%g, %e) : tuple<i64, f64>
// CHECK-NEXT:       phi.yield %0 : tuple<i64, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:}

// -----

// The key is a multiple of the index: other keys are at no position.
func.func @double(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : i64
  %n = phi.size %key, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %c_2 = arith.muli %c_1, %two : i64
      %selected = arith.cmpi eq, %c_2, %g : i64
      %v = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = arith.select %selected, %v, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<f64>
}

// CHECK:      func.func @double(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:   %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %g = phi.get %key[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %0 = arith.constant 2 : i64
// CHECK-NEXT:       %1 = sigma.floormod %g, %0 : i64
// CHECK-NEXT:       %2 = arith.constant 0 : i64
// CHECK-NEXT:       %3 = arith.cmpi eq, %1, %2 : i64
// CHECK-NEXT:       %4 = arith.floordivsi %g, %0 : i64
// CHECK-NEXT:       %5 = arith.constant -1 : i64
// CHECK-NEXT:       %6 = arith.select %3, %4, %5 : i64
// CHECK-NEXT:       %v = phi.get %x[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %7 = phi.tuple (%6, %v) : tuple<i64, f64>
// CHECK-NEXT:       phi.yield %7 : tuple<i64, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// The last value of a key: that of the largest step.
func.func @last(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %key, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %last = %zero) -> f64 {
      %g = phi.get %key[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %selected = arith.cmpi eq, %c_1, %g : i64
      %v = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = arith.select %selected, %v, %last : f64
      phi.yield %y : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<f64>
}

// CHECK:      func.func @last(%key: !phi.vec<i64>, %x: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:   %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       phi.yield %k_1 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.accumulate (%k_2 < %n) into "max" (%m) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:       %g = phi.get %key[%k_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %2 = phi.get %0[%k_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %3 = phi.tuple (%g, %2) : tuple<i64, i64>
// CHECK-NEXT:       phi.yield %3 : tuple<i64, i64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %4 = phi.get %1[%c] : !phi.vec<i64>[index]
// CHECK-NEXT:     %5 = arith.constant -1 : i64
// CHECK-NEXT:     %6 = arith.cmpi sgt, %4, %5 : i64
// CHECK-NEXT:     %v = phi.get %x[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %s = arith.select %6, %v, %zero : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// The first step in which a test holds is found by a search.
func.func @first(%x: !phi.vec<f64>, %n: i64) -> i64 {
  %none = arith.constant -1 : i64
  %zero = arith.constant 0 : i64
  %low = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %s = %none) -> i64 {
    %a = phi.get %x[%k] : !phi.vec<f64>[i64]
    %c = arith.cmpf ogt, %a, %low : f64
    %unset = arith.cmpi slt, %s, %zero : i64
    %both = arith.andi %unset, %c : i1
    %next = arith.select %both, %k, %s : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK:      func.func @first(%x: !phi.vec<f64>, %n: i64) -> i64 {
// CHECK-NEXT:   %none = arith.constant -1 : i64
// CHECK-NEXT:   %low = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %0 = arith.constant 9223372036854775807 : i64
// CHECK-NEXT:   %1 = phi.fold (%k < %n, %s = %0) -> i64 {
// CHECK-NEXT:     %a = phi.get %x[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %c = arith.cmpf ogt, %a, %low : f64
// CHECK-NEXT:     %2 = arith.minsi %k, %s : i64
// CHECK-NEXT:     %3 = arith.select %c, %2, %s : i64
// CHECK-NEXT:     phi.yield %3 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %4 = arith.constant 9223372036854775807 : i64
// CHECK-NEXT:   %5 = arith.cmpi slt, %1, %4 : i64
// CHECK-NEXT:   %r = arith.select %5, %1, %none : i64
// CHECK-NEXT:   func.return %r : i64
// CHECK-NEXT: }

// -----

// A loop: the value of a step may be negative, and is replaced then.
func.func @not_the_first(%x: !phi.vec<i64>, %n: i64) -> i64 {
  %none = arith.constant -1 : i64
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %s = %none) -> i64 {
    %a = phi.get %x[%k] : !phi.vec<i64>[i64]
    %unset = arith.cmpi slt, %s, %zero : i64
    %next = arith.select %unset, %a, %s : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK:      func.func @not_the_first(%x: !phi.vec<i64>, %n: i64) -> i64 {
// CHECK-NEXT:   %none = arith.constant -1 : i64
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %r = phi.fold (%k < %n, %s = %none) -> i64 {
// CHECK-NEXT:     %a = phi.get %x[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %unset = arith.cmpi slt, %s, %zero : i64
// CHECK-NEXT:     %next = arith.select %unset, %a, %s : i64
// CHECK-NEXT:     phi.yield %next : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : i64
// CHECK-NEXT: }

// -----

// The result of a loop is read from an array.
func.func @at_the_key(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %l = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%c < %m) -> !phi.vec<f64> {
    %c_1 = arith.index_cast %c : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %selected = arith.cmpi eq, %key, %c_1 : i64
      %x = phi.get %a[%c_1] : !phi.vec<f64>[i64]
      %t = phi.fold (%j < %l, %sum = %zero) -> f64 {
        %y = phi.get %b[%c_1, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %more = arith.addf %sum, %y : f64
        phi.yield %more : f64
      }
      %z = arith.mulf %x, %t : f64
      %w = arith.select %selected, %z, %zero : f64
      %next = arith.addf %acc, %w : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @at_the_key(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %keys, 0 : !phi.vec<i64>
// CHECK-NEXT:   %l = phi.size %b, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %r = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = phi.array (%c_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %c_2 = arith.index_cast %c_1 : index to i64
// CHECK-NEXT:       %t = phi.fold (%j < %l, %sum = %zero) -> f64 {
// CHECK-NEXT:         %y = phi.get %b[%c_2, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:         %more = arith.addf %sum, %y : f64
// CHECK-NEXT:         phi.yield %more : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %t : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %key = phi.get %keys[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %1 = phi.get %0[%key] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %x = phi.get %a[%key] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z = arith.mulf %x, %1 : f64
// CHECK-NEXT:       %2 = phi.tuple (%key, %z) : tuple<i64, f64>
// CHECK-NEXT:       phi.yield %2 : tuple<i64, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:     phi.yield %s_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Terms with keys of their own are accumulations of their own; other terms stay in a sum. Of two
// choices the second one is taken if the first one is not.

func.func @terms(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %c_1 = arith.index_cast %c : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %at = arith.cmpi eq, %key, %c_1 : i64
      %next = arith.addi %key, %one : i64
      %behind = arith.cmpi eq, %next, %c_1 : i64
      %0 = arith.select %behind, %x, %zero : f64
      %1 = arith.addf %acc, %0 : f64
      %2 = arith.select %at, %x, %zero : f64
      %3 = arith.subf %1, %2 : f64
      phi.yield %3 : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<f64>
}
// CHECK-LABEL: func.func @terms(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:     %n = phi.size %keys, 0 : !phi.vec<i64>
// CHECK-NEXT:     %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %key = phi.get %keys[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %0 = arith.constant 1 : i64
// CHECK-NEXT:         %1 = arith.addi %key, %0 : i64
// CHECK-NEXT:         %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %2 = phi.tuple (%1, %x) : tuple<i64, f64>
// CHECK-NEXT:         phi.yield %2 : tuple<i64, f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:       %s_2 = phi.accumulate (%k_2 < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:         %key_1 = phi.get %keys[%k_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %x_1 = phi.get %a[%k_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:         %4 = arith.subf %3, %x_1 : f64
// CHECK-NEXT:         %5 = phi.tuple (%key_1, %4) : tuple<i64, f64>
// CHECK-NEXT:         phi.yield %5 : tuple<i64, f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %s_3 = phi.get %s_2[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:       %s_4 = arith.addf %s_1, %s_3 : f64
// CHECK-NEXT:       phi.yield %s_4 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %h : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

func.func @other_terms(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %c_1 = arith.index_cast %c : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %at = arith.cmpi eq, %key, %c_1 : i64
      %0 = arith.select %at, %x, %zero : f64
      %1 = math.exp %x : f64
      %2 = arith.addf %0, %1 : f64
      %3 = arith.addf %acc, %2 : f64
      phi.yield %3 : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<f64>
}
// CHECK-LABEL: func.func @other_terms(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %keys, 0 : !phi.vec<i64>
// CHECK-NEXT:     %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %key = phi.get %keys[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %0 = phi.tuple (%key, %x) : tuple<i64, f64>
// CHECK-NEXT:         phi.yield %0 : tuple<i64, f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:       %s_2 = phi.fold (%k_2 < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:         %x_1 = phi.get %a[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %1 = math.exp %x_1 : f64
// CHECK-NEXT:         %2 = arith.addf %acc, %1 : f64
// CHECK-NEXT:         phi.yield %2 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %s_3 = arith.addf %s_2, %s_1 : f64
// CHECK-NEXT:       phi.yield %s_3 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %h : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// A choice without a key is one of the other terms.

func.func @no_key_for_one(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m) -> !phi.vec<f64> {
    %c_1 = arith.index_cast %c : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %at = arith.cmpi eq, %key, %c_1 : i64
      %before = arith.cmpi slt, %key, %c_1 : i64
      %0 = arith.select %at, %x, %zero : f64
      %1 = arith.select %before, %x, %zero : f64
      %2 = arith.addf %0, %1 : f64
      %3 = arith.addf %acc, %2 : f64
      phi.yield %3 : f64
    }
    phi.yield %s : f64
  }
  func.return %h : !phi.vec<f64>
}
// CHECK-LABEL: func.func @no_key_for_one(%keys: !phi.vec<i64>, %a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %keys, 0 : !phi.vec<i64>
// CHECK-NEXT:     %h = phi.array (%c < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %c_1 = arith.index_cast %c : index to i64
// CHECK-NEXT:       %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:         %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:         %key = phi.get %keys[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %0 = phi.tuple (%key, %x) : tuple<i64, f64>
// CHECK-NEXT:         phi.yield %0 : tuple<i64, f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %s_1 = phi.get %s[%c] : !phi.vec<f64>[index]
// CHECK-NEXT:       %s_2 = phi.fold (%k_2 < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:         %key_1 = phi.get %keys[%k_2] : !phi.vec<i64>[i64]
// CHECK-NEXT:         %before = arith.cmpi slt, %key_1, %c_1 : i64
// CHECK-NEXT:         %x_1 = phi.get %a[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:         %2 = arith.select %before, %x_1, %1 : f64
// CHECK-NEXT:         %3 = arith.addf %acc, %2 : f64
// CHECK-NEXT:         phi.yield %3 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %s_3 = arith.addf %s_2, %s_1 : f64
// CHECK-NEXT:       phi.yield %s_3 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %h : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Keys along two axes, of which one fold has one: a loop would take a step of the size of the result
// for each row of them.
func.func @transposed_convolution(%x: !phi.vec<f64>, %w: !phi.vec<f64>, %s: i64, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %l = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.array (%y < %m) -> !phi.vec<f64> {
    %c = arith.index_cast %y : index to i64
    %a = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %b = phi.fold (%p < %l, %part = %zero) -> f64 {
        %first = arith.muli %i, %s : i64
        %at = arith.addi %first, %p : i64
        %here = arith.cmpi eq, %at, %c : i64
        %e = phi.get %x[%i] : !phi.vec<f64>[i64]
        %f = phi.get %w[%p] : !phi.vec<f64>[i64]
        %g = arith.mulf %e, %f : f64
        %h = arith.select %here, %g, %zero : f64
        %k = arith.addf %part, %h : f64
        phi.yield %k : f64
      }
      %next = arith.addf %acc, %b : f64
      phi.yield %next : f64
    }
    phi.yield %a : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @transposed_convolution(
// CHECK:         phi.accumulate (%i < %n, %p < %l) into "add" (%m)
// CHECK-NOT:     phi.fold

// -----

// Frames that overlap: each step adds a row of an array at a place.
func.func @overlap_add(%f: !phi.vec<!phi.vec<f64>>, %hop: i64, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %f, 0 : !phi.vec<!phi.vec<f64>>
  %w = phi.size %f, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%t < %m) -> !phi.vec<f64> {
    %i = arith.index_cast %t : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %place = arith.muli %k, %hop : i64
      %j = arith.subi %i, %place : i64
      %first = arith.cmpi sge, %j, %none : i64
      %last = arith.cmpi slt, %j, %w : i64
      %inside = arith.andi %first, %last : i1
      %x = phi.get %f[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = arith.select %inside, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @overlap_add(
// CHECK:         phi.accumulate (%k < %n, %t_1 < %w) into "add" (%m)
// CHECK-NOT:     phi.fold

// -----

// Of a product of two vectors no array is as large as all rows: a convolution adds short rows, else it
// stays a sum. The sizes decide.

func.func @convolution(%f: !phi.vec<f64>, %g: !phi.vec<f64>, %hop: i64, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %f, 0 : !phi.vec<f64>
  %w = phi.size %g, 0 : !phi.vec<f64>
  %r = phi.array (%t < %m) -> !phi.vec<f64> {
    %i = arith.index_cast %t : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %place = arith.muli %k, %hop : i64
      %j = arith.subi %i, %place : i64
      %first = arith.cmpi sge, %j, %none : i64
      %last = arith.cmpi slt, %j, %w : i64
      %inside = arith.andi %first, %last : i1
      %a = phi.get %f[%k] : !phi.vec<f64>[i64]
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

// CHECK-LABEL: func.func @convolution(
// CHECK:         %[[#LONGEST:]] = arith.floordivsi %m, %{{.*}} : i64
// CHECK:         %[[#SHORT:]] = arith.cmpi sle, %{{.*}}, %[[#LONGEST]] : i64
// CHECK:         %[[#FITS:]] = arith.andi %{{.*}}, %[[#SHORT]] : i1
// CHECK:         %[[#STEPS:]] = arith.select %[[#FITS]], %{{.*}}, %n : i64
// CHECK:         %[[#ROWS:]] = arith.select %[[#FITS]], %n, %{{.*}} : i64
// CHECK:         phi.accumulate (%k < %[[#ROWS]], %{{.*}} < %w) into "add"
// CHECK:         phi.fold (%{{.*}} < %[[#STEPS]], %acc = %zero)
// CHECK:         phi.concat

// -----

// A comparison of another key with an index: the segments are scanned along it.

func.func @running_totals(%keys: !phi.vec<i64>, %x: !phi.vec<i64>, %m: i64, %n: i64) -> !phi.vec<!phi.vec<i64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = phi.size %keys, 0 : !phi.vec<i64>
  %h = phi.array (%c < %m, %i < %n) -> !phi.vec<!phi.vec<i64>> {
    %s = phi.fold (%k < %size, %acc = %zero) -> i64 {
      %key = phi.get %keys[%k] : !phi.vec<i64>[i64]
      %c_1 = arith.index_cast %c : index to i64
      %own = arith.cmpi eq, %key, %c_1 : i64
      %e = phi.get %x[%k] : !phi.vec<i64>[i64]
      %i_1 = arith.index_cast %i : index to i64
      %below = arith.cmpi sle, %e, %i_1 : i64
      %both = arith.andi %own, %below : i1
      %y = arith.select %both, %one, %zero : i64
      %next = arith.addi %acc, %y : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %h : !phi.vec<!phi.vec<i64>>
}

// CHECK-LABEL: func.func @running_totals
// CHECK:         %s = phi.accumulate (%k < %size) into "add" (%m, %n) -> !phi.vec<!phi.vec<i64>> {
// CHECK:         %[[SCANS:.*]] = phi.array (%{{.*}} < %m) -> !phi.vec<!phi.vec<i64>> {
// CHECK:           phi.scan "add" %{{.*}} : !phi.vec<i64>
// CHECK:         phi.get %[[SCANS]][%c, %{{.*}}] : !phi.vec<!phi.vec<i64>>[index, i64]
// CHECK-NOT:     phi.fold
