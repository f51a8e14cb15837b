/* SPDX-License-Identifier: MIT */
/*
 * Which kernels are compiled, kept and dropped, and for whom. The loader is in this file. The compiler is this program;
 * an environment variable selects its behaviour.
 */
#include <dirent.h>
#include <elf.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernels/cuda/jit/compiler.h"
#include "kernels/cuda/jit/compiler_msg.h"
#include "kernels/cuda/jit/jit.h"
#include "kernels/cuda/jit/shares.h"
#include "protocol/base/dtype.h"
#include "protocol/wire/worker_msg.h"
#include "tests/unit/unit.h"

#define MODE "GF_TEST_COMPILER"

struct code {
    Elf64_Ehdr head;
    Elf64_Shdr section;
};

/* As little of a program as counts as one. */
static struct code some_code(void)
{
    struct code c = {.section = {.sh_type = SHT_PROGBITS, .sh_size = 1}};
    memcpy(c.head.e_ident, ELFMAG, SELFMAG);
    c.head.e_ident[EI_CLASS] = ELFCLASS64;
    c.head.e_shoff = offsetof(struct code, section);
    c.head.e_shentsize = sizeof(Elf64_Shdr);
    c.head.e_shnum = 1;
    return c;
}

#define REASON "no\tNVRTC"

static int compiler(const char *mode)
{
    static char source[GF_JIT_SOURCE_MAX + 1];
    struct gf_jit_request_head head;
    struct code code = some_code();
    struct gf_jit_answer_head answer = {GF_JIT_MAGIC, GF_JIT_MADE, strcmp(mode, "newer") == 0 ? 13010 : 13000,
                                        sizeof(code)};
    gf_jit_compiler_limit(60);
    if (read(STDIN_FILENO, &head, sizeof(head)) != sizeof(head) || head.size > GF_JIT_SOURCE_MAX ||
        read(STDIN_FILENO, source, head.size) != (ssize_t)head.size)
        return 1;
    if (strcmp(mode, "absent") == 0)
        answer = (struct gf_jit_answer_head){GF_JIT_MAGIC, GF_JIT_NO_NVRTC, 0, sizeof(REASON) - 1};
    else if (head.size == 0)
        answer.size = 0;
    else if (strcmp(mode, "dies") == 0)
        return 1;
    else if (strcmp(mode, "hangs") == 0)
        pause();
    else if (strcmp(mode, "refuses") == 0)
        answer = (struct gf_jit_answer_head){GF_JIT_MAGIC, GF_JIT_REFUSED, 13000, 0};
    else if (strcmp(mode, "no code") == 0)
        code.section.sh_size = sizeof(code) + 1;
    const void *data = answer.answer == GF_JIT_NO_NVRTC ? (const void *)REASON : &code;
    return write(STDOUT_FILENO, &answer, sizeof(answer)) == sizeof(answer) &&
                   write(STDOUT_FILENO, data, answer.size) == (ssize_t)answer.size
               ? 0
               : 1;
}

/* The loader: counts. Behind a gate it waits, so that the test says how many kernels are made and how long each takes.
 */
static uint32_t g_loads, g_unloads;
static bool g_load_fails, g_gated;
static sem_t g_arrived, g_pass;
static uint64_t g_now, g_load_ns;

static bool load(void *data, const void *code, size_t size, struct gf_jit_module *ret_module)
{
    static char libraries[1000];
    (void)code;
    assert_ptr_equal(data, &g_loads);
    assert_int_equal(size, sizeof(struct code));
    if (g_gated) {
        sem_post(&g_arrived);
        sem_wait(&g_pass);
        g_now += g_load_ns;
    }
    if (g_load_fails)
        return false;
    *ret_module = (struct gf_jit_module){&libraries[g_loads], &libraries[g_loads]};
    g_loads++;
    return true;
}

static void unload(void *data, const struct gf_jit_module *module)
{
    assert_ptr_equal(data, &g_loads);
    assert_non_null(module->library);
    g_unloads++;
}

static char g_folder[64];

static bool g_all;
static uint64_t g_user; /* who uses programs */

static uint64_t now(void)
{
    return g_now;
}

