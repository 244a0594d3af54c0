package io.forebay.operator;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Ready: the informers are. */
@Readiness
@ApplicationScoped
class InformersReady implements HealthCheck {
    private final OperatorLife life;

    InformersReady(OperatorLife life) {
        this.life = life;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("informers").status(life.isHealthy()).build();
    }
}
