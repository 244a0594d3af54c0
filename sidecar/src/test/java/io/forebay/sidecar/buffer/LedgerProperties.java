package io.forebay.sidecar.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.buffer.Buffer.NeverFitsException;
import io.forebay.sidecar.buffer.Ledger.Claim;
import io.forebay.sidecar.buffer.Ledger.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;

/** Against a model that keeps every claim and adds up from scratch. */
class LedgerProperties {
    private static final long MIN = TierConfig.MIN_SIZE.value();

    /** Any size from the minimum up. */
    private static List<Ledger.Limits> tiers(Random random) {
        var tiers = new ArrayList<Ledger.Limits>();
        for (int t = 1 + random.nextInt(3); t > 0; t--) {
            long size = MIN + (long) (random.nextDouble() * random.nextDouble() * (8L << 30));
            tiers.add(new Ledger.Limits("tier", size, size / 10 * 9, TierConfig.floorBytes(size)));
        }
        return tiers;
    }

    @Property(tries = 1000)
    @Label(
            "M10 any sizes, any items: never over, never below zero, nobody overtaken, all served in the end, all given back")
    void servesAll(@ForAll long seed) {
        var random = new Random(seed);
        var limits = tiers(random);
        var ledger = new Ledger(limits);
        var claims = new ArrayList<Claim>();
        // What each counted for when it was last seen in use.
        var charges = new HashMap<Claim, Long>();
        int wanted = 5 + random.nextInt(60);
        int refused = 0;
        for (int step = 0; claims.size() + refused < wanted || !allEnded(claims); step++) {
            assertThat(step).as("steps: nobody waits for ever").isLessThan(100_000);
            boolean more = claims.size() + refused < wanted;
            if (more && random.nextInt(3) == 0) {
                refused += ask(ledger, limits, claims, random) ? 0 : 1;
            } else {
                moveOn(ledger, claims, charges, random);
            }
            var waitedBefore = waiting(claims);
            var decided = ledger.grant();
            ledger.takeEvicted().forEach(e -> assertThat(e.state()).isEqualTo(State.LEAVING));
            assertNobodyOvertaken(limits, waitedBefore, decided);
            assertSumsAreRight(ledger, limits, claims, charges);
        }
        for (int t = 0; t < limits.size(); t++) {
            assertThat(ledger.chargedBytes(t)).isZero();
            assertThat(ledger.observedBytes(t)).isZero();
        }
        assertThat(ledger.waitingClaims()).isZero();
    }

    private static boolean ask(Ledger ledger, List<Ledger.Limits> limits, List<Claim> claims, Random random) {
        int from = random.nextInt(limits.size());
        long most = limits.stream()
                .skip(from)
                .mapToLong(Ledger.Limits::mostBytes)
                .max()
                .orElseThrow();
        long least = (long) (random.nextDouble() * random.nextDouble() * most * 1.1);
        long wish = least + (long) (random.nextDouble() * least * 3);
        try {
            claims.add(ledger.request(least, wish, from));
            assertThat(least).isLessThanOrEqualTo(most);
            return true;
        } catch (NeverFitsException e) {
            assertThat(least).isGreaterThan(most);
            return false;
        }
    }

    /** Some claim takes a step of its life. */
    private static void moveOn(Ledger ledger, List<Claim> claims, Map<Claim, Long> charges, Random random) {
        var candidates = claims.stream()
                .filter(c -> c.state() != State.GONE && c.state() != State.WAITING)
                .toList();
        if (candidates.isEmpty()) {
            return;
        }
        var c = candidates.get(random.nextInt(candidates.size()));
        switch (c.state()) {
            case LIVE -> {
                if (random.nextInt(3) == 0) {
                    ledger.observe(c, (long) (random.nextDouble() * c.reservedBytes()));
                } else if (random.nextInt(3) == 0) {
                    ledger.retire(c);
                    charges.put(c, c.observedBytes());
                } else if (random.nextBoolean()) {
                    ledger.leave(c);
                }
            }
            case CLEAN -> {
                if (random.nextInt(4) == 0) {
                    ledger.revive(c, c.reservedBytes());
                } else if (random.nextInt(4) == 0) {
                    ledger.leave(c);
                }
            }
            case LEAVING -> ledger.gone(c);
            case WAITING, REFUSED, CANCELLED, STRANDED, GONE -> throw new AssertionError(c.state());
        }
    }

    private static List<Claim> waiting(List<Claim> claims) {
        return claims.stream().filter(c -> c.state() == State.WAITING).toList();
    }

    private static boolean allEnded(List<Claim> claims) {
        // Clean claims may stay for ever; here they are asked to go in the end.
        return claims.stream().allMatch(c -> c.state() == State.GONE);
    }

    /** Who asked later got no tier that one who waits could use. */
    private static void assertNobodyOvertaken(
            List<Ledger.Limits> limits, List<Claim> waitedBefore, List<Claim> decided) {
        for (var granted : decided) {
            for (var earlier : waitedBefore.subList(0, waitedBefore.indexOf(granted))) {
                if (earlier.state() == State.WAITING) {
                    var tier = limits.get(granted.tier());
                    boolean couldUse =
                            granted.tier() >= earlier.fromTier() && earlier.wantedBytes() <= tier.mostBytes();
                    assertThat(couldUse)
                            .as("%d bytes overtook %d bytes", granted.wantedBytes(), earlier.wantedBytes())
                            .isFalse();
                }
            }
        }
    }

    private static void assertSumsAreRight(
            Ledger ledger, List<Ledger.Limits> limits, List<Claim> claims, Map<Claim, Long> charges) {
        for (int t = 0; t < limits.size(); t++) {
            long live = 0;
            long clean = 0;
            long leaving = 0;
            int items = 0;
            for (var c : claims) {
                if (c.tier() != t) {
                    continue;
                }
                switch (c.state()) {
                    case LIVE -> {
                        live += Math.max(c.reservedBytes(), c.observedBytes());
                        charges.put(c, Math.max(c.reservedBytes(), c.observedBytes()));
                        items++;
                    }
                    case CLEAN -> {
                        clean += c.observedBytes();
                        charges.put(c, c.observedBytes());
                    }
                    case LEAVING -> leaving += charges.get(c);
                    case WAITING, REFUSED, CANCELLED, STRANDED, GONE -> {}
                }
            }
            assertThat(ledger.liveBytes(t)).isEqualTo(live);
            assertThat(ledger.cleanBytes(t)).isEqualTo(clean);
            assertThat(ledger.leavingBytes(t)).isEqualTo(leaving);
            long all = live + clean + leaving;
            assertThat(all).isLessThanOrEqualTo(limits.get(t).mostBytes());
            if (items > 1) {
                assertThat(all)
                        .as("more than one item stays below the watermark")
                        .isLessThanOrEqualTo(limits.get(t).usualBytes());
            }
        }
    }

    @Property(tries = 200)
    @Label("a claim is given back exactly once")
    void givesBackOnce(@ForAll long seed) throws NeverFitsException {
        var random = new Random(seed);
        var ledger = new Ledger(tiers(random));
        var claim = ledger.request(1, 1000, 0);
        assertThat(ledger.grant()).containsExactly(claim);
        if (random.nextBoolean()) {
            ledger.retire(claim);
        }
        ledger.leave(claim);
        assertThatThrownBy(() -> ledger.leave(claim)).isInstanceOf(IllegalStateException.class);
        ledger.gone(claim);
        assertThatThrownBy(() -> ledger.gone(claim)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ledger.retire(claim)).isInstanceOf(IllegalStateException.class);
        assertThat(ledger.chargedBytes(claim.tier())).isZero();
    }
}
