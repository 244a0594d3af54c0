package io.forebay.bench.work;

import io.forebay.bench.measure.Ratio;
import io.forebay.bench.measure.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What a contest came to. Filled by {@link Referee}, one thread. */
public final class Outcome {
    private final Contest contest;
    private final List<Run> runs = new ArrayList<>();

    private record Run(String contender, int round, Sample sample) {}

    Outcome(Contest contest) {
        this.contest = contest;
    }

    void add(String contender, int round, Sample sample) {
        runs.add(new Run(contender, round, sample));
    }

    public Contest contest() {
        return contest;
    }

    public List<Sample> of(String contender) {
        return runs.stream()
                .filter(r -> r.contender().equals(contender))
                .map(Run::sample)
                .toList();
    }

    public static double median(List<Sample> samples, java.util.function.ToDoubleFunction<Sample> figure) {
        var sorted = samples.stream().mapToDouble(figure).sorted().toArray();
        int n = sorted.length;
        return n == 0 ? Double.NaN : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }

    public double seconds(String contender) {
        return median(of(contender), Sample::seconds);
    }

    public String ours() {
        return contest.contenders().stream()
                .filter(c -> c.ours())
                .findFirst()
                .orElseThrow()
                .name();
    }

    /** Of those that ran: the peer with the least median time. */
    public Optional<String> bestPeer() {
        return contest.contenders().stream()
                .filter(c -> !c.ours() && !of(c.name()).isEmpty())
                .map(c -> c.name())
                .min(Comparator.comparingDouble(this::seconds));
    }

    /** Our time against that peer's, over the rounds that both ran in. */
    public Ratio against(String peer) {
        var ours = new ArrayList<Double>();
        var theirs = new ArrayList<Double>();
        var own = ours();
        for (var run : runs) {
            if (run.contender().equals(peer)) {
                for (var other : runs) {
                    if (other.round() == run.round() && other.contender().equals(own)) {
                        ours.add(other.sample().seconds());
                        theirs.add(run.sample().seconds());
                    }
                }
            }
        }
        return Ratio.of(ours, theirs);
    }

    /** Whether further rounds would hardly say more. */
    boolean isDecided() {
        return switch (contest.goal()) {
            case Goal.OfBestPeer(var ratio) ->
                bestPeer()
                        .map(p -> against(p).decides(ratio) && against(p).isSettled())
                        .orElse(true);
            case Goal.Seconds s -> of(ours()).size() >= 7;
            case Goal.MillisecondsAnItem m -> of(ours()).size() >= 4;
        };
    }

    public boolean isMet() {
        return switch (contest.goal()) {
            case Goal.OfBestPeer(var ratio) ->
                bestPeer().map(p -> against(p).high() < ratio).orElse(false);
            case Goal.Seconds(var most) -> seconds(ours()) <= most;
            case Goal.MillisecondsAnItem(var most, var items) -> seconds(ours()) * 1000 / items <= most;
        };
    }
}
