// RUN: ein-opt %s -p measure-varying-sizes | filecheck %s

// A count from data: a loop checks the counts of all steps and computes the largest.

func.func @counts(%c: !phi.vec<i64>, %x: f64) -> f64 {
  %n = phi.size %c, 0 : !phi.vec<i64>
  %r = phi.fold (%k < %n, %acc = %x) -> f64 {
    %m = phi.get %c[%k] : !phi.vec<i64>[i64]
    %next = phi.fold (%j < %m, %s = %acc) -> f64 {
      %t = math.tanh %s : f64
      phi.yield %t : f64
    }
    phi.yield %next : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @counts(%c: !phi.vec<i64>, %x: f64) -> f64 {
// CHECK-NEXT:      %n = phi.size %c, 0 : !phi.vec<i64>
// CHECK-NEXT:      %0 = arith.constant 0 : i64
// CHECK-NEXT:      %1 = phi.fold (%k < %n, %acc = %0) -> i64 {
// CHECK-NEXT:        %m = phi.get %c[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %2 = phi.fold (%j < %m, %3 = %acc) -> i64 {
// CHECK-NEXT:          phi.yield %3 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %4 = arith.maxsi %2, %m : i64
// CHECK-NEXT:        phi.yield %4 : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = arith.constant 0 : i64
// CHECK-NEXT:      %6 = arith.maxsi %1, %5 : i64
// CHECK-NEXT:      %7 = phi.array (%8 < %6) -> !phi.vec<i64> {
// CHECK-NEXT:        phi.yield %6 : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %9 = phi.size %7, 0 : !phi.vec<i64>
// CHECK-NEXT:      %r = phi.fold (%k_1 < %n, %acc_1 = %x) -> f64 {
// CHECK-NEXT:        %m_1 = phi.get %c[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %10 = arith.minsi %m_1, %9 : i64
// CHECK-NEXT:        %11 = arith.constant 0 : i64
// CHECK-NEXT:        %12 = arith.maxsi %10, %11 : i64
// CHECK-NEXT:        %next = phi.fold (%j_1 < %12, %s = %acc_1) -> f64 {
// CHECK-NEXT:          %t = math.tanh %s : f64
// CHECK-NEXT:          phi.yield %t : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : f64
// CHECK-NEXT:    }

// A size that is linear in the counter.

func.func @linear(%x: !phi.vec<f64>, %m: i64) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %size = arith.subi %m, %k : i64
    %v = phi.array (%i < %size) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %s = phi.reduce %v identity %acc by { arith.addf } -> f64
    phi.yield %s : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @linear(
// CHECK:         %[[LOOP:.*]] = phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %{{.*}}) -> i64 {
// CHECK:           arith.maxsi
// CHECK:         arith.maxsi %[[LOOP]],
// CHECK:         phi.fold
// CHECK:           arith.minsi
// CHECK:           arith.maxsi

// A proved size stays.

func.func @proved(%x: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %s = phi.reduce %v identity %acc by { arith.addf } -> f64
    phi.yield %s : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @proved(%x: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %v = phi.array (%i < %k) -> !phi.vec<f64> {
// CHECK-NEXT:          %e = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %e : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %s = phi.reduce %v identity %acc by { arith.addf } -> f64
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : f64
// CHECK-NEXT:    }

// An Int of the accumulator is carried along; other fields are not.

func.func @carried(%x: !phi.vec<f64>, %start: i64) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %init = phi.tuple (%zero, %start) : tuple<f64, i64>
  %r = phi.fold (%k < %n, %acc = %init) -> tuple<f64, i64> {
    %a = phi.proj %acc, 0 : tuple<f64, i64> -> f64
    %c = phi.proj %acc, 1 : tuple<f64, i64> -> i64
    %next = phi.fold (%j < %c, %s = %a) -> f64 {
      %t = math.tanh %s : f64
      phi.yield %t : f64
    }
    %less = arith.floordivsi %c, %one : i64
    %both = phi.tuple (%next, %less) : tuple<f64, i64>
    phi.yield %both : tuple<f64, i64>
  }
  %f = phi.proj %r, 0 : tuple<f64, i64> -> f64
  func.return %f : f64
}
// CHECK-LABEL: func.func @carried(%x: !phi.vec<f64>, %start: i64) -> f64 {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %init = phi.tuple (%zero, %start) : tuple<f64, i64>
// CHECK-NEXT:      %0 = arith.constant 0 : i64
// CHECK-NEXT:      %1 = phi.tuple (%start, %0) : tuple<i64, i64>
// CHECK-NEXT:      %2 = phi.fold (%k < %n, %acc = %1) -> tuple<i64, i64> {
// CHECK-NEXT:        %3 = phi.proj %acc, 0 : tuple<i64, i64> -> i64
// CHECK-NEXT:        %4 = phi.proj %acc, 1 : tuple<i64, i64> -> i64
// CHECK-NEXT:        %less = arith.floordivsi %3, %one : i64
// CHECK-NEXT:        %5 = phi.fold (%j < %3, %6 = %4) -> i64 {
// CHECK-NEXT:          phi.yield %6 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %7 = arith.maxsi %5, %3 : i64
// CHECK-NEXT:        %8 = phi.tuple (%less, %7) : tuple<i64, i64>
// CHECK-NEXT:        phi.yield %8 : tuple<i64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %9 = phi.proj %2, 1 : tuple<i64, i64> -> i64
// CHECK-NEXT:      %10 = arith.constant 0 : i64
// CHECK-NEXT:      %11 = arith.maxsi %9, %10 : i64
// CHECK-NEXT:      %12 = phi.array (%13 < %11) -> !phi.vec<i64> {
// CHECK-NEXT:        phi.yield %11 : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %14 = phi.size %12, 0 : !phi.vec<i64>
// CHECK-NEXT:      %r = phi.fold (%k_1 < %n, %acc_1 = %init) -> tuple<f64, i64> {
// CHECK-NEXT:        %a = phi.proj %acc_1, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:        %c = phi.proj %acc_1, 1 : tuple<f64, i64> -> i64
// CHECK-NEXT:        %15 = arith.minsi %c, %14 : i64
// CHECK-NEXT:        %16 = arith.constant 0 : i64
// CHECK-NEXT:        %17 = arith.maxsi %15, %16 : i64
// CHECK-NEXT:        %next = phi.fold (%j_1 < %17, %s = %a) -> f64 {
// CHECK-NEXT:          %t = math.tanh %s : f64
// CHECK-NEXT:          phi.yield %t : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %less_1 = arith.floordivsi %c, %one : i64
// CHECK-NEXT:        %both = phi.tuple (%next, %less_1) : tuple<f64, i64>
// CHECK-NEXT:        phi.yield %both : tuple<f64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %f = phi.proj %r, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:      func.return %f : f64
// CHECK-NEXT:    }

// The size of an accumulation, and that of its result.

func.func @keys(%c: !phi.vec<i64>, %x: f64) -> f64 {
  %n = phi.size %c, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %acc = %x) -> f64 {
    %m = phi.get %c[%k] : !phi.vec<i64>[i64]
    %h = phi.accumulate (%j < %m) into "add" (%n) -> !phi.vec<f64> {
      %p = phi.get %c[%j] : !phi.vec<i64>[index]
      %at = phi.tuple (%p, %acc) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    %next = phi.get %h[%k] : !phi.vec<f64>[i64]
    phi.yield %next : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @keys(
// CHECK:         %[[LOOP:.*]] = phi.fold (%{{.*}} < %n, %{{.*}} = %{{.*}}) -> i64 {
// CHECK:           phi.array (%j < %m) -> !phi.vec<i64> {
// CHECK:           arith.maxsi
// CHECK:         arith.maxsi %[[LOOP]],
// CHECK:         %[[LARGEST:.*]] = phi.size
// CHECK:         phi.fold (%{{.*}} < %n, %{{.*}} = %x) -> f64 {
// CHECK:           %[[LEAST:.*]] = arith.minsi %{{.*}}, %[[LARGEST]] : i64
// CHECK:           %[[SIZE:.*]] = arith.maxsi %[[LEAST]], %{{.*}} : i64
// CHECK:           phi.accumulate (%{{.*}} < %[[SIZE]]) into "add" (%n)

func.func @bins(%c: !phi.vec<i64>, %x: f64) -> f64 {
  %n = phi.size %c, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %acc = %x) -> f64 {
    %m = phi.get %c[%k] : !phi.vec<i64>[i64]
    %h = phi.accumulate (%j < %n) into "add" (%m) -> !phi.vec<f64> {
      %p = phi.get %c[%j] : !phi.vec<i64>[index]
      %at = phi.tuple (%p, %acc) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    %next = phi.get %h[%zero] : !phi.vec<f64>[i64]
    phi.yield %next : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @bins(
// CHECK:         %[[LOOP:.*]] = phi.fold (%{{.*}} < %n, %{{.*}} = %{{.*}}) -> i64 {
// CHECK:         arith.maxsi %[[LOOP]],
// CHECK:         phi.fold (%{{.*}} < %n, %{{.*}} = %x) -> f64 {
// CHECK:           arith.minsi
// CHECK:           %[[SIZE:.*]] = arith.maxsi
// CHECK:           phi.accumulate (%{{.*}} < %n) into "add" (%[[SIZE]])

// A loop by a condition: the steps that it takes are found with its condition.

func.func @by_condition(%x: f64, %start: i64, %end: i64) -> f64 {
  %limit = arith.constant 9 : i64
  %two = arith.constant 2 : i64
  %first = arith.cmpi ne, %start, %end : i64
  %init = phi.tuple (%first, %start, %x) : tuple<i1, i64, f64>
  %r = phi.while (%k < %limit, %acc = %init) -> tuple<i1, i64, f64> {
    %m = phi.proj %acc, 1 : tuple<i1, i64, f64> -> i64
    %a = phi.proj %acc, 2 : tuple<i1, i64, f64> -> f64
    %b = phi.fold (%j < %m, %s = %a) -> f64 {
      %t = math.tanh %s : f64
      phi.yield %t : f64
    }
    %next = arith.muli %m, %two : i64
    %more = arith.cmpi ne, %next, %end : i64
    %both = phi.tuple (%more, %next, %b) : tuple<i1, i64, f64>
    phi.yield %both : tuple<i1, i64, f64>
  }
  %f = phi.proj %r, 2 : tuple<i1, i64, f64> -> f64
  func.return %f : f64
}
// CHECK-LABEL: func.func @by_condition(
// CHECK:         %[[INIT:.*]] = phi.tuple (%first, %start, %{{.*}}) : tuple<i1, i64, i64>
// CHECK-NEXT:    %[[LOOP:.*]] = phi.while (%{{.*}} < %limit, %{{.*}} = %[[INIT]]) -> tuple<i1, i64, i64> {
// CHECK:           phi.fold
// CHECK:           arith.maxsi
// CHECK:         phi.proj %[[LOOP]], 2
// CHECK:         phi.while (%{{.*}} < %limit, %{{.*}} = %init) -> tuple<i1, i64, f64> {
// CHECK:           arith.minsi
// CHECK:           arith.maxsi

// Halves of a size, and the numbers that the condition lets pass, are bounded.

func.func @bounded(%x: !phi.vec<f64>) -> i64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %limit = arith.constant 17592186044416 : i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %first = arith.cmpi sge, %n, %one : i64
  %init = phi.tuple (%first, %n, %one) : tuple<i1, i64, i64>
  %r = phi.while (%k < %limit, %acc = %init) -> tuple<i1, i64, i64> {
    %m = phi.proj %acc, 1 : tuple<i1, i64, i64> -> i64
    %a = phi.proj %acc, 2 : tuple<i1, i64, i64> -> i64
    %c = arith.maxsi %m, %zero : i64
    %d = arith.maxsi %a, %zero : i64
    %b = phi.fold (%j < %c, %s = %a) -> i64 {
      %t = phi.fold (%i < %d, %u = %s) -> i64 {
        %v = arith.muli %u, %u : i64
        phi.yield %v : i64
      }
      phi.yield %t : i64
    }
    %half = arith.floordivsi %m, %two : i64
    %more = arith.cmpi sge, %n, %b : i64
    %both = phi.tuple (%more, %half, %b) : tuple<i1, i64, i64>
    phi.yield %both : tuple<i1, i64, i64>
  }
  %f = phi.proj %r, 2 : tuple<i1, i64, i64> -> i64
  func.return %f : i64
}
// CHECK-LABEL: func.func @bounded(
// CHECK-NOT:     phi.array
// CHECK:         phi.while
// CHECK-NOT:     phi.while
// CHECK:         func.return

// A count in a comprehension that is the same for all indices.

func.func @for_all(%c: !phi.vec<i64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %c, 0 : !phi.vec<i64>
  %s = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %s) -> !phi.vec<f64> {
    %x_1 = phi.get %x[%i] : !phi.vec<f64>[index]
    %t = phi.fold (%k < %n, %acc = %x_1) -> f64 {
      %m = phi.get %c[%k] : !phi.vec<i64>[i64]
      %next = phi.fold (%j < %m, %u = %acc) -> f64 {
        %v = math.tanh %u : f64
        phi.yield %v : f64
      }
      phi.yield %next : f64
    }
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @for_all(
// CHECK:         %[[LOOP:.*]] = phi.fold (%{{.*}} < %n, %{{.*}} = %{{.*}}) -> i64 {
// CHECK:         arith.maxsi %[[LOOP]],
// CHECK:         phi.array (%{{.*}} < %s)
// CHECK:           phi.fold
// CHECK:             arith.minsi

// The condition needs the loop whose steps have the counts: that loop is beside the one that measures.

func.func @needed(%c: !phi.vec<i64>, %x: f64, %start: i64, %end: f64) -> f64 {
  %n = phi.size %c, 0 : !phi.vec<i64>
  %goes = arith.cmpf olt, %x, %end : f64
  %first = phi.tuple (%goes, %x) : tuple<i1, f64>
  %r = phi.while (%k < %start, %state = %first) -> tuple<i1, f64> {
    %y = phi.proj %state, 1 : tuple<i1, f64> -> f64
    %sum = phi.fold (%t < %n, %acc = %y) -> f64 {
      %place = arith.addi %t, %k : i64
      %m = phi.get %c[%place] : !phi.vec<i64>[i64]
      %next = phi.fold (%j < %m, %s = %acc) -> f64 {
        %e = math.exp %s : f64
        phi.yield %e : f64
      }
      phi.yield %next : f64
    }
    %more = arith.cmpf olt, %sum, %end : f64
    %both = phi.tuple (%more, %sum) : tuple<i1, f64>
    phi.yield %both : tuple<i1, f64>
  }
  %z = phi.proj %r, 1 : tuple<i1, f64> -> f64
  func.return %z : f64
}
// CHECK-LABEL: func.func @needed(
// CHECK:         phi.while (%{{.*}} < %start, %{{.*}} = %{{.*}}) -> tuple<i1, f64, i64> {
// CHECK:           %[[MOST:.*]] = phi.fold (%{{.*}} < %n, %{{.*}} = %{{.*}}) -> i64 {
// CHECK:           %sum = phi.fold (%{{.*}} < %n, %{{.*}} = %{{.*}}) -> f64 {
// CHECK:           %more = arith.cmpf olt, %sum, %end : f64
// CHECK:           phi.tuple (%more, %sum, %[[MOST]]) : tuple<i1, f64, i64>
