import { existsSync } from 'node:fs'

/**
 * Firefox and WebKitGTK as the distribution ships them, each over the protocol that its own package
 * speaks: Firefox over WebDriver BiDi, WebKitGTK over classic WebDriver. Both know the same input
 * actions, so a person's hands are the same in both (`hands.ts`).
 */
export interface OtherBrowser extends AsyncDisposable {
  open: (url: string) => Promise<void>
  /** Calls the function whose source this is in the page; arguments and result are JSON. */
  call: (source: string, ...args: unknown[]) => Promise<unknown>
  /** Performs input actions as WebDriver defines them. */
  act: (actions: InputSource[]) => Promise<void>
  /** Chooses a file in the first file field of the page. */
  chooseFile: (path: string) => Promise<void>
}

export interface InputSource {
  type: 'key' | 'pointer'
  id: string
  parameters?: { pointerType: 'mouse' }
  actions: Record<string, unknown>[]
}

/** The file fields of a page; hidden ones too, as buttons open them. */
export const fileField = 'input[type=file]'

/** The first of the programs that is installed. */
export function findProgram(...paths: string[]): string | undefined {
  return paths.find((path) => existsSync(path))
}
