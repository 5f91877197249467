/* One thread in a privately linked OpenBLAS: the matrices are small, and the threads would be the program's.
 *
 * Linked into the private build only; on a copy that the program shares this would be none of our business. */

extern void openblas_set_num_threads(int);

/* Not part of the interface of OpenBLAS, so they may be absent: if set before its initialisation, it does not even
 * start threads. */
extern int blas_num_threads __attribute__((weak)), blas_cpu_number __attribute__((weak));

__attribute__((constructor(101))) static void start_none(void)
{
    if (&blas_num_threads && &blas_cpu_number) {
        blas_num_threads = blas_cpu_number = 1;
    }
}

__attribute__((constructor)) static void use_one(void)
{
    openblas_set_num_threads(1);
}
