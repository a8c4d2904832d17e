import type { Services } from '../../context.ts'
import type { RunKey } from '../../engine/run/run.ts'
import { readRunFiles } from '../../engine/journal/files.ts'
import type { Action, Tool, ToolResult } from '../../tools/contract.ts'
import { filesUnavailable, isAway } from '../unavailable.ts'
import { readFileAction, searchFilesAction } from '../../tools/files.ts'
import { hashTool, versionOfTool } from '../../tools/hash-tool.ts'
import { readText, type ReadInput } from './read-text.ts'
import { searchText, type SearchInput } from './search-text.ts'

/**
 * The tools by which agents of a run read its files. What a step has just written is among them. They fail with
 * `files_unavailable` where the text cannot be read now.
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

/** The database waits as long as a call may take, and its error would come too late. */
function timeOut(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => {
    if ((signal.reason as Error | undefined)?.name === 'TimeoutError') reject(signal.reason)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return promise
}
