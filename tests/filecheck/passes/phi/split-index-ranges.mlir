// RUN: ein-opt %s -p split-index-ranges,cse | filecheck %s
// RUN: ein-opt %s -p "split-index-ranges{static=true}" | filecheck %s --check-prefix=TRACED

// A column that is written: its elements are cut into parts, and the rows are not.
func.func @column(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %c: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %later = arith.cmpi sge, %k, %one : i64
    %new = phi.get %x[%i] : !phi.vec<f64>[index]
    %old = phi.get %a[%i, %c] : !phi.vec<!phi.vec<f64>>[index, i64]
    %e = arith.select %later, %new, %old : f64
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %w = phi.update %row[%c], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK:        func.func @column(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %c: i64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %0 = arith.constant 1 : i64
// CHECK-NEXT:     %1 = arith.minsi %n, %0 : i64
// CHECK-NEXT:     %2 = phi.array (%i < %1) -> !phi.vec<f64> {
// CHECK-NEXT:       %old = phi.get %a[%i, %c] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:       phi.yield %old : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %3 = arith.subi %n, %0 : i64
// CHECK-NEXT:     %4 = arith.constant 0 : i64
// CHECK-NEXT:     %5 = arith.maxsi %3, %4 : i64
// CHECK-NEXT:     %6 = phi.array (%i_1 < %5) -> !phi.vec<f64> {
// CHECK-NEXT:       %7 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:       %i_2 = arith.addi %7, %0 : i64
// CHECK-NEXT:       %new = phi.get %x[%i_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %new : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %8 = phi.concat %2, %6 of %n : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.array (%i_3 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %row = phi.get %a[%i_3] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:       %9 = phi.get %8[%i_3] : !phi.vec<f64>[index]
// CHECK-NEXT:       %w = phi.update %row[%c], %9 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// An interval: the condition is decided in each part, and any part may be empty.

func.func @smooth(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %last = arith.subi %n, %one : i64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi sgt, %k, %zero : i64
    %d = arith.cmpi slt, %k, %last : i64
    %e = arith.andi %c, %d : i1
    %p = arith.subi %k, %one : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %y = phi.get %a[%i] : !phi.vec<f64>[index]
    %s = arith.addf %x, %y : f64
    %r = arith.select %e, %s, %y : f64
    phi.yield %r : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @smooth(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %0 = arith.minsi %n, %one : i64
// CHECK-NEXT:    %1 = phi.array (%i < %0) -> !phi.vec<f64> {
// CHECK-NEXT:      %y = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %y : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %2 = arith.constant 2 : i64
// CHECK-NEXT:    %3 = arith.subi %n, %2 : i64
// CHECK-NEXT:    %4 = arith.constant 0 : i64
// CHECK-NEXT:    %5 = arith.maxsi %3, %4 : i64
// CHECK-NEXT:    %6 = phi.array (%i_1 < %5) -> !phi.vec<f64> {
// CHECK-NEXT:      %7 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:      %i_2 = arith.addi %7, %one : i64
// CHECK-NEXT:      %p = arith.subi %i_2, %one : i64
// CHECK-NEXT:      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %y_1 = phi.get %a[%i_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %s = arith.addf %x, %y_1 : f64
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %8 = arith.subi %n, %one : i64
// CHECK-NEXT:    %9 = arith.maxsi %one, %8 : i64
// CHECK-NEXT:    %10 = arith.subi %n, %9 : i64
// CHECK-NEXT:    %11 = arith.maxsi %10, %4 : i64
// CHECK-NEXT:    %12 = phi.array (%i_3 < %11) -> !phi.vec<f64> {
// CHECK-NEXT:      %13 = arith.index_cast %i_3 : index to i64
// CHECK-NEXT:      %i_4 = arith.addi %13, %9 : i64
// CHECK-NEXT:      %y_2 = phi.get %a[%i_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %y_2 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %14 = phi.concat %1, %6 : !phi.vec<f64>
// CHECK-NEXT:    %b = phi.concat %14, %12 of %n : !phi.vec<f64>
// CHECK-NEXT:    func.return %b : !phi.vec<f64>
// CHECK-NEXT:  }

// A choice that repeats clipping, and a clipped position: the first part reads element 0.

func.func @choice(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi eq, %k, %zero : i64
    %d = arith.cmpi sge, %k, %one : i64
    %p = arith.subi %k, %one : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %y = phi.get %a[%i] : !phi.vec<f64>[index]
    %r = arith.select %d, %x, %y : f64
    phi.yield %r : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @choice(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0 : i64
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %b = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %k = arith.index_cast %i : index to i64
// CHECK-NEXT:      %p = arith.subi %k, %one : i64
// CHECK-NEXT:      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %x : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %b : !phi.vec<f64>
// CHECK-NEXT:  }

// Arbitrary Ints as bounds, in any order. A negative size of the index is an error.

func.func @between(%n: i64, %lo: i64, %hi: i64, %x: f64, %y: f64) -> !phi.vec<f64> {
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi sle, %lo, %k : i64
    %d = arith.cmpi sgt, %hi, %k : i64
    %e = arith.andi %c, %d : i1
    %r = arith.select %e, %x, %y : f64
    phi.yield %r : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @between(%n: i64, %lo: i64, %hi: i64, %x: f64, %y: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %0 = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:      %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:      phi.yield %1 : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    %2 = phi.size %0, 0 : !phi.vec<i64>
// CHECK-NEXT:    %3 = arith.constant 0 : i64
// CHECK-NEXT:    %4 = arith.maxsi %hi, %3 : i64
// CHECK-NEXT:    %5 = arith.minsi %2, %4 : i64
// CHECK-NEXT:    %6 = arith.maxsi %lo, %3 : i64
// CHECK-NEXT:    %7 = arith.minsi %5, %6 : i64
// CHECK-NEXT:    %8 = phi.array (%i_1 < %7) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %y : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %9 = arith.maxsi %3, %6 : i64
// CHECK-NEXT:    %10 = arith.subi %5, %9 : i64
// CHECK-NEXT:    %11 = arith.maxsi %10, %3 : i64
// CHECK-NEXT:    %12 = phi.array (%i_2 < %11) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %x : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %13 = arith.maxsi %3, %4 : i64
// CHECK-NEXT:    %14 = arith.minsi %2, %6 : i64
// CHECK-NEXT:    %15 = arith.subi %14, %13 : i64
// CHECK-NEXT:    %16 = arith.maxsi %15, %3 : i64
// CHECK-NEXT:    %17 = phi.array (%i_3 < %16) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %y : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %18 = arith.maxsi %13, %6 : i64
// CHECK-NEXT:    %19 = arith.subi %2, %18 : i64
// CHECK-NEXT:    %20 = arith.maxsi %19, %3 : i64
// CHECK-NEXT:    %21 = phi.array (%i_4 < %20) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %y : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %22 = phi.concat %8, %12 : !phi.vec<f64>
// CHECK-NEXT:    %23 = phi.concat %22, %17 : !phi.vec<f64>
// CHECK-NEXT:    %b = phi.concat %23, %21 of %2 : !phi.vec<f64>
// CHECK-NEXT:    func.return %b : !phi.vec<f64>
// CHECK-NEXT:  }

// Of two axes, the second is cut only where the first is inside. A record gives two arrays.

func.func @border(%a: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %last = arith.subi %m, %one : i64
  %b = phi.array (%i < %n, %j < %m) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>> {
    %k = arith.index_cast %i : index to i64
    %l = arith.index_cast %j : index to i64
    %c = arith.cmpi slt, %k, %one : i64
    %d = arith.cmpi eq, %l, %last : i64
    %e = arith.ori %c, %d : i1
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = arith.negf %x : f64
    %r = arith.select %e, %x, %y : f64
    %t = phi.tuple (%r, %k) : tuple<f64, i64>
    phi.yield %t : tuple<f64, i64>
  }
  func.return %b : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>>
}
// CHECK-LABEL: func.func @border(%a: !phi.vec<!phi.vec<f64>>) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %0 = arith.minsi %n, %one : i64
// CHECK-NEXT:    %1 = phi.array (%i < %0, %j < %m) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>> {
// CHECK-NEXT:      %k = arith.index_cast %i : index to i64
// CHECK-NEXT:      %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:      %t = phi.tuple (%x, %k) : tuple<f64, i64>
// CHECK-NEXT:      phi.yield %t : tuple<f64, i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %2 = arith.subi %m, %one : i64
// CHECK-NEXT:    %3 = arith.constant 0 : i64
// CHECK-NEXT:    %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:    %5 = arith.maxsi %3, %2 : i64
// CHECK-NEXT:    %6 = arith.subi %m, %5 : i64
// CHECK-NEXT:    %7 = arith.maxsi %6, %3 : i64
// CHECK-NEXT:    %8 = arith.subi %n, %one : i64
// CHECK-NEXT:    %9 = arith.maxsi %8, %3 : i64
// CHECK-NEXT:    %10 = phi.array (%i_1 < %9) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>> {
// CHECK-NEXT:      %11 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:      %i_2 = arith.addi %11, %one : i64
// CHECK-NEXT:      %12 = phi.array (%j_1 < %4) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:        %x_1 = phi.get %a[%i_2, %j_1] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:        %y = arith.negf %x_1 : f64
// CHECK-NEXT:        %t_1 = phi.tuple (%y, %i_2) : tuple<f64, i64>
// CHECK-NEXT:        phi.yield %t_1 : tuple<f64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %13 = phi.array (%j_2 < %7) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:        %14 = arith.index_cast %j_2 : index to i64
// CHECK-NEXT:        %j_3 = arith.addi %14, %5 : i64
// CHECK-NEXT:        %x_2 = phi.get %a[%i_2, %j_3] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:        %t_2 = phi.tuple (%x_2, %i_2) : tuple<f64, i64>
// CHECK-NEXT:        phi.yield %t_2 : tuple<f64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %15 = phi.proj %12, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:      %16 = phi.proj %13, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:      %17 = phi.concat %15, %16 of %m : !phi.vec<f64>
// CHECK-NEXT:      %18 = phi.proj %12, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:      %19 = phi.proj %13, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:      %20 = phi.concat %18, %19 of %m : !phi.vec<i64>
// CHECK-NEXT:      %21 = phi.tuple (%17, %20) : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:      phi.yield %21 : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %22 = phi.proj %1, 0 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %23 = phi.proj %10, 0 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %24 = phi.concat %22, %23 of %n : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %25 = phi.proj %1, 1 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>> -> !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:    %26 = phi.proj %10, 1 : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>> -> !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:    %27 = phi.concat %25, %26 of %n : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:    %b = phi.tuple (%24, %27) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>>
// CHECK-NEXT:    func.return %b : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<i64>>>
// CHECK-NEXT:  }

// Unchanged: one element in the middle, a bound that varies with an index, a choice between vectors. A
// bound that is a sum with an Int is the Int that it wraps to.

func.func @whole(%a: !phi.vec<f64>, %m: i64, %v: !phi.vec<f64>, %w: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %updated = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi eq, %k, %m : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %r = arith.select %c, %zero, %x : f64
    phi.yield %r : f64
  }
  %triangle = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %l = arith.index_cast %j : index to i64
    %c = arith.cmpi sle, %l, %k : i64
    %x = phi.get %a[%j] : !phi.vec<f64>[index]
    %r = arith.select %c, %x, %zero : f64
    phi.yield %r : f64
  }
  %next = arith.addi %m, %one : i64
  %wraps = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi slt, %k, %next : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %r = arith.select %c, %x, %zero : f64
    phi.yield %r : f64
  }
  %vectors = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi slt, %k, %one : i64
    %r = arith.select %c, %v, %w : !phi.vec<f64>
    phi.yield %r : !phi.vec<f64>
  }
  func.return %updated, %triangle, %wraps, %vectors : !phi.vec<f64>, !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @whole(%a: !phi.vec<f64>, %m: i64, %v: !phi.vec<f64>, %w: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>) {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %updated = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %k = arith.index_cast %i : index to i64
// CHECK-NEXT:      %c = arith.cmpi eq, %k, %m : i64
// CHECK-NEXT:      %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %r = arith.select %c, %zero, %x : f64
// CHECK-NEXT:      phi.yield %r : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %triangle = phi.array (%i_1 < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %k_1 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:      %l = arith.index_cast %j : index to i64
// CHECK-NEXT:      %c_1 = arith.cmpi sle, %l, %k_1 : i64
// CHECK-NEXT:      %x_1 = phi.get %a[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:      %r_1 = arith.select %c_1, %x_1, %zero : f64
// CHECK-NEXT:      phi.yield %r_1 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %next = arith.addi %m, %one : i64
// CHECK-NEXT:    %0 = arith.constant 0 : i64
// CHECK-NEXT:    %1 = arith.maxsi %next, %0 : i64
// CHECK-NEXT:    %2 = arith.minsi %n, %1 : i64
// CHECK-NEXT:    %3 = phi.array (%i_2 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:      %x_2 = phi.get %a[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.yield %x_2 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %4 = arith.maxsi %0, %1 : i64
// CHECK-NEXT:    %5 = arith.subi %n, %4 : i64
// CHECK-NEXT:    %6 = arith.maxsi %5, %0 : i64
// CHECK-NEXT:    %7 = phi.array (%i_3 < %6) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %zero : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %wraps = phi.concat %3, %7 of %n : !phi.vec<f64>
// CHECK-NEXT:    %vectors = phi.array (%i_4 < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %k_2 = arith.index_cast %i_4 : index to i64
// CHECK-NEXT:      %c_2 = arith.cmpi slt, %k_2, %one : i64
// CHECK-NEXT:      %r_2 = arith.select %c_2, %v, %w : !phi.vec<f64>
// CHECK-NEXT:      phi.yield %r_2 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %updated, %triangle, %wraps, %vectors : !phi.vec<f64>, !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }

func.func @steps(%a: !phi.vec<f64>, %m: i64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %masked = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi sge, %k, %one : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %r = arith.select %c, %x, %zero : f64
    phi.yield %r : f64
  }
  %s = phi.reduce %masked identity %zero by { arith.addf } -> f64
  func.return %s : f64
}
// CHECK-LABEL: func.func @steps(%a: !phi.vec<f64>, %m: i64) -> f64 {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %masked = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %k = arith.index_cast %i : index to i64
// CHECK-NEXT:      %c = arith.cmpi sge, %k, %one : i64
// CHECK-NEXT:      %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %r = arith.select %c, %x, %zero : f64
// CHECK-NEXT:      phi.yield %r : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %s = phi.reduce %masked identity %zero by { arith.addf } -> f64
// CHECK-NEXT:    func.return %s : f64
// CHECK-NEXT:  }

// The last position of an accumulator, given by the size of the initial value.

func.func @last_in_loop(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.fold (%t < %m, %v = %a) -> !phi.vec<f64> {
    %size = phi.size %v, 0 : !phi.vec<f64>
    %next = phi.array (%i < %size) -> !phi.vec<f64> {
      %k = arith.index_cast %i : index to i64
      %c = arith.cmpi eq, %k, %last : i64
      %x = phi.get %v[%i] : !phi.vec<f64>[index]
      %y = arith.select %c, %zero, %x : f64
      phi.yield %y : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @last_in_loop(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %r = phi.fold (%t < %m, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:        %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:        %0 = arith.subi %n, %one : i64
// CHECK-NEXT:        %1 = arith.constant 0 : i64
// CHECK-NEXT:        %2 = arith.maxsi %0, %1 : i64
// CHECK-NEXT:        %3 = phi.array (%i < %2) -> !phi.vec<f64> {
// CHECK-NEXT:          %x = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %x : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %4 = arith.maxsi %1, %0 : i64
// CHECK-NEXT:        %5 = arith.subi %size, %4 : i64
// CHECK-NEXT:        %6 = arith.maxsi %5, %1 : i64
// CHECK-NEXT:        %7 = phi.array (%i_1 < %6) -> !phi.vec<f64> {
// CHECK-NEXT:          phi.yield %zero : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %next = phi.concat %3, %7 of %size : !phi.vec<f64>
// CHECK-NEXT:        phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : !phi.vec<f64>
// CHECK-NEXT:    }

// Explicit edges are equal to those of clipping.

func.func @named_edges(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %here = phi.get %a[%i] : !phi.vec<f64>[index]
    %p = arith.subi %k, %one : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %first = arith.cmpi eq, %k, %zero : i64
    %left = arith.select %first, %here, %x : f64
    %q = arith.addi %k, %one : i64
    %y = phi.get %a[%q] : !phi.vec<f64>[i64]
    %inside = arith.cmpi ne, %k, %last : i64
    %right = arith.select %inside, %y, %here : f64
    %s = arith.addf %left, %right : f64
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @named_edges(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %last = arith.subi %n, %one : i64
// CHECK-NEXT:      %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %k = arith.index_cast %i : index to i64
// CHECK-NEXT:        %p = arith.subi %k, %one : i64
// CHECK-NEXT:        %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %q = arith.addi %k, %one : i64
// CHECK-NEXT:        %y = phi.get %a[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %s = arith.addf %x, %y : f64
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : !phi.vec<f64>
// CHECK-NEXT:    }

// An equality of an index and an Int cuts off a middle element only next to a bound, if the
// position after it cannot overflow.

func.func @beside_a_bound(%a: !phi.vec<f64>, %x: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%p < %n, %v = %a) -> !phi.vec<f64> {
    %s = phi.array (%i < %n) -> !phi.vec<f64> {
      %k = arith.index_cast %i : index to i64
      %here = phi.get %v[%i] : !phi.vec<f64>[index]
      %at = arith.cmpi eq, %k, %p : i64
      %0 = arith.select %at, %x, %here : f64
      %below = arith.cmpi slt, %k, %p : i64
      %1 = arith.select %below, %zero, %0 : f64
      phi.yield %1 : f64
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @beside_a_bound(%a: !phi.vec<f64>, %x: f64) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %r = phi.fold (%p < %n, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:        %0 = phi.array (%i < %p) -> !phi.vec<f64> {
// CHECK-NEXT:          phi.yield %zero : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %1 = arith.constant 1 : i64
// CHECK-NEXT:        %2 = phi.array (%i_1 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:          phi.yield %x : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %3 = arith.addi %p, %1 : i64
// CHECK-NEXT:        %4 = arith.subi %n, %p : i64
// CHECK-NEXT:        %5 = arith.subi %4, %1 : i64
// CHECK-NEXT:        %6 = arith.constant 0 : i64
// CHECK-NEXT:        %7 = arith.maxsi %5, %6 : i64
// CHECK-NEXT:        %8 = phi.array (%i_2 < %7) -> !phi.vec<f64> {
// CHECK-NEXT:          %9 = arith.index_cast %i_2 : index to i64
// CHECK-NEXT:          %i_3 = arith.addi %9, %3 : i64
// CHECK-NEXT:          %here = phi.get %v[%i_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:          phi.yield %here : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %10 = phi.concat %0, %2 : !phi.vec<f64>
// CHECK-NEXT:        %s = phi.concat %10, %8 of %n : !phi.vec<f64>
// CHECK-NEXT:        phi.yield %s : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : !phi.vec<f64>
// CHECK-NEXT:    }

func.func @in_the_middle(%a: !phi.vec<f64>, %x: f64, %p: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %here = phi.get %a[%i] : !phi.vec<f64>[index]
    %at = arith.cmpi eq, %k, %p : i64
    %0 = arith.select %at, %x, %here : f64
    %below = arith.cmpi slt, %k, %p : i64
    %1 = arith.select %below, %zero, %0 : f64
    phi.yield %1 : f64
  }
  %s = phi.fold (%q < %n, %v = %a) -> !phi.vec<f64> {
    %t = phi.array (%i < %n) -> !phi.vec<f64> {
      %k = arith.index_cast %i : index to i64
      %here = phi.get %v[%i] : !phi.vec<f64>[index]
      %at = arith.cmpi eq, %k, %q : i64
      %0 = arith.select %at, %x, %here : f64
      phi.yield %0 : f64
    }
    phi.yield %t : !phi.vec<f64>
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}
// CHECK-LABEL: func.func @in_the_middle(%a: !phi.vec<f64>, %x: f64, %p: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:      %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = arith.constant 0 : i64
// CHECK-NEXT:      %1 = arith.maxsi %p, %0 : i64
// CHECK-NEXT:      %2 = arith.minsi %n, %1 : i64
// CHECK-NEXT:      %3 = phi.array (%i < %2) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %zero : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %4 = arith.maxsi %0, %1 : i64
// CHECK-NEXT:      %5 = arith.subi %n, %4 : i64
// CHECK-NEXT:      %6 = arith.maxsi %5, %0 : i64
// CHECK-NEXT:      %7 = phi.array (%i_1 < %6) -> !phi.vec<f64> {
// CHECK-NEXT:        %8 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:        %i_2 = arith.addi %8, %4 : i64
// CHECK-NEXT:        %here = phi.get %a[%i_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %at = arith.cmpi eq, %i_2, %p : i64
// CHECK-NEXT:        %9 = arith.select %at, %x, %here : f64
// CHECK-NEXT:        phi.yield %9 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.concat %3, %7 of %n : !phi.vec<f64>
// CHECK-NEXT:      %s = phi.fold (%q < %n, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:        %t = phi.array (%i_3 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %k = arith.index_cast %i_3 : index to i64
// CHECK-NEXT:          %here_1 = phi.get %v[%i_3] : !phi.vec<f64>[index]
// CHECK-NEXT:          %at_1 = arith.cmpi eq, %k, %q : i64
// CHECK-NEXT:          %10 = arith.select %at_1, %x, %here_1 : f64
// CHECK-NEXT:          phi.yield %10 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %t : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:    }

// A difference that may wrap: parts for ordinary Ints, and a copy that is empty for those.

func.func @shifted(%a: !phi.vec<f64>, %s: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %outside = arith.constant 0.0 : f64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %p = arith.subi %k, %s : i64
    %c = arith.cmpi sge, %p, %zero : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %r = arith.select %c, %x, %outside : f64
    phi.yield %r : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @shifted(%a: !phi.vec<f64>, %s: i64) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %zero = arith.constant 0 : i64
// CHECK-NEXT:    %outside = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %0 = arith.constant -288230376151711744 : i64
// CHECK-NEXT:    %1 = arith.cmpi sge, %s, %0 : i64
// CHECK-NEXT:    %2 = arith.constant 288230376151711744 : i64
// CHECK-NEXT:    %3 = arith.cmpi sle, %s, %2 : i64
// CHECK-NEXT:    %4 = arith.andi %1, %3 : i1
// CHECK-NEXT:    %5 = arith.select %4, %n, %zero : i64
// CHECK-NEXT:    %6 = arith.select %4, %zero, %n : i64
// CHECK-NEXT:    %7 = arith.maxsi %s, %zero : i64
// CHECK-NEXT:    %8 = arith.minsi %5, %7 : i64
// CHECK-NEXT:    %9 = phi.array (%i < %8) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %outside : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %10 = arith.maxsi %zero, %7 : i64
// CHECK-NEXT:    %11 = arith.subi %5, %10 : i64
// CHECK-NEXT:    %12 = arith.maxsi %11, %zero : i64
// CHECK-NEXT:    %13 = phi.array (%i_1 < %12) -> !phi.vec<f64> {
// CHECK-NEXT:      %14 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:      %i_2 = arith.addi %14, %10 : i64
// CHECK-NEXT:      %p = arith.subi %i_2, %s : i64
// CHECK-NEXT:      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:      phi.yield %x : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %b = phi.concat %9, %13 of %5 : !phi.vec<f64>
// CHECK-NEXT:    %b_1 = phi.array (%i_3 < %6) -> !phi.vec<f64> {
// CHECK-NEXT:      %k = arith.index_cast %i_3 : index to i64
// CHECK-NEXT:      %p_1 = arith.subi %k, %s : i64
// CHECK-NEXT:      %c = arith.cmpi sge, %p_1, %zero : i64
// CHECK-NEXT:      %x_1 = phi.get %a[%p_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %r = arith.select %c, %x_1, %outside : f64
// CHECK-NEXT:      phi.yield %r : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %b_2 = phi.concat %b, %b_1 of %n : !phi.vec<f64>
// CHECK-NEXT:    func.return %b_2 : !phi.vec<f64>
// CHECK-NEXT:  }

// TRACED-LABEL: func.func @shifted(
// TRACED:         phi.array (%i < %n)
// TRACED-NOT:     phi.concat

// So for a value of a step of a loop; elsewhere, only for arguments: the code of both is longer.

func.func @shifted_in_steps(%a: !phi.vec<f64>, %s: !phi.vec<i64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %s, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %outside = arith.constant 0.0 : f64
  %r = phi.fold (%t < %m, %y = %a) -> !phi.vec<f64> {
    %d = phi.get %s[%t] : !phi.vec<i64>[i64]
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %k = arith.index_cast %i : index to i64
      %p = arith.subi %k, %d : i64
      %c = arith.cmpi sge, %p, %zero : i64
      %x = phi.get %y[%p] : !phi.vec<f64>[i64]
      %z = arith.select %c, %x, %outside : f64
      phi.yield %z : f64
    }
    phi.yield %b : !phi.vec<f64>
  }
  %first = phi.get %s[%zero] : !phi.vec<i64>[i64]
  %q = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %p = arith.subi %k, %first : i64
    %c = arith.cmpi sge, %p, %zero : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %z = arith.select %c, %x, %outside : f64
    phi.yield %z : f64
  }
  func.return %r, %q : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @shifted_in_steps(
// CHECK:         phi.fold
// CHECK:           arith.constant 288230376151711744
// CHECK:           phi.concat
// CHECK:           phi.yield
// CHECK:         phi.array (%{{.*}} < %n)
// CHECK-NOT:     phi.concat
// CHECK:         func.return

// TRACED-LABEL: func.func @shifted_in_steps(
// TRACED-NOT:     phi.concat
// TRACED:         func.return

// A condition beside a comparison of elements is that of a selection: inner elements have none.
func.func @rising(%x: !phi.vec<f64>) -> !phi.vec<i1> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i1> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi sgt, %k, %zero : i64
    %p = arith.subi %k, %one : i64
    %y = phi.get %x[%p] : !phi.vec<f64>[i64]
    %z = phi.get %x[%i] : !phi.vec<f64>[index]
    %d = arith.cmpf ogt, %z, %y : f64
    %e = arith.andi %c, %d : i1
    phi.yield %e : i1
  }
  func.return %r : !phi.vec<i1>
}

// TRACED-LABEL: func.func @rising(
// CHECK-LABEL: func.func @rising(
// CHECK:         phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<i1> {
// CHECK-NOT:       arith.cmpi
// CHECK:           arith.cmpf ogt
// CHECK:         phi.concat

// Conditions of the elements of Bools, beside Bools that are read or others, are those of selections.
func.func @subsets(%d: !phi.vec<i1>, %t: i32) -> (!phi.vec<i1>, !phi.vec<i1>) {
  %far = arith.extsi %t : i32 to i64
  %n = phi.size %d, 0 : !phi.vec<i1>
  %r = phi.array (%i < %n) -> !phi.vec<i1> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi sge, %k, %far : i64
    %p = arith.subi %k, %far : i64
    %x = phi.get %d[%p] : !phi.vec<i1>[i64]
    %y = arith.andi %c, %x : i1
    phi.yield %y : i1
  }
  %s = phi.array (%i < %n) -> !phi.vec<i1> {
    %k = arith.index_cast %i : index to i64
    %c = arith.cmpi sge, %k, %far : i64
    %e = arith.cmpi ne, %k, %n : i64
    %y = arith.andi %c, %e : i1
    phi.yield %y : i1
  }
  func.return %r, %s : !phi.vec<i1>, !phi.vec<i1>
}

// CHECK-LABEL: func.func @subsets(
// CHECK:         %[[LOW:.*]] = phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<i1> {
// CHECK-NOT:       phi.get
// CHECK:         %[[HIGH:.*]] = phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<i1> {
// CHECK-NOT:       arith.cmpi
// CHECK:           phi.get %d
// CHECK:         %r = phi.concat %[[LOW]], %[[HIGH]]
// CHECK:         phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<i1> {
// CHECK-NOT:       phi.get
// CHECK:           arith.constant true
// CHECK:         %s = phi.concat

// The index of a part of one element is 0, so that its value can leave the comprehension.
func.func @first_of_all(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %later = arith.cmpi sge, %k, %one : i64
    %p = arith.subi %k, %one : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[i64]
    %y = phi.get %a[%i] : !phi.vec<f64>[index]
    %d = arith.subf %y, %x : f64
    %s = arith.negf %y : f64
    %e = arith.select %later, %d, %s : f64
    phi.yield %e : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @first_of_all(
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:         phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK-NEXT:      %y = phi.get %a[%[[ZERO]]] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %s = arith.negf %y : f64
// CHECK-NEXT:      phi.yield %s : f64
// -----

// Split if it is read besides.
func.func @reduced_and_read(%a: !phi.vec<f64>) -> (!phi.vec<f64>, f64) {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %masked = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %is_first = arith.cmpi eq, %i_1, %none : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = arith.select %is_first, %zero, %x : f64
    phi.yield %y : f64
  }
  %s = phi.reduce %masked identity %zero by { arith.addf } -> f64
  func.return %masked, %s : !phi.vec<f64>, f64
}

// CHECK-LABEL:  func.func @reduced_and_read(
// CHECK-NOT:      arith.select %is_first
// CHECK:          %[[JOINED:.*]] = phi.concat
// CHECK:          phi.reduce %[[JOINED]] identity %zero by { arith.addf } -> f64
// -----

// An absolute value is a choice, and comparisons act on its sides: each part reads a slice.
func.func @mirrored(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %m = arith.addi %n, %two : i64
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %p = arith.subi %k, %one : i64
    %d = math.absi %p : i64
    %e = arith.subi %last, %d : i64
    %f = math.absi %e : i64
    %q = arith.subi %last, %f : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @mirrored(
// CHECK-NOT:     math.absi
// CHECK:         phi.array (%i_1 < %{{.*}}) -> !phi.vec<f64> {
// CHECK-NEXT:      %[[K:.*]] = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:      %[[I:.*]] = arith.addi %[[K]], %{{.*}} : i64
// CHECK-NEXT:      %[[P:.*]] = arith.subi %[[I]], %one : i64
// CHECK-NEXT:      %[[E:.*]] = arith.subi %last, %[[P]] : i64
// CHECK-NEXT:      %[[Q:.*]] = arith.subi %last, %[[E]] : i64
// CHECK-NEXT:      %{{.*}} = phi.get %a[%[[Q]]] : !phi.vec<f64>[i64]
// CHECK-NOT:     math.absi
// CHECK:         func.return
// -----

// The sum of two indices decides nothing: the position stays.
func.func @distance(%a: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %l = arith.index_cast %j : index to i64
    %p = arith.subi %k, %l : i64
    %d = math.absi %p : i64
    %x = phi.get %a[%d] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @distance(
// CHECK:           %d = math.absi %p : i64
// CHECK-NEXT:      %x = phi.get %a[%d] : !phi.vec<f64>[i64]

// -----

// Conditions that are the same for all indices are decided where nothing is cut.
func.func @decided(%a: !phi.vec<f64>, %z: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %m = arith.subi %n, %c1 : i64
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %c1 : i64
    %before = arith.cmpi slt, %q, %n : i64
    %after = arith.cmpi sge, %p, %c0 : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    %y = phi.get %a[%p] : !phi.vec<f64>[i64]
    %s = arith.select %before, %x, %z : f64
    %t = arith.select %after, %y, %z : f64
    %u = arith.addf %s, %t : f64
    phi.yield %u : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @decided(
// CHECK:           %[[T:.*]] = arith.constant true
// CHECK:           arith.select %[[T]], %x, %z
// CHECK-NEXT:      arith.select %[[T]], %y, %z
