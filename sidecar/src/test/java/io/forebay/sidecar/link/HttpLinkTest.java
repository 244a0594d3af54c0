package io.forebay.sidecar.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.name.NameBytes;
import io.forebay.message.Messages.ItemInput;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.JobInfo;
import io.forebay.message.Messages.LeaseRequest;
import io.forebay.message.Messages.Leases;
import io.forebay.message.Messages.Release;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.link.HttpCoordinatorServer.Pages;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.testing.CoordinatorRig;
import io.forebay.testing.CoordinatorRig.JobMaker;
import io.forebay.testing.FakeWorker;
import io.forebay.testing.RecordsMemoryStore;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpLinkTest {
    private static final String TOKEN = "0123456789abcdef";

    @TempDir
    Path scratch;

    private final RecordsMemoryStore bucket = new RecordsMemoryStore();

    private static HttpCoordinatorServer serve(CoordinatorLink link, Object status) throws IOException {
        return new HttpCoordinatorServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TOKEN,
                link,
                new Pages(new JobInfo("increment", "{}"), () -> true, () -> status, () -> "forebay_items 3\n"));
    }

    private static URI at(HttpCoordinatorServer server) {
        return URI.create("http://127.0.0.1:" + server.port());
    }

    private record Reply(int code, String body) {}

    private static Reply http(HttpCoordinatorServer server, String path, String token, byte[] body) throws IOException {
        var http = (HttpURLConnection) at(server).resolve(path).toURL().openConnection();
        http.setRequestProperty("Authorization", "Bearer " + token);
        if (body.length > 0) {
            http.setDoOutput(true);
            http.setFixedLengthStreamingMode(body.length);
            try (var out = http.getOutputStream()) {
                out.write(body);
            }
        }
        try (var in = http.getResponseCode() < 400 ? http.getInputStream() : http.getErrorStream()) {
            return new Reply(http.getResponseCode(), new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    @DisplayName("two workers carry a job over HTTP, at once, and it ends with 0")
    void twoWorkers() throws Exception {
        var rig = new CoordinatorRig(bucket, scratch);
        rig.inputs(40);
        try (var coordinator = rig.start(new JobMaker().job(), RunMode.RUN);
                var server = serve(coordinator, coordinator.progress());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var carried = new ArrayList<Future<Integer>>();
            for (var name : List.of("w0", "w1")) {
                var link = new HttpCoordinatorLink(at(server), TOKEN);
                carried.add(threads.submit(() -> {
                    var worker = rig.worker(name);
                    assertThat(worker.register(link).manifest()).startsWith("{");
                    return worker.carryAll(link);
                }));
            }
            int sum = 0;
            for (var c : carried) {
                sum += c.get(60, TimeUnit.SECONDS);
            }
            assertThat(sum).isEqualTo(40);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName("K8 without this job's token everything but /healthz is refused")
    void token() throws Exception {
        var rig = new CoordinatorRig(bucket, scratch);
        rig.inputs(1);
        try (var coordinator = rig.start(new JobMaker().job(), RunMode.RUN);
                var server = serve(coordinator, coordinator.progress())) {
            for (var wrong : List.of("", "0123456789abcdeX", "0123456789abcdef0")) {
                assertThat(http(server, "/status", wrong, new byte[0]).code).isEqualTo(403);
                assertThat(http(server, "/v1/lease", wrong, "{}".getBytes(StandardCharsets.US_ASCII)).code)
                        .isEqualTo(403);
            }
            assertThat(http(server, "/healthz", "", new byte[0])).isEqualTo(new Reply(200, "ok\n"));
            assertThat(http(server, "/status", TOKEN, new byte[0]).body).contains("\"items\":1");
            assertThat(http(server, "/metrics", TOKEN, new byte[0]).body).isEqualTo("forebay_items 3\n");
            var worker = rig.worker("w0");
            assertThatThrownBy(() -> worker.register(new HttpCoordinatorLink(at(server), "wrong")))
                    .isInstanceOf(LinkException.class)
                    .hasMessageContaining("403")
                    .hasMessageContaining("wrong token");
        }
    }

    @Test
    @DisplayName("K8 who shows no token is told how to show it: 401")
    void noToken() throws Exception {
        var rig = new CoordinatorRig(bucket, scratch);
        rig.inputs(1);
        try (var coordinator = rig.start(new JobMaker().job(), RunMode.RUN);
                var server = serve(coordinator, coordinator.progress())) {
            var http =
                    (HttpURLConnection) at(server).resolve("/metrics").toURL().openConnection();
            assertThat(http.getResponseCode()).isEqualTo(401);
            assertThat(http.getHeaderField("WWW-Authenticate")).isEqualTo("Bearer");
            try (var in = http.getErrorStream()) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .contains("Authorization: Bearer TOKEN")
                        .contains("--token-file")
                        .doesNotContain(TOKEN);
            }
        }
    }

    @Test
    @DisplayName("a question above 8 MiB is refused with 413, nonsense with 400, and the server goes on")
    void badQuestions() throws Exception {
        var rig = new CoordinatorRig(bucket, scratch);
        rig.inputs(1);
        try (var coordinator = rig.start(new JobMaker().job(), RunMode.RUN);
                var server = serve(coordinator, coordinator.progress())) {
            assertThat(http(server, "/v1/commit", TOKEN, new byte[(8 << 20) + 1]).code)
                    .isEqualTo(413);
            assertThat(http(server, "/v1/commit", TOKEN, "nonsense".getBytes(StandardCharsets.US_ASCII)).code)
                    .isEqualTo(400);
            assertThat(rig.worker("w0")
                            .register(new HttpCoordinatorLink(at(server), TOKEN))
                            .generation())
                    .isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a lease answer that was lost is given again, not other items; names of any bytes survive")
    void lostLeaseAnswer() throws Exception {
        var name = NameBytes.decode(new byte[] {'x', (byte) 0xFF, (byte) 0xFE, '\n', ' ', '"'});
        var asked = new AtomicInteger();
        CoordinatorLink leasing = new RefusingLink() {
            @Override
            public Leases lease(LeaseRequest request) {
                int item = asked.incrementAndGet();
                var input = new ItemInput("chunks", "file:///in/" + name, name, 1, "px:1:2:3:4:5:6", 0644, 0, null);
                return new Leases(
                        List.of(new ItemLease(item, "id", 0, 1, name, List.of(input), 0, false, List.of())), false, 0);
            }
        };
        try (var server = serve(leasing, "")) {
            try (var flaky = new AnswerEater(server.port())) {
                var link = new HttpCoordinatorLink(URI.create("http://127.0.0.1:" + flaky.port()), TOKEN);
                var request = new LeaseRequest("w0", "i0", 1, 1, 0);
                flaky.eatNext();
                assertThatThrownBy(() -> link.lease(request)).isInstanceOf(LinkException.class);
                assertThat(asked.get()).as("the question arrived").isEqualTo(1);
                var again = link.lease(request);
                assertThat(again.items()).singleElement().satisfies(l -> {
                    assertThat(l.item()).isEqualTo(1);
                    assertThat(l.key()).isEqualTo(name);
                });
                assertThat(link.lease(request).items().getFirst().item()).isEqualTo(2);
            }
        }
    }

    @Test
    @DisplayName("a coordinator that is not there, or still plans, is a LinkException that says so")
    void away() throws Exception {
        int free;
        try (var socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        var nowhere = new HttpCoordinatorLink(URI.create("http://127.0.0.1:" + free), TOKEN);
        assertThatThrownBy(() -> nowhere.release(new Release("w", "i", List.of(), null)))
                .isInstanceOf(LinkException.class)
                .hasMessageContaining("cannot be reached");
        try (var server = serve(new RefusingLink(), "")) {
            var planning = new HttpCoordinatorLink(at(server), TOKEN);
            assertThatThrownBy(planning::shared)
                    .isInstanceOf(LinkException.class)
                    .hasMessageContaining("503")
                    .hasMessageContaining("planning");
        }
    }

    @Test
    @DisplayName("every question and answer survives the wire")
    void roundTrip() throws Exception {
        var rig = new CoordinatorRig(bucket, scratch);
        rig.inputs(2);
        try (var coordinator = rig.start(new JobMaker().job(), RunMode.RUN);
                var server = serve(coordinator, coordinator.progress())) {
            var link = new HttpCoordinatorLink(at(server), TOKEN);
            FakeWorker worker = rig.worker("w0");
            worker.register(link);
            assertThat(link.shared().inputs()).isEmpty();
            var leases = worker.lease(link, 2);
            worker.release(link, leases.get(0));
            var outputs = List.of(worker.output(leases.get(1), "x"));
            assertThat(worker.announce(link, leases.get(1), outputs).refusal()).isNull();
            worker.stage(leases.get(1), outputs);
            assertThat(worker.renew(link).cancel()).isEmpty();
            assertThat(worker.commit(link, leases.get(1), true, outputs).refusal())
                    .isNull();
            worker.publish(outputs.getFirst());
            assertThat(worker.done(link, leases.get(1), outputs).fenced()).isFalse();
            assertThat(worker.commit(link, leases.get(1), true, outputs)
                            .refusal()
                            .reason())
                    .isEqualTo("FENCED");
            assertThat(coordinator.progress().done()).isEqualTo(1);
        }
    }
}