static struct gf_jit *start(const char *mode, const char *folder)
{
    struct gf_jit *jit = NULL;
    const struct gf_jit_options options = {.arch = 90,
                                           .folder = folder,
                                           .all = g_all,
                                           .now_ns = now,
                                           .loader = {.data = &g_loads, .load = load, .unload = unload}};
    assert_int_equal(setenv(MODE, mode, 1), 0);
    assert_int_equal(gf_jit_new(&options, &jit, NULL), GF_OK);
    return jit;
}

static int set_up(void **state)
{
    (void)state;
    g_loads = g_unloads = 0;
    g_load_fails = g_gated = false;
    g_user = 0;
    g_now = 1000;
    sem_init(&g_arrived, 0, 0);
    sem_init(&g_pass, 0, 0);
    snprintf(g_folder, sizeof(g_folder), "/tmp/gf_jit_XXXXXX");
    assert_non_null(mkdtemp(g_folder));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char path[400];
    const struct dirent *entry;
    DIR *folder = opendir(g_folder);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", g_folder, entry->d_name);
            assert_int_equal(unlink(path), 0);
        }
    closedir(folder);
    assert_int_equal(rmdir(g_folder), 0);
    return 0;
}

/* Uses the `n`th of many programs, which adds a constant to one sample. */
static bool use_of(struct gf_jit *jit, uint32_t n, float constant, uint64_t bytes, struct gf_jit_use *ret_use)
{
    static const uint16_t ops[] = {GF_EXPR_I_ADD_F32, GF_EXPR_I_MUL_F32, GF_EXPR_I_MIN_F32, GF_EXPR_I_MAX_F32};
    struct gf_expr_program p = {.n_insns = 1, .n_registers = 2, .n_constants = 1, .n_results = 1, .inputs = 1};
    struct gf_jit_spec spec = {.program = &p, .in = {{GF_F32, 1}}, .out = {GF_F32, 1}};
    p.insns[0] = (struct gf_expr_insn){GF_EXPR_I_LOAD_F32, 0, {0, GF_EXPR_OWN_CHANNEL, 0}};
    for (uint32_t i = 0; i < 5; i++)
        p.insns[p.n_insns++] = (struct gf_expr_insn){
            ops[n >> 2 * i & 3], (uint8_t)((i + 1) % 2), {(uint8_t)(i % 2), GF_EXPR_FIRST_CONSTANT, 0}};
    p.constants[0].f32 = constant;
    p.results[0] = 1;
    p.types[0] = GF_EXPR_M_F32;
    return gf_jit_find(jit, &spec, g_user, bytes, ret_use);
}

/* A use in passing. */
static bool uses(struct gf_jit *jit, uint32_t n)
{
    struct gf_jit_use use;
    bool ready = use_of(jit, n, 1.0f, 1, &use);
    if (ready)
        gf_jit_done(jit, use.entry);
    return ready;
}

static struct gf_jit_figures figures_of(struct gf_jit *jit)
{
    struct gf_jit_figures f;
    gf_jit_settle(jit);
    gf_jit_figures(jit, &f);
    return f;
}

static void the_second_use_compiles(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", NULL);
    assert_false(uses(jit, 0));
    assert_int_equal(figures_of(jit).compiled, 0);
    assert_false(uses(jit, 0));
    assert_int_equal(figures_of(jit).compiled, 1);
    assert_true(uses(jit, 0));
    assert_true(uses(jit, 0));
    const struct gf_jit_figures f = figures_of(jit);
    assert_int_equal(f.compiled, 1);
    assert_int_equal(f.failed, 0);
    assert_int_equal(f.runs_compiled, 2);
    assert_int_equal(f.runs_interpreted, 2);
    assert_int_equal(f.loaded, 1);
    gf_jit_free(jit);
    assert_int_equal(g_unloads, 1);
}

static void large_work_compiles_at_once(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", NULL);
    struct gf_jit_use use;
    assert_false(use_of(jit, 0, 1.0f, GF_JIT_LARGE - 1, &use));
    assert_false(use_of(jit, 1, 1.0f, GF_JIT_LARGE, &use));
    assert_int_equal(figures_of(jit).compiled, 1);
    assert_false(uses(jit, 0));
    assert_true(uses(jit, 1));
    gf_jit_free(jit);
}

