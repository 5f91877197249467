//! Products of dense matrices and vectors, column-major.
//!
//! Written as sums over columns, four at a time, so that the inner loops run over contiguous entries; large
//! products of matrices go to BLAS. Products with a vector do not: they are bound by memory and
//! gain little. In every name the shape of A is (m, n) for vectors, and (m, k, n) means A m by k times
//! B k by n.

use super::{lapack, Path, Scalar, GEMM_MIN};

/// y := A x.
pub fn mul_vec(m: usize, n: usize, a: &[f64], x: &[f64], y: &mut [f64]) {
    y[..m].fill(0.0);
    add_mul_vec(m, n, 1.0, a, x, y);
}

/// y := y + alpha A x.
pub fn add_mul_vec(m: usize, n: usize, alpha: f64, a: &[f64], x: &[f64], y: &mut [f64]) {
    if m > 0 {
        add_columns(m, alpha, (a, m), &x[..n], &mut y[..m]);
    }
}

/// y := Aᵀ x.
pub fn mul_vec_transposed(m: usize, n: usize, a: &[f64], x: &[f64], y: &mut [f64]) {
    y[..n].fill(0.0);
    add_mul_vec_transposed(m, n, 1.0, a, x, y);
}

/// y := y + alpha Aᵀ x.
pub fn add_mul_vec_transposed(m: usize, n: usize, alpha: f64, a: &[f64], x: &[f64], y: &mut [f64]) {
    if m > 0 {
        for (y, column) in y[..n].iter_mut().zip(a.chunks_exact(m)) {
            *y += alpha * f64::dot(column, &x[..m]);
        }
    }
}

/// C := A B.
pub fn mul(m: usize, k: usize, n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    c[..m * n].fill(0.0);
    add_mul(m, k, n, 1.0, a, b, c);
}

/// C := C + alpha A B.
pub fn add_mul(m: usize, k: usize, n: usize, alpha: f64, a: &[f64], b: &[f64], c: &mut [f64]) {
    add_mul_ld((m, k, n), alpha, (a, m), (b, k), (c, m));
}

/// C := C + alpha A B for parts of larger matrices, each with its leading dimension.
pub fn add_mul_ld(
    shape: (usize, usize, usize),
    alpha: f64,
    a: (&[f64], usize),
    b: (&[f64], usize),
    c: (&mut [f64], usize),
) {
    let (m, k, n) = shape;
    add_mul_by(Path::up_to(GEMM_MIN - 1, m * k * n), shape, alpha, a, b, c);
}

fn add_mul_by(
    path: Path,
    (m, k, n): (usize, usize, usize),
    alpha: f64,
    (a, lda): (&[f64], usize),
    (b, ldb): (&[f64], usize),
    (c, ldc): (&mut [f64], usize),
) {
    if m == 0 || k == 0 {
        return;
    }
    if path == Path::Lapack
        && lapack::dgemm(false, (m, k, n), alpha, (a, lda), (b, ldb), 1.0, (&mut *c, ldc)).is_ok()
    {
        return;
    }
    for j in 0..n {
        add_columns(m, alpha, (a, lda), &b[j * ldb..j * ldb + k], &mut c[j * ldc..j * ldc + m]);
    }
}

/// C := Aᵀ B, with A k by m.
pub fn mul_transposed(m: usize, k: usize, n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    let c = &mut c[..m * n];
    let large = m * k * n >= GEMM_MIN;
    if large && lapack::dgemm(true, (m, k, n), 1.0, (a, k), (b, k), 0.0, (&mut *c, m)).is_ok() {
        return;
    }
    if m == 0 || k == 0 {
        c.fill(0.0);
        return;
    }
    for (c, b) in c.chunks_exact_mut(m).zip(b.chunks_exact(k)) {
        for (c, a) in c.iter_mut().zip(a.chunks_exact(k)) {
            *c = f64::dot(a, b);
        }
    }
}

/// y := y + alpha Σ x_j a_j over the columns of A.
#[inline]
fn add_columns(m: usize, alpha: f64, (a, lda): (&[f64], usize), x: &[f64], y: &mut [f64]) {
    let column = |j: usize| &a[j * lda..j * lda + m];
    let fours = x.len() / 4 * 4;
    for j in (0..fours).step_by(4) {
        let (f0, f1, f2, f3) = (alpha * x[j], alpha * x[j + 1], alpha * x[j + 2], alpha * x[j + 3]);
        let (a0, a1, a2, a3) = (column(j), column(j + 1), column(j + 2), column(j + 3));
        for ((((y, a0), a1), a2), a3) in y.iter_mut().zip(a0).zip(a1).zip(a2).zip(a3) {
            *y += (f0 * a0 + f1 * a1) + (f2 * a2 + f3 * a3);
        }
    }
    for (j, x) in x.iter().enumerate().skip(fours) {
        f64::axpy(alpha * x, column(j), y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_close, product, transpose, Random, SIZES};

    #[test]
    fn products_with_vectors() {
        let mut r = Random::new(1);
        for m in SIZES {
            for n in [m, m + 1, m / 2] {
                let (a, x, z) = (r.vec(m * n), r.vec(n), r.vec(m));
                let expected = product((m, n, 1), &a, &x);
                let mut y = vec![f64::NAN; m];
                mul_vec(m, n, &a, &x, &mut y);
                assert_close(&y, &expected, 1e-13);
                add_mul_vec(m, n, -1.0, &a, &x, &mut y);
                assert_close(&y, &vec![0.0; m], 1e-12);
                let mut y = vec![f64::NAN; n];
                mul_vec_transposed(m, n, &a, &z, &mut y);
                assert_close(&y, &product((n, m, 1), &transpose(m, n, &a), &z), 1e-12);
            }
        }
    }

    #[test]
    fn products_with_matrices() {
        let mut r = Random::new(2);
        for k in SIZES {
            let (m, n) = (k / 2 + 1, k + 2);
            let (a, b) = (r.vec(m * k), r.vec(k * n));
            let expected = product((m, k, n), &a, &b);
            let mut c = vec![f64::NAN; m * n];
            mul(m, k, n, &a, &b, &mut c);
            assert_close(&c, &expected, 1e-13);
            add_mul(m, k, n, -1.0, &a, &b, &mut c);
            assert_close(&c, &vec![0.0; m * n], 1e-12);
            mul_transposed(m, k, n, &transpose(m, k, &a), &b, &mut c);
            assert_close(&c, &expected, 1e-13);
        }
    }

    #[test]
    fn parts_leave_the_rest_alone() {
        let mut r = Random::new(3);
        let (m, k, n, lda, ldb, ldc) = (3, 5, 4, 7, 6, 9);
        let (a, b, c) = (r.vec(lda * k), r.vec(ldb * n), r.vec(ldc * n));
        for path in [Path::Own, Path::Lapack] {
            let mut d = c.clone();
            add_mul_by(path, (m, k, n), 0.5, (&a, lda), (&b, ldb), (&mut d, ldc));
            for t in 0..ldc * n {
                let (i, j) = (t % ldc, t / ldc);
                let sum: f64 =
                    (0..k).map(|l| if i < m { a[i + l * lda] * b[l + j * ldb] } else { 0.0 }).sum();
                assert!((d[t] - c[t] - 0.5 * sum).abs() < 1e-14);
            }
        }
    }
}
