{{/*
Metadata of an object. Takes a dict: root; name; component (optional); group (optional); namespace (optional, "" for an
object without one); labels and annotations (optional).
*/}}
{{- define "gatewarden.metadata" -}}
{{- $root := .root -}}
name: {{ .name }}
{{- if not (hasKey . "namespace") }}
namespace: {{ toYaml $root.Release.Namespace }}
{{- else if .namespace }}
namespace: {{ toYaml .namespace }}
{{- end }}
labels:
  {{- include "gatewarden.labels" . | nindent 2 }}
{{- with merge (dict) (default dict .annotations) $root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Labels of an object; the same dict. */}}
{{- define "gatewarden.labels" -}}
{{- $root := .root -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_")
  "app.kubernetes.io/version" $root.Chart.AppVersion
  "app.kubernetes.io/managed-by" $root.Release.Service
  "app.kubernetes.io/part-of" "gatewarden"
-}}
{{- toYaml (merge (include "gatewarden.selectorLabels" . | fromYaml) $own (default dict .labels) $root.Values.commonLabels) -}}
{{- end -}}

{{/* Labels of Pods; the same dict. Without the version of the chart, so that it alone restarts nothing. */}}
{{- define "gatewarden.podLabels" -}}
{{- $own := dict "app.kubernetes.io/part-of" "gatewarden" -}}
{{- toYaml (merge (include "gatewarden.selectorLabels" . | fromYaml) $own (default dict .labels) .root.Values.commonLabels) -}}
{{- end -}}

{{/* Labels that Pods are found by, which never change; the same dict. Names such as 123 or on would be no texts in YAML. */}}
{{- define "gatewarden.selectorLabels" -}}
app.kubernetes.io/name: {{ include "gatewarden.name" .root }}
app.kubernetes.io/instance: {{ toYaml .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- with .group }}
gatewarden.io/group: {{ toYaml . }}
{{- end }}
{{- end -}}
