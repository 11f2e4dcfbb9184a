// RUN: ein-opt %s -p fuse-torch-calls -t python | filecheck %s
// RUN: ein-opt %s -p 'fuse-torch-calls{recorded=false}' -t python | filecheck %s --check-prefix=IN-PLACE

// Extremes of slices whose starts are a grid are one call, without the identity; other operands
// remain.

func.func @grid(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %three = emitpy.literal 3 : i64
  %none = emitpy.literal unit
  %two = emitpy.literal 2 : i64
  %b = emitpy.literal -1 : i64
  %all = emitpy.slice
  %even = emitpy.slice(%none, %b, %two : !emitpy.object, !emitpy.object, !emitpy.object)
  %odd = emitpy.slice(%one, %none, %two : !emitpy.object, !emitpy.object, !emitpy.object)
  %low = emitpy.slice(%none, %b : !emitpy.object, !emitpy.object)
  %high = emitpy.slice(%one, %none : !emitpy.object, !emitpy.object)
  %inf = emitpy.name "torch.inf"
  %minus = emitpy.unary "-" %inf : (!emitpy.object) -> !emitpy.object
  %identity = emitpy.call "torch.tensor"(%minus) : (!emitpy.object) -> tensor<f64>
  %a0 = emitpy.subscript %x[%even, %low] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %a1 = emitpy.subscript %x[%even, %high] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %a2 = emitpy.subscript %x[%odd, %low] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %a3 = emitpy.subscript %x[%odd, %high] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %m0 = emitpy.call "torch.maximum"(%identity, %a0) : (tensor<f64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %m1 = emitpy.call "torch.maximum"(%m0, %a3) : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %m2 = emitpy.call "torch.maximum"(%a1, %a2) : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %m3 = emitpy.call "torch.maximum"(%m1, %m2) : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %m4 = emitpy.call "torch.maximum"(%m3, %y) : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %m4 : tensor<?x?xf64>
}
// CHECK-LABEL: def grid(x, y):
// CHECK-NEXT:      {{.*}} = largest_of_windows(x, x[:-1:2, :-1], (0, 0), (2, 2), (1, 1), (2, 1))
// CHECK-NEXT:      return torch.maximum({{.*}}, y)
// IN-PLACE-LABEL: def grid(x, y):
// IN-PLACE-NOT:       largest_of_windows

// Least elements at a distance. Infinity is the identity of the least element alone.

func.func @distant(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %two = emitpy.literal 2 : i64
  %four = emitpy.literal 4 : i64
  %none = emitpy.literal unit
  %m2 = emitpy.literal -2 : i64
  %m4 = emitpy.literal -4 : i64
  %first = emitpy.slice(%none, %m4 : !emitpy.object, !emitpy.object)
  %second = emitpy.slice(%two, %m2 : !emitpy.object, !emitpy.object)
  %third = emitpy.slice(%four, %none : !emitpy.object, !emitpy.object)
  %inf = emitpy.name "torch.inf"
  %top = emitpy.call "torch.tensor"(%inf) : (!emitpy.object) -> tensor<f64>
  %a0 = emitpy.subscript %x[%first] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %a1 = emitpy.subscript %x[%second] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %a2 = emitpy.subscript %x[%third] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %l0 = emitpy.call "torch.minimum"(%top, %a0) : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %l1 = emitpy.call "torch.minimum"(%l0, %a1) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %l2 = emitpy.call "torch.minimum"(%l1, %a2) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %g0 = emitpy.call "torch.maximum"(%top, %a0) : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %g1 = emitpy.call "torch.maximum"(%g0, %a1) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %g2 = emitpy.call "torch.maximum"(%g1, %a2) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %l2, %g2 : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def distant(x):
// CHECK:           {{.*}} = torch.maximum(largest_of_windows(x, {{.*}}, (0,), (3,), (2,), (1,)), top)
// CHECK-NEXT:      return least_of_windows(x, {{.*}}, (0,), (3,), (2,), (1,)), {{.*}}

// Three of four slices are no grid; Ints have no derivatives.

func.func @others(%x: tensor<?xf64>, %k: tensor<?xi64>) -> (tensor<?xf64>, tensor<?xi64>) {
  %one = emitpy.literal 1 : i64
  %two = emitpy.literal 2 : i64
  %three = emitpy.literal 3 : i64
  %none = emitpy.literal unit
  %m1 = emitpy.literal -1 : i64
  %m2 = emitpy.literal -2 : i64
  %m3 = emitpy.literal -3 : i64
  %first = emitpy.slice(%none, %m3 : !emitpy.object, !emitpy.object)
  %second = emitpy.slice(%one, %m2 : !emitpy.object, !emitpy.object)
  %third = emitpy.slice(%two, %m1 : !emitpy.object, !emitpy.object)
  %fourth = emitpy.slice(%three, %none : !emitpy.object, !emitpy.object)
  %a0 = emitpy.subscript %x[%first] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %a1 = emitpy.subscript %x[%second] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %a3 = emitpy.subscript %x[%fourth] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %g1 = emitpy.call "torch.maximum"(%a0, %a1) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %g2 = emitpy.call "torch.maximum"(%g1, %a3) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %k0 = emitpy.subscript %k[%first] : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
  %k1 = emitpy.subscript %k[%second] : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
  %k2 = emitpy.subscript %k[%third] : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
  %h1 = emitpy.call "torch.maximum"(%k0, %k1) : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %h2 = emitpy.call "torch.maximum"(%h1, %k2) : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  func.return %g2, %h2 : tensor<?xf64>, tensor<?xi64>
}
// CHECK-LABEL: def others(x, k):
// CHECK-NOT:       _of_windows

// Where nothing is recorded, a number in place of NaN is one call.

func.func @numbers(%x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %one = emitpy.literal 1.0 : f64
  %same = emitpy.binary %x "==" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
  %differs = emitpy.binary %x "!=" %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
  %0 = emitpy.call "torch.where"(%same, %x, %one) : (tensor<?xi1>, tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %1 = emitpy.call "torch.where"(%differs, %one, %x) : (tensor<?xi1>, !emitpy.object, tensor<?xf64>) -> tensor<?xf64>
  %2 = emitpy.call "torch.where"(%same, %y, %one) : (tensor<?xi1>, tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  func.return %0, %1, %2 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: def numbers(x, y):
// CHECK-NOT:       without_nan
// IN-PLACE-LABEL: def numbers(x, y):
// IN-PLACE:            return without_nan(x, 1.0), without_nan(x, 1.0), torch.where(same, y, 1.0)
