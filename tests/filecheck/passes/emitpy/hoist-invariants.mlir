// RUN: ein-opt %s -p hoist-invariants | filecheck %s
// RUN: ein-opt %s -p hoist-invariants -t python | filecheck %s --check-prefix=PYTHON

// Loop invariants are computed before the loop, from the inside
// of all loops in which they are invariant.

func.func @invariant(%a: tensor<?xi64>, %p: tensor<?xi64>, %n: !emitpy.object) -> tensor<?xf64> {
  %0 = emitpy.call "np.zeros"(%n) : (!emitpy.object) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %x = %0) : !emitpy.object -> tensor<?xf64> {
    %s = emitpy.for (%l < %n, %y = %x) : !emitpy.object -> tensor<?xf64> {
      %one = emitpy.literal 1 : i64
      %1 = emitpy.call "np.maximum"(%a, %one) : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
      %float = emitpy.name "np.float64"
      %t = emitpy.method %1 "astype"(%float) : (tensor<?xi64>, !emitpy.object) -> tensor<?xf64>
      %u = emitpy.binary %t "*" %t : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %v = emitpy.binary %y "/" %u : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %v : tensor<?xf64>
    }
    %axis = emitpy.literal 0 : i64
    %clip = emitpy.literal "clip"
    %f = emitpy.helper "np.fill_empty"(%a, %axis) view : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
    %g = emitpy.call "np.take"(%f, %p, axis = %axis, mode = %clip) : (tensor<?xi64>, tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?xi64>
    %w = emitpy.binary %s "*" %g : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
    emitpy.yield %w : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def invariant(a, p, n):
// PYTHON-NEXT:     t = np.maximum(a, 1).astype(np.float64)
// PYTHON-NEXT:     u = t * t
// PYTHON-NEXT:     g = fill_empty(a, 0).take(p, axis=0, mode="clip")
// PYTHON-NEXT:     x = np.zeros(n)
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         for _ in range(n):
// PYTHON-NEXT:             x = x / u
// PYTHON-NEXT:         x = x * g
// PYTHON-NEXT:     return x

// A loop may run zero times: nothing leaves it that may fail. Sizes may differ, positions may be out
// of bounds, an axis may be empty.

func.func @may_fail(%a: tensor<?xf64>, %b: tensor<?xf64>, %p: tensor<?xi64>, %n: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %x = %a) : !emitpy.object -> tensor<?xf64> {
    %two = emitpy.literal 2 : i64
    %axis = emitpy.literal 0 : i64
    %clip = emitpy.literal "clip"
    %0 = emitpy.binary %a "+" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %1 = emitpy.call "np.take"(%a, %p, axis = %axis, mode = %clip) : (tensor<?xf64>, tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    %2 = emitpy.subscript %b[%p] : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
    %3 = emitpy.subscript %b[%two] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %4 = emitpy.binary %a "*" %3 : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    %5 = emitpy.binary %0 "+" %1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %6 = emitpy.binary %2 "+" %4 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %7 = emitpy.binary %5 "+" %6 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %7 : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @may_fail(
// CHECK-NEXT:    %r = emitpy.for

// Nor a value that is larger than its operands.

func.func @larger(%a: tensor<?x1xf64>, %b: tensor<1x?xf64>, %m: tensor<?x?xf64>, %n: !emitpy.object) -> tensor<?x?xf64> {
  %r = emitpy.for (%k < %n, %x = %m) : !emitpy.object -> tensor<?x?xf64> {
    %0 = emitpy.binary %a "+" %b : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %1 = emitpy.binary %x "*" %0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %1 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @larger(
// CHECK-NEXT:    %r = emitpy.for

// Nor an array that is overwritten, or the initial value of an inner loop.

func.func @overwritten(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %x = %a) : !emitpy.object -> tensor<?xf64> {
    %e = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
    %f = emitpy.augment %e "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %s = emitpy.call "np.sin"(%a) : (tensor<?xf64>) -> tensor<?xf64>
    %t = emitpy.for (%l < %n, %y = %s) : !emitpy.object -> tensor<?xf64> {
      %z = emitpy.binary %y "*" %f : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %z : tensor<?xf64>
    }
    emitpy.yield %t : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @overwritten(
// CHECK-NEXT:    %r = emitpy.for

// Views with more axes, arithmetic with numbers, and sizes are loop invariant.

func.func @steps(%a: tensor<?xf64>, %x: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %count = emitpy.call "int"(%n) : (tensor<i64>) -> !emitpy.object
  %0 = emitpy.for (%k < %count, %acc = %x) : !emitpy.object -> tensor<?x?xf64> {
    %every = emitpy.slice
    %none = emitpy.literal unit
    %two = emitpy.literal 2.0 : f64
    %1 = emitpy.subscript %a[%every, %none] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
    %2 = emitpy.binary %two "*" %1 : (!emitpy.object, tensor<?x1xf64>) -> tensor<?x1xf64>
    %3 = emitpy.binary %acc "*" %two : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %4 = emitpy.binary %2 "+" %3 : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %4 : tensor<?x?xf64>
  }
  func.return %0 : tensor<?x?xf64>
}
// PYTHON-LABEL: def steps(a, x, n):
// PYTHON-NEXT:      t0 = 2.0 * a[:, None]
// PYTHON-NEXT:      acc = x
// PYTHON-NEXT:      for _ in range(int(n)):
// PYTHON-NEXT:          acc = t0 + acc * 2.0
// PYTHON-NEXT:      return acc

// Out of nested loops, as far as possible.

func.func @nested_loops(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %count = emitpy.call "int"(%n) : (tensor<i64>) -> !emitpy.object
  %0 = emitpy.for (%k < %count, %x = %a) : !emitpy.object -> tensor<?xf64> {
    %1 = emitpy.for (%j < %count, %y = %x) : !emitpy.object -> tensor<?xf64> {
      %2 = emitpy.binary %a "*" %count : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %3 = emitpy.binary %a "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %4 = emitpy.binary %y "-" %2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %5 = emitpy.binary %4 "-" %3 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %5 : tensor<?xf64>
    }
    emitpy.yield %1 : tensor<?xf64>
  }
  func.return %0 : tensor<?xf64>
}
// PYTHON-LABEL: def nested_loops(a, n):
// PYTHON-NEXT:      count = int(n)
// PYTHON-NEXT:      t0 = a * count
// PYTHON-NEXT:      x = a
// PYTHON-NEXT:      for k in range(count):
// PYTHON-NEXT:          t1 = a * k
// PYTHON-NEXT:          for _ in range(count):
// PYTHON-NEXT:              x = x - t0 - t1
// PYTHON-NEXT:      return x

// In PyTorch: sizes may differ, there may be no first element.

func.func @errors(%a: tensor<?xf64>, %b: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %count = emitpy.call "int"(%n) : (tensor<i64>) -> !emitpy.object
  %0 = emitpy.for (%k < %count, %x = %a) : !emitpy.object -> tensor<?xf64> {
    %zero = emitpy.literal 0 : i64
    %1 = emitpy.binary %a "*" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %2 = emitpy.subscript %a[%zero] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %3 = emitpy.binary %1 "*" %2 : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    emitpy.yield %3 : tensor<?xf64>
  }
  func.return %0 : tensor<?xf64>
}
// PYTHON-LABEL: def errors(a, b, n):
// PYTHON-NEXT:      x = a
// PYTHON-NEXT:      for _ in range(int(n)):
// PYTHON-NEXT:          x = a * b * a[0]
// PYTHON-NEXT:      return x

// A tuple of values from outside moves together with its users.

func.func @segments(%x: tensor<?xf64>, %k: tensor<?xi64>, %n: tensor<i64>) -> tensor<?xf64> {
  %count = emitpy.call "int"(%n) : (tensor<i64>) -> !emitpy.object
  %0 = emitpy.for (%i < %count, %a = %x) : !emitpy.object -> tensor<?xf64> {
    %keys = emitpy.tuple(%k) : (tensor<?xi64>) -> !emitpy.object
    %sizes = emitpy.tuple(%count) : (!emitpy.object) -> !emitpy.object
    %sum = emitpy.literal "sum"
    %zero = emitpy.literal 0.0 : f64
    %1 = emitpy.helper "torch.segment_numbers"(%keys, %sizes) : (!emitpy.object, !emitpy.object) -> tensor<?xi64>
    %2 = emitpy.helper "torch.accumulate_at"(%sum, %zero, %a, %1, %sizes) : (!emitpy.object, !emitpy.object, tensor<?xf64>, tensor<?xi64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %2 : tensor<?xf64>
  }
  func.return %0 : tensor<?xf64>
}
// PYTHON-LABEL: def segments(x, k, n):
// PYTHON-NEXT:      count = int(n)
// PYTHON-NEXT:      t0 = segment_numbers((k,), (count,))
// PYTHON-NEXT:      a = x
// PYTHON-NEXT:      for _ in range(count):
// PYTHON-NEXT:          a = accumulate_at("sum", 0.0, a, t0, (count,))
// PYTHON-NEXT:      return a

// So do rows of an array that has one, and the length of blocks; not a row that may be missing.

func.func @rows(%w: tensor<?x?xf64>, %x: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %0 = emitpy.for (%k < %n, %acc = %x) : !emitpy.object -> tensor<?xf64> {
    %zero = emitpy.literal 0 : i64
    %one = emitpy.literal 1 : i64
    %three = emitpy.literal 3 : i64
    %eight = emitpy.literal 8 : i64
    %f = emitpy.helper "np.fill_empty"(%w, %zero) view : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %shape = emitpy.attr %f "shape" : tensor<?x?xf64> -> !emitpy.object
    %size = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %last = emitpy.binary %size "-" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %p = emitpy.call "min"(%three, %last) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %q = emitpy.call "min"(%three, %size) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %r0 = emitpy.subscript %f[%zero] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %r3 = emitpy.subscript %f[%p] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %r4 = emitpy.subscript %f[%q] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %bytes = emitpy.binary %size "*" %eight : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %b = emitpy.helper "np.block_length"(%bytes) : (!emitpy.object) -> !emitpy.object
    %1 = emitpy.binary %acc "+" %r0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %2 = emitpy.binary %1 "+" %r3 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %3 = emitpy.binary %2 "+" %r4 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %4 = emitpy.binary %3 "*" %b : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %4 : tensor<?xf64>
  }
  func.return %0 : tensor<?xf64>
}
// PYTHON-LABEL: def rows(w, x, n):
// PYTHON-NEXT:      f = fill_empty(w, 0)
// PYTHON-NEXT:      size = f.shape[0]
// PYTHON-NEXT:      last = size - 1
// PYTHON-NEXT:      p = min(3, last)
// PYTHON-NEXT:      q = min(3, size)
// PYTHON-NEXT:      r0 = f[0]
// PYTHON-NEXT:      r3 = f[p]
// PYTHON-NEXT:      bytes_ = size * 8
// PYTHON-NEXT:      b = block_length(bytes_)
// PYTHON-NEXT:      acc = x
// PYTHON-NEXT:      for _ in range(n):
// PYTHON-NEXT:          acc = (acc + r0 + r3 + f[q]) * b
// PYTHON-NEXT:      return acc

// A slice from the start of an axis is a view, or repeats its last element: it raises no error. Other
// slices stay.
func.func @leading_slice(%a: tensor<?x?xf64>, %n: !emitpy.object, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = emitpy.for (%k < %n, %y = %x) : !emitpy.object -> tensor<?xf64> {
    %zero = emitpy.literal 0 : i64
    %one = emitpy.literal 1 : i64
    %s = emitpy.helper "np.clipped_slice"(%a, %one, %zero, %n, %one) view : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    %t = emitpy.helper "np.clipped_slice"(%a, %one, %one, %n, %one) view : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    %u = emitpy.subscript %s[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %v = emitpy.subscript %t[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %w = emitpy.binary %u "*" %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %z = emitpy.binary %y "+" %w : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %z : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON:      def leading_slice(a, n, x):
// PYTHON-NEXT:     s = clipped_slice(a, 1, 0, n, 1)
// PYTHON-NEXT:     y = x
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         w = s[k] * clipped_slice(a, 1, 1, n, 1)[k]
// PYTHON-NEXT:         y = y + w
// PYTHON-NEXT:     return y

// A scan has an element, so that a position in it raises no error; a segment count has a size for
// each segment, and running sums keep sizes.
func.func @rows_of_steps(%lengths: tensor<?xi64>, %x: tensor<?xi64>, %n: !emitpy.object, %size: !emitpy.object) -> tensor<?xi64> {
  %zero = emitpy.literal 0 : i64
  %false = emitpy.literal false
  %clip = emitpy.literal "clip"
  %add = emitpy.name "np.add"
  %int = emitpy.name "np.int64"
  %starts = emitpy.helper "np.scan"(%add, %zero, %lengths, %zero, %false) : (!emitpy.object, !emitpy.object, tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?xi64>
  %sizes = emitpy.tuple(%size) : (!emitpy.object) -> !emitpy.object
  %marks = emitpy.helper "np.segment_count"(%starts, %sizes, %int) : (tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?xi64>
  %rows = emitpy.method %add "accumulate"(%marks, %zero) : (!emitpy.object, tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
  %0 = emitpy.for (%k < %n, %acc = %x) : !emitpy.object -> tensor<?xi64> {
    %steps = emitpy.call "np.arange"(%size) : (!emitpy.object) -> tensor<?xi64>
    %first = emitpy.call "np.take"(%starts, %rows, axis = %zero, mode = %clip) : (tensor<?xi64>, tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?xi64>
    %step = emitpy.binary %steps "-" %first : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %1 = emitpy.binary %acc "+" %step : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    emitpy.yield %1 : tensor<?xi64>
  }
  func.return %0 : tensor<?xi64>
}
// PYTHON-LABEL: def rows_of_steps(lengths, x, n, size):
// PYTHON:          step = {{.*}}
// PYTHON-NEXT:     acc = x
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         acc = acc + step
// PYTHON-NEXT:     return acc

// Sizes that are compared before a loop agree in it. A result may be as large as an array that the
// loop reads.
func.func @compared(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %shape = emitpy.attr %a "shape" : tensor<?x?xf64> -> !emitpy.object
  %k = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %m = emitpy.subscript %shape[%one] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %differ = emitpy.binary %k "!=" %m : (!emitpy.object, !emitpy.object) -> !emitpy.object
  emitpy.raise_if %differ, "ValueError", "{} != {}"(%k, %m) : !emitpy.object, !emitpy.object, !emitpy.object
  %r = emitpy.for (%_ < %n, %x = %b) : !emitpy.object -> tensor<?xf64> {
    %i = emitpy.call "np.arange"(%k) : (!emitpy.object) -> tensor<?xi64>
    %none = emitpy.literal unit
    %all = emitpy.slice
    %column = emitpy.subscript %i[%all, %none] : (tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?x1xi64>
    %row = emitpy.subscript %i[%none, %all] : (tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<1x?xi64>
    %on = emitpy.binary %column "==" %row : (tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?xi1>
    %masked = emitpy.call "np.where"(%on, %zero, %a) : (tensor<?x?xi1>, !emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
    %y = emitpy.binary %masked "@" %x : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %y : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def compared(a, b, n):
// PYTHON-NEXT:     k = a.shape[0]
// PYTHON-NEXT:     m = a.shape[1]
// PYTHON-NEXT:     differ = k != m
// PYTHON-NEXT:     if differ:
// PYTHON-NEXT:         raise ValueError(f"{k} != {m}")
// PYTHON-NEXT:     i = np.arange(k)
// PYTHON-NEXT:     on = i[:, None] == i[None, :]
// PYTHON-NEXT:     masked = np.where(on, 0, a)
// PYTHON-NEXT:     x = b
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         x = masked @ x
// PYTHON-NEXT:     return x

// Sizes that a loop compares first agree where the loop runs.
func.func @compared_in_loop(%a: tensor<?xf64>, %b: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %r = emitpy.for (%_ < %n, %x = %b) : tensor<i64> -> tensor<?xf64> {
    %sizes = emitpy.attr %a "shape" : tensor<?xf64> -> !emitpy.object
    %k = emitpy.subscript %sizes[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %others = emitpy.attr %b "shape" : tensor<?xf64> -> !emitpy.object
    %m = emitpy.subscript %others[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %differ = emitpy.binary %k "!=" %m : (!emitpy.object, !emitpy.object) -> !emitpy.object
    emitpy.raise_if %differ, "ValueError", "{} != {}"(%k, %m) : !emitpy.object, !emitpy.object, !emitpy.object
    %c = emitpy.binary %a "*" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %y = emitpy.binary %x "+" %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %y : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def compared_in_loop(a, b, n):
// PYTHON-NEXT:     k = a.shape[0]
// PYTHON-NEXT:     m = b.shape[0]
// PYTHON-NEXT:     differ = k != m
// PYTHON-NEXT:     x = b
// PYTHON-NEXT:     if n > 0:
// PYTHON-NEXT:         if differ:
// PYTHON-NEXT:             raise ValueError(f"{k} != {m}")
// PYTHON-NEXT:         c = a * b
// PYTHON-NEXT:         for _ in range(n):
// PYTHON-NEXT:             x = x + c
// PYTHON-NEXT:     return x

// Not if a step may raise another error before.
func.func @compared_late(%a: tensor<?xf64>, %b: tensor<?xf64>, %p: tensor<i64>, %n: tensor<i64>) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %r = emitpy.for (%_ < %n, %x = %b) : tensor<i64> -> tensor<?xf64> {
    %e = emitpy.subscript %x[%p] : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %sizes = emitpy.attr %a "shape" : tensor<?xf64> -> !emitpy.object
    %k = emitpy.subscript %sizes[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %others = emitpy.attr %b "shape" : tensor<?xf64> -> !emitpy.object
    %m = emitpy.subscript %others[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %differ = emitpy.binary %k "!=" %m : (!emitpy.object, !emitpy.object) -> !emitpy.object
    emitpy.raise_if %differ, "ValueError", "{} != {}"(%k, %m) : !emitpy.object, !emitpy.object, !emitpy.object
    %c = emitpy.binary %a "*" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %y = emitpy.binary %e "+" %c : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %y : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def compared_late(a, b, p, n):
// PYTHON-NEXT:     k = a.shape[0]
// PYTHON-NEXT:     m = b.shape[0]
// PYTHON-NEXT:     differ = k != m
// PYTHON-NEXT:     x = b
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         if differ:
// PYTHON-NEXT:             raise ValueError(f"{k} != {m}")
// PYTHON-NEXT:         c = a * b
// PYTHON-NEXT:         x = x[p] + c
// PYTHON-NEXT:     return x

// Nothing is computed twice in a loop of at most one step, which is a condition in Python.
func.func @condition(%a: tensor<?xf64>, %c: tensor<i1>, %d: tensor<?xf64>) -> (tensor<?xf64>, tensor<i1>) {
  %none = emitpy.literal 0 : i64
  %once = emitpy.literal 1 : i64
  %n = emitpy.conditional %c, %none, %once : (tensor<i1>, !emitpy.object, !emitpy.object) -> !emitpy.object
  %r = emitpy.for (%_ < %n, %x = %d) : !emitpy.object -> tensor<?xf64> {
    %b = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
    %y = emitpy.binary %b "+" %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %y : tensor<?xf64>
  }
  func.return %r, %c : tensor<?xf64>, tensor<i1>
}
// PYTHON-LABEL: def condition(a, c, d):
// PYTHON-NEXT:     x = d
// PYTHON-NEXT:     if not c:
// PYTHON-NEXT:         b = np.exp(a)
// PYTHON-NEXT:         x = b + b
// PYTHON-NEXT:     return x, c

// Views leave a loop with the check of their sizes; one after another check does not.
func.func @views_of_checked_sizes(%a: tensor<?xf64>, %m: tensor<i64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %sizes = emitpy.tuple(%n, %m) : (tensor<i64>, tensor<i64>) -> !emitpy.object
  %steps = emitpy.tuple(%one, %one) : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %init = emitpy.helper "np.strided"(%a, %zero, %zero, %sizes, %steps) : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %r = emitpy.for (%k < %n, %x = %init) : tensor<i64> -> tensor<?x?xf64> {
    %negative = emitpy.binary %m "<" %zero : (tensor<i64>, !emitpy.object) -> tensor<i1>
    emitpy.raise_if %negative, "ValueError", "negative: {}"(%m) : tensor<i1>, tensor<i64>
    %w = emitpy.helper "np.strided"(%a, %zero, %one, %sizes, %steps) : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    %late = emitpy.binary %k "==" %m : (!emitpy.object, tensor<i64>) -> tensor<i1>
    emitpy.raise_if %late, "ValueError", "late: {}"(%k) : tensor<i1>, !emitpy.object
    %v = emitpy.helper "np.strided"(%a, %zero, %n, %sizes, %steps) : (tensor<?xf64>, !emitpy.object, tensor<i64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    %y = emitpy.binary %x "+" %w : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %z = emitpy.binary %y "+" %v : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %z : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// PYTHON-LABEL: def views_of_checked_sizes(a, m, n):
// PYTHON-NEXT:     sizes = (n, m)
// PYTHON-NEXT:     steps_1 = (1, 1)
// PYTHON-NEXT:     negative = m < 0
// PYTHON-NEXT:     x = strided(a, 0, 0, sizes, steps_1)
// PYTHON-NEXT:     if n > 0:
// PYTHON-NEXT:         if negative:
// PYTHON-NEXT:             raise ValueError(f"negative: {m}")
// PYTHON-NEXT:         w = strided(a, 0, 1, sizes, steps_1)
// PYTHON-NEXT:         for k in range(n):
// PYTHON-NEXT:             late = k == m
// PYTHON-NEXT:             if late:
// PYTHON-NEXT:                 raise ValueError(f"late: {k}")
// PYTHON-NEXT:             v = strided(a, 0, n, sizes, steps_1)
// PYTHON-NEXT:             y = x + w
// PYTHON-NEXT:             x = y + v
// PYTHON-NEXT:     return x

// An element whose position is below a size that is compared with a number is one of the loop's
// invariants; the loop that reads another one may have no step.

func.func @element(%a: tensor<?xf64>, %n: tensor<i64>, %y: tensor<f64>) -> tensor<f64> {
  %shape = emitpy.attr %a "shape" : tensor<?xf64> -> !emitpy.object
  %zero = emitpy.literal 0
  %one = emitpy.literal 1
  %two = emitpy.literal 2
  %size = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %differs = emitpy.binary %size "!=" %two : (!emitpy.object, !emitpy.object) -> !emitpy.object
  emitpy.raise_if %differs, "ValueError", "size {}"(%size) : !emitpy.object, !emitpy.object
  %r = emitpy.for (%k < %n, %x = %y) : tensor<i64> -> tensor<f64> {
    %v = emitpy.subscript %a[%one] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %w = emitpy.subscript %a[%two] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %z = emitpy.binary %x "+" %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %u = emitpy.binary %z "*" %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %u : tensor<f64>
  }
  func.return %r : tensor<f64>
}
// PYTHON-LABEL: def element(a, n, y):
// PYTHON:          v = a[1]
// PYTHON-NEXT:     x = y
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         z = x + v
// PYTHON-NEXT:         x = z * a[2]

// What is invariant in a branch of a step leaves the loop, too; what the step changes stays.

func.func @branch(%a: tensor<?xf64>, %n: tensor<i64>, %x0: tensor<?xf64>, %c: tensor<i1>) -> tensor<?xf64> {
  %one = emitpy.literal 1
  %none = emitpy.literal 0
  %r = emitpy.for (%k < %n, %x = %x0) : tensor<i64> -> tensor<?xf64> {
    %count = emitpy.conditional %c, %one, %none : (tensor<i1>, !emitpy.object, !emitpy.object) -> !emitpy.object
    %y = emitpy.for (%j < %count, %old = %x) : !emitpy.object -> tensor<?xf64> {
      %u = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
      %v = emitpy.call "np.exp"(%old) : (tensor<?xf64>) -> tensor<?xf64>
      %w = emitpy.binary %u "*" %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %w : tensor<?xf64>
    }
    emitpy.yield %y : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def branch(a, n, x0, c):
// PYTHON-NEXT:     u = np.exp(a)
// PYTHON-NEXT:     x = x0
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         if c:
// PYTHON-NEXT:             v = np.exp(x)
// PYTHON-NEXT:             x = u * v
// PYTHON-NEXT:     return x
