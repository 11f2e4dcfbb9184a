; Products of matrices of one element type, $T, that are small, or whose strides BLAS does not know.
; Written as they should run, since LLVM's passes do not see them: see support.ll.

; Eight neighbours in a row of the result: the sums of the products of a row and eight columns.
define internal void @eight_columns.$T(
    ptr %a, i64 %a.stride, ptr %b, i64 %b.stride, ptr %c, i64 %terms) {
  br label %each
each:
  %number = phi i64 [ 0, %0 ], [ %next, %one ]
  %totals = phi <8 x $T> [ zeroinitializer, %0 ], [ %sums, %one ]
  %to.a = phi ptr [ %a, %0 ], [ %a.next, %one ]
  %to.b = phi ptr [ %b, %0 ], [ %b.next, %one ]
  %more = icmp slt i64 %number, %terms
  br i1 %more, label %one, label %end
one:
  %factor = load $T, ptr %to.a
  %lane = insertelement <8 x $T> poison, $T %factor, i64 0
  %factors = shufflevector <8 x $T> %lane, <8 x $T> poison, <8 x i32> zeroinitializer
  %values = load <8 x $T>, ptr %to.b, align 4
  %products = fmul <8 x $T> %factors, %values
  %sums = fadd <8 x $T> %totals, %products
  %a.next = getelementptr $T, ptr %to.a, i64 %a.stride
  %b.next = getelementptr $T, ptr %to.b, i64 %b.stride
  %next = add i64 %number, 1
  br label %each
end:
  store <8 x $T> %totals, ptr %c, align 4
  ret void
}

; Four numbers in a row of the result, at strides.
define internal void @four_columns.$T(
    ptr %a, i64 %a.stride, ptr %b, i64 %b.stride, i64 %b.column, ptr %c, i64 %c.column, i64 %terms) {
  %b.2 = mul i64 %b.column, 2
  %b.3 = mul i64 %b.column, 3
  %c.2 = mul i64 %c.column, 2
  %c.3 = mul i64 %c.column, 3
  br label %each
each:
  %number = phi i64 [ 0, %0 ], [ %next, %one ]
  %totals = phi <4 x $T> [ zeroinitializer, %0 ], [ %sums, %one ]
  %to.a = phi ptr [ %a, %0 ], [ %a.next, %one ]
  %to.b = phi ptr [ %b, %0 ], [ %b.next, %one ]
  %more = icmp slt i64 %number, %terms
  br i1 %more, label %one, label %end
one:
  %factor = load $T, ptr %to.a
  %lane = insertelement <4 x $T> poison, $T %factor, i64 0
  %factors = shufflevector <4 x $T> %lane, <4 x $T> poison, <4 x i32> zeroinitializer
  %to.b.1 = getelementptr $T, ptr %to.b, i64 %b.column
  %to.b.2 = getelementptr $T, ptr %to.b, i64 %b.2
  %to.b.3 = getelementptr $T, ptr %to.b, i64 %b.3
  %value.0 = load $T, ptr %to.b
  %value.1 = load $T, ptr %to.b.1
  %value.2 = load $T, ptr %to.b.2
  %value.3 = load $T, ptr %to.b.3
  %values.0 = insertelement <4 x $T> poison, $T %value.0, i64 0
  %values.1 = insertelement <4 x $T> %values.0, $T %value.1, i64 1
  %values.2 = insertelement <4 x $T> %values.1, $T %value.2, i64 2
  %values = insertelement <4 x $T> %values.2, $T %value.3, i64 3
  %products = fmul <4 x $T> %factors, %values
  %sums = fadd <4 x $T> %totals, %products
  %a.next = getelementptr $T, ptr %to.a, i64 %a.stride
  %b.next = getelementptr $T, ptr %to.b, i64 %b.stride
  %next = add i64 %number, 1
  br label %each
end:
  %to.c.1 = getelementptr $T, ptr %c, i64 %c.column
  %to.c.2 = getelementptr $T, ptr %c, i64 %c.2
  %to.c.3 = getelementptr $T, ptr %c, i64 %c.3
  %total.0 = extractelement <4 x $T> %totals, i64 0
  %total.1 = extractelement <4 x $T> %totals, i64 1
  %total.2 = extractelement <4 x $T> %totals, i64 2
  %total.3 = extractelement <4 x $T> %totals, i64 3
  store $T %total.0, ptr %c
  store $T %total.1, ptr %to.c.1
  store $T %total.2, ptr %to.c.2
  store $T %total.3, ptr %to.c.3
  ret void
}

