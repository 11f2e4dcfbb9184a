// RUN: ein-opt %s --split-input-file -p struct-of-arrays | filecheck %s

// Signatures, indexing, sizes and comprehensions. The body is evaluated once for both fields. The
// arrays that come from outside have equal sizes, which is checked once if it is used. Of a record
// whose fields are read, these are made alone.
func.func @swap(%a: !phi.vec<tuple<f64, i64>>) -> !phi.vec<tuple<i64, f64>> {
  %n = phi.size %a, 0 : !phi.vec<tuple<f64, i64>>
  %b = phi.array (%i < %n) -> !phi.vec<tuple<i64, f64>> {
    %e = phi.get %a[%i] : !phi.vec<tuple<f64, i64>>[index]
    %x = phi.proj %e, 0 : tuple<f64, i64> -> f64
    %k = phi.proj %e, 1 : tuple<f64, i64> -> i64
    %t = phi.tuple (%k, %x) : tuple<i64, f64>
    phi.yield %t : tuple<i64, f64>
  }
  func.return %b : !phi.vec<tuple<i64, f64>>
}

// CHECK:      func.func @swap(%a: tuple<!phi.vec<f64>, !phi.vec<i64>>) -> tuple<!phi.vec<i64>, !phi.vec<f64>> {
// CHECK-NEXT:   %a_1 = phi.proj %a, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:   %a_2 = phi.proj %a, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:   %0 = phi.size %a_1, 0 : !phi.vec<f64>
// CHECK-NEXT:   %1 = phi.size %a_2, 0 : !phi.vec<i64>
// CHECK-NEXT:   %n = phi.assert_eq %0, %1, "a: size of array 0, size of array 1"
// CHECK-NEXT:   %b = phi.array (%i < %n) -> tuple<!phi.vec<i64>, !phi.vec<f64>> {
// CHECK-NEXT:     %e = phi.get %a_1[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %e_1 = phi.get %a_2[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %t = phi.tuple (%e_1, %e) : tuple<i64, f64>
// CHECK-NEXT:     phi.yield %t : tuple<i64, f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %b : tuple<!phi.vec<i64>, !phi.vec<f64>>
// CHECK-NEXT: }

// -----

// Records in records, vectors in records in vectors: only the innermost elements are in vectors.
func.func @nested(%a: !phi.vec<!phi.vec<tuple<f64, tuple<i64, !phi.vec<f32>>>>>, %k: i64) -> f32 {
  %row = phi.get %a[%k] : !phi.vec<!phi.vec<tuple<f64, tuple<i64, !phi.vec<f32>>>>>[i64]
  %e = phi.get %row[%k] : !phi.vec<tuple<f64, tuple<i64, !phi.vec<f32>>>>[i64]
  %p = phi.proj %e, 1 : tuple<f64, tuple<i64, !phi.vec<f32>>> -> tuple<i64, !phi.vec<f32>>
  %v = phi.proj %p, 1 : tuple<i64, !phi.vec<f32>> -> !phi.vec<f32>
  %x = phi.get %v[%k] : !phi.vec<f32>[i64]
  func.return %x : f32
}

// CHECK:      func.func @nested(%a: tuple<!phi.vec<!phi.vec<f64>>, tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<!phi.vec<f32>>>>>, %k: i64) -> f32 {
// CHECK-NEXT:   %a_1 = phi.proj %a, 0 : tuple<!phi.vec<!phi.vec<f64>>, tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<!phi.vec<f32>>>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %a_2 = phi.proj %a, 1 : tuple<!phi.vec<!phi.vec<f64>>, tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<!phi.vec<f32>>>>> -> tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<!phi.vec<f32>>>>
// CHECK-NEXT:   %a_3 = phi.proj %a_2, 0 : tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<!phi.vec<f32>>>> -> !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:   %a_4 = phi.proj %a_2, 1 : tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<!phi.vec<f32>>>> -> !phi.vec<!phi.vec<!phi.vec<f32>>>
// CHECK-NEXT:   %row = phi.get %a_1[%k] : !phi.vec<!phi.vec<f64>>[i64]
// CHECK-NEXT:   %row_1 = phi.get %a_3[%k] : !phi.vec<!phi.vec<i64>>[i64]
// CHECK-NEXT:   %row_2 = phi.get %a_4[%k] : !phi.vec<!phi.vec<!phi.vec<f32>>>[i64]
// CHECK-NEXT:   %row_3 = phi.tuple (%row_1, %row_2) : tuple<!phi.vec<i64>, !phi.vec<!phi.vec<f32>>>
// CHECK-NEXT:   %row_4 = phi.tuple (%row, %row_3) : tuple<!phi.vec<f64>, tuple<!phi.vec<i64>, !phi.vec<!phi.vec<f32>>>>
// CHECK-NEXT:   %e = phi.get %row_1[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %e_1 = phi.get %row_2[%k] : !phi.vec<!phi.vec<f32>>[i64]
// CHECK-NEXT:   %e_2 = phi.tuple (%e, %e_1) : tuple<i64, !phi.vec<f32>>
// CHECK-NEXT:   %x = phi.get %e_1[%k] : !phi.vec<f32>[i64]
// CHECK-NEXT:   func.return %x : f32
// CHECK-NEXT: }

