// RUN: ein-opt %s --split-input-file -p fuse-comprehensions,simplify | filecheck %s

// The elements of a comprehension are computed where they are read, or stored.

// Each element is read once, by a reduction: even a function is computed there.
func.func @reduction(%u: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %u, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = math.exp %x : f64
    phi.yield %y : f64
  }
  %s = phi.reduce %a identity %zero by { arith.addf } -> f64
  func.return %s : f64
}

// CHECK:         func.func @reduction(%u: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %x = phi.get %u[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %y = math.exp %x : f64
// CHECK-NEXT:        %0 = arith.addf %acc, %y : f64
// CHECK-NEXT:        phi.yield %0 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s : f64
// CHECK-NEXT:    }

// -----

// So is it by a search.
func.func @search(%u: !phi.vec<f64>) -> i64 {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = arith.mulf %x, %x : f64
    phi.yield %y : f64
  }
  %k = phi.argreduce %a by "<" : !phi.vec<f64>
  func.return %k : i64
}

// CHECK:         func.func @search(%u: !phi.vec<f64>) -> i64 {
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:      %1 = arith.constant 0 : i64
// CHECK-NEXT:      %2 = phi.tuple (%0, %1) : tuple<f64, i64>
// CHECK-NEXT:      %3 = phi.fold (%i < %n, %best = %2) -> tuple<f64, i64> {
// CHECK-NEXT:        %x = phi.get %u[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %y = arith.mulf %x, %x : f64
// CHECK-NEXT:        %4 = phi.proj %best, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:        %5 = phi.proj %best, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:        %6 = arith.cmpf olt, %y, %4 : f64
// CHECK-NEXT:        %7 = arith.select %6, %y, %4 : f64
// CHECK-NEXT:        %8 = arith.select %6, %i, %5 : i64
// CHECK-NEXT:        %9 = phi.tuple (%7, %8) : tuple<f64, i64>
// CHECK-NEXT:        phi.yield %9 : tuple<f64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %k = phi.proj %3, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:      func.return %k : i64
// CHECK-NEXT:    }

// -----

// A cheap element of a stencil is computed at each of its reads; positions clip.
func.func @stencil(%u: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %n = phi.size %u, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = arith.mulf %x, %x : f64
    phi.yield %y : f64
  }
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %l = arith.addi %k, %one : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = phi.get %a[%l] : !phi.vec<f64>[i64]
    %z = arith.addf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %b : !phi.vec<f64>
}

// CHECK:         func.func @stencil(%u: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %b = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k = arith.index_cast %i : index to i64
// CHECK-NEXT:        %l = arith.addi %k, %one : i64
// CHECK-NEXT:        %x = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y = arith.mulf %x, %x : f64
// CHECK-NEXT:        %0 = arith.constant 1 : i64
// CHECK-NEXT:        %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:        %2 = arith.minsi %l, %1 : i64
// CHECK-NEXT:        %3 = arith.constant 0 : i64
// CHECK-NEXT:        %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:        %x_1 = phi.get %u[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %y_1 = arith.mulf %x_1, %x_1 : f64
// CHECK-NEXT:        %z = arith.addf %y, %y_1 : f64
// CHECK-NEXT:        phi.yield %z : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %b : !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// A function is computed once for each element, if several reads need it.
func.func @stored(%u: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %n = phi.size %u, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = math.exp %x : f64
    %z = math.sin %y : f64
    phi.yield %z : f64
  }
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %l = arith.addi %k, %one : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = phi.get %a[%l] : !phi.vec<f64>[i64]
    %z = arith.addf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %b : !phi.vec<f64>
}

