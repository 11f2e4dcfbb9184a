// RUN: ein-opt %s -p raise-segment-reductions{derivatives=true} | filecheck %s

// In a derivative, frames that overlap are added at their places: the transpose reads each frame.

func.func @frames(%x: !phi.vec<!phi.vec<f64>>, %hop: i64, %n: i64, %by: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.000000e+00 : f64
  %d = phi.vjp (%f = %x by %by) : !phi.vec<!phi.vec<f64>> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
    %m = phi.size %f, 0 : !phi.vec<!phi.vec<f64>>
    %w = phi.size %f, 1 : !phi.vec<!phi.vec<f64>>
    %y = phi.array (%t < %n) -> !phi.vec<f64> {
      %own = arith.index_cast %t : index to i64
      %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
        %start = arith.muli %i, %hop : i64
        %end = arith.addi %start, %w : i64
        %is_after = arith.cmpi sge, %own, %start : i64
        %is_before = arith.cmpi slt, %own, %end : i64
        %is_inside = arith.andi %is_after, %is_before : i1
        %p = arith.subi %own, %start : i64
        %v = phi.get %f[%i, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %term = arith.select %is_inside, %v, %zero : f64
        %next = arith.addf %acc, %term : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  %r = phi.proj %d, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @frames(%x: !phi.vec<!phi.vec<f64>>, %hop: i64, %n: i64, %by: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:          %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %d = phi.vjp (%f = %x by %by) : !phi.vec<!phi.vec<f64>> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:            %m = phi.size %f, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:            %w = phi.size %f, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:            %y = phi.array (%t < %n) -> !phi.vec<f64> {
// CHECK-NEXT:              %own = arith.index_cast %t : index to i64
// CHECK-NEXT:              %0 = phi.accumulate (%i < %m, %t_1 < %w) into "add" (%n) -> !phi.vec<f64> {
// CHECK-NEXT:                %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:                %start = arith.muli %i_1, %hop : i64
// CHECK-NEXT:                %1 = arith.index_cast %t_1 : index to i64
// CHECK-NEXT:                %2 = arith.addi %start, %1 : i64
// CHECK-NEXT:                %start_1 = arith.muli %i_1, %hop : i64
// CHECK-NEXT:                %p = arith.subi %2, %start_1 : i64
// CHECK-NEXT:                %v = phi.get %f[%i_1, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:                %3 = phi.tuple (%2, %v) : tuple<i64, f64>
// CHECK-NEXT:                phi.yield %3 : tuple<i64, f64>
// CHECK-NEXT:              }
// CHECK-NEXT:              %s = phi.get %0[%t] : !phi.vec<f64>[index]
// CHECK-NEXT:              phi.yield %s : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            phi.yield %y : !phi.vec<f64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %r = phi.proj %d, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:          func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:        }
