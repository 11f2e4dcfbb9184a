// RUN: ein-opt %s -p guard-branches | filecheck %s
// RUN: ein-opt %s -p guard-branches,guard-branches | filecheck %s

func.func @log(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = math.log %x : f64
  %c = arith.cmpf ogt, %x, %zero : f64
  %z = arith.select %c, %y, %zero : f64
  func.return %z : f64
}
// CHECK-LABEL: func.func @log(%x: f64) -> f64 {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %c = arith.cmpf ogt, %x, %zero : f64
// CHECK-NEXT:    %0 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:    %1 = arith.select %c, %x, %0 : f64
// CHECK-NEXT:    %y = math.log %1 : f64
// CHECK-NEXT:    %z = arith.select %c, %y, %zero : f64
// CHECK-NEXT:    func.return %z : f64
// CHECK-NEXT:  }

// A quotient in the second branch, whose divisor is computed there; a literal divisor is safe.

func.func @quotient(%c: i1, %x: f32, %y: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %d = arith.subf %x, %y : f32
  %q = arith.divf %x, %d : f32
  %h = arith.divf %q, %two : f32
  %z = arith.select %c, %x, %h : f32
  func.return %z : f32
}
// CHECK-LABEL: func.func @quotient(%c: i1, %x: f32, %y: f32) -> f32 {
// CHECK-NEXT:    %two = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    %d = arith.subf %x, %y : f32
// CHECK-NEXT:    %0 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:    %1 = arith.select %c, %0, %d : f32
// CHECK-NEXT:    %q = arith.divf %x, %1 : f32
// CHECK-NEXT:    %h = arith.divf %q, %two : f32
// CHECK-NEXT:    %z = arith.select %c, %x, %h : f32
// CHECK-NEXT:    func.return %z : f32
// CHECK-NEXT:  }

// Values with other users are not guarded, nor are their operands.

func.func @used(%c: i1, %x: f64) -> (f64, f64) {
  %l = math.log %x : f64
  %r = math.sqrt %l : f64
  %z = arith.select %c, %r, %x : f64
  func.return %z, %l : f64, f64
}
// CHECK-LABEL: func.func @used(%c: i1, %x: f64) -> (f64, f64) {
// CHECK-NEXT:    %l = math.log %x : f64
// CHECK-NEXT:    %0 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:    %1 = arith.select %c, %l, %0 : f64
// CHECK-NEXT:    %r = math.sqrt %1 : f64
// CHECK-NEXT:    %z = arith.select %c, %r, %x : f64
// CHECK-NEXT:    func.return %z, %l : f64, f64
// CHECK-NEXT:  }

// In both branches; and inside of two choices, by both conditions.

func.func @both(%c: i1, %x: f64) -> f64 {
  %l = math.sqrt %x : f64
  %z = arith.select %c, %l, %l : f64
  func.return %z : f64
}
// CHECK-LABEL: func.func @both(%c: i1, %x: f64) -> f64 {
// CHECK-NEXT:    %l = math.sqrt %x : f64
// CHECK-NEXT:    %z = arith.select %c, %l, %l : f64
// CHECK-NEXT:    func.return %z : f64
// CHECK-NEXT:  }

func.func @nested(%c: i1, %d: i1, %x: f64) -> f64 {
  %l = math.sqrt %x : f64
  %y = arith.select %d, %l, %x : f64
  %z = arith.select %c, %y, %x : f64
  func.return %z : f64
}
// CHECK-LABEL: func.func @nested(%c: i1, %d: i1, %x: f64) -> f64 {
// CHECK-NEXT:    %0 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:    %1 = arith.select %c, %x, %0 : f64
// CHECK-NEXT:    %2 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:    %3 = arith.select %d, %1, %2 : f64
// CHECK-NEXT:    %l = math.sqrt %3 : f64
// CHECK-NEXT:    %y = arith.select %d, %l, %x : f64
// CHECK-NEXT:    %z = arith.select %c, %y, %x : f64
// CHECK-NEXT:    func.return %z : f64
// CHECK-NEXT:  }

// In a body; ints have no derivative.

func.func @body(%a: !phi.vec<f64>, %k: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %one = arith.constant 1.0 : f64
    %c = arith.cmpf ogt, %x, %one : f64
    %y = math.acosh %x : f64
    %m = sigma.floormod %k, %k : i64
    %f = arith.sitofp %m : i64 to f64
    %s = arith.addf %y, %f : f64
    %z = arith.select %c, %s, %one : f64
    phi.yield %z : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @body(%a: !phi.vec<f64>, %k: i64) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %b = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      %c = arith.cmpf ogt, %x, %one : f64
// CHECK-NEXT:      %0 = arith.constant 2.000000e+00 : f64
// CHECK-NEXT:      %1 = arith.select %c, %x, %0 : f64
// CHECK-NEXT:      %y = math.acosh %1 : f64
// CHECK-NEXT:      %m = sigma.floormod %k, %k : i64
// CHECK-NEXT:      %f = arith.sitofp %m : i64 to f64
// CHECK-NEXT:      %s = arith.addf %y, %f : f64
// CHECK-NEXT:      %z = arith.select %c, %s, %one : f64
// CHECK-NEXT:      phi.yield %z : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %b : !phi.vec<f64>
// CHECK-NEXT:  }

// A function of Ints alone has no derivative that could be infinite.

func.func @frequency(%c: i1, %x: f64, %k: i64, %n: i64) -> f64 {
  %base = arith.constant 10000.0 : f64
  %e = arith.sitofp %k : i64 to f64
  %d = arith.sitofp %n : i64 to f64
  %q = arith.divf %e, %d : f64
  %p = math.powf %base, %q : f64
  %y = arith.mulf %x, %p : f64
  %z = arith.select %c, %y, %x : f64
  func.return %z : f64
}
// CHECK-LABEL: func.func @frequency
// CHECK:         %p = math.powf %base, %q : f64
// CHECK-NEXT:    %y = arith.mulf %x, %p : f64
// CHECK-NEXT:    %z = arith.select %c, %y, %x : f64
// CHECK-NEXT:    func.return %z : f64
// CHECK-NEXT:  }

// A quotient by an Int has an infinite derivative at 0: that of its dividend.

func.func @mean(%c: i1, %x: f64, %n: i64) -> f64 {
  %d = arith.sitofp %n : i64 to f64
  %q = arith.divf %x, %d : f64
  %z = arith.select %c, %q, %x : f64
  func.return %z : f64
}
// CHECK-LABEL: func.func @mean
// CHECK:         %1 = arith.select %c, %d, %0 : f64
// CHECK-NEXT:    %q = arith.divf %x, %1 : f64

// A quotient that is only compared has no derivative.

func.func @compared(%c: i1, %x: f64, %y: f64, %z: f64) -> f64 {
  %q = arith.divf %x, %y : f64
  %s = arith.select %c, %q, %x : f64
  %t = arith.cmpf olt, %s, %z : f64
  %r = arith.select %t, %x, %z : f64
  func.return %r : f64
}
// CHECK-LABEL: func.func @compared(%c: i1, %x: f64, %y: f64, %z: f64) -> f64 {
// CHECK-NEXT:    %q = arith.divf %x, %y : f64
// CHECK-NEXT:    %s = arith.select %c, %q, %x : f64
