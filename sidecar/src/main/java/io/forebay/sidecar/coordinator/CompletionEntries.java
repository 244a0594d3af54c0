package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.StepRun;
import io.forebay.message.Messages.Timing;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.plan.PlanItem;
import io.forebay.sidecar.records.LogEntry.Completed;
import io.forebay.sidecar.records.LogEntry.InputPin;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes completion records. */
final class CompletionEntries {
    private CompletionEntries() {}

    /** @param sums of its inputs, as the attempt read them; no elements: not known */
    static Completed of(
            Core core,
            PlanItem planned,
            int item,
            int attempt,
            String worker,
            List<StepRun> steps,
            List<StagedOutput> outputs,
            List<Unexported> unexported,
            @Nullable Timing timing,
            List<String> sums) {
        boolean summed = sums.size() == planned.inputs().size();
        var inputs = new ArrayList<InputPin>(planned.inputs().size());
        for (var input : planned.inputs()) {
            inputs.add(new InputPin(input.uri(), input.pin(), summed ? sums.get(inputs.size()) : ""));
        }
        return new Completed(
                planned.id(),
                planned.content(),
                item,
                planned.key(),
                core.table.generation(item),
                attempt,
                worker,
                inputs,
                steps,
                outputs,
                unexported,
                timing,
                core.options.clock().millis());
    }
}
