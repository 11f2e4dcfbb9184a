// RUN: ein-opt %s --split-input-file -p raise-products | filecheck %s

// A row of products in a step of a loop over rows: the loop is taken in parts.
func.func @rows(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %r: memref<?xf64>, %n: index, %m: index, %l: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %row = memref.alloc(%m) : memref<?xf64>
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%j: index):
      %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
        %x = memref.load %a[%i, %k] : memref<?x?xf64>
        %y = memref.load %b[%j, %k] : memref<?x?xf64>
        %z = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %z : f64
        scf.yield %next : f64
      }
      memref.store %s, %row[%j] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    %t = scf.for %j = %c0 to %m step %c1 iter_args(%most = %zero) -> (f64) {
      %x = memref.load %row[%j] : memref<?xf64>
      %y = arith.maximumf %x, %most : f64
      scf.yield %y : f64
    }
    memref.store %t, %r[%i] : memref<?xf64>
    memref.dealloc %row : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @rows(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %r: memref<?xf64>, %n: index, %m: index, %l: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.muli %n, %m : index
// CHECK-NEXT:      %2 = arith.muli %1, %l : index
// CHECK-NEXT:      %3 = arith.constant 32768 : index
// CHECK-NEXT:      %4 = arith.cmpi sge, %2, %3 : index
// CHECK-NEXT:      scf.if %4 {
// CHECK-NEXT:        %5 = arith.constant 1 : index
// CHECK-NEXT:        %6 = arith.maxsi %5, %m : index
// CHECK-NEXT:        %7 = arith.maxsi %6, %l : index
// CHECK-NEXT:        %8 = arith.constant 65536 : index
// CHECK-NEXT:        %9 = arith.divsi %8, %7 : index
// CHECK-NEXT:        %10 = arith.constant 16 : index
// CHECK-NEXT:        %11 = arith.divsi %n, %10 : index
// CHECK-NEXT:        %12 = arith.constant 64 : index
// CHECK-NEXT:        %13 = arith.maxsi %11, %12 : index
// CHECK-NEXT:        %14 = arith.minsi %9, %13 : index
// CHECK-NEXT:        %15 = arith.maxsi %14, %5 : index
// CHECK-NEXT:        %16 = arith.constant 0 : index
// CHECK-NEXT:        %17 = arith.subi %15, %5 : index
// CHECK-NEXT:        %18 = arith.addi %n, %17 : index
// CHECK-NEXT:        %19 = arith.divsi %18, %15 : index
// CHECK-NEXT:        "scf.parallel"(%16, %19, %5) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%20: index):
// CHECK-NEXT:          %21 = arith.muli %20, %15 : index
// CHECK-NEXT:          %22 = arith.subi %n, %21 : index
// CHECK-NEXT:          %23 = arith.minsi %22, %15 : index
// CHECK-NEXT:          %24 = arith.constant 0 : index
// CHECK-NEXT:          %25 = arith.constant 1 : index
// CHECK-NEXT:          %26 = memref.alloc(%23, %m) : memref<?x?xf64>
// CHECK-NEXT:          %27 = arith.constant 1 : index
// CHECK-NEXT:          %28 = memref.dim %a, %27 : memref<?x?xf64>
// CHECK-NEXT:          %29 = arith.muli %21, %28 : index
// CHECK-NEXT:          %30 = memref.reinterpret_cast %a to offset: [%29], sizes: [%23, %l], strides: [%28, %27] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:          %31 = memref.subview %b[0, 0] [%m, %l] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:          %32 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %33 = arith.constant 0 : index
// CHECK-NEXT:          "scf.parallel"(%33, %33, %23, %m, %27, %27) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%34: index, %35: index):
// CHECK-NEXT:            memref.store %32, %26[%34, %35] : memref<?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%30, %31 : memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%26 : memref<?x?xf64>) {
// CHECK-NEXT:          ^bb0(%36: f64, %37: f64, %38: f64):
// CHECK-NEXT:            %39 = arith.mulf %36, %37 : f64
// CHECK-NEXT:            %40 = arith.addf %38, %39 : f64
// CHECK-NEXT:            linalg.yield %40 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          "scf.parallel"(%24, %23, %25) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:          ^bb0(%41: index):
// CHECK-NEXT:            %42 = arith.addi %21, %41 : index
// CHECK-NEXT:            %row = memref.alloc(%m) : memref<?xf64>
// CHECK-NEXT:            "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:            ^bb0(%j: index):
// CHECK-NEXT:              %43 = memref.load %26[%41, %j] : memref<?x?xf64>
// CHECK-NEXT:              %s = arith.addf %zero, %43 : f64
// CHECK-NEXT:              memref.store %s, %row[%j] : memref<?xf64>
// CHECK-NEXT:              scf.reduce
// CHECK-NEXT:            }) : (index, index, index) -> ()
// CHECK-NEXT:            %t = scf.for %j_1 = %c0 to %m step %c1 iter_args(%most = %zero) -> (f64) {
// CHECK-NEXT:              %x = memref.load %row[%j_1] : memref<?xf64>
// CHECK-NEXT:              %y = arith.maximumf %x, %most : f64
// CHECK-NEXT:              scf.yield %y : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            memref.store %t, %r[%42] : memref<?xf64>
// CHECK-NEXT:            memref.dealloc %row : memref<?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index) -> ()
// CHECK-NEXT:          memref.dealloc %26 : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index):
// CHECK-NEXT:          %row_1 = memref.alloc(%m) : memref<?xf64>
// CHECK-NEXT:          "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:          ^bb0(%j_2: index):
// CHECK-NEXT:            %s_1 = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:              %x_1 = memref.load %a[%i, %k] : memref<?x?xf64>
// CHECK-NEXT:              %y_1 = memref.load %b[%j_2, %k] : memref<?x?xf64>
// CHECK-NEXT:              %z = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:              %next = arith.addf %acc, %z : f64
// CHECK-NEXT:              scf.yield %next : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            memref.store %s_1, %row_1[%j_2] : memref<?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index) -> ()
// CHECK-NEXT:          %t_1 = scf.for %j_3 = %c0 to %m step %c1 iter_args(%most_1 = %zero) -> (f64) {
// CHECK-NEXT:            %x_2 = memref.load %row_1[%j_3] : memref<?xf64>
// CHECK-NEXT:            %y_2 = arith.maximumf %x_2, %most_1 : f64
// CHECK-NEXT:            scf.yield %y_2 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %t_1, %r[%i] : memref<?xf64>
// CHECK-NEXT:          memref.dealloc %row_1 : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// A row of products, whose weights are the factor of others: the loop is split, and gives each row and
// number that a later loop reads an element for each row of the part. The count is computed again.
func.func @weighted(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %r: memref<?x?xf64>, %n: index, %m: index, %l: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %last = arith.subi %n, %i : index
    %row = memref.alloc(%m) : memref<?xf64>
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%j: index):
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %e = math.exp %x : f64
      memref.store %e, %row[%j] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    %t = scf.for %j = %c0 to %m step %c1 iter_args(%total = %zero) -> (f64) {
      %x = memref.load %row[%j] : memref<?xf64>
      %y = arith.addf %x, %total : f64
      scf.yield %y : f64
    }
    "scf.parallel"(%c0, %l, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%f: index):
      %s = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
        %x = memref.load %row[%k] : memref<?xf64>
        %y = memref.load %b[%k, %f] : memref<?x?xf64>
        %z = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %z : f64
        scf.yield %next : f64
      }
      %q = arith.divf %s, %t : f64
      memref.store %q, %r[%last, %f] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.dealloc %row : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @weighted(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %r: memref<?x?xf64>, %n: index, %m: index, %l: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.muli %n, %l : index
// CHECK-NEXT:      %2 = arith.muli %1, %m : index
// CHECK-NEXT:      %3 = arith.constant 32768 : index
// CHECK-NEXT:      %4 = arith.cmpi sge, %2, %3 : index
// CHECK-NEXT:      scf.if %4 {
// CHECK-NEXT:        %5 = arith.constant 1 : index
// CHECK-NEXT:        %6 = arith.maxsi %5, %l : index
// CHECK-NEXT:        %7 = arith.maxsi %6, %m : index
// CHECK-NEXT:        %8 = arith.constant 65536 : index
// CHECK-NEXT:        %9 = arith.divsi %8, %7 : index
// CHECK-NEXT:        %10 = arith.constant 16 : index
// CHECK-NEXT:        %11 = arith.divsi %n, %10 : index
// CHECK-NEXT:        %12 = arith.constant 64 : index
// CHECK-NEXT:        %13 = arith.maxsi %11, %12 : index
// CHECK-NEXT:        %14 = arith.minsi %9, %13 : index
// CHECK-NEXT:        %15 = arith.maxsi %14, %5 : index
// CHECK-NEXT:        %16 = arith.constant 0 : index
// CHECK-NEXT:        %17 = arith.subi %15, %5 : index
// CHECK-NEXT:        %18 = arith.addi %n, %17 : index
// CHECK-NEXT:        %19 = arith.divsi %18, %15 : index
// CHECK-NEXT:        "scf.parallel"(%16, %19, %5) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%20: index):
// CHECK-NEXT:          %21 = arith.muli %20, %15 : index
// CHECK-NEXT:          %22 = arith.subi %n, %21 : index
// CHECK-NEXT:          %23 = arith.minsi %22, %15 : index
// CHECK-NEXT:          %24 = memref.alloc(%23, %m) : memref<?x?xf64>
// CHECK-NEXT:          %25 = memref.alloc(%23) : memref<?xf64>
// CHECK-NEXT:          %26 = arith.constant 0 : index
// CHECK-NEXT:          %27 = arith.constant 1 : index
// CHECK-NEXT:          "scf.parallel"(%26, %23, %27) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:          ^bb0(%28: index):
// CHECK-NEXT:            %29 = arith.addi %21, %28 : index
// CHECK-NEXT:            %last = arith.subi %n, %29 : index
// CHECK-NEXT:            "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:            ^bb0(%j: index):
// CHECK-NEXT:              %x = memref.load %a[%29, %j] : memref<?x?xf64>
// CHECK-NEXT:              %e = math.exp %x : f64
// CHECK-NEXT:              memref.store %e, %24[%28, %j] : memref<?x?xf64>
// CHECK-NEXT:              scf.reduce
// CHECK-NEXT:            }) : (index, index, index) -> ()
// CHECK-NEXT:            %t = scf.for %j_1 = %c0 to %m step %c1 iter_args(%total = %zero) -> (f64) {
// CHECK-NEXT:              %x_1 = memref.load %24[%28, %j_1] : memref<?x?xf64>
// CHECK-NEXT:              %y = arith.addf %x_1, %total : f64
// CHECK-NEXT:              scf.yield %y : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            memref.store %t, %25[%28] : memref<?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index) -> ()
// CHECK-NEXT:          %30 = memref.alloc(%23, %l) : memref<?x?xf64>
// CHECK-NEXT:          %31 = memref.subview %b[0, 0] [%m, %l] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:          %32 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %33 = arith.constant 0 : index
// CHECK-NEXT:          %34 = arith.constant 1 : index
// CHECK-NEXT:          "scf.parallel"(%33, %33, %23, %l, %34, %34) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%35: index, %36: index):
// CHECK-NEXT:            memref.store %32, %30[%35, %36] : memref<?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%24, %31 : memref<?x?xf64>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%30 : memref<?x?xf64>) {
// CHECK-NEXT:          ^bb0(%37: f64, %38: f64, %39: f64):
// CHECK-NEXT:            %40 = arith.mulf %37, %38 : f64
// CHECK-NEXT:            %41 = arith.addf %39, %40 : f64
// CHECK-NEXT:            linalg.yield %41 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          "scf.parallel"(%26, %23, %27) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:          ^bb0(%42: index):
// CHECK-NEXT:            %43 = arith.addi %21, %42 : index
// CHECK-NEXT:            %last_1 = arith.subi %n, %43 : index
// CHECK-NEXT:            %44 = memref.load %25[%42] : memref<?xf64>
// CHECK-NEXT:            "scf.parallel"(%c0, %l, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:            ^bb0(%f: index):
// CHECK-NEXT:              %45 = memref.load %30[%42, %f] : memref<?x?xf64>
// CHECK-NEXT:              %s = arith.addf %zero, %45 : f64
// CHECK-NEXT:              %q = arith.divf %s, %44 : f64
// CHECK-NEXT:              memref.store %q, %r[%last_1, %f] : memref<?x?xf64>
// CHECK-NEXT:              scf.reduce
// CHECK-NEXT:            }) : (index, index, index) -> ()
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index) -> ()
// CHECK-NEXT:          memref.dealloc %30 : memref<?x?xf64>
// CHECK-NEXT:          memref.dealloc %24 : memref<?x?xf64>
// CHECK-NEXT:          memref.dealloc %25 : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index):
// CHECK-NEXT:          %last_2 = arith.subi %n, %i : index
// CHECK-NEXT:          %row = memref.alloc(%m) : memref<?xf64>
// CHECK-NEXT:          "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:          ^bb0(%j_2: index):
// CHECK-NEXT:            %x_2 = memref.load %a[%i, %j_2] : memref<?x?xf64>
// CHECK-NEXT:            %e_1 = math.exp %x_2 : f64
// CHECK-NEXT:            memref.store %e_1, %row[%j_2] : memref<?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index) -> ()
// CHECK-NEXT:          %t_1 = scf.for %j_3 = %c0 to %m step %c1 iter_args(%total_1 = %zero) -> (f64) {
// CHECK-NEXT:            %x_3 = memref.load %row[%j_3] : memref<?xf64>
// CHECK-NEXT:            %y_1 = arith.addf %x_3, %total_1 : f64
// CHECK-NEXT:            scf.yield %y_1 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          "scf.parallel"(%c0, %l, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:          ^bb0(%f_1: index):
// CHECK-NEXT:            %s_1 = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:              %x_4 = memref.load %row[%k] : memref<?xf64>
// CHECK-NEXT:              %y_2 = memref.load %b[%k, %f_1] : memref<?x?xf64>
// CHECK-NEXT:              %z = arith.mulf %x_4, %y_2 : f64
// CHECK-NEXT:              %next = arith.addf %acc, %z : f64
// CHECK-NEXT:              scf.yield %next : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            %q_1 = arith.divf %s_1, %t_1 : f64
// CHECK-NEXT:            memref.store %q_1, %r[%last_2, %f_1] : memref<?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index) -> ()
// CHECK-NEXT:          memref.dealloc %row : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// A product in a step of another loop, with a matrix of that step.
func.func @inner(%a: memref<?x?x?xf64>, %r: memref<?x?x?xf64>, %h: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %h, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%g: index):
    %own = memref.alloc(%n, %n) : memref<?x?xf64>
    "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%i: index, %j: index):
      %x = memref.load %a[%g, %i, %j] : memref<?x?x?xf64>
      %e = math.exp %x : f64
      memref.store %e, %own[%i, %j] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
    "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%i: index, %j: index):
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
        %x = memref.load %own[%i, %k] : memref<?x?xf64>
        %y = memref.load %a[%g, %k, %j] : memref<?x?x?xf64>
        %z = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %z : f64
        scf.yield %next : f64
      }
      memref.store %s, %r[%g, %i, %j] : memref<?x?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
    memref.dealloc %own : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @inner(%a: memref<?x?x?xf64>, %r: memref<?x?x?xf64>, %h: index, %n: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      "scf.parallel"(%c0, %h, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%g: index):
// CHECK-NEXT:        %own = memref.alloc(%n, %n) : memref<?x?xf64>
// CHECK-NEXT:        "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index, %j: index):
// CHECK-NEXT:          %x = memref.load %a[%g, %i, %j] : memref<?x?x?xf64>
// CHECK-NEXT:          %e = math.exp %x : f64
// CHECK-NEXT:          memref.store %e, %own[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        %0 = arith.constant 1 : index
// CHECK-NEXT:        %1 = arith.muli %n, %n : index
// CHECK-NEXT:        %2 = arith.muli %1, %n : index
// CHECK-NEXT:        %3 = arith.constant 32768 : index
// CHECK-NEXT:        %4 = arith.cmpi sge, %2, %3 : index
// CHECK-NEXT:        scf.if %4 {
// CHECK-NEXT:          %5 = memref.alloc(%n, %n) : memref<?x?xf64>
// CHECK-NEXT:          %6 = memref.subview %a[%g, 0, 0] [1, %n, %n] [1, 1, 1] : memref<?x?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:          %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %8 = arith.constant 0 : index
// CHECK-NEXT:          %9 = arith.constant 1 : index
// CHECK-NEXT:          "scf.parallel"(%8, %8, %n, %n, %9, %9) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%10: index, %11: index):
// CHECK-NEXT:            memref.store %7, %5[%10, %11] : memref<?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%own, %6 : memref<?x?xf64>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%5 : memref<?x?xf64>) {
// CHECK-NEXT:          ^bb0(%12: f64, %13: f64, %14: f64):
// CHECK-NEXT:            %15 = arith.mulf %12, %13 : f64
// CHECK-NEXT:            %16 = arith.addf %14, %15 : f64
// CHECK-NEXT:            linalg.yield %16 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%i_1: index, %j_1: index):
// CHECK-NEXT:            %17 = memref.load %5[%i_1, %j_1] : memref<?x?xf64>
// CHECK-NEXT:            %s = arith.addf %zero, %17 : f64
// CHECK-NEXT:            memref.store %s, %r[%g, %i_1, %j_1] : memref<?x?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          memref.dealloc %5 : memref<?x?xf64>
// CHECK-NEXT:        } else {
// CHECK-NEXT:          "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%i_2: index, %j_2: index):
// CHECK-NEXT:            %s_1 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:              %x_1 = memref.load %own[%i_2, %k] : memref<?x?xf64>
// CHECK-NEXT:              %y = memref.load %a[%g, %k, %j_2] : memref<?x?x?xf64>
// CHECK-NEXT:              %z = arith.mulf %x_1, %y : f64
// CHECK-NEXT:              %next = arith.addf %acc, %z : f64
// CHECK-NEXT:              scf.yield %next : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            memref.store %s_1, %r[%g, %i_2, %j_2] : memref<?x?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.dealloc %own : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// Left alone: a row that is written after the loop that multiplies it.
func.func @written(%b: memref<?x?xf64>, %r: memref<?x?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %row = memref.alloc(%m) : memref<?xf64>
    "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%f: index):
      %s = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
        %x = memref.load %row[%k] : memref<?xf64>
        %y = memref.load %b[%k, %f] : memref<?x?xf64>
        %z = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %z : f64
        scf.yield %next : f64
      }
      memref.store %s, %r[%i, %f] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    memref.store %zero, %row[%c0] : memref<?xf64>
    memref.dealloc %row : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:         func.func @written(%b: memref<?x?xf64>, %r: memref<?x?xf64>, %n: index, %m: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        %row = memref.alloc(%m) : memref<?xf64>
// CHECK-NEXT:        "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%f: index):
// CHECK-NEXT:          %s = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:            %x = memref.load %row[%k] : memref<?xf64>
// CHECK-NEXT:            %y = memref.load %b[%k, %f] : memref<?x?xf64>
// CHECK-NEXT:            %z = arith.mulf %x, %y : f64
// CHECK-NEXT:            %next = arith.addf %acc, %z : f64
// CHECK-NEXT:            scf.yield %next : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s, %r[%i, %f] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        memref.store %zero, %row[%c0] : memref<?xf64>
// CHECK-NEXT:        memref.dealloc %row : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
