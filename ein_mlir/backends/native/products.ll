; Products of matrices of one element type, $T, whose strides BLAS does not know, or without BLAS.
; Written as they should run, since LLVM's passes do not see them: see support.ll.

; Set the elements of a row to zero.
define internal void @clear_row.$T(ptr %c, i64 %stride, i64 %columns) {
  br label %each
each:
  %column = phi i64 [ 0, %0 ], [ %next, %one ]
  %more = icmp slt i64 %column, %columns
  br i1 %more, label %one, label %end
one:
  %offset = mul i64 %column, %stride
  %to.c = getelementptr $T, ptr %c, i64 %offset
  store $T 0.0, ptr %to.c
  %next = add i64 %column, 1
  br label %each
end:
  ret void
}

; Add a row times a factor to a row of the result: eight columns at a time, where they are neighbours.
define internal void @add_row.$T(ptr %a, ptr %b, i64 %b.stride, ptr %c, i64 %c.stride, i64 %columns) {
  %factor = load $T, ptr %a
  %lane = insertelement <8 x $T> poison, $T %factor, i64 0
  %factors = shufflevector <8 x $T> %lane, <8 x $T> poison, <8 x i32> zeroinitializer
  %b.apart = sub i64 %b.stride, 1
  %c.apart = sub i64 %c.stride, 1
  %apart = or i64 %b.apart, %c.apart
  %neighbours = icmp eq i64 %apart, 0
  %eights = and i64 %columns, -8
  %whole = select i1 %neighbours, i64 %eights, i64 0
  br label %each.eight
each.eight:
  %eight = phi i64 [ 0, %0 ], [ %next.eight, %eight.columns ]
  %more.eights = icmp slt i64 %eight, %whole
  br i1 %more.eights, label %eight.columns, label %each
eight.columns:
  %to.bs = getelementptr $T, ptr %b, i64 %eight
  %to.cs = getelementptr $T, ptr %c, i64 %eight
  %bs = load <8 x $T>, ptr %to.bs, align 4
  %cs = load <8 x $T>, ptr %to.cs, align 4
  %terms = fmul <8 x $T> %factors, %bs
  %sums = fadd <8 x $T> %cs, %terms
  store <8 x $T> %sums, ptr %to.cs, align 4
  %next.eight = add i64 %eight, 8
  br label %each.eight
each:
  %column = phi i64 [ %whole, %each.eight ], [ %next, %one ]
  %more = icmp slt i64 %column, %columns
  br i1 %more, label %one, label %end
one:
  %b.offset = mul i64 %column, %b.stride
  %c.offset = mul i64 %column, %c.stride
  %to.b = getelementptr $T, ptr %b, i64 %b.offset
  %to.c = getelementptr $T, ptr %c, i64 %c.offset
  %b.value = load $T, ptr %to.b
  %c.value = load $T, ptr %to.c
  %term = fmul $T %factor, %b.value
  %sum = fadd $T %c.value, %term
  store $T %sum, ptr %to.c
  %next = add i64 %column, 1
  br label %each
end:
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

; A row of the result: each number by itself if they are few, else the terms one after the other.
define internal void @multiply_row.$T(ptr %slots, ptr %a, ptr %b, ptr %c) {
  %columns = call i64 @size_at(ptr %slots, i64 1)
  %terms = call i64 @size_at(ptr %slots, i64 0)
  %a.stride = call i64 @stride_at(ptr %slots, i64 0, i64 0)
  %b.term = call i64 @stride_at(ptr %slots, i64 1, i64 0)
  %b.column = call i64 @stride_at(ptr %slots, i64 1, i64 1)
  %c.stride = call i64 @stride_at(ptr %slots, i64 2, i64 1)
  %few = icmp slt i64 %columns, 8
  br i1 %few, label %each.column, label %clear
each.column:
  %column = phi i64 [ 0, %0 ], [ %next.column, %one.column ]
  %more.columns = icmp slt i64 %column, %columns
  br i1 %more.columns, label %one.column, label %end
one.column:
  %b.offset = mul i64 %column, %b.column
  %c.offset = mul i64 %column, %c.stride
  %column.b = getelementptr $T, ptr %b, i64 %b.offset
  %to.c = getelementptr $T, ptr %c, i64 %c.offset
  %sum = call $T @dot.$T(ptr %a, i64 %a.stride, ptr %column.b, i64 %b.term, i64 %terms)
  store $T %sum, ptr %to.c
  %next.column = add i64 %column, 1
  br label %each.column
clear:
  call void @clear_row.$T(ptr %c, i64 %c.stride, i64 %columns)
  br label %each
each:
  %number = phi i64 [ 0, %clear ], [ %next, %one ]
  %more = icmp slt i64 %number, %terms
  br i1 %more, label %one, label %end
one:
  %a.offset = mul i64 %number, %a.stride
  %b.from = mul i64 %number, %b.term
  %to.a = getelementptr $T, ptr %a, i64 %a.offset
  %to.b = getelementptr $T, ptr %b, i64 %b.from
  call void @add_row.$T(ptr %to.a, ptr %to.b, i64 %b.column, ptr %c, i64 %c.stride, i64 %columns)
  %next = add i64 %number, 1
  br label %each
end:
  ret void
}
