import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A temporary folder whose `data` may contain an embedded PostgreSQL. A small shell waits at the
 * other end of a pipe: when it closes, because the folder is disposed or this process has ended,
 * the shell stops what still runs in the folder, unmounts what is mounted there and removes it.
 */
export interface ScratchFolder extends AsyncDisposable {
  path: string
  dataDir: string
}

export async function makeScratchFolder(): Promise<ScratchFolder> {
  const path = await mkdtemp(join(tmpdir(), 'muster-bench-'))
  // If Muster is root, PostgreSQL runs as another user, who must be able to enter.
  await chmod(path, 0o711)
  const script = `
    cat >/dev/null
    pid=$(head -n 1 "$1/data/postgres/postmaster.pid" 2>/dev/null)
    if [ -n "$pid" ] && grep -q "$1" "/proc/$pid/cmdline"; then
      kill -INT "$pid"; while kill -0 "$pid"; do sleep 0.05; done
    fi 2>/dev/null
    if grep -q " $1/data " /proc/mounts; then umount -l "$1/data"; fi 2>/dev/null
    rm -rf "$1"`
  const shell = spawn('/bin/sh', ['-c', script, 'sh', path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  return {
    path,
    dataDir: join(path, 'data'),
    async [Symbol.asyncDispose]() {
      const exited = once(shell, 'exit')
      shell.ref()
      shell.stdin.end()
      await exited
    },
  }
}
