{{/* What no schema can say: values that are good by themselves and not together. */}}
{{- define "gatewarden.checks" -}}
{{- $values := .Values -}}
{{- $problems := list -}}
{{- $given := default (dict "default" dict) $values.dataPlanes -}}
{{- if and $values.defaultGroup (not (hasKey $given $values.defaultGroup)) -}}
{{- $problems = append $problems (printf "defaultGroup names %q, which is none of dataPlanes" $values.defaultGroup) -}}
{{- end -}}
{{- if and $values.sidecars.enabled (not $values.webhook.enabled) -}}
{{- $problems = append $problems "sidecars.enabled needs webhook.enabled: the same server answers both" -}}
{{- end -}}
{{- if and $values.sidecars.enabled (not $values.sidecars.namespaces) -}}
{{- $problems = append $problems "sidecars.enabled needs sidecars.namespaces: in no other namespace a sidecar is let in" -}}
{{- end -}}
{{- if and $values.sidecars.enabled $values.controller.watchNamespaces -}}
{{- range $values.sidecars.namespaces -}}
{{- if not (has . $values.controller.watchNamespaces) -}}
{{- $problems = append $problems (printf "sidecars.namespaces has %s and controller.watchNamespaces has not: no Route would reach its sidecars" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $values.controller.watchNamespaces $values.controller.watchNamespaceSelector -}}
{{- $problems = append $problems "controller.watchNamespaces and controller.watchNamespaceSelector exclude each other" -}}
{{- end -}}
{{- $problems = concat $problems (include "gatewarden.tenantProblems" . | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.labelProblems" (dict "at" "commonLabels" "labels" $values.commonLabels) | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.labelProblems" (dict "at" "controller.podLabels" "labels" $values.controller.podLabels) | fromJsonArray) -}}
{{- $taken := list "controller" "webhook" "sidecar" "sidecars" "certificates" "authority" "test" -}}
{{- $tenants := list -}}
{{- range include "gatewarden.tenants" . | fromJsonArray -}}
{{- $tenants = append $tenants .name -}}
{{- end -}}
{{- $accounts := dict -}}
{{- range $group := include "gatewarden.groups" . | fromJsonArray -}}
{{- $settings := $group.settings -}}
{{- $at := printf "dataPlanes.%s" $group.name -}}
{{- if or (has $group.name $taken) (hasSuffix "-metrics" $group.name) -}}
{{- $problems = append $problems (printf "%s: a group cannot have this name, which other objects of the chart have" $at) -}}
{{- end -}}
{{- if hasKey $accounts $group.account -}}
{{- $problems = append $problems (printf "%s.serviceAccount.name is that of the group %s too: a Pod would be a plane of both" $at (get $accounts $group.account)) -}}
{{- end -}}
{{- $_ := set $accounts $group.account $group.name -}}
{{- $problems = concat $problems (include "gatewarden.labelProblems" (dict "at" (printf "%s.podLabels" $at) "labels" $settings.podLabels) | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.labelProblems" (dict "at" (printf "%s.service.labels" $at) "labels" $settings.service.labels) | fromJsonArray) -}}
{{- range $settings.tenants -}}
{{- if not (has . $tenants) -}}
{{- $problems = append $problems (printf "%s.tenants has %q, which is none of trust.tenants" $at .) -}}
{{- end -}}
{{- end -}}
{{- $hostPorts := add $settings.hostPorts.http $settings.hostPorts.https -}}
{{- if and (gt $hostPorts 0) (ne $settings.kind "DaemonSet") -}}
{{- $problems = append $problems (printf "%s.hostPorts needs kind: DaemonSet" $at) -}}
{{- end -}}
{{- if and $settings.autoscaling.enabled (eq $settings.kind "DaemonSet") -}}
{{- $problems = append $problems (printf "%s.autoscaling.enabled is for kind: Deployment" $at) -}}
{{- end -}}
{{- if and $settings.autoscaling.enabled (gt (int $settings.autoscaling.minReplicas) (int $settings.autoscaling.maxReplicas)) -}}
{{- $problems = append $problems (printf "%s.autoscaling.minReplicas is more than maxReplicas" $at) -}}
{{- end -}}
{{- if and $settings.snapshot.existingClaim (not $settings.snapshot.keySecretName) -}}
{{- $problems = append $problems (printf "%s.snapshot.existingClaim needs keySecretName: a key that a Pod makes goes with it" $at) -}}
{{- end -}}
{{- end -}}
{{- if $problems -}}
{{- fail (printf "\n- %s\n" (join "\n- " $problems)) -}}
{{- end -}}
{{- end -}}

{{/* Labels that the chart sets itself, so that others with their names would count for nothing. Takes a dict: at; labels. */}}
{{- define "gatewarden.labelProblems" -}}
{{- $problems := list -}}
{{- range $name, $_ := .labels -}}
{{- if or (eq $name "helm.sh/chart") (hasPrefix "app.kubernetes.io/" $name) (hasPrefix "gatewarden.io/" $name) -}}
{{- $problems = append $problems (printf "%s: the chart sets the label %s itself" $.at $name) -}}
{{- end -}}
{{- end -}}
{{- toJson $problems -}}
{{- end -}}

{{/* Namespaces and hosts of two tenants, which controllers refuse as a whole. */}}
{{- define "gatewarden.tenantProblems" -}}
{{- $problems := list -}}
{{- range $field := list "name" "namespaces" "hosts" -}}
{{- $seen := list -}}
{{- range $.Values.trust.tenants -}}
{{- range $one := ternary (list .name) (get . $field) (eq $field "name") -}}
{{- if has (lower $one) $seen -}}
{{- $problems = append $problems (printf "trust.tenants: %s %s is given twice" (trimSuffix "s" $field) $one) -}}
{{- end -}}
{{- $seen = append $seen (lower $one) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $problems -}}
{{- end -}}
