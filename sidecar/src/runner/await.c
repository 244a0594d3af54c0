/*
 * The role `await`, a container's postStart: the next container is not started before it has ended. So it waits for the engine's
 * socket, and also for the engine's end: one that can never open its socket (a bad manifest, no coordinator) has to be told by
 * `commit`, which is a container after this one. A failure here would make kubelet kill the container and start it again for ever.
 */
#define _GNU_SOURCE
#include "ended.h"
#include "protocol.h"
#include "runner.h"

#include <poll.h>
#include <unistd.h>

enum { FIRST_LOOK_MS = 5, LONGEST_LOOK_MS = 100 };

int role_await(int argc, char **argv) {
    const char *socket = NULL, *ended = NULL;
    for (int i = 0; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--socket") == 0) socket = argv[i + 1];
        else if (strcmp(argv[i], "--ended") == 0) ended = argv[i + 1];
        else return fail(EXIT_USAGE, "await: unknown option %s", argv[i]);
    }
    if (argc % 2 || !socket || !ended) return fail(EXIT_USAGE, "usage: await --socket PATH --ended FILE");
    for (int pause = FIRST_LOOK_MS;; pause = pause * 2 < LONGEST_LOOK_MS ? pause * 2 : LONGEST_LOOK_MS) {
        int fd = link_connect(socket);
        if (fd >= 0) {
            close(fd);
            return EXIT_DONE;
        }
        if (ended_there(ended)) return EXIT_DONE;
        (void)poll(NULL, 0, pause);
    }
}
