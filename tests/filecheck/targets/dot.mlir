// RUN: ein-opt %s -t dot | filecheck %s
// RUN: xdsl-opt %s -t dot | filecheck %s

func.func @distances(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %0 = arith.subf %x, %y : f64
      %1 = math.absf %0 : f64
      %2 = arith.addf %acc, %1 : f64
      phi.yield %2 : f64
    }
    phi.yield %s : f64
  }
  func.return %d : !phi.vec<!phi.vec<f64>>
}

func.func @whole(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %c = yarr.einsum "ij,jk->ik" %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %two = arith.constant dense<2.0> : tensor<1x1xf64>
  %3 = yarr.elementwise (%x = %c, %y = %two) : (tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64> {
    %z = arith.mulf %y, %x : f64
    yarr.yield %z : f64
  }
  %4 = yarr.reduce %3, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %s, %k = yarr.fold (%step < %n, %acc = %4, %count = %n) -> tensor<?xf64>, tensor<i64> {
    yarr.yield %acc, %step : tensor<?xf64>, tensor<i64>
  }
  func.return %s : tensor<?xf64>
}

// CHECK:      digraph program {
// CHECK:        subgraph cluster_n0 {
// CHECK-NEXT:     bgcolor="#3060a010"; color="#3060a080"; label="distances(a)\l";
// CHECK-NEXT:     n1 [label="a : vec<vec<f64>>", margin=0, shape=oval];
// CHECK-NEXT:     n2 [label="size axis 0\nn : i64"];
// CHECK-NEXT:     n3 [label="size axis 1\nm : i64"];
// CHECK-NEXT:     subgraph cluster_n4 {
// CHECK-NEXT:       bgcolor="#3060a010"; color="#3060a080"; label="array (i < n, j < n)\ld : vec<vec<f64>>\l";
// CHECK-NEXT:       n5 [label="i : index", fillcolor="#ffe08a", margin=0, shape=oval, style=filled];
// CHECK-NEXT:       n6 [label="j : index", fillcolor="#ffe08a", margin=0, shape=oval, style=filled];
// CHECK-NEXT:       subgraph cluster_n7 {
// CHECK-NEXT:         bgcolor="#3060a010"; color="#3060a080"; label="fold (k < m, acc = 0.0)\ls : f64\l";
// CHECK-NEXT:         n8 [label="k : i64", fillcolor="#ffe08a", margin=0, shape=oval, style=filled];
// CHECK-NEXT:         n9 [label="acc : f64", margin=0, shape=oval];
// CHECK-NEXT:         n10 [label="a[i, k]\nx : f64"];
// CHECK-NEXT:         n11 [label="a[j, k]\ny : f64"];
// CHECK-NEXT:         n12 [label="x - y\nf64"];
// CHECK-NEXT:         n13 [label="abs\nf64"];
// CHECK-NEXT:         n14 [label="+\nf64"];
// CHECK-NEXT:         n15 [label="yield", fillcolor="#cfe3cf", style=filled];
// CHECK-NEXT:       }
// CHECK-NEXT:       n16 [label="yield", fillcolor="#cfe3cf", style=filled];
// CHECK-NEXT:     }
// CHECK-NEXT:     n17 [label="return", fillcolor="#cfe3cf", style=filled];
// CHECK-NEXT:   }
// CHECK-NEXT:   subgraph cluster_n18 {
// CHECK-NEXT:     bgcolor="#3060a010"; color="#3060a080"; label="whole(a, b, n)\l";
// CHECK-NEXT:     n19 [label="a : tensor<?x?xf64>", margin=0, shape=oval];
// CHECK-NEXT:     n20 [label="b : tensor<?x?xf64>", margin=0, shape=oval];
// CHECK-NEXT:     n21 [label="n : tensor<i64>", margin=0, shape=oval];
// CHECK-NEXT:     n22 [label="einsum ij,jk->ik (a, b)\nc : tensor<?x?xf64>"];
// CHECK-NEXT:     subgraph cluster_n23 {
// CHECK-NEXT:       bgcolor="#3060a010"; color="#3060a080"; label="elementwise (x = c, y = 2.0)\ltensor<?x?xf64>\l";
// CHECK-NEXT:       n24 [label="x : f64", margin=0, shape=oval];
// CHECK-NEXT:       n25 [label="y : f64", margin=0, shape=oval];
// CHECK-NEXT:       n26 [label="*\nz : f64"];
// CHECK-NEXT:       n27 [label="yield", fillcolor="#cfe3cf", style=filled];
// CHECK-NEXT:     }
// CHECK-NEXT:     n28 [label="reduce + [1]\ntensor<?xf64>"];
// CHECK-NEXT:     subgraph cluster_n29 {
// CHECK-NEXT:       bgcolor="#3060a010"; color="#3060a080"; label="fold (step < n, acc, count = n)\ls : tensor<?xf64>, k : tensor<i64>\l";
// CHECK-NEXT:       n30 [label="step : tensor<i64>", fillcolor="#ffe08a", margin=0, shape=oval, style=filled];
// CHECK-NEXT:       n31 [label="acc : tensor<?xf64>", margin=0, shape=oval];
// CHECK-NEXT:       n32 [label="count : tensor<i64>", margin=0, shape=oval];
// CHECK-NEXT:       n33 [label="yield(acc, step)", fillcolor="#cfe3cf", style=filled];
// CHECK-NEXT:     }
// CHECK-NEXT:     n34 [label="return", fillcolor="#cfe3cf", style=filled];
// CHECK-NEXT:   }
// CHECK-NEXT:   n1 -> n2;
// CHECK-NEXT:   n1 -> n3;
// CHECK-NEXT:   n2 -> n5;
// CHECK-NEXT:   n2 -> n6;
// CHECK-NEXT:   n3 -> n8;
// CHECK-NEXT:   n15 -> n9 [color=gray60, constraint=false];
// CHECK-NEXT:   n1 -> n10;
// CHECK-NEXT:   n5 -> n10 [style=dashed];
// CHECK-NEXT:   n8 -> n10 [style=dashed];
// CHECK-NEXT:   n1 -> n11;
// CHECK-NEXT:   n6 -> n11 [style=dashed];
// CHECK-NEXT:   n8 -> n11 [style=dashed];
// CHECK-NEXT:   n10 -> n12;
// CHECK-NEXT:   n11 -> n12;
// CHECK-NEXT:   n12 -> n13;
// CHECK-NEXT:   n9 -> n14;
// CHECK-NEXT:   n13 -> n14;
// CHECK-NEXT:   n14 -> n15;
// CHECK-NEXT:   n15 -> n16 [ltail=cluster_n7];
// CHECK-NEXT:   n16 -> n17 [ltail=cluster_n4];
// CHECK-NEXT:   n19 -> n22;
// CHECK-NEXT:   n20 -> n22;
// CHECK-NEXT:   n22 -> n24;
// CHECK-NEXT:   n25 -> n26;
// CHECK-NEXT:   n24 -> n26;
// CHECK-NEXT:   n26 -> n27;
// CHECK-NEXT:   n27 -> n28 [ltail=cluster_n23];
// CHECK-NEXT:   n21 -> n30;
// CHECK-NEXT:   n28 -> n31;
// CHECK-NEXT:   n21 -> n32;
// CHECK-NEXT:   n33 -> n31 [color=gray60, constraint=false];
// CHECK-NEXT:   n33 -> n32 [color=gray60, constraint=false];
// CHECK-NEXT:   n31 -> n33;
// CHECK-NEXT:   n30 -> n33 [style=dashed];
// CHECK-NEXT:   n33 -> n34 [label="s", ltail=cluster_n29];
// CHECK-NEXT: }
