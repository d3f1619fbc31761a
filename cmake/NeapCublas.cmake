# CUDA::cublas from the PyPI wheel where the toolkit has none. find_package(CUDAToolkit) comes first.
set(NEAP_CUBLAS_ROOT ${PROJECT_SOURCE_DIR}/.cache/nvidia-cublas-13.1.0.3/nvidia/cu13 CACHE PATH
    "unpacked nvidia-cublas wheel: the folder with include/ and lib/")
if(NOT TARGET CUDA::cublas)
  find_path(NEAP_CUBLAS_INCLUDE cublas_v2.h HINTS ${NEAP_CUBLAS_ROOT}/include)
  # The wheel has no development links, hence the full names.
  find_library(NEAP_CUBLAS_LIBRARY NAMES cublas libcublas.so.13 HINTS ${NEAP_CUBLAS_ROOT}/lib)
  find_library(NEAP_CUBLASLT_LIBRARY NAMES cublasLt libcublasLt.so.13 HINTS ${NEAP_CUBLAS_ROOT}/lib)
  if(NOT NEAP_CUBLAS_INCLUDE OR NOT NEAP_CUBLAS_LIBRARY OR NOT NEAP_CUBLASLT_LIBRARY)
    message(FATAL_ERROR "cuBLAS not found: run scripts/setup --cuda, or set NEAP_CUBLAS_ROOT")
  endif()
  add_library(CUDA::cublasLt SHARED IMPORTED)
  set_target_properties(CUDA::cublasLt PROPERTIES IMPORTED_LOCATION ${NEAP_CUBLASLT_LIBRARY})
  add_library(CUDA::cublas SHARED IMPORTED)
  set_target_properties(CUDA::cublas PROPERTIES
    IMPORTED_LOCATION ${NEAP_CUBLAS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${NEAP_CUBLAS_INCLUDE}
    INTERFACE_LINK_LIBRARIES CUDA::cublasLt)
endif()