// CHECK:         func.func @stored(%u: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %a = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y = math.exp %x : f64
// CHECK-NEXT:        %z = math.sin %y : f64
// CHECK-NEXT:        phi.yield %z : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %b = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:        %l = arith.addi %k, %one : i64
// CHECK-NEXT:        %x_1 = phi.get %a[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y_1 = phi.get %a[%l] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %z_1 = arith.addf %x_1, %y_1 : f64
// CHECK-NEXT:        phi.yield %z_1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %b : !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// In a loop over an index that it does not depend on, an element is stored unless it is cheap.
func.func @repeated(%u: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = arith.divf %x, %x : f64
    phi.yield %y : f64
  }
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = arith.addf %x, %x : f64
    phi.yield %y : f64
  }
  %c = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = phi.get %b[%j] : !phi.vec<f64>[index]
    %z = arith.mulf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %c : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @repeated(%u: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %a = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y = arith.divf %x, %x : f64
// CHECK-NEXT:        phi.yield %y : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %c = phi.array (%i_1 < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %x_1 = phi.get %a[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:        %x_2 = phi.get %u[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y_1 = arith.addf %x_2, %x_2 : f64
// CHECK-NEXT:        %z = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:        phi.yield %z : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %c : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }

// -----

// An element of an empty array is zero.
func.func @empty(%u: !phi.vec<f64>, %k: i64, %x: f64) -> f64 {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %r = phi.get %a[%k] : !phi.vec<f64>[i64]
  func.return %r : f64
}

// CHECK:         func.func @empty(%u: !phi.vec<f64>, %k: i64, %x: f64) -> f64 {
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = arith.constant 0 : i64
// CHECK-NEXT:      %1 = arith.cmpi sle, %n, %0 : i64
// CHECK-NEXT:      %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %r = arith.select %1, %2, %x : f64
// CHECK-NEXT:      func.return %r : f64
// CHECK-NEXT:    }

// -----

// A size that may be negative is an error, which a fusion would lose.
func.func @negative(%n: i64, %k: i64, %x: f64) -> f64 {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %r = phi.get %a[%k] : !phi.vec<f64>[i64]
  func.return %r : f64
}

// CHECK:         func.func @negative(%n: i64, %k: i64, %x: f64) -> f64 {
// CHECK-NEXT:      %a = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      func.return %r : f64
// CHECK-NEXT:    }

// A loop in an element that is computed where it is read: positions in it are in bounds as before.

func.func @copied_loop(%w: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %sums = phi.array (%i < %n) -> !phi.vec<f64> {
    %row = phi.array (%j < %m) -> !phi.vec<f64> {
      %x = phi.get %w[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %x : f64
    }
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %row[%k] : !phi.vec<f64>[i64]
      %y = phi.get %row[%k] : !phi.vec<f64>[i64]
      %xy = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %xy : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.get %sums[%i] : !phi.vec<f64>[index]
    %t = math.exp %s : f64
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @copied_loop(
// CHECK-NOT:     arith.minsi
// CHECK:         func.return

// -----

// The search for the best elements computes them, too: the ones that are found are computed again.

func.func @best(%x: !phi.vec<f64>, %n: i64) -> tuple<!phi.vec<i64>, !phi.vec<f64>> {
  %size = phi.size %x, 0 : !phi.vec<f64>
  %squares = phi.array (%i < %size) -> !phi.vec<f64> {
    %a = phi.get %x[%i] : !phi.vec<f64>[index]
    %b = arith.mulf %a, %a : f64
    phi.yield %b : f64
  }
  %places = phi.top_k %squares, %n by "<" : !phi.vec<f64>
  %found = phi.array (%r < %n) -> !phi.vec<f64> {
    %p = phi.get %places[%r] : !phi.vec<i64>[index]
    %s = phi.get %squares[%p] : !phi.vec<f64>[i64]
    phi.yield %s : f64
  }
  %t = phi.tuple (%places, %found) : tuple<!phi.vec<i64>, !phi.vec<f64>>
  func.return %t : tuple<!phi.vec<i64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @best(
// CHECK:         %squares = phi.array
// CHECK:         %places = phi.top_k %squares
// CHECK:         %found = phi.array
// CHECK:           %p = phi.get %places[%r]
// CHECK-NOT:       phi.get %squares
// CHECK:           phi.get %x[
// CHECK-NEXT:      arith.mulf

// -----

// One field of the elements is stored because it is read twice: the other one comes from the same loop.

func.func @fields(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %start = phi.tuple (%zero, %zero) : tuple<f64, f64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %both = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %e = phi.get %x[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %start) -> tuple<f64, f64> {
      %p = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %q = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %p1 = arith.addf %q, %e : f64
      %q1 = arith.mulf %p, %e : f64
      %next = phi.tuple (%p1, %q1) : tuple<f64, f64>
      phi.yield %next : tuple<f64, f64>
    }
    phi.yield %s : tuple<f64, f64>
  }
  %a = phi.proj %both, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %b = phi.proj %both, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %once = phi.get %a[%i] : !phi.vec<f64>[index]
    %sum = phi.fold (%k < %n, %acc = %once) -> f64 {
      %e = phi.get %b[%k] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %sum : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @fields(
// CHECK-COUNT-2: phi.fold
// CHECK-NOT:     phi.fold

// The loops of an accumulation check a size that may be negative, too.

func.func @size_of_accumulation(%x: !phi.vec<f64>, %k: !phi.vec<i64>, %n: i64, %m: i64) -> !phi.vec<f64> {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = phi.get %x[%i] : !phi.vec<f64>[index]
    %1 = arith.mulf %0, %0 : f64
    phi.yield %1 : f64
  }
  %r = phi.accumulate (%i < %n) into "add" (%m) -> !phi.vec<f64> {
    %p = phi.get %k[%i] : !phi.vec<i64>[index]
    %e = phi.get %a[%i] : !phi.vec<f64>[index]
    %0 = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %0 : tuple<i64, f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @size_of_accumulation
// CHECK-NOT:     phi.array
// CHECK:         phi.accumulate (%i < %n)
// CHECK:           arith.mulf

// Those of another size do not.

func.func @other_size_of_accumulation(%x: !phi.vec<f64>, %k: !phi.vec<i64>, %n: i64, %m: i64) -> !phi.vec<f64> {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = phi.get %x[%i] : !phi.vec<f64>[index]
    %1 = arith.mulf %0, %0 : f64
    phi.yield %1 : f64
  }
  %r = phi.accumulate (%i < %m) into "add" (%m) -> !phi.vec<f64> {
    %p = phi.get %k[%i] : !phi.vec<i64>[index]
    %e = phi.get %a[%i] : !phi.vec<f64>[index]
    %0 = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %0 : tuple<i64, f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @other_size_of_accumulation
// CHECK:         phi.array (%i < %n)
// CHECK:         phi.accumulate (%{{\w+}} < %m)

// Where a choice takes an element only if its position is in bounds, the position is not clipped.

func.func @chosen(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = phi.get %x[%i] : !phi.vec<f64>[index]
    %1 = math.exp %0 : f64
    phi.yield %1 : f64
  }
  %r = phi.array (%j < %m) -> !phi.vec<f64> {
    %0 = arith.index_cast %j : index to i64
    %1 = arith.cmpi slt, %0, %n : i64
    %2 = phi.get %a[%j] : !phi.vec<f64>[index]
    %3 = arith.select %1, %2, %zero : f64
    phi.yield %3 : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @chosen
// CHECK:         phi.array (%j < %m)
// CHECK-NEXT:      %0 = arith.index_cast %j : index to i64
// CHECK-NEXT:      %1 = arith.cmpi slt, %0, %n : i64
// CHECK-NEXT:      [[X:%.*]] = phi.get %x[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:      [[E:%.*]] = math.exp [[X]] : f64
// CHECK-NEXT:      arith.select %1, [[E]], %zero : f64

// An element of a row that is updated is chosen; a row that is read as a whole is updated.

func.func @updated_rows(%x: !phi.vec<!phi.vec<f64>>, %p: i64, %v: f64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %0 = phi.get %x[%i] : !phi.vec<!phi.vec<f64>>[index]
    %1 = phi.update %0[%p], %v : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %2 = phi.array (%j < %m) -> !phi.vec<f64> {
      %3 = phi.get %1[%j] : !phi.vec<f64>[index]
      %4 = math.exp %3 : f64
      phi.yield %4 : f64
    }
    phi.yield %2 : !phi.vec<f64>
  }
  %s = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %0 = phi.get %x[%i] : !phi.vec<!phi.vec<f64>>[index]
    %1 = phi.update %0[%p], %v : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %1 : !phi.vec<f64>
  }
  func.return %r, %s : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @updated_rows
// CHECK-NOT:     phi.update
// CHECK:         [[J:%.*]] = arith.index_cast %j : index to i64
// CHECK:         [[OLD:%.*]] = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK:         [[OWN:%.*]] = arith.cmpi eq, [[J]], %p : i64
// CHECK:         arith.select [[OWN]], %v, [[OLD]] : f64
// CHECK:         phi.update %{{.*}}[%p], %v

// -----

// The loop that reads a comprehension asserts its size in its place; without a loop of an equal
// size, the comprehension stays.

func.func @asserted(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %p: i64) -> tuple<!phi.vec<f64>, f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %size = phi.assert_eq %n, %m, "sizes"
  %c = phi.array (%i < %size) -> !phi.vec<f64> {
    %x = phi.get %b[%i] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %y = phi.get %c[%i] : !phi.vec<f64>[index]
    %z = arith.addf %y, %y : f64
    phi.yield %z : f64
  }
  %other = phi.assert_eq %n, %m, "others"
  %d = phi.array (%i < %other) -> !phi.vec<f64> {
    %x = phi.get %b[%i] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  %e = phi.get %d[%p] : !phi.vec<f64>[i64]
  %t = phi.tuple (%r, %e) : tuple<!phi.vec<f64>, f64>
  func.return %t : tuple<!phi.vec<f64>, f64>
}

// CHECK:        func.func @asserted(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %p: i64) -> tuple<!phi.vec<f64>, f64> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:     %size = phi.assert_eq %n, %m, "sizes"
// CHECK-NEXT:     %r = phi.array (%i < %size) -> !phi.vec<f64> {
// CHECK-NEXT:       %x = phi.get %b[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %z = arith.addf %x, %x : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %other = phi.assert_eq %n, %m, "others"
// CHECK-NEXT:     %d = phi.array (%i_1 < %other) -> !phi.vec<f64> {
// CHECK-NEXT:       %x_1 = phi.get %b[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:       phi.yield %x_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %e = phi.get %d[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %t = phi.tuple (%r, %e) : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:     func.return %t : tuple<!phi.vec<f64>, f64>

// -----

// A sum along columns stays apart from a comprehension with a sum along rows.
func.func @rows_and_columns(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %c = phi.array (%j < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %x = phi.get %a[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = arith.addf %acc, %x : f64
      phi.yield %y : f64
    }
    phi.yield %s : f64
  }
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.addf %acc, %x : f64
      phi.yield %y : f64
    }
    %x = phi.get %c[%i] : !phi.vec<f64>[index]
    %y = arith.mulf %s, %x : f64
    phi.yield %y : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @rows_and_columns(
// CHECK:          %c = phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK:          %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:            phi.get %c[%i]

// -----

// Sums along rows in a comprehension whose own sum goes along columns are in it already: they are one nest.
func.func @sums_of_sums(%x: !phi.vec<!phi.vec<!phi.vec<f64>>>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %l = phi.size %x, 2 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %r = phi.array (%j < %l) -> !phi.vec<f64> {
    %s = phi.array (%b < %n) -> !phi.vec<f64> {
      %t = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %v = phi.get %x[%b, %k, %j] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, i64, index]
        %y = arith.addf %acc, %v : f64
        phi.yield %y : f64
      }
      phi.yield %t : f64
    }
    %t = phi.fold (%b < %n, %acc = %zero) -> f64 {
      %v = phi.get %s[%b] : !phi.vec<f64>[i64]
      %y = arith.addf %acc, %v : f64
      phi.yield %y : f64
    }
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @sums_of_sums(
// CHECK:          phi.array (%j < %l)
// CHECK-NOT:      phi.array
// CHECK:          phi.fold (%b < %n
// CHECK-NEXT:       phi.fold (%k < %m

// -----

// Cotangents of rows: what does not vary along a row is no cost of its elements. The loop over
// the rows keeps the assertion about the copy.
func.func @rows(%n: i64, %ct: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
  %m = phi.size %v, 0 : !phi.vec<f64>
  %value = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %v[%j] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  %rows = phi.size %value, 0 : !phi.vec<!phi.vec<f64>>
  %own = phi.size %ct, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.assert_eq %rows, %own, "rows"
  %c = phi.array (%i < %r, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %ct[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  %w = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f64
    %e = math.exp %f : f64
    %x = phi.get %c[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = arith.mulf %x, %e : f64
    phi.yield %y : f64
  }
  %s = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %w[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = phi.get %w[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %z = phi.get %v[%j] : !phi.vec<f64>[index]
    %u = arith.mulf %y, %z : f64
    %t = arith.addf %x, %u : f64
    phi.yield %t : f64
  }
  %0 = phi.tuple (%value, %s) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
  func.return %0 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
}

// CHECK:         func.func @rows(%n: i64, %ct: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:      %m = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:      %value = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %x = phi.get %v[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %rows = phi.size %value, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %own = phi.size %ct, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %r = phi.assert_eq %rows, %own, "rows"
// CHECK-NEXT:      %s = phi.array (%i_1 < %r, %j_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %k = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:        %f = arith.sitofp %k : i64 to f64
// CHECK-NEXT:        %e = math.exp %f : f64
// CHECK-NEXT:        %x_1 = phi.get %ct[%i_1, %j_1] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %y = arith.mulf %x_1, %e : f64
// CHECK-NEXT:        %k_1 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:        %f_1 = arith.sitofp %k_1 : i64 to f64
// CHECK-NEXT:        %e_1 = math.exp %f_1 : f64
// CHECK-NEXT:        %x_2 = phi.get %ct[%i_1, %j_1] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %y_1 = arith.mulf %x_2, %e_1 : f64
// CHECK-NEXT:        %z = phi.get %v[%j_1] : !phi.vec<f64>[index]
// CHECK-NEXT:        %u = arith.mulf %y_1, %z : f64
// CHECK-NEXT:        %t = arith.addf %y, %u : f64
// CHECK-NEXT:        phi.yield %t : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = phi.tuple (%value, %s) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:      func.return %0 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:    }

// -----

// A function of one index will be computed for it alone: it is no cost of the elements that two
// sums of rows read.
func.func @columns(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %w = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %j : index to i64
    %f = arith.sitofp %k : i64 to f64
    %e = math.exp %f : f64
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = arith.mulf %x, %e : f64
    phi.yield %y : f64
  }
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %first = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %w[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.addf %acc, %x : f64
      phi.yield %y : f64
    }
    %second = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %w[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %z = arith.mulf %x, %x : f64
      %y = arith.addf %acc, %z : f64
      phi.yield %y : f64
    }
    %t = arith.addf %first, %second : f64
    phi.yield %t : f64
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:         func.func @columns(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %s = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %first = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:          %f = arith.sitofp %k : i64 to f64
// CHECK-NEXT:          %e = math.exp %f : f64
// CHECK-NEXT:          %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %y = arith.mulf %x, %e : f64
// CHECK-NEXT:          %y_1 = arith.addf %acc, %y : f64
// CHECK-NEXT:          phi.yield %y_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %second = phi.fold (%k_1 < %m, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:          %f_1 = arith.sitofp %k_1 : i64 to f64
// CHECK-NEXT:          %e_1 = math.exp %f_1 : f64
// CHECK-NEXT:          %x_1 = phi.get %a[%i, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %y_2 = arith.mulf %x_1, %e_1 : f64
// CHECK-NEXT:          %z = arith.mulf %y_2, %y_2 : f64
// CHECK-NEXT:          %y_3 = arith.addf %acc_1, %z : f64
// CHECK-NEXT:          phi.yield %y_3 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %t = arith.addf %first, %second : f64
// CHECK-NEXT:        phi.yield %t : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s : !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// The last element, which is the same for all others of a row, is no reason to store the array.

func.func @last_of_row(%x: !phi.vec<!phi.vec<f64>>, %y: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %last = arith.subi %m, %one : i64
  %two = arith.constant 2.0 : f64
  %a = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %u = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %v = arith.mulf %u, %two : f64
    %w = arith.addf %v, %u : f64
    %s = arith.mulf %w, %u : f64
    %e = arith.subf %s, %two : f64
    phi.yield %e : f64
  }
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %j_1 = arith.index_cast %j : index to i64
    %u = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %end = phi.get %a[%i, %last] : !phi.vec<!phi.vec<f64>>[index, i64]
    %both = arith.addf %u, %end : f64
    %at = arith.cmpi eq, %j_1, %last : i64
    %e = arith.select %at, %both, %u : f64
    phi.yield %e : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @last_of_row
// CHECK:         phi.array
// CHECK-NOT:     phi.array
// CHECK:         func.return

// -----

// Sums that are read in different places are computed in one nest.
func.func @apart(%a: !phi.vec<!phi.vec<f64>>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %t = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %s = phi.fold (%j < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.addf %acc, %x : f64
      phi.yield %y : f64
    }
    %p = phi.fold (%j < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.mulf %x, %x : f64
      %z = arith.addf %acc, %y : f64
      phi.yield %z : f64
    }
    %r = phi.tuple (%s, %p) : tuple<f64, f64>
    phi.yield %r : tuple<f64, f64>
  }
  %u = phi.proj %t, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %v = phi.proj %t, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = arith.negf %x : f64
    phi.yield %y : f64
  }
  %c = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %v[%i] : !phi.vec<f64>[index]
    %y = arith.negf %x : f64
    phi.yield %y : f64
  }
  func.return %b, %c : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @apart(%a: !phi.vec<!phi.vec<f64>>) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:       %t = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:         %s = phi.fold (%j < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:           %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:           %y = arith.addf %acc, %x : f64
// CHECK-NEXT:           phi.yield %y : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %p = phi.fold (%j_1 < %m, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:           %x_1 = phi.get %a[%i, %j_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:           %y_1 = arith.mulf %x_1, %x_1 : f64
// CHECK-NEXT:           %z = arith.addf %acc_1, %y_1 : f64
// CHECK-NEXT:           phi.yield %z : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %r = phi.tuple (%s, %p) : tuple<f64, f64>
// CHECK-NEXT:         phi.yield %r : tuple<f64, f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %u = phi.proj %t, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %v = phi.proj %t, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:       %b = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %x_2 = phi.get %u[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:         %y_2 = arith.negf %x_2 : f64
// CHECK-NEXT:         phi.yield %y_2 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %c = phi.array (%i_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %x_3 = phi.get %v[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:         %y_3 = arith.negf %x_3 : f64
// CHECK-NEXT:         phi.yield %y_3 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %b, %c : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:     }
