//! How much a single error says: the same runs with tolerances that are a little larger.

use crate::Run;

/// By so much.
pub const FACTOR: f64 = 1.01;

/// Errors of p, v and multipliers of both lists that are comparable: of successes, and not zero.
fn pairs<'a>(runs: &'a [Run], others: &'a [Run]) -> impl Iterator<Item = (f64, f64)> + 'a {
    let successes = runs.iter().zip(others).filter(|(a, b)| a.idid == 0 && b.idid == 0);
    successes.flat_map(|(a, b)| a.error.into_iter().zip(b.error)).filter(|(a, b)| *a > 0.0 && *b > 0.0)
}

pub fn section(runs: &[Run], others: &[Run]) -> String {
    let (mut all, mut above, mut below, mut logarithms) = (0usize, 0, 0, 0.0f64);
    for (a, b) in pairs(runs, others) {
        all += 1;
        above += usize::from(b > 2.0 * a);
        below += usize::from(b < 0.5 * a);
        logarithms += (b / a).ln();
    }
    let percent = |count: usize| 100.0 * count as f64 / all as f64;
    format!(
        "\n## How much one error says\n\nWith tolerances that are 1 % larger, {above} of {all} errors ({:.1} %) are more than twice as \
         large as above and {below} ({:.1} %) less than half as large; the geometric mean of the quotients is {:.3}. Errors at \
         the end are sums of contributions of both signs, and the last of them, what Newton's method left in the last step, is another one \
         with every change of the steps. So an error of one run is to be read by the power of ten, and changes are to be judged by \
         whole curves.\n",
        percent(above),
        percent(below),
        (logarithms / all as f64).exp()
    )
}
