// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// CHECK-LABEL: func.func @types(
// CHECK-SAME: %a: i1, %b: i32, %c: i64, %d: f32, %e: f64
// CHECK-SAME: %v: !phi.vec<!phi.vec<f64>>
// CHECK-SAME: %t: tuple<i64, !phi.vec<f32>>
// CHECK-SAME: %r: !phi.vec<tuple<!phi.vec<i1>, tuple<f64>>>
// CHECK-GENERIC: function_type = (i1, i32, i64, f32, f64, !phi.vec<!phi.vec<f64>>, tuple<i64, !phi.vec<f32>>, !phi.vec<tuple<!phi.vec<i1>, tuple<f64>>>) -> ()
func.func @types(%a : i1, %b : i32, %c : i64, %d : f32, %e : f64, %v : !phi.vec<!phi.vec<f64>>,
    %t : tuple<i64, !phi.vec<f32>>, %r : !phi.vec<tuple<!phi.vec<i1>, tuple<f64>>>) {
  func.return
}

// CHECK-LABEL: func.func @array
// CHECK-NEXT:   %t = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %u = phi.array (%i_1 < %n, %j < %m) -> !phi.vec<!phi.vec<i64>> {
// CHECK-NEXT:     %p = arith.index_cast %j : index to i64
// CHECK-NEXT:     phi.yield %p : i64
// CHECK-NEXT:   } {note = "kept"}
// CHECK-GENERIC-LABEL: sym_name = "array"
// CHECK-GENERIC:      %t = "phi.array"(%n) ({
// CHECK-GENERIC-NEXT: ^bb0(%i: index):
// CHECK-GENERIC-NEXT:   "phi.yield"(%x) : (f64) -> ()
// CHECK-GENERIC-NEXT: }) : (i64) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT: %u = "phi.array"(%n, %m) ({
// CHECK-GENERIC-NEXT: ^bb0(%i_1: index, %j: index):
// CHECK-GENERIC:      }) {note = "kept"} : (i64, i64) -> !phi.vec<!phi.vec<i64>>
func.func @array(%n : i64, %m : i64, %x : f64) {
  %t = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %u = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<i64>> {
    %p = arith.index_cast %j : index to i64
    phi.yield %p : i64
  } {note = "kept"}
  func.return
}

// CHECK-LABEL: func.func @irregular
// CHECK:          %s = phi.fold irregular (%k < %c, %acc = %x) -> f64 {
// CHECK-GENERIC-LABEL: sym_name = "irregular"
// CHECK-GENERIC:        %s = "phi.fold"(%c, %x) <{irregular}> ({
func.func @irregular(%n : i64, %x : f64) {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %c = arith.index_cast %i : index to i64
    %s = phi.fold irregular (%k < %c, %acc = %x) -> f64 {
      phi.yield %acc : f64
    }
    phi.yield %s : f64
  }
  func.return
}

// CHECK-LABEL: func.func @fold
// CHECK-NEXT:   %s = phi.fold (%k < %n, %acc = %init) -> tuple<f64, i64> {
// CHECK-NEXT:     phi.yield %acc : tuple<f64, i64>
// CHECK-NEXT:   }
// CHECK-GENERIC-LABEL: sym_name = "fold"
// CHECK-GENERIC:      %s = "phi.fold"(%n, %init) ({
// CHECK-GENERIC-NEXT: ^bb0(%k: i64, %acc: tuple<f64, i64>):
// CHECK-GENERIC-NEXT:   "phi.yield"(%acc) : (tuple<f64, i64>) -> ()
// CHECK-GENERIC-NEXT: }) : (i64, tuple<f64, i64>) -> tuple<f64, i64>
func.func @fold(%n : i64, %init : tuple<f64, i64>) {
  %s = phi.fold (%k < %n, %acc = %init) -> tuple<f64, i64> {
    phi.yield %acc : tuple<f64, i64>
  }
  func.return
}

