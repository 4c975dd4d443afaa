{{/* What Pod Security "restricted" asks of a Pod. User ids that are null are left to the cluster. */}}
{{- define "gatewarden.podSecurity" -}}
runAsNonRoot: true
{{- with .Values.securityContext }}
{{- if not (kindIs "invalid" .runAsUser) }}
runAsUser: {{ .runAsUser | int64 }}
{{- end }}
{{- if not (kindIs "invalid" .runAsGroup) }}
runAsGroup: {{ .runAsGroup | int64 }}
{{- end }}
{{- if not (kindIs "invalid" .fsGroup) }}
fsGroup: {{ .fsGroup | int64 }}
{{- end }}
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* What it asks of a container, and a file system that nobody can change. */}}
{{- define "gatewarden.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "gatewarden.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Where Pods go. Takes a dict: settings, with affinity and the like; selector, labels of the Pods; revision, a label
that tells the Pods of one version apart, so that a rolling update ends evenly spread. */}}
{{- define "gatewarden.placement" -}}
{{- $selector := .selector -}}
{{- $revision := .revision -}}
{{- with .settings }}
{{- if and $revision .topologySpread.enabled }}
topologySpreadConstraints:
  {{- $spread := .topologySpread }}
  {{- range $spread.topologyKeys }}
  - topologyKey: {{ . }}
    maxSkew: {{ $spread.maxSkew }}
    whenUnsatisfiable: {{ $spread.whenUnsatisfiable }}
    matchLabelKeys: [{{ $revision }}]
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
  {{- end }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A probe of the admin port. Takes a dict: path, settings. */}}
{{- define "gatewarden.probe" -}}
httpGet:
  path: {{ .path }}
  port: metrics
periodSeconds: {{ .settings.periodSeconds }}
timeoutSeconds: {{ .settings.timeoutSeconds }}
failureThreshold: {{ .settings.failureThreshold }}
{{- end -}}

{{/*
Where the API server is, as networks of one address each, in JSON: its Service and its endpoints as the cluster has them
when the chart is installed. Empty where no cluster is asked, as by `helm template`.
*/}}
{{- define "gatewarden.apiServerNetworks" -}}
{{- $addresses := list -}}
{{- with lookup "v1" "Service" "default" "kubernetes" -}}
{{- $addresses = concat $addresses (default list .spec.clusterIPs) -}}
{{- end -}}
{{- with lookup "discovery.k8s.io/v1" "EndpointSlice" "default" "kubernetes" -}}
{{- range .endpoints -}}
{{- $addresses = concat $addresses .addresses -}}
{{- end -}}
{{- end -}}
{{- $networks := list -}}
{{- range $addresses | uniq | sortAlpha -}}
{{- $networks = append $networks (printf "%s/%s" . (ternary "128" "32" (contains ":" .))) -}}
{{- end -}}
{{- toJson $networks -}}
{{- end -}}
