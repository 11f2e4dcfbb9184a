// RUN: ein-opt %s -p use-python-numbers -t python | filecheck %s

// A loop whose positions are elements of arrays has a version for elements in bounds, without clips.
func.func @states(%text: tensor<?xi64>, %table: tensor<?xi64>, %n: tensor<i64>) -> tensor<i64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %shape = emitpy.attr %table "shape" : tensor<?xi64> -> !emitpy.object
  %size = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %last = emitpy.binary %size "-" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %lengths = emitpy.attr %text "shape" : tensor<?xi64> -> !emitpy.object
  %count = emitpy.subscript %lengths[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %start = emitpy.call "np.int64"(%one) : (!emitpy.object) -> tensor<i64>
  %r = emitpy.for (%i < %count, %s = %start) : !emitpy.object -> tensor<i64> {
    %low = emitpy.call "max"(%s, %zero) : (tensor<i64>, !emitpy.object) -> !emitpy.object
    %p = emitpy.call "min"(%low, %last) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %x = emitpy.subscript %table[%p] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %least = emitpy.call "max"(%x, %zero) : (tensor<i64>, !emitpy.object) -> !emitpy.object
    %q = emitpy.call "min"(%least, %last) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %y = emitpy.subscript %table[%q] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    emitpy.yield %y : tensor<i64>
  }
  func.return %r : tensor<i64>
}
// CHECK:       def states(text, table, n):
// CHECK:         is_inside = are_positions(table, last, count) and 1 <= last
// CHECK:         for _ in range(count if is_inside else 0):
// CHECK-NOT:       last
// CHECK:         few = table.shape[0] <= min(2 * t1, 65536)
// CHECK:           last
// CHECK:         return

// An array that steps write has only such positions if it has them before, and steps store them.
func.func @parents(%keys: tensor<?xi64>, %n: !emitpy.object) -> tensor<?xi64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %parents = emitpy.call "np.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %last = emitpy.binary %n "-" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %lengths = emitpy.attr %keys "shape" : tensor<?xi64> -> !emitpy.object
  %count = emitpy.subscript %lengths[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %r = emitpy.for (%i < %count, %p = %parents) : !emitpy.object -> tensor<?xi64> {
    %key = emitpy.subscript %keys[%i] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %low = emitpy.call "max"(%key, %zero) : (tensor<i64>, !emitpy.object) -> !emitpy.object
    %at = emitpy.call "min"(%low, %last) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %x = emitpy.subscript %p[%at] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %least = emitpy.call "max"(%x, %zero) : (tensor<i64>, !emitpy.object) -> !emitpy.object
    %q = emitpy.call "min"(%least, %last) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %y = emitpy.subscript %p[%q] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %new = emitpy.store %p[%i : !emitpy.object], %y : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
    emitpy.yield %new : tensor<?xi64>
  }
  func.return %r : tensor<?xi64>
}
// CHECK:       def parents(keys, n):
// CHECK:         t0 = are_positions(parents_1, last, count)
// CHECK-NEXT:    is_inside = are_positions(keys, last, count) and t0
// CHECK:         for i in range(count if is_inside else 0):
// CHECK-NEXT:        key = t1[i]
// CHECK-NEXT:        t2[i] = t2[t2[key]]

// A number that is not tested is stored: the loop stays alone.
func.func @unknown_parents(%keys: tensor<?xi64>, %n: !emitpy.object) -> tensor<?xi64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %parents = emitpy.call "np.arange"(%n) : (!emitpy.object) -> tensor<?xi64>
  %last = emitpy.binary %n "-" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %lengths = emitpy.attr %keys "shape" : tensor<?xi64> -> !emitpy.object
  %count = emitpy.subscript %lengths[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %r = emitpy.for (%i < %count, %p = %parents) : !emitpy.object -> tensor<?xi64> {
    %key = emitpy.subscript %p[%i] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %low = emitpy.call "max"(%key, %zero) : (tensor<i64>, !emitpy.object) -> !emitpy.object
    %at = emitpy.call "min"(%low, %last) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %x = emitpy.subscript %p[%at] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %least = emitpy.call "max"(%x, %zero) : (tensor<i64>, !emitpy.object) -> !emitpy.object
    %q = emitpy.call "min"(%least, %last) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %y = emitpy.subscript %p[%q] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %sum = emitpy.binary %y "+" %one : (tensor<i64>, !emitpy.object) -> tensor<i64>
    %new = emitpy.store %p[%i : !emitpy.object], %sum : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
    emitpy.yield %new : tensor<?xi64>
  }
  func.return %r : tensor<?xi64>
}
// CHECK:       def unknown_parents(keys, n):
// CHECK-NOT:     are_positions
// CHECK:         return

// A position from an argument is not tested: the loop stays alone.
func.func @from_argument(%text: tensor<?xi64>, %table: tensor<?xi64>, %n: tensor<i64>) -> tensor<i64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %shape = emitpy.attr %table "shape" : tensor<?xi64> -> !emitpy.object
  %size = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %last = emitpy.binary %size "-" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %lengths = emitpy.attr %text "shape" : tensor<?xi64> -> !emitpy.object
  %count = emitpy.subscript %lengths[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %r = emitpy.for (%i < %count, %s = %n) : !emitpy.object -> tensor<i64> {
    %low = emitpy.call "max"(%s, %zero) : (tensor<i64>, !emitpy.object) -> !emitpy.object
    %p = emitpy.call "min"(%low, %last) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %x = emitpy.subscript %table[%p] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    emitpy.yield %x : tensor<i64>
  }
  func.return %r : tensor<i64>
}
// CHECK:       def from_argument(text, table, n):
// CHECK-NOT:     are_positions
// CHECK:         return