static void constants_share_a_kernel(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", NULL);
    struct gf_jit_use use, other;
    assert_false(use_of(jit, 0, 1.0f, 1, &use));
    assert_false(use_of(jit, 0, 2.0f, 1, &use));
    gf_jit_settle(jit);
    assert_true(use_of(jit, 0, 3.0f, 1, &use));
    assert_true(use_of(jit, 0, 4.0f, 1, &other));
    assert_ptr_equal(use.module.kernel, other.module.kernel);
    assert_int_equal(use.layout.places, 4);
    gf_jit_done(jit, use.entry);
    gf_jit_done(jit, other.entry);
    gf_jit_free(jit);
}

static void files_outlive_the_process(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", g_folder);
    assert_false(uses(jit, 7));
    assert_int_equal(figures_of(jit).compiled, 0);
    assert_false(uses(jit, 7));
    assert_int_equal(figures_of(jit).compiled, 1);
    gf_jit_free(jit);
    jit = start("dies", g_folder); /* it says its version, no more */
    assert_false(uses(jit, 7));
    struct gf_jit_figures f = figures_of(jit);
    assert_int_equal(f.from_files, 1); /* at the first use */
    assert_int_equal(f.compiled, 0);
    assert_true(uses(jit, 7));
    assert_false(uses(jit, 8)); /* is in no file */
    assert_int_equal(figures_of(jit).failed, 0);
    gf_jit_free(jit);
}

/* A cached file with code that does not load is compiled again. */
static void code_that_does_not_load_is_no_kernel(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", g_folder);
    (void)uses(jit, 7);
    gf_jit_settle(jit);
    (void)uses(jit, 7);
    gf_jit_settle(jit);
    gf_jit_free(jit);
    jit = start("good", g_folder);
    g_load_fails = true;
    assert_false(uses(jit, 7));
    assert_int_equal(figures_of(jit).failed, 0);
    assert_false(uses(jit, 7));
    assert_int_equal(figures_of(jit).failed, 1);
    g_load_fails = false;
    assert_false(uses(jit, 7)); /* not again in this process */
    assert_int_equal(figures_of(jit).compiled, 0);
    gf_jit_free(jit);
    jit = start("good", g_folder);
    assert_false(uses(jit, 7));
    assert_int_equal(figures_of(jit).from_files, 0); /* the file is gone */
    gf_jit_free(jit);
}

static void a_refused_source_is_remembered(void **state)
{
    (void)state;
    const char *const modes[] = {"refuses", "no code"};
    for (uint32_t m = 0; m < 2; m++) {
        struct gf_jit *jit = start(modes[m], NULL);
        for (uint32_t i = 0; i < 10; i++) {
            assert_false(uses(jit, 0));
            gf_jit_settle(jit);
        }
        struct gf_jit_figures f = figures_of(jit);
        assert_int_equal(f.failed, 1);
        assert_false(f.off);
        setenv(MODE, "good", 1);
        assert_false(uses(jit, 1));
        assert_false(uses(jit, 1));
        assert_int_equal(figures_of(jit).compiled, 1); /* others are compiled */
        gf_jit_free(jit);
    }
}

static void a_broken_compiler_is_left_alone(void **state)
{
    (void)state;
    struct gf_jit *jit = start("dies", NULL);
    for (uint32_t n = 0; n < 10; n++) {
        assert_false(uses(jit, n));
        assert_false(uses(jit, n));
        gf_jit_settle(jit);
    }
    struct gf_jit_figures f = figures_of(jit);
    assert_int_equal(f.failed, 4);
    assert_true(f.off);
    assert_string_equal(f.why, ""); /* it is off for this user alone */
    assert_int_equal(f.runs_interpreted, 20);
    gf_jit_free(jit);
    jit = start("absent", NULL);
    assert_false(uses(jit, 0));
    assert_false(uses(jit, 0));
    f = figures_of(jit);
    assert_int_equal(f.failed, 0);
    assert_true(f.off);
    assert_string_equal(f.why, "no?NVRTC"); /* it goes into messages */
    gf_jit_free(jit);
}

/* Uses a program until it would be compiled. */
static void use_twice(struct gf_jit *jit, uint32_t n)
{
    for (uint32_t i = 0; i < 2; i++) {
        assert_false(uses(jit, n));
        gf_jit_settle(jit);
    }
}

