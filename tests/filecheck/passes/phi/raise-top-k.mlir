// RUN: ein-opt %s --split-input-file -p raise-top-k,dce | filecheck %s

// The smallest remaining element, in each step.
func.func @smallest(%v: !phi.vec<f64>, %k: i64) -> !phi.vec<i64> {
  %inf = arith.constant 0x7ff0000000000000 : f64
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
    %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
    %at = phi.argreduce %left by "<" : !phi.vec<f64>
    %rest = phi.update %left[%at], %inf : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %more = phi.update %all[%rank], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @smallest(
// CHECK:        %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:   %rank = phi.top_k %v, %k by "<" : !phi.vec<f64>
// CHECK-NEXT:   %s = phi.fold (%rank_1 < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:     %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:     %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:     %at = phi.get %rank[%rank_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %more = phi.update %all[%rank_1], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:     %next = phi.tuple (%left, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:     phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// The searched array may be a copy of the field; the found element may be read.
func.func @copied(%v: !phi.vec<f64>, %k: i64) -> !phi.vec<i64> {
  %inf = arith.constant 0x7ff0000000000000 : f64
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %n = phi.size %v, 0 : !phi.vec<f64>
  %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
    %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
    %copy = phi.array (%j < %n) -> !phi.vec<f64> {
      %j_1 = arith.index_cast %j : index to i64
      %x = phi.get %left[%j_1] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    %at = phi.argreduce %copy by "<" : !phi.vec<f64>
    %rest = phi.update %left[%at], %inf : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %found = phi.get %left[%at] : !phi.vec<f64>[i64]
    %y = arith.fptosi %found : f64 to i64
    %more = phi.update %all[%rank], %y : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @copied(
// CHECK:        %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:   %copy = phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:     %x = phi.get %v[%j_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %rank = phi.top_k %copy, %k by "<" : !phi.vec<f64>
// CHECK-NEXT:   %0 = phi.argreduce %rank by "<" : !phi.vec<i64>
// CHECK-NEXT:   %1 = arith.constant 0 : i64
// CHECK-NEXT:   %2 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:   %3 = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:   %4 = arith.cmpi slt, %1, %3 : i64
// CHECK-NEXT:   %5 = phi.array (%rank_1 < %k) -> !phi.vec<f64> {
// CHECK-NEXT:     %rank_2 = arith.index_cast %rank_1 : index to i64
// CHECK-NEXT:     %6 = phi.get %rank[%rank_2] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %7 = arith.cmpi eq, %6, %1 : i64
// CHECK-NEXT:     %8 = arith.cmpi slt, %0, %rank_2 : i64
// CHECK-NEXT:     %9 = arith.andi %7, %8 : i1
// CHECK-NEXT:     %10 = phi.get %v[%6] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %11 = arith.andi %9, %4 : i1
// CHECK-NEXT:     %12 = arith.select %11, %2, %10 : f64
// CHECK-NEXT:     phi.yield %12 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.fold (%rank_3 < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:     %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:     %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:     %found = phi.get %5[%rank_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = arith.fptosi %found : f64 to i64
// CHECK-NEXT:     %more = phi.update %all[%rank_3], %y : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:     %next = phi.tuple (%left, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:     phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// A mask of the taken elements, some of which are excluded from the start. The largest come first.
func.func @masked(%v: !phi.vec<f64>, %before: !phi.vec<i1>, %k: i64) -> !phi.vec<i64> {
  %low = arith.constant 0xfff0000000000000 : f64
  %true = arith.constant true
  %n = phi.size %before, 0 : !phi.vec<i1>
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%before, %none) : tuple<!phi.vec<i1>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<i1>, !phi.vec<i64>> {
    %taken = phi.proj %state, 0 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i1>
    %all = phi.proj %state, 1 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i64>
    %masked = phi.array (%j < %n) -> !phi.vec<f64> {
      %is_taken = phi.get %taken[%j] : !phi.vec<i1>[index]
      %x = phi.get %v[%j] : !phi.vec<f64>[index]
      %y = arith.select %is_taken, %low, %x : f64
      phi.yield %y : f64
    }
    %at = phi.argreduce %masked by ">" : !phi.vec<f64>
    %rest = phi.update %taken[%at], %true : (!phi.vec<i1>, i64, i1) -> !phi.vec<i1>
    %more = phi.update %all[%rank], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<i1>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<i1>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @masked(
// CHECK:        %init = phi.tuple (%before, %none) : tuple<!phi.vec<i1>, !phi.vec<i64>>
// CHECK-NEXT:   %masked = phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %is_taken = phi.get %before[%j] : !phi.vec<i1>[index]
// CHECK-NEXT:     %x = phi.get %v[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:     %y = arith.select %is_taken, %low, %x : f64
// CHECK-NEXT:     phi.yield %y : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %rank = phi.top_k %masked, %k by ">" : !phi.vec<f64>
// CHECK-NEXT:   %s = phi.fold (%rank_1 < %k, %state = %init) -> tuple<!phi.vec<i1>, !phi.vec<i64>> {
// CHECK-NEXT:     %taken = phi.proj %state, 0 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i1>
// CHECK-NEXT:     %all = phi.proj %state, 1 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:     %at = phi.get %rank[%rank_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %more = phi.update %all[%rank_1], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:     %next = phi.tuple (%taken, %more) : tuple<!phi.vec<i1>, !phi.vec<i64>>
// CHECK-NEXT:     phi.yield %next : tuple<!phi.vec<i1>, !phi.vec<i64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.proj %s, 1 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// Not if the remaining elements are used,
func.func @what_is_left(%v: !phi.vec<f64>, %k: i64) -> !phi.vec<f64> {
  %inf = arith.constant 0x7ff0000000000000 : f64
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
    %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
    %at = phi.argreduce %left by "<" : !phi.vec<f64>
    %rest = phi.update %left[%at], %inf : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %more = phi.update %all[%rank], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
  }
  %r0 = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
  func.return %r0 : !phi.vec<f64>
}

// CHECK-LABEL: func.func @what_is_left(
// CHECK-NOT:     phi.top_k
// CHECK:         phi.argreduce

// -----

// nor if the last of ties comes first,
func.func @last_of_ties(%v: !phi.vec<f64>, %k: i64) -> !phi.vec<i64> {
  %inf = arith.constant 0x7ff0000000000000 : f64
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
    %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
    %at = phi.argreduce %left by "<=" : !phi.vec<f64>
    %rest = phi.update %left[%at], %inf : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %more = phi.update %all[%rank], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @last_of_ties(
// CHECK-NOT:     phi.top_k
// CHECK:         phi.argreduce

// -----

// nor if the found element stays,
func.func @finite(%v: !phi.vec<f64>, %k: i64) -> !phi.vec<i64> {
  %inf = arith.constant 1.0e9 : f64
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
    %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
    %at = phi.argreduce %left by "<" : !phi.vec<f64>
    %rest = phi.update %left[%at], %inf : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %more = phi.update %all[%rank], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @finite(
// CHECK-NOT:     phi.top_k
// CHECK:         phi.argreduce

// -----

// nor if a step reads another remaining element,
func.func @reads_others(%v: !phi.vec<f64>, %k: i64) -> !phi.vec<i64> {
  %inf = arith.constant 0x7ff0000000000000 : f64
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
    %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
    %at = phi.argreduce %left by "<" : !phi.vec<f64>
    %rest = phi.update %left[%at], %inf : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %other = phi.get %left[%rank] : !phi.vec<f64>[i64]
    %y = arith.fptosi %other : f64 to i64
    %more = phi.update %all[%rank], %y : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @reads_others(
// CHECK-NOT:     phi.top_k
// CHECK:         phi.argreduce

// -----

// nor if another element is removed,
func.func @loses_others(%v: !phi.vec<f64>, %k: i64) -> !phi.vec<i64> {
  %inf = arith.constant 0x7ff0000000000000 : f64
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
    %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
    %at = phi.argreduce %left by "<" : !phi.vec<f64>
    %rest = phi.update %left[%rank], %inf : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %more = phi.update %all[%rank], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @loses_others(
// CHECK-NOT:     phi.top_k
// CHECK:         phi.argreduce

// -----

// nor if more than the remaining elements are searched,
func.func @of_other_size(%v: !phi.vec<f64>, %w: !phi.vec<f64>, %k: i64) -> !phi.vec<i64> {
  %inf = arith.constant 0x7ff0000000000000 : f64
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %n = phi.size %w, 0 : !phi.vec<f64>
  %init = phi.tuple (%v, %none) : tuple<!phi.vec<f64>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %left = phi.proj %state, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
    %all = phi.proj %state, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
    %copy = phi.array (%j < %n) -> !phi.vec<f64> {
      %j_1 = arith.index_cast %j : index to i64
      %x = phi.get %left[%j_1] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    %at = phi.argreduce %copy by "<" : !phi.vec<f64>
    %rest = phi.update %left[%at], %inf : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %found = phi.get %left[%at] : !phi.vec<f64>[i64]
    %y = arith.fptosi %found : f64 to i64
    %more = phi.update %all[%rank], %y : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<f64>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @of_other_size(
// CHECK-NOT:     phi.top_k
// CHECK:         phi.argreduce

// -----

// nor if the searched array varies with the step.
func.func @varying(%v: !phi.vec<f64>, %before: !phi.vec<i1>, %k: i64) -> !phi.vec<i64> {
  %low = arith.constant 0xfff0000000000000 : f64
  %true = arith.constant true
  %n = phi.size %before, 0 : !phi.vec<i1>
  %zero = arith.constant 0 : i64
  %none = phi.array (%i < %k) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %init = phi.tuple (%before, %none) : tuple<!phi.vec<i1>, !phi.vec<i64>>
  %s = phi.fold (%rank < %k, %state = %init) -> tuple<!phi.vec<i1>, !phi.vec<i64>> {
    %taken = phi.proj %state, 0 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i1>
    %all = phi.proj %state, 1 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i64>
    %masked = phi.array (%j < %n) -> !phi.vec<f64> {
      %is_taken = phi.get %taken[%j] : !phi.vec<i1>[index]
      %x = phi.get %v[%j] : !phi.vec<f64>[index]
      %step = arith.sitofp %rank : i64 to f64
      %z = arith.mulf %x, %step : f64
      %y = arith.select %is_taken, %low, %z : f64
      phi.yield %y : f64
    }
    %at = phi.argreduce %masked by ">" : !phi.vec<f64>
    %rest = phi.update %taken[%at], %true : (!phi.vec<i1>, i64, i1) -> !phi.vec<i1>
    %more = phi.update %all[%rank], %at : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%rest, %more) : tuple<!phi.vec<i1>, !phi.vec<i64>>
    phi.yield %next : tuple<!phi.vec<i1>, !phi.vec<i64>>
  }
  %r = phi.proj %s, 1 : tuple<!phi.vec<i1>, !phi.vec<i64>> -> !phi.vec<i64>
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @varying(
// CHECK-NOT:     phi.top_k
// CHECK:         phi.argreduce
