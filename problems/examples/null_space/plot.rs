//! Small diagrams over time as SVG.

use std::fmt::Write as _;

/// One diagram: named lines of (t, value).
pub struct Panel {
    /// Heading.
    pub title: &'static str,
    /// Lines, drawn in this order.
    pub lines: Vec<(&'static str, Vec<(f64, f64)>)>,
}

const COLOURS: [&str; 3] = ["#c2571a", "#1f5fa8", "#2c8a4b"];
const W: f64 = 460.0;
const H: f64 = 220.0;
/// More points than this are not seen.
const POINTS: usize = 1200;

/// All panels beside each other.
pub fn svg(panels: &[Panel]) -> String {
    let (width, height) = (W * panels.len() as f64, H + 60.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" \
         font-size=\"11\"><rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
    );
    panels.iter().enumerate().for_each(|(k, panel)| draw(&mut out, panel, W * k as f64));
    out + "</svg>\n"
}

fn draw(out: &mut String, panel: &Panel, left: f64) {
    let all = || panel.lines.iter().flat_map(|l| &l.1);
    let bounds =
        |v: &mut dyn Iterator<Item = f64>| v.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
    let ((t0, t1), (y0, y1)) = (bounds(&mut all().map(|p| p.0)), bounds(&mut all().map(|p| p.1)));
    let (tall, long) = ((y1 - y0).max(f64::MIN_POSITIVE), (t1 - t0).max(f64::MIN_POSITIVE));
    let (x, y) = (
        |t: f64| left + 55.0 + (W - 75.0) * (t - t0) / long,
        |v: f64| 35.0 + (H - 20.0) * (1.0 - (v - y0) / tall),
    );
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"20\" font-size=\"13\">{}</text><rect x=\"{}\" y=\"35\" width=\"{}\" height=\"{}\" fill=\"none\" \
         stroke=\"#999999\"/>",
        left + 55.0,
        panel.title,
        left + 55.0,
        W - 75.0,
        H - 20.0
    );
    for k in 0..=4 {
        let part = f64::from(k) / 4.0;
        let (t, v) = (t0 + part * long, y0 + part * tall);
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{t:.3}</text><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"end\">{v:.3e}</text>",
            x(t),
            H + 30.0,
            left + 52.0,
            y(v) + 4.0
        );
    }
    for (k, ((name, line), colour)) in panel.lines.iter().zip(COLOURS).enumerate() {
        let stride = line.len().div_ceil(POINTS).max(1);
        let points: String =
            line.iter().step_by(stride).map(|(t, v)| format!("{:.1},{:.1} ", x(*t), y(*v))).collect();
        let _ = write!(
            out,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1\"/><text x=\"{}\" y=\"{}\" \
             fill=\"{colour}\">{name}</text>",
            left + 60.0 + 180.0 * k as f64,
            H + 50.0
        );
    }
}
