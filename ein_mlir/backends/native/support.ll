; What compiled programs call: memory and threads, for every system with the threads of POSIX.
;
; Buffers. A buffer is a header of 64 bytes, then the elements. The header has the next and the
; previous buffer of its call (or the call itself, at both ends of the list), then the number of its
; class. Buffers of a class have the same size: 16 to 31 times a power of two. A released buffer
; stays in the list of its class for the next that is needed, or one up to a quarter smaller, since
; fresh memory is slow, as long as all that are kept are within a bound.
;
; Threads. A pool runs one loop at a time, in pieces that threads take one after the other: each has a
; share of the pieces, the same for loops of as many pieces, whose data its cache then has; it takes
; those of others when its own are done. A loop that finds the pool taken, such as one inside another,
; runs on the thread of its caller.

declare noalias ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @sched_yield()
declare i32 @getpid()
declare i32 @clock_gettime(i32, ptr)
declare i64 @pthread_self()
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_timedwait(ptr, ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)

; `ein_mlir.backends.native.support` adds the definition: a hint that the thread is waiting.
; define internal void @pause()

; Buffers ------------------------------------------------------------------------------------------

@lock = internal global i64 0
@classes = internal global [1024 x ptr] zeroinitializer
@kept = internal global i64 0
@bound = internal global i64 0

define void @ein_lock() alwaysinline {
  br label %try
try:
  %turns = phi i64 [ 0, %0 ], [ %more.turns, %turn ], [ 0, %yield ]
  %taken = cmpxchg ptr @lock, i64 0, i64 1 acquire monotonic
  %ours = extractvalue { i64, i1 } %taken, 1
  br i1 %ours, label %done, label %wait
wait:
  %tired = icmp uge i64 %turns, 300
  br i1 %tired, label %yield, label %turn
turn:
  call void @pause()
  %more.turns = add i64 %turns, 1
  br label %try
yield:
  %ignored = call i32 @sched_yield()
  br label %try
done:
  ret void
}

define void @ein_unlock() alwaysinline {
  store atomic i64 0, ptr @lock release, align 8
  ret void
}

; The class of buffers with at least so many bytes, of which there are at least 64.
define internal i64 @class_of(i64 %bytes) alwaysinline {
  %last = sub i64 %bytes, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %last, i1 false)
  %top = sub i64 63, %zeros
  %shift = sub i64 %top, 4
  %steps = lshr i64 %last, %shift
  %part = and i64 %steps, 15
  %base = mul i64 %top, 16
  %below = add i64 %base, %part
  %class = add i64 %below, 1
  ret i64 %class
}

; The bytes of the buffers of a class.
define internal i64 @size_of(i64 %class) alwaysinline {
  %top = lshr i64 %class, 4
  %part = and i64 %class, 15
  %steps = add i64 %part, 16
  %shift = sub i64 %top, 4
  %size = shl i64 %steps, %shift
  ret i64 %size
}

; A kept buffer of a class, or of one of some classes after it, or null.
define internal ptr @take(i64 %class, i64 %more) alwaysinline {
  %last = add i64 %class, %more
  call void @ein_lock()
  br label %look
look:
  %number = phi i64 [ %class, %0 ], [ %larger, %next ]
  %list = getelementptr ptr, ptr @classes, i64 %number
  %buffer = load ptr, ptr %list
  %none = icmp eq ptr %buffer, null
  br i1 %none, label %next, label %unlink
next:
  %larger = add i64 %number, 1
  %over = icmp ugt i64 %larger, %last
  br i1 %over, label %done, label %look
unlink:
  %following = load ptr, ptr %buffer
  store ptr %following, ptr %list
  %size = call i64 @size_of(i64 %number)
  %kept = load i64, ptr @kept
  %less = sub i64 %kept, %size
  store i64 %less, ptr @kept
  br label %done
done:
  %taken = phi ptr [ null, %next ], [ %buffer, %unlink ]
  call void @ein_unlock()
  ret ptr %taken
}

