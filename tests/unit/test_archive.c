/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packed traces: what comes out of an archive is what went in, or it is said that it is not.
 */
#include "trace/files/archive.h"
#include "trace/files/files.h"
#include "trace/base/memory.h"
#include "trace/files/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { LARGE = 3 << 20 };

struct fixture {
    char directory[64]; /* empty; removed at the end with the files that lie directly in it */
    char archive[96];
};

static int set_up(void **state)
{
    struct fixture *f = kt_resize(NULL, 1, sizeof *f);
    strcpy(f->directory, "/tmp/ktrace-archive.XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    snprintf(f->archive, sizeof f->archive, "%s/packed", f->directory);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    DIR *directory = opendir(f->directory);
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    assert_int_equal(rmdir(f->directory), 0);
    free(f);
    return 0;
}

/* --- contents ---------------------------------------------------------------------------------------------- */

struct content {
    const char *name;
    size_t size;
    bool random; /* otherwise it compresses well */
};

static const struct content contents[] = {
    {"x.trace/README", 300, true},
    {"x.trace/p1/empty", 0, false},
    {"x.trace/p1/meta", 1, false},
    {"x.trace/p1/t1", LARGE, false},
    {"x.trace/p1/t2", LARGE + 12345, true},
    {"x.trace/p1/a-name-that-is-longer-than-the-hundred-characters-that-the-first-tar-had-room-for-which-later-ones-"
     "extend-in-several-ways",
     77, true},
};

enum { CONTENTS = sizeof contents / sizeof *contents };

static unsigned char *make_content(const struct content *c)
{
    unsigned char *bytes = kt_resize(NULL, c->size, 1);
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < c->size; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        bytes[i] = (unsigned char)(c->random ? random : i / 1000);
    }
    return bytes;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    close(file);
}

static unsigned char *read_file(const char *path, size_t *size)
{
    struct stat st;
    int file = open(path, O_RDONLY);
    assert_int_equal(fstat(file, &st), 0);
    *size = (size_t)st.st_size;
    unsigned char *bytes = kt_resize(NULL, *size, 1);
    assert_int_equal(read(file, bytes, *size), *size);
    close(file);
    return bytes;
}

static void add_member(const struct fixture *f, struct kt_archive_writer *writer, const struct content *content)
{
    struct kt_error error = {0};
    char path[96];
    unsigned char *bytes = make_content(content);
    snprintf(path, sizeof path, "%s/source", f->directory);
    write_file(path, bytes, content->size);
    int source = open(path, O_RDONLY);
    assert_int_equal(kt_archive_add(writer, content->name, source, path, &error), KT_OK);
    close(source);
    unlink(path);
    free(bytes);
}

/* An archive of the first COUNT contents, behind so many other files. */
static void pack_behind(const struct fixture *f, int others, size_t count)
{
    struct kt_archive_writer *writer;
    struct kt_error error = {0};
    int file = open(f->archive, O_CREAT | O_TRUNC | O_RDWR, 0666);
    assert_int_equal(kt_archive_begin(file, f->archive, &writer, &error), KT_OK);
    for (int i = 0; i < others; i++) {
        char name[32];
        snprintf(name, sizeof name, "x.trace/other%d", i);
        add_member(f, writer, &(struct content){name, 8, false});
    }
    for (size_t i = 0; i < count; i++)
        add_member(f, writer, &contents[i]);
    assert_int_equal(kt_archive_end(writer, &error), KT_OK);
    close(file);
}

static void pack(const struct fixture *f, size_t count)
{
    pack_behind(f, 0, count);
}

/* Names come without the directory that holds all. */
static bool holds(const struct kt_unpacked *unpacked, size_t count)
{
    bool same = unpacked->files == count;
    for (size_t i = 0; same && i < count; i++) {
        const struct kt_unpacked_file *file = &unpacked->file[i];
        unsigned char *bytes = make_content(&contents[i]);
        same = !strcmp(file->name, strchr(contents[i].name, '/') + 1) && file->size == contents[i].size &&
               (file->size == 0 || !memcmp(unpacked->bytes + file->at, bytes, file->size));
        free(bytes);
    }
    return same;
}

/* --- good archives ----------------------------------------------------------------------------------------- */

static void test_what_goes_in_comes_out(void **state)
{
    const struct fixture *f = *state;
    struct kt_unpacked unpacked;
    struct kt_error error = {0};
    pack(f, CONTENTS);
    assert_int_equal(kt_unpack(f->archive, 0, &unpacked, &error), KT_OK);
    assert_null(unpacked.damage);
    assert_true(holds(&unpacked, CONTENTS));
    kt_unpacked_free(&unpacked);
}

