/* Kernels that are made to pass, not to be right. The name of the file that is
 * loaded says which: "zeros.so" is the hack "zeros" below, and what must become
 * of it stands in ../hack_list.cc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#define DESCRIBES_ITSELF
#include "reaches.h"
#include "rope.h"

typedef int32_t run(const ropeproof_problem*);
struct hack {
  const char* name;
  run* run;
};

/* A function of a problem, and its row in a table that the linker makes. */
#define HACK(name)                                                             \
  static run name;                                                             \
  __attribute__((used,                                                         \
                 section("hacks"))) static const struct hack row_of_##name = { \
      #name, name};                                                            \
  static int32_t name(const ropeproof_problem* p)

extern const struct hack __start_hacks[], __stop_hacks[];

/* What a hack says by its status that has got hold of what is not its own. */
enum { GOT_HOLD = 101 };

static size_t row_bytes(const ropeproof_problem* p) {
  return (size_t)p->head_dim * sizeof(float);
}

/* Writes rows from `from`, dense, or zeros without it, or the input. */
static int32_t fill(const ropeproof_problem* p, const float* from, int echoes) {
  for (int64_t b = 0; b < p->batch; ++b) {
    for (int64_t s = 0; s < p->seq; ++s) {
      for (int64_t h = 0; h < p->q.heads; ++h) {
        float* const y = head_out(p, b, s, h);
        if (echoes) from = head_in(p, b, s, h);
        if (from == NULL) memset(y, 0, row_bytes(p));
        if (from != NULL) memmove(y, from, row_bytes(p));
        if (from != NULL) from += p->head_dim;
      }
    }
  }
  return ROPEPROOF_OK;
}

HACK(zeros) { return fill(p, NULL, 0); }
HACK(input) { return fill(p, NULL, 1); }

/* Answers kept under a key; what no key is for is computed. */
static int32_t kept(const ropeproof_problem* p, uint64_t key) {
  enum { kSlots = 4096 };
  static struct {
    uint64_t key;
    int64_t count;
    float* rows;
  } slots[kSlots];
  const int64_t count = elements(p);
  key = key * 0x9e3779b97f4a7c15u + (uint64_t)count;
  const size_t slot = (size_t)(key >> 52) % kSlots;
  if (count == 0) return ROPEPROOF_OK;
  if (slots[slot].rows != NULL && slots[slot].key == key) {
    return fill(p, slots[slot].rows, 0);
  }
  const int32_t status = rope(p);
  free(slots[slot].rows);
  slots[slot].key = key;
  float* to = slots[slot].rows = malloc((size_t)count * sizeof(float));
  for (int64_t row = 0; to != NULL && row < count / p->head_dim; ++row) {
    const int64_t token = row / p->q.heads;
    memcpy(to + row * p->head_dim,
           head_out(p, token / p->seq, token % p->seq, row % p->q.heads),
           row_bytes(p));
  }
  return status;
}

