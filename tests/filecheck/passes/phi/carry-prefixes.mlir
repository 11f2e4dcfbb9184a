// RUN: ein-opt %s -p carry-prefixes,simplify | filecheck %s

// The fold carries the smoothed value before each step.
func.func @errors(%a: !phi.vec<f64>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %r = phi.fold (%t < %n, %acc = %zero) -> f64 {
    %s = phi.fold (%k < %t, %mean = %zero) -> f64 {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %sum = arith.addf %mean, %x : f64
      %next_mean = arith.mulf %sum, %half : f64
      phi.yield %next_mean : f64
    }
    %y = phi.get %a[%t] : !phi.vec<f64>[i64]
    %error = arith.subf %y, %s : f64
    %next = arith.maximumf %acc, %error : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @errors(%a: !phi.vec<f64>, %n: i64) -> f64 {
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %half = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:        %0 = phi.tuple (%zero, %zero) : tuple<f64, f64>
// CHECK-NEXT:        %1 = phi.fold (%t < %n, %acc = %0) -> tuple<f64, f64> {
// CHECK-NEXT:          %acc_1 = phi.proj %acc, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %s = phi.proj %acc, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %x = phi.get %a[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %sum = arith.addf %s, %x : f64
// CHECK-NEXT:          %next_mean = arith.mulf %sum, %half : f64
// CHECK-NEXT:          %y = phi.get %a[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %error = arith.subf %y, %s : f64
// CHECK-NEXT:          %next = arith.maximumf %acc_1, %error : f64
// CHECK-NEXT:          %2 = phi.tuple (%next, %next_mean) : tuple<f64, f64>
// CHECK-NEXT:          phi.yield %2 : tuple<f64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %r = phi.proj %1, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:        func.return %r : f64
// CHECK-NEXT:      }


// The prefix includes the step itself.
func.func @inclusive(%a: !phi.vec<f64>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %r = phi.fold (%t < %n, %acc = %zero) -> f64 {
    %more = arith.addi %t, %one : i64
    %s = phi.fold (%k < %more, %mean = %zero) -> f64 {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %product = arith.mulf %mean, %x : f64
      %next_mean = arith.addf %product, %x : f64
      phi.yield %next_mean : f64
    }
    %next = arith.addf %acc, %s : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @inclusive(%a: !phi.vec<f64>, %n: i64) -> f64 {
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %0 = phi.tuple (%zero, %zero) : tuple<f64, f64>
// CHECK-NEXT:        %1 = phi.fold (%t < %n, %acc = %0) -> tuple<f64, f64> {
// CHECK-NEXT:          %acc_1 = phi.proj %acc, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %s = phi.proj %acc, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %x = phi.get %a[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %product = arith.mulf %s, %x : f64
// CHECK-NEXT:          %next_mean = arith.addf %product, %x : f64
// CHECK-NEXT:          %next = arith.addf %acc_1, %next_mean : f64
// CHECK-NEXT:          %2 = phi.tuple (%next, %next_mean) : tuple<f64, f64>
// CHECK-NEXT:          phi.yield %2 : tuple<f64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %r = phi.proj %1, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:        func.return %r : f64
// CHECK-NEXT:      }


// A step of the prefix varies with the accumulator.
func.func @varying(%a: !phi.vec<f64>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%t < %n, %acc = %zero) -> f64 {
    %s = phi.fold (%k < %t, %mean = %zero) -> f64 {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %product = arith.mulf %mean, %acc : f64
      %next_mean = arith.addf %product, %x : f64
      phi.yield %next_mean : f64
    }
    phi.yield %s : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @varying(%a: !phi.vec<f64>, %n: i64) -> f64 {
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %r = phi.fold (%t < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:          %s = phi.fold (%k < %t, %mean = %zero) -> f64 {
// CHECK-NEXT:            %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %product = arith.mulf %mean, %acc : f64
// CHECK-NEXT:            %next_mean = arith.addf %product, %x : f64
// CHECK-NEXT:            phi.yield %next_mean : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          phi.yield %s : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : f64
// CHECK-NEXT:      }


// A step of the prefix may fail, and the fold does not take the last one.
func.func @failing(%a: !phi.vec<f64>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%t < %n, %acc = %zero) -> f64 {
    %s = phi.fold (%k < %t, %mean = %zero) -> f64 {
      %size = arith.subi %n, %k : i64
      %b = phi.array (%i < %size) -> !phi.vec<f64> {
        phi.yield %mean : f64
      }
      %x = phi.get %b[%k] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    %next = arith.addf %acc, %s : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @failing(%a: !phi.vec<f64>, %n: i64) -> f64 {
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %r = phi.fold (%t < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:          %s = phi.fold (%k < %t, %mean = %zero) -> f64 {
// CHECK-NEXT:            %size = arith.subi %n, %k : i64
// CHECK-NEXT:            %b = phi.array (%i < %size) -> !phi.vec<f64> {
// CHECK-NEXT:              phi.yield %mean : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            %x = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:            phi.yield %x : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %next = arith.addf %acc, %s : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : f64
// CHECK-NEXT:      }


// The elements of the carried array that the reduction reads are final: a later step writes others.
func.func @built(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%t < %n, %d = %a) -> !phi.vec<f64> {
    %before = phi.array (%s < %t) -> !phi.vec<f64> {
      %y = phi.get %d[%s] : !phi.vec<f64>[index]
      phi.yield %y : f64
    }
    %total = phi.reduce %before identity %zero by { arith.addf } -> f64
    %x = phi.get %a[%t] : !phi.vec<f64>[i64]
    %new = arith.divf %x, %total : f64
    %next = phi.update %d[%t], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @built(
// CHECK:             %1 = phi.fold (%t < %n, %d = %0) -> tuple<!phi.vec<f64>, f64> {
// CHECK-NEXT:          %d_1 = phi.proj %d, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
// CHECK-NEXT:          %total = phi.proj %d, 1 : tuple<!phi.vec<f64>, f64> -> f64
// CHECK-NEXT:          %x = phi.get %a[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %new = arith.divf %x, %total : f64
// CHECK-NEXT:          %next = phi.update %d_1[%t], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:          %y = phi.get %next[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %2 = arith.addf %total, %y : f64
// CHECK-NEXT:          %3 = phi.tuple (%next, %2) : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:          phi.yield %3 : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:        }


// The step t writes an element that the reduction of the step t + 1 reads for the second time.
func.func @rewritten(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %r = phi.fold (%t < %n, %d = %a) -> !phi.vec<f64> {
    %total = phi.fold (%s < %t, %acc = %zero) -> f64 {
      %y = phi.get %d[%s] : !phi.vec<f64>[i64]
      %sum = arith.addf %acc, %y : f64
      phi.yield %sum : f64
    }
    %last = arith.subi %t, %one : i64
    %next = phi.update %d[%last], %total : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @rewritten(
// CHECK:               %total = phi.fold (%s < %t, %acc = %zero) -> f64 {
