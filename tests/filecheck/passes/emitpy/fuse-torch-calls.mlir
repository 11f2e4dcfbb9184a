// RUN: ein-opt %s -p fuse-torch-calls -t python | filecheck %s
// RUN: xdsl-opt %s -p fuse-torch-calls -t python | filecheck %s

func.func @softmax(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %axes = emitpy.literal array<i64: 1>
  %m = emitpy.helper "torch.amax"(%x, %axes) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %all = emitpy.slice
  %new = emitpy.literal unit
  %c = emitpy.subscript %m[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %d = emitpy.binary %x "-" %c : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %e = emitpy.call "torch.exp"(%d) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %axis = emitpy.literal 1 : i64
  %s = emitpy.method %e "sum"(dim = %axis) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %t = emitpy.subscript %s[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %r = emitpy.binary %e "/" %t : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: def softmax(x):
// CHECK-NEXT:      return torch.softmax(x, 1)

// The difference the other way round, on a vector, whose reductions have no axes.

func.func @softmax_of_vector(%x: tensor<?xf64>) -> tensor<?xf64> {
  %axes = emitpy.literal array<i64: 0>
  %m = emitpy.helper "torch.amax"(%x, %axes) : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
  %d = emitpy.binary %m "-" %x : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.unary "-" %d : (tensor<?xf64>) -> tensor<?xf64>
  %e = emitpy.call "torch.exp"(%0) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.method %e "sum"() : (tensor<?xf64>) -> tensor<f64>
  %r = emitpy.binary %e "/" %s : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def softmax_of_vector(x):
// CHECK-NEXT:      return torch.softmax(x, 0)

// Without the maximum, powers may overflow. The sum is along the axis of the maximum.

func.func @no_softmax(%x: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %axes = emitpy.literal array<i64: 1>
  %all = emitpy.slice
  %new = emitpy.literal unit
  %e = emitpy.call "torch.exp"(%x) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %axis = emitpy.literal 1 : i64
  %s = emitpy.method %e "sum"(dim = %axis) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %t = emitpy.subscript %s[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %r = emitpy.binary %e "/" %t : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %m = emitpy.helper "torch.amax"(%x, %axes) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %c = emitpy.subscript %m[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %d = emitpy.binary %x "-" %c : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %f = emitpy.call "torch.exp"(%d) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %other = emitpy.literal 0 : i64
  %u = emitpy.method %f "sum"(dim = %other) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %v = emitpy.subscript %u[%new, %all] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
  %q = emitpy.binary %f "/" %v : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %r, %q : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def no_softmax(x):
// CHECK-NOT:       softmax

// The sum divides the products with values; the powers may be transposed.

func.func @weighted(%x: tensor<?x?xf64>, %v: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = emitpy.literal 0 : i64
  %all = emitpy.slice
  %new = emitpy.literal unit
  %axes = emitpy.literal array<i64: 0>
  %m = emitpy.helper "torch.amax"(%x, %axes) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %c = emitpy.subscript %m[%new, %all] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
  %d = emitpy.binary %x "-" %c : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %e = emitpy.call "torch.exp"(%d) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = emitpy.method %e "sum"(dim = %0) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %t = emitpy.subscript %s[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %w = emitpy.attr %e "T" : tensor<?x?xf64> -> tensor<?x?xf64>
  %p = emitpy.binary %w "@" %v : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = emitpy.binary %p "/" %t : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %f = emitpy.call "torch.exp"(%d) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %u = emitpy.method %f "sum"(dim = %0) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %h = emitpy.subscript %u[%new, %all] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
  %subscripts = emitpy.literal "ij,ik->kj"
  %factors = emitpy.tuple(%f, %v) : (tensor<?x?xf64>, tensor<?x?xf64>) -> !emitpy.object
  %o = emitpy.helper "torch.sum_of_products"(%subscripts, %factors) : (!emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %q = emitpy.binary %o "/" %h : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %r, %q : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def weighted(x, v):
// CHECK-NEXT:      p = torch.softmax(x, 0).T @ v
// CHECK-NEXT:      o = sum_of_products("ij,ik->kj", (torch.softmax(x, 0), v))
// CHECK-NEXT:      return average(p, "ji,jk->ik", x, 0, v), average(o, "ij,ik->kj", x, 0, v)

// The divisor is no sum of the rows, or the powers are a result, too.

func.func @no_average(%x: tensor<4x4xf64>, %v: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>) {
  %1 = emitpy.literal 1 : i64
  %all = emitpy.slice
  %new = emitpy.literal unit
  %axes = emitpy.literal array<i64: 1>
  %m = emitpy.helper "torch.amax"(%x, %axes) : (tensor<4x4xf64>, !emitpy.object) -> tensor<4xf64>
  %c = emitpy.subscript %m[%all, %new] : (tensor<4xf64>, !emitpy.object, !emitpy.object) -> tensor<4x1xf64>
  %d = emitpy.binary %x "-" %c : (tensor<4x4xf64>, tensor<4x1xf64>) -> tensor<4x4xf64>
  %e = emitpy.call "torch.exp"(%d) : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %s = emitpy.method %e "sum"(dim = %1) : (tensor<4x4xf64>, !emitpy.object) -> tensor<4xf64>
  %row = emitpy.subscript %s[%new, %all] : (tensor<4xf64>, !emitpy.object, !emitpy.object) -> tensor<1x4xf64>
  %p = emitpy.binary %e "@" %v : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %r = emitpy.binary %p "/" %row : (tensor<4x4xf64>, tensor<1x4xf64>) -> tensor<4x4xf64>
  %f = emitpy.call "torch.exp"(%d) : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %u = emitpy.method %f "sum"(dim = %1) : (tensor<4x4xf64>, !emitpy.object) -> tensor<4xf64>
  %t = emitpy.subscript %u[%all, %new] : (tensor<4xf64>, !emitpy.object, !emitpy.object) -> tensor<4x1xf64>
  %o = emitpy.binary %f "@" %v : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %q = emitpy.binary %o "/" %t : (tensor<4x4xf64>, tensor<4x1xf64>) -> tensor<4x4xf64>
  func.return %r, %q, %f : tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>
}
// CHECK-LABEL: def no_average(x, v):
// CHECK-NOT:       average

func.func @sigmoid(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %one = emitpy.literal 1.0 : f64
  %two = emitpy.literal 2.0 : f64
  %n = emitpy.unary "-" %x : (tensor<?xf64>) -> tensor<?xf64>
  %e = emitpy.call "torch.exp"(%n) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.binary %one "+" %e : (!emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.binary %one "/" %s : (!emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  %f = emitpy.call "torch.exp"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %t = emitpy.binary %f "+" %one : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %q = emitpy.binary %one "/" %t : (!emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  %p = emitpy.binary %two "/" %t : (!emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  func.return %r, %q, %p : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def sigmoid(x):
// CHECK:           return torch.sigmoid(x), torch.sigmoid(-x), 2.0 * torch.sigmoid(-x)

func.func @leaky_relu(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %zero = emitpy.literal 0.0 : f64
  %slope = emitpy.literal 0.1 : f64
  %negative = emitpy.literal -0.1 : f64
  %below = emitpy.binary %x "<" %zero : (tensor<?xf64>, !emitpy.object) -> tensor<?xi1>
  %above = emitpy.binary %x ">" %zero : (tensor<?xf64>, !emitpy.object) -> tensor<?xi1>
  %y = emitpy.binary %slope "*" %x : (!emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  %z = emitpy.binary %x "*" %negative : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %r = emitpy.call "torch.where"(%below, %y, %x) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %q = emitpy.call "torch.where"(%above, %x, %y) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %p = emitpy.call "torch.where"(%below, %z, %x) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r, %q, %p : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def leaky_relu(x):
// CHECK:           r = torch.nn.functional.leaky_relu(x, 0.1)
// CHECK-NEXT:      return r, torch.nn.functional.leaky_relu(x, 0.1), torch.where(below, z, x)

// A power of two may follow a contraction, if a sum was split. It cancels only with reassoc: the inner
// product may overflow.

func.func @gelu(%x: tensor<?x?xf64>, %w: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) attributes {ein.fastmath = #arith.fastmath<reassoc>} {
  %half = emitpy.literal 0.5 : f64
  %one = emitpy.literal 1.0 : f64
  %root = emitpy.literal 0.7071067811865476 : f64
  %factor = emitpy.literal 0.7978845608028654 : f64
  %small = emitpy.literal 0.044715 : f64
  %0 = emitpy.binary %x "*" %root : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %1 = emitpy.call "torch.erf"(%0) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = emitpy.binary %one "+" %1 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = emitpy.binary %half "*" %x : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = emitpy.binary %3 "*" %2 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = emitpy.binary %x "*" %x : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %5 = emitpy.binary %4 "*" %x : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %6 = emitpy.binary %small "*" %5 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %7 = emitpy.binary %x "+" %6 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %8 = emitpy.binary %factor "*" %7 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %9 = emitpy.call "torch.tanh"(%8) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %10 = emitpy.binary %one "+" %9 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %11 = emitpy.binary %x "*" %10 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %12 = emitpy.binary %11 "@" %w : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %q = emitpy.binary %half "*" %12 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %r, %q : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def gelu(x, w):
// CHECK-NEXT:      q = torch.nn.functional.gelu(x, approximate="tanh") @ w
// CHECK-NEXT:      return torch.nn.functional.gelu(x), q

func.func @gelu_in_order(%x: tensor<?x?xf64>, %w: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %half = emitpy.literal 0.5 : f64
  %one = emitpy.literal 1.0 : f64
  %root = emitpy.literal 0.7071067811865476 : f64
  %factor = emitpy.literal 0.7978845608028654 : f64
  %small = emitpy.literal 0.044715 : f64
  %0 = emitpy.binary %x "*" %root : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %1 = emitpy.call "torch.erf"(%0) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = emitpy.binary %one "+" %1 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = emitpy.binary %half "*" %x : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = emitpy.binary %3 "*" %2 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = emitpy.binary %x "*" %x : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %5 = emitpy.binary %4 "*" %x : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %6 = emitpy.binary %small "*" %5 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %7 = emitpy.binary %x "+" %6 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %8 = emitpy.binary %factor "*" %7 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %9 = emitpy.call "torch.tanh"(%8) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %10 = emitpy.binary %one "+" %9 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %11 = emitpy.binary %x "*" %10 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %12 = emitpy.binary %11 "@" %w : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %q = emitpy.binary %half "*" %12 : (!emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %r, %q : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def gelu_in_order(x, w):
// CHECK-NEXT:      q = 0.5 * (2.0 * torch.nn.functional.gelu(x, approximate="tanh") @ w)
// CHECK-NEXT:      return torch.nn.functional.gelu(x), q

// Other constants are other functions.

func.func @no_gelu(%x: tensor<?xf64>) -> tensor<?xf64> {
  %one = emitpy.literal 1.0 : f64
  %root = emitpy.literal 0.7 : f64
  %0 = emitpy.binary %x "*" %root : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %1 = emitpy.call "torch.erf"(%0) : (tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.binary %one "+" %1 : (!emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.binary %x "*" %2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def no_gelu(x):
// CHECK-NEXT:      return x * (1.0 + torch.erf(x * 0.7))

func.func @layer_norm(%x: tensor<?x?xf64>, %a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?x?xf64> {
  %shape = emitpy.attr %x "shape" : tensor<?x?xf64> -> !emitpy.object
  %axis = emitpy.literal 1 : i64
  %size = emitpy.subscript %shape[%axis] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %n = emitpy.call "torch.tensor"(%size) : (!emitpy.object) -> tensor<f64>
  %all = emitpy.slice
  %new = emitpy.literal unit
  %0 = emitpy.method %x "sum"(dim = %axis) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %mean = emitpy.binary %0 "/" %n : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %1 = emitpy.subscript %mean[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %d = emitpy.binary %x "-" %1 : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %rows = emitpy.literal "ij,ij->i"
  %pair = emitpy.tuple(%d, %d) : (tensor<?x?xf64>, tensor<?x?xf64>) -> !emitpy.object
  %2 = emitpy.helper "torch.sum_of_products"(%rows, %pair) : (!emitpy.object, !emitpy.object) -> tensor<?xf64>
  %variance = emitpy.binary %2 "/" %n : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %epsilon = emitpy.literal 0.001 : f64
  %3 = emitpy.binary %variance "+" %epsilon : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %4 = emitpy.call "torch.rsqrt"(%3) : (tensor<?xf64>) -> tensor<?xf64>
  %5 = emitpy.subscript %4[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %6 = emitpy.binary %d "*" %5 : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %7 = emitpy.subscript %a[%new, %all] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
  %8 = emitpy.binary %7 "*" %6 : (tensor<1x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %9 = emitpy.subscript %b[%new, %all] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
  %r = emitpy.binary %8 "+" %9 : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: def layer_norm(x, a, b):
// CHECK-NEXT:      return torch.layer_norm(x, (x.shape[1],), eps=0.001, weight=a, bias=b)

// The divisor is not the size of the axis.

func.func @no_layer_norm(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %shape = emitpy.attr %x "shape" : tensor<?x?xf64> -> !emitpy.object
  %axis = emitpy.literal 1 : i64
  %other = emitpy.literal 0 : i64
  %n = emitpy.subscript %shape[%other] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %all = emitpy.slice
  %new = emitpy.literal unit
  %0 = emitpy.method %x "sum"(dim = %axis) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %mean = emitpy.binary %0 "/" %n : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %1 = emitpy.subscript %mean[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %d = emitpy.binary %x "-" %1 : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %rows = emitpy.literal "ij,ij->i"
  %2 = emitpy.call "torch.einsum"(%rows, %d, %d) : (!emitpy.object, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %variance = emitpy.binary %2 "/" %n : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %3 = emitpy.call "torch.rsqrt"(%variance) : (tensor<?xf64>) -> tensor<?xf64>
  %4 = emitpy.subscript %3[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %r = emitpy.binary %d "*" %4 : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: def no_layer_norm(x):
// CHECK-NOT:       layer_norm(x

// Deviations at each position of axis 1; a divisor that counts other elements leaves them as they are.

func.func @deviations(%x: tensor<?x?x?xf64>, %a: tensor<?xf64>, %b: tensor<?xf64>) -> (tensor<?x?x?xf64>, tensor<?x?x?xf64>) {
  %shape = emitpy.attr %x "shape" : tensor<?x?x?xf64> -> !emitpy.object
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %two = emitpy.literal 2 : i64
  %rows = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %channels = emitpy.subscript %shape[%one] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %columns = emitpy.subscript %shape[%two] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %product = emitpy.binary %columns "*" %rows : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %n = emitpy.call "float"(%product) : (!emitpy.object) -> !emitpy.object
  %other = emitpy.binary %channels "*" %rows : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %m = emitpy.call "float"(%other) : (!emitpy.object) -> !emitpy.object
  %all = emitpy.slice
  %new = emitpy.literal unit
  %axes = emitpy.literal array<i64: 0, 2>
  %0 = emitpy.helper "torch.sum_along"(%x, %axes) : (tensor<?x?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %mean = emitpy.binary %0 "/" %n : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %1 = emitpy.subscript %mean[%new, %all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<1x?x1xf64>
  %d = emitpy.binary %x "-" %1 : (tensor<?x?x?xf64>, tensor<1x?x1xf64>) -> tensor<?x?x?xf64>
  %squares = emitpy.literal "jik,jik->i"
  %pair = emitpy.tuple(%d, %d) : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> !emitpy.object
  %2 = emitpy.helper "torch.sum_of_products"(%squares, %pair) : (!emitpy.object, !emitpy.object) -> tensor<?xf64>
  %epsilon = emitpy.literal 0.001 : f64
  %v = emitpy.binary %2 "/" %n : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %3 = emitpy.binary %v "+" %epsilon : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %4 = emitpy.call "torch.sqrt"(%3) : (tensor<?xf64>) -> tensor<?xf64>
  %5 = emitpy.subscript %4[%new, %all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<1x?x1xf64>
  %6 = emitpy.binary %d "/" %5 : (tensor<?x?x?xf64>, tensor<1x?x1xf64>) -> tensor<?x?x?xf64>
  %7 = emitpy.subscript %a[%new, %all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<1x?x1xf64>
  %8 = emitpy.binary %7 "*" %6 : (tensor<1x?x1xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %9 = emitpy.subscript %b[%new, %all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<1x?x1xf64>
  %r = emitpy.binary %8 "+" %9 : (tensor<?x?x?xf64>, tensor<1x?x1xf64>) -> tensor<?x?x?xf64>
  %w = emitpy.binary %2 "/" %m : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %10 = emitpy.call "torch.sqrt"(%w) : (tensor<?xf64>) -> tensor<?xf64>
  %11 = emitpy.subscript %10[%new, %all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<1x?x1xf64>
  %s = emitpy.binary %d "/" %11 : (tensor<?x?x?xf64>, tensor<1x?x1xf64>) -> tensor<?x?x?xf64>
  func.return %r, %s : tensor<?x?x?xf64>, tensor<?x?x?xf64>
}
// CHECK-LABEL: def deviations(x, a, b):
// CHECK:           d = x - mean[None, :, None]
// CHECK-NEXT:      w = sum_of_products("jik,jik->i", (d, d)) / m
// CHECK-NEXT:      return batch_norm(x, 1, 0.001, a, b), d / torch.sqrt(w)[None, :, None]

// A loop that adds up products; one whose products have the sum itself in them does not.

func.func @sums_of_products(%a: tensor<?x?xf64>, %z: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %count = emitpy.literal 3 : i64
  %half = emitpy.literal 0.5 : f64
  %0, %1, %2 = emitpy.for (%k < %count, %x = %z, %y = %z, %w = %z) : !emitpy.object -> tensor<?xf64>, tensor<?xf64>, tensor<?xf64> {
    %row = emitpy.subscript %a[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    %3 = emitpy.binary %row "*" %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %4 = emitpy.binary %3 "+" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %5 = emitpy.binary %y "*" %row : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %6 = emitpy.binary %y "+" %5 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %7 = emitpy.binary %row "*" %half : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %8 = emitpy.binary %w "+" %7 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %4, %6, %8 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
  }
  func.return %0, %1, %2 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def sums_of_products(a, z):
// CHECK-NEXT:      x = z
// CHECK-NEXT:      y = z
// CHECK-NEXT:      w = z
// CHECK-NEXT:      for k in range(3):
// CHECK-NEXT:          row = a[k]
// CHECK-NEXT:          x = torch.addcmul(x, row, z)
// CHECK-NEXT:          y = y + y * row
// CHECK-NEXT:          w = w + row * 0.5
// CHECK-NEXT:      return x, y, w

// Nor is it a sum if an accumulator gets the sum of another.

func.func @recurrence(%z: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %count = emitpy.literal 3 : i64
  %0, %1 = emitpy.for (%k < %count, %x = %z, %y = %z) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %2 = emitpy.binary %z "*" %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %3 = emitpy.binary %y "+" %2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %3, %x : tensor<?xf64>, tensor<?xf64>
  }
  func.return %0, %1 : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def recurrence(z):
// CHECK-NOT:       addcmul

// One position of an axis that stays is one view; so is one with a new axis elsewhere. Numbers are
// added after it.

func.func @views(%x: tensor<?x?xf64>, %k: !emitpy.object) -> (tensor<?x1xf64>, tensor<1x?xf64>, tensor<?x1xf64>, tensor<1x?xf64>, tensor<?x1xi1>) {
  %zero = emitpy.literal 0.0 : f64
  %all = emitpy.slice
  %new = emitpy.literal unit
  %column = emitpy.subscript %x[%all, %k] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
  %0 = emitpy.subscript %column[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %row = emitpy.subscript %x[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %1 = emitpy.subscript %row[%new, %all] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
  %upright = emitpy.subscript %x[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %2 = emitpy.subscript %upright[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %flat = emitpy.subscript %x[%all, %k] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
  %3 = emitpy.subscript %flat[%new] : (tensor<?xf64>, !emitpy.object) -> tensor<1x?xf64>
  %compared = emitpy.subscript %x[%all, %k] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
  %mask = emitpy.binary %zero "<" %compared : (!emitpy.object, tensor<?xf64>) -> tensor<?xi1>
  %4 = emitpy.subscript %mask[%all, %new] : (tensor<?xi1>, !emitpy.object, !emitpy.object) -> tensor<?x1xi1>
  func.return %0, %1, %2, %3, %4 : tensor<?x1xf64>, tensor<1x?xf64>, tensor<?x1xf64>, tensor<1x?xf64>, tensor<?x1xi1>
}
// CHECK-LABEL: def views(x, k):
// CHECK-NEXT:      t0 = 0.0 < x.narrow(1, k, 1)
// CHECK-NEXT:      return x.narrow(1, k, 1), x.narrow(0, k, 1), x[k, :, None], x[None, :, k], t0

// Not if the position is a tensor, if the view has another user, or of a sum of arrays.

func.func @other_views(%x: tensor<?x?xf64>, %k: !emitpy.object, %p: tensor<i64>) -> (tensor<1x?xf64>, tensor<1x?xf64>, tensor<?xf64>, tensor<1x?xf64>) {
  %all = emitpy.slice
  %new = emitpy.literal unit
  %at = emitpy.subscript %x[%p] : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  %0 = emitpy.subscript %at[%new, %all] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
  %row = emitpy.subscript %x[%k] : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %1 = emitpy.subscript %row[%new, %all] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
  %two = emitpy.binary %row "+" %row : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.subscript %two[%new, %all] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
  func.return %0, %1, %row, %2 : tensor<1x?xf64>, tensor<1x?xf64>, tensor<?xf64>, tensor<1x?xf64>
}
// CHECK-LABEL: def other_views(x, k, p):
// CHECK-NEXT:      row = x[k]
// CHECK-NEXT:      two = row + row
// CHECK-NEXT:      return x[p][None, :], row[None, :], row, two[None, :]

// Ints at equal distances are one range, of floats if they are converted.

func.func @ranges(%n: !emitpy.object, %a: !emitpy.object, %b: !emitpy.object, %device: !emitpy.object) -> (tensor<?xi64>, tensor<?xf64>, tensor<?xf64>) {
  %r = emitpy.call "torch.arange"(%n, device = %device) : (!emitpy.object, !emitpy.object) -> tensor<?xi64>
  %0 = emitpy.binary %r "+" %a : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
  %1 = emitpy.binary %b "-" %0 : (!emitpy.object, tensor<?xi64>) -> tensor<?xi64>
  %s = emitpy.call "torch.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %2 = emitpy.binary %a "-" %s : (!emitpy.object, tensor<?xi64>) -> tensor<?xi64>
  %3 = emitpy.binary %s "-" %2 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %f64 = emitpy.name "torch.float64"
  %4 = emitpy.method %3 "to"(%f64) : (tensor<?xi64>, !emitpy.object) -> tensor<?xf64>
  %t = emitpy.call "torch.arange"(%n, device = %device) : (!emitpy.object, !emitpy.object) -> tensor<?xi64>
  %5 = emitpy.method %t "to"(%f64) : (tensor<?xi64>, !emitpy.object) -> tensor<?xf64>
  func.return %1, %4, %5 : tensor<?xi64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def ranges(n, a, b, device):
// CHECK-NEXT:      t0 = torch.arange(n, dtype=torch.float64, device=device)
// CHECK-NEXT:      t1 = affine_range(b - a, -1, n, torch.int64, device)
// CHECK-NEXT:      return t1, affine_range(-a, 2, n, torch.float64, None), t0

// Not if the range has another user, if there are two, if the difference of a range
// and itself has no steps, or if floats would be rounded.

func.func @other_ranges(%n: !emitpy.object, %a: !emitpy.object) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf32>) {
  %r = emitpy.call "torch.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %0 = emitpy.binary %r "+" %a : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
  %s = emitpy.call "torch.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %t = emitpy.call "torch.arange"(%a) : (!emitpy.object) -> tensor<?xi64>
  %1 = emitpy.binary %s "+" %t : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %u = emitpy.call "torch.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %2 = emitpy.binary %u "-" %u : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %v = emitpy.call "torch.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %f32 = emitpy.name "torch.float32"
  %3 = emitpy.method %v "to"(%f32) : (tensor<?xi64>, !emitpy.object) -> tensor<?xf32>
  func.return %r, %0, %1, %2, %3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf32>
}
// CHECK-LABEL: def other_ranges(n, a):
// CHECK-NEXT:      r = torch.arange(n)
// CHECK-NEXT:      s = torch.arange(n)
// CHECK-NEXT:      t = torch.arange(a)
// CHECK-NEXT:      u = torch.arange(n)
// CHECK-NEXT:      v = torch.arange(n)
// CHECK-NEXT:      return r, r + a, s + t, u - u, v.to(torch.float32)

// Bools of which one is repeated along the last axis are joined as bytes; others are not.

func.func @masks(%p: tensor<?x1xi1>, %q: tensor<?x?xi1>, %r: tensor<1x?xi1>) -> (tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>) {
  %0 = emitpy.binary %p "&" %q : (tensor<?x1xi1>, tensor<?x?xi1>) -> tensor<?x?xi1>
  %1 = emitpy.binary %r "|" %p : (tensor<1x?xi1>, tensor<?x1xi1>) -> tensor<?x?xi1>
  %2 = emitpy.binary %r "&" %q : (tensor<1x?xi1>, tensor<?x?xi1>) -> tensor<?x?xi1>
  %3 = emitpy.binary %p "^" %q : (tensor<?x1xi1>, tensor<?x?xi1>) -> tensor<?x?xi1>
  func.return %0, %1, %2, %3 : tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>
}
// CHECK-LABEL: def masks(p, q, r):
// CHECK-NEXT:      return both(p, q), either(r, p), r & q, p ^ q

// The logarithm of a sum of powers below the largest, plus that.

func.func @total(%x: tensor<?x?xf64>) -> tensor<?xf64> {
  %axes = emitpy.literal array<i64: 1>
  %axis = emitpy.literal 1 : i64
  %m = emitpy.helper "torch.amax"(%x, %axes) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %none = emitpy.literal unit
  %all = emitpy.slice
  %c = emitpy.subscript %m[%all, %none] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %d = emitpy.binary %x "-" %c : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %e = emitpy.call "torch.exp"(%d) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = emitpy.method %e "sum"(dim = %axis) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %l = emitpy.call "torch.log"(%s) : (tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.binary %m "+" %l : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: def total(x):
// CHECK-NEXT:     return log_sum_exp(x, 1)

// Sums along the last of three axes, but not along another one, or of fewer.

func.func @sums(%x: tensor<?x?x?xf64>, %y: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xf64>) {
  %1 = emitpy.literal 1 : i64
  %2 = emitpy.literal 2 : i64
  %a = emitpy.method %x "sum"(dim = %2) : (tensor<?x?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %b = emitpy.method %x "sum"(dim = %1) : (tensor<?x?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %c = emitpy.method %y "sum"(dim = %1) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  func.return %a, %b, %c : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def sums(x, y):
// CHECK-NEXT:      return sum_along(x, (2,)), x.sum(dim=1), y.sum(dim=1)

// Rows of groups, or the first of them, have the statistics of groups; those of another array, or
// of other groups, do not.

func.func @groups(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>, %k: !emitpy.object) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %eps = emitpy.literal 0.5 : f64
  %all = emitpy.slice
  %new = emitpy.literal unit
  %text = emitpy.literal "ij,ij->i"
  %shape = emitpy.attr %x "shape" : tensor<?x?xf64> -> !emitpy.object
  %size = emitpy.subscript %shape[%one] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %n = emitpy.call "float"(%size) : (!emitpy.object) -> !emitpy.object
  %sum = emitpy.method %x "sum"(dim = %one) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %m = emitpy.binary %sum "/" %n : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %c = emitpy.subscript %m[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %d = emitpy.binary %x "-" %c : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %squares = emitpy.call "torch.einsum"(%text, %d, %d) : (!emitpy.object, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %v = emitpy.binary %squares "/" %n : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %means = emitpy.helper "torch.clipped_slice"(%m, %zero, %zero, %k, %one) : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
  %mean = emitpy.subscript %means[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %variances = emitpy.helper "torch.clipped_slice"(%v, %zero, %zero, %k, %one) : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
  %more = emitpy.binary %variances "+" %eps : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %roots = emitpy.call "torch.sqrt"(%more) : (tensor<?xf64>) -> tensor<?xf64>
  %root = emitpy.subscript %roots[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %rows = emitpy.helper "torch.clipped_slice"(%x, %zero, %zero, %k, %one) : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %own = emitpy.binary %rows "-" %mean : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %r = emitpy.binary %own "/" %root : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %others = emitpy.binary %y "-" %mean : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %q = emitpy.binary %others "/" %root : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %later = emitpy.helper "torch.clipped_slice"(%m, %zero, %one, %k, %one) : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
  %late = emitpy.subscript %later[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %spread = emitpy.helper "torch.clipped_slice"(%v, %zero, %one, %k, %one) : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
  %deviation = emitpy.call "torch.sqrt"(%spread) : (tensor<?xf64>) -> tensor<?xf64>
  %by = emitpy.subscript %deviation[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %from = emitpy.binary %rows "-" %late : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %p = emitpy.binary %from "/" %by : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  func.return %r, %q, %p : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def groups(x, y, k):
// CHECK:           r = norm_of_groups(rows, x, 0, 0.5)
// CHECK-NEXT:      return r, others / roots{{.*}}, from_ / deviation

// An array that only a condition needs is computed in it.

func.func @condition(%x: tensor<?xf64>, %y: tensor<?xf64>, %c: !emitpy.object) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %n = emitpy.conditional %c, %zero, %one : (!emitpy.object, !emitpy.object, !emitpy.object) -> !emitpy.object
  %e = emitpy.call "torch.cos"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %s = emitpy.call "torch.sin"(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %acc = %y) : !emitpy.object -> tensor<?xf64> {
    %t = emitpy.binary %e "*" %s : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %t : tensor<?xf64>
  }
  %z = emitpy.binary %r "+" %s : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: def condition(x, y, c):
// CHECK-NEXT:      s = torch.sin(x)
// CHECK-NEXT:      acc = y
// CHECK-NEXT:      if not c:
// CHECK-NEXT:          e = torch.cos(x)
// CHECK-NEXT:          acc = e * s

// Powers that a condition reads, too, are computed anew in it.

func.func @average_beside_condition(%x: tensor<?x?xf64>, %v: tensor<?x?xf64>, %b: !emitpy.object) -> tensor<?x?xf64> {
  %zero = emitpy.literal 0 : i64
  %1 = emitpy.literal 1 : i64
  %n = emitpy.conditional %b, %zero, %1 : (!emitpy.object, !emitpy.object, !emitpy.object) -> !emitpy.object
  %all = emitpy.slice
  %new = emitpy.literal unit
  %axes = emitpy.literal array<i64: 1>
  %m = emitpy.helper "torch.amax"(%x, %axes) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %c = emitpy.subscript %m[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %d = emitpy.binary %x "-" %c : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %e = emitpy.call "torch.exp"(%d) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = emitpy.method %e "sum"(dim = %1) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
  %t = emitpy.subscript %s[%all, %new] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
  %p = emitpy.binary %e "@" %v : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = emitpy.binary %p "/" %t : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %w = emitpy.for (%k < %n, %acc = %r) : !emitpy.object -> tensor<?x?xf64> {
    %y = emitpy.binary %e "*" %t : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
    emitpy.yield %y : tensor<?x?xf64>
  }
  func.return %w : tensor<?x?xf64>
}
// CHECK-LABEL: def average_beside_condition(x, v, b):
// CHECK-NEXT:      p = torch.softmax(x, 1) @ v
// CHECK-NEXT:      acc = average(p, "ij,jk->ik", x, 1, v)
// CHECK-NEXT:      if not b:
// CHECK:               e = torch.exp(

// Matrices that are looked up for each row of a factor; vectors, and a sum over the rows, stay.

func.func @looked_up(%w: tensor<?x?x?xf64>, %p: tensor<?xi64>, %x: tensor<?x?xf64>, %y: tensor<?x?x?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<?x?xf64>) {
  %zero = emitpy.literal 0 : i64
  %0 = emitpy.method %w "index_select"(%zero, %p) : (tensor<?x?x?xf64>, !emitpy.object, tensor<?xi64>) -> tensor<?x?x?xf64>
  %1 = emitpy.literal "ikj,ik->ij"
  %2 = emitpy.tuple(%0, %x) : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> !emitpy.object
  %r = emitpy.helper "torch.sum_of_products"(%1, %2) : (!emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %3 = emitpy.method %x "index_select"(%zero, %p) : (tensor<?x?xf64>, !emitpy.object, tensor<?xi64>) -> tensor<?x?xf64>
  %4 = emitpy.literal "ik,ik->i"
  %5 = emitpy.tuple(%3, %x) : (tensor<?x?xf64>, tensor<?x?xf64>) -> !emitpy.object
  %s = emitpy.helper "torch.sum_of_products"(%4, %5) : (!emitpy.object, !emitpy.object) -> tensor<?xf64>
  %6 = emitpy.method %y "index_select"(%zero, %p) : (tensor<?x?x?xf64>, !emitpy.object, tensor<?xi64>) -> tensor<?x?x?xf64>
  %7 = emitpy.literal "ikj,ik->kj"
  %8 = emitpy.tuple(%6, %x) : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> !emitpy.object
  %t = emitpy.helper "torch.sum_of_products"(%7, %8) : (!emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  func.return %r, %s, %t : tensor<?x?xf64>, tensor<?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: def looked_up(w, p, x, y):
// CHECK-NEXT:      t = sum_of_products("ikj,ik->kj", (y.index_select(0, p), x))
// CHECK-NEXT:      s = sum_of_products("ik,ik->i", (x.index_select(0, p), x))
// CHECK-NEXT:      return products_at("ikj,ik->ij", w, p, x), s, t

// Windows of an array, also in part, are read by the helper that multiplies them; windows with another
// user stay.

func.func @windows(%x: tensor<?x?xf64>, %q: tensor<?x?xf64>, %n: !emitpy.object, %m: !emitpy.object) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?x?xf64>) {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %two = emitpy.literal 2 : i64
  %sizes = emitpy.tuple(%n, %m) : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %steps = emitpy.tuple(%one, %one) : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %0 = emitpy.helper "torch.strided"(%x, %zero, %zero, %sizes, %steps) view : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?x?xf64>
  %1 = emitpy.literal "ijk,ik->ij"
  %2 = emitpy.tuple(%0, %q) : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> !emitpy.object
  %r = emitpy.helper "torch.sum_of_products"(%1, %2) : (!emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %3 = emitpy.helper "torch.strided"(%x, %zero, %one, %sizes, %steps) view : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?x?xf64>
  %4 = emitpy.helper "torch.clipped_slice"(%3, %two, %zero, %n, %one) view : (tensor<?x?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?x?xf64>
  %5 = emitpy.literal "ikj,ik->ij"
  %6 = emitpy.tuple(%4, %r) : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> !emitpy.object
  %s = emitpy.helper "torch.sum_of_products"(%5, %6) : (!emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %w = emitpy.helper "torch.strided"(%x, %zero, %two, %sizes, %steps) view : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?x?xf64>
  %7 = emitpy.tuple(%w, %q) : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> !emitpy.object
  %t = emitpy.helper "torch.sum_of_products"(%1, %7) : (!emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  func.return %r, %s, %t, %w : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?x?xf64>
}
// CHECK-LABEL: def windows(x, q, n, m):
// CHECK:           r = products_of_windows("ijk,ik->ij", x, 0, 0, sizes, steps, q)
// CHECK-NEXT:      t0 = clipped_slice(x, 1, 0, n, 1)
// CHECK-NEXT:      w = strided(x, 0, 2, sizes, steps)
// CHECK-NEXT:      s = products_of_windows("ikj,ik->ij", t0, 0, 1, sizes, steps, r)
// CHECK-NEXT:      return r, s, sum_of_products("ijk,ik->ij", (w, q)), w
