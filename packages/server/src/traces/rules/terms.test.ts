import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonString, jsonText, objectText } from '../../lib/json/json-arbitraries.test-support.ts'
import { NO_CALLS_YET } from './run-calls.ts'
import * as terms from './terms.ts'
import { EMPTY_DIGEST } from './trace-digest.ts'

const repeated = { tool: 'get', times: 3, gap: 1, cycleAt: 3, tokens: 0, usage: [] }
const often = { key: 'k', last: 3, at: [1, 2, 3], repeated }

function indexed(metadata: string): Set<string> {
  return new Set(terms.metadataTerms(Buffer.from(metadata)))
}

function finds(metadata: string, key: string, value: string): boolean {
  const there = indexed(metadata)
  return terms.metadataValueTerms(key, value).some((term) => there.has(term))
}

test('terms have their documented text', () => {
  assert.equal(terms.statusTerm('error'), 's\0error')
  assert.equal(terms.modelTerm('gpt-4o'), 'm\0gpt-4o')
  assert.deepEqual([...indexed('{"env": "prod"}')], ['k\0env\0"prod"', 'h\0env'])
  assert.deepEqual(terms.nameWords('Book a Flight'), ['w\0book', 'w\0a', 'w\0flight'])
  assert.deepEqual(
    terms.traceTerms({
      status: 'ok',
      failedSteps: 1,
      flagged: true,
      growing: true,
      runType: 'chat',
      name: 'n',
      sessionId: 's1',
      userId: 'u1',
      models: ['a', 'b'],
      metadata: Buffer.from('{"k":1}'),
      digest: { ...EMPTY_DIGEST, errorTypes: ['E'], calls: { ...NO_CALLS_YET, seen: [often] } },
    }),
    [
      's\0ok',
      'r\0chat',
      'n\0n',
      'f',
      'g',
      'c',
      'S\0s1',
      'u\0u1',
      'm\0a',
      'm\0b',
      'e\0E',
      'i\0repeated_call',
      'i\0any',
      'k\0k\x001',
      'h\0k',
    ],
  )
})

test('a list is found by each of its elements, and as a whole', () => {
  const list = '{"k": ["eu", "1", 1.0, 9007199254740993, null, {"a" : 2}, "caf\\u00e9", ["deep"]]}'
  for (const value of ['eu', '"eu"', '1', '9007199254740993', 'null', '{"a":2}', 'café', '["deep"]'])
    assert.ok(finds(list, 'k', value), value)
  for (const value of ['e', 'deep', '2', '9007199254740992', '["eu"]']) assert.ok(!finds(list, 'k', value), value)
  assert.ok(finds('{"k":["a", "b"]}', 'k', '["a","b"]'))
  assert.ok(!finds('{"k":["a"]}', 'j', 'a'))
  assert.ok(!finds('{"k":"[\\"a\\"]"}', 'k', 'a'))
  const many = JSON.stringify({ k: Array.from({ length: 150 }, (_, number) => `t${number}`) })
  assert.deepEqual([finds(many, 'k', 't99'), finds(many, 'k', 't100')], [true, false])
  const { groups, none } = terms.filterTerms({ tag: ['eu', 'us'], notTag: 'test' })
  assert.deepEqual([groups, none], [[['l\0tags\0"eu"', 'l\0tags\0"us"']], ['l\0tags\0"test"']])
})

test('no element of a list is taken for another key', () => {
  for (const term of indexed('{"tags":["a"],"\\u0000x":["b"]}')) {
    const [key] = terms.metadataOfTerm(term) ?? []
    if (term.startsWith('l')) assert.match(key!, /^\0[^]+\0/)
  }
})

