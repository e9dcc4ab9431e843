import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonString, jsonText, mutated, objectText } from './json-arbitraries.test-support.ts'
import { JsonScanner } from './json-scan.ts'

const jsonBytes = jsonText.map((text) => Buffer.from(text))

function naiveDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(naiveDepth))
}

/** The deepest nesting of a text, including members that a later duplicate overwrites. */
function textDepth(text: string): number {
  let [open, deepest] = [0, 0]
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[[\]{}]/g) ?? []) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++open)
    else if (token === '}' || token === ']') open--
  }
  return deepest
}

/** Every range that the scanner finds, as a tree, and the bytes between them. */
function reassemble(scanner: JsonScanner): string {
  const { bytes } = scanner
  let from = scanner.position
  const parts: string[] = []
  const take = () => {
    parts.push(bytes.toString('utf8', from, scanner.position))
    from = scanner.position
  }
  if (scanner.enterObject()) {
    while (scanner.nextMember()) {
      take()
      parts.push(reassemble(scanner))
      from = scanner.position
    }
  } else if (scanner.enterArray()) {
    while (scanner.nextElement()) {
      take()
      parts.push(reassemble(scanner))
      from = scanner.position
    }
  } else scanner.skipValue()
  take()
  return parts.join('')
}

test('visiting every member and element reads each byte once', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const scanner = new JsonScanner(Buffer.from(text), 64)
      assert.equal(reassemble(scanner), text.trim())
      assert.equal(scanner.failure, null)
    }),
  )
})

test('keys and values are the bytes of the members', () => {
  fc.assert(
    fc.property(objectText(jsonString, jsonText), (text) => {
      const bytes = Buffer.from(text)
      const scanner = new JsonScanner(bytes, 64)
      const members: [string, unknown][] = []
      assert.ok(scanner.enterObject())
      while (scanner.nextMember()) {
        const key = JSON.parse(bytes.toString('utf8', scanner.keyStart, scanner.keyEnd)) as string
        const start = scanner.position
        scanner.skipValue()
        const value: unknown = JSON.parse(bytes.toString('utf8', start, scanner.position))
        members.push([key, value])
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
          assert.ok(scanner.skippedMembers >= Object.keys(value).length)
        } else assert.equal(scanner.skippedMembers, 0)
      }
      assert.deepEqual(Object.fromEntries(members), JSON.parse(text))
    }),
  )
})

test('a text passes at its own depth and fails at one less', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const depth = textDepth(text)
      assert.ok(depth >= naiveDepth(JSON.parse(text)))
      const enough = new JsonScanner(Buffer.from(text), depth)
      assert.ok(enough.skipValue())
      fc.pre(depth > 0)
      const tooFew = new JsonScanner(Buffer.from(text), depth - 1)
      assert.ok(!tooFew.skipValue())
      assert.equal(tooFew.failure, 'too_deep')
    }),
  )
})

test('a text that JSON.parse accepts is never malformed', () => {
  fc.assert(
    fc.property(fc.oneof(mutated(jsonBytes), fc.uint8Array().map(Buffer.from)), (bytes) => {
      const scanner = new JsonScanner(bytes, 1000)
      reassemble(scanner)
      assert.ok(scanner.position <= bytes.length)
      if (scanner.failure === null) return
      assert.throws(() => JSON.parse(bytes.toString()) as unknown, SyntaxError)
    }),
    { numRuns: 2000 },
  )
})

test('a key with escapes is recognized', () => {
  for (const [key, isName] of [
    ['"steps"', true],
    ['"st\\u0065ps"', true],
    ['"\\u0073\\u0074\\u0065\\u0070\\u0073"', true],
    ['"step\\n"', false],
    ['"stepss"', false],
    ['"Steps"', false],
    ['""', false],
  ] as const) {
    const scanner = new JsonScanner(Buffer.from(`{${key}:1}`), 1)
    scanner.enterObject()
    scanner.nextMember()
    assert.equal(scanner.keyIs('steps'), isName, key)
  }
})

test('16 MB of one hostile byte end at once or in one pass', () => {
  const size = 16 * 1024 * 1024
  for (const [byte, failure] of [
    ['[', 'too_deep'],
    ['{', 'malformed'],
    ['"', null],
    ['\\', null],
    [':', null],
    [',', 'malformed'],
    ['}', 'malformed'],
    [' ', 'malformed'],
  ] as const) {
    const scanner = new JsonScanner(Buffer.alloc(size, byte), 64)
    reassemble(scanner)
    assert.equal(scanner.failure, failure, byte)
  }
})
