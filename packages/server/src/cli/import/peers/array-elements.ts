export interface ArrayElement {
  /** From 1. */
  readonly number: number
  /** JSON; null if it is longer than allowed. */
  readonly text: string | null
}

/** The elements of a list in JSON, which may be larger than memory. Whoever parses an element finds what is no JSON. */
export async function* arrayElements(texts: AsyncIterable<string>, maxLength: number): AsyncGenerator<ArrayElement> {
  let [depth, number, length] = [0, 0, 0]
  let [inText, isEscaped] = [false, false]
  let element = ''
  const take = (): ArrayElement | null => {
    const found = element.trim() === '' && length <= maxLength ? null : element
    const text = length > maxLength ? null : found
    ;[element, length] = ['', 0]
    return found === null ? null : { number: ++number, text }
  }
  for await (const chunk of texts) {
    for (const character of chunk) {
      const isOuter = !inText && depth === 1
      if (inText) {
        if (isEscaped) isEscaped = false
        else if (character === '\\') isEscaped = true
        else if (character === '"') inText = false
      } else if (character === '"') inText = true
      else if (character === '{' || character === '[') depth += 1
      else if (character === '}' || character === ']') depth -= 1
      if (isOuter && (character === ',' || depth === 0)) {
        const found = take()
        if (found !== null) yield found
      } else if (depth > 1 || (depth === 1 && (isOuter || character === '}' || character === ']'))) {
        length += character.length
        if (length <= maxLength) element += character
      }
    }
  }
  // A list that was cut off.
  const rest = take()
  if (rest !== null) yield rest
}
