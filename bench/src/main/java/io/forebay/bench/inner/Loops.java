package io.forebay.bench.inner;

import io.forebay.bench.result.LoopFigure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs {@link InnerLoops} in a process of its own with the engine's options. */
public final class Loops {
    private static final TimeValue ITERATION = TimeValue.milliseconds(500);

    private Loops() {}

    public static List<LoopFigure> measure() throws IOException {
        var options = new OptionsBuilder()
                .include(InnerLoops.class.getName())
                .forks(1)
                .warmupIterations(3)
                .warmupTime(ITERATION)
                .measurementIterations(5)
                .measurementTime(ITERATION)
                .jvmArgs("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx96m", "--enable-native-access=ALL-UNNAMED")
                .shouldFailOnError(true)
                .build();
        try {
            var figures = new ArrayList<LoopFigure>();
            for (var result : new Runner(options).run()) {
                var score = result.getPrimaryResult();
                figures.add(new LoopFigure(
                        score.getLabel(), score.getScore(), score.getScoreError(), score.getScoreUnit()));
            }
            return figures;
        } catch (RunnerException e) {
            throw new IOException("the inner loops could not be measured: " + e.getMessage(), e);
        }
    }
}