// The short form is complete only for one operation on both arguments, in order.
// CHECK-LABEL: func.func @reduce
// CHECK-NEXT:   %sum = phi.reduce %v identity %x by { arith.addf } -> f64
// CHECK-NEXT:   %rows = phi.reduce %w identity %v by { phi.concat } -> !phi.vec<f64>
// CHECK-NEXT:   %last = phi.reduce %v identity %x by (%a, %b) -> f64 {
// CHECK-NEXT:     phi.yield %b : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %swapped = phi.reduce %v identity %x by (%c, %d) -> f64 {
// CHECK-NEXT:     %{{.*}} = arith.addf %d, %c : f64
// CHECK-NEXT:     phi.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   %flagged = phi.reduce %v identity %x by (%e, %f) -> f64 {
// CHECK-NEXT:     %{{.*}} = arith.addf %e, %f fastmath<nnan> : f64
// CHECK-NEXT:     phi.yield
// CHECK-NEXT:   }
// CHECK-GENERIC-LABEL: sym_name = "reduce"
// CHECK-GENERIC:      %sum = "phi.reduce"(%v, %x) ({
// CHECK-GENERIC-NEXT: ^bb0([[A:%.*]]: f64, [[B:%.*]]: f64):
// CHECK-GENERIC-NEXT:   [[C:%.*]] = "arith.addf"([[A]], [[B]]) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
// CHECK-GENERIC-NEXT:   "phi.yield"([[C]]) : (f64) -> ()
// CHECK-GENERIC-NEXT: }) : (!phi.vec<f64>, f64) -> f64
func.func @reduce(%v : !phi.vec<f64>, %w : !phi.vec<!phi.vec<f64>>, %x : f64) {
  %sum = phi.reduce %v identity %x by { arith.addf } -> f64
  %rows = phi.reduce %w identity %v by { phi.concat } -> !phi.vec<f64>
  %last = phi.reduce %v identity %x by (%a, %b) -> f64 {
    phi.yield %b : f64
  }
  %swapped = phi.reduce %v identity %x by (%c, %d) -> f64 {
    %0 = arith.addf %d, %c : f64
    phi.yield %0 : f64
  }
  %flagged = phi.reduce %v identity %x by (%e, %f) -> f64 {
    %0 = arith.addf %e, %f fastmath<nnan> : f64
    phi.yield %0 : f64
  }
  func.return
}

// CHECK-LABEL: func.func @argreduce
// CHECK-NEXT:   %first = phi.argreduce %v by "<" : !phi.vec<f64>
// CHECK-NEXT:   %last = phi.argreduce %w by ">=" : !phi.vec<i32>
// CHECK-GENERIC-LABEL: sym_name = "argreduce"
// CHECK-GENERIC:      %first = "phi.argreduce"(%v) <{predicate = "<"}> : (!phi.vec<f64>) -> i64
// CHECK-GENERIC-NEXT: %last = "phi.argreduce"(%w) <{predicate = ">="}> : (!phi.vec<i32>) -> i64
func.func @argreduce(%v : !phi.vec<f64>, %w : !phi.vec<i32>) {
  %first = phi.argreduce %v by "<" : !phi.vec<f64>
  %last = phi.argreduce %w by ">=" : !phi.vec<i32>
  func.return
}

// CHECK-LABEL: func.func @top_k
// CHECK-NEXT:   %first = phi.top_k %v, %n by "<" : !phi.vec<f64>
// CHECK-NEXT:   %last = phi.top_k %w, %n by ">" {note = "kept"} : !phi.vec<i32>
// CHECK-GENERIC-LABEL: sym_name = "top_k"
// CHECK-GENERIC:      %first = "phi.top_k"(%v, %n) <{predicate = "<"}> : (!phi.vec<f64>, i64) -> !phi.vec<i64>
// CHECK-GENERIC-NEXT: %last = "phi.top_k"(%w, %n) <{predicate = ">"}> {note = "kept"} : (!phi.vec<i32>, i64) -> !phi.vec<i64>
func.func @top_k(%v : !phi.vec<f64>, %w : !phi.vec<i32>, %n : i64) {
  %first = phi.top_k %v, %n by "<" : !phi.vec<f64>
  %last = phi.top_k %w, %n by ">" {note = "kept"} : !phi.vec<i32>
  func.return
}

