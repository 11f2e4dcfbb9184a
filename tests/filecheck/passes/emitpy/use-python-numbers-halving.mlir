// RUN: ein-opt %s -p use-python-numbers -t python | filecheck %s

// A loop that searches by halves in a loop on numbers is a call.
func.func @piles(%x: tensor<?xf64>, %tops: tensor<?xf64>) -> tensor<i64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %two = emitpy.literal 2 : i64
  %most = emitpy.literal 17592186044416 : i64
  %lengths = emitpy.attr %x "shape" : tensor<?xf64> -> !emitpy.object
  %count = emitpy.subscript %lengths[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %none = emitpy.call "np.int64"(%zero) : (!emitpy.object) -> tensor<i64>
  %r = emitpy.for (%k < %count, %m = %none) : !emitpy.object -> tensor<i64> {
    %more = emitpy.binary %zero "<" %m : (!emitpy.object, tensor<i64>) -> tensor<i1>
    %key = emitpy.subscript %x[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %first = emitpy.call "np.int64"(%zero) : (!emitpy.object) -> tensor<i64>
    %a, %place, %b = emitpy.for conditional (%s < %most, %c = %more, %low = %first, %high = %m) : !emitpy.object -> tensor<i1>, tensor<i64>, tensor<i64> {
      %sum = emitpy.binary %low "+" %high : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %middle = emitpy.binary %sum "//" %two : (tensor<i64>, !emitpy.object) -> tensor<i64>
      %top = emitpy.subscript %tops[%middle] : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
      %less = emitpy.binary %top "<" %key : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %up = emitpy.binary %middle "+" %one : (tensor<i64>, !emitpy.object) -> tensor<i64>
      %next_high = emitpy.conditional %less, %high, %middle : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %next_low = emitpy.conditional %less, %up, %low : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %next = emitpy.binary %next_low "<" %next_high : (tensor<i64>, tensor<i64>) -> tensor<i1>
      emitpy.yield %next, %next_low, %next_high : tensor<i1>, tensor<i64>, tensor<i64>
    }
    %length = emitpy.binary %place "+" %one : (tensor<i64>, !emitpy.object) -> tensor<i64>
    emitpy.yield %length : tensor<i64>
  }
  func.return %r : tensor<i64>
}
// CHECK:       def piles(x, tops):
// CHECK:         for k in range(x.shape[0]):
// CHECK-NEXT:        place = place_by_halves(t1, t0[k], 0, m)
// CHECK-NEXT:        m = place + 1
// CHECK-NEXT:    return

// Another step is another search: it is not after the middle that it goes on.
func.func @others(%x: tensor<?xf64>, %tops: tensor<?xf64>) -> tensor<i64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %two = emitpy.literal 2 : i64
  %most = emitpy.literal 17592186044416 : i64
  %lengths = emitpy.attr %x "shape" : tensor<?xf64> -> !emitpy.object
  %count = emitpy.subscript %lengths[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %none = emitpy.call "np.int64"(%zero) : (!emitpy.object) -> tensor<i64>
  %r = emitpy.for (%k < %count, %m = %none) : !emitpy.object -> tensor<i64> {
    %more = emitpy.binary %zero "<" %m : (!emitpy.object, tensor<i64>) -> tensor<i1>
    %key = emitpy.subscript %x[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %first = emitpy.call "np.int64"(%zero) : (!emitpy.object) -> tensor<i64>
    %a, %place, %b = emitpy.for conditional (%s < %most, %c = %more, %low = %first, %high = %m) : !emitpy.object -> tensor<i1>, tensor<i64>, tensor<i64> {
      %sum = emitpy.binary %low "+" %high : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %middle = emitpy.binary %sum "//" %two : (tensor<i64>, !emitpy.object) -> tensor<i64>
      %top = emitpy.subscript %tops[%middle] : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
      %less = emitpy.binary %top "<" %key : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %up = emitpy.binary %middle "+" %two : (tensor<i64>, !emitpy.object) -> tensor<i64>
      %next_high = emitpy.conditional %less, %high, %middle : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %next_low = emitpy.conditional %less, %up, %low : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %next = emitpy.binary %next_low "<" %next_high : (tensor<i64>, tensor<i64>) -> tensor<i1>
      emitpy.yield %next, %next_low, %next_high : tensor<i1>, tensor<i64>, tensor<i64>
    }
    %length = emitpy.binary %place "+" %one : (tensor<i64>, !emitpy.object) -> tensor<i64>
    emitpy.yield %length : tensor<i64>
  }
  func.return %r : tensor<i64>
}
// CHECK:       def others(x, tops):
// CHECK-NOT:     place_by_halves
// CHECK:         return
