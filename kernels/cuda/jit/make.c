/* SPDX-License-Identifier: MIT */
/* Makes one kernel; see make.h. */
#include "make.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler_msg.h"
#include "headers.h"
#include "protocol/base/base.h"

/* The key of a file: everything else that decides its code, then the key of the spec. */
struct file_key {
    char text[128 + GF_JIT_KEY_BYTES];
    uint32_t size;
};

struct gf_jit_work *gf_jit_work_new(const struct gf_jit_spec *spec, uint64_t asker, bool compile, uint64_t turn)
{
    struct gf_jit_work *work = malloc(sizeof(*work));
    if (!work)
        return NULL;
    work->spec = *spec;
    if (spec->user) {
        work->user = *spec->user;
        work->programs = *spec->user->programs;
        work->user.programs = &work->programs;
        work->spec.user = &work->user;
        work->spec.program = NULL;
    } else {
        work->program = *spec->program;
        work->spec.program = &work->program;
    }
    work->asker = asker;
    work->compile = compile;
    work->turn = turn;
    return work;
}

static void file_key_of(const struct gf_jit_maker *m, const struct gf_jit_disk_key *key, struct file_key *ret_key)
{
    int n = snprintf(ret_key->text, 128, "sm_%u nvrtc %u sources %s ", m->arch, m->version, gf_jit_sources);
    memcpy(ret_key->text + n, key->data, key->size);
    ret_key->size = (uint32_t)n + key->size;
}

static enum gf_jit_made made_of(enum gf_jit_outcome outcome)
{
    switch (outcome) {
    case GF_JIT_WRONG:
        return GF_JIT_MAKE_FAILED;
    case GF_JIT_NO_COMPILER:
        return GF_JIT_MAKE_OFF;
    case GF_JIT_STOPPED:
        return GF_JIT_MAKE_NOTHING;
    case GF_JIT_LATER:
        return GF_JIT_MAKE_LATER;
    default:
        return GF_JIT_MAKE_BROKEN;
    }
}

/* Whether the code has all its sections. The driver is not told the size, so it could read past the end. */
static bool is_whole(const char *code, size_t size)
{
    Elf64_Ehdr head;
    if (size < sizeof(head))
        return false;
    memcpy(&head, code, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shoff > size ||
        head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shnum > (size - head.e_shoff) / sizeof(Elf64_Shdr) ||
        head.e_phoff > size || head.e_phnum > (size - head.e_phoff) / sizeof(Elf64_Phdr))
        return false;
    for (uint32_t i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, code + head.e_shoff + i * sizeof(section), sizeof(section));
        if (section.sh_type != SHT_NOBITS && (section.sh_offset > size || section.sh_size > size - section.sh_offset))
            return false;
    }
    return head.e_shnum > 0;
}

static bool load(const struct gf_jit_maker *m, const void *code, size_t size, struct gf_jit_module *ret_module)
{
    return is_whole(code, size) && m->loader->load(m->loader->data, code, size, ret_module);
}

static bool from_file(const struct gf_jit_maker *m, const struct gf_jit_disk_key *key, struct gf_jit_module *ret_module)
{
    gf_cleanup(gf_freep) void *code = NULL;
    size_t size;
    if (!gf_jit_disk_load(&m->disk, key, &code, &size))
        return false;
    bool loaded = load(m, code, size, ret_module);
    if (!loaded)
        gf_jit_disk_remove(&m->disk, key);
    return loaded;
}

static enum gf_jit_made compiled(struct gf_jit_maker *m, const struct gf_jit_work *work,
                                 const struct gf_jit_disk_key *spec_key, struct gf_jit_module *ret_module,
                                 struct gf_error *err)
{
    struct file_key text;
    gf_cleanup(gf_jit_code_deinit) struct gf_jit_code code = {.data = NULL};
    gf_cleanup(gf_freep) char *source = malloc(GF_JIT_SOURCE_MAX);
    if (!source || !gf_jit_source(&work->spec, source, GF_JIT_SOURCE_MAX))
        return GF_JIT_MAKE_FAILED;
    enum gf_jit_outcome outcome = gf_jit_compile(&m->compiler, source, m->arch, &code, err);
    if (outcome == GF_JIT_BROKEN)
        m->version = 0; /* it may be gone, which it says only without a source */
    if (outcome != GF_JIT_COMPILED)
        return made_of(outcome);
    if (!load(m, code.data, code.size, ret_module))
        return GF_JIT_MAKE_FAILED;
    m->version = code.version; /* differs if the compiler has been replaced in the meantime */
    file_key_of(m, spec_key, &text);
    const struct gf_jit_disk_key key = {text.text, text.size};
    gf_jit_disk_save(&m->disk, &key, work->asker, code.data, code.size);
    return GF_JIT_MAKE_COMPILED;
}

enum gf_jit_made gf_jit_make(struct gf_jit_maker *m, const struct gf_jit_work *work,
                             const struct gf_jit_disk_key *spec_key, struct gf_jit_module *ret_module,
                             struct gf_error *err)
{
    struct file_key text;
    if (m->version == 0) {
        struct gf_jit_code none = {.data = NULL};
        enum gf_jit_outcome outcome = gf_jit_compile(&m->compiler, "", m->arch, &none, err);
        if (outcome == GF_JIT_BROKEN) /* by no source of a user's */
            return GF_JIT_MAKE_OFF;
        if (outcome != GF_JIT_COMPILED)
            return made_of(outcome);
        m->version = none.version;
    }
    file_key_of(m, spec_key, &text);
    const struct gf_jit_disk_key key = {text.text, text.size};
    if (from_file(m, &key, ret_module))
        return GF_JIT_MAKE_FROM_FILE;
    return work->compile ? compiled(m, work, spec_key, ret_module, err) : GF_JIT_MAKE_NOTHING;
}