; The elements of a buffer that belongs to a call; null if there is no memory.
define noalias ptr @ein_allocate(ptr %call, i64 %bytes) {
  %huge = icmp ugt i64 %bytes, 4611686018427387904
  br i1 %huge, label %none, label %fits
fits:
  %padded = add i64 %bytes, 127
  %needed = and i64 %padded, -64
  %class = call i64 @class_of(i64 %needed)
  %old = call ptr @take(i64 %class, i64 4)
  %found = icmp ne ptr %old, null
  br i1 %found, label %link, label %new
new:
  %size = call i64 @size_of(i64 %class)
  %fresh = call ptr @aligned_alloc(i64 64, i64 %size)
  %given = icmp ne ptr %fresh, null
  br i1 %given, label %mark, label %retry
retry:
  call void @ein_trim(i64 0)
  %last = call ptr @aligned_alloc(i64 64, i64 %size)
  %rescued = icmp ne ptr %last, null
  br i1 %rescued, label %mark, label %none
mark:
  %made = phi ptr [ %fresh, %new ], [ %last, %retry ]
  %to.class = getelementptr i64, ptr %made, i64 2
  store i64 %class, ptr %to.class
  br label %link
link:
  %buffer = phi ptr [ %old, %fits ], [ %made, %mark ]
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
define void @ein_keep(ptr %memory) alwaysinline {
  %buffer = getelementptr i8, ptr %memory, i64 -64
  %next = load ptr, ptr %buffer
  %to.previous = getelementptr i64, ptr %buffer, i64 1
  %previous = load ptr, ptr %to.previous
  %next.previous = getelementptr i64, ptr %next, i64 1
  store ptr %previous, ptr %next.previous
  store ptr %next, ptr %previous
  ret void
}

; Release a buffer that is in no list: keep it for later if that is within the bound.
define void @ein_free(ptr %memory) alwaysinline {
  %buffer = getelementptr i8, ptr %memory, i64 -64
  %to.class = getelementptr i64, ptr %buffer, i64 2
  %class = load i64, ptr %to.class
  %size = call i64 @size_of(i64 %class)
  %list = getelementptr ptr, ptr @classes, i64 %class
  call void @ein_lock()
  %kept = load i64, ptr @kept
  %more = add i64 %kept, %size
  %bound = load i64, ptr @bound
  %within = icmp ule i64 %more, %bound
  br i1 %within, label %keep, label %free
keep:
  %next = load ptr, ptr %list
  store ptr %next, ptr %buffer
  store ptr %buffer, ptr %list
  store i64 %more, ptr @kept
  call void @ein_unlock()
  ret void
free:
  call void @ein_unlock()
  call void @free(ptr %buffer)
  ret void
}

; Copy the first bytes of such a buffer, which is released, to another place.
define void @ein_move(ptr %memory, ptr %target, i64 %bytes) {
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %memory, i64 %bytes, i1 false)
  call void @ein_free(ptr %memory)
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

; Free kept buffers, those of the largest classes first, until no more than so many bytes are kept.
define void @ein_trim(i64 %bytes) {
  br label %of.class
of.class:
  %class = phi i64 [ 1023, %0 ], [ %class, %again ], [ %smaller, %next ]
  %kept = load atomic i64, ptr @kept monotonic, align 8
  %enough = icmp ule i64 %kept, %bytes
  br i1 %enough, label %end, label %some
some:
  %buffer = call ptr @take(i64 %class, i64 0)
  %none = icmp eq ptr %buffer, null
  br i1 %none, label %next, label %again
again:
  call void @free(ptr %buffer)
  br label %of.class
next:
  %smaller = sub i64 %class, 1
  %was.last = icmp eq i64 %class, 0
  br i1 %was.last, label %end, label %of.class
end:
  ret void
}

; Set how many bytes may be kept.
define void @ein_set_bound(i64 %bytes) {
  store atomic i64 %bytes, ptr @bound monotonic, align 8
  call void @ein_trim(i64 %bytes)
  ret void
}

; The number of bytes that are kept.
define i64 @ein_kept() {
  %kept = load atomic i64, ptr @kept monotonic, align 8
  ret i64 %kept
}

; Functions of the host program --------------------------------------------------------------------

; The third word of a call is the address of the function that calls them.
define i64 @ein_extern(ptr %call, i64 %number, ptr %slots) {
  %to.caller = getelementptr i64, ptr %call, i64 2
  %caller = load ptr, ptr %to.caller
  %answer = call i64 %caller(ptr %call, i64 %number, ptr %slots)
  %done = icmp eq i64 %answer, 1
  %code = select i1 %done, i64 0, i64 -2
  ret i64 %code
}

; Signals ------------------------------------------------------------------------------------------

; Functions of the interpreter: PyGILState_Ensure, PyErr_CheckSignals, PyErr_Fetch and
; PyGILState_Release. A call has a watch only if they are set.
@enter = internal global ptr null
@check.signals = internal global ptr null
@fetch.error = internal global ptr null
@leave = internal global ptr null

define void @ein_set_signals(ptr %enter, ptr %check, ptr %fetch, ptr %leave) {
  store ptr %enter, ptr @enter
  store ptr %check, ptr @check.signals
  store ptr %fetch, ptr @fetch.error
  store ptr %leave, ptr @leave
  ret void
}

; The code of a call that is to stop, or 0. The thread of the call lets the interpreter handle signals,
; ten times in a second: it may have to wait for the interpreter's lock. Others learn what came of it.
; Loops have the registers of numbers for themselves: this function keeps those that it uses.
define preserve_mostcc i64 @ein_ask(ptr %call) {
  %to.watch = getelementptr ptr, ptr %call, i64 4
  %watch = load ptr, ptr %to.watch
  %none = icmp eq ptr %watch, null
  br i1 %none, label %go.on, label %look
look:
  %stopped = load atomic i64, ptr %watch monotonic, align 8
  %stops = icmp ne i64 %stopped, 0
  br i1 %stops, label %stop, label %compare
compare:
  %to.thread = getelementptr i64, ptr %call, i64 5
  %thread = load i64, ptr %to.thread
  %this = call i64 @pthread_self()
  %own = icmp eq i64 %thread, %this
  br i1 %own, label %time, label %go.on
time:
  %now = call i64 @time_now()
  %to.last = getelementptr i64, ptr %watch, i64 1
  %last = load i64, ptr %to.last
  %since = sub i64 %now, %last
  %soon = icmp ult i64 %since, 100000000
  br i1 %soon, label %go.on, label %handle
handle:
  store i64 %now, ptr %to.last
  %enter = load ptr, ptr @enter
  %check = load ptr, ptr @check.signals
  %leave = load ptr, ptr @leave
  %state = call i32 %enter()
  %result = call i32 %check()
  %raised = icmp ne i32 %result, 0
  br i1 %raised, label %keep, label %done
keep:
  %to.type = getelementptr i64, ptr %watch, i64 2
  %to.value = getelementptr i64, ptr %watch, i64 3
  %to.trace = getelementptr i64, ptr %watch, i64 4
  %fetch = load ptr, ptr @fetch.error
  call void %fetch(ptr %to.type, ptr %to.value, ptr %to.trace)
  call void %leave(i32 %state)
  store atomic i64 1, ptr %watch monotonic, align 8
  br label %stop
done:
  call void %leave(i32 %state)
  br label %go.on
go.on:
  ret i64 0
stop:
  ret i64 -2
}

; Nanoseconds since some time, by a clock that may be set.
define internal i64 @time_now() {
  %time = alloca [2 x i64]
  %ignored = call i32 @clock_gettime(i32 0, ptr %time)
  %to.part = getelementptr i64, ptr %time, i64 1
  %seconds = load i64, ptr %time
  %part = load i64, ptr %to.part
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %part
  ret i64 %now
}

; Products of matrices -----------------------------------------------------------------------------

; Functions of the interface of BLAS for C, with integers of 64 bits; null if there are none.
@gemm.f64 = internal global ptr null
@gemm.f32 = internal global ptr null

; The library's functions that return and set its number of threads; null if there are none.
@get.threads = internal global ptr null
@set.threads = internal global ptr null

define void @ein_set_products(ptr %f64, ptr %f32, ptr %get, ptr %set) {
  store ptr %f64, ptr @gemm.f64
  store ptr %f32, ptr @gemm.f32
  store ptr %get, ptr @get.threads
  store ptr %set, ptr @set.threads
  ret void
}

; While products run on threads of the pool, the library uses no threads of its own: they would wait,
; awake, on the processors of the pool. The first such product notes how many it had, the last sets
; them again.
@multiplying = internal global i64 0
@had.threads = internal global i32 0

define internal void @begin_products() {
  %set = load ptr, ptr @set.threads
  %unknown = icmp eq ptr %set, null
  br i1 %unknown, label %end, label %count
count:
  call void @ein_lock()
  %before = load i64, ptr @multiplying
  %after = add i64 %before, 1
  store i64 %after, ptr @multiplying
  %first = icmp eq i64 %before, 0
  br i1 %first, label %note, label %done
note:
  %get = load ptr, ptr @get.threads
  %had = call i32 %get()
  store i32 %had, ptr @had.threads
  call void %set(i32 1)
  br label %done
done:
  call void @ein_unlock()
  br label %end
end:
  ret void
}

define internal void @end_products() {
  %set = load ptr, ptr @set.threads
  %unknown = icmp eq ptr %set, null
  br i1 %unknown, label %end, label %count
count:
  call void @ein_lock()
  %before = load i64, ptr @multiplying
  %after = sub i64 %before, 1
  store i64 %after, ptr @multiplying
  %last = icmp eq i64 %after, 0
  br i1 %last, label %restore, label %done
restore:
  %had = load i32, ptr @had.threads
  call void %set(i32 %had)
  br label %done
done:
  call void @ein_unlock()
  br label %end
end:
  ret void
}

; In a process that was forked while another thread multiplied.
define internal void @forget_products() {
  %count = load i64, ptr @multiplying
  %some = icmp ne i64 %count, 0
  br i1 %some, label %forget, label %end
forget:
  store i64 1, ptr @multiplying
  call void @end_products()
  br label %end
end:
  ret void
}

; Set some words to the same bits, eight at a time.
define void @ein_fill(ptr %memory, i64 %bits, i64 %count) {
  %lane = insertelement <8 x i64> poison, i64 %bits, i64 0
  %lanes = shufflevector <8 x i64> %lane, <8 x i64> poison, <8 x i32> zeroinitializer
  %whole = and i64 %count, -8
  br label %each.eight
each.eight:
  %eight = phi i64 [ 0, %0 ], [ %next.eight, %eight.words ]
  %more.eights = icmp slt i64 %eight, %whole
  br i1 %more.eights, label %eight.words, label %each
eight.words:
  %to.eight = getelementptr i64, ptr %memory, i64 %eight
  store <8 x i64> %lanes, ptr %to.eight, align 8
  %next.eight = add i64 %eight, 8
  br label %each.eight
each:
  %number = phi i64 [ %eight, %each.eight ], [ %next, %one ]
  %more = icmp slt i64 %number, %count
  br i1 %more, label %one, label %end
one:
  %to.one = getelementptr i64, ptr %memory, i64 %number
  store i64 %bits, ptr %to.one, align 8
  %next = add i64 %number, 1
  br label %each
end:
  ret void
}

; A word of the slots of a product: see `abi.PRODUCT`.
define internal i64 @word(ptr %slots, i64 %number) alwaysinline {
  %place = getelementptr i64, ptr %slots, i64 %number
  %word = load i64, ptr %place
  ret i64 %word
}

; The size of a dimension, counted from the last: terms, columns, rows, shared ones.
define internal i64 @size_at(ptr %slots, i64 %from.last) alwaysinline {
  %count = call i64 @word(ptr %slots, i64 1)
  %end = add i64 %count, 1
  %number = sub i64 %end, %from.last
  %size = call i64 @word(ptr %slots, i64 %number)
  ret i64 %size
}

; The place of the address of a factor, 0 or 1, or of the result, 2.
define internal i64 @place_of(ptr %slots, i64 %array) alwaysinline {
  %count = call i64 @word(ptr %slots, i64 1)
  %words = add i64 %count, 1
  %before = mul i64 %array, %words
  %sizes = add i64 %count, 2
  %place = add i64 %sizes, %before
  ret i64 %place
}

; The stride of an array along a dimension, counted from the last.
define internal i64 @stride_at(ptr %slots, i64 %array, i64 %from.last) alwaysinline {
  %place = call i64 @place_of(ptr %slots, i64 %array)
  %count = call i64 @word(ptr %slots, i64 1)
  %last = add i64 %place, %count
  %number = sub i64 %last, %from.last
  %stride = call i64 @word(ptr %slots, i64 %number)
  ret i64 %stride
}

; The stride of the rows of a matrix whose rows are contiguous, or 0.
define internal i64 @leading(i64 %stride, i64 %within, i64 %size) alwaysinline {
  %contiguous = icmp eq i64 %within, 1
  %apart = icmp sge i64 %stride, %size
  %fits = and i1 %contiguous, %apart
  %leading = select i1 %fits, i64 %stride, i64 0
  ret i64 %leading
}

; The leading dimension of an array, with two dimensions counted from the last: positive if it is
; row-major, negative if it is so with its axes exchanged, 0 if BLAS does not know its strides.
define internal i64 @leading_of(ptr %slots, i64 %array, i64 %row, i64 %column) alwaysinline {
  %rows = call i64 @size_at(ptr %slots, i64 %row)
  %columns = call i64 @size_at(ptr %slots, i64 %column)
  %of.row = call i64 @stride_at(ptr %slots, i64 %array, i64 %row)
  %of.column = call i64 @stride_at(ptr %slots, i64 %array, i64 %column)
  %plain = call i64 @leading(i64 %of.row, i64 %of.column, i64 %columns)
  %turned = call i64 @leading(i64 %of.column, i64 %of.row, i64 %rows)
  %is.plain = icmp ne i64 %plain, 0
  %negative = sub i64 0, %turned
  %leading = select i1 %is.plain, i64 %plain, i64 %negative
  ret i64 %leading
}

; The function of the library for the elements of a product, or null.
define internal ptr @gemm_of(ptr %slots) alwaysinline {
  %width = call i64 @word(ptr %slots, i64 0)
  %wide = icmp eq i64 %width, 8
  %place = select i1 %wide, ptr @gemm.f64, ptr @gemm.f32
  %function = load ptr, ptr %place
  ret ptr %function
}

; Whether the library multiplies arrays with such strides; of vectors, it has no product.
define internal i1 @is_known(ptr %slots) {
  %function = call ptr @gemm_of(ptr %slots)
  %exists = icmp ne ptr %function, null
  %rows = call i64 @size_at(ptr %slots, i64 2)
  %columns = call i64 @size_at(ptr %slots, i64 1)
  %several.rows = icmp sgt i64 %rows, 1
  %several.columns = icmp sgt i64 %columns, 1
  %a = call i64 @leading_of(ptr %slots, i64 0, i64 2, i64 0)
  %b = call i64 @leading_of(ptr %slots, i64 1, i64 0, i64 1)
  %c = call i64 @leading_of(ptr %slots, i64 2, i64 2, i64 1)
  %a.fits = icmp ne i64 %a, 0
  %b.fits = icmp ne i64 %b, 0
  %c.fits = icmp sgt i64 %c, 0
  %fit.0 = and i1 %exists, %several.rows
  %fit.1 = and i1 %fit.0, %several.columns
  %fit.2 = and i1 %fit.1, %a.fits
  %fit.3 = and i1 %fit.2, %b.fits
  %fit.4 = and i1 %fit.3, %c.fits
  ret i1 %fit.4
}

; The number of matrices of a product: the shared sizes, multiplied.
define internal i64 @matrices(ptr %slots) {
  %count = call i64 @word(ptr %slots, i64 1)
  br label %dimension
dimension:
  %number = phi i64 [ 3, %0 ], [ %next, %one ]
  %product = phi i64 [ 1, %0 ], [ %more, %one ]
  %over = icmp sge i64 %number, %count
  br i1 %over, label %end, label %one
one:
  %size = call i64 @size_at(ptr %slots, i64 %number)
  %more = mul i64 %product, %size
  %next = add i64 %number, 1
  br label %dimension
end:
  ret i64 %product
}

; The address of an element of an array: in matrix m, at a step along one of the other dimensions.
define internal ptr @element_of(ptr %slots, i64 %array, i64 %matrix, i64 %along, i64 %step) {
  %count = call i64 @word(ptr %slots, i64 1)
  %stride.along = call i64 @stride_at(ptr %slots, i64 %array, i64 %along)
  %first = mul i64 %step, %stride.along
  br label %dimension
dimension:
  %number = phi i64 [ 3, %0 ], [ %next, %one ]
  %rest = phi i64 [ %matrix, %0 ], [ %others, %one ]
  %offset = phi i64 [ %first, %0 ], [ %more, %one ]
  %over = icmp sge i64 %number, %count
  br i1 %over, label %end, label %one
one:
  %size = call i64 @size_at(ptr %slots, i64 %number)
  %stride = call i64 @stride_at(ptr %slots, i64 %array, i64 %number)
  %at = urem i64 %rest, %size
  %others = udiv i64 %rest, %size
  %distance = mul i64 %at, %stride
  %more = add i64 %offset, %distance
  %next = add i64 %number, 1
  br label %dimension
end:
  %width = call i64 @word(ptr %slots, i64 0)
  %bytes = mul i64 %offset, %width
  %place = call i64 @place_of(ptr %slots, i64 %array)
  %to.array = getelementptr ptr, ptr %slots, i64 %place
  %address = load ptr, ptr %to.array
  %element = getelementptr i8, ptr %address, i64 %bytes
  ret ptr %element
}

; Compute some pieces of a product. The context has its slots, the number of parts of a matrix, and the
; dimension that is cut, counted from the last: 1 for columns, 2 for rows. Piece p is part p mod parts
; of matrix p / parts.
define internal i64 @multiply_pieces(ptr %call, ptr %context, i64 %low, i64 %high) {
  %slots = load ptr, ptr %context
  %parts = call i64 @word(ptr %context, i64 1)
  %cut = call i64 @word(ptr %context, i64 2)
  %function = call ptr @gemm_of(ptr %slots)
  %rows = call i64 @size_at(ptr %slots, i64 2)
  %columns = call i64 @size_at(ptr %slots, i64 1)
  %terms = call i64 @size_at(ptr %slots, i64 0)
  %a.signed = call i64 @leading_of(ptr %slots, i64 0, i64 2, i64 0)
  %b.signed = call i64 @leading_of(ptr %slots, i64 1, i64 0, i64 1)
  %c.leading = call i64 @leading_of(ptr %slots, i64 2, i64 2, i64 1)
  %a.leading = call i64 @llvm.abs.i64(i64 %a.signed, i1 true)
  %b.leading = call i64 @llvm.abs.i64(i64 %b.signed, i1 true)
  %a.is.plain = icmp sgt i64 %a.signed, 0
  %b.is.plain = icmp sgt i64 %b.signed, 0
  %a.order = select i1 %a.is.plain, i32 111, i32 112
  %b.order = select i1 %b.is.plain, i32 111, i32 112
  %cuts.rows = icmp eq i64 %cut, 2
  %cut.size = select i1 %cuts.rows, i64 %rows, i64 %columns
  %width = call i64 @word(ptr %slots, i64 0)
  %wide = icmp eq i64 %width, 8
  br label %each
each:
  %piece = phi i64 [ %low, %0 ], [ %following, %next ]
  %over = icmp sge i64 %piece, %high
  br i1 %over, label %end, label %one
one:
  %matrix = udiv i64 %piece, %parts
  %part = urem i64 %piece, %parts
  %after = add i64 %part, 1
  %start = call i64 @start_of(i64 %part, i64 %cut.size, i64 %parts)
  %stop = call i64 @start_of(i64 %after, i64 %cut.size, i64 %parts)
  %some = sub i64 %stop, %start
  %m = select i1 %cuts.rows, i64 %some, i64 %rows
  %n = select i1 %cuts.rows, i64 %columns, i64 %some
  %a = call ptr @element_of(ptr %slots, i64 0, i64 %matrix, i64 %cut, i64 %start)
  %b = call ptr @element_of(ptr %slots, i64 1, i64 %matrix, i64 %cut, i64 %start)
  %c = call ptr @element_of(ptr %slots, i64 2, i64 %matrix, i64 %cut, i64 %start)
  br i1 %wide, label %f64, label %f32
f64:
  call void %function(i32 101, i32 %a.order, i32 %b.order, i64 %m, i64 %n, i64 %terms,
                      double 1.0, ptr %a, i64 %a.leading, ptr %b, i64 %b.leading,
                      double 0.0, ptr %c, i64 %c.leading)
  br label %next
f32:
  call void %function(i32 101, i32 %a.order, i32 %b.order, i64 %m, i64 %n, i64 %terms,
                      float 1.0, ptr %a, i64 %a.leading, ptr %b, i64 %b.leading,
                      float 0.0, ptr %c, i64 %c.leading)
  br label %next
next:
  %following = add i64 %piece, 1
  br label %each
end:
  ret i64 0
}

; The number of parts of a matrix of a product: a power of two, by its sizes alone. Each part has 256 rows
; or columns, and 2^22 multiplications: the library copies the other factor for each.
define internal i64 @parts_of(i64 %size, i64 %work) {
  %by.size = lshr i64 %size, 8
  %by.work = lshr i64 %work, 22
  %most = call i64 @llvm.umin.i64(i64 %by.size, i64 %by.work)
  %bounded = call i64 @llvm.umin.i64(i64 %most, i64 64)
  %some = or i64 %bounded, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %some, i1 false)
  %power = sub i64 63, %zeros
  %parts = shl i64 1, %power
  ret i64 %parts
}

