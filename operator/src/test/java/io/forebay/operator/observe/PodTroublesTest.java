package io.forebay.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodTroublesTest {
    private static Pod waiting(String reason, String message) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("p")
                .endMetadata()
                .withNewStatus()
                .withPhase("Pending")
                .addNewInitContainerStatus()
                .withName("work")
                .withImage("tools:1")
                .withNewState()
                .withNewWaiting()
                .withReason(reason)
                .withMessage(message)
                .endWaiting()
                .endState()
                .endInitContainerStatus()
                .endStatus()
                .build();
    }

    private static Pod unschedulable(String message) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("p")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withReason("Unschedulable")
                .withMessage(message)
                .endCondition()
                .endStatus()
                .build();
    }

    @ParameterizedTest
    @DisplayName("What a container waits for is told by one word and the cluster's own")
    @CsvSource({
        "ImagePullBackOff, Back-off pulling image, ImagePull",
        "ErrImagePull, not found, ImagePull",
        "InvalidImageName, couldn't parse, ImagePull",
        "CreateContainerConfigError, secret \"brain-s3\" not found, MissingSecret",
        "CreateContainerConfigError, container has runAsNonRoot and image will run as root, PodSecurity",
        "CrashLoopBackOff, back-off 10s, Crashing",
        "ContainerCreating, , ",
        "PodInitializing, , ",
    })
    void waitingContainers(String reason, String message, String expected) {
        var found = PodTroubles.of(List.of(waiting(reason, message)))
                .map(Trouble::reason)
                .orElse(null);
        assertThat(found).isEqualTo(expected);
    }

    @ParameterizedTest
    @DisplayName("A pod that no node takes, or that waits for its volumes")
    @CsvSource({
        "0/2 nodes are available: 2 Insufficient memory, Unschedulable",
        "pod has unbound immediate PersistentVolumeClaims, VolumeNotBound",
        "persistentvolumeclaim \"x\" not found, VolumeNotBound",
    })
    void scheduling(String message, String expected) {
        var found = PodTroubles.of(List.of(unschedulable(message))).orElseThrow();
        assertThat(found.reason()).isEqualTo(expected);
        assertThat(found.message()).contains(message);
    }

    @ParameterizedTest
    @DisplayName("Controllers and kubelets complain by events where a status says nothing")
    @CsvSource({
        "FailedCreate, 'pods \"a\" is forbidden: exceeded quota: small', QuotaExceeded",
        "FailedCreate, 'pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\"', PodSecurity",
        "FailedCreate, something else, PodRefused",
        "FailedMount, 'MountVolume.SetUp failed: secret \"x\" not found', MissingSecret",
        "BackOff, anything, ",
    })
    void warnings(String reason, String message, String expected) {
        var event = new EventBuilder()
                .withReason(reason)
                .withMessage(message)
                .withNewInvolvedObject()
                .withName("p")
                .endInvolvedObject()
                .build();
        assertThat(PodTroubles.ofWarnings(List.of(event)).map(Trouble::reason).orElse(null))
                .isEqualTo(expected);
    }
}
