import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { DomainError } from '../../lib/domain-error.ts'
import type { PreparedExport } from '../../ports/traces/prepared.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import type { OtlpEncoding } from './otlp-encoding.ts'
import { parseExport } from './parse-export.ts'
import { exportJson, logsJson, ns, spanId, type TestSpan, toProtobuf, toRequest, TRACE } from './spans.test-support.ts'

const ENCODINGS: readonly OtlpEncoding[] = ['protobuf', 'json']

/** Mutations of one run; 50,000 by `SPOOR_OTLP_MUTATIONS=50000 node --test …`. */
const MUTATIONS = Number(process.env['SPOOR_OTLP_MUTATIONS'] ?? 3000)

function parse(spans: readonly TestSpan[], encoding: OtlpEncoding): PreparedExport {
  const json = exportJson(spans)
  return parseExport(
    PROJECT,
    encoding === 'json' ? Buffer.from(JSON.stringify(json)) : toProtobuf(json),
    encoding,
    DEFAULT_LIMITS,
  )
}

/** Only the good span of a request is taken, and the reason is named. */
function refusesAlone(bad: TestSpan, reason: RegExp): void {
  for (const encoding of ENCODINGS) {
    const { spans, rejected } = parse([bad, { name: 'good', spanId: spanId(7) }], encoding)
    assert.deepEqual([spans.map(({ step }) => step.name), rejected.count], [['good'], 1], encoding)
    assert.match(rejected.reasons[0]!, reason)
  }
}

const metadataOf = ({ spans }: PreparedExport) =>
  (JSON.parse(spans[0]!.step.body.toString()) as { metadata: Record<string, unknown> }).metadata

function nestedValue(depth: number): unknown {
  let value: unknown = 'deep'
  for (let level = 1; level < depth; level++) value = level % 2 === 0 ? [value] : { inner: value }
  return value
}

interface Told {
  readonly field: string
  readonly problem: string
  readonly value?: unknown
}

/** The span is taken, in both encodings alike, and the answer names what was wrong. Returns what its metadata tells. */
function tells(bad: TestSpan, warning: RegExp, encodings = ENCODINGS): readonly Told[] {
  const found = encodings.map((encoding) => {
    const parsed = parse([bad], encoding)
    assert.deepEqual([parsed.spans.length, parsed.rejected.count], [1, 0], encoding)
    assert.match(parsed.rejected.reasons.join(), warning)
    return metadataOf(parsed)['spoor.problems'] as readonly Told[]
  })
  for (const one of found) assert.deepEqual(one, found[0])
  return found[0]!
}

test('ids of wrong length and zero ids refuse their span', () => {
  refusesAlone({ traceId: TRACE.slice(2) }, /trace id/)
  refusesAlone({ traceId: '0'.repeat(32) }, /trace id/)
  refusesAlone({ traceId: '' }, /trace id/)
  refusesAlone({ spanId: 'abcd' }, /span id/)
  refusesAlone({ spanId: '0'.repeat(16) }, /span id/)
  assert.deepEqual(tells({ parentSpanId: 'abcd' }, /^parentSpanId: .*8 bytes/), [
    { field: 'parentSpanId', problem: 'The parent span id must have 8 bytes.', value: 'abcd' },
  ])
  const { spans } = parse([{ parentSpanId: '0'.repeat(16) }], 'json')
  assert.equal(spans[0]?.facts.isRoot, true, 'a parent of zeros is none')
  assert.equal(parse([{ traceId: TRACE.toUpperCase() }], 'json').spans[0]?.otelTraceId, TRACE)
})

