/* A run that is stopped, saved, and resumed in another handle is identical, bit for bit, to one that is not. */

#include "pendulum_model.h"

#include <stdlib.h>
#include <string.h>

static const double start[5] = {(2.8 * 2.8 + 13.75) / 2, 2.8, 0, 0, -1};

static void steps(geoms_solver *h, int count)
{
    while (count-- > 0 && geoms_time(h) < 5) {
        if (geoms_step(h, 5) != 0) {
            check("step", 0);
            return;
        }
    }
}

int main(void)
{
    double gravity = 13.75, whole[5], x[5], y[5], between[5];
    size_t length = 0, less;
    unsigned char *bytes;
    geoms_stats all, both;
    geoms_solver *h = pendulum_solver(&gravity, 1e-8), *other;

    geoms_set_real(h, "thet", 0.5); /* Jacobians are kept over some steps: they belong to the state */
    check("start", geoms_start(h, 0, start, 0.01) == 0);
    steps(h, 1000000);
    geoms_state(h, whole);
    geoms_statistics(h, &all);

    check("start again", geoms_start(h, 0, start, 0.01) == 0);
    steps(h, 23);
    check("length", geoms_save(h, NULL, &length) == 0 && length > 0);
    bytes = (unsigned char *)malloc(length);
    less = length - 1;
    check("a short buffer is refused", geoms_save(h, bytes, &less) == GEOMS_IDID_BAD_ARGUMENT && less == length);
    check("save", geoms_save(h, bytes, &length) == 0);
    geoms_state(h, x);
    geoms_dense(h, geoms_time(h) - 1e-3, between);
    geoms_free(h);

    other = pendulum_solver(&gravity, 1e-8);
    geoms_set_real(other, "thet", 0.5);
    check("damaged bytes are refused", geoms_restore(other, bytes, length - 8) == GEOMS_IDID_BAD_ARGUMENT);
    check("restore", geoms_restore(other, bytes, length) == 0);
    geoms_state(other, y);
    check("same point", memcmp(x, y, sizeof x) == 0);
    geoms_dense(other, geoms_time(other) - 1e-3, y);
    check("same dense output", memcmp(between, y, sizeof y) == 0);
    check("not beyond the last step", geoms_dense(other, geoms_time(other) - 10, y) == GEOMS_IDID_BAD_ARGUMENT);
    check("to the end", geoms_integrate(other, 5) == 0);
    geoms_state(other, x);
    geoms_statistics(other, &both);
    check("same end, bit for bit", memcmp(whole, x, sizeof x) == 0);
    check("same counters", memcmp(&all, &both, sizeof all) == 0);
    printf("%d bytes, %d steps\n", (int)length, (int)all.naccpt);
    free(bytes);
    geoms_free(other);
    return failures != 0;
}
