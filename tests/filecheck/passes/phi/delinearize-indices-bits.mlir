// RUN: ein-opt %s --split-input-file -p delinearize-indices,simplify | filecheck %s

// Constant bits are quotients and remainders; bits of an index by one power are those of two
// indices, beside a copy as written for short blocks.
func.func @constants(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %r = phi.array (%p < %n) -> !phi.vec<f64> {
    %i = arith.index_cast %p : index to i64
    %q = arith.shrsi %i, %one : i64
    %m = arith.andi %i, %three : i64
    %s = arith.addi %q, %m : i64
    %y = phi.get %x[%s] : !phi.vec<f64>[i64]
    phi.yield %y : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @constants(
// CHECK:         phi.array ({{%.*}} < {{%.*}}, [[H:%.*]] < {{%.*}}, [[L:%.*]] < {{%.*}})
// CHECK-NEXT:      [[HIGH:%.*]] = arith.index_cast [[H]] : index to i64
// CHECK-NOT:       arith.shrsi
// CHECK-NOT:       arith.andi
// CHECK:           %q = arith.addi {{%.*}}, [[HIGH]] : i64

// -----

func.func @exchanged(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %h = arith.shli %one, %n : i64
  %size = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%p < %size) -> !phi.vec<f64> {
    %i = arith.index_cast %p : index to i64
    %j = arith.xori %i, %h : i64
    %y = phi.get %x[%j] : !phi.vec<f64>[i64]
    phi.yield %y : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @exchanged(
// CHECK:         %h = arith.shli
// CHECK:         [[H:%.*]] = arith.shli {{%.*}}, %n : i64
// CHECK:         [[D:%.*]] = arith.andi [[H]], {{%.*}} : i64
// CHECK:         [[IS_LONG:%.*]] = arith.cmpi sge, [[D]], {{%.*}} : i64
// CHECK:         phi.array ({{%.*}} < {{%.*}}, [[P:%.*]] < {{%.*}}, {{%.*}} < {{%.*}})
// CHECK:           [[B:%.*]] = arith.index_cast [[P]] : index to i64
// CHECK:           [[TWICE:%.*]] = arith.muli [[B]], {{%.*}} : i64
// CHECK:           [[SIGN:%.*]] = arith.subi {{%.*}}, [[TWICE]] : i64
// CHECK:           [[STEP:%.*]] = arith.muli [[H]], [[SIGN]] : i64
// CHECK-NEXT:      %j = arith.addi %i, [[STEP]] : i64
// CHECK:           arith.xori {{%.*}}, %h : i64

// -----

func.func @selected(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %h = arith.shli %one, %n : i64
  %low = arith.subi %h, %one : i64
  %size = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%p < %size) -> !phi.vec<f64> {
    %i = arith.index_cast %p : index to i64
    %b = arith.andi %i, %h : i64
    %c = arith.cmpi eq, %b, %zero : i64
    %j = arith.andi %i, %low : i64
    %y = phi.get %x[%j] : !phi.vec<f64>[i64]
    %z = phi.get %x[%p] : !phi.vec<f64>[index]
    %v = arith.select %c, %y, %z : f64
    phi.yield %v : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @selected(
// CHECK:         phi.array ({{%.*}} < {{%.*}}, [[P:%.*]] < {{%.*}}, {{%.*}} < {{%.*}})
// CHECK:           [[B:%.*]] = arith.index_cast [[P]] : index to i64
// CHECK:           %c = arith.cmpi eq, [[B]], %zero : i64
// CHECK-NEXT:      [[BEFORE:%.*]] = arith.muli
// CHECK-NEXT:      %j = arith.subi %i, [[BEFORE]] : i64
// CHECK:           arith.andi {{%.*}}, %h : i64
// CHECK:           arith.andi {{%.*}}, %low : i64

// -----

// Not in a loop, nor by two powers.
func.func @in_a_loop(%x: !phi.vec<f64>, %k: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %size = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%b < %k, %v = %x) -> !phi.vec<f64> {
    %h = arith.shli %one, %b : i64
    %t = phi.array (%p < %size) -> !phi.vec<f64> {
      %i = arith.index_cast %p : index to i64
      %j = arith.xori %i, %h : i64
      %y = phi.get %v[%j] : !phi.vec<f64>[i64]
      phi.yield %y : f64
    }
    phi.yield %t : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @in_a_loop(
// CHECK-NOT:     arith.floordivsi
// CHECK:           arith.xori {{%.*}}, %h : i64

// -----

func.func @two_powers(%x: !phi.vec<f64>, %n: i64, %m: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %h = arith.shli %one, %n : i64
  %size = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%p < %size) -> !phi.vec<f64> {
    %i = arith.index_cast %p : index to i64
    %j = arith.xori %i, %h : i64
    %y = phi.get %x[%j] : !phi.vec<f64>[i64]
    %k = arith.shrsi %i, %m : i64
    %z = phi.get %x[%k] : !phi.vec<f64>[i64]
    %s = arith.addf %y, %z : f64
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @two_powers(
// CHECK-NOT:     arith.floordivsi
// CHECK:         arith.xori {{%.*}}, %h : i64
// CHECK-NOT:     arith.floordivsi
// CHECK:         arith.shrsi {{%.*}}, %m : i64
