package io.forebay.bench.result;

import io.forebay.bench.measure.Ratio;
import io.forebay.bench.measure.Sample;
import java.util.Arrays;
import java.util.List;

/** What a benchmark should reach. Pure; {@link #words} and {@link #parse} are how it is kept in a file. */
public sealed interface Goal {
    /** Whether it was reached. */
    boolean isMetBy(Outcome outcome);

    /** Whether further rounds would hardly say more. */
    boolean isDecidedBy(Outcome outcome);

    List<String> words();

    /** @param peers of which the best counts; empty: all */
    record OfBestPeer(double ratio, List<String> peers) implements Goal {
        public OfBestPeer {
            peers = List.copyOf(peers);
        }

        public OfBestPeer(double ratio, String... peers) {
            this(ratio, List.of(peers));
        }

        @Override
        public boolean isMetBy(Outcome outcome) {
            return outcome.bestPeer(peers)
                    .map(p -> outcome.against(p).high() < ratio)
                    .orElse(false);
        }

        @Override
        public boolean isDecidedBy(Outcome outcome) {
            return outcome.bestPeer(peers)
                    .map(outcome::against)
                    .map(r -> r.decides(ratio) && r.isSettled())
                    .orElse(true);
        }

        @Override
        public List<String> words() {
            return List.of("of-best-peer", Double.toString(ratio), String.join(",", peers));
        }
    }

    /** At least so many times as fast as that peer. */
    record SpeedUp(double least, String peer) implements Goal {
        @Override
        public boolean isMetBy(Outcome outcome) {
            return outcome.ran(peer) && outcome.against(peer).high() < 1 / least;
        }

        @Override
        public boolean isDecidedBy(Outcome outcome) {
            return !outcome.ran(peer)
                    || outcome.against(peer).decides(1 / least)
                            && outcome.against(peer).isSettled();
        }

        @Override
        public List<String> words() {
            return List.of("speed-up", Double.toString(least), peer);
        }
    }

    /** As many times as fast as that peer as a model says, give or take a part of it: the whole interval. */
    record AsPredicted(double speedUp, double tolerance, String peer) implements Goal {
        @Override
        public boolean isMetBy(Outcome outcome) {
            if (!outcome.ran(peer)) {
                return false;
            }
            var ratio = outcome.against(peer);
            return 1 / ratio.high() >= speedUp * (1 - tolerance) && 1 / ratio.low() <= speedUp * (1 + tolerance);
        }

        @Override
        public boolean isDecidedBy(Outcome outcome) {
            return !outcome.ran(peer) || outcome.against(peer).isSettled();
        }

        @Override
        public List<String> words() {
            return List.of("as-predicted", Double.toString(speedUp), Double.toString(tolerance), peer);
        }
    }

    /** At most so many times that peer's processor time. */
    record OfCpu(double ratio, String peer) implements Goal {
        @Override
        public boolean isMetBy(Outcome outcome) {
            return outcome.ran(peer) && measured(outcome).high() < ratio;
        }

        public Ratio measured(Outcome outcome) {
            return outcome.against(peer, Sample::cpuSeconds);
        }

        @Override
        public boolean isDecidedBy(Outcome outcome) {
            return !outcome.ran(peer) || measured(outcome).decides(ratio);
        }

        @Override
        public List<String> words() {
            return List.of("of-cpu", Double.toString(ratio), peer);
        }
    }

    /** Median seconds, at most. */
    record Seconds(double most) implements Goal {
        @Override
        public boolean isMetBy(Outcome outcome) {
            return outcome.seconds(Outcome.OURS) <= most;
        }

        @Override
        public boolean isDecidedBy(Outcome outcome) {
            return outcome.of(Outcome.OURS).size() >= 7;
        }

        @Override
        public List<String> words() {
            return List.of("seconds", Double.toString(most));
        }
    }

    /** Median milliseconds for each of so many items, at most. */
    record MillisecondsAnItem(double most, int items) implements Goal {
        @Override
        public boolean isMetBy(Outcome outcome) {
            return measured(outcome) <= most;
        }

        public double measured(Outcome outcome) {
            return outcome.seconds(Outcome.OURS) * 1000 / items;
        }

        @Override
        public boolean isDecidedBy(Outcome outcome) {
            return outcome.of(Outcome.OURS).size() >= 4;
        }

        @Override
        public List<String> words() {
            return List.of("milliseconds-an-item", Double.toString(most), Integer.toString(items));
        }
    }

    /** Most resident memory of any of our runs, in MiB. */
    record Resident(int mostMebibytes) implements Goal {
        @Override
        public boolean isMetBy(Outcome outcome) {
            return measured(outcome) <= mostMebibytes;
        }

        public long measured(Outcome outcome) {
            return outcome.of(Outcome.OURS).stream()
                            .mapToLong(s -> s.peakKib())
                            .max()
                            .orElse(Long.MAX_VALUE)
                    >> 10;
        }

        @Override
        public boolean isDecidedBy(Outcome outcome) {
            return true;
        }

        @Override
        public List<String> words() {
            return List.of("resident", Integer.toString(mostMebibytes));
        }
    }

    /** @throws IllegalArgumentException these are no goal's {@link #words} */
    static Goal parse(List<String> words) {
        double first = Double.parseDouble(words.get(1));
        return switch (words.getFirst()) {
            case "of-best-peer" -> new OfBestPeer(first, names(words.size() < 3 ? "" : words.get(2)));
            case "speed-up" -> new SpeedUp(first, words.get(2));
            case "as-predicted" -> new AsPredicted(first, Double.parseDouble(words.get(2)), words.get(3));
            case "of-cpu" -> new OfCpu(first, words.get(2));
            case "seconds" -> new Seconds(first);
            case "milliseconds-an-item" -> new MillisecondsAnItem(first, Integer.parseInt(words.get(2)));
            case "resident" -> new Resident((int) first);
            default -> throw new IllegalArgumentException("no goal: " + words);
        };
    }

    private static List<String> names(String joined) {
        return joined.isEmpty() ? List.of() : Arrays.asList(joined.split(","));
    }
}
