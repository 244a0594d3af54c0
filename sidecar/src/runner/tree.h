/* Process trees as /proc shows them. */
#ifndef FOREBAY_TREE_H
#define FOREBAY_TREE_H

#include "common.h"

struct process {
    pid_t pid, parent;
    char state;
};
struct processes {
    struct process *list;
    size_t count, room;
};

/* All processes that this one can see, by pid; false (errno) where there is no /proc. */
bool processes_read(struct processes *all);
void processes_free(struct processes *all);
/* Marks (into mark[i]) the descendants of root, root itself not; gives their number. */
size_t processes_below(const struct processes *all, pid_t root, bool *mark);

/* Bytes of memory of the tree below root: resident, without what is shared with files. */
uint64_t tree_memory(const struct processes *all, pid_t root);

/* Sends a signal to every descendant of the caller; gives how many there were. */
size_t tree_signal(int signal);
/* Kills every descendant of the caller: they are stopped first, so that none forks away. The caller reaps. */
void tree_kill(void);

/* Times that the kernel has killed for want of memory, on this machine; 0 where it does not say. */
unsigned long long oom_kills(void);

#endif
