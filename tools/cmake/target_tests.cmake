# The SIMD targets of aarch64 under an emulator, where it is installed (label aarch64).

# add_test for what is skipped until tools/setup/cross.sh has been run.
function(ropeproof_aarch64_test name)
  add_test(NAME aarch64_${name}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/test/aarch64_test.sh ${ARGN})
  set_tests_properties(aarch64_${name} PROPERTIES LABELS aarch64 SKIP_RETURN_CODE 77
    FIXTURES_REQUIRED aarch64)
endfunction()
ropeproof_aarch64_test(build build ${Boost_DIR})
set_tests_properties(aarch64_build PROPERTIES FIXTURES_REQUIRED ""
  FIXTURES_SETUP aarch64 PROCESSORS 2)
# QEMU without SVE; then vectors of 128, 256 and 512 bits. With the longer ones,
# QEMU takes 25 times as long for code that is not vectorised: what they share
# with the others is left out, the bounds of what has the same bits among it.
set(no_sve max,sve=off)
set(sve_128 max,sve-default-vector-length=16)
set(sve_256 max,sve-default-vector-length=32)
set(sve_512 max,sve-default-vector-length=64)
ropeproof_aarch64_test(neon run ${no_sve} fast_test)
ropeproof_aarch64_test(sve_128 run ${sve_128} fast_test)
ropeproof_aarch64_test(sve_256 run ${sve_256} fast_test [R4],[exact])
ropeproof_aarch64_test(sve_512 run ${sve_512} fast_test [R4],[exact])
