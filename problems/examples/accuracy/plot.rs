//! Small work-precision diagrams as SVG.

use std::fmt::Write as _;

/// One diagram: lines of (work, error).
pub struct Panel {
    /// Heading.
    pub title: String,
    /// Points of the lines, in the order of the names.
    pub lines: Vec<Vec<(f64, f64)>>,
}

const COLOURS: [&str; 9] =
    ["#1f5fa8", "#c2571a", "#2c8a4b", "#8a4fb0", "#b3273b", "#6b6b6b", "#c9a227", "#2aa5a0", "#d46fa8"];
const W: f64 = 230.0;
const H: f64 = 170.0;
const COLUMNS: usize = 4;

/// All panels on one sheet, double-logarithmic, with common axes.
pub fn svg(title: &str, names: &[&str], panels: &[Panel]) -> String {
    let all = || panels.iter().flat_map(|p| p.lines.iter().flatten());
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::MAX, f64::MIN), |(lo, hi), v| (lo.min(v.log10().floor()), hi.max(v.log10().ceil())))
    };
    let (x0, x1) = range(&mut all().map(|p| p.0));
    let (y0, y1) = range(&mut all().map(|p| p.1));
    let rows = panels.len().div_ceil(COLUMNS);
    let (width, height) = (COLUMNS as f64 * W + 20.0, rows as f64 * H + 50.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" \
         font-size=\"11\"><rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\
         <text x=\"20\" y=\"22\" font-size=\"14\">{title}</text>"
    );
    for (i, (name, colour)) in names.iter().zip(COLOURS).enumerate() {
        let x = width - 90.0 * (names.len() - i) as f64;
        let _ = write!(
            out,
            "<circle cx=\"{x}\" cy=\"18\" r=\"4\" fill=\"{colour}\"/><text x=\"{}\" y=\"22\">{name}</text>",
            x + 8.0
        );
    }
    for (i, panel) in panels.iter().enumerate() {
        let (left, top) = (20.0 + (i % COLUMNS) as f64 * W + 24.0, 40.0 + (i / COLUMNS) as f64 * H + 16.0);
        let (w, h) = (W - 44.0, H - 46.0);
        let px = |x: f64| left + w * (x.log10() - x0) / (x1 - x0);
        let py = |y: f64| top + h * (1.0 - (y.log10() - y0) / (y1 - y0));
        let _ = write!(out, "<text x=\"{left}\" y=\"{}\">{}</text>", top - 4.0, panel.title);
        grid(&mut out, (left, top, w, h), (x0, x1), (y0, y1));
        for (line, colour) in panel.lines.iter().zip(COLOURS) {
            let points: Vec<String> =
                line.iter().map(|&(x, y)| format!("{:.1},{:.1}", px(x), py(y))).collect();
            let _ = write!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
                points.join(" ")
            );
            for point in &points {
                let (x, y) = point.split_once(',').unwrap_or(("0", "0"));
                let _ = write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"2\" fill=\"{colour}\"/>");
            }
        }
    }
    out + "</svg>\n"
}

/// Frame, grid lines per decade (every third one labelled on the error axis).
fn grid(
    out: &mut String,
    (left, top, w, h): (f64, f64, f64, f64),
    (x0, x1): (f64, f64),
    (y0, y1): (f64, f64),
) {
    let mut decade = x0;
    while decade <= x1 {
        let x = left + w * (decade - x0) / (x1 - x0);
        let _ = write!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{}\" stroke=\"#e3e3e3\"/><text x=\"{x:.1}\" y=\"{}\" \
             text-anchor=\"middle\" font-size=\"8\" fill=\"#666666\">1e{decade}</text>",
            top + h,
            top + h + 10.0
        );
        decade += 1.0;
    }
    let mut decade = y0;
    while decade <= y1 {
        let y = top + h * (1.0 - (decade - y0) / (y1 - y0));
        let _ = write!(
            out,
            "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{}\" y2=\"{y:.1}\" stroke=\"#e3e3e3\"/>",
            left + w
        );
        if (decade as i64).rem_euclid(3) == 0 {
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"8\" fill=\"#666666\">1e{decade}</text>",
                left - 3.0,
                y + 3.0
            );
        }
        decade += 1.0;
    }
}
