package io.forebay.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProgramTextTest {

    /** TEXT marks the argument that is a program. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "sh -c TEXT; sh -c",
                "/bin/sh -ec TEXT a b; /bin/sh -ec",
                "sh -c -e TEXT; sh -c",
                "sh -e -c -- TEXT x; sh -c",
                "bash -euo pipefail -c TEXT; bash -c",
                "bash --norc -o errexit -c TEXT; bash -c",
                "bash --rcfile x -c TEXT; bash -c",
                "busybox sh -c TEXT; sh -c",
                "env A=1 /usr/bin/bash -lc TEXT; /usr/bin/bash -lc",
                "timeout 5 sh -c TEXT; sh -c",
                "srun -n 1 zsh -c TEXT; zsh -c",
                "xargs -0 sh -c TEXT _; sh -c",
                "su - user -c TEXT; su -c",
                "flock lock -c TEXT; flock -c",
                "python -c TEXT; python -c",
                "python3.12 -u -c TEXT a; python3.12 -c",
                "python3 -Bc TEXT; python3 -Bc",
                "python3 -W ignore -X dev -c TEXT; python3 -c",
                "/opt/conda/bin/ipython -c TEXT; /opt/conda/bin/ipython -c",
                "perl -e TEXT; perl -e",
                "perl -lane TEXT file; perl -lane",
                "perl -Mstrict -E TEXT; perl -E",
                "ruby -e TEXT; ruby -e",
                "node --eval TEXT; node --eval",
                "node -p TEXT; node -p",
                "Rscript --vanilla -e TEXT; Rscript -e",
                "julia -e TEXT; julia -e",
                "octave --eval TEXT; octave --eval",
                "matlab -nodisplay -batch TEXT; matlab -batch",
                "awk TEXT file; awk",
                "gawk -F , -v a=b TEXT file; gawk",
            })
    void isFound(String command, String interpreter) {
        var words = List.of(command.split(" "));
        var found = ProgramText.find(words);
        assertThat(found).extracting(ProgramText::index).containsExactly(words.indexOf("TEXT"));
        assertThat(found.getFirst().interpreter()).isEqualTo(interpreter);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sh script.sh -c x",
                "bash -e script.sh",
                "./sh file",
                "python3 script.py -c x",
                "python3 -m module -c x",
                "python3",
                "sh -c",
                "perl script.pl -e x",
                "Rscript script.R -e x",
                "awk -f prog.awk file",
                "grep -c sh file",
                "work -c sh",
                "node server.js -e x",
                "su user",
            })
    void isNotFoundWhereThereIsNone(String command) {
        assertThat(ProgramText.find(List.of(command.split(" ")))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "python3 -cTEXT; python3 -c",
                "perl -eTEXT; perl -e",
                "node --eval=TEXT; node --eval",
                "ruby -neTEXT; ruby -ne"
            })
    void aTextJoinedToItsOptionIsFound(String command, String interpreter) {
        assertThat(ProgramText.find(List.of(command.split(" "))))
                .singleElement()
                .satisfies(p -> {
                    assertThat(p.index()).isEqualTo(1);
                    assertThat(p.interpreter()).isEqualTo(interpreter);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"perl -e TEXT -e TEXT", "Rscript -e TEXT -e TEXT"})
    void eachOfSeveralTextsIsFound(String command) {
        assertThat(ProgramText.find(List.of(command.split(" "))))
                .extracting(ProgramText::index)
                .containsExactly(2, 4);
    }
}
