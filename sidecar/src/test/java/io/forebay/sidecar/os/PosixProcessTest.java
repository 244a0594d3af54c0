package io.forebay.sidecar.os;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PosixProcessTest {
    @Test
    void knowsWhoIsAlive() throws Exception {
        assertThat(PosixProcess.exists(ProcessHandle.current().pid())).isTrue();
        var child = new ProcessBuilder("sleep", "100").start();
        assertThat(PosixProcess.exists(child.pid())).isTrue();
        assertThat(PosixProcess.signal(child.pid(), 9)).isTrue();
        assertThat(child.waitFor()).isEqualTo(128 + 9);
        assertThat(PosixProcess.exists(child.pid())).isFalse();
    }

    @Test
    void knowsItself() throws Exception {
        var id = new ProcessBuilder("id", "-u").start();
        var uid = new String(id.getInputStream().readAllBytes()).strip();
        id.waitFor();
        assertThat(PosixProcess.euid()).isEqualTo(Long.parseLong(uid));
        assertThat(PosixProcess.uid()).isEqualTo(Long.parseLong(uid));
        assertThat(PosixProcess.gid()).isGreaterThanOrEqualTo(0);
    }

    @Test
    void raisesAndRestoresTheLimitOfOpenFiles() throws Exception {
        var limit = PosixProcess.openFiles();
        assertThat(limit.soft()).isBetween(1L, limit.hard());
        PosixProcess.setOpenFiles(new PosixProcess.Limit(limit.soft() - 1, limit.hard()));
        try {
            assertThat(PosixProcess.openFiles().soft()).isEqualTo(limit.soft() - 1);
        } finally {
            PosixProcess.setOpenFiles(limit);
        }
    }
}
