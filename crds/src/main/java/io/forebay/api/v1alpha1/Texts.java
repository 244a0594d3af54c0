package io.forebay.api.v1alpha1;

/** What is said about broken rules, by the validator and, through {@link io.forebay.api.schema.Rule}, by the API server. */
public final class Texts {
    public static final String S3_ONLY =
            "endpoint, region, secretName, anonymous, pathStyle and caFile are for s3:// stores only; remove them from this one";
    public static final String CLAIM_OF_S3 =
            "a claim holds a file system, not a bucket; remove claimName, or write lustre:// or file://";
    public static final String ANONYMOUS_WITH_SECRET =
            "requests are either anonymous or signed; remove anonymous or secretName";
    public static final String STORAGE_CLASS =
            "only a tier of medium Ephemeral has a storage class; remove it, or write medium: Ephemeral";
    public static final String MIN_ABOVE_MAX = "min is above max; lower min or raise max";
    public static final String DRAIN_ABOVE_RUN = "drain is longer than run; shorten drain or lengthen run";

    /** After the quoted name. */
    public static final String NO_SUCH_INPUT = "is the name of no input; write that of one in spec.inputs";
    /** After the quoted size. */
    public static final String TIER_TOO_SMALL = "is below 64Mi, the least that a tier works with; raise it";
    /** After {@code Required value: }. */
    public static final String NO_RECORDS = "a job without outputs has no default for records; name a folder for them";

    /** After the variable; then the environment variable's name and {@link #PROGRAM_TEXT_END}. */
    public static final String PROGRAM_TEXT =
            "is inside the text of a program, where a file's name would run as code; use the environment variable";

    public static final String PROGRAM_TEXT_END = "there";

    private Texts() {}
}
