// SPDX-License-Identifier: GPL-3.0-or-later
// kf-cuda shuts itself in. No host code of a candidate is in it, so these are second fences: what a hole in the driver
// or a compiler could reach. Each layer that is there is seen from inside, after the fact, and told to the evaluator;
// nothing is assumed.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

namespace kf::cuda {

inline constexpr int confine_exit_code = 6; // of a kf-cuda that could not shut itself in

// Where bubblewrap is not to be had: own network, IPC and mount namespaces, everything read-only, the home folders and
// /tmp covered. To be called first, with one thread. Needs to be root or to be allowed user namespaces. Error
// "confine" names the step and the system's reason; what was done before it stays.
Status enter_namespaces();

// Once the device's context is there: no capabilities, and a filter under which exec, ptrace, sockets, mounts and their
// like fail (EPERM) in every thread. Error "confine".
Status drop_privileges();

// {"network", "files", "processes", "privileges", "calls"}: true where the layer is there. `network`: no interface but
// loopback; `files`: the root is read-only and no home folder is seen; `processes`: process numbers of our own;
// `privileges`: no capability, none to be gained; `calls`: the filter. Also "uid", "network_namespace",
// "mount_namespace" for comparison with the evaluator's own.
Json confinement();

} // namespace kf::cuda
