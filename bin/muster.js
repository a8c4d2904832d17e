#!/usr/bin/env node
/**
 * The command `muster`. Whatever Node runs this file, Muster runs on the one that its package pins:
 * the process is replaced where Node can do that (22.15 and later). Older ones stay in between, hand
 * on signals and end as Muster does. Plain JavaScript, because Node strips no types below
 * `node_modules` and old ones strip none at all.
 *
 * `MUSTER_PARENT_PID` names the process without which Muster stops: this one while it is in between,
 * else the shell of npm, which dies on a signal without handing it on.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

if (process.versions.pnp !== undefined) {
  console.error(
    "error: Cannot start: Muster does not run with Yarn's Plug'n'Play; write `nodeLinker: node-modules` " +
      'into .yarnrc.yml and run yarn install',
  )
  process.exit(1)
}
const parentPid = process.ppid
const isUnderNpm = process.env['npm_lifecycle_event'] !== undefined
const args = ['--max-semi-space-size=64', findProgram(), ...process.argv.slice(2)]
const node = findNode()

if (typeof process.execve === 'function' && process.platform !== 'win32') {
  process.execve(node, [node, ...args], isUnderNpm ? withParent(parentPid) : process.env)
} else {
  standBetween(spawn(node, args, { stdio: 'inherit', env: withParent(process.pid) }))
}

/**
 * Checked out, the sources run; a package has only what was compiled, and so has a clone that was
 * built and whose development packages were left out.
 */
function findProgram() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)))
  const source = join(root, 'cli', 'main.ts')
  const built = join(root, 'dist', 'cli', 'main.js')
  const isForDevelopment = existsSync(join(root, 'node_modules', 'typescript'))
  return existsSync(source) && (isForDevelopment || !existsSync(built)) ? source : built
}

/** The pinned Node; where npm was told to leave it out, the one that runs this, if it will do. */
function findNode() {
  const { platform, arch } = process
  const require = createRequire(import.meta.url)
  for (const name of [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]) {
    try {
      const file = require.resolve(`${name.replace('win32', 'win')}/package.json`)
      return join(dirname(file), 'bin', platform === 'win32' ? 'node.exe' : 'node')
    } catch {
      // Under the other name, or nowhere.
    }
  }
  if (Number.parseInt(process.versions.node, 10) >= 26) return process.execPath
  console.error(
    `error: Cannot start: Muster needs Node 26, this is ${process.versions.node}, and there is no ` +
      `package of it for ${platform} ${arch}; install Muster with its optional packages, or Node 26`,
  )
  process.exit(1)
}

function withParent(pid) {
  return { ...process.env, MUSTER_PARENT_PID: String(pid) }
}

function standBetween(child) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const watch =
    isUnderNpm &&
    setInterval(() => {
      if (process.ppid === parentPid) return
      clearInterval(watch)
      child.kill('SIGTERM')
    }, 500)
  child.on('error', (error) => {
    console.error(`error: Cannot start ${node}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