// -----

// Reductions take a record of vectors.
func.func @argmin(%a: !phi.vec<tuple<f64, i64>>, %z: tuple<f64, i64>) -> tuple<f64, i64> {
  %m = phi.reduce %a identity %z by (%x, %y) -> tuple<f64, i64> {
    %p = phi.proj %x, 0 : tuple<f64, i64> -> f64
    %q = phi.proj %y, 0 : tuple<f64, i64> -> f64
    %less = arith.cmpf olt, %p, %q : f64
    %s = arith.select %less, %x, %y : tuple<f64, i64>
    phi.yield %s : tuple<f64, i64>
  }
  func.return %m : tuple<f64, i64>
}

// CHECK:      func.func @argmin(%a: tuple<!phi.vec<f64>, !phi.vec<i64>>, %z: tuple<f64, i64>) -> tuple<f64, i64> {
// CHECK-NEXT:   %m = phi.reduce %a : tuple<!phi.vec<f64>, !phi.vec<i64>> identity %z by (%x, %y) -> tuple<f64, i64> {
// CHECK-NEXT:     %p = phi.proj %x, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:     %q = phi.proj %y, 0 : tuple<f64, i64> -> f64
// CHECK-NEXT:     %less = arith.cmpf olt, %p, %q : f64
// CHECK-NEXT:     %s = arith.select %less, %x, %y : tuple<f64, i64>
// CHECK-NEXT:     phi.yield %s : tuple<f64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %m : tuple<f64, i64>
// CHECK-NEXT: }

// -----

// Accumulators, branches, externs and concatenations.
func.func @others(%a: !phi.vec<tuple<f64, i64>>, %c: i1, %n: i64) -> !phi.vec<tuple<f64, i64>> {
  %r = phi.fold (%k < %n, %acc = %a) -> !phi.vec<tuple<f64, i64>> {
    %both = phi.concat %acc, %a : !phi.vec<tuple<f64, i64>>
    %s = arith.select %c, %both, %acc : !phi.vec<tuple<f64, i64>>
    %e = phi.extern @sort(%s) : (!phi.vec<tuple<f64, i64>>) -> !phi.vec<tuple<f64, i64>>
    phi.yield %e : !phi.vec<tuple<f64, i64>>
  }
  func.return %r : !phi.vec<tuple<f64, i64>>
}

// CHECK:      func.func @others(%a: tuple<!phi.vec<f64>, !phi.vec<i64>>, %c: i1, %n: i64) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:   %a_1 = phi.proj %a, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:   %a_2 = phi.proj %a, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:   %r = phi.fold (%k < %n, %acc = %a) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:     %acc_1 = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:     %acc_2 = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:     %both = phi.concat %acc_1, %a_1 : !phi.vec<f64>
// CHECK-NEXT:     %both_1 = phi.concat %acc_2, %a_2 : !phi.vec<i64>
// CHECK-NEXT:     %both_2 = phi.tuple (%both, %both_1) : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:     %s = arith.select %c, %both_2, %acc : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:     %e = phi.extern @sort(%s) : (tuple<!phi.vec<f64>, !phi.vec<i64>>) -> tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:     phi.yield %e : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : tuple<!phi.vec<f64>, !phi.vec<i64>>
// CHECK-NEXT: }

// -----

// Callees change with their callers; declarations too.
func.func private @declared(!phi.vec<tuple<f64>>) -> !phi.vec<tuple<f64>>
func.func @caller(%a: !phi.vec<tuple<f64>>) -> !phi.vec<tuple<f64>> {
  %b = func.call @declared(%a) : (!phi.vec<tuple<f64>>) -> !phi.vec<tuple<f64>>
  func.return %b : !phi.vec<tuple<f64>>
}

// CHECK:      func.func private @declared(tuple<!phi.vec<f64>>) -> tuple<!phi.vec<f64>>
// CHECK-NEXT: func.func @caller(%a: tuple<!phi.vec<f64>>) -> tuple<!phi.vec<f64>> {
// CHECK-NEXT:   %b = func.call @declared(%a) : (tuple<!phi.vec<f64>>) -> tuple<!phi.vec<f64>>
// CHECK-NEXT:   func.return %b : tuple<!phi.vec<f64>>
// CHECK-NEXT: }

// -----

// A field without fields is no array; the sizes are those of the other fields.
func.func @unit(%a: !phi.vec<tuple<tuple<>, f64>>) -> i64 {
  %n = phi.size %a, 0 : !phi.vec<tuple<tuple<>, f64>>
  func.return %n : i64
}