static void a_broken_compiler_is_tried_again(void **state)
{
    (void)state;
    const uint64_t pause_ns = GF_JIT_PAUSE_MS * UINT64_C(1000000);
    struct gf_jit *jit = start("dies", g_folder);
    for (uint32_t n = 0; n < 5; n++)
        use_twice(jit, n);
    assert_int_equal(figures_of(jit).failed, 4);
    assert_true(figures_of(jit).off);
    g_now += pause_ns - 1;
    use_twice(jit, 0);
    assert_true(figures_of(jit).off);
    g_now++;
    assert_false(figures_of(jit).off);
    assert_string_equal(figures_of(jit).why, "");
    assert_false(uses(jit, 9)); /* is in no file, which says nothing of the compiler */
    assert_false(figures_of(jit).off);
    use_twice(jit, 5);
    assert_int_equal(figures_of(jit).failed, 5); /* once is enough now */
    assert_true(figures_of(jit).off);
    g_now += pause_ns;
    assert_int_equal(setenv(MODE, "good", 1), 0);
    for (uint32_t n = 0; n < 6; n++) { /* including the programs at which it failed */
        assert_false(uses(jit, n));
        gf_jit_settle(jit);
        assert_true(uses(jit, n));
    }
    assert_int_equal(setenv(MODE, "dies", 1), 0);
    use_twice(jit, 6);
    assert_false(figures_of(jit).off); /* it worked in between */
    gf_jit_free(jit);
    jit = start("absent", NULL);
    use_twice(jit, 0);
    assert_true(figures_of(jit).off);
    g_now += pause_ns;
    assert_int_equal(setenv(MODE, "good", 1), 0);
    assert_false(uses(jit, 0));
    assert_int_equal(figures_of(jit).compiled, 1);
    gf_jit_free(jit);
}

/* Whoever has programs at which the compiler dies waits; others do not. */
static void a_broken_compiler_is_left_alone_for_its_user(void **state)
{
    (void)state;
    struct gf_jit *jit = start("dies", NULL);
    for (uint32_t n = 0; n < 4; n++)
        use_twice(jit, n);
    assert_int_equal(figures_of(jit).failed, 4);
    assert_int_equal(setenv(MODE, "good", 1), 0);
    use_twice(jit, 4);
    assert_int_equal(figures_of(jit).compiled, 0);
    g_user = 1;
    use_twice(jit, 5);
    assert_true(uses(jit, 5));
    assert_int_equal(figures_of(jit).compiled, 1);
    assert_true(figures_of(jit).off); /* for user 0 still */
    assert_int_equal(setenv(MODE, "dies", 1), 0);
    for (uint32_t n = 6; n < 9; n++)
        use_twice(jit, n);
    assert_int_equal(setenv(MODE, "good", 1), 0);
    use_twice(jit, 9); /* three in a row are not too many, whatever another user's were */
    assert_true(uses(jit, 9));
    g_user = 0;
    use_twice(jit, 10);
    assert_int_equal(figures_of(jit).compiled, 2); /* others' successes do not end the pause */
    g_now += GF_JIT_PAUSE_MS * UINT64_C(1000000);
    assert_false(figures_of(jit).off);
    assert_false(uses(jit, 10));
    gf_jit_settle(jit);
    assert_true(uses(jit, 10));
    gf_jit_free(jit);
}

