const [QUOTE, COMMA, LINE_END] = ['"', ',', '\n']

export interface CsvRecord {
  /** The line on which it begins, from 1. */
  readonly number: number
  /** Null if the record is longer than allowed. */
  readonly fields: readonly string[] | null
}

/** Records as RFC 4180 has them: a quoted field may have commas, line ends and quotes, each of these twice. */
export async function* readCsv(texts: AsyncIterable<string>, maxLength: number): AsyncGenerator<CsvRecord> {
  let [number, line] = [1, 1]
  let fields: string[] = []
  let field = ''
  let length = 0
  let state: 'plain' | 'quoted' | 'closed' = 'plain'
  const record = (): CsvRecord | null => {
    fields.push(field.endsWith('\r') && state === 'plain' ? field.slice(0, -1) : field)
    const isBlank = fields.length === 1 && fields[0] === ''
    const found = isBlank ? null : { number, fields: length > maxLength ? null : fields }
    ;[fields, field, length, state, number] = [[], '', 0, 'plain', line]
    return found
  }
  for await (const text of texts) {
    for (const character of text) {
      length += character.length
      // The rest of a record that is too long is only scanned for its end.
      const add = (one: string) => (field = length > maxLength ? '' : field + one)
      if (character === LINE_END) line += 1
      if (state === 'quoted') {
        if (character === QUOTE) state = 'closed'
        else add(character)
      } else if (character === QUOTE && (state === 'closed' || field === '')) {
        if (state === 'closed') add(QUOTE)
        state = 'quoted'
      } else if (character === COMMA) {
        fields.push(field)
        field = ''
        state = 'plain'
      } else if (character === LINE_END) {
        const found = record()
        if (found !== null) yield found
      } else if (!(state === 'closed' && character === '\r')) add(character)
    }
  }
  const last = record()
  if (last !== null) yield last
}
