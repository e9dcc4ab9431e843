import fc from 'fast-check'

/** For property tests: raw JSON texts with everything the grammar allows, which JSON.stringify would never produce. */

const whitespace = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 2 })

const stringUnit = fc.oneof(
  fc.constantFrom(
    'a',
    '\\"',
    '\\\\',
    '\\/',
    '\\n',
    '\\u0000',
    '\\ud800',
    '\\uD83D\\uDE00',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
  ),
  fc.constantFrom('é', '漢', '😀', '\u2028', '\u007f'),
)

export const jsonString = fc.string({ unit: stringUnit, maxLength: 8 }).map((text) => `"${text}"`)

const scalar = fc.oneof(
  jsonString,
  fc.constantFrom('0', '-0', '1.0', '1e400', '-1E-7', '12345678901234567890', 'true', 'false', 'null'),
)

/** Any JSON text: duplicate keys, `__proto__`, escapes, white space anywhere. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar,
    {
      arbitrary: fc.array(padded(tie('value')), { maxLength: 4 }).map((elements) => `[${elements.join(',')}]`),
      weight: 2,
    },
    whitespace.map((blank) => `[${blank}]`),
    { arbitrary: objectText(fc.oneof(jsonString, fc.constantFrom('"__proto__"', '"a"')), tie('value')), weight: 3 },
  ),
})).value

export function objectText(key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(padded(key), padded(value)), { maxLength: 4 }), whitespace)
    .map(([members, blank]) => `{${members.map(([name, text]) => `${name}:${text}`).join(',') || blank}}`)
}

function padded(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(whitespace, text, whitespace).map((parts) => parts.join(''))
}

/** `bytes` with a few bytes overwritten, inserted or removed. */
export function mutated(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const edit = fc.record({
    at: fc.nat(),
    removed: fc.nat({ max: 3 }),
    inserted: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc
        .constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '\0', '\\u', '\ufeff', '-', '1e999', 'null')
        .map((text) => Buffer.from(text)),
    ),
  })
  return fc.tuple(bytes, fc.array(edit, { minLength: 1, maxLength: 4 })).map(([original, edits]) =>
    edits.reduce((current, { at, removed, inserted }) => {
      const start = at % (current.length + 1)
      return Buffer.concat([current.subarray(0, start), inserted, current.subarray(start + removed)])
    }, original),
  )
}
