#!/usr/bin/env bash
# Wall time of `fxrules apply` on a graph of fifty nodes against that of `fxrules --version`, both started
# in turn, medians of PAIRS (default 101) pairs.
set -eu -o pipefail
case " $* " in *--benchmark_filter*) exit 0 ;; esac # a filter is for the other benchmarks

fxrules=$(dirname "$0")/fxrules
pairs=${PAIRS:-101}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# x, then 48 calls in which every third may be removed, then the output.
graph() {
  local i value=x
  printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n'
  for ((i = 0; i < 48; ++i)); do
    case $((i % 3)) in
      0) printf '    %%relu_%d : [num_users=1] = call_function[target=torch.relu](args = (%%%s,), kwargs = {})\n' "$i" "$value" && value=relu_$i ;;
      1) printf '    %%add_%d : [num_users=1] = call_function[target=torch.add](args = (%%%s, 0), kwargs = {})\n' "$i" "$value" && value=add_$i ;;
      2) printf '    %%tanh_%d : [num_users=1] = call_function[target=torch.tanh](args = (%%%s,), kwargs = {})\n' "$i" "$value" && value=tanh_$i ;;
    esac
  done
  printf '    return %s\n' "$value"
}

milliseconds() {
  local start=$EPOCHREALTIME end
  "$@" >/dev/null
  end=$EPOCHREALTIME
  awk -v a="$start" -v b="$end" 'BEGIN { printf "%.3f\n", (b - a) * 1000 }'
}

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

graph >"$folder/graph.txt"
printf 'add(x, 0) => x\nrelu(u @ relu(_)) => u\n' >"$folder/small.rules"
for ((i = 0; i < pairs; ++i)); do
  milliseconds "$fxrules" --version >>"$folder/version"
  milliseconds "$fxrules" apply "$folder/small.rules" "$folder/graph.txt" >>"$folder/apply"
done
version=$(median "$folder/version") apply=$(median "$folder/apply")
printf 'The whole program, wall time, medians of %d pairs:\n' "$pairs"
printf 'fxrules --version                   %8s ms\n' "$version"
printf 'fxrules apply, graph of 50 nodes    %8s ms\n' "$apply"
awk -v a="$apply" -v v="$version" 'BEGIN { printf "ratio                               %8.1f\n\n", a / v }'
