package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class PartPlanProperties {
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    @Property
    @Label("O6 any size: parts cover it, all equal but the last, at most 10,000, of 5 MiB to 5 GiB")
    void coversTheFile(@ForAll @LongRange(min = 1, max = 5L << 40) long size) {
        var plan = PartPlan.of(size, PartPlan.Sizes.DEFAULT);
        int parts = plan.parts();
        assertThat(parts).isBetween(1, 10_000);
        assertThat(plan.offset(0)).isZero();
        long last = plan.length(parts - 1);
        assertThat(plan.offset(parts - 1) + last).isEqualTo(size);
        assertThat(last).isBetween(1L, plan.partSize());
        if (parts > 1) {
            assertThat(plan.partSize()).isBetween(5 * MIB, 5 * GIB);
            assertThat(plan.length(0)).isEqualTo(plan.partSize());
            assertThat(plan.length(parts / 2 == parts - 1 ? 0 : parts / 2)).isEqualTo(plan.partSize());
        }
    }

    @Property
    @Label("O6 around each boundary too")
    void boundaries(
            @ForAll @LongRange(min = -2, max = 2) long delta, @ForAll @LongRange(min = 1, max = 5_000) long gib) {
        coversTheFile(gib * GIB + delta);
        coversTheFile(PartPlan.Sizes.DEFAULT.minPart() * 1000 + delta);
        coversTheFile(128 * MIB * 1000 + delta);
        coversTheFile(128 * MIB * 10_000 + delta);
    }

    @Example
    @Label("O6 600 GB, and the largest object there is")
    void large() {
        coversTheFile(600_000_000_000L);
        coversTheFile(PartPlan.MAX_OBJECT);
        assertThat(PartPlan.of(600_000_000_000L, PartPlan.Sizes.DEFAULT).partSize())
                .isEqualTo(128 * MIB);
    }

    @Example
    @Label("O6 6 TB and nothing are no plan")
    void refused() {
        for (long size : new long[] {6_000_000_000_000L, PartPlan.MAX_OBJECT + 1, 0, -1}) {
            assertThatThrownBy(() -> PartPlan.of(size, PartPlan.Sizes.DEFAULT))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
