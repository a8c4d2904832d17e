/** The public entry of the SDK. */
export { Muster } from './client.ts'
export { MusterError } from './errors.ts'
export { Page } from './page.ts'
export type { StreamOptions, WaitOptions } from './runs.ts'
export type { MusterOptions, RequestOptions } from './transport.ts'
export type * from './generated.ts'
