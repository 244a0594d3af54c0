package io.forebay.bench.work;

import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.result.Outcome;
import java.io.IOException;
import java.util.List;

/** One row of the list of benchmarks. */
public interface Benchmark {
    /** B1, B2, ... */
    String id();

    /** What is done, in a few words. */
    String title();

    /** Contests that it holds, for sharing out the time. */
    int contests();

    /** Makes the data and what serves it, lets the contests be judged, and takes all away again. */
    List<Outcome> run(Workshop workshop) throws IOException, InterruptedException, CommandFailed, WrongResult;
}
