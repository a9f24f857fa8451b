! SPDX-License-Identifier: BSD-3-Clause
!
! Heat in a square plate by the implicit Euler method: the matrix is factorised once, then every time step is a
! solve. Functions with real and complex results show that both arrive unchanged.
!
!     gfortran -O2 fortran_example.f90 -llapack -lblas -o fortran_example
program fortran_example
    implicit none
    integer, parameter :: dp = kind(1d0), m = 14, n = m * m, steps = 200
    real(dp) :: a(n, n), t(n), before(n), change
    complex(dp) :: wave(m), overlap
    complex(dp), external :: zdotc
    real(dp), external :: dnrm2, ddot
    integer :: ipiv(n), info, step, i
    external :: dgetrf, dgetrs, dcopy, daxpy

    call plate(a)
    call dgetrf(n, n, a, n, ipiv, info)
    if (info /= 0) error stop 'dgetrf failed'

    t = 0
    t(n / 2) = 1
    do step = 1, steps
        call dcopy(n, t, 1, before, 1)
        call dgetrs('N', n, 1, a, n, ipiv, t, n, info)
        call daxpy(n, -1d0, t, 1, before, 1)
        change = dnrm2(n, before, 1)
    end do

    wave = [(exp(cmplx(0, 0.3d0 * i, dp)) * t(i * m), i = 1, m)]
    overlap = zdotc(m, wave, 1, wave, 1)
    print '(a,es22.14,a,es10.2,a,2es12.4)', 'energy', ddot(n, t, 1, t, 1), ', last change', change, ', overlap', overlap

contains

    ! I - dt * Laplace operator on an m by m grid, boundary at 0
    subroutine plate(a)
        real(dp), intent(out) :: a(n, n)
        real(dp), parameter :: dt = 0.05_dp
        integer :: i

        a = 0
        do i = 1, n
            a(i, i) = 1 + 4 * dt
            if (mod(i, m) /= 0) a(i, i + 1) = -dt
            if (mod(i - 1, m) /= 0) a(i, i - 1) = -dt
            if (i > m) a(i, i - m) = -dt
            if (i <= n - m) a(i, i + m) = -dt
        end do
    end subroutine plate

end program fortran_example
