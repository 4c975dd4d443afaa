{{/* The Pod of a plane. Takes a dict: root; group; of, the dict that labels are made from. */}}
{{- define "gatewarden.planePod" -}}
{{- $root := .root -}}
{{- $group := .group -}}
{{- $of := .of -}}
{{- $fullname := include "gatewarden.fullname" $root -}}
{{- $settings := $group.settings -}}
{{- $ports := include "gatewarden.ports" (dict "root" $root "settings" $settings) | fromJson -}}
{{- $makesKey := and $settings.snapshot.enabled (not $settings.snapshot.keySecretName) -}}
{{- with $settings -}}
serviceAccountName: {{ $group.account }}
# it asks the API server for nothing; for controllers it has a token of its own, below
automountServiceAccountToken: false
# names of Services are not wanted in the environment: documents can see it
enableServiceLinks: false
# all phases of stopping, and five seconds to end
terminationGracePeriodSeconds: {{ add .drain.preStopSeconds .drain.delaySeconds .drain.timeoutSeconds 5 }}
securityContext:
  {{- include "gatewarden.podSecurity" $root | nindent 2 }}
{{- with include "gatewarden.pullSecrets" $root }}
{{- . | trim | nindent 0 }}
{{- end }}
{{- $selector := include "gatewarden.selectorLabels" $of }}
{{- $revision := ternary "" "pod-template-hash" (eq .kind "DaemonSet") }}
{{- with include "gatewarden.placement" (dict "settings" . "selector" $selector "revision" $revision) }}
{{- . | trim | nindent 0 }}
{{- end }}
{{- with .dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $makesKey }}
initContainers:
  # a key for the snapshot, in memory, for as long as the Pod lives; one that is there already stays
  - name: snapshot-key
    image: {{ include "gatewarden.image" $root | quote }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    command:
      - /usr/local/bin/node
      - -e
      - |
        const { existsSync, renameSync, writeFileSync } = require('node:fs');
        const key = '/etc/gatewarden/snapshot-key/key';
        if (!existsSync(key)) {
          writeFileSync(`${key}.new`, require('node:crypto').randomBytes(32), { mode: 0o600 });
          renameSync(`${key}.new`, key);
        }
    resources:
      {{- toYaml .resources | nindent 6 }}
    securityContext:
      {{- include "gatewarden.containerSecurity" $root | nindent 6 }}
    volumeMounts:
      - name: snapshot-key
        mountPath: /etc/gatewarden/snapshot-key
{{- end }}
containers:
  - name: dataplane
    image: {{ include "gatewarden.image" $root | quote }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args:
      {{- include "gatewarden.planeArgs" (dict "root" $root "settings" $settings "ports" $ports) | nindent 6 }}
    env:
      # of the node, as Kubernetes 1.35 and later copies it to Pods; empty elsewhere
      - name: ZONE
        valueFrom:
          fieldRef:
            apiVersion: v1
            fieldPath: metadata.labels['topology.kubernetes.io/zone']
      {{- with .env }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    ports:
      - name: http
        containerPort: {{ $ports.http }}
        {{- with .hostPorts.http }}
        hostPort: {{ . }}
        {{- end }}
      {{- if $ports.https }}
      - name: https
        containerPort: {{ $ports.https }}
        {{- with .hostPorts.https }}
        hostPort: {{ . }}
        {{- end }}
      {{- end }}
      - name: metrics
        containerPort: 9090
    startupProbe:
      {{- include "gatewarden.probe" (dict "path" "/health/live" "settings" .probes.startup) | nindent 6 }}
    livenessProbe:
      {{- include "gatewarden.probe" (dict "path" "/health/live" "settings" .probes.liveness) | nindent 6 }}
    # ready once it has something to serve, from a controller or from its snapshot
    readinessProbe:
      {{- include "gatewarden.probe" (dict "path" "/health/ready" "settings" .probes.readiness) | nindent 6 }}
    {{- with .drain.preStopSeconds }}
    # clients are asked to go only when there is somewhere else to go: Services need a moment to leave the Pod out
    lifecycle:
      preStop:
        sleep:
          seconds: {{ . }}
    {{- end }}
    resources:
      {{- toYaml .resources | nindent 6 }}
    securityContext:
      {{- include "gatewarden.containerSecurity" $root | nindent 6 }}
    volumeMounts:
      - name: token
        mountPath: /var/run/secrets/tokens/gatewarden
        readOnly: true
      - name: authority
        mountPath: /etc/gatewarden/authority
        readOnly: true
      - name: tmp
        mountPath: /tmp
      {{- if .tls.secretName }}
      # the folder and not the files in it: only so a new certificate arrives
      - name: tls
        mountPath: /etc/gatewarden/tls
        readOnly: true
      {{- end }}
      {{- if .snapshot.enabled }}
      - name: snapshot
        mountPath: /var/lib/gatewarden
      - name: snapshot-key
        mountPath: /etc/gatewarden/snapshot-key
        readOnly: true
      {{- end }}
      {{- with .extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  # who the plane is: good for controllers only, and only while this Pod lives
  - name: token
    projected:
      sources:
        - serviceAccountToken:
            audience: gatewarden-controller
            expirationSeconds: 3600
            path: token
  # the Pod waits for a controller to write the key: without this a plane of the first minute would start without it,
  # and nodes bring what changes in a mounted ConfigMap only after another minute
  - name: authority
    configMap:
      name: {{ $fullname }}-authority
      items:
        - key: ca.crt
          path: ca.crt
  - name: tmp
    emptyDir:
      sizeLimit: {{ .temporaryStorage.sizeLimit }}
      {{- with .temporaryStorage.medium }}
      medium: {{ . }}
      {{- end }}
  {{- with .tls.secretName }}
  - name: tls
    secret:
      secretName: {{ . }}
  {{- end }}
  {{- if .snapshot.enabled }}
  - name: snapshot
    {{- if .snapshot.existingClaim }}
    persistentVolumeClaim:
      claimName: {{ .snapshot.existingClaim }}
    {{- else }}
    emptyDir:
      sizeLimit: {{ .snapshot.sizeLimit }}
    {{- end }}
  - name: snapshot-key
    {{- if $makesKey }}
    emptyDir:
      medium: Memory
      sizeLimit: 1Mi
    {{- else }}
    secret:
      secretName: {{ .snapshot.keySecretName }}
      items:
        - key: key
          path: key
    {{- end }}
  {{- end }}
  {{- with .extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Options of a plane. Takes a dict: root; settings; ports. */}}
{{- define "gatewarden.planeArgs" -}}
{{- $root := .root -}}
{{- $ports := .ports -}}
{{- with .settings -}}
- dataplane
- --controller={{ include "gatewarden.controllerAddress" $root }}
- --ca=/etc/gatewarden/authority/ca.crt
{{- if not $root.Values.admin.connectors }}
- --port={{ $ports.http }}
{{- end }}
{{- if $ports.https }}
- --tls-port={{ $ports.https }}
- --tls-cert=/etc/gatewarden/tls/tls.crt
- --tls-key=/etc/gatewarden/tls/tls.key
{{- end }}
- --admin=:9090
- --zone=$(ZONE)
- --units={{ .units }}
{{- if .snapshot.enabled }}
- --snapshot=/var/lib/gatewarden
- --snapshot-key=/etc/gatewarden/snapshot-key/key
- --snapshot-max-age={{ .snapshot.maxAge }}
{{- end }}
- --drain-delay={{ .drain.delaySeconds }}s
- --drain-timeout={{ .drain.timeoutSeconds }}s
{{- with .trustedProxies }}
- --trusted-proxies={{ join "," . }}
{{- end }}
{{- $files := include "gatewarden.temporaryFileBytes" .temporaryStorage.sizeLimit }}
{{- $limits := list }}
{{- range $name, $value := merge (dict) .limits (dict "temporaryFileBytes" $files) }}
{{- $limits = append $limits (printf "%s=%s" $name (ternary (toString $value) (toJson $value) (kindIs "string" $value))) }}
{{- end }}
- {{ printf "--limits=%s" (join "," $limits) | quote }}
- --access-log={{ .accessLog }}
- --log-level={{ .logLevel }}
{{- range .extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
{{- end -}}
