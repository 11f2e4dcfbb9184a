// RUN: ein-opt %s -p bound-varying-sizes | filecheck %s

// The size of an array varies with the counter: its elements are followed by padding, which a
// reduction replaces by the identity.

func.func @sum(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    %t = phi.reduce %v identity %zero by { arith.addf } -> f64
    %next = arith.mulf %acc, %t : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @sum(%a: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:      %v = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:      %1 = phi.array (%2 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:        %3 = arith.index_cast %2 : index to i64
// CHECK-NEXT:        %4 = arith.cmpi slt, %3, %k : i64
// CHECK-NEXT:        %5 = phi.get %v[%2] : !phi.vec<f64>[index]
// CHECK-NEXT:        %6 = arith.select %4, %5, %zero : f64
// CHECK-NEXT:        phi.yield %6 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.reduce %1 identity %zero by { arith.addf } -> f64
// CHECK-NEXT:      %next = arith.mulf %acc, %t : f64
// CHECK-NEXT:      phi.yield %next : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : f64
// CHECK-NEXT:  }

// Reads along an index skip a varying number of elements: the index starts there.

func.func @tail(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %m = arith.subi %n, %k : i64
    %v = phi.array (%i < %m) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.addi %i_1, %k : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = math.log %x : f64
      phi.yield %y : f64
    }
    %t = phi.reduce %v identity %zero by { arith.addf } -> f64
    %next = arith.mulf %acc, %t : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @tail(%a: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:      %m = arith.subi %n, %k : i64
// CHECK-NEXT:      %0 = arith.addi %k, %m : i64
// CHECK-NEXT:      %v = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:        %2 = arith.cmpi sge, %1, %k : i64
// CHECK-NEXT:        %3 = arith.cmpi slt, %1, %0 : i64
// CHECK-NEXT:        %4 = arith.andi %2, %3 : i1
// CHECK-NEXT:        %5 = arith.index_cast %i : index to i64
// CHECK-NEXT:        %i_1 = arith.subi %5, %k : i64
// CHECK-NEXT:        %p = arith.addi %i_1, %k : i64
// CHECK-NEXT:        %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %6 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:        %7 = arith.select %4, %x, %6 : f64
// CHECK-NEXT:        %y = math.log %7 : f64
// CHECK-NEXT:        phi.yield %y : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %8 = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:      %9 = phi.array (%10 < %8) -> !phi.vec<f64> {
// CHECK-NEXT:        %11 = arith.index_cast %10 : index to i64
// CHECK-NEXT:        %12 = arith.cmpi sge, %11, %k : i64
// CHECK-NEXT:        %13 = arith.cmpi slt, %11, %0 : i64
// CHECK-NEXT:        %14 = arith.andi %12, %13 : i1
// CHECK-NEXT:        %15 = phi.get %v[%10] : !phi.vec<f64>[index]
// CHECK-NEXT:        %16 = arith.select %14, %15, %zero : f64
// CHECK-NEXT:        phi.yield %16 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.reduce %9 identity %zero by { arith.addf } -> f64
// CHECK-NEXT:      %next = arith.mulf %acc, %t : f64
// CHECK-NEXT:      phi.yield %next : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : f64
// CHECK-NEXT:  }

// A read clips to the elements; an element of an empty array is zero. A position in bounds does not.

func.func @read(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3 : i64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    %y = phi.get %v[%three] : !phi.vec<f64>[i64]
    %t = phi.size %v, 0 : !phi.vec<f64>
    %w = phi.fold (%j < %k, %u = %acc) -> f64 {
      %z = phi.get %v[%j] : !phi.vec<f64>[i64]
      %0 = arith.addf %u, %z : f64
      phi.yield %0 : f64
    }
    %next = arith.mulf %w, %y : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @read(%a: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %three = arith.constant 3 : i64
// CHECK-NEXT:    %0 = arith.constant 1 : i64
// CHECK-NEXT:    %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:    %2 = arith.constant 0 : i64
// CHECK-NEXT:    %3 = arith.maxsi %1, %2 : i64
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:      %v = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %4 = arith.constant 1 : i64
// CHECK-NEXT:      %5 = arith.subi %k, %4 : i64
// CHECK-NEXT:      %6 = arith.minsi %three, %5 : i64
// CHECK-NEXT:      %y = phi.get %v[%6] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %8 = arith.constant 0 : i64
// CHECK-NEXT:      %9 = arith.cmpi slt, %8, %k : i64
// CHECK-NEXT:      %y_1 = arith.select %9, %y, %7 : f64
// CHECK-NEXT:      %10 = arith.minsi %k, %3 : i64
// CHECK-NEXT:      %11 = arith.constant 0 : i64
// CHECK-NEXT:      %12 = arith.maxsi %10, %11 : i64
// CHECK-NEXT:      %w = phi.fold (%j < %12, %u = %acc) -> f64 {
// CHECK-NEXT:        %z = phi.get %v[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %13 = arith.addf %u, %z : f64
// CHECK-NEXT:        phi.yield %13 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %next = arith.mulf %w, %y_1 : f64
// CHECK-NEXT:      phi.yield %next : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : f64
// CHECK-NEXT:  }

// A search finds no padding.

func.func @search(%a: !phi.vec<i64>) -> i64 {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
    %v = phi.array (%i < %k) -> !phi.vec<i64> {
      %x = phi.get %a[%i] : !phi.vec<i64>[index]
      phi.yield %x : i64
    }
    %t = phi.argreduce %v by "<" : !phi.vec<i64>
    %next = arith.addi %acc, %t : i64
    phi.yield %next : i64
  }
  func.return %s : i64
}
// CHECK-LABEL: func.func @search(%a: !phi.vec<i64>) -> i64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:    %zero = arith.constant 0 : i64
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
// CHECK-NEXT:      %v = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:        phi.yield %x : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = arith.constant 9223372036854775807 : i64
// CHECK-NEXT:      %1 = phi.size %v, 0 : !phi.vec<i64>
// CHECK-NEXT:      %2 = phi.array (%3 < %1) -> !phi.vec<i64> {
// CHECK-NEXT:        %4 = arith.index_cast %3 : index to i64
// CHECK-NEXT:        %5 = arith.cmpi slt, %4, %k : i64
// CHECK-NEXT:        %6 = phi.get %v[%3] : !phi.vec<i64>[index]
// CHECK-NEXT:        %7 = arith.select %5, %6, %0 : i64
// CHECK-NEXT:        phi.yield %7 : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.argreduce %2 by "<" : !phi.vec<i64>
// CHECK-NEXT:      %8 = arith.constant 0 : i64
// CHECK-NEXT:      %9 = arith.constant 1 : i64
// CHECK-NEXT:      %10 = arith.subi %k, %9 : i64
// CHECK-NEXT:      %11 = arith.maxsi %10, %8 : i64
// CHECK-NEXT:      %t_1 = arith.minsi %t, %11 : i64
// CHECK-NEXT:      %next = arith.addi %acc, %t_1 : i64
// CHECK-NEXT:      phi.yield %next : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : i64
// CHECK-NEXT:  }

// No bound: the count is an element of an array. The sizes that vary with the same fold stay, too.

func.func @unbounded(%a: !phi.vec<f64>, %c: !phi.vec<i64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %m = phi.get %c[%k] : !phi.vec<i64>[i64]
    %count = arith.maxsi %m, %none : i64
    %t = phi.fold (%j < %count, %u = %acc) -> f64 {
      %0 = math.sqrt %u : f64
      phi.yield %0 : f64
    }
    %r = phi.fold (%j < %k, %u = %t) -> f64 {
      %0 = math.sqrt %u : f64
      phi.yield %0 : f64
    }
    phi.yield %r : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @unbounded(%a: !phi.vec<f64>, %c: !phi.vec<i64>) -> f64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %none = arith.constant 0 : i64
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:      %m = phi.get %c[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %count = arith.maxsi %m, %none : i64
// CHECK-NEXT:      %t = phi.fold (%j < %count, %u = %acc) -> f64 {
// CHECK-NEXT:        %0 = math.sqrt %u : f64
// CHECK-NEXT:        phi.yield %0 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.fold (%j_1 < %k, %u_1 = %t) -> f64 {
// CHECK-NEXT:        %1 = math.sqrt %u_1 : f64
// CHECK-NEXT:        phi.yield %1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %r : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : f64
// CHECK-NEXT:  }

// The size may be negative, which is an error.

func.func @negative(%a: !phi.vec<f64>, %m: i64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %count = arith.subi %m, %k : i64
    %t = phi.fold (%j < %count, %u = %acc) -> f64 {
      %0 = math.sqrt %u : f64
      phi.yield %0 : f64
    }
    phi.yield %t : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @negative(%a: !phi.vec<f64>, %m: i64) -> f64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:      %count = arith.subi %m, %k : i64
// CHECK-NEXT:      %t = phi.fold (%j < %count, %u = %acc) -> f64 {
// CHECK-NEXT:        %0 = math.sqrt %u : f64
// CHECK-NEXT:        phi.yield %0 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %t : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : f64
// CHECK-NEXT:  }

// The accumulator grows: the steps have different shapes.

func.func @grows(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    %next = phi.concat %acc, %v : !phi.vec<f64>
    phi.yield %next : !phi.vec<f64>
  }
  %r = phi.get %s[%none] : !phi.vec<f64>[i64]
  func.return %r : f64
}
// CHECK-LABEL: func.func @grows(%a: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %none = arith.constant 0 : i64
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
// CHECK-NEXT:      %v = phi.array (%i < %k) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %next = phi.concat %acc, %v : !phi.vec<f64>
// CHECK-NEXT:      phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = phi.get %s[%none] : !phi.vec<f64>[i64]
// CHECK-NEXT:    func.return %r : f64
// CHECK-NEXT:  }

// The padding of the last part of a concatenation is that of the result.

func.func @product(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1.0 : f64
  %single = arith.constant 1 : i64
  %s = phi.fold (%k < %n, %acc = %one) -> f64 {
    %u = phi.array (%i < %single) -> !phi.vec<f64> {
      phi.yield %acc : f64
    }
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    %w = phi.concat %u, %v : !phi.vec<f64>
    %t = phi.reduce %w identity %one by { arith.mulf } -> f64
    phi.yield %t : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @product(%a: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %single = arith.constant 1 : i64
// CHECK-NEXT:    %0 = arith.constant 1 : i64
// CHECK-NEXT:    %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:    %2 = arith.constant 0 : i64
// CHECK-NEXT:    %3 = arith.maxsi %1, %2 : i64
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %one) -> f64 {
// CHECK-NEXT:      %u = phi.array (%i < %single) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %acc : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %v = phi.array (%i_1 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %a[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %4 = arith.addi %single, %k : i64
// CHECK-NEXT:      %w = phi.concat %u, %v : !phi.vec<f64>
// CHECK-NEXT:      %5 = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:      %6 = phi.array (%7 < %5) -> !phi.vec<f64> {
// CHECK-NEXT:        %8 = arith.index_cast %7 : index to i64
// CHECK-NEXT:        %9 = arith.cmpi slt, %8, %4 : i64
// CHECK-NEXT:        %10 = phi.get %w[%7] : !phi.vec<f64>[index]
// CHECK-NEXT:        %11 = arith.select %9, %10, %one : f64
// CHECK-NEXT:        phi.yield %11 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.reduce %6 identity %one by { arith.mulf } -> f64
// CHECK-NEXT:      phi.yield %t : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : f64
// CHECK-NEXT:  }

// All factors of the products of a sum are 0 in the padding: it stays a contraction.

func.func @dot(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      %y = phi.get %b[%i] : !phi.vec<f64>[index]
      %z = arith.mulf %x, %y : f64
      phi.yield %z : f64
    }
    %t = phi.reduce %v identity %zero by { arith.addf } -> f64
    %next = arith.mulf %acc, %t : f64
    phi.yield %next : f64
  }
  func.return %s : f64
}
// CHECK-LABEL: func.func @dot(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:      %v = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:        %1 = arith.cmpi slt, %0, %k : i64
// CHECK-NEXT:        %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %3 = arith.select %1, %x, %2 : f64
// CHECK-NEXT:        %y = phi.get %b[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %4 = arith.select %1, %y, %2 : f64
// CHECK-NEXT:        %z = arith.mulf %3, %4 : f64
// CHECK-NEXT:        phi.yield %z : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.reduce %v identity %zero by { arith.addf } -> f64
// CHECK-NEXT:      %next = arith.mulf %acc, %t : f64
// CHECK-NEXT:      phi.yield %next : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : f64
// CHECK-NEXT:  }

// A start that is no identity is combined once: the padding is not filled with it.

func.func @start(%x: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant -0.000000e+00 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %s = phi.reduce %v identity %acc by { arith.addf } -> f64
    phi.yield %s : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @start(%x: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %zero = arith.constant -0.000000e+00 : f64
// CHECK-NEXT:      %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %v = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %e = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %e : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %1 = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:        %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:          %4 = arith.index_cast %3 : index to i64
// CHECK-NEXT:          %5 = arith.cmpi slt, %4, %k : i64
// CHECK-NEXT:          %6 = phi.get %v[%3] : !phi.vec<f64>[index]
// CHECK-NEXT:          %7 = arith.select %5, %6, %0 : f64
// CHECK-NEXT:          phi.yield %7 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %s = phi.reduce %2 identity %0 by { arith.addf } -> f64
// CHECK-NEXT:        %s_1 = arith.addf %acc, %s : f64
// CHECK-NEXT:        phi.yield %s_1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : f64
// CHECK-NEXT:    }

// Every value is an identity before the last element, and none behind it: nothing fills the array.

func.func @last(%x: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant -0.000000e+00 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %s = phi.reduce %v identity %acc by (%p, %q) -> f64 {
 phi.yield %q : f64 }
    phi.yield %s : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @last(%x: !phi.vec<f64>) -> f64 {
// CHECK:           %v = phi.array (%i < %k) -> !phi.vec<f64> {
// CHECK:           %s = phi.reduce %v identity %acc by (%p, %q) -> f64 {
