import { readdirSync } from 'node:fs'

/** How many files and sockets this process may open besides those it has; infinite where the system sets no limit. */
export function countFreeFiles(): number {
  const limit = readLimit()
  return limit === undefined ? Number.POSITIVE_INFINITY : limit - readdirSync('/dev/fd').length
}

function readLimit(): number | undefined {
  // Its type does not know the option.
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report
  const { excludeNetwork = false } = report
  // Listing interfaces may look up names.
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

/** For log files, name servers, and clients that ask how the process is. */
const others = 20
/** A run in progress has a connection to its model, and one to a tool or one that is kept for the next call. */
const perRun = 2

/** How many runs may be in progress beside so many connections to the database; at least one. */
export function countRunsForFiles(freeFiles: number, connections: number): number {
  return Math.max(1, Math.floor((freeFiles - connections - others) / perRun))
}
