package io.forebay.sidecar.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.message.MessageJson;
import io.forebay.message.Messages.ItemLease;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What earlier versions wrote. */
class LogEntryTest {
    @Test
    @DisplayName("R5 records and leases from before checksums of inputs were kept are read: none are known")
    void withoutSums() throws Exception {
        var failed = (LogEntry.Failed) MessageJson.MAPPER.readValue("""
                {"t":"failed","id":"0123456789abcdef0123456789abcdef","item":3,"key":"a","generation":0,"attempt":1,"worker":"w",
                 "last":false,"failure":{"reason":"StepFailed","message":"m","code":1,"counted":true,"permanent":false,
                 "fatal":false,"moveDown":false},"steps":[],"published":[],"unexported":[],"at":5}""", LogEntry.class);
        assertThat(failed.sums()).isEmpty();
        var lease = MessageJson.MAPPER.readValue("""
                {"item":3,"itemId":"01","generation":0,"attempt":1,"key":"a","inputs":[],"avoidTier":0,"alone":false}""", ItemLease.class);
        assertThat(lease.sums()).isEmpty();
    }
}
