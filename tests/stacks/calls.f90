! SPDX-License-Identifier: BSD-3-Clause
! Calls ddot from module procedures, an internal procedure and the main program.
module work
    implicit none
    integer, parameter :: dp = kind(1d0)
    interface
        function ddot(n, x, incx, y, incy)
            integer, parameter :: dp = kind(1d0)
            integer :: n, incx, incy
            real(dp) :: ddot, x(*), y(*)
        end function
    end interface
contains
    function norm(n, x) result(s)
        integer, intent(in) :: n
        real(dp), intent(inout) :: x(n)
        real(dp) :: s
        s = ddot(n, x, 1, x, 1) + 1
    end function

    recursive function deep(depth, n) result(s)
        integer, intent(in) :: depth, n
        real(dp) :: s, x(n)
        x = 1
        if (depth == 0) then
            s = norm(n, x) + 1
        else
            s = deep(depth - 1, n + 1) + norm(n, x)
        end if
    end function
end module

program calls
    use work
    implicit none
    integer :: i
    real(dp) :: s, x(8)
    x = 1
    s = 0
    do i = 1, 20
        s = s + norm(8, x)
        s = s + deep(mod(i, 4), 3 + mod(i, 7))
        s = s + inside()
    end do
    if (s < 0) print *, s
contains
    function inside() result(r)
        real(dp) :: r
        r = ddot(4, x, 1, x, 1) + norm(2, x)
    end function
end program
