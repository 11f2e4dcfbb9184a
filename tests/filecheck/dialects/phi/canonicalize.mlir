// RUN: ein-opt %s -p canonicalize | filecheck %s

// proj(tuple(x, y), 1) = y
// CHECK-LABEL: func.func @proj_of_tuple
// CHECK-NEXT:    func.return %y : i64
func.func @proj_of_tuple(%x : f64, %y : i64) -> i64 {
  %t = phi.tuple (%x, %y) : tuple<f64, i64>
  %f = phi.proj %t, 1 : tuple<f64, i64> -> i64
  func.return %f : i64
}

// tuple(proj(t, 0), proj(t, 1)) = t
// CHECK-LABEL: func.func @tuple_of_proj
// CHECK-NEXT:    func.return %t : tuple<f64, f64>
func.func @tuple_of_proj(%t : tuple<f64, f64>) -> tuple<f64, f64> {
  %x = phi.proj %t, 0 : tuple<f64, f64> -> f64
  %y = phi.proj %t, 1 : tuple<f64, f64> -> f64
  %u = phi.tuple (%x, %y) : tuple<f64, f64>
  func.return %u : tuple<f64, f64>
}

// proj(array { (x, y, z) }, 2) = array { z }, if no other field is read
// CHECK-LABEL: func.func @array_of_read_fields
// CHECK-NEXT:    %0 = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:      %e = phi.get %a[%i]
// CHECK-NEXT:      %s = math.sin %e : f64
// CHECK-NEXT:      %d = math.exp %e : f64
// CHECK-NEXT:      %1 = phi.tuple (%s, %d) : tuple<f64, f64>
// CHECK-NEXT:      phi.yield %1
// CHECK-NEXT:    }
// CHECK-NEXT:    %y0 = phi.proj %0, 0
// CHECK-NEXT:    %y2 = phi.proj %0, 1
// CHECK-NEXT:    %z = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %e_1 = phi.get %y2[%i_1]
// CHECK-NEXT:      %f = arith.negf %e_1 : f64
// CHECK-NEXT:      phi.yield %f : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %y0, %y2, %z
func.func @array_of_read_fields(%a: !phi.vec<f64>, %n: i64)
    -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>) {
  %y = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> {
    %e = phi.get %a[%i] : !phi.vec<f64>[index]
    %s = math.sin %e : f64
    %c = math.cos %e : f64
    %d = math.exp %e : f64
    %t = phi.tuple (%s, %c, %d) : tuple<f64, f64, f64>
    phi.yield %t : tuple<f64, f64, f64>
  }
  %y0 = phi.proj %y, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %y2 = phi.proj %y, 2 : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %zs = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %e = phi.get %y2[%i] : !phi.vec<f64>[index]
    %f = arith.negf %e : f64
    %w = math.exp %e : f64
    %t = phi.tuple (%f, %w) : tuple<f64, f64>
    phi.yield %t : tuple<f64, f64>
  }
  %z = phi.proj %zs, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %y0, %y2, %z : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
}

// Not if the order differs, if there are more fields, or if there is none.
// CHECK-LABEL: func.func @not_tuple_of_proj
// CHECK:         %u = phi.tuple (%y, %x)
// CHECK:         %v = phi.tuple (%x)
// CHECK:         %w = phi.tuple ()
func.func @not_tuple_of_proj(%t : tuple<f64, f64>) -> (tuple<f64, f64>, tuple<f64>, tuple<>) {
  %x = phi.proj %t, 0 : tuple<f64, f64> -> f64
  %y = phi.proj %t, 1 : tuple<f64, f64> -> f64
  %u = phi.tuple (%y, %x) : tuple<f64, f64>
  %v = phi.tuple (%x) : tuple<f64>
  %w = phi.tuple () : tuple<>
  func.return %u, %v, %w : tuple<f64, f64>, tuple<f64>, tuple<>
}

