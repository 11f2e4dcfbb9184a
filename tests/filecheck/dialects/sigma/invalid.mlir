// RUN: DIAGNOSTICS

func.func @f(%x : i1) {
  %a = sigma.sign %x : i1
  func.return
}
// CHECK: sigma acts on numbers: i8, i16, i32, i64, bf16, f16, f32, f64

// -----

func.func @f(%x : tensor<f64>) {
  %a = "sigma.floormod"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  func.return
}
// CHECK: sigma acts on numbers: i8, i16, i32, i64, bf16, f16, f32, f64

// -----

func.func @f(%x : f64, %n : i64) {
  %a = "sigma.floormod"(%x, %n) : (f64, i64) -> f64
  func.return
}
// CHECK: operand 'rhs' at position 1 does not verify:
// CHECK-NEXT: attribute f64 expected from variable 'T', but got i64
