export { type Connection, type ConnectOptions, connect } from './connect.ts';
export { ApiError, ConnectionError } from './errors.ts';
export * from './generated/index.js';
export { paginate } from './paginate.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhooks.ts';
