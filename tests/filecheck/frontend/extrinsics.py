# RUN: python %s | filecheck %s

# A function of a library is a symbol of phi, one for each different function, and is called once
# for all indices.

import numpy as np

from ein_mlir import Float, Vec, array, ext, function, matrix_type

sort = ext(np.sort, ([Vec[Float]], Vec[Float]))
total = ext(np.sum, ([Vec[Float]], Float))


@function
def share(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    def row(i):
        ordered, of_row = sort(a[i]), total(a[i], axis=-1)
        return array(lambda j: ordered[j] / of_row)

    return array(row)


print(share.phi(matrix_type(float)))
print(share.source(matrix_type(float)))

# CHECK:      phi.array (%i < %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
# CHECK:        %[[ROW:.*]] = phi.get %a[%i]
# CHECK:        %[[ORDERED:.*]] = phi.extern @sort(%[[ROW]]) : (!phi.vec<f64>) -> !phi.vec<f64>
# CHECK:        phi.extern @sum_(%{{.*}}) : (!phi.vec<f64>) -> f64

# CHECK:      # Given by the embedding program: {{sort, sum_|sum_, sort}}
# CHECK:      def share(a):
# CHECK:        sort(a){{.*}} / sum_(a)[:, None]
