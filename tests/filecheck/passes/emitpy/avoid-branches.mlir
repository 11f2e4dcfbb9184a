// RUN: ein-opt %s --split-input-file -p avoid-branches | filecheck %s
// RUN: ein-opt %s --split-input-file -p avoid-branches -t python | filecheck %s --check-prefix=PYTHON

// Floats that a mask of all elements selects, as a new array and in place.

func.func @select(%c: tensor<?xi1>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %z = emitpy.call "np.where"(%c, %x, %y) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %v = emitpy.call "np.exp"(%y) : (tensor<?xf64>) -> tensor<?xf64>
  %w = emitpy.call_into %v "np.copyto"(%x, where = %c) : (tensor<?xf64>, tensor<?xf64>, tensor<?xi1>) -> tensor<?xf64>
  func.return %z, %w : tensor<?xf64>, tensor<?xf64>
}
// CHECK:      func.func @select(%c: tensor<?xi1>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %z = emitpy.helper "np.choose"(%c, %x, %y) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %v = emitpy.call "np.exp"(%y) : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %w = emitpy.call_into %v "np.choose_into"(%x, where = %c) : (tensor<?xf64>, tensor<?xf64>, tensor<?xi1>) -> tensor<?xf64>
// CHECK-NEXT:   func.return %z, %w : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }
// PYTHON-LABEL: def choose(mask, x, y):
// PYTHON-LABEL: def choose_into(array, values, where):
// PYTHON-LABEL: def select(c, x, y):
// PYTHON-NEXT:      v = np.exp(y)
// PYTHON-NEXT:      choose_into(v, x, where=c)
// PYTHON-NEXT:      return choose(c, x, y), v

// -----

// PyTorch selects into new tensors alone.

func.func @torch(%c: tensor<?xi1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = emitpy.literal 0.0
  %z = emitpy.call "torch.where"(%c, %x, %zero) : (tensor<?xi1>, tensor<?xf32>, !emitpy.object) -> tensor<?xf32>
  func.return %z : tensor<?xf32>
}
// CHECK-LABEL: func.func @torch(
// CHECK:         %z = emitpy.helper "torch.choose"(%c, %x, %zero)

// -----

// There a smaller mask, also one of positions, selects elements or zeros by bits.

func.func @rows(%n: !emitpy.object, %c: tensor<?x1xi1>, %x: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %zero = emitpy.literal 0.0
  %z = emitpy.call "torch.where"(%c, %x, %zero) : (tensor<?x1xi1>, tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %v = emitpy.call "torch.where"(%c, %zero, %x) : (tensor<?x1xi1>, !emitpy.object, tensor<?x?xf64>) -> tensor<?x?xf64>
  %k = emitpy.call "torch.arange"(%n) : (!emitpy.object) -> tensor<?x1xi64>
  %one = emitpy.literal 1
  %m = emitpy.binary %k "<" %one : (tensor<?x1xi64>, !emitpy.object) -> tensor<?x1xi1>
  %w = emitpy.call "torch.where"(%m, %x, %zero) : (tensor<?x1xi1>, tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  func.return %z, %v, %w : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @rows(
// CHECK:         %z = emitpy.helper "torch.choose_rows"(%c, %x, %zero)
// CHECK-NEXT:    %v = emitpy.helper "torch.choose_rows"(%c, %zero, %x)
// CHECK:         %w = emitpy.helper "torch.choose_rows"(%m, %x, %zero)

// -----

// Other numbers, -0.0 too, two arrays, two numbers, and a mask of fewer axes stay.

func.func @other_rows(%c: tensor<?x1xi1>, %d: tensor<?xi1>, %x: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %zero = emitpy.literal 0.0
  %negative = emitpy.literal -0.0
  %one = emitpy.literal 1.0
  %z = emitpy.call "torch.where"(%c, %x, %negative) : (tensor<?x1xi1>, tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %v = emitpy.call "torch.where"(%c, %x, %one) : (tensor<?x1xi1>, tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  %w = emitpy.call "torch.where"(%c, %x, %x) : (tensor<?x1xi1>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %u = emitpy.call "torch.where"(%c, %one, %zero) : (tensor<?x1xi1>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %t = emitpy.call "torch.where"(%d, %x, %zero) : (tensor<?xi1>, tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
  func.return %z, %v, %w, %u, %t : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @other_rows(
// CHECK-NOT:     choose

// -----

// Ints, rows that an element of a mask selects, one number, and a part stay.

func.func @stays(%c: tensor<?xi1>, %m: tensor<?x1xi1>, %b: tensor<i1>, %i: tensor<?xi64>, %x: tensor<?x?xf64>, %y: tensor<f64>, %part: !emitpy.object) -> (tensor<?xi64>, tensor<?x?xf64>, tensor<f64>, tensor<?x?xf64>) {
  %z = emitpy.call "np.where"(%c, %i, %i) : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %v = emitpy.call "np.where"(%m, %x, %x) : (tensor<?x1xi1>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %w = emitpy.call "np.where"(%b, %y, %y) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
  %e = emitpy.call "np.exp"(%x) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %u = emitpy.call_into %e[%part : !emitpy.object] "np.copyto"(%x, where = %m) : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x1xi1>) -> tensor<?x?xf64>
  func.return %z, %v, %w, %u : tensor<?xi64>, tensor<?x?xf64>, tensor<f64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT:    %z = emitpy.call "np.where"
// CHECK-NEXT:    %v = emitpy.call "np.where"
// CHECK-NEXT:    %w = emitpy.call "np.where"
// CHECK-NEXT:    %e = emitpy.call "np.exp"
// CHECK-NEXT:    %u = emitpy.call_into %e[%part : !emitpy.object] "np.copyto"

// -----

// So does a mask of positions: it changes once in each row.

func.func @positions(%n: !emitpy.object, %x: tensor<?xf64>) -> tensor<?xf64> {
  %i = emitpy.call "np.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %three = emitpy.literal 3
  %c = emitpy.binary %i "<" %three : (tensor<?xi64>, !emitpy.object) -> tensor<?xi1>
  %z = emitpy.call "np.where"(%c, %x, %x) : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func @positions(
// CHECK:         %z = emitpy.call "np.where"
