! SPDX-License-Identifier: BSD-3-Clause
! LAPACK's factorizations, solvers, inverses and reductions at n = 500, square, tall and wide, for tests/table/flops.sh, which
! counts what each of them calls. With the least workspace a routine does not work by blocks.
program flops
    implicit none
    integer, parameter :: n = 500, long = 700, few = 100, band = 60, best = 64 * long
    double precision, allocatable :: a(:, :), b(:, :), c(:, :), d(:), e(:), tau(:), taup(:), work(:), original(:, :)
    complex(kind(0d0)), allocatable :: z(:, :), ztau(:), zwork(:)
    real, allocatable :: s(:, :)
    integer :: pivot(long), info, i
    allocate (a(long, long), b(long, long), c(long, long), original(long, long), s(long, long))
    allocate (d(long), e(long), tau(long), taup(long), work(best), z(long, long), ztau(long), zwork(best))
    call random_init(.true., .true.) ! the same numbers each time: with others a reflector may end in zeros
    call random_number(original)
    original = original + transpose(original)
    do i = 1, long
        original(i, i) = 4 * long ! positive definite
    end do

    call triangular_factors
    call orthogonal_factors
    call reductions
    call packed
    call bands
    call explicit_blocks
    call generalized
    call other_types

contains

    subroutine fresh
        a = original
        b = original
    end subroutine

    subroutine triangular_factors
        character :: uplo
        call fresh; call dgetrf(long, n, a, long, pivot, info)
        call fresh; call dgetrf(n, long, a, long, pivot, info)
        call fresh; call dgetrf(n, n, a, long, pivot, info)
        call dgetrs('N', n, few, a, long, pivot, b, long, info)
        call dgetri(n, a, long, pivot, work, best, info)
        call fresh; call dgesv(n, few, a, long, pivot, b, long, info)
        do i = 1, 2
            uplo = merge('U', 'L', i == 1)
            call fresh; call dpotrf(uplo, n, a, long, info)
            call dpotrs(uplo, n, few, a, long, b, long, info)
            call dtrtrs(uplo, 'T', 'N', n, few, a, long, b, long, info)
            call dpotri(uplo, n, a, long, info)
            call fresh; call dposv(uplo, n, few, a, long, b, long, info)
            call fresh; call dtrtri(uplo, 'N', n, a, long, info)
            call fresh; call dlauum(uplo, n, a, long, info)
            call fresh; call dsytrf(uplo, n, a, long, pivot, work, best, info)
            call dsytrs(uplo, n, few, a, long, pivot, b, long, info)
            call dsytri(uplo, n, a, long, pivot, work, info)
            call fresh; call dsysv(uplo, n, few, a, long, pivot, b, long, work, best, info)
            call fresh; call dpotrf(uplo, n, b, long, info)
            call dsygst(1, uplo, n, a, long, b, long, info)
            call dsygst(2, uplo, n, a, long, b, long, info)
        end do
    end subroutine

    subroutine orthogonal_factors
        call fresh; call dgeqrf(n, n, a, long, tau, work, -1, info)
        call dgeqrf(n, n, a, long, tau, work, best, info)
        call fresh; call dgeqrf(long, n, a, long, tau, work, n, info)
        call fresh; call dgeqrf(n, long, a, long, tau, work, long, info)
        call fresh; call dgeqrf(n, n, a, long, tau, work, n, info)
        call dormqr('L', 'T', n, few, n, a, long, tau, b, long, work, few, info)
        call dormqr('R', 'N', few, n, n, a, long, tau, b, long, work, few, info)
        call dormqr('L', 'N', n, n, n, a, long, tau, b, long, work, best, info)
        call dorgqr(n, n, n, a, long, tau, work, n, info)
        call fresh; call dgeqlf(n, n, a, long, tau, work, n, info)
        call dorgql(n, n, n, a, long, tau, work, n, info)
        call fresh; call dgelqf(n, n, a, long, tau, work, n, info)
        call dormlq('L', 'T', n, few, n, a, long, tau, b, long, work, few, info)
        call dorglq(n, n, n, a, long, tau, work, n, info)
        call fresh; call dgerqf(n, n, a, long, tau, work, n, info)
        call dorgrq(n, n, n, a, long, tau, work, n, info)
        pivot = 0
        call fresh; call dgeqp3(n, n, a, long, pivot, tau, work, best, info)
        call fresh; call dgels('N', long, n, few, a, long, b, long, work, 2 * n, info)
        call fresh; call dgels('T', long, n, few, a, long, b, long, work, 2 * n, info)
        call fresh; call dgels('N', n, long, few, a, long, b, long, work, 2 * n, info)
        call fresh; call dgels('N', n, n, 1, a, long, b, long, work, best, info)
    end subroutine

    subroutine reductions
        call fresh; call dgehrd(n, 1, n, a, long, tau, work, best, info)
        call dormhr('L', 'N', n, few, 1, n, a, long, tau, b, long, work, few, info)
        call dorghr(n, 1, n, a, long, tau, work, n, info)
        call fresh; call dsytrd('L', n, a, long, d, e, tau, work, best, info)
        call dormtr('L', 'L', 'N', n, few, a, long, tau, b, long, work, few, info)
        call dorgtr('L', n, a, long, tau, work, n, info)
        call fresh; call dsytrd('U', n, a, long, d, e, tau, work, best, info)
        call dorgtr('U', n, a, long, tau, work, n, info)
        call fresh; call dgebrd(n, long, a, long, d, e, tau, taup, work, best, info)
        call fresh; call dgebrd(n, n, a, long, d, e, tau, taup, work, n, info)
        call fresh; call dgehrd(n, 101, 400, a, long, tau, work, n, info)
        call fresh; call dsytrd('L', n, a, long, d, e, tau, work, 1, info)
        call fresh; call dgebrd(long, n, a, long, d, e, tau, taup, work, best, info)
        c = a
        call dormbr('Q', 'L', 'T', long, few, n, a, long, tau, b, long, work, few, info)
        call dormbr('P', 'R', 'T', few, n, long, a, long, taup, b, long, work, few, info)
        call dorgbr('Q', long, n, n, a, long, tau, work, n, info)
        call dorgbr('P', n, n, long, c, long, taup, work, n, info)
    end subroutine

    subroutine packed
        call fresh; call pack_lower; call dpptrf('L', n, c, info)
        call dpptrs('L', n, few, c, b, long, info)
        call dpptri('L', n, c, info)
        call fresh; call pack_lower; call dtptri('L', 'N', n, c, info)
        call fresh; call pack_lower; call dsptrf('L', n, c, pivot, info)
        call fresh; call pack_lower; call dsptrd('L', n, c, d, e, tau, info)
    end subroutine

    subroutine pack_lower
        call dtrttp('L', n, a, long, c, info)
    end subroutine

    subroutine bands
        a = 1
        b = original
        a(1, :) = 4 * long ! the diagonal, of a lower band
        call dpbtrf('L', n, band, a, long, info)
        call dpbtrs('L', n, band, few, a, long, b, long, info)
        a = 1
        a(2 * band + 1, :) = 4 * long ! of a band with room for as many superdiagonals again
        call dgbtrf(n, n, band, band, a, long, pivot, info)
        call dgbtrs('N', n, band, band, few, a, long, pivot, b, long, info)
    end subroutine

    ! With triangular factors of blocks of FEW / 4 as arguments
    subroutine explicit_blocks
        integer, parameter :: nb = few / 4
        call fresh; call dgeqrt(long, n, nb, a, long, c, long, work, info)
        call dgemqrt('L', 'T', long, few, n, nb, a, long, c, long, b, long, work, info)
        call dgemqrt('R', 'T', few, long, n, nb, a, long, c, long, b, long, work, info)
        call fresh; call dgelqt(n, long, nb, a, long, c, long, work, info)
        call dgemlqt('L', 'T', long, few, n, nb, a, long, c, long, b, long, work, info)
        call fresh; call dtpqrt(long, n, 0, nb, a, long, b, long, c, long, work, info)
        call fresh; call dtpqrt(n, n, n, nb, a, long, b, long, c, long, work, info)
        call dtpmqrt('L', 'T', n, few, n, n, nb, b, long, c, long, a, long, original, long, work, info)
    end subroutine

    subroutine generalized
        double precision :: q(2 * few, 2 * few)
        call fresh; call dtzrzf(n, long, a, long, tau, work, n, info)
        call dormrz('L', 'N', long, few, n, long - n, a, long, tau, b, long, work, few, info)
        call fresh; call dggqrf(n, long, few, a, long, tau, b, long, taup, work, long, info)
        call fresh; call dggrqf(few, long, n, a, long, tau, b, long, taup, work, long, info)
        call fresh; call dgglse(long, n, few, a, long, b, long, d, e, tau, work, n + long + few, info)
        call fresh; call dggglm(long, n, few + n, a, long, b, long, d, e, tau, work, 2 * n + long + few, info)
        call fresh; call dgghrd('I', 'I', 2 * few, 1, 2 * few, a, long, b, long, c, long, q, 2 * few, info)
        call fresh; call dsygs2(1, 'L', n, a, long, b, long, info)
        call dsygs2(2, 'U', n, a, long, b, long, info)
    end subroutine

    subroutine other_types
        s = real(original)
        call spotrf('L', n, s, long, info)
        z = original
        call zgetrf(n, n, z, long, pivot, info)
        call zgetri(n, z, long, pivot, zwork, best, info)
        z = original
        call zpotrf('L', n, z, long, info)
        z = original
        call zgeqrf(n, n, z, long, ztau, zwork, n, info)
        call zungqr(n, n, n, z, long, ztau, zwork, n, info)
        z = original
        call zhetrd('L', n, z, long, d, e, ztau, zwork, best, info)
        z = original
        call zhetrf('L', n, z, long, pivot, zwork, best, info)
    end subroutine
end program