; A product of matrices with the slots of `abi.PRODUCT`: by BLAS, on the threads of the pool if there are
; several pieces. For vectors, for a matrix times its own elements and for strides that BLAS does
; not know, by the host program. With fewer than %least multiplications, and without a host program, in
; loops.
define i64 @ein_product(ptr %call, ptr %slots, i64 %least) {
  %context = alloca [3 x i64]
  %matrices = call i64 @matrices(ptr %slots)
  %rows = call i64 @size_at(ptr %slots, i64 2)
  %columns = call i64 @size_at(ptr %slots, i64 1)
  %terms = call i64 @size_at(ptr %slots, i64 0)
  %results = mul i64 %rows, %columns
  %work = mul i64 %results, %terms
  %all.work = mul i64 %work, %matrices
  %to.host = getelementptr i64, ptr %call, i64 2
  %host = load i64, ptr %to.host
  %small = icmp slt i64 %all.work, %least
  %no.host = icmp eq i64 %host, 0
  %here = or i1 %small, %no.host
  br i1 %here, label %plainly, label %large
plainly:
  call void @multiply_plainly(ptr %slots, i64 %matrices)
  ret i64 0
large:
  %known = call i1 @is_known(ptr %slots)
  br i1 %known, label %compare, label %other
compare:
  %a = call ptr @element_of(ptr %slots, i64 0, i64 0, i64 0, i64 0)
  %b = call ptr @element_of(ptr %slots, i64 1, i64 0, i64 0, i64 0)
  %same = icmp eq ptr %a, %b
  br i1 %same, label %other, label %plan
plan:
  %is.wide = icmp sgt i64 %columns, %rows
  %cut = select i1 %is.wide, i64 1, i64 2
  %size = select i1 %is.wide, i64 %columns, i64 %rows
  %parts = call i64 @parts_of(i64 %size, i64 %work)
  %to.parts = getelementptr i64, ptr %context, i64 1
  %to.cut = getelementptr i64, ptr %context, i64 2
  store ptr %slots, ptr %context
  store i64 %parts, ptr %to.parts
  store i64 %cut, ptr %to.cut
  %pieces = mul i64 %matrices, %parts
  %single = icmp eq i64 %pieces, 1
  br i1 %single, label %alone, label %share
alone:
  %code.alone = call i64 @multiply_pieces(ptr %call, ptr %context, i64 0, i64 1)
  ret i64 %code.alone
share:
  %threads = lshr i64 %all.work, 17
  call void @begin_products()
  %code.shared = call i64 @share(ptr %call, ptr @multiply_pieces, ptr %context, i64 %pieces, i64 %threads)
  call void @end_products()
  ret i64 %code.shared
other:
  %code = call i64 @ein_extern(ptr %call, i64 -1, ptr %slots)
  ret i64 %code
}

