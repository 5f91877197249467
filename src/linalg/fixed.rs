//! Kernels for matrices of a few columns, with lengths that the compiler knows: whole columns in straight-line code, where loops
//! over parts of them spend more on their bounds than on numbers.

use super::LinalgError;

/// Call a kernel for a length known at run time; the last argument is for all other lengths.
macro_rules! by_length {
    ($n:expr, $kernel:ident($($argument:expr),*), $otherwise:expr) => {
        match $n {
            1 => $crate::linalg::fixed::$kernel::<1>($($argument),*),
            2 => $crate::linalg::fixed::$kernel::<2>($($argument),*),
            3 => $crate::linalg::fixed::$kernel::<3>($($argument),*),
            4 => $crate::linalg::fixed::$kernel::<4>($($argument),*),
            5 => $crate::linalg::fixed::$kernel::<5>($($argument),*),
            6 => $crate::linalg::fixed::$kernel::<6>($($argument),*),
            7 => $crate::linalg::fixed::$kernel::<7>($($argument),*),
            8 => $crate::linalg::fixed::$kernel::<8>($($argument),*),
            _ => $otherwise,
        }
    };
}
pub(crate) use by_length;

#[inline(always)]
fn add<const N: usize>(f: f64, x: &[f64; N], y: &mut [f64; N]) {
    for i in 0..N {
        y[i] += f * x[i];
    }
}

/// A column or vector of known length; shorter ones do not occur.
#[inline(always)]
fn column<const N: usize>(x: &[f64], k: usize) -> [f64; N] {
    let mut out = [0.0; N];
    out.copy_from_slice(&x[k * N..(k + 1) * N]);
    out
}

/// As [`super::cholesky::Cholesky::factor`], with zeros above the diagonal; true if no entry is off it. `dependent` is the
/// smallest pivot, relative to its diagonal entry.
pub fn cholesky<const N: usize>(a: &mut [f64], dependent: f64) -> Result<bool, LinalgError> {
    let mut l: [[f64; N]; N] = std::array::from_fn(|k| column(a, k));
    let diagonal: [f64; N] = std::array::from_fn(|k| l[k][k]);
    let mut is_diagonal = true;
    for k in 0..N {
        let pivot = l[k][k];
        if !pivot.is_finite() {
            return Err(LinalgError::NotFinite);
        }
        if pivot <= dependent * diagonal[k] || pivot < f64::MIN_POSITIVE {
            return Err(LinalgError::Singular { pivot: k });
        }
        let reciprocal = 1.0 / pivot.sqrt();
        let mut this = l[k].map(|v| v * reciprocal);
        this[k] = reciprocal;
        this[..k].fill(0.0);
        for j in k + 1..N {
            // Mass matrices of multibody systems have many zeros.
            if this[j] != 0.0 {
                is_diagonal = false;
                add(-this[j], &this, &mut l[j]);
            }
        }
        a[k * N..(k + 1) * N].copy_from_slice(&this);
    }
    Ok(is_diagonal)
}

/// x := L⁻¹ x for L of [`cholesky`].
pub fn solve_lower<const N: usize>(l: &[f64], x: &mut [f64]) {
    let mut y: [f64; N] = column(x, 0);
    for k in 0..N {
        let this: [f64; N] = column(l, k);
        let value = y[k] * this[k];
        add(-value, &this, &mut y);
        y[k] = value;
    }
    x[..N].copy_from_slice(&y);
}

/// x := L⁻ᵀ x for L of [`cholesky`].
pub fn solve_lower_transposed<const N: usize>(l: &[f64], x: &mut [f64]) {
    let mut y = [0.0; N];
    for k in (0..N).rev() {
        let this: [f64; N] = column(l, k);
        let mut sum = 0.0;
        for i in 0..N {
            sum += this[i] * y[i];
        }
        y[k] = (x[k] - sum) * this[k];
    }
    x[..N].copy_from_slice(&y);
}

/// X := X L⁻ᵀ for X with M rows and L of order n.
pub fn solve_rows<const M: usize>(n: usize, is_diagonal: bool, l: &[f64], x: &mut [f64]) {
    for k in 0..n {
        let (head, tail) = x.split_at_mut((k + 1) * M);
        let done = column::<M>(head, k).map(|v| v * l[k + k * n]);
        head[k * M..].copy_from_slice(&done);
        if is_diagonal {
            continue;
        }
        for (target, l) in tail.chunks_exact_mut(M).zip(&l[k * n + k + 1..(k + 1) * n]) {
            if *l != 0.0 {
                let mut sum: [f64; M] = column(target, 0);
                add(-l, &done, &mut sum);
                target.copy_from_slice(&sum);
            }
        }
    }
}

/// S := Y Yᵀ for Y with M rows.
pub fn gram<const M: usize>(y: &[f64], s: &mut [f64]) {
    let mut sum = [[0.0; M]; M];
    for k in 0..y.len() / M {
        let this: [f64; M] = column(y, k);
        for j in 0..M {
            if this[j] != 0.0 {
                add(this[j], &this, &mut sum[j]);
            }
        }
    }
    s.chunks_exact_mut(M).zip(&sum).for_each(|(s, sum)| s.copy_from_slice(sum));
}
