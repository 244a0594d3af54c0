package io.forebay.operator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.forebay.api.value.Bytes;
import io.forebay.operator.children.Children;
import io.forebay.operator.children.JobTokens;
import io.forebay.operator.children.SidecarImage;
import io.forebay.operator.config.OperatorConfig;
import io.forebay.operator.decide.ClusterRules;
import io.forebay.operator.observe.CoordinatorClient;
import io.forebay.operator.reconcile.PipelineJobReconciler;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Starts and stops the operator's loop with the process. */
@ApplicationScoped
public class OperatorLife {
    private static final Logger LOG = Logger.getLogger(OperatorLife.class);
    private static final String LEASE = "forebay-operator";

    private final KubernetesClient client;
    private final OperatorConfig config;
    private final MeterRegistry meters;
    private final Optional<String> podNamespace;
    private final Optional<String> podName;
    private final CoordinatorClient coordinators = new CoordinatorClient();
    private volatile @Nullable Operator operator;

    OperatorLife(
            KubernetesClient client,
            OperatorConfig config,
            MeterRegistry meters,
            @ConfigProperty(name = "POD_NAMESPACE") Optional<String> podNamespace,
            @ConfigProperty(name = "POD_NAME") Optional<String> podName) {
        this.client = client;
        this.config = config;
        this.meters = meters;
        this.podNamespace = podNamespace;
        this.podName = podName;
    }

    void start(@Observes StartupEvent event) throws IOException {
        var tokens = new JobTokens(TokenKey.read(config.tokenKeyFile()));
        var image = new SidecarImage(
                config.sidecar().image(),
                config.sidecar().pullPolicy(),
                config.pullSecrets().orElse(List.of()));
        var reconciler = new PipelineJobReconciler(
                client,
                new Children(image, tokens, config.maxWorkerGrace()),
                tokens,
                coordinators,
                new ClusterRules(
                        config.maxMemoryTier().map(Bytes::parse),
                        config.maxDiskTier().map(Bytes::parse)));
        meters.gauge("forebay.operator.jobs.running", reconciler, PipelineJobReconciler::running);
        var started = new Operator(o -> {
            o.withKubernetesClient(client)
                    .withCloseClientOnStop(false)
                    .withReconciliationTerminationTimeout(Duration.ofSeconds(5));
            if (podNamespace.isPresent()) {
                o.withLeaderElectionConfiguration(
                        new LeaderElectionConfiguration(LEASE, podNamespace.get(), podName.orElse(null)));
            }
        });
        started.register(
                reconciler, c -> config.namespaces().ifPresent(all -> c.settingNamespaces(new HashSet<>(all))));
        operator = started;
        started.start();
        LOG.infof(
                "looking after PipelineJobs in %s, sidecar image %s",
                config.namespaces().map(Object::toString).orElse("all namespaces"), image.reference());
    }

    void stop(@Observes ShutdownEvent event) {
        var running = operator;
        if (running != null) {
            running.stop();
        }
        coordinators.close();
    }

    /** Whether what it watches is in its caches and lives. */
    boolean isHealthy() {
        var running = operator;
        return running != null
                && running.getRuntimeInfo().isStarted()
                && running.getRuntimeInfo().allEventSourcesAreHealthy();
    }
}
