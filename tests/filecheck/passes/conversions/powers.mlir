// RUN: ein-opt %s -p convert-yarr-to-numpy -t python | filecheck %s --check-prefix=NUMPY
// RUN: ein-opt %s -p convert-yarr-to-torch -t python | filecheck %s --check-prefix=TORCH
// RUN: ein-opt %s -p convert-yarr-to-jax -t python | filecheck %s --check-prefix=JAX

// Exponents ``first + step * k`` on an axis that the base lacks. NumPy looks at any exponents.
func.func @falling(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %y, 0 : tensor<?xf64>
  %two = arith.constant dense<2> : tensor<i64>
  %k = yarr.range %n : tensor<?xi64>
  %first = yarr.unsqueeze %n, [0] : tensor<i64> -> tensor<1xi64>
  %step = yarr.unsqueeze %two, [0] : tensor<i64> -> tensor<1xi64>
  %scaled = yarr.elementwise { arith.muli } %k, %step : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %exponents = yarr.elementwise { arith.subi } %first, %scaled : (tensor<1xi64>, tensor<?xi64>) -> tensor<?xi64>
  %0 = yarr.unsqueeze %x, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %1 = yarr.unsqueeze %exponents, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %2 = yarr.elementwise { math.fpowi } %0, %1 : (tensor<?x1xf64>, tensor<1x?xi64>) -> tensor<?x?xf64>
  func.return %2 : tensor<?x?xf64>
}
// NUMPY-LABEL: def falling(x, y):
// NUMPY:         return powers(x[:, None], {{.*}}[None, :])
// TORCH-LABEL: def falling(x, y):
// TORCH:         return powers(x[:, None], {{.*}}[None, :], n, -2)
// JAX-LABEL: def falling(x, y):
// JAX:         return powers(x[:, None], {{.*}}[None, :], n, -2)

// The axis of the exponents is one of the base; a positive literal; exponents from data.
func.func @others(%x: tensor<?xf64>, %n: tensor<?xi64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64>) {
  %scalar = arith.constant dense<0.5> : tensor<f64>
  %half = yarr.unsqueeze %scalar, [0] : tensor<f64> -> tensor<1xf64>
  %0 = yarr.elementwise { math.fpowi } %x, %n : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %1 = yarr.elementwise { math.fpowi } %half, %n : (tensor<1xf64>, tensor<?xi64>) -> tensor<?xf64>
  %2 = yarr.unsqueeze %x, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %3 = yarr.unsqueeze %n, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %4 = yarr.elementwise { math.fpowi } %2, %3 : (tensor<?x1xf64>, tensor<1x?xi64>) -> tensor<?x?xf64>
  func.return %0, %1, %4 : tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64>
}
// NUMPY-LABEL: def others(x, n):
// NUMPY:         return signed_power(x, n), np.float64(0.5) ** n, powers(x[:, None], n[None, :])
// TORCH-LABEL: def others(x, n):
// TORCH:         return x**n, t0, x[:, None]**n[None, :]
// JAX-LABEL: def others(x, n):
// JAX:         return x**n, jnp.float64(0.5) ** n, x[:, None]**n[None, :]
