{{- define "understudy.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* The name of everything. An exporter's ends in -exporter, and Kubernetes adds eleven
characters more where it labels the pods of a StatefulSet, hence the bound. */}}
{{- define "understudy.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 43 | trimSuffix "-" }}
{{- else if contains .Chart.Name .Release.Name }}
{{- .Release.Name | trunc 43 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "understudy.name" .) | trunc 43 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "understudy.selector" -}}
app.kubernetes.io/name: {{ include "understudy.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "understudy.labels" -}}
{{ include "understudy.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: understudy
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "understudy.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "understudy.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "understudy.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* The Secret with understudy.yml; empty: there is none. */}}
{{- define "understudy.configSecret" -}}
{{- if .Values.existingConfigSecret }}
{{- .Values.existingConfigSecret }}
{{- else if .Values.config }}
{{- printf "%s-config" (include "understudy.fullname" .) }}
{{- end }}
{{- end }}

{{- define "understudy.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "understudy.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Liveness asks whether it serves at all; readiness, whether it knows its providers. */}}
{{- define "understudy.probes" -}}
livenessProbe:
  httpGet: {path: /-/healthy, port: http}
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: {path: /-/ready, port: http}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}
