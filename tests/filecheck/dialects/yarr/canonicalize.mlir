// RUN: ein-opt %s -p canonicalize | filecheck %s

// Views ---------------------------------------------------------------------------------------

func.func @transposes_compose(%a: tensor<?x3x5xf64>) -> tensor<5x?x3xf64> {
  %0 = yarr.transpose %a, [1, 2, 0] : tensor<?x3x5xf64> -> tensor<3x5x?xf64>
  %1 = yarr.transpose %0, [1, 2, 0] : tensor<3x5x?xf64> -> tensor<5x?x3xf64>
  func.return %1 : tensor<5x?x3xf64>
}
// CHECK-LABEL: func.func @transposes_compose(
// CHECK-NEXT:   %0 = yarr.transpose %a, [2, 0, 1] : tensor<?x3x5xf64> -> tensor<5x?x3xf64>
// CHECK-NEXT:   func.return %0 : tensor<5x?x3xf64>
// CHECK-NEXT: }

func.func @transposes_cancel(%a: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %0 = yarr.transpose %a, [1, 0] : tensor<?x3xf64> -> tensor<3x?xf64>
  %1 = yarr.transpose %0, [1, 0] : tensor<3x?xf64> -> tensor<?x3xf64>
  func.return %1 : tensor<?x3xf64>
}
// CHECK-LABEL: func.func @transposes_cancel(
// CHECK-NEXT:   func.return %a : tensor<?x3xf64>
// CHECK-NEXT: }

func.func @identity_views(%a: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %0 = yarr.transpose %a, [0, 1] : tensor<?x3xf64> -> tensor<?x3xf64>
  %1 = yarr.squeeze %0, [] : tensor<?x3xf64> -> tensor<?x3xf64>
  %2 = yarr.unsqueeze %1, [] : tensor<?x3xf64> -> tensor<?x3xf64>
  func.return %2 : tensor<?x3xf64>
}
// CHECK-LABEL: func.func @identity_views(
// CHECK-NEXT:   func.return %a : tensor<?x3xf64>
// CHECK-NEXT: }