// array (i < n) { i }[j] = j for an index below n, and not for another position.
// CHECK-LABEL: func.func @get_of_positions
// CHECK:         phi.array (%j < %n)
// CHECK-NEXT:      %[[J:.*]] = arith.index_cast %j
// CHECK-NEXT:      %[[Y:.*]] = phi.get %{{.*}}[%p]
// CHECK-NEXT:      arith.addi %[[J]], %[[Y]]
func.func @get_of_positions(%n : i64, %p : i64) -> !phi.vec<i64> {
  %a = phi.array (%i < %n) -> !phi.vec<i64> {
    %k = arith.index_cast %i : index to i64
    phi.yield %k : i64
  }
  %b = phi.array (%j < %n) -> !phi.vec<i64> {
    %x = phi.get %a[%j] : !phi.vec<i64>[index]
    %y = phi.get %a[%p] : !phi.vec<i64>[i64]
    %z = arith.addi %x, %y : i64
    phi.yield %z : i64
  }
  func.return %b : !phi.vec<i64>
}

// get(get(a, n), m, n) = get(a, n, m, n)
// CHECK-LABEL: func.func @get_of_get
// CHECK-NEXT:    %x = phi.get %a[%n, %m, %n] : !phi.vec<!phi.vec<!phi.vec<f64>>>[i64, i32, i64]
// CHECK-NEXT:    func.return %x
func.func @get_of_get(%a : !phi.vec<!phi.vec<!phi.vec<f64>>>, %n : i64, %m : i32) -> f64 {
  %plane = phi.get %a[%n] : !phi.vec<!phi.vec<!phi.vec<f64>>>[i64]
  %x = phi.get %plane[%m, %n] : !phi.vec<!phi.vec<f64>>[i32, i64]
  func.return %x : f64
}

// array(i < n, j < m) { array(k < n) { array(l < m) { e } } } = array(i < n, j < m, k < n, l < m) { e }
// CHECK-LABEL: func.func @array_of_array
// CHECK-NEXT:    %a = phi.array (%i < %n, %j < %m, %k < %n, %l < %m) -> !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>> {
// CHECK-NEXT:      %y = phi.get %x[%l, %k, %j, %i]
// CHECK-NEXT:      phi.yield %y : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %a
func.func @array_of_array(%n : i64, %m : i64, %x : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>)
    -> !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>> {
  %a = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>> {
    %b = phi.array (%k < %n) -> !phi.vec<!phi.vec<f64>> {
      %c = phi.array (%l < %m) -> !phi.vec<f64> {
        %y = phi.get %x[%l, %k, %j, %i] : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>[index, index, index, index]
        phi.yield %y : f64
      }
      phi.yield %c : !phi.vec<f64>
    }
    phi.yield %b : !phi.vec<!phi.vec<f64>>
  }
  func.return %a : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>
}

// Elements that are read and cheap arithmetic may stand between them.
// CHECK-LABEL: func.func @with_values_between
// CHECK-NEXT:    %a = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %y = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %z = arith.addf %y, %y : f64
// CHECK-NEXT:      phi.yield %z : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %a
func.func @with_values_between(%n : i64, %x : !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %a = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %y = phi.get %x[%i] : !phi.vec<f64>[index]
    %z = arith.addf %y, %y : f64
    %b = phi.array (%j < %n) -> !phi.vec<f64> {
      phi.yield %z : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  func.return %a : !phi.vec<!phi.vec<f64>>
}

// Not if the inner size is computed inside, or if the body has other operations, before or after.
// CHECK-LABEL: func.func @not_array_of_array
// CHECK-NEXT:    phi.array (%i < %n)
// CHECK-NEXT:      %m = arith.addi
// CHECK-NEXT:      phi.array (%j < %m)
// CHECK:         phi.array (%k < %n)
// CHECK-NEXT:      %z = phi.get
// CHECK-NEXT:      %w = math.exp
// CHECK-NEXT:      phi.array (%l < %n)
// CHECK:         phi.array (%o < %n)
// CHECK-NEXT:      %e = phi.array (%p < %n)
// CHECK:           "test.op"(%e)
func.func @not_array_of_array(%n : i64, %x : !phi.vec<f64>)
    -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %a = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %m = arith.addi %n, %n : i64
    %b = phi.array (%j < %m) -> !phi.vec<f64> {
      %y = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %y : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  %c = phi.array (%k < %n) -> !phi.vec<!phi.vec<f64>> {
    %z = phi.get %x[%k] : !phi.vec<f64>[index]
    %w = math.exp %z : f64
    %d = phi.array (%l < %n) -> !phi.vec<f64> {
      phi.yield %w : f64
    }
    phi.yield %d : !phi.vec<f64>
  }
  phi.array (%o < %n) -> !phi.vec<!phi.vec<i64>> {
    %e = phi.array (%p < %n) -> !phi.vec<i64> {
      phi.yield %n : i64
    }
    "test.op"(%e) : (!phi.vec<i64>) -> ()
    phi.yield %e : !phi.vec<i64>
  }
  func.return %a, %c : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}

// array(i < size_0 a, j < size_1 a) { a[i, j] } = a, also if there are further axes
// CHECK-LABEL: func.func @eta
// CHECK-NEXT:    func.return %a, %a : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
func.func @eta(%a : !phi.vec<!phi.vec<f64>>) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %b = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  %c = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    phi.yield %x : !phi.vec<f64>
  }
  func.return %b, %c : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}

