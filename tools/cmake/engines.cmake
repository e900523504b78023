# Native engines as plug-ins, build/engines/NAME.so: each option is the folder of a
# checkout, or of a wheel. conformance/engines/README.md says what is judged.
set(ROPEPROOF_ENGINE_GGML "" CACHE PATH "A checkout of ggml")
set(ROPEPROOF_ENGINE_XNNPACK "" CACHE PATH "A checkout of XNNPACK")
set(ROPEPROOF_ENGINE_GEMMA_CPP "" CACHE PATH "A checkout of gemma.cpp")
set(ROPEPROOF_ENGINE_HIGHWAY "" CACHE PATH "A checkout of the Highway that gemma.cpp wants")
set(ROPEPROOF_ENGINE_CTRANSLATE2 "" CACHE PATH "A checkout of CTranslate2")
set(ROPEPROOF_ENGINE_VLLM "" CACHE PATH "A checkout of vLLM")
set(ROPEPROOF_ENGINE_TORCH "" CACHE PATH "The folder torch of PyTorch's wheel, for vLLM")
set(ROPEPROOF_ENGINE_MLX "" CACHE PATH "The folder mlx of the wheels mlx and mlx-cpu")

# Defines the plug-in NAME if its option is set: to a folder that has all of `files`.
function(ropeproof_engine name option files)
  set(has_${name} OFF PARENT_SCOPE)
  if(NOT ${option})
    return()
  endif()
  foreach(file IN LISTS files)
    if(NOT EXISTS ${${option}}/${file})
      message(FATAL_ERROR "${option}=${${option}} is not ${name}: it has no ${file}")
    endif()
  endforeach()
  add_library(engine_${name} MODULE conformance/engines/${name}.cc ${ARGN})
  target_link_libraries(engine_${name} PRIVATE ropeproof::kernel_abi)
  target_compile_features(engine_${name} PRIVATE cxx_std_20)
  set_target_properties(engine_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX .so
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/engines)
  add_dependencies(ropeproof engine_${name})
  set(has_${name} ON PARENT_SCOPE)
endfunction()

ropeproof_engine(ggml ROPEPROOF_ENGINE_GGML "include/ggml.h;src/ggml-cpu/ops.cpp")
if(has_ggml)
  set(GGML_STANDALONE OFF)
  set(BUILD_SHARED_LIBS OFF)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(GGML_OPENMP OFF CACHE BOOL "" FORCE)
  add_subdirectory(${ROPEPROOF_ENGINE_GGML} ${PROJECT_BINARY_DIR}/ggml EXCLUDE_FROM_ALL)
  target_link_libraries(engine_ggml PRIVATE ggml-cpu ggml-base)
endif()

# The microkernel that src/configs/cmul-config.c picks on this kind of processor.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(kernel fma3_u16)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(kernel neon_u8)
else()
  set(kernel scalar_u4)
endif()
string(REPLACE _ - file src/f32-vcmul/gen/f32-vcmul-${kernel}.c)
ropeproof_engine(xnnpack ROPEPROOF_ENGINE_XNNPACK "${file}"
  ${ROPEPROOF_ENGINE_XNNPACK}/${file})
if(has_xnnpack)
  # Its headers name a type of pthreadpool, a library that a checkout does not have.
  file(WRITE ${PROJECT_BINARY_DIR}/xnnpack/pthreadpool.h
    "typedef struct pthreadpool* pthreadpool_t;\n")
  target_include_directories(engine_xnnpack PRIVATE
    ${PROJECT_BINARY_DIR}/xnnpack ${ROPEPROOF_ENGINE_XNNPACK} ${ROPEPROOF_ENGINE_XNNPACK}/include)
  target_compile_definitions(engine_xnnpack PRIVATE KERNEL=${kernel})
  if(kernel STREQUAL fma3_u16)
    set_source_files_properties(${ROPEPROOF_ENGINE_XNNPACK}/${file} PROPERTIES
      COMPILE_OPTIONS "-mavx;-mfma")
  endif()
endif()

# What of its file is not called needs the rest of the library: it is left out.
ropeproof_engine(ctranslate2 ROPEPROOF_ENGINE_CTRANSLATE2 "src/ops/rotary_cpu.cc")
if(has_ctranslate2)
  target_include_directories(engine_ctranslate2 SYSTEM PRIVATE
    ${ROPEPROOF_ENGINE_CTRANSLATE2}/include ${ROPEPROOF_ENGINE_CTRANSLATE2}/src)
  target_compile_options(engine_ctranslate2 PRIVATE -fvisibility=hidden -ffunction-sections)
  target_link_libraries(engine_ctranslate2 PRIVATE OpenMP::OpenMP_CXX -Wl,--gc-sections)
endif()

if(EXISTS ${ROPEPROOF_ENGINE_TORCH}/include/torch)
  ropeproof_engine(vllm_cpu ROPEPROOF_ENGINE_VLLM "csrc/cpu/pos_encoding.cpp")
  target_include_directories(engine_vllm_cpu SYSTEM PRIVATE ${ROPEPROOF_ENGINE_VLLM}/csrc
    ${ROPEPROOF_ENGINE_TORCH}/include ${ROPEPROOF_ENGINE_TORCH}/include/torch/csrc/api/include)
  target_compile_options(engine_vllm_cpu PRIVATE -march=native)
  target_link_libraries(engine_vllm_cpu PRIVATE ${ROPEPROOF_ENGINE_TORCH}/lib/libtorch_cpu.so
    ${ROPEPROOF_ENGINE_TORCH}/lib/libc10.so)
endif()

ropeproof_engine(mlx ROPEPROOF_ENGINE_MLX "include/mlx/mlx.h;lib/libmlx.so")
if(has_mlx)
  target_include_directories(engine_mlx SYSTEM PRIVATE ${ROPEPROOF_ENGINE_MLX}/include)
  target_link_libraries(engine_mlx PRIVATE ${ROPEPROOF_ENGINE_MLX}/lib/libmlx.so)
endif()

ropeproof_engine(gemma_cpp ROPEPROOF_ENGINE_GEMMA_CPP "ops/ops-inl.h")
if(has_gemma_cpp)
  if(NOT EXISTS ${ROPEPROOF_ENGINE_HIGHWAY}/hwy/profiler.cc)
    message(FATAL_ERROR "ROPEPROOF_ENGINE_HIGHWAY=${ROPEPROOF_ENGINE_HIGHWAY} is not Highway: "
      "it has no hwy/profiler.cc; gemma.cpp's CMakeLists.txt names the commit")
  endif()
  file(GLOB sources ${ROPEPROOF_ENGINE_HIGHWAY}/hwy/*.cc
    ${ROPEPROOF_ENGINE_HIGHWAY}/hwy/contrib/thread_pool/*.cc
    ${ROPEPROOF_ENGINE_HIGHWAY}/hwy/contrib/sort/vqsort.cc
    ${ROPEPROOF_ENGINE_HIGHWAY}/hwy/contrib/sort/vqsort_f64a.cc
    ${ROPEPROOF_ENGINE_GEMMA_CPP}/util/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/benchmark[a-z_]*\\.cc$|nanobenchmark")
  target_sources(engine_gemma_cpp PRIVATE ${sources})
  target_include_directories(engine_gemma_cpp SYSTEM PRIVATE
    ${ROPEPROOF_ENGINE_GEMMA_CPP} ${ROPEPROOF_ENGINE_HIGHWAY})
  target_compile_definitions(engine_gemma_cpp PRIVATE HWY_COMPILE_ONLY_STATIC)
  target_compile_options(engine_gemma_cpp PRIVATE -march=native)
endif()
