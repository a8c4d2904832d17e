{{- define "muster.name" -}}
{{- if contains "muster" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-muster" (.Release.Name | trunc 43 | trimSuffix "-") -}}
{{- end -}}
{{- end }}

{{/* What selects pods, of both roles. */}}
{{- define "muster.selector" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "muster.labels" -}}
{{ include "muster.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Every way to render the chart passes here, so it refuses what cannot start. */}}
{{- define "muster.secretName" -}}
{{- $secrets := .Values.secrets | default dict -}}
{{- if .Values.existingSecret -}}
{{- if $secrets }}{{ fail "Set existingSecret or secrets, not both" }}{{ end -}}
{{- .Values.existingSecret -}}
{{- else -}}
{{- if not (and $secrets.DATABASE_URL $secrets.MUSTER_SECRET_KEY $secrets.MUSTER_ADMIN_KEY) -}}
{{- fail "Set existingSecret, or DATABASE_URL, MUSTER_SECRET_KEY and MUSTER_ADMIN_KEY in secrets" -}}
{{- end -}}
{{- include "muster.name" . -}}
{{- end -}}
{{- end }}
