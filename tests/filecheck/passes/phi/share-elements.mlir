// RUN: ein-opt %s --split-input-file -p share-elements,simplify | filecheck %s

// Values that do not vary with all loops around them are computed once.

// One that varies with the first index only splits the comprehension; one that varies with the
// second only becomes an array.
func.func @softmax(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.addf %acc, %x : f64
      phi.yield %0 : f64
    }
    %y = phi.get %b[%j] : !phi.vec<f64>[index]
    %e = math.exp %y : f64
    %z = arith.mulf %s, %e : f64
    phi.yield %z : f64
  }
  func.return %p : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @softmax(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %0 = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        %y = phi.get %b[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:        %e = math.exp %y : f64
// CHECK-NEXT:        phi.yield %e : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:          %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %1 = arith.addf %acc, %x : f64
// CHECK-NEXT:          phi.yield %1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %2 = phi.array (%j_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %e_1 = phi.get %0[%j_1] : !phi.vec<f64>[index]
// CHECK-NEXT:          %z = arith.mulf %s, %e_1 : f64
// CHECK-NEXT:          phi.yield %z : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %2 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// -----

// A value in a fold that varies with the counter only is an array over the counter.
func.func @fold(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %p = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %e = math.exp %y : f64
      %0 = arith.mulf %e, %x : f64
      %1 = arith.addf %acc, %0 : f64
      phi.yield %1 : f64
    }
    phi.yield %s : f64
  }
  func.return %p : !phi.vec<f64>
}

// CHECK:         func.func @fold(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        %1 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %y = phi.get %b[%1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %e = math.exp %y : f64
// CHECK-NEXT:        phi.yield %e : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %p = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %s = phi.fold (%k_1 < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:          %e_1 = phi.get %0[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %2 = arith.mulf %e_1, %x : f64
// CHECK-NEXT:          %3 = arith.addf %acc, %2 : f64
// CHECK-NEXT:          phi.yield %3 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// Cheap values stay, and values that depend on an accumulator.
func.func @stay(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %p = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %x) -> f64 {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %z = arith.addf %y, %y : f64
      %0 = math.exp %acc : f64
      %1 = arith.addf %0, %z : f64
      phi.yield %1 : f64
    }
    phi.yield %s : f64
  }
  func.return %p : !phi.vec<f64>
}

