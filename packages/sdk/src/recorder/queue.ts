/**
 * What is sent: a span, a whole export of a file of the spool, a metric event or a flag. In the order in which one
 * batch is sent: calls are about traces that the service must have.
 */
const KINDS = ['span', 'export', 'metric', 'flag'] as const

export interface Item {
  readonly kind: (typeof KINDS)[number]
  readonly path: string
  /** A JSON object. */
  readonly body: string
  /** Its number in verdicts: an export has many spans. */
  readonly count: number
}

/** Takes the oldest items out of a list: at least one, and more up to a size in characters. */
export function takeFirst(items: Item[], size: number): Item[] {
  let taken = 0
  const end = items.findIndex(({ body }, at) => (taken += body.length) > size && at > 0)
  return items.splice(0, end < 0 ? items.length : end)
}

/** The items of one request each. */
export function requestsOf(items: readonly Item[]): (readonly Item[])[] {
  return KINDS.flatMap((kind) => {
    const same = items.filter((item) => item.kind === kind)
    return kind === 'span' || kind === 'metric' ? [same] : same.map((item) => [item])
  }).filter(({ length }) => length > 0)
}

export function countOf(items: readonly Item[]): number {
  return items.reduce((total, { count }) => total + count, 0)
}

export function sizeOf(items: readonly Item[]): number {
  return items.reduce((total, { body }) => total + body.length, 0)
}
