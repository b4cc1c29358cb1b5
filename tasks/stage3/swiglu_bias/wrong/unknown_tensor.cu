// expect: class=plan place=line:3 pattern=none
// The plan names a tensor that the task does not have.
#pragma kf launch swiglu<<<1, 1>>>(x, weight, out)

__global__ void swiglu(const void* x, const void* w, void* out) {}
