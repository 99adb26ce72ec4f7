{{/* Label of all objects and selectors. */}}
{{- define "shortlinks.part" -}}
app.kubernetes.io/part-of: shortlinks
{{- end }}

{{/* Labels that Helm adds to an object. */}}
{{- define "shortlinks.release" -}}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Labels of an object, which no selector has. */}}
{{- define "shortlinks.labels" -}}
{{ include "shortlinks.part" . }}
{{ include "shortlinks.release" . }}
{{- end }}

{{- define "shortlinks.image" -}}
{{ required "image.repository is required: the image in your registry, as registry.example/shortlinks" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Rights of a container by the Pod Security Standard "restricted". */}}
{{- define "shortlinks.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Rights of a pod by the Pod Security Standard "restricted". The context is the account. */}}
{{- define "shortlinks.account" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Parts of every pod that the values add. */}}
{{- define "shortlinks.placement" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Volume of each pod of a StatefulSet. The context has `root` and `storage`. */}}
{{- define "shortlinks.claim" -}}
- metadata:
    name: data
    labels:
      {{- include "shortlinks.part" .root | nindent 6 }}
  spec:
    accessModes: [ReadWriteOnce]
    {{- with .root.Values.storageClassName }}
    storageClassName: {{ . | quote }}
    {{- end }}
    resources:
      requests:
        storage: {{ .storage | quote }}
{{- end }}

{{/* The settings that processes read, and those without which they do not start. */}}
{{- define "shortlinks.settings" -}}
{{- $_ := required "settings.BASE_URL is required: the public URL of the API, as https://api.example.com" .Values.settings.BASE_URL }}
{{- $_ := required "settings.DEFAULT_SHORT_DOMAIN is required: the domain of new short links, as example.link" .Values.settings.DEFAULT_SHORT_DOMAIN }}
{{- toYaml .Values.settings }}
{{- end }}
