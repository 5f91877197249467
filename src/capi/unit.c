/* Messages on a Fortran unit: see unit.rs. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* SUBROUTINE GEWRIT(LUN,TEXT,LEN), if the program has linked it (fortran/gewrit.f).
 *
 * LUN and LEN point to 64-bit storage: on a little-endian machine a GEWRIT that was compiled with 4-byte INTEGER
 * reads the low half, one compiled with 8-byte INTEGER the whole, and both find the same number.
 * The last argument is the hidden length of the CHARACTER argument. */
extern void gewrit_(const int64_t *lun, const char *text, const int64_t *len, size_t text_length)
    __attribute__((weak));

void geoms_unit_write(int64_t lun, const char *text, int64_t len)
{
    if (lun <= 0 || len <= 0) {
        return;
    }
    if (gewrit_) {
        gewrit_(&lun, text, &len, (size_t)len);
        return;
    }
    if (lun == 6) {
        (void)fwrite(text, 1, (size_t)len, stdout);
        (void)fflush(stdout);
        return;
    }
    /* The name that gfortran gives to a unit that was not opened. */
    char name[32];
    (void)snprintf(name, sizeof name, "fort.%lld", (long long)lun);
    FILE *file = fopen(name, "a");
    if (file != NULL) {
        (void)fwrite(text, 1, (size_t)len, file);
        (void)fclose(file);
    }
}
