// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP
// RUN: ein-opt %s --pipeline numpy -t python | filecheck %s --check-prefix=NUMPY
// RUN: ein-opt %s --pipeline torch -t python | filecheck %s --check-prefix=TORCH
// RUN: ein-opt %s --pipeline jax -t python | filecheck %s --check-prefix=JAX

// Integers of every width, and arguments that the host sees without a sign.

// CHECK-LABEL: func.func @widths(
// CHECK-SAME: %a: i8, %b: i16, %v: !phi.vec<i8>, %r: tuple<i16, !phi.vec<i32>>) -> i8 {
// CHECK-GENERIC: function_type = (i8, i16, !phi.vec<i8>, tuple<i16, !phi.vec<i32>>) -> i8
func.func @widths(%a : i8, %b : i16, %v : !phi.vec<i8>, %r : tuple<i16, !phi.vec<i32>>) -> i8 {
  %c = arith.constant 255 : i8
  %d = sigma.floormod %a, %c : i8
  func.return %d : i8
}

// CHECK-LABEL: func.func @brighter(
// CHECK-SAME: attributes {ein.host_type = (!phi.vec<ui8>, ui8) -> !phi.vec<ui8>}
// CHECK-GENERIC: ein.host_type = (!phi.vec<ui8>, ui8) -> !phi.vec<ui8>
// NUMPY-LABEL: def brighter(image, step):
// NUMPY: y = image.view(np.int8) + step.view(np.int8)
// NUMPY: return y.view(np.uint8)
// TORCH-LABEL: def brighter(image, step):
// TORCH: y = image.view(torch.int8) + step.view(torch.int8)
// TORCH: return y.view(torch.uint8)
// JAX-LABEL: def brighter(image, step):
// JAX: y = image.view(jnp.int8) + step.view(jnp.int8)
// JAX: return y.view(jnp.uint8)
func.func @brighter(%image : !phi.vec<i8>, %step : i8) -> !phi.vec<i8>
    attributes {ein.host_type = (!phi.vec<ui8>, ui8) -> !phi.vec<ui8>} {
  %n = phi.size %image, 0 : !phi.vec<i8>
  %r = phi.array (%i < %n) -> !phi.vec<i8> {
    %x = phi.get %image[%i] : !phi.vec<i8>[index]
    %y = arith.addi %x, %step : i8
    phi.yield %y : i8
  }
  func.return %r : !phi.vec<i8>
}

// An argument that is only read without a sign needs no view.

// NUMPY-LABEL: def floats(image):
// NUMPY: return image.astype(np.float64)
// TORCH-LABEL: def floats(image):
// TORCH: return image.to(torch.float64)
// JAX-LABEL: def floats(image):
// JAX: return image.astype(jnp.float64)
func.func @floats(%image : !phi.vec<i8>) -> !phi.vec<f64>
    attributes {ein.host_type = (!phi.vec<ui8>) -> !phi.vec<f64>} {
  %n = phi.size %image, 0 : !phi.vec<i8>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %image[%i] : !phi.vec<i8>[index]
    %y = arith.uitofp %x : i8 to f64
    phi.yield %y : f64
  }
  func.return %r : !phi.vec<f64>
}

// The host sees one array of complex numbers, and the program its parts.

// CHECK-LABEL: func.func @conjugated(
// CHECK-SAME: attributes {ein.host_type = (!phi.vec<complex<f64>>) -> !phi.vec<complex<f64>>}
// CHECK-GENERIC: ein.host_type = (!phi.vec<complex<f64>>) -> !phi.vec<complex<f64>>
// NUMPY-LABEL: def conjugated(z):
// NUMPY: t0 = z.real
// NUMPY: t1 = z.imag
// NUMPY: negated = -t1
// NUMPY: return make_complex(t0, negated)
// TORCH-LABEL: def conjugated(z):
// TORCH: negated = -t1
// TORCH: return torch.complex(t0, negated)
// JAX-LABEL: def conjugated(z):
// JAX: negated = -t1
// JAX: return lax.complex(t0, negated)
func.func @conjugated(%z : !phi.vec<tuple<f64, f64>>) -> !phi.vec<tuple<f64, f64>>
    attributes {ein.host_type = (!phi.vec<complex<f64>>) -> !phi.vec<complex<f64>>} {
  %n = phi.size %z, 0 : !phi.vec<tuple<f64, f64>>
  %r = phi.array (%i < %n) -> !phi.vec<tuple<f64, f64>> {
    %x = phi.get %z[%i] : !phi.vec<tuple<f64, f64>>[index]
    %real = phi.proj %x, 0 : tuple<f64, f64> -> f64
    %imag = phi.proj %x, 1 : tuple<f64, f64> -> f64
    %negated = arith.negf %imag : f64
    %y = phi.tuple (%real, %negated) : tuple<f64, f64>
    phi.yield %y : tuple<f64, f64>
  }
  func.return %r : !phi.vec<tuple<f64, f64>>
}
