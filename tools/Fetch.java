import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Fetches for tools/toolchain.sh where there is Java (11 or later) but neither curl nor wget: {@code java Fetch.java URL FILE}. */
final class Fetch {
    private Fetch() {}

    public static void main(String[] args) throws InterruptedException {
        var file = Path.of(args[1]);
        try {
            var client = HttpClient.newBuilder()
                    .followRedirects(Redirect.NORMAL)
                    .connectTimeout(Duration.ofSeconds(20))
                    .build();
            var answer = client.send(HttpRequest.newBuilder(URI.create(args[0])).build(), BodyHandlers.ofFile(file));
            if (answer.statusCode() != 200) {
                Files.delete(file);
                throw new IOException("the server answered " + answer.statusCode());
            }
        } catch (IOException e) {
            System.err.println(e);
            System.exit(1);
        }
    }
}
