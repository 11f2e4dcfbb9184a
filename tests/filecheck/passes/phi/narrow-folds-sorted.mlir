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
// CHECK-NEXT:        %0 = phi.searchsorted %t, %q right : !phi.vec<f64>, f64
// CHECK-NEXT:        %1 = arith.constant 0 : i64
// CHECK-NEXT:        %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:        %3 = phi.size %t, 0 : !phi.vec<f64>
// CHECK-NEXT:        %4 = arith.constant 1 : i64
// CHECK-NEXT:        %5 = arith.subi %3, %4 : i64
// CHECK-NEXT:        %6 = arith.constant 0 : i64
// CHECK-NEXT:        %7 = arith.maxsi %5, %6 : i64
// CHECK-NEXT:        %8 = arith.constant true
// CHECK-NEXT:        %9 = phi.fold (%10 < %7, %11 = %8) -> i1 {
// CHECK-NEXT:          %12 = phi.get %t[%10] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %13 = arith.constant 1 : i64
// CHECK-NEXT:          %14 = arith.addi %10, %13 : i64
// CHECK-NEXT:          %15 = phi.get %t[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %16 = arith.cmpf ole, %12, %15 : f64
// CHECK-NEXT:          %17 = arith.andi %11, %16 : i1
// CHECK-NEXT:          phi.yield %17 : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        %18 = arith.constant 64 : i64
// CHECK-NEXT:        %19 = arith.cmpi sge, %n, %18 : i64
// CHECK-NEXT:        %20 = arith.andi %9, %19 : i1
// CHECK-NEXT:        %21 = arith.constant 0 : i64
// CHECK-NEXT:        %22 = arith.minsi %n, %21 : i64
// CHECK-NEXT:        %23 = arith.select %20, %22, %n : i64
// CHECK-NEXT:        %24 = arith.select %20, %n, %22 : i64
// CHECK-NEXT:        %25 = arith.constant -1 : i64
// CHECK-NEXT:        %26 = arith.maxsi %i, %25 : i64
// CHECK-NEXT:        %27 = arith.constant 1 : i64
// CHECK-NEXT:        %28 = arith.subi %23, %27 : i64
// CHECK-NEXT:        %29 = arith.minsi %26, %28 : i64
// CHECK-NEXT:        %30 = arith.constant 1 : i64
// CHECK-NEXT:        %31 = arith.addi %29, %30 : i64
// CHECK-NEXT:        %r = phi.fold (%k < %31, %acc = %zero) -> f64 {
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
// CHECK-NEXT:        %32 = arith.constant -1 : i64
// CHECK-NEXT:        %33 = arith.maxsi %i, %32 : i64
// CHECK-NEXT:        %34 = arith.constant 1 : i64
// CHECK-NEXT:        %35 = arith.subi %24, %34 : i64
// CHECK-NEXT:        %36 = arith.minsi %33, %35 : i64
// CHECK-NEXT:        %37 = arith.constant 1 : i64
// CHECK-NEXT:        %38 = arith.addi %36, %37 : i64
// CHECK-NEXT:        %39 = arith.constant 0 : i64
// CHECK-NEXT:        %40 = arith.maxsi %2, %39 : i64
// CHECK-NEXT:        %41 = arith.minsi %40, %24 : i64
// CHECK-NEXT:        %42 = arith.subi %38, %41 : i64
// CHECK-NEXT:        %43 = arith.constant 0 : i64
// CHECK-NEXT:        %44 = arith.maxsi %42, %43 : i64
// CHECK-NEXT:        %r_1 = phi.fold (%k_1 < %44, %acc_1 = %r) -> f64 {
// CHECK-NEXT:          %is_before_2 = arith.constant true
// CHECK-NEXT:          %is_after_1 = arith.constant true
// CHECK-NEXT:          %k_2 = arith.addi %41, %k_1 : i64
// CHECK-NEXT:          %is_after_2 = arith.cmpi sge, %k_2, %2 : i64
// CHECK-NEXT:          %is_before_3 = arith.cmpi sle, %k_2, %i : i64
// CHECK-NEXT:          %is_inside_1 = arith.andi %is_before_2, %is_after_1 : i1
// CHECK-NEXT:          %y_1 = phi.get %v[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %e_1 = arith.select %is_inside_1, %y_1, %zero : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc_1, %e_1 : f64
// CHECK-NEXT:          phi.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r_1 : f64
// CHECK-NEXT:      }

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
// CHECK-NEXT:        %0 = arith.constant 0 : i64
// CHECK-NEXT:        %1 = arith.maxsi %n, %0 : i64
// CHECK-NEXT:        %2 = math.ctlz %1 : i64
// CHECK-NEXT:        %3 = arith.constant 64 : i64
// CHECK-NEXT:        %4 = arith.subi %3, %2 : i64
// CHECK-NEXT:        %5 = arith.constant 0 : i64
// CHECK-NEXT:        %6 = phi.fold (%7 < %4, %8 = %5) -> i64 {
// CHECK-NEXT:          %9 = arith.constant 1 : i64
// CHECK-NEXT:          %10 = arith.subi %4, %9 : i64
// CHECK-NEXT:          %11 = arith.subi %10, %7 : i64
// CHECK-NEXT:          %12 = arith.shli %9, %11 : i64
// CHECK-NEXT:          %13 = arith.addi %8, %12 : i64
// CHECK-NEXT:          %14 = arith.subi %13, %9 : i64
// CHECK-NEXT:          %x = phi.get %t[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %difference = arith.subf %x, %q : f64
// CHECK-NEXT:          %15 = arith.cmpf olt, %difference, %d : f64
// CHECK-NEXT:          %16 = arith.cmpi sle, %13, %n : i64
// CHECK-NEXT:          %17 = arith.andi %16, %15 : i1
// CHECK-NEXT:          %18 = arith.select %17, %13, %8 : i64
// CHECK-NEXT:          phi.yield %18 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %19 = arith.constant 0 : i64
// CHECK-NEXT:        %20 = arith.maxsi %n, %19 : i64
// CHECK-NEXT:        %21 = math.ctlz %20 : i64
// CHECK-NEXT:        %22 = arith.constant 64 : i64
// CHECK-NEXT:        %23 = arith.subi %22, %21 : i64
// CHECK-NEXT:        %24 = arith.constant 0 : i64
// CHECK-NEXT:        %25 = phi.fold (%26 < %23, %27 = %24) -> i64 {
// CHECK-NEXT:          %28 = arith.constant 1 : i64
// CHECK-NEXT:          %29 = arith.subi %23, %28 : i64
// CHECK-NEXT:          %30 = arith.subi %29, %26 : i64
// CHECK-NEXT:          %31 = arith.shli %28, %30 : i64
// CHECK-NEXT:          %32 = arith.addi %27, %31 : i64
// CHECK-NEXT:          %33 = arith.subi %32, %28 : i64
// CHECK-NEXT:          %x_1 = phi.get %t[%33] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %difference_1 = arith.subf %x_1, %q : f64
// CHECK-NEXT:          %34 = arith.negf %difference_1 : f64
// CHECK-NEXT:          %35 = arith.cmpf olt, %34, %d : f64
// CHECK-NEXT:          %36 = arith.constant true
// CHECK-NEXT:          %37 = arith.xori %35, %36 : i1
// CHECK-NEXT:          %38 = arith.cmpi sle, %32, %n : i64
// CHECK-NEXT:          %39 = arith.andi %38, %37 : i1
// CHECK-NEXT:          %40 = arith.select %39, %32, %27 : i64
// CHECK-NEXT:          phi.yield %40 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %41 = phi.size %t, 0 : !phi.vec<f64>
// CHECK-NEXT:        %42 = arith.constant 1 : i64
// CHECK-NEXT:        %43 = arith.subi %41, %42 : i64
// CHECK-NEXT:        %44 = arith.constant 0 : i64
// CHECK-NEXT:        %45 = arith.maxsi %43, %44 : i64
// CHECK-NEXT:        %46 = arith.constant true
// CHECK-NEXT:        %47 = phi.fold (%48 < %45, %49 = %46) -> i1 {
// CHECK-NEXT:          %50 = phi.get %t[%48] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %51 = arith.constant 1 : i64
// CHECK-NEXT:          %52 = arith.addi %48, %51 : i64
// CHECK-NEXT:          %53 = phi.get %t[%52] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %54 = arith.cmpf ole, %50, %53 : f64
// CHECK-NEXT:          %55 = arith.andi %49, %54 : i1
// CHECK-NEXT:          phi.yield %55 : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        %56 = arith.constant 64 : i64
// CHECK-NEXT:        %57 = arith.cmpi sge, %n, %56 : i64
// CHECK-NEXT:        %58 = arith.constant 0 : i64
// CHECK-NEXT:        %59 = phi.get %t[%58] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %60 = arith.subf %59, %59 : f64
// CHECK-NEXT:        %61 = arith.cmpf ord, %60, %60 : f64
// CHECK-NEXT:        %62 = phi.get %t[%45] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %63 = arith.subf %62, %62 : f64
// CHECK-NEXT:        %64 = arith.cmpf ord, %63, %63 : f64
// CHECK-NEXT:        %65 = arith.andi %47, %57 : i1
// CHECK-NEXT:        %66 = arith.andi %65, %61 : i1
// CHECK-NEXT:        %67 = arith.andi %66, %64 : i1
// CHECK-NEXT:        %68 = arith.constant 0 : i64
// CHECK-NEXT:        %69 = arith.minsi %n, %68 : i64
// CHECK-NEXT:        %70 = arith.select %67, %69, %n : i64
// CHECK-NEXT:        %71 = arith.select %67, %n, %69 : i64
// CHECK-NEXT:        %r = phi.fold (%k < %70, %acc = %zero) -> f64 {
// CHECK-NEXT:          %x_2 = phi.get %t[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %difference_2 = arith.subf %x_2, %q : f64
// CHECK-NEXT:          %distance = math.absf %difference_2 : f64
// CHECK-NEXT:          %is_near = arith.cmpf olt, %distance, %d : f64
// CHECK-NEXT:          %e = arith.select %is_near, %distance, %zero : f64
// CHECK-NEXT:          %next = arith.addf %acc, %e : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %72 = arith.constant 0 : i64
// CHECK-NEXT:        %73 = arith.maxsi %6, %72 : i64
// CHECK-NEXT:        %74 = arith.minsi %73, %71 : i64
// CHECK-NEXT:        %75 = arith.constant 0 : i64
// CHECK-NEXT:        %76 = arith.maxsi %25, %75 : i64
// CHECK-NEXT:        %77 = arith.minsi %76, %71 : i64
// CHECK-NEXT:        %78 = arith.subi %74, %77 : i64
// CHECK-NEXT:        %79 = arith.constant 0 : i64
// CHECK-NEXT:        %80 = arith.maxsi %78, %79 : i64
// CHECK-NEXT:        %r_1 = phi.fold (%k_1 < %80, %acc_1 = %r) -> f64 {
// CHECK-NEXT:          %81 = arith.constant true
// CHECK-NEXT:          %82 = arith.constant true
// CHECK-NEXT:          %k_2 = arith.addi %77, %k_1 : i64
// CHECK-NEXT:          %83 = arith.cmpi slt, %k_2, %6 : i64
// CHECK-NEXT:          %84 = arith.cmpi sge, %k_2, %25 : i64
// CHECK-NEXT:          %is_near_1 = arith.andi %81, %82 : i1
// CHECK-NEXT:          %x_3 = phi.get %t[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %difference_3 = arith.subf %x_3, %q : f64
// CHECK-NEXT:          %distance_1 = math.absf %difference_3 : f64
// CHECK-NEXT:          %e_1 = arith.select %is_near_1, %distance_1, %zero : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc_1, %e_1 : f64
// CHECK-NEXT:          phi.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r_1 : f64
// CHECK-NEXT:      }

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
// CHECK-NEXT:      }

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

// CHECK-LABEL: func.func @last(
// CHECK:              %[[most:.*]] = arith.constant 4611686018427387904 : i64
// CHECK-NEXT:         arith.cmpi ult, %{{.*}}, %[[most]] : i64
// CHECK:              arith.addi %now, %{{.*}} : i64
// CHECK:              phi.fold (%k < %{{.*}}, %acc = %zero) -> f64 {
// CHECK:              phi.fold (%k_1 < %{{.*}}, %acc_1 = %r) -> f64 {
// CHECK-NOT:          arith.subi %now
// CHECK:              func.return
