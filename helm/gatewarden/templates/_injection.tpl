{{/* Match conditions that hold for every Pod that is looked at. */}}
{{- define "gatewarden.notInjected" -}}
- name: not-opted-out
  expression: >-
    !has(object.metadata.labels) || !('gatewarden.io/inject' in object.metadata.labels) ||
    object.metadata.labels['gatewarden.io/inject'] != 'false'
- name: not-injected-yet
  # one that only has the name comes here, and is refused with the reason
  expression: >-
    !has(object.spec.initContainers) || !object.spec.initContainers.exists(one, one.name == 'gatewarden' &&
    has(one.restartPolicy) && one.restartPolicy == 'Always' && has(one.args) && '--sidecar' in one.args)
{{- end -}}

{{/* What both webhooks have in common. Takes a dict: root; service. */}}
{{- define "gatewarden.injection" -}}
admissionReviewVersions: [v1]
clientConfig:
  service:
    {{- toYaml (merge (dict "path" "/inject") .service) | nindent 4 }}
failurePolicy: Fail
matchPolicy: Equivalent
reinvocationPolicy: IfNeeded
rules:
  - apiGroups: [""]
    apiVersions: [v1]
    resources: [pods]
    operations: [CREATE]
    scope: Namespaced
sideEffects: None
timeoutSeconds: {{ .root.Values.sidecars.timeoutSeconds }}
{{- end -}}
