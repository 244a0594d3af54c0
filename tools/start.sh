# Sourced by ./forebay and by the archive's bin/forebay, as their last line: starts the engine of the installation in folder
# $home with the program $java.
# shellcheck shell=sh
#
# FOREBAY_HEAP        the heap's limit, 96m if unset
# FOREBAY_JAVA_OPTS   further options for java, separated by spaces

# What is changed here is the engine's alone: the steps' commands get these back as the user had them.
for name in LC_ALL MALLOC_ARENA_MAX JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH; do
  eval "[ -z \"\${$name+set}\" ] || export \"FOREBAY_USER_$name=\${$name}\""
done
# Names and texts are UTF-8 whatever the terminal's language. Two malloc arenas: glibc's eight per core cost memory, and win
# nothing here.
LC_ALL=C.UTF-8
MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-2}
export PATH LC_ALL MALLOC_ARENA_MAX
# Options meant for other Java programs.
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH
if [ -x "$home/lib/forebay-step" ]; then
  set -- "-Dforebay.runner=$home/lib/forebay-step" io.forebay.sidecar.Main "$@"
else
  set -- io.forebay.sidecar.Main "$@"
fi
# shellcheck disable=SC2086
exec "$java" "@$home/lib/options" "-XX:AOTCache${aot_mode-}=$home/lib/forebay.aot" "-Xmx${FOREBAY_HEAP:-96m}" \
  ${FOREBAY_JAVA_OPTS-} -cp "$home/lib/forebay.jar" "-Dforebay.home=$home" "$@"