// CHECK:      func.func @unit(%a: tuple<tuple<>, !phi.vec<f64>>) -> i64 {
// CHECK-NEXT:   %a_1 = phi.proj %a, 0 : tuple<tuple<>, !phi.vec<f64>> -> tuple<>
// CHECK-NEXT:   %a_2 = phi.proj %a, 1 : tuple<tuple<>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:   %n = phi.size %a_2, 0 : !phi.vec<f64>
// CHECK-NEXT:   func.return %n : i64
// CHECK-NEXT: }

// -----

// Nothing to do: records outside of arrays stay.
func.func @records(%a: tuple<!phi.vec<f64>, i64>) -> tuple<!phi.vec<f64>, i64> {
  %t = phi.tuple (%a) : tuple<tuple<!phi.vec<f64>, i64>>
  %b = phi.proj %t, 0 : tuple<tuple<!phi.vec<f64>, i64>> -> tuple<!phi.vec<f64>, i64>
  func.return %b : tuple<!phi.vec<f64>, i64>
}

// CHECK:      func.func @records(%a: tuple<!phi.vec<f64>, i64>) -> tuple<!phi.vec<f64>, i64> {
// CHECK-NEXT:   %t = phi.tuple (%a) : tuple<tuple<!phi.vec<f64>, i64>>
// CHECK-NEXT:   func.return %a : tuple<!phi.vec<f64>, i64>
// CHECK-NEXT: }

// -----

// Inner axes, and rows: the sizes of the arrays that the argument is.
func.func @row_sizes(%a: !phi.vec<!phi.vec<tuple<f64, tuple<i64, f32>>>>, %k: i64) -> i64 {
  %row = phi.get %a[%k] : !phi.vec<!phi.vec<tuple<f64, tuple<i64, f32>>>>[i64]
  %n = phi.size %row, 0 : !phi.vec<tuple<f64, tuple<i64, f32>>>
  func.return %n : i64
}

// CHECK:      func.func @row_sizes(%a: tuple<!phi.vec<!phi.vec<f64>>, tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<f32>>>>, %k: i64) -> i64 {
// CHECK-NEXT:   %a_1 = phi.proj %a, 0 : tuple<!phi.vec<!phi.vec<f64>>, tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<f32>>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %a_2 = phi.proj %a, 1 : tuple<!phi.vec<!phi.vec<f64>>, tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<f32>>>> -> tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<f32>>>
// CHECK-NEXT:   %a_3 = phi.proj %a_2, 0 : tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<f32>>> -> !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:   %a_4 = phi.proj %a_2, 1 : tuple<!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<f32>>> -> !phi.vec<!phi.vec<f32>>
// CHECK-NEXT:   %0 = phi.size %a_1, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %1 = phi.size %a_3, 1 : !phi.vec<!phi.vec<i64>>
// CHECK-NEXT:   %2 = phi.assert_eq %0, %1, "a: size of array 0, size of array 1"
// CHECK-NEXT:   %3 = phi.size %a_4, 1 : !phi.vec<!phi.vec<f32>>
// CHECK-NEXT:   %n = phi.assert_eq %2, %3, "a: size of array 0, size of array 2"
// CHECK-NEXT:   %row = phi.get %a_1[%k] : !phi.vec<!phi.vec<f64>>[i64]
// CHECK-NEXT:   %row_1 = phi.get %a_3[%k] : !phi.vec<!phi.vec<i64>>[i64]
// CHECK-NEXT:   %row_2 = phi.get %a_4[%k] : !phi.vec<!phi.vec<f32>>[i64]
// CHECK-NEXT:   %row_3 = phi.tuple (%row_1, %row_2) : tuple<!phi.vec<i64>, !phi.vec<f32>>
// CHECK-NEXT:   %row_4 = phi.tuple (%row, %row_3) : tuple<!phi.vec<f64>, tuple<!phi.vec<i64>, !phi.vec<f32>>>
// CHECK-NEXT:   func.return %n : i64
// CHECK-NEXT: }

// -----

// The sizes of arrays that the program makes itself are not compared.
func.func @made(%t: tuple<f64, i64>, %k: i64) -> i64 {
  %a = phi.array (%i < %k) -> !phi.vec<tuple<f64, i64>> {
    phi.yield %t : tuple<f64, i64>
  }
  %n = phi.size %a, 0 : !phi.vec<tuple<f64, i64>>
  func.return %n : i64
}

// CHECK:      func.func @made(%t: tuple<f64, i64>, %k: i64) -> i64 {
// CHECK-NEXT:   %a = phi.array (%i < %k) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK-NEXT:     phi.yield %t : tuple<f64, i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %a_1 = phi.proj %a, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
// CHECK-NEXT:   %a_2 = phi.proj %a, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
// CHECK-NEXT:   %n = phi.size %a_1, 0 : !phi.vec<f64>
// CHECK-NEXT:   func.return %n : i64
// CHECK-NEXT: }
