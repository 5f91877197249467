#!/usr/bin/env bash
# The interface is that of abi/interface.txt, and a change of it is noticed: each planted change of a copy of the header must fail.
set -euo pipefail
cd "$(dirname "$0")/.."
packaging/abi.sh
good=1 bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# planted WHAT SED
planted() {
    sed "$2" include/geoms.h >"$work/geoms.h"
    if cmp -s include/geoms.h "$work/geoms.h"; then
        echo "planted change: $1: FAIL, nothing was changed"
        bad=$((bad + 1))
    elif HEADER=$work/geoms.h packaging/abi.sh >"$work/log" 2>&1; then
        echo "planted change: $1: FAIL, not noticed"
        bad=$((bad + 1))
    else
        echo "planted change: $1: noticed"
        good=$((good + 1))
    fi
}
planted "type of a member" '/^typedef struct geoms_stats/,/^}/s/int64_t nmas;/int32_t nmas;/'
planted "order of members" '/^typedef struct geoms_step_info/,/^}/{s/double t_old;/double HELD;/;s/double h;/double t_old;/;s/double HELD;/double h;/}'
planted "type of an argument" '/^int geoms_integrate(/,/;/s/double t/float t/'
planted "type of a result" 's/^int64_t geoms_dimension(/int geoms_dimension(/'
planted "arguments of a callback" '/^typedef int (\*geoms_mass_fn)/,/;/s/double \*mass/float *mass/'
planted "value of a constant" 's/^\(#define GEOMS_IDID_BAD_ARGUMENT\) .*/\1 (-1000)/'
planted "a function less" '/^double geoms_next_step(/d'
echo "abi: $good passed, $bad failed"
[ "$bad" -eq 0 ]
