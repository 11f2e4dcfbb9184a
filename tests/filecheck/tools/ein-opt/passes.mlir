// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP
// RUN: ein-opt %s -p cse,dce | filecheck %s --check-prefix=CSE
// RUN: ein-opt %s -p cse,dce --print-between-passes | filecheck %s --check-prefix=BETWEEN

func.func @twice(%x: f64) -> f64 {
  %a = arith.addf %x, %x : f64
  %b = arith.addf %x, %x : f64
  %c = arith.mulf %a, %b : f64
  func.return %c : f64
}

// CHECK:      func.func @twice(%x: f64) -> f64 {
// CHECK-NEXT:   %a = arith.addf %x, %x : f64
// CHECK-NEXT:   %b = arith.addf %x, %x : f64
// CHECK-NEXT:   %c = arith.mulf %a, %b : f64
// CHECK-NEXT:   func.return %c : f64

// CHECK-GENERIC:      "func.func"() <{sym_name = "twice", function_type = (f64) -> f64}> ({
// CHECK-GENERIC-NEXT: ^bb0(%x: f64):
// CHECK-GENERIC-NEXT:   %a = "arith.addf"(%x, %x)

// CSE:      func.func @twice(%x: f64) -> f64 {
// CSE-NEXT:   %a = arith.addf %x, %x : f64
// CSE-NEXT:   %c = arith.mulf %a, %a : f64
// CSE-NEXT:   func.return %c : f64

// BETWEEN: IR after cse:
// BETWEEN: func.func @twice
// BETWEEN: func.func @twice