// CHECK-LABEL: func.func @get
// CHECK-NEXT:   %row = phi.get %a[%n] : !phi.vec<!phi.vec<f64>>[i64]
// CHECK-NEXT:   %x = phi.get %a[%n, %m] : !phi.vec<!phi.vec<f64>>[i64, i32]
// CHECK-NEXT:   phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %y = phi.get %a[%i, %n] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-GENERIC-LABEL: sym_name = "get"
// CHECK-GENERIC:      %row = "phi.get"(%a, %n) : (!phi.vec<!phi.vec<f64>>, i64) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT: %x = "phi.get"(%a, %n, %m) : (!phi.vec<!phi.vec<f64>>, i64, i32) -> f64
// CHECK-GENERIC:      %y = "phi.get"(%a, %i, %n) : (!phi.vec<!phi.vec<f64>>, index, i64) -> f64
func.func @get(%a : !phi.vec<!phi.vec<f64>>, %n : i64, %m : i32) {
  %row = phi.get %a[%n] : !phi.vec<!phi.vec<f64>>[i64]
  %x = phi.get %a[%n, %m] : !phi.vec<!phi.vec<f64>>[i64, i32]
  phi.array (%i < %n) -> !phi.vec<f64> {
    %y = phi.get %a[%i, %n] : !phi.vec<!phi.vec<f64>>[index, i64]
    phi.yield %y : f64
  }
  func.return
}

// CHECK-LABEL: func.func @others
// CHECK-NEXT:   %c = phi.concat %v, %v : !phi.vec<f64>
// CHECK-NEXT:   %d = phi.concat %v, %v of %n : !phi.vec<f64>
// CHECK-NEXT:   %unit = phi.tuple () : tuple<>
// CHECK-NEXT:   %t = phi.tuple (%v, %n) : tuple<!phi.vec<f64>, i64>
// CHECK-NEXT:   %f = phi.proj %t, 1 : tuple<!phi.vec<f64>, i64> -> i64
// CHECK-NEXT:   %s = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:   %e = phi.assert_eq %n, %s, "sizes of \22v\22"
// CHECK-NEXT:   %z = phi.extern @sort(%v) : (!phi.vec<f64>) -> !phi.vec<f64>
// CHECK-NEXT:   %o = phi.extern @one() : () -> i64
// CHECK-NEXT:   %zz = phi.extern @sort(%v) jvp @sort_jvp vjp @sort_vjp : (!phi.vec<f64>) -> !phi.vec<f64>
// CHECK-GENERIC-LABEL: sym_name = "others"
// CHECK-GENERIC:      %c = "phi.concat"(%v, %v) : (!phi.vec<f64>, !phi.vec<f64>) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT: %d = "phi.concat"(%v, %v, %n) : (!phi.vec<f64>, !phi.vec<f64>, i64) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT: %unit = "phi.tuple"() : () -> tuple<>
// CHECK-GENERIC-NEXT: %t = "phi.tuple"(%v, %n) : (!phi.vec<f64>, i64) -> tuple<!phi.vec<f64>, i64>
// CHECK-GENERIC-NEXT: %f = "phi.proj"(%t) <{field = 1 : i64}> : (tuple<!phi.vec<f64>, i64>) -> i64
// CHECK-GENERIC-NEXT: %s = "phi.size"(%v) <{axis = 0 : i64}> : (!phi.vec<f64>) -> i64
// CHECK-GENERIC-NEXT: %e = "phi.assert_eq"(%n, %s) <{message = "sizes of \22v\22"}> : (i64, i64) -> i64
// CHECK-GENERIC-NEXT: %z = "phi.extern"(%v) <{callee = @sort}> : (!phi.vec<f64>) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT: %o = "phi.extern"() <{callee = @one}> : () -> i64
// CHECK-GENERIC-NEXT: %zz = "phi.extern"(%v) <{callee = @sort, jvp = @sort_jvp, vjp = @sort_vjp}> : (!phi.vec<f64>) -> !phi.vec<f64>
func.func @others(%v : !phi.vec<f64>, %n : i64) {
  %c = phi.concat %v, %v : !phi.vec<f64>
  %d = phi.concat %v, %v of %n : !phi.vec<f64>
  %unit = phi.tuple () : tuple<>
  %t = phi.tuple (%v, %n) : tuple<!phi.vec<f64>, i64>
  %f = phi.proj %t, 1 : tuple<!phi.vec<f64>, i64> -> i64
  %s = phi.size %v, 0 : !phi.vec<f64>
  %e = phi.assert_eq %n, %s, "sizes of \"v\""
  %z = phi.extern @sort(%v) : (!phi.vec<f64>) -> !phi.vec<f64>
  %o = phi.extern @one() : () -> i64
  %zz = phi.extern @sort(%v) jvp @sort_jvp vjp @sort_vjp : (!phi.vec<f64>) -> !phi.vec<f64>
  func.return
}

