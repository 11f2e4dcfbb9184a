// RUN: ein-opt %s -p copy-slices | filecheck %s
// RUN: ein-opt %s -p copy-slices,copy-slices | filecheck %s

// A column and an element of the old matrix are read before the comprehension that overwrites it.
func.func @slices(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %column = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %pivot = phi.get %x[%k, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %0 = arith.mulf %column, %pivot : f64
      %1 = arith.addf %own, %0 : f64
      phi.yield %1 : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @slices(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %pivot = phi.get %x[%k, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:      %0 = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        %1 = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        phi.yield %1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %next = phi.array (%i_1 < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %own = phi.get %x[%i_1, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %column = phi.get %0[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:        %2 = arith.mulf %column, %pivot : f64
// CHECK-NEXT:        %3 = arith.addf %own, %2 : f64
// CHECK-NEXT:        phi.yield %3 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %next : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }

// An element at exchanged indices is read, too: no copy of the column saves memory.
func.func @transposed(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %m, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %other = phi.get %x[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
      %column = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.addf %other, %column : f64
      phi.yield %0 : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @transposed(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %next = phi.array (%i < %m, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %other = phi.get %x[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %column = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:        %0 = arith.addf %other, %column : f64
// CHECK-NEXT:        phi.yield %0 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %next : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  }

// A matrix of the step is overwritten, too: its column is read before.
func.func @of_the_step(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %first = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %0 = math.exp %own : f64
      phi.yield %0 : f64
    }
    %next = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %first[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %column = phi.get %first[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.addf %own, %column : f64
      phi.yield %0 : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @of_the_step(
// CHECK:           %first = phi.array
// CHECK:           %[[COLUMN:.*]] = phi.array (%[[I:.*]] < %m) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.get %first[%[[I]], %k]
// CHECK:           %next = phi.array
// CHECK:             %column = phi.get %[[COLUMN]][

// Not if a later operation reads the matrix, or nothing is read at the indices of the loop.
func.func @stays(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %first = phi.array (%i < %m, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %0 = math.exp %own : f64
      phi.yield %0 : f64
    }
    %second = phi.array (%i < %m, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %first[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %column = phi.get %first[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.addf %own, %column : f64
      phi.yield %0 : f64
    }
    %next = phi.array (%i < %m, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %old = phi.get %first[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %row = phi.get %second[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %0 = arith.addf %old, %row : f64
      phi.yield %0 : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @stays(
// CHECK:           %second = phi.array
// CHECK:             phi.get %first[%{{.*}}, %k]
// CHECK:           %next = phi.array
// CHECK:             phi.get %second[%k, %{{.*}}]

// A later comprehension reads the column, too, which is copied once; the comparison of a sum with
// the index becomes one of the index.
func.func @band(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %l, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %first = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %0 = arith.index_cast %j : index to i64
      %1 = arith.subi %0, %k : i64
      %2 = arith.cmpi slt, %1, %m : i64
      %column = phi.get %x[%1, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %3 = arith.subf %own, %column : f64
      %4 = arith.select %2, %3, %own : f64
      phi.yield %4 : f64
    }
    %next = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %first[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %column = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.addf %own, %column : f64
      phi.yield %0 : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @band(
// CHECK:           %[[END:.*]] = arith.addi %k, %m : i64
// CHECK:           %[[COLUMN:.*]] = phi.array (%[[I:.*]] < %{{.*}}) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.get %x[%[[I]], %k]
// CHECK-NOT:       phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           %first = phi.array
// CHECK:             arith.cmpi slt, %{{.*}}, %[[END]] : i64
// CHECK:             phi.get %[[COLUMN]][
// CHECK:           %next = phi.array
// CHECK:             phi.get %[[COLUMN]][

// The elements below a limit are computed first, since the others stay: the old array is overwritten.
func.func @levels(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<f64> {
    %limit = arith.muli %k, %two : i64
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %0 = arith.index_cast %i : index to i64
      %1 = arith.cmpi slt, %0, %limit : i64
      %2 = arith.subi %two, %0 : i64
      %other = phi.get %x[%2] : !phi.vec<f64>[i64]
      %own = phi.get %x[%i] : !phi.vec<f64>[index]
      %3 = arith.select %1, %other, %own : f64
      phi.yield %3 : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @levels(
// CHECK:           %[[LOW:.*]] = arith.maxsi %limit, %{{.*}} : i64
// CHECK-NEXT:      %[[COUNT:.*]] = arith.minsi %[[LOW]], %m : i64
// CHECK-NEXT:      %[[CHANGED:.*]] = phi.array (%{{.*}} < %[[COUNT]])
// CHECK:             phi.get %x[%{{.*}}] : !phi.vec<f64>[i64]
// CHECK:           phi.array (%[[I:.*]] < %m)
// CHECK:             %[[IS:.*]] = arith.cmpi slt, %{{.*}}, %[[COUNT]] : i64
// CHECK-NEXT:        %[[NEW:.*]] = phi.get %[[CHANGED]][%[[I]]]
// CHECK-NEXT:        %[[OLD:.*]] = phi.get %x[%[[I]]]
// CHECK-NEXT:        arith.select %[[IS]], %[[NEW]], %[[OLD]]

// The elements below a limit read no element before them: they are updated one after the other.
func.func @pairs(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<f64> {
    %limit = arith.muli %k, %two : i64
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %0 = arith.index_cast %i : index to i64
      %1 = arith.cmpi slt, %0, %limit : i64
      %2 = arith.muli %0, %two : i64
      %other = phi.get %x[%2] : !phi.vec<f64>[i64]
      %own = phi.get %x[%i] : !phi.vec<f64>[index]
      %3 = arith.select %1, %other, %own : f64
      phi.yield %3 : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @pairs(
// CHECK:           %[[LOW:.*]] = arith.maxsi %limit, %{{.*}} : i64
// CHECK-NEXT:      %[[COUNT:.*]] = arith.minsi %[[LOW]], %m : i64
// CHECK-NEXT:      %next = phi.fold (%[[I:.*]] < %[[COUNT]], %[[Y:.*]] = %x) -> !phi.vec<f64> {
// CHECK-NEXT:        %[[IS:.*]] = arith.cmpi slt, %[[I]], %limit : i64
// CHECK-NEXT:        %[[TWICE:.*]] = arith.muli %[[I]], %two : i64
// CHECK-NEXT:        %[[OTHER:.*]] = phi.get %[[Y]][%[[TWICE]]]
// CHECK-NEXT:        %[[OWN:.*]] = phi.get %[[Y]][%[[I]]]
// CHECK-NEXT:        %[[NEW:.*]] = arith.select %[[IS]], %[[OTHER]], %[[OWN]]
// CHECK-NEXT:        %[[UPDATED:.*]] = phi.update %[[Y]][%[[I]]], %[[NEW]]
// CHECK-NEXT:        phi.yield %[[UPDATED]]
// CHECK:           phi.yield %next

// Rows that read later rows, at any column.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %one = arith.constant 1 : i64
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %0 = arith.index_cast %i : index to i64
      %1 = arith.cmpi slt, %0, %k : i64
      %2 = arith.addi %0, %one : i64
      %3 = arith.index_cast %j : index to i64
      %4 = arith.subi %3, %k : i64
      %other = phi.get %x[%2, %4] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %own = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %5 = arith.select %1, %other, %own : f64
      phi.yield %5 : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(
// CHECK:           %next = phi.fold (%[[I:.*]] < %{{.*}}, %[[Y:.*]] = %x)
// CHECK:             %[[ROW:.*]] = phi.array (%[[J:.*]] < %l)
// CHECK:               phi.get %[[Y]][%{{.*}}, %{{.*}}]
// CHECK:               phi.get %[[Y]][%[[I]], %[[J]]]
// CHECK:             phi.update %[[Y]][%[[I]]], %[[ROW]]

// The same row at any column may have been replaced: rows are computed first.
func.func @columns(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %0 = arith.index_cast %i : index to i64
      %1 = arith.cmpi slt, %0, %k : i64
      %3 = arith.index_cast %j : index to i64
      %4 = arith.subi %3, %k : i64
      %other = phi.get %x[%i, %4] : !phi.vec<!phi.vec<f64>>[index, i64]
      %own = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %5 = arith.select %1, %other, %own : f64
      phi.yield %5 : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @columns(
// CHECK-NOT:       phi.update
// CHECK:           phi.array (%{{.*}} < %{{.*}}, %{{.*}} < %l)
// CHECK:           phi.array (%{{.*}} < %m, %{{.*}} < %l)

// A limit that is the same in all steps, and elements that stay below it.
func.func @same(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<f64> {
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %0 = arith.index_cast %i : index to i64
      %1 = arith.cmpi slt, %0, %n : i64
      %4 = arith.cmpi slt, %0, %k : i64
      %2 = arith.muli %0, %two : i64
      %other = phi.get %x[%2] : !phi.vec<f64>[i64]
      %own = phi.get %x[%i] : !phi.vec<f64>[index]
      %3 = arith.select %1, %other, %own : f64
      phi.yield %3 : f64
    }
    %last = phi.array (%i < %m) -> !phi.vec<f64> {
      %0 = arith.index_cast %i : index to i64
      %1 = arith.cmpi slt, %0, %k : i64
      %2 = arith.muli %0, %two : i64
      %other = phi.get %next[%2] : !phi.vec<f64>[i64]
      %own = phi.get %next[%i] : !phi.vec<f64>[index]
      %3 = arith.select %1, %own, %other : f64
      phi.yield %3 : f64
    }
    phi.yield %last : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @same(
// CHECK-NOT:       arith.minsi
// CHECK:           %next = phi.array (%{{.*}} < %m)
// CHECK-NOT:       arith.minsi
// CHECK:           %last = phi.array (%{{.*}} < %m)
// CHECK-NOT:       phi.array

// Elements below two limits change: those below the greater one.
func.func @limits(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<f64> {
    %limit = arith.muli %k, %two : i64
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %0 = arith.index_cast %i : index to i64
      %1 = arith.cmpi slt, %0, %k : i64
      %2 = arith.cmpi sle, %limit, %0 : i64
      %y = phi.get %b[%i] : !phi.vec<f64>[index]
      %own = phi.get %x[%i] : !phi.vec<f64>[index]
      %z = arith.mulf %y, %own : f64
      %3 = arith.select %2, %own, %z : f64
      %4 = arith.select %1, %y, %3 : f64
      phi.yield %4 : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @limits(
// CHECK:           %[[MOST:.*]] = arith.maxsi %k, %limit : i64
// CHECK:           %[[LOW:.*]] = arith.maxsi %[[MOST]], %{{.*}} : i64
// CHECK-NEXT:      %[[COUNT:.*]] = arith.minsi %[[LOW]], %m : i64
// CHECK-NEXT:      %next = phi.array (%{{.*}} < %m)
// CHECK:             %[[ALL:.*]] = arith.select %{{.*}}, %y, %{{.*}} : f64
// CHECK:             %[[IS:.*]] = arith.cmpi slt, %{{.*}}, %[[COUNT]] : i64
// CHECK:             %[[RESULT:.*]] = arith.select %[[IS]], %[[ALL]], %{{.*}} : f64
// CHECK-NEXT:        phi.yield %[[RESULT]] : f64

// The new matrix has a row replaced: the column is read later, of the old one.

func.func @replaced_row(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %y = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %0 = arith.addf %own, %own : f64
      phi.yield %0 : f64
    }
    %z = phi.array (%i < %m) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %y[%i] : !phi.vec<!phi.vec<f64>>[index]
      %e = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = phi.update %row[%k], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %0 : !phi.vec<f64>
    }
    %next = phi.update %z[%k], %v : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @replaced_row(
// CHECK:           [[COLUMN:%.*]] = phi.array ([[I:%.*]] < %{{.*}}) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.get %x[[[I]], %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK:           %y = phi.array (%{{.*}} < %m, %j < %l)

// Where the index is at the column, the element of the column is that at the indices.

func.func @own_column(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %column = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.addf %column, %column : f64
      %at = arith.index_cast %j : index to i64
      %is = arith.cmpi eq, %at, %k : i64
      %1 = arith.select %is, %0, %own : f64
      phi.yield %1 : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @own_column(
// CHECK:         phi.fold
// CHECK-NEXT:      %next = phi.array (%i < %m, %j < %l)
// CHECK-NEXT:        %own = phi.get %x[%i, %j]
// CHECK-NEXT:        %column = phi.get %x[%i, %j]
