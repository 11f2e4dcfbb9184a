// RUN: ein-opt %s -p convert-yarr-to-torch -t python | filecheck %s
// RUN: xdsl-opt %s -p convert-yarr-to-torch -t python | filecheck %s

// The device of the arguments is read once, if an array is made on it.

func.func @pairwise_l1(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %zr = yarr.repeat %z, 0, %n : tensor<1x1xf64> -> tensor<?x1xf64>
  %zs = yarr.repeat %zr, 1, %n : tensor<?x1xf64> -> tensor<?x?xf64>
  %d = yarr.fold (%k < %m, %acc = %zs) -> tensor<?x?xf64> {
    %c = yarr.take %a, 1, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %x = yarr.unsqueeze %c, [1] : tensor<?xf64> -> tensor<?x1xf64>
    %y = yarr.unsqueeze %c, [0] : tensor<?xf64> -> tensor<1x?xf64>
    %0 = yarr.elementwise { arith.subf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %1 = yarr.elementwise { math.absf } %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %2 = yarr.elementwise { arith.addf } %acc, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %2 : tensor<?x?xf64>
  }
  func.return %d : tensor<?x?xf64>
}
// CHECK-LABEL: def pairwise_l1(a):
// CHECK-NEXT:      n = a.shape[0]
// CHECK-NEXT:      acc = torch.zeros((n, n), dtype=torch.float64, device=a.device)
// CHECK-NEXT:      for k in range(a.shape[1]):
// CHECK-NEXT:          c = a[:, k]
// CHECK-NEXT:          acc = acc + torch.abs(c[:, None] - c[None, :])
// CHECK-NEXT:      return acc

// In a record, too; tensors with axes come first.

func.func @placed(%r: tuple<tensor<f32>, tensor<?xf32>>) -> (tensor<?xi64>, tensor<?xf32>) {
  %a = yarr.proj %r, 1 : tuple<tensor<f32>, tensor<?xf32>> -> tensor<?xf32>
  %n = yarr.size %a, 0 : tensor<?xf32>
  %i = yarr.range %n : tensor<?xi64>
  %f = yarr.elementwise { arith.sitofp } %i : (tensor<?xi64>) -> tensor<?xf32>
  func.return %i, %f : tensor<?xi64>, tensor<?xf32>
}
// CHECK-LABEL: def placed(r):
// CHECK-NEXT:      i = torch.arange(r[1].shape[0], device=r[1].device)
// CHECK-NEXT:      return i, i.to(torch.float32)

// Without arguments it is the default device.

func.func @default() -> (tensor<3xi64>, tensor<f32>) {
  %a = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  %b = arith.constant dense<0.1> : tensor<f32>
  func.return %a, %b : tensor<3xi64>, tensor<f32>
}
// CHECK-LABEL: def default():
// CHECK-NEXT:      a = torch.tensor((1, 2, 3), dtype=torch.int64)
// CHECK-NEXT:      return a, torch.tensor(0.1, dtype=torch.float32)

// Numbers stay bare if PyTorch gives them the type of their partner exactly.

func.func @numbers(%a: tensor<?xf32>, %k: tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi64>) {
  %0 = yarr.elementwise (%x = %a) : (tensor<?xf32>) -> tensor<?xf32> {
    %c = arith.constant 2.0 : f32
    %s = arith.mulf %x, %c : f32
    %z = arith.constant 0.0 : f32
    %m = arith.maximumf %s, %z : f32
    yarr.yield %m : f32
  }
  %1 = yarr.elementwise (%x = %a) : (tensor<?xf32>) -> tensor<?xf32> {
    %c = arith.constant 3.0 : f32
    %s = arith.divf %c, %x : f32
    yarr.yield %s : f32
  }
  %2 = yarr.elementwise (%x = %a) : (tensor<?xf32>) -> tensor<?xf32> {
    %z = arith.constant 0.0 : f32
    %five = arith.constant 5.0 : f32
    %c = arith.cmpf ogt, %x, %z : f32
    %s = arith.select %c, %five, %z : f32
    yarr.yield %s : f32
  }
  %3 = yarr.elementwise (%x = %k) : (tensor<?xi64>) -> tensor<?xi64> {
    %two = arith.constant 2 : i64
    %s = arith.floordivsi %x, %two : i64
    yarr.yield %s : i64
  }
  func.return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi64>
}
// CHECK-LABEL: def numbers(a, k):
// CHECK-NEXT:      device = a.device
// CHECK-NEXT:      s = a * 2.0
// CHECK-NEXT:      c = a > 0.0
// CHECK-NEXT:      s_1 = torch.where(c, torch.tensor(5.0, dtype=torch.float32, device=device), 0.0)
// CHECK-NEXT:      s_2 = torch.tensor(3.0, dtype=torch.float32, device=device) / a
// CHECK-NEXT:      return torch.relu(s), s_2, s_1, k >> 1

// Positions are clipped; one without axes gets one, so that no number is read from a tensor.

func.func @positions(%a: tensor<?x?xf64>, %p: tensor<?xi64>, %k: tensor<i64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<f64>) {
  %0 = yarr.take %a, 1, %p : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  %1 = yarr.take %a, 0, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  %2 = yarr.gather %a[%p, %p] : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf64>
  %3 = yarr.gather %a[%k, %k] in_bounds [0, 1] : (tensor<?x?xf64>, tensor<i64>, tensor<i64>) -> tensor<f64>
  func.return %0, %1, %2, %3 : tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<f64>
}
// CHECK-LABEL: def positions(a, p, k):
// CHECK-NEXT:      t0 = elements_at(a, 0, p.clamp(0, a.shape[0] - 1), p.clamp(0, a.shape[1] - 1))
// CHECK-NEXT:      t1 = selected(a, 1, p.clamp(0, a.shape[1] - 1))
// CHECK-NEXT:      return t1, a[k.clamp(0, a.shape[0] - 1)[None]][0], t0, a[k[None], k[None]][0]

// Of positions beside all those along an axis, only the others are given.

func.func @beside(%a: tensor<?x?xf64>, %p: tensor<?x?xi64>, %q: tensor<?xi64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<?x?xf64>) {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %i = yarr.range %n : tensor<?xi64>
  %j = yarr.unsqueeze %i, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %0 = yarr.gather %a[%j, %p] in_bounds [0] : (tensor<?x?xf64>, tensor<?x1xi64>, tensor<?x?xi64>) -> tensor<?x?xf64>
  %1 = yarr.gather %a[%i, %q] in_bounds [0] : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %k = yarr.range %m : tensor<?xi64>
  %l = yarr.unsqueeze %k, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %2 = yarr.gather %a[%l, %p] : (tensor<?x?xf64>, tensor<?x1xi64>, tensor<?x?xi64>) -> tensor<?x?xf64>
  func.return %0, %1, %2 : tensor<?x?xf64>, tensor<?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def beside(a, p, q):
// CHECK:           t1 = elements_at(a, 0, t0, p.clamp(0, a.shape[1] - 1))
// CHECK-NEXT:      t2 = elements_along(a, 1, p.clamp(0, a.shape[1] - 1))
// CHECK-NEXT:      return t2, elements_along(a, 1, q.clamp(0, a.shape[1] - 1)), t1

// Views are copied if they would be returned, elements too.

func.func @views(%a: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<1xf64>) {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %0 = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %one = arith.constant dense<1> : tensor<i64>
  %last = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = yarr.slice %a, 0, %last, %n step -1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %2 = yarr.take %1, 1, %zero in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  %3 = yarr.take %2, 0, %zero in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
  %4 = yarr.unsqueeze %3, [0] : tensor<f64> -> tensor<1xf64>
  func.return %0, %2, %4 : tensor<?x?xf64>, tensor<?xf64>, tensor<1xf64>
}
// CHECK-LABEL: def views(a):
// CHECK-NEXT:      t0 = a.flip(0)[:, 0]
// CHECK-NEXT:      return a.T.clone(), t0, torch.broadcast_to(t0[0], (1,)).clone()

// Reductions; sums of ints stay in 32 bits.

func.func @reductions(%a: tensor<?x?x?xf64>, %k: tensor<?xi32>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<i32>) {
  %0 = yarr.reduce %a, [1] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.reduce %a, [0, 2] by { arith.mulf } : tensor<?x?x?xf64> -> tensor<?xf64>
  %2 = yarr.reduce %k, [0] by { arith.addi } : tensor<?xi32> -> tensor<i32>
  func.return %0, %1, %2 : tensor<?x?xf64>, tensor<?xf64>, tensor<i32>
}
// CHECK-LABEL: def reductions(a, k):
// CHECK-NEXT:      return a.sum(dim=1), product(a, (0, 2)), k.sum(dtype=torch.int32)

// Contractions of floats are products of matrices if possible.

func.func @contractions(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<f64>) {
  %0 = yarr.einsum "ij,kj->ik" %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.einsum "ij,ji->" %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<f64>
  func.return %0, %1 : tensor<?x?xf64>, tensor<f64>
}
// CHECK-LABEL: def contractions(a, b):
// CHECK-NEXT:      return a @ b.T, torch.einsum("ij,ji->", a, b)

// Contractions where one array has all axes are sums of products, unless another array has summed
// axes alone, or a sum of floats is the only one.

func.func @elements(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %k: tensor<?xi64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<i64>) {
  %0 = yarr.einsum "ij,ij->j" %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %1 = yarr.einsum "ij,ij->i" %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %2 = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %3 = yarr.einsum "ij,ij->i" %2, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %4 = yarr.einsum "i,i->" %k, %k : (tensor<?xi64>, tensor<?xi64>) -> tensor<i64>
  func.return %0, %1, %3, %4 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<i64>
}
// CHECK-LABEL: def elements(a, b, k):
// CHECK-NEXT:      t0 = sum_of_products("ij,ij->j", (a, b))
// CHECK-NEXT:      t1 = sum_of_products("ij,ij->i", (a, b))
// CHECK-NEXT:      return t0, t1, sum_of_products("ji,ij->i", (a, b)), sum_of_products("i,i->", (k, k))

func.func @stacks(%a: tensor<?x?x?xf64>, %b: tensor<?x?xf64>, %v: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<f64>) {
  %0 = yarr.einsum "ij,ijk->ik" %b, %a : (tensor<?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.einsum "ijk,jk->ij" %a, %b : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.einsum "ijk,k->ij" %a, %v : (tensor<?x?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  %3 = yarr.einsum "ij,ij->" %b, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<f64>
  func.return %0, %1, %2, %3 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<f64>
}
// CHECK-LABEL: def stacks(a, b, v):
// CHECK-NEXT:      t0 = sum_of_products("ijk,ij->ik", (a, b))
// CHECK-NEXT:      t1 = sum_of_products("ijk,jk->ij", (a, b))
// CHECK-NEXT:      return t0, t1, a @ v, torch.einsum("ij,ij->", b, b)

// Sizes are asserted, and results joined.

func.func @join(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %k: tensor<i64>) -> tuple<tensor<?x?xf64>, tensor<?x?xf64>> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %b, 0 : tensor<?x?xf64>
  %0 = yarr.assert_eq %n, %m, "concat: sizes along axis 0 differ"
  %1 = yarr.assert_size %k, "size of index i"
  %2 = yarr.concat %a, %b axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.slice %a, 1, %m, %1 step 2 : tensor<?x?xf64> -> tensor<?x?xf64>
  %4 = yarr.tuple %2, %3 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tuple<tensor<?x?xf64>, tensor<?x?xf64>>
  func.return %4 : tuple<tensor<?x?xf64>, tensor<?x?xf64>>
}
// CHECK-LABEL: def join(a, b, k):
// CHECK-NEXT:      k_1 = int(k)
// CHECK-NEXT:      n = a.shape[0]
// CHECK-NEXT:      m = b.shape[0]
// CHECK-NEXT:      if n != m:
// CHECK-NEXT:          raise ValueError(f"concat: sizes along axis 0 differ: {n} != {m}")
// CHECK-NEXT:      if k_1 < 0:
// CHECK-NEXT:          raise ValueError(f"size of index i is negative: {k_1}")
// CHECK-NEXT:      if k_1 > 17592186044416:
// CHECK-NEXT:          raise ValueError(f"size of index i is too large: {k_1}")
// CHECK-NEXT:      return (torch.cat((a, b), dim=1), a[:, n : n + 2 * k_1 : 2].clone())

// A function of the embedding program may return its argument.

func.func @sorted(%a: tensor<?x1xf64>) -> tensor<?xf64> {
  %0 = yarr.squeeze %a, [1] : tensor<?x1xf64> -> tensor<?xf64>
  %1 = yarr.extern @sort(%0) batch 0 : (tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: def sorted_(a):
// CHECK-NEXT:      return sort(a[:, 0]).clone()

// A program carries the helpers that it needs.

func.func @least(%a: tensor<?x?xf64>) -> tensor<?xf64> {
  %0 = yarr.reduce %a, [1] by { arith.minimumf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: def least(a):
// CHECK-NEXT:      return amin(a, (1,))

func.func @divide(%a: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<?xi64> {
  %0 = yarr.elementwise { arith.floordivsi } %a, %b : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  func.return %0 : tensor<?xi64>
}
// CHECK-LABEL: def divide(a, b):
// CHECK-NEXT:      return floor_divide(a, b)

func.func @edges(%a: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %0 = yarr.fill_empty %a, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.pad %0, 1, %n, %n : tensor<?x?xf64> -> tensor<?x?xf64>
  func.return %1 : tensor<?x?xf64>
}
// CHECK-LABEL: def edges(a, n):
// CHECK-NEXT:      n_1 = int(n)
// CHECK-NEXT:      return pad_edges(a, ((0, 0), (n_1, n_1)))

func.func @compose(%a: tensor<?xf64>) -> tensor<f64> {
  %one = arith.constant dense<1.0> : tensor<f64>
  %r = yarr.tree_reduce %a identity %one : tensor<?xf64> identity tensor<f64> -> tensor<f64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    %0 = yarr.elementwise { arith.mulf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %r : tensor<f64>
}
// CHECK-LABEL: def compose(a):
// CHECK-NEXT:      r = a
// CHECK-NEXT:      for _ in range(max(a.shape[0] - 1, 0).bit_length()):
// CHECK-NEXT:          t0 = r.shape[0]
// CHECK-NEXT:          r = torch.cat((r[:-1:2] * r[1::2], r[t0 - t0 % 2 :]))
// CHECK-NEXT:      r_1 = first_or(r, torch.tensor(1.0, dtype=torch.float64, device=a.device))
// CHECK-NEXT:      return r_1.clone()

// Elements are replaced in a copy; at a position out of bounds, none is.

func.func @updates(%a: tensor<?x?xf64>, %p: tensor<i64>, %x: tensor<f64>, %v: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %r = yarr.update %a[%p, %p] along [0, 1], %x : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<?x?xf64>
  %s = yarr.update %a[%p] along [1], %v : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def updates(a, p, x, v):
// CHECK-NEXT:      return update(a, (0, 1), (p, p), x), update(a, (1,), (p,), v)

// The position of an update whose condition is false is -1.

func.func @conditional(%a: tensor<?xf64>, %p: tensor<i64>, %x: tensor<f64>, %c: tensor<i1>) -> (tensor<?xf64>, tensor<?xf64>) {
  %r = yarr.update %a[%p] along [0], %x if %c : (tensor<?xf64>, tensor<i64>, tensor<f64>, tensor<i1>) -> tensor<?xf64>
  %s = yarr.update %a[%p] along [0], %x if %c in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>, tensor<i1>) -> tensor<?xf64>
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def conditional(a, p, x, c):
// CHECK-NEXT:      r = update(a, (0,), (torch.where(c, p, -1),), x)
// CHECK-NEXT:      return r, update(a, (0,), (torch.where(c, p, -1),), x)

// A search by each comparison is a helper.

func.func @searches(%a: tensor<?x?xf64>, %k: tensor<?xi32>) -> (tensor<?xi64>, tensor<?xi64>, tensor<i64>, tensor<i64>) {
  %0 = yarr.argreduce %a, 1 by "<" : tensor<?x?xf64> -> tensor<?xi64>
  %1 = yarr.argreduce %a, 0 by ">" : tensor<?x?xf64> -> tensor<?xi64>
  %2 = yarr.argreduce %k, 0 by "<=" : tensor<?xi32> -> tensor<i64>
  %3 = yarr.argreduce %k, 0 by ">=" : tensor<?xi32> -> tensor<i64>
  func.return %0, %1, %2, %3 : tensor<?xi64>, tensor<?xi64>, tensor<i64>, tensor<i64>
}
// CHECK-LABEL: def searches(a, k):
// CHECK-NEXT:      return argmin(a, 1), argmax(a, 0), last_argmin(k, 0), last_argmax(k, 0)

func.func @segments(%x: tensor<?x?xf32>, %k: tensor<?xi64>, %n: tensor<i64>) -> tensor<?x?xf32> {
  %0 = yarr.accumulate "add" %x by %k into %n : tensor<?x?xf32> by tensor<?xi64> -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
// CHECK-LABEL: def segments(x, k, n):
// CHECK-NEXT:      n_1 = int(n)
// CHECK-NEXT:      return accumulate_at("sum", 0.0, x, segment_numbers((k,), (n_1,)), (n_1,))

func.func @least_of_segments(%x: tensor<?xi64>, %p: tensor<?xi64>, %q: tensor<?xi64>) -> tensor<?x?xi64> {
  %n = arith.constant dense<3> : tensor<i64>
  %0 = yarr.accumulate "min" %x by %p, %q into %n, %n : tensor<?xi64> by tensor<?xi64>, tensor<?xi64> -> tensor<?x?xi64>
  func.return %0 : tensor<?x?xi64>
}
// CHECK-LABEL: def least_of_segments(x, p, q):
// CHECK-NEXT:      t0 = segment_numbers((p, q), (3, 3))
// CHECK-NEXT:      return accumulate_at("amin", 9223372036854775807, x, t0, (3, 3))

func.func @any_of_segments(%x: tensor<?xi1>, %p: tensor<?xi64>) -> tensor<?xi1> {
  %n = arith.constant dense<3> : tensor<i64>
  %0 = yarr.accumulate "or" %x by %p into %n : tensor<?xi1> by tensor<?xi64> -> tensor<?xi1>
  func.return %0 : tensor<?xi1>
}
// CHECK-LABEL: def any_of_segments(x, p):
// CHECK-NEXT:      return accumulate_at("amax", False, x, segment_numbers((p,), (3,)), (3,))

// Bits of Ints are combined by functions of bits, and so are Bools by exclusive or.

func.func @bits(%a: tensor<?x?xi64>, %b: tensor<?xi1>, %p: tensor<?xi64>, %x: tensor<?xi64>) -> (tensor<i64>, tensor<?xi64>, tensor<i1>, tensor<?xi64>, tensor<?xi64>) {
  %r = yarr.reduce %a, [0, 1] by { arith.xori } : tensor<?x?xi64> -> tensor<i64>
  %s = yarr.reduce %a, [1] by { arith.andi } : tensor<?x?xi64> -> tensor<?xi64>
  %t = yarr.reduce %b, [0] by { arith.xori } : tensor<?xi1> -> tensor<i1>
  %u = yarr.scan "or" %x, 0 inclusive : tensor<?xi64> -> tensor<?xi64>
  %n = arith.constant dense<3> : tensor<i64>
  %v = yarr.accumulate "xor" %x by %p into %n : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
  func.return %r, %s, %t, %u, %v : tensor<i64>, tensor<?xi64>, tensor<i1>, tensor<?xi64>, tensor<?xi64>
}
// CHECK-LABEL: def bits(a, b, p, x):
// CHECK-NEXT:      v = accumulate_bits_at("bitwise_xor", 0, x, segment_numbers((p,), (3,)), (3,))
// CHECK-NEXT:      t = reduced_bits("bitwise_xor", False, b, (0,))
// CHECK-NEXT:      r = reduced_bits("bitwise_xor", 0, a, (0, 1))
// CHECK-NEXT:      s = reduced_bits("bitwise_and", -1, a, (1,))
// CHECK-NEXT:      return r, s, t, accumulate("bitwise_or", x, 0), v

func.func @sizes_of_segments(%p: tensor<?xi64>, %n: tensor<i64>) -> tensor<?xi32> {
  %x = arith.constant dense<1> : tensor<i32>
  %one = yarr.unsqueeze %x, [0] : tensor<i32> -> tensor<1xi32>
  %0 = yarr.accumulate "add" %one by %p into %n : tensor<1xi32> by tensor<?xi64> -> tensor<?xi32>
  func.return %0 : tensor<?xi32>
}
// CHECK-LABEL: def sizes_of_segments(p, n):
// CHECK-NEXT:      n_1 = int(n)
// CHECK-NEXT:      t0 = torch.ones((1,), dtype=torch.int32, device=p.device)
// CHECK-NEXT:      return accumulate_at("sum", 0, t0, segment_numbers((p,), (n_1,)), (n_1,))

// Reductions by one key find its segments once.
func.func @two_by_one_key(%x: tensor<?xf64>, %k: tensor<?xi64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %n = arith.constant dense<3> : tensor<i64>
  %0 = yarr.accumulate "add" %x by %k into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  %1 = yarr.accumulate "min" %x by %k into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  func.return %0, %1 : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def two_by_one_key(x, k):
// CHECK-NEXT:      t0 = segment_numbers((k,), (3,))
// CHECK-NEXT:      t1 = accumulate_at("amin", torch.inf, x, t0, (3,))
// CHECK-NEXT:      return accumulate_at("sum", 0.0, x, t0, (3,)), t1

func.func @inclusive(%x: tensor<?x?xf64>, %y: tensor<?xi32>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xi32>) {
  %0 = yarr.scan "min" %x, 1 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.scan "add" %x, 0 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.scan "add" %y, 0 suffixes inclusive : tensor<?xi32> -> tensor<?xi32>
  func.return %0, %1, %2 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xi32>
}
// CHECK-LABEL: def inclusive(x, y):
// CHECK-NEXT:      t0 = accumulate("sum", y.flip(0), 0).flip(0)
// CHECK-NEXT:      return accumulate("amin", x, 1), x.cumsum(0), t0

func.func @windows(%a: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %n: tensor<i64>) -> tensor<?x?x?x?xf32> {
  %m = yarr.size %a, 3 : tensor<?x?x?x?xf32>
  %0 = yarr.correlate %a, %w into %n, %m : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  func.return %0 : tensor<?x?x?x?xf32>
}
// CHECK-LABEL: def windows(a, w, n):
// CHECK-NEXT:      n_1 = int(n)
// CHECK-NEXT:      return correlate(a, w, (n_1, a.shape[3]))

func.func @strided_windows(%a: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %n: tensor<i64>) -> tensor<?x?x?x?xf32> {
  %m = yarr.size %a, 3 : tensor<?x?x?x?xf32>
  %0 = yarr.correlate %a, %w into %n, %m by [2, 3] : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  func.return %0 : tensor<?x?x?x?xf32>
}
// CHECK-LABEL: def strided_windows(a, w, n):
// CHECK-NEXT:      n_1 = int(n)
// CHECK-NEXT:      return correlate(a, w, (n_1, a.shape[3]), (2, 3))

func.func @weighted(%x: tensor<?x?xf32>, %w: tensor<1x?xf32>, %t: tensor<?x?xi1>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = yarr.weighted_scan "max" %x by %w, 1 : tensor<?x?xf32> by tensor<1x?xf32>
  %1 = yarr.weighted_scan "add" %x by %t, 0 : tensor<?x?xf32> by tensor<?x?xi1>
  func.return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}
// CHECK-LABEL: def weighted(x, w, t):
// CHECK-NEXT:      t0 = weighted_scan("amax", -torch.inf, x, w, 1)
// CHECK-NEXT:      return t0, weighted_scan("sum", 0.0, x, t, 0)

func.func @prefixes(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = yarr.scan "add" %x, 1 : tensor<?x?xf32> -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
// CHECK-LABEL: def prefixes(x):
// CHECK-NEXT:      return scan("sum", 0.0, x, 1, False)

// A sum of products is finite only if all factors are: it is tested in the place of a matrix.

func.func @others(%x: tensor<?x?xf64>, %y: tensor<1x?xf32>, %s: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %0 = yarr.propagate_nan %x from %y, 1 : tensor<?x?xf64> from tensor<1x?xf32>
  %1 = yarr.einsum "i,ij->j" %s, %x : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %2 = yarr.propagate_nan %1 from %x, 0 : tensor<?xf64> from tensor<?x?xf64>
  %3 = yarr.transpose %x, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %4 = yarr.reduce %x, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %5 = yarr.propagate_nan %4 from %3, 0 : tensor<?xf64> from tensor<?x?xf64>
  func.return %0, %2, %5 : tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def others(x, y, s):
// CHECK-NEXT:      t0 = s @ x
// CHECK-NEXT:      t1 = x.sum(dim=1)
// CHECK-NEXT:      t2 = propagate_nan(x, y, 1, y).clone()
// CHECK-NEXT:      return t2, propagate_nan(t0, x, 0, t0), propagate_nan(t1, x.T, 0, t1)

// A sum over an axis that may be empty proves nothing about the matrix.

func.func @empty_sums(%x: tensor<?x?xf64>, %s: tensor<?x?xf64>) -> tensor<?xf64> {
  %0 = yarr.einsum "ik,ij->j" %s, %x : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %1 = yarr.propagate_nan %0 from %x, 0 : tensor<?xf64> from tensor<?x?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: def empty_sums(x, s):
// CHECK-NEXT:      return propagate_nan(torch.einsum("ik,ij->j", s, x), x, 0, x)

func.func @ranks(%x: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?x?xi64>, tensor<?x?xi64>) {
  %0 = yarr.top_k %x, 0, %n by "<" : tensor<?x?xf64> -> tensor<?x?xi64>
  %1 = yarr.top_k %x, 1, %n by ">" : tensor<?x?xf64> -> tensor<?x?xi64>
  func.return %0, %1 : tensor<?x?xi64>, tensor<?x?xi64>
}
// PYTHON-LABEL: def ranks(x, n):
// PYTHON-NEXT:      return top_k(x, 0, n, False), top_k(x, 1, n, True)

func.func @suffixes(%x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = yarr.scan "max" %x, 0 suffixes : tensor<?xf64> -> tensor<?xf64>
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: def suffixes(x):
// CHECK-NEXT:      return scan("amax", -torch.inf, x, 0, True)

// yarr.tile: all of the axis is one block.

func.func @tile(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %r = yarr.tile sizes(%n) (%start, %length of %m, %x = %a along 1) : (tensor<?x?xf64>) -> (tensor<?x?xf64> along 1) {
    %0 = yarr.elementwise (%y = %x) : (tensor<?x?xf64>) -> tensor<?x?xf64> {
      %1 = math.exp %y : f64
      %2 = math.absf %1 : f64
      yarr.yield %2 : f64
    }
    yarr.yield %0 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: def tile(a):
// CHECK-NEXT:      return torch.abs(torch.exp(a))

// Python computes with the operands of sizes, in 64 bits, and with the f64 made of them.

func.func @scaled(%n: tensor<i64>, %a: tensor<?xf64>) -> tensor<?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %m = yarr.elementwise { arith.addi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %b = yarr.slice %a, 0, %m, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %p = yarr.elementwise { arith.maxsi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.elementwise { arith.sitofp } %p : (tensor<i64>) -> tensor<f64>
  %y = arith.constant dense<2.0> : tensor<f64>
  %z = yarr.elementwise { arith.divf } %y, %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %w = yarr.unsqueeze %z, [0] : tensor<f64> -> tensor<1xf64>
  %c = yarr.elementwise { arith.mulf } %b, %w : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  func.return %c : tensor<?xf64>
}
// CHECK-LABEL: def scaled(n, a):
// CHECK-NEXT:      n_1 = int(n)
// CHECK-NEXT:      p = max(n_1, 1)
// CHECK-NEXT:      x = float(p)
// CHECK-NEXT:      z = 2.0 / x
// CHECK-NEXT:      return a[n_1 + 1 : 2 * n_1 + 2] * z

// Arrays joined along one axis and then along another are copied once.

func.func @frame(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = yarr.concat %a, %b axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.concat %c, %0 axis 0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %1 : tensor<?x?xf64>
}
// CHECK-LABEL: def frame(a, b, c):
// CHECK-NEXT:      return joined((0, c, (1, a, b)))

func.func @frame_used_twice(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = yarr.concat %a, %b axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.concat %0, %0 axis 0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %1 : tensor<?x?xf64>
}
// CHECK-LABEL: def frame_used_twice(a, b):
// CHECK-NEXT:      t0 = torch.cat((a, b), dim=1)
// CHECK-NEXT:      return torch.cat((t0, t0))

// A sum of products in another order, with its tests.
func.func @in_order(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = yarr.in_order "(ik,/k->i),i->i" %x of %a, %b, %x if finite %x and normal %b
    : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64> if finite tensor<?xf64> and normal tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def in_order_1(a, b, x):
// CHECK:      in_order(x, (x,), (b,), ("i", ("i", ("ik", a), ("/k", b)), ("i", x)))

// Rows and windows of an axis are views where they are in bounds; two axes become one.

func.func @rows(%a: tensor<?x?xf64>, %m: tensor<i64>) -> (tensor<?x?x?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %one = arith.constant dense<1> : tensor<i64>
  %0 = yarr.strided %a, 1, %one, sizes(%n, %m), steps(%m, %one) : tensor<?x?xf64> -> tensor<?x?x?xf64>
  %1 = yarr.flatten %a, 0 : tensor<?x?xf64> -> tensor<?xf64>
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.flatten %t, 0 : tensor<?x?xf64> -> tensor<?xf64>
  func.return %0, %1, %2 : tensor<?x?x?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def rows(a, m):
// CHECK-NEXT:     m_1 = int(m)
// CHECK-NEXT:     t0 = strided(a, 1, 1, (a.shape[0], m_1), (m_1, 1)).clone()
// CHECK-NEXT:     return t0, flatten(a, 0).clone(), flat_copy(a.T, 0)

// Every second column, from one on, is replaced; the value has one row for all.

func.func @every_second(%a: tensor<?x?xf64>, %p: tensor<i64>, %n: tensor<i64>, %x: tensor<1x?xf64>) -> tensor<?x?xf64> {
  %two = arith.constant dense<2> : tensor<i64>
  %r = yarr.update_slice %a[%p, %n by %two] along 1, %x : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// PYTHON:      def every_second(a, p, n, x):
// PYTHON-NEXT:     return update_slice(a, 1, p, n, 2, x)

// A yarr.while with a limit is a loop that may end early; the value of the condition is read in each step.

func.func @rooted(%x: tensor<f64>, %one: tensor<f64>, %more: tensor<i1>, %limit: tensor<i64>) -> tensor<f64> {
  %on, %r = yarr.while (%k < %limit, %m = %more, %y = %x) -> tensor<i1>, tensor<f64> {
    %0 = yarr.elementwise { math.sqrt } %y : (tensor<f64>) -> tensor<f64>
    %1 = yarr.elementwise (%p = %0, %q = %one) : (tensor<f64>, tensor<f64>) -> tensor<i1> {
      %2 = arith.cmpf ogt, %p, %q : f64
      yarr.yield %2 : i1
    }
    yarr.yield %1, %0 : tensor<i1>, tensor<f64>
  }
  func.return %r : tensor<f64>
}

func.func @unlimited(%x: tensor<f64>, %one: tensor<f64>, %more: tensor<i1>) -> tensor<f64> {
  %limit = arith.constant dense<17592186044416> : tensor<i64>
  %on, %r = yarr.while (%k < %limit, %m = %more, %y = %x) -> tensor<i1>, tensor<f64> {
    %0 = yarr.elementwise { math.sqrt } %y : (tensor<f64>) -> tensor<f64>
    %1 = yarr.elementwise (%p = %0, %q = %one) : (tensor<f64>, tensor<f64>) -> tensor<i1> {
      %2 = arith.cmpf ogt, %p, %q : f64
      yarr.yield %2 : i1
    }
    yarr.yield %1, %0 : tensor<i1>, tensor<f64>
  }
  func.return %r : tensor<f64>
}
// CHECK-LABEL: def rooted(x, one, more, limit):
// CHECK-NEXT:      m = more
// CHECK-NEXT:      y = x
// CHECK-NEXT:      for _ in range(int(limit)):
// CHECK-NEXT:          if not m:
// CHECK-NEXT:              break
// CHECK-NEXT:          y = torch.sqrt(y)
// CHECK-NEXT:          m = y > one
// CHECK-NEXT:      return y.clone()
// CHECK-LABEL: def unlimited(x, one, more):
// CHECK-NEXT:      m = more
// CHECK-NEXT:      y = x
// CHECK-NEXT:      while m:
// CHECK-NEXT:          y = torch.sqrt(y)
// CHECK-NEXT:          m = y > one
// CHECK-NEXT:      return y.clone()

// The order of yarr.argsort is stable.

func.func @orders(%a: tensor<?x3xf64>) -> tensor<?x3xi64> {
  %p = yarr.argsort %a, 1 : tensor<?x3xf64> -> tensor<?x3xi64>
  func.return %p : tensor<?x3xi64>
}
// CHECK-LABEL: def orders(a):
// CHECK-NEXT:      return argsort(a, 1)

// The first positions in order are found without the others.

func.func @first_orders(%a: tensor<?x?xf64>, %k: tensor<i64>) -> tensor<?x?xi64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %p = yarr.argsort %a, 1 : tensor<?x?xf64> -> tensor<?x?xi64>
  %q = yarr.slice %p, 1, %zero, %k step 1 : tensor<?x?xi64> -> tensor<?x?xi64>
  func.return %q : tensor<?x?xi64>
}
// CHECK-LABEL: def first_orders(a, k):
// CHECK: first_positions(a, 1,

// yarr.searchsorted is a search in each vector.

func.func @places(%a: tensor<?xf64>, %x: tensor<?x3xf64>) -> tensor<?x3xi64> {
  %p = yarr.searchsorted %a, %x right : tensor<?xf64>, tensor<?x3xf64> -> tensor<?x3xi64>
  func.return %p : tensor<?x3xi64>
}
// CHECK-LABEL: def places(a, x):
// CHECK-NEXT:      return place_in_order(a, x, "right")

// yarr.sort is a sort of elements alone.

func.func @sorts(%a: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %s = yarr.sort %a, 1 : tensor<?x3xf64> -> tensor<?x3xf64>
  func.return %s : tensor<?x3xf64>
}
// CHECK-LABEL: def sorts(a):
// CHECK-NEXT:      return sort_elements(a, 1)

// Of the rows that a mask selects, the others are not read; columns are.

func.func @selected_rows(%x: tensor<?x?xi1>, %m: tensor<?xi1>) -> (tensor<?xi1>, tensor<?xi1>) {
  %0 = yarr.unsqueeze %m, [1] : tensor<?xi1> -> tensor<?x1xi1>
  %1 = yarr.elementwise { arith.andi } %0, %x : (tensor<?x1xi1>, tensor<?x?xi1>) -> tensor<?x?xi1>
  %2 = yarr.reduce %1, [0] by { arith.ori } : tensor<?x?xi1> -> tensor<?xi1>
  %3 = yarr.unsqueeze %m, [0] : tensor<?xi1> -> tensor<1x?xi1>
  %4 = yarr.elementwise { arith.andi } %3, %x : (tensor<1x?xi1>, tensor<?x?xi1>) -> tensor<?x?xi1>
  %5 = yarr.reduce %4, [1] by { arith.ori } : tensor<?x?xi1> -> tensor<?xi1>
  func.return %2, %5 : tensor<?xi1>, tensor<?xi1>
}
// CHECK-LABEL: def selected_rows_1(x, m):
// CHECK-NEXT:      return any_of(selected_rows(x, 0, m, False), (0,)), any_of(m[None, :] & x, (1,))

// Axes with others between them are summed by a helper, one run of neighbours after another.

func.func @cells(%a: tensor<?x?x?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.reduce %a, [1, 3] by { arith.addf } : tensor<?x?x?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.reduce %a, [1, 2] by { arith.addf } : tensor<?x?x?x?xf64> -> tensor<?x?xf64>
  func.return %0, %1 : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def cells(a):
// CHECK-NEXT:     return sum_along(a, (1, 3)), a.sum(dim=(1, 2))

// Positions that go around the end of an axis: its elements are copied in two parts.

func.func @around(%a: tensor<?x?xf64>, %m: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %n = yarr.size %a, 1 : tensor<?x?xf64>
  %one = arith.constant dense<1> : tensor<i64>
  %i = yarr.range %n : tensor<?xi64>
  %s = yarr.unsqueeze %one, [0] : tensor<i64> -> tensor<1xi64>
  %u = yarr.unsqueeze %n, [0] : tensor<i64> -> tensor<1xi64>
  %0 = yarr.elementwise { arith.subi } %i, %s : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %1 = yarr.elementwise { sigma.floormod } %0, %u : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %x = yarr.take %a, 1, %1 : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  %v = yarr.unsqueeze %m, [0] : tensor<i64> -> tensor<1xi64>
  %2 = yarr.elementwise { arith.addi } %i, %v : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %3 = yarr.elementwise { sigma.floormod } %2, %u : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %y = yarr.take %a, 1, %3 : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  func.return %x, %y : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def around(a, m):
// CHECK-NEXT:      n = a.shape[1]
// CHECK-NEXT:      return rotated(a, (1, n, n, -1)), rotated(a, (1, n, n, m))

// The least or the greatest position where a condition holds is a search for it.

func.func @first_of_rows(%c: tensor<?x?xi1>) -> tensor<?xi64> {
  %n = yarr.size %c, 1 : tensor<?x?xi1>
  %i = yarr.range %n : tensor<?xi64>
  %p = yarr.unsqueeze %i, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %none = yarr.unsqueeze %n, [0, 1] : tensor<i64> -> tensor<1x1xi64>
  %x = yarr.elementwise { arith.select } %c, %p, %none : (tensor<?x?xi1>, tensor<1x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi64>
  %s = yarr.reduce %x, [1] by { arith.minsi } : tensor<?x?xi64> -> tensor<?xi64>
  func.return %s : tensor<?xi64>
}
// CHECK-LABEL: def first_of_rows(c):
// CHECK:           return true_position(c, 1, c.shape[1], False)

func.func @last_place(%c: tensor<?xi1>) -> tensor<i64> {
  %n = yarr.size %c, 0 : tensor<?xi1>
  %i = yarr.range %n : tensor<?xi64>
  %minus = arith.constant dense<-1> : tensor<i64>
  %none = yarr.unsqueeze %minus, [0] : tensor<i64> -> tensor<1xi64>
  %x = yarr.elementwise { arith.select } %c, %i, %none : (tensor<?xi1>, tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %s = yarr.reduce %x, [0] by { arith.maxsi } : tensor<?xi64> -> tensor<i64>
  func.return %s : tensor<i64>
}
// CHECK-LABEL: def last_place(c):
// CHECK:           return true_position(c, 0, -1, True)

// Not so if the number instead may be one of the positions, or the array has another use.

func.func @between(%c: tensor<?xi1>, %m: tensor<i64>) -> tensor<i64> {
  %n = yarr.size %c, 0 : tensor<?xi1>
  %i = yarr.range %n : tensor<?xi64>
  %none = yarr.unsqueeze %m, [0] : tensor<i64> -> tensor<1xi64>
  %x = yarr.elementwise { arith.select } %c, %i, %none : (tensor<?xi1>, tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %s = yarr.reduce %x, [0] by { arith.minsi } : tensor<?xi64> -> tensor<i64>
  func.return %s : tensor<i64>
}
// CHECK-LABEL: def between(c, m):
// CHECK-NOT:       true_position

// The rows of a loop without steps have no elements, whatever the parts of a row have.

func.func @no_rows(%a: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %c = yarr.elementwise (%x = %n, %y = %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1> {
    %is = arith.cmpi sgt, %x, %y : i64
    yarr.yield %is : i1
  }
  %less = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %m = yarr.elementwise { arith.select } %c, %less, %zero : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %first = yarr.slice %a, 1, %zero, %one step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %same = yarr.slice %a, 1, %zero, %one step 1 : tensor<?x?xf64> -> tensor<?x1xf64>
  %l = yarr.assert_size %m, "size of index j"
  %rest = yarr.repeat %same, 1, %l : tensor<?x1xf64> -> tensor<?x?xf64>
  %r = yarr.concat %first, %rest axis 1 of %n : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: def no_rows(a, n):
// CHECK:           r = torch.cat(
// CHECK-NEXT:      return r[:, :n_1]

// Values are stored at keys, of equal ones the last.

func.func @scatter_values(%a: tensor<?xf64>, %k: tensor<?xi64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = yarr.scatter %a[%k], %x : (tensor<?xf64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def scatter_values(a, k, x):
// PYTHON-NEXT:      return scattered(a, (k,), x)

// A shift without a sign by a known distance masks the highest bits.

func.func @high_bits(%a: tensor<?xi8>) -> tensor<?xi8> {
  %0 = arith.constant dense<4> : tensor<i8>
  %four = yarr.unsqueeze %0, [0] : tensor<i8> -> tensor<1xi8>
  %r = yarr.elementwise { arith.shrui } %a, %four : (tensor<?xi8>, tensor<1xi8>) -> tensor<?xi8>
  func.return %r : tensor<?xi8>
}
// CHECK-LABEL: def high_bits(a):
// CHECK:           return a >> 4 & 15

// Numbers are ordered if each is equal to itself.

func.func @ordered(%a: tensor<?xf64>, %b: tensor<?xf64>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xi1>) {
  %x = yarr.elementwise (%p = %a) : (tensor<?xf64>) -> tensor<?xi1> {
    %0 = arith.cmpf ord, %p, %p : f64
    yarr.yield %0 : i1
  }
  %y = yarr.elementwise (%p = %a) : (tensor<?xf64>) -> tensor<?xi1> {
    %0 = arith.cmpf uno, %p, %p : f64
    yarr.yield %0 : i1
  }
  %z = yarr.elementwise (%p = %a, %q = %b) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1> {
    %0 = arith.cmpf ord, %p, %q : f64
    yarr.yield %0 : i1
  }
  func.return %x, %y, %z : tensor<?xi1>, tensor<?xi1>, tensor<?xi1>
}
// CHECK-LABEL: def ordered(a, b):
// CHECK:           return a == a, a != a, (a == a) & (b == b)

// Positions from before a loop are clipped by the size that an array has there, which is that in each step.

func.func @clipped_before(%a: tensor<?xf64>, %p: tensor<?xi64>, %n: tensor<i64>) -> tensor<?xf64> {
  %m = yarr.size %a, 0 : tensor<?xf64>
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    %f = yarr.fill_empty %x, 0 : tensor<?xf64> -> tensor<?xf64>
    %t = yarr.take %f, 0, %p : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
    %s = yarr.slice %t, 0, %k, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %y = yarr.elementwise { arith.addf } %x, %s : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %y : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def clipped_before(a, p, n):
// CHECK:           for k in range(int(n)):
// CHECK-NEXT:          t = fill_empty(x, 0).index_select(0, p.clamp(0, max(m - 1, 0)))
