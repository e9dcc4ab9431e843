/** The page from which the reader came to traces. */
export interface TraceOrigin {
  readonly path: string
  readonly href: string
  readonly search: Readonly<Record<string, unknown>>
  /** Its place in the history of the tab. */
  readonly index: number
}

interface Location {
  readonly href: string
  readonly pathname: string
  readonly search: object
  readonly state: { readonly __TSR_index?: number }
}

/** In the tab's own storage, so that it survives a reload. */
const NAME = 'spoor.trace-origin'
const TRACE = /^\/app\/traces\/[^/]+$/

/** Remembers where the reader was before the first of several traces. */
export function noteOrigin(from: Location | undefined, to: Location, storage: Storage): void {
  if (from === undefined || !TRACE.test(to.pathname) || TRACE.test(from.pathname)) return
  const origin = { path: from.pathname, href: from.href, search: from.search, index: from.state.__TSR_index ?? 0 }
  storage.setItem(NAME, JSON.stringify(origin))
}

/** Null if the reader came by a link from elsewhere. */
export function readOrigin(storage: Storage): TraceOrigin | null {
  const text = storage.getItem(NAME)
  return text === null ? null : (JSON.parse(text) as TraceOrigin)
}
