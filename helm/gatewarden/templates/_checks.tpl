{{/* What no schema can say: values that are good by themselves and not together. */}}
{{- define "gatewarden.checks" -}}
{{- $values := .Values -}}
{{- $problems := list -}}
{{- $given := default (dict "default" dict) $values.dataPlanes -}}
{{- if and $values.defaultGroup (not (hasKey $given $values.defaultGroup)) -}}
{{- $problems = append $problems (printf "defaultGroup names %q, which is none of dataPlanes" $values.defaultGroup) -}}
{{- end -}}
{{- if and (eq $values.image.registry "localhost") (regexMatch "^[^/]*[.][^/]*/" $values.image.repository) -}}
{{- $problems = append $problems (printf "image.repository is %q, whose beginning is a registry: give that in image.registry" $values.image.repository) -}}
{{- end -}}
{{- if and $values.sidecars.enabled (not $values.webhook.enabled) -}}
{{- $problems = append $problems "sidecars.enabled needs webhook.enabled: the same server answers both" -}}
{{- end -}}
{{- if and $values.sidecars.enabled (not $values.sidecars.namespaces) -}}
{{- $problems = append $problems "sidecars.enabled needs sidecars.namespaces: in no other namespace a sidecar is let in" -}}
{{- end -}}
{{- if and $values.sidecars.enabled (eq (int $values.sidecars.port) (int $values.sidecars.adminPort)) -}}
{{- $problems = append $problems "sidecars.port and sidecars.adminPort must differ" -}}
{{- end -}}
{{- $never := concat (list "kube-system" "kube-public" "kube-node-lease" .Release.Namespace) $values.sidecars.excludedNamespaces -}}
{{- range $values.sidecars.namespaces -}}
{{- if and $values.sidecars.enabled (has . $never) -}}
{{- $problems = append $problems (printf "sidecars.namespaces has %s, whose Pods never get a sidecar" .) -}}
{{- end -}}
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
{{- $problems = concat $problems (include "gatewarden.consoleProblems" . | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.tenantProblems" . | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.configProblems" . | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.labelProblems" (dict "at" "commonLabels" "labels" $values.commonLabels) | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.labelProblems" (dict "at" "controller.podLabels" "labels" $values.controller.podLabels) | fromJsonArray) -}}
{{- $ofControllers := "identity advertise base base-secret watch-namespaces listen server-names admin secure-admin api-rate route-versions console-issuer console-client-id console-client-secret console-url console-scopes console-issuer-ca console-issuer-name console-sign-out certificates-secret session-secret authority-configmap lease webhook webhook-service webhook-configuration webhook-owns injector-configuration sidecar-settings log-level" -}}
{{- $ofPlanes := "controller ca port tls-port tls-cert tls-key admin units zone snapshot snapshot-key snapshot-max-age drain-delay drain-timeout trusted-proxies limits access-log log-level" -}}
{{- $ofSidecars := "sidecar controller ca-env app-port port admin zone units log-level access-log drain-timeout" -}}
{{- $problems = concat $problems (include "gatewarden.wordProblems" (dict "at" "controller.extraArgs" "words" $values.controller.extraArgs "own" $ofControllers) | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.wordProblems" (dict "at" "sidecars.extraArgs" "words" $values.sidecars.extraArgs "own" $ofSidecars) | fromJsonArray) -}}
{{- $taken := list "controller" "webhook" "sidecar" "sidecars" "certificates" "authority" "test" -}}
{{- $tenants := list -}}
{{- range include "gatewarden.tenants" . | fromJsonArray -}}
{{- $tenants = append $tenants .name -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]" (include "gatewarden.fullname" .)) -}}
{{- $problems = append $problems "names of Services begin with a letter, and that of the release does not: give another one, or fullnameOverride" -}}
{{- end -}}
{{- range $at, $of := $values.admin.connectors -}}
{{- if not $of.port -}}
{{- $problems = append $problems (printf "admin.connectors[%d] needs a port" $at) -}}
{{- else if eq (int $of.port) 9090 -}}
{{- $problems = append $problems (printf "admin.connectors[%d].port: planes have 9090 for health and metrics" $at) -}}
{{- end -}}
{{- end -}}
{{- $accounts := dict (include "gatewarden.controllerAccount" .) "controller" (printf "%s-test" (include "gatewarden.fullname" .)) "test" -}}
{{- range $group := include "gatewarden.groups" . | fromJsonArray -}}
{{- $settings := $group.settings -}}
{{- $at := printf "dataPlanes.%s" $group.name -}}
{{- if or (has $group.name $taken) (hasSuffix "-metrics" $group.name) -}}
{{- $problems = append $problems (printf "%s: a group cannot have this name, which other objects of the chart have" $at) -}}
{{- end -}}
{{- $other := get $accounts $group.account -}}
{{- if has $other (list "controller" "test") -}}
{{- $problems = append $problems (printf "%s.serviceAccount.name is that of the %s too, whose rights planes must not have" $at $other) -}}
{{- else if $other -}}
{{- $problems = append $problems (printf "%s.serviceAccount.name is that of the group %s too: a Pod would be a plane of both" $at $other) -}}
{{- end -}}
{{- $_ := set $accounts $group.account $group.name -}}
{{- $problems = concat $problems (include "gatewarden.labelProblems" (dict "at" (printf "%s.podLabels" $at) "labels" $settings.podLabels) | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.labelProblems" (dict "at" (printf "%s.service.labels" $at) "labels" $settings.service.labels) | fromJsonArray) -}}
{{- $problems = concat $problems (include "gatewarden.wordProblems" (dict "at" (printf "%s.extraArgs" $at) "words" $settings.extraArgs "own" $ofPlanes) | fromJsonArray) -}}
{{- range $settings.tenants -}}
{{- if not (has . $tenants) -}}
{{- $problems = append $problems (printf "%s.tenants has %q, which is none of trust.tenants" $at .) -}}
{{- end -}}
{{- end -}}
{{- $hostPorts := add $settings.hostPorts.http $settings.hostPorts.https -}}
{{- if and (gt $hostPorts 0) (ne $settings.kind "DaemonSet") -}}
{{- $problems = append $problems (printf "%s.hostPorts needs kind: DaemonSet" $at) -}}
{{- end -}}
{{- range $field, $port := dict "hostPorts.https" $settings.hostPorts.https "service.tlsNodePort" $settings.service.tlsNodePort -}}
{{- if and $port (not $settings.tls.secretName) -}}
{{- $problems = append $problems (printf "%s.%s needs tls.secretName" $at $field) -}}
{{- end -}}
{{- end -}}
{{- range $connector := $values.admin.connectors -}}
{{- if and $settings.tls.secretName (eq (int (default 0 $connector.port)) 8443) -}}
{{- $problems = append $problems (printf "%s.tls.secretName: its port is 8443, which a connector in admin has" $at) -}}
{{- end -}}
{{- end -}}
{{- if hasKey (merge (dict) $settings.podAnnotations $values.commonAnnotations) "gatewarden.io/admin-checksum" -}}
{{- $problems = append $problems (printf "%s.podAnnotations: the chart sets the annotation gatewarden.io/admin-checksum itself" $at) -}}
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

{{/* Options in extraArgs that the chart sets itself: a program ends at one that is given twice. Takes a dict: at; words; own. */}}
{{- define "gatewarden.wordProblems" -}}
{{- $problems := list -}}
{{- range $word := .words -}}
{{- $option := first (splitList "=" $word) -}}
{{- if has (trimPrefix "--" $option) (splitList " " $.own) -}}
{{- $problems = append $problems (printf "%s: the chart sets %s itself, by a value of its own" $.at $option) -}}
{{- end -}}
{{- end -}}
{{- toJson $problems -}}
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

{{/* Parts of the sign-in to the console at an OpenID provider that need others. */}}
{{- define "gatewarden.consoleProblems" -}}
{{- $problems := list -}}
{{- $openid := .Values.controller.console.openid -}}
{{- range $field := list "clientId" "url" -}}
{{- if and $openid.issuer (not (get $openid $field)) -}}
{{- $problems = append $problems (printf "controller.console.openid.issuer needs %s" $field) -}}
{{- end -}}
{{- end -}}
{{- range $field := list "clientId" "url" "secretName" "name" "caConfigMapName" -}}
{{- if and (get $openid $field) (not $openid.issuer) -}}
{{- $problems = append $problems (printf "controller.console.openid.%s needs issuer" $field) -}}
{{- end -}}
{{- end -}}
{{- if and $openid.issuer (not .Values.controller.api.enabled) -}}
{{- $problems = append $problems "controller.console.openid.issuer needs controller.api.enabled: the console is part of it" -}}
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

{{/* Keys of config that controllers would not act on: neither fields, nor decorators, nor with a dot or a dash. */}}
{{- define "gatewarden.configProblems" -}}
{{- $problems := list -}}
{{- $known := splitList " " "handler heap globalDecorators properties monitor secrets handlerObject temporaryStorage baseURI capture timer tracing" -}}
{{- range .Values.config.heap -}}
{{- $known = append $known .name -}}
{{- end -}}
{{- range $key, $_ := .Values.config -}}
{{- if not (or (has $key $known) (regexMatch "[.-]|^_" $key)) -}}
{{- $problems = append $problems (printf "config: there is no field %s, and no decorator of that name in config.heap" $key) -}}
{{- end -}}
{{- end -}}
{{- toJson $problems -}}
{{- end -}}
