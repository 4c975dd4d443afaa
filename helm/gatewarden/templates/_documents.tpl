{{/*
A value as JSON that people can read. The functions of templates write & < > as \u0026 and so on, which tokens and
conditions are full of. Two passes, because neighbours share the character in between; a backslash in front stays one.
*/}}
{{- define "gatewarden.json" -}}
{{- $text := toPrettyJson . -}}
{{- range $code, $sign := dict "0026" "&" "003c" "<" "003e" ">" -}}
{{- $pattern := printf `(^|[^\\])((?:\\\\)*)\\u%s` $code -}}
{{- $text = regexReplaceAll $pattern $text (printf "${1}${2}%s" $sign) -}}
{{- $text = regexReplaceAll $pattern $text (printf "${1}${2}%s" $sign) -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* config.json: what the values say, or the default, and the audit service unless they say that, too. */}}
{{- define "gatewarden.config" -}}
{{- $config := deepCopy (default (.Files.Get "files/default-config.json" | fromJson) .Values.config) -}}
{{- if and .Values.audit.enabled (not (hasKey $config "auditService")) -}}
{{- $service := dict "config" .Values.audit.config "eventHandlers" .Values.audit.eventHandlers -}}
{{- $config = set $config "auditService" (dict "type" "AuditService" "config" $service) -}}
{{- end -}}
{{- toJson $config -}}
{{- end -}}

{{/* An amount as text. Templates write large numbers with an exponent, which is no amount for controllers. */}}
{{- define "gatewarden.amount" -}}
{{- ternary . (toJson .) (kindIs "string" .) -}}
{{- end -}}

{{/* What temporary files may take in a volume of this size: nine tenths, because the node ends a Pod that writes more than all. */}}
{{- define "gatewarden.temporaryFileBytes" -}}
{{- $text := include "gatewarden.amount" . -}}
{{- $unit := regexFind "[A-Za-z]*$" $text -}}
{{- $units := dict "" 1.0 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 0x1p10 "Mi" 0x1p20 "Gi" 0x1p30 "Ti" 0x1p40 "Pi" 0x1p50 "Ei" 0x1p60 -}}
{{- mulf 0.9 (trimSuffix $unit $text) (get $units $unit) | floor | minf 0x1p42 | maxf 1.0 | int64 -}}
{{- end -}}

{{/* Tenants as JSON: those of the values, or the one that there is without any. */}}
{{- define "gatewarden.tenants" -}}
{{- $all := dict "name" "default" "namespaces" (list "*") "hosts" (list "*") -}}
{{- toJson (default (list $all) .Values.trust.tenants) -}}
{{- end -}}

{{/* trust.json: what the values say, and the groups of planes with the ServiceAccounts that make a Pod one of them. */}}
{{- define "gatewarden.trust" -}}
{{- $root := . -}}
{{- $trust := deepCopy .Values.trust -}}
{{- if not $trust.tenants -}}
{{- $trust = unset $trust "tenants" -}}
{{- end -}}
{{- $groups := list -}}
{{- range $group := include "gatewarden.groups" . | fromJsonArray -}}
{{- $written := dict "name" $group.name "serviceAccounts" (list (printf "%s/%s" $root.Release.Namespace $group.account)) -}}
{{- with $group.settings.tenants -}}
{{- $written = set $written "tenants" . -}}
{{- end -}}
{{- with $group.settings.service.addresses -}}
{{- $written = set $written "addresses" . -}}
{{- end -}}
{{- $groups = append $groups $written -}}
{{- end -}}
{{- if .Values.sidecars.enabled -}}
{{- $accounts := list -}}
{{- range .Values.sidecars.namespaces -}}
{{- $accounts = append $accounts (printf "%s/*" .) -}}
{{- end -}}
{{- $groups = append $groups (dict "name" "sidecars" "serviceAccounts" $accounts "sidecars" true) -}}
{{- end -}}
{{- toJson (set $trust "groups" $groups) -}}
{{- end -}}
