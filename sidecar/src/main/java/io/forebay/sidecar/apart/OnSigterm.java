package io.forebay.sidecar.apart;

/** What SIGTERM means to a coordinator. */
public enum OnSigterm {
    /** The job is to end. */
    CANCEL,
    /** This process is to end, and another one goes on: as when a platform moves it. */
    STEP_DOWN
}
