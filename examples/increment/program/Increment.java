import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * "Incrementation" of Hayot-Sasson, Brown and Glatard, "Performance evaluation of Big Data processing strategies for
 * neuroimaging" (CCGrid 2019): a volume in blocks; each is read, incremented by one and written, n times, with every
 * intermediate kept on the file system. A block is a NIfTI-1 file (.nii) of 8-, 16- or 32-bit integers or 32-bit floats.
 *
 * <pre>
 * java Increment.java IN OUT WORK N DELAY
 *     IN + 1 goes to WORK/1.nii, that + 1 to WORK/2.nii, ..., the N-th to OUT. After each it sleeps DELAY seconds, a
 *     stand-in for computation.
 * java Increment.java generate FOLDER BLOCKS SIDE DEPTH
 *     writes a head of SIDE x SIDE x (BLOCKS x DEPTH) voxels in BLOCKS files: the same bytes for the same arguments.
 * </pre>
 *
 * Exit codes: 0 done, 1 a file cannot be read or written or is no such volume, 2 usage. Runs uncompiled on Java 17 or later.
 */
public final class Increment {
    private static final int HEADER_BYTES = 348;

    public static void main(String[] args) {
        try {
            if (args.length == 5 && args[0].equals("generate")) {
                generate(Path.of(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]), Integer.parseInt(args[4]));
            } else if (args.length == 5) {
                increment(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3]), Double.parseDouble(args[4]));
            } else {
                throw new IllegalArgumentException(args.length + " arguments");
            }
        } catch (IllegalArgumentException e) {
            System.err.println("increment: " + e.getMessage());
            System.err.println("usage: java Increment.java IN OUT WORK N DELAY | generate FOLDER BLOCKS SIDE DEPTH");
            System.exit(2);
        } catch (IOException | InterruptedException e) {
            System.err.println("increment: " + e);
            System.exit(1);
        }
    }

    private static void increment(Path in, Path out, Path work, int times, double delaySeconds)
            throws IOException, InterruptedException {
        if (times < 1) {
            throw new IllegalArgumentException("N is " + times + ", must be at least 1");
        }
        Path from = in;
        for (int i = 1; i <= times; i++) {
            Path to = i == times ? out : work.resolve(i + ".nii");
            addOne(from, to);
            Thread.sleep(Math.round(delaySeconds * 1000));
            from = to;
        }
    }

    /** Copies a volume with each voxel one higher; integers wrap around. Header, extensions and what follows stay as they are. */
    private static void addOne(Path from, Path to) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(from), 1 << 16);
                OutputStream out = Files.newOutputStream(to)) {
            ByteBuffer header = ByteBuffer.wrap(exactly(in, HEADER_BYTES, from)).order(ByteOrder.LITTLE_ENDIAN);
            if (header.getInt(0) != HEADER_BYTES) {
                header.order(ByteOrder.BIG_ENDIAN);
            }
            if (header.getInt(0) != HEADER_BYTES || header.get(344) != 'n' || header.get(345) != '+') {
                throw new IOException(from + " is no NIfTI-1 volume in one file");
            }
            int type = header.getShort(70);
            int width = switch (type) {
                case 2, 256 -> 1;
                case 4, 512 -> 2;
                case 8, 16, 768 -> 4;
                default -> throw new IOException(from + " has voxels of data type " + type + "; known: 2 4 8 16 256 512 768");
            };
            long left = width;
            for (int d = 1; d <= header.getShort(40); d++) {
                left *= header.getShort(40 + 2 * d);
            }
            out.write(header.array());
            out.write(exactly(in, Math.max(0, (int) header.getFloat(108) - HEADER_BYTES), from));
            while (left > 0) {
                int length = (int) Math.min(left, 1 << 16);
                ByteBuffer voxels = ByteBuffer.wrap(exactly(in, length, from)).order(header.order());
                for (int at = 0; at < length; at += width) {
                    switch (width) {
                        case 1 -> voxels.put(at, (byte) (voxels.get(at) + 1));
                        case 2 -> voxels.putShort(at, (short) (voxels.getShort(at) + 1));
                        default -> {
                            if (type == 16) {
                                voxels.putFloat(at, voxels.getFloat(at) + 1);
                            } else {
                                voxels.putInt(at, voxels.getInt(at) + 1);
                            }
                        }
                    }
                }
                out.write(voxels.array());
                left -= length;
            }
            in.transferTo(out);
        }
    }

    private static byte[] exactly(InputStream in, int length, Path file) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException(file + " ends " + (length - bytes.length) + " bytes too early");
        }
        return bytes;
    }

    /** A head: bright skull, grey brain, dark ventricles, grain; 16-bit voxels of 1 mm; each block knows where it lies. */
    private static void generate(Path folder, int blocks, int side, int depth) throws IOException {
        if (blocks < 1 || side < 1 || side > Short.MAX_VALUE || depth < 1 || depth > Short.MAX_VALUE) {
            throw new IllegalArgumentException("BLOCKS, SIDE and DEPTH must be at least 1, SIDE and DEPTH at most " + Short.MAX_VALUE);
        }
        Files.createDirectories(folder);
        for (int block = 0; block < blocks; block++) {
            ByteBuffer slice = ByteBuffer.allocate(side * side * 2).order(ByteOrder.LITTLE_ENDIAN);
            try (OutputStream out = Files.newOutputStream(folder.resolve(String.format("block-%03d.nii", block)))) {
                out.write(header(side, depth, block * depth).array());
                for (int z = block * depth; z < (block + 1) * depth; z++) {
                    slice.clear();
                    for (int y = 0; y < side; y++) {
                        for (int x = 0; x < side; x++) {
                            slice.putShort(intensity(part(x, side), part(y, side), part(z, blocks * depth), (z * side + y) * side + x));
                        }
                    }
                    out.write(slice.array());
                }
            }
        }
    }

    /** -1 to 1 along an edge of {@code length} voxels. */
    private static double part(int at, int length) {
        return (2.0 * at + 1) / length - 1;
    }

    private static short intensity(double x, double y, double z, int seed) {
        double head = x * x / 0.64 + y * y / 0.9 + z * z / 0.8;
        double ventricles = x * x / 0.02 + y * y / 0.12 + z * z / 0.04;
        int grain = (seed * 0x9E3779B9 >>> 29) & 7;
        if (head > 1) {
            return 0;
        }
        return (short) ((head > 0.85 ? 900 : ventricles < 1 ? 150 : 500 + (int) (100 * y)) + grain);
    }

    /** @see <a href="https://nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h">nifti1.h</a> */
    private static ByteBuffer header(int side, int depth, int firstSlice) {
        ByteBuffer h = ByteBuffer.allocate(HEADER_BYTES + 4).order(ByteOrder.LITTLE_ENDIAN);
        h.putInt(0, HEADER_BYTES);
        short[] dimensions = {3, (short) side, (short) side, (short) depth, 1, 1, 1, 1};
        for (int i = 0; i < dimensions.length; i++) {
            h.putShort(40 + 2 * i, dimensions[i]);
            h.putFloat(76 + 4 * i, 1);
        }
        h.putShort(70, (short) 4).putShort(72, (short) 16);
        h.putFloat(108, HEADER_BYTES + 4).putFloat(112, 1);
        h.put(123, (byte) 2);
        h.putShort(254, (short) 1);
        h.putFloat(280, 1).putFloat(300, 1).putFloat(320, 1).putFloat(324, firstSlice);
        h.put(344, (byte) 'n').put(345, (byte) '+').put(346, (byte) '1');
        return h;
    }
}
