/* A chain of K subdomains with N rods each, glued across the processes of mpirun.
 *
 *   mpirun -n 4 chain [-k subdomains] [-b rods] [-n steps] [-h step] [-t topology] [-v] [-T timeout]
 *                     [-s prefix] [-r prefix] [-f stop|nan|kill|hang -w rank -c call]
 *
 * Every process prints x of its subdomains and its counters; -v varies the step; -s saves, -r resumes; -f makes the model of a process fail at a
 * call of its equations of motion. */
#define _POSIX_C_SOURCE 200809L
#include "rods.h"
#include <geoms_mpi.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int stop(rods *r, double *rda)
{
    (void)r;
    (void)rda;
    return -1;
}

static int not_a_number(rods *r, double *rda)
{
    rda[0] = NAN;
    r->at = r->calls + 1; /* and from now on */
    return 0;
}

static int killed(rods *r, double *rda)
{
    (void)r;
    (void)rda;
    raise(SIGKILL);
    return 0;
}

static int hangs(rods *r, double *rda)
{
    (void)r;
    (void)rda;
    sleep(8); /* longer than the others wait */
    _exit(9);
    return 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    int subdomains = 8, bodies = 1, steps = 100, topology = GEOMS_FLAT, variable = 0, who = -1, option;
    long at = 0;
    double h = 5e-3, timeout = 30.0;
    const char *save = NULL, *resume = NULL, *fault = NULL;
    MPI_Init(&argc, &argv);
    while ((option = getopt(argc, argv, "k:b:n:h:t:vT:s:r:f:w:c:")) != -1) {
        switch (option) {
        case 'k': subdomains = atoi(optarg); break;
        case 'b': bodies = atoi(optarg); break;
        case 'n': steps = atoi(optarg); break;
        case 'h': h = atof(optarg); break;
        case 't': topology = atoi(optarg); break;
        case 'v': variable = 1; break;
        case 'T': timeout = atof(optarg); break;
        case 's': save = optarg; break;
        case 'r': resume = optarg; break;
        case 'f': fault = optarg; break;
        case 'w': who = atoi(optarg); break;
        case 'c': at = atol(optarg); break;
        default: return 2;
        }
    }
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    geoms_glue *glue = geoms_glue_create();
    geoms_mpi *link = NULL;
    if (geoms_mpi_attach(glue, MPI_COMM_WORLD, timeout, &link)) {
        return 2;
    }
    geoms_glue_set_int(glue, "fixed", !variable);
    geoms_glue_set_int(glue, "topology", topology);
    rods *models = (rods *)calloc((size_t)subdomains, sizeof *models);
    for (int k = 0; k < subdomains; ++k) {
        const int owner = k * size / subdomains;
        double *x = NULL;
        geoms_solver *model = NULL;
        rods *r = &models[k];
        r->n = bodies;
        r->grounded = k == 0;
        if (owner == rank) {
            if (fault && owner == who) {
                r->at = at;
                r->fault = !strcmp(fault, "stop")   ? stop
                           : !strcmp(fault, "nan")  ? not_a_number
                           : !strcmp(fault, "kill") ? killed
                                                    : hangs;
                who = -1; /* one of its subdomains */
            }
            model = rods_create(r, ROD_LENGTH * bodies * k, &x);
        }
        geoms_glue_add(glue, owner, model, x);
        geoms_glue_port_frame(glue, k, 0, 1, 2, -0.5 * ROD_LENGTH, 0.0);
        geoms_glue_port_frame(glue, k, 3 * bodies - 3, 3 * bodies - 2, 3 * bodies - 1, 0.5 * ROD_LENGTH, 0.0);
    }
    for (int k = 1; k < subdomains; ++k) {
        geoms_glue_coincide(glue, k, 0, k - 1, 1, 2, NULL);
    }
    if (save) {
        geoms_glue_save_to(glue, save, 1);
    }
    int code = resume ? geoms_glue_resume(glue, resume) : geoms_glue_start(glue, 0.0, h);
    const double begin = seconds();
    double step = begin;
    while (code == 0 && geoms_glue_time(glue) < steps * h) {
        step = seconds();
        code = geoms_glue_step(glue, steps * h);
    }
    /* Of all steps, or of the one that has failed. */
    const double spent = seconds() - (code ? step : begin);
    if (code) {
        geoms_error e;
        geoms_glue_last_error(glue, &e);
        printf("rank %d code %d after %.2f s: %s\n", rank, code, spent, e.detail);
    } else {
        geoms_glue_stats s;
        geoms_glue_statistics(glue, &s);
        for (int k = 0; k < subdomains; ++k) {
            if (k * size / subdomains != rank) {
                continue;
            }
            double *x = (double *)malloc(sizeof *x * (size_t)rods_size(&models[k]));
            geoms_glue_state(glue, k, x);
            for (int i = 0; i < rods_size(&models[k]); ++i) {
                printf("%c %d %d %.17g\n", i < rods_rows(&models[k]) ? 'l' : 'x', k, i, x[i]);
            }
            free(x);
        }
        for (int j = 0; j + 1 < subdomains; ++j) {
            double f[2];
            if (j * size / subdomains == rank && geoms_glue_force(glue, j, 2, f) == 2) {
                printf("f %d %.17g %.17g\n", j, f[0], f[1]);
            }
        }
        printf("stat %d steps %llu iterations %llu refreshes %llu interface %llu messages %llu doubles %llu seconds %.6f coordination %.6f\n", rank,
               (unsigned long long)s.steps, (unsigned long long)s.iterations, (unsigned long long)s.refreshes,
               (unsigned long long)s.interface_doubles, (unsigned long long)s.messages, (unsigned long long)s.doubles, spent,
               1e-9 * (double)s.coordination_ns);
    }
    fflush(stdout);
    geoms_glue_free(glue);
    return geoms_mpi_finish(link, code ? 3 : 0);
}
