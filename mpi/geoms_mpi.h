/* Glued runs across processes: the transport of geoms_glue over MPI. libgeoms itself knows nothing of MPI.
 *
 *     geoms_glue *glue = geoms_glue_create();
 *     geoms_mpi *link;
 *     geoms_mpi_attach(glue, MPI_COMM_WORLD, 30.0, &link);
 *     ... geoms_glue_add(glue, owner, rank == owner ? model : NULL, x) ...
 *     geoms_glue_start(glue, t, h); geoms_glue_integrate(glue, tend);
 *     geoms_glue_free(glue);
 *     return geoms_mpi_finish(link, status);
 */
#ifndef GEOMS_MPI_H
#define GEOMS_MPI_H

#include <geoms.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The processes of a glued run. */
typedef struct geoms_mpi geoms_mpi;

/** Let a glued run exchange numbers over a communicator, of which a duplicate is used. A process that does not answer for `timeout` seconds is
 * lost: all others end with GEOMS_IDID_PEER_LOST. The time must be longer than the longest evaluation of a model. Collective. Returns 0 or a
 * code; GEOMS_IDID_BAD_ARGUMENT for a time that is not positive, and GEOMS_IDID_NOT_READY if MPI is not initialised. */
int geoms_mpi_attach(geoms_glue *glue, MPI_Comm comm, double timeout, geoms_mpi **link);

/** The same for Fortran: the integer of a communicator (comm%MPI_VAL with the module mpi_f08). */
int geoms_mpi_attach_f(geoms_glue *glue, int comm, double timeout, geoms_mpi **link);

/** Nonzero if a process was lost. */
int geoms_mpi_lost(const geoms_mpi *link);

/** Milliseconds that this process has waited for others. */
double geoms_mpi_waited(const geoms_mpi *link);

/** The last call: frees the link and calls MPI_Finalize. If a process was lost MPI_Finalize would wait for it in vain; then the process ends here,
 * with `status` as its exit code. Returns status. */
int geoms_mpi_finish(geoms_mpi *link, int status);

#ifdef __cplusplus
}
#endif

#endif