test('what is nested more than 64 deep is left out of its value, even of one that is 1,000 deep', () => {
  for (const encoding of ENCODINGS) {
    const whole = parse([{ attributes: { deep: nestedValue(64) } }], encoding)
    assert.deepEqual([whole.rejected, metadataOf(whole)['deep']], [{ count: 0, reasons: [] }, nestedValue(64)])
  }
  tells({ attributes: { deep: nestedValue(65), other: 'kept' } }, /nested/)
  const json = Buffer.from(
    JSON.stringify(exportJson([{ attributes: { deep: nestedValue(1000) } }, { spanId: spanId(2) }])),
  )
  for (const [encoding, body] of [
    ['json', json],
    ['protobuf', nestedInProtobuf(1000)],
  ] as const) {
    const found = parseExport(PROJECT, body, encoding, DEFAULT_LIMITS)
    assert.deepEqual([found.spans.length, found.rejected.count], [2, 0], encoding)
    assert.match(found.rejected.reasons[0]!, /nested/)
    let value = metadataOf(found)['deep'] as Record<string, unknown>
    for (let level = 1; level <= 64; level++) value = Object.values(value)[0] as Record<string, unknown>
    assert.equal(value, '[nested more than 64 deep]')
  }
})

/** A request with two spans, of which the first has a list of lists of this depth. */
function nestedInProtobuf(depth: number): Buffer {
  let value = field(1, Buffer.from('deep'))
  for (let level = 1; level < depth; level++) value = field(5, field(1, value))
  const ids = (number: number) => [field(1, Buffer.from(TRACE, 'hex')), field(2, Buffer.from(spanId(number), 'hex'))]
  const deep = Buffer.concat([...ids(1), field(9, Buffer.concat([field(1, Buffer.from('deep')), field(2, value)]))])
  return field(1, field(2, Buffer.concat([field(2, deep), field(2, Buffer.concat(ids(2)))])))
}

function field(number: number, bytes: Buffer): Buffer {
  const length = [bytes.length & 0x7f]
  for (let rest = bytes.length >> 7; rest > 0; rest >>= 7) {
    length[length.length - 1]! |= 0x80
    length.push(rest & 0x7f)
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes])
}

test('values that are nested thousands of levels deep where no list belongs cost neither their span nor the others', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const inMetadata = JSON.stringify(`{"a":${deep}}`)
  for (const bad of [
    `"name":${deep}`,
    `"kind":${deep}`,
    `"attributes":[{"key":"k","value":{"stringValue":${deep}}}]`,
    ...['step', 'trace'].map(
      (of) =>
        `"attributes":[{"key":"spoor.${of}.metadata","value":{"stringValue":${inMetadata}}},{"key":"spoor.${of}.${of === 'step' ? 'type' : 'name'}","value":{"intValue":5}}]`,
    ),
  ]) {
    const ids = `"traceId":"${TRACE}","spanId":"${spanId(1)}"`
    const good = `{"traceId":"${TRACE}","spanId":"${spanId(2)}"}`
    const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[{${ids},${bad}},${good}]}]}]}`
    const { spans, rejected } = parseExport(PROJECT, Buffer.from(body), 'json', DEFAULT_LIMITS)
    assert.deepEqual([spans.length, rejected.count], [2, 0], bad.slice(0, 60))
  }
})

test('thousands of bad values are told in part', () => {
  const events = Array.from({ length: 5000 }, () => ({ name: 'e', timeUnixNano: 'x' }))
  const { spans, rejected } = parse([{ events }], 'json')
  assert.equal(spans.length, 1)
  assert.ok(rejected.reasons.length <= 5)
})

test('10,000 attributes are all stored', () => {
  const attributes = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key.${at}`, at]))
  for (const encoding of ENCODINGS) {
    const metadata = metadataOf(parse([{ attributes }], encoding))
    const more = metadata['otel.more_attributes'] as Record<string, unknown>
    assert.ok(Object.keys(metadata).length <= DEFAULT_LIMITS.metadataKeys)
    for (const [key, value] of Object.entries(attributes)) assert.equal(metadata[key] ?? more[key], value)
  }
})

