// RUN: DIAGNOSTICS

rho.program (%a) {
  %x = rho.arith "%" %a, %a
  rho.yield %x
}
// CHECK: rho.arith: there is no operator '%'; there are: + - * / (at {{.*}}invalid.mlir:

// -----

rho.program (%a) {
  %x = rho.compare "+" %a, %a
  rho.yield %x
}
// CHECK: rho.compare: there is no operator '+'; there are: = != > >= < <= (at {{.*}}invalid.mlir:

// -----

rho.program (%a) {
  %x = rho.call @f(%a)
  rho.function @f(%y) {
    rho.yield %y
  }
  rho.yield %x
}
// CHECK: rho.call: there is no function @f here (at {{.*}}invalid.mlir:

// -----

rho.program (%a) {
  rho.function @f(%y) {
    rho.yield %y
  }
  %x = rho.call @f(%a, %a)
  rho.yield %x
}
// CHECK: rho.call: @f takes 1 argument, got 2 (at {{.*}}invalid.mlir:

// -----

rho.program (%a) {
  rho.function @f(%y) {
    rho.function @f(%z) {
      rho.yield %z
    }
    rho.yield %y
  }
  rho.yield %a
}
// CHECK: rho.function: @f is defined twice (at {{.*}}invalid.mlir:

// -----

rho.program (%a) {
  rho.function @f() {
    rho.yield %a
  }
  rho.yield %a
}
// CHECK: rho.function: a function takes at least one parameter (at {{.*}}invalid.mlir:

// -----

rho.program (%a) {
  %x = rho.shape %a
}
// CHECK: rho.program: the body ends in rho.shape; expected rho.yield

// -----

%a = rho.scalar 1
%x = "rho.gen"(%a, %a, %a, %a) ({
  rho.yield %a
}) : (!rho.array, !rho.array, !rho.array, !rho.array) -> !rho.array
// CHECK: rho.gen: a body must take 1 argument of type '!rho.array' (at {{.*}}invalid.mlir:

// -----

%a = rho.scalar 1
%x = "rho.if"(%a) ({
  rho.yield %a
}, {
}) : (!rho.array) -> !rho.array
// CHECK: Region 'otherwise' at position 1 expected a single block

// -----

%a = arith.constant 1.0 : f64
%x = "rho.abs"(%a) : (f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.abs"(%a{{.*}}

// -----

%a = arith.constant 1.0 : f64
%x = "rho.negate"(%a) : (f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.negate"(%a{{.*}}

// -----

%a = arith.constant 1.0 : f64
%x = "rho.not"(%a) : (f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.not"(%a{{.*}}

// -----

%a = arith.constant 1.0 : f64
%x = "rho.shape"(%a) : (f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.shape"(%a{{.*}}

// -----

%a = arith.constant 1.0 : f64
%x = "rho.dim"(%a) : (f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.dim"(%a{{.*}}

// -----

%a = arith.constant 1.0 : f64
%x = "rho.stack"(%a) : (f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.stack"(%a{{.*}}

// -----

%a = arith.constant 1.0 : f64
%x = "rho.select"(%a, %a) : (f64, f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.select"(%a{{.*}}

// -----

%a = arith.constant 1.0 : f64
%x = "rho.rest"(%a, %a) : (f64, f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.rest"(%a{{.*}}

// -----

%a = arith.constant 1.0 : f64
%x = "rho.concat"(%a, %a) : (f64, f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.concat"(%a{{.*}}

// -----

%a = arith.constant 1.0 : f64
%x = "rho.fill"(%a, %a) : (f64, f64) -> !rho.array
// CHECK: position 0 does not verify
// CHECK: "rho.fill"(%a{{.*}}

// -----

%x = rho.scalar one
// CHECK: rho.scalar one
// CHECK: integer or float literal expected

// -----

rho.program (%a) {
  %x = rho.stack %a
  rho.yield %x
}
// CHECK: rho.stack %a
// CHECK: '[' expected
