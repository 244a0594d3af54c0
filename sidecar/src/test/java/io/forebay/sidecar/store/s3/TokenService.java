package io.forebay.sidecar.store.s3;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/** AssumeRoleWithWebIdentity, each time with other keys. */
final class TokenService implements AutoCloseable {
    private final HttpServer server;
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean throttling;

    TokenService() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            int n = calls.incrementAndGet();
            var answer = (throttling
                            ? THROTTLED
                            : GRANTED.formatted(n, Instant.now().plusSeconds(3600)))
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/xml");
            exchange.sendResponseHeaders(throttling ? 400 : 200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    private static final String GRANTED = """
            <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
            <Credentials><AccessKeyId>AKIATOKEN%d</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>
            <Expiration>%s</Expiration></Credentials>
            <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/forebay/x</Arn><AssumedRoleId>id:x</AssumedRoleId></AssumedRoleUser>
            </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>
            """;

    private static final String THROTTLED = """
            <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>Throttling</Code>
            <Message>Rate exceeded</Message></Error><RequestId>r</RequestId></ErrorResponse>
            """;

    void throttle() {
        throttling = true;
    }

    int calls() {
        return calls.get();
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