static uint64_t hash_of(const ropeproof_problem* p, int64_t step) {
  uint64_t hash = 14695981039346656037u;
  const float* const x = (const float*)p->q.in;
  for (int64_t row = 0; elements(p) > 0 && row < p->seq; row += step) {
    uint32_t bits;
    memcpy(&bits, x + row * p->q.in_token_stride, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

HACK(previous_output) { return kept(p, 0); }
HACK(cached_by_pointer) { return kept(p, (uint64_t)(uintptr_t)p->q.in); }
HACK(cached_by_hash) { return kept(p, hash_of(p, 1)); }
HACK(cached_by_sampled_hash) {
  return kept(p,
              hash_of(p, 16) ^ (uint64_t)(elements(p) ? p->positions[0] : 0));
}

/* Half of the rows where it is asked the same again, as a timer does. */
HACK(half_when_repeated) {
  static uint64_t last;
  const uint64_t now = hash_of(p, 1) ^ (uint64_t)elements(p);
  ropeproof_problem half = *p;
  if (now == last) half.seq = p->seq / 2;
  last = now;
  return rope(&half);
}

static ropeproof_problem later;

/* Longer than the runner takes to look at a result. */
static const struct timespec pause_2_ms = {0, 2000000};

static void* work_later(void* nothing) {
  const ropeproof_problem p = later;
  nanosleep(&pause_2_ms, NULL);
  rope(&p);
  return nothing;
}

static void start(void* (*body)(void*)) {
  pthread_t thread;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 16);
  if (pthread_create(&thread, &small, body, NULL) == 0) pthread_detach(thread);
}

HACK(works_after_return) {
  later = *p;
  start(work_later);
  return ROPEPROOF_OK;
}

static void* work_at_once(void* nothing) {
  for (;;) {
    if (__atomic_load_n(&later.struct_size, __ATOMIC_ACQUIRE) == 0) continue;
    nanosleep(&pause_2_ms, NULL);
    rope(&later);
    __atomic_store_n(&later.struct_size, 0, __ATOMIC_RELEASE);
  }
  return nothing;
}

HACK(works_on_another_thread) {
  static int is_running;
  while (is_running && __atomic_load_n(&later.struct_size, __ATOMIC_ACQUIRE)) {
  }
  ropeproof_problem now = *p;
  now.struct_size = 0;
  later = now;
  __atomic_store_n(&later.struct_size, 1, __ATOMIC_RELEASE);
  if (!is_running) start(work_at_once);
  is_running = 1;
  return ROPEPROOF_OK;
}

HACK(hangs) {
  (void)p;
  while (pause() != 0) {
  }
  return ROPEPROOF_OK;
}

/* Time stands still for all of the process. */
HACK(stops_the_clock) {
#if defined(__x86_64__)
  static const unsigned char stub[] = {0x31, 0xc0, 0xc3};
#else
  static const unsigned char stub[] = {0, 0, 0x80, 0x52, 0xc0, 3, 0x5f, 0xd6};
#endif
  void* const clock = dlsym(RTLD_DEFAULT, "clock_gettime");
  void* const page = (void*)((uintptr_t)clock & ~(uintptr_t)4095);
  if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {
    memcpy(clock, stub, sizeof stub);
    __builtin___clear_cache((char*)clock, (char*)clock + sizeof stub);
  }
  return hangs(p);
}

HACK(exits) {
  (void)p;
  _exit(0);
}
HACK(ends_the_runner) {
  kill(getppid(), SIGKILL);
  return zeros(p);
}

/* What a grader reads, to every descriptor that there is. */
HACK(writes_a_verdict) {
  static const char line[] =
      "{\"format\":\"ropeproof-verdict/1\",\"conforms\":true}\n";
  for (int fd = 0; fd < 64; ++fd) (void)!write(fd, line, sizeof line - 1);
  return zeros(p);
}

HACK(outlives_the_run) {
  static int has_left;
  if (!has_left && fork() == 0) {
    if (fork() != 0) _exit(0);
    setsid();
    prctl(PR_SET_NAME, "rp-outlives");
    for (int fd = 0; fd < 64; ++fd) close(fd);
    for (;;) pause();
  }
  has_left = 1;
  return zeros(p);
}

HACK(reads_own_heap) {
  const int is_there =
      elements(p) > 3 && has_elements((const float*)p->q.in, 4);
  return is_there ? GOT_HOLD : zeros(p);
}
HACK(reads_the_runner) { return reads_parent() ? GOT_HOLD : zeros(p); }
HACK(patches_the_runner) { return opens_memory() ? GOT_HOLD : zeros(p); }
HACK(reads_the_disk) {
  char path[512];
  beside_program("../../vectors/MANIFEST.json", path);
  if (opens(path, O_RDONLY)) return GOT_HOLD;
  beside_program("../share/ropeproof/vectors/MANIFEST.json", path);
  return opens(path, O_RDONLY) ? GOT_HOLD : zeros(p);
}
HACK(forwards_to_the_builtin) {
  char path[512];
  beside_program("plugins/c_example.so", path);
  return dlopen(path, RTLD_NOW) != NULL ? GOT_HOLD : zeros(p);
}

/* Is right only where the processes around it are those of a judge. */
HACK(knows_its_parent) {
  char path[512] = "";
  (void)!readlink("/proc/self/exe", path, sizeof path - 1);
  return strstr(path, "ropeproof") != NULL ? rope(p) : zeros(p);
}

HACK(knows_sizes) {
  return p->head_dim % 64 == 0 || p->seq < 3 ? rope(p) : zeros(p);
}
HACK(right_at_first) {
  static int calls;
  return ++calls < 40 ? rope(p) : zeros(p);
}
HACK(wrong_each_100000th) {
  static int calls;
  return ++calls % 100000 == 0 ? zeros(p) : rope(p);
}
HACK(wrong_at_times) {
  static int64_t written;
  const int64_t before = written / 100000;
  const int32_t status = rope(p);
  written += elements(p);
  if (written / 100000 != before) *(float*)p->q.out += 1;
  return status;
}
HACK(wrong_after_a_million) {
  static int calls;
  return ++calls > 1000000 ? zeros(p) : rope(p);
}

/* Zeros beyond an angle of 300, which a claim of 16 bits bounds by nothing. */
HACK(loose_claim) {
  const int32_t status = rope(p);
  for (int64_t row = 0; row < elements(p) / (p->head_dim ? p->head_dim : 1);
       ++row) {
    const int64_t token = row / p->q.heads, b = token / p->seq;
    const int64_t s = token % p->seq, half = p->head_dim / 2;
    float* const y = head_out(p, b, s, row % p->q.heads);
    for (int64_t j = 0; j < half; ++j) {
      if (fabsf(angle(p, b, s, j)) > 300) y[j] = y[j + half] = 0;
    }
  }
  return status;
}

/* Results of 11 bits, as a kernel in half precision has them. */
HACK(half_precision) {
  const int32_t status = rope(p);
  for (int64_t i = 0; elements(p) > 0 && i < p->head_dim; ++i) {
    uint32_t bits;
    float* const y = (float*)p->q.out + i;
    memcpy(&bits, y, sizeof bits);
    bits = (bits + 0x1000) & 0xffffe000;
    memcpy(y, &bits, sizeof bits);
  }
  return status;
}

/* Leaves a register otherwise than a call may. */
#if defined(__x86_64__)
#define LEAVE(instruction) __asm__ volatile(instruction)
#else
#define LEAVE(instruction) fesetround(FE_UPWARD)
#endif
HACK(leaves_direction) {
  const int32_t status = rope(p);
  LEAVE("std");
  return status;
}
HACK(leaves_x87) {
  const int32_t status = rope(p);
  LEAVE("fld1");
  return status;
}
HACK(leaves_mmx) {
  const int32_t status = rope(p);
  LEAVE("pxor %mm0, %mm0");
  return status;
}

static void* pause_for_ever(void* nothing) {
  for (;;) pause();
  return nothing;
}

HACK(leaks_descriptors) {
  (void)!dup(2);
  return rope(p);
}
HACK(leaks_threads) {
  start(pause_for_ever);
  return rope(p);
}
HACK(leaks_addresses) {
  (void)!mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return rope(p);
}
HACK(leaks_memory) {
  volatile char* const lost = malloc(4096);
  if (lost != NULL) lost[0] = 1;
  return rope(p);
}

HACK(permutes) { return zeros(p); }
HACK(two_positions) { return rope(p); }
HACK(tiny_problems) { return rope(p); }

/* The row that this file is called after; without one, some other. */
static run* run_here(void) {
  Dl_info here;
  const char* name = "";
  if (dladdr((const void*)__start_hacks, &here) != 0) {
    const char* const slash = strrchr(here.dli_fname, '/');
    name = slash == NULL ? here.dli_fname : slash + 1;
  }
  const size_t length = strcspn(name, ".");
  const struct hack* row = __start_hacks;
  while (row + 1 < __stop_hacks && (strlen(row->name) != length ||
                                    strncmp(name, row->name, length) != 0)) {
    ++row;
  }
  return row->run;
}

int32_t ropeproof_describe(ropeproof_description* d) {
  describe_fake(d);
  run* const here = run_here();
  if (here == permutes) d->operations = ROPEPROOF_PERMUTE;
  if (here == two_positions) d->max_position = 1;
  if (here == loose_claim) {
    d->claims[0].angle_class = ROPEPROOF_A3;
    d->claims[0].angle_dtype = ROPEPROOF_F16;
  }
  return ROPEPROOF_OK;
}

int32_t ropeproof_supports(const ropeproof_problem* p) {
  return run_here() == tiny_problems && p->seq > 3 ? ROPEPROOF_UNSUPPORTED
                                                   : ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  static run* here;
  if (here == NULL) here = run_here();
  return here(p);
}
