// RUN: ein-opt %s -t python --split-input-file --verify-diagnostics | filecheck %s

func.func @f(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = yarr.elementwise { math.sin } %a : (tensor<?xf64>) -> tensor<?xf64>
  func.return %0 : tensor<?xf64>
}
// CHECK: 'yarr.elementwise' has no Python source: the target prints emitpy, run a pass such as convert-yarr-to-numpy first

// -----

func.func @f(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = emitpy.helper "np.no_such_helper"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %0 : tensor<?xf64>
}
// CHECK: emitpy.helper: there is no helper 'np.no_such_helper'

// -----

func.func private @g(tensor<?xf64>) -> tensor<?xf64>
func.func @f(%a: tensor<?xf64>) -> tensor<?xf64> {
  %0 = func.call @g(%a) : (tensor<?xf64>) -> tensor<?xf64>
  func.return %0 : tensor<?xf64>
}
// CHECK: func.call: 'g' is not in the module
