package io.forebay.sidecar.local;

import io.forebay.message.JobEnd;
import java.util.List;
import java.util.Optional;

/**
 * How a command that carried a job, or one side of it, ended.
 *
 * @param exitCode as in DESIGN 10
 * @param lines for people
 * @param json for programs
 * @param end of the job, or of its coordinator; absent: a worker's end, which says nothing of the job
 */
public record RunResult(int exitCode, List<String> lines, String json, Optional<JobEnd> end) {
    public RunResult {
        lines = List.copyOf(lines);
    }
}
