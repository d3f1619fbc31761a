# Fails if an object compiled for one instruction set holds a weak function: the linker would keep one copy for
# all, maybe with instructions that the CPU lacks. Called with -DNM=... -DOBJECTS=a;b.
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} --defined-only ${object} OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "cannot read ${object}")
  endif()
  string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" weak "${symbols}")
  if(weak)
    message(FATAL_ERROR "weak symbols in ${object}: ${weak}")
  endif()
endforeach()
