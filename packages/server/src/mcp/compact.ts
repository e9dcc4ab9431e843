/** Without members that say nothing: null, undefined, empty text, empty lists. Not for requested lists. */
export function compact(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !saysNothing(value)))
}

function saysNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

/** The first characters, without half of a surrogate pair at the end. */
export function firstCharacters(text: string, count: number): string {
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(count - 1))
  return text.slice(0, isHalf ? count - 1 : count)
}

/** At most `most` characters and a mark that there were more. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${firstCharacters(text, most)}…`
}

/** The first items that fit into `chars` of JSON, and the number of the others. */
export function firstFitting<T>(items: readonly T[], chars: number): { shown: readonly T[]; leftOut: number } {
  let length = 0
  const beyond = items.findIndex((item) => (length += JSON.stringify(item).length + 1) > chars)
  const shown = beyond === -1 ? items : items.slice(0, beyond)
  return { shown, leftOut: items.length - shown.length }
}

/** Metadata for a list: long values are shortened, and keys after the first `most` characters are only counted. */
export function shortMetadata(metadata: Readonly<Record<string, unknown>>, most: number, valueLength: number) {
  const shown: Record<string, unknown> = {}
  let length = 0
  let leftOut = 0
  for (const [key, value] of Object.entries(metadata)) {
    const text = JSON.stringify(value)
    const short = text.length <= valueLength ? value : cut(textOf(value), valueLength)
    length += key.length + Math.min(text.length, valueLength) + 6
    if (length > most) leftOut += 1
    else shown[key] = short
  }
  return { ...shown, ...(leftOut === 0 ? {} : { '…': `${leftOut} more keys` }) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