/* A compiler process that cannot be started is no failure of the program or of the compiler. */
static void what_cannot_start_is_no_failure(void **state)
{
    (void)state;
    struct rlimit limit, none;
    struct gf_jit *jit = start("good", NULL);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (uint32_t i = 0; i < 10; i++) {
        use_twice(jit, i);
        assert_true(figures_of(jit).off);
        g_now += GF_JIT_RETRY_MS * UINT64_C(1000000);
        assert_false(figures_of(jit).off);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(figures_of(jit).failed, 0);
    assert_false(uses(jit, 0));
    assert_int_equal(figures_of(jit).compiled, 1);
    gf_jit_free(jit);
}

/* The compiler is replaced while the process runs: its code is kept under the new compiler's name. */
static void a_new_compiler_is_taken(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", g_folder);
    use_twice(jit, 0);
    assert_int_equal(setenv(MODE, "newer", 1), 0);
    use_twice(jit, 1);
    use_twice(jit, 2);
    assert_true(uses(jit, 0));
    assert_true(uses(jit, 1));
    assert_int_equal(figures_of(jit).compiled, 3);
    assert_int_equal(figures_of(jit).failed, 0);
    gf_jit_free(jit);
    jit = start("newer", g_folder);
    for (uint32_t n = 0; n < 3; n++)
        assert_false(uses(jit, n));
    assert_int_equal(figures_of(jit).from_files, 2);
    gf_jit_free(jit);
}

/* One program more than the limit is used in turn: nearly all uses have a kernel, with few loads. */
static void kernels_do_not_take_turns(void **state)
{
    (void)state;
    const uint32_t rounds = 20, n_programs = GF_JIT_KERNELS + 1, n_uses = rounds * n_programs;
    struct gf_jit *jit = start("good", g_folder);
    for (uint32_t i = 0; i < n_uses; i++) {
        (void)uses(jit, i % n_programs);
        gf_jit_settle(jit);
    }
    const struct gf_jit_figures f = figures_of(jit);
    assert_in_range(g_loads, GF_JIT_KERNELS, GF_JIT_KERNELS + (GF_JIT_SWAP_MAX + n_uses) / GF_JIT_SWAP_USES);
    assert_in_range(f.runs_interpreted, 2 * n_programs, 2 * n_programs + n_uses / GF_JIT_SWAP_USES * 3);
    for (uint32_t i = 0; i < 3 * GF_JIT_SWAP_USES * GF_JIT_SWAP_USES; i++) { /* others push them all out */
        (void)uses(jit, 100 + i % 40);
        gf_jit_settle(jit);
    }
    for (uint32_t n = 0; n < 40; n++)
        assert_true(uses(jit, 100 + n));
    gf_jit_free(jit);
    assert_int_equal(g_loads, g_unloads);
}

/* Above the limit, the least recently used kernel is unloaded, but never one that a job uses. */
static void kernels_in_memory_are_bounded(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", NULL);
    struct gf_jit_use first, third;
    for (uint32_t n = 0; n < GF_JIT_KERNELS; n++) {
        assert_false(uses(jit, n));
        assert_false(uses(jit, n));
        gf_jit_settle(jit);
    }
    assert_int_equal(figures_of(jit).loaded, GF_JIT_KERNELS);
    assert_true(use_of(jit, 0, 1.0f, 1, &first)); /* the latest by use, and had */
    assert_true(use_of(jit, 2, 1.0f, 1, &third));
    for (uint32_t n = 0; n < GF_JIT_KERNELS; n++) /* all others are used later */
        if (n != 0 && n != 1)
            assert_true(uses(jit, n));
    assert_false(uses(jit, 1000));
    assert_false(uses(jit, 1000));
    const struct gf_jit_figures f = figures_of(jit);
    assert_int_equal(f.loaded, GF_JIT_KERNELS);
    assert_int_equal(g_unloads, 1);
    assert_true(uses(jit, 1000));
    assert_true(uses(jit, 0));
    assert_true(uses(jit, 2));
    assert_false(uses(jit, 1)); /* it went */
    gf_jit_settle(jit);
    assert_true(uses(jit, 1)); /* and came back */
    gf_jit_done(jit, first.entry);
    gf_jit_done(jit, third.entry);
    gf_jit_free(jit);
    assert_int_equal(g_loads, g_unloads);
}

/* If jobs use all loaded kernels, a new kernel has no room: it is unloaded at once and can be loaded again. */
static void no_kernel_is_lost_without_room(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", NULL);
    struct gf_jit_use held[GF_JIT_KERNELS];
    for (uint32_t n = 0; n < GF_JIT_KERNELS; n++) {
        assert_false(uses(jit, n));
        assert_false(uses(jit, n));
        gf_jit_settle(jit);
        assert_true(use_of(jit, n, 1.0f, 1, &held[n]));
    }
    assert_false(uses(jit, 1000));
    assert_false(uses(jit, 1000));
    gf_jit_settle(jit);
    assert_int_equal(figures_of(jit).loaded, GF_JIT_KERNELS);
    assert_int_equal(g_loads, GF_JIT_KERNELS + 1);
    assert_int_equal(g_unloads, 1);
    for (uint32_t n = 0; n < GF_JIT_KERNELS; n++)
        gf_jit_done(jit, held[n].entry);
    gf_jit_free(jit);
    assert_int_equal(g_loads, g_unloads);
}

/* Programs that are used once do not evict programs in use. */
static void programs_are_bounded(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", NULL);
    assert_false(uses(jit, 0));
    assert_false(uses(jit, 0));
    gf_jit_settle(jit);
    for (uint32_t n = 1; n < 4 * GF_JIT_PROGRAMS; n++)
        assert_false(uses(jit, n));
    assert_true(uses(jit, 0));
    assert_int_equal(figures_of(jit).compiled, 1);
    assert_false(uses(jit, 1)); /* forgotten: this is its first use again */
    assert_int_equal(figures_of(jit).compiled, 1);
    gf_jit_free(jit);
}

/* While a compilation hangs, a bounded number of programs waits; further programs are not even counted. Shutdown waits
 * for none of them. */
static void the_queue_is_bounded(void **state)
{
    (void)state;
    struct gf_jit *jit = start("hangs", NULL);
    struct gf_jit_figures f;
    for (uint32_t n = 0; n < 40; n++) {
        assert_false(uses(jit, n));
        assert_false(uses(jit, n));
    }
    gf_jit_figures(jit, &f);
    assert_in_range(f.waiting, GF_JIT_WAITING - 1, GF_JIT_WAITING);
    assert_int_equal(f.compiled, 0);
    gf_jit_free(jit);
    assert_int_equal(g_loads, 0);
}

static void all_may_be_compiled_at_once(void **state)
{
    (void)state;
    g_all = true;
    struct gf_jit *jit = start("good", NULL);
    for (uint32_t n = 0; n < 3 * GF_JIT_KERNELS / 2; n++)
        assert_true(uses(jit, n));
    assert_int_equal(figures_of(jit).loaded, GF_JIT_KERNELS);
    assert_int_equal(figures_of(jit).runs_interpreted, 0);
    gf_jit_free(jit);
    jit = start("refuses", NULL);
    assert_false(uses(jit, 0));
    gf_jit_free(jit);
    g_all = false;
}

#define ATTACKER 65001u
#define VICTIM 65002u
#define N_WANTED 8u  /* programs of the victim */
#define WANTED 1000u /* the first of them */

static bool uses_as(struct gf_jit *jit, uint64_t user, uint32_t n)
{
    g_user = user;
    return uses(jit, n);
}

/* Uses a program twice, which asks for its kernel. */
static void asks_as(struct gf_jit *jit, uint64_t user, uint32_t n)
{
    assert_false(uses_as(jit, user, n));
    assert_false(uses_as(jit, user, n));
}

/* Starts a jit whose thread stands at the gate with the attacker's program 0. */
static struct gf_jit *start_gated(void)
{
    g_gated = true;
    g_load_ns = 20000000;
    struct gf_jit *jit = start("good", NULL);
    asks_as(jit, ATTACKER, 0);
    sem_wait(&g_arrived);
    return jit;
}

/* Lets a number of kernels be loaded while more are waiting; the thread stands at the gate again. */
static void make_kernels(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        sem_post(&g_pass);
        sem_wait(&g_arrived);
    }
}