test('unusual keys, values and names are stored as valid Unicode', () => {
  const attributes = {
    ['__proto__']: 'a',
    constructor: 'b',
    '': 'c',
    ['x'.repeat(300)]: 'd',
    nul: 'a\0b',
    nan: Number.NaN,
    infinite: -Infinity,
    'session.id': '\0\ud800x',
    'llm.input_messages.0.message.content': 'e',
    'llm.input_messages.99999999.message.content': 'f',
    'llm.input_messages.__proto__.x': 'g',
    'gen_ai.input.messages': '[',
  }
  const { spans } = parseExport(
    PROJECT,
    Buffer.from(JSON.stringify(exportJson([{ name: '', attributes }]))),
    'json',
    DEFAULT_LIMITS,
  )
  const [{ step, facts }] = spans as [(typeof spans)[0]]
  assert.equal(step.name, 'span')
  assert.equal(facts.sessionId, '\ufffdx')
  assert.equal(step.body.toString().isWellFormed(), true)
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
})

test('times before 1970, after 2299, and ends before starts', () => {
  const times = (
    startTimeUnixNano: string | number,
    endTimeUnixNano: string | number,
    encoding: OtlpEncoding = 'json',
  ) => {
    const { startedAt, endedAt } = parse([{ startTimeUnixNano, endTimeUnixNano }], encoding).spans[0]!.step
    return [startedAt, endedAt]
  }
  for (const encoding of ENCODINGS) {
    assert.deepEqual(times('0', '0', encoding), [null, null])
    assert.deepEqual(times(ns(5), ns(2), encoding), [1_772_323_200_005, 1_772_323_200_005])
    assert.deepEqual(times('18446744073709551615', '18446744073709551615', encoding), [18446744073709, 18446744073709])
  }
  assert.deepEqual(times('-5', ns(2)), [null, 1_772_323_200_002])
  const early = metadataOf(parse([{ startTimeUnixNano: ns(5), endTimeUnixNano: ns(2) }], 'json'))
  assert.equal(early['otel.end_time_unix_nano'], ns(2), 'what was sent is not lost')
})

test('JSON with the names of enums', () => {
  const span = { kind: 'SPAN_KIND_CLIENT', status: { code: 'STATUS_CODE_ERROR' } }
  const sent = (one: object) => exportJson([one as TestSpan])
  const found = parseExport(PROJECT, Buffer.from(JSON.stringify(sent(span))), 'json', DEFAULT_LIMITS)
  assert.equal(found.spans[0]?.step.status, 'error')
  assert.equal(metadataOf(found)['otel.kind'], 'client')
  for (const [wrong, name, value] of [
    [{ kind: 'SOME' }, 'kind', 'SOME'],
    [{ status: { code: 'BAD' } }, 'code', 'BAD'],
    [{ kind: 1.5 }, 'kind', 1.5],
    [{ startTimeUnixNano: 'today' }, 'startTimeUnixNano', 'today'],
  ] as const) {
    const told = tells(wrong as unknown as TestSpan, new RegExp(`^${name}: `), ['json'])
    assert.deepEqual([told.length, told[0]?.field, told[0]?.value], [1, name, value])
  }
})

test('JSON with numbers as strings and the reverse', () => {
  const value = (any: unknown) => {
    const request = exportJson([{}]) as { resourceSpans: { scopeSpans: { spans: { attributes: unknown[] }[] }[] }[] }
    request.resourceSpans[0]!.scopeSpans[0]!.spans[0]!.attributes = [{ key: 'k', value: any }]
    const found = parseExport(PROJECT, Buffer.from(JSON.stringify(request)), 'json', DEFAULT_LIMITS)
    assert.equal(found.rejected.count, 0)
    const stored = metadataOf(found)
    return stored['spoor.problems'] === undefined ? stored['k'] : { told: stored['k'] }
  }
  assert.equal(value({ intValue: 5 }), 5)
  assert.equal(value({ intValue: '5' }), 5)
  assert.equal(value({ int_value: '-5' }), -5)
  assert.equal(value({ intValue: '9223372036854775807' }), '9223372036854775807')
  assert.equal(value({ doubleValue: '1.5' }), 1.5)
  assert.equal(value({ doubleValue: 'NaN' }), 'NaN')
  assert.equal(value({}), undefined)
  assert.deepEqual(value({ arrayValue: { values: [{}] } }), [null])
  for (const [wrong, kept] of [
    [{ intValue: 'x' }, 'x'],
    [{ intValue: 1.5 }, 1.5],
    [{ doubleValue: 'x' }, 'x'],
    [{ stringValue: 5 }, 5],
    [{ stringValue: { a: 1 } }, '{"a":1}'],
    [{ boolValue: 'true' }, 'true'],
    [{ arrayValue: 5 }, 5],
    [{ kvlistValue: { values: [5] } }, '{"values":[5]}'],
    [7, 7],
  ] as const) {
    assert.deepEqual(value(wrong), { told: kept }, JSON.stringify(wrong))
  }
})

