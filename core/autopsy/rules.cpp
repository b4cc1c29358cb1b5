// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autopsy/rules.h"

#include <array>
#include <utility>
#include <vector>

namespace kf {
namespace {

struct Entry {
    std::string_view headline;
    std::vector<RuleCause> causes;
    std::vector<std::string_view> tries;
    std::string_view unknown = {};
};

const std::vector<std::pair<FailureClass, Entry>>& class_table() {
    static const std::vector<std::pair<FailureClass, Entry>> table = {
        {FailureClass::parse,
         {"the text or a plan line is not well formed",
          {{"a plan line does not follow the grammar", 0.8}, {"the answer is not one complete file", 0.3}},
          {"correct the named line; plan lines are `#pragma kf STATEMENT`",
           "hand in one whole file, nothing around it"}}},
        {FailureClass::plan,
         {"the launch plan does not fit the task",
          {{"a name, shape or argument in the plan is not the task's or the kernel's", 0.8}},
          {"use the task's tensor and symbol names; give each kernel exactly its parameters, in order"}}},
        {FailureClass::limits,
         {"the launch plan goes beyond the device's limits",
          {{"a block, grid or shared memory size is too large for some case", 0.7},
           {"scratch buffers are too large", 0.4}},
          {"compute grid and block from the shape and keep them within the limits for every case",
           "use smaller tiles or fewer scratch buffers"}}},
        {FailureClass::compile,
         {"the compiler refused it",
          {{"a syntax or type error in the device code", 0.8}, {"a header or intrinsic that is not available", 0.3}},
          {"correct the first error first: later ones often follow from it"}}},
        {FailureClass::compiler_crash,
         {"the compiler itself crashed on it, twice",
          {{"a construct that hits a fault of the compiler (asm, deep templates, huge unrolling)", 0.6}},
          {"write the construct in another way: less unrolling, no inline asm, simpler templates"},
          "which construct the compiler stumbled over"}},
        {FailureClass::compile_timeout,
         {"compiling took too long",
          {{"very large unrolling or template recursion", 0.8}},
          {"limit `#pragma unroll`, make tiles smaller, make fewer template instances"}}},
        {FailureClass::state,
         {"it keeps state between launches",
          {{"a writable variable at namespace scope or a function-local static", 0.9}},
          {"pass everything through arguments; use a `scratch` buffer, which is new for every run"}}},
        {FailureClass::host_code,
         {"it holds host code",
          {{"a host function, a constructor, a dynamic initialiser or asm that this device cannot allow", 0.9}},
          {"keep device code only; the plan lines do everything that the host must do"}}},
        {FailureClass::needs_gpu,
         {"it cannot be judged on this device: it needs a GPU",
          {{"it uses tensor cores, TMA, clusters or another feature of a GPU", 0.9}},
          {"evaluate it on a GPU, or add a general path with `when`"},
          "whether it is right and how fast it is"}},
        {FailureClass::sandbox,
         {"it tried something that the sandbox stopped",
          {{"it called the operating system (files, network, processes)", 0.9}},
          {"compute from the inputs alone; nothing outside the buffers can be reached"}}},
        {FailureClass::launch,
         {"a launch failed or never ran",
          {{"grid, block or shared memory do not fit the kernel as compiled", 0.6},
           {"an empty grid for some size", 0.4}},
          {"check the launch's sizes for the smallest and the largest case", "use cdiv() for grids"}}},
        {FailureClass::crash,
         {"it crashed",
          {{"a read or write at an illegal address: an index beyond a buffer", 0.7},
           {"a null or mistaken pointer, an argument in the wrong place", 0.4},
           {"a division by zero or unbounded recursion", 0.2}},
          {"guard every index by the size it belongs to", "compare argument order in plan and kernel"}}},
        {FailureClass::exit,
         {"it ended the process",
          {{"exit, abort or a trap was called", 0.8}},
          {"remove traps and asserts, or find out why they fire"}}},
        {FailureClass::timeout,
         {"it took longer than its deadline",
          {{"a loop that does not end for some size", 0.5},
           {"far more work than needed: a wrong bound or a quadratic loop", 0.5}},
          {"check loop bounds and steps, above all for small and odd sizes"},
          "whether it would have ended"}},
        {FailureClass::no_progress,
         {"it waits for another block for ever",
          {{"a block spins on a flag that a block not yet started should set", 0.7},
           {"a flag is never reset or never written", 0.4}},
          {"take block numbers from an atomic ticket, so that predecessors have started",
           "use a `cooperative` launch for barriers over the grid, or split the kernel"}}},
        {FailureClass::barrier,
         {"threads of a block wait at different barriers",
          {{"a barrier inside a branch that not all threads take", 0.8},
           {"a return before a barrier", 0.4},
           {"a warp operation whose mask names threads that are elsewhere", 0.3}},
          {"move barriers out of branches; let all threads reach them, with guarded work in between"}}},
        {FailureClass::misaligned,
         {"a vector access at a misaligned address",
          {{"a vector load on rows whose length is no multiple of the vector's", 0.8},
           {"an offset into a buffer that breaks the alignment", 0.4}},
          {"take the vector path only `when` the row length is a multiple of the vector length, else a scalar path"}}},
        {FailureClass::out_of_bounds,
         {"it wrote outside its buffers",
          {{"the last block writes beyond the end: the guard on the index is missing", 0.7},
           {"a wrong stride, leading dimension or buffer size", 0.4}},
          {"guard each store by row and column limits", "check that scratch shapes hold what is written"}}},
        {FailureClass::input_written,
         {"it changed an input",
          {{"an input is used as workspace or pointers are exchanged", 0.8}},
          {"declare inputs const; write to outputs and scratch only"}}},
        {FailureClass::unwritten,
         {"parts of an output were never written",
          {{"the grid does not cover the whole output", 0.7}, {"a guard or early return skips elements", 0.5}},
          {"let the grid cover every element, tails included (cdiv)",
           "check which elements no thread owns for the named shape"}}},
        {FailureClass::unstable,
         {"two runs on the same inputs differ",
          {{"a race: a barrier between writing and reading shared memory is missing", 0.6},
           {"memory is read before it is written (scratch, shared memory)", 0.5},
           {"floating-point atomics whose order changes", 0.4}},
          {"put __syncthreads() between writers and readers of shared memory", "initialise scratch with `fill`",
           "for intended float atomics declare `unordered`"}}},
        {FailureClass::mismatch,
         {"the output is wrong",
          {{"the formula or an index differs from the reference", 0.4}},
          {"compare the smallest failing case by hand with the reference"}}},
        {FailureClass::nonfinite,
         {"NaN or Inf where there should be none, or none where there should be",
          {{"an overflow: exp() without subtracting the maximum, or a sum in half", 0.6},
           {"a division by zero or 0/0 in an empty or zero row", 0.4},
           {"memory is read before it is written", 0.3}},
          {"subtract the row's maximum before exp()", "accumulate in float",
           "handle rows of length 1 and rows of zeros"}}},
        {FailureClass::flood, {"it printed too much", {{"printf in every thread", 0.9}}, {"remove the printf"}}},
        {FailureClass::memory,
         {"it took too much memory",
          {{"scratch or device-side allocation grows with the size", 0.8}},
          {"work in tiles, reuse scratch, allocate nothing in the kernel"}}},
        {FailureClass::race,
         {"threads race for memory",
          {{"a barrier between a write and a read by another thread is missing", 0.8},
           {"two threads write one element", 0.4}},
          {"put __syncthreads() (or __syncwarp()) between the accesses of the named line and their counterpart",
           "give each element one owner, or use an atomic"}}},
        {FailureClass::after_timing,
         {"it was right while verified and wrong while timed",
          {{"its result depends on what an earlier run left behind", 0.6}, {"a race that shows only under load", 0.4}},
          {"initialise everything that is read in the same run", "look for missing barriers"},
          "what differed between the two runs"}},
        {FailureClass::suspect,
         {"it is faster than the device can be",
          {{"part of the work is not done while timed", 0.7}, {"the task's least work is stated too high", 0.2}},
          {"make sure that every input is read and every output is written in every call"},
          "which part of the work is missing"}},
    };
    return table;
}

const std::vector<std::pair<Pattern, Entry>>& pattern_table() {
    static const std::vector<std::pair<Pattern, Entry>> table = {
        {Pattern::all,
         {{},
          {{"the formula differs from the reference: a missing term, factor or step", 0.6},
           {"arguments are in the wrong order, or the wrong buffer is read", 0.4}},
          {"check the formula term by term against the reference", "compare argument order in plan and kernel"}}},
        {Pattern::constant,
         {{},
          {{"the result is never stored, or one value is stored everywhere", 0.7},
           {"a reduction's result replaces the elements", 0.3}},
          {"check what the final store writes and at which index"}}},
        {Pattern::tail,
         {{},
          {{"the tail is not handled: the size is no multiple of the block or vector", 0.8},
           {"the grid is rounded down", 0.5}},
          {"use cdiv() for the grid and guard the last block", "add a scalar tail after a vectorised loop"}}},
        {Pattern::row,
         {{},
          {{"some rows are assigned to no block or to a wrong one", 0.6},
           {"a reduction goes wrong in those rows (extreme values, missing barrier)", 0.5}},
          {"check the mapping from block or warp to row",
           "check the row reduction: its start value and its barriers"}}},
        {Pattern::column,
         {{},
          {{"a lane or a vector component is mishandled", 0.6}, {"a per-column vector is misindexed", 0.4}},
          {"check the unpacking of vector loads and the lane's column index"}}},
        {Pattern::tile,
         {{},
          {{"one block's tile is wrong: its edge guards or its barrier between tiles", 0.6},
           {"the block's index is computed wrongly", 0.5}},
          {"check barriers around shared tiles, and the tile's offset from blockIdx"}}},
        {Pattern::transposed,
         {{},
          {{"row and column are exchanged in an index", 0.8}, {"a `.T` is missing or too much in a gemm", 0.4}},
          {"check row-major strides in loads and stores", "check `.T` on gemm operands"}}},
        {Pattern::off_by_one,
         {{},
          {{"an index is one too small or too large", 0.7},
           {"exclusive where inclusive is wanted, or the reverse", 0.5}},
          {"check the start and end of the index range", "check whether a scan includes its own element"}}},
        {Pattern::broadcast,
         {{},
          {{"a vector (bias, weight, row statistic) is applied along the wrong axis or not at all", 0.8},
           {"an index lacks one of its coordinates", 0.4}},
          {"check which axis each vector belongs to", "check that stores use both row and column"}}},
        {Pattern::accumulation,
         {{},
          {{"sums are kept in a narrow type", 0.7}, {"an approximate intrinsic or fast_math is too coarse", 0.4}},
          {"accumulate in float and round once at the end", "try without fast_math and approximate intrinsics"}}},
        {Pattern::scattered,
         {{},
          {{"a race between threads", 0.4}, {"single values take a wrong path (ties, extremes, special values)", 0.4}},
          {"look at the inputs of the wrong elements", "check barriers and atomics"}}},
        {Pattern::unstable,
         {{},
          {{"a race or memory read before it is written", 0.7}},
          {"put __syncthreads() between writers and readers", "initialise scratch with `fill`"}}},
    };
    return table;
}

template<class Key> const std::vector<Rule>& rules_of(const std::vector<std::pair<Key, Entry>>& table) {
    static const std::vector<Rule> rules = [&] {
        std::vector<Rule> made;
        for (const auto& [key, entry] : table)
            made.push_back({entry.headline, entry.causes, entry.tries, entry.unknown});
        return made;
    }();
    return rules;
}

template<class Key> const Rule* find_rule(const std::vector<std::pair<Key, Entry>>& table, Key wanted) {
    const std::vector<Rule>& rules = rules_of(table);
    for (std::size_t k = 0; k < table.size(); ++k)
        if (table[k].first == wanted)
            return &rules[k];
    return nullptr;
}

} // namespace

const Rule& rule_for(FailureClass failure) {
    static constexpr std::array<RuleCause, 1> no_causes{{{"no rule knows this class", 0.1}}};
    static constexpr std::array<std::string_view, 1> no_tries{"read the evidence"};
    static const Rule unknown{"failed in a way that no rule knows", no_causes, no_tries, "what usually causes this"};
    const Rule* rule = find_rule(class_table(), failure);
    return rule ? *rule : unknown;
}

const Rule* rule_for(Pattern pattern) {
    return find_rule(pattern_table(), pattern);
}

} // namespace kf
