// RUN: ein-opt %s -p "permit-fastmath{laws=reassoc,nsz}" | filecheck %s
// RUN: ein-opt %s -p permit-fastmath | filecheck %s --check-prefix=ALL
// RUN: ein-opt %s -p "permit-fastmath{laws=quick}" --verify-diagnostics | filecheck %s --check-prefix=WRONG

func.func @f(%x: f64) -> f64 {
  func.return %x : f64
}

// CHECK:      func.func @f(%x: f64) -> f64 attributes {ein.fastmath = #arith.fastmath<reassoc,nsz>} {
// ALL:        func.func @f(%x: f64) -> f64 attributes {ein.fastmath = #arith.fastmath<fast>} {
// WRONG:      fastmath: 'quick' is not a law; there are fast, reassoc, nnan, ninf, nsz, arcp, contract, afn
