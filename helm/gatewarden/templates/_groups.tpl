{{/* Groups of planes as JSON: a list of {name, fullname, account, settings}, the one for Routes that choose none first. */}}
{{- define "gatewarden.groups" -}}
{{- $root := . -}}
{{- $given := default (dict "default" dict) .Values.dataPlanes -}}
{{- $names := keys $given | sortAlpha -}}
{{- with .Values.defaultGroup -}}
{{- $names = prepend (without $names .) . -}}
{{- end -}}
{{- $groups := list -}}
{{- range $name := $names -}}
{{- $settings := mergeOverwrite (deepCopy $root.Values.dataPlaneDefaults) (deepCopy (default dict (get $given $name))) -}}
{{- $fullname := printf "%s-%s" (include "gatewarden.fullname" $root) $name -}}
{{- $account := default $fullname $settings.serviceAccount.name -}}
{{- $groups = append $groups (dict "name" $name "fullname" $fullname "account" $account "settings" $settings) -}}
{{- end -}}
{{- toJson $groups -}}
{{- end -}}

{{/* Container ports of a group as JSON: {http, https}, 0 for one that is not there. Connectors of admin.json have their
own ports; without any the plane listens on 8080. */}}
{{- define "gatewarden.ports" -}}
{{- $http := 8080 -}}
{{- with .root.Values.admin.connectors -}}
{{- $http = (first .).port -}}
{{- end -}}
{{- toJson (dict "http" $http "https" (ternary 8443 0 (ne .settings.tls.secretName ""))) -}}
{{- end -}}
