# The first hour with a kernel of one's own: a Python function with a mistake, then a program that is right.
#
# It prints:
#
#   cause   nearest and nearest-exact are confused
#   report: written
#   upsample_nearest3d  build/kernel   16 cases   passed 16
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernel=examples/golden/numpy_upsample.py:backward
acltwin verify $kernel upsample_nearest_exact2d_backward --level quick --report "$work/report.html" > "$work/log" || true
grep '^cause' "$work/log"
test -s "$work/report.html" && echo "report: written"
g++ -std=c++17 -o "$work/kernel" examples/golden/kernel.cpp
acltwin verify --command "$work/kernel {inputs} {output}" upsample_nearest3d --level quick --dtype float32 \
    | sed "s,$work,build,"