// CHECK-LABEL: func.func @records_of_arrays
// CHECK-NEXT:   %v = phi.array (%i < %n) -> tuple<!phi.vec<f64>, tuple<!phi.vec<i64>>> {
// CHECK-NEXT:     phi.yield %x : tuple<f64, tuple<i64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   %a = phi.reduce %v : tuple<!phi.vec<f64>, tuple<!phi.vec<i64>>> identity %x by (%p, %q) -> tuple<f64, tuple<i64>> {
// CHECK-NEXT:     phi.yield %q : tuple<f64, tuple<i64>>
// CHECK-GENERIC-LABEL: sym_name = "records_of_arrays"
// CHECK-GENERIC:      "phi.reduce"(%v, %x) ({
// CHECK-GENERIC:      }) : (tuple<!phi.vec<f64>, tuple<!phi.vec<i64>>>, tuple<f64, tuple<i64>>) -> tuple<f64, tuple<i64>>
func.func @records_of_arrays(%n : i64, %x : tuple<f64, tuple<i64>>) {
  %v = phi.array (%i < %n) -> tuple<!phi.vec<f64>, tuple<!phi.vec<i64>>> {
    phi.yield %x : tuple<f64, tuple<i64>>
  }
  %a = phi.reduce %v : tuple<!phi.vec<f64>, tuple<!phi.vec<i64>>> identity %x by (%p, %q) -> tuple<f64, tuple<i64>> {
    phi.yield %q : tuple<f64, tuple<i64>>
  }
  func.return
}

// CHECK-LABEL: func.func @updates
// CHECK-NEXT:   %b = phi.update %a[%n], %v : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %c = phi.update %b[%n, %m], %x : (!phi.vec<!phi.vec<f64>>, i64, i32, f64) -> !phi.vec<!phi.vec<f64>>
// CHECK-GENERIC-LABEL: sym_name = "updates"
// CHECK-GENERIC:      %b = "phi.update"(%a, %n, %v) : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
func.func @updates(%a : !phi.vec<!phi.vec<f64>>, %v : !phi.vec<f64>, %x : f64, %n : i64, %m : i32) {
  %b = phi.update %a[%n], %v : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
  %c = phi.update %b[%n, %m], %x : (!phi.vec<!phi.vec<f64>>, i64, i32, f64) -> !phi.vec<!phi.vec<f64>>
  func.return
}

// CHECK-LABEL: func.func @slices
// CHECK-NEXT:   %b = phi.update_slice %a[%n by %n], %v : !phi.vec<f64>
// CHECK-GENERIC-LABEL: sym_name = "slices"
// CHECK-GENERIC:      %b = "phi.update_slice"(%a, %n, %n, %v) : (!phi.vec<f64>, i64, i64, !phi.vec<f64>) -> !phi.vec<f64>
func.func @slices(%a : !phi.vec<f64>, %v : !phi.vec<f64>, %n : i64) {
  %b = phi.update_slice %a[%n by %n], %v : !phi.vec<f64>
  func.return
}