; The same on this thread alone, which may be one without an interpreter.
define void @ein_product_here(ptr %slots) {
  %context = alloca [3 x i64]
  %known = call i1 @is_known(ptr %slots)
  %matrices = call i64 @matrices(ptr %slots)
  br i1 %known, label %multiply, label %other
multiply:
  %to.parts = getelementptr i64, ptr %context, i64 1
  %to.cut = getelementptr i64, ptr %context, i64 2
  store ptr %slots, ptr %context
  store i64 1, ptr %to.parts
  store i64 2, ptr %to.cut
  call void @begin_products()
  %code = call i64 @multiply_pieces(ptr null, ptr %context, i64 0, i64 %matrices)
  call void @end_products()
  ret void
other:
  call void @multiply_plainly(ptr %slots, i64 %matrices)
  ret void
}

; All matrices of a product, without BLAS.
define internal void @multiply_plainly(ptr %slots, i64 %matrices) {
  %width = call i64 @word(ptr %slots, i64 0)
  %wide = icmp eq i64 %width, 8
  br label %each
each:
  %matrix = phi i64 [ 0, %0 ], [ %next.f64, %f64 ], [ %next.f32, %f32 ]
  %over = icmp sge i64 %matrix, %matrices
  br i1 %over, label %end, label %one
one:
  %a = call ptr @element_of(ptr %slots, i64 0, i64 %matrix, i64 2, i64 0)
  %b = call ptr @element_of(ptr %slots, i64 1, i64 %matrix, i64 2, i64 0)
  %c = call ptr @element_of(ptr %slots, i64 2, i64 %matrix, i64 2, i64 0)
  br i1 %wide, label %f64, label %f32
f64:
  call void @multiply_matrix.double(ptr %slots, ptr %a, ptr %b, ptr %c)
  %next.f64 = add i64 %matrix, 1
  br label %each
f32:
  call void @multiply_matrix.float(ptr %slots, ptr %a, ptr %b, ptr %c)
  %next.f32 = add i64 %matrix, 1
  br label %each
end:
  ret void
}

