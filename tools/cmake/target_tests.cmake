# The SIMD targets of fast/ against one another: those of this machine, and those
# of aarch64 under an emulator, where it is installed (label aarch64).
file(GLOB bits_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fast/bits/*.cc)
add_executable(fast_bits ${bits_sources})
target_link_libraries(fast_bits PRIVATE ropeproof::fast hwy::hwy ropeproof_options)
target_compile_options(fast_bits PRIVATE -ffp-contract=off)
add_test(NAME fast_bits COMMAND fast_bits)

# add_test for what is skipped until tools/cross.sh has been run.
function(ropeproof_aarch64_test name)
  add_test(NAME aarch64_${name}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/aarch64_test.sh ${ARGN})
  set_tests_properties(aarch64_${name} PROPERTIES LABELS aarch64 SKIP_RETURN_CODE 77)
endfunction()
ropeproof_aarch64_test(build build ${Boost_DIR})
set_tests_properties(aarch64_build PROPERTIES FIXTURES_SETUP aarch64 PROCESSORS 2)
ropeproof_aarch64_test(neon run max,sve=off fast_test)
ropeproof_aarch64_test(sve_128 run max,sve-default-vector-length=16 fast_test)
ropeproof_aarch64_test(bits bits $<TARGET_FILE:fast_bits> max,sve=off
  max,sve-default-vector-length=16)
set_tests_properties(aarch64_neon aarch64_sve_128 aarch64_bits PROPERTIES
  FIXTURES_REQUIRED aarch64)
