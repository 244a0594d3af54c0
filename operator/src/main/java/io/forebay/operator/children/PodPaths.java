package io.forebay.operator.children;

/** Where things lie in pods; docs/kubernetes.md has the same table. */
final class PodPaths {
    /** In the sidecar's image. */
    static final String JAVA = "/opt/forebay/runtime/bin/java";

    static final String ENGINE = "@/opt/forebay/lib/image.args";
    static final String RUNNER_IN_IMAGE = "/opt/forebay/lib/forebay-step";

    /** The step runner for steps' containers, whose images are the users'. */
    static final String BIN = "/forebay/bin";

    static final String RUNNER = BIN + "/forebay-step";
    static final String RUN = "/forebay/run";
    static final String SOCKET = RUN + "/steps.sock";
    /** Gets the engine's exit code once it has ended for good. */
    static final String ENDED = RUN + "/ended";

    static final String TIERS = "/forebay/tiers";
    /** Of its own: the root of an emptyDir is everybody's. */
    static final String CONTROL = "/forebay/control/engine";

    static final String CONTROL_VOLUME = "/forebay/control";
    /** What commands print, which their runners write. */
    static final String LOGS = "/forebay/logs";

    static final String JOB = "/forebay/job";
    static final String MANIFEST = JOB + "/job.json";
    static final String TOKEN = JOB + "/token";
    static final String STEP_TOKEN_IN_JOB = JOB + "/step-token";
    static final String STEP_TOKEN_FOLDER = "/forebay/step-token";
    static final String STEP_TOKEN = STEP_TOKEN_FOLDER + "/step-token";
    static final String SECRETS = "/forebay/secrets";
    static final String TMP = "/tmp";
    static final String TERMINATION = "/dev/termination-log";

    static final int PORT = 8600;

    private PodPaths() {}
}