; Threads ------------------------------------------------------------------------------------------

@taken = internal global i64 0
@process = internal global i32 0
@workers = internal global i64 0
@mutex = internal global [32 x i64] zeroinitializer, align 64
@work = internal global [32 x i64] zeroinitializer, align 64
@finished = internal global [32 x i64] zeroinitializer, align 64

; The number of loops so far, and the threads that the current one wants: the caller is thread 0.
@round = internal global i64 0, align 64
@wanted = internal global i64 0

; The workers in the current loop, and 2^32 as long as others may enter it. Workers that are awake take
; no mutex: one that waits for a mutex falls asleep.
@gate = internal global i64 0, align 64
@caller.sleeps = internal global i64 0

; The current loop: its function and that function's first two arguments, the steps, the pieces.
@function = internal global ptr null, align 64
@call = internal global ptr null
@context = internal global ptr null
@steps = internal global i64 0
@pieces = internal global i64 0
@shares = internal global i64 0
@failure = internal global i64 0, align 64

; The next piece of each share, a line of the cache for each: threads beyond 64 have one with others.
@next = internal global [64 x [8 x i64]] zeroinitializer, align 64

; Run pieces of the current loop until none is left, those of the share of a thread first. Piece p has
; the steps from p * n / pieces, and share s the pieces from s * pieces / shares.
define internal void @run_pieces(i64 %thread) {
  %function = load ptr, ptr @function
  %call = load ptr, ptr @call
  %context = load ptr, ptr @context
  %steps = load i64, ptr @steps
  %pieces = load i64, ptr @pieces
  %shares = load i64, ptr @shares
  br label %share
share:
  %number = phi i64 [ 0, %0 ], [ %more, %other ]
  %place = add i64 %thread, %number
  %own = urem i64 %place, %shares
  %after.own = add i64 %own, 1
  %stop = call i64 @start_of(i64 %after.own, i64 %pieces, i64 %shares)
  %next = getelementptr [8 x i64], ptr @next, i64 %own
  br label %again
again:
  %piece = atomicrmw add ptr %next, i64 1 monotonic
  %after = icmp uge i64 %piece, %stop
  br i1 %after, label %other, label %check
other:
  %more = add i64 %number, 1
  %over = icmp eq i64 %more, %shares
  br i1 %over, label %end, label %share
check:
  %failure = load atomic i64, ptr @failure monotonic, align 8
  %failed = icmp ne i64 %failure, 0
  br i1 %failed, label %end, label %run
run:
  %following = add i64 %piece, 1
  %low = call i64 @start_of(i64 %piece, i64 %steps, i64 %pieces)
  %high = call i64 @start_of(i64 %following, i64 %steps, i64 %pieces)
  %code = call i64 %function(ptr %call, ptr %context, i64 %low, i64 %high)
  %bad = icmp ne i64 %code, 0
  br i1 %bad, label %fail, label %again
fail:
  store atomic i64 %code, ptr @failure monotonic, align 8
  br label %end
end:
  ret void
}

