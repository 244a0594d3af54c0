package io.forebay.sidecar.local;

import java.util.List;

/**
 * How a command that carried a job, or one side of it, ended.
 *
 * @param exitCode as in DESIGN 10
 * @param lines for people
 * @param json for programs
 */
public record RunResult(int exitCode, List<String> lines, String json) {
    public RunResult {
        lines = List.copyOf(lines);
    }
}