; The sum of the products of a row and a column.
define internal $T @dot.$T(ptr %a, i64 %a.stride, ptr %b, i64 %b.stride, i64 %terms) {
  br label %each
each:
  %number = phi i64 [ 0, %0 ], [ %next, %one ]
  %total = phi $T [ 0.0, %0 ], [ %sum, %one ]
  %to.a = phi ptr [ %a, %0 ], [ %a.next, %one ]
  %to.b = phi ptr [ %b, %0 ], [ %b.next, %one ]
  %more = icmp slt i64 %number, %terms
  br i1 %more, label %one, label %end
one:
  %a.value = load $T, ptr %to.a
  %b.value = load $T, ptr %to.b
  %term = fmul $T %a.value, %b.value
  %sum = fadd $T %total, %term
  %a.next = getelementptr $T, ptr %to.a, i64 %a.stride
  %b.next = getelementptr $T, ptr %to.b, i64 %b.stride
  %next = add i64 %number, 1
  br label %each
end:
  ret $T %total
}

; A matrix of the result, a row after the other: eight numbers of a row at a time if they are neighbours,
; as those of the other factor, else four, each by itself if they are fewer. The last may be some of those
; before, computed again.
define internal void @multiply_matrix.$T(ptr %slots, ptr %a, ptr %b, ptr %c) {
  %rows = call i64 @size_at(ptr %slots, i64 2)
  %columns = call i64 @size_at(ptr %slots, i64 1)
  %terms = call i64 @size_at(ptr %slots, i64 0)
  %a.row = call i64 @stride_at(ptr %slots, i64 0, i64 2)
  %a.term = call i64 @stride_at(ptr %slots, i64 0, i64 0)
  %b.term = call i64 @stride_at(ptr %slots, i64 1, i64 0)
  %b.column = call i64 @stride_at(ptr %slots, i64 1, i64 1)
  %c.row = call i64 @stride_at(ptr %slots, i64 2, i64 2)
  %c.column = call i64 @stride_at(ptr %slots, i64 2, i64 1)
  %few = icmp slt i64 %columns, 4
  %b.apart = sub i64 %b.column, 1
  %c.apart = sub i64 %c.column, 1
  %apart = or i64 %b.apart, %c.apart
  %neighbours = icmp eq i64 %apart, 0
  %enough = icmp sge i64 %columns, 8
  %eights = and i1 %neighbours, %enough
  %width = select i1 %eights, i64 8, i64 4
  %last = sub i64 %columns, %width
  br label %each.row
each.row:
  %row = phi i64 [ 0, %0 ], [ %next.row, %row.done ]
  %more.rows = icmp slt i64 %row, %rows
  br i1 %more.rows, label %one.row, label %end
one.row:
  %a.before = mul i64 %row, %a.row
  %c.before = mul i64 %row, %c.row
  %row.a = getelementptr $T, ptr %a, i64 %a.before
  %row.c = getelementptr $T, ptr %c, i64 %c.before
  br i1 %few, label %each.column, label %many
each.column:
  %column = phi i64 [ 0, %one.row ], [ %next.column, %one.column ]
  %more.columns = icmp slt i64 %column, %columns
  br i1 %more.columns, label %one.column, label %row.done
one.column:
  %b.offset = mul i64 %column, %b.column
  %c.offset = mul i64 %column, %c.column
  %column.b = getelementptr $T, ptr %b, i64 %b.offset
  %to.c = getelementptr $T, ptr %row.c, i64 %c.offset
  %sum = call $T @dot.$T(ptr %row.a, i64 %a.term, ptr %column.b, i64 %b.term, i64 %terms)
  store $T %sum, ptr %to.c
  %next.column = add i64 %column, 1
  br label %each.column
many:
  %number = phi i64 [ 0, %one.row ], [ %next, %eight ], [ %next, %four ]
  %more = icmp slt i64 %number, %columns
  br i1 %more, label %next.columns, label %row.done
next.columns:
  %is.last = icmp sgt i64 %number, %last
  %first = select i1 %is.last, i64 %last, i64 %number
  %b.from = mul i64 %first, %b.column
  %c.from = mul i64 %first, %c.column
  %to.b = getelementptr $T, ptr %b, i64 %b.from
  %to.columns = getelementptr $T, ptr %row.c, i64 %c.from
  %next = add i64 %number, %width
  br i1 %eights, label %eight, label %four
eight:
  call void @eight_columns.$T(ptr %row.a, i64 %a.term, ptr %to.b, i64 %b.term, ptr %to.columns, i64 %terms)
  br label %many
four:
  call void @four_columns.$T(
      ptr %row.a, i64 %a.term, ptr %to.b, i64 %b.term, i64 %b.column, ptr %to.columns, i64 %c.column, i64 %terms)
  br label %many
row.done:
  %next.row = add i64 %row, 1
  br label %each.row
end:
  ret void
}
