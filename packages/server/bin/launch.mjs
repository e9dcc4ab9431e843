// Plain JavaScript for Node 20 and later.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { findNode } from './find-node.mjs'
import { REQUIRED_NODE } from './node-version.mjs'

/** Variables that must be set before the process starts. A variable that is already set keeps its value. */
const SETTINGS = {
  // Every running chDB query holds a libuv thread: sessions + 8.
  UV_THREADPOOL_SIZE: '16',
  // Returns freed memory to the system soon and uses no arena for each thread: saves some hundred MB under load.
  MALLOC_ARENA_MAX: '2',
  // By default, the size from which a block is mapped on its own (and returned to the system when freed) grows with the
  // freed blocks.
  MALLOC_MMAP_THRESHOLD_: '1048576',
  // The engine's allocator returns freed pages after 1 s. Sooner, each insert gets new pages from the system, and the
  // system clears them: with 0.1 s that took a tenth of the processor time of ingest.
  JE_MALLOC_CONF: 'narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0',
}

/**
 * MB, for each half of V8's space for new objects. Under load V8 would take 128 MB. With 8 it collects so often that
 * this costs an eighth of the processor time of ingest.
 */
const NODE_ARGUMENTS = ['--max-semi-space-size=16']

const FORWARDED_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])

/**
 * Runs a TypeScript program on Node 24 as if it had been started directly: same streams, signals, exit code.
 * @param {string} program absolute path
 * @param {readonly string[]} programArguments
 */
export function launch(program, programArguments) {
  const node = findNode()
  if (node === null) {
    console.error(
      `spoor needs ${REQUIRED_NODE}: older ones lack security fixes. This is Node ${process.versions.node}. Run npm start in the folder of the project once, which installs one there, or install one yourself.`,
    )
    process.exitCode = 1
    return
  }
  const nodeArguments = [...NODE_ARGUMENTS, program, ...programArguments]
  // Compiled code is kept beside a built program, if that folder can be written: later starts take a sixth less time.
  const compiled = program.endsWith('.mjs') ? { NODE_COMPILE_CACHE: join(dirname(program), 'compiled') } : {}
  const env = { ...SETTINGS, ...compiled, ...process.env }
  // The program replaces this process: no process in between gets its signals or uses memory.
  if (typeof process.execve === 'function') process.execve(node, [node, ...nodeArguments], env)
  const child = spawn(node, nodeArguments, { stdio: 'inherit', env })
  for (const signal of FORWARDED_SIGNALS) {
    process.on(signal, () => {
      // The terminal sends Ctrl-C and Ctrl-\ to the child as well. A second signal would mean "stop now, without the
      // graceful stop".
      if (isFromTerminal(signal)) return
      child.kill(signal)
    })
  }
  child.once('error', (error) => {
    console.error(`spoor could not be started with ${node}: ${error.message}`)
    process.exitCode = 1
  })
  child.once('exit', (exitCode, signal) => {
    process.exitCode = signal === null ? (exitCode ?? 1) : 128 + constants.signals[signal]
    // Signal handlers do not keep the process alive. It ends as the child did, so that the parent sees the same signal.
    if (signal !== null) {
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    }
  })
}

/** @param {NodeJS.Signals} signal */
function isFromTerminal(signal) {
  return (
    (signal === 'SIGINT' || signal === 'SIGQUIT') &&
    (process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY)
  )
}
