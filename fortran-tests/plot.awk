# Draws the altitude p2(t) of the pendulum as SVG (Figure 6 of the report).
#
#   awk -f plot.awk pendulum.dat > pendulum.svg         columns: initial velocity, t, p2

function px(t) { return left + (t - t0) / (t1 - t0) * width }
function py(p) { return top + (p1 - p) / (p1 - p0) * height }
function text(x, y, anchor, size, colour, s) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>\n", x, y, anchor, size, colour, s
}
function line(x1, y1, x2, y2, style) {
    printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style
}

BEGIN {
    left = 70; top = 48; width = 700; height = 300
    t0 = 0; t1 = 5; p0 = -1.02; p1 = -0.65
    colour[1] = "#1b6ca8"; colour[2] = "#d9480f"
}

{
    if (!($1 in path)) order[++curves] = $1
    path[$1] = path[$1] sprintf("%s%.2f %.2f", path[$1] == "" ? "M" : " L", px($2), py($3))
}

END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 420\" font-family=\"Helvetica, Arial, sans-serif\">"
    print "<title>Pendulum: altitude over time for two initial velocities</title>"
    print "<rect width=\"800\" height=\"420\" rx=\"6\" fill=\"#ffffff\"/>"
    text(left, 28, "start", 16, "#222222", "Pendulum: altitude <tspan font-style=\"italic\">p</tspan>₂ for two initial velocities")

    for (k = 0; k <= 5; k++) {
        line(px(k), top, px(k), top + height, "stroke=\"#e6e6e6\"")
        text(px(k), top + height + 20, "middle", 13, "#444444", k)
    }
    for (k = 0; k <= 6; k++) {
        p = -1 + 0.05 * k
        line(left, py(p), left + width, py(p), "stroke=\"#e6e6e6\"")
        text(left - 8, py(p) + 4, "end", 13, "#444444", sprintf("−%.2f", -p))
    }
    altitude = -sqrt(0.5)
    line(left, py(altitude), left + width, py(altitude), "stroke=\"#555555\" stroke-dasharray=\"6 4\"")
    # Between the first two peaks, where no curve is near.
    text(px(0.885), py(altitude) - 6, "middle", 12, "#555555", "deviation of 45°")

    for (c = 1; c <= curves; c++)
        printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>\n", path[order[c]], colour[c]

    printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444444\"/>\n", left, top, width, height
    text(left + width / 2, top + height + 42, "middle", 14, "#222222", "<tspan font-style=\"italic\">t</tspan>")
    printf "<text transform=\"translate(22 %.1f) rotate(-90)\" text-anchor=\"middle\" font-size=\"14\" fill=\"#222222\"><tspan font-style=\"italic\">p</tspan>₂</text>\n", top + height / 2
    for (c = 1; c <= curves; c++) {
        x = left + width - 240 + 130 * (c - 1)
        line(x, 23, x + 26, 23, "stroke=\"" colour[c] "\" stroke-width=\"2.4\"")
        text(x + 33, 28, "start", 14, "#222222", sprintf("<tspan font-style=\"italic\">v</tspan>₁₀ = %.1f", order[c]))
    }
    print "</svg>"
}
