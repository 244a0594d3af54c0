package io.forebay.sidecar.advisor;

/**
 * The makespan of a pipeline that reads and writes through tiers (tmpfs, local disks) before a shared file system, and without
 * them [P3]. Amounts and bandwidths in one unit.
 *
 * @param memory tmpfs of each node, and the bandwidths of one node's
 * @param disks local disks of each node, and the bandwidths of one disk
 * @param shared the shared file system, bandwidths of one of its disks
 */
public record TieredMakespan(Cluster cluster, Data data, Memory memory, Disks disks, Shared shared) {

    /** @param nodes c @param processes on each (p) @param networkBandwidth of each (N) */
    public record Cluster(int nodes, int processes, double networkBandwidth) {
        public Cluster {
            Positive.require("nodes", nodes);
            Positive.require("processes", processes);
            Positive.require("networkBandwidth", networkBandwidth);
        }
    }

    /** @param input D_I @param intermediate D_m @param output D_f @param file size of one (F) */
    public record Data(double input, double intermediate, double output, double file) {
        public Data {
            Positive.requireNotNegative("input", input);
            Positive.requireNotNegative("intermediate", intermediate);
            Positive.requireNotNegative("output", output);
            Positive.requireNotNegative("file", file);
        }
    }

    /** @param size of one node's (t) @param read C_r @param write C_w */
    public record Memory(double size, double read, double write) {
        public Memory {
            Positive.requireNotNegative("size", size);
            Positive.require("read", read);
            Positive.require("write", write);
        }
    }

    /** @param disks of one node (g); 0: none @param size of one (r) @param read G_r @param write G_w */
    public record Disks(int disks, double size, double read, double write) {
        public Disks {
            Positive.requireNotNegative("disks", disks);
            Positive.requireNotNegative("size", size);
            Positive.require("read", read);
            Positive.require("write", write);
        }
    }

    /** @param servers s @param disks in all (d) @param read of one disk @param write of one disk */
    public record Shared(int servers, int disks, double read, double write) {
        public Shared {
            Positive.require("servers", servers);
            Positive.require("disks", disks);
            Positive.require("read", read);
            Positive.require("write", write);
        }
    }

    /** L_r. */
    public double sharedRead() {
        return sharedBandwidth(shared.read());
    }

    /** L_w. */
    public double sharedWrite() {
        return sharedBandwidth(shared.write());
    }

    /** {@code min(c N, s N, d_x min(d, c p))}. */
    private double sharedBandwidth(double ofOneDisk) {
        double network = Math.min(cluster.nodes(), shared.servers()) * cluster.networkBandwidth();
        double usedDisks = Math.min(shared.disks(), (double) cluster.nodes() * cluster.processes());
        return Math.min(network, ofOneDisk * usedDisks);
    }

    /** M_l: everything on the shared file system. */
    public double withoutTiers() {
        return (data.input() + data.intermediate()) / sharedRead()
                + (data.intermediate() + data.output()) / sharedWrite();
    }

    /** M_S: what fits goes to memory, then to the disks, the rest to the shared file system. */
    public double withTiers() {
        double read = data.intermediate();
        double written = data.intermediate() + data.output();
        double memoryRoom = room(memory.size());
        double diskRoom = room(disks.disks() * disks.size());
        double memoryRead = Math.min(read, memoryRoom);
        double memoryWritten = Math.min(written, memoryRoom);
        double disksRead = Math.min(read - memoryRead, diskRoom);
        double disksWritten = Math.min(written - memoryWritten, diskRoom);
        double sharedReads = data.input() + read - disksRead - memoryRead;
        double sharedWrites = written - disksWritten - memoryWritten;
        return sharedReads / sharedRead()
                + sharedWrites / sharedWrite()
                + onDisks(disksRead, disks.read())
                + onDisks(disksWritten, disks.write())
                + memoryRead / (cluster.nodes() * memory.read())
                + memoryWritten / (cluster.nodes() * memory.write());
    }

    private double onDisks(double amount, double bandwidth) {
        return amount == 0 ? 0 : amount / ((double) disks.disks() * cluster.nodes() * bandwidth);
    }

    /** On all nodes, less what the processes may be writing: {@code max(c (size - p F), 0)}. */
    private double room(double ofOneNode) {
        return Math.max(cluster.nodes() * (ofOneNode - cluster.processes() * data.file()), 0);
    }

    /** M_l / M_S; below 1 the buffer hurts. */
    public double speedup() {
        return withoutTiers() / withTiers();
    }
}
