// RUN: ein-opt %s -t llvm-ir --split-input-file --verify-diagnostics | filecheck %s

// Names of blocks and values, a phi that refers to what follows, literals.

llvm.func internal @loop(%n: i64) -> f32 {
  %zero = llvm.mlir.constant(0) : i64
  %one = llvm.mlir.constant(1) : i64
  %x = llvm.mlir.constant(1.000000e-01 : f32) : f32
  llvm.br ^bb1(%zero, %x : i64, f32)
^bb1(%i: i64, %y: f32):
  %c = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %c, ^bb2, ^bb3
^bb2:
  %j = llvm.add %i, %one : i64
  %z = llvm.fmul %y, %x : f32
  llvm.br ^bb1(%j, %z : i64, f32)
^bb3:
  llvm.return %y : f32
}
// CHECK-LABEL: define internal float @loop(i64 %a0) {
// CHECK-NEXT:  b0:
// CHECK-NEXT:    br label %b1
// CHECK-NEXT:  b1:
// CHECK-NEXT:    %v4 = phi i64 [ 0, %b0 ], [ %v7, %b2 ]
// CHECK-NEXT:    %v5 = phi float [ 0x3FB99999A0000000, %b0 ], [ %v8, %b2 ]
// CHECK-NEXT:    %v6 = icmp slt i64 %v4, %a0
// CHECK-NEXT:    br i1 %v6, label %b2, label %b3
// CHECK-NEXT:  b2:
// CHECK-NEXT:    %v7 = add i64 %v4, 1
// CHECK-NEXT:    %v8 = fmul float %v5, 0x3FB99999A0000000
// CHECK-NEXT:    br label %b1
// CHECK-NEXT:  b3:
// CHECK-NEXT:    ret float %v5
// CHECK-NEXT:  }

// -----

// A loop that is not unrolled.

llvm.func @kept() {
  llvm.br ^bb1
^bb1:
  "llvm.br"() [^bb1] {ein.not_unrolled} : () -> ()
}
// CHECK:       !1 = distinct !{!1, !{!"llvm.loop.unroll.disable"}}
// CHECK-LABEL: define void @kept() {
// CHECK-NEXT:  b0:
// CHECK-NEXT:    br label %b1
// CHECK-NEXT:  b1:
// CHECK-NEXT:    br label %b1, !llvm.loop !1

// -----

// One that is unrolled as a whole.

llvm.func @whole() {
  llvm.br ^bb1
^bb1:
  "llvm.br"() [^bb1] {ein.unrolled} : () -> ()
}
// CHECK:       !1 = distinct !{!1, !{!"llvm.loop.unroll.full"}}
// CHECK-LABEL: define void @whole() {
// CHECK:         br label %b1, !llvm.loop !1

// -----

// A choice that is not guessed.

llvm.func @marked(%c: i1, %x: i64) -> i64 {
  %y = "llvm.select"(%c, %x, %x) {ein.unpredictable} : (i1, i64, i64) -> i64
  llvm.return %y : i64
}
// CHECK:       !1 = !{}
// CHECK-NEXT:  !ein.unpredictable = !{!1}
// CHECK-LABEL: define i64 @marked(
// CHECK-NEXT:  b0:
// CHECK-NEXT:    %v2 = select i1 %a0, i64 %a1, i64 %a1, !unpredictable !1
// CHECK-NEXT:    ret i64 %v2

// -----

func.func @other() {
  func.return
}
// CHECK: target llvm-ir: expected llvm.func, got 'func.func'

// -----

llvm.func @indirect(%f: !llvm.ptr) {
  llvm.call %f() : !llvm.ptr, () -> ()
  llvm.return
}
// CHECK: target llvm-ir: no form for an indirect 'llvm.call'

// -----

llvm.func @assembly() {
  llvm.inline_asm has_side_effects "nop", "" : () -> ()
  llvm.return
}
// CHECK: target llvm-ir: no form for 'llvm.inline_asm'

// -----

llvm.func @structure(%x: !llvm.struct<(i32)>)
// CHECK: target llvm-ir: no form for the type '!llvm.struct<(i32)>'
