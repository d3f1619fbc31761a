#include "kernels/cpu/functions.hpp"

#define NEAP_QUOTE_VALUE(x) #x
#define NEAP_QUOTE(x) NEAP_QUOTE_VALUE(x)

namespace neap::kernels::NEAP_KERNEL_ISA {

constinit const kernel_table kernels = {
    .level = isa::NEAP_KERNEL_ISA,
    .name = NEAP_QUOTE(NEAP_KERNEL_ISA),
    .matmul_quantized = &matmul_quantized,
    .matmul_f32 = &matmul_f32,
    .quantize_row = &quantize_row,
    .root_mean_square = &root_mean_square,
    .rms_norm = &rms_norm,
    .add = &add,
    .gated_activation = &gated_activation,
    .rope = &rope,
    .kv_write = &kv_write,
    .attention = &attention,
    .argmax = &argmax,
};

}  // namespace neap::kernels::NEAP_KERNEL_ISA