/* Ends a jit whose thread stands at the gate. */
static void free_gated(struct gf_jit *jit)
{
    g_gated = false;
    sem_post(&g_pass);
    gf_jit_free(jit);
    assert_int_equal(g_loads, g_unloads);
}

/* Uses a number of programs; returns for how many there is a kernel. */
static uint32_t ready_of(struct gf_jit *jit, uint64_t user, uint32_t first, uint32_t n)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < n; i++)
        ready += uses_as(jit, user, first + i);
    return ready;
}

/* An attacker uses ever new programs, each twice, and so asks for as many kernels as it can get. One kernel is made
 * between two uses of the victim's programs. */
static void a_flood_takes_no_kernels_from_others(void **state)
{
    (void)state;
    struct gf_jit *jit = start_gated();
    uint32_t n = 0, ready = 0;
    for (uint32_t round = 0; round < 2 * GF_JIT_KERNELS; round++) {
        for (uint32_t i = 0; i < 100; i++, n++)
            (void)uses_as(jit, ATTACKER, n / 2 % WANTED);
        make_kernels(1);
        if (round >= GF_JIT_KERNELS) /* the attacker has all places, and all of the queue */
            ready = ready_of(jit, VICTIM, WANTED, N_WANTED);
        if (round >= GF_JIT_KERNELS + 2 * N_WANTED + 2) /* every other kernel was the victim's */
            assert_int_equal(ready, N_WANTED);
    }
    free_gated(jit);
}

