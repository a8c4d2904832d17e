import { runCli } from './program.ts'

endWithParent()
await runCli(process.argv.slice(2))

/**
 * Ends this process as SIGTERM does, once the one that started it is gone. A supervisor may end only
 * that one: the shell of npm dies without handing the signal on. `bin/muster.js` says which it is.
 */
function endWithParent(env = process.env): void {
  const parentPid = Number(env['MUSTER_PARENT_PID'] ?? 0)
  delete env['MUSTER_PARENT_PID']
  if (parentPid === 0) return
  const watch = setInterval(() => {
    if (process.ppid === parentPid) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}