func.func @accumulations(%x : !phi.vec<f64>, %y : !phi.vec<!phi.vec<i1>>, %n : i64, %m : i64) {
  %s = phi.accumulate (%i < %n) into "add" (%m) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %v = phi.get %x[%i] : !phi.vec<f64>[index]
    %at = phi.tuple (%p, %v) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  %t = phi.accumulate (%i < %n, %j < %m) into "mul" (), "or" (%m, %n) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>> {
    %p = arith.index_cast %j : index to i64
    %b = phi.get %y[%i, %j] : !phi.vec<!phi.vec<i1>>[index, index]
    %all = phi.tuple (%x) : tuple<!phi.vec<f64>>
    %at = phi.tuple (%p, %p, %b) : tuple<i64, i64, i1>
    %both = phi.tuple (%all, %at) : tuple<tuple<!phi.vec<f64>>, tuple<i64, i64, i1>>
    phi.yield %both : tuple<tuple<!phi.vec<f64>>, tuple<i64, i64, i1>>
  } {note = "kept"}
  func.return
}

// CHECK:      func.func @accumulations(%x: !phi.vec<f64>, %y: !phi.vec<!phi.vec<i1>>, %n: i64, %m: i64) {
// CHECK-NEXT:   %s = phi.accumulate (%i < %n) into "add" (%m) -> !phi.vec<f64> {
// CHECK-NEXT:     %p = arith.index_cast %i : index to i64
// CHECK-NEXT:     %v = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %at = phi.tuple (%p, %v) : tuple<i64, f64>
// CHECK-NEXT:     phi.yield %at : tuple<i64, f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = phi.accumulate (%i_1 < %n, %j < %m) into "mul" (), "or" (%m, %n) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>> {
// CHECK-NEXT:     %p_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:     %b = phi.get %y[%i_1, %j] : !phi.vec<!phi.vec<i1>>[index, index]
// CHECK-NEXT:     %all = phi.tuple (%x) : tuple<!phi.vec<f64>>
// CHECK-NEXT:     %at_1 = phi.tuple (%p_1, %p_1, %b) : tuple<i64, i64, i1>
// CHECK-NEXT:     %both = phi.tuple (%all, %at_1) : tuple<tuple<!phi.vec<f64>>, tuple<i64, i64, i1>>
// CHECK-NEXT:     phi.yield %both : tuple<tuple<!phi.vec<f64>>, tuple<i64, i64, i1>>
// CHECK-NEXT:   } {note = "kept"}
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "accumulations", function_type = (!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, i64, i64) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%x: !phi.vec<f64>, %y: !phi.vec<!phi.vec<i1>>, %n: i64, %m: i64):
// CHECK-GENERIC-NEXT:   %s = "phi.accumulate"(%n, %m) <{kinds = ["add"], ranks = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1>}> ({
// CHECK-GENERIC-NEXT:   ^bb0(%i: index):
// CHECK-GENERIC-NEXT:     %p = "arith.index_cast"(%i) : (index) -> i64
// CHECK-GENERIC-NEXT:     %v = "phi.get"(%x, %i) : (!phi.vec<f64>, index) -> f64
// CHECK-GENERIC-NEXT:     %at = "phi.tuple"(%p, %v) : (i64, f64) -> tuple<i64, f64>
// CHECK-GENERIC-NEXT:     "phi.yield"(%at) : (tuple<i64, f64>) -> ()
// CHECK-GENERIC-NEXT:   }) : (i64, i64) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT:   %t = "phi.accumulate"(%n, %m, %m, %n) <{kinds = ["mul", "or"], ranks = array<i64: 0, 2>, operandSegmentSizes = array<i32: 2, 2>}> ({
// CHECK-GENERIC-NEXT:   ^bb0(%i_1: index, %j: index):
// CHECK-GENERIC-NEXT:     %p_1 = "arith.index_cast"(%j) : (index) -> i64
// CHECK-GENERIC-NEXT:     %b = "phi.get"(%y, %i_1, %j) : (!phi.vec<!phi.vec<i1>>, index, index) -> i1
// CHECK-GENERIC-NEXT:     %all = "phi.tuple"(%x) : (!phi.vec<f64>) -> tuple<!phi.vec<f64>>
// CHECK-GENERIC-NEXT:     %at_1 = "phi.tuple"(%p_1, %p_1, %b) : (i64, i64, i1) -> tuple<i64, i64, i1>
// CHECK-GENERIC-NEXT:     %both = "phi.tuple"(%all, %at_1) : (tuple<!phi.vec<f64>>, tuple<i64, i64, i1>) -> tuple<tuple<!phi.vec<f64>>, tuple<i64, i64, i1>>
// CHECK-GENERIC-NEXT:     "phi.yield"(%both) : (tuple<tuple<!phi.vec<f64>>, tuple<i64, i64, i1>>) -> ()
// CHECK-GENERIC-NEXT:   }) {note = "kept"} : (i64, i64, i64, i64) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

