/* Two models in two languages: three rods in C and a fourth one in Fortran, in one process or in two (mpirun -n 2). The same chain as one model
 * is the reference: positions must agree to 1e-11. */
#include "rods.h"
#include <geoms_mpi.h>
#include <stdio.h>

geoms_solver *arm_create(double first, double *x);

enum { RODS = 3, STEPS = 200 };
static const double STEP = 5e-3;

/* p of the last rod when all four are one model of C. */
static int alone(double *tip)
{
    rods all = {RODS + 1, 1, 0, 0, 0, NULL};
    double *x;
    geoms_solver *model = rods_create(&all, 0.0, &x);
    geoms_glue *glue = geoms_glue_create();
    geoms_glue_set_int(glue, "fixed", 1);
    geoms_glue_add(glue, 0, model, x);
    int code = geoms_glue_start(glue, 0.0, STEP);
    code = code ? code : geoms_glue_integrate(glue, STEPS * STEP);
    if (!code) {
        geoms_glue_state(glue, 0, x);
        memcpy(tip, x + rods_size(&all) - 3, 3 * sizeof *tip);
    }
    geoms_glue_free(glue);
    geoms_free(model);
    free(x);
    return code;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    geoms_glue *glue = geoms_glue_create();
    geoms_mpi *link = NULL;
    if (geoms_mpi_attach(glue, MPI_COMM_WORLD, 30.0, &link)) {
        return 2;
    }
    geoms_glue_set_int(glue, "fixed", 1);
    rods r = {RODS, 1, 0, 0, 0, NULL};
    double *x = NULL, y[6];
    geoms_solver *in_c = NULL, *in_fortran = NULL;
    const int second = size > 1;
    if (rank == 0) {
        in_c = rods_create(&r, 0.0, &x);
    }
    if (rank == second) {
        in_fortran = arm_create(RODS * ROD_LENGTH, y);
    }
    geoms_glue_add(glue, 0, in_c, x);
    geoms_glue_add(glue, second, in_fortran, in_fortran ? y : NULL);
    const int end = 3 * RODS - 3;
    const int a = geoms_glue_port_frame(glue, 1, 0, 1, 2, -0.5 * ROD_LENGTH, 0.0);
    const int b = geoms_glue_port_frame(glue, 0, end, end + 1, end + 2, 0.5 * ROD_LENGTH, 0.0);
    const int joint = geoms_glue_coincide(glue, 1, a, 0, b, 2, NULL);

    int code = geoms_glue_start(glue, 0.0, STEP);
    code = code ? code : geoms_glue_integrate(glue, STEPS * STEP);
    int status = code != 0;
    if (code) {
        geoms_error e;
        geoms_glue_last_error(glue, &e);
        printf("rank %d: %s\n", rank, e.report);
    } else if (rank == second) {
        double tip[3], force[2], worst = 0.0;
        status = alone(tip);
        geoms_glue_state(glue, 1, y);
        geoms_glue_force(glue, joint, 2, force);
        for (int i = 0; i < 3; ++i) {
            worst = fmax(worst, fabs(y[3 + i] - tip[i]));
        }
        printf("tip of the rod in Fortran: %.12f %.12f %.12f, %.1e from one model; force %.6f %.6f\n", y[3], y[4], y[5], worst, force[0],
               force[1]);
        status |= !(worst < 1e-11);
    }
    geoms_glue_free(glue);
    geoms_free(in_c);
    geoms_free(in_fortran);
    free(x);
    return geoms_mpi_finish(link, status);
}
