// RUN: ein-opt %s -p fill-varying-arrays | filecheck %s

// A scan of an array that varies: identities follow its elements.

func.func @scan(%x: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %s = phi.scan "max" %v : !phi.vec<f64>
    %t = phi.get %s[%k] : !phi.vec<f64>[i64]
    phi.yield %t : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @scan(%x: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = arith.constant 1 : i64
// CHECK-NEXT:      %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:      %2 = arith.constant 0 : i64
// CHECK-NEXT:      %3 = arith.maxsi %1, %2 : i64
// CHECK-NEXT:      %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %v = phi.array (%i < %k) -> !phi.vec<f64> {
// CHECK-NEXT:          %e = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %e : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %4 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:        %5 = phi.array (%6 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:          %7 = phi.get %v[%6] : !phi.vec<f64>[index]
// CHECK-NEXT:          %8 = arith.index_cast %6 : index to i64
// CHECK-NEXT:          %9 = arith.cmpi slt, %8, %k : i64
// CHECK-NEXT:          %10 = arith.select %9, %7, %4 : f64
// CHECK-NEXT:          phi.yield %10 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %11 = phi.scan "max" %5 : !phi.vec<f64>
// CHECK-NEXT:        %12 = arith.constant 1 : i64
// CHECK-NEXT:        %13 = arith.addi %k, %12 : i64
// CHECK-NEXT:        %s = phi.array (%14 < %13) -> !phi.vec<f64> {
// CHECK-NEXT:          %15 = phi.get %11[%14] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %15 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %t = phi.get %s[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        phi.yield %t : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : f64
// CHECK-NEXT:    }

// Positions beyond the elements belong to no segment.

func.func @segments(%x: !phi.vec<f64>, %key: !phi.vec<i64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %c = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %w = phi.array (%i < %k) -> !phi.vec<i64> {
      %e = phi.get %key[%i] : !phi.vec<i64>[index]
      phi.yield %e : i64
    }
    %l = phi.size %w, 0 : !phi.vec<i64>
    %s = phi.accumulate (%i < %l) into "add" (%c) -> !phi.vec<f64> {
      %p0 = phi.get %w[%i] : !phi.vec<i64>[index]
      %value = phi.get %v[%i] : !phi.vec<f64>[index]
      %at = phi.tuple (%p0, %value) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    %t = phi.get %s[%c] : !phi.vec<f64>[i64]
    phi.yield %t : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @segments(%x: !phi.vec<f64>, %key: !phi.vec<i64>) -> f64 {
// CHECK-NEXT:    %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:    %c = arith.constant 3 : i64
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %0 = arith.constant 1 : i64
// CHECK-NEXT:    %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:    %2 = arith.constant 0 : i64
// CHECK-NEXT:    %3 = arith.maxsi %1, %2 : i64
// CHECK-NEXT:    %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:      %v = phi.array (%i < %k) -> !phi.vec<f64> {
// CHECK-NEXT:        %e = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        phi.yield %e : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %w = phi.array (%i_1 < %k) -> !phi.vec<i64> {
// CHECK-NEXT:        %e_1 = phi.get %key[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:        phi.yield %e_1 : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %l = phi.size %w, 0 : !phi.vec<i64>
// CHECK-NEXT:      %s = phi.accumulate (%i_2 < %3) into "add" (%c) -> !phi.vec<f64> {
// CHECK-NEXT:        %p0 = phi.get %w[%i_2] : !phi.vec<i64>[index]
// CHECK-NEXT:        %value = phi.get %v[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:        %at = phi.tuple (%p0, %value) : tuple<i64, f64>
// CHECK-NEXT:        %4 = arith.index_cast %i_2 : index to i64
// CHECK-NEXT:        %5 = arith.cmpi slt, %4, %l : i64
// CHECK-NEXT:        %6 = phi.proj %at, 0 : tuple<i64, f64> -> i64
// CHECK-NEXT:        %7 = phi.proj %at, 1 : tuple<i64, f64> -> f64
// CHECK-NEXT:        %8 = arith.constant -1 : i64
// CHECK-NEXT:        %9 = arith.select %5, %6, %8 : i64
// CHECK-NEXT:        %10 = phi.tuple (%9, %7) : tuple<i64, f64>
// CHECK-NEXT:        phi.yield %10 : tuple<i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = phi.get %s[%c] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %t : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : f64
// CHECK-NEXT:  }

// A search in order: no search finds NaN. Elements behind others of a varying number are chosen.

func.func @others(%x: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %p = phi.top_k %v, %two by "<" : !phi.vec<f64>
    %j = phi.get %p[%two] : !phi.vec<i64>[i64]
    %w = phi.concat %v, %x : !phi.vec<f64>
    %t = phi.get %w[%j] : !phi.vec<f64>[i64]
    phi.yield %t : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @others(%x: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %two = arith.constant 2 : i64
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = arith.constant 1 : i64
// CHECK-NEXT:      %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:      %2 = arith.constant 0 : i64
// CHECK-NEXT:      %3 = arith.maxsi %1, %2 : i64
// CHECK-NEXT:      %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %v = phi.array (%i < %k) -> !phi.vec<f64> {
// CHECK-NEXT:          %e = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %e : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %4 = arith.constant 0x7ff8000000000000 : f64
// CHECK-NEXT:        %5 = phi.array (%6 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:          %7 = phi.get %v[%6] : !phi.vec<f64>[index]
// CHECK-NEXT:          %8 = arith.index_cast %6 : index to i64
// CHECK-NEXT:          %9 = arith.cmpi slt, %8, %k : i64
// CHECK-NEXT:          %10 = arith.select %9, %7, %4 : f64
// CHECK-NEXT:          phi.yield %10 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %11 = phi.top_k %5, %two by "<" : !phi.vec<f64>
// CHECK-NEXT:        %p = phi.array (%12 < %two) -> !phi.vec<i64> {
// CHECK-NEXT:          %13 = phi.get %11[%12] : !phi.vec<i64>[index]
// CHECK-NEXT:          phi.yield %13 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %j = phi.get %p[%two] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %14 = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:        %15 = arith.addi %k, %14 : i64
// CHECK-NEXT:        %w = phi.array (%16 < %15) -> !phi.vec<f64> {
// CHECK-NEXT:          %17 = arith.index_cast %16 : index to i64
// CHECK-NEXT:          %18 = arith.cmpi slt, %17, %k : i64
// CHECK-NEXT:          %19 = phi.get %v[%16] : !phi.vec<f64>[index]
// CHECK-NEXT:          %20 = arith.subi %17, %k : i64
// CHECK-NEXT:          %21 = phi.get %x[%20] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %22 = arith.select %18, %19, %21 : f64
// CHECK-NEXT:          phi.yield %22 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %t = phi.get %w[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:        phi.yield %t : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : f64
// CHECK-NEXT:    }

// An array of the same size in each step stays.

func.func @fixed(%x: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %s = phi.scan "max" %x : !phi.vec<f64>
    %t = phi.get %s[%k] : !phi.vec<f64>[i64]
    phi.yield %t : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @fixed(%x: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:      %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %s = phi.scan "max" %x : !phi.vec<f64>
// CHECK-NEXT:        %t = phi.get %s[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        phi.yield %t : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : f64
// CHECK-NEXT:    }

// The greatest elements follow those to sort.

func.func @sorted(%x: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %k) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %s = phi.sort %v : !phi.vec<f64>
    %t = phi.get %s[%first] : !phi.vec<f64>[i64]
    %next = arith.addf %acc, %t : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @sorted(
// CHECK:         %[[NAN:.*]] = arith.constant 0x7ff8000000000000 : f64
// CHECK-NEXT:    %[[FULL:.*]] = phi.array (
// CHECK:           arith.select %{{.*}}, %{{.*}}, %[[NAN]] : f64
// CHECK:         %[[SORTED:.*]] = phi.sort %[[FULL]] : !phi.vec<f64>
// CHECK-NEXT:    %s = phi.array (%[[I:.*]] < %k) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.get %[[SORTED]][%[[I]]] : !phi.vec<f64>[index]

// Bools are in order, too: the last is true.

func.func @sorted_bools(%x: !phi.vec<i1>) -> i64 {
  %n = phi.size %x, 0 : !phi.vec<i1>
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %acc = %zero) -> i64 {
    %v = phi.array (%i < %k) -> !phi.vec<i1> {
      %e = phi.get %x[%i] : !phi.vec<i1>[index]
      phi.yield %e : i1
    }
    %s = phi.argsort %v : !phi.vec<i1>
    %t = phi.get %s[%zero] : !phi.vec<i64>[i64]
    %next = arith.addi %acc, %t : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}
// CHECK-LABEL: func.func @sorted_bools(
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:    %[[FULL:.*]] = phi.array (
// CHECK:           arith.select %{{.*}}, %{{.*}}, %[[TRUE]] : i1
// CHECK:         phi.argsort %[[FULL]] : !phi.vec<i1>

// A sort of as many elements in each step stays.

func.func @sorted_whole(%x: !phi.vec<f64>) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %v = phi.array (%i < %n) -> !phi.vec<f64> {
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      %y = arith.mulf %e, %acc : f64
      phi.yield %y : f64
    }
    %s = phi.sort %v : !phi.vec<f64>
    %t = phi.get %s[%k] : !phi.vec<f64>[i64]
    phi.yield %t : f64
  }
  func.return %r : f64
}
// CHECK-LABEL: func.func @sorted_whole(
// CHECK:         phi.sort %v : !phi.vec<f64>
