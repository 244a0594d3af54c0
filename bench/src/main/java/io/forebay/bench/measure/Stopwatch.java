package io.forebay.bench.measure;

/** What counts as the time of one run. Used by one thread, for one run after the other. */
public interface Stopwatch {
    /** Right before the process is started. */
    void start();

    /** Seconds until now, which is right after its end; greater than 0. */
    double stop();

    /** The whole process, its start included. */
    static Stopwatch whole() {
        return new Stopwatch() {
            private long began;

            @Override
            public void start() {
                began = System.nanoTime();
            }

            @Override
            public double stop() {
                return (System.nanoTime() - began) / 1e9;
            }
        };
    }
}