// Also with the size that a was made with, and the index as an Int.
// CHECK-LABEL: func.func @eta_of_array
// CHECK-NEXT:    %a = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:      %j = arith.index_cast %i : index to i64
// CHECK-NEXT:      phi.yield %j : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %a : !phi.vec<i64>
func.func @eta_of_array(%n : i64) -> !phi.vec<i64> {
  %a = phi.array (%i < %n) -> !phi.vec<i64> {
    %j = arith.index_cast %i : index to i64
    phi.yield %j : i64
  }
  %b = phi.array (%i < %n) -> !phi.vec<i64> {
    %j = arith.index_cast %i : index to i64
    %x = phi.get %a[%j] : !phi.vec<i64>[i64]
    phi.yield %x : i64
  }
  func.return %b : !phi.vec<i64>
}

// Not a transpose, not an array of another size, not under an assertion, which must be kept.
// CHECK-LABEL: func.func @not_eta
// CHECK:         phi.array (%i < %n, %j < %m)
// CHECK:         phi.array (%i_1 < %m)
// CHECK:         phi.assert_eq
// CHECK:         phi.array
func.func @not_eta(%a : !phi.vec<!phi.vec<f64>>)
    -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %b = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  %c = phi.array (%i < %m) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    phi.yield %x : !phi.vec<f64>
  }
  %o = phi.assert_eq %n, %m, "square"
  %d = phi.array (%i < %o) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    phi.yield %x : !phi.vec<f64>
  }
  func.return %b, %c, %d : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>
}

// size_0 array(i < n) { e } = n if n is a size, a constant, an extremum or an assertion of such;
// size_1 array(i < n) { b } = size_0 b
// CHECK-LABEL: func.func @size_of_array
// CHECK-NEXT:    %n = phi.size %v, 0
// CHECK-NEXT:    %m = phi.assert_eq %n, %k
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %p = arith.maxsi %n, %one
// CHECK-NEXT:    %s3 = phi.size %v, 0
// CHECK-NEXT:    func.return %n, %m, %p, %s3
func.func @size_of_array(%v : !phi.vec<f64>, %k : i64) -> (i64, i64, i64, i64) {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %m = phi.assert_eq %n, %k, "n = k"
  %one = arith.constant 1 : i64
  %p = arith.maxsi %n, %one : i64
  %a = phi.array (%i < %n, %j < %m, %l < %p) -> !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>> {
    phi.yield %v : !phi.vec<f64>
  }
  %s0 = phi.size %a, 0 : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>
  %s1 = phi.size %a, 1 : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>
  %s2 = phi.size %a, 2 : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>
  %s3 = phi.size %a, 3 : !phi.vec<!phi.vec<!phi.vec<!phi.vec<f64>>>>
  func.return %s0, %s1, %s2, %s3 : i64, i64, i64, i64
}

// Not if the size may be negative, or too large, which are errors.
// CHECK-LABEL: func.func @not_size_of_array
// CHECK:         %s = phi.size %a, 0
// CHECK-NEXT:    func.return %s
func.func @not_size_of_array(%x : f64, %n : i64) -> i64 {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %s = phi.size %a, 0 : !phi.vec<f64>
  func.return %s : i64
}

