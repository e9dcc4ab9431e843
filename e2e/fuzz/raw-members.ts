/**
 * The members of a JSON object by decoded name, with their values as raw text; of duplicates the last. The text MUST be
 * valid JSON. A separate implementation, because the scanner of the service is under test.
 */
export function rawMembers(object: string): Map<string, string> {
  const members = new Map<string, string>()
  let at = skipBlank(object, object.indexOf('{') + 1)
  while (object[at] === '"') {
    const nameEnd = endOfValue(object, at)
    const name = JSON.parse(object.slice(at, nameEnd)) as string
    const start = skipBlank(object, skipBlank(object, nameEnd) + 1)
    const end = endOfValue(object, start)
    members.set(name, object.slice(start, end))
    at = skipBlank(object, end)
    if (object[at] === ',') at = skipBlank(object, at + 1)
  }
  return members
}

/** The elements of a JSON array as raw text. */
export function rawElements(array: string): string[] {
  const elements: string[] = []
  let at = skipBlank(array, array.indexOf('[') + 1)
  while (at < array.length && array[at] !== ']') {
    const end = endOfValue(array, at)
    elements.push(array.slice(at, end))
    at = skipBlank(array, end)
    if (array[at] === ',') at = skipBlank(array, at + 1)
  }
  return elements
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (' \t\r\n'.includes(text[at] ?? '')) {
    if (at >= text.length) break
    at++
  }
  return at
}

function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  for (;;) {
    const character = text[at]
    if (character === undefined) return at
    if (character === '"') {
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++
      at++
      if (depth === 0) return at
      continue
    }
    if (character === '{' || character === '[') depth++
    if (character === '}' || character === ']') {
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    }
    if (depth === 0 && ', \t\r\n:'.includes(character)) return at
    at++
  }
}
