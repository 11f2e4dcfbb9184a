// RUN: not ein-opt %s 2>&1 | filecheck %s --check-prefix=VERIFY
// RUN: not ein-opt %s --traceback 2>&1 | filecheck %s --check-prefix=TRACEBACK
// RUN: not ein-opt %s -p canonicalise 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not ein-opt %s -p "canonicalize{loops=3}" 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not ein-opt %s -p "canonicalize{" 2>&1 | filecheck %s --check-prefix=SPEC
// RUN: not ein-opt %s --pipeline no-such-pipeline 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: not ein-opt %s.missing 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not ein-opt %s -o %t.missing/output.mlir 2>&1 | filecheck %s --check-prefix=OUTPUT

func.func @result(%x: f64) -> i64 {
  func.return %x : f64
}

// VERIFY-NOT:  Traceback
// VERIFY:      error: func.return: Expected arguments to have the same types as the function output types
// TRACEBACK:   Traceback
// PASS:        error: unknown pass 'canonicalise'; did you mean 'canonicalize'
// OPTION:      error: there is no option 'loops' of pass 'canonicalize'; its options: none
// SPEC:        error: Error parsing pass pipeline specification
// PIPELINE:    error: unknown pipeline 'no-such-pipeline'
// MISSING:     error: {{.*}}errors.mlir.missing: No such file or directory
// OUTPUT:      error: {{.*}}missing/output.mlir: No such file or directory
