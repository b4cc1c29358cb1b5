// SPDX-License-Identifier: GPL-3.0-or-later
// The binary contract between a compiled candidate (a shared object made for the CPU device) and kf-cpu, which loads
// it. The generated stub at the end of a candidate's translation unit defines kf_module; kf-cpu exports the kf_rt_*
// functions that resources/simt/ declares. Plain C types only: the same text is included by candidates' translation
// units.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define KF_CPU_ABI_VERSION 1

// One kernel of the plan's launches, in the order in which the compile request listed its expressions.
struct KfKernel {
    const char* expression; // as the plan writes it: "swiglu<256>"
    const char* signature;  // typeid(function type).name(), an Itanium-mangled function type: "FvPK6__halfS0_PS_iiE"
    void (*invoke)(void** args); // calls the kernel for the current thread; args[i] points at the i-th argument's value
    unsigned int arg_count;
};

struct KfModule {
    unsigned int abi_version;
    unsigned int kernel_count;
    const struct KfKernel* kernels;
};

// Exported as kf_module_signature: gives KfKernel::signature of kernel `index`, which may be null in the table (a
// mangled name is no constant expression, and a table with constructors would be refused).
typedef const char* (*KfSignatureFunction)(unsigned int index);

#ifdef __cplusplus
}
#endif
