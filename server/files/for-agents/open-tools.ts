import type { Services } from '../../context.ts'
import type { RunKey } from '../../engine/run/run.ts'
import { readRunFiles } from '../../engine/journal/files.ts'
import {
  type Action,
  type Tool,
  type ToolResult,
  hashTool,
  versionOfTool,
} from '../../tools/contract.ts'
import { filesUnavailable, isAway } from '../stored-content.ts'
import { readFileAction, searchFilesAction } from '../../tools/files.ts'
import { readText, type ReadInput } from './read-text.ts'
import { searchText, type SearchInput } from './search-text.ts'

/**
 * Tools for agents to read the files of their run, including files that a step has just written.
 * They fail with `files_unavailable` if the text cannot be read for now.
 */
export function openFileTools({ reads }: Pick<Services, 'reads'>, run: RunKey): Tool[] {
  const { accountId } = run
  return [
    open(readFileAction, async (input) =>
      readText(reads, accountId, await readRunFiles(reads, run), input as unknown as ReadInput),
    ),
    open(searchFilesAction, async (input, signal) => {
      const files = await readRunFiles(reads, run)
      return searchText(reads, accountId, files, input as unknown as SearchInput, signal)
    }),
  ]
}

function open(
  action: Action,
  call: (input: Record<string, unknown>, signal: AbortSignal) => Promise<ToolResult>,
): Tool {
  const version = versionOfTool(hashTool({ ...action }), '')
  return {
    ...action,
    version,
    async call(input, { signal }) {
      try {
        return await Promise.race([call(input, signal), timeOut(signal)])
      } catch (error) {
        if (signal.reason !== error && !isAway(error)) throw error
        throw filesUnavailable(`use ${action.id}`, error)
      }
    },
  }
}

/** A timeout before that of the database, whose error would arrive too late. */
function timeOut(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => {
    if ((signal.reason as Error | undefined)?.name === 'TimeoutError') reject(signal.reason)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return promise
}