func.func @scans(%x : !phi.vec<f64>) {
  %s = phi.scan "add" %x : !phi.vec<f64>
  %t = phi.scan "min" %x suffixes {note = "kept"} : !phi.vec<f64>
  func.return
}

// CHECK:      func.func @scans(%x: !phi.vec<f64>) {
// CHECK-NEXT:   %s = phi.scan "add" %x : !phi.vec<f64>
// CHECK-NEXT:   %t = phi.scan "min" %x suffixes {note = "kept"} : !phi.vec<f64>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "scans", function_type = (!phi.vec<f64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%x: !phi.vec<f64>):
// CHECK-GENERIC-NEXT:   %s = "phi.scan"(%x) <{kind = "add"}> : (!phi.vec<f64>) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT:   %t = "phi.scan"(%x) <{kind = "min", suffixes}> {note = "kept"} : (!phi.vec<f64>) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

func.func @weighted_scans(%x : !phi.vec<f64>, %c : f64, %t : !phi.vec<i1>) {
  %s = phi.weighted_scan "max" %x by %c : !phi.vec<f64> by f64
  %r = phi.weighted_scan "add" %x by %t {note = "kept"} : !phi.vec<f64> by !phi.vec<i1>
  func.return
}

// CHECK:      func.func @weighted_scans(%x: !phi.vec<f64>, %c: f64, %t: !phi.vec<i1>) {
// CHECK-NEXT:   %s = phi.weighted_scan "max" %x by %c : !phi.vec<f64> by f64
// CHECK-NEXT:   %r = phi.weighted_scan "add" %x by %t {note = "kept"} : !phi.vec<f64> by !phi.vec<i1>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "weighted_scans", function_type = (!phi.vec<f64>, f64, !phi.vec<i1>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%x: !phi.vec<f64>, %c: f64, %t: !phi.vec<i1>):
// CHECK-GENERIC-NEXT:   %s = "phi.weighted_scan"(%x, %c) <{kind = "max"}> : (!phi.vec<f64>, f64) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT:   %r = "phi.weighted_scan"(%x, %t) <{kind = "add"}> {note = "kept"} : (!phi.vec<f64>, !phi.vec<i1>) -> !phi.vec<f64>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

func.func @nan_of_others(%x : !phi.vec<f32>, %y : !phi.vec<f64>) {
  %r = phi.propagate_nan %x from %y {note = "kept"} : !phi.vec<f32> from !phi.vec<f64>
  func.return
}

// CHECK:      func.func @nan_of_others(%x: !phi.vec<f32>, %y: !phi.vec<f64>) {
// CHECK-NEXT:   %r = phi.propagate_nan %x from %y {note = "kept"} : !phi.vec<f32> from !phi.vec<f64>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

