package io.forebay.sidecar.store.s3;

import static io.forebay.sidecar.store.StoreException.Kind.BAD_NAME;
import static io.forebay.sidecar.store.StoreException.Kind.CHANGED;
import static io.forebay.sidecar.store.StoreException.Kind.CORRUPT;
import static io.forebay.sidecar.store.StoreException.Kind.CREDENTIALS;
import static io.forebay.sidecar.store.StoreException.Kind.DENIED;
import static io.forebay.sidecar.store.StoreException.Kind.NOT_FOUND;
import static io.forebay.sidecar.store.StoreException.Kind.NO_SPACE;
import static io.forebay.sidecar.store.StoreException.Kind.PERMANENT;
import static io.forebay.sidecar.store.StoreException.Kind.TOO_LARGE;
import static io.forebay.sidecar.store.StoreException.Kind.TRANSIENT;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.s3.http.Headers;
import java.io.IOException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import javax.xml.stream.XMLStreamException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;

/**
 * Classifies what went wrong, once, and says it: operation, object, endpoint, status, code, request id, identity, remedy. Never
 * a secret. Thread-safe.
 */
final class S3Errors {
    private final S3Settings settings;
    private final Identity identity;

    S3Errors(S3Settings settings, Identity identity) {
        this.settings = settings;
        this.identity = identity;
    }

    /** What an error means: its kind, whether all of the store is concerned, and what the user can do (may be empty). */
    private record Meaning(Kind kind, boolean wholeStore, String remedy) {
        static Meaning of(Kind kind) {
            return new Meaning(kind, false, "");
        }

        static Meaning of(Kind kind, String remedy) {
            return new Meaning(kind, false, remedy);
        }

        static Meaning ofStore(Kind kind, String remedy) {
            return new Meaning(kind, true, remedy);
        }
    }

    StoreException of(Operation operation, String key, Failure f) {
        return of(operation, key, f, null);
    }

    private StoreException of(Operation operation, String key, Failure f, @Nullable Throwable cause) {
        var meaning = meaning(operation, f);
        if (meaning.kind == CREDENTIALS) {
            identity.renew();
        }
        var text = new StringBuilder(head(operation, key)).append(f.status());
        if (!f.code().isEmpty()) {
            text.append(' ').append(f.code());
        }
        if (!f.message().isEmpty()) {
            text.append(": ").append(f.message());
        }
        text.append(" (identity: ").append(identity.description());
        if (!f.requestId().isEmpty()) {
            text.append(", request ").append(f.requestId());
        }
        text.append(")");
        if (!meaning.remedy.isEmpty()) {
            text.append(". ").append(meaning.remedy);
        }
        return new StoreException(
                meaning.kind, printable(text.toString()), new RefusedException(f, cause), meaning.wholeStore);
    }

    private Meaning meaning(Operation operation, Failure f) {
        var byCode = byCode(operation, f);
        return byCode != null ? byCode : byStatus(operation, f);
    }

    private @Nullable Meaning byCode(Operation operation, Failure f) {
        return switch (f.code()) {
            case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired" ->
                Meaning.of(CREDENTIALS, "The credentials have expired; renew them where they come from");
            case "InvalidAccessKeyId",
                    "SignatureDoesNotMatch",
                    "InvalidToken",
                    "InvalidSecurity",
                    "NotSignedUp",
                    "AccountProblem",
                    "InvalidClientTokenId",
                    "UnrecognizedClientException",
                    // Of versitygw, with status 404.
                    "XAdminUserNotFound" ->
                Meaning.ofStore(
                        DENIED,
                        "The server does not take these keys: correct them, or name others by secretName of the store");
            case "RequestTimeTooSkewed" ->
                Meaning.ofStore(
                        PERMANENT,
                        "The clocks of this machine and of the server differ by more than 15 minutes: set the clock");
            case "NoSuchBucket" ->
                Meaning.ofStore(NOT_FOUND, "There is no such bucket here: correct the URI, or the store's endpoint");
            case "InvalidBucketName" -> Meaning.ofStore(PERMANENT, "Correct the bucket's name");
            case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException" ->
                wrongRegion(f);
            case "NoSuchVersion" -> Meaning.of(CHANGED);
            case "NoSuchKey" -> Meaning.of(NOT_FOUND, absent(operation));
            case "NoSuchUpload" -> Meaning.of(NOT_FOUND);
            case "PreconditionFailed" -> Meaning.of(CHANGED);
            case "BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch" -> Meaning.of(CORRUPT);
            case "KeyTooLongError" -> Meaning.of(BAD_NAME);
            case "EntityTooLarge" -> Meaning.of(TOO_LARGE);
            case "QuotaExceeded",
                    "QuotaExceededException",
                    "InsufficientStorage",
                    "XMinioStorageFull",
                    "XMinioAdminBucketQuotaExceeded",
                    "ServiceQuotaExceededException" -> Meaning.of(NO_SPACE, "Free space there, or raise the quota");
            case "InvalidObjectState" ->
                Meaning.of(PERMANENT, "The object is archived: restore it first, or leave it out by exclude");
            case "SlowDown",
                    "RequestTimeout",
                    "InternalError",
                    "ServiceUnavailable",
                    "Throttling",
                    "ThrottlingException",
                    "RequestLimitExceeded",
                    "TooManyRequests",
                    "OperationAborted",
                    "ConditionalRequestConflict",
                    "IncompleteBody",
                    "RequestThrottled" -> Meaning.of(TRANSIENT);
            default -> null;
        };
    }

