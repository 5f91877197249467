/* The one function of the Fortran runtime that the archive of OpenBLAS needs: the names of options that LAPACK puts together
 * of letters for ILAENV. With it the extension needs no libgfortran. */

#include <stddef.h>
#include <string.h>

/* dest = a // b, cut off or filled with blanks. */
void _gfortran_concat_string(size_t n, char *dest, size_t na, const char *a, size_t nb, const char *b)
{
    const size_t first = na < n ? na : n;
    const size_t second = nb < n - first ? nb : n - first;
    memmove(dest, a, first);
    memmove(dest + first, b, second);
    memset(dest + first + second, ' ', n - first - second);
}