// CHECK-GENERIC:      "func.func"() <{sym_name = "nan_of_others", function_type = (!phi.vec<f32>, !phi.vec<f64>) -> ()}> ({
// CHECK-GENERIC-NEXT: ^bb0(%x: !phi.vec<f32>, %y: !phi.vec<f64>):
// CHECK-GENERIC-NEXT:   %r = "phi.propagate_nan"(%x, %y) {note = "kept"} : (!phi.vec<f32>, !phi.vec<f64>) -> !phi.vec<f32>
// CHECK-GENERIC-NEXT:   "func.return"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()

// A loop that ends by a condition, which is a field of its accumulator.

func.func @newton(%a: !phi.vec<f64>, %limit: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %true = arith.constant true
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %start = phi.tuple (%true, %x) : tuple<i1, f64>
    %r = phi.while (%k < %limit, %acc = %start) -> tuple<i1, f64> {
      %y = phi.proj %acc, 1 : tuple<i1, f64> -> f64
      %root = math.sqrt %y : f64
      %more = arith.cmpf ogt, %root, %x : f64
      %next = phi.tuple (%more, %root) : tuple<i1, f64>
      phi.yield %next : tuple<i1, f64>
    }
    %z = phi.proj %r, 1 : tuple<i1, f64> -> f64
    phi.yield %z : f64
  }
  func.return %b : !phi.vec<f64>
}

// CHECK:      func.func @newton(%a: !phi.vec<f64>, %limit: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %true = arith.constant true
// CHECK-NEXT:   %b = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %start = phi.tuple (%true, %x) : tuple<i1, f64>
// CHECK-NEXT:     %r = phi.while (%k < %limit, %acc = %start) -> tuple<i1, f64> {
// CHECK-NEXT:       %y = phi.proj %acc, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:       %root = math.sqrt %y : f64
// CHECK-NEXT:       %more = arith.cmpf ogt, %root, %x : f64
// CHECK-NEXT:       %next = phi.tuple (%more, %root) : tuple<i1, f64>
// CHECK-NEXT:       phi.yield %next : tuple<i1, f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %z = phi.proj %r, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:     phi.yield %z : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %b : !phi.vec<f64>
// CHECK-NEXT: }

// CHECK-GENERIC:      %r = "phi.while"(%limit, %start) ({
// CHECK-GENERIC-NEXT: ^bb0(%k: i64, %acc: tuple<i1, f64>):
// CHECK-GENERIC-NEXT: %y = "phi.proj"(%acc) <{field = 1 : i64}> : (tuple<i1, f64>) -> f64

// The limit of a counted loop is the count of a fold, in messages.

func.func @counted(%n: i64, %x: i64) -> i64 {
  %true = arith.constant true
  %start = phi.tuple (%true, %x) : tuple<i1, i64>
  %r = phi.while counted (%k < %n, %acc = %start) -> tuple<i1, i64> {
    phi.yield %acc : tuple<i1, i64>
  }
  %z = phi.proj %r, 1 : tuple<i1, i64> -> i64
  func.return %z : i64
}

// CHECK:      func.func @counted(%n: i64, %x: i64) -> i64 {
// CHECK:        %r = phi.while counted (%k < %n, %acc = %start) -> tuple<i1, i64> {
// CHECK-NEXT:     phi.yield %acc : tuple<i1, i64>
// CHECK-GENERIC: %r = "phi.while"(%n, %start) <{counted}> ({

// The positions of the elements in increasing order.

func.func @argsort(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<i64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<i64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %order = phi.argsort %row : !phi.vec<f64>
    phi.yield %order : !phi.vec<i64>
  }
  func.return %p : !phi.vec<!phi.vec<i64>>
}

// CHECK:      func.func @argsort(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<i64>> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<i64>> {
// CHECK-NEXT:     %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:     %order = phi.argsort %row : !phi.vec<f64>
// CHECK-NEXT:     phi.yield %order : !phi.vec<i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %p : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT: }

