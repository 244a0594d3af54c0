/* The roles of forebay-step. Each gives the program's exit code. */
#ifndef FOREBAY_RUNNER_H
#define FOREBAY_RUNNER_H

/* step NAME --socket PATH --slots N ...: asks the engine for commands and runs them. */
int role_step(int argc, char **argv);
/* commit --socket PATH ...: exits with the code that the engine answers, when it answers. */
int role_commit(int argc, char **argv);
/* supervise [--max-restarts-per-minute N] [--ended FILE] -- CMD...: runs CMD again when it dies of a fault of its own. */
int role_supervise(int argc, char **argv);
/* await --socket PATH --ended FILE: ends when the engine listens, or has ended for good. */
int role_await(int argc, char **argv);

#endif
