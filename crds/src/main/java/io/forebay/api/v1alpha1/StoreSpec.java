package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Range;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Rule;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import org.jspecify.annotations.Nullable;

/** How to reach the URIs below one prefix. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@Rule(
        cel =
                "self.uri.startsWith('s3:') || (!has(self.endpoint) && !has(self.region) && !has(self.secretName) && !has(self.anonymous)"
                        + " && !has(self.pathStyle) && !has(self.caFile))",
        message = Texts.S3_ONLY)
@Rule(cel = "!self.uri.startsWith('s3:') || !has(self.claimName)", message = Texts.CLAIM_OF_S3, field = ".claimName")
@Rule(
        cel = "!has(self.secretName) || !has(self.anonymous) || !self.anonymous",
        message = Texts.ANONYMOUS_WITH_SECRET,
        field = ".anonymous")
public record StoreSpec(
        @JsonPropertyDescription(
                "Prefix of the URIs meant, at the boundary of a folder: s3://bucket, s3://bucket/prefix, "
                        + "lustre:///path, file:///path.")
        @Required
        @Text(Syntax.URI)
        String uri,

        @JsonPropertyDescription("s3: the server, http://host:port or https://host:port. Unset: AWS in that region.")
        @Text(Syntax.ENDPOINT)
        @Nullable
        String endpoint,

        @JsonPropertyDescription(
                "s3: region that requests are signed for. Unset: the user's or the pod's setting, else us-east-1.")
        @Nullable
        String region,

        @JsonPropertyDescription(
                "s3: the Secret with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and perhaps AWS_SESSION_TOKEN, in the "
                        + "job's namespace; outside Kubernetes the profile of that name in the user's AWS files. Unset: the "
                        + "pod's or the user's own identity.")
        @Text(Syntax.JOB_NAME)
        @Nullable
        String secretName,

        @JsonPropertyDescription(
                "lustre, file: the PersistentVolumeClaim that holds the folder uri. Needed for file on Kubernetes; "
                        + "not looked at elsewhere, where the path is the path.")
        @Text(Syntax.JOB_NAME)
        @Nullable
        String claimName,

        @JsonPropertyDescription("s3: requests are not signed. Not together with secretName.")
        @Default("false")
        @Nullable
        Boolean anonymous,

        @JsonPropertyDescription(
                "s3: the bucket is part of the path (http://host/bucket/key), not of the host. Unset: true with an "
                        + "endpoint, false with AWS.")
        @Nullable
        Boolean pathStyle,

        @JsonPropertyDescription(
                "s3: PEM file with the certificates that the endpoint's is signed by; a path on the machine or in the "
                        + "image.")
        @Nullable
        String caFile,

        @JsonPropertyDescription("Bytes per second that all workers together read from here at most. Unset: no limit.")
        @Text(Syntax.QUANTITY)
        @Nullable
        String readBandwidth,

        @JsonPropertyDescription("Bytes per second that all workers together write here at most. Unset: no limit.")
        @Text(Syntax.QUANTITY)
        @Nullable
        String writeBandwidth,

        @JsonPropertyDescription("Workers that write here at the same time at most. Unset: no limit.")
        @Range(min = 1, max = 10000)
        @Nullable
        Integer writers,

        @JsonPropertyDescription(
                "Kubernetes: topology.kubernetes.io/zone that the store is in; workers are preferably placed there. "
                        + "Unset: anywhere.")
        @Nullable
        String zone) {}
