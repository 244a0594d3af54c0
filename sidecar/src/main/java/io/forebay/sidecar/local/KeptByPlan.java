package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.api.name.Printable;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.local.EarlierLife.Computed;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.plan.Plan;
import io.forebay.sidecar.plan.PlanCheck;
import io.forebay.sidecar.records.DurableItems;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What an earlier run computed and kept is only of use to a plan that has its items. Of those that a new plan does not have nothing is deleted
 * unless the user says so.
 */
final class KeptByPlan implements PlanCheck {
    /** With records that are away. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final int NAMED = 10;

    private final Job job;
    private final Stores stores;
    private final RunMode mode;
    private final boolean discard;
    private final List<Computed> computed;
    private final String where;
    private final Consumer<String> tell;

    /** @param discard the user gives up what no item of the plan can use @param where it lies, for people */
    KeptByPlan(
            Job job,
            Stores stores,
            RunMode mode,
            boolean discard,
            List<Computed> computed,
            String where,
            Consumer<String> tell) {
        this.job = job;
        this.stores = stores;
        this.mode = mode;
        this.discard = discard;
        this.computed = List.copyOf(computed);
        this.where = where;
        this.tell = tell;
    }

    @Override
    public void look(Plan plan) throws CoordinatorException, InterruptedException {
        if (computed.isEmpty()) {
            return;
        }
        boolean fresh = mode == RunMode.FRESH;
        var unknown = new LinkedHashMap<String, Computed>();
        computed.forEach(c -> unknown.put(c.id(), c));
        if (!fresh) {
            for (int i = 0; i < plan.size() && !unknown.isEmpty(); i++) {
                unknown.remove(plan.idOf(i));
            }
        }
        if (unknown.isEmpty()) {
            return;
        }
        durable(unknown.keySet()).forEach(unknown::remove);
        var superseded = fresh ? List.<Computed>of() : superseded(plan, unknown);
        if (!superseded.isEmpty()) {
            tell.accept(
                    "given up, for their items are run anew, with another version of their inputs or another manifest: "
                            + words(superseded) + " in " + where);
        }
        if (unknown.isEmpty()) {
            return;
        }
        var rest = List.copyOf(unknown.values());
        if (fresh || discard) {
            tell.accept("given up with " + (fresh ? "--fresh: " : "--discard-kept: ") + words(rest) + " in " + where);
            return;
        }
        throw new CoordinatorException(
                ExitCode.NOT_DURABLE,
                "KeptOutputs",
                "nothing was started, and nothing is deleted (exit %d): %s in %s belong to no item of this run: their inputs are gone, or the manifest selects others now. Publish them first, with the manifest as it was: forebay resume; or give them up: forebay run --discard-kept"
                        .formatted(ExitCode.NOT_DURABLE.number(), words(rest), where),
                null);
    }

    /** Those of items that the plan has under another identity; they are removed from {@code unknown}. */
    private static List<Computed> superseded(Plan plan, Map<String, Computed> unknown) {
        var ids = new HashMap<String, List<String>>();
        unknown.values()
                .forEach(c ->
                        ids.computeIfAbsent(c.key(), k -> new ArrayList<>()).add(c.id()));
        var found = new ArrayList<Computed>();
        for (int i = 0; i < plan.size() && !ids.isEmpty(); i++) {
            for (var id : ids.getOrDefault(plan.item(i).key(), List.of())) {
                var superseded = unknown.remove(id);
                if (superseded != null) {
                    found.add(superseded);
                }
            }
        }
        return found;
    }

    /** Published by somebody else, or by this worker's last life: the copies here are worth nothing. */
    private Set<String> durable(Set<String> ids) throws InterruptedException {
        try {
            return DurableItems.of(job.records(), job.name(), stores, PATIENCE).among(new HashSet<>(ids));
        } catch (StoreException | RecordsDamagedException e) {
            return Set.of();
        }
    }

    private static String words(List<Computed> list) {
        long outputs = list.stream().mapToLong(Computed::outputs).sum();
        var names = list.stream()
                .map(Computed::key)
                .sorted()
                .limit(NAMED)
                .map(Printable::name)
                .collect(Collectors.joining(", "));
        var more = list.size() > NAMED ? " and " + (list.size() - NAMED) + " more" : "";
        return (outputs == 0 ? "outputs of " : outputs + (outputs == 1 ? " output of " : " outputs of "))
                + (list.size() == 1 ? "item " : list.size() + " items ")
                + names + more + ", computed by an earlier run and kept";
    }
}
