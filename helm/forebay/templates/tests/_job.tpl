{{- /* A PipelineJob of each kind of field, held, so that nothing of it is ever started. */ -}}
{{- define "forebay.testJob" -}}
apiVersion: forebay.io/v1alpha1
kind: PipelineJob
metadata:
  name: {{ include "forebay.fullname" . }}-test
spec:
  suspend: true
  stores:
  - {uri: file:///data, claimName: none}
  inputs:
  - {name: files, source: file:///data/in/, include: ["*.bin"]}
  forEach: {input: files}
  steps:
  - name: nothing
    image: {{ include "forebay.image" (dict "root" $ "image" .Values.sidecar.image) }}
    command: ["true", $(INPUT)]
    resources: {limits: {memory: 64Mi}}
  outputs:
  - {name: result, path: $(STEM).bin, to: file:///data/out/}
  buffer:
    tiers: [{medium: Memory, size: 64Mi}]
  workers: {max: 1, slots: 1}
{{- end -}}
