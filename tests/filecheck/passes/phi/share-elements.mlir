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

// An array of several axes is stored only if one that is read has them, too.
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
// CHECK-NEXT:      %p = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %w = phi.get %a[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:        %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:          %y = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %z = arith.mulf %y, %w : f64
// CHECK-NEXT:          %e = math.exp %z : f64
// CHECK-NEXT:          %0 = arith.mulf %e, %x : f64
// CHECK-NEXT:          %1 = arith.addf %acc, %0 : f64
// CHECK-NEXT:          phi.yield %1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<!phi.vec<f64>>
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

// A vector of each element of a vector stays: an array of these is larger than any that is read, and
// than the result. A row costs nothing.
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

// CHECK:         func.func @large(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %m = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %l = phi.size %c, 0 : !phi.vec<f64>
// CHECK-NEXT:      %p = phi.array (%j < %n, %i < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %first = phi.get %b[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %v = phi.array (%k < %l) -> !phi.vec<f64> {
// CHECK-NEXT:          %y = phi.get %c[%k] : !phi.vec<f64>[index]
// CHECK-NEXT:          %z = arith.mulf %y, %first : f64
// CHECK-NEXT:          phi.yield %z : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %s = phi.scan "add" %v : !phi.vec<f64>
// CHECK-NEXT:        %x = phi.get %s[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

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
