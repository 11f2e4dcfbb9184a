// RUN: ein-opt %s --split-input-file --verify-diagnostics -p struct-of-arrays | filecheck %s

func.func @argument(%a: !phi.vec<tuple<>>) {
  func.return
}

// CHECK: func.func: '!phi.vec<tuple<>>' is an array of records without fields, whose size no array would keep; give the records a field

// -----

func.func @inner(%n: i64) {
  %u = phi.tuple () : tuple<>
  %t = phi.tuple (%u) : tuple<tuple<>>
  %a = phi.array (%i < %n) -> !phi.vec<tuple<tuple<>>> {
    phi.yield %t : tuple<tuple<>>
  }
  func.return
}

// CHECK: phi.array: '!phi.vec<tuple<tuple<>>>' is an array of records without fields, whose size no array would keep; give the records a field
