{{/* What a controller does with custom resources, wherever it follows them. */}}
{{- define "gatewarden.resourceRules" -}}
# the resources, and what became of them
- apiGroups: [gatewarden.io]
  resources: [routes, secretstores, auditservices]
  verbs: [get, list, watch]
- apiGroups: [gatewarden.io]
  resources: [routes/status, secretstores/status, auditservices/status]
  verbs: [patch]
{{- if .Values.controller.routeVersions }}
# the last versions of Routes
- apiGroups: [gatewarden.io]
  resources: [routehistories]
  verbs: [get, list, create, update]
{{- end }}
# Services that Routes name as backends, and where their Pods are
- apiGroups: [""]
  resources: [services]
  verbs: [list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list, watch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{/* A binding of the controller to a role of the same name. Takes a dict: root; name; kind; namespace, "" for none. */}}
{{- define "gatewarden.controllerBinding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (eq .kind "Role") }}
metadata:
  {{- include "gatewarden.metadata" (dict "root" .root "name" .name "namespace" .namespace "component" "controller") | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "gatewarden.controllerAccount" .root }}
    namespace: {{ toYaml .root.Release.Namespace }}
{{- end -}}

{{/* Namespaces whose Secrets the controller may read, as JSON: each with names, or with an empty list for all of it. */}}
{{- define "gatewarden.secretNamespaces" -}}
{{- $root := . -}}
{{- $found := dict -}}
{{- if .Values.secretAccess.tenantNamespaces -}}
{{- range .Values.trust.tenants -}}
{{- range .namespaces -}}
{{- if not (has . (list "*" $root.Release.Namespace)) -}}
{{- $_ := set $found . list -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $namespace, $names := .Values.secretAccess.names -}}
{{- $_ := set $found $namespace $names -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}