// A view that forgets a size stays where the type matters, and goes where it does not.
func.func @views_between_types(%a: tensor<3xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %0 = yarr.transpose %a, [0] : tensor<3xf64> -> tensor<?xf64>
  %1 = yarr.transpose %a, [0] : tensor<3xf64> -> tensor<?xf64>
  %2 = yarr.elementwise { math.sqrt } %1 : (tensor<?xf64>) -> tensor<?xf64>
  func.return %0, %2 : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @views_between_types(
// CHECK-NEXT:   %0 = yarr.transpose %a, [0] : tensor<3xf64> -> tensor<?xf64>
// CHECK-NEXT:   %1 = yarr.elementwise { math.sqrt } %a : (tensor<3xf64>) -> tensor<?xf64>
// CHECK-NEXT:   func.return %0, %1 : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }

func.func @squeeze_unsqueeze_cancel(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = yarr.unsqueeze %a, [0, 2] : tensor<?xf64> -> tensor<1x?x1xf64>
  %1 = yarr.squeeze %0, [0, 2] : tensor<1x?x1xf64> -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: func.func @squeeze_unsqueeze_cancel(
// CHECK-NEXT:   func.return %a : tensor<?xf64>
// CHECK-NEXT: }

func.func @squeeze_unsqueeze_cancel_in_part(%a: tensor<?xf64>) -> tensor<?x1xf64> {
  %0 = yarr.unsqueeze %a, [0, 2] : tensor<?xf64> -> tensor<1x?x1xf64>
  %1 = yarr.squeeze %0, [0] : tensor<1x?x1xf64> -> tensor<?x1xf64>
  func.return %1 : tensor<?x1xf64>
}
// CHECK-LABEL: func.func @squeeze_unsqueeze_cancel_in_part(
// CHECK-NEXT:   %0 = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
// CHECK-NEXT:   func.return %0 : tensor<?x1xf64>
// CHECK-NEXT: }

func.func @unsqueeze_squeeze_cancel(%a: tensor<1x?x1xf64>) -> tensor<1x?x1xf64> {
  %0 = yarr.squeeze %a, [0, 2] : tensor<1x?x1xf64> -> tensor<?xf64>
  %1 = yarr.unsqueeze %0, [0, 2] : tensor<?xf64> -> tensor<1x?x1xf64>
  func.return %1 : tensor<1x?x1xf64>
}
// CHECK-LABEL: func.func @unsqueeze_squeeze_cancel(
// CHECK-NEXT:   func.return %a : tensor<1x?x1xf64>
// CHECK-NEXT: }

func.func @squeezes_merge(%a: tensor<1x?x1x3xf64>) -> tensor<?x3xf64> {
  %0 = yarr.squeeze %a, [0] : tensor<1x?x1x3xf64> -> tensor<?x1x3xf64>
  %1 = yarr.squeeze %0, [1] : tensor<?x1x3xf64> -> tensor<?x3xf64>
  func.return %1 : tensor<?x3xf64>
}
// CHECK-LABEL: func.func @squeezes_merge(
// CHECK-NEXT:   %0 = yarr.squeeze %a, [0, 2] : tensor<1x?x1x3xf64> -> tensor<?x3xf64>
// CHECK-NEXT:   func.return %0 : tensor<?x3xf64>
// CHECK-NEXT: }

func.func @unsqueezes_merge(%a: tensor<?xf64>) -> tensor<1x1x?x1xf64> {
  %0 = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %1 = yarr.unsqueeze %0, [0, 1] : tensor<?x1xf64> -> tensor<1x1x?x1xf64>
  func.return %1 : tensor<1x1x?x1xf64>
}
// CHECK-LABEL: func.func @unsqueezes_merge(
// CHECK-NEXT:   %0 = yarr.unsqueeze %a, [0, 1, 3] : tensor<?xf64> -> tensor<1x1x?x1xf64>
// CHECK-NEXT:   func.return %0 : tensor<1x1x?x1xf64>
// CHECK-NEXT: }

func.func @transpose_of_new_axis(%a: tensor<?xf64>) -> tensor<1x?xf64> {
  %0 = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %1 = yarr.transpose %0, [1, 0] : tensor<?x1xf64> -> tensor<1x?xf64>
  func.return %1 : tensor<1x?xf64>
}
// CHECK-LABEL: func.func @transpose_of_new_axis(
// CHECK-NEXT:   %0 = yarr.unsqueeze %a, [0] : tensor<?xf64> -> tensor<1x?xf64>
// CHECK-NEXT:   func.return %0 : tensor<1x?xf64>
// CHECK-NEXT: }

func.func @at_most_two_views(%a: tensor<?x3x1xf64>) -> tensor<1x3x?x1xf64> {
  %0 = yarr.squeeze %a, [2] : tensor<?x3x1xf64> -> tensor<?x3xf64>
  %1 = yarr.unsqueeze %0, [0, 3] : tensor<?x3xf64> -> tensor<1x?x3x1xf64>
  %2 = yarr.transpose %1, [0, 2, 1, 3] : tensor<1x?x3x1xf64> -> tensor<1x3x?x1xf64>
  func.return %2 : tensor<1x3x?x1xf64>
}
// CHECK-LABEL: func.func @at_most_two_views(
// CHECK-NEXT:   %0 = yarr.unsqueeze %a, [0] : tensor<?x3x1xf64> -> tensor<1x?x3x1xf64>
// CHECK-NEXT:   %1 = yarr.transpose %0, [0, 2, 1, 3] : tensor<1x?x3x1xf64> -> tensor<1x3x?x1xf64>
// CHECK-NEXT:   func.return %1 : tensor<1x3x?x1xf64>
// CHECK-NEXT: }

// An axis of unknown size is squeezed under the promise that its size is 1, which must stay.
func.func @squeeze_of_unknown_size(%a: tensor<?x?xf64>) -> tensor<1x?xf64> {
  %0 = yarr.squeeze %a, [0] : tensor<?x?xf64> -> tensor<?xf64>
  %1 = yarr.unsqueeze %0, [0] : tensor<?xf64> -> tensor<1x?xf64>
  func.return %1 : tensor<1x?xf64>
}
// CHECK-LABEL: func.func @squeeze_of_unknown_size(
// CHECK-NEXT:   %0 = yarr.squeeze %a, [0] : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %1 = yarr.unsqueeze %0, [0] : tensor<?xf64> -> tensor<1x?xf64>
// CHECK-NEXT:   func.return %1 : tensor<1x?xf64>
// CHECK-NEXT: }

// Sizes ---------------------------------------------------------------------------------------

func.func @size_of_static_axis(%a: tensor<?x3xf64>) -> tensor<i64> {
  %0 = yarr.size %a, 1 : tensor<?x3xf64>
  func.return %0 : tensor<i64>
}
// CHECK-LABEL: func.func @size_of_static_axis(
// CHECK-NEXT:   %0 = arith.constant dense<3> : tensor<i64>
// CHECK-NEXT:   func.return %0 : tensor<i64>
// CHECK-NEXT: }

func.func @size_of_views(%a: tensor<?x1x?xf64>) -> tensor<i64> {
  %0 = yarr.transpose %a, [2, 1, 0] : tensor<?x1x?xf64> -> tensor<?x1x?xf64>
  %1 = yarr.squeeze %0, [1] : tensor<?x1x?xf64> -> tensor<?x?xf64>
  %2 = yarr.unsqueeze %1, [1, 3] : tensor<?x?xf64> -> tensor<?x1x?x1xf64>
  %3 = yarr.size %2, 2 : tensor<?x1x?x1xf64>
  func.return %3 : tensor<i64>
}
// CHECK-LABEL: func.func @size_of_views(
// CHECK-NEXT:   %0 = yarr.size %a, 0 : tensor<?x1x?xf64>
// CHECK-NEXT:   func.return %0 : tensor<i64>
// CHECK-NEXT: }

func.func @size_of_range(%n: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %m = yarr.assert_size %n, "size of index i"
  %0 = yarr.range %m : tensor<?xi64>
  %1 = yarr.size %0, 0 : tensor<?xi64>
  // The range of a negative size is an error, and not of that size.
  %2 = yarr.range %n : tensor<?xi64>
  %3 = yarr.size %2, 0 : tensor<?xi64>
  func.return %1, %3 : tensor<i64>, tensor<i64>
}
// CHECK-LABEL: func.func @size_of_range(
// CHECK-NEXT:   %m = yarr.assert_size %n, "size of index i"
// CHECK-NEXT:   %0 = yarr.range %n : tensor<?xi64>
// CHECK-NEXT:   %1 = yarr.size %0, 0 : tensor<?xi64>
// CHECK-NEXT:   func.return %m, %1 : tensor<i64>, tensor<i64>
// CHECK-NEXT: }

func.func @size_of_repeat(%a: tensor<1x?xf64>, %n: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %m = yarr.assert_size %n, "size of index i"
  %0 = yarr.repeat %a, 0, %m : tensor<1x?xf64> -> tensor<?x?xf64>
  %1 = yarr.size %0, 0 : tensor<?x?xf64>
  %2 = yarr.size %0, 1 : tensor<?x?xf64>
  func.return %1, %2 : tensor<i64>, tensor<i64>
}
// CHECK-LABEL: func.func @size_of_repeat(
// CHECK-NEXT:   %m = yarr.assert_size %n, "size of index i"
// CHECK-NEXT:   %0 = yarr.size %a, 1 : tensor<1x?xf64>
// CHECK-NEXT:   func.return %m, %0 : tensor<i64>, tensor<i64>
// CHECK-NEXT: }

func.func @size_of_parts(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %m = yarr.assert_size %n, "size of index i"
  %0 = yarr.slice %a, 0, %n, %m step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.pad %0, 0, %n, %n : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.fill_empty %1, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
  %3 = yarr.concat %2, %b axis 0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.size %0, 0 : tensor<?x?xf64>
  %5 = yarr.size %3, 0 : tensor<?x?xf64>
  %6 = yarr.size %3, 1 : tensor<?x?xf64>
  func.return %4, %5, %6 : tensor<i64>, tensor<i64>, tensor<i64>
}
// CHECK-LABEL: func.func @size_of_parts(
// CHECK-NEXT:   %m = yarr.assert_size %n, "size of index i"
// CHECK-NEXT:   %0 = yarr.slice %a, 0, %n, %m step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %1 = yarr.pad %0, 0, %n, %n : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %2 = yarr.fill_empty %1, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %3 = yarr.concat %2, %b axis 0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %4 = yarr.size %3, 0 : tensor<?x?xf64>
// CHECK-NEXT:   %5 = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:   func.return %m, %4, %5 : tensor<i64>, tensor<i64>, tensor<i64>
// CHECK-NEXT: }

func.func @size_at_positions(%a: tensor<?x?x?xf64>, %p: tensor<?x1xi64>, %q: tensor<1x?xi64>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %0 = yarr.gather %a[%p, %q] : (tensor<?x?x?xf64>, tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?x?xf64>
  %1 = yarr.size %0, 1 : tensor<?x?x?xf64>
  %2 = yarr.size %0, 2 : tensor<?x?x?xf64>
  %3 = yarr.take %a, 1, %q : (tensor<?x?x?xf64>, tensor<1x?xi64>) -> tensor<?x1x?x?xf64>
  %4 = yarr.size %3, 2 : tensor<?x1x?x?xf64>
  %5 = yarr.size %3, 3 : tensor<?x1x?x?xf64>
  func.return %1, %2, %4, %5 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}
// CHECK-LABEL: func.func @size_at_positions(
// CHECK-NEXT:   %0 = yarr.size %q, 1 : tensor<1x?xi64>
// CHECK-NEXT:   %1 = yarr.size %a, 2 : tensor<?x?x?xf64>
// CHECK-NEXT:   %2 = yarr.size %q, 1 : tensor<1x?xi64>
// CHECK-NEXT:   %3 = yarr.size %a, 2 : tensor<?x?x?xf64>
// CHECK-NEXT:   func.return %0, %1, %2, %3 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
// CHECK-NEXT: }

func.func @size_of_scalar_functions(%a: tensor<?x1xf64>, %b: tensor<1x?xf64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %0 = yarr.elementwise { arith.addf } %a, %b : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.reduce %0, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %2 = yarr.einsum "ij,jk->ki" %a, %b : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.size %0, 0 : tensor<?x?xf64>
  %4 = yarr.size %1, 0 : tensor<?xf64>
  %5 = yarr.size %2, 0 : tensor<?x?xf64>
  func.return %3, %4, %5 : tensor<i64>, tensor<i64>, tensor<i64>
}
// CHECK-LABEL: func.func @size_of_scalar_functions(
// CHECK-NEXT:   %0 = yarr.size %a, 0 : tensor<?x1xf64>
// CHECK-NEXT:   %1 = yarr.size %b, 1 : tensor<1x?xf64>
// CHECK-NEXT:   %2 = yarr.size %b, 1 : tensor<1x?xf64>
// CHECK-NEXT:   func.return %0, %1, %2 : tensor<i64>, tensor<i64>, tensor<i64>
// CHECK-NEXT: }

func.func @equal_sizes(%a: tensor<?xf64>, %b: tensor<4xf64>, %n: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %0 = yarr.assert_eq %n, %n, "the same value"
  %1 = yarr.size %a, 0 : tensor<?xf64>
  %2 = yarr.size %a, 0 : tensor<?xf64>
  %3 = yarr.assert_eq %1, %2, "the same size"
  %4 = yarr.size %b, 0 : tensor<4xf64>
  %c = arith.constant dense<4> : tensor<i64>
  %5 = yarr.assert_eq %4, %c, "the same number"
  func.return %0, %3, %5 : tensor<i64>, tensor<i64>, tensor<i64>
}
// CHECK-LABEL: func.func @equal_sizes(
// CHECK-NEXT:   %0 = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:   %1 = arith.constant dense<4> : tensor<i64>
// CHECK-NEXT:   func.return %n, %0, %1 : tensor<i64>, tensor<i64>, tensor<i64>
// CHECK-NEXT: }

func.func @equal_sizes_again(%m: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  %0 = yarr.assert_eq %m, %n, "once"
  %1 = yarr.assert_eq %n, %0, "again"
  func.return %1 : tensor<i64>
}
// CHECK-LABEL: func.func @equal_sizes_again(
// CHECK-NEXT:   %0 = yarr.assert_eq %m, %n, "once"
// CHECK-NEXT:   func.return %0 : tensor<i64>
// CHECK-NEXT: }

func.func @arithmetic_of_asserted(%m: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  %0 = yarr.assert_eq %m, %n, "equal"
  %1 = yarr.elementwise { arith.muli } %0, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
  func.return %1 : tensor<i64>
}
// CHECK-LABEL: func.func @arithmetic_of_asserted(
// CHECK-NEXT:   %0 = yarr.assert_eq %m, %n, "equal"
// CHECK-NEXT:   %1 = yarr.elementwise { arith.muli } %m, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:   func.return %1 : tensor<i64>
// CHECK-NEXT: }

func.func @other_sizes(%a: tensor<?x?xf64>) -> tensor<i64> {
  %0 = yarr.size %a, 0 : tensor<?x?xf64>
  %1 = yarr.size %a, 1 : tensor<?x?xf64>
  %2 = yarr.assert_eq %0, %1, "a square"
  func.return %2 : tensor<i64>
}
// CHECK-LABEL: func.func @other_sizes(
// CHECK-NEXT:   %0 = yarr.size %a, 0 : tensor<?x?xf64>
// CHECK-NEXT:   %1 = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:   %2 = yarr.assert_eq %0, %1, "a square"
// CHECK-NEXT:   func.return %2 : tensor<i64>
// CHECK-NEXT: }

func.func @checked_sizes(%a: tensor<?xf64>, %b: tensor<?xf64>, %n: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %0 = yarr.size %a, 0 : tensor<?xf64>
  %1 = yarr.assert_size %0, "of an array"
  %c = arith.constant dense<0> : tensor<i64>
  %2 = yarr.assert_size %c, "of a constant"
  %p = yarr.elementwise { arith.maxsi } %n, %c : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %3 = yarr.elementwise { arith.minsi } %p, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %4 = yarr.assert_size %3, "of a clipped Int"
  %5 = yarr.assert_eq %n, %0, "equal to a size"
  %6 = yarr.assert_size %5, "of an equation"
  %m = yarr.size %b, 0 : tensor<?xf64>
  %s = yarr.elementwise { arith.addi } %0, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %7 = yarr.assert_size %s, "of a sum of sizes"
  func.return %1, %2, %4, %6, %7 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}
// CHECK-LABEL: func.func @checked_sizes(
// CHECK-NEXT:   %0 = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:   %c = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %p = yarr.elementwise { arith.maxsi } %n, %c : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:   %1 = yarr.elementwise { arith.minsi } %p, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:   %2 = yarr.assert_eq %n, %0, "equal to a size"
// CHECK-NEXT:   %m = yarr.size %b, 0 : tensor<?xf64>
// CHECK-NEXT:   %s = yarr.elementwise { arith.addi } %0, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:   func.return %0, %c, %1, %2, %s : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
// CHECK-NEXT: }

func.func @unknown_sizes(%n: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %c = arith.constant dense<0> : tensor<i64>
  %0 = yarr.elementwise { arith.maxsi } %n, %c : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = yarr.assert_size %0, "may be too large"
  %d = arith.constant dense<-1> : tensor<i64>
  %2 = yarr.assert_size %d, "negative"
  %e = arith.constant dense<9223372036854775807> : tensor<i64>
  %3 = yarr.assert_size %e, "too large"
  func.return %1, %2, %3 : tensor<i64>, tensor<i64>, tensor<i64>
}
// CHECK-LABEL: func.func @unknown_sizes(
// CHECK:         yarr.assert_size %0, "may be too large"
// CHECK:         yarr.assert_size %d, "negative"
// CHECK:         yarr.assert_size %e, "too large"

// Elements of one array -----------------------------------------------------------------------

func.func @slice_all(%a: tensor<?xf64>, %b: tensor<4xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %zero = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %0 = yarr.slice %a, 0, %zero, %n step 1 : tensor<?xf64> -> tensor<?xf64>
  %m = arith.constant dense<4> : tensor<i64>
  %1 = yarr.slice %b, 0, %zero, %m step 1 : tensor<4xf64> -> tensor<?xf64>
  %2 = yarr.elementwise { math.sqrt } %1 : (tensor<?xf64>) -> tensor<?xf64>
  %3 = yarr.slice %a, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  func.return %0, %2, %3 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @slice_all(
// CHECK-NEXT:   %zero = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %m = arith.constant dense<4> : tensor<i64>
// CHECK-NEXT:   %0 = yarr.elementwise { math.sqrt } %b : (tensor<4xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = yarr.slice %a, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:   func.return %a, %0, %1 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }

func.func @slice_of_slice(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %five = arith.constant dense<5> : tensor<i64>
  %0 = yarr.slice %a, 0, %five, %n step 3 : tensor<?xf64> -> tensor<?xf64>
  %1 = yarr.slice %0, 0, %one, %n step -2 : tensor<?xf64> -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: func.func @slice_of_slice(
// CHECK-NEXT:   %0 = arith.constant dense<8> : tensor<i64>
// CHECK-NEXT:   %1 = yarr.slice %a, 0, %0, %n step -6 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:   func.return %1 : tensor<?xf64>
// CHECK-NEXT: }

func.func @slice_of_slice_that_clips(%a: tensor<?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %one = arith.constant dense<1> : tensor<i64>
  %0 = yarr.slice %a, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
  %1 = yarr.slice %0, 0, %one, %n step 1 : tensor<?xf64> -> tensor<?xf64>
  %2 = yarr.slice %0, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
  func.return %1, %2 : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @slice_of_slice_that_clips(
// CHECK-NEXT:   %one = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:   %0 = yarr.slice %a, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %1 = arith.constant dense<2> : tensor<i64>
// CHECK-NEXT:   %2 = yarr.slice %a, 0, %1, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %3 = yarr.slice %0, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:   func.return %2, %3 : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }

func.func @pad_nothing(%a: tensor<?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %zero = arith.constant dense<0> : tensor<i64>
  %0 = yarr.pad %a, 0, %zero, %zero : tensor<?xf64> -> tensor<?xf64>
  %1 = yarr.pad %a, 0, %zero, %n : tensor<?xf64> -> tensor<?xf64>
  func.return %0, %1 : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @pad_nothing(
// CHECK-NEXT:   %zero = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %0 = yarr.pad %a, 0, %zero, %n : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:   func.return %a, %0 : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }

func.func @fill_empty(%a: tensor<?x3xf64>, %b: tensor<0xf64>) -> (tensor<?x3xf64>, tensor<?x3xf64>, tensor<1xf64>) {
  %0 = yarr.fill_empty %a, 1 : tensor<?x3xf64> -> tensor<?x3xf64>
  %1 = yarr.fill_empty %a, 0 : tensor<?x3xf64> -> tensor<?x3xf64>
  %2 = yarr.fill_empty %1, 0 : tensor<?x3xf64> -> tensor<?x3xf64>
  %3 = yarr.fill_empty %b, 0 : tensor<0xf64> -> tensor<1xf64>
  func.return %0, %2, %3 : tensor<?x3xf64>, tensor<?x3xf64>, tensor<1xf64>
}
// CHECK-LABEL: func.func @fill_empty(
// CHECK-NEXT:   %0 = yarr.fill_empty %a, 0 : tensor<?x3xf64> -> tensor<?x3xf64>
// CHECK-NEXT:   %1 = yarr.fill_empty %b, 0 : tensor<0xf64> -> tensor<1xf64>
// CHECK-NEXT:   func.return %a, %0, %1 : tensor<?x3xf64>, tensor<?x3xf64>, tensor<1xf64>
// CHECK-NEXT: }

func.func @concat_one(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = yarr.concat %a axis 0 : (tensor<?xf64>) -> tensor<?xf64>
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @concat_one(
// CHECK-NEXT:   func.return %a : tensor<?xf64>
// CHECK-NEXT: }

func.func @concat_of_concat(%a: tensor<?xf64>, %b: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<?x?xf64>, tensor<i64>) {
  %0 = yarr.concat %a, %a axis 0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m = yarr.assert_size %n, "m"
  %1 = yarr.concat %0, %a axis 0 of %m : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = yarr.concat %b, %b axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.concat %2, %b axis 0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.size %1, 0 : tensor<?xf64>
  func.return %1, %3, %4 : tensor<?xf64>, tensor<?x?xf64>, tensor<i64>
}
// CHECK-LABEL: func.func @concat_of_concat(
// CHECK-NEXT:   %m = yarr.assert_size %n, "m"
// CHECK-NEXT:   %0 = yarr.concat %a, %a, %a axis 0 of %m : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = yarr.concat %b, %b axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %2 = yarr.concat %1, %b axis 0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %0, %2, %m : tensor<?xf64>, tensor<?x?xf64>, tensor<i64>
// CHECK-NEXT: }

func.func @repeat_once(%a: tensor<1x?xf64>) -> tensor<?x?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %0 = yarr.repeat %a, 0, %one : tensor<1x?xf64> -> tensor<?x?xf64>
  %1 = yarr.elementwise { math.sqrt } %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %1 : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @repeat_once(
// CHECK-NEXT:   %one = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:   %0 = yarr.elementwise { math.sqrt } %a : (tensor<1x?xf64>) -> tensor<1x?xf64>
// CHECK-NEXT:   %1 = yarr.repeat %0, 0, %one : tensor<1x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %1 : tensor<?x?xf64>
// CHECK-NEXT: }

// Elements at positions -----------------------------------------------------------------------

func.func @gather_is_take(%a: tensor<?x3xf64>, %p: tensor<?x?xi64>) -> (tensor<?x?x3xf64>, tensor<?x?x3xf64>) {
  %0 = yarr.gather %a[%p] : (tensor<?x3xf64>, tensor<?x?xi64>) -> tensor<?x?x3xf64>
  %1 = yarr.gather %a[%p] in_bounds [0] : (tensor<?x3xf64>, tensor<?x?xi64>) -> tensor<?x?x3xf64>
  func.return %0, %1 : tensor<?x?x3xf64>, tensor<?x?x3xf64>
}
// CHECK-LABEL: func.func @gather_is_take(
// CHECK-NEXT:   %0 = yarr.take %a, 0, %p : (tensor<?x3xf64>, tensor<?x?xi64>) -> tensor<?x?x3xf64>
// CHECK-NEXT:   %1 = yarr.take %a, 0, %p in_bounds : (tensor<?x3xf64>, tensor<?x?xi64>) -> tensor<?x?x3xf64>
// CHECK-NEXT:   func.return %0, %1 : tensor<?x?x3xf64>, tensor<?x?x3xf64>
// CHECK-NEXT: }

func.func @take_all(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 1 : tensor<?x?xf64>
  %i = yarr.range %n : tensor<?xi64>
  %0 = yarr.take %a, 1, %i : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  func.return %0 : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @take_all(
// CHECK-NEXT:   func.return %a : tensor<?x?xf64>
// CHECK-NEXT: }

func.func @take_in_bounds(%a: tensor<3x?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<3xf64>) {
  %two = arith.constant dense<2> : tensor<i64>
  %three = arith.constant dense<3> : tensor<i64>
  %0 = yarr.take %a, 0, %two : (tensor<3x?xf64>, tensor<i64>) -> tensor<?xf64>
  %1 = yarr.take %a, 0, %three : (tensor<3x?xf64>, tensor<i64>) -> tensor<?xf64>
  %2 = yarr.take %a, 1, %two : (tensor<3x?xf64>, tensor<i64>) -> tensor<3xf64>
  func.return %0, %1, %2 : tensor<?xf64>, tensor<?xf64>, tensor<3xf64>
}
// CHECK-LABEL: func.func @take_in_bounds(
// CHECK-NEXT:   %two = arith.constant dense<2> : tensor<i64>
// CHECK-NEXT:   %three = arith.constant dense<3> : tensor<i64>
// CHECK-NEXT:   %0 = yarr.take %a, 0, %two in_bounds : (tensor<3x?xf64>, tensor<i64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = yarr.take %a, 0, %three : (tensor<3x?xf64>, tensor<i64>) -> tensor<?xf64>
// CHECK-NEXT:   %2 = yarr.take %a, 1, %two : (tensor<3x?xf64>, tensor<i64>) -> tensor<3xf64>
// CHECK-NEXT:   func.return %0, %1, %2 : tensor<?xf64>, tensor<?xf64>, tensor<3xf64>
// CHECK-NEXT: }

// Scalar functions ----------------------------------------------------------------------------

func.func @identity(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = yarr.elementwise (%x = %a) : (tensor<?xf64>) -> tensor<?xf64> {
    yarr.yield %x : f64
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @identity(
// CHECK-NEXT:   func.return %a : tensor<?xf64>
// CHECK-NEXT: }

func.func @repeated_operands(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %0 = yarr.elementwise (%x = %a, %y = %b, %z = %a) : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64> {
    %1 = arith.mulf %x, %y : f64
    %2 = arith.addf %1, %z : f64
    yarr.yield %2 : f64
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @repeated_operands(
// CHECK-NEXT:   %0 = yarr.elementwise (%x = %a, %y = %b) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:     %1 = arith.mulf %x, %y : f64
// CHECK-NEXT:     %2 = arith.addf %1, %x : f64
// CHECK-NEXT:     yarr.yield %2 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %0 : tensor<?xf64>
// CHECK-NEXT: }

func.func @unused_operands(%a: tensor<?x1xf64>, %b: tensor<?x3xf64>, %c: tensor<1x1xf64>) -> tensor<?x3xf64> {
  %0 = yarr.elementwise (%x = %a, %y = %b, %z = %c) : (tensor<?x1xf64>, tensor<?x3xf64>, tensor<1x1xf64>) -> tensor<?x3xf64> {
    yarr.yield %x : f64
  }
  func.return %0 : tensor<?x3xf64>
}
// CHECK-LABEL: func.func @unused_operands(
// CHECK-NEXT:   %0 = yarr.elementwise (%x = %a, %y = %b) : (tensor<?x1xf64>, tensor<?x3xf64>) -> tensor<?x3xf64> {
// CHECK-NEXT:     yarr.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %0 : tensor<?x3xf64>
// CHECK-NEXT: }

func.func @unused_scalar_operand(%a: tensor<i64>) -> tensor<i64> {
  %0 = yarr.elementwise (%x = %a) : (tensor<i64>) -> tensor<i64> {
    %1 = arith.constant 1 : i64
    yarr.yield %1 : i64
  }
  func.return %0 : tensor<i64>
}
// CHECK-LABEL: func.func @unused_scalar_operand(
// CHECK-NEXT:   %0 = yarr.elementwise () : () -> tensor<i64> {
// CHECK-NEXT:     %1 = arith.constant 1 : i64
// CHECK-NEXT:     yarr.yield %1 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %0 : tensor<i64>
// CHECK-NEXT: }

func.func @reduce_one(%a: tensor<?x1x1xf64>) -> (tensor<?xf64>, tensor<f64>) {
  %0 = yarr.reduce %a, [1, 2] by { arith.addf } : tensor<?x1x1xf64> -> tensor<?xf64>
  %1 = yarr.reduce %a, [0, 1, 2] by { arith.addf } : tensor<?x1x1xf64> -> tensor<f64>
  func.return %0, %1 : tensor<?xf64>, tensor<f64>
}
// CHECK-LABEL: func.func @reduce_one(
// CHECK-NEXT:   %0 = yarr.squeeze %a, [1, 2] : tensor<?x1x1xf64> -> tensor<?xf64>
// CHECK-NEXT:   %1 = yarr.reduce %a, [0, 1, 2] by { arith.addf } : tensor<?x1x1xf64> -> tensor<f64>
// CHECK-NEXT:   func.return %0, %1 : tensor<?xf64>, tensor<f64>
// CHECK-NEXT: }

func.func @reduce_of_reduce(%a: tensor<?x?x?x?xf64>) -> tensor<?xf64> {
  %0 = yarr.reduce %a, [1] by { arith.maximumf } : tensor<?x?x?x?xf64> -> tensor<?x?x?xf64>
  %1 = yarr.reduce %0, [0, 2] by { arith.maximumf } : tensor<?x?x?xf64> -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: func.func @reduce_of_reduce(
// CHECK-NEXT:   %0 = yarr.reduce %a, [0, 1, 3] by { arith.maximumf } : tensor<?x?x?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   func.return %0 : tensor<?xf64>
// CHECK-NEXT: }

// Products of floats are not regrouped.
func.func @product_of_products(%a: tensor<?x?xf64>) -> tensor<f64> {
  %0 = yarr.reduce %a, [1] by { arith.mulf } : tensor<?x?xf64> -> tensor<?xf64>
  %1 = yarr.reduce %0, [0] by { arith.mulf } : tensor<?xf64> -> tensor<f64>
  func.return %1 : tensor<f64>
}
// CHECK-LABEL: func.func @product_of_products(
// CHECK-NEXT:   %0 = yarr.reduce %a, [1] by { arith.mulf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %1 = yarr.reduce %0, [0] by { arith.mulf } : tensor<?xf64> -> tensor<f64>

func.func @reduce_of_other_reduce(%a: tensor<?x?xf64>) -> (tensor<f64>, tensor<f64>, tensor<?xf64>) {
  %0 = yarr.reduce %a, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
  %1 = yarr.reduce %0, [0] by { arith.minimumf } : tensor<?xf64> -> tensor<f64>
  // The inner reduction would be computed twice.
  %2 = yarr.reduce %0, [0] by { arith.maximumf } : tensor<?xf64> -> tensor<f64>
  func.return %1, %2, %0 : tensor<f64>, tensor<f64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @reduce_of_other_reduce(
// CHECK-NEXT:   %0 = yarr.reduce %a, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %1 = yarr.reduce %0, [0] by { arith.minimumf } : tensor<?xf64> -> tensor<f64>
// CHECK-NEXT:   %2 = yarr.reduce %0, [0] by { arith.maximumf } : tensor<?xf64> -> tensor<f64>
// CHECK-NEXT:   func.return %1, %2, %0 : tensor<f64>, tensor<f64>, tensor<?xf64>
// CHECK-NEXT: }

func.func @einsum_is_transpose(%a: tensor<?x3x5xf64>) -> (tensor<5x?x3xf64>, tensor<?x3x5xf64>, tensor<?x3xf64>) {
  %0 = yarr.einsum "ijk->kij" %a : (tensor<?x3x5xf64>) -> tensor<5x?x3xf64>
  %1 = yarr.einsum "ijk->ijk" %a : (tensor<?x3x5xf64>) -> tensor<?x3x5xf64>
  %2 = yarr.einsum "ijk->ij" %a : (tensor<?x3x5xf64>) -> tensor<?x3xf64>
  func.return %0, %1, %2 : tensor<5x?x3xf64>, tensor<?x3x5xf64>, tensor<?x3xf64>
}
// CHECK-LABEL: func.func @einsum_is_transpose(
// CHECK-NEXT:   %0 = yarr.transpose %a, [2, 0, 1] : tensor<?x3x5xf64> -> tensor<5x?x3xf64>
// CHECK-NEXT:   %1 = yarr.einsum "ijk->ij" %a : (tensor<?x3x5xf64>) -> tensor<?x3xf64>
// CHECK-NEXT:   func.return %0, %a, %1 : tensor<5x?x3xf64>, tensor<?x3x5xf64>, tensor<?x3xf64>
// CHECK-NEXT: }

func.func @einsum_of_diagonal(%a: tensor<?x?xf64>) -> tensor<?xf64> {
  %0 = yarr.einsum "ii->i" %a : (tensor<?x?xf64>) -> tensor<?xf64>
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @einsum_of_diagonal(
// CHECK-NEXT:   %0 = yarr.einsum "ii->i" %a : (tensor<?x?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   func.return %0 : tensor<?xf64>
// CHECK-NEXT: }

// Loops ---------------------------------------------------------------------------------------

func.func @unused_accumulators_of_while(%a: tensor<?xf64>, %on: tensor<i1>, %n: tensor<i64>) -> tensor<?xf64> {
  // Nothing needs %y; the condition is needed, and %z for it.
  %0, %1, %2, %3 = yarr.while (%k < %n, %more = %on, %x = %a, %y = %a, %z = %on) -> tensor<i1>, tensor<?xf64>, tensor<?xf64>, tensor<i1> {
    %4 = yarr.elementwise { math.sqrt } %x : (tensor<?xf64>) -> tensor<?xf64>
    %5 = yarr.elementwise { arith.addf } %y, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %6 = yarr.elementwise { arith.andi } %z, %more : (tensor<i1>, tensor<i1>) -> tensor<i1>
    yarr.yield %z, %4, %5, %6 : tensor<i1>, tensor<?xf64>, tensor<?xf64>, tensor<i1>
  }
  func.return %1 : tensor<?xf64>
}
// CHECK-LABEL: func.func @unused_accumulators_of_while(
// CHECK-NEXT:   %0, %1, %2 = yarr.while (%k < %n, %more = %on, %x = %a, %z = %on) -> tensor<i1>, tensor<?xf64>, tensor<i1> {
// CHECK-NEXT:     %3 = yarr.elementwise { math.sqrt } %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %4 = yarr.elementwise { arith.andi } %z, %more : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT:     yarr.yield %z, %3, %4 : tensor<i1>, tensor<?xf64>, tensor<i1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %1 : tensor<?xf64>
// CHECK-NEXT: }

func.func @unused_accumulators(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  // Nothing needs %y; %z is needed for %x only.
  %0, %1, %2 = yarr.fold (%k < %n, %x = %a, %y = %a, %z = %n) -> tensor<?xf64>, tensor<?xf64>, tensor<i64> {
    %3 = yarr.take %x, 0, %z : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %4 = yarr.unsqueeze %3, [0] : tensor<f64> -> tensor<1xf64>
    %5 = yarr.elementwise { arith.addf } %x, %4 : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
    %6 = yarr.elementwise { arith.mulf } %y, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %7 = yarr.elementwise { arith.muli } %z, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    yarr.yield %5, %6, %7 : tensor<?xf64>, tensor<?xf64>, tensor<i64>
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @unused_accumulators(
// CHECK-NEXT:   %0, %1 = yarr.fold (%k < %n, %x = %a, %z = %n) -> tensor<?xf64>, tensor<i64> {
// CHECK-NEXT:     %2 = yarr.take %x, 0, %z : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
// CHECK-NEXT:     %3 = yarr.unsqueeze %2, [0] : tensor<f64> -> tensor<1xf64>
// CHECK-NEXT:     %4 = yarr.elementwise { arith.addf } %x, %3 : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %5 = yarr.elementwise { arith.muli } %z, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     yarr.yield %4, %5 : tensor<?xf64>, tensor<i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %0 : tensor<?xf64>
// CHECK-NEXT: }

func.func @accumulator_that_is_checked(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %0, %1, %2 = yarr.fold (%k < %n, %x = %a, %y = %n, %z = %n) -> tensor<?xf64>, tensor<i64>, tensor<i64> {
    %3 = yarr.elementwise { math.sqrt } %x : (tensor<?xf64>) -> tensor<?xf64>
    %4 = yarr.elementwise { arith.addi } %y, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %5 = yarr.elementwise { arith.addi } %z, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %6 = yarr.assert_size %y, "size of index i"
    yarr.yield %3, %4, %5 : tensor<?xf64>, tensor<i64>, tensor<i64>
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @accumulator_that_is_checked(
// CHECK-NEXT:   %0, %1 = yarr.fold (%k < %n, %x = %a, %y = %n) -> tensor<?xf64>, tensor<i64> {
// CHECK-NEXT:     %2 = yarr.elementwise { math.sqrt } %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     %3 = yarr.elementwise { arith.addi } %y, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:     %4 = yarr.assert_size %y, "size of index i"
// CHECK-NEXT:     yarr.yield %2, %3 : tensor<?xf64>, tensor<i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %0 : tensor<?xf64>
// CHECK-NEXT: }

func.func @unused_loop(%a: tensor<?xf64>, %n: tensor<i64>) {
  %0 = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    %1 = yarr.elementwise { arith.addf } %x, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %1 : tensor<?xf64>
  }
  func.return
}
// CHECK-LABEL: func.func @unused_loop(
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

func.func @invariant_accumulators(%a: tensor<?xf64>, %b: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %0, %1 = yarr.fold (%k < %n, %x = %a, %y = %b) -> tensor<?xf64>, tensor<?xf64> {
    %2 = yarr.elementwise { arith.addf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %2, %y : tensor<?xf64>, tensor<?xf64>
  }
  func.return %0, %1 : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @invariant_accumulators(
// CHECK-NEXT:   %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:   %0 = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
// CHECK-NEXT:     %1 = yarr.elementwise { arith.addf } %x, %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:     yarr.yield %1 : tensor<?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %0, %b : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }

// A negative count is an error, so the result of the loop stays.
func.func @invariant_accumulator_of_unknown_count(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %0 = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    yarr.yield %x : tensor<?xf64>
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @invariant_accumulator_of_unknown_count(
// CHECK-NEXT:   %0 = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
// CHECK-NEXT:     yarr.yield %a : tensor<?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %0 : tensor<?xf64>
// CHECK-NEXT: }

func.func @no_steps(%a: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %0 = yarr.fold (%k < %zero, %x = %a) -> tensor<?xf64> {
    %1 = yarr.elementwise { math.sqrt } %x : (tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %1 : tensor<?xf64>
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: func.func @no_steps(
// CHECK-NEXT:   func.return %a : tensor<?xf64>
// CHECK-NEXT: }

// Records -------------------------------------------------------------------------------------

func.func @field_of_record(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<i64> {
  %0 = yarr.tuple %a, %n : (tensor<?xf64>, tensor<i64>) -> tuple<tensor<?xf64>, tensor<i64>>
  %1 = yarr.proj %0, 1 : tuple<tensor<?xf64>, tensor<i64>> -> tensor<i64>
  func.return %1 : tensor<i64>
}
// CHECK-LABEL: func.func @field_of_record(
// CHECK-NEXT:   func.return %n : tensor<i64>
// CHECK-NEXT: }

func.func @record_of_fields(%t: tuple<tensor<i64>, tensor<i64>>) -> (tuple<tensor<i64>, tensor<i64>>, tuple<tensor<i64>, tensor<i64>>, tuple<tensor<i64>>) {
  %0 = yarr.proj %t, 0 : tuple<tensor<i64>, tensor<i64>> -> tensor<i64>
  %1 = yarr.proj %t, 1 : tuple<tensor<i64>, tensor<i64>> -> tensor<i64>
  %2 = yarr.tuple %0, %1 : (tensor<i64>, tensor<i64>) -> tuple<tensor<i64>, tensor<i64>>
  // Swapped, and only a part: these are other records.
  %3 = yarr.tuple %1, %0 : (tensor<i64>, tensor<i64>) -> tuple<tensor<i64>, tensor<i64>>
  %4 = yarr.tuple %0 : (tensor<i64>) -> tuple<tensor<i64>>
  func.return %2, %3, %4 : tuple<tensor<i64>, tensor<i64>>, tuple<tensor<i64>, tensor<i64>>, tuple<tensor<i64>>
}
// CHECK-LABEL: func.func @record_of_fields(
// CHECK-NEXT:   %0 = yarr.proj %t, 0 : tuple<tensor<i64>, tensor<i64>> -> tensor<i64>
// CHECK-NEXT:   %1 = yarr.proj %t, 1 : tuple<tensor<i64>, tensor<i64>> -> tensor<i64>
// CHECK-NEXT:   %2 = yarr.tuple %1, %0 : (tensor<i64>, tensor<i64>) -> tuple<tensor<i64>, tensor<i64>>
// CHECK-NEXT:   %3 = yarr.tuple %0 : (tensor<i64>) -> tuple<tensor<i64>>
// CHECK-NEXT:   func.return %t, %2, %3 : tuple<tensor<i64>, tensor<i64>>, tuple<tensor<i64>, tensor<i64>>, tuple<tensor<i64>>
// CHECK-NEXT: }

func.func @unused_values(%a: tensor<?xf64>, %n: tensor<i64>) {
  // An assertion is not unused.
  %0 = yarr.assert_size %n, "size of index i"
  %1 = yarr.reduce %a, [0] by { arith.addf } : tensor<?xf64> -> tensor<f64>
  %2 = yarr.elementwise { math.sqrt } %a : (tensor<?xf64>) -> tensor<?xf64>
  %3 = yarr.tree_reduce %a identity %1 : tensor<?xf64> identity tensor<f64> -> tensor<f64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    %z = yarr.elementwise { arith.mulf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %z : tensor<?xf64>
  }
  func.return
}
// CHECK-LABEL: func.func @unused_values(
// CHECK-NEXT:   %0 = yarr.assert_size %n, "size of index i"
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

func.func @repeated_operand(%a: tensor<?x?xf64>, %c: tensor<1x1xf64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x1xf64>) {
  %0 = yarr.repeat %c, 0, %n : tensor<1x1xf64> -> tensor<?x1xf64>
  %1 = yarr.repeat %0, 1, %n : tensor<?x1xf64> -> tensor<?x?xf64>
  %2 = yarr.elementwise { arith.mulf } %a, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  // Nothing else has the axis: the repetition gives the result its shape.
  %3 = yarr.elementwise { math.sqrt } %0 : (tensor<?x1xf64>) -> tensor<?x1xf64>
  func.return %2, %3 : tensor<?x?xf64>, tensor<?x1xf64>
}
// CHECK-LABEL: func.func @repeated_operand(
// CHECK-NEXT:   %0 = yarr.repeat %c, 0, %n : tensor<1x1xf64> -> tensor<?x1xf64>
// CHECK-NEXT:   %1 = yarr.elementwise { arith.mulf } %a, %c : (tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %2 = yarr.elementwise { math.sqrt } %0 : (tensor<?x1xf64>) -> tensor<?x1xf64>
// CHECK-NEXT:   func.return %1, %2 : tensor<?x?xf64>, tensor<?x1xf64>
// CHECK-NEXT: }

func.func @repeated_values(%x: tensor<1x3xf64>, %k: tensor<?xi64>, %l: tensor<1xi64>, %n: tensor<i64>) -> (tensor<?x3xf64>, tensor<?x3xf64>) {
  %0 = yarr.repeat %x, 0, %n : tensor<1x3xf64> -> tensor<?x3xf64>
  %1 = yarr.accumulate "add" %0 by %k into %n : tensor<?x3xf64> by tensor<?xi64> -> tensor<?x3xf64>
  // Nothing else has the axis: as many values are added up as there are repetitions.
  %2 = yarr.accumulate "add" %0 by %l into %n : tensor<?x3xf64> by tensor<1xi64> -> tensor<?x3xf64>
  func.return %1, %2 : tensor<?x3xf64>, tensor<?x3xf64>
}
// CHECK-LABEL: func.func @repeated_values(
// CHECK-NEXT:   %0 = yarr.repeat %x, 0, %n : tensor<1x3xf64> -> tensor<?x3xf64>
// CHECK-NEXT:   %1 = yarr.accumulate "add" %x by %k into %n : tensor<1x3xf64> by tensor<?xi64> -> tensor<?x3xf64>
// CHECK-NEXT:   %2 = yarr.accumulate "add" %0 by %l into %n : tensor<?x3xf64> by tensor<1xi64> -> tensor<?x3xf64>
// CHECK-NEXT:   func.return %1, %2 : tensor<?x3xf64>, tensor<?x3xf64>
// CHECK-NEXT: }

func.func @sizes_of_segments(%x: tensor<?x?xf64>, %k: tensor<?xi64>) -> (tensor<i64>, tensor<i64>) {
  %n = yarr.size %k, 0 : tensor<?xi64>
  %0 = yarr.accumulate "add" %x by %k, %k into %n, %n : tensor<?x?xf64> by tensor<?xi64>, tensor<?xi64> -> tensor<?x?x?xf64>
  %1 = yarr.size %0, 1 : tensor<?x?x?xf64>
  %2 = yarr.size %0, 2 : tensor<?x?x?xf64>
  func.return %1, %2 : tensor<i64>, tensor<i64>
}
// CHECK-LABEL: func.func @sizes_of_segments(
// CHECK-NEXT:   %n = yarr.size %k, 0 : tensor<?xi64>
// CHECK-NEXT:   %0 = yarr.size %x, 1 : tensor<?x?xf64>
// CHECK-NEXT:   func.return %n, %0 : tensor<i64>, tensor<i64>
// CHECK-NEXT: }

// A slice without the first element, the identity, contains no part of it.
func.func @slices_of_scans(%x: tensor<?x?xf64>, %m: tensor<i64>)
    -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %n = yarr.size %x, 1 : tensor<?x?xf64>
  %0 = yarr.scan "add" %x, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.slice %0, 1, %one, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.scan "min" %x, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %3 = yarr.slice %2, 1, %two, %m step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %4 = yarr.scan "max" %x, 1 suffixes : tensor<?x?xf64> -> tensor<?x?xf64>
  %5 = yarr.slice %4, 1, %zero, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  // Another size could reach the end.
  %6 = yarr.scan "mul" %x, 1 suffixes : tensor<?x?xf64> -> tensor<?x?xf64>
  %7 = yarr.slice %6, 1, %zero, %m step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  func.return %1, %3, %5, %7 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @slices_of_scans(
// CHECK-NEXT:   %zero = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %n = yarr.size %x, 1 : tensor<?x?xf64>
// CHECK-NEXT:   %0 = yarr.scan "add" %x, 1 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %1 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %2 = yarr.slice %0, 1, %1, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %3 = yarr.scan "min" %x, 1 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %4 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:   %5 = yarr.slice %3, 1, %4, %m step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %6 = yarr.scan "max" %x, 1 suffixes inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %7 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %8 = yarr.slice %6, 1, %7, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %9 = yarr.scan "mul" %x, 1 suffixes : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %10 = yarr.slice %9, 1, %zero, %m step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %2, %5, %8, %10 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT: }

func.func @scans_are_not_empty(%x: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<i64>) {
  %0 = yarr.scan "add" %x, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.fill_empty %0, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
  // The other axis may be empty.
  %2 = yarr.fill_empty %0, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %3 = yarr.size %0, 1 : tensor<?x?xf64>
  func.return %1, %2, %3 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<i64>
}
// CHECK-LABEL: func.func @scans_are_not_empty(
// CHECK-NEXT:   %0 = yarr.scan "add" %x, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %1 = yarr.fill_empty %0, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %2 = yarr.size %x, 1 : tensor<?x?xf64>
// CHECK-NEXT:   func.return %0, %1, %2 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<i64>
// CHECK-NEXT: }

// A sum adds to 0 as well; if x is repeated, the array with 0 has the sizes.

func.func @sums_of_plus_zero(%x: tensor<?x?xf64>, %y: tensor<1x?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %zeros = yarr.repeat %z, 0, %n : tensor<1x1xf64> -> tensor<?x1xf64>
  %0 = yarr.elementwise { arith.addf } %x, %z : (tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %1 = yarr.reduce %0, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %2 = yarr.elementwise { arith.addf } %zeros, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.reduce %2, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %4 = yarr.reduce %0, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %1, %3, %4 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

// CHECK:      func.func @sums_of_plus_zero(%x: tensor<?x?xf64>, %y: tensor<1x?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %zero = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT:   %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
// CHECK-NEXT:   %zeros = yarr.repeat %z, 0, %n : tensor<1x1xf64> -> tensor<?x1xf64>
// CHECK-NEXT:   %0 = yarr.elementwise { arith.addf } %x, %z : (tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %1 = yarr.reduce %x, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %2 = yarr.elementwise { arith.addf } %zeros, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %3 = yarr.reduce %2, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %4 = yarr.reduce %0, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   func.return %1, %3, %4 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }

// A sum of negated elements is negated; an extreme of them is not that of the elements.

func.func @sums_of_negated(%x: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %0 = yarr.elementwise { arith.negf } %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.reduce %0, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %2 = yarr.reduce %0, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %1, %2 : tensor<?xf64>, tensor<?xf64>
}

// CHECK:      func.func @sums_of_negated(%x: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %0 = yarr.elementwise { arith.negf } %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %1 = yarr.reduce %x, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %2 = yarr.elementwise { arith.negf } %1 : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %3 = yarr.reduce %0, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   func.return %2, %3 : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }

// NaN from other positions along an axis: in a sum, it comes from all summands.

func.func @nan_of_sums(%x: tensor<?x?x?xf64>, %y: tensor<?x1x?xf64>, %s: tensor<?x?xf64>) -> (tensor<?x?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.propagate_nan %x from %y, 2 : tensor<?x?x?xf64> from tensor<?x1x?xf64>
  %1 = yarr.einsum "li,ijk->klj" %s, %0 : (tensor<?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %2 = yarr.reduce %0, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  func.return %1, %2 : tensor<?x?x?xf64>, tensor<?x?xf64>
}

// CHECK:      func.func @nan_of_sums(%x: tensor<?x?x?xf64>, %y: tensor<?x1x?xf64>, %s: tensor<?x?xf64>) -> (tensor<?x?x?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:   %0 = yarr.einsum "ijk,li->klj" %x, %s : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?xf64>
// CHECK-NEXT:   %1 = yarr.squeeze %y, [1] : tensor<?x1x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %2 = yarr.unsqueeze %1, [2, 3] : tensor<?x?xf64> -> tensor<?x?x1x1xf64>
// CHECK-NEXT:   %3 = yarr.propagate_nan %0 from %2, 0 : tensor<?x?x?xf64> from tensor<?x?x1x1xf64>
// CHECK-NEXT:   %4 = yarr.reduce %x, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:   %5 = yarr.propagate_nan %4 from %y, 1 : tensor<?x?xf64> from tensor<?x1x?xf64>
// CHECK-NEXT:   func.return %3, %5 : tensor<?x?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT: }

// Not if the axis itself is summed, if others are repeated along the summed axis and may be
// empty, if another summed axis may be empty, and for other reductions.

func.func @nan_stays(%x: tensor<?x?xf64>, %y: tensor<1x?xf64>, %s: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %0 = yarr.propagate_nan %x from %x, 1 : tensor<?x?xf64> from tensor<?x?xf64>
  %1 = yarr.reduce %0, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %2 = yarr.propagate_nan %x from %y, 1 : tensor<?x?xf64> from tensor<1x?xf64>
  %3 = yarr.reduce %2, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %4 = yarr.einsum "ik,ij->j" %s, %0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %5 = yarr.reduce %0, [0] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %1, %3, %4, %5 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

// CHECK:      func.func @nan_stays(%x: tensor<?x?xf64>, %y: tensor<1x?xf64>, %s: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %0 = yarr.propagate_nan %x from %x, 1 : tensor<?x?xf64> from tensor<?x?xf64>
// CHECK-NEXT:   %1 = yarr.reduce %0, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %2 = yarr.propagate_nan %x from %y, 1 : tensor<?x?xf64> from tensor<1x?xf64>
// CHECK-NEXT:   %3 = yarr.reduce %2, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   %4 = yarr.einsum "ik,ij->j" %s, %0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %5 = yarr.reduce %0, [0] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
// CHECK-NEXT:   func.return %1, %3, %4, %5 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }

// It also comes from a factor, from a transposed array, and from a term.

func.func @nan_of_products(%x: tensor<?x?xf64>, %s: tensor<?x1xf64>) -> tensor<?xf64> {
  %0 = yarr.propagate_nan %x from %x, 1 : tensor<?x?xf64> from tensor<?x?xf64>
  %1 = yarr.elementwise { arith.mulf } %s, %0 : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.transpose %1, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %3 = yarr.elementwise (%a = %2) : (tensor<?x?xf64>) -> tensor<?x?xf64> {
    %5 = arith.addf %a, %a : f64
    yarr.yield %5 : f64
  }
  %4 = yarr.reduce %3, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %4 : tensor<?xf64>
}

// CHECK-LABEL: func.func @nan_of_products(
// CHECK-NOT:     propagate_nan
// CHECK:         [[SUM:%.+]] = yarr.reduce
// CHECK-NEXT:    [[NAN:%.+]] = yarr.propagate_nan [[SUM]] from %x, 0 : tensor<?xf64> from tensor<?x?xf64>
// CHECK-NEXT:    func.return [[NAN]]

// Not from a divisor, which may make a number of an infinity, or through a choice; not after a sum.

func.func @nan_of_divisors(%x: tensor<?x?xf64>, %s: tensor<?x1xf64>, %c: tensor<?x?xi1>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.propagate_nan %x from %x, 1 : tensor<?x?xf64> from tensor<?x?xf64>
  %1 = yarr.elementwise { arith.divf } %s, %0 : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.propagate_nan %x from %x, 0 : tensor<?x?xf64> from tensor<?x?xf64>
  %3 = yarr.elementwise { arith.select } %c, %2, %x : (tensor<?x?xi1>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.unsqueeze %x, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
  %5 = yarr.propagate_nan %x from %4, 1 : tensor<?x?xf64> from tensor<1x?x?xf64>
  %6 = yarr.elementwise { arith.mulf } %s, %5 : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %1, %3, %6 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}

// CHECK-LABEL: func.func @nan_of_divisors(
// CHECK-NEXT:    [[NAN:%.+]] = yarr.propagate_nan
// CHECK-NEXT:    yarr.elementwise { arith.divf } %s, [[NAN]]
// CHECK-NEXT:    [[OTHER:%.+]] = yarr.propagate_nan
// CHECK-NEXT:    yarr.elementwise { arith.select } %c, [[OTHER]], %x
// CHECK-NEXT:    yarr.unsqueeze
// CHECK-NEXT:    [[SUMMED:%.+]] = yarr.propagate_nan
// CHECK-NEXT:    yarr.elementwise { arith.mulf } %s, [[SUMMED]]

func.func @nan_from_nowhere(%x: tensor<?x1xf64>, %y: tensor<?x?xf64>) -> (tensor<?x1xf64>, tensor<?x?xf64>) {
  %0 = yarr.propagate_nan %x from %x, 1 : tensor<?x1xf64> from tensor<?x1xf64>
  %1 = yarr.propagate_nan %y from %y, 1 : tensor<?x?xf64> from tensor<?x?xf64>
  %2 = yarr.propagate_nan %1 from %y, 1 : tensor<?x?xf64> from tensor<?x?xf64>
  func.return %0, %2 : tensor<?x1xf64>, tensor<?x?xf64>
}

// CHECK:      func.func @nan_from_nowhere(%x: tensor<?x1xf64>, %y: tensor<?x?xf64>) -> (tensor<?x1xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:   %0 = yarr.propagate_nan %y from %y, 1 : tensor<?x?xf64> from tensor<?x?xf64>
// CHECK-NEXT:   func.return %x, %0 : tensor<?x1xf64>, tensor<?x?xf64>
// CHECK-NEXT: }

// Factors in the order of their axes in the result, where both have some.

func.func @factors(%a: tensor<?x?xf64>, %b: tensor<?x?x?xf64>, %v: tensor<?xf64>) -> (tensor<?x?x?xf64>, tensor<?xf64>) {
  %0 = yarr.einsum "lk,ijl->ijk" %a, %b : (tensor<?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %1 = yarr.einsum "ij,i->j" %a, %v : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %0, %1 : tensor<?x?x?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @factors(
// CHECK-NEXT:    %0 = yarr.einsum "ijl,lk->ijk" %b, %a : (tensor<?x?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?xf64>
// CHECK-NEXT:    %1 = yarr.einsum "ij,i->j" %a, %v : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>

// A size that is non-negative at one assertion is so at the second, also in a loop; a fact
// asserted in a loop is not known after it.

func.func @asserted_again(%n: tensor<i64>, %k: tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>) {
  %r = yarr.fold (%j < %k, %acc = %n) -> tensor<i64> {
    %0 = yarr.assert_size %n, "in a loop"
    yarr.yield %0 : tensor<i64>
  }
  %1 = yarr.assert_size %n, "first"
  %2 = yarr.range %1 : tensor<?xi64>
  %s = yarr.fold (%j < %k, %acc = %2) -> tensor<?xi64> {
    %3 = yarr.assert_size %n, "second"
    %4 = yarr.range %3 : tensor<?xi64>
    yarr.yield %4 : tensor<?xi64>
  }
  func.return %2, %s : tensor<?xi64>, tensor<?xi64>
}
// CHECK-LABEL: func.func @asserted_again(
// CHECK:           %0 = yarr.assert_size %n, "in a loop"
// CHECK:         %1 = yarr.assert_size %n, "first"
// CHECK-NEXT:    %2 = yarr.range %1 : tensor<?xi64>
// CHECK-NEXT:    %s = yarr.fold (%j_1 < %k, %acc = %2) -> tensor<?xi64> {
// CHECK-NEXT:      %3 = yarr.range %1 : tensor<?xi64>

// A repeat of 1 moves behind the operations that would lose the size of their result without it, and
// vanishes where the type of its user does not matter.

func.func @repeated_once(%x: tensor<1x1xf64>, %y: tensor<1x1xf64>) -> (tensor<?x1xf64>, tensor<1x?xf64>) {
  %one = arith.constant dense<1> : tensor<i64>
  %0 = yarr.repeat %x, 0, %one : tensor<1x1xf64> -> tensor<?x1xf64>
  %1 = yarr.elementwise { arith.addf } %0, %y : (tensor<?x1xf64>, tensor<1x1xf64>) -> tensor<?x1xf64>
  %2 = yarr.elementwise { arith.mulf } %0, %1 : (tensor<?x1xf64>, tensor<?x1xf64>) -> tensor<?x1xf64>
  %3 = yarr.transpose %2, [1, 0] : tensor<?x1xf64> -> tensor<1x?xf64>
  func.return %2, %3 : tensor<?x1xf64>, tensor<1x?xf64>
}
// CHECK-LABEL: func.func @repeated_once(
// CHECK-NEXT:    %one = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %0 = yarr.elementwise { arith.addf } %x, %y : (tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<1x1xf64>
// CHECK-NEXT:    %1 = yarr.elementwise { arith.mulf } %x, %0 : (tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<1x1xf64>
// CHECK-NEXT:    %2 = yarr.repeat %1, 0, %one : tensor<1x1xf64> -> tensor<?x1xf64>

// A slice is updated with one element, repeated: the count is that of the repeat.

func.func @repeated_in_slice(%x: tensor<?x?xf64>, %y: tensor<?x1xf64>, %z: tensor<?x?xf64>, %p: tensor<i64>, %n: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.repeat %y, 1, %n : tensor<?x1xf64> -> tensor<?x?xf64>
  %1 = yarr.size %0, 1 : tensor<?x?xf64>
  %2 = yarr.update_slice %x[%p, %1 by %p] along 1, %0 : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = yarr.update_slice %x[%p, %1 by %p] along 0, %0 : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.size %z, 1 : tensor<?x?xf64>
  %5 = yarr.update_slice %x[%p, %4 by %p] along 1, %0 : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %2, %3, %5 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @repeated_in_slice(
// CHECK-NEXT:    %0 = yarr.repeat %y, 1, %n : tensor<?x1xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %1 = yarr.size %0, 1 : tensor<?x?xf64>
// CHECK-NEXT:    %2 = yarr.update_slice %x[%p, %n by %p] along 1, %y :
// CHECK-NEXT:    %3 = yarr.update_slice %x[%p, %1 by %p] along 0, %0 :
// CHECK-NEXT:    %4 = yarr.size %z, 1 : tensor<?x?xf64>
// CHECK-NEXT:    %5 = yarr.update_slice %x[%p, %4 by %p] along 1, %0 :

// The elements of a vector are read in its order, if the order is computed anyway; rows are sorted.

func.func @sorts(%x: tensor<?xf64>, %y: tensor<?xf64>, %z: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xi64>, tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xi64>) {
  %0 = yarr.sort %x, 0 : tensor<?xf64> -> tensor<?xf64>
  %1 = yarr.argsort %x, 0 : tensor<?xf64> -> tensor<?xi64>
  %2 = yarr.sort %y, 0 : tensor<?xf64> -> tensor<?xf64>
  %3 = yarr.sort %z, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
  %4 = yarr.argsort %z, 0 : tensor<?x?xf64> -> tensor<?x?xi64>
  func.return %0, %1, %2, %3, %4 : tensor<?xf64>, tensor<?xi64>, tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xi64>
}
// CHECK-LABEL: func.func @sorts(
// CHECK-NEXT:    %0 = yarr.argsort %x, 0 : tensor<?xf64> -> tensor<?xi64>
// CHECK-NEXT:    %1 = yarr.fill_empty %x, 0 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %2 = yarr.take %1, 0, %0 : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
// CHECK-NEXT:    %3 = yarr.sort %y, 0 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %4 = yarr.sort %z, 0 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %5 = yarr.argsort %z, 0 : tensor<?x?xf64> -> tensor<?x?xi64>
// CHECK-NEXT:    func.return %2, %0, %3, %4, %5 :
