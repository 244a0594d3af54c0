/* forebay-step: one static program with four roles; see runner.h. It needs nothing of the image that it runs in. */
#define _GNU_SOURCE
#include "common.h"
#include "runner.h"

#include <fcntl.h>
#include <unistd.h>

/* 0, 1, 2 must be something: else the first file opened would become somebody's standard output. */
static int keep_standard_streams(void) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        int opened = open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
        if (opened != fd && opened >= 0) close(opened);
        if (opened != fd) return -1;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (keep_standard_streams() != 0) return EXIT_OS;
    const char *role = argc > 1 ? argv[1] : "";
    if (strcmp(role, "step") == 0) return role_step(argc - 2, argv + 2);
    if (strcmp(role, "commit") == 0) return role_commit(argc - 2, argv + 2);
    if (strcmp(role, "supervise") == 0) return role_supervise(argc - 2, argv + 2);
    if (strcmp(role, "await") == 0) return role_await(argc - 2, argv + 2);
    return fail(EXIT_USAGE,
                "usage:\n"
                "  step NAME --socket PATH --slots N [--seat NAME] [--token-file FILE|-] [--wait SECONDS] [--grace SECONDS]\n"
                "       [--lock FILE] [--output own|engine|none] [--environment own|engine] [--ended FILE]\n"
                "  commit --socket PATH [--token-file FILE|-] [--ended FILE]\n"
                "  supervise [--max-restarts-per-minute N] [--ended FILE] -- COMMAND...\n"
                "  await --socket PATH --ended FILE");
}