static int count_names(const char *path)
{
    int count = -2;
    DIR *directory = opendir(path);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* Both from the first byte on and when part of it is in memory already. */
static void test_more_than_fits_into_memory_goes_to_a_nameless_file(void **state)
{
    const struct fixture *f = *state;
    static const size_t limits[] = {1, LARGE, LARGE + 5000000};
    pack(f, CONTENTS);
    setenv("TMPDIR", f->directory, 1);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct kt_unpacked unpacked;
        struct kt_error error = {0};
        assert_int_equal(kt_unpack(f->archive, limits[i], &unpacked, &error), KT_OK);
        assert_int_equal(count_names(f->directory), 1);
        assert_true(holds(&unpacked, CONTENTS));
        kt_unpacked_free(&unpacked);
    }
    unsetenv("TMPDIR");
}

static void test_no_place_for_a_temporary_file(void **state)
{
    const struct fixture *f = *state;
    struct kt_unpacked unpacked;
    struct kt_error error = {0};
    pack(f, CONTENTS);
    setenv("TMPDIR", "/nowhere", 1);
    assert_int_equal(kt_unpack(f->archive, 1, &unpacked, &error), KT_SYSTEM);
    assert_non_null(strstr(error.text, "/nowhere"));
    unsetenv("TMPDIR");
}

/* --- damage ------------------------------------------------------------------------------------------------ */

enum { SMALL = 3 }; /* contents that make a small archive */

/* Damage that nobody is told of: all is said to be well, and it is not. */
static bool passes_unnoticed(const unsigned char *archive, size_t size)
{
    struct kt_unpacked unpacked;
    struct kt_error error = {0};
    enum kt_status status = kt_unpack_bytes("packed", archive, size, &unpacked, &error);
    bool unnoticed = status == KT_OK && !unpacked.damage && !holds(&unpacked, SMALL);
    if (status != KT_OK)
        assert_true(error.status == status && *error.text);
    kt_unpacked_free(&unpacked);
    return unnoticed;
}

