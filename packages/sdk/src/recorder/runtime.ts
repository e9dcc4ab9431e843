/** What Node, Bun and Deno have and edge runtimes may lack. */
interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>
  getuid?(): number
  on?(event: 'beforeExit' | 'exit', listener: () => void): unknown
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

/** Found at run time, so that bundles for the edge need not resolve it. Null where there is none. */
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

/** What the running code is within. */
export function contextValue(): object | null {
  return storage?.getStore() ?? null
}

interface EndingProcess {
  /** Nothing else is left to do. What it starts delays the end. */
  beforeExit(): void
  /** Only what is synchronous happens now. */
  exit(): void
}

const ending = new Set<EndingProcess>()

/** Returns a function that ends it. Listeners are added once, however many recorders there are. */
export function onProcessEnd(one: EndingProcess): () => void {
  if (ending.size === 0 && !isListening) {
    isListening = true
    runtime.process?.on?.('beforeExit', () => ending.forEach((each) => each.beforeExit()))
    runtime.process?.on?.('exit', () => ending.forEach((each) => each.exit()))
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
