package io.forebay.operator.children;

import java.util.List;

/**
 * The image of coordinator and buffer, and how pods get it.
 *
 * @param pullSecrets names, in the job's namespace
 */
public record SidecarImage(String reference, String pullPolicy, List<String> pullSecrets) {
    public SidecarImage {
        pullSecrets = List.copyOf(pullSecrets);
    }
}
