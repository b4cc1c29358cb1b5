#pragma kf tune   BLOCK in {256, 128, 512}
#pragma kf launch add_bias<4><<<cdiv(M*N, 4*BLOCK), BLOCK>>>(x, b, out, M*N, N) when N % 4 == 0
#pragma kf launch add_bias<1><<<cdiv(M*N, BLOCK), BLOCK>>>(x, b, out, M*N, N)   when N % 4 != 0

template<int Width> struct alignas(4 * Width) Pack {
    float value[Width];
};

// Width elements a thread, in one load and one store.
template<int Width> __global__ void add_bias(const float* x, const float* b, float* out, long long count, int columns) {
    const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * Width;
    if (first >= count)
        return;
    const Pack<Width> in = *reinterpret_cast<const Pack<Width>*>(x + first);
    Pack<Width> sum;
    for (int k = 0; k < Width; ++k)
        sum.value[k] = in.value[k] + b[(first + k) % columns];
    *reinterpret_cast<Pack<Width>*>(out + first) = sum;
}
