//! Small dense linear algebra of its own: the reference must not share that of the library.

/// Column-major matrix.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub a: Vec<f64>,
}

impl Matrix {
    pub fn new(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, a: vec![0.0; rows * columns] }
    }

    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.a[i + j * self.rows]
    }

    pub fn at(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.a[i + j * self.rows]
    }

    /// A block, from a row and a column on.
    pub fn put(&mut self, block: &Matrix, row: usize, column: usize) {
        for (j, from) in block.a.chunks_exact(block.rows.max(1)).enumerate() {
            self.a[row + (column + j) * self.rows..][..block.rows].copy_from_slice(from);
        }
    }

    /// self · other.
    pub fn times(&self, other: &Matrix) -> Matrix {
        let mut out = Matrix::new(self.rows, other.columns);
        for j in 0..other.columns {
            for k in 0..self.columns {
                let factor = other.get(k, j);
                if factor != 0.0 {
                    for i in 0..self.rows {
                        out.a[i + j * self.rows] += self.a[i + k * self.rows] * factor;
                    }
                }
            }
        }
        out
    }

    pub fn transposed(&self) -> Matrix {
        let mut out = Matrix::new(self.columns, self.rows);
        for j in 0..self.columns {
            for i in 0..self.rows {
                *out.at(j, i) = self.get(i, j);
            }
        }
        out
    }
}

/// Solve A X = B by elimination with partial pivoting, B overwritten; the smallest pivot relative to the largest.
pub fn solve(mut a: Matrix, b: &mut Matrix) -> f64 {
    let n = a.rows;
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a.get(i, k).abs().total_cmp(&a.get(j, k).abs())).unwrap_or(k);
        if pivot != k {
            for j in 0..n {
                a.a.swap(k + j * n, pivot + j * n);
            }
            for j in 0..b.columns {
                b.a.swap(k + j * n, pivot + j * n);
            }
        }
        let diagonal = a.get(k, k);
        least = least.min(diagonal.abs());
        most = most.max(diagonal.abs());
        for i in k + 1..n {
            let factor = a.get(i, k) / diagonal;
            if factor != 0.0 {
                *a.at(i, k) = factor;
            }
        }
        for j in k + 1..n {
            let top = a.get(k, j);
            if top != 0.0 {
                for i in k + 1..n {
                    a.a[i + j * n] -= a.a[i + k * n] * top;
                }
            }
        }
        for j in 0..b.columns {
            let top = b.get(k, j);
            if top != 0.0 {
                for i in k + 1..n {
                    b.a[i + j * n] -= a.a[i + k * n] * top;
                }
            }
        }
    }
    for j in 0..b.columns {
        for k in (0..n).rev() {
            let x = b.get(k, j) / a.get(k, k);
            *b.at(k, j) = x;
            for i in 0..k {
                b.a[i + j * n] -= a.a[i + k * n] * x;
            }
        }
    }
    if n == 0 {
        1.0
    } else {
        least / most
    }
}
