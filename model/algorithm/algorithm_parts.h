/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm as its parser leaves it: for algorithm.c (the parser) and algorithm_run.c. */
#ifndef KT_ALGORITHM_PARTS_H
#define KT_ALGORITHM_PARTS_H

#include "model/algorithm/algorithm.h"

enum { KT_MOST_VARIABLES = 64, KT_MOST_STORES = 12, KT_MOST_SUBS = 8 };

enum kt_statement_kind { KT_ASSIGN, KT_FOR, KT_IF, KT_CALL_SUB, KT_CALL_ROUTINE };

/* What is passed for an argument of a routine. */
struct kt_passed {
    char letter;                  /* of an option */
    int store;                    /* of an array, -1: not one */
    struct kt_expr first, second; /* a number; indices of an array, no expression: 1 */
};

struct kt_statement {
    enum kt_statement_kind kind;
    int line;
    int next;                 /* statement behind it in its list, -1: none */
    int body, other;          /* FOR, IF: first statements, -1: none */
    int target;               /* ASSIGN, FOR: variable; CALL_SUB: procedure; CALL_ROUTINE: symbol */
    struct kt_expr expr[3];   /* ASSIGN, IF: the first; FOR: from, to, step */
    struct kt_passed *passed; /* of calls, one for each argument of the routine or procedure; owned */
    int count;                /* of these */
};

/* Of the main part, which is the first, or a procedure. The first variables are the parameters and the leading
 * dimensions of the stores, then come those that are passed. */
struct kt_sub {
    char name[KT_NAME];
    int line;
    char variable[KT_MOST_VARIABLES][KT_NAME];
    int variables;
    int passed; /* how many are */
    int body;   /* first statement, -1: none */
    bool defined;
};

struct kt_algorithm_store {
    char name[KT_NAME];
    int line;
    struct kt_expr rows, columns; /* of a vector: 1 column */
    bool is_vector;
    size_t elem; /* bytes of an element, 0: never used */
};

struct kt_algorithm {
    char *file; /* for messages; owned */
    char name[KT_NAME], operation[KT_NAME], routine[KT_NAME];
    double fallback[KT_MOST_PARAMETERS];
    int parameters;
    int globals; /* variables that all parts know: parameters and leading dimensions */
    struct kt_algorithm_store store[KT_MOST_STORES];
    int stores;
    struct kt_sub sub[KT_MOST_SUBS];
    int subs;
    struct kt_statement *statement; /* owned */
    size_t statements;
    struct kt_symbol **symbol; /* owned, and each of them */
    size_t symbols;
};

#endif
