// RUN: ein-opt %s --split-input-file -p shorten-integers | filecheck %s

// Counts of Bools are stored and computed in bytes.

func.func @counts(%a: memref<?xi1>, %out: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = memref.dim %a, %c0 : memref<?xi1>
  %counts = memref.alloc(%n) : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi1>
    %p = arith.select %x, %one, %zero : i64
    %s = arith.addi %p, %p : i64
    memref.store %s, %counts[%i] : memref<?xi64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.load %counts[%i] : memref<?xi64>
    %t = arith.addi %s, %one : i64
    %is = arith.cmpi sgt, %t, %two : i64
    memref.store %is, %out[%i] : memref<?xi1>
  }
  memref.dealloc %counts : memref<?xi64>
  func.return
}

// CHECK-LABEL:   func.func @counts
// CHECK:           %counts = memref.alloc(%n) : memref<?xi8>
// CHECK-NEXT:      scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:        %x = memref.load %a[%i] : memref<?xi1>
// CHECK-NEXT:        %0 = arith.constant 1 : i8
// CHECK-NEXT:        %1 = arith.constant 0 : i8
// CHECK-NEXT:        %p = arith.select %x, %0, %1 : i8
// CHECK-NEXT:        %s = arith.addi %p, %p : i8
// CHECK-NEXT:        memref.store %s, %counts[%i] : memref<?xi8>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %i_1 = %c0 to %n step %c1 {
// CHECK-NEXT:        %s_1 = memref.load %counts[%i_1] : memref<?xi8>
// CHECK-NEXT:        %2 = arith.constant 1 : i8
// CHECK-NEXT:        %t = arith.addi %s_1, %2 : i8
// CHECK-NEXT:        %3 = arith.constant 2 : i8
// CHECK-NEXT:        %is = arith.cmpi sgt, %t, %3 : i8
// CHECK-NEXT:        memref.store %is, %out[%i_1] : memref<?xi1>
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.dealloc %counts : memref<?xi8>

// -----

// The largest number decides: 255 needs 16 bits. A result of 64 bits is extended once.

func.func @bytes(%a: memref<?xi8>, %out: memref<?xi64>, %i: index) {
  %half = arith.constant 127 : i64
  %b = memref.load %a[%i] : memref<?xi8>
  %x = arith.extui %b : i8 to i64
  %d = arith.subi %x, %half : i64
  %m = arith.maxsi %d, %x : i64
  memref.store %m, %out[%i] : memref<?xi64>
  func.return
}

// CHECK-LABEL:   func.func @bytes
// CHECK:           %b = memref.load %a[%i] : memref<?xi8>
// CHECK-NEXT:      %0 = arith.extui %b : i8 to i16
// CHECK-NEXT:      %1 = arith.constant 127 : i16
// CHECK-NEXT:      %d = arith.subi %0, %1 : i16
// CHECK-NEXT:      %2 = arith.extui %b : i8 to i16
// CHECK-NEXT:      %m = arith.maxsi %d, %2 : i16
// CHECK-NEXT:      %m_1 = arith.extsi %m : i16 to i64
// CHECK-NEXT:      memref.store %m_1, %out[%i] : memref<?xi64>

// -----

// An array that a loop carries, one of which a part is taken, and elements of unknown range stay.

func.func @wide(%a: memref<?xi64>, %n: index) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %carried = memref.alloc(%n) : memref<?xi64>
  memref.store %one, %carried[%c0] : memref<?xi64>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%b = %carried) -> (memref<?xi64>) {
    scf.yield %b : memref<?xi64>
  }
  %unknown = memref.alloc(%n) : memref<?xi64>
  %x = memref.load %a[%c0] : memref<?xi64>
  memref.store %x, %unknown[%c0] : memref<?xi64>
  %own = memref.alloc(%n) : memref<?xi64>
  memref.store %one, %own[%c0] : memref<?xi64>
  %y = memref.load %own[%c0] : memref<?xi64>
  %z = arith.addi %y, %one : i64
  memref.store %z, %own[%c1] : memref<?xi64>
  func.return %end : memref<?xi64>
}

// CHECK-LABEL:   func.func @wide
// CHECK:           %carried = memref.alloc(%n) : memref<?xi64>
// CHECK:           %unknown = memref.alloc(%n) : memref<?xi64>
// CHECK:           %own = memref.alloc(%n) : memref<?xi64>
// CHECK:           arith.addi %y, %one : i64

// -----

// Choices of numbers whose result is needed in 64 bits stay: they would only be extended.

func.func @choice(%c: i1, %out: memref<i64>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.select %c, %one, %zero : i64
  memref.store %x, %out[] : memref<i64>
  func.return
}

// CHECK-LABEL:   func.func @choice
// CHECK:           %x = arith.select %c, %one, %zero : i64

// -----

// A number that becomes a float is converted from the bits that it has.

func.func @shares(%a: memref<?xi1>, %b: memref<?xi8>, %out: memref<?xf64>, %i: index) {
  %x = memref.load %a[%i] : memref<?xi1>
  %y = memref.load %b[%i] : memref<?xi8>
  %p = arith.extui %x : i1 to i64
  %q = arith.addi %p, %p : i64
  %s = arith.sitofp %q : i64 to f64
  memref.store %s, %out[%i] : memref<?xf64>
  %u = arith.extui %y : i8 to i64
  %t = arith.sitofp %u : i64 to f64
  memref.store %t, %out[%i] : memref<?xf64>
  %v = arith.extsi %y : i8 to i64
  %w = arith.sitofp %v : i64 to f64
  memref.store %w, %out[%i] : memref<?xf64>
  %k = arith.extsi %x : i1 to i64
  %l = arith.sitofp %k : i64 to f64
  memref.store %l, %out[%i] : memref<?xf64>
  func.return
}

// CHECK-LABEL:   func.func @shares
// CHECK:           %[[P:.*]] = arith.extui %x : i1 to i8
// CHECK:           %q = arith.addi %{{.*}}, %{{.*}} : i8
// CHECK-NEXT:      %s = arith.sitofp %q : i8 to f64
// CHECK:           %t = arith.uitofp %y : i8 to f64
// CHECK:           %w = arith.sitofp %y : i8 to f64
// CHECK:           %k = arith.extsi %x : i1 to i64
// CHECK-NEXT:      %l = arith.sitofp %k : i64 to f64

// -----

// A float that counts two Bools is a sum of two floats.
func.func @halves(%a: i1, %b: i1) -> f64 {
  %x = arith.extui %a : i1 to i8
  %y = arith.extui %b : i1 to i8
  %s = arith.addi %x, %y : i8
  %r = arith.sitofp %s : i8 to f64
  func.return %r : f64
}

// CHECK-LABEL: func.func @halves(%a: i1, %b: i1) -> f64 {
// CHECK-NEXT:       %r = arith.uitofp %a : i1 to f64
// CHECK-NEXT:       %r_1 = arith.uitofp %b : i1 to f64
// CHECK-NEXT:       %r_2 = arith.addf %r, %r_1 : f64
// CHECK-NEXT:       func.return %r_2 : f64
// CHECK-NEXT:     }