// size_0 get(a, n, n) = size_2 a
// CHECK-LABEL: func.func @size_of_get
// CHECK-NEXT:    %s = phi.size %a, 2
// CHECK-NEXT:    func.return %s
func.func @size_of_get(%a : !phi.vec<!phi.vec<!phi.vec<f64>>>, %n : i64) -> i64 {
  %b = phi.get %a[%n, %n] : !phi.vec<!phi.vec<!phi.vec<f64>>>[i64, i64]
  %s = phi.size %b, 0 : !phi.vec<f64>
  func.return %s : i64
}

// size_0 concat(a, b) = size_0 a + size_0 b; size_1 concat(a, b) = size_1 a
// CHECK-LABEL: func.func @size_of_concat
// CHECK-NEXT:    [[A:%.*]] = phi.size %a, 0
// CHECK-NEXT:    [[B:%.*]] = phi.size %b, 0
// CHECK-NEXT:    [[S:%.*]] = arith.addi [[A]], [[B]] : i64
// CHECK-NEXT:    %t = phi.size %a, 1
// CHECK-NEXT:    func.return [[S]], %t
func.func @size_of_concat(%a : !phi.vec<!phi.vec<f64>>, %b : !phi.vec<!phi.vec<f64>>) -> (i64, i64) {
  %c = phi.concat %a, %b : !phi.vec<!phi.vec<f64>>
  %s = phi.size %c, 0 : !phi.vec<!phi.vec<f64>>
  %t = phi.size %c, 1 : !phi.vec<!phi.vec<f64>>
  func.return %s, %t : i64, i64
}

// size_0 concat(a, b of n) = n
// CHECK-LABEL: func.func @size_of_parts
// CHECK-NEXT:    func.return %n
func.func @size_of_parts(%a : !phi.vec<f64>, %b : !phi.vec<f64>, %n : i64) -> i64 {
  %c = phi.concat %a, %b of %n : !phi.vec<f64>
  %s = phi.size %c, 0 : !phi.vec<f64>
  func.return %s : i64
}

// assert x = x is x; assertions of different numbers stay, unless nothing uses them
// CHECK-LABEL: func.func @assert_eq
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %two = arith.constant 2 : i64
// CHECK-NEXT:    %z = phi.assert_eq %one, %two, "z"
// CHECK-NEXT:    func.return %n, %one, %z
func.func @assert_eq(%n : i64, %m : i64) -> (i64, i64, i64) {
  %one = arith.constant 1 : i64
  %eins = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %x = phi.assert_eq %n, %n, "x"
  %y = phi.assert_eq %one, %eins, "y"
  %z = phi.assert_eq %one, %two, "z"
  %unused = phi.assert_eq %n, %m, "unused"
  func.return %x, %y, %z : i64, i64, i64
}

// fold(k < 0, acc = x) { e } = x; fold(k < n, acc = x) { acc } = x if n is not negative
// CHECK-LABEL: func.func @fold
// CHECK-NEXT:    func.return %x, %x
func.func @fold(%x : f64, %v : !phi.vec<f64>) -> (f64, f64) {
  %zero = arith.constant 0 : i64
  %a = phi.fold (%k < %zero, %acc = %x) -> f64 {
    %y = arith.addf %acc, %acc : f64
    phi.yield %y : f64
  }
  %n = phi.size %v, 0 : !phi.vec<f64>
  %b = phi.fold (%k < %n, %acc = %x) -> f64 {
    phi.yield %acc : f64
  }
  func.return %a, %b : f64, f64
}

// CHECK-LABEL: func.func @not_fold
// CHECK-NEXT:    %a = phi.fold (%k < %n, %acc = %x)
// CHECK:         %two = arith.constant 2 : i64
// CHECK-NEXT:    %b = phi.fold (%k_1 < %two, %acc_1 = %a)
func.func @not_fold(%x : f64, %n : i64) -> f64 {
  %a = phi.fold (%k < %n, %acc = %x) -> f64 {
    phi.yield %acc : f64
  }
  %two = arith.constant 2 : i64
  %b = phi.fold (%k < %two, %acc = %a) -> f64 {
    %y = arith.addf %acc, %acc : f64
    phi.yield %y : f64
  }
  func.return %b : f64
}