    private Meaning byStatus(Operation operation, Failure f) {
        return switch (f.status()) {
            case 301, 302, 307, 308 -> wrongRegion(f);
            case 401, 403 -> Meaning.of(DENIED, denied(operation));
            case 404 -> Meaning.of(NOT_FOUND, absent(operation));
            // A version id that names a delete marker.
            case 405 -> Meaning.of(operation == Operation.READ || operation == Operation.STAT ? CHANGED : PERMANENT);
            case 408, 409, 425, 429 -> Meaning.of(TRANSIENT);
            case 412, 416 -> Meaning.of(CHANGED);
            case 413 -> Meaning.of(TOO_LARGE);
            case 501 -> Meaning.of(PERMANENT, "The server does not implement this");
            case 507 -> Meaning.of(NO_SPACE, "Free space there, or raise the quota");
            default -> Meaning.of(f.status() >= 500 || f.status() < 300 ? TRANSIENT : PERMANENT);
        };
    }

    /** HEAD has no body to say what is missing, and some servers answer 404 to those who may not list. */
    private static String absent(Operation operation) {
        var list = Operation.LIST.permission();
        var needed = operation.permission().equals(list) ? list : operation.permission() + ", " + list;
        return "There is no such object or bucket, or this identity may not see it (" + needed + ")";
    }

    private String denied(Operation operation) {
        var may = identity.anonymous()
                ? "Requests are anonymous: set secretName, or give credentials in the environment, and leave out anonymous"
                : "Allow it " + operation.permission() + ", or name another identity by secretName of the store";
        return operation == Operation.READ || operation == Operation.STAT
                ? may
                        + ". S3 also answers so for an object that does not exist, when the identity may not list the bucket"
                : may;
    }

    private Meaning wrongRegion(Failure f) {
        var region = f.headers().get("x-amz-bucket-region");
        return Meaning.ofStore(
                PERMANENT,
                "The bucket is not in region " + settings.region() + ": set region of the store to "
                        + (region == null ? "the bucket's" : region));
    }

    /** The network failed, or the answer was no HTTP. */
    StoreException of(Operation operation, String key, IOException e) {
        return network(operation, key, e, e);
    }

    private StoreException network(Operation operation, String key, Throwable root, Throwable cause) {
        var text = head(operation, key);
        if (root instanceof SSLException) {
            var what = text + "TLS: " + root.getMessage();
            return untrusted(root)
                    ? new StoreException(
                            PERMANENT,
                            printable(
                                    what
                                            + ". If the server has a certificate of your own authority, name its PEM file by caFile of the store"),
                            cause,
                            true)
                    : new StoreException(TRANSIENT, printable(what), cause);
        }
        if (root instanceof UnknownHostException) {
            return new StoreException(
                    TRANSIENT,
                    printable(text + "host name " + root.getMessage() + " is not known; correct the store's endpoint"),
                    cause);
        }
        var message = root.getMessage();
        return new StoreException(TRANSIENT, printable(text + (message == null ? root.toString() : message)), cause);
    }

