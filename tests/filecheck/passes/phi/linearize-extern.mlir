// RUN: ein-opt %s -p linearize | filecheck %s
// RUN: ein-opt %s -p differentiate | filecheck %s --check-prefix EXPANDED

// The derivative of an extrinsic is a function of the module: of its arguments, its result and a
// direction. That of cotangents is transposed; where tangents are wanted, too, if there is no other.

func.func private @sine_jvp(%x: f64, %y: f64, %dx: f64) -> f64 {
  %c = math.cos %x : f64
  %r = arith.mulf %c, %dx : f64
  func.return %r : f64
}

func.func @backwards(%a: f64, %ct: f64) -> f64 {
  %r = phi.vjp (%x = %a by %ct) : f64 -> tuple<f64, f64> {
    %y = phi.extern @sine(%x) jvp @sine_jvp : (f64) -> f64
    phi.yield %y : f64
  }
  %g = phi.proj %r, 1 : tuple<f64, f64> -> f64
  func.return %g : f64
}
// CHECK-LABEL: func.func @backwards
// CHECK:         %y = phi.extern @sine(%a) jvp @sine_jvp : (f64) -> f64
// CHECK:         phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 {
// CHECK-NEXT:      %c = math.cos %a : f64
// CHECK-NEXT:      %r = arith.mulf %c, %dx : f64
// CHECK-NEXT:      phi.yield %r : f64
// EXPANDED-NOT: func.func private
// EXPANDED-LABEL: func.func @backwards
// EXPANDED-NEXT:    %c = math.cos %a : f64
// EXPANDED-NEXT:    %g = arith.mulf %ct, %c : f64

func.func private @twice_vjp(%x: f64, %y: f64, %ct: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %r = arith.mulf %ct, %two : f64
  func.return %r : f64
}

func.func @forwards(%a: f64, %da: f64) -> tuple<f64, f64> {
  %r = phi.jvp (%x = %a by %da) : f64 -> tuple<f64, f64> {
    %y = phi.extern @twice(%x) vjp @twice_vjp : (f64) -> f64
    phi.yield %y : f64
  }
  func.return %r : tuple<f64, f64>
}
// CHECK-LABEL: func.func @forwards
// CHECK-NEXT:    %y = phi.extern @twice(%a) vjp @twice_vjp : (f64) -> f64
// CHECK-NEXT:    %0 = phi.transpose (%ct = %y) by %da -> tuple<f64> : f64 {
// CHECK:           arith.mulf %ct, %two : f64
// EXPANDED-LABEL: func.func @forwards
// EXPANDED-NEXT:    %y = phi.extern @twice(%a) : (f64) -> f64
// EXPANDED:         arith.mulf %da, %two : f64