test('a request that is no export is refused: log records, other JSON, cut off and no UTF-8', () => {
  const refuses = (body: string | Buffer, code: string, encoding: OtlpEncoding = 'json') =>
    assert.throws(() => parseExport(PROJECT, Buffer.from(body), encoding, DEFAULT_LIMITS), { code })
  refuses('[]', 'bad_request')
  refuses('{"resourceSpans":{}}', 'bad_request')
  refuses('{"resourceSpans":[{"scopeSpans":[7]}]}', 'bad_request')
  refuses('{"resourceSpans":[', 'malformed_json')
  refuses(Buffer.from([0x22, 0xff, 0x22]), 'invalid_encoding')
  const whole = toProtobuf(exportJson([{ attributes: { a: 'b' } }]))
  refuses(whole.subarray(0, whole.length - 1), 'bad_request', 'protobuf')
  // A group, and a varint of eleven bytes in an unknown field.
  refuses(Buffer.from([0x7b, 0x7c]), 'bad_request', 'protobuf')
  refuses(Buffer.from([0x78, ...Array<number>(10).fill(0x80), 0x01]), 'bad_request', 'protobuf')
  // Unknown fields are skipped.
  assert.deepEqual(parseExport(PROJECT, Buffer.from([0x78, 0x05]), 'protobuf', DEFAULT_LIMITS).spans, [])
  // A log record as a span: its first field is a time, not a trace id.
  const record = Buffer.from([0x09, 1, 2, 3, 4, 5, 6, 7, 8])
  const scope = Buffer.concat([Buffer.from([0x12, record.length]), record])
  const resource = Buffer.concat([Buffer.from([0x12, scope.length]), scope])
  const request = Buffer.concat([Buffer.from([0x0a, resource.length]), resource])
  assert.equal(parseExport(PROJECT, request, 'protobuf', DEFAULT_LIMITS).rejected.count, 1)
})

test('a span larger than a step may be is cut until it fits, and says so', () => {
  const { lineBytes } = DEFAULT_LIMITS
  const list = Array.from({ length: 100_000 }, (_, at) => `element ${at} of a list that is too long for one step`)
  for (const attributes of [
    { large: 'x'.repeat(lineBytes), other: 'kept' },
    {
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: 'ü'.repeat(lineBytes) }] },
      ]),
    },
    { list, other: 'kept' },
  ]) {
    const [told] = tells({ attributes }, /bytes, of 4194304 at most/)
    assert.match(told!.problem, /were cut to/)
    const { step } = parse([{ attributes }], 'json').spans[0]!
    assert.ok(step.body.length <= lineBytes)
    const { metadata, messages } = JSON.parse(step.body.toString()) as {
      metadata: Record<string, unknown>
      messages?: unknown
    }
    assert.equal(metadata['other'], attributes.other)
    assert.equal('list' in attributes ? (metadata['list'] as unknown[]).at(-1) : list.at(-1), list.at(-1))
    if (messages !== undefined) assert.match(JSON.stringify(messages), /"role":"user".*ü… \[\d+ characters were cut\]/)
  }
})

