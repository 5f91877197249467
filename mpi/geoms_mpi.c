/* The transport of glued runs over MPI: point-to-point messages that nobody waits for without an end. */
#define _POSIX_C_SOURCE 200809L
#include "geoms_mpi.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NUMBERS = 1, ABANDONED = 2, QUESTION = 3, ANSWER = 4 };

/* Seconds of waiting without sleep. */
static const double SPIN = 50e-6;

/* A message under way; its memory is used again. */
typedef struct pending {
    MPI_Request request;
    double *data;
    int capacity;
    int busy;
} pending;

struct geoms_mpi {
    MPI_Comm comm;
    int rank, size;
    double timeout;
    double waited;
    int lost; /* 1 + number of the lost process, 0 if none */
    pending *out;
    int count;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int is_lost(geoms_mpi *link, int rank)
{
    if (!link->lost) {
        link->lost = 1 + rank;
    }
    return -link->lost;
}

/* A free place for a message of n numbers. */
static pending *place(geoms_mpi *link, int n)
{
    pending *found = NULL;
    for (int i = 0; i < link->count; ++i) {
        pending *p = &link->out[i];
        if (p->busy) {
            int done = 0;
            if (MPI_Test(&p->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) {
                p->busy = 0;
            }
        }
        if (!p->busy && (!found || p->capacity >= n)) {
            found = p;
        }
    }
    if (!found) {
        pending *more = realloc(link->out, sizeof *more * (size_t)(link->count + 8));
        if (!more) {
            return NULL;
        }
        link->out = more;
        memset(&more[link->count], 0, 8 * sizeof *more);
        found = &more[link->count];
        link->count += 8;
    }
    if (found->capacity < n) {
        double *data = realloc(found->data, sizeof *data * (size_t)n);
        if (!data) {
            return NULL;
        }
        found->data = data;
        found->capacity = n;
    }
    return found;
}

static int post(geoms_mpi *link, int to, const double *data, int n, int tag)
{
    pending *p = place(link, n);
    if (!p) {
        return 1;
    }
    memcpy(p->data, data, sizeof *data * (size_t)n);
    if (MPI_Isend(p->data, n, MPI_DOUBLE, to, tag, link->comm, &p->request) != MPI_SUCCESS) {
        return 1;
    }
    p->busy = 1;
    return 0;
}

static int send_numbers(int to, const double *data, int64_t n, void *user)
{
    geoms_mpi *link = user;
    if (link->lost) {
        return -link->lost;
    }
    return post(link, to, data, (int)n, NUMBERS) ? is_lost(link, to) : 0;
}

/* Take a message of one number if there is one: who has sent it, or -1. */
static int taken(geoms_mpi *link, int from, int tag, double *number)
{
    int there = 0;
    MPI_Status status;
    if (MPI_Iprobe(from, tag, link->comm, &there, &status) != MPI_SUCCESS || !there) {
        return -1;
    }
    MPI_Recv(number, 1, MPI_DOUBLE, status.MPI_SOURCE, tag, link->comm, MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
}

/* A process from which nothing comes in time is asked whether it is there: one that waits itself answers, and only one that does not is lost. So
 * everybody names the same one. */
static int receive_numbers(int from, double *data, int64_t n, void *user)
{
    geoms_mpi *link = user;
    MPI_Request request;
    if (link->lost) {
        return -link->lost;
    }
    if (MPI_Irecv(data, (int)n, MPI_DOUBLE, from, NUMBERS, link->comm, &request) != MPI_SUCCESS) {
        return is_lost(link, from);
    }
    const double begin = now();
    double last_look = begin, deadline = begin + link->timeout;
    int asked = 0;
    for (;;) {
        int done = 0, count = 0;
        MPI_Status status;
        if (MPI_Test(&request, &done, &status) != MPI_SUCCESS) {
            return is_lost(link, from);
        }
        const double t = now();
        if (done) {
            link->waited += t - begin;
            /* Another length comes from another run. */
            return MPI_Get_count(&status, MPI_DOUBLE, &count) == MPI_SUCCESS && count == (int)n ? 0 : is_lost(link, from);
        }
        if (t - last_look > 1e-3) {
            double who;
            last_look = t;
            if (taken(link, MPI_ANY_SOURCE, ABANDONED, &who) >= 0) {
                return is_lost(link, (int)who);
            }
            const int asking = taken(link, MPI_ANY_SOURCE, QUESTION, &who);
            if (asking >= 0) {
                post(link, asking, &who, 1, ANSWER);
            }
            if (asked && taken(link, from, ANSWER, &who) >= 0) {
                /* It waits as well, and will be told who is lost. */
                deadline = t + link->timeout;
                asked = 0;
            }
            if (t > deadline) {
                if (asked) {
                    return is_lost(link, from);
                }
                who = link->rank;
                post(link, from, &who, 1, QUESTION);
                asked = 1;
                deadline = t + fmax(0.2, 0.2 * link->timeout);
            }
        }
        /* On a core of its own the answer is there at once; on a shared one it comes sooner to a process that sleeps. */
        if (t - begin < SPIN) {
            sched_yield();
        } else {
            const struct timespec moment = {0, 20000};
            nanosleep(&moment, NULL);
        }
    }
}

static int abandon(int lost, void *user)
{
    geoms_mpi *link = user;
    const double who = lost;
    is_lost(link, lost);
    for (int to = 0; to < link->size; ++to) {
        if (to != link->rank && to != lost) {
            post(link, to, &who, 1, ABANDONED);
        }
    }
    /* The messages go out while MPI is called. */
    const double begin = now();
    int busy = 1;
    while (busy && now() - begin < 0.5) {
        busy = 0;
        for (int i = 0; i < link->count; ++i) {
            pending *p = &link->out[i];
            int done = 0;
            if (p->busy && MPI_Test(&p->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) {
                p->busy = 0;
            }
            busy |= p->busy;
        }
        sched_yield();
    }
    return 0;
}

int geoms_mpi_attach(geoms_glue *glue, MPI_Comm comm, double timeout, geoms_mpi **link)
{
    int begun = 0;
    if (!glue || !link || !(timeout > 0.0)) {
        return GEOMS_IDID_BAD_ARGUMENT;
    }
    MPI_Initialized(&begun);
    if (!begun) {
        return GEOMS_IDID_NOT_READY;
    }
    geoms_mpi *made = calloc(1, sizeof *made);
    if (!made) {
        return GEOMS_IDID_OUT_OF_MEMORY;
    }
    if (MPI_Comm_dup(comm, &made->comm) != MPI_SUCCESS) {
        free(made);
        return GEOMS_IDID_BAD_ARGUMENT;
    }
    MPI_Comm_set_errhandler(made->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(made->comm, &made->rank);
    MPI_Comm_size(made->comm, &made->size);
    made->timeout = timeout;
    *link = made;
    return geoms_glue_set_transport(glue, made->rank, made->size, send_numbers, receive_numbers, abandon, made);
}

int geoms_mpi_attach_f(geoms_glue *glue, int comm, double timeout, geoms_mpi **link)
{
    return geoms_mpi_attach(glue, MPI_Comm_f2c((MPI_Fint)comm), timeout, link);
}

int geoms_mpi_lost(const geoms_mpi *link) { return link && link->lost; }

double geoms_mpi_waited(const geoms_mpi *link) { return link ? 1e3 * link->waited : 0.0; }

int geoms_mpi_finish(geoms_mpi *link, int status)
{
    if (link && link->lost) {
        fflush(NULL);
        _exit(status);
    }
    if (link) {
        for (int i = 0; i < link->count; ++i) {
            if (link->out[i].busy) {
                MPI_Wait(&link->out[i].request, MPI_STATUS_IGNORE);
            }
            free(link->out[i].data);
        }
        free(link->out);
        MPI_Comm_free(&link->comm);
        free(link);
    }
    MPI_Finalize();
    return status;
}
