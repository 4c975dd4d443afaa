{{/*
Where `helm test` can make a Route, as JSON: {namespace, host, problem}. It needs a namespace that is followed and that a
tenant has, and a host of that tenant.
*/}}
{{- define "gatewarden.testPlace" -}}
{{- $root := . -}}
{{- $tenants := default (list (dict "name" "default" "namespaces" (list "*") "hosts" (list "*"))) .Values.trust.tenants -}}
{{- $candidates := list .Release.Namespace -}}
{{- range $tenants -}}
{{- $candidates = concat $candidates (without .namespaces "*") -}}
{{- end -}}
{{- with .Values.tests.namespace -}}
{{- $candidates = list . -}}
{{- else -}}
{{- $candidates = concat $candidates .Values.controller.watchNamespaces -}}
{{- end -}}
{{- $place := dict -}}
{{- range $namespace := uniq $candidates -}}
{{- $watched := $root.Values.controller.watchNamespaces -}}
{{- if and (not $place) (or (not $watched) (has $namespace $watched)) -}}
{{- $host := "" -}}
{{- range $tenants -}}
{{- if has $namespace .namespaces -}}{{- $host = first .hosts -}}{{- end -}}
{{- end -}}
{{- range $tenants -}}
{{- if and (not $host) (has "*" .namespaces) -}}{{- $host = first .hosts -}}{{- end -}}
{{- end -}}
{{- if $host -}}
{{- $host = ternary "gatewarden-test.invalid" ($host | replace "*." "gatewarden-test.") (eq $host "*") -}}
{{- $place = dict "namespace" $namespace "host" $host "problem" "" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $none := "there is no namespace that controllers follow and that a tenant has: give a tenant one, or name one in tests.namespace" -}}
{{- toJson (default (dict "namespace" .Release.Namespace "host" "" "problem" $none) $place) -}}
{{- end -}}

{{/* settings.json of the test, as JSON. */}}
{{- define "gatewarden.testSettings" -}}
{{- $root := . -}}
{{- $groups := list -}}
{{- range $group := include "gatewarden.groups" . | fromJsonArray -}}
{{- $service := $group.settings.service -}}
{{- $origin := printf "%s.%s.svc" $group.fullname $root.Release.Namespace -}}
{{- $url := "" -}}
{{- if $service.enabled -}}
{{- if $service.port -}}
{{- $url = printf "http://%s:%v" $origin (int $service.port) -}}
{{- else if and $service.tlsPort $group.settings.tls.secretName -}}
{{- $url = printf "https://%s:%v" $origin (int $service.tlsPort) -}}
{{- end -}}
{{- end -}}
{{- $groups = append $groups (dict "name" $group.name "url" $url) -}}
{{- end -}}
{{- $hints := list (printf "kubectl -n %s get pods; kubectl -n %s logs deploy/%s" .Release.Namespace .Release.Namespace (include "gatewarden.controllerName" .)) -}}
{{- if .Values.config -}}
{{- $hints = append $hints "config has a configuration of its own: its handler may keep requests from Routes" -}}
{{- end -}}
{{- if .Values.admin.connectors -}}
{{- $hints = append $hints "admin.connectors has connectors of its own: the first one is called, in the clear" -}}
{{- end -}}
{{- if .Values.controller.watchNamespaceSelector -}}
{{- $hints = append $hints (printf "controllers follow namespaces with the labels %s: tests.namespace must be one of them" .Values.controller.watchNamespaceSelector) -}}
{{- end -}}
{{- $settings := dict "groups" $groups "hints" $hints "timeoutSeconds" .Values.tests.timeoutSeconds -}}
{{- toJson (merge $settings (include "gatewarden.testPlace" . | fromJson)) -}}
{{- end -}}
