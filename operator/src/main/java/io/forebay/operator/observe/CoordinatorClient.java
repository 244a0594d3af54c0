package io.forebay.operator.observe;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.forebay.message.JobProgress;
import io.forebay.message.MessageJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Asks coordinators how their jobs are. Thread-safe. */
public final class CoordinatorClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(2);
    private static final Duration ANSWER = Duration.ofSeconds(4);
    /** More than any honest page has. */
    private static final int LONGEST = 1 << 20;

    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final ObjectMapper mapper = MessageJson.MAPPER;

    /** Either the word, or why there is none. */
    public sealed interface Answer {
        record Word(JobProgress progress) implements Answer {}

        record None(String why) implements Answer {}
    }

    /** @param address HOST:PORT */
    public Answer ask(String address, String token) throws InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://" + address + "/status"))
                .timeout(ANSWER)
                .header("Authorization", "Bearer " + token)
                .build();
        try {
            var response = http.send(
                    request, HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), LONGEST));
            if (response.statusCode() != 200) {
                return new Answer.None("the coordinator at " + address + " answers " + response.statusCode());
            }
            return new Answer.Word(mapper.readValue(response.body(), JobProgress.class));
        } catch (IOException e) {
            return new Answer.None("the coordinator at " + address + " cannot be reached: "
                    + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()));
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