    private static boolean untrusted(Throwable e) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof java.security.cert.CertificateException
                    || t instanceof java.security.cert.CertPathValidatorException
                    || t instanceof javax.net.ssl.SSLPeerUnverifiedException) {
                return true;
            }
        }
        return false;
    }

    /** @throws InterruptedException that was the cause */
    StoreException ofSdk(Operation operation, String key, SdkException e) throws InterruptedException {
        if (e instanceof SdkServiceException service) {
            return isOfS3(service) ? of(operation, key, failure(service), e) : noToken(operation, key, service);
        }
        if (e instanceof AbortedException || Thread.currentThread().isInterrupted()) {
            Thread.interrupted();
            throw new InterruptedException();
        }
        for (Throwable t = e.getCause(); t != null; t = t.getCause()) {
            if (t instanceof InterruptedException) {
                throw new InterruptedException();
            }
            if (t instanceof IOException || t instanceof XMLStreamException) {
                return network(operation, key, t, e);
            }
        }
        var message = String.valueOf(e.getMessage());
        if (message.contains("Could not parse XML")) {
            return new StoreException(TRANSIENT, printable(head(operation, key) + "the answer is no XML of S3's"), e);
        }
        if (message.contains("credentials") || message.contains("AWS_ACCESS_KEY_ID")) {
            return new StoreException(
                    DENIED,
                    printable(head(operation, key) + "no usable credentials (" + identity.description() + ")"
                            + cause(message)
                            + ". Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or name keys by"
                            + " secretName of the store; for a public bucket: anonymous: true"),
                    e,
                    true);
        }
        return new StoreException(PERMANENT, printable(head(operation, key) + message), e);
    }

    /** Empty for the list of all places that a chain has looked in: it fills a screen, and helps nobody. */
    private static String cause(String message) {
        return message.contains("any of the providers in the chain") ? "" : ": " + message;
    }

    private static boolean isOfS3(SdkServiceException e) {
        var details = e instanceof AwsServiceException aws ? aws.awsErrorDetails() : null;
        return details == null
                || details.serviceName() == null
                || details.serviceName().equalsIgnoreCase("S3");
    }

    /** The service that gives credentials refused them; it has not come to S3 at all. */
    private StoreException noToken(Operation operation, String key, SdkServiceException e) {
        var failure = failure(e);
        var kind = meaning(operation, failure).kind;
        var text = head(operation, key) + "no credentials for " + identity.description()
                + ": the token service answers " + failure.status() + " " + failure.code() + ": " + failure.message();
        boolean passing = kind == TRANSIENT || kind == CREDENTIALS;
        return new StoreException(passing ? kind : DENIED, printable(text), e, !passing);
    }

    static Failure failure(SdkServiceException e) {
        var details = e instanceof AwsServiceException aws ? aws.awsErrorDetails() : null;
        var headers = details == null || details.sdkHttpResponse() == null
                ? Headers.NONE
                : Headers.of(details.sdkHttpResponse().headers());
        var code = details == null || details.errorCode() == null ? "" : details.errorCode();
        var message = details == null || details.errorMessage() == null ? "" : details.errorMessage();
        return new Failure(e.statusCode(), code, message, e.requestId() == null ? "" : e.requestId(), headers);
    }

    /** The buffer's side of a transfer failed; the cause is its own IOException. */
    StoreException local(Operation operation, String key, IOException e) {
        return new StoreException(
                PERMANENT, printable(head(operation, key) + "the local file failed: " + e.getMessage()), e);
    }

    /** A fault that was found here rather than told by the server. */
    StoreException found(Kind kind, Operation operation, String key, String what) {
        return new StoreException(kind, printable(head(operation, key) + what));
    }

    private String head(Operation operation, String key) {
        return "cannot " + operation.words() + " s3://" + settings.bucket() + "/" + key + " at " + settings.where()
                + ": ";
    }

    /** Keys may hold anything: control characters become {@code \xNN}, so that a message stays one line. */
    private static String printable(String text) {
        var out = new StringBuilder(text.length());
        text.chars().forEach(c -> {
            if (c < 0x20 || c == 0x7f) {
                out.append("\\x%02x".formatted(c));
            } else {
                out.append((char) c);
            }
        });
        return out.toString();
    }
}
