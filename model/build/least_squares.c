/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/least_squares.h"

#include "trace/library/installed.h"
#include "trace/base/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NUMBERS = 1 << 24 };

struct kt_solver {
    pid_t pid;
    int socket;
};

struct head {
    int rows, columns;
};

/* --- both sides -------------------------------------------------------------------------------------------- */

/* All of BYTES to the other side, or from it. */
static bool pass_all(int socket, void *bytes, size_t size, bool send_them)
{
    for (char *at = bytes; size;) {
        ssize_t n = send_them ? send(socket, at, size, MSG_NOSIGNAL) : recv(socket, at, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_all(int socket, const void *bytes, size_t size)
{
    return pass_all(socket, (void *)(uintptr_t)bytes, size, true);
}

static bool receive_all(int socket, void *bytes, size_t size)
{
    return pass_all(socket, bytes, size, false);
}

/* --- the process with the LAPACK --------------------------------------------------------------------------- */

typedef void dgelsd(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
                    double *s, const double *rcond, int *rank, double *work, const int *lwork, int *iwork, int *info);

static int solve(dgelsd *function, const struct head *size, double *a, double *b)
{
    const int one = 1;
    const int least = size->rows < size->columns ? size->rows : size->columns;
    const int ldb = size->rows > size->columns ? size->rows : size->columns;
    const double rcond = 1e-11;
    const int query = -1;
    double best = 0;
    int words = 0;
    int rank;
    int info;
    double *s = kt_resize(NULL, (size_t)least, sizeof *s);
    function(&size->rows, &size->columns, &one, a, &size->rows, b, &ldb, s, &rcond, &rank, &best, &query, &words,
             &info);
    const int lwork = (int)best;
    double *work = kt_resize(NULL, (size_t)lwork, sizeof *work);
    int *iwork = kt_resize(NULL, (size_t)words, sizeof *iwork);
    if (info == 0)
        function(&size->rows, &size->columns, &one, a, &size->rows, b, &ldb, s, &rcond, &rank, work, &lwork, iwork,
                 &info);
    free(s);
    free(work);
    free(iwork);
    return info;
}

static bool serve_one(dgelsd *function, int socket)
{
    struct head size;
    if (!receive_all(socket, &size, sizeof size))
        return false;
    size_t rows = (size_t)size.rows;
    size_t columns = (size_t)size.columns;
    double *a = kt_resize(NULL, rows * columns, sizeof *a);
    double *b = kt_resize(NULL, rows + columns, sizeof *b);
    bool fine = receive_all(socket, a, rows * columns * sizeof *a) && receive_all(socket, b, rows * sizeof *b);
    int info = fine ? solve(function, &size, a, b) : -1;
    fine = fine && send_all(socket, &info, sizeof info) && send_all(socket, b, columns * sizeof *b);
    free(a);
    free(b);
    return fine;
}

static dgelsd *load(const struct kt_installed *library)
{
    dgelsd *function = NULL;
    for (int i = 0; i < library->files; i++) {
        void *handle = dlopen(library->file[i], RTLD_NOW | RTLD_LOCAL);
        void *symbol = handle ? dlsym(handle, "dgelsd_") : NULL;
        memcpy(&function, &symbol, sizeof function);
        if (function)
            return function;
    }
    return NULL;
}

/* The first of those known by name that has it; libraries with 64-bit integers say so in their names. */
static dgelsd *find_lapack(void)
{
    static const char *const name[] = {"openblas", "reference", "atlas", "liblapack.so.3", "libopenblas.so.0"};
    dgelsd *function = NULL;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    for (size_t i = 0; i < sizeof name / sizeof *name && !function; i++) {
        struct kt_installed library;
        struct kt_error ignored = {0};
        if (kt_installed_find(name[i], &library, &ignored) == KT_OK)
            function = load(&library);
        kt_installed_free(&library);
    }
    return function;
}

static _Noreturn void run(int socket)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* what a terminal or a batch system sends is the command's business */
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    dgelsd *function = find_lapack();
    while (function && serve_one(function, socket))
        ;
    _exit(0);
}

/* --- the command's side ------------------------------------------------------------------------------------ */

enum kt_status kt_solver_solve(struct kt_solver *solver, int rows, int columns, const double *a, const double *b,
                               double *x, struct kt_error *error)
{
    const struct head size = {rows, columns};
    int info = -1;
    if (rows < 1 || columns < 1 || (long)rows * columns > MOST_NUMBERS)
        return kt_fail(error, KT_BAD_INPUT, "a fit with %d samples and %d coefficients is not possible", rows, columns);
    bool fine = send_all(solver->socket, &size, sizeof size) &&
                send_all(solver->socket, a, (size_t)rows * (size_t)columns * sizeof *a) &&
                send_all(solver->socket, b, (size_t)rows * sizeof *b) &&
                receive_all(solver->socket, &info, sizeof info) &&
                receive_all(solver->socket, x, (size_t)columns * sizeof *x);
    if (!fine)
        return kt_fail(error, KT_SYSTEM,
                       "no LAPACK of this machine solved a least squares problem: is one installed "
                       "(Debian package liblapack3)?");
    return info == 0 ? KT_OK : kt_fail(error, KT_SYSTEM, "dgelsd could not fit %d samples (info = %d)", rows, info);
}

/* A line through three points of it. */
static enum kt_status check(struct kt_solver *solver, struct kt_error *error)
{
    static const double a[] = {1, 1, 1, 0, 1, 2};
    static const double b[] = {3, 5, 7};
    double x[2] = {NAN, NAN};
    KT_TRY(kt_solver_solve(solver, 3, 2, a, b, x, error));
    if (fabs(x[0] - 3) > 1e-9 || fabs(x[1] - 2) > 1e-9)
        return kt_fail(error, KT_SYSTEM, "the LAPACK of this machine solves least squares problems wrongly");
    return KT_OK;
}

struct kt_solver *kt_solver_open(struct kt_error *error)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        kt_fail(error, KT_SYSTEM, "cannot create a socket: %s", strerror(errno));
        return NULL;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        run(pair[1]);
    }
    close(pair[1]);
    struct kt_solver *solver = kt_resize(NULL, 1, sizeof *solver);
    *solver = (struct kt_solver){pid, pair[0]};
    if (solver->pid > 0 && check(solver, error) == KT_OK)
        return solver;
    kt_fail(error, KT_SYSTEM, "cannot start a process: %s", strerror(errno));
    kt_solver_close(solver);
    return NULL;
}

void kt_solver_close(struct kt_solver *solver)
{
    if (!solver)
        return;
    close(solver->socket);
    if (solver->pid > 0) { /* a worker that was forked meanwhile may still hold the socket */
        kill(solver->pid, SIGKILL);
        waitpid(solver->pid, NULL, 0);
    }
    free(solver);
}
