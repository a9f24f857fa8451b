/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of the tools. A function that can fail returns a status and describes the first cause in a
 * struct kt_error; only a verb prints it and turns the status into the exit status, which has the same values.
 */
#ifndef KT_ERROR_H
#define KT_ERROR_H

/* Columns: name, exit status, meaning. */
#define KT_STATUSES(X)                                              \
    X(OK, 0, "fine")                                                \
    X(FINDING, 1, "the check or comparison found something")        \
    X(USAGE, 2, "the command line is wrong")                        \
    X(BAD_INPUT, 3, "an input is not usable; the message says why") \
    X(SYSTEM, 4, "the operating system refused")

enum kt_status {
#define KT_STATUS_ENUM(name, status, meaning) KT_##name = (status),
    KT_STATUSES(KT_STATUS_ENUM)
#undef KT_STATUS_ENUM
};

struct kt_error {
    enum kt_status status;
    char text[1024]; /* which file, where, what was expected, what to do; no newline */
};

/* Records the cause, unless an earlier one is recorded, and returns STATUS. */
enum kt_status kt_fail(struct kt_error *error, enum kt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What names and files say may hold anything: control characters, newlines among them, become question marks. */
void kt_one_line(char *text);

/* Returns the status of EXPRESSION to the caller unless it is KT_OK. */
#define KT_TRY(expression)                   \
    do {                                     \
        enum kt_status status_ = expression; \
        if (status_ != KT_OK)                \
            return status_;                  \
    } while (0)

#endif
