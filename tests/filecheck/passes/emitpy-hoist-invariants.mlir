// RUN: ein-opt %s -p emitpy-hoist-invariants -t python | filecheck %s

// Views with more axes, arithmetic with numbers, and sizes are the same in each step.

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
// CHECK-LABEL: def steps(a, x, n):
// CHECK-NEXT:      t0 = 2.0 * a[:, None]
// CHECK-NEXT:      acc = x
// CHECK-NEXT:      for _ in range(int(n)):
// CHECK-NEXT:          acc = t0 + acc * 2.0
// CHECK-NEXT:      return acc

// Out of nested loops, as far as it can go.

func.func @nested(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
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
// CHECK-LABEL: def nested(a, n):
// CHECK-NEXT:      count = int(n)
// CHECK-NEXT:      t0 = a * count
// CHECK-NEXT:      x = a
// CHECK-NEXT:      for k in range(count):
// CHECK-NEXT:          t1 = a * k
// CHECK-NEXT:          for _ in range(count):
// CHECK-NEXT:              x = x - t0 - t1
// CHECK-NEXT:      return x

// What could raise an error stays: sizes may differ, there may be no first element.

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
// CHECK-LABEL: def errors(a, b, n):
// CHECK-NEXT:      x = a
// CHECK-NEXT:      for _ in range(int(n)):
// CHECK-NEXT:          x = a * b * a[0]
// CHECK-NEXT:      return x

// A tuple of what is outside goes along with what reads it.

func.func @segments(%x: tensor<?xf64>, %k: tensor<?xi64>, %n: tensor<i64>) -> tensor<?xf64> {
  %count = emitpy.call "int"(%n) : (tensor<i64>) -> !emitpy.object
  %0 = emitpy.for (%i < %count, %a = %x) : !emitpy.object -> tensor<?xf64> {
    %keys = emitpy.tuple(%k) : (tensor<?xi64>) -> !emitpy.object
    %sizes = emitpy.tuple(%count) : (!emitpy.object) -> !emitpy.object
    %sum = emitpy.literal "sum"
    %zero = emitpy.literal 0.0 : f64
    %1 = emitpy.helper "torch.segment_numbers"(%keys, %sizes) : (!emitpy.object, !emitpy.object) -> tensor<?xi64>
    %2 = emitpy.helper "torch.segment_reduce"(%sum, %zero, %a, %1, %sizes) : (!emitpy.object, !emitpy.object, tensor<?xf64>, tensor<?xi64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %2 : tensor<?xf64>
  }
  func.return %0 : tensor<?xf64>
}
// CHECK-LABEL: def segments(x, k, n):
// CHECK-NEXT:      count = int(n)
// CHECK-NEXT:      t0 = segment_numbers((k,), (count,))
// CHECK-NEXT:      a = x
// CHECK-NEXT:      for _ in range(count):
// CHECK-NEXT:          a = segment_reduce("sum", 0.0, a, t0, (count,))
// CHECK-NEXT:      return a
