// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// A branch that is seldom not taken stays one: LLVM would compute both sides and choose.

builtin.module {
  func.func @f(%a: memref<?xi64>, %i: index, %n: index) -> i64 {
    %c0 = arith.constant 0 : index
    %c = arith.cmpi ult, %i, %n : index
    %p = scf.if %c -> (index) {
      scf.yield %i : index
    } else {
      scf.yield %c0 : index
    }{ein.likely}
    %x = memref.load %a[%p] : memref<?xi64>
    func.return %x : i64
  }
}

// CHECK:         [[WEIGHTS:![0-9]+]] = !{!"branch_weights", i32 2000, i32 1}
// CHECK:         br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof [[WEIGHTS]]
