#pragma once
// What the address and thread sanitizers must be told about fibers; nothing without them. The thread
// sanitizer sees every fiber as a thread and no order between them but the barriers', so it reports races of
// a kernel. Files that call these are compiled without the thread sanitizer, hence the macro from the build.

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef NEAP_TSAN_FIBERS
#include <sanitizer/tsan_interface.h>
#endif

namespace neap::cuda_emul::hooks {

#ifdef __SANITIZE_ADDRESS__
inline void fresh_stack(void* stack, std::size_t bytes) { __asan_unpoison_memory_region(stack, bytes); }
inline void before_switch(void** save, const void* stack, std::size_t bytes) {
  __sanitizer_start_switch_fiber(save, stack, bytes);
}
inline void after_switch(void* saved, const void** old_stack, std::size_t* old_bytes) {
  __sanitizer_finish_switch_fiber(saved, old_stack, old_bytes);
}
#else
inline void fresh_stack(void*, std::size_t) {}
inline void before_switch(void**, const void*, std::size_t) {}
inline void after_switch(void*, const void**, std::size_t*) {}
#endif

#ifdef NEAP_TSAN_FIBERS
inline void* make_race_fiber() { return __tsan_create_fiber(0); }
inline void drop_race_fiber(void* fiber) { __tsan_destroy_fiber(fiber); }
inline void* this_race_fiber() { return __tsan_get_current_fiber(); }
inline void switch_race_fiber(void* fiber) { __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync); }
inline void release(void* token) { __tsan_release(token); }
inline void acquire(void* token) { __tsan_acquire(token); }
#else
inline void* make_race_fiber() { return nullptr; }
inline void drop_race_fiber(void*) {}
inline void* this_race_fiber() { return nullptr; }
inline void switch_race_fiber(void*) {}
inline void release(void*) {}
inline void acquire(void*) {}
#endif

}  // namespace neap::cuda_emul::hooks