/* An attacker uses more programs than are remembered between two uses of the victim's, one of which it has used first.
 */
static void a_flood_does_not_have_others_forgotten(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", NULL);
    assert_false(uses_as(jit, ATTACKER, WANTED));
    for (uint32_t round = 0, n = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 300; i++)
            assert_false(uses_as(jit, ATTACKER, n++));
        assert_int_equal(ready_of(jit, VICTIM, WANTED, N_WANTED), 0);
    }
    assert_int_equal(figures_of(jit).compiled, N_WANTED);
    assert_int_equal(ready_of(jit, VICTIM, WANTED, N_WANTED), N_WANTED);
    gf_jit_free(jit);
}

/* The queue is the attacker's until others want it, and half of it afterwards; what it used last stays. That it used
 * the victim's programs once before keeps them from nothing. */
static void the_queue_is_shared(void **state)
{
    (void)state;
    const uint32_t half = GF_JIT_WAITING / 2;
    struct gf_jit *jit = start_gated();
    struct gf_jit_figures f;
    for (uint32_t n = 0; n < 2 * GF_JIT_WAITING; n++)
        assert_false(uses_as(jit, ATTACKER, WANTED - n));
    for (uint32_t n = 1; n <= 2 * GF_JIT_WAITING; n++)
        asks_as(jit, ATTACKER, n);
    for (uint32_t n = 0; n < 2 * GF_JIT_WAITING; n++)
        asks_as(jit, VICTIM, WANTED - n);
    gf_jit_figures(jit, &f);
    assert_int_equal(f.waiting, GF_JIT_WAITING);
    make_kernels(GF_JIT_WAITING);
    assert_int_equal(ready_of(jit, ATTACKER, 0, 1), 1);
    assert_int_equal(ready_of(jit, ATTACKER, 1, half), 0);
    assert_int_equal(ready_of(jit, ATTACKER, 1 + half, half - 1) + ready_of(jit, VICTIM, WANTED + 1 - half, half),
                     2 * half - 1); /* one of either is at the gate */
    free_gated(jit);
}

/* Who has used less of the thread's time comes first. */
static void the_thread_takes_turns(void **state)
{
    (void)state;
    struct gf_jit *jit = start_gated();
    asks_as(jit, ATTACKER, 1);
    asks_as(jit, ATTACKER, 2);
    for (uint32_t n = 0; n < N_WANTED; n++)
        asks_as(jit, VICTIM, WANTED + n);
    g_load_ns *= N_WANTED;
    make_kernels(1); /* takes the attacker as long as all of the victim's */
    g_load_ns /= N_WANTED;
    make_kernels(N_WANTED);
    assert_int_equal(ready_of(jit, ATTACKER, 0, 1), 1);
    assert_int_equal(ready_of(jit, VICTIM, WANTED, N_WANTED), N_WANTED);
    free_gated(jit);
}

/* Who asked first pays for a kernel; what was told is not told again. */
static void times_are_told(void **state)
{
    (void)state;
    struct gf_compile_times times;
    struct gf_jit *jit = start_gated();
    asks_as(jit, ATTACKER, 1);
    asks_as(jit, VICTIM, 0); /* what the attacker has asked for */
    asks_as(jit, VICTIM, 1);
    asks_as(jit, VICTIM, 2);
    asks_as(jit, ATTACKER, 3);
    gf_jit_take_times(jit, &times);
    assert_int_equal(times.n, 0);
    make_kernels(3);
    gf_jit_take_times(jit, &times);
    assert_int_equal(times.n, 2);
    assert_int_equal(times.of[0].user, ATTACKER);
    assert_int_equal(times.of[0].ns, 2 * g_load_ns);
    assert_int_equal(times.of[1].user, VICTIM);
    assert_int_equal(times.of[1].ns, g_load_ns);
    gf_jit_take_times(jit, &times);
    assert_int_equal(times.n, 0);
    free_gated(jit);
}

