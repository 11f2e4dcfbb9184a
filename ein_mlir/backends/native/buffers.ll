; The memory of compiled programs: buffers that belong to a call, in a list, so that a call that
; fails can release what it has left.
;
; A buffer is a header of 64 bytes, then the elements. The header has the next and the previous
; buffer of the call, or the call itself at both ends of the list.

declare noalias ptr @aligned_alloc(i64, i64)
declare void @free(ptr)

; The elements of a new buffer; null if there is no memory.
define noalias ptr @ein_allocate(ptr %call, i64 %bytes) {
  %huge = icmp ugt i64 %bytes, 4611686018427387904
  br i1 %huge, label %none, label %fits
fits:
  %padded = add i64 %bytes, 127
  %size = and i64 %padded, -64
  %buffer = call ptr @aligned_alloc(i64 64, i64 %size)
  %missing = icmp eq ptr %buffer, null
  br i1 %missing, label %none, label %link
link:
  %first = load ptr, ptr %call
  %first.previous = getelementptr i64, ptr %first, i64 1
  %previous = getelementptr i64, ptr %buffer, i64 1
  store ptr %first, ptr %buffer
  store ptr %call, ptr %previous
  store ptr %buffer, ptr %first.previous
  store ptr %buffer, ptr %call
  %memory = getelementptr i8, ptr %buffer, i64 64
  ret ptr %memory
none:
  ret ptr null
}

; Take a buffer out of the list of its call.
define void @ein_keep(ptr %memory) {
  %buffer = getelementptr i8, ptr %memory, i64 -64
  %next = load ptr, ptr %buffer
  %to.previous = getelementptr i64, ptr %buffer, i64 1
  %previous = load ptr, ptr %to.previous
  %next.previous = getelementptr i64, ptr %next, i64 1
  store ptr %previous, ptr %next.previous
  store ptr %next, ptr %previous
  ret void
}

; Release a buffer that no call has any more.
define void @ein_free(ptr %memory) {
  %buffer = getelementptr i8, ptr %memory, i64 -64
  call void @free(ptr %buffer)
  ret void
}

; Release a buffer of a call.
define void @ein_release(ptr %call, ptr %memory) {
  call void @ein_keep(ptr %memory)
  call void @ein_free(ptr %memory)
  ret void
}

; Release all buffers of a call.
define void @ein_release_all(ptr %call) {
  br label %again
again:
  %first = load ptr, ptr %call
  %done = icmp eq ptr %first, %call
  br i1 %done, label %end, label %one
one:
  %memory = getelementptr i8, ptr %first, i64 64
  call void @ein_release(ptr %call, ptr %memory)
  br label %again
end:
  ret void
}

; Call a function of the host program: the third word of a call is the address of its caller.
define i64 @ein_extern(ptr %call, i64 %number, ptr %slots) {
  %to.caller = getelementptr i64, ptr %call, i64 2
  %caller = load ptr, ptr %to.caller
  %code = call i64 %caller(ptr %call, i64 %number, ptr %slots)
  ret i64 %code
}
