{{/* The chart's name, which is app.kubernetes.io/name of everything. */}}
{{- define "gatewarden.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 34 | trimSuffix "-" -}}
{{- end -}}

{{/* What the names of objects begin with. So many characters leave room for a group and "-metrics":
names of Services have 63 at most, and no dots, which names of releases can have. */}}
{{- define "gatewarden.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 34 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "gatewarden.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | replace "." "-" | trunc 34 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | replace "." "-" | trunc 34 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The same for objects without a namespace: two releases of one name must not share them. */}}
{{- define "gatewarden.clusterName" -}}
{{- $name := include "gatewarden.fullname" . -}}
{{- if eq .Release.Namespace .Release.Name -}}
{{- $name -}}
{{- else -}}
{{- printf "%s-%s" $name .Release.Namespace -}}
{{- end -}}
{{- end -}}

{{- define "gatewarden.controllerName" -}}
{{- printf "%s-controller" (include "gatewarden.fullname" .) -}}
{{- end -}}

{{- define "gatewarden.controllerAccount" -}}
{{- default (include "gatewarden.controllerName" .) .Values.controller.serviceAccount.name -}}
{{- end -}}

{{/* Where planes find controllers: without the domain of the cluster, which nobody knows here. */}}
{{- define "gatewarden.controllerAddress" -}}
{{- printf "%s.%s.svc:9443" (include "gatewarden.controllerName" .) .Release.Namespace -}}
{{- end -}}

{{- define "gatewarden.image" -}}
{{- $image := .Values.image -}}
{{- with $image.registry }}{{ . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ default .Chart.AppVersion $image.tag }}{{ end -}}
{{- end -}}
