{{/* How an endpoint is scraped; takes the values of the monitor. */}}
{{- define "gatewarden.scraping" -}}
interval: {{ .interval }}
scrapeTimeout: {{ .scrapeTimeout }}
# What Prometheus knows of a target wins over what the target says: no plane can pass for another one.
honorLabels: false
{{- with .metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Labels that every target gets. Those of the operator that are the same for all targets of a kind go. */}}
{{- define "gatewarden.jobRelabeling" -}}
- targetLabel: job
  replacement: {{ include "gatewarden.clusterName" . }}
- sourceLabels: [__meta_kubernetes_pod_name]
  targetLabel: pod
- action: labeldrop
  regex: endpoint|container|service
{{- end -}}
