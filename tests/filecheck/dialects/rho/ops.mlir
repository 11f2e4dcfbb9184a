// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// Scalars, and operators on each element.
rho.program (%a) {
  %x = rho.scalar 2.5
  %n = rho.scalar -3
  %s = rho.arith "+" %a, %x
  %c = rho.compare "<=" %s, %n
  %m = rho.negate %s
  %p = rho.abs %m
  %z = rho.not %p
  rho.yield %z
}
// CHECK:      rho.program (%a) {
// CHECK-NEXT:   %x = rho.scalar 2.5
// CHECK-NEXT:   %n = rho.scalar -3
// CHECK-NEXT:   %s = rho.arith "+" %a, %x
// CHECK-NEXT:   %c = rho.compare "<=" %s, %n
// CHECK-NEXT:   %m = rho.negate %s
// CHECK-NEXT:   %p = rho.abs %m
// CHECK-NEXT:   %z = rho.not %p
// CHECK-NEXT:   rho.yield %z
// CHECK-NEXT: }
// CHECK-GENERIC:      "rho.program"() ({
// CHECK-GENERIC-NEXT: ^bb0(%a: !rho.array):
// CHECK-GENERIC-NEXT:   %x = "rho.scalar"() <{value = 2.500000e+00 : f64}> : () -> !rho.array
// CHECK-GENERIC-NEXT:   %n = "rho.scalar"() <{value = -3.000000e+00 : f64}> : () -> !rho.array
// CHECK-GENERIC-NEXT:   %s = "rho.arith"(%a, %x) <{operator = "+"}> : (!rho.array, !rho.array) -> !rho.array
// CHECK-GENERIC-NEXT:   %c = "rho.compare"(%s, %n) <{operator = "<="}>
// CHECK-GENERIC-NEXT:   %m = "rho.negate"(%s) : (!rho.array) -> !rho.array
// CHECK-GENERIC-NEXT:   %p = "rho.abs"(%m)
// CHECK-GENERIC-NEXT:   %z = "rho.not"(%p)
// CHECK-GENERIC-NEXT:   "rho.yield"(%z) : (!rho.array) -> ()

// Arrays.
rho.program () {
  %one = rho.scalar 1
  %v = rho.stack [%one, %one]
  %e = rho.stack []
  %shp = rho.shape %v
  %d = rho.dim %v
  %iv = rho.stack [%one]
  %y = rho.select %v[%iv]
  %r = rho.rest %shp, %d
  %cat = rho.concat %v, %r
  %f = rho.fill %shp, %y
  %g = rho.gen %shp, %y with %e <= %i < %shp {
    %elt = rho.select %cat[%i]
    rho.yield %elt
  }
  rho.yield %g
}
// CHECK:      rho.program () {
// CHECK-NEXT:   %one = rho.scalar 1
// CHECK-NEXT:   %v = rho.stack [%one, %one]
// CHECK-NEXT:   %e = rho.stack []
// CHECK-NEXT:   %shp = rho.shape %v
// CHECK-NEXT:   %d = rho.dim %v
// CHECK-NEXT:   %iv = rho.stack [%one]
// CHECK-NEXT:   %y = rho.select %v[%iv]
// CHECK-NEXT:   %r = rho.rest %shp, %d
// CHECK-NEXT:   %cat = rho.concat %v, %r
// CHECK-NEXT:   %f = rho.fill %shp, %y
// CHECK-NEXT:   %g = rho.gen %shp, %y with %e <= %i < %shp {
// CHECK-NEXT:     %elt = rho.select %cat[%i]
// CHECK-NEXT:     rho.yield %elt
// CHECK-NEXT:   }
// CHECK-NEXT:   rho.yield %g
// CHECK-GENERIC:   %v = "rho.stack"(%one, %one)
// CHECK-GENERIC:   %e = "rho.stack"() : () -> !rho.array
// CHECK-GENERIC:   %shp = "rho.shape"(%v)
// CHECK-GENERIC:   %d = "rho.dim"(%v)
// CHECK-GENERIC:   %y = "rho.select"(%v, %iv)
// CHECK-GENERIC:   %r = "rho.rest"(%shp, %d)
// CHECK-GENERIC:   %cat = "rho.concat"(%v, %r)
// CHECK-GENERIC:   %f = "rho.fill"(%shp, %y)
// CHECK-GENERIC:   %g = "rho.gen"(%shp, %y, %e, %shp) ({

// Choices, and functions, which may use values around them and call themselves.
rho.program (%step) {
  rho.function @down(%k) {
    %res = rho.if %k {
      %less = rho.arith "-" %k, %step
      %more = rho.call @down(%less)
      rho.yield %more
    } else {
      rho.yield %step
    }
    rho.yield %res
  }
  %end = rho.call @down(%step)
  rho.yield %end
}
// CHECK:      rho.program (%step) {
// CHECK-NEXT:   rho.function @down(%k) {
// CHECK-NEXT:     %res = rho.if %k {
// CHECK-NEXT:       %less = rho.arith "-" %k, %step
// CHECK-NEXT:       %more = rho.call @down(%less)
// CHECK-NEXT:       rho.yield %more
// CHECK-NEXT:     } else {
// CHECK-NEXT:       rho.yield %step
// CHECK-NEXT:     }
// CHECK-NEXT:     rho.yield %res
// CHECK-NEXT:   }
// CHECK-NEXT:   %end = rho.call @down(%step)
// CHECK-NEXT:   rho.yield %end
// CHECK-GENERIC:      "rho.function"() <{sym_name = "down"}> ({
// CHECK-GENERIC:        %res = "rho.if"(%k) ({
// CHECK-GENERIC:          %more = "rho.call"(%less) <{callee = @down}> : (!rho.array) -> !rho.array
