! geoms_mpi.h for Fortran. `comm` is the integer of a communicator: MPI_COMM_WORLD of the module mpi, comm%MPI_VAL with mpi_f08.
module geoms_mpi
  use, intrinsic :: iso_c_binding
  implicit none
  public

  interface
    ! Let a glued run exchange numbers over a communicator; a process that does not answer for `timeout` seconds is lost.
    integer(c_int) function geoms_mpi_attach(glue, comm, timeout, link) bind(c, name='geoms_mpi_attach_f')
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: glue
      integer(c_int), value :: comm
      real(c_double), value :: timeout
      type(c_ptr), intent(out) :: link
    end function

    ! Nonzero if a process was lost.
    integer(c_int) function geoms_mpi_lost(link) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: link
    end function

    ! Milliseconds that this process has waited for others.
    real(c_double) function geoms_mpi_waited(link) bind(c)
      import :: c_double, c_ptr
      type(c_ptr), value :: link
    end function

    ! The last call, in place of MPI_FINALIZE; returns status, or ends the process if another one was lost.
    integer(c_int) function geoms_mpi_finish(link, status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: link
      integer(c_int), value :: status
    end function
  end interface
end module
