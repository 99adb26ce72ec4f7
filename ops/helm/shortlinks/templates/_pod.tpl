{{/*
Template of the pods of a process. The context has `root`, `name`, `component`, `process` and `requests`.
*/}}
{{- define "shortlinks.pod" -}}
{{- $own := index .root.Values.processes .name | default dict }}
{{- $limits := dict "memory" (.process.memory | default "1Gi") }}
{{- $resources := mergeOverwrite (dict "requests" .requests "limits" $limits) ($own.resources | default dict) }}
metadata:
  labels:
    app.kubernetes.io/name: {{ .name }}
    app.kubernetes.io/component: {{ .component }}
    {{- include "shortlinks.part" .root | nindent 4 }}
  annotations:
    # Restarts the pods when a setting changes.
    checksum/settings: {{ include "shortlinks.settings" .root | sha256sum }}
    {{- with .root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  # Otherwise the Services `api` and `redirect` would set API_PORT and REDIRECT_PORT to URLs.
  enableServiceLinks: false
  # The watchdog ends a process whose event loop is blocked, which needs a process 1 beside it.
  shareProcessNamespace: true
  terminationGracePeriodSeconds: 40
  {{- include "shortlinks.placement" .root | nindent 2 }}
  {{- if eq .component "server" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          app.kubernetes.io/component: server
          {{- include "shortlinks.part" .root | nindent 10 }}
  {{- end }}
  securityContext:
    {{- include "shortlinks.account" 1000 | nindent 4 }}
  initContainers:
    # One at a time migrates; the others wait for it, and find nothing to do.
    - name: migrate
      {{- include "shortlinks.container" .root | nindent 6 }}
      command: [node, dist/programs/migrate.js]
      resources:
        requests: { cpu: 50m, memory: 128Mi }
        limits: { memory: 1Gi }
  containers:
    - name: process
      {{- include "shortlinks.container" .root | nindent 6 }}
      command:
        {{- toYaml .process.command | nindent 8 }}
      env:
        # npm of `kubectl exec … -- npm run -s cli` writes there.
        - { name: npm_config_cache, value: /tmp/npm }
      ports:
        - { name: health, containerPort: 3100 }
        {{- with .process.port }}
        - { name: http, containerPort: {{ . }} }
        {{- end }}
      # A process is alive while it answers: what it needs and cannot reach, it waits for.
      startupProbe:
        httpGet: { path: /healthz, port: health }
        periodSeconds: 2
        failureThreshold: 45
      livenessProbe:
        httpGet: { path: /healthz, port: health }
        timeoutSeconds: 5
        failureThreshold: 6
      {{- if eq .component "server" }}
      readinessProbe:
        httpGet: { path: /healthz, port: health }
        periodSeconds: 5
      lifecycle:
        # Until no load balancer sends it requests anymore.
        preStop:
          exec: { command: [sleep, "5"] }
      {{- end }}
      resources:
        {{- toYaml $resources | nindent 8 }}
  volumes:
    {{- if ne .component "server" }}
    - name: data
      emptyDir: { sizeLimit: 1Gi }
    {{- end }}
    - name: tmp
      emptyDir: { medium: Memory, sizeLimit: 256Mi }
{{- end }}

{{/* What both containers of a process have. */}}
{{- define "shortlinks.container" -}}
image: {{ include "shortlinks.image" . | quote }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
envFrom:
  - configMapRef: { name: settings }
  - secretRef: { name: {{ .Values.secretName | quote }} }
securityContext:
  {{- include "shortlinks.confined" . | nindent 2 }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
{{- end }}

{{/* Number of pods, unless an autoscaler sets it. The context has `root`, `name`, `replicas` and `isScaled`. */}}
{{- define "shortlinks.replicas" -}}
{{- $own := index .root.Values.processes .name | default dict }}
{{- $replicas := hasKey $own "replicas" | ternary $own.replicas .replicas }}
{{- if and .root.Values.autoscaling.enabled .isScaled }}
{{- else if kindIs "invalid" $replicas }}
{{- else }}
replicas: {{ $replicas }}
{{- end }}
{{- end }}
