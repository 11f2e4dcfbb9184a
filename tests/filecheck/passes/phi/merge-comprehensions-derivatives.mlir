// RUN: ein-opt %s --split-input-file -p 'merge-comprehensions{work=true derivatives=true}' | filecheck %s

// Two arrays in a derivative whose sums need one angle: it has one cotangent.

func.func @waves(%u: !phi.vec<f64>, %v: !phi.vec<f64>, %ct: tuple<!phi.vec<f64>, !phi.vec<f64>>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %u by %ct) : !phi.vec<f64> by tuple<!phi.vec<f64>, !phi.vec<f64>> -> tuple<tuple<!phi.vec<f64>, !phi.vec<f64>>, !phi.vec<f64>> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %m = phi.size %v, 0 : !phi.vec<f64>
    %a = phi.array (%i < %n) -> !phi.vec<f64> {
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %y = phi.get %x[%i] : !phi.vec<f64>[index]
        %z = phi.get %v[%k] : !phi.vec<f64>[i64]
        %p = arith.subf %y, %z : f64
        %e = math.cos %p : f64
        %next = arith.addf %acc, %e : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %y = phi.get %x[%i] : !phi.vec<f64>[index]
        %z = phi.get %v[%k] : !phi.vec<f64>[i64]
        %p = arith.subf %y, %z : f64
        %e = math.sin %p : f64
        %next = arith.addf %acc, %e : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    %t = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %t : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  %g = phi.proj %r, 1 : tuple<tuple<!phi.vec<f64>, !phi.vec<f64>>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}

// CHECK-LABEL: func.func @waves(
// CHECK:         phi.vjp
// CHECK:           phi.array ({{.*}}) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK:             phi.fold ({{.*}}) -> tuple<f64, f64> {
// CHECK:               math.cos %[[P:[^ ]*]] : f64
// CHECK:               math.sin %[[P]] : f64

// -----

// Functions without derivatives are left to a later run.

func.func @values(%u: !phi.vec<f64>, %v: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %u, 0 : !phi.vec<f64>
  %m = phi.size %v, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %u[%i] : !phi.vec<f64>[index]
      %z = phi.get %v[%k] : !phi.vec<f64>[i64]
      %p = arith.subf %y, %z : f64
      %e = math.cos %p : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %u[%i] : !phi.vec<f64>[index]
      %z = phi.get %v[%k] : !phi.vec<f64>[i64]
      %p = arith.subf %y, %z : f64
      %e = math.sin %p : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @values(
// CHECK-NOT:     tuple

// -----

// Two functions of the same neighbours: the elements have one cotangent.

func.func @neighbours(%u: !phi.vec<f64>, %ct: tuple<!phi.vec<f64>, !phi.vec<f64>>) -> !phi.vec<f64> {
  %r = phi.vjp (%x = %u by %ct) : !phi.vec<f64> by tuple<!phi.vec<f64>, !phi.vec<f64>> -> tuple<tuple<!phi.vec<f64>, !phi.vec<f64>>, !phi.vec<f64>> {
    %one = arith.constant 1 : i64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %a = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = arith.index_cast %i : index to i64
      %q = arith.addi %p, %one : i64
      %y = phi.get %x[%i] : !phi.vec<f64>[index]
      %z = phi.get %x[%q] : !phi.vec<f64>[i64]
      %low = arith.minimumf %y, %z : f64
      phi.yield %low : f64
    }
    %size = phi.size %x, 0 : !phi.vec<f64>
    %b = phi.array (%i < %size) -> !phi.vec<f64> {
      %p = arith.index_cast %i : index to i64
      %q = arith.addi %p, %one : i64
      %y = phi.get %x[%i] : !phi.vec<f64>[index]
      %z = phi.get %x[%q] : !phi.vec<f64>[i64]
      %low = arith.minimumf %y, %z : f64
      %e = math.exp %low : f64
      phi.yield %e : f64
    }
    %t = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %t : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  %g = phi.proj %r, 1 : tuple<tuple<!phi.vec<f64>, !phi.vec<f64>>, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %g : !phi.vec<f64>
}

// CHECK-LABEL: func.func @neighbours(
// CHECK:         phi.array ({{.*}}) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK:           %[[LOW:.*]] = arith.minimumf
// CHECK-NEXT:      math.exp %[[LOW]]
// CHECK-NOT:     phi.array