define internal i64 @start_of(i64 %piece, i64 %steps, i64 %pieces) {
  %each = udiv i64 %steps, %pieces
  %rest = urem i64 %steps, %pieces
  %even = mul i64 %piece, %each
  %more = call i64 @llvm.umin.i64(i64 %piece, i64 %rest)
  %start = add i64 %even, %more
  ret i64 %start
}

; A worker: wait for a loop that wants it, first awake, then asleep; run pieces; say when done. The
; argument is its number, from 1.
define internal ptr @worker(ptr %argument) {
  %thread = ptrtoint ptr %argument to i64
  br label %wait
wait:
  %seen = phi i64 [ 0, %0 ], [ %round, %leave ], [ %round, %look ], [ %round, %tell ]
  br label %awake
awake:
  %turns = phi i64 [ 0, %wait ], [ %more.turns, %turn ]
  %now = load atomic i64, ptr @round acquire, align 8
  %changed = icmp ne i64 %now, %seen
  %tired = icmp uge i64 %turns, 300
  %stop = or i1 %changed, %tired
  br i1 %stop, label %sleep, label %turn
turn:
  call void @pause()
  %more.turns = add i64 %turns, 1
  br label %awake
sleep:
  br i1 %changed, label %enter, label %lie.down
lie.down:
  %lock.0 = call i32 @pthread_mutex_lock(ptr @mutex)
  br label %asleep
asleep:
  %later = load atomic i64, ptr @round acquire, align 8
  %same = icmp eq i64 %later, %seen
  br i1 %same, label %doze, label %woken
doze:
  %wait.0 = call i32 @pthread_cond_wait(ptr @work, ptr @mutex)
  br label %asleep
woken:
  %unlock.0 = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %enter
enter:
  %round = phi i64 [ %now, %sleep ], [ %later, %woken ]
  %gate = atomicrmw add ptr @gate, i64 1 acquire
  %open = icmp uge i64 %gate, 4294967296
  br i1 %open, label %check, label %leave
check:
  %wanted = load i64, ptr @wanted
  %is.wanted = icmp ult i64 %thread, %wanted
  br i1 %is.wanted, label %join, label %leave
join:
  call void @run_pieces(i64 %thread)
  br label %leave
leave:
  %then = atomicrmw sub ptr @gate, i64 1 seq_cst
  %last = icmp eq i64 %then, 1
  br i1 %last, label %look, label %wait
look:
  %sleeps = load atomic i64, ptr @caller.sleeps seq_cst, align 8
  %asleep.1 = icmp ne i64 %sleeps, 0
  br i1 %asleep.1, label %tell, label %wait
tell:
  %lock.1 = call i32 @pthread_mutex_lock(ptr @mutex)
  %signal.1 = call i32 @pthread_cond_signal(ptr @finished)
  %unlock.1 = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %wait
}

