#define _GNU_SOURCE
#include "tree.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int by_pid(const void *a, const void *b) {
    pid_t x = ((const struct process *)a)->pid, y = ((const struct process *)b)->pid;
    return (x > y) - (x < y);
}

bool processes_read(struct processes *all) {
    all->count = 0;
    DIR *proc = opendir("/proc");
    if (!proc) return false;
    struct dirent *entry;
    while ((entry = readdir(proc))) {
        long long pid = parse_number(entry->d_name, INT32_MAX);
        if (pid <= 0) continue;
        char path[64], text[1024];
        snprintf(path, sizeof path, "/proc/%lld/stat", pid);
        if (read_file(path, text, sizeof text) <= 0) continue; /* it has just ended */
        char *after = strrchr(text, ')');                      /* the name before may hold anything */
        struct process p = {.pid = (pid_t)pid};
        int parent;
        if (!after || sscanf(after + 1, " %c %d", &p.state, &parent) != 2) continue;
        p.parent = parent;
        if (all->count == all->room) {
            all->room = all->room ? all->room * 2 : 256;
            all->list = must_realloc(all->list, all->room * sizeof *all->list);
        }
        all->list[all->count++] = p;
    }
    closedir(proc);
    if (all->count) qsort(all->list, all->count, sizeof *all->list, by_pid);
    return true;
}

void processes_free(struct processes *all) {
    free(all->list);
    memset(all, 0, sizeof *all);
}

size_t processes_below(const struct processes *all, pid_t root, bool *mark) {
    size_t found = 0;
    for (size_t i = 0; i < all->count; i++) {
        pid_t above = all->list[i].parent;
        size_t steps = 0; /* the list is no snapshot: pids used again could make a ring */
        while (above > 1 && above != root && steps++ < all->count) {
            struct process key = {.pid = above};
            const struct process *p = bsearch(&key, all->list, all->count, sizeof key, by_pid);
            above = p ? p->parent : 0;
        }
        mark[i] = above == root;
        found += mark[i];
    }
    return found;
}

uint64_t tree_memory(const struct processes *all, pid_t root) {
    bool *mark = must_alloc(all->count * sizeof *mark);
    uint64_t pages = 0;
    if (processes_below(all, root, mark)) {
        for (size_t i = 0; i < all->count; i++) {
            if (!mark[i]) continue;
            char path[64], text[256];
            unsigned long size, resident, shared;
            snprintf(path, sizeof path, "/proc/%d/statm", (int)all->list[i].pid);
            if (read_file(path, text, sizeof text) > 0 && sscanf(text, "%lu %lu %lu", &size, &resident, &shared) == 3)
                pages += resident > shared ? resident - shared : 0;
        }
    }
    free(mark);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static size_t signal_all(int signal, bool only_new_to_stop) {
    struct processes all = {0};
    size_t sent = 0;
    if (!processes_read(&all)) return 0;
    bool *mark = must_alloc(all.count * sizeof *mark);
    processes_below(&all, getpid(), mark);
    for (size_t i = 0; i < all.count; i++) {
        char s = all.list[i].state;
        if (!mark[i] || s == 'Z' || s == 'X' || (only_new_to_stop && (s == 'T' || s == 't'))) continue;
        if (kill(all.list[i].pid, signal) == 0) sent++;
    }
    free(mark);
    processes_free(&all);
    return sent;
}

size_t tree_signal(int signal) { return signal_all(signal, false); }

void tree_kill(void) {
    /* A stopped process does not fork; a round that finds nobody running has them all. Bounded: what sleeps in the kernel does not stop. */
    for (int round = 0; round < 20 && signal_all(SIGSTOP, true); round++) {}
    signal_all(SIGKILL, false);
}

unsigned long long oom_kills(void) {
    static char text[32768];
    if (read_file("/proc/vmstat", text, sizeof text) <= 0) return 0;
    char *found = strstr(text, "\noom_kill ");
    return found ? strtoull(found + 10, NULL, 10) : 0;
}
