{{/*
Where `helm test` can make a Route for a group of planes, as JSON: {namespace, host, problem}. It needs a namespace that is
followed and that a tenant has whose Routes the group serves, and a host of that tenant. Takes a dict: root; group.
*/}}
{{- define "gatewarden.testPlace" -}}
{{- $root := .root -}}
{{- $served := .group.settings.tenants -}}
{{- $watched := $root.Values.controller.watchNamespaces -}}
{{- $tenants := include "gatewarden.tenants" $root | fromJsonArray -}}
{{- $candidates := list $root.Release.Namespace -}}
{{- range $tenants -}}
{{- $candidates = concat $candidates (without .namespaces "*") -}}
{{- end -}}
{{- $candidates = concat $candidates $watched -}}
{{- with $root.Values.tests.namespace -}}
{{- $candidates = list . -}}
{{- end -}}
{{- $place := dict -}}
{{- range $namespace := uniq $candidates -}}
{{- $tenant := dict -}}
{{- range $tenants -}}
{{- if or (has $namespace .namespaces) (and (not $tenant) (has "*" .namespaces)) -}}{{- $tenant = . -}}{{- end -}}
{{- end -}}
{{- $isFollowed := or (not $watched) (has $namespace $watched) -}}
{{- if and (not $place) $tenant $isFollowed (or (not $served) (has $tenant.name $served)) -}}
{{- $host := first $tenant.hosts -}}
{{- $host = ternary "gatewarden-test.invalid" ($host | replace "*." "gatewarden-test.") (eq $host "*") -}}
{{- $place = dict "namespace" $namespace "host" $host "problem" "" -}}
{{- end -}}
{{- end -}}
{{- $none := "there is no namespace that controllers follow and whose tenant it serves: give a tenant one, or name one in tests.namespace" -}}
{{- toJson (default (dict "namespace" $root.Release.Namespace "host" "" "problem" $none) $place) -}}
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
{{- $place := include "gatewarden.testPlace" (dict "root" $root "group" $group) | fromJson -}}
{{- $groups = append $groups (merge (dict "name" $group.name "url" $url) $place) -}}
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
{{- toJson (dict "groups" $groups "hints" $hints "timeoutSeconds" .Values.tests.timeoutSeconds) -}}
{{- end -}}
