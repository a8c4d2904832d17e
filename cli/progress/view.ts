import type { RunEvent, RunWithSteps } from '../../sdk/index.ts'

/** What shows a run while it is followed. */
export interface ProgressView {
  event(event: RunEvent): void
  /** The run rests; events come again when it goes on. */
  rest(run: RunWithSteps): void
  /** Nobody looks for now. */
  close(): void
}

/** For `--json`, where the result says it all. */
export const silentView: ProgressView = { event() {}, rest() {}, close() {} }