// CHECK-GENERIC:      %order = "phi.argsort"(%row) : (!phi.vec<f64>) -> !phi.vec<i64>

// The place of a value in a vector in order.

func.func @searchsorted(%v: !phi.vec<f64>, %x: f64) -> i64 {
  %p = phi.searchsorted %v, %x : !phi.vec<f64>, f64
  %q = phi.searchsorted %v, %x right : !phi.vec<f64>, f64
  %r = arith.subi %q, %p : i64
  func.return %r : i64
}

// CHECK:      func.func @searchsorted(%v: !phi.vec<f64>, %x: f64) -> i64 {
// CHECK-NEXT:   %p = phi.searchsorted %v, %x : !phi.vec<f64>, f64
// CHECK-NEXT:   %q = phi.searchsorted %v, %x right : !phi.vec<f64>, f64
// CHECK-NEXT:   %r = arith.subi %q, %p : i64
// CHECK-NEXT:   func.return %r : i64
// CHECK-NEXT: }

// CHECK-GENERIC:      %p = "phi.searchsorted"(%v, %x) : (!phi.vec<f64>, f64) -> i64
// CHECK-GENERIC:      %q = "phi.searchsorted"(%v, %x) <{right}> : (!phi.vec<f64>, f64) -> i64

// Derivatives of a function of one argument, which may be a record.

func.func @derivatives(%a: f64, %v: !phi.vec<f64>, %t: tuple<f64, i64>) -> f64 {
  %r = phi.jvp (%x = %a by %a) : f64 -> tuple<f64, f64> {
    phi.yield %x : f64
  }
  %s = phi.vjp (%y = %v by %a) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %k = arith.constant 0 : i64
    %z = phi.get %y[%k] : !phi.vec<f64>[i64]
    phi.yield %z : f64
  }
  %w = phi.vjp checkpoint 64 (%x = %a by %a) : f64 -> tuple<f64, f64> {
    phi.yield %x : f64
  }
  %u = phi.transpose (%dx = %a, %dv = %v) by %t -> tuple<f64, !phi.vec<f64>> : tuple<f64, i64> {
    phi.yield %t : tuple<f64, i64>
  }
  func.return %a : f64
}

// CHECK:      func.func @derivatives(%a: f64, %v: !phi.vec<f64>, %t: tuple<f64, i64>) -> f64 {
// CHECK-NEXT:   %r = phi.jvp (%x = %a by %a) : f64 -> tuple<f64, f64> {
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.vjp (%y = %v by %a) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:     %k = arith.constant 0 : i64
// CHECK-NEXT:     %z = phi.get %y[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %z : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %w = phi.vjp checkpoint 64 (%x_1 = %a by %a) : f64 -> tuple<f64, f64> {
// CHECK-NEXT:     phi.yield %x_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %u = phi.transpose (%dx = %a, %dv = %v) by %t -> tuple<f64, !phi.vec<f64>> : tuple<f64, i64> {
// CHECK-NEXT:     phi.yield %t : tuple<f64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %a : f64
// CHECK-NEXT: }

// CHECK-GENERIC:      %r = "phi.jvp"(%a, %a) ({
// CHECK-GENERIC:      %s = "phi.vjp"(%v, %a) ({
// CHECK-GENERIC:      %u = "phi.transpose"(%a, %v, %t) ({
// The elements in increasing order.

func.func @sort(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %sorted = phi.sort %row : !phi.vec<f64>
    phi.yield %sorted : !phi.vec<f64>
  }
  func.return %p : !phi.vec<!phi.vec<f64>>
}

// CHECK:      func.func @sort(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:     %sorted = phi.sort %row : !phi.vec<f64>
// CHECK-NEXT:     phi.yield %sorted : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %p : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT: }

// CHECK-GENERIC:      %sorted = "phi.sort"(%row) : (!phi.vec<f64>) -> !phi.vec<f64>
