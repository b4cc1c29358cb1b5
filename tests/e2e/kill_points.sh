#!/usr/bin/env bash
# kill -9 of the command line, the evaluator and each helper at random points of a real run. After each kill: no finished turn is lost,
# no process and no shared memory is left, and the run ends with a champion (resumed where the command line itself was killed).
# Usage: kill_points.sh BIN_FOLDER POINTS [TARGET…]     prints one line a point and a summary; exit 1 when anything was lost.
set -u
bin=$1
points=$2
shift 2
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(kernelforge kf-evaluator kf-oracle kf-cpu)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export KERNELFORGE_HOME=$work/home
passed=0
failed=0
declare -A before=() # start times by process number

tree() { # pids of $1 and all its descendants
  local pid=$1 child
  echo "$pid"
  for child in $(cat "/proc/$pid/task/"*/children 2>/dev/null); do tree "$child"; done
}
started() { # start time of a process, so that a reused pid is not mistaken for it; nothing for one that only waits to be reaped
  awk '$3 != "Z" {print $22}' "/proc/$1/stat" 2>/dev/null
}
finished_turns() { grep -c '"type":"turn_finished"' "$1/journal.jsonl" 2>/dev/null; }
has_champion() { grep -q '"type":"run_finished"' "$1/journal.jsonl" && grep -q '"type":"champion"' "$1/journal.jsonl"; }

for target in "${targets[@]}"; do
  comm=$target
  [ "$target" = kf-cpu ] && comm=runner # its name inside the sandbox
  for ((point = 1; point <= points; point++)); do
    runs=$work/runs-$target-$point
    mkdir -p "$runs"
    ls /dev/shm | sort >"$work/shm-before"
    "$bin/kernelforge" run stage1/silu_mul --points 5 --runs "$runs" --json >"$work/out" 2>"$work/err" </dev/null &
    run=$!
    # A random moment of the run; helpers that are not there yet (or any more) are waited for.
    sleep "$(awk -v r=$RANDOM 'BEGIN {printf "%.2f", 0.1 + 5.0 * r / 32768}')"
    victim=
    for ((try = 0; try < 200; try++)); do
      for pid in $(tree $run); do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$comm" ] && victim=$pid
      done
      [ -n "$victim" ] && break
      kill -0 $run 2>/dev/null || break
      sleep 0.02
    done
    folder=$(ls -d "$runs"/*/ 2>/dev/null | head -n 1)
    problem=
    if [ -z "$victim" ]; then
      note="the run had ended before"
    else
      note="killed $victim"
      before=()
      for pid in $(tree $run); do before[$pid]=$(started "$pid"); done
      [ -n "$folder" ] && cp "$folder/journal.jsonl" "$work/journal-before" 2>/dev/null || : >"$work/journal-before"
      kill -9 "$victim" 2>/dev/null
      if [ "$target" = kernelforge ]; then
        wait $run 2>/dev/null
        for ((try = 0; try < 300; try++)); do # what it started has 15 s to see that it is gone
          left=
          for pid in "${!before[@]}"; do
            [ -n "${before[$pid]}" ] && [ "$(started "$pid")" = "${before[$pid]}" ] && left="$left $pid:$(cat /proc/$pid/comm 2>/dev/null)"
          done
          [ -z "$left" ] && break
          sleep 0.05
        done
        [ -n "$left" ] && problem="processes left:$left"
        folder=$(ls -d "$runs"/*/ 2>/dev/null | head -n 1)
        if [ -n "$folder" ] && grep -q '"type":"run_started"' "$folder/journal.jsonl"; then
          grep -q '"type":"run_finished"' "$folder/journal.jsonl" || "$bin/kernelforge" resume "$folder" --json >"$work/out" 2>"$work/err" </dev/null ||
            problem="$problem; resume: $(tail -n 1 "$work/err")"
        else
          folder= # killed before the run had begun: there is nothing to resume
        fi
      fi
    fi
    [ "$target" = kernelforge ] || wait $run || problem="the run failed: $(tail -n 1 "$work/err")"
    wait $run 2>/dev/null
    # Whoever was there at the kill is gone when the run is.
    for pid in "${!before[@]}"; do
      [ -n "${before[$pid]}" ] && [ "$(started "$pid")" = "${before[$pid]}" ] && problem="$problem; left: $pid $(cat /proc/$pid/comm 2>/dev/null)"
    done
    before=()
    folder=$(ls -d "$runs"/*/ 2>/dev/null | head -n 1)
    if [ -n "$folder" ] && grep -q '"type":"run_started"' "$folder/journal.jsonl"; then
      has_champion "$folder" || problem="$problem; no champion at the end"
      # Every complete line that was there before is there still, at the same place.
      if [ -n "$victim" ]; then
        lines=$(wc -l <"$work/journal-before")
        cmp -s <(head -n "$lines" "$work/journal-before") <(head -n "$lines" "$folder/journal.jsonl") || problem="$problem; the journal's beginning changed"
      fi
    fi
    ls /dev/shm | sort >"$work/shm-after"
    cmp -s "$work/shm-before" "$work/shm-after" || problem="$problem; /dev/shm changed"
    if [ -n "$problem" ]; then
      failed=$((failed + 1))
      echo "FAIL $target $point ($note):$problem"
    else
      passed=$((passed + 1))
      echo "ok   $target $point ($note), $(finished_turns "$folder") turns finished"
    fi
    rm -rf "$runs"
  done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
