/** Ports of `/healthz`, `/readyz` and `/metrics` where `HEALTH_PORT` is not set, by the Procfile names of processes. */
export const HEALTH_PORTS: Readonly<Record<string, number>> = {
  api: 3100,
  redirect: 3101,
  worker_writes: 3102,
  worker_bulk: 3103,
  worker_clicks: 3104,
  worker_qr: 3105,
  worker_images: 3106,
  worker_metatags: 3107,
  worker_currency: 3108,
  worker_webhooks: 3109,
  worker_maintenance: 3110,
  worker_scheduler: 3111,
};