test('values match by their JSON text, strings also by their content', () => {
  for (const [metadata, value, expected] of [
    ['{"k":"prod"}', 'prod', true],
    ['{"k":"prod"}', '"prod"', true],
    ['{"k":1}', '1', true],
    ['{"k":"1"}', '1', true],
    ['{"k":"1"}', '"1"', true],
    ['{"k":1}', '"1"', false],
    ['{"k":1.0}', '1', true],
    ['{"k":-1}', '-1.0', true],
    ['{"k":1.00}', '1', false],
    ['{"k":1.5}', '1', false],
    ['{"k":"1.0"}', '1', false],
    ['{"k":12345678901234567890.0}', '12345678901234567890', true],
    ['{"k":1.0}', '1.0', true],
    ['{"k":1e400}', '1e400', true],
    ['{"k":true}', 'true', true],
    ['{"k":null}', 'null', true],
    ['{"k":[1,\n {"a": 2}]}', '[1,{"a":2}]', true],
    ['{"k":[1,{"a":2}]}', ' [1, {"a": 2}] ', true],
    ['{"k":"caf\\u00e9"}', 'café', true],
    ['{"k":"café"}', '"caf\\u00e9"', true],
    ['{"k":"a\\/b"}', 'a/b', true],
    ['{"k":""}', '', true],
    ['{"k":" x"}', 'x', false],
    ['{"\\u006b":"x"}', 'x', true],
    ['{"k":1,"k":2}', '2', true],
    ['{"k":1,"k":2}', '1', false],
    ['{"other":"prod"}', 'prod', false],
    ['{"k":"Prod"}', 'prod', false],
  ] as const) {
    assert.equal(finds(metadata, 'k', value), expected, `${metadata} by ${value}`)
  }
})

test('every member is found by its key, its JSON text and, for a string, its content', () => {
  fc.assert(
    fc.property(objectText(jsonString, jsonText), (metadata) => {
      const there = indexed(metadata)
      for (const [key, value] of Object.entries(JSON.parse(metadata) as Record<string, unknown>)) {
        assert.ok(there.has(terms.metadataKeyTerm(key)))
        if (typeof value !== 'string') continue
        assert.ok(finds(metadata, key, value))
        assert.ok(finds(metadata, key, JSON.stringify(value)))
      }
    }),
  )
  fc.assert(fc.property(jsonText, (value) => assert.ok(finds(`{"k":${value}}`, 'k', value))))
})

test('other values of the same kind are not found', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ minLength: 130, maxLength: 150, unit: fc.constantFrom('a', 'b') }),
  )
  fc.assert(
    fc.property(text, text, (stored, asked) => {
      const metadata = JSON.stringify({ k: stored })
      const meansStored = asked === stored || asked === JSON.stringify(stored)
      fc.pre(meansStored || !isJsonOf(asked, stored))
      assert.equal(finds(metadata, 'k', asked), meansStored)
    }),
  )
  function isJsonOf(json: string, value: string): boolean {
    try {
      return JSON.parse(json) === value
    } catch {
      return false
    }
  }
})

test('no value can be mistaken for another tag, key or hash, and no term is long', () => {
  const anything = fc.oneof(
    fc.string({ unit: fc.constantFrom('\0', 'k', 'h', '"', '\\', 'é'), maxLength: 6 }),
    fc.string({ unit: 'binary', minLength: 100, maxLength: 300 }),
  )
  const makers: ((value: string) => string)[] = [
    terms.modelTerm,
    terms.runTypeTerm,
    terms.nameTerm,
    terms.sessionTerm,
    terms.userTerm,
    terms.metadataKeyTerm,
    terms.wordTerm,
    (key) => terms.metadataValueTerms(key, 'v')[0]!,
    (value) => terms.metadataValueTerms('key', value)[0]!,
  ]
  const made = fc.tuple(fc.nat({ max: makers.length - 1 }), anything)
  fc.assert(
    fc.property(made, made, ([firstMaker, first], [secondMaker, second]) => {
      const term = makers[firstMaker]!(first)
      assert.ok(Buffer.byteLength(term) <= 256)
      const isSame = firstMaker === secondMaker && first === second
      assert.equal(makers[secondMaker]!(second) === term, isSame)
    }),
    { numRuns: 5000 },
  )
  assert.notEqual(terms.metadataValueTerms('a', 'b')[0], terms.metadataValueTerms('a\0"b', '')[0])
  assert.notEqual(terms.metadataKeyTerm('a\\u0000'), terms.metadataKeyTerm('a\0'))
})
