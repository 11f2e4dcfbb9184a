// RUN: ein-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @floormod
// CHECK-DAG:     %a = arith.constant 2 : i64
// CHECK-DAG:     %b = arith.constant -2 : i64
// CHECK-DAG:     %c = arith.constant 0 : i64
// CHECK:         func.return %a, %b, %c
func.func @floormod() -> (i64, i64, i64) {
  %0 = arith.constant 0 : i64
  %3 = arith.constant 3 : i64
  %m3 = arith.constant -3 : i64
  %m4 = arith.constant -4 : i64
  %4 = arith.constant 4 : i64
  %a = sigma.floormod %m4, %3 : i64
  %b = sigma.floormod %4, %m3 : i64
  %c = sigma.floormod %4, %0 : i64
  func.return %a, %b, %c : i64, i64, i64
}

// CHECK-LABEL: func.func @sign
// CHECK-DAG:     %a = arith.constant -1 : i32
// CHECK-DAG:     %b = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %c = sigma.sign %nan : f32
// CHECK:         func.return %a, %b, %c
func.func @sign() -> (i32, f32, f32) {
  %m4 = arith.constant -4 : i32
  %x = arith.constant 2.5 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %a = sigma.sign %m4 : i32
  %b = sigma.sign %x : f32
  %c = sigma.sign %nan : f32
  func.return %a, %b, %c : i32, f32, f32
}
