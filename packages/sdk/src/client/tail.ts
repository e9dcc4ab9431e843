import { ApiError } from './api-error.ts'
import type { TailCommitted } from './generated/api-types.ts'
import { backoffMs, type Connection } from './connection.ts'
import { EventStreamReader, type StreamEvent } from './event-stream.ts'
import { ROUTES } from './generated/operations.ts'

export interface TailOptions {
  /** The `position` of the last event that was handled. By default only traces committed from now on are reported. */
  readonly after?: string | undefined
  /** Ends the tail without an error. */
  readonly signal?: AbortSignal | undefined
  /** A connection that is silent for this long is replaced; 45 s by default. The service sends something every 15 s. */
  readonly silenceMs?: number
}

export type TailEvent =
  | { readonly type: 'trace.committed'; readonly position: string; readonly data: TailCommitted }
  /** Positions that the service no longer has: read the list again. The tail continues after `to`. */
  | { readonly type: 'gap'; readonly position: string; readonly data: { readonly from: number; readonly to: number } }

/**
 * Committed traces as they come. Connects again after the last event when the connection or the service breaks off, so
 * that nothing is missed and nothing comes twice. Ends only by `signal` or when the reader stops.
 *
 * @throws ApiError if the service refuses the tail for good, such as for a wrong key
 */
export async function* tail(connection: Connection, options: TailOptions = {}): AsyncGenerator<TailEvent, void, void> {
  const { signal, silenceMs = 45_000 } = options
  let position = options.after
  for (let failures = 0; ; failures += 1) {
    if (signal?.aborted) return
    try {
      for await (const event of connect(connection, position, silenceMs, signal)) {
        failures = 0
        // The first block has the position of the start, so that a tail without `after` also misses nothing.
        position = event.id
        const known = toTailEvent(event)
        if (known !== undefined) yield known
        if (signal?.aborted) return
      }
    } catch (error) {
      if (signal?.aborted) return
      if (!(error instanceof BrokenOff)) throw error
    }
    await connection.wait(backoffMs(failures), signal).catch(() => undefined)
  }
}

/** The connection ended; another may succeed. */
class BrokenOff extends Error {}

async function* connect(
  connection: Connection,
  after: string | undefined,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, void, void> {
  const silence = new AbortController()
  const stop = () => silence.abort()
  signal?.addEventListener('abort', stop, { once: true })
  let timer = setTimeout(stop, silenceMs)
  try {
    const [method, target] = ROUTES.tailTraces
    const headers = { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) }
    const request = { method, target, headers, streamed: true, repeatable: false, signal: silence.signal }
    const response = await connection.send(request)
    const reader = new EventStreamReader()
    for await (const piece of response.body ?? []) {
      clearTimeout(timer)
      // While the reader works on an event, the silence is not the service's.
      yield* reader.read(piece)
      timer = setTimeout(stop, silenceMs)
    }
  } catch (cause) {
    if (cause instanceof ApiError && cause.status >= 400 && !isTemporary(cause.status)) throw cause
    throw new BrokenOff('The tail broke off.', { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    silence.abort()
  }
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}

/** Left out: the first block, which only says the position, and types that this version does not know. */
function toTailEvent({ type, id: position, data }: StreamEvent): TailEvent | undefined {
  if (type === 'trace.committed') return { type, position, data: JSON.parse(data) as TailCommitted }
  if (type === 'gap') return { type, position, data: JSON.parse(data) as { from: number; to: number } }
  return undefined
}
