# The first hour with an aclnn program: build it, run it, make a mistake, and be told where.
#
# It prints:
#
#   gradInput: 52 68
#   161002: no message
#   refused: outputSize has 2 values, expected 3
#   found by check mode: use.refused-call
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
acltwin sdk "$work/sdk" > "$work/log"
flags=$(acltwin sdk "$work/sdk" --cflags --libs)
g++ -std=c++11 examples/cpp/two_phases.cpp $flags -o "$work/right"
"$work/right"
sed 's/grad_out_shape + 2, 3/grad_out_shape + 3, 2/; s/aclGetRecentErrMsg()/"no message"/' examples/cpp/two_phases.cpp > "$work/wrong.cpp"
g++ -std=c++11 -g -Iexamples/cpp "$work/wrong.cpp" $flags -o "$work/wrong"
ACLTWIN_LOG=1 "$work/wrong" 2> "$work/log" || true
echo "refused: $(grep -o 'outputSize has 2 values, expected 3' "$work/log" | head -1)"
acltwin check "$work/wrong" > "$work/log" 2>&1 || true
echo "found by check mode: $(grep -o 'use.refused-call' "$work/log" | head -1)"