/* Each user asks for all places in turn; returns how many the user with the fewest has. */
static uint32_t fewest_places(uint32_t n_users)
{
    uint32_t fewest = GF_JIT_KERNELS, sum = 0;
    struct gf_jit *jit = start("good", NULL);
    for (uint32_t user = 0; user < n_users; user++)
        for (uint32_t n = 0; n < GF_JIT_KERNELS; n++) {
            asks_as(jit, user, user * GF_JIT_KERNELS + n);
            gf_jit_settle(jit);
        }
    g_gated = true; /* nothing is loaded for those who only look */
    for (uint32_t user = 0; user < n_users; user++) {
        uint32_t ready = ready_of(jit, user, user * GF_JIT_KERNELS, GF_JIT_KERNELS);
        fewest = ready < fewest ? ready : fewest;
        sum += ready;
    }
    assert_int_equal(sum, GF_JIT_KERNELS);
    free_gated(jit);
    return fewest;
}

static void places_are_shared(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 5; n++)
        assert_int_equal(fewest_places(n), GF_JIT_KERNELS / n);
}

/* A kernel goes over to a user of it who has fewer: who asked first cannot have it unloaded by asking for more. */
static void kernels_go_over_to_who_uses_them(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", NULL);
    for (uint32_t n = 0; n < GF_JIT_KERNELS; n++) {
        asks_as(jit, ATTACKER, n);
        gf_jit_settle(jit);
    }
    assert_true(uses_as(jit, VICTIM, 0));
    assert_int_equal(ready_of(jit, ATTACKER, 1, GF_JIT_KERNELS - 1), GF_JIT_KERNELS - 1);
    asks_as(jit, ATTACKER, WANTED);
    gf_jit_settle(jit);
    assert_true(uses_as(jit, VICTIM, 0));
    assert_true(uses_as(jit, ATTACKER, WANTED));
    assert_false(uses_as(jit, ATTACKER, 1));
    gf_jit_free(jit);
}

/* What users have who are not here any more is given up first, at no price. */
static void who_is_away_makes_room(void **state)
{
    (void)state;
    const uint64_t user = VICTIM + 1;
    struct gf_jit *jit = start("good", NULL);
    for (uint32_t n = 0; n < GF_JIT_KERNELS; n++) {
        asks_as(jit, n % 2 ? ATTACKER : VICTIM, n);
        gf_jit_settle(jit);
    }
    g_now += GF_JIT_AWAY_MS * UINT64_C(1000000) + 1;
    for (uint32_t n = 0; n < GF_JIT_KERNELS; n++) {
        asks_as(jit, user, WANTED - n);
        gf_jit_settle(jit);
    }
    assert_int_equal(ready_of(jit, user, WANTED + 1 - GF_JIT_KERNELS, GF_JIT_KERNELS), GF_JIT_KERNELS);
    gf_jit_free(jit);
}

/* More users than the table has places for: those who came last still get kernels. */
static void users_are_bounded(void **state)
{
    (void)state;
    struct gf_jit *jit = start("good", NULL);
    for (uint32_t n = 0; n < 3 * GF_JIT_USERS; n++) {
        g_now++;
        asks_as(jit, 1000 + n, n);
        gf_jit_settle(jit);
        assert_true(uses_as(jit, 1000 + n, n));
    }
    assert_int_equal(figures_of(jit).compiled, 3 * GF_JIT_USERS);
    assert_int_equal(figures_of(jit).loaded, GF_JIT_KERNELS);
    gf_jit_free(jit);
    assert_int_equal(g_loads, g_unloads);
}

static void nothing_is_started_for_nothing(void **state)
{
    (void)state;
    gf_jit_free(start("dies", g_folder));
    gf_jit_free(NULL);
}

int main(int argc, char **argv)
{
    const char *mode = getenv(MODE);
    if (gf_jit_is_compiler(argc, argv) && mode)
        return compiler(mode);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_second_use_compiles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_work_compiles_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(constants_share_a_kernel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_outlive_the_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(code_that_does_not_load_is_no_kernel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_source_is_remembered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_broken_compiler_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_broken_compiler_is_tried_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_broken_compiler_is_left_alone_for_its_user, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_start_is_no_failure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_compiler_is_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_do_not_take_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_in_memory_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_kernel_is_lost_without_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(programs_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_queue_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_may_be_compiled_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_flood_takes_no_kernels_from_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_flood_does_not_have_others_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_queue_is_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_thread_takes_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(times_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(places_are_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_go_over_to_who_uses_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_is_away_makes_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(users_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_started_for_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
