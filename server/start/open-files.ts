import { readdirSync } from 'node:fs'

/** How many more files and sockets this process may open; infinite if the system has no limit. */
export function countFreeFiles(): number {
  const limit = readLimit()
  return limit === undefined ? Number.POSITIVE_INFINITY : limit - readdirSync('/dev/fd').length
}

function readLimit(): number | undefined {
  // The option is missing in its type.
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report
  const { excludeNetwork = false } = report
  // Otherwise listing network interfaces may look up names.
  report.excludeNetwork = true
  try {
    const { userLimits } = report.getReport() as {
      userLimits?: { open_files?: { soft?: unknown } }
    }
    const soft = userLimits?.open_files?.soft
    return typeof soft === 'number' ? soft : undefined
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

/** Reserved for log files, name servers, and health checks. */
const others = 20
/** A run in progress has a connection to its model, and one to a tool or a kept-alive one. */
const perRun = 2

/** How many runs may be in progress in addition to these database connections; at least one. */
export function countRunsForFiles(freeFiles: number, connections: number): number {
  return Math.max(1, Math.floor((freeFiles - connections - others) / perRun))
}
