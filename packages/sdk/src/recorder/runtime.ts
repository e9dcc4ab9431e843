/** Features of Node, Bun and Deno that edge runtimes may lack. */
interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>
  getuid?(): number
  readonly platform?: string
  on?(event: 'beforeExit', listener: () => void): unknown
  on?(event: 'exit', listener: (code: number) => void): unknown
  on?(event: 'uncaughtExceptionMonitor', listener: (error: unknown) => void): unknown
  getBuiltinModule?(name: string): unknown
}

interface ContextStorage {
  run<T>(value: object, run: () => T): T
  getStore(): object | undefined
}

const runtime = globalThis as typeof globalThis & {
  readonly process?: Process
  readonly AsyncLocalStorage?: new () => ContextStorage
}

/** Found at run time, so that bundles for the edge need not resolve it. Null if the runtime has none. */
export function builtin<Module>(name: string): Module | null {
  try {
    return (runtime.process?.getBuiltinModule?.(name) as Module | undefined) ?? null
  } catch {
    return null
  }
}

/** Of this process; null where files have no owner, as on Windows. */
export function userId(): number | null {
  return runtime.process?.getuid?.() ?? null
}

/**
 * A folder of the user's cache, as each system has it, for what one key may send to one address. Undefined where there
 * is none.
 */
export function cacheFolder(url: string, apiKey: string): string | undefined {
  const crypto = builtin<{ hash?(of: string, text: string): string }>('node:crypto')
  try {
    const home = builtin<{ homedir(): string }>('node:os')?.homedir()
    const { platform } = runtime.process ?? {}
    const ofSystem = platform === 'win32' ? environment('LOCALAPPDATA') : environment('XDG_CACHE_HOME')
    const isWhole = ofSystem !== undefined && /^(\/|[a-z]:)/i.test(ofSystem)
    const cache = isWhole ? ofSystem : home && `${home}/${platform === 'darwin' ? 'Library/Caches' : '.cache'}`
    const name = crypto?.hash?.('sha256', `${url}\n${apiKey}`).slice(0, 32)
    return cache && name && `${cache}/spoor/spool/${name}`
  } catch {
    // Deno without the permission.
    return undefined
  }
}

export function environment(name: string): string | undefined {
  try {
    return runtime.process?.env?.[name]
  } catch {
    // Deno without the permission.
    return undefined
  }
}

const Storage =
  builtin<{ AsyncLocalStorage: new () => ContextStorage }>('node:async_hooks')?.AsyncLocalStorage ??
  runtime.AsyncLocalStorage
/** One for all recorders. Without it, parents are passed explicitly. */
const storage = Storage === undefined ? null : new Storage()

export function inContext<T>(value: object, run: () => T): T {
  return storage === null ? run() : storage.run(value, run)
}

/** The trace or step around the running code. */
export function contextValue(): object | null {
  return storage?.getStore() ?? null
}

interface EndingProcess {
  /** No other work is left. Work that the listener starts delays the end. */
  beforeExit(): void
  /**
   * Only what is synchronous happens now, and all of it together by `endsAt` (as Date.now). `error` is what the process
   * ends for; null if it is not known.
   */
  exit(code: number, error: unknown, endsAt: number): void
}

const ending = new Set<EndingProcess>()
/** A process that ends at once waits no longer for the service, however many recorders there are. */
const MOST_BLOCKED_MS = 2000

/** Returns a function that ends it. Listeners are added once, however many recorders there are. */
export function onProcessEnd(one: EndingProcess): () => void {
  if (ending.size === 0 && !isListening) {
    isListening = true
    let crash: unknown = null
    runtime.process?.on?.('beforeExit', () => ending.forEach((each) => each.beforeExit()))
    runtime.process?.on?.('uncaughtExceptionMonitor', (error) => {
      crash = error
      // The process continues if it has a listener of `uncaughtException`.
      afterDelay(0, () => (crash = null))
    })
    runtime.process?.on?.('exit', (code) => {
      const endsAt = Date.now() + MOST_BLOCKED_MS
      ending.forEach((each) => each.exit(code, crash, endsAt))
    })
  }
  ending.add(one)
  return () => ending.delete(one)
}
let isListening = false

/** A timer that does not keep the process alive. */
export function afterDelay(delayMs: number, run: () => void): void {
  const timer: unknown = setTimeout(run, delayMs)
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref()
}

export interface BlockingRequest {
  readonly url: string
  readonly method: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly redirect: 'manual'
}

interface Threads {
  readonly MessageChannel: new () => { readonly port1: object; readonly port2: object }
  readonly Worker: new (code: string, options: object) => { terminate(): Promise<unknown> }
  receiveMessageOnPort(port: object): { readonly message: string } | undefined
}

/** Of a thread: the texts of the answers, of a status that is no success an empty one. */
const FETCH_ALL = `const { workerData: { done, port, requests } } = require('node:worker_threads')
;(async () => {
  for (const { url, ...request } of requests) {
    const answer = await fetch(url, request)
    const text = await answer.text()
    port.postMessage(answer.ok ? text : '')
  }
})().catch(() => undefined).finally(() => { Atomics.store(done, 0, 1); Atomics.notify(done, 0) })`

/**
 * Makes the requests one after the other in a thread, while this one waits for at most `timeoutMs`: at the end of a
 * process nothing else is possible. The texts of the answers that came. None where there are no threads.
 */
export function fetchBlocking(requests: readonly BlockingRequest[], timeoutMs: number): string[] {
  const threads = builtin<Threads>('node:worker_threads')
  const texts: string[] = []
  try {
    if (threads === null) return texts
    const done = new Int32Array(new SharedArrayBuffer(4))
    const { port1, port2 } = new threads.MessageChannel()
    // Not what the program preloads: it would record as well.
    const env = { ...runtime.process?.env, NODE_OPTIONS: '' }
    const bare = { eval: true, execArgv: [], env, transferList: [port2] }
    const thread = new threads.Worker(FETCH_ALL, { ...bare, workerData: { done, port: port2, requests } })
    Atomics.wait(done, 0, 0, timeoutMs)
    void thread.terminate()
    for (let got; (got = threads.receiveMessageOnPort(port1)) !== undefined;) texts.push(got.message)
  } catch {
    // Threads are forbidden, or the runtime cannot start one any more.
  }
  return texts
}
