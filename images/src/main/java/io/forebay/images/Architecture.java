package io.forebay.images;

/** The processors that images are made for. */
enum Architecture {
    AMD64("x86_64-linux-gnu", 62),
    ARM64("aarch64-linux-gnu", 183);

    private final String triplet;
    private final int elfMachine;

    Architecture(String triplet, int elfMachine) {
        this.triplet = triplet;
        this.elfMachine = elfMachine;
    }

    /** As OCI and Go spell it. */
    String ociName() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** The folder of this processor's libraries below {@code lib} and {@code usr/lib} on Debian and its kin. */
    String triplet() {
        return triplet;
    }

    /** {@code e_machine} of its programs. */
    int elfMachine() {
        return elfMachine;
    }
}