// Unused operations are removed, including their errors.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    func.return
func.func @unused(%n : i64, %v : !phi.vec<f64>, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %b = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
    %c = phi.concat %acc, %v : !phi.vec<f64>
    phi.yield %c : !phi.vec<f64>
  }
  %d = phi.reduce %b identity %x by { arith.addf } -> f64
  %e = phi.extern @f(%d) : (f64) -> f64
  func.return
}

func.func @size_of_segments(%x: !phi.vec<f64>, %k: !phi.vec<i64>, %m: i64) -> (i64, i64) {
  %n = phi.size %k, 0 : !phi.vec<i64>
  %r = phi.size %k, 0 : !phi.vec<i64>
  %s = phi.accumulate (%i < %r) into "add" (%n) -> !phi.vec<f64> {
    %p0 = phi.get %k[%i] : !phi.vec<i64>[index]
    %value = phi.get %x[%i] : !phi.vec<f64>[index]
    %at = phi.tuple (%p0, %value) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  %p = phi.size %s, 0 : !phi.vec<f64>
  // This one may be negative, which is an error.
  %l = phi.size %k, 0 : !phi.vec<i64>
  %t = phi.accumulate (%i < %l) into "add" (%m) -> !phi.vec<f64> {
    %p0 = phi.get %k[%i] : !phi.vec<i64>[index]
    %value = phi.get %x[%i] : !phi.vec<f64>[index]
    %at = phi.tuple (%p0, %value) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  %q = phi.size %t, 0 : !phi.vec<f64>
  func.return %p, %q : i64, i64
}
// CHECK:      func.func @size_of_segments(%x: !phi.vec<f64>, %k: !phi.vec<i64>, %m: i64) -> (i64, i64) {
// CHECK-NEXT:   %n = phi.size %k, 0 : !phi.vec<i64>
// CHECK-NEXT:   %l = phi.size %k, 0 : !phi.vec<i64>
// CHECK-NEXT:   %t = phi.accumulate (%i < %l) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:     %p0 = phi.get %k[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %value = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %at = phi.tuple (%p0, %value) : tuple<i64, f64>
// CHECK-NEXT:     phi.yield %at : tuple<i64, f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %q = phi.size %t, 0 : !phi.vec<f64>
// CHECK-NEXT:   func.return %n, %q : i64, i64
// CHECK-NEXT: }

func.func @size_of_top_k(%x: !phi.vec<f64>, %m: i64) -> (i64, i64) {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %s = phi.top_k %x, %n by "<" : !phi.vec<f64>
  %p = phi.size %s, 0 : !phi.vec<i64>
  // This one may be negative, which is an error.
  %t = phi.top_k %x, %m by "<" : !phi.vec<f64>
  %q = phi.size %t, 0 : !phi.vec<i64>
  func.return %p, %q : i64, i64
}
// CHECK:      func.func @size_of_top_k(%x: !phi.vec<f64>, %m: i64) -> (i64, i64) {
// CHECK-NEXT:   %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:   %t = phi.top_k %x, %m by "<" : !phi.vec<f64>
// CHECK-NEXT:   %q = phi.size %t, 0 : !phi.vec<i64>
// CHECK-NEXT:   func.return %n, %q : i64, i64
// CHECK-NEXT: }

// v[argsort(v)[p]] = sort(v)[p]
func.func @elements_in_order(%v: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %p = phi.argsort %v : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %x = phi.get %v[%q] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:      func.func @elements_in_order(%v: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %r = phi.sort %v : !phi.vec<f64>
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// v[argsort(-v)[p]] = -sort(-v)[p], for all elements of a vector or a row.
func.func @elements_in_reverse(%m: !phi.vec<!phi.vec<i64>>, %j: i64, %k: i64) -> (i64, i64) {
  %n = phi.size %m, 1 : !phi.vec<!phi.vec<i64>>
  %zero = arith.constant 0 : i64
  %w = phi.array (%i < %n) -> !phi.vec<i64> {
    %x = phi.get %m[%j, %i] : !phi.vec<!phi.vec<i64>>[i64, index]
    %y = arith.subi %zero, %x : i64
    phi.yield %y : i64
  }
  %p = phi.argsort %w : !phi.vec<i64>
  %q = phi.get %p[%zero] : !phi.vec<i64>[i64]
  %x = phi.get %m[%j, %q] : !phi.vec<!phi.vec<i64>>[i64, i64]
  %part = phi.array (%i < %k) -> !phi.vec<i64> {
    %z = phi.get %m[%j, %i] : !phi.vec<!phi.vec<i64>>[i64, index]
    %y = arith.subi %zero, %z : i64
    phi.yield %y : i64
  }
  %o = phi.argsort %part : !phi.vec<i64>
  %r = phi.get %o[%zero] : !phi.vec<i64>[i64]
  %y = phi.get %m[%j, %r] : !phi.vec<!phi.vec<i64>>[i64, i64]
  func.return %x, %y : i64, i64
}
// CHECK:      func.func @elements_in_reverse(
// CHECK:        %[[S:.*]] = phi.sort %w : !phi.vec<i64>
// CHECK-NEXT:   %[[X:.*]] = phi.get %[[S]][%zero] : !phi.vec<i64>[i64]
// CHECK:        %{{.*}} = arith.subi %{{.*}}, %[[X]] : i64
// CHECK:        phi.argsort %part

// The order is used itself.
func.func @elements_and_positions(%v: !phi.vec<f64>) -> (f64, !phi.vec<i64>) {
  %p = phi.argsort %v : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %q = phi.get %p[%zero] : !phi.vec<i64>[i64]
  %x = phi.get %v[%q] : !phi.vec<f64>[i64]
  func.return %x, %p : f64, !phi.vec<i64>
}
// CHECK:      func.func @elements_and_positions(%v: !phi.vec<f64>) -> (f64, !phi.vec<i64>) {
// CHECK-NEXT:   %p = phi.argsort %v : !phi.vec<f64>
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %q = phi.get %p[%zero] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %x = phi.get %v[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:   func.return %x, %p : f64, !phi.vec<i64>
// CHECK-NEXT: }

// An array without elements adds none, before another one or after it.
// CHECK-LABEL: func.func @concat_of_empty
// CHECK-NEXT:    %a = phi.array (%i < %n)
// CHECK-NOT:     phi.concat
// CHECK:         func.return %a, %a, %a
func.func @concat_of_empty(%n : i64, %x : f64) -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0 : i64
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %none = phi.array (%i < %zero) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %b = phi.concat %a, %none : !phi.vec<f64>
  %c = phi.concat %none, %a of %n : !phi.vec<f64>
  %d = phi.concat %none, %a : !phi.vec<f64>
  %e = phi.concat %d, %none of %n : !phi.vec<f64>
  func.return %b, %c, %e : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
}

// Not if the result has another size by its definition, or if rows may have other sizes.
// CHECK-LABEL: func.func @not_concat_of_empty
// CHECK:         phi.concat %x, %{{.*}} of %n
// CHECK:         phi.concat %y, %{{.*}} : !phi.vec<!phi.vec<f64>>
func.func @not_concat_of_empty(
    %x : !phi.vec<f64>, %y : !phi.vec<!phi.vec<f64>>, %n : i64
) -> (!phi.vec<f64>, !phi.vec<!phi.vec<f64>>) {
  %zero = arith.constant 0 : i64
  %o = arith.constant 1.0 : f64
  %none = phi.array (%i < %zero) -> !phi.vec<f64> {
    phi.yield %o : f64
  }
  %a = phi.concat %x, %none of %n : !phi.vec<f64>
  %rows = phi.array (%i < %zero, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %o : f64
  }
  %b = phi.concat %y, %rows : !phi.vec<!phi.vec<f64>>
  func.return %a, %b : !phi.vec<f64>, !phi.vec<!phi.vec<f64>>
}