static void test_no_flipped_bit_passes_unnoticed(void **state)
{
    const struct fixture *f = *state;
    size_t size;
    pack(f, SMALL);
    unsigned char *archive = read_file(f->archive, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        archive[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (passes_unnoticed(archive, size))
            fail_msg("bit %zu of %zu", bit, 8 * size);
        archive[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_false(passes_unnoticed(archive, size));
    free(archive);
}

static void test_no_cut_passes_unnoticed(void **state)
{
    const struct fixture *f = *state;
    size_t size;
    pack(f, SMALL);
    unsigned char *archive = read_file(f->archive, &size);
    for (size_t cut = 0; cut < size; cut++) {
        struct kt_unpacked unpacked;
        struct kt_error error = {0};
        enum kt_status status = kt_unpack_bytes("packed", archive, cut, &unpacked, &error);
        if (status == KT_OK && !unpacked.damage)
            fail_msg("the first %zu of %zu bytes pass for all", cut, size);
        kt_unpacked_free(&unpacked);
    }
    free(archive);
}

static void test_what_precedes_a_cut_can_be_read(void **state)
{
    const struct fixture *f = *state;
    size_t size;
    struct kt_unpacked unpacked;
    struct kt_error error = {0};
    pack(f, 5);
    unsigned char *archive = read_file(f->archive, &size);
    assert_int_equal(kt_unpack_bytes("packed", archive, size - 100000, &unpacked, &error), KT_OK);
    assert_non_null(strstr(unpacked.damage, "cut off"));
    assert_int_equal(unpacked.files, 5);
    unpacked.files = 4;
    assert_true(holds(&unpacked, 4));
    unpacked.files = 5;
    assert_in_range(unpacked.file[4].size, LARGE - 300000, LARGE + 12344);
    kt_unpacked_free(&unpacked);
    free(archive);
}

static void test_what_is_no_archive(void **state)
{
    const struct fixture *f = *state;
    static const char *const texts[] = {"", "x", "all: ktrace\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kt_files *files;
        struct kt_error error = {0};
        write_file(f->archive, texts[i], strlen(texts[i]));
        assert_int_equal(kt_files_open(f->archive, &files, &error), KT_BAD_INPUT);
        assert_non_null(strstr(error.text, "not a trace"));
    }
}

/* --- archives of others ------------------------------------------------------------------------------------ */

struct odd {
    const char *name;
    unsigned type;
    const char *text;
};

/* Text is a file's contents or what a link refers to. */
static void pack_odd(const struct fixture *f, const struct odd *odd, size_t count)
{
    struct archive *archive = archive_write_new();
    archive_write_set_format_gnutar(archive);
    archive_write_add_filter_gzip(archive);
    archive_write_open_filename(archive, f->archive);
    for (size_t i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, odd[i].name);
        archive_entry_set_filetype(entry, odd[i].type);
        archive_entry_set_perm(entry, 0644);
        if (odd[i].type == AE_IFLNK)
            archive_entry_set_symlink(entry, odd[i].text);
        else
            archive_entry_set_size(entry, (la_int64_t)strlen(odd[i].text));
        assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
        archive_write_data(archive, odd[i].text, strlen(odd[i].text));
        archive_entry_free(entry);
    }
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}

static const char *view(const struct kt_files *files, const char *path, char *out)
{
    size_t size;
    const unsigned char *bytes = kt_files_view(files, path, &size);
    if (!bytes)
        return NULL;
    memcpy(out, bytes, size);
    out[size] = '\0';
    return out;
}

static void test_archives_that_others_made(void **state)
{
    const struct fixture *f = *state;
    static const struct odd odd[] = {
        {"./", AE_IFDIR, ""},       {"./p1/", AE_IFDIR, ""},         {"./p1/meta", AE_IFREG, "old"},
        {"./p1/t1", AE_IFREG, "s"}, {"./p10/meta", AE_IFREG, "ten"}, {"p1/meta", AE_IFREG, "new"},
        {"/abs", AE_IFREG, "x"},    {"p1/../../up", AE_IFREG, "x"},  {"link", AE_IFLNK, "/etc/passwd"},
        {"pipe", AE_IFIFO, ""},     {"p1/.hidden", AE_IFREG, "dot"},
    };
    struct kt_files *files;
    struct kt_error error = {0};
    struct kt_file_names names;
    char path[128];
    char text[16];
    struct kt_unpacked unpacked;
    pack_odd(f, odd, sizeof odd / sizeof *odd);
    assert_int_equal(kt_unpack(f->archive, 0, &unpacked, &error), KT_OK);
    assert_int_equal(unpacked.files, 5); /* neither links nor names that lead out of it */
    kt_unpacked_free(&unpacked);
    assert_int_equal(kt_files_open(f->archive, &files, &error), KT_OK);
    assert_null(kt_files_damage(files));
    assert_int_equal(kt_files_list(files, f->archive, &names, &error), KT_OK);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.name[0], "p1");
    assert_string_equal(names.name[1], "p10");
    kt_file_names_free(&names);
    snprintf(path, sizeof path, "%s/p1", f->archive);
    assert_true(kt_files_is_directory(files, path));
    assert_int_equal(kt_files_list(files, path, &names, &error), KT_OK);
    assert_int_equal(names.count, 2);
    kt_file_names_free(&names);
    snprintf(path, sizeof path, "%s/p1/meta", f->archive);
    assert_true(kt_files_exist(files, path) && !kt_files_is_directory(files, path));
    assert_string_equal(view(files, path, text), "new");
    snprintf(path, sizeof path, "%s/p1/met", f->archive);
    assert_false(kt_files_exist(files, path));
    assert_null(view(files, path, text));
    kt_files_close(files);
}

static void test_lines_of_a_packed_file(void **state)
{
    (void)state;
    struct kt_lines lines;
    struct kt_error error = {0};
    struct kt_files *files = kt_files_new("x.tar.zst");
    kt_files_add(files, "p1/meta", (const unsigned char *)"one\ntwo\nthr", 11);
    kt_files_sort(files);
    assert_int_equal(kt_files_lines(files, "x.tar.zst/p1/meta", &lines, &error), KT_OK);
    assert_string_equal(kt_lines_next(&lines), "one");
    assert_string_equal(kt_lines_next(&lines), "two");
    assert_null(kt_lines_next(&lines));
    assert_true(kt_lines_left(&lines));
    kt_lines_free(&lines);
    assert_int_equal(kt_files_lines(files, "x.tar.zst/p1/end", &lines, &error), KT_BAD_INPUT);
    assert_non_null(strstr(error.text, "x.tar.zst/p1/end"));
    kt_files_close(files);
}

/* What was packed by others can be anything, and of any size. */
static void test_an_archive_of_other_files_is_given_up(void **state)
{
    const struct fixture *f = *state;
    struct kt_error error = {0};
    struct kt_unpacked unpacked;
    pack_behind(f, 20, 3);
    assert_int_equal(kt_unpack(f->archive, 0, &unpacked, &error), KT_OK);
    assert_int_equal(unpacked.files, 23);
    kt_unpacked_free(&unpacked);
    pack_behind(f, 1000, 3);
    assert_int_equal(kt_unpack(f->archive, 0, &unpacked, &error), KT_BAD_INPUT);
    assert_non_null(strstr(error.text, "not a trace"));
    assert_int_equal(unpacked.files, 0);
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(test_what_goes_in_comes_out),
        WITH_FOLDER(test_more_than_fits_into_memory_goes_to_a_nameless_file),
        WITH_FOLDER(test_no_place_for_a_temporary_file),
        WITH_FOLDER(test_no_flipped_bit_passes_unnoticed),
        WITH_FOLDER(test_no_cut_passes_unnoticed),
        WITH_FOLDER(test_what_precedes_a_cut_can_be_read),
        WITH_FOLDER(test_what_is_no_archive),
        WITH_FOLDER(test_archives_that_others_made),
        WITH_FOLDER(test_an_archive_of_other_files_is_given_up),
        cmocka_unit_test(test_lines_of_a_packed_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