; Prepare the pool, in this process: the threads of another stayed there when it was forked.
define internal void @prepare() {
  %process = call i32 @getpid()
  %known = load i32, ptr @process
  %same = icmp eq i32 %process, %known
  br i1 %same, label %end, label %start
start:
  store i64 0, ptr @workers
  store i64 0, ptr @gate
  store i64 0, ptr @caller.sleeps
  store i64 0, ptr @round
  %1 = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %2 = call i32 @pthread_cond_init(ptr @work, ptr null)
  %3 = call i32 @pthread_cond_init(ptr @finished, ptr null)
  store i32 %process, ptr @process
  br label %end
end:
  ret void
}

; Start workers until there are enough, or the system has no more; return how many there are.
define internal i64 @start_workers(i64 %enough) {
  %thread = alloca i64
  br label %again
again:
  %workers = load i64, ptr @workers
  %done = icmp uge i64 %workers, %enough
  br i1 %done, label %end, label %start
start:
  %more = add i64 %workers, 1
  %number = inttoptr i64 %more to ptr
  %error = call i32 @pthread_create(ptr %thread, ptr null, ptr @worker, ptr %number)
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %end, label %started
started:
  %handle = load ptr, ptr %thread
  %ignored = call i32 @pthread_detach(ptr %handle)
  store i64 %more, ptr @workers
  br label %again
end:
  ret i64 %workers
}

; Set the next piece of each share to its first.
define internal void @start_shares(i64 %pieces, i64 %shares) {
  br label %share
share:
  %number = phi i64 [ 0, %0 ], [ %more, %share ]
  %first = call i64 @start_of(i64 %number, i64 %pieces, i64 %shares)
  %next = getelementptr [8 x i64], ptr @next, i64 %number
  store atomic i64 %first, ptr %next monotonic, align 8
  %more = add i64 %number, 1
  %over = icmp eq i64 %more, %shares
  br i1 %over, label %end, label %share
end:
  ret void
}

; Forget a loop that another process was running when this one was forked.
define void @ein_after_fork() {
  call void @forget_products()
  store atomic i64 0, ptr @taken release, align 8
  ret void
}

; Run the steps of one or two loops, on as many threads as there is work for; return 0, or the code of
; a piece that failed. The context has their steps from its second word on. One is split: the first,
; unless it has fewer than 16 steps, and fewer than the second.
define i64 @ein_parallel(ptr %call, ptr %function, ptr %context, i64 %loops, i64 %threads.worth) {
  %to.first = getelementptr i64, ptr %context, i64 1
  %first = load i64, ptr %to.first
  %two = icmp ugt i64 %loops, 1
  br i1 %two, label %compare, label %split
compare:
  %to.second = getelementptr i64, ptr %context, i64 2
  %second = load i64, ptr %to.second
  %few = icmp slt i64 %first, 16
  %fewer = icmp slt i64 %first, %second
  %inner = and i1 %few, %fewer
  %more = select i1 %inner, i64 %second, i64 %first
  br label %split
split:
  %is.second = phi i1 [ false, %0 ], [ %inner, %compare ]
  %steps = phi i64 [ %first, %0 ], [ %more, %compare ]
  %axis = zext i1 %is.second to i64
  store i64 %axis, ptr %context
  %code = call i64 @share(ptr %call, ptr %function, ptr %context, i64 %steps, i64 %threads.worth)
  ret i64 %code
}

; Have a function compiled that is compiled late, if it is not yet: threads of the pool, which have no
; interpreter, may call it then.
define i64 @ein_ask_late(ptr %call, ptr %function) {
  %code = call i64 %function(ptr %call, ptr null, i64 0, i64 0)
  ret i64 %code
}

