// RUN: python -c "import numpy; numpy.save('%t.u8.npy', numpy.array([200, 100], 'u1')); numpy.save('%t.i8.npy', numpy.array([1, 2], 'i1'))" && ein-run %s --entry double --input %t.u8.npy | filecheck %s --check-prefix=DOUBLE
// RUN: ein-run %s --entry double --backend naive --input %t.u8.npy | filecheck %s --check-prefix=DOUBLE
// RUN: not ein-run %s --entry double --input %t.i8.npy 2>&1 | filecheck %s --check-prefix=DTYPE
// RUN: not ein-run %s --entry wider --input %t.u8.npy 2>&1 | filecheck %s --check-prefix=WIDER
// RUN: not ein-run %s --entry word --input %t.u8.npy 2>&1 | filecheck %s --check-prefix=WORD

// DOUBLE: [144 200]
// DTYPE: ein-run: argument a: expected an array of uint8 and rank 1, got an array of int8 and rank 1
func.func @double(%a : !phi.vec<i8>) -> !phi.vec<i8>
    attributes {ein.host_type = (!phi.vec<ui8>) -> !phi.vec<ui8>} {
  %n = phi.size %a, 0 : !phi.vec<i8>
  %r = phi.array (%i < %n) -> !phi.vec<i8> {
    %x = phi.get %a[%i] : !phi.vec<i8>[index]
    %y = arith.addi %x, %x : i8
    phi.yield %y : i8
  }
  func.return %r : !phi.vec<i8>
}

// WIDER: ein-run: 'wider': 'ein.host_type' stands for the type '(!phi.vec<i16>) -> i64', and the function has '(!phi.vec<i8>) -> i64'
func.func @wider(%a : !phi.vec<i8>) -> i64 attributes {ein.host_type = (!phi.vec<ui16>) -> i64} {
  %n = phi.size %a, 0 : !phi.vec<i8>
  func.return %n : i64
}

// WORD: ein-run: 'word': 'ein.host_type' is a function type, not '"u8"'
func.func @word(%a : !phi.vec<i8>) -> i64 attributes {ein.host_type = "u8"} {
  %n = phi.size %a, 0 : !phi.vec<i8>
  func.return %n : i64
}
