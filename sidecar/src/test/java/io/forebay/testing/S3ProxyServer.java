package io.forebay.testing;

import java.net.URI;
import java.nio.file.Path;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.nio2blob.FilesystemNio2BlobStore;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import software.amazon.awssdk.services.s3.model.CreateBucketRequest;

/** s3proxy in this process, on a free port: signed requests, If-Match, If-None-Match. */
public final class S3ProxyServer implements AutoCloseable {
    public static final String ACCESS_KEY = "forebaytest";
    public static final String SECRET_KEY = "forebay-test-secret";

    private final S3Proxy server;
    private final BlobStore blobs;

    private S3ProxyServer(BlobStore blobs) throws Exception {
        this.blobs = blobs;
        this.server = S3Proxy.builder()
                .blobStore(blobs)
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V4, ACCESS_KEY, SECRET_KEY)
                .ignoreUnknownHeaders(true)
                .stopTimeout(0)
                .build();
        server.start();
    }

    /** Objects live in memory. */
    public static S3ProxyServer inMemory(String bucket) throws Exception {
        return with(new TransientNio2BlobStore(), bucket);
    }

    /** Objects live as files below {@code folder}. */
    public static S3ProxyServer onDisk(Path folder, String bucket) throws Exception {
        return with(new FilesystemNio2BlobStore(folder.toString()), bucket);
    }

    private static S3ProxyServer with(BlobStore blobs, String bucket) throws Exception {
        var server = new S3ProxyServer(blobs);
        server.createBucket(bucket);
        return server;
    }

    public void createBucket(String bucket) {
        blobs.createContainer(CreateBucketRequest.builder().bucket(bucket).build());
    }

    /** For what the S3 interface does not show: what is really there. */
    public BlobStore blobs() {
        return blobs;
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getPort());
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
