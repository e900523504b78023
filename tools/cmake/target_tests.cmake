# The SIMD targets of fast/ against one another: those of this machine, and those
# of aarch64 under an emulator, where it is installed (label aarch64).
file(GLOB bits_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fast/bits/*.cc)
add_executable(fast_bits ${bits_sources})
target_link_libraries(fast_bits PRIVATE ropeproof::fast hwy::hwy ropeproof_options)
target_compile_options(fast_bits PRIVATE -ffp-contract=off)
add_test(NAME fast_bits COMMAND fast_bits)
