package io.forebay.helm;

import java.util.List;

/** Values that people install with, as words of Helm's command line. */
enum ValueSet {
    DEFAULTS,
    TWO_NAMESPACES("--set-json", "namespaces=[\"brain\",\"heart\"]"),
    HIGHLY_AVAILABLE("--set", "operator.replicas=3"),
    MIRROR(
            "--set",
            "image.registry=registry.lab:5000/mirror,image.pullSecrets[0]=lab-pull,image.pullPolicy=Always",
            "--set",
            "operator.image.digest=sha256:" + "0123456789abcdef".repeat(4),
            "--set",
            "sidecar.image.tag=1.2.3"),
    OWN_NAMES(
            "--set",
            "fullnameOverride=fb,serviceAccount.create=false,serviceAccount.name=mine,tokenKey.existingSecret=my-key",
            "--set",
            "crd.install=false,userRoles.create=false"),
    OBSERVED("--set", "metrics.serviceMonitor.enabled=true,metrics.dashboard.enabled=true"),
    FENCED(
            "--set",
            "networkPolicy.enabled=true",
            "--set-json",
            "networkPolicy.jobs={\"namespaces\":[\"brain\",\"heart\"],\"egress\":[{\"to\":[{\"ipBlock\":{\"cidr\":\"10.0.0.0/8\"}}]}]}"),
    EVERYTHING(
            "--set-json",
            "namespaces=[\"brain\"]",
            "--set",
            "operator.replicas=2,limits.memoryTier=64Gi,limits.diskTier=1Ti,limits.workerGraceSeconds=7200",
            "--set",
            "operator.podLabels.team=lab,operator.podAnnotations.note=x,operator.nodeSelector.pool=system",
            "--set",
            "operator.priorityClassName=system-cluster-critical,operator.extraEnv[0].name=A,operator.extraEnv[0].value=b",
            "--set-json",
            "operator.tolerations=[{\"operator\":\"Exists\"}]",
            "--set",
            "image.pullSecrets[0]=a,image.pullSecrets[1]=b,serviceAccount.annotations.x=y",
            "--set",
            "networkPolicy.enabled=true,networkPolicy.jobs.namespaces[0]=brain,networkPolicy.metricsFrom[0].podSelector.matchLabels.a=b",
            "--set",
            "metrics.serviceMonitor.enabled=true,metrics.serviceMonitor.labels.release=prom,metrics.dashboard.enabled=true");

    private final List<String> words;

    ValueSet(String... words) {
        this.words = List.of(words);
    }

    String[] words() {
        return words.toArray(String[]::new);
    }
}
