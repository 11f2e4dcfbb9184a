// RUN: ein-opt %s -p hoist-invariants -t python | filecheck %s

// On PyTorch a clamped position raises no error in an axis with elements, and a range none if its size
// is no negative number.
func.func @selected(%a: tensor<?xf64>, %p: tensor<?xi64>, %x: tensor<?xf64>, %n: !emitpy.object, %size: !emitpy.object) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %count = emitpy.call "max"(%size, %zero) : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %filled = emitpy.helper "torch.fill_empty"(%a, %zero) : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %shape = emitpy.attr %filled "shape" : tensor<?xf64> -> !emitpy.object
  %length = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %last = emitpy.binary %length "-" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %0 = emitpy.for (%k < %n, %acc = %x) : !emitpy.object -> tensor<?xf64> {
    %range = emitpy.call "torch.arange"(%count) : (!emitpy.object) -> tensor<?xf64>
    %raises = emitpy.call "torch.arange"(%size) : (!emitpy.object) -> tensor<?xf64>
    %q = emitpy.method %p "clamp"(%zero, %last) : (tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?xi64>
    %y = emitpy.method %filled "index_select"(%zero, %q) : (tensor<?xf64>, !emitpy.object, tensor<?xi64>) -> tensor<?xf64>
    %z = emitpy.method %filled "index_select"(%zero, %p) : (tensor<?xf64>, !emitpy.object, tensor<?xi64>) -> tensor<?xf64>
    %1 = emitpy.binary %acc "+" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %2 = emitpy.binary %1 "+" %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %3 = emitpy.binary %2 "+" %range : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %4 = emitpy.binary %3 "+" %raises : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %4 : tensor<?xf64>
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: def selected(a, p, x, n, size):
// CHECK:           range_ = torch.arange(count)
// CHECK-NEXT:      q = p.clamp(0, last)
// CHECK-NEXT:      y = filled.index_select(0, q)
// CHECK:           for _ in range(n):
// CHECK-NEXT:          raises = torch.arange(size)
// CHECK-NEXT:          z = filled.index_select(0, p)
// CHECK-NEXT:          acc = acc + y + z + range_ + raises

// A slice of a size that may be negative stays, unless its sign is tested before the loop: PyTorch has
// none, and a loop may have no step.
func.func @sliced(%a: tensor<?xf64>, %x: tensor<?xf64>, %n: !emitpy.object, %size: !emitpy.object, %tested: !emitpy.object) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %is_negative = emitpy.binary %tested "<" %zero : (!emitpy.object, !emitpy.object) -> !emitpy.object
  emitpy.raise_if %is_negative, "ValueError", "negative: {}"(%tested) : !emitpy.object, !emitpy.object
  %some = emitpy.conditional %is_negative, %zero, %one : (!emitpy.object, !emitpy.object, !emitpy.object) -> !emitpy.object
  %0 = emitpy.for (%k < %n, %acc = %x) : !emitpy.object -> tensor<?xf64> {
    %u = emitpy.helper "torch.clipped_slice"(%a, %zero, %zero, %tested, %one) view : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    %v = emitpy.helper "torch.clipped_slice"(%a, %zero, %zero, %some, %one) view : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    %w = emitpy.helper "torch.clipped_slice"(%a, %zero, %zero, %size, %one) view : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    %1 = emitpy.binary %acc "+" %u : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %2 = emitpy.binary %1 "+" %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %3 = emitpy.binary %2 "+" %w : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %3 : tensor<?xf64>
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: def sliced(a, x, n, size, tested):
// CHECK:           u = clipped_slice(a, 0, 0, tested, 1)
// CHECK-NEXT:      v = clipped_slice(a, 0, 0, some, 1)
// CHECK:           for _ in range(n):
// CHECK-NEXT:          acc = acc + u + v + clipped_slice(a, 0, 0, size, 1)
