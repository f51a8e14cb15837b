/* SPDX-License-Identifier: MIT */
/* Posts spans to a collector; see otlp_post.h. */
#include "otlp_post.h"

#include "client/image/library.h"

#ifdef GF_CURL_FILE
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_S 5L
#define PATH "/v1/traces"

#define CURL_CALLS(call)                                                                                               \
    call(curl_easy_init) call(curl_easy_cleanup) call(curl_easy_perform) call(curl_easy_strerror)                      \
        call(curl_slist_append) call(curl_slist_free_all)

/* libcurl.h makes macros of the two functions with a variable argument. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

static struct {
    CURL_CALLS(GF_LIBRARY_MEMBER)
    GF_LIBRARY_MEMBER(curl_easy_setopt) GF_LIBRARY_MEMBER(curl_easy_getinfo)
} g_curl;

static const char *const g_names[] = {CURL_CALLS(GF_LIBRARY_NAME) "curl_easy_setopt", "curl_easy_getinfo"};
static struct gf_library g_library = {"libcurl", GF_CURL_FILE, g_names, GF_ARRAY_LEN(g_names), &g_curl, false};
static const struct gf_library_use g_use = {"--otlp to a URL", "libcurl", true, NULL, "name a file"};

enum gf_io_status gf_otlp_can_post(const char *url, struct gf_io_error *err)
{
    return gf_library_load(&g_library, url, &g_use, err);
}

/* The answer of the collector is not read. */
static size_t ignore(char *data, size_t size, size_t n, void *user)
{
    (void)data, (void)user;
    return size * n;
}

/* Adds the path of traces to a URL that has only scheme, host and port. Returns what the caller frees; NULL without
 * memory. */
static char *full_url(const char *url)
{
    const char *host = strstr(url, "://") + 3, *path = strchr(host, '/');
    bool bare = !path || path[1] == '\0';
    size_t n = bare && path ? (size_t)(path - url) : strlen(url);
    char *full = malloc(n + sizeof(PATH));
    if (full)
        snprintf(full, n + sizeof(PATH), "%.*s%s", (int)n, url, bare ? PATH : "");
    return full;
}

static CURLcode post(CURL *curl, const char *url, struct curl_slist *headers, const char *text, size_t size,
                     long *ret_status)
{
    g_curl.curl_easy_setopt(curl, CURLOPT_URL, url);
    g_curl.curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    g_curl.curl_easy_setopt(curl, CURLOPT_POSTFIELDS, text);
    g_curl.curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    g_curl.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
    g_curl.curl_easy_setopt(curl, CURLOPT_TIMEOUT, WAIT_S);
    g_curl.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    CURLcode code = g_curl.curl_easy_perform(curl);
    if (code == CURLE_OK)
        code = g_curl.curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, ret_status);
    return code;
}

enum gf_io_status gf_otlp_post(const char *url, const char *text, size_t size, struct gf_io_error *err)
{
    long status = 0;
    enum gf_io_status loaded = gf_otlp_can_post(url, err);
    if (loaded != GF_IO_OK)
        return loaded;
    gf_cleanup(gf_freep) char *full = full_url(url);
    CURL *curl = g_curl.curl_easy_init();
    struct curl_slist *headers = g_curl.curl_slist_append(NULL, "Content-Type: application/json");
    CURLcode code = full && curl && headers ? post(curl, full, headers, text, size, &status) : CURLE_OUT_OF_MEMORY;
    if (curl)
        g_curl.curl_easy_cleanup(curl);
    g_curl.curl_slist_free_all(headers);
    if (code != CURLE_OK)
        return gf_io_fail(err, GF_IO_FAILED, "%s: the spans were not sent: %s", url, g_curl.curl_easy_strerror(code));
    if (status < 200 || status > 299)
        return gf_io_fail(err, GF_IO_FAILED, "%s: the collector did not take the spans: HTTP %ld", url, status);
    return GF_IO_OK;
}
#else
static const struct gf_library_use g_use = {"--otlp to a URL", "libcurl", false, NULL, "name a file"};

enum gf_io_status gf_otlp_can_post(const char *url, struct gf_io_error *err)
{
    return gf_library_absent(&g_use, url, err);
}

enum gf_io_status gf_otlp_post(const char *url, const char *text, size_t size, struct gf_io_error *err)
{
    (void)text, (void)size;
    return gf_otlp_can_post(url, err);
}
#endif
