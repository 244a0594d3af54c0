package io.forebay.sidecar.apart;

import io.forebay.message.JobProgress;

/** A coordinator's figures as Prometheus reads them (text exposition format 0.0.4). Pure. */
final class MetricsText {
    private MetricsText() {}

    static String of(JobProgress p) {
        var out = new StringBuilder();
        gauge(out, "forebay_items", "Items of the plan.", p.items());
        gauge(out, "forebay_items_done", "Items whose outputs are all durable.", p.done());
        gauge(out, "forebay_items_skipped", "Of these: done by earlier runs.", p.skipped());
        gauge(out, "forebay_items_failed", "Items that have failed for good.", p.failed());
        gauge(out, "forebay_items_held", "Items that workers hold.", p.running());
        gauge(out, "forebay_workers", "Workers that renewed within their lease.", p.workers());
        gauge(out, "forebay_unexported_outputs", "Outputs that could not be written back.", p.unexported());
        gauge(out, "forebay_unexported_bytes", "Their bytes.", p.unexportedBytes());
        gauge(out, "forebay_buffer_used_bytes", "Bytes in the buffers of these workers.", p.bufferUsed());
        gauge(out, "forebay_buffer_size_bytes", "What these buffers hold at most.", p.bufferSize());
        counter(out, "forebay_staged_bytes_total", "Bytes brought into buffers.", p.bytesStaged());
        counter(out, "forebay_flushed_bytes_total", "Bytes written back.", p.bytesFlushed());
        counter(out, "forebay_retries_total", "Requests to stores that were repeated.", p.retries());
        return out.toString();
    }

    private static void gauge(StringBuilder out, String name, String help, long value) {
        line(out, name, "gauge", help, value);
    }

    private static void counter(StringBuilder out, String name, String help, long value) {
        line(out, name, "counter", help, value);
    }

    private static void line(StringBuilder out, String name, String type, String help, long value) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        out.append(name).append(' ').append(value).append('\n');
    }
}
