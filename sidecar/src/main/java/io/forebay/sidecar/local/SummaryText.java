package io.forebay.sidecar.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.forebay.api.job.Job;
import io.forebay.api.name.Printable;
import io.forebay.api.value.Bytes;
import io.forebay.message.Messages.WorkerCounters;
import io.forebay.sidecar.coordinator.Summary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The words at the end of a run. Pure. */
final class SummaryText {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private SummaryText() {}

    /** @param told notices that the user has seen already */
    static List<String> lines(
            Job job, Summary s, WorkerCounters p, double seconds, Optional<String> keptAt, Set<String> told) {
        var out = new ArrayList<String>();
        s.notices().stream().filter(n -> !told.contains(n)).forEach(n -> out.add("note: " + Printable.message(n)));
        for (var f : s.failures()) {
            out.add("failed: " + Printable.name(f.key()) + ": " + f.reason() + " (attempt " + f.attempt() + "): "
                    + Printable.message(f.message()));
        }
        if (s.failed() > s.failures().size()) {
            out.add("failed: " + (s.failed() - s.failures().size()) + " more, all in " + job.records());
        }
        if (somethingRan(s)) {
            out.add("what failed attempts printed: " + job.records().resolve(job.name() + "/logs/"));
        }
        if (s.leftOut() > 0) {
            s.leftOutNames().forEach(name -> out.add("left out of input " + Printable.message(name)));
            out.add("left out: " + s.leftOut() + (s.leftOut() == 1 ? " file" : " files")
                    + " of which no item is made; forebay plan names each");
        }
        if (s.unusable() > 0) {
            out.add("unusable: " + s.unusable() + (s.unusable() == 1 ? " selected file" : " selected files")
                    + " that can be no input");
        }
        s.notRun().ifPresent(n -> out.add(notRun(n)));
        if (s.unexported() > 0) {
            out.add("NOT exported: " + s.unexported() + (s.unexported() == 1 ? " output, " : " outputs, ")
                    + Bytes.of(s.unexportedBytes()).human()
                    + s.listedIn().map(at -> ", listed in " + at).orElse("; they could not be listed"));
            keptAt.ifPresent(at -> out.add("their data are kept in " + at + "; " + remedy(job, s)));
        }
        out.add("%s: %d of %d items done%s%s%s in %.1f s; in %s, out %s%s"
                .formatted(
                        job.name(),
                        s.done(),
                        s.items(),
                        s.skipped() > 0 ? " (" + s.skipped() + " by earlier runs)" : "",
                        s.failed() > 0 ? ", " + s.failed() + " failed" : "",
                        s.unfinished() > 0 ? ", " + s.unfinished() + " unfinished" : "",
                        seconds,
                        Bytes.of(p.bytesStaged()).human(),
                        Bytes.of(p.bytesFlushed()).human(),
                        p.retries() > 0 ? ", " + p.retries() + " retries" : ""));
        out.add(verdict(s));
        return out;
    }

    /** Whether a step of a failed item was started: what was not printed has no log. */
    private static boolean somethingRan(Summary s) {
        return s.failed() > s.failures().size()
                || s.failures().stream().anyMatch(f -> f.lastStep().isPresent());
    }

    /** Resumed as it is, what two items write to one name would be refused again for ever; a run without records can only be started. */
    private static String remedy(Job job, Summary s) {
        if (s.recordsGone()) {
            return "finish with: forebay resume, if the records come back to " + job.records()
                    + "; they are gone: without them, forebay run";
        }
        return s.failedByReason().containsKey("NameConflict")
                ? "first change to of the output, so that no two items write one name (NameConflict), then: forebay resume"
                : "finish with: forebay resume";
    }

    private static String notRun(Summary.NotRun n) {
        var keys = n.keys().stream().map(Printable::name).collect(Collectors.joining(", "));
        long more = n.items() - n.keys().size();
        return "not run: " + keys + (more > 0 ? " and " + more + " more" : "") + ": no room in the buffer: "
                + Printable.message(n.why())
                + ". When that is mended: forebay resume";
    }

    static String verdict(Summary s) {
        return switch (s.code()) {
            case DURABLE -> "all selected outputs are durable" + byRecord(s);
            case STEP_FAILED -> "a step failed (exit 1)";
            case REFUSED -> "refused (exit 64): " + s.cause();
            case NO_INPUT -> "an input could not be had (exit 65)" + because(s);
            case NOT_DURABLE -> "an output is not durable (exit 74)" + because(s);
            case PASSING -> "a passing fault (exit 75), run again" + because(s);
            case DEADLINE -> "the deadline passed (exit 124); forebay resume goes on";
            case CANCELLED_BY_INTERRUPT -> "cancelled (exit 130); forebay resume goes on";
            case CANCELLED_BY_TERM -> "cancelled (exit 143); forebay resume goes on";
            case FAULT -> "a fault of Forebay's own (exit 70)" + because(s);
        };
    }

    /** What earlier runs wrote is not looked at again: it may be gone since. */
    private static String byRecord(Summary s) {
        return s.skipped() == 0
                ? ""
                : " (%d items by the records of earlier runs; forebay verify reads them again)".formatted(s.skipped());
    }

    private static String because(Summary s) {
        return s.cause().isEmpty() ? "" : ": " + s.cause();
    }

    /** Of a run that had to be ended by force. */
    static String json(String job, int code, String cause) {
        var out = new LinkedHashMap<String, Object>();
        out.put("job", job);
        out.put("exitCode", code);
        out.put("cause", cause);
        try {
            return JSON.writeValueAsString(out);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a map of texts and numbers is always JSON", e);
        }
    }

    /** @param notes what is to be known beside the summary's notices */
    static String json(
            Job job, Summary s, WorkerCounters p, double seconds, Optional<String> keptAt, List<String> notes) {
        var out = new LinkedHashMap<String, Object>();
        out.put("job", job.name());
        out.put("exitCode", s.code().number());
        out.put("cause", s.cause());
        out.put("items", s.items());
        out.put("done", s.done());
        out.put("skipped", s.skipped());
        out.put("failed", s.failed());
        out.put("unfinished", s.unfinished());
        out.put("notRun", s.notRun().map(Summary.NotRun::items).orElse(0L));
        out.put("notRunItems", s.notRun().map(Summary.NotRun::keys).orElse(List.of()));
        out.put("failedByReason", s.failedByReason());
        var failures = new ArrayList<LinkedHashMap<String, Object>>();
        for (var f : s.failures()) {
            var failure = new LinkedHashMap<String, Object>();
            failure.put("item", f.key());
            failure.put("reason", f.reason());
            failure.put("message", f.message());
            failure.put("code", f.code());
            failure.put("attempt", f.attempt());
            failures.add(failure);
        }
        out.put("failures", failures);
        out.put("unexported", s.unexported());
        out.put("unexportedBytes", s.unexportedBytes());
        out.put("keptAt", keptAt.orElse(null));
        out.put("leftOut", s.leftOut());
        out.put("unusable", s.unusable());
        out.put("bytesStaged", p.bytesStaged());
        out.put("bytesFlushed", p.bytesFlushed());
        out.put("retries", p.retries());
        out.put("seconds", seconds);
        out.put("records", job.records().resolve(job.name() + "/").toString());
        out.put("notices", Stream.concat(s.notices().stream(), notes.stream()).toList());
        try {
            return JSON.writeValueAsString(out);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a map of texts and numbers is always JSON", e);
        }
    }
}
