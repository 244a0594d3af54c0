package io.forebay.bench.result;

import io.forebay.bench.measure.Ratio;
import io.forebay.bench.measure.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What a contest came to.
 *
 * @param contenders their names in the order of the table, {@link #OURS} among them
 */
public record Outcome(Subject subject, List<String> contenders, List<Run> runs, Circumstances circumstances) {
    /** The name of Forebay among the contenders. */
    public static final String OURS = "forebay";

    public Outcome {
        contenders = List.copyOf(contenders);
        runs = List.copyOf(runs);
        if (!contenders.contains(OURS)) {
            throw new IllegalArgumentException(subject.id() + ": not one of the contenders is Forebay");
        }
    }

    public List<Sample> of(String contender) {
        return runs.stream()
                .filter(r -> r.contender().equals(contender))
                .map(Run::sample)
                .toList();
    }

    /** Whether there is a round in which it ran. */
    public boolean ran(String contender) {
        return !of(contender).isEmpty();
    }

    public static double median(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        var sorted = samples.stream().mapToDouble(figure).sorted().toArray();
        int n = sorted.length;
        return n == 0 ? Double.NaN : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }

    public double seconds(String contender) {
        return median(of(contender), Sample::seconds);
    }

    /** Of those that ran: the peer with the least median time. */
    public Optional<String> bestPeer() {
        return bestPeer(List.of());
    }

    /** @param among empty: all */
    public Optional<String> bestPeer(List<String> among) {
        return contenders.stream()
                .filter(c -> !c.equals(OURS) && ran(c) && (among.isEmpty() || among.contains(c)))
                .min(Comparator.comparingDouble(this::seconds));
    }

    /** Our time against that peer's, over the rounds that both ran in. */
    public Ratio against(String peer) {
        return against(peer, Sample::seconds);
    }

    public Ratio against(String peer, ToDoubleFunction<Sample> figure) {
        var ours = new ArrayList<Double>();
        var theirs = new ArrayList<Double>();
        for (var run : runs) {
            if (run.contender().equals(peer)) {
                for (var other : runs) {
                    if (other.round() == run.round() && other.contender().equals(OURS)) {
                        ours.add(figure.applyAsDouble(other.sample()));
                        theirs.add(figure.applyAsDouble(run.sample()));
                    }
                }
            }
        }
        return Ratio.of(ours, theirs);
    }

    /** Whether further rounds would hardly say more. */
    public boolean isDecided() {
        return subject.goals().stream().allMatch(g -> g.isDecidedBy(this));
    }

    public boolean isMet() {
        return subject.goals().stream().allMatch(g -> g.isMetBy(this));
    }
}
