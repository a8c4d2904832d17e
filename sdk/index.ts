/** The public entry of the SDK. */
export { Muster } from './client.ts'
export { MusterError } from './errors.ts'
export type { MusterErrorCode, MusterErrorType } from './errors.ts'
export type { EventsOptions } from './events.ts'
export type { ContentOptions, UploadOptions } from './files.ts'
export { Page } from './page.ts'
export type { FromSchema } from './from-schema.ts'
export type {
  CallDecision,
  RunAnswer,
  RunOf,
  StepText,
  StreamOptions,
  WaitOptions,
} from './runs.ts'
export type { EndedMessage, FollowThreadOptions } from './threads.ts'
export type { ServeOptions, ServedCall, ToolFunction } from './tools.ts'
export type { MusterOptions, RequestOptions } from './transport.ts'
export { verifyWebhook, WebhookVerificationError } from './webhooks.ts'
export type {
  BatchWebhookEvent,
  ThreadWebhookEvent,
  BudgetWebhookEvent,
  RunWebhookEvent,
  ScheduleWebhookEvent,
  TestWebhookEvent,
  ToolWebhookEvent,
  VerifyWebhookOptions,
  WebhookEvent,
  WebhookHeaders,
  WebhookRun,
  WebhookVerificationCode,
} from './webhooks.ts'
export type * from './generated.ts'