; The same as ein_parallel of a function that is compiled when it first has steps to run.
define i64 @ein_parallel_late(ptr %call, ptr %function, ptr %context, i64 %loops, i64 %threads.worth) {
  %to.first = getelementptr i64, ptr %context, i64 1
  %first = load i64, ptr %to.first
  %to.last = getelementptr i64, ptr %context, i64 %loops
  %last = load i64, ptr %to.last
  %none.first = icmp eq i64 %first, 0
  %none.last = icmp eq i64 %last, 0
  %none = or i1 %none.first, %none.last
  br i1 %none, label %end, label %ask
ask:
  %failure = call i64 @ein_ask_late(ptr %call, ptr %function)
  %failed = icmp ne i64 %failure, 0
  br i1 %failed, label %end, label %run
run:
  %code = call i64 @ein_parallel(ptr %call, ptr %function, ptr %context, i64 %loops, i64 %threads.worth)
  br label %end
end:
  %result = phi i64 [ 0, %0 ], [ %failure, %ask ], [ %code, %run ]
  ret i64 %result
}

; Wait until the last worker is done. A call that may stop wakes up ten times in a second: once it is
; to stop, no piece begins, and those that run end when they ask.
define internal void @wait_for_workers(ptr %call) {
  %limit = alloca [2 x i64]
  %to.watch = getelementptr ptr, ptr %call, i64 4
  %watch = load ptr, ptr %to.watch
  %never = icmp eq ptr %watch, null
  br i1 %never, label %wait, label %wait.a.while
wait:
  %wait.0 = call i32 @pthread_cond_wait(ptr @finished, ptr @mutex)
  ret void
wait.a.while:
  %now = call i64 @time_now()
  %then = add i64 %now, 100000000
  %seconds = udiv i64 %then, 1000000000
  %part = urem i64 %then, 1000000000
  %to.part = getelementptr i64, ptr %limit, i64 1
  store i64 %seconds, ptr %limit
  store i64 %part, ptr %to.part
  %wait.1 = call i32 @pthread_cond_timedwait(ptr @finished, ptr @mutex, ptr %limit)
  %unlock = call i32 @pthread_mutex_unlock(ptr @mutex)
  %code = call preserve_mostcc i64 @ein_ask(ptr %call)
  %lock = call i32 @pthread_mutex_lock(ptr @mutex)
  %stops = icmp ne i64 %code, 0
  br i1 %stops, label %stop, label %end
stop:
  store atomic i64 %code, ptr @failure monotonic, align 8
  br label %end
end:
  ret void
}

; Run the steps of a loop. The fourth word of a call is the number of threads that it may use.
define internal i64 @share(ptr %call, ptr %function, ptr %context, i64 %steps, i64 %threads.worth) {
  %to.threads = getelementptr i64, ptr %call, i64 3
  %allowed = load i64, ptr %to.threads
  %useful = call i64 @llvm.umin.i64(i64 %threads.worth, i64 %steps)
  %threads = call i64 @llvm.umin.i64(i64 %allowed, i64 %useful)
  %single = icmp ule i64 %threads, 1
  br i1 %single, label %alone, label %try
try:
  %pair = cmpxchg ptr @taken, i64 0, i64 1 acquire monotonic
  %ours = extractvalue { i64, i1 } %pair, 1
  br i1 %ours, label %begin, label %alone
alone:
  %direct = call i64 %function(ptr %call, ptr %context, i64 0, i64 %steps)
  ret i64 %direct
begin:
  call void @prepare()
  %others = sub i64 %threads, 1
  %workers = call i64 @start_workers(i64 %others)
  store ptr %function, ptr @function
  store ptr %call, ptr @call
  store ptr %context, ptr @context
  store i64 %steps, ptr @steps
  %wished = mul i64 %threads, 4
  %pieces = call i64 @llvm.umin.i64(i64 %wished, i64 %steps)
  store i64 %pieces, ptr @pieces
  %shares = call i64 @llvm.umin.i64(i64 %threads, i64 64)
  store i64 %shares, ptr @shares
  call void @start_shares(i64 %pieces, i64 %shares)
  store atomic i64 0, ptr @failure monotonic, align 8
  store i64 %threads, ptr @wanted
  %closed = atomicrmw or ptr @gate, i64 4294967296 release
  %before = atomicrmw add ptr @round, i64 1 release
  %lock.0 = call i32 @pthread_mutex_lock(ptr @mutex)
  %broadcast.0 = call i32 @pthread_cond_broadcast(ptr @work)
  %unlock.0 = call i32 @pthread_mutex_unlock(ptr @mutex)
  call void @run_pieces(i64 0)
  %opened = atomicrmw and ptr @gate, i64 4294967295 monotonic
  br label %awake
awake:
  %turns = phi i64 [ 0, %begin ], [ %more.turns, %turn ]
  %running = load atomic i64, ptr @gate acquire, align 8
  %finished = icmp eq i64 %running, 0
  br i1 %finished, label %end, label %check
check:
  %tired = icmp uge i64 %turns, 300
  br i1 %tired, label %sleep, label %turn
turn:
  call void @pause()
  %more.turns = add i64 %turns, 1
  br label %awake
sleep:
  store atomic i64 1, ptr @caller.sleeps seq_cst, align 8
  %lock.2 = call i32 @pthread_mutex_lock(ptr @mutex)
  br label %asleep
asleep:
  %left = load atomic i64, ptr @gate seq_cst, align 8
  %over = icmp eq i64 %left, 0
  br i1 %over, label %woken, label %doze
doze:
  call void @wait_for_workers(ptr %call)
  br label %asleep
woken:
  store atomic i64 0, ptr @caller.sleeps monotonic, align 8
  %unlock.2 = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %end
end:
  %code = load atomic i64, ptr @failure monotonic, align 8
  store atomic i64 0, ptr @taken release, align 8
  ret i64 %code
}
