{{/* What was set and can hurt, as a JSON list of texts for NOTES.txt. */}}
{{- define "gatewarden.warnings" -}}
{{- $values := .Values -}}
{{- $root := . -}}
{{- $found := list -}}
{{- if not (.Capabilities.APIVersions.Has "gatewarden.io/v1alpha1/Route") -}}
{{- $found = append $found "The CRD Route is not installed, so controllers do not become ready: install the chart gatewarden-crds." -}}
{{- end -}}
{{- if $values.admin.gatewayUnits -}}
{{- $found = append $found "admin.gatewayUnits has no effect: dataPlaneDefaults.units and sidecars.units set the number of event loops." -}}
{{- end -}}
{{- with $values.controller.watchNamespaces -}}
{{- range $tenant := $values.trust.tenants -}}
{{- range $tenant.namespaces -}}
{{- if not (or (eq . "*") (has . $values.controller.watchNamespaces)) -}}
{{- $found = append $found (printf "trust.tenants: %s has the namespace %s, which is not in controller.watchNamespaces: its Routes are not watched." $tenant.name .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $values.secretAccess.clusterWide -}}
{{- $found = append $found "secretAccess.clusterWide: an attacker who takes over a controller has all Secrets of the cluster." -}}
{{- end -}}
{{- if and $values.rbac.aggregateToDefaultRoles (not $values.trust.tenants) -}}
{{- $found = append $found "rbac.aggregateToDefaultRoles without trust.tenants: every user who may edit one namespace can take the requests of all hosts." -}}
{{- end -}}
{{- range $tenant := $values.trust.tenants -}}
{{- if has $root.Release.Namespace $tenant.namespaces -}}
{{- $found = append $found (printf "trust.tenants: %s has the namespace of this release. A user who may write there controls the gateway. List the Secrets for its SecretStores in secretAccess.names." $tenant.name) -}}
{{- end -}}
{{- end -}}
{{- with $values.trust.egress -}}
{{- $found = append $found (printf "trust.egress: Routes of all tenants may connect to %s." (join ", " .)) -}}
{{- end -}}
{{- with $values.trust.sharedObjects -}}
{{- $found = append $found (printf "trust.sharedObjects: all tenants may use the credentials in %s." (join ", " .)) -}}
{{- end -}}
{{- if and $values.sidecars.enabled $values.config -}}
{{- $found = append $found (printf "sidecars.enabled: a user who may create Pods in %s can read the part of config that the main handler and Routes of sidecars use, with variables of controllers replaced. Put no credentials there." (join ", " $values.sidecars.namespaces)) -}}
{{- end -}}
{{- if not $values.webhook.enabled -}}
{{- $found = append $found "webhook.enabled is false: errors in Routes are found only after they are stored." -}}
{{- else if and (eq $values.webhook.failurePolicy "Fail") (lt (int $values.controller.replicas) 2) -}}
{{- $found = append $found "webhook.failurePolicy is Fail with one controller: while it is down, nobody can change a Route." -}}
{{- end -}}
{{- if not $values.networkPolicy.enabled -}}
{{- $found = append $found "networkPolicy.enabled is false: every Pod of the cluster can reach the ports of controllers and data planes." -}}
{{- else if and (or $values.monitoring.serviceMonitor.enabled $values.monitoring.podMonitor.enabled) (not $values.networkPolicy.metricsFrom) -}}
{{- $found = append $found "monitoring is enabled, but networkPolicy.metricsFrom allows nobody to read metrics." -}}
{{- end -}}
{{- if lt (int $values.controller.replicas) 2 -}}
{{- $found = append $found "controller.replicas is less than 2: while the only controller is down, nothing changes, and starting data planes wait." -}}
{{- end -}}
{{- range $group := include "gatewarden.groups" . | fromJsonArray -}}
{{- $at := printf "dataPlanes.%s" $group.name -}}
{{- with $group.settings -}}
{{- if and (eq .kind "Deployment") (not .autoscaling.enabled) (lt (int .replicas) 2) -}}
{{- $found = append $found (printf "%s.replicas is less than 2: requests are lost when its node fails." $at) -}}
{{- end -}}
{{- if and .service.enabled (ne .service.type "ClusterIP") (not .tls.secretName) (not $values.admin.connectors) -}}
{{- $found = append $found (printf "%s.service.type is %s without tls.secretName: access tokens travel unencrypted, and resource servers reject them unless requireHttps is false." $at .service.type) -}}
{{- end -}}
{{- if eq $group.account "default" -}}
{{- $found = append $found (printf "%s.serviceAccount.name is default: every Pod of the namespace without another account counts as a data plane." $at) -}}
{{- end -}}
{{- if or .hostPorts.http .hostPorts.https -}}
{{- $found = append $found (printf "%s.hostPorts: a namespace that enforces Pod Security \"restricted\" or \"baseline\" rejects its Pods." $at) -}}
{{- end -}}
{{- range .trustedProxies -}}
{{- if hasSuffix "/0" . -}}
{{- $found = append $found (printf "%s.trustedProxies: %s lets every client forge its address." $at .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}
