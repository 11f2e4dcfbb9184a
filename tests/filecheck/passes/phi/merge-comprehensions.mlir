// RUN: ein-opt %s --split-input-file -p merge-comprehensions,outline | filecheck %s

// Comprehensions over the same sizes become one of records, and share what they load.
func.func @merged(%u: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = math.sin %x : f64
    phi.yield %y : f64
  }
  %b = phi.array (%j < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%j] : !phi.vec<f64>[index]
    %y = math.cos %x : f64
    phi.yield %y : f64
  }
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:         func.func @merged(%u: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:        %x = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y = math.sin %x : f64
// CHECK-NEXT:        %y_1 = math.cos %x : f64
// CHECK-NEXT:        %1 = phi.tuple (%y, %y_1) : tuple<f64, f64>
// CHECK-NEXT:        phi.yield %1 : tuple<f64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %a = phi.proj %0, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %b = phi.proj %0, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// One that reads the other stays apart.
func.func @dependent(%u: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = math.sin %x : f64
    phi.yield %y : f64
  }
  %b = phi.array (%j < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%zero] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:         func.func @dependent(%u: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:      %n = phi.size %u, 0 : !phi.vec<f64>
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %a = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %x = phi.get %u[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:        %y = math.sin %x : f64
// CHECK-NEXT:        phi.yield %y : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %x_1 = phi.get %a[%zero] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %b = phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %x_1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:    }
