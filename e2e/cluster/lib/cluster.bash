# Sourced by the commands that work on a cluster, with $here set: all the parts.
# shellcheck shell=bash

checkout=${here%/e2e/cluster}
# shellcheck source=lib/base.bash
. "$here/lib/base.bash"
# shellcheck source=lib/programs.bash
. "$here/lib/programs.bash"
# shellcheck source=lib/cgroups.bash
. "$here/lib/cgroups.bash"
# shellcheck source=lib/folder.bash
. "$here/lib/folder.bash"
# shellcheck source=lib/process.bash
. "$here/lib/process.bash"
# shellcheck source=lib/network.bash
. "$here/lib/network.bash"
# shellcheck source=lib/certificates.bash
. "$here/lib/certificates.bash"
# shellcheck source=lib/control.bash
. "$here/lib/control.bash"
# shellcheck source=lib/nodes.bash
. "$here/lib/nodes.bash"
