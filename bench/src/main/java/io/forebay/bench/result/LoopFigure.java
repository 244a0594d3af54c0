package io.forebay.bench.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What one operation of an inner loop takes.
 *
 * @param error half of the 99.9 % interval
 * @param unit as {@code us/op}
 */
public record LoopFigure(String name, double score, double error, String unit) {
    private static final String FILE = "inner-loops.txt";

    /** All of them, a line each, tabs between. */
    public static void write(Path folder, List<LoopFigure> figures) throws IOException {
        Files.createDirectories(folder);
        Files.write(
                folder.resolve(FILE),
                figures.stream()
                        .map(f -> f.name + "\t" + f.score + "\t" + f.error + "\t" + f.unit)
                        .toList());
    }

    /** Empty: none were measured. */
    public static List<LoopFigure> readAll(Path folder) throws IOException {
        var all = new ArrayList<LoopFigure>();
        var file = folder.resolve(FILE);
        if (Files.exists(file)) {
            for (var line : Files.readAllLines(file)) {
                var words = line.split("\t");
                if (words.length != 4) {
                    throw new IOException(file + " has a line that is no figure: " + line);
                }
                all.add(new LoopFigure(words[0], Double.parseDouble(words[1]), Double.parseDouble(words[2]), words[3]));
            }
        }
        return all;
    }
}