test('duplicate ids count once and parents in circles are stored as they are', async () => {
  const world = new TraceWorld()
  const spans: TestSpan[] = [
    { spanId: spanId(1), parentSpanId: spanId(2), name: 'a' },
    { spanId: spanId(2), parentSpanId: spanId(1), name: 'b' },
    { spanId: spanId(3), parentSpanId: spanId(3), name: 'own parent' },
    { spanId: spanId(1), name: 'a again' },
  ]
  const { useCases } = world.service
  assert.equal((await useCases.takeExport(toRequest(PROJECT, exportJson(spans)))).count, 0)
  const id = await useCases.findOtelTrace(PROJECT, TRACE)
  const { allSteps } = await useCases.read(PROJECT, id!)
  assert.deepEqual(
    allSteps?.map(({ name }) => name),
    ['a', 'b', 'own parent'],
  )
  assert.equal(allSteps?.[2]?.parentStepId, null)
})

test('mutated requests are taken, refused in part or refused, and nothing else happens', () => {
  const spans: TestSpan[] = [
    {
      name: 'chat',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }],
        'llm.input_messages.0.message.contents.0.message_content.text': 'x',
        'gen_ai.usage.input_tokens': 5,
        list: [1, 2.5, true, { a: 'b' }],
      },
      events: [{ name: 'exception', attributes: { 'exception.type': 'E' } }],
      status: { code: 2, message: 'no' },
    },
    { name: 'tool', spanId: spanId(2), parentSpanId: spanId(1), attributes: { 'gen_ai.tool.name': 't' } },
  ]
  const json = exportJson(spans, { resource: { 'service.name': 's' }, scope: { name: 'scope' } })
  const logs = logsJson([
    { name: 'gen_ai.user.message', body: { content: 'Hi', more: [1, { a: true }] } },
    {
      name: 'gen_ai.choice',
      spanId: spanId(2),
      attributes: { 'session.id': 's' },
      body: { message: { content: 'Ho' } },
    },
  ])
  const originals = {
    protobuf: toProtobuf(json),
    json: Buffer.from(JSON.stringify(json)),
    'protobuf logs': toProtobuf(logs),
    'json logs': Buffer.from(JSON.stringify(logs)),
  }
  const random = generator(7)
  const counts = { taken: 0, part: 0, refused: 0 }
  for (let run = 0; run < MUTATIONS; run++) {
    const encoding = Object.keys(originals)[run % 4] as keyof typeof originals
    const body = mutate(originals[encoding], random)
    try {
      const { spans: taken, rejected } = parseExport(PROJECT, body, encoding, DEFAULT_LIMITS)
      for (const { step } of taken) {
        const stored = JSON.parse(step.body.toString()) as { messages?: { role: unknown }[] }
        for (const { role } of stored.messages ?? []) assert.equal(typeof role, 'string')
        assert.ok(step.name.isWellFormed() && step.name !== '')
      }
      counts[rejected.count === 0 ? 'taken' : 'part'] += 1
    } catch (error) {
      if (!(error instanceof DomainError))
        throw new Error(`run ${run}, ${encoding}: ${body.toString('hex')}`, { cause: error })
      counts.refused += 1
    }
  }
  for (const count of Object.values(counts)) assert.ok(count > MUTATIONS / 50, JSON.stringify(counts))
})

function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

/** Bytes changed, cut out, doubled or cut off. */
function mutate(original: Buffer, random: (below: number) => number): Buffer {
  let body = Buffer.from(original)
  for (let left = 1 + random(3); left > 0 && body.length > 0; left--) {
    const at = random(body.length)
    const length = 1 + random(8)
    const kind = random(5)
    if (kind === 0) body[at] = random(256)
    else if (kind === 1) body[at] = body[at]! ^ (1 << random(8))
    else if (kind === 2) body = Buffer.concat([body.subarray(0, at), body.subarray(at + length)])
    else if (kind === 3) body = Buffer.concat([body.subarray(0, at + length), body.subarray(at)])
    else body = body.subarray(0, random(4) === 0 ? at : body.length)
  }
  return body
}
