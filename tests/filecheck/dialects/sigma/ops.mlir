// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// CHECK-LABEL: func.func @ops
// CHECK-NEXT:    %a = sigma.floormod %x, %y : f64
// CHECK-NEXT:    %b = sigma.floormod %n, %n : i32
// CHECK-NEXT:    %c = sigma.sign %x : f64
// CHECK-NEXT:    %d = sigma.sign %n {note} : i32
// CHECK-NEXT:    %e = phi.reduce %v identity %x by { sigma.floormod } -> f64
// CHECK-GENERIC:      %a = "sigma.floormod"(%x, %y) : (f64, f64) -> f64
// CHECK-GENERIC-NEXT: %b = "sigma.floormod"(%n, %n) : (i32, i32) -> i32
// CHECK-GENERIC-NEXT: %c = "sigma.sign"(%x) : (f64) -> f64
// CHECK-GENERIC-NEXT: %d = "sigma.sign"(%n) {note} : (i32) -> i32
func.func @ops(%x : f64, %y : f64, %n : i32, %v : !phi.vec<f64>) {
  %a = sigma.floormod %x, %y : f64
  %b = sigma.floormod %n, %n : i32
  %c = sigma.sign %x : f64
  %d = sigma.sign %n {note} : i32
  %e = phi.reduce %v identity %x by { sigma.floormod } -> f64
  func.return
}
