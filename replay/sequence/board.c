/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/board.h"

#include <sys/mman.h>

static size_t stage_bytes(size_t calls, size_t shapes)
{
    return sizeof(struct kt_board) + calls * (sizeof(float) + 2) + shapes;
}

struct kt_board *kt_board_new(size_t calls, size_t shapes)
{
    struct kt_board *board =
        mmap(NULL, stage_bytes(calls, shapes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        return NULL;
    board->seconds = (float *)(board + 1);
    board->part = (unsigned char *)(board->seconds + calls);
    board->inside = board->part + calls;
    board->absent = board->part + 2 * calls;
    return board;
}

void kt_board_free(struct kt_board *board, size_t calls, size_t shapes)
{
    if (board)
        munmap(board, stage_bytes(calls, shapes));
}
