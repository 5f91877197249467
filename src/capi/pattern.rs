//! The pattern of the model's matrices, said matrix by matrix.

use crate::layout::Layout;
use crate::system::Sparsity;
use std::sync::{Arc, OnceLock};

type List = Vec<(u32, u32)>;

/// What was said of M, FX1..FX6; matrices of which nothing was said are full. A run keeps what it was begun with.
#[derive(Clone, Default)]
pub(super) struct Pattern {
    said: Arc<[Option<List>; 7]>,
    /// Of the last matrix that was spoken of.
    layout: Option<Layout>,
    /// All of them, once it is asked for: a large matrix that is yet to be spoken of is not written out as full.
    whole: Arc<OnceLock<Sparsity>>,
}

/// Rows and columns of M (0) or FX1..FX6.
pub(super) fn shape(layout: &Layout, matrix: usize) -> (usize, usize) {
    match matrix.checked_sub(1) {
        None => (layout.dims.nv, layout.dims.nv),
        Some(block) => layout.fx_shapes()[block],
    }
}

impl Pattern {
    /// Say it of one matrix; `None`: full.
    pub fn set(&mut self, layout: &Layout, matrix: usize, list: Option<List>) {
        Arc::make_mut(&mut self.said)[matrix] = list;
        self.layout = Some(*layout);
        self.whole = Arc::default();
    }

    /// The pattern of all matrices, if anything was said.
    pub fn whole(&self) -> Option<&Sparsity> {
        let layout = self.layout.filter(|_| self.said.iter().any(Option::is_some))?;
        let full = |matrix: usize| {
            let (m, n) = shape(&layout, matrix);
            (0..n as u32).flat_map(|j| (0..m as u32).map(move |i| (i, j))).collect()
        };
        let list = |matrix: usize| self.said[matrix].clone().unwrap_or_else(|| full(matrix));
        let whole = || Sparsity { mass: list(0), fx: std::array::from_fn(|block| list(block + 1)) };
        Some(self.whole.get_or_init(whole))
    }
}
