// Needs far more registers than its bounds allow: with the project's options this must not compile.
__global__ void __launch_bounds__(1024) spill(const float* in, float* out) {
  float held[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) held[i] = in[threadIdx.x + 1024 * i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) out[threadIdx.x + 1024 * i] = held[95 - i] * held[(i * 7) % 96];
}
