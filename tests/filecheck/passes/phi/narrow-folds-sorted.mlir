// RUN: ein-opt %s -p "narrow-folds{irregular=true sorted=true}" | filecheck %s

// The steps of a window of keys, if these ascend; all steps, if they do not.

func.func @recent(%t: !phi.vec<f64>, %v: !phi.vec<f64>, %i: i64, %q: f64) -> f64 {
  %n = phi.size %t, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %x = phi.get %t[%k] : !phi.vec<f64>[i64]
    %is_before = arith.cmpi sle, %k, %i : i64
    %is_after = arith.cmpf ogt, %x, %q : f64
    %is_inside = arith.andi %is_before, %is_after : i1
    %y = phi.get %v[%k] : !phi.vec<f64>[i64]
    %e = arith.select %is_inside, %y, %zero : f64
    %next = arith.addf %acc, %e : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @recent(%t: !phi.vec<f64>, %v: !phi.vec<f64>, %i: i64, %q: f64) -> f64 {
// CHECK-NEXT:        %n = phi.size %t, 0 : !phi.vec<f64>
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %0 = phi.size %t, 0 : !phi.vec<f64>
// CHECK-NEXT:        %1 = arith.constant 1 : i64
// CHECK-NEXT:        %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:        %3 = arith.constant 0 : i64
// CHECK-NEXT:        %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:        %5 = arith.constant true
// CHECK-NEXT:        %6 = phi.fold (%7 < %4, %8 = %5) -> i1 {
// CHECK-NEXT:          %9 = phi.get %t[%7] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %10 = arith.constant 1 : i64
// CHECK-NEXT:          %11 = arith.addi %7, %10 : i64
// CHECK-NEXT:          %12 = phi.get %t[%11] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %13 = arith.cmpf ole, %9, %12 : f64
// CHECK-NEXT:          %14 = arith.andi %8, %13 : i1
// CHECK-NEXT:          phi.yield %14 : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        %15 = arith.constant 64 : i64
// CHECK-NEXT:        %16 = arith.cmpi sge, %n, %15 : i64
// CHECK-NEXT:        %17 = arith.andi %6, %16 : i1
// CHECK-NEXT:        %18 = arith.constant 0 : i64
// CHECK-NEXT:        %19 = arith.minsi %n, %18 : i64
// CHECK-NEXT:        %20 = arith.select %17, %19, %n : i64
// CHECK-NEXT:        %21 = arith.select %17, %n, %19 : i64
// CHECK-NEXT:        %22 = arith.constant -1 : i64
// CHECK-NEXT:        %23 = arith.maxsi %i, %22 : i64
// CHECK-NEXT:        %24 = arith.constant 1 : i64
// CHECK-NEXT:        %25 = arith.subi %20, %24 : i64
// CHECK-NEXT:        %26 = arith.minsi %23, %25 : i64
// CHECK-NEXT:        %27 = arith.constant 1 : i64
// CHECK-NEXT:        %28 = arith.addi %26, %27 : i64
// CHECK-NEXT:        %r = phi.fold (%k < %28, %acc = %zero) -> f64 {
// CHECK-NEXT:          %is_before = arith.constant true
// CHECK-NEXT:          %x = phi.get %t[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %is_before_1 = arith.cmpi sle, %k, %i : i64
// CHECK-NEXT:          %is_after = arith.cmpf ogt, %x, %q : f64
// CHECK-NEXT:          %is_inside = arith.andi %is_before, %is_after : i1
// CHECK-NEXT:          %y = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %e = arith.select %is_inside, %y, %zero : f64
// CHECK-NEXT:          %next = arith.addf %acc, %e : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %29 = phi.searchsorted %t, %q right : !phi.vec<f64>, f64
// CHECK-NEXT:        %30 = arith.constant 0 : i64
// CHECK-NEXT:        %31 = arith.subi %29, %30 : i64
// CHECK-NEXT:        %32 = arith.constant -1 : i64
// CHECK-NEXT:        %33 = arith.maxsi %i, %32 : i64
// CHECK-NEXT:        %34 = arith.constant 1 : i64
// CHECK-NEXT:        %35 = arith.subi %21, %34 : i64
// CHECK-NEXT:        %36 = arith.minsi %33, %35 : i64
// CHECK-NEXT:        %37 = arith.constant 1 : i64
// CHECK-NEXT:        %38 = arith.addi %36, %37 : i64
// CHECK-NEXT:        %39 = arith.constant 0 : i64
// CHECK-NEXT:        %40 = arith.maxsi %31, %39 : i64
// CHECK-NEXT:        %41 = arith.minsi %40, %21 : i64
// CHECK-NEXT:        %42 = arith.subi %38, %41 : i64
// CHECK-NEXT:        %43 = arith.constant 0 : i64
// CHECK-NEXT:        %44 = arith.maxsi %42, %43 : i64
// CHECK-NEXT:        %r_1 = phi.fold (%k_1 < %44, %acc_1 = %r) -> f64 {
// CHECK-NEXT:          %is_before_2 = arith.constant true
// CHECK-NEXT:          %is_after_1 = arith.constant true
// CHECK-NEXT:          %k_2 = arith.addi %41, %k_1 : i64
// CHECK-NEXT:          %is_after_2 = arith.cmpi sge, %k_2, %31 : i64
// CHECK-NEXT:          %is_before_3 = arith.cmpi sle, %k_2, %i : i64
// CHECK-NEXT:          %is_inside_1 = arith.andi %is_before_2, %is_after_1 : i1
// CHECK-NEXT:          %y_1 = phi.get %v[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %e_1 = arith.select %is_inside_1, %y_1, %zero : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc_1, %e_1 : f64
// CHECK-NEXT:          phi.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r_1 : f64
// CHECK-NEXT:        }

// A sum with an element of a magnitude is compared by halves: NaN and infinities are excluded.

func.func @near(%t: !phi.vec<f64>, %q: f64, %d: f64) -> f64 {
  %n = phi.size %t, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %x = phi.get %t[%k] : !phi.vec<f64>[i64]
    %difference = arith.subf %x, %q : f64
    %distance = math.absf %difference : f64
    %is_near = arith.cmpf olt, %distance, %d : f64
    %e = arith.select %is_near, %distance, %zero : f64
    %next = arith.addf %acc, %e : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @near(%t: !phi.vec<f64>, %q: f64, %d: f64) -> f64 {
// CHECK-NEXT:        %n = phi.size %t, 0 : !phi.vec<f64>
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %0 = phi.size %t, 0 : !phi.vec<f64>
// CHECK-NEXT:        %1 = arith.constant 1 : i64
// CHECK-NEXT:        %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:        %3 = arith.constant 0 : i64
// CHECK-NEXT:        %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:        %5 = arith.constant true
// CHECK-NEXT:        %6 = phi.fold (%7 < %4, %8 = %5) -> i1 {
// CHECK-NEXT:          %9 = phi.get %t[%7] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %10 = arith.constant 1 : i64
// CHECK-NEXT:          %11 = arith.addi %7, %10 : i64
// CHECK-NEXT:          %12 = phi.get %t[%11] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %13 = arith.cmpf ole, %9, %12 : f64
// CHECK-NEXT:          %14 = arith.andi %8, %13 : i1
// CHECK-NEXT:          phi.yield %14 : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        %15 = arith.constant 64 : i64
// CHECK-NEXT:        %16 = arith.cmpi sge, %n, %15 : i64
// CHECK-NEXT:        %17 = arith.constant 0 : i64
// CHECK-NEXT:        %18 = phi.get %t[%17] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %19 = arith.subf %18, %18 : f64
// CHECK-NEXT:        %20 = arith.cmpf ord, %19, %19 : f64
// CHECK-NEXT:        %21 = phi.get %t[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %22 = arith.subf %21, %21 : f64
// CHECK-NEXT:        %23 = arith.cmpf ord, %22, %22 : f64
// CHECK-NEXT:        %24 = arith.andi %6, %16 : i1
// CHECK-NEXT:        %25 = arith.andi %24, %20 : i1
// CHECK-NEXT:        %26 = arith.andi %25, %23 : i1
// CHECK-NEXT:        %27 = arith.constant 0 : i64
// CHECK-NEXT:        %28 = arith.minsi %n, %27 : i64
// CHECK-NEXT:        %29 = arith.select %26, %28, %n : i64
// CHECK-NEXT:        %30 = arith.select %26, %n, %28 : i64
// CHECK-NEXT:        %r = phi.fold (%k < %29, %acc = %zero) -> f64 {
// CHECK-NEXT:          %x = phi.get %t[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %difference = arith.subf %x, %q : f64
// CHECK-NEXT:          %distance = math.absf %difference : f64
// CHECK-NEXT:          %is_near = arith.cmpf olt, %distance, %d : f64
// CHECK-NEXT:          %e = arith.select %is_near, %distance, %zero : f64
// CHECK-NEXT:          %next = arith.addf %acc, %e : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %31 = arith.constant 0 : i64
// CHECK-NEXT:        %32 = arith.maxsi %30, %31 : i64
// CHECK-NEXT:        %33 = math.ctlz %32 : i64
// CHECK-NEXT:        %34 = arith.constant 64 : i64
// CHECK-NEXT:        %35 = arith.subi %34, %33 : i64
// CHECK-NEXT:        %36 = arith.constant 0 : i64
// CHECK-NEXT:        %37 = phi.fold (%38 < %35, %39 = %36) -> i64 {
// CHECK-NEXT:          %40 = arith.constant 1 : i64
// CHECK-NEXT:          %41 = arith.subi %35, %40 : i64
// CHECK-NEXT:          %42 = arith.subi %41, %38 : i64
// CHECK-NEXT:          %43 = arith.shli %40, %42 : i64
// CHECK-NEXT:          %44 = arith.addi %39, %43 : i64
// CHECK-NEXT:          %45 = arith.subi %44, %40 : i64
// CHECK-NEXT:          %x_1 = phi.get %t[%45] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %difference_1 = arith.subf %x_1, %q : f64
// CHECK-NEXT:          %46 = arith.cmpf olt, %difference_1, %d : f64
// CHECK-NEXT:          %47 = arith.cmpi sle, %44, %30 : i64
// CHECK-NEXT:          %48 = arith.andi %47, %46 : i1
// CHECK-NEXT:          %49 = arith.select %48, %44, %39 : i64
// CHECK-NEXT:          phi.yield %49 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %50 = arith.constant 0 : i64
// CHECK-NEXT:        %51 = arith.maxsi %30, %50 : i64
// CHECK-NEXT:        %52 = math.ctlz %51 : i64
// CHECK-NEXT:        %53 = arith.constant 64 : i64
// CHECK-NEXT:        %54 = arith.subi %53, %52 : i64
// CHECK-NEXT:        %55 = arith.constant 0 : i64
// CHECK-NEXT:        %56 = phi.fold (%57 < %54, %58 = %55) -> i64 {
// CHECK-NEXT:          %59 = arith.constant 1 : i64
// CHECK-NEXT:          %60 = arith.subi %54, %59 : i64
// CHECK-NEXT:          %61 = arith.subi %60, %57 : i64
// CHECK-NEXT:          %62 = arith.shli %59, %61 : i64
// CHECK-NEXT:          %63 = arith.addi %58, %62 : i64
// CHECK-NEXT:          %64 = arith.subi %63, %59 : i64
// CHECK-NEXT:          %x_2 = phi.get %t[%64] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %difference_2 = arith.subf %x_2, %q : f64
// CHECK-NEXT:          %65 = arith.negf %difference_2 : f64
// CHECK-NEXT:          %66 = arith.cmpf olt, %65, %d : f64
// CHECK-NEXT:          %67 = arith.constant true
// CHECK-NEXT:          %68 = arith.xori %66, %67 : i1
// CHECK-NEXT:          %69 = arith.cmpi sle, %63, %30 : i64
// CHECK-NEXT:          %70 = arith.andi %69, %68 : i1
// CHECK-NEXT:          %71 = arith.select %70, %63, %58 : i64
// CHECK-NEXT:          phi.yield %71 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %72 = arith.constant 0 : i64
// CHECK-NEXT:        %73 = arith.maxsi %37, %72 : i64
// CHECK-NEXT:        %74 = arith.minsi %73, %30 : i64
// CHECK-NEXT:        %75 = arith.constant 0 : i64
// CHECK-NEXT:        %76 = arith.maxsi %56, %75 : i64
// CHECK-NEXT:        %77 = arith.minsi %76, %30 : i64
// CHECK-NEXT:        %78 = arith.subi %74, %77 : i64
// CHECK-NEXT:        %79 = arith.constant 0 : i64
// CHECK-NEXT:        %80 = arith.maxsi %78, %79 : i64
// CHECK-NEXT:        %r_1 = phi.fold (%k_1 < %80, %acc_1 = %r) -> f64 {
// CHECK-NEXT:          %81 = arith.constant true
// CHECK-NEXT:          %82 = arith.constant true
// CHECK-NEXT:          %k_2 = arith.addi %77, %k_1 : i64
// CHECK-NEXT:          %83 = arith.cmpi slt, %k_2, %37 : i64
// CHECK-NEXT:          %84 = arith.cmpi sge, %k_2, %56 : i64
// CHECK-NEXT:          %is_near_1 = arith.andi %81, %82 : i1
// CHECK-NEXT:          %x_3 = phi.get %t[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %difference_3 = arith.subf %x_3, %q : f64
// CHECK-NEXT:          %distance_1 = math.absf %difference_3 : f64
// CHECK-NEXT:          %e_1 = arith.select %is_near_1, %distance_1, %zero : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc_1, %e_1 : f64
// CHECK-NEXT:          phi.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r_1 : f64
// CHECK-NEXT:        }

// One side alone stays a test.

func.func @below(%t: !phi.vec<f64>, %v: !phi.vec<f64>, %q: f64) -> f64 {
  %n = phi.size %t, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %x = phi.get %t[%k] : !phi.vec<f64>[i64]
    %is_below = arith.cmpf olt, %x, %q : f64
    %y = phi.get %v[%k] : !phi.vec<f64>[i64]
    %e = arith.select %is_below, %y, %zero : f64
    %next = arith.addf %acc, %e : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @below(%t: !phi.vec<f64>, %v: !phi.vec<f64>, %q: f64) -> f64 {
// CHECK-NEXT:        %n = phi.size %t, 0 : !phi.vec<f64>
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:          %x = phi.get %t[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %is_below = arith.cmpf olt, %x, %q : f64
// CHECK-NEXT:          %y = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %e = arith.select %is_below, %y, %zero : f64
// CHECK-NEXT:          %next = arith.addf %acc, %e : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : f64
// CHECK-NEXT:        }

// Differences of Ints ascend if none wraps: elements and terms are near to 0.

func.func @last(%t: !phi.vec<i64>, %v: !phi.vec<f64>, %i: i64, %now: i64, %d: i64) -> f64 {
  %n = phi.size %t, 0 : !phi.vec<i64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
    %x = phi.get %t[%k] : !phi.vec<i64>[i64]
    %age = arith.subi %now, %x : i64
    %is_young = arith.cmpi slt, %age, %d : i64
    %is_before = arith.cmpi sle, %k, %i : i64
    %is_inside = arith.andi %is_before, %is_young : i1
    %y = phi.get %v[%k] : !phi.vec<f64>[i64]
    %e = arith.select %is_inside, %y, %zero : f64
    %next = arith.addf %acc, %e : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @last(%t: !phi.vec<i64>, %v: !phi.vec<f64>, %i: i64, %now: i64, %d: i64) -> f64 {
// CHECK-NEXT:        %n = phi.size %t, 0 : !phi.vec<i64>
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %0 = phi.size %t, 0 : !phi.vec<i64>
// CHECK-NEXT:        %1 = arith.constant 1 : i64
// CHECK-NEXT:        %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:        %3 = arith.constant 0 : i64
// CHECK-NEXT:        %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:        %5 = arith.constant true
// CHECK-NEXT:        %6 = phi.fold (%7 < %4, %8 = %5) -> i1 {
// CHECK-NEXT:          %9 = phi.get %t[%7] : !phi.vec<i64>[i64]
// CHECK-NEXT:          %10 = arith.constant 1 : i64
// CHECK-NEXT:          %11 = arith.addi %7, %10 : i64
// CHECK-NEXT:          %12 = phi.get %t[%11] : !phi.vec<i64>[i64]
// CHECK-NEXT:          %13 = arith.cmpi sle, %9, %12 : i64
// CHECK-NEXT:          %14 = arith.andi %8, %13 : i1
// CHECK-NEXT:          phi.yield %14 : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        %15 = arith.constant 64 : i64
// CHECK-NEXT:        %16 = arith.cmpi sge, %n, %15 : i64
// CHECK-NEXT:        %17 = arith.constant 0 : i64
// CHECK-NEXT:        %18 = phi.get %t[%17] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %19 = arith.constant 2305843009213693952 : i64
// CHECK-NEXT:        %20 = arith.addi %18, %19 : i64
// CHECK-NEXT:        %21 = arith.constant 4611686018427387904 : i64
// CHECK-NEXT:        %22 = arith.cmpi ult, %20, %21 : i64
// CHECK-NEXT:        %23 = phi.get %t[%4] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %24 = arith.constant 2305843009213693952 : i64
// CHECK-NEXT:        %25 = arith.addi %23, %24 : i64
// CHECK-NEXT:        %26 = arith.constant 4611686018427387904 : i64
// CHECK-NEXT:        %27 = arith.cmpi ult, %25, %26 : i64
// CHECK-NEXT:        %28 = arith.andi %6, %16 : i1
// CHECK-NEXT:        %29 = arith.andi %28, %22 : i1
// CHECK-NEXT:        %30 = arith.andi %29, %27 : i1
// CHECK-NEXT:        %31 = arith.constant 2305843009213693952 : i64
// CHECK-NEXT:        %32 = arith.addi %now, %31 : i64
// CHECK-NEXT:        %33 = arith.constant 4611686018427387904 : i64
// CHECK-NEXT:        %34 = arith.cmpi ult, %32, %33 : i64
// CHECK-NEXT:        %35 = arith.andi %30, %34 : i1
// CHECK-NEXT:        %36 = arith.constant 0 : i64
// CHECK-NEXT:        %37 = arith.minsi %n, %36 : i64
// CHECK-NEXT:        %38 = arith.select %35, %37, %n : i64
// CHECK-NEXT:        %39 = arith.select %35, %n, %37 : i64
// CHECK-NEXT:        %40 = arith.constant -1 : i64
// CHECK-NEXT:        %41 = arith.maxsi %i, %40 : i64
// CHECK-NEXT:        %42 = arith.constant 1 : i64
// CHECK-NEXT:        %43 = arith.subi %38, %42 : i64
// CHECK-NEXT:        %44 = arith.minsi %41, %43 : i64
// CHECK-NEXT:        %45 = arith.constant 1 : i64
// CHECK-NEXT:        %46 = arith.addi %44, %45 : i64
// CHECK-NEXT:        %r = phi.fold (%k < %46, %acc = %zero) -> f64 {
// CHECK-NEXT:          %is_before = arith.constant true
// CHECK-NEXT:          %x = phi.get %t[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:          %age = arith.subi %now, %x : i64
// CHECK-NEXT:          %is_young = arith.cmpi slt, %age, %d : i64
// CHECK-NEXT:          %is_before_1 = arith.cmpi sle, %k, %i : i64
// CHECK-NEXT:          %is_inside = arith.andi %is_before, %is_young : i1
// CHECK-NEXT:          %y = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %e = arith.select %is_inside, %y, %zero : f64
// CHECK-NEXT:          %next = arith.addf %acc, %e : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %47 = arith.constant 0 : i64
// CHECK-NEXT:        %48 = arith.maxsi %39, %47 : i64
// CHECK-NEXT:        %49 = math.ctlz %48 : i64
// CHECK-NEXT:        %50 = arith.constant 64 : i64
// CHECK-NEXT:        %51 = arith.subi %50, %49 : i64
// CHECK-NEXT:        %52 = arith.constant 0 : i64
// CHECK-NEXT:        %53 = phi.fold (%54 < %51, %55 = %52) -> i64 {
// CHECK-NEXT:          %56 = arith.constant 1 : i64
// CHECK-NEXT:          %57 = arith.subi %51, %56 : i64
// CHECK-NEXT:          %58 = arith.subi %57, %54 : i64
// CHECK-NEXT:          %59 = arith.shli %56, %58 : i64
// CHECK-NEXT:          %60 = arith.addi %55, %59 : i64
// CHECK-NEXT:          %61 = arith.subi %60, %56 : i64
// CHECK-NEXT:          %x_1 = phi.get %t[%61] : !phi.vec<i64>[i64]
// CHECK-NEXT:          %age_1 = arith.subi %now, %x_1 : i64
// CHECK-NEXT:          %62 = arith.cmpi slt, %age_1, %d : i64
// CHECK-NEXT:          %63 = arith.constant true
// CHECK-NEXT:          %64 = arith.xori %62, %63 : i1
// CHECK-NEXT:          %65 = arith.cmpi sle, %60, %39 : i64
// CHECK-NEXT:          %66 = arith.andi %65, %64 : i1
// CHECK-NEXT:          %67 = arith.select %66, %60, %55 : i64
// CHECK-NEXT:          phi.yield %67 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %68 = arith.constant -1 : i64
// CHECK-NEXT:        %69 = arith.maxsi %i, %68 : i64
// CHECK-NEXT:        %70 = arith.constant 1 : i64
// CHECK-NEXT:        %71 = arith.subi %39, %70 : i64
// CHECK-NEXT:        %72 = arith.minsi %69, %71 : i64
// CHECK-NEXT:        %73 = arith.constant 1 : i64
// CHECK-NEXT:        %74 = arith.addi %72, %73 : i64
// CHECK-NEXT:        %75 = arith.constant 0 : i64
// CHECK-NEXT:        %76 = arith.maxsi %53, %75 : i64
// CHECK-NEXT:        %77 = arith.minsi %76, %39 : i64
// CHECK-NEXT:        %78 = arith.subi %74, %77 : i64
// CHECK-NEXT:        %79 = arith.constant 0 : i64
// CHECK-NEXT:        %80 = arith.maxsi %78, %79 : i64
// CHECK-NEXT:        %r_1 = phi.fold (%k_1 < %80, %acc_1 = %r) -> f64 {
// CHECK-NEXT:          %is_before_2 = arith.constant true
// CHECK-NEXT:          %is_young_1 = arith.constant true
// CHECK-NEXT:          %k_2 = arith.addi %77, %k_1 : i64
// CHECK-NEXT:          %is_young_2 = arith.cmpi sge, %k_2, %53 : i64
// CHECK-NEXT:          %is_before_3 = arith.cmpi sle, %k_2, %i : i64
// CHECK-NEXT:          %is_inside_1 = arith.andi %is_before_2, %is_young_1 : i1
// CHECK-NEXT:          %y_1 = phi.get %v[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %e_1 = arith.select %is_inside_1, %y_1, %zero : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc_1, %e_1 : f64
// CHECK-NEXT:          phi.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r_1 : f64
// CHECK-NEXT:        }
