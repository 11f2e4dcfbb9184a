// RUN: ein-opt %s --split-input-file -p delay-carried-operands | filecheck %s

// An element that the step before wrote is combined last.

func.func @row(%a: memref<?xf64>, %row: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %k = arith.addi %j, %c1 : index
    %up = memref.load %a[%k] : memref<?xf64>
    %diagonal = memref.load %a[%j] : memref<?xf64>
    %left = memref.load %row[%j] : memref<?xf64>
    %x = arith.minimumf %up, %left : f64
    %y = arith.minimumf %x, %diagonal : f64
    memref.store %y, %row[%k] : memref<?xf64>
  }
  func.return
}

// CHECK-LABEL: func.func @row(
// CHECK:           [[EARLY:%.*]] = arith.minimumf %up, %diagonal : f64
// CHECK-NEXT:      [[LAST:%.*]] = arith.minimumf [[EARLY]], %left : f64
// CHECK-NEXT:      memref.store [[LAST]], %row[%k]

// -----

// So is a value that is carried, deep in a combination of both sides. What is computed from it is
// carried, too.

func.func @carried(%a: memref<?xi64>, %n: index, %start: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %start) -> (i64) {
    %x = memref.load %a[%j] : memref<?xi64>
    %y = arith.addi %x, %one : i64
    %less = arith.subi %acc, %one : i64
    %p = arith.maxsi %less, %x : i64
    %q = arith.maxsi %y, %one : i64
    %best = arith.maxsi %p, %q : i64
    scf.yield %best : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @carried(
// CHECK:           [[FIRST:%.*]] = arith.maxsi %x, %y : i64
// CHECK-NEXT:      [[SECOND:%.*]] = arith.maxsi [[FIRST]], %one : i64
// CHECK-NEXT:      [[LAST:%.*]] = arith.maxsi [[SECOND]], %less : i64
// CHECK-NEXT:      scf.yield [[LAST]] : i64

// -----

// A combination stays if its last operand is carried, if all or none are, if a part of it is used
// otherwise, and if it mixes minima and maxima. Of two floats the carried one is the second.

func.func @kept(%a: memref<?xf64>, %n: index, %start: f64) -> (f64, f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r, %s, %t = scf.for %j = %c0 to %n step %c1 iter_args(%u = %start, %v = %start, %w = %start) -> (f64, f64, f64) {
    %x = memref.load %a[%j] : memref<?xf64>
    %0 = arith.maximumf %x, %start : f64
    %1 = arith.maximumf %u, %0 : f64
    %2 = arith.minimumf %v, %x : f64
    %3 = arith.minimumf %2, %start : f64
    %4 = arith.addf %2, %3 : f64
    %5 = arith.minimumf %w, %x : f64
    %6 = arith.maximumf %5, %start : f64
    scf.yield %1, %4, %6 : f64, f64, f64
  }
  func.return %r, %s, %t : f64, f64, f64
}

// CHECK-LABEL: func.func @kept(
// CHECK:           [[A:%.*]] = arith.maximumf %x, %start : f64
// CHECK-NEXT:      [[B:%.*]] = arith.maximumf [[A]], %u : f64
// CHECK-NEXT:      [[C:%.*]] = arith.minimumf %x, %v : f64
// CHECK-NEXT:      [[D:%.*]] = arith.minimumf %start, [[C]] : f64
// CHECK-NEXT:      arith.addf [[C]], [[D]] : f64
// CHECK-NEXT:      [[E:%.*]] = arith.minimumf %x, %w : f64
// CHECK-NEXT:      arith.maximumf %start, [[E]] : f64

// -----

// A value that is combined under a condition is the identity otherwise: so the carried one is last.

func.func @optional(%a: memref<?xf64>, %n: index, %start: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %start) -> (f64) {
    %x = memref.load %a[%j] : memref<?xf64>
    %y = math.sqrt %x : f64
    %first = arith.cmpi ne, %j, %c0 : index
    %u = arith.minimumf %x, %acc : f64
    %v = arith.select %first, %u, %x : f64
    %w = arith.minimumf %v, %y : f64
    %z = arith.select %first, %v, %w : f64
    scf.yield %z : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @optional(
// CHECK:           %[[CARRIED:.*]] = arith.select %first, %acc, %{{.*}} : f64
// CHECK:           %[[OTHER:.*]] = arith.select %first, %{{.*}}, %y : f64
// CHECK-NEXT:      %[[EARLY:.*]] = arith.minimumf %x, %[[OTHER]] : f64
// CHECK-NEXT:      %[[LAST:.*]] = arith.minimumf %[[EARLY]], %[[CARRIED]] : f64
// CHECK-NEXT:      scf.yield %[[LAST]] : f64

// -----

// Not if the combination is used otherwise, or of another value.

func.func @other_choices(%a: memref<?xf64>, %n: index, %start: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %start) -> (f64) {
    %x = memref.load %a[%j] : memref<?xf64>
    %y = math.sqrt %x : f64
    %c = arith.cmpf olt, %y, %x : f64
    %u = arith.minimumf %x, %acc : f64
    %v = arith.select %c, %u, %x : f64
    %w = arith.minimumf %y, %u : f64
    %z = arith.select %c, %w, %v : f64
    scf.yield %z : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @other_choices(
// CHECK:           arith.select %c, %u, %x : f64
// CHECK:           arith.select %c, %w, %v : f64

// -----

// A choice of Ints takes one comparison with the carried value. Whichever step before decides is
// marked as unpredictable.

func.func @choice(%a: memref<?xi64>, %row: memref<?xi64>, %n: index, %x: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %k = arith.addi %j, %c1 : index
    %up = memref.load %a[%k] : memref<?xi64>
    %diagonal = memref.load %a[%j] : memref<?xi64>
    %match = arith.cmpi eq, %up, %x : i64
    %left = memref.load %row[%j] : memref<?xi64>
    %0 = arith.maxsi %left, %up : i64
    %1 = arith.select %match, %diagonal, %0 : i64
    memref.store %1, %row[%k] : memref<?xi64>
  }
  func.return
}

// CHECK-LABEL: func.func @choice(
// CHECK:           %[[HIGHEST:.*]] = arith.constant 9223372036854775807 : i64
// CHECK-NEXT:      %[[LIMIT:.*]] = arith.select %match, %[[HIGHEST]], %up {ein.unpredictable} : i64
// CHECK-NEXT:      %[[EARLY:.*]] = arith.select %match, %diagonal, %up : i64
// CHECK-NEXT:      %[[TEST:.*]] = arith.cmpi sle, %left, %[[LIMIT]] : i64
// CHECK-NEXT:      %[[LAST:.*]] = arith.select %[[TEST]], %[[EARLY]], %left {ein.unpredictable} : i64
// CHECK-NEXT:      memref.store %[[LAST]], %row[%k]

// -----

// Of a minimum, on the other side.

func.func @least(%a: memref<?xi64>, %n: index, %start: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %start) -> (i64) {
    %x = memref.load %a[%j] : memref<?xi64>
    %match = arith.cmpi eq, %x, %one : i64
    %more = arith.addi %acc, %one : i64
    %0 = arith.minsi %x, %more : i64
    %1 = arith.select %match, %0, %one : i64
    scf.yield %1 : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @least(
// CHECK:           %[[LOWEST:.*]] = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:      %[[LIMIT:.*]] = arith.select %match, %x, %[[LOWEST]] {ein.unpredictable} : i64
// CHECK-NEXT:      %[[EARLY:.*]] = arith.select %match, %x, %one : i64
// CHECK-NEXT:      %[[TEST:.*]] = arith.cmpi sge, %more, %[[LIMIT]] : i64
// CHECK-NEXT:      arith.select %[[TEST]], %[[EARLY]], %more {ein.unpredictable} : i64

// -----

// A choice stays if its condition depends on the step before, too, and if the extreme is one of
// floats. An extreme that is merely carried on is predictable, another one is not.

func.func @other_choices_of_ints(%a: memref<?xi64>, %b: memref<?xf64>, %n: index, %start: i64, %first: f64) -> (i64, f64, i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %r, %s, %t, %u = scf.for %j = %c0 to %n step %c1 iter_args(%i = %start, %f = %first, %best = %start, %other = %start) -> (i64, f64, i64, i64) {
    %x = memref.load %a[%j] : memref<?xi64>
    %y = memref.load %b[%j] : memref<?xf64>
    %c = arith.cmpi eq, %i, %one : i64
    %d = arith.cmpi eq, %x, %one : i64
    %0 = arith.maxsi %x, %i : i64
    %1 = arith.select %c, %one, %0 : i64
    %2 = arith.maximumf %y, %f : f64
    %3 = arith.select %d, %first, %2 : f64
    %4 = arith.maxsi %x, %best : i64
    %5 = arith.maxsi %x, %other : i64
    %6 = arith.addi %5, %one : i64
    scf.yield %1, %3, %4, %6 : i64, f64, i64, i64
  }
  func.return %r, %s, %t, %u : i64, f64, i64, i64
}

// CHECK-LABEL: func.func @other_choices_of_ints(
// CHECK:           %[[ZERO:.*]] = arith.maxsi %x, %i {ein.unpredictable} : i64
// CHECK-NEXT:      arith.select %c, %one, %[[ZERO]] : i64
// CHECK-NEXT:      %[[TWO:.*]] = arith.maximumf %y, %f : f64
// CHECK-NEXT:      arith.select %d, %first, %[[TWO]] : f64
// CHECK-NEXT:      arith.maxsi %x, %best : i64
// CHECK-NEXT:      arith.maxsi %x, %other {ein.unpredictable} : i64

// -----

// Nobody guesses on which side of the middle a search by halves goes on; a loop that reads where the
// step before says goes on as before, mostly.

func.func @search(%keys: memref<?xf64>, %x: f64, %n: i64, %bits: index) -> (i64, i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r, %s, %t = scf.for %k = %c0 to %bits step %c1 iter_args(%low = %zero, %high = %n, %state = %zero) -> (i64, i64, i64) {
    %sum = arith.addi %low, %high : i64
    %middle = arith.shrsi %sum, %one : i64
    %place = arith.index_cast %middle : i64 to index
    %key = memref.load %keys[%place] : memref<?xf64>
    %is_below = arith.cmpf olt, %key, %x : f64
    %after = arith.addi %middle, %one : i64
    %l = arith.select %is_below, %after, %low : i64
    %h = arith.select %is_below, %high, %middle : i64
    %at = arith.index_cast %state : i64 to index
    %other = memref.load %keys[%at] : memref<?xf64>
    %is_next = arith.cmpf olt, %other, %x : f64
    %next = arith.addi %state, %one : i64
    %u = arith.select %is_next, %next, %zero : i64
    scf.yield %l, %h, %u : i64, i64, i64
  }
  func.return %r, %s, %t : i64, i64, i64
}

// CHECK-LABEL: func.func @search(
// CHECK:           arith.select %is_below, %after, %low {ein.unpredictable} : i64
// CHECK-NEXT:      arith.select %is_below, %high, %middle {ein.unpredictable} : i64
// CHECK:           arith.select %is_next, %next, %zero : i64

// -----

// Choices around one with a carried value are one test of it. The value of the step before that no
// step before that one decides is early; so is an element of another row.

func.func @choices(%t: memref<?x?xi64>, %a: memref<?xi1>, %b: memref<?xi1>, %i: index, %n: index, %start: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %r, %s = scf.for %j = %c0 to %n step %c1 iter_args(%left = %start, %diagonal = %zero) -> (i64, i64) {
    %k = arith.addi %i, %c1 : index
    %up = memref.load %t[%i, %j] : memref<?x?xi64>
    %is_first = memref.load %a[%j] : memref<?xi1>
    %is_same = memref.load %b[%j] : memref<?xi1>
    %best = arith.maxsi %up, %left : i64
    %x = arith.select %is_same, %diagonal, %best : i64
    %y = arith.select %is_first, %zero, %x : i64
    memref.store %y, %t[%k, %j] : memref<?x?xi64>
    scf.yield %y, %up : i64, i64
  }
  func.return
}

// CHECK-LABEL: func.func @choices(
// CHECK:           [[LIMIT:%.*]] = arith.select %is_same, %{{.*}}, %up {ein.unpredictable} : i64
// CHECK-NEXT:      [[VALUE:%.*]] = arith.select %is_same, %diagonal, %up : i64
// CHECK:           [[LIMIT2:%.*]] = arith.select %is_first, %{{.*}}, [[LIMIT]] {ein.unpredictable} : i64
// CHECK-NEXT:      [[VALUE2:%.*]] = arith.select %is_first, %zero, [[VALUE]] : i64
// CHECK-NEXT:      [[TEST:%.*]] = arith.cmpi sle, %left, [[LIMIT2]] : i64
// CHECK-NEXT:      [[Y:%.*]] = arith.select [[TEST]], [[VALUE2]], %left {ein.unpredictable} : i64
// CHECK-NEXT:      memref.store [[Y]], %t[%k, %j]

// -----

// The carried value is the second operand, which stays where both are equal: a branch for a new one
// is seldom taken.

func.func @ties(%a: memref<?xi64>, %n: index, %start: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %start) -> (i64) {
    %x = memref.load %a[%j] : memref<?xi64>
    %best = arith.maxsi %acc, %x : i64
    scf.yield %best : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @ties(
// CHECK:           arith.maxsi %x, %acc : i64
