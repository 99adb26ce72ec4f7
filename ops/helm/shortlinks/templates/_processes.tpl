{{/* The servers, by the name of their workload. */}}
{{- define "shortlinks.servers" -}}
api: { command: [node, dist/programs/api.js], port: 3000, memory: 1Gi }
redirect: { command: [node, --max-semi-space-size=32, dist/programs/redirect.js], port: 3001, memory: 2Gi }
{{- end }}

{{/*
The workers, one for each line worker_* of the Procfile. A worker with `queue` is scaled by its queue: one pod for each
`waiting` jobs.
*/}}
{{- define "shortlinks.workers" -}}
worker-writes: { command: [node, dist/programs/worker.js, writes], queue: writes, waiting: "100" }
worker-bulk: { command: [node, dist/programs/worker.js, bulk], queue: bulk, waiting: "20" }
worker-clicks: { command: [node, dist/programs/worker.js, clicks], queue: clicks, waiting: "100" }
worker-qr: { command: [node, dist/programs/worker.js, qr], queue: qr, waiting: "20" }
worker-images: { command: [node, dist/programs/worker.js, images] }
worker-metatags: { command: [node, dist/programs/worker.js, metatags] }
worker-currency: { command: [node, dist/programs/worker.js, currency] }
worker-webhooks: { command: [node, dist/programs/worker.js, webhooks], queue: webhooks, waiting: "100" }
worker-mail: { command: [node, dist/programs/worker.js, mail] }
worker-destinations: { command: [node, dist/programs/worker.js, destinations] }
worker-maintenance: { command: [node, dist/programs/worker.js, maintenance] }
worker-scheduler: { command: [node, dist/programs/scheduler.js] }
{{- end }}