// CHECK:         func.func @stay(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:      %p = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %s = phi.fold (%k < %m, %acc = %x) -> f64 {
// CHECK-NEXT:          %y = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %z = arith.addf %y, %y : f64
// CHECK-NEXT:          %0 = math.exp %acc : f64
// CHECK-NEXT:          %1 = arith.addf %0, %z : f64
// CHECK-NEXT:          phi.yield %1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// An array of several axes is stored if one that is read has them, too; otherwise sizes decide at run
// time, and one of two loops is empty.
func.func @memory(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %p = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %w = phi.get %a[%j] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %y, %w : f64
      %e = math.exp %z : f64
      %0 = arith.mulf %e, %x : f64
      %1 = arith.addf %acc, %0 : f64
      phi.yield %1 : f64
    }
    phi.yield %s : f64
  }
  func.return %p : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @memory(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = arith.constant 0x4130000000000000 : f64
// CHECK-NEXT:      %1 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:      %2 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:      %3 = arith.mulf %1, %2 : f64
// CHECK-NEXT:      %4 = arith.maximumf %3, %0 : f64
// CHECK-NEXT:      %5 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:      %6 = arith.sitofp %m : i64 to f64
// CHECK-NEXT:      %7 = arith.mulf %5, %6 : f64
// CHECK-NEXT:      %8 = arith.cmpf ole, %7, %4 : f64
// CHECK-NEXT:      %9 = arith.constant 0 : i64
// CHECK-NEXT:      %10 = arith.select %8, %n, %9 : i64
// CHECK-NEXT:      %11 = arith.select %8, %9, %n : i64
// CHECK-NEXT:      %12 = arith.constant 0 : i64
// CHECK-NEXT:      %13 = arith.select %8, %n, %12 : i64
// CHECK-NEXT:      %14 = phi.array (%j < %13, %k < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %15 = arith.index_cast %k : index to i64
// CHECK-NEXT:        %w = phi.get %a[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y = phi.get %b[%15] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %z = arith.mulf %y, %w : f64
// CHECK-NEXT:        %e = math.exp %z : f64
// CHECK-NEXT:        phi.yield %e : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %p = phi.array (%i < %10, %j_1 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %s = phi.fold (%k_1 < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:          %e_1 = phi.get %14[%j_1, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %16 = arith.mulf %e_1, %x : f64
// CHECK-NEXT:          %17 = arith.addf %acc, %16 : f64
// CHECK-NEXT:          phi.yield %17 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %p_1 = phi.array (%i_1 < %11, %j_2 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %x_1 = phi.get %a[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:        %w_1 = phi.get %a[%j_2] : !phi.vec<f64>[index]
// CHECK-NEXT:        %s_1 = phi.fold (%k_2 < %m, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:          %y_1 = phi.get %b[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %z_1 = arith.mulf %y_1, %w_1 : f64
// CHECK-NEXT:          %e_2 = math.exp %z_1 : f64
// CHECK-NEXT:          %18 = arith.mulf %e_2, %x_1 : f64
// CHECK-NEXT:          %19 = arith.addf %acc_1, %18 : f64
// CHECK-NEXT:          phi.yield %19 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %s_1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %p_2 = phi.concat %p, %p_1 of %n : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      func.return %p_2 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// -----

// A vector that varies with the first index only splits the comprehension.
func.func @vector(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %s = phi.scan "add" %row : !phi.vec<f64>
    %k = arith.index_cast %j : index to i64
    %next = arith.addi %k, %one : i64
    %x = phi.get %s[%next] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %p : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @vector(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:        %s = phi.scan "add" %row : !phi.vec<f64>
// CHECK-NEXT:        %0 = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %k = arith.index_cast %j : index to i64
// CHECK-NEXT:          %next = arith.addi %k, %one : i64
// CHECK-NEXT:          %x = phi.get %s[%next] : !phi.vec<f64>[i64]
// CHECK-NEXT:          phi.yield %x : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %0 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// -----

// One that varies with the second only is stored for all rows: an array of the scans has a column
// more than the array that is read. Its operand is not stored, too.
func.func @transposed(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%j < %m, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %squares = phi.array (%k < %m) -> !phi.vec<f64> {
      %y = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, index]
      %z = arith.mulf %y, %y : f64
      phi.yield %z : f64
    }
    %s = phi.scan "add" %squares : !phi.vec<f64>
    %x = phi.get %s[%j] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  func.return %p : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @transposed(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %0 = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %squares = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %y = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          %z = arith.mulf %y, %y : f64
// CHECK-NEXT:          phi.yield %z : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %s = phi.scan "add" %squares : !phi.vec<f64>
// CHECK-NEXT:        phi.yield %s : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %p = phi.array (%j < %m, %i_1 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %x = phi.get %0[%i_1, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// -----

// The value of a fold with arrays, in another fold.
func.func @in_fold(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %c = phi.size %b, 0 : !phi.vec<f64>
  %p = phi.array (%j < %m) -> !phi.vec<f64> {
    %t = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[i64]
      %v = phi.fold (%s < %c, %u = %row) -> !phi.vec<f64> {
        %x = phi.get %b[%s] : !phi.vec<f64>[i64]
        %w = phi.array (%k < %m) -> !phi.vec<f64> {
          %y = phi.get %u[%k] : !phi.vec<f64>[index]
          %z = arith.mulf %x, %y : f64
          phi.yield %z : f64
        }
        phi.yield %w : !phi.vec<f64>
      }
      %e = phi.get %v[%j] : !phi.vec<f64>[index]
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %t : f64
  }
  func.return %p : !phi.vec<f64>
}

// CHECK:         func.func @in_fold(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %c = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:        %row = phi.get %a[%1] : !phi.vec<!phi.vec<f64>>[i64]
// CHECK-NEXT:        %v = phi.fold (%s < %c, %u = %row) -> !phi.vec<f64> {
// CHECK-NEXT:          %x = phi.get %b[%s] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %w = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK-NEXT:            %y = phi.get %u[%k] : !phi.vec<f64>[index]
// CHECK-NEXT:            %z = arith.mulf %x, %y : f64
// CHECK-NEXT:            phi.yield %z : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %v : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %p = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        %t = phi.fold (%i_1 < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:          %e = phi.get %0[%i_1, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:          %next = arith.addf %acc, %e : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %t : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// An array of the vectors of all i would be larger than any that is read, and than the result: the
// result is computed with i first, and each vector once. A row costs nothing.
func.func @large(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %c, 0 : !phi.vec<f64>
  %p = phi.array (%j < %n, %i < %m) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %b[%i] : !phi.vec<!phi.vec<f64>>[index]
    %first = phi.get %row[%i] : !phi.vec<f64>[index]
    %v = phi.array (%k < %l) -> !phi.vec<f64> {
      %y = phi.get %c[%k] : !phi.vec<f64>[index]
      %z = arith.mulf %y, %first : f64
      phi.yield %z : f64
    }
    %s = phi.scan "add" %v : !phi.vec<f64>
    %x = phi.get %s[%j] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  func.return %p : !phi.vec<!phi.vec<f64>>
}

// CHECK:           func.func @large(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:        %m = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:        %l = phi.size %c, 0 : !phi.vec<f64>
// CHECK-NEXT:        %0 = phi.array (%i < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:          %first = phi.get %b[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          %v = phi.array (%k < %l) -> !phi.vec<f64> {
// CHECK-NEXT:            %y = phi.get %c[%k] : !phi.vec<f64>[index]
// CHECK-NEXT:            %z = arith.mulf %y, %first : f64
// CHECK-NEXT:            phi.yield %z : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %s = phi.scan "add" %v : !phi.vec<f64>
// CHECK-NEXT:          %1 = phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK-NEXT:            %x = phi.get %s[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:            phi.yield %x : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %1 : !phi.vec<f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %p = phi.array (%j_1 < %n, %i_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:          %2 = phi.get %0[%i_1, %j_1] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          phi.yield %2 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %p : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      }

// -----

// The sums of all segments are as many as the results; the loop raises the error of a negative count
// itself. The keys and values of a column are cheap, and not stored.
func.func @segments(%key: !phi.vec<i64>, %v: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %v, 1 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %v, 0 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%g < %n, %f < %m) -> !phi.vec<!phi.vec<f64>> {
    %column = phi.array (%i < %l) -> !phi.vec<f64> {
      %x = phi.get %v[%i, %f] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %x : f64
    }
    %q = phi.size %key, 0 : !phi.vec<i64>
    %s = phi.accumulate (%j < %q) into "add" (%n) -> !phi.vec<f64> {
      %p0 = phi.get %key[%j] : !phi.vec<i64>[index]
      %value = phi.get %column[%j] : !phi.vec<f64>[index]
      %at = phi.tuple (%p0, %value) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    %y = phi.get %s[%g] : !phi.vec<f64>[index]
    phi.yield %y : f64
  }
  func.return %p : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @segments(%key: !phi.vec<i64>, %v: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %m = phi.size %v, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %l = phi.size %v, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %0 = phi.array (%f < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %column = phi.array (%i < %l) -> !phi.vec<f64> {
// CHECK-NEXT:          %x = phi.get %v[%i, %f] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          phi.yield %x : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %q = phi.size %key, 0 : !phi.vec<i64>
// CHECK-NEXT:        %s = phi.accumulate (%j < %q) into "add" (%n) -> !phi.vec<f64> {
// CHECK-NEXT:          %p0 = phi.get %key[%j] : !phi.vec<i64>[index]
// CHECK-NEXT:          %value = phi.get %column[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:          %at = phi.tuple (%p0, %value) : tuple<i64, f64>
// CHECK-NEXT:          phi.yield %at : tuple<i64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %s : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %p = phi.array (%g < %n, %f_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %y = phi.get %0[%f_1, %g] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        phi.yield %y : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// -----

// A value that depends on the accumulator of an outer loop leaves an inner loop.
func.func @in_steps(%a: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %steps, %s = %a) -> !phi.vec<f64> {
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %c0 = arith.constant 0 : i64
      %x = phi.get %s[%c0] : !phi.vec<f64>[i64]
      %e = math.exp %x : f64
      %y = phi.get %s[%i] : !phi.vec<f64>[index]
      %z = arith.mulf %e, %y : f64
      phi.yield %z : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:         func.func @in_steps(%a: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %r = phi.fold (%t < %steps, %s = %a) -> !phi.vec<f64> {
// CHECK-NEXT:        %c0 = arith.constant 0 : i64
// CHECK-NEXT:        %x = phi.get %s[%c0] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %e = math.exp %x : f64
// CHECK-NEXT:        %b = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %y = phi.get %s[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %z = arith.mulf %e, %y : f64
// CHECK-NEXT:          phi.yield %z : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %b : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// The array of a value without a function is not worth two versions.
func.func @division(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %p = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %w = phi.get %a[%j] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %y, %w : f64
      %e = arith.divf %z, %y : f64
      %0 = arith.mulf %e, %x : f64
      %1 = arith.addf %acc, %0 : f64
      phi.yield %1 : f64
    }
    phi.yield %s : f64
  }
  func.return %p : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @division(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:      %p = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %w = phi.get %a[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:        %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:          %y = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %z = arith.mulf %y, %w : f64
// CHECK-NEXT:          %e = arith.divf %z, %y : f64
// CHECK-NEXT:          %0 = arith.mulf %e, %x : f64
// CHECK-NEXT:          %1 = arith.addf %acc, %0 : f64
// CHECK-NEXT:          phi.yield %1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// -----

// A fold takes its steps with a stored kernel, or without; counts that are asserted to be equal are
// the same.
func.func @kernel(%p: !phi.vec<f64>, %x: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %steps, %q = %p) -> !phi.vec<f64> {
    %m = phi.size %q, 0 : !phi.vec<f64>
    %c = phi.assert_eq %m, %n, "sizes"
    %next = phi.array (%i < %n) -> !phi.vec<f64> {
      %y = phi.get %x[%i] : !phi.vec<f64>[index]
      %s = phi.fold (%j < %c, %acc = %zero) -> f64 {
        %z = phi.get %x[%j] : !phi.vec<f64>[i64]
        %d = arith.subf %y, %z : f64
        %e = math.exp %d : f64
        %w = phi.get %q[%j] : !phi.vec<f64>[i64]
        %0 = arith.mulf %e, %w : f64
        %1 = arith.addf %acc, %0 : f64
        phi.yield %1 : f64
      }
      phi.yield %s : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:         func.func @kernel(%p: !phi.vec<f64>, %x: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = arith.constant 0x4130000000000000 : f64
// CHECK-NEXT:      %1 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:      %2 = arith.sitofp %n : i64 to f64
// CHECK-NEXT:      %3 = arith.mulf %1, %2 : f64
// CHECK-NEXT:      %4 = arith.cmpf ole, %3, %0 : f64
// CHECK-NEXT:      %5 = arith.constant 0 : i64
// CHECK-NEXT:      %6 = arith.select %4, %steps, %5 : i64
// CHECK-NEXT:      %7 = arith.select %4, %5, %steps : i64
// CHECK-NEXT:      %8 = arith.constant 0 : i64
// CHECK-NEXT:      %9 = arith.select %4, %n, %8 : i64
// CHECK-NEXT:      %10 = phi.array (%i < %9, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %11 = arith.index_cast %j : index to i64
// CHECK-NEXT:        %y = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %z = phi.get %x[%11] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %d = arith.subf %y, %z : f64
// CHECK-NEXT:        %e = math.exp %d : f64
// CHECK-NEXT:        phi.yield %e : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.fold (%t < %6, %q = %p) -> !phi.vec<f64> {
// CHECK-NEXT:        %m = phi.size %q, 0 : !phi.vec<f64>
// CHECK-NEXT:        %c = phi.assert_eq %m, %n, "sizes"
// CHECK-NEXT:        %next = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %s = phi.fold (%j_1 < %c, %acc = %zero) -> f64 {
// CHECK-NEXT:            %e_1 = phi.get %10[%i_1, %j_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:            %w = phi.get %q[%j_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %12 = arith.mulf %e_1, %w : f64
// CHECK-NEXT:            %13 = arith.addf %acc, %12 : f64
// CHECK-NEXT:            phi.yield %13 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %s : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %r_1 = phi.fold (%t_1 < %7, %q_1 = %r) -> !phi.vec<f64> {
// CHECK-NEXT:        %m_1 = phi.size %q_1, 0 : !phi.vec<f64>
// CHECK-NEXT:        %c_1 = phi.assert_eq %m_1, %n, "sizes"
// CHECK-NEXT:        %next_1 = phi.array (%i_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %y_1 = phi.get %x[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:          %s_1 = phi.fold (%j_2 < %c_1, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:            %z_1 = phi.get %x[%j_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %d_1 = arith.subf %y_1, %z_1 : f64
// CHECK-NEXT:            %e_2 = math.exp %d_1 : f64
// CHECK-NEXT:            %w_1 = phi.get %q_1[%j_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %14 = arith.mulf %e_2, %w_1 : f64
// CHECK-NEXT:            %15 = arith.addf %acc_1, %14 : f64
// CHECK-NEXT:            phi.yield %15 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %s_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %next_1 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r_1 : !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// A vector for each column may be as large as the result, and so may a table of a function for each
// column, or larger if it has few elements: the comprehension of rows has two versions.

func.func @table(%x: !phi.vec<!phi.vec<f64>>, %m: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      %j_1 = arith.index_cast %j : index to i64
      %s = phi.fold (%k < %l, %acc = %zero) -> f64 {
        %p = arith.muli %j_1, %k : i64
        %f = arith.sitofp %p : i64 to f64
        %c = math.cos %f : f64
        %v = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %w = arith.mulf %v, %c : f64
        %next = arith.addf %acc, %w : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @table(
// CHECK:         [[FITS:%\d+]] = arith.cmpf ole
// CHECK:         [[FIRST:%\d+]] = arith.select [[FITS]], %n,
// CHECK:         phi.array (%j < {{.*}}, %k < %l) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           math.cos
// CHECK:         %r = phi.array (%i < [[FIRST]], %j_2 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %s = phi.fold
// CHECK-NEXT:        phi.get

// -----

// The order of each column is as large as the array, whether it is needed or not; searches take all
// elements of it, so that these are computed once, too.
func.func @orders(%x: !phi.vec<!phi.vec<f64>>, %few: i1) -> !phi.vec<!phi.vec<i64>> {
  %zero = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %l = arith.select %few, %zero, %n : i64
  %r = phi.array (%i < %n, %f < %m) -> !phi.vec<!phi.vec<i64>> {
    %column = phi.array (%k < %l) -> !phi.vec<f64> {
      %z = phi.get %x[%k, %f] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %z : f64
    }
    %order = phi.argsort %column : !phi.vec<f64>
    %sorted = phi.array (%k < %l) -> !phi.vec<f64> {
      %p = phi.get %order[%k] : !phi.vec<i64>[index]
      %z = phi.get %column[%p] : !phi.vec<f64>[i64]
      phi.yield %z : f64
    }
    %y = phi.get %x[%i, %f] : !phi.vec<!phi.vec<f64>>[index, index]
    %place = phi.searchsorted %sorted, %y : !phi.vec<f64>, f64
    phi.yield %place : i64
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}

// CHECK:      func.func @orders(%x: !phi.vec<!phi.vec<f64>>, %few: i1) -> !phi.vec<!phi.vec<i64>> {
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %l = arith.select %few, %zero, %n : i64
// CHECK-NEXT:   %0 = phi.array (%f < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %column = phi.array (%k < %l) -> !phi.vec<f64> {
// CHECK-NEXT:       %z = phi.get %x[%k, %f] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = phi.sort %column : !phi.vec<f64>
// CHECK-NEXT:     %sorted = phi.array (%k_1 < %l) -> !phi.vec<f64> {
// CHECK-NEXT:       %z_1 = phi.get %1[%k_1] : !phi.vec<f64>[index]
// CHECK-NEXT:       phi.yield %z_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %sorted : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%i < %n, %f_1 < %m) -> !phi.vec<!phi.vec<i64>> {
// CHECK-NEXT:     %sorted_1 = phi.get %0[%f_1] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:     %y = phi.get %x[%i, %f_1] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:     %place = phi.searchsorted %sorted_1, %y : !phi.vec<f64>, f64
// CHECK-NEXT:     phi.yield %place : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT: }

// -----

// A function of one index of an accumulation.
func.func @votes(%e: !phi.vec<!phi.vec<i64>>, %x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %r = phi.accumulate (%i < %n, %t < %n) into "add" (%n) -> !phi.vec<f64> {
    %p = phi.get %e[%i, %t] : !phi.vec<!phi.vec<i64>>[index, index]
    %y = phi.get %x[%t] : !phi.vec<f64>[index]
    %z = math.cos %y : f64
    %v = phi.tuple (%p, %z) : tuple<i64, f64>
    phi.yield %v : tuple<i64, f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @votes(%e: !phi.vec<!phi.vec<i64>>, %x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK:        %2 = phi.array (%t < %1) -> !phi.vec<f64> {
// CHECK-NEXT:     %y = phi.get %x[%t] : !phi.vec<f64>[index]
// CHECK-NEXT:     %z = math.cos %y : f64
// CHECK-NEXT:     phi.yield %z : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.accumulate (%i < %n, %t_1 < %n) into "add" (%n) -> !phi.vec<f64> {
// CHECK-NEXT:     %p = phi.get %e[%i, %t_1] : !phi.vec<!phi.vec<i64>>[index, index]
// CHECK-NEXT:     %z_1 = phi.get %2[%t_1] : !phi.vec<f64>[index]
// CHECK-NEXT:     %v = phi.tuple (%p, %z_1) : tuple<i64, f64>

// -----

// A loop that carries an array is the same for all elements of a row. A loop whose steps may be an
// error has none without elements.
func.func @rows(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %q: i64) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<f64>
  %most = arith.constant 17592186044416 : i64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %b = phi.get %x[%i] : !phi.vec<f64>[index]
    %first = arith.cmpf ogt, %b, %b : f64
    %init = phi.tuple (%first, %y) : tuple<i1, !phi.vec<f64>>
    %w = phi.while (%s < %most, %state = %init) -> tuple<i1, !phi.vec<f64>> {
      %z = phi.proj %state, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
      %u = phi.update %z[%s], %b : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      %c = phi.get %u[%zero] : !phi.vec<f64>[i64]
      %more = arith.cmpf ogt, %c, %b : f64
      %next = phi.tuple (%more, %u) : tuple<i1, !phi.vec<f64>>
      phi.yield %next : tuple<i1, !phi.vec<f64>>
    }
    %v = phi.proj %w, 1 : tuple<i1, !phi.vec<f64>> -> !phi.vec<f64>
    %f = phi.fold (%k < %m, %acc = %v) -> !phi.vec<f64> {
      %g = phi.fold (%l < %q, %acc_1 = %acc) -> !phi.vec<f64> {
        %h = phi.update %acc_1[%l], %b : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
        phi.yield %h : !phi.vec<f64>
      }
      phi.yield %g : !phi.vec<f64>
    }
    %e = phi.get %f[%j] : !phi.vec<f64>[index]
    phi.yield %e : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(
// CHECK:         %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           [[SOME:%\d+]] = arith.cmpi sgt, %m,
// CHECK:           [[LIMIT:%\d+]] = arith.select [[SOME]], %most,
// CHECK:           %w = phi.while (%s < [[LIMIT]],
// CHECK:           [[COUNT:%\d+]] = arith.select [[SOME]], %m,
// CHECK:           %f = phi.fold (%k < [[COUNT]],
// CHECK:           phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        %e = phi.get %f[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %e : f64

// -----

// What is computed in a sum that is shared itself is no array.
func.func @softmax_row(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %e = math.exp %y : f64
      %t = arith.addf %acc, %e : f64
      phi.yield %t : f64
    }
    %z = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %f = math.exp %z : f64
    %q = arith.divf %f, %s : f64
    phi.yield %q : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @softmax_row(
// CHECK:         %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:        %y = phi.get
// CHECK-NEXT:        %e = math.exp %y : f64
// CHECK-NEXT:        %t = arith.addf %acc, %e : f64
// CHECK-NEXT:        phi.yield %t : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = phi.array (%j < %m) -> !phi.vec<f64> {

// -----

// Arrays of a record are as large as one array: columns of scans of rows are scanned once.
func.func @two_tables(%x: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n, %j < %m) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %column = phi.array (%k < %n) -> !phi.vec<f64> {
      %row = phi.array (%l < %m) -> !phi.vec<f64> {
        %y = phi.get %x[%k, %l] : !phi.vec<!phi.vec<f64>>[index, index]
        phi.yield %y : f64
      }
      %sums = phi.scan "add" %row : !phi.vec<f64>
      %s = phi.get %sums[%j] : !phi.vec<f64>[index]
      phi.yield %s : f64
    }
    %all = phi.scan "add" %column : !phi.vec<f64>
    %a = phi.get %all[%i] : !phi.vec<f64>[index]
    %b = arith.mulf %a, %a : f64
    %both = phi.tuple (%a, %b) : tuple<f64, f64>
    phi.yield %both : tuple<f64, f64>
  }
  %p = phi.proj %r, 0 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  %q = phi.proj %r, 1 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  %t = phi.tuple (%q, %p) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
  func.return %t : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
}

// CHECK-LABEL: func.func @two_tables(
// CHECK:         phi.array (%k < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK:         phi.array (%j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           phi.scan "add"
// CHECK:         %r = phi.array (%i < %n, %j_1 < %m) -> tuple<
// CHECK-NOT:     phi.scan
// CHECK:         func.return

// -----

// Two arrays of one comprehension have versions, too.
func.func @both(%x: !phi.vec<!phi.vec<f64>>, %m: i64) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %m) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
    %place = arith.index_cast %j : index to i64
    %s = phi.fold (%k < %l, %acc = %zero) -> f64 {
      %e = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %p = arith.muli %k, %place : i64
      %f = arith.sitofp %p : i64 to f64
      %c = math.cos %f : f64
      %y = arith.mulf %e, %c : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %d = arith.addf %s, %s : f64
    %t = phi.tuple (%s, %d) : tuple<f64, f64>
    phi.yield %t : tuple<f64, f64>
  }
  func.return %r : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
}

// CHECK-LABEL: func.func @both(
// CHECK:         phi.array (%j < {{.*}}, %k < %l) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           math.cos
// CHECK:         phi.array (%i < {{%.*}}, {{%.*}} < %m) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NOT:       math.cos
// CHECK:         phi.array (%i{{.*}} < {{%.*}}, {{%.*}} < %m) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
// CHECK:           math.cos
// CHECK:         phi.concat {{%.*}}, {{%.*}} of %n : !phi.vec<!phi.vec<f64>>
// CHECK:         phi.concat {{%.*}}, {{%.*}} of %n : !phi.vec<!phi.vec<f64>>

// -----

// A table of few elements, by numbers, is computed whatever other sizes are.
func.func @few(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = arith.constant 33 : i64
  %l = arith.constant 64 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %place = arith.index_cast %j : index to i64
    %s = phi.fold (%k < %l, %acc = %zero) -> f64 {
      %e = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %p = arith.muli %k, %place : i64
      %f = arith.sitofp %p : i64 to f64
      %c = math.cos %f : f64
      %y = arith.mulf %e, %c : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @few(
// CHECK:         phi.array (%j < %m, %k < %l) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           math.cos
// CHECK:         %r = phi.array (%i < %n, {{%.*}} < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NOT:       math.cos
// CHECK:         func.return %r

// -----

// Sums at positions have versions, as loops have.
func.func @deposits(%x: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64, %l: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.accumulate (%s < %n, %t < %m) into "add" (%l) -> !phi.vec<f64> {
    %s_1 = arith.index_cast %s : index to i64
    %t_1 = arith.index_cast %t : index to i64
    %p = arith.addi %s_1, %t_1 : i64
    %v = phi.fold (%k < %l, %acc = %zero) -> f64 {
      %kt = arith.muli %k, %t_1 : i64
      %f = arith.sitofp %kt : i64 to f64
      %c = math.cos %f : f64
      %a = phi.get %x[%s, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %b = arith.mulf %a, %c : f64
      %next = arith.addf %acc, %b : f64
      phi.yield %next : f64
    }
    %at = phi.tuple (%p, %v) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @deposits(
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %0 = arith.constant 0x4130000000000000 : f64
// CHECK-NEXT:    %1 = arith.sitofp %m : i64 to f64
// CHECK-NEXT:    %2 = arith.sitofp %l : i64 to f64
// CHECK-NEXT:    %3 = arith.mulf %1, %2 : f64
// CHECK-NEXT:    %4 = arith.cmpf ole, %3, %0 : f64
// CHECK-NEXT:    %5 = arith.constant 0 : i64
// CHECK-NEXT:    %6 = arith.select %4, %n, %5 : i64
// CHECK-NEXT:    %7 = arith.select %4, %5, %n : i64
// CHECK-NEXT:    %8 = arith.constant 0 : i64
// CHECK-NEXT:    %9 = arith.maxsi %m, %8 : i64
// CHECK-NEXT:    %10 = arith.constant 0 : i64
// CHECK-NEXT:    %11 = arith.maxsi %l, %10 : i64
// CHECK-NEXT:    %12 = arith.constant 0 : i64
// CHECK-NEXT:    %13 = arith.select %4, %9, %12 : i64
// CHECK-NEXT:    %14 = phi.array (%t < %13, %k < %11) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %15 = arith.index_cast %k : index to i64
// CHECK-NEXT:      %t_1 = arith.index_cast %t : index to i64
// CHECK-NEXT:      %kt = arith.muli %15, %t_1 : i64
// CHECK-NEXT:      %f = arith.sitofp %kt : i64 to f64
// CHECK-NEXT:      %c = math.cos %f : f64
// CHECK-NEXT:      phi.yield %c : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = phi.accumulate (%s < %6, %t_2 < %m) into "add" (%l) -> !phi.vec<f64> {
// CHECK-NEXT:      %s_1 = arith.index_cast %s : index to i64
// CHECK-NEXT:      %t_3 = arith.index_cast %t_2 : index to i64
// CHECK-NEXT:      %p = arith.addi %s_1, %t_3 : i64
// CHECK-NEXT:      %v = phi.fold (%k_1 < %l, %acc = %zero) -> f64 {
// CHECK-NEXT:        %c_1 = phi.get %14[%t_2, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        %a = phi.get %x[%s, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        %b = arith.mulf %a, %c_1 : f64
// CHECK-NEXT:        %next = arith.addf %acc, %b : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %at = phi.tuple (%p, %v) : tuple<i64, f64>
// CHECK-NEXT:      phi.yield %at : tuple<i64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r_1 = phi.accumulate (%s_2 < %7, %t_4 < %m) into "add" (%l) -> !phi.vec<f64> {
// CHECK-NEXT:      %s_3 = arith.index_cast %s_2 : index to i64
// CHECK-NEXT:      %t_5 = arith.index_cast %t_4 : index to i64
// CHECK-NEXT:      %p_1 = arith.addi %s_3, %t_5 : i64
// CHECK-NEXT:      %v_1 = phi.fold (%k_2 < %l, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:        %kt_1 = arith.muli %k_2, %t_5 : i64
// CHECK-NEXT:        %f_1 = arith.sitofp %kt_1 : i64 to f64
// CHECK-NEXT:        %c_2 = math.cos %f_1 : f64
// CHECK-NEXT:        %a_1 = phi.get %x[%s_2, %k_2] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        %b_1 = arith.mulf %a_1, %c_2 : f64
// CHECK-NEXT:        %next_1 = arith.addf %acc_1, %b_1 : f64
// CHECK-NEXT:        phi.yield %next_1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %at_1 = phi.tuple (%p_1, %v_1) : tuple<i64, f64>
// CHECK-NEXT:      phi.yield %at_1 : tuple<i64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r_2 = phi.array (%16 < %l) -> !phi.vec<f64> {
// CHECK-NEXT:      %17 = phi.get %r[%16] : !phi.vec<f64>[index]
// CHECK-NEXT:      %18 = phi.get %r_1[%16] : !phi.vec<f64>[index]
// CHECK-NEXT:      %19 = arith.addf %17, %18 : f64
// CHECK-NEXT:      phi.yield %19 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r_2 : !phi.vec<f64>

// -----

// The count of a fold that varied with a counter varies with an index of the array: it is irregular.
func.func @ragged(%v: !phi.vec<f64>, %c: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.array (%q < %n) -> !phi.vec<f64> {
    %x = phi.get %v[%q] : !phi.vec<f64>[index]
    %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %k = phi.get %c[%i] : !phi.vec<i64>[i64]
      %m = arith.maxsi %k, %none : i64
      %t = phi.fold (%j < %m, %sum = %zero) -> f64 {
        %y = phi.get %v[%j] : !phi.vec<f64>[i64]
        %z = math.sin %y : f64
        %next = arith.addf %sum, %z : f64
        phi.yield %next : f64
      }
      %tx = arith.mulf %t, %x : f64
      %more = arith.addf %acc, %tx : f64
      phi.yield %more : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @ragged(%v: !phi.vec<f64>, %c: !phi.vec<i64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %none = arith.constant 0 : i64
// CHECK-NEXT:    %n = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:      %k = phi.get %c[%1] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %m = arith.maxsi %k, %none : i64
// CHECK-NEXT:      %t = phi.fold irregular (%j < %m, %sum = %zero) -> f64 {
// CHECK-NEXT:        %y = phi.get %v[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %z = math.sin %y : f64
// CHECK-NEXT:        %next = arith.addf %sum, %z : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %t : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = phi.array (%q < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %x = phi.get %v[%q] : !phi.vec<f64>[index]
// CHECK-NEXT:      %s = phi.fold (%i_1 < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %t_1 = phi.get %0[%i_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %tx = arith.mulf %t_1, %x : f64
// CHECK-NEXT:        %more = arith.addf %acc, %tx : f64
// CHECK-NEXT:        phi.yield %more : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }
